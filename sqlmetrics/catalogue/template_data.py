"""Data for the planner in `sql/macros/planning`: the vocabulary, and the declarations of metric files.

The runner passes the values to the templates; for dbt they are generated into
`sql/macros/generated/definitions.sql`.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from typing import Any

from .dialects import DIALECTS
from .model import Frame, Metric, Parameter
from .vocabulary import COLUMN_ROLES, DIAGNOSTICS, OPTIONAL_RELATIONS, PRESETS, RELATIONS, ROLES, SHAPES

#: For each name, a macro without arguments returns the value.
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
    """The declaration of a metric, under the names that the planner reads."""
    return {
        "name": metric.name,
        "formula": metric.formula,
        "frames": list(metric.frames),
        "frame_parameters": dict(metric.frame_parameters),
        "label_type": metric.label_type,
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
        "has_optimal_threshold": metric.has_optimal_threshold,
        "has_fixed_ranks": metric.has_fixed_ranks,
        "parameters": {name: parameter_definition(parameter) for name, parameter in metric.parameters.items()},
    }


def macro_of_json(name: str, values: Mapping[str, Any]) -> str:
    """A macro of dbt whose text is JSON, which dbt does not read as Jinja.

    >>> print(macro_of_json("numbers", {"pi": {"formula": "{{ 3 }}"}}))
    {%- macro numbers() -%}
    {
    "pi": {"formula": "\\u007b{ 3 }}"}
    }
    {%- endmacro -%}
    """
    lines = [
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False, allow_nan=False)}" for key, value in values.items()
    ]
    text = re.sub(r"\{(?=[{%#])", r"\\u007b", ",\n".join(lines))
    return f"{{%- macro {name}() -%}}\n{{\n{text}\n}}\n{{%- endmacro -%}}"


def frame_definitions(frames: Mapping[str, Frame]) -> dict[str, dict[str, Any]]:
    """The declarations of frames that `query` reads."""
    definitions = {}
    for name, frame in frames.items():
        _, _, condition = (frame.slices or "").partition("columns")
        definitions[name] = {
            "step": frame.step or name,
            "own_step": frame.step is not None,
            "rows": frame.rows,
            "counts": frame.counts,
            "totals": frame.totals,
            "diagnostics": dict(frame.diagnostics),
            "diagnostics_read": list(frame.diagnostics_read),
            "group_values": frame.group_values,
            "unit": frame.unit,
            "perturbed": list(frame.perturbed),
            "identifiers": list(frame.identifiers),
            "state": dict(frame.state) if isinstance(frame.state, Mapping) else frame.state,
            "stateless": frame.stateless,
            "slices": "columns" if frame.slices else "numbers",
            "condition": _condition(condition.removeprefix(" when ")) if condition else None,
        }
    return definitions


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
