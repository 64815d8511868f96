"""Comparisons of models: against DeLong's test as pROC has it, SciPy, statsmodels and derivatives of scikit-learn."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import special, stats
from sklearn import metrics as sk

import sqlmetrics
from sqlmetrics.engines import Engine
from tests import optional
from tests.engines.servers import ENGINES
from tests.statistics.test_intervals import (
    MOVING,
    NDKA,
    NOT_SMOOTH,
    OF_CLASSES,
    OF_NUMBERS,
    POOR_OUTCOME,
    S100B,
    SMOOTH,
    WFNS,
    bucket,
    leaving_out_buckets,
    log,
    roles_of,
    step_of,
)
from tests.tiers import slow

#: Of the patients of aSAH, which are men.
MEN = (
    "00000111001011001001000100100100000100100001011110010000101001000111100010101110000010110100000010101000100011001"
)


def two_models(rows: int = 400, clusters: int = 30, seed: int = 4) -> pd.DataFrame:
    """The log with a second model: rounded, and drawn to the middle."""
    rng = np.random.default_rng(seed + 1)
    data = log(clusters, rows, seed)
    other = (data["score"] * 0.7 + rng.normal(0, 0.1, rows) + 0.1).clip(0.02, 0.98).round(2)
    return data.assign(other=other, other_hat=data["y_hat"] + rng.normal(0, 0.4, rows).round(1))


def compared(data: Any, metrics: Any, **arguments: Any) -> pd.DataFrame:
    given = {"label": "clicked", "score": ["score", "other"], "cluster": "user", "adjust": None} | arguments
    return sqlmetrics.compare(data, metrics, **given)


def error_of_difference(data: pd.DataFrame, metric: str, cluster: Any, relative: bool = False) -> float:
    """C / (C - 1) · Σ e², e being the derivative of the difference by the weight of a cluster."""
    value = SMOOTH[metric]
    step = step_of(metric)
    score, other = ("y_hat", "other_hat") if metric in OF_NUMBERS else ("score", "other")

    def difference(weights: Any) -> float:
        baseline, model = value(data, weights), value(data.assign(**{score: data[other]}), weights)
        return (model - baseline) / abs(baseline) if relative else model - baseline

    def slope(mask: Any, step: float) -> float:
        return (difference(1 + step * mask) - difference(1 - step * mask)) / (2 * step)

    influences = []
    for one in pd.unique(cluster):
        mask = (cluster == one).astype(float)
        influences.append((4 * slope(mask, step) - slope(mask, 2 * step)) / 3)
    count = behind_either(data, metric, cluster)
    return float(np.sqrt(count / (count - 1) * np.sum(np.square(influences))))


def behind_either(data: pd.DataFrame, metric: str, cluster: Any) -> int:
    """How many clusters add something to the value of one of the two."""
    ones = np.ones(len(data))
    either = [MOVING[metric](of, ones) if metric in MOVING else ones == 1
              for of in (data, data.assign(score=data["other"]))]  # fmt: skip
    return len(pd.unique(pd.Series(np.asarray(cluster)[np.logical_or(*either)])))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "relative"),
    [
        pytest.param(metric, relative, marks=[] if metric in ("auc", "log_loss", "copc") else pytest.mark.slow)
        for metric in SMOOTH
        for relative in (False, True)
    ],
)
def test_smooth_metrics_against_derivatives(metric: str, relative: bool) -> None:
    data = two_models()
    roles = roles_of(metric) | ({"score": ["y_hat", "other_hat"]} if metric in OF_NUMBERS else
                                {"score": ["score", "other"]})  # fmt: skip
    row = compared(data, metric, relative=relative, **roles).iloc[0]
    error = error_of_difference(data, metric, data["user"], relative)
    assert row["standard_error"] == pytest.approx(error, rel=5e-8)
    scale = abs(row["baseline_value"]) if relative else 1
    assert row["difference"] == pytest.approx((row["value"] - row["baseline_value"]) / scale, rel=1e-12, abs=1e-15)
    half = row["difference"] - row["difference_low"]
    behind = behind_either(data, metric, data["user"])
    students = stats.t(behind - 1)
    assert half == pytest.approx(students.ppf(0.975) * row["standard_error"], rel=1e-4)
    assert row["difference_high"] - row["difference"] == pytest.approx(half, rel=1e-12)
    t = abs(row["difference"] / row["standard_error"])
    assert row["p_value"] == pytest.approx(2 * students.sf(t), rel=1e-2)
    detected = row["detectable_difference"] / row["standard_error"]
    assert detected == pytest.approx(half / row["standard_error"] + students.ppf(0.8), rel=1e-3)
    assert stats.nct(behind - 1, detected).sf(students.ppf(0.975)) == pytest.approx(0.8, abs=0.01)
    assert (row["n"], row["clusters"]) == (400, behind)


#: Of each class one row, or the rows of one user: without it there is no value.
ON_ONE = ["auc", "gini", "average_precision", "ks", "recall", "balanced_accuracy", "g_mean", "youden_j", "mcc",
          "normalized_entropy"]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("cluster", [None, "user"])
def test_what_hangs_on_one_cluster_has_no_interval_and_no_verdict(cluster: str | None, weight: str | None) -> None:
    """As without it there is no value, nobody knows how another one in its place would move it: pROC has NA of one."""
    for minority in (0, 1):
        data = two_models(60).assign(w=lambda d: 1 + d.index % 3)
        data = data.assign(clicked=(data["user"] == data["user"][7]).astype(float))
        if cluster is None:
            data = data.assign(clicked=(data.index == 7).astype(float))
        data = data.assign(clicked=(data["clicked"] == 1) == (minority == 1))
        names = [name for name in ON_ONE if minority or name not in ("recall", "average_precision")]
        roles: dict[str, Any] = {"label": "clicked", "cluster": cluster, "weight": weight}
        found = sqlmetrics.evaluate(data, names, score="score", confidence=0.95, standard_error=True, **roles).iloc[0]
        assert found[names].notna().all()
        assert found[[f"{name}{end}" for name in names for end in ("_low", "_high", "_se")]].isna().all()
        pairs = sqlmetrics.compare(data, names, score=["score", "other"], **roles)
        assert pairs["difference"].notna().all()
        told = ["difference_low", "difference_high", "standard_error", "p_value", "verdict"]
        assert pairs[told].isna().all(axis=None)
        both = sqlmetrics.compare(data, "auc", score="score", against=data.assign(score=data["other"]), **roles)
        assert both[["standard_error", "p_value", "verdict"]].isna().all(axis=None)


@pytest.mark.parametrize("rows", [3, *slow(2, 10, 200)])
def test_rows_that_are_all_of_one_kind(rows: int) -> None:
    """None of so many is known to be of another kind: Clopper and Pearson's bound, and the p-value of turning signs."""
    data = pd.DataFrame({"y": [1.0] * rows + [0.0] * 5, "a": [0.9] * rows + [0.1] * 5, "b": [0.2] * rows + [0.1] * 5})
    asked: dict[str, Any] = {"label": "y", "confidence": 0.9, "standard_error": True}
    exact = stats.binomtest(rows, rows).proportion_ci(0.9, method="exact")
    right = sqlmetrics.evaluate(data, "recall, precision", score="a", **asked).iloc[0]
    wrong = sqlmetrics.evaluate(data, "recall", score="b", **asked).iloc[0]
    for name in ("recall", "precision"):
        assert [right[f"{name}_low"], right[f"{name}_high"]] == pytest.approx([exact.low, 1], rel=1e-12)
    assert [wrong["recall_low"], wrong["recall_high"]] == pytest.approx([0, 1 - exact.low], rel=1e-12)
    assert right[["recall_se", "precision_se"]].isna().all()
    # What is right is right of whatever class.
    calls = stats.binomtest(rows + 5, rows + 5).proportion_ci(0.9, method="exact").low
    for score, all_right in (("a", 1), ("1 - a", 0)):
        found = sqlmetrics.evaluate(data, "accuracy, error_rate", score=f"= {score}", **asked).iloc[0]
        ends = [found[[f"{name}_low", f"{name}_high"]].tolist() for name in ("accuracy", "error_rate")]
        surely, hardly = [pytest.approx([calls, 1], rel=1e-12), pytest.approx([0, 1 - calls], rel=1e-12)]
        assert ends == ([surely, hardly] if all_right else [hardly, surely])
    # Of two classes it is the scarcer that says how sure a perfect order is.
    perfect = sqlmetrics.evaluate(data, "auc, ks, average_precision", score="a", **asked).iloc[0]
    fewest = stats.binomtest(min(rows, 5), min(rows, 5)).proportion_ci(0.9, method="exact").low
    assert [perfect["auc_low"], perfect["ks_low"]] == pytest.approx([fewest, fewest], rel=1e-12)
    pair = sqlmetrics.compare(data, "recall", label="y", score=["a", "b"]).iloc[0]
    signs = 2 * stats.binom.sf(rows - 1, rows, 0.5)
    assert pair["p_value"] == pytest.approx(signs, rel=1e-12)
    assert pair["verdict"] == ("worse" if signs < 0.05 else "no difference seen")
    assert pair[["difference_low", "difference_high", "standard_error", "detectable_difference"]].isna().all()
    errors = data.assign(y=data["a"] + 0.3)  # of numbers there is no other end
    same = sqlmetrics.evaluate(errors, "mean_error, mae", score="a", **asked).iloc[0]
    assert same[["mean_error_low", "mean_error_high", "mae_low", "mae_high", "mae_se"]].isna().all()


