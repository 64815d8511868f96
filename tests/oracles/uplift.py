"""Uplift by the formulas of scikit-uplift 0.5.1 in numpy, with weights; `test_worked_numbers` has its own numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .binary import thresholds_of
from .registry import SKIP, oracle, positive_weights, weighted_oracle

TOOL = "scikit-uplift's formula"


def rate(responses: float, weight: float) -> float:
    return responses / weight if weight else 0.0


def qini_gain(treated: float, control: float, responses: float, control_responses: float) -> float:
    return responses - rate(control_responses, control) * treated


def uplift_gain(treated: float, control: float, responses: float, control_responses: float) -> float:
    return (rate(responses, treated) - rate(control_responses, control)) * (treated + control)


def points(rows: pd.DataFrame, order: Any, gain: Any) -> tuple[Any, Any]:
    """The cumulative weight and gain after every distinct value of the order, from the highest."""
    weight, treated = rows["weight"], rows["treatment"] == 1
    columns = [weight * treated, weight * ~treated]
    columns += [column * rows["label"] for column in columns]
    sums = np.array([np.zeros(4)] + [
        [column[order >= value].sum() for column in columns] for value in sorted(set(order), reverse=True)
    ])  # fmt: skip
    return sums[:, :2].sum(axis=1), np.array([gain(*row) for row in sums.tolist()])


def share_of_perfect(rows: pd.DataFrame, perfect: Any, gain: Any) -> float | None:
    if not 0 < rows["treatment"].mean() < 1:
        return None
    rows = rows.assign(weight=rows["weight"] / rows["weight"].max())
    targeted, gains = points(rows, rows["score"], gain)
    baseline = targeted[-1] * gains[-1] / 2
    best = np.trapezoid(*points(rows, perfect(rows), gain)[::-1]) - baseline
    # Up to rounding the curve of the perfect order is the baseline.
    if abs(best) <= 1e-12 * targeted[-1] ** 2:
        return None
    return float((np.trapezoid(gains, targeted) - baseline) / best)


@weighted_oracle("qini", tool=TOOL)
def qini(rows: pd.DataFrame, p: Any) -> Any:
    """`qini_auc_score` of sklift/metrics/metrics.py."""
    return share_of_perfect(rows, lambda used: used["label"] * (2 * used["treatment"] - 1), qini_gain)


@weighted_oracle("uplift_auc", tool=TOOL)
def uplift_auc(rows: pd.DataFrame, p: Any) -> Any:
    """`uplift_auc_score` of sklift/metrics/metrics.py."""

    def perfect(used: pd.DataFrame) -> Any:
        responded, treated = used["label"] == 1, used["treatment"] == 1
        has_more_control = sum(used["weight"][responded & ~treated]) > sum(used["weight"][~responded & treated])
        return 2 * (responded == treated) + (responded if has_more_control else treated)

    return share_of_perfect(rows, perfect, uplift_gain)


@oracle("uplift_at_k", tool=TOOL)
def uplift_at_k(rows: pd.DataFrame, p: Any) -> Any:
    """`uplift_at_k` of sklift/metrics/metrics.py, with a proportional part of the score at the cut."""
    rows = positive_weights(rows)
    rates = []
    for arm in (1, 0):
        ranked = rows if p.strategy == "overall" else rows[rows["treatment"] == arm]
        total = ranked["weight"].sum()
        remaining, weight, responses = p.share, 0.0, 0.0
        for _, tied in reversed(list(ranked.groupby("score"))):
            share = tied["weight"].sum() / total
            part = 1.0 if p.share == 1 else min(1.0, remaining / share) if remaining > 1e-9 else 0.0
            members = tied[tied["treatment"] == arm]
            weight += part * members["weight"].sum() / total
            responses += part * (members["weight"] * members["label"]).sum() / total
            remaining -= share
        rates.append(responses / weight if weight else None)
    return None if None in rates else rates[0] - rates[1]


def curve_oracle(metric: str, gain: Any) -> None:
    """Register the curve of a gain."""

    def value(rows: pd.DataFrame, p: Any) -> Any:
        if rows.empty:
            return pd.DataFrame()
        returned = thresholds_of(rows, p)
        if returned is None:
            return SKIP
        targeted, gains = points(rows, rows["score"], gain)
        scores = sorted(set(rows["score"]), reverse=True)
        table = pd.DataFrame({"threshold": [np.inf, *scores], "targeted": targeted, "incremental_gain": gains})
        return table[[True, *(score in returned for score in scores)]]

    value.__doc__ = f"`{metric}` of sklift/metrics/metrics.py."
    oracle(metric, tool=TOOL)(value)


curve_oracle("qini_curve", qini_gain)
curve_oracle("uplift_curve", uplift_gain)
