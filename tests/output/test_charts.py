"""The charts of `plot`: values at their coordinates, and the files that `save` and `-o` write."""

from __future__ import annotations

import math
import re
import struct
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics.reporting import charts
from sqlmetrics.reporting.forest import ForestPanel, ForestRow, forest
from sqlmetrics.reporting.heat import heat_map
from sqlmetrics.reporting.labels import text_of
from tests.calls import shell
from tests.output import logs
from tests.output.logs import SVG
from tests.output.test_report import LOG, MODELS, ONE_MODEL


def test_plot_draws_a_curve_at_its_values() -> None:
    result = sqlmetrics.roc_curve(LOG, **ONE_MODEL)
    svg = sqlmetrics.plot(result).svg
    ElementTree.fromstring(svg)
    series = r'<path class="m\d" stroke="[^"]*" stroke-width="2"(?: stroke-dasharray="[^"]*")? d="M([^"]*L[^"]*)"'
    [path] = re.findall(series, svg)
    line = np.array([point.split(" ") for point in path.split("L")], dtype=float)
    drawn = (line - line[0]) / (line[-1] - line[0])
    curve = result[["fpr", "tpr"]].to_numpy()
    assert all(np.abs(curve - point).max(axis=1).min() < 0.003 for point in drawn)
    assert 1 < len(line) <= len(curve)


def test_plot_draws_slices_as_dots_and_days_as_a_line_with_a_band_and_gaps() -> None:
    assert sqlmetrics.plot(sqlmetrics.auc(LOG, **ONE_MODEL, by="device", confidence=0.9)).svg.count("<circle") == 4
    # The third day of each of two periods has no AUC; a single day between two gaps has a mark.
    days = pd.concat([LOG.assign(day=LOG["day"] + pd.Timedelta(weeks, "W")) for weeks in range(2)])
    without_negatives = LOG["day"].isin(pd.to_datetime(["2026-03-04"]))
    days["clicked"] = days["clicked"].mask(pd.concat([without_negatives] * 2).to_numpy(), 1)
    result = sqlmetrics.auc(days, **ONE_MODEL, by="day", confidence=0.9)
    assert result["auc"].isna().tolist() == [False, False, True, False] * 2
    svg = sqlmetrics.plot(result).svg
    assert "2026-03-02" in svg
    [line] = re.findall(r'<path class="m0" stroke="#\w+" stroke-width="2" d="([^"]*)"', svg)
    assert [segment.count("L") + 1 for segment in line.split("M")[1:]] == [2, 3, 1]
    assert len(re.findall(r'class="m0 band"', svg)) == 2
    assert len(re.findall(r'<circle class="m0 mark"', svg)) == 6


COMPARED: dict[str, Any] = {"label": "clicked", "score": MODELS, "cluster": "user"}
#: The start of each mark's path, relative to its centre.
FORMS = {
    "better": "m0 -5.5l",
    "worse": "m0 5.5l",
    "different": "m0 -5.5l5.5 5.5l-5.5 5.5",
    "no difference seen": "m-4 0a",
}


