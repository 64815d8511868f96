"""How a query is run: its shape, chosen from the data, and its memory. The numbers do not depend on them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

import sqlmetrics
from sqlmetrics import BadParameter, connections, running
from sqlmetrics.catalogue import builtin_catalogue
from sqlmetrics.connections import count_groups_in_arrays, private_connection
from sqlmetrics.definitions import DIALECTS, SHAPES
from sqlmetrics.rendering import render_macro
from tests.parameters import pairwise

ROWS = 60_000


def log(digits: int | None) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    score = rng.random(ROWS)
    score = score if digits is None else score.round(digits)
    clicked = (rng.random(ROWS) < 0.1 + 0.3 * score).astype(float)
    return pd.DataFrame({"clicked": clicked, "score": score, "device": rng.choice(["a", "b"], ROWS)})


def noting(statements: list[str]) -> running.Executor:
    """What runs a statement and keeps its text."""

    def noted(source: running.Source, sql: str) -> pd.DataFrame:
        statements.append(sql)
        return running.fetch(source, sql)

    return noted


@pytest.mark.parametrize("metric", ["auc", "ks", "pr_auc", "max_f1"])
@pytest.mark.parametrize(("digits", "ranked"), [(None, True), (3, False)], ids=["all scores differ", "scores repeat"])
def test_the_shape_follows_the_scores(digits: int | None, ranked: bool, metric: str) -> None:
    statements: list[str] = []
    data = log(digits)
    roles = {"label": "clicked", "score": "score"}
    result = running.run(data, sorted({metric, "auc"}), **roles, execute=noting(statements))
    assert ("packed_rows" in statements[-1]) == ranked
    assert ("distinct_scores" in statements[-1]) == (not ranked)
    assert ("packed_scores" in statements[-1]) == (ranked and metric == "auc")
    assert result["auc"][0] == pytest.approx(roc_auc_score(data["clicked"], data["score"]), abs=1e-12)
    [alone] = running.run(data, metric, **roles, execute=noting(statements))[metric]
    assert ("distinct_scores" in statements[-1]) == (not ranked)
    assert alone == pytest.approx(result[metric][0], abs=1e-12)


@pytest.mark.parametrize(("digits", "shape"), [((None, None), "packed"), ((3, 3), "distinct"), ((None, 3), "apart"),
                                               ((3, None), "apart"), ((None, 6), "rows")])  # fmt: skip
def test_the_shape_follows_all_models(digits: tuple[int | None, int | None], shape: str) -> None:
    """It followed the first one: beside scores that differ, those that repeat took three times as long."""
    statements: list[str] = []
    data = log(digits[0]).assign(other=log(digits[1])["score"])
    given: dict[str, Any] = {"label": "clicked", "score": ["score", "other"]}
    found = running.run(data, "auc", **given, execute=noting(statements))
    assert ("packed_rows" in statements[-1]) == (shape in ("packed", "apart"))
    assert ("counts_of_scores" in statements[-1]) == (shape == "apart")
    assert ("distinct_scores" in statements[-1]) == (shape == "distinct")
    # What is more than sums over pairs is made of the ranks of all.
    running.run(data, "auc, ks", **given, execute=noting(statements))
    assert "counts_of_scores" not in statements[-1]
    expected = [roc_auc_score(data["clicked"], data[score]) for score in given["score"]]
    assert found["auc"].tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_ranks_are_packed_where_nothing_else_is_made_of_them() -> None:
    """Beside a metric of ranks the area comes from the same ranks, and so does its interval."""
    statements: list[str] = []
    data = log(None).assign(user=lambda rows: rows.index % 50)
    roles = {"label": "clicked", "score": "score", "by": "device"}
    area = running.run(data, "auc, gini, brier", **roles, execute=noting(statements))
    assert "packed_scores" in statements[-1]
    assert "labelled_scores as" not in statements[-1]
    beside = running.run(data, "auc, gini, ks", **roles, execute=noting(statements))
    assert "packed_scores" not in statements[-1]
    assert "scores_of_positives" in statements[-1]
    # Of these every row is needed, and a second sort would cost more than it saves.
    running.run(data, "auc, ks, partial_auc(max_fpr=0.1)", **roles, execute=noting(statements))
    assert "packed_rows" not in statements[-1]
    running.run(data, "ks", **roles, confidence=0.9, cluster="user", execute=noting(statements))
    assert "packed_rows" not in statements[-1]
    running.run(data, "ks", **roles, diagnostics=True, execute=noting(statements))
    assert "packed_rows" not in statements[-1]
    sure = running.run(data, "auc, gini", **roles, confidence=0.9, cluster="user", execute=noting(statements))
    assert "packed_scores" in statements[-1]
    running.run(data, "auc, gini", **roles, confidence=0.9, execute=noting(statements))
    assert "packed_scores" not in statements[-1]
    running.run(log(2), "auc", label="clicked", score="score", execute=noting(statements))
    assert "packed_scores" not in statements[-1]
    for name in ("auc", "gini"):
        assert area[name].tolist() == pytest.approx(beside[name].tolist(), abs=1e-12)
        assert area[name].tolist() == pytest.approx(sure[name].tolist(), abs=1e-12)


#: Scores that a cell of packed ranks might not tell apart, or take for others: of `rows` numbers between 0 and 1.
HOSTILE: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "uniform": lambda unit: unit,
    "float32": lambda unit: unit.astype("float32").astype("float64"),
    "both signs, huge": lambda unit: (unit - 0.5) * 3.5e308,
    "tiny": lambda unit: unit * 1e-300,
    "subnormal": lambda unit: unit * 5e-320,
    "zeros": lambda unit: np.where(unit < 0.3, -0.0, np.where(unit < 0.6, 0.0, unit)),
    "infinite": lambda unit: np.where(unit < 0.1, np.inf, np.where(unit < 0.2, -np.inf, unit)),
    "nothing but infinities": lambda unit: np.where(unit < 0.5, np.inf, -np.inf),
    "ties": lambda unit: np.floor(unit * 20) / 7,
    "one": lambda unit: unit * 0 + 0.3,
    "steps of one ulp": lambda unit: 1 + np.floor(unit * 40) * 2**-52,
    "near and far": lambda unit: np.where(unit < 0.01, 1e300, unit),
}


def hostile_slices(kind: str, slices: int, seed: int, power: int = 1) -> pd.DataFrame:
    """Slices of a few rows, each with its own rate of clicks, the fewer the higher the power."""
    rng = np.random.default_rng([slices, seed, *kind.encode()])
    slice_of = np.repeat(np.arange(slices), rng.integers(1, 60, slices))
    rate = rng.random(slices)[slice_of] ** power
    return pd.DataFrame({
        "slice": slice_of, "clicked": (rng.random(len(slice_of)) < rate).astype(int),
        "score": HOSTILE[kind](rng.random(len(slice_of))),
    }).sample(frac=1, random_state=1)  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_packed_ranks_are_exact(kind: str) -> None:
    data = hostile_slices(kind, 30, 2)
    size = data["slice"].value_counts(sort=False).sort_index()
    ranks = data["score"].rank()  # scikit-learn takes no infinite score
    asked: dict[str, Any] = {"relation": "data", "label": "clicked", "score": "score", "shape": "packed"}
    with duckdb.connect() as con:
        con.register("data", data)
        whole = con.sql(sqlmetrics.render("auc", **asked)).df()
        found = con.sql(sqlmetrics.render("auc, gini", by="slice", **asked)).df()
    assert whole["auc"][0] == pytest.approx(roc_auc_score(data["clicked"], ranks), abs=1e-12)
    assert whole["n"][0] == len(data)
    assert found["n"].tolist() == size.tolist()
    for number, area, gini in zip(found["slice"], found["auc"], found["gini"], strict=True):
        clicked = data["clicked"][data["slice"] == number]
        if clicked.nunique() == 1:
            assert np.isnan(area)
            assert np.isnan(gini)
        else:
            expected = roc_auc_score(clicked, ranks[clicked.index])
            assert area == pytest.approx(expected, abs=1e-12)
            assert gini == pytest.approx(2 * expected - 1, abs=1e-12)


def expected_of_curves(clicked: pd.Series, ranks: pd.Series) -> dict[str, float]:
    """What scikit-learn says of the metrics that are read off at the scores of positives; nothing without positives."""
    found = dict.fromkeys(["ks", "average_precision", "pr_auc", "max_f1", "tpr_at_fpr"], np.nan)
    if not clicked.any():
        return found
    precision, recall, _ = precision_recall_curve(clicked, ranks)
    found["average_precision"] = average_precision_score(clicked, ranks)
    found["pr_auc"] = auc(recall, precision)
    found["max_f1"] = np.max(2 * precision * recall / np.maximum(precision + recall, 1e-300))
    if clicked.all():
        return found
    fpr, tpr, _ = roc_curve(clicked, ranks, drop_intermediate=False)
    return {**found, "ks": np.max(tpr - fpr), "tpr_at_fpr": np.max(tpr[fpr <= 0.3])}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_curves_of_packed_ranks_are_exact(kind: str) -> None:
    data = hostile_slices(kind, 30, 3, power=2)
    size = data["slice"].value_counts(sort=False).sort_index()
    ranks = data["score"].rank()
    asked: dict[str, Any] = {"relation": "data", "label": "clicked", "score": "score", "shape": "packed"}
    curves = ["ks", "average_precision", "pr_auc(interpolation='trapezoid')", "tpr_at_fpr(fpr=0.3)"]
    with duckdb.connect() as con:
        con.register("data", data)
        whole = con.sql(sqlmetrics.render(["auc", *curves], **asked)).df()
        found = con.sql(sqlmetrics.render(curves, by="slice", **asked)).df()
        # With it every score of positives is looked up.
        best = con.sql(sqlmetrics.render("max_f1", by="slice", **asked)).df()
        assert "positives.score" not in sqlmetrics.render(curves, **asked)
        assert "positives.score" in sqlmetrics.render("max_f1", **asked)
    assert whole["auc"][0] == pytest.approx(roc_auc_score(data["clicked"], ranks), abs=1e-12)
    for name, value in expected_of_curves(data["clicked"], ranks).items():
        if name in whole.columns:
            assert whole[name][0] == pytest.approx(value, abs=1e-12), name
    assert found["n"].tolist() == best["n"].tolist() == size.tolist()
    together = found.merge(best, on=["slice", "n"])
    for row in together.to_dict("records"):
        own = data[data["slice"] == row["slice"]]
        for name, value in expected_of_curves(own["clicked"], ranks[own.index]).items():
            assert row[name] == pytest.approx(value, abs=1e-12, nan_ok=True), (name, row["slice"])
        called = own["score"] >= row["max_f1_threshold"]
        if own["clicked"].any():
            reached = 2 * own["clicked"][called].sum() / (called.sum() + own["clicked"].sum())
            assert reached == pytest.approx(row["max_f1"], abs=1e-12)
            assert (own["score"] == row["max_f1_threshold"]).any()


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "by"), [(name, (None, "slice")[number % 2]) for number, name in enumerate(HOSTILE)])
def test_intervals_of_packed_ranks(kind: str, by: str | None) -> None:
    """Those of plain ranks, which are compared with scikit-learn; a cluster without a value is one too."""
    rng = np.random.default_rng([8, *kind.encode()])
    rows = 3000
    data = pd.DataFrame({
        "slice": rng.choice(["a", "b", None], rows), "clicked": rng.integers(0, 2, rows),
        "user": rng.choice(["u", None, *map(str, range(100))], rows), "score": HOSTILE[kind](rng.random(rows)),
    })  # fmt: skip
    asked: dict[str, Any] = {
        "relation": "data", "label": "clicked", "score": "score", "by": by, "confidence": 0.95, "cluster": "user",
        "standard_error": True,
    }  # fmt: skip
    with duckdb.connect() as con:
        con.register("data", data)
        plain, packed = (
            con.sql(sqlmetrics.render("auc, gini", shape=shape, **asked)).df() for shape in ("rows", "packed")
        )
    assert len(plain) == (1 if by is None else 3)
    pd.testing.assert_frame_equal(packed, plain, rtol=1e-11, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("by", [None, [[], ["device"]]])
def test_models_of_few_scores_beside_others(by: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each goes its own way, and all have the values, intervals and differences that they have together."""
    rng = np.random.default_rng(12)
    data = log(None).assign(user=lambda rows: np.where(rows.index % 7 == 0, None, rows.index % 300))
    data["other"] = data["score"] + rng.normal(0, 0.2, len(data))
    data["rounded"] = data["other"].round(2)
    # Both an infinite score and a device that is missing are values like others.
    data.loc[rng.random(len(data)) < 0.01, "rounded"] = np.inf
    data.loc[rng.random(len(data)) < 0.1, "device"] = None
    given: dict[str, Any] = {"label": "clicked", "score": ["score", "other", "rounded"], "by": by}
    sure: dict[str, Any] = {**given, "cluster": "user", "confidence": 0.9}

    def all_of_it() -> tuple[str, list[pd.DataFrame]]:
        statements: list[str] = []
        found = [running.run(data, "auc, gini", **one, execute=noting(statements)) for one in (given, sure)]
        return statements[-1], [*found, sqlmetrics.compare(data, "auc, gini", **sure)]

    text, apart = all_of_it()
    assert "counts_of_scores" in text
    monkeypatch.setattr(running, "_SAMPLE", len(data) + 1)
    text, together = all_of_it()
    assert "counts_of_scores" not in text
    for one, other in zip(apart, together, strict=True):
        pd.testing.assert_frame_equal(one, other, rtol=1e-9)
    # By scikit-learn over the first slice, whether that is the whole log or a device.
    first = apart[0].loc[apart[0]["model"] == "rounded"].iloc[0]
    rows = data if len(data) == first["n"] else data[data["device"] == first["device"]]
    assert len(rows) == first["n"]
    assert first["auc"] == pytest.approx(roc_auc_score(rows["clicked"], rows["rounded"].rank()), abs=1e-12)


