"""Check the columns and values of a call, and report errors and dropped rows."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Mapping
from typing import Any

import duckdb

from ..catalogue.registry import catalogue
from ..catalogue.traits import traits_of
from ..catalogue.vocabulary import NUMBER, NUMERIC_COLUMNS, role_of
from ..column_types import is_boolean, is_number, is_text
from ..errors import BadData, BadParameter, DroppedRows, QueryFailed, error_summary, printable, shown
from ..inputs.source import Executor, Source
from ..planning.plan import BoundPlan, Plan, Relation, has_own_sql
from ..planning.planner import render_plan
from ..sql_text import is_single_select, quoted_name
from ..tables import Result, Table, values_of, without
from .binding import bind_relation, is_id, keys_of
from .execute import add_role_to_error
from .probes import Key, check_classes, check_keys, is_null_type, type_category

_BOOLEAN_COLUMNS = ("label", "prediction", "won", "reward", "treatment")


def check_relations_and_groups(plan: Plan, source: Source, strict: bool, execute: Executor) -> list[str]:
    """Check that items, pairs and weights of groups are unique and no group is too large; describe dropped rows."""
    for name, relation in plan.relations.items():
        _check_keys_of(name, relation, plan, source)
    check_classes(plan.data, source)
    if not source.call("groups_are_inspected", plan.context()):
        return []
    inspection = render_plan(catalogue(), source.dialect, plan, "group_inspection")
    return _dropped(_inspected(execute(source, inspection)), strict)


def check_relations(
    planned: Mapping[str, Any], items: Key, source: Source, execute: Executor
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Bind relations, check that their values for the `items` of a state are unique, and describe dropped rows."""
    relations = {}
    for name, relation in planned.items():
        bound = bind_relation(name, Relation.of(relation), source.further[name])
        _check_number_of(name, bound, source.further[name])
        check_keys("item", items, (bound.columns["item_id"], bound, source.further[name]), name)
        relations[name] = bound.context()
    if not relations:
        return {}, []
    inspected = {"relations": relations, "groupings": [], "models": [], "by": [], "columns": {}, "metrics": []}
    inspection = source.render("group_inspection", inspected)
    return relations, _inspected(execute(source, inspection))


def _inspected(inspection: Table) -> list[str]:
    rows = inspection.records()
    for row in rows:
        if row["finding"] == "broken":
            message = f"{row['relation']} {row['message']}; for example {row['example']}"
            raise BadData(f"{message} ({int(row['row_count']):,} in all)")
    return [f"{row['relation']} in {_count(row['row_count'])}" for row in rows if row["finding"] == "missing"]


def _check_keys_of(name: str, relation: Relation, plan: Plan, source: Source) -> None:
    """Check that a relation has the key types of the data, and numbers where metrics need them."""
    other = source.further[name]
    _check_number_of(name, relation, other)
    pairs = [(key, relation.columns.get(key)) for key in ("group_id", "item_id", "position")]
    if name == "similarity":
        pairs += [("item_id", {"column": other.find(column, name)}) for column in ("item_a", "item_b")]
    ours = {key: (role, value) for role, key, value in keys_of(plan.data)}
    for key, theirs in pairs:
        if key in ours and theirs is not None:
            role, value = ours[key]
            check_keys(role, (value, plan.data, source), (theirs, relation, other), name)


def check_columns(plan: Plan, source: Source) -> None:
    """Check that metrics can compute with numeric columns, and compare identifiers."""
    _check_comparable(plan, source)
    columns = plan.data.columns.items()
    numeric = [(name, value) for name, value in columns if name in NUMERIC_COLUMNS or name.startswith(NUMBER)]
    numeric += [("score", model) for model in plan.models]
    for canonical, value in numeric:
        if "column" not in value:
            continue
        column, role = value["column"], role_of(canonical)
        dtype = source.type_of(column)
        if canonical.startswith(NUMBER) and is_null_type(dtype):  # drift reports columns without values
            continue
        boolean = is_boolean(dtype) and canonical in _BOOLEAN_COLUMNS
        # An adapter may not know types; then the engine rejects what it cannot compute with.
        if dtype and not boolean and not is_number(dtype):
            probe = f"select 1 as found from {source.relation} where {quoted_name(column)} is not null limit 1"
            if is_null_type(dtype) or (source.is_text and is_text(dtype) and not source.fetch(probe).rows):
                raise BadData(f"{role}: column {column!r} has no values, and a number is needed")
            hint = _how_to_read(role, canonical, column, plan, source)
            raise BadData(f"{role}: column {column!r} is {dtype}, and a number is needed{hint}")


