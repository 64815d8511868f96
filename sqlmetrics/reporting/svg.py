"""Lines, dots and axes as SVG.

This small writer serves pages with a strict content policy: no script, no style attribute, colours as attributes that a
style sheet may replace, a title and a description for readers who do not see the chart. It computes nothing but the
coordinates of values.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup, escape

from ..errors import BadParameter, printable, raised_at_caller
from ..output.files import check_output, write_text
from ..output.text import as_text
from ..tables import table_of

#: Colours that colour-blind readers distinguish (Okabe and Ito, 2008), and dashes that identify the same series.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0518a", "#8a6d00", "#444444")
DASHES = ("", "7 3", "2 2", "9 3 2 3", "4 4", "1 3")

WIDTH = 480
LEFT, _RIGHT, _TOP, _BOTTOM = 70, 16, 12, 46
LEGEND = 20
#: The greatest average width of a letter, as on small screens.
_LETTER = 8
#: The least distance between two drawn points of a line, in units of the chart.
_NEAR = 0.7


@dataclass(frozen=True)
class Series:
    """The series of a model: points in the order of x, optionally with the ends of their intervals."""

    name: str
    points: Sequence[tuple[Any, float | None]]
    intervals: Sequence[tuple[float | None, float | None]] = ()
    number: int = 0
    marked: bool = False
    filled: bool = False


@dataclass(frozen=True)
class Chart:
    """A chart: its SVG, and the table of its numbers."""

    title: str
    description: str
    body: str
    width: int
    height: int
    table: pd.DataFrame = field(compare=False)

    def drawn(self, number: int = 1) -> Markup:
        """Return the SVG for a page, with the number of the chart on it."""
        names = f"chart-{number}-title chart-{number}-description"
        return Markup(
            f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{names}" '
            f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}" '
            f'font-family="sans-serif" font-size="12" fill="none">'
            f'<title id="chart-{number}-title">{escaped(self.title)}</title>'
            f'<desc id="chart-{number}-description">{escaped(self.description)}</desc>{self.body}</svg>'
        )

    @property
    def svg(self) -> str:
        """The SVG as a file, on a white background."""
        start, end, rest = self.drawn().partition(">")
        paper = f'<rect width="{self.width}" height="{self.height}" fill="#ffffff"/>'
        return f'{start} color="#1b1b1b"{end}{paper}{rest}\n'

    @raised_at_caller
    def save(self, path: str | Path) -> None:
        """Write the SVG into a file."""
        if Path(path).suffix.lower() != ".svg":
            raise BadParameter(f"{path}: the ending must be .svg")
        check_output(str(path), [])
        write_text(str(path), self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return as_text(table_of(self.table, exact=self.table.attrs.get("slices", [])), "table")


def is_drawable(value: Any) -> bool:
    """Whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@dataclass(frozen=True)
