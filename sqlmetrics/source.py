"""What `data` may be, and how it becomes a relation that a statement can read."""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import duckdb
import pandas as pd

from . import memory
from .column_types import as_pandas
from .engines.base import Engine
from .engines.connect import checked_engine
from .engines.duckdb import DuckDB
from .engines.duckdb_connection import (
    checked_connection,
    interruptible,
    lock_of,
    private_connection,
    private_statements,
    statements_on,
)
from .engines.duckdb_rows import rows_of
from .errors import BadData, BadParameter, MissingColumn, QueryFailed, SqlMetricsError
from .files import Files, SampleMisled, describe, find_files, path_text
from .sql_text import BEGINS_QUERY, is_single_select, text_literal
from .trec import TrecFile, trec_path, trec_query

_TABLE_NAME = re.compile(r'(?:"(?:[^"]|"")+"|\w+)(?:\.(?:"(?:[^"]|"")+"|\w+)){0,2}\Z')
#: The same with the quotes of other engines, and with names that hold a dash (a project of BigQuery's).
_ENGINE_TABLE_NAME = re.compile(
    r'(?:"(?:[^"]|"")+"|`(?:[^`]|``)+`|\w[\w-]*)(?:\.(?:"(?:[^"]|"")+"|`(?:[^`]|``)+`|[\w$]+)){0,3}\Z'
)
#: The name under which a query given as data, or an object in memory, is read.
_INPUT = "sqlmetrics_input"


@dataclass(frozen=True)
class Source:
    """A relation as SQL, its columns with their types, and what runs a statement over it.

    `errors` are the classes by which `fetch` reports that the engine refused. A type that it does not report is "".
    `renamed` holds the columns to which the engine gives another name, because of one that differs in case only, and
    `unreadable` those that it cannot read, with the reason. `in_memory` is an object of Python's. `rows` is about how
    many rows there are, where that is known without counting. `own` says whether the connection is ours alone.
    `is_drawn` is a relation, view or query that draws at random: each time it is read it has other rows.
    """

    relation: str
    text: str
    query: str | None
    columns: dict[str, str]
    fetch: Callable[[str], pd.DataFrame]
    connection: duckdb.DuckDBPyConnection | None
    further: dict[str, Source]
    dialect: str = "duckdb"
    errors: tuple[type[Exception], ...] = (duckdb.Error,)
    renamed: dict[str, str] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)
    files: Files | None = None
    in_memory: bool = False
    rows: int | None = None
    own: bool = False
    is_drawn: bool = False
    columns_of: Callable[[str], dict[str, str]] | None = None

    def find(self, name: str, role: str) -> str:
        """The column that is meant by a name, as the engine calls it: the very name, or else the one in other letters.

        Raises:
            MissingColumn: There is none.
            BadParameter: There are several.
            BadData: It cannot be read.
        """
        known = [*self.columns, *(one for one in self.unreadable if one not in self.columns)]
        found = [name] if name in known else [one for one in known if one.lower() == name.lower()]
        if not found:
            uneven = self.files.uneven_line(name) if self.files is not None else None
            if uneven:
                raise BadData(f"{role}: column {name!r} cannot be read: {uneven}")
            missing = MissingColumn(name, role, known)
            if self.files is not None and self.files.may_hold_more:
                raise SampleMisled(missing.marked, "") from missing
            raise missing
        if len(found) > 1:
            raise BadParameter(
                f"{role}: column {name!r} may be {' or '.join(map(repr, found))}; write it as it stands there"
            )
        if found[0] in self.unreadable:
            raise BadData(f"{role}: column {found[0]!r} {self.unreadable[found[0]]}")
        column = self.renamed.get(found[0], found[0])
        if self.files is not None:
            self.files.check(column, role, found[0])
        return column

    def type_of(self, column: str) -> str:
        """The type of a column that was found, by the engine's name of it."""
        by_engine = {self.renamed.get(name, name): kind for name, kind in self.columns.items()}
        return by_engine.get(column, "")

    def types_of(self, select: str) -> dict[str, str]:
        """The columns of a query with their types; none where the engine does not tell them, or refuses the query."""
        try:
            # An expression that closes its bracket and goes on with another statement must not be run.
            if not is_single_select(select, self.dialect):
                return {}
            if self.columns_of is not None:
                return {str(name): str(kind) for name, kind in self.columns_of(select).items()}
            if self.dialect == "duckdb" and self.errors == (duckdb.Error,):
                found = self.fetch(f"describe {select}")
                return dict(zip(found["column_name"], found["column_type"], strict=True))
        except self.errors:
            return {}
        except (QueryFailed, duckdb.Error):
            return {}
        return {}

    @property
    def is_text(self) -> bool:
        """Whether every reading parses text."""
        return self.files is not None and self.files.is_text

    @property
    def is_sampled(self) -> bool:
        """Whether the types of its columns are those of a sample of the text."""
        return self.files is not None and self.files.is_text and self.files.sampled


