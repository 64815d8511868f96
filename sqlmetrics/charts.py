"""Charts as SVG: the results of table metrics, and of metrics by slices, draw themselves.

A small writer of our own, because the SVG has to stand in a page under a strict content policy: no script, no style
attribute, colours as attributes that a style sheet may replace, a title and a description for those who do not see it.
Nothing is computed here but where on the paper a value goes.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup, escape

from .catalogue.registry import catalogue
from .errors import BadParameter, did_you_mean, printable, raised_at_caller
from .output.files import check_output, write_text
from .output.tables import table_of
from .output.text import as_text

#: Colours that colour-blind readers tell apart (Okabe and Ito, 2008), with the marks and dashes that say the same.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0518a", "#8a6d00", "#444444")
DASHES = ("", "7 3", "2 2", "9 3 2 3", "4 4", "1 3")

_WIDTH = 480
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 16, 12, 46
_LEGEND = 20
#: How wide a letter is at most on average, where a small screen has them larger.
_LETTER = 8
#: How far apart, in units of the picture, two points of a line are at least drawn.
_NEAR = 0.7


@dataclass(frozen=True)
class Series:
    """What one model does: points in the order of x, with the ends of their intervals where they have them."""

    name: str
    points: Sequence[tuple[Any, float | None]]
    intervals: Sequence[tuple[float | None, float | None]] = ()
    number: int = 0
    marked: bool = False
    filled: bool = False


@dataclass(frozen=True)
class Chart:
    """A picture: its SVG, and the table of the numbers that it shows."""

    title: str
    description: str
    body: str
    width: int
    height: int
    table: pd.DataFrame = field(compare=False)

    def drawn(self, number: int = 1) -> Markup:
        """The SVG for a page on which it is the picture of this number."""
        names = f"chart-{number}-title chart-{number}-description"
        return Markup(
            f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{names}" '
            f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}" '
            f'font-family="sans-serif" font-size="12" fill="none">'
            f'<title id="chart-{number}-title">{_text(self.title)}</title>'
            f'<desc id="chart-{number}-description">{_text(self.description)}</desc>{self.body}</svg>'
        )

    @property
    def svg(self) -> str:
        """The SVG by itself, as a file holds it: on white, whatever is behind it."""
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


@raised_at_caller
def plot(result: pd.DataFrame, metric: str | None = None) -> Chart:
    """Draw a result: a curve or table metric's, values by slices, or the differences of a comparison.

    Intervals are drawn where the result has them. Several models and slices share one picture; a comparison has a panel
    for each metric.

    Args:
        result: What `evaluate`, `compare` or the function of a metric has returned.
        metric: Which metric to draw where the result has several. By default the first, and of a comparison all.

    Returns:
        A chart that a notebook shows: `chart.svg` is its text, `chart.save("curve.svg")` writes it, `chart.table` has
        its numbers.

    Raises:
        BadParameter: The result is none that can be drawn, or does not hold the metric.

    Example:
        >>> import pandas as pd, sqlmetrics
        >>> log = pd.DataFrame({"clicked": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> chart = sqlmetrics.plot(sqlmetrics.roc_curve(log, label="clicked", score="score"))
        >>> chart.title, chart.svg[:4]
        ('ROC curve', '<svg')
    """
    if not isinstance(result, pd.DataFrame) or "metrics" not in result.attrs:
        raise BadParameter("plot takes what evaluate, compare or the function of a metric has returned")
    keys = list(result.attrs["slices"])
    drawn = DRAWN.get(str(result.attrs["metrics"][0]))
    if result.empty:
        raise BadParameter("the result has no rows: there is nothing to draw")
    if drawn is not None:
        return drawn(result, keys)
    if {"metric", "baseline", "difference"} <= {*result.columns}:
        return differences(result, keys, metric)
    names = value_columns(result)
    if metric is not None and metric not in names:
        raise BadParameter(f"there is no metric {metric!r} in the result{did_you_mean(metric, names)}")
    if not names or any(catalogue()[one].table for one in result.attrs["metrics"] if one in catalogue().metrics):
        raise BadParameter(f"there is no picture of {result.attrs['metrics'][0]}; {', '.join(DRAWN)} have one")
    return by_slices(result, keys, metric or names[0])


def value_columns(result: pd.DataFrame) -> list[str]:
    """The columns of a result that hold the values of metrics."""
    names = [str(name) for name in result.columns]
    numbers = [name for name in names if pd.api.types.is_float_dtype(result[name].dtype)]
    ends = {f"{name}{end}" for name in names for end in ("_low", "_high", "_se", "_clusters")}
    return [name for name in numbers if name not in ends and name not in result.attrs["slices"] and name != "positives"]


# ---- the pictures ----------------------------------------------------------------------------------------------------


def roc(result: pd.DataFrame, keys: Sequence[str]) -> Chart:
    """True positive rate over false positive rate."""
    return lines(
        "ROC curve",
        "True positive rate over false positive rate; the diagonal is a model that knows nothing.",
        _series(result, keys, "fpr", "tpr"),
        ("false positive rate", "true positive rate"),
        _columns(result, keys, ["threshold", "fpr", "tpr"], "tpr"),
        ends=((0, 1), (0, 1)),
        diagonal=True,
        square=True,
    )


def pr(result: pd.DataFrame, keys: Sequence[str]) -> Chart:
    """Precision over recall."""
    return lines(
        "Precision-recall curve",
        "Precision over recall: the share of positives among the rows above a threshold, over the share found there.",
        _series(result, keys, "recall", "precision"),
        ("recall", "precision"),
        _columns(result, keys, ["threshold", "recall", "precision"], "precision"),
        ends=((0, 1), (0, None)),
        square=True,
    )


def calibration(result: pd.DataFrame, keys: Sequence[str]) -> Chart:
    """The rate of positives over the mean score, with the rows of each bin below."""
    highest = "rate_high" if "rate_high" in result.columns else "rate"
    top = 1.04 * max(
        [*_numbers(result["mean_score"]), *_numbers(result["rate"]), *_numbers(result[highest])], default=1.0
    )
    return lines(
        "Calibration",
        "Rate of positives over mean score, bin by bin; on the diagonal positives come as often as predicted. "
        "Below, the rows of each bin.",
        _series(result, keys, "mean_score", "rate", marked=True),
        ("mean score", "rate of positives"),
        _columns(result, keys, ["bin", "rows", "mean_score", "rate", "copc"], "rate"),
        ends=((0, top), (0, top)),
        diagonal=True,
        square=True,
        counts=_series(result, keys, "mean_score", "rows"),
    )


def copc_by_score(result: pd.DataFrame, keys: Sequence[str]) -> Chart:
    """Clicks over predicted clicks by score bin."""
    return lines(
        "COPC by score",
        "Positives over predicted positives, over the mean score of the bin; 1 is calibrated, above it the model "
        "predicts too little.",
        _series(result, keys, "mean_score", "copc", marked=True),
        ("mean score", "copc"),
        _columns(result, keys, ["bin", "rows", "mean_score", "copc"], "copc"),
        ends=((0, None), (0, None)),
        level=1,
    )


def lift(result: pd.DataFrame, keys: Sequence[str]) -> Chart:
    """Lift of each bin of the highest scores."""
    return lines(
        "Lift",
        "Rate of positives in each bin of equally many rows over the rate of all, from the highest scores down; 1 is "
        "chance.",
        _series(result, keys, "bin", "lift", marked=True),
        ("bin, 1 has the highest scores", "lift"),
        _columns(result, keys, ["bin", "rows", "positives", "rate", "gain", "lift", "cumulative_lift"], "lift"),
        ends=((None, None), (0, None)),
        level=1,
    )


def by_slices(result: pd.DataFrame, keys: Sequence[str], metric: str, level: float | None = None) -> Chart:
    """A metric by slices, with its intervals: days as a line, other slices as dots."""
    series = _series(result, [key for key in keys if key == "model"], None, metric, marked=True)
    slices = [key for key in keys if key != "model"]
    ends = [f"{metric}_low", f"{metric}_high"] if f"{metric}_low" in result.columns else []
    table = _columns(result, keys, [*(["n"] if "n" in result.columns else []), metric, *ends])
    times = [key for key in slices if is_time(result[key])]
    words = "with its interval" if ends else ""
    if len(slices) == 1 and times:
        series = _series(result, [key for key in keys if key == "model"], slices[0], metric, marked=True)
        title, words = f"{metric} by {slices[0]}", f"{metric} over {slices[0]} {words}".strip() + "."
        return lines(title, words, series, (slices[0], metric), table, level=level)
    return dots(f"{metric} by {', '.join(slices) or 'model'}", f"{metric} {words}".strip() + " in each slice.",
                series, slice_texts(result, slices), metric, table, level)  # fmt: skip


def differences(result: pd.DataFrame, keys: Sequence[str], metric: str | None) -> Chart:
    """How far models are from the baseline: a panel for each metric, whose units have nothing in common."""
    names = list(dict.fromkeys(result["metric"].tolist()))
    if metric is not None and metric not in names:
        raise BadParameter(f"there is no metric {metric!r} in the result{did_you_mean(metric, names)}")
    baseline = text_of(result["baseline"].iloc[0])
    body, top, tables = "", 0, []
    for name in [metric] if metric is not None else names:
        panel = by_slices(result[result["metric"] == name], keys, "difference", level=0)
        title = f'<text x="{_LEFT}" y="{top + _LEGEND - 4}" font-weight="bold" fill="currentColor">{_text(name)}</text>'
        body += f'{title}<g transform="translate(0 {top + _LEGEND})">{panel.body}</g>'
        top += _LEGEND + panel.height
        tables.append(panel.table.assign(metric=name))
    return Chart(
        f"difference from {baseline}",
        f"The difference of each model from {baseline}, with its interval, in a panel for each metric.",
        body, _WIDTH, top, pd.concat(tables, ignore_index=True),
    )  # fmt: skip


def histogram(result: pd.DataFrame, keys: Sequence[str]) -> Chart:
    """The scores of the positives, and those of the negatives."""
    series: list[Series] = []
    for name, shares in (("positives", "share_of_positives"), ("negatives", "share_of_negatives")):
        ends = zip(_series(result, keys, "lower", shares), _series(result, keys, "upper", shares), strict=True)
        for begins, closes in ends:
            steps: list[tuple[Any, float | None]] = []
            for (lower, share), (upper, _) in zip(begins.points, closes.points, strict=True):
                # A bin without rows is not there: the outline goes down to nothing beside it.
                beside = bool(steps) and math.isclose(steps[-1][0], lower, rel_tol=1e-9, abs_tol=(upper - lower) * 1e-6)
                steps = [*steps[:-1], (lower, share)] if beside else [*steps, (lower, 0.0), (lower, share)]
                steps += [(upper, share), (upper, 0.0)]
            words = ", ".join(filter(None, [begins.name, name]))
            series.append(Series(words, steps, number=len(series), filled=True))
    return lines(
        "Scores by class",
        "Share of the positives, and of the negatives, in equal steps of the score.",
        series,
        ("score", "share of the class"),
        _columns(result, keys, ["bin", "lower", "upper", "rows", "positives", "negatives"]),
        ends=((None, None), (0, None)),
    )


def depths(result: pd.DataFrame, keys: Sequence[str]) -> Chart:
    """NDCG over the depth of the lists."""
    return lines(
        "NDCG by depth",
        "NDCG at each depth of the lists, with its interval.",
        _series(result, keys, "k", "ndcg", marked=True),
        ("k", "ndcg"),
        _columns(result, keys, ["k", "ndcg", "ndcg_low", "ndcg_high"]),
    )


#: What draws the result of a metric that is a table.
DRAWN: Mapping[str, Callable[[pd.DataFrame, Sequence[str]], Chart]] = {
    "roc_curve": roc,
    "pr_curve": pr,
    "calibration_curve": calibration,
    "lift_table": lift,
    "score_histogram": histogram,
}


# ---- from results to series ------------------------------------------------------------------------------------------


def _columns(result: pd.DataFrame, keys: Sequence[str], names: Sequence[str], drawn: str = "") -> pd.DataFrame:
    """The columns of a table below a picture; what is drawn has its interval beside it."""
    ends = [end for end in (f"{drawn}_low", f"{drawn}_high") if end in result.columns]
    place = names.index(drawn) + 1 if drawn else 0
    table = result[[*keys, *names[:place], *ends, *names[place:]]]
    return table.loc[:, ~table.columns.duplicated()]


def _series(result: pd.DataFrame, keys: Sequence[str], x: str | None, y: str, marked: bool = False) -> list[Series]:
    """One per model and slice; without `x` the points stand at the place of their slice."""
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(slice_texts(result, keys)):
        rows.setdefault(name, []).append(row)
    shown = table_of(result)
    column = {name: position for position, name in reversed(list(enumerate(shown.columns)))}
    low, high = column.get(f"{y}_low"), column.get(f"{y}_high")
    places: dict[str, int] = {}
    others = [key for key in result.attrs["slices"] if key not in keys]
    for name in slice_texts(result, others):
        places.setdefault(name, len(places))
    at = [places[name] for name in slice_texts(result, others)]
    found = []
    for number, (name, own) in enumerate(rows.items()):
        points = [(at[row] if x is None else shown.rows[row][column[x]], shown.rows[row][column[y]]) for row in own]
        intervals = (
            [] if low is None or high is None else [(shown.rows[row][low], shown.rows[row][high]) for row in own]
        )
        # Of points with marks one that is undefined leaves a gap: the line does not say what is not known.
        kept = [place for place, (at_x, at_y) in enumerate(points) if at_x is not None and (marked or _drawable(at_y))]
        found.append(
            Series(
                name,
                [(points[one][0], points[one][1] if _drawable(points[one][1]) else None) for one in kept],
                [intervals[one] for one in kept] if intervals else (),
                number,
                marked,
            )
        )
    return found


def slice_texts(result: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """What each row is a slice of, in words; the name of a column alone where there are several."""
    table = table_of(result[list(keys)]) if keys else None
    if table is None:
        return [""] * len(result)
    texts = []
    for row in table.rows:
        cells = [text_of(value) for value in row]
        named = [
            cell if key == "model" or len(keys) == 1 else f"{key} {cell}" for key, cell in zip(keys, cells, strict=True)
        ]
        texts.append(", ".join(named))
    return texts


def text_of(value: Any) -> str:
    """A slice's value in words; a missing one is NULL, and the text of these letters has quotes."""
    if value is None:
        return "NULL"
    if isinstance(value, str) and value.strip('"') in ("NULL", ""):
        return f'"{value}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return printable(str(value))


def is_time(column: pd.Series[Any]) -> bool:
    """Whether a column holds days or times, of years that Python has."""
    values = [value for (value,) in table_of(column.to_frame()).rows if value is not None]
    return bool(values) and all(isinstance(value, datetime.date) for value in values)


def _numbers(values: Iterable[Any]) -> list[float]:
    return [float(value) for value in values if _drawable(value)]


def _drawable(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


# ---- paper -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Axis:
    """Where a value goes: from its ends to the ends of a stretch of the paper."""

    low: float
    high: float
    begin: float
    end: float

    def __call__(self, value: float) -> float:
        """The place of a value."""
        return self.begin + (value - self.low) / ((self.high - self.low) or 1) * (self.end - self.begin)

    def ticks(self, count: int = 5) -> list[float]:
        """Round numbers between its ends."""
        wide = self.high - self.low
        if not wide > 0:
            return [self.low]
        rough = wide / count
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(one * power for one in (1, 2, 2.5, 5, 10) if one * power >= rough * 0.999)
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
    days = any(isinstance(x, datetime.date) for one in series for x, _ in one.points)
    # A day without any other is drawn as well as a week.
    place = _time_of if days else float
    width, height = _WIDTH, 400 if square else 300
    below = 74 if counts else 0
    shown = [one for one in series if one.name]
    bottom = height - _BOTTOM
    legend = _LEGEND * math.ceil(len(shown) / _legend_columns(shown, width)) if shown else 0
    top = _TOP + legend
    height, bottom = height + legend + below, bottom + legend
    xs = [place(x) for one in series for x, _ in one.points]
    ys = [y for one in series for _, y in one.points if y is not None]
    ys += [end for one in series for pair in one.intervals for end in pair if _drawable(end) and end is not None]
    ys += [] if level is None else [level]
    x_axis = _Axis(*_ends(xs, ends[0]), _LEFT, width - _RIGHT)
    y_axis = _Axis(*_ends(ys, ends[1]), bottom, top)
    body = [_legend(shown, width)]
    body += _axis_left(y_axis, names[1], width)
    x_texts = _days(series) if days else [(tick, number_text(tick)) for tick in _fitting_ticks(x_axis, names[0])]
    body += _axis_below(x_axis, x_texts, names[0], top, bottom, height - 8)
    if diagonal:
        low, high = max(x_axis.low, y_axis.low), min(x_axis.high, y_axis.high)
        body.append(_reference(x_axis(low), y_axis(low), x_axis(high), y_axis(high)))
    if level is not None:
        body.append(_reference(_LEFT, y_axis(level), width - _RIGHT, y_axis(level)))
    for one in series:
        body += _line(one, x_axis, y_axis, place)
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
    width, each = _WIDTH, 16 + 8 * max(len(series) - 1, 0)
    shown = [one for one in series if one.name]
    legend = _LEGEND * math.ceil(len(shown) / _legend_columns(shown, width)) if shown else 0
    top = _TOP + legend
    bottom = top + each * len(texts) + 6
    left = max(_LEFT, min(12 + 8 * max((len(text) for text in texts), default=0), 190))
    values = [y for one in series for _, y in one.points if y is not None] + ([] if level is None else [level])
    values += [end for one in series for pair in one.intervals for end in pair if _drawable(end) and end is not None]
    axis = _Axis(*_ends(values, (None, None)), left, width - _RIGHT)
    body = [_legend(shown, width)]
    body += _axis_below(
        axis, [(tick, number_text(tick)) for tick in axis.ticks()], name, top, bottom, bottom + 38, left
    )
    if level is not None:
        body.append(_reference(axis(level), top, axis(level), bottom))
    for row, text in enumerate(texts):
        y = top + each * (row + 0.5) + 3
        body.append(_label(left - 6, y + 4, _short(text, 22), "end"))
    for one in series:
        colour, mark = _look(one.number)
        shift = (one.number - (len(series) - 1) / 2) * 8
        for position, (x, value) in enumerate(one.points):
            if not isinstance(x, int) or x >= len(texts) or value is None:
                continue
            y = top + each * (x + 0.5) + 3 + shift
            low, high = one.intervals[position] if one.intervals else (None, None)
            if low is not None and high is not None and _drawable(low) and _drawable(high):
                body.append(
                    f'<path class="{mark}" stroke="{colour}" stroke-width="1.5" '
                    f'd="M{_at(axis(low))} {_at(y)}H{_at(axis(high))}"/>'
                )
            body.append(_mark(axis(value), y, one.number))
    return Chart(title, description, "".join(body), width, math.ceil(bottom + _BOTTOM), table)


def _ends(values: Sequence[float], wanted: tuple[float | None, float | None]) -> tuple[float, float]:
    """Where an axis begins and ends: as wanted, or a little around its values."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    room = (high - low) * 0.05 or abs(high) * 0.05 or 0.5
    return (low - room if wanted[0] is None else wanted[0], high + room if wanted[1] is None else wanted[1])


def _time_of(value: Any) -> float:
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=value.tzinfo or datetime.timezone.utc).timestamp()
    return datetime.datetime(value.year, value.month, value.day, tzinfo=datetime.timezone.utc).timestamp()


def _days(series: Sequence[Series]) -> list[tuple[float, str]]:
    """Some of the days that there are, as many as have room for their names."""
    known = sorted({x for one in series for x, _ in one.points}, key=_time_of)
    room = (_WIDTH - _LEFT - _RIGHT) // (_LETTER * (max((len(str(one)) for one in known), default=1) + 2))
    step = math.ceil(len(known) / max(int(room), 1))
    return [(_time_of(one), str(one)) for one in known[::step]]


def _fitting_ticks(axis: _Axis, name: str) -> list[float]:
    ticks = axis.ticks()
    # Bins have whole numbers.
    return [tick for tick in ticks if tick.is_integer()] if name.startswith("bin") else ticks


def number_text(value: float) -> str:
    """A number of an axis."""
    if value == 0:
        return "0"
    if abs(value) >= 10_000 and abs(value) < 1e15 and value == int(value):
        return f"{int(value):,}"
    return f"{value:.4g}"


def _text(text: str) -> Markup:
    return escape(printable(text))


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _at(value: float) -> str:
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def _label(x: float, y: float, text: str, anchor: str = "middle", turn: str = "") -> str:
    return f'<text x="{_at(x)}" y="{_at(y)}" fill="currentColor" text-anchor="{anchor}"{turn}>{_text(text)}</text>'


def _look(number: int) -> tuple[str, str]:
    """The colour of a series, and the class by which a style sheet gives it another one in the dark."""
    return COLOURS[number % len(COLOURS)], f"m{number % len(COLOURS)}"


def _axis_left(axis: _Axis, name: str, width: float) -> list[str]:
    parts = []
    for tick in axis.ticks():
        y = axis(tick)
        parts.append(f'<path stroke="currentColor" stroke-opacity=".15" d="M{_LEFT} {_at(y)}H{_at(width - _RIGHT)}"/>')
        parts.append(_label(_LEFT - 6, y + 4, number_text(tick), "end"))
    middle = (axis.begin + axis.end) / 2
    parts.append(_label(14, middle, name, "middle", f' transform="rotate(-90 14 {_at(middle)})"'))
    return parts


def _axis_below(
    axis: _Axis, ticks: Sequence[tuple[float, str]], name: str, top: float, bottom: float, foot: float,
    left: float = _LEFT,
) -> list[str]:  # fmt: skip
    parts = [
        f'<path stroke="currentColor" stroke-opacity=".6" d="M{_at(left)} {_at(top)}V{_at(bottom)}H{_at(axis.end)}"/>'
    ]
    for tick, text in ticks:
        x = axis(tick)
        parts.append(f'<path stroke="currentColor" stroke-opacity=".6" d="M{_at(x)} {_at(bottom)}v4"/>')
        # The name of the last day would reach out of the paper.
        parts.append(_label(min(x, _WIDTH - _LETTER / 2 * len(text) - 2), bottom + 17, text))
    parts.append(_label((axis.begin + axis.end) / 2, foot, name))
    return parts


def _reference(x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<path stroke="currentColor" stroke-opacity=".5" stroke-dasharray="3 3" '
        f'd="M{_at(x1)} {_at(y1)}L{_at(x2)} {_at(y2)}"/>'
    )


def _line(one: Series, x_axis: _Axis, y_axis: _Axis, place: Callable[[Any], float]) -> list[str]:
    colour, name = _look(one.number)
    stretches = _stretches(one)
    parts = []
    for stretch in stretches:
        band = [
            (x_axis(place(one.points[row][0])), y_axis(low), y_axis(high))
            for row in stretch
            for low, high in one.intervals[row : row + 1]
            if low is not None and high is not None and _drawable(low) and _drawable(high)
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
    dashes = DASHES[one.number % len(DASHES)]
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    drawn = [[(x_axis(place(x)), y_axis(y)) for x, y in one.points[rows[0] : rows[-1] + 1] if y is not None]
             for rows in stretches]  # fmt: skip
    points = [point for stretch in drawn for point in stretch]
    path = "M".join("L".join(f"{_at(x)} {_at(y)}" for x, y in _apart(stretch)) for stretch in drawn)
    if path:
        parts.append(f'<path class="{name}" stroke="{colour}" stroke-width="2"{dashed} d="M{path}"/>')
    if one.filled and path:
        floor = _at(y_axis.begin)
        foot = f"L{_at(points[-1][0])} {floor}L{_at(points[0][0])} {floor}Z"
        parts.insert(0, f'<path class="{name} band" fill="{colour}" fill-opacity=".15" d="M{path}{foot}"/>')
    # Of a single point a line shows nothing.
    if one.marked or len(points) == 1:
        parts += [_mark(x, y, one.number) for x, y in points]
    return parts


def _stretches(one: Series) -> list[list[int]]:
    """The points between those that are undefined, by their places."""
    found: list[list[int]] = [[]]
    for row, (_, y) in enumerate(one.points):
        if y is not None:
            found[-1].append(row)
        elif found[-1]:
            found.append([])
    return [rows for rows in found if rows]


def _apart(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points without those that nobody could tell from the one before; the last one stays."""
    kept: list[tuple[float, float]] = []
    for place, point in enumerate(points):
        if place in (0, len(points) - 1) or math.dist(point, kept[-1]) >= _NEAR:
            kept.append(point)
    return kept


def _mark(x: float, y: float, number: int) -> str:
    """A circle, a square, a triangle, a diamond …: the form tells the series too."""
    colour, name = _look(number)
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
    longest = max((len(_short(one.name, 40)) for one in shown), default=1)
    return max(int((width - _LEFT) // (longest * 7 + 44)), 1)


def _legend(shown: Sequence[Series], width: float) -> str:
    columns = _legend_columns(shown, width)
    wide = (width - _LEFT) / columns
    parts = []
    for place, one in enumerate(shown):
        x, y = _LEFT + place % columns * wide, 14 + place // columns * _LEGEND
        colour, name = _look(one.number)
        dashes = DASHES[one.number % len(DASHES)]
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        parts.append(f'<path class="{name}" stroke="{colour}" stroke-width="2"{dashed} d="M{_at(x)} {y - 4}h26"/>')
        if one.marked:
            parts.append(_mark(x + 13, y - 4, one.number))
        parts.append(_label(x + 32, y, _short(one.name, 40), "start"))
    return "".join(parts)


def _counts(counts: Sequence[Series], axis: _Axis, top: float, bottom: float) -> list[str]:
    """How many rows stand at each point, as sticks below the picture."""
    most = max([y for one in counts for _, y in one.points if y is not None], default=1) or 1
    high = _Axis(0, most, bottom, top)
    parts = [
        f'<path stroke="currentColor" stroke-opacity=".6" d="M{_LEFT} {_at(bottom)}H{_at(axis.end)}"/>',
        _label(_LEFT - 6, top + 6, number_text(most), "end"),
        _label(_LEFT - 6, bottom + 2, "rows", "end"),
    ]
    for one in counts:
        colour, name = _look(one.number)
        shift = (one.number - (len(counts) - 1) / 2) * 4
        parts += [
            f'<path class="{name}" stroke="{colour}" stroke-width="3" '
            f'd="M{_at(axis(float(x)) + shift)} {_at(bottom)}V{_at(high(y))}"/>'
            for x, y in one.points
            if y
        ]
    return parts
