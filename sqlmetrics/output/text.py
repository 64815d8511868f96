"""Tables as text: aligned for people; csv, json and markdown for programs."""

# ruff: noqa: PLC0415 (the engine, pandas and rich are imported where used: `sqlmetrics list` needs none of them)

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import printable
from ..tables import Table, table_of
from .numbers import number_texts
from .views import Shown, view_of

if TYPE_CHECKING:
    import pandas as pd

#: The formats that are text, by the name that `--format` takes.
TEXT_FORMATS = ("table", "csv", "json", "jsonl", "markdown")


def key_texts(table: Table, keys: Sequence[str]) -> list[str]:
    """Return the slice of each row as text, as in `device=ios, model=new`."""
    return [", ".join(f"{key}={shown_cell(row[key], exact=True)}" for key in keys) for row in table.records()]


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


@dataclass(frozen=True)
class TextTable:
    """A table for people: its cells as text, which columns are aligned to the right, and which identify rows."""

    names: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Sequence[bool]
    keys: Sequence[bool]

    def widths(self) -> list[int]:
        """The width of each column."""
        from rich.cells import cell_len

        return [max(map(cell_len, column)) for column in zip(self.names, *self.rows, strict=True)]

    def of_columns(self, indices: Sequence[int]) -> TextTable:
        """The table of some columns."""
        names, *rows = ([row[index] for index in indices] for row in (self.names, *self.rows))
        right, keys = ([flags[index] for index in indices] for flags in (self.right, self.keys))
        return TextTable(names, rows, right, keys)

    def parts(self, width: int) -> list[TextTable]:
        """Split a table that is wider than `width`; each part repeats the columns that identify rows.

        Terminals wrap texts but not numbers, as each line would look like a number.
        """
        columns = zip(self.widths(), self.right, self.keys, strict=True)
        least = [size if right else min(size, _NARROW_KEY if key else _NARROW_TEXT) for size, right, key in columns]
        if not any(self.right) or _width_of(least) <= width:
            return [self]
        keys = [index for index, is_key in enumerate(self.keys) if is_key]
        others = [size for index, size in enumerate(least) if index not in keys]
        if not others or _width_of([*(least[index] for index in keys), max(others)]) > width:
            keys = []
        parts: list[list[int]] = []
        # Words, such as verdicts, come first.
        for index in sorted(range(len(least)), key=lambda index: self.right[index]):
            if index in keys:
                continue
            if not parts or _width_of([least[i] for i in (*parts[-1], index)]) > width:
                parts.append(list(keys))
            parts[-1].append(index)
        return [self.of_columns(part) for part in parts]


#: Texts wrap down to this width, those that identify rows to the other.
_NARROW_TEXT, _NARROW_KEY = 16, 24
#: The width of a table that is not on a terminal.
_WIDTH = 100


def _width_of(widths: Sequence[int]) -> int:
    """The width of a table, with two spaces between its columns."""
    return sum(widths) + 2 * (len(widths) - 1)


def text_table(table: Table, wide: bool = False) -> TextTable:
    """Return a table for people: the columns of its view, or all columns, with rounded numbers."""
    columns = [Shown(name, [index]) for index, name in enumerate(table.columns)] if wide else view_of(table)
    is_key = [name in table.exact for name in table.columns]
    metrics = table.column("metric") if "metric" in table.exact else []
    cells, right = [], []
    for column in columns:
        first, *others = column.sources
        numbers = [first] if column.has_slice else column.sources
        values = [[row[source] for row in table.rows] for source in numbers]
        are_numbers = all(value is None or type(value) in (int, float) for column in values for value in column)
        if are_numbers and not is_key[first]:
            texts = number_texts(values, table.columns[first], metrics)
        else:
            texts = [[shown_cell(value, is_key[first]) for value in column] for column in values]
        if column.has_slice:
            texts += [[shown_cell(row[source], exact=True) for row in table.rows] for source in others]
        right.append(are_numbers and not column.has_slice)
        cells.append([_joined(parts, column.has_slice) for parts in zip(*texts, strict=True)])
    names = [shown_cell(column.heading, exact=False) for column in columns]
    rows_of_cells = list(zip(*cells, strict=True)) if table.rows else []
    return TextTable(names, rows_of_cells, right, [is_key[column.sources[0]] for column in columns])


def _joined(parts: Sequence[str], has_slice: bool) -> str:
    """Join the cells of merged columns: a value and its slice, a change, or a value and its interval."""
    if has_slice:
        return f"{parts[0]} {', '.join(parts[1:])}"
    if len(parts) < 3:
        return " → ".join(parts)
    value, low, high = parts
    return value if low == high == "NULL" else f"{value} [{low}, {high}]"


def as_text(table: Table, format: str, wide: bool = False) -> str:
    """Return the table in one of TEXT_FORMATS with a final newline; csv and json have all columns and digits."""
    if format == "csv":
        return "".join(",".join(map(_csv_cell, row)) + "\n" for row in [table.columns, *table.rows])
    if format in ("json", "jsonl"):
        records = [_json_text(dict(zip(table.columns, row, strict=True))) for row in table.rows]
        if format == "jsonl":
            return "".join(f"{record}\n" for record in records)
        return "[\n  " + ",\n  ".join(records) + "\n]\n" if records else "[]\n"
    shown = text_table(table, wide)
    if format == "markdown":
        rule = ["---:" if right else "---" for right in shown.right]
        cells = [[cell.replace("|", "\\|") for cell in row] for row in [shown.names, *shown.rows]]
        return "".join("| " + " | ".join(row) + " |\n" for row in [cells[0], rule, *cells[1:]])
    return "\n".join(map(_aligned, shown.parts(_WIDTH)))


def _aligned(table: TextTable) -> str:
    from rich.cells import cell_len

    widths, lines = table.widths(), []
    for row in [table.names, *table.rows]:
        cells = []
        for cell, width, right in zip(row, widths, table.right, strict=True):
            padding = " " * (width - cell_len(cell))
            cells.append(padding + cell if right else cell + padding)
        lines.append("  ".join(cells).rstrip() + "\n")
    return "".join(lines)
