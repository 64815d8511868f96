"""The packages of the engines' clients, imported when their engine is requested."""

from __future__ import annotations

import importlib
from typing import Any

from ..errors import MissingClient


def client_module(module: str, extra: str) -> Any:
    """A client's module, imported when its engine is requested."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        raise MissingClient(package, extra) from error
