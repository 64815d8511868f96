"""The scorecard, and the parts of each task: curves, calibration, scores, lists, classes, errors, recommended items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from ..planning.metric_spec import MetricSpec
from ..planning.plan import Requested
from . import charts
from .blocks import Figure, Section, TableBlock, figure
from .cells import Cell, best_positions, chip_of, difference_cell, number_cell, probability_cell, to_records, value_cell
from .context import ReportContext, Task, exposure_metrics
from .labels import direction_text, text_of, with_slices
from .results import Results, is_single
from .svg import Chart

_CAPTION = "Metrics over all rows"
#: The depths of the curves of lists.
_DEPTHS = (1, 2, 3, 5, 10, 20)
#: The points of a curve; of many models, fewer for each.
_POINTS = 100
_EQUAL_BINS = "The bins of the score have equally many rows, but equal scores share a bin."


def scorecard(results: Results) -> Section:
    """Return the table of metrics; for a single model and its baseline, the difference has columns of its own."""
    models = results.models
    text = ["Intervals are in brackets."] if any(not entry.metric.no_interval for entry in results.requested) else []
    if results.compared is not None:
        text.append(
            f"Δ is the difference from {results.baseline}. Verdicts account for the number of tests, intervals do not."
        )
        common = int(results.compared["n"].max())
        if (results.overall["n"] != common).any():
            text.append(f"Values are over the rows of each model, Δ over the {common:,} rows that all models score.")
    if len(models) == 2 and results.compared is not None:
        grid = _pair(results)
    else:
        names = [f"{model} (baseline)" if model == results.baseline else model for model in models]
        form = "cards several" if len(models) > 1 else "cards"
        grid = TableBlock(_CAPTION, ["metric", *(names or ["value"])], _rows(results), form=form)
    return Section("scorecard", "Scorecard", [" ".join(text)] if text else [], grids=[grid])


def _tests(results: Results) -> Mapping[tuple[str, str], dict[str, Any]]:
    rows = [] if results.compared is None else to_records(results.compared)
    return {(row["metric"], text_of(row["model"])): row for row in rows}


def _pair(results: Results) -> TableBlock:
    tests, records = _tests(results), {text_of(row["model"]): row for row in to_records(results.overall)}
    models = sorted(results.models, key=lambda model: model != results.baseline)
    rows = []
    for requested, name in results.columns:
        test = tests.get((name, models[1]))
        cells = [Cell("no interval"), Cell(""), Cell("")]
        if test is not None:
            chip = Cell("", chip=chip_of(test["verdict"]))
            cells = [difference_cell(test), probability_cell(test["p_adjusted"]), chip]
        rows.append([_head(requested, name), *(value_cell(records[model], name) for model in models), *cells])
    columns = ["metric", f"{models[0]} (baseline)", models[1], "Δ", "adj. p", "verdict"]
    return TableBlock(_CAPTION, columns, rows, form="cards")


def _rows(results: Results) -> list[list[Cell]]:
    tests, records = _tests(results), to_records(results.overall)
    rows = []
    for requested, name in results.columns:
        cells = [value_cell(row, name) for row in records]
        if len(records) > 1 and is_single(requested):
            for position in best_positions(requested, [row[name] for row in records]):
                cells[position] = replace(cells[position], best=True)
        for position, model in enumerate(results.models):
            test = tests.get((name, model))
            if test is not None:
                chip, difference = chip_of(test["verdict"]), difference_cell(test)
                cells[position] = replace(cells[position], chip=chip, difference=difference)
        rows.append([_head(requested, name), *cells])
    return rows


def _head(requested: Requested, name: str) -> Cell:
    title, direction = requested.metric.title.partition(" (")[0], direction_text(requested.metric.direction)
    return Cell(name, note=", ".join(filter(None, [title, direction])))


def parts_of(log: ReportContext, task: Task, results: Results) -> tuple[list[Section], dict[str, Cell]]:
    """Return the parts of a task, and the counts of rows and lists in their results."""
    sections: list[Section] = []
    counts: dict[str, Cell] = {}
    if task.binary:
        points = _POINTS if len(results.models) <= 2 else 2 * _POINTS // len(results.models)
        curve = log.evaluate(f"roc_curve(points={max(points, 20)})", intervals=log.request.intervals)
        first = curve.iloc[0]  # predicts no positives
        counts |= {"positives": number_cell(first["fn"]), "negatives": number_cell(first["tn"])}
        sections.append(_curves(log, curve, results))
    if task.probability:
        bins = log.evaluate("calibration_curve(bins=10, binning='mass')", intervals=log.request.intervals)
        text = [f"A calibrated model predicts the rate of positives. {_EQUAL_BINS}"]
        figures = [figure(charts.calibration(bins)), figure(charts.copc_by_score(bins))]
        sections.append(Section("calibration", "Calibration", text, figures))
    if task.binary:
        text = ["The scores of the positives, and those of the negatives, each as shares of their class."]
        figures = _by_model(log.evaluate("score_histogram(bins=20)"), charts.histogram)
        sections.append(Section("scores", "Scores", text, figures))
    if task.ranking:
        depths = log.evaluate(_at_depths(["ndcg"]), diagnostics=True, intervals=log.request.intervals)
        skipped = depths["groups_skipped"].iloc[0]
        counts |= {
            "groups": number_cell(depths["groups"].iloc[0]),
            "groups skipped": number_cell(skipped, note="nothing relevant is in them" if skipped else ""),
        }
        text = ["NDCG measures whether the relevant items are at the top of the lists."]
        figures = [_by_depth(depths, "ndcg", "NDCG by depth")]
        sections.append(Section("lists", "Ranking of the lists", text, figures))
    if task.lists:
        sections.append(_items(log))
    if task.number:
        sections.append(_errors(log))
    if task.classes:
        sections.append(_classes(log))
    return sections, counts


def _curves(log: ReportContext, curve: pd.DataFrame, results: Results) -> Section:
    text = ["A good model puts positives above negatives. Bands are pointwise intervals."]
    drawn = [
        (charts.roc(curve, _in_legend(results, "auc", "AUC")), {"fpr", "tpr"}),
        (charts.pr(curve, _in_legend(results, "average_precision", "AP")), {"precision", "recall"}),
        (charts.lift(log.evaluate("lift_table(bins=10)")), {"lift"}),
    ]
    # Labels of one class have no curve.
    figures = [
        figure(chart) for chart, columns in drawn if all(charts.numbers_in(chart.table, [name]) for name in columns)
    ]
    if not figures:
        text = ["The labels have one class, so there is no curve."]
    return Section("order", "Ranking quality", text, figures)


def _in_legend(results: Results, metric: str, name: str) -> dict[str, str]:
    """Return the value of a metric, with its parameters by default, for the legend by model."""
    if not any(entry.name == entry.metric.name == metric for entry in results.requested):
        return {}
    texts = [f"{name} {value_cell(row, metric).text}" for row in to_records(results.overall)]
    return dict(zip(results.models or [""], texts, strict=True))


def _by_model(table: pd.DataFrame, draw: Callable[[pd.DataFrame], Chart]) -> list[Figure]:
    if "model" not in table.columns:
        return [figure(draw(with_slices(table, [])))]
    models = table["model"].map(text_of)
    drawn = {model: draw(with_slices(table[models == model].reset_index(drop=True), [])) for model in models.unique()}
    return [figure(replace(chart, title=f"{chart.title}: {model}")) for model, chart in drawn.items()]


def _at_depths(names: Sequence[str]) -> list[MetricSpec]:
    return [{"name": name, "k": k, "as": f"{name}_at_{k}"} for name in names for k in _DEPTHS]


def _by_depth(depths: pd.DataFrame, metric: str, title: str) -> Figure:
    """Return a curve of a metric over the depth of the lists."""
    keys = list(depths.attrs["slices"])
    rows = []
    for row in to_records(depths):
        for k in _DEPTHS:
            values = {f"{metric}{end}": row[f"{metric}_at_{k}{end}"] for end in ("", "_low", "_high")}
            rows.append({**{key: row[key] for key in keys}, "k": k, **values})
    return figure(charts.depths(with_slices(pd.DataFrame(rows), keys), metric, title))


def _items(log: ReportContext) -> Section:
    names = exposure_metrics(log.request.relations)
    depths = log.evaluate(_at_depths(names), intervals=log.request.intervals)
    titles = {
        "coverage": "Coverage of the catalogue by depth",
        "gini_exposure": "Gini coefficient of exposure by depth",
        "exposure_entropy": "Entropy of exposure by depth",
    }
    text = ["Exposure is how evenly the lists show the items."]
    if "coverage" in names:
        text.insert(0, "Coverage is the share of the catalogue that the lists show.")
    figures = [_by_depth(depths, name, titles[name]) for name in names]
    return Section("items", "Recommended items", text, figures)


def _errors(log: ReportContext) -> Section:
    bins = log.evaluate("error_table(bins=20)", intervals=log.request.intervals)
    residuals = log.evaluate("residual_histogram(bins=30)")
    text = [f"A residual is the score minus the label. {_EQUAL_BINS}"]
    figures = [
        figure(charts.predicted_and_actual(bins)),
        figure(charts.errors_by_size(bins)),
        *_by_model(residuals, charts.residuals),
    ]
    return Section("errors", "Errors", text, figures)


def _classes(log: ReportContext) -> Section:
    report = log.evaluate("class_report", intervals=log.request.intervals)
    matrix = log.evaluate("class_confusion")
    text = ["Rows are the labels and columns the predictions. Colour is the share of the predictions of a label."]
    if len(report) > charts.MOST_CLASSES:
        text.append(f"The matrix has the {charts.MOST_CLASSES} most frequent of {len(report):,} classes.")
    drawings = [charts.confusion(matrix), charts.shares_of_classes(report)]
    cells = [
        [Cell(text_of(row["class"])), *(value_cell(row, name) for name in ("precision", "recall", "f1")),
         number_cell(row["support"])]
        for row in sorted(to_records(report), key=lambda row: row["f1"])[:charts.MOST_CLASSES]
    ]  # fmt: skip
    caption = "Precision, recall and F1 of each class, the lowest F1 first"
    if len(report) > len(cells):
        caption = f"Precision, recall and F1 of the {len(cells)} of {len(report):,} classes with the lowest F1"
    grid = TableBlock(caption, ["class", "precision", "recall", "f1", "support"], cells, form="cards")
    return Section("classes", "Classes", text, [figure(chart, 0) for chart in drawings], [grid])
