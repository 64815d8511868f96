"""Metrics as table macros of a DuckDB database, for all its clients: `from auc(impressions, clicked, pctr)`.

The templates render the SQL. The relation, the columns and the slice are parameters of the macro, and DuckDB replaces
every equal name in the body. Generated names that equal a parameter, or could be read as tables and columns of the
caller, therefore get a prefix. The parameters of a metric are fixed in its macro.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from ..catalogue.model import Metric
from ..catalogue.registry import Catalogue, catalogue
from ..catalogue.vocabulary import OPTIONAL_RELATIONS
from ..engines.duckdb_connection import checked_connection
from ..errors import BadParameter, QueryFailed, error_summary, raised_at_caller
from ..expressions import Sql
from ..planning.metric_spec import MetricSpec, metric_specs
from ..planning.plan import Requested
from ..planning.planner import make_plan, requested_metrics
from ..rendering.macros import render_macro
from ..request import InputRelation, Request
from ..sql_text import quoted_name, text_literal
from ..version import installed_version

#: Prefixes of names in the rendered SQL that become parameters and result columns of the macro.
_PLACEHOLDER, _RESULT = "sqlmetrics_place_of_", "sqlmetrics_result_"
_PREFIX = "sqlmetrics_"
#: Strings, quoted names, comments and numbers; or a name, with the bracket if it is a function.
_TOKENS = re.compile(r"(?:'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|\d[\w.]*)|([A-Za-z_]\w*)(?=(\s*\()?)")
_STEP = re.compile(r"^ *(\w+) as (?:not )?(?:materialized )?\($", re.MULTILINE)
#: DuckDB selects the body of a macro by its number of parameters; `slice` and `weight` each add one.
_WEIGHTED = "with_weights := true"
_INSTALLED_BY_US = re.compile(r"sqlmetrics \d")


@dataclass(frozen=True)
class Macro:
    """A metric as a table macro, with a body for each choice of columns, which is rendered when it is first read."""

    name: str
    title: str
    bodies: Mapping[tuple[str, ...], Callable[[], str]] = field(repr=False)

    def sql(self, schema: str | None = None) -> str:
        """The statements that create the macro, with a comment that marks it as ours."""
        name = _qualified(self.name, schema)
        bodies = ",\n".join(f"({', '.join(names)}) as table (\n{body()}\n)" for names, body in self.bodies.items())
        comment = text_literal(f"sqlmetrics {installed_version()}: {self.title}")
        return f"create or replace macro {name}{bodies};\ncomment on macro table {name} is {comment};\n"


def _qualified(name: str, schema: str | None) -> str:
    return f"{quoted_name(schema)}.{quoted_name(name)}" if schema else quoted_name(name)


def macro_unsupported_reason(metric: Metric, fixed: Collection[str] = ()) -> str:
    """Why a metric with these fixed parameters has no macro; empty if it has a macro."""
    for parameter in metric.parameters.values():
        if parameter.required and parameter.names_columns:
            each = "class" if parameter.type == "columns" else "level"
            return f"it takes a column for each {each}, and the columns of a macro are fixed"
    if set(metric.relations) - {*OPTIONAL_RELATIONS}:
        return "it looks items up in a second relation, whose keys only the runner compares with those of the data"
    missing = [
        f"{parameter.name}=…"
        for parameter in metric.parameters.values()
        if parameter.required and parameter.name not in fixed
    ]
    return f"install it with its parameters, as 'mine = {metric.name}({', '.join(missing)})'" if missing else ""


def metric_macros(
    metrics: MetricSpec | Sequence[MetricSpec] | None = None, *, preset: str | None = None
) -> list[Macro]:
    """The metrics as macros, named after their result columns; by default all metrics that can be macros.

    Parameters of a request such as `mine = ndcg(gain='linear')` are fixed in the macro.
    """
    available = catalogue()
    if metrics is None:
        metrics = [name for name, metric in sorted(available.metrics.items()) if not macro_unsupported_reason(metric)]
    # Table metrics must be requested alone, so each metric is planned separately.
    specs = metric_specs(metrics)
    macros = [
        (_cached_macro if isinstance(spec, str) and preset is None else _macro)(available, spec, preset)
        for spec in (specs if isinstance(specs, list) else [specs])
    ]
    names = [macro.name.lower() for macro in macros]
    for name in names:
        if names.count(name) > 1:
            raise BadParameter(f"metrics: two macros would be called {name!r}; give one a name, as in 'mine = {name}'")
    return macros


def _macro(catalogue: Catalogue, spec: Any, preset: str | None) -> Macro:
    named = spec if isinstance(spec, Mapping) else {"name": spec}
    requested = requested_metrics([spec], catalogue, preset)[0]
    reason = macro_unsupported_reason(requested.metric, requested.parameters)
    if reason:
        raise BadParameter(f"{requested.metric.name} cannot be a macro: {reason}")
    fixed = {
        name: value
        for name, value in requested.parameters.items()
        if value is not None
        and (
            name in named
            or (name == "k" and "@" in str(named.get("name")))
            or (preset is not None and preset in requested.metric.parameters[name].presets)
        )
    }
    reserved = _reserved_words(catalogue)
    base = _required_roles(requested)
    bodies: dict[tuple[str, ...], Callable[[], str]] = {}
    weights = [role for role in ("weight", "group_weight") if role in requested.metric.roles()]
    for roles in (base, *((*base, weight) for weight in weights)):
        for by in ((), ("slice",)):
            names = [_parameter(name, reserved) for name in ("relation", *roles, *by)]
            weighted = (_WEIGHTED,) if len(roles) > len(base) else ()
            body = functools.partial(_body, catalogue, requested, fixed, roles, by)
            bodies[(*names, *weighted)] = functools.cache(body)
    return Macro(requested.name, requested.metric.title, bodies)


#: Other connections and pages use the macros of metrics without fixed parameters again.
_cached_macro = functools.lru_cache(maxsize=1_024)(_macro)


def _required_roles(requested: Requested) -> tuple[str, ...]:
    """The required roles of a metric, in the order of the macro's parameters."""
    metric = requested.metric
    needed = {role for role, required in metric.roles().items() if required}
    if metric.label_type is not None:
        needed.add("label")
    if metric.score in ("number", "probability", "threshold"):
        needed.add("score")
    for condition, roles in metric.needs.items():
        parameter, _, value = condition.partition("=")
        if str(requested.parameters[parameter]) == value:
            needed.update(roles)
    if requested.parameters.get("ties") == "key":
        needed.add("tie_key")
    if "propensities" in metric.relations:  # the macro takes a column in place of the relation
        needed.add("propensity")
    return tuple(role for role in metric.roles() if role in needed)


