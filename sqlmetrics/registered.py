"""A function for a metric that is known only at run time: what `functions.py` holds for the built-in ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pandas as pd

from .catalogue import Metric
from .errors import BadParameter
from .running import run

_OPTIONS = {
    "by": None,
    "where": None,
    "con": None,
    "engine": None,
    "min_rows": None,
    "diagnostics": False,
    "strict": False,
}


def metric_function(metric: Metric) -> Callable[..., pd.DataFrame]:
    """`sqlmetrics.<name>` of a registered metric, with its roles and parameters as signature."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    signature = [inspect.Parameter("data", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    for role, required in metric.roles().items():
        signature.append(inspect.Parameter(role, keyword, default=inspect.Parameter.empty if required else None))
    for name, parameter in metric.parameters.items():
        default = inspect.Parameter.empty if parameter.required else parameter.default
        signature.append(inspect.Parameter(name, keyword, default=default))
    signature += [inspect.Parameter(name, keyword, default=default) for name, default in _OPTIONS.items()]

    def function(*args: Any, **kwargs: Any) -> pd.DataFrame:
        try:
            bound = inspect.Signature(signature).bind(*args, **kwargs)
        except TypeError as error:
            raise BadParameter(f"{metric.name}: {error}") from error
        given = bound.arguments
        spec = {"name": metric.name} | {name: given[name] for name in metric.parameters if name in given}
        roles = {role: given[role] for role in metric.roles() if role in given}
        options = {name: given[name] for name in _OPTIONS if name in given}
        return run(given["data"], spec, roles, **options)

    function.__name__ = function.__qualname__ = metric.name
    function.__doc__ = f"{metric.title}: {metric.formula}."
    function.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    return function
