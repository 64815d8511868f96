"""The metrics as macros of a DuckDB database: the runner's numbers for every client, and errors where data are bad."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner

import sqlmetrics
from sqlmetrics.catalogue import Metric, builtin_catalogue
from sqlmetrics.cli import main
from sqlmetrics.duckdb_macros import Macro, macros_text, metric_macros, why_not
from tests.data import arrow
from tests.variants import sample_values

NAMES = sorted(name for name, metric in builtin_catalogue().metrics.items() if not why_not(metric))
#: One metric of each frame.
OF_FRAMES = [*{builtin_catalogue()[name].frames: name for name in NAMES}.values()]
#: What is given in turn, beside the defaults; of a parameter that has no default the first is given in every call. Of
#: others it is what tests of the metrics give.
#: A macro takes numbers; `points='all'` can be fixed when it is installed.
VALUES: dict[str, list[Any]] = {
    "k": [3, 1, 10], "relevant_at": [2, 0.5], "threshold": [0.25], "beta": [0.5, 2], "zero_division": [1, 0],
    "eps": [0.125], "bins": [1, 3, 50], "points": [1, 7, 200], "max_label": [3, 4.5], "max_group_size": [2000],
    "p": [0.5], "alpha": [0.25], "max_weight": [1.5], "shrinkage": [4], "tpr": [0.8], "fpr": [0.2],
    "recall": [0.5], "precision": [0.5], "max_fpr": [0.3], "least": [0.2], "share": [0.5],
    "relevant_returned": [2.5], "other_returned": [-0.25], "relevant_missed": [-0.5], "other_missed": [0.125],
    "collection_size": [50],
}  # fmt: skip


@functools.cache
def macro_of(name: str) -> Macro:
    """Written when a test wants it, not when tests are looked for."""
    [macro] = metric_macros([name])
    return macro


def rows_of_log(count: int = 400) -> pd.DataFrame:
    """Rows for every metric, with ties, missing values and slices without a name."""
    rng = np.random.default_rng(7)
    rows = pd.DataFrame({
        "clicked": rng.integers(0, 2, count), "grade": rng.integers(0, 4, count),
        "spent": rng.normal(size=count).round(2) + 3, "kind": rng.choice(["cat", "dog", "owl"], count),
        "called": rng.choice(["cat", "dog", "owl"], count), "pctr": rng.integers(0, 60, count) / 60,
        "predicted": rng.normal(size=count).round(2) + 3, "user id": rng.integers(0, 25, count),
        "w": rng.integers(0, 4, count) / 2, "city": rng.choice(["a", "b", None], count),
        "price": rng.integers(1, 100, count) / 100, "lives": rng.integers(1, 100, count) / 100,
        "device": rng.choice(["ios", "web", None], count), "propensity": rng.integers(20, 60, count) / 60,
        "target": rng.integers(0, 60, count) / 60, "place": np.arange(1, count + 1),
        "treated": rng.integers(0, 2, count), "lasted": rng.integers(1, 90, count),
        "aspect": rng.choice(["price", "colour", "size"], count), "low": rng.normal(size=count).round(2) + 2,
        "high": rng.normal(size=count).round(2).clip(-1) + 7,
    })  # fmt: skip
    rows.loc[::41, "pctr"] = None
    rows.loc[5, "predicted"] = np.nan
    # A slice of one class.
    rows.loc[rows["device"] == "web", "clicked"] = 1
    rows["group weight"] = rows["user id"] % 3 + 0.5
    # Those of one user are different ones.
    rows["ad"] = rows.groupby("user id").cumcount() * 7 % 11 + rows.groupby("user id").cumcount() // 11 * 100
    return rows


def with_nan(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows, with doubles for what is compared with its like alone, some of which are NaN."""
    changed = rows.copy()
    for place, name in enumerate(["user id", "ad", "city", "kind", "called", "aspect"]):
        changed[name] = pd.factorize(rows[name])[0].astype(float)
        changed.loc[place :: 23 + place, name] = np.nan
    return changed


@pytest.fixture(scope="module")
def installed(request: pytest.FixtureRequest) -> Iterator[duckdb.DuckDBPyConnection]:
    """The macros are written in seconds: the tests that share them stay in one process (tests/plugin.py)."""
    few = {*OF_FRAMES, *(call.partition("(")[0] for call in REFUSED)}
    names = NAMES if request.config.getoption("markexpr") != "not slow" else [name for name in NAMES if name in few]
    with duckdb.connect() as con:
        con.register("given", rows_of_log())
        con.execute("create table log as from given")
        con.execute("create table nothing as from log limit 0")
        con.register("given", arrow(with_nan(rows_of_log())))  # a DataFrame's NaN would be NULL
        con.execute("create table unnamed as from given")
        assert sqlmetrics.install(con, names) == names
        yield con


