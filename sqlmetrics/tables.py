"""Results: tables of Python values inside, and as pandas for callers in Python."""

# ruff: noqa: PLC0415 (pandas is imported where a DataFrame is made: the shell prints without it)

from __future__ import annotations

import datetime
import decimal
import math
import re
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from .column_types import is_floating, is_number

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Table:
    """Rows of Python values, None for NULL; the columns in `exact` identify rows, so they are never rounded.

    `dtypes` are the engine's names of types. `attrs` describes the result, as in pandas.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    exact: Collection[str] = ()
    dtypes: Sequence[str] = ()
    attrs: Mapping[str, Any] = field(default_factory=dict)

    def column(self, name: str) -> list[Any]:
        """The values of a column."""
        index = self.columns.index(name)
        return [row[index] for row in self.rows]

    def records(self) -> list[dict[str, Any]]:
        """The rows as values by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def dtype_of(self, name: str) -> str:
        """The type of a column."""
        return self.dtypes[self.columns.index(name)]


#: A result in either form; `renamed`, `without` and `values_of` read both.
Result: TypeAlias = "Table | pd.DataFrame"


def renamed(result: Result, names: Sequence[str]) -> Any:
    """A result with other names of columns."""
    return replace(result, columns=names) if isinstance(result, Table) else result.set_axis(list(names), axis=1)


def without(result: Result, names: Collection[str]) -> Any:
    """A result without some columns."""
    if not isinstance(result, Table):
        return result[[name for name in result.columns if name not in names]]
    left = [index for index, name in enumerate(result.columns) if name not in names]
    rows = [[row[index] for index in left] for row in result.rows]
    columns, dtypes = ([values[index] for index in left] for values in (result.columns, result.dtypes))
    return replace(result, columns=columns, rows=rows, dtypes=dtypes)


def values_of(result: Result, name: str) -> list[Any]:
    """The values of a column, None where there is none."""
    if isinstance(result, Table):
        return result.column(name)
    values = result[name]
    return [value if present else None for value, present in zip(values.tolist(), values.notna().tolist(), strict=True)]


#: Types of DuckDB whose Python values are written as those of pandas are.
_PRINTABLE = re.compile(
    r"(BOOLEAN|U?TINYINT|U?SMALLINT|U?INTEGER|BIGINT|FLOAT|DOUBLE|VARCHAR|UUID|BLOB|TIME|ENUM\(.*\))(\[\d*\])*"
    r"|HUGEINT|DECIMAL\(\d+,\d+\)|DATE|TIMESTAMP(_S|_MS| WITH TIME ZONE)?",
    re.DOTALL,
)
#: Python's values for infinite dates and timestamps.
_INFINITE = (datetime.date.min, datetime.date.max, datetime.datetime.min, datetime.datetime.max)


def is_printable(table: Table, numbers: Collection[str]) -> bool:
    """Whether the table is written as the DataFrame of the same statement; `numbers` become doubles or integers."""
    return all(
        (_PRINTABLE.fullmatch(dtype) is not None or (name in numbers and is_number(dtype)))
        and (not dtype.startswith(("DATE", "TIMESTAMP")) or all(map(_is_usual_time, table.column(name))))
        for name, dtype in zip(table.columns, table.dtypes, strict=True)
    )


def _is_usual_time(value: Any) -> bool:
    return value is None or (isinstance(value, datetime.date) and value not in _INFINITE)


def typed_table(table: Table, ids: Collection[str], counts: Collection[str], numbers: Collection[str]) -> Table:
    """A printable table with the types that pandas users expect: no count is NULL, and numbers are doubles."""
    dtypes, columns = [*table.dtypes], []
    for index, name in enumerate(table.columns):
        values = [row[index] for row in table.rows]
        if name in counts and name not in ids:
            values, dtypes[index] = [int(value or 0) for value in _column_values(values)], "BIGINT"
        elif name in numbers:
            values, dtypes[index] = [None if value is None else float(value) for value in values], "DOUBLE"
        elif dtypes[index].startswith(("HUGEINT", "DECIMAL")):
            values, dtypes[index] = _plain_numbers(values, name in ids)
        elif name in ids and is_floating(dtypes[index]):
            values = [None if value is None else value + 0.0 for value in values]  # engines return either zero
        columns.append(_column_values(values))
    return replace(table, rows=list(zip(*columns, strict=True)), dtypes=dtypes)


def _plain_numbers(values: list[Any], are_ids: bool) -> tuple[list[Any], str]:
    """Return wide numbers as integers of 64 bits or doubles, and their type; ids that no double equals stay objects."""
    present = [value for value in values if value is not None]
    if all(isinstance(value, int) and -(2**63) <= value < 2**63 for value in present):
        return values, "BIGINT"
    if are_ids and any(decimal.Decimal(repr(float(value))) != value for value in present):
        return values, ""
    return [None if value is None else float(value) for value in values], "DOUBLE"


def typed_result(result: Result, ids: Collection[str], counts: Collection[str], numbers: Collection[str]) -> Any:
    """A result with the types that pandas users expect, in either form; the columns in `ids` stay exact."""
    if isinstance(result, Table):
        return typed_table(result, ids, counts, numbers)
    frame = as_pandas(result, ids)
    wanted = {**dict.fromkeys(numbers, "float64"), **dict.fromkeys(counts, "int64")}
    present = dict(zip(frame.columns, frame.dtypes, strict=True))
    other = {name: dtype for name, dtype in wanted.items() if name in present and present[name] != dtype}
    # Most columns have their types, and each step of pandas takes a fifth of a millisecond.
    return frame.fillna({name: 0 for name in counts if name in other}).astype(other) if other else frame


