"""Judgments as a relation of their own, against trec_eval: documents never returned, and topics never judged."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import pytrec_eval

import sqlmetrics
from tests.compare import agree, assert_same
from tests.optional import real_data
from tests.tiers import slow
from tests.variants import quiet

#: Our spelling -> trec_eval's name for the value. The lists hold up to 12 items: the last cut lies beyond all of them.
MEASURES = {
    "map": "map",
    "ndcg": "ndcg",
    "mrr": "recip_rank",
    "r_precision": "Rprec",
    "bpref": "bpref",
    "infap": "infAP",
    "set_precision": "set_P",
    "set_recall": "set_recall",
    "set_f": "set_F",
    "set_map": "set_map",
    "relative_precision": "set_relative_P",
    "utility": "utility",
    **{f"map@{k}": f"map_cut_{k}" for k in (1, 3, 5, 30)},
    **{f"ndcg@{k}": f"ndcg_cut_{k}" for k in (1, 3, 5, 30)},
    **{f"precision@{k}": f"P_{k}" for k in (1, 3, 5, 30)},
    **{f"recall@{k}": f"recall_{k}" for k in (1, 3, 5, 30)},
    **{f"hit_rate@{k}": f"success_{k}" for k in (1, 3, 5, 30)},
    **{f"relative_precision@{k}": f"relative_P_{k}" for k in (1, 3, 5, 30)},
    **{f"iprec_{r} = interpolated_precision(recall=0.{r})": f"iprec_at_recall_0.{r}0" for r in (1, 5)},
}
CUT_MEASURES = ("map_cut", "ndcg_cut", "P", "recall", "success", "relative_P")
ROLES = {"label": "relevance", "score": "score", "group": "topic", "item": "docno"}
Values = dict[str, dict[str, float]]


def column(spelling: str) -> str:
    return spelling.partition(" = ")[0].replace("@", "_at_")


def random_run(seed: int, topics: int = 30) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A run and its judgments: every way in which the two can fail to meet, in topics of their own kind.

    Scores have few values, and some that differ only where a 32-bit number does not: trec_eval takes them for ties.
    """
    rng = np.random.default_rng(seed)
    run, judgments = [], []
    for number in range(topics):
        topic = f"t{number:02d}"
        kind = ["usual", "unanswered", "unjudged", "nothing relevant", "all relevant", "usual", "usual"][number % 7]
        documents = [f"d{document}" for document in rng.permutation(40)]
        returned = documents[: rng.integers(1, 13)]
        if kind != "unanswered":
            scores = rng.integers(1, 6, len(returned)) / 4 + rng.choice([0.0, 1e-9, 2e-9], len(returned))
            run += [(topic, document, score) for document, score in zip(returned, scores, strict=True)]
        if kind != "unjudged":
            judged = [document for document in documents[:25] if rng.random() < 0.5] or documents[:1]
            grades = {
                "nothing relevant": rng.choice([0, 0, -1], len(judged)),
                "all relevant": rng.choice([1, 2], len(judged)),
            }.get(kind, rng.choice([-2, -1, 0, 0, 1, 2, 3], len(judged)))
            judgments += [(topic, document, grade) for document, grade in zip(judged, grades, strict=True)]
    order = rng.permutation(len(run))
    return (
        pd.DataFrame(run, columns=["topic", "docno", "score"]).iloc[order].reset_index(drop=True),
        pd.DataFrame(judgments, columns=["topic", "docno", "relevance"]),
    )


def by_trec_eval(run: pd.DataFrame, judgments: pd.DataFrame) -> Values:
    """Every measure of every topic that is both judged and answered."""
    uncut = ("recip_rank", "set_P", "set_recall", "set_F", "set_map", "set_relative_P")
    names = [name for name in MEASURES.values() if "_" not in name or name in uncut]
    names += [f"{name}.1,3,5,30" for name in CUT_MEASURES] + ["iprec_at_recall.0.10,0.50", "gm_map"]
    qrels: dict[str, dict[str, int]] = {}
    for topic, document, grade in judgments.itertuples(index=False):
        qrels.setdefault(topic, {})[document] = int(grade)
    results: dict[str, dict[str, float]] = {}
    for topic, document, score in run[["topic", "docno", "score"]].itertuples(index=False):
        results.setdefault(topic, {})[document] = float(score)
    found: Values = pytrec_eval.RelevanceEvaluator(qrels, set(names)).evaluate(results)
    return found


def mean(found: Values, measure: str, topics: int | None = None) -> float:
    return sum(values[measure] for values in found.values()) / (topics or len(found))


def ours(run: Any, judgments: Any, **options: Any) -> pd.DataFrame:
    return quiet(
        lambda: sqlmetrics.evaluate(
            run, list(MEASURES), judgments=judgments, **{"preset": "trec_eval", **ROLES, **options}
        )
    )


def ours_per_topic(run: Any, judgments: Any, **options: Any) -> pd.DataFrame:
    return quiet(
        lambda: sqlmetrics.per_group(
            run, list(MEASURES), judgments=judgments, **{"preset": "trec_eval", **ROLES, **options}
        )
    )


def assert_means(result: Any, found: Values, topics: int | None = None) -> None:
    for spelling, measure in MEASURES.items():
        expected = mean(found, measure, topics)
        assert agree(result[column(spelling)], expected), f"{spelling}: {result[column(spelling)]}, {expected}"


# trec_eval


