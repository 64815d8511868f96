"""Which columns a call reads, found among those of its data, and the relation from which exactly these are read."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from .catalogue.registry import catalogue
from .catalogue.vocabulary import CATEGORY, NUMBER, NUMERIC_COLUMNS, role_of
from .column_types import bare_type, is_boolean, is_floating, is_number, is_text, is_whole
from .errors import BadData, BadParameter, MissingColumn, QueryFailed, error_summary
from .inputs.duckdb_source import VOLATILE_FUNCTIONS
from .inputs.files import SampleMisled
from .inputs.source import Source
from .planning.plan import Plan
from .rendering.macros import render_macro
from .sql_text import quoted_name, text_literal

#: Canonical columns that are compared with each other only, never computed with.
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
    """Whether values of the canonical column are only compared."""
    return column in _IDS or column.startswith(CATEGORY)


def ids_of(columns: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """What of the columns of a plan is compared only: its role, and where its value stands."""
    for column, value in columns.items():
        if "looked_up" in value:
            yield value["by"], value["parts"], value["by"]
        elif is_id(column):
            yield role_of(column), columns, column


def settle(plan: Plan, source: Source) -> None:
    """Put the engine's names of the columns into the plan, and the relations from which they are read.

    Raises:
        MissingColumn: A column is not there.
        BadParameter: A name may mean several.
        BadData: A column cannot be read.
    """
    template = plan.template
    read: dict[str, bool] = {}
    for column, value in template["columns"].items():
        names = is_id(column) or "looked_up" in value
        role = value.get("parameter") or role_of(column)
        template["columns"][column] = _found(value, role, source, read, names)
    template["models"] = [_found(model, "score", source, read, False) for model in template["models"]]
    template["by"] = [_found(entry, "by", source, read, True) for entry in template["by"]]
    texts = source.files.text_ids([one for one, is_id in read.items() if is_id]) if source.files is not None else []
    tie_key = template["columns"].get("tie_key", {}).get("column")
    if tie_key in texts:
        raise BadData(
            f"tie_key: column {tie_key!r} holds numbers with zeros in front, or longer than a number of the engine's: "
            f'their order as texts would be another; write an expression, as in ⟨tie_key⟩="= cast({tie_key} as double)"'
        )
    expressions = [text for value in (template["columns"], template["models"], template["by"]) for text in _sql(value)]
    expressions += [template["where"]] if template["where"] else []
    _give_all_steps_the_same_rows(template, source, expressions)
    told_apart = {one["column"]: ("score", False) for one in _scores(template) if "column" in one}
    computed_with = _computed_with(expressions, _sql_of_ids(template), source)
    told_apart |= computed_with
    for column in told_apart:
        read.setdefault(column, False)
    template["relation"] = _relation(source, template["relation"], read, "sqlmetrics_input", texts, told_apart)
    _see_nan(template, computed_with, source)
    _give_ids_one_form(template, [place for _, *place in ids_of(template["columns"])], source, texts)
    _check_distinct_as_doubles(plan, source)
    for name, relation in template["relations"].items():
        settle_relation(name, relation, source.further[name])


#: Types of values that hold others, which may be NaN.
_HOLDS_FRACTIONS = re.compile(r"\b(FLOAT|DOUBLE)\b")


def _see_nan(relation: dict[str, Any], columns: Collection[str], source: Source) -> None:
    """Read columns so that the engine does not take the ends that are noted of them for those of all values.

    DuckDB answers a user's `score < 0.5` from the statistics of a parquet file, and those of other writers leave NaN
    out: where all other values are smaller, it would hold for NaN as well.
    """
    if source.dialect != "duckdb" or source.is_text:
        return
    seen = []
    for column in columns:
        kind, quoted = source.type_of(column), quoted_name(column)
        if is_floating(kind):
            given = render_macro(catalogue(), source.dialect, "is_number", quoted).replace("\n    ", " ")
            value = f"case when {given} then {quoted} else cast('nan' as {kind}) end"
            seen.append(f"case when {quoted} is not null then {value} end as {quoted}")
        elif _HOLDS_FRACTIONS.search(kind):
            # What comes out of a list that was turned around has no ends that the engine knows of.
            seen.append(f"list_reverse([{quoted}])[1] as {quoted}")
    if not seen:
        return
    read = f"select * replace ({', '.join(seen)}) from"
    if relation["input"]:
        relation["input"] = f"{read} ({relation['input']}\n) as given_rows"
    else:
        relation["relation"] = f"({read} {relation['relation']}) as given_rows"


def the_other_side(plan: Plan, source: Source) -> Plan | None:
    """The same plan for the relation with which the data are compared, if there is one."""
    against = plan.template["against"]
    if against is None:
        return None
    stored = plan.template["stored"] or source.further["against"].is_text
    template = copy.deepcopy(plan.template) | {"relations": {}, "models": [], "stored": stored} | copy.deepcopy(against)
    plan.template["models"], plan.template["stored"] = [], stored
    return Plan(plan.requested, template, plan.slices)


def join_sides(plan: Plan, other: Plan, source: Source) -> None:
    """Put what is read of the other relation into the plan.

    Raises:
        BadData: What tells rows apart has other types there: 7 and '7' are one user or two.
    """
    template = plan.template
    template["models"] = [{"name": "data"}, {"name": "against"}]
    template["against"] = {name: other.template[name] for name in template["against"]}
    template["stored"] = template["stored"] or other.template["stored"]
    for name in other.template.get("numbers_as_text", []):
        if name not in template.setdefault("numbers_as_text", []):
            template["numbers_as_text"].append(name)
    both = zip(ids_of(template["columns"]), ids_of(other.template["columns"]), strict=True)
    ids = [(role, ours[key], theirs[key]) for (role, ours, key), (_, theirs, _) in both]
    ids += [("by", *entries) for entries in zip(template["by"], other.template["by"], strict=True)]
    for role, ours, theirs in ids:
        check_keys(role, (ours, template, source), (theirs, other.template, source.further["against"]), "against")


#: A value of the plan, the relation in which it is read, and what that is.
Key = tuple[Mapping[str, Any], Mapping[str, Any], Source]


def check_keys(role: str, ours: Key, theirs: Key, name: str) -> None:
    """Values of two relations that are to be found equal must be of one kind, and none lost on the way there.

    Raises:
        BadData: They are texts here and numbers there; or whole numbers here, of which some are none of their own as
            the binary fractions that they are there.
    """
    kinds = [_kind_of_value(*ours), _kind_of_value(*theirs)]
    # An engine that does not tell types refuses what it cannot compare, and a column without any value has no type.
    if not all(kinds) or any(map(has_no_type, kinds)):
        return
    value = ours[0]
    words = f"column {value['column']!r}" if "column" in value else str(value.get("written", value["sql"])).strip()
    found = f"{role}: {words} is {kinds[0]} in the data and {kinds[1]} in {name}"
    if family(kinds[0]) != family(kinds[1]):
        if ours[2].is_sampled or theirs[2].is_sampled:
            raise SampleMisled(found, "")
        raise BadData(f"{found}; {_how_to_cast(role, kinds, ours, theirs[0], name)}")
    if _are_other_enums(kinds):
        cast = _cast_to_text(value, kinds[0], ours[2].dialect)
        raise BadData(f"{found}, {_ENUMS_ARE_NUMBERS}; make texts of both in queries, as in {cast}")
    if _would_be_one((ours, theirs), kinds):
        raise BadData(f"{found}, where numbers that differ would be one; give both the same type")


def check_classes(columns: Mapping[str, Mapping[str, Any]], relation: Mapping[str, Any], source: Source) -> None:
    """A class and what was predicted are found equal as they stand: '01' is not 1, and none is lost on the way.

    Raises:
        BadData: One is a text and the other is not; or whole numbers would be none of their own beside fractions.
    """
    if "label_class" not in columns or "predicted_class" not in columns:
        return
    sides = [(columns[name], relation, source) for name in ("label_class", "predicted_class")]
    kinds = [_kind_of_value(*side) for side in sides]
    if not all(kinds) or any(map(has_no_type, kinds)):
        return
    label, prediction = (f"{value['column']!r}" if "column" in value else "the expression" for value, _, _ in sides)
    found = f"label: {label} is {kinds[0]}, and prediction: {prediction} is {kinds[1]}"
    are_texts = [family(kind) == "text" for kind in kinds]
    if any(are_texts) and not all(are_texts):
        if source.is_sampled:
            raise SampleMisled(found, "")
        place = are_texts.index(False)
        cast = _cast_to_text(sides[place][0], kinds[place], source.dialect)
        raise BadData(f'{found}; give both the same type, as in ⟨{("label", "prediction")[place]}⟩="= {cast}"')
    if _are_other_enums(kinds):
        casts = [_cast_to_text(side[0], kind, source.dialect) for side, kind in zip(sides, kinds, strict=True)]
        both = f'⟨label⟩="= {casts[0]}" and ⟨prediction⟩="= {casts[1]}"'
        raise BadData(f"{found}, {_ENUMS_ARE_NUMBERS}; make texts of both, as in {both}")
    if _would_be_one(sides, kinds):
        raise BadData(f"{found}, where numbers that differ would be one; give both the same type")


def _are_other_enums(kinds: Sequence[str]) -> bool:
    """Whether these are two enums of ClickHouse's, which are equal where the numbers of their names are."""
    return all(_ENUM_OF_NUMBERS.match(bare_type(kind)) for kind in kinds) and bare_type(kinds[0]) != bare_type(kinds[1])


