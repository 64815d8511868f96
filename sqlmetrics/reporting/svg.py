"""Charts as SVG and PNG: the primitives that every form of chart shares.

This small writer serves pages with a strict content policy: no script, no style attribute, colours as attributes that a
style sheet may replace. Each chart has a title and a description for readers who do not see it. The writer computes
nothing but the coordinates of values.
"""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeGuard

import pandas as pd
from markupsafe import Markup, escape

from ..engines.base import client_module
from ..errors import BadParameter, printable, raised_at_caller
from ..output.files import check_output, write_file
from ..output.text import as_text
from ..tables import table_of

#: Colours that colour-blind readers distinguish (Okabe and Ito, 2008), and dashes that identify the same series.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0518a", "#8a6d00", "#444444")
DASHES = ("", "7 3", "2 2", "9 3 2 3", "4 4", "1 3")

#: The width of a chart on the page, which small screens show at three quarters.
WIDTH = 480
#: A chart of rows, such as slices, has at most so many.
MOST_ROWS = 60
#: A file has its title above the chart, and a margin around both.
_MARGIN, _TITLE = 16, 30
#: The pixels of a PNG for each unit of the chart.
_SCALE = 2
#: The font sizes of charts, and of charts on small screens (report.css) with the wider letters of common fonts.
_SIZE, SMALL_SCREEN = 12, 14


@dataclass(frozen=True)
class Chart:
    """A chart: its SVG, and the table of its numbers."""

    title: str
    description: str
    body: str
    width: int
    height: int
    table: pd.DataFrame = field(compare=False)

    def drawn(self, number: int = 1, attributes: str = "") -> Markup:
        """Return the SVG for a page, with the number of the chart on it."""
        names = f"chart-{number}-title chart-{number}-description"
        return Markup(
            f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{names}" '
            f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}" '
            f'font-family="system-ui, sans-serif" font-size="{_SIZE}" fill="none"{attributes}>'
            f'<title id="chart-{number}-title">{escaped(self.title)}</title>'
            f'<desc id="chart-{number}-description">{escaped(self.description)}</desc>{self.body}</svg>'
        )

    @property
    def svg(self) -> str:
        """The SVG as a file: the chart under its title, on a white background."""
        width, height = self.width + 2 * _MARGIN, self.height + 2 * _MARGIN + _TITLE
        title = shortened(self.title, self.width, 15)
        paper = (
            f'<rect width="{width}" height="{height}" fill="#ffffff"/><text x="{_MARGIN}" y="{_MARGIN + 14}" '
            f'font-size="15" font-weight="bold" fill="currentColor">{escaped(title)}</text>'
        )
        body = f'{paper}<g transform="translate({_MARGIN} {_MARGIN + _TITLE})">{self.body}</g>'
        whole = replace(self, body=body, width=width, height=height)
        return str(whole.drawn(attributes=' color="#1b1b1b"')) + "\n"

    @raised_at_caller
    def save(self, path: str | Path) -> None:
        """Write the chart into a file whose ending is .svg or, with `pip install 'sqlmetrics[png]'`, .png."""
        ending = Path(path).suffix.lower()
        if ending not in (".svg", ".png"):
            raise BadParameter(f"{path}: the ending must be .svg or .png")
        check_output(str(path), [])
        write_file(str(path), self.svg if ending == ".svg" else self.png)

    @property
    def png(self) -> bytes:
        """The file's SVG as pixels, two for each unit."""
        image: bytes = png_writer().svg_to_png(self.svg, scale=_SCALE)
        return image

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return as_text(table_of(self.table, exact=self.table.attrs.get("slices", [])), "table")


def png_writer() -> Any:
    """`vl_convert`, imported when a PNG needs it."""
    return client_module("vl_convert", "png", "vl-convert-python")