#: What was returned, from the first document, and the grades of what was judged.
ODD_TOPICS: dict[str, tuple[dict[str, float], dict[str, int]]] = {
    "all relevant": ({"a": 0.5, "b": 0.25}, {"a": 1, "b": 2}),
    "equal scores": ({"a": 0.5, "b": 0.5, "c": 0.5}, {"a": 0, "b": 2, "c": 1}),
    "negative grades alone": ({"a": 0.5, "b": 0.25}, {"a": -1, "b": -2}),
    "negative grades": ({"a": 0.75, "b": 0.5, "c": 0.25}, {"a": -1, "b": 2, "c": 0}),
    "none of them judged": ({"a": 0.5, "b": 0.25}, {"c": 1}),
    "nothing relevant": ({"a": 0.5, "b": 0.25}, {"a": 0, "b": 0}),
    "one document": ({"a": 0.5}, {"a": 0}),
    "one relevant document": ({"a": 0.5}, {"a": 1}),
}


def odd_run() -> tuple[pd.DataFrame, pd.DataFrame]:
    run = [(topic, *of) for topic, (returned, _) in ODD_TOPICS.items() for of in returned.items()]
    judgments = [(topic, *of) for topic, (_, judged) in ODD_TOPICS.items() for of in judged.items()]
    return (
        pd.DataFrame(run, columns=["topic", "docno", "score"]),
        pd.DataFrame(judgments, columns=["topic", "docno", "relevance"]),
    )


@pytest.mark.parametrize("seed", ["odd topics", *range(4), *slow(*range(4, 12))])
def test_every_topic_is_that_of_trec_eval(seed: int | str) -> None:
    run, judgments = odd_run() if isinstance(seed, str) else random_run(seed)
    found = by_trec_eval(run, judgments)
    result = ours_per_topic(run, judgments)
    assert result["topic"].tolist() == sorted(found)
    assert result["n"].tolist() == [int((run["topic"] == topic).sum()) for topic in result["topic"]]
    for row in result.to_dict("records"):
        for spelling, measure in MEASURES.items():
            expected = found[row["topic"]][measure]
            assert agree(row[column(spelling)], expected), (
                f"{row['topic']}, {spelling}: {row[column(spelling)]}, {expected}"
            )


@pytest.mark.parametrize("seed", [*range(2), *slow(2, 3)])
def test_the_means_are_those_of_trec_eval(seed: int) -> None:
    run, judgments = random_run(seed)
    result = ours(run, judgments)
    assert result["n"][0] == run["topic"].isin(judgments["topic"]).sum()
    found = by_trec_eval(run, judgments)
    assert_means(result.iloc[0], found)
    # A topic's gm_map is the logarithm of its average precision, of 1e-5 at least.
    geometric = quiet(lambda: sqlmetrics.gm_map(run, judgments=judgments, preset="trec_eval", **ROLES))["gm_map"][0]
    assert agree(geometric, math.exp(mean(found, "gm_map")))


def test_unanswered_topics_count_as_nothing_where_they_are_asked_to() -> None:
    run, judgments = random_run(3)
    found = by_trec_eval(run, judgments)
    topics = judgments["topic"].nunique()
    unanswered = set(judgments["topic"]) - set(run["topic"])
    assert len(unanswered) == topics - len(found) > 0
    asked = [{"name": "map", "as": "map", "missing": "zero"}, {"name": "ndcg", "k": 5, "as": "ndcg", "missing": "zero"}]
    options = {"judgments": judgments, "preset": "trec_eval", **ROLES}
    result = sqlmetrics.evaluate(run, asked, **options)
    assert agree(result["map"][0], mean(found, "map", topics))
    assert agree(result["ndcg"][0], mean(found, "ndcg_cut_5", topics))
    table = sqlmetrics.per_group(run, asked, **options)
    assert table["topic"].tolist() == sorted(set(judgments["topic"]))
    nothing = table[table["topic"].isin(unanswered)]
    assert nothing[["n", "map", "ndcg"]].to_numpy().tolist() == [[0, 0.0, 0.0]] * len(unanswered)


def test_a_topic_that_one_metric_leaves_out_has_no_value_of_it_beside_others() -> None:
    """That of a topic without anything relevant it is not: the mean over the table is the metric."""
    run, judgments = random_run(3)
    asked = [
        {"name": "map", "as": name, "missing": missing, "empty": empty}
        for name, missing, empty in (("all", "zero", "zero"), ("zero", "skip", "zero"), ("one", "skip", "one"))
    ]
    options = {"judgments": judgments, "preset": "trec_eval", **ROLES}
    table = quiet(lambda: sqlmetrics.per_group(run, asked, **options))
    unanswered = ~table["topic"].isin(run["topic"])
    assert table.loc[unanswered, "all"].tolist() == [0] * unanswered.sum() != []
    assert table.loc[unanswered, ["zero", "one"]].isna().all(axis=None)
    means = quiet(lambda: sqlmetrics.evaluate(run, asked, **options)).iloc[0]
    for name in ("all", "zero", "one"):
        assert agree(means[name], table[name].mean()), name


def test_who_counts_is_told() -> None:
    run, judgments = random_run(3)
    answered, judged = set(run["topic"]), set(judgments["topic"])
    relevant = set(judgments.loc[judgments["relevance"] >= 1, "topic"])
    options = {"judgments": judgments, "diagnostics": True, **ROLES}
    for missing, counted in (("skip", answered & judged), ("zero", judged)):
        asked = f"map(missing='{missing}', negative='zero'), mrr(missing='{missing}', negative='zero')"
        for by in (None, []):
            result = sqlmetrics.evaluate(run, asked, by=by, **options)
            assert result["groups"][0] == len(counted)
            assert result["groups_skipped"][0] == len(counted - relevant) > 0
            assert result["groups_unjudged"][0] == len(answered - judged) > 0
            assert result["rows_dropped"][0] == (~run["topic"].isin(judged)).sum() == len(run) - result["n"][0]


