"""Plan a call: convert its arguments for the planner macros, and their result for the runner.

The planner in `sql/macros/planning` decides the meaning of a call, in dbt as well.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from ..catalogue.registry import Catalogue
from ..catalogue.vocabulary import ROLES
from ..errors import BadParameter
from ..expressions import Column, Sql
from ..rendering.macros import call_macro, render_macro
from ..request import InputRelation, RenderOptions, Request
from .metric_spec import MetricSpec, metric_specs, parts_of, plain_value
from .plan import ENDS_OF_A_GAP, Plan, Requested


@dataclass(frozen=True)
class Planner:
    """How to plan a call: the call that errors name, the name of the planning macro, and its extra arguments."""

    macro: str = "evaluate"
    name: str = "plan"
    choices: tuple[Any, ...] = ()


def make_plan(
    catalogue: Catalogue,
    request: Request,
    data: InputRelation,
    relations: Mapping[str, InputRelation] | None = None,
    options: RenderOptions = RenderOptions(),
    planner: Planner = Planner(),
) -> Plan:
    """Validate a request, and plan it for the templates."""
    relations = dict(relations or {})
    for name, choice in {"preset": request.preset, "shape": options.shape}.items():
        if not isinstance(choice, str | None):
            raise BadParameter(f"{name} must be a word, not {type(choice).__name__}")
    intervals = request.intervals
    flags = {"checks": options.checks, "diagnostics": request.diagnostics, "standard_error": intervals.standard_error}
    for name, flag in flags.items():
        flags[name] = plain_value(flag)
        if not isinstance(flags[name], bool | int | None):
            raise BadParameter(f"{name} must be True or False, not {type(flag).__name__}")
    call = {
        "macro": planner.macro,
        "relation": data.relation,
        "relation_text": data.text,
        "input": data.query,
        "metrics": None if request.metrics is None else metric_specs(request.metrics),
        "preset": request.preset,
        "roles": {role: plain_expression(role, request.roles.get(role)) for role in ROLES},
        "comparison": _comparison(request, relations.pop("against", None)),
        "relations": {name: _input(relation) for name, relation in relations.items()},
        "by": plain_slices(request.by, data.columns),
        "where": request.where,
        "shape": options.shape,
        "per_group": request.per_group,
        "confidence": plain_value(intervals.confidence),
        "cluster": plain_expression("cluster", intervals.cluster),
        "method": intervals.method,
        "replicates": plain_value(intervals.replicates),
        "seed": plain_value(intervals.seed),
        "round": plain_value(options.round),
        "gaps": {"min_rows": plain_value(request.min_rows)} if request.gaps else None,
        **flags,
    }
    check_unicode([call, *planner.choices])
    template = call_macro(catalogue, data.dialect, planner.name, call, *planner.choices)
    requested = _requested(catalogue, template["requested"])
    slices = ["grouping"] if template["groupings"] else []
    names = [entry["name"] for entry in template["by"]]
    if request.gaps:
        slices += (["model"] if template["models"] else []) + ["metric"]
        slices += [f"{end}_{name}" for end in ENDS_OF_A_GAP for name in names]
    else:
        slices += names + (["model"] if template["models"] else [])
    return Plan.of(template, requested, slices)


def _input(relation: InputRelation) -> dict[str, Any]:
    return {"relation": relation.relation, "input": relation.query}


def _comparison(request: Request, against: InputRelation | None) -> dict[str, Any] | None:
    options = request.comparison
    if options is None:
        return None
    values = {
        option.name: plain_value(getattr(options, option.name))
        for option in fields(options)
        if option.name != "against"
    }
    return {
        **values,
        "against": None if against is None else _input(against),
        "min_rows": plain_value(request.min_rows),
    }


def check_unicode(value: Any) -> None:
    """Reject unpaired surrogates, for which engines raise internal errors."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            shown = value.encode(errors="backslashreplace").decode()
            raise BadParameter(f"{shown!r} contains an invalid Unicode character") from None
    elif isinstance(value, Mapping):
        for inner in value.values():
            check_unicode(inner)
    elif isinstance(value, list):
        for inner in value:
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


def render_plan(catalogue: Catalogue, dialect: str, plan: Plan) -> str:
    """The statement of a plan, with a newline at its end."""
    return render_macro(catalogue, dialect, "query", plan.context()) + "\n"
