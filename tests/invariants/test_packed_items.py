"""Lists put in order by a hash of their name and a number of score and label: values, when it is chosen, and checks."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from sklearn.metrics import ndcg_score

import sqlmetrics
from sqlmetrics import running
from sqlmetrics.catalogue import builtin_catalogue
from tests.invariants.test_shapes import EDGES, log_of_groups, noting

ROLES = {"label": "grade", "score": "score", "group": "query", "item": "document"}
#: What adds up nothing over items without gain.
GAINING = {"ndcg": (3, None), "dcg": (4,), "idcg": (2,), "map": (None,), "gm_map": (None,), "mrr": (2,),
           "precision_at_k": (5,), "recall_at_k": (3,), "hit_rate": (2,), "set_precision": (None,)}  # fmt: skip
LABELS = {
    "grades": lambda rng, rows: rng.choice([0, 0, 0, 0, 1, 2, 3], rows).astype(float),
    "fractions": lambda rng, rows: rng.choice([0, 0, 0, 0.5, 1, 2.25], rows),
    "large": lambda rng, rows: rng.choice([0, 0, 0, 1, 1023, 1024, 5000], rows).astype(float),
    "missing": lambda rng, rows: rng.choice([0, 0, 0, 1, 4, np.nan], rows),
}


def lists(labels: str, seed: int, rows: int = 1200) -> pd.DataFrame:
    """Lists, named alike, of scores at the edges of the cells, a step of a double apart, and the same."""
    rng = np.random.default_rng(seed)
    edges = np.array(EDGES + [-edge for edge in EDGES])
    steps = 0.25 + np.arange(rows // 4) % 5 * 2.0**-54
    score = rng.permutation(
        np.concatenate([rng.random(rows // 4), steps, rng.choice(edges, rows // 4), rng.normal(0, 1e6, rows // 4)])
    )
    names = np.array(["a", "A", "á", "a ", "", "null", "\x00", "x" * 99 + "y", "x" * 99 + "z", *map(str, range(90))])
    return pd.DataFrame({
        "grade": LABELS[labels](rng, rows), "score": score, "query": rng.choice(names, rows),
        "document": rng.permutation(rows).astype(str), "other": rng.permutation(score),
        "device": rng.choice(["a", "b", None], rows),
    })  # fmt: skip


def asked_of(labels: str, parameters: dict[str, Any]) -> list[dict[str, Any]]:
    """The metrics, each with those parameters that it has."""
    given = {"gain": "linear"} | parameters if labels == "large" else parameters
    asked = []
    for name, cuts in GAINING.items():
        known = builtin_catalogue().metrics[name].parameters
        for k in cuts:
            own = {key: value for key, value in given.items() if key in known}
            asked.append({"name": name, **({} if k is None else {"k": k}), **own})
    return [*asked, {"name": "interpolated_precision", "recall": 0.5}]


def of_either_shape(data: pd.DataFrame, metrics: Any, **further: Any) -> list[pd.DataFrame]:
    asked: dict[str, Any] = {"relation": "data", **ROLES}
    packed = sqlmetrics.render(metrics, shape="packed", **asked | further)
    plain = sqlmetrics.render(metrics, shape="rows", **asked | further)
    assert "packed_items" in packed
    assert "packed_items" not in plain
    with duckdb.connect() as con:
        con.register("data", data)
        found = [con.sql(sql).df() for sql in (packed, plain)]
        # What is no whole number has no place, wherever the engine puts it.
        con.execute("set default_null_order = 'nulls_first'")
        pd.testing.assert_frame_equal(con.sql(packed).df(), found[0], rtol=1e-12)
        return found


#: Parameters of the metrics, and further arguments of the call.
_ASKED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}), ({"ties": "best"}, {}), ({"ties": "key"}, {}), ({}, {"preset": "trec_eval"}), ({}, {"by": "device"}),
    ({}, {"score": ["score", "other"], "by": "device"}), ({}, {"where": "other > 0", "confidence": 0.9}),
    ({"gain": "linear", "empty": "zero"}, {}), ({"relevant_at": 0.5}, {}), ({"negative": "zero"}, {}),
]  # fmt: skip


@pytest.mark.parametrize("number", range(12))
def test_places_are_those_of_scores(number: int) -> None:
    """Whether a cell holds one score or several, and whatever breaks ties."""
    parameters, further = _ASKED[number % len(_ASKED)]
    labels = [*LABELS][number % len(LABELS)]
    packed, plain = of_either_shape(lists(labels, number), asked_of(labels, parameters), **further)
    pd.testing.assert_frame_equal(packed, plain, rtol=1e-10, atol=1e-300)


@pytest.mark.parametrize(
    ("by", "further"), [(None, {}), ("device", {"score": ["score", "other"]}), ("device", {"confidence": 0.9})]
)
def test_beside_whatever_ranks_packed_scores(by: str | None, further: dict[str, Any]) -> None:
    """The scores of a slice lie in cells of their own, those of items in the same cells whatever the slice."""
    data = lists("grades", 1).query("grade <= 1").reset_index(drop=True)
    metrics = ["ndcg@3", "map", "gauc", "auc", *([] if "confidence" in further else ["ks", "average_precision"])]
    packed, plain = of_either_shape(data, metrics, by=by, item=None, **further)
    pd.testing.assert_frame_equal(packed, plain, rtol=1e-10, atol=1e-300)


def judged_log(rows: int = 60_000) -> pd.DataFrame:
    """A log of lists of which a few have the same score for unlike grades, in single precision a few more."""
    data = log_of_groups().rename(columns={"user": "query", "clicked": "grade"}).head(rows)
    rng = np.random.default_rng(9)
    data["query"] = data["query"] + "-" + pd.Series(rng.integers(0, 300, rows)).astype(str)
    data["grade"] = data["grade"] * rng.integers(1, 4, rows)
    data.loc[data.index[:40], "score"] = 0.5
    return data.assign(document=rng.permutation(rows).astype(str))


@pytest.mark.slow
def test_chosen_where_lists_are_texts_and_scores_differ() -> None:
    data = judged_log()
    asked: dict[str, Any] = {**ROLES, "preset": "trec_eval"}
    statements: list[str] = []
    metrics = "ndcg@10, map, mrr, precision@10, recall@10"
    found = running.run(data, metrics, **asked, execute=noting(statements))
    assert "packed_items" in statements[-1]
    names = {"ndcg_at_10": "ndcg_cut_10", "map": "map", "mrr": "recip_rank", "precision_at_10": "P_10",
             "recall_at_10": "recall_10"}  # fmt: skip
    judgments: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for query, document, grade, score in zip(
        data["query"], data["document"], data["grade"], data["score"], strict=True
    ):
        judgments.setdefault(query, {})[document] = int(grade)
        run.setdefault(query, {})[document] = float(score)
    measures = {"ndcg_cut.10", "map", "recip_rank", "P.10", "recall.10"}
    of_queries = pytrec_eval.RelevanceEvaluator(judgments, measures).evaluate(run).values()
    for name, own in names.items():
        assert found[name][0] == pytest.approx(np.mean([query[own] for query in of_queries]), abs=1e-9)
    # As scikit-learn has them: ties count as the mean of their orders, which asks for more than places.
    tied = running.run(data, "ndcg@10", **asked | {"preset": "sklearn"}, per_group=True, execute=noting(statements))
    assert "packed_items" not in statements[-1]
    of_each = tied.set_index("query")["ndcg_at_10"]
    # It takes a millisecond for each: those of the rows that tie, and some.
    for query, rows in data[data["query"].isin(data["query"][:200])].groupby("query"):
        alone = float(rows["grade"].iloc[0] > 0)
        expected = ndcg_score([rows["grade"]], [rows["score"]], k=10) if len(rows) > 1 else alone
        assert of_each[query] == pytest.approx(expected, abs=1e-9)


def test_of_single_lists_too() -> None:
    data = judged_log()
    names = data["query"].drop_duplicates().reset_index(drop=True)
    numbered = data.assign(query=data["query"].map({name: number for number, name in names.items()}))
    statements: list[str] = []
    found = running.run(data, "ndcg@5, map, mrr", **ROLES, per_group=True, execute=noting(statements))
    assert "packed_items" in statements[-1]
    plain = running.run(numbered, "ndcg@5, map, mrr", **ROLES, per_group=True, execute=noting(statements))
    assert "packed_items" not in statements[-1]
    plain["query"] = plain["query"].map(names)
    pd.testing.assert_frame_equal(
        found.set_index("query").sort_index(), plain.set_index("query").sort_index(), rtol=1e-12, check_index_type=False
    )


@pytest.mark.parametrize("case", ["numbers", "tied", "collation", "judgments", "ranks"])
def test_chosen_nowhere_else(case: str) -> None:
    data = judged_log().assign(number=lambda rows: rows["query"].factorize()[0])
    asked: dict[str, Any] = dict(ROLES)
    statements: list[str] = []
    with duckdb.connect() as con:
        if case == "numbers":
            asked["group"] = "number"
        elif case == "tied":
            data["score"] = data["score"].round(2)
        elif case == "ranks":
            data["rank"] = data.groupby("query")["score"].rank(method="first").astype(int)
            asked = {name: column for name, column in ROLES.items() if name != "score"} | {"rank": "rank"}
            assert "packed_items" not in sqlmetrics.render("ndcg@10, map", relation="data", shape="packed", **asked)
        elif case == "collation":
            con.execute("set default_collation = 'nocase'")
        else:
            asked["judgments"] = data[["query", "document", "grade"]]
            data = data.drop(columns="grade")
        running.run(data, "ndcg@10, map", **asked, con=con, execute=noting(statements))
    assert statements
    assert "packed_items" not in statements[-1]


@pytest.mark.parametrize("gains", [0, 1])
def test_two_lists_of_one_hash_are_an_error(gains: int) -> None:
    """Also where the place at which one begins is of an item without gain."""
    data = pd.DataFrame({"query": ["a", "b", "b"], "score": [5.0, 4, 3], "grade": [1, gains, 0]})
    sql = sqlmetrics.render("ndcg@5, map", relation="data", label="grade", score="score", group="query", shape="packed")
    with duckdb.connect() as con:
        con.register("data", data)
        assert len(con.sql(sql).df()) == 1
        with pytest.raises(duckdb.Error, match=r"two groups have the same hash: [ab] and [ab]; shape='rows'"):
            con.sql(sql.replace("hash(group_id)", "length(group_id)")).df()
