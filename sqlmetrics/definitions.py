"""What the planner in `sql/macros/planning` must know: words that stand once, and what each metric file declares.

The runner hands these to the templates as they are; dbt gets them written out, in
`sql/macros/generated/definitions.sql`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from .catalogue import OPTIONAL_RELATIONS, RELATIONS, ROLES, Frame, Metric, Parameter, dialects

#: Whose conventions can be requested in one word.
PRESETS = ("sklearn", "trec_eval", "lightgbm", "spark")
#: How ordered windows over whole slices are written; by default as the dialect's macro `default_shape` says.
SHAPES = {
    "rows": "rank every row",
    "distinct": "first count the rows at each score",
    "two_level": "then add sums inside cells of the score to the sums of whole cells, so that no task sees all rows",
}
#: What every metric is run on by the tests, and what is only rendered and read by parsers: as the dialects' files say.
TESTED_DIALECTS = tuple(name for name, dialect in dialects().items() if dialect.tested)
RENDERED_DIALECTS = tuple(name for name, dialect in dialects().items() if not dialect.tested)
STAND_INS = tuple(name for name, dialect in dialects().items() if dialect.stand_in)
DIALECTS = (*TESTED_DIALECTS, *RENDERED_DIALECTS)
#: Columns that a result has with `diagnostics`.
DIAGNOSTICS = (
    "rows_read",
    "rows_dropped",
    "positives",
    "tied_rows",
    "groups",
    "groups_skipped",
    "groups_unjudged",
    "effective_rows",
    "mean_importance",
    "largest_importance",
)
#: Those that are no counts of rows or groups.
MEASURED_DIAGNOSTICS = ("positives", "effective_rows", "mean_importance", "largest_importance")
#: Canonical column -> the role it is read from.
COLUMN_ROLES = {
    "label": "label",
    "label_class": "label",
    "predicted_class": "prediction",
    "prediction": "prediction",
    "score": "score",
    "negated_rank": "rank",
    "weight": "weight",
    "positives": "positives",
    "total": "total",
    "group_id": "group",
    "tie_key": "tie_key",
    "group_weight": "group_weight",
    "item_id": "item",
    "field_id": "field",
    "won": "won",
    "reward": "reward",
    "propensity": "propensity",
    "target": "target",
    "q_action": "q_action",
    "q_policy": "q_policy",
    "lower_bound": "lower_bound",
    "upper_bound": "upper_bound",
    "treatment": "treatment",
    "duration": "duration",
    "subtopic_id": "subtopic",
    "cluster_id": "cluster",
}
#: How the columns are called of which `drift` is asked, before their numbers: those of numbers and those of classes.
NUMBER, CATEGORY = "number_", "category_"


def role_of(column: str) -> str:
    """The role from which a canonical column is read."""
    return "columns" if column.startswith((NUMBER, CATEGORY)) else COLUMN_ROLES.get(column, column)


#: Each a macro of its name, without arguments, that returns the value.
KNOWN: Mapping[str, Any] = {
    "known_presets": list(PRESETS),
    "known_dialects": list(DIALECTS),
    "known_shapes": list(SHAPES),
    "known_diagnostics": list(DIAGNOSTICS),
    "known_roles": ROLES,
    "known_relations": RELATIONS,
    "optional_relations": list(OPTIONAL_RELATIONS),
    "column_roles": COLUMN_ROLES,
}


@functools.cache
def definition(metric: Metric) -> dict[str, Any]:
    """What it takes to understand a call, under the names that the planner reads."""
    return {
        "name": metric.name,
        "formula": metric.formula,
        "frames": list(metric.frames),
        "frame_parameters": dict(metric.frame_parameters),
        "truth": metric.truth,
        "score": metric.score,
        "roles": list(metric.roles()),
        "extra_roles": dict(metric.extra_roles),
        "relations": list(metric.relations),
        "needs": [{**_condition(key), "roles": list(roles)} for key, roles in metric.needs.items()],
        "computed": {name: dict(computation) for name, computation in metric.computed.items()},
        "rules": [dict(rule) for rule in metric.rules],
        "grouped": metric.grouped,
        "columns": list(metric.columns),
        "companions": {parameter: list(names) for parameter, names in metric.companions.items()},
        "group_columns": [{**_condition(key), "columns": list(names)} for key, names in metric.group_columns.items()],
        "table": metric.table,
        "order": list(metric.order),
        "query": metric.query,
        "has_value": metric.has_value,
        "has_group_value": metric.has_group_value,
        "uses": list(metric.uses),
        "direction": metric.direction,
        "ideal": metric.ideal,
        "lower": metric.lower,
        "upper": metric.upper,
        "unbounded": dict(metric.unbounded),
        "zero_without_rows": metric.undefined.startswith("0 without rows"),
        "no_interval": metric.no_interval,
        "no_weight": metric.no_weight,
        "bands": dict(metric.bands),
        "has_influence": metric.has_influence,
        "has_cut": metric.has_cut,
        "has_held": metric.has_held,
        "parameters": {name: parameter_definition(parameter) for name, parameter in metric.parameters.items()},
    }


def frame_definitions(frames: Mapping[str, Frame]) -> dict[str, dict[str, Any]]:
    """What each frame file says to `query`."""
    found = {}
    for name, frame in frames.items():
        _, _, condition = (frame.slices or "").partition("columns")
        found[name] = {
            "step": frame.step or name,
            "own_step": frame.step is not None,
            "rows": frame.rows,
            "counts": frame.counts,
            "totals": frame.totals,
            "diagnostics": dict(frame.diagnostics),
            "diagnostics_read": list(frame.diagnostics_read),
            "group_values": frame.group_values,
            "unit": frame.unit,
            "moved": list(frame.moved),
            "held": list(frame.held),
            "state": dict(frame.state) if isinstance(frame.state, Mapping) else frame.state,
            "stateless": frame.stateless,
            "slices": "columns" if frame.slices else "numbers",
            "condition": _condition(condition.removeprefix(" when ")) if condition else None,
        }
    return found


def _condition(key: str) -> dict[str, str]:
    parameter, _, value = key.partition("=")
    return {"parameter": parameter, "value": value}


def parameter_definition(parameter: Parameter) -> dict[str, Any]:
    """A parameter as the planner reads it."""
    return {
        "name": parameter.name,
        "type": parameter.type,
        "required": parameter.required,
        "default": parameter.default,
        "choices": list(parameter.choices),
        "minimum": parameter.minimum,
        "maximum": parameter.maximum,
        "presets": dict(parameter.presets),
        "expected": parameter.expected(),
    }