def _how_to_read(role: str, canonical: str, column: str, plan: Plan, source: Source) -> str:
    """Describe the first value of a column that is not a number, and suggest an expression that converts the column."""
    value = _first_other_text(column, plan.data, source)
    double = source.render("type_double")
    # Escape for a Python literal; the command line uses its own quotes.
    name = source.render("identifier", column).replace("\\", "\\\\").replace('"', '\\"')
    if value is None:
        return f'; write an expression, as in ⟨{role}⟩="= cast({name} as {double})"'
    comparison = f" or \"= {name} = 'yes'\"" if canonical in _BOOLEAN_COLUMNS else ""
    number = f"cast({_without_sign(name, value)} as {double})"
    return f'; {shown(value)} is not a number; write an expression, as in ⟨{role}⟩="= {number}"{comparison}'


def _without_sign(name: str, value: str) -> str:
    """Write a text column without what keeps the value from being a number: a sign in it, or all of it."""
    sign = re.search(r"[%$€,]", value)
    if sign is None or not re.search(r"\d", value):
        word = value if re.fullmatch(r"[A-Za-z/. -]{1,20}", value) else "NA"
        return f"nullif({name}, '{word}')"
    groups_digits = re.match(r"\D*[1-9]\d{0,2},\d{3}(\D|$)", value)
    return f"replace({name}, '{sign[0]}', '{'.' if sign[0] == ',' and not groups_digits else ''}')"


def _first_other_text(column: str, relation: Relation, source: Source) -> str | None:
    """Return the first text of a column that is not a number."""
    dtype = source.type_of(column)
    if type_category(dtype) != "text":
        return None
    text = source.render("identifier", column)
    if "enum" in dtype.lower():
        text = f"cast({text} as {source.render('type_text')})"
    statement = source.render("first_non_numeric_text", relation.context(), text)
    try:
        first = source.fetch(statement)
    except source.errors:  # engines without these functions get no example
        return None
    return str(first.column("value")[0]) if first.rows else None


def _check_comparable(plan: Plan, source: Source) -> None:
    incomparable = traits_of(source.dialect).incomparable
    if not incomparable:
        return
    compared = [("by", entry) for entry in plan.data.by]
    compared += [(role_of(name), value) for name, value in plan.data.columns.items() if is_id(name)]
    for role, value in compared:
        dtype = source.type_of(value["column"]) if "column" in value else ""
        if dtype.removesuffix("[]") in incomparable:
            name = value["column"]
            cast = f'⟨by⟩="{name} = {name}::text"' if role == "by" else f'⟨{role}⟩="= {name}::text"'
            message = f"which PostgreSQL cannot compare; cast it to a string, as in {cast}"
            raise BadData(f"{role}: column {name!r} is {dtype}, {message}")


#: The canonical columns of other relations that must be numbers.
_NUMBERS_OF_RELATIONS = {"judgments": "label", "popularity": "count", "similarity": "similarity", "embeddings": "value",
                         "propensities": "propensity"}  # fmt: skip


