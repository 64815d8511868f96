"""Plan a call: convert its arguments for the planner macros, and their result for the runner.

The planner in `sql/macros/planning` decides the meaning of a call, in dbt as well.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any

from ..catalogue.registry import Catalogue
from ..catalogue.traits import traits_of
from ..catalogue.vocabulary import ROLES
from ..errors import BadParameter
from ..expressions import Column, Sql
from ..rendering.macros import call_macro, render_macro
from ..request import InputRelation, Request
from .metric_spec import MetricSpec, metric_specs, parts_of, plain_value
from .plan import Plan, Requested


def make_plan(
    catalogue: Catalogue,
    request: Request,
    data: InputRelation,
    relations: Mapping[str, InputRelation] | None = None,
    *,
    call_name: str = "evaluate",
    planner: str = "plan",
    choices: Sequence[Any] = (),
) -> Plan:
    """Validate a request, and plan it for the templates.

    Errors name the call `call_name`. `planner` is the planning macro, and `choices` are its further arguments.
    """
    relations = dict(relations or {})
    for name, choice in {"preset": request.preset, "shape": request.shape}.items():
        if not isinstance(choice, str | None):
            raise BadParameter(f"{name} must be a word, not {type(choice).__name__}")
    intervals = request.intervals
    flags = {"checks": request.checks, "diagnostics": request.diagnostics, "standard_error": intervals.standard_error}
    for name, flag in flags.items():
        flags[name] = plain_value(flag)
        if not isinstance(flags[name], bool | int | None):
            raise BadParameter(f"{name} must be True or False, not {type(flag).__name__}")
    call = {
        "macro": call_name,
        "relation": data.relation,
        "relation_text": data.text,
        "input": data.query,
        "metrics": None if request.metrics is None else metric_specs(request.metrics),
        "preset": request.preset,
        "roles": {role: plain_expression(role, request.roles.get(role)) for role in ROLES},
        "comparison": _comparison(request, relations.pop("against", None)),
        "relations": {name: relation.template for name, relation in relations.items()},
        "by": plain_slices(request.by, data.columns),
        "where": request.where,
        "shape": request.shape,
        "per_group": request.per_group,
        "confidence": plain_value(intervals.confidence),
        "cluster": plain_expression("cluster", intervals.cluster),
        "method": intervals.method,
        "replicates": plain_value(intervals.replicates),
        "seed": plain_value(intervals.seed),
        "round": plain_value(request.round),
        "gaps": {"min_rows": plain_value(request.min_rows)} if request.gaps else None,
        **flags,
    }
    check_unicode([call, *choices])
    template = call_macro(catalogue, data.dialect, planner, call, *choices)
    requested = _requested(catalogue, template["requested"])
    slices = ["grouping"] if template["groupings"] else []
    names = [entry["name"] for entry in template["by"]]
    model = ["model"] if template["models"] else []
    if request.gaps:
        slices += [*model, "metric", *(f"{end}_{name}" for end in ("highest", "lowest") for name in names)]
    else:
        slices += names + model
    return Plan.of(template, requested, slices)


def _comparison(request: Request, against: InputRelation | None) -> dict[str, Any] | None:
    options = request.comparison
    if options is None:
        return None
    values = {option.name: plain_value(getattr(options, option.name)) for option in fields(options)}
    against_template = None if against is None else against.template
    return {**values, "against": against_template, "min_rows": plain_value(request.min_rows)}


def check_unicode(value: Any) -> None:
    """Reject unpaired surrogates, for which engines raise internal errors."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            shown = value.encode(errors="backslashreplace").decode()
            raise BadParameter(f"{shown!r} contains an invalid Unicode character") from None
    elif isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            check_unicode(inner)


def requested_metrics(
    specs: MetricSpec | Sequence[MetricSpec], catalogue: Catalogue, preset: str | None = None
) -> list[Requested]:
    """The metrics of a call, validated against the catalogue; a preset replaces defaults."""
    planned = call_macro(catalogue, "duckdb", "requested_metrics", "evaluate", metric_specs(specs), preset)
    return _requested(catalogue, planned)


