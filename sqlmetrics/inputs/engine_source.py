"""Tables, queries and objects in memory as relations of an engine."""

from __future__ import annotations

import re
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..engines.base import Engine, adapt
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
    """Resolves tables, queries and objects in memory to relations of an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = adapt(engine)
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
        elif engine.register is not None:
            relation, text = f"{name}_{uuid.uuid4().hex}", f"a {type(data).__name__}"
            try:
                engine.register(relation, data)
            except engine.errors as error:
                raise BadData(f"{role}: cannot read {text}: {first_line(error)}") from error
            self._registered.append(relation)
        else:
            raise BadParameter(
                f"{role}: {engine.name} takes a table name or a query, not {type(data).__name__}; "
                "write the object into a table there"
            )
        columns = self._columns(role, relation, query, text)
        unreadable = collisions(columns)
        if unreadable and engine.tells_case():  # they are different names there
            unreadable = {}
        return Source(
            relation,
            text,
            query,
            engine.dialect,
            columns=columns,
            fetch=lambda sql: table_of(self._frame(sql)),
            fetch_frame=self._frame,
            errors=engine.errors,
            unreadable=unreadable,
            columns_of=engine.columns,
        )

    def close(self) -> None:
        """Unregister the objects in memory."""
        for name in self._registered:
            with suppress(*self._engine.errors):  # the connection may be lost, and the view with it
                self._engine.unregister(name)

    def _frame(self, sql: str) -> pd.DataFrame:
        # Any column may hold ids, so all of them stay exact.
        return as_pandas(self._engine.query(sql), ids=None)

    def _columns(self, role: str, relation: str, query: str | None, text: str) -> dict[str, str]:
        named = f"({query}\n) as {relation}" if query else relation
        sql = f"select * from {named} where 1 = 0"
        try:
            if self._engine.columns is not None:
                return {str(name): str(dtype) for name, dtype in self._engine.columns(sql).items()}
            return {str(name): "" for name in as_pandas(self._engine.query(sql)).columns}
        except SqlMetricsError:
            raise
        except self._engine.errors as error:
            if query:
                raise QueryFailed(f"{role}: {first_line(error)}", query) from error
            raise BadData(f"{role}: cannot read {text}: {first_line(error)}") from error
