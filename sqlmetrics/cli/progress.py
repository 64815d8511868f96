"""Run statements on a second thread, while the main thread shows a progress bar and handles Ctrl-C.

The bar shows the title of the statement, which is its first line.
"""

# ruff: noqa: PLC0415 (the engine and rich are imported where used: `--help` needs neither)

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..errors import printable

if TYPE_CHECKING:
    from rich.progress import Progress

    from ..inputs.source import Source

#: Seconds between two polls of a running query, and before the bar appears.
POLL, BAR_AFTER = 0.1, 1.0
#: The most characters of a title, to leave room for the bar.
_TITLE = 48


def execute_with_bar(source: Source, sql: str) -> Any:
    """Run one statement and return its rows, while the main thread shows the progress."""
    from ..engines.duckdb_connection import interruptible
    from ..running.execute import fetch

    con, shows_progress = source.connection, sys.stderr.isatty()
    if con is None:  # other engines report no progress
        with _bar(shows_progress, _describe_statement(sql)):
            return fetch(source, sql)
    # DuckDB tracks progress only with its own bar enabled. The bar must not be printed: under `python -m` DuckDB
    # assumes a notebook and would draw it to standard output.
    con.execute(f"set enable_progress_bar = {shows_progress}")
    con.execute("set enable_progress_bar_print = false")
    with _bar(shows_progress, _describe_statement(sql), con.query_progress) as advance:
        return interruptible(con, lambda: fetch(source, sql), advance, POLL)


def _describe_statement(sql: str) -> str:
    """Describe a statement by the title in its first line; statements without a title inspect or store rows."""
    first, _, _ = sql.partition("\n")
    if first.startswith("create temp table "):
        return "reading"
    if not first.startswith("-- "):
        return "looking at the values"
    title = printable(first[3:])
    return f"computing {title if len(title) <= _TITLE else title[: _TITLE - 1] + '…'}"


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}", markup=False),  # a slice called "[red]" is not markup
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )


@contextlib.contextmanager
def _bar(wanted: bool, description: str, percent: Callable[[], float] = lambda: 0.0) -> Iterator[Callable[[], None]]:
    """Show a bar on stderr during long work; yield the function that updates it."""
    if not wanted:
        yield lambda: None
        return
    bar = _progress()
    task = bar.add_task(description, total=None)
    later = threading.Timer(BAR_AFTER, bar.start)
    later.daemon = True
    later.start()

    def advance() -> None:
        # At zero or below the progress is unknown, and the bar pulses.
        if (done := percent()) > 0:
            bar.update(task, total=100, completed=min(done, 100))

    try:
        yield advance
    finally:
        later.cancel()
        later.join()
        bar.stop()
