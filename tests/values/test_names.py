"""The names of metrics in other packages: each package's function returns what the metric with its preset returns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import calibration
from sklearn import metrics as sk
from sklearn.isotonic import IsotonicRegression

import sqlmetrics
from sqlmetrics import BadParameter
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests.compare import agree
from tests.optional import package
from tests.oracles import ORACLES
from tests.parameters import slow
from tests.values.test_judgments import MEASURES
from tests.values.test_presets import by_lightgbm

METRICS = builtin_catalogue().metrics
NAMES = [(metric, tool, name) for metric in METRICS.values() for tool, name in metric.names.items()]

# scikit-learn

Sklearn = Callable[[pd.DataFrame, dict[str, Any]], Any]


def scored(function: Callable[..., Any], **options: Any) -> Sklearn:
    return lambda data, w: function(data["label"], data["score"], **options, **w)


def thresholded(function: Callable[..., Any], **options: Any) -> Sklearn:
    return lambda data, w: function(data["label"], (data["score"] >= 0.5).astype(int), **options, **w)


def predicted(function: Callable[..., Any], **options: Any) -> Sklearn:
    return lambda data, w: function(data["label"], data["prediction"], **options, **w)


def by_class(function: Callable[..., Any], **options: Any) -> Sklearn:
    return lambda data, w: function(data["label"], data[["p0", "p1", "p2"]], labels=[0, 1, 2], **options, **w)


def of_list(function: Callable[..., Any]) -> Sklearn:
    return lambda data, _: function([data["label"]], [data["score"]])


def curve(columns: list[str], function: Callable[..., Any], **options: Any) -> Sklearn:
    """The columns in the order of falling thresholds, the first of which is infinite."""

    def value(data: pd.DataFrame, w: dict[str, Any]) -> dict[str, Any]:
        *rates, at = function(data["label"], data["score"], **options, **w)
        if len(at) < len(rates[0]):  # rising thresholds, without that of no row
            rates, at = [rate[::-1] for rate in rates], [np.inf, *at[::-1]]
        return dict(zip([*columns, "threshold"], [*rates, at], strict=True))

    return value


def pr_auc(data: pd.DataFrame, w: dict[str, Any]) -> float:
    precision, recall, _ = sk.precision_recall_curve(data["label"], data["score"], **w)
    return float(sk.auc(recall, precision))


def calibration_curve(data: pd.DataFrame, _: dict[str, Any]) -> dict[str, Any]:
    """Equal steps of the score; a score on an edge is in the lower bin, and there are no weights."""
    rates, means = calibration.calibration_curve(data["label"], data["score"], n_bins=10)
    return {"rate": rates, "mean_score": means}


def confusion_matrix(data: pd.DataFrame, w: dict[str, Any]) -> dict[str, Any]:
    matrix = sk.confusion_matrix(data["label"], (data["score"] >= 0.5).astype(int), labels=[0, 1], **w)
    return dict(zip(["tn", "fp", "fn", "tp"], matrix.reshape(4, 1), strict=True))


def class_confusion(data: pd.DataFrame, w: dict[str, Any]) -> dict[str, Any]:
    """The cells that are not empty, row by row."""
    matrix = sk.confusion_matrix(data["label"], data["prediction"], **w)
    return {"count": matrix[matrix > 0]}


def class_report(data: pd.DataFrame, w: dict[str, Any]) -> dict[str, Any]:
    report = sk.classification_report(data["label"], data["prediction"], output_dict=True, zero_division=0, **w)
    rows = [report[str(label)] for label in sorted(set(data["label"]) | set(data["prediction"]))]
    names = {"precision": "precision", "recall": "recall", "f1": "f1-score", "support": "support"}
    return {name: [row[theirs] for row in rows] for name, theirs in names.items()}


def isotonic(data: pd.DataFrame, w: dict[str, Any]) -> dict[str, Any]:
    """The rates of the blocks; two that differ by their last bits are one."""
    rates = np.unique(IsotonicRegression().fit(data["score"], data["label"], **w).predict(data["score"]))
    return {"rate": rates[np.diff(rates, prepend=-1) > 1e-12]}


_SCORES_BY_CLASS = "scores={0: 'p0', 1: 'p1', 2: 'p2'}"
_TOP_TWO = f"top_k_accuracy = top_k_accuracy(k=2, {_SCORES_BY_CLASS})"
_SCORED = [
    "roc_auc_score", "average_precision_score", "explained_variance_score", "mean_poisson_deviance",
    "mean_gamma_deviance", "d2_absolute_error_score", "brier_score_loss", "mean_absolute_error",
    "mean_absolute_percentage_error", "max_error", "median_absolute_error", "mean_squared_error", "mean_pinball_loss",
    "r2_score", "root_mean_squared_error", "root_mean_squared_log_error",
]  # fmt: skip
_THRESHOLDED = [
    "accuracy_score", "balanced_accuracy_score", "f1_score", "matthews_corrcoef", "precision_score", "recall_score",
]  # fmt: skip
_AVERAGED = [(name, average) for name in ("f1", "precision", "recall") for average in ("macro", "micro", "weighted")]
#: scikit-learn's name -> our call, unless it is the metric's own name, and scikit-learn's value.
SKLEARN: dict[str, tuple[str | None, Sklearn]] = {
    **{name: (None, scored(getattr(sk, name))) for name in _SCORED},
    **{name: (None, thresholded(getattr(sk, name))) for name in _THRESHOLDED},
    **{
        f"{name}_score(average='{average}')": (None, predicted(getattr(sk, f"{name}_score"), average=average))
        for name, average in _AVERAGED
    },
    "roc_auc_score(max_fpr)": ("partial_auc(max_fpr=0.3)", scored(sk.roc_auc_score, max_fpr=0.3)),
    "log_loss": (None, scored(sk.log_loss, labels=[0, 1])),
    "mean_tweedie_deviance(power=1.5)": (None, scored(sk.mean_tweedie_deviance, power=1.5)),
    "d2_tweedie_score(power=1.5)": (None, scored(sk.d2_tweedie_score, power=1.5)),
    "d2_pinball_score": ("d2_pinball(alpha=0.9)", scored(sk.d2_pinball_score, alpha=0.9)),
    "fbeta_score": ("fbeta(beta=2)", thresholded(sk.fbeta_score, beta=2)),
    "recall_score(pos_label=0)": (None, thresholded(sk.recall_score, pos_label=0)),
    "balanced_accuracy_score(adjusted=True)": (None, thresholded(sk.balanced_accuracy_score, adjusted=True)),
    "confusion_matrix (binary)": (None, confusion_matrix),
    "auc of precision_recall_curve": ("pr_auc(interpolation='trapezoid')", pr_auc),
    "precision_recall_curve": (None, curve(["precision", "recall"], sk.precision_recall_curve)),
    "roc_curve(drop_intermediate=False)": (None, curve(["fpr", "tpr"], sk.roc_curve, drop_intermediate=False)),
    "calibration_curve (there the lower bin holds an edge)": (None, calibration_curve),
    "IsotonicRegression": (None, isotonic),
    "balanced_accuracy_score (multi-class)": (None, predicted(sk.balanced_accuracy_score)),
    "matthews_corrcoef (multi-class)": (None, predicted(sk.matthews_corrcoef)),
    "cohen_kappa_score": (None, predicted(sk.cohen_kappa_score)),
    "cohen_kappa_score(weights)": (None, predicted(sk.cohen_kappa_score, weights="quadratic")),
    "confusion_matrix (multi-class)": (None, class_confusion),
    "classification_report": (None, class_report),
    "log_loss (multi-class)": (f"multi_log_loss({_SCORES_BY_CLASS})", by_class(sk.log_loss)),
    "top_k_accuracy_score": (_TOP_TWO, by_class(sk.top_k_accuracy_score, k=2)),
    "roc_auc_score (multi-class)": (f"multi_auc({_SCORES_BY_CLASS})", by_class(sk.roc_auc_score, multi_class="ovr")),
    "dcg_score": (None, of_list(sk.dcg_score)),
    "ndcg_score": (None, of_list(sk.ndcg_score)),
}
OF_SKLEARN = [(metric, name) for metric, tool, name in NAMES if tool in ("scikit-learn", "sklearn.isotonic")]

# Inputs: edge cases and random rows. Where a tool has a number, the preset has it too; where it has none, ours is NULL
# or an error.


def events(labels: Sequence[float], scores: Sequence[float]) -> pd.DataFrame:
    return pd.DataFrame({"label": labels, "score": scores})


def classes(labels: Sequence[int], predictions: Sequence[int]) -> pd.DataFrame:
    """With probabilities of the three classes: a tie for the first place, and one of 0, in every second row."""
    data = pd.DataFrame({"label": labels, "prediction": predictions})
    for row, prediction in enumerate(predictions):
        second, third = ((0.25, 0.25), (0.5, 0.0))[row % 2]
        for step, probability in enumerate((0.5, second, third)):
            data.loc[row, f"p{(prediction + step) % 3}"] = probability
    return data


def random_events(seed: int) -> pd.DataFrame:
    """Probabilities of eighths: around 0.5, all below, all above."""
    rng = np.random.default_rng(seed)
    labels, scores = rng.integers(0, 2, 40), rng.integers(1, 9, 40) / 8
    return events(labels, [scores, scores / 4, 0.5 + scores / 2][seed])


def random_classes(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    shares = rng.permuted(np.tile([1.0, 2.0, 5.0], (40, 1)), axis=1) / 8  # exact sums, no ties in a row
    data = pd.DataFrame({"label": rng.integers(0, 3, 40), "prediction": rng.integers(0, 3, 40)})
    return data.assign(**{f"p{index}": shares[:, index] for index in range(3)})


def random_numbers(seed: int, lowest: int) -> pd.DataFrame:
    """Quarters: LightGBM keeps 32 bits."""
    rng = np.random.default_rng(seed)
    return events(rng.integers(lowest, 20, 40) / 4, rng.integers(max(lowest, -8), 20, 40) / 4)


def random_list(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return events(rng.integers(0, 3, 40), rng.integers(1, 9, 40) / 8)


ODD_EVENTS = {
    "no positives": events([0, 0, 0, 0], [0.25, 0.5, 0.5, 0.875]),
    "all positives": events([1, 1, 1, 1], [0.25, 0.5, 0.5, 0.875]), "true positive alone": events([1], [0.75]),
    "false negative alone": events([1], [0.25]), "false positive alone": events([0], [0.75]),
    "true negative alone": events([0], [0.25]),
    "no predicted positives": events([0, 1, 0, 1], [0.25, 0.375, 0.125, 0.25]),
    "all predicted positive": events([0, 1, 0, 1], [0.625, 0.75, 0.875, 0.625]),
    "equal scores": events([0, 1, 1, 0], [0.75, 0.75, 0.75, 0.75]),
    "certain and right": events([0, 1, 1], [0.0, 1.0, 1.0]), "certain and wrong": events([0, 1, 1], [1.0, 0.0, 0.0]),
}  # fmt: skip
ODD_CLASSES = {
    "single class, predicted": classes([1, 1, 1], [1, 1, 1]),
    "single class, others predicted": classes([1, 1, 1], [1, 0, 2]),
    "single class, never predicted": classes([1, 1, 1], [0, 0, 0]),
    "single predicted class": classes([0, 1, 2], [1, 1, 1]),
    "class never predicted": classes([0, 1, 2, 2], [0, 1, 1, 0]),
    "class without label": classes([0, 0, 1, 1], [0, 1, 2, 1]),
    "all wrong": classes([0, 1, 2], [1, 2, 0]),
    "single row, right": classes([2], [2]),
    "single row, wrong": classes([0], [1]),
}
ODD_NUMBERS = {
    "constant label, exact": events([2, 2, 2], [2, 2, 2]),
    "constant label, constant error": events([2, 2, 2], [1, 1, 1]), "constant label": events([2, 2, 2], [1, 2, 4]),
    "labels of 0": events([0, 0, 0], [0.5, 1, 2]), "some labels of 0": events([0, 1, 2, 0], [0.5, 1, 4, 1]),
    "labels and predictions of 0": events([0, 0, 1], [0, 0, 0]), "constant prediction": events([1, 2, 4], [2, 2, 2]),
    "exact": events([1, 2, 4], [1, 2, 4]), "negative": events([-2, -0.5, 3], [1, -2, -0.5]),
    "single row": events([2], [1]), "single row, exact": events([2], [2]),
}  # fmt: skip
ODD_LISTS = {
    "nothing relevant": events([0, 0, 0], [0.5, 0.25, 0.75]), "equal grades": events([2, 2], [0.5, 0.25]),
    "equal scores": events([0, 2, 1], [0.5, 0.5, 0.5]), "equal scores, nothing relevant": events([0, 0], [0.5, 0.5]),
    "grades below 1": events([0.5, 0, 0.25], [0.5, 0.25, 0.75]),
    "negative grades": events([2, -1, 0, -3], [0.25, 0.75, 0.5, 0.5]),
    "only negative grades": events([-1, -2], [0.25, 0.75]),
    "grades that cancel each other": events([-1, 1, 0], [0.5, 0.5, 0.5]), "single item": events([2], [0.5]),
}  # fmt: skip
#: The inputs by the truth of the metrics that take them.
ODD = {"binary": ODD_EVENTS, "class": ODD_CLASSES, "number": ODD_NUMBERS, "relevance": ODD_LISTS}
ODD_AND_RANDOM = {
    "binary": ODD_EVENTS | {f"random {seed}": random_events(seed) for seed in range(3)},
    "class": ODD_CLASSES | {f"random {seed}": random_classes(seed) for seed in range(2)},
    "number": ODD_NUMBERS | {f"random from {lowest / 4}": random_numbers(0, lowest) for lowest in (-8, 0, 1)},
    "relevance": ODD_LISTS | {f"random {seed}": random_list(seed) for seed in range(2)},
}
#: scikit-learn raises an error for the shape of these, where the sum is defined.
RAISES_IN_SKLEARN = {("dcg", "single item"): 2.0, ("ndcg", "single item"): 1.0}


def inputs_of(metric: Any, cases: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The inputs, their scores on no edge of ten bins for a calibration curve, where the packages differ."""
    inputs = {}
    for case, data in cases.items():
        inputs[case] = data.assign(group=0, weight=np.resize([0.5, 1.0, 2.5], len(data)), case_name=case)
        if metric.name == "calibration_curve":
            inputs[case]["score"] = data["score"] * 0.9 + 0.017
    return inputs


