"""The calls of every metric, derived from its file: truth and score define the data, parameters the variants."""

from __future__ import annotations

import functools
import os
import re
import warnings
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import pyarrow as pa

import sqlmetrics
from sqlmetrics.catalogue.model import Metric, Parameter
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.planning.planner import requested_metrics
from tests import data as samples
from tests.data import CLASS_SCORES, COLUMNS, DATA_TYPES, JUDGED, PLACED, QUANTILES, arrow

Parameters = dict[str, Any]
Relations = Mapping[str, pd.DataFrame | pa.Table]

#: Parameters that have an effect only together with another one.
ONLY_WITH: dict[str, Parameters] = {"other_missed": {"collection_size": 40}}
#: Tested values of numeric parameters; other parameters have values between their bounds.
SAMPLE_VALUES: dict[str, list[Any]] = {
    "k": [3, 1, 20], "bins": [10, 1, 7], "points": [5, 1], "threshold": [0.5, 0.3], "share": [0.25, 0, 1],
    "fpr": [0.25, 0, 1], "tpr": [0.5, 1], "max_fpr": [0.25, 1], "recall": [0.5, 0, 1, 0.1], "precision": [0.5, 0.75, 1],
    "relevant_at": [1, 2], "max_label": [4], "max_group_size": [5000, 100000], "p": [0.8, 0.5],
    "zero_division": [None, 0, 1], "one_class": [None, 1, 0.5], "eps": [2.220446049250313e-16, 1e-6, 0.125],
    "beta": [2, 0.5], "alpha": [0.5, 0.9], "power": [1, 1.2], "max_weight": [1.5, 0, 4], "shrinkage": [4, 0.5, 0],
    "relevant_returned": [2.5], "other_returned": [-0.25], "relevant_missed": [-0.5], "other_missed": [0.125],
    "collection_size": [50], "scores": [CLASS_SCORES], "quantiles": [QUANTILES, {"0.25": "low"}],
}  # fmt: skip


def sample_values(parameter: Parameter) -> list[Any]:
    """The tested values of a parameter: all its choices, or some numbers within its bounds."""
    if parameter.type == "choice":
        return list(parameter.choices)
    if parameter.type == "boolean":
        return [False, True]
    values = [] if parameter.required else [parameter.default]
    if parameter.name in SAMPLE_VALUES:
        tried = SAMPLE_VALUES[parameter.name]
    elif parameter.minimum is not None and parameter.maximum is not None:
        tried = [parameter.minimum + (parameter.maximum - parameter.minimum) / 4]
    else:
        tried = [(parameter.minimum or 0) + 1]
    for value in (*tried, *parameter.choices):
        if value not in values:
            values.append(value)
    return values


def base_parameters(metric: Metric) -> Parameters:
    """The required parameters."""
    return {p.name: sample_values(p)[0] for p in metric.parameters.values() if p.required}


def with_highest_grade(metric: Metric, parameters: Parameters) -> Parameters:
    """The parameters, with `max_label` for linear gains."""
    needed = parameters.get("gain") == "linear" and "max_label" in metric.parameters
    return {"max_label": 4, **parameters} if needed else parameters


def variants(metric: Metric, cuts: Sequence[int | None] = (None, 3)) -> list[Parameters]:
    """The defaults, then every other value of each parameter, for each cut if the metric has a k."""
    base = base_parameters(metric)
    result = [base]
    defaults = {parameter.name: parameter.default for parameter in metric.parameters.values()}
    for parameter in metric.parameters.values():
        for value in sample_values(parameter):
            for k in cuts if "k" in metric.parameters and parameter.name != "k" else [None]:
                cut = {} if k is None else {"k": k}
                arguments = {**base, **cut, **ONLY_WITH.get(parameter.name, {}), parameter.name: value}
                arguments = with_highest_grade(metric, arguments)
                # An explicit default is the same call.
                if not any(defaults | arguments == defaults | other for other in result):
                    result.append(arguments)
    return result


def spelled(metric: Metric, parameters: Parameters) -> str:
    """The metric as a string in a call."""
    arguments = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    return f"{metric.name}({arguments})" if arguments else metric.name


@dataclass(frozen=True, eq=False)
class MetricCall:
    """A metric with parameters, the name of its result, and the result column for each column of the metric."""

    metric: Metric
    arguments: Parameters
    parameters: Parameters
    name: str
    columns: Mapping[str, str]

    def __repr__(self) -> str:
        return spelled(self.metric, self.arguments)

    @property
    def spec(self) -> dict[str, Any]:
        """The metric as an argument of `evaluate`."""
        return {"name": self.metric.name, "as": self.name, **self.arguments}


