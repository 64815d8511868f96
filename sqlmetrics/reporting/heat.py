"""Heat maps: a coloured cell for each pair of classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

import pandas as pd

from .svg import COLOURS, WIDTH, Chart, at, escaped, is_drawable, label, shortened, text_width

_ROW, _LEAST_CELL, _MOST_CELL, _MOST_NAME = 30, 38, 84, 130
#: Up to this opacity, text on the cells has enough contrast in light and dark colours.
_MOST_OPACITY = 0.72


def heat_map(
    title: str,
    description: str,
    names: Sequence[str],
    shares: Sequence[Sequence[float | None]],
    texts: Sequence[Sequence[str]],
    axis_names: tuple[str, str],
    table: pd.DataFrame,
) -> Chart:
    """A cell for each pair of names: its share from 0 to 1 is the colour; a text that fits is drawn on it.

    `axis_names` are those of the rows and of the columns. Up to about 20 names are readable.
    """
    longest = max(map(text_width, names), default=0)
    left = 26 + min(longest, _MOST_NAME) + 8
    widest = max(map(text_width, chain.from_iterable(texts)), default=0) + 8
    cell = min(max((WIDTH - left) / max(len(names), 1), _LEAST_CELL, min(widest, _MOST_CELL)), _MOST_CELL)
    is_turned = longest > cell - 4
    top = 20 + (min(longest, _MOST_NAME) + 12 if is_turned else 24)
    right, bottom = left + cell * len(names), top + _ROW * len(names)
    middle = (top + bottom) / 2
    body = [
        label((left + right) / 2, 14, axis_names[1]),
        label(14, middle, axis_names[0], "middle", f' transform="rotate(-90 14 {at(middle)})"'),
    ]
    for column, name in enumerate(names):
        x = left + cell * (column + 0.5)
        if is_turned:
            turn = f' transform="rotate(-90 {at(x + 4)} {at(top - 8)})"'
            body.append(label(x + 4, top - 8, shortened(name, _MOST_NAME), "start", turn))
        else:
            body.append(label(x, top - 8, name))
    for row, name in enumerate(names):
        y = top + _ROW * row
        body.append(label(left - 8, y + 19, shortened(name, _MOST_NAME), "end"))
        for column, (share, text) in enumerate(zip(shares[row], texts[row], strict=True)):
            hint = f"{axis_names[0]} {name}, {axis_names[1]} {names[column]}: {text}"
            body.append(_cell(left + cell * column, y, cell, share, text, hint))
    return Chart(title, description, "".join(body), math.ceil(max(right + 2, WIDTH)), math.ceil(bottom + 4), table)


def _cell(x: float, y: float, width: float, share: float | None, text: str, hint: str) -> str:
    opacity = f"{min(max(share, 0), 1) * _MOST_OPACITY:.3f}" if is_drawable(share) else "0"
    shape = (
        f'<rect fill="{COLOURS[0]}" fill-opacity="{opacity}" stroke="currentColor" stroke-opacity=".15" '
        f'x="{at(x + 1)}" y="{at(y + 1)}" width="{at(width - 2)}" height="{_ROW - 2}"/>'
    )
    drawn = label(x + width / 2, y + 19, text) if text_width(text) <= width - 2 else ""
    return f"<g><title>{escaped(hint)}</title>{shape}{drawn}</g>"
