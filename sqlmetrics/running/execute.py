"""Execute one statement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb

from ..errors import QueryFailed, SqlMetricsError, error_summary
from ..inputs.source import Executor, Source
from ..interrupts import INTERRUPTED
from ..planning.plan import Plan
from ..tables import renamed
from .failures import add_role_to_error


def fetch(source: Source, sql: str) -> Any:
    """Execute one statement and return its rows."""
    try:
        return (source.fetch_frame if source.as_frames else source.fetch)(sql)
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except SqlMetricsError:
        raise
    except source.errors as error:
        if str(error) == INTERRUPTED:
            raise  # Ctrl-C
        raise QueryFailed(f"the query failed: {error_summary(error)}", sql) from error


def renaming(plan: Plan, execute: Executor, new_name: Callable[[str], str]) -> Executor:
    """Execute statements, add the role to errors and rename result columns."""

    def execute_renamed(source: Source, sql: str) -> Any:
        try:
            rows = execute(source, sql)
        except QueryFailed as failed:
            raise add_role_to_error(failed, plan, source) from failed.__cause__
        return renamed(rows, [new_name(str(name)) for name in rows.columns])

    return execute_renamed
