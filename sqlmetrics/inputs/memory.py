"""Objects in memory as relations of DuckDB: the columns that it can read, with the values that they hold."""

from __future__ import annotations

import datetime
import decimal
import importlib
import numbers
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from ..column_types import DIGITS_OF_DECIMALS, digits_of
from ..engines.duckdb_connection import lock_of, of_package
from ..errors import BadData, BadParameter
from ..sql_text import quoted_name


@dataclass(frozen=True)
class Registered:
    """An object that a connection reads by a name: its columns as it names them, as the engine does, and their types.

    `unreadable` says of the columns that were left out why.
    """

    names: list[str]
    columns: dict[str, str]
    unreadable: dict[str, str] = field(default_factory=dict)


def register(role: str, con: duckdb.DuckDBPyConnection, name: str, data: Any) -> Registered:
    """Show an object under a name, but for the columns that cannot be read.

    Raises:
        BadParameter: It is no table in memory.
        BadData: It was read before, and can be read once only.
    """
    data = _exported(_as_table(role, data))
    names = _names(data)
    if not names and isinstance(data, pd.DataFrame):
        raise BadData(f"{role}: the DataFrame has no columns")
    unreadable = {one: "is the name of several columns" for one, count in Counter(names).items() if count > 1}
    if isinstance(data, pd.DataFrame):
        data, mixed = _plain_objects(data)
        unreadable = mixed | unreadable
    data, names = _without(data, names, unreadable)
    try:
        columns = _register(con, name, data)
    except Exception as error:  # the engine's ways to refuse an object are many
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
    return Registered(names, columns, unreadable)


def unregister(con: duckdb.DuckDBPyConnection, name: str) -> None:
    """Take a name back; in a transaction that failed the engine does so when it is rolled back."""
    with lock_of(con):
        try:
            con.unregister(name)
        except duckdb.TransactionException:
            pass
        except duckdb.Error as error:
            if "closed" not in str(error):
                raise


def _register(con: duckdb.DuckDBPyConnection, name: str, data: Any) -> dict[str, str]:
    with lock_of(con):
        con.register(name, data)
        try:
            shown = con.sql(f"select * from {quoted_name(name)}")
        except Exception:
            unregister(con, name)
            raise
    return {str(column): str(kind) for column, kind in zip(shown.columns, shown.types, strict=True)}


def _as_table(role: str, data: Any) -> Any:
    """What can be read once only, or is a table somewhere else, as a table."""
    if hasattr(data, "read_all") and hasattr(data, "schema"):  # a RecordBatchReader of Arrow
        return _read_out(role, data.read_all, type(data).__name__)
    if of_package(data, "ibis") and hasattr(data, "list_tables"):
        raise BadParameter(f"{role}: a table of the backend is meant, as in backend.table('log')")
    for method in ("to_pyarrow", "to_pyarrow_table"):  # a table of ibis, of Delta
        if callable(getattr(data, method, None)):
            try:
                return getattr(data, method)()
            except Exception as error:  # whatever its engine raises
                raise BadData(f"{role}: {type(data).__name__} cannot be read: {error}".splitlines()[0]) from error
    if type(data).__name__ == "Scanner":
        return _read_out(role, data.to_table)
    if hasattr(data, "__arrow_c_stream__") and not any(of_package(data, name) for name in _READ_AS_OFTEN_AS_ASKED):
        # It may be a stream that gives its rows once; who gives one has Arrow, or a part of it.
        try:
            pyarrow = importlib.import_module("pyarrow")
        except ImportError as error:
            raise BadParameter(f"{role}: {type(data).__name__} is read by pyarrow, which is not installed") from error
        return _read_out(role, lambda: pyarrow.table(data), type(data).__name__)
    return data


def _exported(data: Any) -> Any:
    """A table of polars whose whole numbers of 128 bits, for which Arrow has no type, are as exact as text is."""
    if not of_package(data, "polars") or not hasattr(data, "with_columns"):
        return data
    polars = importlib.import_module("polars")
    kinds = data.collect_schema() if hasattr(data, "collect_schema") else data.schema
    wide = [kind for kind in set(kinds.values()) if str(kind) in ("Int128", "UInt128")]
    return data.with_columns(polars.col(wide).cast(polars.String)) if wide else data


#: Packages whose tables give their rows each time they are read.
_READ_AS_OFTEN_AS_ASKED = ("pandas", "polars", "pyarrow", "duckdb", "_duckdb")