@pytest.mark.slow
def test_models_compared_by_packed_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    data = log(None).assign(user=lambda rows: rows.index % 300)
    data["other"] = data["score"] + np.random.default_rng(4).normal(0, 0.2, len(data))
    statements: list[str] = []
    asked: dict[str, Any] = {"label": "clicked", "score": ["score", "other"], "cluster": "user", "by": "device"}
    packed = sqlmetrics.compare(data, "auc, gini", **asked)
    running.run(data, "auc", **asked, confidence=0.95, execute=noting(statements))
    assert "packed_scores" in statements[-1]
    monkeypatch.setattr(running, "_SAMPLE", len(data) + 1)
    running.run(data, "auc", **asked, confidence=0.95, execute=noting(statements))
    assert "packed_scores" not in statements[-1]
    pd.testing.assert_frame_equal(packed, sqlmetrics.compare(data, "auc, gini", **asked), rtol=1e-10)
    assert set(packed["verdict"]) == {"worse"}


@pytest.mark.parametrize(
    ("metric", "asked", "sorts"),
    [
        ("auc", {}, 1),
        ("average_precision", {}, 1),
        ("max_f1", {}, 1),
        ("ks", {}, 1),
        ("auc", {"confidence": 0.95, "cluster": "user"}, 2),
    ],
)
def test_packed_ranks_out_of_order_are_an_error(metric: str, asked: dict[str, Any], sorts: int) -> None:
    """Should an engine number rows otherwise than they were sorted, there is no number."""
    sql = sqlmetrics.render(metric, relation="data", label="clicked", score="score", shape="packed", **asked)
    unsorted, replaced = re.subn(r"order by\s+high asc,\s+low asc", "", sql)
    assert replaced == sorts
    with duckdb.connect() as con:
        con.register("data", log(None).assign(user=lambda rows: rows.index % 300))
        con.execute("set preserve_insertion_order = false")
        assert len(con.sql(sql).df()) == 1
        with pytest.raises(duckdb.Error, match=r"packed scores came out of their order in [0-9]+ places"):
            con.sql(unsorted).df()


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if name != "duckdb"])
def test_packed_ranks_are_for_duckdb(dialect: str) -> None:
    with pytest.raises(BadParameter, match="shape='packed' is for duckdb only"):
        sqlmetrics.render("auc", relation="data", label="clicked", score="score", shape="packed", dialect=dialect)


