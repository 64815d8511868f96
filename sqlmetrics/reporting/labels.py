"""Slices and their values as text."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from ..output.text import shown_cell
from ..tables import table_of


def with_slices(result: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return the same rows, whose slices are in the columns `keys`."""
    rows = result.copy(deep=False)
    rows.attrs = {**result.attrs, "slices": [*keys]}
    return rows


def slice_texts(result: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """Return the slice of each row as text; values follow their column names if they are ambiguous without them."""
    if not keys:
        return [""] * len(result)
    rows = [tuple(map(text_of, row)) for row in table_of(result[[*keys]]).rows]
    texts = [", ".join(row) for row in rows]
    if len({*texts}) == len({*rows}):
        return texts
    return [", ".join(f"{key} {text}" for key, text in zip(keys, row, strict=True)) for row in rows]


def text_of(value: Any) -> str:
    """Return a slice value as text, as in tables of the shell, but the empty text has quotes."""
    return '""' if value == "" else shown_cell(value, exact=True)


def is_time(column: pd.Series[Any]) -> bool:
    """Whether a column holds dates or timestamps."""
    values = [value for (value,) in table_of(column.to_frame()).rows if value is not None]
    return bool(values) and all(isinstance(value, datetime.date) for value in values)


def decimals_of(size: float) -> int:
    """Return the decimals that show two digits of a size, such as half an interval; four without a size."""
    # Smaller numbers are the rounding errors of equal models.
    return min(max(1 - math.floor(math.log10(size)), 0), 9) if size > 1e-9 and math.isfinite(size) else 4


def rounded(value: float, decimals: int, sign: str = "") -> str:
    """Return a number as text; a huge one has an exponent."""
    text = f"{value:{sign}.4g}" if abs(value) >= 1e15 else f"{value:{sign},.{decimals}f}"
    return text.replace("-", "−").replace("inf", "∞")


def direction_text(better: str | None) -> str:
    """Return the direction of a metric, such as "near 1", as text."""
    ideal = (better or "").removeprefix("near ")
    return {"higher": "higher is better", "lower": "lower is better", "": ""}.get(ideal, f"{ideal} is best")
