"""The names of metrics in other packages: the metric with its preset returns the result of the package's function."""

from __future__ import annotations

import ast
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
from tests.parameters import quick_every, slow
from tests.values.test_judgments import MEASURES
from tests.values.test_presets import by_lightgbm

METRICS = builtin_catalogue().metrics
NAMES = [(metric, tool, name) for metric in METRICS.values() for tool, name in metric.names.items()]

# scikit-learn

Sklearn = Callable[[pd.DataFrame, dict[str, Any]], Any]


def columns_read(metric: Any, data: pd.DataFrame) -> tuple[Any, Any]:
    """The labels and the columns that are compared with them."""
    if metric.label_type == "class":
        return data["label"], data["prediction"] if metric.score == "class" else data[["p0", "p1", "p2"]]
    if metric.label_type == "relevance":
        return [data["label"]], [data["score"]]
    return data["label"], (data["score"] >= 0.5).astype(int) if metric.score == "threshold" else data["score"]


def named(metric: Any, name: str) -> Sklearn:
    """The function of this name, with the options of its name, or those of the `sqlmetrics` call."""
    stem, _, arguments = name.removesuffix(" (multi-class)").removesuffix(")").partition("(")
    options = dict(word.split("=") for word in arguments.split(", ") if "=" in word)
    values = {option: ast.literal_eval(value) for option, value in options.items()} | OPTIONS.get(name, {})
    return lambda data, w: getattr(sk, stem)(*columns_read(metric, data), **values, **w)


def curve(columns: list[str], function: Callable[..., Any], **options: Any) -> Sklearn:
    """The columns by falling thresholds, with the infinite threshold first."""

    def value(data: pd.DataFrame, w: dict[str, Any]) -> dict[str, Any]:
        *rates, at = function(data["label"], data["score"], **options, **w)
        if len(at) < len(rates[0]):  # rising thresholds, without the threshold above all rows
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
    """The rates of the blocks; rates that differ only in their last bits are merged."""
    rates = np.unique(IsotonicRegression().fit(data["score"], data["label"], **w).predict(data["score"]))
    return {"rate": rates[np.diff(rates, prepend=-1) > 1e-12]}


_SCORES_BY_CLASS = "scores={0: 'p0', 1: 'p1', 2: 'p2'}"
#: The `sqlmetrics` call, if it is not the metric's own name.
CALLS = {
    "roc_auc_score(max_fpr)": "partial_auc(max_fpr=0.3)", "d2_pinball_score": "d2_pinball(alpha=0.9)",
    "fbeta_score": "fbeta(beta=2)", "auc of precision_recall_curve": "pr_auc(interpolation='trapezoid')",
    "log_loss (multi-class)": f"multi_log_loss({_SCORES_BY_CLASS})",
    "top_k_accuracy_score": f"top_k_accuracy = top_k_accuracy(k=2, {_SCORES_BY_CLASS})",
    "roc_auc_score (multi-class)": f"multi_auc({_SCORES_BY_CLASS})",
}  # fmt: skip
#: The options of scikit-learn that are not part of the name.
OPTIONS: dict[str, dict[str, Any]] = {
    "roc_auc_score(max_fpr)": {"max_fpr": 0.3}, "log_loss": {"labels": [0, 1]}, "d2_pinball_score": {"alpha": 0.9},
    "fbeta_score": {"beta": 2}, "cohen_kappa_score(weights)": {"weights": "quadratic"},
    "log_loss (multi-class)": {"labels": [0, 1, 2]}, "top_k_accuracy_score": {"labels": [0, 1, 2], "k": 2},
    "roc_auc_score (multi-class)": {"labels": [0, 1, 2], "multi_class": "ovr"},
}  # fmt: skip
#: Names without a single function in scikit-learn, or with several values.
SEVERAL: dict[str, Sklearn] = {
    "confusion_matrix (binary)": confusion_matrix,
    "auc of precision_recall_curve": pr_auc,
    "precision_recall_curve": curve(["precision", "recall"], sk.precision_recall_curve),
    "roc_curve(drop_intermediate=False)": curve(["fpr", "tpr"], sk.roc_curve, drop_intermediate=False),
    "calibration_curve (there the lower bin holds an edge)": calibration_curve,
    "IsotonicRegression": isotonic,
    "confusion_matrix (multi-class)": class_confusion,
    "classification_report": class_report,
}
OF_SKLEARN = [(metric, name) for metric, tool, name in NAMES if tool in ("scikit-learn", "sklearn.isotonic")]