def log_of_groups() -> pd.DataFrame:
    """Groups whose names differ by their letters' case, their accents, a blank, or in the last of hundred letters."""
    names = np.array(["a", "A", "á", "a ", " a", "", "null", "\x00", "x" * 99 + "y", "x" * 99 + "z", "-0", "0"])
    rng = np.random.default_rng(6)
    rows = 60_000
    group = rng.integers(0, len(names), rows)
    data = pd.DataFrame({"user": names[group], "device": rng.choice(["phone", None], rows), "score": rng.random(rows)})
    return data.assign(clicked=(rng.random(rows) < (data["score"] + group / 12) / 2).astype(int))


@pytest.mark.slow
@pytest.mark.parametrize("by", [None, "device"])
def test_groups_told_by_a_hash(by: str | None, tmp_path: Path) -> None:
    data = log_of_groups()
    asked: dict[str, Any] = {"label": "clicked", "score": "score", "group": "user", "by": by}
    statements: list[str] = []
    found = running.run(data, "gauc", **asked, execute=noting(statements))
    assert "hash(group_id)" in statements[-1]
    for row in found.itertuples():
        rows = (
            data if by is None else data[data["device"].isna() if pd.isna(row.device) else data["device"] == row.device]
        )
        areas = [roc_auc_score(one["clicked"], one["score"]) for _, one in rows.groupby("user")]
        assert row.gauc == pytest.approx(np.average(areas, weights=rows.groupby("user").size()), abs=1e-12)
    table = sqlmetrics.group_auc(data, **{**asked, "by": None})
    expected = {user: roc_auc_score(one["clicked"], one["score"]) for user, one in data.groupby("user")}
    assert dict(zip(table["user"], table["auc"], strict=True)) == pytest.approx(expected, abs=1e-12)
    certain = running.run(data, "gauc", **asked, confidence=0.95, execute=noting(statements))
    assert "hash(group_id)" in statements[-1]
    plain = duckdb.sql(sqlmetrics.render("gauc", relation="data", **asked, confidence=0.95)).df()
    pd.testing.assert_frame_equal(certain, plain, rtol=1e-12)
    # Of a file just so; a number is sorted as it is.
    path = tmp_path / "log.parquet"
    data.assign(number=data["user"].factorize()[0]).to_parquet(path)
    running.run(path, "gauc", **asked, execute=noting(statements))
    assert "hash(group_id)" in statements[-1]
    running.run(path, "gauc", **{**asked, "group": "number"}, execute=noting(statements))
    assert "hash(group_id)" not in statements[-1]


