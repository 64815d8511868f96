"""Values per group, and groups that are too large for their pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import sqlmetrics
from tests.compare import agree
from tests.data import COLUMNS, JUDGED, arrow, sample
from tests.variants import Call, MetricCall, calls

ROLES: dict[str, Any] = {"label": "grade", "score": "score", "group": "query"}


def is_mean_of_groups(each: MetricCall) -> bool:
    return "per_group" in each.metric.macros and each.parameters.get("average") != "micro"


def variants_of_groups() -> list[Call]:
    """Every variant that is a mean over groups, with weights of groups where all metrics of a call take them."""
    of_groups = [call for call in calls(every_variant=True) if not call.table and call.data_type not in JUDGED]
    parts = []
    for call in of_groups:
        for role in ("group_weight", None):
            metrics = [each for each in call.metrics if is_mean_of_groups(each)]
            metrics = [each for each in metrics if ("group_weight" in each.metric.roles()) == (role is not None)]
            weights = {role: COLUMNS[role]} if role else {}
            parts += (
                [Call(f"{call.name}-{role}", call.data_type, tuple(metrics), {**call.roles, **weights})]
                if metrics
                else []
            )
    return parts


@pytest.mark.slow
@pytest.mark.parametrize("call", variants_of_groups(), ids=lambda call: call.name)
def test_mean_of_per_group_is_the_metric(call: Call) -> None:
    data = sample(call.data_type)
    roles = call.of(call.metrics).arguments()
    whole = sqlmetrics.evaluate(arrow(data), call.specs, by=[[], ["country"]], **roles)
    table = sqlmetrics.per_group(arrow(data), call.specs, by=[[], ["country"]], **roles)
    group, labels = COLUMNS["group"], data["clicks" if "positives" in roles else "clicked"]
    for result in whole.to_dict("records"):
        overall = pd.isna(result["country"])
        members = data.assign(positives=labels)[overall | (data["country"] == result["country"])]
        groups = table[table["country"].isna() if overall else table["country"] == result["country"]]
        totals = members.groupby(group).agg(
            rows=("views" if "total" in roles else group, "sum" if "total" in roles else "size"),
            positives=("positives", "sum"),
            importance=("importance", "first"),
        )
        assert groups[group].tolist() == totals.index.tolist()
        for each in call.metrics:
            weights = totals["importance"] if "group_weight" in roles else totals["rows"] ** 0
            if each.metric.name == "gauc" and each.parameters["weights"] != "uniform":
                weights = totals[each.parameters["weights"]]
            values = groups[each.columns[each.metric.columns[0]]].to_numpy()
            used = ~np.isnan(values)
            if each.metric.name == "gm_map":  # trec_eval takes the mean of logarithms, of 0.00001 at least
                logs = np.log(np.maximum(values[used], each.parameters["least"]))
                expected = np.exp(np.average(logs, weights=weights.to_numpy()[used]))
            else:
                expected = np.average(values[used], weights=weights.to_numpy()[used]) if used.any() else None
            assert agree(result[each.name], expected), f"{each}: {result[each.name]}, {expected}"


def lists() -> pd.DataFrame:
    """Graded lists of up to eleven items with few distinct 32-bit scores; every fourth has no relevant item."""
    rng = np.random.default_rng(6)
    query = np.repeat(np.arange(24), rng.integers(1, 12, 24))
    grade = rng.integers(0, 4, len(query)) * (query % 4 > 0)
    return pd.DataFrame({
        "query": [f"q{number:02d}" for number in query], "grade": grade, "score": rng.integers(0, 5, len(query)) / 4,
        "row": range(len(query)),
    })  # fmt: skip


def test_per_group_of_a_pooled_metric_has_its_counts() -> None:
    data = lists()
    spec = "r = recall_at_k(k=3, average='micro')"
    table = sqlmetrics.per_group(data, spec, **ROLES)
    used = table[table["r_relevant"] > 0]
    assert agree(sqlmetrics.evaluate(data, spec, **ROLES)["r"][0], used["r_hits"].sum() / used["r_relevant"].sum())
    grades = data.groupby("query")["grade"]
    assert table["r_relevant"].tolist() == grades.apply(lambda members: (members >= 1).sum()).tolist()
    assert table["r_listed"].tolist() == grades.apply(lambda members: min(3, len(members))).tolist()
    assert table["n"].tolist() == grades.size().tolist()


def test_per_group_rejects_metrics_without_groups() -> None:
    with pytest.raises(sqlmetrics.BadParameter, match="auc has no value per group"):
        sqlmetrics.per_group(lists(), "auc", label="grade", score="score")


def test_kendall_tau_limits_the_distinct_pairs_of_a_group() -> None:
    """Pairs are counted within a slice and a model, and equal pairs once."""
    rng = np.random.default_rng(6)
    rows = 6000
    data = pd.DataFrame({"query": "q", "grade": rng.integers(0, 3, rows), "score": rng.permutation(rows) / rows})
    message = r"group has more than 5000 distinct pairs.*max_group_size allows more.*example q \(1 in all\)"
    with pytest.raises(sqlmetrics.BadData, match=message):
        sqlmetrics.evaluate(pd.concat([data, data.head(10).assign(query="short")]), "kendall_tau", **ROLES)
    with pytest.raises(sqlmetrics.BadData, match="more than 9 distinct pairs"):
        sqlmetrics.per_group(data.tail(10), "kendall_tau(max_group_size=9)", **ROLES)
    data = data.head(600).assign(device=rng.integers(0, 10, 600), other=data["score"].round(1))
    spec = "kendall_tau(max_group_size=100)"
    table = sqlmetrics.evaluate(data, spec, by="device", **ROLES).set_index("device")
    for device, members in data.groupby("device"):
        assert agree(table.loc[device, "kendall_tau"], kendalltau(members["score"], members["grade"]).statistic)
    with pytest.raises(sqlmetrics.BadData, match="more than 100"):
        sqlmetrics.evaluate(data, spec, by=[[], ["device"]], **ROLES)
    result = sqlmetrics.evaluate(data, spec, **{**ROLES, "score": ["other", "twice = other * 2"]})
    assert all(agree(value, kendalltau(data["other"], data["grade"]).statistic) for value in result["kendall_tau"])
