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
        **_attributes(metric, "name", "formula", "frames", "frame_parameters", "label_type", "score"),
        "roles": list(metric.roles()),
        **_attributes(metric, "extra_roles", "relations"),
        "needs": [{**_condition(key), "roles": roles} for key, roles in metric.needs.items()],
        **_attributes(metric, "computed", "rules", "grouped", "columns", "companions"),
        "group_columns": [{**_condition(key), "columns": names} for key, names in metric.group_columns.items()],
        **_attributes(metric, "table", "order"),
        "query": "query" in metric.macros,
        "has_value": "value" in metric.macros,
        "has_single_value": not metric.table and metric.name in metric.columns,
        "has_group_value": "per_group" in metric.macros,
        **_attributes(metric, "uses", "direction", "ideal", "lower", "upper", "unbounded"),
        "zero_without_rows": metric.undefined.startswith("0 without rows"),
        **_attributes(metric, "no_interval", "no_weight", "bands"),
        "has_influence": "influence" in metric.macros,
        "has_optimal_threshold": "at_optimal_threshold" in metric.macros,
        "has_fixed_ranks": "at_fixed_ranks" in metric.macros,
        "parameters": {name: parameter_definition(parameter) for name, parameter in metric.parameters.items()},
    }


def _attributes(declared: Metric | Frame | Parameter, *names: str) -> dict[str, Any]:
    """Attributes by name; templates add lists, so tuples become lists."""
    values = {name: getattr(declared, name) for name in names}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


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
            **_attributes(frame, "rows", "counts", "totals", "diagnostics", "diagnostics_read", "group_values", "unit"),
            **_attributes(frame, "perturbed", "identifiers", "state", "stateless"),
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
        **_attributes(parameter, "name", "type", "required", "default"),
        "choices": list(parameter.choices),
        **_attributes(parameter, "minimum", "maximum", "presets"),
        "expected": parameter.expected(),
    }
