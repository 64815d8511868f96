"""Find the role of a call that makes the engine reject a statement."""

from __future__ import annotations

import re

from ..catalogue.traits import traits_of
from ..catalogue.vocabulary import NUMERIC_COLUMNS, role_of
from ..errors import MissingColumn, QueryFailed
from ..inputs.source import Source
from ..planning.plan import Plan, expressions_in
from ..sql_text import text_literal
from .probes import bracketed, probe_statement, sql_of_value, with_clause

_NOT_FOUND = re.compile(r'Referenced column "(.*?)" not found')


#: How engines reject an aggregate in an expression on one row.
_AGGREGATE = re.compile(r"GROUP BY|aggregate", re.IGNORECASE)


#: How PostgreSQL and ClickHouse reject a CTE that has the name of the user's table and reads it.
_READS_ITSELF = re.compile('mutual recursion between WITH|recursive query "|Unknown table expression identifier')


def _cte_name_collision(failed: QueryFailed, plan: Plan) -> QueryFailed | None:
    """Explain a failure because a CTE has the name of the user's table."""
    if not _READS_ITSELF.search(str(failed)):
        return None
    steps = set(re.findall(r"^(\w+) as (?:not )?(?:materialized )?\($", failed.sql, re.MULTILINE))
    read = {"data": plan.data, **plan.relations, **({"against": plan.against} if plan.against else {})}
    for role, relation in read.items():
        text = relation.input or f"from {relation.relation}"
        for _, name in re.findall(r"\b(?:from|join)\s+([`\"]?)(\w+)\1(?![\w.(])", text, re.IGNORECASE):
            if name in steps:
                message = f"{role}: a table called {name!r} is taken for a step of the statement"
                return QueryFailed(f"{message}; write its schema or database, as in my_schema.{name}", failed.sql)
    return None


#: How engines reject a text as a number; the group is the text.
_NO_NUMBER = re.compile(r"invalid input syntax for type [a-z ]+: \"(.*)\"|The value '(.*?)' of the type \"STRING\"")


def _text_for_a_number(failed: QueryFailed, plan: Plan, source: Source) -> QueryFailed | None:
    """Explain a failure because a column or an expression holds a text, by reading each alone.

    DuckDB and adapters that know types reject such columns before the statement.
    """
    match = _NO_NUMBER.search(str(failed))
    if match is None or traits_of(source.dialect).reports_texts:
        return None
    data = plan.data
    values = [(role_of(name), value) for name, value in data.columns.items() if name in NUMERIC_COLUMNS]
    values += [("score", model) for model in plan.models]
    where = f" where {data.where}" if data.where else ""
    for role, value in values:
        text = sql_of_value(value, source)
        double = source.render("to_double", text)
        probe = f"{with_clause(data)}select max({double}) as highest from {data.relation}{where}"
        if _is_refused(probe_statement(probe, source), source):
            wrong = next(filter(None, match.groups()), "")
            description = f"column {value['column']!r}" if "column" in value else value["sql"].strip()
            missing = f"nullif({value.get('column', '…')}, {text_literal(wrong)})"
            if "column" in value:
                number = source.render("type_double")
                missing = f'⟨{role}⟩="= cast({missing} as {number})"'
            return QueryFailed(
                f"{role}: {description} holds the text {wrong!r}, and a number is needed; {missing} makes it a "
                "missing value",
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
    """Add the role to a failure that an expression or a table name causes.

    Causes are missing columns, aggregates, texts that are not numbers, and tables with the name of a CTE.
    """
    explained = _cte_name_collision(failed, plan) or _text_for_a_number(failed, plan, source)
    if explained is not None:
        return explained
    match = _NOT_FOUND.search(str(failed))
    if match is None and not _AGGREGATE.search(str(failed)):
        return failed
    data = plan.data
    expressions = [("where", data.where or "1 = 1")]
    expressions += [("by", text) for text in expressions_in(data.by)]
    expressions += [("score", text) for text in expressions_in(plan.models)]
    expressions += [
        (str(value["by"]) if "looked_up" in value else role_of(name), text)
        for name, value in data.columns.items()
        for text in expressions_in(value)
    ]
    if match is not None:
        roles = [role for role, text in expressions if re.search(rf"\b{re.escape(match[1])}\b", text)]
        return QueryFailed(MissingColumn(match[1], roles[0], source.columns).marked, failed.sql) if roles else failed
    for role, text in expressions:
        # As a condition on rows, engines reject aggregates only.
        condition = f"{bracketed(text)} is not null"
        if not source.types_of(f"{with_clause(data)}select 1 as one from {data.relation} where {condition}"):
            message = f"{role}: {text.strip()} cannot be told of one row; expressions see one row at a time"
            return QueryFailed(f"{message} ({str(failed).removeprefix('the query failed: ')})", failed.sql)
    return failed
