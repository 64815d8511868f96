"""Metrics of several classes by scikit-learn."""

from __future__ import annotations

import itertools
import math
import statistics
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn import metrics

from .registry import SKIP, oracle, positive_weights, weighted_oracle


def average_of_classes(function: Any, rows: pd.DataFrame, average: str) -> float | None:
    if rows["weight"].any():
        weight = rows["weight"]
        value = function(rows["label"], rows["prediction"], average=average, sample_weight=weight, zero_division=0)
        return float(value)
    # Each class counts 0; the sums of counts and of supports are no divisors.
    return 0.0 if average == "macro" and len(rows) else None


def register_average(average: str, name: str, function: Any, **only: Any) -> None:
    oracle(f"{average}_{name}", tool="scikit-learn", **only)(
        lambda rows, _: average_of_classes(function, rows, average)
    )


for average in ("macro", "micro", "weighted"):
    register_average(average, "precision", metrics.precision_score)
    register_average(average, "recall", metrics.recall_score)
    register_average(average, "f1", metrics.f1_score, **({"form": ["mean_f1"]} if average == "macro" else {}))


@oracle("macro_f1", tool="scikit-learn's macro precision and recall", form=["f1_of_means"])
def macro_f1_of_means(rows: pd.DataFrame, p: Any) -> Any:
    both = [average_of_classes(each, rows, "macro") for each in (metrics.precision_score, metrics.recall_score)]
    return None if None in both else statistics.harmonic_mean(both)


def classes_of(rows: pd.DataFrame) -> list[Any]:
    return sorted(set(rows["label"]) | set(rows["prediction"]))


@oracle("class_report", tool="scikit-learn")
def class_report(rows: pd.DataFrame, p: Any) -> Any:
    names = classes_of(rows)
    columns = ["precision", "recall", "f1", "support"]
    if not rows["weight"].any():
        return pd.DataFrame({"class": names, **dict.fromkeys(columns, 0.0)})
    values = metrics.precision_recall_fscore_support(
        rows["label"], rows["prediction"], labels=names, sample_weight=rows["weight"], zero_division=0
    )
    return pd.DataFrame({"class": names, **dict(zip(columns, values, strict=True))})


@oracle("class_confusion", tool="scikit-learn")
def class_confusion(rows: pd.DataFrame, p: Any) -> Any:
    """The pairs are those of the matrix without weights."""
    if rows.empty:
        return pd.DataFrame()
    names = [*classes_of(rows), "no class"]  # a single class causes a warning
    pairs = metrics.confusion_matrix(rows["label"], rows["prediction"], labels=names)
    counts = pairs * 0.0
    if rows["weight"].any():
        counts = metrics.confusion_matrix(rows["label"], rows["prediction"], labels=names, sample_weight=rows["weight"])
    table = [(names[row], names[column], counts[row, column]) for row, column in zip(*pairs.nonzero(), strict=True)]
    return pd.DataFrame(table, columns=["label", "prediction", "count"])


# Probabilities of classes


def scores_of(rows: pd.DataFrame, p: Any) -> np.ndarray[Any, Any]:
    return rows[list(p.scores.values())].to_numpy(dtype=float)


def scores_of_labels(rows: pd.DataFrame, p: Any) -> np.ndarray[Any, Any]:
    """The score of each row for its own class."""
    return scores_of(rows, p)[np.arange(len(rows)), [list(p.scores).index(label) for label in rows["label"]]]


@weighted_oracle("multi_log_loss", tool="by hand")
def multi_log_loss(rows: pd.DataFrame, p: Any) -> Any:
    values = scores_of_labels(rows, p)
    if p.normalize:
        sums = np.array([math.fsum(scores) for scores in scores_of(rows, p)])
        values = np.where(sums > 0, values / np.where(sums > 0, sums, 1), 0)
    losses = -np.log(np.clip(values, p.eps, 1 - p.eps))
    return math.fsum(rows["weight"] * losses) / math.fsum(rows["weight"])


@weighted_oracle("top_k_accuracy", tool="scikit-learn", equal_scores=["order"])
def top_k_accuracy(rows: pd.DataFrame, p: Any) -> Any:
    """scikit-learn sorts the classes: their numbers preserve the order of `scores`."""
    names = list(p.scores)
    if p.k >= len(names):
        return 1.0
    if len(names) == 2:  # scikit-learn accepts a single score here
        return SKIP
    labels, numbers = [names.index(label) for label in rows["label"]], range(len(names))
    weight = rows["weight"].to_numpy()
    return metrics.top_k_accuracy_score(labels, scores_of(rows, p), k=p.k, labels=numbers, sample_weight=weight)


@weighted_oracle("top_k_accuracy", tool="numpy", equal_scores=["worst"])
def top_k_accuracy_of_worst_order(rows: pd.DataFrame, p: Any) -> Any:
    ranks = (scores_of(rows, p) >= scores_of_labels(rows, p)[:, None]).sum(axis=1)
    return float(np.average(ranks <= p.k, weights=rows["weight"]))