def test_groups_are_told_by_their_collation() -> None:
    """Where `a` is `A` to the engine, it is to the metric."""
    data = log_of_groups()
    data = data[data["user"].isin(["a", "A"])]
    data = pd.concat([data] * 6)
    expected = roc_auc_score(data["clicked"], data["score"])
    asked: dict[str, Any] = {"label": "clicked", "score": "score", "group": "user"}
    with duckdb.connect() as con:
        con.execute('create table log (clicked integer, score double, "user" varchar collate nocase)')
        con.execute('insert into log select clicked, score, "user" from data')
        assert sqlmetrics.gauc("log", con=con, **asked)["gauc"][0] == pytest.approx(expected, abs=1e-12)
        con.execute("set default_collation = 'nocase'")
        assert sqlmetrics.gauc(data, con=con, **asked)["gauc"][0] == pytest.approx(expected, abs=1e-12)


def test_two_groups_of_one_hash_are_an_error() -> None:
    sql = sqlmetrics.render("gauc", relation="data", label="clicked", score="score", group="user", shape="packed")
    with duckdb.connect() as con:
        con.register("data", log_of_groups())
        assert len(con.sql(sql).df()) == 1
        with pytest.raises(duckdb.Error, match=r"two groups have the same hash: .+ and .+; shape='rows'"):
            con.sql(sql.replace("hash(group_id)", "length(group_id)")).df()


