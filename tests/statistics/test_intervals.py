"""Intervals: against derivatives, jackknives and sandwich formulas of scikit-learn, SciPy and statsmodels."""

from __future__ import annotations

import functools
import hashlib
import re
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats
from sklearn import metrics as sk
from sklearn.isotonic import IsotonicRegression

import sqlmetrics
from tests import optional
from tests.compare import differences
from tests.data import arrow, relations_of, sample
from tests.engines.servers import ENGINES
from tests.tiers import by_tier, slow
from tests.variants import Call, calls

Weights = np.ndarray[Any, Any]


def log(clusters: int = 30, rows: int = 400, seed: int = 4) -> pd.DataFrame:
    """Clicks of users who differ by what the model does not know, with ties, weights and two devices; and kinds and
    stars, of which one is never called and another never there.
    """
    rng = np.random.default_rng(seed)
    user = rng.integers(0, clusters, rows)
    logit = rng.normal(-0.5, 1, rows)
    clicked = rng.random(rows) < 1 / (1 + np.exp(-(logit + rng.normal(0, 0.8, clusters)[user])))
    data = pd.DataFrame({
        "clicked": clicked.astype(float), "score": (1 / (1 + np.exp(-logit))).round(2).clip(0.01, 0.99), "user": user,
        "w": rng.integers(1, 6, rows) / 4, "y": rng.normal(3, 1, rows), "y_hat": rng.normal(3, 1, rows).round(1),
        "device": rng.choice(["a", "b", None], rows),
    })  # fmt: skip
    kind = rng.choice([*"bcdef"], rows, p=[0.3, 0.25, 0.2, 0.2, 0.05])
    said = np.where((rng.random(rows) < 0.4 + user % 3 / 5) & (kind != "f"), kind, rng.choice([*"abcde"], rows))
    places = {name: place for place, name in enumerate("abcdef")}
    stars, said_stars = ([(1, 2, 3, 5, 8, 9)[places[one]] for one in column] for column in (kind, said))
    return data.assign(kind=kind, said=said, stars=stars, said_stars=said_stars)


def called(data: pd.DataFrame) -> Any:
    return (data["score"] >= 0.5).astype(float)


def _copc(data: pd.DataFrame, w: Weights) -> float:
    return float((w * data["clicked"]).sum() / (w * data["score"]).sum())


def _normalized_entropy(data: pd.DataFrame, w: Weights) -> float:
    rate = np.average(data["clicked"], weights=w)
    entropy = -(rate * np.log(rate) + (1 - rate) * np.log(1 - rate))
    return float(sk.log_loss(data["clicked"], data["score"], sample_weight=w) / entropy)


def _ks(data: pd.DataFrame, w: Weights) -> float:
    false_rate, true_rate, _ = sk.roc_curve(data["clicked"], data["score"], sample_weight=w)
    return float(np.max(true_rate - false_rate))


def _max_f1(data: pd.DataFrame, w: Weights) -> float:
    precision, recall, _ = sk.precision_recall_curve(data["clicked"], data["score"], sample_weight=w)
    return float(np.max(2 * precision * recall / np.maximum(precision + recall, 1e-300)))


def _ece(data: pd.DataFrame, w: Weights, norm: str = "l1") -> float:
    bins = np.minimum(np.floor(data["score"] * 10 + 1e-9), 9).astype(int)
    weight, off = np.bincount(bins, w, 10), np.bincount(bins, w * (data["clicked"] - data["score"]), 10)
    share, gap = weight[weight > 0] / w.sum(), np.abs(off[weight > 0] / weight[weight > 0])
    return float({"l1": share @ gap, "l2": np.sqrt(share @ gap**2), "max": gap.max()}[norm])


def _field_error(data: pd.DataFrame, w: Weights, relative: bool) -> float:
    sums = pd.DataFrame({"w": w, "pos": w * data["clicked"], "score": w * data["score"]}).groupby(data["kind"]).sum()
    sums = sums[sums["pos"] > 0] if relative else sums
    off = (sums["score"] - sums["pos"]).abs()
    return float(((sums["w"] * off / sums["pos"]) if relative else off).sum() / sums["w"].sum())


def _correlation(data: pd.DataFrame, w: Weights) -> float:
    spread = np.cov(data["y"], data["y_hat"], aweights=w)
    return float(spread[0, 1] / np.sqrt(spread[0, 0] * spread[1, 1]))


#: A smooth metric and the same as a function of weights, from elsewhere.
SMOOTH: dict[str, Callable[[pd.DataFrame, Weights], float]] = {
    "auc": lambda d, w: sk.roc_auc_score(d["clicked"], d["score"], sample_weight=w),
    "average_precision": lambda d, w: sk.average_precision_score(d["clicked"], d["score"], sample_weight=w),
    "gini": lambda d, w: 2 * sk.roc_auc_score(d["clicked"], d["score"], sample_weight=w) - 1,
    "log_loss": lambda d, w: sk.log_loss(d["clicked"], d["score"], sample_weight=w),
    "brier": lambda d, w: sk.brier_score_loss(d["clicked"], d["score"], sample_weight=w),
    "copc": _copc,
    "normalized_entropy": _normalized_entropy,
    "accuracy": lambda d, w: sk.accuracy_score(d["clicked"], called(d), sample_weight=w),
    "precision": lambda d, w: sk.precision_score(d["clicked"], called(d), sample_weight=w),
    "recall": lambda d, w: sk.recall_score(d["clicked"], called(d), sample_weight=w),
    "f1": lambda d, w: sk.f1_score(d["clicked"], called(d), sample_weight=w),
    "mcc": lambda d, w: sk.matthews_corrcoef(d["clicked"], called(d), sample_weight=w),
    "balanced_accuracy": lambda d, w: sk.balanced_accuracy_score(d["clicked"], called(d), sample_weight=w),
    "ks": _ks,
    "max_f1": _max_f1,
    "ece": _ece,
    "field_ece": lambda d, w: _field_error(d, w, relative=False),
    "field_rce": lambda d, w: _field_error(d, w, relative=True),
    "mae": lambda d, w: sk.mean_absolute_error(d["y"], d["y_hat"], sample_weight=w),
    "rmse": lambda d, w: sk.root_mean_squared_error(d["y"], d["y_hat"], sample_weight=w),
    "r2": lambda d, w: sk.r2_score(d["y"], d["y_hat"], sample_weight=w),
    "explained_variance": lambda d, w: sk.explained_variance_score(d["y"], d["y_hat"], sample_weight=w),
    "d2_tweedie": lambda d, w: sk.d2_tweedie_score(d["clicked"], d["score"], power=1.5, sample_weight=w),
    "pearson_correlation": _correlation,
}