def test_negative_judgments_are_refused_unless_the_convention_is_named() -> None:
    run, judgments = random_run(0)
    with pytest.raises(sqlmetrics.BadData, match=r"judgments holds a label that is negative.*\d in all"):
        sqlmetrics.evaluate(run, "map", judgments=judgments, **ROLES)
    with pytest.raises(sqlmetrics.BadData, match="negative"):
        sqlmetrics.evaluate(run, "map(negative='zero'), mrr", judgments=judgments, **ROLES)


# Slices, models, weights


def with_slices(run: pd.DataFrame) -> pd.DataFrame:
    """Slices that cut through the topics, and a topic's weight and system score beside."""
    rng = np.random.default_rng(len(run))
    device = pd.Series(rng.choice(["phone", "desktop", None], len(run)), dtype=object)
    return run.assign(
        device=device,
        country=rng.choice(["de", "at"], len(run)),
        other=rng.integers(0, 4, len(run)) / 4,
        importance=run["topic"].str[1:].astype(float) % 4,
    )


def test_the_judgments_of_a_topic_join_every_slice_that_holds_its_rows() -> None:
    run, judgments = random_run(5)
    run = with_slices(run)
    result = ours(run, judgments, by="device")
    table = ours_per_topic(run, judgments, by="device")
    assert result["device"].isna().tolist() == [False, False, True]
    for row in result.to_dict("records"):
        none = not isinstance(row["device"], str)
        members = run[run["device"].isna() if none else run["device"] == row["device"]]
        found = by_trec_eval(members, judgments)
        assert_means(row, found)
        topics = table[table["device"].isna() if none else table["device"] == row["device"]]
        assert topics["topic"].tolist() == sorted(found)
        assert all(agree(a, found[topic]["map"]) for topic, a in zip(topics["topic"], topics["map"], strict=True))


def test_several_groupings_and_models() -> None:
    run, judgments = random_run(6)
    run = with_slices(run)
    by = [[], ["device"], ["country", "device"]]
    result = ours(run, judgments, by=by, score=["score", "other"])
    slices = 1 + run["device"].nunique(dropna=False) + len(run[["country", "device"]].drop_duplicates())
    assert len(result) == 2 * slices
    for row in result.to_dict("records"):
        members = run
        for name in [column for column in ("country", "device") if column in str(row["grouping"])]:
            members = members[members[name] == row[name] if isinstance(row[name], str) else members[name].isna()]
        assert_means(row, by_trec_eval(members.assign(score=members[row["model"]]), judgments))


def test_unanswered_topics_belong_to_no_slice_but_the_whole() -> None:
    run, judgments = random_run(6)
    run = with_slices(run)
    options = {"judgments": judgments, "by": [[], ["country"]], "preset": "trec_eval", **ROLES}
    result = sqlmetrics.evaluate(run, "m = map(missing='zero')", **options)
    for row in result.to_dict("records"):
        country = row["country"] if isinstance(row["country"], str) else None
        found = by_trec_eval(run if country is None else run[run["country"] == country], judgments)
        assert agree(row["m"], mean(found, "map", judgments["topic"].nunique() if country is None else None))
    assert sorted(result["country"].dropna()) == ["at", "de"]


def test_the_weight_of_a_topic() -> None:
    run, judgments = random_run(7)
    run = with_slices(run)
    weights = run.groupby("topic")["importance"].first()
    found = by_trec_eval(run, judgments)
    result = ours(run, judgments, group_weight="importance").iloc[0]
    for spelling, measure in MEASURES.items():
        expected = np.average([v[measure] for v in found.values()], weights=[weights[topic] for topic in found])
        assert agree(result[column(spelling)], expected), spelling


def test_nothing_says_what_a_topic_weighs_of_which_nothing_was_returned() -> None:
    """Where it counts as 0, and only there."""
    run, judgments = random_run(7)
    run = with_slices(run)
    judgments["relevance"] = judgments["relevance"].clip(lower=0)
    roles = {**ROLES, "group_weight": "importance", "judgments": judgments}
    for name in ("map", "overlap@5", "alpha_ndcg@5"):
        further = {"subtopic": "part"} if name.startswith("alpha") else {}
        for by in (None, [[], ["country"]]):
            with pytest.raises(sqlmetrics.BadParameter, match=r"group_weight: .* says what it weighs.*missing='skip'"):
                sqlmetrics.evaluate(run, name, by=by, **roles, **further)
    answered = judgments[judgments["topic"].isin(run["topic"])]
    assert len(answered) < len(judgments)
    with_all, with_answered = (
        quiet(lambda given=given: sqlmetrics.map(run, missing="skip", **{**roles, "judgments": given}))
        for given in (judgments, answered)
    )
    assert_same(with_all, with_answered)
    counted, skipped = (
        quiet(lambda missing=missing: sqlmetrics.map(run, by="country", missing=missing, **roles))
        for missing in ("zero", "skip")
    )
    assert_same(counted, skipped)
    without = {name: role for name, role in roles.items() if name != "group_weight"}
    table, plain = (quiet(lambda one=one: sqlmetrics.per_group(run, "map", **one)) for one in (roles, without))
    assert_same(table, plain)
    assert set(table["topic"]) == set(judgments["topic"])


def test_places_instead_of_scores() -> None:
    run, judgments = random_run(8)
    run["place"] = run.assign(key=run["docno"]).groupby("topic")["score"].rank(method="first", ascending=False)
    found = by_trec_eval(run.assign(score=-run["place"]), judgments)
    result = sqlmetrics.evaluate(
        run, list(MEASURES), label="relevance", rank="place", group="topic", item="docno", judgments=judgments,
        preset="trec_eval",
    )  # fmt: skip
    assert_means(result.iloc[0], found)


