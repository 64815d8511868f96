"""PostgreSQL through psycopg."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import BadParameter, raised_at_caller
from ..tables import frame_of_rows
from .base import client_module

if TYPE_CHECKING:
    import pandas as pd


class PostgreSQL:
    """A psycopg connection: `PostgreSQL(psycopg.connect("postgresql://…"))`.

    A statement runs in its own transaction, or behind a savepoint in the caller's, so it never changes an open
    transaction. Needs `pip install 'sqlmetrics[postgres]'`; for other drivers see
    `DBAPI(connection, "postgres")`.
    """

    dialect = "postgres"

    @raised_at_caller
    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self._psycopg = client_module("psycopg", "postgres")
        if not isinstance(connection, self._psycopg.Connection):
            raise BadParameter(
                f"PostgreSQL takes a connection of psycopg, not {type(connection).__name__}; "
                "for another driver write DBAPI(connection, 'postgres')"
            )
        self.errors: tuple[type[Exception], ...] = (self._psycopg.Error,)

    def query(self, sql: str) -> pd.DataFrame:
        """Return the rows of one statement."""
        with self._executed(sql) as cursor:
            types = [column.type_display for column in cursor.description]
            try:
                rows = cursor.fetchall()
            except self._psycopg.DataError as error:  # infinite dates, and years that Python does not support
                raise self._psycopg.DataError(f"{error}: cast the column to text, as in cast(… as text)") from error
            return frame_of_rows([column.name for column in cursor.description], rows, types)

    def columns(self, sql: str) -> dict[str, str]:
        """Return the columns of a query with their types."""
        with self._executed(sql) as cursor:
            # psycopg displays the types of enums as numbers of this database.
            numbers = sorted({column.type_code for column in cursor.description if column.type_display.isdecimal()})
            columns = {column.name: column.type_display for column in cursor.description}
            if numbers:
                cursor.execute("select oid::text, format_type(oid, null) from pg_type where oid = any(%s)", [numbers])
                names = dict(cursor.fetchall())
                columns = {name: names.get(dtype, dtype) for name, dtype in columns.items()}
            return columns

    @contextlib.contextmanager
    def _executed(self, sql: str) -> Iterator[Any]:
        """Execute a statement in its own transaction, with exact numbers and UTF-8 text, and open its cursor."""
        with self.connection.transaction(force_rollback=True):
            self.connection.execute(_EXACT_SETTINGS).close()
            if len(sql) > _JIT_LENGTH:
                self.connection.execute(_WITHOUT_JIT).close()
            # Comments must be ASCII if the encoding of the database is not UTF-8.
            if self.connection.info.parameter_status("server_encoding") not in ("UTF8", "SQL_ASCII"):
                sql = _COMMENT.sub(lambda match: match[0].encode("ascii", "replace").decode(), sql)
            # The connection may return rows as dicts.
            with self.connection.cursor(row_factory=self._psycopg.rows.tuple_row) as cursor:
                cursor.execute(sql)
                yield cursor


#: Settings that a session may have changed, and that would round numbers or change the encoding.
_EXACT_SETTINGS = "select set_config('extra_float_digits', '3', true), set_config('client_encoding', 'UTF8', true)"
#: Longer statements have thousands of expressions, which PostgreSQL compiles for longer than it runs them.
_JIT_LENGTH = 25_000
_WITHOUT_JIT = "select set_config(name, 'off', true) from pg_settings where name = 'jit'"
_COMMENT = re.compile(r"^ *--.*$", re.MULTILINE)
