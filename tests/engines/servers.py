"""The engines of the tests: each starts, loads tables, and stops with the block."""

from __future__ import annotations

import atexit
import functools
import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import sqlglot

from sqlmetrics import engines
from sqlmetrics.catalogue.dialects import RENDERED_DIALECTS, STAND_INS
from sqlmetrics.engines.dbapi import stored_name
from tests import optional
from tests.engines.googlesql import googlesql, type_names


def load(connection: duckdb.DuckDBPyConnection, tables: Mapping[str, pa.Table]) -> None:
    """Create tables of a DuckDB database."""
    for name, table in tables.items():
        connection.register("sent", table)
        connection.execute(f"create table {name} as from sent")
        connection.unregister("sent")


@contextmanager
def _duckdb(tables: Mapping[str, pa.Table]) -> Iterator[engines.DuckDB]:
    with duckdb.connect() as con:
        con.execute("set threads = 1")
        load(con, tables)
        yield engines.DuckDB(con)


#: Functions that sqlglot does not translate, with their names in DuckDB.
_OF_DUCKDB = {"raise_error": "error", "fail": "error", "fnv_hash": "hash"}


class ReadBack:
    """An engine for a dialect without a stand-in: sqlglot translates each statement, and DuckDB runs it."""

    def __init__(self, dialect: str, connection: duckdb.DuckDBPyConnection) -> None:
        self.dialect = dialect
        self.connection = connection

    def query(self, sql: str) -> pd.DataFrame:
        [statement] = sqlglot.parse(sql, read=self.dialect)
        assert statement is not None
        for hint in list(statement.find_all(sqlglot.exp.Hint)):  # hints do not change the result
            hint.pop()
        for function in statement.find_all(sqlglot.exp.Anonymous):
            function.set("this", _OF_DUCKDB.get(function.name.lower(), function.name))
        text = statement.sql("duckdb", unsupported_level=sqlglot.ErrorLevel.RAISE)
        return self.connection.execute(text).df().rename(columns=lambda name: stored_name(name, self.dialect))


@contextmanager
def _read_back(dialect: str, tables: Mapping[str, pa.Table]) -> Iterator[engines.Engine]:
    with _duckdb(tables) as engine:
        yield ReadBack(dialect, engine.connection)


#: Servers that run until this process exits.
_UNTIL_THE_END = ExitStack()
atexit.register(_UNTIL_THE_END.close)


@functools.cache
def _postgres_server() -> Mapping[str, Any]:
    """The connection parameters of this process's server."""
    from tests.dbt.postgres_server import find_binaries, postgres_server

    binaries = find_binaries()
    if binaries is None:
        optional.unavailable("there is no PostgreSQL server (initdb, pg_ctl): apt-get install postgresql")
    assert binaries is not None
    output = _UNTIL_THE_END.enter_context(postgres_server(binaries))
    return {key: output[key] for key in ("host", "port", "user", "password", "dbname")}


@contextmanager
def postgres_connection() -> Iterator[Any]:
    """A connection to a new database, which is dropped with the block."""
    psycopg = optional.package("psycopg")
    server = _postgres_server()
    name = f"tests_{secrets.token_hex(8)}"
    with closing(psycopg.connect(**server, autocommit=True)) as owner:
        owner.execute(f"create database {name}")
        try:
            with closing(psycopg.connect(**{**server, "dbname": name})) as connection:
                yield connection
        finally:
            owner.execute(f"drop database {name} with (force)")


@contextmanager
def _postgres(tables: Mapping[str, pa.Table]) -> Iterator[engines.Engine]:
    with postgres_connection() as connection:
        for name, table in tables.items():
            load_postgres(connection, name, table, [type_names(dtype)[1] for dtype in table.schema.types])
        yield engines.PostgreSQL(connection)


def load_postgres(connection: Any, name: str, table: pa.Table, types: Iterable[str]) -> None:
    """Create a table with columns of these types, and commit it."""
    sql = optional.package("psycopg.sql")
    columns = [sql.SQL(f"{{}} {dtype}").format(sql.Identifier(column))
               for column, dtype in zip(table.column_names, types, strict=True)]  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(f"create table {name} ({{}})").format(sql.SQL(", ").join(columns)))
        with cursor.copy(f"copy {name} from stdin") as copy:
            for row in table.to_pylist():
                copy.write_row(list(row.values()))
    connection.commit()


#: For a table of sixty rows, compiling code takes longer than running it. Plans of long statements fill 0.5 GB. With
#: the default of 100 iterations their analysis would be repeated, which test_calibration_fits.py tests.
SMALL_DATA = {
    "spark.driver.memory": "2g",
    "spark.sql.analyzer.maxIterations": "1000",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}
#: Java's second compiler costs more than it saves in a process of two minutes.
FAST_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@contextmanager
def session_of(master: str, settings: Mapping[str, str]) -> Iterator[Any]:
    """A Spark session, which ends with the block."""
    optional.package("pyspark")
    optional.program("java")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"  # else Spark binds to the address of the host name
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("sqlmetrics")
    local = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    for name, value in {**local, **settings}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()


@functools.cache
def shared_spark_session() -> Any:
    """The session of this process, with two threads, and with ANSI mode as on Databricks."""
    folder = _UNTIL_THE_END.enter_context(tempfile.TemporaryDirectory())
    settings = {"spark.sql.ansi.enabled": "true", "spark.sql.warehouse.dir": folder, **SMALL_DATA}
    # The session lives for seven minutes; after two, the second compiler saves a third of the time of a statement.
    settings["spark.driver.extraJavaOptions"] = "-XX:+UseSerialGC"
    return _UNTIL_THE_END.enter_context(session_of("local[2]", settings))


@contextmanager
def spark_session() -> Iterator[Any]:
    """A session in this process; the views and settings of the block end with it."""
    session = shared_spark_session()
    before = {row.key: row.value for row in session.sql("set").collect()}
    yield session
    for row in session.sql("show tables").collect():
        session.catalog.dropTempView(row.tableName)
    for row in session.sql("set").collect():
        if row.key not in before:
            session.conf.unset(row.key)
        elif row.value != before[row.key]:
            session.conf.set(row.key, before[row.key])


@contextmanager
def _spark(tables: Mapping[str, pa.Table]) -> Iterator[engines.Engine]:
    with spark_session() as session:
        for name, table in tables.items():
            session.createDataFrame(table).createOrReplaceTempView(name)
        yield engines.Spark(session)


def use_single_partition(engine: Any) -> None:
    """Use a single shuffle partition on Spark, a third faster than the two of other tests."""
    if engine.dialect == "spark":
        engine.session.conf.set("spark.sql.shuffle.partitions", "1")


#: What ClickHouse compiles to machine code, which takes a fifth of the time of a statement over a hundred rows.
_COMPILED_BY_CLICKHOUSE = ("compile_expressions", "compile_aggregate_expressions", "compile_sort_description")


@contextmanager
def _clickhouse(tables: Mapping[str, pa.Table]) -> Iterator[engines.Engine]:
    chdb = optional.package("chdb.session")
    with closing(chdb.Session()) as session:
        session.query(f"set {', '.join(f'{name} = 0' for name in _COMPILED_BY_CLICKHOUSE)}")
        for name, table in tables.items():
            load_clickhouse(session, name, table)
        yield engines.ClickHouse(session)


def load_clickhouse(session: Any, name: str, table: pa.Table) -> None:
    """Create a table in memory."""
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        pyarrow.parquet.write_table(table, file.name)
        session.query(f"create table {name} engine = Memory as select * from file('{file.name}')")


@contextmanager
def fake_snowflake(tables: Mapping[str, pa.Table]) -> Iterator[engines.DBAPI]:
    """A simulated Snowflake connection in this process: fakesnow translates SQL with sqlglot, and DuckDB runs it."""
    connection = optional.package("fakesnow.instance").FakeSnow().connect(database="logs", schema="public")
    stored = {f'logs.public."{name.upper()}"': _stored_by_snowflake(table) for name, table in tables.items()}
    load(connection._duck_conn, stored)
    connection.Error = optional.package("snowflake.connector").Error
    yield engines.DBAPI(connection, "snowflake")
    connection.close()


def _stored_by_snowflake(table: pa.Table) -> pa.Table:
    """The table with bare names in upper case and with Snowflake's numeric types, as Snowflake stores it."""
    fields = []
    for field in table.schema:
        bare = field.name.isidentifier() and field.name == field.name.lower()
        narrow = pa.types.is_integer(field.type) and field.type.bit_width < 64
        widened = pa.int64() if narrow else pa.float64() if field.type == pa.float32() else field.type
        fields.append(pa.field(field.name.upper() if bare else field.name, widened))
    return table.rename_columns([field.name for field in fields]).cast(pa.schema(fields))


ENGINES = {"duckdb": _duckdb, "postgres": _postgres, "spark": _spark, "clickhouse": _clickhouse, "bigquery": googlesql}
#: Dialects with the same text as another dialect.
SAME_TEXT = {"databricks": "spark", "athena": "trino"}
#: The rendered dialects that have neither a test engine nor a stand-in.
READ_BACK = {
    dialect: functools.partial(_read_back, dialect)
    for dialect in RENDERED_DIALECTS
    if dialect not in SAME_TEXT and dialect not in STAND_INS
}
