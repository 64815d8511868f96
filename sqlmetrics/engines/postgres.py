"""PostgreSQL through psycopg."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from ..column_types import is_number, series_of
from ..errors import BadParameter, raised_at_caller
from .clients import client_module


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
        self._psycopg = client_module("psycopg", "postgres")
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
            try:
                rows = cursor.fetchall()
            except self._psycopg.DataError as error:  # infinite dates, and years that Python does not have
                raise self._psycopg.DataError(f"{error}: cast the column to text, as in cast(… as text)") from error
            columns = list(zip(*rows, strict=True)) or [()] * len(kinds)
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
                yield cursor

    def _with_its_letters(self, sql: str) -> str:
        """The statement, whose comments hold no sign that the letters of the database lack."""
        if self.connection.info.parameter_status("server_encoding") in ("UTF8", "SQL_ASCII"):
            return sql
        return _COMMENT.sub(lambda found: found[0].encode("ascii", "replace").decode(), sql)


#: What a session may have set otherwise: it would round the numbers that come back, and those that are read as texts.
_AS_IT_IS = "select set_config('extra_float_digits', '3', true), set_config('client_encoding', 'UTF8', true)"
#: Statements of so many letters name thousands of expressions, which take PostgreSQL longer to compile than to run.
_LONG = 25_000
_NOT_COMPILED = "select set_config(name, 'off', true) from pg_settings where name = 'jit'"
_COMMENT = re.compile(r"^ *--.*$", re.MULTILINE)
