"""Gaps between slices: fairlearn's numbers, Welch's and DeLong's errors, slices as two relations, every engine."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from scipy import stats
from sklearn import metrics as sk

import sqlmetrics
from sqlmetrics.cli import main
from tests.engines.servers import ENGINES
from tests.statistics.test_compare import MEN
from tests.statistics.test_intervals import POOR_OUTCOME, S100B, log
from tests.tiers import slow

#: Thirty people, and what fairlearn 0.15 says of them: demographic_parity_difference and _ratio and so on; a second
#: number with `sample_weight`.
PEOPLE = pd.DataFrame(
    {
        "y": [int(one) for one in "110100111010011001011100110101"],
        "called": [int(one) for one in "100110111000010011011000111101"],
        "people": list("aabbccaabbccabcabcabcabcaaabbc"),
        "w": [1, 2, 1, 1, 3] * 6,
    }
)
FAIRLEARN = {
    "demographic_parity": {"difference": (0.15555555555555556, 0.1), "ratio": (0.7407407407407407, 0.8333333333333334)},
    "equal_opportunity": {"difference": (0.4, 0.4444444444444444), "ratio": (0.6, 0.5555555555555556)},
    "equalized_odds": {"difference": (0.4, 0.4444444444444444), "ratio": (0.6, 0.5555555555555556)},
}


@pytest.mark.parametrize("weighted", [False, True])
def test_criteria_of_fairness_as_fairlearn_has_them(weighted: bool) -> None:
    for criterion, expected in FAIRLEARN.items():
        roles = {"prediction": "called"} | ({} if criterion == "demographic_parity" else {"label": "y"})
        found = sqlmetrics.gaps(PEOPLE, criterion, by="people", **roles, **({"weight": "w"} if weighted else {}))
        assert found["difference"].max() == pytest.approx(expected["difference"][weighted], rel=1e-12)
        assert found["ratio"].min() == pytest.approx(expected["ratio"][weighted], rel=1e-12)
        assert found["metric"].tolist() == (
            ["equalized_odds_recall", "equalized_odds_fpr"] if criterion == "equalized_odds" else [criterion]
        )


def test_any_metric_as_fairlearn_has_it() -> None:
    """MetricFrame(accuracy_score).difference() and .ratio(), and those of precision_score, where two are highest."""
    found = sqlmetrics.gaps(PEOPLE, ["accuracy", "precision"], label="y", prediction="called", by="people")
    assert found["difference"].tolist() == pytest.approx([0.2333333333333334, 0.08333333333333337], rel=1e-12)
    assert found["ratio"].tolist() == pytest.approx([0.7407407407407407, 0.8999999999999999], rel=1e-12)
    assert found["highest_people"].tolist() == ["b", "a"]
    assert found["lowest_people"].tolist() == ["c", "c"]


def test_a_criterion_takes_the_parameters_of_its_rates() -> None:
    data = log()
    for cut in (0.2, 0.7):
        spec = f"odds = equalized_odds(threshold={cut})"
        found = sqlmetrics.gaps(data, spec, label="clicked", score="score", by="device").set_index("metric")
        for device, part in data.groupby("device"):
            value = sk.recall_score(part["clicked"], part["score"] >= cut)
            row = found.loc["odds_recall"]
            assert row["lowest"] - 1e-12 <= value <= row["highest"] + 1e-12, device


def test_independent_slices_by_welch() -> None:
    """Rows of their own: the standard error and the p-value of Welch's test of two samples, by the pairs of slices."""
    data = log(rows=600)
    losses = (data["score"] - data["clicked"]).to_numpy()
    found = sqlmetrics.gaps(data, "mean_error", label="clicked", score="score", by="device", confidence=0.95).iloc[0]
    names = data["device"].astype(object).where(data["device"].notna(), None)
    samples = {name: losses[[one == name for one in names]] for name in set(names) - {None}}
    high, low = samples[found["highest_device"] or None], samples[found["lowest_device"] or None]
    test = stats.ttest_ind(high, low, equal_var=False)
    assert found["difference"] == pytest.approx(high.mean() - low.mean(), rel=1e-12)
    assert found["standard_error"] == pytest.approx(found["difference"] / test.statistic, rel=1e-9)
    interval = test.confidence_interval(0.95)
    assert [found["difference_low"], found["difference_high"]] == pytest.approx([interval.low, interval.high], rel=1e-4)
    pairs = len(samples) * (len(samples) - 1) / 2
    assert found["p_value"] == pytest.approx(min(1, pairs * test.pvalue), rel=1e-2)
    assert (found["clusters"], found["shared_clusters"]) == (len(high) + len(low), 0)


