"""CSV files that are written in different ways, as one relation."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..errors import BadData
from ..sql_text import text_literal
from .files import WHOLE_LINES, Files, scan_of
from .paths import COMPRESSION, first_bytes, pattern_of
from .schemas import case_collisions, conflicting_types, may_be_renamed


@dataclass(frozen=True)
class _Dialect:
    """How a CSV file is written: `names` as they stand there, below the lines that are skipped.

    `days` holds the columns of days and moments that are not written as 2024-02-01, and how they are.
    """

    names: tuple[str, ...]
    delimiter: str
    skip: int
    header: bool
    backslash: bool
    days: tuple[tuple[str, str], ...] = field(default=(), compare=False)


def with_dialects(files: Files, names: Sequence[str]) -> Files:
    """CSV files as they are written, with the columns that some of them lack.

    Left to itself the engine finds the types of columns by their places, and the columns by their names; and it skips
    as many lines of each file as are in front of the names of the first. What is the same in all of them is said to it
    in every statement, as it might find another beginning where it is told the types.
    """
    found: dict[str, _Dialect] = {}
    begun: dict[bytes, _Dialect] = {}
    for name in names:
        # One of those that begin with the same line of names is enough, as far as that can be seen here.
        line, end, _ = (b"", b"", b"") if COMPRESSION.search(name) else first_bytes(name, 65536).partition(b"\n")
        found[name] = begun[line] if end and line in begun else _dialect(files, name)
        if found[name].header and not found[name].skip and not found[name].backslash:
            begun[line] = found[name]
    if not found:
        return files
    if len(set(found.values())) > 1:
        # The engine will look at each of them by itself: what it skips there, and how it reads days, is to be seen.
        whole = [one for one in files.options if one.startswith("sample_size")]
        found = {name: _dialect(files, name, whole) for name in names}
    first = found[names[0]]
    options = list(files.options)
    for option, values in (
        ("delim", {text_literal(one.delimiter) for one in found.values()}),
        ("skip", {str(one.skip) for one in found.values()}),
        ("header", {str(any(one.header for one in found.values())).lower()}),
    ):
        if len(values) == 1:
            options.append(f"{option} = {values.pop()}")
    files = replace(files, options=options, written=first.names)
    if len(set(found.values())) < 2:
        return files
    ways: dict[str, set[str]] = {}
    for column, way in (each for one in found.values() for each in one.days):
        ways.setdefault(column.lower(), set()).add(way)
    several = {column for column, given in ways.items() if len(given) > 1}
    headers = {
        name: [
            (column, dict(one.days).get(column, "written in another way") if column.lower() in several else "")
            for column in one.names
        ]
        for name, one in found.items()
    }
    return replace(
        files,
        options=[*options, "union_by_name = true"],
        mixed=conflicting_types(headers, files.partitions),
        alike=case_collisions(headers),
    )


def _dialect(files: Files, name: str, options: Sequence[str] = ()) -> _Dialect:
    """What the engine finds in the beginning of a CSV file, if it is read as it will be.

    Raises:
        BadData: It would skip lines that are no titles.
    """
    ways = [one for one in files.options if one.startswith(("quote =", "comment =", "encoding ="))]
    path = text_literal(pattern_of(name))
    [(columns, delimiter, skip, header, escape, date, moment)] = files.run(
        "select Columns, Delimiter, SkipRows, HasHeader, Escape, DateFormat, TimestampFormat "
        f"from sniff_csv({', '.join([path, *ways, *options])})"
    )
    names = tuple(str(column["name"]) for column in columns)
    days = tuple(
        (str(column["name"]), f"{kind} ({way})")
        for column in columns
        for kind, way in (("DATE", date), ("TIMESTAMP", moment))
        if str(column["type"]) == kind and way and not str(way).startswith("%Y")
    )
    if may_be_renamed(names):
        given = [*ways, f"delim = {text_literal(delimiter)}", f"skip = {skip}", "header = false", "all_varchar = true"]
        names = tuple(str(one) for one in files.run(f"select * from {scan_of(files.reader, [path], given)} limit 1")[0])
    # Elsewhere a quote in quotes is written twice, or there is none, which the engine tells apart.
    dialect = _Dialect(names, str(delimiter), int(skip), bool(header), escape == "\\", days)
    if dialect.skip:
        encoding = [one for one in ways if one.startswith("encoding")]
        _check_titles(files, name, dialect, scan_of(files.reader, [path], [*WHOLE_LINES, *encoding]))
    return dialect


def _check_titles(files: Files, name: str, dialect: _Dialect, lines: str) -> None:
    """The engine skips whatever has not as many fields as the lines below, and says nothing of rows among it.

    Raises:
        BadData: It is no title, but a row, or names of columns.
    """
    columns = {one.lower() for one in dialect.names}
    skipped = files.run(f"select line from {lines} limit {dialect.skip}")
    for number, (line,) in enumerate(skipped, 1):
        fields = [one.strip() for one in next(csv.reader([line or ""], delimiter=dialect.delimiter), [])]
        if not any(fields) or (dialect.header and len(fields) == 1):
            continue
        numbers = all(re.fullmatch(r"[-+.\deE]*", one) for one in fields)
        if numbers or not dialect.header or any(one.lower() in columns for one in fields):
            raise BadData(
                f"{name}: line {dialect.skip + 1} has {len(dialect.names)} fields, and line {number} in front of it, "
                f"which holds others ({line[:60]}), would be skipped: make two files of it, or remove that line"
            )
