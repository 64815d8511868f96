"""Gaps between slices: against fairlearn, Welch and DeLong, and against slices as two relations."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

import sqlmetrics
from tests.calls import shell
from tests.parameters import slow
from tests.statistics.test_intervals import log

CLICKS = {"label": "clicked", "score": "score"}
PEOPLE = pd.DataFrame({
    "y": [int(digit) for digit in "110100111010011001011100110101"],
    "called": [int(digit) for digit in "100110111000010011011000111101"],
    "people": list("aabbccaabbccabcabcabcabcaaabbc"), "w": [1, 2, 1, 1, 3] * 6,
})  # fmt: skip
#: The difference and the ratio by fairlearn 0.15, without and with `sample_weight`: `demographic_parity_difference`, …
FAIRLEARN = {
    "demographic_parity": [(0.15555555555555556, 0.7407407407407407), (0.1, 0.8333333333333334)],
    "equal_opportunity": [(0.4, 0.6), (0.4444444444444444, 0.5555555555555556)],
    "equalized_odds": [(0.4, 0.6), (0.4444444444444444, 0.5555555555555556)],
}


def test_gaps_match_fairlearn() -> None:
    for criterion, weight in itertools.product(FAIRLEARN, (None, "w")):
        roles = {"prediction": "called"} | ({} if criterion == "demographic_parity" else {"label": "y"})
        result = sqlmetrics.gaps(PEOPLE, criterion, by="people", weight=weight, **roles)
        expected = FAIRLEARN[criterion][weight is not None]
        assert (result["difference"].max(), result["ratio"].min()) == pytest.approx(expected, rel=1e-12)
        names = ["equalized_odds_recall", "equalized_odds_fpr"] if criterion == "equalized_odds" else [criterion]
        assert result["metric"].tolist() == names
    # MetricFrame(accuracy_score) and MetricFrame(precision_score), where two slices share the maximum.
    result = sqlmetrics.gaps(PEOPLE, "accuracy, precision", label="y", prediction="called", by="people")
    assert result["difference"].tolist() == pytest.approx([0.2333333333333334, 0.08333333333333337], rel=1e-12)
    assert result["ratio"].tolist() == pytest.approx([0.7407407407407407, 0.8999999999999999], rel=1e-12)
    assert result[["highest_people", "lowest_people"]].to_numpy().tolist() == [["b", "c"], ["a", "c"]]
    # A criterion accepts the parameters of its rates.
    result = sqlmetrics.gaps(log(), "odds = equalized_odds(threshold=0.2)", by="device", **CLICKS).set_index("metric")
    recalls = [sk.recall_score(part["clicked"], part["score"] >= 0.2) for _, part in log().groupby("device")]
    row = result.loc["odds_recall"]
    assert [row["highest"], row["lowest"]] == pytest.approx([max(recalls), min(recalls)], rel=1e-12)


METRICS: dict[str, tuple[str, dict[str, Any]]] = {
    "scored": ("auc, log_loss, ks, ece, copc, f1, r2", CLICKS),
    "grouped": ("gauc, ndcg@5", {**CLICKS, "group": "user"}),
    "classes": ("macro_f1, cohens_kappa", {"label": "category", "prediction": "predicted"}),
    "fields": ("field_ece, field_rce", {**CLICKS, "field": "category"}),
}


@pytest.mark.parametrize(("name", "cluster"), slow(
    ("classes", None), ("scored", "user"), ("scored", None), ("grouped", "user"), ("fields", None)
))  # fmt: skip
def test_gaps_match_slices_as_two_relations(name: str, cluster: str | None) -> None:
    """The p-value is that of two relations, multiplied by the pairs of slices."""
    metrics, roles = METRICS[name]
    data = log(900).assign(device=lambda d: d["device"].fillna("none"))
    result = sqlmetrics.gaps(data, metrics, by="device", confidence=0.9, cluster=cluster, **roles).set_index("metric")
    values = sqlmetrics.evaluate(data, metrics, by="device", **roles).set_index("device")
    assert [*result.index] == metrics.replace("@", "_at_").split(", ")
    for (high, low), rows in result.groupby(["highest_device", "lowest_device"]):
        sides = [data[data["device"] == device] for device in (high, low)]
        pairs = sqlmetrics.compare(sides[0], metrics, against=sides[1], confidence=0.9, cluster=cluster, adjust=None,
                                   **{"score": None} | roles).set_index("metric")  # fmt: skip
        for metric, row in rows.iterrows():
            column, pair = values[metric], pairs.loc[metric]
            assert [row["highest"], row["lowest"]] == pytest.approx([column.max(), column.min()], rel=1e-12)
            assert (high, low, row["slices"], row["n"]) == (column.idxmax(), column.idxmin(), 3, len(data))
            names = ["difference", "clusters", "shared_clusters"]
            if cluster is not None or metric != "ece":  # the buckets of rows depend on their position in the slice
                names += ["standard_error", "difference_low", "difference_high"]
                assert row["p_value"] == pytest.approx(min(1, 3 * pair["p_value"]), rel=1e-9)
            expected = pair[names].astype(float).tolist()
            assert row[names].astype(float).tolist() == pytest.approx(expected, rel=1e-9), metric


def test_gaps_by_groupings_models_and_min_rows() -> None:
    data = log(rows=500)
    options: dict[str, Any] = {"label": "clicked", "score": ["score", "other"]}
    groupings = [["device"], ["user", "device"]]
    result = sqlmetrics.gaps(data, "copc, auc", by=groupings, min_rows=8, **options)
    values = sqlmetrics.evaluate(data, "copc, auc", by=groupings, **options)
    large = values[(values["n"] >= 8) & values["device"].notna()]
    assert len(large) < len(values)
    expected = list(itertools.product(["device", "user, device"], ["copc", "auc"], ["score", "other"]))
    assert list(result[["grouping", "metric", "model"]].itertuples(index=False, name=None)) == expected
    for row in result.to_dict("records"):
        part = large[(large["grouping"] == row["grouping"]) & (large["model"] == row["model"])][row["metric"]].dropna()
        values = [row[name] for name in ("highest", "lowest", "difference", "slices")]
        assert values == pytest.approx([part.max(), part.min(), part.max() - part.min(), len(part)], rel=1e-12)


def test_gaps_without_two_values_are_undefined() -> None:
    """A single slice, slices without a value and no rows; negative values have no ratio."""
    data = pd.DataFrame({"y": [0, 1, 0, 1], "s": [0.2, 0.8, 0.4, 0.6], "one": 1, "b": list("aabb"), "c": list("xyxy")})
    options: dict[str, Any] = {"label": "y", "score": "s", "confidence": 0.95}
    row = sqlmetrics.gaps(data, "auc", by="one", **options).iloc[0]
    assert row[["highest_one", "highest", "slices", "clusters", "shared_clusters"]].tolist() == [1, 1, 1, 0, 0]
    assert row[["lowest_one", "lowest", "difference", "ratio", "difference_low", "p_value"]].isna().all()
    undefined = sqlmetrics.gaps(data, "auc, mean_error", by="c", **options)
    assert undefined["slices"].tolist() == [0, 2]
    assert undefined.loc[0, ["highest_c", "highest", "lowest_c", "lowest", "difference", "p_value"]].isna().all()
    assert undefined["lowest"][1] < 0 < undefined["highest"][1]
    assert np.isnan(undefined["ratio"][1])
    assert sqlmetrics.gaps(data, "auc", by="b", where="y > 1", **options).empty
    equal = sqlmetrics.gaps(data, "auc", by="b", **options).iloc[0]
    assert equal[["highest_b", "lowest_b", "difference", "ratio"]].tolist() == ["a", "b", 0, 1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"by": None}, "by must name the slices to compare"),
        ({"by": [[]]}, "by must name the slices to compare"),
        ({"metrics": "roc_curve"}, "roc_curve has no single value to compare"),
        ({"metrics": "equalised_odds"}, "there is no metric 'equalised_odds'"),
        ({"metrics": "equalized_odds(k=3)"}, "recall has no parameter 'k'"),
        ({"metrics": ["equal_opportunity", "equal_opportunity"]}, "two metrics would be called 'equal_opportunity'"),
        ({"min_rows": -1}, "min_rows must be a whole number >= 0"),
        ({"cluster": "user"}, "cluster requires confidence"),
        ({"confidence": 2}, "confidence must be a number between"),
    ],
)
def test_gaps_rejects_invalid_arguments(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(sqlmetrics.SqlMetricsError, match=message):
        sqlmetrics.gaps(log(), **{"metrics": "auc", "by": "device", **CLICKS, **changes})


def test_shell_gaps_reports_failed_assertion(tmp_path: Path) -> None:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    line = f"gaps {tmp_path / 'people.csv'} -m equal_opportunity --label y --prediction called --by people --format csv"
    output = shell(*line.split(), "--assert", "difference <= 0.2")
    assert output.exit_code == 1
    header = "metric,highest_people,lowest_people,highest,lowest,difference,ratio,slices,n"
    assert output.stdout.splitlines()[0] == header
    assert "highest_people=" in output.stderr