@pytest.mark.slow
@pytest.mark.parametrize("cluster", [None, "user"])
def test_clusters_without_weight_are_none(cluster: str | None) -> None:
    """Their rows move no value: with them an interval is what it is without them."""
    data = two_models(60).assign(w=lambda d: 1.0 + d.index % 3)
    idle = pd.concat([data.assign(w=0.0, user=data["user"] + 1000 * copy) for copy in range(1, 6)])
    asked: dict[str, Any] = {"label": "clicked", "weight": "w", "cluster": cluster}
    names = ["auc", "gini", "average_precision", "ks", "max_f1", "brier", "recall", "ece", "r2", "calibration_slope"]
    # Without a cluster buckets follow the places of rows.
    for metrics in (names, ["pr_auc", "medae"]) if cluster else (names,):
        few, many = (
            sqlmetrics.compare(log, metrics, score=["score", "other"], **asked).drop(columns="n")
            for log in (data, pd.concat([data, idle], ignore_index=True))
        )
        pd.testing.assert_frame_equal(few, many, rtol=1e-7)
    of_classes = {"label": "clicked", "prediction": "called"}
    called, more = (log.assign(called=(log["score"] > 0.5).astype(float)) for log in (data, pd.concat([data, idle])))
    few, many = (
        sqlmetrics.evaluate(log, "macro_f1, cohens_kappa", weight="w", cluster=cluster, confidence=0.9, **of_classes)
        for log in (called, more)
    )
    pd.testing.assert_frame_equal(few.drop(columns="n"), many.drop(columns="n"), rtol=1e-7)


@pytest.mark.parametrize("metrics", ["gauc", *slow("mrr"), ["log_loss", "gauc"]])
@pytest.mark.parametrize("session", [99, *slow(np.nan)])
def test_a_group_lies_in_one_cluster(metrics: Any, session: float) -> None:
    """Whose group it is would be chance otherwise; a missing cluster is one, too."""
    data = two_models(80).assign(session=lambda d: d["user"] * 1.0, half=lambda d: d["user"] % 2)
    data.loc[data.index[data["user"] == data["user"][3]][:1], "session"] = session
    asked: dict[str, Any] = {"label": "clicked", "group": "user", "cluster": "session"}
    one: dict[str, Any] = {"score": "score", **asked}
    two: dict[str, Any] = {"score": ["score", "other"], **asked}
    for call in (
        lambda: sqlmetrics.evaluate(data, metrics, confidence=0.9, **one),
        lambda: sqlmetrics.evaluate(data, metrics, confidence=0.9, method="bootstrap", **one),
        lambda: sqlmetrics.compare(data, metrics, **two),
        lambda: sqlmetrics.compare(data, metrics, method="bootstrap", **two),
        lambda: sqlmetrics.compare(data, metrics, against=data, **one),
        lambda: sqlmetrics.gaps(data, metrics, by="half", confidence=0.9, **one),
    ):
        with pytest.raises(sqlmetrics.BadData, match="cluster has two values in one group"):
            call()
    # Rows that no metric uses do not count, and clusters may be of rows as well.
    unused = data.assign(score=data["score"].where(data["session"] == data["user"]))
    with pytest.warns(sqlmetrics.DroppedRows):
        assert sqlmetrics.evaluate(unused, metrics, confidence=0.9, **one).notna().all(axis=None)
    by_rows = sqlmetrics.evaluate(data, "log_loss", confidence=0.9, **one | {"group": None})
    assert by_rows.notna().all(axis=None)


@pytest.mark.parametrize("asked", [
    {"metrics": "pr_auc", "cluster": "user"},
    {"metrics": "brier", "cluster": "user", "test": "randomization", "replicates": 200},
    {"metrics": "mrr", "group": "user", "test": "randomization", "replicates": 200},
])  # fmt: skip
def test_ids_of_two_relations_are_drawn_alike_whatever_numbers_they_are(asked: dict[str, Any]) -> None:
    data = two_models(160)
    halves = [data.iloc[:80], data.iloc[80:]]
    columns = ["standard_error", "p_value", "clusters", "shared_clusters"]
    found = [
        sqlmetrics.compare(one, against=other, label="clicked", score="score", **asked)[columns]
        for ours in ("int64", "float64")
        for theirs in ("int64", "float64")
        for one, other in [[half.astype({"user": kind}) for half, kind in zip(halves, (ours, theirs), strict=True)]]
    ]
    for other in found[1:]:
        pd.testing.assert_frame_equal(found[0], other)


def test_two_areas_against_delong_as_proc_has_it() -> None:
    """roc.test of pROC 1.18, paired: z 2.20898359144091, p 0.0271757822291882."""
    data = pd.DataFrame(
        {"poor": POOR_OUTCOME.split(), "s100b": S100B.split(), "wfns": WFNS.split(), "ndka": NDKA.split()}
    )
    found = compared(data.astype(float), "auc", label="poor", score=["s100b", "wfns", "ndka"], cluster=None)
    wfns = found[found["model"] == "wfns"].iloc[0]
    assert wfns["difference"] / wfns["standard_error"] == pytest.approx(2.20898359144091, rel=1e-12)
    assert wfns["p_value"] == pytest.approx(0.0271757822291882, rel=1e-12)
    assert wfns["verdict"] == "better"
    assert found["baseline"].tolist() == ["s100b", "s100b"]