def test_the_ideal_list_of_what_was_returned() -> None:
    """Without the relevant documents that were not returned, trec_eval's ideal list is that of the returned ones."""
    run, judgments = random_run(9)
    judgments["relevance"] = judgments["relevance"].clip(lower=0)
    returned = judgments.merge(run[["topic", "docno"]])
    found = by_trec_eval(run, returned)
    table = sqlmetrics.per_group(
        run, "ndcg(ideal='listed'), first = ndcg(ideal='listed', k=3)", judgments=judgments, preset="trec_eval", **ROLES
    )
    compared = 0
    for row in table.to_dict("records"):
        if row["topic"] in found:
            assert agree(row["ndcg"], found[row["topic"]]["ndcg"])
            assert agree(row["first"], found[row["topic"]]["ndcg_cut_3"])
            compared += 1
    assert compared > 10


def test_pooled_counts_hold_what_was_not_returned() -> None:
    """Micro averages from trec_eval's own quotients: P_k · k hits in all, over all relevant ones."""
    run, judgments = random_run(10)
    judgments["relevance"] = judgments["relevance"].clip(lower=0)
    found = by_trec_eval(run, judgments)
    hits = sum(values["P_5"] * 5 for values in found.values())
    relevant = (judgments["topic"].isin(found) & (judgments["relevance"] >= 1)).sum()
    listed = sum(min(5, int((run["topic"] == topic).sum())) for topic in found)
    asked = [f"{metric[0]} = {metric}_at_k(k=5, average='micro')" for metric in ("precision", "recall", "f1")]
    result = sqlmetrics.evaluate(run, asked, judgments=judgments, preset="trec_eval", **ROLES).iloc[0]
    assert agree(result["p"], hits / listed)
    assert agree(result["r"], hits / relevant)
    assert agree(result["f"], 2 * hits / (listed + relevant))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("relevant_at", [0, 2])
@pytest.mark.parametrize("judged", [False, True])
@pytest.mark.parametrize("ties", ["worst", "average"])
def test_what_an_ideal_list_leaves_out_is_in_the_other_metrics(ties: str, judged: bool, relevant_at: int) -> None:
    """Only items that gain are sorted into an ideal list; whoever shares its frame still counts every item."""
    run, judgments = random_run(11)
    judgments["relevance"] = judgments["relevance"].clip(lower=0)
    data = run if judged else run.merge(judgments)
    relations = {"judgments": judgments} if judged else {}
    given = {"ties": ties, "relevant_at": relevant_at}
    specs = [
        {"name": name, "as": f"{name}_{average}", "k": 3, "average": average, **given}
        for name in ("precision_at_k", "recall_at_k", "f1_at_k")
        for average in ("macro", "micro")
    ]
    specs += [{"name": "dcg", "as": "dcg_", **given}, {"name": "cg", "as": "cg_", "gain": "binary", **given}]
    if ties != "average":
        specs += [{"name": name, "as": f"{name}_", **given} for name in ("map", "mrr", "bpref", "r_precision", "rbp")]
        specs += [{"name": "err", "as": "err_", "max_label": 4, "ties": ties}]
    ideal = {"name": "idcg", "as": "ideal", "relevant_at": relevant_at}
    ndcg = {"name": "ndcg", "as": "ndcg_", "gain": "binary", **given}
    together = sqlmetrics.evaluate(data, [*specs, ideal, ndcg], **relations, **ROLES)
    alone = sqlmetrics.evaluate(data, specs, **relations, **ROLES)
    for name in alone.columns:
        assert agree(together[name][0], alone[name][0]), name


def test_a_topic_without_answer_or_relevant_document_still_counts() -> None:
    run = pd.DataFrame({"topic": ["t1"], "docno": ["d1"], "score": [1.0]})
    judgments = pd.DataFrame({"topic": ["t1", "t2"], "docno": ["d1", "d1"], "relevance": [1, 0]})
    for empty, expected in (("skip", 1.0), ("zero", 0.5), ("one", 1.0)):
        metrics = f"ndcg(empty='{empty}'), map(empty='{empty}')"
        result = sqlmetrics.evaluate(run, metrics, judgments=judgments, **ROLES)
        assert result[["n", "ndcg", "map"]].to_numpy().tolist() == [[1, expected, expected]]
    table = sqlmetrics.per_group(run, "ndcg, mrr", judgments=judgments, **ROLES)
    assert table["topic"].tolist() == ["t1", "t2"]
    assert table["n"].tolist() == [1, 0]
    assert table[["ndcg", "mrr"]].isna().to_numpy().tolist() == [[False, False], [True, True]]


@pytest.mark.parametrize(("missing", "expected"), [("zero", (3 + 7) / 2), ("skip", 3)])
def test_the_ideal_of_a_topic_without_answer(missing: str, expected: float) -> None:
    """Grades 2 and 3 gain 3 and 7 at the first place of their lists; nothing that is returned changes an ideal."""
    run = pd.DataFrame({"topic": ["t1"], "docno": ["d1"], "score": [1.0]})
    judgments = pd.DataFrame({"topic": ["t1", "t2"], "docno": ["d1", "d1"], "relevance": [2, 3]})
    result = sqlmetrics.evaluate(run, f"idcg(missing='{missing}')", judgments=judgments, **ROLES)
    assert result["idcg"][0] == expected


# What is refused, and what is left out


def test_two_judgments_of_one_document_are_refused() -> None:
    run, judgments = random_run(0)
    twice = pd.concat([judgments, judgments.head(1).assign(relevance=0)])
    with pytest.raises(sqlmetrics.BadData, match=rf"judgments.*two judgments.*{judgments['docno'][0]}.*2 in all"):
        ours(run, twice)


