"""The types, collations, names and settings of an engine do not change results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.metrics import roc_auc_score

import sqlmetrics
from sqlmetrics import BadData, BadParameter, QueryFailed
from sqlmetrics.engines import PostgreSQL
from sqlmetrics.inputs.source import Source
from sqlmetrics.running.execute import fetch
from tests.calls import run_call
from tests.compare import differences
from tests.engines.cases import each_frame_once, tables_of
from tests.engines.servers import ENGINES, postgres_connection
from tests.parameters import slow
from tests.variants import quiet

LISTS = pd.DataFrame({
    "user": [1, 1, 1, 1, 2, 2], "item": ["a", "B", "c", "D", "a", "B"], "score": [0.5, 0.5, 0.5, 0.5, 0.7, 0.7],
    "grade": [1, 0, 0, 1, 0, 1],
})  # fmt: skip
POPULARITY = pd.DataFrame({"item": ["a", "B", "c", "D"], "count": [400, 30, 30, 1]})
ROLES: dict[str, Any] = {"label": "y", "score": "s"}


@pytest.fixture(scope="module", params=slow("postgres"))
def server() -> Iterator[Any]:
    with postgres_connection() as connection:
        connection.autocommit = True
        yield connection


def create(server: Any, table: str, columns: str, rows: list[tuple[Any, ...]]) -> None:
    """Create a table with these rows, or replace it."""
    server.execute(f'drop table if exists "{table}"')
    server.execute(f'create table "{table}" ({columns})')
    with server.cursor() as cursor:
        cursor.executemany(f'insert into "{table}" values ({", ".join(["%s"] * len(rows[0]))})', rows)


def test_empty_and_missing_arrays_are_slices(server: Any) -> None:
    """In a concatenated array neither would add an element."""
    values = {None: [(1, 0.9), (0, 0.2)], (): [(0, 0.8), (1, 0.3), (1, 0.7)], (1, 2): [(1, 0.5), (0, 0.1)]}
    rows = [(tags if tags is None else list(tags), y, s) for tags, pairs in values.items() for y, s in pairs]
    create(server, "tagged", "tags int[], y int, s double precision", rows)
    result = sqlmetrics.auc("tagged", **ROLES, by="tags", engine=PostgreSQL(server))
    aucs = {None if row.tags is None else tuple(row.tags): (row.n, row.auc) for row in result.itertuples()}
    assert aucs == {
        tags: (len(pairs), pytest.approx(roc_auc_score(*zip(*pairs, strict=True)))) for tags, pairs in values.items()
    }


@pytest.mark.parametrize("sql_type", ["date", "timestamp", "timestamptz"])
def test_timestamps_outside_pythons_range_are_rejected(server: Any, sql_type: str) -> None:
    server.execute("set timezone = 'UTC'")
    ends = ["infinity", "-infinity", "2024-05-01", "0044-03-15 BC", None]
    rows = [(end, y, s) for end in ends for y, s in ((1, 0.9), (0, 0.2))]
    create(server, "valid", f"until {sql_type}, y int, s double precision", rows)
    options: dict[str, Any] = {**ROLES, "engine": PostgreSQL(server)}
    for end in ("infinity", "-infinity", "0044-03-15 BC"):
        with pytest.raises(sqlmetrics.QueryFailed, match=r"^[^\n]*: cast the column to text, as in cast\(… as text\)$"):
            sqlmetrics.auc("valid", **options, by="until", where=f"until = '{end}'")
    assert sqlmetrics.auc("valid", **options)["n"].tolist() == [10]
    assert sqlmetrics.auc("valid", **options, by="t = cast(until as text)")["auc"].tolist() == [1.0] * 5
    finite = sqlmetrics.auc("valid", **options, by="until", where="until = '2024-05-01'")
    assert finite["until"].tolist() == [pd.Timestamp("2024-05-01", tz="UTC" if sql_type == "timestamptz" else None)]


@pytest.mark.parametrize("collation", ["C", "en-x-icu"])
def test_ties_are_broken_by_bytes(server: Any, collation: str) -> None:
    """A server may have a linguistic collation, in which `a` is before `B`."""
    item = f'item text collate "{collation}"'
    columns = {"lists": f'"user" int, {item}, score double precision, grade int', "counts": f'{item}, "count" bigint'}
    for (table, definition), frame in zip(columns.items(), (LISTS, POPULARITY), strict=True):
        create(server, table, definition, list(frame.itertuples(index=False, name=None)))
    roles: dict[str, Any] = {"group": "user", "item": "item", "score": "score"}
    by_key: Any = [{"name": "ndcg", "k": 2, "ties": "key"}, {"name": "mrr", "ties": "key"}]
    for metrics, ours, duckdbs in (
        ("average_popularity@2", {"popularity": "counts"}, {"popularity": POPULARITY}),
        (by_key, {"label": "grade"}, {"label": "grade"}),
        ("precision@1", {"label": "grade", "preset": "trec_eval"}, {"label": "grade", "preset": "trec_eval"}),
    ):
        result = sqlmetrics.evaluate("lists", metrics, **roles, **ours, engine=PostgreSQL(server))
        assert differences(result, sqlmetrics.evaluate(LISTS, metrics, **roles, **duckdbs)) == []


@pytest.mark.parametrize("item", [("numeric", "1.0", "1.00"), ("double precision", "0", "-0")])
def test_equal_numbers_are_the_same_item(server: Any, item: tuple[str, str, str]) -> None:
    """An item takes one rank of its list, for all notations of its number."""
    sql_type, first, second = item
    rows = [(first, "x", 1, 3), (second, "y", 1, 3), ("5", "x", 1, 3), ("7", "y", 1, 2)]
    create(server, "written", f"item {sql_type}, subtopic text, grade int, score double precision", rows)
    roles = {"label": "grade", "group": "= 1", "item": "item", "subtopic": "subtopic", "score": "score"}
    metrics = ["nrbp", "err_ia@3", "alpha_dcg@3", "subtopic_recall@2"]
    plain = pd.DataFrame(rows, columns=["item", "subtopic", "grade", "score"]).astype({"item": float})
    ours = sqlmetrics.evaluate("written", metrics, **roles, engine=PostgreSQL(server))
    assert differences(ours, sqlmetrics.evaluate(plain, metrics, **roles)) == []


#: Values of PostgreSQL types without equality.
INCOMPARABLE = {
    "json": '{"a": 1}', "xml": "<a/>", "point": "(1,2)", "line": "{1,2,3}", "lseg": "[(0,0),(1,1)]",
    "box": "(1,1),(0,0)", "path": "((0,0),(1,1))", "polygon": "((0,0),(1,1))", "circle": "<(0,0),1>",
}  # fmt: skip


@pytest.mark.parametrize("sql_type", INCOMPARABLE)
def test_type_without_equality_is_rejected(server: Any, sql_type: str) -> None:
    """In every role. A cast to text works."""
    rows = [(n % 2, n / 9, INCOMPARABLE[sql_type]) for n in range(9)]
    create(server, "incomparable", f"y int, s double precision, x {sql_type}", rows)
    engine = PostgreSQL(server)
    for metric, role, roles in [
        ("auc", "by", {**ROLES, "by": "x"}),
        ("gauc", "group", {**ROLES, "group": "x"}), ("field_ece", "field", {**ROLES, "field": "x"}),
        ("macro_f1", "label", {"label": "x", "prediction": "x"}),
        ("auc", "cluster", {**ROLES, "confidence": 0.9, "cluster": "x"}),
    ]:  # fmt: skip
        with pytest.raises(BadData, match=f"{role}: .*column 'x' is {sql_type}.*::text"):
            sqlmetrics.evaluate("incomparable", metric, engine=engine, **roles)
    assert sqlmetrics.auc("incomparable", **ROLES, by="x = x::text", engine=engine)["n"].tolist() == [9]


def test_numbers_of_four_bytes_are_exact(server: Any) -> None:
    """Their decimal text has fewer digits."""
    values = [float(np.float32(value)) for value in (0.1, 0.7, 1 / 3, 1e-30, 3e38)]
    rows = [(1, row, value, value) for row, value in enumerate(values)]
    create(server, "reals", "q int, d int, y real, s real", rows)
    engine = PostgreSQL(server)
    errors = sqlmetrics.evaluate("reals", "mae, max_error", label="= y", score="s", engine=engine)
    assert errors.iloc[0].tolist() == [5, 0, 0]
    text = sqlmetrics.render("mae, max_error", relation="reals", **ROLES, dialect="postgres")
    assert server.execute(text).fetchone()[1:] == (0, 0)
    # The nearest 32-bit number is below 0.7.
    precision = sqlmetrics.precision_at_k(
        "select q, d, s from reals where d = 1", k=1, relevant_at=0.7, group="q", item="d", label="y", score="= -d",
        judgments="reals", engine=engine,
    )  # fmt: skip
    assert precision["precision_at_1"].tolist() == [0]


@pytest.mark.parametrize(
    ("name", "value"), [("extra_float_digits", "-15"), ("client_encoding", "LATIN1"), ("client_encoding", "SQL_ASCII")]
)
def test_session_settings_do_not_change_results(server: Any, name: str, value: str) -> None:
    """A session may return fewer digits of a number, or have an encoding without the Σ in comments."""
    rows = [("ö", 1e9 + row / 1024, 1e9 + row / 1000) for row in range(30)]
    create(server, "sent", "g text, y double precision, s double precision", rows)
    roles = {"label": "= y + 0", "score": "s", "by": "g"}
    expected = sqlmetrics.evaluate(pd.DataFrame(rows, columns=["g", "y", "s"]), "r2, mae", **roles)
    server.execute(f"set {name} = {value}")
    try:
        ours = sqlmetrics.evaluate("sent", "r2, mae", engine=PostgreSQL(server), **roles)
        assert differences(ours, expected, 1e-9) == []
        [setting] = server.execute(f"show {name}").fetchone()
        assert (setting.decode() if isinstance(setting, bytes) else setting) == value
    finally:
        server.execute(f"reset {name}")


@pytest.mark.parametrize(("letters", "compiled"), [(0, "on"), (30_000, "off")])
def test_long_statement_is_not_compiled(server: Any, letters: int, compiled: str) -> None:
    """Compiling thousands of expressions takes much longer than running them. The setting of the session stays."""
    result = PostgreSQL(server).query(f"select current_setting('jit') as jit, '{'x' * letters}' as x")
    assert (result["jit"].item(), server.execute("show jit").fetchone()[0]) == (compiled, "on")


def test_database_with_another_encoding(server: Any) -> None:
    """This encoding lacks a sign in the comments of most statements."""
    import psycopg

    server.execute("create database japanese encoding 'EUC_JP' template template0 locale 'C'")
    with psycopg.connect(server.info.dsn, password=server.info.password, dbname="japanese", autocommit=True) as other:
        rows = [("x", 1, 0.9), ("x", 0, 0.2), ("y", 1, 0.5)]
        create(other, "log", "g text, y int, s double precision", rows)
        ours = sqlmetrics.evaluate("log", "copc, auc, brier", **ROLES, by="g", engine=PostgreSQL(other))
        data = pd.DataFrame(rows, columns=["g", "y", "s"])
        assert differences(ours, sqlmetrics.evaluate(data, "copc, auc, brier", **ROLES, by="g")) == []


@pytest.mark.parametrize("name", ["source", "valid_rows", "fitted_rounds"])
def test_table_named_like_a_step_of_a_recursion(server: Any, name: str) -> None:
    """In a recursive WITH every step sees all others, so PostgreSQL reads the step instead of the table."""
    create(server, name, "y int, s double precision", [(n % 2, n % 5 / 9) for n in range(20)])
    roles: dict[str, Any] = {**ROLES, "engine": PostgreSQL(server)}
    expected = sqlmetrics.calibration_slope(f"public.{name}", **roles)
    for data in (name, f'select * from "{name}"', f"with t as (select * from {name}) select * from t"):
        with pytest.raises(QueryFailed, match=f"data: a table called '{name}' is taken for a step"):
            sqlmetrics.calibration_slope(data, **roles)
        assert sqlmetrics.auc(data, **roles)["n"].tolist() == [20]
    assert differences(sqlmetrics.calibration_slope(f"select * from public.{name}", **roles), expected) == []
    server.execute(f"drop table {name}")


STEPS = ["valid_rows", "source", "listed_items"]
SETTINGS = {
    "join_default_strictness": "'ANY'", "empty_result_for_aggregation_by_empty_set": "1", "join_use_nulls": "0",
    "aggregate_functions_null_for_empty": "0", "cast_keep_nullable": "0", "prefer_column_name_to_alias": "0",
    "transform_null_in": "1", "group_by_use_nulls": "1", "any_join_distinct_right_table_keys": "1", "extremes": "1",
    "limit": "1", "offset": "1", "count_distinct_implementation": "'uniqCombined'",
}  # fmt: skip
CASES = each_frame_once()[::3]


@pytest.fixture(scope="module", params=slow("clickhouse"))
def session(request: pytest.FixtureRequest) -> Iterator[Any]:
    catalog = pd.DataFrame({"item": ["a", "B", "c", "D", "e", "f"]})
    frames = {"lists": LISTS, "plain": catalog, "sqlmetrics_all_items": catalog} | dict.fromkeys(STEPS, catalog)
    further = {name: pa.Table.from_pandas(frame, preserve_index=False) for name, frame in frames.items()}
    with ENGINES[request.param](tables_of(CASES) | further) as engine:
        yield engine


@pytest.mark.parametrize("name", STEPS)
def test_further_table_named_like_a_step(session: Any, name: str) -> None:
    """ClickHouse reads the step in place of the table, in any step."""
    roles: dict[str, Any] = {"group": "user", "item": "item", "score": "score", "k": 2, "engine": session}
    for catalog in (name, f"select * from {name}", f"select 'from x' as y, * from `{name}` as given"):
        with pytest.raises(BadParameter, match=f"catalog: a table called '{name}' is taken for a step"):
            sqlmetrics.coverage("lists", catalog=catalog, **roles)
    database = session.query("select currentDatabase() as name")["name"][0]
    # A CTE inside the step that reads it takes precedence.
    own = f"with {name} as (select * from plain) select 'from {name}' as y, * from {name} -- from {name}"
    for catalog in ("plain", f"{database}.{name}", f"select * from {database}.{name}", "sqlmetrics_all_items", own):
        assert sqlmetrics.coverage("lists", catalog=catalog, **roles)["coverage_at_2"].tolist() == [0.5]


def test_clickhouse_settings_do_not_change_results(session: Any) -> None:
    """The last test of the session, which has these settings until it is closed."""
    statements: list[str] = []

    def execute(source: Source, sql: str) -> pd.DataFrame:
        statements.append(sql)
        return fetch(source, sql)

    def compared() -> pd.DataFrame:
        roles: dict[str, Any] = {"label": "clicked", "score": ["pctr", "inverse = 1 - pctr"], "by": "device"}
        return quiet(lambda: run_call("slices_labels", "auc, ks, ece", engine=session, execute=execute, **roles))

    expected = [compared(), *(case.evaluate(session) for case in CASES)]
    for name, value in SETTINGS.items():
        session.session.query(f"set {name} = {value}")
    results = [compared(), *(case.evaluate(session) for case in CASES)]
    for result, same in zip(results, expected, strict=True):
        assert differences(result, same) == []
    # A session may drop rows beyond a limit: each statement turns that into an error.
    assert len(statements) >= 2
    for mode in ("group_by", "join", "result", "read", "timeout"):
        assert all(f"{mode}_overflow_mode = 'throw'" in statement for statement in statements)