@pytest.mark.parametrize("form", ["csv", "json"])
def test_text_is_parsed_once(form: str, tmp_path: Path) -> None:
    """However many frames there are, and with the count of all rows."""
    path = tmp_path / f"log.{form}"
    data = log(3).assign(user=lambda rows: rows.index % 50)
    duckdb.sql(f"copy data to '{path}' (format {form})")
    statements: list[str] = []
    roles = {"label": "clicked", "score": "score", "group": "user"}
    asked: Any = ["brier", "gauc", "ece"]
    result = running.run(path, asked, **roles, execute=noting(statements))
    explained: Any = duckdb.sql(f"explain {statements[-1]}").fetchall()
    assert len(re.findall(rf"Function:[\s│]*READ_{form}", explained[0][1], re.IGNORECASE)) == 1
    expected = sqlmetrics.evaluate(data, asked, **roles)
    pd.testing.assert_frame_equal(result, expected, rtol=1e-12)


def test_either_shape_orders_classes_and_amounts_alike() -> None:
    """Frames of their own, whose rows stand in several orders: against scikit-learn and the sums over all pairs."""
    rng = np.random.default_rng(3)
    data = pd.DataFrame(rng.integers(1, 9, (90, 3)), columns=["p0", "p1", "p2"])
    data = data.div(data.sum(axis=1), axis=0).assign(kind=np.arange(90) % 3, y=rng.integers(0, 20, 90) / 4)
    asked: Any = [{"name": "multi_auc", "scores": {0: "p0", 1: "p1", 2: "p2"}}, {"name": "normalized_gini"}]
    apart = np.subtract.outer(data["y"].to_numpy(), data["y"].to_numpy())
    order = np.sign(np.subtract.outer(data["p0"].to_numpy(), data["p0"].to_numpy()))
    areas = roc_auc_score(data["kind"], data[["p0", "p1", "p2"]], multi_class="ovr")
    gini = (apart * order).sum() / abs(apart).sum()
    for shape in ("rows", "two_level"):
        sql = sqlmetrics.render(asked[0], relation="data", label="kind", shape=shape)
        assert duckdb.sql(sql).df()["multi_auc"][0] == pytest.approx(areas, rel=1e-12), shape
        sql = sqlmetrics.render(asked[1], relation="data", label="y", score="p0", shape=shape)
        assert duckdb.sql(sql).df()["normalized_gini"][0] == pytest.approx(gini, rel=1e-12), shape


#: Scores at the edges of the cells: both zeros, the smallest and largest numbers, infinities.
EDGES = [0.0, -0.0, 5e-324, -5e-324, 1e-300, 0.5, 1.0, 1 - 2**-53, 1 + 2**-52, 1e300, 1.7976931348623157e308, np.inf]


def edge_log() -> pd.DataFrame:
    rng = np.random.default_rng(8)
    rows = 4000
    edges = np.array(EDGES + [-edge for edge in EDGES])
    score = np.concatenate([
        rng.random(1000), rng.lognormal(-7, 1, 1000), rng.normal(0, 50, 500), np.full(500, 0.25),
        rng.choice(edges, 1000),
    ])  # fmt: skip
    return pd.DataFrame({
        "clicked": (rng.random(rows) < 0.3).astype(float), "score": score, "w": rng.integers(1, 9, rows) / 4,
        "device": rng.choice(["a", "b", None], rows, p=[0.9, 0.05, 0.05]), "campaign": rng.choice(["x", "y"], rows),
    })  # fmt: skip


