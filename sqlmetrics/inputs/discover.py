"""Find the files that paths name, their format, and the types of their columns."""

from __future__ import annotations

import codecs
import contextlib
import glob
import gzip
import importlib
import os
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from ..errors import BadData, BadParameter
from ..sql_text import text_literal
from .files import Files, scan_of
from .paths import COMPRESSION, READERS, beginning_of_text, ending_of, first_bytes, path_text, pattern_of
from .schemas import Run, Schema, collisions, may_be_renamed, parquet_schemas

#: The number of bytes to read at the beginning and at the end of a file.
_EDGE_BYTES = 4096
#: The metadata that a lake stores next to its files, its name, and the function that reads it.
_LAKES = {
    "_delta_log/": ("a Delta table", "delta_scan"),
    ".hoodie/": ("a Hudi table", ""),
    "metadata/*.metadata.json": ("an Iceberg table", "iceberg_scan"),
}
#: A folder that defines a column, as in `day=2024-01-01/`.
_PARTITION = re.compile(r"(?:^|[/\\])([^/\\=]+)=[^/\\=]*(?=[/\\])")
_TEMPORAL = ("DATE", "TIME")


def find_files(role: str, paths: Sequence[str | PathLike[str]], run: Run, where: str = "") -> Files:
    """Find the files of paths, patterns and folders; `where` names the other places that were searched for an error."""
    if not paths:
        raise BadData(f"{role}: the list of files is empty")
    patterns: list[str] = []
    readers: dict[str, str] = {}
    for path in map(path_text, paths):
        for file in _files_of_folder(role, path) if os.path.isdir(path) else [path]:
            readers.setdefault(_reader(role, file, where), file)
            patterns.append(pattern_of(file))
    if len(readers) > 1:
        names = " and ".join(readers.values())
        raise BadParameter(f"{role}: all files of a list must be of one format, and {names} are not")
    [reader] = readers
    options: list[str] = []
    if reader == "read_csv":
        marks = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        if all(os.path.isfile(pattern) and first_bytes(pattern, 2) in marks for pattern in patterns):
            options.append("encoding = 'utf-16'")
        # The engine would guess the quote character from the beginning of the first file. Quotes that come later would
        # merge or split users: 'a' and a are two users, "a" and a are one.
        options.append("quote = '\"'")
        # The engine would also guess comments, and drop rows that begin with an id such as `#1`.
        options.append("comment = ''")
    if any(os.path.isdir(path_text(path)) for path in paths) and all(
        re.search(r"[^/]=[^/]*/", pattern) for pattern in patterns
    ):
        options.append("hive_partitioning = true")
    return Files(reader, [text_literal(pattern) for pattern in patterns], run, options)


def describe(files: Files) -> Files:
    """Add the columns of all files, with their types.

    Raises:
        BadData: A file is listed twice, a text file is empty, or the engine cannot read the files.
    """
    lone = len(files.patterns) == 1 and not glob.has_magic(files.patterns[0])
    # A single parquet file is listed only if its folders name columns.
    names = files.paths() if files.is_text or not lone or "=" in files.patterns[0] else []
    _check_duplicates(names)
    files = replace(files, partitions=_partitions(names))
    if files.is_text:
        empty = [name for name in names if os.path.isfile(name) and not os.path.getsize(name)]
        if empty and (files.reader == "read_csv" or len(empty) == len(names)):  # the engine would invent a column
            raise BadData(f"{empty[0]} is empty")
        if files.reader == "read_csv":
            files = _with_csv_format(files, names)
        else:
            _check_ends(names)
            files = replace(files, options=[*files.options, "sample_size = -1", "maximum_sample_files = 1000000"])
        return _with_detected_types(replace(files, columns=_described(files)))
    schemas = {} if lone else parquet_schemas(files.run, files.patterns)
    if len({tuple(schema) for schema in schemas.values()}) > 1:
        files = files.matched_by_name(schemas)
    return replace(files, columns=_described(files))


def _check_duplicates(names: Sequence[str]) -> None:
    """Reject a file that two paths, patterns or links name: its rows would count twice."""
    seen: dict[str, str] = {}
    for name in names:
        location = name if "://" in name else os.path.realpath(name)
        if location in seen:
            also = "" if seen[location] == name else f", as {seen[location]} too"
            raise BadData(f"{name} is given twice{also}: its rows would count twice")
        seen[location] = name


