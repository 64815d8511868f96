"""Comparisons of models: against DeLong's test of pROC, SciPy, statsmodels and derivatives by weights of clusters."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy import special, stats
from sklearn import metrics as sk
from statsmodels.stats.multitest import multipletests

import sqlmetrics
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.rendering.macros import call_macro, render_macro
from tests.parameters import slow
from tests.statistics.copies import clustered_error, influences, jackknife_error, named, values_of, without_each_bucket
from tests.statistics.test_intervals import (
    CLASS_METRICS,
    PATIENTS,
    SMOOTH,
    SURE,
    contributing_rows,
    log,
    metric_groups,
    roles_of,
    slopes_of,
)

CLICKS = {"label": "clicked", "score": "score"}
ENDS = ["difference_low", "difference_high"]
#: The columns that are NULL if a difference has no error.
TESTED = [*ENDS, "standard_error", "p_value", "verdict"]


def two_days(shared: int = 12) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two logs of 30 and 25 users with some users in common."""
    return log(500, 30, 4), log(400, 25, 9).assign(user=lambda d: d["user"] + 30 - shared)


def compare(data: Any, metrics: Any, **arguments: Any) -> pd.DataFrame:
    defaults = {"label": "clicked", "score": ["score", "other"], "cluster": "user", "adjust": None}
    return sqlmetrics.compare(data, metrics, **(defaults | arguments))


def compare_days(today: Any, yesterday: Any, metrics: Any, **arguments: Any) -> pd.DataFrame:
    return compare(today, metrics, **({"score": "score", "against": yesterday} | arguments))


# One relation


@pytest.mark.parametrize(("metrics", "relative", "large"), [
    *slow((["copc"], False, True), (["auc", "log_loss"], True, True),
          *[(group, index % 2 == 0, False) for index, group in enumerate(metric_groups([*SMOOTH, *CLASS_METRICS]))])
])  # fmt: skip
def test_standard_errors_match_derivatives(metrics: list[str], relative: bool, large: bool) -> None:
    """For a value, two models, and two relations; a cluster of both relations has a single influence."""
    today, yesterday = two_days() if large else (log(120, 6), log(100, 5, 9).assign(user=lambda d: d["user"] + 3))
    roles: dict[str, Any] = roles_of(metrics[0])
    logs = {"today": today, "yesterday": yesterday}
    options = {"weight": "w", "cluster": "user", **roles}
    evaluated = sqlmetrics.evaluate(today, named(metrics), **SURE, **options).iloc[0]
    options |= {"relative": relative, "score": None}
    results = {"yesterday": compare_days(today, yesterday, named(metrics), **options | roles)}
    if "score" in roles:
        models = ["y_hat", "other_hat"] if roles["score"] == "y_hat" else ["score", "other"]
        logs["other"] = today.assign(**{models[0]: today[models[1]]})
        results["other"] = compare(today, named(metrics), **options | {"score": models})
    slopes_of_metrics = {name: slopes_of(rows, metrics, rows["user"]) for name, rows in logs.items()}
    values_of_metrics = {name: values_of([rows], metrics, weight="w", **roles)[0] for name, rows in logs.items()}
    for index, metric in enumerate(metrics):
        slopes, values = ({name: of[index] for name, of in table.items()}
                          for table in (slopes_of_metrics, values_of_metrics))  # fmt: skip
        contributing = {name: rows["user"][contributing_rows(metric, rows)].unique() for name, rows in logs.items()}
        error, count = clustered_error(slopes["today"], len(contributing["today"])), len(contributing["today"])
        assert evaluated[f"m{index}_se"] == pytest.approx(error, rel=1e-8), metric
        if large:
            ends = [values["today"] + sign * stats.t(count - 1).ppf(0.975) * error for sign in (-1, 1)]
            assert evaluated[[f"m{index}_low", f"m{index}_high"]].tolist() == pytest.approx(ends, rel=1e-3)
        for side, result in results.items():
            row = result.iloc[index]
            model, baseline = ("today", "yesterday") if side == "yesterday" else ("other", "today")
            scale = [1 / abs(values[baseline]), values[model] / values[baseline] / abs(values[baseline])]
            scale = scale if relative else [1, 1]
            if side == "yesterday":  # each with its C / (C - 1), and a stratum for the clusters of both
                terms = [slopes[name] * scale[number] * np.sqrt(len(contributing[name]) / (len(contributing[name]) - 1))
                         for number, name in enumerate((model, baseline))]  # fmt: skip
                differences = terms[0].sub(terms[1], fill_value=0)
                members = np.array([differences.index.isin(contributing[name]) for name in (model, baseline)])
                strata = (differences**2).groupby(members[0] + 2 * members[1]).agg(["sum", "count"])
                strata = strata.drop(0, errors="ignore")
                variance = strata["sum"].sum()
                degrees = variance**2 / (strata["sum"] ** 2 / (strata["count"] - 1)).sum()
                assert row["shared_clusters"] == members.all(axis=0).sum()
                count = members.any(axis=0).sum()
            else:
                count = len({*contributing["today"], *contributing["other"]})
                differences = slopes[model] * scale[0] - slopes[baseline] * scale[1]
                variance, degrees = clustered_error(differences, count) ** 2, count - 1
            difference = (values[model] - values[baseline]) * (1 / abs(values[baseline]) if relative else 1)
            assert row["difference"] == pytest.approx(difference, rel=1e-9, abs=1e-15), (metric, side)
            assert row["standard_error"] == pytest.approx(np.sqrt(variance), rel=5e-8), (metric, side)
            assert row["clusters"] == count
            if large:
                student, t = stats.t(degrees), abs(difference) / np.sqrt(variance)
                for end in (difference - row["difference_low"], row["difference_high"] - difference):
                    assert end == pytest.approx(student.ppf(0.975) * np.sqrt(variance), rel=1e-4)
                assert row["p_value"] == pytest.approx(2 * student.sf(t), rel=1e-2)
                detectable = row["detectable_difference"] / row["standard_error"]
                assert detectable == pytest.approx(student.ppf(0.975) + student.ppf(0.8), rel=1e-3)
                assert stats.nct(degrees, detectable).sf(student.ppf(0.975)) == pytest.approx(0.8, abs=0.01)