#: What runs a statement over a source: `running.fetch`, or what the shell puts in its place.
Executor = Callable[[Source, str], pd.DataFrame]


@contextmanager
def open_source(
    data: Any,
    con: duckdb.DuckDBPyConnection | None,
    further: Mapping[str, Any] | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    engine: Engine | None = None,
    sampled: bool = True,
) -> Iterator[Source]:
    """Make `data` (and further relations, by name) readable for as long as the block lasts, on DuckDB or an engine.

    Without a connection a private one in memory is opened, and closed after. A connection of the caller's is used as it
    is; what had to be made known to it (an object in memory) is taken back. What does not fit into the memory of the
    private one is written to a folder of its own, which goes with it.

    The types of CSV and JSON are those of a sample. Where a value does not fit, a statement raises `SampleMisled`: open
    the source again with `sampled=False`, for the types of everything.
    """
    own_connection = con is not None or engine is not None or isinstance(data, duckdb.DuckDBPyRelation)
    if own_connection and (threads is not None or memory_limit is not None):
        raise BadParameter("threads and ⟨memory_limit⟩ are settings of your own connection here; set them there")
    further = {name: value for name, value in (further or {}).items() if value is not None}
    if engine is not None:
        if con is not None:
            raise BadParameter("give ⟨con⟩ or ⟨engine⟩, not both")
        engine = checked_engine(engine)
        if not isinstance(engine, DuckDB):
            with _engine_source(data, engine, further) as source:
                yield source
            return
        con = engine.connection
    con = None if con is None else checked_connection(con)
    if isinstance(data, duckdb.DuckDBPyRelation) and not further:
        with _duckdb_relation(data) as source:
            yield source
        return
    registered: list[str] = []
    fetches = any(map(_fetches, (data, *further.values())))
    with (
        nullcontext(con) if con is not None else private_connection(threads, memory_limit, fetches=fetches)
    ) as connection:
        way = _Way(con, connection, registered, sampled)
        try:
            others = {name: way.resolve(name, value, {}) for name, value in further.items()}
            yield way.resolve("data", data, others)
        finally:
            for name in registered:
                memory.unregister(connection, name)


def _fetches(data: Any) -> bool:
    """Whether files, or a query over files, lie elsewhere: under an address, as in s3://bucket/log.parquet."""
    if isinstance(data, str):
        return "://" in data
    return isinstance(data, list | tuple) and any(isinstance(one, str) and "://" in one for one in data)


