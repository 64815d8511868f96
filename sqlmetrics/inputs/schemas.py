"""The columns of several files, and conflicts between their types or names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

Rows = list[tuple[Any, ...]]
#: Names with their types.
Schema = list[tuple[str, str]]
Run = Callable[[str], Rows]
#: The form of the names that the engine gives to repeated columns, in any case.
_RENAMED = re.compile(r"(.+)_\d+\Z", re.DOTALL)


def conflicting_types(schemas: dict[str, Schema], partitions: frozenset[str]) -> dict[str, dict[str | None, list[str]]]:
    """Map each folded column with several types to these types, each with its files.

    Partitions are read from the paths, so they have one type.
    """
    conflicts: dict[str, dict[str | None, list[str]]] = {}
    folded = {file: {name.lower(): dtype for name, dtype in schema} for file, schema in schemas.items()}
    for column in dict.fromkeys(name for schema in folded.values() for name in schema if name not in partitions):
        types: dict[str | None, list[str]] = {}
        for file, schema in folded.items():
            types.setdefault(schema.get(column), []).append(file)
        if len(types) > 1:
            conflicts[column] = types
    return conflicts


def may_be_renamed(names: Collection[str]) -> bool:
    """Whether the engine may have changed names, because others differ from them in case only."""
    folded = {name.lower() for name in names}
    return any(match and match[1].lower() in folded for match in map(_RENAMED.match, names))


def collisions(names: Collection[str]) -> dict[str, str]:
    """Return the names that are equal in any case, each with the reason why its column cannot be read."""
    folded = Counter(map(str.lower, names))
    reason = "is the name of several columns, in upper or lower case: rename one of them"
    return dict.fromkeys((name for name in names if folded[name.lower()] > 1), reason)


def parquet_schemas(run: Run, patterns: Sequence[str]) -> dict[str, Schema]:
    """Map each file to its columns as the file writes them, with their types."""
    rows = iter(
        run(
            "select file_name, name, num_children, coalesce(duckdb_type, logical_type, converted_type, type) "
            f"from parquet_schema([{', '.join(patterns)}])"
        )
    )
    return {str(file): [_next_column(rows) for _ in range(count or 0)] for file, _, count, _ in rows}


def _next_column(rows: Iterator[tuple[Any, ...]]) -> tuple[str, str]:
    """Read the name and the text of the type of a column; a struct is followed by the rows of its parts."""
    _, name, count, dtype = next(rows)
    if not count:
        return str(name), str(dtype).strip('"')
    return str(name), f"({', '.join(' '.join(_next_column(rows)) for _ in range(count))})"
