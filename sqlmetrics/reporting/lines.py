"""Lines and dots over axes: a series for each model."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, NamedTuple

from . import svg
from .svg import MOST_ROWS, WIDTH, Axis, at, is_drawable, number_text, shortened, text_width

_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 16, 12, 46
_LEGEND = 20
#: The greatest average width of a letter, as on small screens.
_LETTER = 8
#: The least distance between two drawn points of a line, in units of the chart.
_NEAR = 0.7


class Point(NamedTuple):
    """A point with its interval; one without `y` leaves a gap in a line."""

    x: Any
    y: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Series:
    """The series of a model: its points in the order of x."""

    name: str
    points: Sequence[Point]
    number: int = 0
    marked: bool = False
    filled: bool = False
    #: A value for the legend, such as the area under the curve.
    value: str = ""

    @property
    def text(self) -> str:
        """The text of the legend."""
        return ": ".join(filter(None, [shortened(self.name, 250), self.value]))


#: The lowest and the highest value of an axis; None follows the points.
Limits = tuple[float | None, float | None]
#: The height of a chart with equal axes.
SQUARE = 400


@dataclass(frozen=True)
class Plane:
    """The plane of a line chart: its axes with their limits, a level or the diagonal for reference, and the height."""

    #: The names of the x axis and of the y axis.
    names: tuple[str, str]
    x: Limits = (None, None)
    y: Limits = (None, None)
    level: float | None = None
    diagonal: bool = False
    height: int = 300
    #: Whether the x axis has labels and a name.
    labels_x: bool = True


#: The SVG of a chart, its width and its height.
Drawing = tuple[str, int, int]


def lines(series: Sequence[Series], plane: Plane, counts: Sequence[Series] = ()) -> Drawing:
    """Lines, with bands where the points have intervals, over numbers or days, with `counts` as bars below."""
    days = _days(series)
    # Dates become timestamps.
    to_number = _time_of if days else float
    series = [replace(curve, points=[Point(to_number(x), *rest) for x, *rest in curve.points]) for curve in series]
    legend, top = _legend(series)
    bottom = top + plane.height - _TOP - _BOTTOM
    below = 74 if counts else 0
    xs = [point.x for curve in series for point in curve.points]
    x_axis = Axis(*_ends(xs, plane.x), _LEFT, WIDTH - _RIGHT)
    y_axis = Axis(*_ends(_values(series, plane.level), plane.y), bottom, top)
    # Bins are whole numbers.
    ticks = [tick for tick in x_axis.ticks() if not plane.names[0].startswith("bin") or tick.is_integer()]
    x_texts = days or [(tick, number_text(tick)) for tick in ticks]
    if not plane.labels_x:
        x_texts = [(x, "") for x, _ in x_texts]
    body = [legend]
    for tick in y_axis.ticks():
        y = y_axis(tick)
        body.append(svg.rule(f"M{_LEFT} {at(y)}H{at(WIDTH - _RIGHT)}", ".15"))
        body.append(svg.label(_LEFT - 6, y + 4, number_text(tick), "end"))
    middle = (bottom + top) / 2
    body.append(svg.label(14, middle, plane.names[1], "middle", f' transform="rotate(-90 14 {at(middle)})"'))
    body += _axis_below(x_axis, x_texts, plane.names[0] if plane.labels_x else "", top, bottom, below)
    if plane.diagonal:
        low, high = max(x_axis.low, y_axis.low), min(x_axis.high, y_axis.high)
        body.append(svg.reference(x_axis(low), y_axis(low), x_axis(high), y_axis(high)))
    if plane.level is not None:
        level = y_axis(plane.level)
        body.append(svg.reference(_LEFT, level, WIDTH - _RIGHT, level))
    for curve in series:
        body += _line(curve, x_axis, y_axis)
    if counts:
        body += _counts(counts, x_axis, bottom + 34, bottom + 34 + below - 22)
    return "".join(body), WIDTH, bottom + below + (_BOTTOM if plane.labels_x else 6)


def dots(series: Sequence[Series], slices: Sequence[str], name: str, level: float | None = None) -> Drawing:
    """A row for each slice, a dot with its interval for each model; at most sixty rows are drawn."""
    texts = list(dict.fromkeys(slices))[:MOST_ROWS]
    each = 16 + 8 * max(len(series) - 1, 0)
    legend, top = _legend(series)
    bottom = top + each * len(texts) + 6
    left = max(_LEFT, min(14 + max(map(text_width, texts), default=0), 200))
    axis = Axis(*_ends(_values(series, level)), left, WIDTH - _RIGHT)
    body = [legend, *_axis_below(axis, [(tick, number_text(tick)) for tick in axis.ticks()], name, top, bottom)]
    if level is not None:
        body.append(svg.reference(axis(level), top, axis(level), bottom))
    for row, text in enumerate(texts):
        body.append(svg.label(left - 8, top + each * (row + 0.5) + 7, shortened(text, left - 10), "end"))
    for model in series:
        shift = (model.number - (len(series) - 1) / 2) * 8
        for row, value, low, high in model.points:
            if row < len(texts) and value is not None:
                y = top + each * (row + 0.5) + 3 + shift
                if is_drawable(low) and is_drawable(high):
                    body.append(svg.stroke(f"M{at(axis(low))} {at(y)}H{at(axis(high))}", model.number))
                body.append(svg.mark(axis(value), y, model.number))
    return "".join(body), WIDTH, math.ceil(bottom + (_BOTTOM if name else 26))


def _values(series: Sequence[Series], level: float | None) -> list[float]:
    """Return the numbers that an axis has to show."""
    values = [value for curve in series for point in curve.points for value in point[1:]]
    return [value for value in [*values, level] if is_drawable(value)]


def _ends(values: Sequence[float], limits: Limits = (None, None)) -> tuple[float, float]:
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    room = (high - low) * 0.05 or abs(high) * 0.05 or 0.5
    return (low - room if limits[0] is None else limits[0], high + room if limits[1] is None else limits[1])


def _time_of(value: Any) -> float:
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=value.tzinfo or datetime.timezone.utc).timestamp()
    return datetime.datetime(value.year, value.month, value.day, tzinfo=datetime.timezone.utc).timestamp()


def _days(series: Sequence[Series]) -> list[tuple[float, str]]:
    """Return the labels of the days that have room, or nothing for numbers."""
    xs = dict.fromkeys(point.x for curve in series for point in curve.points)
    if not any(isinstance(x, datetime.date) for x in xs):
        return []
    days = sorted(xs, key=_time_of)
    room = (WIDTH - _LEFT - _RIGHT) // (_LETTER * (max(len(str(day)) for day in days) + 2))
    step = math.ceil(len(days) / max(int(room), 1))
    return [(_time_of(day), str(day)) for day in days[::step]]


def _axis_below(
    axis: Axis, ticks: Sequence[tuple[float, str]], name: str, top: float, bottom: float, below: float = 0
) -> list[str]:
    """Return the x axis; its name has `below` units of other marks above it."""
    parts = [svg.rule(f"M{at(axis.begin)} {at(top)}V{at(bottom)}H{at(axis.end)}")]
    for tick, text in ticks:
        x = axis(tick)
        parts.append(svg.rule(f"M{at(x)} {at(bottom)}v4"))
        # The label of the last day would exceed the chart.
        parts.append(svg.label(min(x, WIDTH - _LETTER / 2 * len(text) - 2), bottom + 17, text))
    parts.append(svg.label((axis.begin + axis.end) / 2, bottom + below + 38, name))
    return parts


def _line(curve: Series, x_axis: Axis, y_axis: Axis) -> list[str]:
    stretches = [list(points) for is_gap, points in groupby(curve.points, lambda point: point.y is None) if not is_gap]
    parts = []
    for stretch in stretches:
        ends = [(x_axis(x), y_axis(low), y_axis(high)) for x, _, low, high in stretch
                if is_drawable(low) and is_drawable(high)]  # fmt: skip
        if len(ends) > 1:
            there = "L".join(f"{at(x)} {at(high)}" for x, _, high in ends)
            back = "L".join(f"{at(x)} {at(low)}" for x, low, _ in reversed(ends))
            parts.append(svg.shape(f"M{there}L{back}Z", curve.number, is_band=True))
        elif ends:
            [(x, low, high)] = ends
            parts.append(svg.stroke(f"M{at(x)} {at(low)}V{at(high)}", curve.number))
    drawn = [[(x_axis(x), y_axis(y)) for x, y, *_ in stretch if y is not None] for stretch in stretches]
    points = [point for stretch in drawn for point in stretch]
    path = "M".join("L".join(f"{at(x)} {at(y)}" for x, y in _decimated(stretch)) for stretch in drawn)
    if path:
        parts.append(svg.stroke(f"M{path}", curve.number, 2, is_dashed=True))
    if curve.filled and path:
        floor = at(y_axis.begin)
        foot = f"L{at(points[-1][0])} {floor}L{at(points[0][0])} {floor}Z"
        parts.insert(0, svg.shape(f"M{path}{foot}", curve.number, is_band=True))
    # A line with a single point is invisible.
    if curve.marked or len(points) == 1:
        parts += [svg.mark(x, y, curve.number) for x, y in points]
    return parts


def _decimated(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Drop points too close to the previous one to see; keep the last one."""
    retained: list[tuple[float, float]] = []
    for index, point in enumerate(points):
        if index in (0, len(points) - 1) or math.dist(point, retained[-1]) >= _NEAR:
            retained.append(point)
    return retained