def test_a_document_returned_twice_is_refused() -> None:
    run, judgments = random_run(0)
    with pytest.raises(sqlmetrics.BadData, match=rf"data.*one item twice.*{run['docno'][0]}.*2 in all"):
        ours(pd.concat([run, run.head(1).assign(score=9.0)]), judgments)
    # In two slices it is no second copy: each slice is a run of its own.
    again = pd.concat([run.assign(system="a"), run.assign(system="b")])
    result = ours(again, judgments, by="system")
    found = by_trec_eval(run, judgments)
    assert_means(result.iloc[0], found)
    assert_means(result.iloc[1], found)
    # Nor are two rows that belong to no topic.
    stray = run.head(2).assign(topic=None, docno="d1")
    assert_means(ours(pd.concat([run, stray]), judgments).iloc[0], found)
    with pytest.raises(sqlmetrics.BadData, match="one item twice"):
        ours(again, judgments, by=[[], ["system"]])


def test_the_rules_for_values_hold_for_judgments() -> None:
    run, judgments = random_run(0)
    judgments["relevance"] = judgments["relevance"].clip(lower=0)
    with pytest.raises(sqlmetrics.BadData, match=r"above max_label=2 of err"):
        sqlmetrics.evaluate(run, "err(max_label=2)", judgments=judgments, **ROLES)
    with pytest.raises(sqlmetrics.BadData, match="judgments holds a label that is infinite"):
        sqlmetrics.evaluate(run, "map", judgments=judgments.assign(relevance=np.inf), **ROLES)
    with pytest.raises(sqlmetrics.MissingColumn, match="judgments: there is no column 'relevance'"):
        ours(run, judgments.drop(columns="relevance"))
    with pytest.raises(sqlmetrics.MissingColumn, match="label: there is no column 'relevance'"):
        sqlmetrics.evaluate(run, "map, kendall_tau", judgments=judgments, **ROLES)
    with pytest.raises(sqlmetrics.BadParameter, match="map needs item"):
        sqlmetrics.evaluate(run, "map", judgments=judgments, label="relevance", score="score", group="topic")
    with pytest.raises(sqlmetrics.BadParameter, match="judgments has no meaning for auc"):
        sqlmetrics.evaluate(run, "auc", judgments=judgments, label="relevance", score="score")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["topic", "docno", "relevance"])
@pytest.mark.parametrize("missing", [None, float("nan")], ids=["NULL", "NaN"])
def test_a_judgment_with_a_missing_value_is_left_out_and_said_so(name: str, missing: float | None) -> None:
    if name != "relevance" and missing is not None:
        missing = None
    run, judgments = random_run(0)
    judgments["relevance"] = judgments["relevance"].clip(lower=0).astype(float)
    holes = judgments.to_dict("list")
    holes[name] = [missing, *holes[name][1:-1], missing]
    with pytest.warns(sqlmetrics.DroppedRows, match="judgments in 2 rows"):
        result = sqlmetrics.evaluate(run, list(MEASURES), judgments=pa.table(holes), preset="trec_eval", **ROLES)
    assert_means(result.iloc[0], by_trec_eval(run, judgments.iloc[1:-1]))
    with pytest.raises(sqlmetrics.BadData, match="judgments in 2 rows"):
        sqlmetrics.evaluate(run, "map", judgments=pa.table(holes), strict=True, **ROLES)


@pytest.mark.parametrize("kind", ["int64", "float64"])
@pytest.mark.parametrize("numbered", ["data", "judgments"])
def test_what_an_error_says_of_two_types_mends_it(numbered: str, kind: str) -> None:
    run, judgments = (one.assign(topic=one["topic"].str[1:].astype(int).astype(str)) for one in random_run(0))
    judgments["relevance"] = judgments["relevance"].clip(lower=0)
    expected = sqlmetrics.evaluate(run, "map", judgments=judgments, **ROLES)
    roles, given = dict(ROLES), {"data": run, "judgments": judgments}
    given[numbered] = given[numbered].astype({"topic": kind})
    with pytest.raises(sqlmetrics.BadData, match="cast it") as error:
        sqlmetrics.evaluate(given["data"], "map", judgments=given["judgments"], **roles)
    cast = str(error.value).split(" as in ")[1]
    if numbered == "data":
        roles["group"] = cast.removeprefix('group="').removesuffix('"')
    else:
        con = duckdb.connect()
        con.register("numbers", given["judgments"])
        given["judgments"] = con.sql(f"select * replace ({cast} as topic) from numbers").df()
    found = sqlmetrics.evaluate(given["data"], "map", judgments=given["judgments"], **roles)
    pd.testing.assert_frame_equal(found, expected)


def test_keys_of_two_types() -> None:
    run, judgments = random_run(0)
    judgments["relevance"] = judgments["relevance"].clip(lower=0)
    numbered = run.assign(topic=run["topic"].str[1:].astype(int))
    with pytest.raises(
        sqlmetrics.BadData, match="group: column 'topic' is BIGINT in the data and VARCHAR in judgments"
    ):
        sqlmetrics.evaluate(numbered, "map", judgments=judgments, **ROLES)
    judgments["topic"] = judgments["topic"].str[1:].str.lstrip("0").replace("", "0")
    roles = {**ROLES, "group": "= cast(topic as varchar)"}
    found = by_trec_eval(numbered.assign(topic=numbered["topic"].astype(str)), judgments)
    result = sqlmetrics.evaluate(numbered, list(MEASURES), judgments=judgments, preset="trec_eval", **roles)
    assert_means(result.iloc[0], found)


