"""Regression by scikit-learn and scipy, and by plain sums for the metrics that they do not have."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn import metrics
from sklearn.exceptions import UndefinedMetricWarning

from .registry import SKIP, is_none, oracle, weighted_oracle


def score_of(function: Any, rows: pd.DataFrame, **options: Any) -> float:
    return float(function(rows["label"], rows["score"], sample_weight=rows["weight"], **options))


def mean_error_oracle(metric: str, function: Any, *parameters: str) -> None:
    """Register a function of scikit-learn that also takes the named parameters of the metric."""
    weighted_oracle(metric, tool="scikit-learn")(
        lambda rows, p: score_of(function, rows, **{name: getattr(p, name) for name in parameters})
    )


mean_error_oracle("mae", metrics.mean_absolute_error)
mean_error_oracle("mse", metrics.mean_squared_error)
mean_error_oracle("rmse", metrics.root_mean_squared_error)
mean_error_oracle("medae", metrics.median_absolute_error)
mean_error_oracle("rmsle", metrics.root_mean_squared_log_error)
mean_error_oracle("pinball", metrics.mean_pinball_loss, "alpha")
mean_error_oracle("poisson_deviance", metrics.mean_poisson_deviance)
mean_error_oracle("gamma_deviance", metrics.mean_gamma_deviance)
mean_error_oracle("tweedie_deviance", metrics.mean_tweedie_deviance, "power")
weighted_oracle("max_error", tool="scikit-learn")(lambda rows, _: metrics.max_error(rows["label"], rows["score"]))


def explained_oracle(metric: str, function: Any, *parameters: str) -> None:
    """Register a share of explained variation of scikit-learn, with its `force_finite` for a constant label."""

    @weighted_oracle(metric, tool="scikit-learn")
    def value(rows: pd.DataFrame, p: Any) -> Any:
        options = {name: getattr(p, name) for name in parameters}
        if rows["label"].nunique() > 1:
            return score_of(function, rows, **options)
        if not p.force_finite:
            return None
        # A rounded mean makes a constant label vary; the label is subtracted first.
        errors = rows["score"] - rows["label"]
        scores = np.sign(errors.max()) if errors.nunique() == 1 else errors
        with warnings.catch_warnings():  # for a single row
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            return score_of(function, rows.assign(label=0.0, score=scores), **options)


explained_oracle("r2", metrics.r2_score)
explained_oracle("explained_variance", metrics.explained_variance_score)
explained_oracle("d2_pinball", metrics.d2_pinball_score, "alpha")
explained_oracle("d2_absolute_error", metrics.d2_absolute_error_score)


weighted_oracle("d2_tweedie", tool="scikit-learn")(
    lambda rows, p: score_of(metrics.d2_tweedie_score, rows, power=p.power) if rows["label"].nunique() > 1 else None
)


def percentage_oracle(tool: str, share_of: Callable[[pd.DataFrame, Any], Any], **only: Any) -> None:
    """Register a mean absolute percentage error as a fraction, for rows in which it is defined."""

    @weighted_oracle("mape", tool=tool, **only)
    def value(rows: pd.DataFrame, p: Any) -> Any:
        zero = (rows["label"] == 0) & (p.eps is None)
        if (p.zero == "null" and zero.any()) or zero.all():
            return None
        share = share_of(rows[~zero], p)
        return share if share is SKIP else share * {"percent": 100, "fraction": 1}[p.unit]


def sklearn_mape(rows: pd.DataFrame, _: Any) -> Any:
    is_small = rows["label"].abs() < np.finfo(float).eps  # the smallest divisor of scikit-learn
    return SKIP if is_small.any() else score_of(metrics.mean_absolute_percentage_error, rows)


def mean_share(rows: pd.DataFrame, p: Any) -> Any:
    return weighted_mean((rows["label"] - rows["score"]).abs() / np.maximum(rows["label"].abs(), p.eps or 0), rows)


percentage_oracle("scikit-learn", sklearn_mape, eps=is_none)
percentage_oracle("by hand", mean_share)


def weighted_mean(values: Any, rows: pd.DataFrame) -> float:
    return math.fsum(rows["weight"] * values) / math.fsum(rows["weight"])


@weighted_oracle("smape", tool="by hand")
def smape(rows: pd.DataFrame, p: Any) -> Any:
    sizes = rows["label"].abs() + rows["score"].abs()
    shares = (rows["label"] - rows["score"]).abs() / sizes.where(sizes > 0, 1.0)
    return {"200": 200, "100": 100}[p.form] * weighted_mean(shares, rows)


@oracle("wmape", tool="by hand")
def wmape(rows: pd.DataFrame, p: Any) -> Any:
    total = math.fsum(rows["weight"] * rows["label"].abs())
    return 100 * math.fsum(rows["weight"] * (rows["label"] - rows["score"]).abs()) / total if total else None


def mean_oracle(metric: str, tool: str, value: Callable[[pd.DataFrame], Any]) -> None:
    """Register the weighted mean of a value of each row."""
    weighted_oracle(metric, tool=tool)(lambda rows, _: weighted_mean(value(rows), rows))


mean_oracle("mean_error", "by hand", lambda rows: rows["score"] - rows["label"])
mean_oracle("quantile_coverage", "by hand", lambda rows: (rows["label"] <= rows["score"]).astype(float))
mean_oracle(
    "interval_coverage", "pandas", lambda rows: 1.0 * rows["label"].between(rows["lower_bound"], rows["upper_bound"])
)
mean_oracle(
    "log_cosh_error",
    "numpy",
    lambda rows: np.logaddexp(rows["label"] - rows["score"], rows["score"] - rows["label"]) - math.log(2),
)


@weighted_oracle("interval_score", tool="scoringrules' formula")
def interval_score(rows: pd.DataFrame, p: Any) -> Any:
    """`interval_score` of scoringrules, side by side; `test_worked_numbers` has its own numbers."""
    below = np.maximum(rows["lower_bound"] - rows["label"], 0)
    above = np.maximum(rows["label"] - rows["upper_bound"], 0)
    return weighted_mean(rows["upper_bound"] - rows["lower_bound"] + 2 / p.alpha * (below + above), rows)


@weighted_oracle("crps", tool="scikit-learn, level by level")
def crps(rows: pd.DataFrame, p: Any) -> Any:
    """`crps_quantile` of scoringrules is that of pinball losses; `test_worked_numbers` has its own numbers."""
    levels = [(float(level), rows.assign(score=rows[column])) for level, column in p.quantiles.items()]
    losses = [score_of(metrics.mean_pinball_loss, used, alpha=level) for level, used in levels]
    return 2 * math.fsum(losses) / len(losses)


@weighted_oracle("normalized_gini", tool="numpy, pair by pair")
def normalized_gini(rows: pd.DataFrame, p: Any) -> Any:
    weight = (rows["weight"] / rows["weight"].max()).to_numpy(dtype=float)
    label, score = rows["label"].to_numpy(dtype=float), rows["score"].to_numpy(dtype=float)
    differences = weight[:, None] * weight * (label[:, None] - label)

    def gini(ordered: np.ndarray[Any, Any]) -> float:
        signs = np.greater.outer(ordered, ordered) * 1.0 - np.less.outer(ordered, ordered)
        return math.fsum((differences * signs).ravel())

    return gini(score) / gini(label) if len(set(label)) > 1 else None


# Correlations


def both_vary(rows: pd.DataFrame) -> bool:
    return rows["label"].nunique() > 1 and rows["score"].nunique() > 1


def weighted_correlation(label: Any, score: Any, weight: Any) -> float:
    """The quotient of `np.cov`, which supports weights."""
    covariances = np.cov(label, score, aweights=weight, ddof=0)
    return float(covariances[0, 1] / math.sqrt(covariances[0, 0]) / math.sqrt(covariances[1, 1]))


@weighted_oracle("pearson_correlation", tool="scipy")
def pearson_correlation(rows: pd.DataFrame, p: Any) -> Any:
    """`pearsonr`, which supports no weights."""
    if not both_vary(rows):
        return None
    if (rows["weight"] == 1).all():
        return float(stats.pearsonr(rows["label"], rows["score"]).statistic)
    return weighted_correlation(rows["label"], rows["score"], rows["weight"])


@weighted_oracle("spearman_correlation", tool="scipy")
def spearman_correlation(rows: pd.DataFrame, p: Any) -> Any:
    """`spearmanr` of rows repeated by their weights; for fractional weights the correlation of mean ranks."""
    if not both_vary(rows):
        return None
    if (rows["weight"] == rows["weight"].round()).all() and rows["weight"].sum() < 10_000:
        repeated = rows.loc[rows.index.repeat(rows["weight"].astype(int))]
        return float(stats.spearmanr(repeated["label"], repeated["score"]).statistic)
    ranks = []
    for name in ("label", "score"):
        weights = rows.groupby(name)["weight"].sum().sort_index()
        ranks.append(rows[name].map(weights.cumsum() - weights / 2))
    return weighted_correlation(*ranks, rows["weight"])


@weighted_oracle("concordance_correlation", tool="numpy by Lin's equation")
def concordance_correlation(rows: pd.DataFrame, p: Any) -> Any:
    label, score, weight = rows["label"], rows["score"], rows["weight"]
    covariances = np.cov(label, score, aweights=weight, ddof=0)
    bias = np.average(label, weights=weight) - np.average(score, weights=weight)
    # Squares of tiny numbers are 0, and the equation is 0 / 0.
    total = covariances[0, 0] + covariances[1, 1] + bias**2
    is_constant = label.nunique() == 1 and (label == score).all()
    return float(2 * covariances[0, 1] / total) if total and not is_constant else None