#: The calls of built-in metrics, cached for all test modules.
_METRIC_CALLS: dict[str, MetricCall] = {}


def metric_call(metric: Metric, parameters: Parameters) -> MetricCall:
    """The metric with these parameters and defaults for the others."""
    parameters = with_highest_grade(metric, parameters)
    text = spelled(metric, parameters)
    if text in _METRIC_CALLS:
        return _METRIC_CALLS[text]
    # Readable in the SQL, and unique for each call.
    name = metric.name
    if parameters:
        name += f"_{re.sub(r'[^a-z0-9]+', '_', text.partition('(')[2])[:40]}{zlib.crc32(text.encode()):08x}"
    [requested] = requested_metrics([{"name": metric.name, "as": name, **parameters}], builtin_catalogue())
    return _METRIC_CALLS.setdefault(
        text, MetricCall(metric, parameters, dict(requested.parameters), name, requested.columns)
    )


def weighable(metrics: Iterable[MetricCall]) -> tuple[MetricCall, ...]:
    """The metrics, with a variant that skips groups without returned rows where groups have weights."""
    result = [
        metric_call(requested.metric, {**requested.arguments, "missing": "skip"})
        if requested.parameters.get("missing") == "zero" and "group_weight" in requested.metric.roles()
        else requested
        for requested in metrics
    ]
    return tuple({requested.name: requested for requested in result}.values())


@dataclass(frozen=True, eq=False)
class Call:
    """Metrics of one type of data that one statement computes."""

    name: str
    data_type: str
    metrics: tuple[MetricCall, ...]
    roles: Mapping[str, str]

    def __repr__(self) -> str:
        return f"{self.data_type}: {', '.join(map(repr, self.metrics))} with {dict(self.roles)}"

    @property
    def table(self) -> bool:
        """Whether the call is of a table metric."""
        return self.metrics[0].metric.table

    @property
    def certain(self) -> bool:
        """Whether one of its metrics has an interval."""
        return any(not requested.metric.no_interval for requested in self.metrics)

    @property
    def specs(self) -> list[dict[str, Any]]:
        """The metrics as arguments of `evaluate`."""
        return [requested.spec for requested in self.metrics]

    def evaluate(
        self, data: Any, roles: Mapping[str, Any] | None = None, relations: Relations | None = None, **options: Any
    ) -> pd.DataFrame:
        """Evaluate the metrics with the roles of the call or with others, and with the relations that they read."""
        arguments = self.arguments(roles, relations)
        return quiet(lambda: sqlmetrics.evaluate(data, self.specs, **arguments, **options))

    def arguments(self, roles: Mapping[str, Any] | None = None, relations: Relations | None = None) -> dict[str, Any]:
        """The roles and relations as arguments of `evaluate`, by default those of the call."""
        roles = roles or self.roles
        read = self.relations(roles) if relations is None else dict(relations)
        read = {
            name: relation if isinstance(relation, pa.Table) else arrow(relation) for name, relation in read.items()
        }
        read = {
            name: relation
            for name, relation in read.items()
            if any(name in requested.metric.relations for requested in self.metrics)
        }
        return {**roles, **read}

    def relations(self, roles: Mapping[str, Any]) -> dict[str, pa.Table]:
        """The further relations of the sample, with the column names of the roles."""
        named = {role: getattr(column, "name", column) for role, column in roles.items()}
        names = {
            column: named[role]
            for role, column in self.roles.items()
            if isinstance(named.get(role), str) and not named[role].startswith("=")
        }
        relations = samples.relations_of_sample(self.data_type)
        return {name: arrow(relation.rename(columns=names)) for name, relation in relations.items()}

    def takes(self, role: str) -> bool:
        """Whether a metric of the call supports the role."""
        return any(role in requested.metric.roles() for requested in self.metrics)

    def of(self, metrics: Sequence[MetricCall]) -> Call:
        """The call with some of its metrics, and with the roles that they support."""
        supported = {role for metric in metrics for role in metric.metric.roles()}
        roles = {role: column for role, column in self.roles.items() if role in supported}
        return replace(self, metrics=tuple(metrics), roles=roles)

    def only(self, role: str) -> Call | None:
        """The call with the metrics that support the role."""
        metrics = tuple(requested for requested in self.metrics if role in requested.metric.roles())
        call = Call(self.name, self.data_type, metrics, self.roles) if metrics else None
        return call.weighable if call and role == "group_weight" else call

    @property
    def weighable(self) -> Call:
        """The call with metrics that support group weights, which groups without returned rows lack."""
        return replace(self, metrics=weighable(self.metrics)) if self.data_type in JUDGED else self


