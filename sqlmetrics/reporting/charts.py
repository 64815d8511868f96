"""The chart of any result: curves and table metrics, values by slice, comparisons, gaps and drift."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from ..catalogue.registry import catalogue
from ..catalogue.vocabulary import MEASURED_DIAGNOSTICS
from ..errors import BadParameter, did_you_mean, raised_at_caller
from .cells import to_records
from .forest import MOST_PANELS, WIDE, ForestPanel, ForestRow, forest
from .heat import heat_map
from .labels import is_time, slice_texts, text_of, with_slices
from .lines import SQUARE, Plane, Point, Series, dots, lines
from .svg import MOST_ROWS, Chart, describe_omitted, is_drawable, label

#: The height of each of several panels over the same days.
_LOW = 170
#: A confusion matrix of more classes is not readable; the most frequent are drawn.
MOST_CLASSES = 20
_SHARES = ("precision", "recall", "f1")


def _checked_metric(metric: str | None, names: Sequence[str]) -> str | None:
    if metric is not None and metric not in names:
        raise BadParameter(f"there is no metric {metric!r} in the result{did_you_mean(metric, names)}")
    return metric


def rows_of_metric(result: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the rows of a metric of a comparison, with the attributes of a comparison of this metric alone."""
    names = list(dict.fromkeys(result["metric"].tolist()))
    _checked_metric(metric, names)
    rows = result[result["metric"] == metric].reset_index(drop=True)
    requested = result.attrs["metrics"]
    if len(requested) == len(names):
        rows.attrs = {**result.attrs, "metrics": [requested[names.index(metric)]]}
    return rows


def _value_columns(result: pd.DataFrame) -> list[str]:
    names = [str(name) for name in result.columns]
    numbers = [name for name in names if pd.api.types.is_float_dtype(result[name].dtype)]
    ends = {f"{name}{end}" for name in names for end in ("_low", "_high", "_se", "_clusters")}
    others = {*ends, *result.attrs["slices"], *MEASURED_DIAGNOSTICS}
    return [name for name in numbers if name not in others]


def _curve(
    result: pd.DataFrame,
    title: str,
    description: str,
    x: str,
    y: str,
    columns: Sequence[str],
    plane: Plane,
    marked: bool = True,
    counts: Sequence[Series] = (),
    values: Mapping[str, str] | None = None,
) -> Chart:
    """A column over another, with its interval; the table below has `columns`."""
    series = [replace(curve, value=(values or {}).get(curve.name, "")) for curve in _series_of(result, x, y, marked)]
    return Chart(title, description, *lines(series, plane, counts), _columns_of(result, columns, y))


def roc(result: pd.DataFrame, values: Mapping[str, str] | None = None) -> Chart:
    """True positive rate over false positive rate; the legend adds the text that `values` has for a series."""
    description = "True positive rate over false positive rate; the diagonal is a random ranking."
    plane = Plane(("false positive rate", "true positive rate"), (0, 1), (0, 1), diagonal=True, height=SQUARE)
    columns = ["threshold", "fpr", "tpr"]
    return _curve(result, "ROC curve", description, "fpr", "tpr", columns, plane, marked=False, values=values)


def pr(result: pd.DataFrame, values: Mapping[str, str] | None = None) -> Chart:
    """Precision over recall; `values` as for `roc`."""
    title = "Precision-recall curve"
    description = "Precision over recall: the share of positives above a threshold, over their share of all positives."
    plane = Plane(("recall", "precision"), (0, 1), (0, None), height=SQUARE)
    columns = ["threshold", "recall", "precision"]
    return _curve(result, title, description, "recall", "precision", columns, plane, marked=False, values=values)


def calibration(result: pd.DataFrame) -> Chart:
    """The rate of positives over the mean score, with the rows of bins of unequal size below."""
    top = 1.04 * max(numbers_in(result, ["mean_score", "rate", "rate_high"]), default=1.0)
    counts = _series_of(result, "mean_score", "rows")
    rows = [[point.y or 0 for point in bars.points] for bars in counts if bars.points]
    description = "Rate of positives over mean score, bin by bin; on the diagonal positives come as often as predicted."
    # Bins of equal size need no bars.
    if all(max(bins) <= 1.1 * min(bins) for bins in rows):
        counts = []
    else:
        description += " Below, the rows of each bin."
    plane = Plane(("mean score", "rate of positives"), (0, top), (0, top), diagonal=True, height=SQUARE)
    columns = ["bin", "rows", "mean_score", "rate", "copc"]
    return _curve(result, "Calibration", description, "mean_score", "rate", columns, plane, counts=counts)


