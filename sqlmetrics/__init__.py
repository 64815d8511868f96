"""SQL-first offline evaluation metrics: AUC, GAUC, NDCG, COPC and their kin, on files and tables, in one statement."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from .catalogue import register
from .errors import (
    BadData,
    BadMetricFile,
    BadParameter,
    DroppedRows,
    MissingColumn,
    QueryFailed,
    SqlMetricsError,
    UnknownMetric,
)
from .planning import column, sql
from .running import evaluate, metrics, render

try:
    __version__ = version("sqlmetrics")
except PackageNotFoundError:  # the tree is read without being installed
    __version__ = "0+unknown"