def _check_number_of(name: str, relation: Relation, source: Source) -> None:
    canonical = _NUMBERS_OF_RELATIONS.get(name)
    if canonical is None:
        return
    value = relation.columns.get(canonical)
    if value is not None and "column" not in value:
        return
    column = source.find(canonical, name) if value is None else value["column"]
    dtype = source.type_of(column)
    if not dtype or is_null_type(dtype) or is_number(dtype) or (canonical == "label" and is_boolean(dtype)):
        return
    problem = _first_other_text(column, relation, source)
    message = f"{name}: column {column!r} is {dtype}, and a number is needed{f'; {problem}' if problem else ''}"
    raise BadData(f"{message}; cast it in a query")


def check_single_select(statement: str, dialect: str) -> None:
    """Reject expressions that close their bracket and start another statement."""
    try:
        single = is_single_select(statement, dialect)
    except duckdb.Error as error:
        raise QueryFailed(f"the query cannot be read: {error_summary(error)}", statement) from error
    if not single:
        raise BadParameter("where and ⟨by⟩ must be expressions; here they make a statement of their own")


def checked_statement(macro: str, plan: BoundPlan, source: Source) -> str:
    """Render a statement of the plan; reject expressions in it that start another statement."""
    statement = render_plan(catalogue(), source.dialect, plan, macro)
    if has_own_sql(plan) or catalogue().user_files():
        try:
            check_single_select(statement, source.dialect)
        except QueryFailed as failed:
            raise add_role_to_error(failed, plan, source) from failed.__cause__
    return statement


def checked_result(
    plan: Plan, source: Source, statement: str, strict: bool, execute_own: Executor, fetch_result: Executor
) -> tuple[Result, list[str]]:
    """Execute the statement; if it dropped rows, inspect the values and describe the rows."""
    try:
        result: Result = fetch_result(source, statement)
    except QueryFailed as failed:
        # A value that breaks a rule may also break a cast; the rule gives the better error.
        try:
            # In a failed transaction, DuckDB reports any statement as interrupted.
            execute_own(source, "select 1 as one")
            inspect_values(plan, source, strict, execute_own)
        except QueryFailed:
            raise failed from failed.__cause__
        raise
    ours = [name for name in result.columns if name.startswith("sqlmetrics_used_rows")]
    used = [values_of(result, name) for name in ours or ["n"]]
    all_rows = values_of(result, "sqlmetrics_all_rows")
    result = without(result, [*ours, "sqlmetrics_all_rows"])
    copies = max(len(plan.groupings), 1) * max(len(plan.models), 1)
    expected = copies * int(all_rows[0]) if all_rows else None
    # A slice may lack rows for another frame.
    if expected is None or any(sum(count or 0 for count in rows) != expected for rows in used):
        return result, inspect_values(plan, source, strict, execute_own)
    return result, []


def inspect_values(plan: Plan, source: Source, strict: bool, execute: Executor) -> list[str]:
    """Raise an error for values that break a rule, and describe rows with missing values."""
    inspection: Table = execute(source, source.render("inspection", plan.context()))
    missing = []
    for row in inspection.records():
        count = _count(row["row_count"])
        if row["finding"] == "broken":
            raise BadData(f"{row['subject']}: {count} where the value {row['message']}; for example {row['example']}")
        if row["finding"] == "missing":
            missing.append(f"{row['subject']}{row['message']} in {count}")
    return _dropped(missing, strict)


def _dropped(missing: list[str], strict: bool) -> list[str]:
    if missing and strict:
        raise BadData(_dropped_rows_message(missing))
    return missing


def warn_of_missing(dropped_rows: list[str]) -> None:
    """Warn once about all dropped rows."""
    if dropped_rows:
        warnings.warn(printable(_dropped_rows_message(dropped_rows)), DroppedRows, stacklevel=_outside())


def _dropped_rows_message(missing: list[str]) -> str:
    return f"rows were dropped because a value is NULL or NaN: {', '.join(missing)}"


def _outside() -> int:
    """Count the frames up to the caller of the package, so that warnings point at that line."""
    depth = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("sqlmetrics"):
        frame, depth = frame.f_back, depth + 1
    return depth


def _count(rows: Any) -> str:
    return f"{int(rows):,} row" + ("" if int(rows) == 1 else "s")