def test_compare_matches_delong_of_proc() -> None:
    """roc.test of pROC 1.18, paired: z 2.20898359144091, p 0.0271757822291882."""
    result = compare(PATIENTS, "auc", label="poor", score=["s100b", "wfns", "ndka"], cluster=None)
    row = result.set_index("model").loc["wfns"]
    assert row["difference"] / row["standard_error"] == pytest.approx(2.20898359144091, rel=1e-12)
    assert row["p_value"] == pytest.approx(0.0271757822291882, rel=1e-12)
    assert row["verdict"] == "better"
    assert result["baseline"].tolist() == ["s100b", "s100b"]


@pytest.mark.parametrize(("cluster", "weight", "minority"), slow((None, "w", 1), ("user", "w", 0)))
def test_single_minority_cluster_has_no_interval(cluster: str | None, weight: str | None, minority: int) -> None:
    """Without that cluster there is no value; pROC returns NA for a single case."""
    data = log(60).assign(w=lambda d: 1 + d.index % 3)
    of_minority = data["user"] == data["user"][7] if cluster else data.index == 7
    data = data.assign(clicked=of_minority == (minority == 1))
    names = ["auc", "ks", "balanced_accuracy", "mcc", "normalized_entropy", *(["recall"] if minority else [])]
    roles: dict[str, Any] = {"cluster": cluster, "weight": weight}
    row = sqlmetrics.evaluate(data, names, **CLICKS, confidence=0.95, standard_error=True, **roles).iloc[0]
    assert row[names].notna().all()
    assert row[[f"{name}{end}" for name in names for end in ("_low", "_high", "_se")]].isna().all()
    pairs = compare(data, names, **roles)
    assert pairs["difference"].notna().all()
    assert pairs[TESTED].isna().all(axis=None)