@contextmanager
def _engine_source(data: Any, engine: Engine, further: Mapping[str, Any]) -> Iterator[Source]:
    """A table or a query of the engine; an object in memory where the engine takes one, for the length of the block."""
    # What an adapter of someone else's raises can only come from its engine: nothing of it is called but its methods.
    errors: tuple[type[Exception], ...] = getattr(engine, "errors", (Exception,))

    def fetch(sql: str) -> pd.DataFrame:
        rows = engine.query(sql)
        frame = rows if isinstance(rows, pd.DataFrame) else rows.to_pandas(integer_object_nulls=True)
        # Which of the columns are ids is not known here: none of them loses anything.
        return as_pandas(frame, list(frame.columns))

    def resolve(role: str, value: Any, others: dict[str, Source]) -> Source:
        name = _INPUT if role == "data" else f"sqlmetrics_{role}"
        query: str | None = None
        if isinstance(value, str) and BEGINS_QUERY.match(value):
            query = _single_select(role, value, engine.dialect)
            relation, text = name, "a query"
        elif isinstance(value, str):
            if not _ENGINE_TABLE_NAME.match(value):
                raise BadData(f"{role}: {value!r} is no table name; with ⟨engine⟩ it must be a table or a query there")
            relation = text = value
        elif hasattr(engine, "register") and hasattr(engine, "unregister"):
            relation, text = f"{name}_{uuid.uuid4().hex}", f"a {type(value).__name__}"
            try:
                engine.register(relation, value)
            except errors as error:
                raise BadData(f"{role}: cannot read {text}: {first_line(error)}") from error
            registered.append(relation)
        else:
            raise BadParameter(
                f"{role}: {type(engine).__name__} takes a table name or a query, not {type(value).__name__}; "
                "write the object into a table there"
            )
        columns = _engine_columns(role, engine, errors, relation, query, text)
        return Source(
            relation,
            text,
            query,
            columns,
            fetch,
            None,
            others,
            engine.dialect,
            errors,
            unreadable=_one_name(engine, list(columns)),
            columns_of=getattr(engine, "columns", None),
        )

    registered: list[str] = []
    try:
        others = {name: resolve(name, value, {}) for name, value in further.items()}
        yield resolve("data", data, others)
    finally:
        for name in registered:
            with suppress(*errors):  # the connection may be lost, and what it held with it
                engine.unregister(name)  # type: ignore[attr-defined]


def _engine_columns(
    role: str, engine: Engine, errors: tuple[type[Exception], ...], relation: str, query: str | None, text: str
) -> dict[str, str]:
    named = f"({query}\n) as {relation}" if query else relation
    sql = f"select * from {named} where 1 = 0"
    try:
        if hasattr(engine, "columns"):
            return {str(name): str(kind) for name, kind in engine.columns(sql).items()}
        return {str(name): "" for name in as_pandas(engine.query(sql)).columns}
    except SqlMetricsError:
        raise
    except errors as error:
        if query:
            raise QueryFailed(f"{role}: {first_line(error)}", query) from error
        raise BadData(f"{role}: cannot read {text}: {first_line(error)}") from error


def _one_name(engine: Engine, columns: Sequence[str]) -> dict[str, str]:
    """The columns that an engine cannot tell apart, as names that differ in case only are one to it."""
    alike: dict[str, list[str]] = {}
    for name in columns:
        alike.setdefault(name.lower(), []).append(name)
    several = [names for names in alike.values() if len(names) > 1]
    tells_case: Callable[[], bool] | None = getattr(engine, "tells_case", None)
    if not several or tells_case is None or tells_case():
        return {}
    unreadable = {}
    for names in several:
        for name in names:
            other = next(one for one in names if one != name)
            unreadable[name] = f"cannot be told from {other!r}, which is one name to {engine.dialect}"
    return unreadable


