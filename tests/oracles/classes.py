"""Metrics of several classes by scikit-learn."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sklearn import metrics

from .registry import oracle


def over_classes(function: Any, rows: pd.DataFrame, average: str) -> float:
    if not rows["weight"].any():  # classes, but nothing that was right or wrong: each counts 0
        return 0.0
    return function(rows["label"], rows["prediction"], average=average, sample_weight=rows["weight"], zero_division=0)


@oracle("macro_f1", tool="scikit-learn", form=["mean_f1"])
def macro_f1(rows: pd.DataFrame, p: Any) -> Any:
    return None if rows.empty else over_classes(metrics.f1_score, rows, "macro")


@oracle("macro_f1", tool="scikit-learn's macro precision and recall", form=["f1_of_means"])
def macro_f1_of_means(rows: pd.DataFrame, p: Any) -> Any:
    if rows.empty:
        return None
    precision = over_classes(metrics.precision_score, rows, "macro")
    recall = over_classes(metrics.recall_score, rows, "macro")
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
