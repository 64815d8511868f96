"""Describe metrics for the shell, the docstrings and the reference."""

from __future__ import annotations

import functools
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..catalogue.dialects import dialects
from ..catalogue.model import Metric, Parameter
from ..catalogue.registry import catalogue
from ..catalogue.vocabulary import RELATIONS, ROLES
from ..planning.plan import Plan
from ..planning.planner import make_plan, requested_metrics
from ..rendering.macros import call_macro
from ..request import InputRelation, IntervalOptions, Request


def description(metric: Metric) -> list[str]:
    """The lines of `sqlmetrics show`."""
    facts = {
        "formula": metric.formula,
        "family": metric.family,
        "frame": ", ".join(metric.frames),
        "columns": ", ".join(metric.columns) if metric.table or len(metric.columns) > 1 else "",
        "range": metric.range,
        "undefined": metric.undefined,
        "interval": describe_interval(metric),
        "oracle": metric.oracle,
        "source": metric.source,
        "notes": metric.notes,
        **(evidence() if metric.builtin else {}),
        "file": str(metric.path),
    }
    lines = [f"{metric.name}: {metric.title}" + (" (a table; request it alone)" if metric.table else ""), ""]
    lines += [f"  {name:<10} {' '.join(str(text).split())}" for name, text in facts.items() if text]
    lines += ["", "roles"]
    lines += [
        f"  {role:<13} {describe_role(metric, role)}{' (required)' if required else ''}"
        for role, required in metric.roles().items()
    ]
    lines += [f"  {name:<13} {RELATIONS[name]}" for name in metric.relations]
    if metric.parameters:
        lines += ["", "parameters"]
        for parameter in metric.parameters.values():
            lines += _parameter_lines(parameter)
    lines += ["", "in the shell", f"  {shell_example(metric)}"]
    lines += ["", "in dbt", f"  {dbt_example(metric)}"] if metric.builtin else []
    return [*lines, "", "in Python", *[f"  {line}" for line in example_lines(metric)]]


def evidence() -> dict[str, str]:
    """How built-in metrics are tested, with the dialects of each way."""
    by_evidence: dict[str, list[str]] = {}
    for name, dialect in dialects().items():
        by_evidence.setdefault(dialect.evidence, []).append(name)
    return {sentence: ", ".join(names) for sentence, names in by_evidence.items()}


def searched_text(metric: Metric) -> str:
    """The text that `sqlmetrics list` searches."""
    texts = [metric.name, metric.title, metric.formula, metric.family, metric.notes, *metric.names.values()]
    return " ".join(texts).lower()


def _parameter_lines(parameter: Parameter) -> list[str]:
    default = "required" if parameter.required else f"default {parameter.default!r}"
    values = "" if parameter.type == "choice" else f"; {parameter.expected()}"
    lines = [f"  {parameter.name}: {parameter.doc} ({default}{values})"]
    for choice, meaning in parameter.choices.items():
        tools = f" [{parameter.used_by[choice]}]" if choice in parameter.used_by else ""
        lines.append(f"    {choice!r}: {meaning}{tools}")
    if not parameter.choices:
        lines += [f"    {value}: [{tools}]" for value, tools in parameter.used_by.items()]
    return lines


@dataclass(frozen=True)
class Example:
    """The example of a metric file: columns of its data and of relations, and the parameters that it sets."""

    data: dict[str, list[Any]]
    roles: list[str]
    relations: dict[str, dict[str, list[Any]]]
    parameters: dict[str, Any]
    #: The column of the result.
    column: str


def example_of(metric: Metric) -> Example:
    """The example of a metric file."""
    columns = {name: values for name, values in metric.example.items() if name not in ("call", "column", "result")}
    relations = {name: columns.pop(name) for name in metric.relations if name in columns}
    requested = requested_metrics(metric.example.get("call", metric.name), catalogue())[0]
    defaults = {name: parameter.default for name, parameter in metric.parameters.items()}
    return Example(
        data=columns,
        roles=[role for role in columns if role in metric.roles()],
        relations=relations,
        parameters={name: value for name, value in requested.parameters.items() if value != defaults[name]},
        column=metric.example.get("column") or next(iter(requested.columns.values())),
    )


def shell_example(metric: Metric) -> str:
    """The example as a command, over files that hold its data."""
    example = example_of(metric)
    options = [f"--{role.replace('_', '-')} {role}" for role in example.roles]
    options += [f"--{name.replace('_', '-')} {name}.csv" for name in example.relations]
    spec = str(metric.example.get("call", metric.name))
    quoted = f'"{spec}"' if "'" in spec and not set('"$`\\!') & set(spec) else shlex.quote(spec)
    return " ".join(["sqlmetrics eval data.csv -m", quoted, *options])


def dbt_example(metric: Metric) -> str:
    """The example as the body of a dbt model."""
    example = example_of(metric)
    arguments = ["relation=ref('data')", *[f"{role}='{role}'" for role in example.roles]]
    arguments += [f"{name}=ref('{name}')" for name in example.relations]
    arguments += [f"{name}={value!r}" for name, value in example.parameters.items()]
    return f"{{{{ sqlmetrics.{metric.name}({', '.join(arguments)}) }}}}"


