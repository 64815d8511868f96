"""The engines on which metrics run where the data lies: `sqlmetrics.evaluate("logs", "auc", …, engine=Spark(session))`.

An engine is any object with a `dialect` and a `query(sql)` that returns a pandas DataFrame or an Arrow table. That is
all it needs; the classes below also report the types of columns, and some take a small table from memory:

- `columns(sql)`: the columns of a query with the names of their types, so that text is not taken for a number
- `register(name, data)` and `unregister(name)`: a pandas, polars or Arrow object as a view for the length of a call
- `errors`: the classes that the client raises; all errors without it

No class opens or closes a connection of the caller's, and none leaves anything in it.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import re
import sys
from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

import duckdb
import pandas as pd

from .catalogue.dialects import DIALECTS
from .column_types import is_number, series_of
from .errors import BadData, BadParameter, MissingClient, raised_at_caller
from .interrupts import cancelled_at_the_end

__all__ = ["DBAPI", "ClickHouse", "DuckDB", "Engine", "PostgreSQL", "Spark"]


@runtime_checkable
class Engine(Protocol):
    """What `engine=` takes.

    >>> class Mine:
    ...     dialect = "duckdb"
    ...     def query(self, sql):
    ...         return duckdb.sql(sql).df()
    >>> import sqlmetrics
    >>> log = "select * from (values (1, 0.9), (0, 0.2)) as log(clicked, pctr)"
    >>> sqlmetrics.auc(log, label="clicked", score="pctr", engine=Mine())
       n  auc
    0  2  1.0
    """

    dialect: str

    def query(self, sql: str) -> Any:
        """The rows of one statement, as a pandas DataFrame or an Arrow table."""


class DuckDB:
    """A DuckDB connection; the same as `con=`, so files and objects in memory are read too.

    >>> import sqlmetrics
    >>> con = duckdb.connect()
    >>> _ = con.execute("create table log as select * from (values (1, 0.9), (0, 0.2)) as log(clicked, pctr)")
    >>> sqlmetrics.auc("log", label="clicked", score="pctr", engine=DuckDB(con))
       n  auc
    0  2  1.0
    """

    dialect = "duckdb"
    errors: tuple[type[Exception], ...] = (duckdb.Error,)

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection

    def query(self, sql: str) -> pd.DataFrame:
        """The rows of one statement."""
        return self.connection.execute(sql).df()


class Spark:
    """A SparkSession, classic or Spark Connect: `Spark(SparkSession.builder.getOrCreate())`.

    Data is a table or view of the session, a query, or a small object in memory, which is a temporary view for the
    length of the call. Needs `pip install 'sqlmetrics[spark]'`.
    """

    dialect = "spark"

    @raised_at_caller
    def __init__(self, session: Any) -> None:
        self.session = session
        self.errors = _errors_of_spark()

    def query(self, sql: str) -> Any:
        """The rows of one statement.

        One of many steps that Spark gives up to make sense of is tried once more with a greater
        `spark.sql.analyzer.maxIterations`, for the length of the statement.
        """
        try:
            return self._rows(sql)
        except self.errors as error:
            if not _GAVE_UP.search(str(error)):
                raise
        before = self.session.conf.get(_LOOKS)
        self.session.conf.set(_LOOKS, str(10 * int(before)))
        try:
            return self._rows(sql)
        finally:
            self.session.conf.set(_LOOKS, before)

    def _rows(self, sql: str) -> Any:
        try:
            rows = self.session.sql(sql)
            # Arrow keeps whole numbers whole beside a NULL; Spark 3 has only the other.
            return rows.toArrow() if hasattr(rows, "toArrow") else rows.toPandas()
        except OSError:
            raise
        except self.errors as error:
            reason = _root_cause(error)
            if reason is None:
                raise
            raise self.errors[0](reason) from error

    def columns(self, sql: str) -> dict[str, str]:
        """The columns of a query with their types."""
        return dict(self.session.sql(sql).dtypes)

    def tells_case(self) -> bool:
        """Whether names that differ in case only are two to the session."""
        return bool(self.session.conf.get("spark.sql.caseSensitive") == "true")

    def register(self, name: str, data: Any) -> None:
        """Show an object in memory as a temporary view."""
        if hasattr(data, "to_arrow"):  # polars
            data = data.to_arrow()
        if not isinstance(data, pd.DataFrame) and not hasattr(data, "to_pandas"):
            raise BadParameter(
                f"Spark takes a table, a query, or a pandas, polars or Arrow object, not {type(data).__name__}"
            )
        # Spark 4 takes Arrow as it is, where NULL and NaN are two things; Spark 3 takes pandas only.
        if self.session.version < "4":
            data = data if isinstance(data, pd.DataFrame) else data.to_pandas()
        elif isinstance(data, pd.DataFrame):
            data = _client("pyarrow", "spark").Table.from_pandas(data, preserve_index=False)
        self.session.createDataFrame(data).createOrReplaceTempView(name)

    def unregister(self, name: str) -> None:
        """Drop the view."""
        self.session.catalog.dropTempView(name)


#: How often Spark looks at a statement to make sense of it, and what it says where that was not enough.
_LOOKS = "spark.sql.analyzer.maxIterations"
_GAVE_UP = re.compile(r"Max iterations \(\d+\) reached for batch")
_CAUSED_BY = re.compile(r"^Caused by: (\S+: .*?)(?=\n\tat |\nCaused by: |\Z)", re.MULTILINE | re.DOTALL)


def _root_cause(error: Exception) -> str | None:
    """What a task of Spark raised: it reaches Python wrapped, and says no more than that a stage or a call failed."""
    cause = getattr(error, "java_exception", None)
    if cause is not None:
        while cause.getCause() is not None:
            cause = cause.getCause()
        return str(cause.getMessage() or cause)
    # Spark Connect reports the causes in a trace of Java's, each as its class and its message.
    trace = error.getStackTrace() if hasattr(error, "getStackTrace") else None
    causes = _CAUSED_BY.findall(trace or "")
    return causes[-1].partition(": ")[2] if causes else None


_UPPER_CASE_WORD = re.compile(r"[A-Z_][A-Z0-9_]*")


def stored_name(name: str, dialect: str) -> str:
    """The name of a result's column; Snowflake stores a bare word in upper case, and finds it under any."""
    return name.lower() if dialect == "snowflake" and _UPPER_CASE_WORD.fullmatch(name) else name


