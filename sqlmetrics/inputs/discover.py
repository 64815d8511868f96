"""Which files are meant by paths, in which format, and of which types their columns are together."""

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
from .csv_format import with_csv_format
from .files import Files, struct_literal
from .paths import COMPRESSION, READERS, beginning_of_text, ending_of, first_bytes, path_text, pattern_of
from .schemas import Run, may_be_renamed, parquet_schemas

#: How many bytes are looked at where a file begins and where it ends.
_END = 4096
#: What a lake keeps beside its files to say which of them count.
_LAKES = {"_delta_log": "a Delta table", ".hoodie": "a Hudi table", "metadata": "an Iceberg table"}
_LAKE_READERS = {"a Delta table": "delta_scan", "an Iceberg table": "iceberg_scan"}
_TEMPORAL = ("DATE", "TIME")


def find_files(role: str, paths: Sequence[str | PathLike[str]], run: Run, where: str = "") -> Files:
    """The files that are meant by paths, patterns and folders; `where` says where else was looked for a name."""
    if not paths:
        raise BadData(f"{role}: the list of files is empty")
    patterns: list[str] = []
    readers: dict[str, str] = {}
    for path in map(path_text, paths):
        for one in _files_of_folder(role, path) if os.path.isdir(path) else [path]:
            readers.setdefault(_reader(role, one, where), one)
            patterns.append(pattern_of(one))
    if len(readers) > 1:
        names = " and ".join(readers.values())
        raise BadParameter(f"{role}: all files of a list must be of one format, and {names} are not")
    [reader] = readers
    options: list[str] = []
    if reader == "read_csv":
        encodings = {_encoding(one) for one in patterns}
        if encodings == {"utf-16"}:
            options.append("encoding = 'utf-16'")
        # The engine would guess by the beginning of the first file: that single quotes are none of the text, or that
        # double quotes are, where the first of them comes late. 'a' and a are two users, "a" and a are one.
        options.append("quote = '\"'")
        # No more would it tell what is no row: `#1` may be an id, of which only the first would be there, if any.
        options.append("comment = ''")
    if any(os.path.isdir(path_text(path)) for path in paths) and all(
        re.search(r"[^/]=[^/]*/", one) for one in patterns
    ):
        options.append("hive_partitioning = true")
    return Files(reader, [text_literal(one) for one in patterns], run, options)


def describe(files: Files) -> Files:
    """The files with their columns and types, those of all of them.

    Raises:
        BadData: A file is among them twice, a text is empty, or the engine cannot read them.
    """
    lone = len(files.patterns) == 1 and not glob.has_magic(files.patterns[0])
    # A lone file of parquet is looked up for the columns that its folders name only.
    names = files.paths() if files.is_text or not lone or "=" in files.patterns[0] else []
    _check_once(names)
    files = replace(files, partitions=_partitions(names))
    if files.is_text:
        _check_content(files, names)
        if files.reader == "read_json":
            _check_ends(names)
        if files.reader == "read_csv":
            files = with_csv_format(files, names)
        else:
            files = replace(files, options=[*files.options, "sample_size = -1", "maximum_sample_files = 1000000"])
        return _with_known_types(replace(files, columns=_described(files)))
    schemas = {} if lone else parquet_schemas(files.run, files.patterns)
    if len({tuple(schema) for schema in schemas.values()}) > 1:
        files = files.matched_by_name(schemas)
    return replace(files, columns=_described(files))


def _check_once(names: Sequence[str]) -> None:
    """The rows of a file that two paths, patterns or links name would count twice.

    Raises:
        BadData: There is one.
    """
    seen: dict[str, str] = {}
    for name in names:
        place = name if "://" in name else os.path.realpath(name)
        if place in seen:
            also = "" if seen[place] == name else f", as {seen[place]} too"
            raise BadData(f"{name} is given twice{also}: its rows would count twice")
        seen[place] = name


def _check_content(files: Files, names: Sequence[str]) -> None:
    """A text without a character in it has no columns, though the engine names one.

    Raises:
        BadData: There is one, of CSV among others too: it lacks the names that these have.
    """
    empty = [one for one in names if os.path.isfile(one) and not os.path.getsize(one)]
    if empty and (files.reader == "read_csv" or len(empty) == len(names)):
        raise BadData(f"{empty[0]} is empty")


