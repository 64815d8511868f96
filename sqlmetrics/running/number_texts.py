"""Describe text columns that should be numbers, and suggest expressions that convert them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from ..catalogue.registry import catalogue
from ..errors import shown
from ..inputs.source import Source
from ..planning.plan import Relation
from ..rendering.macros import render_macro
from .probes import type_category

#: Columns with more distinct text forms than this do not hold numbers.
_MOST_FORMS = 1_000
#: How many texts for missing values a column may have.
_MOST_WORDS = 5
_DIGIT = re.compile("[0-9]")
_NUMBER = re.compile(r"\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?\s*", re.IGNORECASE)
#: 1,000 and 1,234,567.8, but not 0,125; and the same with a point for the comma.
_COMMA_GROUPS = re.compile(r"\s*[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?\s*")
_POINT_GROUPS = re.compile(r"\s*[-+]?[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]*)?\s*")
#: Marks between or around digits, in addition to blanks and currency signs.
_MARKS = "'’_"
_MINUS = "−"


def describe_texts(column: str, relation: Relation, source: Source) -> tuple[str, str, str]:
    """Describe the first text that is not a number, an expression that converts the column, and its effects.

    Each is empty if it does not apply: all texts are numbers, or some have no usual form of numbers.
    """
    dtype, name = source.type_of(column), render_macro(catalogue(), source.dialect, "identifier", column)
    if type_category(dtype) != "text":
        return "", "", ""
    text = name if "enum" not in dtype.lower() else f"cast({name} as {_render(source, 'type_text')})"
    end = _render(source, "statement_end")
    try:
        forms = source.fetch(_render(source, "written_forms", relation.context(), text, _MOST_FORMS) + end)
        first = source.fetch(_render(source, "first_non_numeric_text", relation.context(), text) + end)
    except source.errors:  # engines without these functions get no example
        return "", "", ""
    numbers, others = (
        [str(form["example"]) for form in forms.records() if form["is_numeric"] == wanted] for wanted in (1, 0)
    )
    problem = ""
    if first.rows:
        value = str(first.column("value")[0])
        line = source.files.line_of(column, value) if source.files is not None else ""
        problem = f"{shown(value)}{line} is not a number"
    conversion = _changes(numbers, others) if len(forms.rows) < _MOST_FORMS else None
    if conversion is None:
        return problem, "", ""
    null_texts, changes, divisor, effects = conversion
    for null_text in null_texts:
        text = f"nullif({text}, {_literal(source, null_text)})"
    for old, new in changes:
        text = f"replace({text}, {_literal(source, old)}, {_literal(source, new)})"
    return problem, f"{_render(source, 'to_double', text)}{divisor}", " and ".join(effects)


def _render(source: Source, macro: str, *arguments: Any) -> str:
    return render_macro(catalogue(), source.dialect, macro, *arguments)


def _literal(source: Source, text: str) -> str:
    return _render(source, "give_line_breaks", _render(source, "text_literal", text))


def _changes(
    numbers: Sequence[str], others: Sequence[str]
) -> tuple[list[str], list[tuple[str, str]], str, list[str]] | None:
    """Find texts that mean NULL, replacements, a divisor, and their descriptions; None if no conversion works.

    >>> _changes(["0.5"], ["NA"])
    (['NA'], [], '', ["reads 'NA' as NULL"])
    >>> _changes(["999"], ["1,000"])
    ([], [(',', '')], '', ["reads ',' as the thousands separator"])
    >>> _changes(["999"], ["0,125", "1,000"])
    ([], [(',', '.')], '', ["reads ',' as the decimal separator"])
    >>> _changes([], ["10%", "2,5%"])
    ([], [('%', ''), (',', '.')], ' / 100', ["reads ',' as the decimal separator"])
    """
    null_texts = [text for text in others if not _DIGIT.search(text)]
    written = [text for text in others if _DIGIT.search(text)]
    if len(null_texts) > _MOST_WORDS or not any(map(_DIGIT.search, [*numbers, *written])):
        return None
    effects = [f"reads {', '.join(map(repr, null_texts))} as NULL"] if null_texts else []
    changes = [(_MINUS, "-")] if any(_MINUS in text for text in written) else []
    changes += [(mark, "") for mark in sorted({mark for text in written for mark in text if _is_mark(mark)})]
    divisor = ""
    if any("%" in text for text in written):
        if numbers or not all("%" in text for text in written):
            return None  # next to 50%, 0.5 may mean 50% or 0.5%
        changes, divisor = [("%", ""), *changes], " / 100"
    written = [_changed(text, changes) for text in written]
    separators, effect = _separators(numbers, written)
    if effect:
        effects.append(effect)
    if not all(_NUMBER.fullmatch(_changed(text, separators)) for text in written):
        return None
    return null_texts, changes + separators, divisor, effects


def _is_mark(character: str) -> bool:
    return character.isspace() or character in _MARKS or unicodedata.category(character) == "Sc"


def _changed(text: str, changes: Sequence[tuple[str, str]]) -> str:
    for old, new in changes:
        text = text.replace(old, new)
    return text


def _separators(numbers: Sequence[str], written: Sequence[str]) -> tuple[list[tuple[str, str]], str]:
    commas = [text for text in written if "," in text]
    if commas and all(map(_COMMA_GROUPS.fullmatch, commas)):
        return [(",", "")], "reads ',' as the thousands separator"
    points = [text for text in [*numbers, *written] if "." in text]
    are_grouped = any("." in text for text in written) and all(map(_POINT_GROUPS.fullmatch, points))
    grouped = [(".", "")] if are_grouped else []
    decimal = [(",", ".")] if commas else []
    effects = ["'.' as the thousands separator"] if grouped else []
    effects += ["',' as the decimal separator"] if decimal else []
    return grouped + decimal, f"reads {' and '.join(effects)}" if effects else ""