_ENUM_OF_NUMBERS = re.compile(r"Enum(8|16)\(")
_ENUMS_ARE_NUMBERS = "and where enums differ ClickHouse compares the numbers behind the names"


def _would_be_one(sides: Sequence[Key], kinds: Sequence[str]) -> bool:
    """Whether numbers of one side are none of their own as the binary fractions that those of the other are."""
    if is_floating(kinds[0]) == is_floating(kinds[1]):
        return False
    place = 1 if is_floating(kinds[0]) else 0
    exact, kind = sides[place], bare_type(kinds[place])
    text = _text_of(exact[0], exact[2])
    if _FOUR_BYTES.match(bare_type(kinds[1 - place])):
        condition = _may_change_in_four_bytes(kind, text, exact[2].dialect)
    else:
        double = render_macro(catalogue(), exact[2].dialect, "to_double", text)
        condition = _may_change(kind, text, double, exact[2].dialect)
    probe = f"{_steps(exact[1])}select 1 as found from {exact[1]['relation']} where {condition} limit 1"
    return bool(condition) and _differs(_statement(probe, exact[2]), exact[2])


def _how_to_cast(role: str, kinds: Sequence[str], ours: Key, theirs: Mapping[str, Any], name: str) -> str:
    """What makes texts of both."""
    families = [family(kind) for kind in kinds]
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
    if dialect == "clickhouse":  # where a cast to a text takes no NULL
        return f"toString({number})"
    return f"cast({number} as {render_macro(catalogue(), dialect, 'type_text')})"