METRICS_OF_SHAPES = [
    "auc, average_precision, gini, ks, pr_auc, max_f1", "auc, gini", "lift_table", "roc_curve",
    "roc_curve(points=7)", "roc_curve(points=7, spacing='rows')", "score_histogram(bins=7)",
    "medae, r2, mae", "cal_n, gc_n, ece(binning='mass')", "calibration_curve(binning='mass')", "auc(bins=100)",
]  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "by", "weight"),
    [(METRICS_OF_SHAPES[0], None, None)]
    + [(metric, (None, "device")[number % 2], "w") for number, metric in enumerate(METRICS_OF_SHAPES)],
)
def test_every_shape_gives_the_same(metric: str, by: str | None, weight: str | None) -> None:
    data = edge_log()
    probability = any(word in metric for word in ("cal", "gc_n", "ece"))
    if probability or "medae" in metric:
        data = data[data["score"].between(0, 1)]
    asked: dict[str, Any] = {"label": "clicked", "score": "score", "by": by, "weight": weight, "relation": "data"}
    asked |= {"field": "campaign"} if "gc_n" in metric else {}
    with duckdb.connect() as con:
        con.register("data", data)
        results = [con.sql(sqlmetrics.render(metric, shape=shape, **asked)).df() for shape in SHAPES]
    assert len(results[0])
    for other in results[1:]:
        pd.testing.assert_frame_equal(results[0], other, rtol=1e-12, atol=1e-12, check_exact=False)
    if by is None and weight is None and metric.startswith("auc, "):
        ranks = data["score"].rank()  # scikit-learn takes no infinite score
        assert results[1]["auc"][0] == pytest.approx(roc_auc_score(data["clicked"], ranks), abs=1e-12)


@pytest.mark.parametrize(
    ("points", "kind", "weight"), pairwise([50, 1, 2, 7], ["uniform", "ties", "zeros"], [None, "w"])
)
def test_the_points_that_are_kept_lose_no_more_area_than_is_said(kind: str, weight: str | None, points: int) -> None:
    """And each of them is a point of the whole curve."""
    rng = np.random.default_rng([9, points])
    unit = rng.random(2000)
    data = pd.DataFrame({
        "clicked": (rng.random(2000) < unit**3).astype(int), "score": HOSTILE[kind](unit),
        "w": rng.integers(1, 9, 2000),
    })  # fmt: skip
    asked: dict[str, Any] = {"label": "clicked", "score": "score", "weight": weight}
    whole = sqlmetrics.roc_curve(data, **asked, points="all")
    kept = sqlmetrics.roc_curve(data, **asked, points=points, spacing="rows")
    assert len(kept) <= points + 1
    known = set(zip(whole["threshold"], whole["tpr"], whole["fpr"], strict=True))
    assert set(zip(kept["threshold"], kept["tpr"], kept["fpr"], strict=True)) <= known
    area = float(np.trapezoid(kept["tpr"], kept["fpr"]))
    exact = roc_auc_score(data["clicked"], data["score"], sample_weight=None if weight is None else data[weight])
    share = float(np.average(data["clicked"], weights=None if weight is None else data[weight]))
    assert abs(area - exact) <= 1 / (2 * points * share * (1 - share))
    if points == 50 and kind == "uniform":
        assert abs(area - exact) < 0.002


@pytest.mark.parametrize("seed", range(8))
def test_what_is_no_score_is_left_out_once_scores_are_counted(seed: int, tmp_path: Path) -> None:
    """NaN of a file whose statistics know nothing of it, NULL and infinities, in any mixture: one kind alone, too."""
    rng = np.random.default_rng([14, seed])
    rows = int(rng.integers(1, 200))
    pool = rng.choice([0.0, 0.1, 0.2, 0.7, 1.0, -3.0, np.inf, -np.inf, np.nan, np.nan], size=int(rng.integers(1, 6)))
    score, clicked = rng.choice(pool, rows), rng.integers(0, 2, rows).astype(float)
    clicked[rng.random(rows) < 0.05] = np.nan
    there = rng.random(rows) < 0.9
    path = tmp_path / "log.parquet"
    columns = [pa.array(clicked, from_pandas=False), pa.array(score, mask=~there, from_pandas=False)]
    pyarrow.parquet.write_table(pa.table(columns, names=["clicked", "score"]), path, write_statistics=seed % 2 == 0)
    used = there & ~np.isnan(score) & ~np.isnan(clicked)
    for spec in ("auc", "auc(bins=65536)", "auc(bins=3)", "auc(bins=1)"):
        text = sqlmetrics.render(spec, relation=f"'{path}'", label="clicked", score="score", shape="distinct")
        assert "as counted_scores" in text
        with duckdb.connect(config={"threads": 1}) as con:
            [found] = con.execute(text).df().to_dict("records")
        assert found["n"] == used.sum(), spec
        if len(set(clicked[used])) < 2:
            assert np.isnan(found["auc"]), spec
            continue
        exact = roc_auc_score(clicked[used], pd.Series(score[used]).rank())  # scikit-learn takes no infinite score
        if spec == "auc":
            assert found["auc"] == pytest.approx(exact, abs=1e-12)
        else:
            assert found["auc_lower"] - 1e-12 <= exact <= found["auc_upper"] + 1e-12, spec


