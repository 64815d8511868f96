"""The chart of any result: `plot`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from ..catalogue.registry import catalogue
from ..errors import BadParameter, raised_at_caller
from .charts import (
    calibration,
    checked_metric,
    differences,
    drift_by_column,
    gaps_of,
    histogram,
    lift,
    panels_of,
    pr,
    roc,
    rows_of_metric,
    value_columns,
)
from .svg import Chart
from .task_charts import confusion, predicted_and_actual, residuals, shares_of_classes

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
        return drift_by_column(result, checked_metric(metric, _DISTANCES) or "psi")
    requested = list(map(str, result.attrs["metrics"]))
    drawn = CHARTS.get(requested[0])
    if drawn is not None:
        return drawn(result)
    if {"metric", "difference"} <= {*result.columns}:
        shown = result if metric is None else rows_of_metric(result, metric)
        return differences(shown) if "baseline" in result.columns else gaps_of(shown)
    names = value_columns(result)
    checked_metric(metric, names)
    if not names or any(catalogue()[name].table for name in requested if name in catalogue().metrics):
        raise BadParameter(f"there is no plot of {', '.join(requested)}; {', '.join(CHARTS)} have one")
    return panels_of(result, names if metric is None else [metric])