def roles_of(metric: Any, weighted: bool) -> dict[str, str]:
    """The roles that both read."""
    names = ["label", "prediction"]
    if metric.truth != "class" or "prediction" not in metric.roles():
        names = [role for role in ("label", "score", "group") if role in metric.roles()]
    return {role: role for role in [*names, *["weight"] * weighted]}


def is_weighable(metric: Any) -> bool:
    """Whether both take weights of rows."""
    return "weight" in metric.roles() and metric.name not in ("calibration_curve", "max_error")


def columns_of(theirs: Sklearn, metric: Any, data: pd.DataFrame, w: dict[str, Any]) -> dict[str, list[Any]]:
    """The tool's columns, none where it raises an error; an infinite value is undefined."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            value = theirs(data, w)
    except (ValueError, ZeroDivisionError):
        return {}
    if isinstance(value, dict):
        return value
    return {metric.columns[0]: [value if np.isfinite(value) else None]}


def check_odd_inputs(truth: str, weighted: bool, evaluate: Callable[..., pd.DataFrame], cases: Any = ODD) -> None:
    """Inputs with a number are slices of one call; the others may raise an error."""
    calls: dict[Any, list[Any]] = {}
    for metric, name in OF_SKLEARN:
        fits = metric.truth == truth or (truth == "binary" and metric.truth == "binary or class")
        if fits and (not weighted or is_weighable(metric)):
            alone = metric.table or metric.rules or truth == "relevance"
            key = metric.name if alone else tuple(roles_of(metric, weighted))
            calls.setdefault(key, []).append((metric, *SKLEARN[name]))
    assert calls or weighted
    for members in calls.values():
        inputs = inputs_of(members[0][0], cases[truth])
        specs = [spec or metric.name for metric, spec, _ in members]
        roles = roles_of(members[0][0], weighted)
        expected = {}
        for case, data in inputs.items():
            w = {"sample_weight": data["weight"]} if weighted else {}
            expected[case] = {metric.name: columns_of(theirs, metric, data, w) for metric, _, theirs in members}
        answered = [case for case, columns in expected.items() if all(columns.values())]
        log = pd.concat([inputs[case] for case in answered])
        slices = evaluate(log, specs, preset="sklearn", by="case_name", **roles)
        for case, data in inputs.items():
            ours = slices[slices["case_name"] == case]
            if case not in answered:
                try:
                    ours = evaluate(data, specs, preset="sklearn", **roles)
                except sqlmetrics.BadData:
                    continue
            for name, columns in expected[case].items():
                for column, values in (columns or {name: [RAISES_IN_SKLEARN.get((name, case))]}).items():
                    assert len(ours[column]) == len(values), (case, name, column)
                    problem = (case, name, column, list(ours[column]), list(values))
                    assert all(map(agree, ours[column], values)), problem


@pytest.mark.parametrize("weighted", [False, *slow(True)])
@pytest.mark.parametrize("truth", ODD)
def test_sklearn_preset_matches_scikit_learn(truth: str, weighted: bool) -> None:
    check_odd_inputs(truth, weighted, sqlmetrics.evaluate, ODD_AND_RANDOM)


# LightGBM

OF_LIGHTGBM = [(metric, name.partition(" (")[0]) for metric, tool, names in NAMES if tool == "LightGBM"
               for name in names.split(", ")]  # fmt: skip
LIGHTGBM_OF_CLASSES = ("multi_error", "multi_logloss", "auc_mu")


def value_of_lightgbm(name: str, data: pd.DataFrame, weighted: bool) -> float:
    fields: dict[str, Any] = {"weight": data["weight"]} if weighted else {}
    if name.endswith("@K"):
        return by_lightgbm(data, [name[:-2]], "lambdarank", group=data.groupby("group").size())[f"{name[:-2]}@3"]
    options = {"num_class": 3} if name in LIGHTGBM_OF_CLASSES else {}
    [value] = by_lightgbm(data, [name], "none", options=options, **fields).values()
    return value


def call_like_lightgbm(metric: Any, name: str, weighted: bool) -> tuple[str, dict[str, str]]:
    """The metric and the roles that read the same."""
    if name.endswith("@K"):
        return f"{metric.name}@3", {"label": "label", "score": "score", "group": "group", "tie_key": "= -row"}
    roles = {"label": "label", **({"weight": "weight"} if weighted else {})}
    if name == "multi_error":
        return metric.name, {**roles, "prediction": "prediction"}
    if name in LIGHTGBM_OF_CLASSES:
        return f"{metric.name}({_SCORES_BY_CLASS})", roles
    return metric.name, {**roles, "score": "score"}


@pytest.mark.parametrize("weighted", [False, *slow(True)])
@pytest.mark.parametrize(("metric", "name"), OF_LIGHTGBM, ids=[name for _, name in OF_LIGHTGBM])
def test_lightgbm_preset_matches_lightgbm(metric: Any, name: str, weighted: bool) -> None:
    """LightGBM takes whole grades alone, and breaks ties of class probabilities otherwise than scikit-learn."""
    package("lightgbm")
    truth = "class" if name in LIGHTGBM_OF_CLASSES else "binary" if metric.truth == "binary or class" else metric.truth
    inputs = []
    for data in inputs_of(metric, ODD_AND_RANDOM[truth]).values():
        if name == "multi_error":
            data[["p0", "p1", "p2"]] = np.eye(3)[data["prediction"]]
        if not name.endswith("@K") or data["label"].isin(range(3)).all():
            inputs.append(data.assign(row=range(len(data))))
    spec, roles = call_like_lightgbm(metric, name, weighted)
    slices = sqlmetrics.evaluate(pd.concat(inputs), spec, preset="lightgbm", by="case_name", **roles)
    values = dict(zip(slices["case_name"], slices.iloc[:, 2], strict=True))
    for data in inputs:
        case, expected = data["case_name"].iloc[0], value_of_lightgbm(name, data, weighted)
        assert agree(values[case], expected), (case, values[case], expected)


# All names

ORACLE_TOOLS = {
    "Open Bandit Pipeline", "scikit-uplift", "scikit-survival", "lifelines", "scoringrules", "ndeval", "scipy",
}  # fmt: skip
#: ir_measures computes with ndeval, and LightGBM has a test of its own.
OTHER_TOOLS = {"LightGBM", "ir_measures", "krippendorff", "statsmodels", "reliabilitydiag", "model-diagnostics", "rms"}


def test_every_name_has_a_comparison() -> None:
    cuts = {f"{name.rpartition('_')[0]}_K" if name[-1].isdigit() else name for name in MEASURES.values()}
    cuts |= {"gm_map", "iprec_at_recall_K"}
    for metric, tool, names in NAMES:
        if tool == "scikit-learn":
            assert names in SKLEARN, metric.name
        elif tool == "trec_eval":
            assert set(names.split(", ")) <= cuts, metric.name
        elif tool in ORACLE_TOOLS | {"ndeval"}:
            assert f"`{names.partition(' (')[0]}" in str(ORACLES[metric.name][0].function.__doc__), metric.name
        else:
            assert tool in OTHER_TOOLS | {"sklearn.isotonic"}


@pytest.mark.slow
def test_unknown_metric_suggests_the_metric_of_another_tools_name() -> None:
    def suggestion(name: str) -> str:
        with pytest.raises(sqlmetrics.UnknownMetric, match="did you mean") as caught:
            sqlmetrics.evaluate(random_events(0), {"name": name}, label="label", score="score")
        return str(caught.value).partition("did you mean ")[2].partition("?")[0]

    for metric, _, names in NAMES:
        for name in names.split(", "):
            stem = name.partition(" (")[0].partition("(")[0]
            bare = stem.removesuffix("_K").partition("@")[0]
            if bare in METRICS or " " in bare or "." in bare:
                continue
            suggested = suggestion(bare).split("'")[1]
            # One name may be that of several metrics, for several averages.
            others = [other.name for other, _, theirs in NAMES if stem in theirs]
            assert suggested in (metric.name, *others) or suggested.replace("_", "") == bare.replace("_", ""), bare
    for name, expected in {
        "roc_auc": "'auc', scikit-learn's roc_auc_score", "normalized_discounted_cumulative_gain": "'ndcg'",
        "logloss": "'log_loss'", "RMSE": "'rmse'", "mean_reciprocal_rank": "'mrr'", "acu": "'auc'",
    }.items():  # fmt: skip
        assert suggestion(name).startswith(expected), name


# Names of result columns


@pytest.mark.parametrize(("pooled", "column"), [
    ("precision_at_k(k=3, average='micro')", "hits"), ("recall_at_k(k=3, average='micro')", "Relevant"),
    ("f1_at_k(k=3, average='micro')", "listed"), ("pairwise_accuracy(average='micro')", "pairs"), ("pnr", "concordant"),
])  # fmt: skip
def test_evaluate_rejects_names_of_pooled_counts(pooled: str, column: str) -> None:
    log = pd.DataFrame({"q": [1, 1, 1, 2, 2, 2], "y": [1, 0, 1, 0, 1, 0], "s": [0.9, 0.8, 0.7, 0.4, 0.3, 0.2]})
    roles = {"label": "y", "score": "s", "group": "q"}
    metrics = ["p = " + pooled, f"p_{column} = ndcg@3"]
    for specs in (metrics, metrics[::-1]):
        with pytest.raises(BadParameter, match="would be a column of both"):
            sqlmetrics.evaluate(log, specs, **roles)
    result = sqlmetrics.evaluate(log, ["p = " + pooled, f"of_{column} = ndcg@3"], **roles)
    assert result[f"of_{column}"][0] == sqlmetrics.ndcg(log, k=3, **roles).iloc[0, -1]


@pytest.mark.parametrize("name", ["bucket", "Bucket_Left_Out", "replicate"])
def test_evaluate_rejects_reserved_names(name: str) -> None:
    with pytest.raises(BadParameter, match="kept for the package"):
        sqlmetrics.evaluate(random_events(0), f"{name} = auc", label="label", score="score")
