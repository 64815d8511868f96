"""Charts of table metrics, of metrics by slices, and of comparisons."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import pandas as pd

from ..catalogue.registry import catalogue
from ..catalogue.vocabulary import MEASURED_DIAGNOSTICS
from ..errors import BadParameter, did_you_mean, raised_at_caller
from ..tables import table_of
from .cells import to_records
from .forest import MOST_PANELS, ForestPanel, ForestRow, forest
from .labels import is_time, slice_texts, text_of
from .lines import Series, dots, lines
from .svg import Chart, describe_omitted, is_drawable, label

#: The width of pictures of several panels.
_WIDE = 640
#: The height of each of several panels over the same days.
_LOW = 170
_NO_VALUES: Mapping[str, str] = MappingProxyType({})
#: The distances of `drift` that do not depend on the unit of a column.
_DISTANCES = ("psi", "ks_distance", "jensen_shannon")


@dataclass(frozen=True)
class Panel:
    """Of several panels, the first has the legend, and the last the labels of the days."""

    has_legend: bool
    has_foot: bool


@raised_at_caller
def plot(result: pd.DataFrame, metric: str | None = None) -> Chart:
    """Plot a result: a curve or table metric, values by slice, differences of models or slices, or drift.

    The plot shows intervals if the result has them. Several models and slices share one plot; several metrics have a
    panel each, at most 12. The result of `compare` is a forest plot, whose rows are in the order of the result: each
    has the difference, its interval and the verdict. `gaps` is drawn in the same form, and `drift` by column.

    Args:
        result: The result of `evaluate`, `compare`, `gaps`, `drift` or the function of a metric.
        metric: The metric to plot if the result has several, by default all. For `drift`: psi (the default),
            ks_distance or jensen_shannon.

    Returns:
        A chart that a notebook displays: `chart.svg` is its SVG, `chart.save("curve.svg")` writes it, `chart.table` has
        its numbers. `chart.save("curve.png")` needs `pip install 'sqlmetrics[png]'`.

    Raises:
        BadParameter: The result has no plot, or does not have the metric.

    Example:
        >>> import pandas as pd, sqlmetrics
        >>> log = pd.DataFrame({"clicked": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> chart = sqlmetrics.plot(sqlmetrics.roc_curve(log, label="clicked", score="score"))
        >>> chart.title, chart.svg[:4]
        ('ROC curve', '<svg')
    """
    is_result = isinstance(result, pd.DataFrame) and "slices" in result.attrs
    is_drift = is_result and {"column_name", *_DISTANCES} <= {*result.columns}
    if not is_drift and not (is_result and "metrics" in result.attrs):
        raise BadParameter("plot needs the result of evaluate, compare, gaps, drift or the function of a metric")
    if result.empty:
        raise BadParameter("the result has no rows: there is nothing to plot")
    keys, columns = list(result.attrs["slices"]), {*result.columns}
    if is_drift:
        return drift_by_column(result, keys, _known(metric, _DISTANCES) or "psi")
    requested = list(map(str, result.attrs["metrics"]))
    drawn = CHARTS.get(requested[0])
    if drawn is not None:
        return drawn(result, keys)
    if {"metric", "difference"} <= columns:
        shown = result if metric is None else rows_of_metric(result, metric)
        return differences(shown, keys) if "baseline" in columns else gaps_of(shown, keys)
    names = value_columns(result)
    _known(metric, names)
    if not names or any(catalogue()[name].table for name in requested if name in catalogue().metrics):
        raise BadParameter(f"there is no plot of {', '.join(requested)}; {', '.join(CHARTS)} have one")
    return panels_of(result, keys, names if metric is None else [metric])


def _known(metric: str | None, names: Sequence[str]) -> str | None:
    if metric is not None and metric not in names:
        raise BadParameter(f"there is no metric {metric!r} in the result{did_you_mean(metric, names)}")
    return metric


def rows_of_metric(result: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the rows of a metric of a comparison, with the attributes of a comparison of this metric alone."""
    names = list(dict.fromkeys(result["metric"].tolist()))
    _known(metric, names)
    rows = result[result["metric"] == metric].reset_index(drop=True)
    requested = result.attrs["metrics"]
    if len(requested) == len(names):
        rows.attrs = {**result.attrs, "metrics": [requested[names.index(metric)]]}
    return rows


def value_columns(result: pd.DataFrame) -> list[str]:
    """Return the columns of a result that hold the values of metrics."""
    names = [str(name) for name in result.columns]
    numbers = [name for name in names if pd.api.types.is_float_dtype(result[name].dtype)]
    ends = {f"{name}{end}" for name in names for end in ("_low", "_high", "_se", "_clusters")}
    others = {*ends, *result.attrs["slices"], *MEASURED_DIAGNOSTICS}
    return [name for name in numbers if name not in others]


def roc(result: pd.DataFrame, keys: Sequence[str], values: Mapping[str, str] = _NO_VALUES) -> Chart:
    """True positive rate over false positive rate; the legend adds the text that `values` has for a series."""
    return lines(
        "ROC curve",
        "True positive rate over false positive rate; the diagonal is a model that knows nothing.",
        _with_values(series_of(result, keys, "fpr", "tpr"), values),
        ("false positive rate", "true positive rate"),
        columns_of(result, keys, ["threshold", "fpr", "tpr"], "tpr"),
        ends=((0, 1), (0, 1)),
        diagonal=True,
        square=True,
    )


def pr(result: pd.DataFrame, keys: Sequence[str], values: Mapping[str, str] = _NO_VALUES) -> Chart:
    """Precision over recall; `values` as for `roc`."""
    return lines(
        "Precision-recall curve",
        "Precision over recall: the share of positives among the rows above a threshold, over the share found there.",
        _with_values(series_of(result, keys, "recall", "precision"), values),
        ("recall", "precision"),
        columns_of(result, keys, ["threshold", "recall", "precision"], "precision"),
        ends=((0, 1), (0, None)),
        square=True,
    )


def calibration(result: pd.DataFrame, keys: Sequence[str], values: Mapping[str, str] = _NO_VALUES) -> Chart:
    """The rate of positives over the mean score, with the rows of bins of unequal size below; `values` as for `roc`."""
    highest = "rate_high" if "rate_high" in result.columns else "rate"
    top = 1.04 * max(
        [*_numbers(result["mean_score"]), *_numbers(result["rate"]), *_numbers(result[highest])], default=1.0
    )
    counts = series_of(result, keys, "mean_score", "rows")
    # Bins of equal size need no bars.
    is_equal = all(
        max(rows) <= 1.1 * min(rows) for rows in ([y or 0 for _, y in bars.points] for bars in counts) if rows
    )
    return lines(
        "Calibration",
        "Rate of positives over mean score, bin by bin; on the diagonal positives come as often as predicted."
        + ("" if is_equal else " Below, the rows of each bin."),
        _with_values(series_of(result, keys, "mean_score", "rate", marked=True), values),
        ("mean score", "rate of positives"),
        columns_of(result, keys, ["bin", "rows", "mean_score", "rate", "copc"], "rate"),
        ends=((0, top), (0, top)),
        diagonal=True,
        square=True,
        counts=() if is_equal else counts,
    )


def copc_by_score(result: pd.DataFrame, keys: Sequence[str]) -> Chart:
    """Clicks over predicted clicks by score bin."""
    return lines(
        "COPC by score",
        "Positives over predicted positives, over the mean score of the bin; 1 is calibrated, above it the model "
        "predicts too little.",
        series_of(result, keys, "mean_score", "copc", marked=True),
        ("mean score", "copc"),
        columns_of(result, keys, ["bin", "rows", "mean_score", "copc"], "copc"),
        ends=((0, None), (0, None)),
        level=1,
    )


def lift(result: pd.DataFrame, keys: Sequence[str]) -> Chart:
    """Lift of each bin of the highest scores."""
    return lines(
        "Lift",
        "Rate of positives in each bin of equally many rows over the rate of all, from the highest scores down; 1 is "
        "chance.",
        series_of(result, keys, "bin", "lift", marked=True),
        ("bin, 1 has the highest scores", "lift"),
        columns_of(result, keys, ["bin", "rows", "positives", "rate", "gain", "lift", "cumulative_lift"], "lift"),
        ends=((None, None), (0, None)),
        level=1,
    )


def by_slices(
    result: pd.DataFrame, keys: Sequence[str], metric: str, level: float | None = None, panel: Panel | None = None
) -> Chart:
    """A metric by slices, with its intervals: days as a line, other slices as dots."""
    models, slices = [key for key in keys if key == "model"], [key for key in keys if key != "model"]
    over_time = len(slices) == 1 and is_time(result[slices[0]])
    series = series_of(result, models, slices[0] if over_time else None, metric, marked=True)
    if panel is not None and not panel.has_legend:
        series = [replace(curve, name="") for curve in series]
    ends = [f"{metric}_low", f"{metric}_high"] if f"{metric}_low" in result.columns else []
    table = columns_of(result, keys, [*(["n"] if "n" in result.columns else []), metric, *ends])
    description = "with its interval" if ends else ""
    title, axis_name = f"{metric} by {', '.join(slices) or 'model'}", "" if panel else metric
    if not over_time:
        return dots(title, f"{metric} {description}".strip() + " in each slice.",
                    series, slice_texts(result, slices), axis_name, table, level)  # fmt: skip
    description = f"{metric} over {slices[0]} {description}".strip() + "."
    names, height = (slices[0], axis_name), _LOW if panel else 300
    foot = panel is None or panel.has_foot
    return lines(title, description, series, names, table, level=level, height=height, foot=foot)


def panels_of(result: pd.DataFrame, keys: Sequence[str], names: Sequence[str]) -> Chart:
    """A panel for each metric by slice; panels over days share the labels of the last."""
    shown = names[:MOST_PANELS]
    if len(names) == 1:
        return by_slices(result, keys, names[0])
    body, top, charts = "", 0, []
    for position, name in enumerate(shown):
        panel = by_slices(result, keys, name, panel=Panel(position == 0, position == len(shown) - 1))
        charts.append(panel)
        heading = label(0, top + 14, name, "start", ' font-weight="bold"')
        body += f'{heading}<g transform="translate(0 {top + 16})">{panel.body}</g>'
        top += 24 + panel.height
    slices = ", ".join(key for key in keys if key != "model") or "model"
    # The first panel says which slices are omitted.
    omitted = describe_omitted(len(names), MOST_PANELS, "metrics")
    omitted += charts[0].description.partition("in each slice.")[2]
    table = pd.concat([panel.table for panel in charts], axis=1)
    return Chart(
        f"{', '.join(shown) if len(shown) < 4 else f'{len(shown)} metrics'} by {slices}",
        f"{', '.join(shown)} by {slices}, in a panel for each metric.{omitted}",
        body, charts[0].width, top - 8, table.loc[:, ~table.columns.duplicated()],
    )  # fmt: skip


def drift_by_column(result: pd.DataFrame, keys: Sequence[str], distance: str) -> Chart:
    """The distance of each column between two relations, from 0."""
    rows = result.copy()
    rows.attrs = {"slices": [*keys, "column_name"]}
    series = series_of(rows, keys, None, distance, marked=True)
    table = columns_of(rows, ["column_name", *keys], [distance])
    names = slice_texts(rows, ["column_name"])
    return dots(f"{distance} by column", f"{distance} of each column between the reference and the current rows.",
                series, names, distance, table, level=0)  # fmt: skip


def gaps_of(result: pd.DataFrame, keys: Sequence[str], width: int = _WIDE) -> Chart:
    """Differences between the highest and the lowest slice: a panel for each metric."""
    slices = [key for key in keys if key.startswith(("highest_", "lowest_"))]
    names = slice_texts(result, [key for key in keys if key not in ("metric", *slices)])
    highest, lowest = (
        slice_texts(result, [key for key in slices if key.startswith(end)]) for end in ("highest_", "lowest_")
    )
    rows: dict[str, list[ForestRow]] = {}
    for row, *texts in zip(to_records(result), names, highest, lowest, strict=True):
        name = f"{texts[0]}: {texts[1]} − {texts[2]}".removeprefix(": ")
        ends = row.get("difference_low"), row.get("difference_high")
        rows.setdefault(row["metric"], []).append(ForestRow(name, row["difference"], *ends, "gap"))
    panels = [ForestPanel(name, panel) for name, panel in rows.items()]
    description = "The highest minus the lowest slice of each metric, in a panel for each metric."
    table = columns_of(result, keys, ["difference"], "difference")
    return forest("Gaps between slices", description, panels, table, width)


def differences(result: pd.DataFrame, keys: Sequence[str], width: int = _WIDE) -> Chart:
    """Differences of models from the baseline, with verdicts: a panel for each metric, its rows in their order."""
    names = list(dict.fromkeys(result["metric"].tolist()))
    better = _directions(result, names)
    table = columns_of(
        result, ["metric", *keys], ["difference", "difference_low", "difference_high", "verdict"], "difference"
    )
    models = list(dict.fromkeys(slice_texts(result, [key for key in keys if key == "model"])))
    slices = slice_texts(result, [key for key in keys if key != "model"])
    rows: dict[str, list[ForestRow]] = {}
    for row, text, model in zip(to_records(result), slices, slice_texts(result, ["model"]), strict=True):
        name, group = (model, text) if len(models) > 1 else (text or model, "")
        ends = row["difference_low"], row["difference_high"]
        rows.setdefault(row["metric"], []).append(ForestRow(name, row["difference"], *ends, row["verdict"], group))
    panels = [ForestPanel(name, panel, better.get(name)) for name, panel in rows.items()]
    baseline = text_of(result["baseline"].iloc[0])
    title = f"Difference from {baseline}" if len(models) > 1 else f"{models[0]} compared with {baseline}"
    description = (
        f"The difference of each model from {baseline} with its interval, in a panel for each metric. "
        "The marks show the verdicts, which account for the number of tests."
    )
    return forest(title, description, panels, table, width)


def _directions(result: pd.DataFrame, names: Sequence[str]) -> dict[str, str | None]:
    """Return the direction of each metric of a result, which may have a name of its own."""
    files = [str(name) for name in result.attrs["metrics"]]
    metrics = catalogue().metrics
    pairs = zip(names, files if len(files) == len(names) else names, strict=True)
    return {name: metrics[file].direction for name, file in pairs if file in metrics}


def outline(begins: Series, closes: Series) -> list[tuple[Any, float | None]]:
    """Return the outline of bins from their lower and upper edges."""
    steps: list[tuple[Any, float | None]] = []
    for (lower, share), (upper, _) in zip(begins.points, closes.points, strict=True):
        # Bins without rows are missing: the outline drops to zero next to them.
        is_adjacent = bool(steps) and math.isclose(steps[-1][0], lower, rel_tol=1e-9, abs_tol=(upper - lower) * 1e-6)
        steps = [*steps[:-1], (lower, share)] if is_adjacent else [*steps, (lower, 0.0), (lower, share)]
        steps += [(upper, share), (upper, 0.0)]
    return steps


def histogram(result: pd.DataFrame, keys: Sequence[str]) -> Chart:
    """The scores of the positives, and those of the negatives."""
    series: list[Series] = []
    for name, shares in (("positives", "share_of_positives"), ("negatives", "share_of_negatives")):
        ends = zip(series_of(result, keys, "lower", shares), series_of(result, keys, "upper", shares), strict=True)
        for begins, closes in ends:
            steps = outline(begins, closes)
            text = ", ".join(filter(None, [begins.name, name]))
            series.append(Series(text, steps, number=len(series), filled=True))
    return lines(
        "Scores by class",
        "Share of the positives, and of the negatives, in equal steps of the score.",
        series,
        ("score", "share of the class"),
        columns_of(result, keys, ["bin", "lower", "upper", "rows", "positives", "negatives"]),
        ends=((None, None), (0, None)),
    )


#: The chart functions of table metrics.
CHARTS: Mapping[str, Callable[[pd.DataFrame, Sequence[str]], Chart]] = {
    "roc_curve": roc,
    "pr_curve": pr,
    "calibration_curve": calibration,
    "lift_table": lift,
    "score_histogram": histogram,
}


def columns_of(result: pd.DataFrame, keys: Sequence[str], names: Sequence[str], drawn: str = "") -> pd.DataFrame:
    """Return the columns of a table below a chart; the drawn column has its interval next to it."""
    ends = [end for end in (f"{drawn}_low", f"{drawn}_high") if end in result.columns]
    position = names.index(drawn) + 1 if drawn else 0
    table = result[[*keys, *names[:position], *ends, *names[position:]]]
    return table.loc[:, ~table.columns.duplicated()]


def series_of(result: pd.DataFrame, keys: Sequence[str], x: str | None, y: str, marked: bool = False) -> list[Series]:
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


def _with_values(series: Sequence[Series], values: Mapping[str, str]) -> list[Series]:
    return [replace(curve, value=values.get(curve.name, "")) for curve in series]


def _numbers(values: Iterable[Any]) -> list[float]:
    return [float(value) for value in values if is_drawable(value)]
