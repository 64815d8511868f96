"""Off-policy estimates: numbers of Open Bandit Pipeline, what stands behind them, what is refused, a real log."""

from __future__ import annotations

import math
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics.catalogue import builtin_catalogue
from tests.optional import real_data
from tests.oracles import ORACLES, expected_value

LOG = pd.DataFrame({
    "reward": [1.0, 0.0, 1.0, 0.0, 1.0],
    "propensity": [0.25, 0.5, 0.6, 0.25, 0.1],
    "target": [0.6, 0.6, 0.8, 0.5, 0.2],
    "q_action": [0.5, 0.3, 0.7, 0.4, 0.8],
    "q_policy": [0.44, 0.32, 0.6, 0.325, 0.42],
})  # fmt: skip
ROLES = {role: role for role in LOG.columns}
SLATES = pd.DataFrame({
    "slate": [0, 0, 0, 1, 1, 1],
    "place": [1, 2, 3, 1, 2, 3],
    "reward": [1, 0, 1, 0, 1, 0],
    "propensity": [0.5, 0.25, 0.2, 0.4, 0.8, 0.5],
    "target": [0.25, 0.5, 0.4, 0.6, 0.2, 0.9],
})  # fmt: skip
SLATE_ROLES = {"group": "slate", "rank": "place", "reward": "reward", "propensity": "propensity", "target": "target"}

#: What `estimate_policy_value` of obp 0.5.7 answers for these rows, of which LOG has those of one choice among three
#: actions a round: its `action_dist` and `estimated_rewards_by_reg_model` are behind `q_policy`.
BY_OPEN_BANDIT_PIPELINE = {
    "ips": 1.1466666666666667,
    "clipped_ips(max_weight=1.5)": 0.8666666666666668,
    "snips": 0.6417910447761195,
    "direct_method": 0.421,
    "doubly_robust": 0.5889999999999999,
    "sndr": 0.5150298507462687,
    "switch_dr(max_weight=1.5)": 0.429,
    "dros(shrinkage=2)": 0.45668147949661764,
}
SLATES_BY_OPEN_BANDIT_PIPELINE = {"iips": 1.375, "sips": 2.3375, "rips": 1.4375}


def test_numbers_of_open_bandit_pipeline() -> None:
    found = sqlmetrics.evaluate(LOG, [*BY_OPEN_BANDIT_PIPELINE], **ROLES).iloc[0, 1:]
    assert found.tolist() == pytest.approx([*BY_OPEN_BANDIT_PIPELINE.values()], abs=1e-12)
    found = sqlmetrics.evaluate(SLATES, [*SLATES_BY_OPEN_BANDIT_PIPELINE], **SLATE_ROLES).iloc[0, 1:]
    assert found.tolist() == pytest.approx([*SLATES_BY_OPEN_BANDIT_PIPELINE.values()], abs=1e-12)


def test_what_stands_behind_them() -> None:
    """The effective rows are Kish's, by hand: weights 2.4, 1.2, 4/3, 2 and 2."""
    roles = {role: role for role in ("reward", "propensity", "target")}
    found = sqlmetrics.evaluate(LOG, "ips", diagnostics=True, **roles).iloc[0]
    weights = [2.4, 1.2, 4 / 3, 2, 2]
    assert found["effective_rows"] == pytest.approx(sum(weights) ** 2 / sum(one * one for one in weights))
    assert (found["mean_importance"], found["largest_importance"]) == pytest.approx((sum(weights) / 5, 2.4))
    # A row of weight 2 is two rows, one of weight 0 is none.
    twice = LOG.assign(times=[2, 1, 1, 1, 0])
    found = sqlmetrics.evaluate(twice, "ips", diagnostics=True, weight="times", **roles).iloc[0]
    weights = [2.4, 2.4, 1.2, 4 / 3, 2]
    assert found["effective_rows"] == pytest.approx(sum(weights) ** 2 / sum(one * one for one in weights))
    assert (found["mean_importance"], found["largest_importance"]) == pytest.approx((sum(weights) / 5, 2.4))
    # Of slates, the products of the weights: 0.5 * 2 * 2 and 1.5 * 0.25 * 1.8.
    found = sqlmetrics.evaluate(SLATES, "sips", diagnostics=True, **{**SLATE_ROLES, "rank": None}).iloc[0]
    assert found["groups"] == 2
    assert found["effective_rows"] == pytest.approx((2 + 0.675) ** 2 / (4 + 0.675**2))
    assert (found["mean_importance"], found["largest_importance"]) == pytest.approx((1.3375, 2))
    empty = sqlmetrics.evaluate(LOG[:0], "ips", diagnostics=True, **roles)
    assert empty[["effective_rows", "mean_importance", "largest_importance"]].isna().all(axis=None)


