"""Charts of table metrics, of metrics by slices, and of comparisons."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from ..catalogue.registry import catalogue
from ..errors import BadParameter, did_you_mean, raised_at_caller
from ..tables import table_of
from .labels import is_time, slice_texts, text_of
from .svg import LEFT, LEGEND, WIDTH, Chart, Series, dots, escaped, is_drawable, lines


@raised_at_caller
def plot(result: pd.DataFrame, metric: str | None = None) -> Chart:
    """Plot a result: a curve or table metric, values by slice, or the differences of a comparison.

    The plot shows intervals if the result has them. Several models and slices share one plot; a comparison has a panel
    for each metric.

    Args:
        result: The result of `evaluate`, `compare` or the function of a metric.
        metric: The metric to plot if the result has several. By default the first; for a comparison all.

    Returns:
        A chart that a notebook displays: `chart.svg` is its SVG, `chart.save("curve.svg")` writes it, `chart.table` has
        its numbers.

    Raises:
        BadParameter: The result has no plot, or does not have the metric.

    Example:
        >>> import pandas as pd, sqlmetrics
        >>> log = pd.DataFrame({"clicked": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> chart = sqlmetrics.plot(sqlmetrics.roc_curve(log, label="clicked", score="score"))
        >>> chart.title, chart.svg[:4]
        ('ROC curve', '<svg')
    """
    if not isinstance(result, pd.DataFrame) or "metrics" not in result.attrs:
        raise BadParameter("plot needs the result of evaluate, compare or the function of a metric")
    keys = list(result.attrs["slices"])
    drawn = CHARTS.get(str(result.attrs["metrics"][0]))
    if result.empty:
        raise BadParameter("the result has no rows: there is nothing to plot")
    if drawn is not None:
        return drawn(result, keys)
    if {"metric", "baseline", "difference"} <= {*result.columns}:
        return differences(result, keys, metric)
    names = value_columns(result)
    if metric is not None and metric not in names:
        raise BadParameter(f"there is no metric {metric!r} in the result{did_you_mean(metric, names)}")
    if not names or any(catalogue()[name].table for name in result.attrs["metrics"] if name in catalogue().metrics):
        raise BadParameter(f"there is no plot of {result.attrs['metrics'][0]}; {', '.join(CHARTS)} have one")
    return by_slices(result, keys, metric or names[0])


def value_columns(result: pd.DataFrame) -> list[str]:
    """Return the columns of a result that hold the values of metrics."""
    names = [str(name) for name in result.columns]
    numbers = [name for name in names if pd.api.types.is_float_dtype(result[name].dtype)]
    ends = {f"{name}{end}" for name in names for end in ("_low", "_high", "_se", "_clusters")}
    return [name for name in numbers if name not in ends and name not in result.attrs["slices"] and name != "positives"]


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
    description = "with its interval" if ends else ""
    if len(slices) == 1 and times:
        series = _series(result, [key for key in keys if key == "model"], slices[0], metric, marked=True)
        title, description = f"{metric} by {slices[0]}", f"{metric} over {slices[0]} {description}".strip() + "."
        return lines(title, description, series, (slices[0], metric), table, level=level)
    return dots(f"{metric} by {', '.join(slices) or 'model'}", f"{metric} {description}".strip() + " in each slice.",
                series, slice_texts(result, slices), metric, table, level)  # fmt: skip


def differences(result: pd.DataFrame, keys: Sequence[str], metric: str | None) -> Chart:
    """Differences of models from the baseline: a panel for each metric, because units differ."""
    names = list(dict.fromkeys(result["metric"].tolist()))
    if metric is not None and metric not in names:
        raise BadParameter(f"there is no metric {metric!r} in the result{did_you_mean(metric, names)}")
    baseline = text_of(result["baseline"].iloc[0])
    body, top, tables = "", 0, []
    for name in [metric] if metric is not None else names:
        panel = by_slices(result[result["metric"] == name], keys, "difference", level=0)
        title = f'<text x="{LEFT}" y="{top + LEGEND - 4}" font-weight="bold" fill="currentColor">{escaped(name)}</text>'
        body += f'{title}<g transform="translate(0 {top + LEGEND})">{panel.body}</g>'
        top += LEGEND + panel.height
        tables.append(panel.table.assign(metric=name))
    return Chart(
        f"difference from {baseline}",
        f"The difference of each model from {baseline}, with its interval, in a panel for each metric.",
        body, WIDTH, top, pd.concat(tables, ignore_index=True),
    )  # fmt: skip


def histogram(result: pd.DataFrame, keys: Sequence[str]) -> Chart:
    """The scores of the positives, and those of the negatives."""
    series: list[Series] = []
    for name, shares in (("positives", "share_of_positives"), ("negatives", "share_of_negatives")):
        ends = zip(_series(result, keys, "lower", shares), _series(result, keys, "upper", shares), strict=True)
        for begins, closes in ends:
            steps: list[tuple[Any, float | None]] = []
            for (lower, share), (upper, _) in zip(begins.points, closes.points, strict=True):
                # Bins without rows are missing: the outline drops to zero next to them.
                is_adjacent = bool(steps) and math.isclose(
                    steps[-1][0], lower, rel_tol=1e-9, abs_tol=(upper - lower) * 1e-6
                )
                steps = [*steps[:-1], (lower, share)] if is_adjacent else [*steps, (lower, 0.0), (lower, share)]
                steps += [(upper, share), (upper, 0.0)]
            label = ", ".join(filter(None, [begins.name, name]))
            series.append(Series(label, steps, number=len(series), filled=True))
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


#: The chart functions of table metrics.
CHARTS: Mapping[str, Callable[[pd.DataFrame, Sequence[str]], Chart]] = {
    "roc_curve": roc,
    "pr_curve": pr,
    "calibration_curve": calibration,
    "lift_table": lift,
    "score_histogram": histogram,
}


def _columns(result: pd.DataFrame, keys: Sequence[str], names: Sequence[str], drawn: str = "") -> pd.DataFrame:
    """Return the columns of a table below a chart; the drawn column has its interval next to it."""
    ends = [end for end in (f"{drawn}_low", f"{drawn}_high") if end in result.columns]
    position = names.index(drawn) + 1 if drawn else 0
    table = result[[*keys, *names[:position], *ends, *names[position:]]]
    return table.loc[:, ~table.columns.duplicated()]


def _series(result: pd.DataFrame, keys: Sequence[str], x: str | None, y: str, marked: bool = False) -> list[Series]:
    """Return a series for each model and slice; without `x` the points are at the position of their slice."""
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(slice_texts(result, keys)):
        rows.setdefault(name, []).append(row)
    shown = table_of(result)
    column = {name: position for position, name in reversed(list(enumerate(shown.columns)))}
    low, high = column.get(f"{y}_low"), column.get(f"{y}_high")
    positions: dict[str, int] = {}
    others = [key for key in result.attrs["slices"] if key not in keys]
    for name in slice_texts(result, others):
        positions.setdefault(name, len(positions))
    at = [positions[name] for name in slice_texts(result, others)]
    series = []
    for number, (name, row_numbers) in enumerate(rows.items()):
        points = [
            (at[row] if x is None else shown.rows[row][column[x]], shown.rows[row][column[y]]) for row in row_numbers
        ]
        intervals = (
            []
            if low is None or high is None
            else [(shown.rows[row][low], shown.rows[row][high]) for row in row_numbers]
        )
        # An undefined point leaves a gap in a line with marks.
        retained = [
            index for index, (at_x, at_y) in enumerate(points) if at_x is not None and (marked or is_drawable(at_y))
        ]
        series.append(
            Series(
                name,
                [(points[index][0], points[index][1] if is_drawable(points[index][1]) else None) for index in retained],
                [intervals[index] for index in retained] if intervals else (),
                number,
                marked,
            )
        )
    return series


def _numbers(values: Iterable[Any]) -> list[float]:
    return [float(value) for value in values if is_drawable(value)]