class _Axis:
    """Maps values between `low` and `high` to coordinates between `begin` and `end`."""

    low: float
    high: float
    begin: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the coordinate of a value."""
        return self.begin + (value - self.low) / ((self.high - self.low) or 1) * (self.end - self.begin)

    def ticks(self, count: int = 5) -> list[float]:
        """Return round numbers between the ends."""
        wide = self.high - self.low
        if not wide > 0:
            return [self.low]
        rough = wide / count
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        return [number * step for number in range(first, math.floor(self.high / step + 1e-9) + 1)]


def lines(
    title: str,
    description: str,
    series: Sequence[Series],
    names: tuple[str, str],
    table: pd.DataFrame,
    ends: tuple[tuple[float | None, float | None], tuple[float | None, float | None]] = ((None, None), (None, None)),
    level: float | None = None,
    diagonal: bool = False,
    square: bool = False,
    counts: Sequence[Series] = (),
) -> Chart:
    """Lines, with bands where the points have intervals, over numbers or days."""
    days = any(isinstance(x, datetime.date) for curve in series for x, _ in curve.points)
    # Dates become timestamps.
    to_number = _time_of if days else float
    width, height = WIDTH, 400 if square else 300
    below = 74 if counts else 0
    shown = [curve for curve in series if curve.name]
    bottom = height - _BOTTOM
    legend = LEGEND * math.ceil(len(shown) / _legend_columns(shown, width)) if shown else 0
    top = _TOP + legend
    height, bottom = height + legend + below, bottom + legend
    xs = [to_number(x) for curve in series for x, _ in curve.points]
    ys = [y for curve in series for _, y in curve.points if y is not None]
    ys += [end for curve in series for pair in curve.intervals for end in pair if is_drawable(end) and end is not None]
    ys += [] if level is None else [level]
    x_axis = _Axis(*_ends(xs, ends[0]), LEFT, width - _RIGHT)
    y_axis = _Axis(*_ends(ys, ends[1]), bottom, top)
    body = [_legend(shown, width)]
    body += _axis_left(y_axis, names[1], width)
    x_texts = _days(series) if days else [(tick, number_text(tick)) for tick in _fitting_ticks(x_axis, names[0])]
    body += _axis_below(x_axis, x_texts, names[0], top, bottom, height - 8)
    if diagonal:
        low, high = max(x_axis.low, y_axis.low), min(x_axis.high, y_axis.high)
        body.append(_reference(x_axis(low), y_axis(low), x_axis(high), y_axis(high)))
    if level is not None:
        body.append(_reference(LEFT, y_axis(level), width - _RIGHT, y_axis(level)))
    for curve in series:
        body += _line(curve, x_axis, y_axis, to_number)
    if counts:
        body += _counts(counts, x_axis, bottom + 34, bottom + 34 + below - 22)
    return Chart(title, description, "".join(body), width, height, table)


def dots(
    title: str,
    description: str,
    series: Sequence[Series],
    slices: Sequence[str],
    name: str,
    table: pd.DataFrame,
    level: float | None = None,
) -> Chart:
    """A row for each slice, a dot with its interval for each model; at most sixty rows are drawn."""
    texts = list(dict.fromkeys(slices))
    if len(texts) > 60:
        description = f"{description} Of {len(texts):,} slices the first 60 are drawn."
        texts = texts[:60]
    width, each = WIDTH, 16 + 8 * max(len(series) - 1, 0)
    shown = [model for model in series if model.name]
    legend = LEGEND * math.ceil(len(shown) / _legend_columns(shown, width)) if shown else 0
    top = _TOP + legend
    bottom = top + each * len(texts) + 6
    left = max(LEFT, min(12 + 8 * max((len(text) for text in texts), default=0), 190))
    values = [y for model in series for _, y in model.points if y is not None] + ([] if level is None else [level])
    values += [
        end for model in series for pair in model.intervals for end in pair if is_drawable(end) and end is not None
    ]
    axis = _Axis(*_ends(values, (None, None)), left, width - _RIGHT)
    body = [_legend(shown, width)]
    body += _axis_below(
        axis, [(tick, number_text(tick)) for tick in axis.ticks()], name, top, bottom, bottom + 38, left
    )
    if level is not None:
        body.append(_reference(axis(level), top, axis(level), bottom))
    for row, text in enumerate(texts):
        y = top + each * (row + 0.5) + 3
        body.append(_label(left - 6, y + 4, _shortened(text, 22), "end"))
    for model in series:
        colour, mark = _style_of(model.number)
        shift = (model.number - (len(series) - 1) / 2) * 8
        for position, (x, value) in enumerate(model.points):
            if not isinstance(x, int) or x >= len(texts) or value is None:
                continue
            y = top + each * (x + 0.5) + 3 + shift
            low, high = model.intervals[position] if model.intervals else (None, None)
            if low is not None and high is not None and is_drawable(low) and is_drawable(high):
                body.append(
                    f'<path class="{mark}" stroke="{colour}" stroke-width="1.5" '
                    f'd="M{_at(axis(low))} {_at(y)}H{_at(axis(high))}"/>'
                )
            body.append(_mark(axis(value), y, model.number))
    return Chart(title, description, "".join(body), width, math.ceil(bottom + _BOTTOM), table)


def _ends(values: Sequence[float], limits: tuple[float | None, float | None]) -> tuple[float, float]:
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    room = (high - low) * 0.05 or abs(high) * 0.05 or 0.5
    return (low - room if limits[0] is None else limits[0], high + room if limits[1] is None else limits[1])


def _time_of(value: Any) -> float:
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=value.tzinfo or datetime.timezone.utc).timestamp()
    return datetime.datetime(value.year, value.month, value.day, tzinfo=datetime.timezone.utc).timestamp()


def _days(series: Sequence[Series]) -> list[tuple[float, str]]:
    days = sorted({x for curve in series for x, _ in curve.points}, key=_time_of)
    room = (WIDTH - LEFT - _RIGHT) // (_LETTER * (max((len(str(day)) for day in days), default=1) + 2))
    step = math.ceil(len(days) / max(int(room), 1))
    return [(_time_of(day), str(day)) for day in days[::step]]


def _fitting_ticks(axis: _Axis, name: str) -> list[float]:
    ticks = axis.ticks()
    # Bins are whole numbers.
    return [tick for tick in ticks if tick.is_integer()] if name.startswith("bin") else ticks


def number_text(value: float) -> str:
    """Return a number as text for an axis."""
    if value == 0:
        return "0"
    if abs(value) >= 10_000 and abs(value) < 1e15 and value == int(value):
        return f"{int(value):,}"
    return f"{value:.4g}"


def escaped(text: str) -> Markup:
    """Escape a text for SVG, including line breaks."""
    return escape(printable(text))


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _at(value: float) -> str:
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def _label(x: float, y: float, text: str, anchor: str = "middle", turn: str = "") -> str:
    return f'<text x="{_at(x)}" y="{_at(y)}" fill="currentColor" text-anchor="{anchor}"{turn}>{escaped(text)}</text>'


def _style_of(number: int) -> tuple[str, str]:
    return COLOURS[number % len(COLOURS)], f"m{number % len(COLOURS)}"


def _axis_left(axis: _Axis, name: str, width: float) -> list[str]:
    parts = []
    for tick in axis.ticks():
        y = axis(tick)
        parts.append(f'<path stroke="currentColor" stroke-opacity=".15" d="M{LEFT} {_at(y)}H{_at(width - _RIGHT)}"/>')
        parts.append(_label(LEFT - 6, y + 4, number_text(tick), "end"))
    middle = (axis.begin + axis.end) / 2
    parts.append(_label(14, middle, name, "middle", f' transform="rotate(-90 14 {_at(middle)})"'))
    return parts


def _axis_below(
    axis: _Axis, ticks: Sequence[tuple[float, str]], name: str, top: float, bottom: float, foot: float,
    left: float = LEFT,
) -> list[str]:  # fmt: skip
    parts = [
        f'<path stroke="currentColor" stroke-opacity=".6" d="M{_at(left)} {_at(top)}V{_at(bottom)}H{_at(axis.end)}"/>'
    ]
    for tick, text in ticks:
        x = axis(tick)
        parts.append(f'<path stroke="currentColor" stroke-opacity=".6" d="M{_at(x)} {_at(bottom)}v4"/>')
        # The label of the last day would exceed the chart.
        parts.append(_label(min(x, WIDTH - _LETTER / 2 * len(text) - 2), bottom + 17, text))
    parts.append(_label((axis.begin + axis.end) / 2, foot, name))
    return parts


def _reference(x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<path stroke="currentColor" stroke-opacity=".5" stroke-dasharray="3 3" '
        f'd="M{_at(x1)} {_at(y1)}L{_at(x2)} {_at(y2)}"/>'
    )


def _line(curve: Series, x_axis: _Axis, y_axis: _Axis, to_number: Callable[[Any], float]) -> list[str]:
    colour, name = _style_of(curve.number)
    stretches = _stretches(curve)
    parts = []
    for stretch in stretches:
        band = [
            (x_axis(to_number(curve.points[row][0])), y_axis(low), y_axis(high))
            for row in stretch
            for low, high in curve.intervals[row : row + 1]
            if low is not None and high is not None and is_drawable(low) and is_drawable(high)
        ]
        if len(band) > 1:
            there = "L".join(f"{_at(x)} {_at(high)}" for x, _, high in band)
            back = "L".join(f"{_at(x)} {_at(low)}" for x, low, _ in reversed(band))
            parts.append(f'<path class="{name} band" fill="{colour}" fill-opacity=".15" d="M{there}L{back}Z"/>')
        elif band:
            [(x, low, high)] = band
            parts.append(
                f'<path class="{name}" stroke="{colour}" stroke-width="1.5" d="M{_at(x)} {_at(low)}V{_at(high)}"/>'
            )
    dashes = DASHES[curve.number % len(DASHES)]
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    drawn = [[(x_axis(to_number(x)), y_axis(y)) for x, y in curve.points[rows[0] : rows[-1] + 1] if y is not None]
             for rows in stretches]  # fmt: skip
    points = [point for stretch in drawn for point in stretch]
    path = "M".join("L".join(f"{_at(x)} {_at(y)}" for x, y in decimate(stretch)) for stretch in drawn)
    if path:
        parts.append(f'<path class="{name}" stroke="{colour}" stroke-width="2"{dashed} d="M{path}"/>')
    if curve.filled and path:
        floor = _at(y_axis.begin)
        foot = f"L{_at(points[-1][0])} {floor}L{_at(points[0][0])} {floor}Z"
        parts.insert(0, f'<path class="{name} band" fill="{colour}" fill-opacity=".15" d="M{path}{foot}"/>')
    # A line with a single point is invisible.
    if curve.marked or len(points) == 1:
        parts += [_mark(x, y, curve.number) for x, y in points]
    return parts


def _stretches(curve: Series) -> list[list[int]]:
    stretches: list[list[int]] = [[]]
    for row, (_, y) in enumerate(curve.points):
        if y is not None:
            stretches[-1].append(row)
        elif stretches[-1]:
            stretches.append([])
    return [rows for rows in stretches if rows]


def decimate(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Drop points too close to the previous one to see; keep the last one."""
    retained: list[tuple[float, float]] = []
    for index, point in enumerate(points):
        if index in (0, len(points) - 1) or math.dist(point, retained[-1]) >= _NEAR:
            retained.append(point)
    return retained