#: The type of a column in which there is nothing, by its names on any engine.
_NO_TYPE = re.compile('"?NULL"?|VOID|NOTHING', re.IGNORECASE)


def has_no_type(kind: str) -> bool:
    """Whether a column of this type holds nothing but NULL."""
    return _NO_TYPE.fullmatch(bare_type(kind)) is not None


def _text_of(value: Mapping[str, Any], source: Source) -> str:
    if "sql" in value:
        return _bracketed(value["sql"])
    return render_macro(catalogue(), source.dialect, "identifier", value["column"])


def _kind_of_value(value: Mapping[str, Any], relation: Mapping[str, Any], source: Source) -> str:
    """The type that a column or an expression has where it is read."""
    text = _text_of(value, source)
    return _kinds_of_expressions([text], relation, source).get(text, "")


def family(kind: str) -> str:
    """What of a type matters where two values are to be found equal."""
    if re.match("ENUM", bare_type(kind), re.IGNORECASE):  # the categories of pandas
        return "text"
    if re.fullmatch(r"TIMESTAMP(_S|_MS|_NS)?|DATETIME64\(\d\)", bare_type(kind), re.IGNORECASE):
        return "timestamp"
    for name, holds in {"text": is_text, "number": is_number, "boolean": is_boolean}.items():
        if holds(kind):
            return name
    return bare_type(kind).lower()


