"""Bind the names in a plan to the columns of the data."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..catalogue.traits import traits_of
from ..catalogue.vocabulary import CATEGORY, IDS, NUMBER, role_of
from ..column_types import bare_type, is_boolean, is_floating, is_number, is_whole
from ..errors import BadData, BadParameter
from ..inputs.duckdb_source import VOLATILE_FUNCTIONS
from ..inputs.source import Source
from ..planning.plan import BoundPlan, Plan, Relation, Value, expressions_in
from ..sql_text import behind_condition, quoted_name
from . import probes
from .execute import fetch


def is_id(column: str) -> bool:
    """Whether metrics only compare the values of the canonical column."""
    return column in IDS or column.startswith(CATEGORY)


def keys_of(relation: Relation) -> Iterator[tuple[str, str, Value]]:
    """Yield the role, the canonical column and the value of each key, which metrics only compare."""
    for column, value in relation.columns.items():
        if "looked_up" in value:
            yield value["by"], value["by"], value["parts"][value["by"]]
        elif is_id(column):
            yield role_of(column), column, value
    for entry in relation.by:
        yield "by", "by", entry


def bind_columns(plan: Plan, source: Source) -> BoundPlan:
    """Return the plan with the engine's column names and the relations to read."""
    read: dict[str, bool] = {}
    columns = {}
    for column, value in plan.data.columns.items():
        names = is_id(column) or "looked_up" in value
        role = value.get("parameter") or role_of(column)
        columns[column] = _with_source_name(value, role, source, read, names)
    models = [_with_source_name(model, "score", source, read, False) for model in plan.models]
    by = [_with_source_name(entry, "by", source, read, True) for entry in plan.data.by]
    expressions = [text for value in (columns, models, by) for text in expressions_in(value)]
    # Parse text once; reading parquet and tables again is faster than storing their rows.
    materialize = _draws_once(plan.data, source, expressions) or source.is_text
    scores = [value["column"] for value in (columns.get("score", {}), *models) if "column" in value]
    data = replace(plan.data, columns=columns, by=by)
    data = _bind_input(data, "sqlmetrics_input", source, read, expressions, scores)
    relations = {name: bind_relation(name, relation, source.further[name]) for name, relation in plan.relations.items()}
    bound = BoundPlan.from_plan(plan, data=data, models=models, relations=relations, materialize=materialize)
    _check_distinct_as_doubles(bound, source)
    return bound


def _bind_input(
    relation: Relation,
    name: str,
    source: Source,
    read: Mapping[str, bool],
    expressions: Sequence[str],
    scores: Sequence[str] = (),
) -> Relation:
    """Read the columns that a relation needs without losing values; `read` maps them to whether they are keys."""
    cast = _columns_in(expressions, source)
    computed = cast | _columns_in([relation.where] if relation.where else [], source)
    distinct = dict.fromkeys(scores, "score") | computed
    texts: list[str] = []
    if source.files is not None:
        texts = source.files.text_ids([column for column, is_key in read.items() if is_key])
        tie_key = relation.columns.get("tie_key", {}).get("column")
        if tie_key in texts:
            raise BadData(
                f"tie_key: column {tie_key!r} has numbers with leading zeros or too many digits, which would be sorted "
                f'as strings; write an expression, as in ⟨tie_key⟩="= cast({tie_key} as double)"'
            )
        lossy = source.files.blurred([column for column in distinct if column not in texts])
        if lossy is not None:
            raise BadData(
                f"{distinct[lossy]}: column {lossy!r} holds numbers that differ and are the same double; read "
                f"them as decimals in a query, as in {source.files.as_decimals(lossy)}"
            )
        relation = replace(relation, relation=source.files.relation([*read, *distinct], name, texts, distinct))
    return _normalize_keys(_guard_expressions(relation, cast, computed, source), source, texts)


#: Nested types whose elements may be NaN.
_HOLDS_FRACTIONS = re.compile(r"\b(FLOAT|DOUBLE)\b")