class _Way:
    """How what a caller names becomes a relation on a connection: theirs (`con`), or a private one."""

    def __init__(
        self,
        con: duckdb.DuckDBPyConnection | None,
        connection: duckdb.DuckDBPyConnection,
        registered: list[str],
        sampled: bool,
    ) -> None:
        self.con = con
        self.connection = connection
        self.registered = registered
        self.sampled = sampled
        self.fetch = private_statements(connection) if con is None else statements_on(con)

    def resolve(self, role: str, data: Any, further: dict[str, Source]) -> Source:
        """What `data` stands for; an object in memory is registered, and its name noted."""
        if isinstance(data, str):
            path_text(data)
        if isinstance(data, duckdb.DuckDBPyRelation):
            # Beside other relations it has to be on their connection, and it does not show its own.
            try:
                data = data.to_arrow_table() if hasattr(data, "to_arrow_table") else data.arrow()
            except duckdb.Error as error:
                raise _unreadable_relation(role, error) from error
        if isinstance(data, str) and self.con is not None:
            found = _table(self.con, role, data)
            if found is not None:
                columns, rows = found
                is_drawn = rows is None and _is_drawn(data, lambda sql: self._rows(role, data, sql))
                return self._source(data, data, None, [], columns, further, rows=rows, is_drawn=is_drawn)
        if isinstance(data, str) and BEGINS_QUERY.match(data):
            return self._query(role, _single_select(role, data), "a query", further)
        if isinstance(data, TrecFile | str | PathLike):
            forced = isinstance(data, TrecFile)
            path = trec_path(data.path) if isinstance(data, TrecFile) else path_text(data)
            query = trec_query(path, forced)
            return self._query(role, query, path, further) if query else self._files(role, [path], path, further)
        if isinstance(data, Sequence) and all(isinstance(one, str | PathLike) for one in data):
            return self._files(role, data, f"{len(data)} files", further)
        relation = f"{_name(role)}_{uuid.uuid4().hex}"
        self.registered.append(relation)  # first: Ctrl-C may come when it is done
        # On this thread Ctrl-C inside of the engine would come back as an object that cannot be read.
        shown = interruptible(self.connection, lambda: memory.register(role, self.connection, relation, data))
        text = f"a {type(data).__name__}"
        # pandas, polars and Arrow all tell their shape
        rows = data.shape[0] if hasattr(data, "shape") else None
        return self._source(
            relation, text, None, shown.names, shown.columns, further, shown.unreadable, in_memory=True, rows=rows
        )

    def _query(self, role: str, query: str, text: str, further: dict[str, Source]) -> Source:
        columns = dict(self._described(role, text, f"select * from ({query}\n)", query))
        # Around a query the engine gives new names to columns that differ in case only: the old ones are inside.
        inside = [name for name, _ in self._described(role, text, query, query)]
        is_drawn = _is_drawn(query, None if self.con is None else lambda sql: self._rows(role, text, sql))
        return self._source(_name(role), text, query, inside, columns, further, is_drawn=is_drawn)

    def _files(self, role: str, paths: Sequence[str | PathLike[str]], text: str, further: dict[str, Source]) -> Source:
        def run(sql: str) -> list[tuple[Any, ...]]:
            return self._rows(role, text, sql)

        files = describe(
            find_files(role, paths, run, " or a table of con" if self.con is not None else ""), self.sampled
        )
        return self._source(files.scan(), text, None, files.own_names(), files.columns, further, files=files)

    def _source(
        self,
        relation: str,
        text: str,
        query: str | None,
        own_names: Sequence[str],
        columns: dict[str, str],
        further: dict[str, Source],
        unreadable: Mapping[str, str] | None = None,
        files: Files | None = None,
        in_memory: bool = False,
        rows: int | None = None,
        is_drawn: bool = False,
    ) -> Source:
        """A source whose columns have the names that they have where they come from, as far as these are known."""
        named = _named(own_names, columns)
        text_files = any(one is not None for one in (files, *(other.files for other in further.values())))
        return Source(
            relation,
            text,
            query,
            named.columns,
            _noticing(self.fetch) if text_files and self.sampled else self.fetch,
            self.connection,
            further,
            renamed=named.renamed,
            unreadable={**named.unreadable, **(unreadable or {})},
            files=files,
            in_memory=in_memory,
            rows=rows,
            own=self.con is None,
            is_drawn=is_drawn,
        )

    def _rows(self, role: str, text: str, sql: str) -> list[tuple[Any, ...]]:
        try:
            return interruptible(self.connection, lambda: self._tuples(sql))
        except duckdb.Error as error:
            raise BadData(f"{role}: cannot read {text}: {reason_of(error)}") from error

    def _tuples(self, sql: str) -> list[tuple[Any, ...]]:
        if self.con is None:
            return self.connection.execute(sql).fetchall()
        with lock_of(self.connection):
            return self.connection.sql(sql).fetchall()

    def _described(self, role: str, text: str, sql: str, query: str | None = None) -> list[tuple[str, str]]:
        """The columns of a query with their types; of a query by itself a name may be there twice."""
        try:
            rows = interruptible(self.connection, lambda: self._tuples(f"describe {sql}"))
        except duckdb.Error as error:
            if query and text == "a query":
                raise QueryFailed(f"{role}: {reason_of(error)}", query) from error
            raise BadData(f"{role}: cannot read {text}: {reason_of(error)}") from error
        return [(str(row[0]), str(row[1])) for row in rows]