def _give_ids_one_form(
    relation: dict[str, Any], ids: Sequence[Sequence[Any]], source: Source, texts: Collection[str]
) -> None:
    """NaN is a missing user as NULL is, whatever brought it: pandas has one word for both, Arrow has two.

    Numbers that ClickHouse's client would round become texts there.
    """
    values = [*ids, *((relation["by"], place) for place in range(len(relation.get("by", ()))))]
    kinds = _kinds_of_expressions(
        [holder[key]["sql"] for holder, key in values if "sql" in holder[key]], relation, source
    )
    for holder, key in values:
        value = holder[key]
        if "sql" in value:
            value = {**value, "written": value["sql"]}
            # A cluster is named by its number, not as the engine writes it: 12.0 and 12 are one, and so are -0.0 and 0.
            kind = kinds.get(value["sql"], "")
            if key in ("cluster_id", "group_id") and is_number(kind) and not is_whole(kind):
                holder[key] = value = {**value, "is_number": True}
        if "column" in value:
            text = render_macro(catalogue(), source.dialect, "identifier", value["column"])
            kind = "VARCHAR" if value["column"] in texts else source.type_of(value["column"])
        else:
            text, kind = _bracketed(value["sql"]), kinds.get(value["sql"], "")
        if is_floating(kind):
            # On one line; the blanks of a name are its own.
            given = render_macro(catalogue(), source.dialect, "is_number", text).replace("\n    ", " ")
            zero = (
                f"when {text} = 0 then 0 " if source.dialect == "clickhouse" else ""
            )  # where -0 is a group of its own
            holder[key] = {**value, "sql": f"case {zero}when {given} then {text} end"}
        elif source.dialect == "postgres" and _DECIMAL_OR_NAN.match(kind):
            holder[key] = {**value, "sql": f"nullif({text}, cast('NaN' as numeric))"}
        elif source.dialect == "clickhouse" and is_rounded_by_clickhouse(kind) and key in ("group_id", *range(99)):
            holder[key] = {**value, "sql": f"toString({text})"}
            relation.setdefault("numbers_as_text", []).append(value["name"] if key in range(99) else key)


#: PostgreSQL's exact numbers know a NaN, too.
_DECIMAL_OR_NAN = re.compile(r"(numeric|decimal)\b(?!.*\[\])", re.IGNORECASE)
_ROUNDED_BY_CLICKHOUSE = re.compile(
    r"(?:Nullable\(|LowCardinality\()*(?:U?Int(?:128|256)|Decimal\((?:1[6-9]|[2-7]\d),)"
)


def is_rounded_by_clickhouse(kind: str) -> bool:
    """Whether numbers of a type reach pandas as doubles, where these do not hold them all."""
    return _ROUNDED_BY_CLICKHOUSE.match(kind) is not None


def kinds_of_values(values: Sequence[Mapping[str, Any]], role: str, source: Source) -> list[str]:
    """The types of columns and expressions over data; nothing of one that the engine does not tell."""
    relation = {"relation": source.relation, "input": source.query}
    kinds = _kinds_of_expressions([one["sql"] for one in values if "sql" in one], relation, source)
    return [kinds[one["sql"]] if "sql" in one else source.type_of(source.find(one["column"], role)) for one in values]


