"""Comparisons of models: against DeLong's test as pROC has it, SciPy, statsmodels and derivatives of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import special, stats
from sklearn import metrics as sk

import sqlmetrics

from . import optional
from .engine_servers import ENGINES
from .test_intervals import NDKA, NOT_SMOOTH, POOR_OUTCOME, S100B, SMOOTH, WFNS, bucket, log, roles_of


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
    score, other = ("y_hat", "other_hat") if metric in ("mae", "rmse") else ("score", "other")

    def difference(weights: Any) -> float:
        baseline, model = value(data, weights), value(data.assign(**{score: data[other]}), weights)
        return (model - baseline) / abs(baseline) if relative else model - baseline

    def slope(mask: Any, step: float) -> float:
        return (difference(1 + step * mask) - difference(1 - step * mask)) / (2 * step)

    influences = []
    for one in pd.unique(cluster):
        mask = (cluster == one).astype(float)
        influences.append((4 * slope(mask, 5e-3) - slope(mask, 1e-2)) / 3)
    count = len(influences)
    return float(np.sqrt(count / (count - 1) * np.sum(np.square(influences))))


@pytest.mark.parametrize(
    ("metric", "relative"),
    [pytest.param(metric, relative, marks=[] if metric in ("auc", "log_loss", "copc") else pytest.mark.full)
     for metric in SMOOTH for relative in (False, True)],
)  # fmt: skip
def test_smooth_metrics_against_derivatives(metric: str, relative: bool) -> None:
    data = two_models()
    roles = roles_of(metric) | ({"score": ["y_hat", "other_hat"]} if metric in ("mae", "rmse") else
                                {"score": ["score", "other"]})  # fmt: skip
    row = compared(data, metric, relative=relative, **roles).iloc[0]
    error = error_of_difference(data, metric, data["user"], relative)
    assert row["standard_error"] == pytest.approx(error, rel=5e-8)
    scale = abs(row["baseline_value"]) if relative else 1
    assert row["difference"] == pytest.approx((row["value"] - row["baseline_value"]) / scale, rel=1e-12, abs=1e-15)
    half = row["difference"] - row["difference_low"]
    assert half == pytest.approx(stats.t(29).ppf(0.975) * row["standard_error"], rel=1e-4)
    assert row["difference_high"] - row["difference"] == pytest.approx(half, rel=1e-12)
    t = abs(row["difference"] / row["standard_error"])
    assert row["p_value"] == pytest.approx(2 * stats.t(29).sf(t), rel=1e-2)
    power = half + stats.norm.ppf(0.8) * row["standard_error"]
    assert row["detectable_difference"] == pytest.approx(power, rel=1e-12)
    assert (row["n"], row["clusters"]) == (400, 30)


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
    [pytest.param(metric, cluster, marks=[] if metric == "ks" else pytest.mark.full)
     for metric in NOT_SMOOTH for cluster in ("user", None)],
)  # fmt: skip
def test_other_metrics_against_twenty_buckets(metric: str, cluster: str | None) -> None:
    data = two_models(rows=901)
    row = compared(data, metric, cluster=cluster).iloc[0]
    if cluster is None:  # rows in the order of what they hold
        data = data.sort_values(["score", "other", "clicked"], kind="stable", ignore_index=True)
        buckets = pd.Series([bucket(str(place + 1)) for place in range(len(data))])
    else:
        buckets = data["user"].map(lambda user: bucket(str(user)))
    value = NOT_SMOOTH[metric]
    differences = [value(kept.assign(score=kept["other"])) - value(kept)
                   for kept in (data[buckets != one] for one in pd.unique(buckets))]  # fmt: skip
    count = len(differences)
    error = np.sqrt((count - 1) / count * np.sum(np.square(differences - np.mean(differences))))
    assert row["standard_error"] == pytest.approx(error, rel=1e-9, abs=1e-15)
    if row["difference"] != 0:
        t = abs(row["difference"]) / row["standard_error"]
        assert row["p_value"] == pytest.approx(2 * stats.t(count - 1).sf(t), rel=1e-2)


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


def test_models_are_compared_on_the_rows_that_all_score() -> None:
    data = two_models()
    data.loc[::3, "other"] = None
    with pytest.warns(sqlmetrics.DroppedRows, match=r"score \(column 'other'\) in 134 rows"):
        found = compared(data, ["auc", "log_loss", "ks"])
    common = compared(data.dropna(subset="other"), ["auc", "log_loss", "ks"])
    pd.testing.assert_frame_equal(found, common)
    with pytest.raises(sqlmetrics.BadData, match="134 rows"):
        compared(data, "auc", strict=True)


@pytest.mark.full
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
    assert even["verdict"] == "no difference seen"


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
        assert verdict == ("worse" if confidence < 1 - p else "no difference seen")


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
        ({"by": "verdict = device"}, "has the name of a column of every comparison"),
        ({"cluster": "nobody"}, "nobody"),
    ],
)
def test_what_is_refused(wrong: dict[str, Any], words: str) -> None:
    arguments: dict[str, Any] = {"metrics": "auc", **wrong}
    with pytest.raises(sqlmetrics.SqlMetricsError, match=words):
        compared(two_models(), **arguments)


@pytest.mark.full
@pytest.mark.parametrize("name", ENGINES)
def test_the_same_digits_on_every_engine(name: str) -> None:
    data = two_models(rows=600)
    metrics = ["auc", "log_loss", "f1", "copc", "ks", "gauc", "ndcg@5", "average_precision", "medae"]
    arguments: dict[str, Any] = {"label": "clicked", "score": ["score", "other"], "group": "user",
                                 "by": [[], ["device"]]}  # fmt: skip
    with ENGINES[name]({"log": pa.Table.from_pandas(data, preserve_index=False)}) as engine:
        for further in ({"cluster": "user"}, {"relative": True, "adjust": "bh"}):
            here = sqlmetrics.compare(data, metrics, **arguments, **further)
            there = sqlmetrics.compare("log", metrics, engine=engine, **arguments, **further)
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
