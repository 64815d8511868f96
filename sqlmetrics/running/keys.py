"""Check that keys of two relations have types that can be compared."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..catalogue.traits import traits_of
from ..column_types import bare_type, is_floating
from ..errors import BadData
from ..inputs.source import Source
from ..planning.plan import Relation, Value
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

#: A value of the plan, its relation in the plan, and the source of that relation.
Key = tuple[Value, Relation, Source]


def check_keys(role: str, ours: Key, theirs: Key, name: str) -> None:
    """Reject keys of two relations that have different types, or that would collide as floats.

    Raises:
        BadData: One side has texts and the other numbers, or converting integers to floats would merge some.
    """
    dtypes = [type_of_value(*ours), type_of_value(*theirs)]
    # If types are unknown, the engine rejects what it cannot compare. A column without values has no type.
    if not all(dtypes) or any(map(is_null_type, dtypes)):
        return
    value = ours[0]
    description = (
        f"column {value['column']!r}" if "column" in value else str(value.get("written", value["sql"])).strip()
    )
    message = f"{role}: {description} is {dtypes[0]} in the data and {dtypes[1]} in {name}"
    if type_category(dtypes[0]) != type_category(dtypes[1]):
        raise BadData(f"{message}; {_how_to_cast(role, dtypes, ours, theirs[0], name)}")
    if _are_other_enums(dtypes):
        cast = _cast_to_text(value, dtypes[0], ours[2])
        raise BadData(f"{message}, {_ENUMS_ARE_NUMBERS}; cast both to strings in queries, as in {cast}")
    if _may_collide((ours, theirs), dtypes):
        raise BadData(f"{message}, where different numbers would be equal; give both the same type")


def check_classes(relation: Relation, source: Source) -> None:
    """Reject labels and predictions that cannot be compared as they are: '01' is not 1.

    Raises:
        BadData: Only one of them is a text, or converting integers to floats would merge some.
    """
    columns = relation.columns
    if "label_class" not in columns or "predicted_class" not in columns:
        return
    sides = [(columns[name], relation, source) for name in ("label_class", "predicted_class")]
    dtypes = [type_of_value(*side) for side in sides]
    if not all(dtypes) or any(map(is_null_type, dtypes)):
        return
    label, prediction = (f"{value['column']!r}" if "column" in value else "the expression" for value, _, _ in sides)
    message = f"label: {label} is {dtypes[0]}, and prediction: {prediction} is {dtypes[1]}"
    are_texts = [type_category(dtype) == "text" for dtype in dtypes]
    if any(are_texts) and not all(are_texts):
        index = are_texts.index(False)
        cast = _cast_to_text(sides[index][0], dtypes[index], source)
        raise BadData(f'{message}; give both the same type, as in ⟨{("label", "prediction")[index]}⟩="= {cast}"')
    if _are_other_enums(dtypes):
        casts = [_cast_to_text(side[0], dtype, source) for side, dtype in zip(sides, dtypes, strict=True)]
        both = f'⟨label⟩="= {casts[0]}" and ⟨prediction⟩="= {casts[1]}"'
        raise BadData(f"{message}, {_ENUMS_ARE_NUMBERS}; cast both to strings, as in {both}")
    if _may_collide(sides, dtypes):
        raise BadData(f"{message}, where different numbers would be equal; give both the same type")


def _are_other_enums(dtypes: Sequence[str]) -> bool:
    """Whether these are two different enums of ClickHouse, which compares enums by their numbers."""
    return all(_ENUM_OF_NUMBERS.match(bare_type(dtype)) for dtype in dtypes) and bare_type(dtypes[0]) != bare_type(
        dtypes[1]
    )


_ENUM_OF_NUMBERS = re.compile(r"Enum(8|16)\(")
_ENUMS_ARE_NUMBERS = "and where enums differ ClickHouse compares the numbers behind the names"


def _may_collide(sides: Sequence[Key], dtypes: Sequence[str]) -> bool:
    """Whether different numbers of one side would become equal as floats, the type of the other side."""
    if is_floating(dtypes[0]) == is_floating(dtypes[1]):
        return False
    index = 1 if is_floating(dtypes[0]) else 0
    exact, dtype = sides[index], bare_type(dtypes[index])
    lossy = lossy_as_float if FOUR_BYTES.match(bare_type(dtypes[1 - index])) else lossy_as_double
    condition = lossy(dtype, sql_of_value(exact[0], exact[2]), exact[2])
    probe = f"{with_clause(exact[1])}select 1 as found from {exact[1].relation} where {condition} limit 1"
    return bool(condition) and has_rows(probe_statement(probe, exact[2]), exact[2])


def _how_to_cast(role: str, dtypes: Sequence[str], ours: Key, theirs: Value, name: str) -> str:
    categories = [type_category(dtype) for dtype in dtypes]
    if "text" not in categories:
        return "give both the same type"
    in_data = categories[1] == "text"
    value, dtype = (ours[0], dtypes[0]) if in_data else (theirs, dtypes[1])
    cast = _cast_to_text(value, dtype, ours[2])
    if in_data and name != "against":
        return f'cast it, as in ⟨{role}⟩="= {cast}"'
    return f"cast it in a query for {'data' if in_data else name}, as in {cast}"


def _cast_to_text(value: Value, dtype: str, source: Source) -> str:
    """Write an expression that casts a value to text; it casts floats to integers first, as 7.0 would be '7.0'."""
    number = value.get("column", "…")
    if is_floating(dtype):
        number = f"cast({number} as bigint)"
    return traits_of(source.dialect).number_as_text.format(number, source.render("type_text"))
