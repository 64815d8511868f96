"""The written signatures: `functions.py` with its function per metric, and the argument lists of `api.py`."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Sequence

from ..arguments import Argument, arguments_of
from ..authoring.describe import example_lines, python_text, refused_values, result_columns, role_words
from ..catalogue.model import Metric, Parameter
from ..catalogue.vocabulary import OPTIONAL_RELATIONS, RELATIONS

_WIDTH = 120
_HEAD = '''"""One function per metric: `sqlmetrics.auc(data, label=…, score=…, by=…)`.

Each is `evaluate` with one metric, whose parameters are arguments. What all of them take is said once, in
`help(sqlmetrics.evaluate)`: data, the roles, by, where, preset, con, threads, memory_limit, engine, min_rows …

Written by `python -m sqlmetrics.codegen` from the metric files under sql/macros: change those.
"""

# mypy: disable-error-code="empty-body"

from __future__ import annotations

from typing import Any, Literal

import duckdb
import pandas as pd

from .engines import Engine
from .expressions import By, Expression, Preset, Scores
from .metric_functions import declared

'''
#: The functions of `api.py` that are written so.
_CALLS = (
    "evaluate", "compare", "gaps", "per_group", "report", "render", "render_compare", "render_gaps", "drift",
    "render_drift", "state", "evaluate_states",
)  # fmt: skip
#: Roles whose words differ from metric to metric; the others are said in `evaluate`.
_OWN_ROLES = ("label", "score")


def functions_text(metrics: Sequence[Metric]) -> str:
    """The module with one function per metric."""
    names = filled(json.dumps(name) for name in sorted(metric.name for metric in metrics))
    # doctest does not look into what a decorator returns unless it is named here
    tests = "__test__ = {name: globals()[name] for name in __all__}"
    functions = "\n\n\n".join(map(_function, metrics))
    return f"{_HEAD}__all__ = [\n{names}\n]\n\n\n{functions}\n\n\n{tests}\n"


def with_signatures(text: str, calls: Iterable[str] = _CALLS) -> str:
    """A module whose functions have the argument lists of the table, in the signature and in the docstring."""
    for call in calls:
        arguments = arguments_of(call)
        positional = [f"    {one},\n" for one in arguments if one.positional]
        named = [f"    {one},\n" for one in arguments if not one.positional]
        signature = "".join([*positional, "    *,\n", *named])
        documented = "".join(_documented(one.name, one.doc) for one in arguments)
        function = rf"^(def {call}\(\n).*?^(\) -> .*?^    Args:\n).*?^(\n    Returns:)"
        old = re.search(function, text, re.DOTALL | re.MULTILINE)
        if old is None:
            raise SystemExit(f"there is no function {call} with a section Args")
        text = f"{text[: old.start()]}{old[1]}{signature}{old[2]}{documented}{old[3]}{text[old.end() :]}"
    return text


def filled(items: Iterable[str]) -> str:
    """Items with commas after them, as many to a line as there is room for."""
    lines = ["   "]
    for item in items:
        if len(lines[-1]) + len(item) + 2 > _WIDTH and lines[-1].strip():
            lines.append("   ")
        lines[-1] += f" {item},"
    return "\n".join(lines)


def _documented(name: str, words: str) -> str:
    """An argument in a docstring."""
    return _wrapped(f"{name}: {words}", "        ", "            ") + "\n"


def _wrapped(words: str, indent: str, further: str | None = None) -> str:
    further = indent if further is None else further
    return textwrap.fill(
        words,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=further,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _function(metric: Metric) -> str:
    arguments = []
    for role, required in metric.roles().items():
        kind = "Scores" if role == "score" else "Expression"
        arguments.append(f"{role}: {kind}" if required else f"{role}: {kind} | None = None")
    for parameter in metric.parameters.values():
        default = "" if parameter.required else f" = {python_text(parameter.default)}"
        arguments.append(f"{parameter.name}: {_annotation(parameter)}{default}")
    arguments += [f"{name}: Any" + (" = None" if name in OPTIONAL_RELATIONS else "") for name in metric.relations]
    shared = arguments_of("metric")
    signature = [*_texts(shared, True), "*", *arguments, *_texts(shared, False)]
    return f'@declared\ndef {metric.name}(\n{filled(signature)}\n) -> pd.DataFrame:\n    """{_docstring(metric)}    """'


def _texts(arguments: Iterable[Argument], positional: bool) -> list[str]:
    return [str(argument) for argument in arguments if argument.positional is positional]


def _annotation(parameter: Parameter) -> str:
    choices = f"Literal[{', '.join(json.dumps(choice) for choice in parameter.choices)}]"
    if parameter.type == "choice":
        return choices
    kind = {
        "integer": "int",
        "number": "float",
        "boolean": "bool",
        "columns": "dict[Any, Expression]",
        "quantiles": "dict[float, Expression]",
    }[parameter.type]
    kind += f" | {choices}" if parameter.choices else ""
    return kind if parameter.required or parameter.default is not None else f"{kind} | None"


def _docstring(metric: Metric) -> str:
    """What is a metric's own: the rest is said in `evaluate`."""
    parts = [_wrapped(f"{metric.title}: {metric.formula}.", '    """', "    ").removeprefix('    """')]
    if metric.notes:
        parts.append(_wrapped(metric.notes, "    "))
    documented = [(role, _sentence(role_words(metric, role))) for role in metric.roles() if role in _OWN_ROLES]
    documented += [(parameter.name, _parameter_words(parameter)) for parameter in metric.parameters.values()]
    documented += [(name, _sentence(RELATIONS[name])) for name in metric.relations]
    documented = [(name, words) for name, words in documented if words]
    if documented:
        parts.append("    Args:\n" + "".join(_documented(name, words) for name, words in documented).rstrip("\n"))
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
    return "\n\n".join(parts) + "\n"


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}." if words else ""


def _parameter_words(parameter: Parameter) -> str:
    choices = "; ".join(f"{choice!r}: {words}" for choice, words in parameter.choices.items())
    return _sentence(parameter.doc + (f": {choices}" if choices else ""))
