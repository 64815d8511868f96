"""Intervals: against derivatives of values by the weight of a cluster, jackknives, pROC and SciPy."""

from __future__ import annotations

import functools
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

import sqlmetrics
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests.parameters import quick_every, slow
from tests.statistics.copies import (
    clustered_error,
    influences,
    jackknife_error,
    named,
    values_by_weights,
    values_of,
    without_each_bucket,
)
from tests.variants import quiet

#: The patients of Turck and others (Intensive Care Medicine 36, 2010), as the R package pROC has them.
PATIENTS = pd.read_csv(Path(__file__).with_name("asah.csv"))

SURE: dict[str, Any] = {"confidence": 0.95, "standard_error": True}


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


REGRESSION = ["mae", "rmse", "r2", "explained_variance", "pearson_correlation"]
#: Metrics with derivatives, and those over predicted classes.
SMOOTH = [
    "auc", "average_precision", "gini", "log_loss", "brier", "copc", "normalized_entropy", "accuracy", "precision",
    "recall", "f1", "mcc", "balanced_accuracy", "d2_tweedie", "ks", "max_f1", "ece", "ece(norm='l2')",
    "ece(norm='max')", "field_ece", "field_rce", *REGRESSION,
]  # fmt: skip
CLASS_METRICS = [
    *[f"{average}_{name}" for average in ("macro", "micro", "weighted") for name in ("precision", "recall", "f1")],
    "macro_f1(form='f1_of_means')", "cohens_kappa", "multi_mcc", "multi_balanced_accuracy",
    "weighted_kappa(weights='linear')", "weighted_kappa(weights='quadratic')",
]  # fmt: skip
#: Metrics without a derivative.
BUCKETED = ["discrimination", "medae"]


def _predicted_at_best(data: pd.DataFrame) -> Any:
    precision, recall, thresholds = sk.precision_recall_curve(data["clicked"], data["score"], sample_weight=data["w"])
    f1 = stats.hmean([precision, recall])
    return data["score"] >= thresholds[np.flatnonzero(f1 >= f1.max() - 1e-12)[-1]]


#: The rows that contribute to a metric, if not all do: a negative below all positives has no average precision.
CONTRIBUTING: dict[str, Callable[[pd.DataFrame], Any]] = {
    "precision": lambda d: d["score"] >= 0.5,
    "recall": lambda d: d["clicked"] == 1,
    "f1": lambda d: (d["clicked"] == 1) | (d["score"] >= 0.5),
    "max_f1": lambda d: (d["clicked"] == 1) | _predicted_at_best(d),
    "average_precision": lambda d: d["score"] >= d["score"][d["clicked"] == 1].min(),
}


def contributing_rows(metric: str, data: pd.DataFrame) -> Any:
    return np.asarray(CONTRIBUTING[metric](data) if metric in CONTRIBUTING else data["w"] > 0)


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
    """The metrics that one statement computes together: those of the same roles."""
    groups: dict[str, list[str]] = {}
    for metric in metrics:
        groups.setdefault(str(roles_of(metric)), []).append(metric)
    return list(groups.values())


def slopes_of(data: pd.DataFrame, metrics: list[str], cluster: Any, **further: Any) -> Any:
    """The influences of clusters on metrics of the same roles, with the weights in `w`."""
    values = values_by_weights(data, metrics, **roles_of(metrics[0]) | further)
    return influences(values, cluster, min(map(step_of, metrics)), data["w"].to_numpy())


#: A metric of each way to differentiate; test_compare.py has the others.
_OF_EACH_WAY = [
    "auc", "copc", "precision", "recall", "f1", "average_precision", "ks", "max_f1", "ece", "field_ece", "mae", "r2",
    "macro_f1", "cohens_kappa", "multi_mcc", "weighted_kappa(weights='linear')",
]  # fmt: skip


@pytest.mark.parametrize("metrics", quick_every(5, metric_groups(_OF_EACH_WAY)), ids=lambda group: group[0])
def test_standard_errors_of_clusters_match_derivatives(metrics: list[str]) -> None:
    rows = log(150, 8)
    row = sqlmetrics.evaluate(rows, named(metrics), **roles_of(metrics[0]), cluster="user", weight="w", **SURE).iloc[0]
    for index, slopes in slopes_of(rows, metrics, rows["user"]).items():
        assert row[f"m{index}_se"] == pytest.approx(clustered_error(slopes), rel=5e-8), metrics[index]


