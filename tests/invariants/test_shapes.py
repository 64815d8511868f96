"""How a query runs: its shape, chosen from the data, and its memory. Results do not depend on them."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import sqlmetrics
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.catalogue.vocabulary import SHAPES
from sqlmetrics.engines.duckdb_connection import count_groups_in_arrays, private_connection
from sqlmetrics.inputs.source import Executor, Source
from sqlmetrics.rendering.macros import render_macro
from sqlmetrics.running.execute import fetch
from tests.calls import run_call
from tests.data import arrow
from tests.parameters import quick_every

ROWS = 60_000


def log(digits: int | None) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    score = rng.random(ROWS)
    score = score if digits is None else score.round(digits)
    clicked = (rng.random(ROWS) < 0.1 + 0.3 * score).astype(float)
    return pd.DataFrame({"clicked": clicked, "score": score, "device": rng.choice(["a", "b"], ROWS)})


def noting(statements: list[str]) -> Executor:
    """An executor that records the text of each statement."""

    def noted(source: Source, sql: str) -> pd.DataFrame:
        statements.append(sql)
        return fetch(source, sql)

    return noted


@pytest.mark.parametrize(("digits", "shape"), [((None, None), "rows"), ((3, 3), "distinct"), ((3, None), "rows")])
def test_the_shape_follows_the_scores_of_all_models(digits: tuple[int | None, int | None], shape: str) -> None:
    statements: list[str] = []
    data = log(digits[0]).assign(other=log(digits[1])["score"])
    roles: dict[str, Any] = {"label": "clicked", "score": ["score", "other"]}
    result = run_call(data, "auc, ks", **roles, execute=noting(statements))
    assert ("distinct_scores" in statements[-1]) == (shape == "distinct")
    expected = [roc_auc_score(data["clicked"], data[score]) for score in roles["score"]]
    assert result["auc"].tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("slices", "type_of_ids"), [(85, "utinyint"), (86, "integer")])
def test_one_byte_numbers_up_to_255_slices(slices: int, type_of_ids: str) -> None:
    """85 campaigns of three groupings have at most 255 slices; the overall grouping counts as one of the three."""
    campaign = np.random.default_rng(7).permutation(ROWS) % slices
    data = log(None).assign(campaign=np.where(campaign == 0, np.nan, campaign), device="phone")
    statements: list[str] = []
    groupings = [[], ["campaign"], ["device", "campaign"]]
    result = run_call(data, "auc", label="clicked", score="score", by=groupings, execute=noting(statements))
    assert f" as {type_of_ids}) as slice_id" in statements[-1]
    rows = [data, *(members for _, members in data.groupby("campaign", dropna=False))]
    rows += rows[1:]
    expected = [roc_auc_score(members["clicked"], members["score"]) for members in rows]
    assert result["auc"].tolist() == pytest.approx(expected, abs=1e-12)


def test_slices_are_counted_only_for_ranks() -> None:
    for metrics, counted in (("auc", True), ("copc, brier, mae", False)):
        statements: list[str] = []
        run_call(log(None), metrics, label="clicked", score="score", by="device", execute=noting(statements))
        assert any("count(*) as slices" in statement for statement in statements) == counted


def log_of_groups() -> pd.DataFrame:
    """Groups whose names differ in case, accents, a blank, or only in the last of a hundred letters."""
    names = np.array(["a", "A", "á", "a ", " a", "", "null", "\x00", "x" * 99 + "y", "x" * 99 + "z", "-0", "0"])
    rng = np.random.default_rng(6)
    rows = 60_000
    group = rng.integers(0, len(names), rows)
    data = pd.DataFrame({"user": names[group], "device": rng.choice(["phone", None], rows), "score": rng.random(rows)})
    return data.assign(clicked=(rng.random(rows) < (data["score"] + group / 12) / 2).astype(int))


@pytest.mark.slow
def test_groups_are_distinguished_by_a_hash(tmp_path: Path) -> None:
    data = log_of_groups()
    arguments: dict[str, Any] = {"label": "clicked", "score": "score", "group": "user"}
    statements: list[str] = []
    result = run_call(data, "gauc", **arguments, by="device", execute=noting(statements))
    assert "hash(group_id)" in statements[-1]
    for (_, rows), value in zip(data.groupby("device", dropna=False), result["gauc"], strict=True):
        areas = [roc_auc_score(members["clicked"], members["score"]) for _, members in rows.groupby("user")]
        assert value == pytest.approx(np.average(areas, weights=rows.groupby("user").size()), abs=1e-12)
    table = sqlmetrics.group_auc(data, **arguments)
    expected = {user: roc_auc_score(members["clicked"], members["score"]) for user, members in data.groupby("user")}
    assert dict(zip(table["user"], table["auc"], strict=True)) == pytest.approx(expected, abs=1e-12)
    # The same for a file; numeric groups are not hashed.
    path = tmp_path / "log.parquet"
    data.assign(number=data["user"].factorize()[0]).to_parquet(path)
    for group, hashed in (("user", True), ("number", False)):
        run_call(path, "gauc", **{**arguments, "group": group}, execute=noting(statements))
        assert ("hash(group_id)" in statements[-1]) == hashed


def test_groups_follow_their_collation() -> None:
    """Groups that are equal under the collation are the same group."""
    data = log_of_groups()
    data = data[data["user"].isin(["a", "A"])]
    data = pd.concat([data] * 6)
    expected = roc_auc_score(data["clicked"], data["score"])
    arguments: dict[str, Any] = {"label": "clicked", "score": "score", "group": "user"}
    with duckdb.connect() as con:
        con.execute('create table log (clicked integer, score double, "user" varchar collate nocase)')
        con.execute('insert into log select clicked, score, "user" from data')
        assert sqlmetrics.gauc("log", con=con, **arguments)["gauc"][0] == pytest.approx(expected, abs=1e-12)
        con.execute("set default_collation = 'nocase'")
        assert sqlmetrics.gauc(data, con=con, **arguments)["gauc"][0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("metric", ["gauc", "ndcg"])
def test_groups_with_equal_hashes_are_rejected(metric: str) -> None:
    statements: list[str] = []
    data = log_of_groups()
    run_call(data, metric, label="clicked", score="score", group="user", execute=noting(statements))
    sql = re.sub(r"from \S+\n\),\nvalid_rows", "from data\n),\nvalid_rows", statements[-1])
    with duckdb.connect() as con:
        con.register("data", data)
        assert len(con.sql(sql).df()) == 1
        with pytest.raises(duckdb.Error, match=r"two groups have the same hash: .+ and .+; shape='rows'"):
            con.sql(sql.replace("hash(group_id)", "length(group_id)")).df()


#: Scores at the edges of cells: both zeros, the smallest and largest numbers, infinities. NaN is no score.
EDGES = [0.0, -0.0, 5e-324, -5e-324, 1e-300, 0.5, 1.0, 1 - 2**-53, 1 + 2**-52, 1e300, 1.7976931348623157e308, np.inf]


def edge_log() -> pd.DataFrame:
    rng = np.random.default_rng(8)
    rows = 4000
    edges = np.array(EDGES + [-edge for edge in EDGES])
    score = np.concatenate([
        rng.random(1000), rng.lognormal(-7, 1, 1000), rng.normal(0, 50, 500), np.full(400, 0.25), np.full(100, np.nan),
        rng.choice(edges, 1000),
    ])  # fmt: skip
    classes = rng.integers(1, 9, (rows, 3))
    return pd.DataFrame({
        "clicked": (rng.random(rows) < 0.3).astype(float), "score": score, "w": rng.integers(1, 9, rows) / 4,
        "device": rng.choice(["a", "b", None], rows, p=[0.9, 0.05, 0.05]), "campaign": rng.choice(["x", "y"], rows),
        **dict(zip(["p0", "p1", "p2"], (classes / classes.sum(axis=1, keepdims=True)).T, strict=True)),
    })  # fmt: skip


METRICS_OF_SHAPES: list[Any] = [
    "auc, average_precision, gini, ks, pr_auc, max_f1", "auc, gini", "lift_table", "roc_curve",
    "roc_curve(points=7)", "score_histogram(bins=7)",
    "medae, r2, mae", "error_table(bins=7)", "residual_histogram(bins=7)",
    "cal_n, gc_n, ece(binning='mass')", "calibration_curve(binning='mass')", "auc(bins=100)",
    "normalized_gini", {"name": "multi_auc", "scores": {0: "p0", 1: "p1", 2: "p2"}},
]  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "by", "weight"),
    quick_every(
        3,
        [
            (METRICS_OF_SHAPES[0], None, None),
            *((metric, (None, "device")[number % 2], "w") for number, metric in enumerate(METRICS_OF_SHAPES)),
        ],
    ),
)
def test_shapes_have_equal_results(metric: Any, by: str | None, weight: str | None) -> None:
    data = edge_log()
    bounded = ("medae", "error", "residual", "cal_n", "calibration", "gini")
    if any(word in metric for word in bounded) and "auc" not in metric:
        data = data[data["score"].between(0, 1)]
    arguments: dict[str, Any] = {"label": "clicked", "score": "score", "by": by, "weight": weight, "relation": "data"}
    arguments |= {"field": "campaign"} if "gc_n" in metric else {}
    if "scores" in metric:
        data["clicked"] += data["campaign"] == "x"
        arguments.pop("score")
    with duckdb.connect() as con:
        con.register("data", arrow(data))
        results = [con.sql(sqlmetrics.render(metric, shape=shape, **arguments)).df() for shape in SHAPES]
    assert len(results[0])
    for other in results[1:]:
        pd.testing.assert_frame_equal(results[0], other, rtol=1e-12, atol=1e-12, check_exact=False)
    if by is None and weight is None:
        used = data.dropna(subset="score")
        ranks = used["score"].rank()  # scikit-learn does not support infinite scores
        assert results[1]["auc"][0] == pytest.approx(roc_auc_score(used["clicked"], ranks), abs=1e-12)


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
    # An eighth of 1 GB for two threads and the total, at 144 bytes per user: 289,351 users; or at 3,264 bytes: 12,765.
    [("1GB", 10**9, 1, 18), ("1GB", 10**9, 40, 17), ("8GB", 10**9, 1, 21), ("8GB", 600_000, 1, 19), ("8GB", 10, 1, 17)],
)
def test_arrays_are_as_long_as_memory_and_rows_allow(limit: str, rows: int, metrics: int, bits: int) -> None:
    with private_connection(2, limit) as con:
        count_groups_in_arrays(con, rows, metrics)
        assert con.execute("select current_setting('perfect_ht_threshold')").fetchall() == [(bits,)]


@pytest.mark.slow
def test_large_data_spills_to_a_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, folder = tmp_path / "log.parquet", tmp_path / "temporary"
    rows = "select hash(i) % 2 as clicked, hash(i, 1) / 1.8446744073709552e19 as score from range(3_000_000) as t(i)"
    duckdb.sql(f"copy ({rows}) to '{path}' (format parquet)")
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    arguments = {"label": "clicked", "score": "score"}
    spilled = []

    def watched(source: Source, sql: str) -> pd.DataFrame:
        result = fetch(source, sql)
        spilled.append(len(list(folder.iterdir())))
        return result

    small = run_call(path, "ks", **arguments, threads=1, memory_limit="60MB", execute=watched)
    assert spilled[-1] == 1, "a folder of its own"
    assert list(folder.iterdir()) == []
    assert small["ks"][0] == pytest.approx(sqlmetrics.evaluate(path, "ks", **arguments)["ks"][0], abs=1e-12)
    with duckdb.connect() as con:  # the folder was necessary
        con.execute("set threads = 1; set memory_limit = '60MB'; set max_temp_directory_size = '0B'")
        with pytest.raises(sqlmetrics.QueryFailed, match="Out of Memory"):
            sqlmetrics.evaluate(path, "ks", con=con, **arguments)
    with pytest.raises(sqlmetrics.QueryFailed):
        sqlmetrics.evaluate(path, "ks", label="clicked", score="= case when error('stop') is null then score end")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("metric", ["qini_curve", "uplift_curve"])
def test_curves_of_uplift_have_200_points_unless_all_are_requested(metric: str) -> None:
    """The points are points of the whole curve, with and without weights."""
    rng = np.random.default_rng(7)
    rows = {"clicked": rng.integers(0, 2, 5000), "treated": rng.integers(0, 2, 5000), "score": rng.random(5000) ** 6}
    data = pd.DataFrame({**rows, "w": rng.integers(1, 5, 5000)})
    for weight in ({}, {"weight": "w"}):
        roles = {"label": "clicked", "score": "score", "treatment": "treated", **weight}
        table = getattr(sqlmetrics, metric)(data, **roles)
        assert len(table) == 201
        whole = getattr(sqlmetrics, metric)(data, **roles, points="all")
        assert len(whole) == 5001
        same = whole.set_index("threshold").loc[table["threshold"]]
        np.testing.assert_allclose(table.set_index("threshold"), same, rtol=1e-12, atol=1e-12)
        assert np.diff(table["targeted"]).max() <= table["targeted"].max() / 200 + 5


@pytest.mark.parametrize("metric", ["roc_curve", "pr_curve", "threshold_table"])
def test_a_curve_has_200_points_unless_all_are_requested(metric: str) -> None:
    """The points have equal numbers of rows, even for skewed scores; `preset='sklearn'` returns the whole curve."""
    rng = np.random.default_rng(4)
    data = pd.DataFrame({"clicked": rng.integers(0, 2, 5000), "score": rng.random(5000) ** 6})
    roles = {"label": "clicked", "score": "score"}
    table = getattr(sqlmetrics, metric)(data, **roles)
    assert len(table) == 201
    called = table["tp"] + table["fp"]
    assert np.diff(called).max() <= 26
    for whole in ({"points": "all"}, {"preset": "sklearn"}):
        assert len(getattr(sqlmetrics, metric)(data, **roles, **whole)) == 5001
    with pytest.raises(sqlmetrics.BadParameter, match="points must be a whole number >= 1 or 'all', not 'every'"):
        getattr(sqlmetrics, metric)(data, **roles, points="every")
