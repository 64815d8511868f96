"""What functions.py defines. Written by `python -m sqlmetrics.codegen`: change its sources."""

from __future__ import annotations

from typing import Any, Literal

import duckdb
import pandas as pd

from .engines.base import Engine
from .expressions import By, Expression, Preset, Scores

__all__ = [
    "accuracy", "alpha_dcg", "alpha_ndcg", "anlp", "auc", "auc_mu", "average_popularity", "average_precision",
    "balanced_accuracy", "bpref", "brier", "cal_n", "calibration_curve", "calibration_intercept", "calibration_slope",
    "category_miscalibration", "cg", "class_confusion", "class_report", "clipped_ips", "cohens_kappa", "compatibility",
    "concordance_correlation", "concordance_index", "confusion_matrix", "copc", "coverage", "crps", "d2_absolute_error",
    "d2_pinball", "d2_tweedie", "dcg", "debiased_ece", "direct_method", "discrimination", "diversity", "doubly_robust",
    "dros", "e50", "e90", "ece", "emax", "err", "err_ia", "error_rate", "error_table", "explained_variance",
    "exposure_entropy", "f1", "f1_at_k", "fall_out_at_k", "fbeta", "field_ece", "field_rce", "fleiss_kappa", "fpr",
    "fpr_at_tpr", "g_mean", "gamma_deviance", "gauc", "gc_n", "gini", "gini_exposure", "gm_map", "group_auc",
    "hit_rate", "idcg", "iips", "infap", "integrated_calibration_index", "interpolated_precision", "interval_coverage",
    "interval_score", "intra_list_distance", "ips", "isotonic_calibration", "judged_at_k", "kendall_tau",
    "krippendorff_alpha", "ks", "lift_table", "log_cosh_error", "log_loss", "macro_f1", "macro_precision",
    "macro_recall", "mae", "map", "map_ia", "mape", "max_error", "max_f1", "mcc", "mean_error", "medae", "micro_f1",
    "micro_precision", "micro_recall", "miscalibration", "mrr", "mse", "multi_auc", "multi_balanced_accuracy",
    "multi_log_loss", "multi_mcc", "ndcg", "normalized_entropy", "normalized_gini", "novelty", "nrbp", "overlap_at_k",
    "pairwise_accuracy", "partial_auc", "pcoc", "pearson_correlation", "personalization", "pinball", "pnr",
    "poisson_deviance", "popularity_lift", "pr_auc", "pr_curve", "precision", "precision_at_k", "precision_at_recall",
    "precision_ia", "qini", "qini_curve", "quantile_coverage", "r2", "r_precision", "rbo", "rbp", "recall",
    "recall_at_k", "recall_at_precision", "relative_information_gain", "relative_precision", "residual_histogram",
    "rips", "rmse", "rmsle", "roc_curve", "score_histogram", "selection_rate", "serendipity", "set_f", "set_map",
    "set_precision", "set_recall", "sips", "smape", "sndr", "snips", "spearman_correlation", "specificity",
    "subtopic_recall", "switch_dr", "tail_percentage", "threshold_table", "top_k_accuracy", "tpr_at_fpr",
    "tweedie_deviance", "unbiased_dcg", "unbiased_ndcg", "uncertainty", "uplift_at_k", "uplift_auc", "uplift_curve",
    "utility", "weighted_f1", "weighted_kappa", "weighted_precision", "weighted_recall", "wmape", "youden_j",
]


def accuracy(
    data: Any, *, label: Expression | None = None, score: Scores | None = None, prediction: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    threshold: float = 0.5, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Accuracy: (TP + TN) / N.

    Args:
        label: Label, 0/1 or boolean; with prediction, a class.
        score: Prediction; higher is more positive.
        threshold: A row is predicted positive if its score is at least this.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `accuracy`.
        Range: 0 to 1, higher is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.accuracy_score.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.2, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.accuracy(data, label="label", score="score")["accuracy"].item(), 4)
        0.75
    """


def auc(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, bins: int | None = None,
    one_class: float | None = None, no_positives: float | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Area under the ROC curve: P(score of a positive > score of a negative) + ½ P(the two are equal).

    With bins, scores are counted in equal steps instead of sorted, and auc_lower and auc_upper enclose the exact value.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        bins: Number of equal steps between the lowest and the highest score that replace the scores.
        one_class: The value when one class is missing; NULL by default.
        no_positives: The value without positives; overrides one_class.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `auc`.
        Range: 0 to 1, 0.5 is chance, higher is better. Undefined: NULL when one class is missing.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Hanley and McNeil, Radiology 143 (1982). Checked against: sklearn.metrics.roc_auc_score.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.auc(data, label="label", score="score")["auc"].item(), 4)
        0.75
    """


def average_precision(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, one_class: float | None = None,
    no_positives: float | None = None, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Average precision (step-wise area under the precision-recall curve): Σ (Rₙ − Rₙ₋₁)·Pₙ over the distinct scores,
    from the highest down.

    Also called AUPRC, as is pr_auc.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        one_class: The value when one class is missing; by default NULL without positives, and 1 without negatives.
        no_positives: The value without positives; overrides one_class.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `average_precision`.
        Range: 0 to 1, the base rate is chance, higher is better. Undefined: NULL without positives.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.average_precision_score.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.average_precision(data, label="label", score="score")["average_precision"].item(), 4)
        0.8333
    """


def balanced_accuracy(
    data: Any, *, label: Expression | None = None, score: Scores | None = None, prediction: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    threshold: float = 0.5, one_class: Literal["null", "recall"] = "null", preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Balanced accuracy: (TPR + TNR) / 2.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher is more positive.
        threshold: A row is predicted positive if its score is at least this.
        one_class: The value when one class is missing: 'null': NULL; 'recall': the recall of the other class.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `balanced_accuracy`.
        Range: 0 to 1, 0.5 is chance, higher is better. Undefined: NULL when one class is missing (see one_class).

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.balanced_accuracy_score.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.6, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.balanced_accuracy(data, label="label", score="score")["balanced_accuracy"].item(), 4)
        0.5
    """


def confusion_matrix(
    data: Any, *, label: Expression | None = None, score: Scores | None = None, prediction: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    threshold: float = 0.5, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Confusion matrix: TP, FP, FN, TN, the (weighted) counts of right and wrong calls.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher is more positive.
        threshold: A row is predicted positive if its score is at least this.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `tp`, `fp`, `fn`, `tn`.
        Range: 0 and up. Undefined: 0 without rows.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.confusion_matrix.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.6, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.confusion_matrix(data, label="label", score="score")["tp"].item(), 4)
        1.0
    """


def error_rate(
    data: Any, *, label: Expression | None = None, score: Scores | None = None, prediction: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    threshold: float = 0.5, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Error rate: (FP + FN) / N.

    Args:
        label: Label, 0/1 or boolean; with prediction, a class.
        score: Prediction; higher is more positive.
        threshold: A row is predicted positive if its score is at least this.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `error_rate`.
        Range: 0 to 1, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: 1 - sklearn.metrics.accuracy_score.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.2, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.error_rate(data, label="label", score="score")["error_rate"].item(), 4)
        0.25
    """


def f1(
    data: Any, *, label: Expression | None = None, score: Scores | None = None, prediction: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    threshold: float = 0.5, zero_division: float | None = None, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """F1, the harmonic mean of precision and recall: 2·TP / (2·TP + FN + FP).

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher is more positive.
        threshold: A row is predicted positive if its score is at least this.
        zero_division: The value of an undefined quotient; NULL by default.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `f1`.
        Range: 0 to 1, higher is better. Undefined: NULL when TP, FN and FP are all 0 (zero_division replaces it).

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.f1_score.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.6, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.f1(data, label="label", score="score")["f1"].item(), 4)
        0.5
    """


def fbeta(
    data: Any, *, label: Expression | None = None, score: Scores | None = None, prediction: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None, beta: float,
    threshold: float = 0.5, zero_division: float | None = None, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """F-beta, precision and recall with recall beta times as important: (1 + β²)·TP / ((1 + β²)·TP + β²·FN + FP).

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher is more positive.
        beta: The weight of recall relative to precision.
        threshold: A row is predicted positive if its score is at least this.
        zero_division: The value of an undefined quotient; NULL by default.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `fbeta`.
        Range: 0 to 1, higher is better. Undefined: NULL when TP, FN and FP are all 0 (zero_division replaces it).

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.fbeta_score.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.6, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.fbeta(data, label="label", score="score", beta=2)["fbeta"].item(), 4)
        0.5
    """


def fpr(
    data: Any, *, label: Expression | None = None, score: Scores | None = None, prediction: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    threshold: float = 0.5, zero_division: float | None = None, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """False positive rate: FP / (FP + TN).

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher is more positive.
        threshold: A row is predicted positive if its score is at least this.
        zero_division: The value of an undefined quotient; NULL by default.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `fpr`.
        Range: 0 to 1, lower is better. Undefined: NULL without negatives (zero_division replaces it).

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.confusion_matrix.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.6, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.fpr(data, label="label", score="score")["fpr"].item(), 4)
        0.5
    """


def fpr_at_tpr(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, tpr: float = 0.95,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """False positive rate at a true positive rate: smallest FPR of the thresholds at which TPR ≥ tpr.

    Values between thresholds are not interpolated. A rate within 1e-9 below it counts as reaching it.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        tpr: The true positive rate to reach.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `fpr_at_tpr`.
        Range: 0 to 1, lower is better. Undefined: NULL when one class is missing.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Hendrycks and Gimpel, ICLR 2017 (FPR at 95% TPR). Checked against: sklearn.metrics.roc_curve.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.fpr_at_tpr(data, label="label", score="score")["fpr_at_tpr"].item(), 4)
        0.5
    """


def g_mean(
    data: Any, *, label: Expression | None = None, score: Scores | None = None, prediction: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    form: Literal["rates", "precisions"] = "rates", threshold: float = 0.5, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Geometric mean of the two class rates: √(TPR·TNR).

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher is more positive.
        form: Which of two common definitions: 'rates': √(TPR·TNR); 'precisions': precision of the positive class ×
            precision of the negative class, without a root.
        threshold: A row is predicted positive if its score is at least this.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `g_mean`.
        Range: 0 to 1, higher is better. Undefined: NULL when a factor is undefined.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Kubat and Matwin, ICML 1997 (the rates); the precisions by definition, without a root, as some course notes
        have them. Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.6, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.g_mean(data, label="label", score="score")["g_mean"].item(), 4)
        0.5
    """


def gini(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Gini coefficient: 2·AUC − 1.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `gini`.
        Range: -1 to 1, 0 is chance, higher is better. Undefined: NULL when one class is missing.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Hand and Till, Machine Learning 45 (2001). Checked against: 2 · sklearn.metrics.roc_auc_score − 1.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.gini(data, label="label", score="score")["gini"].item(), 4)
        0.5
    """


def ks(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Kolmogorov-Smirnov statistic: largest TPR − FPR over the thresholds.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `ks`.
        Range: 0 to 1, higher is better. Undefined: NULL when one class is missing.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Thomas, Edelman and Crook, Credit Scoring and Its Applications, 2002. Checked against:
        scipy.stats.ks_2samp(positives, negatives, alternative='less').

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.ks(data, label="label", score="score")["ks"].item(), 4)
        0.5
    """


def lift_table(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, bins: int = 10, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Lift and gain table: bins of equal weight by descending score; the rate of positives in each and the rate of all.

    A score's bin is ⌊bins · weight of the higher scores / weight of all⌋ + 1 (within 1e-9 for fractional weights).
    `rows` counts the rows of the data, and `positives` are weighted; for pre-aggregated rows both count the original
    rows.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        bins: Number of bins; tied scores share one.

    Returns:
        The table: the slice columns, `bin`, `rows`, `positives`, `rate`, `gain`, `lift`, `cumulative_lift`.
        Range: rates and gain 0 to 1; lift 0 and up, 1 is chance. Undefined: gain and lift are NULL without positives;
            bins without rows are dropped.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Berry and Linoff, Data Mining Techniques, 2004. Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.3, 0.1]})
        >>> sqlmetrics.lift_table(data, label="label", score="score", bins=2)["lift"].round(4).tolist()
        [1.0, 1.0]
    """


def max_f1(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Best F1 over all thresholds: largest 2·TP / (2·TP + FN + FP) over the distinct scores.

    max_f1_threshold is the highest score that reaches it (within 1e-12 for fractional weights).

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `max_f1`, `max_f1_threshold`.
        Range: 0 to 1, higher is better. Undefined: NULL without positives.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.precision_recall_curve.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.max_f1(data, label="label", score="score")["max_f1"].item(), 4)
        0.8
    """


def mcc(
    data: Any, *, label: Expression | None = None, score: Scores | None = None, prediction: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    threshold: float = 0.5, zero_division: float | None = None, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Matthews correlation coefficient: (TP·TN − FP·FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN)).

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher is more positive.
        threshold: A row is predicted positive if its score is at least this.
        zero_division: The value of an undefined quotient; NULL by default.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `mcc`.
        Range: -1 to 1, 0 is chance, higher is better. Undefined: NULL when one class or one predicted class is missing
            (zero_division replaces it).

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Matthews, Biochimica et Biophysica Acta 405 (1975). Checked against: sklearn.metrics.matthews_corrcoef.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.2, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.mcc(data, label="label", score="score")["mcc"].item(), 4)
        0.5774
    """


def partial_auc(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, max_fpr: float, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Partial AUC, standardised: ½·(1 + (A − m²/2) / (m − m²/2)), A the area under the ROC curve up to FPR = m.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        max_fpr: M, the highest false positive rate of the area.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `partial_auc`.
        Range: 0 to 1, 0.5 is chance, higher is better. Undefined: NULL when one class is missing.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: McClish, Medical Decision Making 9 (1989). Checked against: sklearn.metrics.roc_auc_score(max_fpr).

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.partial_auc(data, label="label", score="score", max_fpr=0.25)["partial_auc"].item(), 4)
        0.7143
    """


def pr_auc(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None,
    interpolation: Literal["davis_goadrich", "trapezoid", "spark"] = "davis_goadrich",
    no_positives: float | None = None, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Area under the precision-recall curve, interpolated: between two thresholds FP grows in proportion to TP, and
    precision with it; from (0, 0) positives called.

    Also called AUPRC, as is average_precision.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        interpolation: How to interpolate between points: 'davis_goadrich': FP linear in TP between points, from (0, 0);
            'trapezoid': straight lines, from recall 0 and precision 1; 'spark': straight lines, from recall 0 and the
            precision of the highest score.
        no_positives: The value without positives; NULL by default.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `pr_auc`.
        Range: 0 to 1, the base rate is chance, higher is better. Undefined: NULL without positives.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Davis and Goadrich, ICML 2006. Checked against: XGBoost aucpr; sklearn.metrics.auc of
        precision_recall_curve.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.pr_auc(data, label="label", score="score")["pr_auc"].item(), 4)
        0.7973
    """


def pr_curve(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, points: int | Literal["all"] = 200,
    zero_division: float | None = None, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Precision-recall curve: precision and recall at every distinct score, from the highest down.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        points: The maximum number of thresholds: the lowest score of each bin ⌊points · weight of the higher scores /
            weight of all⌋ (within 1e-9 for fractional weights). The area under straight lines between these points of a
            ROC curve is within 1 / (2 · points · q · (1 − q)) of the AUC, q the share of positives: 'all': every
            distinct score.
        zero_division: The precision where no row is predicted positive, and the recall without positives where some row
            is; NULL by default.

    Returns:
        The table: the slice columns, `threshold`, `tp`, `fp`, `fn`, `tn`, `tpr`, `fpr`, `precision`, `recall`.
        Range: rates 0 to 1. Undefined: a rate is NULL where its denominator is 0 (zero_division replaces precision and
            recall).

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.precision_recall_curve.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> sqlmetrics.pr_curve(data, label="label", score="score")["recall"].round(4).tolist()
        [0.0, 0.5, 0.5, 1.0, 1.0]
    """


def precision(
    data: Any, *, label: Expression | None = None, score: Scores | None = None, prediction: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    threshold: float = 0.5, zero_division: float | None = None, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Precision: TP / (TP + FP).

    1 − precision is the false discovery rate.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher is more positive.
        threshold: A row is predicted positive if its score is at least this.
        zero_division: The value of an undefined quotient; NULL by default.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `precision`.
        Range: 0 to 1, higher is better. Undefined: NULL when no row is predicted positive (zero_division replaces it).

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.precision_score.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.6, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.precision(data, label="label", score="score")["precision"].item(), 4)
        0.5
    """


def precision_at_recall(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, recall: float, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Precision at a recall: largest precision of the thresholds at which recall ≥ recall.

    Values between thresholds are not interpolated. A recall within 1e-9 below it counts as reaching it.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        recall: The recall to reach.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `precision_at_recall`.
        Range: 0 to 1, higher is better. Undefined: NULL without positives.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Eban et al., AISTATS 2017. Checked against: sklearn.metrics.precision_recall_curve.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.precision_at_recall(data, label="label", score="score", recall=0.9)["precision_at_recall"].item(), 4)
        0.6667
    """


def recall(
    data: Any, *, label: Expression | None = None, score: Scores | None = None, prediction: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    threshold: float = 0.5, zero_division: float | None = None, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Recall (true positive rate): TP / (TP + FN).

    Also called sensitivity.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher is more positive.
        threshold: A row is predicted positive if its score is at least this.
        zero_division: The value of an undefined quotient; NULL by default.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `recall`.
        Range: 0 to 1, higher is better. Undefined: NULL without positives (zero_division replaces it).

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.recall_score.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.6, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.recall(data, label="label", score="score")["recall"].item(), 4)
        0.5
    """


def recall_at_precision(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, precision: float,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Recall at a precision: largest recall of the thresholds at which precision ≥ precision, 0 where none reaches it.

    Values between thresholds are not interpolated. A precision within 1e-9 below it counts as reaching it.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        precision: The precision to reach.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `recall_at_precision`.
        Range: 0 to 1, higher is better. Undefined: NULL without positives.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Eban et al., AISTATS 2017. Checked against: sklearn.metrics.precision_recall_curve.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.recall_at_precision(data, label="label", score="score", precision=0.9)["recall_at_precision"].item(), 4)
        0.5
    """


def roc_curve(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, points: int | Literal["all"] = 200,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """ROC curve: true and false positive rate at every distinct score, from the highest down.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        points: The maximum number of thresholds: the lowest score of each bin ⌊points · weight of the higher scores /
            weight of all⌋ (within 1e-9 for fractional weights). The area under straight lines between these points of a
            ROC curve is within 1 / (2 · points · q · (1 − q)) of the AUC, q the share of positives: 'all': every
            distinct score.

    Returns:
        The table: the slice columns, `threshold`, `tp`, `fp`, `fn`, `tn`, `tpr`, `fpr`, `precision`, `recall`.
        Range: rates 0 to 1. Undefined: a rate is NULL where its denominator is 0.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.roc_curve.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> sqlmetrics.roc_curve(data, label="label", score="score")["tpr"].round(4).tolist()
        [0.0, 0.5, 0.5, 1.0, 1.0]
    """


def score_histogram(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, bins: int = 20, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Histogram of the scores by class: positives and negatives in equal steps of the score, from its lowest to its
    highest.

    A bin includes its lower edge, and the last bin also the highest score. Edge i is lowest · (bins − i) / bins +
    highest · i / bins. An infinite score is in the first or the last bin.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        bins: Number of bins.

    Returns:
        The table: the slice columns, `bin`, `lower`, `upper`, `rows`, `positives`, `negatives`, `share_of_positives`,
            `share_of_negatives`.
        Range: counts 0 and up; shares 0 to 1. Undefined: a share is NULL where its class is missing; bins without rows
            are dropped.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Pearson, Phil. Trans. R. Soc. A 186 (1895). Checked against: numpy.histogram.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.3, 0.1]})
        >>> sqlmetrics.score_histogram(data, label="label", score="score", bins=2)["positives"].round(4).tolist()
        [1.0, 1.0]
    """


def selection_rate(
    data: Any, *, score: Scores | None = None, prediction: Expression | None = None, weight: Expression | None = None,
    threshold: float = 0.5, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Selection rate: (TP + FP) / N, the share of rows called positive.

    It needs no label. `gaps` of the selection rate between groups measures demographic parity.

    Args:
        score: Prediction; higher is more positive.
        threshold: A row is predicted positive if its score is at least this.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `selection_rate`.
        Range: 0 to 1. Undefined: NULL without rows.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Agarwal and others, ICML 2018 (fairlearn user guide, demographic parity). Checked against:
        fairlearn.metrics.selection_rate; numpy.

    Example:
        >>> data = pd.DataFrame({"score": [0.6, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.selection_rate(data, score="score")["selection_rate"].item(), 4)
        0.5
    """


def specificity(
    data: Any, *, label: Expression | None = None, score: Scores | None = None, prediction: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    threshold: float = 0.5, zero_division: float | None = None, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Specificity (true negative rate): TN / (FP + TN).

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher is more positive.
        threshold: A row is predicted positive if its score is at least this.
        zero_division: The value of an undefined quotient; NULL by default.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `specificity`.
        Range: 0 to 1, higher is better. Undefined: NULL without negatives (zero_division replaces it).

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.recall_score(pos_label=0).

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.6, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.specificity(data, label="label", score="score")["specificity"].item(), 4)
        0.5
    """


def threshold_table(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, points: int | Literal["all"] = 200,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Threshold table: confusion counts and rates at every distinct score, from the highest down.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        points: The maximum number of thresholds: the lowest score of each bin ⌊points · weight of the higher scores /
            weight of all⌋ (within 1e-9 for fractional weights). The area under straight lines between these points of a
            ROC curve is within 1 / (2 · points · q · (1 − q)) of the AUC, q the share of positives: 'all': every
            distinct score.

    Returns:
        The table: the slice columns, `threshold`, `tp`, `fp`, `fn`, `tn`, `tpr`, `fpr`, `precision`, `recall`.
        Range: rates 0 to 1. Undefined: a rate is NULL where its denominator is 0.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.confusion_matrix at each threshold.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> sqlmetrics.threshold_table(data, label="label", score="score")["fp"].round(4).tolist()
        [0.0, 0.0, 1.0, 1.0, 2.0]
    """


def tpr_at_fpr(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, fpr: float, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """True positive rate at a false positive rate: largest TPR of the thresholds at which FPR ≤ fpr.

    Values between thresholds are not interpolated. A rate within 1e-9 above it counts as allowed.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        fpr: The highest allowed false positive rate.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `tpr_at_fpr`.
        Range: 0 to 1, higher is better. Undefined: NULL when one class is missing.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Metz, Seminars in Nuclear Medicine 8 (1978). Checked against: sklearn.metrics.roc_curve.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.tpr_at_fpr(data, label="label", score="score", fpr=0.1)["tpr_at_fpr"].item(), 4)
        0.5
    """


def youden_j(
    data: Any, *, label: Expression | None = None, score: Scores | None = None, prediction: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    threshold: float = 0.5, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Youden's J (informedness): TPR + TNR − 1.

    Its largest value over all thresholds is ks.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher is more positive.
        threshold: A row is predicted positive if its score is at least this.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `youden_j`.
        Range: -1 to 1, 0 is chance, higher is better. Undefined: NULL when one class is missing.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Youden, Cancer 3 (1950). Checked against: sklearn.metrics.balanced_accuracy_score(adjusted=True).

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 1, 0], "score": [0.2, 0.7, 0.4, 0.1]})
        >>> round(sqlmetrics.youden_j(data, label="label", score="score")["youden_j"].item(), 4)
        0.5
    """


def brier(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Brier score: mean (p − y)².

    The Brier skill score is 1 − brier / uncertainty(loss='brier').

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].

    Returns:
        One row per slice: the slice columns, `n` (rows used), `brier`.
        Range: 0 to 1, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Brier, Monthly Weather Review 78 (1950). Checked against: sklearn.metrics.brier_score_loss.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.brier(data, label="label", score="score")["brier"].item(), 4)
        0.1581
    """


def cal_n(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, bins: int = 10,
    binning: Literal["width", "mass"] = "mass", preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Calibration-N: √ mean over bins of e², e = PCOC − 1 where PCOC ≥ 1, else 1/PCOC − 1.

    Bins without positives or without predictions are dropped; diagnostics counts them.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        bins: Number of bins.
        binning: How the bins are formed: 'width': equal steps of the score; a bin includes its lower edge, and the last
            bin also 1; 'mass': equal weight of rows: bin ⌊bins · weight of the smaller scores / weight of all⌋ (within
            1e-9 for fractional weights); tied scores share a bin.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `cal_n`.
        Range: 0 and up, lower is better. Undefined: NULL when no bin has both positives and predictions.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Deng et al., ECML-PKDD 2020. Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.25, 0.25, 0.5, 0.5]})
        >>> round(sqlmetrics.cal_n(data, label="label", score="score", bins=2)["cal_n"].item(), 4)
        0.7071
    """


def calibration_curve(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, bins: int = 10,
    binning: Literal["width", "mass"] = "mass", preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Calibration curve (reliability diagram): per bin of the score, the mean score and the rate of positives.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        bins: Number of bins.
        binning: How the bins are formed: 'width': equal steps of the score, as in `ece`; 'mass': equal weight of rows,
            as in `cal_n`.

    Returns:
        The table: the slice columns, `bin`, `lower`, `upper`, `rows`, `mean_score`, `rate`, `copc`.
        Range: rates and scores 0 to 1. Undefined: bins without rows are dropped; copc is NULL where the scores are all
            0.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 1.16. Checked against: sklearn.calibration.calibration_curve.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.1, 0.4]})
        >>> sqlmetrics.calibration_curve(data, label="label", score="score")["rate"].round(4).tolist()
        [0.0, 1.0]
    """


def calibration_intercept(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, slope: Literal["one", "fitted"] = "one",
    eps: float = 2.220446049250313e-16, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Calibration intercept: a of the logistic regression logit P(y = 1) = a + b·logit(p), p kept within [eps, 1 −
    eps], b = 1 or fitted too.

    How much too low the log odds are on average. The default slope of 1 is called calibration in the large in the
    literature: it measures only the overall level. With a fitted slope, as in rms, the intercept is the error at a
    score of 0.5, where click logs have few rows.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        slope: How the slope is set: 'one': the slope is 1, so the log odds are an offset: calibration in the large;
            'fitted': the slope is fitted with the intercept.
        eps: Probabilities are clipped to [eps, 1 − eps].

    Returns:
        One row per slice: the slice columns, `n` (rows used), `calibration_intercept`.
        Range: any, 0 is calibrated, above 0 the scores are too low. Undefined: NULL when one class is missing, or where
            the fitted slope is NULL. With fractional weights also NULL where nearly all scores are 0 or 1 and only
            rounding errors remain.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Cox, Biometrika 45 (1958); Van Calster et al., BMC Medicine 17 (2019). Checked against: statsmodels.api.GLM
        and Logit.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1, 1, 0], "score": [0.1, 0.4, 0.6, 0.8, 0.9, 0.3]})
        >>> round(sqlmetrics.calibration_intercept(data, label="label", score="score")["calibration_intercept"].item(), 4)
        -0.0971
    """


def calibration_slope(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, eps: float = 2.220446049250313e-16,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Calibration slope: b of the logistic regression logit P(y = 1) = a + b·logit(p), p kept within [eps, 1 − eps].

    Measures the spread of the log odds, independent of their level: 1 is right, and below 1 the scores are too extreme,
    as in an overfitted model. With `calibration_intercept` it measures weak calibration. Engines without recursion,
    such as Spark, run eight rounds of the fit. More rounds are needed only where scores nearly separate the classes;
    the value is NULL there.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        eps: Probabilities are clipped to [eps, 1 − eps].

    Returns:
        One row per slice: the slice columns, `n` (rows used), `calibration_slope`.
        Range: any, 1 is calibrated, below 1 the scores are too far from each other. Undefined: NULL where there is no
            finite fit because a score separates the classes (no positive below it and no negative above it, or the
            reverse). This includes a missing class and equal scores.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Cox, Biometrika 45 (1958); Van Calster et al., BMC Medicine 17 (2019). Checked against:
        statsmodels.api.Logit.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1, 1, 0], "score": [0.1, 0.4, 0.6, 0.8, 0.9, 0.3]})
        >>> round(sqlmetrics.calibration_slope(data, label="label", score="score")["calibration_slope"].item(), 4)
        1.4652
    """


def copc(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Click over predicted click: Σ y / Σ p.

    The observed click rate (CTR) over the predicted one.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].

    Returns:
        One row per slice: the slice columns, `n` (rows used), `copc`.
        Range: 0 and up, 1 is calibrated, above 1 the model predicts too little. Undefined: NULL when the predictions
            add up to 0.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Graepel et al., ICML 2010. Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.1, 0.4]})
        >>> round(sqlmetrics.copc(data, label="label", score="score")["copc"].item(), 4)
        2.0
    """


def debiased_ece(
    data: Any, *, label: Expression | None = None, score: Scores, positives: Expression | None = None,
    total: Expression | None = None, bins: int = 10, binning: Literal["width", "mass"] = "width",
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Debiased expected calibration error: √max(0, Σ (rows of the bin / all rows)·((rate − mean score)² − rate·(1 −
    rate) / (rows of the bin − 1))).

    Also called debiased L2 calibration error. Rates of small bins deviate from their expectation by chance, which
    `ece(norm='l2')` counts as miscalibration. This metric subtracts the variance of each rate from the square. 0 means
    that these rows do not distinguish the model from a calibrated one. A bin of one row counts as 0.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        bins: Number of bins.
        binning: How the bins are formed: 'width': equal steps of the score; a bin includes its lower edge, and the last
            bin also 1; 'mass': equal weight of rows: bin ⌊bins · weight of the smaller scores / weight of all⌋ (within
            1e-9 for fractional weights); tied scores share a bin.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `debiased_ece`.
        Range: 0 to 1, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Kumar, Liang and Ma, NeurIPS 2019 (arXiv 1909.10155). Checked against: numpy.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 0, 1, 1, 1, 1, 1], "score": [0.1, 0.1, 0.1, 0.1, 0.6, 0.6, 0.6, 0.6]})
        >>> round(sqlmetrics.debiased_ece(data, label="label", score="score", bins=2)["debiased_ece"].item(), 4)
        0.2449
    """


def discrimination(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, loss: Literal["brier", "log_loss"] = "brier",
    eps: float = 2.220446049250313e-16, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Discrimination (CORP): S(ȳ) − mean S(r, y), r the scores recalibrated by isotonic regression, ȳ the rate of
    positives, S the loss of a row.

    The part of the uncertainty that the recalibrated scores remove: miscalibration − discrimination + uncertainty is
    the Brier score, or the log loss. `eps` clips p only, not r and ȳ, so it changes nothing here.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        loss: The loss of a score: 'brier': the squared difference of score and label; 'log_loss': −ln of the
            probability of the observed label.
        eps: In log_loss, probabilities are clipped to [eps, 1 − eps].

    Returns:
        One row per slice: the slice columns, `n` (rows used), `discrimination`.
        Range: 0 and up, at most the uncertainty, higher is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Dimitriadis, Gneiting and Jordan, PNAS 118 (2021). Checked against: the losses of the rate and after
        sklearn.isotonic.IsotonicRegression.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.6, 0.8]})
        >>> round(sqlmetrics.discrimination(data, label="label", score="score")["discrimination"].item(), 4)
        0.125
    """


def e50(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Median calibration error (E50): (weighted) median of |p − r|, r the score recalibrated by isotonic regression.

    The median of the calibration errors of rows; their mean is the integrated calibration index. The original
    definition uses a smoothed calibration curve (loess). The quantile is of type 2 (Hyndman and Fan). Where rows reach
    the share exactly (within 1e-9 for fractional weights), it is the mean of two neighbouring errors. The default of
    numpy and R is type 7.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].

    Returns:
        One row per slice: the slice columns, `n` (rows used), `e50`.
        Range: 0 to 1, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Harrell, Regression Modeling Strategies; Austin and Steyerberg, Statistics in Medicine 38 (2019). Checked
        against: sklearn.isotonic.IsotonicRegression, the percentile by hand.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.6, 0.8]})
        >>> round(sqlmetrics.e50(data, label="label", score="score")["e50"].item(), 4)
        0.1
    """


def e90(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """90th percentile of the calibration error (E90): (weighted) 90th percentile of |p − r|, r the score recalibrated
    by isotonic regression.

    The 90th percentile of the calibration errors of rows; their mean is the integrated calibration index. The original
    definition uses a smoothed calibration curve (loess). The quantile is of type 2 (Hyndman and Fan). Where rows reach
    the share exactly (within 1e-9 for fractional weights), it is the mean of two neighbouring errors. The default of
    numpy and R is type 7.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].

    Returns:
        One row per slice: the slice columns, `n` (rows used), `e90`.
        Range: 0 to 1, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Harrell, Regression Modeling Strategies; Austin and Steyerberg, Statistics in Medicine 38 (2019). Checked
        against: sklearn.isotonic.IsotonicRegression, the percentile by hand.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.6, 0.8]})
        >>> round(sqlmetrics.e90(data, label="label", score="score")["e90"].item(), 4)
        0.2
    """


def ece(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, norm: Literal["l1", "l2", "max"] = "l1",
    bins: int = 10, binning: Literal["width", "mass"] = "width", preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Expected calibration error: Σ (weight of the bin / weight of all)·|rate − mean score|; l2 takes the root of the
    mean square, max the largest.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        norm: How the bins are combined: 'l1': mean over the rows; 'l2': root mean square over the rows; 'max': the
            worst bin.
        bins: Number of bins.
        binning: How the bins are formed: 'width': equal steps of the score; a bin includes its lower edge, and the last
            bin also 1; 'mass': equal weight of rows: bin ⌊bins · weight of the smaller scores / weight of all⌋ (within
            1e-9 for fractional weights); tied scores share a bin.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `ece`.
        Range: 0 to 1, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Naeini et al., AAAI 2015. Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.1, 0.4]})
        >>> round(sqlmetrics.ece(data, label="label", score="score")["ece"].item(), 4)
        0.35
    """


