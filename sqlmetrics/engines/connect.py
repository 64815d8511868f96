"""Resolve the argument `engine=`, or an address, to an engine."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import duckdb

from ..catalogue.dialects import DIALECTS
from ..errors import BadData, BadParameter, first_line
from ..interrupts import cancelled_at_the_end
from .base import Engine, client_module
from .clickhouse import ClickHouse
from .duckdb import DuckDB
from .postgres import PostgreSQL
from .spark import Spark, errors_of_spark, java_error_summary


def checked_engine(engine: Any) -> Engine:
    """Return the engine if the object is an engine.

    Raises:
        BadParameter: The object is no engine; the message has a hint for objects of known clients.
    """
    if isinstance(engine, Engine) and callable(engine.query) and isinstance(engine.dialect, str):
        if engine.dialect not in DIALECTS:
            raise BadParameter(f"the dialect of engine must be one of {', '.join(DIALECTS)}, not {engine.dialect!r}")
        return engine
    hints = {"pyspark": "Spark", "psycopg": "PostgreSQL", "chdb": "ClickHouse", "_duckdb": "DuckDB", "duckdb": "DuckDB"}
    hint = hints.get(type(engine).__module__.partition(".")[0])
    wrapper = f"{hint}(…) around it" if hint else "DBAPI(connection, dialect) around its connection"
    raise BadParameter(
        f"engine must have a dialect and a query(sql), and {type(engine).__name__} does not; "
        f"write sqlmetrics.engines.{wrapper}"
    )


@contextlib.contextmanager
def open_engine(text: str) -> Iterator[Engine]:
    """Open the engine of an address for the length of a block.

    `duckdb:FILE`, `postgres://…` (as libpq reads it), `spark` (or a master, `spark://host:port`, `local[4]`),
    `sc://host:port` (Spark Connect), `clickhouse` or `clickhouse:FOLDER`. An active Spark session is used and stays
    open.
    """
    scheme, _, rest = text.partition(":")
    if scheme == "duckdb":
        try:
            con = duckdb.connect(rest or ":memory:", read_only=bool(rest))
        except duckdb.Error as error:
            raise BadData(f"engine: {first_line(error)}") from error
        with con:
            con.execute("set TimeZone = 'UTC'")  # as for files
            yield DuckDB(con)
    elif scheme in ("postgres", "postgresql"):
        psycopg = client_module("psycopg", "postgres")
        try:
            connection = psycopg.connect(text if rest else "", autocommit=True)
        except psycopg.Error as error:
            raise BadData(f"engine: {first_line(error)}") from error
        with contextlib.closing(connection), cancelled_at_the_end(connection.cancel):
            yield PostgreSQL(connection)
    elif scheme in ("spark", "sc") or scheme.startswith("local"):
        sessions = client_module("pyspark.sql", "spark").SparkSession
        builder = sessions.builder.appName("sqlmetrics")
        if scheme == "sc":
            client_module("grpc", "spark-connect")
            active = None
            start = builder.remote(text).create
        else:
            active = sessions.getActiveSession()
            start = (builder if text == "spark" else builder.master(text)).getOrCreate
        try:
            session = start()
        except errors_of_spark() as error:
            raise BadData(f"engine: {java_error_summary(error)}") from error
        try:
            yield Spark(session)
        finally:
            if active is None:
                session.stop()
    elif scheme == "clickhouse":
        client = client_module("chdb.session", "clickhouse")
        with contextlib.closing(client.Session(rest) if rest else client.Session()) as session:
            yield ClickHouse(session)
    else:
        raise BadParameter(
            f"engine {text!r}: one of duckdb:FILE, postgres://USER@HOST/DATABASE, spark, spark://HOST:PORT, "
            "sc://HOST:PORT, clickhouse, clickhouse:FOLDER"
        )
