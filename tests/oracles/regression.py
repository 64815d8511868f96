"""Regression by scikit-learn, and by plain sums where it has no such metric."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn import metrics
from sklearn.exceptions import UndefinedMetricWarning

from .binary import weighty
from .registry import SKIP, is_none as not_given, oracle


def error(function: Any, rows: pd.DataFrame, **options: Any) -> float | None:
    used = weighty(rows)
    if used.empty:
        return None
    return float(function(used["label"], used["score"], sample_weight=used["weight"], **options))


def explained(function: Any, rows: pd.DataFrame, p: Any, **options: Any) -> float | None:
    """A mean that is off by its last bits makes a constant label vary: then the label is taken from itself."""
    used = weighty(rows)
    if used["label"].nunique() > 1:
        return error(function, used, **options)
    if not p.force_finite or used.empty:
        return None
    with warnings.catch_warnings():  # of a single row
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        errors = used["score"] - used["label"]
        constant = errors.max() if errors.nunique() == 1 else None
        shifted = used.assign(label=0.0, score=errors if constant is None else np.sign(constant))
        return error(function, shifted, **options)


def mean_of(values: pd.Series, weights: pd.Series) -> float | None:
    total = math.fsum(weights)
    return math.fsum(weights * values) / total if total else None


@oracle("mae", tool="scikit-learn")
def mae(rows: pd.DataFrame, p: Any) -> Any:
    return error(metrics.mean_absolute_error, rows)


@oracle("mse", tool="scikit-learn")
def mse(rows: pd.DataFrame, p: Any) -> Any:
    return error(metrics.mean_squared_error, rows)


@oracle("rmse", tool="scikit-learn")
def rmse(rows: pd.DataFrame, p: Any) -> Any:
    return error(metrics.root_mean_squared_error, rows)


@oracle("medae", tool="scikit-learn")
def medae(rows: pd.DataFrame, p: Any) -> Any:
    return error(metrics.median_absolute_error, rows)


@oracle("max_error", tool="scikit-learn")
def max_error(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    return None if used.empty else metrics.max_error(used["label"], used["score"])


@oracle("pinball", tool="scikit-learn")
def pinball(rows: pd.DataFrame, p: Any) -> Any:
    return error(metrics.mean_pinball_loss, rows, alpha=p.alpha)


@oracle("r2", tool="scikit-learn")
def r2(rows: pd.DataFrame, p: Any) -> Any:
    return explained(metrics.r2_score, rows, p)


@oracle("rmsle", tool="scikit-learn")
def rmsle(rows: pd.DataFrame, p: Any) -> Any:
    return error(metrics.root_mean_squared_log_error, rows)


def in_unit(share: float | None, p: Any) -> float | None:
    return None if share is None else share * {"percent": 100, "fraction": 1}[p.unit]


@oracle("mape", tool="scikit-learn", eps=not_given)
def mape(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if p.zero == "null" and (used["label"] == 0).any():
        return None
    used = used[used["label"] != 0]
    if (used["label"].abs() < np.finfo(float).eps).any():  # scikit-learn divides by no less than this
        return SKIP
    return in_unit(error(metrics.mean_absolute_percentage_error, used), p)


@oracle("mape", tool="by hand")
def mape_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if p.eps is not None:
        shares = (used["label"] - used["score"]).abs() / np.maximum(used["label"].abs(), p.eps)
        return in_unit(mean_of(shares, used["weight"]), p)
    if p.zero == "null" and (used["label"] == 0).any():
        return None
    used = used[used["label"] != 0]
    return in_unit(mean_of((used["label"] - used["score"]).abs() / used["label"].abs(), used["weight"]), p)


@oracle("smape", tool="by hand")
def smape(rows: pd.DataFrame, p: Any) -> Any:
    scale = {"200": 200, "100": 100}[p.form]
    shares = [
        abs(label - score) / (abs(label) + abs(score)) if label or score else 0.0
        for label, score in zip(rows["label"], rows["score"], strict=True)
    ]
    value = mean_of(pd.Series(shares, index=rows.index, dtype=float), rows["weight"])
    return None if value is None else scale * value


@oracle("wmape", tool="by hand")
def wmape(rows: pd.DataFrame, p: Any) -> Any:
    whole = math.fsum(rows["weight"] * rows["label"].abs())
    return 100 * math.fsum(rows["weight"] * (rows["label"] - rows["score"]).abs()) / whole if whole else None


@oracle("mean_error", tool="by hand")
def mean_error(rows: pd.DataFrame, p: Any) -> Any:
    return mean_of(rows["score"] - rows["label"], rows["weight"])


@oracle("explained_variance", tool="scikit-learn")
def explained_variance(rows: pd.DataFrame, p: Any) -> Any:
    return explained(metrics.explained_variance_score, rows, p)


@oracle("poisson_deviance", tool="scikit-learn")
def poisson_deviance(rows: pd.DataFrame, p: Any) -> Any:
    return error(metrics.mean_poisson_deviance, rows)


@oracle("gamma_deviance", tool="scikit-learn")
def gamma_deviance(rows: pd.DataFrame, p: Any) -> Any:
    return error(metrics.mean_gamma_deviance, rows)


@oracle("tweedie_deviance", tool="scikit-learn")
def tweedie_deviance(rows: pd.DataFrame, p: Any) -> Any:
    return error(metrics.mean_tweedie_deviance, rows, power=p.power)


@oracle("d2_tweedie", tool="scikit-learn")
def d2_tweedie(rows: pd.DataFrame, p: Any) -> Any:
    return None if weighty(rows)["label"].nunique() < 2 else error(metrics.d2_tweedie_score, rows, power=p.power)


@oracle("normalized_gini", tool="numpy, pair by pair")
def normalized_gini(rows: pd.DataFrame, p: Any) -> Any:
    used = rows[rows["weight"] > 0]
    weight = (used["weight"] / used["weight"].max()).to_numpy(dtype=float)
    label, score = used["label"].to_numpy(dtype=float), used["score"].to_numpy(dtype=float)
    apart = weight[:, None] * weight * (label[:, None] - label)

    def gini(ordered: np.ndarray[Any, Any]) -> float:
        return math.fsum((apart * (np.greater.outer(ordered, ordered) * 1.0 - np.less.outer(ordered, ordered))).ravel())

    return gini(score) / gini(label) if len(set(label)) > 1 else None


@oracle("quantile_coverage", tool="by hand")
def quantile_coverage(rows: pd.DataFrame, p: Any) -> Any:
    return mean_of((rows["label"] <= rows["score"]).astype(float), rows["weight"])


@oracle("interval_coverage", tool="by hand")
def interval_coverage(rows: pd.DataFrame, p: Any) -> Any:
    inside = (rows["label"] >= rows["lower_bound"]) & (rows["label"] <= rows["upper_bound"])
    return mean_of(inside.astype(float), rows["weight"])


@oracle("interval_score", tool="scoringrules' formula")
def interval_score(rows: pd.DataFrame, p: Any) -> Any:
    """`interval_score` of scoringrules, side by side; `test_worked_numbers` has its own numbers."""
    below = np.where(rows["label"] < rows["lower_bound"], rows["lower_bound"] - rows["label"], 0)
    above = np.where(rows["label"] > rows["upper_bound"], rows["label"] - rows["upper_bound"], 0)
    return mean_of(rows["upper_bound"] - rows["lower_bound"] + 2 / p.alpha * (below + above), rows["weight"])


@oracle("crps", tool="scikit-learn, level by level")
def crps(rows: pd.DataFrame, p: Any) -> Any:
    """`crps_quantile` of scoringrules is that of pinball losses; `test_worked_numbers` has its own numbers."""
    losses = [
        error(metrics.mean_pinball_loss, rows.assign(score=rows[column]), alpha=float(level))
        for level, column in p.quantiles.items()
    ]
    return None if None in losses else 2 * math.fsum(losses) / len(losses)


@oracle("pearson_correlation", tool="scipy")
def pearson_correlation(rows: pd.DataFrame, p: Any) -> Any:
    """`pearsonr`; of weighted rows the same quotient of `np.cov`, which takes weights."""
    used = weighty(rows)
    if used["label"].nunique() < 2 or used["score"].nunique() < 2:
        return None
    if (used["weight"] == 1).all():
        return float(stats.pearsonr(used["label"], used["score"]).statistic)
    covariances = np.cov(used["label"], used["score"], aweights=used["weight"], ddof=0)
    return float(covariances[0, 1] / math.sqrt(covariances[0, 0]) / math.sqrt(covariances[1, 1]))


@oracle("concordance_correlation", tool="numpy by Lin's equation")
def concordance_correlation(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if used.empty or (used["label"].nunique() == 1 and (used["label"] == used["score"]).all()):
        return None
    label, score, weight = used["label"], used["score"], used["weight"]
    covariances = np.cov(label, score, aweights=weight, ddof=0)
    bias = np.average(label, weights=weight) - np.average(score, weights=weight)
    # Of numbers whose squares are none the equation is 0 / 0.
    spread = covariances[0, 0] + covariances[1, 1] + bias**2
    return float(2 * covariances[0, 1] / spread) if spread else None


@oracle("log_cosh_error", tool="numpy")
def log_cosh_error(rows: pd.DataFrame, p: Any) -> Any:
    errors = rows["label"] - rows["score"]
    return mean_of(np.logaddexp(errors, -errors) - math.log(2), rows["weight"])


@oracle("spearman_correlation", tool="scipy")
def spearman_correlation(rows: pd.DataFrame, p: Any) -> Any:
    """`spearmanr`, each row as often as its weight says; of parts of rows `np.cov` of the middles of their places."""
    used = weighty(rows)
    if used["label"].nunique() < 2 or used["score"].nunique() < 2:
        return None
    if (used["weight"] == used["weight"].round()).all() and used["weight"].sum() < 10_000:
        repeated = used.loc[used.index.repeat(used["weight"].astype(int))]
        return float(stats.spearmanr(repeated["label"], repeated["score"]).statistic)
    places = []
    for name in ("label", "score"):
        of_values = used.groupby(name)["weight"].sum().sort_index()
        places.append(used[name].map(of_values.cumsum() - of_values / 2))
    covariances = np.cov(*places, aweights=used["weight"], ddof=0)
    return float(covariances[0, 1] / math.sqrt(covariances[0, 0] * covariances[1, 1]))


@oracle("d2_pinball", tool="scikit-learn")
def d2_pinball(rows: pd.DataFrame, p: Any) -> Any:
    return explained(metrics.d2_pinball_score, rows, p, alpha=p.alpha)


@oracle("d2_absolute_error", tool="scikit-learn")
def d2_absolute_error(rows: pd.DataFrame, p: Any) -> Any:
    return explained(metrics.d2_absolute_error_score, rows, p)
