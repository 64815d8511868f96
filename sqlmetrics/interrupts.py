"""Ctrl-C inside of the engine, and what is to be removed or told when a signal ends the process."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
#: What DuckDB says in a RuntimeError where Ctrl-C reaches it on the main thread.
INTERRUPTED = "Query interrupted"

#: How folders begin that are made in the place for temporary files; the number of the process follows.
FOLDER_PREFIX = "sqlmetrics-"
#: Files that are written beside their target and are not whole yet.
unfinished: set[str] = set()
#: What tells an engine that its statement is no longer wanted.
cancel: list[Callable[[], object]] = []


@contextlib.contextmanager
def cancelled_at_the_end(tell: Callable[[], object]) -> Iterator[None]:
    """Tell an engine, whose statement would go on without this process, when a signal ends it."""
    cancel.append(tell)
    try:
        yield
    finally:
        cancel.remove(tell)


def keyboard_interrupts(call: Callable[P, T]) -> Callable[P, T]:
    """Ctrl-C is a KeyboardInterrupt, whichever statement it meets: DuckDB makes a RuntimeError of it on this thread."""

    @functools.wraps(call)
    def run(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            return call(*arguments, **named)
        except RuntimeError as error:
            if str(error) == INTERRUPTED:
                raise KeyboardInterrupt from error
            raise

    return run
