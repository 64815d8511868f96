"""The type names of all engines."""

from __future__ import annotations

import decimal
import re
from collections.abc import Iterable

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

    >>> is_number("Nullable(Float64)"), is_number("numeric(10, 2)"), is_number("INTEGER[]"), is_number("INTEGER[2]")
    (True, True, False, False)
    """
    return _NUMBER.match(bare_type(dtype)) is not None and not dtype.endswith("]")


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