def _requested(catalogue: Catalogue, planned: list[dict[str, Any]]) -> list[Requested]:
    return [
        Requested(catalogue[entry["metric"]["name"]], entry["name"], entry["parameters"], entry["columns"])
        for entry in planned
    ]


def plain_expression(role: str, value: Any) -> Any:
    """Convert the value of a role for the planner; invalid values pass through, as the planner rejects them."""
    if isinstance(value, Column):
        return {"column": value.name}
    if isinstance(value, Sql):
        _check_single(role, value.text, value.text)
        return {"sql": value.text}
    if isinstance(value, list | tuple):
        return [plain_expression(role, entry) for entry in value]
    value = plain_value(value)
    if not isinstance(value, str | int | float | Mapping | None):
        raise BadParameter(f"{role} must be a column name or an expression, not {type(value).__name__}")
    if isinstance(value, str) and (expression := _EXPRESSION.match(value)):
        _check_single(role, value, expression[1])
    return value


#: `= expression`, or `name = expression`.
_EXPRESSION = re.compile(r"\s*(?:[^\W\d]\w*\s*)?=(?!=)(.+)", re.DOTALL)
#: Signs of comments and unusual quotes, in which a comma may not separate; the engine checks such texts.
_UNCLEAR = ("--", "/*", "\\", "`", "$")


def _check_single(role: str, written: str, text: str) -> None:
    """Reject expressions separated by commas: they would form a tuple, not one value."""
    if any(sign in text for sign in _UNCLEAR) or len(parts_of(text)) < 2:
        return
    parts = parts_of(written)
    listed = '", "'.join(parts)
    instead = f'write them as in ⟨{role}⟩=["{listed}"]' if role in ("score", "by") else "give one of them"
    raise BadParameter(
        f"{role}: '{written.strip()}' holds {len(parts)} expressions, and each must be one argument; {instead}"
    )


def plain_slices(by: Any, columns: Collection[str]) -> Any:
    """Convert `by` for the planner."""
    if not isinstance(by, str | Column | Sql | Mapping | list | tuple | None):
        raise BadParameter(f"by must be a column, a list of columns or a list of such lists, not {type(by).__name__}")
    return plain_columns("by", by, columns)


def plain_columns(role: str, value: Any, columns: Collection[str]) -> Any:
    """Convert columns for the planner; a name with a comma is valid only if the data has such a column."""
    if isinstance(value, list | tuple):
        return [plain_columns(role, entry, columns) for entry in value]
    if isinstance(value, str) and "," in value and value in columns:
        return {"column": value}
    return plain_expression(role, value)


def render_plan(catalogue: Catalogue, dialect: str, plan: Plan, macro: str = "query") -> str:
    """The statement that a macro writes for a plan, with a newline at its end."""
    statement = render_macro(catalogue, dialect, macro, plan.context()) + "\n"
    if traits_of(dialect).steps_hide_tables:
        _check_table_names(catalogue, dialect, plan, macro, statement)
    return statement


def _check_table_names(catalogue: Catalogue, dialect: str, plan: Plan, macro: str, statement: str) -> None:
    steps = set(re.findall(r"^(\w+) as \($", statement, re.MULTILINE))
    for role, relation in plan.inputs.items():
        if relation.template.get("part_of_data"):  # read under the name of the data
            continue
        own_step = "source"
        if relation.input:
            own_step = relation.relation
        elif role in plan.relations:
            # The inspection of groups reads relations other than the catalog outside of their steps.
            is_in_step = macro != "group_inspection" or role == "catalog"
            own_step = call_macro(catalogue, dialect, "name_of_relation_step", role) if is_in_step else ""
        for name in relation.tables(dialect):
            if name in steps - {own_step}:
                raise BadParameter(
                    f"{role}: a table called {name!r} is taken for a step of the statement by ClickHouse; "
                    f"write its database, as in my_database.{name}"
                )