def copc_by_score(result: pd.DataFrame) -> Chart:
    """Clicks over predicted clicks by score bin."""
    description = (
        "Positives over predicted positives, over the mean score of the bin; 1 is calibrated, above it the model "
        "predicts too little."
    )
    plane = Plane(("mean score", "copc"), (0, None), (0, None), level=1)
    columns = ["bin", "rows", "mean_score", "copc"]
    return _curve(result, "COPC by score", description, "mean_score", "copc", columns, plane)


def lift(result: pd.DataFrame) -> Chart:
    """Lift of each bin of the highest scores."""
    description = (
        "Rate of positives in each bin of equally many rows over the rate of all, from the highest scores down; 1 is "
        "chance."
    )
    plane = Plane(("bin, 1 has the highest scores", "lift"), y=(0, None), level=1)
    columns = ["bin", "rows", "positives", "rate", "gain", "lift", "cumulative_lift"]
    return _curve(result, "Lift", description, "bin", "lift", columns, plane)


def by_slices(
    result: pd.DataFrame, metric: str, level: float | None = None, position: int = 0, count: int = 1
) -> Chart:
    """A metric by slices, with its intervals: days as a line, other slices as dots.

    Of `count` panels, the first has the legend, and the last the labels of the days.
    """
    keys = result.attrs["slices"]
    slices = [key for key in keys if key != "model"]
    over_time = len(slices) == 1 and is_time(result[slices[0]])
    series = _series_of(result, slices[0] if over_time else None, metric, marked=True, across=slices)
    if position > 0:
        series = [replace(curve, name="") for curve in series]
    with_interval = " with its interval" if f"{metric}_low" in result.columns else ""
    table = _columns_of(result, [*(["n"] if "n" in result.columns else []), metric], metric)
    title, axis_name = _title(metric, keys), metric if count == 1 else ""
    if not over_time:
        description = f"{metric}{with_interval} in each slice."
        return _dots(title, description, series, slice_texts(result, slices), axis_name, table, level)
    description = f"{metric} over {slices[0]}{with_interval}."
    height = Plane.height if count == 1 else _LOW
    plane = Plane((slices[0], axis_name), level=level, height=height, labels_x=position == count - 1)
    return Chart(title, description, *lines(series, plane), table)


def _dots(
    title: str,
    description: str,
    series: Sequence[Series],
    slices: Sequence[str],
    name: str,
    table: pd.DataFrame,
    level: float | None,
) -> Chart:
    """A row for each slice, as far as they are drawn."""
    description += describe_omitted(len({*slices}), MOST_ROWS, "slices")
    return Chart(title, description, *dots(series, slices, name, level), table)


def _title(metrics: str, keys: Sequence[str]) -> str:
    slices = [key for key in keys if key != "model"] or [*keys]
    return f"{metrics} by {', '.join(slices)}" if slices else metrics


def _panels_of_metrics(result: pd.DataFrame, names: Sequence[str]) -> Chart:
    """A panel for each metric by slice; panels over days share the labels of the last."""
    shown = names[:MOST_PANELS]
    charts = [by_slices(result, name, None, position, len(shown)) for position, name in enumerate(shown)]
    if len(names) == 1:
        return charts[0]
    body, top = "", 0
    for name, panel in zip(shown, charts, strict=True):
        heading = label(0, top + 14, name, "start", ' font-weight="bold"')
        body += f'{heading}<g transform="translate(0 {top + 16})">{panel.body}</g>'
        top += 24 + panel.height
    # The first panel reports which slices are omitted.
    omitted = describe_omitted(len(names), MOST_PANELS, "metrics")
    omitted += charts[0].description.partition("in each slice.")[2]
    table = pd.concat([panel.table for panel in charts], axis=1)
    return Chart(
        _title(", ".join(shown) if len(shown) < 4 else f"{len(shown)} of {len(names)} metrics", result.attrs["slices"]),
        f"{_title(', '.join(shown), result.attrs['slices'])}, in a panel for each metric.{omitted}",
        body, charts[0].width, top - 8, table.loc[:, ~table.columns.duplicated()],
    )  # fmt: skip