def _read_out(role: str, read: Callable[[], Any], once: str = "") -> Any:
    """What there is to read; of what gives its rows `once` (its class) nothing may be left."""
    try:
        rows = read()
    except Exception as error:  # whatever is behind it raises
        reason = f"{error}".partition("\n")[0]
        raise BadData(f"{role}: the stream cannot be read; it may have been read before: {reason}") from error
    if once and rows.num_rows == 0:
        raise BadData(f"{role}: the stream is empty; a {once} can be read once only")
    return rows


def _names(data: Any) -> list[str]:
    if hasattr(data, "collect_schema"):  # a LazyFrame knows its columns only when it is planned
        return list(data.collect_schema().names())
    if hasattr(data, "schema") and hasattr(data.schema, "names") and not callable(data.schema.names):
        return [str(one) for one in data.schema.names]
    return [str(one) for one in getattr(data, "columns", ())] if not isinstance(data, dict) else []


def _without(data: Any, names: Sequence[str], left_out: dict[str, str]) -> tuple[Any, list[str]]:
    """The object without some columns, where it can be cut; and the names that stay."""
    kept = [place for place, name in enumerate(names) if name not in left_out]
    if len(kept) == len(names):
        return data, list(names)
    if isinstance(data, pd.DataFrame):
        return data.iloc[:, kept], [names[place] for place in kept]
    if hasattr(data, "select"):
        # Arrow takes places, and a name may be there twice; polars has every name once.
        arrow = hasattr(data, "schema") and hasattr(data, "num_rows")
        left = [names[place] for place in kept]
        return data.select(kept) if arrow else data.select(left), left
    return data, list(names)


def _reasons(con: duckdb.DuckDBPyConnection, name: str, data: Any, names: Sequence[str]) -> dict[str, str]:
    """Which columns the engine refuses, and why: each is tried alone."""
    found = {}
    for one in names:
        alone, left = _without(data, names, dict.fromkeys(set(names) - {one}, ""))
        if left != [one]:
            return {}
        try:
            _register(con, name, alone)
        except Exception as error:  # as above
            reason = re.sub(r" registered as '[^']*'", "", str(error).strip().splitlines()[0])
            unknown = re.search(r"Data type '(.*)' not recognized", reason)
            if unknown:  # pandas' periods, intervals and sparse columns
                reason = f"the engine has no type for {unknown[1]}; convert it, as with .astype(str) or .astype(float)"
            found[one] = f"cannot be read: {reason}"
        else:
            unregister(con, name)
    return found


