"""ClickHouse in this process, through chdb."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..errors import raised_at_caller
from .base import client_module

if TYPE_CHECKING:
    import pandas as pd


class ClickHouse:
    """ClickHouse in process, a session of chdb: `ClickHouse(chdb.session.Session("folder"))`.

    Without a session it starts a private one in memory. Needs `pip install 'sqlmetrics[clickhouse]'`.
    """

    dialect = "clickhouse"

    @raised_at_caller
    def __init__(self, session: Any = None) -> None:
        client = client_module("chdb.session", "clickhouse")
        self.session = client.Session() if session is None else session
        # Sessions raise a RuntimeError for which chdb has no public name.
        self.errors: tuple[type[Exception], ...] = (importlib.import_module("chdb").ChdbError, RuntimeError)

    def query(self, sql: str) -> pd.DataFrame:
        """The rows of one statement."""
        rows: pd.DataFrame = self.session.query(sql, "DataFrame")
        return rows

    def columns(self, sql: str) -> dict[str, str]:
        """The columns of a query with their types."""
        described = self.session.query(f"describe table ({sql}\n)", "DataFrame")
        return dict(zip(described["name"], described["type"], strict=True))