def test_means_of_rows_and_of_queries_are_paired() -> None:
    """Without a cluster: the standard error of the mean of the differences, row by row and query by query."""
    data = two_models(rows=700).assign(grade=lambda d: d["clicked"] * 2)
    row = compared(data, "log_loss", cluster=None).iloc[0]
    losses = [-np.log(np.where(data["clicked"] == 1, data[name], 1 - data[name])) for name in ("other", "score")]
    assert row["standard_error"] == pytest.approx(stats.sem(losses[0] - losses[1]), rel=1e-9)
    assert row["clusters"] == 700
    ndcg = compared(data, "ndcg@5", label="grade", group="user", cluster=None).iloc[0]
    groups = sqlmetrics.per_group(data, "ndcg@5", label="grade", score=["score", "other"], group="user")
    values = groups.pivot_table(index="user", columns="model", values="ndcg_at_5").dropna()
    assert ndcg["standard_error"] == pytest.approx(stats.sem(values["other"] - values["score"]), rel=1e-9)
    test = stats.ttest_rel(values["other"], values["score"])
    assert ndcg["difference"] / ndcg["standard_error"] == pytest.approx(test.statistic, rel=1e-9)
    assert ndcg["p_value"] == pytest.approx(test.pvalue, rel=5e-3)


@pytest.mark.parametrize(
    ("metric", "cluster"),
    [
        pytest.param(metric, cluster, marks=[] if metric == "discrimination" else pytest.mark.slow)
        for metric in NOT_SMOOTH
        for cluster in ("user", None)
    ],
)
def test_other_metrics_against_twenty_buckets(metric: str, cluster: str | None) -> None:
    data = two_models(rows=901)
    row = compared(data, metric, cluster=cluster).iloc[0]
    if cluster is None:  # rows in the order of what they hold, models by their names
        data = data.sort_values(["other", "score", "clicked"], kind="stable", ignore_index=True)
        data["place"] = data.index + 1
    value = NOT_SMOOTH[metric]
    error, count = leaving_out_buckets(
        data, cluster or "place", lambda kept: value(kept.assign(score=kept["other"])) - value(kept)
    )
    assert row["standard_error"] == pytest.approx(error, rel=1e-9, abs=1e-15)
    if row["difference"] != 0:
        t = abs(row["difference"]) / row["standard_error"]
        assert row["p_value"] == pytest.approx(2 * stats.t(count - 1).sf(t), rel=1e-2)


@pytest.mark.slow
def test_slices_groupings_and_models_are_what_they_are_alone() -> None:
    data = two_models().assign(third=lambda d: 1 - d["score"])
    metrics = ["auc", "copc", "ks"]
    models = ["score", "other", "third"]
    found = compared(data, metrics, score=models, by=[[], ["device"]], baseline="other")
    assert len(found) == 4 * 3 * 2
    assert found["grouping"].tolist() == ["overall"] * 6 + ["device"] * 18
    assert found["metric"].tolist() == [name for name in metrics for _ in range(2)] * 4
    assert found["model"].tolist() == ["score", "third"] * 12
    for row in found.to_dict("records"):
        part = data if row["grouping"] == "overall" else data[
            data["device"].isna() if pd.isna(row["device"]) else data["device"] == row["device"]]  # fmt: skip
        alone = compared(part, row["metric"], score=["other", row["model"]]).iloc[0]
        for name in ("value", "baseline_value", "difference_low", "p_value", "n", "clusters"):
            assert row[name] == pytest.approx(alone[name], rel=1e-9), name
        assert row["verdict"] == alone["verdict"]


@pytest.mark.parametrize("method", [None, "jackknife", "bootstrap"])
@pytest.mark.parametrize("cluster", [None, "user"])
def test_which_model_is_named_first_changes_no_number(method: str | None, cluster: str | None) -> None:
    """Rows without a cluster are told by their places, which once followed from the order of the models."""
    data = two_models(60)
    metrics = "auc, ks, pr_auc, max_f1, log_loss"
    told = {"baseline": "score", "cluster": cluster, "method": method}
    found = compared(data, metrics, score=["score", "other"], **told)
    again = compared(data, metrics, score=["other", "score"], **told)
    pd.testing.assert_frame_equal(again, found, rtol=1e-9, check_like=True)


def test_models_are_compared_on_the_rows_that_all_score() -> None:
    data = two_models()
    data.loc[::3, "other"] = None
    with pytest.warns(sqlmetrics.DroppedRows, match=r"score \(column 'other'\) in 134 rows"):
        found = compared(data, ["auc", "log_loss", "ks"])
    common = compared(data.dropna(subset="other"), ["auc", "log_loss", "ks"])
    pd.testing.assert_frame_equal(found, common)
    with pytest.raises(sqlmetrics.BadData, match="134 rows"):
        compared(data, "auc", strict=True)


def test_where_there_is_no_difference_there_is_no_error_of_it() -> None:
    data = two_models(60)
    clicks = data.assign(clicked=1.0)
    row = sqlmetrics.compare(clicks, "auc", against=data, label="clicked", score="score", cluster="user").iloc[0]
    assert row[["value", "difference", "standard_error", "detectable_difference", "p_value"]].isna().all()


@pytest.mark.slow
@pytest.mark.parametrize(("adjust", "method"), [("holm", "holm"), ("bh", "fdr_bh")])
def test_many_tests_against_statsmodels(adjust: str, method: str) -> None:
    multiple = optional.package("statsmodels.stats.multitest")
    data = two_models(rows=4000, clusters=400).assign(day=lambda d: d.index % 12)
    data.loc[data["day"] == 3, "clicked"] = 0.0  # an undefined value is no test
    found = compared(data, ["auc", "log_loss", "copc"], by="day", adjust=adjust)
    assert found["p_value"].isna().sum() == 1  # an area; nothing clicked is badly calibrated all the same
    given = found["p_value"].notna()
    expected = multiple.multipletests(found.loc[given, "p_value"], method=method)[1]
    np.testing.assert_allclose(found.loc[given, "p_adjusted"], expected, rtol=1e-12)
    assert found.loc[~given, ["p_adjusted", "verdict"]].isna().all(axis=None)
    certain = found["p_adjusted"] < 0.05
    directed = found["metric"] != "copc"  # which is judged by its distance from 1
    assert (found["verdict"].isin(["better", "worse"]) == certain)[directed].all()


