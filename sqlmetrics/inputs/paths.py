"""Paths of files: their endings, their patterns, and the bytes at their beginning."""

from __future__ import annotations

import atexit
import codecs
import functools
import glob
import hashlib
import os
import re
import shutil
import tempfile
from os import PathLike
from pathlib import Path

import duckdb

from ..errors import BadData
from ..interrupts import FOLDER_PREFIX

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
    """The first bytes of a file from its first character on, behind a byte order mark and blanks.

    >>> beginning_of_text(b" [1]")
    b'[1]'
    """
    return start.removeprefix(codecs.BOM_UTF8).lstrip()


def ending_of(path: str) -> str:
    """The ending of a file's name, without that of its compression.

    >>> ending_of("log.CSV.gz")
    '.csv'
    """
    return Path(COMPRESSION.sub("", path)).suffix.lower()


def first_bytes(path: str, count: int) -> bytes:
    """The start of a file; nothing where it cannot be opened, which the engine will report better."""
    try:
        with open(path, "rb") as file:
            return file.read(count)
    except OSError:
        return b""


def path_text(path: str | PathLike[str]) -> str:
    """A path as text.

    Raises:
        BadData: Its bytes are no UTF-8, and the engine opens no such file.
    """
    text = os.fspath(path)
    if isinstance(text, bytes):
        text = os.fsdecode(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        shown = text.encode(errors="backslashreplace").decode()
        raise BadData(f"the path {shown} is not UTF-8, and DuckDB opens no such file; rename it") from None
    if "\0" in text:
        raise BadData(f"the path {text!r} holds a NUL character")
    return text


def pattern_of(path: str) -> str:
    """A path as the engine's pattern; a file that exists stands for itself, whatever its name holds.

    >>> pattern_of("no/such/[day]*.csv")
    'no/such/[day]*.csv'
    """
    if not glob.has_magic(path) or not os.path.lexists(path):
        return path
    return re.sub(r"([*?[])", r"[\1]", path) if _READS_PATTERNS_ONCE else _linked(path)


#: DuckDB 1 may take a file that a pattern has found for a pattern again, when it copies a plan.
_READS_PATTERNS_ONCE = int(duckdb.__version__.partition(".")[0]) >= 2


@functools.cache
def _link_folder() -> Path:
    """A folder for the length of the process; another process removes it if this one is killed."""
    folder = Path(tempfile.mkdtemp(prefix=f"{FOLDER_PREFIX}{os.getpid()}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _linked(path: str) -> str:
    """A link to a file under a name that is no pattern, in folders of the same partitions."""
    absolute = Path(os.path.abspath(path))
    partitions = [part for part in absolute.parts[:-1] if "=" in part]
    name = re.sub(r"[*?[]", "_", absolute.name)
    try:
        link = _link_folder().joinpath(hashlib.sha256(os.fsencode(absolute)).hexdigest()[:16], *partitions, name)
        if not link.is_symlink():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(absolute)
    except OSError as error:
        raise BadData(f"{path}: DuckDB {duckdb.__version__} takes the name for a pattern; rename the file") from error
    return str(link)
