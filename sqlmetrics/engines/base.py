"""The protocol of engines: a dialect, and a query that returns rows."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Engine(Protocol):
    """The protocol of `engine=`.

    >>> import duckdb, sqlmetrics
    >>> class Mine:
    ...     dialect = "duckdb"
    ...     def query(self, sql):
    ...         return duckdb.sql(sql).df()
    >>> log = "select * from (values (1, 0.9), (0, 0.2)) as log(clicked, pctr)"
    >>> sqlmetrics.auc(log, label="clicked", score="pctr", engine=Mine())
       n  auc
    0  2  1.0
    """

    dialect: str

    def query(self, sql: str) -> Any:
        """The rows of one statement, as a pandas DataFrame or an Arrow table."""
