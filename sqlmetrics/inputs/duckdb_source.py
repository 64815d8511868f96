"""Files, queries, tables, relations and objects in memory as relations of DuckDB."""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from os import PathLike
from typing import Any

import duckdb

from ..engines.duckdb_connection import interruptible, statements_on, unregister
from ..engines.duckdb_rows import Statements
from ..errors import BadData, BadParameter, QueryFailed, SqlMetricsError, error_summary
from ..sql_text import BEGINS_QUERY, text_literal
from .discover import describe, find_files
from .paths import path_text
from .schemas import Rows, Run, collisions
from .source import Source, checked_select, relation_name
from .trec import trec_query

_TABLE_NAME = re.compile(r'(?:"(?:[^"]|"")+"|\w+)(?:\.(?:"(?:[^"]|"")+"|\w+)){0,2}\Z')


class DuckDBSourceResolver:
    """Resolves data to relations on a connection: the caller's, or a private one."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, *, private: bool) -> None:
        self.connection = connection
        self._private = private
        self._statements = statements_on(connection, private=private)
        self._registered: list[str] = []
        self._source = partial(_source, self._statements, connection=connection, own=private)

    def resolve(self, role: str, data: Any) -> Source:
        """Return the source of `data`; register an object in memory until `close`."""
        if isinstance(data, str):
            path_text(data)
            if not self._private and (table := self._table(role, data)) is not None:
                return table
            if BEGINS_QUERY.match(data):
                return self._query(role, checked_select(role, data), "a query")
        if isinstance(data, str | PathLike):
            path = path_text(data)
            query = trec_query(path)
            return self._query(role, query, path) if query else self._files(role, [path], path)
        if isinstance(data, Sequence) and all(isinstance(path, str | PathLike) for path in data):
            return self._files(role, data, f"{len(data)} files")
        if isinstance(data, duckdb.DuckDBPyRelation):
            # All relations of a call must share a connection, and a relation does not expose its own.
            try:
                data = data.to_arrow_table()
            except duckdb.Error as error:
                raise _unreadable_relation(role, error) from error
        from . import memory  # noqa: PLC0415 - pandas, which files do not need

        relation = f"{relation_name(role)}_{uuid.uuid4().hex}"
        self._registered.append(relation)  # before registering: Ctrl-C may come right after it
        # On this thread the engine would report Ctrl-C as an unreadable object.
        registered = interruptible(self.connection, lambda: memory.register(role, self.connection, relation, data))
        names, columns, unreadable = registered
        text = f"a {type(data).__name__}"
        # pandas, polars and Arrow objects have a shape
        rows = data.shape[0] if hasattr(data, "shape") else None
        return self._source(relation, text, names, columns, unreadable=unreadable, in_memory=True, rows=rows)

    def close(self) -> None:
        """Unregister the objects in memory."""
        for name in self._registered:
            unregister(self.connection, name)

    def _table(self, role: str, name: str) -> Source | None:
        """Return a table or view of the caller; None if there is none of this name."""
        if not _TABLE_NAME.match(name):
            return None
        # Look up the name first: a failing statement would abort the caller's transaction. The engine also reads a name
        # such as data.parquet as a file, and an unknown name as a Python variable.
        plain = [part.replace('""', '"').strip('"') for part in re.findall(r'"(?:[^"]|"")+"|\w+', name)]
        wanted = f"lower({text_literal(plain[-1])})"
        tuples = self._statements.tuples
        sizes = tuples(f"select estimated_size from duckdb_tables() where lower(table_name) = {wanted}")
        if not sizes and not tuples(f"select 1 from duckdb_views() where lower(view_name) = {wanted} limit 1"):
            return None
        try:
            columns = self._statements.columns_of(f"select * from {name}")
        except (duckdb.CatalogException, duckdb.ParserException, duckdb.BinderException):
            return None
        except duckdb.Error as error:
            raise BadData(f"{role}: cannot read {name}: {error_summary(error)}") from error
        # 0 may mean a table of another database, which reports no size.
        rows = max((size for (size,) in sizes if size), default=None)
        is_drawn = rows is None and _is_volatile(name, tuples)
        return self._source(name, name, [], columns, rows=rows, is_drawn=is_drawn)

    def _query(self, role: str, query: str, text: str) -> Source:
        described = self._rows(role, text, f"describe select * from ({query}\n)", query)
        columns = {str(name): str(dtype) for name, dtype, *_ in described}
        # The engine renames columns of a subquery that differ in case only: describe the query itself, too.
        inside = [str(name) for name, *_ in self._rows(role, text, f"describe {query}", query)]
        # A private connection has no views.
        is_drawn = _is_volatile(query, (lambda _: []) if self._private else self._statements.tuples)
        return self._source(relation_name(role), text, inside, columns, query=query, is_drawn=is_drawn)

    def _files(self, role: str, paths: Sequence[str | PathLike[str]], text: str) -> Source:
        where = "" if self._private else " or a table of con"
        files = describe(find_files(role, paths, partial(self._rows, role, text), where))
        return self._source(files.scan(), text, files.original_names(), files.columns, files=files)

    def _rows(self, role: str, text: str, sql: str, query: str | None = None) -> Rows:
        try:
            return self._statements.tuples(sql)
        except duckdb.Error as error:
            if query and text == "a query":
                raise QueryFailed(f"{role}: {error_summary(error)}", query) from error
            raise BadData(f"{role}: cannot read {text}: {error_summary(error)}") from error


def _source(
    statements: Statements,
    relation: str,
    text: str,
    original_names: Sequence[str],
    columns: dict[str, str],
    unreadable: Mapping[str, str] | None = None,
    **properties: Any,
) -> Source:
    """Return a source with the columns that have the same names in the engine as in the data.

    Names that differ in case only are one name to the engine, so it changes some of them. `original_names` are the
    names in the data, in the order of the engine's `columns`.
    """
    renamed = collisions(original_names)
    count = len(original_names)
    if [*original_names] == [*columns][:count] or count > len(columns):
        renamed = {}
    if renamed:
        for name, engine_name in zip(original_names, columns, strict=False):
            if name != engine_name:
                reason = f"is {engine_name!r} to the engine, as others differ in case only: rename one of them"
                renamed.setdefault(name, reason)
        others = dict([*columns.items()][count:])
        columns = {name: columns[name] for name in original_names if name not in renamed} | others
    return Source(
        relation,
        text,
        columns=columns,
        fetch=statements.table,
        fetch_frame=statements.frame,
        unreadable={**renamed, **(unreadable or {})},
        columns_of=statements.columns_of,
        **properties,
    )


#: Two relations may share a connection, so all threads run one statement over a relation at a time.
_relations_lock = threading.RLock()


@contextmanager
def relation_source(relation: duckdb.DuckDBPyRelation) -> Iterator[Source]:
    """Open a DuckDB relation: it does not expose its connection, but runs statements over itself by a name."""
    name = f"{relation_name('data')}_{uuid.uuid4().hex}"

    def run(sql: str, read: Callable[[Any], Any]) -> Any:
        with _relations_lock:
            return read(relation.query(name, sql))

    statements = Statements(run)
    try:
        # The engine renames columns of the relation that occur twice or differ in case only.
        columns = statements.columns_of(f"select * from {name}")
        with _relations_lock:
            query, original_names = relation.sql_query(), [str(column) for column in relation.columns]
        is_drawn = _is_volatile(query, statements.tuples)
        source = _source(statements, name, "a DuckDB relation", original_names, columns, is_drawn=is_drawn)
    except duckdb.Error as error:
        raise _unreadable_relation("data", error) from error
    try:
        yield source
    finally:
        # DuckDB 1 keeps the name as a temporary view of the caller's connection, which may be closed by now.
        with suppress(duckdb.ConnectionException), _relations_lock:
            relation.query(name, f"drop view if exists {name}")


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


def _is_volatile(text: str, run: Run) -> bool:
    """Whether a query draws at random, directly or through views."""
    views = run("select lower(view_name), sql from duckdb_views() where not internal")
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
