"""Charts of lists over their depth, of the errors of numbers, and of classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from ..errors import BadParameter
from .cells import to_records
from .charts import by_slices, columns_of, numbers_in, outlines, series_of
from .heat import heat_map
from .labels import text_of, with_slices
from .lines import SQUARE, Plane, lines
from .svg import Chart

#: A confusion matrix of more classes is not readable; the most frequent are drawn.
MOST_CLASSES = 20
_SHARES = ("precision", "recall", "f1")


def depths(result: pd.DataFrame, metric: str, title: str) -> Chart:
    """A metric over the depth of the lists."""
    return lines(
        title,
        f"{metric} of the first k items of the lists, with its interval.",
        series_of(result, "k", metric, marked=True),
        ("k", metric),
        columns_of(result, ["k", metric], metric),
    )


def predicted_and_actual(bins: pd.DataFrame) -> Chart:
    """The mean label over the mean score of each bin."""
    values = numbers_in(bins, ["mean_score", "mean_label", "mean_label_low", "mean_label_high"])
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = (high - low) * 0.04
    ends = (0.0 if 0 <= low < (high - low) / 4 else low - room, high + room)
    return lines(
        "Predicted against actual",
        "Mean label over mean score, bin by bin; on the diagonal the label is as predicted.",
        series_of(bins, "mean_score", "mean_label", marked=True),
        ("mean score", "mean label"),
        columns_of(bins, ["bin", "rows", "mean_score", "mean_label"], "mean_label"),
        Plane(x=ends, y=ends, diagonal=True, height=SQUARE),
    )


def errors_by_size(bins: pd.DataFrame) -> Chart:
    """The mean absolute error over the mean score of each bin."""
    return lines(
        "Errors by size",
        "Mean absolute error over mean score, bin by bin.",
        series_of(bins, "mean_score", "mae", marked=True),
        ("mean score", "mae"),
        columns_of(bins, ["bin", "rows", "mean_score", "mean_error", "rmse", "mae"], "mae"),
        Plane(y=(0, None), height=SQUARE),
    )


def residuals(result: pd.DataFrame) -> Chart:
    """The distribution of the residuals of each model."""
    return lines(
        "Residuals",
        "Share of the rows in equal steps of the residual, the score minus the label.",
        outlines(result, "share"),
        ("score − label", "share of the rows"),
        columns_of(result, ["bin", "lower", "upper", "rows", "share"]),
        Plane(y=(0, None)),
    )


def frequent_classes(counts: Mapping[str, float]) -> list[str]:
    """Return the most frequent classes, as many as are readable, in the order of `counts`."""
    chosen = sorted(counts, key=lambda name: -counts[name])[:MOST_CLASSES]
    return [name for name in counts if name in chosen]


def _without_slices(result: pd.DataFrame) -> None:
    if result.attrs["slices"]:
        raise BadParameter("plot draws the classes of all rows: call the metric without slices")


def confusion(matrix: pd.DataFrame) -> Chart:
    """A confusion matrix as a heat map, whose rows are labels, and whose columns are predictions."""
    _without_slices(matrix)
    counts = Counter[tuple[str, str]]()
    names = [*matrix["label"].tolist(), *matrix["prediction"].tolist()]
    totals = dict.fromkeys(map(text_of, sorted({*names}, key=lambda name: (str(type(name)), name))), 0.0)
    for row in to_records(matrix):
        label, prediction = text_of(row["label"]), text_of(row["prediction"])
        counts[label, prediction] += row["count"]
        totals[label] += row["count"]
    classes = frequent_classes(totals)
    cells = [[counts[label, prediction] for prediction in classes] for label in classes]
    shares = [[count / totals[label] if totals[label] else None for count in row]
              for label, row in zip(classes, cells, strict=True)]  # fmt: skip
    texts = [[f"{count:,.10g}" if count else "" for count in row] for row in cells]
    return heat_map(
        "Confusion matrix",
        "Rows for each label and prediction; the colour is the share of the rows of the label.",
        classes, shares, texts, ("label", "prediction"),
        columns_of(with_slices(matrix, ["label", "prediction"]), ["count"]),
    )  # fmt: skip


def shares_of_classes(report: pd.DataFrame) -> Chart:
    """Precision, recall and F1 of each class, with their intervals."""
    _without_slices(report)
    records = {text_of(row["class"]): row for row in to_records(report)}
    classes = frequent_classes({name: row["support"] for name, row in records.items()})
    ends = ("", "_low", "_high") if "f1_low" in report.columns else ("",)
    long = pd.DataFrame(
        [
            {"class": records[name]["class"], "model": share}
            | {f"value{end}": records[name][f"{share}{end}"] for end in ends}
            for name in classes
            for share in _SHARES
        ]
    )
    chart = by_slices(with_slices(long, ["class", "model"]), "value")
    names = [f"{share}{end}" for share in _SHARES for end in ends]
    return replace(
        chart,
        title="Precision, recall and F1 by class",
        description="Precision, recall and F1 of each class, with their intervals.",
        table=columns_of(with_slices(report, ["class"]), [*names, "support"]),
    )
