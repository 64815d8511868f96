"""From the arguments of a call to the plan that the templates render.

What a call means is decided by the planner in `sql/macros/planning`, which dbt runs as well. Here its arguments are put
into the form that it takes, and its plan into that of the runner.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
    """The macro that plans a call: what the call is named in errors, and the values that this planner alone takes."""

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
    """Check a request and put it in the form that the templates take."""
    relations = dict(relations or {})
    for name, word in {"preset": request.preset, "shape": options.shape}.items():
        if not isinstance(word, str | None):
            raise BadParameter(f"{name} must be a word, not {type(word).__name__}")
    intervals = request.intervals
    truths = {
        "checks": options.checks,
        "diagnostics": request.diagnostics,
        "standard_error": intervals.standard_error,
    }
    for name, truth in truths.items():
        truths[name] = plain_value(truth)
        if not isinstance(truths[name], bool | int | None):
            raise BadParameter(f"{name} must be True or False, not {type(truth).__name__}")
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
        **truths,
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
    return Plan(requested, template, slices)


def _input(relation: InputRelation) -> dict[str, Any]:
    return {"relation": relation.relation, "input": relation.query}


def _comparison(request: Request, against: InputRelation | None) -> dict[str, Any] | None:
    options = request.comparison
    if options is None:
        return None
    values = {one.name: plain_value(getattr(options, one.name)) for one in fields(options) if one.name != "against"}
    return {
        **values,
        "against": None if against is None else _input(against),
        "min_rows": plain_value(request.min_rows),
    }


def check_unicode(value: Any) -> None:
    """Half of a pair of surrogates is no character: the engine ends with an error of its own kind."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            shown = value.encode(errors="backslashreplace").decode()
            raise BadParameter(f"{shown!r} holds what is no Unicode character") from None
    elif isinstance(value, Mapping):
        for inner in value.values():
            check_unicode(inner)
    elif isinstance(value, list):
        for inner in value:
            check_unicode(inner)


def requested_metrics(
    specs: MetricSpec | Sequence[MetricSpec], catalogue: Catalogue, preset: str | None = None
) -> list[Requested]:
    """The metrics of a call alone, checked against the catalogue; a preset stands in for defaults."""
    found = call_macro(catalogue, "duckdb", "requested_metrics", "evaluate", metric_specs(specs), preset)
    return _requested(catalogue, found)


def _requested(catalogue: Catalogue, found: list[dict[str, Any]]) -> list[Requested]:
    return [
        Requested(catalogue[one["metric"]["name"]], one["name"], one["parameters"], one["columns"]) for one in found
    ]


def plain_expression(role: str, value: Any) -> Any:
    """A role's value as the planner takes it; what it has to refuse stays as it is."""
    if isinstance(value, Column):
        return {"column": value.name}
    if isinstance(value, Sql):
        _check_single(role, value.text, value.text)
        return {"sql": value.text}
    if isinstance(value, list | tuple):
        return [plain_expression(role, one) for one in value]
    value = plain_value(value)
    if not isinstance(value, str | int | float | Mapping | None):
        raise BadParameter(f"{role} must be a column name or an expression, not {type(value).__name__}")
    if isinstance(value, str) and (expression := _EXPRESSION.match(value)):
        _check_single(role, value, expression[1])
    return value


#: `= expression`, or `name = expression`.
_EXPRESSION = re.compile(r"\s*(?:[^\W\d]\w*\s*)?=(?!=)(.+)", re.DOTALL)
#: In a comment, or in a text of unusual quotes, a comma may mean nothing; there the engine looks at it.
_UNCLEAR = ("--", "/*", "\\", "`", "$")


def _check_single(role: str, written: str, text: str) -> None:
    """An expression is one value: two between commas would be a tuple."""
    if any(sign in text for sign in _UNCLEAR) or len(parts_of(text)) < 2:
        return
    parts = parts_of(written)
    listed = '", "'.join(parts)
    instead = f'write them as in ⟨{role}⟩=["{listed}"]' if role in ("score", "by") else "give one of them"
    raise BadParameter(
        f"{role}: '{written.strip()}' holds {len(parts)} expressions, and each is a value of its own; {instead}"
    )


def plain_slices(by: Any, columns: Sequence[str]) -> Any:
    """`by` as the planner takes it."""
    if not isinstance(by, str | Column | Sql | Mapping | list | tuple | None):
        raise BadParameter(f"by must be a column, a list of columns or a list of such lists, not {type(by).__name__}")
    return plain_columns("by", by, columns)


def plain_columns(role: str, given: Any, columns: Sequence[str]) -> Any:
    """Columns as the planner takes them: a name with a comma is a mistake, unless the data have such a column."""
    if isinstance(given, list | tuple):
        return [plain_columns(role, one, columns) for one in given]
    if isinstance(given, str) and "," in given and given in columns:
        return {"column": given}
    return plain_expression(role, given)


def render_plan(catalogue: Catalogue, dialect: str, plan: Plan) -> str:
    """The statement of a plan, with a newline at its end."""
    return render_macro(catalogue, dialect, "query", plan.template) + "\n"
