"""Judgments in a separate relation, against trec_eval: unanswered topics, unjudged documents, TREC's files."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import pytrec_eval

import sqlmetrics
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests.compare import agree, assert_same
from tests.parameters import slow
from tests.variants import base_parameters, data_types_of, quiet

CUTS = (1, 3, 5, 30)
_CUT = {
    "map": "map_cut", "ndcg": "ndcg_cut", "precision": "P", "recall": "recall", "hit_rate": "success",
    "relative_precision": "relative_P",
}  # fmt: skip


#: Our spelling -> trec_eval's name. The lists have at most 12 items, so that the last cut is beyond all of them.
MEASURES = {
    "map": "map", "ndcg": "ndcg", "mrr": "recip_rank", "r_precision": "Rprec", "bpref": "bpref", "infap": "infAP",
    "set_precision": "set_P", "set_recall": "set_recall", "set_f": "set_F", "set_map": "set_map",
    "relative_precision": "set_relative_P", "utility": "utility",
    **{f"{name}@{k}": f"{measure}_{k}" for name, measure in _CUT.items() for k in CUTS},
    **{f"iprec_{r} = interpolated_precision(recall=0.{r})": f"iprec_at_recall_0.{r}0" for r in (1, 5)},
}  # fmt: skip
ROLES: dict[str, Any] = {"label": "relevance", "score": "score", "group": "topic", "item": "docno"}
TREC: dict[str, Any] = {"preset": "trec_eval", **ROLES}
Values = dict[str, dict[str, float]]


def column(spelling: str) -> str:
    return spelling.partition(" = ")[0].replace("@", "_at_")


def random_run(seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A run and its judgments; some topics are in only one of them, or have equal labels only.

    Scores have few values, and some differ only beyond 32 bits, which are ties for trec_eval.
    """
    rng = np.random.default_rng(seed)
    run, judgments = [], []
    for number in range(30):
        topic = f"t{number:02d}"
        case = ["usual", "unanswered", "unjudged", "nothing relevant", "all relevant", "usual", "usual"][number % 7]
        documents = [f"d{document}" for document in rng.permutation(40)]
        returned = documents[: rng.integers(1, 13)]
        if case != "unanswered":
            scores = rng.integers(1, 6, len(returned)) / 4 + rng.choice([0.0, 1e-9, 2e-9], len(returned))
            run += [(topic, document, score) for document, score in zip(returned, scores, strict=True)]
        if case != "unjudged":
            judged = [document for document in documents[:25] if rng.random() < 0.5] or documents[:1]
            pool = {"nothing relevant": [0, 0, -1], "all relevant": [1, 2]}.get(case, [-2, -1, 0, 0, 1, 2, 3])
            grades = rng.choice(pool, len(judged))
            judgments += [(topic, document, grade) for document, grade in zip(judged, grades, strict=True)]
    answers = pd.DataFrame([run[row] for row in rng.permutation(len(run))], columns=["topic", "docno", "score"])
    return answers, pd.DataFrame(judgments, columns=["topic", "docno", "relevance"])


