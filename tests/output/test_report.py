"""The page of `report`: its numbers are those of `evaluate`, and its HTML is valid."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sqlmetrics
from sqlmetrics.inputs.source import Source
from sqlmetrics.reporting import page
from sqlmetrics.reporting.labels import text_of
from sqlmetrics.request import ComparisonOptions, Request
from sqlmetrics.running.execute import fetch
from tests.calls import shell
from tests.engines.servers import ENGINES
from tests.output import logs
from tests.output.logs import HOSTILE, SVG
from tests.parameters import slow


def parse(text: str) -> ElementTree.Element:
    """The root element of a page, after closing its void elements for XML."""
    text = re.sub(r"<(meta|link|br|img|input|hr)\b([^>]*)>", r"<\1\2/>", text.removeprefix("<!DOCTYPE html>"))
    return ElementTree.fromstring(text)


LOG = logs.clicks()
MODELS = ["old", "new & <b>"]
ONE_MODEL: dict[str, Any] = {"label": "clicked", "score": "old"}
BY_USER: dict[str, Any] = {"label": "clicked", "score": MODELS, "cluster": "user"}
TWO_MODELS: dict[str, Any] = {**BY_USER, "group": "query"}
DEFAULT = ["auc", "average_precision", "gauc", "log_loss", "normalized_entropy", "brier", "copc", "ece", "ndcg@10",
           "map", "mrr"]  # fmt: skip
SCORECARD = "Metrics over all rows"


@pytest.fixture(scope="module")
def default_report() -> str:
    return sqlmetrics.report(LOG, **TWO_MODELS, by=["device", "day"]).html


def rows_of(text: str, caption: str) -> list[list[str]]:
    """The cells of the table with this caption, as HTML."""
    [table] = re.findall(rf"<caption>{re.escape(caption)}</caption>(.*?)</table>", text, re.DOTALL)
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", table, re.DOTALL)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]


def facts_of(text: str) -> dict[str, str]:
    return {row[0]: row[1] for row in rows_of(text, "Data, roles and rows")}


def sections_of(text: str) -> list[str]:
    return re.findall(r"<h2>(.*?)</h2>", text)


def text_in(cell: str) -> str:
    return re.sub("<.*?>", "", cell).replace(",", "").replace("−", "-").replace("∞", "inf")


def values_in(cell: str) -> list[float]:
    """The numbers of a cell with all digits."""
    return [float(value) for value in re.findall(r'<data value="([^"]*)">', cell)]


def assert_estimate(cell: str, row: Mapping[Any, Any], name: str) -> None:
    """The cell contains the value and the interval of the row."""
    expected = [row[f"{name}{end}"] for end in ("", "_low", "_high")]
    assert values_in(cell) == pytest.approx(expected, rel=1e-8, abs=1e-12)


def assert_scorecard(text: str, expected: pd.DataFrame, metrics: list[str]) -> None:
    """The columns of the models have the values of `evaluate`; the baseline is first."""
    [[_, *columns], *rows] = rows_of(text, SCORECARD)
    assert [name_in(row[0]) for row in rows] == [name.replace("@", "_at_") for name in metrics]
    records = {row.get("model", "value"): row for row in expected.to_dict("records")}
    models = [html.unescape(column).removesuffix(" (baseline)") for column in columns][: len(records)]
    assert {*models} == {*records}
    for head, *cells in rows:
        for model, cell in zip(models, cells, strict=False):
            assert_estimate(cell, records[model], name_in(head))


def name_in(head: str) -> str:
    """The name of a metric without its title."""
    return head.partition(" <small>")[0]


def tiles_of(text: str) -> list[str]:
    [tiles] = re.findall(r'<ul class="tiles">(.*?)</ul>', text, re.DOTALL)
    return re.findall(r"<li.*?>(.*?)</li>", tiles, re.DOTALL)


def answer_of(text: str) -> str:
    [answer] = re.findall(r'<section id="answer".*?>(.*?)<ul', text, re.DOTALL)
    return html.unescape(" ".join(re.findall("<p>(.*?)</p>", answer, re.DOTALL)))


def test_page_needs_neither_network_nor_script(default_report: str) -> None:
    assert default_report.startswith("<!DOCTYPE html>")
    for element in parse(default_report).iter():
        assert element.tag not in ("script", "link", "img", "iframe", "object", "form")
        assert not [name for name in element.attrib if name == "style" or name.startswith("on")]
        assert element.get("href", "#").startswith("#")
    assert set(re.findall(r"https?://[^\"'\s<>]+", default_report)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"url\(|@import", default_report)
    assert "default-src 'none'; style-src 'sha256-" in default_report


def test_page_is_accessible_and_escapes_data(default_report: str) -> None:
    root = parse(default_report)
    assert all(cell.get("scope") in ("row", "col") for cell in root.iter("th"))
    figures = [*root.iter("figure")]
    assert len(figures) == len([*root.iter(f"{SVG}svg")]) > 8
    for figure in figures:
        assert [len(figure.findall(f".//{tag}")) for tag in (f"{SVG}svg", "table", "details")] == [1, 1, 1]
    assert {link.get("href")[1:] for link in root.iter("a")} <= {element.get("id") for element in root.iter()}
    assert "alert(" in default_report
    assert not re.search(r"<b>|<script", default_report)
    heads = {text for cell in root.iter("th") for text in cell.itertext()}
    assert {"NULL", '"NULL"', HOSTILE.replace("\n", "\\n"), MODELS[1]} <= heads
    for picture in re.findall(r"<svg.*?</svg>", default_report, re.DOTALL):
        assert "nan" not in re.sub(r"<(title|desc|text).*?</\1>", "", picture).lower()


def test_scorecard_and_differences_are_those_of_evaluate_and_compare(default_report: str) -> None:
    assert_scorecard(default_report, sqlmetrics.evaluate(LOG, DEFAULT, confidence=0.95, **TWO_MODELS), DEFAULT)
    expected = sqlmetrics.compare(LOG, DEFAULT, **TWO_MODELS)
    for row, cells in zip(expected.to_dict("records"), rows_of(default_report, SCORECARD)[1:], strict=True):
        difference, probability, verdict = cells[3:]
        assert name_in(cells[0]) == row["metric"]
        assert_estimate(difference, row, "difference")
        assert values_in(probability) == pytest.approx([row["p_adjusted"]], rel=1e-6)
        assert text_in(verdict).strip() == CHIPS.get(row["verdict"], f"◆ {row['verdict']}".replace(",", ""))


#: Verdicts in the page.
CHIPS = {"better": "▲ better", "worse": "▼ worse", "no difference seen": "– undecided"}


def test_answer_is_that_of_compare(default_report: str) -> None:
    tests = sqlmetrics.compare(LOG, DEFAULT, **TWO_MODELS)
    counts = tests["verdict"].value_counts()
    answer = answer_of(default_report)
    assert answer.startswith(f"{MODELS[1]} is better than old (the baseline) on {counts['better']} of 11 metrics")
    [count, gain, loss, worst] = tiles_of(default_report)
    assert f"{counts['better']} of 11 metrics" in count
    sizes = tests.assign(size=tests["difference"].abs() / tests["standard_error"]).set_index("metric")
    largest = sizes[sizes["verdict"] == "better"]["size"].idxmax()
    assert f"Largest gain: {largest}" in gain
    assert_estimate(gain, sizes.loc[largest], "difference")
    assert ("none" in loss) == ("worse" not in counts)
    by_slice = pd.concat([sqlmetrics.compare(LOG, "auc", **BY_USER, by=by) for by in ("device", "day")])
    # If no slice is significantly worse, the tile shows the smallest gain.
    assert_estimate(worst, by_slice[by_slice["difference"] == by_slice["difference"].min()].iloc[0], "difference")
    assert f"not significantly worse in any of the {len(by_slice)} slices" in answer


@pytest.mark.parametrize(("scores", "answer", "verdicts"), [
    (["new & <b>", "old"], "new & <b> (the baseline) is better than old on auc. It", ["worse"]),
    (["old", "same = old"], "No difference between same and old (the baseline) is significant on auc.", ["undecided"]),
    (["old", "half = old / 2", "new & <b>"], "new & <b> is better than old (the baseline) on auc. The other model, "
     "half, is neither better nor worse. The best auc of 3 models is that of new & <b>.", ["undecided", "better"]),
    (["new & <b>", "minus = 1 - old", "old"], "new & <b> (the baseline) is better than each of the 2 other models. "
     "The closest, old, is worse on auc.", ["worse", "worse"]),
    (["old"], "auc of old is ", []),
])  # fmt: skip
def test_answer_names_the_better_model(scores: list[str], answer: str, verdicts: list[str]) -> None:
    scores = [sqlmetrics.column(name) if name in MODELS else name for name in scores]
    text = sqlmetrics.report(LOG, "auc", label="clicked", score=scores, cluster="user").html
    assert answer.removesuffix(" It") in answer_of(text)
    [row] = rows_of(text, SCORECARD)[1:]
    assert [verdict for cell in row for verdict in re.findall(r'class="chip (\w+)"', cell)] == verdicts


def test_answer_reports_a_lack_of_calibration() -> None:
    """The interval of `copc` excludes 1: the positives are half as frequent as predicted."""
    half = LOG.assign(score=np.where(LOG["clicked"] == 1, 0.9, 0.3))
    text = sqlmetrics.report(half, "auc, copc", label="clicked", score="score").html
    [copc] = sqlmetrics.copc(half, label="clicked", score="score")["copc"]
    side = "below" if copc < 1 else "above"
    assert re.search(rf"copc is \S+ \[\S+, \S+\], significantly {side} 1\.", answer_of(text))


@pytest.mark.slow
def test_answer_of_models_on_both_sides_of_an_ideal_value_is_a_difference() -> None:
    """`copc` of one model is as far above 1 as that of the other is below."""
    [copc] = sqlmetrics.copc(LOG, label="clicked", score="old")["copc"]
    high, low = (f"{name} = least(old * {copc / factor}, 1)" for name, factor in (("high", 1.3), ("low", 0.75)))
    arguments: dict[str, Any] = {"label": "clicked", "score": [high, low], "cluster": "user"}
    [verdict] = sqlmetrics.compare(LOG, "copc", **arguments)["verdict"]
    assert verdict == "differs, not closer to 1"
    assert (
        answer_of(sqlmetrics.report(LOG, "copc", **arguments).html) == "low differs from high (the baseline) on copc."
    )


def test_labels_of_a_single_class_have_no_answer_and_no_curves() -> None:
    positives = LOG[LOG["clicked"] == 1]
    text = sqlmetrics.report(positives, "auc", **BY_USER).html
    assert answer_of(text) == (
        f"{MODELS[1]} and old (the baseline) could not be tested on auc. auc is undefined on these rows."
    )
    assert "<figcaption>ROC curve" not in text


def test_models_have_the_same_colours_in_every_chart(default_report: str) -> None:
    """The baseline has no difference, but the other model has its usual colour in the chart of differences."""
    for title, drawn in (("auc by day", {"m0", "m1"}), ("Difference in auc by day", {"m1"})):
        [picture] = re.findall(rf"<svg[^>]*><title[^>]*>{title}<.*?</svg>", default_report, re.DOTALL)
        assert {*re.findall(r'class="(m\d) mark"', picture)} == drawn


@pytest.mark.slow
def test_metrics_without_a_direction_differ_and_have_no_impact() -> None:
    assert sqlmetrics.compare(LOG, "selection_rate", score=MODELS)["verdict"].tolist() == ["different"]
    text = sqlmetrics.report(LOG, "selection_rate", label="clicked", score=MODELS, by="query").html
    assert answer_of(text) == f"{MODELS[1]} differs from old (the baseline) on selection_rate."
    assert "impact" not in rows_of(text, "selection_rate by query: the first 10 of 200 slices")[0]


@pytest.mark.slow
def test_rows_with_missing_scores_are_dropped_for_each_model() -> None:
    """The comparison uses the rows that both models score; the scorecard shows the values of `evaluate`.

    These are computed from the comparison, whose rows are differences from the baseline.
    """
    holes = LOG.assign(old=LOG["old"].mask(LOG.index < 7))
    arguments: dict[str, Any] = {"label": "clicked", "score": MODELS, "cluster": "user"}
    with pytest.warns(sqlmetrics.DroppedRows) as caught:
        text = sqlmetrics.report(holes, "auc, brier", **arguments, baseline=MODELS[1]).html
    assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(sqlmetrics.DroppedRows):
        expected = sqlmetrics.evaluate(holes, "auc, brier", confidence=0.95, **arguments)
    assert expected["n"].tolist() == [1193, 1200]
    assert_scorecard(text, expected, ["auc", "brier"])
    assert "Δ over the 1,193 rows that all models score" in text
    facts = {html.unescape(name): cell for name, cell in facts_of(text).items()}
    assert "rows dropped (new & <b>)" not in facts
    counts = {"read": 1200, "used (old)": 1193, "used (new & <b>)": 1200, "dropped (old)": 7}
    assert {name: values_in(facts[f"rows {name}"]) for name in counts} == {name: [n] for name, n in counts.items()}
    assert "a value is NULL or NaN: score (column &#39;old&#39;) in 7 rows" in facts["rows dropped (old)"]
    with pytest.raises(sqlmetrics.BadData, match="dropped because a value is NULL"):
        sqlmetrics.report(holes, "auc", **ONE_MODEL, strict=True)


def test_slices_are_those_of_compare_and_the_worst_come_first(default_report: str) -> None:
    expected = sqlmetrics.compare(LOG, "auc", **BY_USER, by="device")
    slices = {text_of(None if pd.isna(row["device"]) else row["device"]): row for row in expected.to_dict("records")}
    [names, *rows] = rows_of(default_report, "auc by device")
    assert [html.unescape(name) for name in names] == ["device", "n", *MODELS, "Δ", "verdict", "impact"]
    impacts = []
    for name, count, baseline, value, difference, _, impact in rows:
        row = slices.pop(html.unescape(name))
        assert values_in(count) == [row["n"]]
        assert [values_in(baseline)[0], values_in(value)[0]] == pytest.approx([row["baseline_value"], row["value"]])
        assert_estimate(difference, row, "difference")
        impacts.append(-row["difference"] * row["n"] / len(LOG))
        assert values_in(impact) == pytest.approx(impacts[-1:], rel=1e-6, abs=1e-12)
    assert not slices
    assert impacts == sorted(impacts, reverse=True)
    days = [row[0] for row in rows_of(default_report, "auc by day")[1:]]
    assert days == sorted(days)
    assert len(set(days)) == 4


@pytest.mark.slow
@pytest.mark.parametrize("name", ["impact", "Δ"])
def test_slices_may_have_the_names_of_columns_of_the_page(default_report: str, name: str) -> None:
    log = LOG.rename(columns={"device": name})
    text = sqlmetrics.report(log, "auc", **BY_USER, by=name).html
    assert rows_of(text, f"auc by {name}")[1:] == rows_of(default_report, "auc by device")[1:]


def test_slices_have_the_values_of_evaluate_and_the_losses_of_a_single_model(default_report: str) -> None:
    expected = sqlmetrics.evaluate(LOG, "copc", confidence=0.95, **BY_USER, by="device")
    slices = {(text_of(None if pd.isna(row["device"]) else row["device"]), row["model"]): row
              for row in expected.to_dict("records")}  # fmt: skip
    for device, model, _, copc in rows_of(default_report, "Numbers of the chart: copc by device")[1:]:
        assert_estimate(copc, slices.pop((html.unescape(device), html.unescape(model))), "copc")
    assert not slices
    text = sqlmetrics.report(LOG, "auc", **ONE_MODEL, by="device").html
    [overall] = sqlmetrics.auc(LOG, **ONE_MODEL)["auc"]
    losses = [values_in(cells[3])[0] for cells in rows_of(text, "auc by device")[1:]]
    expected = sqlmetrics.auc(LOG, **ONE_MODEL, by="device")
    assert losses == pytest.approx(
        sorted((overall - expected["auc"]) * expected["n"] / len(LOG), reverse=True), rel=1e-6
    )


def test_report_of_classes_has_a_heat_map_and_a_row_for_each_class() -> None:
    data = logs.classes()
    text = sqlmetrics.report(data, **logs.CLASSES, by="device").html
    assert sections_of(text) == ["Scorecard", "Slices", "Classes", "What was evaluated"]
    expected = sqlmetrics.class_report(data, **logs.CLASSES, confidence=0.95).sort_values("f1")
    rows = rows_of(text, "Precision, recall and F1 of each class, the lowest F1 first")[1:]
    assert [row[0] for row in rows] == expected["class"].tolist()
    for cells, row in zip(rows, expected.to_dict("records"), strict=True):
        for name, cell in zip(("precision", "recall", "f1"), cells[1:], strict=False):
            assert_estimate(cell, row, name)
        assert values_in(cells[-1]) == [row["support"]]
    counts = pd.crosstab(data["label"], data["prediction"])
    [picture] = re.findall(r"<svg[^>]*><title[^>]*>Confusion matrix.*?</svg>", text, re.DOTALL)
    hints = re.findall(r"<title>label (class \d+), prediction (class \d+): ([\d,]+)</title>", picture)
    assert {(label, prediction): int(count) for label, prediction, count in hints} == counts.stack().to_dict()
    opacities = [float(value) for value in re.findall(r'fill-opacity="([\d.]+)" stroke', picture)]
    shares = counts.div(counts.sum(axis=1), axis=0).to_numpy().ravel()
    assert np.corrcoef(opacities, shares)[0, 1] > 0.9999


def test_confusion_matrix_has_the_most_frequent_of_many_classes() -> None:
    data = logs.classes(25)
    text = sqlmetrics.report(data, "macro_f1", **logs.CLASSES).html
    assert "The matrix has the 20 most frequent of 25 classes." in text
    caption = "Precision, recall and F1 of the 20 of 25 classes with the lowest F1"
    assert len(rows_of(text, caption)) == 21


def test_report_of_numbers_has_errors_by_size_and_residuals() -> None:
    data = logs.prices()
    text = sqlmetrics.report(data, **logs.PRICES).html
    assert sections_of(text) == ["Scorecard", "Errors", "What was evaluated"]
    assert_scorecard(text, sqlmetrics.evaluate(data, "mae, rmse, mean_error, r2", confidence=0.95, **logs.PRICES),
                     ["mae", "rmse", "mean_error", "r2"])  # fmt: skip
    bins = pd.qcut(data["new"], 20, labels=False)
    rows = [row for row in rows_of(text, "Numbers of the chart: Predicted against actual") if row[0] == "new"]
    assert [values_in(row[4])[0] for row in rows] == pytest.approx(data.groupby(bins)["price"].mean().tolist())
    rows = [row for row in rows_of(text, "Numbers of the chart: Errors by size") if row[0] == "new"]
    errors = (data["new"] - data["price"]).abs().groupby(bins).mean()
    assert [values_in(row[-1])[0] for row in rows] == pytest.approx(errors.tolist())
    counts, _ = np.histogram(data["new"] - data["price"], 30)
    rows = rows_of(text, "Numbers of the chart: Residuals: new")[1:]
    assert [values_in(row[3])[0] for row in rows] == [count for count in counts if count]


@pytest.mark.slow
def test_report_of_lists_has_coverage_and_exposure_by_depth() -> None:
    data, catalog = logs.searches(), pd.DataFrame({"doc": np.arange(100)})
    text = sqlmetrics.report(data, **logs.SEARCHES, catalog=catalog).html
    assert sections_of(text) == ["Scorecard", "Ranking of the lists", "Recommended items", "What was evaluated"]
    for k in (1, 10):
        top = data.sort_values(["query", "neural"], ascending=[True, False]).groupby("query").head(k)
        rows = rows_of(text, "Numbers of the chart: Coverage of the catalogue by depth")
        [row] = [row for row in rows if row[:2] == ["neural", str(k)]]
        assert values_in(row[2])[0] == pytest.approx(top["doc"].nunique() / 100)
    arguments = {name: value for name, value in logs.SEARCHES.items() if name != "label"}
    text = sqlmetrics.report(data, **arguments).html
    assert sections_of(text) == ["Scorecard", "Recommended items", "What was evaluated"]
    assert "exposure_entropy_at_10" in answer_of(text)


@pytest.mark.parametrize(("metric", "columns"), [
    ("max_error", ["max_error"]), ("confusion_matrix", ["tp", "fp", "fn", "tn"]),
])  # fmt: skip
def test_slices_of_metrics_without_an_interval_have_their_values(metric: str, columns: list[str]) -> None:
    arguments: dict[str, Any] = {**ONE_MODEL, "by": "device"}
    [caption] = re.findall(
        "<caption>((?:max_error by )?device)</caption>", text := sqlmetrics.report(LOG, metric, **arguments).html
    )
    [names, *rows] = rows_of(text, caption)
    expected = sqlmetrics.evaluate(LOG, metric, **arguments).to_dict("records")
    shown = {html.unescape(row[0]): [values_in(row[names.index(name)]) for name in columns] for row in rows}
    assert shown == {text_of(None if pd.isna(row["device"]) else row["device"]): [[pytest.approx(row[name], rel=1e-8)]
                     for name in columns] for row in expected}  # fmt: skip


@pytest.mark.slow
def test_models_that_lack_different_scores_have_their_own_slices() -> None:
    """Values cover all rows of a model, and differences the rows that all models score."""
    data = LOG.assign(device=np.where(LOG["query"] < 100, "a", "b"), old=LOG["old"].mask(LOG.index % 9 == 0))
    arguments: dict[str, Any] = {**BY_USER, "by": "device"}
    with pytest.warns(sqlmetrics.DroppedRows):
        text = sqlmetrics.report(data, "auc, copc", **arguments).html
    with pytest.warns(sqlmetrics.DroppedRows):
        values = sqlmetrics.evaluate(data, "copc", confidence=0.95, **arguments)
    with pytest.warns(sqlmetrics.DroppedRows):
        differences = sqlmetrics.compare(data, "auc", **arguments)
    slices = {(row["device"], row["model"]): row for row in values.to_dict("records")}
    for device, model, _, copc in rows_of(text, "Numbers of the chart: copc by device")[1:]:
        assert_estimate(copc, slices.pop((device, html.unescape(model))), "copc")
    assert not slices
    cells = {row[0]: row[4] for row in rows_of(text, "auc by device")}
    for row in differences.to_dict("records"):
        assert_estimate(cells[row["device"]], row, "difference")


SIMILAR_SLICES: list[list[Any]] = [
    [0.12345671, 0.12345672, 0.123456725], [2**60 + 1, 2**60 + 2, 2**60 + 3],
    [Decimal("12345678901234567890.1"), Decimal("12345678901234567890.2"), Decimal(5)],
    [pd.Timestamp("2026-01-01") + pd.Timedelta(end, "ns") for end in range(3)],
    [np.datetime64(f"0043-03-1{end}", "us") for end in range(3)], [b"a\xff", b"a\xfe", b"a"],
    [np.array(values) for values in ([1.0, 2.0], [2.0, 1.0], [1.0, 1.0])],
]  # fmt: skip


@pytest.mark.slow
def test_similar_slices_have_distinct_names() -> None:
    """In every table of a page, and in the text form of a picture."""
    columns = {
        f"slice_{number}": pd.Series(values * 400, dtype=getattr(values[0], "dtype", None) if number < 6 else object)
        for number, values in enumerate(SIMILAR_SLICES)
    }
    log = LOG.assign(**columns)
    text = sqlmetrics.report(log, "auc", **ONE_MODEL, by=[*columns]).html
    for column in columns:
        for caption in (f"auc by {column}", f"Numbers of the chart: auc by {column}"):
            assert len({text_in(row[0]) for row in rows_of(text, caption)[1:]}) == 3, caption
        chart = str(sqlmetrics.plot(sqlmetrics.evaluate(log, "auc", **ONE_MODEL, by=column)))
        assert len({re.split(r"  +", line.strip())[0] for line in chart.splitlines()}) == 4, column


@pytest.mark.parametrize(("metric", "arguments", "sections", "counts"), [
    *slow(("auc", {"score": "= old * 3"}, ["Ranking quality", "Scores"], {"rows used": 1200})),  # not probabilities
    ("mrr", {"score": None, "rank": "position", "group": "query"}, ["Ranking of the lists"], {}),
    ("auc", {"label": None, "positives": "clicked", "total": "= 2", "cluster": "user"},
     ["Ranking quality", "Calibration", "Scores"], {"rows they stand for": 2400}),
])  # fmt: skip
def test_sections_follow_from_the_roles(
    metric: str, arguments: dict[str, Any], sections: list[str], counts: dict[str, int]
) -> None:
    arguments = ONE_MODEL | arguments
    text = sqlmetrics.report(LOG, metric, **arguments).html
    assert sections_of(text) == ["Scorecard", *sections, "What was evaluated"]
    assert {name: values_in(facts_of(text)[name]) for name in counts} == {name: [n] for name, n in counts.items()}
    arguments |= {"by": None, "cluster": None}
    [expected] = sqlmetrics.evaluate(LOG, metric, **arguments)[metric]
    [cell] = [cell for name, cell in rows_of(text, SCORECARD)[1:] if name.startswith(metric)]
    assert values_in(cell)[0] == pytest.approx(expected, rel=1e-8)


def test_slices_are_expressions_or_columns_of_any_name_and_are_counted() -> None:
    data = LOG.assign(**{"a, b": LOG["device"], "c = d": LOG["day"]})
    by = [sqlmetrics.column("a, b"), "late = day > '2026-03-03'", sqlmetrics.column("c = d"), "device", "query"]
    slices = {"a, b": 5, "late": 3, "c = d, device": 11, "query": 11}
    by = [by[:1], by[1:2], by[2:4], by[4:]]
    text = sqlmetrics.report(data, "max_error, mae", label="old", score="new & <b>", by=by).html
    assert re.findall("<h3>(.*?)</h3>", text) == [f"By {name}" for name in slices]
    captions = re.findall("<caption>(mae by .*?)</caption>", text)
    assert [caption.partition(":")[0] for caption in captions] == [f"mae by {name}" for name in slices]
    assert [len(rows_of(text, caption)) for caption in captions] == [*slices.values()]
    assert "The charts have the 60 of 200 slices with the largest impact." in text
    assert rows_of(text, "mae by query: the 10 of 200 slices with the largest impact")
    # `max_error` has no interval.
    cells = {row[0].split(" ")[0]: len(values_in(row[1])) for row in rows_of(text, SCORECARD)[1:]}
    assert cells == {"max_error": 1, "mae": 3}
    text = sqlmetrics.report(LOG, "auc", **ONE_MODEL, by="device", min_rows=200).html
    assert "1 slice is left out for fewer than 200 rows." in text
    assert "NULL" not in [row[0] for row in rows_of(text, "auc by device")]


@pytest.mark.parametrize(("arguments", "message"), [
    ({"where": "old > 2"}, "there is no row to report on"), ({"label": None}, "label: a report needs labels"),
    ({"score": None}, "score: a report needs a prediction"), ({"metrics": "roc_curve"}, "roc_curve is a table"),
    ({"baseline": "old"}, "a single score has no other"), ({"by": ["device", ["day"]]}, "not a mixture"),
    ({"where": "1 = 1) select 1; select (1"}, "."),
])  # fmt: skip
def test_report_rejects_invalid_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(sqlmetrics.SqlMetricsError, match=message) as error:
        sqlmetrics.report(LOG, **{"metrics": "auc", **ONE_MODEL, **arguments})
    assert "\n" not in str(error.value)


@pytest.mark.slow
def test_statements_share_the_parsed_columns_of_a_text_file(tmp_path: Path) -> None:
    statements: list[str] = []

    def execute(source: Source, sql: str) -> pd.DataFrame:
        statements.append(sql)
        return fetch(source, sql)

    LOG.to_csv(tmp_path / "log.csv", index=False)
    roles: dict[str, Any] = {**ONE_MODEL, "cluster": "user"}
    arguments = {**roles, "group": "query", "by": "device", "metrics": "auc, brier", "confidence": 0.95}
    request = Request.of(arguments, comparison=ComparisonOptions())
    text = page.build_report(str(tmp_path / "log.csv"), request, execute=execute).html
    assert len(set(statements)) == len(statements)
    parsing = [sql for sql in statements if "read_csv" in sql]
    assert all(sql.startswith("create temp table") for sql in parsing)
    assert len(parsing) < len(statements) / 2
    assert_scorecard(text, sqlmetrics.evaluate(LOG, "auc, brier", confidence=0.95, **roles), ["auc", "brier"])


@pytest.mark.slow
def test_report_on_another_engine() -> None:
    data = LOG[["clicked", "old", "user", "device"]].assign(newer=LOG[MODELS[1]])
    roles: dict[str, Any] = {**BY_USER, "score": ["old", "newer"]}
    with ENGINES["postgres"]({"impressions": pa.Table.from_pandas(data, preserve_index=False)}) as engine:
        text = sqlmetrics.report("impressions", "auc, copc", engine=engine, **roles, by="device").html
    assert_scorecard(text, sqlmetrics.evaluate(data, "auc, copc", confidence=0.95, **roles), ["auc", "copc"])


@pytest.mark.slow
def test_shell_and_notebooks_give_the_same_page_and_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    LOG.to_csv("log.csv", index=False)

    def run(command: str) -> None:
        result = shell(*command.split())
        assert result.exit_code == 0, result.output

    run("report log.csv --label clicked --score old --by device --by day -m auc,copc -o page.html")
    report = sqlmetrics.report("log.csv", ["auc", "copc"], **ONE_MODEL, by=["device", "day"])
    report.save("saved.html")
    command = re.sub("<.*?>", "", facts_of(report.html)["command"])
    assert command.startswith("sqlmetrics report log.csv")
    run(command.removeprefix("sqlmetrics "))
    assert {Path(name).read_text("utf-8") for name in ("page.html", "saved.html", "report.html")} == {report.html}
    [(attributes, source)] = re.findall(r'<iframe([^>]*) srcdoc="([^"]*)"', report._repr_html_())
    assert html.unescape(source) == report.html
    assert "style" not in attributes
    for ending in ("svg", "png"):
        run(f"eval log.csv -m roc_curve --label clicked --score old -o curve.{ending}")
    chart = sqlmetrics.plot(sqlmetrics.roc_curve("log.csv", **ONE_MODEL))
    chart.save("saved.svg")
    assert Path("curve.png").read_bytes() == chart.png
    assert {Path(name).read_text("utf-8") for name in ("curve.svg", "saved.svg")} == {chart.svg}