def test_nothing_returned_and_nothing_judged() -> None:
    run, judgments = (pa.Table.from_pandas(table) for table in random_run(0))
    unjudged = sqlmetrics.evaluate(run, "map, ndcg@5", judgments=judgments.slice(0, 0), **ROLES).iloc[0]
    assert unjudged["n"] == 0
    assert np.isnan(unjudged["map"])
    # A run without a single line answered every topic with nothing.
    asked = "map(negative='zero'), skipped = map(negative='zero', missing='skip')"
    unanswered = sqlmetrics.evaluate(run.slice(0, 0), asked, judgments=judgments, **ROLES)
    assert unanswered["n"][0] == 0
    assert unanswered["map"][0] == 0
    assert np.isnan(unanswered["skipped"][0])


def test_scores_beyond_32_bits() -> None:
    """As 32-bit numbers, by which trec_eval compares, they are no error to us either."""
    run, judgments = random_run(0)
    assert_means(ours(run.assign(score=run["score"] * 1e30), judgments).iloc[0], by_trec_eval(run, judgments))
    result = ours(run.assign(score=run["score"] * 1e300), judgments)
    assert result["n"][0] == run["topic"].isin(judgments["topic"]).sum()


@pytest.mark.parametrize("largest", [3.4028235e38, 3.40282356e38])
def test_the_largest_number_of_32_bits_is_not_infinite(largest: float) -> None:
    """What is written with as many digits as tell it is a little above it as a double, and it in 32 bits."""
    run = pd.DataFrame({"topic": "t", "docno": ["z", "a", "x", "b"], "score": [largest, 1e39, -largest, -1e39]})
    judgments = pd.DataFrame({"topic": "t", "docno": ["a", "x"], "relevance": [1, 1]})
    assert_means(ours(run, judgments).iloc[0], by_trec_eval(run, judgments))


# TREC's own files


def written(folder: Path, run: pd.DataFrame, judgments: pd.DataFrame, blank: str) -> tuple[Path, Path]:
    lines = [
        blank.join((topic, "Q0", docno, "1", repr(score), "tag")) for topic, docno, score in run.itertuples(index=False)
    ]
    (folder / "run.txt").write_text("\n".join(lines) + "\n")
    lines = [blank.join((topic, "0", docno, str(grade))) for topic, docno, grade in judgments.itertuples(index=False)]
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
    return folder / "run.txt", folder / "qrels.txt"


@pytest.mark.parametrize("blank", [" \t  ", *slow(" ", "\t")], ids=["both", "space", "tab"])
def test_files_are_read_by_their_path(tmp_path: Path, blank: str) -> None:
    run, judgments = random_run(11)
    run_path, judgments_path = written(tmp_path, run, judgments, blank)
    found = by_trec_eval(run, judgments)
    assert_means(ours(run_path, str(judgments_path)).iloc[0], found)
    # One of the two may be something else.
    assert_means(ours(run, judgments_path).iloc[0], found)
    assert_means(ours(run_path, judgments).iloc[0], found)


