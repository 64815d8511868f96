"""Files, queries, tables, relations and objects in memory as relations of DuckDB."""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from os import PathLike
from typing import Any, TypeVar

import duckdb

from ..engines.duckdb_connection import interruptible, lock_of, private_statements, statements_on
from ..engines.duckdb_rows import Statements, rows_of, table_of_relation
from ..errors import BadData, BadParameter, QueryFailed, SqlMetricsError, error_summary
from ..sql_text import BEGINS_QUERY, text_literal
from .discover import describe, find_files
from .paths import path_text
from .source import Source, checked_select, readable_columns, relation_name
from .trec import trec_query

T = TypeVar("T")
_TABLE_NAME = re.compile(r'(?:"(?:[^"]|"")+"|\w+)(?:\.(?:"(?:[^"]|"")+"|\w+)){0,2}\Z')


class DuckDBSourceResolver:
    """Resolves data to relations on a connection: the caller's (`con`), or a private one."""

    def __init__(
        self, con: duckdb.DuckDBPyConnection | None, connection: duckdb.DuckDBPyConnection, registered: list[str]
    ) -> None:
        self.con = con
        self.connection = connection
        self.registered = registered
        self.statements = private_statements(connection) if con is None else statements_on(con)

    def resolve(self, role: str, data: Any, further: dict[str, Source]) -> Source:
        """Return the source of `data`; register an object in memory and note its name."""
        if isinstance(data, str):
            path_text(data)
        if isinstance(data, duckdb.DuckDBPyRelation):
            # All relations of a call must share a connection, and a relation does not expose its own.
            try:
                data = data.to_arrow_table() if hasattr(data, "to_arrow_table") else data.arrow()
            except duckdb.Error as error:
                raise _unreadable_relation(role, error) from error
        if isinstance(data, str) and self.con is not None:
            table = _table(self.con, role, data)
            if table is not None:
                columns, rows = table
                is_drawn = rows is None and _is_volatile(data, lambda sql: self._rows(role, data, sql))
                return self._source(data, data, None, [], columns, further, rows=rows, is_drawn=is_drawn)
        if isinstance(data, str) and BEGINS_QUERY.match(data):
            return self._query(role, checked_select(role, data), "a query", further)
        if isinstance(data, str | PathLike):
            path = path_text(data)
            query = trec_query(path)
            return self._query(role, query, path, further) if query else self._files(role, [path], path, further)
        if isinstance(data, Sequence) and all(isinstance(path, str | PathLike) for path in data):
            return self._files(role, data, f"{len(data)} files", further)
        from . import memory  # noqa: PLC0415 - pandas, which files do not need

        relation = f"{relation_name(role)}_{uuid.uuid4().hex}"
        self.registered.append(relation)  # before registering: Ctrl-C may come right after it
        # On this thread the engine would report Ctrl-C as an unreadable object.
        shown = interruptible(self.connection, lambda: memory.register(role, self.connection, relation, data))
        text = f"a {type(data).__name__}"
        # pandas, polars and Arrow objects have a shape
        rows = data.shape[0] if hasattr(data, "shape") else None
        return self._source(
            relation, text, None, shown.names, shown.columns, further, shown.unreadable, in_memory=True, rows=rows
        )

    def _query(self, role: str, query: str, text: str, further: dict[str, Source]) -> Source:
        columns = dict(self._described(role, text, f"select * from ({query}\n)", query))
        # The engine renames columns of a subquery that differ in case only: describe the query itself, too.
        inside = [name for name, _ in self._described(role, text, query, query)]
        is_drawn = _is_volatile(query, None if self.con is None else lambda sql: self._rows(role, text, sql))
        return self._source(relation_name(role), text, query, inside, columns, further, is_drawn=is_drawn)

    def _files(self, role: str, paths: Sequence[str | PathLike[str]], text: str, further: dict[str, Source]) -> Source:
        def run(sql: str) -> list[tuple[Any, ...]]:
            return self._rows(role, text, sql)

        files = describe(find_files(role, paths, run, " or a table of con" if self.con is not None else ""))
        return self._source(files.scan(), text, None, files.original_names(), files.columns, further, files=files)

    def _source(
        self,
        relation: str,
        text: str,
        query: str | None,
        original_names: Sequence[str],
        columns: dict[str, str],
        further: dict[str, Source],
        unreadable: Mapping[str, str] | None = None,
        **properties: Any,
    ) -> Source:
        """Return a source with the columns that have the same names in the engine as in the data."""
        readable, collisions = readable_columns(original_names, columns)
        return Source(
            relation,
            text,
            query,
            readable,
            self.statements.table,
            self.statements.frame,
            self.connection,
            further,
            unreadable={**collisions, **(unreadable or {})},
            own=self.con is None,
            columns_of=self.statements.columns_of,
            **properties,
        )

    def _rows(self, role: str, text: str, sql: str, query: str | None = None) -> list[tuple[Any, ...]]:
        try:
            return interruptible(self.connection, lambda: self._tuples(sql))
        except duckdb.Error as error:
            if query and text == "a query":
                raise QueryFailed(f"{role}: {error_summary(error)}", query) from error
            raise BadData(f"{role}: cannot read {text}: {error_summary(error)}") from error

    def _tuples(self, sql: str) -> list[tuple[Any, ...]]:
        if self.con is None:
            return self.connection.execute(sql).fetchall()
        with lock_of(self.connection):
            return self.connection.sql(sql).fetchall()

    def _described(self, role: str, text: str, sql: str, query: str) -> list[tuple[str, str]]:
        return [(str(row[0]), str(row[1])) for row in self._rows(role, text, f"describe {sql}", query)]