def _drift_by_column(result: pd.DataFrame, distance: str) -> Chart:
    rows = with_slices(result, ["column_name", *result.attrs["slices"]])
    description = f"{distance} of each column between the reference and the current rows."
    series = _series_of(rows, None, distance, marked=True, across=["column_name"])
    columns, table = slice_texts(rows, ["column_name"]), _columns_of(rows, [distance])
    return _dots(f"{distance} by column", description, series, columns, distance, table, level=0)


def _gaps_of(result: pd.DataFrame) -> Chart:
    """Differences between the highest and the lowest slice: a panel for each metric."""
    keys = result.attrs["slices"]
    highest, lowest = ([key for key in keys if key.startswith(end)] for end in ("highest_", "lowest_"))
    others = [key for key in keys if key not in ("metric", *highest, *lowest)]
    texts = zip(*(slice_texts(result, names) for names in (others, highest, lowest)), strict=True)
    names = [f"{name}: {first} − {last}".removeprefix(": ") for name, first, last in texts]
    description = "The highest minus the lowest slice of each metric, in a panel for each metric."
    panels = _panels_of_differences(result, names, [""] * len(names), {})
    return forest("Gaps between slices", description, panels, _columns_of(result, ["difference"], "difference"))


def differences(result: pd.DataFrame, width: int = WIDE) -> Chart:
    """Differences of models from the baseline, with verdicts: a panel for each metric, its rows in their order."""
    keys = result.attrs["slices"]
    models = slice_texts(result, ["model"])
    slices = slice_texts(result, [key for key in keys if key != "model"])
    several = len({*models}) > 1
    names = models if several else [text or model for text, model in zip(slices, models, strict=True)]
    baseline = text_of(result["baseline"].iloc[0])
    return forest(
        f"Difference from {baseline}" if several else f"{models[0]} compared with {baseline}",
        f"The difference of each model from {baseline} with its interval, in a panel for each metric. "
        "The marks show the verdicts, which account for the number of tests.",
        _panels_of_differences(result, names, slices if several else [""] * len(names), _directions(result)),
        _columns_of(with_slices(result, ["metric", *keys]), ["difference", "verdict"], "difference"),
        width,
    )


def _panels_of_differences(
    result: pd.DataFrame, names: Sequence[str], groups: Sequence[str], better: Mapping[str, str | None]
) -> list[ForestPanel]:
    """Return a panel for each metric, with the rows of its differences in their order."""
    rows: dict[str, list[ForestRow]] = {}
    for row, name, group in zip(to_records(result), names, groups, strict=True):
        ends = row.get("difference_low"), row.get("difference_high")
        drawn = ForestRow(name, row["difference"], *ends, row.get("verdict", "gap"), group)
        rows.setdefault(row["metric"], []).append(drawn)
    measure = "Δ / baseline" if result.attrs.get("relative") else "Δ"
    return [ForestPanel(name, panel, better.get(name), measure) for name, panel in rows.items()]


def _directions(result: pd.DataFrame) -> dict[str, str | None]:
    """Return the direction of each metric of a result, which may have a name of its own."""
    names = list(dict.fromkeys(result["metric"].tolist()))
    files = [str(name) for name in result.attrs["metrics"]]
    metrics = catalogue().metrics
    pairs = zip(names, files if len(files) == len(names) else names, strict=True)
    return {name: metrics[file].direction for name, file in pairs if file in metrics}


def _outlines(result: pd.DataFrame, share: str) -> list[Series]:
    """Return the outline of the bins of each model, from their lower and upper edges."""
    outlines = []
    for begins, closes in zip(_series_of(result, "lower", share), _series_of(result, "upper", share), strict=True):
        steps: list[Point] = []
        for (lower, height, *_), (upper, *_) in zip(begins.points, closes.points, strict=True):
            # Bins without rows are missing: the outline drops to zero next to them.
            if steps and math.isclose(steps[-1].x, lower, rel_tol=1e-9, abs_tol=(upper - lower) * 1e-6):
                steps.pop()
            else:
                steps.append(Point(lower, 0.0))
            steps += [Point(lower, height), Point(upper, height), Point(upper, 0.0)]
        outlines.append(replace(begins, points=steps, filled=True))
    return outlines