def _kinds_of_expressions(texts: list[str], relation: Mapping[str, Any], source: Source) -> dict[str, str]:
    """The types of expressions over a relation; none where one cannot be read, which the statement will tell."""
    if not texts:
        return {}
    columns = ", ".join(f"{_bracketed(text)} as e{place}" for place, text in enumerate(texts))
    found = source.types_of(f"{_steps(relation)}select {columns} from {relation['relation']} where 1 = 0")
    return {text: found.get(f"e{place}", "") for place, text in enumerate(texts)}


def _bracketed(text: str) -> str:
    return f"({text}\n)" if "--" in text else f"({text})"


def _give_all_steps_the_same_rows(template: dict[str, Any], source: Source, expressions: list[str]) -> None:
    """What is drawn at random is drawn once: the metrics of one call see the same rows."""
    if source.dialect in ("spark", "databricks", "clickhouse"):  # no step of a statement is stored there
        expressions = [*expressions, template["input"] or ""]
    for name, relation in source.further.items():
        if relation.is_drawn:
            raise BadParameter(
                f"{name}: its rows are drawn at random, anew for every step; write them into a table first"
            )
    drawn = next(filter(None, (VOLATILE_FUNCTIONS.search(one) for one in expressions)), None)
    if drawn is None:
        template["stored"] = template["stored"] or source.is_drawn
        return
    if source.dialect in ("spark", "databricks", "clickhouse"):
        raise BadParameter(
            f"{drawn[1]}() draws anew for every metric on {source.dialect}; write the rows into a table first"
        )
    template["stored"] = True


#: Types of whole numbers that are several as they stand and one as a double, by their names on any engine; and of
#: decimals of more digits than a double has, or of as many as there are.
_WIDE_WHOLE = re.compile(r"(?:BIGINT|LONG|UBIGINT|U?HUGEINT|U?INT(?:64|128|256))\Z", re.IGNORECASE)
_WIDE_DECIMAL = re.compile(r"(?:DECIMAL|(?:BIG)?NUMERIC)(?:\s*\((?:1[6-9]|[2-7]\d),.*\))?\Z", re.IGNORECASE)


def _check_distinct_as_doubles(plan: Plan, source: Source) -> None:
    """Scores that differ must not tie: they are compared as doubles."""
    template = plan.template
    columns = template["columns"]
    scored = [("score", columns.get("score")), ("rank", columns.get("negated_rank"))]
    scored += [("score", model) for model in template["models"]]
    scored += [("columns", value) for name, value in columns.items() if name.startswith(NUMBER)]
    steps = _steps(template)
    for role, value in scored:
        name = value.get("column") if value else None
        kind = bare_type(source.type_of(name)) if name else ""
        # Text was read as what fits into a double, or else whole.
        if source.is_sampled:
            continue
        quoted = render_macro(catalogue(), source.dialect, "identifier", name or "")
        double = render_macro(catalogue(), source.dialect, "to_double", quoted)
        condition = _may_change(kind, quoted, double, source.dialect)
        if not condition:
            continue
        # Files and tables note the ends of their columns: a bound is cheap to look for.
        probe = f"{steps}select 1 as found from {template['relation']} where {condition} limit 1"
        if not _differs(_statement(probe, source), source):
            continue
        counts = f"count(distinct {quoted}) as exact, count(distinct {double}) as doubles"
        statement = _statement(f"{steps}select {counts} from {template['relation']}", source)
        try:
            found = source.fetch(statement)
        except source.errors as error:
            raise QueryFailed(f"the query failed: {error_summary(error)}", statement) from error
        lost = int(found["exact"][0]) - int(found["doubles"][0])
        if lost:
            raise BadData(
                f"{role}: column {name!r} is {kind}, and {lost:,} of its values are no "
                "numbers of their own as doubles: they would tie with others; subtract what they have in common"
            )


