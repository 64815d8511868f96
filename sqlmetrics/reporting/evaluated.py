"""What was evaluated: data, roles, rows and the command that repeats the page."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..expressions import Column, Sql
from ..tables import table_of
from ..version import installed_version
from .blocks import Cell, Section, TableBlock
from .cells import number_cell
from .context import ReportContext, Task
from .labels import text_of
from .results import Results


def subtitle(log: ReportContext, results: Results, counts: Mapping[str, Cell]) -> str:
    """Return the rows, the lists, the days and the intervals of a page in a line."""
    rows = int(results.overall["n"].max())
    parts = [f"{rows:,} row{'' if rows == 1 else 's'}"]
    if "groups" in counts:
        skipped = counts["groups skipped"].text
        without = f", of which {skipped} have nothing relevant" if skipped != "0" else ""
        parts.append(f"{counts['groups'].text} groups{without}")
    parts += [f"{first} to {last}" for _, first, last in _times(results)[:1]]
    parts += [log.request.where] if log.request.where else []
    return "; ".join([*parts, f"intervals {_intervals(log)}"])


def evaluated(log: ReportContext, task: Task, results: Results, counts: Mapping[str, Cell], command: str) -> Section:
    """Return the folded table of the data and the options."""
    rows = [("data", Cell(log.text)), *_rows_of_models(log, task, results), *counts.items()]
    rows += [(f"{name} from, to", Cell(f"{first}, {last}")) for name, first, last in _times(results)]
    rows += [(role, Cell(expression_text(value))) for role, value in log.request.roles.items()]
    rows += [("where", Cell(log.request.where))] if log.request.where else []
    rows.append(("intervals", Cell(_intervals(log))))
    rows.append(("command", Cell(command, code=True)))
    rows.append(("made with", Cell(f"sqlmetrics {installed_version()}")))
    grid = TableBlock(
        "Data, roles and rows",
        ["", ""],
        [[Cell(name), replace(cell, number=False)] for name, cell in rows],
        form="facts",
    )
    return Section("evaluated", "What was evaluated", folded=[grid])


def _intervals(log: ReportContext) -> str:
    sure, cluster = f"{100 * log.request.intervals.confidence:g}%", log.request.intervals.cluster
    return f"{sure}, by {expression_text(cluster)}" if cluster is not None else sure


def _times(results: Results) -> list[tuple[str, str, str]]:
    """Return the first and the last value of slices by time."""
    rows = []
    for name in [str(name) for name in results.by_slices.attrs["slices"]]:
        values = [value for (value,) in table_of(results.by_slices[[name]]).rows if isinstance(value, datetime.date)]
        if values:
            rows.append((name, text_of(min(values)), text_of(max(values))))
    return rows


def _rows_of_models(log: ReportContext, task: Task, results: Results) -> list[tuple[str, Cell]]:
    """Return the rows read, used and dropped, for each model if models lack different values."""
    counts = results.overall["n"].astype(int).tolist()
    models = results.models if len(set(counts)) > 1 else [""]
    read = task.row_count
    rows = [("rows read", number_cell(read))] if read is not None else []
    # A pre-aggregated row represents several rows, which are used or dropped together.
    is_aggregated = "total" in log.request.roles
    used = "rows they stand for" if is_aggregated else "rows used"
    names = [f" ({model})" if model else "" for model in models]
    rows += [(f"{used}{name}", number_cell(count)) for name, count in zip(names, counts, strict=False)]
    for model, name, count in zip(models, names, counts, strict=False):
        missing = [
            text for text in log.dropped_rows if not model or not text.startswith("score") or repr(model) in text
        ]
        reason = f"a value is NULL or NaN: {', '.join(missing)}" if missing else ""
        if is_aggregated and reason:
            rows.append((f"rows dropped{name}", Cell("some", note=reason)))
        elif not is_aggregated and read is not None and read > count:
            rows.append((f"rows dropped{name}", number_cell(read - count, note=reason)))
    return rows


def expression_text(value: Any) -> str:
    """Return a role as text."""
    if isinstance(value, Column):
        return value.name
    if isinstance(value, Sql):
        return f"= {value.text}"
    if isinstance(value, list | tuple):
        return ", ".join(map(expression_text, value))
    return str(value)