def histogram(result: pd.DataFrame) -> Chart:
    """The scores of the positives, and those of the negatives."""
    series: list[Series] = []
    for name in ("positives", "negatives"):
        for curve in _outlines(result, f"share_of_{name}"):
            series.append(replace(curve, name=", ".join(filter(None, [curve.name, name])), number=len(series)))
    description = "Share of the positives, and of the negatives, in equal steps of the score."
    table = _columns_of(result, ["bin", "lower", "upper", "rows", "positives", "negatives"])
    plane = Plane(("score", "share of the class"), y=(0, None))
    return Chart("Scores by class", description, *lines(series, plane), table)


def _columns_of(result: pd.DataFrame, names: Sequence[str], drawn: str = "") -> pd.DataFrame:
    """Return the table below a chart: slices and columns; the drawn column has its interval next to it."""
    ends = [end for end in (f"{drawn}_low", f"{drawn}_high") if end in result.columns]
    position = names.index(drawn) + 1 if drawn else 0
    table = result[[*result.attrs["slices"], *names[:position], *ends, *names[position:]]]
    return table.loc[:, ~table.columns.duplicated()]


def _series_of(
    result: pd.DataFrame, x: str | None, y: str, marked: bool = False, across: Sequence[str] = ()
) -> list[Series]:
    """Return a series for each model and slice, except that series run across the slices of some columns.

    Without `x` the points are at the positions of these slices.
    """
    slices = slice_texts(result, across)
    positions = {text: position for position, text in enumerate(dict.fromkeys(slices))}
    names = slice_texts(result, [key for key in result.attrs["slices"] if key not in across])
    points: dict[str, list[Point]] = {name: [] for name in names}
    for row, name, text in zip(to_records(result), names, slices, strict=True):
        at, value = positions[text] if x is None else row[x], row[y] if is_drawable(row[y]) else None
        # An undefined point leaves a gap in a line with marks.
        if at is not None and (marked or value is not None):
            points[name].append(Point(at, value, row.get(f"{y}_low"), row.get(f"{y}_high")))
    # Models have the same colours as in other charts of a page.
    numbers = {name: number for number, name in enumerate(result.attrs.get("models", points))}
    return [Series(name, points[name], numbers.get(name, number), marked) for number, name in enumerate(points)]


def numbers_in(result: pd.DataFrame, names: Sequence[str]) -> list[float]:
    """Return the finite numbers of those columns that the result has."""
    values = [value for name in names if name in result.columns for value in result[name].tolist()]
    return [float(value) for value in values if is_drawable(value)]


def depths(result: pd.DataFrame, metric: str, title: str) -> Chart:
    """A metric over the depth of the lists."""
    description = f"{metric} of the first k items of the lists, with its interval."
    return _curve(result, title, description, "k", metric, ["k", metric], Plane(("k", metric)))


def predicted_and_actual(bins: pd.DataFrame) -> Chart:
    """The mean label over the mean score of each bin."""
    values = numbers_in(bins, ["mean_score", "mean_label", "mean_label_low", "mean_label_high"])
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = (high - low) * 0.04
    ends = (0.0 if 0 <= low < (high - low) / 4 else low - room, high + room)
    description = "Mean label over mean score, bin by bin; on the diagonal the label is as predicted."
    plane = Plane(("mean score", "mean label"), ends, ends, diagonal=True, height=SQUARE)
    columns = ["bin", "rows", "mean_score", "mean_label"]
    return _curve(bins, "Predicted against actual", description, "mean_score", "mean_label", columns, plane)


def errors_by_size(bins: pd.DataFrame) -> Chart:
    """The mean absolute error over the mean score of each bin."""
    description = "Mean absolute error over mean score, bin by bin."
    plane = Plane(("mean score", "mae"), y=(0, None), height=SQUARE)
    columns = ["bin", "rows", "mean_score", "mean_error", "rmse", "mae"]
    return _curve(bins, "Errors by size", description, "mean_score", "mae", columns, plane)


def residuals(result: pd.DataFrame) -> Chart:
    """The distribution of the residuals of each model."""
    description = "Share of the rows in equal steps of the residual, the score minus the label."
    table = _columns_of(result, ["bin", "lower", "upper", "rows", "share"])
    plane = Plane(("score − label", "share of the rows"), y=(0, None))
    return Chart("Residuals", description, *lines(_outlines(result, "share"), plane), table)


def _frequent_classes(counts: Mapping[str, float]) -> list[str]:
    """Return the most frequent classes, as many as are readable, in the order of `counts`."""
    chosen = sorted(counts, key=lambda name: -counts[name])[:MOST_CLASSES]
    return [name for name in counts if name in chosen]


def confusion(matrix: pd.DataFrame) -> Chart:
    """A confusion matrix as a heat map, whose rows are labels, and whose columns are predictions."""
    counts = Counter[tuple[str, str]]()
    names = [*matrix["label"].tolist(), *matrix["prediction"].tolist()]
    totals = dict.fromkeys(map(text_of, sorted({*names}, key=lambda name: (str(type(name)), name))), 0.0)
    for row in to_records(matrix):
        label, prediction = text_of(row["label"]), text_of(row["prediction"])
        counts[label, prediction] += row["count"]
        totals[label] += row["count"]
    classes = _frequent_classes(totals)
    cells = [[counts[label, prediction] for prediction in classes] for label in classes]
    shares = [[count / totals[label] if totals[label] else None for count in row]
              for label, row in zip(classes, cells, strict=True)]  # fmt: skip
    texts = [[f"{count:,.10g}" if count else "" for count in row] for row in cells]
    return heat_map(
        "Confusion matrix",
        "Rows for each label and prediction; the colour is the share of the rows of the label.",
        classes, shares, texts, ("label", "prediction"),
        _columns_of(with_slices(matrix, ["label", "prediction"]), ["count"]),
    )  # fmt: skip


def shares_of_classes(report: pd.DataFrame) -> Chart:
    """Precision, recall and F1 of each class, with their intervals."""
    records = {text_of(row["class"]): row for row in to_records(report)}
    classes = _frequent_classes({name: row["support"] for name, row in records.items()})
    ends = ("", "_low", "_high") if "f1_low" in report.columns else ("",)
    long = [
        {"class": row["class"], "model": share, **{f"value{end}": row[f"{share}{end}"] for end in ends}}
        for row in [records[name] for name in classes]
        for share in _SHARES
    ]
    chart = by_slices(with_slices(pd.DataFrame(long), ["class", "model"]), "value")
    names = [f"{share}{end}" for share in _SHARES for end in ends]
    return replace(
        chart,
        title="Precision, recall and F1 by class",
        description="Precision, recall and F1 of each class, with their intervals.",
        table=_columns_of(with_slices(report, ["class"]), [*names, "support"]),
    )


#: The distances of `drift` that do not depend on the unit of a column.
_DISTANCES = ("psi", "ks_distance", "jensen_shannon")
#: The chart functions of table metrics.
CHARTS: Mapping[str, Callable[[pd.DataFrame], Chart]] = {
    "roc_curve": roc,
    "pr_curve": pr,
    "calibration_curve": calibration,
    "lift_table": lift,
    "score_histogram": histogram,
    "error_table": predicted_and_actual,
    "residual_histogram": residuals,
    "class_confusion": confusion,
    "class_report": shares_of_classes,
}


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
    if is_drift:
        return _drift_by_column(result, _checked_metric(metric, _DISTANCES) or "psi")
    requested = list(map(str, result.attrs["metrics"]))
    drawn = CHARTS.get(requested[0])
    if drawn in (confusion, shares_of_classes) and result.attrs["slices"]:
        raise BadParameter("plot draws the classes of all rows: call the metric without slices")
    if drawn is not None:
        return drawn(result)
    if {"metric", "difference"} <= {*result.columns}:
        shown = result if metric is None else rows_of_metric(result, metric)
        return differences(shown) if "baseline" in result.columns else _gaps_of(shown)
    names = _value_columns(result)
    _checked_metric(metric, names)
    if not names or any(catalogue()[name].table for name in requested if name in catalogue().metrics):
        raise BadParameter(f"there is no plot of {', '.join(requested)}; {', '.join(CHARTS)} have one")
    return _panels_of_metrics(result, names if metric is None else [metric])