def test_a_higher_score_is_never_in_a_lower_cell() -> None:
    rng = np.random.default_rng(9)
    magnitudes = np.exp(rng.uniform(-740, 709, 200_000))
    near = np.concatenate([np.nextafter(magnitudes, 0), np.nextafter(magnitudes, np.inf)])
    sizes = np.concatenate([np.abs(EDGES), magnitudes, near, rng.random(200_000), 1 - rng.random(1000) * 1e-9])
    scores = pd.DataFrame({"score": np.sort(np.concatenate([-sizes, sizes]))})
    cell = render_macro(builtin_catalogue(), "duckdb", "cell_of", "score")
    cells = duckdb.sql(f"select {cell} as cell from scores").df()["cell"].to_numpy()
    assert (np.diff(cells) >= 0).all()
    assert len(np.unique(cells)) > 50_000
    uniform = np.bincount(np.unique(cells[(scores["score"] > 0) & (scores["score"] < 1)], return_inverse=True)[1])
    assert uniform.max() < 0.001 * len(scores)


@pytest.mark.parametrize(
    ("limit", "rows", "metrics", "bits"),
    # Of 1 GB an eighth, for two threads and the whole, 144 bytes a user: 289,351 users; or 3,264 bytes: 12,765.
    [("1GB", 10**9, 1, 18), ("1GB", 10**9, 40, 17), ("8GB", 10**9, 1, 21), ("8GB", 600_000, 1, 19), ("8GB", 10, 1, 17)],
)
def test_arrays_are_as_long_as_memory_and_rows_allow(limit: str, rows: int, metrics: int, bits: int) -> None:
    with private_connection(2, limit) as con:
        count_groups_in_arrays(con, rows, metrics)
        assert con.execute("select current_setting('perfect_ht_threshold')").fetchall() == [(bits,)]


def test_users_counted_in_arrays_are_those_of_a_hash_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = log(None)
    rng = np.random.default_rng(3)
    data["user"] = pd.array(rng.integers(-20_000, 20_000, len(data)), dtype="Int64")
    data.loc[rng.random(len(data)) < 0.01, "user"] = None
    data.to_parquet(tmp_path / "log.parquet")
    asked: dict[str, Any] = {
        "label": "clicked",
        "score": "score",
        "cluster": "user",
        "confidence": 0.9,
        "group": "user",
    }
    monkeypatch.setattr(connections, "_BITS_OF_ARRAYS", 3)
    monkeypatch.setattr(connections, "_shared_engine", connections._SharedEngine())
    bits: list[int] = []

    def noted(source: running.Source, sql: str) -> pd.DataFrame:
        assert source.connection is not None
        bits.extend(source.connection.execute("select current_setting('perfect_ht_threshold')").fetchall()[0])
        return running.fetch(source, sql)

    with pytest.warns(sqlmetrics.DroppedRows):
        found = running.run(str(tmp_path / "log.parquet"), "auc, gauc, log_loss", **asked, execute=noted)
    assert bits[0] == 3
    assert bits[-1] == 15
    with duckdb.connect() as con, pytest.warns(sqlmetrics.DroppedRows):
        expected = running.run(str(tmp_path / "log.parquet"), "auc, gauc, log_loss", **asked, con=con)
    pd.testing.assert_frame_equal(found, expected, rtol=1e-12)


class Shown:
    """Stands for a session of Spark, which shows some scores and keeps what it is asked."""

    dialect = "spark"

    def __init__(self, scores: np.ndarray) -> None:
        self.scores = scores
        self.asked = ""

    def first_rows(self, sql: str, count: int) -> pd.DataFrame | None:
        assert "from log\n" in sql
        return pd.DataFrame({"score": self.scores[:count]}) if len(self.scores) else None

    def columns(self, _sql: str) -> dict[str, str]:
        return {"clicked": "double", "score": "double", "w": "double", "device": "string", "user": "string"}

    def query(self, sql: str) -> pd.DataFrame:
        self.asked += sql
        raise LookupError("enough")


