"""Off-policy estimates: numbers of Open Bandit Pipeline, importance weights, invalid values."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

import sqlmetrics

LOG = pd.DataFrame({
    "reward": [1.0, 0.0, 1.0, 0.0, 1.0],
    "propensity": [0.25, 0.5, 0.6, 0.25, 0.1],
    "target": [0.6, 0.6, 0.8, 0.5, 0.2],
    "q_action": [0.5, 0.3, 0.7, 0.4, 0.8],
    "q_policy": [0.44, 0.32, 0.6, 0.325, 0.42],
})  # fmt: skip
ROLES = {role: role for role in LOG.columns}
IPS_ROLES = {role: role for role in ("reward", "propensity", "target")}
SLATES = pd.DataFrame({
    "slate": [0, 0, 0, 1, 1, 1],
    "place": [1, 2, 3, 1, 2, 3],
    "reward": [1, 0, 1, 0, 1, 0],
    "propensity": [0.5, 0.25, 0.2, 0.4, 0.8, 0.5],
    "target": [0.25, 0.5, 0.4, 0.6, 0.2, 0.9],
})  # fmt: skip
SLATE_ROLES: dict[str, Any] = {**IPS_ROLES, "group": "slate", "rank": "place"}
#: `estimate_policy_value` of obp 0.5.7 for these rows. LOG has those of one choice among three actions a round,
#: whose `action_dist` and `estimated_rewards_by_reg_model` give `q_policy`.
BY_OPEN_BANDIT_PIPELINE = {
    "ips": 1.1466666666666667, "clipped_ips(max_weight=1.5)": 0.8666666666666668, "snips": 0.6417910447761195,
    "direct_method": 0.421, "doubly_robust": 0.5889999999999999, "sndr": 0.5150298507462687,
    "switch_dr(max_weight=1.5)": 0.429, "dros(shrinkage=2)": 0.45668147949661764,
}  # fmt: skip
SLATES_BY_OPEN_BANDIT_PIPELINE = {"iips": 1.375, "sips": 2.3375, "rips": 1.4375}


def test_estimates_match_open_bandit_pipeline() -> None:
    result = sqlmetrics.evaluate(LOG, [*BY_OPEN_BANDIT_PIPELINE], **ROLES).iloc[0, 1:]
    assert result.tolist() == pytest.approx([*BY_OPEN_BANDIT_PIPELINE.values()], abs=1e-12)
    result = sqlmetrics.evaluate(SLATES, [*SLATES_BY_OPEN_BANDIT_PIPELINE], **SLATE_ROLES).iloc[0, 1:]
    assert result.tolist() == pytest.approx([*SLATES_BY_OPEN_BANDIT_PIPELINE.values()], abs=1e-12)
    boolean = sqlmetrics.ips(LOG.assign(reward=LOG["reward"] > 0), **IPS_ROLES)["ips"].item()
    assert boolean == pytest.approx(BY_OPEN_BANDIT_PIPELINE["ips"], abs=1e-12)


@pytest.mark.parametrize(("role", "value", "message"), [
    ("propensity", 0.0, "is not above 0 and at most 1"), ("propensity", 1.5, "is not above 0 and at most 1"),
    ("propensity", 1e-200, "is not above 0 and at most 1"), ("target", 1.5, r"is outside \[0, 1\]"),
    ("target", -0.5, r"is outside \[0, 1\]"), ("reward", math.inf, "is infinite"),
    ("q_action", -math.inf, "is infinite"), ("q_policy", math.inf, "is infinite"),
])  # fmt: skip
def test_doubly_robust_rejects_invalid_values(role: str, value: float, message: str) -> None:
    data = LOG.copy()
    data.loc[2, role] = value
    with pytest.raises(sqlmetrics.BadData, match=f"{role}.*{message}"):
        sqlmetrics.evaluate(data, "doubly_robust", **ROLES)


def test_slates_whose_weights_multiply_beyond_doubles() -> None:
    """1e-400 is 0; 1e320 times a reward of 0 is 0."""
    rows = pd.DataFrame({"slate": 1, "place": range(200), "reward": 1.0, "propensity": 1.0, "target": 0.01})
    result = sqlmetrics.evaluate(rows, ["sips", "rips", "iips"], **SLATE_ROLES).iloc[0, 1:]
    assert result.tolist() == pytest.approx([0, 0.01 / 0.99, 2], rel=1e-9)
    rewarded = pd.DataFrame({"slate": [2, 2], "place": [1, 2], "reward": [1.0, 0.0], "propensity": 0.5, "target": 1.0})
    rows = pd.DataFrame({"slate": 1, "place": range(40), "reward": 0.0, "propensity": 1e-8, "target": 1.0})
    result = sqlmetrics.evaluate(pd.concat([rows, rewarded]), ["sips", "rips", "iips"], **SLATE_ROLES).iloc[0, 1:]
    assert result.tolist() == [4 / 2, 2 / 2, 2 / 2]
