"""Signatures and docstrings of public functions, from the table of arguments and from metric files.

Type checkers and editors read them from the stubs that `sqlmetrics.codegen` writes.
"""

from __future__ import annotations

import functools
import inspect
import json
import textwrap
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import pandas as pd

from .arguments import Argument, arguments_of, sentence
from .authoring.describe import describe_rejected_values, describe_role, example_lines, result_columns
from .catalogue.model import Metric, Parameter
from .catalogue.vocabulary import OPTIONAL_RELATIONS, RELATIONS
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

    before, returns, after = (function.__doc__ or "").partition("    Returns:\n")
    section = _section("Args", (f"{argument.name}: {argument.doc}" for argument in arguments))
    call.__doc__ = f"{before}{section}\n\n{returns}{after}"
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
    function.__doc__ = _docstring(metric)
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


def _docstring(metric: Metric) -> str:
    """The docstring of a metric's function; `evaluate` documents the common arguments and the other roles."""
    described = {role: describe_role(metric, role) for role in metric.roles() if role in ("label", "score")}
    for parameter in metric.parameters.values():
        choices = "; ".join(f"{choice!r}: {meaning}" for choice, meaning in parameter.choices.items())
        described[parameter.name] = parameter.doc + (f": {choices}" if choices else "")
    described |= {name: RELATIONS[name] for name in metric.relations}
    shape = "The table" if metric.table else "One row per slice"
    returns = [
        f"{shape}: the slice columns, {'' if metric.table else '`n` (rows used), '}{result_columns(metric)}.",
        f"Range: {metric.range}. Undefined: {metric.undefined}.",
    ]
    rejected = describe_rejected_values(metric)
    example = [f"        {line}" for line in example_lines(metric) if not line.startswith(">>> import ")]
    parts = [
        _wrapped(f'"""{metric.title}: {metric.formula}.', "    ", "    ").removeprefix('    """'),
        _wrapped(metric.notes, "    ", "    "),
        _section("Args", [f"{name}: {sentence(text)}" for name, text in described.items() if text]),
        _section("Returns", returns),
        _section("Raises", [f"BadData: {'; '.join(rejected)}."] if rejected else []),
        "    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.",
        _wrapped(f"Source: {metric.source}. Checked against: {metric.oracle}.", "    ", "        "),
        "\n".join(["    Example:", *example]),
    ]
    return "\n\n".join(filter(None, parts)) + "\n    "


def _section(title: str, entries: Iterable[str]) -> str:
    """A section in Google's style; empty without entries."""
    lines = [_wrapped(entry, "        ", "            ") for entry in entries]
    return "\n".join([f"    {title}:", *lines]) if lines else ""


def _wrapped(text: str, indent: str, next_indent: str) -> str:
    return textwrap.fill(
        text, 120, initial_indent=indent, subsequent_indent=next_indent, break_long_words=False, break_on_hyphens=False
    )
