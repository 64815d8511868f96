"""The blocks of the page: tables, and their cells from values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..planning.plan import Requested
from ..tables import table_of
from .labels import text_of
from .svg import Chart


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its text, the exact value of a rounded number, and a note."""

    text: str
    value: str | None = None
    number: bool = False
    note: str = ""
    best: bool = False
    code: bool = False
    #: The ends of its interval.
    ends: tuple[Cell, Cell] | None = None


@dataclass(frozen=True)
class TableBlock:
    """A table of the page; the first `keys` cells of a row identify it."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    keys: int = 1
    #: The class for the style sheet: `facts` describe the data; a `stacked` table of many columns has intervals below
    #: the values.
    form: str = ""

    def has_numbers(self, position: int) -> bool:
        """Whether a column holds numbers, which are aligned to the right."""
        return any(row[position].number for row in self.rows)


@dataclass(frozen=True)
class Figure:
    """A chart and its table."""

    chart: Chart
    number: int
    grid: TableBlock


@dataclass(frozen=True)
class Section:
    """A part of the page under a heading."""

    id: str
    title: str
    text: Sequence[str] = ()
    grids: Sequence[TableBlock] = ()
    figures: Sequence[Figure] = ()
    parts: Sequence[Section] = ()


def to_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a result as Python values by column."""
    table = table_of(frame)
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def _exact_text(value: float) -> str:
    """Return ten digits of a number: later digits depend on the order of the engine's threads."""
    return f"{value:.10g}"


def _decimals(value: float, low: float | None, high: float | None) -> int:
    """Return the decimals that the interval supports, or four digits without an interval."""
    has_interval = low is not None and high is not None and math.isfinite(high - low) and high > low
    size = (high - low) / 2 if has_interval and low is not None and high is not None else abs(value) / 100
    return min(max(1 - math.floor(math.log10(size)), 0), 9) if size > 0 and math.isfinite(size) else 4


def _rounded(value: float, decimals: int) -> str:
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:,.{decimals}f}".replace("-", "−")


def number_cell(value: Any, digits: int = 4, note: str = "") -> Cell:
    """Return a number of a table: counts in full, others with `digits` digits."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return Cell("undefined", number=True, note=note)
    if isinstance(value, bool | str):
        return Cell(text_of(value), note=note)
    value = float(value)
    if value.is_integer() and abs(value) < 1e15:
        return Cell(f"{int(value):,}".replace("-", "−"), repr(int(value)), True, note)
    if not math.isfinite(value):
        return Cell(_rounded(value, 0), _exact_text(value), True, note)
    text = (
        f"{value:.{digits}g}"
        if abs(value) < 1e-4
        else _rounded(value, max(digits - 1 - math.floor(math.log10(abs(value))), 0))
    )
    return Cell(text.replace("-", "−"), _exact_text(value), True, note)


def probability_cell(value: float | None) -> Cell:
    """Return a p-value; values below 0.0001 are not distinguished."""
    return (
        number_cell(value, digits=2) if value is None or value >= 1e-4 else Cell("< 0.0001", _exact_text(value), True)
    )


def value_cell(row: Mapping[str, Any], name: str, ends: tuple[str, str] | None = None) -> Cell:
    """Return a value with its interval, rounded to the decimals that the interval supports."""
    value = row[name]
    low_name, high_name = ends or (f"{name}_low", f"{name}_high")
    low, high = row.get(low_name), row.get(high_name)
    if value is None:
        return Cell("undefined", number=True)
    decimals = _decimals(value, low, high)
    if low is None or high is None:
        return _rounded_cell(value, decimals)
    return _rounded_cell(value, decimals, (_rounded_cell(low, decimals), _rounded_cell(high, decimals)))


def _rounded_cell(value: float, decimals: int, ends: tuple[Cell, Cell] | None = None) -> Cell:
    return Cell(_rounded(value, decimals), _exact_text(value), True, ends=ends)


def loss_cell(value: float | None, largest: float) -> Cell:
    """Return a loss with the decimals that show three digits of the largest loss."""
    if value is None or not largest > 0:
        return number_cell(value)
    return _rounded_cell(value, min(max(2 - math.floor(math.log10(largest)), 0), 9))


def difference_cell(row: Mapping[str, Any]) -> Cell:
    """Return a difference from the baseline with its interval."""
    return value_cell(row, "difference", ("difference_low", "difference_high"))


def table_block(caption: str, frame: pd.DataFrame, keys: int, slices: int) -> TableBlock:
    """Return a folded table; its first columns identify rows, and slice columns are never rounded."""
    table = table_of(frame)
    exact = len(table.rows) <= _MOST_EXACT
    rows = [
        [Cell(text_of(value)) if position < slices or (position < keys and not isinstance(value, float))
         else _plain_cell(value, exact) for position, value in enumerate(row)]
        for row in table.rows
    ]  # fmt: skip
    return TableBlock(caption, table.columns, rows, keys)


#: Tables of up to so many rows also have exact numbers. Curves have hundreds of rows, which would make the page half
#: as long again.
_MOST_EXACT = 60


def _plain_cell(value: Any, exact: bool) -> Cell:
    if not isinstance(value, int | float | None):
        return Cell(text_of(value))
    return number_cell(value, 6) if exact else replace(number_cell(value, 6), value=None)


def to_loss(value: float, better: str) -> float:
    """Return a value whose increase means a worse metric."""
    if better.startswith("near "):
        return abs(value - float(better.removeprefix("near ")))
    return -value if better == "higher" else value


def best_positions(requested: Requested, values: Sequence[float | None]) -> list[int]:
    """Return the positions of the best values of a metric."""
    better = requested.metric.direction
    if better is None or all(value is None for value in values):
        return []
    least = min(to_loss(value, better) for value in values if value is not None)
    return [position for position, value in enumerate(values) if value is not None and to_loss(value, better) == least]


def describe_loss(first: Requested) -> str:
    """Explain the column `loss`."""
    return (
        f"loss is how much worse than over all rows {first.name} is in a slice, times the slice's share of the rows; "
        "the slices that hurt most come first, days in their order."
    )