OF_NUMBERS = ("mae", "rmse", "r2", "explained_variance", "pearson_correlation")


def _over_classes(name: str, average: str) -> Callable[[pd.DataFrame, Weights], float]:
    score = getattr(sk, f"{name}_score")
    return lambda d, w: score(d["kind"], d["said"], average=average, sample_weight=w, zero_division=0)


def _f1_of_means(data: pd.DataFrame, w: Weights) -> float:
    precision, recall = (_over_classes(name, "macro")(data, w) for name in ("precision", "recall"))
    return 2 * precision * recall / (precision + recall)


def _kappa(weights: str) -> Callable[[pd.DataFrame, Weights], float]:
    return lambda d, w: sk.cohen_kappa_score(d["stars"], d["said_stars"], weights=weights, sample_weight=w)


def _of_labels(data: pd.DataFrame, w: Weights) -> float:
    """As balanced_accuracy_score, which warns of what was called and is not there."""
    kinds = sorted(set(data["kind"]))
    return float(sk.recall_score(data["kind"], data["said"], labels=kinds, average="macro", sample_weight=w))


#: The same of metrics of classes, which no score has a part in.
OF_CLASSES: dict[str, Callable[[pd.DataFrame, Weights], float]] = {
    **{f"{average}_{name}": _over_classes(name, average) for average in ("macro", "micro", "weighted")
       for name in ("precision", "recall", "f1")},
    "macro_f1(form='f1_of_means')": _f1_of_means,
    "cohens_kappa": lambda d, w: sk.cohen_kappa_score(d["kind"], d["said"], sample_weight=w),
    "weighted_kappa(weights='linear')": _kappa("linear"),
    "weighted_kappa(weights='quadratic')": _kappa("quadratic"),
    "multi_mcc": lambda d, w: sk.matthews_corrcoef(d["kind"], d["said"], sample_weight=w),
    "multi_balanced_accuracy": _of_labels,
}  # fmt: skip


def _called_at_best(data: pd.DataFrame, w: Weights) -> Any:
    precision, recall, scores = sk.precision_recall_curve(data["clicked"], data["score"], sample_weight=w)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-300)
    return data["score"] >= scores[np.flatnonzero(f1 >= f1.max() - 1e-12)[-1]]


#: Of metrics to which some rows add nothing, those that do: a negative below all positives is part of no average
#: precision.
MOVING: dict[str, Callable[[pd.DataFrame, Weights], Any]] = {
    "precision": lambda d, _: called(d) == 1,
    "recall": lambda d, _: d["clicked"] == 1,
    "f1": lambda d, _: (d["clicked"] == 1) | (called(d) == 1),
    "max_f1": lambda d, w: (d["clicked"] == 1) | _called_at_best(d, w),
    "average_precision": lambda d, _: d["score"] >= d["score"][d["clicked"] == 1].min(),
}


def step_of(metric: str) -> float:
    """How far a derivative goes; with more, another threshold or bin may be the best."""
    return 2e-4 if metric in ("ks", "max_f1", "ece", "field_ece", "field_rce") else 5e-3


def standard_error(data: pd.DataFrame, metric: str, cluster: Any, weight: Weights | None = None) -> float:
    count = clusters_behind(data, metric, cluster, weight)
    return error_of_value(data, SMOOTH[metric], step_of(metric), cluster, weight, count)


def clusters_behind(data: pd.DataFrame, metric: str, cluster: Any, weight: Weights | None) -> int:
    every = np.ones(len(data))
    weights = every if weight is None else weight
    moving = MOVING[metric](data, weights) if metric in MOVING else every == 1
    return len(pd.unique(pd.Series(np.asarray(cluster)[np.asarray(moving)])))


def error_of_value(
    data: pd.DataFrame,
    value: Callable[[pd.DataFrame, Weights], float],
    step: float,
    cluster: Any,
    weight: Weights | None = None,
    count: int | None = None,
) -> float:
    """C / (C - 1) · Σ e², the influence of a cluster as the derivative by its weight, at two steps and extrapolated."""
    weight = np.ones(len(data)) if weight is None else weight

    def slope(mask: Any, step: float) -> float:
        up, down = weight * (1 + step * mask), weight * (1 - step * mask)
        return (value(data, up) - value(data, down)) / (2 * step)

    influences = []
    for one in pd.unique(cluster):
        mask = (cluster == one).astype(float)
        influences.append((4 * slope(mask, step) - slope(mask, 2 * step)) / 3)
    count = len(influences) if count is None else count
    return float(np.sqrt(count / (count - 1) * np.sum(np.square(influences))))


