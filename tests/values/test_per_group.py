"""Values group by group, against trec_eval, scipy and scikit-learn; ties, which no order of the rows may decide."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from scipy.stats import kendalltau
from sklearn.metrics import dcg_score, ndcg_score, roc_auc_score

import sqlmetrics
from sqlmetrics.catalogue import Metric, builtin_catalogue
from tests.compare import agree, differences
from tests.data import is_missing, slices_of
from tests.tiers import slow
from tests.variants import quiet, variants

ROLES = {"label": "grade", "score": "score", "group": "query"}
PER_GROUP = [metric for metric in builtin_catalogue().metrics.values() if metric.has_group_value]


def is_pooled(metric: Metric, spec: dict[str, Any]) -> bool:
    """Over the groups (Σ hits / Σ listed), so that no mean of values per group is the metric."""
    return "average" in metric.parameters and spec.get("average", metric.parameters["average"].default) == "micro"


def random_lists(seed: int, queries: int = 24, binary: bool = False) -> pd.DataFrame:
    """Graded lists with few distinct scores; every fourth holds nothing relevant, some one item only."""
    rng = np.random.default_rng(seed)
    rows = []
    for query in range(queries):
        length = 1 if query % 8 == 5 else int(rng.integers(2, 12))
        labels = rng.integers(0, 2 if binary else 4, length) if query % 4 else np.zeros(length, int)
        rows += [
            (f"q{query:02d}", int(label), score / 4)
            for label, score in zip(labels, rng.integers(0, 5, length), strict=True)
        ]
    data = pd.DataFrame(rows, columns=["query", "grade", "score"])
    return data.assign(
        key=rng.permutation(len(data)),
        device=rng.choice(["phone", "desktop"], len(data)),
        importance=data["query"].str[1:].astype(int) % 3 + 0.5,
        seen=rng.integers(1, 9, len(data)) / 8,
        aspect=[f"aspect {place % 3}" for place in range(len(data))],
    )


#: Of half of the pairs of items, by their keys.
SIMILARITY = pd.DataFrame(
    [(a, b, (7 * a + 5 * b) % 9 / 8) for a in range(200) for b in range(a) if (a + b) % 2],
    columns=["item_a", "item_b", "similarity"],
)
#: What the metrics of lists read beside them; one query in three has no history.
OF_LISTS = {
    "similarity": SIMILARITY,
    "popularity": pd.DataFrame({"key": range(0, 200, 2), "count": [1 + key % 7 for key in range(0, 200, 2)]}),
    "history": pd.DataFrame(
        [(f"q{query:02d}", key) for query in range(24) if query % 3 for key in range(query, 200, 17)],
        columns=["query", "key"],
    ),
    "item_categories": pd.DataFrame({"key": range(190), "category": [f"genre {key % 5}" for key in range(190)]}),
    "expected_items": pd.DataFrame({"key": range(0, 200, 3)}),
    "embeddings": pd.DataFrame(
        [(key, place, (3 * key + 5 * place) % 7 - 2.5) for key in range(190) for place in range(3)],
        columns=["key", "dimension", "value"],
    ),
}


def roles_for(metric: Metric, weight: bool = False) -> dict[str, Any]:
    further = {"tie_key": "key", "propensity": "seen"}
    if "subtopic" in metric.roles():  # of which the items have one each
        further |= {"item": "key", "subtopic": "aspect"}
    elif metric.extra_roles.get("item"):
        lists = {"score": "score", "group": "query", "item": "key", **({"label": "grade"} if metric.truth else {})}
        return lists | {name: relation for name, relation in OF_LISTS.items() if name in metric.relations}
    roles = {**ROLES, **{role: column for role, column in further.items() if role in metric.roles()}}
    return roles | ({"group_weight": "importance"} if weight and "group_weight" in metric.roles() else {})


def specs_of(metric: Metric, cuts: tuple[int | None, ...] = (None, 3)) -> list[dict[str, Any]]:
    """Every variant of a metric, each with a name of its own; without a limit that would only refuse."""
    wanted = [parameters for parameters in variants(metric, cuts) if "max_group_size" not in parameters]
    return [
        {"name": metric.name, "as": f"{metric.name}_{number}", **parameters} for number, parameters in enumerate(wanted)
    ]


# The mean of the values is the metric


def weights_of(spec: dict[str, Any], rows: pd.DataFrame, weighted: bool) -> np.ndarray[Any, Any]:
    """How much each group counts in the mean."""
    if spec["name"] == "gauc":
        chosen = {"positives": "positives", "uniform": "one"}.get(spec.get("weights", "rows"), "rows")
    else:
        chosen = "importance" if weighted else "one"
    return rows[chosen].to_numpy()


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("weighted", "cuts"), [(True, (3,)), *slow((True, (None,)), (False, (None, 3)))])
@pytest.mark.parametrize("metric", PER_GROUP, ids=lambda metric: metric.name)
def test_the_mean_over_groups_is_the_metric(metric: Metric, weighted: bool, cuts: tuple[int | None, ...]) -> None:
    data = random_lists(1, binary=metric.truth == "binary" or "subtopic" in metric.roles()).assign(one=1.0)
    specs = [spec for spec in specs_of(metric, cuts) if not is_pooled(metric, spec)]
    roles = roles_for(metric, weighted)
    whole = sqlmetrics.evaluate(data, specs, by=[[], ["device"]], **roles)
    table = sqlmetrics.per_group(data, specs, by=[[], ["device"]], **roles)
    assert len(table) == data["query"].nunique() + len(data[["query", "device"]].drop_duplicates())
    assert len(whole) == 3
    for result in whole.to_dict("records"):
        overall = is_missing(result["device"])
        inside = data if overall else data[data["device"] == result["device"]]
        own = table[table["device"].isna() if overall else table["device"] == result["device"]]
        rows = inside.groupby("query").agg(
            rows=("grade", "size"), positives=("grade", "sum"), importance=("importance", "first"), one=("one", "first")
        )
        assert own["query"].tolist() == rows.index.tolist()
        assert own["n"].tolist() == rows["rows"].tolist()
        for spec in specs:
            values, weights = own[spec["as"]].to_numpy(), weights_of(spec, rows, "group_weight" in roles)
            used = ~np.isnan(values)
            if spec["name"] == "gm_map":  # trec_eval's: the mean of logarithms of what is 0.00001 at least
                least = spec.get("least", 1e-5)
                expected = np.exp(np.average(np.log(np.maximum(values[used], least)), weights=weights[used]))
            else:
                expected = np.average(values[used], weights=weights[used]) if used.any() else None  # lists of one item
            assert agree(result[spec["as"]], expected), f"{spec}: {result[spec['as']]}, {expected}"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("metric", [one for one in PER_GROUP if "empty" in one.parameters], ids=lambda one: one.name)
def test_what_an_empty_group_counts_as(metric: Metric) -> None:
    data = random_lists(2, binary="subtopic" in metric.roles())
    if metric.name == "fall_out_at_k":  # what it looks for is not relevant
        data["grade"] = 3 - data["grade"]
    sought = data["grade"].eq(0) if metric.name == "fall_out_at_k" else data["grade"].gt(0)
    nothing = ~sought.groupby(data["query"]).any()
    assert nothing.sum() >= 6
    required = next(iter(variants(metric)))
    values = {"skip": None, "zero": 0.0, "one": 1.0}
    specs = [{"name": metric.name, "as": f"{empty}_value", "empty": empty, **required} for empty in values]
    table = sqlmetrics.per_group(data, specs, **roles_for(metric)).set_index("query")
    for empty, value in values.items():
        assert all(agree(one, value) for one in table.loc[nothing, f"{empty}_value"])
        assert table.loc[~nothing, f"{empty}_value"].notna().all()


# Someone else's value of every group


def by_trec_eval(lists: dict[str, list[int]], measure: str, cut: int | None = None) -> dict[str, float]:
    """trec_eval of lists whose order is settled: the items count down from the top."""
    judged = {query: {f"d{place}": grade for place, grade in enumerate(grades)} for query, grades in lists.items()}
    run = {
        query: {f"d{place}": float(len(grades) - place) for place in range(len(grades))[:cut]}
        for query, grades in lists.items()
    }
    found = pytrec_eval.RelevanceEvaluator(judged, {measure}).evaluate(run)
    return {query: values[measure.replace(".", "_")] for query, values in found.items()}


def settled(data: pd.DataFrame, ties: str) -> dict[str, list[int]]:
    keys = {"worst": ["grade", True], "best": ["grade", False], "key": ["key", False]}
    column, ascending = keys[ties]
    ordered = data.sort_values(["score", column], ascending=[False, bool(ascending)])
    return {str(query): rows["grade"].tolist() for query, rows in ordered.groupby("query")}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("ties", ["worst", "best", "key"])
@pytest.mark.parametrize(
    ("ours", "theirs", "cut"),
    [
        ("map", "map", None),
        ("map(k=3)", "map_cut.3", None),
        ("mrr", "recip_rank", None),
        ("mrr(k=2)", "recip_rank", 2),
        ("r_precision", "Rprec", None),
        ("bpref", "bpref", None),
        ("precision_at_k(k=3)", "P.3", None),
        ("recall_at_k(k=3)", "recall.3", None),
        ("hit_rate(k=3)", "success.3", None),
        ("ndcg(gain='linear')", "ndcg", None),
        ("ndcg(gain='linear', k=3)", "ndcg_cut.3", None),
    ],
)
def test_every_group_is_that_of_trec_eval(ours: str, theirs: str, cut: int | None, ties: str) -> None:
    data = random_lists(3)
    asked = f"value = {ours[:-1]}, " if ours.endswith(")") else f"value = {ours}("
    table = sqlmetrics.per_group(
        data.sample(frac=1, random_state=2), f"{asked}ties='{ties}', empty='zero')", tie_key="key", **ROLES
    )
    found = by_trec_eval(settled(data, ties), theirs, cut)
    assert table["query"].tolist() == sorted(found)
    for query, value in zip(table["query"], table["value"], strict=True):
        assert agree(value, found[query]), f"{query}: {value}, {found[query]}"


def test_every_group_is_that_of_scikit_learn_and_scipy() -> None:
    data = random_lists(4, queries=40, binary=True)
    asked = "gauc, dcg(ties='average'), ndcg@3(ties='average'), kendall_tau, c = kendall_tau(variant='c')"
    table = sqlmetrics.per_group(data, asked, **ROLES).set_index("query")
    compared = 0
    for query, rows in data.groupby("query"):
        one = table.loc[query]
        if rows["grade"].nunique() < 2:
            assert is_missing(one["gauc"])
            assert is_missing(one["kendall_tau"])
            continue
        compared += 1
        assert agree(one["gauc"], roc_auc_score(rows["grade"], rows["score"]))
        assert agree(one["dcg"], dcg_score([rows["grade"]], [rows["score"]]))
        assert agree(one["ndcg_at_3"], ndcg_score([rows["grade"]], [rows["score"]], k=3))
        assert agree(one["kendall_tau"], kendalltau(rows["score"], rows["grade"]).statistic)
        assert agree(one["c"], kendalltau(rows["score"], rows["grade"], variant="c").statistic)
    assert compared > 20


def test_a_weighted_gauc_by_groups() -> None:
    data = random_lists(5, binary=True)
    table = sqlmetrics.per_group(data, "gauc", weight="importance", **ROLES).set_index("query")
    for query, rows in data.groupby("query"):
        expected = None
        if rows["grade"].nunique() == 2:
            expected = roc_auc_score(rows["grade"], rows["score"], sample_weight=rows["importance"])
        assert agree(table.loc[query, "gauc"], expected)


def test_the_counts_of_a_pooled_metric() -> None:
    data = random_lists(6)
    asked = "r = recall_at_k(k=3, average='micro')"
    table = sqlmetrics.per_group(data, asked, **ROLES)
    used = table[table["r_relevant"] > 0]
    assert agree(sqlmetrics.evaluate(data, asked, **ROLES)["r"][0], used["r_hits"].sum() / used["r_relevant"].sum())
    by_query = data.groupby("query")["grade"]
    assert table["r_relevant"].tolist() == by_query.apply(lambda grades: (grades >= 1).sum()).tolist()
    assert table["r_listed"].tolist() == by_query.apply(lambda grades: min(3, len(grades))).tolist()


def test_groups_of_several_models_and_a_missing_group() -> None:
    data = random_lists(7).assign(other=lambda frame: -frame["score"])
    data["query"] = data["query"].astype(object).where(data["query"] != "q03", None)
    with pytest.warns(sqlmetrics.DroppedRows, match="group"):
        table = sqlmetrics.per_group(data, "map", label="grade", score=["score", "other"], group="query")
    assert table["query"].notna().all()
    for model, rows in table.groupby("model"):
        alone = quiet(lambda model=model: sqlmetrics.per_group(data, "map", label="grade", score=model, group="query"))
        assert rows["query"].tolist() == alone["query"].tolist()
        assert all(map(agree, rows["map"], alone["map"]))


def test_a_metric_without_groups_has_no_value_per_group() -> None:
    with pytest.raises(sqlmetrics.BadParameter, match="auc has no value per group"):
        sqlmetrics.per_group(random_lists(1), "auc", label="grade", score="score")


# Ties


@pytest.fixture(scope="module")
def connections() -> Iterator[list[duckdb.DuckDBPyConnection]]:
    """Engines of 1, 2 and 8 threads."""
    opened = []
    for threads in (1, 2, 8):
        con = duckdb.connect()
        con.execute(f"set threads = {threads}")
        opened.append(con)
    yield opened
    for con in opened:
        con.close()


def assert_same(result: pd.DataFrame, expected: pd.DataFrame) -> None:
    """Equal but for the order in which numbers were added up."""
    assert not differences(result, expected, 1e-12)


@pytest.mark.slow
def test_no_order_of_the_rows_changes_any_variant(connections: list[duckdb.DuckDBPyConnection]) -> None:
    data = random_lists(10, queries=60)
    specs = [
        spec
        for metric in PER_GROUP
        if metric.truth in ("relevance", "ranking")
        for spec in specs_of(metric)
        if "ties" in spec or "variant" in spec
    ]
    assert {spec.get("ties", "worst") for spec in specs} >= {"worst", "best", "key", "average"}
    roles = {**ROLES, "tie_key": "key", "propensity": "seen"}
    expected = sqlmetrics.evaluate(data, specs, con=connections[0], **roles)
    for shuffle, con in enumerate(connections):
        mixed = data.sample(frac=1, random_state=shuffle)
        assert_same(sqlmetrics.evaluate(mixed, specs, con=con, **roles), expected)


@pytest.mark.slow
def test_no_number_of_threads_changes_a_value(connections: list[duckdb.DuckDBPyConnection]) -> None:
    """More rows than the engine gives to one thread at a time (122,880)."""
    rng = np.random.default_rng(11)
    rows = 150_000
    data = pd.DataFrame({
        "query": rng.integers(0, 12_000, rows),
        "grade": rng.choice([0, 0, 0, 1, 2], rows),
        "score": rng.integers(0, 5, rows) / 4,
        "key": rng.permutation(rows),
    })  # fmt: skip
    asked = [
        f"{metric}_{ties} = {metric}(k=5, ties='{ties}')"
        for metric in ("ndcg", "precision_at_k", "map")
        for ties in ("worst", "best", "key", "average")
        if ties in builtin_catalogue()[metric].parameters["ties"].choices
    ]
    asked += ["kendall_tau", "bpref"]
    roles = {**ROLES, "tie_key": "key"}
    expected = sqlmetrics.evaluate(data, asked, con=connections[0], **roles)
    for shuffle, con in enumerate(connections[1:]):
        mixed = data.sample(frac=1, random_state=shuffle).reset_index(drop=True)
        assert_same(sqlmetrics.evaluate(mixed, asked, con=con, **roles), expected)


ONE_LIST: dict[str, Callable[[list[int]], float]] = {
    "mrr": lambda grades: next((1 / place for place, grade in enumerate(grades, 1) if grade), 0.0),
    "map": lambda grades: sum(
        sum(g > 0 for g in grades[:place]) / place for place, grade in enumerate(grades, 1) if grade
    ) / max(1, sum(grade > 0 for grade in grades)),
    "precision@2": lambda grades: sum(grade > 0 for grade in grades[:2]) / 2,
    "recall@2": lambda grades: sum(grade > 0 for grade in grades[:2]) / max(1, sum(grade > 0 for grade in grades)),
    "hit_rate@2": lambda grades: float(any(grades[:2])),
    "dcg@3": lambda grades: sum((2.0**grade - 1) / math.log2(place + 1) for place, grade in enumerate(grades[:3], 1)),
    "cg@2": lambda grades: sum(2.0**grade - 1 for grade in grades[:2]),
}  # fmt: skip


def orders(members: list[tuple[float, int]]) -> list[list[int]]:
    """Every order of a list that its scores allow."""
    blocks = [
        [grade for score, grade in members if score == one] for one in sorted({s for s, _ in members}, reverse=True)
    ]
    choices = itertools.product(*(itertools.permutations(block) for block in blocks))
    return [list(itertools.chain.from_iterable(choice)) for choice in choices]


@pytest.mark.parametrize("name", ONE_LIST)
def test_worst_best_and_average_over_all_orders_of_small_lists(name: str) -> None:
    rng = np.random.default_rng(8)
    rows = [
        (query, int(rng.choice([0, 0, 1, 2])), int(rng.integers(0, 3)))
        for query in range(30)
        for _ in range(rng.integers(1, 6))
    ]
    data = pd.DataFrame(rows, columns=["query", "grade", "score"])
    metric, _, k = name.partition("@")
    metric = f"{metric}_at_k" if metric in ("precision", "recall") else metric
    linear = "average" in builtin_catalogue()[metric].parameters["ties"].choices
    assert linear == (name not in ("mrr", "map", "hit_rate@2"))
    cut = f", k={k}" if k else ""
    asked = [f"{ties} = {metric}(ties='{ties}', empty='zero'{cut})" for ties in ("worst", "best")]
    asked += [f"average = {metric}(ties='average', empty='zero'{cut})"] if linear else []
    table = sqlmetrics.per_group(data, asked, **ROLES).set_index("query")
    for query, members in data.groupby("query"):
        possible = orders(list(zip(members["score"], members["grade"], strict=True)))
        values = [ONE_LIST[name](order) for order in possible]
        assert agree(table.loc[query, "worst"], min(values)), query
        assert agree(table.loc[query, "best"], max(values)), query
        if linear:
            assert agree(table.loc[query, "average"], float(np.mean(values))), query


@pytest.mark.parametrize("k", [1, 2, 4, None])
def test_average_on_nothing_but_ties(k: int | None) -> None:
    """scikit-learn takes the mean over all orders too."""
    data = random_lists(9, queries=40)
    data = data[data.groupby("query")["score"].transform("size") > 1].assign(score=lambda frame: frame["score"] > 0.5)
    data["score"] = data["score"].astype(float)
    cut = f", k={k}" if k else ""
    asked = f"dcg = dcg(ties='average', gain='linear'{cut}), ndcg = ndcg(ties='average', gain='linear'{cut})"
    table = sqlmetrics.per_group(data, asked, preset="sklearn", **ROLES).set_index("query")
    for query, rows in data.groupby("query"):
        assert agree(table.loc[query, "dcg"], dcg_score([rows["grade"]], [rows["score"]], k=k))
        assert agree(table.loc[query, "ndcg"], ndcg_score([rows["grade"]], [rows["score"]], k=k))


# Groups too large for pairs


def long_list(rows: int, scores: int, grades: int) -> pd.DataFrame:
    rng = np.random.default_rng(rows)
    return pd.DataFrame({
        "query": "q",
        "grade": rng.integers(0, grades, rows),
        "score": rng.permutation(rows) % scores / scores,
        "device": rng.integers(0, 10, rows),
    })  # fmt: skip


def test_a_group_of_too_many_distinct_values_is_refused() -> None:
    data = pd.concat([long_list(6000, 6000, 3), long_list(10, 10, 3).assign(query="short")])
    message = r"group has more than 5000 distinct pairs.*max_group_size allows more.*example q \(1 in all\)"
    with pytest.raises(sqlmetrics.BadData, match=message):
        sqlmetrics.evaluate(data, "kendall_tau", **ROLES)
    with pytest.raises(sqlmetrics.BadData, match="more than 9 distinct pairs"):
        sqlmetrics.per_group(data.tail(10), "kendall_tau(max_group_size=9)", **ROLES)
    allowed = sqlmetrics.evaluate(data.tail(10), "kendall_tau(max_group_size=10)", **ROLES)
    expected = kendalltau(data["score"].tail(10), data["grade"].tail(10)).statistic
    assert agree(allowed["kendall_tau"][0], expected)


def test_the_size_of_a_group_is_that_inside_its_slice_and_model() -> None:
    data = long_list(600, 600, 3).assign(other=lambda frame: frame["score"].round(1))
    asked = "kendall_tau(max_group_size=100)"
    table = sqlmetrics.evaluate(data, asked, by="device", **ROLES)
    for (device,), rows in slices_of(data, ["device"]):
        value = table.loc[table["device"] == device, "kendall_tau"].item()
        assert agree(value, kendalltau(rows["score"], rows["grade"]).statistic)
    with pytest.raises(sqlmetrics.BadData, match="more than 100"):
        sqlmetrics.evaluate(data, asked, by=[[], ["device"]], **ROLES)
    with pytest.raises(sqlmetrics.BadData, match="more than 100"):
        sqlmetrics.evaluate(data, asked, label="grade", group="query", score=["other", "score"])
    rounded = sqlmetrics.evaluate(data, asked, label="grade", group="query", score=["other", "twice = other * 2"])
    assert all(agree(value, kendalltau(data["other"], data["grade"]).statistic) for value in rounded["kendall_tau"])


@pytest.mark.slow
def test_a_long_group_of_few_distinct_values() -> None:
    """A million rows are some hundred cells of equal score and label, and the work grows with the square of these."""
    data = long_list(1_000_000, 100, 4)
    result = sqlmetrics.evaluate(data, "kendall_tau, c = kendall_tau(variant='c')", **ROLES)
    assert agree(result["kendall_tau"][0], kendalltau(data["score"], data["grade"]).statistic)
    assert agree(result["c"][0], kendalltau(data["score"], data["grade"], variant="c").statistic)


IRRELEVANT = """{#-
title: Irrelevant items
formula: items without relevance, then the mean over groups
frame: ranked_items
truth: relevance
score: number
range: 0 and up
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


def test_a_metric_that_counts_items_without_gain_beside_ndcg(tmp_path: Path) -> None:
    """The built-in metrics read items that gain, and sort those alone; one that does not say so gets every item."""
    (tmp_path / "irrelevant.sql").write_text(IRRELEVANT, encoding="utf-8")
    sqlmetrics.register(tmp_path / "irrelevant.sql")
    data = random_lists(8)
    table = sqlmetrics.per_group(data, "ndcg, irrelevant", **ROLES)
    by_query = data.groupby("query")["grade"]
    assert table["irrelevant"].tolist() == by_query.apply(lambda grades: (grades < 1).sum()).tolist()
    assert table["n"].tolist() == by_query.size().tolist()
    alone = sqlmetrics.per_group(data, "ndcg", **ROLES)
    assert all(map(agree, table["ndcg"], alone["ndcg"]))
