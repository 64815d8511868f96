"""Print results and messages, and write the files of `-o`."""

# ruff: noqa: PLC0415 (the engine, pandas and rich are imported where used: `sqlmetrics list` needs none of them)

from __future__ import annotations

import ast
import os
import re
import shlex
import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import click

from ..arguments import ARGUMENTS
from ..errors import BadParameter, SqlMetricsError, printable
from ..output.files import write_file, write_parquet
from ..output.text import as_text, text_table
from ..tables import Result, Table, table_of

#: The formats of `-o` by file ending.
ENDINGS = {
    ".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".md": "markdown", ".parquet": "parquet", ".svg": "svg",
    ".png": "png",
}  # fmt: skip
#: The options of the shell by argument.
_IN_SHELL = {argument.name: argument.option for argument in ARGUMENTS}
_IN_SHELL |= {"data": "DATA", "metrics": "-m", "con": "--db"}
_VALUE = r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\[(?:'[^']*'|"[^"]*"|[^]'"])*\]|[\w.…]+)"""
_MARKED = re.compile(rf"⟨(\w+)⟩(?:={_VALUE})?")


def show_table(table: Table, format: str, wide: bool = False) -> None:
    """Print the table: the format `table` on a terminal uses rich, everything else is plain text."""
    if format != "table" or sys.stdout is None or not sys.stdout.isatty():
        print_text(as_text(table, format, wide))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console()
    for part in text_table(table, wide).parts(console.width):
        # Text objects, so that a slice called "[red]" is not markup; folded, so that names stay complete.
        pretty = RichTable(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        for name, right in zip(part.names, part.right, strict=True):
            pretty.add_column(Text(name), justify="right" if right else "left", overflow="fold", no_wrap=right)
        for row in part.rows:
            pretty.add_row(*(Text(cell, style="dim" if cell == "NULL" else "") for cell in row))
        console.print(pretty)


def report_line(prefix: str, message: object) -> None:
    """Print a line to stderr."""
    if isinstance(message, SqlMetricsError):
        message = in_shell(message.marked)
    click.echo(f"{prefix}: {printable(' '.join(str(message).splitlines()))}", err=True)


def in_shell(marked: str) -> str:
    """Convert an error message to the syntax of the shell.

    >>> in_shell("cluster needs ⟨confidence⟩, as in ⟨confidence⟩=0.95; give ⟨score⟩=['old', 'new']")
    '--cluster needs --confidence, as in --confidence 0.95; give --score old --score new'
    """
    first = re.match(r"(\w+)(?=[ :])", marked)
    if first is not None and first[1] in _IN_SHELL:
        marked = f"⟨{first[1]}⟩{marked[first.end() :]}"
    return _MARKED.sub(_with_option, marked)


def _with_option(match: re.Match[str]) -> str:
    option = _IN_SHELL.get(match[1], match[1])
    if match[2] is None:
        return option
    try:
        value = ast.literal_eval(match[2])
    except (SyntaxError, ValueError):
        return f"{option} {match[2]}"
    if isinstance(value, list) and not any(isinstance(entry, str) for entry in value):
        value = ",".join(map(str, value))
    return " ".join(f"{option} {_word(entry)}" for entry in (value if isinstance(value, list) else [value]))


def _word(value: object) -> str:
    """Quote a value as one word of the shell."""
    text = str(value)
    return f'"{text}"' if " " in text and not re.search(r'["$`\\!]', text) else shlex.quote(text)


def print_text(text: str) -> None:
    """Write to standard output, and ignore a closed pipe (`| head`)."""
    if sys.stdout is None:
        raise BadParameter("standard output is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes stdout once more at exit.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def output_format(path: str, endings: Sequence[str] = tuple(ENDINGS)) -> str:
    """The format of a file by its ending."""
    ending = Path(path).suffix.lower()
    if ending not in endings:
        raise BadParameter(f"-o {path}: the ending must be one of {', '.join(endings)}")
    if ending == ".png":
        from ..reporting.svg import png_writer

        png_writer()  # fails before the query runs if the extra is missing
    return ENDINGS[ending]


def is_text_format(path: str | None) -> bool:
    """Whether a result is printed, or written as text."""
    return path is None or ENDINGS.get(Path(path).suffix.lower()) not in ("parquet", "svg", "png")


def with_exact(result: Result, exact: Collection[str]) -> Table:
    """A result as a table, whose columns in `exact` are not rounded."""
    return replace(result, exact=exact) if isinstance(result, Table) else table_of(result, exact)


def write_result(path: str, result: Result, exact: Collection[str], wide: bool = False) -> None:
    """Write a result in the format of the file's ending."""
    format = output_format(path)
    if isinstance(result, Table) or is_text_format(path):
        write_file(path, as_text(with_exact(result, exact), format, wide))
    elif format in ("svg", "png"):
        from ..reporting.charts import plot

        plot(result).save(path)
    else:
        write_parquet(path, result)
