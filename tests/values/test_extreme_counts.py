"""Counts as large as those of logs and larger, next to small ones, against exact arithmetic."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sqlmetrics
from tests.oracles.binary import area_of_many_digits

ROLES = {"positives": "positives", "total": "total", "score": "score"}


def steps_table(*steps: tuple[float, float]) -> pd.DataFrame:
    """Pre-aggregated rows of (positives, negatives) from the highest score down."""
    rows = [(pos, pos + neg, 1 - rank / (len(steps) + 1)) for rank, (pos, neg) in enumerate(steps)]
    return pd.DataFrame(rows, columns=["positives", "total", "score"])


@pytest.mark.slow
def test_pr_auc_of_two_steps_is_exact() -> None:
    """Each pair of steps is a slice: 1 positive below 10^15 negatives, 10^15 below one, and all between."""
    pairs = list(itertools.product((0, 1, 7, 10**4, 10**8, 10**12, 10**15), repeat=2))
    steps = [(a, b) for a, b in itertools.product(pairs, pairs) if sum(a) and a[0] + b[0]]
    rows = np.array([[(*a, 1.0, index), (*b, 0.5, index)] for index, (a, b) in enumerate(steps)]).reshape(-1, 4)
    data = pd.DataFrame(rows, columns=["positives", "negatives", "score", "pair"])
    data["total"] = data["positives"] + data["negatives"]
    result = sqlmetrics.pr_auc(data, by="pair", **ROLES)["pr_auc"]
    assert len(result) == len(steps) > 2000
    for value, ((tp, fp), (pos, neg)) in zip(result, steps, strict=True):
        exact = float(area_of_many_digits([(Fraction(tp), Fraction(fp)), (Fraction(tp + pos), Fraction(fp + neg))]))
        assert value == pytest.approx(exact, rel=1e-12, abs=0), ((tp, fp), (pos, neg))


@pytest.mark.parametrize("negatives", [10**8, 10**12, 10**15])
def test_pr_auc_of_a_positive_below_many_negatives(negatives: int) -> None:
    """Precision goes from 0 to 1 / (negatives + 1), nearly in a straight line."""
    [value] = sqlmetrics.pr_auc(steps_table((0, negatives), (1, 0)), **ROLES)["pr_auc"]
    assert value == pytest.approx(1 / (2 * negatives + 4 / 3), rel=1e-12, abs=0)


@pytest.mark.parametrize("points", ["all", 3])
@pytest.mark.parametrize("metric", ["threshold_table", "roc_curve", "pr_curve"])
def test_curves_count_single_rows_next_to_very_many(metric: str, points: Any) -> None:
    """1e16 + 1 is 1e16 in doubles; predicted negatives are counted all the same."""
    rows = steps_table((10**16, 0), (1, 3), (0, 10**16), (2, 1))
    rows["total"] = [1e16, 4.0, 1e16, 3.0]
    rows["score"] = [1.0, 0.75, 0.5, 0.0]
    table = getattr(sqlmetrics, metric)(rows, **ROLES, points=points, spacing="score")
    expected = [(math.inf, 0, 0, 1e16 + 3, 1e16 + 4), (1, 1e16, 0, 3, 1e16 + 4), (0.75, 1e16 + 1, 3, 2, 1e16 + 1)]
    expected += [(0.5, 1e16 + 1, 1e16 + 3, 2, 1), (0, 1e16 + 3, 1e16 + 4, 0, 0)]
    if points == 3:
        del expected[2]
    # Equal to the last digit where a sum has room for it.
    assert table[["threshold", "tp", "fp", "fn", "tn"]].to_numpy().tolist() == [
        [pytest.approx(value, rel=4e-16, abs=0) for value in row] for row in expected
    ]


def exact_agreement(table: list[tuple[int, int, int]]) -> dict[str, float]:
    """Kappas and the correlation coefficient of classes by their definitions, in fractions."""
    classes = sorted({label for row in table for label in row[:2]})
    n = sum(Fraction(weight) for *_, weight in table)
    labels = {c: sum(Fraction(weight) for label, _, weight in table if label == c) / n for c in classes}
    predictions = {c: sum(Fraction(weight) for _, predicted, weight in table if predicted == c) / n for c in classes}
    observed = sum(Fraction(weight) for label, predicted, weight in table if label == predicted) / n
    expected = sum(labels[c] * predictions[c] for c in classes)
    values = {"cohens_kappa": float((observed - expected) / (1 - expected)), "multi_mcc": math.nan}
    spread = [1 - sum(share**2 for share in shares.values()) for shares in (labels, predictions)]
    if all(spread):
        values["multi_mcc"] = float(observed - expected) / math.sqrt(spread[0]) / math.sqrt(spread[1])
    for name, power in {"linear": 1, "quadratic": 2}.items():
        seen = sum(Fraction(weight) * abs(label - predicted) ** power for label, predicted, weight in table) / n
        chance = sum(labels[a] * predictions[b] * abs(a - b) ** power for a in classes for b in classes)
        values[name] = float(1 - seen / chance)
    return values


@pytest.mark.parametrize("large", [10**6, 10**9, 10**12, 10**15])
@pytest.mark.parametrize("table", [
    [(0, 0, 0), (0, 1, 3), (1, 1, 5), (1, 0, 2), (2, 2, 1)], [(0, 1, 0), (1, 0, 2), (2, 2, 1)], [(0, 1, 0), (1, 0, 2)],
    [(0, 0, 0), (0, 1, 3), (0, 2, 5)],
], ids=["agreeing class", "disagreeing class", "two classes", "single label"])  # fmt: skip
def test_agreement_where_a_cell_has_nearly_all_rows(table: list[tuple[int, int, int]], large: int) -> None:
    """The rest next to two shares of nearly 1 is added up, not subtracted from 1."""
    table = [(*table[0][:2], large), *table[1:]]
    data = pd.DataFrame(table, columns=["y", "p", "w"])
    metrics = ["cohens_kappa", "multi_mcc", "linear = weighted_kappa(weights='linear')", "quadratic = weighted_kappa"]
    [row] = sqlmetrics.evaluate(data, metrics, label="y", prediction="p", weight="w").to_dict("records")
    for name, exact in exact_agreement(table).items():
        assert row[name] == pytest.approx(exact, rel=1e-12, abs=1e-15, nan_ok=True), name


@pytest.mark.parametrize("low", [-1e10, -1e15, -1e18])
def test_normalized_gini_ignores_the_label_of_a_row_without_weight(low: float) -> None:
    """The coefficient counts labels from the lowest."""
    label, score = np.random.default_rng(1).gamma(1, 1, (2, 60))

    def area(order: np.ndarray) -> float:
        shares = np.array([(order < value).sum() + (order == value).sum() / 2 for value in order]) / len(order)
        return float((label * (2 * shares - 1)).sum())

    data = pd.DataFrame({"y": [*label, low], "p": [*score, 0], "w": [*[1.0] * 60, 0.0]})
    [value] = sqlmetrics.normalized_gini(data, label="y", score="p", weight="w")["normalized_gini"]
    assert value == pytest.approx(area(score) / area(label), rel=1e-12)