def _name(role: str) -> str:
    return _INPUT if role == "data" else f"sqlmetrics_{role}"


def _noticing(fetch: Callable[[str], pd.DataFrame]) -> Callable[[str], pd.DataFrame]:
    """Tell a value that the sample of a file had not led to expect from everything else that may fail."""

    def noticing(sql: str) -> pd.DataFrame:
        try:
            return fetch(sql)
        except (duckdb.ConversionException, duckdb.InvalidInputException) as error:
            raise SampleMisled(f"the query failed: {reason_of(error)}", sql) from error

    return noticing


#: One statement over a relation at a time, in all threads: two relations may be of one connection.
_relations_lock = threading.RLock()


@contextmanager
def _duckdb_relation(relation: duckdb.DuckDBPyRelation) -> Iterator[Source]:
    """A relation belongs to a connection that it does not show, but it runs statements over itself by a name."""
    name = f"{_INPUT}_{uuid.uuid4().hex}"

    def asked(sql: str) -> duckdb.DuckDBPyRelation:
        return relation.query(name, sql)  # type: ignore[return-value]

    def rows(sql: str) -> list[tuple[Any, ...]]:
        with _relations_lock:
            return asked(sql).fetchall()

    def fetch(sql: str) -> pd.DataFrame:
        with _relations_lock:
            return rows_of(asked(sql))

    try:
        # Over the relation the engine gives new names to columns that are there twice, or differ in case only.
        described = rows(f"describe select * from {name}")
        columns = {str(row[0]): str(row[1]) for row in described}
        with _relations_lock:
            query, own_names = relation.sql_query(), [str(one) for one in relation.columns]
        named = _named(own_names, columns)
        is_drawn = _is_drawn(query, rows)
    except duckdb.Error as error:
        raise _unreadable_relation("data", error) from error
    try:
        yield Source(
            name,
            "a DuckDB relation",
            None,
            named.columns,
            fetch,
            None,
            {},
            renamed=named.renamed,
            unreadable=named.unreadable,
            is_drawn=is_drawn,
        )
    finally:
        # DuckDB 1 keeps the name as a temporary view of the caller's connection, which may be closed by now.
        with suppress(duckdb.ConnectionException), _relations_lock:
            asked(f"drop view if exists {name}")


def _unreadable_relation(role: str, error: duckdb.Error) -> SqlMetricsError:
    if "unfinished result" in str(error):
        return BadParameter(
            f"{role}: the relation's connection holds a result that is not read to its end; read it first"
        )
    return BadData(f"{role}: the relation cannot be read: {reason_of(error)}")


@dataclass(frozen=True)
class _Named:
    """Columns by the names that they have where they come from: their types, and which the engine calls otherwise."""

    columns: dict[str, str]
    renamed: dict[str, str]
    unreadable: dict[str, str]