@pytest.mark.parametrize("rows", [3, *slow(10)])
def test_degenerate_rates_have_exact_bounds(rows: int) -> None:
    """Rows that are all correct: Clopper and Pearson's bound, and the p-value of sign flips."""
    data = pd.DataFrame({"y": [1.0] * rows + [0.0] * 5, "a": [0.9] * rows + [0.1] * 5, "b": [0.2] * rows + [0.1] * 5})

    def bound(count: int) -> float:
        return float(stats.binomtest(count, count).proportion_ci(0.9, method="exact").low)

    def ends(metrics: str, score: str = "a") -> Any:
        row = sqlmetrics.evaluate(data, metrics, label="y", score=score, confidence=0.9, standard_error=True).iloc[0]
        assert row.reindex(["recall_se", "precision_se", "mae_se"]).isna().all()
        return {name: row[[f"{name}_low", f"{name}_high"]].tolist() for name in metrics.split(", ")}

    # The smaller class limits the certainty of a perfect order.
    positives, every, smaller = ([bound(count), 1.0] for count in (rows, rows + 5, min(rows, 5)))
    bounds = ends("recall, precision, accuracy, error_rate, auc, ks")
    expected = {"recall": positives, "precision": positives, "accuracy": every, "error_rate": [0, 1 - every[0]],
                "auc": smaller, "ks": smaller}  # fmt: skip
    assert [*bounds] == [*expected]
    for name, values in expected.items():
        assert bounds[name] == pytest.approx(values, rel=1e-12), name
    assert ends("recall", "b")["recall"] == pytest.approx([0, 1 - positives[0]], rel=1e-12)
    pair = sqlmetrics.compare(data, "recall", label="y", score=["a", "b"]).iloc[0]
    signs = 2 * stats.binom.sf(rows - 1, rows, 0.5)
    assert pair["p_value"] == pytest.approx(signs, rel=1e-12)
    assert pair["verdict"] == ("worse" if signs < 0.05 else "no difference seen")
    assert pair[[*TESTED[:3], "detectable_difference"]].isna().all()
    data["y"] = data["a"] + 0.3  # a constant error has no bound
    assert pd.isna([*ends("mean_error, mae").values()]).all()


def test_group_in_two_clusters_is_rejected() -> None:
    """A missing cluster is a cluster, too."""
    data = log(80).assign(session=lambda d: d["user"] * 1.0, half=lambda d: d["user"] % 2)
    data.loc[data.index[data["user"] == data["user"][3]][:1], "session"] = np.nan
    roles: dict[str, Any] = {**CLICKS, "group": "user", "cluster": "session"}
    for function, arguments in (
        (sqlmetrics.evaluate, {"confidence": 0.9}), (sqlmetrics.evaluate, {"confidence": 0.9, "method": "bootstrap"}),
        (sqlmetrics.compare, {"score": ["score", "other"]}), (sqlmetrics.compare, {"against": data}),
        (sqlmetrics.gaps, {"by": "half", "confidence": 0.9}),
    ):  # fmt: skip
        with pytest.raises(sqlmetrics.BadData, match="cluster has two values in one group"):
            function(data, "log_loss, gauc", **roles | arguments)
    # Rows that no metric uses do not count, and a metric without groups accepts any clusters.
    unused = data.assign(score=data["score"].where(data["session"] == data["user"]))
    with pytest.warns(sqlmetrics.DroppedRows):
        assert sqlmetrics.evaluate(unused, "log_loss, gauc", confidence=0.9, **roles).notna().all(axis=None)
    assert sqlmetrics.evaluate(data, "log_loss", confidence=0.9, **roles | {"group": None}).notna().all(axis=None)


