"""Types of columns: the type names of all engines, and the pandas types of results."""

from __future__ import annotations

import decimal
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import pandas as pd

_WRAPPED = re.compile(r"(?:Nullable|LowCardinality)\((.*)\)\Z", re.IGNORECASE)
_WHOLE = r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?\d*"
_NUMBER = re.compile(
    rf"({_WHOLE}|FLOAT\d*|REAL|DOUBLE( PRECISION)?|DEC(IMAL)?\d*|NUMERIC|NUMBER|BIGNUM|"
    r"BIGNUMERIC|BYTE|SHORT|LONG)\b",
    re.IGNORECASE,
)
_TEXT = re.compile(r"(VARCHAR|TEXT|STRING|FIXEDSTRING|CHAR|BPCHAR|CHARACTER|NAME)\b", re.IGNORECASE)


def bare_type(dtype: str) -> str:
    """Strip `Nullable(…)` and `LowCardinality(…)` from a type name.

    >>> bare_type("LowCardinality(Nullable(String))")
    'String'
    """
    while wrapped := _WRAPPED.match(dtype):
        dtype = wrapped[1]
    return dtype


def is_number(dtype: str) -> bool:
    """Whether a type name of any engine is numeric.

    >>> is_number("Nullable(Float64)"), is_number("numeric(10, 2)"), is_number("interval"), is_number("INTEGER[]")
    (True, True, False, False)
    """
    return _NUMBER.match(bare_type(dtype)) is not None and not dtype.endswith("[]")


def is_whole(dtype: str) -> bool:
    """Whether a type name of any engine is an integer type; False for names that only some engines use for integers.

    >>> is_whole("Nullable(UInt8)"), is_whole("bigint"), is_whole("INTEGER[]"), is_whole("decimal(9, 0)")
    (True, True, False, False)
    """
    return re.fullmatch(_WHOLE, bare_type(dtype), re.IGNORECASE) is not None


def is_floating(dtype: str) -> bool:
    """Whether a type name of any engine is a floating-point type, whose values may be NaN.

    >>> is_floating("Nullable(Float64)"), is_floating("real"), is_floating("decimal(9, 2)"), is_floating("DOUBLE[]")
    (True, True, False, False)
    """
    return re.fullmatch(r"FLOAT\d*|REAL|DOUBLE( PRECISION)?", bare_type(dtype), re.IGNORECASE) is not None


def is_boolean(dtype: str) -> bool:
    """Whether a type name of any engine is boolean.

    >>> is_boolean("BOOLEAN"), is_boolean("Nullable(Bool)"), is_boolean("bool[]")
    (True, True, False)
    """
    return bare_type(dtype).upper() in ("BOOL", "BOOLEAN")


def is_text(dtype: str) -> bool:
    """Whether a type name of any engine is a string type.

    >>> is_text("character varying(10)"), is_text("LowCardinality(String)"), is_text("int8")
    (True, True, False)
    """
    return _TEXT.match(bare_type(dtype)) is not None


def series_of(values: Sequence[Any]) -> pd.Series:
    """Convert a driver's values to a Series; integers next to a NULL stay objects: float64 would round them.

    >>> series_of([2**60 + 1, None]).tolist()
    [1152921504606846977, None]
    """
    whole = None in values and all(value is None or isinstance(value, int) for value in values)
    return pd.Series(values, dtype="object" if whole else None)


def as_pandas(rows: Any, ids: Collection[str] = ()) -> pd.DataFrame:
    """A result as the same pandas types from every engine: int64, float64, bool, text, datetime64.

    Integers next to a NULL become Int64. Decimals, and integers beyond 64 bits, become float64. In the columns `ids`
    this happens only if it changes no value; otherwise the Python integers or decimals stay.

    >>> from decimal import Decimal
    >>> as_pandas(pd.DataFrame({"a": [Decimal("0.5"), None], "b": [1, None]}, dtype=object)).dtypes.astype(str).tolist()
    ['float64', 'Int64']
    """
    frame: pd.DataFrame = rows if isinstance(rows, pd.DataFrame) else rows.to_pandas(integer_object_nulls=True)
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
    converted = _with_common_dtype(values)
    if not pd.api.types.is_float_dtype(converted.dtype):
        return converted
    if pd.api.types.is_float_dtype(values.dtype):
        return converted + 0.0  # turn -0.0 into 0.0: engines return either sign
    if any(isinstance(value, decimal.Decimal) and value.is_nan() for value in values):
        return values.astype(object)  # NaN and NULL stay distinct
    present = [value for value in values if not pd.isna(value)]
    if all(decimal.Decimal(repr(float(value))) == decimal.Decimal(str(value)) for value in present):
        return converted
    return values.astype(object)


def _with_common_dtype(values: pd.Series) -> pd.Series:
    if values.dtype in ("float64", "int64"):
        return values
    types = pd.api.types
    if types.is_bool_dtype(values.dtype) or types.is_datetime64_any_dtype(values.dtype):
        return values
    if types.is_float_dtype(values.dtype):
        return values.astype("float64")
    present = values.dropna()
    inferred = types.infer_dtype(present)
    if inferred in ("decimal", "floating", "mixed-integer-float"):
        return _doubles(values)
    if types.is_integer_dtype(values.dtype) or (inferred == "integer" and len(present)):
        if len(present) and not -(2**63) <= int(present.min()) <= int(present.max()) < 2**63:
            return _doubles(values)
        return values.astype("int64" if len(present) == len(values) else "Int64")
    if present.empty:
        return values.astype(object)
    if inferred == "date":
        return pd.to_datetime(values)
    return values.astype("boolean") if inferred == "boolean" else values


def _doubles(values: pd.Series) -> pd.Series:
    """Convert objects to doubles, whichever object marks a missing value."""
    return (
        values.where(values.notna(), None).astype("float64") if values.dtype == "object" else values.astype("float64")
    )


#: The most digits of a decimal in DuckDB and in parquet.
DIGITS_OF_DECIMALS = 38


def digits_of(values: Iterable[decimal.Decimal]) -> tuple[int, int]:
    """The largest numbers of digits before and after the decimal point among the finite values.

    >>> digits_of([decimal.Decimal("12.5"), decimal.Decimal("0.125")])
    (2, 3)
    """
    before = after = 0
    for value in values:
        _, digits, exponent = value.as_tuple()
        if isinstance(exponent, int):  # NaN and infinities have a letter here
            before, after = max(before, len(digits) + exponent), max(after, -exponent)
    return before, after