def _named(own_names: Sequence[str], columns: Mapping[str, str]) -> _Named:
    engine = list(columns)
    own = [*own_names, *engine[len(own_names) :]] if len(own_names) <= len(engine) else engine
    doubled = {one: "is the name of several columns" for one in own if own.count(one) > 1}
    kept = [(name, other) for name, other in zip(own, engine, strict=True) if name not in doubled]
    return _Named(
        {name: columns[other] for name, other in kept},
        {name: other for name, other in kept if name != other},
        doubled,
    )


#: Functions that give another value each time, and the words by which a part of the rows is drawn.
DRAWN = re.compile(
    r"\b(rand|randn|random|randCanonical|rand32|rand64|uuid|gen_random_uuid|generateUUIDv4|uuidv4|uuidv7|nextval)\s*\(",
    re.IGNORECASE,
)
_DRAWN_ROWS = re.compile(r"\b(using\s+sample|tablesample)\b", re.IGNORECASE)


def _is_drawn(text: str, run: Callable[[str], list[tuple[Any, ...]]] | None) -> bool:
    """Whether a query draws at random, or a view that it names, or one that this names."""
    # A connection of our own has no views.
    views = run("select lower(view_name), sql from duckdb_views() where not internal") if run is not None else []
    seen: set[str] = set()
    waiting = [text]
    while waiting:
        looked_at = waiting.pop()
        if DRAWN.search(looked_at) or _DRAWN_ROWS.search(looked_at):
            return True
        words = {*re.findall(r"\w+", looked_at.lower()), *re.findall(r'"([^"]+)"', looked_at.lower())} - seen
        waiting += [definition for name, definition in views if name in words]
        seen |= words
    return False


def _table(con: duckdb.DuckDBPyConnection, role: str, name: str) -> tuple[dict[str, str], int | None] | None:
    """The columns of a table or view of the connection, written as SQL writes it, and about how many rows it has."""
    if not _TABLE_NAME.match(name):
        return None
    # Looked up by name first: a statement that fails would take the caller's transaction with it. And the engine reads
    # a name like data.parquet as a file, and an unknown one as a Python variable.
    plain = [part.replace('""', '"').strip('"') for part in re.findall(r'"(?:[^"]|"")+"|\w+', name)]
    wanted = f"lower({text_literal(plain[-1])})"
    with lock_of(con):
        sizes = con.sql(f"select estimated_size from duckdb_tables() where lower(table_name) = {wanted}").fetchall()
        views = f"select 1 from duckdb_views() where lower(view_name) = {wanted} limit 1"
        if not sizes and not con.sql(views).fetchall():
            return None
        try:
            if sizes:
                # A relation tells its columns without being run.
                relation = con.sql(f"select * from {name}")
                kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
            else:
                kinds = {str(row[0]): str(row[1]) for row in con.sql(f"describe select * from {name}").fetchall()}
        except (duckdb.CatalogException, duckdb.ParserException, duckdb.BinderException):
            return None
        except duckdb.Error as error:
            raise BadData(f"{role}: cannot read {name}: {reason_of(error)}") from error
    # 0 may be a table of another database, which does not say.
    return kinds, max((size for (size,) in sizes if size), default=None)


def _single_select(role: str, query: str, dialect: str = "duckdb") -> str:
    try:
        single = is_single_select(query, dialect)
    except duckdb.Error as error:
        raise QueryFailed(f"{role}: {first_line(error)}", query) from error
    if not single:
        raise BadParameter(f"{role}: a query must be one single select")
    return query.strip().rstrip(";")


def reason_of(error: BaseException) -> str:
    """What the engine says, with the lines below that tell what went wrong, and without those that give advice."""
    lines = [line.strip() for line in str(error).strip().splitlines()]
    reported = ("Main file schema", "Current file", "Column with name", "Error when converting", "Invalid unicode")
    return ". ".join([first_line(error), *(line for line in lines[1:] if line.startswith(reported))])


def first_line(error: BaseException) -> str:
    """The first line of an engine's message: the rest draws its place in the SQL."""
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
