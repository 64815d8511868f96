"""The presets, each against the very package whose conventions it takes; trec_eval's is in test_judgments.py."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sklearn_metrics

import sqlmetrics
from sqlmetrics.catalogue import builtin_catalogue
from sqlmetrics.definitions import PRESETS, parameter_definition
from sqlmetrics.rendering import call_macro
from tests.compare import agree, differences
from tests.engines.servers import spark_session
from tests.optional import package
from tests.tiers import slow

CUTS = (1, 3, 5, 30)
SEEDS = range(6)
#: Lists are alike; of events the later seeds are special.
SEEDS_OF_LISTS = [0, *slow(*SEEDS[1:])]
SEEDS_OF_EVENTS = [0, *slow(1, 2), *SEEDS[3:]]
ROLES = {"label": "grade", "score": "score", "group": "query"}


def random_lists(seed: int, queries: int = 20, grades: int = 4) -> pd.DataFrame:
    """Short lists of graded items with few distinct scores, every fourth without a relevant item.

    The scores are 32-bit numbers exactly, `place` numbers the rows, and the lists are shorter than the last cut.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for query in range(queries):
        length = rng.integers(2, 13)
        labels = rng.integers(0, grades, length) * (rng.random(length) < 0.5) if query % 4 else np.zeros(length, int)
        rows += [
            (query, int(label), score / 8) for label, score in zip(labels, rng.integers(0, 6, length), strict=True)
        ]
    data = pd.DataFrame(rows, columns=["query", "grade", "score"])
    return data.assign(place=range(len(data)))


def random_events(seed: int, rows: int = 60) -> pd.DataFrame:
    """Labels with few distinct probabilities; the later seeds hold one class only, or call nothing positive."""
    rng = np.random.default_rng(seed)
    data = pd.DataFrame({"label": rng.integers(0, 2, rows), "score": rng.integers(1, 16, rows) / 16})
    if seed == 3:
        data["label"] = 0
    elif seed == 4:
        data["label"] = 1
    elif seed == 5:
        data["score"] /= 4
    return data.assign(weight=rng.choice([0.25, 1.0, 2.5], rows))


def shuffled(data: pd.DataFrame) -> pd.DataFrame:
    """The same rows in another order: what a tool takes from the order of the rows reaches us as a key."""
    return data.sample(frac=1, random_state=1)


def assert_agree(result: Any, expected: dict[str, float], note: Any = "") -> None:
    assert expected
    for name, value in expected.items():
        assert agree(result[name], value), f"{note} {name}: {result[name]!r}, {value!r}"


# Presets in general


def test_a_preset_stands_in_for_defaults_only() -> None:
    data = random_lists(1)
    ours = sqlmetrics.evaluate(data, "a = ndcg(gain='exp'), b = ndcg", preset="sklearn", **ROLES)
    plain = sqlmetrics.evaluate(
        data,
        "a = ndcg(gain='exp', ties='average', empty='zero'), b = ndcg(gain='linear', ties='average', empty='zero')",
        **ROLES,
    )
    assert not differences(ours, plain)
    assert ours["a"][0] != ours["b"][0]


def test_no_rows_are_undefined_with_every_preset() -> None:
    nothing = random_events(0).head(0)
    for preset in PRESETS:
        asked = "auc, average_precision, pr_auc"
        result = sqlmetrics.evaluate(nothing, asked, label="label", score="score", preset=preset)
        assert result.iloc[0, 1:].isna().all(), preset


@pytest.mark.parametrize("preset", PRESETS)
def test_a_rendered_preset_is_the_one_that_is_evaluated(preset: str) -> None:
    data = random_lists(2)
    roles = {**ROLES, "tie_key": "= -place"} if preset != "sklearn" else ROLES
    asked = "ndcg@5, map(ties='worst'), precision@3"
    with duckdb.connect() as con:
        con.register("lists", data)
        text = sqlmetrics.render(asked, relation="lists", preset=preset, **roles)
        rendered = con.execute(text).df()
    assert not differences(rendered, sqlmetrics.evaluate(data, asked, preset=preset, **roles))


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(sqlmetrics.BadParameter, match="'sklearn' or 'trec_eval' or 'lightgbm' or 'spark', not 'ranx'"):
        sqlmetrics.evaluate(random_lists(1), "ndcg", preset="ranx", **ROLES)  # type: ignore[arg-type]


