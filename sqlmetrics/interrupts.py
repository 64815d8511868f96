"""Handle Ctrl-C inside the engine, and list what to clean up when a signal ends the process."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
#: The message of DuckDB's RuntimeError if Ctrl-C interrupts it on the main thread.
INTERRUPTED = "Query interrupted"

#: Prefix of the temporary folders; the process id follows.
FOLDER_PREFIX = "sqlmetrics-"
#: Incomplete files, written next to their target.
unfinished: set[str] = set()
#: Functions that cancel the running statement of an engine.
cancel: list[Callable[[], object]] = []


@contextlib.contextmanager
def cancelled_at_the_end(tell: Callable[[], object]) -> Iterator[None]:
    """Call `tell` if a signal ends the process, for engines whose statements would otherwise continue."""
    cancel.append(tell)
    try:
        yield
    finally:
        cancel.remove(tell)


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
