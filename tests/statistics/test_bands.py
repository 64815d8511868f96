"""Intervals of tables: against derivatives by the weight of a cluster, in numpy, and against statsmodels."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

import sqlmetrics
from sqlmetrics.catalogue import builtin_catalogue
from tests import optional
from tests.engines.servers import ENGINES, in_one_partition
from tests.statistics.test_intervals import log

Values = Callable[[pd.DataFrame, Any], float]
LABEL = {"label": "clicked", "score": "score"}
SURE: dict[str, Any] = {"confidence": 0.95, "standard_error": True}
RATES = ("tpr", "fpr", "precision", "recall")
LIFTS = ("rate", "gain", "lift", "cumulative_lift")


def classes(data: pd.DataFrame) -> pd.DataFrame:
    names = np.array(["ant", "bee", "cat"])
    return data.assign(truth=names[data["y"].rank().astype(int) % 3], guess=names[data["y_hat"].rank().astype(int) % 3])


def share(of: Any, among: Any, weight: Any) -> float:
    """By weight, nothing where there is none to be a share of."""
    whole = weight[among].sum()
    return float(weight[of & among].sum() / whole) if whole else np.nan


def called(row: Any, column: str) -> Values:
    """A rate of the rows that reach a threshold."""

    def value(data: pd.DataFrame, weight: Any) -> float:
        truth, calls = data["clicked"].to_numpy() == 1, data["score"].to_numpy() >= row["threshold"]
        if column == "precision":
            return share(truth, calls, weight)
        return share(calls, ~truth if column == "fpr" else truth, weight)

    return value


def in_bin(row: Any, column: str) -> Values:
    """The mean score, the rate and COPC between two edges, the last of which belongs to the bin by mass, and to 1."""

    def value(data: pd.DataFrame, weight: Any) -> float:
        below = (data["score"] <= row["upper"]) if row["closed"] else (data["score"] < row["upper"])
        held = (data["score"] >= row["lower"]) & below
        if column == "copc":
            return float((weight * data["clicked"])[held].sum() / (weight * data["score"])[held].sum())
        return float(np.average(data["score" if column == "mean_score" else "clicked"][held], weights=weight[held]))

    return value


def lifted(row: Any, column: str) -> Values:
    def value(data: pd.DataFrame, weight: Any) -> float:
        held, reached = data["in_bin"] == row["bin"], data["in_bin"] <= row["bin"]
        rate = np.average(data["clicked"], weights=weight)
        if column == "gain":
            return float((weight * data["clicked"])[reached].sum() / (weight * data["clicked"]).sum())
        if column == "cumulative_lift":
            return float(np.average(data["clicked"][reached], weights=weight[reached]) / rate)
        own = np.average(data["clicked"][held], weights=weight[held])
        return float(own if column == "rate" else own / rate)

    return value


def in_step(row: Any, column: str) -> Values:
    """The share of a class between two edges, the last of which holds the highest score too."""

    def value(data: pd.DataFrame, weight: Any) -> float:
        below = (data["score"] < row["upper"]) | ((row["bin"] == 6) & (data["score"] == row["upper"]))
        own = data["clicked"].to_numpy() == (column == "share_of_positives")
        return share(((data["score"] >= row["lower"]) & below).to_numpy(), own, weight)

    return value


def of_class(row: Any, column: str) -> Values:
    def value(data: pd.DataFrame, weight: Any) -> float:
        truth, guess = (data[name].to_numpy() == row["class"] for name in ("truth", "guess"))
        precision, recall = share(truth, guess, weight), share(guess, truth, weight)
        return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / (precision + recall)}[column]

    return value


def part_of(row: Any, column: str, data: pd.DataFrame, within: Any) -> Any:
    """The rows of the log of which a column tells a part; of a quotient of two parts all, or those of the row."""
    clicked = data["clicked"].to_numpy() == 1
    if "class" in row:
        called, true = (data[name].to_numpy() == row["class"] for name in ("guess", "truth"))
        return {"precision": called, "recall": true, "f1": called | true}[column]
    if column in ("tpr", "recall", "gain", "share_of_positives"):
        return clicked
    if column in ("fpr", "share_of_negatives"):
        return ~clicked
    if column == "precision":
        return (data["score"] >= row["threshold"]).to_numpy()
    if column == "rate" and "in_bin" in data and "gain" in row:
        return (data["in_bin"] == row["bin"]).to_numpy()
    return within


def at_an_end(value: float, column: str, clusters: int) -> list[float]:
    """Clopper and Pearson of none, or all, of so many."""
    if clusters < 2 or value not in (0, 1) or column in ("copc", "lift", "cumulative_lift"):
        return [np.nan, np.nan]
    return list(stats.binomtest(int(value) * clusters, clusters).proportion_ci(0.95, method="exact"))


def standard_error(value: Values, data: pd.DataFrame, cluster: Any, weight: Any, within: Any) -> float:
    """C / (C - 1) · Σ e², e the derivative by the weight of a cluster, at two steps and extrapolated."""
    step = 5e-3

    def slope(mask: Any, step: float) -> float:
        return (value(data, weight * (1 + step * mask)) - value(data, weight * (1 - step * mask))) / (2 * step)

    influences = []
    for one in np.unique(cluster[within]):
        mask = (cluster == one).astype(float)
        influences.append((4 * slope(mask, step) - slope(mask, 2 * step)) / 3)
    count = len(influences)
    return float(np.sqrt(count / (count - 1) * np.sum(np.square(influences)))) if count > 1 else np.nan


def bins_of_mass(data: pd.DataFrame, bins: int, weight: Any) -> Any:
    """The bin of each row from the highest score down, by the weight of the higher scores."""
    above = [weight[data["score"] > score].sum() / weight.sum() for score in data["score"]]
    return np.minimum(np.floor(bins * (np.array(above) + 1e-9)), bins - 1) + 1


#: A call, its columns with an interval, the value of a row from elsewhere, and which rows of the log the row is about.
TABLES: Mapping[str, tuple[tuple[str, ...], Callable[[Any, str], Values]]] = {
    "roc_curve": (RATES, called),
    "pr_curve(points=7)": (RATES, called),
    "threshold_table(points=1)": (RATES, called),
    "threshold_table(points=9, spacing='rows')": (RATES, called),
    "calibration_curve(bins=5, binning='width')": (("mean_score", "rate", "copc"), in_bin),
    "calibration_curve(bins=5, binning='mass')": (("mean_score", "rate", "copc"), in_bin),
    "lift_table(bins=4)": (LIFTS, lifted),
    "class_report": (("precision", "recall", "f1"), of_class),
    "score_histogram(bins=6)": (("share_of_positives", "share_of_negatives"), in_step),
}


@pytest.mark.slow
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("cluster", ["user", None])
@pytest.mark.parametrize("call", TABLES)
def test_columns_against_derivatives(call: str, cluster: str | None, weight: str | None) -> None:
    """Of a bin or a class those clusters count that have a row in it; of what looks at all rows, all."""
    data = classes(log(clusters=12, rows=150 if cluster else 40))
    columns, of_row = TABLES[call]
    roles = {"label": "truth", "prediction": "guess"} if call == "class_report" else LABEL
    weights = np.ones(len(data)) if weight is None else data["w"].to_numpy()
    data["in_bin"] = bins_of_mass(data, 4, weights)
    clusters = data.index.to_numpy() if cluster is None else data["user"].to_numpy()
    result = sqlmetrics.evaluate(data, call, weight=weight, cluster=cluster, **roles, **SURE)
    assert {*result.columns} >= {f"{column}{end}" for column in columns for end in ("_low", "_high", "_se")}
    tried = 0
    for row in result.iloc[:: -(-len(result) // 6)].to_dict("records"):  # a derivative asks a tool four times
        row["closed"] = "mass" in call or row.get("upper") == 1
        if row.get("threshold") == np.inf:
            continue
        within = np.ones(len(data), dtype=bool)
        if of_row is in_bin:
            below = data["score"] <= row["upper"] if row["closed"] else data["score"] < row["upper"]
            within = ((data["score"] >= row["lower"]) & below).to_numpy()
        elif of_row is of_class:
            within = ((data["truth"] == row["class"]) | (data["guess"] == row["class"])).to_numpy()
        for column in columns:
            own = part_of(row, column, data, within) & (weights > 0)
            value = of_row(row, column)
            assert row[column] == pytest.approx(value(data, weights), rel=1e-12, nan_ok=True)
            error = standard_error(value, data, clusters, weights, own)
            of_one_kind = error <= 1e-10 * row[column]
            told = np.nan if of_one_kind else error
            assert row[f"{column}_se"] == pytest.approx(told, rel=2e-8, abs=1e-9, nan_ok=True), (row, column)
            if of_one_kind:
                ends = at_an_end(row[column], column, len(np.unique(clusters[own])))
                assert [row[f"{column}_low"], row[f"{column}_high"]] == pytest.approx(ends, rel=1e-12, nan_ok=True)
                continue
            if np.isnan(error):
                assert pd.isna(row[f"{column}_low"])
                continue
            count = len(np.unique(clusters[own]))
            reach = stats.t(count - 1).ppf(0.975) * error
            top = np.inf if column in ("copc", "lift", "cumulative_lift") else 1
            if count > 8:  # of fewer, the quantile is off by more, see sql/intervals.md
                near = {"rel": 1e-9, "abs": 5e-3 * reach + 1e-8}
                assert row[f"{column}_low"] == pytest.approx(max(row[column] - reach, 0), **near)
                assert row[f"{column}_high"] == pytest.approx(min(row[column] + reach, top), **near)
            tried += error > 0
    assert tried >= (1 if "points=1" in call else len(columns))


@pytest.mark.slow
def test_a_row_is_what_the_metric_at_its_threshold_is() -> None:
    data = log().assign(other=lambda d: d["score"].round(1))
    arguments: dict[str, Any] = {"label": "clicked", "cluster": "user", "by": [[], ["device"]], **SURE}
    table = sqlmetrics.evaluate(
        data, "threshold_table(points=6, spacing='score')", score=["score", "other"], **arguments
    )
    table = table[table["threshold"] < np.inf]
    assert len(table) == 4 * 2 * 6
    for row in table.to_dict("records"):
        part = data if row["grouping"] == "overall" else data[
            data["device"].isna() if pd.isna(row["device"]) else data["device"] == row["device"]]  # fmt: skip
        metrics = [{"name": name, "threshold": row["threshold"]} for name in ("recall", "fpr", "precision")]
        alone = sqlmetrics.evaluate(part, metrics, score=row["model"], label="clicked", cluster="user", **SURE).iloc[0]
        for name in ("recall", "fpr", "precision"):
            [value] = [column for column in alone.index if column.startswith(name) and not column.endswith(
                ("_low", "_high", "_se"))]  # fmt: skip
            for end in ("", "_low", "_high", "_se"):
                assert row[name + end] == pytest.approx(alone[value + end], rel=1e-8, abs=1e-9, nan_ok=True)


@pytest.mark.slow
def test_the_rate_of_a_bin_against_the_sandwich_of_statsmodels() -> None:
    models = optional.package("statsmodels.api")
    data = log()
    result = sqlmetrics.calibration_curve(data, weight="w", cluster="user", bins=4, binning="width", **LABEL, **SURE)
    for row in result.to_dict("records"):
        held = data[(data["score"] >= row["lower"]) & (data["score"] < row["upper"])]
        fit = models.WLS(held["clicked"], np.ones(len(held)), weights=held["w"]).fit(
            cov_type="cluster", cov_kwds={"groups": held["user"], "use_correction": False}
        )
        count = held["user"].nunique()
        assert row["rate"] == pytest.approx(fit.params.iloc[0], rel=1e-12)
        assert row["rate_se"] == pytest.approx(fit.bse.iloc[0] * np.sqrt(count / (count - 1)), rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENGINES)
def test_the_same_digits_on_every_engine(name: str) -> None:
    data = classes(log(rows=300).assign(user=lambda d: d["user"].where(d["user"] > 2)))
    arguments: dict[str, Any] = {"by": [[], ["device"]], **SURE}
    with ENGINES[name]({"log": pa.Table.from_pandas(data, preserve_index=False)}) as engine:
        in_one_partition(engine)
        # Spark takes ten seconds for each of these statements.
        for place, call in enumerate([*TABLES][::3] if name == "spark" else TABLES):
            roles = {"label": "truth", "prediction": "guess"} if call == "class_report" else LABEL
            for cluster, weight in (("user", "w"), (None, None)) if place % 2 else (("user", None), (None, "w")):
                given = {**arguments, **roles, "cluster": cluster, "weight": weight}
                here = sqlmetrics.evaluate(data, call, **given)
                there = sqlmetrics.evaluate("log", call, engine=engine, **given)
                pd.testing.assert_frame_equal(here, there, rtol=1e-9, atol=1e-9, check_exact=False)


@pytest.mark.slow
def test_no_cluster_and_infinite_scores() -> None:
    """Rows without a cluster are one cluster; scores of minus infinity reach no threshold of equal steps."""
    data = log(rows=200).assign(user=lambda d: d["user"].where(d["user"] > 4))
    named = data.assign(user=data["user"].fillna(-1))
    for call in TABLES:
        if call != "class_report":
            result, expected = (
                sqlmetrics.evaluate(one, call, cluster="user", **LABEL, **SURE) for one in (data, named)
            )
            pd.testing.assert_frame_equal(result, expected)
    within = data["score"].where(data.index > 5, -np.inf).where(data.index < 190, np.inf)
    ends = data.assign(score=within)
    for call in ("roc_curve", "roc_curve(points=5)", "roc_curve(points=5, spacing='rows')"):
        table = sqlmetrics.evaluate(ends, call, cluster="user", **LABEL, **SURE)
        assert not table[["tpr_low", "tpr_high", "fpr_low", "fpr_high"]].isna().any(axis=None)
        for row in table[table["tp"] > 0].to_dict("records"):
            error = standard_error(called(row, "tpr"), ends, ends["user"].fillna(-1).to_numpy(),
                                   np.ones(len(ends)), ends["clicked"].to_numpy() == 1)  # fmt: skip
            told = np.nan if row["tpr"] == 1 else error  # all are of one kind
            assert row["tpr_se"] == pytest.approx(told, rel=2e-8, abs=1e-9, nan_ok=True)
    alike = data.assign(score=0.5)
    table = sqlmetrics.roc_curve(alike, points=3, cluster="user", **LABEL, **SURE)
    assert table["tpr"].tolist() == [0, 1]
    assert table["tpr_se"].tolist() == pytest.approx([0, np.nan], nan_ok=True)
    of_all = list(stats.binomtest(n := data["user"][data["clicked"] == 1].nunique(dropna=False), n).proportion_ci(0.95))
    assert table[["tpr_low", "tpr_high"]].iloc[1].tolist() == pytest.approx(of_all, rel=1e-12)


@pytest.mark.slow
def test_undefined() -> None:
    ends = ["tpr_low", "tpr_high", "tpr_se"]
    data = log()
    one = sqlmetrics.roc_curve(data.assign(user=1), points=4, cluster="user", **LABEL, **SURE)
    assert one["tpr"].notna().all()
    assert one.loc[one["threshold"] < np.inf, ends].isna().all(axis=None)
    nobody = sqlmetrics.roc_curve(data.assign(clicked=0), points=4, cluster="user", **LABEL, **SURE)
    assert nobody[[*ends, "tpr"]].isna().all(axis=None)
    assert nobody["fpr_high"].notna().all()
    for call in TABLES:
        if call != "class_report":
            assert sqlmetrics.evaluate(data, call, where="score > 2", cluster="user", **LABEL, **SURE).empty


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            {"metrics": "class_confusion", "score": None, "prediction": "clicked"},
            "class_confusion is a table whose columns have no interval",
        ),
        ({"metrics": "roc_curve", "method": "bootstrap"}, "method='bootstrap': roc_curve is a table"),
        ({"metrics": "roc_curve", "by": "tpr_low = device"}, "tpr_low"),
        ({"metrics": "roc_curve", "label": None, "positives": "clicked", "total": "= 1"}, "confidence needs cluster"),
    ],
)
def test_what_is_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(sqlmetrics.SqlMetricsError, match=words):
        sqlmetrics.evaluate(log(), **{**LABEL, "confidence": 0.9, **wrong})


@pytest.mark.slow
def test_counted_rows_and_looks_at_all_times() -> None:
    """A row that stands for several is that of its cluster; a sequence reaches as far as that of the metric itself."""
    data = log()
    counted = data.groupby(["user", "score"], as_index=False).agg(hits=("clicked", "sum"), shown=("clicked", "size"))
    for call in ("roc_curve(points=5)", "calibration_curve(bins=3)", "lift_table(bins=3)"):
        pd.testing.assert_frame_equal(
            sqlmetrics.evaluate(data, call, cluster="user", **LABEL, **SURE).drop(columns="rows", errors="ignore"),
            sqlmetrics.evaluate(counted, call, positives="hits", total="shown", score="score", cluster="user",
                                **SURE).drop(columns="rows", errors="ignore"),
            rtol=1e-12,
        )  # fmt: skip
    arguments: dict[str, Any] = {"cluster": "user", "confidence": 0.9, "anytime": 20, **LABEL}
    table = sqlmetrics.threshold_table(data, points=3, **arguments)
    for row in table[table["threshold"] < np.inf].to_dict("records"):
        alone = sqlmetrics.recall(data, threshold=row["threshold"], **arguments).iloc[0]
        ends = (alone["recall_low"], alone["recall_high"])
        assert (row["recall_low"], row["recall_high"]) == pytest.approx(ends, nan_ok=True)


@pytest.mark.parametrize(
    ("call", "column"),
    [("roc_curve(points=8)", "tpr"), ("pr_curve(points=8)", "precision"), ("calibration_curve", "rate"),
     ("lift_table", "lift")],
)  # fmt: skip
def test_pictures_have_bands(call: str, column: str) -> None:
    """The band goes there along the upper ends and back along the lower ones."""
    data = log()
    for sure in ({}, {"confidence": 0.95, "cluster": "user"}):
        result = sqlmetrics.evaluate(data, call, **LABEL, **sure)
        chart = sqlmetrics.plot(result)
        bands = re.findall(r'band" [^>]* d="([^"]*)"', chart.svg)
        assert len(bands) == (1 if sure else 0)
        assert ({f"{column}_low", f"{column}_high"} <= {*chart.table.columns}) == bool(sure)
        if sure:
            drawn = result[[f"{column}_low", f"{column}_high", column]].notna().all(axis=1).sum()
            assert bands[0].count("L") + 1 == 2 * drawn


@pytest.mark.slow
def test_the_report_has_bands() -> None:
    """ROC, precision over recall, calibration and COPC, by the call's own clusters."""
    html = sqlmetrics.report(log(), ["log_loss"], cluster="user", **LABEL).html
    pictures = re.findall(r'<svg class="chart".*?</svg>', html, flags=re.DOTALL)
    titles = [re.findall(r"<title[^>]*>([^<]*)", picture)[0] for picture in pictures if ' band" ' in picture]
    assert {"ROC curve", "Precision-recall curve", "Calibration", "COPC by score"} <= {*titles}
    rate = sqlmetrics.calibration_curve(log(), binning="mass", cluster="user", confidence=0.95, **LABEL)
    assert all(f"{value:.6g}" in html for value in rate["rate_high"] if value < 1)


@pytest.mark.parametrize(
    ("was", "becomes", "words"),
    [
        ("pos own", "pos", "positives must be what is summed and how far"),
        ("positives / weight", "positives / people", "rate must be a column, a ratio of products of sums"),
        ("rate: positives", "share: positives", "share must be a column"),
        ("  mark: bin\n", "", "says mark, sums and ratios"),
        ("mine__cells", "mine__rows", "intervals want the macro mine__cells"),
    ],
)
def test_metric_files_that_are_wrong(tmp_path: Path, was: str, becomes: str, words: str) -> None:
    text = builtin_catalogue().metrics["calibration_curve"].path.read_text(encoding="utf-8")
    text = text.replace("calibration_curve__", "mine__")
    assert was in text
    path = tmp_path / "mine.sql"
    path.write_text(text.replace(was, becomes), encoding="utf-8")
    with pytest.raises(sqlmetrics.SqlMetricsError, match=words):
        sqlmetrics.register(path)
