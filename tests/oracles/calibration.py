"""Calibration by scikit-learn, and by plain loops over bins."""

from __future__ import annotations

import decimal
import functools
import itertools
import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import entropy
from sklearn import metrics
from sklearn.isotonic import IsotonicRegression

from .binary import bins_by_mass, both_classes, labels
from .registry import SKIP, Within, oracle, positive_weights, weighted_oracle
from .regression import weighted_mean


def totals(rows: pd.DataFrame) -> tuple[float, float, float]:
    """The weight, and the weighted sums of labels and of scores."""
    weight = rows["weight"]
    return math.fsum(weight), math.fsum(weight * rows["label"]), math.fsum(weight * rows["score"])


def ratio(dividend: float, divisor: float) -> float | None:
    return dividend / divisor if divisor else None


oracle("copc", tool="by hand")(lambda rows, _: ratio(*totals(rows)[1:]))
oracle("pcoc", tool="by hand")(lambda rows, _: ratio(*totals(rows)[:0:-1]))


brier = weighted_oracle("brier", tool="scikit-learn")(
    lambda rows, _: metrics.brier_score_loss(labels(rows), rows["score"], sample_weight=rows["weight"], pos_label=1)
)


@weighted_oracle("log_loss", tool="numpy")
def log_loss(rows: pd.DataFrame, p: Any) -> Any:
    chosen = np.where(rows["label"] == 1, rows["score"], 1 - rows["score"])
    return weighted_mean(-np.log(np.clip(chosen, p.eps, 1 - p.eps)), rows)


@weighted_oracle("normalized_entropy", tool="scipy")
def normalized_entropy(rows: pd.DataFrame, p: Any) -> Any:
    return log_loss(rows, p) / entropy(rows.groupby("label")["weight"].sum()) if both_classes(rows) else None


weighted_oracle("relative_information_gain", tool="scipy")(
    lambda rows, p: 1 - normalized_entropy(rows, p) if both_classes(rows) else None
)


# Bins


def bins_of(rows: pd.DataFrame, p: Any) -> dict[int, pd.DataFrame] | None:
    """The rows of every bin that is not empty; None where rounding decides about a cut."""
    if p.binning == "width":
        numbers: list[int] | None = [max(j for j in range(p.bins) if j / p.bins <= score) for score in rows["score"]]
    else:
        numbers = bins_by_mass(rows["score"], rows["weight"], p.bins)
    return None if numbers is None else dict(iter(rows.groupby(np.array(numbers, dtype=int))))


def bin_oracle(metric: str, tool: str) -> Callable[[Any], Any]:
    """Register a function of the bins and the parameters."""

    def register(function: Callable[[list[pd.DataFrame], Any], Any]) -> Any:
        @weighted_oracle(metric, tool=tool)
        def value(rows: pd.DataFrame, p: Any) -> Any:
            bins = bins_of(rows, p)
            return SKIP if bins is None else function(list(bins.values()), p)

        return value

    return register


@bin_oracle("ece", tool="by hand")
def ece(bins: list[pd.DataFrame], p: Any) -> Any:
    sums = [(weight, abs(observed - predicted) / weight) for weight, observed, predicted in map(totals, bins) if weight]
    if p.norm == "max":
        return max(distance for _, distance in sums)
    power = {"l1": 1, "l2": 2}[p.norm]
    total = math.fsum(weight for weight, _ in sums)
    return sum(weight / total * distance**power for weight, distance in sums) ** (1 / power)


@bin_oracle("debiased_ece", tool="numpy")
def debiased_ece(bins: list[pd.DataFrame], p: Any) -> Any:
    """A pre-aggregated row counts as many rows; `weight` is their number here."""
    error = 0.0
    for members in bins:
        count, observed, predicted = totals(members)
        if count >= 2:
            rate = observed / count
            error += count * ((rate - predicted / count) ** 2 - rate * (1 - rate) / (count - 1))
    square = error / math.fsum(math.fsum(members["weight"]) for members in bins)
    # Relative to a rounding error, its root is large.
    return math.sqrt(square) if square > 1e-14 else Within(0, 1e-7)


@bin_oracle("cal_n", tool="by hand")
def cal_n(bins: list[pd.DataFrame], p: Any) -> Any:
    sums = [(observed, predicted) for _, observed, predicted in map(totals, bins) if observed and predicted]
    errors = [max(predicted / observed, observed / predicted) - 1 for observed, predicted in sums]
    # As products: a quotient by a denormal sum may overflow a double, and ** then raises an error.
    return math.sqrt(sum(error * error for error in errors) / len(errors)) if errors else None


