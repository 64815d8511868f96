"""Objects in memory as relations of DuckDB: the columns that it can read, with exact values."""

from __future__ import annotations

import datetime
import decimal
import importlib
import numbers
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from ..column_types import DIGITS_OF_DECIMALS, digits_of
from ..engines.duckdb_connection import lock_of, unregister
from ..errors import BadData, BadParameter
from ..sql_text import quoted_name


def register(
    role: str, con: duckdb.DuckDBPyConnection, name: str, data: Any
) -> tuple[list[str], dict[str, str], dict[str, str]]:
    """Register an object under a name, without the columns that cannot be read.

    Returns:
        The object's own names of the registered columns, the engine's names with their types, and the other columns
        with the reason.

    Raises:
        BadParameter: The object is no table in memory.
        BadData: The object can be read only once, and was read before.
    """
    data = _exported(_as_table(role, data))
    names = _names(data)
    if not names and isinstance(data, pd.DataFrame):
        raise BadData(f"{role}: the DataFrame has no columns")
    unreadable = {column: "is the name of several columns" for column, count in Counter(names).items() if count > 1}
    if isinstance(data, pd.DataFrame):
        data, conflicts = _with_typed_objects(data)
        unreadable = conflicts | unreadable
    data, names = _without(data, names, unreadable)
    try:
        columns = _register(con, name, data)
    except Exception as error:  # the engine raises many classes
        reasons = _reasons(con, name, data, names)
        if not reasons or len(reasons) == len(names):
            raise BadParameter(
                f"{role} must be a path, a table name, a query, or a pandas, polars, Arrow or DuckDB object, "
                f"not {type(data).__name__}"
                + (f" ({next(iter(reasons.values()))})" if reasons else "")
                + ("; write pandas.DataFrame(…) around it" if isinstance(data, dict | list | np.ndarray) else "")
            ) from error
        unreadable |= reasons
        data, names = _without(data, names, reasons)
        columns = _register(con, name, data)
    return names, columns, unreadable


def _register(con: duckdb.DuckDBPyConnection, name: str, data: Any) -> dict[str, str]:
    with lock_of(con):
        con.register(name, data)
        try:
            shown = con.sql(f"select * from {quoted_name(name)}")
        except Exception:
            unregister(con, name)
            raise
    return {str(column): str(dtype) for column, dtype in zip(shown.columns, shown.types, strict=True)}


def _as_table(role: str, data: Any) -> Any:
    """Return streams and tables of other libraries as tables in memory."""
    if hasattr(data, "read_all") and hasattr(data, "schema"):  # a RecordBatchReader of Arrow
        return _read_stream(role, data.read_all, type(data).__name__)
    for method in ("to_pyarrow", "to_pyarrow_table"):  # a table of ibis, of Delta
        if callable(getattr(data, method, None)):
            try:
                return getattr(data, method)()
            except Exception as error:  # any class of its engine
                raise BadData(f"{role}: {type(data).__name__} cannot be read: {error}".splitlines()[0]) from error
    if type(data).__name__ == "Scanner":
        return _read_stream(role, data.to_table)
    if hasattr(data, "__arrow_c_stream__") and _package_of(data) not in _REREADABLE_PACKAGES:
        # The object may be a stream that returns its rows once.
        try:
            pyarrow = importlib.import_module("pyarrow")
        except ImportError as error:
            raise BadParameter(f"{role}: {type(data).__name__} is read by pyarrow, which is not installed") from error
        return _read_stream(role, lambda: pyarrow.table(data), type(data).__name__)
    return data


def _exported(data: Any) -> Any:
    """Return a polars table with its 128-bit integers as text, because Arrow has no type for them."""
    if _package_of(data) != "polars" or not hasattr(data, "with_columns"):
        return data
    polars = importlib.import_module("polars")
    schema = data.collect_schema() if hasattr(data, "collect_schema") else data.schema
    wide = [dtype for dtype in set(schema.values()) if str(dtype) in ("Int128", "UInt128")]
    return data.with_columns(polars.col(wide).cast(polars.String)) if wide else data


