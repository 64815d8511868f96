"""Inputs of the shell: DATA, standard input, the database of `--db`."""

# ruff: noqa: PLC0415 (the engine is imported where used: `--help` does not need it)

from __future__ import annotations

import contextlib
import glob
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadData, BadParameter, SqlMetricsError, did_you_mean, first_line
from ..interrupts import FOLDER_PREFIX
from ..sql_text import BEGINS_QUERY, text_literal

if TYPE_CHECKING:
    import duckdb

#: The first bytes of gzip and zstd files.
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")


def as_data(data: list[str]) -> Any:
    """Convert DATA to the argument `data` of the library."""
    return data[0] if len(data) == 1 else data


@contextlib.contextmanager
def standard_input(data: list[str]) -> Iterator[list[str]]:
    """Copy standard input to a temporary file, whose format follows from the first bytes."""
    if data != ["-"]:
        yield data
        return
    import shutil
    import tempfile

    from ..inputs.paths import beginning_of_text

    if sys.stdin is None:  # closed by `<&-`
        raise BadData("-: standard input is closed")
    content = sys.stdin.buffer
    start = content.read(64)
    while not beginning_of_text(start) and (more := content.read(4096)):  # only blanks so far
        start += more
    if not start:
        raise BadData("-: standard input is empty; pipe rows into the command, or name a file")
    if start.startswith(_COMPRESSED):
        raise BadData("-: standard input is compressed; unpack it before (gzip -dc, zstd -dc), or name the file")
    ending = "parquet" if start[:4] == b"PAR1" else "json" if beginning_of_text(start)[:1] in (b"{", b"[") else "csv"
    with tempfile.TemporaryDirectory(prefix=f"{FOLDER_PREFIX}{os.getpid()}-") as folder:
        path = Path(folder) / f"standard-input.{ending}"
        with path.open("wb") as file:
            file.write(start)
            shutil.copyfileobj(content, file)
        try:
            yield [str(path)]
        except SqlMetricsError as error:
            # The temporary file no longer exists, so its path would not help.
            error.marked = error.marked.replace(str(path), "standard input")
            raise


@contextlib.contextmanager
def database(
    path: str, data: Sequence[str], threads: int | None, memory_limit: str | None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The database of --db, with limits."""
    import duckdb

    from ..engines.duckdb_connection import check_threads

    with open_database(path, "--db ", "; a file of data is given as DATA, without --db", read_only=True) as con:
        # Otherwise DuckDB could read a Python variable in place of a misspelt table.
        con.execute("set python_enable_replacements = false")
        con.execute("set TimeZone = 'UTC'")  # as for files
        if threads is not None:
            check_threads(threads)
            con.execute(f"set threads = {threads}")
        if memory_limit is not None:
            try:
                con.execute(f"set memory_limit = {text_literal(memory_limit)}")
            except duckdb.Error as error:
                raise BadParameter(f"--memory-limit {memory_limit}: {first_line(error)}") from error
        tables = [str(name) for (name,) in con.execute("select table_name from information_schema.tables").fetchall()]
        if re.fullmatch(r"\w+", data[0]) and data[0].lower() not in [name.lower() for name in tables]:
            raise BadData(f"--db {path}: there is no table or view {data[0]!r}{did_you_mean(data[0], tables)}")
        yield con


def open_database(path: str, option: str = "", instead: str = "", *, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Open an existing database; errors name the `option` that gives its path, and what to do `instead`."""
    import duckdb

    from ..inputs.paths import first_bytes

    if first_bytes(path, 12)[8:] != b"DUCK":
        raise BadData(f"{option}{path}: not a DuckDB database{instead}")
    try:
        return duckdb.connect(path, read_only=read_only)
    except duckdb.Error as error:
        raise BadData(f"{option}{path}: {first_line(error)}") from error


def input_files(data: Sequence[str]) -> list[str]:
    """The files that a command reads, including files that a query names in quotes."""
    named: list[str] = []
    for entry in data:
        named += re.findall(r"""["']([^"']+)["']""", entry) if BEGINS_QUERY.match(entry) else [entry]
    return [path for name in named for path in [name, *glob.glob(name, recursive=True)]]