def result_columns(metric: Metric) -> str:
    """A description of the columns that a metric adds to a result."""
    if metric.table or metric.columns != [metric.name]:
        return ", ".join(f"`{column}`" for column in metric.columns)
    if "k" in metric.parameters:
        return f"`{metric.name.removesuffix('_at_k')}_at_10` for k = 10"
    return f"`{metric.name}`"


def describe_role(metric: Metric, role: str) -> str:
    """Describe a role of a metric, with the details that the metric declares."""
    if role == "label":
        return {
            None: "label",
            "binary": "label, 0/1 or boolean",
            "binary or class": "label, 0/1 or boolean; with prediction, a class",
            "number": "observed value, a number",
            "relevance": "relevance grade >= 0",
            "ranking": "score of the other ranking, any number; higher ranks first",
            "class": "true class, of any type",
        }[metric.label_type]
    if role == "score":
        return {
            "probability": "predicted probability in [0, 1]",
            "threshold": "prediction; higher is more positive",
            "class": "",
            "number": "predicted value" if metric.label_type == "number" else "prediction; higher ranks first",
        }[metric.score or "number"]
    return ROLES[role]


def _plan_of_example(metric: Metric, intervals: IntervalOptions = IntervalOptions(), checks: bool = False) -> Plan:
    example = example_of(metric)
    spec, roles = {"name": metric.name, **example.parameters}, {role: role for role in example.roles}
    relations = {name: InputRelation(name) for name in example.relations}
    request = Request(spec, roles, intervals=intervals, checks=checks)
    return make_plan(catalogue(), request, InputRelation("data", "data"), relations)


def describe_rejected_values(metric: Metric) -> list[str]:
    """The values that a metric rejects, as its errors describe them."""
    plan = _plan_of_example(metric, checks=True)
    role_descriptions = plan.role_descriptions
    rules = [f"`{role_descriptions[rule['column']].partition(' (')[0]}` {rule['message']}" for rule in plan.rules]
    return list(dict.fromkeys(rules))


#: What intervals by influence assume.
_ASSUMPTION = "assumes many clusters, none dominant"


@functools.cache
def describe_interval(metric: Metric) -> str:
    """How the interval is computed, with its assumptions; empty for metrics without an interval."""
    if metric.bands:
        columns = ", ".join(f"`{ratio['column']}`" for ratio in metric.bands["ratios"])
        return f"of {columns}: by the influence of each cluster on their sums; {_ASSUMPTION}"
    if metric.table or metric.name not in metric.columns:
        return ""
    if metric.no_interval:
        return f"none: {metric.no_interval}"
    plan = _plan_of_example(metric, IntervalOptions(confidence=0.95, cluster="cluster"))
    method, unit = call_macro(catalogue(), "duckdb", "interval_way_of_call", plan.context())
    unit_names = "groups" if unit == "group" else "rows"
    descriptions = {
        "sums": f"by the influence of each cluster on sums over {unit_names}; {_ASSUMPTION}",
        "area": f"by the ranks of the scores (DeLong, Obuchowski); {_ASSUMPTION}",
        "fixed_ranks": f"by the influence of each cluster on its rows at their scores; {_ASSUMPTION}",
        "frame_rows": "by the influence of each cluster on sums over the classes, or fields, of its rows; "
        f"{_ASSUMPTION}, and many rows of each class or field",
        "optimal_threshold": "by the influence of each cluster on the value at the best threshold; "
        f"{_ASSUMPTION}, and a threshold that is clearly the best",
        "buckets": "by dropping each of 20 buckets of clusters in turn; assumes many clusters, and takes some twenty "
        "times the work",
    }
    return descriptions[method]


def example_lines(metric: Metric) -> list[str]:
    """The example as a session in Python, with its result."""
    example, result = example_of(metric), metric.example["result"]
    arguments = [f'{role}="{role}"' for role in example.roles]
    arguments += [f"{name}={name}" for name in example.relations]
    arguments += [f"{name}={python_text(value)}" for name, value in example.parameters.items()]
    value = f'sqlmetrics.{metric.name}(data, {", ".join(arguments)})["{example.column}"]'
    frames = {"data": example.data, **example.relations}
    return [
        ">>> import pandas as pd",
        ">>> import sqlmetrics",
        *[f">>> {name} = pd.DataFrame({_python_dict(columns)})" for name, columns in frames.items()],
        f">>> {value}.round(4).tolist()" if isinstance(result, list) else f">>> round({value}.item(), 4)",
        repr(result),
    ]


def _python_dict(columns: Mapping[str, list[Any]]) -> str:
    lists = (f'"{name}": [{", ".join(map(python_text, values))}]' for name, values in columns.items())
    return "{" + ", ".join(lists) + "}"


def python_text(value: Any) -> str:
    """A value as Python writes it, text in double quotes."""
    return json.dumps(value) if isinstance(value, str) else repr(value)
