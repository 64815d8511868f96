"""Binary metrics by scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn import metrics

from .registry import oracle


def weighty(rows: pd.DataFrame) -> pd.DataFrame:
    """Without the rows of weight 0, for which a tool may invent a class or a threshold."""
    return rows[rows["weight"] > 0]


def both_classes(rows: pd.DataFrame) -> bool:
    return rows["label"].nunique() == 2


def called(rows: pd.DataFrame, p: Any) -> np.ndarray[Any, Any]:
    """1 where a row is called positive."""
    if "prediction" in rows:
        return rows["prediction"].to_numpy(dtype=int)
    return (rows["score"] >= p.threshold).to_numpy(dtype=int)


def places(scores: pd.Series) -> np.ndarray[Any, Any]:
    """The scores' places in their order: tools refuse infinite scores, and only the order counts."""
    return np.unique(scores.to_numpy(), return_inverse=True)[1]


def at_threshold(function: Callable[..., float], rows: pd.DataFrame, p: Any) -> float | None:
    used = weighty(rows)
    undefined = getattr(p, "zero_division", None)
    if used.empty:
        return undefined
    value = function(
        used["label"].to_numpy(dtype=int),
        called(used, p),
        sample_weight=used["weight"],
        zero_division=np.nan if undefined is None else undefined,
    )
    return float(value)


@oracle("precision", tool="scikit-learn")
def precision(rows: pd.DataFrame, p: Any) -> Any:
    return at_threshold(metrics.precision_score, rows, p)


@oracle("recall", tool="scikit-learn")
def recall(rows: pd.DataFrame, p: Any) -> Any:
    return at_threshold(metrics.recall_score, rows, p)


@oracle("f1", tool="scikit-learn")
def f1(rows: pd.DataFrame, p: Any) -> Any:
    return at_threshold(metrics.f1_score, rows, p)


@oracle("accuracy", tool="scikit-learn")
def accuracy(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if used.empty:
        return None
    if used["label"].dtype.kind in "OU" or pd.api.types.is_string_dtype(used["label"]):  # classes, in words
        return metrics.accuracy_score(used["label"], used["prediction"], sample_weight=used["weight"])
    return metrics.accuracy_score(used["label"].to_numpy(dtype=int), called(used, p), sample_weight=used["weight"])


def counts(rows: pd.DataFrame, predicted: np.ndarray[Any, Any]) -> dict[str, float]:
    if not rows["weight"].any():
        return dict.fromkeys(["tp", "fp", "fn", "tn"], 0.0)
    (tn, fp), (fn, tp) = metrics.confusion_matrix(
        rows["label"].to_numpy(dtype=int), predicted, labels=[0, 1], sample_weight=rows["weight"]
    )
    return {"tp": tp, "fp": fp, "fn": fn, "tn": tn}


@oracle("confusion_matrix", tool="scikit-learn")
def confusion_matrix(rows: pd.DataFrame, p: Any) -> Any:
    return counts(rows, called(rows, p))


@oracle("auc", tool="scikit-learn")
def auc(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if not both_classes(used):
        return None
    return metrics.roc_auc_score(used["label"], places(used["score"]), sample_weight=used["weight"])


@oracle("average_precision", tool="scikit-learn")
def average_precision(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if not (used["label"] == 1).any():
        return None
    return metrics.average_precision_score(used["label"], places(used["score"]), sample_weight=used["weight"])


@oracle("roc_curve", tool="scikit-learn")
def roc_curve(rows: pd.DataFrame, p: Any) -> Any:
    """A confusion matrix for every threshold."""
    points = []
    for threshold in [np.inf, *sorted(set(rows["score"] + 0.0), reverse=True)] if len(rows) else []:
        # Nothing is called positive in the first row, not even an infinite score.
        above = (rows["score"] >= threshold).to_numpy(dtype=int) if points else np.zeros(len(rows), dtype=int)
        point = {"threshold": threshold, **counts(rows, above)}
        positives, negatives, chosen = point["tp"] + point["fn"], point["fp"] + point["tn"], point["tp"] + point["fp"]
        point["tpr"] = point["recall"] = point["tp"] / positives if positives else None
        point["fpr"] = point["fp"] / negatives if negatives else None
        point["precision"] = point["tp"] / chosen if chosen else None
        points.append(point)
    return pd.DataFrame(points)


@oracle("gauc", tool="a loop of scikit-learn")
def gauc(rows: pd.DataFrame, p: Any) -> Any:
    table = group_auc(rows, p)
    table = table[table["auc"].notna()] if len(table) else table
    if table.empty:
        return None
    weights = {"rows": table["weight"], "positives": table["positives"], "uniform": np.ones(len(table))}[p.weights]
    return np.average(table["auc"].astype(float), weights=weights)


@oracle("group_auc", tool="a loop of scikit-learn")
def group_auc(rows: pd.DataFrame, p: Any) -> Any:
    groups = [
        {
            "group": name,
            "auc": auc(members, p),
            "rows": members["rows"].sum(),
            "weight": members["weight"].sum(),
            "positives": (members["label"] * members["weight"]).sum(),
        }
        for name, members in rows.groupby("group", sort=True)
    ]
    return pd.DataFrame(groups)
