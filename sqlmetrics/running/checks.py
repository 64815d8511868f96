"""What is checked of the values and columns of a call, and how it is reported: an error, or rows left out."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from typing import Any

import duckdb
import pandas as pd

from ..catalogue.registry import Catalogue, catalogue
from ..catalogue.vocabulary import NUMBER, NUMERIC_COLUMNS, role_of
from ..column_types import is_boolean, is_number, is_text
from ..engines.traits import traits_of
from ..errors import BadData, BadParameter, DroppedRows, QueryFailed, error_summary, printable
from ..inputs.source import Executor, Source
from ..planning.plan import Plan
from ..rendering.macros import call_macro, render_macro
from ..sql_text import is_single_select, quoted_name
from .binding import bind_relation, ids_of, is_id
from .keys import Key, check_classes, check_keys
from .number_texts import describe_texts
from .probes import is_null_type

_BOOLEAN_COLUMNS = ("label", "prediction", "won", "reward", "treatment")


def check_relations_and_groups(known: Catalogue, plan: Plan, source: Source, strict: bool, execute: Executor) -> None:
    """An item, a pair and a group's weight are given once; no group is too large."""
    for name, relation in plan.template["relations"].items():
        _check_keys_of(name, relation, plan, source)
    check_classes(plan.template["columns"], plan.template, source)
    if not call_macro(known, source.dialect, "groups_are_inspected", plan.template):
        return
    missing = _inspected(execute(source, render_macro(known, source.dialect, "group_inspection", plan.template)))
    _leave_out(plan, missing, strict)


def check_relations(
    known: Catalogue, relations: Mapping[str, dict[str, Any]], items: Key, source: Source, execute: Executor
) -> list[str]:
    """What is looked up for the `items` of a state is given once; the words for what was left out there."""
    for name, relation in relations.items():
        bind_relation(name, relation, source.further[name])
        _check_number_of(name, relation, source.further[name])
        check_keys("item", items, (relation["columns"]["item_id"], relation, source.further[name]), name)
    if not relations:
        return []
    inspected = {"relations": relations, "groupings": [], "models": [], "by": [], "columns": {}, "metrics": []}
    return _inspected(execute(source, render_macro(known, source.dialect, "group_inspection", inspected)))


def _inspected(found: pd.DataFrame) -> list[str]:
    for row in found[found["kind"] == "broken"].itertuples():
        raise BadData(f"{row.relation} {row.words}; for example {row.example} ({int(str(row.row_count)):,} in all)")
    missing = found[found["kind"] == "missing"].itertuples()
    return [f"{row.relation} in {_count(row.row_count)}" for row in missing]


def _check_keys_of(name: str, relation: dict[str, Any], plan: Plan, source: Source) -> None:
    """What is looked up in a further relation is there what it is in the data, and a number where it is one."""
    columns = plan.template["columns"]
    further = source.further[name]
    _check_number_of(name, relation, further)
    pairs = [(key, relation["columns"].get(key)) for key in ("group_id", "item_id", "position")]
    if name == "similarity":
        pairs += [("item_id", {"column": further.find(one, name)}) for one in ("item_a", "item_b")]
    ours = {key: (role, holder[key]) for role, holder, key in ids_of(columns)}
    for key, theirs in pairs:
        if key in ours and theirs is not None:
            role, value = ours[key]
            check_keys(role, (value, plan.template, source), (theirs, relation, further), name)


def check_columns(plan: Plan, source: Source) -> None:
    """Every column must be a number where the metric computes with it, and have an equality where it is a name."""
    _check_comparable(plan, source)
    columns = plan.template["columns"].items()
    numeric = [(name, value) for name, value in columns if name in NUMERIC_COLUMNS or name.startswith(NUMBER)]
    numeric += [("score", model) for model in plan.template["models"]]
    for column, value in numeric:
        if "column" not in value:
            continue
        kind = source.type_of(value["column"])
        if column.startswith(NUMBER) and is_null_type(kind):  # a column that went missing has drifted
            continue
        boolean = is_boolean(kind) and column in _BOOLEAN_COLUMNS
        # An adapter need not tell types: then the engine itself refuses what it cannot compute with.
        if kind and not boolean and not is_number(kind):
            role = role_of(column)
            if _holds_nothing(value["column"], kind, source):
                raise BadData(f"{role}: column {value['column']!r} holds no value at all, and a number is needed")
            raise BadData(
                f"{role}: column {value['column']!r} is {kind}, and a number is needed"
                f"{_how_to_read(role, column, value['column'], plan, source)}"
            )