def quiet(call: Callable[[], Any]) -> Any:
    """The result of a call, without the warning about dropped rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sqlmetrics.DroppedRows)
        return call()


def data_types_of(metric: Metric) -> list[str]:
    """The types of data that a metric supports."""
    roles = metric.roles()
    if "subtopic" in roles:
        return ["subtopics", "ranked subtopics", "judged subtopics"]
    if metric.extra_roles.get("item"):
        return ["lists", "ranked lists"]
    if metric.label_type is None:
        if "q_policy" in roles or "propensity" in roles:
            return ["slates" if "group" in roles else "logged actions"]
        if metric.score == "threshold":
            return ["labels", "predictions"]
        return ["bids"]
    if metric.label_type in ("number", "class") and "group" in roles:
        return ["ratings" if metric.label_type == "number" else "rated classes"]
    for rule in metric.rules:  # rules for labels
        if rule["keeps"] in samples.DATA_TYPES_BY_RULE:
            return samples.DATA_TYPES_BY_RULE[rule["keeps"]]
    if metric.no_weight:
        return ["counted labels", "pre-aggregated"]
    if "lower_bound" in roles or "quantiles" in metric.parameters:
        return ["forecasts"]
    if any(parameter.type == "columns" for parameter in metric.parameters.values()):
        return ["class scores"]
    by_label_type = {
        "binary": ["labels"], "binary or class": ["labels", "classes"], "number": ["numbers", "amounts"],
        "class": ["classes"], "relevance": ["grades"], "ranking": ["grades"],
    }  # fmt: skip
    further = {
        "pre-aggregated": "positives" in roles,
        "predictions": metric.label_type == "binary" and "prediction" in roles,
        "ranks": metric.label_type in ("relevance", "ranking"),
        "judged": "judgments" in metric.relations,
        "judged ranks": "judgments" in metric.relations,
        "signed grades": "negative" in metric.parameters,
    }
    return by_label_type[metric.label_type] + [data_type for data_type, supported in further.items() if supported]


def roles_of(metric: Metric, data_type: str) -> dict[str, str]:
    """The roles of a metric for a type of data: those of the type and the required ones."""
    roles = [role for role in DATA_TYPES[data_type] if role in metric.roles()]
    roles += [role for role, required in metric.roles().items() if required and role not in roles]
    if "propensities" in metric.relations:
        roles.append("position" if data_type in PLACED else "propensity")
    return {role: COLUMNS[role] for role in roles}


def is_supported(parameters: Parameters, data_type: str) -> bool:
    """Whether the type of data has the roles that the parameters require."""
    if data_type == "signed grades" and parameters.get("negative") not in ("zero", "keep"):
        return False
    return parameters.get("ties") != "key" or "tie_key" in DATA_TYPES[data_type]


def base_parameters_of(metric: Metric, data_type: str) -> Parameters:
    """The required parameters for this type of data."""
    return base_parameters(metric) | ({"negative": "zero"} if data_type == "signed grades" else {})


def calls(every_variant: bool = False) -> list[Call]:
    """Calls of every metric on every type of data, with a separate call for each table metric.

    With `python -m tests.check NAME`, calls of that metric only.
    """
    return list(_calls(every_variant, os.environ.get("SQLMETRICS_CHECK")))


@functools.lru_cache(maxsize=4)
def _calls(every_variant: bool, only: str | None) -> list[Call]:
    """Cached, because a dozen modules call it while pytest collects tests."""
    metrics = [metric for metric in builtin_catalogue().metrics.values() if only in (None, metric.name)]
    result: list[Call] = []
    for data_type in DATA_TYPES:
        roles: dict[str, str] = {}
        together: list[MetricCall] = []
        for metric in metrics:
            if data_type not in data_types_of(metric):
                continue
            # With a cut every value of a parameter has an effect; the oracle tests also have calls without a cut.
            wanted = variants(metric, cuts=[3]) if every_variant else [base_parameters_of(metric, data_type)]
            metric_calls = [
                metric_call(metric, parameters) for parameters in wanted if is_supported(parameters, data_type)
            ]
            if metric.table:
                own = roles_of(metric, data_type)
                result += [
                    Call(f"{data_type}: {requested.name}", data_type, (requested,), own) for requested in metric_calls
                ]
            else:
                roles |= roles_of(metric, data_type)
                together += metric_calls
        if together:
            result.append(Call(data_type, data_type, tuple(together), roles))
    return result


def by_frame(calls: Sequence[Call]) -> list[Call]:
    """The calls with one metric of each frame, for features that treat all metrics of a frame alike."""
    return [call.of([*{metric.metric.frames: metric for metric in call.metrics}.values()]) for call in calls]
