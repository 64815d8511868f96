"""Helpers for parametrization: pairs in place of products, and values that are marked `slow`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from allpairspy import AllPairs


def pairwise(*factors: Sequence[Any]) -> list[Any]:
    """Combinations of values in which each pair of values of two parameters occurs at least once."""
    return [pytest.param(*row, id="-".join(map(str, row))) for row in AllPairs([list(values) for values in factors])]


def slow(*values: Any) -> list[Any]:
    """Values that are marked `slow`; a tuple is a value for several parameters."""
    together = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*value, marks=pytest.mark.slow) for value in together]


def quick_every(step: int, values: Iterable[Any]) -> list[Any]:
    """The values of a parameter: every `step`-th is quick, the others are marked `slow`."""
    parameters = [getattr(value, "values", value if isinstance(value, tuple) else (value,)) for value in values]
    marks = [() if number % step == 0 else pytest.mark.slow for number in range(len(parameters))]
    return [pytest.param(*parameter, marks=mark) for parameter, mark in zip(parameters, marks, strict=True)]
