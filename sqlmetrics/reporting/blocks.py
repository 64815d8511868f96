"""The blocks of the page: its answer, sections, figures, tables and cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .svg import Chart


@dataclass(frozen=True)
class Chip:
    """A verdict as a shape, a word and a colour; `form` is the class for the style sheet."""

    symbol: str
    text: str
    form: str


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
    chip: Chip | None = None
    #: The difference from the baseline, below the value of a model.
    difference: Cell | None = None


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

    @property
    def fills_row(self) -> bool:
        """Whether the first table takes the half that an odd number of figures leaves empty.

        Without tables, that of the last figure takes it, unfolded.
        """
        return len(self.figures) % 2 == 1 and bool(self.grids)


@dataclass(frozen=True)
class Tile:
    """A number of the answer under its label."""

    label: str
    cell: Cell
    note: str = ""
    #: `better` or `worse`.
    form: str = ""


@dataclass(frozen=True)
class Answer:
    """The most important results: sentences and a few numbers."""

    text: Sequence[str]
    tiles: Sequence[Tile]
