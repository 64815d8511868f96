"""Uplift by the formulas of scikit-uplift 0.5.1 in numpy, with weights; `test_worked_numbers` has its own numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .registry import oracle


def _counts(rows: pd.DataFrame) -> Any:
    """Treated and untreated weight, then of each the part that responded."""
    weight, treated = rows["weight"].to_numpy(), rows["treatment"].to_numpy() == 1
    responses = weight * rows["label"].to_numpy()
    return np.array([sum(weight[treated]), sum(weight[~treated]), sum(responses[treated]), sum(responses[~treated])])


def _rate(responses: float, weight: float) -> float:
    return responses / weight if weight else 0.0


def _qini(counts: Any) -> float:
    treated, control, responses, others = counts
    return float(responses - _rate(others, control) * treated)


def _uplift(counts: Any) -> float:
    treated, control, responses, others = counts
    return float((_rate(responses, treated) - _rate(others, control)) * (treated + control))


def _points(rows: pd.DataFrame, order: Any, gain: Any) -> tuple[Any, Any]:
    """Where a curve goes: after every value of the order, from the highest, the weight and the gain."""
    counts = [np.zeros(4)]
    counts += [_counts(rows[order >= value]) for value in sorted(set(order), reverse=True)]
    return np.array([sum(one[:2]) for one in counts]), np.array([gain(one) for one in counts])


def _share_of_perfect(rows: pd.DataFrame, perfect: Any, gain: Any) -> float | None:
    rows = rows[rows["weight"] > 0]
    if not 0 < rows["treatment"].mean() < 1:
        return None
    rows = rows.assign(weight=rows["weight"] / rows["weight"].max())
    along, height = _points(rows, rows["score"], gain)
    line = along[-1] * height[-1] / 2
    best = np.trapezoid(*_points(rows, perfect(rows), gain)[::-1]) - line
    # There the curve of the perfect order is the line, whatever the last bits are.
    if abs(best) <= 1e-12 * along[-1] ** 2:
        return None
    return float((np.trapezoid(height, along) - line) / best)


@oracle("qini", tool="scikit-uplift's formula")
def qini(rows: pd.DataFrame, p: Any) -> Any:
    """`qini_auc_score` of sklift/metrics/metrics.py."""
    return _share_of_perfect(rows, lambda used: used["label"] * (2 * used["treatment"] - 1), _qini)


@oracle("uplift_auc", tool="scikit-uplift's formula")
def uplift_auc(rows: pd.DataFrame, p: Any) -> Any:
    """`uplift_auc_score` of sklift/metrics/metrics.py."""

    def perfect(used: pd.DataFrame) -> Any:
        responded, treated = used["label"] == 1, used["treatment"] == 1
        unmoved = sum(used["weight"][responded & ~treated]) > sum(used["weight"][~responded & treated])
        return 2 * (responded == treated) + (responded if unmoved else treated)

    return _share_of_perfect(rows, perfect, _uplift)


@oracle("uplift_at_k", tool="scikit-uplift's formula")
def uplift_at_k(rows: pd.DataFrame, p: Any) -> Any:
    """`uplift_at_k` of sklift/metrics/metrics.py, with the part of a score that is cut in proportion."""
    rows = rows[rows["weight"] > 0]
    rates = []
    for arm in (1, 0):
        ranked = rows if p.strategy == "overall" else rows[rows["treatment"] == arm]
        total = ranked["weight"].sum()
        left, weight, responses = p.share, 0.0, 0.0
        for _, tied in reversed(list(ranked.groupby("score"))):
            here = tied["weight"].sum() / total
            part = 1.0 if p.share == 1 else min(1.0, left / here) if left > 1e-9 else 0.0
            own = tied[tied["treatment"] == arm]
            weight += part * own["weight"].sum() / total
            responses += part * (own["weight"] * own["label"]).sum() / total
            left -= here
        rates.append(responses / weight if weight else None)
    return None if None in rates else rates[0] - rates[1]


def _curve(rows: pd.DataFrame, gain: Any) -> pd.DataFrame:
    if rows.empty:
        return pd.DataFrame()
    along, height = _points(rows, rows["score"], gain)
    at = [np.inf, *sorted(set(rows["score"]), reverse=True)]
    return pd.DataFrame({"threshold": at, "targeted": along, "incremental_gain": height})


@oracle("qini_curve", tool="scikit-uplift's formula")
def qini_curve(rows: pd.DataFrame, p: Any) -> Any:
    """`qini_curve` of sklift/metrics/metrics.py."""
    return _curve(rows, _qini)


@oracle("uplift_curve", tool="scikit-uplift's formula")
def uplift_curve(rows: pd.DataFrame, p: Any) -> Any:
    """`uplift_curve` of sklift/metrics/metrics.py."""
    return _curve(rows, _uplift)
