"""The page of `report`: evaluates the metrics and arranges their results, the answer first.

The metric files compute every value, with the same statements as in `evaluate`; the modules of the page only order,
round and draw them. The layout of the page is in `report.html`.
"""

from __future__ import annotations

import base64
import datetime
import functools
import hashlib
import html
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from ..errors import BadParameter, raised_at_caller
from ..expressions import Column, Sql
from ..inputs.opening import open_source
from ..inputs.source import Executor
from ..interrupts import keyboard_interrupts
from ..output.files import check_output, write_file
from ..request import Request, Session
from ..running.checks import warn_of_missing
from ..running.evaluate import TextCache
from ..running.execute import fetch
from ..tables import table_of
from ..version import installed_version
from .answer import answer_of
from .blocks import TEMPLATES, Section, TableBlock
from .cells import Cell, number_cell
from .context import ReportContext, Task, run_once, task_of
from .labels import text_of
from .parts import parts_of, scorecard
from .results import Evaluation, Results
from .slices import groupings_of, slices


@dataclass(frozen=True)
class Report:
    """A self-contained page: `html` is its text. It needs no network and no script."""

    html: str = field(repr=False)
    title: str

    @raised_at_caller
    def save(self, path: str | PathLike[str]) -> None:
        """Write the page into a file."""
        if Path(path).suffix.lower() not in (".html", ".htm"):
            raise BadParameter(f"{path}: the ending must be .html")
        check_output(str(path), [])
        write_file(str(path), self.html)

    def _repr_html_(self) -> str:
        """Return the page in a frame, which isolates its style."""
        title, page = html.escape(self.title), html.escape(self.html)
        return f'<iframe title="{title}" width="100%" height="800" srcdoc="{page}"></iframe>'


@keyboard_interrupts
def build_report(
    data: Any,
    request: Request,
    session: Session = Session(),
    execute: Executor = fetch,
    shown_data: Any = None,
    shell_options: Sequence[str] | None = None,
) -> Report:
    """Build the page of `report`; the comparison of the request holds the baseline.

    For a call on the shell, the page shows `shown_data` and the options that are not part of the request.
    """
    request.check_min_rows()
    command = _command(data if shown_data is None else shown_data, request, session, shell_options)
    with open_source(data, session, request.relations) as source:
        cache = TextCache() if session.con is None and session.engine is None else None
        log = ReportContext(source, request, run_once(execute), cache)
        log.text = "standard input" if shown_data == "-" else source.text
        task = task_of(log)
        groupings = _groupings(request.by)
        results = Evaluation(log, task).run(groupings)
        by_slice = groupings_of(results, groupings, request.min_rows)
        parts, counts = parts_of(log, task, results)
        model = next(request.roles[role] for role in ("score", "prediction", "rank") if role in request.roles)
        answer, tiles = answer_of(results, by_slice, _expression_text(model))
        sections = [
            scorecard(results),
            *([slices(results, by_slice, request.min_rows)] if groupings else []),
            *parts,
            _evaluated(log, task, results, counts, command),
        ]
        line = _subtitle(log, results, counts)
    unused = [name for name in [*request.roles, *request.relations] if name not in log.used]
    if unused:
        raise BadParameter(f"{unused[0]} is not used by any part of this report; remove it")
    warn_of_missing(log.dropped_rows)
    title = f"Evaluation of {log.text}"
    template = TEMPLATES.get_template("report.html")
    page = template.render(title=title, subtitle=line, answer=answer, tiles=tiles, sections=sections, **_style())
    return Report(page, title)


def _groupings(by: Any) -> list[list[Any]]:
    """Return a grouping for each slice column, or the groupings of a list of lists."""
    if not isinstance(by, list | tuple):
        return [] if by is None else [[by]]
    nested = [isinstance(entry, list | tuple) for entry in by]
    if any(nested) and not all(nested):
        raise BadParameter("by is a list of columns, or a list of such lists; not a mixture")
    return [list(entry) for entry in by if entry] if any(nested) else [[entry] for entry in by]


