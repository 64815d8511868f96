"""Which values keep what tells them apart in the type that the engine has guessed."""

from __future__ import annotations

import re

from ..sql_text import quoted_name, text_literal

#: Whole numbers of so many digits are no longer told apart by a double.
_LONG_NUMBER = r"\s*[-+]?([0-9]{16,}(\.[0-9]*)?|[0-9]*\.[0-9]{17,}[1-9][0-9]*)\s*"
#: A number that may share its double with others, of 16 whole digits or of 18: those that programs write have up to 17.
MORE_THAN_A_DOUBLE = r"\s*[-+]?(0*[1-9][0-9]{15,}|0*\.0*[1-9][0-9]{17,}|0*[1-9][0-9.]{18,}).*"
#: An id that is not the text of its number: 007 is not 7, nor is 0x7.
_PADDED_NUMBER = r"\s*([-+]?0[0-9].*|\+.*|.*[xX_].*)"
#: How ids look that are the same as values of their type. In other writing the engine may take two texts for one value
#: (12:00 and 12:00:00, t and true), or guess which part of 01/02/2024 is the month: there they are texts.
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


def always_fits(kind: str, together: str) -> bool:
    """Whether every value of a type is a value of another."""
    return (
        kind in (together, "NULL")
        or (kind in (*_WHOLE, "BOOLEAN") and together in _WHOLE)
        or (kind in (*_SMALL, "FLOAT", "BOOLEAN") and together == "DOUBLE")
        or (kind == "DATE" and together == "TIMESTAMP")
    )


def is_comparable(kind: str, together: str) -> bool:
    """Whether a value of one type means the same in the other: a number is not its text, nor a time its hour here."""

    def family(one: str) -> str:
        if one in (*_WHOLE, "FLOAT", "DOUBLE", "BOOLEAN") or one.startswith("DECIMAL"):
            return "number"
        return "timestamp" if one == "DATE" or re.fullmatch(r"TIMESTAMP(_\w+)?", one) else one

    return family(kind) == family(together)


def is_guessed(kind: str) -> bool:
    """Whether the engine has made the values of such a type out of texts that may be others."""
    return kind in _NUMBERS_OF_TEXT or kind in _PLAIN_IDS


def loses_id(column: str, kind: str) -> str:
    """The condition by which an id, read as a value of this type, may become another's."""
    if kind in _PLAIN_IDS:
        return f"not regexp_full_match({quoted_name(column)}, {text_literal(_PLAIN_IDS[kind])})"
    lossy = [_LONG_NUMBER, _PADDED_NUMBER] if kind == "DOUBLE" else [_PADDED_NUMBER]
    return " or ".join(f"regexp_full_match({quoted_name(column)}, {text_literal(one)})" for one in lossy)


def significant_digits(text: str) -> str:
    """The digits of a number in which it differs from others of the same size."""
    without_power = f"regexp_replace({text}, '[eE].*', '')"
    return f"trim(regexp_replace({without_power}, '[^0-9]', '', 'g'), '0')"