def _may_change(kind: str, quoted: str, double: str, dialect: str) -> str:
    """The condition by which a value may not be itself as a double; nothing where each is."""
    if _WIDE_WHOLE.match(kind) or (dialect in ("postgres", "redshift") and kind == "int8"):
        above, below = f"{quoted} > 9007199254740992", f"{quoted} < -9007199254740992"
        return above if kind.upper().startswith("U") else f"{above} or {below}"
    if _WIDE_DECIMAL.match(kind):
        if dialect == "duckdb":
            return f"try_cast({double} as {kind}) is distinct from {quoted}"
        return f"cast({double} as {kind}) <> {quoted}"
    return ""


#: Binary fractions of four bytes, by their names on any engine: what is compared with them may be so, too.
_FOUR_BYTES = re.compile(r"(?:FLOAT|FLOAT4|FLOAT32|REAL)\Z", re.IGNORECASE)


def _may_change_in_four_bytes(kind: str, text: str, dialect: str) -> str:
    if is_whole(kind):
        above, below = f"{text} > 16777216", f"{text} < -16777216"
        return above if re.match("U", kind, re.IGNORECASE) else f"{above} or {below}"
    return f"try_cast(cast({text} as real) as {kind}) is distinct from {text}" if dialect == "duckdb" else ""


def _statement(text: str, source: Source) -> str:
    """A statement of ours, with the line breaks of names and the settings of the dialect."""
    end = render_macro(catalogue(), source.dialect, "statement_end")
    return render_macro(catalogue(), source.dialect, "give_line_breaks", text) + end


def _differs(probe: str, source: Source) -> bool:
    try:
        return len(source.fetch(probe)) > 0
    except source.errors:  # a double near the end of the type does not go back
        return True


_NOT_FOUND = re.compile(r'Referenced column "(.*?)" not found')


#: How engines refuse an aggregate where one row is asked.
_AGGREGATE = re.compile(r"GROUP BY|aggregate", re.IGNORECASE)


#: How PostgreSQL refuses a step that reads itself by way of the user's table, and ClickHouse.
_READS_ITSELF = re.compile('mutual recursion between WITH|recursive query "|Unknown table expression identifier')


def _taken_for_a_step(failed: QueryFailed, plan: Plan) -> QueryFailed | None:
    """The failure in words, where the engine reads a step in place of the user's table of that name."""
    if not _READS_ITSELF.search(str(failed)):
        return None
    steps = set(re.findall(r"^(\w+) as (?:not )?(?:materialized )?\($", failed.sql, re.MULTILINE))
    read = {"data": plan.template, **plan.template["relations"]}
    if plan.template["against"]:
        read["against"] = plan.template["against"]
    for role, relation in read.items():
        text = relation["input"] or f"from {relation['relation']}"
        for _, name in re.findall(r"\b(?:from|join)\s+([`\"]?)(\w+)\1(?![\w.(])", text, re.IGNORECASE):
            if name in steps:
                words = f"{role}: a table called {name!r} is taken for a step of the statement"
                return QueryFailed(f"{words}; write its schema or database, as in my_schema.{name}", failed.sql)
    return None


#: How engines refuse a text as a number, before the text itself.
_NO_NUMBER = re.compile(r"invalid input syntax for type [a-z ]+: \"(.*)\"|The value '(.*?)' of the type \"STRING\"")


def _text_for_a_number(failed: QueryFailed, plan: Plan, source: Source) -> QueryFailed | None:
    """The failure in words, where a column or an expression holds a text that is no number: each is read alone.

    DuckDB, and an adapter that tells the types of columns, refuse such a column before the statement.
    """
    found = _NO_NUMBER.search(str(failed))
    if found is None or source.dialect == "duckdb":
        return None
    template = plan.template
    values = [(role_of(name), one) for name, one in template["columns"].items() if name in NUMERIC_COLUMNS]
    values += [("score", model) for model in template["models"]]
    where = f" where {template['where']}" if template["where"] else ""
    for role, value in values:
        text = _text_of(value, source)
        double = render_macro(catalogue(), source.dialect, "to_double", text)
        probe = f"{_steps(template)}select max({double}) as highest from {template['relation']}{where}"
        if _is_refused(_statement(probe, source), source):
            wrong = next(filter(None, found.groups()), "")
            words = f"column {value['column']!r}" if "column" in value else value["sql"].strip()
            missing = f"nullif({value.get('column', '…')}, {text_literal(wrong)})"
            if "column" in value:
                number = render_macro(catalogue(), source.dialect, "type_double")
                missing = f'⟨{role}⟩="= cast({missing} as {number})"'
            return QueryFailed(
                f"{role}: {words} holds the text {wrong!r}, and a number is needed; {missing} makes it a missing value",
                failed.sql,
            )
    return None


