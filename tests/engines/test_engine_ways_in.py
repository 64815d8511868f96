"""What the types, collations, names and settings of an engine make of the same rows: nothing."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.metrics import roc_auc_score

import sqlmetrics
from sqlmetrics import running
from sqlmetrics.engines import PostgreSQL
from tests.compare import differences
from tests.engines.cases import Case, cases, tables
from tests.engines.servers import ENGINES, postgres_connection
from tests.parameters import slow
from tests.variants import quiet

LISTS = pd.DataFrame({
    "user": [1, 1, 1, 1, 2, 2], "item": ["a", "B", "c", "D", "a", "B"], "score": [0.5, 0.5, 0.5, 0.5, 0.7, 0.7],
    "grade": [1, 0, 0, 1, 0, 1],
})  # fmt: skip
POPULARITY = pd.DataFrame({"item": ["a", "B", "c", "D"], "count": [400, 30, 30, 1]})


@pytest.fixture(scope="module", params=slow("postgres"))
def server() -> Iterator[Any]:
    with postgres_connection() as connection:
        connection.autocommit = True
        yield connection


def filled(server: Any, table: str, columns: str, rows: list[tuple[Any, ...]]) -> None:
    server.execute(f"create table {table} ({columns})")
    with server.cursor() as cursor:
        cursor.executemany(f"insert into {table} values ({', '.join(['%s'] * len(rows[0]))})", rows)


def test_arrays_that_are_empty_or_missing_are_slices(server: Any) -> None:
    """Beside each other in an array neither adds an element."""
    rows = [
        (None, 1, 0.9),
        (None, 0, 0.2),
        ([], 0, 0.8),
        ([], 1, 0.3),
        ([], 1, 0.7),
        ([1, 2], 1, 0.5),
        ([1, 2], 0, 0.1),
    ]
    filled(server, "tagged", "tags int[], y int, s double precision", rows)
    found = sqlmetrics.auc("tagged", label="y", score="s", by="tags", engine=PostgreSQL(server))
    told = {None if one is None else tuple(one): (n, auc) for one, n, auc in found.itertuples(index=False)}
    for tags in (None, (), (1, 2)):
        own = [(y, s) for value, y, s in rows if (None if value is None else tuple(value)) == tags]
        assert told[tags] == (len(own), pytest.approx(roc_auc_score(*zip(*own, strict=True))))


@pytest.mark.parametrize(
    ("kind", "day", "early"),
    [
        ("date", "2024-05-01", "0044-03-15 BC"),
        ("timestamp", "2024-05-01 00:00:00", "0044-03-15 00:00:00 BC"),
        ("timestamptz", "2024-05-01 00:00:00+00:00", "0044-03-15 00:00:00+00 BC"),
    ],
)
def test_moments_that_python_does_not_have_are_texts(server: Any, kind: str, day: str, early: str) -> None:
    server.execute("set timezone = 'UTC'")
    ends = ["infinity", "-infinity", "2024-05-01", "0044-03-15 BC", None]
    rows = [(end, y, s) for end in ends for y, s in ((1, 0.9), (0, 0.2))]
    filled(server, f"valid_{kind}", f"until {kind}, y int, s double precision", rows)
    asked: dict[str, Any] = {"label": "y", "score": "s", "by": "until", "engine": PostgreSQL(server)}
    found = sqlmetrics.auc(f"valid_{kind}", **asked)
    assert [None if pd.isna(one) else one for one in found["until"]] == ["-infinity", early, day, "infinity", None]
    assert found["auc"].tolist() == [1.0] * 5
    plain = sqlmetrics.auc(f"valid_{kind}", **asked, where="until = '2024-05-01'")
    assert plain["until"].tolist() == [pd.Timestamp(day)]


@pytest.mark.parametrize("collation", ["C", "en-x-icu"])
def test_ties_are_broken_by_bytes(server: Any, collation: str) -> None:
    """A server may sort in a language, where `a` is before `B`."""
    table = f"lists_{collation[0].lower()}"
    filled(server, table, f'"user" int, item text collate "{collation}", score double precision, grade int',
           list(LISTS.itertuples(index=False, name=None)))  # fmt: skip
    filled(server, f"{table}_counts", f'item text collate "{collation}", "count" bigint',
           list(POPULARITY.itertuples(index=False, name=None)))  # fmt: skip
    roles = {"group": "user", "item": "item", "score": "score"}
    metrics: Any = ["average_popularity@2", {"name": "ndcg", "k": 2, "ties": "key"}, {"name": "mrr", "ties": "key"}]
    for asked, more in (
        (metrics[:1], {}), (metrics[1:], {"label": "grade"}),
        ("precision@1", {"label": "grade", "preset": "trec_eval"}),
    ):  # fmt: skip
        further = {} if more else {"popularity": POPULARITY}
        here = sqlmetrics.evaluate(LISTS, asked, **roles, **more, **further)
        further = {} if more else {"popularity": f"{table}_counts"}
        there = sqlmetrics.evaluate(table, asked, **roles, **more, **further, engine=PostgreSQL(server))
        assert differences(there, here) == []


@pytest.mark.parametrize(("kind", "one", "other"), [("numeric", "1.0", "1.00"), ("double precision", "0", "-0")])
def test_an_item_of_two_writings_has_one_place(server: Any, kind: str, one: str, other: str) -> None:
    """Equal numbers are one item, which takes one place of its list, whatever their texts are."""
    table = f"written_{kind[0]}"
    rows = [(one, "x", 1, 3), (other, "y", 1, 3), ("5", "x", 1, 3), ("7", "y", 1, 2)]
    filled(server, table, f"item {kind}, subtopic text, grade int, score double precision", rows)
    roles = {"label": "grade", "group": "= 1", "item": "item", "subtopic": "subtopic", "score": "score"}
    metrics = ["nrbp", "err_ia@3", "alpha_dcg@3", "subtopic_recall@2"]
    numbers = [(float(item), *rest) for item, *rest in rows]
    plain = pd.DataFrame(numbers, columns=["item", "subtopic", "grade", "score"])
    here = sqlmetrics.evaluate(plain, metrics, **roles)
    there = sqlmetrics.evaluate(table, metrics, **roles, engine=PostgreSQL(server))
    assert differences(there, here) == []


#: Values of types of which PostgreSQL does not tell whether two are the same.
INCOMPARABLE = {
    "json": '{"a": 1}', "xml": "<a/>", "point": "(1,2)", "line": "{1,2,3}", "lseg": "[(0,0),(1,1)]",
    "box": "(1,1),(0,0)", "path": "((0,0),(1,1))", "polygon": "((0,0),(1,1))", "circle": "<(0,0),1>",
}  # fmt: skip


@pytest.mark.parametrize("kind", INCOMPARABLE)
def test_a_type_without_equality_is_refused(server: Any, kind: str) -> None:
    """Whatever it names; as a text it works."""
    filled(
        server,
        f"of_{kind}",
        f"y int, s double precision, x {kind}",
        [(n % 2, n / 9, INCOMPARABLE[kind]) for n in range(9)],
    )
    engine = PostgreSQL(server)
    given: dict[str, Any] = {"label": "y", "score": "s"}
    for metric, role, more in [
        ("auc", "by", {**given, "by": "x"}), ("auc", "by", {**given, "by": [[], ["x"]]}),
        ("gauc", "group", {**given, "group": "x"}), ("field_ece", "field", {**given, "field": "x"}),
        ("macro_f1", "label", {"label": "x", "prediction": "x"}),
        ("auc", "cluster", {**given, "confidence": 0.9, "cluster": "x"}),
    ]:  # fmt: skip
        with pytest.raises(sqlmetrics.BadData, match=f"{role}: .*column 'x' is {kind}.*::text"):
            sqlmetrics.evaluate(f"of_{kind}", metric, engine=engine, **more)
    assert sqlmetrics.auc(f"of_{kind}", **given, by="x = x::text", engine=engine)["n"].tolist() == [9]


def test_an_enum_is_called_by_its_name(server: Any) -> None:
    server.execute("create type mood as enum ('sad', 'happy')")
    filled(server, "moods", "y mood, s double precision", [("sad", 0.1), ("happy", 0.7)])
    with pytest.raises(sqlmetrics.BadData, match="label: column 'y' is mood, and a number is needed"):
        sqlmetrics.mae("moods", label="y", score="s", engine=PostgreSQL(server))


def test_numbers_of_four_bytes_are_what_they_are(server: Any) -> None:
    """Their text has fewer digits."""
    values = [float(np.float32(one)) for one in (0.1, 0.7, 1 / 3, 1e-30, 3e38)]
    filled(server, "reals", "q int, d int, y real, s real", [(1, place, one, one) for place, one in enumerate(values)])
    engine = PostgreSQL(server)
    errors = sqlmetrics.evaluate("reals", "mae, max_error", label="= y", score="s", engine=engine)
    assert errors.iloc[0].tolist() == [5, 0, 0]
    text = sqlmetrics.render("mae, max_error", relation="reals", label="y", score="s", dialect="postgres")
    assert server.execute(text).fetchone()[1:] == (0, 0)
    found = sqlmetrics.evaluate(
        "select q, d, s from reals where d = 1", [{"name": "precision_at_k", "k": 1, "relevant_at": 0.7}], group="q",
        item="d", label="y", score="= -d", judgments="reals", engine=engine,
    )  # fmt: skip
    # The nearest number of four bytes is below 0.7.
    assert found["precision_at_1"].tolist() == [0]
    filled(server, "yes_or_no", "y boolean, s real", [(True, 0.5), (False, 0.25)])
    assert sqlmetrics.auc("yes_or_no", label="= y", score="s", engine=engine)["auc"].tolist() == [1]


@pytest.mark.parametrize(
    ("name", "value"), [("extra_float_digits", "-15"), ("client_encoding", "LATIN1"), ("client_encoding", "SQL_ASCII")]
)
def test_numbers_and_texts_of_any_session(server: Any, name: str, value: str) -> None:
    """It may ask for one digit of a number, and have no sign for a sum, as our comments do."""
    table = "_".join(["sent", *re.findall(r"\w+", f"{name} {value}".lower())])
    rows = [("ö", 1e9 + place / 1024, 1e9 + place / 1000) for place in range(30)]
    filled(server, table, "g text, y double precision, s double precision", rows)
    engine, asked = PostgreSQL(server), {"label": "= y + 0", "score": "s", "by": "g"}
    expected = sqlmetrics.evaluate(pd.DataFrame(rows, columns=["g", "y", "s"]), "r2, mae", **asked)
    server.execute(f"set {name} = {value}")
    try:
        assert differences(sqlmetrics.evaluate(table, "r2, mae", engine=engine, **asked), expected, 1e-9) == []
        [found] = server.execute(f"show {name}").fetchone()
        assert (found.decode() if isinstance(found, bytes) else found) == value
    finally:
        server.execute(f"reset {name}")


@pytest.mark.parametrize(("letters", "compiled"), [(0, "on"), (30_000, "off")])
def test_a_long_statement_is_not_compiled(server: Any, letters: int, compiled: str) -> None:
    """To compile hundreds of replicates takes much longer than to run them; what the session has set stays."""
    found = PostgreSQL(server).query(f"select current_setting('jit') as jit, '{'x' * letters}' as x")
    assert (found["jit"].item(), server.execute("show jit").fetchone()[0]) == (compiled, "on")


@pytest.mark.parametrize("encoding", ["LATIN1", "EUC_JP", "SQL_ASCII"])
def test_a_database_of_other_letters(server: Any, encoding: str) -> None:
    """Most statements have a sign in their comments that these lack."""
    import psycopg

    name = f"in_{encoding.lower()}"
    server.execute(f"create database {name} encoding '{encoding}' template template0 locale 'C'")
    with psycopg.connect(server.info.dsn, password=server.info.password, dbname=name, autocommit=True) as other:
        rows = [("x", 1, 0.9), ("x", 0, 0.2), ("y", 1, 0.5)]
        filled(other, "log", "g text, y int, s double precision", rows)
        asked: dict[str, Any] = {"label": "y", "score": "s", "by": "g"}
        found = sqlmetrics.evaluate("log", "copc, auc, brier", engine=PostgreSQL(other), **asked)
        data = pd.DataFrame(rows, columns=["g", "y", "s"])
        assert differences(found, sqlmetrics.evaluate(data, "copc, auc, brier", **asked)) == []
        if encoding == "SQL_ASCII":  # which keeps whatever it is sent
            other.execute(r"update log set g = E'\351' where g = 'y'")
            with pytest.raises(sqlmetrics.QueryFailed, match='invalid byte sequence for encoding "UTF8": 0xe9'):
                sqlmetrics.evaluate("log", "copc", engine=PostgreSQL(other), **asked)


@pytest.mark.parametrize("name", ["source", "observations", "merged_blocks"])
def test_a_table_called_like_a_step_of_a_recursion(server: Any, name: str) -> None:
    """There a step sees all others, and PostgreSQL reads it in place of the table."""
    filled(server, name, "y int, s double precision", [(n % 2, n % 5 / 9) for n in range(20)])
    asked: dict[str, Any] = {"label": "y", "score": "s", "engine": PostgreSQL(server)}
    expected = sqlmetrics.miscalibration(f"public.{name}", **asked)
    for data in (name, f'select * from "{name}"', f"with t as (select * from {name}) select * from t"):
        with pytest.raises(sqlmetrics.QueryFailed, match=f"data: a table called '{name}' is taken for a step"):
            sqlmetrics.miscalibration(data, **asked)
        assert sqlmetrics.auc(data, **asked)["n"].tolist() == [20]
    assert differences(sqlmetrics.miscalibration(f"select * from public.{name}", **asked), expected) == []
    server.execute(f"drop table {name}")


STEPS = ["observations", "source", "listed_items"]
CLICKHOUSE_SETTINGS = {
    "join_default_strictness": "'ANY'", "empty_result_for_aggregation_by_empty_set": "1", "join_use_nulls": "0",
    "aggregate_functions_null_for_empty": "0", "cast_keep_nullable": "0", "prefer_column_name_to_alias": "0",
    "transform_null_in": "1", "group_by_use_nulls": "1", "any_join_distinct_right_table_keys": "1", "extremes": "1",
    "limit": "1", "offset": "1", "count_distinct_implementation": "'uniqCombined'",
}  # fmt: skip
#: What else a session may hold: of more than so many rows the rest is left out, which we make an error.
CUTS = {
    "group_by_overflow_mode": ("any", "max_rows_to_group_by", "100000"),
    "join_overflow_mode": ("break", "max_rows_in_join", "100000"),
    "result_overflow_mode": ("break", "max_result_rows", "100000"),
    "read_overflow_mode": ("break", "max_rows_to_read", "10000000"),
    "timeout_overflow_mode": ("break", "max_execution_time", "300"),
}


@pytest.fixture(scope="module", params=slow("clickhouse"))
def session(request: pytest.FixtureRequest) -> Iterator[Any]:
    catalog = pd.DataFrame({"item": ["a", "B", "c", "D", "e", "f"]})
    more = {"lists": LISTS, "plain": catalog, "all_items": catalog} | dict.fromkeys(STEPS, catalog)
    arrow = {name: pa.Table.from_pandas(table, preserve_index=False) for name, table in more.items()}
    with ENGINES[request.param](tables() | arrow) as engine:
        yield engine


def test_a_session_of_other_settings_gives_the_same(session: Any) -> None:
    some = [case.on("clickhouse") for case in cases() if case.data_set in ("slices", "weighted")][::24]

    def answer(case: Case) -> pd.DataFrame:
        asked = {**case.call.roles, **case.relations, "by": list(case.by) or None}
        return quiet(lambda: sqlmetrics.evaluate(case.table, case.call.specs, **asked, engine=session))

    expected = [answer(case) for case in some]
    for name, value in CLICKHOUSE_SETTINGS.items():
        before = session.session.query(f"select value from system.settings where name = '{name}'", "DataFrame")["value"]
        session.session.query(f"set {name} = {value}")
        try:
            for case, found, same in zip(some, map(answer, some), expected, strict=True):
                assert differences(found, same) == [], (name, case.name)
        finally:
            session.session.query(f"set {name} = '{before[0]}'")


@pytest.mark.parametrize("mode", CUTS)
def test_a_session_that_would_leave_rows_out(session: Any, mode: str) -> None:
    """The answer is whole: each statement says that beyond a limit there is none, whatever the session has.

    No limit is reached here: where one ends a statement, chdb 4.4 now and then aborts the process, or waits for ever.
    """
    word, limit, enough = CUTS[mode]
    statements: list[str] = []

    def noted(source: running.Source, sql: str) -> pd.DataFrame:
        statements.append(sql)
        return running.fetch(source, sql)

    asked: dict[str, Any] = {"label": "clicked", "by": "device", "engine": session, "execute": noted}
    calls: list[dict[str, Any]] = [{"score": "pctr"}, {"score": ["pctr", "less = 1 - pctr"]}]
    for call in calls:
        expected = quiet(functools.partial(running.run, "slices_labels", "auc, ks, ece", **call, **asked))
        session.session.query(f"set {mode} = '{word}', {limit} = {enough}")
        try:
            found = quiet(functools.partial(running.run, "slices_labels", "auc, ks, ece", **call, **asked))
        finally:
            session.session.query(f"set {mode} = 'throw', {limit} = 0")
        assert differences(found, expected) == []
    assert len(statements) >= 4
    for statement in statements:
        assert f"{mode} = 'throw'" in statement


@pytest.mark.parametrize("name", STEPS)
def test_a_further_table_called_like_a_step(session: Any, name: str) -> None:
    """ClickHouse takes it for the step, wherever that is."""
    asked: dict[str, Any] = {"group": "user", "item": "item", "score": "score", "k": 2, "engine": session}
    expected = sqlmetrics.coverage("lists", catalog="plain", **asked)["coverage_at_2"].iloc[0]
    for catalog in (name, f"select * from {name}", f"select 'from x' as y, * from `{name}` as given"):
        with pytest.raises(sqlmetrics.BadParameter, match=f"catalog: a table called '{name}' is taken for a step"):
            sqlmetrics.coverage("lists", catalog=catalog, **asked)
    database = session.query("select currentDatabase() as name")["name"][0]
    # In the step that reads it a table is itself, whatever that is called.
    own = f"with {name} as (select * from plain) select 'from {name}' as y, * from {name} -- from {name}"
    for further in (f"{database}.{name}", f"select * from {database}.{name}", "all_items", own):
        found = sqlmetrics.coverage("lists", catalog=further, **asked)
        assert found["coverage_at_2"].iloc[0] == expected == pytest.approx(3 / 6)
