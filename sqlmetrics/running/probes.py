"""Probe the types and values of columns and expressions, and check that the keys of relations can be compared."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..catalogue.traits import traits_of
from ..column_types import bare_type, is_boolean, is_floating, is_number, is_text, is_whole
from ..errors import BadData
from ..inputs.source import Source
from ..planning.plan import Relation, Value

#: Names of the type of a column that holds only NULL, on any engine.
_NO_TYPE = re.compile('"?NULL"?|VOID|NOTHING', re.IGNORECASE)


def is_null_type(dtype: str) -> bool:
    """Whether a column of this type holds only NULL."""
    return _NO_TYPE.fullmatch(bare_type(dtype)) is not None


def sql_of_value(value: Value, source: Source) -> str:
    """Write a column or an expression of a plan as SQL."""
    if "sql" in value:
        return bracketed(value["sql"])
    return source.render("identifier", value["column"])


def type_category(dtype: str) -> str:
    """Reduce a type to the category that decides whether two values can be equal."""
    if re.match("ENUM", bare_type(dtype), re.IGNORECASE):  # the categories of pandas
        return "text"
    if re.fullmatch(r"TIMESTAMP(_S|_MS|_NS)?|DATETIME64\(\d\)", bare_type(dtype), re.IGNORECASE):
        return "timestamp"
    for name, holds in {"text": is_text, "number": is_number, "boolean": is_boolean}.items():
        if holds(dtype):
            return name
    return bare_type(dtype).lower()


def types_of_values(values: Sequence[Value], role: str, source: Source) -> list[str]:
    """Find the types of columns and expressions; empty if the engine does not know one."""
    relation = Relation(source.relation, source.query)
    dtypes = types_of_expressions([value["sql"] for value in values if "sql" in value], relation, source)
    return [
        dtypes[value["sql"]] if "sql" in value else source.type_of(source.find(value["column"], role))
        for value in values
    ]


def types_of_expressions(texts: list[str], relation: Relation, source: Source) -> dict[str, str]:
    """Find the types of expressions over a relation; none if one is invalid, which the statement reports later."""
    if not texts:
        return {}
    columns = ", ".join(f"{bracketed(text)} as e{index}" for index, text in enumerate(texts))
    dtypes = source.types_of(relation.select(columns, "1 = 0"))
    return {text: dtypes.get(f"e{index}", "") for index, text in enumerate(texts)}


def bracketed(text: str) -> str:
    """Put an expression in brackets, which a comment at its end cannot swallow."""
    return f"({text}\n)" if "--" in text else f"({text})"


#: Types of integers and decimals with more digits than a double holds, on any engine.
_WIDE_WHOLE = re.compile(r"(?:BIGINT|LONG|UBIGINT|U?HUGEINT|U?INT(?:64|128|256))\Z", re.IGNORECASE)
_WIDE_DECIMAL = re.compile(r"(?:DECIMAL|(?:BIG)?NUMERIC)(?:\s*\((?:1[6-9]|[2-7]\d),.*\))?\Z", re.IGNORECASE)


def lossy_as_double(dtype: str, quoted: str, source: Source) -> str:
    """Write a condition for values that a double may not hold exactly; empty if it holds all."""
    if _WIDE_WHOLE.match(dtype) or dtype == traits_of(source.dialect).integer_name:
        above, below = f"{quoted} > 9007199254740992", f"{quoted} < -9007199254740992"
        return above if dtype.upper().startswith("U") else f"{above} or {below}"
    if _WIDE_DECIMAL.match(dtype):
        double = source.render("to_double", quoted)
        if traits_of(source.dialect).has_try_cast:
            return f"try_cast({double} as {dtype}) is distinct from {quoted}"
        return f"cast({double} as {dtype}) <> {quoted}"
    return ""


#: Names of four-byte floats on any engine, which may convert what they are compared with.
_FOUR_BYTES = re.compile(r"(?:FLOAT|FLOAT4|FLOAT32|REAL)\Z", re.IGNORECASE)


def _lossy_as_float(dtype: str, text: str, source: Source) -> str:
    """Write a condition for values that a four-byte float may not hold exactly."""
    if is_whole(dtype):
        above, below = f"{text} > 16777216", f"{text} < -16777216"
        return above if dtype.upper().startswith("U") else f"{above} or {below}"
    if not traits_of(source.dialect).has_try_cast:
        return ""
    return f"try_cast(cast({text} as real) as {dtype}) is distinct from {text}"


def probe_statement(text: str, source: Source) -> str:
    """Complete a statement with line breaks in names and the settings of the dialect."""
    end = source.render("statement_end")
    return source.render("give_line_breaks", text) + end


def holds_for_a_row(condition: str, relation: Relation, source: Source) -> bool:
    """Whether a condition holds for a row of a relation, or fails; False for an empty condition."""
    if not condition:
        return False
    probe = relation.select("1 as found", f"{condition} limit 1")
    try:
        return len(source.fetch(probe_statement(probe, source)).rows) > 0
    except source.errors:  # a double near the limit of the type cannot be cast back
        return True


#: A value of the plan, its relation in the plan, and the source of that relation.
Key = tuple[Value, Relation, Source]
#: Enums of ClickHouse, which compares them by their numbers.
_ENUM_OF_NUMBERS = re.compile(r"Enum(8|16)\(")


def check_keys(role: str, ours: Key, theirs: Key, name: str) -> None:
    """Reject keys of two relations that have different types, or that would collide as floats."""
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
    """Reject labels and predictions that cannot be compared as they are: '01' is not 1."""
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
    dtypes: list[str] = []
    for value, relation, source in sides:
        dtypes += types_of_expressions([sql_of_value(value, source)], relation, source).values()
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
    lossy = _lossy_as_float if _FOUR_BYTES.match(bare[1 - index]) else lossy_as_double
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