def _reserved_words(catalogue: Catalogue) -> set[str]:
    return set(render_macro(catalogue, "duckdb", "reserved_words").split())


def _parameter(name: str, reserved: Collection[str]) -> str:
    return f'"{name}"' if name in reserved else name


def _placeholder(catalogue: Catalogue, requested: Requested, role: str) -> Sql:
    """The expression that reads a role; only DuckDB knows the type of its column."""
    text = _PLACEHOLDER + role
    is_id = role in ("group", "item", "field", "tie_key", "subtopic", "prediction", "slice")
    if role == "score":
        text = render_macro(catalogue, "duckdb", "score_or_refused", text)
    elif is_id or (role == "label" and requested.metric.label_type == "class"):
        text = render_macro(catalogue, "duckdb", "id_or_null", text)
    return Sql(text)


def _body(
    catalogue: Catalogue, requested: Requested, fixed: Mapping[str, Any], roles: Sequence[str], by: Sequence[str]
) -> str:
    """The statement of a choice of roles, with the parameters of the macro."""
    plan = make_plan(
        catalogue,
        Request(
            [{"name": requested.metric.name, "as": requested.name, **fixed}],
            roles={role: _placeholder(catalogue, requested, role) for role in roles},
            by=[{"name": name, "sql": _placeholder(catalogue, requested, name).text} for name in by] or None,
        ),
        InputRelation(f"query_table({_PLACEHOLDER}relation)", "a relation"),
    )
    reserved = _reserved_words(catalogue)
    taken = {"relation", "slice", "slice_1", *roles, *plan.data.columns} - reserved
    shown = [*plan.slices, *([] if plan.is_table else ["n"])]
    shown += [column["as"] for metric in plan.metrics for column in metric["columns"]]
    if any(name.lower() in taken and name != name.lower() for name in shown):
        raise BadParameter(f"metrics: {requested.name!r} is called like a parameter of its macro")
    renamed = [f"{_PREFIX}{name} as {_RESULT}{name}" for name in shown if name in taken]
    text = render_macro(catalogue, "duckdb", "refusing", {**plan.context(), "refuses": True}, renamed)
    # A table may have the name of a step, which DuckDB 1 would then read; steps therefore get a prefix.
    steps = {name for name in _STEP.findall(text) if not name.startswith(_PREFIX)}
    taken |= steps - set(shown) - reserved

    def with_prefix(match: re.Match[str]) -> str:
        name = match[1]
        return match[0] if name is None or match[2] or name.lower() not in taken else f"{_PREFIX}{name}"

    text = _TOKENS.sub(with_prefix, text)
    return re.sub(rf"\b(?:{_RESULT}|{_PLACEHOLDER})(\w+)", lambda match: _parameter(match[1], reserved), text)


