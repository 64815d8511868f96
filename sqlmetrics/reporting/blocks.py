"""The blocks of the page: sections, figures, tables and tiles, and the templates that arrange them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ..output.views import view_of
from ..tables import table_of
from .cells import Cell, number_cell
from .labels import text_of
from .svg import Chart

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True, lstrip_blocks=True,
    keep_trailing_newline=True, undefined=StrictUndefined,
)  # fmt: skip


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


#: Tables of up to so many rows also have exact numbers. Curves have hundreds of rows, which would make the page half
#: as long again.
_MOST_EXACT = 60


def figure(chart: Chart, more: int = 1) -> Figure:
    """Return a chart with the folded table of its numbers, whose rows the slices and `more` columns identify.

    Slices are never rounded. The ends of an interval are in the cell of its value.
    """
    slices = len(chart.table.attrs["slices"])
    keys = slices + more
    table = table_of(chart.table, exact=list(chart.table.columns[:slices]))
    exact = len(table.rows) <= _MOST_EXACT
    columns = [shown.sources for shown in view_of(table)]

    def cell(row: Sequence[Any], index: int, *others: int) -> Cell:
        values = [row[source] for source in (index, *others)]
        is_number = isinstance(values[0], int | float | None) and not isinstance(values[0], bool)
        if index < slices or not is_number or (index < keys and not isinstance(values[0], float)):
            return Cell(text_of(values[0]))
        number, *ends = (number_cell(end) if exact else replace(number_cell(end, 6), value=None) for end in values)
        return number if not ends or None in values else replace(number, ends=(ends[0], ends[1]))

    rows = [[cell(row, *sources) for sources in columns] for row in table.rows]
    names = [table.columns[index] for index, *_ in columns]
    return Figure(chart, TableBlock(f"Numbers of the chart: {chart.title}", names, rows, keys))
