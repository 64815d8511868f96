"""What the tiers leave out, and that no test is left out by all of them."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from tests import ROOT
from tests.tiers import draw


class Item:
    """What the tiers look at of a test."""

    def __init__(self, function: str, *values: str, marks: tuple[str, ...] = (), one_in: int = 0) -> None:
        self.nodeid = f"file.py::{function}" + (f"[{'-'.join(values)}]" if values else "")
        self.callspec = SimpleNamespace(params=dict(enumerate(values)))
        self.marks = {name: SimpleNamespace(name=name, args=()) for name in marks}
        if one_in:
            self.marks["one_in"] = SimpleNamespace(name="one_in", args=(one_in,))

    def get_closest_marker(self, name: str) -> Any:
        return self.marks.get(name)

    def add_marker(self, mark: Any) -> None:
        self.marks[mark.name] = mark


def test_one_in_so_many_is_drawn_of_each_test() -> None:
    items: list[Any] = [Item(test, str(value), one_in=3) for test in ("test_a", "test_b") for value in range(7)]
    items += [Item("test_c", "x", one_in=5), Item("test_d", "x"), Item("test_a", "slow", one_in=3, marks=("slow",))]
    draw(items)
    kept = [item.nodeid.partition("::")[2].partition("[")[0] for item in items if "slow" not in item.marks]
    assert {test: kept.count(test) for test in kept} == {"test_a": 3, "test_b": 3, "test_c": 1, "test_d": 1}


@pytest.mark.parametrize("some", [2, 3, 4, 6, 8, 12])
def test_of_several_parameters_each_value_comes_as_often_as_another(some: int) -> None:
    items: list[Any] = [Item("test_a", one, other, one_in=some) for one in "abcdef" for other in "uvwx"]
    draw(items)
    kept = [item for item in items if "slow" not in item.marks]
    assert len(kept) == 24 // some
    for parameter, values in enumerate(("abcdef", "uvwx")):
        came = [sum(item.callspec.params[parameter] == value for item in kept) for value in values]
        assert max(came) - min(came) <= 1


@pytest.mark.slow
def test_the_tests_are_the_same_ones_whenever_they_are_collected() -> None:
    """The processes that share the tests among them collect apart: a name that holds the moment ends the whole run."""
    command = [sys.executable, "-m", "pytest", "-m", "", "--collect-only", "-q", "-n", "0", "-p", "no:cacheprovider"]
    found = [
        subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout.splitlines()
        for seed in ("1", "2")
    ]
    collected = [[line for line in lines if "::" in line] for lines in found]
    assert collected[0]
    assert collected[0] == collected[1]
