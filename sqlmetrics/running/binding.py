"""Bind the names in a plan to the columns of the data."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ..catalogue.registry import catalogue
from ..catalogue.vocabulary import CATEGORY, NUMBER, role_of
from ..column_types import bare_type, is_boolean, is_floating, is_number, is_whole
from ..engines.traits import traits_of
from ..errors import BadData, BadParameter, QueryFailed, error_summary
from ..inputs.duckdb_source import VOLATILE_FUNCTIONS
from ..inputs.source import Source
from ..planning.plan import Plan
from ..rendering.macros import render_macro
from ..sql_text import quoted_name
from .keys import check_keys
from .probes import (
    bracketed,
    expressions_in,
    has_rows,
    lossy_as_double,
    probe_statement,
    types_of_expressions,
    with_clause,
)

#: Canonical columns whose values metrics compare, but never compute with.
_IDS = (
    "label_class",
    "predicted_class",
    "group_id",
    "item_id",
    "field_id",
    "tie_key",
    "subtopic_id",
    "cluster_id",
    "category",
    "dimension",
    "position",
)


def is_id(column: str) -> bool:
    """Whether metrics only compare the values of the canonical column."""
    return column in _IDS or column.startswith(CATEGORY)


def ids_of(columns: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the role, the container and the key of each value that metrics only compare."""
    for column, value in columns.items():
        if "looked_up" in value:
            yield value["by"], value["parts"], value["by"]
        elif is_id(column):
            yield role_of(column), columns, column


def bind_columns(plan: Plan, source: Source) -> None:
    """Write the engine's column names and the relations to read into the plan.

    Raises:
        MissingColumn: The data lack a column.
        BadParameter: A name matches several columns.
        BadData: The engine cannot read a column.
    """
    template = plan.template
    read: dict[str, bool] = {}
    for column, value in template["columns"].items():
        names = is_id(column) or "looked_up" in value
        role = value.get("parameter") or role_of(column)
        template["columns"][column] = _with_source_name(value, role, source, read, names)
    template["models"] = [_with_source_name(model, "score", source, read, False) for model in template["models"]]
    template["by"] = [_with_source_name(entry, "by", source, read, True) for entry in template["by"]]
    texts = (
        source.files.text_ids([column for column, is_id in read.items() if is_id]) if source.files is not None else []
    )
    tie_key = template["columns"].get("tie_key", {}).get("column")
    if tie_key in texts:
        raise BadData(
            f"tie_key: column {tie_key!r} holds numbers with zeros in front, or longer than a number of the engine's: "
            f'their order as texts would be another; write an expression, as in ⟨tie_key⟩="= cast({tie_key} as double)"'
        )
    expressions = [
        text for value in (template["columns"], template["models"], template["by"]) for text in expressions_in(value)
    ]
    expressions += [template["where"]] if template["where"] else []
    _give_all_steps_the_same_rows(template, source, expressions)
    scores = {score["column"]: "score" for score in _scores(template) if "column" in score}
    computed_with = _computed_with(expressions, source)
    distinct = scores | computed_with
    for column in distinct:
        read.setdefault(column, False)
    template["relation"] = _relation(source, template["relation"], read, "sqlmetrics_input", texts, distinct)
    _guard_nan_statistics(template, computed_with, source)
    _normalize_keys(template, [location for _, *location in ids_of(template["columns"])], source, texts)
    _check_distinct_as_doubles(plan, source)
    for name, relation in template["relations"].items():
        bind_relation(name, relation, source.further[name])


#: Nested types whose elements may be NaN.
_HOLDS_FRACTIONS = re.compile(r"\b(FLOAT|DOUBLE)\b")