def roles_of(metric: str) -> dict[str, str]:
    if metric in OF_CLASSES:
        return (
            {"label": "stars", "prediction": "said_stars"}
            if "kappa(" in metric
            else {"label": "kind", "prediction": "said"}
        )
    if metric in OF_NUMBERS:
        return {"label": "y", "score": "y_hat"}
    return {"label": "clicked", "score": "score"} | ({"field": "kind"} if metric.startswith("field_") else {})


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("clusters", "rows", "weights"), [(8, 150, ["w"]), *slow((30, 400, [None, "w"]))])
@pytest.mark.parametrize("metric", SMOOTH)
def test_smooth_metrics_against_derivatives(metric: str, clusters: int, rows: int, weights: list[str | None]) -> None:
    """A derivative asks a tool four times for each cluster."""
    data = log(clusters, rows)
    sure: dict[str, Any] = {"confidence": 0.9, "standard_error": True}
    for weight in weights:
        result = sqlmetrics.evaluate(data, metric, cluster="user", weight=weight, **roles_of(metric), **sure)
        weights_of_rows = None if weight is None else data["w"].to_numpy()
        error = standard_error(data, metric, data["user"], weights_of_rows)
        assert result[f"{metric}_se"][0] == pytest.approx(error, rel=2e-8)
        behind = clusters_behind(data, metric, data["user"], weights_of_rows)
        half = stats.t(behind - 1).ppf(0.95) * result[f"{metric}_se"][0]
        below = min(half, result[metric][0]) if metric.startswith("field_") else half  # which are no less than 0
        assert result[metric][0] - result[f"{metric}_low"][0] == pytest.approx(below, rel=1e-3)
        assert result[f"{metric}_high"][0] - result[metric][0] == pytest.approx(half, rel=1e-3)
    if metric not in ("auc", "gini"):  # of which rows of their own are two samples, see below
        few = data.head((5 if step_of(metric) < 1e-3 else 2) * clusters)  # of fewer, two thresholds are the best
        result = sqlmetrics.evaluate(few, metric, **roles_of(metric), **sure)
        assert result[f"{metric}_se"][0] == pytest.approx(standard_error(few, metric, few.index.to_numpy()), rel=2e-8)


@pytest.mark.slow
@pytest.mark.parametrize("metric", OF_CLASSES)
def test_metrics_of_classes_against_derivatives(metric: str) -> None:
    data = log(25, 300)
    sure: dict[str, Any] = {"confidence": 0.9, "standard_error": True, **roles_of(metric)}
    for weight in (None, "w"):
        found = sqlmetrics.evaluate(data, f"found = {metric}", cluster="user", weight=weight, **sure).iloc[0]
        weights = np.ones(len(data)) if weight is None else data["w"].to_numpy()
        error = error_of_value(data, OF_CLASSES[metric], step_of(metric), data["user"], weights)
        assert found["found"] == pytest.approx(OF_CLASSES[metric](data, weights), rel=1e-12)
        assert found["found_se"] == pytest.approx(error, rel=1e-9)
        reach = stats.t(24).ppf(0.95) * error
        assert found["found_high"] - found["found"] == pytest.approx(reach, rel=1e-3)
    few = data.head(70)
    found = sqlmetrics.evaluate(few, f"found = {metric}", **sure).iloc[0]
    error = error_of_value(few, OF_CLASSES[metric], step_of(metric), few.index.to_numpy())
    assert found["found_se"] == pytest.approx(error, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["macro_f1", "cohens_kappa", "weighted_kappa(weights='linear')", "field_ece"])
def test_parts_of_slices_are_those_of_their_rows(metric: str) -> None:
    """In slices and models, beside another metric of the frame; and roughly as without each cluster in turn."""
    data = log(60, 1200).assign(other=lambda d: (d["score"] * 0.9).round(2))
    roles = roles_of(metric)
    sure: dict[str, Any] = {"cluster": "user", "confidence": 0.95, "standard_error": True, "diagnostics": True}
    models = ["score", "other"] if "score" in roles else [None]
    beside = "field_rce" if "score" in roles else "weighted_kappa" if "stars" in roles.values() else "multi_mcc"
    asked = {**roles, "score": models} if "score" in roles else roles
    found = sqlmetrics.evaluate(data, [f"found = {metric}", beside], by=[[], ["device"]], **asked, **sure)
    assert len(found) == 4 * len(models)
    for row in found.to_dict("records"):
        part = data if row["grouping"] == "overall" else data[
            data["device"].isna() if pd.isna(row["device"]) else data["device"] == row["device"]]  # fmt: skip
        own = {**roles, "score": row["model"]} if "score" in roles else roles
        alone = sqlmetrics.evaluate(part, f"found = {metric}", **own, **sure).iloc[0]
        names = ["n", "found", "found_low", "found_high", "found_se", "found_clusters"]
        assert [row[name] for name in names] == pytest.approx([alone[name] for name in names], rel=1e-9)
        value = {**SMOOTH, **OF_CLASSES}[metric]
        scored = part.assign(score=part[own["score"]]) if "score" in own else part
        without = [value(kept, np.ones(len(kept))) for one in part["user"].unique()
                   for kept in [scored[scored["user"] != one]]]  # fmt: skip
        jackknife = np.std(without) * np.sqrt(len(without) - 1)
        assert row["found_se"] == pytest.approx(jackknife, rel=0.25)


def test_classes_without_a_value_have_no_direction() -> None:
    """One class alone has no kappa, and no interval; a class that is never called holds still at 0."""
    one = pd.DataFrame({"kind": ["a"] * 8, "said": ["a"] * 8, "user": [1, 2] * 4})
    sure: dict[str, Any] = {"label": "kind", "prediction": "said", "cluster": "user", "confidence": 0.95}
    sure["standard_error"] = True
    found = sqlmetrics.evaluate(one, "cohens_kappa, multi_mcc, macro_f1, macro_precision", **sure).iloc[0]
    assert found.filter(regex="kappa|mcc").isna().all()
    assert found["macro_f1"] == 1  # of which clusters of one kind say nothing
    assert found[["macro_f1_low", "macro_f1_high", "macro_f1_se"]].isna().all()
    never = pd.DataFrame({"kind": ["a", "b"] * 4, "said": ["a"] * 8, "user": [1, 2, 3, 4] * 2})
    found = sqlmetrics.evaluate(never, "macro_recall, macro_precision", **sure).iloc[0]
    assert found["macro_recall"] == 0.5
    assert pd.isna(found["macro_recall_se"])
    assert found["macro_precision_se"] == pytest.approx(error_of_value(
        never, _over_classes("precision", "macro"), 5e-3, never["user"]), rel=1e-9)  # fmt: skip


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_parts_of_weights_far_from_1(scale: float) -> None:
    data = log(25, 300).assign(far=lambda d: d["w"] * scale)
    for metric in ["macro_f1", "multi_mcc", "weighted_kappa(weights='linear')", "field_ece"]:
        asked: dict[str, Any] = {**roles_of(metric), "cluster": "user", "confidence": 0.9, "standard_error": True}
        near = sqlmetrics.evaluate(data, f"found = {metric}", weight="w", **asked).iloc[0]
        far = sqlmetrics.evaluate(data, f"found = {metric}", weight="far", **asked).iloc[0]
        assert far["found_se"] == pytest.approx(near["found_se"], rel=1e-8)