# Inputs: edge cases and random rows. Where a tool returns a number, the preset equals it; elsewhere the preset is
# NULL or an error.


def events(labels: Sequence[float], scores: Sequence[float]) -> pd.DataFrame:
    return pd.DataFrame({"label": labels, "score": scores})


def classes(labels: Sequence[int], predictions: Sequence[int]) -> pd.DataFrame:
    """With probabilities of the three classes: in every second row the first two are tied, and one is 0."""
    data = pd.DataFrame({"label": labels, "prediction": predictions})
    for row, prediction in enumerate(predictions):
        second, third = ((0.25, 0.25), (0.5, 0.0))[row % 2]
        for step, probability in enumerate((0.5, second, third)):
            data.loc[row, f"p{(prediction + step) % 3}"] = probability
    return data


def random_rows(truth: str) -> pd.DataFrame:
    """Scores of eighths: LightGBM stores 32 bits."""
    rng = np.random.default_rng(0)
    if truth == "class":
        return classes(*rng.integers(0, 3, (2, 40)).tolist())
    labels = {"binary": rng.integers(0, 2, 40), "number": rng.integers(1, 20, 40) / 4}
    return events(labels.get(truth, rng.integers(0, 3, 40)), rng.integers(1, 9, 40) / 8)


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
    "class without label": classes([0, 0, 1, 1], [0, 1, 2, 1]),
    "all wrong": classes([0, 1, 2], [1, 2, 0]),
    "single row, right": classes([2], [2]),
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
#: The inputs by the label type of the metrics that take them.
ODD = {"binary": ODD_EVENTS, "class": ODD_CLASSES, "number": ODD_NUMBERS, "relevance": ODD_LISTS}
ODD_AND_RANDOM = {truth: cases | {"random": random_rows(truth)} for truth, cases in ODD.items()}
#: scikit-learn rejects the shape of these, although the sum is defined.
RAISES_IN_SKLEARN = {("dcg", "single item"): 2.0, ("ndcg", "single item"): 1.0}