def test_every_value_of_a_preset_is_one_that_its_parameter_takes() -> None:
    checked = set()
    for metric in builtin_catalogue().metrics.values():
        for parameter in metric.parameters.values():
            for preset, value in parameter.presets.items():
                found = parameter_definition(parameter)
                assert call_macro(builtin_catalogue(), "duckdb", "parameter_fits", found, value)
                checked.add(preset)
    assert checked == set(PRESETS)


@pytest.mark.parametrize("preset", ["trec_eval", "lightgbm", "spark"])
def test_a_preset_that_orders_ties_by_a_key_asks_for_one(preset: str) -> None:
    words = rf"ndcg: ties='key' \(set by the preset '{preset}'\) needs the role tie_key"
    with pytest.raises(sqlmetrics.BadParameter, match=words):
        sqlmetrics.evaluate(random_lists(1), "ndcg", preset=preset, **ROLES)  # type: ignore[arg-type]


# scikit-learn


def quietly(function: Callable[..., Any], *arguments: Any, **options: Any) -> float:
    """scikit-learn's value, without its warning that one class only is there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(function(*arguments, **options))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", SEEDS_OF_EVENTS)
def test_sklearn_at_a_threshold(seed: int, weighted: bool) -> None:
    data = random_events(seed)
    weight = {"sample_weight": data["weight"]} if weighted else {}
    truth, called = data["label"], (data["score"] >= 0.5).astype(int)
    expected = {
        name: quietly(getattr(sklearn_metrics, function), truth, called, **options, **weight)
        for name, function, options in [
            ("accuracy", "accuracy_score", {}),
            ("precision", "precision_score", {}),
            ("recall", "recall_score", {}),
            ("f1", "f1_score", {}),
            ("f2", "fbeta_score", {"beta": 2}),
            ("specificity", "recall_score", {"pos_label": 0}),
            ("mcc", "matthews_corrcoef", {}),
        ]
    }
    asked = "accuracy, precision, recall, f1, f2 = fbeta(beta=2), specificity, mcc"
    roles = {"label": "label", "score": "score", **({"weight": "weight"} if weighted else {})}
    assert_agree(sqlmetrics.evaluate(data, asked, preset="sklearn", **roles).iloc[0], expected)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", SEEDS_OF_EVENTS)
def test_sklearn_over_all_thresholds(seed: int, weighted: bool) -> None:
    data = random_events(seed)
    weight = {"sample_weight": data["weight"]} if weighted else {}
    expected = {
        "auc": quietly(sklearn_metrics.roc_auc_score, data["label"], data["score"], **weight),
        "average_precision": quietly(sklearn_metrics.average_precision_score, data["label"], data["score"], **weight),
        "log_loss": quietly(sklearn_metrics.log_loss, data["label"], data["score"], labels=[0, 1], **weight),
    }
    roles = {"label": "label", "score": "score", **({"weight": "weight"} if weighted else {})}
    result = sqlmetrics.evaluate(data, list(expected), preset="sklearn", **roles)
    assert_agree(result.iloc[0], expected)


@pytest.mark.parametrize("seed", SEEDS_OF_LISTS)
def test_sklearn_ranking(seed: int) -> None:
    data = random_lists(seed)
    asked = [f"{name}@{k}" for name in ("dcg", "ndcg") for k in CUTS] + ["dcg", "ndcg"]
    result = sqlmetrics.per_group(shuffled(data), asked, preset="sklearn", **ROLES)
    expected: dict[str, list[float]] = {}
    for _, rows in data.groupby("query"):
        for function in (sklearn_metrics.dcg_score, sklearn_metrics.ndcg_score):
            for k in (*CUTS, None):
                name = function.__name__.removesuffix("_score") + (f"_at_{k}" if k else "")
                expected.setdefault(name, []).append(function([rows["grade"]], [rows["score"]], k=k))
    for name, values in expected.items():
        assert all(map(agree, result[name], values)), name
    means = sqlmetrics.evaluate(data, asked, preset="sklearn", **ROLES).iloc[0]
    assert_agree(means, {name: float(np.mean(values)) for name, values in expected.items()})


@pytest.mark.parametrize(
    ("asked", "labels", "scores", "expected"),
    [
        ("r2", [2, 2, 2], [1, 2, 3], 0),
        ("r2", [2, 2, 2], [2, 2, 2], 1),
        ("explained_variance", [2, 2, 2], [1, 2, 3], 0),
        ("explained_variance", [2, 2, 2], [1, 1, 1], 1),
        ("d2_absolute_error", [2, 2, 2], [1, 2, 3], 0),
        ("d2_absolute_error", [2, 2, 2], [2, 2, 2], 1),
        ("d2_pinball", [2, 2, 2], [1, 2, 3], 0),
        ("d2_pinball", [2, 2, 2], [2, 2, 2], 1),
        ("balanced_accuracy", [1] * 20, [0.75] * 9 + [0.25] * 11, 0.45),
        ("balanced_accuracy", [0, 0], [0.75, 0.25], 0.5),
        ("balanced_accuracy", [0, 0], [0.25, 0.25], 1),
        ("pr_auc", [0, 0], [0.75, 0.25], 0.5),
    ],
)
def test_sklearn_has_a_value_where_there_is_none_by_default(
    asked: str, labels: list[float], scores: list[float], expected: float
) -> None:
    data = pd.DataFrame({"label": labels, "score": scores})
    roles = {"label": "label", "score": "score"}
    assert agree(sqlmetrics.evaluate(data, asked, preset="sklearn", **roles)[asked][0], expected)
    assert pd.isna(sqlmetrics.evaluate(data, asked, **roles)[asked][0])


def test_the_unit_of_a_preset() -> None:
    data = pd.DataFrame({"label": [4.0, 8.0, 2.0], "score": [5.0, 8.0, 2.25]})
    roles = {"label": "label", "score": "score"}
    for preset, expected in {None: 12.5, "sklearn": 0.125, "lightgbm": 0.125}.items():
        assert agree(sqlmetrics.evaluate(data, "mape", preset=preset, **roles)["mape"][0], expected), preset


def test_negative_grades_lower_the_sum_of_sklearn() -> None:
    data = pd.DataFrame({"query": [1, 1, 2, 2], "grade": [2, -1, -1, -2], "score": [0.5, 0.25, 0.5, 0.25]})
    expected = [2 - 1 / np.log2(3), -1 - 2 / np.log2(3)]
    table = sqlmetrics.per_group(data, "dcg", preset="sklearn", **ROLES)
    assert table["dcg"].tolist() == pytest.approx(expected, rel=1e-12)
    many = pd.concat([data.assign(query=data["query"] + 2 * copy) for copy in range(20)])
    [row] = sqlmetrics.evaluate(many, "dcg", preset="sklearn", confidence=0.95, **ROLES).to_dict("records")
    assert row["dcg"] == pytest.approx(np.mean(expected), rel=1e-12)
    assert row["dcg_low"] < row["dcg"] < min(0, row["dcg_high"])
    for asked, preset in (("dcg", None), ("ndcg", "sklearn"), ("dcg, ndcg", "sklearn")):
        with pytest.raises(sqlmetrics.BadData, match="negative"):
            sqlmetrics.evaluate(data, asked, preset=preset, **ROLES)
    # Plain SQL refuses nothing, and sorts once for both.
    both = sqlmetrics.render("dcg, ndcg", relation="lists", preset="sklearn", **ROLES)
    assert both.count("row_number() over (partition by group_id order by score desc") == 1
    with duckdb.connect() as con:
        con.register("lists", data)
        assert con.execute(both).df()["dcg"][0] == pytest.approx(np.mean(expected), rel=1e-12)


# LightGBM


def by_lightgbm(
    data: pd.DataFrame, metric: list[str], objective: str, truth: str = "label", **fields: Any
) -> dict[str, float]:
    """LightGBM's evaluation of scores that are given as what to start from, before any tree is grown."""
    lightgbm = package("lightgbm")
    dataset = lightgbm.Dataset(
        np.zeros((len(data), 1)), label=data[truth], init_score=data["score"], params={"verbosity": -1}, **fields
    )
    parameters = {
        "objective": objective,
        "metric": metric,
        "eval_at": list(CUTS),
        "boost_from_average": False,
        "num_threads": 1,
        "verbosity": -1,
    }
    return {name: float(value) for _, name, value, _ in lightgbm.Booster(parameters, dataset).eval_train()}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", SEEDS_OF_EVENTS)
