"""ClickHouse in this process, through chdb."""

from __future__ import annotations

import importlib
from typing import Any

import pandas as pd

from ..errors import raised_at_caller
from .clients import client_module


class ClickHouse:
    """ClickHouse in process, a session of chdb: `ClickHouse(chdb.session.Session("folder"))`.

    Without a session, one of its own in memory. Needs `pip install 'sqlmetrics[clickhouse]'`.
    """

    dialect = "clickhouse"

    @raised_at_caller
    def __init__(self, session: Any = None) -> None:
        client = client_module("chdb.session", "clickhouse")
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
