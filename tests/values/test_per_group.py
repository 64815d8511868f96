"""Values per group, and ties, which no order of the rows may decide."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import sqlmetrics
from sqlmetrics.catalogue.model import Metric
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests.compare import agree, assert_same
from tests.data import is_missing
from tests.variants import quiet, variants

METRICS = builtin_catalogue().metrics
ROLES: dict[str, Any] = {"label": "grade", "score": "score", "group": "query"}
PER_GROUP = [metric for metric in METRICS.values() if metric.has_group_value]


def random_lists(seed: int, queries: int = 24, binary: bool = False) -> pd.DataFrame:
    """Graded lists with few distinct scores; every fourth holds nothing relevant, every eighth a single item."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[str, int, float]] = []
    for query in range(queries):
        length = 1 if query % 8 == 5 else int(rng.integers(2, 12))
        grades = rng.integers(0, 2 if binary else 4, length) if query % 4 else np.zeros(length, int)
        scores = rng.integers(0, 5, length) / 4
        rows += [(f"q{query:02d}", int(grade), score) for grade, score in zip(grades, scores, strict=True)]
    data = pd.DataFrame(rows, columns=["query", "grade", "score"])
    return data.assign(
        key=rng.permutation(len(data)),
        device=rng.choice(["phone", "desktop"], len(data)),
        importance=data["query"].str[1:].astype(int) % 3 + 0.5,
        seen=rng.integers(1, 9, len(data)) / 8,
        aspect=[f"aspect {row % 3}" for row in range(len(data))],
    )


#: The relations of recommended lists. A third of the queries has no history, and half of the pairs no similarity.
RELATIONS = {
    "similarity": pd.DataFrame(
        [(a, b, (7 * a + 5 * b) % 9 / 8) for a in range(200) for b in range(a) if (a + b) % 2],
        columns=["item_a", "item_b", "similarity"],
    ),
    "popularity": pd.DataFrame({"key": range(0, 200, 2), "count": [1 + key % 7 for key in range(0, 200, 2)]}),
    "history": pd.DataFrame(
        [(f"q{query:02d}", key) for query in range(24) if query % 3 for key in range(query, 200, 17)],
        columns=["query", "key"],
    ),
    "item_categories": pd.DataFrame({"key": range(190), "category": [f"genre {key % 5}" for key in range(190)]}),
    "expected_items": pd.DataFrame({"key": range(0, 200, 3)}),
    "embeddings": pd.DataFrame(
        [(key, axis, (3 * key + 5 * axis) % 7 - 2.5) for key in range(190) for axis in range(3)],
        columns=["key", "dimension", "value"],
    ),
}


def roles_for(metric: Metric) -> dict[str, Any]:
    roles = metric.roles()
    further = {"tie_key": "key", "propensity": "seen"}
    if "subtopic" in roles:  # each item has one
        further |= {"item": "key", "subtopic": "aspect"}
    elif metric.extra_roles.get("item"):
        relations = {name: relation for name, relation in RELATIONS.items() if name in metric.relations}
        label = {"label": "grade"} if metric.truth else {}
        return {"score": "score", "group": "query", "item": "key", **label, **relations}
    weights = {"group_weight": "importance"} if "group_weight" in roles else {}
    return {**ROLES, **{role: column for role, column in further.items() if role in roles}, **weights}


def specs_of(metric: Metric) -> list[dict[str, Any]]:
    """Every variant that is a mean over groups, each with a name of its own."""
    average = metric.parameters["average"].default if "average" in metric.parameters else None
    specs = [spec for spec in variants(metric, (3,)) if "max_group_size" not in spec]
    specs = [spec for spec in specs if spec.get("average", average) != "micro"]
    return [{"name": metric.name, "as": f"{metric.name}_{number}", **spec} for number, spec in enumerate(specs)]