OWN = """{#-
title: Mean root of the recall of classes
formula: mean over classes of the labels of √(TP / (TP + FN))
frame: class_counts
truth: class
score: class
range: 0 to 1
undefined: NULL without rows
oracle: by hand
source: a test
example: {label: [a, b], prediction: [a, b], result: 1.0}
-#}
{%- macro mean_root__value(m) -%}
VALUE
{%- endmacro -%}
"""


@pytest.mark.parametrize("by_sums", [True, False])
def test_your_own_metric_over_classes(by_sums: bool, tmp_path: Path) -> None:
    """What it takes through `sum_of` is all that has to be said; others are taken without each bucket."""
    root = "sqrt(tp / nullif(tp + fn, 0))"
    path = tmp_path / "mean_root.sql"
    path.write_text(OWN.replace("VALUE", f"{{{{ sqlmetrics.mean_of(m, '{root}') }}}}" if by_sums else f"avg({root})"))
    sqlmetrics.register(path)
    data = log(25, 400)

    def value(rows: pd.DataFrame, w: Weights) -> float:
        right = np.array(rows["kind"] == rows["said"])
        classes = [np.array(rows["kind"] == kind) for kind in rows["kind"].unique()]
        return float(np.mean([np.sqrt((w * right * of).sum() / (w * of).sum()) for of in classes]))

    found = sqlmetrics.evaluate(data, "mean_root", label="kind", prediction="said", cluster="user", confidence=0.9,
                                standard_error=True).iloc[0]  # fmt: skip
    if by_sums:
        error = error_of_value(data, value, 5e-3, data["user"])
    else:
        error, _ = leaving_out_buckets(data, "user", lambda kept: value(kept, np.ones(len(kept))))
    assert found["mean_root"] == pytest.approx(value(data, np.ones(len(data))), rel=1e-12)
    assert found["mean_root_se"] == pytest.approx(error, rel=1e-9)


def test_slices_models_and_groupings() -> None:
    """Each row of a result is what the rows of its slice give alone."""
    data = log().assign(other=lambda d: d["score"].round(1))
    arguments: dict[str, Any] = {"label": "clicked", "cluster": "user", "confidence": 0.95, "diagnostics": True}
    metrics = ["auc", "log_loss", "ks"]
    both = sqlmetrics.evaluate(data, metrics, score=["score", "other"], by=[[], ["device"]], **arguments)
    for row in both.to_dict("records"):
        part = data if row["grouping"] == "overall" else data[
            data["device"].isna() if pd.isna(row["device"]) else data["device"] == row["device"]]  # fmt: skip
        alone = sqlmetrics.evaluate(part, metrics, score=row["model"], **arguments).iloc[0]
        for name in ("auc", "log_loss", "ks"):
            assert row[f"{name}_clusters"] == part["user"].nunique()
            for end in ("low", "high"):
                assert row[f"{name}_{end}"] == pytest.approx(alone[f"{name}_{end}"], rel=1e-9)


def bucket(name: str) -> int:
    return int(hashlib.md5(name.encode()).hexdigest()[:3], 16) * 20 // 4096


def leaving_out_buckets(data: pd.DataFrame, cluster: str, value: Callable[[pd.DataFrame], float]) -> tuple[float, int]:
    """The standard error from the values without each bucket of clusters, and how many buckets there are."""
    buckets = data[cluster].map(lambda one: bucket("rows without a cluster" if pd.isna(one) else str(one)))
    values = [value(data[buckets != left_out]) for left_out in pd.unique(buckets)]
    count = len(values)
    return float(np.sqrt((count - 1) / count * np.sum(np.square(values - np.mean(values))))), count


def _discrimination(data: pd.DataFrame) -> float:
    rate = IsotonicRegression().fit_transform(data["score"], data["clicked"])
    return float(np.mean((rate - data["clicked"].mean()) ** 2))


#: Metrics that are not smooth, as others have them.
NOT_SMOOTH: dict[str, Callable[[pd.DataFrame], float]] = {
    "discrimination": _discrimination,
    "medae": lambda d: sk.median_absolute_error(d["clicked"], d["score"]),
}


@pytest.mark.parametrize("metric", NOT_SMOOTH)
def test_other_metrics_against_twenty_buckets(metric: str) -> None:
    data = log(rows=901)
    result = sqlmetrics.evaluate(data, metric, label="clicked", score="score", cluster="user", confidence=0.95,
                                 standard_error=True).iloc[0]  # fmt: skip
    error, count = leaving_out_buckets(data, "user", NOT_SMOOTH[metric])
    assert result[f"{metric}_se"] == pytest.approx(error, rel=1e-9, abs=1e-12)
    if metric == "medae":  # the other ends at its range, or may
        reach = stats.t(count - 1).ppf(0.975) * error
        assert result[f"{metric}_high"] - result[metric] == pytest.approx(reach, rel=1e-3)


@pytest.mark.parametrize("norm", ["l2", "max"])
def test_other_means_over_bins_against_derivatives(norm: str) -> None:
    data = log()
    result = sqlmetrics.evaluate(data, [f"off = ece(norm='{norm}')"], label="clicked", score="score", weight="w",
                                 cluster="user", confidence=0.95, standard_error=True)  # fmt: skip
    error = error_of_value(data, lambda d, w: _ece(d, w, norm), step_of("ece"), data["user"], data["w"].to_numpy())
    assert result["off_se"][0] == pytest.approx(error, rel=2e-8)


