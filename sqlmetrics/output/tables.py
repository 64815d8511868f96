"""Results as rows of Python values."""

# ruff: noqa: PLC0415 (the engine, pandas and rich are imported where used: `sqlmetrics list` needs none of them)

from __future__ import annotations

import datetime
import decimal
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Table:
    """Rows of Python values, None for NULL; the columns in `exact` identify rows, so they are never rounded."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    exact: Collection[str] = ()


def table_of(frame: pd.DataFrame, exact: Collection[str] = ()) -> Table:
    """Return a DataFrame as Python values."""
    columns = [_column_values(frame.iloc[:, position].tolist()) for position in range(frame.shape[1])]
    return Table([str(name) for name in frame.columns], list(zip(*columns, strict=True)), exact)


def _column_values(values: Sequence[Any]) -> list[Any]:
    plain = [_to_python_value(value) for value in values]
    # A DATE reaches pandas as a timestamp, so a column of midnights only is written as dates.
    times = [value for value in plain if isinstance(value, datetime.datetime)]
    midnights = all(
        value.tzinfo is None and value.time() == datetime.time() and not getattr(value, "nanosecond", 0)
        for value in times
    )
    return [_date_or_timestamp(value, midnights) if isinstance(value, datetime.datetime) else value for value in plain]


def _date_or_timestamp(value: datetime.datetime, is_day: bool) -> Any:
    """Return a timestamp or its date; in years that Python does not support, as text in the form of the engine."""
    if datetime.MINYEAR <= value.year <= datetime.MAXYEAR:
        return value.date() if is_day else value
    zone = "" if value.tzinfo is None else "+00"
    if zone:
        value = cast("pd.Timestamp", value).tz_convert("UTC")  # only pandas has such years
    day = f"{value.year if value.year > 0 else 1 - value.year:04d}-{value.month:02d}-{value.day:02d}"
    clock = "" if is_day else f" {value.time()}"
    return f"{day}{'' if value.year > 0 else ' (BC)'}{clock}{zone}"


def _to_python_value(value: Any) -> Any:
    import numpy as np
    import pandas as pd

    if value is None or value is pd.NA or value is pd.NaT or value is np.ma.masked:
        return None
    if isinstance(value, np.ndarray | list | tuple):
        return [_nested_value(element) for element in value]
    if isinstance(value, dict):
        return {str(key): _nested_value(member) for key, member in value.items()}
    if isinstance(value, np.datetime64):  # `item` would return nanoseconds
        return None if np.isnat(value) else pd.Timestamp(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    if isinstance(value, decimal.Decimal):
        # A decimal that is no double is an id, so it stays exact as text. NaN here is a value, not a missing one.
        if value.is_nan():
            return "NaN"
        return float(value) if decimal.Decimal(repr(float(value))) == value else str(value)
    if isinstance(value, float):
        return None if math.isnan(value) else value
    return value


def _nested_value(value: Any) -> Any:
    """Return a value of a list or struct; integers beyond 64 bits are text for readers of JSON."""
    plain = _to_python_value(value)
    return str(plain) if isinstance(plain, int) and not -(2**63) <= plain < 2**64 else plain
