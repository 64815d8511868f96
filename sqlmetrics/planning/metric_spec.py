"""Parse metrics written as strings: `auc`, `ndcg@10`, `ndcg(k=10, gain='linear')`, `mine = ndcg(k=10)`.

Jinja cannot parse expressions, so this module parses the arguments in brackets. The planner parses the rest, for dbt
as well: `sql/macros/planning/requested_metrics.sql`.
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Mapping
from typing import Any

from ..errors import BadParameter, shown

_WITH_ARGUMENTS = re.compile(
    r"\s*(?:(?P<name>[A-Za-z_]\w*)\s*=\s*)?(?P<metric>\w+\s*(?:@\s*\w+\s*)?)(?P<arguments>\(.*\))\s*\Z", re.DOTALL
)
#: Longer texts are mistakes, and could exhaust the stack of the parser.
_LONGEST = 2_000

MetricSpec = str | Mapping[str, Any]


def metric_specs(specs: Any) -> Any:
    """Convert the metrics of a call to the planner's form; invalid values pass through, as the planner rejects them.

    >>> metric_specs("auc, mine = ndcg@10(gain='linear')")
    ['auc', {'name': 'ndcg@10', 'as': 'mine', 'gain': 'linear'}]
    """
    if isinstance(specs, str):
        specs = split_metrics(specs)
    elif isinstance(specs, Mapping):
        specs = [specs]
    if isinstance(specs, list | tuple):
        return [_spec(spec) if isinstance(spec, str) else _to_python_value(spec) for spec in specs]
    return _to_python_value(specs)


def split_metrics(text: str) -> list[str]:
    """Split a comma-separated list, except at commas inside brackets or quotes.

    >>> split_metrics("auc, ndcg(k=10, gain='linear')")
    ['auc', "ndcg(k=10, gain='linear')"]
    """
    return [part for part in parts_of(text) if part]


def parts_of(text: str) -> list[str]:
    """Split like `split_metrics`, and keep empty parts."""
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
    return [part.strip() for part in parts]


def plain_value(value: Any) -> Any:
    """Convert a numpy scalar to a Python value.

    >>> import numpy
    >>> plain_value(numpy.int64(10)), plain_value("ten")
    (10, 'ten')
    """
    if getattr(value, "ndim", None) == 0 and type(value).__module__ == "numpy":
        value = value.item()
    if isinstance(value, complex):
        raise BadParameter(f"{value} is complex, which no argument of a metric supports")
    if isinstance(value, int) and value.bit_length() > 1_023:
        raise BadParameter(f"{shown(value)} is too large for a double")
    return value


def _to_python_value(spec: Any) -> Any:
    if isinstance(spec, Mapping):
        return {plain_value(key): _to_python_argument(value) for key, value in spec.items()}
    if not isinstance(spec, int | float | list | tuple | None):
        raise BadParameter(f"metrics: a metric is a string or a dict, not {type(spec).__name__}")
    return plain_value(spec)


def _to_python_argument(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _to_python_value(value)
    if getattr(value, "ndim", 0):  # comparing an array does not give a single boolean
        raise BadParameter(f"metrics: an argument of a metric is one value, not {type(value).__name__}")
    return plain_value(value)


def _spec(text: str) -> MetricSpec:
    if "(" not in text:
        if len(text) > _LONGEST:
            raise BadParameter(f"metrics: cannot read {_short_text(text)}; write auc, ndcg@10, ndcg(k=10)")
        return text
    match = _WITH_ARGUMENTS.match(text)
    if match is None:
        raise BadParameter(f"metrics: cannot read {text!r}; write auc, ndcg@10, ndcg(k=10) or my_name = ndcg(k=10)")
    arguments = _arguments(text, match["arguments"])
    alias = {} if match["name"] is None else {"as": match["name"]}
    return {"name": match["metric"].strip(), **alias, **arguments}


def _arguments(text: str, written: str) -> dict[str, Any]:
    """Parse keyword arguments with literal values, as in `(k=10, gain='linear')`."""
    with contextlib.suppress(SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        call = ast.parse(f"f{written}", mode="eval").body if len(written) <= _LONGEST else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args:
            # The keyword of **arguments is None.
            arguments = {keyword.arg or "": ast.literal_eval(keyword.value) for keyword in call.keywords}
            if len(arguments) == len(call.keywords) and not {"", "name", "as"} & arguments.keys():
                return arguments
    message = f"metrics: cannot read the arguments of {_short_text(text)}; write them as (k=10, gain='linear')"
    python_spelling = {"true": "True", "false": "False", "null": "None"}
    if other_spelling := re.search(r"=\s*(true|false|null)\b", written):
        message += f", and {other_spelling[1]} as {python_spelling[other_spelling[1]]}"
    raise BadParameter(message)


def _short_text(text: str) -> str:
    return repr(text if len(text) <= 200 else f"{text[:200]}…")