@pytest.mark.parametrize("name", ["duckdb", *slow(*ENGINES)])
def test_every_score_meets_its_threshold(name: str) -> None:
    """Counted rows are ranked; weighted ones, and those of other engines, look up their scores, infinities too."""
    data = log(rows=300).assign(one=1.0)
    tiny, above = 5e-324, np.nextafter(0.5, 1)
    data["score"] = np.resize([-np.inf, -tiny, -0.0, 0.0, tiny, 0.25, 0.5, above, 1e300, np.inf], len(data))
    given: dict[str, Any] = {"label": "clicked", "score": "score", "cluster": "user", "by": [[], ["device"]]}
    given |= {"confidence": 0.95, "standard_error": True}
    ranked = sqlmetrics.evaluate(data, "auc, average_precision", **given)
    assert ranked["average_precision_se"].between(0.001, 0.2).all()
    pd.testing.assert_frame_equal(sqlmetrics.evaluate(data, "auc, average_precision", weight="one", **given), ranked)
    if name != "duckdb":
        with ENGINES[name]({"log": pa.Table.from_pandas(data, preserve_index=False)}) as engine:
            there = sqlmetrics.evaluate("log", "auc, average_precision", engine=engine, **given)
        pd.testing.assert_frame_equal(there, ranked, rtol=1e-9, atol=1e-12)


def test_means_over_queries_against_the_t_test() -> None:
    """Without a cluster the groups are the clusters: the standard error of a mean."""
    data = log(rows=700).assign(grade=lambda d: d["clicked"] * 2)
    arguments: dict[str, Any] = {"label": "grade", "score": "score", "group": "user"}
    result = sqlmetrics.evaluate(data, ["ndcg@5", "mrr"], confidence=0.95, standard_error=True, **arguments).iloc[0]
    groups = sqlmetrics.per_group(data, ["ndcg@5", "mrr"], **arguments)
    for name in ("ndcg_at_5", "mrr"):
        assert result[f"{name}_se"] == pytest.approx(stats.sem(groups[name].dropna()), rel=1e-9)


def test_grouped_metrics_by_a_wider_cluster() -> None:
    """Sessions inside users: the influences of a user's sessions are added up."""
    data = log(rows=1200).assign(session=lambda d: d["user"] * 10 + d.index % 3)
    arguments: dict[str, Any] = {"label": "clicked", "score": "score", "group": "session"}
    result = sqlmetrics.evaluate(data, "gauc", cluster="user", confidence=0.95, standard_error=True, **arguments).iloc[
        0
    ]
    groups = sqlmetrics.per_group(data, "gauc", **arguments).dropna()
    influence = groups["n"] * (groups["gauc"] - result["gauc"]) / groups["n"].sum()
    by_user = influence.groupby(groups["session"] // 10).sum()
    count = len(by_user)
    assert result["gauc_se"] == pytest.approx(np.sqrt(count / (count - 1) * (by_user**2).sum()), rel=1e-9)


#: The patients of Turck and others (Intensive Care Medicine 36, 2010), as the R package pROC has them.
POOR_OUTCOME = """
0 0 0 0 1 1 0 1 0 0 1 0 1 1 0 0 1 0 1 1 1 0 1 0 0 0 0 0 0 0 0 0 1 0 0 1 1 0 1 1 0 0 0 0 0 0 0 0 0 1 1 0 0
0 1 0 0 0 1 0 1 0 0 1 1 1 0 1 1 0 1 1 1 1 0 0 0 1 1 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1
0 0 0 1 0 0 0
"""
S100B = """
0.13 0.14 0.1 0.04 0.13 0.1 0.47 0.16 0.18 0.1 0.12 0.1 0.44 0.71 0.04 0.08 0.49 0.04 0.07 0.33 0.09 0.09
0.07 0.11 0.07 0.17 0.07 0.11 0.13 0.19 0.05 0.16 0.41 0.14 0.34 0.35 0.48 0.09 0.96 0.25 0.5 0.46 0.16
0.07 0.43 0.45 0.11 0.08 0.09 0.86 0.52 0.08 0.06 0.13 2.07 0.1 0.14 0.15 0.07 0.06 0.77 0.05 0.09 0.3
0.03 0.09 0.04 0.23 0.7 0.09 0.27 0.71 0.08 0.26 0.08 0.16 0.09 0.13 0.1 0.08 0.11 0.33 0.11 0.28 0.07
0.1 0.32 0.22 0.07 0.05 0.24 0.38 0.1 0.15 0.08 0.14 0.1 0.07 0.04 0.19 0.56 0.14 0.58 0.32 0.82 0.74
0.15 0.47 0.17 0.44 0.15 0.5 0.48
"""
NDKA = """
3.01 8.54 8.09 10.42 17.4 12.75 6 13.2 15.54 6.01 15.96 17.86 5.18 8.9 13.41 20.75 11.6 16.11 32.37 54.82
32.41 49.94 40.34 9.47 6.29 12.53 6.54 6.3 80.3 12.8 9.8 9.81 9.85 18.21 5.03 14.04 21.93 8.02 7.42 8.38
6.59 9.63 13.12 7.96 14.34 41.43 7.63 7.06 12.59 13.56 3.87 9.44 7.66 12.98 419.19 27.19 22.27 9.95 21.22
11.73 10.4 58.83 6.39 11.09 12.22 13.67 17.21 22.63 12.9 9.7 21.57 8.23 72.57 15.54 10.51 10.6 14.57 5.19
9.63 4.61 21.48 17.3 12.71 9.44 11.07 19.46 10.83 5.37 11.97 7.75 9.83 10.55 28.49 8.53 12.57 12.9 46.83
11.68 12.67 9.01 9.57 34.06 11.72 14.26 47.61 11.67 24.58 10.33 13.87 15.89 22.43 6.79 13.45
"""
WFNS = """
1 1 1 1 3 2 5 4 1 2 5 2 5 5 1 2 5 2 2 5 2 1 1 1 1 2 1 2 1 1 3 4 2 1 4 5 4 1 4 2 5 5 1 1 2 4 1 1 2 5 5 2 1
2 5 1 2 2 2 1 5 1 1 2 5 2 1 4 5 2 4 4 1 4 1 2 1 4 2 1 2 3 2 4 2 1 4 5 1 1 5 4 2 2 1 1 1 3 1 2 5 2 2 5 5 5
2 4 4 5 1 1 1
"""


@pytest.mark.parametrize(
    ("score", "low", "value", "high"),
    [
        (NDKA, 0.5012449992717029, 0.611957994579946, 0.7226709898881892),
        (S100B, 0.63011821176162264, 0.73136856368563685, 0.83261891560965107),
        (WFNS, 0.74853488781945288, 0.82367886178861793, 0.89882283575778299),
    ],
    ids=["ndka", "s100b", "wfns"],
)
def test_auc_against_delong_as_proc_has_it(score: str, low: float, value: float, high: float) -> None:
    """ci.auc of pROC 1.18."""
    data = pd.DataFrame({"poor": POOR_OUTCOME.split(), "score": score.split()}).astype(float)
    result = sqlmetrics.auc(data, label="poor", score="score", confidence=0.95, standard_error=True).iloc[0]
    assert result["auc"] == pytest.approx(value, rel=1e-12)
    assert (result["auc_low"], result["auc_high"]) == pytest.approx((low, high), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENGINES)
def test_the_same_digits_on_every_engine(name: str) -> None:
    data = log(rows=600).assign(other=lambda d: d["score"].round(1))
    metrics = ["auc", "gini", "log_loss", "f1", "mcc", "ks", "gauc", "ndcg@5", "average_precision", "ece", "max_f1",
               "pr_auc", "medae", "r2"]  # fmt: skip
    arguments: dict[str, Any] = {"label": "clicked", "score": ["score", "other"], "group": "user", "diagnostics": True}
    arguments |= {"by": [[], ["device"]], "confidence": 0.95, "standard_error": True}
    with ENGINES[name]({"log": pa.Table.from_pandas(data, preserve_index=False)}) as engine:
        # In parts: the operators of all at once leave Spark's driver of a gigabyte no memory.
        for cluster, some in product(("user", None), (metrics[:5], metrics[5:9], metrics[9:])):
            given = {**arguments, "cluster": cluster, "group": "user" if {"gauc", "ndcg@5"} & {*some} else None}
            here = sqlmetrics.evaluate(data, some, **given)
            there = sqlmetrics.evaluate("log", some, engine=engine, **given)
            pd.testing.assert_frame_equal(here, there, rtol=1e-9, atol=1e-12, check_exact=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENGINES)
def test_classes_have_the_same_digits_on_every_engine(name: str) -> None:
    data = log(rows=600)
    sure: dict[str, Any] = {"by": [[], ["device"]], "confidence": 0.95, "standard_error": True, "diagnostics": True}
    of_frames: dict[str, list[str]] = {}
    for metric in [*OF_CLASSES, "field_ece", "field_rce"]:
        of_frames.setdefault(str(roles_of(metric)), []).append(metric)
    with ENGINES[name]({"log": pa.Table.from_pandas(data, preserve_index=False)}) as engine:
        for metrics, cluster in product(of_frames.values(), ("user", None)):
            asked = [f"metric_{place} = {one}" for place, one in enumerate(metrics)]
            given = {**sure, **roles_of(metrics[0]), "cluster": cluster, "weight": "w"}
            here = sqlmetrics.evaluate(data, asked, **given)
            there = sqlmetrics.evaluate("log", asked, engine=engine, **given)
            pd.testing.assert_frame_equal(here, there, rtol=1e-9, atol=1e-12, check_exact=False)


@pytest.mark.slow
def test_ratios_against_the_sandwich_of_statsmodels() -> None:
    models = optional.package("statsmodels.api")
    data = log()
    for metric, values in (("brier", (data["clicked"] - data["score"]) ** 2), ("mae", abs(data["y"] - data["y_hat"]))):
        fit = models.WLS(values, np.ones(len(data)), weights=data["w"]).fit(
            cov_type="cluster", cov_kwds={"groups": data["user"], "use_correction": False}
        )
        count = data["user"].nunique()
        result = sqlmetrics.evaluate(data, metric, weight="w", cluster="user", confidence=0.95, standard_error=True,
                                     **roles_of(metric))  # fmt: skip
        assert result[f"{metric}_se"][0] == pytest.approx(fit.bse.iloc[0] * np.sqrt(count / (count - 1)), rel=1e-9)


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.99, 0.9999, 0.999999])
def test_quantiles(confidence: float) -> None:
    from sqlmetrics.catalogue import builtin_catalogue
    from sqlmetrics.rendering import call_macro

    p = (1 + confidence) / 2
    assert call_macro(builtin_catalogue(), "duckdb", "normal_quantile", p) == pytest.approx(stats.norm.ppf(p), rel=1e-9)