class DBAPI:
    """Any connection of Python's database interface (PEP 249) or of ADBC, with the dialect of its engine.

    A transaction that the caller had not begun is rolled back when the rows are there, where the driver tells.

    >>> import sqlmetrics
    >>> con = duckdb.connect()
    >>> log = "select * from (values (1, 0.9), (0, 0.2)) as log(clicked, pctr)"
    >>> sqlmetrics.auc(log, label="clicked", score="pctr", engine=DBAPI(con, "duckdb"))
       n  auc
    0  2  1.0
    """

    @raised_at_caller
    def __init__(self, connection: Any, dialect: str) -> None:
        self.connection = connection
        self.dialect = dialect
        self.errors: tuple[type[Exception], ...] = (_error_class(connection),)

    def query(self, sql: str) -> Any:
        """The rows of one statement."""
        with self._own_transaction(), contextlib.closing(self.connection.cursor()) as cursor:
            cursor.execute(sql)
            if hasattr(cursor, "fetch_arrow_table"):
                # DuckDB 1.5 has both names, and warns of this one; 2.0 has the other alone, and warns of that.
                table = getattr(cursor, "to_arrow_table", cursor.fetch_arrow_table)()
                return table.rename_columns([stored_name(name, self.dialect) for name in table.column_names])
            columns = list(zip(*cursor.fetchall(), strict=True)) or [()] * len(cursor.description)
            frame = pd.concat([series_of(values) for values in columns], axis=1)
            return frame.set_axis([stored_name(column[0], self.dialect) for column in cursor.description], axis=1)

    @contextlib.contextmanager
    def _own_transaction(self) -> Iterator[None]:
        """Whatever the driver has begun for a statement of ours ends with it."""
        idle = _is_idle(self.connection)
        failed = True
        try:
            yield
            failed = False
        finally:
            # PostgreSQL refuses everything after an error until the transaction is rolled back.
            if idle or (failed and idle is None and self.dialect in ("postgres", "redshift")):
                with contextlib.suppress(*self.errors):  # the connection may be lost: that was reported already
                    self.connection.rollback()


