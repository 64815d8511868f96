"""The scorecard: every metric of every model, with the verdicts of the comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..planning.plan import Requested
from .blocks import Cell, Section, TableBlock
from .cells import best_positions, chip_of, difference_cell, probability_cell, to_records, value_cell, verdict_cell
from .labels import text_of
from .results import Results, is_single

CAPTION = "Metrics over all rows"


def scorecard(results: Results) -> Section:
    """Return the table of metrics; one model beside the baseline has columns of its own for the difference."""
    models = results.models
    text = ["Intervals are in brackets."] if any(not entry.metric.no_interval for entry in results.requested) else []
    if results.compared is not None:
        text.append(f"Δ is the difference from {results.baseline}. Verdicts account for the number of tests.")
    if len(models) == 2 and results.compared is not None:
        grid = _pair(results)
    else:
        names = [f"{model} (baseline)" if model == results.baseline else model for model in models]
        grid = TableBlock(
            CAPTION,
            ["metric", *(names or ["value"])],
            _rows(results),
            form="cards several" if len(models) > 1 else "cards",
        )
    return Section("scorecard", "Scorecard", [" ".join(text)] if text else [], grids=[grid])


def _tests(results: Results) -> Mapping[tuple[str, str], dict[str, Any]]:
    if results.compared is None:
        return {}
    return {(str(row["metric"]), text_of(row["model"])): row for row in to_records(results.compared)}


def _pair(results: Results) -> TableBlock:
    tests = _tests(results)
    models = sorted(results.models, key=lambda model: model != results.baseline)
    rows = []
    for requested, name in _columns(results):
        values = {text_of(row["model"]): value_cell(row, name) for row in to_records(results.overall)}
        test = tests.get((name, models[1]))
        cells = (
            [Cell("no interval"), Cell(""), Cell("")]
            if test is None
            else [difference_cell(test), probability_cell(test["p_adjusted"]), verdict_cell(test)]
        )
        rows.append([_head(requested, name), *(values[model] for model in models), *cells])
    columns = ["metric", f"{models[0]} (baseline)", models[1], "Δ", "adj. p", "verdict"]
    return TableBlock(CAPTION, columns, rows, form="cards")


def _rows(results: Results) -> list[list[Cell]]:
    tests = _tests(results)
    rows = []
    for requested, name in _columns(results):
        records = to_records(results.overall)
        cells = [value_cell(row, name) for row in records]
        if len(records) > 1 and is_single(requested):
            best = best_positions(requested, [row[name] for row in records])
            cells = [replace(cell, best=position in best) for position, cell in enumerate(cells)]
        for position, model in enumerate(results.models):
            test = tests.get((name, model))
            if test is not None:
                chip, difference = chip_of(test["verdict"]), difference_cell(test)
                cells[position] = replace(cells[position], chip=chip, difference=difference)
        rows.append([_head(requested, name), *cells])
    return rows


def _columns(results: Results) -> list[tuple[Requested, str]]:
    return [(requested, name) for requested in results.requested for name in requested.columns.values()]


def _head(requested: Requested, name: str) -> Cell:
    return Cell(name, note=requested.metric.title.partition(" (")[0])
