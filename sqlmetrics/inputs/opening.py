"""Open `data` as a relation for the length of a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import duckdb

from ..engines.connect import checked_engine, open_engine
from ..engines.duckdb import DuckDB
from ..engines.duckdb_connection import checked_connection, private_connection
from ..errors import BadParameter
from ..request import Session
from .duckdb_source import DuckDBSourceResolver, relation_source
from .engine_source import EngineSourceResolver
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
        with open_engine(engine) as started, open_source(data, replace(session, engine=started), further) as source:
            yield source
        return
    own_connection = con is not None or engine is not None or isinstance(data, duckdb.DuckDBPyRelation)
    if own_connection and (session.threads is not None or session.memory_limit is not None):
        raise BadParameter("threads and ⟨memory_limit⟩ are settings of your own connection here; set them there")
    further = {name: value for name, value in (further or {}).items() if value is not None}
    if con is not None and engine is not None:
        raise BadParameter("give ⟨con⟩ or ⟨engine⟩, not both")
    if engine is not None and isinstance(checked_engine(engine), DuckDB):
        con, engine = engine.connection, None
    if con is not None:
        con = checked_connection(con)
    if isinstance(data, duckdb.DuckDBPyRelation) and engine is None and not further:
        with relation_source(data) as source:
            yield source
        return
    with ExitStack() as opened:
        resolver: EngineSourceResolver | DuckDBSourceResolver
        if engine is not None:
            resolver = EngineSourceResolver(engine)
        elif con is not None:
            resolver = DuckDBSourceResolver(con, private=False)
        else:
            fetches = any(map(_fetches, (data, *further.values())))
            private = private_connection(session.threads, session.memory_limit, fetches=fetches)
            resolver = DuckDBSourceResolver(opened.enter_context(private), private=True)
        opened.callback(resolver.close)
        others = {name: resolver.resolve(name, value) for name, value in further.items()}
        yield replace(resolver.resolve("data", data), further=others)


def _fetches(data: Any) -> bool:
    """Whether data or its query name remote files, as in s3://bucket/log.parquet."""
    paths = data if isinstance(data, list | tuple) else [data]
    return any(isinstance(path, str) and "://" in path for path in paths)
