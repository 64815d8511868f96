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
from .blocks import TEMPLATES
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
    names, is_long = [*map(str, columns)], len(result) > _MOST_ROWS
    requested = [str(name) for name in result.attrs.get("metrics", [])]
    metric = catalogue().metrics.get(requested[0]) if len(requested) == 1 else None
    slices = list(map(str, result.attrs.get("slices", [])))
    keys = key_columns(names, metric) if "n" in names or metric is not None else slices
    table = text_table(table_of(result.head(_FIRST_ROWS) if is_long else result, exact=keys))
    compares = "baseline_value" in names and table.names[-1] == "verdict"
    chart = _chart(result, requested, keys, slices)
    return TEMPLATES.get_template("notebook.html").render(
        table=table,
        sides=["right" if right else "left" for right in table.right],
        chips=[chip_of(None if row[-1] == "NULL" else row[-1]) if compares else None for row in table.rows],
        chart=chart,
        is_folded=chart is not None and metric is not None and metric.table and len(result) > _LONG_CURVE,
        count=f"{len(result):,}",
        width=len(names),
        # Where the table does not show each column or row.
        columns=printable(", ".join(names)) if is_long or [*table.names] != names else "",
        first=_FIRST_ROWS if is_long else 0,
    )


def _chart(result: pd.DataFrame, metrics: Sequence[str], keys: Sequence[str], slices: Sequence[str]) -> Markup | None:
    """The chart of a curve, of slices, of a comparison, of gaps or of drift; None for other results."""
    is_curve = bool(metrics) and metrics[0] in CHARTS
    compares = any(marks <= {*result.columns} for marks in _COMPARING)
    has_slices = bool(slices) and keys == slices
    is_long = len(result) > _MOST_ROWS and not any(is_time(result[name]) for name in slices)
    if not is_curve and (is_long or not (compares or has_slices)):
        return None
    try:
        svg = plot(result).svg
    except BadParameter:
        return None
    # A notebook has many charts, and ids are those of the page.
    return Markup(svg.replace("chart-1-", f"chart-{zlib.crc32(svg.encode())}-"))