@pytest.fixture
def con(installed: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    return installed


def columns_of(metric: Metric) -> dict[str, str]:
    """The column for each role of a metric."""
    label = {"relevance": "grade", "ranking": "grade", "number": "spent", "class": "kind"}.get(
        metric.truth or "", "clicked"
    )
    if "subtopic" in metric.roles():
        label = "clicked"
    score = "predicted" if metric.truth == "number" else "pctr"
    return {
        "label": label, "score": score, "prediction": "called", "group": "user id", "weight": "w", "field": "city",
        "group_weight": "group weight", "p_price": "price", "p_survive": "lives", "won": "clicked",
        "reward": "clicked", "propensity": "propensity", "target": "target", "q_action": "price", "q_policy": "lives",
        "rank": "place", "item": "ad", "treatment": "treated", "duration": "lasted", "subtopic": "aspect",
        "lower_bound": "low", "upper_bound": "high",
    }  # fmt: skip


def parameters_of(macro: Macro) -> Iterator[dict[str, Any]]:
    """The parameters of each call: what must be given, and beside it one value of one parameter."""
    metric = builtin_catalogue()[macro.name]
    values = {name: VALUES.get(name, sample_values(metric.parameters[name])) for name in macro.numbers}
    required = {name: values[name][0] for name in macro.numbers if metric.parameters[name].required}
    yield required
    for name in macro.numbers:
        yield from (required | {name: value} for value in values[name])


def numbers_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Numbers as doubles, and everything else as texts."""
    return pd.DataFrame({
        name: column.astype("float64") if pd.api.types.is_numeric_dtype(column) else column.astype("object").map(str)
        for name, column in rows.replace({None: np.nan}).items()
    })  # fmt: skip


def check_forms(
    con: duckdb.DuckDBPyConnection, macro: Macro, relation: str, calls: list[dict[str, Any]], forms: int | None = None
) -> None:
    """The forms of a macro, or so many of them, give what the runner does."""
    columns = columns_of(builtin_catalogue()[macro.name])
    for declared in [*macro.bodies][:forms]:
        roles = [name.strip('"') for name in declared[1:] if ":=" not in name and name != "slice"]
        sliced = "slice" in declared
        weights = [name for name in roles if name in ("weight", "group_weight")]
        for given in calls:
            arguments = [relation, *(f'"{columns[role]}"' for role in roles if role not in weights)]
            arguments += [f'{role} := "{columns[role]}"' for role in weights]
            arguments += ["slice := {'device': device}"] if sliced else []
            arguments += [f"{name} := {value}" for name, value in given.items()]
            shown = "slice.*, * exclude (slice)" if sliced else "*"
            call = f'select {shown} from "{macro.name}"({", ".join(arguments)})'
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", sqlmetrics.DroppedRows)
                expected = sqlmetrics.evaluate(
                    relation,
                    {"name": macro.name, "as": macro.name, **given},
                    con=con,
                    by="device" if sliced else None,
                    **{role: columns[role] for role in roles},
                )
            found = con.sql(call).df()
            # The runner calls groups as their column is called, which a macro does not know.
            expected = expected.rename(columns={columns["group"]: "group"})
            pd.testing.assert_frame_equal(
                numbers_of(found), numbers_of(expected), rtol=1e-12, atol=1e-12, obj=f"the rows of {call}"
            )


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_FRAMES)
def test_the_forms_of_each_frame(name: str, con: duckdb.DuckDBPyConnection) -> None:
    """Also where groups, items and classes have no name."""
    macro = macro_of(name)
    calls = list(parameters_of(macro))
    check_forms(con, macro, "log", calls[:2])
    check_forms(con, macro, "unnamed", calls[:1])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_macro_returns_what_the_runner_does(name: str, con: duckdb.DuckDBPyConnection) -> None:
    """For one metric of each frame with every parameter, and without rows."""
    macro = macro_of(name)
    calls = list(parameters_of(macro))
    check_forms(con, macro, "log", calls if name in OF_FRAMES else calls[:1], forms=1)
    if name in OF_FRAMES:
        check_forms(con, macro, "nothing", calls[:1])


def test_what_has_no_macro_has_a_reason() -> None:
    without = set(builtin_catalogue().metrics) - set(NAMES)
    assert {"alpha_ndcg", "auc_mu", "coverage", "crps", "multi_auc", "novelty"} < without
    assert all(why_not(builtin_catalogue()[name]) for name in without)
    with pytest.raises(sqlmetrics.BadParameter, match="coverage cannot be a macro: it looks items up in a second"):
        metric_macros("coverage")


# Relations and columns


CALLS = {
    "table": "from auc(log, clicked, pctr)",
    "table of a schema": "from auc(main.log, clicked, pctr)",
    "name as text": "from auc('log', clicked, pctr)",
    "view": "from auc(view_of_log, clicked, pctr)",
    "file": "from auc('{folder}/log.parquet', clicked, pctr)",
    "files": "from auc('{folder}/*.parquet', clicked, pctr)",
    "CTE": "with mine as (from log) from auc(mine, clicked, pctr)",
    "CTE called like a step": "with source as (from log) from auc(source, clicked, pctr)",
    "expressions": "from auc(log, clicked = 1, pctr * 2 - 1)",
    "by name": "from auc(score := pctr, relation := log, label := clicked)",
    "sub-query": "select n, auc from (from auc(log, clicked, pctr))",
    "prepared": "execute prepared('log')",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_a_relation_may_be(call: str, con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    con.execute(f"copy log to '{tmp_path}/log.parquet'")
    con.execute("create or replace view view_of_log as from log")
    con.execute("prepare prepared as from auc($1, clicked, pctr)")
    expected = sqlmetrics.evaluate(con.sql("from log where pctr is not null"), "auc", label="clicked", score="pctr")
    [found] = con.execute(call.format(folder=tmp_path)).fetchall()
    assert found[0] == expected["n"][0]
    assert found[1] == pytest.approx(expected["auc"][0], abs=1e-12)


HOSTILE = ("label", "score", "slice", "relation", "group", "k", "weight", "n", "source", "ndcg", "group_id",
           "Own\nname")  # fmt: skip


@pytest.mark.parametrize("turn", range(0, len(HOSTILE), 3))
def test_columns_and_tables_may_be_called_like_ours(turn: int, con: duckdb.DuckDBPyConnection) -> None:
    """A parameter is replaced wherever its name stands, and what it is replaced by is not looked at again."""
    names = [HOSTILE[(turn + place) % len(HOSTILE)] for place in range(5)]
    label, score, group, weight, device = (f'"{name}"' for name in names)
    with con.cursor() as own:
        own.execute(
            f'create or replace temp table "{names[-1]}" as select grade as {label}, pctr as {score}, '
            f'"user id" as {group}, "group weight" as {weight}, device as {device} from log'
        )
        call = f"{label}, {score}, {group}, group_weight := {weight}, slice := {{'s': {device}}}, k := 3"
        found = own.execute(f'from ndcg("{names[-1]}", {call})').fetchall()
    plain = """grade, pctr, "user id", group_weight := "group weight", slice := {'s': device}, k := 3"""
    expected = con.execute(f"from ndcg(log, {plain})").fetchall()
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    assert [row[2] for row in found] == pytest.approx([row[2] for row in expected], abs=1e-12)
    assert len(found) == 3


@pytest.mark.parametrize("name", ["source", "observations", "ranked_items", "ndcg"])
def test_tables_may_be_called_like_steps(name: str, con: duckdb.DuckDBPyConnection) -> None:
    with con.cursor() as own:
        own.execute(f'create or replace temp table "{name}" as from log')
        for call in ("ndcg({}, grade, pctr, city, k := 3)", "kendall_tau({}, grade, pctr, city, slice := device)"):
            found, expected = (own.execute(f"from {call.format(one)}").fetchall() for one in (name, "log"))
            assert [row[:-1] for row in found] == [row[:-1] for row in expected]
            assert [row[-1] for row in found] == pytest.approx([row[-1] for row in expected], abs=1e-12)


def test_slices_are_in_order_and_null_is_one(con: duckdb.DuckDBPyConnection) -> None:
    slices = con.execute("select slice from auc(log, clicked, pctr, slice := device)").fetchall()
    assert slices == [("ios",), ("web",), (None,)]
    found = con.execute("select slice.* from ece(log, clicked, pctr, slice := {'d': device, 'c': city})").fetchall()
    assert len(found) == 9
    assert found == sorted(found, key=lambda row: [(one is None, one or "") for one in row])


def test_nan_is_missing_in_files_of_other_writers(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    """Their statistics leave NaN out, and DuckDB answers conditions from them."""
    nan = float("nan")
    table = pa.table({"y": [1.0, 1.0, nan, 1.0, 1.0], "s": [0.5, 0.5, 0.5, nan, 0.5], "u": [1.0, 1.0, 1.0, 1.0, nan]})
    pyarrow.parquet.write_table(table, tmp_path / "log.parquet")
    file = f"'{tmp_path}/log.parquet'"
    assert con.execute(f"from log_loss({file}, y, s)").fetchall() == [(3, pytest.approx(np.log(2)))]
    assert con.execute(f"from auc({file}, y, s, slice := u)").fetchall() == [(1.0, 2, None), (None, 1, None)]
    assert con.execute(f"select n from ndcg({file}, y, s, u)").fetchall() == [(2,)]


# Bad data and bad parameters are errors, with our words


REFUSED = {
    "auc(log, grade, pctr)": r"label: [23]\.0 is neither 0 nor 1 \(a binary label is needed\)",
    "auc(log, grade, pctr, slice := device)": r"label: [23]\.0 is neither 0 nor 1",
    "auc(log, clicked, pctr, weight := -w)": r"weight: -[.\d]+ is negative or infinite",
    "roc_curve(log, grade, pctr)": r"label: [23]\.0 is neither 0 nor 1",
    "log_loss(log, clicked, spent)": r"score: [-.\d]+ is outside \[0, 1\] \(a probability is needed\)",
    "ndcg(log, -grade, pctr, city)": r"label: -[123]\.0 is negative \(a graded relevance is needed\)",
    "mae(log, spent / 0, predicted)": "label: inf is infinite",
    "err(log, grade, pctr, city, max_label := 2.5)": r"label: 3\.0 is above max_label=2\.5 of err",
    "anlp(log, price, lives, grade)": r"won: [23]\.0 is neither 0 nor 1",
    "ndcg(log, grade, pctr, city, group_weight := w)": "group_weight has two values in one group; for example [ab]",
    "kendall_tau(log, grade, pctr, city, max_group_size := 9)": "group has more than 9 distinct pairs",
    "auc(log, clicked, 9007199254740993 + grade)": r"score: 900719925474099\d \(BIGINT\) has more digits than a double",
    "auc(log, clicked, 1.2345678901234567 + grade)": r"score: \d\.2345678901234567 \(DECIMAL\(\d+,16\)\) has more",
    "ndcg(log, grade, pctr, city, k := 0)": "ndcg: k must be a whole number >= 1, not 0",
    "ndcg(log, grade, pctr, city, k := 2.5)": r"ndcg: k must be a whole number >= 1, not 2\.5",
    "ndcg(log, grade, pctr, city, k := true)": "ndcg: k must be a whole number >= 1, not true",
    "precision_at_k(log, grade, pctr, city)": "precision_at_k: k must be a whole number >= 1, not NULL",
    "fbeta(log, clicked, pctr)": r"fbeta: beta must be a number >= 0 and <= 1e\+20, not NULL",
    "accuracy(log, clicked, pctr, threshold := 'nan'::double)": "accuracy: threshold must be a number, not nan",
    "normalized_entropy(log, clicked, pctr, eps := 0.75)": r"eps must be a number >= 1e-300 and <= 0\.5, not 0\.75",
    "lift_table(log, clicked, pctr, bins := 0)": "lift_table: bins must be a whole number >= 1, not 0",
    "f1(log, clicked, pctr, zero_division := 2)": "zero_division must be a number >= 0 and <= 1, not 2",
    # DuckDB's own words: what could be a slice or a weight is neither
    "auc(log, clicked, pctr, w)": "multiple overloads that match",
    "ndcg(log, grade, pctr, city, k := grade)": 'column "grade"',
    "auc(log, clicked, nowhere)": 'column "nowhere"',
    "auc(log, kind, pctr)": "Could not convert string",
}


@pytest.mark.parametrize(("call", "words"), REFUSED.items(), ids=REFUSED)
def test_what_is_refused(call: str, words: str, con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.Error, match=words):
        con.execute(f"from {call}").fetchall()


# Which metrics, and with what


def test_what_is_given_of_a_metric_is_fixed(con: duckdb.DuckDBPyConnection) -> None:
    with con.cursor() as own:
        asked = ["linear = ndcg(gain='linear')", "ndcg@5", {"name": "fbeta", "beta": 2, "as": "f2"}, "k = rbp(p=0.5)"]
        assert sqlmetrics.install(own, asked, schema="variants") == ["linear", "ndcg_at_5", "f2", "k"]
        roles = 'log, grade, pctr, "user id"'
        expected = sqlmetrics.evaluate(
            con.sql("from log where pctr is not null"),
            ["a = ndcg(gain='linear', k=3)", "b = ndcg@5", "c = rbp(p=0.5)"],
            label="grade",
            score="pctr",
            group="user id",
        )
        for call, name in {f"linear({roles}, k := 3)": "a", f"ndcg_at_5({roles})": "b", f"k({roles})": "c"}.items():
            [(_, found)] = own.execute(f"from variants.{call}").fetchall()
            assert found == pytest.approx(expected[name][0], abs=1e-12)
        with pytest.raises(duckdb.Error, match="does not support the supplied arguments"):
            own.execute(f"from variants.ndcg_at_5({roles}, k := 3)")
        assert sqlmetrics.uninstall(own, schema="variants") == ["f2", "k", "linear", "ndcg_at_5"]


def test_a_number_of_steps_must_be_given(con: duckdb.DuckDBPyConnection) -> None:
    roles = {"label": "clicked", "score": "pctr", "group": "user id", "item": "ad", "subtopic": "aspect"}
    with con.cursor() as own:
        assert sqlmetrics.install(own, "alpha_ndcg@5", schema="varied") == ["alpha_ndcg_at_5"]
        call = 'varied.alpha_ndcg_at_5(log, clicked, pctr, "user id", ad, aspect)'
        [(_, found)] = own.execute(f"from {call}").fetchall()
    expected = sqlmetrics.alpha_ndcg(con.sql("from log where pctr is not null"), **roles, k=5)
    assert found == pytest.approx(expected["alpha_ndcg_at_5"][0], abs=1e-12)
    with pytest.raises(sqlmetrics.BadParameter, match="alpha_ndcg: k must be given"):
        metric_macros("alpha_ndcg")


def test_a_preset_is_fixed_too(con: duckdb.DuckDBPyConnection) -> None:
    with con.cursor() as own:
        sqlmetrics.install(own, "ndcg", preset="trec_eval", schema="as_trec_eval")
        call = 'as_trec_eval.ndcg(log, grade, pctr, "user id", tie_key := city)'
        [(_, found)] = own.execute(f"from {call}").fetchall()
    data = con.sql("from log where pctr is not null")
    roles = {"label": "grade", "score": "pctr", "group": "user id", "tie_key": "city"}
    expected = sqlmetrics.ndcg(data, **roles, preset="trec_eval")
    assert found == pytest.approx(expected["ndcg"][0], abs=1e-12)


def test_two_macros_of_one_name_are_refused() -> None:
    with pytest.raises(sqlmetrics.BadParameter, match="two macros would be called 'ndcg_at_5'; give one a name"):
        metric_macros("ndcg@5, ndcg(k=5)")


# Into a database and out again


def contents(con: duckdb.DuckDBPyConnection) -> list[Any]:
    """All that a database holds but for rows."""
    return [
        con.execute(statement).fetchall()
        for statement in (
            "select schema_name from duckdb_schemas() where not internal order by all",
            "select table_name, sql from duckdb_tables() order by all",
            "select view_name, sql from duckdb_views() where not internal order by all",
            "select function_name, parameters, macro_definition, comment from duckdb_functions() where not internal "
            "order by all",
        )
    ]


def test_install_touches_nothing_else_and_is_taken_back() -> None:
    with duckdb.connect() as con:
        con.execute("create table auc as select 1 as clicked, 0.5 as pctr")
        con.execute("create view copc as from auc")
        con.execute("create macro mine(x) as table from query_table(x)")
        con.execute("create macro gini(x) as x + 1")  # one of one value is no table macro
        con.execute("comment on macro table mine is 'my own'")
        before = contents(con)
        names = sqlmetrics.install(con, "auc, copc, gini")
        installed = contents(con)
        assert installed != before
        assert names == ["auc", "copc", "gini"]
        assert con.execute("select n from auc(auc, clicked, pctr)").fetchall() == [(1,)]
        assert con.execute("select gini(1)").fetchall() == [(2,)]
        assert sqlmetrics.install(con, "auc, copc, gini") == names
        assert contents(con) == installed
        comments = "select distinct comment from duckdb_functions() where function_name = 'copc'"
        assert con.execute(comments).fetchall() == [
            (f"sqlmetrics {sqlmetrics.__version__}: Click over predicted click",)
        ]
        assert sqlmetrics.uninstall(con) == names
        assert contents(con) == before
        assert sqlmetrics.uninstall(con) == []


def test_a_macro_of_the_users_own_is_not_replaced() -> None:
    with duckdb.connect() as con:
        con.execute("create macro COPC(x) as table select 1")
        con.execute("create macro auc(x) as table select 1")
        con.execute("comment on macro table auc is 'sqlmetrics is better'")
        before = contents(con)
        with pytest.raises(sqlmetrics.BadParameter, match=r"macros of its own called auc, copc: nothing was installed"):
            sqlmetrics.install(con, "auc, copc, gini")
        assert contents(con) == before
        sqlmetrics.install(con, "auc, gini", schema="metrics")
        assert con.execute("from copc(1)").fetchall() == [(1,)]
        assert sqlmetrics.uninstall(con, schema="metrics") == ["auc", "gini"]
        assert sqlmetrics.uninstall(con) == []
        assert contents(con)[1:] == before[1:]


def test_all_or_nothing_also_in_a_transaction_of_the_callers(tmp_path: Path) -> None:
    with duckdb.connect() as con:
        before = contents(con)
        con.begin()
        con.execute("create table log as select 1 as y, 0.5 as s")
        sqlmetrics.install(con, "auc")
        assert con.execute("select n from auc(log, y, s)").fetchall() == [(1,)]
        con.rollback()
        assert contents(con) == before
    duckdb.connect(tmp_path / "my.duckdb").close()
    with (
        duckdb.connect(tmp_path / "my.duckdb", read_only=True) as con,
        pytest.raises(sqlmetrics.QueryFailed, match=r"the macros cannot be made: (?s:.)*read-only"),
    ):
        sqlmetrics.install(con, "auc")
    with pytest.raises(sqlmetrics.BadParameter, match="con must be a DuckDB connection, not str"):
        sqlmetrics.install("my.duckdb")  # type: ignore[arg-type]


def shell(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, list(arguments))
    return result.exit_code, result.output


@pytest.mark.slow
def test_the_shell_installs_and_removes(tmp_path: Path) -> None:
    file = tmp_path / "my.duckdb"
    with duckdb.connect(file) as con:
        con.execute("create table impressions as from (values (0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)) as t(y, s)")
    code, words = shell("install", str(file))
    count = int(words.split()[0])
    assert (code, words) == (0, f"{count} macros installed in {file}\n")
    with duckdb.connect(file, read_only=True) as con:
        functions = con.execute("select distinct function_name from duckdb_functions() where not internal").fetchall()
        # Those that other tests registered are among them.
        assert {name for (name,) in functions} >= set(NAMES)
        assert count == len(functions)
        # scikit-learn's example of roc_auc_score
        assert con.execute("from auc(impressions, y, s)").fetchall() == [(4, 0.75)]
    assert shell("install", str(file), "--schema", "metrics", "-m", "auc,gini") == (
        0,
        f"2 macros installed in {file}\n",
    )
    assert shell("install", str(file), "--remove") == (0, f"{count} macros removed from {file}\n")
    with duckdb.connect(file, read_only=True) as con:
        assert con.execute("from metrics.auc(impressions, y, s)").fetchall() == [(4, 0.75)]
    code, words = shell("install", str(file), "--remove", "-m", "auc")
    assert (code, words) == (
        2,
        "error: --remove takes out all that was installed: leave --metrics and --preset out\n",
    )
    (tmp_path / "log.csv").write_text("y,s\n1,0.5\n")
    assert shell("install", str(tmp_path / "log.csv"))[1].endswith("log.csv: this is no DuckDB database\n")
    assert shell("install", str(tmp_path / "none.duckdb"))[0] == 2
    assert not (tmp_path / "none.duckdb").exists()


def test_the_printed_macros_are_those_installed(tmp_path: Path) -> None:
    code, text = shell("macros", "auc", "-m", "copc", "--schema", "metrics")
    assert (code, text) == (0, macros_text("auc, copc", schema="metrics"))
    assert shell("macros", "auc,copc", "--schema", "metrics", "-o", str(tmp_path / "metrics.sql"))[0] == 0
    assert (tmp_path / "metrics.sql").read_text(encoding="utf-8") == text
    with duckdb.connect() as con, duckdb.connect() as other:
        con.execute(text)
        sqlmetrics.install(other, "auc, copc", schema="metrics")
        assert contents(con) == contents(other)
