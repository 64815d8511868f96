"""Tables, queries and objects in memory as relations of an engine."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..engines.base import Engine
from ..errors import BadData, BadParameter, QueryFailed, SqlMetricsError, first_line
from ..sql_text import BEGINS_QUERY
from ..tables import as_pandas, table_of
from .schemas import collisions
from .source import Source, checked_select, relation_name

if TYPE_CHECKING:
    import pandas as pd

#: The name of a table in the quotes of any engine; projects of BigQuery contain dashes.
_ENGINE_TABLE_NAME = re.compile(
    r'(?:"(?:[^"]|"")+"|`(?:[^`]|``)+`|\w[\w-]*)(?:\.(?:"(?:[^"]|"")+"|`(?:[^`]|``)+`|[\w$]+)){0,3}\Z'
)


class EngineSourceResolver:
    """Resolves tables, queries and objects in memory to relations of an engine, which may lack optional members."""

    def __init__(self, engine: Engine) -> None:
        self._engine: Any = engine
        self._errors: tuple[type[Exception], ...] = getattr(engine, "errors", (Exception,))
        self._columns_of: Callable[[str], Mapping[str, str]] | None = getattr(engine, "columns", None)
        self._registered: list[str] = []

    def resolve(self, role: str, data: Any) -> Source:
        """Return the source of `data`; register an object in memory until `close`."""
        engine, name = self._engine, relation_name(role)
        query: str | None = None
        if isinstance(data, str) and BEGINS_QUERY.match(data):
            query = checked_select(role, data, engine.dialect)
            relation, text = name, "a query"
        elif isinstance(data, str):
            if not _ENGINE_TABLE_NAME.match(data):
                raise BadData(f"{role}: {data!r} is no table name; with ⟨engine⟩ it must be a table or a query there")
            relation = text = data
        elif hasattr(engine, "register") and hasattr(engine, "unregister"):
            relation, text = f"{name}_{uuid.uuid4().hex}", f"a {type(data).__name__}"
            try:
                engine.register(relation, data)
            except self._errors as error:
                raise BadData(f"{role}: cannot read {text}: {first_line(error)}") from error
            self._registered.append(relation)
        else:
            raise BadParameter(
                f"{role}: {type(engine).__name__} takes a table name or a query, not {type(data).__name__}; "
                "write the object into a table there"
            )
        columns = self._columns(role, relation, query, text)
        unreadable = collisions(columns)
        if unreadable and getattr(engine, "tells_case", lambda: True)():  # they are different names there
            unreadable = {}
        return Source(
            relation,
            text,
            query,
            engine.dialect,
            columns=columns,
            fetch=lambda sql: table_of(self._frame(sql)),
            fetch_frame=self._frame,
            errors=self._errors,
            unreadable=unreadable,
            columns_of=self._columns_of,
        )

    def close(self) -> None:
        """Unregister the objects in memory."""
        for name in self._registered:
            with suppress(*self._errors):  # the connection may be lost, and the view with it
                self._engine.unregister(name)

    def _frame(self, sql: str) -> pd.DataFrame:
        # Any column may hold ids, so all of them stay exact.
        return as_pandas(self._engine.query(sql), ids=None)

    def _columns(self, role: str, relation: str, query: str | None, text: str) -> dict[str, str]:
        named = f"({query}\n) as {relation}" if query else relation
        sql = f"select * from {named} where 1 = 0"
        try:
            if self._columns_of is not None:
                return {str(name): str(dtype) for name, dtype in self._columns_of(sql).items()}
            return {str(name): "" for name in as_pandas(self._engine.query(sql)).columns}
        except SqlMetricsError:
            raise
        except self._errors as error:
            if query:
                raise QueryFailed(f"{role}: {first_line(error)}", query) from error
            raise BadData(f"{role}: cannot read {text}: {first_line(error)}") from error
