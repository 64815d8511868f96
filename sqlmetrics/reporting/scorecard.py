"""The scorecard: every metric of every model, with the verdicts of the comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..planning.plan import Requested
from .blocks import Cell, Section, TableBlock
from .cells import best_positions, chip_of, difference_cell, probability_cell, to_records, value_cell
from .labels import direction_text, text_of
from .results import Results, is_single

_CAPTION = "Metrics over all rows"


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
        grid = TableBlock(
            _CAPTION,
            ["metric", *(names or ["value"])],
            _rows(results),
            form="cards several" if len(models) > 1 else "cards",
        )
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