def _guard_nan_statistics(relation: dict[str, Any], columns: Collection[str], source: Source) -> None:
    """Read columns through expressions, so that the engine ignores statistics that leave out NaN.

    DuckDB answers `score < 0.5` from the statistics of a parquet file, and some writers leave NaN out of them. If all
    other values are smaller, the condition would also hold for NaN.
    """
    if not traits_of(source.dialect).reads_statistics or source.is_text:
        return
    seen = []
    for column in columns:
        dtype, quoted = source.type_of(column), quoted_name(column)
        if is_floating(dtype):
            is_not_nan = render_macro(catalogue(), source.dialect, "is_number", quoted).replace("\n    ", " ")
            value = f"case when {is_not_nan} then {quoted} else cast('nan' as {dtype}) end"
            seen.append(f"case when {quoted} is not null then {value} end as {quoted}")
        elif _HOLDS_FRACTIONS.search(dtype):
            # The engine has no statistics for elements of a reversed list.
            seen.append(f"list_reverse([{quoted}])[1] as {quoted}")
    if not seen:
        return
    read = f"select * replace ({', '.join(seen)}) from"
    if relation["input"]:
        relation["input"] = f"{read} ({relation['input']}\n) as given_rows"
    else:
        relation["relation"] = f"({read} {relation['relation']}) as given_rows"


def plan_for_against(plan: Plan, source: Source) -> Plan | None:
    """Copy the plan for the `against` relation, if there is one."""
    against = plan.template["against"]
    if against is None:
        return None
    stored = plan.template["stored"] or source.further["against"].is_text
    template = copy.deepcopy(plan.template) | {"relations": {}, "models": [], "stored": stored} | copy.deepcopy(against)
    plan.template["models"], plan.template["stored"] = [], stored
    return Plan(plan.requested, template, plan.slices)


def combine_plans(plan: Plan, other: Plan, source: Source) -> None:
    """Add the parts of the plan for `against` to the plan.

    Raises:
        BadData: Keys differ in type: 7 and '7' may be one user or two.
    """
    template = plan.template
    template["models"] = [{"name": "data"}, {"name": "against"}]
    template["against"] = {name: other.template[name] for name in template["against"]}
    template["stored"] = template["stored"] or other.template["stored"]
    both = zip(ids_of(template["columns"]), ids_of(other.template["columns"]), strict=True)
    ids = [(role, ours[key], theirs[key]) for (role, ours, key), (_, theirs, _) in both]
    ids += [("by", *entries) for entries in zip(template["by"], other.template["by"], strict=True)]
    for role, ours, theirs in ids:
        check_keys(role, (ours, template, source), (theirs, other.template, source.further["against"]), "against")


def _normalize_keys(
    relation: dict[str, Any], ids: Sequence[Sequence[Any]], source: Source, texts: Collection[str]
) -> None:
    """Treat NaN keys as NULL: pandas cannot distinguish them.

    Raises:
        BadData: The client of ClickHouse would round the keys.
    """
    traits = traits_of(source.dialect)
    values = [*ids, *((relation["by"], index) for index in range(len(relation.get("by", ()))))]
    dtypes = types_of_expressions(
        [holder[key]["sql"] for holder, key in values if "sql" in holder[key]], relation, source
    )
    for holder, key in values:
        value = holder[key]
        if "sql" in value:
            value = {**value, "written": value["sql"]}
            # Numbers identify clusters, not their texts: 12.0 equals 12, and -0.0 equals 0.
            dtype = dtypes.get(value["sql"], "")
            if key in ("cluster_id", "group_id") and is_number(dtype) and not is_whole(dtype):
                holder[key] = value = {**value, "is_number": True}
        if "column" in value:
            sql = render_macro(catalogue(), source.dialect, "identifier", value["column"])
            dtype = "VARCHAR" if value["column"] in texts else source.type_of(value["column"])
        else:
            sql, dtype = bracketed(value["sql"]), dtypes.get(value["sql"], "")
        if is_floating(dtype):
            # Join the lines of the macro, but keep blanks in names.
            is_not_nan = render_macro(catalogue(), source.dialect, "is_number", sql).replace("\n    ", " ")
            zero = f"when {sql} = 0 then 0 " if traits.compares_bits else ""
            holder[key] = {**value, "sql": f"case {zero}when {is_not_nan} then {sql} end"}
        elif traits.exact_or_nan is not None and traits.exact_or_nan.match(dtype):
            holder[key] = {**value, "sql": f"nullif({sql}, cast('NaN' as numeric))"}
        elif traits.rounded is not None and key not in _NOT_RETURNED and traits.rounded.match(dtype):
            role = role_of(key) if isinstance(key, str) else "by"
            shown_value = sql if "column" in value else value["written"].strip()
            raise BadData(
                f"{role}: {shown_value} is {dtype}, which chdb rounds to doubles; cast it: toString({shown_value})"
            )


