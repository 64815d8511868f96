"""One function per metric: `sqlmetrics.auc(data, label=…, score=…, by=…)`.

Each is `evaluate` with one metric, whose parameters are arguments. `help(sqlmetrics.evaluate)` describes the common
arguments: data, the roles, by, where, preset, con, threads, memory_limit, engine, min_rows …

A function is built from its metric file on first use; the stub next to this file lists all of them for editors.
"""

from __future__ import annotations

from typing import Any

from .catalogue.registry import builtin_catalogue
from .public_functions import metric_function

__all__ = sorted(builtin_catalogue().metrics)  # noqa: PLE0605 - as many as there are metric files


def __getattr__(name: str) -> Any:
    metric = builtin_catalogue().metrics.get(name)
    if metric is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = globals()[name] = metric_function(metric)
    return function