def auc_of(rows: pd.DataFrame, positive: Any, others: list[Any], scores: pd.Series) -> float:
    """The AUC of a class against others."""
    used = rows["label"].isin([positive, *others])
    return metrics.roc_auc_score(rows.loc[used, "label"] == positive, scores[used], sample_weight=rows["weight"][used])


def has_every_class(rows: pd.DataFrame, p: Any) -> bool:
    return set(rows["label"]) == set(p.scores) and len(p.scores) > 1


@weighted_oracle("multi_auc", tool="scikit-learn, class by class and pair by pair")
def multi_auc(rows: pd.DataFrame, p: Any) -> Any:
    if not has_every_class(rows, p):
        return None
    mass = rows.groupby("label")["weight"].sum()
    if p.multi_class == "ovr":
        parts = [([name], [other for other in p.scores if other != name]) for name in p.scores]
    else:
        parts = [([name, other], [other]) for name, other in itertools.permutations(p.scores, 2)]
    areas = [auc_of(rows, name, others, rows[p.scores[name]]) for (name, *_), others in parts]
    weights = [mass[names].sum() for names, _ in parts]
    return float(np.average(areas, weights=weights if p.average == "weighted" else None))


@weighted_oracle("auc_mu", tool="scikit-learn, pair by pair")
def auc_mu(rows: pd.DataFrame, p: Any) -> Any:
    if not has_every_class(rows, p):
        return None
    pairs = itertools.combinations(p.scores, 2)
    return float(np.mean([auc_of(rows, a, [b], rows[p.scores[a]] - rows[p.scores[b]]) for a, b in pairs]))


# Agreement


def agreement(metric: str, function: Any, is_undefined: Callable[[Any, Any], bool], *parameters: str) -> None:
    """Register a function of scikit-learn that also takes the named parameters of the metric."""

    @oracle(metric, tool="scikit-learn")
    def value(rows: pd.DataFrame, p: Any) -> Any:
        rows = positive_weights(rows)
        if rows.empty or is_undefined(set(rows["label"]), set(rows["prediction"])):
            return getattr(p, "zero_division", None)
        weight = rows["weight"] / rows["weight"].max()  # only the proportions matter
        options = {name: getattr(p, name) for name in parameters}
        with warnings.catch_warnings():  # for classes that are only predicted
            warnings.simplefilter("ignore", UserWarning)
            return float(function(rows["label"], rows["prediction"], sample_weight=weight, **options))


agreement("multi_balanced_accuracy", metrics.balanced_accuracy_score, lambda _labels, _predictions: False)
agreement("multi_mcc", metrics.matthews_corrcoef, lambda labels, predictions: min(len(labels), len(predictions)) < 2)
agreement("cohens_kappa", metrics.cohen_kappa_score, lambda labels, predictions: len(labels | predictions) < 2)
agreement("weighted_kappa", metrics.cohen_kappa_score, lambda a, b: len(a | b) < 2, "weights")


@oracle("fleiss_kappa", tool="numpy")
def fleiss_kappa(rows: pd.DataFrame, p: Any) -> Any:
    """`fleiss_kappa` of statsmodels requires the same number of ratings per item; `test_worked_numbers` calls it."""
    counts = pd.crosstab(rows["group"], rows["label"]).to_numpy()
    counts = counts[counts.sum(axis=1) > 1]
    counts = counts[:, counts.sum(axis=0) > 0]
    if counts.shape[1] < 2:
        return None
    ratings = counts.sum(axis=1)
    observed = np.mean((counts * (counts - 1)).sum(axis=1) / (ratings * (ratings - 1)))
    expected = np.sum((counts.sum(axis=0) / counts.sum()) ** 2)
    return float((observed - expected) / (1 - expected))


@oracle("krippendorff_alpha", tool="numpy, by the matrix of coincidences")
def krippendorff_alpha(rows: pd.DataFrame, p: Any) -> Any:
    """Krippendorff's computing sheet of 2011, parts C and D: every pair of ratings of an item is entered."""
    values = np.array(sorted(set(rows["label"])))
    coincidences = np.zeros((len(values), len(values)))
    for _, item in rows.groupby("group"):
        for a, b in itertools.permutations(np.searchsorted(values, item["label"]), 2):
            coincidences[a, b] += 1 / (len(item) - 1)
    margins = coincidences.sum(axis=0)
    if np.count_nonzero(margins) < 2:
        return None
    # The ratings from one value to another exclude half of the ratings of both.
    places = np.cumsum(margins) - margins / 2 if p.level == "ordinal" else values
    distances = np.subtract.outer(places, places) ** 2
    if p.level == "nominal":
        distances = 1 - np.eye(len(values))
    elif p.level == "ratio":
        sums = np.add.outer(values, values) ** 2
        distances = np.divide(distances, sums, out=np.zeros_like(distances), where=sums > 0)
    expected = (np.outer(margins, margins) * distances).sum()
    return float(1 - (margins.sum() - 1) * (coincidences * distances).sum() / expected)