class PostgreSQL:
    """A psycopg connection: `PostgreSQL(psycopg.connect("postgresql://…"))`.

    A statement runs in a transaction of its own, or behind a savepoint of the caller's, so that neither a failure nor
    a success changes what the caller has open. Needs `pip install 'sqlmetrics[postgres]'`; for other drivers see
    `DBAPI(connection, "postgres")`.
    """

    dialect = "postgres"

    @raised_at_caller
    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self._psycopg = _client("psycopg", "postgres")
        if not isinstance(connection, self._psycopg.Connection):
            raise BadParameter(
                f"PostgreSQL takes a connection of psycopg, not {type(connection).__name__}; "
                "for another driver write DBAPI(connection, 'postgres')"
            )
        self.errors: tuple[type[Exception], ...] = (self._psycopg.Error,)

    def query(self, sql: str) -> pd.DataFrame:
        """The rows of one statement."""
        with self._statement(len(sql)) as cursor:
            cursor.execute(self._with_its_letters(sql))
            kinds = [column.type_display for column in cursor.description]
            columns = list(zip(*cursor.fetchall(), strict=True)) or [()] * len(kinds)
            columns = [
                tuple(None if one is None else str(one) for one in values)
                if kind in _MOMENTS and any(isinstance(one, str) for one in values)
                else values
                for kind, values in zip(kinds, columns, strict=True)
            ]
            # Where there is no value the type still tells a number.
            series = [
                pd.Series(values, dtype="float64") if is_number(kind) and set(values) <= {None} else series_of(values)
                for kind, values in zip(kinds, columns, strict=True)
            ]
            frame = pd.concat(series, axis=1)
            return frame.set_axis([column.name for column in cursor.description], axis=1)

    def columns(self, sql: str) -> dict[str, str]:
        """The columns of a query with their types."""
        with self._statement(len(sql)) as cursor:
            cursor.execute(self._with_its_letters(sql))
            # An enum's is a number of the database's, which psycopg does not know.
            numbers = sorted({one.type_code for one in cursor.description if one.type_display.isdecimal()})
            found = {one.name: one.type_display for one in cursor.description}
            if numbers:
                cursor.execute("select oid::text, format_type(oid, null) from pg_type where oid = any(%s)", [numbers])
                names = dict(cursor.fetchall())
                found = {name: names.get(kind, kind) for name, kind in found.items()}
            return found

    @contextlib.contextmanager
    def _statement(self, length: int) -> Iterator[Any]:
        """A cursor in a transaction of its own, in which numbers keep their digits and texts their letters."""
        with self.connection.transaction(force_rollback=True):
            self.connection.execute(_AS_IT_IS).close()
            if length > _LONG:
                self.connection.execute(_NOT_COMPILED).close()
            # The connection may make dicts of its rows.
            with self.connection.cursor(row_factory=self._psycopg.rows.tuple_row) as cursor:
                for kind, loader in _loaders_of_moments().items():
                    cursor.adapters.register_loader(kind, loader)
                yield cursor

    def _with_its_letters(self, sql: str) -> str:
        """The statement, whose comments hold no sign that the letters of the database lack."""
        if self.connection.info.parameter_status("server_encoding") in ("UTF8", "SQL_ASCII"):
            return sql
        return _COMMENT.sub(lambda found: found[0].encode("ascii", "replace").decode(), sql)


#: Of days and moments some are none of Python's, as `infinity`, the end of what still holds.
_MOMENTS = ("date", "timestamp", "timestamptz")


