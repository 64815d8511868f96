"""Engines that evaluate metrics where the data is: `sqlmetrics.evaluate("logs", "auc", …, engine=Spark(session))`.

An engine is any object with a `dialect` and a `query(sql)` that returns a pandas DataFrame or an Arrow table. The
classes below also report the types of columns, and some accept a small table in memory:

- `columns(sql)`: the columns of a query with the names of their types, so that text is not mistaken for a number
- `register(name, data)` and `unregister(name)`: a pandas, polars or Arrow object as a view for the length of a call
- `errors`: the classes that the client raises; all errors without it

No class opens or closes a connection of the caller, and none leaves anything in it.
"""

from __future__ import annotations

from .base import Engine
from .clickhouse import ClickHouse
from .dbapi import DBAPI
from .duckdb import DuckDB
from .postgres import PostgreSQL
from .spark import Spark

__all__ = ["DBAPI", "ClickHouse", "DuckDB", "Engine", "PostgreSQL", "Spark"]
