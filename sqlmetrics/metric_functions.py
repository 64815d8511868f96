"""The functions of single metrics: those that `functions.py` declares, and those of registered metrics."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import pandas as pd

from .arguments import arguments_of
from .catalogue.model import Metric
from .catalogue.registry import catalogue
from .errors import BadParameter, did_you_mean, raised_at_caller
from .running.evaluate import run

_Function = TypeVar("_Function", bound=Callable[..., pd.DataFrame])


def declared(declaration: _Function) -> _Function:
    """What a declaration promises: `evaluate` with the metric of its name.

    Only the parameters that are given reach the metric, so that a preset stands in for the others.
    """

    @raised_at_caller
    @functools.wraps(declaration)
    def function(*data: Any, **given: Any) -> pd.DataFrame:
        try:
            declaration(*data, **given)  # Python refuses what the signature does not have
        except TypeError as error:
            raise TypeError(f"{error}; {_how_to_call(declaration.__name__)}") from None
        return _run(declaration.__name__, *data, **given)

    return cast(_Function, function)


def _how_to_call(name: str) -> str:
    """The call with the roles that it is mostly made with."""
    roles = catalogue()[name].roles()
    shown = [role for role in ("label", "score", "group") if role in roles] or [role for role in roles if roles[role]]
    return f"write sqlmetrics.{name}(data, {', '.join(f'{role}=…' for role in shown)}), with the names of columns"


def metric_function(metric: Metric) -> Callable[..., pd.DataFrame]:
    """`sqlmetrics.<name>` of a registered metric, with its roles and parameters as signature."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    required = inspect.Parameter.empty
    named = {role: required if needed else None for role, needed in metric.roles().items()}
    named |= {name: required if one.required else one.default for name, one in metric.parameters.items()}
    named |= {name: None if name == "judgments" else required for name in metric.relations}
    shared = {one.name: False if one.annotation == "bool" else None for one in arguments_of("metric")}
    del shared["data"]
    signature = inspect.Signature(
        [inspect.Parameter("data", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        + [inspect.Parameter(name, keyword, default=default) for name, default in (named | shared).items()]
    )

    @raised_at_caller
    def function(*data: Any, **given: Any) -> pd.DataFrame:
        unknown = next((name for name in given if name not in signature.parameters), None)
        if unknown is not None:
            hint = did_you_mean(unknown, signature.parameters)
            raise BadParameter(f"{metric.name} has no argument {unknown!r}{hint}")
        try:
            signature.bind(*data, **given)
        except TypeError as error:
            raise BadParameter(f"{metric.name}: {error}") from error
        return _run(metric.name, *data, **given)

    function.__name__ = function.__qualname__ = metric.name
    function.__doc__ = f"{metric.title}: {metric.formula}."
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _run(name: str, data: Any, **given: Any) -> pd.DataFrame:
    parameters = {one: given.pop(one) for one in catalogue()[name].parameters if one in given}
    return run(data, {"name": name, **parameters}, **given)