def test_clusters_are_ids(tmp_path: Path) -> None:
    """007 in a file is not 7, and NaN is no user any more than NULL is."""
    sure: dict[str, Any] = {"label": "y", "score": "s", "cluster": "u", "confidence": 0.9, "diagnostics": True}
    path = tmp_path / "log.csv"
    path.write_text("y,s,u\n" + "".join(f"{i % 2},0.{i % 7 + 1},{('007', '7', '8')[i % 3]}\n" for i in range(60)))
    users = pa.array([1.0, float("nan"), None, 2.0, 3.0, 4.0] * 10)
    table = pa.table({"y": [0, 1] * 30, "s": [0.2, 0.6, 0.4] * 20, "u": users})
    for metric in ("log_loss", "auc", "ks"):
        assert sqlmetrics.evaluate(path, metric, **sure)[f"{metric}_clusters"].item() == 3
        assert sqlmetrics.evaluate(table, metric, **sure)[f"{metric}_clusters"].item() == 5


def test_undefined_and_at_the_ends() -> None:
    one = log(clusters=1, rows=50)
    sure: dict[str, Any] = {"label": "clicked", "score": "score", "cluster": "user", "confidence": 0.95}
    result = sqlmetrics.evaluate(one, ["auc", "log_loss", "ks"], **sure).iloc[0]
    assert result["auc"] > 0
    assert result[["auc_low", "auc_high", "log_loss_low", "log_loss_high", "ks_low", "ks_high"]].isna().all()
    perfect = pd.DataFrame({"clicked": [0, 1] * 30, "score": [0.2, 0.9] * 30, "user": np.arange(60)})
    result = sqlmetrics.evaluate(perfect, ["auc", "accuracy", "mcc"], **sure).iloc[0]
    assert result["auc_high"] == result["accuracy_high"] == result["mcc_high"] == 1
    nobody = perfect.assign(clicked=0)
    result = sqlmetrics.evaluate(nobody, ["auc", "recall"], **sure).iloc[0]
    assert result[["auc", "auc_low", "auc_high", "recall", "recall_low"]].isna().all()
    empty = sqlmetrics.evaluate(perfect, ["auc", "copc", "ks"], where="score > 2", **sure).iloc[0]
    assert empty["n"] == 0
    assert pd.isna(empty["auc_low"])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"confidence": 95}, "confidence must be a number between 0.5 and 0.999999"),
        ({"confidence": True}, "confidence must be a number"),
        ({"cluster": "user"}, "cluster has a meaning with confidence only"),
        ({"standard_error": True}, "standard_error has a meaning with confidence only"),
        (
            {"confidence": 0.9, "metrics": "class_confusion", "score": None, "prediction": "clicked"},
            "class_confusion is a table",
        ),
        ({"confidence": 0.9, "cluster": "nobody"}, "nobody"),
        ({"confidence": 0.9, "metrics": "max_error"}, "max_error has no interval: one row decides it"),
        ({"confidence": 0.9, "metrics": ["auc", "auc_low = gini"]}, "'auc_low' would be the name of two columns"),
        ({"confidence": 0.9, "label": None, "positives": "clicked", "total": "= 1"}, "confidence needs cluster"),
    ],
)
def test_what_is_refused(wrong: dict[str, Any], words: str) -> None:
    arguments = {"metrics": "auc", "label": "clicked", "score": "score", **wrong}
    with pytest.raises(sqlmetrics.SqlMetricsError, match=words):
        sqlmetrics.evaluate(log(), **arguments)


