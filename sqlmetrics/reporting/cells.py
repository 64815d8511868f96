"""What the page is made of: tables, and their cells from values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..output.tables import table_of
from ..planning.plan import Requested
from .labels import text_of
from .svg import Chart


@dataclass(frozen=True)
class Cell:
    """What stands in a table: its text, the whole number behind a rounded one, and what is said beside it."""

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
    """A table of the page; the first `keys` cells of a row say what the row is."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    keys: int = 1
    #: What the style sheet knows it by: `facts` are what is said of the data, and in a `stacked` table of many columns
    #: intervals stand below their values.
    form: str = ""

    def has_numbers(self, place: int) -> bool:
        """Whether a column holds numbers, which stand on the right."""
        return any(row[place].number for row in self.rows)


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
    """The rows of a result as Python values by column."""
    table = table_of(frame)
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def _exact_text(value: float) -> str:
    """What stands behind a rounded number: ten digits, as the last ones hang on the order of the engine's threads."""
    return f"{value:.10g}"


def _decimals(value: float, low: float | None, high: float | None) -> int:
    """After how many decimals the interval has no more to say, or four digits of a value that has none."""
    known = low is not None and high is not None and math.isfinite(high - low) and high > low
    size = (high - low) / 2 if known and low is not None and high is not None else abs(value) / 100
    return min(max(1 - math.floor(math.log10(size)), 0), 9) if size > 0 and math.isfinite(size) else 4


def _rounded(value: float, decimals: int) -> str:
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:,.{decimals}f}".replace("-", "−")


def number_cell(value: Any, digits: int = 4, note: str = "") -> Cell:
    """A number of a table: counts whole, others to as many digits."""
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
    """A p-value: how far below one in ten thousand it lies says nothing more."""
    return (
        number_cell(value, digits=2) if value is None or value >= 1e-4 else Cell("< 0.0001", _exact_text(value), True)
    )


def value_cell(row: Mapping[str, Any], name: str, ends: tuple[str, str] | None = None) -> Cell:
    """A value with its interval, rounded to what the interval leaves certain."""
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
    """A loss, with as many decimals as show three digits of the largest one."""
    if value is None or not largest > 0:
        return number_cell(value)
    return _rounded_cell(value, min(max(2 - math.floor(math.log10(largest)), 0), 9))


def difference_cell(row: Mapping[str, Any]) -> Cell:
    """A difference from the baseline with its interval."""
    return value_cell(row, "difference", ("difference_low", "difference_high"))


def table_block(caption: str, frame: pd.DataFrame, keys: int, slices: int) -> TableBlock:
    """A folded table; its first columns tell rows apart, and those of slices are never rounded."""
    table = table_of(frame)
    exact = len(table.rows) <= _MOST_EXACT
    rows = [
        [Cell(text_of(value)) if place < slices or (place < keys and not isinstance(value, float))
         else _plain_cell(value, exact) for place, value in enumerate(row)]
        for row in table.rows
    ]  # fmt: skip
    return TableBlock(caption, table.columns, rows, keys)


#: Of a table of so many rows the page has the numbers behind the rounded ones, too: with those of curves, which have
#: hundreds, it would be half as long again.
_MOST_EXACT = 60


def _plain_cell(value: Any, exact: bool) -> Cell:
    """A number of a folded table, of six digits."""
    if not isinstance(value, int | float | None):
        return Cell(text_of(value))
    return number_cell(value, 6) if exact else replace(number_cell(value, 6), value=None)


def to_loss(value: float, better: str) -> float:
    """The same value with more of it being worse."""
    if better.startswith("near "):
        return abs(value - float(better.removeprefix("near ")))
    return -value if better == "higher" else value


def best_places(one: Requested, values: Sequence[float | None]) -> list[int]:
    """Which of the values of a metric are the best."""
    better = one.metric.direction
    if better is None or all(value is None for value in values):
        return []
    least = min(to_loss(value, better) for value in values if value is not None)
    return [place for place, value in enumerate(values) if value is not None and to_loss(value, better) == least]


def loss_words(first: Requested) -> str:
    """What the column `loss` says."""
    return (
        f"loss is how much worse than over all rows {first.name} is in a slice, times the slice's share of the rows; "
        "the slices that hurt most come first, days in their order."
    )