def inputs_of(metric: Any, cases: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The inputs. For a calibration curve no score is on an edge of ten bins, where the packages differ."""
    inputs = {}
    for case, data in cases.items():
        inputs[case] = data.assign(group=0, weight=np.resize([0.5, 1.0, 2.5], len(data)), case_name=case)
        if metric.name == "calibration_curve":
            inputs[case]["score"] = data["score"] * 0.9 + 0.017
    return inputs


def roles_of(metric: Any, weighted: bool) -> dict[str, str]:
    """The roles that both read."""
    names = ["label", "prediction"]
    if metric.label_type != "class" or "prediction" not in metric.roles():
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


@pytest.mark.parametrize("weighted", [False, *slow(True)])
@pytest.mark.parametrize("truth", ["relevance", *slow("binary", "class", "number")])
def test_sklearn_preset_matches_scikit_learn(truth: str, weighted: bool) -> None:
    """Inputs with a number are slices of one call; the others may raise an error."""
    calls: dict[Any, list[Any]] = {}
    for metric, name in OF_SKLEARN:
        fits = metric.label_type == truth or (truth == "binary" and metric.label_type == "binary or class")
        if fits and (not weighted or is_weighable(metric)):
            alone = metric.table or metric.rules or truth == "relevance"
            key = metric.name if alone else tuple(roles_of(metric, weighted))
            calls.setdefault(key, []).append((metric, CALLS.get(name), SEVERAL.get(name) or named(metric, name)))
    assert calls or weighted
    for members in calls.values():
        inputs = inputs_of(members[0][0], ODD_AND_RANDOM[truth])
        specs = [spec or metric.name for metric, spec, _ in members]
        roles = roles_of(members[0][0], weighted)
        expected = {}
        for case, data in inputs.items():
            w = {"sample_weight": data["weight"]} if weighted else {}
            expected[case] = {metric.name: columns_of(theirs, metric, data, w) for metric, _, theirs in members}
        answered = [case for case, columns in expected.items() if all(columns.values())]
        log = pd.concat([inputs[case] for case in answered])
        slices = sqlmetrics.evaluate(log, specs, preset="sklearn", by="case_name", **roles)
        for case, data in inputs.items():
            ours = slices[slices["case_name"] == case]
            if case not in answered:
                try:
                    ours = sqlmetrics.evaluate(data, specs, preset="sklearn", **roles)
                except sqlmetrics.BadData:
                    continue
            for name, columns in expected[case].items():
                for column, values in (columns or {name: [RAISES_IN_SKLEARN.get((name, case))]}).items():
                    assert len(ours[column]) == len(values), (case, name, column)
                    problem = (case, name, column, list(ours[column]), list(values))
                    assert all(map(agree, ours[column], values)), problem


# LightGBM

OF_LIGHTGBM = [(metric, name.partition(" (")[0]) for metric, tool, names in NAMES if tool == "LightGBM"
               for name in names.split(", ")]  # fmt: skip
LIGHTGBM_OF_CLASSES = ("multi_error", "multi_logloss", "auc_mu")


def call_like_lightgbm(metric: Any, name: str) -> tuple[str, dict[str, str]]:
    """The metric and the roles that match a LightGBM metric."""
    if name.endswith("@K"):
        return f"{metric.name}@3", {"score": "score", "group": "group", "tie_key": "= -row"}
    if name == "multi_error":
        return metric.name, {"prediction": "prediction", "weight": "weight"}
    if name in LIGHTGBM_OF_CLASSES:
        return f"{metric.name}({_SCORES_BY_CLASS})", {"weight": "weight"}
    return metric.name, {"score": "score", "weight": "weight"}


@pytest.mark.parametrize(("metric", "name"), quick_every(5, OF_LIGHTGBM), ids=[name for _, name in OF_LIGHTGBM])
def test_lightgbm_preset_matches_lightgbm(metric: Any, name: str) -> None:
    """LightGBM takes only integer grades, and breaks ties of class probabilities differently from scikit-learn."""
    package("lightgbm")
    classes = name in LIGHTGBM_OF_CLASSES
    label_type = "class" if classes else metric.label_type.removesuffix(" or class")
    inputs = {}
    for case, data in inputs_of(metric, ODD_AND_RANDOM[label_type]).items():
        if name == "multi_error":
            data[["p0", "p1", "p2"]] = np.eye(3)[data["prediction"]]
        if not name.endswith("@K") or data["label"].isin(range(3)).all():
            inputs[case] = data.assign(row=range(len(data)))
    spec, roles = call_like_lightgbm(metric, name)
    log = pd.concat(inputs.values())
    slices = sqlmetrics.evaluate(log, spec, label="label", preset="lightgbm", by="case_name", **roles)
    values = dict(zip(slices["case_name"], slices.iloc[:, 2], strict=True))
    for case, data in inputs.items():
        if name.endswith("@K"):
            expected = by_lightgbm(data, [name[:-2]], "lambdarank", group=[len(data)])[f"{name[:-2]}@3"]
        else:
            options = {"num_class": 3} if name in LIGHTGBM_OF_CLASSES else {}
            [expected] = by_lightgbm(data, [name], "none", options=options, weight=data["weight"]).values()
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
            assert names in SEVERAL or callable(getattr(sk, names.partition("(")[0].strip())), metric.name
        elif tool == "trec_eval":
            assert set(names.split(", ")) <= cuts, metric.name
        elif tool in ORACLE_TOOLS | {"ndeval"}:
            assert f"`{names.partition(' (')[0]}" in str(ORACLES[metric.name][0].function.__doc__), metric.name
        else:
            assert tool in OTHER_TOOLS | {"sklearn.isotonic"}


@pytest.mark.parametrize(("name", "suggested"), [
    ("roc_auc", "'auc', scikit-learn's roc_auc_score"), ("matthews_corrcoef", "'mcc'"), ("recip_rank", "'mrr'"),
])  # fmt: skip
def test_unknown_metric_suggests_the_metric_of_another_tools_name(name: str, suggested: str) -> None:
    with pytest.raises(sqlmetrics.UnknownMetric, match=f"did you mean {suggested}"):
        sqlmetrics.evaluate(random_rows("binary"), {"name": name}, label="label", score="score")


# Names of result columns


@pytest.mark.parametrize(("pooled", "column"), [
    ("recall_at_k(k=3, average='micro')", "Relevant"), ("pairwise_accuracy(average='micro')", "pairs"),
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
    with pytest.raises(BadParameter, match="is reserved; choose another"):
        sqlmetrics.evaluate(random_rows("binary"), f"{name} = auc", label="label", score="score")
