"""The docstrings of public functions: what each says itself, with the arguments of the table and of metric files."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from ..arguments import Argument
from ..catalogue.model import Metric, Parameter
from ..catalogue.vocabulary import RELATIONS
from .describe import example_lines, refused_values, result_columns, role_words

_WIDTH = 120
#: Roles whose words differ from metric to metric; the others are said in `evaluate`.
_OWN_ROLES = ("label", "score")


def with_arguments(docstring: str, arguments: Iterable[Argument]) -> str:
    """The docstring of a function with the section of its arguments in front of what it returns."""
    before, returns, after = docstring.partition("    Returns:\n")
    section = "\n".join(_documented(argument.name, argument.doc) for argument in arguments)
    return f"{before}    Args:\n{section}\n\n{returns}{after}"


def metric_docstring(metric: Metric) -> str:
    """What is a metric's own: the rest is said in `evaluate`."""
    parts = [_wrapped(f"{metric.title}: {metric.formula}.", '    """', "    ").removeprefix('    """')]
    if metric.notes:
        parts.append(_wrapped(metric.notes, "    "))
    documented = [(role, _sentence(role_words(metric, role))) for role in metric.roles() if role in _OWN_ROLES]
    documented += [(parameter.name, _parameter_words(parameter)) for parameter in metric.parameters.values()]
    documented += [(name, _sentence(RELATIONS[name])) for name in metric.relations]
    documented = [(name, words) for name, words in documented if words]
    if documented:
        parts.append("\n".join(["    Args:", *[_documented(name, words) for name, words in documented]]))
    shape = "The table" if metric.table else "One row per slice"
    returned = [
        f"{shape}: the slice columns, {'' if metric.table else '`n` (rows used), '}{result_columns(metric)}.",
        f"Range: {metric.range}. Undefined: {metric.undefined}.",
    ]
    parts.append("\n".join(["    Returns:", *[_wrapped(words, "        ", "            ") for words in returned]]))
    refused = refused_values(metric)
    if refused:
        raised = _wrapped(f"BadData: {'; '.join(refused)}.", "        ", "            ")
        parts.append(f"    Raises:\n{raised}")
    parts.append("    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.")
    source = f"Source: {metric.source}. Checked against: {metric.oracle}."
    parts.append(_wrapped(source, "    ", "        "))
    example = [f"        {line}" for line in example_lines(metric) if not line.startswith(">>> import ")]
    parts.append("\n".join(["    Example:", *example]))
    return "\n\n".join(parts) + "\n    "


def _documented(name: str, words: str) -> str:
    return _wrapped(f"{name}: {words}", "        ", "            ")


def _wrapped(words: str, indent: str, further: str | None = None) -> str:
    return textwrap.fill(
        words,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent if further is None else further,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}." if words else ""


def _parameter_words(parameter: Parameter) -> str:
    choices = "; ".join(f"{choice!r}: {words}" for choice, words in parameter.choices.items())
    return _sentence(parameter.doc + (f": {choices}" if choices else ""))