@pytest.mark.parametrize(("adjust", "test"), [
    ("holm", "wilcoxon"), *slow(("bh", "wilcoxon"), ("holm", "t"), ("bh", "t"))
])  # fmt: skip
def test_adjusted_p_values_match_statsmodels(adjust: str, test: str) -> None:
    data = log(2400, 300).assign(day=lambda d: d.index % 6)
    data.loc[data["day"] == 3, "clicked"] = 0.0
    options: dict[str, Any] = {"metrics": "auc, log_loss, copc" if test == "t" else "log_loss, mae", "by": "day"}
    result, raw = (compare(data, **options, test=test, adjust=method) for method in (adjust, None))
    assert raw["p_adjusted"].equals(raw["p_value"])
    pd.testing.assert_series_equal(raw["p_value"], result["p_value"], rtol=1e-9)
    defined = result["p_value"].notna()
    assert (~defined).sum() == (test == "t")  # the undefined area has no test
    expected = multipletests(result.loc[defined, "p_value"], method={"holm": "holm", "bh": "fdr_bh"}[adjust])[1]
    np.testing.assert_allclose(result.loc[defined, "p_adjusted"], expected, rtol=1e-12)
    assert result["p_adjusted"].nunique() > 2
    different = result.loc[defined, "verdict"] != "no difference seen"
    assert different.tolist() == (expected < 0.05).tolist()
    assert result.loc[~defined, ["p_adjusted", "verdict"]].isna().all(axis=None)


def test_verdict_follows_best_value() -> None:
    """A lower loss is better, and a calibration nearer to 1, on either side of 1."""
    rng = np.random.default_rng(1)
    score = rng.uniform(0.1, 0.4, 4000)
    data = pd.DataFrame({"clicked": (rng.random(4000) < score) * 1.0, "fair": score, "low": score * 0.6,
                         "high": score * 1.3})  # fmt: skip
    metrics = ["copc", "log_loss", "auc", "mean_error"]
    rows = compare(data, metrics, score=["fair", "low", "high"], cluster=None, adjust="holm")
    assert rows.set_index(["metric", "model"])["verdict"].to_dict() == {
        (metric, model): "no difference seen" if metric == "auc" else "worse"
        for metric in metrics for model in ("low", "high")
    }  # fmt: skip
    sides = compare(data, "copc", score=["low", "high"], cluster=None).iloc[0]
    assert sides["value"] < 1 < sides["baseline_value"]
    assert sides["verdict"] == "better"  # 0.77 is nearer than 1.67
    ratio = data["clicked"].sum() / data["fair"].sum()
    mirrored = data.assign(up=data["fair"] * ratio / 1.2, down=data["fair"] * ratio / 0.8)
    even = compare(mirrored, "copc", score=["up", "down"], cluster=None).iloc[0]
    assert even["p_value"] < 1e-6
    assert even["verdict"] == "differs, not closer to 1"


@pytest.mark.slow
def test_verdict_has_error_of_distances_from_best_value() -> None:
    """For models on both sides of 1, the error is that of the sum of a cluster's influences on both."""
    data = log(2000, 200)
    ratios = {name: data["clicked"].sum() / data[name].sum() for name in ("score", "other")}
    data = data.assign(up=data["score"] * ratios["score"] / 1.02, down=data["other"] * ratios["other"] / 0.93)
    data = data[(data["down"] <= 1) & (data["up"] <= 1)]

    def distance(weights: Any) -> float:
        clicks = (weights * data["clicked"]).sum()
        return float(abs(clicks / (weights * data["down"]).sum() - 1) - abs(clicks / (weights * data["up"]).sum() - 1))

    derivatives = influences(lambda weights: [*map(distance, weights)], data["user"], 1e-4)
    p = 2 * stats.t(len(derivatives) - 1).sf(abs(distance(1.0) / clustered_error(derivatives)))
    for confidence, verdict in ((1 - p * 1.01, "worse"), (1 - p * 0.99, "differs, not closer to 1")):
        row = compare(data, "copc", score=["up", "down"], confidence=confidence).iloc[0]
        assert row["value"] < 1 < row["baseline_value"]
        assert row["verdict"] == verdict