def _plain_objects(data: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Columns of Python objects with a type of their own: the engine would take that of a few of them for all.

    So would it make doubles of categories that are whole numbers, where a row has none of them.
    """
    unreadable = {}
    copy = data
    for place, kind in enumerate(data.dtypes):
        values = data.iloc[:, place]
        try:
            if isinstance(kind, pd.CategoricalDtype):
                typed = _as_categories(values, kind)
            elif isinstance(kind, np.dtype) and kind.kind == "O":
                typed = _as_typed(values)
            else:
                continue
        except _Unlike as error:
            unreadable[str(data.columns[place])] = str(error)
            continue
        if typed is values:
            continue
        if copy is data:
            copy = data.copy(deep=False)
        copy.isetitem(place, typed.array)
    return copy, unreadable


class _Unlike(Exception):
    """The values of a column have no type in common, and why."""


def _as_categories(values: pd.Series, kind: pd.CategoricalDtype) -> pd.Series:
    whole = isinstance(kind.categories.dtype, np.dtype) and kind.categories.dtype.kind in "iu"
    missing = values.isna().to_numpy()
    if not whole or not missing.any() or missing.all():
        return values
    found = kind.categories.to_numpy()[values.cat.codes]
    return pd.Series(pd.arrays.IntegerArray(found, missing), index=values.index)


def _as_typed(values: pd.Series) -> pd.Series:
    """Objects as a column of one type; those that the engine reads as they are stay.

    Raises:
        _Unlike: They are of several types, and the engine would cast all to that of the first.
    """
    try:
        dtype = pd.api.types.infer_dtype(values, skipna=True)
        present = values.dropna() if dtype in _LOOKED_INTO else values
    except decimal.InvalidOperation as error:
        raise _Unlike("holds Decimal('sNaN'), which may not be compared with anything") from error
    if dtype == "integer":
        return _as_whole(values)
    if dtype in ("floating", "mixed-integer-float"):
        return _as_doubles(values)
    if dtype not in _LOOKED_INTO:
        return values
    if any(isinstance(one, decimal.Decimal) for one in values[values.isna()]):
        # It is as missing as any NaN, and the engine would make floats of four bytes of all numbers beside it.
        return _as_typed(_with_none(values)) if len(present) else _as_doubles(values)
    types = {type(one) for one in present}
    if all(issubclass(one, decimal.Decimal) for one in types):
        return _as_decimals(values, present)
    if any(issubclass(one, _CONTAINERS) for one in types):
        return _as_vectors(values)
    if dtype in ("datetime", "datetime64"):
        if any(isinstance(one, np.datetime64) or getattr(one, "nanosecond", 0) for one in present):
            raise _Unlike("holds nanoseconds, which objects of Python lose: write .astype('datetime64[ns]')")
    elif len(types) > 1 and all(issubclass(one, _SCALARS) for one in types):
        raise _Unlike(f"holds {_names_of(types)}: write .astype(float), or another type")
    return values


#: What pandas calls objects of which it matters what they are.
_LOOKED_INTO = ("mixed", "mixed-integer", "date", "datetime", "datetime64", "decimal")
_SCALARS = (numbers.Number, decimal.Decimal, str, bytes, datetime.date, datetime.time, datetime.timedelta)
_CONTAINERS = (dict, list, tuple, np.ndarray)


def _names_of(types: Collection[type]) -> str:
    return " and ".join(sorted(one.__name__ for one in types))


def _with_none(values: pd.Series) -> pd.Series:
    """Objects with one word for what is missing."""
    return values.where(values.notna(), None)


def _as_doubles(values: pd.Series) -> pd.Series:
    doubles = _with_none(values).astype("float64")
    for one in values[(doubles.abs() >= _FIRST_LOSSY) & np.isfinite(doubles)]:
        _check_double(one)
    return doubles


#: From here on not every whole number is a double.
_FIRST_LOSSY = 2.0**53


def _check_double(value: Any) -> None:
    if value == value and abs(value) >= _FIRST_LOSSY and float(value) != value:  # noqa: PLR0124 (NaN is not)
        raise _Unlike(f"holds {value} beside numbers of other types, and no type has them all")


def _as_decimals(values: pd.Series, present: pd.Series) -> pd.Series:
    """Decimals as doubles where these are exact, or of as many places as the longest has: the engine looks at some of
    them, and would cut the others to the places of these, or refuse them."""
    if not all(one.is_finite() for one in present):
        raise _Unlike("holds infinite decimals: write .astype(float)")
    before, after = digits_of(present)
    if before + after > DIGITS_OF_DECIMALS:
        raise _Unlike(f"holds decimals of more than {DIGITS_OF_DECIMALS} digits")
    if all(decimal.Decimal(repr(float(one))) == one for one in present):
        return _with_none(values).astype("float64")
    exponent, digits = decimal.Decimal((0, (1,), -after)), decimal.Context(prec=DIGITS_OF_DECIMALS)
    return _with_none(values).map(lambda one: one.quantize(exponent, context=digits), na_action="ignore")


def _as_vectors(values: pd.Series) -> pd.Series:
    """Lists and dictionaries, if they hold one type at each position; lists of numbers are vectors of doubles."""
    types: dict[tuple[str, ...], set[type]] = {}
    for cell in values:
        _note_types(cell, (), types)
    for path, found in types.items():
        if len(found) < 2 and decimal.Decimal not in found:
            continue
        if [*types] != [("[]",)] or not found <= {int, float, decimal.Decimal}:
            raise _Unlike(f"holds {_names_of(found)} in {'.'.join(path)}: give them one type")
        return values.map(lambda cell: [_as_double(one) for one in cell], na_action="ignore")
    return values


def _as_double(value: Any) -> float | None:
    if value is None or value is pd.NA:
        return None
    _check_double(value)
    return float(value)


def _note_types(value: Any, path: tuple[str, ...], types: dict[tuple[str, ...], set[type]]) -> None:
    if isinstance(value, dict):
        for key, one in value.items():
            _note_types(one, (*path, str(key)), types)
    elif isinstance(value, _CONTAINERS):
        if isinstance(value, np.ndarray) and value.dtype.kind != "O":
            path += ("[]",) * (value.ndim - 1)
            value = value.ravel()[:1]  # they are of one type
        for one in value:
            _note_types(one, (*path, "[]"), types)
    elif value is not None and value is not pd.NA:
        types.setdefault(path, set()).add(type(value.item() if isinstance(value, np.generic) else value))


def _as_whole(values: pd.Series) -> pd.Series:
    values = _with_none(values)
    try:
        return values.astype("Int64" if values.isna().any() else "int64")
    except OverflowError:  # wider than 64 bits: as exact as text is
        return values.map(str, na_action="ignore")
