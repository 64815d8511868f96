"""The public protocol of an engine has two members; an adapter has those that a class may leave out as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .base import Engine


@dataclass(frozen=True)
class EngineAdapter:
    """An engine as the runner uses it."""

    #: The name of its class, for errors.
    name: str
    dialect: str
    query: Callable[[str], Any]
    #: What it raises; of a class that does not tell, anything: nothing of it is called but its methods.
    errors: tuple[type[Exception], ...]
    #: The columns of a query with their types, if it reports them.
    columns: Callable[[str], dict[str, str]] | None
    #: How it shows an object in memory under a name, and takes it back.
    register: Callable[[str, Any], object] | None
    unregister: Callable[[str], object] | None
    #: Whether names that differ in case only are two to it.
    tells_case: Callable[[], bool]


def adapt(engine: Engine) -> EngineAdapter:
    """The adapter of an engine, with defaults for what its class leaves out."""
    register, unregister = getattr(engine, "register", None), getattr(engine, "unregister", None)
    takes_objects = register is not None and unregister is not None
    return EngineAdapter(
        type(engine).__name__,
        engine.dialect,
        engine.query,
        getattr(engine, "errors", (Exception,)),
        getattr(engine, "columns", None),
        register if takes_objects else None,
        unregister if takes_objects else None,
        getattr(engine, "tells_case", lambda: True),
    )
