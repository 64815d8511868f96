"""Cells and tables of the page from values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from ..planning.plan import Requested
from ..tables import table_of
from .blocks import Cell, Chip, Figure, TableBlock
from .labels import text_of
from .svg import Chart


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
    # Smaller numbers are the rounding errors of equal models.
    return min(max(1 - math.floor(math.log10(size)), 0), 9) if size > 1e-9 and math.isfinite(size) else 4


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


def impact_cell(value: float | None, largest: float) -> Cell:
    """Return an impact with the decimals that show three digits of the largest impact."""
    if value is None or not largest > 0:
        return number_cell(value)
    return _signed(_rounded_cell(value, min(max(2 - math.floor(math.log10(largest)), 0), 9)))


def difference_cell(row: Mapping[str, Any]) -> Cell:
    """Return a difference from the baseline with its sign and its interval."""
    cell = _signed(value_cell(row, "difference", ("difference_low", "difference_high")))
    return cell if cell.ends is None else replace(cell, ends=(_signed(cell.ends[0]), _signed(cell.ends[1])))


def _signed(cell: Cell) -> Cell:
    is_zero = not any(digit in cell.text for digit in "123456789∞")
    is_positive = cell.value is not None and float(cell.value) > 0 and not is_zero
    return replace(cell, text=f"+{cell.text}" if is_positive else cell.text.lstrip("−") if is_zero else cell.text)


#: Chips of the verdicts of `compare`; the others are texts such as "differs, not closer to 1".
_CHIPS = {
    "better": Chip("▲", "better", "better"),
    "worse": Chip("▼", "worse", "worse"),
    "no difference seen": Chip("–", "undecided", "undecided"),
    None: Chip("–", "not tested", "undecided"),
}


def chip_of(verdict: str | None) -> Chip:
    """Return a verdict of `compare` as a chip."""
    return _CHIPS.get(verdict) or Chip("◆", str(verdict), "different")


def verdict_cell(row: Mapping[str, Any]) -> Cell:
    """Return the verdict of a row of `compare`."""
    return Cell("", chip=chip_of(row["verdict"]))


def text_in_full(cell: Cell) -> str:
    """Return a value and its interval as text."""
    return cell.text if cell.ends is None else f"{cell.text} [{cell.ends[0].text}, {cell.ends[1].text}]"


def table_block(caption: str, frame: pd.DataFrame, keys: int, slices: int) -> TableBlock:
    """Return a folded table; its first columns identify rows, slice columns are never rounded.

    The ends of an interval are in the cell of its value.
    """
    table = table_of(frame)
    exact = len(table.rows) <= _MOST_EXACT
    position = {name: index for index, name in enumerate(table.columns)}
    ends = {
        name: (position[f"{name}_low"], position[f"{name}_high"])
        for name in table.columns
        if f"{name}_low" in position and f"{name}_high" in position
    }
    merged = {end for pair in ends.values() for end in pair}
    shown = [index for index in range(len(table.columns)) if index not in merged]

    def cell(row: Sequence[Any], index: int) -> Cell:
        value = row[index]
        if index < slices or (index < keys and not isinstance(value, float)):
            return Cell(text_of(value))
        low, high = (row[end] for end in ends.get(table.columns[index], (index, index)))
        if table.columns[index] not in ends or value is None or low is None or high is None:
            return _plain_cell(value, exact)
        return replace(_plain_cell(value, exact), ends=(_plain_cell(low, exact), _plain_cell(high, exact)))

    rows = [[cell(row, index) for index in shown] for row in table.rows]
    return TableBlock(caption, [table.columns[index] for index in shown], rows, keys)


#: Tables of up to so many rows also have exact numbers. Curves have hundreds of rows, which would make the page half
#: as long again.
_MOST_EXACT = 60


def _plain_cell(value: Any, exact: bool) -> Cell:
    if not isinstance(value, int | float | None):
        return Cell(text_of(value))
    return number_cell(value) if exact else replace(number_cell(value, 6), value=None)


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


def figure(chart: Chart, keys: int = 1, slices: int = 0) -> Figure:
    """Return a chart with the table of its numbers."""
    return Figure(chart, table_block(f"Table of the picture: {chart.title}", chart.table, keys, slices))
