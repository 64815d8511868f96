"""Metrics of several classes by scikit-learn."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn import metrics

from tests import optional

from .registry import SKIP, Function, oracle


def over_classes(function: Any, rows: pd.DataFrame, average: str) -> float | None:
    if rows.empty:
        return None
    if not rows["weight"].any():
        # Each class counts 0; over pooled counts and over supports there is nothing to divide by.
        return 0.0 if average == "macro" else None
    return float(
        function(rows["label"], rows["prediction"], average=average, sample_weight=rows["weight"], zero_division=0)
    )


def averaged(function: Any, average: str) -> Function:
    def value(rows: pd.DataFrame, p: Any) -> Any:
        return over_classes(function, rows, average)

    return value


for average in ("macro", "micro", "weighted"):
    oracle(f"{average}_precision", tool="scikit-learn")(averaged(metrics.precision_score, average))
    oracle(f"{average}_recall", tool="scikit-learn")(averaged(metrics.recall_score, average))
    if average != "macro":
        oracle(f"{average}_f1", tool="scikit-learn")(averaged(metrics.f1_score, average))


@oracle("macro_f1", tool="scikit-learn", form=["mean_f1"])
def macro_f1(rows: pd.DataFrame, p: Any) -> Any:
    return over_classes(metrics.f1_score, rows, "macro")


@oracle("macro_f1", tool="scikit-learn's macro precision and recall", form=["f1_of_means"])
def macro_f1_of_means(rows: pd.DataFrame, p: Any) -> Any:
    precision = over_classes(metrics.precision_score, rows, "macro")
    recall = over_classes(metrics.recall_score, rows, "macro")
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def classes_of(rows: pd.DataFrame) -> list[Any]:
    return sorted(set(rows["label"]) | set(rows["prediction"]))


@oracle("class_report", tool="scikit-learn")
def class_report(rows: pd.DataFrame, p: Any) -> Any:
    names = classes_of(rows)
    if not rows["weight"].any():
        return pd.DataFrame([{"class": name, "precision": 0, "recall": 0, "f1": 0, "support": 0} for name in names])
    precision, recall, f1, support = metrics.precision_recall_fscore_support(
        rows["label"], rows["prediction"], labels=names, sample_weight=rows["weight"], zero_division=0
    )
    return pd.DataFrame({"class": names, "precision": precision, "recall": recall, "f1": f1, "support": support})


@oracle("class_confusion", tool="scikit-learn")
def class_confusion(rows: pd.DataFrame, p: Any) -> Any:
    """The pairs that occur are those of the matrix without weights."""
    if rows.empty:
        return pd.DataFrame()
    names = [*classes_of(rows), "no class"]  # of one class alone it warns
    occurs = metrics.confusion_matrix(rows["label"], rows["prediction"], labels=names)
    weights = rows["weight"] if rows["weight"].any() else None
    counts = metrics.confusion_matrix(rows["label"], rows["prediction"], labels=names, sample_weight=weights)
    counts = counts * float(weights is not None)
    return pd.DataFrame([
        {"label": label, "prediction": prediction, "count": counts[row, column]}
        for row, label in enumerate(names)
        for column, prediction in enumerate(names)
        if occurs[row, column]
    ])  # fmt: skip


def clipped(value: float, eps: float) -> float:
    return min(max(value, eps), 1 - eps)


def chosen_probabilities(rows: pd.DataFrame, p: Any) -> list[float]:
    """What each row gave to its own class."""
    columns: list[str] = list(p.scores.values())
    values = []
    for label, *scores in rows[["label", *columns]].itertuples(index=False):
        value = dict(zip(p.scores, scores, strict=True))[label]
        whole = math.fsum(scores)
        values.append((value / whole if whole else 0.0) if p.normalize else value)
    return values


def mean_loss(losses: list[float], weights: pd.Series) -> float | None:
    return math.fsum(weights * np.array(losses)) / math.fsum(weights) if weights.any() else None


@oracle("multi_log_loss", tool="by hand")
def multi_log_loss(rows: pd.DataFrame, p: Any) -> Any:
    return mean_loss([-math.log(clipped(value, p.eps)) for value in chosen_probabilities(rows, p)], rows["weight"])


@oracle("multi_log_loss", tool="scikit-learn", eps=[np.finfo(float).eps])
def multi_log_loss_of_rows_that_sum_to_1(rows: pd.DataFrame, p: Any) -> Any:
    columns: list[str] = list(p.scores.values())
    scores = rows[columns].to_numpy(dtype=float)
    wholes = scores.sum(axis=1)
    if p.normalize:
        if (wholes == 0).any():
            return SKIP
        scores = scores / wholes[:, None]
    elif (np.abs(wholes - 1) > 1e-12).any():
        return SKIP
    if not rows["weight"].any():
        return None
    # scikit-learn sorts the classes, and wants the columns in that order.
    names = list(p.scores)
    order = sorted(range(len(names)), key=lambda place: names[place])
    return metrics.log_loss(
        rows["label"], scores[:, order], labels=sorted(names), sample_weight=rows["weight"].to_numpy()
    )


def of_weighty(function: Any, rows: pd.DataFrame) -> float:
    """By classes as texts, and without the rows of weight 0, of whose classes there are none."""
    used = rows[rows["weight"] > 0]
    with warnings.catch_warnings():  # of classes that were only predicted
        warnings.simplefilter("ignore", UserWarning)
        return float(function(used["label"].astype(str), used["prediction"].astype(str), sample_weight=used["weight"]))


@oracle("multi_balanced_accuracy", tool="scikit-learn")
def multi_balanced_accuracy(rows: pd.DataFrame, p: Any) -> Any:
    return of_weighty(metrics.balanced_accuracy_score, rows) if rows["weight"].any() else None


@oracle("multi_mcc", tool="scikit-learn")
def multi_mcc(rows: pd.DataFrame, p: Any) -> Any:
    used = rows[rows["weight"] > 0]
    if min(used["label"].nunique(), used["prediction"].nunique()) < 2:
        return p.zero_division
    return of_weighty(metrics.matthews_corrcoef, rows)


@oracle("cohens_kappa", tool="scikit-learn")
def cohens_kappa(rows: pd.DataFrame, p: Any) -> Any:
    used = rows[rows["weight"] > 0]
    if len(set(used["label"]) | set(used["prediction"])) < 2:
        return None
    return of_weighty(metrics.cohen_kappa_score, rows)


@oracle("top_k_accuracy", tool="scikit-learn", equal_scores=["order"])
def top_k_accuracy(rows: pd.DataFrame, p: Any) -> Any:
    """scikit-learn sorts the classes: places in `scores` as numbers leave them in their order."""
    names, columns = list(p.scores), list(p.scores.values())
    if not rows["weight"].any():
        return None
    if len(names) == 2:  # of which it wants one score
        return SKIP
    labels = [names.index(label) for label in rows["label"]]
    return metrics.top_k_accuracy_score(
        labels, rows[columns].to_numpy(dtype=float), k=min(p.k, len(names)), labels=range(len(names)),
        sample_weight=rows["weight"].to_numpy(),
    ) if p.k < len(names) else 1.0  # fmt: skip


@oracle("top_k_accuracy", tool="numpy", equal_scores=["worst"])
def top_k_accuracy_where_equals_go_first(rows: pd.DataFrame, p: Any) -> Any:
    if not rows["weight"].any():
        return None
    scores = rows[list(p.scores.values())].to_numpy(dtype=float)
    own = scores[np.arange(len(rows)), [list(p.scores).index(label) for label in rows["label"]]]
    return float(np.average((scores >= own[:, None]).sum(axis=1) <= p.k, weights=rows["weight"]))


@oracle("multi_auc", tool="scikit-learn, class by class and pair by pair")
def multi_auc(rows: pd.DataFrame, p: Any) -> Any:
    used = rows[rows["weight"] > 0]
    mass = used.groupby("label")["weight"].sum()
    if set(mass.index) != set(p.scores) or len(mass) < 2:
        return None

    def area(one: Any, others: list[Any]) -> float:
        part = used[used["label"].isin([one, *others])]
        return float(metrics.roc_auc_score(part["label"] == one, part[p.scores[one]], sample_weight=part["weight"]))

    names = list(p.scores)
    if p.multi_class == "ovr":
        parts = [(area(one, [other for other in names if other != one]), mass[one]) for one in names]
    else:
        pairs = [(one, other) for one in names for other in names if one != other]
        parts = [(area(one, [other]), mass[one] + mass[other]) for one, other in pairs]
    areas, weights = zip(*parts, strict=True)
    return float(np.average(areas, weights=weights if p.average == "weighted" else None))


@oracle("auc_mu", tool="LightGBM")
def auc_mu(rows: pd.DataFrame, p: Any) -> Any:
    """Its metric of scores that are given as what to start from, before any tree is grown."""
    used = rows[rows["weight"] > 0]
    names = list(p.scores)
    if set(used["label"]) != set(names) or len(names) < 2:
        return None
    lightgbm = optional.package("lightgbm")
    # It keeps 32 bits of a weight, and adds them up.
    weight = used["weight"] / used["weight"].max()
    if not np.array_equal(weight, weight.astype(np.float32)) or weight.min() < 1e-6:
        return SKIP
    # Differences that are 1e-15 apart are equal to it, as 0.5 - 0.2 and 0.4 - 0.1.
    values = used[list(p.scores.values())].to_numpy(dtype=float)
    for one in range(len(names)):
        for other in range(one):
            if (np.diff(np.unique(values[:, one] - values[:, other])) < 1e-14).any():
                return SKIP
    dataset = lightgbm.Dataset(
        np.zeros((len(used), 1)),
        label=used["label"].map(names.index).astype(float),
        weight=weight,
        init_score=values.flatten(order="F"),
        params={"verbosity": -1},
    )
    parameters = {"objective": "none", "num_class": len(names), "metric": "auc_mu", "num_threads": 1, "verbosity": -1}
    [(_, _, value, _)] = lightgbm.Booster(parameters, dataset).eval_train()
    return float(value)


@oracle("auc_mu", tool="scikit-learn, pair by pair")
def auc_mu_by_pairs(rows: pd.DataFrame, p: Any) -> Any:
    used = rows[rows["weight"] > 0]
    names = list(p.scores)
    if set(used["label"]) != set(names) or len(names) < 2:
        return None
    areas = []
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            part = used[used["label"].isin([one, other])]
            difference = part[p.scores[one]] - part[p.scores[other]]
            areas.append(metrics.roc_auc_score(part["label"] == one, difference, sample_weight=part["weight"]))
    return float(np.mean(areas))


@oracle("weighted_kappa", tool="scikit-learn")
def weighted_kappa(rows: pd.DataFrame, p: Any) -> Any:
    used = rows[rows["weight"] > 0]
    if len(set(used["label"]) | set(used["prediction"])) < 2:
        return None
    return float(
        metrics.cohen_kappa_score(
            used["label"], used["prediction"], weights=p.weights, sample_weight=used["weight"] / used["weight"].max()
        )
    )


def counts_of_ratings(rows: pd.DataFrame) -> pd.DataFrame:
    """A row per item that was rated more than once, a column per class."""
    counts = pd.crosstab(rows["group"], rows["label"]) if len(rows) else pd.DataFrame()
    counts = counts[counts.sum(axis=1) > 1] if len(counts) else counts
    return counts.loc[:, counts.sum() > 0] if len(counts) else counts


@oracle("fleiss_kappa", tool="numpy")
def fleiss_kappa(rows: pd.DataFrame, p: Any) -> Any:
    """`fleiss_kappa` of statsmodels, which knows items with as many ratings each; `test_worked_numbers` asks it."""
    counts = counts_of_ratings(rows).to_numpy()
    if counts.ndim < 2 or not len(counts) or counts.shape[1] < 2:
        return None
    of_item = counts.sum(axis=1)
    agreeing = np.mean((counts * (counts - 1)).sum(axis=1) / (of_item * (of_item - 1)))
    by_chance = np.sum((counts.sum(axis=0) / counts.sum()) ** 2)
    return float((agreeing - by_chance) / (1 - by_chance))


@oracle("krippendorff_alpha", tool="numpy, by the matrix of coincidences")
def krippendorff_alpha(rows: pd.DataFrame, p: Any) -> Any:
    """Krippendorff's computing sheet of 2011, parts C and D: every pair of ratings of an item is entered."""
    values = np.array(sorted(set(rows["label"])))
    together = np.zeros((len(values), len(values)))
    for _, item in rows.groupby("group"):
        if len(item) > 1:
            place = np.searchsorted(values, item["label"])
            for one in range(len(place)):
                for other in range(len(place)):
                    if one != other:
                        together[place[one], place[other]] += 1 / (len(place) - 1)
    margins = together.sum(axis=0)
    if np.count_nonzero(margins) < 2:
        return None
    apart = np.zeros_like(together)
    for c in range(len(values)):
        for k in range(len(values)):
            if p.level == "nominal":
                apart[c, k] = float(c != k)
            elif p.level == "ordinal":
                between = margins[min(c, k) : max(c, k) + 1].sum() - (margins[c] + margins[k]) / 2
                apart[c, k] = between**2
            elif p.level == "interval":
                apart[c, k] = (values[c] - values[k]) ** 2
            elif values[c] + values[k]:
                apart[c, k] = ((values[c] - values[k]) / (values[c] + values[k])) ** 2
    expected = (np.outer(margins, margins) * apart).sum()
    return float(1 - (margins.sum() - 1) * (together * apart).sum() / expected)