def nonnegative_run(seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    run, judgments = random_run(seed)
    return run, judgments.assign(relevance=judgments["relevance"].clip(lower=0))


def by_trec_eval(run: pd.DataFrame, judgments: pd.DataFrame) -> Values:
    """Every measure of every topic that is both judged and answered."""
    uncut = ("recip_rank", "set_P", "set_recall", "set_F", "set_map", "set_relative_P")
    names = [name for name in MEASURES.values() if "_" not in name or name in uncut]
    names += [f"{name}.1,3,5,30" for name in _CUT.values()] + ["iprec_at_recall.0.10,0.50", "gm_map"]
    qrels: dict[str, dict[str, int]] = {}
    for topic, document, grade in judgments.itertuples(index=False):
        qrels.setdefault(topic, {})[document] = int(grade)
    results: dict[str, dict[str, float]] = {}
    for topic, document, score in run[["topic", "docno", "score"]].itertuples(index=False):
        results.setdefault(topic, {})[document] = float(score)
    values: Values = pytrec_eval.RelevanceEvaluator(qrels, set(names)).evaluate(results)
    return values


def mean(values: Values, measure: str) -> float:
    return sum(of_topic[measure] for of_topic in values.values()) / len(values)


def evaluate(run: Any, judgments: Any, **options: Any) -> pd.DataFrame:
    """All measures with trec_eval's conventions."""
    return quiet(lambda: sqlmetrics.evaluate(run, list(MEASURES), judgments=judgments, **{**TREC, **options}))


def assert_means(result: Any, expected: Values) -> None:
    for spelling, measure in MEASURES.items():
        assert agree(result[column(spelling)], mean(expected, measure)), (spelling, mean(expected, measure))


# Values


def test_per_group_and_evaluate_match_trec_eval() -> None:
    run, judgments = random_run(0)
    expected = by_trec_eval(run, judgments)
    table = quiet(lambda: sqlmetrics.per_group(run, list(MEASURES), judgments=judgments, **TREC))
    assert table["topic"].tolist() == sorted(expected)
    for row in table.to_dict("records"):
        for spelling, measure in MEASURES.items():
            value = expected[row["topic"]][measure]
            assert agree(row[column(spelling)], value), (row["topic"], spelling, row[column(spelling)], value)
    assert table["n"].tolist() == [int((run["topic"] == topic).sum()) for topic in table["topic"]]
    result = evaluate(run, judgments)
    assert result["n"][0] == run["topic"].isin(judgments["topic"]).sum()
    assert_means(result.iloc[0], expected)
    # For a topic, trec_eval's gm_map is the logarithm of its average precision, of 1e-5 at least.
    geometric = quiet(lambda: sqlmetrics.gm_map(run, judgments=judgments, **TREC))["gm_map"][0]
    assert agree(geometric, math.exp(mean(expected, "gm_map")))


def test_diagnostics_count_topics_that_only_the_run_or_the_judgments_have() -> None:
    run, judgments = random_run(3)
    judged = set(judgments["topic"])
    unanswered, unjudged = judged - set(run["topic"]), set(run["topic"]) - judged
    irrelevant = judged - set(judgments.loc[judgments["relevance"] >= 1, "topic"])
    assert unanswered
    for missing, counted in (("skip", judged - unanswered), ("zero", judged)):
        spec = f"map(missing='{missing}', negative='zero'), mrr(missing='{missing}', negative='zero')"
        result = sqlmetrics.evaluate(run, spec, by=[], judgments=judgments, diagnostics=True, **ROLES).iloc[0]
        dropped = run["topic"].isin(unjudged).sum()
        counts = [len(run) - dropped, len(counted), len(counted & irrelevant), len(unjudged), dropped]
        columns = ["n", "groups", "groups_skipped", "groups_unjudged", "rows_dropped"]
        assert result[columns].tolist() == counts
        assert min(counts) > 0


def test_group_weight_rejects_unanswered_topics_that_count() -> None:
    run, judgments = nonnegative_run(7)
    run = run.assign(importance=run["topic"].str[1:].astype(float) % 4, half=np.arange(len(run)) % 2)
    roles = {**ROLES, "group_weight": "importance", "judgments": judgments}
    for name, by, further in (
        ("map", None, {}), ("overlap@5", [[], ["half"]], {}), ("alpha_ndcg@5", None, {"subtopic": "part"}),
    ):  # fmt: skip
        with pytest.raises(sqlmetrics.BadParameter, match=r"group_weight: .* has no weight.*missing='skip'"):
            sqlmetrics.evaluate(run, name, by=by, **roles, **further)
    table = quiet(lambda: sqlmetrics.per_group(run, "map", **roles))
    assert_same(table, quiet(lambda: sqlmetrics.per_group(run, "map", **{**roles, "group_weight": None})))
    assert set(table["topic"]) == set(judgments["topic"])


@pytest.mark.slow
def test_scores_beyond_32_bits_are_those_of_trec_eval() -> None:
    """trec_eval compares scores as 32-bit numbers; the largest of these, written as a double, is finite."""
    run, judgments = random_run(0)
    assert_means(evaluate(run.assign(score=run["score"] * 1e30), judgments).iloc[0], by_trec_eval(run, judgments))
    result = evaluate(run.assign(score=run["score"] * 1e300), judgments)
    assert result["n"][0] == run["topic"].isin(judgments["topic"]).sum()
    judgments = pd.DataFrame({"topic": "t", "docno": ["a", "x"], "relevance": [1, 1]})
    for largest in (3.4028235e38, 3.40282356e38):
        run = pd.DataFrame({"topic": "t", "docno": ["z", "a", "x", "b"], "score": [largest, 1e39, -largest, -1e39]})
        assert_means(evaluate(run, judgments).iloc[0], by_trec_eval(run, judgments))


# Invalid and dropped judgments


def with_duplicate(judgments: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([judgments, judgments.head(1).assign(relevance=0)])


@pytest.mark.parametrize(("metrics", "change", "roles", "error", "message"), [
    ("map", lambda rows: rows.assign(relevance=-1), {}, "BadData", r"judgments holds a label that is negative.*\d in"),
    ("map(negative='zero'), mrr", lambda rows: rows.assign(relevance=-1), {}, "BadData", "negative"),
    ("map", lambda rows: rows.assign(relevance=np.inf), {}, "BadData", "judgments holds a label that is infinite"),
    ("err(max_label=2)", lambda rows: rows, {}, "BadData", r"above max_label=2 of err"),
    ("map", with_duplicate, {}, "BadData", r"judgments.*two judgments.*d\d+.*2 in all"),
    ("map", lambda rows: rows.drop(columns="relevance"), {}, "MissingColumn", "judgments: there is no column 'rel"),
    ("map, kendall_tau", lambda rows: rows, {}, "MissingColumn", "label: there is no column 'relevance'"),
    ("map", lambda rows: rows, {"item": None}, "BadParameter", "map needs item"),
    ("auc", lambda rows: rows, {"group": None, "item": None}, "BadParameter", "judgments is not used by auc"),
])  # fmt: skip
def test_evaluate_rejects_invalid_judgments(
    metrics: str, change: Callable[[pd.DataFrame], pd.DataFrame], roles: dict[str, Any], error: str, message: str
) -> None:
    run, judgments = nonnegative_run(0)
    with pytest.raises(getattr(sqlmetrics, error), match=message):
        sqlmetrics.evaluate(run, metrics, judgments=change(judgments), **{**ROLES, **roles})


def test_evaluate_rejects_a_document_twice_in_a_slice_of_a_topic() -> None:
    run, judgments = random_run(0)
    expected = by_trec_eval(run, judgments)
    with pytest.raises(sqlmetrics.BadData, match=rf"data.*one item twice.*{run['docno'][0]}.*2 in all"):
        evaluate(pd.concat([run, run.head(1).assign(score=9.0)]), judgments)
    # The same item in another slice is not a duplicate.
    twice = pd.concat([run.assign(system="a"), run.assign(system="b")])
    result = evaluate(twice, judgments, by="system")
    assert_means(result.iloc[0], expected)
    assert_means(result.iloc[1], expected)
    with pytest.raises(sqlmetrics.BadData, match="one item twice"):
        evaluate(twice, judgments, by=[[], ["system"]])


@pytest.mark.parametrize(("name", "missing"), [("relevance", math.nan), *slow(("topic", None), ("docno", None))])
def test_judgments_with_missing_values_are_dropped_with_a_warning(name: str, missing: float | None) -> None:
    run, judgments = nonnegative_run(0)
    columns = judgments.astype({"relevance": float}).to_dict("list")
    columns[name] = [missing, *columns[name][1:-1], None]
    with pytest.warns(sqlmetrics.DroppedRows, match="judgments in 2 rows"):
        result = sqlmetrics.evaluate(run, list(MEASURES), judgments=pa.table(columns), **TREC)
    assert_means(result.iloc[0], by_trec_eval(run, judgments.iloc[1:-1]))
    with pytest.raises(sqlmetrics.BadData, match="judgments in 2 rows"):
        sqlmetrics.evaluate(run, "map", judgments=pa.table(columns), strict=True, **ROLES)


@pytest.mark.parametrize("numbered", ["data", "judgments"])
def test_error_of_two_key_types_suggests_a_cast_that_works(numbered: str) -> None:
    tables = {
        name: table.assign(topic=table["topic"].str[1:].astype(int).astype(str))
        for name, table in zip(("data", "judgments"), nonnegative_run(0), strict=True)
    }
    expected = sqlmetrics.evaluate(tables["data"], "map", judgments=tables["judgments"], **ROLES)
    tables[numbered] = tables[numbered].astype({"topic": float})
    types = ("DOUBLE", "VARCHAR") if numbered == "data" else ("VARCHAR", "DOUBLE")
    message = f"group: column 'topic' is {types[0]} in the data and {types[1]} in judgments.*cast it"
    with pytest.raises(sqlmetrics.BadData, match=message) as error:
        sqlmetrics.evaluate(tables["data"], "map", judgments=tables["judgments"], **ROLES)
    roles, cast = dict(ROLES), str(error.value).split(" as in ")[1]
    if numbered == "data":
        roles["group"] = cast.removeprefix('group="').removesuffix('"')
    else:
        tables["judgments"] = duckdb.query_df(
            tables["judgments"], "numbers", f"select * replace ({cast} as topic) from numbers"
        ).df()
    result = sqlmetrics.evaluate(tables["data"], "map", judgments=tables["judgments"], **roles)
    pd.testing.assert_frame_equal(result, expected)


# Files of TREC


# Two runs, subtopics


def test_overlap_of_runs_with_different_documents() -> None:
    """The scores of the second run are any numbers; the expected values are those of the package rbo."""
    roles: dict[str, Any] = {"label": "score_b", "score": "score_a", "group": "topic", "item": "docno"}
    first = pd.DataFrame({"topic": "t", "docno": list("abcdefgh"), "score_a": np.arange(8)[::-1] - 4.0})
    second = pd.DataFrame({"topic": "t", "docno": list("bxacy"), "score_b": [0.5, 0.25, -1.0, -2.0, -30.0]})
    metrics = ["rbo", "cut = rbo(beyond='cut')", "overlap@3", "longer = overlap_at_k(k=6, divisor='longer')"]
    result = sqlmetrics.evaluate(first, metrics, judgments=second, **roles).iloc[0]
    assert result.tolist() == pytest.approx([8, 0.5473350000000001, 0.19304099999999996, 2 / 4, 3 / 6], abs=1e-9)


def test_subtopic_judgments_are_validated() -> None:
    run = pd.DataFrame({"q": [1, 1], "d": ["a", "b"], "s": [2.0, 1.0]})
    judged = pd.DataFrame({"q": [1, 1, 1], "d": ["a", "a", "c"], "t": ["x", "y", "x"], "y": [1, 1, 1]})
    roles: dict[str, Any] = {"group": "q", "item": "d", "score": "s", "label": "y", "subtopic": "t"}
    with_null = pd.concat([judged, judged.tail(1).assign(t=None)])
    with pytest.warns(sqlmetrics.DroppedRows, match="judgments in 1 row"):  # x has two relevant items, y has one
        assert sqlmetrics.evaluate(run, "map_ia", judgments=with_null, **roles)["map_ia"].item() == (1 / 2 + 1) / 2
    for metrics, judgments, changed, error, message in (
        ("map_ia", judged.assign(t="x"), {}, "BadData", "holds two judgments of one item for one subtopic of a group"),
        ("map_ia", judged.drop(columns="t"), {}, "MissingColumn", r"^judgments: there is no column 't'"),
        ("map_ia", judged, {"subtopic": None}, "BadParameter", "map_ia needs subtopic"),
        (["ndcg", "map_ia"], judged, {}, "BadParameter", "map_ia needs one per item and subtopic, ndcg one"),
    ):
        with pytest.raises(getattr(sqlmetrics, error), match=message):
            sqlmetrics.evaluate(run, metrics, judgments=judgments, **{**roles, **changed})


# Relevance of grade 0 and below


@pytest.mark.parametrize(("at", "judged"), [(0, True), (-1, False)])
def test_negative_labels_count_as_zero_for_relevant_at(at: float, judged: bool) -> None:
    """In a list of items that are all relevant, down to 0, each metric reaches its best value."""
    labels = pd.DataFrame({"q": 1, "d": list("abcd"), "y": [0, -1, 1, -2], "s": [4.0, 3.0, 2.0, 1.0]})
    data, relations = (labels.drop(columns="y"), {"judgments": labels}) if judged else (labels, {})
    names = ["map", "mrr", "r_precision", "bpref", "infap", "set_precision", "hit_rate", "set_recall"]
    metrics: list[dict[str, Any]] = [{"name": name, "relevant_at": at} for name in names]
    metrics.append({"name": "precision_at_k", "k": 2, "relevant_at": at})
    metrics.append({"name": "ndcg", "gain": "binary", "relevant_at": at})
    roles = {"label": "y", "score": "s", "group": "q", "item": "d"}
    result = sqlmetrics.evaluate(data, metrics, preset="trec_eval", **roles, **relations)
    assert result.iloc[0, 1:].tolist() == pytest.approx([1] * len(metrics), abs=1e-4)  # infap adds a small constant


def test_unjudged_items_are_irrelevant_at_zero() -> None:
    """The values equal those with all judged grades and the threshold one higher."""
    run, judgments = nonnegative_run(11)
    judged = [metric for metric in builtin_catalogue().metrics.values() if "judged ranks" in data_types_of(metric)]
    metrics = [each for each in judged if "relevant_at" in each.parameters and "propensity" not in each.roles()]
    options = [base_parameters(each) | ({"gain": "binary"} if "gain" in each.parameters else {}) for each in metrics]
    results = []
    for at in (0, 1):
        specs = [{"name": each.name, **own, "relevant_at": at} for each, own in zip(metrics, options, strict=True)]
        grades = judgments.assign(relevance=judgments["relevance"] + at)
        results.append(sqlmetrics.evaluate(run, specs, judgments=grades, **ROLES))
    assert_same(*results)