def emax(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Largest calibration error (Emax): max |p − r| over the rows, r the score recalibrated by isotonic regression.

    The largest calibration error of a score, even of a single row; `ece(norm='max')` is the same for bins. The original
    definition uses a smoothed calibration curve (loess).

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].

    Returns:
        One row per slice: the slice columns, `n` (rows used), `emax`.
        Range: 0 to 1, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Harrell, Regression Modeling Strategies; Austin and Steyerberg, Statistics in Medicine 38 (2019). Checked
        against: sklearn.isotonic.IsotonicRegression.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.6, 0.8]})
        >>> round(sqlmetrics.emax(data, label="label", score="score")["emax"].item(), 4)
        0.2
    """


def field_ece(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, field: Expression,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Field-level expected calibration error: Σ_f |Σ w(p − y)| / W over the values of the field.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].

    Returns:
        One row per slice: the slice columns, `n` (rows used), `field_ece`.
        Range: 0 to 1, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Pan et al., WWW 2020 (arXiv 1905.10713). Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.25, 0.25, 0.5, 0.5], "field": ["a", "a", "b", "b"]})
        >>> round(sqlmetrics.field_ece(data, label="label", score="score", field="field")["field_ece"].item(), 4)
        0.125
    """


def field_rce(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, field: Expression, eps: float | None = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Field-level relative calibration error: Σ_f n_f·|Σ(p − y)| / Σ y ÷ Σ n_f over the values of the field with a
    positive.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        eps: If set, it is added to every y in a denominator, and all values of the field count.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `field_rce`.
        Range: 0 and up, lower is better. Undefined: NULL without positives (unless eps is set).

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Pan et al., WWW 2020 (arXiv 1905.10713). Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.25, 0.25, 0.5, 0.5], "field": ["a", "a", "b", "b"]})
        >>> round(sqlmetrics.field_rce(data, label="label", score="score", field="field")["field_rce"].item(), 4)
        0.25
    """


def gc_n(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, field: Expression, bins: int = 10,
    binning: Literal["width", "mass"] = "mass", preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Grouped calibration-N: Σ w_f·cal_n_f / Σ w_f over the values of the field, w_f its rows.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        bins: Number of bins inside each value.
        binning: How the bins are formed: 'width': equal steps of the score; a bin includes its lower edge, and the last
            bin also 1; 'mass': equal weight of rows: bin ⌊bins · weight of the smaller scores / weight of all⌋ (within
            1e-9 for fractional weights); tied scores share a bin.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `gc_n`.
        Range: 0 and up, lower is better. Undefined: NULL when no value of the field has a cal_n.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Deng et al., ECML-PKDD 2020. Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.25, 0.25, 0.5, 0.5], "field": ["a", "a", "b", "b"]})
        >>> round(sqlmetrics.gc_n(data, label="label", score="score", field="field", bins=1)["gc_n"].item(), 4)
        0.5
    """


def integrated_calibration_index(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Integrated calibration index: mean |p − r|, r the score recalibrated by isotonic regression.

    The mean calibration error of rows, without bins. The original definition uses a smoothed calibration curve (loess);
    isotonic regression has no parameter to choose.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].

    Returns:
        One row per slice: the slice columns, `n` (rows used), `integrated_calibration_index`.
        Range: 0 to 1, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Austin and Steyerberg, Statistics in Medicine 38 (2019). Checked against:
        sklearn.isotonic.IsotonicRegression.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.6, 0.8]})
        >>> round(sqlmetrics.integrated_calibration_index(data, label="label", score="score")["integrated_calibration_index"].item(), 4)
        0.125
    """


def isotonic_calibration(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Isotonic calibration (CORP reliability diagram): the blocks of isotonic regression of the label on the score,
    each with its scores and its rate of positives.

    A calibration diagram without a number of bins to choose. It is also a recalibration table: a score from lower to
    upper maps to the rate. There are no scores between two blocks; scikit-learn interpolates linearly there.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.

    Returns:
        The table: the slice columns, `block`, `lower`, `upper`, `rows`, `weight`, `mean_score`, `rate`.
        Range: rates 0 to 1, each above that of the block before. Undefined: scores without any weight are block 0,
            whose rate and mean_score are NULL.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Dimitriadis, Gneiting and Jordan, PNAS 118 (2021). Checked against: sklearn.isotonic.IsotonicRegression.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.6, 0.8]})
        >>> sqlmetrics.isotonic_calibration(data, label="label", score="score")["rate"].round(4).tolist()
        [0.0, 0.5, 1.0]
    """


def log_loss(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, eps: float = 2.220446049250313e-16,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Log loss (binary cross-entropy): −mean(y·ln p + (1 − y)·ln(1 − p)), p kept within [eps, 1 − eps].

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        eps: Probabilities are clipped to [eps, 1 − eps].

    Returns:
        One row per slice: the slice columns, `n` (rows used), `log_loss`.
        Range: 0 and up, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.log_loss.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.log_loss(data, label="label", score="score")["log_loss"].item(), 4)
        0.4723
    """


def miscalibration(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, loss: Literal["brier", "log_loss"] = "brier",
    eps: float = 2.220446049250313e-16, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Miscalibration (CORP): mean S(p, y) − mean S(r, y), r the scores recalibrated by isotonic regression, S the loss
    of a row.

    The loss due to miscalibration, without bins: miscalibration − discrimination + uncertainty is the Brier score, or
    the log loss. `eps` clips p, not r. Blocks are fitted to the same rows, so calibrated scores are also above 0, by
    less the more rows there are.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        loss: The loss of a score: 'brier': the squared difference of score and label; 'log_loss': −ln of the
            probability of the observed label.
        eps: In log_loss, probabilities are clipped to [eps, 1 − eps].

    Returns:
        One row per slice: the slice columns, `n` (rows used), `miscalibration`.
        Range: 0 and up, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Dimitriadis, Gneiting and Jordan, PNAS 118 (2021). Checked against: the losses before and after
        sklearn.isotonic.IsotonicRegression.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.6, 0.8]})
        >>> round(sqlmetrics.miscalibration(data, label="label", score="score")["miscalibration"].item(), 4)
        0.0675
    """


def multi_log_loss(
    data: Any, *, label: Expression, weight: Expression | None = None, scores: dict[Any, Expression],
    normalize: bool = False, eps: float = 2.220446049250313e-16, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Multi-class log loss: −mean ln p(true class), p kept within [eps, 1 − eps].

    A label without a column is an error.

    Args:
        label: True class, of any type.
        scores: The column of each class's probability.
        normalize: Divide each row's probabilities by their sum first.
        eps: Probabilities are clipped to [eps, 1 − eps].

    Returns:
        One row per slice: the slice columns, `n` (rows used), `multi_log_loss`.
        Range: 0 and up, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `scores` is outside [0, 1] (a probability is needed); `label` has a class without a column in scores of
            multi_log_loss.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.log_loss, on rows that sum to 1.

    Example:
        >>> data = pd.DataFrame({"label": ["cat", "dog"], "p_cat": [0.8, 0.4], "p_dog": [0.2, 0.6]})
        >>> round(sqlmetrics.multi_log_loss(data, label="label", scores={'cat': 'p_cat', 'dog': 'p_dog'})["multi_log_loss"].item(), 4)
        0.367
    """


def normalized_entropy(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, eps: float = 2.220446049250313e-16,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Normalised entropy: log loss / −(q·ln q + (1 − q)·ln(1 − q)), q the slice's own rate of positives.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        eps: Probabilities are clipped to [eps, 1 − eps].

    Returns:
        One row per slice: the slice columns, `n` (rows used), `normalized_entropy`.
        Range: 0 and up, 1 is as good as always predicting the rate, lower is better. Undefined: NULL when one class is
            missing.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: He et al., ADKDD 2014. Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.normalized_entropy(data, label="label", score="score")["normalized_entropy"].item(), 4)
        0.6814
    """


def pcoc(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Predicted click over click: Σ p / Σ y.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].

    Returns:
        One row per slice: the slice columns, `n` (rows used), `pcoc`.
        Range: 0 and up, 1 is calibrated, above 1 the model predicts too much. Undefined: NULL without positives.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: He et al., ADKDD 2014 (there named calibration). Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.1, 0.4]})
        >>> round(sqlmetrics.pcoc(data, label="label", score="score")["pcoc"].item(), 4)
        0.5
    """


def relative_information_gain(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, eps: float = 2.220446049250313e-16,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Relative information gain: 1 − log loss / −(q·ln q + (1 − q)·ln(1 − q)), q the slice's own rate of positives.

    1 − normalized_entropy.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        eps: Probabilities are clipped to [eps, 1 − eps].

    Returns:
        One row per slice: the slice columns, `n` (rows used), `relative_information_gain`.
        Range: at most 1, 0 is as good as always predicting the rate, higher is better. Undefined: NULL when one class
            is missing.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Graepel et al., ICML 2010; Yi et al., ADKDD 2013. Checked against: scikit-learn's log loss over the entropy
        of the rate.

    Example:
        >>> data = pd.DataFrame({"label": [0, 0, 1, 1], "score": [0.1, 0.4, 0.35, 0.8]})
        >>> round(sqlmetrics.relative_information_gain(data, label="label", score="score")["relative_information_gain"].item(), 4)
        0.3186
    """