def _package_of(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


#: Packages whose tables can be read many times.
_REREADABLE_PACKAGES = ("pandas", "polars", "pyarrow", "duckdb", "_duckdb")


def _read_stream(role: str, read: Callable[[], Any], once: str = "") -> Any:
    """Read a stream; `once` is its class if it can be read only once, when an empty result is an error."""
    try:
        rows = read()
    except Exception as error:  # any class of its source
        reason = f"{error}".partition("\n")[0]
        raise BadData(f"{role}: the stream cannot be read; it may have been read before: {reason}") from error
    if once and rows.num_rows == 0:
        raise BadData(f"{role}: the stream is empty; a {once} can be read once only")
    return rows


def _names(data: Any) -> list[str]:
    if hasattr(data, "collect_schema"):  # a LazyFrame has its columns only after planning
        return list(data.collect_schema().names())
    if hasattr(data, "schema") and hasattr(data.schema, "names") and not callable(data.schema.names):
        return [str(name) for name in data.schema.names]
    return [str(name) for name in getattr(data, "columns", ())]


def _without(data: Any, names: Sequence[str], dropped: Collection[str]) -> tuple[Any, list[str]]:
    """Return the object without some columns, if its class allows that, and the remaining names."""
    positions = [position for position, name in enumerate(names) if name not in dropped]
    left = [names[position] for position in positions]
    if len(left) == len(names):
        return data, left
    if isinstance(data, pd.DataFrame):
        return data.iloc[:, positions], left
    if hasattr(data, "select"):
        # Arrow selects by position, because a name may occur twice; polars has unique names.
        return data.select(positions if hasattr(data, "num_rows") else left), left
    return data, list(names)


def _reasons(con: duckdb.DuckDBPyConnection, name: str, data: Any, names: Sequence[str]) -> dict[str, str]:
    """Return the columns that the engine rejects, with the reason; each is tried alone."""
    reasons = {}
    for column in names:
        alone, left = _without(data, names, set(names) - {column})
        if left != [column]:
            return {}
        try:
            _register(con, name, alone)
        except Exception as error:  # as above
            reason = re.sub(r" registered as '[^']*'", "", str(error).strip().splitlines()[0])
            unknown = re.search(r"Data type '(.*)' not recognized", reason)
            if unknown:  # pandas' periods, intervals and sparse columns
                reason = f"the engine has no type for {unknown[1]}; convert it, as with .astype(str) or .astype(float)"
            reasons[column] = f"cannot be read: {reason}"
        else:
            unregister(con, name)
    return reasons


def _with_typed_objects(data: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Give columns of Python objects one type: the engine would infer it from a few values."""
    unreadable = {}
    copy = data.copy(deep=False)
    for position, name in enumerate(data.columns):
        values = data.iloc[:, position]
        try:
            typed = _as_typed(values)
        except _ConflictingTypes as error:
            unreadable[str(name)] = str(error)
        else:
            if typed is not values:
                copy.isetitem(position, typed.array)
    return copy, unreadable


class _ConflictingTypes(Exception):
    """The values of a column have no common type; the message gives the reason."""


def _as_categories(values: pd.Series, dtype: pd.CategoricalDtype) -> pd.Series:
    """Return integer categories with missing values, which the engine would turn into doubles, as integers."""
    whole = isinstance(dtype.categories.dtype, np.dtype) and dtype.categories.dtype.kind in "iu"
    missing = values.isna().to_numpy()
    if not whole or not missing.any() or missing.all():
        return values
    categories = dtype.categories.to_numpy()[values.cat.codes]
    return pd.Series(pd.arrays.IntegerArray(categories, missing), index=values.index)


def _as_typed(values: pd.Series) -> pd.Series:
    """Return objects as a column of one type; keep those that the engine reads exactly."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return _as_categories(values, values.dtype)
    if values.dtype != "object":
        return values
    try:
        dtype = pd.api.types.infer_dtype(values, skipna=True)
        present = values.dropna() if dtype in _AMBIGUOUS_DTYPES else values
    except decimal.InvalidOperation as error:
        raise _ConflictingTypes("holds Decimal('sNaN'), which may not be compared with anything") from error
    if dtype == "integer":
        values = _with_none(values)
        try:
            return values.astype("Int64" if values.isna().any() else "int64")
        except OverflowError:  # wider than 64 bits: exact only as text
            return values.map(str, na_action="ignore")
    if dtype in ("floating", "mixed-integer-float"):
        return _as_doubles(values)
    if dtype not in _AMBIGUOUS_DTYPES:
        return values
    if any(isinstance(value, decimal.Decimal) for value in values[values.isna()]):
        # A decimal NaN is missing, and the engine would turn the other numbers of the column into 4-byte floats.
        return _as_typed(_with_none(values)) if len(present) else _as_doubles(values)
    types = {type(value) for value in present}
    if all(issubclass(value_type, decimal.Decimal) for value_type in types):
        return _as_decimals(values, present)
    if any(issubclass(value_type, _CONTAINERS) for value_type in types):
        return _checked_arrays(values, present)
    if dtype in ("datetime", "datetime64"):
        if any(isinstance(value, np.datetime64) or getattr(value, "nanosecond", 0) for value in present):
            raise _ConflictingTypes("holds nanoseconds, which objects of Python lose: write .astype('datetime64[ns]')")
    elif len(types) > 1 and all(issubclass(value_type, _SCALARS) for value_type in types):
        raise _ConflictingTypes(f"holds {_names_of(types)}: write .astype(float), or another type")
    return values


#: The dtypes of pandas whose objects must be inspected.
_AMBIGUOUS_DTYPES = ("mixed", "mixed-integer", "date", "datetime", "datetime64", "decimal")
_SCALARS = (numbers.Number, decimal.Decimal, str, bytes, datetime.date, datetime.time, datetime.timedelta)
_CONTAINERS = (dict, list, tuple, np.ndarray)


def _names_of(types: Collection[type]) -> str:
    return " and ".join(sorted(value_type.__name__ for value_type in types))


def _with_none(values: pd.Series) -> pd.Series:
    return values.where(values.notna(), None)


def _as_doubles(values: pd.Series) -> pd.Series:
    return _with_none(values).map(_as_double).astype("float64")


def _as_double(value: Any) -> float | None:
    if value is None or value is pd.NA:
        return None
    # From 2^53 on doubles skip whole numbers; NaN equals no number.
    if value == value and abs(value) >= 2**53 and float(value) != value:  # noqa: PLR0124
        raise _ConflictingTypes(f"holds {value} beside numbers of other types, and no type has them all")
    return float(value)


def _as_decimals(values: pd.Series, present: pd.Series) -> pd.Series:
    """Return decimals as doubles if these are exact, else with the decimal places of the longest."""
    if not all(number.is_finite() for number in present):
        raise _ConflictingTypes("holds infinite decimals: write .astype(float)")
    before, after = digits_of(present)
    if before + after > DIGITS_OF_DECIMALS:
        raise _ConflictingTypes(f"holds decimals of more than {DIGITS_OF_DECIMALS} digits")
    if all(decimal.Decimal(repr(float(number))) == number for number in present):
        return _with_none(values).astype("float64")
    # The engine infers the decimal places from some values, and would truncate or reject the others.
    exponent, digits = decimal.Decimal((0, (1,), -after)), decimal.Context(prec=DIGITS_OF_DECIMALS)
    return _with_none(values).map(lambda number: number.quantize(exponent, context=digits), na_action="ignore")


def _checked_arrays(values: pd.Series, present: pd.Series) -> pd.Series:
    """Keep arrays of one type: the engine would infer the types inside of other cells from a few of them."""
    types = {type(cell) for cell in present}
    if types != {np.ndarray}:
        raise _ConflictingTypes(f"holds {_names_of(types)}: write numpy.array(…), or give each value a column")
    dtypes = {str(cell.dtype) for cell in present}
    if len(dtypes) > 1 or dtypes == {"object"}:
        raise _ConflictingTypes(f"holds arrays of {' and '.join(sorted(dtypes))}: give them one type")
    return values