def test_what_is_better() -> None:
    """Lower for a loss; nearer to 1 for a calibration, whichever side the models lie on."""
    rng = np.random.default_rng(1)
    score = rng.uniform(0.1, 0.4, 4000)
    data = pd.DataFrame({"clicked": (rng.random(4000) < score) * 1.0, "fair": score, "low": score * 0.6,
                         "high": score * 1.3, "tiny": score * 1.01})  # fmt: skip
    found = compared(data, ["copc", "log_loss", "auc", "mean_error"], score=["fair", "low", "high"], cluster=None,
                     adjust="holm").set_index(["metric", "model"])["verdict"]  # fmt: skip
    assert found.to_dict() == {
        ("copc", "low"): "worse", ("copc", "high"): "worse",
        ("log_loss", "low"): "worse", ("log_loss", "high"): "worse",
        ("auc", "low"): "no difference seen", ("auc", "high"): "no difference seen",
        ("mean_error", "low"): "worse", ("mean_error", "high"): "worse",
    }  # fmt: skip
    sides = compared(data, "copc", score=["low", "high"], cluster=None).iloc[0]
    assert sides["baseline_value"] > 1
    assert sides["value"] < 1
    assert sides["verdict"] == "better"  # 0.77 is nearer than 1.67
    # As far from 1 on the one side as on the other: they differ for sure, and neither is better for sure.
    ratio = data["clicked"].sum() / data["fair"].sum()
    mirrored = data.assign(up=data["fair"] * ratio / 1.2, down=data["fair"] * ratio / 0.8)
    even = compared(mirrored, "copc", score=["up", "down"], cluster=None).iloc[0]
    assert even["p_value"] < 1e-6
    assert even["verdict"] == "differs, not closer to 1"


@pytest.mark.slow
def test_distances_from_the_best_value_have_an_error_of_their_own() -> None:
    """Of models on both sides of 1 the error is that of the sum of what a cluster does to both."""
    data = two_models(rows=2000, clusters=200)
    ratio = data["clicked"].sum() / data["score"].sum()
    fair = data["other"] * data["clicked"].sum() / data["other"].sum()
    data = data.assign(up=data["score"] * ratio / 1.02, down=(fair / 0.93))[lambda d: (d["down"] <= 1) & (d["up"] <= 1)]
    found = compared(data, "copc", score=["up", "down"]).iloc[0]
    assert found["value"] < 1 < found["baseline_value"]

    def distance(weights: Any) -> float:
        clicks = (weights * data["clicked"]).sum()
        return float(abs(clicks / (weights * data["down"]).sum() - 1) - abs(clicks / (weights * data["up"]).sum() - 1))

    influences = []
    for user in data["user"].unique():
        mask = (data["user"] == user).to_numpy(dtype=float)
        influences.append((distance(1 + 1e-4 * mask) - distance(1 - 1e-4 * mask)) / 2e-4)
    count = len(influences)
    error = np.sqrt(count / (count - 1) * np.sum(np.square(influences)))
    p = 2 * stats.t(count - 1).sf(abs(distance(1.0) / error))
    for confidence in (1 - p * 1.01, 1 - p * 0.99):
        verdict = compared(data, "copc", score=["up", "down"], confidence=confidence).iloc[0]["verdict"]
        assert verdict == ("worse" if confidence < 1 - p else "differs, not closer to 1")


def test_what_is_the_same_and_what_cannot_be_said() -> None:
    data = two_models().assign(same=lambda d: d["score"])
    found = compared(data, ["auc", "log_loss", "ks"], score=["score", "same"])
    assert (found["difference"] == 0).all()
    assert (found["p_value"] == 1).all()
    assert set(found["verdict"]) == {"no difference seen"}
    alone = compared(data.assign(user=1), ["auc", "log_loss", "ks"])
    assert alone[["difference_low", "difference_high", "p_value", "p_adjusted", "verdict"]].isna().all(axis=None)
    assert alone["difference"].notna().all()
    none = compared(data, ["auc", "log_loss"], where="score > 2")
    assert none["n"].tolist() == [0, 0]
    assert none[["value", "difference", "p_value", "verdict"]].isna().all(axis=None)
    zero = compared(data.assign(clicked=0.0), "recall", relative=True)
    assert zero["difference"].isna().all()


def of_columns(macro: str, *arguments: Any, **columns: float) -> float:
    """What a macro over columns of these values gives."""
    import duckdb

    from sqlmetrics.catalogue import builtin_catalogue
    from sqlmetrics.rendering import render_macro

    text = render_macro(builtin_catalogue(), "duckdb", macro, *arguments)
    given = ", ".join(f"cast({value!r} as double) as {name}" for name, value in columns.items())
    return float(duckdb.sql(f"select {text} as found from (select {given})").fetchall()[0][0])


@pytest.mark.parametrize("degrees", [1, 2, 3, 5, 7, 12, 19, 50, 1000])
def test_few_clusters(degrees: int) -> None:
    """Near Student's t from seven degrees on, and never shorter; an interval leaves out what its test calls certain."""
    for confidence in (0.9, 0.95, 0.99):
        z = stats.norm.ppf((1 + confidence) / 2)
        quantile = of_columns("student_quantile", z, "degrees", degrees=degrees)
        exact = stats.t(degrees).ppf((1 + confidence) / 2)
        assert quantile > exact * (1 - 1e-5)
        assert quantile == pytest.approx(exact, rel=4e-3) or degrees < 7
        assert of_columns("student_deviation", "t", "degrees", t=quantile, degrees=degrees) == pytest.approx(
            z, rel=1e-9
        )


def test_three_users_are_not_certain() -> None:
    """By the normal distribution the difference would have been beyond doubt."""
    data = two_models(clusters=3, rows=600)
    data["other"] = (data["score"] + 0.02 * (data["clicked"] - 0.4) * (data["user"] + 1)).clip(0.01, 0.99)
    found = compared(data, ["log_loss", "auc", "ks"]).set_index("metric")
    t = found["difference"] / found["standard_error"]
    assert (abs(t[["log_loss", "auc"]]) > 2.5).all()
    exact = 2 * stats.t(2).sf(abs(t))
    assert (found["p_value"] > exact * 0.9).all()
    assert found["verdict"]["log_loss"] == ("no difference seen" if exact[0] > 0.05 else "better")


@pytest.mark.parametrize("x", [0.0, 1e-9, 0.1, 0.4687, 0.4688, 1.0, 2.5, 3.999, 4.0, 6.0, 12.0, 25.9, 27.0])
def test_probabilities(x: float) -> None:
    assert of_columns("complementary_error", "x", x=x) == pytest.approx(special.erfc(x), rel=1e-13, abs=1e-290)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"score": "score"}, "a comparison needs two scores"),
        ({"score": ["score"]}, "a comparison needs two scores"),
        ({"baseline": "nobody"}, r"baseline must be one of the scores \(score, other\), not 'nobody'"),
        ({"adjust": "bonferroni"}, "adjust must be 'holm', 'bh' or none"),
        ({"power": 1}, "power must be a number between"),
        ({"relative": "yes"}, "relative must be true or false"),
        ({"confidence": None}, "confidence must be a number"),
        ({"confidence": 95}, "confidence must be a number"),
        ({"metrics": "roc_curve"}, "roc_curve is a table"),
        ({"metrics": "confusion_matrix"}, "confusion_matrix has no single value"),
        ({"metrics": ["mae", "max_error"]}, "max_error has no interval: one row decides it"),
        ({"by": "verdict = device"}, "has the name of a column of every comparison"),
        ({"cluster": "nobody"}, "nobody"),
    ],
)
def test_what_is_refused(wrong: dict[str, Any], words: str) -> None:
    arguments: dict[str, Any] = {"metrics": "auc", **wrong}
    with pytest.raises(sqlmetrics.SqlMetricsError, match=words):
        compared(two_models(), **arguments)


