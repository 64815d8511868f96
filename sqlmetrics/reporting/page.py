"""The page of `report`: evaluates the metrics and arranges their results, the answer first.

The metric files compute every value, with the same statements as in `evaluate`; the modules of the page only order,
round and draw them. The layout of the page is in `report.html`.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from ..errors import BadParameter, raised_at_caller
from ..inputs.opening import open_source
from ..inputs.source import Executor
from ..interrupts import keyboard_interrupts
from ..output.files import check_output, write_text
from ..request import Request, Session
from ..running.checks import warn_of_missing
from ..running.evaluate import TextCache
from ..running.execute import fetch
from .answer import answer_of
from .context import ReportContext, run_once, task_of
from .evaluated import evaluated, expression_text, subtitle
from .parts import parts_of
from .results import evaluate_all
from .scorecard import scorecard
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
        write_text(str(path), self.html)

    def _repr_html_(self) -> str:
        """Return the page in a frame, which isolates its style."""
        title, page = html.escape(self.title), html.escape(self.html)
        return f'<iframe title="{title}" width="100%" height="800" srcdoc="{page}"></iframe>'


@dataclass(frozen=True)
class ShownCall:
    """The data and options of a call on the shell, as the page shows them."""

    data: Any = None
    options: Sequence[str] | None = None


@keyboard_interrupts
def build_report(
    data: Any,
    request: Request,
    session: Session = Session(),
    *,
    execute: Executor = fetch,
    shown: ShownCall = ShownCall(),
) -> Report:
    """Build the page of `report`; the comparison of the request holds the baseline."""
    request.check_min_rows()
    command = _command(data if shown.data is None else shown.data, request, session, shown.options)
    with open_source(data, session, request.relations) as source:
        cache = TextCache() if session.con is None and session.engine is None else None
        log = ReportContext(source, request, run_once(execute), cache)
        log.text = "standard input" if shown.data == "-" else source.text
        task = task_of(log)
        groupings = _groupings(request.by)
        results = evaluate_all(log, task, groupings)
        by_slice = groupings_of(results, groupings, request.min_rows)
        parts, counts = parts_of(log, task, results)
        model = next(request.roles[role] for role in ("score", "prediction", "rank") if role in request.roles)
        answer = answer_of(results, by_slice, expression_text(model))
        sections = [
            scorecard(results),
            *([slices(results, by_slice, request.min_rows)] if groupings else []),
            *parts,
            evaluated(log, task, results, counts, command),
        ]
        line = subtitle(log, results, counts)
    unused = [name for name in [*request.roles, *request.relations] if name not in log.used]
    if unused:
        raise BadParameter(f"{unused[0]} is not used by any part of this report; remove it")
    warn_of_missing(log.dropped_rows)
    title = f"Evaluation of {log.text}"
    page = _template().render(title=title, subtitle=line, answer=answer, sections=sections, **_style())
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


@functools.cache
def _template() -> jinja2.Template:
    text = (Path(__file__).parent / "report.html").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.from_string(text)


@functools.cache
def _style() -> dict[str, Markup]:
    """Return the style sheet and its digest, the only style that the content policy of the page allows."""
    text = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return {"style": Markup(text), "digest": Markup(digest)}
