"""Regression by scikit-learn."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sklearn import metrics

from .binary import weighty
from .registry import oracle


def error(function: Any, rows: pd.DataFrame) -> float | None:
    used = weighty(rows)
    return None if used.empty else function(used["label"], used["score"], sample_weight=used["weight"])


@oracle("mae", tool="scikit-learn")
def mae(rows: pd.DataFrame, p: Any) -> Any:
    return error(metrics.mean_absolute_error, rows)


@oracle("rmse", tool="scikit-learn")
def rmse(rows: pd.DataFrame, p: Any) -> Any:
    return error(metrics.root_mean_squared_error, rows)