def test_lightgbm_binary(seed: int, weighted: bool) -> None:
    """One class only (seeds 3 and 4) has an AUC and an average precision of 1."""
    data = random_events(seed)
    data.loc[:3, "score"] = [0.0, 1.0, 0.0, 1.0]  # where the logarithm is cut off
    names = ["auc", "average_precision", "binary_logloss"]
    found = by_lightgbm(data, names, "none", **({"weight": data["weight"]} if weighted else {}))
    roles = {"label": "label", "score": "score", **({"weight": "weight"} if weighted else {})}
    result = sqlmetrics.evaluate(data, "auc, average_precision, binary_logloss = log_loss", preset="lightgbm", **roles)
    assert_agree(result.iloc[0], {name: found[name] for name in names})


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", SEEDS_OF_LISTS)
def test_lightgbm_ranking(seed: int, weighted: bool) -> None:
    """The order of the rows decides ties; a list without a relevant item counts 1; its weight is its rows' mean."""
    data = random_lists(seed)
    data["importance"] = data["query"] % 3 + 0.5
    if weighted:  # LightGBM's NDCG adds 1 for a list without a relevant item, whatever its weight
        data = data[data.groupby("query")["grade"].transform("max") > 0]
    fields = {"group": data.groupby("query").size()} | ({"weight": data["importance"]} if weighted else {})
    found = by_lightgbm(data, ["ndcg", "map"], "lambdarank", "grade", **fields)
    assert sorted(found) == sorted(f"{name}@{k}" for name in ("ndcg", "map") for k in CUTS)
    roles = {**ROLES, "tie_key": "= -place", **({"group_weight": "importance"} if weighted else {})}
    result = sqlmetrics.evaluate(shuffled(data), list(found), preset="lightgbm", **roles)
    assert_agree(result.iloc[0], {name.replace("@", "_at_"): value for name, value in found.items()})


