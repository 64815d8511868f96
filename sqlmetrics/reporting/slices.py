"""The slices: where a model is better or worse, those with the largest impact first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from . import charts
from .blocks import Figure, Section, TableBlock, figure
from .cells import Cell, chip_of, difference_cell, impact_cell, number_cell, to_records, value_cell
from .context import slice_name
from .labels import is_time, slice_texts, text_of, with_slices
from .results import Results, is_drawn_by_slice
from .svg import MOST_ROWS, WIDTH

#: A table has at most so many slices.
_MOST_LISTED = 10


@dataclass(frozen=True)
class Grouping:
    """The slices of a grouping: values of every model, and the rows that rank the slices."""

    names: list[str]
    values: pd.DataFrame
    #: The differences of the first metric from the baseline, or the values of a single model.
    ranked: pd.DataFrame
    #: The impact of each row of `ranked`; None for a metric without a direction.
    impacts: list[float | None] | None
    left_out: int

    @property
    def label(self) -> str:
        """The names of the slice columns."""
        return ", ".join(self.names)

    @property
    def compares(self) -> bool:
        """Whether there are slices with a difference from the baseline."""
        return self.ranked is not self.values

    @property
    def is_over_time(self) -> bool:
        """Whether the slices are days."""
        return len(self.names) == 1 and is_time(self.values[self.names[0]])


def groupings_of(results: Results, groupings: Sequence[Sequence[Any]], min_rows: int | None) -> list[Grouping]:
    """Return the results of each grouping, without its slices of few rows."""
    chosen = []
    for names in ([slice_name(entry) for entry in grouping] for grouping in groupings):
        values, left_out = _rows_of_grouping(results.by_slices, names, min_rows)
        compared = results.compared_slices
        differences = None if compared is None else _rows_of_grouping(compared, names, min_rows)[0]
        ranked = values if differences is None or differences.empty else differences
        chosen.append(Grouping(names, values, ranked, results.impacts(ranked), left_out))
    return chosen


def _rows_of_grouping(frame: pd.DataFrame, names: list[str], min_rows: int | None) -> tuple[pd.DataFrame, int]:
    """Return the rows of a grouping, and the number of those dropped for few rows."""
    rows = frame[frame["grouping"] == ", ".join(names)]
    few = rows["n"] < (min_rows or 0)
    left_out = len({*slice_texts(rows[few], names)})
    rows = rows[~few].reset_index(drop=True)
    return with_slices(rows, [*names, *(["model"] if "model" in rows.columns else [])]), left_out


def slices(results: Results, groupings: Sequence[Grouping], min_rows: int | None) -> Section:
    """Return a part for each grouping."""
    text = []
    if results.first is not None and results.first.metric.direction is not None:
        other = "the baseline in the same slice" if results.compared_slices is not None else "all rows"
        text.append(
            f"The impact of a slice is how much worse {results.first.name} is than that of {other}, times the slice's "
            "share of the rows. Slices are in the order of their impact, days in the order of time."
        )
    parts = [_part(results, grouping, number, min_rows) for number, grouping in enumerate(groupings, 1)]
    return Section("slices", "Slices", text, parts=parts)


def _part(results: Results, grouping: Grouping, number: int, min_rows: int | None) -> Section:
    text = []
    if grouping.left_out:
        are = "slice is" if grouping.left_out == 1 else "slices are"
        text.append(f"{grouping.left_out:,} {are} left out for fewer than {min_rows:,} rows.")
    section = Section(f"slices-{number}", f"By {grouping.label}", text)
    if grouping.ranked.empty:
        return section
    order, in_time = _by_impact(grouping), list(dict.fromkeys(slice_texts(grouping.ranked, grouping.names)))
    drawn = in_time if grouping.is_over_time else order
    if len(drawn) > MOST_ROWS and not grouping.is_over_time:
        text.append(f"The charts have {_first_of(MOST_ROWS, len(drawn), grouping)}.")
        drawn = drawn[:MOST_ROWS]
    worst = order[:_MOST_LISTED]
    if grouping.is_over_time:
        worst.sort(key=in_time.index)
    caption = f"{results.first.name} by {grouping.label}" if results.first is not None else grouping.label
    if len(order) > len(worst):
        caption += f": {_first_of(len(worst), len(order), grouping)}"
    grids = [_table(results, grouping, worst, caption)]
    return replace(section, figures=_figures(results, grouping, drawn), grids=grids)


def _first_of(count: int, total: int, grouping: Grouping) -> str:
    if grouping.impacts is None:
        return f"the first {count} of {total:,} slices"
    return f"the {count} of {total:,} slices with the largest impact"


def _by_impact(grouping: Grouping) -> list[str]:
    """Return the slices as text, those with the largest impact of any model first."""
    names, worst = slice_texts(grouping.ranked, grouping.names), dict[str, float]()
    for name, impact in zip(names, grouping.impacts or [None] * len(names), strict=True):
        worst[name] = max(worst.get(name, -math.inf), -math.inf if impact is None else impact)
    return sorted(worst, key=lambda name: -worst[name])


def _rows_of(frame: pd.DataFrame, names: Sequence[str], chosen: Sequence[str]) -> pd.DataFrame:
    """Return the rows of some slices, in their order."""
    position = {name: number for number, name in enumerate(chosen)}
    positions = pd.Series(slice_texts(frame, names), dtype=object).map(position).dropna()
    return frame.iloc[positions.sort_values(kind="stable").index]


def _figures(results: Results, grouping: Grouping, drawn: Sequence[str]) -> list[Figure]:
    first = results.first
    if first is None:
        return []
    values = _rows_of(grouping.values, grouping.names, drawn)
    values.attrs["models"] = results.models
    shown = []
    if not grouping.compares or grouping.is_over_time:
        shown.append(charts.by_slices(values, first.name, first.metric.ideal))
    if grouping.compares:
        differences = _rows_of(grouping.ranked, grouping.names, drawn)
        differences.attrs["models"] = results.models
        if grouping.is_over_time:
            chart = charts.by_slices(differences, "difference", level=0)
        else:
            chart = charts.differences(differences, WIDTH)
        shown.append(replace(chart, title=f"Difference in {first.name} by {grouping.label}"))
    others = [entry for entry in results.requested if entry is not first and is_drawn_by_slice(entry, first)]
    shown += [charts.by_slices(values, requested.name, requested.metric.ideal) for requested in others]
    return [figure(chart, 0) for chart in shown]


def _table(results: Results, grouping: Grouping, worst: Sequence[str], caption: str) -> TableBlock:
    """Return the slices with the largest impact: values, differences and verdicts of the first metric."""
    values = [name for _, name in results.columns] if results.first is None else [results.first.name]
    compares, names, ranked, impacts = grouping.compares, grouping.names, grouping.ranked, grouping.impacts
    models = ["model"] if "model" in ranked.columns and (not compares or len(results.models) > 2) else []
    rows = ranked.assign(
        sqlmetrics_impact=pd.Series(impacts if impacts is not None else [None] * len(ranked), dtype="Float64")
    )
    largest = max((abs(impact) for impact in impacts or () if impact is not None), default=0.0)
    columns = [*names, *models, "n"]
    if compares:
        columns += [results.baseline, "value" if models else text_of(ranked["model"].iloc[0]), "Δ", "verdict"]
    else:
        columns += values
    columns += ["impact"] if impacts is not None else []
    cells = []
    for row in to_records(_rows_of(rows, names, worst)):
        line = [*(Cell(text_of(row[name])) for name in [*names, *models]), number_cell(row["n"])]
        if compares:
            line += [replace(value_cell(row, name), ends=None) for name in ("baseline_value", "value")]
            line += [difference_cell(row), Cell("", chip=chip_of(row["verdict"]))]
        else:
            line += [value_cell(row, name) for name in values]
        line += [impact_cell(row["sqlmetrics_impact"], largest)] if impacts is not None else []
        cells.append(line)
    return TableBlock(caption, columns, cells, keys=len(names + models), form="cards")