def test_areas_of_two_slices_by_delong() -> None:
    """Two independent samples: their variances, by the pairs that each row wins, add up."""
    data = pd.DataFrame({"poor": POOR_OUTCOME.split(), "s100b": S100B.split()}).astype(float).assign(man=list(MEN))
    found = sqlmetrics.gaps(data, "auc", label="poor", score="s100b", by="man", confidence=0.95).iloc[0]
    values, variance = [], 0.0
    for _, part in data.groupby("man"):
        positives, negatives = (part.loc[part["poor"] == label, "s100b"].to_numpy() for label in (1, 0))
        wins = (positives[:, None] > negatives) + 0.5 * (positives[:, None] == negatives)
        values.append(sk.roc_auc_score(part["poor"], part["s100b"]))
        for axis in (0, 1):
            variance += wins.mean(axis=axis).var(ddof=1) / wins.shape[1 - axis]
    assert found["difference"] == pytest.approx(max(values) - min(values), rel=1e-12)
    assert found["standard_error"] == pytest.approx(variance**0.5, rel=1e-12)


METRICS = ["auc", "log_loss", "ks", "ece", "copc", "gauc", "ndcg@5", "f1", "r2"]
SCORED = (METRICS, {"label": "clicked", "score": "score", "group": "user"})
CLASSES = (["macro_f1", "cohens_kappa", "micro_recall"], {"label": "kind", "prediction": "said"})
STARS = (["weighted_kappa"], {"label": "stars", "prediction": "said_stars"})
FIELDS = (["field_ece", "field_rce"], {"label": "clicked", "score": "score", "field": "kind"})


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("metrics", "roles"), [SCORED, CLASSES, STARS, FIELDS], ids=["scored", "classes", "stars", "fields"]
)
@pytest.mark.parametrize("cluster", ["user", None])
def test_slices_are_two_relations(metrics: list[str], roles: dict[str, Any], cluster: str | None) -> None:
    """The values are those of `evaluate`; the error of two slices is that of the same rows as two relations."""
    data = log(clusters=30, rows=900).dropna(subset="device")
    found = sqlmetrics.gaps(data, metrics, by="device", confidence=0.9, cluster=cluster, **roles)
    values = sqlmetrics.evaluate(data, metrics, by="device", **roles).set_index("device")
    assert found["metric"].tolist() == [one.replace("@", "_at_") for one in metrics]
    for row in found.to_dict("records"):
        of_metric = values[row["metric"]]
        assert [row["highest"], row["lowest"]] == pytest.approx([of_metric.max(), of_metric.min()], rel=1e-12)
        ends = row["highest_device"], row["lowest_device"]
        assert ends == (of_metric.idxmax(), of_metric.idxmin())
        assert (row["slices"], row["n"]) == (len(values), values["n"].sum())
        sides = [data[data["device"] == end] for end in ends]
        metric = row["metric"].replace("_at_", "@")
        given = {role: name for role, name in roles.items() if role != "group" or metric in ("gauc", "ndcg@5")}
        pair = sqlmetrics.compare(sides[0], metric, against=sides[1], confidence=0.9, cluster=cluster, **given).iloc[0]
        same = ["difference", "clusters", "shared_clusters"]
        if cluster is not None or metric != "ece":  # whose rows have buckets by their place in the slice
            same += ["standard_error", "difference_low", "difference_high"]
            pairs = len(values) * (len(values) - 1) / 2
            assert row["p_value"] == pytest.approx(min(1, pair["p_value"] * pairs), rel=1e-9)
        assert [row[one] for one in same] == pytest.approx([pair[one] for one in same], rel=1e-9), metric


def test_groupings_models_and_small_slices() -> None:
    data = log(rows=500).assign(other=lambda rows: rows["score"] * 0.9)
    given: dict[str, Any] = {"label": "clicked", "score": ["score", "other"]}
    groupings = [["device"], ["user", "device"]]
    found = sqlmetrics.gaps(data, ["copc", "auc"], by=groupings, min_rows=8, **given)
    values = sqlmetrics.evaluate(data, ["copc", "auc"], by=groupings, **given)
    kept = values[(values["n"] >= 8) & values["device"].notna()]
    assert len(kept) < len(values)
    expected = list(itertools.product(["device", "user, device"], ["copc", "auc"], ["score", "other"]))
    assert list(found[["grouping", "metric", "model"]].itertuples(index=False, name=None)) == expected
    for row in found.to_dict("records"):
        part = kept[(kept["grouping"] == row["grouping"]) & (kept["model"] == row["model"])][row["metric"]].dropna()
        assert [row["highest"], row["lowest"]] == pytest.approx([part.max(), part.min()], rel=1e-12)
        assert row["difference"] == pytest.approx(part.max() - part.min(), rel=1e-12)
        assert row["slices"] == len(part)
    alone = sqlmetrics.gaps(data, ["copc", "auc"], by="device", min_rows=8, **given)
    first = found[found["grouping"] == "device"].drop(columns=["grouping", "highest_user", "lowest_user"])
    pd.testing.assert_frame_equal(first.reset_index(drop=True), alone)