def table_of(frame: pd.DataFrame, exact: Collection[str] = ()) -> Table:
    """Return a DataFrame as Python values."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    columns = [_column_values(column.tolist()) for _, column in frame.items()]
    dtypes = ["DOUBLE" if is_numeric_dtype(dtype) and not is_bool_dtype(dtype) else "" for dtype in frame.dtypes]
    names = [str(name) for name in frame.columns]
    attrs = {str(name): value for name, value in frame.attrs.items()}
    return Table(names, list(zip(*columns, strict=True)), exact, dtypes, attrs)


def frame_of_rows(
    names: Sequence[str], rows: Sequence[Sequence[Any]], dtypes: Sequence[str] | None = None
) -> pd.DataFrame:
    """Convert a driver's rows to a DataFrame; integers next to a NULL stay objects: float64 would round them.

    A column without values is numeric if its type is.

    >>> frame_of_rows(["id", "score"], [(2**60 + 1, None), (None, None)], ["int8", "float8"])["id"].tolist()
    [1152921504606846977, None]
    """
    import pandas as pd

    def series(values: Sequence[Any], dtype: str) -> pd.Series:
        if is_number(dtype) and set(values) <= {None}:
            return pd.Series(values, dtype="float64")
        whole = None in values and all(value is None or isinstance(value, int) for value in values)
        return pd.Series(values, dtype="object" if whole else None)

    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return pd.concat(map(series, columns, dtypes or [""] * len(names)), axis=1).set_axis(list(names), axis=1)


def as_pandas(rows: Any, ids: Collection[str] | None = ()) -> pd.DataFrame:
    """A result as the same pandas types from every engine: int64, float64, bool, text, datetime64.

    Integers next to a NULL become Int64. Decimals, and integers beyond 64 bits, become float64. In the columns `ids`
    (None: all) this happens only if it changes no value; otherwise the Python integers or decimals stay.

    >>> from decimal import Decimal
    >>> import pandas as pd
    >>> as_pandas(pd.DataFrame({"a": [Decimal("0.5"), None], "b": [1, None]}, dtype=object)).dtypes.astype(str).tolist()
    ['float64', 'Int64']
    """
    import pandas as pd

    frame: pd.DataFrame = rows if isinstance(rows, pd.DataFrame) else rows.to_pandas(integer_object_nulls=True)
    ids = frame.columns if ids is None else ids
    # By position: a query may have two columns of one name.
    others = {
        position: name in ids
        for position, (name, dtype) in enumerate(zip(frame.columns, frame.dtypes, strict=True))
        if not (dtype == "int64" or (dtype == "float64" and name not in ids))
    }
    if others:
        frame = frame.copy(deep=False)
    for position, is_id in others.items():
        values = frame.iloc[:, position]
        frame.isetitem(position, (_key_with_common_dtype(values) if is_id else _with_common_dtype(values)).array)
    return frame


def _key_with_common_dtype(values: pd.Series) -> pd.Series:
    """Apply `_with_common_dtype` if it is lossless, so that two users stay distinct."""
    import pandas as pd

    converted = _with_common_dtype(values)
    if not pd.api.types.is_float_dtype(converted.dtype):
        return converted
    if pd.api.types.is_float_dtype(values.dtype):
        return converted + 0.0  # turn -0.0 into 0.0: engines return either sign
    has_nan = any(isinstance(value, decimal.Decimal) and value.is_nan() for value in values)  # no NULL
    present = [value for value in values if not pd.isna(value)]
    if not has_nan and all(decimal.Decimal(repr(float(value))) == decimal.Decimal(str(value)) for value in present):
        return converted
    return values.astype(object)


def _with_common_dtype(values: pd.Series) -> pd.Series:
    import pandas as pd

    types = pd.api.types
    if types.is_bool_dtype(values.dtype) or types.is_datetime64_any_dtype(values.dtype):
        return values
    present = values.dropna()
    inferred = types.infer_dtype(present)
    is_whole = types.is_integer_dtype(values.dtype) or inferred == "integer"
    if is_whole and (present.empty or -(2**63) <= int(present.min()) <= int(present.max()) < 2**63):
        return values.astype("int64" if len(present) == len(values) else "Int64")
    if is_whole or types.is_float_dtype(values.dtype) or inferred in ("decimal", "floating", "mixed-integer-float"):
        # Different objects mark missing values.
        return (values.where(values.notna(), None) if values.dtype == "object" else values).astype("float64")
    if present.empty:
        return values.astype(object)
    if inferred == "date":
        return values.astype("datetime64[us]")
    return values.astype("boolean") if inferred == "boolean" else values


def _column_values(values: Sequence[Any]) -> list[Any]:
    plain = [_to_python_value(value) for value in values]
    # A DATE reaches pandas as a timestamp, so a column of midnights only is written as dates.
    times = [value for value in plain if isinstance(value, datetime.datetime)]
    midnights = all(
        value.tzinfo is None and value.time() == datetime.time() and not getattr(value, "nanosecond", 0)
        for value in times
    )
    return [value.date() if midnights and isinstance(value, datetime.datetime) else value for value in plain]


#: Values of these classes are plain.
_PLAIN = (type(None), bool, int, str, bytes, datetime.date, datetime.datetime, datetime.time, uuid.UUID)


def _to_python_value(value: Any) -> Any:
    if type(value) is float:
        return None if math.isnan(value) else value
    if type(value) in _PLAIN:
        return value
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
