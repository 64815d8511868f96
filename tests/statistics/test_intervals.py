"""Intervals: against derivatives, jackknives and sandwich formulas of scikit-learn, SciPy and statsmodels."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
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
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests import optional
from tests.compare import differences
from tests.data import arrow, relations_of, sample
from tests.parameters import slow
from tests.variants import Call, calls, quiet

#: The patients of Turck and others (Intensive Care Medicine 36, 2010), as the R package pROC has them.
PATIENTS = pd.read_csv(Path(__file__).with_name("asah.csv"))

Weights = Any
Value = Callable[[pd.DataFrame, Weights], float]


def log(rows: int = 400, clusters: int = 30, seed: int = 4) -> pd.DataFrame:
    """Clicks of users with the tied scores of two models; one category is never predicted and another never true."""
    rng = np.random.default_rng(seed)
    user = rng.integers(0, clusters, rows)
    logit = rng.normal(-0.5, 1, rows)
    clicked = rng.random(rows) < 1 / (1 + np.exp(-(logit + rng.normal(0, 0.8, clusters)[user])))
    data = pd.DataFrame({
        "clicked": clicked.astype(float), "score": (1 / (1 + np.exp(-logit))).round(2).clip(0.01, 0.99), "user": user,
        "w": rng.integers(1, 6, rows) / 4, "y": rng.normal(3, 1, rows), "y_hat": rng.normal(3, 1, rows).round(1),
        "device": rng.choice(["a", "b", None], rows),
    })  # fmt: skip
    category = rng.choice([*"bcdef"], rows, p=[0.3, 0.25, 0.2, 0.2, 0.05])
    correct = (rng.random(rows) < 0.4 + user % 3 / 5) & (category != "f")
    predicted = np.where(correct, category, rng.choice([*"abcde"], rows))
    stars = dict(zip("abcdef", (1, 2, 3, 5, 8, 9), strict=True))
    noise = np.random.default_rng(seed + 1)
    return data.assign(
        category=category, predicted=predicted, stars=[stars[name] for name in category],
        predicted_stars=[stars[name] for name in predicted],
        other=(data["score"] * 0.7 + noise.normal(0, 0.1, rows) + 0.1).clip(0.02, 0.98).round(2),
        other_hat=data["y_hat"] + noise.normal(0, 0.4, rows).round(1),
    )  # fmt: skip


def _f1_by_threshold(data: pd.DataFrame, w: Weights) -> tuple[Any, Any]:
    precision, recall, thresholds = sk.precision_recall_curve(data["clicked"], data["score"], sample_weight=w)
    return 2 * precision * recall / np.maximum(precision + recall, 1e-300), thresholds


def _ece(norm: str) -> Value:
    def value(data: pd.DataFrame, w: Weights) -> float:
        bins = np.minimum(np.floor(data["score"] * 10 + 1e-9), 9).astype(int)
        weight, off = np.bincount(bins, w, 10), np.bincount(bins, w * (data["clicked"] - data["score"]), 10)
        share, gap = weight[weight > 0] / w.sum(), np.abs(off[weight > 0] / weight[weight > 0])
        return float({"l1": share @ gap, "l2": np.sqrt(share @ gap**2), "max": gap.max()}[norm])

    return value


def _field_error(relative: bool) -> Value:
    def value(data: pd.DataFrame, w: Weights) -> float:
        columns = pd.DataFrame({"w": w, "pos": w * data["clicked"], "score": w * data["score"]})
        sums = columns.groupby(data["category"]).sum()
        sums = sums[sums["pos"] > 0] if relative else sums
        off = (sums["score"] - sums["pos"]).abs()
        return float(((sums["w"] * off / sums["pos"]) if relative else off).sum() / sums["w"].sum())

    return value


def _of(function: Callable[..., float], label: str = "clicked", score: str = "score", **options: Any) -> Value:
    return lambda d, w: function(d[label], d[score], sample_weight=w, **options)


def _of_calls(function: Callable[..., float]) -> Value:
    return lambda d, w: function(d["clicked"], (d["score"] >= 0.5) * 1.0, sample_weight=w)


REGRESSION: dict[str, Value] = {
    "mae": _of(sk.mean_absolute_error, "y", "y_hat"),
    "rmse": _of(sk.root_mean_squared_error, "y", "y_hat"),
    "r2": _of(sk.r2_score, "y", "y_hat"),
    "explained_variance": _of(sk.explained_variance_score, "y", "y_hat"),
    "pearson_correlation": lambda d, w: (
        (c := np.cov(d["y"], d["y_hat"], aweights=w))[0, 1] / np.sqrt(c[0, 0] * c[1, 1])
    ),
}
#: A smooth metric, and its value as a function of weights by another library.
SMOOTH: dict[str, Value] = {
    "auc": _of(sk.roc_auc_score),
    "average_precision": _of(sk.average_precision_score),
    "gini": lambda d, w: 2 * sk.roc_auc_score(d["clicked"], d["score"], sample_weight=w) - 1,
    "log_loss": _of(sk.log_loss),
    "brier": _of(sk.brier_score_loss),
    "copc": lambda d, w: float((w * d["clicked"]).sum() / (w * d["score"]).sum()),
    "normalized_entropy": lambda d, w: _of(sk.log_loss)(d, w) / stats.entropy(np.bincount(d["clicked"].astype(int), w)),
    "accuracy": _of_calls(sk.accuracy_score),
    "precision": _of_calls(sk.precision_score),
    "recall": _of_calls(sk.recall_score),
    "f1": _of_calls(sk.f1_score),
    "mcc": _of_calls(sk.matthews_corrcoef),
    "balanced_accuracy": _of_calls(sk.balanced_accuracy_score),
    "d2_tweedie": _of(sk.d2_tweedie_score, power=1.5),
    "ks": lambda d, w: np.subtract(*sk.roc_curve(d["clicked"], d["score"], sample_weight=w)[1::-1]).max(),
    "max_f1": lambda d, w: np.max(_f1_by_threshold(d, w)[0]),
    "ece": _ece("l1"),
    "ece(norm='l2')": _ece("l2"),
    "ece(norm='max')": _ece("max"),
    "field_ece": _field_error(relative=False),
    "field_rce": _field_error(relative=True),
    **REGRESSION,
}


def _over_classes(name: str, average: str) -> Value:
    return _of(getattr(sk, f"{name}_score"), "category", "predicted", average=average, zero_division=0)


#: The same for metrics over predicted classes.
CLASS_METRICS: dict[str, Value] = {
    **{f"{average}_{name}": _over_classes(name, average) for average in ("macro", "micro", "weighted")
       for name in ("precision", "recall", "f1")},
    "macro_f1(form='f1_of_means')": lambda d, w: stats.hmean([_over_classes(name, "macro")(d, w)
                                                               for name in ("precision", "recall")]),
    "cohens_kappa": _of(sk.cohen_kappa_score, "category", "predicted"),
    "multi_mcc": _of(sk.matthews_corrcoef, "category", "predicted"),
    # As balanced_accuracy_score, which warns of predicted classes that are never true.
    "multi_balanced_accuracy": lambda d, w: sk.recall_score(
        d["category"], d["predicted"], labels=sorted(set(d["category"])), average="macro", sample_weight=w),
    "weighted_kappa(weights='linear')": _of(sk.cohen_kappa_score, "stars", "predicted_stars", weights="linear"),
    "weighted_kappa(weights='quadratic')": _of(sk.cohen_kappa_score, "stars", "predicted_stars", weights="quadratic"),
}  # fmt: skip
VALUES = {**SMOOTH, **CLASS_METRICS}


def _predicted_at_best(data: pd.DataFrame, w: Weights) -> Any:
    f1, thresholds = _f1_by_threshold(data, w)
    return data["score"] >= thresholds[np.flatnonzero(f1 >= f1.max() - 1e-12)[-1]]


#: Which rows contribute to a metric, where not all do: a negative below all positives has no average precision.
CONTRIBUTING: dict[str, Callable[[pd.DataFrame, Weights], Any]] = {
    "precision": lambda d, _: d["score"] >= 0.5,
    "recall": lambda d, _: d["clicked"] == 1,
    "f1": lambda d, _: (d["clicked"] == 1) | (d["score"] >= 0.5),
    "max_f1": lambda d, w: (d["clicked"] == 1) | _predicted_at_best(d, w),
    "average_precision": lambda d, _: d["score"] >= d["score"][d["clicked"] == 1].min(),
}


def contributing_rows(metric: str, data: pd.DataFrame, weights: Weights) -> Any:
    rows = CONTRIBUTING[metric](data, weights) if metric in CONTRIBUTING else weights > 0
    return np.asarray(rows)


def step_of(metric: str) -> float:
    """The step of a derivative; a larger one may change the best threshold or the sign of a bin."""
    return 2e-4 if metric.startswith(("ks", "max_f1", "ece", "field_")) else 5e-3


def roles_of(metric: str) -> dict[str, str]:
    if "kappa(" in metric:
        return {"label": "stars", "prediction": "predicted_stars"}
    if metric in CLASS_METRICS:
        return {"label": "category", "prediction": "predicted"}
    if metric in REGRESSION:
        return {"label": "y", "score": "y_hat"}
    return {"label": "clicked", "score": "score"} | ({"field": "category"} if metric.startswith("field_") else {})


def metric_groups(metrics: Iterable[str]) -> list[list[str]]:
    """The metrics that one statement computes together: those of the same roles and steps."""
    groups: dict[Any, list[str]] = {}
    for metric in metrics:
        groups.setdefault((str(roles_of(metric)), step_of(metric)), []).append(metric)
    return list(groups.values())


def named(metrics: Iterable[str]) -> list[str]:
    """The metrics under the names m0, m1, …"""
    return [f"m{index} = {metric}" for index, metric in enumerate(metrics)]


def influences(value: Callable[[Weights], float], cluster: Any, step: float = 5e-3, weights: Weights = 1.0) -> Any:
    """The derivatives of a value by the weight of each cluster, at two steps and extrapolated."""
    derivatives = {}
    for name in pd.unique(cluster):
        mask = np.asarray(cluster == name, dtype=float)
        narrow, wide = ((value(weights * (1 + h * mask)) - value(weights * (1 - h * mask))) / (2 * h)
                        for h in (step, 2 * step))  # fmt: skip
        derivatives[name] = (4 * narrow - wide) / 3
    return pd.Series(derivatives)


def clustered_error(derivatives: Any, count: int | None = None) -> float:
    """√(C / (C - 1) · Σ e²) over the influences of C clusters."""
    count = len(derivatives) if count is None else count
    return float(np.sqrt(count / (count - 1) * np.sum(np.square(derivatives))))


@pytest.mark.parametrize("metrics", metric_groups(VALUES), ids=lambda group: group[0])
@pytest.mark.parametrize("weight", ["w", *slow(None)])
def test_standard_errors_of_clusters_match_derivatives(metrics: list[str], weight: str | None) -> None:
    rows = log(150, 8)
    options: dict[str, Any] = {**roles_of(metrics[0]), "cluster": "user", "confidence": 0.9, "standard_error": True}
    options |= {"weight": weight} if weight else {}
    row = sqlmetrics.evaluate(rows, named(metrics), **options).iloc[0]
    weights = rows[weight].to_numpy() if weight else np.ones(len(rows))
    for index, metric in enumerate(metrics):
        value = functools.partial(VALUES[metric], rows)
        error = clustered_error(influences(value, rows["user"], step_of(metric), weights))
        assert row[f"m{index}"] == pytest.approx(value(weights), rel=1e-9), metric
        assert row[f"m{index}_se"] == pytest.approx(error, rel=5e-8), metric


@pytest.mark.parametrize("metrics", slow(*metric_groups(VALUES)), ids=lambda group: group[0])
def test_standard_errors_of_rows_match_derivatives(metrics: list[str]) -> None:
    """Without a cluster each row is one."""
    rows = log(150, 8).head(20 if metrics[0] in CLASS_METRICS else 40 if step_of(metrics[0]) < 1e-3 else 16)
    row = sqlmetrics.evaluate(rows, named(metrics), confidence=0.9, standard_error=True, **roles_of(metrics[0])).iloc[0]
    ones = np.ones(len(rows))
    for index, metric in enumerate(metrics):
        if metric not in ("auc", "gini"):  # which have the two samples of DeLong's test
            slopes = influences(functools.partial(VALUES[metric], rows), rows.index, step_of(metric), ones)
            error = clustered_error(slopes, contributing_rows(metric, rows, ones).sum())
            tolerance = 1e-9 if metric in CLASS_METRICS else 2e-8
            assert row[f"m{index}_se"] == pytest.approx(error, rel=tolerance), metric


def rows_of_slice(data: pd.DataFrame, row: Any) -> pd.DataFrame:
    """The rows behind a row of a result by the groupings [[], ["device"]]."""
    if row["grouping"] == "overall":
        return data
    return data[data["device"].isna() if pd.isna(row["device"]) else data["device"] == row["device"]]


_BOOTSTRAP = {"method": "bootstrap", "replicates": 24}


@pytest.mark.parametrize(("metrics", "options"), slow(
    (["auc", "log_loss", "ks"], {}), (["auc", "log_loss", "ks"], _BOOTSTRAP), (["field_ece", "field_rce"], {}),
    (["macro_f1", "cohens_kappa", "multi_mcc"], {}), (["weighted_kappa(weights='linear')"], {}),
))  # fmt: skip
def test_intervals_of_slices_match_their_rows_alone(metrics: list[str], options: dict[str, Any]) -> None:
    data = log().assign(other=lambda d: d["score"].round(1))
    roles: dict[str, Any] = roles_of(metrics[0])
    models = ["score", "other"] if "score" in roles else [None]
    options = {"cluster": "user", "confidence": 0.95, "standard_error": True, "diagnostics": True, **options}
    result = sqlmetrics.evaluate(data, named(metrics), by=[[], ["device"]], **options,
                                 **roles | ({"score": models} if "score" in roles else {}))  # fmt: skip
    assert len(result) == 4 * len(models)
    for row in result.to_dict("records"):
        part = rows_of_slice(data, row)
        roles_alone = roles | ({"score": row["model"]} if "score" in roles else {})
        alone = sqlmetrics.evaluate(part, named(metrics), **options, **roles_alone).iloc[0]
        assert [row[name] for name in alone.index] == pytest.approx(alone.tolist(), rel=1e-9)
        assert row["m0_clusters"] == part["user"].nunique()


def test_class_metrics_without_a_value_have_no_interval() -> None:
    """A single class has no kappa; a class that is never predicted keeps precision 0."""
    single = pd.DataFrame({"category": ["a"] * 8, "predicted": ["a"] * 8, "user": [1, 2] * 4})
    options: dict[str, Any] = {"label": "category", "prediction": "predicted", "cluster": "user", "confidence": 0.95}
    options["standard_error"] = True
    row = sqlmetrics.evaluate(single, "cohens_kappa, multi_mcc, macro_f1, macro_precision", **options).iloc[0]
    assert row.filter(regex="kappa|mcc").isna().all()
    assert row["macro_f1"] == 1
    assert row[["macro_f1_low", "macro_f1_high", "macro_f1_se"]].isna().all()
    constant = pd.DataFrame({"category": ["a", "b"] * 4, "predicted": ["a"] * 8, "user": [1, 2, 3, 4] * 2})
    row = sqlmetrics.evaluate(constant, "macro_recall, macro_precision", **options).iloc[0]
    assert row["macro_recall"] == 0.5
    assert pd.isna(row["macro_recall_se"])
    value = functools.partial(_over_classes("precision", "macro"), constant)
    assert row["macro_precision_se"] == pytest.approx(clustered_error(influences(value, constant["user"])), rel=1e-9)


@pytest.mark.parametrize("smooth", slow(True, False))
def test_registered_class_metric_has_interval(smooth: bool, tmp_path: Path) -> None:
    """A metric over `sum_of` is differentiated; any other one is computed without each bucket."""
    root, path = "sqrt(tp / nullif(tp + fn, 0))", tmp_path / "mean_root.sql"
    body = f"{{{{ sqlmetrics.mean_of(m, '{root}') }}}}" if smooth else f"avg({root})"
    text = builtin_catalogue().metrics["macro_recall"].path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"{{ sqlmetrics.mean_of.*?}}", body, text.replace("macro_recall__", "mean_root__")))
    sqlmetrics.register(path)
    data = log(400, 25)

    def value(rows: pd.DataFrame, w: Weights = 1.0) -> float:
        correct = np.array(rows["category"] == rows["predicted"])
        members = [np.array(rows["category"] == name) for name in rows["category"].unique()]
        return float(np.mean([np.sqrt((w * correct * member).sum() / (w * member).sum()) for member in members]))

    row = sqlmetrics.evaluate(data, "mean_root", **roles_of("macro_recall"), cluster="user", confidence=0.9,
                              standard_error=True).iloc[0]  # fmt: skip
    slopes = influences(functools.partial(value, data), data["user"])
    error = clustered_error(slopes) if smooth else leaving_out_buckets(data, "user", value)[0]
    assert row["mean_root"] == pytest.approx(value(data), rel=1e-12)
    assert row["mean_root_se"] == pytest.approx(error, rel=1e-9)


def bucket(name: str) -> int:
    return int(hashlib.md5(name.encode()).hexdigest()[:3], 16) * 20 // 4096


def leaving_out_buckets(data: pd.DataFrame, cluster: str, value: Callable[[pd.DataFrame], float]) -> tuple[float, int]:
    """The standard error from the values without each bucket of clusters, and the number of buckets."""
    buckets = data[cluster].map(lambda name: bucket("rows without a cluster" if pd.isna(name) else str(name)))
    values = [value(data[buckets != left_out]) for left_out in pd.unique(buckets)]
    count = len(values)
    return float(np.sqrt((count - 1) / count * np.sum(np.square(values - np.mean(values))))), count


def _discrimination(data: pd.DataFrame) -> float:
    rate = IsotonicRegression().fit_transform(data["score"], data["clicked"])
    return float(np.mean((rate - data["clicked"].mean()) ** 2))


#: Metrics without a derivative, by other libraries.
BUCKETED: dict[str, Callable[[pd.DataFrame], float]] = {
    "discrimination": _discrimination,
    "medae": lambda d: sk.median_absolute_error(d["clicked"], d["score"]),
}


def test_bucketed_metrics_match_jackknife() -> None:
    data = log(rows=901)
    row = sqlmetrics.evaluate(data, [*BUCKETED], label="clicked", score="score", cluster="user", confidence=0.95,
                              standard_error=True).iloc[0]  # fmt: skip
    errors = {metric: leaving_out_buckets(data, "user", value) for metric, value in BUCKETED.items()}
    for metric, (error, _) in errors.items():
        assert row[f"{metric}_se"] == pytest.approx(error, rel=1e-9, abs=1e-12), metric
    error, count = errors["medae"]  # the interval of discrimination may end at its range
    assert row["medae_high"] - row["medae"] == pytest.approx(stats.t(count - 1).ppf(0.975) * error, rel=1e-3)


def extreme_scores() -> pd.DataFrame:
    data = log(rows=300).assign(constant=1.0)
    scores = [-np.inf, -5e-324, -0.0, 0.0, 5e-324, 0.25, 0.5, np.nextafter(0.5, 1), 1e300, np.inf]
    return data.assign(score=np.resize(scores, len(data)))


EXTREMES: dict[str, Any] = {"metrics": "auc, average_precision", "label": "clicked", "score": "score",
                            "cluster": "user", "by": [[], ["device"]], "confidence": 0.95,
                            "standard_error": True}  # fmt: skip


def test_extreme_scores_meet_their_thresholds() -> None:
    """Counted rows are ranked, weighted ones look up their scores."""
    ranked = sqlmetrics.evaluate(extreme_scores(), **EXTREMES)
    assert ranked["average_precision_se"].between(0.001, 0.2).all()
    pd.testing.assert_frame_equal(sqlmetrics.evaluate(extreme_scores(), weight="constant", **EXTREMES), ranked)


def test_grouped_intervals_match_errors_of_means() -> None:
    """Without a cluster the groups are the clusters; a wider cluster adds up the influences of its groups."""
    data = log(rows=1200).assign(grade=lambda d: d["clicked"] * 2, session=lambda d: d["user"] * 10 + d.index % 3)
    roles: dict[str, Any] = {"label": "grade", "score": "score", "group": "user"}
    row = sqlmetrics.evaluate(data, "ndcg@5, mrr", confidence=0.95, standard_error=True, **roles).iloc[0]
    groups = sqlmetrics.per_group(data, "ndcg@5, mrr", **roles)
    for name in ("ndcg_at_5", "mrr"):
        assert row[f"{name}_se"] == pytest.approx(stats.sem(groups[name].dropna()), rel=1e-9)
    roles = {"label": "clicked", "score": "score", "group": "session"}
    row = sqlmetrics.evaluate(data, "gauc", cluster="user", confidence=0.95, standard_error=True, **roles).iloc[0]
    groups = sqlmetrics.per_group(data, "gauc", **roles).dropna()
    influence = groups["n"] * (groups["gauc"] - row["gauc"]) / groups["n"].sum()
    assert row["gauc_se"] == pytest.approx(clustered_error(influence.groupby(groups["session"] // 10).sum()), rel=1e-9)


def test_auc_interval_matches_delong_of_proc() -> None:
    """ci.auc of pROC 1.18."""
    expected = {
        "ndka": (0.611957994579946, 0.5012449992717029, 0.7226709898881892),
        "s100b": (0.73136856368563685, 0.63011821176162264, 0.83261891560965107),
        "wfns": (0.82367886178861793, 0.74853488781945288, 0.89882283575778299),
    }
    result = sqlmetrics.auc(PATIENTS, label="poor", score=[*expected], confidence=0.95).set_index("model")
    for model, values in expected.items():
        assert result.loc[model, ["auc", "auc_low", "auc_high"]].tolist() == pytest.approx(values, rel=1e-12), model


@pytest.mark.slow
def test_standard_errors_match_sandwich_of_statsmodels() -> None:
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


def test_cluster_ids_keep_their_text(tmp_path: Path) -> None:
    """007 in a file is not 7, and NaN is as missing as NULL."""
    options: dict[str, Any] = {"label": "y", "score": "s", "cluster": "u", "confidence": 0.9, "diagnostics": True}
    path = tmp_path / "log.csv"
    path.write_text("y,s,u\n" + "".join(f"{i % 2},0.{i % 7 + 1},{('007', '7', '8')[i % 3]}\n" for i in range(60)))
    users = pa.array([1.0, float("nan"), None, 2.0, 3.0, 4.0] * 10)
    table = pa.table({"y": [0, 1] * 30, "s": [0.2, 0.6, 0.4] * 20, "u": users})
    for data, count in ((path, 3), (table, 5)):
        row = sqlmetrics.evaluate(data, "log_loss, auc, ks", **options).iloc[0]
        assert row.filter(like="_clusters").tolist() == [count] * 3


def test_intervals_of_undefined_and_extreme_values() -> None:
    options: dict[str, Any] = {"label": "clicked", "score": "score", "cluster": "user", "confidence": 0.95}
    row = sqlmetrics.evaluate(log(clusters=1, rows=50), "auc, log_loss, ks, mae, max_error", **options).iloc[0]
    assert row["auc"] > 0
    assert row[["auc_low", "auc_high", "log_loss_low", "log_loss_high", "ks_low", "ks_high"]].isna().all()
    assert row.index.tolist()[-4:] == ["mae", "mae_low", "mae_high", "max_error"]  # which has no interval
    perfect = pd.DataFrame({"clicked": [0, 1] * 30, "score": [0.2, 0.9] * 30, "user": np.arange(60)})
    row = sqlmetrics.evaluate(perfect, "auc, accuracy, mcc", **options).iloc[0]
    assert row["auc_high"] == row["accuracy_high"] == row["mcc_high"] == 1
    row = sqlmetrics.evaluate(perfect.assign(clicked=0), "auc, recall", **options).iloc[0]
    assert row[["auc", "auc_low", "auc_high", "recall", "recall_low"]].isna().all()
    empty = sqlmetrics.evaluate(perfect, "auc, copc, ks", where="score > 2", **options).iloc[0]
    assert empty["n"] == 0
    assert pd.isna(empty["auc_low"])


_DRAWN = {"confidence": 0.9, "cluster": "user", "method": "bootstrap"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"confidence": 95}, "confidence must be a number between 0.5 and 0.999999"),
        ({"confidence": True}, "confidence must be a number"),
        ({"cluster": "user"}, "cluster has a meaning with confidence only"),
        ({"standard_error": True}, "standard_error has a meaning with confidence only"),
        ({"confidence": 0.9, "metrics": "class_confusion", "score": None, "prediction": "clicked"},
         "class_confusion is a table whose columns have no interval"),
        ({"confidence": 0.9, "cluster": "nobody"}, "nobody"),
        ({"confidence": 0.9, "metrics": "max_error"}, "max_error has no interval: one row decides it"),
        ({"confidence": 0.9, "metrics": ["auc", "auc_low = gini"]}, "'auc_low' would be the name of two columns"),
        ({"confidence": 0.9, "metrics": "roc_curve", "by": "tpr_low = device"}, "tpr_low"),
        *[({"confidence": 0.9, "metrics": metric, "label": None, "positives": "clicked", "total": "= 1"},
           "confidence needs cluster") for metric in ("auc", "roc_curve")],
        ({"method": "bootstrap"}, "method has a meaning with confidence only"),
        ({**_DRAWN, "method": "percentile"}, "method must be 'jackknife' or 'bootstrap', not 'percentile'"),
        ({**_DRAWN, "method": ["bootstrap"]}, "method must be 'jackknife' or 'bootstrap'"),
        ({**_DRAWN, "method": np.array([1, 2])}, "method must be 'jackknife' or 'bootstrap'"),
        ({**_DRAWN, "method": None, "replicates": 100}, "replicates has a meaning with method='bootstrap' only"),
        ({**_DRAWN, "method": "jackknife", "seed": 100}, "seed has a meaning with method='bootstrap' only"),
        ({**_DRAWN, "replicates": 19}, "replicates must be a whole number from 20 to 10000, as in 200, not 19"),
        *[({**_DRAWN, "replicates": value}, "replicates must be a whole number")
          for value in (10_001, 200.0, 200.5, True, "200", Decimal(30))],
        *[({**_DRAWN, "seed": value}, "seed must be a whole number from 0") for value in (-1, "now")],
        ({**_DRAWN, "metrics": "roc_curve"}, "method='bootstrap': roc_curve is a table"),
    ],
)  # fmt: skip
def test_evaluate_rejects_invalid_interval_arguments(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(sqlmetrics.SqlMetricsError, match=message):
        sqlmetrics.evaluate(log(), **{"metrics": "auc", "label": "clicked", "score": "score", **changes})


@pytest.mark.parametrize(("dialect", "by"), [("duckdb", None), ("duckdb", "device"), ("postgres", "device")])
def test_duckdb_fences_perturbed_sums_of_slices(by: str | None, dialect: str) -> None:
    """DuckDB 2.0 plans the intervals of many metrics by slice ten times faster with a fence above the sums."""
    statement = sqlmetrics.render("brier, log_loss, copc", relation="impressions", label="clicked", score="pctr",
                                  by=by, confidence=0.9, cluster="user_id", dialect=dialect)  # fmt: skip
    [moved] = re.findall(r"^rows_moved as .*?^\)", statement, re.DOTALL | re.MULTILINE)
    assert moved.rstrip(")\n").endswith("offset 0") == (dialect == "duckdb" and by is not None)


#: For each frame that needs groups, the first metric.
CALLS_BY_GROUPS = {
    metric_call.metric.frames: Call(f"{call.kind}-{metric_call.name}", call.kind, (metric_call,),
                                    call.only_roles(metric_call))
    for call in reversed(calls()) if not call.table and call.kind != "pre-aggregated"
    for metric_call in reversed(call.asked) if metric_call.metric.roles().get("group")
}  # fmt: skip


@pytest.mark.parametrize("method", slow("jackknife", "bootstrap"))
@pytest.mark.parametrize("call", CALLS_BY_GROUPS.values(), ids=lambda call: call.name)
def test_groups_are_the_default_clusters(call: Call, method: str) -> None:
    """A list without one of its items is another list, and an item that lost a rating is another item."""
    data = sample(call.kind, rows=200)
    options: dict[str, Any] = {"confidence": 0.95, "by": "device", "diagnostics": True, "method": method,
                               "relations": relations_of(data, call.kind)}  # fmt: skip
    if method == "bootstrap":
        options["replicates"] = 20
    result = call.evaluate(arrow(data), **options)
    by_group = call.evaluate(arrow(data), **options, cluster=call.roles["group"])
    assert differences(result, by_group, 1e-9) == []
    clusters = next(column for column in result if column.endswith("_clusters"))
    assert result[clusters].max() <= data[call.roles["group"]].nunique()


def test_lists_have_clusters_of_their_own() -> None:
    """One statement has clusters of rows for one metric and of lists for another; comparisons and gaps, too."""
    rng = np.random.default_rng(2)
    data = pd.DataFrame({"user": rng.integers(0, 30, 300), "ad": rng.integers(0, 50, 300), "a": rng.random(300)})
    data = data.drop_duplicates(["user", "ad"]).assign(spent=lambda d: rng.random(len(d)), b=lambda d: 1 - d["spent"])
    data["device"] = np.where(data["user"] % 2, "phone", "desktop")
    lists: dict[str, Any] = {"group": "user", "item": "ad", "catalog": pd.DataFrame({"ad": range(60)})}
    options: dict[str, Any] = {"score": "a", "confidence": 0.95, "diagnostics": True}
    together = sqlmetrics.evaluate(data, "medae, coverage", label="spent", **options, **lists).iloc[0]
    apart = [sqlmetrics.evaluate(data, "medae", label="spent", **options).iloc[0],
             sqlmetrics.evaluate(data, "coverage", **options, **lists).iloc[0]]  # fmt: skip
    assert (together["medae_clusters"], together["coverage_clusters"]) == (len(data), data["user"].nunique())
    for row in apart:
        assert together[row.index].tolist() == pytest.approx(row.tolist(), rel=1e-12, nan_ok=True)
    for function, arguments in ((sqlmetrics.gaps, {"by": "device", "score": "a", "confidence": 0.95}),
                                (sqlmetrics.compare, {"score": ["a", "b"]})):  # fmt: skip
        default = function(data, "coverage(k=3)", **arguments, **lists)
        pd.testing.assert_frame_equal(
            default, function(data, "coverage(k=3)", **arguments, **lists, cluster="user"), rtol=1e-9
        )
        assert default["clusters"].max() <= 30


@pytest.mark.parametrize("cluster", ["user", None])
def test_cancelling_sums_keep_intervals_of_other_metrics(cluster: str | None) -> None:
    """A mean error that is 0 but for its last bits does not widen or drop the intervals next to it."""
    rng = np.random.default_rng(8)
    errors, label = rng.normal(size=400), rng.normal(size=800)
    errors = np.concatenate([errors, -errors])
    data = pd.DataFrame({"y": label, "score": label + errors, "user": np.tile(np.arange(80), 10)})
    options: dict[str, Any] = {"confidence": 0.95, "standard_error": True, "cluster": cluster}
    row = sqlmetrics.evaluate(data, "rmse, mean_error, mae, mse", label="y", score="score", **options).iloc[0]
    assert abs(row["mean_error"]) < 1e-15
    error = data["score"] - data["y"]
    for name, values in (("mse", error**2), ("mae", error.abs()), ("mean_error", error)):
        influence = ((values - values.mean()) / len(data)).groupby(data["user"] if cluster else data.index).sum()
        assert row[f"{name}_se"] == pytest.approx(clustered_error(influence), rel=1e-8), name
    assert row["rmse_se"] == pytest.approx(row["mse_se"] / (2 * row["rmse"]), rel=1e-8)
    # The residuals of a correct doubly robust estimate cancel next to the values that it adds them to.
    actions = data.assign(reward=0.5 + errors, propensity=0.5, target=0.5, q_action=0.5, q_policy=label)
    roles = {name: name for name in ("reward", "propensity", "target", "q_action", "q_policy")}
    row = sqlmetrics.evaluate(actions, "sndr, doubly_robust", **roles, **options).iloc[0]
    assert row["sndr_se"] == pytest.approx(row["doubly_robust_se"], rel=1e-6)


_IN_FIELDS = ("gc_n", "field_ece", "field_rce")


@pytest.mark.parametrize(("metric", "options"), [
    ("miscalibration", {}), ("pr_auc", {}), ("gc_n", {}),
    *slow(*[(metric, {}) for metric in ("partial_auc(max_fpr=0.5)", "cal_n", "emax", "field_ece", "field_rce")],
          *[(metric, {"method": "bootstrap", "replicates": 20}) for metric in ("miscalibration", "pr_auc", "gc_n")])
])  # fmt: skip
def test_interval_does_not_depend_on_other_metrics(metric: str, options: dict[str, Any]) -> None:
    """Clusters of which a metric uses no row do not count, also where another metric uses them."""
    rng = np.random.default_rng(1)
    user, s, t = rng.integers(0, 30, 300), rng.random(300).round(2), rng.random(300).round(2)
    y, field = (rng.random(300) < s).astype(float), rng.choice(["a", "b", "c"], 300)
    data = pd.DataFrame({"user": user, "s": s, "t": t, "y": y, "field": field})
    data.loc[data["user"] > 4, "field" if metric in _IN_FIELDS else "y"] = None
    roles: dict[str, Any] = {"label": "y", "score": ["s", "t"], "cluster": "user", **options}
    roles |= {"field": "field"} if metric in _IN_FIELDS else {}
    evaluate = functools.partial(sqlmetrics.evaluate, confidence=0.9, standard_error=True, diagnostics=True)
    for function in (evaluate, sqlmetrics.compare):
        metrics = [f"m = {metric}", "brier" if metric in _IN_FIELDS else "selection_rate"]
        alone, together = (quiet(lambda: function(data, metrics[:count], **roles)) for count in (1, 2))  # noqa: B023
        if function is sqlmetrics.compare:
            together = together[together["metric"] == "m"].reset_index(drop=True)
            assert list(alone["clusters"]) == [5]
        columns = [name for name in alone if name.startswith(("m", "diff", "p_value", "clusters"))]
        pd.testing.assert_frame_equal(alone[columns], together[columns])


@pytest.mark.parametrize(("metric", "label", "filled"), [
    ("recall", 0, 0), ("f1", 0, 1), *slow(("precision", 0, 1), ("specificity", 1, 0))
])  # fmt: skip
def test_zero_division_has_no_interval(metric: str, label: int, filled: int) -> None:
    """No cluster is behind a value that fills in, whether the metric is alone or not."""
    rows = pd.DataFrame({"y": [label] * 6, "s": [0.1, 0.2, 0.3] * 2, "t": [0.3, 0.1, 0.2] * 2, "u": [1, 1, 2, 2, 3, 3]})
    rows[["s", "t"]] += 0.6 * label
    specification = {"name": metric, "zero_division": filled, "as": "m"}
    for metrics in ([specification], [specification, "accuracy"]):
        row = sqlmetrics.evaluate(rows, metrics, label="y", score="s", cluster="u", confidence=0.9).iloc[0]
        assert row["m"] == filled
        assert row[["m_low", "m_high"]].isna().all()
        pair = sqlmetrics.compare(rows, metrics, label="y", score=["s", "t"], cluster="u").iloc[0]
        assert pair[["p_value", "verdict"]].isna().all()
        assert (pair["difference"], pair["clusters"]) == (0, 0)
