"""Forest plots: differences with their intervals, their verdicts and the side that is better."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from . import svg
from .labels import decimals_of, direction_text, rounded
from .svg import COLOURS, MOST_ROWS, Axis, Chart, at, describe_omitted, is_drawable, number_text, shortened, text_width

#: The panels of several rows.
MOST_PANELS = 12
#: The width of a plot, unless it is on a page.
WIDE = 640
_ROW, _LEGEND, _HEADING, _TICKS, _GAP, _INDENT = 20, 30, 22, 18, 14, 12
#: The least width of the axis; names that leave less of it have lines of their own.
_LEAST_AXIS = 140
_SOFT = ' fill-opacity=".75"'
_BOLD = ' font-weight="bold"'


@dataclass(frozen=True)
class ForestRow:
    """A difference from the baseline; rows of the same `group` are under its name."""

    name: str
    difference: float | None
    low: float | None = None
    high: float | None = None
    #: The verdict of `compare`, None without a test, or "gap" for the differences of `gaps`.
    verdict: str | None = None
    group: str = ""

    @property
    def values(self) -> list[float]:
        """The numbers to draw."""
        return [value for value in (self.difference, self.low, self.high) if is_drawable(value)]

    @property
    def outcome(self) -> str:
        """The verdict as its mark shows it."""
        verdict = self.verdict or ""
        return "differs" if verdict.startswith("differ") else verdict if verdict in _MARKS else "undecided"


@dataclass(frozen=True)
class ForestPanel:
    """The differences of a metric, and its direction: "higher", "lower", "near 1" or "near 0"."""

    title: str
    rows: Sequence[ForestRow]
    better: str | None = None
    #: The heading of the numbers.
    measure: str = "Δ"


def forest(
    title: str, description: str, panels: Sequence[ForestPanel], table: pd.DataFrame, width: int = WIDE
) -> Chart:
    """A panel for each metric with its own axis; panels of a single row have no heading."""
    compact = all(len(panel.rows) == 1 and not panel.rows[0].group for panel in panels)
    shown = panels[: MOST_ROWS if compact else MOST_PANELS]
    description += describe_omitted(len(panels), len(shown), "metrics")
    longest = max(len(panel.rows) for panel in shown)
    description += describe_omitted(longest, MOST_ROWS, "rows")
    title += f": the first {MOST_ROWS} of {longest:,} rows" if longest > MOST_ROWS else ""
    shown = [replace(panel, rows=panel.rows[:MOST_ROWS]) for panel in shown]
    layout = _layout(shown, width, compact)
    body, y = [_legend(shown)], float(_LEGEND)
    for panel in shown:
        drawn, height = _panel(panel, layout, compact)
        body.append(f'<g transform="translate(0 {at(y)})">{drawn}</g>')
        y += height + _GAP
    return Chart(title, description, "".join(body), width, math.ceil(y - _GAP + 2), table)


@dataclass(frozen=True)
class _Layout:
    """The columns of names, axis and values; with `above` a name is on a line above its axis."""

    left: float
    right: float
    width: float
    above: bool


def _layout(panels: Sequence[ForestPanel], width: int, compact: bool) -> _Layout:
    values = max(text_width(text) for panel in panels for text in _texts(panel))
    if compact:
        names = max(text_width(text) for panel in panels for text in (f"{panel.title}m", direction_text(panel.better)))
    else:
        names = max(text_width(row.name) + _INDENT * bool(row.group) for panel in panels for row in panel.rows)
    left, right = names + 16, width - values - 16
    above = right - left < _LEAST_AXIS
    return _Layout(28 if above else left, right, width, above)


def _panel(panel: ForestPanel, layout: _Layout, compact: bool) -> tuple[str, float]:
    axis = Axis(*_ends(panel.rows), layout.left, layout.right)
    y, group = 0.0 if compact else float(_HEADING), ""
    # Stretches of rows that no line with a name interrupts.
    stretches: list[list[float]] = []
    parts = [] if compact else _heading(panel, layout)
    for row, text in zip(panel.rows, _texts(panel), strict=True):
        if row.group != group:
            group = row.group
            parts.append(svg.label(0, y + 14, shortened(group, layout.width), "start"))
            y += _ROW
        name, weight = (panel.title, _BOLD) if compact else (row.name, "")
        indent = _INDENT if row.group else 0
        room = (layout.width if layout.above else layout.left - 12) - indent
        parts.append(svg.label(indent, y + 14, shortened(name, room), "start", weight))
        y += _ROW if layout.above else 0
        parts += [_row(row, axis, y + _ROW / 2), svg.label(layout.width, y + 14, text, "end")]
        if not stretches or y > stretches[-1][1]:
            stretches.append([y, y])
        y += _ROW
        stretches[-1][1] = y
    background = [part for top, bottom in stretches for part in _background(panel, axis, top, bottom)]
    parts += [svg.label(axis(tick), y + 14, number_text(tick), "middle", _SOFT) for tick in _ticks(axis)]
    if compact:
        x, anchor = (layout.width, "end") if layout.above else (0, "start")
        parts.append(svg.label(x, y + 14, direction_text(panel.better), anchor, _SOFT))
    return "".join([*background, *parts]), y + _TICKS


def _heading(panel: ForestPanel, layout: _Layout) -> list[str]:
    title = svg.escaped(shortened(panel.title, layout.width - 250))
    return [
        f'<text y="14" fill="currentColor"><tspan{_BOLD}>{title}</tspan>'
        f'<tspan dx="10"{_SOFT}>{direction_text(panel.better)}</tspan></text>',
        svg.label(layout.width, 14, f"{panel.measure} [interval]", "end", _SOFT),
    ]


def _background(panel: ForestPanel, axis: Axis, top: float, bottom: float) -> list[str]:
    """Return the grid, the line at 0 and the shade of the better side."""
    parts, zero = [], axis(0)
    sides = {"higher": (zero, axis.end), "lower": (axis.begin, zero)}
    if panel.better in sides:
        x, end = sides[panel.better]
        parts.append(_shade(x, top, end - x, bottom - top))
    for tick in _ticks(axis):
        parts.append(svg.rule(f"M{at(axis(tick))} {at(top)}V{at(bottom)}", ".7" if tick == 0 else ".15"))
    return parts


def _shade(x: float, y: float, width: float, height: float) -> str:
    size = f'x="{at(x)}" y="{at(y)}" width="{at(width)}" height="{at(height)}"'
    return f'<rect class="m2 band" fill="{COLOURS[2]}" fill-opacity=".1" {size}/>'


def _ticks(axis: Axis) -> list[float]:
    """Return the ticks whose labels do not touch."""
    room = min(int((axis.end - axis.begin) // 56), 5)
    return next((ticks for count in range(max(room, 2), 6) if len(ticks := axis.ticks(count)) > 1), axis.ticks(5))


def _ends(rows: Sequence[ForestRow]) -> tuple[float, float]:
    """Return the ends of the axis: it has 0 and every difference, and cuts intervals far wider than most."""
    values = [value for row in rows for value in row.values]
    points = [0.0, *(row.difference for row in rows if is_drawable(row.difference))]
    halves = [abs(end - row.difference) for row in rows if row.difference is not None for end in row.values]
    room = 4 * statistics.median([half for half in halves if half] or [math.inf])
    low = min(0.0, *points, max(min(values, default=0), min(points) - room))
    high = max(0.0, *points, min(max(values, default=0), max(points) + room))
    margin = (high - low) * 0.04 or 0.5
    return low - margin, high + margin


#: The number of the colour of each outcome, and the form of its mark around the middle.
_MARKS = {
    "better": (2, "m0 -5.5l5.5 9.5h-11z"),
    "worse": (1, "m0 5.5l5.5 -9.5h-11z"),
    "differs": (3, "m0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z"),
    "gap": (0, "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0"),
    "undecided": (5, "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0"),
}


def _mark(outcome: str, x: float, y: float) -> str:
    number, form = _MARKS[outcome]
    path = f"M{at(x)} {at(y)}{form}"
    # The mark of an undecided difference is hollow.
    return svg.stroke(path, number) if outcome == "undecided" else svg.shape(path, number)


def _row(row: ForestRow, axis: Axis, y: float) -> str:
    """Return the interval and the mark of a difference; an arrow is at an end beyond the axis."""
    if not is_drawable(row.difference):
        return ""
    x = axis(row.difference)
    # The interval does not cross a hollow mark.
    edge = 4.8 if row.outcome == "undecided" else 0
    path = ""
    for end, way, limit in ((row.low, -1, axis.begin), (row.high, 1, axis.end)):
        if end is None:
            continue
        to = axis(end) if is_drawable(end) else way * math.inf
        is_cut = to * way > limit * way
        to = limit if is_cut else to
        if (to - x) * way > edge:
            path += f"M{at(x + way * edge)} {at(y)}H{at(to)}"
        path += f"m{-4 * way} -4l{4 * way} 4l{-4 * way} 4" if is_cut else ""
    return (svg.stroke(path, _MARKS[row.outcome][0]) if path else "") + _mark(row.outcome, x, y)


def _legend(panels: Sequence[ForestPanel]) -> str:
    """Return the marks that the plot has, and the meaning of the shade."""
    drawn = {row.outcome for panel in panels for row in panel.rows}
    parts, x = [], 6.0
    for outcome in _MARKS:
        if outcome in drawn:
            parts += [_mark(outcome, x, 10), svg.label(x + 11, 14, outcome, "start")]
            x += 11 + text_width(outcome) + 16
    if any(panel.better in ("higher", "lower") for panel in panels):
        parts.append(_shade(x - 6, 3, 18, 14))
        parts.append(svg.label(x + 17, 14, "better side", "start"))
    return "".join(parts)


def _texts(panel: ForestPanel) -> list[str]:
    """Return each difference with its interval, with the decimals that the narrowest interval supports."""
    halves = [(row.high - row.low) / 2 for row in panel.rows if is_drawable(row.low) and is_drawable(row.high)]
    values = [abs(value) for row in panel.rows for value in row.values]
    decimals = decimals_of(min((half for half in halves if half > 1e-9), default=max(values, default=0) / 100))
    texts = []
    for row in panel.rows:
        text = "undefined" if row.difference is None else rounded(row.difference, decimals, "+")
        if row.difference is not None and row.low is not None and row.high is not None:
            text += f" [{rounded(row.low, decimals)}, {rounded(row.high, decimals)}]"
        texts.append(text)
    return texts
