"""Lines and dots over axes: a series for each model."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from .svg import (
    DASHES,
    WIDTH,
    Axis,
    Chart,
    at,
    describe_omitted,
    is_drawable,
    label,
    mark,
    number_text,
    reference,
    shortened,
    style_of,
    text_width,
)

_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 16, 12, 46
_LEGEND = 20
#: The greatest average width of a letter, as on small screens.
_LETTER = 8
#: The least distance between two drawn points of a line, in units of the chart.
_NEAR = 0.7
#: The greatest number of rows of dots.
_MOST_ROWS = 60


@dataclass(frozen=True)
class Series:
    """The series of a model: points in the order of x, optionally with the ends of their intervals."""

    name: str
    points: Sequence[tuple[Any, float | None]]
    intervals: Sequence[tuple[float | None, float | None]] = ()
    number: int = 0
    marked: bool = False
    filled: bool = False
    #: A value for the legend, such as the area under the curve.
    value: str = ""

    @property
    def text(self) -> str:
        """The text of the legend."""
        return ": ".join(filter(None, [shortened(self.name, 250), self.value]))


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
    height: int = 300,
    foot: bool = True,
) -> Chart:
    """Lines, with bands where the points have intervals, over numbers or days; `foot` labels the x axis."""
    days = any(isinstance(x, datetime.date) for curve in series for x, _ in curve.points)
    # Dates become timestamps.
    to_number = _time_of if days else float
    width, below = WIDTH, 74 if counts else 0
    top = _TOP + _legend_height(series, width)
    bottom = top + (400 if square else height) - _TOP - _BOTTOM
    height = bottom + below + (_BOTTOM if foot else 6)
    xs = [to_number(x) for curve in series for x, _ in curve.points]
    ys = [y for curve in series for _, y in curve.points if y is not None]
    ys += [end for curve in series for pair in curve.intervals for end in pair if is_drawable(end) and end is not None]
    ys += [] if level is None else [level]
    x_axis = Axis(*_ends(xs, ends[0]), _LEFT, width - _RIGHT)
    y_axis = Axis(*_ends(ys, ends[1]), bottom, top)
    body = [_legend(series, width), *_axis_left(y_axis, names[1], width)]
    x_texts = _days(series) if days else [(tick, number_text(tick)) for tick in _fitting_ticks(x_axis, names[0])]
    if not foot:
        x_texts = [(x, "") for x, _ in x_texts]
    body += _axis_below(x_axis, x_texts, names[0] if foot else "", top, bottom, height - 8)
    if diagonal:
        low, high = max(x_axis.low, y_axis.low), min(x_axis.high, y_axis.high)
        body.append(reference(x_axis(low), y_axis(low), x_axis(high), y_axis(high)))
    if level is not None:
        body.append(reference(_LEFT, y_axis(level), width - _RIGHT, y_axis(level)))
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
    description += describe_omitted(len(texts), _MOST_ROWS, "slices")
    texts = texts[:_MOST_ROWS]
    each = 16 + 8 * max(len(series) - 1, 0)
    top = _TOP + _legend_height(series, WIDTH)
    bottom = top + each * len(texts) + 6
    left = max(_LEFT, min(14 + max(map(text_width, texts), default=0), 200))
    values = [y for model in series for _, y in model.points if y is not None] + ([] if level is None else [level])
    values += [end for model in series for pair in model.intervals for end in pair if end is not None]
    axis = Axis(*_ends([*filter(is_drawable, values)], (None, None)), left, WIDTH - _RIGHT)
    body = [_legend(series, WIDTH)]
    body += _axis_below(
        axis, [(tick, number_text(tick)) for tick in axis.ticks()], name, top, bottom, bottom + 38, left
    )
    if level is not None:
        body.append(reference(axis(level), top, axis(level), bottom))
    for row, text in enumerate(texts):
        body.append(label(left - 8, top + each * (row + 0.5) + 7, shortened(text, left - 10), "end"))
    for model in series:
        shift = (model.number - (len(series) - 1) / 2) * 8
        for position, (x, value) in enumerate(model.points):
            if isinstance(x, int) and x < len(texts) and value is not None:
                ends = model.intervals[position] if model.intervals else (None, None)
                body += _dot(axis, value, ends, top + each * (x + 0.5) + 3 + shift, model.number)
    return Chart(title, description, "".join(body), WIDTH, math.ceil(bottom + (_BOTTOM if name else 26)), table)


def _dot(axis: Axis, value: float, ends: tuple[float | None, float | None], y: float, number: int) -> list[str]:
    colour, name = style_of(number)
    low, high = ends
    parts = []
    if low is not None and high is not None and is_drawable(low) and is_drawable(high):
        parts.append(
            f'<path class="{name}" stroke="{colour}" stroke-width="1.5" d="M{at(axis(low))} {at(y)}H{at(axis(high))}"/>'
        )
    return [*parts, mark(axis(value), y, number)]


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
    room = (WIDTH - _LEFT - _RIGHT) // (_LETTER * (max((len(str(day)) for day in days), default=1) + 2))
    step = math.ceil(len(days) / max(int(room), 1))
    return [(_time_of(day), str(day)) for day in days[::step]]


def _fitting_ticks(axis: Axis, name: str) -> list[float]:
    ticks = axis.ticks()
    # Bins are whole numbers.
    return [tick for tick in ticks if tick.is_integer()] if name.startswith("bin") else ticks


def _axis_left(axis: Axis, name: str, width: float) -> list[str]:
    parts = []
    for tick in axis.ticks():
        y = axis(tick)
        parts.append(f'<path stroke="currentColor" stroke-opacity=".15" d="M{_LEFT} {at(y)}H{at(width - _RIGHT)}"/>')
        parts.append(label(_LEFT - 6, y + 4, number_text(tick), "end"))
    middle = (axis.begin + axis.end) / 2
    parts.append(label(14, middle, name, "middle", f' transform="rotate(-90 14 {at(middle)})"'))
    return parts


def _axis_below(
    axis: Axis, ticks: Sequence[tuple[float, str]], name: str, top: float, bottom: float, foot: float,
    left: float = _LEFT,
) -> list[str]:  # fmt: skip
    parts = [f'<path stroke="currentColor" stroke-opacity=".6" d="M{at(left)} {at(top)}V{at(bottom)}H{at(axis.end)}"/>']
    for tick, text in ticks:
        x = axis(tick)
        parts.append(f'<path stroke="currentColor" stroke-opacity=".6" d="M{at(x)} {at(bottom)}v4"/>')
        # The label of the last day would exceed the chart.
        parts.append(label(min(x, WIDTH - _LETTER / 2 * len(text) - 2), bottom + 17, text))
    parts.append(label((axis.begin + axis.end) / 2, foot, name))
    return parts


def _line(curve: Series, x_axis: Axis, y_axis: Axis, to_number: Callable[[Any], float]) -> list[str]:
    colour, name = style_of(curve.number)
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
            there = "L".join(f"{at(x)} {at(high)}" for x, _, high in band)
            back = "L".join(f"{at(x)} {at(low)}" for x, low, _ in reversed(band))
            parts.append(f'<path class="{name} band" fill="{colour}" fill-opacity=".15" d="M{there}L{back}Z"/>')
        elif band:
            [(x, low, high)] = band
            parts.append(
                f'<path class="{name}" stroke="{colour}" stroke-width="1.5" d="M{at(x)} {at(low)}V{at(high)}"/>'
            )
    dashes = DASHES[curve.number % len(DASHES)]
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    drawn = [[(x_axis(to_number(x)), y_axis(y)) for x, y in curve.points[rows[0] : rows[-1] + 1] if y is not None]
             for rows in stretches]  # fmt: skip
    points = [point for stretch in drawn for point in stretch]
    path = "M".join("L".join(f"{at(x)} {at(y)}" for x, y in decimate(stretch)) for stretch in drawn)
    if path:
        parts.append(f'<path class="{name}" stroke="{colour}" stroke-width="2"{dashed} d="M{path}"/>')
    if curve.filled and path:
        floor = at(y_axis.begin)
        foot = f"L{at(points[-1][0])} {floor}L{at(points[0][0])} {floor}Z"
        parts.insert(0, f'<path class="{name} band" fill="{colour}" fill-opacity=".15" d="M{path}{foot}"/>')
    # A line with a single point is invisible.
    if curve.marked or len(points) == 1:
        parts += [mark(x, y, curve.number) for x, y in points]
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


def _legend_columns(shown: Sequence[Series], width: float) -> int:
    longest = max((text_width(curve.text) for curve in shown), default=1)
    return max(int((width - _LEFT) // (longest + 44)), 1)


def _in_legend(series: Sequence[Series]) -> list[Series]:
    return [curve for curve in series if curve.text]


def _legend_height(series: Sequence[Series], width: float) -> int:
    shown = _in_legend(series)
    return _LEGEND * math.ceil(len(shown) / _legend_columns(shown, width))


def _legend(series: Sequence[Series], width: float) -> str:
    shown = _in_legend(series)
    columns = _legend_columns(shown, width)
    wide = (width - _LEFT) / columns
    parts = []
    for index, curve in enumerate(shown):
        x, y = _LEFT + index % columns * wide, 14 + index // columns * _LEGEND
        colour, name = style_of(curve.number)
        dashes = DASHES[curve.number % len(DASHES)]
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        parts.append(f'<path class="{name}" stroke="{colour}" stroke-width="2"{dashed} d="M{at(x)} {y - 4}h26"/>')
        if curve.marked:
            parts.append(mark(x + 13, y - 4, curve.number))
        parts.append(label(x + 32, y, curve.text, "start"))
    return "".join(parts)


def _counts(counts: Sequence[Series], axis: Axis, top: float, bottom: float) -> list[str]:
    """Return the number of rows at each point as bars below the chart."""
    most = max([y for bars in counts for _, y in bars.points if y is not None], default=1) or 1
    high = Axis(0, most, bottom, top)
    parts = [
        f'<path stroke="currentColor" stroke-opacity=".6" d="M{_LEFT} {at(bottom)}H{at(axis.end)}"/>',
        label(_LEFT - 6, top + 6, number_text(most), "end"),
        label(_LEFT - 6, bottom + 2, "rows", "end"),
    ]
    for bars in counts:
        colour, name = style_of(bars.number)
        shift = (bars.number - (len(counts) - 1) / 2) * 4
        parts += [
            f'<path class="{name}" stroke="{colour}" stroke-width="3" '
            f'd="M{at(axis(float(x)) + shift)} {at(bottom)}V{at(high(y))}"/>'
            for x, y in bars.points
            if y
        ]
    return parts
