"""Off-policy estimates by the formulas of Open Bandit Pipeline, whose package takes no Python from 3.11 on.

Each function is `_estimate_round_rewards` of the class that it names (obp 0.5.7, obp/ope/estimators.py), in numpy and
for one policy, whose predictions come as two columns: `q_action` is `q_hat_factual` there, and `q_policy` its
`np.average(q_hat_at_position, weights=pi_e_at_position, axis=1)`. A row of weight w is w rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from .registry import oracle
from .registry import positive_weights as weighty

TOOL = "Open Bandit Pipeline's formula"


def _mean(rewards: Any, rows: pd.DataFrame) -> float | None:
    """`estimate_policy_value`: the mean of the estimated rewards of the rounds."""
    weights = rows["weight"].to_numpy(float)
    return math.fsum(weights * rewards) / math.fsum(weights) if len(rows) else None


def _weights(rows: pd.DataFrame) -> Any:
    """`iw = action_dist[np.arange(n), action, position] / pscore`."""
    return rows["target"].to_numpy(float) / rows["propensity"].to_numpy(float)


@oracle("ips", tool=TOOL)
def inverse_probability_weighting(rows: pd.DataFrame, p: Any) -> Any:
    """`InverseProbabilityWeighting`: `reward * iw`."""
    rows = weighty(rows)
    return _mean(rows["reward"] * _weights(rows), rows)


@oracle("clipped_ips", tool=TOOL)
def clipped(rows: pd.DataFrame, p: Any) -> Any:
    """`InverseProbabilityWeighting(lambda_)`: `iw = np.minimum(iw, self.lambda_)`."""
    rows = weighty(rows)
    return _mean(rows["reward"] * np.minimum(_weights(rows), p.max_weight), rows)


@oracle("snips", tool=TOOL)
def self_normalized(rows: pd.DataFrame, p: Any) -> Any:
    """`SelfNormalizedInverseProbabilityWeighting`: `reward * iw / iw.mean()`."""
    rows = weighty(rows)
    mean = _mean(_weights(rows), rows)
    return _mean(rows["reward"] * _weights(rows) / mean, rows) if mean else None


@oracle("direct_method", tool=TOOL)
def direct_method(rows: pd.DataFrame, p: Any) -> Any:
    """`DirectMethod`: `np.average(q_hat_at_position, weights=pi_e_at_position, axis=1)`."""
    rows = weighty(rows)
    return _mean(rows["q_policy"].to_numpy(float), rows)


def _doubly_robust(rows: pd.DataFrame, weights: Any) -> Any:
    """`DoublyRobust`: `estimated_rewards += iw * (reward - q_hat_factual)`."""
    return _mean(rows["q_policy"] + weights * (rows["reward"] - rows["q_action"]), rows)


@oracle("doubly_robust", tool=TOOL)
def doubly_robust(rows: pd.DataFrame, p: Any) -> Any:
    """`DoublyRobust`."""
    rows = weighty(rows)
    return _doubly_robust(rows, _weights(rows))


@oracle("sndr", tool=TOOL)
def self_normalized_doubly_robust(rows: pd.DataFrame, p: Any) -> Any:
    """`SelfNormalizedDoublyRobust`: `iw / iw.mean()` in the place of the weights."""
    rows = weighty(rows)
    mean = _mean(_weights(rows), rows)
    return _doubly_robust(rows, _weights(rows) / mean) if mean else None


@oracle("switch_dr", tool=TOOL)
def switch_doubly_robust(rows: pd.DataFrame, p: Any) -> Any:
    """`SwitchDoublyRobust`: `switch_indicator = np.array(iw <= self.lambda_, dtype=int)`."""
    rows = weighty(rows)
    weights = _weights(rows)
    return _doubly_robust(rows, np.array(weights <= p.max_weight, dtype=int) * weights)


@oracle("dros", tool=TOOL)
def doubly_robust_with_shrinkage(rows: pd.DataFrame, p: Any) -> Any:
    """`DoublyRobustWithShrinkage`: `iw = (self.lambda_ * iw) / (iw**2 + self.lambda_)`."""
    rows = weighty(rows)
    weights = _weights(rows)
    # Without shrinkage an action that is never chosen would be 0 / 0.
    return _doubly_robust(rows, p.shrinkage * weights / np.where(weights > 0, weights**2 + p.shrinkage, 1))


def _mean_over_slates(rewards: Any, rows: pd.DataFrame) -> float | None:
    """`estimate_policy_value` of obp/ope/estimators_slate.py: the sum over the number of slates."""
    return math.fsum(rewards) / rows["group"].nunique() if len(rows) else None


def _products(rows: pd.DataFrame, down_to_here: bool) -> Any:
    """`pscore_cascade` or `pscore` of both policies, divided: products of weights, in longer numbers than doubles."""
    weights = rows["target"].to_numpy(np.longdouble) / rows["propensity"].to_numpy(np.longdouble)
    groups, places = rows["group"].to_numpy(object), rows["rank"].to_numpy(float) if "rank" in rows else None
    return [
        float(np.prod(weights[(groups == group) & (places <= places[row] if down_to_here else True)]))
        for row, group in enumerate(groups)
    ]


@oracle("iips", tool=TOOL)
def slate_independent(rows: pd.DataFrame, p: Any) -> Any:
    """`SlateIndependentIPS`: `reward * evaluation_policy_pscore_item_position / pscore_item_position`."""
    return _mean_over_slates(rows["reward"] * _weights(rows), rows)


@oracle("sips", tool=TOOL)
def slate_standard(rows: pd.DataFrame, p: Any) -> Any:
    """`SlateStandardIPS`: `reward * evaluation_policy_pscore / pscore`, those of the whole slate."""
    return _mean_over_slates(rows["reward"] * _products(rows, False), rows)


@oracle("rips", tool=TOOL)
def slate_reward_interaction(rows: pd.DataFrame, p: Any) -> Any:
    """`SlateRewardInteractionIPS`: `reward * evaluation_policy_pscore_cascade / pscore_cascade`."""
    return _mean_over_slates(rows["reward"] * _products(rows, True), rows)
