"""A relation that a statement can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import duckdb
import pandas as pd

from ..errors import BadData, BadParameter, MissingColumn, QueryFailed, first_line
from ..request import InputRelation
from ..sql_text import is_single_select
from .files import Files
from .schemas import have_collisions


@dataclass(frozen=True)
class Source:
    """A relation as SQL, its columns with their types, and what runs a statement over it.

    `errors` are the classes by which `fetch` reports that the engine refused. A type that it does not report is "".
    `unreadable` holds the columns that the engine cannot read, with the reason. `in_memory` is an object of Python's.
    `rows` is about how many rows there are, where that is known without counting. `own` says whether the connection is
    ours alone. `is_drawn` is a relation, view or query that draws at random: each time it is read it has other rows.
    """

    relation: str
    text: str
    query: str | None
    columns: dict[str, str]
    fetch: Callable[[str], pd.DataFrame]
    connection: duckdb.DuckDBPyConnection | None
    further: dict[str, Source]
    dialect: str = "duckdb"
    errors: tuple[type[Exception], ...] = (duckdb.Error,)
    unreadable: dict[str, str] = field(default_factory=dict)
    files: Files | None = None
    in_memory: bool = False
    rows: int | None = None
    own: bool = False
    is_drawn: bool = False
    columns_of: Callable[[str], dict[str, str]] | None = None

    def find(self, name: str, role: str) -> str:
        """The column that is meant by a name, as the engine calls it: the very name, or else the one in other letters.

        Raises:
            MissingColumn: There is none.
            BadParameter: There are several.
            BadData: It cannot be read.
        """
        known = [*self.columns, *(one for one in self.unreadable if one not in self.columns)]
        found = [name] if name in known else [one for one in known if one.lower() == name.lower()]
        if not found:
            uneven = self.files.uneven_line(name) if self.files is not None else None
            if uneven:
                raise BadData(f"{role}: column {name!r} cannot be read: {uneven}")
            raise MissingColumn(name, role, known)
        if len(found) > 1:
            raise BadParameter(
                f"{role}: column {name!r} may be {' or '.join(map(repr, found))}; write it as it stands there"
            )
        if found[0] in self.unreadable:
            raise BadData(f"{role}: column {found[0]!r} {self.unreadable[found[0]]}")
        if self.files is not None:
            self.files.check(found[0], role)
        return found[0]

    def type_of(self, column: str) -> str:
        """The type of a column that was found."""
        return self.columns.get(column, "")

    def types_of(self, select: str) -> dict[str, str]:
        """The columns of a query with their types; none where the engine does not tell them, or refuses the query."""
        try:
            # An expression that closes its bracket and goes on with another statement must not be run.
            if not is_single_select(select, self.dialect):
                return {}
            if self.columns_of is not None:
                return {str(name): str(kind) for name, kind in self.columns_of(select).items()}
            if self.dialect == "duckdb" and self.errors == (duckdb.Error,):
                found = self.fetch(f"describe {select}")
                return dict(zip(found["column_name"], found["column_type"], strict=True))
        except self.errors:
            return {}
        except (QueryFailed, duckdb.Error):
            return {}
        return {}

    @property
    def as_input(self) -> InputRelation:
        """What a statement reads."""
        return InputRelation(self.relation, self.text, self.query, self.dialect, list(self.columns))

    @property
    def is_text(self) -> bool:
        """Whether every reading parses text."""
        return self.files is not None and self.files.is_text


#: What runs a statement over a source: `running.fetch`, or what the shell puts in its place.
Executor = Callable[[Source, str], pd.DataFrame]


def relation_name(role: str) -> str:
    """The name under which a query given as data or as a relation, or an object in memory, is read."""
    return "sqlmetrics_input" if role == "data" else f"sqlmetrics_{role}"


def readable_columns(own_names: Sequence[str], columns: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The columns whose names are those of the data, with their types, and the others, each with the reason.

    The engine takes names that differ in case only for one, and changes some of them. `own_names` are the names in the
    data, in the order of the engine's `columns`.
    """
    is_renamed = have_collisions(own_names) and [*own_names] != [*columns][: len(own_names)]
    if not is_renamed or len(own_names) > len(columns):
        return dict(columns), {}
    exact = Counter(own_names)
    readable = dict(list(columns.items())[len(own_names) :])
    unreadable = {}
    for name, engine_name in zip(own_names, columns, strict=False):
        others = [other for other in exact if other != name and other.lower() == name.lower()]
        if exact[name] > 1:
            unreadable[name] = "is the name of several columns"
        elif others:
            unreadable[name] = f"differs from {others[0]!r} in case only: rename one of them"
        elif name != engine_name:
            unreadable[name] = f"is {engine_name!r} to the engine, as others differ in case only: rename one of them"
        else:
            readable[name] = columns[name]
    return readable, unreadable


def checked_select(role: str, query: str, dialect: str = "duckdb") -> str:
    """The query, if it is a single select.

    Raises:
        QueryFailed: The engine cannot read it.
        BadParameter: It is no select, or several.
    """
    try:
        single = is_single_select(query, dialect)
    except duckdb.Error as error:
        raise QueryFailed(f"{role}: {first_line(error)}", query) from error
    if not single:
        raise BadParameter(f"{role}: a query must be one single select")
    return query.strip().rstrip(";")
