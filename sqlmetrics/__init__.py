"""SQL-first offline evaluation metrics: AUC, GAUC, NDCG, COPC and their kin, on files and tables, in one statement."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from . import engines, functions
from .catalogue import catalogue as _catalogue
from .catalogue import register
from .errors import (
    BadData,
    BadMetricFile,
    BadParameter,
    DroppedRows,
    MissingClient,
    MissingColumn,
    QueryFailed,
    SqlMetricsError,
    UnknownMetric,
)
from .functions import *  # noqa: F403 - one function per metric, listed in functions.__all__
from .planning import column, sql
from .registered import metric_function as _metric_function
from .running import evaluate, metrics, per_group, render

__all__ = [
    "BadData",
    "BadMetricFile",
    "BadParameter",
    "DroppedRows",
    "MissingClient",
    "MissingColumn",
    "QueryFailed",
    "SqlMetricsError",
    "UnknownMetric",
    "column",
    "engines",
    "evaluate",
    "metrics",
    "per_group",
    "register",
    "render",
    "sql",
]
__all__ += functions.__all__

try:
    __version__ = version("sqlmetrics")
except PackageNotFoundError:  # the tree is read without being installed
    __version__ = "0+unknown"


def __getattr__(name: str) -> Any:
    """A registered metric is a function of the package, as the built-in ones are."""
    if not name.startswith("_") and name in _catalogue().metrics:
        return _metric_function(_catalogue()[name])
    raise AttributeError(f"module 'sqlmetrics' has no attribute {name!r}")