def rows_of_slice(data: pd.DataFrame, row: Any) -> pd.DataFrame:
    """The rows behind a row of a result by the groupings [[], ["device"]]."""
    if row["grouping"] == "overall":
        return data
    return data[data["device"].isna() if pd.isna(row["device"]) else data["device"] == row["device"]]


_BOOTSTRAP = {"method": "bootstrap", "replicates": 24}


@pytest.mark.parametrize(("metrics", "options"), slow(
    (["auc", "log_loss", "ks", "pr_auc"], {}), (["auc", "log_loss", "ks"], _BOOTSTRAP),
    (["field_ece", "field_rce"], {}), (["macro_f1", "cohens_kappa", "multi_mcc"], {}),
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


@pytest.mark.slow
def test_registered_class_metric_has_interval(tmp_path: Path) -> None:
    """A metric without `sum_of` is computed without each bucket."""
    path = tmp_path / "mean_root.sql"
    text = builtin_catalogue().metrics["macro_recall"].path.read_text(encoding="utf-8")
    text = re.sub(r"{{ sqlmetrics.mean_of.*?}}", "avg(sqrt(tp / nullif(tp + fn, 0)))", text)
    path.write_text(text.replace("macro_recall__", "mean_root__"))
    sqlmetrics.register(path)
    data = log(400, 25)
    row = sqlmetrics.evaluate(data, "mean_root", **roles_of("macro_recall"), cluster="user", **SURE).iloc[0]
    recall = [(data["predicted"] == name)[data["category"] == name].mean() for name in data["category"].unique()]
    assert row["mean_root"] == pytest.approx(np.sqrt(recall).mean(), rel=1e-12)
    copies = without_each_bucket(data, "user", 20)
    [error] = jackknife_error(values_of(copies, ["mean_root"], **roles_of("macro_recall")))
    assert row["mean_root_se"] == pytest.approx(error, rel=1e-9)


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


def test_cluster_ids_keep_their_text(tmp_path: Path) -> None:
    """007 in a file is not 7, and NaN is missing, as NULL is."""
    options: dict[str, Any] = {"label": "y", "score": "s", "cluster": "u", "confidence": 0.9, "diagnostics": True}
    path = tmp_path / "log.csv"
    path.write_text("y,s,u\n" + "".join(f"{i % 2},0.{i % 7 + 1},{('007', '7', '8')[i % 3]}\n" for i in range(60)))
    users = pa.array([1.0, float("nan"), None, 2.0, 3.0, 4.0] * 10)
    table = pa.table({"y": [0, 1] * 30, "s": [0.2, 0.6, 0.4] * 20, "u": users})
    for data, count in ((path, 3), (table, 5)):
        row = sqlmetrics.evaluate(data, "log_loss, auc, ks", **options).iloc[0]
        assert row.filter(like="_clusters").tolist() == [count] * 3


def test_intervals_of_undefined_and_extreme_values() -> None:
    options: dict[str, Any] = {"label": "clicked", "score": "score", "cluster": "user", **SURE, "diagnostics": True}
    row = sqlmetrics.evaluate(log(clusters=1, rows=50), "auc, log_loss, ks", **options).iloc[0]
    assert row["auc"] > row["auc_clusters"] - 1 == 0
    assert row.filter(regex="_low$|_high$|_se$").isna().all()
    perfect = pd.DataFrame({"clicked": [0, 1] * 30, "score": [0.2, 0.9] * 30, "user": np.arange(60)})
    row = sqlmetrics.evaluate(perfect, "auc, accuracy, mcc", **options).iloc[0]
    assert row[["auc_high", "accuracy_high", "mcc_high"]].tolist() == [1, 1, 1]
    row = sqlmetrics.evaluate(perfect.assign(clicked=0), "auc, recall", **options).iloc[0]
    assert row[["auc", "auc_low", "auc_high", "recall", "recall_low"]].isna().all()
    row = sqlmetrics.evaluate(perfect, "auc, copc, ks, max_error", where="score > 2", **options).iloc[0]
    assert row["n"] == 0
    assert row.filter(regex="_low$|_high$|_se$").isna().all()
    assert "max_error_low" not in row  # without an interval


_DRAWN = {"confidence": 0.9, "cluster": "user", "method": "bootstrap"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"confidence": 95}, "confidence must be a number between 0.5 and 0.999999"),
        ({"confidence": 0.9, "metrics": "class_confusion", "score": None, "prediction": "clicked"},
         "class_confusion is a table whose columns have no interval"),
        ({"confidence": 0.9, "cluster": "nobody"}, "nobody"),
        ({"confidence": 0.9, "metrics": "max_error"}, "max_error has no interval: a single row determines it"),
        ({"confidence": 0.9, "metrics": ["auc", "auc_low = gini"]}, "'auc_low' would be the name of two columns"),
        ({"confidence": 0.9, "metrics": "roc_curve", "by": "tpr_low = device"}, "tpr_low"),
        *[({"confidence": 0.9, "metrics": metric, "label": None, "positives": "clicked", "total": "= 1"},
           "confidence needs cluster") for metric in ("auc", "roc_curve")],
        ({"method": "bootstrap"}, "method requires confidence"),
        ({**_DRAWN, "method": "percentile"}, "method must be 'jackknife' or 'bootstrap', not 'percentile'"),
        ({**_DRAWN, "method": "jackknife", "seed": 100}, "seed requires method='bootstrap'"),
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


def test_duckdb_fences_perturbed_sums_of_slices() -> None:
    """DuckDB 2.0 plans the intervals of many metrics by slice ten times faster with a fence above the sums."""
    for dialect, by in (("duckdb", None), ("duckdb", "device"), ("postgres", "device")):
        statement = sqlmetrics.render("brier, log_loss, copc", relation="impressions", label="clicked", score="pctr",
                                      by=by, confidence=0.9, cluster="user_id", dialect=dialect)  # fmt: skip
        [step] = re.findall(r"^rows_perturbed as .*?^\)", statement, re.DOTALL | re.MULTILINE)
        assert step.rstrip(")\n").endswith("offset 0") == (dialect == "duckdb" and by is not None)


@pytest.mark.parametrize("cluster", ["user", *slow(None)])
def test_cancelling_sums_keep_intervals_of_other_metrics(cluster: str | None) -> None:
    """A mean error of 0 except for its last bits does not widen or drop the intervals of other metrics."""
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


@pytest.mark.parametrize("metric", slow("pr_auc", "miscalibration", "gc_n", "partial_auc(max_fpr=0.5)"))
def test_interval_does_not_depend_on_other_metrics(metric: str) -> None:
    """Clusters without a row for a metric do not count, even if another metric uses them."""
    rng = np.random.default_rng(1)
    user, s, t = rng.integers(0, 30, 300), rng.random(300).round(2), rng.random(300).round(2)
    y, field = (rng.random(300) < s).astype(float), rng.choice(["a", "b", "c"], 300)
    data = pd.DataFrame({"user": user, "s": s, "t": t, "y": y, "field": field})
    data.loc[data["user"] > 4, "field" if metric == "gc_n" else "y"] = None
    roles: dict[str, Any] = {"label": "y", "score": ["s", "t"], "cluster": "user"}
    roles |= {"field": "field"} if metric == "gc_n" else {}
    evaluate = functools.partial(sqlmetrics.evaluate, confidence=0.9, standard_error=True, diagnostics=True)
    for function in (evaluate, sqlmetrics.compare):
        metrics = [f"m = {metric}", "brier" if metric == "gc_n" else "selection_rate"]
        alone, together = (quiet(lambda: function(data, metrics[:count], **roles)) for count in (1, 2))  # noqa: B023
        if function is sqlmetrics.compare:
            together = together[together["metric"] == "m"].reset_index(drop=True)
            assert list(alone["clusters"]) == [5]
        columns = [name for name in alone if name.startswith(("m", "diff", "p_value", "clusters"))]
        pd.testing.assert_frame_equal(alone[columns], together[columns])


def test_zero_division_has_no_interval() -> None:
    """A value that fills in has no cluster, with or without other metrics."""
    rows = pd.DataFrame({"y": [0] * 6, "s": [0.1, 0.2, 0.3] * 2, "t": [0.3, 0.1, 0.2] * 2, "u": [1, 1, 2, 2, 3, 3]})
    for metrics in ("m = f1(zero_division=1)", "m = f1(zero_division=1), accuracy"):
        row = sqlmetrics.evaluate(rows, metrics, label="y", score="s", cluster="u", confidence=0.9).iloc[0]
        assert row["m"] == 1
        assert row[["m_low", "m_high"]].isna().all()
        pair = sqlmetrics.compare(rows, metrics, label="y", score=["s", "t"], cluster="u").iloc[0]
        assert pair[["p_value", "verdict"]].isna().all()
        assert (pair["difference"], pair["clusters"]) == (0, 0)