def texts_of(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def panel_groups(svg: str) -> list[ElementTree.Element]:
    """The panels of a forest plot, inside the body group."""
    [body] = ElementTree.fromstring(svg).findall(f"{SVG}g")
    return body.findall(f"{SVG}g")


def marks_of(panel: ElementTree.Element) -> list[tuple[float, str]]:
    """The position of each mark from left to right, and its path."""
    paths = [path.get("d") or "" for path in panel.iter(f"{SVG}path")]
    matches = [re.fullmatch(r"M([\d.]+) [\d.]+(m.*)", path) for path in paths if "H" not in path]
    return [(float(match[1]), match[2]) for match in matches if match]


def shade_of(panel: ElementTree.Element) -> tuple[float, float]:
    """The left and right edge of the shaded better side."""
    [(left, width)] = {
        (float(shade.get("x", 0)), float(shade.get("width", 0))) for shade in panel.findall(f"{SVG}rect")
    }
    return left, left + width


def assert_rows_are_drawn(panel: ElementTree.Element, rows: pd.DataFrame, better: str) -> None:
    """Marks and intervals share one linear axis, in row order, with the shape of their verdict."""
    marks = marks_of(panel)
    assert len(marks) == len(rows)
    scale = np.polyfit(rows["difference"], [x for x, _ in marks], 1)
    np.testing.assert_allclose([x for x, _ in marks], np.polyval(scale, rows["difference"]), atol=0.11)
    for (_, form), verdict in zip(marks, rows["verdict"], strict=True):
        assert form.startswith(FORMS[verdict]), verdict
    lines = [path.get("d") or "" for path in panel.iter(f"{SVG}path") if "H" in (path.get("d") or "")]
    for line, low, high in zip(lines, rows["difference_low"], rows["difference_high"], strict=True):
        ends = [float(end) for end in re.findall(r"H([\d.]+)", line)]
        np.testing.assert_allclose(ends, np.polyval(scale, [low, high]), atol=0.3)
    shade = shade_of(panel)
    assert shade[0 if better == "higher" else 1] == pytest.approx(np.polyval(scale, 0), abs=0.3)


def test_comparison_is_a_forest_plot_of_its_values_and_verdicts() -> None:
    """A renamed metric is not in the catalogue under its name, but has a direction."""
    result = sqlmetrics.compare(LOG, ["auc", "mine = log_loss"], **COMPARED, by="device")
    chart, single = sqlmetrics.plot(result), sqlmetrics.plot(result, "mine")
    assert single.table["metric"].unique().tolist() == ["mine"]
    panels = [*panel_groups(chart.svg), *panel_groups(single.svg)]
    for panel, name in zip(panels, ["auc", "mine", "mine"], strict=True):
        better = "higher" if name == "auc" else "lower"
        rows = result[result["metric"] == name]
        assert_rows_are_drawn(panel, rows, better)
        texts = ["".join(text.itertext()) for text in panel.iter(f"{SVG}text")]
        assert f"{name}{better} is better" in texts
        devices = [text_of(None if pd.isna(device) else device) for device in rows["device"]]
        assert [text for text in texts if text in devices] == devices
        shown = [
            re.findall(r"[\d.]+", text.replace("−", "-")) for text in texts if text.endswith("]") and "Δ" not in text
        ]
        decimals = len(shown[0][0].partition(".")[2])
        values = rows[["difference", "difference_low", "difference_high"]].abs().to_numpy()
        assert shown == [[f"{value:.{decimals}f}" for value in row] for row in values]
        differences = [table.loc[table["metric"] == name, "difference"].tolist() for table in (chart.table, result)]
        assert differences[0] == differences[1]


def test_forest_plot_without_slices_has_a_row_for_each_metric_or_model() -> None:
    result = sqlmetrics.compare(LOG, "auc, copc, brier", **COMPARED)
    chart = sqlmetrics.plot(result)
    assert [len(marks_of(panel)) for panel in panel_groups(chart.svg)] == [1, 1, 1]
    assert {"auc", "copc", "brier", "1 is best", f"{MODELS[1]} compared with {MODELS[0]}"} <= {*texts_of(chart.svg)}
    by_device = sqlmetrics.plot(sqlmetrics.compare(LOG, "auc, copc, brier", **COMPARED, by="device"))
    assert chart.height < by_device.height / 2
    models = {**COMPARED, "score": [*MODELS, "twice = old / 2", "half = old / 4"]}
    for by in (None, "day"):
        svg = sqlmetrics.plot(sqlmetrics.compare(LOG, "auc", **models, by=by)).svg
        days = 4 if by else 1
        assert [texts_of(svg).count(name) for name in ("twice", "half")] == [days, days]
        assert sum("2026-03-0" in text for text in texts_of(svg)) == (4 if by else 0)


def test_forest_plot_names_rows_it_omits_and_cuts_wide_intervals() -> None:
    rows = [ForestRow(f"slice {number}", 0.01, 0.0, 0.02, "better") for number in range(70)]
    rows[3] = ForestRow("rare", 0.02, -5.0, 6.0, "no difference seen")
    chart = forest("title", "Rows.", [ForestPanel("auc", rows, "higher")], pd.DataFrame())
    assert chart.description == "Rows. Of 70 rows the first 60 are drawn."
    [panel] = panel_groups(chart.svg)
    marks = marks_of(panel)
    assert len(marks) == 60
    assert marks[0][0] - shade_of(panel)[0] > 15, "the common intervals have room"
    [cut] = [path.get("d") or "" for path in panel.iter(f"{SVG}path") if (path.get("d") or "").count("l") == 4]
    assert [float(end) for end in re.findall(r"H([\d.]+)", cut)][1] == pytest.approx(shade_of(panel)[1], abs=0.2)
    assert "+0.020 [−5.000, 6.000]" in texts_of(chart.svg)


def test_undefined_differences_have_no_mark() -> None:
    rows = [ForestRow("a", 0.5, None, None), ForestRow("b", None), ForestRow("c", -0.25, -math.inf, 0.5, "worse")]
    svg = forest("title", "Rows.", [ForestPanel("auc", rows)], pd.DataFrame()).svg
    assert {"+0.5000", "undefined"} <= {*texts_of(svg)}
    assert "nan" not in svg
    assert len(marks_of(panel_groups(svg)[0])) == 2


def test_several_metrics_have_panels_and_share_their_days() -> None:
    result = sqlmetrics.evaluate(LOG, "auc, copc, brier", **ONE_MODEL, by="day", confidence=0.9)
    chart = sqlmetrics.plot(result)
    texts = texts_of(chart.svg)
    assert [texts.count(text) for text in ("auc", "copc", "brier", "2026-03-02", "day")] == [1] * 5
    assert chart.svg.count('class="m0 band"') == 3
    assert {"auc", "copc_low", "brier_high", "n"} <= {*chart.table.columns}
    assert (
        sqlmetrics.plot(result, "copc").svg
        == sqlmetrics.plot(sqlmetrics.evaluate(LOG, "copc", **ONE_MODEL, by="day", confidence=0.9)).svg
    )
    many = [f"m{number} = recall_at_k(k={number})" for number in range(1, 15)]
    description = sqlmetrics.plot(
        sqlmetrics.evaluate(LOG, many, label="clicked", score="old", group="query", by="day")
    ).description
    assert description.endswith("Of 14 metrics the first 12 are drawn.")


def test_gaps_and_drift_are_drawn_at_their_values() -> None:
    gaps = sqlmetrics.gaps(LOG, "auc, brier", **ONE_MODEL, by="day", confidence=0.9)
    chart = sqlmetrics.plot(gaps)
    for panel, value in zip(panel_groups(chart.svg), gaps["difference"], strict=True):
        [(x, _)] = marks_of(panel)
        assert x > float(re.findall(r'stroke-opacity=".7" d="M([\d.]+)', ElementTree.tostring(panel, "unicode"))[0])
        assert any(
            text.startswith(f"+{value:.2f}"[:5]) for text in ("".join(t.itertext()) for t in panel.iter(f"{SVG}text"))
        )
    halves = {"current": "day >= '2026-03-04'", "reference": "day < '2026-03-04'"}
    drift = sqlmetrics.drift(LOG, ["old", MODELS[1], "position"], **halves)
    for distance, title in ((None, "psi"), ("ks_distance", "ks_distance")):
        svg = sqlmetrics.plot(drift, distance).svg
        places = [float(x) for x in re.findall(r'<circle class="m0 mark"[^>]* cx="([\d.]+)"', svg)]
        scale = np.polyfit(drift[title], places, 1)
        np.testing.assert_allclose(places, np.polyval(scale, drift[title]), atol=0.11)
        assert f"{title} by column" in texts_of(svg)


def test_saved_pictures_have_a_title_a_margin_and_values_in_the_legend(tmp_path: Path) -> None:
    curve = sqlmetrics.roc_curve(LOG, label="clicked", score=MODELS)
    chart = charts.roc(curve, {"old": "AUC 0.71"})
    assert {"ROC curve", "old: AUC 0.71", MODELS[1]} <= {*texts_of(chart.svg)}
    root = ElementTree.fromstring(chart.svg)
    assert root.get("font-family") == "system-ui, sans-serif"
    assert "ROC curve" not in [text.text for text in ElementTree.fromstring(chart.drawn()).iter(f"{SVG}text")]
    width, height = int(root.get("width", 0)), int(root.get("height", 0))
    assert (width, height) > (chart.width + 30, chart.height + 40)
    chart.save(tmp_path / "curve.png")
    image = (tmp_path / "curve.png").read_bytes()
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", image[16:24]) == (2 * width, 2 * height)


def test_heat_map_has_shares_as_colours_and_texts_that_fit() -> None:
    names = ["cat", "dog & <b>", "a class of a long name"]
    shares = [[0.5, 0.25, None], [0.0, 1.0, 0.0], [0.1, 0.2, 0.7]]
    texts = [["5", "2", "1,000,000,000,000"], ["0", "9", "0"], ["1", "2", "7"]]
    svg = heat_map("Confusion", "Shares.", names, shares, texts, ("actual", "predicted"), pd.DataFrame()).svg
    cells = [group for group in ElementTree.fromstring(svg).iter(f"{SVG}g") if group.find(f"{SVG}title") is not None]
    colours = [float(cell.find(f"{SVG}rect").get("fill-opacity")) for cell in cells]  # type: ignore[union-attr, arg-type]
    np.testing.assert_allclose(np.array(colours) / max(colours), [0.5, 0.25, 0, 0, 1, 0, 0.1, 0.2, 0.7], atol=1e-3)
    drawn = [cell.findtext(f"{SVG}text") for cell in cells]
    assert drawn == [text if len(text) < 9 else None for row in texts for text in row]
    assert cells[1].findtext(f"{SVG}title") == "actual cat, predicted dog & <b>: 2"


def test_png_without_the_extra_names_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    LOG.to_csv(tmp_path / "log.csv", index=False)
    message = "vl-convert-python is not installed: pip install 'sqlmetrics[png]'"
    with pytest.raises(sqlmetrics.SqlMetricsError) as error:
        sqlmetrics.plot(sqlmetrics.auc(LOG, **ONE_MODEL)).save(tmp_path / "auc.png")
    assert str(error.value) == message
    command = f"eval {tmp_path}/log.csv -m auc --label clicked --score nowhere -o {tmp_path}/auc.png"
    result = shell(*command.split())
    assert (result.exit_code, result.stderr) == (2, f"error: {message}\n")


def test_plot_draws_errors_and_classes() -> None:
    prices, classes = logs.prices(), logs.classes(25)
    scores: dict[str, Any] = {"label": "price", "score": ["old", "new"]}
    chart = sqlmetrics.plot(sqlmetrics.error_table(prices, **scores))
    assert (chart.title, len(chart.table)) == ("Predicted against actual", 20)
    assert sqlmetrics.plot(sqlmetrics.residual_histogram(prices, **scores)).svg.count(' band"') == 2
    matrix = sqlmetrics.class_confusion(classes, **logs.CLASSES)
    drawn = sqlmetrics.plot(matrix)
    assert drawn.svg.count("<title>label") == 20**2
    assert drawn.table["count"].sum() == len(classes)
    shares = sqlmetrics.plot(sqlmetrics.class_report(classes, **logs.CLASSES))
    assert shares.title == "Precision, recall and F1 by class"
    for metric in ("class_confusion", "class_report"):
        with pytest.raises(sqlmetrics.BadParameter, match="without slices"):
            sqlmetrics.plot(sqlmetrics.evaluate(classes, metric, **logs.CLASSES, by="device"))


def test_plot_rejects_results_without_a_picture() -> None:
    for message, arguments in {
        "there is no plot of threshold_table": [sqlmetrics.threshold_table(LOG, **ONE_MODEL)],
        "plot needs the result of evaluate": [LOG],
        "no metric 'acu' in the result .did you mean 'auc'": [sqlmetrics.auc(LOG, **ONE_MODEL), "acu"],
        "nothing to plot": [sqlmetrics.roc_curve(LOG[:0], **ONE_MODEL)],
    }.items():
        with pytest.raises(sqlmetrics.BadParameter, match=message):
            sqlmetrics.plot(*arguments)
