"""Off-policy estimates by the formulas of Open Bandit Pipeline, whose package supports no Python from 3.11 on.

Each function is `_estimate_round_rewards` of the named class (obp 0.5.7, obp/ope/estimators.py) in numpy, for one
policy. Two columns have its predictions: `q_action` is `q_hat_factual` there, and `q_policy` is
`np.average(q_hat_at_position, weights=pi_e_at_position, axis=1)`. A row of weight w is w rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from .registry import oracle, weighted_oracle

TOOL = "Open Bandit Pipeline's formula"


def mean(rewards: Any, rows: pd.DataFrame) -> float:
    """`estimate_policy_value`: the mean of the estimated rewards of the rounds."""
    weights = rows["weight"].to_numpy(float)
    return math.fsum(weights * rewards) / math.fsum(weights)


def importance_weights(rows: pd.DataFrame) -> Any:
    """`iw = action_dist[np.arange(n), action, position] / pscore`."""
    return rows["target"].to_numpy(float) / rows["propensity"].to_numpy(float)


def doubly_robust(rows: pd.DataFrame, weights: Any) -> Any:
    return rows["q_policy"] + weights * (rows["reward"] - rows["q_action"])


def normalized(rows: pd.DataFrame, iw: Any) -> Any:
    """`iw / iw.mean()`; NaN where no weight is positive."""
    return iw / (mean(iw, rows) or math.nan)


def shrunk(iw: Any, shrinkage: float) -> Any:
    divisor = iw**2 + shrinkage
    return shrinkage * iw / np.where(divisor > 0, divisor, 1)  # without shrinkage it may be 0 / 0


def estimator(metric: str, description: str, rewards_of: Callable[[pd.DataFrame, Any, Any], Any]) -> None:
    """Register a function that returns the estimated rewards for the rows, their importance weights, and parameters."""

    def value(rows: pd.DataFrame, p: Any) -> Any:
        rewards = rewards_of(rows, importance_weights(rows) if "target" in rows else None, p)
        return None if np.isnan(rewards).all() else mean(rewards, rows)

    value.__doc__ = description
    weighted_oracle(metric, tool=TOOL)(value)


ESTIMATORS: list[tuple[str, str, Callable[[pd.DataFrame, Any, Any], Any]]] = [
    ("ips", "`InverseProbabilityWeighting`: `reward * iw`.", lambda rows, iw, _: rows["reward"] * iw),
    ("clipped_ips", "`InverseProbabilityWeighting(lambda_)`: `iw = np.minimum(iw, self.lambda_)`.",
     lambda rows, iw, p: rows["reward"] * np.minimum(iw, p.max_weight)),
    ("snips", "`SelfNormalizedInverseProbabilityWeighting`: `reward * iw / iw.mean()`.",
     lambda rows, iw, _: rows["reward"] * normalized(rows, iw)),
    ("direct_method", "`DirectMethod`: `np.average(q_hat_at_position, weights=pi_e_at_position, axis=1)`.",
     lambda rows, _iw, _: rows["q_policy"]),
    ("doubly_robust", "`DoublyRobust`: `estimated_rewards += iw * (reward - q_hat_factual)`.",
     lambda rows, iw, _: doubly_robust(rows, iw)),
    ("sndr", "`SelfNormalizedDoublyRobust`: `iw / iw.mean()` replaces the weights.",
     lambda rows, iw, _: doubly_robust(rows, normalized(rows, iw))),
    ("switch_dr", "`SwitchDoublyRobust`: `switch_indicator = np.array(iw <= self.lambda_, dtype=int)`.",
     lambda rows, iw, p: doubly_robust(rows, np.array(iw <= p.max_weight, dtype=int) * iw)),
    ("dros", "`DoublyRobustWithShrinkage`: `iw = (self.lambda_ * iw) / (iw**2 + self.lambda_)`.",
     lambda rows, iw, p: doubly_robust(rows, shrunk(iw, p.shrinkage))),
]  # fmt: skip
for estimate in ESTIMATORS:
    estimator(*estimate)


def products(rows: pd.DataFrame, is_read: Callable[[Any, Any], Any]) -> Any:
    """Products of weights over the first slots of the slate, in numbers longer than doubles."""
    weights = rows["target"].to_numpy(np.longdouble) / rows["propensity"].to_numpy(np.longdouble)
    used = [(rows["group"] == row.group) & is_read(rows, row) for row in rows.itertuples()]
    return [float(np.prod(weights[mask.to_numpy()])) for mask in used]


def slate_estimator(metric: str, description: str, weights_of: Callable[[pd.DataFrame], Any]) -> None:
    """Register weights; `estimate_policy_value` of obp/ope/estimators_slate.py divides by the number of slates."""

    def value(rows: pd.DataFrame, p: Any) -> Any:
        return math.fsum(rows["reward"] * weights_of(rows)) / rows["group"].nunique() if len(rows) else None

    value.__doc__ = description
    oracle(metric, tool=TOOL)(value)


SLATE_ESTIMATORS: list[tuple[str, str, Callable[[pd.DataFrame], Any]]] = [
    ("iips", "`SlateIndependentIPS`: `reward * evaluation_policy_pscore_item_position / pscore_item_position`.",
     importance_weights),
    ("sips", "`SlateStandardIPS`: `reward * evaluation_policy_pscore / pscore`, those of the whole slate.",
     lambda rows: products(rows, lambda _rows, _row: True)),
    ("rips", "`SlateRewardInteractionIPS`: `reward * evaluation_policy_pscore_cascade / pscore_cascade`.",
     lambda rows: products(rows, lambda rows, row: rows["rank"] <= row.rank)),
]  # fmt: skip
for slate_estimate in SLATE_ESTIMATORS:
    slate_estimator(*slate_estimate)
