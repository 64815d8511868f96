"""Small statements about columns and expressions: their types, and whether numbers survive another type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..catalogue.registry import catalogue
from ..column_types import bare_type, is_boolean, is_number, is_text, is_whole
from ..engines.traits import traits_of
from ..inputs.source import Source
from ..rendering.macros import render_macro

#: The type of a column in which there is nothing, by its names on any engine.
_NO_TYPE = re.compile('"?NULL"?|VOID|NOTHING', re.IGNORECASE)


def is_null_type(kind: str) -> bool:
    """Whether a column of this type holds nothing but NULL."""
    return _NO_TYPE.fullmatch(bare_type(kind)) is not None


def sql_of_value(value: Mapping[str, Any], source: Source) -> str:
    """A column or an expression of a plan as SQL."""
    if "sql" in value:
        return bracketed(value["sql"])
    return render_macro(catalogue(), source.dialect, "identifier", value["column"])


def type_of_value(value: Mapping[str, Any], relation: Mapping[str, Any], source: Source) -> str:
    """The type that a column or an expression has where it is read."""
    text = sql_of_value(value, source)
    return types_of_expressions([text], relation, source).get(text, "")


def type_category(kind: str) -> str:
    """What of a type matters where two values are to be found equal."""
    if re.match("ENUM", bare_type(kind), re.IGNORECASE):  # the categories of pandas
        return "text"
    if re.fullmatch(r"TIMESTAMP(_S|_MS|_NS)?|DATETIME64\(\d\)", bare_type(kind), re.IGNORECASE):
        return "timestamp"
    for name, holds in {"text": is_text, "number": is_number, "boolean": is_boolean}.items():
        if holds(kind):
            return name
    return bare_type(kind).lower()


def types_of_values(values: Sequence[Mapping[str, Any]], role: str, source: Source) -> list[str]:
    """The types of columns and expressions over data; nothing of one that the engine does not tell."""
    relation = {"relation": source.relation, "input": source.query}
    kinds = types_of_expressions([one["sql"] for one in values if "sql" in one], relation, source)
    return [kinds[one["sql"]] if "sql" in one else source.type_of(source.find(one["column"], role)) for one in values]


def types_of_expressions(texts: list[str], relation: Mapping[str, Any], source: Source) -> dict[str, str]:
    """The types of expressions over a relation; none where one cannot be read, which the statement will tell."""
    if not texts:
        return {}
    columns = ", ".join(f"{bracketed(text)} as e{place}" for place, text in enumerate(texts))
    found = source.types_of(f"{with_clause(relation)}select {columns} from {relation['relation']} where 1 = 0")
    return {text: found.get(f"e{place}", "") for place, text in enumerate(texts)}


def bracketed(text: str) -> str:
    """An expression in brackets, which a comment at its end does not open."""
    return f"({text}\n)" if "--" in text else f"({text})"


#: Types of whole numbers that are several as they stand and one as a double, by their names on any engine; and of
#: decimals of more digits than a double has, or of as many as there are.
_WIDE_WHOLE = re.compile(r"(?:BIGINT|LONG|UBIGINT|U?HUGEINT|U?INT(?:64|128|256))\Z", re.IGNORECASE)
_WIDE_DECIMAL = re.compile(r"(?:DECIMAL|(?:BIG)?NUMERIC)(?:\s*\((?:1[6-9]|[2-7]\d),.*\))?\Z", re.IGNORECASE)


def lossy_as_double(kind: str, quoted: str, double: str, dialect: str) -> str:
    """The condition by which a value may not be itself as a double; nothing where each is."""
    if _WIDE_WHOLE.match(kind) or kind == traits_of(dialect).integer_name:
        above, below = f"{quoted} > 9007199254740992", f"{quoted} < -9007199254740992"
        return above if kind.upper().startswith("U") else f"{above} or {below}"
    if _WIDE_DECIMAL.match(kind):
        if traits_of(dialect).has_try_cast:
            return f"try_cast({double} as {kind}) is distinct from {quoted}"
        return f"cast({double} as {kind}) <> {quoted}"
    return ""


#: Binary fractions of four bytes, by their names on any engine: what is compared with them may be so, too.
FOUR_BYTES = re.compile(r"(?:FLOAT|FLOAT4|FLOAT32|REAL)\Z", re.IGNORECASE)


def lossy_as_float(kind: str, text: str, dialect: str) -> str:
    """The same for a binary fraction of four bytes."""
    if is_whole(kind):
        above, below = f"{text} > 16777216", f"{text} < -16777216"
        return above if re.match("U", kind, re.IGNORECASE) else f"{above} or {below}"
    if not traits_of(dialect).has_try_cast:
        return ""
    return f"try_cast(cast({text} as real) as {kind}) is distinct from {text}"


def probe_statement(text: str, source: Source) -> str:
    """A statement of ours, with the line breaks of names and the settings of the dialect."""
    end = render_macro(catalogue(), source.dialect, "statement_end")
    return render_macro(catalogue(), source.dialect, "give_line_breaks", text) + end


def has_rows(probe: str, source: Source) -> bool:
    """Whether a statement finds a row, or fails."""
    try:
        return len(source.fetch(probe)) > 0
    except source.errors:  # a double near the end of the type does not go back
        return True


def with_clause(relation: Mapping[str, Any]) -> str:
    """The query that was given as data, under the name by which it is read."""
    return f"with {relation['relation']} as ({relation['input']}\n)\n" if relation["input"] else ""


def expressions_in(value: Any) -> Iterator[str]:
    """The expressions of a part of a plan, as they were written."""
    if isinstance(value, Mapping):
        if isinstance(value.get("sql"), str):
            yield value.get("written", value["sql"])
        for inner in value.values():
            yield from expressions_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from expressions_in(inner)
