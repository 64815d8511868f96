"""Check which values stay distinct in the type that the engine has guessed."""

from __future__ import annotations

import re

from ..sql_text import quoted_name, text_literal

#: Whole numbers with so many digits may share a double.
_LONG_NUMBER = r"\s*[-+]?([0-9]{16,}(\.[0-9]*)?|[0-9]*\.[0-9]{17,}[1-9][0-9]*)\s*"
#: A number that may share its double with others: 16 whole digits or 18 in all. Programs write doubles with up to 17.
MORE_THAN_A_DOUBLE = r"\s*[-+]?(0*[1-9][0-9]{15,}|0*\.0*[1-9][0-9]{17,}|0*[1-9][0-9.]{18,}).*"
#: An id that differs from the text of its number: 007 and 0x7 are not 7.
_PADDED_NUMBER = r"\s*([-+]?0[0-9].*|\+.*|.*[xX_].*)"
#: The formats in which ids are as distinct as values of their type. In other formats two texts may be one value (12:00
#: and 12:00:00, t and true), or the engine guesses which part of 01/02/2024 is the month: such ids stay text.
_MOMENT = r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?"
_PLAIN_IDS = {
    "BOOLEAN": r"(?i)\s*(true|false)\s*",
    "DATE": r"\s*\d{4}-\d\d-\d\d\s*",
    "TIME": r"\s*\d\d:\d\d:\d\d\s*",
    "TIMESTAMP": rf"\s*{_MOMENT})?\s*",
    "TIMESTAMP WITH TIME ZONE": rf"\s*{_MOMENT} ?(Z|[-+]\d\d(:?\d\d)?))\s*",
    "UUID": r"[0-9a-f-]*",
}
_NUMBERS_OF_TEXT = ("BIGINT", "UBIGINT", "HUGEINT", "DOUBLE")
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_SMALL = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER")


def always_fits(dtype: str, target: str) -> bool:
    """Whether the target type holds every value of a type."""
    return (
        dtype in (target, "NULL")
        or (dtype in (*_WHOLE, "BOOLEAN") and target in _WHOLE)
        or (dtype in (*_SMALL, "FLOAT", "BOOLEAN") and target == "DOUBLE")
        or (dtype == "DATE" and target == "TIMESTAMP")
    )


def is_comparable(dtype: str, target: str) -> bool:
    """Whether values keep their meaning in the target type; numbers and texts do not mix, nor do times with zones."""

    def type_category(name: str) -> str:
        if name in (*_WHOLE, "FLOAT", "DOUBLE", "BOOLEAN") or name.startswith("DECIMAL"):
            return "number"
        return "timestamp" if name == "DATE" or re.fullmatch(r"TIMESTAMP(_\w+)?", name) else name

    return type_category(dtype) == type_category(target)


def is_guessed(dtype: str) -> bool:
    """Whether different texts may become the same value of this type."""
    return dtype in _NUMBERS_OF_TEXT or dtype in _PLAIN_IDS


def loses_id(column: str, dtype: str) -> str:
    """Return the condition under which an id may equal another id when read as this type."""
    if dtype in _PLAIN_IDS:
        return f"not regexp_full_match({quoted_name(column)}, {text_literal(_PLAIN_IDS[dtype])})"
    lossy = [_LONG_NUMBER, _PADDED_NUMBER] if dtype == "DOUBLE" else [_PADDED_NUMBER]
    return " or ".join(f"regexp_full_match({quoted_name(column)}, {text_literal(pattern)})" for pattern in lossy)


def significant_digits(text: str) -> str:
    """Return the significant digits of a number, without sign, exponent and zeros at the ends."""
    without_power = f"regexp_replace({text}, '[eE].*', '')"
    return f"trim(regexp_replace({without_power}, '[^0-9]', '', 'g'), '0')"