def test_what_has_no_interval_stands_beside_what_has() -> None:
    found = sqlmetrics.evaluate(log(), "mae, max_error", label="clicked", score="score", confidence=0.9, cluster="user")
    assert found.columns.tolist() == ["n", "mae", "mae_low", "mae_high", "max_error"]


# What it takes


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize("by", [None, "device"])
def test_moved_sums_of_slices_are_kept_apart_on_duckdb(by: str | None, dialect: str) -> None:
    """DuckDB 2.0 takes ten times as long to plan the intervals of many metrics by slice where it adds up below them."""
    statement = sqlmetrics.render(
        "brier, log_loss, copc", relation="impressions", label="clicked", score="pctr", by=by, confidence=0.9,
        cluster="user_id", dialect=dialect,
    )  # fmt: skip
    [moved] = re.findall(r"^rows_moved as .*?^\)", statement, re.DOTALL | re.MULTILINE)
    assert moved.rstrip(")\n").endswith("offset 0") == (dialect == "duckdb" and by is not None)


def calls_by_groups() -> list[Call]:
    """Of each frame that needs groups, on each kind of data, the first metric."""
    found: dict[Any, Call] = {}
    for call in calls():
        for one in call.asked:
            if not one.metric.table and one.metric.roles().get("group") and call.kind != "pre-aggregated":
                alone = Call(f"{call.kind}: {one.name}", call.kind, (one,), call.only_roles(one))
                found.setdefault((call.kind, one.metric.frames), alone)
    return list(found.values())


@pytest.mark.one_in(3)
@pytest.mark.parametrize("method", ["jackknife", *slow("bootstrap")])
@pytest.mark.parametrize("call", by_tier(calls_by_groups()))
def test_what_needs_groups_has_them_for_clusters(call: Call, method: str) -> None:
    """A list without one of its items is another list, and an item that lost a rating is another item."""
    data = sample(call.kind, rows=200)
    asked: dict[str, Any] = {"confidence": 0.95, "by": "device", "diagnostics": True, "method": method}
    asked |= {"relations": relations_of(data, call.kind)}
    if call.kind.startswith("judged") and method == "bootstrap":
        asked["method"] = "jackknife"
    found = call.evaluate(arrow(data), **asked)
    named = call.evaluate(arrow(data), **asked, cluster=call.roles["group"])
    assert differences(found, named, 1e-9) == []
    clusters = next(column for column in found if column.endswith("_clusters"))
    assert found[clusters].max() <= data[call.roles["group"]].nunique()