#: Keys that match rows, but whose values no result contains.
_NOT_RETURNED = {*_IDS} - {"label_class", "predicted_class", "group_id"}


def _give_all_steps_the_same_rows(template: dict[str, Any], source: Source, expressions: list[str]) -> None:
    """Store random rows once, so that all metrics of a call see the same rows."""
    stores_steps = traits_of(source.dialect).stores_steps
    if not stores_steps:
        expressions = [*expressions, template["input"] or ""]
    for name, relation in source.further.items():
        if relation.is_drawn:
            raise BadParameter(
                f"{name}: its rows are drawn at random, anew for every step; write them into a table first"
            )
    drawn = next(filter(None, (VOLATILE_FUNCTIONS.search(expression) for expression in expressions)), None)
    if drawn is None:
        template["stored"] = template["stored"] or source.is_drawn
        return
    if not stores_steps:
        raise BadParameter(
            f"{drawn[1]}() draws anew for every metric on {source.dialect}; write the rows into a table first"
        )
    template["stored"] = True


def _check_distinct_as_doubles(plan: Plan, source: Source) -> None:
    """Reject scores that differ, but would tie as doubles."""
    template = plan.template
    columns = template["columns"]
    scored = [("score", columns.get("score")), ("rank", columns.get("negated_rank"))]
    scored += [("score", model) for model in template["models"]]
    scored += [("columns", value) for name, value in columns.items() if name.startswith(NUMBER)]
    steps = with_clause(template)
    for role, value in scored:
        name = value.get("column") if value else None
        dtype = bare_type(source.type_of(name)) if name else ""
        quoted = render_macro(catalogue(), source.dialect, "identifier", name or "")
        double = render_macro(catalogue(), source.dialect, "to_double", quoted)
        condition = lossy_as_double(dtype, quoted, double, source.dialect)
        if not condition:
            continue
        # Files and tables store minima and maxima, so checking a bound is cheap.
        probe = f"{steps}select 1 as found from {template['relation']} where {condition} limit 1"
        if not has_rows(probe_statement(probe, source), source):
            continue
        counts = f"count(distinct {quoted}) as exact, count(distinct {double}) as doubles"
        statement = probe_statement(f"{steps}select {counts} from {template['relation']}", source)
        try:
            result = source.fetch(statement)
        except source.errors as error:
            raise QueryFailed(f"the query failed: {error_summary(error)}", statement) from error
        [counted] = result.records()
        lost = int(counted["exact"]) - int(counted["doubles"])
        if lost:
            raise BadData(
                f"{role}: column {name!r} is {dtype}, and {lost:,} of its values are no "
                "numbers of their own as doubles: they would tie with others; subtract what they have in common"
            )


def bind_relation(name: str, relation: dict[str, Any], source: Source) -> None:
    """Bind the columns of another relation of the call, such as judgments."""
    wanted = {"similarity": ("item_a", "item_b", "similarity"), "popularity": ("count",)}
    read: dict[str, bool] = {}
    for column, value in relation["columns"].items():
        relation["columns"][column] = _with_source_name(value, name, source, read, is_id(column))
    for column in wanted.get(name, ()):
        read[source.find(column, name)] = column.startswith("item")
    distinct = _computed_with(list(expressions_in(relation["columns"])), source)
    for column in distinct:
        read.setdefault(column, False)
    texts = (
        source.files.text_ids([column for column, is_id in read.items() if is_id]) if source.files is not None else []
    )
    relation["relation"] = _relation(source, relation["relation"], read, f"sqlmetrics_{name}", texts, distinct)
    _guard_nan_statistics(relation, distinct, source)
    floating = {}
    if traits_of(source.dialect).compares_bits:
        pairs = {column: source.find(column, name) for column in wanted.get(name, ()) if column.startswith("item")}
        floating = {
            column: source_column
            for column, source_column in pairs.items()
            if is_floating(source.type_of(source_column))
        }
        relation["columns"] |= {column: {"column": source_column} for column, source_column in floating.items()}
    ids = [
        *(location for _, *location in ids_of(relation["columns"])),
        *((relation["columns"], column) for column in floating),
    ]
    _normalize_keys(relation, ids, source, texts)


