"""Extreme scores, weights and counts, against scikit-learn and exact arithmetic."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn import metrics as sk

import sqlmetrics
from tests.compare import agree
from tests.oracles.binary import area_of_many_digits

ROLES: dict[str, Any] = {"label": "label", "score": "score"}


def rows(label: Any, score: Any, **columns: Any) -> pa.Table:
    return pa.table({"label": np.asarray(label, dtype=float), "score": np.asarray(score), **columns})


def ranks(score: Any) -> Any:
    """The order of the scores, because scikit-learn rejects infinite scores."""
    return np.unique(np.asarray(score, dtype=float), return_inverse=True)[1]


def neighbours(start: float) -> list[float]:
    """A number and the next 23 larger doubles."""
    numbers = [start]
    while len(numbers) < 24:
        numbers.append(float(np.nextafter(numbers[-1], math.inf)))
    return numbers


RNG = np.random.default_rng(11)
LABELS = RNG.integers(0, 2, 24)
PROBABILITIES: dict[str, Any] = {
    "constant": [0.5] * 24, "all different": RNG.permutation(24) / 24, "perfect": LABELS.astype(float),
    "reversed": 1.0 - LABELS, "neighbours of 0.5": RNG.permutation(neighbours(0.5)),
    "neighbours of 1": 1 - RNG.permutation(np.arange(24)) * 2.0**-53,
    "neighbours of 0": RNG.permutation(neighbours(0.0)),
    "normal and subnormal": RNG.choice([5e-324, 1e-310, 2.2250738585072014e-308, 1e-300, 0.25], 24),
    "zero of both signs": RNG.choice([0.0, -0.0, 5e-324], 24), "in millionths": RNG.permutation(24) * 1e-6,
}  # fmt: skip
SINGLE: dict[str, Any] = {
    "32 bits": RNG.random(24).astype(np.float32),
    "32 bits next to 1": (1 - RNG.integers(0, 5, 24) * 2.0**-24).astype(np.float32),
    "16 bits": RNG.random(24).astype(np.float16).astype(np.float32),
}
UNBOUNDED: dict[str, Any] = {
    "infinite and finite": RNG.choice([-math.inf, -1.0, 0.0, 1.0, math.inf], 24),
    "only infinite": RNG.choice([-math.inf, math.inf], 24),
    "infinite and the largest": RNG.choice([1.7976931348623157e308, math.inf, -1.7976931348623157e308], 24),
    "very far apart": RNG.permutation(np.linspace(-1, 1, 24) * 1.5e308),
    "neighbours of 1e16": RNG.permutation(neighbours(1e16)),
}
SCORES = {"double": PROBABILITIES | UNBOUNDED, "single": SINGLE, "integer": {"integers": RNG.integers(-5, 5, 24)}}

# Orders of scores


@pytest.mark.parametrize(("scores", "weighted"), [(scores, weighted) for scores in SCORES for weighted in (0, 1)])
def test_ranking_metrics_match_scikit_learn_for_extreme_scores(scores: str, weighted: bool) -> None:
    weight = np.resize([0.0, 0.5, 1.0, 3.0, 0.5], len(LABELS)) if weighted else np.ones(len(LABELS))
    cases = SCORES[scores].items()
    data = pa.concat_tables(rows(LABELS, score, case=[name] * 24, weight=weight) for name, score in cases)
    roles = {**ROLES, "by": "case", **({"weight": "weight"} if weighted else {})}
    metrics = "auc, average_precision, ks, pr_auc(interpolation='trapezoid'), max_f1"
    result = sqlmetrics.evaluate(data, metrics, **roles).set_index("case")
    binned = sqlmetrics.evaluate(data, "auc(bins=1000)", **roles).set_index("case")
    used = weight > 0
    for name, score in cases:
        order, w = (LABELS[used], ranks(score)[used]), {"sample_weight": weight[used]}
        false, true, _ = sk.roc_curve(*order, **w)
        precision, recall, _ = sk.precision_recall_curve(*order, **w)
        total = np.where(precision + recall > 0, precision + recall, 1)
        expected = {
            "auc": sk.roc_auc_score(*order, **w), "average_precision": sk.average_precision_score(*order, **w),
            "ks": max(true - false), "pr_auc": sk.auc(recall, precision), "max_f1": max(2 * precision * recall / total),
        }  # fmt: skip
        for metric, value in expected.items():
            assert agree(result.loc[name, metric], value), (name, metric)
        low, high = binned.loc[name, ["auc_lower", "auc_upper"]]
        assert low - 1e-12 <= expected["auc"] <= high + 1e-12


def test_mcc_of_large_counts_and_of_no_association() -> None:
    """The product of the four margins has 48 digits; scikit-learn reads the same shares in small numbers."""
    tp, fp, fn, tn = 7, 3, 2, 11
    expected = sk.matthews_corrcoef([1] * tp + [0] * fp + [1] * fn + [0] * tn, [1] * (tp + fp) + [0] * (fn + tn))
    for scale in (10**3, 10**9, 10**12):
        counts = {"positives": [tp * scale, fn * scale], "total": [(tp + fp) * scale, (fn + tn) * scale]}
        data = pa.table({**counts, "score": [1.0, 0.0]})
        assert agree(sqlmetrics.mcc(data, positives="positives", total="total", score="score")["mcc"][0], expected)
    data = rows([1, 1, 0, 0] * 9, [1.0, 0.0, 1.0, 0.0] * 9)
    assert sqlmetrics.evaluate(data, "mcc, auc, balanced_accuracy", **ROLES).iloc[0, 1:].tolist() == [0, 0.5, 0.5]


# Numbers


@pytest.mark.parametrize("spread", [1e-12, 1e-7, 1e-3, 0.0099, 0.0101, 0.5])
def test_deviances_of_close_numbers(spread: float) -> None:
    """By decimals of forty digits: for 1e8 and 1e8 + 1 the Poisson deviance of scikit-learn is 0."""
    rng = np.random.default_rng(6)
    label = np.exp(rng.uniform(-5, 12, 40))
    score = label * (1 + spread * rng.uniform(-0.9, 0.9, 40))
    metrics = {1: "poisson_deviance", 2: "gamma_deviance"}
    metrics |= {p: f"tweedie_{number} = tweedie_deviance(power={p})" for number, p in enumerate((1.1, 1.5, 1.9))}
    result = sqlmetrics.evaluate(rows(label, score), list(metrics.values()), **ROLES).iloc[0, 1:].tolist()
    pairs = [(Decimal(y), Decimal(mean)) for y, mean in zip(label.tolist(), score.tolist(), strict=True)]
    with localcontext() as digits:
        digits.prec = 40
        for power, value in zip(metrics, result, strict=True):
            p = Decimal(str(power))
            if power == 1:
                terms = [2 * (y * (y / mean).ln() - y + mean) for y, mean in pairs]
            elif power == 2:
                terms = [2 * ((mean / y).ln() + y / mean - 1) for y, mean in pairs]
            else:
                a, b, c = 1 / ((1 - p) * (2 - p)), 1 / (1 - p), 1 / (2 - p)
                terms = [2 * (y ** (2 - p) * a - y * m ** (1 - p) * b + m ** (2 - p) * c) for y, m in pairs]
            assert math.isclose(value, float(sum(terms) / 40), rel_tol=1e-11)


# Calibration, rows that do not count


# Counts as large as those of logs and larger, next to small ones

COUNT_ROLES = {"positives": "positives", "total": "total", "score": "score"}


def test_pr_auc_of_two_steps_is_exact() -> None:
    """Each pair of steps is a slice: 1 positive below 10^15 negatives, 10^15 below one, and all between."""
    pairs = list(itertools.product((0, 1, 7, 10**8, 10**15), repeat=2))
    steps = [(a, b) for a, b in itertools.product(pairs, pairs) if sum(a) and a[0] + b[0]]
    rows = np.array([[(*a, 1.0, index), (*b, 0.5, index)] for index, (a, b) in enumerate(steps)]).reshape(-1, 4)
    data = pd.DataFrame(rows, columns=["positives", "negatives", "score", "pair"])
    data["total"] = data["positives"] + data["negatives"]
    result = sqlmetrics.pr_auc(data, by="pair", **COUNT_ROLES)["pr_auc"]
    assert len(result) == len(steps) > 500
    for value, ((tp, fp), (pos, neg)) in zip(result, steps, strict=True):
        exact = float(area_of_many_digits([(Fraction(tp), Fraction(fp)), (Fraction(tp + pos), Fraction(fp + neg))]))
        assert value == pytest.approx(exact, rel=1e-12, abs=0), ((tp, fp), (pos, neg))
