"""The types of columns: by the names that engines give them, and as pandas holds the values of a result."""

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


def bare_type(kind: str) -> str:
    """The name of a type without what wraps it.

    >>> bare_type("LowCardinality(Nullable(String))")
    'String'
    """
    while wrapped := _WRAPPED.match(kind):
        kind = wrapped[1]
    return kind


def is_number(kind: str) -> bool:
    """Whether a type is one of numbers, by its name on any engine.

    >>> is_number("Nullable(Float64)"), is_number("numeric(10, 2)"), is_number("interval"), is_number("INTEGER[]")
    (True, True, False, False)
    """
    return _NUMBER.match(bare_type(kind)) is not None and not kind.endswith("[]")


def is_whole(kind: str) -> bool:
    """Whether a type holds whole numbers only, by its name on any engine; False of a name that not all engines mean so.

    >>> is_whole("Nullable(UInt8)"), is_whole("bigint"), is_whole("INTEGER[]"), is_whole("decimal(9, 0)")
    (True, True, False, False)
    """
    return re.fullmatch(_WHOLE, bare_type(kind), re.IGNORECASE) is not None


def is_floating(kind: str) -> bool:
    """Whether a type is one of binary fractions, which may be NaN, by its name on any engine.

    >>> is_floating("Nullable(Float64)"), is_floating("real"), is_floating("decimal(9, 2)"), is_floating("DOUBLE[]")
    (True, True, False, False)
    """
    return re.fullmatch(r"FLOAT\d*|REAL|DOUBLE( PRECISION)?", bare_type(kind), re.IGNORECASE) is not None


def is_boolean(kind: str) -> bool:
    """Whether a type is the boolean of its engine.

    >>> is_boolean("BOOLEAN"), is_boolean("Nullable(Bool)"), is_boolean("bool[]")
    (True, True, False)
    """
    return bare_type(kind).upper() in ("BOOL", "BOOLEAN")


def is_text(kind: str) -> bool:
    """Whether a type is one of texts, by its name on any engine.

    >>> is_text("character varying(10)"), is_text("LowCardinality(String)"), is_text("int8")
    (True, True, False)
    """
    return _TEXT.match(bare_type(kind)) is not None


def series_of(values: Sequence[Any]) -> pd.Series:
    """Values of a driver's as pandas has them, but for whole numbers beside a missing one, which it would round.

    >>> series_of([2**60 + 1, None]).tolist()
    [1152921504606846977, None]
    """
    whole = None in values and all(one is None or isinstance(one, int) for one in values)
    return pd.Series(values, dtype="object" if whole else None)


def as_pandas(rows: Any, ids: Collection[str] = ()) -> pd.DataFrame:
    """A result as the same pandas types from every engine: int64, float64, bool, text, datetime64.

    A whole number beside a NULL is Int64. Decimals are float64, as are whole numbers that 64 bits do not hold; but in
    the columns `ids` only where that changes none of them: there they stay the whole numbers or decimals of Python.

    >>> from decimal import Decimal
    >>> as_pandas(pd.DataFrame({"a": [Decimal("0.5"), None], "b": [1, None]}, dtype=object)).dtypes.astype(str).tolist()
    ['float64', 'Int64']
    """
    frame: pd.DataFrame = rows if isinstance(rows, pd.DataFrame) else rows.to_pandas(integer_object_nulls=True)
    # By position: a query may have two columns of one name.
    others = {
        place: name in ids
        for place, (name, kind) in enumerate(zip(frame.columns, frame.dtypes, strict=True))
        if not (kind == "int64" or (kind == "float64" and name not in ids))
    }
    if others:
        frame = frame.copy(deep=False)
    for place, is_id in others.items():
        values = frame.iloc[:, place]
        frame.isetitem(place, (_plain_id(values) if is_id else _plain(values)).array)
    return frame


def _plain_id(values: pd.Series) -> pd.Series:
    """As `_plain`, where that loses nothing: two users must not become one."""
    plain = _plain(values)
    if not pd.api.types.is_float_dtype(plain.dtype):
        return plain
    if pd.api.types.is_float_dtype(values.dtype):
        return plain + 0.0  # of the zeros of a slice, which has either sign, an engine gives the first it meets
    if any(isinstance(one, decimal.Decimal) and one.is_nan() for one in values):
        return values.astype(object)  # beside which a missing one is another
    exact = [one for one in values if not pd.isna(one)]
    if all(decimal.Decimal(repr(float(one))) == decimal.Decimal(str(one)) for one in exact):
        return plain
    return values.astype(object)


def _plain(values: pd.Series) -> pd.Series:
    if values.dtype in ("float64", "int64"):
        return values
    types = pd.api.types
    if types.is_bool_dtype(values.dtype) or types.is_datetime64_any_dtype(values.dtype):
        return values
    if types.is_float_dtype(values.dtype):
        return values.astype("float64")
    known = values.dropna()
    kind = types.infer_dtype(known)
    if kind in ("decimal", "floating", "mixed-integer-float"):
        return _doubles(values)
    if types.is_integer_dtype(values.dtype) or (kind == "integer" and len(known)):
        if len(known) and not -(2**63) <= int(known.min()) <= int(known.max()) < 2**63:
            return _doubles(values)
        return values.astype("int64" if len(known) == len(values) else "Int64")
    if known.empty:
        return values.astype(object)
    if kind == "date":
        return pd.to_datetime(values)
    return values.astype("boolean") if kind == "boolean" else values


def _doubles(values: pd.Series) -> pd.Series:
    """Objects as doubles, whatever the word for a missing one is."""
    return (
        values.where(values.notna(), None).astype("float64") if values.dtype == "object" else values.astype("float64")
    )


#: So many digits a decimal has at most, in DuckDB and in parquet.
DIGITS_OF_DECIMALS = 38


def digits_of(values: Iterable[decimal.Decimal]) -> tuple[int, int]:
    """How many digits stand before the point and behind it, where finite numbers have most of them.

    >>> digits_of([decimal.Decimal("12.5"), decimal.Decimal("0.125")])
    (2, 3)
    """
    before = after = 0
    for one in values:
        _, digits, exponent = one.as_tuple()
        if isinstance(exponent, int):  # of NaN and of infinities it is a letter
            before, after = max(before, len(digits) + exponent), max(after, -exponent)
    return before, after