def _with_source_name(
    value: Mapping[str, Any], role: str, source: Source, read: dict[str, bool], is_id: bool
) -> dict[str, Any]:
    """Replace column names in a value and its parts by the engine's names, and note them in `read`."""
    result = dict(value)
    for part, inner in value.items():
        if isinstance(inner, Mapping):
            result[part] = _with_source_name(inner, part, source, read, is_id)
    if "column" in value:
        result["column"] = source.find(value["column"], role)
        read[result["column"]] = is_id or read.get(result["column"], False)
    return result


def _named_in(expressions: list[str], source: Source) -> list[str]:
    """List the columns that expressions may read, by the engine's names.

    The function searches the text for names without parsing it. Expressions such as `columns(*)` read all columns.
    """
    folded = {name.lower() for name in (*source.columns, *source.unreadable)}
    columns = []
    for expression in expressions:
        text = expression if "\\" in expression else re.sub(r"'(?:[^']|'')*'", "''", expression)
        identifiers = {quoted.replace('""', '"') for quoted in re.findall(r'"((?:[^"]|"")+)"', text)} | set(
            re.findall(r"\w+", text)
        )
        if re.search(r"\bcolumns\s*\(|#\d|\*\s*\)", text, re.IGNORECASE) and source.files is not None:
            identifiers |= {column for column in source.columns if column.lower() not in source.files.mixed}
        for identifier in sorted(identifiers):
            if identifier.lower() in folded and source.dialect not in ("postgres", "clickhouse"):
                columns.append(source.find(identifier, f"the expression {expression.strip()!r}"))
    return columns


def _scores(template: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    score = template["columns"].get("score")
    return [*([score] if score else []), *template["models"]]


def _computed_with(expressions: list[str], source: Source) -> dict[str, str]:
    """Map columns that expressions may read to a description of the expression."""
    return {
        column: f"the expression {expression.strip()!r}"
        for expression in expressions
        for column in _named_in([expression], source)
    }


def _relation(
    source: Source,
    relation: str,
    read: Mapping[str, bool],
    name: str,
    texts: Collection[str],
    distinct: Mapping[str, str],
) -> str:
    """Build the relation to read.

    Raises:
        BadData: Different numbers would become the same double, and change the result.
    """
    if source.files is None:
        return relation
    lossy = source.files.blurred([column for column in distinct if column not in texts])
    if lossy is not None:
        raise BadData(
            f"{distinct[lossy]}: column {lossy!r} holds numbers that differ and are the same double; read "
            f"them as decimals in a query, as in {source.files.as_decimals(lossy)}"
        )
    return source.files.relation(list(read), name, texts, distinct)


def use_types(plan: Plan, source: Source) -> None:
    """Check integer columns by a range, because they hold no NaN: an AUC takes 6% less time."""
    for canonical, value in plan.template["columns"].items():
        dtype = source.type_of(str(value.get("column", "")))
        # PostgreSQL reads labels that may be boolean as texts.
        if is_number(dtype):
            value["is_number"] = True
        if is_whole(dtype) or is_boolean(dtype):
            plan.template["whole_columns"].append("score" if canonical == "negated_rank" else canonical)
    for problem in plan.problems:
        if problem.get("keeps_whole") is not None and problem["column"] in plan.template["whole_columns"]:
            problem["keeps"] = problem["keeps_whole"]


def mark_numeric_keys(plan: Plan, other: Plan, source: Source) -> None:
    """Mark keys that are numbers on both sides, so that 7 and 7.0 are one cluster."""
    for canonical in ("cluster_id", "group_id"):
        value = plan.template["columns"].get(canonical)
        if value is not None:
            theirs = other.template["columns"][canonical]
            dtypes = (source.type_of(str(value.get("column", ""))),
                     source.further["against"].type_of(str(theirs.get("column", ""))))  # fmt: skip
            if all(is_number(dtype) for dtype in dtypes):
                value["is_number"] = True