def uncertainty(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, loss: Literal["brier", "log_loss"] = "brier",
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Uncertainty: the loss of the rate of positives ȳ as the score of every row, ȳ·(1 − ȳ) or −ȳ·ln ȳ − (1 − ȳ)·ln(1 −
    ȳ).

    The loss of a constant prediction of the rate: miscalibration − discrimination + uncertainty is the Brier score, or
    the log loss.

    Args:
        label: Label, 0/1 or boolean.
        score: Predicted probability in [0, 1].
        loss: The loss of a score: 'brier': the squared difference of score and label; 'log_loss': −ln of the
            probability of the observed label.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `uncertainty`.
        Range: 0 and up, at most 0.25, or of the log loss ln 2; what any score has to do with. Undefined: NULL without
            rows.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed); `score` is outside [0, 1] (a probability is
            needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Murphy, Journal of Applied Meteorology 12 (1973); Dimitriadis, Gneiting and Jordan, PNAS 118 (2021). Checked
        against: sklearn.metrics.brier_score_loss and log_loss of the rate.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.6, 0.8]})
        >>> round(sqlmetrics.uncertainty(data, label="label", score="score")["uncertainty"].item(), 4)
        0.25
    """


def gauc(
    data: Any, *, label: Expression | None = None, score: Scores, group: Expression, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None,
    weights: Literal["rows", "positives", "uniform"] = "rows", preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Group AUC, the mean over groups of the AUC inside each group: Σ wᵤ·AUCᵤ / Σ wᵤ over the groups that hold both
    classes.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        weights: Wᵤ, the weight of a group: 'rows': the (weighted) rows of the group; 'positives': its (weighted)
            positives; 'uniform': each group counts the same.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `gauc`.
        Range: 0 to 1, 0.5 is chance, higher is better. Undefined: NULL when no group holds both classes.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Zhu et al., KDD 2017 (Optimized Cost per Click). Checked against: a loop of sklearn.metrics.roc_auc_score
        over the groups.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.5, 0.2], "group": [1, 1, 2, 2]})
        >>> round(sqlmetrics.gauc(data, label="label", score="score", group="group")["gauc"].item(), 4)
        0.5
    """


def group_auc(
    data: Any, *, label: Expression | None = None, score: Scores, group: Expression, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """AUC of every group: one row per group, its AUC, rows and positives.

    `group` has the name of its column in the data. `rows` counts the rows of the data, and `positives` are weighted;
    for pre-aggregated rows both count the original rows.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.

    Returns:
        The table: the slice columns, `group`, `auc`, `rows`, `positives`.
        Range: 0 to 1, 0.5 is chance, higher is better. Undefined: auc is NULL in a group with one class only.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Zhu et al., KDD 2017 (Optimized Cost per Click). Checked against: a loop of sklearn.metrics.roc_auc_score
        over the groups.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 0, 1], "score": [0.1, 0.4, 0.5, 0.2], "group": [1, 1, 2, 2]})
        >>> sqlmetrics.group_auc(data, label="label", score="score", group="group")["auc"].round(4).tolist()
        [1.0, 0.0]
    """


def alpha_dcg(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    subtopic: Expression, k: int | None = None, alpha: float = 0.5, relevant_at: float = 1,
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Novelty-aware discounted cumulative gain (α-DCG): Σ over the first k items i of discount(i) · Σ over the
    subtopics for which it is relevant of (1 − alpha)^c, c the relevant items above for the same subtopic, then the mean
    over groups.

    Each row is an item and one subtopic for which it was judged. An item counts once in the list and needs at least one
    row. An item without a relevant subtopic has a row with label 0 or without a subtopic. With judgments, these rows
    are in judgments, and the data has one row per item. Equal scores are ordered by tie_key, by default the item,
    descending (in pyndeval ascending). ndeval and ir_measures divide it by the number of subtopics times Σ
    discount(i)·(1 − alpha)^(i − 1) over the first k places.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        alpha: The share of the remaining value of a subtopic that a relevant item takes away.
        relevant_at: An item is relevant if its label is at least this.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as: 'skip': dropped from the mean; 'zero': counts as 0;
            'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `alpha_dcg_at_10` for k = 10.
        Range: 0 and up, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL
            without groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Clarke et al., SIGIR 2008; ndeval of the TREC Web Track. Checked against: alpha-DCG of ndeval (its formula).

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 1, 1], "item": ["a", "b", "b", "c"], "subtopic": ["x", "x", "y", "y"], "label": [1, 1, 1, 0], "score": [3, 2, 2, 1]})
        >>> round(sqlmetrics.alpha_dcg(data, group="group", item="item", subtopic="subtopic", label="label", score="score")["alpha_dcg"].item(), 4)
        1.9464
    """


def alpha_ndcg(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    subtopic: Expression, k: int, alpha: float = 0.5, relevant_at: float = 1, missing: Literal["zero", "skip"] = "zero",
    empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Novelty-aware normalised discounted cumulative gain (α-nDCG): α-DCG of the first k items / that of a list in
    which each item is the one that gains most after those above it, then the mean over groups.

    The ideal list contains all items of the group, with judgments also those that were not returned. It is built
    greedily, item by item, and of equal gains it takes the greater item. The greedy list is not always the best list,
    so a value may be slightly above 1. Each row is an item and one subtopic for which it was judged. An item counts
    once in the list and needs at least one row. An item without a relevant subtopic has a row with label 0 or without a
    subtopic. With judgments, these rows are in judgments, and the data has one row per item. Equal scores are ordered
    by tie_key, by default the item, descending (in pyndeval ascending). The list takes at most k rounds, which are
    steps of the statement on Spark, BigQuery, Snowflake, Trino and Redshift, elsewhere of a recursion. For k above 10,
    Spark may need a larger `spark.sql.analyzer.maxIterations`.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top, at most 20 as in ndeval.
        alpha: The share of the remaining value of a subtopic that a relevant item takes away.
        relevant_at: An item is relevant if its label is at least this.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as: 'skip': dropped from the mean; 'zero': counts as 0;
            'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `alpha_ndcg_at_10` for k = 10.
        Range: 0 and up, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL
            without groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Clarke et al., SIGIR 2008; ndeval of the TREC Web Track. Checked against: alpha-nDCG of ndeval.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 1, 1], "item": ["a", "b", "b", "c"], "subtopic": ["x", "x", "y", "y"], "label": [1, 1, 1, 0], "score": [3, 2, 2, 1]})
        >>> round(sqlmetrics.alpha_ndcg(data, group="group", item="item", subtopic="subtopic", label="label", score="score", k=2)["alpha_ndcg_at_2"].item(), 4)
        0.8406
    """


def bpref(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    ties: Literal["worst", "best", "key"] = "worst", relevant_at: float = 1,
    negative: Literal["error", "zero"] = "error", precision_of_scores: Literal["double", "single"] = "double",
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Binary preference: 1/R · Σ over relevant returned items of 1 − min(n, R) / min(R, N), n the judged non-relevant
    above it, N all of them.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set).
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `bpref`.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Buckley and Voorhees, SIGIR 2004. Checked against: trec_eval bpref.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.bpref(data, label="label", score="score", group="group")["bpref"].item(), 4)
        0.5
    """


def cg(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    k: int | None = None, gain: Literal["exp", "linear", "binary"] = "exp",
    ties: Literal["worst", "best", "key", "average"] = "worst", relevant_at: float = 1,
    negative: Literal["error", "zero"] = "error", precision_of_scores: Literal["double", "single"] = "double",
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Cumulative gain: Σ gain(relᵢ) over the first k items, then the mean over groups.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        gain: The gain of an item by its grade: 'exp': 2^label − 1; 'linear': the label itself; 'binary': 1 for a
            relevant item.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set); 'average': the mean over all orders of the equal scores.
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `cg_at_10` for k = 10.
        Range: 0 and up, higher is better. Undefined: NULL for a group without any gain (labels of 0, or with
            gain='binary' no relevant item), see empty; NULL without groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed); `label` is above 1000: the
            gain 2^label - 1 is too large for a double.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Järvelin and Kekäläinen, TOIS 20(4), 2002. Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [3, 2, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.cg(data, label="label", score="score", group="group", k=3)["cg_at_3"].item(), 4)
        10.0
    """


def compatibility(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    p: float = 0.95, ties: Literal["worst", "best", "key"] = "worst", relevant_at: float = 1,
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Compatibility with the ideal list: Σ p^(d − 1)·X(d) / d over Σ p^(d − 1)·min(d, R) / d, X(d) the items among the
    first d of the list and of the ideal one, which has the R relevant items; then the mean over groups.

    The rank-biased overlap with the relevant items in the order of their grades, as a share of its maximum. In the
    ideal list, items of one grade have the order of the list itself. Both sums end with the longer list; only the order
    of grades matters, not their gain.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        p: The probability that the reader continues to the next item.
        ties: The order of items with equal scores or equal labels: 'worst': of equal values the item that is lower in
            the other list comes first; 'best': of equal values the item that is higher in the other list comes first;
            'key': equal values are ordered by the role tie_key, descending (by item if it is not set).
        relevant_at: An item is relevant if its label is at least this.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as: 'skip': dropped from the mean; 'zero': counts as 0;
            'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `compatibility`.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Clarke, Vtyurina and Smucker, TOIS 39(3), 2021. Checked against: ir_measures Compat, its formula by numpy.

    Example:
        >>> data = pd.DataFrame({"label": [3, 2, 0, 1], "score": [4, 2, 3, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.compatibility(data, label="label", score="score", group="group")["compatibility"].item(), 4)
        0.778
    """


def dcg(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    k: int | None = None, gain: Literal["exp", "linear", "binary"] = "exp",
    discount: Literal["log2", "classic"] = "log2", ties: Literal["worst", "best", "key", "average"] = "worst",
    relevant_at: float = 1, negative: Literal["error", "zero", "keep"] = "error",
    precision_of_scores: Literal["double", "single"] = "double", missing: Literal["zero", "skip"] = "zero",
    empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Discounted cumulative gain: Σ gain(relᵢ)·discount(i) over the first k items, then the mean over groups.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        gain: The gain of an item by its grade: 'exp': 2^label − 1; 'linear': the label itself; 'binary': 1 for a
            relevant item.
        discount: The discount of a gain at position i: 'log2': 1/log2(i + 1); 'classic': 1 for the first item, then
            1/log2(i).
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set); 'average': the mean over all orders of the equal scores.
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0; 'keep': lowers the sum.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `dcg_at_10` for k = 10.
        Range: 0 and up, higher is better; any with negative='keep'. Undefined: NULL for a group without any gain
            (labels of 0, or with gain='binary' no relevant item), see empty; NULL without groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed); `label` is above 1000: the
            gain 2^label - 1 is too large for a double.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Järvelin and Kekäläinen, TOIS 20(4), 2002. Checked against: sklearn.metrics.dcg_score; ranx.

    Example:
        >>> data = pd.DataFrame({"label": [3, 2, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.dcg(data, label="label", score="score", group="group", k=3)["dcg_at_3"].item(), 4)
        8.8928
    """


def err(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    k: int | None = None, max_label: float, ties: Literal["worst", "best", "key"] = "worst",
    negative: Literal["error", "zero"] = "error", precision_of_scores: Literal["double", "single"] = "double",
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Expected reciprocal rank: Σ Rᵢ/i · Π over the items above of (1 − Rⱼ), R = (2^label − 1) / 2^max_label, then the
    mean over groups.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        max_label: The highest possible grade.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set).
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `err_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any gain (labels of 0), see empty; NULL
            without groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed); `label` is above 1000: the
            gain 2^label - 1 is too large for a double; `label` is above max_label=3 of err.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Chapelle et al., CIKM 2009. Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [3, 2, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.err(data, label="label", score="score", group="group", max_label=3)["err"].item(), 4)
        0.9009
    """


def err_ia(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    subtopic: Expression, k: int | None = None, max_label: float = 1,
    normalized_by: Literal["nothing", "ideal"] = "nothing", relevant_at: float = 1,
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Intent-aware expected reciprocal rank: mean over the subtopics of Σ Rᵢ/i · Π over the items above of (1 − Rⱼ), R
    = (2^label − 1) / 2^max_label, then the mean over groups.

    Each row is an item and one subtopic for which it was judged. An item counts once in the list and needs at least one
    row. An item without a relevant subtopic has a row with label 0 or without a subtopic. With judgments, these rows
    are in judgments, and the data has one row per item. Equal scores are ordered by tie_key, by default the item,
    descending (in pyndeval ascending). All subtopics with a relevant item are equally likely. ndeval and ir_measures
    have two grades and divide by the best possible list, whose items are relevant for each subtopic
    (`normalized_by='ideal'`).

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        max_label: The highest possible grade.
        normalized_by: The divisor of the value: 'nothing': the plain value; 'ideal': the value of k items (64 without
            k) with the highest grade for every subtopic.
        relevant_at: An item is relevant if its label is at least this.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as: 'skip': dropped from the mean; 'zero': counts as 0;
            'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `err_ia_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed); `label` is above 1000: the
            gain 2^label - 1 is too large for a double; `label` is above max_label=1 of err_ia.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Chapelle, Ji, Liao, Velipasaoglu, Lai and Wu, Information Retrieval 14 (2011); ndeval of the TREC Web Track.
        Checked against: ERR-IA of ndeval (its formula); by hand.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 1, 1], "item": ["a", "b", "b", "c"], "subtopic": ["x", "x", "y", "y"], "label": [1, 1, 1, 0], "score": [3, 2, 2, 1]})
        >>> round(sqlmetrics.err_ia(data, group="group", item="item", subtopic="subtopic", label="label", score="score")["err_ia"].item(), 4)
        0.4375
    """


def f1_at_k(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None, k: int,
    average: Literal["macro", "micro"] = "macro", ties: Literal["worst", "best", "key", "average"] = "worst",
    relevant_at: float = 1, negative: Literal["error", "zero"] = "error",
    precision_of_scores: Literal["double", "single"] = "double", missing: Literal["zero", "skip"] = "zero",
    empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """F1 at k: 2·hits / (k + R), then the mean over groups.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top.
        average: How the groups are combined: 'macro': the mean over groups; 'micro': 2·hits of all groups / (listed +
            relevant items of all groups); empty='skip' drops groups without a relevant item from both, 'zero' and 'one'
            do not.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set); 'average': the mean over all orders of the equal scores.
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `f1_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4. Checked against: by hand,
        from trec_eval P and recall.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.f1_at_k(data, label="label", score="score", group="group", k=2)["f1_at_2"].item(), 4)
        0.5
    """


def fall_out_at_k(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None, k: int,
    ties: Literal["worst", "best", "key", "average"] = "worst", relevant_at: float = 1,
    negative: Literal["error", "zero"] = "error", precision_of_scores: Literal["double", "single"] = "double",
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Fall-out at k: items among the first k that are not relevant / all items that are not relevant, then the mean
    over groups.

    The false positive rate of a list that ends at k. A returned item without a judgment is not relevant.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set); 'average': the mean over all orders of the equal scores.
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any item that is not relevant counts as: 'skip': dropped from the mean; 'zero':
            counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `fall_out_at_10` for k = 10.
        Range: 0 to 1, lower is better. Undefined: NULL for a group without any item that is not relevant, see empty;
            NULL without groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.3. Checked against:
        trec_eval recall, of the items that are not relevant.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.fall_out_at_k(data, label="label", score="score", group="group", k=2)["fall_out_at_2"].item(), 4)
        0.5
    """


def gm_map(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    least: float = 1e-05, ties: Literal["worst", "best", "key"] = "worst", relevant_at: float = 1,
    negative: Literal["error", "zero"] = "error", precision_of_scores: Literal["double", "single"] = "double",
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Geometric mean average precision: exp of the mean over groups of ln max(average precision, least).

    The worst queries count most. The value of a single group is its average precision.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        least: The lower bound of an average precision, so that one value of 0 does not make the mean 0.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set).
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `gm_map`.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Robertson, CIKM 2006; trec_eval, m_gm_map.c. Checked against: trec_eval map of each query, and its geometric
        mean by numpy.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [2, 1, 2, 1], "group": [1, 1, 2, 2]})
        >>> round(sqlmetrics.gm_map(data, label="label", score="score", group="group")["gm_map"].item(), 4)
        0.7071
    """


def hit_rate(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    k: int | None = None, ties: Literal["worst", "best", "key"] = "worst", relevant_at: float = 1,
    negative: Literal["error", "zero"] = "error", precision_of_scores: Literal["double", "single"] = "double",
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Hit rate: share of the groups with a relevant item among the first k.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set).
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `hit_rate_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Deshpande and Karypis, TOIS 22(1), 2004. Checked against: ranx hit_rate.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.hit_rate(data, label="label", score="score", group="group", k=2)["hit_rate_at_2"].item(), 4)
        1.0
    """


def idcg(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    k: int | None = None, gain: Literal["exp", "linear", "binary"] = "exp",
    discount: Literal["log2", "classic"] = "log2", relevant_at: float = 1, negative: Literal["error", "zero"] = "error",
    precision_of_scores: Literal["double", "single"] = "double", missing: Literal["zero", "skip"] = "zero",
    empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Ideal discounted cumulative gain: the DCG of the best order, then the mean over groups.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        gain: The gain of an item by its grade: 'exp': 2^label − 1; 'linear': the label itself; 'binary': 1 for a
            relevant item.
        discount: The discount of a gain at position i: 'log2': 1/log2(i + 1); 'classic': 1 for the first item, then
            1/log2(i).
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': has the ideal of its judgments; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `idcg_at_10` for k = 10.
        Range: 0 and up. Undefined: NULL for a group without any gain (labels of 0, or with gain='binary' no relevant
            item), see empty; NULL without groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed); `label` is above 1000: the
            gain 2^label - 1 is too large for a double.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Järvelin and Kekäläinen, TOIS 20(4), 2002. Checked against: sklearn.metrics.dcg_score of the labels
        themselves.

    Example:
        >>> data = pd.DataFrame({"label": [3, 2, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.idcg(data, label="label", score="score", group="group", k=3)["idcg_at_3"].item(), 4)
        9.3928
    """


def infap(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    ties: Literal["worst", "best", "key"] = "worst", relevant_at: float = 1,
    negative: Literal["error", "zero"] = "error", precision_of_scores: Literal["double", "single"] = "double",
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Inferred average precision: 1/R · Σ over relevant returned items of (1 + n·(r + ε) / (r + s + 2ε)) / i, above
    place i n pooled, r relevant and s judged non-relevant items.

    For judgments of a random sample of the pool. A negative label (negative='zero') marks an item that was pooled and
    not judged; an item without a label was not pooled. ε is 0.00001, as in trec_eval.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set).
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `infap`.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Yilmaz and Aslam, CIKM 2006; trec_eval, m_infap.c. Checked against: trec_eval infAP.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.infap(data, label="label", score="score", group="group")["infap"].item(), 4)
        0.75
    """


def interpolated_precision(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    recall: float, ties: Literal["worst", "best", "key"] = "worst", relevant_at: float = 1,
    negative: Literal["error", "zero"] = "error", precision_of_scores: Literal["double", "single"] = "double",
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Interpolated precision at a recall: mean over groups of the highest precision at any place where ⌊recall·R + 0.9⌋
    relevant items or more are found, 0 without one.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        recall: The precision is taken at this recall or above.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set).
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `interpolated_precision`.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4; trec_eval,
        m_iprec_at_recall.c. Checked against: trec_eval iprec_at_recall.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1, 1], "score": [5, 4, 3, 2, 1], "group": [1, 1, 1, 1, 1]})
        >>> round(sqlmetrics.interpolated_precision(data, label="label", score="score", group="group", recall=0.5)["interpolated_precision"].item(), 4)
        0.6
    """