@functools.cache
def _loaders_of_moments() -> dict[str, Any]:
    """What reads them: a text where Python has no value."""
    known = _client("psycopg.types.datetime", "postgres")
    psycopg = _client("psycopg", "postgres")

    def with_texts(loader: Any) -> Any:
        class Loader(loader):  # type: ignore[misc]
            def load(self, data: Any) -> Any:
                try:
                    return super().load(data)
                except psycopg.DataError:
                    return bytes(data).decode()

        return Loader

    loaders = (known.DateLoader, known.TimestampLoader, known.TimestamptzLoader)
    return dict(zip(_MOMENTS, map(with_texts, loaders), strict=True))


#: What a session may have set otherwise: it would round the numbers that come back, and those that are read as texts.
_AS_IT_IS = "select set_config('extra_float_digits', '3', true), set_config('client_encoding', 'UTF8', true)"
#: Statements of so many letters name thousands of expressions, which take PostgreSQL longer to compile than to run.
_LONG = 25_000
_NOT_COMPILED = "select set_config(name, 'off', true) from pg_settings where name = 'jit'"
_COMMENT = re.compile(r"^ *--.*$", re.MULTILINE)


class ClickHouse:
    """ClickHouse in process, a session of chdb: `ClickHouse(chdb.session.Session("folder"))`.

    Without a session, one of its own in memory. Needs `pip install 'sqlmetrics[clickhouse]'`.
    """

    dialect = "clickhouse"

    @raised_at_caller
    def __init__(self, session: Any = None) -> None:
        client = _client("chdb.session", "clickhouse")
        self.session = client.Session() if session is None else session
        # The error of a session is a RuntimeError that chdb does not show under a public name.
        self.errors: tuple[type[Exception], ...] = (importlib.import_module("chdb").ChdbError, RuntimeError)

    def query(self, sql: str) -> pd.DataFrame:
        """The rows of one statement."""
        rows: pd.DataFrame = self.session.query(sql, "DataFrame")
        return rows

    def columns(self, sql: str) -> dict[str, str]:
        """The columns of a query with their types."""
        found = self.session.query(f"describe table ({sql}\n)", "DataFrame")
        return dict(zip(found["name"], found["type"], strict=True))


def checked_engine(engine: Any) -> Engine:
    """The engine, if it is one.

    Raises:
        BadParameter: It is something else; a client's own object gets a hint.
    """
    if isinstance(engine, Engine) and callable(engine.query) and isinstance(engine.dialect, str):
        if engine.dialect not in DIALECTS:
            raise BadParameter(f"the dialect of engine must be one of {', '.join(DIALECTS)}, not {engine.dialect!r}")
        return engine
    hints = {"pyspark": "Spark", "psycopg": "PostgreSQL", "chdb": "ClickHouse", "_duckdb": "DuckDB", "duckdb": "DuckDB"}
    package = type(engine).__module__.partition(".")[0]
    if package == "sqlalchemy" and hasattr(engine, "connection") and hasattr(engine, "dialect"):
        return _of_sqlalchemy(engine)
    if package == "ibis" and isinstance(getattr(engine, "con", None), duckdb.DuckDBPyConnection):
        return DuckDB(engine.con)
    adapter = hints.get(package)
    hint = f"; write sqlmetrics.engines.{adapter}(…) around it" if adapter else ""
    if package == "ibis":
        hint = "; this backend is not DuckDB's: write sqlmetrics.engines.DBAPI(backend.con, dialect)"
    elif package == "sqlalchemy":
        hint = "; give a connection, as in `with engine.connect() as connection:`, or session.connection()"
    raise BadParameter(f"engine must have a dialect and a query(sql), and {type(engine).__name__} has not{hint}")


#: SQLAlchemy's names of the dialects.
_SQLALCHEMY = {"postgresql": "postgres", "clickhousedb": "clickhouse"}


def _of_sqlalchemy(connection: Any) -> Engine:
    """The driver's connection that one of SQLAlchemy's holds, in the dialect that it speaks."""
    name = str(connection.dialect.name)
    dialect = _SQLALCHEMY.get(name, name)
    if dialect not in DIALECTS:
        raise BadParameter(f"engine is a connection of SQLAlchemy's to {name}, and there is no such dialect here")
    driver = connection.connection.driver_connection
    if type(driver).__module__.partition(".")[0] == "psycopg":
        return PostgreSQL(driver)
    return DBAPI(driver, dialect)