@pytest.mark.parametrize("seed", SEEDS_OF_LISTS)
def test_lightgbm_of_every_list(seed: int) -> None:
    data = random_lists(seed)
    asked = [f"{name}@{k}" for name in ("ndcg", "map") for k in CUTS]
    table = sqlmetrics.per_group(shuffled(data), asked, preset="lightgbm", tie_key="= -place", **ROLES)
    for (query, rows), row in zip(data.groupby("query"), table.to_dict("records"), strict=True):
        found = by_lightgbm(rows, ["ndcg", "map"], "lambdarank", "grade", group=[len(rows)])
        assert row["query"] == query
        assert_agree(row, {name.replace("@", "_at_"): value for name, value in found.items()}, query)


# Spark


@pytest.fixture(scope="module", params=slow("local"))
def spark() -> Iterator[Any]:
    with spark_session() as session:
        yield session.sparkContext


def evaluation(spark: Any, name: str, rows: list[Any]) -> Any:
    """Spark's evaluation of rows; it builds it by a class that it calls deprecated itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return getattr(package("pyspark.mllib.evaluation"), name)(spark.parallelize(rows, 1))


def spark_lists(seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Lists, and judgments of more: relevant items not returned, queries with nothing relevant or nothing returned."""
    data = random_lists(seed)
    data["item"] = [f"i{place}" for place in data["place"]]
    rng = np.random.default_rng(seed)
    more = pd.DataFrame({"query": rng.integers(0, 25, 30), "grade": rng.integers(0, 3, 30)})
    more["item"] = [f"j{number}" for number in range(len(more))]
    return data, pd.concat([data[["query", "item", "grade"]], more])


