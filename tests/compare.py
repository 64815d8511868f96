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
        if _numbers_agree(ours[name].to_numpy(), theirs[name].to_numpy(), tolerance):
            continue
        for row, (a, b) in enumerate(zip(ours[name], theirs[name], strict=True)):
            if not agree(a, b, tolerance):
                problems.append(f"{name}, row {row}: {a!r} and {b!r}")
    return problems


def assert_same(ours: pd.DataFrame, theirs: pd.DataFrame, tolerance: float = 1e-12) -> None:
    """Assert that two results agree; the last bit of a sum depends on the order of rows, and so on threads."""
    problems = differences(ours.reset_index(drop=True), theirs.reset_index(drop=True), tolerance)
    assert not problems, "\n".join(problems)


def _numbers_agree(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    """Whether two columns have numbers only, which all agree."""
    if a.dtype.kind not in "fiu" or b.dtype.kind not in "fiu":
        return False
    a, b = a.astype(float), b.astype(float)
    with np.errstate(invalid="ignore"):
        near = np.isfinite(a) & np.isfinite(b) & (np.abs(a - b) <= tolerance * np.maximum(1.0, np.abs(b)))
    return bool((near | (a == b) | (np.isnan(a) & np.isnan(b))).all())


def agree(a: Any, b: Any, tolerance: float = 1e-9) -> bool:
    """|a − b| <= tolerance · max(1, |b|) for numbers, undefined only with undefined, equality for other values."""
    if is_missing(a) or is_missing(b):
        return is_missing(a) and is_missing(b)
    if isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    if np.isinf(float(a)) or np.isinf(float(b)):
        return float(a) == float(b)
    return abs(float(a) - float(b)) <= tolerance * max(1.0, abs(float(b)))
