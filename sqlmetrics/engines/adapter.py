"""The public protocol of an engine has two members; an adapter also has the optional ones."""

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
    #: The errors of its methods; every exception if its class declares none.
    errors: tuple[type[Exception], ...]
    #: The columns of a query with their types, if it reports them.
    columns: Callable[[str], dict[str, str]] | None
    #: Registers an object in memory under a name; `unregister` removes it.
    register: Callable[[str, Any], object] | None
    unregister: Callable[[str], object] | None
    #: Whether names that differ in case only are different names.
    tells_case: Callable[[], bool]


def adapt(engine: Engine) -> EngineAdapter:
    """The adapter of an engine, with defaults for members that its class lacks."""
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