def test_lists_beside_what_is_made_of_rows() -> None:
    """Each has its own clusters, in one statement."""
    rng = np.random.default_rng(2)
    data = pd.DataFrame({"user": rng.integers(0, 30, 300), "ad": rng.integers(0, 50, 300), "score": rng.random(300)})
    data = data.drop_duplicates(["user", "ad"]).assign(spent=lambda rows: rng.random(len(rows)))
    roles: dict[str, Any] = {"label": "spent", "score": "score", "confidence": 0.95, "diagnostics": True}
    lists: dict[str, Any] = {"group": "user", "item": "ad", "catalog": pd.DataFrame({"ad": range(60)})}
    [both] = sqlmetrics.evaluate(data, "medae, coverage", **roles, **lists).to_dict("records")
    [alone] = sqlmetrics.evaluate(data, "medae", **roles).to_dict("records")
    [listed] = sqlmetrics.evaluate(data, "coverage", score="score", confidence=0.95, diagnostics=True, **lists).to_dict(
        "records"
    )
    assert both["medae_clusters"] == len(data)
    assert both["coverage_clusters"] == data["user"].nunique()
    for name in ("low", "high"):
        assert both[f"medae_{name}"] == pytest.approx(alone[f"medae_{name}"], rel=1e-12)
        assert both[f"coverage_{name}"] == pytest.approx(listed[f"coverage_{name}"], rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("gaps", [False, True])
def test_lists_are_compared_by_lists(gaps: bool) -> None:
    rng = np.random.default_rng(5)
    data = pd.DataFrame({"user": rng.integers(0, 40, 600), "ad": rng.integers(0, 50, 600), "a": rng.random(600)})
    data = data.drop_duplicates(["user", "ad"])
    data = data.assign(b=rng.random(len(data)), device=np.where(data["user"] % 2, "phone", "desktop"))
    asked: dict[str, Any] = {"group": "user", "item": "ad", "catalog": pd.DataFrame({"ad": range(60)})}

    def ask(**cluster: str) -> pd.DataFrame:
        if gaps:
            return sqlmetrics.gaps(data, "coverage(k=3)", by="device", score="a", confidence=0.95, **asked, **cluster)
        return sqlmetrics.compare(data, "coverage(k=3)", score=["a", "b"], **asked, **cluster)

    found = ask()
    pd.testing.assert_frame_equal(found, ask(cluster="user"), rtol=1e-9)
    assert found["clusters"].max() <= 40


@pytest.mark.parametrize("by_user", [True, False])
def test_sums_that_cancel_leave_the_others_their_intervals(by_user: bool) -> None:
    """A mean of errors that is 0 but for its last bits took the width from whatever was asked for beside it."""
    rng = np.random.default_rng(8)
    errors = rng.normal(size=400)
    truth, user = rng.normal(size=800), np.tile(np.arange(80), 10)
    data = pd.DataFrame({"y": truth, "score": truth + np.concatenate([errors, -errors]), "user": user})
    asked: dict[str, Any] = {"label": "y", "score": "score", "confidence": 0.95, "standard_error": True}
    if by_user:
        asked["cluster"] = "user"
    names = ["rmse", "mean_error", "mae", "mse"]
    together = sqlmetrics.evaluate(data, names, **asked)
    assert abs(together["mean_error"][0]) < 1e-15
    error = data["score"] - data["y"]
    for name, parts in (("mse", error**2), ("mae", error.abs()), ("mean_error", error)):
        # The influence of a row on a mean, added up by cluster.
        influence = ((parts - parts.mean()) / len(data)).groupby(data["user"] if by_user else data.index).sum()
        clusters = len(influence)
        expected = np.sqrt(clusters / (clusters - 1) * (influence**2).sum())
        assert together[f"{name}_se"][0] == pytest.approx(expected, rel=1e-8), name
    assert together["rmse_se"][0] == pytest.approx(together["mse_se"][0] / (2 * together["rmse"][0]), rel=1e-8)
    # The residuals of a doubly robust estimate that is right cancel, beside the values that it adds them to.
    actions = pd.DataFrame({
        "reward": 0.5 + np.concatenate([errors, -errors]), "propensity": 0.5, "target": 0.5, "q_action": 0.5,
        "q_policy": truth, "user": user,
    })  # fmt: skip
    roles = {name: name for name in ("reward", "propensity", "target", "q_action", "q_policy")}
    further = {name: asked[name] for name in asked if name not in ("label", "score")}
    found = sqlmetrics.evaluate(actions, "sndr, doubly_robust", **roles, **further)
    assert found["sndr_se"][0] == pytest.approx(found["doubly_robust_se"][0], rel=1e-6)


#: Metrics whose intervals come from buckets, and what stands beside them that uses rows which they do not.
_BESIDE = {
    **dict.fromkeys(
        ["miscalibration", "pr_auc", "partial_auc(max_fpr=0.5)", "discrimination", "cal_n", "emax"], "selection_rate"
    ),
    **dict.fromkeys(["gc_n", "field_ece", "field_rce"], "brier"),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("options", [{}, {"method": "bootstrap", "replicates": 20}], ids=["buckets", "bootstrap"])
@pytest.mark.parametrize("metric", _BESIDE)
def test_an_interval_is_that_of_the_metric_alone(metric: str, options: dict[str, Any]) -> None:
    """Clusters of which a metric uses no row tell nothing of it, whatever is asked for beside it."""
    draw = np.random.default_rng(1)
    users = draw.integers(0, 30, 300)
    log = pd.DataFrame({"user": users, "s": draw.random(300).round(2), "t": draw.random(300).round(2)})
    log["y"] = (draw.random(300) < log["s"]).astype(float)
    missing = "f" if _BESIDE[metric] == "brier" else "y"
    log["f"] = draw.choice(["a", "b", "c"], 300)
    log.loc[users > 4, missing] = None
    roles: dict[str, Any] = {"label": "y", "score": ["s", "t"], "cluster": "user", **options}
    if missing == "f":
        roles["field"] = "f"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sqlmetrics.DroppedRows)
        for ask in (
            functools.partial(sqlmetrics.evaluate, confidence=0.9, standard_error=True, diagnostics=True),
            sqlmetrics.compare,
        ):
            alone = ask(log, ["m = " + metric], **roles)
            beside = ask(log, ["m = " + metric, _BESIDE[metric]], **roles)
            if "metric" in beside.columns:
                beside = beside[beside["metric"] == "m"].reset_index(drop=True)
                assert list(alone["clusters"]) == [5]
            columns = [one for one in alone.columns if one.startswith(("m", "diff", "p_value", "clusters"))]
            pd.testing.assert_frame_equal(alone[columns], beside[columns])


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("metric", "label"), [("recall", 0), ("precision", 0), ("specificity", 1), ("f1", 0)])
@pytest.mark.parametrize("filled", [0, 1])
def test_a_value_that_fills_in_is_as_sure_alone_as_beside_others(metric: str, label: int, filled: int) -> None:
    """And as unsure: of rows that add nothing to any of its sums there is no cluster behind the value."""
    rows = pd.DataFrame({"y": [label] * 6, "s": [0.1, 0.2, 0.3] * 2, "t": [0.3, 0.1, 0.2] * 2, "u": [1, 1, 2, 2, 3, 3]})
    if label:
        rows[["s", "t"]] += 0.6
    asked = {"name": metric, "zero_division": filled, "as": "m"}
    for metrics in ([asked], [asked, "accuracy"]):
        found = sqlmetrics.evaluate(rows, metrics, label="y", score="s", cluster="u", confidence=0.9)
        assert found["m"].item() == filled
        assert found[["m_low", "m_high"]].isna().all(axis=None)
        compared = sqlmetrics.compare(rows, metrics, label="y", score=["s", "t"], cluster="u").iloc[0]
        assert compared[["p_value", "verdict"]].isna().all()
        assert (compared["difference"], compared["clusters"]) == (0, 0)
