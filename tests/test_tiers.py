"""What the tiers leave out, and that no test is left out by all of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from .tiers import SHARES, draw, share


class Item:
    """What the tiers look at of a test."""

    def __init__(
        self, function: str, *values: str, marks: tuple[str, ...] = (), one_in: int = 0, made: str = ""
    ) -> None:
        self.nodeid = f"file.py::{function}" + (f"[{'-'.join(values)}]" if values else "")
        self.callspec = SimpleNamespace(params=dict(enumerate(values)))
        self.marks = {name: SimpleNamespace(name=name, args=()) for name in marks}
        if one_in:
            self.marks["one_in"] = SimpleNamespace(name="one_in", args=(one_in,))
        self.made = made

    def get_closest_marker(self, name: str) -> Any:
        return self.marks.get(name)

    def add_marker(self, mark: Any) -> None:
        self.marks[mark.name] = mark


ENGINES = ("duckdb", "postgres", "spark", "clickhouse")


def test_one_in_so_many_is_drawn_of_each_test() -> None:
    items: list[Any] = [Item(test, str(value), one_in=3) for test in ("test_a", "test_b") for value in range(7)]
    items += [Item("test_c", "x", one_in=5), Item("test_d", "x"), Item("test_a", "full", one_in=3, marks=("full",))]
    draw(items)
    kept = [item.nodeid.partition("::")[2].partition("[")[0] for item in items if "full" not in item.marks]
    assert {test: kept.count(test) for test in kept} == {"test_a": 3, "test_b": 3, "test_c": 1, "test_d": 1}


@pytest.mark.parametrize("some", [2, 3, 4, 6, 8, 12])
def test_of_several_parameters_each_value_comes_as_often_as_another(some: int) -> None:
    items: list[Any] = [Item("test_a", one, other, one_in=some) for one in "abcdef" for other in "uvwx"]
    draw(items)
    kept = [item for item in items if "full" not in item.marks]
    assert len(kept) == 24 // some
    for parameter, values in enumerate(("abcdef", "uvwx")):
        came = [sum(item.callspec.params[parameter] == value for item in kept) for value in values]
        assert max(came) - min(came) <= 1


def engine_of(item: Any) -> str | None:
    return next((value for value in item.callspec.params.values() if value in ENGINES), None)


def test_a_share_has_tests_on_each_engine_and_all_shares_have_all() -> None:
    items: list[Any] = [
        Item("test_a", engine, str(number), marks=("full",)) for engine in ENGINES for number in range(13)
    ]
    items += [Item(f"test_b{number}", marks=("full",)) for number in range(13)] + [Item("test_c", "fast")]
    # What is made once for many tests goes as a whole, on one engine; what has no engine is not one thing.
    items += [Item(test, made=f" consumer {one}", marks=("full",)) for one in ENGINES for test in ("test_d", "test_e")]
    items += [Item("test_f", str(number), made="file installed ", marks=("full",)) for number in range(16)]
    seen = set()
    for seed in map(str, range(200)):
        left = share(items, engine_of, lambda item: item.made or None, seed)
        assert left == share(items[::-1], engine_of, lambda item: item.made or None, seed)
        kept = [item for item in items if item not in left]
        names = [(item.nodeid.partition("::")[2].partition("[")[0], *item.callspec.params.values()) for item in kept]
        for engine in ENGINES:
            assert len([name for name in names if name[:2] == ("test_a", engine)]) == -(-13 // SHARES)
        # Tests of one value are drawn from together.
        assert len([name for name in names if name[0].startswith("test_b")]) == -(-13 // SHARES)
        assert ("test_c", "fast") in names
        assert len([name for name in names if name[0] == "test_f"]) == -(-16 // SHARES)
        consumers = [item.made for item in kept if "consumer" in item.made]
        assert len(consumers) == 2
        assert len(set(consumers)) == 1
        seen |= set(kept)
    assert seen == set(items)


def test_a_share_is_of_its_size_however_few_values_tests_have() -> None:
    items: list[Any] = [Item(f"test_{number}", marks=("full",)) for number in range(800)]
    items += [Item(f"test_on_{number}", "spark", marks=("full",)) for number in range(80)]
    left = share(items, engine_of, lambda _: None, "1")
    kept = [engine_of(item) for item in items if item not in left]
    assert (len(kept), kept.count("spark")) == (880 // SHARES, 80 // SHARES)


def test_what_is_in_every_share() -> None:
    items: list[Any] = [Item(f"test_{number}", marks=("full",)) for number in range(24)]
    kept = Item("test_kept", marks=("full", "every_share"))
    for seed in map(str, range(30)):
        left = share([*items, kept], engine_of, lambda _: None, seed)
        assert kept not in left
        assert len(left) == 24 - 24 // SHARES


@pytest.mark.full
def test_the_tests_are_the_same_ones_whenever_they_are_collected() -> None:
    """The processes that share the tests among them collect apart: a name that holds the moment ends the whole run."""
    command = [sys.executable, "-m", "pytest", "--full", "--collect-only", "-q", "-n", "0", "-p", "no:cacheprovider"]
    found = [
        subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[1],
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout.splitlines()
        for seed in ("1", "2")
    ]
    collected = [[line for line in lines if "::" in line] for lines in found]
    assert collected[0]
    assert collected[0] == collected[1]