@weighted_oracle("gc_n", tool="by hand")
def gc_n(rows: pd.DataFrame, p: Any) -> Any:
    fields = [members for _, members in rows.groupby("field")]
    values = [cal_n(members, p) for members in fields]
    if SKIP in values:
        return SKIP
    weights = [0 if v is None else math.fsum(field["weight"]) for v, field in zip(values, fields, strict=True)]
    return np.average([v or 0 for v in values], weights=weights) if sum(weights) else None


@oracle("field_ece", tool="by hand")
def field_ece(rows: pd.DataFrame, p: Any) -> Any:
    sums = [totals(members) for _, members in rows.groupby("field")]
    total = math.fsum(weight for weight, _, _ in sums)
    return ratio(math.fsum(abs(predicted - observed) for _, observed, predicted in sums), total)


@oracle("field_rce", tool="by hand")
def field_rce(rows: pd.DataFrame, p: Any) -> Any:
    sums = [totals(members) for _, members in rows.groupby("field")]
    errors = [(w, w * abs(predicted - o) / (o + w * (p.eps or 0))) for w, o, predicted in sums if o + w * (p.eps or 0)]
    return ratio(math.fsum(error for _, error in errors), math.fsum(weight for weight, _ in errors))


@oracle("calibration_curve", tool="by hand")
def calibration_curve(rows: pd.DataFrame, p: Any) -> Any:
    if p.binning == "mass" and not rows["weight"].any():  # without any weight there are no bins
        return SKIP if len(rows) else pd.DataFrame()
    bins = bins_of(rows, p)
    if bins is None:
        return SKIP
    table = []
    for number, members in sorted(bins.items()):
        (weight, observed, predicted), score = totals(members), members["score"]
        edges = (number / p.bins, (number + 1) / p.bins) if p.binning == "width" else (score.min(), score.max())
        rates = ratio(predicted, weight), ratio(observed, weight), ratio(observed, predicted)
        table.append((number, *edges, members["rows"].sum(), *rates))
    return pd.DataFrame(table, columns=["bin", "lower", "upper", "rows", "mean_score", "rate", "copc"])


# Isotonic regression


def isotonic_rates(rows: pd.DataFrame) -> pd.Series:
    """The rates by isotonic regression."""
    # Only the proportions of weights matter, and scikit-learn multiplies the weights.
    weights = rows["weight"] / rows["weight"].max()
    # Only the order of the scores matters, and scikit-learn computes no slope between scores near 0.
    ranks = rows["score"].rank(method="dense")
    rates = IsotonicRegression().fit(ranks, rows["label"], sample_weight=weights).predict(ranks)
    return pd.Series(rates, index=rows.index)


def mean_loss(rows: pd.DataFrame, scores: Any, p: Any) -> float:
    """The loss of rates without clipping."""
    if p.loss == "brier":
        return weighted_mean((scores - rows["label"]) ** 2, rows)
    return weighted_mean(-np.log(np.where(rows["label"] == 1, scores, 1 - scores)), rows)


isotonic_oracle = functools.partial(weighted_oracle, tool="scikit-learn's isotonic regression")


def isotonic_errors(rows: pd.DataFrame) -> Any:
    return np.abs(rows["score"] - isotonic_rates(rows))


isotonic_oracle("miscalibration")(
    lambda rows, p: (brier if p.loss == "brier" else log_loss)(rows, p) - mean_loss(rows, isotonic_rates(rows), p)
)
uncertainty = weighted_oracle("uncertainty", tool="numpy")(
    lambda rows, p: mean_loss(rows, weighted_mean(rows["label"], rows), p)
)
isotonic_oracle("discrimination")(lambda rows, p: uncertainty(rows, p) - mean_loss(rows, isotonic_rates(rows), p))
isotonic_oracle("emax")(lambda rows, _: isotonic_errors(rows).max())
isotonic_oracle("integrated_calibration_index")(lambda rows, _: weighted_mean(isotonic_errors(rows), rows))
isotonic_oracle("e50")(lambda rows, _: percentile(isotonic_errors(rows), rows["weight"], Fraction(1, 2)))
isotonic_oracle("e90")(lambda rows, _: percentile(isotonic_errors(rows), rows["weight"], Fraction(9, 10)))


def percentile(errors: Any, weights: pd.Series, share: Fraction) -> float:
    """The mean of the errors at which the share of the weight is reached from below and from above."""
    pairs = sorted(zip(errors, map(Fraction, weights), strict=True))
    cumulative = list(itertools.accumulate(weight for _, weight in pairs))
    target, near = share * cumulative[-1], cumulative[-1] / 10**9
    low = next(error for (error, _), total in zip(pairs, cumulative, strict=True) if total >= target - near)
    high = next(error for (error, _), total in zip(pairs, cumulative, strict=True) if total > target + near)
    return float(low + high) / 2