@pytest.fixture(scope="module", params=slow(*ENGINES))
def loaded(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine that holds a log of two models, and two days of one."""
    today, yesterday = two_days()
    tables = {"log": two_models(rows=600), "today": today, "yesterday": yesterday}
    arrow = {name: pa.Table.from_pandas(table, preserve_index=False) for name, table in tables.items()}
    with ENGINES[request.param](arrow) as engine:
        yield engine


_MANY = ["auc", "log_loss", "f1", "copc", "ks", "gauc", "ndcg@5", "average_precision", "medae"]
_SMOOTH = {"metrics": ["log_loss", "ndcg@5"], "cluster": "user"}


@pytest.mark.parametrize(
    ("further", "relation"),
    [
        ({"metrics": _MANY[::2], "cluster": "user"}, "log"),
        ({"metrics": _MANY[1::2], "cluster": "user"}, "today"),
        ({"metrics": _MANY[::2], "relative": True, "adjust": "bh"}, "today"),
        ({"metrics": _MANY[1::2], "relative": True, "adjust": "bh"}, "log"),
        ({"metrics": ["field_ece", "field_rce"], "cluster": "user", "group": None, "field": "kind"}, "today"),
        ({**_SMOOTH, "test": "wilcoxon"}, "log"),
        ({**_SMOOTH, "test": "sign"}, "today"),
        ({**_SMOOTH, "test": "randomization"}, "log"),
    ],
    ids=[
        "first half",
        "second half",
        "first half, relative",
        "second half, relative",
        "fields",
        "wilcoxon",
        "sign",
        "randomization",
    ],
)
def test_the_same_digits_on_every_engine(further: dict[str, Any], relation: str, loaded: Engine) -> None:
    arguments: dict[str, Any] = {"label": "clicked", "group": "user", "by": [[], ["device"]], **further}
    data: Any = two_models(rows=600)
    if relation == "log":
        there = sqlmetrics.compare("log", score=["score", "other"], engine=loaded, **arguments)
        here = sqlmetrics.compare(data, score=["score", "other"], **arguments)
    else:
        data, yesterday = two_days()
        there = sqlmetrics.compare("today", score="score", against="yesterday", engine=loaded, **arguments)
        here = sqlmetrics.compare(data, score="score", against=yesterday, **arguments)
    # An end near 0 is the difference of two numbers of 0.1, each of which is right to a part in 1e9.
    pd.testing.assert_frame_equal(here, there, rtol=1e-9, atol=1e-10, check_exact=False)


def test_it_takes_what_evaluate_takes() -> None:
    """Weights, pre-aggregated rows, expressions, presets and filters go the same way."""
    data = two_models().assign(views=3, clicks=lambda d: d["clicked"] * 2)
    weighted = compared(data, "auc", weight="w", preset="sklearn", where="score > 0.2").iloc[0]
    kept = data[data["score"] > 0.2]
    assert weighted["value"] == pytest.approx(sk.roc_auc_score(kept["clicked"], kept["other"], sample_weight=kept["w"]))
    counted = compared(data, "copc", label=None, positives="clicks", total="views").iloc[0]
    assert counted["value"] == pytest.approx(data["clicks"].sum() / (3 * data["other"]).sum())
    named = compared(data, "auc", score=["new = other / 2", "score"], baseline="new", min_rows=100)
    assert named[["model", "baseline"]].to_numpy().tolist() == [["score", "new"]]
    assert compared(data, "auc", min_rows=1000).empty


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_small_slices_are_no_tests_to_adjust_for(test: str) -> None:
    """Those of `min_rows` and fewer are not shown, so that they cost the others nothing."""
    data = two_models(rows=800).assign(small=lambda d: np.where(d.index < 60, d.index // 10, 9))
    asked: dict[str, Any] = {"by": "small", "adjust": "holm", "test": test, "metrics": "brier"}
    every, large = compared(data, **asked), compared(data, **asked, min_rows=100)
    assert len(every) == 7
    assert large["p_adjusted"].tolist() == large["p_value"].tolist()
    assert large["p_value"].tolist() == pytest.approx(every["p_value"].tolist()[-1:], rel=1e-9)
    assert every["p_adjusted"].iloc[-1] > every["p_value"].iloc[-1]
    assert large.attrs["slices_left_out"] == 6


# Two relations


def two_days(shared: int = 12) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two logs of 30 and 25 users, some of whom are on both."""
    today, yesterday = log(30, 500, 4), log(25, 400, 9)
    return today, yesterday.assign(user=lambda d: d["user"] + 30 - shared)


def against(today: Any, yesterday: Any, metrics: Any, **arguments: Any) -> pd.DataFrame:
    return compared(today, metrics, **({"score": "score", "against": yesterday} | arguments))


def test_two_samples_against_delong_and_welch() -> None:
    """roc.test of pROC 1.18 of men against women, not paired: s100b D 0.501880774326713, df 106.462550028931645, p
    0.6167877592582418; ndka D -0.97888405398047, df 86.8079441412763515, p 0.3303574763092381. Means of rows: Welch's.
    """
    data = pd.DataFrame({"poor": POOR_OUTCOME.split(), "s100b": S100B.split(), "ndka": NDKA.split()}).astype(float)
    men = pd.Series(list(MEN)) == "1"
    expected = {"s100b": (0.501880774326713, 106.462550028931645, 0.6167877592582418),
                "ndka": (-0.97888405398047, 86.8079441412763515, 0.3303574763092381)}  # fmt: skip
    for score, (t, degrees, p) in expected.items():
        row = against(data[men], data[~men], "auc", label="poor", score=score, cluster=None).iloc[0]
        assert row["difference"] / row["standard_error"] == pytest.approx(t, rel=1e-12)
        half = stats.t(degrees).ppf(0.975) * row["standard_error"]
        assert row["difference_high"] - row["difference"] == pytest.approx(half, rel=1e-5)
        assert row["p_value"] == pytest.approx(p, rel=1e-4)
        assert (row["clusters"], row["shared_clusters"]) == (len(data), 0)
    today, yesterday = two_days()
    row = against(today, yesterday, "mae", score="y_hat", label="y", cluster=None).iloc[0]
    test = stats.ttest_ind(*((d["y"] - d["y_hat"]).abs() for d in (today, yesterday)), equal_var=False)
    assert row["difference"] / row["standard_error"] == pytest.approx(test.statistic, rel=1e-9)
    ends = test.confidence_interval(0.95)
    assert row[["difference_low", "difference_high"]].tolist() == pytest.approx(list(ends), rel=1e-5)
    assert row["p_value"] == pytest.approx(test.pvalue, rel=1e-3)
    assert row[["model", "baseline"]].tolist() == ["data", "against"]


def test_the_same_rows_are_paired() -> None:
    """Two models in two relations are what they are as two scores of one."""
    data = two_models()
    metrics = ["auc", "log_loss", "copc", "ks", "gauc"]
    both = compared(data, metrics, score=["score", "other"], group="user", by="device", relative=True, adjust="holm")
    apart = against(data.drop(columns="score").rename(columns={"other": "score"}), data, metrics, group="user",
                    by="device", relative=True, adjust="holm")  # fmt: skip
    assert (apart.pop("shared_clusters") == apart["clusters"]).all()
    names = ["model", "baseline"]
    pd.testing.assert_frame_equal(both.drop(columns=names), apart.drop(columns=names), rtol=1e-9, atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(
    "metric",
    ["log_loss", "macro_f1", *slow("auc", "copc", "f1", "mae", "rmse", "normalized_entropy", "multi_mcc", "field_ece",
                                   "weighted_kappa(weights='linear')")],
)  # fmt: skip
@pytest.mark.parametrize("relative", [False, True])
def test_clusters_of_one_relation_or_of_both(metric: str, relative: bool) -> None:
    """Derivatives by the weight of each cluster; those of either relation have its C / (C - 1)."""
    days = two_days()
    value = {**SMOOTH, **OF_CLASSES}[metric]
    step = step_of(metric)
    row = against(*days, metric, relative=relative, **({"score": None} | roles_of(metric))).iloc[0]
    values = [value(day, np.ones(len(day))) for day in days]
    slopes: list[dict[Any, float]] = []
    for day in days:
        found = {}
        for one in day["user"].unique():
            mask = (day["user"] == one).to_numpy(dtype=float)
            wide, narrow = ((value(day, 1 + h * mask) - value(day, 1 - h * mask)) / (2 * h) for h in (2 * step, step))
            found[one] = (4 * narrow - wide) / 3
        count = len(found)
        slopes.append({one: slope * np.sqrt(count / (count - 1)) for one, slope in found.items()})
    scale = [1 / abs(values[1]), values[0] / values[1] / abs(values[1])] if relative else [1, 1]
    strata: dict[tuple[bool, bool], list[float]] = {}
    for one in {**slopes[0], **slopes[1]}:
        difference = scale[0] * slopes[0].get(one, 0) - scale[1] * slopes[1].get(one, 0)
        strata.setdefault((one in slopes[0], one in slopes[1]), []).append(difference)
    variances = [(sum(np.square(found)), len(found)) for found in strata.values()]
    variance = sum(one for one, _ in variances)
    degrees = variance**2 / sum(one**2 / (count - 1) for one, count in variances)
    assert row["standard_error"] == pytest.approx(np.sqrt(variance), rel=5e-8)
    reach = stats.t(degrees).ppf(0.975) * row["standard_error"]
    assert row["difference_high"] - row["difference"] == pytest.approx(reach, rel=1e-4)
    assert (row["clusters"], row["shared_clusters"]) == (43, 12)
    assert len(strata) == 3


@pytest.mark.parametrize("shared", [0, 12])
def test_buckets_of_two_relations(shared: int) -> None:
    """A bucket is left out of both, also where only one of them has it."""
    today, yesterday = two_days(shared)
    yesterday = yesterday[yesterday["user"] < 42]  # few users, so not every bucket
    row = against(today, yesterday, "discrimination").iloc[0]
    value = NOT_SMOOTH["discrimination"]
    buckets = [day["user"].map(lambda user: bucket(str(user))) for day in (today, yesterday)]
    every = sorted({*buckets[0], *buckets[1]})
    assert set(buckets[0]) != set(buckets[1])
    differences = [value(today[buckets[0] != one]) - value(yesterday[buckets[1] != one]) for one in every]
    count = len(every)
    error = np.sqrt((count - 1) / count * np.sum(np.square(differences - np.mean(differences))))
    assert row["standard_error"] == pytest.approx(error, rel=1e-9)
    users = [set(day["user"]) for day in (today, yesterday)]
    assert (row["clusters"], row["shared_clusters"]) == (len(users[0] | users[1]), len(users[0] & users[1]))


@pytest.mark.parametrize("metric", ["recall", "accuracy", "auc", "macro_recall", "pr_auc", "medae"])
def test_a_relation_of_one_kind_is_not_known_for_sure(metric: str) -> None:
    """Three rows that are all right do not say how many of the next ones are: of recall, Fisher's p is 0.25."""
    right = pd.DataFrame({"label": [1, 1, 1, 0, 0], "called": [1, 1, 1, 0, 0]})
    half = pd.DataFrame({"label": [1, 0] * 500, "called": [0] * 500 + [1] * 500})
    roles = {"label": "label", "score" if metric != "macro_recall" else "prediction": "called"}
    for one, other in ((right, half), (half, right), (right, pd.concat([right, right]))):
        found = sqlmetrics.compare(one, metric, against=other, **roles).iloc[0]
        told = ["difference_low", "difference_high", "standard_error", "p_value", "verdict", "detectable_difference"]
        assert found[told].isna().all(), found
        both = pd.concat([one.assign(slice="a"), other.assign(slice="b")])
        gap = sqlmetrics.gaps(both, metric, by="slice", confidence=0.95, **roles).iloc[0]
        assert gap[["difference_low", "difference_high", "standard_error", "p_value"]].isna().all(), gap


def test_slices_that_only_one_relation_has() -> None:
    today, yesterday = two_days()
    found = against(today[today["device"] != "b"], yesterday[yesterday["device"] != "a"], ["auc", "log_loss"],
                    by="device")  # fmt: skip
    assert found.groupby("device", dropna=False)[["value", "baseline_value"]].count().to_dict("index") == {
        "a": {"value": 2, "baseline_value": 0}, "b": {"value": 0, "baseline_value": 2},
        np.nan: {"value": 2, "baseline_value": 2}}  # fmt: skip
    lost = found["device"].notna()
    assert found.loc[lost, ["difference", "p_value", "verdict"]].isna().all(axis=None)
    assert found.loc[~lost, "verdict"].notna().all()
    assert found.loc[found["device"] == "b", "n"].tolist() == [0, 0]


def test_two_runs_of_a_search_engine_are_joined_on_topics() -> None:
    """The same topics, each of which counts in both, whether a run has found something or not: a paired t-test."""
    rng = np.random.default_rng(3)
    topics = [f"q{number}" for number in range(40)]
    judged = pd.DataFrame([(topic, f"d{doc}", float(rng.random() < 0.3)) for topic in topics for doc in range(20)],
                          columns=["topic", "doc", "relevance"])  # fmt: skip
    truth = judged["relevance"].to_numpy()
    runs = [judged[["topic", "doc"]].assign(score=truth * strength + rng.random(len(judged)))
            [rng.random(len(judged)) < 0.7] for strength in (0.9, 0.5)]  # fmt: skip
    runs[1] = runs[1][runs[1]["topic"] != "q7"]
    roles = {"label": "relevance", "group": "topic", "item": "doc", "judgments": judged}
    row = against(*runs, "ndcg@10", cluster=None, **roles).iloc[0]
    values = [sqlmetrics.per_group(run, "ndcg@10", score="score", **roles).set_index("topic")["ndcg_at_10"]
              for run in runs]  # fmt: skip
    assert values[1]["q7"] == 0
    test = stats.ttest_rel(*values)
    assert row["difference"] / row["standard_error"] == pytest.approx(test.statistic, rel=1e-9)
    assert (row["clusters"], row["shared_clusters"]) == (40, 40)
    assert row["p_value"] == pytest.approx(test.pvalue, rel=1e-2)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"score": ["score", "w"]}, "against compares two relations by one score"),
        ({"baseline": "score"}, "against is the baseline itself"),
        ({"by": "shared_clusters = device"}, "has the name of a column of every comparison"),
        ({"cluster": "= floor(w)"}, None),
        ({"by": "gone = y_hat"}, None),
    ],
)
def test_what_is_refused_of_two_relations(wrong: dict[str, Any], words: str | None) -> None:
    today, yesterday = two_days()
    arguments: dict[str, Any] = {"metrics": "auc", **wrong}
    if words is None:
        against(today, yesterday, **arguments)
        yesterday, words = yesterday.drop(columns=["w", "y_hat"]), "there is no column|cannot be found|not found"
    with pytest.raises(sqlmetrics.SqlMetricsError, match=words):
        against(today, yesterday, **arguments)


