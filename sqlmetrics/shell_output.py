"""What the shell prints and writes: text for people; csv, json and markdown for programs; files in one piece."""

# ruff: noqa: PLC0415 (the engine, pandas and rich are imported where used: `sqlmetrics list` needs none of them)

from __future__ import annotations

import datetime
import decimal
import json
import math
import os
import re
import shutil
import sys
import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from .arguments import in_shell
from .errors import BadParameter, SqlMetricsError, printable
from .interrupts import unfinished

if TYPE_CHECKING:
    import pandas as pd

#: The formats that are text, by the name that `--format` takes.
TEXT_FORMATS = ("table", "csv", "json", "jsonl", "markdown")
#: The endings that `-o` knows, and what each holds.
ENDINGS = {
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".md": "markdown",
    ".parquet": "parquet",
    ".svg": "svg",
}


@dataclass(frozen=True)
class Table:
    """Rows of Python values, None for NULL; the columns in `exact` tell rows apart, so they are never rounded."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    exact: Collection[str] = ()


def table_of(frame: pd.DataFrame, exact: Collection[str] = ()) -> Table:
    """A DataFrame as Python values."""
    columns = [_column_values(frame.iloc[:, position].tolist()) for position in range(frame.shape[1])]
    return Table([str(name) for name in frame.columns], list(zip(*columns, strict=True)), exact)


def _column_values(values: Sequence[Any]) -> list[Any]:
    plain = [_plain(value) for value in values]
    # A DATE reaches pandas as a timestamp: a column of nothing but midnights is written as dates.
    times = [value for value in plain if isinstance(value, datetime.datetime)]
    midnights = all(
        value.tzinfo is None and value.time() == datetime.time() and not getattr(value, "nanosecond", 0)
        for value in times
    )
    return [_moment(value, midnights) if isinstance(value, datetime.datetime) else value for value in plain]


def _moment(value: datetime.datetime, is_day: bool) -> Any:
    """A moment, or its day; of the years that Python does not have the text, as the engine writes it."""
    if datetime.MINYEAR <= value.year <= datetime.MAXYEAR:
        return value.date() if is_day else value
    zone = "" if value.tzinfo is None else "+00"
    if zone:
        value = cast("pd.Timestamp", value).tz_convert("UTC")  # nothing else has such years
    day = f"{value.year if value.year > 0 else 1 - value.year:04d}-{value.month:02d}-{value.day:02d}"
    clock = "" if is_day else f" {value.time()}"
    return f"{day}{'' if value.year > 0 else ' (BC)'}{clock}{zone}"


def _plain(value: Any) -> Any:
    import numpy as np
    import pandas as pd

    if value is None or value is pd.NA or value is pd.NaT or value is np.ma.masked:
        return None
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain_inside(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain_inside(one) for key, one in value.items()}
    if isinstance(value, np.datetime64):  # as a whole number it would be one of nanoseconds
        return None if np.isnat(value) else pd.Timestamp(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    if isinstance(value, decimal.Decimal):
        # A decimal that is no double is an id: its text is the whole of it. So is NaN, which is not the missing one.
        if value.is_nan():
            return "NaN"
        return float(value) if decimal.Decimal(repr(float(value))) == value else str(value)
    if isinstance(value, float):
        return None if math.isnan(value) else value
    return value


def _plain_inside(value: Any) -> Any:
    """A value in a list or a structure, where no reader of json looks for more than 64 bits."""
    plain = _plain(value)
    return str(plain) if isinstance(plain, int) and not -(2**63) <= plain < 2**64 else plain


def key_texts(frame: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """For each row the slice it stands for, as in `device=ios, model=new`."""
    rows = _shown_rows(table_of(frame[list(keys)], exact=keys)) if keys else [[]] * len(frame)
    return [", ".join(f"{key}={cell}" for key, cell in zip(keys, row, strict=True)) for row in rows]


def _json_value(value: Any) -> Any:
    """JSON has no infinity: the threshold above all scores is the text "Infinity", which `float` reads back."""
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [_json_value(one) for one in value]
    if isinstance(value, dict):
        return {key: _json_value(one) for key, one in value.items()}
    return value.hex() if isinstance(value, bytes) else str(value)


def _json_text(value: Any) -> str:
    return json.dumps(_json_value(value), ensure_ascii=False, allow_nan=False)


def _full_text(value: Any) -> str:
    if isinstance(value, float):
        return repr(value)
    return _json_text(value) if isinstance(value, bool | list | dict) else str(_json_value(value))


def texts_of(values: pd.Series) -> list[str | None]:
    """The values of a column as they are written, None for NULL."""
    return [None if one is None else _full_text(one) for (one,) in table_of(values.to_frame()).rows]


def _csv_cell(value: Any) -> str:
    if value is None:
        return ""
    text = _full_text(value)
    # The empty text is quoted, so that a reader can tell it from NULL.
    if text == "" or text != text.strip() or any(character in text for character in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _shown_cell(value: Any, exact: bool) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, float):
        if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        return repr(value) if exact else f"{value:.6g}"
    text = _full_text(value)
    if isinstance(value, str) and text.strip('"') == "NULL":
        return f'"{text}"'  # a missing value has no quotes
    # A line break would break the row, and an escape sequence of the data's must not steer the terminal.
    return printable(text)


def _shown_rows(table: Table) -> list[list[str]]:
    exact = [name in table.exact for name in table.columns]
    return [[_shown_cell(value, one) for value, one in zip(row, exact, strict=True)] for row in table.rows]


def _numeric(table: Table) -> list[bool]:
    """Which columns hold nothing but numbers: they are aligned to the right."""
    return [
        all(row[position] is None or type(row[position]) in (int, float) for row in table.rows)
        for position in range(len(table.columns))
    ]


def as_text(table: Table, format: str) -> str:
    """The table in one of TEXT_FORMATS, a newline at its end; `table` is plain text of full width."""
    if format == "csv":
        return "".join(",".join(map(_csv_cell, row)) + "\n" for row in [table.columns, *table.rows])
    if format in ("json", "jsonl"):
        records = [_json_text(dict(zip(table.columns, row, strict=True))) for row in table.rows]
        if format == "jsonl":
            return "".join(f"{record}\n" for record in records)
        return "[\n  " + ",\n  ".join(records) + "\n]\n" if records else "[]\n"
    rows, numeric = _shown_rows(table), _numeric(table)
    names = [_shown_cell(name, exact=False) for name in table.columns]
    if format == "markdown":
        rule = ["---:" if right else "---" for right in numeric]
        cells = [[cell.replace("|", "\\|") for cell in row] for row in [names, *rows]]
        return "".join("| " + " | ".join(row) + " |\n" for row in [cells[0], rule, *cells[1:]])
    return _aligned([names, *rows], numeric)


def _widths(table: Table) -> list[int]:
    """How wide each column is."""
    from rich.cells import cell_len

    names = [_shown_cell(name, exact=False) for name in table.columns]
    return [max(map(cell_len, column)) for column in zip(names, *_shown_rows(table), strict=True)]


def _aligned(rows: list[list[str]], numeric: list[bool]) -> str:
    from rich.cells import cell_len

    widths = [max(cell_len(row[position]) for row in rows) for position in range(len(numeric))]
    lines = []
    for row in rows:
        cells = []
        for cell, width, right in zip(row, widths, numeric, strict=True):
            padding = " " * (width - cell_len(cell))
            cells.append(padding + cell if right else cell + padding)
        lines.append("  ".join(cells).rstrip() + "\n")
    return "".join(lines)


#: How many characters wide a bar is.
_BAR = 16


def with_bars(table: Table, names: Sequence[str], width: int) -> Table:
    """The table with a bar behind each of these columns: where a value lies between the ends of all, with its interval.

    Every column has ends of its own, which its heading tells. As many bars are drawn, from the first column on, as a
    terminal of this width has room for; where there is none, or no bar could tell rows apart, the table is as it was.
    """
    columns, rows = list(table.columns), [list(row) for row in table.rows]
    marks = "●─" if _can_print("●─") else "*-"
    for name in names:
        place = columns.index(name)
        ends = [columns.index(end) if end in columns else place for end in (f"{name}_low", f"{name}_high")]
        known = [row[one] for row in rows for one in (place, *ends) if _is_finite(row[one])]
        if len(rows) < 2 or not known or min(known) == max(known):
            continue
        low, high = min(known), max(known)
        heading = f"{low:.3g} … {high:.3g}" if _can_print("…") else f"{low:.3g} .. {high:.3g}"
        behind = max(place, *ends) + 1
        bars = [_bar([row[one] for one in (place, *ends)], low, high, marks) for row in rows]
        more = [*columns[:behind], heading, *columns[behind:]]
        wider = [[*row[:behind], bar, *row[behind:]] for row, bar in zip(rows, bars, strict=True)]
        if _width_of(_widths(Table(more, wider, table.exact))) > width:
            break
        columns, rows = more, wider
    return Table(columns, rows, table.exact)


def _bar(values: Sequence[Any], low: float, high: float, marks: str) -> str:
    """A value and the ends of its interval as places on a line."""
    places = [round((_BAR - 1) * (one - low) / (high - low)) if _is_finite(one) else None for one in values]
    at, first, last = places
    if at is None:
        return ""
    line = [" "] * _BAR
    if first is not None and last is not None:
        line[first : last + 1] = marks[1] * (last + 1 - first)
    line[at] = marks[0]
    return "".join(line).rstrip()


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _can_print(text: str) -> bool:
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def _width_of(widths: Sequence[int]) -> int:
    """How wide columns of these widths are on a terminal: three characters between two of them, two at either end."""
    return sum(widths) + 3 * len(widths) + 1


def show(table: Table, format: str) -> None:
    """Print the table: for `table` on a terminal with rich, elsewhere as plain text."""
    if format != "table" or sys.stdout is None or not sys.stdout.isatty():
        print_text(as_text(table, format))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console()
    for part in _parts(table, console.width):
        # Text objects, because a slice called "[red]" is no markup; folded, because what is cut short is another name.
        pretty = RichTable(box=SIMPLE_HEAD)
        for name, right in zip(part.columns, _numeric(part), strict=True):
            heading = Text(_shown_cell(name, exact=False))
            pretty.add_column(heading, justify="right" if right else "left", overflow="fold", no_wrap=right)
        for row in _shown_rows(part):
            pretty.add_row(*(Text(cell, style="dim" if cell == "NULL" else "") for cell in row))
        console.print(pretty)


#: Down to this width texts are broken into lines.
_NARROW_TEXT = 16


def _parts(table: Table, width: int) -> list[Table]:
    """The table, or several that a terminal of this width has room for, each with the columns that tell rows apart.

    A number that goes on in the next line would be read as another one; texts may be broken.
    """
    numeric, own = _numeric(table), _widths(table)
    least = [one if right else min(one, _NARROW_TEXT) for one, right in zip(own, numeric, strict=True)]
    if not any(numeric) or _width_of(least) <= width:
        return [table]
    keys = [place for place, name in enumerate(table.columns) if name in table.exact]
    others = [one for place, one in enumerate(least) if place not in keys]
    if not others or _width_of([*(least[place] for place in keys), max(others)]) > width:
        keys = []
    parts: list[list[int]] = []
    for place in range(len(least)):
        if place in keys:
            continue
        if not parts or _width_of([least[one] for one in (*parts[-1], place)]) > width:
            parts.append(list(keys))
        parts[-1].append(place)
    return [
        Table([table.columns[one] for one in part], [[row[one] for one in part] for row in table.rows], table.exact)
        for part in parts
    ]


def report(kind: str, message: object) -> None:
    """One line on stderr."""
    if isinstance(message, SqlMetricsError):
        message = in_shell(message.marked)
    click.echo(f"{kind}: {printable(' '.join(str(message).splitlines()))}", err=True)


def print_text(text: str) -> None:
    """Write to standard output; when its reader has gone (`| head`), go on in silence."""
    if sys.stdout is None:
        raise BadParameter("standard output is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _silence_stdout()


def _silence_stdout() -> None:
    """Send what is still to be printed nowhere: the interpreter flushes once more when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def output_format(path: str, endings: Sequence[str] = tuple(ENDINGS)) -> str:
    """What a file is to hold, by its ending."""
    ending = Path(path).suffix.lower()
    if ending not in endings:
        raise BadParameter(f"-o {path}: the ending must be one of {', '.join(endings)}")
    return ENDINGS[ending]