@contextlib.contextmanager
def open_engine(text: str) -> Iterator[Engine]:
    """The engine of an address, opened for the length of a block.

    `duckdb:FILE`, `postgres://…` (as libpq reads it), `spark` (or a master, `spark://host:port`, `local[4]`),
    `sc://host:port` (Spark Connect), `clickhouse` or `clickhouse:FOLDER`. A session of Spark that is there already is
    used, and left open.
    """
    kind, _, rest = text.partition(":")
    if kind == "duckdb":
        try:
            con = duckdb.connect(rest or ":memory:", read_only=bool(rest))
        except duckdb.Error as error:
            raise BadData(f"engine: {str(error).splitlines()[0]}") from error
        with con:
            con.execute("set TimeZone = 'UTC'")  # as of files
            yield DuckDB(con)
    elif kind in ("postgres", "postgresql"):
        psycopg = _client("psycopg", "postgres")
        try:
            connection = psycopg.connect(text if rest else "", autocommit=True)
        except psycopg.Error as error:
            raise BadData(f"engine: {str(error).splitlines()[0]}") from error
        with contextlib.closing(connection), cancelled_at_the_end(connection.cancel):
            yield PostgreSQL(connection)
    elif kind in ("spark", "sc") or kind.startswith("local"):
        sessions = _client("pyspark.sql", "spark").SparkSession
        builder = sessions.builder.appName("sqlmetrics")
        if kind == "sc":
            _client("grpc", "spark-connect")
            theirs = None
            start = builder.remote(text).create
        else:
            theirs = sessions.getActiveSession()
            start = (builder if text == "spark" else builder.master(text)).getOrCreate
        try:
            session = start()
        except _errors_of_spark() as error:
            raise BadData(f"engine: {_reason_of_java(error)}") from error
        try:
            yield Spark(session)
        finally:
            if theirs is None:
                session.stop()
    elif kind == "clickhouse":
        client = _client("chdb.session", "clickhouse")
        with contextlib.closing(client.Session(rest) if rest else client.Session()) as session:
            yield ClickHouse(session)
    else:
        raise BadParameter(
            f"engine {text!r}: one of duckdb:FILE, postgres://USER@HOST/DATABASE, spark, spark://HOST:PORT, "
            "sc://HOST:PORT, clickhouse, clickhouse:FOLDER"
        )


def _errors_of_spark() -> tuple[type[Exception], ...]:
    """Its own, OSError where the driver's Java process is gone, and what Spark has not made an error of its own."""
    found: tuple[type[Exception], ...] = (_client("pyspark.errors", "spark").PySparkException, OSError)
    if "py4j.protocol" in sys.modules:
        found += (sys.modules["py4j.protocol"].Py4JError,)
    return found


def _reason_of_java(error: Exception) -> str:
    """The line of the exception, which follows that of what was called."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return next((line.removeprefix(": ") for line in lines if line.startswith(": ")), lines[0])


def _client(module: str, extra: str) -> Any:
    """A client's module, imported when its engine is requested."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        raise MissingClient(package, extra) from error


def _error_class(connection: Any) -> type[Exception]:
    """The driver's `Error`, which PEP 249 puts on the connection or into the module."""
    places = [connection]
    name = type(connection).__module__
    while name:
        places.append(sys.modules.get(name))
        name = name.rpartition(".")[0]
    if type(connection).__module__ == "_duckdb":
        places.append(duckdb)
    for place in places:
        found = getattr(place, "Error", None)
        if isinstance(found, type) and issubclass(found, Exception):
            return found
    raise BadParameter(f"DBAPI takes a connection of Python's database interface, not {type(connection).__name__}")


def _is_idle(connection: Any) -> bool | None:
    """Whether no transaction is open; None where the driver does not tell."""
    in_transaction = getattr(connection, "in_transaction", None)
    if isinstance(in_transaction, bool):
        return not in_transaction
    status = getattr(getattr(connection, "info", None), "transaction_status", None)
    return None if status is None else int(status) == 0