def _mark(x: float, y: float, number: int) -> str:
    colour, name = _style_of(number)
    form = number % 4
    if form == 0:
        return f'<circle class="{name} mark" fill="{colour}" cx="{_at(x)}" cy="{_at(y)}" r="3.5"/>'
    d = {
        1: f"M{_at(x - 3.2)} {_at(y - 3.2)}h6.4v6.4h-6.4z",
        2: f"M{_at(x)} {_at(y - 4.2)}l4 7h-8z",
        3: f"M{_at(x)} {_at(y - 4.5)}l4.5 4.5l-4.5 4.5l-4.5 -4.5z",
    }[form]
    return f'<path class="{name} mark" fill="{colour}" d="{d}"/>'


def _legend_columns(shown: Sequence[Series], width: float) -> int:
    longest = max((len(_shortened(curve.name, 40)) for curve in shown), default=1)
    return max(int((width - LEFT) // (longest * 7 + 44)), 1)


def _legend(shown: Sequence[Series], width: float) -> str:
    columns = _legend_columns(shown, width)
    wide = (width - LEFT) / columns
    parts = []
    for index, curve in enumerate(shown):
        x, y = LEFT + index % columns * wide, 14 + index // columns * LEGEND
        colour, name = _style_of(curve.number)
        dashes = DASHES[curve.number % len(DASHES)]
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        parts.append(f'<path class="{name}" stroke="{colour}" stroke-width="2"{dashed} d="M{_at(x)} {y - 4}h26"/>')
        if curve.marked:
            parts.append(_mark(x + 13, y - 4, curve.number))
        parts.append(_label(x + 32, y, _shortened(curve.name, 40), "start"))
    return "".join(parts)


def _counts(counts: Sequence[Series], axis: _Axis, top: float, bottom: float) -> list[str]:
    """Return the number of rows at each point as bars below the chart."""
    most = max([y for bars in counts for _, y in bars.points if y is not None], default=1) or 1
    high = _Axis(0, most, bottom, top)
    parts = [
        f'<path stroke="currentColor" stroke-opacity=".6" d="M{LEFT} {_at(bottom)}H{_at(axis.end)}"/>',
        _label(LEFT - 6, top + 6, number_text(most), "end"),
        _label(LEFT - 6, bottom + 2, "rows", "end"),
    ]
    for bars in counts:
        colour, name = _style_of(bars.number)
        shift = (bars.number - (len(counts) - 1) / 2) * 4
        parts += [
            f'<path class="{name}" stroke="{colour}" stroke-width="3" '
            f'd="M{_at(axis(float(x)) + shift)} {_at(bottom)}V{_at(high(y))}"/>'
            for x, y in bars.points
            if y
        ]
    return parts
