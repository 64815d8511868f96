"""What `data` may be, made readable for the length of a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import duckdb

from ..engines.connect import checked_engine, open_engine
from ..engines.duckdb import DuckDB
from ..engines.duckdb_connection import checked_connection, private_connection
from ..errors import BadParameter
from ..request import Session
from . import memory
from .duckdb_source import DuckDBSourceResolver, relation_source
from .engine_source import engine_source
from .source import Source


@contextmanager
def open_source(data: Any, session: Session, further: Mapping[str, Any] | None = None) -> Iterator[Source]:
    """Make `data` (and further relations, by name) readable for as long as the block lasts, on DuckDB or an engine.

    The address of an engine opens it for that long, too.

    Without a connection a private one in memory is opened, and closed after. A connection of the caller's is used as it
    is; what had to be made known to it (an object in memory) is taken back. What does not fit into the memory of the
    private one is written to a folder of its own, which goes with it.
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
        way = DuckDBSourceResolver(con, connection, registered)
        try:
            others = {name: way.resolve(name, value, {}) for name, value in further.items()}
            yield way.resolve("data", data, others)
        finally:
            for name in registered:
                memory.unregister(connection, name)


def _fetches(data: Any) -> bool:
    """Whether files, or a query over files, lie elsewhere: under an address, as in s3://bucket/log.parquet."""
    if isinstance(data, str):
        return "://" in data
    return isinstance(data, list | tuple) and any(isinstance(one, str) and "://" in one for one in data)