def _guard_expressions(
    relation: Relation, cast: Collection[str], computed: Collection[str], source: Source
) -> Relation:
    """Read columns through expressions, where DuckDB would compute other values from the files.

    It evaluates `score < 0.5` on the statistics of a parquet file, and some writers exclude NaN from them. If all other
    values are smaller, the condition would also hold for NaN. A view may read a CSV file, whose casts DuckDB 2 makes
    from the text, as `Files.relation` explains; `cast` are the columns of expressions outside `where`.
    """
    if not traits_of(source.dialect).reads_statistics or source.is_text:
        return relation
    of_text: list[str] = []
    if source.rows is None and source.files is None and not relation.input:
        columns = [value["column"] for value in relation.columns.values() if "column" in value]
        of_text = [*(column for column in columns if is_boolean(source.type_of(column))), *cast]
    seen = []
    for column in dict.fromkeys([*of_text, *computed]):
        dtype, quoted = source.type_of(column), quoted_name(column)
        if is_floating(dtype):
            is_not_nan = source.render("is_number", quoted).replace("\n    ", " ")
            value = f"case when {is_not_nan} then {quoted} else cast('nan' as {dtype}) end"
            seen.append(f"{behind_condition(quoted, value)} as {quoted}")
        elif _HOLDS_FRACTIONS.search(dtype):
            # The engine has no statistics for elements of a reversed list.
            seen.append(f"list_reverse([{quoted}])[1] as {quoted}")
        elif column in of_text:
            seen.append(f"{behind_condition(quoted)} as {quoted}")
    if not seen:
        return relation
    read = f"select * replace ({', '.join(seen)}) from"
    if relation.input:
        return replace(relation, input=f"{read} ({relation.input}\n) as given_rows")
    return replace(relation, relation=f"({read} {relation.relation}) as given_rows")


def combine_plans(plan: BoundPlan, other: BoundPlan, source: Source) -> BoundPlan:
    """Add the data of the plan for `against` to the plan; reject keys of other types, as 7 and '7' may be one user."""
    against = source.further["against"]
    for (role, _, ours), (_, _, theirs) in zip(keys_of(plan.data), keys_of(other.data), strict=True):
        probes.check_keys(role, (ours, plan.data, source), (theirs, other.data, against), "against")
    columns = dict(plan.data.columns)
    for canonical in columns.keys() & {"cluster_id", "group_id"}:
        values = (columns[canonical], source), (other.data.columns[canonical], against)
        if all(is_number(side.type_of(str(value.get("column", "")))) for value, side in values):
            columns[canonical] = {**columns[canonical], "is_number": True}  # 7 and 7.0 are one cluster
    data = replace(plan.data, columns=columns)
    return replace(plan, data=data, against=other.data, materialize=plan.materialize or other.materialize)


def _normalize_keys(relation: Relation, source: Source, texts: Collection[str]) -> Relation:
    """Treat NaN keys as NULL: pandas cannot distinguish them."""
    expressions = [value["sql"] for _, _, value in keys_of(relation) if "sql" in value]
    dtypes = probes.types_of_expressions(expressions, relation, source)

    def normalized(key: str, value: Value) -> Value:
        return _normalized_key(key, value, dtypes, source, texts)

    columns = dict(relation.columns)
    for column, value in relation.columns.items():
        if "looked_up" in value:
            key = value["by"]
            columns[column] = {**value, "parts": {**value["parts"], key: normalized(key, value["parts"][key])}}
        elif is_id(column):
            columns[column] = normalized(column, value)
    return replace(relation, columns=columns, by=[normalized("by", entry) for entry in relation.by])


def _normalized_key(key: str, value: Value, dtypes: Mapping[str, str], source: Source, texts: Collection[str]) -> Value:
    """Return a key without NaN; `dtypes` are the types of expressions."""
    traits, sql = traits_of(source.dialect), probes.sql_of_value(value, source)
    if "column" in value:
        dtype = "VARCHAR" if value["column"] in texts else source.type_of(value["column"])
    else:
        dtype = dtypes.get(value["sql"], "")
        # Numbers identify clusters, not their texts: 12.0 equals 12, and -0.0 equals 0.
        is_number_key = key in ("cluster_id", "group_id") and is_number(dtype) and not is_whole(dtype)
        value = {**value, "written": value["sql"], **({"is_number": True} if is_number_key else {})}
    if is_floating(dtype):
        # Join the lines of the macro, but keep blanks in names.
        is_not_nan = source.render("is_number", sql).replace("\n    ", " ")
        zero = f"when {sql} = 0 then 0 " if traits.compares_bits else ""
        return {**value, "sql": f"case {zero}when {is_not_nan} then {sql} end"}
    if traits.exact_or_nan is not None and traits.exact_or_nan.match(dtype):
        return {**value, "sql": f"nullif({sql}, cast('NaN' as numeric))"}
    if traits.rounded is not None and key not in _NOT_RETURNED and traits.rounded.match(dtype):
        shown_value = sql if "column" in value else value["written"].strip()
        raise BadData(
            f"{role_of(key)}: {shown_value} is {dtype}, which chdb rounds to doubles; cast it: toString({shown_value})"
        )
    return value


#: Keys that match rows, but whose values no result contains.
_NOT_RETURNED = {*IDS} - {"label_class", "predicted_class", "group_id"}


