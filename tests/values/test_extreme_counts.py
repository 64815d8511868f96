"""Counts as large as logs are and larger, one beside the other: against exact arithmetic."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import sqlmetrics
from tests.oracles.binary import area_of_many_digits

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


@pytest.mark.slow
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


@pytest.mark.parametrize("points", ["all", 3])
@pytest.mark.parametrize("metric", ["threshold_table", "roc_curve", "pr_curve"])
def test_one_row_beside_very_many(metric: str, points: Any, con: duckdb.DuckDBPyConnection) -> None:
    """1e16 + 1 is 1e16 in doubles; what is called negative is counted all the same."""
    rows = rows_of((10**16, 0), (1, 3), (0, 10**16), (2, 1))
    rows["total"] = [1e16, 4.0, 1e16, 3.0]
    rows["score"] = [1.0, 0.75, 0.5, 0.0]
    table = getattr(sqlmetrics, metric)(rows, con=con, **ROLES, points=points, spacing="score")
    expected = [(math.inf, 0, 0, 1e16 + 3, 1e16 + 4), (1, 1e16, 0, 3, 1e16 + 4), (0.75, 1e16 + 1, 3, 2, 1e16 + 1)]
    expected += [(0.5, 1e16 + 1, 1e16 + 3, 2, 1), (0, 1e16 + 3, 1e16 + 4, 0, 0)]
    if points == 3:
        del expected[2]
    # Equal to the last digit where a sum has room for it.
    assert table[["threshold", "tp", "fp", "fn", "tn"]].to_numpy().tolist() == [
        [pytest.approx(value, rel=4e-16, abs=0) for value in row] for row in expected
    ]


CLASSES = {
    "one class that agrees": [(0, 0, 0), (0, 1, 3), (1, 1, 5), (1, 0, 2), (2, 2, 1)],
    "one class that disagrees": [(0, 1, 0), (1, 0, 2), (2, 2, 1)],
    "two classes": [(0, 1, 0), (1, 0, 2)],
    "one label": [(0, 0, 0), (0, 1, 3), (0, 2, 5)],
}


def exact_agreement(table: list[tuple[int, int, int]]) -> dict[str, float]:
    """Kappas and the correlation coefficient of classes by their definitions, in fractions."""
    classes = sorted({one for row in table for one in row[:2]})
    n = sum(Fraction(weight) for *_, weight in table)
    rows = {one: sum(Fraction(weight) for label, _, weight in table if label == one) / n for one in classes}
    calls = {one: sum(Fraction(weight) for _, call, weight in table if call == one) / n for one in classes}
    agreeing = sum(Fraction(weight) for label, call, weight in table if label == call) / n
    by_chance = sum(rows[one] * calls[one] for one in classes)
    found = {"cohens_kappa": float((agreeing - by_chance) / (1 - by_chance))}
    spread = [1 - sum(share**2 for share in shares.values()) for shares in (rows, calls)]
    found["multi_mcc"] = (
        float(agreeing - by_chance) / math.sqrt(spread[0]) / math.sqrt(spread[1]) if all(spread) else math.nan
    )
    for name, power in {"linear": 1, "quadratic": 2}.items():
        seen = sum(Fraction(weight) * abs(label - call) ** power for label, call, weight in table) / n
        chance = sum(rows[a] * calls[b] * abs(a - b) ** power for a in classes for b in classes)
        found[name] = float(1 - seen / chance)
    return found


@pytest.mark.parametrize("large", [10**6, 10**9, 10**12, 10**15])
@pytest.mark.parametrize("kind", CLASSES)
def test_agreement_where_one_class_has_nearly_all_rows(kind: str, large: int, con: duckdb.DuckDBPyConnection) -> None:
    """What is left of 1 beside two shares that are nearly 1 is added up, not taken off."""
    [(label, call, _), *others] = CLASSES[kind]
    table = [(label, call, large), *others]
    data = pd.DataFrame(table, columns=["y", "p", "w"])
    asked = ["cohens_kappa", "multi_mcc", "linear = weighted_kappa(weights='linear')", "quadratic = weighted_kappa"]
    [found] = sqlmetrics.evaluate(data, asked, label="y", prediction="p", weight="w", con=con).to_dict("records")
    for name, exact in exact_agreement(table).items():
        assert found[name] == pytest.approx(exact, rel=1e-12, abs=1e-15, nan_ok=True), name


@pytest.mark.parametrize("low", [-1e10, -1e15, -1e18])
def test_a_row_without_weight_is_not_the_lowest_label(low: float, con: duckdb.DuckDBPyConnection) -> None:
    """As where -1e18 stands for no label: the coefficient counts labels from the lowest."""
    rng = np.random.default_rng(1)
    label, score = rng.gamma(1, 1, (2, 60))

    def area(order: np.ndarray) -> float:
        places = np.array([(order < one).sum() + (order == one).sum() / 2 for one in order]) / len(order)
        return float((label * (2 * places - 1)).sum())

    data = pd.DataFrame({"y": [*label, low], "p": [*score, 0], "w": [*[1.0] * 60, 0.0]})
    [found] = sqlmetrics.normalized_gini(data, label="y", score="p", weight="w", con=con)["normalized_gini"]
    assert found == pytest.approx(area(score) / area(label), rel=1e-12)
