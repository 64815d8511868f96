"""The metrics as macros of a DuckDB database: the values of the runner for every client, and errors for bad data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import sqlmetrics
from sqlmetrics import BadParameter
from sqlmetrics.catalogue.model import Metric
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.integrations.duckdb_macros import macro_unsupported_reason, macros_text, metric_macros
from tests.calls import shell
from tests.compare import differences
from tests.data import COLUMNS
from tests.engines.cases import Case, each_metric_once, tables_of
from tests.engines.servers import ENGINES
from tests.variants import MetricCall, quiet

METRICS = builtin_catalogue().metrics
NAMES = sorted(name for name, metric in METRICS.items() if not macro_unsupported_reason(metric))


def has_macro(metric: Metric, parameters: Any, data_type: str) -> bool:
    """Whether a metric with these parameters can be a macro. Macros of scores do not read classes."""
    return not macro_unsupported_reason(metric, parameters) and (metric.label_type, data_type) != (
        "binary or class",
        "classes",
    )


CASES = [
    case.of(metrics)
    for case in each_metric_once()
    if (metrics := [each for each in case.call.metrics if has_macro(each.metric, each.arguments, case.call.data_type)])
    and not case.relations
]


@pytest.fixture(scope="module")
def installed() -> Iterator[duckdb.DuckDBPyConnection]:
    """Four hundred rows with ties, missing values and NULL slices, and the macros of these tests."""
    rng = np.random.default_rng(7)
    rows = pd.DataFrame({
        "clicked": rng.integers(0, 2, 400), "grade": rng.integers(0, 4, 400), "user id": rng.integers(0, 25, 400),
        "pctr": rng.integers(0, 60, 400) / 60, "predicted": rng.normal(size=400).round(2) + 3,
        "spent": rng.normal(size=400).round(2) + 3, "w": rng.integers(0, 4, 400) / 2,
        "price": rng.integers(1, 100, 400) / 100, "lives": rng.integers(1, 100, 400) / 100,
        "device": rng.choice(["ios", "web", None], 400), "city": rng.choice(["a", "b", None], 400),
        "kind": rng.choice(["cat", "dog", "owl"], 400),
    })  # fmt: skip
    rows.loc[::41, "pctr"] = None
    rows["group weight"] = rows["user id"] % 3 + 0.5
    with duckdb.connect() as con:
        con.register("rows", rows)
        con.execute("create table log as from rows")
        sqlmetrics.install(con, "anlp, auc, ece, kendall_tau, log_loss, mae, ndcg")
        yield con


@pytest.fixture
def con(installed: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """A cursor, whose temporary tables and prepared statements end with the test."""
    with installed.cursor() as cursor:
        yield cursor


# Every metric

#: Columns of identifiers and classes, and the expression that replaces their strings with numbers.
KEYS = ("user_id", "ad", "campaign", "aspect", "clicked", "called")
NUMBERED = "case when {0} is null or rowid % 23 = 7 then 'nan'::double else dense_rank() over (order by {0}) end as {0}"


@pytest.fixture(scope="module")
def logs() -> Iterator[duckdb.DuckDBPyConnection]:
    """The tables of all cases, each also without rows, and with doubles in place of strings, some of them NaN."""
    with ENGINES["duckdb"](tables_of(CASES)) as engine:
        for table, rows in tables_of(CASES).items():
            strings = [name for name in KEYS if name in rows.column_names]
            strings = [name for name in strings if name == "ad" or pa.types.is_string(rows[name].type)]
            unnamed = f"select * replace ({', '.join(map(NUMBERED.format, strings))}) from {table}"
            engine.connection.execute(f"create table unnamed_{table} as {unnamed}")
            engine.connection.execute(f"create table nothing_{table} as from {table} limit 0")
        yield engine.connection


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_macros_match_runner(case: Case, logs: duckdb.DuckDBPyConnection) -> None:
    """Every form of one metric per frame, also over NULL ids and without rows."""
    of_frames = [*{requested.metric.frames: requested for requested in case.call.metrics}.values()]
    calls = []
    for requested, macro in zip(case.call.metrics, metric_macros(case.call.specs), strict=True):
        logs.execute(macro.sql())
        forms = [*macro.bodies]
        calls += [(requested, case.table, form) for form in (forms if requested in of_frames else forms[:1])]
        if requested in of_frames:
            calls += [(requested, f"{prefix}_{case.table}", forms[-1]) for prefix in ("unnamed", "nothing")]
    together: dict[Any, list[MetricCall]] = {}
    for requested, *call in calls:
        together.setdefault(tuple(call), []).append(requested)
    for (relation, form), members in together.items():
        roles = [name.strip('"') for name in form[1:] if ":=" not in name and name != "slice"]
        columns = {role: COLUMNS[role] for role in roles}
        by = "device" if "slice" in form else None
        options = {**columns, "by": by, "con": logs}
        expected = quiet(lambda: sqlmetrics.evaluate(relation, [each.spec for each in members], **options))  # noqa: B023
        # The runner names the group column like its input, which a macro does not know.
        expected = expected.rename(columns={COLUMNS["group"]: "group"})
        arguments = ", ".join([f'"{role}" := {column}' for role, column in columns.items()])
        slices = ", slice := {'device': device}" if by else ""
        for requested in members:
            call = f'"{requested.name}"(relation := {relation}, {arguments}{slices})'
            ours = logs.sql(f"select {'slice.*, * exclude (slice)' if by else '*'} from {call}").df()
            assert differences(ours, expected[[*ours.columns]]) == [], call


def test_metrics_without_macro_have_a_reason() -> None:
    without = set(METRICS) - set(NAMES)
    assert {"alpha_ndcg", "auc_mu", "coverage", "crps", "multi_auc", "novelty"} < without
    with pytest.raises(BadParameter, match="coverage cannot be a macro: it looks items up in a second"):
        metric_macros("coverage")
    reason = macro_unsupported_reason(METRICS["precision_at_k"])
    assert reason == "install it with its parameters, as 'mine = precision_at_k(k=…)'"
    with pytest.raises(BadParameter, match=r"precision_at_k: k must be given, as in precision_at_k\(k=10"):
        metric_macros("precision_at_k")


# Relations and columns


CALLS = {
    "table": "from auc(log, clicked, pctr)",
    "table of a schema": "from auc(main.log, clicked, pctr)",
    "name as text": "from auc('log', clicked, pctr)",
    "view": "from auc(view_of_log, clicked, pctr)",
    "file": "from auc('{folder}/log.parquet', clicked, pctr)",
    "files": "from auc('{folder}/*.parquet', clicked, pctr)",
    "CTE": "with mine as (from log) from auc(mine, clicked, pctr)",
    "CTE named like a step": "with source as (from log) from auc(source, clicked, pctr)",
    "expressions": "from auc(log, clicked = 1, pctr * 2 - 1)",
    "by name": "from auc(score := pctr, relation := log, label := clicked)",
    "subquery": "select n, auc from (from auc(log, clicked, pctr))",
    "prepared": "execute prepared('log')",
}


def test_forms_of_relations(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    con.execute(f"copy log to '{tmp_path}/log.parquet'")
    con.execute("create or replace temp view view_of_log as from log")
    con.execute("prepare prepared as from auc($1, clicked, pctr)")
    expected = quiet(lambda: sqlmetrics.evaluate("log", "auc", label="clicked", score="pctr", con=con))
    for name, call in CALLS.items():
        assert differences(con.sql(call.format(folder=tmp_path)).df(), expected) == [], name


HOSTILE = ("label", "score", "slice", "relation", "group", "rank", "weight", "n", "source", "ndcg", "group_id",
           "Own\nname")  # fmt: skip


@pytest.mark.parametrize("start", range(0, len(HOSTILE), 3))
def test_columns_named_like_parameters(start: int, con: duckdb.DuckDBPyConnection) -> None:
    """A parameter is replaced at every occurrence of its name, and its replacement is not replaced again."""
    names = [HOSTILE[(start + offset) % len(HOSTILE)] for offset in range(5)]
    label, score, group, weight, device = (f'"{name}"' for name in names)
    con.execute(
        f'create or replace temp table "{names[-1]}" as select grade as {label}, pctr as {score}, '
        f'"user id" as {group}, "group weight" as {weight}, device as {device} from log'
    )
    call = f"{label}, {score}, {group}, group_weight := {weight}, slice := {{'s': {device}}}"
    plain = """grade, pctr, "user id", group_weight := "group weight", slice := {'s': device}"""
    ours, expected = (
        con.sql(f"select slice.s, * exclude (slice) from {text}").df()
        for text in (f'ndcg("{names[-1]}", {call})', f"ndcg(log, {plain})")
    )
    assert len(ours) == 3
    assert differences(ours, expected) == []


def test_nan_is_missing_in_files_of_other_writers(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    """The statistics of these files exclude NaN, and DuckDB evaluates conditions on them."""
    nan = float("nan")
    table = pa.table({"y": [1.0, 1.0, nan, 1.0, 1.0], "s": [0.5, 0.5, 0.5, nan, 0.5], "u": [1.0, 1.0, 1.0, 1.0, nan]})
    pyarrow.parquet.write_table(table, tmp_path / "log.parquet")
    file = f"'{tmp_path}/log.parquet'"
    assert con.execute(f"from log_loss({file}, y, s)").fetchall() == [(3, pytest.approx(np.log(2)))]
    assert con.execute(f"from auc({file}, y, s, slice := u)").fetchall() == [(1.0, 2, None), (None, 1, None)]
    assert con.execute(f"select n from ndcg({file}, y, s, u)").fetchall() == [(2,)]


REJECTED = {
    "auc(log, grade, pctr)": r"label: [23]\.0 is neither 0 nor 1 \(a binary label is needed\)",
    "auc(log, clicked, pctr, weight := -w)": r"weight: -[.\d]+ is negative, infinite",
    "log_loss(log, clicked, spent)": r"score: [-.\d]+ is outside \[0, 1\] \(a probability is needed\)",
    "ndcg(log, -grade, pctr, city)": r"label: -[123]\.0 is negative \(a graded relevance is needed\)",
    "mae(log, spent / 0, predicted)": "label: inf is infinite",
    "anlp(log, price, lives, grade)": r"won: [23]\.0 is neither 0 nor 1",
    "ndcg(log, grade, pctr, city, group_weight := w)": "group_weight has two values in one group; for example [ab]",
    "few_pairs(log, grade, pctr, city)": "group has more than 9 distinct pairs",
    "auc(log, clicked, 9007199254740993 + grade)": r"score: 900719925474099\d \(BIGINT\) has more digits than a double",
    "auc(log, clicked, 1.2345678901234567 + grade)": r"score: \d\.2345678901234567 \(DECIMAL\(\d+,16\)\) has more",
    # DuckDB's own messages: a column that could be a slice or a weight is neither.
    "auc(log, clicked, pctr, w)": "multiple overloads that match",
    "ndcg(log, grade, pctr, city, k := 5)": "does not support the supplied arguments",
    "auc(log, clicked, nowhere)": 'column "nowhere"',
    "auc(log, kind, pctr)": "Could not convert string",
}


@pytest.mark.parametrize(("call", "message"), REJECTED.items(), ids=REJECTED)
def test_macros_reject_bad_data_and_parameters(call: str, message: str, con: duckdb.DuckDBPyConnection) -> None:
    if call.startswith("few_pairs"):
        sqlmetrics.install(con, "few_pairs = kendall_tau(max_group_size=9)")
    with pytest.raises(duckdb.Error, match=message):
        con.execute(f"from {call}").fetchall()


# Installing and removing


@pytest.mark.slow
def test_install_fixes_parameters_and_presets(con: duckdb.DuckDBPyConnection) -> None:
    def check(call: str, metric: str, **options: str) -> None:
        roles = {"label": "grade", "score": "pctr", "group": "user id", **options}
        expected = quiet(lambda: sqlmetrics.evaluate("log", metric, **roles, con=con))
        assert differences(con.sql(f"from variants.{call}").df(), expected) == []

    specs = ["linear = ndcg(gain='linear')", "ndcg@5", {"name": "fbeta", "beta": 2, "as": "f2"}, "k = rbp(p=0.5)"]
    assert sqlmetrics.install(con, specs, schema="variants") == ["linear", "ndcg_at_5", "f2", "k"]
    roles = 'log, grade, pctr, "user id"'
    check(f"linear({roles})", "linear = ndcg(gain='linear')")
    check(f"ndcg_at_5({roles})", "ndcg@5")
    check(f"k({roles})", "k = rbp(p=0.5)")
    assert sqlmetrics.uninstall(con, schema="variants") == ["f2", "k", "linear", "ndcg_at_5"]
    sqlmetrics.install(con, "ndcg", preset="trec_eval", schema="variants")
    check(f"ndcg({roles}, tie_key := city)", "ndcg", tie_key="city", preset="trec_eval")
    with pytest.raises(BadParameter, match="two macros would be called 'ndcg_at_5'; give one a name"):
        metric_macros("ndcg@5, ndcg(k=5)")


def contents(con: duckdb.DuckDBPyConnection) -> list[Any]:
    """Everything in a database except rows."""
    return [con.execute(f"select {names} order by all").fetchall() for names in (
        "schema_name from duckdb_schemas() where not internal",
        "table_name, sql from duckdb_tables()",
        "view_name, sql from duckdb_views() where not internal",
        "function_name, parameters, macro_definition, comment from duckdb_functions() where not internal",
    )]  # fmt: skip


def test_install_adds_macros_only_and_uninstall_removes_them() -> None:
    with duckdb.connect() as con:
        con.execute("create table auc as select 1 as clicked, 0.5 as pctr")
        con.execute("create macro gini(x) as x + 1")  # only table macros are replaced
        before = contents(con)
        names = sqlmetrics.install(con, "auc, copc, gini")
        assert names == ["auc", "copc", "gini"]
        assert con.execute("select n, gini(1) from auc(auc, clicked, pctr)").fetchall() == [(1, 2)]
        installed = contents(con)
        assert sqlmetrics.install(con, "auc, copc, gini") == names
        assert contents(con) == installed
        assert f"sqlmetrics {sqlmetrics.__version__}: Click over predicted click" in str(installed)
        assert sqlmetrics.uninstall(con) == names
        assert contents(con) == before


def test_install_does_not_replace_the_users_macros() -> None:
    with duckdb.connect() as con:
        con.execute("create macro COPC(x) as table select 1; create macro auc(x) as table select 1")
        con.execute("comment on macro table auc is 'sqlmetrics is better'")
        before = contents(con)
        with pytest.raises(BadParameter, match=r"macros of its own called auc, copc: nothing was installed"):
            sqlmetrics.install(con, "auc, copc, gini")
        assert contents(con) == before
        sqlmetrics.install(con, "auc, gini", schema="metrics")
        assert sqlmetrics.uninstall(con, schema="metrics") == ["auc", "gini"]
        assert sqlmetrics.uninstall(con) == []
        assert contents(con)[1:] == before[1:]
    with pytest.raises(BadParameter, match="con must be a DuckDB connection, not str"):
        sqlmetrics.install("my.duckdb")  # type: ignore[arg-type]


def test_install_is_atomic_and_joins_a_transaction(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "my.duckdb") as con:
        before = contents(con)
        con.begin()
        sqlmetrics.install(con, "auc")
        assert con.execute("with log as (select 1 as y, 0.5 as s) from auc(log, y, s)").fetchall() == [(1, None)]
        con.rollback()
        assert contents(con) == before
    error = pytest.raises(sqlmetrics.QueryFailed, match=r"cannot create the macros: (?s:.)*read-only")
    with duckdb.connect(tmp_path / "my.duckdb", read_only=True) as con, error:
        sqlmetrics.install(con, "auc")


def run(*arguments: str) -> tuple[int, str]:
    result = shell(*arguments)
    return result.exit_code, result.output


@pytest.mark.slow
@pytest.mark.xdist_group("every macro")
def test_shell_installs_and_removes(tmp_path: Path) -> None:
    file = tmp_path / "my.duckdb"
    with duckdb.connect(file) as con:
        con.execute("create table impressions as from (values (0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)) as t(y, s)")
    code, output = run("install", str(file))
    with duckdb.connect(file, read_only=True) as con:
        functions = con.execute("select distinct function_name from duckdb_functions() where not internal").fetchall()
    # Other tests may have registered further metrics.
    assert {name for (name,) in functions} >= set(NAMES)
    assert (code, output) == (0, f"{len(functions)} macros installed in {file}\n")
    output = f"2 macros installed in {file}\n"
    assert run("install", str(file), "--schema", "metrics", "-m", "auc,gini") == (0, output)
    assert run("install", str(file), "--remove") == (0, f"{len(functions)} macros removed from {file}\n")
    with duckdb.connect(file, read_only=True) as con:
        # scikit-learn's example of roc_auc_score
        assert con.execute("from metrics.auc(impressions, y, s)").fetchall() == [(4, 0.75)]
    output = "error: --remove removes all macros: remove --metrics and --preset\n"
    assert run("install", str(file), "--remove", "-m", "auc") == (2, output)
    (tmp_path / "log.csv").write_text("y,s\n1,0.5\n")
    assert run("install", str(tmp_path / "log.csv"))[1].endswith("log.csv: not a DuckDB database\n")
    assert run("install", str(tmp_path / "none.duckdb"))[0] == 2
    assert not (tmp_path / "none.duckdb").exists()


def test_shell_prints_the_macros_that_install_creates(tmp_path: Path) -> None:
    code, text = run("macros", "auc", "-m", "copc", "--schema", "metrics")
    assert (code, text) == (0, macros_text("auc, copc", schema="metrics"))
    assert run("macros", "auc,copc", "--schema", "metrics", "-o", str(tmp_path / "metrics.sql"))[0] == 0
    assert (tmp_path / "metrics.sql").read_text(encoding="utf-8") == text
    with duckdb.connect() as con, duckdb.connect() as other:
        con.execute(text)
        sqlmetrics.install(other, "auc, copc", schema="metrics")
        assert contents(con) == contents(other)
