"""Five rules for statements that a parser reads but warehouses reject."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import pyarrow as pa
import sqlglot
from sqlglot import exp
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import traverse_scope

_AGGREGATES = (exp.Sum, exp.Min, exp.Max, exp.Avg, exp.Count)


def broken_rules(text: str, dialect: str, reserved: Collection[str]) -> Iterator[str]:
    """The broken rules of a statement, with the text that breaks them."""
    statement = sqlglot.parse_one(text, read=dialect)
    for window in statement.find_all(exp.Window):
        runs = isinstance(window.this, _AGGREGATES) and window.args.get("order")
        if dialect == "redshift" and runs and not window.args.get("spec"):
            yield f"an ordered aggregate window without a frame: {window.sql(dialect)}"
    for select in statement.find_all(exp.Select):
        having = select.args.get("having")
        if having is None:
            continue
        if not select.args.get("group") and not any(map(_aggregates, select.expressions)):
            yield f"HAVING without GROUP BY or an aggregate: {select.sql(dialect)}"
        items = [item for item in select.expressions if isinstance(item, exp.Alias)]
        aliases = {item.alias for item in items if item.this.name != item.alias}
        for column in having.find_all(exp.Column):
            if not column.table and column.name in aliases:
                yield f"an alias of the select list inside HAVING: {having.sql(dialect)}"
    for identifier in statement.find_all(exp.Identifier):
        is_alias = isinstance(identifier.parent, exp.Alias | exp.TableAlias)
        if is_alias and not identifier.quoted and identifier.name.lower() in reserved:
            yield f"a reserved word as an alias: {identifier.parent.sql(dialect)}"
    for scope in traverse_scope(statement):
        for name, source in scope.sources.items():
            query = getattr(source, "expression", None)
            if isinstance(query, exp.Query) and name in query.named_selects:
                yield f"a relation that is named as its column: {name}"


def _aggregates(item: exp.Expression) -> bool:
    return any(not aggregate.find_ancestor(exp.Window) for aggregate in item.find_all(*_AGGREGATES))


def check_columns(text: str, dialect: str, relations: Mapping[str, pa.Table]) -> None:
    """Raise an OptimizeError for a column that is unknown or ambiguous."""
    fold = str.upper if dialect == "snowflake" else str
    schema = {fold(name): {fold(column): "text" for column in table.column_names} for name, table in relations.items()}
    qualify(sqlglot.parse_one(text, read=dialect), schema=schema, dialect=dialect)
