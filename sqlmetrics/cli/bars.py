"""Bars next to the values of a table on the terminal."""

# ruff: noqa: PLC0415 (pandas is imported where used: `sqlmetrics list` does not need it)

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..catalogue.registry import catalogue
from ..errors import BadParameter
from ..output.tables import Table
from ..output.text import column_widths
from .output import report_line, terminal_width_of

if TYPE_CHECKING:
    import pandas as pd

#: How many characters wide a bar is.
_BAR = 16


def _with_bars(table: Table, names: Sequence[str], width: int) -> Table:
    """Add a bar after each of these columns: the position of a value in the column's range, with its interval.

    The heading of the bar shows the range. Columns get bars from the first on, as far as the terminal has room. A
    column of equal values, or a table with a single row, gets none.
    """
    columns, rows = list(table.columns), [list(row) for row in table.rows]
    marks = "●─" if _can_print("●─") else "*-"
    for name in names:
        index = columns.index(name)
        ends = [columns.index(end) if end in columns else index for end in (f"{name}_low", f"{name}_high")]
        values = [row[i] for row in rows for i in (index, *ends) if _is_finite(row[i])]
        if len(rows) < 2 or not values or min(values) == max(values):
            continue
        low, high = min(values), max(values)
        heading = f"{low:.3g} … {high:.3g}" if _can_print("…") else f"{low:.3g} .. {high:.3g}"
        behind = max(index, *ends) + 1
        bars = [_bar([row[i] for i in (index, *ends)], low, high, marks) for row in rows]
        more = [*columns[:behind], heading, *columns[behind:]]
        wider = [[*row[:behind], bar, *row[behind:]] for row, bar in zip(rows, bars, strict=True)]
        if terminal_width_of(column_widths(Table(more, wider, table.exact))) > width:
            break
        columns, rows = more, wider
    return Table(columns, rows, table.exact)


def _bar(values: Sequence[Any], low: float, high: float, marks: str) -> str:
    """Draw a value and the ends of its interval as positions on a line."""
    positions = [round((_BAR - 1) * (value - low) / (high - low)) if _is_finite(value) else None for value in values]
    at, first, last = positions
    if at is None:
        return ""
    line = [" "] * _BAR
    if first is not None and last is not None:
        line[first : last + 1] = marks[1] * (last + 1 - first)
    line[at] = marks[0]
    return "".join(line).rstrip()


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _can_print(text: str) -> bool:
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def add_bars(table: Table, result: pd.DataFrame) -> Table:
    """Add bars to the table, and warn if none is drawn."""
    from ..reporting.charts import value_columns

    if any(metric.table for name, metric in catalogue().metrics.items() if name in result.attrs["metrics"]):
        raise BadParameter("--bars are for single numbers by slices; -o curve.svg draws tables")
    names, width = value_columns(result), shutil.get_terminal_size().columns
    wide = _with_bars(table, names, width)
    if len(wide.columns) == len(table.columns) and len(table.rows) > 1:
        has_room = len(_with_bars(table, names, sys.maxsize).columns) == len(table.columns)
        reason = "the values are all the same" if has_room else f"the terminal is too narrow, with {width} columns"
        report_line("warning", f"no bar is drawn: {reason}")
    return wide
