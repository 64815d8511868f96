"""Every fault that measures the tests can be planted; `python -m tests.faults` reports which tests find it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests import ROOT
from tests.faults.__main__ import SUITES, Verdict, lost, paths_of, table
from tests.faults.corpus import CURATED, Fault, mutants, named


def test_faults_have_distinct_names() -> None:
    faults = [*CURATED, *mutants(300)]
    assert len({fault.name for fault in faults}) == len(faults) == len(CURATED) + 300
    assert mutants(300) == mutants(300)


@pytest.mark.parametrize("fault", [*CURATED, *mutants(10)], ids=lambda fault: fault.name)
def test_fault_can_be_planted(fault: Fault, tmp_path: Path) -> None:
    (tmp_path / fault.path).parent.mkdir(parents=True)
    shutil.copy(ROOT / fault.path, tmp_path / fault.path)
    fault.plant(tmp_path)
    assert (tmp_path / fault.path).read_text(encoding="utf-8") != (ROOT / fault.path).read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="not once"):
        Fault(fault.kind, fault.path, fault.old + "no such text", fault.new, fault.line).plant(tmp_path)


def test_words_select_faults() -> None:
    assert named(CURATED, []) == CURATED
    assert [fault.name for fault in named(CURATED, ["cast", "off by one"])] == ["off by one at k", "a cast"]
    with pytest.raises(ValueError, match="'comma'"):
        named(CURATED, ["tie", "comma"])


def test_suites_include_every_file_of_tests() -> None:
    paths = [path for suite in SUITES for path in paths_of(suite)]
    files = {path.relative_to(ROOT) for path in (ROOT / "tests").rglob("test_*.py")}
    assert {"/".join(file.parts[:2]) for file in files} == {*paths} - {"sqlmetrics"}


def test_verdicts_are_compared_with_an_earlier_run() -> None:
    verdicts = [Verdict("a", {"values": "test_a", "output": None}, 1), Verdict("b", {"values": None}, 1)]
    assert lost(verdicts, {"a": {"values": "test_a"}, "b": {"values": "test_b"}}) == ["b"]
    assert lost(verdicts, {"b": {"values": None}}) == []
    lines = [line.split() for line in table(verdicts, ["values", "output"], every_suite=False).splitlines()]
    assert lines == [["values", "1", "first"], ["output", "0", "first"], ["not", "found", "1"]]