@pytest.mark.parametrize(
    ("metrics", "options", "scores", "ranked"),
    [
        ("auc", {}, np.arange(ROWS), True),
        ("auc, gini, log_loss", {"by": [[], ["device"]]}, np.arange(ROWS), True),
        ("auc, gauc", {"group": "user"}, np.arange(ROWS), True),
        ("auc", {}, np.arange(ROWS) // 2, False),
        ("auc", {}, np.arange(1000), False),
        ("auc", {}, np.arange(0), False),
        ("auc, ks", {}, np.arange(ROWS), False),
        ("auc(bins=10)", {}, np.arange(ROWS), False),
        ("auc", {"weight": "w"}, np.arange(ROWS), False),
        ("auc", {"confidence": 0.9}, np.arange(ROWS), False),
        ("auc", {"diagnostics": True}, np.arange(ROWS), False),
    ],
)
def test_rows_are_ranked_in_cells_where_a_look_pays(
    metrics: str, options: dict[str, Any], scores: np.ndarray, ranked: bool
) -> None:
    engine = Shown(scores)
    with pytest.raises(sqlmetrics.QueryFailed, match="enough"):
        sqlmetrics.evaluate("log", metrics, label="clicked", score="score", engine=engine, **options)
    assert ("ranks_in_cells" in engine.asked) == ranked
    # A query of the caller's may be dear.
    engine = Shown(scores)
    with pytest.raises(sqlmetrics.QueryFailed, match="enough"):
        sqlmetrics.evaluate("select 1", metrics, label="clicked", score="score", engine=engine, **options)
    assert "ranks_in_cells" not in engine.asked


def test_the_default_shape_of_a_dialect() -> None:
    asked: dict[str, Any] = {"metrics": "auc", "relation": "log", "label": "clicked", "score": "score"}
    for dialect in DIALECTS:
        asked["dialect"] = dialect
        others: dict[str, Any] = {"spark": "two_level", "databricks": "two_level", "redshift": "distinct"}
        shape = others.get(dialect, "rows")
        assert sqlmetrics.render(**asked) == sqlmetrics.render(**asked, shape=shape)


@pytest.mark.slow
def test_what_memory_does_not_hold_is_written_to_a_folder_that_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = 3_000_000
    path = tmp_path / "log.parquet"
    duckdb.sql(
        f"copy (select hash(i) % 2 as clicked, hash(i, 1) / 1.8446744073709552e19 as score from range({rows}) as t(i)) "
        f"to '{path}' (format parquet)"
    )
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    asked = {"label": "clicked", "score": "score"}
    spilled = []
    plain = running.fetch

    def watched(source: running.Source, sql: str) -> pd.DataFrame:
        assert source.connection is not None
        result = plain(source, sql)
        spilled.append(len(list(folder.iterdir())))
        return result

    small = running.run(path, "ks", **asked, threads=1, memory_limit="60MB", execute=watched)
    assert spilled[-1] == 1, "a folder of its own"
    assert list(folder.iterdir()) == []
    assert small["ks"][0] == pytest.approx(sqlmetrics.evaluate(path, "ks", **asked)["ks"][0], abs=1e-12)
    with duckdb.connect() as con:  # it did need the folder
        con.execute("set threads = 1; set memory_limit = '60MB'; set max_temp_directory_size = '0B'")
        with pytest.raises(sqlmetrics.QueryFailed, match="Out of Memory"):
            sqlmetrics.evaluate(path, "ks", con=con, **asked)
    failing = {"label": "clicked", "score": "= case when error('stop') is null then score end"}
    with pytest.raises(sqlmetrics.QueryFailed):
        sqlmetrics.evaluate(path, "ks", **failing)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("metric", ["roc_curve", "pr_curve", "threshold_table"])
def test_a_curve_has_200_points_unless_all_are_requested(metric: str) -> None:
    """Of equal numbers of rows, however skewed the scores are; `preset='sklearn'` returns them all."""
    rng = np.random.default_rng(4)
    data = pd.DataFrame({"clicked": rng.integers(0, 2, 5000), "score": rng.random(5000) ** 6})
    roles = {"label": "clicked", "score": "score"}
    table = getattr(sqlmetrics, metric)(data, **roles)
    assert len(table) == 201
    called = table["tp"] + table["fp"]
    assert np.diff(called).max() <= 26
    assert len(getattr(sqlmetrics, metric)(data, **roles, points="all")) == 5001
    assert len(getattr(sqlmetrics, metric)(data, **roles, preset="sklearn")) == 5001
    with pytest.raises(sqlmetrics.BadParameter, match="points must be a whole number >= 1 or 'all', not 'every'"):
        getattr(sqlmetrics, metric)(data, **roles, points="every")


def test_a_calibration_curve_has_bins_of_equal_mass() -> None:
    """Click rates lie in one or two bins of equal width."""
    rng = np.random.default_rng(4)
    rates = rng.beta(2, 60, 4000)
    data = pd.DataFrame({"clicked": (rng.random(4000) < rates) * 1, "score": rates})
    table = sqlmetrics.calibration_curve(data, label="clicked", score="score")
    assert table["rows"].tolist() == [400] * 10
    assert len(sqlmetrics.calibration_curve(data, label="clicked", score="score", preset="sklearn")) < 4