def test_keys_of_two_relations_are_of_one_kind(tmp_path: Any) -> None:
    today, yesterday = two_days()
    for changed in (yesterday.assign(user=yesterday["user"].astype(str)),
                    yesterday.assign(device=1, user=yesterday["user"])):  # fmt: skip
        with pytest.raises(sqlmetrics.BadData, match=r"(user|device)' is .* in the data and .* in against"):
            against(today, changed, "auc", by="device")
    wide = [day.assign(user=day["user"] + 2**60) for day in (today, yesterday)]
    assert against(*wide, "auc").iloc[0]["clusters"] == 43
    with pytest.raises(sqlmetrics.BadData, match="numbers that differ would be one"):
        against(wide[0], wide[1].astype({"user": "float64"}), "auc")
    expected = against(today, yesterday, "auc", by="device")
    narrow = yesterday.astype({"user": "float64", "clicked": "bool", "device": "category"})
    pd.testing.assert_frame_equal(against(today, narrow, "auc", by="device"), expected)
    yesterday.to_csv(tmp_path / "yesterday.csv", index=False)
    today.to_parquet(tmp_path / "today.parquet")
    files = against(tmp_path / "today.parquet", str(tmp_path / "yesterday.csv"), "auc", by="device")
    pd.testing.assert_frame_equal(files, expected, rtol=1e-12)


