"""Docstrings of public functions, with the arguments of the table and of metric files."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from ..arguments import Argument, sentence
from ..catalogue.model import Metric, Parameter
from ..catalogue.vocabulary import RELATIONS
from .describe import describe_rejected_values, describe_role, example_lines, result_columns

_WIDTH = 120
#: Roles whose meaning depends on the metric; `evaluate` documents the others.
_ROLES_BY_METRIC = ("label", "score")


def with_arguments(docstring: str, arguments: Iterable[Argument]) -> str:
    """Insert the section of arguments before the section of returns."""
    before, returns, after = docstring.partition("    Returns:\n")
    section = "\n".join(_argument_entry(argument.name, argument.doc) for argument in arguments)
    return f"{before}    Args:\n{section}\n\n{returns}{after}"


def metric_docstring(metric: Metric) -> str:
    """The docstring of a metric's function; `evaluate` documents the common arguments."""
    parts = [_wrapped(f"{metric.title}: {metric.formula}.", '    """', "    ").removeprefix('    """')]
    if metric.notes:
        parts.append(_wrapped(metric.notes, "    "))
    documented = [(role, sentence(describe_role(metric, role))) for role in metric.roles() if role in _ROLES_BY_METRIC]
    documented += [(parameter.name, _describe_parameter(parameter)) for parameter in metric.parameters.values()]
    documented += [(name, sentence(RELATIONS[name])) for name in metric.relations]
    documented = [(name, text) for name, text in documented if text]
    if documented:
        parts.append("\n".join(["    Args:", *[_argument_entry(name, text) for name, text in documented]]))
    shape = "The table" if metric.table else "One row per slice"
    returns = [
        f"{shape}: the slice columns, {'' if metric.table else '`n` (rows used), '}{result_columns(metric)}.",
        f"Range: {metric.range}. Undefined: {metric.undefined}.",
    ]
    parts.append("\n".join(["    Returns:", *[_wrapped(text, "        ", "            ") for text in returns]]))
    rejected = describe_rejected_values(metric)
    if rejected:
        raised = _wrapped(f"BadData: {'; '.join(rejected)}.", "        ", "            ")
        parts.append(f"    Raises:\n{raised}")
    parts.append("    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.")
    source = f"Source: {metric.source}. Checked against: {metric.oracle}."
    parts.append(_wrapped(source, "    ", "        "))
    example = [f"        {line}" for line in example_lines(metric) if not line.startswith(">>> import ")]
    parts.append("\n".join(["    Example:", *example]))
    return "\n\n".join(parts) + "\n    "


def _argument_entry(name: str, description: str) -> str:
    return _wrapped(f"{name}: {description}", "        ", "            ")


def _wrapped(text: str, indent: str, next_indent: str | None = None) -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent if next_indent is None else next_indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _describe_parameter(parameter: Parameter) -> str:
    choices = "; ".join(f"{choice!r}: {meaning}" for choice, meaning in parameter.choices.items())
    return sentence(parameter.doc + (f": {choices}" if choices else ""))
