"""How a metric is asked for: `auc`, `ndcg@10`, `ndcg(k=10, gain='linear')`, `mine = ndcg(k=10)`, or a dict."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .catalogue import Catalogue, Metric
from .errors import BadParameter, UnknownMetric, did_you_mean

_SPELLING = re.compile(
    r"\s*(?:(?P<name>[A-Za-z_]\w*)\s*=\s*)?(?P<metric>\w+)\s*(?:@\s*(?P<k>\w+)\s*)?(?P<arguments>\(.*\))?\s*\Z",
    re.DOTALL,
)

#: Whose conventions can be asked for in one word.
PRESETS = ("sklearn", "trec_eval", "lightgbm", "spark")

MetricSpec = str | Mapping[str, Any]


@dataclass(frozen=True)
class Asked:
    """One metric of a call, with every parameter filled in and the names of its result columns."""

    metric: Metric
    name: str
    parameters: Mapping[str, Any]
    columns: Mapping[str, str]


def parse_metrics(
    specs: MetricSpec | Sequence[MetricSpec], catalogue: Catalogue, preset: str | None = None
) -> list[Asked]:
    """The metrics asked for, checked against the catalogue; a preset stands in for defaults."""
    if preset is not None and preset not in PRESETS:
        raise BadParameter(f"preset must be {' or '.join(map(repr, PRESETS))}, not {preset!r}")
    if isinstance(specs, str):
        specs = split_metrics(specs)
    elif isinstance(specs, Mapping):
        specs = [specs]
    elif not isinstance(specs, Sequence):
        raise BadParameter(f"metrics: name a metric, or several in a list, not {type(specs).__name__}")
    asked = [_parse(spec, catalogue, preset) for spec in specs]
    if not asked:
        raise BadParameter("metrics: name at least one metric")
    taken: dict[str, Asked] = {}
    for one in asked:
        for column in one.columns.values():
            if column.lower() in taken:  # no engine tells names apart by their case
                raise BadParameter(
                    f"metrics: two metrics would be called {column!r}; give one a name of its own, as in "
                    f"'my_name = {one.metric.name}(…)'"
                )
            taken[column.lower()] = one
    tables = [one for one in asked if one.metric.table]
    if tables and len(asked) > 1:
        raise BadParameter(f"metrics: {tables[0].metric.name} is a table and must be asked for alone")
    return asked


def split_metrics(text: str) -> list[str]:
    """The parts of a comma-separated list; commas inside brackets or quotes belong to their part.

    >>> split_metrics("auc, ndcg(k=10, gain='linear')")
    ['auc', "ndcg(k=10, gain='linear')"]
    """
    parts, depth, quote, start = [], 0, "", 0
    for position, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _parse(spec: MetricSpec, catalogue: Catalogue, preset: str | None) -> Asked:
    if isinstance(spec, str):
        name, metric_name, arguments = _parse_text(spec, catalogue)
    elif isinstance(spec, Mapping):
        arguments = dict(spec)
        metric_name = arguments.pop("name", None)
        name = arguments.pop("as", None)
        if not isinstance(metric_name, str):
            raise BadParameter("metrics: a metric given as a dict needs its 'name', as in {'name': 'ndcg', 'k': 10}")
        if name is not None and (not isinstance(name, str) or not name.strip() or "\x00" in name):
            raise BadParameter(f"metrics: 'as' must be the name of a result column, not {name!r}")
    else:
        raise BadParameter(f"metrics: a metric is a string or a dict, not {type(spec).__name__}")
    metric = catalogue[metric_name]
    unknown = [key for key in arguments if key not in metric.parameters]
    if unknown:
        takes = f"it takes {', '.join(metric.parameters)}" if metric.parameters else "it takes none"
        hint = did_you_mean(str(unknown[0]), metric.parameters)
        raise BadParameter(f"{metric.name} has no parameter {unknown[0]!r}{hint}; {takes}")
    parameters = {
        key: parameter.check(metric.name, arguments.get(key, parameter.presets.get(preset or "", parameter.default)))
        for key, parameter in metric.parameters.items()
    }
    return Asked(metric, name or _default_name(metric, arguments), parameters, _columns(metric, name, parameters))


def _parse_text(text: str, catalogue: Catalogue) -> tuple[str | None, str, dict[str, Any]]:
    found = _SPELLING.match(text)
    if found is None:
        raise BadParameter(f"metrics: cannot read {text!r}; write auc, ndcg@10, ndcg(k=10) or my_name = ndcg(k=10)")
    metric_name = found["metric"]
    arguments = _arguments(text, found["arguments"])
    if found["k"] is not None:
        metric = catalogue.metrics.get(metric_name)
        if metric is None or "k" not in metric.parameters:
            if f"{metric_name}_at_k" in catalogue.metrics:
                metric_name = f"{metric_name}_at_k"
            elif metric is None:
                raise UnknownMetric(metric_name, catalogue.metrics)
            else:
                raise BadParameter(f"{metric_name} takes no k: write {metric_name!r} without @{found['k']}")
        if "k" in arguments:
            raise BadParameter(f"metrics: {text!r} gives k twice")
        arguments["k"] = int(found["k"]) if found["k"].isdecimal() else found["k"]
    return found["name"], metric_name, arguments


def _arguments(text: str, written: str | None) -> dict[str, Any]:
    """The keyword arguments of `(k=10, gain='linear')`; their values are literals."""
    if written is None:
        return {}
    wrong = BadParameter(f"metrics: cannot read the arguments of {text!r}; write them as (k=10, gain='linear')")
    try:
        call = ast.parse(f"f{written}", mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise wrong from error
    if not isinstance(call, ast.Call) or call.args:
        raise wrong
    arguments = {}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in arguments:
            raise wrong
        try:
            arguments[keyword.arg] = ast.literal_eval(keyword.value)
        except ValueError as error:
            raise wrong from error
    return arguments


def _default_name(metric: Metric, arguments: Mapping[str, Any]) -> str:
    """`auc`, `ndcg_at_10`: only k shows in a name, the other parameters ask for a name of one's own."""
    if arguments.get("k") is not None:
        return f"{metric.name.removesuffix('_at_k')}_at_{arguments['k']}"
    return metric.name


def _columns(metric: Metric, name: str | None, arguments: Mapping[str, Any]) -> dict[str, str]:
    """Result column by the metric's own column: the first is called like the metric, its companions after it."""
    base = name or _default_name(metric, arguments)
    names = [*metric.columns]
    for parameter, companions in metric.companions.items():
        names += companions if arguments.get(parameter) is not None else ()
    if metric.table:
        return {column: column for column in metric.columns}
    columns = {}
    for column in names:
        if column == metric.name:
            columns[column] = base
        elif metric.name not in metric.columns and name is None:
            columns[column] = column
        else:
            columns[column] = f"{base}_{column.removeprefix(metric.name + '_')}"
    return columns
