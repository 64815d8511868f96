"""Intervals of tables: against derivatives by the weight of a cluster, in numpy."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sqlmetrics
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests.parameters import pairwise, slow
from tests.statistics.copies import clustered_error, influences
from tests.statistics.test_intervals import SURE, log, rows_of_slice

LABEL = {"label": "clicked", "score": "score"}
RATES = ("tpr", "fpr", "precision", "recall")
ERRORS = ("mean_label", "mean_error", "mae")
#: The columns with a range other than 0 to 1.
RANGES = {
    **dict.fromkeys(("copc", "lift", "cumulative_lift", "mae"), (0, np.inf)),
    **dict.fromkeys(("mean_label", "mean_error"), (-np.inf, np.inf)),
}
#: Tables and their columns with an interval.
TABLES = {
    "roc_curve": RATES,
    "pr_curve(points=7)": RATES,
    "threshold_table(points=1)": RATES,
    "threshold_table(points=9)": RATES,
    "calibration_curve(bins=5, binning='width')": ("mean_score", "rate", "copc"),
    "calibration_curve(bins=5, binning='mass')": ("mean_score", "rate", "copc"),
    "lift_table(bins=4)": ("rate", "gain", "lift", "cumulative_lift"),
    "class_report": ("precision", "recall", "f1"),
    "score_histogram(bins=6)": ("share_of_positives", "share_of_negatives"),
    "error_table(bins=4)": ERRORS,
}


def roles_of(call: str) -> dict[str, str]:
    if call.startswith("error_table"):
        return {"label": "y", "score": "y_hat"}
    return {"label": "truth", "prediction": "guess"} if call == "class_report" else LABEL


def with_classes(data: pd.DataFrame) -> pd.DataFrame:
    truth, guess = (data[name].rank().astype(int) % 3 for name in ("y", "y_hat"))
    names = np.array(["ant", "bee", "cat"])
    return data.assign(truth=names[truth], guess=names[guess])


def quotient(call: str, row: Any, column: str, data: pd.DataFrame) -> tuple[Any, Any]:
    """The columns whose weighted sums are divided for a row of a table; a lift also by the rate of all rows."""
    clicked, score = data["clicked"].to_numpy(), data["score"].to_numpy()
    if "class" in row:
        truth, guess = (1.0 * (data[name] == row["class"]).to_numpy() for name in ("truth", "guess"))
        return {"precision": (truth * guess, guess), "recall": (truth * guess, truth),
                "f1": (2 * truth * guess, truth + guess)}[column]  # fmt: skip
    if "mae" in row:
        error, held = data["y_hat"] - data["y"], 1.0 * data["y_hat"].between(row["lower"], row["upper"])
        return {"mean_label": data["y"], "mean_error": error, "mae": error.abs()}[column] * held, held
    if "threshold" in row:
        held = score >= row["threshold"]
    elif "gain" in row:
        held = data["in_bin"] <= row["bin"] if column in ("gain", "cumulative_lift") else data["in_bin"] == row["bin"]
    else:
        closed = "mass" in call or row["upper"] == 1 or (call.startswith("score_histogram") and row["bin"] == 6)
        held = (score >= row["lower"]) & ((score <= row["upper"]) if closed else (score < row["upper"]))
    held = 1.0 * np.asarray(held)
    if column in ("tpr", "recall", "gain", "share_of_positives"):
        return clicked * held, clicked
    if column in ("fpr", "share_of_negatives"):
        return (1 - clicked) * held, 1 - clicked
    return (score if column == "mean_score" else clicked) * held, held * (score if column == "copc" else 1)


def values_of_row(terms: tuple[Any, Any], column: str, clicked: Any, weights: list[Any]) -> Any:
    """The value with each of the weights."""
    weights = np.array(weights)
    numerator, denominator = ((weights * np.asarray(term)).sum(axis=1) for term in terms)
    rate = (weights * clicked.to_numpy()).sum(axis=1) / weights.sum(axis=1) if "lift" in column else 1
    return np.divide(numerator, denominator * rate, out=np.full(len(weights), np.nan), where=denominator != 0)


@pytest.mark.parametrize(("call", "cluster", "weight"), slow(
    *[param.values for param in pairwise([*TABLES], ["user", None], [None, "w"])]
))  # fmt: skip
def test_tables_match_derivatives(call: str, cluster: str | None, weight: str | None) -> None:
    """The clusters of a value have a row in its denominator; a lift includes all clusters."""
    data = with_classes(log(150 if cluster else 40, 12))
    columns = TABLES[call]
    weights = np.ones(len(data)) if weight is None else data["w"].to_numpy()
    above = np.array([weights[data["score"] > score].sum() / weights.sum() for score in data["score"]])
    data["in_bin"] = np.minimum(np.floor(4 * (above + 1e-9)), 3) + 1
    clusters = data.index.to_numpy() if cluster is None else data["user"].to_numpy()
    result = sqlmetrics.evaluate(data, call, weight=weight, cluster=cluster, **roles_of(call), **SURE)
    assert {*result.columns} >= {f"{column}{end}" for column in columns for end in ("_low", "_high", "_se")}
    tested = 0
    for row in result[:: -(-len(result) // 6)].to_dict("records"):
        if row.get("threshold") == np.inf:
            continue
        for column in columns:
            terms = quotient(call, row, column, data)
            value = functools.partial(values_of_row, terms, column, data["clicked"])
            assert row[column] == pytest.approx(value([weights])[0], rel=1e-12, nan_ok=True)
            rows = np.ones(len(data), dtype=bool) if "lift" in column else terms[1] > 0
            count = len(np.unique(clusters[rows]))
            error = clustered_error(influences(value, clusters, weights=weights), count) if count > 1 else np.nan
            low, high = row[f"{column}_low"], row[f"{column}_high"]
            if np.isnan(error) or error <= 1e-10 * abs(row[column]):
                assert np.isnan(row[f"{column}_se"])
                exact = count > 1 and row[column] in (0, 1) and column not in RANGES
                expected = (stats.binomtest(int(row[column]) * count, count).proportion_ci(0.95, method="exact")
                            if exact else (np.nan, np.nan))  # fmt: skip
                assert [low, high] == pytest.approx([*expected], rel=1e-12, nan_ok=True)
                continue
            assert row[f"{column}_se"] == pytest.approx(error, rel=2e-8, abs=1e-9), (row, column)
            if count > 8:  # the approximation of the quantile is worse for fewer
                half = stats.t(count - 1).ppf(0.975) * error
                lowest, highest = RANGES.get(column, (0, 1))
                expected = [max(row[column] - half, lowest), min(row[column] + half, highest)]
                assert [low, high] == pytest.approx(expected, rel=1e-9, abs=5e-3 * half + 1e-8)
            tested += 1
    assert tested >= (1 if "points=1" in call else len(columns))


@pytest.mark.slow
def test_tables_of_slices_match_their_rows_alone() -> None:
    options: dict[str, Any] = {"label": "clicked", "cluster": "user", **SURE}
    call = "threshold_table(points=6)"
    tables = sqlmetrics.evaluate(log(), call, score=["score", "other"], by=[[], ["device"]], **options)
    groups = tables.groupby(["grouping", "device", "model"], dropna=False)
    assert len(groups) == 8
    for (_, _, model), table in groups:
        rows = rows_of_slice(log(), table.iloc[0])
        alone = sqlmetrics.evaluate(rows, call, score=model, **options)
        pd.testing.assert_frame_equal(table[alone.columns].reset_index(drop=True), alone, rtol=1e-8, atol=1e-9)


@pytest.mark.slow
def test_undefined_and_counted_rows() -> None:
    """A single class has no interval; a pre-aggregated row has a single cluster."""
    data, ends, options = log(), ["tpr_low", "tpr_high", "tpr_se"], {"cluster": "user", **SURE}
    negative = sqlmetrics.roc_curve(data.assign(clicked=0), points=4, **LABEL, **options)
    assert negative[[*ends, "tpr"]].isna().all(axis=None)
    assert negative["fpr_high"].notna().all()
    counted = data.groupby(["user", "score"], as_index=False).agg(hits=("clicked", "sum"), shown=("clicked", "size"))
    for call in ("roc_curve(points=5)", "calibration_curve(bins=3)", "lift_table(bins=3)"):
        rows = sqlmetrics.evaluate(data, call, **LABEL, **options)
        counts = sqlmetrics.evaluate(counted, call, positives="hits", total="shown", score="score", **options)
        pd.testing.assert_frame_equal(*(table.drop(columns="rows", errors="ignore") for table in (rows, counts)),
                                      rtol=1e-12)  # fmt: skip


@pytest.mark.parametrize(("call", "column"), slow(("roc_curve(points=8)", "tpr"), ("lift_table", "lift")))
def test_plots_have_bands(call: str, column: str) -> None:
    """A band runs along the upper ends and back along the lower ends."""
    result = sqlmetrics.evaluate(log(), call, **LABEL, confidence=0.95, cluster="user")
    chart = sqlmetrics.plot(result)
    [band] = re.findall(r'band" [^>]* d="([^"]*)"', chart.svg)
    names = [f"{column}_low", f"{column}_high", column]
    assert {*names} <= {*chart.table.columns}
    assert band.count("L") + 1 == 2 * result[names].notna().all(axis=1).sum()


@pytest.mark.parametrize(
    ("text", "replacement", "message"),
    [
        ("pos local", "pos", "positives must be what is summed and its scope"),
        ("positives / weight", "positives / people", "rate must be a column, a ratio of products of sums"),
        ("rate: positives", "share: positives", "share must be a column"),
        ("  row_key: bin\n", "", "intervals require a table, and row_key, sums and ratios"),
        ("mine__cells", "mine__rows", "intervals require the macro mine__cells"),
    ],
)
def test_register_rejects_invalid_bands(tmp_path: Path, text: str, replacement: str, message: str) -> None:
    template = builtin_catalogue().metrics["calibration_curve"].path.read_text(encoding="utf-8")
    template = template.replace("calibration_curve__", "mine__")
    assert text in template
    path = tmp_path / "mine.sql"
    path.write_text(template.replace(text, replacement), encoding="utf-8")
    with pytest.raises(sqlmetrics.SqlMetricsError, match=message):
        sqlmetrics.register(path)
