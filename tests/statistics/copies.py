"""Values over copies of a log: with other weights, with repeated clusters, or without some clusters.

They define what intervals must be; the values of `evaluate` have oracles of their own (tests/oracles).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

import sqlmetrics
from tests.statistics.test_states import bucket
from tests.variants import quiet


def named(metrics: Iterable[str]) -> list[str]:
    """The metrics under the names m0, m1, …"""
    return [f"m{index} = {metric}" for index, metric in enumerate(metrics)]


def values_of(copies: Sequence[pd.DataFrame], metrics: Sequence[str], **options: Any) -> Any:
    """A row with the values of the metrics for each copy."""
    rows = pd.concat([copy.assign(copy_id=number) for number, copy in enumerate(copies)])
    result = quiet(lambda: sqlmetrics.evaluate(rows, named(metrics), by="copy_id", **options))
    result = result.set_index("copy_id").reindex(range(len(copies)))
    return result[[f"m{index}" for index in range(len(metrics))]].to_numpy(dtype=float)


def values_by_weights(data: pd.DataFrame, metrics: Sequence[str], **options: Any) -> Callable[[list[Any]], Any]:
    """The values of the metrics as a function of the weights of all rows."""
    return lambda weights: values_of([data.assign(w=row) for row in weights], metrics, weight="w", **options)


def influences(values: Callable[[list[Any]], Any], cluster: Any, step: float = 5e-3, weights: Any = 1.0) -> Any:
    """The derivatives of values by the weight of each cluster, at two steps and extrapolated: a column for each value.

    `values` takes several weights of all rows, and returns the values for each.
    """
    names = pd.unique(cluster)
    changes = [sign * h * (np.asarray(cluster) == name) for name in names for h in (step, 2 * step) for sign in (1, -1)]
    changed = np.array(values([weights * (1 + change) for change in changes])).reshape(len(names), 2, 2, -1)
    narrow, wide = ((changed[:, index, 0] - changed[:, index, 1]) / (2 * step * (index + 1)) for index in range(2))
    return pd.DataFrame((4 * narrow - wide) / 3, index=names)


def clustered_error(derivatives: Any, count: int | None = None) -> float:
    """√(C / (C - 1) · Σ e²) over the influences of C clusters."""
    count = len(derivatives) if count is None else count
    return float(np.sqrt(count / (count - 1) * np.sum(np.square(np.asarray(derivatives)))))


def without_each_bucket(data: pd.DataFrame, cluster: str, buckets: int) -> list[pd.DataFrame]:
    """The rows without each bucket of clusters that occurs."""
    bucket_of_row = data[cluster].map(lambda name: bucket(name, buckets))
    return [data[bucket_of_row != number] for number in bucket_of_row.unique()]


def jackknife_error(values: Any) -> Any:
    """The standard error from the values without each bucket, or differences of values."""
    count = len(values)
    return np.sqrt((count - 1) / count * np.sum(np.square(values - np.mean(values, axis=0)), axis=0))