def macros_text(
    metrics: MetricSpec | Sequence[MetricSpec] | None = None, *, preset: str | None = None, schema: str | None = None
) -> str:
    """The statements that create the macros, as a file for `.read`."""
    made = [f"create schema if not exists {quoted_name(schema)};\n"] if schema else []
    return "\n".join(made + [macro.sql(schema) for macro in metric_macros(metrics, preset=preset)])


@raised_at_caller
def install(
    con: duckdb.DuckDBPyConnection,
    metrics: MetricSpec | Sequence[MetricSpec] | None = None,
    *,
    preset: str | None = None,
    schema: str | None = None,
) -> list[str]:
    """Create table macros for the metrics in a DuckDB database, for all of its clients.

    Afterwards `from auc(impressions, clicked, pctr)` works in SQL. The call changes nothing else in the database. If a
    macro of your own has the name of a metric, the call fails and creates nothing. A second call replaces the macros.

    Args:
        con: The connection whose current database gets the macros.
        metrics: The metrics, as in `evaluate`; by default all that macros support. The parameters that you pass, as in
            `"ndcg_linear = ndcg(gain='linear')"`, are fixed in the macro.
        preset: The tool whose conventions set the other parameters: `sklearn`, `trec_eval`, `lightgbm` or `spark`.
        schema: The schema of the macros, created if it is missing: `from metrics.auc(…)`. By default the current one.

    Returns:
        The names of the macros.

    Raises:
        SqlMetricsError: UnknownMetric, BadParameter or QueryFailed.

    Example:
        >>> import duckdb
        >>> import sqlmetrics
        >>> con = duckdb.connect()
        >>> sqlmetrics.install(con, "auc")
        ['auc']
        >>> rows = "(values (0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)) as rows(clicked, pctr)"
        >>> _ = con.execute(f"create table log as from {rows}")
        >>> con.sql("from auc(log, clicked, pctr)").fetchall()
        [(4, 0.75)]
    """
    con = checked_connection(con)
    macros = metric_macros(metrics, preset=preset)
    comments = _installed_macros(con, schema)
    others = [
        macro.name for macro in macros if not _INSTALLED_BY_US.match(comments.get(macro.name.lower(), "sqlmetrics 0"))
    ]
    if others:
        raise BadParameter(
            f"the database has macros of its own called {', '.join(others)}: nothing was installed; "
            "a schema of their own keeps the two apart (schema='metrics', --schema metrics)"
        )
    statements = [f"create schema if not exists {quoted_name(schema)}"] if schema else []
    _execute_all(con, [*statements, *(macro.sql(schema) for macro in macros)])
    return [macro.name for macro in macros]


@raised_at_caller
def uninstall(con: duckdb.DuckDBPyConnection, *, schema: str | None = None) -> list[str]:
    """Remove the macros of `install` from a DuckDB database, and nothing else.

    Args:
        con: The connection of the database.
        schema: The schema that you passed to `install`. The call does not remove the schema itself.

    Returns:
        The names of the removed macros.
    """
    con = checked_connection(con)
    names = [name for name, comment in _installed_macros(con, schema).items() if _INSTALLED_BY_US.match(comment)]
    _execute_all(con, [f"drop macro table {_qualified(name, schema)}" for name in names])
    return names


def _installed_macros(con: duckdb.DuckDBPyConnection, schema: str | None) -> dict[str, str]:
    rows = con.execute(
        "select distinct lower(function_name), coalesce(comment, '') from duckdb_functions() "
        "where function_type = 'table_macro' and database_name = current_database() "
        "and lower(schema_name) = lower(coalesce($1, current_schema())) and not internal order by all asc",
        [schema],
    )
    return dict(rows.fetchall())


def _execute_all(con: duckdb.DuckDBPyConnection, statements: Sequence[str]) -> None:
    """Execute all statements or none; they join a running transaction of the caller."""
    # Outside of a transaction each statement has a new id; `begin` inside a transaction would abort it.
    first, second = (con.execute("select txid_current()").fetchall() for _ in range(2))
    begins_transaction = first != second
    try:
        if begins_transaction:
            con.begin()
        for statement in statements:
            con.execute(statement)
        if begins_transaction:
            con.commit()
    except duckdb.Error as error:
        if begins_transaction:
            con.rollback()
        raise QueryFailed(f"cannot create the macros: {error_summary(error)}", "\n".join(statements)) from error
