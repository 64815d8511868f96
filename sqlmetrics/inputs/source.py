"""A relation that a statement can read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import duckdb

from ..catalogue.registry import catalogue
from ..errors import BadData, BadParameter, MissingColumn, QueryFailed, first_line
from ..rendering.macros import call_macro, render_macro
from ..request import InputRelation
from ..sql_text import is_single_select
from ..tables import Table
from .files import Files

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Source(InputRelation):
    """A relation as SQL, its columns with their types, and the function that runs a statement over it.

    `fetch` returns a table of Python values, `fetch_frame` a DataFrame; with `as_frames` executors return the latter.
    `errors` are the classes that `fetch` raises for errors of the engine. A type that the engine does not report is "".
    `unreadable` maps the columns that the engine cannot read to the reason. `in_memory` marks a Python object.
    `rows` is the approximate number of rows, if it is known without counting. `own` marks a private connection.
    `is_drawn` marks a relation, view or query that draws at random: every read returns other rows.
    """

    columns: dict[str, str]
    fetch: Callable[[str], Table]
    fetch_frame: Callable[[str], pd.DataFrame]
    connection: duckdb.DuckDBPyConnection | None = None
    further: dict[str, Source] = field(default_factory=dict)
    errors: tuple[type[Exception], ...] = (duckdb.Error,)
    unreadable: dict[str, str] = field(default_factory=dict)
    files: Files | None = None
    in_memory: bool = False
    rows: int | None = None
    own: bool = False
    is_drawn: bool = False
    columns_of: Callable[[str], Mapping[str, str]] | None = None
    as_frames: bool = False

    def find(self, name: str, role: str) -> str:
        """Return the engine's name of a column: an exact match first, else a match in any case.

        Raises:
            MissingColumn: No column matches.
            BadParameter: Several columns match.
            BadData: The column cannot be read.
        """
        available = [*self.columns, *(column for column in self.unreadable if column not in self.columns)]
        matches = [name] if name in available else [column for column in available if column.lower() == name.lower()]
        if not matches:
            if self.files is not None and self.files.lacks_names():
                raise BadData(
                    f"{role}: no line with {name!r} is read as the header; rows may differ in their fields: "
                    "mend them, or write a query: select * from read_csv('…', delim = ',', null_padding = true)"
                )
            raise MissingColumn(name, role, available)
        if len(matches) > 1:
            raise BadParameter(
                f"{role}: column {name!r} may be {' or '.join(map(repr, matches))}; write the exact name"
            )
        if matches[0] in self.unreadable:
            raise BadData(f"{role}: column {matches[0]!r} {self.unreadable[matches[0]]}")
        if self.files is not None:
            self.files.check(matches[0], role)
        return matches[0]

    def type_of(self, column: str) -> str:
        """Return the type of a column that `find` has returned."""
        return self.columns.get(column, "")

    def types_of(self, select: str) -> dict[str, str]:
        """Return the columns of a query with their types; empty if the engine reports none or rejects the query."""
        with suppress(*self.errors, QueryFailed, duckdb.Error):
            # Do not run an expression that closes its bracket and starts another statement.
            if self.columns_of is not None and is_single_select(select, self.dialect):
                return {str(name): str(dtype) for name, dtype in self.columns_of(select).items()}
        return {}

    def call(self, macro: str, *arguments: Any) -> Any:
        """Call a macro in the dialect of the engine."""
        return call_macro(catalogue(), self.dialect, macro, *arguments)

    def render(self, macro: str, *arguments: Any) -> str:
        """Return the text of a macro in the dialect of the engine."""
        return render_macro(catalogue(), self.dialect, macro, *arguments)

    @property
    def framed(self) -> Source:
        """The same source, whose statements are to return DataFrames."""
        return replace(self, as_frames=True)

    @property
    def is_text(self) -> bool:
        """Whether every reading parses text."""
        return self.files is not None and self.files.is_text


#: Runs a statement over a source, and returns its rows: `running.fetch`, or its replacement in the shell.
Executor = Callable[[Source, str], Any]


def relation_name(role: str) -> str:
    """Return the name under which statements read a query or an object in memory."""
    return "sqlmetrics_input" if role == "data" else f"sqlmetrics_{role}"


def checked_select(role: str, query: str, dialect: str = "duckdb") -> str:
    """Return the query if it is a single select."""
    try:
        single = is_single_select(query, dialect)
    except duckdb.Error as error:
        raise QueryFailed(f"{role}: {first_line(error)}", query) from error
    if not single:
        raise BadParameter(f"{role}: a query must be one single select")
    return query.strip().rstrip(";")
