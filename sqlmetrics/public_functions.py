"""Signatures and docstrings of public functions, from the table of arguments and from metric files.

Type checkers and editors read them from the stubs that `sqlmetrics.codegen` writes.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import pandas as pd

from .arguments import Argument, arguments_of
from .authoring.docstrings import metric_docstring, with_arguments
from .catalogue.model import Metric, Parameter
from .catalogue.vocabulary import OPTIONAL_RELATIONS
from .errors import did_you_mean, raised_at_caller
from .reporting.notebook import with_display
from .running.calls import run_function

T = TypeVar("T")

#: The arguments of a call by name, with the defaults filled in.
Arguments = dict[str, Any]


def public(function: Callable[[Arguments], T]) -> Callable[..., T]:
    """Give a function of `api.py` the arguments that the table declares for it."""
    name = function.__name__
    arguments = arguments_of(name)
    signature = _signature(arguments, function.__annotations__["return"])

    @raised_at_caller
    @functools.wraps(function)
    def call(*positional: Any, **named: Any) -> T:
        bound = _bind(signature, name, "", positional, named)
        bound.apply_defaults()
        return with_display(function(dict(bound.arguments)))

    call.__doc__ = with_arguments(function.__doc__ or "", arguments)
    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__annotations__ = {}
    return call


def metric_function(metric: Metric) -> Callable[..., pd.DataFrame]:
    """`sqlmetrics.<name>`: `evaluate` with one metric, whose roles and parameters are arguments.

    Only parameters that the caller passes reach the metric, so that a preset can set the others.
    """
    signature = metric_signature(metric)

    @raised_at_caller
    def function(*positional: Any, **named: Any) -> pd.DataFrame:
        arguments = dict(_bind(signature, metric.name, _how_to_call(metric), positional, named).arguments)
        parameters = {name: arguments.pop(name) for name in metric.parameters if name in arguments}
        arguments["metrics"] = {"name": metric.name, **parameters}
        result: pd.DataFrame = run_function("evaluate", arguments)
        return with_display(result)

    function.__name__ = function.__qualname__ = metric.name
    function.__module__ = "sqlmetrics.functions"
    function.__doc__ = metric_docstring(metric)
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def metric_signature(metric: Metric) -> inspect.Signature:
    """The roles, parameters and relations of a metric, and the arguments that all metrics share."""
    specific = []
    for role, required in metric.roles().items():
        dtype = "Scores" if role == "score" else "Expression"
        specific.append(_named(role, dtype) if required else _named(role, f"{dtype} | None", None))
    for parameter in metric.parameters.values():
        default = inspect.Parameter.empty if parameter.required else parameter.default
        specific.append(_named(parameter.name, _annotation(parameter), default))
    for name in metric.relations:
        specific.append(_named(name, "Any", None if name in OPTIONAL_RELATIONS else inspect.Parameter.empty))
    return _signature(arguments_of("metric"), "pd.DataFrame", specific)


def _signature(
    arguments: Iterable[Argument], returned: str, specific: Iterable[inspect.Parameter] = ()
) -> inspect.Signature:
    """The positional arguments, then those of the metric, then the keyword-only arguments."""
    shared = [
        inspect.Parameter(
            argument.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD if argument.positional else inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if argument.required else argument.default,
            annotation=argument.annotation,
        )
        for argument in arguments
    ]
    parameters = sorted([*specific, *shared], key=lambda parameter: parameter.kind)
    return inspect.Signature(parameters, return_annotation=returned)


def _named(name: str, annotation: str, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _annotation(parameter: Parameter) -> str:
    choices = f"Literal[{', '.join(json.dumps(choice) for choice in parameter.choices)}]"
    if parameter.type == "choice":
        return choices
    dtype = {
        "integer": "int",
        "number": "float",
        "boolean": "bool",
        "columns": "dict[Any, Expression]",
        "quantiles": "dict[float, Expression]",
    }[parameter.type]
    dtype += f" | {choices}" if parameter.choices else ""
    return dtype if parameter.required or parameter.default is not None else f"{dtype} | None"


def _bind(
    signature: inspect.Signature, name: str, hint: str, positional: tuple[Any, ...], named: dict[str, Any]
) -> inspect.BoundArguments:
    try:
        return signature.bind(*positional, **named)
    except TypeError as error:
        unknown = next((argument for argument in named if argument not in signature.parameters), None)
        meant = "" if unknown is None else did_you_mean(unknown, signature.parameters)
        raise TypeError(f"{name}() {error}{meant}{hint}") from None


def _how_to_call(metric: Metric) -> str:
    roles = metric.roles()
    usual = [role for role in ("label", "score", "group") if role in roles] or [role for role in roles if roles[role]]
    arguments = ", ".join(f"{role}=…" for role in usual)
    return f"; write sqlmetrics.{metric.name}(data, {arguments}), with the names of columns"
