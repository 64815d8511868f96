"""Slices and their values as text."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import pandas as pd

from ..errors import printable
from ..tables import table_of


def slice_texts(result: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """Return the slice of each row as text; with several columns each value follows its column name."""
    table = table_of(result[list(keys)]) if keys else None
    if table is None:
        return [""] * len(result)
    texts = []
    for row in table.rows:
        cells = [text_of(value) for value in row]
        named = [
            cell if key == "model" or len(keys) == 1 else f"{key} {cell}" for key, cell in zip(keys, cells, strict=True)
        ]
        texts.append(", ".join(named))
    return texts


def text_of(value: Any) -> str:
    """Return a slice value as text; a missing value is NULL, and the text "NULL" has quotes."""
    if value is None:
        return "NULL"
    if isinstance(value, str) and value.strip('"') in ("NULL", ""):
        return f'"{value}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return printable(str(value))


def is_time(column: pd.Series[Any]) -> bool:
    """Whether a column holds dates or timestamps in years that Python supports."""
    values = [value for (value,) in table_of(column.to_frame()).rows if value is not None]
    return bool(values) and all(isinstance(value, datetime.date) for value in values)
