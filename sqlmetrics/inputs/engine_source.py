"""Tables, queries and objects in memory as relations of an engine."""

# ruff: noqa: PLC0415 (pandas is imported where a DataFrame is made: the shell prints without it)

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ..engines.adapter import EngineAdapter, adapt
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


@contextmanager
def engine_source(data: Any, engine: Engine, further: Mapping[str, Any]) -> Iterator[Source]:
    """Open a table or a query of the engine, or register an object in memory for the length of the block."""
    adapter = adapt(engine)

    def fetch(sql: str) -> pd.DataFrame:
        import pandas as pd

        rows = adapter.query(sql)
        frame = rows if isinstance(rows, pd.DataFrame) else rows.to_pandas(integer_object_nulls=True)
        # Any column may hold ids, so all of them stay exact.
        return as_pandas(frame, list(frame.columns))

    def resolve(role: str, value: Any, others: dict[str, Source]) -> Source:
        name = relation_name(role)
        query: str | None = None
        if isinstance(value, str) and BEGINS_QUERY.match(value):
            query = checked_select(role, value, adapter.dialect)
            relation, text = name, "a query"
        elif isinstance(value, str):
            if not _ENGINE_TABLE_NAME.match(value):
                raise BadData(f"{role}: {value!r} is no table name; with ⟨engine⟩ it must be a table or a query there")
            relation = text = value
        elif adapter.register is not None:
            relation, text = f"{name}_{uuid.uuid4().hex}", f"a {type(value).__name__}"
            try:
                adapter.register(relation, value)
            except adapter.errors as error:
                raise BadData(f"{role}: cannot read {text}: {first_line(error)}") from error
            registered.append(relation)
        else:
            raise BadParameter(
                f"{role}: {adapter.name} takes a table name or a query, not {type(value).__name__}; "
                "write the object into a table there"
            )
        columns = _engine_columns(role, adapter, relation, query, text)
        unreadable = collisions(columns)
        return Source(
            relation,
            text,
            query,
            columns,
            lambda sql: table_of(fetch(sql)),
            fetch,
            None,
            others,
            adapter.dialect,
            adapter.errors,
            unreadable=unreadable if unreadable and not adapter.tells_case() else {},
            columns_of=adapter.columns,
        )

    registered: list[str] = []
    try:
        others = {name: resolve(name, value, {}) for name, value in further.items()}
        yield resolve("data", data, others)
    finally:
        for name in registered:
            with suppress(*adapter.errors):  # the connection may be lost, and the view with it
                assert adapter.unregister is not None
                adapter.unregister(name)


def _engine_columns(role: str, adapter: EngineAdapter, relation: str, query: str | None, text: str) -> dict[str, str]:
    named = f"({query}\n) as {relation}" if query else relation
    sql = f"select * from {named} where 1 = 0"
    try:
        if adapter.columns is not None:
            return {str(name): str(dtype) for name, dtype in adapter.columns(sql).items()}
        return {str(name): "" for name in as_pandas(adapter.query(sql)).columns}
    except SqlMetricsError:
        raise
    except adapter.errors as error:
        if query:
            raise QueryFailed(f"{role}: {first_line(error)}", query) from error
        raise BadData(f"{role}: cannot read {text}: {first_line(error)}") from error