def _how_to_read(role: str, canonical: str, column: str, plan: Plan, source: Source) -> str:
    """What of a column is not a number, and the expression that makes numbers of it, or tells texts apart."""
    place, expression, effects = describe_texts(column, plan.template, source)
    words = f"; {place}" if place else ""
    kind = source.type_of(column)
    if expression:
        # A literal of Python, which the shell writes with its own quotes.
        written = expression.replace("\\", "\\\\").replace('"', '\\"')
        return f'{words}; write ⟨{role}⟩="= {written}"' + (f", which {effects}" if effects else "")
    if canonical in _BOOLEAN_COLUMNS and is_text(kind):
        return f"{words}; say which text is meant, as in ⟨{role}⟩=\"= {column} = 'yes'\""
    if place:
        return f"{words}; make numbers of the texts in a query"
    return (
        f"; write an expression, as in ⟨{role}⟩="
        f'"= cast({column} as {render_macro(catalogue(), source.dialect, "type_double")})"'
    )


def _check_comparable(plan: Plan, source: Source) -> None:
    """PostgreSQL has types whose values it cannot compare."""
    incomparable = traits_of(source.dialect).incomparable
    if not incomparable:
        return
    compared = [("by", entry) for entry in plan.template["by"]]
    compared += [(role_of(name), value) for name, value in plan.template["columns"].items() if is_id(name)]
    for role, value in compared:
        kind = source.type_of(value["column"]) if "column" in value else ""
        if kind.removesuffix("[]") in incomparable:
            name = value["column"]
            cast = f'⟨by⟩="{name} = {name}::text"' if role == "by" else f'⟨{role}⟩="= {name}::text"'
            words = f"of which PostgreSQL cannot compare two values; write a text, as in {cast}"
            raise BadData(f"{role}: column {name!r} is {kind}, {words}")


def _holds_nothing(column: str, kind: str, source: Source) -> bool:
    """Whether nothing told the type of a column: no row of the data has a value there."""
    if is_null_type(kind):
        return True
    if not source.is_text or not is_text(kind):
        return False
    return source.fetch(
        f"select 1 as found from {source.relation} where {quoted_name(column)} is not null limit 1"
    ).empty


#: The columns of further relations that are computed with, under their canonical names and under those that they have.
_NUMBERS_OF_RELATIONS = {"judgments": "label", "popularity": "count", "similarity": "similarity", "embeddings": "value",
                         "propensities": "propensity"}  # fmt: skip


def _check_number_of(name: str, relation: Mapping[str, Any], further: Source) -> None:
    """The column of a further relation with which is computed must be a number."""
    canonical = _NUMBERS_OF_RELATIONS.get(name)
    if canonical is None:
        return
    value = relation["columns"].get(canonical)
    if value is not None and "column" not in value:
        return
    column = further.find(canonical, name) if value is None else value["column"]
    kind = further.type_of(column)
    if not kind or is_null_type(kind) or is_number(kind) or (canonical == "label" and is_boolean(kind)):
        return
    place, expression, effects = describe_texts(column, relation, further)
    words = f"{name}: column {column!r} is {kind}, and a number is needed{f'; {place}' if place else ''}"
    cast = (f", as in {expression} as {column}" + (f", which {effects}" if effects else "")) if expression else ""
    raise BadData(f"{words}; cast it in a query{cast}")


