"""Values that are found equal: they must be of one type on both sides."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..catalogue.registry import catalogue
from ..column_types import bare_type, is_floating
from ..engines.traits import traits_of
from ..errors import BadData
from ..inputs.source import Source
from ..rendering.macros import render_macro
from .probes import (
    FOUR_BYTES,
    has_rows,
    is_null_type,
    lossy_as_double,
    lossy_as_float,
    probe_statement,
    sql_of_value,
    type_category,
    type_of_value,
    with_clause,
)

#: A value of the plan, the relation in which it is read, and what that is.
Key = tuple[Mapping[str, Any], Mapping[str, Any], Source]


def check_keys(role: str, ours: Key, theirs: Key, name: str) -> None:
    """Values of two relations that are to be found equal must be of one kind, and none lost on the way there.

    Raises:
        BadData: They are texts here and numbers there; or whole numbers here, of which some are none of their own as
            the binary fractions that they are there.
    """
    kinds = [type_of_value(*ours), type_of_value(*theirs)]
    # An engine that does not tell types refuses what it cannot compare, and a column without any value has no type.
    if not all(kinds) or any(map(is_null_type, kinds)):
        return
    value = ours[0]
    words = f"column {value['column']!r}" if "column" in value else str(value.get("written", value["sql"])).strip()
    found = f"{role}: {words} is {kinds[0]} in the data and {kinds[1]} in {name}"
    if type_category(kinds[0]) != type_category(kinds[1]):
        raise BadData(f"{found}; {_how_to_cast(role, kinds, ours, theirs[0], name)}")
    if _are_other_enums(kinds):
        cast = _cast_to_text(value, kinds[0], ours[2].dialect)
        raise BadData(f"{found}, {_ENUMS_ARE_NUMBERS}; make texts of both in queries, as in {cast}")
    if _may_collide((ours, theirs), kinds):
        raise BadData(f"{found}, where numbers that differ would be one; give both the same type")


def check_classes(columns: Mapping[str, Mapping[str, Any]], relation: Mapping[str, Any], source: Source) -> None:
    """A class and what was predicted are found equal as they stand: '01' is not 1, and none is lost on the way.

    Raises:
        BadData: One is a text and the other is not; or whole numbers would be none of their own beside fractions.
    """
    if "label_class" not in columns or "predicted_class" not in columns:
        return
    sides = [(columns[name], relation, source) for name in ("label_class", "predicted_class")]
    kinds = [type_of_value(*side) for side in sides]
    if not all(kinds) or any(map(is_null_type, kinds)):
        return
    label, prediction = (f"{value['column']!r}" if "column" in value else "the expression" for value, _, _ in sides)
    found = f"label: {label} is {kinds[0]}, and prediction: {prediction} is {kinds[1]}"
    are_texts = [type_category(kind) == "text" for kind in kinds]
    if any(are_texts) and not all(are_texts):
        place = are_texts.index(False)
        cast = _cast_to_text(sides[place][0], kinds[place], source.dialect)
        raise BadData(f'{found}; give both the same type, as in ⟨{("label", "prediction")[place]}⟩="= {cast}"')
    if _are_other_enums(kinds):
        casts = [_cast_to_text(side[0], kind, source.dialect) for side, kind in zip(sides, kinds, strict=True)]
        both = f'⟨label⟩="= {casts[0]}" and ⟨prediction⟩="= {casts[1]}"'
        raise BadData(f"{found}, {_ENUMS_ARE_NUMBERS}; make texts of both, as in {both}")
    if _may_collide(sides, kinds):
        raise BadData(f"{found}, where numbers that differ would be one; give both the same type")


def _are_other_enums(kinds: Sequence[str]) -> bool:
    """Whether these are two enums of ClickHouse's, which are equal where the numbers of their names are."""
    return all(_ENUM_OF_NUMBERS.match(bare_type(kind)) for kind in kinds) and bare_type(kinds[0]) != bare_type(kinds[1])


_ENUM_OF_NUMBERS = re.compile(r"Enum(8|16)\(")
_ENUMS_ARE_NUMBERS = "and where enums differ ClickHouse compares the numbers behind the names"


def _may_collide(sides: Sequence[Key], kinds: Sequence[str]) -> bool:
    """Whether numbers of one side are none of their own as the binary fractions that those of the other are."""
    if is_floating(kinds[0]) == is_floating(kinds[1]):
        return False
    place = 1 if is_floating(kinds[0]) else 0
    exact, kind = sides[place], bare_type(kinds[place])
    text = sql_of_value(exact[0], exact[2])
    if FOUR_BYTES.match(bare_type(kinds[1 - place])):
        condition = lossy_as_float(kind, text, exact[2].dialect)
    else:
        double = render_macro(catalogue(), exact[2].dialect, "to_double", text)
        condition = lossy_as_double(kind, text, double, exact[2].dialect)
    probe = f"{with_clause(exact[1])}select 1 as found from {exact[1]['relation']} where {condition} limit 1"
    return bool(condition) and has_rows(probe_statement(probe, exact[2]), exact[2])


def _how_to_cast(role: str, kinds: Sequence[str], ours: Key, theirs: Mapping[str, Any], name: str) -> str:
    """What makes texts of both."""
    families = [type_category(kind) for kind in kinds]
    if "text" not in families:
        return "give both the same type"
    in_data = families[1] == "text"
    value, kind = (ours[0], kinds[0]) if in_data else (theirs, kinds[1])
    cast = _cast_to_text(value, kind, ours[2].dialect)
    if in_data and name != "against":
        return f'cast it, as in ⟨{role}⟩="= {cast}"'
    return f"cast it in a query for {'data' if in_data else name}, as in {cast}"


def _cast_to_text(value: Mapping[str, Any], kind: str, dialect: str) -> str:
    """What a user writes for a value as a text: 7.0 would be '7.0', where it is a double."""
    number = value.get("column", "…")
    if is_floating(kind):
        number = f"cast({number} as bigint)"
    return traits_of(dialect).number_as_text.format(number, render_macro(catalogue(), dialect, "type_text"))