def as_spark_takes_them(data: pd.DataFrame, judgments: pd.DataFrame) -> list[tuple[list[str], list[str]]]:
    """Per query the items in their order, and the relevant ones: Spark knows of no grades here."""
    ranked = data.sort_values(["score", "place"], ascending=[False, True])
    relevant = judgments[judgments["grade"] >= 1]
    rows = [
        tuple(items.loc[items["query"] == query, "item"].tolist() for items in (ranked, relevant))
        for query in sorted(judgments["query"].unique())
    ]
    assert any(not returned for returned, _ in rows)
    assert any(not wanted for _, wanted in rows)
    return rows


def spark_preset(data: pd.DataFrame, judgments: pd.DataFrame, asked: list[str]) -> Any:
    roles = {**ROLES, "item": "item", "tie_key": "= -place"}
    return sqlmetrics.evaluate(shuffled(data), asked, preset="spark", judgments=judgments, **roles).iloc[0]


@pytest.mark.parametrize("seed", range(2))
def test_spark_ranking(spark: Any, seed: int) -> None:
    data, judgments = spark_lists(seed)
    theirs = evaluation(spark, "RankingMetrics", as_spark_takes_them(data, judgments))
    expected = {"map": theirs.meanAveragePrecision}
    for k in CUTS:
        expected |= {
            f"map_at_{k}": theirs.meanAveragePrecisionAt(k),
            f"ndcg_at_{k}": theirs.ndcgAt(k),
            f"precision_at_{k}": theirs.precisionAt(k),
            f"recall_at_{k}": theirs.recallAt(k),
        }
    asked = [name.replace("_at_", "@") for name in expected]
    assert_agree(spark_preset(data, judgments, asked), expected)


@pytest.mark.parametrize("seed", [0, 3, 4])
def test_spark_binary(spark: Any, seed: int) -> None:
    """One class only: the area under ROC is 0 without positives and 1 without negatives, as is that under PR."""
    data = random_events(seed)
    theirs = evaluation(
        spark, "BinaryClassificationMetrics", [(float(r.score), float(r.label)) for r in data.itertuples()]
    )
    result = sqlmetrics.evaluate(data, "auc, pr_auc", preset="spark", label="label", score="score")
    assert_agree(result.iloc[0], {"auc": theirs.areaUnderROC, "pr_auc": theirs.areaUnderPR})


def test_spark_binary_weighted(spark: Any) -> None:
    data = random_events(1)
    rows = [(float(r.score), float(r.label), float(r.weight)) for r in data.itertuples()]
    theirs = evaluation(spark, "BinaryClassificationMetrics", rows)
    result = sqlmetrics.evaluate(data, "auc, pr_auc", preset="spark", label="label", score="score", weight="weight")
    assert_agree(result.iloc[0], {"auc": theirs.areaUnderROC, "pr_auc": theirs.areaUnderPR})


def test_spark_log_loss(spark: Any) -> None:
    """Probabilities of 0 and 1 are kept as far from both as Spark keeps them."""
    probabilities = [(0.7, 0.2, 0.1), (0.0, 0.5, 0.5), (0.3, 0.3, 0.4), (1.0, 0.0, 0.0), (0.2, 0.8, 0.0)]
    data = pd.DataFrame(probabilities, columns=["a", "b", "c"]).assign(label=[0, 0, 2, 0, 1], weight=[1.0, 2, 1, 3, 1])
    vectors = [(0.0, float(row.label), row.weight, [row.a, row.b, row.c]) for row in data.itertuples()]
    theirs = evaluation(spark, "MulticlassMetrics", vectors).logLoss()
    asked = "multi_log_loss(scores={0: 'a', 1: 'b', 2: 'c'})"
    result = sqlmetrics.evaluate(data, f"found = {asked}", preset="spark", label="label", weight="weight")
    assert_agree(result.iloc[0], {"found": theirs})
