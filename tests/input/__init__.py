"""Tests of what goes into a call, and of what happens around it."""

from collections.abc import Iterable
from typing import Any

import pytest


def quick_every(step: int, values: Iterable[Any]) -> list[Any]:
    """The values of a parameter: every `step`-th is quick, the others are slow."""
    parameters = [getattr(value, "values", value if isinstance(value, tuple) else (value,)) for value in values]
    marks = [() if number % step == 0 else pytest.mark.slow for number in range(len(parameters))]
    return [pytest.param(*parameter, marks=mark) for parameter, mark in zip(parameters, marks, strict=True)]
