"""Text columns where numbers are needed: the first value that is not a number, and the expression that reads all."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from ..catalogue.registry import catalogue
from ..errors import shown
from ..inputs.source import Source
from ..rendering.macros import render_macro
from .probes import type_category

#: A column of more forms than this does not hold numbers.
_MOST_FORMS = 1_000
#: How many words for a missing value a column may have.
_MOST_WORDS = 5
_DIGIT = re.compile("[0-9]")
_NUMBER = re.compile(r"\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?\s*", re.IGNORECASE)
#: 1,000 and 1,234,567.8, but not 0,125; and the same with a point for the comma.
_COMMA_GROUPS = re.compile(r"\s*[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?\s*")
_POINT_GROUPS = re.compile(r"\s*[-+]?[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]*)?\s*")
#: Signs that stand between or around digits, besides blanks and currencies.
_MARKS = "'’_"
_MINUS = "−"


def describe_texts(column: str, relation: Mapping[str, Any], source: Source) -> tuple[str, str, str]:
    """The first text that is not a number, in words; the expression that reads the column; and what that does to texts.

    Each is empty where there is none: all texts are numbers, or some are not numbers in any usual form.
    """
    kind, name = source.type_of(column), render_macro(catalogue(), source.dialect, "identifier", column)
    if type_category(kind) != "text":
        return "", "", ""
    text = name if "enum" not in kind.lower() else f"cast({name} as {_render(source, 'type_text')})"
    end = _render(source, "statement_end")
    try:
        forms = source.fetch(_render(source, "written_forms", relation, text, _MOST_FORMS) + end)
        first = source.fetch(_render(source, "first_non_numeric_text", relation, text) + end)
    except source.errors:  # an engine without these functions: the error goes without an example
        return "", "", ""
    numbers = [str(one) for one in forms["example"][forms["is_numeric"] == 1]]
    others = [str(one) for one in forms["example"][forms["is_numeric"] == 0]]
    place = ""
    if len(first):
        value = str(first["value"][0])
        line = source.files.line_of(column, value) if source.files is not None else ""
        place = f"{shown(value)}{line} is not a number"
    found = _changes(numbers, others) if len(forms) < _MOST_FORMS else None
    if found is None:
        return place, "", ""
    words, changes, divisor, effects = found
    for word in words:
        text = f"nullif({text}, {_literal(source, word)})"
    for old, new in changes:
        text = f"replace({text}, {_literal(source, old)}, {_literal(source, new)})"
    return place, f"{_render(source, 'to_double', text)}{divisor}", " and ".join(effects)


def _render(source: Source, macro: str, *arguments: Any) -> str:
    return render_macro(catalogue(), source.dialect, macro, *arguments)


def _literal(source: Source, text: str) -> str:
    return _render(source, "give_line_breaks", _render(source, "text_literal", text))


def _changes(
    numbers: Sequence[str], others: Sequence[str]
) -> tuple[list[str], list[tuple[str, str]], str, list[str]] | None:
    """Words that mean NULL, texts to replace, a divisor, and these in words; None where that does not make numbers.

    >>> _changes(["0.5"], ["NA"])
    (['NA'], [], '', ["reads 'NA' as NULL"])
    >>> _changes(["999"], ["1,000"])
    ([], [(',', '')], '', ["reads ',' as the thousands separator"])
    >>> _changes(["999"], ["0,125", "1,000"])
    ([], [(',', '.')], '', ["reads ',' as the decimal separator"])
    >>> _changes([], ["10%", "2,5%"])
    ([], [('%', ''), (',', '.')], ' / 100', ["reads ',' as the decimal separator"])
    """
    words = [one for one in others if not _DIGIT.search(one)]
    written = [one for one in others if _DIGIT.search(one)]
    if len(words) > _MOST_WORDS or not any(map(_DIGIT.search, [*numbers, *written])):
        return None
    effects = [f"reads {', '.join(map(repr, words))} as NULL"] if words else []
    changes = [(_MINUS, "-")] if any(_MINUS in one for one in written) else []
    changes += [(mark, "") for mark in sorted({mark for one in written for mark in one if _is_mark(mark)})]
    divisor = ""
    if any("%" in one for one in written):
        if numbers or not all("%" in one for one in written):
            return None  # 0.5 next to 50%: is it the half, or half of a hundredth?
        changes, divisor = [("%", ""), *changes], " / 100"
    written = [_changed(one, changes) for one in written]
    separators, effect = _separators(numbers, written)
    if effect:
        effects.append(effect)
    if not all(_NUMBER.fullmatch(_changed(one, separators)) for one in written):
        return None
    return words, changes + separators, divisor, effects


def _is_mark(character: str) -> bool:
    return character.isspace() or character in _MARKS or unicodedata.category(character) == "Sc"


def _changed(text: str, changes: Sequence[tuple[str, str]]) -> str:
    for old, new in changes:
        text = text.replace(old, new)
    return text


def _separators(numbers: Sequence[str], written: Sequence[str]) -> tuple[list[tuple[str, str]], str]:
    """What to replace so that a point is the decimal separator, the only one, and this in words."""
    commas = [one for one in written if "," in one]
    if commas and all(map(_COMMA_GROUPS.fullmatch, commas)):
        return [(",", "")], "reads ',' as the thousands separator"
    points = [one for one in [*numbers, *written] if "." in one]
    are_grouped = any("." in one for one in written) and all(map(_POINT_GROUPS.fullmatch, points))
    grouped = [(".", "")] if are_grouped else []
    decimal = [(",", ".")] if commas else []
    effects = ["'.' as the thousands separator"] if grouped else []
    effects += ["',' as the decimal separator"] if decimal else []
    return grouped + decimal, f"reads {' and '.join(effects)}" if effects else ""