def test_what_stands_behind_rows_without_a_propensity() -> None:
    """Where the direct method alone counts a row, it is no part of the weights; alone it has none to tell of."""
    lost = LOG.assign(propensity=[None, 0.5, 0.6, 0.25, 0.1])
    roles = {role: role for role in ("reward", "propensity", "target", "q_policy")}
    weights = [1.2, 4 / 3, 2, 2]
    for metrics in (["direct_method", "ips"], ["ips", "direct_method"]):
        with pytest.warns(sqlmetrics.DroppedRows, match="propensity"):
            found = sqlmetrics.evaluate(lost, metrics, diagnostics=True, **roles).iloc[0]
        assert found["effective_rows"] == pytest.approx(sum(weights) ** 2 / sum(one * one for one in weights))
        assert (found["mean_importance"], found["largest_importance"]) == pytest.approx((sum(weights) / 4, 2))
    alone = sqlmetrics.direct_method(LOG, q_policy="q_policy", diagnostics=True)
    assert set(alone) == {"n", "rows_read", "rows_dropped", "direct_method"}


def test_the_policy_of_the_log_itself_earns_what_it_earned() -> None:
    same = {**ROLES, "target": "propensity"}
    found = sqlmetrics.evaluate(LOG, ["ips", "snips"], reward="reward", propensity="propensity", target="propensity")
    assert found.iloc[0, 1:].tolist() == pytest.approx([0.6, 0.6])
    [found] = sqlmetrics.evaluate(LOG, "doubly_robust", **same)["doubly_robust"]
    assert found == pytest.approx(0.6 + (LOG["q_policy"] - LOG["q_action"]).mean())


def test_the_interval_of_the_mean_is_that_of_statistics() -> None:
    """Of rows, s / √n: the influence of a row on a mean is its distance from it."""
    roles = {role: role for role in ("reward", "propensity", "target")}
    found = sqlmetrics.evaluate(LOG, "ips", confidence=0.95, standard_error=True, **roles).iloc[0]
    each = LOG["reward"] * LOG["target"] / LOG["propensity"]
    assert found["ips_se"] == pytest.approx(each.std(ddof=1) / math.sqrt(5), rel=1e-6)


@pytest.mark.parametrize(
    ("role", "value", "words"),
    [
        ("propensity", 0.0, "is not above 0 and up to 1"),
        ("propensity", 1.5, "is not above 0 and up to 1"),
        ("propensity", -0.5, "is not above 0 and up to 1"),
        ("propensity", 1e-200, "is not above 0 and up to 1"),
        ("target", 1.5, "is outside [0, 1]"),
        ("target", -0.5, "is outside [0, 1]"),
        ("reward", math.inf, "is infinite"),
        ("q_action", -math.inf, "is infinite"),
        ("q_policy", math.inf, "is infinite"),
    ],
)
def test_what_is_refused(role: str, value: float, words: str) -> None:
    broken = LOG.copy()
    broken.loc[2, role] = value
    with pytest.raises(sqlmetrics.BadData) as caught:
        sqlmetrics.evaluate(broken, "doubly_robust", **ROLES)
    assert role in str(caught.value)
    assert words in str(caught.value)


def test_a_reward_may_be_a_boolean() -> None:
    roles = {role: role for role in ("reward", "propensity", "target")}
    [found] = sqlmetrics.evaluate(LOG.assign(reward=LOG["reward"] > 0), "ips", **roles)["ips"]
    assert found == pytest.approx(BY_OPEN_BANDIT_PIPELINE["ips"], abs=1e-12)


def test_a_long_slate_is_no_number_too_small() -> None:
    """200 places whose weights multiply to 1e-400, which no double holds, and which are 0 then."""
    rows = pd.DataFrame({"slate": 1, "place": range(200), "reward": 1.0, "propensity": 1.0, "target": 0.01})
    found = sqlmetrics.evaluate(rows, ["sips", "rips", "iips"], **SLATE_ROLES).iloc[0]
    assert found["sips"] == 0
    assert found["rips"] == pytest.approx(0.01 / 0.99, rel=1e-9)
    assert found["iips"] == pytest.approx(2)


