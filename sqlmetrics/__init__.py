"""SQL-first offline evaluation metrics: AUC, GAUC, NDCG, COPC and their kin, on files and tables, in one statement."""

# ruff: noqa: F405, RUF022 (the names that come from functions.py, and their order)

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import engines
    from .api import compare, drift, evaluate, evaluate_states, gaps, metrics, per_group, render, report, state
    from .authoring.register import register
    from .errors import (
        BadData,
        BadMetricFile,
        BadParameter,
        DroppedRows,
        MissingClient,
        MissingColumn,
        QueryFailed,
        SqlMetricsError,
        UnknownMetric,
    )
    from .expressions import column, sql
    from .functions import *  # noqa: F403 - one function per metric
    from .integrations.duckdb_macros import install, uninstall
    from .reporting.charts import plot

    __version__: str

# fmt: off
#: Every public name; a snapshot of tests/output/test_api.py fails when a name or its arguments change.
__all__ = [
    "BadData", "BadMetricFile", "BadParameter", "DroppedRows", "MissingClient", "MissingColumn", "QueryFailed",
    "SqlMetricsError", "UnknownMetric", "column", "compare", "drift", "engines", "evaluate", "evaluate_states", "gaps",
    "install", "metrics", "per_group", "plot", "register", "render", "render_compare", "render_drift", "render_gaps",
    "report", "sql", "state", "uninstall",
    # metrics: written by sqlmetrics.codegen
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
    # metrics end
]
# fmt: on

#: Everything is imported on first use: `sqlmetrics --help` needs neither the engine nor pandas, and the shell handles
#: signals before other imports.
_MODULES = {
    **dict.fromkeys(["compare", "drift", "evaluate", "evaluate_states", "gaps", "metrics", "per_group"], "api"),
    **dict.fromkeys(["render", "render_compare", "render_drift", "render_gaps", "report", "state"], "api"),
    **dict.fromkeys(["column", "sql"], "expressions"),
    **dict.fromkeys(["install", "uninstall"], "integrations.duckdb_macros"),
    **dict.fromkeys([name for name in __all__ if name[0].isupper()], "errors"),
    "engines": None,
    "plot": "reporting.charts",
    "register": "authoring.register",
}


def __getattr__(name: str) -> Any:
    """Import names on first use; registered metrics are functions of the package, like built-in metrics."""
    if name == "__version__":
        from .version import installed_version  # noqa: PLC0415

        return installed_version()
    if name in __all__:
        module = importlib.import_module(f".{_MODULES.get(name, 'functions') or name}", __name__)
        value = module if module.__name__ == f"{__name__}.{name}" else getattr(module, name)
        globals()[name] = value
        return value
    from .catalogue.registry import catalogue, registered  # noqa: PLC0415

    user_metrics = registered()
    if name in user_metrics:
        from .public_functions import metric_function  # noqa: PLC0415

        return metric_function(user_metrics[name])
    # Tools probe modules for names such as `__wrapped__`; these get no hint.
    hint = "" if name.startswith("_") else catalogue().metric_meant(name)
    raise AttributeError(f"module 'sqlmetrics' has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    from .catalogue.registry import registered  # noqa: PLC0415

    return sorted({*globals(), *__all__, *registered(), "__version__"})
