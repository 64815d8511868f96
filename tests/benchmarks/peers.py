"""Other tools for each metric, reading of the file included: `PEERS`, a metric -> its peers.

`CALLS` holds the parameters for which a metric has the definition of its peers. Each peer reads its columns of the wide
log, and is called as its documentation recommends.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression

from .cases import Work, nested, number, polars_gauc, ranx_measures

#: Functions that return the numbers to compare: of our result, and of a peer's result and ours.
Read = Callable[[pd.DataFrame], Any]
Compare = Callable[[Any, pd.DataFrame], Any]

#: The score from which on a row is predicted positive: about as many rows as clicks.
THRESHOLD = 0.1
#: The package of each tool.
TOOLS = {
    "scikit-learn": "scikit-learn", "SciPy": "scipy", "statsmodels": "statsmodels", "polars": "polars",
    "pytrec_eval": "pytrec-eval-terrier", "ranx": "ranx", "scikit-uplift": "scikit-uplift", "lifelines": "lifelines",
}  # fmt: skip
CLASSES = ["bird", "cat", "dog"]
_NAMES = ("class", "called_class")
#: The columns of a ranked item: user, item, grade, score.
RANKED = ("user_id", "item", "grade", "list_score")
CLICKS, AMOUNTS, POSITIVE = ("clicked", "score"), ("amount", "forecast"), ("positive_amount", "forecast")
TREATED = ("clicked", "score", "treatment")


def _single(frame: pd.DataFrame) -> list[float]:
    return [float(frame.iloc[0].iloc[-1])]


@dataclass(frozen=True)
class Peer:
    """A tool, its work on a file, and the numbers to compare; by default each result is one number."""

    tool: str
    work: Callable[[Path], Work]
    theirs: Compare = lambda result, _: number(result)
    ours: Read = _single


def _read(path: Path, columns: Sequence[str]) -> list[Any]:
    """Class names become integer codes, with which scikit-learn is ten times as fast."""
    frame = pd.read_parquet(path, columns=[*columns])
    return [
        pd.Categorical(frame[column], CLASSES).codes if column in _NAMES else frame[column].to_numpy()
        for column in columns
    ]


def _of(function: Callable[..., Any], columns: Sequence[str], **options: Any) -> Callable[[Path], Work]:
    """The work of a function of columns."""
    return lambda path: lambda: function(*_read(path, columns), **options)


def _sk(function: Callable[..., Any], columns: Sequence[str] = CLICKS, **options: Any) -> Peer:
    return Peer("scikit-learn", _of(function, columns, **options))


def _called(function: Callable[..., Any], **options: Any) -> Peer:
    """A function of labels and predictions at the threshold."""
    return _sk(lambda clicked, score: function(clicked, score >= THRESHOLD, **options))


def _columns(*names: str, first: int = 0) -> Read:
    """Columns of our table, concatenated."""
    return lambda frame: frame[[*names]].to_numpy(dtype=float)[first:].ravel(order="F")


# Curves: a peer's curve has every score, ours 200 points of it


def _on_roc(curve: Any, frame: pd.DataFrame) -> Any:
    """The rates at our numbers of positives, interpolated: a peer drops points on straight lines."""
    fpr, tpr, _ = curve
    negatives, positives = (frame[[*names]].to_numpy(dtype=float)[0].sum() for names in (("fp", "tn"), ("tp", "fn")))
    rows = fpr * negatives + tpr * positives
    wanted = (frame["tp"] + frame["fp"]).to_numpy(dtype=float)
    return np.concatenate([np.interp(wanted, rows, rate) for rate in (tpr, fpr)])


def _at(curve: Sequence[Any], thresholds: Any, frame: pd.DataFrame) -> Any:
    """The columns of a curve at our thresholds; our first row has no threshold."""
    order = np.argsort(thresholds)
    places = order[np.searchsorted(thresholds[order], frame["threshold"].to_numpy(dtype=float)[1:])]
    return np.concatenate([np.asarray(values)[places] for values in curve])


# Calibration


def _recalibrated(end: Callable[[Any, Any, Any], Any]) -> Peer:
    """A function of labels, scores and scores that isotonic regression recalibrates."""

    def work(clicked: Any, score: Any) -> Any:
        return end(clicked, score, IsotonicRegression(out_of_bounds="clip").fit_transform(score, clicked))

    return _sk(work)


def _error_quantile(share: float) -> Peer:
    return _recalibrated(lambda _, s, r: np.quantile(np.abs(s - r), share, method="averaged_inverted_cdf"))


def _blocks(clicked: Any, score: Any) -> Any:
    return np.unique(IsotonicRegression().fit(score, clicked).y_thresholds_)


def _logit_slope(clicked: Any, score: Any) -> float:
    import statsmodels.api as sm

    design = sm.add_constant(np.log(score / (1 - score)))
    return float(sm.Logit(clicked, design).fit(disp=0, tol=1e-12).params[1])


def _logit_intercept(clicked: Any, score: Any) -> float:
    import statsmodels.api as sm

    model = sm.GLM(clicked, np.ones(len(clicked)), family=sm.families.Binomial(), offset=np.log(score / (1 - score)))
    return float(model.fit(tol=1e-12).params[0])


# Classes


def _classes(function: Callable[..., Any], **options: Any) -> Peer:
    return _sk(function, ("class", "called_class"), **options)


def _class_scores(function: Callable[..., Any], **options: Any) -> Peer:
    return _sk(lambda labels, *scores: function(labels, np.column_stack(scores), **options), ("class", *CLASSES))


def _report(labels: Any, called: Any) -> Any:
    return np.concatenate(sk.precision_recall_fscore_support(labels, called))


def _fleiss(users: Any, labels: Any) -> float:
    from statsmodels.stats import inter_rater

    ratings = labels[np.argsort(users, kind="stable")].reshape(len(np.unique(users)), -1)
    return float(inter_rater.fleiss_kappa(inter_rater.aggregate_raters(ratings)[0]))


# Rankings


def _trec(measure: str, column: str = "") -> Peer:
    """A measure of pytrec_eval, and the column of its results if it has another name."""

    def work(path: Path) -> Work:
        import pytrec_eval

        def evaluate() -> float:
            judgments, run = nested(path, RANKED)
            by_query = pytrec_eval.RelevanceEvaluator(judgments, {measure}).evaluate(run)
            name = column or measure
            return float(pytrec_eval.compute_aggregated_measure(name, [query[name] for query in by_query.values()]))

        return evaluate

    return Peer("pytrec_eval", work)


def _ranx(measure: str, columns: Sequence[str] = RANKED) -> Peer:
    return Peer("ranx", lambda path: ranx_measures(path, [measure], columns), lambda result, _: result)


def _ndcg(users: Any, grades: Any, scores: Any) -> float:
    """Every list has twenty items, so a matrix holds them."""
    order = np.argsort(users, kind="stable")
    matrices = (column[order].reshape(len(np.unique(users)), -1) for column in (grades, scores))
    return float(sk.ndcg_score(*matrices, k=10))


def _kendall(users: Any, grades: Any, scores: Any) -> float:
    """A loop over the users."""
    order = np.argsort(users, kind="stable")
    starts = np.flatnonzero(np.diff(users[order], prepend=-1))[1:]
    lists = zip(np.split(grades[order], starts), np.split(scores[order], starts), strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(np.nanmean([stats.kendalltau(*columns).statistic for columns in lists]))


# Regression, survival, uplift


def _regression(function: Callable[..., Any], columns: Sequence[str] = AMOUNTS, **options: Any) -> Peer:
    return _sk(function, columns, **options)


def _lifelines(durations: Any, scores: Any, events: Any) -> float:
    from lifelines.utils import concordance_index

    # Its scores predict long durations.
    return float(concordance_index(durations, -scores, events))


def _sklift(function: str, **options: Any) -> Callable[[Path], Work]:
    def work(clicked: Any, score: Any, treatment: Any) -> Any:
        from sklift import metrics

        return getattr(metrics, function)(clicked, score, treatment, **options)

    return _of(work, TREATED)


def _uplift_curve(function: str) -> Peer:
    both = _columns("targeted", "incremental_gain")

    def at_ours(curve: Any, frame: pd.DataFrame) -> Any:
        targeted, gains = curve
        places = np.searchsorted(targeted, frame["targeted"].to_numpy(dtype=float))
        return np.concatenate([targeted[places], gains[places]])

    return Peer("scikit-uplift", _sklift(function), at_ours, both)


#: The arguments for which a metric has the definition of its peers.
CALLS: dict[str, dict[str, Any]] = {
    "pr_auc": {"interpolation": "trapezoid"},
    "fbeta": {"beta": 2},
    "partial_auc": {"max_fpr": 0.1},
    "ndcg": {"k": 10, "gain": "linear"},
    "hit_rate": {"k": 10},
    "relative_precision": {"k": 10},
    "rbp": {"p": 0.8},
    "weighted_kappa": {"weights": "quadratic"},
}
PEERS: dict[str, list[Peer]] = {
    # Two classes
    "auc": [_sk(sk.roc_auc_score)],
    "gini": [_sk(lambda y, s: 2 * sk.roc_auc_score(y, s) - 1)],
    "partial_auc": [_sk(sk.roc_auc_score, max_fpr=0.1)],
    "average_precision": [_sk(sk.average_precision_score)],
    "pr_auc": [_sk(lambda y, s: sk.auc(*sk.precision_recall_curve(y, s)[1::-1]))],
    "ks": [Peer("SciPy", _of(lambda y, s: stats.ks_2samp(s[y == 1], s[y == 0], method="asymp").statistic, CLICKS))],
    "roc_curve": [Peer("scikit-learn", _of(sk.roc_curve, CLICKS), _on_roc, _columns("tpr", "fpr"))],
    "pr_curve": [
        Peer(
            "scikit-learn",
            _of(sk.precision_recall_curve, CLICKS),
            lambda curve, frame: _at(curve[:2], curve[2], frame),
            _columns("precision", "recall", first=1),
        )
    ],
    "threshold_table": [
        Peer(
            "scikit-learn",
            _of(sk.confusion_matrix_at_thresholds, CLICKS),
            lambda curve, frame: _at(curve[:4], curve[4], frame),
            _columns("tn", "fp", "fn", "tp", first=1),
        )
    ],
    "accuracy": [_called(sk.accuracy_score)],
    "error_rate": [_called(sk.zero_one_loss)],
    "balanced_accuracy": [_called(sk.balanced_accuracy_score)],
    "youden_j": [_called(sk.balanced_accuracy_score, adjusted=True)],
    "confusion_matrix": [
        Peer(
            "scikit-learn",
            _of(lambda y, s: sk.confusion_matrix(y, s >= THRESHOLD), CLICKS),
            lambda matrix, _: matrix.ravel(),
            lambda frame: frame[["tn", "fp", "fn", "tp"]].iloc[0].to_numpy(dtype=float),
        )
    ],
    "f1": [_called(sk.f1_score)],
    "fbeta": [_called(sk.fbeta_score, beta=2)],
    "mcc": [_called(sk.matthews_corrcoef)],
    "precision": [_called(sk.precision_score)],
    "recall": [_called(sk.recall_score)],
    "specificity": [_called(sk.recall_score, pos_label=0)],
    # Probabilities
    "log_loss": [_sk(sk.log_loss)],
    "brier": [_sk(sk.brier_score_loss)],
    "relative_information_gain": [_sk(sk.d2_log_loss_score)],
    "normalized_entropy": [_sk(lambda y, s: 1 - sk.d2_log_loss_score(y, s))],
    "calibration_curve": [
        Peer(
            "scikit-learn",
            _of(calibration_curve, CLICKS, n_bins=10, strategy="quantile"),
            lambda curve, _: np.concatenate(curve),
            _columns("rate", "mean_score"),
        )
    ],
    "calibration_slope": [Peer("statsmodels", _of(_logit_slope, CLICKS))],
    "calibration_intercept": [Peer("statsmodels", _of(_logit_intercept, CLICKS))],
    "miscalibration": [_recalibrated(lambda y, s, r: sk.brier_score_loss(y, s) - sk.brier_score_loss(y, r))],
    "discrimination": [_recalibrated(lambda y, _, r: np.mean((y - y.mean()) ** 2) - sk.brier_score_loss(y, r))],
    "integrated_calibration_index": [_recalibrated(lambda _, s, r: np.mean(np.abs(s - r)))],
    "emax": [_recalibrated(lambda _, s, r: np.max(np.abs(s - r)))],
    "e50": [_error_quantile(0.5)],
    "e90": [_error_quantile(0.9)],
    "isotonic_calibration": [
        Peer("scikit-learn", _of(_blocks, CLICKS), lambda rates, _: rates, _columns("rate")),
    ],
    "gauc": [Peer("polars", lambda path: polars_gauc(path, "user_id"))],
    # Classes
    "class_confusion": [
        Peer(
            "scikit-learn",
            _of(sk.confusion_matrix, ("class", "called_class")),
            lambda matrix, _: matrix.ravel(),
            lambda frame: frame.sort_values(["label", "prediction"])["count"],
        )
    ],
    "class_report": [
        Peer(
            "scikit-learn",
            _of(_report, ("class", "called_class")),
            lambda report, _: report,
            _columns("precision", "recall", "f1", "support"),
        )
    ],
    "cohens_kappa": [_classes(sk.cohen_kappa_score)],
    "weighted_kappa": [_classes(sk.cohen_kappa_score, weights="quadratic")],
    "fleiss_kappa": [Peer("statsmodels", _of(_fleiss, ("user_id", "class")))],
    **{
        f"{average}_{name}": [_classes(function, average=average)]
        for average in ("macro", "micro", "weighted")
        for name, function in (("f1", sk.f1_score), ("precision", sk.precision_score), ("recall", sk.recall_score))
    },
    "multi_balanced_accuracy": [_classes(sk.balanced_accuracy_score)],
    "multi_mcc": [_classes(sk.matthews_corrcoef)],
    "multi_auc": [_class_scores(sk.roc_auc_score, multi_class="ovr")],
    "multi_log_loss": [_class_scores(sk.log_loss, labels=range(3))],
    "top_k_accuracy": [_class_scores(sk.top_k_accuracy_score, k=2, labels=range(3))],
    # Rankings
    "ndcg": [_trec("ndcg_cut.10", "ndcg_cut_10"), _ranx("ndcg@10"), _sk(_ndcg, ("user_id", "grade", "list_score"))],
    "map": [_trec("map"), _ranx("map")],
    "mrr": [_trec("recip_rank"), _ranx("mrr")],
    "precision_at_k": [_trec("P.10", "P_10"), _ranx("precision@10")],
    "recall_at_k": [_trec("recall.10", "recall_10"), _ranx("recall@10")],
    "hit_rate": [_trec("success.10", "success_10"), _ranx("hit_rate@10")],
    "f1_at_k": [_ranx("f1@10")],
    # Its gain is the grade.
    "rbp": [_ranx("rbp.80", ("user_id", "item", "relevant", "list_score"))],
    "bpref": [_trec("bpref")],
    "r_precision": [_trec("Rprec"), _ranx("r-precision")],
    "gm_map": [_trec("gm_map")],
    "infap": [_trec("infAP")],
    "interpolated_precision": [_trec("iprec_at_recall.0.50", "iprec_at_recall_0.50")],
    "relative_precision": [_trec("relative_P.10", "relative_P_10")],
    "set_precision": [_trec("set_P")],
    "set_recall": [_trec("set_recall")],
    "set_f": [_trec("set_F")],
    "set_map": [_trec("set_map")],
    "utility": [_trec("utility")],
    "kendall_tau": [Peer("SciPy", _of(_kendall, ("user_id", "grade", "list_score")))],
    # Regression
    "mae": [_regression(sk.mean_absolute_error)],
    "mse": [_regression(sk.mean_squared_error)],
    "rmse": [_regression(sk.root_mean_squared_error)],
    "rmsle": [_regression(sk.root_mean_squared_log_error, POSITIVE)],
    "mape": [_regression(lambda y, s: 100 * sk.mean_absolute_percentage_error(y, s))],
    "medae": [_regression(sk.median_absolute_error)],
    "max_error": [_regression(sk.max_error)],
    "r2": [_regression(sk.r2_score)],
    "explained_variance": [_regression(sk.explained_variance_score)],
    "pinball": [_regression(sk.mean_pinball_loss)],
    "d2_absolute_error": [_regression(sk.d2_absolute_error_score)],
    "d2_pinball": [_regression(sk.d2_pinball_score)],
    "d2_tweedie": [_regression(sk.d2_tweedie_score, POSITIVE, power=1.5)],
    "poisson_deviance": [_regression(sk.mean_poisson_deviance, POSITIVE)],
    "gamma_deviance": [_regression(sk.mean_gamma_deviance, POSITIVE)],
    "tweedie_deviance": [_regression(sk.mean_tweedie_deviance, POSITIVE, power=1.5)],
    "pearson_correlation": [Peer("SciPy", _of(lambda y, s: stats.pearsonr(y, s).statistic, AMOUNTS))],
    "spearman_correlation": [Peer("SciPy", _of(lambda y, s: stats.spearmanr(y, s).statistic, AMOUNTS))],
    # Survival, uplift
    "concordance_index": [Peer("lifelines", _of(_lifelines, ("duration", "score", "clicked")))],
    "qini": [Peer("scikit-uplift", _sklift("qini_auc_score"))],
    "uplift_auc": [Peer("scikit-uplift", _sklift("uplift_auc_score"))],
    "uplift_at_k": [Peer("scikit-uplift", _sklift("uplift_at_k", strategy="overall", k=0.3))],
    "qini_curve": [_uplift_curve("qini_curve")],
    "uplift_curve": [_uplift_curve("uplift_curve")],
}