def check_single_select(statement: str, dialect: str) -> None:
    """An expression that closes its bracket and goes on with another statement must not be run."""
    try:
        single = is_single_select(statement, dialect)
    except duckdb.Error as error:
        raise QueryFailed(f"the query cannot be read: {error_summary(error)}", statement) from error
    if not single:
        raise BadParameter("where and ⟨by⟩ must be expressions; here they make a statement of their own")


def checked_result(
    known: Catalogue, plan: Plan, source: Source, statement: str, strict: bool, execute: Executor, answer: Executor
) -> pd.DataFrame:
    """Run the statement; a row that breaks a rule or misses a value is not used: where any was left out, say why."""
    try:
        result = answer(source, statement)
    except QueryFailed as failed:
        # A value that breaks a rule may have broken a cast as well: then the rule is the better thing to report.
        try:
            # In a transaction that has failed DuckDB says of whatever is run that it was interrupted.
            execute(source, "select 1 as one")
            inspect_values(known, plan, source, strict, execute)
        except QueryFailed:
            raise failed from failed.__cause__
        raise
    ours = [name for name in result.columns if name.startswith("sqlmetrics_used_rows")]
    used = [result[name] for name in ours or ["n"]]
    all_rows = result["sqlmetrics_all_rows"]
    result = result[[name for name in result.columns if name not in (*ours, "sqlmetrics_all_rows")]]
    copies = max(len(plan.template["groupings"]), 1) * max(len(plan.template["models"]), 1)
    expected = copies * int(all_rows.iloc[0]) if len(all_rows) else None
    if expected is None or any(rows.sum() != expected for rows in used):
        inspect_values(known, plan, source, strict, execute)
    return result


def inspect_values(known: Catalogue, plan: Plan, source: Source, strict: bool, execute: Executor) -> None:
    """Count the values that break a rule (an error) and those that are missing (a warning), column by column."""
    found = execute(source, render_macro(known, source.dialect, "inspection", plan.template))
    for row in found[found["kind"] == "broken"].itertuples():
        problem = plan.problems[int(str(row.position))]
        role = _role_of(plan, problem["column"], str(row.model))
        words = f"{_count(row.row_count)} where the value {problem['words']}"
        raise BadData(f"{role}: {words}; for example {row.example}")
    missing = [
        f"{_role_of(plan, str(row.column_name), str(row.model))}{_where_looked_up(plan, str(row.column_name))} in "
        f"{_count(row.row_count)}"
        for row in found[found["kind"] == "missing"].itertuples()
    ]
    _leave_out(plan, missing, strict)


def _where_looked_up(plan: Plan, column: str) -> str:
    """A value that is missing may be one that a further relation does not have."""
    relation = plan.template["columns"].get(column, {}).get("looked_up")
    return f", which {relation} does not have," if relation else ""


def _leave_out(plan: Plan, missing: list[str], strict: bool) -> None:
    """Note that rows were left out: an error where none may be."""
    if missing and strict:
        raise BadData(_words_for(missing))
    plan.left_out += missing


def warn_of_missing(left_out: list[str]) -> None:
    """Say once, when all has been read, that rows were left out."""
    if left_out:
        warnings.warn(printable(_words_for(left_out)), DroppedRows, stacklevel=_outside())


def _words_for(missing: list[str]) -> str:
    return f"rows were left out because a value is NULL or NaN: {', '.join(missing)}"


def _outside() -> int:
    """How many frames up the caller of the package is, so that a warning points at their line."""
    depth = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("sqlmetrics"):
        frame, depth = frame.f_back, depth + 1
    return depth


def _count(rows: Any) -> str:
    return f"{int(rows):,} row" + ("" if int(rows) == 1 else "s")


def _role_of(plan: Plan, column: str, model: str) -> str:
    """The role and the user's own column behind a canonical column."""
    if plan.template["against"]:
        return str(plan.template["role_words"][column]) + (f" of {model}" if model else "")
    if column == "score" and plan.template["models"]:
        return f"score (column {model!r})"
    return str(plan.template["role_words"][column])