@pytest.mark.slow
@pytest.mark.parametrize("metric", PER_GROUP, ids=lambda metric: metric.name)
def test_mean_of_per_group_is_the_metric(metric: Metric) -> None:
    data = random_lists(1, binary=metric.truth == "binary" or "subtopic" in metric.roles()).assign(one=1.0)
    specs, roles = specs_of(metric), roles_for(metric)
    whole = sqlmetrics.evaluate(data, specs, by=[[], ["device"]], **roles)
    table = sqlmetrics.per_group(data, specs, by=[[], ["device"]], **roles)
    assert len(table) == data["query"].nunique() + len(data[["query", "device"]].drop_duplicates())
    assert len(whole) == 3
    for result in whole.to_dict("records"):
        overall = is_missing(result["device"])
        members = data if overall else data[data["device"] == result["device"]]
        groups = table[table["device"].isna() if overall else table["device"] == result["device"]]
        totals = members.groupby("query").agg(
            rows=("grade", "size"), positives=("grade", "sum"), importance=("importance", "first"), one=("one", "first")
        )
        assert groups["query"].tolist() == totals.index.tolist()
        assert groups["n"].tolist() == totals["rows"].tolist()
        for spec in specs:
            weight = "importance" if "group_weight" in roles else "one"
            if metric.name == "gauc":
                weight = {"positives": "positives", "uniform": "one"}.get(spec.get("weights", "rows"), "rows")
            values, weights = groups[spec["as"]].to_numpy(), totals[weight].to_numpy()
            used = ~np.isnan(values)
            if metric.name == "gm_map":  # trec_eval's: the mean of logarithms of what is 0.00001 at least
                logs = np.log(np.maximum(values[used], spec.get("least", 1e-5)))
                expected = np.exp(np.average(logs, weights=weights[used]))
            else:
                expected = np.average(values[used], weights=weights[used]) if used.any() else None  # single items
            assert agree(result[spec["as"]], expected), f"{spec}: {result[spec['as']]}, {expected}"


# Columns and rows of the result


def test_per_group_of_a_pooled_metric_has_its_counts() -> None:
    data = random_lists(6)
    spec = "r = recall_at_k(k=3, average='micro')"
    table = sqlmetrics.per_group(data, spec, **ROLES)
    used = table[table["r_relevant"] > 0]
    assert agree(sqlmetrics.evaluate(data, spec, **ROLES)["r"][0], used["r_hits"].sum() / used["r_relevant"].sum())
    grades = data.groupby("query")["grade"]
    assert table["r_relevant"].tolist() == grades.apply(lambda members: (members >= 1).sum()).tolist()
    assert table["r_listed"].tolist() == grades.apply(lambda members: min(3, len(members))).tolist()


def test_per_group_of_several_models_and_a_missing_group() -> None:
    data = random_lists(7).assign(other=lambda rows: -rows["score"])
    data["query"] = data["query"].astype(object).where(data["query"] != "q03", None)
    roles = {"label": "grade", "group": "query"}
    with pytest.warns(sqlmetrics.DroppedRows, match="group"):
        table = sqlmetrics.per_group(data, "map", score=["score", "other"], **roles)
    for model, rows in table.groupby("model"):
        alone = quiet(lambda model=model: sqlmetrics.per_group(data, "map", score=model, **roles))
        assert_same(rows[alone.columns], alone)
        assert "q03" not in rows["query"].tolist()
    with pytest.raises(sqlmetrics.BadParameter, match="auc has no value per group"):
        sqlmetrics.per_group(data, "auc", label="grade", score="score")


IRRELEVANT = """{#-
title: Irrelevant items
formula: items without relevance, then the mean over groups
frame: ranked_items
truth: relevance
score: number
lower: 0
undefined: NULL without groups
oracle: by hand
source: none
parameters: {ties: [worst, best, key]}
example: {label: [1, 0, 0], score: [3, 2, 1], group: [1, 1, 1], result: 2.0}
-#}
{%- macro irrelevant__per_group(m) -%}
sum(1 - relevant)
{%- endmacro -%}
"""


