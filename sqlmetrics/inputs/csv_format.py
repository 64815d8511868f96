"""How CSV files are written, which has to be the same for all files of a relation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import BadData
from ..sql_text import text_literal
from .files import Files, scan_of, struct_literal
from .paths import pattern_of
from .schemas import Schema, have_collisions, may_be_renamed


def with_csv_format(files: Files, names: Sequence[str]) -> Files:
    """CSV files with the options that the engine detects, so that no statement has to detect them again.

    Files with the same columns are read by position, others by name.

    Raises:
        BadData: Two files are written in different ways, or the engine would skip lines at the beginning of a file.
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
    if len(set(map(tuple, schemas.values()))) == 1 and not have_collisions(written):
        types = {name: dtype for name, dtype in schemas[names[0]] if name.lower() not in files.partitions}
        return replace(files, options=[*options, f"types = {struct_literal(types)}"])
    options += ["sample_size = -1", "files_to_sniff = -1"]
    headers = {name: [(column, "") for column, _ in schema] for name, schema in schemas.items()}
    if len(set(map(tuple, headers.values()))) == 1:
        return replace(files, options=options)
    return replace(files, options=options).matched_by_name(headers)


def _sniff(files: Files, name: str) -> tuple[Schema, dict[str, str]]:
    """The columns of a CSV file with their types, and the options with which the engine reads it.

    Raises:
        BadData: It would skip lines, and say nothing of rows among them.
    """
    given = [one for one in files.options if one.startswith(("quote =", "comment =", "encoding ="))]
    path = text_literal(pattern_of(name))
    [(columns, delimiter, skip, header, escape, date, timestamp)] = files.run(
        "select Columns, Delimiter, SkipRows, HasHeader, Escape, DateFormat, TimestampFormat "
        f"from sniff_csv({', '.join([path, *given, 'sample_size = -1'])})"
    )
    if skip:
        raise BadData(
            f"{name}: line {skip + 1} has {len(columns)} fields, and what is above it would be skipped; remove it, or "
            f"write a query: select * from read_csv('…', skip = {skip})"
        )
    # Without quotes inside of quotes the engine detects no escape character.
    escape = "\\" if escape == "\\" else '"'
    options = {"delim": text_literal(delimiter), "header": str(header).lower(), "escape": text_literal(escape)}
    options |= {key: text_literal(way) for key, way in (("dateformat", date), ("timestampformat", timestamp)) if way}
    written = [str(column["name"]) for column in columns]
    if may_be_renamed(written):
        raw = [*given, f"delim = {text_literal(delimiter)}", "header = false", "all_varchar = true"]
        names = [str(one) for one in files.run(f"select * from {scan_of(files.reader, [path], raw)} limit 1")[0]]
        written = names if have_collisions(names) else written
    return [(name, str(column["type"])) for name, column in zip(written, columns, strict=True)], options
