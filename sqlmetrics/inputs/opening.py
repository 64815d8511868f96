"""Open `data` as a relation for the length of a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import duckdb

from ..engines.connect import checked_engine, open_engine
from ..engines.duckdb import DuckDB
from ..engines.duckdb_connection import checked_connection, private_connection, unregister
from ..errors import BadParameter
from ..request import Session
from .duckdb_source import DuckDBSourceResolver, relation_source
from .engine_source import engine_source
from .source import Source


@contextmanager
def open_source(data: Any, session: Session, further: Mapping[str, Any] | None = None) -> Iterator[Source]:
    """Open `data` and further relations for the length of the block, on DuckDB or an engine.

    An engine that is given by its address is open for the same time.

    Without a connection this opens a private one in memory, which spills into a temporary folder. A connection of the
    caller stays as it is: objects in memory are registered on it and unregistered at the end.
    """
    con, engine = session.con, session.engine
    if isinstance(engine, str):
        with open_engine(engine) as opened, open_source(data, replace(session, engine=opened), further) as source:
            yield source
        return
    own_connection = con is not None or engine is not None or isinstance(data, duckdb.DuckDBPyRelation)
    if own_connection and (session.threads is not None or session.memory_limit is not None):
        raise BadParameter("threads and ⟨memory_limit⟩ are settings of your own connection here; set them there")
    further = {name: value for name, value in (further or {}).items() if value is not None}
    if engine is not None:
        if con is not None:
            raise BadParameter("give ⟨con⟩ or ⟨engine⟩, not both")
        engine = checked_engine(engine)
        if not isinstance(engine, DuckDB):
            with engine_source(data, engine, further) as source:
                yield source
            return
        con = engine.connection
    con = None if con is None else checked_connection(con)
    if isinstance(data, duckdb.DuckDBPyRelation) and not further:
        with relation_source(data) as source:
            yield source
        return
    registered: list[str] = []
    fetches = any(map(_fetches, (data, *further.values())))
    private = private_connection(session.threads, session.memory_limit, fetches=fetches)
    with nullcontext(con) if con is not None else private as connection:
        resolver = DuckDBSourceResolver(con, connection, registered)
        try:
            others = {name: resolver.resolve(name, value, {}) for name, value in further.items()}
            yield resolver.resolve("data", data, others)
        finally:
            for name in registered:
                unregister(connection, name)


def _fetches(data: Any) -> bool:
    """Whether data or its query name remote files, as in s3://bucket/log.parquet."""
    if isinstance(data, str):
        return "://" in data
    return isinstance(data, list | tuple) and any(isinstance(path, str) and "://" in path for path in data)