def test_compare_undefined_and_equal_values() -> None:
    data = log().assign(same=lambda d: d["score"])
    equal = compare(data, "auc, ks", score=["score", "same"])
    assert equal[["difference", "p_value", "verdict"]].to_numpy().tolist() == [[0, 1, "no difference seen"]] * 2
    single = compare(data.assign(user=1), "auc, ks")
    assert single[[*TESTED, "p_adjusted"]].isna().all(axis=None)
    assert single["difference"].notna().all()
    empty = compare(data, "log_loss", where="score > 2").iloc[0]
    assert empty["n"] == 0
    assert empty[["value", "difference", "p_value", "verdict"]].isna().all()
    undefined = compare_days(data.assign(clicked=1.0), data, "auc").iloc[0]
    assert undefined[["value", "difference", *TESTED, "detectable_difference"]].isna().all()


@pytest.mark.slow
def test_distribution_functions_match_scipy() -> None:
    """From seven degrees of freedom on, the quantile is near Student's t; it is never shorter."""

    def value(macro: str, *arguments: Any, **columns: float) -> float:
        text = render_macro(builtin_catalogue(), "duckdb", macro, *arguments)
        text = f"case {text} end" if macro == "complementary_error" else text
        values = ", ".join(f"cast({number!r} as double) as {name}" for name, number in columns.items())
        return float(duckdb.sql(f"select {text} from (select {values})").fetchall()[0][0])

    for confidence in (0.5, 0.8, 0.95, 0.99, 0.9999, 0.999999):
        p = (1 + confidence) / 2
        quantile = call_macro(builtin_catalogue(), "duckdb", "normal_quantile", p)
        assert quantile == pytest.approx(stats.norm.ppf(p), rel=1e-9)
    for x in (0.0, 1e-9, 0.1, 0.4687, 0.4688, 1.0, 2.5, 3.999, 4.0, 6.0, 12.0, 25.9, 27.0):
        assert value("complementary_error", "x", x=x) == pytest.approx(special.erfc(x), rel=1e-13, abs=1e-290)
    for degrees, confidence in itertools.product((1, 2, 3, 5, 7, 12, 50, 1000), (0.9, 0.95, 0.99)):
        z, exact = (distribution.ppf((1 + confidence) / 2) for distribution in (stats.norm, stats.t(degrees)))
        quantile = value("student_quantile", z, "degrees", degrees=degrees)
        assert quantile > exact * (1 - 1e-5)
        assert quantile == pytest.approx(exact, rel=4e-3) or degrees < 7
        assert value("student_deviation", "t", "degrees", t=quantile, degrees=degrees) == pytest.approx(z, rel=1e-9)


def test_compare_accepts_options_of_evaluate() -> None:
    data = log()
    row = compare(data, "auc", weight="w", preset="sklearn", where="score > 0.2").iloc[0]
    part = data[data["score"] > 0.2]
    assert row["value"] == pytest.approx(sk.roc_auc_score(part["clicked"], part["other"], sample_weight=part["w"]))
    row = compare(data, "mae", score=["new = other / 2", "score"], baseline="new", min_rows=100).iloc[0]
    assert row[["model", "baseline"]].tolist() == ["score", "new"]
    assert compare(data, "mae", min_rows=1000).empty


