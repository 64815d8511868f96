"""The faults by which the tests are measured can all be planted; `python -m tests.faults` tells which are caught."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .faults import FAULTS, ROOT, Fault, chosen_by


def test_faults_are_of_different_kinds() -> None:
    assert len({fault.kind for fault in FAULTS}) == len(FAULTS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.kind)
def test_a_fault_can_be_planted(fault: Fault, tmp_path: Path) -> None:
    (tmp_path / fault.path).parent.mkdir(parents=True)
    shutil.copy(ROOT / fault.path, tmp_path / fault.path)
    fault.plant(tmp_path)
    assert (tmp_path / fault.path).read_text(encoding="utf-8").count(fault.new) >= 1
    with pytest.raises(ValueError, match="not once"):  # unless the new text holds the old one
        Fault(fault.kind, fault.path, fault.old + "no such text", fault.new).plant(tmp_path)


def test_words_choose_faults() -> None:
    assert chosen_by([]) == FAULTS
    assert [fault.kind for fault in chosen_by(["cast", "off by one"])] == ["off by one at k", "a cast"]
    with pytest.raises(ValueError, match=r"'comma'; there are a tie, .* a cast\Z"):
        chosen_by(["tie", "comma"])
