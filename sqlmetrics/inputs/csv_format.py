"""The CSV options of files; all files of a relation must share them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import BadData
from ..sql_text import text_literal
from .files import Files, scan_of
from .paths import pattern_of
from .schemas import Schema, collisions, may_be_renamed


def with_csv_format(files: Files, names: Sequence[str]) -> Files:
    """Add the options that the engine detects to CSV files, so that no statement detects them again.

    The engine reads files with the same columns by position, and others by name.

    Raises:
        BadData: Two files have different options, or the engine would skip lines at the beginning of a file.
    """
    schemas: dict[str, Schema] = {}
    formats: dict[str, tuple[str, str]] = {}
    for name in names:
        schemas[name], detected = _sniff(files, name)
        for option, value in detected.items():
            first, other = formats.setdefault(option, (name, value))
            if value != other:
                raise BadData(
                    f"{first} is read with {option} = {other} and {name} with {option} = {value}; write a query that "
                    f"reads each file with its own options, as in select * from read_csv('…', {option} = {value})"
                )
    if not schemas:
        return files
    options = [*files.options, "skip = 0", *(f"{option} = {value}" for option, (_, value) in formats.items())]
    written = tuple(name for name, _ in schemas[names[0]])
    files = replace(files, written=written)
    if len(set(map(tuple, schemas.values()))) == 1 and not collisions(written):
        types = {name: dtype for name, dtype in schemas[names[0]] if name.lower() not in files.partitions}
        return replace(files, options=options, types=types)
    options += ["sample_size = -1", "files_to_sniff = -1"]
    headers = {name: [(column, "") for column, _ in schema] for name, schema in schemas.items()}
    if len(set(map(tuple, headers.values()))) == 1:
        return replace(files, options=options)
    return replace(files, options=options).matched_by_name(headers)


def _sniff(files: Files, name: str) -> tuple[Schema, dict[str, str]]:
    """Return the columns of a CSV file with their types, and the options with which the engine reads it."""
    fixed_options = [option for option in files.options if option.startswith(("quote =", "comment =", "encoding ="))]
    path = text_literal(pattern_of(name))
    [(columns, delimiter, skip, header, escape, date, timestamp)] = files.run(
        "select Columns, Delimiter, SkipRows, HasHeader, Escape, DateFormat, TimestampFormat "
        f"from sniff_csv({', '.join([path, *fixed_options, 'sample_size = -1'])})"
    )
    if skip:
        raise BadData(
            f"{name}: line {skip + 1} has {len(columns)} fields, and what is above it would be skipped; remove it, or "
            f"write a query: select * from read_csv('…', skip = {skip})"
        )
    # The engine detects no escape character in a file without quotes inside of quotes.
    escape = "\\" if escape == "\\" else '"'
    options = {"delim": text_literal(delimiter), "header": str(header).lower(), "escape": text_literal(escape)}
    options |= {
        key: text_literal(detected)
        for key, detected in (("dateformat", date), ("timestampformat", timestamp))
        if detected
    }
    written = [str(column["name"]) for column in columns]
    if may_be_renamed(written):
        raw = [*fixed_options, f"delim = {text_literal(delimiter)}", "header = false", "all_varchar = true"]
        names = [str(name) for name in files.run(f"select * from {scan_of(files.reader, [path], raw)} limit 1")[0]]
        written = names if collisions(names) else written
    return [(name, str(column["type"])) for name, column in zip(written, columns, strict=True)], options
