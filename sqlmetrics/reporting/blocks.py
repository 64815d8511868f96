"""The blocks of the page: sections, figures, tables and tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..output.views import view_of
from ..tables import table_of
from .cells import Cell, number_cell
from .labels import text_of
from .svg import Chart


@dataclass(frozen=True)
class TableBlock:
    """A table of the page; the first `keys` cells of a row identify it."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    keys: int = 1
    #: The class for the style sheet: `facts` describe the data, the rows of `cards` are cards on a small screen.
    #: In the table of `several` models, intervals are below the values.
    form: str = ""

    def has_numbers(self, position: int) -> bool:
        """Whether a column holds numbers, which are aligned to the right."""
        return any(row[position].number for row in self.rows)


@dataclass(frozen=True)
class Figure:
    """A chart and its table."""

    chart: Chart
    grid: TableBlock


@dataclass(frozen=True)
class Section:
    """A part of the page under a heading: its texts, figures and tables; readers unfold the last ones."""

    id: str
    title: str
    text: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    grids: Sequence[TableBlock] = ()
    folded: Sequence[TableBlock] = ()
    parts: Sequence[Section] = ()


@dataclass(frozen=True)
class Tile:
    """A number of the answer under its label."""

    label: str
    cell: Cell
    note: str = ""
    #: `better` or `worse`.
    form: str = ""


def _table_block(caption: str, frame: pd.DataFrame, keys: int, slices: int) -> TableBlock:
    """Return a folded table; its first columns identify rows, slice columns are never rounded.

    The ends of an interval are in the cell of its value.
    """
    table = table_of(frame, exact=list(frame.columns[:slices]))
    exact = len(table.rows) <= _MOST_EXACT
    columns = [shown.sources for shown in view_of(table)]

    def cell(row: Sequence[Any], index: int, *others: int) -> Cell:
        value, ends = row[index], [row[other] for other in others]
        is_number = isinstance(value, int | float | None) and not isinstance(value, bool)
        if index < slices or not is_number or (index < keys and not isinstance(value, float)):
            return Cell(text_of(value))
        number, *numbers = (_plain_cell(number, exact) for number in (value, *ends))
        return number if not ends or None in (value, *ends) else replace(number, ends=(numbers[0], numbers[1]))

    rows = [[cell(row, *sources) for sources in columns] for row in table.rows]
    return TableBlock(caption, [table.columns[index] for index, *_ in columns], rows, keys)


#: Tables of up to so many rows also have exact numbers. Curves have hundreds of rows, which would make the page half
#: as long again.
_MOST_EXACT = 60


def _plain_cell(value: float | None, exact: bool) -> Cell:
    return number_cell(value) if exact else replace(number_cell(value, 6), value=None)


def figure(chart: Chart, more: int = 1) -> Figure:
    """Return a chart with the table of its numbers, whose rows the slices and `more` columns identify."""
    slices = len(chart.table.attrs["slices"])
    return Figure(chart, _table_block(f"Numbers of the chart: {chart.title}", chart.table, slices + more, slices))
