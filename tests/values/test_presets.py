"""The presets against the packages with their conventions; trec_eval's is in test_judgments.py."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics.catalogue.vocabulary import PRESETS
from tests.compare import agree, assert_same
from tests.engines.servers import spark_session
from tests.optional import package
from tests.values.test_per_group import ROLES, lists

CUTS = (1, 3, 5, 30)
EVENT_ROLES: dict[str, Any] = {"label": "label", "score": "score"}


def random_events(seed: int, labels: tuple[int, ...] = (0, 1)) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    data = pd.DataFrame({"label": rng.choice(labels, 60), "score": rng.integers(1, 16, 60) / 16})
    return data.assign(weight=rng.choice([0.25, 1.0, 2.5], 60))


def assert_agree(result: Any, expected: dict[str, float]) -> None:
    for name, value in expected.items():
        assert agree(result[name], value), f"{name}: {result[name]!r}, {value!r}"


# All presets


def test_preset_replaces_defaults_only() -> None:
    data = lists()
    ours = sqlmetrics.evaluate(data, "a = ndcg(gain='exp'), b = ndcg", preset="sklearn", **ROLES)
    rest = "ties='average', empty='zero'"
    assert_same(
        ours, sqlmetrics.evaluate(data, f"a = ndcg(gain='exp', {rest}), b = ndcg(gain='linear', {rest})", **ROLES)
    )
    assert ours["a"][0] != ours["b"][0]


@pytest.mark.parametrize("preset", PRESETS)
def test_render_and_evaluate_take_a_preset(preset: Any) -> None:
    data = lists()
    roles = {**ROLES, "tie_key": "= -row"} if preset != "sklearn" else ROLES
    metrics = "ndcg@5, map(ties='worst'), precision@3"
    with duckdb.connect() as con:
        con.register("lists", data)
        rendered = con.execute(sqlmetrics.render(metrics, relation="lists", preset=preset, **roles)).df()
    assert_same(rendered, sqlmetrics.evaluate(data, metrics, preset=preset, **roles))
    if preset != "sklearn":  # the other presets order ties by a key
        message = rf"ndcg: ties='key' \(set by the preset '{preset}'\) needs the role tie_key"
        with pytest.raises(sqlmetrics.BadParameter, match=message):
            sqlmetrics.evaluate(data, "ndcg", preset=preset, **ROLES)


def test_evaluate_rejects_unknown_presets() -> None:
    with pytest.raises(sqlmetrics.BadParameter, match="'sklearn' or 'trec_eval' or 'lightgbm' or 'spark', not 'ranx'"):
        sqlmetrics.evaluate(lists(), "ndcg", preset="ranx", **ROLES)  # type: ignore[arg-type]


# scikit-learn, whose values are compared in test_names.py


# LightGBM, whose other metrics are compared in test_names.py


def by_lightgbm(
    data: pd.DataFrame, metric: list[str], objective: str, options: Any = None, **fields: Any
) -> dict[str, float]:
    """LightGBM's evaluation of scores, passed as its initial scores, before any tree is grown."""
    lightgbm = package("lightgbm")
    scores = data[["p0", "p1", "p2"]].to_numpy() if options else data["score"]
    fields |= {"init_score": scores, "params": {"verbosity": -1}}
    dataset = lightgbm.Dataset(np.zeros((len(data), 1)), label=data["label"], **fields)
    settings = {"objective": objective, "metric": metric, "eval_at": list(CUTS), "boost_from_average": False}
    booster = lightgbm.Booster({**settings, "num_threads": 1, "verbosity": -1, **(options or {})}, dataset)
    return {name: float(value) for _, name, value, _ in booster.eval_train()}


# Spark


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with spark_session() as session:
        yield session.sparkContext


def evaluation(spark: Any, name: str, rows: list[Any]) -> Any:
    """Spark's evaluation of rows; Spark builds it with a class that it deprecates itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return getattr(package("pyspark.mllib.evaluation"), name)(spark.parallelize(rows, 1))


@pytest.mark.slow
def test_spark_preset_matches_ranking_metrics(spark: Any) -> None:
    """With relevant items that were not returned, and queries without relevant or without returned items."""
    data = lists().assign(item=lambda rows: "i" + rows["row"].astype(str))
    rng = np.random.default_rng(0)
    more = pd.DataFrame({"query": [f"q{n:02d}" for n in rng.integers(0, 30, 30)], "grade": rng.integers(0, 3, 30)})
    judgments = pd.concat([data[["query", "item", "grade"]], more.assign(item=[f"j{row}" for row in range(30)])])
    ranked = data.sort_values(["score", "row"], ascending=[False, True])
    relevant = judgments[judgments["grade"] >= 1]  # RankingMetrics has no grades
    rows = [
        tuple(items.loc[items["query"] == query, "item"].tolist() for items in (ranked, relevant))
        for query in sorted(judgments["query"].unique())
    ]
    assert any(not returned for returned, _ in rows)
    assert any(not wanted for _, wanted in rows)
    theirs = evaluation(spark, "RankingMetrics", rows)
    expected = {"map": theirs.meanAveragePrecision}
    for k in CUTS:
        expected[f"map_at_{k}"] = theirs.meanAveragePrecisionAt(k)
        expected[f"ndcg_at_{k}"] = theirs.ndcgAt(k)
        expected[f"precision_at_{k}"] = theirs.precisionAt(k)
        expected[f"recall_at_{k}"] = theirs.recallAt(k)
    metrics = [name.replace("_at_", "@") for name in expected]
    options: dict[str, Any] = {**ROLES, "item": "item", "tie_key": "= -row", "preset": "spark"}
    result = sqlmetrics.evaluate(data.sample(frac=1, random_state=1), metrics, judgments=judgments, **options)
    assert_agree(result.iloc[0], expected)


@pytest.mark.slow
def test_spark_preset_matches_binary_and_multiclass_metrics(spark: Any) -> None:
    """An area without positives is 0, without negatives 1; probabilities of 0 and 1 are clipped as in Spark."""
    for labels, weight in (((0, 1), None), ((0,), None), ((1,), None), ((0, 1), "weight")):
        data = random_events(1, labels)
        columns = ["score", "label", *([weight] if weight else [])]
        rows = [tuple(map(float, row)) for row in data[columns].itertuples(index=False)]
        theirs = evaluation(spark, "BinaryClassificationMetrics", rows)
        result = sqlmetrics.evaluate(data, "auc, pr_auc", preset="spark", weight=weight, **EVENT_ROLES)
        assert_agree(result.iloc[0], {"auc": theirs.areaUnderROC, "pr_auc": theirs.areaUnderPR})
    probabilities = [(0.7, 0.2, 0.1), (0.0, 0.5, 0.5), (0.3, 0.3, 0.4), (1.0, 0.0, 0.0), (0.2, 0.8, 0.0)]
    data = pd.DataFrame(probabilities, columns=["a", "b", "c"]).assign(label=[0, 0, 2, 0, 1], weight=[1.0, 2, 1, 3, 1])
    vectors = [(0.0, float(row.label), row.weight, [row.a, row.b, row.c]) for row in data.itertuples()]
    spec = "value = multi_log_loss(scores={0: 'a', 1: 'b', 2: 'c'})"
    result = sqlmetrics.evaluate(data, spec, preset="spark", label="label", weight="weight")
    assert_agree(result.iloc[0], {"value": evaluation(spark, "MulticlassMetrics", vectors).logLoss()})
