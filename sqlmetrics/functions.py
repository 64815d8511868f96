"""One function per metric: `sqlmetrics.auc(data, label=…, score=…, by=…)`.

Written by `python -m sqlmetrics.generation` from the metric files under sql/macros: change those.
"""

from __future__ import annotations

from typing import Any, Literal

import duckdb
import pandas as pd

from .planning import Expression
from .running import By, Scores, run

__all__ = [
    "accuracy",
    "auc",
    "average_precision",
    "calibration_curve",
    "confusion_matrix",
    "copc",
    "dcg",
    "ece",
    "f1",
    "gauc",
    "group_auc",
    "log_loss",
    "macro_f1",
    "mae",
    "map",
    "mrr",
    "ndcg",
    "pcoc",
    "precision",
    "precision_at_k",
    "recall",
    "recall_at_k",
    "rmse",
    "roc_curve",
]


def accuracy(
    data: Any,
    *,
    label: Expression | None = None,
    score: Scores | None = None,
    prediction: Expression | None = None,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    threshold: float = 0.5,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Accuracy: (TP + TN) / N.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, 0/1 or boolean; with prediction, a class.
        score: Prediction; higher is more positive.
        prediction: Predicted class, instead of a score and a threshold.
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        threshold: A row is called positive when its score is at least this.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `accuracy`.
        Range: 0 to 1, higher is better. Undefined: NULL without rows.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.accuracy_score.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.2, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.accuracy(data, label="label", score="score")["accuracy"].item(), 4)
        0.75
    """
    return run(
        data,
        {"name": "accuracy", "threshold": threshold},
        {"label": label, "score": score, "prediction": prediction, "weight": weight, "positives": positives, "total": total},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def auc(
    data: Any,
    *,
    label: Expression | None = None,
    score: Scores,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Area under the ROC curve: P(score of a positive > score of a negative) + ½ P(the two are equal).

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, 0/1 or boolean.
        score: Prediction; higher is more positive, earlier.
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `auc`.
        Range: 0 to 1, 0.5 is chance, higher is better. Undefined: NULL when one class is missing.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        Hanley and McNeil, Radiology 143 (1982). Checked against: sklearn.metrics.roc_auc_score.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.auc(data, label="label", score="score")["auc"].item(), 4)
        0.75
    """
    return run(
        data,
        {"name": "auc"},
        {"label": label, "score": score, "weight": weight, "positives": positives, "total": total},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def average_precision(
    data: Any,
    *,
    label: Expression | None = None,
    score: Scores,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Average precision (step-wise area under the precision-recall curve): Σ (Rₙ − Rₙ₋₁)·Pₙ over the distinct
    scores, from the highest down.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, 0/1 or boolean.
        score: Prediction; higher is more positive, earlier.
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `average_precision`.
        Range: 0 to 1, the base rate is chance, higher is better. Undefined: NULL without positives.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.average_precision_score.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.average_precision(data, label="label", score="score")["average_precision"].item(), 4)
        0.8333
    """
    return run(
        data,
        {"name": "average_precision"},
        {"label": label, "score": score, "weight": weight, "positives": positives, "total": total},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def confusion_matrix(
    data: Any,
    *,
    label: Expression | None = None,
    score: Scores | None = None,
    prediction: Expression | None = None,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    threshold: float = 0.5,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Confusion matrix: TP, FP, FN, TN, the (weighted) counts of right and wrong calls.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, 0/1 or boolean.
        score: Prediction; higher is more positive.
        prediction: Predicted class, instead of a score and a threshold.
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        threshold: A row is called positive when its score is at least this.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `tp`, `fp`, `fn`, `tn`.
        Range: 0 and up. Undefined: 0 without rows.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.confusion_matrix.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.6, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.confusion_matrix(data, label="label", score="score")["tp"].item(), 4)
        1.0
    """
    return run(
        data,
        {"name": "confusion_matrix", "threshold": threshold},
        {"label": label, "score": score, "prediction": prediction, "weight": weight, "positives": positives, "total": total},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def f1(
    data: Any,
    *,
    label: Expression | None = None,
    score: Scores | None = None,
    prediction: Expression | None = None,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    threshold: float = 0.5,
    zero_division: float | None = None,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """F1, the harmonic mean of precision and recall: 2·TP / (2·TP + FN + FP).

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, 0/1 or boolean.
        score: Prediction; higher is more positive.
        prediction: Predicted class, instead of a score and a threshold.
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        threshold: A row is called positive when its score is at least this.
        zero_division: The value of an undefined quotient; NULL by default.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `f1`.
        Range: 0 to 1, higher is better. Undefined: NULL when TP, FN and FP are all 0 (zero_division takes its place).

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.f1_score.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.6, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.f1(data, label="label", score="score")["f1"].item(), 4)
        0.5
    """
    return run(
        data,
        {"name": "f1", "threshold": threshold, "zero_division": zero_division},
        {"label": label, "score": score, "prediction": prediction, "weight": weight, "positives": positives, "total": total},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def precision(
    data: Any,
    *,
    label: Expression | None = None,
    score: Scores | None = None,
    prediction: Expression | None = None,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    threshold: float = 0.5,
    zero_division: float | None = None,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Precision: TP / (TP + FP).

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, 0/1 or boolean.
        score: Prediction; higher is more positive.
        prediction: Predicted class, instead of a score and a threshold.
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        threshold: A row is called positive when its score is at least this.
        zero_division: The value of an undefined quotient; NULL by default.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `precision`.
        Range: 0 to 1, higher is better. Undefined: NULL when nothing is called positive (zero_division takes its
            place).

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.precision_score.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.6, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.precision(data, label="label", score="score")["precision"].item(), 4)
        0.5
    """
    return run(
        data,
        {"name": "precision", "threshold": threshold, "zero_division": zero_division},
        {"label": label, "score": score, "prediction": prediction, "weight": weight, "positives": positives, "total": total},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def recall(
    data: Any,
    *,
    label: Expression | None = None,
    score: Scores | None = None,
    prediction: Expression | None = None,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    threshold: float = 0.5,
    zero_division: float | None = None,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Recall (true positive rate): TP / (TP + FN).

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, 0/1 or boolean.
        score: Prediction; higher is more positive.
        prediction: Predicted class, instead of a score and a threshold.
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        threshold: A row is called positive when its score is at least this.
        zero_division: The value of an undefined quotient; NULL by default.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `recall`.
        Range: 0 to 1, higher is better. Undefined: NULL without positives (zero_division takes its place).

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.recall_score.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.6, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.recall(data, label="label", score="score")["recall"].item(), 4)
        0.5
    """
    return run(
        data,
        {"name": "recall", "threshold": threshold, "zero_division": zero_division},
        {"label": label, "score": score, "prediction": prediction, "weight": weight, "positives": positives, "total": total},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def roc_curve(
    data: Any,
    *,
    label: Expression | None = None,
    score: Scores,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """ROC curve: true and false positive rate at every distinct score, from the highest down.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, 0/1 or boolean.
        score: Prediction; higher is more positive, earlier.
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        The table: the slice columns, `threshold`, `tp`, `fp`, `fn`, `tn`, `tpr`, `fpr`, `precision`, `recall`.
        Range: rates 0 to 1. Undefined: a rate is NULL where its denominator is 0.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.roc_curve.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> sqlmetrics.roc_curve(data, label="label", score="score")["tpr"].round(4).tolist()
        [0.0, 0.5, 0.5, 1.0, 1.0]
    """
    return run(
        data,
        {"name": "roc_curve"},
        {"label": label, "score": score, "weight": weight, "positives": positives, "total": total},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def calibration_curve(
    data: Any,
    *,
    label: Expression | None = None,
    score: Scores,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    bins: int = 10,
    binning: Literal["width", "mass"] = "width",
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Calibration curve (reliability diagram): per bin of the score, the mean score beside the rate of positives.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        bins: Number of bins.
        binning: How the bins are cut: 'width': equal steps of the score; a bin holds its lower edge, the last one
            also 1; 'mass': equal weight of rows; tied scores share a bin.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        The table: the slice columns, `bin`, `lower`, `upper`, `rows`, `mean_score`, `rate`, `copc`.
        Range: rates and scores 0 to 1. Undefined: bins without rows are left out; copc is NULL where the scores are
            all 0.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        scikit-learn user guide, section 1.16. Checked against: sklearn.calibration.calibration_curve.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.1, 0.4]})
        >>> sqlmetrics.calibration_curve(data, label="label", score="score")["rate"].round(4).tolist()
        [0.0, 1.0]
    """
    return run(
        data,
        {"name": "calibration_curve", "bins": bins, "binning": binning},
        {"label": label, "score": score, "weight": weight, "positives": positives, "total": total},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def copc(
    data: Any,
    *,
    label: Expression | None = None,
    score: Scores,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Click over predicted click: Σ y / Σ p.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `copc`.
        Range: 0 and up, 1 is calibrated, above 1 the model predicts too little. Undefined: NULL when the predictions
            add up to 0.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        Graepel et al., ICML 2010. Checked against: by hand.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.1, 0.4]})
        >>> round(sqlmetrics.copc(data, label="label", score="score")["copc"].item(), 4)
        2.0
    """
    return run(
        data,
        {"name": "copc"},
        {"label": label, "score": score, "weight": weight, "positives": positives, "total": total},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def ece(
    data: Any,
    *,
    label: Expression | None = None,
    score: Scores,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    norm: Literal["l1", "l2", "max"] = "l1",
    bins: int = 10,
    binning: Literal["width", "mass"] = "width",
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Expected calibration error: Σ (weight of the bin / weight of all)·|rate − mean score|; l2 takes the root of
    the mean square, max the largest.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        norm: How the bins are combined: 'l1': mean over the rows; 'l2': root mean square over the rows; 'max': the
            worst bin.
        bins: Number of bins.
        binning: How the bins are cut: 'width': equal steps of the score; a bin holds its lower edge, the last one
            also 1; 'mass': equal weight of rows; tied scores share a bin.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `ece`.
        Range: 0 to 1, lower is better. Undefined: NULL without rows.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        Naeini et al., AAAI 2015. Checked against: by hand.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.1, 0.4]})
        >>> round(sqlmetrics.ece(data, label="label", score="score")["ece"].item(), 4)
        0.35
    """
    return run(
        data,
        {"name": "ece", "norm": norm, "bins": bins, "binning": binning},
        {"label": label, "score": score, "weight": weight, "positives": positives, "total": total},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def log_loss(
    data: Any,
    *,
    label: Expression | None = None,
    score: Scores,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    eps: float = 2.220446049250313e-16,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Log loss (binary cross-entropy): −mean(y·ln p + (1 − y)·ln(1 − p)), p kept within [eps, 1 − eps].

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        eps: How near to 0 and 1 a probability may come.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `log_loss`.
        Range: 0 and up, lower is better. Undefined: NULL without rows.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.log_loss.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.log_loss(data, label="label", score="score")["log_loss"].item(), 4)
        0.4723
    """
    return run(
        data,
        {"name": "log_loss", "eps": eps},
        {"label": label, "score": score, "weight": weight, "positives": positives, "total": total},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def pcoc(
    data: Any,
    *,
    label: Expression | None = None,
    score: Scores,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Predicted click over click: Σ p / Σ y.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `pcoc`.
        Range: 0 and up, 1 is calibrated, above 1 the model predicts too much. Undefined: NULL without positives.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        He et al., ADKDD 2014 (there named calibration). Checked against: by hand.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.1, 0.4]})
        >>> round(sqlmetrics.pcoc(data, label="label", score="score")["pcoc"].item(), 4)
        0.5
    """
    return run(
        data,
        {"name": "pcoc"},
        {"label": label, "score": score, "weight": weight, "positives": positives, "total": total},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def gauc(
    data: Any,
    *,
    label: Expression | None = None,
    score: Scores,
    group: Expression,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    weights: Literal["rows", "positives", "uniform"] = "rows",
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Group AUC, the mean over groups of the AUC inside each group: Σ wᵤ·AUCᵤ / Σ wᵤ over the groups that hold both classes.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, 0/1 or boolean.
        score: Prediction; higher is more positive, earlier.
        group: User, query or session: the unit inside which ranks are made.
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        weights: Wᵤ, how much a group counts: 'rows': the (weighted) rows of the group; 'positives': its (weighted)
            positives; 'uniform': each group counts the same.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `gauc`.
        Range: 0 to 1, 0.5 is chance, higher is better. Undefined: NULL when no group holds both classes.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        Zhu et al., KDD 2017 (Optimized Cost per Click). Checked against: a loop of sklearn.metrics.roc_auc_score over
            the groups.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.5, 0.2], "group": [1, 1, 2, 2]})
        >>> round(sqlmetrics.gauc(data, label="label", score="score", group="group")["gauc"].item(), 4)
        0.5
    """
    return run(
        data,
        {"name": "gauc", "weights": weights},
        {"label": label, "score": score, "group": group, "weight": weight, "positives": positives, "total": total},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def group_auc(
    data: Any,
    *,
    label: Expression | None = None,
    score: Scores,
    group: Expression,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """AUC of every group: one row per group, its AUC, rows and positives.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, 0/1 or boolean.
        score: Prediction; higher is more positive, earlier.
        group: User, query or session: the unit inside which ranks are made.
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        The table: the slice columns, `group`, `auc`, `rows`, `positives`.
        Range: 0 to 1, 0.5 is chance, higher is better. Undefined: auc is NULL in a group with one class only.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        Zhu et al., KDD 2017 (Optimized Cost per Click). Checked against: a loop of sklearn.metrics.roc_auc_score over
            the groups.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.5, 0.2], "group": [1, 1, 2, 2]})
        >>> sqlmetrics.group_auc(data, label="label", score="score", group="group")["auc"].round(4).tolist()
        [1.0, 0.0]
    """
    return run(
        data,
        {"name": "group_auc"},
        {"label": label, "score": score, "group": group, "weight": weight, "positives": positives, "total": total},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def dcg(
    data: Any,
    *,
    label: Expression,
    score: Scores | None = None,
    group: Expression,
    rank: Expression | None = None,
    tie_key: Expression | None = None,
    group_weight: Expression | None = None,
    k: int | None = None,
    gain: Literal["exp", "linear"] = "exp",
    discount: Literal["log2", "classic"] = "log2",
    ties: Literal["worst", "best", "key", "average"] = "worst",
    empty: Literal["skip", "zero", "one"] = "skip",
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Discounted cumulative gain: Σ gain(relᵢ)·discount(i) over the first k items, then the mean over groups.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Graded relevance >= 0.
        score: Prediction; higher is more positive, earlier.
        group: User, query or session: the unit inside which ranks are made.
        rank: Position in the list, 1 first, instead of score.
        tie_key: Orders equal scores under ties='key', descending.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group.
        k: How many items from the top; the whole list by default.
        gain: What an item of a grade is worth: 'exp': 2^label − 1; 'linear': the label itself.
        discount: How a gain shrinks with its place i: 'log2': 1/log2(i + 1); 'classic': 1 for the first item, then
            1/log2(i).
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best':
            the most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key,
            descending; 'average': the mean over all orders of the equal scores (metrics linear in the gain).
        empty: What a group without any relevant item counts as: 'skip': left out of the mean; 'zero': counts as 0;
            'one': counts as 1.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `dcg_at_10` for k = 10.
        Range: 0 and up, higher is better. Undefined: NULL for a group without any gain, see empty; NULL without
            groups.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        Järvelin and Kekäläinen, TOIS 20(4), 2002. Checked against: sklearn.metrics.dcg_score; ranx.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [3, 2, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.dcg(data, label="label", score="score", group="group", k=3)["dcg_at_3"].item(), 4)
        8.8928
    """
    return run(
        data,
        {"name": "dcg", "k": k, "gain": gain, "discount": discount, "ties": ties, "empty": empty},
        {"label": label, "score": score, "group": group, "rank": rank, "tie_key": tie_key, "group_weight": group_weight},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def map(
    data: Any,
    *,
    label: Expression,
    score: Scores | None = None,
    group: Expression,
    rank: Expression | None = None,
    tie_key: Expression | None = None,
    group_weight: Expression | None = None,
    k: int | None = None,
    denominator: Literal["relevant", "min", "hits"] = "relevant",
    ties: Literal["worst", "best", "key"] = "worst",
    relevant_at: float = 1,
    empty: Literal["skip", "zero", "one"] = "skip",
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Mean average precision: mean over groups of Σ precision at the place of each relevant item / the denominator.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Graded relevance >= 0.
        score: Prediction; higher is more positive, earlier.
        group: User, query or session: the unit inside which ranks are made.
        rank: Position in the list, 1 first, instead of score.
        tie_key: Orders equal scores under ties='key', descending.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group.
        k: How many items from the top; the whole list by default.
        denominator: What the sum of precisions is divided by: 'relevant': all relevant items of the group; 'min': the
            smaller of k and the relevant items; 'hits': the relevant items among the first k; 0 without one.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best':
            the most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key,
            descending.
        relevant_at: An item is relevant when its label is at least this.
        empty: What a group without any relevant item counts as: 'skip': left out of the mean; 'zero': counts as 0;
            'one': counts as 1.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `map_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL
            without groups.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4. Checked against: trec_eval
            map, map_cut; LightGBM map.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1, 1, 1], "score": [6, 5, 4, 3, 2, 1], "group": [1, 1, 1, 1, 1, 1]})
        >>> round(sqlmetrics.map(data, label="label", score="score", group="group")["map"].item(), 4)
        0.6917
    """
    return run(
        data,
        {"name": "map", "k": k, "denominator": denominator, "ties": ties, "relevant_at": relevant_at, "empty": empty},
        {"label": label, "score": score, "group": group, "rank": rank, "tie_key": tie_key, "group_weight": group_weight},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def mrr(
    data: Any,
    *,
    label: Expression,
    score: Scores | None = None,
    group: Expression,
    rank: Expression | None = None,
    tie_key: Expression | None = None,
    group_weight: Expression | None = None,
    k: int | None = None,
    ties: Literal["worst", "best", "key"] = "worst",
    relevant_at: float = 1,
    empty: Literal["skip", "zero", "one"] = "skip",
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Mean reciprocal rank: mean over groups of 1 / the place of the first relevant item, 0 beyond k.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Graded relevance >= 0.
        score: Prediction; higher is more positive, earlier.
        group: User, query or session: the unit inside which ranks are made.
        rank: Position in the list, 1 first, instead of score.
        tie_key: Orders equal scores under ties='key', descending.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group.
        k: How many items from the top; the whole list by default.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best':
            the most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key,
            descending.
        relevant_at: An item is relevant when its label is at least this.
        empty: What a group without any relevant item counts as: 'skip': left out of the mean; 'zero': counts as 0;
            'one': counts as 1.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `mrr_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL
            without groups.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        Voorhees, TREC-8 question answering track, 1999. Checked against: trec_eval recip_rank, on lists cut at k.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [0, 1, 1], "score": [3, 2, 1], "group": [1, 1, 1]})
        >>> round(sqlmetrics.mrr(data, label="label", score="score", group="group")["mrr"].item(), 4)
        0.5
    """
    return run(
        data,
        {"name": "mrr", "k": k, "ties": ties, "relevant_at": relevant_at, "empty": empty},
        {"label": label, "score": score, "group": group, "rank": rank, "tie_key": tie_key, "group_weight": group_weight},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def ndcg(
    data: Any,
    *,
    label: Expression,
    score: Scores | None = None,
    group: Expression,
    rank: Expression | None = None,
    tie_key: Expression | None = None,
    group_weight: Expression | None = None,
    k: int | None = None,
    gain: Literal["exp", "linear"] = "exp",
    discount: Literal["log2", "classic"] = "log2",
    ideal_k: Literal["k", "full"] = "k",
    ties: Literal["worst", "best", "key", "average"] = "worst",
    empty: Literal["skip", "zero", "one"] = "skip",
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Normalised discounted cumulative gain: DCG / IDCG per group, IDCG that of the best order, then the mean over groups.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Graded relevance >= 0.
        score: Prediction; higher is more positive, earlier.
        group: User, query or session: the unit inside which ranks are made.
        rank: Position in the list, 1 first, instead of score.
        tie_key: Orders equal scores under ties='key', descending.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group.
        k: How many items from the top; the whole list by default.
        gain: What an item of a grade is worth: 'exp': 2^label − 1; 'linear': the label itself.
        discount: How a gain shrinks with its place i: 'log2': 1/log2(i + 1); 'classic': 1 for the first item, then
            1/log2(i).
        ideal_k: How long the ideal list is: 'k': the ideal list is cut at k too; 'full': the ideal list is not cut.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best':
            the most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key,
            descending; 'average': the mean over all orders of the equal scores (metrics linear in the gain).
        empty: What a group without any relevant item counts as: 'skip': left out of the mean; 'zero': counts as 0;
            'one': counts as 1.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `ndcg_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any gain, see empty; NULL without groups.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        Järvelin and Kekäläinen, TOIS 20(4), 2002; Burges et al., ICML 2005 (the exponential gain). Checked against:
            sklearn.metrics.ndcg_score; trec_eval ndcg_cut; LightGBM.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [3, 2, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.ndcg(data, label="label", score="score", group="group", k=4)["ndcg_at_4"].item(), 4)
        0.9926
    """
    return run(
        data,
        {"name": "ndcg", "k": k, "gain": gain, "discount": discount, "ideal_k": ideal_k, "ties": ties, "empty": empty},
        {"label": label, "score": score, "group": group, "rank": rank, "tie_key": tie_key, "group_weight": group_weight},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def precision_at_k(
    data: Any,
    *,
    label: Expression,
    score: Scores | None = None,
    group: Expression,
    rank: Expression | None = None,
    tie_key: Expression | None = None,
    group_weight: Expression | None = None,
    k: int,
    ties: Literal["worst", "best", "key", "average"] = "worst",
    relevant_at: float = 1,
    empty: Literal["skip", "zero", "one"] = "skip",
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Precision at k: relevant items among the first k / k, then the mean over groups.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Graded relevance >= 0.
        score: Prediction; higher is more positive, earlier.
        group: User, query or session: the unit inside which ranks are made.
        rank: Position in the list, 1 first, instead of score.
        tie_key: Orders equal scores under ties='key', descending.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group.
        k: How many items from the top; a shorter list still divides by k.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best':
            the most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key,
            descending; 'average': the mean over all orders of the equal scores (metrics linear in the gain).
        relevant_at: An item is relevant when its label is at least this.
        empty: What a group without any relevant item counts as: 'skip': left out of the mean; 'zero': counts as 0;
            'one': counts as 1.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `precision_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL
            without groups.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4. Checked against: trec_eval
            P; ranx precision.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.precision_at_k(data, label="label", score="score", group="group", k=2)["precision_at_2"].item(), 4)
        0.5
    """
    return run(
        data,
        {"name": "precision_at_k", "k": k, "ties": ties, "relevant_at": relevant_at, "empty": empty},
        {"label": label, "score": score, "group": group, "rank": rank, "tie_key": tie_key, "group_weight": group_weight},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def recall_at_k(
    data: Any,
    *,
    label: Expression,
    score: Scores | None = None,
    group: Expression,
    rank: Expression | None = None,
    tie_key: Expression | None = None,
    group_weight: Expression | None = None,
    k: int,
    ties: Literal["worst", "best", "key", "average"] = "worst",
    relevant_at: float = 1,
    empty: Literal["skip", "zero", "one"] = "skip",
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Recall at k: relevant items among the first k / all relevant items, then the mean over groups.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Graded relevance >= 0.
        score: Prediction; higher is more positive, earlier.
        group: User, query or session: the unit inside which ranks are made.
        rank: Position in the list, 1 first, instead of score.
        tie_key: Orders equal scores under ties='key', descending.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group.
        k: How many items from the top.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best':
            the most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key,
            descending; 'average': the mean over all orders of the equal scores (metrics linear in the gain).
        relevant_at: An item is relevant when its label is at least this.
        empty: What a group without any relevant item counts as: 'skip': left out of the mean; 'zero': counts as 0;
            'one': counts as 1.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `recall_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL
            without groups.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4. Checked against: trec_eval
            recall; ranx recall.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.recall_at_k(data, label="label", score="score", group="group", k=2)["recall_at_2"].item(), 4)
        0.5
    """
    return run(
        data,
        {"name": "recall_at_k", "k": k, "ties": ties, "relevant_at": relevant_at, "empty": empty},
        {"label": label, "score": score, "group": group, "rank": rank, "tie_key": tie_key, "group_weight": group_weight},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def macro_f1(
    data: Any,
    *,
    label: Expression,
    prediction: Expression,
    weight: Expression | None = None,
    form: Literal["mean_f1", "f1_of_means"] = "mean_f1",
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Macro F1: mean over classes of 2·TP / (2·TP + FP + FN).

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: True class, of any type.
        prediction: Predicted class, instead of a score and a threshold.
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        form: Which of the two definitions in use: 'mean_f1': the mean of the F1 of every class; 'f1_of_means': the
            harmonic mean of macro precision and macro recall.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `macro_f1`.
        Range: 0 to 1, higher is better. Undefined: NULL without rows; a class without TP, FP and FN cannot occur.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        scikit-learn user guide, section 3.4.4; Opitz and Burst, arXiv 1911.03347, on the two forms. Checked against:
            sklearn.metrics.f1_score(average='macro').

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": ["a", "a", "b", "c"], "prediction": ["a", "b", "b", "c"]})
        >>> round(sqlmetrics.macro_f1(data, label="label", prediction="prediction")["macro_f1"].item(), 4)
        0.7778
    """
    return run(
        data,
        {"name": "macro_f1", "form": form},
        {"label": label, "prediction": prediction, "weight": weight},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def mae(
    data: Any,
    *,
    label: Expression,
    score: Scores,
    weight: Expression | None = None,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Mean absolute error: mean |y − ŷ|.

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, a number.
        score: Predicted value.
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `mae`.
        Range: 0 and up, in the unit of the label, lower is better. Undefined: NULL without rows.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        scikit-learn user guide, section 3.4.6. Checked against: sklearn.metrics.mean_absolute_error.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.mae(data, label="label", score="score")["mae"].item(), 4)
        0.5
    """
    return run(
        data,
        {"name": "mae"},
        {"label": label, "score": score, "weight": weight},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def rmse(
    data: Any,
    *,
    label: Expression,
    score: Scores,
    weight: Expression | None = None,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Root mean squared error: √ mean (y − ŷ)².

    Args:
        data: A path or glob, a list of paths, a table of `con`, a query, an object in memory; see `evaluate`.
        label: Truth, a number.
        score: Predicted value.
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        by: Slice columns: one result row per slice (see `evaluate`).
        where: SQL condition on the rows.
        con: A DuckDB connection to use; a private one by default.
        min_rows: Leave out slices with fewer used rows.
        diagnostics: Add what stands behind each value.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `rmse`.
        Range: 0 and up, in the unit of the label, lower is better. Undefined: NULL without rows.

    Raises:
        SqlMetricsError: One of its subclasses, as in `evaluate`.

    Source:
        scikit-learn user guide, section 3.4.6. Checked against: sklearn.metrics.root_mean_squared_error.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.rmse(data, label="label", score="score")["rmse"].item(), 4)
        0.6124
    """
    return run(
        data,
        {"name": "rmse"},
        {"label": label, "score": score, "weight": weight},
        by=by,
        where=where,
        con=con,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )
