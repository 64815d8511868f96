"""Paths of files: their endings, their patterns, and the bytes at their beginning."""

from __future__ import annotations

import codecs
import glob
import os
import re
from os import PathLike
from pathlib import Path

import duckdb

from ..errors import BadData

READERS = {
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".txt": "read_csv",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
COMPRESSION = re.compile(r"\.(gz|gzip|zst|zstd)\Z", re.IGNORECASE)


def beginning_of_text(start: bytes) -> bytes:
    """Return the first bytes of a file without a byte order mark and blanks.

    >>> beginning_of_text(b" [1]")
    b'[1]'
    """
    return start.removeprefix(codecs.BOM_UTF8).lstrip()


def ending_of(path: str) -> str:
    """Return the ending of a file name, without the ending of its compression.

    >>> ending_of("log.CSV.gz")
    '.csv'
    """
    return Path(COMPRESSION.sub("", path)).suffix.lower()


def first_bytes(path: str, count: int) -> bytes:
    """Return the start of a file; empty if it cannot be opened, because the engine reports that better."""
    try:
        with open(path, "rb") as file:
            return file.read(count)
    except OSError:
        return b""


def path_text(path: str | PathLike[str]) -> str:
    """Return a path as text that the engine opens."""
    text = os.fsdecode(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        shown = text.encode(errors="backslashreplace").decode()
        raise BadData(f"the path {shown} is not UTF-8, and DuckDB opens no such file; rename it") from None
    if "\0" in text:
        raise BadData(f"the path {text!r} holds a NUL character")
    return text


def pattern_of(path: str) -> str:
    """Return a path as a pattern of the engine; the name of an existing file is escaped.

    >>> pattern_of("no/such/[day]*.csv")
    'no/such/[day]*.csv'

    Raises:
        BadData: DuckDB 1 would read other files.
    """
    if not glob.has_magic(path) or not os.path.lexists(path):
        return path
    if int(duckdb.__version__.partition(".")[0]) < 2:  # DuckDB 1 expands the escaped name again
        raise BadData(f"{path}: DuckDB {duckdb.__version__} takes the name for a pattern; rename the file")
    return re.sub(r"([*?[])", r"[\1]", path)
