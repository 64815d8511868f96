"""Compare results: numbers up to a tolerance, undefined values only with undefined values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from tests.data import is_missing


def differences(ours: pd.DataFrame, theirs: pd.DataFrame, tolerance: float = 1e-12) -> list[str]:
    """A description of each difference between two results."""
    if list(ours.columns) != list(theirs.columns):
        return [f"columns {list(ours.columns)} and {list(theirs.columns)}"]
    if len(ours) != len(theirs):
        return [f"{len(ours)} and {len(theirs)} rows"]
    problems = []
    for name in ours.columns:
        for row, (a, b) in enumerate(zip(ours[name], theirs[name], strict=True)):
            if not agree(a, b, tolerance):
                problems.append(f"{name}, row {row}: {a!r} and {b!r}")
    return problems


def assert_same(ours: pd.DataFrame, theirs: pd.DataFrame, tolerance: float = 1e-12) -> None:
    """Assert that two results agree up to the last bits of sums, which depend on the order of rows and on threads."""
    problems = differences(ours.reset_index(drop=True), theirs.reset_index(drop=True), tolerance)
    assert not problems, "\n".join(problems)


def agree(a: Any, b: Any, tolerance: float = 1e-9) -> bool:
    """|a − b| <= tolerance · max(1, |b|) for numbers, undefined only with undefined, equality for other values."""
    if is_missing(a) or is_missing(b):
        return is_missing(a) and is_missing(b)
    if isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    if np.isinf(float(a)) or np.isinf(float(b)):
        return float(a) == float(b)
    return abs(float(a) - float(b)) <= tolerance * max(1.0, abs(float(b)))