def test_rows_left_out_of_either_relation_are_told() -> None:
    today, yesterday = two_days()
    yesterday.loc[:4, "score"] = None
    with pytest.warns(sqlmetrics.DroppedRows, match=r"score .* in 5 rows"):
        found = against(today, yesterday, "auc")
    pd.testing.assert_frame_equal(found, against(today, yesterday.dropna(subset="score"), "auc"))
    with pytest.raises(sqlmetrics.BadData, match=r"score \(column 'score'\) of against: 400 rows are outside"):
        against(today, yesterday.assign(score=2.0), "log_loss")


# Tests of values per query


def values_per_query(data: pd.DataFrame, metric: str) -> pd.Series:
    """The differences query by query; what is lost in the last digits of a sum is none."""
    groups = sqlmetrics.per_group(data, metric, label="grade", score=["score", "other"], group="user")
    values = groups.pivot_table(index="user", columns="model", values=groups.columns[-1]).dropna()
    differences = values["other"] - values["score"]
    return (differences / differences.abs().max()).round(12)


def sign_of(cluster: Any, replicate: int, seed: int) -> int:
    """As a digit of the digest of cluster, block and seed decides."""
    block, place = divmod(replicate, 32)
    digest = hashlib.md5(f"{cluster}:{block}:{seed}".encode()).hexdigest()
    return 1 if int(digest[place], 16) < 8 else -1


@pytest.mark.one_in(2)
@pytest.mark.parametrize("metric", ["ndcg@5", "mrr"])
def test_values_per_query_against_scipy(metric: str) -> None:
    data = two_models(rows=700).assign(grade=lambda d: d["clicked"] * 2)
    differences = values_per_query(data, metric)
    above, unequal = int((differences > 0).sum()), int((differences != 0).sum())
    assert 10 < unequal <= len(differences)
    expected = {
        "t": (stats.ttest_1samp(differences, 0).pvalue, 1e-2),
        "wilcoxon": (stats.wilcoxon(differences, method="asymptotic").pvalue, 1e-9),
        "sign": (stats.binomtest(above, unequal).pvalue, 1e-9),
    }
    roles: dict[str, Any] = {"label": "grade", "group": "user", "cluster": None}
    for test, (p, within) in expected.items():
        row = compared(data, metric, test=test, **roles).iloc[0]
        assert row["p_value"] == pytest.approx(p, rel=within), test
    row = compared(data, metric, test="randomization", replicates=999, seed=7, **roles).iloc[0]
    seen = abs(differences.sum()) * (1 - 1e-9)
    flipped = [abs(sum(sign_of(one, place, 7) * value for one, value in differences.items())) for place in range(999)]
    assert row["p_value"] == (1 + sum(one >= seen for one in flipped)) / 1000
    exact = stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=4_000, rng=1)
    assert row["p_value"] == pytest.approx(exact.pvalue, abs=0.05)


@pytest.mark.slow
def test_values_of_many_rows_and_of_users() -> None:
    """Without a cluster each row is one: the tests of thousands of losses; with one, the mean loss of a user."""
    data = two_models(rows=6000, clusters=50)
    loss = {name: -np.log(np.where(data["clicked"] == 1, data[name], 1 - data[name])) for name in ("score", "other")}
    rows = pd.Series(loss["other"] - loss["score"])
    for differences, cluster in ((rows, None), (rows.groupby(data["user"]).mean(), "user")):
        scaled = (differences / differences.abs().max()).round(12)
        above, unequal = int((scaled > 0).sum()), int((scaled != 0).sum())
        sign = compared(data, "log_loss", test="sign", cluster=cluster).iloc[0]
        assert sign["p_value"] == pytest.approx(stats.binomtest(above, unequal).pvalue, rel=1e-8)
        ranks = compared(data, "log_loss", test="wilcoxon", cluster=cluster).iloc[0]
        assert ranks["p_value"] == pytest.approx(stats.wilcoxon(scaled, method="asymptotic").pvalue, rel=1e-8)
        low = compared(data, "log_loss", cluster=cluster).iloc[0]["difference_low"]
        assert ranks["difference_low"] == pytest.approx(low, rel=1e-9)


def test_few_values_are_never_surer_than_their_signs() -> None:
    """Five queries that all agree may do so by chance once in sixteen; equal models do not differ by any test."""
    rows = [{"q": q, "y": y, "old": 1 - y, "new": y} for q in range(5) for y in (0, 1)]
    data = pd.DataFrame(rows).assign(same=lambda d: d["old"])
    for test in ("wilcoxon", "sign"):
        given = {"label": "y", "group": "q", "cluster": None, "test": test}
        row = compared(data, "mrr", score=["old", "new"], **given).iloc[0]
        assert row["p_value"] == pytest.approx(1 / 16)
        assert row["verdict"] == "no difference seen"
        assert compared(data, "mrr", score=["old", "same"], **given)["p_value"].tolist() == [1]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("metric", "test"),
    [(metric, test) for metric in ("mae", "log_loss", "mse") for test in ("wilcoxon", "sign")]
    + [("mse", "randomization"), *slow(("mae", "randomization"), ("log_loss", "randomization"))],
)
def test_last_digits_are_no_differences(metric: str, test: str) -> None:
    """Engines add in orders of their own: what these make of two equal models was tested, and is another on each."""
    rng = np.random.default_rng(11)
    data = pd.DataFrame({"y": rng.integers(0, 2, 400), "score": rng.random(400), "user": np.arange(400) % 80})
    data["other"] = (data["score"] * 3 + 1) / 3 - 1 / 3
    assert (data["other"] != data["score"]).mean() > 0.3
    for cluster in (None, "user"):
        row = compared(data, metric, label="y", test=test, cluster=cluster).iloc[0]
        assert row["p_value"] == 1
        assert row["verdict"] == "no difference seen"