def test_registered_metric_counts_items_without_gain_next_to_ndcg(tmp_path: Path) -> None:
    """The built-in metrics read items that gain, and sort those alone; a metric that does not say so reads all."""
    (tmp_path / "irrelevant.sql").write_text(IRRELEVANT, encoding="utf-8")
    sqlmetrics.register(tmp_path / "irrelevant.sql")
    data = random_lists(8)
    table = sqlmetrics.per_group(data, "ndcg, irrelevant", **ROLES)
    assert table["irrelevant"].tolist() == data["grade"].lt(1).groupby(data["query"]).sum().tolist()
    alone = sqlmetrics.per_group(data, "ndcg", **ROLES)
    assert_same(table[alone.columns], alone)


# Ties


@pytest.mark.slow
def test_values_of_ties_do_not_depend_on_the_order_of_rows_or_threads() -> None:
    """There are more rows than the engine gives one thread at a time (122,880)."""
    rng, rows = np.random.default_rng(11), 150_000
    data = pd.DataFrame({"query": rng.integers(0, 12_000, rows), "grade": rng.choice([0, 0, 0, 1, 2], rows)})
    data = data.assign(score=rng.integers(0, 5, rows) / 4, key=rng.permutation(rows))
    specs: list[dict[str, Any]] = [
        {"name": name, "as": f"{name}_{ties}", "k": 5, "ties": ties}
        for name in ("ndcg", "precision_at_k", "map")
        for ties in METRICS[name].parameters["ties"].choices
    ]
    results = []
    for threads in (1, 8):
        mixed = data.sample(frac=1, random_state=threads).reset_index(drop=True)
        with duckdb.connect() as con:
            con.execute(f"set threads = {threads}")
            metrics = [*specs, {"name": "kendall_tau"}, {"name": "bpref"}]
            results.append(sqlmetrics.evaluate(mixed, metrics, con=con, tie_key="key", **ROLES))
    assert_same(*results)


# Groups too large for pairs


def test_kendall_tau_limits_the_distinct_pairs_of_a_group() -> None:
    """The pairs are counted inside of a slice and a model, and equal pairs once."""
    rng = np.random.default_rng(6)
    rows = 6000
    data = pd.DataFrame({"query": "q", "grade": rng.integers(0, 3, rows), "score": rng.permutation(rows) / rows})
    message = r"group has more than 5000 distinct pairs.*max_group_size allows more.*example q \(1 in all\)"
    with pytest.raises(sqlmetrics.BadData, match=message):
        sqlmetrics.evaluate(pd.concat([data, data.head(10).assign(query="short")]), "kendall_tau", **ROLES)
    with pytest.raises(sqlmetrics.BadData, match="more than 9 distinct pairs"):
        sqlmetrics.per_group(data.tail(10), "kendall_tau(max_group_size=9)", **ROLES)
    allowed = sqlmetrics.evaluate(data.tail(10), "kendall_tau(max_group_size=10)", **ROLES)
    assert agree(allowed["kendall_tau"][0], kendalltau(data["score"].tail(10), data["grade"].tail(10)).statistic)
    few = data.assign(score=data["score"].round(2))
    result = sqlmetrics.evaluate(few, "kendall_tau, c = kendall_tau(variant='c')", **ROLES)
    assert agree(result["kendall_tau"][0], kendalltau(few["score"], few["grade"]).statistic)
    assert agree(result["c"][0], kendalltau(few["score"], few["grade"], variant="c").statistic)

    data = data.head(600).assign(device=rng.integers(0, 10, 600), other=data["score"].round(1))
    spec = "kendall_tau(max_group_size=100)"
    table = sqlmetrics.evaluate(data, spec, by="device", **ROLES).set_index("device")
    for device, members in data.groupby("device"):
        assert agree(table.loc[device, "kendall_tau"], kendalltau(members["score"], members["grade"]).statistic)
    calls: list[dict[str, Any]] = [{"by": [[], ["device"]]}, {"score": ["other", "score"]}]
    for options in calls:
        with pytest.raises(sqlmetrics.BadData, match="more than 100"):
            sqlmetrics.evaluate(data, spec, **{**ROLES, **options})
    result = sqlmetrics.evaluate(data, spec, **{**ROLES, "score": ["other", "twice = other * 2"]})
    assert all(agree(value, kendalltau(data["other"], data["grade"]).statistic) for value in result["kendall_tau"])