def _legend(series: Sequence[Series]) -> tuple[str, int]:
    """Return the names of the series, and the top of the chart below them."""
    shown = [curve for curve in series if curve.text]
    longest = max((text_width(curve.text) for curve in shown), default=1)
    columns = max(int((WIDTH - _LEFT) // (longest + 44)), 1)
    parts = []
    for index, curve in enumerate(shown):
        x, y = _LEFT + index % columns * (WIDTH - _LEFT) / columns, 14 + index // columns * _LEGEND
        parts.append(svg.stroke(f"M{at(x)} {y - 4}h26", curve.number, 2, is_dashed=True))
        if curve.marked:
            parts.append(svg.mark(x + 13, y - 4, curve.number))
        parts.append(svg.label(x + 32, y, curve.text, "start"))
    return "".join(parts), _TOP + _LEGEND * math.ceil(len(shown) / columns)


def _counts(counts: Sequence[Series], axis: Axis, top: float, bottom: float) -> list[str]:
    """Return the number of rows at each point as bars below the chart."""
    most = max(_values(counts, None), default=1) or 1
    high = Axis(0, most, bottom, top)
    parts = [
        svg.rule(f"M{_LEFT} {at(bottom)}H{at(axis.end)}"),
        svg.label(_LEFT - 6, top + 6, number_text(most), "end"),
        svg.label(_LEFT - 6, bottom + 2, "rows", "end"),
    ]
    for bars in counts:
        shift = (bars.number - (len(counts) - 1) / 2) * 4
        parts += [
            svg.stroke(f"M{at(axis(float(x)) + shift)} {at(bottom)}V{at(high(y))}", bars.number, 3)
            for x, y, *_ in bars.points
            if y
        ]
    return parts