_DAYS = {"score": "score", "against": two_days()[1]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"score": "score"}, "a comparison needs at least two scores"),
        ({"baseline": "nobody"}, r"baseline must be one of the scores \(score, other\), not 'nobody'"),
        ({"adjust": "bonferroni"}, "adjust must be 'holm', 'bh' or none"),
        ({"power": 1}, "power must be a number between"),
        ({"relative": "yes"}, "relative must be true or false"),
        ({"metrics": "roc_curve"}, "^roc_curve has no single value to compare"),
        ({"metrics": ["mae", "max_error"]}, "max_error has no interval: a single row determines it"),
        ({"by": "verdict = device"}, "has the name of a column of every comparison"),
        ({"test": "sign"}, "test must be 't', 'wilcoxon' or 'randomization', not 'sign'"),
        ({"test": "randomization", "metrics": "auc"}, "test: auc has no value per cluster"),
        ({"test": "wilcoxon", "metrics": "copc"}, "copc is best near 1, and wilcoxon supports"),
        ({"replicates": 100}, "replicates requires"),
        ({"seed": 3, "test": "wilcoxon"}, "seed requires"),
        ({"test": "randomization", "replicates": 3}, "replicates must be a whole number from 20"),
        ({"method": "bootstrap", "test": "wilcoxon"}, "method='bootstrap' supports the test 't' only"),
        ({"method": "bootstrap", **_DAYS}, "method='bootstrap' compares scores of one relation"),
        ({**_DAYS, "score": ["score", "w"]}, "against compares two relations by one score"),
        ({**_DAYS, "baseline": "data"}, "the data and against are both called 'data'"),
        ({**_DAYS, "score": "today = score", "baseline": "today"}, "the data and against are both called 'today'"),
        ({**_DAYS, "baseline": " "}, "baseline must be the name of against"),
        ({**_DAYS, "by": "shared_clusters = device"}, "has the name of a column of every comparison"),
    ],
)  # fmt: skip
def test_compare_rejects_invalid_arguments(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(sqlmetrics.SqlMetricsError, match=message):
        compare(log(), **{"metrics": "log_loss", **changes})


# Two relations


def test_two_samples_match_delong_and_welch() -> None:
    """Unpaired roc.test of pROC 1.18 for men against women, and Welch's test for means of rows."""
    men = PATIENTS["man"] == 1
    expected = {"s100b": (0.501880774326713, 106.462550028931645, 0.6167877592582418),
                "ndka": (-0.97888405398047, 86.8079441412763515, 0.3303574763092381)}  # fmt: skip
    for score, (t, degrees, p) in expected.items():
        row = compare_days(PATIENTS[men], PATIENTS[~men], "auc", label="poor", score=score, cluster=None).iloc[0]
        assert row["difference"] / row["standard_error"] == pytest.approx(t, rel=1e-12)
        half = stats.t(degrees).ppf(0.975) * row["standard_error"]
        assert row["difference_high"] - row["difference"] == pytest.approx(half, rel=1e-5)
        assert row["p_value"] == pytest.approx(p, rel=1e-4)
        assert (row["clusters"], row["shared_clusters"]) == (len(PATIENTS), 0)
    days = two_days()
    row = compare_days(*days, "mae", score="y_hat", label="y", cluster=None).iloc[0]
    test = stats.ttest_ind(*((day["y"] - day["y_hat"]).abs() for day in days), equal_var=False)
    assert row["difference"] / row["standard_error"] == pytest.approx(test.statistic, rel=1e-9)
    assert row[ENDS].tolist() == pytest.approx(list(test.confidence_interval(0.95)), rel=1e-5)
    assert row["p_value"] == pytest.approx(test.pvalue, rel=1e-3)
    assert row[["model", "baseline"]].tolist() == ["data", "against"]
    for score, baseline, names in (("today = y_hat", "yesterday", ["today", "yesterday"]),
                                   ("= y_hat", "yesterday", ["data", "yesterday"]),
                                   ("today = y_hat", None, ["today", "against"])):  # fmt: skip
        named = compare_days(*days, "mae", score=score, baseline=baseline, label="y", cluster=None).iloc[0]
        assert named[["model", "baseline"]].tolist() == names
        assert named.drop(["model", "baseline"]).equals(row.drop(["model", "baseline"]))


@pytest.mark.parametrize("shared", slow(12, 0))
def test_two_relations_share_buckets(shared: int) -> None:
    """Both relations drop a bucket, even if only one of them has it."""
    today, yesterday = two_days(shared)
    yesterday = yesterday[yesterday["user"] < 42]  # few users, so not every bucket
    row = compare_days(today, yesterday, "discrimination").iloc[0]
    both = pd.concat([today.assign(day=0), yesterday.assign(day=1)])
    copies = without_each_bucket(both, "user", 20)
    today_values, yesterday_values = (
        values_of([copy[copy["day"] == day] for copy in copies], ["discrimination"], **CLICKS)[:, 0] for day in (0, 1)
    )
    assert row["standard_error"] == pytest.approx(jackknife_error(today_values - yesterday_values), rel=1e-9)
    users = [set(day["user"]) for day in (today, yesterday)]
    assert (row["clusters"], row["shared_clusters"]) == (len(users[0] | users[1]), len(users[0] & users[1]))


@pytest.mark.slow
def test_two_runs_are_paired_by_judged_topics() -> None:
    """Every judged topic counts in both runs, with or without results of the run: a paired t-test."""
    rng = np.random.default_rng(3)
    judged = pd.DataFrame([(f"q{topic}", f"d{doc}", float(rng.random() < 0.3)) for topic in range(40)
                           for doc in range(20)], columns=["topic", "doc", "relevance"])  # fmt: skip
    runs = [judged[["topic", "doc"]].assign(score=judged["relevance"] * strength + rng.random(len(judged)))
            [rng.random(len(judged)) < 0.7] for strength in (0.9, 0.5)]  # fmt: skip
    runs[1] = runs[1][runs[1]["topic"] != "q7"]
    roles = {"label": "relevance", "group": "topic", "item": "doc", "judgments": judged}
    row = compare_days(*runs, "ndcg@10", cluster=None, **roles).iloc[0]
    values = [sqlmetrics.per_group(run, "ndcg@10", score="score", **roles).set_index("topic")["ndcg_at_10"]
              for run in runs]  # fmt: skip
    assert values[1]["q7"] == 0
    test = stats.ttest_rel(*values)
    assert row["difference"] / row["standard_error"] == pytest.approx(test.statistic, rel=1e-9)
    assert (row["clusters"], row["shared_clusters"]) == (40, 40)
    assert row["p_value"] == pytest.approx(test.pvalue, rel=1e-2)


@pytest.mark.slow
def test_keys_of_two_relations_need_a_common_type() -> None:
    today, yesterday = two_days()
    for changed in (yesterday.assign(user=yesterday["user"].astype(str)), yesterday.assign(device=1)):
        with pytest.raises(sqlmetrics.BadData, match=r"(user|device)' is .* in the data and .* in against"):
            compare_days(today, changed, "auc", by="device")
    other_types = yesterday.astype({"user": "float64", "clicked": "bool", "device": "category"})
    for metric, by in (("pr_auc", None), ("auc", "device")):
        results = [compare_days(today, day, metric, by=by) for day in (yesterday, other_types)]
        pd.testing.assert_frame_equal(*results)


def test_dropped_rows_and_columns_are_reported() -> None:
    """Models are compared on the rows with scores of all models."""
    data = log()
    data.loc[::3, "other"] = None
    with pytest.warns(sqlmetrics.DroppedRows, match=r"score \(column 'other'\) in 134 rows"):
        result = compare(data, "brier", by="device")
    assert result["device"].isna().tolist() == [False, False, True]  # rows without a device are last
    pd.testing.assert_frame_equal(result, compare(data.dropna(subset="other"), "brier", by="device"))
    today, yesterday = two_days()
    yesterday.loc[:4, "score"] = None
    with pytest.warns(sqlmetrics.DroppedRows, match=r"score .* in 5 rows"):
        result = compare_days(today, yesterday, "brier")
    yesterday = yesterday.dropna(subset="score")
    pd.testing.assert_frame_equal(result, compare_days(today, yesterday, "brier"))
    message = r"score \(column 'score'\) of against: 395 rows where the value is outside"
    with pytest.raises(sqlmetrics.BadData, match=message):
        compare_days(today, yesterday.assign(score=2.0), "log_loss")
    with pytest.raises(sqlmetrics.SqlMetricsError, match=r"there is no column|cannot be found|not found"):
        compare_days(today, yesterday.drop(columns="y_hat"), "brier", by="gone = y_hat")


# Tests of values per query


@pytest.mark.parametrize(("metric", "cluster"), [
    ("ndcg@5", None), *slow(("mrr", None), ("log_loss", None), ("log_loss", "user"))
])  # fmt: skip
def test_tests_of_values_match_scipy(metric: str, cluster: str | None) -> None:
    """Queries, rows, and the mean losses of users."""
    data = log(3000 if metric == "log_loss" else 700).assign(grade=lambda d: d["clicked"] * 2)
    roles: dict[str, Any] = {"label": "grade", "group": "user"}
    values = []
    for model in ("other", "score"):
        if metric == "log_loss":
            roles, losses = {}, -np.log(np.where(data["clicked"] == 1, data[model], 1 - data[model]))
            values.append(pd.Series(losses).groupby(data["user"]).mean() if cluster else losses)
        else:
            values.append(sqlmetrics.per_group(data, metric, score=model, **roles).iloc[:, -1])
    differences = pd.Series(values[0] - values[1])
    error, student = stats.sem(differences), stats.ttest_1samp(differences, 0).pvalue
    differences = (differences / differences.abs().max()).round(12)  # without the last digits of sums
    differences = differences[differences != 0]
    assert len(differences) > 10
    rows = {test: compare(data, metric, test=test, cluster=cluster, **roles).iloc[0]
            for test in ("t", "wilcoxon", "randomization")}  # fmt: skip
    if cluster is None:
        assert rows["t"]["p_value"] == pytest.approx(student, rel=5e-3)
        assert rows["t"]["standard_error"] == pytest.approx(error, rel=1e-9)
    assert rows["wilcoxon"]["p_value"] == pytest.approx(stats.wilcoxon(differences).pvalue, rel=1e-8)
    assert rows["wilcoxon"]["difference_low"] == pytest.approx(rows["t"]["difference_low"], rel=1e-9)
    flips = np.random.default_rng(5).choice([-1, 1], (4000, len(differences)))
    share = (abs(flips @ differences.to_numpy()) >= abs(differences.sum())).mean()
    assert rows["randomization"]["p_value"] == pytest.approx(share, abs=0.03)
    other = compare(data, metric, test="randomization", cluster=cluster, seed=2, **roles).iloc[0]
    assert other["p_value"] != rows["randomization"]["p_value"] or metric != "ndcg@5"  # exact, or the smallest


@pytest.mark.parametrize("test", slow("wilcoxon", "randomization"))
def test_few_values_have_exact_p_values(test: str) -> None:
    """Five queries that agree have p = 1 / 16, also those of two relations; equal models have p = 1."""
    data = pd.DataFrame([{"q": q, "y": y, "old": 1 - y, "new": y, "same": 1 - y} for q in range(5) for y in (0, 1)])
    options: dict[str, Any] = {"label": "y", "group": "q", "cluster": None, "test": test}
    result = compare(data, "mrr", score=["old", "new", "same"], **options)
    assert result["p_value"].tolist() == pytest.approx([1 / 16, 1])
    assert result["verdict"].tolist() == ["no difference seen"] * 2
    days = compare_days(data.assign(score=data["new"]), data.assign(score=data["old"]), "mrr", **options)
    assert days["p_value"].tolist() == pytest.approx([1 / 16])


def test_paired_test_without_scipy_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ["scipy.stats", *sys.modules]:
        if name.partition(".")[0] == "scipy":
            monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(sqlmetrics.MissingClient, match=r"pip install 'sqlmetrics\[scipy\]'"):
        compare(log(), "mae", test="wilcoxon")


def test_ranks_that_contradict_the_mean_have_no_direction() -> None:
    """Most queries are a little better, and a few far worse: neither model is better."""
    rng = np.random.default_rng(0)
    loss = np.where(np.arange(300) % 10 == 0, 0.9, -0.05 + rng.normal(0, 0.01, 300))
    data = pd.DataFrame({"y": 0.0, "old": 0.1, "new": 0.1 + loss.clip(-0.09)})
    rows = {test: compare(data, "mae", label="y", score=["old", "new"], cluster=None, test=test).iloc[0]
            for test in ("t", "wilcoxon")}  # fmt: skip
    assert rows["wilcoxon"]["p_value"] < 1e-3
    assert [row["verdict"] for row in rows.values()] == ["worse", "different"]