def judged_at_k(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None, k: int,
    ties: Literal["worst", "best", "key"] = "worst", negative: Literal["error", "zero"] = "error",
    precision_of_scores: Literal["double", "single"] = "double", missing: Literal["zero", "skip"] = "zero",
    judgments: Any = None, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Judged at k: judged items among the first k / items among the first k, then the mean over groups.

    With judgments, the share of a list that is judged; other metrics count an item without a judgment as not relevant.
    A negative label marks an item that was never read.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; a shorter list is used as it is.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set).
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `judged_at_10` for k = 10.
        Range: 0 to 1, of a list to trust the others on it is near 1. Undefined: NULL without groups.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: ir_measures, Judged. Checked against: trec_eval set_P of the judged items; ir_measures Judged.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0], "score": [2, 1], "group": [1, 1], "item": ["a", "b"]})
        >>> judgments = pd.DataFrame({"group": [1, 1], "item": ["a", "c"], "label": [1, 1]})
        >>> round(sqlmetrics.judged_at_k(data, label="label", score="score", group="group", item="item", judgments=judgments, k=2)["judged_at_2"].item(), 4)
        0.5
    """


def kendall_tau(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, rank: Expression | None = None,
    group_weight: Expression | None = None, variant: Literal["a", "b", "c"] = "b", max_group_size: int = 5000,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Kendall's rank correlation of score and label: (concordant − discordant pairs) / pairs, per group, then the mean
    over groups; b and c correct for ties.

    The work grows with the square of the distinct (score, label) values of a group; larger groups than max_group_size
    are an error.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        variant: How ties are treated: 'a': all pairs count; 'b': corrected for pairs tied in either; 'c': for scores
            and labels of few values.
        max_group_size: A larger group is an error, as the work grows with the square of its distinct (score, label)
            values.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `kendall_tau`.
        Range: -1 to 1, higher is better. Undefined: NULL for a group of one item or, in b and c, with a constant score
            or label; such groups are dropped.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Kendall, Biometrika 33 (1945); Stuart, Biometrika 40 (1953) for c. Checked against: scipy.stats.kendalltau
        (b, c); by hand (a).

    Example:
        >>> data = pd.DataFrame({"label": [3, 2, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.kendall_tau(data, label="label", score="score", group="group")["kendall_tau"].item(), 4)
        0.6667
    """


def map(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    k: int | None = None, denominator: Literal["relevant", "min", "hits"] = "relevant",
    ties: Literal["worst", "best", "key"] = "worst", relevant_at: float = 1,
    negative: Literal["error", "zero"] = "error", precision_of_scores: Literal["double", "single"] = "double",
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Mean average precision: mean over groups of Σ precision at the place of each relevant item / the denominator.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        denominator: What the sum of precisions is divided by: 'relevant': all relevant items of the group; 'min': the
            smaller of k and the relevant items; 'hits': the relevant items among the first k; 0 without one.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set).
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as: 'skip': dropped from the mean; 'zero': counts as 0;
            'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `map_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4. Checked against:
        trec_eval map, map_cut; LightGBM map.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1, 1, 1], "score": [6, 5, 4, 3, 2, 1], "group": [1, 1, 1, 1, 1, 1]})
        >>> round(sqlmetrics.map(data, label="label", score="score", group="group")["map"].item(), 4)
        0.6917
    """


def map_ia(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    subtopic: Expression, k: int | None = None, relevant_at: float = 1, missing: Literal["zero", "skip"] = "zero",
    empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Intent-aware mean average precision: mean over the subtopics of the average precision of the list for each, Σ
    over its relevant items of (relevant items down to here / place) / its relevant items, then the mean over groups.

    Each row is an item and one subtopic for which it was judged. An item counts once in the list and needs at least one
    row. An item without a relevant subtopic has a row with label 0 or without a subtopic. With judgments, these rows
    are in judgments, and the data has one row per item. Equal scores are ordered by tie_key, by default the item,
    descending (in pyndeval ascending). All subtopics with a relevant item are equally likely; the divisor includes
    relevant items below k.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        relevant_at: An item is relevant if its label is at least this.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as: 'skip': dropped from the mean; 'zero': counts as 0;
            'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `map_ia_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009; ndeval of the TREC Web Track. Checked against: MAP-IA of
        ndeval (its formula).

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 1, 1], "item": ["a", "b", "b", "c"], "subtopic": ["x", "x", "y", "y"], "label": [1, 1, 1, 0], "score": [3, 2, 2, 1]})
        >>> round(sqlmetrics.map_ia(data, group="group", item="item", subtopic="subtopic", label="label", score="score")["map_ia"].item(), 4)
        0.75
    """


def mrr(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    k: int | None = None, ties: Literal["worst", "best", "key"] = "worst", relevant_at: float = 1,
    negative: Literal["error", "zero"] = "error", precision_of_scores: Literal["double", "single"] = "double",
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Mean reciprocal rank: mean over groups of 1 / the place of the first relevant item, 0 beyond k.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set).
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `mrr_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Voorhees, TREC-8 question answering track, 1999. Checked against: trec_eval recip_rank, on lists cut at k.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 1], "score": [3, 2, 1], "group": [1, 1, 1]})
        >>> round(sqlmetrics.mrr(data, label="label", score="score", group="group")["mrr"].item(), 4)
        0.5
    """


def ndcg(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    k: int | None = None, gain: Literal["exp", "linear", "binary"] = "exp",
    discount: Literal["log2", "classic"] = "log2", ideal: Literal["judged", "listed"] = "judged",
    ideal_k: Literal["k", "full"] = "k", ties: Literal["worst", "best", "key", "average"] = "worst",
    relevant_at: float = 1, negative: Literal["error", "zero"] = "error",
    precision_of_scores: Literal["double", "single"] = "double", missing: Literal["zero", "skip"] = "zero",
    empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Normalised discounted cumulative gain: DCG / IDCG per group, IDCG that of the best order, then the mean over
    groups.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        gain: The gain of an item by its grade: 'exp': 2^label − 1; 'linear': the label itself; 'binary': 1 for a
            relevant item.
        discount: The discount of a gain at position i: 'log2': 1/log2(i + 1); 'classic': 1 for the first item, then
            1/log2(i).
        ideal: The items of the ideal list: 'judged': all judged items (without judgments all rows); 'listed': only the
            returned items.
        ideal_k: The length of the ideal list: 'k': the ideal list is cut at k too; 'full': the ideal list is not cut.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set); 'average': the mean over all orders of the equal scores.
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any gain counts as: 'skip': dropped from the mean; 'zero': counts as 0; 'one':
            counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `ndcg_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any gain (labels of 0, or with
            gain='binary' no relevant item), see empty; NULL without groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed); `label` is above 1000: the
            gain 2^label - 1 is too large for a double.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Järvelin and Kekäläinen, TOIS 20(4), 2002; Burges et al., ICML 2005 (the exponential gain). Checked against:
        sklearn.metrics.ndcg_score; trec_eval ndcg_cut; LightGBM.

    Example:
        >>> data = pd.DataFrame({"label": [3, 2, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.ndcg(data, label="label", score="score", group="group", k=4)["ndcg_at_4"].item(), 4)
        0.9926
    """


def nrbp(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    subtopic: Expression, alpha: float = 0.5, p: float = 0.5, relevant_at: float = 1,
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Novelty- and rank-biased precision: (1 − (1 − alpha)·p) · mean over the subtopics of Σ over the items i that are
    relevant for it of p^(i − 1) · (1 − alpha)^c, c the relevant items above, then the mean over groups.

    Each row is an item and one subtopic for which it was judged. An item counts once in the list and needs at least one
    row. An item without a relevant subtopic has a row with label 0 or without a subtopic. With judgments, these rows
    are in judgments, and the data has one row per item. Equal scores are ordered by tie_key, by default the item,
    descending (in pyndeval ascending). All subtopics with a relevant item are equally likely.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        alpha: The share of the remaining value of a subtopic that a relevant item takes away.
        p: The probability that a user continues to the next item, called β in the source.
        relevant_at: An item is relevant if its label is at least this.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as: 'skip': dropped from the mean; 'zero': counts as 0;
            'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `nrbp`.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Clarke, Kolla and Vechtomova, ICTIR 2009; ndeval of the TREC Web Track. Checked against: NRBP of ndeval (its
        formula).

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 1, 1], "item": ["a", "b", "b", "c"], "subtopic": ["x", "x", "y", "y"], "label": [1, 1, 1, 0], "score": [3, 2, 2, 1]})
        >>> round(sqlmetrics.nrbp(data, group="group", item="item", subtopic="subtopic", label="label", score="score")["nrbp"].item(), 4)
        0.6562
    """


def overlap_at_k(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None, k: int,
    divisor: Literal["union", "longer"] = "union", ties: Literal["worst", "best", "key"] = "worst",
    missing: Literal["zero", "skip"] = "zero", judgments: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Overlap of two rankings at k: items among the first k of both lists / items among the first k of one of them at
    least (Jaccard), then the mean over groups.

    One ranking is by score, the other by label (any numbers, higher first), such as those of an old and a new model.
    The second ranking may be a relation of its own, judgments; then each list may have items that are not in the other.

    Args:
        label: Score of the other ranking, any number; higher ranks first.
        score: Prediction; higher ranks first.
        k: How many items from the top of both lists; shorter lists are used as they are.
        divisor: The divisor of the items in both: 'union': the items in at least one list (Jaccard); 'longer': the
            items of the longer list.
        ties: The order of items with equal scores or equal labels: 'worst': of equal values the item that is lower in
            the other list comes first; 'best': of equal values the item that is higher in the other list comes first;
            'key': equal values are ordered by the role tie_key, descending (by item if it is not set).
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `overlap_at_10` for k = 10.
        Range: 0 to 1, 1 is the same items. Undefined: NULL without groups.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Jaccard, New Phytologist 11, 1912; Fagin, Kumar and Sivakumar, SODA 2003. Checked against:
        sklearn.metrics.jaccard_score; by hand.

    Example:
        >>> data = pd.DataFrame({"label": [3, 4, 1, 2], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.overlap_at_k(data, label="label", score="score", group="group", k=3)["overlap_at_3"].item(), 4)
        0.5
    """


def pairwise_accuracy(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, rank: Expression | None = None,
    group_weight: Expression | None = None, average: Literal["micro", "macro"] = "micro",
    equal_scores: Literal["half", "wrong"] = "half", max_group_size: int = 5000, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Pairwise accuracy: (concordant pairs + ½ of those with equal scores) / pairs, of two items of a group with
    different labels.

    With two labels it is the AUC of a group. The work grows with the square of the distinct (score, label) values of a
    group; larger groups than max_group_size are an error.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        average: How the groups are combined: 'micro': right pairs of all groups / pairs of all groups; 'macro': the
            mean over groups with two labels.
        equal_scores: A pair with equal scores: 'half': counts half; 'wrong': counts as wrong.
        max_group_size: A larger group is an error, as the work grows with the square of its distinct (score, label)
            values.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `pairwise_accuracy`.
        Range: 0 to 1, 0.5 is chance, higher is better. Undefined: NULL where no group has two labels.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: TensorFlow Ranking, OPAMetric; CatBoost, PairAccuracy. Checked against: sklearn.metrics.roc_auc_score; by
        hand.

    Example:
        >>> data = pd.DataFrame({"label": [3, 2, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.pairwise_accuracy(data, label="label", score="score", group="group")["pairwise_accuracy"].item(), 4)
        0.8333
    """


def pnr(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, rank: Expression | None = None,
    group_weight: Expression | None = None, average: Literal["micro", "macro"] = "micro", max_group_size: int = 5000,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Positive-negative ratio: concordant / discordant pairs, of two items of a group with different labels.

    The work grows with the square of the distinct (score, label) values of a group; larger groups than max_group_size
    are an error.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        average: How the groups are combined: 'micro': concordant of all groups / discordant of all groups; 'macro': the
            mean over groups with a discordant pair.
        max_group_size: A larger group is an error, as the work grows with the square of its distinct (score, label)
            values.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `pnr`.
        Range: 0 and up, 1 is chance, higher is better. Undefined: NULL without a discordant pair.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Zou et al., KDD 2021. Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [3, 2, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.pnr(data, label="label", score="score", group="group")["pnr"].item(), 4)
        5.0
    """


def precision_at_k(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None, k: int,
    average: Literal["macro", "micro"] = "macro", ties: Literal["worst", "best", "key", "average"] = "worst",
    relevant_at: float = 1, negative: Literal["error", "zero"] = "error",
    precision_of_scores: Literal["double", "single"] = "double", missing: Literal["zero", "skip"] = "zero",
    empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Precision at k: relevant items among the first k / k, then the mean over groups.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; a shorter list still divides by k.
        average: How the groups are combined: 'macro': the mean over groups; 'micro': hits of all groups / listed items
            of all groups; empty='skip' drops groups without a relevant item from both, 'zero' and 'one' do not.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set); 'average': the mean over all orders of the equal scores.
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `precision_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4. Checked against:
        trec_eval P; ranx precision.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.precision_at_k(data, label="label", score="score", group="group", k=2)["precision_at_2"].item(), 4)
        0.5
    """


def precision_ia(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    subtopic: Expression, k: int, relevant_at: float = 1, missing: Literal["zero", "skip"] = "zero",
    empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Intent-aware precision at k: mean over the subtopics of the relevant items among the first k / k, then the mean
    over groups.

    Each row is an item and one subtopic for which it was judged. An item counts once in the list and needs at least one
    row. An item without a relevant subtopic has a row with label 0 or without a subtopic. With judgments, these rows
    are in judgments, and the data has one row per item. Equal scores are ordered by tie_key, by default the item,
    descending (in pyndeval ascending). All subtopics with a relevant item are equally likely; lists shorter than k are
    divided by k too.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top.
        relevant_at: An item is relevant if its label is at least this.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as: 'skip': dropped from the mean; 'zero': counts as 0;
            'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `precision_ia_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009; ndeval of the TREC Web Track. Checked against: P-IA of
        ndeval (its formula).

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 1, 1], "item": ["a", "b", "b", "c"], "subtopic": ["x", "x", "y", "y"], "label": [1, 1, 1, 0], "score": [3, 2, 2, 1]})
        >>> round(sqlmetrics.precision_ia(data, group="group", item="item", subtopic="subtopic", label="label", score="score", k=2)["precision_ia_at_2"].item(), 4)
        0.75
    """


def r_precision(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    ties: Literal["worst", "best", "key"] = "worst", relevant_at: float = 1,
    negative: Literal["error", "zero"] = "error", precision_of_scores: Literal["double", "single"] = "double",
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """R-precision: relevant items among the first R / R, R the relevant items of the group.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set).
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `r_precision`.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4. Checked against:
        trec_eval Rprec.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.r_precision(data, label="label", score="score", group="group")["r_precision"].item(), 4)
        0.5
    """


def rbo(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    p: float = 0.9, k: int | None = None, beyond: Literal["extrapolated", "disjoint", "cut"] = "extrapolated",
    ties: Literal["worst", "best", "key"] = "worst", missing: Literal["zero", "skip"] = "zero", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Rank-biased overlap of two rankings: (1 − p)·Σ p^(d − 1)·X(d) / d, X(d) the items among the first d of both
    lists; then the mean over groups.

    One ranking is by score, the other by label (any numbers, higher first), such as those of an old and a new model.
    The second ranking may be a relation of its own, judgments; then each list may have items that are not in the other.

    Args:
        label: Score of the other ranking, any number; higher ranks first.
        score: Prediction; higher ranks first.
        p: The probability that the reader continues to the next item.
        k: How many items from the top of both lists; the whole lists by default.
        beyond: The agreement of the lists beyond their ends, or beyond k: 'extrapolated': the same agreement as down to
            there (equation 32); 'disjoint': nothing in common, a lower bound (equation 11); 'cut': the sum ends with
            the shorter list (equation 4).
        ties: The order of items with equal scores or equal labels: 'worst': of equal values the item that is lower in
            the other list comes first; 'best': of equal values the item that is higher in the other list comes first;
            'key': equal values are ordered by the role tie_key, descending (by item if it is not set).
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `rbo_at_10` for k = 10.
        Range: 0 to 1, 1 is the same order. Undefined: NULL without groups.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Webber, Moffat and Zobel, TOIS 28(4), 2010, equations 4, 11 and 32. Checked against: numpy by the equations;
        the package rbo, 0.1.3.

    Example:
        >>> data = pd.DataFrame({"label": [3, 4, 2, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.rbo(data, label="label", score="score", group="group")["rbo"].item(), 4)
        0.9
    """


def rbp(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    p: float = 0.8, gain: Literal["binary", "linear"] = "binary", max_label: float | None = None,
    ties: Literal["worst", "best", "key"] = "worst", relevant_at: float = 1,
    negative: Literal["error", "zero"] = "error", precision_of_scores: Literal["double", "single"] = "double",
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Rank-biased precision: (1 − p)·Σ gain(relᵢ)·p^(i − 1), then the mean over groups.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        p: The probability that the reader continues to the next item.
        gain: The gain of an item by its grade: 'binary': 1 for a relevant item; 'linear': label / max_label, which is 1
            by default.
        max_label: The highest possible grade.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set).
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `rbp`.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, or with gain='linear'
            without any gain (labels of 0), see empty; NULL without groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Moffat and Zobel, TOIS 27(1), 2008. Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.rbp(data, label="label", score="score", group="group")["rbp"].item(), 4)
        0.3024
    """


def recall_at_k(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None, k: int,
    average: Literal["macro", "micro"] = "macro", ties: Literal["worst", "best", "key", "average"] = "worst",
    relevant_at: float = 1, negative: Literal["error", "zero"] = "error",
    precision_of_scores: Literal["double", "single"] = "double", missing: Literal["zero", "skip"] = "zero",
    empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Recall at k: relevant items among the first k / all relevant items, then the mean over groups.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top.
        average: How the groups are combined: 'macro': the mean over groups; 'micro': hits of all groups / relevant
            items of all groups.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set); 'average': the mean over all orders of the equal scores.
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `recall_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4. Checked against:
        trec_eval recall; ranx recall.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.recall_at_k(data, label="label", score="score", group="group", k=2)["recall_at_2"].item(), 4)
        0.5
    """


def relative_precision(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    k: int | None = None, ties: Literal["worst", "best", "key"] = "worst", relevant_at: float = 1,
    negative: Literal["error", "zero"] = "error", precision_of_scores: Literal["double", "single"] = "double",
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Relative precision: relevant items among the first k / the most that there can be, min(k, R), R the relevant
    items of the group; then the mean over groups.

    Precision up to R items, recall beyond. Without k the divisor is the smaller of the returned items and R.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set).
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `relative_precision_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: trec_eval, m_rel_P.c and m_set_rel_P.c. Checked against: trec_eval relative_P and set_relative_P.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.relative_precision(data, label="label", score="score", group="group", k=3)["relative_precision_at_3"].item(), 4)
        0.5
    """


def set_f(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    beta: float = 1, relevant_at: float = 1, negative: Literal["error", "zero"] = "error",
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """F-beta of the whole list: (1 + β²)·P·R / (β²·P + R), P and R the precision and the recall of the list, then the
    mean over groups.

    The parameter of trec_eval's set_F is β².

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        beta: The weight of recall relative to precision.
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `set_f`.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: van Rijsbergen, Information Retrieval, 1979, chapter 7. Checked against: trec_eval set_F.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.set_f(data, label="label", score="score", group="group")["set_f"].item(), 4)
        0.6667
    """


def set_map(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    relevant_at: float = 1, negative: Literal["error", "zero"] = "error", missing: Literal["zero", "skip"] = "zero",
    empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Average precision of the whole list as a set: precision · recall of the list, then the mean over groups.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `set_map`.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: trec_eval, m_set_map.c. Checked against: trec_eval set_map.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.set_map(data, label="label", score="score", group="group")["set_map"].item(), 4)
        0.5
    """


def set_precision(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    relevant_at: float = 1, negative: Literal["error", "zero"] = "error", missing: Literal["zero", "skip"] = "zero",
    empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Precision of the whole list: relevant returned items / returned items, then the mean over groups.

    For lists without a cut at k. The order of the items does not matter.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `set_precision`.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: van Rijsbergen, Information Retrieval, 1979, chapter 7. Checked against: trec_eval set_P.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.set_precision(data, label="label", score="score", group="group")["set_precision"].item(), 4)
        0.5
    """


def set_recall(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    relevant_at: float = 1, negative: Literal["error", "zero"] = "error", missing: Literal["zero", "skip"] = "zero",
    empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Recall of the whole list: relevant returned items / all relevant items, then the mean over groups.

    1 without judgments; judgments may include items that were not returned. The order of the items does not matter.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `set_recall`.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: van Rijsbergen, Information Retrieval, 1979, chapter 7. Checked against: trec_eval set_recall.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0], "score": [2, 1], "group": [1, 1], "item": ["a", "b"]})
        >>> judgments = pd.DataFrame({"group": [1, 1], "item": ["a", "c"], "label": [1, 1]})
        >>> round(sqlmetrics.set_recall(data, label="label", score="score", group="group", item="item", judgments=judgments)["set_recall"].item(), 4)
        0.5
    """


def subtopic_recall(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    subtopic: Expression, k: int, relevant_at: float = 1, missing: Literal["zero", "skip"] = "zero",
    empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Subtopic recall at k: subtopics with a relevant item among the first k / subtopics with a relevant item, then the
    mean over groups.

    Each row is an item and one subtopic for which it was judged. An item counts once in the list and needs at least one
    row. An item without a relevant subtopic has a row with label 0 or without a subtopic. With judgments, these rows
    are in judgments, and the data has one row per item. Equal scores are ordered by tie_key, by default the item,
    descending (in pyndeval ascending). A subtopic counts if some row of the group, also below k, or a judgment is
    relevant for it.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top.
        relevant_at: An item is relevant if its label is at least this.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as: 'skip': dropped from the mean; 'zero': counts as 0;
            'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `subtopic_recall_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any relevant item, see empty; NULL without
            groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Zhai, Cohen and Lafferty, SIGIR 2003 (S-recall). Checked against: strec of ndeval (its formula).

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 1, 1], "item": ["a", "b", "b", "c"], "subtopic": ["x", "x", "y", "z"], "label": [1, 1, 0, 1], "score": [3, 2, 2, 1]})
        >>> round(sqlmetrics.subtopic_recall(data, group="group", item="item", subtopic="subtopic", label="label", score="score", k=2)["subtopic_recall_at_2"].item(), 4)
        0.5
    """


def unbiased_dcg(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    propensity: Expression | None = None, position: Expression | None = None, k: int | None = None,
    gain: Literal["exp", "linear", "binary"] = "exp", discount: Literal["log2", "classic"] = "log2",
    ties: Literal["worst", "best", "key"] = "worst", relevant_at: float = 1,
    negative: Literal["error", "zero"] = "error", precision_of_scores: Literal["double", "single"] = "double",
    missing: Literal["zero", "skip"] = "zero", empty: Literal["skip", "zero", "one"] = "zero", judgments: Any = None,
    propensities: Any = None, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Unbiased discounted cumulative gain: Σ gain(relᵢ) / propensityᵢ · discount(i) over the first k items of the new
    order, then the mean over groups.

    The reward that a new score would have had, from clicks (label) on lists of another model. propensity is the
    probability that the user saw the item at its logged position. Pass it as a column, or pass position to look it up
    in the relation propensities; other positions have none. A judged item that was not logged has none, and adds
    nothing.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        gain: The gain of an item by its grade: 'exp': 2^label − 1; 'linear': the label itself; 'binary': 1 for a
            relevant item.
        discount: The discount of a gain at position i: 'log2': 1/log2(i + 1); 'classic': 1 for the first item, then
            1/log2(i).
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set).
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any gain counts as; dropping groups without a click biases the mean: 'skip': dropped
            from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.
        propensities: Relation with a row per position: position, and propensity, the probability that it is seen.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `unbiased_dcg_at_10` for k = 10.
        Range: 0 and up, higher is better. Undefined: a group without any gain (labels of 0, or with gain='binary' no
            relevant item) counts as 0, see empty; NULL without groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed); `label` is above 1000: the
            gain 2^label - 1 is too large for a double; `propensity` is not above 0 and at most 1 (the probability of
            the logged action is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Jeunen, Potapov and Ustimenko, KDD 2024; Joachims, Swaminathan and Schnabel, WSDM 2017. Checked against:
        numpy.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 1], "score": [3, 2, 1], "propensity": [0.5, 1, 0.25], "group": [1, 1, 1]})
        >>> round(sqlmetrics.unbiased_dcg(data, label="label", score="score", propensity="propensity", group="group")["unbiased_dcg"].item(), 4)
        4.0
    """


