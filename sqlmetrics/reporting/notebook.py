"""Results in a notebook: the table that people read, and its chart.

The result stays a plain DataFrame: only this object has the HTML, as an attribute that IPython calls. A subclass would
fail `assert_frame_equal(plain, result)`, and its pickles would require this package. What users make of a result (a
copy, some rows, a file) is displayed by pandas.
"""

from __future__ import annotations

import weakref
import zlib
from collections.abc import Sequence
from typing import Any, TypeVar

import pandas as pd
from markupsafe import Markup

from ..catalogue.registry import catalogue
from ..errors import BadParameter, printable
from ..output.text import text_table
from ..output.views import key_columns
from ..tables import table_of
from .cells import chip_of
from .charts import CHARTS, plot
from .labels import is_time

T = TypeVar("T")

#: Longer tables are cut to their first rows, as pandas does. Longer charts of slices, except days, are not drawn.
_MOST_ROWS, _FIRST_ROWS = 60, 20
#: The table of a longer curve is folded below its chart.
_LONG_CURVE = 20
#: The columns of `compare`, `gaps` and `drift`.
_COMPARING = ({"baseline_value", "verdict"}, {"highest", "lowest"}, {"n_reference", "psi"})
#: The background of a verdict. White text on either has a contrast above 6.
_COLOURS = {"better": "#00694d", "worse": "#a33b00"}


def with_display(result: T) -> T:
    """Return the same result, which a notebook displays as a compact table and a chart."""
    if isinstance(result, pd.DataFrame) and "slices" in result.attrs:
        reference, columns = weakref.ref(result), [*result.columns]
        object.__setattr__(result, "_repr_html_", lambda: _html(reference(), columns))
    return result


def _html(result: Any, columns: Sequence[str]) -> str | None:
    """The HTML of a result; pandas' own once its columns have changed, or where its options turn HTML off."""
    if [*result.columns] != columns or not pd.get_option("display.notebook_repr_html"):
        own: str | None = pd.DataFrame._repr_html_(result)  # type: ignore[attr-defined]
        return own
    names = [*map(str, columns)]
    requested = [str(name) for name in result.attrs.get("metrics", [])]
    metric = catalogue().metrics.get(requested[0]) if len(requested) == 1 else None
    is_table = metric is not None and metric.table
    slices = list(map(str, result.attrs.get("slices", [])))
    keys = key_columns(names, metric) if "n" in names or metric is not None else slices
    table, chart = _table(result, keys), _chart(result, requested, keys, slices)
    if chart and is_table and len(result) > _LONG_CURVE:
        table = Markup("<details><summary>{} rows</summary>{}</details>").format(f"{len(result):,}", table)
        return f"<div>{chart}{table}</div>"
    return f"<div>{table}{chart}</div>"


def _chart(result: pd.DataFrame, metrics: Sequence[str], keys: Sequence[str], slices: Sequence[str]) -> Markup:
    """The chart of a curve, of slices, of a comparison, of gaps or of drift; empty for other results."""
    is_curve = bool(metrics) and metrics[0] in CHARTS
    compares = any(marks <= {*result.columns} for marks in _COMPARING)
    has_slices = bool(slices) and keys == slices
    is_long = len(result) > _MOST_ROWS and not any(is_time(result[name]) for name in slices)
    if not is_curve and (is_long or not (compares or has_slices)):
        return Markup()
    try:
        svg = plot(result).svg
    except BadParameter:
        return Markup()
    # A notebook has many charts, and ids are those of the page.
    picture = Markup(svg.replace("chart-1-", f"chart-{zlib.crc32(svg.encode())}-"))
    return Markup('<div style="overflow-x:auto;margin:.5em 0">{}</div>').format(picture)


def _table(result: pd.DataFrame, keys: Sequence[str]) -> Markup:
    first = result if len(result) <= _MOST_ROWS else result.head(_FIRST_ROWS)
    shown = text_table(table_of(first, exact=keys))
    is_comparison = "baseline_value" in result.columns and shown.names[-1] == "verdict"
    sides = [Markup('style="text-align:right"' if right else 'style="text-align:left"') for right in shown.right]
    headings = [Markup('<th scope="col" {}>{}</th>').format(*cell) for cell in zip(sides, shown.names, strict=True)]
    tags = [Markup('<th scope="row" {}>{}</th>' if is_key else "<td {}>{}</td>") for is_key in shown.keys]
    rows = []
    for row in shown.rows:
        cells = [*row[:-1], _verdict(row[-1])] if is_comparison else row
        rows.append(Markup().join(tag.format(*cell) for tag, *cell in zip(tags, sides, cells, strict=True)))
    body = Markup().join(Markup("<tr>{}</tr>\n").format(row) for row in rows)
    style = "color:inherit;white-space:nowrap;font-variant-numeric:tabular-nums"
    return Markup(
        '<div style="overflow-x:auto"><table style="{}">\n<thead><tr>{}</tr></thead>\n'
        "<tbody>{}</tbody></table></div>\n{}"
    ).format(style, Markup().join(headings), body, _note(result, shown.names))


def _note(result: pd.DataFrame, shown: Sequence[str]) -> Markup:
    """The columns of the result where the table does not show each, and the rows that it does not show."""
    names = [str(name) for name in result.columns]
    if [*shown] == names and len(result) <= _MOST_ROWS:
        return Markup()
    more = f" The first {_FIRST_ROWS} rows are shown." if len(result) > _MOST_ROWS else ""
    columns = printable(", ".join(names))
    return Markup('<p style="font-size:smaller">{} rows × {} columns: {}.{}</p>').format(
        f"{len(result):,}", len(names), columns, more
    )


def _verdict(text: str) -> Markup:
    """A verdict as a chip, whose shape and words do not depend on its colour."""
    chip = chip_of(None if text == "NULL" else text)
    colour = _COLOURS.get(chip.form)
    colours = f"color:#ffffff;background:{colour};border:1px solid {colour}" if colour else "border:1px solid"
    return Markup('<span style="{};border-radius:.6em;padding:0 .5em">{} {}</span>').format(
        colours, chip.symbol, chip.text
    )
