"""The stubs of `api.py` and `functions.py`: every signature in full, for editors and type checkers."""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..authoring.describe import python_text
from ..catalogue.model import Metric
from ..public_functions import metric_function

_WIDTH = 120
_IMPORTS = """
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import duckdb
import pandas as pd

from .engines.base import Engine
from .expressions import By, Expression, Preset, Scores, Shape
from .planning.metric_spec import MetricSpec
from .planning.plan import Plan
from .reporting.page import Report
"""


def api_stub() -> str:
    """The stub of the functions over any metrics."""
    api = importlib.import_module("sqlmetrics.api")  # `from .. import api` would read the catalogue here
    functions = [value for value in vars(api).values() if inspect.isfunction(value)]
    own = [function for function in functions if function.__module__ == api.__name__]
    return _stub("api", [function for function in own if not function.__name__.startswith("_")])


def functions_stub(metrics: Iterable[Metric]) -> str:
    """The stub of the functions of single metrics."""
    functions = list(map(metric_function, metrics))
    names = filled(json.dumps(name) for name in sorted(function.__name__ for function in functions))
    return _stub("functions", functions, f"\n__all__ = [\n{names}\n]\n")


def _stub(module: str, functions: Sequence[Callable[..., Any]], names: str = "") -> str:
    head = f'"""What {module}.py defines. Written by `python -m sqlmetrics.codegen`: change its sources."""\n'
    definitions = "".join(f"\n\n{_definition(function)}\n" for function in functions)
    imports = [line for text in _IMPORTS.splitlines() for line in _used(text, definitions)]
    return "\n".join([head.rstrip(), *imports]) + f"\n{names}{definitions}"


def _used(line: str, text: str) -> list[str]:
    start, imports, names = line.partition("import ")
    if not imports or start == "from __future__ ":
        return [line]
    used = [name for name in names.split(", ") if re.search(rf"\b{name.split(' ')[-1]}\b", text)]
    return [f"{start}{imports}{', '.join(used)}"] if used else []


def _definition(function: Callable[..., Any]) -> str:
    return f'def {function.__name__}{signature_text(function)}:\n    """{function.__doc__}"""'


def signature_text(function: Callable[..., Any]) -> str:
    """The arguments, types and defaults of a function, wrapped."""
    signature = inspect.signature(function)
    arguments, star = [], False
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not star:
            arguments.append("*")
            star = True
        stars = "**" if parameter.kind is inspect.Parameter.VAR_KEYWORD else ""
        default = "" if parameter.default is inspect.Parameter.empty else f" = {python_text(parameter.default)}"
        arguments.append(f"{stars}{parameter.name}: {parameter.annotation}{default}")
    listed = f"\n{filled(arguments)}\n" if arguments else ""
    return f"({listed}) -> {signature.return_annotation}"


def filled(items: Iterable[str]) -> str:
    """Items followed by commas, wrapped at the line width."""
    lines = ["   "]
    for item in items:
        if len(lines[-1]) + len(item) + 2 > _WIDTH and lines[-1].strip():
            lines.append("   ")
        lines[-1] += f" {item},"
    return "\n".join(lines)