def unbiased_ndcg(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    propensity: Expression | None = None, position: Expression | None = None, k: int | None = None,
    normalized_by: Literal["ideal", "weights"] = "ideal", gain: Literal["exp", "linear", "binary"] = "exp",
    discount: Literal["log2", "classic"] = "log2", ties: Literal["worst", "best", "key"] = "worst",
    relevant_at: float = 1, negative: Literal["error", "zero"] = "error",
    precision_of_scores: Literal["double", "single"] = "double", missing: Literal["zero", "skip"] = "zero",
    empty: Literal["skip", "zero", "one"] = "skip", judgments: Any = None, propensities: Any = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Unbiased normalised discounted cumulative gain: Σ gain(relᵢ) / propensityᵢ · discount(i) over the first k items
    of the new order / the most that there can be, then the mean over groups.

    propensity is the probability that the user saw the item at its logged position. Pass it as a column, or pass
    position to look it up in the relation propensities; other positions have none. The quotient of a group is biased
    with either divisor; it varies less than unbiased_dcg.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        normalized_by: The divisor of the sum of a group: 'ideal': the same sum of the best order; 'weights': the sum of
            gain / propensity of all items (self-normalised).
        gain: The gain of an item by its grade: 'exp': 2^label − 1; 'linear': the label itself; 'binary': 1 for a
            relevant item.
        discount: The discount of a gain at position i: 'log2': 1/log2(i + 1); 'classic': 1 for the first item, then
            1/log2(i).
        ties: The order of items with equal scores: 'worst': the least relevant of equal scores comes first; 'best': the
            most relevant of equal scores comes first; 'key': equal scores are ordered by the role tie_key, descending
            (by item if it is not set).
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        precision_of_scores: How scores are compared: 'double': as they are; 'single': as 32-bit numbers.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts as 0; 'skip': dropped from the mean.
        empty: What a group without any relevant item counts as; in a metric that adds up grades, a group without any
            gain: 'skip': dropped from the mean; 'zero': counts as 0; 'one': counts as 1.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.
        propensities: Relation with a row per position: position, and propensity, the probability that it is seen.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `unbiased_ndcg_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL for a group without any gain (labels of 0, or with
            gain='binary' no relevant item), see empty; NULL without groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed); `label` is above 1000: the
            gain 2^label - 1 is too large for a double; `propensity of position` is not above 0 and at most 1 (the
            probability of the logged action is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Jeunen, Potapov and Ustimenko, KDD 2024; Yang and others, RecSys 2018 (self-normalised). Checked against:
        numpy.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 1], "score": [3, 2, 1], "position": [2, 1, 3], "group": [1, 1, 1]})
        >>> propensities = pd.DataFrame({"position": [1, 2, 3], "propensity": [1, 0.5, 0.25]})
        >>> round(sqlmetrics.unbiased_ndcg(data, label="label", score="score", position="position", group="group", propensities=propensities)["unbiased_ndcg"].item(), 4)
        0.7602
    """


def utility(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression | None = None,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    relevant_returned: float = 1, other_returned: float = -1, relevant_missed: float = 0, other_missed: float = 0,
    collection_size: int = 0, relevant_at: float = 1, negative: Literal["error", "zero"] = "error",
    missing: Literal["zero", "skip"] = "zero", judgments: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Utility of the whole list: a·(relevant returned) + b·(other returned) + c·(relevant not returned) + d·(others not
    returned), then the mean over groups.

    For lists that are sent or not, such as alerts. The order of the items does not matter.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        relevant_returned: A, the value of a relevant item that was returned.
        other_returned: B, the value of any other item that was returned.
        relevant_missed: C, the value of a relevant item that was not returned.
        other_missed: D, the value of any other item that was not returned.
        collection_size: The number of all items, for d; if it is smaller than the number of known items, none is
            missed.
        relevant_at: An item is relevant if its label is at least this; with judgments, it must also be judged.
        negative: A negative label: 'error': is an error; 'zero': counts as 0, and in bpref as not judged.
        missing: A judged group without a returned item, or without one that matches `where`; it counts overall, in no
            slice: 'zero': counts its missed items; 'skip': dropped from the mean.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `utility`.
        Range: any, in the unit of the coefficients, higher is better. Undefined: NULL without groups.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Lewis, TREC-4 filtering track, 1995; trec_eval, m_utility.c. Checked against: trec_eval utility; by hand
        (d).

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "group": [1, 1, 1, 1]})
        >>> round(sqlmetrics.utility(data, label="label", score="score", group="group", other_returned=-0.25)["utility"].item(), 4)
        1.5
    """


def average_popularity(
    data: Any, *, score: Scores | None = None, group: Expression, item: Expression, rank: Expression | None = None,
    tie_key: Expression | None = None, k: int | None = None, popularity: Any, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Average recommendation popularity: mean over lists of the mean count of their items.

    The mean over lists of the mean over their items; `novelty` is the mean over all listed items. `popularity_lift`
    compares it with the history of the users.

    Args:
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        popularity: Relation of how often each item was seen: the item column, and count.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `average_popularity_at_10` for k = 10.
        Range: 0 and up, higher is more popular. Undefined: NULL without lists; an item that was never seen counts 0.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Yin and others, VLDB 2012; Abdollahpouri and others, FLAIRS 2019. Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 2, 2], "item": ["a", "b", "a", "d"], "score": [2, 1, 2, 1]})
        >>> popularity = pd.DataFrame({"item": ["a", "b", "c"], "count": [4, 2, 1]})
        >>> round(sqlmetrics.average_popularity(data, group="group", item="item", score="score", popularity=popularity)["average_popularity"].item(), 4)
        2.5
    """


def category_miscalibration(
    data: Any, *, score: Scores | None = None, group: Expression, item: Expression, rank: Expression | None = None,
    tie_key: Expression | None = None, k: int | None = None, alpha: float = 0.01, history: Any, item_categories: Any,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Miscalibration of categories: Σ p·ln(p / ((1 − α)·q + α·p)), p the share of each category in what a group had
    before and q in its list; then the mean over groups.

    The Kullback-Leibler divergence of the list from the history, in nats. An item with n categories is 1/n of an item
    in each; an item without a category is dropped.

    Args:
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        alpha: Α, the share of the history mixed into the list, so that a missing category does not make the divergence
            infinite.
        history: Relation of earlier items of each group, such as past choices of a user: the group and item columns.
        item_categories: Relation of the categories of items, such as genres: the item column, and category.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `category_miscalibration_at_10` for k = 10.
        Range: 0 and up, lower is better. Undefined: NULL when no list has a history; a group without a category on one
            of the two sides is dropped.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Steck, Calibrated recommendations, RecSys 2018. Checked against: scipy.stats.entropy.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1], "item": ["a", "b"], "score": [2, 1]})
        >>> history = pd.DataFrame({"group": [1, 1], "item": ["c", "d"]})
        >>> item_categories = pd.DataFrame({"item": ["a", "b", "c", "d"], "category": ["romance", "romance", "romance", "action"]})
        >>> round(sqlmetrics.category_miscalibration(data, group="group", item="item", score="score", history=history, item_categories=item_categories)["category_miscalibration"].item(), 4)
        1.9585
    """


def coverage(
    data: Any, *, score: Scores | None = None, group: Expression, item: Expression, rank: Expression | None = None,
    tie_key: Expression | None = None, k: int | None = None, catalog: Any, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Catalogue coverage: items of the catalogue that are in some list / items of the catalogue.

    Args:
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        catalog: Relation of all items, with the item column.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `coverage_at_10` for k = 10.
        Range: 0 to 1. Undefined: NULL without lists or with an empty catalogue.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Ge et al., RecSys 2010. Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 2, 2], "item": ["a", "b", "a", "c"], "score": [2, 1, 2, 1]})
        >>> catalog = pd.DataFrame({"item": ["a", "b", "c", "d"]})
        >>> round(sqlmetrics.coverage(data, group="group", item="item", score="score", catalog=catalog, k=1)["coverage_at_1"].item(), 4)
        0.25
    """


def diversity(
    data: Any, *, score: Scores | None = None, group: Expression, item: Expression, rank: Expression | None = None,
    tie_key: Expression | None = None, k: int | None = None, similarity: Any, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Intra-list diversity: 1 − mean similarity of the pairs of a list, averaged over lists; a missing pair counts 0.

    Args:
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        similarity: Relation with the columns item_a, item_b and similarity; pairs are symmetric.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `diversity_at_10` for k = 10.
        Range: any, 0 to 1 where the similarities are, higher is more varied. Undefined: NULL when no list has two
            items; shorter lists are dropped.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Smyth and McClave, ICCBR 2001. Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 2, 2], "item": ["a", "b", "a", "c"], "score": [2, 1, 2, 1]})
        >>> similarity = pd.DataFrame({"item_a": ["a", "c"], "item_b": ["b", "a"], "similarity": [0.5, 0.2]})
        >>> round(sqlmetrics.diversity(data, group="group", item="item", score="score", similarity=similarity)["diversity"].item(), 4)
        0.65
    """


def exposure_entropy(
    data: Any, *, score: Scores | None = None, group: Expression, item: Expression, rank: Expression | None = None,
    tie_key: Expression | None = None, k: int | None = None, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Entropy of exposure: −Σ q·ln q, q the share of each item among all that are listed.

    In nats; e to this power is the number of equally frequent items with the same entropy. RecBole's `shannonentropy`
    divides it by the number of items that are listed.

    Args:
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `exposure_entropy_at_10` for k = 10.
        Range: 0 and up, higher is more evenly spread. Undefined: NULL without lists.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Shannon, Bell System Technical Journal 27 (1948); of recommended items, Adomavicius and Kwon, TKDE 24
        (2012). Checked against: scipy.stats.entropy.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 2, 2], "item": ["a", "b", "a", "c"], "score": [2, 1, 2, 1]})
        >>> round(sqlmetrics.exposure_entropy(data, group="group", item="item", score="score")["exposure_entropy"].item(), 4)
        1.0397
    """


def gini_exposure(
    data: Any, *, score: Scores | None = None, group: Expression, item: Expression, rank: Expression | None = None,
    tie_key: Expression | None = None, k: int | None = None, catalog: Any, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Gini coefficient of exposure: Σ (2i − n − 1)·cᵢ / (n·Σ c), cᵢ how often each item of the catalogue is listed,
    ascending.

    Args:
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        catalog: Relation of all items, with the item column.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `gini_exposure_at_10` for k = 10.
        Range: 0 to 1. Undefined: NULL when nothing of the catalogue is listed.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Fleder and Hosanagar, Management Science 55 (2009). Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 2, 2], "item": ["a", "b", "a", "c"], "score": [2, 1, 2, 1]})
        >>> catalog = pd.DataFrame({"item": ["a", "b", "c", "d"]})
        >>> round(sqlmetrics.gini_exposure(data, group="group", item="item", score="score", catalog=catalog)["gini_exposure"].item(), 4)
        0.375
    """


def intra_list_distance(
    data: Any, *, score: Scores | None = None, group: Expression, item: Expression, rank: Expression | None = None,
    tie_key: Expression | None = None, k: int | None = None, embeddings: Any, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Intra-list distance of embeddings: mean of 1 − cosine similarity over the pairs of a list's vectors, then the
    mean over lists.

    All pairs are computed from one sum over items, so the work grows with the rows, not with the pairs. `diversity`
    uses a relation of pair similarities.

    Args:
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        embeddings: Relation of item vectors: the item column, dimension and value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `intra_list_distance_at_10` for k = 10.
        Range: 0 to 2, higher is more varied. Undefined: NULL when no list has two items with a vector; shorter lists
            are dropped, and so are items without a vector.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Zhang and Hurley, RecSys 2008; Ziegler and others, WWW 2005, of similarities. Checked against:
        scipy.spatial.distance.pdist.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 1], "item": ["a", "b", "c"], "score": [3, 2, 1]})
        >>> embeddings = pd.DataFrame({"item": ["a", "a", "b", "b", "c", "c"], "dimension": [1, 2, 1, 2, 1, 2], "value": [1, 0, 0, 2, 3, 4]})
        >>> round(sqlmetrics.intra_list_distance(data, group="group", item="item", score="score", embeddings=embeddings)["intra_list_distance"].item(), 4)
        0.5333
    """


def novelty(
    data: Any, *, score: Scores | None = None, group: Expression, item: Expression, rank: Expression | None = None,
    tie_key: Expression | None = None, k: int | None = None, popularity: Any, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Novelty: mean over the listed items of −log2(count / Σ count).

    The mean over all listed items; `average_popularity` is the mean over lists.

    Args:
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        popularity: Relation of how often each item was seen: the item column, and count.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `novelty_at_10` for k = 10.
        Range: 0 and up, higher is less obvious. Undefined: NULL when no listed item was ever seen; unseen items are
            dropped.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Vargas and Castells, RecSys 2011. Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 2, 2], "item": ["a", "b", "a", "c"], "score": [2, 1, 2, 1]})
        >>> popularity = pd.DataFrame({"item": ["a", "b", "c"], "count": [2, 1, 1]})
        >>> round(sqlmetrics.novelty(data, group="group", item="item", score="score", popularity=popularity)["novelty"].item(), 4)
        1.5
    """


def personalization(
    data: Any, *, score: Scores | None = None, group: Expression, item: Expression, rank: Expression | None = None,
    tie_key: Expression | None = None, k: int | None = None, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Personalization: 1 − mean over pairs of lists of their cosine similarity, |A ∩ B| / √(|A|·|B|).

    All pairs are computed from one sum over items, so the work grows with the rows, not with the pairs.

    Args:
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `personalization_at_10` for k = 10.
        Range: 0 to 1, higher is less alike. Undefined: NULL with fewer than two lists.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Zhou and others, PNAS 107 (2010). Checked against: sklearn.metrics.pairwise.cosine_similarity.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 2, 2], "item": ["a", "b", "a", "c"], "score": [2, 1, 2, 1]})
        >>> round(sqlmetrics.personalization(data, group="group", item="item", score="score")["personalization"].item(), 4)
        0.5
    """


def popularity_lift(
    data: Any, *, score: Scores | None = None, group: Expression, item: Expression, rank: Expression | None = None,
    tie_key: Expression | None = None, k: int | None = None, average: Literal["micro", "macro"] = "micro",
    popularity: Any, history: Any, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Popularity lift: (P of the lists − P of the histories) / P of the histories, P the mean over groups of the mean
    count of their items.

    An item that was never seen counts 0. The count may also be a share of the users, the lift is the same.

    Args:
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        average: How the groups are combined: 'micro': the lift of the two means over groups; 'macro': the mean over
            groups of their own lifts, without groups whose history was never seen.
        popularity: Relation of how often each item was seen: the item column, and count.
        history: Relation of earlier items of each group, such as past choices of a user: the group and item columns.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `popularity_lift_at_10` for k = 10.
        Range: -1 and up, 0 is as popular as what was had before, above 0 popularity is amplified. Undefined: NULL when
            no list has a history, or no item of the histories was ever seen; a list without a history is dropped.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Abdollahpouri and others, RecSys 2020 (of groups of users, slices here); ΔGAP, RMSE workshop at RecSys 2019.
        Checked against: numpy.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 2, 2], "item": ["a", "b", "a", "c"], "score": [2, 1, 2, 1]})
        >>> popularity = pd.DataFrame({"item": ["a", "b", "c"], "count": [4, 2, 1]})
        >>> history = pd.DataFrame({"group": [1, 2, 2], "item": ["b", "a", "c"]})
        >>> round(sqlmetrics.popularity_lift(data, group="group", item="item", score="score", popularity=popularity, history=history)["popularity_lift"].item(), 4)
        0.2222
    """


def serendipity(
    data: Any, *, label: Expression, score: Scores | None = None, group: Expression, item: Expression,
    rank: Expression | None = None, tie_key: Expression | None = None, group_weight: Expression | None = None,
    k: int | None = None, relevant_at: float = 1, expected_items: Any, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Serendipity: listed items that are relevant and not expected / listed items, then the mean over lists.

    Expected items are those that a simple recommender shows, such as the most popular items. Without expected items it
    is the precision of the list.

    Args:
        label: Relevance grade >= 0.
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        relevant_at: An item is relevant if its label is at least this.
        expected_items: Relation of items that are not surprising, such as the most popular ones, with the item column.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `serendipity_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL without lists.

    Raises:
        BadData: `label` is infinite; `label` is negative (a graded relevance is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Ge, Delgado-Battenfeld and Jannach, RecSys 2010; Murakami, Mori and Orihara, JSAI 2007 workshops (2008).
        Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [1, 1, 0, 1], "group": [1, 1, 2, 2], "item": ["a", "b", "a", "c"], "score": [2, 1, 2, 1]})
        >>> expected_items = pd.DataFrame({"item": ["a", "d"]})
        >>> round(sqlmetrics.serendipity(data, label="label", group="group", item="item", score="score", expected_items=expected_items)["serendipity"].item(), 4)
        0.5
    """


def tail_percentage(
    data: Any, *, score: Scores | None = None, group: Expression, item: Expression, rank: Expression | None = None,
    tie_key: Expression | None = None, k: int | None = None, share: float = 0.1, at_most: float | None = None,
    popularity: Any, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Tail percentage: mean over lists of the share of their items that belong to the tail, the least popular items.

    A share, not times 100, as in RecBole. Where the tail ends among items that were seen equally often, each counts in
    part: the mean over all their orders. RecBole orders them by its item number.

    Args:
        score: Prediction; higher ranks first.
        k: How many items from the top; the whole list by default.
        share: The share of the seen items that forms the tail, at least one item.
        at_most: The tail is the items that were seen at most this often; overrides share.
        popularity: Relation of how often each item was seen: the item column, and count.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `tail_percentage_at_10` for k = 10.
        Range: 0 to 1, higher is more of the tail. Undefined: NULL without lists; an item that was never seen does not
            belong to the tail.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: RecBole, TailPercentage; Yin and others, VLDB 2012. Checked against: numpy by RecBole's formula.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 2, 2], "item": ["a", "b", "a", "d"], "score": [2, 1, 2, 1]})
        >>> popularity = pd.DataFrame({"item": ["a", "b", "c"], "count": [4, 2, 1]})
        >>> round(sqlmetrics.tail_percentage(data, group="group", item="item", score="score", popularity=popularity, share=0.7)["tail_percentage"].item(), 4)
        0.25
    """