def _is_refused(probe: str, source: Source) -> bool:
    try:
        source.fetch(probe)
    except source.errors:
        return True
    return False


def with_role(failed: QueryFailed, plan: Plan, source: Source) -> QueryFailed:
    """A failure with its role in words, where an expression is to blame: it names a column that the data does not have,
    or it is no value of one row, or a text that is no number; or a table that is called like a step."""
    known = _taken_for_a_step(failed, plan) or _text_for_a_number(failed, plan, source)
    if known is not None:
        return known
    found = _NOT_FOUND.search(str(failed))
    if found is None and not _AGGREGATE.search(str(failed)):
        return failed
    template = plan.template
    expressions = [("where", template["where"] or "1 = 1")]
    expressions += [("by", text) for text in _sql(template["by"])]
    expressions += [("score", text) for text in _sql(template["models"])]
    expressions += [
        (one.get("by") if "looked_up" in one else role_of(name), text)
        for name, one in template["columns"].items()
        for text in _sql(one)
    ]
    if found is not None:
        roles = [role for role, text in expressions if re.search(rf"\b{re.escape(found[1])}\b", text)]
        return QueryFailed(MissingColumn(found[1], roles[0], source.columns).marked, failed.sql) if roles else failed
    for role, text in expressions:
        # Alone as a condition on rows an aggregate is refused, and other values are not.
        condition = f"{_bracketed(text)} is not null"
        if not source.types_of(f"{_steps(template)}select 1 as one from {template['relation']} where {condition}"):
            words = f"{role}: {text.strip()} cannot be told of one row; expressions see one row at a time"
            return QueryFailed(f"{words} ({str(failed).removeprefix('the query failed: ')})", failed.sql)
    return failed


def _steps(relation: Mapping[str, Any]) -> str:
    """The query that was given as data, under the name by which it is read."""
    return f"with {relation['relation']} as ({relation['input']}\n)\n" if relation["input"] else ""


def settle_relation(name: str, relation: dict[str, Any], source: Source) -> None:
    """The same of a further relation, as the planner has it."""
    wanted = {"similarity": ("item_a", "item_b", "similarity"), "popularity": ("count",)}
    read: dict[str, bool] = {}
    for column, value in relation["columns"].items():
        relation["columns"][column] = _found(value, name, source, read, is_id(column))
    for column in wanted.get(name, ()):
        read[source.find(column, name)] = column.startswith("item")
    told_apart = _computed_with(list(_sql(relation["columns"])), _sql_of_ids(relation), source)
    for column in told_apart:
        read.setdefault(column, False)
    texts = source.files.text_ids([one for one, is_id in read.items() if is_id]) if source.files is not None else []
    relation["relation"] = _relation(source, relation["relation"], read, f"sqlmetrics_{name}", texts, told_apart)
    _see_nan(relation, told_apart, source)
    floating = {}
    if source.dialect == "clickhouse":  # which finds a pair by the bits of its items
        pairs = {column: source.find(column, name) for column in wanted.get(name, ()) if column.startswith("item")}
        floating = {column: found for column, found in pairs.items() if is_floating(source.type_of(found))}
        relation["columns"] |= {column: {"column": found} for column, found in floating.items()}
    ids = [
        *(place for _, *place in ids_of(relation["columns"])),
        *((relation["columns"], column) for column in floating),
    ]
    _give_ids_one_form(relation, ids, source, texts)