def is_drawable(value: Any) -> TypeGuard[float]:
    """Whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@dataclass(frozen=True)
class Axis:
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


def number_text(value: float) -> str:
    """Return a number as text for an axis."""
    if abs(value) >= 10_000 and abs(value) < 1e15 and value == int(value):
        return f"{int(value):,}".replace("-", "−")
    return f"{value:.4g}".replace("-", "−") if value else "0"


def escaped(text: str) -> Markup:
    """Escape a text for SVG, including line breaks."""
    return escape(printable(text))


def text_width(text: str, size: float = SMALL_SCREEN) -> float:
    """Return the width of a text in a wide font (DejaVu Sans), so that it fits in others."""
    return size * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if letter in " .,:;|!'()[]ijl":
        return 0.37
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return 0.9 if letter in "mwMW@%+−…▲▼→←" else 0.72 if letter.isupper() else 0.63


def shortened(text: str, room: float, size: float = SMALL_SCREEN) -> str:
    """Return the text, or its beginning that fits the room."""
    text = printable(text)
    if text_width(text[: int(room)], size) <= room and len(text) <= room:
        return text
    text = text[: int(room)]
    while text and text_width(f"{text}…", size) > room:
        text = text[:-1]
    return f"{text}…"


def describe_omitted(count: int, most: int, name: str) -> str:
    """Return a sentence for the description of a chart that does not draw everything."""
    return f" Of {count:,} {name} the first {most} are drawn." if count > most else ""


def at(value: float) -> str:
    """Return a coordinate with one decimal."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def label(x: float, y: float, text: str, anchor: str = "middle", attributes: str = "") -> str:
    """Return a text at its anchor."""
    anchored = f'x="{at(x)}" y="{at(y)}" fill="currentColor" text-anchor="{anchor}"'
    return f"<text {anchored}{attributes}>{escaped(text)}</text>" if text else ""


def _style_of(number: int) -> tuple[str, str]:
    """Return the colour of a series, and the class by which a style sheet replaces it."""
    return COLOURS[number % len(COLOURS)], f"m{number % len(COLOURS)}"


def rule(path: str, opacity: str = ".6", attributes: str = "") -> str:
    """Return a thin line of an axis or a grid."""
    return f'<path stroke="currentColor" stroke-opacity="{opacity}"{attributes} d="{path}"/>'


def reference(x1: float, y1: float, x2: float, y2: float) -> str:
    """Return a dashed line between two points."""
    return rule(f"M{at(x1)} {at(y1)}L{at(x2)} {at(y2)}", ".5", ' stroke-dasharray="3 3"')


def stroke(path: str, number: int, width: float = 1.5, is_dashed: bool = False) -> str:
    """Return a line in the colour of a series, and in its dashes."""
    colour, name = _style_of(number)
    dashes = DASHES[number % len(DASHES)] if is_dashed else ""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path class="{name}" stroke="{colour}" stroke-width="{width:g}"{dashed} d="{path}"/>'


def shape(path: str, number: int, is_band: bool = False) -> str:
    """Return a filled mark in the colour of a series, or a band in its pale colour."""
    colour, name = _style_of(number)
    form, opacity = ("band", ' fill-opacity=".15"') if is_band else ("mark", "")
    return f'<path class="{name} {form}" fill="{colour}"{opacity} d="{path}"/>'


def mark(x: float, y: float, number: int) -> str:
    """Return the mark of a point, whose form identifies the series."""
    if number % 4 == 0:
        colour, name = _style_of(number)
        return f'<circle class="{name} mark" fill="{colour}" cx="{at(x)}" cy="{at(y)}" r="3.5"/>'
    square = f"M{at(x - 3.2)} {at(y - 3.2)}h6.4v6.4h-6.4z"
    triangle = f"M{at(x)} {at(y - 4.2)}l4 7h-8z"
    diamond = f"M{at(x)} {at(y - 4.5)}l4.5 4.5l-4.5 4.5l-4.5 -4.5z"
    return shape((square, triangle, diamond)[number % 4 - 1], number)