def auc_mu(
    data: Any, *, label: Expression, weight: Expression | None = None, scores: dict[Any, Expression],
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """AUC mu: mean over the pairs of classes of the AUC of one against the other by the difference of their scores.

    A label without a column is an error. A pair of classes is ranked by both of their scores at once; multi_auc with
    ovo ranks it by one of them at a time. LightGBM uses differences of its raw scores, which are not proportional to
    those of its probabilities. To reproduce its value, pass raw scores, scaled to 0 to 1 by one factor and offset for
    all classes. Differences are exact doubles; LightGBM treats 0.5 − 0.2 and 0.4 − 0.1 as equal, although they differ
    by 6e-17.

    Args:
        label: True class, of any type.
        scores: The column of each class's probability.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `auc_mu`.
        Range: 0 to 1, 0.5 is chance, higher is better. Undefined: NULL when a class of `scores` has no row, or is the
            only one.

    Raises:
        BadData: `scores` is outside [0, 1] (a probability is needed); `label` has a class without a column in scores of
            auc_mu.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Kleiman and Page, ICML 2019, with all confusions as bad as each other. Checked against: auc_mu of LightGBM.

    Example:
        >>> data = pd.DataFrame({"label": ["cat", "dog", "dog", "cat"], "p_cat": [0.6, 0.2, 0.5, 0.4], "p_dog": [0.3, 0.7, 0.65, 0.6]})
        >>> round(sqlmetrics.auc_mu(data, label="label", scores={'cat': 'p_cat', 'dog': 'p_dog'})["auc_mu"].item(), 4)
        0.75
    """


def class_confusion(
    data: Any, *, label: Expression, prediction: Expression, weight: Expression | None = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Multi-class confusion matrix, in long form: one row per pair of label and prediction that occurs, with its
    (weighted) count.

    Args:
        label: True class, of any type.

    Returns:
        The table: the slice columns, `label`, `prediction`, `count`.
        Range: 0 and up. Undefined: pairs that do not occur are dropped.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.confusion_matrix.

    Example:
        >>> data = pd.DataFrame({"label": ["a", "a", "b", "c"], "prediction": ["a", "b", "b", "c"]})
        >>> sqlmetrics.class_confusion(data, label="label", prediction="prediction")["count"].round(4).tolist()
        [1.0, 1.0, 1.0, 1.0]
    """


def class_report(
    data: Any, *, label: Expression, prediction: Expression, weight: Expression | None = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Precision, recall and F1 of every class: one row per class, its precision, recall, f1 and support (TP + FN).

    Args:
        label: True class, of any type.

    Returns:
        The table: the slice columns, `class`, `precision`, `recall`, `f1`, `support`.
        Range: 0 to 1, higher is better. Undefined: an undefined value of a class is 0.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.classification_report.

    Example:
        >>> data = pd.DataFrame({"label": ["a", "a", "b", "c"], "prediction": ["a", "b", "b", "c"]})
        >>> sqlmetrics.class_report(data, label="label", prediction="prediction")["recall"].round(4).tolist()
        [0.5, 1.0, 1.0]
    """


def cohens_kappa(
    data: Any, *, label: Expression, prediction: Expression, weight: Expression | None = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Cohen's kappa: (pₒ − pₑ) / (1 − pₑ), pₒ the share of rows that agree, pₑ that of chance by the margins.

    Args:
        label: True class, of any type.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `cohens_kappa`.
        Range: -1 to 1, 0 is chance, higher is better. Undefined: NULL when every label and every prediction is of one
            class.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Cohen, Educational and Psychological Measurement 20 (1960). Checked against:
        sklearn.metrics.cohen_kappa_score.

    Example:
        >>> data = pd.DataFrame({"label": ["a", "a", "b", "c"], "prediction": ["a", "b", "b", "c"]})
        >>> round(sqlmetrics.cohens_kappa(data, label="label", prediction="prediction")["cohens_kappa"].item(), 4)
        0.6364
    """


def fleiss_kappa(
    data: Any, *, label: Expression, group: Expression, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Fleiss' kappa: (P̄ − Pₑ) / (1 − Pₑ), P̄ the mean over items of the share of pairs of ratings that agree, Pₑ the
    sum of the squared shares of the classes among all ratings.

    A row is a rating, `group` the item that is rated. In P̄ each item counts the same, with any number of ratings; in
    Pₑ each rating does. Items with a single rating are dropped from both.

    Args:
        label: True class, of any type.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `fleiss_kappa`.
        Range: -1 to 1, 0 is chance, higher is better. Undefined: NULL without an item that has two ratings, or where
            all ratings are the same.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Fleiss, Psychological Bulletin 76 (1971). Checked against: statsmodels.stats.inter_rater.fleiss_kappa, its
        formula in numpy where items have different numbers of ratings.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 2, 2, 3, 3], "label": ["a", "a", "b", "b", "a", "b"]})
        >>> round(sqlmetrics.fleiss_kappa(data, group="group", label="label")["fleiss_kappa"].item(), 4)
        0.3333
    """


def krippendorff_alpha(
    data: Any, *, label: Expression, group: Expression,
    level: Literal["nominal", "ordinal", "interval", "ratio"] = "nominal", preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Krippendorff's alpha: 1 − Dₒ / Dₑ, Dₒ the mean distance of two ratings of one item (each item by its ratings), Dₑ
    that of any two ratings.

    A row is a rating, `group` the item that is rated. Items may have different numbers of ratings; items with a single
    rating are dropped. Distances need numbers, so map string classes to numbers (`= case label when 'spam' then 1 …`),
    or use fleiss_kappa. The ratio level needs numbers >= 0, and its work grows with the square of the distinct ratings.

    Args:
        label: Observed value, a number.
        level: The distance of two ratings: 'nominal': two ratings are equal or not; 'ordinal': by the number of ratings
            in between; 'interval': by the square of their difference; 'ratio': by the square of their difference over
            their sum.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `krippendorff_alpha`.
        Range: -1 to 1, 0 is chance, higher is better. Undefined: NULL without an item that has two ratings, or where
            all ratings are the same.

    Raises:
        BadData: `label` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Krippendorff, Content Analysis (2004), chapter 11; his computing sheet of 2011 has the numbers of the tests.
        Checked against: the matrix of coincidences by numpy.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 2, 2, 3, 3], "label": [1, 1, 2, 2, 1, 2]})
        >>> round(sqlmetrics.krippendorff_alpha(data, group="group", label="label")["krippendorff_alpha"].item(), 4)
        0.4444
    """


def macro_f1(
    data: Any, *, label: Expression, prediction: Expression, weight: Expression | None = None,
    form: Literal["mean_f1", "f1_of_means"] = "mean_f1", preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Macro F1: mean over classes of 2·TP / (2·TP + FP + FN).

    Args:
        label: True class, of any type.
        form: Which of two common definitions: 'mean_f1': the mean of the F1 of every class; 'f1_of_means': the harmonic
            mean of macro precision and macro recall.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `macro_f1`.
        Range: 0 to 1, higher is better. Undefined: NULL without rows; a class whose rows all have weight 0 counts as 0,
            as in scikit-learn.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4; Opitz and Burst, arXiv 1911.03347, on the two forms. Checked
        against: sklearn.metrics.f1_score(average='macro').

    Example:
        >>> data = pd.DataFrame({"label": ["a", "a", "b", "c"], "prediction": ["a", "b", "b", "c"]})
        >>> round(sqlmetrics.macro_f1(data, label="label", prediction="prediction")["macro_f1"].item(), 4)
        0.7778
    """


def macro_precision(
    data: Any, *, label: Expression, prediction: Expression, weight: Expression | None = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Macro precision: mean over classes of TP / (TP + FP).

    Args:
        label: True class, of any type.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `macro_precision`.
        Range: 0 to 1, higher is better. Undefined: NULL without rows; an undefined class value counts 0.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.precision_score(average='macro').

    Example:
        >>> data = pd.DataFrame({"label": ["a", "a", "b", "c"], "prediction": ["a", "b", "b", "c"]})
        >>> round(sqlmetrics.macro_precision(data, label="label", prediction="prediction")["macro_precision"].item(), 4)
        0.8333
    """


def macro_recall(
    data: Any, *, label: Expression, prediction: Expression, weight: Expression | None = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Macro recall: mean over classes of TP / (TP + FN).

    Args:
        label: True class, of any type.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `macro_recall`.
        Range: 0 to 1, higher is better. Undefined: NULL without rows; an undefined class value counts 0.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.recall_score(average='macro').

    Example:
        >>> data = pd.DataFrame({"label": ["a", "a", "b", "c"], "prediction": ["a", "b", "b", "c"]})
        >>> round(sqlmetrics.macro_recall(data, label="label", prediction="prediction")["macro_recall"].item(), 4)
        0.8333
    """


def micro_f1(
    data: Any, *, label: Expression, prediction: Expression, weight: Expression | None = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Micro F1: 2·Σ TP / Σ (2·TP + FP + FN) over classes.

    Args:
        label: True class, of any type.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `micro_f1`.
        Range: 0 to 1, higher is better. Undefined: NULL without rows.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.f1_score(average='micro').

    Example:
        >>> data = pd.DataFrame({"label": ["a", "a", "b", "c"], "prediction": ["a", "b", "b", "c"]})
        >>> round(sqlmetrics.micro_f1(data, label="label", prediction="prediction")["micro_f1"].item(), 4)
        0.75
    """


def micro_precision(
    data: Any, *, label: Expression, prediction: Expression, weight: Expression | None = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Micro precision: Σ TP / Σ (TP + FP) over classes.

    Args:
        label: True class, of any type.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `micro_precision`.
        Range: 0 to 1, higher is better. Undefined: NULL without rows.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.precision_score(average='micro').

    Example:
        >>> data = pd.DataFrame({"label": ["a", "a", "b", "c"], "prediction": ["a", "b", "b", "c"]})
        >>> round(sqlmetrics.micro_precision(data, label="label", prediction="prediction")["micro_precision"].item(), 4)
        0.75
    """


def micro_recall(
    data: Any, *, label: Expression, prediction: Expression, weight: Expression | None = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Micro recall: Σ TP / Σ (TP + FN) over classes.

    Args:
        label: True class, of any type.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `micro_recall`.
        Range: 0 to 1, higher is better. Undefined: NULL without rows.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.recall_score(average='micro').

    Example:
        >>> data = pd.DataFrame({"label": ["a", "a", "b", "c"], "prediction": ["a", "b", "b", "c"]})
        >>> round(sqlmetrics.micro_recall(data, label="label", prediction="prediction")["micro_recall"].item(), 4)
        0.75
    """


def multi_auc(
    data: Any, *, label: Expression, weight: Expression | None = None, scores: dict[Any, Expression],
    multi_class: Literal["ovr", "ovo"] = "ovr", average: Literal["macro", "weighted"] = "macro",
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """AUC of several classes: mean over the classes of the AUC of each against the rest (ovr), or over the pairs of
    classes of both AUCs of one against the other (ovo).

    A label without a column is an error. A class is ranked by its own column, which must lie in [0, 1] but need not add
    up to 1 with the others.

    Args:
        label: True class, of any type.
        scores: The column of each class's probability.
        multi_class: Which classes are ranked against each other: 'ovr': each class against the rest; 'ovo': each pair
            of classes, which does not depend on class frequencies.
        average: How the areas are averaged: 'macro': all classes, or pairs, count the same; 'weighted': by the rows of
            the class, or of both classes of the pair.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `multi_auc`.
        Range: 0 to 1, 0.5 is chance, higher is better. Undefined: NULL when a class of `scores` has no row, or is the
            only one.

    Raises:
        BadData: `scores` is outside [0, 1] (a probability is needed); `label` has a class without a column in scores of
            multi_auc.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Fawcett, Pattern Recognition Letters 27 (2006); Hand and Till, Machine Learning 45 (2001), for ovo. Checked
        against: sklearn.metrics.roc_auc_score.

    Example:
        >>> data = pd.DataFrame({"label": ["cat", "dog", "dog", "cat"], "p_cat": [0.6, 0.2, 0.5, 0.4], "p_dog": [0.3, 0.7, 0.65, 0.6]})
        >>> round(sqlmetrics.multi_auc(data, label="label", scores={'cat': 'p_cat', 'dog': 'p_dog'})["multi_auc"].item(), 4)
        0.875
    """


def multi_balanced_accuracy(
    data: Any, *, label: Expression, prediction: Expression, weight: Expression | None = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Balanced accuracy of several classes: mean over the classes of the labels of TP / (TP + FN).

    macro_recall also counts a class that was only predicted, as 0.

    Args:
        label: True class, of any type.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `multi_balanced_accuracy`.
        Range: 0 to 1, higher is better. Undefined: NULL without rows.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.balanced_accuracy_score.

    Example:
        >>> data = pd.DataFrame({"label": ["a", "a", "b", "c"], "prediction": ["a", "b", "b", "d"]})
        >>> round(sqlmetrics.multi_balanced_accuracy(data, label="label", prediction="prediction")["multi_balanced_accuracy"].item(), 4)
        0.5
    """


def multi_mcc(
    data: Any, *, label: Expression, prediction: Expression, weight: Expression | None = None,
    zero_division: float | None = None, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Matthews correlation coefficient of several classes: (n·Σ TP − Σ tₖ·pₖ) / √((n² − Σ pₖ²)(n² − Σ tₖ²)), tₖ and pₖ
    the rows and the calls of a class.

    Args:
        label: True class, of any type.
        zero_division: The value of an undefined quotient; NULL by default.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `multi_mcc`.
        Range: -1 to 1, 0 is chance, higher is better. Undefined: NULL when all labels, or all predictions, are of one
            class (zero_division replaces it).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Gorodkin, Computational Biology and Chemistry 28 (2004). Checked against: sklearn.metrics.matthews_corrcoef.

    Example:
        >>> data = pd.DataFrame({"label": ["a", "a", "b", "c"], "prediction": ["a", "b", "b", "c"]})
        >>> round(sqlmetrics.multi_mcc(data, label="label", prediction="prediction")["multi_mcc"].item(), 4)
        0.7
    """


def top_k_accuracy(
    data: Any, *, label: Expression, weight: Expression | None = None, scores: dict[Any, Expression], k: int,
    equal_scores: Literal["worst", "order"] = "worst", preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Top-k accuracy: share of rows whose true class is among the k with the highest scores.

    A label without a column is an error.

    Args:
        label: True class, of any type.
        scores: The column of each class's probability.
        k: The number of classes to consider.
        equal_scores: The order of classes with the score of the true class: 'worst': other classes with the same score
            rank before the true class; 'order': the later class in `scores` ranks first, as in scikit-learn, which
            sorts the classes.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `top_k_accuracy_at_10` for k = 10.
        Range: 0 to 1, higher is better. Undefined: NULL without rows.

    Raises:
        BadData: `scores` is outside [0, 1] (a probability is needed); `label` has a class without a column in scores of
            top_k_accuracy_at_1.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.top_k_accuracy_score.

    Example:
        >>> data = pd.DataFrame({"label": ["cat", "dog"], "p_cat": [0.8, 0.6], "p_dog": [0.2, 0.4]})
        >>> round(sqlmetrics.top_k_accuracy(data, label="label", scores={'cat': 'p_cat', 'dog': 'p_dog'}, k=1)["top_k_accuracy_at_1"].item(), 4)
        0.5
    """


def weighted_f1(
    data: Any, *, label: Expression, prediction: Expression, weight: Expression | None = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Support-weighted F1: Σ support·F1 of the class / Σ support, support = TP + FN.

    Args:
        label: True class, of any type.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `weighted_f1`.
        Range: 0 to 1, higher is better. Undefined: NULL without rows; an undefined class value counts 0.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.f1_score(average='weighted').

    Example:
        >>> data = pd.DataFrame({"label": ["a", "a", "b", "c"], "prediction": ["a", "b", "b", "c"]})
        >>> round(sqlmetrics.weighted_f1(data, label="label", prediction="prediction")["weighted_f1"].item(), 4)
        0.75
    """


def weighted_kappa(
    data: Any, *, label: Expression, prediction: Expression, weight: Expression | None = None,
    weights: Literal["linear", "quadratic"] = "quadratic", preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Weighted kappa: 1 − Σ dᵢⱼ·oᵢⱼ / Σ dᵢⱼ·eᵢⱼ, oᵢⱼ the share of rows of class i called j, eᵢⱼ that of chance by the
    margins, dᵢⱼ = |i − j| or (i − j)² between the places of the classes in their order.

    For ordered classes, such as stars or severities. Strings are ordered alphabetically, and categories of pandas or
    enums as they are declared, so map low, medium and high to numbers (`= case size when 'low' then 1 …`). As in
    scikit-learn, classes count by their rank among the classes that occur, so 1, 2, 5 have the same distances as 1, 2,
    3. Unlike there, a class whose rows all have weight 0 has no rank. Quadratic kappa is `weights='quadratic'`.

    Args:
        label: True class, of any type.
        weights: The cost of a wrong prediction: 'linear': the number of classes between prediction and label;
            'quadratic': its square: the weighted kappa of most contests and studies.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `weighted_kappa`.
        Range: -1 to 1, 0 is chance, higher is better. Undefined: NULL when every label and every prediction is of one
            class.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Cohen, Psychological Bulletin 70 (1968). Checked against: sklearn.metrics.cohen_kappa_score(weights).

    Example:
        >>> data = pd.DataFrame({"label": [1, 1, 2, 3], "prediction": [1, 2, 2, 3]})
        >>> round(sqlmetrics.weighted_kappa(data, label="label", prediction="prediction")["weighted_kappa"].item(), 4)
        0.8
    """


def weighted_precision(
    data: Any, *, label: Expression, prediction: Expression, weight: Expression | None = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Support-weighted precision: Σ support·precision of the class / Σ support, support = TP + FN.

    Args:
        label: True class, of any type.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `weighted_precision`.
        Range: 0 to 1, higher is better. Undefined: NULL without rows; an undefined class value counts 0.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against:
        sklearn.metrics.precision_score(average='weighted').

    Example:
        >>> data = pd.DataFrame({"label": ["a", "a", "b", "c"], "prediction": ["a", "b", "b", "c"]})
        >>> round(sqlmetrics.weighted_precision(data, label="label", prediction="prediction")["weighted_precision"].item(), 4)
        0.875
    """


def weighted_recall(
    data: Any, *, label: Expression, prediction: Expression, weight: Expression | None = None,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Support-weighted recall: Σ support·recall of the class / Σ support, support = TP + FN.

    Args:
        label: True class, of any type.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `weighted_recall`.
        Range: 0 to 1, higher is better. Undefined: NULL without rows; an undefined class value counts 0.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.4. Checked against: sklearn.metrics.recall_score(average='weighted').

    Example:
        >>> data = pd.DataFrame({"label": ["a", "a", "b", "c"], "prediction": ["a", "b", "b", "c"]})
        >>> round(sqlmetrics.weighted_recall(data, label="label", prediction="prediction")["weighted_recall"].item(), 4)
        0.75
    """


def concordance_correlation(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Concordance correlation coefficient: 2·Σ w(y − ȳ)(ŷ − m) / (Σ w(y − ȳ)² + Σ w(ŷ − m)² + Σ w·(ȳ − m)²), m the mean
    of ŷ.

    Pearson's coefficient times a penalty for predictions with a bias or a different spread. Variances are divided by
    the number of rows, as Lin does; tools that divide by one less differ for few rows with a bias.

    Args:
        label: Observed value, a number.
        score: Predicted value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `concordance_correlation`.
        Range: -1 to 1, 1 is equal everywhere, higher is better. Undefined: NULL when the labels and the predictions are
            the same constant.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Lin, Biometrics 45 (1989). Checked against: numpy by Lin's equation.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.concordance_correlation(data, label="label", score="score")["concordance_correlation"].item(), 4)
        0.9768
    """


def crps(
    data: Any, *, label: Expression, weight: Expression | None = None, quantiles: dict[float, Expression],
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Continuous ranked probability score of quantiles: mean over rows and levels of 2·(α·(y − q)⁺ + (1 − α)·(q − y)⁺),
    q the predicted quantile of level α.

    The error of a predicted distribution, given by some quantiles: twice the mean of their [`pinball`](#pinball)
    losses. Dense and evenly spaced levels, such as 0.05, 0.15, …, 0.95, approximate the score of the whole
    distribution. Only results with the same levels are comparable.

    Args:
        label: Observed value, a number.
        quantiles: The column of each level's predicted quantile.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `crps`.
        Range: 0 and up, in the unit of the label, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `quantiles` is infinite; `label` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Gneiting and Raftery, JASA 102 (2007), section 4.2; by quantiles as in Laio and Tamea, HESS 11 (2007).
        Checked against: crps_quantile of scoringrules; mean_pinball_loss of scikit-learn, level by level.

    Example:
        >>> data = pd.DataFrame({"label": [3, 7], "p10": [2, 8], "p50": [3, 9], "p90": [5, 10]})
        >>> round(sqlmetrics.crps(data, label="label", quantiles={0.1: 'p10', 0.5: 'p50', 0.9: 'p90'})["crps"].item(), 4)
        0.8333
    """


def d2_absolute_error(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, force_finite: bool = False,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """D², the share of the absolute error that is explained: 1 − Σ w|y − ŷ| / Σ w|y − median of the labels|.

    The analogue of `r2` for the absolute error, less sensitive to a few large labels.

    Args:
        label: Observed value, a number.
        score: Predicted value.
        force_finite: Return 1 (exact predictions) or 0 (others) for a constant label, instead of NULL.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `d2_absolute_error`.
        Range: at most 1, 0 is as good as the median, higher is better. Undefined: NULL when the labels are constant,
            or, with force_finite, for a single row.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Hastie, Tibshirani and Wainwright, Statistical Learning with Sparsity, 2015. Checked against:
        sklearn.metrics.d2_absolute_error_score.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.d2_absolute_error(data, label="label", score="score")["d2_absolute_error"].item(), 4)
        0.7647
    """


def d2_pinball(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, alpha: float = 0.5,
    force_finite: bool = False, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """D², the share of the pinball loss that is explained: 1 − Σ w·d(y, ŷ) / Σ w·d(y, q), d the pinball loss, q the
    quantile of the labels.

    `pinball` relative to the best constant prediction, so that labels of different units and quantiles are comparable.

    Args:
        label: Observed value, a number.
        score: Predicted value.
        alpha: The predicted quantile.
        force_finite: Return 1 (exact predictions) or 0 (others) for a constant label, instead of NULL.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `d2_pinball`.
        Range: at most 1, 0 is as good as the best constant, higher is better. Undefined: NULL when the labels are
            constant, or, with force_finite, for a single row.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Koenker and Machado, JASA 94 (1999). Checked against: sklearn.metrics.d2_pinball_score.

    Example:
        >>> data = pd.DataFrame({"label": [1, 2, 3], "score": [1, 3, 3]})
        >>> round(sqlmetrics.d2_pinball(data, label="label", score="score", alpha=0.9)["d2_pinball"].item(), 4)
        0.6667
    """


def d2_tweedie(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, power: float = 1.5,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """D², the share of the Tweedie deviance that is explained: 1 − Σ w·d(y, ŷ) / Σ w·d(y, ȳ), d the Tweedie deviance.

    Args:
        label: Observed value, a number.
        score: Predicted value.
        power: P: 1 is Poisson; with 0 it would be r2.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `d2_tweedie`.
        Range: at most 1, 0 is as good as the mean, higher is better. Undefined: NULL when the labels are constant; a
            label below 0 or a prediction of 0 or less is an error.

    Raises:
        BadData: `label` is infinite; `score` is infinite; `label` is negative; `score` is 0 or less, which has no
            logarithm.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Hastie, Tibshirani and Wainwright, Statistical Learning with Sparsity, 2015. Checked against:
        sklearn.metrics.d2_tweedie_score.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 2, 4], "score": [0.5, 1.0, 2.0, 3.0]})
        >>> round(sqlmetrics.d2_tweedie(data, label="label", score="score")["d2_tweedie"].item(), 4)
        0.5734
    """


def error_table(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, bins: int = 10,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Errors by size of the prediction: per bin of equal weight of ŷ, the mean ŷ next to the mean y, the mean of ŷ − y,
    the mean |y − ŷ| and √ mean (y − ŷ)².

    A score's bin is ⌊bins · weight of the smaller scores / weight of all⌋ + 1 (within 1e-9 for fractional weights).
    `lower` and `upper` are its lowest and highest score. `rows` counts rows; the means are weighted.

    Args:
        label: Observed value, a number.
        score: Predicted value.
        bins: Number of bins; tied scores share one.

    Returns:
        The table: the slice columns, `bin`, `lower`, `upper`, `rows`, `mean_score`, `mean_label`, `mean_error`, `mae`,
            `rmse`.
        Range: in the unit of the label; a mean_error above 0 is a prediction that is too high. Undefined: bins without
            rows are dropped; the means of a bin without weight are NULL.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Gneiting and Resin, Electronic Journal of Statistics 17 (2023). Checked against: scikit-learn, bin by bin.

    Example:
        >>> data = pd.DataFrame({"label": [1.0, 3.0, 4.0, 9.0], "score": [1.0, 2.0, 5.0, 7.0]})
        >>> sqlmetrics.error_table(data, label="label", score="score", bins=2)["mean_error"].round(4).tolist()
        [-0.5, -0.5]
    """


def explained_variance(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, force_finite: bool = False,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Explained variance: 1 − Σ w(e − ē)² / Σ w(y − ȳ)², e = y − ŷ.

    The r2 of predictions after subtracting their bias.

    Args:
        label: Observed value, a number.
        score: Predicted value.
        force_finite: Return 1 (exact predictions) or 0 (others) for a constant label, instead of NULL.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `explained_variance`.
        Range: at most 1, 0 is as good as a constant, higher is better. Undefined: NULL when the labels are constant,
            unless force_finite; constant errors are exact there.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.6. Checked against: sklearn.metrics.explained_variance_score.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.explained_variance(data, label="label", score="score")["explained_variance"].item(), 4)
        0.9572
    """


def gamma_deviance(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Mean Gamma deviance: mean 2·(ln(ŷ/y) + y/ŷ − 1).

    Args:
        label: Observed value, a number.
        score: Predicted value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `gamma_deviance`.
        Range: 0 and up, without a unit, lower is better. Undefined: NULL without rows; a label or a prediction of 0 or
            less is an error.

    Raises:
        BadData: `label` is infinite; `score` is infinite; `label` is 0 or less, which has no logarithm; `score` is 0 or
            less, which has no logarithm.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: McCullagh and Nelder, Generalized Linear Models, 1989. Checked against: sklearn.metrics.mean_gamma_deviance.

    Example:
        >>> data = pd.DataFrame({"label": [0.5, 1, 2, 4], "score": [1.0, 1.0, 2.0, 2.0]})
        >>> round(sqlmetrics.gamma_deviance(data, label="label", score="score")["gamma_deviance"].item(), 4)
        0.25
    """


def interval_coverage(
    data: Any, *, label: Expression, weight: Expression | None = None, lower_bound: Expression, upper_bound: Expression,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Coverage of an interval: share of the rows with l ≤ y ≤ u.

    A 90% interval should contain nine rows in ten. An end may be infinite. Intervals that are far too wide also cover:
    [`interval_score`](#interval_score) penalizes their width.

    Args:
        label: Observed value, a number.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `interval_coverage`.
        Range: 0 to 1, best at the level of the interval. Undefined: NULL without rows.

    Raises:
        BadData: `upper_bound` is below lower_bound; `label` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Khosravi et al., IEEE Transactions on Neural Networks 22 (2011). Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "lower_bound": [2.5, 0.0, 2.0, 6.0], "upper_bound": [4.0, 1.0, 2.0, 8.0]})
        >>> round(sqlmetrics.interval_coverage(data, label="label", lower_bound="lower_bound", upper_bound="upper_bound")["interval_coverage"].item(), 4)
        0.75
    """


def interval_score(
    data: Any, *, label: Expression, weight: Expression | None = None, lower_bound: Expression, upper_bound: Expression,
    alpha: float, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Interval score (Winkler score): mean of (u − l) + 2/α·(l − y)⁺ + 2/α·(y − u)⁺.

    The bounds are the predicted α/2 and 1 − α/2 quantiles, such as 0.05 and 0.95 for alpha=0.1. The true quantiles
    minimize the expected score.

    Args:
        label: Observed value, a number.
        alpha: The expected share of labels outside, such as 0.1 for a 90% interval.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `interval_score`.
        Range: 0 and up, in the unit of the label, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `upper_bound` is below lower_bound; `label` is infinite; `lower_bound` is infinite; `upper_bound` is
            infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Gneiting and Raftery, JASA 102 (2007), section 6.2. Checked against: interval_score of scoringrules, by
        hand.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "lower_bound": [2.5, 0.0, 2.0, 6.0], "upper_bound": [4.0, 1.0, 2.0, 8.0]})
        >>> round(sqlmetrics.interval_score(data, label="label", lower_bound="lower_bound", upper_bound="upper_bound", alpha=0.2)["interval_score"].item(), 4)
        2.375
    """


def log_cosh_error(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Log-cosh error: mean of ln(cosh(y − ŷ)).

    For errors well below 1 it is half the squared error, and for errors well above 1 the absolute error less ln 2. So
    it depends on the unit of the label.

    Args:
        label: Observed value, a number.
        score: Predicted value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `log_cosh_error`.
        Range: 0 and up, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Chen, Chen, Liu and Pei, Log hyperbolic cosine loss, 2018. Checked against: numpy.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.log_cosh_error(data, label="label", score="score")["log_cosh_error"].item(), 4)
        0.1685
    """


def mae(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Mean absolute error: mean |y − ŷ|.

    Args:
        label: Observed value, a number.
        score: Predicted value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `mae`.
        Range: 0 and up, in the unit of the label, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.6. Checked against: sklearn.metrics.mean_absolute_error.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.mae(data, label="label", score="score")["mae"].item(), 4)
        0.5
    """


def mape(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None,
    zero: Literal["skip", "null"] = "skip", eps: float | None = None, unit: Literal["percent", "fraction"] = "percent",
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Mean absolute percentage error: mean |y − ŷ| / |y|, × 100 in percent.

    Args:
        label: Observed value, a number.
        score: Predicted value.
        zero: The effect of a label of 0: 'skip': the row is dropped; 'null': the whole value is NULL.
        eps: If set, it replaces a smaller |y| in the denominator, and no row is dropped.
        unit: The unit of the value: 'percent': 100 times the mean; 'fraction': the mean itself.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `mape`.
        Range: 0 and up, in percent or as a fraction, lower is better. Undefined: NULL when every label is 0.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Hyndman and Koehler, International Journal of Forecasting 22 (2006). Checked against: 100 ·
        sklearn.metrics.mean_absolute_percentage_error.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.mape(data, label="label", score="score")["mape"].item(), 4)
        32.7381
    """


def max_error(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Largest error: max |y − ŷ|.

    Args:
        label: Observed value, a number.
        score: Predicted value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `max_error`.
        Range: 0 and up, in the unit of the label, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.6. Checked against: sklearn.metrics.max_error.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.max_error(data, label="label", score="score")["max_error"].item(), 4)
        1.0
    """


def mean_error(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Mean error (bias): mean of ŷ − y.

    Args:
        label: Observed value, a number.
        score: Predicted value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `mean_error`.
        Range: any, in the unit of the label; above 0 the model predicts too much. Undefined: NULL without rows.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Hyndman and Koehler, International Journal of Forecasting 22 (2006). Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.mean_error(data, label="label", score="score")["mean_error"].item(), 4)
        0.25
    """


def medae(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Median absolute error: (weighted) median of |y − ŷ|.

    Fractional weights within 1e-9 of half count as half.

    Args:
        label: Observed value, a number.
        score: Predicted value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `medae`.
        Range: 0 and up, in the unit of the label, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.6. Checked against: sklearn.metrics.median_absolute_error.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.medae(data, label="label", score="score")["medae"].item(), 4)
        0.5
    """


def mse(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Mean squared error: mean (y − ŷ)².

    Args:
        label: Observed value, a number.
        score: Predicted value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `mse`.
        Range: 0 and up, in the squared unit of the label, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.6. Checked against: sklearn.metrics.mean_squared_error.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.mse(data, label="label", score="score")["mse"].item(), 4)
        0.375
    """


def normalized_gini(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Normalized Gini coefficient: G(ŷ) / G(y), where G(x) = Σ w·y·(2·F(x) − 1), F(x) the share of the weight below x,
    ties half.

    Measures whether the rows with the largest labels rank on top. With labels of 0 and 1 it is 2·AUC − 1. Rows of equal
    scores count by the mean of all their orders, so the order of the rows does not matter, unlike in common
    implementations of `gini_normalized`.

    Args:
        label: Observed value, a number.
        score: Predicted value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `normalized_gini`.
        Range: -1 to 1, 0 is chance, higher is better. Undefined: NULL without rows or with a constant label.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Frees, Meyers and Cummings, JASA 106 (2011); the value of customers, Wang, Liu and Miao, arXiv 1912.07753.
        Checked against: the sums over all pairs of rows, by numpy.

    Example:
        >>> data = pd.DataFrame({"label": [0.0, 10.0, 30.0, 5.0], "score": [1.0, 3.0, 2.0, 2.0]})
        >>> round(sqlmetrics.normalized_gini(data, label="label", score="score")["normalized_gini"].item(), 4)
        0.3158
    """


def pearson_correlation(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Pearson's correlation coefficient: Σ w(y − ȳ)(ŷ − m) / √(Σ w(y − ȳ)² · Σ w(ŷ − m)²), m the mean of ŷ.

    A constant offset or factor of the predictions does not change the correlation; `concordance_correlation` and `r2`
    penalize it.

    Args:
        label: Observed value, a number.
        score: Predicted value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `pearson_correlation`.
        Range: -1 to 1, 0 is no linear relation, higher is better. Undefined: NULL when the labels or the predictions
            are constant.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Pearson, Philosophical Transactions of the Royal Society A 187 (1896). Checked against:
        scipy.stats.pearsonr.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.pearson_correlation(data, label="label", score="score")["pearson_correlation"].item(), 4)
        0.9849
    """


def pinball(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, alpha: float = 0.5,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Pinball (quantile) loss: mean of α·(y − ŷ)⁺ + (1 − α)·(ŷ − y)⁺.

    Args:
        label: Observed value, a number.
        score: Predicted value.
        alpha: The predicted quantile.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `pinball`.
        Range: 0 and up, in the unit of the label, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Koenker and Bassett, Econometrica 46 (1978). Checked against: sklearn.metrics.mean_pinball_loss.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.pinball(data, label="label", score="score")["pinball"].item(), 4)
        0.25
    """


def poisson_deviance(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Mean Poisson deviance: mean 2·(y·ln(y/ŷ) − y + ŷ).

    Args:
        label: Observed value, a number.
        score: Predicted value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `poisson_deviance`.
        Range: 0 and up, in the unit of the label, lower is better. Undefined: NULL without rows; a label below 0 or a
            prediction of 0 or less is an error.

    Raises:
        BadData: `label` is infinite; `score` is infinite; `label` is negative; `score` is 0 or less, which has no
            logarithm.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: McCullagh and Nelder, Generalized Linear Models, 1989. Checked against:
        sklearn.metrics.mean_poisson_deviance.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 2, 4], "score": [0.5, 1.0, 2.0, 3.0]})
        >>> round(sqlmetrics.poisson_deviance(data, label="label", score="score")["poisson_deviance"].item(), 4)
        0.3254
    """


def quantile_coverage(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Coverage of a quantile: share of the rows with y ≤ ŷ.

    The score is a predicted quantile: nine rows in ten should be at or below the 0.9 quantile. [`pinball`](#pinball)
    also measures the distance.

    Args:
        label: Observed value, a number.
        score: Predicted value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `quantile_coverage`.
        Range: 0 to 1, best at the level of the quantile. Undefined: NULL without rows.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Gneiting, Balabdaoui and Raftery, JRSS B 69 (2007). Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.quantile_coverage(data, label="label", score="score")["quantile_coverage"].item(), 4)
        0.75
    """


def r2(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, force_finite: bool = False,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Coefficient of determination, R²: 1 − Σ w(y − ŷ)² / Σ w(y − ȳ)².

    Args:
        label: Observed value, a number.
        score: Predicted value.
        force_finite: Return 1 (exact predictions) or 0 (others) for a constant label, instead of NULL.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `r2`.
        Range: at most 1, 0 is as good as the mean, higher is better. Undefined: NULL when the labels are constant, or,
            with force_finite, for a single row.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.6. Checked against: sklearn.metrics.r2_score.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.r2(data, label="label", score="score")["r2"].item(), 4)
        0.9486
    """


def residual_histogram(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, bins: int = 20,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Histogram of the residuals: the share of the rows in equal steps of ŷ − y, from its lowest to its highest.

    A bin includes its lower edge, and the last bin also the highest residual. Edge i is lowest · (bins − i) / bins +
    highest · i / bins. `share` is weighted, and `rows` counts rows.

    Args:
        label: Observed value, a number.
        score: Predicted value.
        bins: Number of bins.

    Returns:
        The table: the slice columns, `bin`, `lower`, `upper`, `rows`, `share`.
        Range: shares 0 to 1; edges in the unit of the label, above 0 where the model predicts too much. Undefined:
            share is NULL if all weights are 0; bins without rows are dropped.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Pearson, Phil. Trans. R. Soc. A 186 (1895). Checked against: numpy.histogram.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> sqlmetrics.residual_histogram(data, label="label", score="score", bins=3)["share"].round(4).tolist()
        [0.25, 0.25, 0.5]
    """


def rmse(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Root mean squared error: √ mean (y − ŷ)².

    Args:
        label: Observed value, a number.
        score: Predicted value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `rmse`.
        Range: 0 and up, in the unit of the label, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.6. Checked against: sklearn.metrics.root_mean_squared_error.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.rmse(data, label="label", score="score")["rmse"].item(), 4)
        0.6124
    """


def rmsle(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Root mean squared logarithmic error: √ mean (ln(1 + y) − ln(1 + ŷ))².

    Args:
        label: Observed value, a number.
        score: Predicted value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `rmsle`.
        Range: 0 and up, lower is better. Undefined: NULL without rows; a value of −1 or less is an error.

    Raises:
        BadData: `label` is infinite; `score` is infinite; `label` is -1 or less, which has no logarithm of 1 + label;
            `score` is -1 or less, which has no logarithm of 1 + score.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-learn user guide, section 3.4.6. Checked against: sklearn.metrics.root_mean_squared_log_error.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, 5.0, 2.5, 7.0], "score": [2.5, 5.0, 4.0, 8.0]})
        >>> round(sqlmetrics.rmsle(data, label="label", score="score")["rmsle"].item(), 4)
        0.1993
    """


def smape(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None,
    form: Literal["200", "100"] = "200", preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Symmetric mean absolute percentage error: 100 · mean 2·|y − ŷ| / (|y| + |ŷ|), 0/0 counting 0.

    Args:
        label: Observed value, a number.
        score: Predicted value.
        form: The scale: '200': from 0 to 200; '100': half of it.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `smape`.
        Range: 0 to 200, in percent, lower is better. Undefined: NULL without rows.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Makridakis, International Journal of Forecasting 9 (1993). Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.smape(data, label="label", score="score")["smape"].item(), 4)
        57.8788
    """


def spearman_correlation(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Spearman's rank correlation coefficient: Pearson's coefficient of the ranks of y and of ŷ, equal values by their
    mean rank.

    Monotonic transformations of the predictions do not change the value. A weight is the number of copies of a row.
    `kendall_tau` ranks inside each group, like the list that a user sees.

    Args:
        label: Observed value, a number.
        score: Predicted value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `spearman_correlation`.
        Range: -1 to 1, 0 is no relation, higher is better. Undefined: NULL when the labels or the predictions are
            constant.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Spearman, American Journal of Psychology 15 (1904). Checked against: scipy.stats.spearmanr.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 3.0, 8.0]})
        >>> round(sqlmetrics.spearman_correlation(data, label="label", score="score")["spearman_correlation"].item(), 4)
        0.8
    """


def tweedie_deviance(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, power: float = 1.5,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Mean Tweedie deviance: mean 2·(y^(2 − p)/((1 − p)(2 − p)) − y·ŷ^(1 − p)/(1 − p) + ŷ^(2 − p)/(2 − p)), p the
    power.

    For amounts that are mostly zero, such as the value of users.

    Args:
        label: Observed value, a number.
        score: Predicted value.
        power: P, for sums with many zeros: 1 is poisson_deviance, and 2 would be gamma_deviance, which does not support
            zeros.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `tweedie_deviance`.
        Range: 0 and up, lower is better. Undefined: NULL without rows; a label below 0 or a prediction of 0 or less is
            an error.

    Raises:
        BadData: `label` is infinite; `score` is infinite; `label` is negative; `score` is 0 or less, which has no
            logarithm.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Jørgensen, Journal of the Royal Statistical Society B 49 (1987). Checked against:
        sklearn.metrics.mean_tweedie_deviance.

    Example:
        >>> data = pd.DataFrame({"label": [0, 1, 2, 4], "score": [0.5, 1.0, 2.0, 3.0]})
        >>> round(sqlmetrics.tweedie_deviance(data, label="label", score="score")["tweedie_deviance"].item(), 4)
        0.7486
    """


def wmape(
    data: Any, *, label: Expression, score: Scores, weight: Expression | None = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Weighted mean absolute percentage error: 100 · Σ w·|y − ŷ| / Σ w·|y|.

    Also called WAPE.

    Args:
        label: Observed value, a number.
        score: Predicted value.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `wmape`.
        Range: 0 and up, in percent, lower is better. Undefined: NULL when the labels are all 0.

    Raises:
        BadData: `label` is infinite; `score` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Kolassa and Schütz, Foresight 6 (2007). Checked against: by hand.

    Example:
        >>> data = pd.DataFrame({"label": [3.0, -0.5, 2.0, 7.0], "score": [2.5, 0.0, 2.0, 8.0]})
        >>> round(sqlmetrics.wmape(data, label="label", score="score")["wmape"].item(), 4)
        16.0
    """


def anlp(
    data: Any, *, p_price: Expression, p_survive: Expression | None = None, won: Expression | None = None,
    mode: Literal["censored", "uncensored", "observed"] = "censored", eps: float = 1e-20, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Average negative log probability of the market price: −mean ln p, p the probability of the price that was seen,
    or of a price above the bid where the bid lost.

    Args:
        mode: Which rows count, and with which probability: 'censored': −ln p_price where the bid won, −ln p_survive
            where it lost; 'uncensored': −ln p_price over the rows that won; 'observed': −ln p_price over all rows.
        eps: Smaller probabilities count as this.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `anlp`.
        Range: 0 and up, lower is better. Undefined: NULL when the mode has no rows.

    Raises:
        BadData: `p_price` is outside [0, 1] (a probability is needed); `won` is neither 0 nor 1.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Wang et al., ECML-PKDD 2016; Ren et al., KDD 2019 (arXiv 1905.03028); arXiv 2001.06587. Checked against: by
        hand.

    Example:
        >>> data = pd.DataFrame({"p_price": [0.5, 0.1], "p_survive": [0.9, 0.25], "won": [1, 0]})
        >>> round(sqlmetrics.anlp(data, p_price="p_price", p_survive="p_survive", won="won")["anlp"].item(), 4)
        1.0397
    """


def clipped_ips(
    data: Any, *, weight: Expression | None = None, reward: Expression, propensity: Expression, target: Expression,
    max_weight: float, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Clipped inverse propensity score estimate: mean of min(w, max_weight)·r, w = target / propensity.

    Clipping biases the estimate downwards: raise max_weight until only the interval grows.

    Args:
        max_weight: The largest importance weight that is used unchanged.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `clipped_ips`.
        Range: any, in the unit of the reward, higher is better. Undefined: NULL without rows.

    Raises:
        BadData: `propensity` is not above 0 and at most 1 (the probability of the logged action is needed); `target` is
            outside [0, 1] (a probability is needed); `reward` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Ionides, JCGS 17 (2008); Bottou et al., JMLR 14 (2013). Checked against:
        InverseProbabilityWeighting(lambda_=max_weight) of Open Bandit Pipeline, its formula in numpy.

    Example:
        >>> data = pd.DataFrame({"reward": [1, 0, 1, 0], "propensity": [0.5, 0.5, 0.25, 0.25], "target": [0.25, 0.5, 0.5, 0.0]})
        >>> round(sqlmetrics.clipped_ips(data, reward="reward", propensity="propensity", target="target", max_weight=1)["clipped_ips"].item(), 4)
        0.375
    """


def direct_method(
    data: Any, *, weight: Expression | None = None, q_policy: Expression, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    min_rows: int | None = None, diagnostics: bool = False, confidence: float | None = None,
    cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Direct method estimate of a policy's value: mean of q_policy, what a model of the reward predicts of the policy.

    As good as the model; the interval does not include errors of the model.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `direct_method`.
        Range: any, in the unit of the reward, higher is better. Undefined: NULL without rows.

    Raises:
        BadData: `q_policy` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Beygelzimer and Langford, KDD 2009. Checked against: DirectMethod of Open Bandit Pipeline, its formula in
        numpy.

    Example:
        >>> data = pd.DataFrame({"q_policy": [0.5, 0.25, 0.75, 0.5]})
        >>> round(sqlmetrics.direct_method(data, q_policy="q_policy")["direct_method"].item(), 4)
        0.5
    """


def doubly_robust(
    data: Any, *, weight: Expression | None = None, reward: Expression, propensity: Expression, target: Expression,
    q_action: Expression, q_policy: Expression, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Doubly robust estimate of a policy's value: mean of q_policy + w·(r − q_action), w = target / propensity.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `doubly_robust`.
        Range: any, in the unit of the reward, higher is better. Undefined: NULL without rows.

    Raises:
        BadData: `propensity` is not above 0 and at most 1 (the probability of the logged action is needed); `target` is
            outside [0, 1] (a probability is needed); `reward` is infinite; `q_action` is infinite; `q_policy` is
            infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Dudík et al., Statistical Science 29 (2014). Checked against: DoublyRobust of Open Bandit Pipeline, its
        formula in numpy.

    Example:
        >>> data = pd.DataFrame({"reward": [1, 0, 1, 0], "propensity": [0.5, 0.5, 0.25, 0.25], "target": [0.25, 0.5, 0.5, 0.0], "q_action": [0.5, 0.5, 0.75, 0.25], "q_policy": [0.5, 0.25, 0.75, 0.5]})
        >>> round(sqlmetrics.doubly_robust(data, reward="reward", propensity="propensity", target="target", q_action="q_action", q_policy="q_policy")["doubly_robust"].item(), 4)
        0.5625
    """


def dros(
    data: Any, *, weight: Expression | None = None, reward: Expression, propensity: Expression, target: Expression,
    q_action: Expression, q_policy: Expression, shrinkage: float, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Doubly robust estimate with optimistic shrinkage: mean of q_policy + λ·w/(w² + λ)·(r − q_action), w = target /
    propensity, λ the shrinkage.

    Args:
        shrinkage: Λ: 0 is the direct method; values far above the squared weights are doubly robust.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `dros`.
        Range: any, in the unit of the reward, higher is better. Undefined: NULL without rows.

    Raises:
        BadData: `propensity` is not above 0 and at most 1 (the probability of the logged action is needed); `target` is
            outside [0, 1] (a probability is needed); `reward` is infinite; `q_action` is infinite; `q_policy` is
            infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Su et al., ICML 2020. Checked against: DoublyRobustWithShrinkage(lambda_=shrinkage) of Open Bandit Pipeline,
        its formula in numpy.

    Example:
        >>> data = pd.DataFrame({"reward": [1, 0, 1, 0], "propensity": [0.5, 0.5, 0.25, 0.25], "target": [0.25, 0.5, 0.5, 0.0], "q_action": [0.5, 0.5, 0.75, 0.25], "q_policy": [0.5, 0.25, 0.75, 0.5]})
        >>> round(sqlmetrics.dros(data, reward="reward", propensity="propensity", target="target", q_action="q_action", q_policy="q_policy", shrinkage=4)["dros"].item(), 4)
        0.5213
    """


def iips(
    data: Any, *, group: Expression, reward: Expression, propensity: Expression, target: Expression,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Independent inverse propensity score estimate of slates: mean over slates of Σ wᵢ·rᵢ, wᵢ = target / propensity of
    place i.

    Unbiased if the reward of a position depends on its own item only; propensity and target are the probabilities of
    that item at that position. A slate with a NULL reward, propensity or target is dropped as a whole.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `iips`.
        Range: any, in the unit of the reward, higher is better. Undefined: NULL without slates.

    Raises:
        BadData: `propensity` is not above 0 and at most 1 (the probability of the logged action is needed); `target` is
            outside [0, 1] (a probability is needed); `reward` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Li et al., KDD 2018 (arXiv 1804.10488). Checked against: SlateIndependentIPS of Open Bandit Pipeline, its
        formula in numpy.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 2, 2], "reward": [1, 0, 0, 1], "propensity": [0.5, 0.25, 0.5, 0.5], "target": [0.25, 0.5, 0.5, 0.75]})
        >>> round(sqlmetrics.iips(data, group="group", reward="reward", propensity="propensity", target="target")["iips"].item(), 4)
        1.0
    """


def ips(
    data: Any, *, weight: Expression | None = None, reward: Expression, propensity: Expression, target: Expression,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Inverse propensity score estimate of a policy's value: mean of w·r, w = target / propensity.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `ips`.
        Range: any, in the unit of the reward, higher is better. Undefined: NULL without rows.

    Raises:
        BadData: `propensity` is not above 0 and at most 1 (the probability of the logged action is needed); `target` is
            outside [0, 1] (a probability is needed); `reward` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Horvitz and Thompson, JASA 47 (1952); Strehl et al., NeurIPS 2010. Checked against:
        InverseProbabilityWeighting of Open Bandit Pipeline, its formula in numpy.

    Example:
        >>> data = pd.DataFrame({"reward": [1, 0, 1, 0], "propensity": [0.5, 0.5, 0.25, 0.25], "target": [0.25, 0.5, 0.5, 0.0]})
        >>> round(sqlmetrics.ips(data, reward="reward", propensity="propensity", target="target")["ips"].item(), 4)
        0.625
    """


def rips(
    data: Any, *, group: Expression, rank: Expression, reward: Expression, propensity: Expression, target: Expression,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Reward interaction inverse propensity score estimate of slates: mean over slates of Σ (Π_{j ≤ i} wⱼ)·rᵢ, wᵢ =
    target / propensity of place i.

    Unbiased if users look from top to bottom; propensity and target of a position are the probabilities of its item
    given the items above. Items of one position count together. A slate with a NULL reward, propensity or target is
    dropped as a whole.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `rips`.
        Range: any, in the unit of the reward, higher is better. Undefined: NULL without slates.

    Raises:
        BadData: `propensity` is not above 0 and at most 1 (the probability of the logged action is needed); `target` is
            outside [0, 1] (a probability is needed); `reward` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: McInerney et al., KDD 2020 (arXiv 2007.12986). Checked against: SlateRewardInteractionIPS of Open Bandit
        Pipeline, its formula in numpy.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 2, 2], "rank": [1, 2, 1, 2], "reward": [1, 0, 0, 1], "propensity": [0.5, 0.25, 0.5, 0.5], "target": [0.25, 0.5, 0.5, 0.75]})
        >>> round(sqlmetrics.rips(data, group="group", rank="rank", reward="reward", propensity="propensity", target="target")["rips"].item(), 4)
        1.0
    """


def sips(
    data: Any, *, group: Expression, reward: Expression, propensity: Expression, target: Expression,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Inverse propensity score estimate of whole slates: mean over slates of (Π wᵢ)·Σ rᵢ, wᵢ = target / propensity of
    place i.

    Unbiased without assumptions on the reward, with a large variance; propensity and target of a position are the
    probabilities of its item given the items above. A slate with a NULL reward, propensity or target is dropped as a
    whole.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `sips`.
        Range: any, in the unit of the reward, higher is better. Undefined: NULL without slates.

    Raises:
        BadData: `propensity` is not above 0 and at most 1 (the probability of the logged action is needed); `target` is
            outside [0, 1] (a probability is needed); `reward` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Swaminathan et al., NeurIPS 2017; McInerney et al., KDD 2020. Checked against: SlateStandardIPS of Open
        Bandit Pipeline, its formula in numpy.

    Example:
        >>> data = pd.DataFrame({"group": [1, 1, 2, 2], "reward": [1, 0, 0, 1], "propensity": [0.5, 0.25, 0.5, 0.5], "target": [0.25, 0.5, 0.5, 0.75]})
        >>> round(sqlmetrics.sips(data, group="group", reward="reward", propensity="propensity", target="target")["sips"].item(), 4)
        1.25
    """


def sndr(
    data: Any, *, weight: Expression | None = None, reward: Expression, propensity: Expression, target: Expression,
    q_action: Expression, q_policy: Expression, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Self-normalised doubly robust estimate: mean of q_policy + Σ w·(r − q_action) / Σ w, w = target / propensity.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `sndr`.
        Range: any, in the unit of the reward, higher is better. Undefined: NULL where the target policy chooses none of
            the logged actions.

    Raises:
        BadData: `propensity` is not above 0 and at most 1 (the probability of the logged action is needed); `target` is
            outside [0, 1] (a probability is needed); `reward` is infinite; `q_action` is infinite; `q_policy` is
            infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Thomas and Brunskill, ICML 2016; Kallus and Uehara, NeurIPS 2019. Checked against:
        SelfNormalizedDoublyRobust of Open Bandit Pipeline, its formula in numpy.

    Example:
        >>> data = pd.DataFrame({"reward": [1, 0, 1, 0], "propensity": [0.5, 0.5, 0.25, 0.25], "target": [0.25, 0.5, 0.5, 0.0], "q_action": [0.5, 0.5, 0.75, 0.25], "q_policy": [0.5, 0.25, 0.75, 0.5]})
        >>> round(sqlmetrics.sndr(data, reward="reward", propensity="propensity", target="target", q_action="q_action", q_policy="q_policy")["sndr"].item(), 4)
        0.5714
    """


def snips(
    data: Any, *, weight: Expression | None = None, reward: Expression, propensity: Expression, target: Expression,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Self-normalised inverse propensity score estimate: Σ w·r / Σ w, w = target / propensity.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `snips`.
        Range: any, in the unit of the reward, higher is better. Undefined: NULL where the target policy chooses none of
            the logged actions.

    Raises:
        BadData: `propensity` is not above 0 and at most 1 (the probability of the logged action is needed); `target` is
            outside [0, 1] (a probability is needed); `reward` is infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Swaminathan and Joachims, NeurIPS 2015. Checked against: SelfNormalizedInverseProbabilityWeighting of Open
        Bandit Pipeline, its formula in numpy.

    Example:
        >>> data = pd.DataFrame({"reward": [1, 0, 1, 0], "propensity": [0.5, 0.5, 0.25, 0.25], "target": [0.25, 0.5, 0.5, 0.0]})
        >>> round(sqlmetrics.snips(data, reward="reward", propensity="propensity", target="target")["snips"].item(), 4)
        0.7143
    """


def switch_dr(
    data: Any, *, weight: Expression | None = None, reward: Expression, propensity: Expression, target: Expression,
    q_action: Expression, q_policy: Expression, max_weight: float, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Switch doubly robust estimate: mean of q_policy + [w ≤ max_weight]·w·(r − q_action), w = target / propensity.

    Where the weight is larger, only the prediction counts.

    Args:
        max_weight: The largest importance weight that is used unchanged.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `switch_dr`.
        Range: any, in the unit of the reward, higher is better. Undefined: NULL without rows.

    Raises:
        BadData: `propensity` is not above 0 and at most 1 (the probability of the logged action is needed); `target` is
            outside [0, 1] (a probability is needed); `reward` is infinite; `q_action` is infinite; `q_policy` is
            infinite.

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Wang, Agarwal and Dudík, ICML 2017. Checked against: SwitchDoublyRobust(lambda_=max_weight) of Open Bandit
        Pipeline, its formula in numpy.

    Example:
        >>> data = pd.DataFrame({"reward": [1, 0, 1, 0], "propensity": [0.5, 0.5, 0.25, 0.25], "target": [0.25, 0.5, 0.5, 0.0], "q_action": [0.5, 0.5, 0.75, 0.25], "q_policy": [0.5, 0.25, 0.75, 0.5]})
        >>> round(sqlmetrics.switch_dr(data, reward="reward", propensity="propensity", target="target", q_action="q_action", q_policy="q_policy", max_weight=1)["switch_dr"].item(), 4)
        0.4375
    """


def qini(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, treatment: Expression,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Qini coefficient: (A − R) / (P − R), A the area under the Qini curve Yₜ − Y_c·Nₜ / N_c over the rows by
    descending score, R that of the straight line to its end, P that of a perfect order.

    The score is the predicted uplift. The label is whether the row responded, and treatment whether it was treated, at
    random. A perfect order puts treated responders first and untreated responders last.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `qini`.
        Range: any, 0 is a random order, higher is better. Undefined: NULL without treated rows, without others, or
            where no order is better than another.

    Raises:
        BadData: `treatment` is neither 0 nor 1; `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Radcliffe, Direct Marketing Analytics Journal 3 (2007); normalised as in scikit-uplift. Checked against:
        qini_auc_score of scikit-uplift, its formula in numpy.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [0.4, 0.1, 0.3, 0.2], "treatment": [1, 1, 0, 0]})
        >>> round(sqlmetrics.qini(data, label="label", score="score", treatment="treatment")["qini"].item(), 4)
        0.8333
    """


def qini_curve(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, treatment: Expression,
    points: int | Literal["all"] = 200, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Qini curve: Yₜ − Y_c·Nₜ / N_c over the rows of a score at the threshold or above, and the straight line to the
    end of the curve.

    A quotient without rows counts as 0, as in scikit-uplift. Its points are `targeted`, the weight of the rows, and
    `incremental_gain`.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        points: The maximum number of thresholds below the first: the lowest score of each bin ⌊points · weight of the
            higher scores / weight of all⌋ (within 1e-9 for fractional weights): 'all': every distinct score.

    Returns:
        The table: the slice columns, `threshold`, `targeted`, `incremental_gain`, `random_gain`.
        Range: in responses, higher is better. Undefined: random_gain is NULL without treated rows or without others.

    Raises:
        BadData: `treatment` is neither 0 nor 1; `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Radcliffe, Direct Marketing Analytics Journal 3 (2007). Checked against: qini_curve of scikit-uplift, its
        formula in numpy.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [0.4, 0.1, 0.3, 0.2], "treatment": [1, 1, 0, 0]})
        >>> sqlmetrics.qini_curve(data, label="label", score="score", treatment="treatment")["incremental_gain"].round(4).tolist()
        [0.0, 1.0, 1.0, 0.5, 0.0]
    """


def uplift_at_k(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, treatment: Expression, share: float = 0.3,
    strategy: Literal["overall", "by_group"] = "overall", preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Uplift at k: Yₜ / Nₜ − Y_c / N_c over the rows of the highest scores that hold the share of all weight; by_group
    over the highest of the treated and the highest of the others.

    The score is the predicted uplift. The label is whether the row responded, and treatment whether it was treated, at
    random. At the score that completes the share, rows count with a part of their weight, so the order of equal scores
    does not matter. scikit-uplift rounds down to whole rows and keeps the data's order of equal scores.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        share: The share of the weight to target, highest scores first.
        strategy: The base of the share: 'overall': the share of all rows; 'by_group': the same share of the treated and
            of the others.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `uplift_at_k`.
        Range: -1 to 1, 0 is no effect, higher is better. Undefined: NULL without treated rows or without others among
            the highest scores.

    Raises:
        BadData: `treatment` is neither 0 nor 1; `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: scikit-uplift, uplift_at_k. Checked against: uplift_at_k of scikit-uplift, its formula in numpy.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [0.4, 0.3, 0.2, 0.1], "treatment": [1, 0, 1, 0]})
        >>> round(sqlmetrics.uplift_at_k(data, label="label", score="score", treatment="treatment", share=0.5)["uplift_at_k"].item(), 4)
        1.0
    """


def uplift_auc(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, treatment: Expression,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Area under the uplift curve: (A − R) / (P − R), A the area under the uplift curve (Yₜ / Nₜ − Y_c / N_c)·(Nₜ +
    N_c) over the rows by descending score, R that of the straight line to its end, P that of a perfect order.

    The score is the predicted uplift. The label is whether the row responded, and treatment whether it was treated, at
    random. As in scikit-uplift, a perfect order puts treated responders first, then untreated rows without a response.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `uplift_auc`.
        Range: any, 0 is a random order, higher is better. Undefined: NULL without treated rows, without others, or
            where no order is better than another.

    Raises:
        BadData: `treatment` is neither 0 nor 1; `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Devriendt, Guns and Verbeke, arXiv 2002.05897; normalised as in scikit-uplift. Checked against:
        uplift_auc_score of scikit-uplift, its formula in numpy.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [0.4, 0.1, 0.2, 0.3], "treatment": [1, 1, 0, 0]})
        >>> round(sqlmetrics.uplift_auc(data, label="label", score="score", treatment="treatment")["uplift_auc"].item(), 4)
        0.5556
    """


def uplift_curve(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, treatment: Expression,
    points: int | Literal["all"] = 200, preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Uplift curve: (Yₜ / Nₜ − Y_c / N_c)·(Nₜ + N_c) over the rows of a score at the threshold or above, and the
    straight line to the end of the curve.

    A quotient without rows counts as 0, as in scikit-uplift. Its points are `targeted`, the weight of the rows, and
    `incremental_gain`.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.
        points: The maximum number of thresholds below the first: the lowest score of each bin ⌊points · weight of the
            higher scores / weight of all⌋ (within 1e-9 for fractional weights): 'all': every distinct score.

    Returns:
        The table: the slice columns, `threshold`, `targeted`, `incremental_gain`, `random_gain`.
        Range: in responses, higher is better. Undefined: random_gain is NULL without treated rows or without others.

    Raises:
        BadData: `treatment` is neither 0 nor 1; `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Devriendt, Guns and Verbeke, arXiv 2002.05897. Checked against: uplift_curve of scikit-uplift, its formula
        in numpy.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 0, 1], "score": [0.4, 0.1, 0.3, 0.2], "treatment": [1, 1, 0, 0]})
        >>> sqlmetrics.uplift_curve(data, label="label", score="score", treatment="treatment")["incremental_gain"].round(4).tolist()
        [0.0, 1.0, 2.0, 1.5, 0.0]
    """


def concordance_index(
    data: Any, *, label: Expression | None = None, score: Scores, weight: Expression | None = None,
    positives: Expression | None = None, total: Expression | None = None, duration: Expression,
    preset: Preset | None = None, by: By | None = None, where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, min_rows: int | None = None, diagnostics: bool = False,
    confidence: float | None = None, cluster: Expression | None = None, standard_error: bool = False,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Concordance index (Harrell's C): of the pairs of rows of which one has the event, and the other lasts longer, or
    as long without it, the share in which the first has the higher score, ties half; a pair weighs w₁·w₂.

    The score is a risk: the higher, the sooner the event is expected. For predicted durations pass
    `score='=-predicted'`. The label is 1 if the event was observed, and 0 for a censored row. Two events of the same
    duration are not a pair. Also called the c-index.

    Args:
        label: Label, 0/1 or boolean.
        score: Prediction; higher ranks first.

    Returns:
        One row per slice: the slice columns, `n` (rows used), `concordance_index`.
        Range: 0 to 1, 0.5 is chance, higher is better. Undefined: NULL without such a pair.

    Raises:
        BadData: `label` is neither 0 nor 1 (a binary label is needed).

    Data, the other arguments and errors: `help(sqlmetrics.evaluate)`.

    Source: Harrell et al., JAMA 247 (1982). Checked against: concordance_index_censored of scikit-survival; all pairs
        in numpy, where rows are weighted.

    Example:
        >>> data = pd.DataFrame({"label": [1, 0, 1, 1], "score": [0.9, 0.4, 0.4, 0.6], "duration": [2, 3, 4, 6]})
        >>> round(sqlmetrics.concordance_index(data, label="label", score="score", duration="duration")["concordance_index"].item(), 4)
        0.75
    """