def check_output(path: str, inputs: Collection[str]) -> None:
    """Refuse a target that cannot be written, or that is one of the inputs, before any work is done."""
    target = Path(path)
    if target.is_dir():
        raise BadParameter(f"-o {path}: this is a folder")
    folder = Path(os.path.realpath(target)).parent
    if not folder.is_dir():
        raise BadParameter(f"-o {path}: there is no folder {folder}")
    if target.exists() and any(_is_read(target, one) for one in inputs):
        raise BadParameter(f"-o {path}: this is one of the input files")


def _is_read(target: Path, name: str) -> bool:
    """Whether a file is that of a name, one of such a folder, or what stands on standard input."""
    if name == "-":
        try:
            return os.path.samestat(os.fstat(0), target.stat())
        except OSError:  # there is no standard input
            return False
    if not Path(name).exists():
        return False
    return os.path.samefile(name, target) or Path(os.path.realpath(target)).is_relative_to(os.path.realpath(name))


def write_whole(path: str, write: Callable[[Path], None]) -> None:
    """Write beside the target and rename: whatever goes wrong, a file that was there stays as it was."""
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
    unfinished.add(str(beside))
    try:
        write(beside)
        if target.exists():
            shutil.copymode(target, beside)
        os.replace(beside, target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadParameter(f"{path}: the folder {target.parent} takes no file ({reason}); choose another") from error
    finally:
        beside.unlink(missing_ok=True)
        unfinished.discard(str(beside))


def write_text(path: str, text: str) -> None:
    """Write a text file whole."""

    def write(beside: Path) -> None:
        beside.write_bytes(text.encode("utf-8"))

    write_whole(path, write)


def write_result(path: str, frame: pd.DataFrame, exact: Collection[str]) -> None:
    """Write a result in the format of the file's ending."""
    format = output_format(path)
    if format == "svg":
        from .charts import plot

        write_text(path, plot(frame).svg)
        return
    if format != "parquet":
        write_text(path, as_text(table_of(frame, exact), format))
        return
    import duckdb

    from .sql_text import text_literal

    stored, columns = _for_parquet(frame)

    def write(beside: Path) -> None:
        with duckdb.connect() as con:
            # A type is that of all values, not of a few at the beginning.
            con.execute(f"set pandas_analyze_sample = {max(len(stored), 1)}")
            con.register("result", stored)
            try:
                con.execute(f"copy (select {columns} from result) to {text_literal(str(beside))} (format parquet)")
            except duckdb.IOException as error:
                # The cause may stand inside of a structure.
                reported = re.search(r'"exception_message":"(.*?)(?<!\\)"', str(error))
                reason = reported[1].replace("\\", "") if reported else str(error).splitlines()[0]
                raise OSError(f"-o {path}: {reason.replace(str(beside), path)}") from error

    write_whole(path, write)


def _for_parquet(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """A result, and what is to be selected of it for a file that loses no digit of it.

    The engine would make doubles of whole numbers of more than 64 bits, as parquet has no such type, and floats of
    decimals beside NaN. They are decimals where parquet has one that holds them all, and else the texts of csv.
    """
    import pandas as pd

    from .sql_text import quoted_name

    stored = frame.set_axis([f"c{place}" for place in range(frame.shape[1])], axis=1)
    columns = []
    for place, (own, name) in enumerate(zip(stored.columns, frame.columns, strict=True)):
        value = own
        if frame.dtypes.iloc[place] == "object":
            texts = texts_of(frame.iloc[:, place])
            known = [(row, one) for row, one in enumerate(frame.iloc[:, place]) if texts[row] is not None]
            kind = _exact_type([one for _, one in known])
            if kind is not None:
                if kind != "VARCHAR":  # of which every digit counts, and a float's text has not all
                    for row, one in known:
                        texts[row] = str(one)
                stored[own] = pd.Series(texts, index=stored.index, dtype=object)
                value = f"cast({own} as {kind})"
        columns.append(f"{value} as {quoted_name(str(name))}")
    return stored, ", ".join(columns)


def _exact_type(values: Sequence[Any]) -> str | None:
    """The type in which parquet holds these objects as they are; None where the engine finds it."""
    from .column_types import DIGITS_OF_DECIMALS, digits_of

    if not any(map(_holds_wide, values)):
        return None
    if any(isinstance(one, bool) or not isinstance(one, int | decimal.Decimal) for one in values):
        return "VARCHAR"
    decimals = list(map(decimal.Decimal, values))
    if not all(one.is_finite() for one in decimals):
        return "VARCHAR"
    before, after = digits_of(decimals)
    if not after and all(0 <= one < 2**64 for one in values):
        return "UBIGINT"
    digits_of_all = before + after
    return f"DECIMAL({digits_of_all}, {after})" if digits_of_all <= DIGITS_OF_DECIMALS else "VARCHAR"


def _holds_wide(value: Any) -> bool:
    """Whether it is a decimal, or a whole number of more than 64 bits, or such a one or nanoseconds lie in it."""
    if isinstance(value, dict):
        return any(map(_holds_wide, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_holds_wide, value))
    if isinstance(value, int):
        return not -(2**63) <= value < 2**63
    return isinstance(value, decimal.Decimal) or getattr(value, "dtype", None) == "datetime64[ns]"
