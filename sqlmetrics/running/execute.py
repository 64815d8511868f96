"""Execute one statement, and explain which role of a call makes the engine reject it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import duckdb

from ..catalogue.traits import traits_of
from ..catalogue.vocabulary import NUMERIC_COLUMNS, role_of
from ..errors import MissingColumn, QueryFailed, SqlMetricsError, error_summary
from ..inputs.source import Executor, Source
from ..interrupts import INTERRUPTED
from ..planning.plan import Plan, expressions_in
from ..sql_text import text_literal
from ..tables import renamed
from .probes import bracketed, probe_statement, sql_of_value

_NOT_FOUND = re.compile(r'Referenced column "(.*?)" not found')
#: How engines reject an aggregate in an expression on one row.
_AGGREGATE = re.compile(r"GROUP BY|aggregate", re.IGNORECASE)
#: How PostgreSQL and ClickHouse reject a CTE that has the name of the user's table and reads it.
_READS_ITSELF = re.compile('mutual recursion between WITH|recursive query "|Unknown table expression identifier')
#: How engines reject a text as a number; the group is the text.
_NO_NUMBER = re.compile(r"invalid input syntax for type [a-z ]+: \"(.*)\"|The value '(.*?)' of the type \"STRING\"")


def fetch(source: Source, sql: str) -> Any:
    """Execute one statement and return its rows."""
    try:
        return (source.fetch_frame if source.as_frames else source.fetch)(sql)
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except SqlMetricsError:
        raise
    except source.errors as error:
        if str(error) == INTERRUPTED:
            raise  # Ctrl-C
        raise QueryFailed(f"the query failed: {error_summary(error)}", sql) from error


def lower_if_upper(name: str) -> str:
    """Lower a name that the engine returns in capitals."""
    return name.lower() if name.isupper() else name


def renaming(plan: Plan, execute: Executor, new_name: Callable[[str], str] = lower_if_upper) -> Executor:
    """Execute statements, add the role to errors and rename result columns."""

    def execute_renamed(source: Source, sql: str) -> Any:
        try:
            rows = execute(source, sql)
        except QueryFailed as failed:
            raise add_role_to_error(failed, plan, source) from failed.__cause__
        return renamed(rows, [new_name(str(name)) for name in rows.columns])

    return execute_renamed


def _cte_name_collision(failed: QueryFailed, plan: Plan, source: Source) -> QueryFailed | None:
    """Explain a failure because a CTE has the name of the user's table."""
    if not _READS_ITSELF.search(str(failed)):
        return None
    steps = set(re.findall(r"^(\w+) as (?:not )?(?:materialized )?\($", failed.sql, re.MULTILINE))
    for role, relation in plan.inputs.items():
        for name in relation.tables(source.dialect):
            if name in steps:
                message = f"{role}: a table called {name!r} is taken for a step of the statement"
                return QueryFailed(f"{message}; write its schema or database, as in my_schema.{name}", failed.sql)
    return None


def _text_for_a_number(failed: QueryFailed, plan: Plan, source: Source) -> QueryFailed | None:
    """Explain a failure because a column or an expression holds a text, by reading each alone."""
    match = _NO_NUMBER.search(str(failed))
    # DuckDB and adapters that know types reject such columns before the statement.
    if match is None or traits_of(source.dialect).reports_texts:
        return None
    data = plan.data
    values = [(role_of(name), value) for name, value in data.columns.items() if name in NUMERIC_COLUMNS]
    values += [("score", model) for model in plan.models]
    for role, value in values:
        text = sql_of_value(value, source)
        double = source.render("to_double", text)
        probe = probe_statement(data.select(f"max({double}) as highest", data.where), source)
        try:
            source.fetch(probe)
        except source.errors:
            wrong = next(filter(None, match.groups()), "")
            description = f"column {value['column']!r}" if "column" in value else value["sql"].strip()
            missing = f"nullif({value.get('column', '…')}, {text_literal(wrong)})"
            if "column" in value:
                missing = f'⟨{role}⟩="= cast({missing} as {source.render("type_double")})"'
            message = f"{role}: {description} holds the text {wrong!r}, and a number is needed"
            return QueryFailed(f"{message}; {missing} makes it a missing value", failed.sql)
    return None


def add_role_to_error(failed: QueryFailed, plan: Plan, source: Source) -> QueryFailed:
    """Add the role to a failure that an expression or a table name causes."""
    explained = _cte_name_collision(failed, plan, source) or _text_for_a_number(failed, plan, source)
    if explained is not None:
        return explained
    match = _NOT_FOUND.search(str(failed))
    data = plan.data
    expressions = [("where", data.where)] if data.where else []
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
    reason = str(failed).partition(": ")[2]
    problem = "is an aggregate; expressions see one row at a time" if _AGGREGATE.search(reason) else "cannot be read"
    for role, text in expressions if source.types_of(data.select("1 as one")) else []:
        # As a condition on rows, engines reject aggregates too.
        if not source.types_of(data.select("1 as one", f"{bracketed(text)} is not null")):
            return QueryFailed(f"{role}: {text.strip()} {problem} ({reason})", failed.sql)
    return failed
