"""Calibration by scikit-learn, and by plain loops over bins."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from sklearn import metrics
from sklearn.calibration import calibration_curve as sklearn_curve

from .binary import weighty
from .registry import SKIP, oracle


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


@oracle("log_loss", tool="scikit-learn")
def log_loss(rows: pd.DataFrame, p: Any) -> Any:
    if p.eps < np.finfo(float).eps:  # scikit-learn clips at this itself
        return SKIP
    used = weighty(rows)
    if used.empty:
        return None
    score = used["score"].to_numpy()
    both = np.clip(np.column_stack([1 - score, score]), p.eps, 1 - p.eps)
    label = used["label"].to_numpy(dtype=int)
    chosen = both[np.arange(len(used)), label]
    # Clipping moved the sum of a row away from 1 by eps, which scikit-learn would divide out: the other side gives way.
    pairs = np.where(label[:, None] == [0, 1], chosen[:, None], 1 - chosen[:, None])
    return metrics.log_loss(label, pairs, labels=[0, 1], sample_weight=used["weight"])


def bin_of_equal_width(score: float, bins: int) -> int:
    return max(j for j in range(bins) if j / bins <= score)


def bins_of(rows: pd.DataFrame, p: Any) -> dict[int, pd.DataFrame]:
    """The rows of every bin that holds one."""
    if p.binning == "width":
        numbers = [bin_of_equal_width(score, p.bins) for score in rows["score"]]
    else:
        weights = [Fraction(weight) for weight in rows["weight"]]
        total = sum(weights)
        numbers = []
        for score in rows["score"]:
            below = sum((w for w, other in zip(weights, rows["score"], strict=True) if other < score), Fraction(0))
            numbers.append(min(math.floor(p.bins * below / total), p.bins - 1))
    return dict(iter(rows.groupby(np.array(numbers, dtype=int))))


@oracle("ece", tool="by hand")
def ece(rows: pd.DataFrame, p: Any) -> Any:
    if rows["weight"].sum() == 0:
        return None
    distances, shares = [], []
    for members in bins_of(rows, p).values():
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


@oracle("calibration_curve", tool="by hand")
def calibration_curve(rows: pd.DataFrame, p: Any) -> Any:
    if p.binning == "mass" and not rows["weight"].any():  # 0 of 0 is no bin
        return SKIP if len(rows) else pd.DataFrame()
    table = []
    for number, members in sorted(bins_of(rows, p).items()):
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