def test_rows_without_a_slice_are_no_slice() -> None:
    """Unless they are named: those of unknown devices have the highest rate, and are no group of people."""
    data = pd.DataFrame({"y": [1, 0, 1, 0, 1, 1], "called": 1, "device": ["a", "a", "b", "b", None, None]})
    roles = {"label": "y", "prediction": "called"}
    [found] = sqlmetrics.gaps(data, "precision", by="device", **roles).to_dict("records")
    assert (found["highest"], found["lowest"], found["slices"], found["n"]) == (0.5, 0.5, 2, 6)
    named = sqlmetrics.gaps(data, "precision", by="device = coalesce(device, 'unknown')", **roles).iloc[0]
    assert (named["highest_device"], named["highest"], named["slices"]) == ("unknown", 1.0, 3)
    nobody = sqlmetrics.gaps(data.assign(device=None), "precision", by="device", **roles).iloc[0]
    assert nobody["slices"] == 0
    assert pd.isna(nobody["difference"])


def test_where_there_is_nothing_to_compare() -> None:
    """A single slice, slices without a value, no row at all; values that are negative have no ratio."""
    data = pd.DataFrame({"y": [0, 1, 0, 1], "s": [0.2, 0.8, 0.4, 0.6], "one": 1, "b": list("aabb"), "c": list("xyxy")})
    roles: dict[str, Any] = {"label": "y", "score": "s", "confidence": 0.95}
    alone = sqlmetrics.gaps(data, "auc", by="one", **roles).iloc[0]
    assert (alone["highest_one"], alone["highest"], alone["slices"]) == (1, 1, 1)
    assert alone[["lowest_one", "lowest", "difference", "ratio", "difference_low", "p_value"]].isna().all()
    assert (alone["clusters"], alone["shared_clusters"]) == (0, 0)
    undefined = sqlmetrics.gaps(data, ["auc", "copc"], by="c", **roles)
    assert undefined["slices"].tolist() == [0, 2]
    assert undefined.loc[0, ["highest_c", "highest", "lowest_c", "lowest", "difference", "p_value"]].isna().all()
    assert len(sqlmetrics.gaps(data, "auc", by="b", where="y > 1", **roles)) == 0
    equal = sqlmetrics.gaps(data, "auc", by="b", **roles).iloc[0]
    assert (equal["highest_b"], equal["lowest_b"], equal["difference"], equal["ratio"]) == ("a", "b", 0, 1)
    signed = sqlmetrics.gaps(data, "mean_error", by="c", **roles).iloc[0]
    assert signed["lowest"] < 0 < signed["highest"]
    assert np.isnan(signed["ratio"])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"by": None}, "by must name the slices that are compared"),
        ({"by": [[]]}, "by must name the slices that are compared"),
        ({"metrics": "roc_curve"}, "roc_curve has no single value that could be compared"),
        ({"metrics": "confusion_matrix"}, "confusion_matrix has no single value"),
        ({"metrics": "equalised_odds"}, "there is no metric 'equalised_odds'"),
        ({"metrics": "equalized_odds(k=3)"}, "recall has no parameter 'k'"),
        ({"metrics": ["equal_opportunity", "equal_opportunity"]}, "two metrics would be called 'equal_opportunity'"),
        ({"min_rows": -1}, "min_rows must be a whole number >= 0"),
        ({"cluster": "user"}, "cluster has a meaning with confidence only"),
        ({"confidence": 2}, "confidence must be a number between"),
    ],
)
def test_what_is_refused(wrong: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {"metrics": "auc", "label": "clicked", "score": "score", "by": "device", **wrong}
    with pytest.raises(sqlmetrics.SqlMetricsError, match=words):
        sqlmetrics.gaps(log(), **given)


@pytest.mark.parametrize("name", slow(*[name for name in ENGINES if name != "duckdb"]))
def test_every_engine_finds_the_same(name: str) -> None:
    data = log(clusters=30, rows=300)
    given: dict[str, Any] = {"label": "clicked", "score": "score", "group": "user", "confidence": 0.95}
    metrics = ["auc", "copc", "ece", "gauc"]
    with ENGINES[name]({"log": pa.Table.from_pandas(data, preserve_index=False)}) as engine:
        for cluster in ("user", None):
            asked = {**given, "by": [["device"]], "cluster": cluster, "min_rows": 5}
            here = sqlmetrics.gaps(data, metrics, **asked)
            there = sqlmetrics.gaps("log", metrics, engine=engine, **asked)
            pd.testing.assert_frame_equal(here, there, rtol=1e-9, check_dtype=False)


def test_the_shell_tells_gaps(tmp_path: Path) -> None:
    """With the ends of a gap in the words of an assertion that fails."""
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    asked = ["gaps", str(tmp_path / "people.csv"), "-m", "equal_opportunity", "--label", "y", "--prediction", "called",
             "--by", "people", "--assert", "difference <= 0.2", "--format", "csv"]  # fmt: skip
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0] == (
        "metric,highest_people,lowest_people,highest,lowest,difference,ratio,slices,n"
    )
    assert "highest_people=" in done.stderr