def _check_ends(names: Sequence[str]) -> None:
    """Reject a JSON list that was cut off between two objects: the engine would read it as if it were complete."""
    for name in names:
        opened, errors = _opener(name)
        try:
            with opened(name, "rb") as file:
                start = end = file.read(_EDGE_BYTES)
                if not beginning_of_text(start).startswith(b"["):
                    continue
                if opened is open:
                    file.seek(max(_EDGE_BYTES, os.path.getsize(name) - _EDGE_BYTES))
                while more := file.read(1 << 20):
                    end = (end + more)[-_EDGE_BYTES:]
        except errors:  # the engine itself rejects the file
            continue
        if start.startswith(codecs.BOM_UTF8):
            raise BadData(
                f"{name} begins with a byte order mark, which is supported for one object per line only; remove it"
            )
        if end.rstrip() and not end.rstrip().endswith(b"]"):
            raise BadData(f"{name} begins with [ and does not end with ]: the file is incomplete")


def _opener(name: str) -> tuple[Callable[..., Any], tuple[type[Exception], ...]]:
    """Return the function that opens the decompressed content of a file, and its errors."""
    if name.lower().endswith((".gz", ".gzip")):
        return gzip.open, (OSError, EOFError, zlib.error)
    # Python reads Zstandard from 3.14 on. Before, without the package `zstandard`, the file is opened as it is.
    for module in ("compression.zstd", "zstandard") if COMPRESSION.search(name) else ():
        with contextlib.suppress(ModuleNotFoundError):
            library = importlib.import_module(module)
            return library.open, (OSError, EOFError, library.ZstdError)
    return open, (OSError,)


def _with_csv_format(files: Files, names: Sequence[str]) -> Files:
    """Add the options that the engine detects to CSV files, so that no statement detects them again.

    The engine reads files with the same columns by position, and others by name.
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
    files = replace(files, options=options)
    return files if len(set(map(tuple, headers.values()))) == 1 else files.matched_by_name(headers)


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


def _partitions(names: Sequence[str]) -> frozenset[str]:
    """Return the folded names of the columns that the folders of all files define."""
    partitions = {frozenset(map(str.lower, _PARTITION.findall(name))) for name in names}
    return partitions.pop() if len(partitions) == 1 else frozenset()


def _described(files: Files) -> dict[str, str]:
    return {str(row[0]): str(row[1]) for row in files.run(f"describe select * from {files.scan()}")}


def _with_detected_types(files: Files) -> Files:
    """Fix the types that a full read has detected, so that no statement detects them again."""
    # The engine does not report timestamp formats of JSON, and no file has a name that the engine changed.
    is_temporal = any(dtype.startswith(_TEMPORAL) for dtype in files.in_files().values())
    if files.types or may_be_renamed(files.columns) or (is_temporal and files.reader == "read_json"):
        return files
    options = [
        option for option in files.options if not option.startswith(("sample_size", "files_to_sniff", "maximum_sample"))
    ]
    typed = replace(files, options=options, types=files.in_files())
    return typed if _described(typed) == files.columns else files


def _files_of_folder(role: str, folder: str) -> list[str]:
    """List the data files below a folder; skip hidden names and names that begin with _."""
    for pattern, (lake, reader) in _LAKES.items():
        if glob.glob(os.path.join(glob.escape(folder), pattern)):
            hint = f", as in select * from {reader}('…')" if reader else ""
            raise BadData(f"{role}: {folder} is {lake}, and not every file in it is current; read it in a query{hint}")
    files = list(_walk(folder))
    if not files:
        raise BadData(f"{role}: the folder {folder} holds no file of data")
    return files


def _walk(folder: str) -> Iterator[str]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name.startswith(".") or (entry.name.startswith("_") and "=" not in entry.name):
            continue
        if entry.is_dir():
            yield from _walk(entry.path)
        else:
            yield entry.path


def _reader(role: str, path: str, where: str) -> str:
    suffix = ending_of(path)
    if suffix in READERS:
        return READERS[suffix]
    if os.path.isfile(path) and first_bytes(path, 4) == b"PAR1":
        return "read_parquet"
    if not os.path.isfile(path) and (not suffix or not re.search(r"[/\\.*]", path)):
        raise BadData(f"{role}: {path!r} is no file{where}; files end in {', '.join(READERS)}")
    raise BadData(f"{role}: {path}: unknown format; files end in {', '.join(READERS)} (and .gz, .zst)")
