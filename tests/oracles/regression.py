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

from .binary import bins_by_mass, histogram, shares
from .registry import SKIP, oracle, weighted_oracle


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


def explained_oracle(metric: str, function: Any, *parameters: str, power: int = 1) -> None:
    """Register a share of explained variation of scikit-learn, with its `force_finite` for a constant label.

    `power` is the power of the deviations: labels are constant when it makes their range 0, as for squares of tiny
    numbers.
    """

    @weighted_oracle(metric, tool="scikit-learn")
    def value(rows: pd.DataFrame, p: Any) -> Any:
        options = {name: getattr(p, name) for name in parameters}
        if len(rows) and np.ptp(rows["label"]) ** power > 0:
            return score_of(function, rows, **options)
        if not p.force_finite:
            return None
        # A rounded mean makes a constant label vary; the label is subtracted first.
        errors = rows["score"] - rows["label"]
        scores = np.sign(errors.max()) if errors.nunique() == 1 else errors
        with warnings.catch_warnings():  # for a single row
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            return score_of(function, rows.assign(label=0.0, score=scores), **options)


explained_oracle("r2", metrics.r2_score, power=2)
explained_oracle("explained_variance", metrics.explained_variance_score, power=2)
explained_oracle("d2_pinball", metrics.d2_pinball_score, "alpha")
explained_oracle("d2_absolute_error", metrics.d2_absolute_error_score)


weighted_oracle("d2_tweedie", tool="scikit-learn")(
    lambda rows, p: score_of(metrics.d2_tweedie_score, rows, power=p.power) if rows["label"].nunique() > 1 else None
)


def weighted_mean(values: Any, rows: pd.DataFrame) -> float:
    return math.fsum(rows["weight"] * values) / math.fsum(rows["weight"])


@weighted_oracle("mape", tool="by hand")
def mape(rows: pd.DataFrame, p: Any) -> Any:
    counted = rows[(rows["label"] != 0) | (p.eps is not None)]
    if counted.empty or (p.zero == "null" and len(counted) < len(rows)):
        return None
    sizes = np.maximum(counted["label"].abs(), p.eps or 0)
    share = weighted_mean((counted["label"] - counted["score"]).abs() / sizes, counted)
    return share * {"percent": 100, "fraction": 1}[p.unit]


@weighted_oracle("smape", tool="by hand")
def smape(rows: pd.DataFrame, p: Any) -> Any:
    sizes = rows["label"].abs() + rows["score"].abs()
    return int(p.form) * weighted_mean((rows["label"] - rows["score"]).abs() / sizes.where(sizes > 0, 1.0), rows)


@weighted_oracle("wmape", tool="by hand")
def wmape(rows: pd.DataFrame, p: Any) -> Any:
    total = weighted_mean(rows["label"].abs(), rows)
    return 100 * weighted_mean((rows["label"] - rows["score"]).abs(), rows) / total if total else None


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
    """`interval_score` of scoringrules, in numpy; `test_worked_numbers` has its own numbers."""
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


# Tables


@oracle("error_table", tool="scikit-learn in bins by pandas")
def error_table(rows: pd.DataFrame, p: Any) -> Any:
    if rows.empty:
        return pd.DataFrame()
    has_weight = rows["weight"].any()
    numbers = bins_by_mass(rows["score"], rows["weight"], p.bins) if has_weight else [0] * len(rows)
    if numbers is None:
        return SKIP
    table = []
    for number, members in rows.groupby(np.array(numbers) + 1):
        row = {"bin": number, "rows": members["rows"].sum()}
        row |= {"lower": members["score"].min(), "upper": members["score"].max()}
        if members["weight"].any():
            row |= {"mae": score_of(metrics.mean_absolute_error, members)}
            row |= {"rmse": score_of(metrics.root_mean_squared_error, members)}
            row |= {f"mean_{name}": weighted_mean(members[name], members) for name in ("score", "label")}
            row |= {"mean_error": weighted_mean(members["score"] - members["label"], members)}
        table.append(row)
    return pd.DataFrame(table)


@oracle("residual_histogram", tool="numpy")
def residual_histogram(rows: pd.DataFrame, p: Any) -> Any:
    table = histogram(rows, rows["score"] - rows["label"], p.bins, {"weight": rows["weight"]})
    return table if table is SKIP or table.empty else table.assign(share=shares(table["weight"])).drop(columns="weight")


# Correlations


def correlation(rows: pd.DataFrame, function: Any, label: Any, score: Any) -> float | None:
    """The statistic of scipy, which supports no weights; with weights the quotient of `np.cov`."""
    if min(rows["label"].nunique(), rows["score"].nunique()) < 2:
        return None
    if (rows["weight"] == 1).all():
        return float(function(rows["label"], rows["score"]).statistic)
    covariances = np.cov(label, score, aweights=rows["weight"], ddof=0)
    return float(covariances[0, 1] / math.sqrt(covariances[0, 0]) / math.sqrt(covariances[1, 1]))


@weighted_oracle("pearson_correlation", tool="scipy")
def pearson_correlation(rows: pd.DataFrame, p: Any) -> Any:
    """`pearsonr`."""
    return correlation(rows, stats.pearsonr, rows["label"], rows["score"])


@weighted_oracle("spearman_correlation", tool="scipy")
def spearman_correlation(rows: pd.DataFrame, p: Any) -> Any:
    """`spearmanr`; for weights the correlation of mean ranks."""
    weights = {name: rows.groupby(name)["weight"].sum().sort_index() for name in ("label", "score")}
    ranks = [rows[name].map(sums.cumsum() - sums / 2) for name, sums in weights.items()]
    return correlation(rows, stats.spearmanr, *ranks)


@weighted_oracle("concordance_correlation", tool="numpy by Lin's equation")
def concordance_correlation(rows: pd.DataFrame, p: Any) -> Any:
    label, score, weight = rows["label"], rows["score"], rows["weight"]
    covariances = np.cov(label, score, aweights=weight, ddof=0)
    bias = np.average(label, weights=weight) - np.average(score, weights=weight)
    # Squares of tiny numbers are 0, and the equation is 0 / 0.
    total = covariances[0, 0] + covariances[1, 1] + bias**2
    is_constant = label.nunique() == 1 and (label == score).all()
    return float(2 * covariances[0, 1] / total) if total and not is_constant else None
