"""Every fault of the corpus can be planted; `python -m tests.faults` reports the tests that detect it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests import ROOT
from tests.faults.__main__ import SUITES, is_in_body, lines_of, lost, table
from tests.faults.corpus import CURATED, Fault, Reversal, mutants, named
from tests.faults.worker import Record, suite_of


@pytest.mark.slow
def test_faults_have_distinct_names() -> None:
    drawn = mutants(300)
    faults = [*CURATED, *drawn]
    assert len({fault.name for fault in faults}) == len(faults) == len(CURATED) + 300
    assert mutants(300) == drawn


@pytest.mark.parametrize("fault", CURATED, ids=lambda fault: fault.name)
def test_fault_can_be_planted(fault: Fault, tmp_path: Path) -> None:
    assert_can_be_planted(fault, tmp_path)


def test_mutants_can_be_planted(tmp_path: Path) -> None:
    for number, fault in enumerate(mutants(10)):
        assert_can_be_planted(fault, tmp_path / str(number))


def assert_can_be_planted(fault: Fault, tmp_path: Path) -> None:
    (tmp_path / fault.path).parent.mkdir(parents=True)
    shutil.copy(ROOT / fault.path, tmp_path / fault.path)
    fault.plant(tmp_path)
    text = (tmp_path / fault.path).read_text(encoding="utf-8")
    before = (ROOT / fault.path).read_text(encoding="utf-8")
    changed = [a != b for a, b in zip(before.splitlines(), text.splitlines(), strict=True)]
    assert changed.index(True) + 1 - lines_of(fault)[0][1] in (0, 1), "a fault of two lines may differ in its second"
    with pytest.raises(ValueError, match="not once"):
        Fault(fault.rule, fault.path, fault.old + "no such text", fault.new, fault.line).plant(tmp_path)


def test_heads_are_no_bodies() -> None:
    by_name = {fault.name: is_in_body(fault) for fault in CURATED}
    assert [by_name[name] for name in ("a wrong default", "a preset", "an exit code")] == [False, False, False]
    assert by_name["off by one at k"]


def test_lines_of_a_reversal() -> None:
    patch = "+++ b/sql/a.sql\n@@ -3,2 +3,3 @@\n same\n-old\n+new\n+newer\n@@ -9 +10 @@\n+last\n"
    assert lines_of(Reversal("abc", "Mend", patch)) == [("sql/a.sql", 4), ("sql/a.sql", 5), ("sql/a.sql", 10)]


def test_fragments_of_names_select_faults() -> None:
    assert named(CURATED, []) == CURATED
    assert [fault.name for fault in named(CURATED, ["cast", "off by one"])] == ["off by one at k", "a cast"]
    with pytest.raises(ValueError, match="'comma'"):
        named(CURATED, ["tie", "comma"])


def test_suites_include_every_file_of_tests() -> None:
    folders = {path.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").rglob("test_*.py")}
    assert folders | {"doctests"} == {*SUITES}
    assert suite_of("tests/values/test_a.py::test") == "values"
    assert suite_of("sqlmetrics/api.py::sqlmetrics.api.auc") == "doctests"


def test_each_suite_has_its_time_for_a_line() -> None:
    tests = {"a.sql": {"7": ["tests/values/a.py::x", "tests/input/a.py::y"], "8": ["tests/values/a.py::z"]}}
    seconds = {"tests/values/a.py::x": 3.0, "tests/values/a.py::z": 3.0, "tests/input/a.py::y": 9.0}
    record = Record(tests, seconds)
    assert sorted(record.chosen([("a.sql", 7)])) == ["tests/input/a.py::y", "tests/values/a.py::x"]
    assert len(record.chosen([("a.sql", 7)], seconds=7)) == 3
    assert record.chosen([("b.sql", 7)]) == []


def test_verdicts_are_compared_with_an_earlier_run() -> None:
    assert lost({"a": ["tests/values/t.py::t"], "b": []}, {"a": ["t"], "b": ["t"]}) == ["b"]
    assert lost({"b": []}, {"b": []}) == []
    lines = [line.split() for line in table({"a": ["tests/values/t.py::t"], "b": []}).splitlines()]
    assert ["values", "1", "1", "alone"] in lines
    assert lines[-1] == ["found", "1", "of", "2"]
