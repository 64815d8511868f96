"""How a metric is written in a string: `auc`, `ndcg@10`, `ndcg(k=10, gain='linear')`, `mine = ndcg(k=10)`.

Jinja takes no expressions apart, so what stands in brackets is read here; everything else of a metric's spelling is
read by the planner, `sql/macros/planning/requested_metrics.sql`, for dbt as well.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from ..errors import BadParameter, shown

_WITH_ARGUMENTS = re.compile(
    r"\s*(?:(?P<name>[A-Za-z_]\w*)\s*=\s*)?(?P<metric>\w+\s*(?:@\s*\w+\s*)?)(?P<arguments>\(.*\))\s*\Z", re.DOTALL
)
#: No metric takes an argument of more digits or letters: a longer one is a slip, and costs the parser its stack.
_LONGEST = 2_000

MetricSpec = str | Mapping[str, Any]


def metric_specs(specs: Any) -> Any:
    """The metrics of a call in the form that the planner takes; what it has to refuse stays as it is.

    >>> metric_specs("auc, mine = ndcg@10(gain='linear')")
    ['auc', {'name': 'ndcg@10', 'as': 'mine', 'gain': 'linear'}]
    """
    if isinstance(specs, str):
        return [_spec(part) for part in split_metrics(specs)]
    if isinstance(specs, Mapping):
        return [_plain(specs)]
    if isinstance(specs, list | tuple):
        return [_spec(one) if isinstance(one, str) else _plain(one) for one in specs]
    return _plain(specs)


def split_metrics(text: str) -> list[str]:
    """The parts of a comma-separated list; commas inside brackets or quotes belong to their part.

    >>> split_metrics("auc, ndcg(k=10, gain='linear')")
    ['auc', "ndcg(k=10, gain='linear')"]
    """
    return [part for part in parts_of(text) if part]


def parts_of(text: str) -> list[str]:
    """The same with the parts in which nothing stands."""
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
    """A number of numpy's is a number.

    >>> import numpy
    >>> plain_value(numpy.int64(10)), plain_value("ten")
    (10, 'ten')
    """
    if getattr(value, "ndim", None) == 0 and type(value).__module__ == "numpy":
        value = value.item()
    if isinstance(value, complex):
        raise BadParameter(f"{value} is no argument of a metric: it is complex")
    if isinstance(value, int) and value.bit_length() > 1_023:
        raise BadParameter(f"{shown(value)} is larger than any double, and no argument of a metric")
    return value


def _plain(spec: Any) -> Any:
    if isinstance(spec, Mapping):
        return {plain_value(key): _plain(value) if isinstance(value, Mapping) else _plain_argument(value)
                for key, value in spec.items()}  # fmt: skip
    if not isinstance(spec, int | float | list | tuple | None):
        raise BadParameter(f"metrics: a metric is a string or a dict, not {type(spec).__name__}")
    return plain_value(spec)


def _plain_argument(value: Any) -> Any:
    if getattr(value, "ndim", 0):  # an array is no single answer to any comparison
        raise BadParameter(f"metrics: an argument of a metric is one value, not {type(value).__name__}")
    return plain_value(value)


def _spec(text: str) -> MetricSpec:
    if "(" not in text:
        if len(text) > _LONGEST:
            raise BadParameter(f"metrics: cannot read {_short(text)}; write auc, ndcg@10, ndcg(k=10)")
        return text
    found = _WITH_ARGUMENTS.match(text)
    if found is None:
        raise BadParameter(f"metrics: cannot read {text!r}; write auc, ndcg@10, ndcg(k=10) or my_name = ndcg(k=10)")
    arguments = _arguments(text, found["arguments"])
    own = {} if found["name"] is None else {"as": found["name"]}
    return {"name": found["metric"].strip(), **own, **arguments}


def _arguments(text: str, written: str) -> dict[str, Any]:
    """The keyword arguments of `(k=10, gain='linear')`; their values are literals."""
    words = f"metrics: cannot read the arguments of {_short(text)}; write them as (k=10, gain='linear')"
    word = re.search(r"=\s*(true|false|null)\b", written)
    meant = {"true": "True", "false": "False", "null": "None"}
    wrong = BadParameter(words + (f", and {word[1]} as {meant[word[1]]}" if word else ""))
    if len(written) > _LONGEST:
        raise wrong
    try:
        call = ast.parse(f"f{written}", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise wrong from error
    if not isinstance(call, ast.Call) or call.args or not isinstance(call.func, ast.Name):
        raise wrong
    arguments: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in arguments or keyword.arg in ("name", "as"):
            raise wrong
        try:
            arguments[keyword.arg] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, RecursionError) as error:
            raise wrong from error
    return arguments


def _short(text: str) -> str:
    return repr(text if len(text) <= 200 else f"{text[:200]}…")
