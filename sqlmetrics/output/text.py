"""Tables as text: aligned for people; csv, json and markdown for programs."""

# ruff: noqa: PLC0415 (the engine, pandas and rich are imported where used: `sqlmetrics list` needs none of them)

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import printable
from ..tables import Table, table_of

if TYPE_CHECKING:
    import pandas as pd

#: The formats that are text, by the name that `--format` takes.
TEXT_FORMATS = ("table", "csv", "json", "jsonl", "markdown")


def key_texts(table: Table, keys: Sequence[str]) -> list[str]:
    """Return the slice of each row as text, as in `device=ios, model=new`."""
    cells = [map(partial(shown_cell, exact=True), table.column(key)) for key in keys]
    rows: list[Any] = list(zip(*cells, strict=True)) if keys else [()] * len(table.rows)
    return [", ".join(f"{key}={cell}" for key, cell in zip(keys, row, strict=True)) for row in rows]


def _json_value(value: Any) -> Any:
    """Return a value for JSON, which has no infinity: thresholds above all scores are "Infinity", as `float` reads."""
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [_json_value(element) for element in value]
    if isinstance(value, dict):
        return {key: _json_value(member) for key, member in value.items()}
    return value.hex() if isinstance(value, bytes) else str(value)


def _json_text(value: Any) -> str:
    return json.dumps(_json_value(value), ensure_ascii=False, allow_nan=False)


def full_text(value: Any) -> str:
    """Return a value as text for programs."""
    if isinstance(value, float):
        return repr(value)
    return _json_text(value) if isinstance(value, bool | list | dict) else str(_json_value(value))


def texts_of(values: pd.Series) -> list[str | None]:
    """Return the values of a column as text, None for NULL."""
    return [None if value is None else full_text(value) for (value,) in table_of(values.to_frame()).rows]


def _csv_cell(value: Any) -> str:
    if value is None:
        return ""
    text = full_text(value)
    # Quotes distinguish the empty text from NULL.
    if text == "" or text != text.strip() or any(character in text for character in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def shown_cell(value: Any, exact: bool) -> str:
    """Return a value for people: six digits of a number, or all digits of an exact one."""
    if value is None:
        return "NULL"
    if isinstance(value, float):
        if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        return repr(value) if exact else f"{value:.6g}"
    text = full_text(value)
    if isinstance(value, str) and text.strip('"') == "NULL":
        return f'"{text}"'  # NULL without quotes is a missing value
    # Escape line breaks, which would break the row, and escape sequences, which would control the terminal.
    return printable(text)


def shown_rows(table: Table) -> list[list[str]]:
    """Return the rows as text for people."""
    exact = [name in table.exact for name in table.columns]
    return [[shown_cell(value, is_exact) for value, is_exact in zip(row, exact, strict=True)] for row in table.rows]


def numeric_columns(table: Table) -> list[bool]:
    """Return which columns hold numbers only; these are aligned to the right."""
    return [
        all(row[position] is None or type(row[position]) in (int, float) for row in table.rows)
        for position in range(len(table.columns))
    ]


def as_text(table: Table, format: str) -> str:
    """Return the table in one of TEXT_FORMATS with a final newline; `table` is plain text of full width."""
    if format == "csv":
        return "".join(",".join(map(_csv_cell, row)) + "\n" for row in [table.columns, *table.rows])
    if format in ("json", "jsonl"):
        records = [_json_text(dict(zip(table.columns, row, strict=True))) for row in table.rows]
        if format == "jsonl":
            return "".join(f"{record}\n" for record in records)
        return "[\n  " + ",\n  ".join(records) + "\n]\n" if records else "[]\n"
    rows, numeric = shown_rows(table), numeric_columns(table)
    names = [shown_cell(name, exact=False) for name in table.columns]
    if format == "markdown":
        rule = ["---:" if right else "---" for right in numeric]
        cells = [[cell.replace("|", "\\|") for cell in row] for row in [names, *rows]]
        return "".join("| " + " | ".join(row) + " |\n" for row in [cells[0], rule, *cells[1:]])
    return _aligned([names, *rows], numeric)


def column_widths(table: Table) -> list[int]:
    """Return the width of each column."""
    from rich.cells import cell_len

    names = [shown_cell(name, exact=False) for name in table.columns]
    return [max(map(cell_len, column)) for column in zip(names, *shown_rows(table), strict=True)]


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
