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
    holds_for_a_row,
    is_null_type,
    lossy_as_double,
    lossy_as_float,
    sql_of_value,
    type_category,
    type_of_value,
)

#: A value of the plan, its relation in the plan, and the source of that relation.
Key = tuple[Value, Relation, Source]


#: Enums of ClickHouse, which compares them by their numbers.
_ENUM_OF_NUMBERS = re.compile(r"Enum(8|16)\(")


def check_keys(role: str, ours: Key, theirs: Key, name: str) -> None:
    """Reject keys of two relations that have different types, or that would collide as floats.

    Raises:
        BadData: One side has texts and the other numbers, or converting integers to floats would merge some.
    """
    dtypes = _known_types(ours, theirs)
    if not dtypes:
        return
    value, _, source = ours
    description = (
        f"column {value['column']!r}" if "column" in value else str(value.get("written", value["sql"])).strip()
    )
    message = f"{role}: {description} is {dtypes[0]} in the data and {dtypes[1]} in {name}"
    if type_category(dtypes[0]) != type_category(dtypes[1]):
        raise BadData(f"{message}; {_how_to_cast(role, dtypes, ours, theirs[0], name)}")
    hint = f"cast both to strings in queries, as in {_cast_to_text(value, dtypes[0], source)}"
    _check_distinct((ours, theirs), dtypes, message, hint)


def check_classes(relation: Relation, source: Source) -> None:
    """Reject labels and predictions that cannot be compared as they are: '01' is not 1.

    Raises:
        BadData: Only one of them is a text, or converting integers to floats would merge some.
    """
    columns = relation.columns
    if "label_class" not in columns or "predicted_class" not in columns:
        return
    values = [columns["label_class"], columns["predicted_class"]]
    sides = [(value, relation, source) for value in values]
    dtypes = _known_types(*sides)
    if not dtypes:
        return
    label, prediction = (f"{value['column']!r}" if "column" in value else "the expression" for value in values)
    message = f"label: {label} is {dtypes[0]}, and prediction: {prediction} is {dtypes[1]}"
    casts = [
        f'⟨{role}⟩="= {_cast_to_text(value, dtype, source)}"'
        for role, value, dtype in zip(("label", "prediction"), values, dtypes, strict=True)
    ]
    are_texts = [type_category(dtype) == "text" for dtype in dtypes]
    if any(are_texts) and not all(are_texts):
        raise BadData(f"{message}; give both the same type, as in {casts[are_texts.index(False)]}")
    _check_distinct(sides, dtypes, message, f"cast both to strings, as in {' and '.join(casts)}")


def _known_types(*sides: Key) -> list[str]:
    """Return the types of both sides; none if the engine must compare them itself, or a side has no values."""
    dtypes = [type_of_value(*side) for side in sides]
    return [] if not all(dtypes) or any(map(is_null_type, dtypes)) else dtypes


def _check_distinct(sides: Sequence[Key], dtypes: Sequence[str], message: str, hint: str) -> None:
    """Reject different enums, and different numbers that would be equal as floats, the type of the other side."""
    bare = [bare_type(dtype) for dtype in dtypes]
    if all(map(_ENUM_OF_NUMBERS.match, bare)) and bare[0] != bare[1]:
        raise BadData(f"{message}, and where enums differ ClickHouse compares the numbers behind the names; {hint}")
    are_floating = [is_floating(dtype) for dtype in dtypes]
    if are_floating[0] == are_floating[1]:
        return
    index = are_floating.index(False)
    value, relation, source = sides[index]
    lossy = lossy_as_float if FOUR_BYTES.match(bare[1 - index]) else lossy_as_double
    if holds_for_a_row(lossy(bare[index], sql_of_value(value, source), source), relation, source):
        raise BadData(f"{message}, where different numbers would be equal; give both the same type")


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
