"""The protocol of engines, its adapter, and the import of the packages that some engines need."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ..errors import MissingClient


@runtime_checkable
class Engine(Protocol):
    """The protocol of `engine=`.

    >>> import duckdb, sqlmetrics
    >>> class Mine:
    ...     dialect = "duckdb"
    ...     def query(self, sql):
    ...         return duckdb.sql(sql).df()
    >>> log = "select * from (values (1, 0.9), (0, 0.2)) as log(clicked, pctr)"
    >>> sqlmetrics.auc(log, label="clicked", score="pctr", engine=Mine())
       n  auc
    0  2  1.0
    """

    dialect: str

    def query(self, sql: str) -> Any:
        """The rows of one statement, as a pandas DataFrame or an Arrow table."""


@dataclass(frozen=True)
class EngineAdapter:
    """An engine as the runner uses it, with defaults for the optional members that its class lacks."""

    #: The name of its class, for errors.
    name: str
    dialect: str
    query: Callable[[str], Any]
    #: The errors of its methods; every exception if its class declares none.
    errors: tuple[type[Exception], ...]
    #: The columns of a query with their types, if it reports them.
    columns: Callable[[str], dict[str, str]] | None
    #: Registers an object in memory under a name; `unregister` removes it.
    register: Callable[[str, Any], object] | None
    unregister: Callable[[str], object]
    #: Whether names that differ in case only are different names.
    tells_case: Callable[[], bool]


def adapt(engine: Engine) -> EngineAdapter:
    """The adapter of an engine."""
    unregister = getattr(engine, "unregister", None)
    return EngineAdapter(
        type(engine).__name__,
        engine.dialect,
        engine.query,
        getattr(engine, "errors", (Exception,)),
        getattr(engine, "columns", None),
        getattr(engine, "register", None) if unregister else None,
        unregister or (lambda _: None),
        getattr(engine, "tells_case", lambda: True),
    )


def client_module(module: str, extra: str, package: str = "") -> Any:
    """A client's module, imported when it is needed; its `package` may have another name."""
    top = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != top:
            raise
        raise MissingClient(package or top, extra) from error
