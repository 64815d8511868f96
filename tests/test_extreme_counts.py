"""Counts as large as logs are and larger, one beside the other: against exact arithmetic."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import duckdb
import pandas as pd
import pytest

import sqlmetrics

from .oracles.binary import area_of_many_digits

ROLES = {"positives": "positives", "total": "total", "score": "score"}


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("set threads = 1")
        yield connection


def rows_of(*steps: tuple[float, float]) -> pd.DataFrame:
    """Pre-aggregated rows of (positives, negatives) from the highest score down."""
    return pd.DataFrame(
        [(pos, pos + neg, 1 - place / (len(steps) + 1)) for place, (pos, neg) in enumerate(steps)],
        columns=["positives", "total", "score"],
    )


COUNTS = (0, 1, 7, 10**4, 10**8, 10**12, 10**15)
STEPS = [
    (first, second)
    for first in itertools.product(COUNTS, COUNTS)
    for second in itertools.product(COUNTS, COUNTS)
    if sum(first) and first[0] + second[0]
]


@pytest.mark.full
def test_area_under_precision_and_recall_of_two_steps(con: duckdb.DuckDBPyConnection) -> None:
    """Each pair of steps a slice: 1 positive under 10^15 negatives, 10^15 under one, and all between."""
    parts = [rows_of(*steps).assign(pair=place) for place, steps in enumerate(STEPS)]
    rows = pd.concat(parts)
    found = sqlmetrics.pr_auc(rows, by="pair", con=con, **ROLES)["pr_auc"]
    assert len(found) == len(STEPS) > 2000
    for value, ((tp, fp), (pos, neg)) in zip(found, STEPS, strict=True):
        exact = float(area_of_many_digits([(Fraction(tp), Fraction(fp)), (Fraction(tp + pos), Fraction(fp + neg))]))
        assert value == pytest.approx(exact, rel=1e-12, abs=0), ((tp, fp), (pos, neg))


@pytest.mark.parametrize("negatives", [10**8, 10**12, 10**15])
def test_one_positive_under_many_negatives(negatives: int, con: duckdb.DuckDBPyConnection) -> None:
    """Precision goes from 0 to 1 / (negatives + 1), nearly in a straight line."""
    [value] = sqlmetrics.pr_auc(rows_of((0, negatives), (1, 0)), con=con, **ROLES)["pr_auc"]
    assert value == pytest.approx(1 / (2 * negatives + 4 / 3), rel=1e-12, abs=0)


@pytest.mark.parametrize("points", [None, 3])
@pytest.mark.parametrize("metric", ["threshold_table", "roc_curve", "pr_curve"])
def test_one_row_beside_very_many(metric: str, points: int | None, con: duckdb.DuckDBPyConnection) -> None:
    """1e16 + 1 is 1e16 in doubles; what is called negative is counted all the same."""
    rows = rows_of((10**16, 0), (1, 3), (0, 10**16), (2, 1))
    rows["total"] = [1e16, 4.0, 1e16, 3.0]
    rows["score"] = [1.0, 0.75, 0.5, 0.0]
    options = {} if points is None else {"points": points}
    table = getattr(sqlmetrics, metric)(rows, con=con, **ROLES, **options)
    expected = [(math.inf, 0, 0, 1e16 + 3, 1e16 + 4), (1, 1e16, 0, 3, 1e16 + 4), (0.75, 1e16 + 1, 3, 2, 1e16 + 1)]
    expected += [(0.5, 1e16 + 1, 1e16 + 3, 2, 1), (0, 1e16 + 3, 1e16 + 4, 0, 0)]
    if points is not None:
        del expected[2]
    # Equal to the last digit where a sum has room for it.
    assert table[["threshold", "tp", "fp", "fn", "tn"]].to_numpy().tolist() == [
        [pytest.approx(value, rel=4e-16, abs=0) for value in row] for row in expected
    ]
