"""Calibration by scikit-learn, and by plain loops over bins."""

from __future__ import annotations

import decimal
import functools
import itertools
import math
import operator
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, special
from sklearn import metrics
from sklearn.calibration import calibration_curve as sklearn_curve
from sklearn.isotonic import IsotonicRegression
from statsmodels.genmod import families
from statsmodels.genmod.generalized_linear_model import GLM

from .binary import bins_by_mass, weighty
from .registry import SKIP, Within, oracle


def exact_sum(values: pd.Series) -> float:
    return math.fsum(values)


@oracle("copc", tool="by hand")
def copc(rows: pd.DataFrame, p: Any) -> Any:
    predicted = exact_sum(rows["weight"] * rows["score"])
    return exact_sum(rows["weight"] * rows["label"]) / predicted if predicted else None


@oracle("pcoc", tool="by hand")
def pcoc(rows: pd.DataFrame, p: Any) -> Any:
    observed = exact_sum(rows["weight"] * rows["label"])
    return exact_sum(rows["weight"] * rows["score"]) / observed if observed else None


@oracle("brier", tool="scikit-learn")
def brier(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if used.empty:
        return None
    return metrics.brier_score_loss(
        used["label"].to_numpy(dtype=int), used["score"], sample_weight=used["weight"], pos_label=1
    )


@functools.cache
def _log_loss_of_a_row(chosen: float) -> float:
    """Samples have few distinct scores, and scikit-learn looks long at each call."""
    return float(metrics.log_loss([1], [[1 - chosen, chosen]], labels=[0, 1]))


def mean_log_loss(rows: pd.DataFrame, eps: float) -> float | None:
    used = weighty(rows)
    if used.empty:
        return None
    score = used["score"].to_numpy()
    both = np.clip(np.column_stack([1 - score, score]), eps, 1 - eps)
    # Clipping moves a row's sum away from 1 by eps, which scikit-learn would divide out or warn of: one row at a time.
    losses = [_log_loss_of_a_row(chosen) for chosen in both[np.arange(len(used)), used["label"].to_numpy(dtype=int)]]
    return float(np.average(losses, weights=used["weight"]))


@oracle("log_loss", tool="scikit-learn")
def log_loss(rows: pd.DataFrame, p: Any) -> Any:
    if p.eps < np.finfo(float).eps:  # scikit-learn clips at this itself
        return SKIP
    return mean_log_loss(rows, p.eps)


@oracle("normalized_entropy", tool="scikit-learn's log loss over the entropy of the rate")
def normalized_entropy(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if used["label"].nunique() < 2:
        return None
    total = exact_sum(used["weight"])
    shares = [exact_sum(members["weight"]) / total for _, members in used.groupby("label")]
    loss = mean_log_loss(used, p.eps)
    assert loss is not None
    return loss / -sum(share * math.log(share) for share in shares)


def bin_of_equal_width(score: float, bins: int) -> int:
    return max(j for j in range(bins) if j / bins <= score)


def bins_of(rows: pd.DataFrame, p: Any) -> dict[int, pd.DataFrame] | None:
    """The rows of every bin that holds one; None where rounding would decide of a cut."""
    if p.binning == "width":
        numbers: list[int] | None = [bin_of_equal_width(score, p.bins) for score in rows["score"]]
    else:
        numbers = bins_by_mass(rows["score"], rows["weight"], p.bins)
    if numbers is None:
        return None
    return dict(iter(rows.groupby(np.array(numbers, dtype=int))))


@oracle("ece", tool="by hand")
def ece(rows: pd.DataFrame, p: Any) -> Any:
    if rows["weight"].sum() == 0:
        return None
    bins = bins_of(rows, p)
    if bins is None:
        return SKIP
    distances, shares = [], []
    for members in bins.values():
        weight = exact_sum(members["weight"])
        if weight:
            rate = exact_sum(members["weight"] * members["label"]) / weight
            distances.append(abs(rate - exact_sum(members["weight"] * members["score"]) / weight))
            shares.append(weight / exact_sum(rows["weight"]))
    return {
        "l1": lambda: sum(share * d for share, d in zip(shares, distances, strict=True)),
        "l2": lambda: math.sqrt(sum(share * d**2 for share, d in zip(shares, distances, strict=True))),
        "max": lambda: max(distances),
    }[p.norm]()


@oracle("debiased_ece", tool="numpy")
def debiased_ece(rows: pd.DataFrame, p: Any) -> Any:
    """A pre-aggregated row is that many rows, which `weight` counts here."""
    if rows["weight"].sum() == 0:
        return None
    bins = bins_of(rows, p)
    if bins is None:
        return SKIP
    error = 0.0
    for members in bins.values():
        count = exact_sum(members["weight"])
        if count >= 2:
            rate, score = (np.average(members[one], weights=members["weight"]) for one in ("label", "score"))
            error += count * ((rate - score) ** 2 - rate * (1 - rate) / (count - 1))
    square = error / exact_sum(rows["weight"])
    # The root of what rounding leaves of 0 is large beside it.
    return math.sqrt(square) if square > 1e-14 else Within(0, 1e-7)


def observed_and_predicted(rows: pd.DataFrame) -> tuple[float, float]:
    return exact_sum(rows["weight"] * rows["label"]), exact_sum(rows["weight"] * rows["score"])


def calibration_n(rows: pd.DataFrame, p: Any) -> Any:
    if not rows["weight"].any():
        return None
    bins = bins_of(rows, p)
    if bins is None:
        return SKIP
    errors = []
    for members in bins.values():
        observed, predicted = observed_and_predicted(members)
        if observed and predicted:
            quotient = predicted / observed
            errors.append(quotient - 1 if quotient >= 1 else 1 / quotient - 1)
    # As products: a quotient by a denormal sum may be too large for a double, which ** would raise as an error.
    return math.sqrt(sum(error * error for error in errors) / len(errors)) if errors else None


@oracle("cal_n", tool="by hand")
def cal_n(rows: pd.DataFrame, p: Any) -> Any:
    return calibration_n(rows, p)


@oracle("gc_n", tool="by hand")
def gc_n(rows: pd.DataFrame, p: Any) -> Any:
    weights, values = [], []
    for _, members in rows.groupby("field"):
        value = calibration_n(members, p)
        if value is SKIP:
            return SKIP
        if value is not None:
            weights.append(exact_sum(members["weight"]))
            values.append(value)
    return np.average(values, weights=weights) if sum(weights) else None


@oracle("field_ece", tool="by hand")
def field_ece(rows: pd.DataFrame, p: Any) -> Any:
    total = exact_sum(rows["weight"])
    if not total:
        return None
    sums = [observed_and_predicted(members) for _, members in rows.groupby("field")]
    return math.fsum(abs(predicted - observed) for observed, predicted in sums) / total


@oracle("field_rce", tool="by hand")
def field_rce(rows: pd.DataFrame, p: Any) -> Any:
    whole, parts = [], []
    for _, members in rows.groupby("field"):
        weight = exact_sum(members["weight"])
        observed, predicted = observed_and_predicted(members)
        truth = observed if p.eps is None else exact_sum(members["weight"] * (members["label"] + p.eps))
        if truth:
            whole.append(weight)
            parts.append(weight * abs(predicted - observed) / truth)
    return math.fsum(parts) / math.fsum(whole) if whole else None


@oracle("calibration_curve", tool="by hand")
def calibration_curve(rows: pd.DataFrame, p: Any) -> Any:
    if p.binning == "mass" and not rows["weight"].any():  # 0 of 0 is no bin
        return SKIP if len(rows) else pd.DataFrame()
    bins = bins_of(rows, p)
    if bins is None:
        return SKIP
    table = []
    for number, members in sorted(bins.items()):
        weight = exact_sum(members["weight"])
        observed = exact_sum(members["weight"] * members["label"])
        predicted = exact_sum(members["weight"] * members["score"])
        width = p.binning == "width"
        table.append({
            "bin": number,
            "lower": number / p.bins if width else members["score"].min(),
            "upper": (number + 1) / p.bins if width else members["score"].max(),
            "rows": members["rows"].sum(),
            "mean_score": predicted / weight if weight else None,
            "rate": observed / weight if weight else None,
            "copc": observed / predicted if predicted else None,
        })  # fmt: skip
    return pd.DataFrame(table)


@oracle("calibration_curve", tool="scikit-learn", binning=["width"])
def calibration_curve_unweighted(rows: pd.DataFrame, p: Any) -> Any:
    """scikit-learn knows no weights, and puts a score on an edge into the lower bin."""
    on_edge = [score in {j / p.bins for j in range(1, p.bins)} for score in rows["score"]]
    if rows.empty or (rows["weight"] != 1).any() or any(on_edge):
        return SKIP
    rate, mean = sklearn_curve(rows["label"], rows["score"], n_bins=p.bins, pos_label=1)
    return pd.DataFrame({"mean_score": mean, "rate": rate})


@oracle("relative_information_gain", tool="scikit-learn's log loss over the entropy of the rate")
def relative_information_gain(rows: pd.DataFrame, p: Any) -> Any:
    entropy = normalized_entropy(rows, p)
    return None if entropy is None else 1 - entropy


def recalibrated(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with some weight, each with its rate by isotonic regression."""
    used = weighty(rows)
    if used.empty:
        return used.assign(rate=[])
    # Only the proportions of weights matter, and scikit-learn multiplies them.
    weights = used["weight"] / used["weight"].max()
    # The order of the scores is all that counts, and between scores near 0 it finds no slope.
    places = used["score"].rank(method="dense")
    rates = IsotonicRegression().fit(places, used["label"], sample_weight=weights).predict(places)
    return used.assign(rate=rates)


def mean_loss(rows: pd.DataFrame, scores: Any, p: Any) -> float:
    """By scikit-learn; of rates as they are, of scores within eps."""
    if p.loss == "brier":
        return float(np.average((scores - rows["label"]) ** 2, weights=rows["weight"]))
    happened = np.where(rows["label"] == 1, scores, 1 - scores)
    return float(np.average(-np.log(happened), weights=rows["weight"]))


@oracle("miscalibration", tool="scikit-learn's isotonic regression")
def miscalibration(rows: pd.DataFrame, p: Any) -> Any:
    used = recalibrated(rows)
    if used.empty:
        return None
    before = brier(rows, p) if p.loss == "brier" else mean_log_loss(rows, p.eps)
    return before - mean_loss(used, used["rate"], p)


@oracle("discrimination", tool="scikit-learn's isotonic regression")
def discrimination(rows: pd.DataFrame, p: Any) -> Any:
    used = recalibrated(rows)
    if used.empty:
        return None
    rate = np.average(used["label"], weights=used["weight"])
    return mean_loss(used, rate, p) - mean_loss(used, used["rate"], p)


@oracle("uncertainty", tool="numpy")
def uncertainty(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    return None if used.empty else mean_loss(used, np.average(used["label"], weights=used["weight"]), p)


@oracle("isotonic_calibration", tool="scikit-learn's isotonic regression")
def isotonic_calibration(rows: pd.DataFrame, p: Any) -> Any:
    used = recalibrated(rows).sort_values("score", kind="stable")
    rising = used["rate"].diff().fillna(1) > 1e-9 * used["rate"].abs()
    table = []
    without_weight = rows[~rows["score"].isin(used["score"])]
    if not without_weight.empty:
        scores, count = without_weight["score"], without_weight["rows"].sum()
        table.append({"block": 0, "lower": scores.min(), "upper": scores.max(), "weight": 0, "rows": count})
    for number, (_, members) in enumerate(used.groupby(rising.cumsum()), start=1):
        weight = exact_sum(members["weight"])
        rows_of_block = rows[rows["score"].isin(members["score"])]
        table.append({
            "block": number,
            "lower": members["score"].min(),
            "upper": members["score"].max(),
            "weight": weight,
            "mean_score": exact_sum(members["weight"] * members["score"]) / weight,
            "rate": members["rate"].iloc[0],
            "rows": int(rows_of_block["rows"].sum()),
        })  # fmt: skip
    return pd.DataFrame(table, columns=["block", "lower", "upper", "rows", "weight", "mean_score", "rate"])


def percentile_of_errors(rows: pd.DataFrame, share: Fraction) -> float | None:
    """The mean of the errors at which the share of the weight is reached from below and from above: of rows without
    weights, numpy's method averaged_inverted_cdf."""
    used = recalibrated(rows)
    if used.empty:
        return None
    errors = sorted(zip(np.abs(used["score"] - used["rate"]), used["weight"], strict=True))
    wanted = share * sum(Fraction(weight) for _, weight in errors)
    if set(used["weight"]) == {1.0}:
        plain = np.quantile([error for error, _ in errors], float(share), method="averaged_inverted_cdf")
        if wanted.denominator > 1:  # else its product may miss a whole number by its last bit
            return float(plain)
    reached = list(itertools.accumulate(Fraction(weight) for _, weight in errors))
    near = reached[-1] / 10**9
    least = next(error for (error, _), sofar in zip(errors, reached, strict=True) if sofar >= wanted - near)
    more = next(error for (error, _), sofar in zip(errors, reached, strict=True) if sofar > wanted + near)
    return float(least + more) / 2


@oracle("e50", tool="scikit-learn's isotonic regression")
def e50(rows: pd.DataFrame, p: Any) -> Any:
    return percentile_of_errors(rows, Fraction(1, 2))


@oracle("e90", tool="scikit-learn's isotonic regression")
def e90(rows: pd.DataFrame, p: Any) -> Any:
    return percentile_of_errors(rows, Fraction(9, 10))


@oracle("emax", tool="scikit-learn's isotonic regression")
def emax(rows: pd.DataFrame, p: Any) -> Any:
    used = recalibrated(rows)
    return None if used.empty else float(np.abs(used["score"] - used["rate"]).max())


@oracle("integrated_calibration_index", tool="scikit-learn's isotonic regression")
def integrated_calibration_index(rows: pd.DataFrame, p: Any) -> Any:
    used = recalibrated(rows)
    return None if used.empty else float(np.average(np.abs(used["score"] - used["rate"]), weights=used["weight"]))


def log_odds(rows: pd.DataFrame, eps: float) -> np.ndarray:
    score = rows["score"].to_numpy(dtype=float)
    return np.asarray(np.log(np.clip(score, eps, 1 - eps)) - np.log(np.clip(1 - score, eps, 1 - eps)))


def are_parted(rows: pd.DataFrame, logs: np.ndarray) -> bool:
    """Whether some cut has all positives on one side of it and all negatives on the other; at the cut may be either."""
    positive = rows["label"].to_numpy() == 1
    return any(
        (logs[above] >= cut).all() and (logs[~above] <= cut).all()
        for cut, above in itertools.product(np.append(logs, np.inf), (positive, ~positive))
    )


def logistic_regression(rows: pd.DataFrame, logs: np.ndarray, slope: float | None = None) -> tuple[float, float]:
    """The intercept and the slope, or the intercept for a slope, by statsmodels, and from there in eighty digits.

    Sums of doubles whose weights differ by ten orders of magnitude have too few."""
    label, weight = rows["label"].to_numpy(dtype=float), (rows["weight"] / rows["weight"].max()).to_numpy()
    middle, spread = (logs.mean(), logs.std()) if slope is None else (0.0, 1.0)
    ones = np.ones((len(logs), 1))
    design = np.column_stack([ones, (logs - middle) / spread]) if slope is None else ones
    offset = np.zeros(len(logs)) if slope is None else slope * logs
    model = GLM(label, design, family=families.Binomial(), offset=offset, freq_weights=weight)

    def loss(at: np.ndarray) -> float:
        logit = design @ at + offset
        return float(weight @ (np.logaddexp(0, logit) - label * logit))

    def gradient(at: np.ndarray) -> np.ndarray:
        logit = design @ at + offset
        return np.asarray(design.T @ (weight * np.where(label == 1, -special.expit(-logit), special.expit(logit))))

    def curvature(at: np.ndarray) -> np.ndarray:
        rate = special.expit(design @ at + offset)
        return np.asarray((design.T * (weight * rate * (1 - rate))) @ design)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a step that comes no nearer
        start = optimize.minimize(loss, np.zeros(design.shape[1]), jac=gradient, hess=curvature, method="trust-exact").x
        fitted = np.asarray(model.fit(start_params=start, maxiter=100, tol=1e-15).params)
    best = min(start, fitted, key=loss)
    if slope is not None:  # what falls all the way has its root found wherever it is
        best = [optimize.brentq(lambda at: float(gradient(np.array([at]))[0]), -200, 200, xtol=1e-12)]
    at = (best[0] - best[1] * middle / spread, best[1] / spread) if slope is None else (best[0], slope)
    with decimal.localcontext() as context:
        context.prec = 80
        return polished(logs, label, rows["weight"], at, fixed=slope is not None)


def polished(logs: Any, label: Any, weight: Any, at: tuple[float, float], fixed: bool) -> tuple[float, float]:
    """The root of the two sums that are 0 at the maximum, by steps that never go too far (Sun and Tran-Dinh, 2019)."""
    x, y, w = ([decimal.Decimal(float(value)) for value in column] for column in (logs, label, weight))
    intercept, slope = map(decimal.Decimal, map(float, at))
    for _ in range(500):
        rate = [1 / (1 + (-(intercept + slope * one)).exp()) for one in x]
        information = [w * p * (1 - p) for w, p in zip(w, rate, strict=True)]
        pull = [w * (y - p) for w, y, p in zip(w, y, rate, strict=True)]
        middle = sum(map(operator.mul, information, x)) / sum(information)
        gaps = [one - middle for one in x]
        spread = sum(v * gap * gap for v, gap in zip(information, gaps, strict=True))
        turn = decimal.Decimal(0) if fixed else sum(map(operator.mul, pull, gaps)) / spread
        up = sum(pull) / sum(information)
        reach = max(abs(up + turn * gap) for gap in gaps)
        part = (1 + reach).ln() / reach if reach else 1
        intercept, slope = intercept + part * (up - middle * turn), slope + part * turn
        if reach < decimal.Decimal("1e-25"):
            return float(intercept), float(slope)
    raise AssertionError("no root near what statsmodels found")


def fit_on_log_odds(rows: pd.DataFrame, p: Any) -> tuple[float | None, float | None]:
    used = weighty(rows)
    logs = log_odds(used, p.eps)
    return (None, None) if used.empty or are_parted(used, logs) else logistic_regression(used, logs)


@oracle("calibration_slope", tool="statsmodels")
def calibration_slope(rows: pd.DataFrame, p: Any) -> Any:
    return fit_on_log_odds(rows, p)[1]


@oracle("calibration_intercept", tool="statsmodels", slope=["fitted"])
def intercept_of_joint_fit(rows: pd.DataFrame, p: Any) -> Any:
    return fit_on_log_odds(rows, p)[0]


@oracle("calibration_intercept", tool="statsmodels", slope=["one"])
def calibration_intercept(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    return None if used["label"].nunique() < 2 else logistic_regression(used, log_odds(used, p.eps), 1.0)[0]