#: Two relations may share a connection, so all threads run one statement over a relation at a time.
_relations_lock = threading.RLock()


@contextmanager
def relation_source(relation: duckdb.DuckDBPyRelation) -> Iterator[Source]:
    """Open a DuckDB relation: it does not expose its connection, but runs statements over itself by a name."""
    name = f"{relation_name('data')}_{uuid.uuid4().hex}"

    def execute(sql: str) -> duckdb.DuckDBPyRelation:
        return relation.query(name, sql)  # type: ignore[return-value]

    def rows(sql: str) -> list[tuple[Any, ...]]:
        with _relations_lock:
            return execute(sql).fetchall()

    def fetch(sql: str, read: Callable[[duckdb.DuckDBPyRelation], T]) -> T:
        with _relations_lock:
            return read(execute(sql))

    statements = Statements(lambda sql: fetch(sql, table_of_relation), lambda sql: fetch(sql, rows_of))
    try:
        # The engine renames columns of the relation that occur twice or differ in case only.
        described = rows(f"describe select * from {name}")
        columns = {str(row[0]): str(row[1]) for row in described}
        with _relations_lock:
            query, original_names = relation.sql_query(), [str(column) for column in relation.columns]
        readable, unreadable = readable_columns(original_names, columns)
        is_drawn = _is_volatile(query, rows)
    except duckdb.Error as error:
        raise _unreadable_relation("data", error) from error
    try:
        yield Source(
            name,
            "a DuckDB relation",
            None,
            readable,
            statements.table,
            statements.frame,
            None,
            {},
            columns_of=statements.columns_of,
            unreadable=unreadable,
            is_drawn=is_drawn,
        )
    finally:
        # DuckDB 1 keeps the name as a temporary view of the caller's connection, which may be closed by now.
        with suppress(duckdb.ConnectionException), _relations_lock:
            execute(f"drop view if exists {name}")


def _unreadable_relation(role: str, error: duckdb.Error) -> SqlMetricsError:
    if "unfinished result" in str(error):
        return BadParameter(f"{role}: the relation has a pending result on its connection; fetch all of it first")
    return BadData(f"{role}: the relation cannot be read: {error_summary(error)}")


#: Functions that return another value each time, and the clauses that sample rows.
VOLATILE_FUNCTIONS = re.compile(
    r"\b(rand|randn|random|randCanonical|rand32|rand64|uuid|gen_random_uuid|generateUUIDv4|uuidv4|uuidv7|nextval)\s*\(",
    re.IGNORECASE,
)
_SAMPLING = re.compile(r"\b(using\s+sample|tablesample)\b", re.IGNORECASE)


def _is_volatile(text: str, run: Callable[[str], list[tuple[Any, ...]]] | None) -> bool:
    """Whether a query draws at random, directly or through views."""
    # A private connection has no views.
    views = run("select lower(view_name), sql from duckdb_views() where not internal") if run is not None else []
    seen: set[str] = set()
    waiting = [text]
    while waiting:
        looked_at = waiting.pop()
        if VOLATILE_FUNCTIONS.search(looked_at) or _SAMPLING.search(looked_at):
            return True
        identifiers = {*re.findall(r"\w+", looked_at.lower()), *re.findall(r'"([^"]+)"', looked_at.lower())} - seen
        waiting += [definition for name, definition in views if name in identifiers]
        seen |= identifiers
    return False


def _table(con: duckdb.DuckDBPyConnection, role: str, name: str) -> tuple[dict[str, str], int | None] | None:
    """Return the columns and the approximate row count of a table or view; None if there is none of this name."""
    if not _TABLE_NAME.match(name):
        return None
    # Look up the name first: a failing statement would abort the caller's transaction. The engine also reads a name
    # such as data.parquet as a file, and an unknown name as a Python variable.
    plain = [part.replace('""', '"').strip('"') for part in re.findall(r'"(?:[^"]|"")+"|\w+', name)]
    wanted = f"lower({text_literal(plain[-1])})"
    with lock_of(con):
        sizes = con.sql(f"select estimated_size from duckdb_tables() where lower(table_name) = {wanted}").fetchall()
        views = f"select 1 from duckdb_views() where lower(view_name) = {wanted} limit 1"
        if not sizes and not con.sql(views).fetchall():
            return None
        try:
            if sizes:
                # A relation has its columns without running.
                relation = con.sql(f"select * from {name}")
                types = dict(zip(relation.columns, map(str, relation.types), strict=True))
            else:
                types = {str(row[0]): str(row[1]) for row in con.sql(f"describe select * from {name}").fetchall()}
        except (duckdb.CatalogException, duckdb.ParserException, duckdb.BinderException):
            return None
        except duckdb.Error as error:
            raise BadData(f"{role}: cannot read {name}: {error_summary(error)}") from error
    # 0 may mean a table of another database, which reports no size.
    return types, max((size for (size,) in sizes if size), default=None)
