"""Any driver of Python's database interface."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from typing import Any

from ..errors import BadParameter, raised_at_caller
from ..tables import frame_of_rows

_UPPER_CASE_WORD = re.compile(r"[A-Z_][A-Z0-9_]*")


def stored_name(name: str, dialect: str) -> str:
    """Return the name of a result column; Snowflake stores unquoted names in upper case."""
    return name.lower() if dialect == "snowflake" and _UPPER_CASE_WORD.fullmatch(name) else name


class DBAPI:
    """Any connection of Python's database interface (PEP 249) or of ADBC, with the dialect of its engine.

    If the caller has no open transaction, the one of the query is rolled back after reading the rows.

    >>> import duckdb, sqlmetrics
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
                # DuckDB 1.5 has both names and warns about `fetch_arrow_table`; 2.0 has `to_arrow_table` only.
                table = getattr(cursor, "to_arrow_table", cursor.fetch_arrow_table)()
                return table.rename_columns([stored_name(name, self.dialect) for name in table.column_names])
            names = [stored_name(column[0], self.dialect) for column in cursor.description]
            return frame_of_rows(names, cursor.fetchall())

    @contextlib.contextmanager
    def _own_transaction(self) -> Iterator[None]:
        """End the transaction that the driver has begun for a statement of this library."""
        idle = _is_idle(self.connection)
        failed = True
        try:
            yield
            failed = False
        finally:
            # PostgreSQL refuses everything after an error until the transaction is rolled back.
            if idle or (failed and idle is None and self.dialect in ("postgres", "redshift")):
                with contextlib.suppress(*self.errors):  # a lost connection is reported already
                    self.connection.rollback()


def _error_class(connection: Any) -> type[Exception]:
    """Return the driver's `Error`, which PEP 249 defines on the connection or in the module."""
    parts = type(connection).__module__.split(".")
    modules = [sys.modules.get(".".join(parts[:length])) for length in range(len(parts), 0, -1)]
    for namespace in (connection, *modules):
        error_class = getattr(namespace, "Error", None)
        if isinstance(error_class, type) and issubclass(error_class, Exception):
            return error_class
    raise BadParameter(f"DBAPI takes a connection of Python's database interface, not {type(connection).__name__}")


def _is_idle(connection: Any) -> bool | None:
    """Whether no transaction is open; None if the driver does not report it."""
    in_transaction = getattr(connection, "in_transaction", None)
    if isinstance(in_transaction, bool):
        return not in_transaction
    status = getattr(getattr(connection, "info", None), "transaction_status", None)
    return None if status is None else int(status) == 0