def _found(value: Mapping[str, Any], role: str, source: Source, read: dict[str, bool], is_id: bool) -> dict[str, Any]:
    """A value of the plan with the engine's name of its column, or of those of its parts."""
    result = dict(value)
    for part, inner in value.items():
        if isinstance(inner, Mapping):
            result[part] = _found(inner, part, source, read, is_id)
    if "column" in value:
        result["column"] = source.find(value["column"], role)
        read[result["column"]] = is_id or read.get(result["column"], False)
    return result


def _sql(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(value.get("sql"), str):
            yield value.get("written", value["sql"])
        for inner in value.values():
            yield from _sql(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _sql(inner)


def _named_in(expressions: list[str], source: Source) -> list[str]:
    """The columns that expressions may read, in the engine's names.

    The text is not understood, only looked through for names; what means columns without a name means all of them.
    """
    known = [*source.columns, *source.unreadable]
    folded: dict[str, list[str]] = {}
    for name in known:
        folded.setdefault(name.lower(), []).append(name)
    found = []
    for expression in expressions:
        text = expression if "\\" in expression else re.sub(r"'(?:[^']|'')*'", "''", expression)
        words = {one.replace('""', '"') for one in re.findall(r'"((?:[^"]|"")+)"', text)} | set(
            re.findall(r"\w+", text)
        )
        if re.search(r"\bcolumns\s*\(|#\d|\*\s*\)", text, re.IGNORECASE) and source.files is not None:
            words |= {
                one for one in source.columns if len(folded[one.lower()]) == 1 and one.lower() not in source.files.mixed
            }
        for word in sorted(words):
            candidates = folded.get(word.lower(), [])
            if not candidates or source.dialect in ("postgres", "clickhouse"):
                continue
            where = f"the expression {expression.strip()!r}"
            if len(candidates) > 1:  # the engine takes the first of them, in whatever letters it is requested
                raise BadParameter(
                    f"{where}: {word!r} may be {' or '.join(map(repr, candidates))}, which an expression cannot tell "
                    "apart; give them other names in a query"
                )
            found.append(source.find(candidates[0], where))
    return found


def _scores(template: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    score = template["columns"].get("score")
    return [*([score] if score else []), *template["models"]]


def _sql_of_ids(relation: Mapping[str, Any]) -> list[str]:
    ids = [holder[key] for _, holder, key in ids_of(relation["columns"])]
    return [text for value in [*ids, *relation.get("by", ())] for text in _sql(value)]


def _computed_with(expressions: list[str], of_ids: list[str], source: Source) -> dict[str, tuple[str, bool]]:
    """The columns that expressions may read, each with the words for one of these, and whether ids are made of it."""
    found: dict[str, tuple[str, bool]] = {}
    for expression in expressions:
        for column in _named_in([expression], source):
            makes_ids = expression in of_ids or found.get(column, ("", False))[1]
            found[column] = (f"the expression {expression.strip()!r}", makes_ids)
    return found


def _relation(
    source: Source,
    relation: str,
    read: Mapping[str, bool],
    name: str,
    texts: Collection[str],
    told_apart: Mapping[str, tuple[str, bool]],
) -> str:
    """The relation to read.

    Raises:
        BadData: Numbers that differ would become one, in a column where that would change the answer.
    """
    if source.files is None:
        return relation
    blurred = source.files.blurred([one for one in told_apart if one not in texts])
    if blurred is not None:
        raise BadData(
            f"{told_apart[blurred][0]}: column {blurred!r} holds numbers that differ and are the same double; read "
            f"them as decimals in a query, as in {source.files.as_decimals(blurred)}"
        )
    if source.files.must_be_whole(read):
        raise SampleMisled("numbers inside of structures are seen in a sample only", "")
    ids = [one for one, is_id in read.items() if is_id]
    makes_ids = {one: ids_too for one, (_, ids_too) in told_apart.items()}
    return source.files.relation(list(read), ids, name, texts, makes_ids)