def _command(data: Any, request: Request, session: Session, options: Sequence[str] | None) -> str:
    """Return the call that makes this page: on the shell if it can express the call, else in Python."""
    metrics, engine, intervals = request.metrics, session.engine, request.intervals
    elsewhere = session.con is not None or (engine is not None and not isinstance(engine, str))
    arguments = {
        **request.roles,
        **request.relations,
        "by": request.by,
        "where": request.where,
        "min_rows": request.min_rows,
        "baseline": request.comparison.baseline if request.comparison is not None else None,
        "confidence": None if intervals.confidence == 0.95 else intervals.confidence,
        "cluster": intervals.cluster,
        "preset": request.preset,
        "strict": request.strict or None,
        "engine": engine if isinstance(engine, str) else None,
    }
    paths = [data] if isinstance(data, str | PathLike) else data
    # Compare lists only: comparing a table with [] works cell by cell.
    arguments = {name: value for name, value in arguments.items()
                 if value is not None and not (isinstance(value, list) and not value)}  # fmt: skip
    plain = isinstance(paths, list | tuple) and all(isinstance(path, str | PathLike) for path in paths)
    if plain and (options is not None or not elsewhere) and _is_plain([metrics, *arguments.values()]):
        parts = ["sqlmetrics", "report", *map(str, paths), *(options or [])]
        parts += ["-m", metrics if isinstance(metrics, str) else ",".join(metrics)] if metrics is not None else []
        for name, values in arguments.items():
            option = f"--{name.replace('_', '-')}"
            for value in values if isinstance(values, list | tuple) else [values]:
                if isinstance(value, list | tuple):
                    parts += ["--grouping", ",".join(value) or "overall"]
                else:
                    parts += [option] if value is True else [option, str(value)]
        return shlex.join([*parts, "-o", "report.html"])
    named = [repr(str(data)) if isinstance(data, str | PathLike) else repr(list(map(str, data))) if plain else "data"]
    named += [f"metrics={metrics!r}"] if metrics is not None else []
    literal = (str, int, float, list, tuple)
    named += [
        f"{name}={value!r}" if isinstance(value, literal) else f"{name}={name}" for name, value in arguments.items()
    ]
    return f"sqlmetrics.report({', '.join(named)})"


def _is_plain(values: Any) -> bool:
    """Whether the shell can express the values: texts, numbers and lists of them."""
    if isinstance(values, list | tuple):
        return all(map(_is_plain, values))
    return values is None or isinstance(values, str | int | float)


def _subtitle(log: ReportContext, results: Results, counts: Mapping[str, Cell]) -> str:
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


def _evaluated(log: ReportContext, task: Task, results: Results, counts: Mapping[str, Cell], command: str) -> Section:
    """Return the folded table of the data and the options."""
    rows = [("data", Cell(log.text)), *_rows_of_models(log, task, results), *counts.items()]
    rows += [(f"{name} from, to", Cell(f"{first}, {last}")) for name, first, last in _times(results)]
    rows += [(role, Cell(_expression_text(value))) for role, value in log.request.roles.items()]
    rows += [("where", Cell(log.request.where))] if log.request.where else []
    version = f"sqlmetrics {installed_version()}"
    rows += [("intervals", Cell(_intervals(log))), ("command", Cell(command, code=True)), ("made with", Cell(version))]
    cells = [[Cell(name), replace(cell, number=False)] for name, cell in rows]
    table = TableBlock("Data, roles and rows", ["", ""], cells, form="facts")
    return Section("evaluated", "What was evaluated", folded=[table])


def _intervals(log: ReportContext) -> str:
    sure, cluster = f"{100 * log.request.intervals.confidence:g}%", log.request.intervals.cluster
    return f"{sure}, by {_expression_text(cluster)}" if cluster is not None else sure


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


def _expression_text(value: Any) -> str:
    if isinstance(value, Column):
        return value.name
    if isinstance(value, Sql):
        return f"= {value.text}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_expression_text, value))
    return str(value)


@functools.cache
def _style() -> dict[str, str]:
    """Return the style sheet and its digest, the only style that the content policy of the page allows."""
    text = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return {"style": text, "digest": digest}