@pytest.mark.parametrize("rank", [range(40), [0] * 40])
def test_what_earned_nothing_counts_nothing_however_seldom_it_was_shown(rank: Any) -> None:
    """The weights of 40 places multiply to 1e320, which is too large for a double; times a reward of 0 that is 0."""
    nothing = pd.DataFrame({"slate": 1, "place": rank, "reward": 0.0, "propensity": 1e-8, "target": 1.0})
    earned = pd.DataFrame({"slate": [2, 2], "place": [1, 2], "reward": [1.0, 0.0], "propensity": 0.5, "target": 1.0})
    found = sqlmetrics.evaluate(pd.concat([nothing, earned]), ["sips", "rips", "iips"], **SLATE_ROLES).iloc[0]
    assert found.iloc[1:].tolist() == [4 / 2, 2 / 2, 2 / 2]
    # One that the new policy would have ended, too: what is shown below has no chance.
    ended = nothing.assign(place=range(40), target=[1.0] * 39 + [0.0])
    [found] = sqlmetrics.evaluate(ended, "rips", **SLATE_ROLES)["rips"]
    assert found == 0


# Open Bandit: the log of a policy that samples (Bernoulli Thompson), 34 items in three places

#: What is asked of it: a policy that shows each item as often, and one that shows liked items more often.
METRICS = [
    "ips", "clipped_ips(max_weight=10)", "snips", "direct_method", "doubly_robust", "sndr",
    "switch_dr(max_weight=10)", "dros(shrinkage=100)",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["uniform", "half as the log"])
def test_a_real_log(policy: str) -> None:
    path = real_data("openbandit") / "men.parquet"
    rows = duckdb.sql(f"select * from read_parquet('{path}')").df()
    target = {"uniform": "1.0 / 34", "half as the log": "0.5 / 34 + 0.5 * propensity_score"}[policy]
    # A model of the reward as plain as can be: the rate of the place.
    rate = "avg(cast(click as double)) over (partition by position)"
    roles = {"reward": "click", "propensity": "propensity_score", "target": f"= {target}", "q_action": "rate",
             "q_policy": "rate"}  # fmt: skip
    data = f"select *, {rate} as rate from read_parquet('{path}')"
    found = sqlmetrics.evaluate(data, METRICS, **roles, diagnostics=True, confidence=0.95).iloc[0]
    logged = rows["propensity_score"].to_numpy()
    chosen = np.full(len(rows), 1 / 34) if policy == "uniform" else 0.5 / 34 + 0.5 * logged
    own = pd.DataFrame({
        "reward": rows["click"].astype(float), "propensity": logged, "target": chosen,
        "q_action": rows.groupby("position")["click"].transform("mean"), "weight": 1.0,
    })  # fmt: skip
    own["q_policy"] = own["q_action"]
    parameters: dict[str, Any] = {"max_weight": 10, "shrinkage": 100}
    known = builtin_catalogue().metrics
    for spec in METRICS:
        name = spec.partition("(")[0]
        [oracle] = ORACLES[name]
        expected = expected_value(oracle, own, {one: parameters[one] for one in known[name].parameters})
        assert found[name] == pytest.approx(expected, abs=1e-12), name
        assert found[f"{name}_low"] <= found[name] <= found[f"{name}_high"]
    weights = chosen / logged
    assert found["effective_rows"] == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert found["largest_importance"] == pytest.approx(weights.max())


def test_a_gap_in_a_slate_leaves_out_the_slate() -> None:
    """Without the row the places below would move up, and the product of the weights would lack a factor."""
    whole = pd.DataFrame({
        "slate": [1, 1, 2, 2], "place": [1, 2, 1, 2], "earned": [1.0, 0.0, 0.0, 1.0],
        "logged": [0.5, 0.5, 0.5, 0.5], "chosen": [0.25, 0.5, 0.5, 0.75],
    })  # fmt: skip
    roles = {"reward": "earned", "propensity": "logged", "target": "chosen", "group": "slate"}
    for metric, given in (("sips", {}), ("iips", {}), ("rips", {"rank": "place"})):
        expected = sqlmetrics.evaluate(whole[whole["slate"] == 2], metric, **roles, **given)
        for column in ("earned", "logged", "chosen"):
            gap = whole.assign(**{column: whole[column].mask(whole.index == 1)})
            with pytest.warns(sqlmetrics.DroppedRows, match="in 1 row"):
                found = sqlmetrics.evaluate(gap, metric, **roles, **given)
            assert found[metric].tolist() == expected[metric].tolist()
