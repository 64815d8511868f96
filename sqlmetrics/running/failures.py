"""Which role of a call is to blame where the engine refuses a statement."""

from __future__ import annotations

import re

from ..catalogue.registry import catalogue
from ..catalogue.vocabulary import NUMERIC_COLUMNS, role_of
from ..engines.traits import traits_of
from ..errors import MissingColumn, QueryFailed
from ..inputs.source import Source
from ..planning.plan import Plan
from ..rendering.macros import render_macro
from ..sql_text import text_literal
from .probes import bracketed, expressions_in, probe_statement, sql_of_value, with_clause

_NOT_FOUND = re.compile(r'Referenced column "(.*?)" not found')


#: How engines refuse an aggregate where one row is asked.
_AGGREGATE = re.compile(r"GROUP BY|aggregate", re.IGNORECASE)


#: How PostgreSQL refuses a step that reads itself by way of the user's table, and ClickHouse.
_READS_ITSELF = re.compile('mutual recursion between WITH|recursive query "|Unknown table expression identifier')


def _cte_name_collision(failed: QueryFailed, plan: Plan) -> QueryFailed | None:
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
    if found is None or traits_of(source.dialect).reports_texts:
        return None
    template = plan.template
    values = [(role_of(name), one) for name, one in template["columns"].items() if name in NUMERIC_COLUMNS]
    values += [("score", model) for model in template["models"]]
    where = f" where {template['where']}" if template["where"] else ""
    for role, value in values:
        text = sql_of_value(value, source)
        double = render_macro(catalogue(), source.dialect, "to_double", text)
        probe = f"{with_clause(template)}select max({double}) as highest from {template['relation']}{where}"
        if _is_refused(probe_statement(probe, source), source):
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


def add_role_to_error(failed: QueryFailed, plan: Plan, source: Source) -> QueryFailed:
    """A failure with its role in words, where an expression is to blame: it names a column that the data does not have,
    or it is no value of one row, or a text that is no number; or a table that is called like a step."""
    known = _cte_name_collision(failed, plan) or _text_for_a_number(failed, plan, source)
    if known is not None:
        return known
    found = _NOT_FOUND.search(str(failed))
    if found is None and not _AGGREGATE.search(str(failed)):
        return failed
    template = plan.template
    expressions = [("where", template["where"] or "1 = 1")]
    expressions += [("by", text) for text in expressions_in(template["by"])]
    expressions += [("score", text) for text in expressions_in(template["models"])]
    expressions += [
        (one.get("by") if "looked_up" in one else role_of(name), text)
        for name, one in template["columns"].items()
        for text in expressions_in(one)
    ]
    if found is not None:
        roles = [role for role, text in expressions if re.search(rf"\b{re.escape(found[1])}\b", text)]
        return QueryFailed(MissingColumn(found[1], roles[0], source.columns).marked, failed.sql) if roles else failed
    for role, text in expressions:
        # Alone as a condition on rows an aggregate is refused, and other values are not.
        condition = f"{bracketed(text)} is not null"
        if not source.types_of(f"{with_clause(template)}select 1 as one from {template['relation']} where {condition}"):
            words = f"{role}: {text.strip()} cannot be told of one row; expressions see one row at a time"
            return QueryFailed(f"{words} ({str(failed).removeprefix('the query failed: ')})", failed.sql)
    return failed