def test_ranks_that_lean_against_the_mean() -> None:
    """Most queries are a little better, and a few far worse: neither model is the better one."""
    rng = np.random.default_rng(0)
    loss = np.where(np.arange(300) % 10 == 0, 0.9, -0.05 + rng.normal(0, 0.01, 300))
    data = pd.DataFrame({"y": 0.0, "old": 0.1, "new": 0.1 + loss.clip(-0.09)})
    found = {test: compared(data, "mae", label="y", score=["old", "new"], cluster=None, test=test).iloc[0]
             for test in ("t", "sign", "wilcoxon")}  # fmt: skip
    assert found["t"]["verdict"] == "worse"
    assert found["sign"]["p_value"] < 1e-6
    assert {found[test]["verdict"] for test in ("sign", "wilcoxon")} == {"different"}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"test": "mannwhitney"}, "test must be 't', 'wilcoxon', 'sign' or 'randomization'"),
        ({"test": "sign", "metrics": "auc"}, "test: auc has no value of one cluster alone"),
        ({"test": "wilcoxon", "metrics": ["mae", "ks"]}, "test: ks has no value of one cluster alone"),
        ({"test": "sign", "metrics": "copc"}, "copc is best near 1, and sign is about what is higher"),
        ({"replicates": 100}, "replicates has a meaning with"),
        ({"seed": 3, "test": "sign"}, "seed has a meaning with"),
        ({"test": "randomization", "replicates": 3}, "replicates must be a whole number from 20"),
        ({"anytime": "yes"}, "anytime must be true, false or a number"),
        ({"anytime": 1}, "anytime must be true, false or a number"),
        ({"anytime": True, "test": "sign"}, "anytime goes with the test 't'"),
        ({"anytime": True, "method": "bootstrap"}, "anytime goes with method='jackknife'"),
    ],
)
def test_what_is_refused_of_tests(wrong: dict[str, Any], words: str) -> None:
    arguments: dict[str, Any] = {"metrics": "log_loss", **wrong}
    with pytest.raises(sqlmetrics.SqlMetricsError, match=words):
        compared(two_models(), **arguments)


# Looked at again and again


def boundary(clusters: float, confidence: float, shortest: float) -> float:
    """Of Waudby-Smith and others (2021), written out."""
    alpha = 1 - confidence
    variance = (-2 * np.log(alpha) + np.log(-2 * np.log(alpha)) + 1) / shortest
    mixed = clusters * variance
    return float(np.sqrt(2 * (mixed + 1) / mixed * np.log(np.sqrt(mixed + 1) / alpha)))


@pytest.mark.parametrize(("anytime", "shortest"), [(True, 1000), (50, 50)])
def test_confidence_sequences(anytime: Any, shortest: int) -> None:
    data = two_models(rows=900, clusters=90)
    given = {"label": "clicked", "score": "score", "cluster": "user", "confidence": 0.9, "standard_error": True}
    for metric in ("log_loss", "auc", "ks"):
        once = sqlmetrics.evaluate(data, metric, **given).iloc[0]
        always = sqlmetrics.evaluate(data, metric, anytime=anytime, **given).iloc[0]
        assert always[f"{metric}_se"] == pytest.approx(once[f"{metric}_se"], rel=1e-9)
        ratio = boundary(90, 0.9, shortest) / stats.norm.ppf(0.95)
        for end in ("low", "high"):
            reach = [abs(one[f"{metric}_{end}"] - one[metric]) for one in (once, always)]
            assert reach[1] / reach[0] == pytest.approx(ratio, rel=1e-9)
    row = compared(data, "log_loss", anytime=anytime, confidence=0.9).iloc[0]
    ends = row[["difference_low", "difference_high"]].tolist()
    assert (row["p_value"] < 0.1) == (ends[0] > 0 or ends[1] < 0)
    variance = boundary(90, 0.9, shortest)
    z = abs(row["difference"]) / (ends[1] - row["difference"]) * variance
    mixed = 90 * (-2 * np.log(0.1) + np.log(-2 * np.log(0.1)) + 1) / shortest
    expected = min(1, np.sqrt(mixed + 1) * np.exp(-(z**2) * mixed / (2 * (mixed + 1))))
    assert row["p_value"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
def test_a_sequence_raises_few_false_alarms() -> None:
    """Sixty looks at two hundred logs without any error: a third of them leave the fixed interval, few the sequence."""
    rng = np.random.default_rng(5)
    logs, days, daily = 200, 60, 40
    day_of = np.tile(np.repeat(np.arange(days), daily), logs)
    data = pd.DataFrame({"log": np.repeat(np.arange(logs), days * daily), "day": day_of,
                         "y": rng.normal(0, 1, logs * days * daily), "s": 0.0})  # fmt: skip
    alarms = {False: np.zeros(logs, dtype=bool), 1200: np.zeros(logs, dtype=bool)}
    for day in range(days):
        seen = data[data["day"] <= day]
        for anytime in alarms:
            found = sqlmetrics.mean_error(seen, label="y", score="s", by="log", confidence=0.95, anytime=anytime)
            alarms[anytime] |= (found["mean_error_low"] > 0) | (found["mean_error_high"] < 0)
    assert 0.2 < alarms[False].mean() < 0.5
    assert alarms[1200].mean() <= 0.05


@pytest.mark.parametrize("options", [
    {}, {"adjust": None}, {"adjust": "bh"}, {"relative": True}, {"test": "wilcoxon"}, {"anytime": True},
    {"method": "bootstrap", "replicates": 60},
])  # fmt: skip
def test_the_verdict_follows_the_p_value(options: dict[str, Any]) -> None:
    """A difference is reported where p_adjusted is below the level, and nowhere else, whatever value is best."""
    metrics = [
        "copc",
        "pcoc",
        "mean_error",
        "calibration_slope",
        "calibration_intercept",
        "auc",
        "log_loss",
        "copc_b = copc",
    ]
    if "test" in options:
        metrics = ["log_loss", "brier", "mae"]
    data = two_models(rows=3000)
    scores = {f"times_{factor}": data["score"] * factor for factor in (0.4, 0.7, 0.95, 1.0, 1.05, 1.3, 1.6)}
    data = data.assign(**{name: column.clip(0.001, 0.999) for name, column in scores.items()})
    found = compared(data, metrics, score=[*scores], confidence=0.9, **options)
    level = 1 - 0.9
    seen = found["p_adjusted"] < level
    assert 0 < seen.sum() < len(found)
    assert (found.loc[~seen & found["p_adjusted"].notna(), "verdict"] == "no difference seen").all()
    assert found.loc[found["p_adjusted"].isna(), "verdict"].isna().all()
    directed = {"better", "worse", "different", "differs, not closer to 1", "differs, not closer to 0"}
    assert set(found.loc[seen, "verdict"]) <= directed
    ideal = found["metric"].map({"copc": 1, "copc_b": 1, "pcoc": 1, "calibration_slope": 1}).fillna(0)
    either_side = (found["value"] - ideal) * (found["baseline_value"] - ideal) < 0
    assert either_side[found["verdict"].astype(str).str.startswith("differs")].all()
