"""DuckDB as an engine: the caller's connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    import pandas as pd


class DuckDB:
    """A DuckDB connection; it equals `con=`, so data may also be files and objects in memory.

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
        """Return the rows of one statement."""
        return self.connection.execute(sql).df()
