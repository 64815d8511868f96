"""Handle Ctrl-C inside the engine."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
#: The message of DuckDB's RuntimeError if Ctrl-C interrupts it on the main thread.
INTERRUPTED = "Query interrupted"

#: Prefix of the temporary folders; the process id follows.
FOLDER_PREFIX = "sqlmetrics-"


def keyboard_interrupts(call: Callable[P, T]) -> Callable[P, T]:
    """Raise KeyboardInterrupt on Ctrl-C, where DuckDB raises a RuntimeError on the main thread."""

    @functools.wraps(call)
    def run(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            return call(*arguments, **named)
        except RuntimeError as error:
            if str(error) == INTERRUPTED:
                raise KeyboardInterrupt from error
            raise

    return run