@oracle("isotonic_calibration", tool="scikit-learn's isotonic regression")
def isotonic_calibration(rows: pd.DataFrame, p: Any) -> Any:
    used = positive_weights(rows).sort_values("score", kind="stable")
    blocks = []
    without_weight = rows[~rows["score"].isin(used["score"])]
    if not without_weight.empty:
        score = without_weight["score"]
        blocks.append((0, score.min(), score.max(), without_weight["rows"].sum(), 0, None, None))
    if len(used):
        used["rate"] = isotonic_rates(used)
        rises = used["rate"].diff().fillna(1) > 1e-9 * used["rate"].abs()
        for number, (_, members) in enumerate(used.groupby(rises.cumsum()), start=1):
            weight, _, predicted = totals(members)
            count = rows.loc[rows["score"].isin(members["score"]), "rows"].sum()
            score, rate = members["score"], members["rate"].iloc[0]
            blocks.append((number, score.min(), score.max(), count, weight, predicted / weight, rate))
    return pd.DataFrame(blocks, columns=["block", "lower", "upper", "rows", "weight", "mean_score", "rate"])


# Logistic regression on the log-odds


def log_odds(rows: pd.DataFrame, eps: float) -> np.ndarray:
    score = rows["score"].to_numpy(dtype=float)
    return np.asarray(np.log(np.clip(score, eps, 1 - eps)) - np.log(np.clip(1 - score, eps, 1 - eps)))


def are_separable(rows: pd.DataFrame, logs: np.ndarray) -> bool:
    """Whether a cut separates positives and negatives, with either class at the cut."""
    positive = rows["label"].to_numpy() == 1
    return any(
        (logs[above] >= cut).all() and (logs[~above] <= cut).all()
        for cut, above in itertools.product(np.append(logs, np.inf), (positive, ~positive))
    )


def logistic_regression(rows: pd.DataFrame, logs: np.ndarray, slope: float | None = None) -> tuple[float, float]:
    """The intercept and the slope, or the intercept for a slope, by damped Newton steps (Sun and Tran-Dinh, 2019).

    With eighty digits: sums of doubles are imprecise if weights differ by ten orders of magnitude.
    """
    columns = rows["label"].tolist(), rows["weight"].tolist(), logs.tolist()
    totals: dict[tuple[float, float], decimal.Decimal] = {}
    for label, weight, log in zip(*columns, strict=True):
        totals[label, log] = totals.get((label, log), decimal.Decimal(0)) + decimal.Decimal(weight)
    w, y, x = list(totals.values()), *([decimal.Decimal(key[i]) for key in totals] for i in (0, 1))
    with decimal.localcontext(prec=80):
        intercept, steepness = decimal.Decimal(0), decimal.Decimal(slope or 0)
        for _ in range(500):
            rate = [1 / (1 + (-(intercept + steepness * value)).exp()) for value in x]
            information = [w * p * (1 - p) for w, p in zip(w, rate, strict=True)]
            gradient = [w * (y - p) for w, y, p in zip(w, y, rate, strict=True)]
            center = sum(map(operator.mul, information, x)) / sum(information)
            deviations = [value - center for value in x]
            level_step, slope_step = sum(gradient) / sum(information), decimal.Decimal(0)
            if slope is None:
                variance = sum(v * d * d for v, d in zip(information, deviations, strict=True))
                slope_step = sum(map(operator.mul, gradient, deviations)) / variance
            size = max(abs(level_step + slope_step * d) for d in deviations)
            damping = (1 + size).ln() / size if size else 1
            intercept += damping * (level_step - center * slope_step)
            steepness += damping * slope_step
            if size < decimal.Decimal("1e-25"):
                return float(intercept), float(steepness)
    raise AssertionError("no root")


def joint_fit(rows: pd.DataFrame, p: Any) -> tuple[float | None, float | None]:
    logs = log_odds(rows, p.eps)
    return (None, None) if are_separable(rows, logs) else logistic_regression(rows, logs)


weighted_oracle("calibration_intercept", tool="by hand", slope=["one"])(
    lambda rows, p: logistic_regression(rows, log_odds(rows, p.eps), 1.0)[0] if both_classes(rows) else None
)
weighted_oracle("calibration_intercept", tool="by hand", slope=["fitted"])(lambda rows, p: joint_fit(rows, p)[0])
weighted_oracle("calibration_slope", tool="by hand")(lambda rows, p: joint_fit(rows, p)[1])
