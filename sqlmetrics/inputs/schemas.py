"""The columns of several files, and in which of them their types or names are at odds."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

Rows = list[tuple[Any, ...]]
#: Names with their types.
Schema = list[tuple[str, str]]
Run = Callable[[str], Rows]
#: What the engine makes of a name that is there already, in whatever letters.
_RENAMED = re.compile(r"(.+)_\d+\Z", re.DOTALL)


def conflicting_types(schemas: dict[str, Schema], partitions: frozenset[str]) -> dict[str, dict[str | None, list[str]]]:
    """By folded column the types that it has in different files, where these are several, with the files of each.

    A partition has one type, whatever a file says in a column of that name: it is read off the paths.
    """
    mixed: dict[str, dict[str | None, list[str]]] = {}
    folded = {file: {name.lower(): kind for name, kind in schema} for file, schema in schemas.items()}
    for column in dict.fromkeys(name for schema in folded.values() for name in schema if name not in partitions):
        kinds: dict[str | None, list[str]] = {}
        for file, schema in folded.items():
            kinds.setdefault(schema.get(column), []).append(file)
        if len(kinds) > 1:
            mixed[column] = kinds
    return mixed


def may_be_renamed(names: Collection[str]) -> bool:
    """Whether the engine may have changed some of its names, because of others that differ from them in case only."""
    folded = {one.lower() for one in names}
    return any(found and found[1].lower() in folded for found in map(_RENAMED.match, names))


def have_collisions(names: Collection[str]) -> bool:
    """Whether two names are the same, or differ in case only."""
    return len({name.lower() for name in names}) < len(names)


def parquet_schemas(run: Run, patterns: Sequence[str]) -> dict[str, Schema]:
    """By file the columns as the file itself writes them, with their types."""
    rows = run(
        "select file_name, name, num_children, coalesce(duckdb_type, logical_type, converted_type, type) "
        f"from parquet_schema([{', '.join(patterns)}])"
    )
    found: dict[str, Schema] = {}
    place = 0
    while place < len(rows):
        file, _, count, _ = rows[place]
        place += 1
        columns = []
        for _ in range(count or 0):
            name = rows[place][1]
            kind, place = _schema_type(rows, place)
            columns.append((str(name), kind))
        found[str(file)] = columns
    return found


def _schema_type(rows: Rows, place: int) -> tuple[str, int]:
    """The type that begins in a row, in words, and the row after it; a structure has rows of its own for its parts."""
    _, _, count, kind = rows[place]
    place += 1
    if not count:
        return str(kind).strip('"'), place
    parts = []
    for _ in range(count):
        name = rows[place][1]
        part, place = _schema_type(rows, place)
        parts.append(f"{name} {part}")
    return f"({', '.join(parts)})", place