def _draws_once(data: Relation, source: Source, expressions: list[str]) -> bool:
    """Whether random rows must be stored, so that all metrics of a call see the same rows."""
    stores_steps = traits_of(source.dialect).stores_steps
    expressions = [*expressions, data.where or "", "" if stores_steps else data.input or ""]
    for name, relation in source.further.items():
        if relation.is_drawn:
            raise BadParameter(f"{name}: its rows are drawn at random for every step; write them into a table first")
    drawn = next(filter(None, (VOLATILE_FUNCTIONS.search(expression) for expression in expressions)), None)
    if drawn is None:
        return source.is_drawn
    if not stores_steps:
        raise BadParameter(
            f"{drawn[1]}() is drawn again for every metric on {source.dialect}; write the rows into a table first"
        )
    return True


def _check_distinct_as_doubles(plan: BoundPlan, source: Source) -> None:
    """Reject scores that differ, but would tie as doubles."""
    columns = plan.data.columns
    scored = [("score", columns.get("score", {})), ("rank", columns.get("negated_rank", {}))]
    scored += [("score", model) for model in plan.models]
    scored += [("columns", value) for name, value in columns.items() if name.startswith(NUMBER)]
    for role, value in scored:
        if "column" not in value:
            continue
        name = value["column"]
        dtype, quoted = bare_type(source.type_of(name)), source.render("identifier", name)
        # Files and tables store minima and maxima, so checking a bound is cheap.
        if not probes.holds_for_a_row(probes.lossy_as_double(dtype, quoted, source), plan.data, source):
            continue
        counts = f"count(distinct {quoted}) as exact, count(distinct {source.render('to_double', quoted)}) as doubles"
        exact, doubles = fetch(source, probes.probe_statement(plan.data.select(counts), source)).rows[0]
        lost = int(exact) - int(doubles)
        if lost:
            raise BadData(
                f"{role}: column {name!r} is {dtype}, and {lost:,} of its values are no "
                "numbers of their own as doubles: they would tie with others; subtract what they have in common"
            )


def bind_relation(name: str, relation: Relation, source: Source) -> Relation:
    """Bind the columns of another relation of the call, such as judgments."""
    wanted = {"similarity": ("item_a", "item_b", "similarity"), "popularity": ("count",)}.get(name, ())
    read: dict[str, bool] = {}
    columns: dict[str, Value] = {
        column: _with_source_name(value, name, source, read, is_id(column))
        for column, value in relation.columns.items()
    }
    sources = {column: source.find(column, name) for column in wanted}
    read |= {source_column: column.startswith("item") for column, source_column in sources.items()}
    bound = replace(relation, columns=columns)
    bound = _bind_input(bound, f"sqlmetrics_{name}", source, read, expressions_in(columns))
    pairs = sources if traits_of(source.dialect).compares_bits else {}
    floating = {
        column: _normalized_key(column, {"column": source_column}, {}, source, ())
        for column, source_column in pairs.items()
        if column.startswith("item") and is_floating(source.type_of(source_column))
    }
    return replace(bound, columns={**bound.columns, **floating})


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


def _columns_in(expressions: Sequence[str], source: Source) -> dict[str, str]:
    """Map the columns that expressions may read, by the engine's names, to a description of the expression.

    The function searches the text for names without parsing it. Expressions such as `columns(*)` read all columns.
    """
    if not traits_of(source.dialect).ignores_case:
        return {}
    folded = {name.lower() for name in (*source.columns, *source.unreadable)}
    columns: dict[str, str] = {}
    for expression in expressions:
        role = f"the expression {expression.strip()!r}"
        text = expression if "\\" in expression else re.sub(r"'(?:[^']|'')*'", "''", expression)
        identifiers = {quoted.replace('""', '"') for quoted in re.findall(r'"((?:[^"]|"")+)"', text)}
        identifiers |= {*re.findall(r"\w+", text)}
        if re.search(r"\bcolumns\s*\(|#\d|\*\s*\)", text, re.IGNORECASE) and source.files is not None:
            identifiers |= {column for column in source.columns if column.lower() not in source.files.mixed}
        columns |= {source.find(name, role): role for name in sorted(identifiers) if name.lower() in folded}
    return columns


def use_types(plan: BoundPlan, source: Source) -> BoundPlan:
    """Check integer columns by a range, because they hold no NaN: an AUC takes 6% less time."""
    columns, whole = dict(plan.data.columns), [*plan.whole_columns]
    for canonical, value in plan.data.columns.items():
        dtype = source.type_of(str(value.get("column", "")))
        # PostgreSQL reads labels that may be boolean as texts.
        if is_number(dtype):
            columns[canonical] = {**value, "is_number": True}
        if is_whole(dtype) or is_boolean(dtype):
            whole.append("score" if canonical == "negated_rank" else canonical)
    rules = [
        {**rule, "keeps": rule["keeps_whole"]}
        if rule.get("keeps_whole") is not None and rule["column"] in whole
        else rule
        for rule in plan.rules
    ]
    return replace(plan, data=replace(plan.data, columns=columns), rules=rules, whole_columns=whole)
