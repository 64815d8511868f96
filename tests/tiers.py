"""Parameters of tests: pairs in place of products, and what is marked `slow`."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from allpairspy import AllPairs

if TYPE_CHECKING:  # the plugin imports this module, before pytest looks into the asserts of tests
    from tests.variants import Call

T = TypeVar("T")
#: Kinds of data whose metrics and frames other kinds have as well, with other roles (ranks for scores) or other signs.
_LIKE_OTHERS = ("signed grades", "ranks", "judged ranks", "ranked lists")


def by_tier(calls: Sequence[Call]) -> list[Any]:
    """The calls as values of a parameter; the fast tier has each metric and frame once, on the data that show most."""
    return [
        pytest.param(
            call,
            id=call.name,
            marks=[pytest.mark.slow]
            if call.kind in _LIKE_OTHERS or (call.table and call.kind == "pre-aggregated")
            else [],
        )
        for call in calls
    ]


def by_weight(calls: Sequence[Call], *roles: str, marks: Any = ()) -> list[Any]:
    """Each call with each role that weighs something in it, as values of two parameters."""
    return [
        pytest.param(only, role, id=f"{call.name}-{role}", marks=marks)
        for call in calls
        for role in roles
        if (only := call.only(role)) is not None and (call.kind == "pre-aggregated") == (role == "total")
    ]


def once(calls: Sequence[Call]) -> list[Any]:
    """The calls as values of a parameter; the fast tier has each metric in one of them."""
    known: set[str] = set()
    found = []
    for call, given in zip(calls, by_tier(calls), strict=True):
        names = {one.metric.name for one in call.asked}
        again = not given.marks and names <= known
        known |= set() if given.marks else names
        found.append(pytest.param(call, id=call.name, marks=pytest.mark.slow) if again else given)
    return found


def _in_order(values: Sequence[T], text_of: Callable[[T], str]) -> list[T]:
    """In the order of a digest, which is the same one every time and no one's."""
    return sorted(values, key=lambda value: hashlib.md5(text_of(value).encode()).digest())


def draw(items: Sequence[pytest.Item]) -> None:
    """Of the values of a test marked `one_in(some)` the fast tier has one in so many, the same ones every time.

    What holds for every metric is tried by dozens of tests on dozens of calls. Each call comes under some of the tests
    then and each test has some of the calls, which shows nearly every fault; the full tier has all pairs. They are
    drawn by a digest of their names: every second value would be the same side of a parameter of two. Of several
    parameters each value comes as often as the others, as far as that goes.
    """
    tests: dict[tuple[str, int], list[pytest.Item]] = {}
    for item in items:
        mark = item.get_closest_marker("one_in")
        if mark is not None and item.get_closest_marker("slow") is None:
            tests.setdefault((item.nodeid.partition("[")[0], *mark.args), []).append(item)
    for (_, some), values in tests.items():
        ordered = _in_order(values, lambda item: item.nodeid)
        drawn = _spread([_values_of(item) for item in ordered], -(-len(values) // some))
        for place, item in enumerate(ordered):
            if place not in drawn:
                item.add_marker(pytest.mark.slow)


def _values_of(item: pytest.Item) -> list[tuple[str, Any]]:
    """Each parameter with its value, which is one object for all that have it; not all have a hash."""
    call = getattr(item, "callspec", None)
    given = call.params.items() if call is not None else []
    return [(name, value if isinstance(value, str) else id(value)) for name, value in given]


def _spread(tests: Sequence[list[tuple[str, Any]]], count: int) -> set[int]:
    """The places of so many of the tests: each next one is that whose values have come least often for their number."""
    having: dict[tuple[str, Any], list[int]] = {}
    for place, values in enumerate(tests):
        for value in values:
            having.setdefault(value, []).append(place)
    several = Counter(parameter for parameter, _ in having)
    came = dict.fromkeys(range(len(tests)), 0)
    drawn: set[int] = set()
    for _ in range(count):
        one = min(came, key=came.__getitem__)
        drawn.add(one)
        del came[one]
        for value in tests[one]:
            for other in came.keys() & having[value]:
                came[other] += several[value[0]]
    return drawn


def pairwise(*factors: Sequence[Any], unless: Callable[[Sequence[Any]], bool] | None = None) -> list[Any]:
    """Values of parameters together, in which each value of one stands beside each value of another at least once."""
    pairs = AllPairs(
        [list(values) for values in factors],
        filter_func=lambda row: unless is None or len(row) < 2 or not unless(row),
    )
    return [pytest.param(*row, id="-".join(map(str, row))) for row in pairs]


def in_turn(values: Sequence[T], turn: int, some: int) -> list[T]:
    """Some values that follow each other; with the next turn those after them."""
    return [values[(turn * some + place) % len(values)] for place in range(some)]


def slow(*values: Any) -> list[Any]:
    """Values of a parameter that are marked `slow`; a tuple is one of several parameters together."""
    together = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*value, marks=pytest.mark.slow) for value in together]
