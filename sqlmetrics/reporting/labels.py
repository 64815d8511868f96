"""Slices and their values in words."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import pandas as pd

from ..errors import printable
from ..output.tables import table_of


def slice_texts(result: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """What each row is a slice of, in words; the name of a column alone where there are several."""
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
    """A slice's value in words; a missing one is NULL, and the text of these letters has quotes."""
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
    """Whether a column holds days or times, of years that Python has."""
    values = [value for (value,) in table_of(column.to_frame()).rows if value is not None]
    return bool(values) and all(isinstance(value, datetime.date) for value in values)