def _check_ends(names: Sequence[str]) -> None:
    """A list of JSON that was cut off between two of its objects is read by the engine as if it were whole.

    Raises:
        BadData: A file begins a list and does not end it, or there is a mark before it.
    """
    for name in names:
        start, end = (_ends_of_compressed if COMPRESSION.search(name) else _ends_of)(name)
        if not _begins_list(start):
            continue
        if start.startswith(codecs.BOM_UTF8):
            raise BadData(f"{name} begins with a byte order mark, which is read before objects by line only: remove it")
        if end.rstrip() and not end.rstrip().endswith(b"]"):
            raise BadData(f"{name} begins with [ and does not end with ]: a part of it is missing")


def _begins_list(start: bytes) -> bool:
    return beginning_of_text(start).startswith(b"[")


def _ends_of(name: str) -> tuple[bytes, bytes]:
    """The first and, of what begins a list, the last bytes of a file."""
    start = first_bytes(name, _END)
    if not _begins_list(start):
        return start, b""
    with open(name, "rb") as file:
        file.seek(max(0, os.path.getsize(name) - _END))
        return start, file.read()


def _ends_of_compressed(name: str) -> tuple[bytes, bytes]:
    """The same of what it holds; what cannot be read to its end, the engine refuses.

    Of Zstandard no Python before 3.14 knows, and the package `zstandard` may be missing: then it is not looked at.
    """
    opened: Callable[..., Any] | None = gzip.open if name.lower().endswith((".gz", ".gzip")) else None
    broken: tuple[type[Exception], ...] = (OSError, EOFError, zlib.error)
    for module in () if opened else ("compression.zstd", "zstandard"):
        with contextlib.suppress(ModuleNotFoundError):
            found = importlib.import_module(module)
            opened, broken = found.open, (OSError, EOFError, found.ZstdError)
            break
    if opened is None:
        return b"", b""
    try:
        with opened(name, "rb") as file:
            start = end = file.read(_END)
            while _begins_list(start) and (more := file.read(1 << 20)):
                end = (end + more)[-_END:]
            return start, end
    except broken:
        return b"", b""


def _partitions(names: Sequence[str]) -> frozenset[str]:
    """The folded names that the folders of all files give to columns, as the engine reads them off their paths."""
    found = {
        frozenset(
            part.partition("=")[0].lower()
            for part in re.split(r"[/\\]", name)[:-1]
            if re.fullmatch(r"[^=]+=[^=]*", part)
        )
        for name in names
    }
    return found.pop() if len(found) == 1 else frozenset()


def _described(files: Files) -> dict[str, str]:
    return {str(row[0]): str(row[1]) for row in files.run(f"describe select * from {files.scan()}")}


def _with_known_types(files: Files) -> Files:
    """The types that were found by reading everything, so that no statement has to find them again."""
    # The engine does not report the formats of timestamps in JSON, and a name that it has changed is in no file.
    is_temporal = any(dtype.startswith(_TEMPORAL) for dtype in files.in_files().values())
    if files.pinned() or may_be_renamed(files.columns) or (is_temporal and files.reader == "read_json"):
        return files
    options = [one for one in files.options if not one.startswith(("sample_size", "files_to_sniff", "maximum_sample"))]
    known = "types" if files.reader == "read_csv" else "columns"
    pinned = replace(files, options=[*options, f"{known} = {struct_literal(files.in_files())}"])
    return pinned if _described(pinned) == files.columns else files


def _files_of_folder(role: str, folder: str) -> list[str]:
    """The data files in a folder and in the folders below; what is hidden or begins with _ is its writer's own."""
    for name, what in _LAKES.items():
        marks = glob.glob(os.path.join(glob.escape(folder), name, "*.metadata.json")) if name == "metadata" else []
        if marks or (name != "metadata" and os.path.isdir(os.path.join(folder, name))):
            hint = f", as in select * from {_LAKE_READERS[what]}('…')" if what in _LAKE_READERS else ""
            raise BadData(f"{role}: {folder} is {what}, of which not every file counts; read it in a query{hint}")
    found = list(_walk(folder))
    if not found:
        raise BadData(f"{role}: the folder {folder} holds no file of data")
    return found


def _walk(folder: str) -> Iterator[str]:
    for entry in sorted(os.scandir(folder), key=lambda one: one.name):
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
    raise BadData(f"{role}: {path}: cannot tell the format; files end in {', '.join(READERS)} (and .gz, .zst)")


def _encoding(pattern: str) -> str:
    start = first_bytes(pattern, 2) if os.path.isfile(pattern) else b""
    return "utf-16" if start in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