PRINTED = {
    "map": "map",
    "r_precision": "Rprec",
    "bpref": "bpref",
    "mrr": "recip_rank",
    "ndcg": "ndcg",
    **{f"precision@{k}": f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"recall@{k}": f"recall_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"ndcg@{k}": f"ndcg_cut_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"map@{k}": f"map_cut_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"hit_rate@{k}": f"success_{k}" for k in (1, 5, 10)},
    "set_precision": "set_P",
    "set_recall": "set_recall",
    "set_f": "set_F",
}
#: What trec_eval prints beside them and the catalogue does not hold, and counts, of which `n` is one.
NOT_OURS = {"num_q", "num_rel", "num_rel_ret", "11pt_avg", "ndcg_rel"}


@pytest.mark.slow
def test_what_trec_eval_prints_for_a_real_run() -> None:
    folder = real_data("trec")
    lines = [line.split() for line in (folder / "expected.tsv").read_text().splitlines()]
    printed = {name: float(value) for name, _, value in lines}
    strangers = [name for name in printed if not name.startswith("Rprec_mult")]
    assert sorted(strangers) == sorted({*PRINTED.values(), *NOT_OURS, "num_ret", "gm_map"})
    result = sqlmetrics.evaluate(
        folder / "run.txt", [*PRINTED, "gm_map"], judgments=folder / "qrels.txt", preset="trec_eval", **ROLES
    ).iloc[0]
    assert result["n"] == printed["num_ret"]
    # That of a topic alone is no average precision there.
    for spelling, measure in {**PRINTED, "gm_map": "gm_map"}.items():
        assert f"{result[column(spelling)]:.4f}" == f"{printed[measure]:.4f}", spelling


@pytest.mark.slow
def test_every_topic_of_a_real_run() -> None:
    folder = real_data("trec")
    with (folder / "qrels.txt").open() as file:
        judgments = pytrec_eval.parse_qrel(file)
    with (folder / "run.txt").open() as file:
        run = pytrec_eval.parse_run(file)
    found = pytrec_eval.RelevanceEvaluator(judgments, pytrec_eval.supported_measures).evaluate(run)
    table = sqlmetrics.per_group(
        folder / "run.txt", list(PRINTED), judgments=folder / "qrels.txt", preset="trec_eval", **ROLES
    )
    assert table["topic"].tolist() == sorted(found)
    assert len(found) == 3
    for row in table.to_dict("records"):
        for spelling, measure in PRINTED.items():
            assert agree(row[column(spelling)], found[row["topic"]][measure]), f"{row['topic']}, {spelling}"


@pytest.mark.parametrize("exact", ["catalog", "data"])
def test_items_that_only_one_relation_tells_apart(exact: str) -> None:
    """As doubles 2**60 and 2**60 + 1 are one item: of two in the catalogue both would have been listed."""
    wide = pd.DataFrame({"item": [2**60, 2**60 + 1]})
    narrow = pd.DataFrame({"item": [float(2**60)]})
    data, catalog = (narrow, wide) if exact == "catalog" else (wide, narrow)
    with pytest.raises(sqlmetrics.BadData, match=r"item: column 'item' is .*numbers that differ would be one"):
        sqlmetrics.coverage(data.assign(s=0.5, q=1), score="s", group="q", item="item", catalog=catalog)
    few = pd.DataFrame({"item": [1.0, np.nan]}).assign(s=0.5, q=1)
    with pytest.warns(sqlmetrics.DroppedRows):
        found = sqlmetrics.coverage(few, score="s", group="q", item="item", catalog=pd.DataFrame({"item": [1, 2]}))
    assert found["coverage"].tolist() == [0.5]


def test_each_model_answers_for_every_judged_group() -> None:
    """A model that scores nothing of a topic has a 0 there, as it has alone, whatever the others return."""
    data = pd.DataFrame({"q": ["a", "a", "b", "b"], "item": [1, 2, 1, 2], "old": [0.9, 0.1, 0.8, 0.2],
                         "new": [0.9, 0.1, np.nan, np.nan]})  # fmt: skip
    judged = pd.DataFrame({"q": ["a", "b"], "item": [1, 1], "label": [1, 1]})
    roles: dict[str, Any] = {"label": "label", "group": "q", "item": "item", "judgments": judged}
    with pytest.warns(sqlmetrics.DroppedRows):
        alone = sqlmetrics.ndcg(data, score="new", **roles)["ndcg"].tolist()
    for by in (None, [[], ["item"]]):
        with pytest.warns(sqlmetrics.DroppedRows):
            found = sqlmetrics.evaluate(data, "ndcg", score=["old", "new"], by=by, **roles)
        assert found["ndcg"].tolist()[:2] == [1.0, *alone] == [1.0, 0.5]


def test_two_runs_that_do_not_hold_the_same_documents() -> None:
    """The other run is a relation of its own, its scores are any numbers; expected is what the package rbo says."""
    roles: dict[str, Any] = {"label": "score_b", "score": "score_a", "group": "topic", "item": "docno"}
    first = pd.DataFrame({"topic": "t", "docno": list("abcdefgh"), "score_a": np.arange(8)[::-1] - 4.0})
    second = pd.DataFrame({"topic": "t", "docno": list("bxacy"), "score_b": [0.5, 0.25, -1.0, -2.0, -30.0]})
    asked = ["rbo", "cut = rbo(beyond='cut')", "overlap@3", "longer = overlap_at_k(k=6, divisor='longer')"]
    found = sqlmetrics.evaluate(first, asked, judgments=second, **roles).iloc[0]
    assert found["n"] == 8
    assert agree(found["rbo"], 0.5473350000000001)
    assert agree(found["cut"], 0.19304099999999996)
    assert agree(found["overlap_at_3"], 2 / 4)
    assert agree(found["longer"], 3 / 6)
    # A topic that one of the runs does not answer: of the first it counts nothing, of the second it is left out.
    other = second.assign(topic="u")
    both = sqlmetrics.evaluate(first, "overlap@3", judgments=pd.concat([second, other]), **roles)
    assert agree(both["overlap_at_3"][0], 1 / 4)
    answered = sqlmetrics.overlap_at_k(first, k=3, missing="skip", judgments=pd.concat([second, other]), **roles)
    assert agree(answered["overlap_at_3"][0], 1 / 2)


def test_judgments_for_subtopics_that_cannot_be_used() -> None:
    """One of an item for a subtopic; beside a metric that reads one of an item they would be several."""
    run = pd.DataFrame({"q": [1, 1], "d": ["a", "b"], "s": [2.0, 1.0]})
    judged = pd.DataFrame({"q": [1, 1, 1], "d": ["a", "a", "c"], "t": ["x", "y", "x"], "y": [1, 1, 1]})
    roles = {"group": "q", "item": "d", "score": "s", "label": "y", "subtopic": "t"}
    # Of x two items are relevant, of y one; a is for both.
    found = sqlmetrics.evaluate(run, "map_ia", judgments=judged, **roles)
    assert found.to_numpy().tolist() == [[2, (1 / 2 + 1) / 2]]
    twice = judged.assign(t="x")
    with pytest.raises(sqlmetrics.BadData, match="holds two judgments of one item for one subtopic of a group"):
        sqlmetrics.evaluate(run, "map_ia", judgments=twice, **roles)
    with pytest.raises(sqlmetrics.BadParameter, match="map_ia reads one of an item for each subtopic, ndcg one"):
        sqlmetrics.evaluate(run, ["ndcg", "map_ia"], judgments=judged, **roles)
    with pytest.raises(sqlmetrics.MissingColumn, match=r"^judgments: there is no column 't'"):
        sqlmetrics.evaluate(run, "map_ia", judgments=judged.drop(columns="t"), **roles)
    with pytest.raises(sqlmetrics.BadParameter, match="map_ia needs subtopic"):
        sqlmetrics.evaluate(run, "map_ia", judgments=judged, **{**roles, "subtopic": None})
    without = pd.concat([judged, judged.tail(1).assign(t=None)])
    with pytest.warns(sqlmetrics.DroppedRows, match="judgments in 1 row"):
        again = sqlmetrics.evaluate(run, "map_ia", judgments=without, **roles)
    assert_same(again, found)


@pytest.mark.slow
def test_judged_subtopics_are_kept_and_compared() -> None:
    """Days that are added up, two runs beside each other and intervals are those of the values of the groups."""
    rng = np.random.default_rng(5)
    judged = pd.DataFrame([(q, d, t) for q in range(30) for d in range(9) for t in range(3)], columns=["q", "d", "t"])
    judged["y"] = rng.integers(0, 2, len(judged))
    runs = [
        pd.DataFrame([(q, d) for q in range(30) for d in rng.permutation(12)[:6]], columns=["q", "d"]) for _ in "ab"
    ]
    runs = [run.assign(s=rng.random(len(run))) for run in runs]
    roles = {"group": "q", "item": "d", "score": "s", "label": "y", "subtopic": "t", "judgments": judged}
    metrics = ["alpha_ndcg@5", "err_ia", "map_ia", "nrbp"]
    each = [sqlmetrics.per_group(run, metrics, **roles).sort_values("q").iloc[:, 2:] for run in runs]
    whole = sqlmetrics.evaluate(runs[0], metrics, confidence=0.9, standard_error=True, **roles)
    for name in each[0]:
        assert whole[name].item() == pytest.approx(each[0][name].mean(), rel=1e-12)
        assert whole[f"{name}_se"].item() == pytest.approx(each[0][name].sem(), rel=1e-6)
    found = sqlmetrics.compare(runs[0], metrics, against=runs[1], **roles)
    differences = each[0] - each[1]
    assert found["difference"].tolist() == pytest.approx(differences.mean().tolist(), rel=1e-9)
    assert found["standard_error"].tolist() == pytest.approx(differences.sem().tolist(), rel=1e-6)
    days = [rows.assign(day=day) for day, rows in runs[0].groupby(runs[0]["q"] < 11)]
    parts = [
        sqlmetrics.state(day, metrics, by="day", **{**roles, "judgments": judged[judged["q"].isin(day["q"])]})
        for day in days
    ]
    added = sqlmetrics.evaluate_states(pd.concat(parts), metrics)
    assert added[list(each[0])].iloc[0].tolist() == pytest.approx(each[0].mean().tolist(), rel=1e-12)


@pytest.mark.parametrize("metric", ["overlap_at_k(k=1, ties='key')", "rbo(ties='key')"])
def test_which_of_two_lists_is_judged_changes_no_overlap(metric: str) -> None:
    """An item that the other list alone has is told by its name in ties too."""
    short, long = [pd.DataFrame({"q": 1, "d": list(names), "s": 1.0, "y": 1.0}) for names in ("a", "ab")]
    roles = {"label": "y", "score": "s", "group": "q", "item": "d"}
    of_short = sqlmetrics.evaluate(short[["q", "d", "s"]], [metric], **roles, judgments=long[["q", "d", "y"]])
    of_long = sqlmetrics.evaluate(long[["q", "d", "s"]], [metric], **roles, judgments=short[["q", "d", "y"]])
    # The keys go down: b is the first of the longer list, and a that of the other.
    assert of_short.iloc[0, 1] == of_long.iloc[0, 1] < 1


@pytest.mark.parametrize("judged", [False, True])
@pytest.mark.parametrize("at", [0, -1])
def test_a_negative_label_that_counts_as_0_is_as_relevant_as_0(at: float, judged: bool) -> None:
    """Of a list of items that are all relevant, down to 0, each metric has all that there is."""
    truth = pd.DataFrame({"q": 1, "d": list("abcd"), "y": [0, -1, 1, -2], "s": [4.0, 3.0, 2.0, 1.0]})
    data, further = (truth.drop(columns="y"), {"judgments": truth}) if judged else (truth, {})
    names = ["map", "mrr", "r_precision", "bpref", "infap", "set_precision", "hit_rate", "set_recall"]
    asked = [{"name": name, "relevant_at": at} for name in names]
    asked += [
        {"name": "precision_at_k", "k": 2, "relevant_at": at},
        {"name": "ndcg", "gain": "binary", "relevant_at": at},
    ]
    roles = {"label": "y", "score": "s", "group": "q", "item": "d"}
    found = sqlmetrics.evaluate(data, asked, preset="trec_eval", **roles, **further)
    assert found.iloc[0, 1:].tolist() == pytest.approx([1] * len(asked), abs=1e-4)  # infap has its ε


OF_SETS = ("set_precision", "set_recall", "set_f", "set_map", "utility")
OF_GAINS: list[dict[str, Any]] = [
    {"name": "ndcg", "k": 4},
    {"name": "ndcg", "as": "listed", "ideal": "listed"},
    {"name": "dcg"},
    {"name": "cg"},
]
OF_PLACES = [{"name": name, "k": 3} for name in ("precision_at_k", "recall_at_k", "f1_at_k", "fall_out_at_k")]
OF_ORDERS: list[dict[str, Any]] = [
    *({"name": name} for name in ("map", "mrr", "r_precision", "rbp")),
    *({"name": name, "k": 2} for name in ("hit_rate", "relative_precision")),
    {"name": "interpolated_precision", "recall": 0.5},
]


@pytest.mark.parametrize("ties", ["average", *slow("worst", "best", "key")])
def test_what_nobody_judged_is_not_relevant_even_where_0_is(ties: str) -> None:
    """As where each judged item has a grade more, which tells it from the others, and so has the relevant one."""
    run, judgments = random_run(11)
    run["score"] = run["score"].round(1)
    judgments["relevance"] = judgments["relevance"].clip(lower=0)
    ordered = [*OF_PLACES, *(OF_ORDERS if ties != "average" else [])]
    asked = [{"name": name} for name in OF_SETS] + [{"name": "idcg", "k": 2, "gain": "binary"}]
    asked += [{**one, "ties": ties, "gain": "binary"} for one in OF_GAINS] + [{**one, "ties": ties} for one in ordered]
    more = judgments.assign(relevance=judgments["relevance"] + 1)
    for metrics in (asked, *([one] for one in asked)):  # what is asked together is not always put in order as alone
        down_to_0, from_1 = (
            sqlmetrics.evaluate(run, [{**one, "relevant_at": at} for one in metrics], judgments=truth, **ROLES)
            for at, truth in ((0, judgments), (1, more))
        )
        assert_same(down_to_0, from_1)
