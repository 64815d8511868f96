"""The page of other names: each of them, asked of the very package that it is the name in, is what the metric is here.

With the preset of the package, on rows that hold what tools differ in: labels of 0, scores of exactly 0.5, ties.
"""

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
from sqlmetrics.catalogue import builtin_catalogue
from tests.compare import agree
from tests.oracles import ORACLES
from tests.tiers import in_turn, slow
from tests.values.test_judgments import MEASURES
from tests.values.test_presets import by_lightgbm, quietly

METRICS = builtin_catalogue().metrics
NAMES = [(metric, tool, name) for metric in METRICS.values() for tool, name in metric.names.items()]
SEEDS = range(5)


def seeds_for(metric: Any, weighted: bool, tried: str) -> Sequence[int]:
    """All of them, or some: of rows two, of weights another one; the next metric's come after them."""
    turn = list(METRICS).index(metric.name)
    return SEEDS if tried == "every seed" else in_turn(SEEDS, turn, 3)[2:] if weighted else in_turn(SEEDS, turn, 3)[:2]


every_seed = pytest.mark.parametrize("tried", ["some seeds", *slow("every seed")])


def clicks(seed: int, classes: int = 2) -> pd.DataFrame:
    """Labels and probabilities, 0.5 many a time; one seed calls nothing positive, one everything."""
    rng = np.random.default_rng(seed)
    data = pd.DataFrame({"label": rng.integers(0, classes, 40), "score": rng.integers(1, 9, 40) / 8})
    if seed == 3:
        data["score"] /= 4
    elif seed == 4:
        data["score"] = 0.5 + data["score"] / 2
    data["prediction"] = rng.integers(0, classes, 40)
    return data.assign(weight=rng.choice([0.25, 1.0, 2.5], 40))


def amounts(seed: int) -> pd.DataFrame:
    """Truths around 0 and 1, and 0 itself, in quarters: LightGBM keeps 32 bits of them."""
    rng = np.random.default_rng(seed)
    data = pd.DataFrame({"label": rng.integers(-8, 20, 40) / 4, "score": rng.integers(-8, 20, 40) / 4})
    return data.assign(weight=rng.choice([0.25, 1.0, 2.5], 40))


# scikit-learn

Sklearn = Callable[[pd.DataFrame, dict[str, Any]], Any]


def of_probabilities(function: Callable[..., Any], **options: Any) -> Sklearn:
    return lambda data, w: quietly(function, data["label"], data["score"], **options, **w)


def of_calls(function: Callable[..., Any], **options: Any) -> Sklearn:
    return lambda data, w: quietly(function, data["label"], (data["score"] >= 0.5).astype(int), **options, **w)


def of_classes(function: Callable[..., Any], **options: Any) -> Sklearn:
    return lambda data, w: quietly(function, data["label"], data["prediction"], **options, **w)


def curve(data: pd.DataFrame, w: dict[str, Any]) -> dict[str, Any]:
    false, true, at = sk.roc_curve(data["label"], data["score"], drop_intermediate=False, **w)
    return {"fpr": false, "tpr": true, "threshold": at}


def precision_and_recall(data: pd.DataFrame, w: dict[str, Any]) -> dict[str, Any]:
    precision, recall, at = sk.precision_recall_curve(data["label"], data["score"], **w)
    return {"precision": precision[::-1], "recall": recall[::-1], "threshold": [np.inf, *at[::-1]]}


def area_of_curve(data: pd.DataFrame, w: dict[str, Any]) -> float:
    precision, recall, _ = sk.precision_recall_curve(data["label"], data["score"], **w)
    return float(sk.auc(recall, precision))


def bins(data: pd.DataFrame, w: dict[str, Any]) -> dict[str, Any]:
    """Equal steps of the score; it puts a score on an edge into the lower bin, and knows no weights."""
    rate, mean = calibration.calibration_curve(data["label"], data["score"], n_bins=10)
    return {"rate": rate, "mean_score": mean}


def binary_matrix(data: pd.DataFrame, w: dict[str, Any]) -> dict[str, Any]:
    (tn, fp), (fn, tp) = sk.confusion_matrix(data["label"], (data["score"] >= 0.5).astype(int), labels=[0, 1], **w)
    return {"tp": [tp], "fp": [fp], "fn": [fn], "tn": [tn]}


def class_matrix(data: pd.DataFrame, w: dict[str, Any]) -> dict[str, Any]:
    """The cells that are not empty, row by row."""
    matrix = sk.confusion_matrix(data["label"], data["prediction"], **w)
    return {"count": matrix[matrix > 0]}


def report(data: pd.DataFrame, w: dict[str, Any]) -> dict[str, Any]:
    told = sk.classification_report(data["label"], data["prediction"], output_dict=True, zero_division=0, **w)
    rows = [told[str(kind)] for kind in sorted(set(data["label"]) | set(data["prediction"]))]
    return {name: [row[theirs] for row in rows] for name, theirs in
            [("precision", "precision"), ("recall", "recall"), ("f1", "f1-score"), ("support", "support")]}  # fmt: skip


def multi_log_loss(data: pd.DataFrame, w: dict[str, Any]) -> float:
    return quietly(sk.log_loss, data["label"], data[["p0", "p1", "p2"]], labels=[0, 1, 2], **w)


def top_two(data: pd.DataFrame, w: dict[str, Any]) -> float:
    return float(sk.top_k_accuracy_score(data["label"], data[["p0", "p1", "p2"]], k=2, labels=[0, 1, 2], **w))


def areas_of_classes(data: pd.DataFrame, w: dict[str, Any]) -> float:
    return float(sk.roc_auc_score(data["label"], data[["p0", "p1", "p2"]], multi_class="ovr", labels=[0, 1, 2], **w))


def mean_of_groups(function: Callable[..., Any]) -> Sklearn:
    def value(data: pd.DataFrame, w: dict[str, Any]) -> float:
        groups = [function([g["label"]], [g["score"]]) for _, g in data.groupby("group")]
        return float(np.mean(groups))

    return value


def recalibrated(data: pd.DataFrame, w: dict[str, Any]) -> dict[str, Any]:
    """The rates of the blocks; two that differ by their last bits are one."""
    rates = np.unique(IsotonicRegression().fit(data["score"], data["label"], **w).predict(data["score"]))
    return {"rate": rates[np.diff(rates, prepend=-1) > 1e-12]}


AVERAGES = {
    f"{name}_score(average='{average}')": of_classes(getattr(sk, f"{name}_score"), average=average)
    for name in ("f1", "precision", "recall")
    for average in ("macro", "micro", "weighted")
}
#: scikit-learn's name -> our call, unless the metric's own name is it, and scikit-learn's answer.
SKLEARN: dict[str, tuple[str | None, Sklearn]] = {
    "accuracy_score": (None, of_calls(sk.accuracy_score)),
    "roc_auc_score": (None, of_probabilities(sk.roc_auc_score)),
    "average_precision_score": (None, of_probabilities(sk.average_precision_score)),
    "balanced_accuracy_score": (None, of_calls(sk.balanced_accuracy_score)),
    "confusion_matrix (binary)": (None, binary_matrix),
    "f1_score": (None, of_calls(sk.f1_score)),
    "fbeta_score": ("fbeta(beta=2)", of_calls(sk.fbeta_score, beta=2)),
    "matthews_corrcoef": (None, of_calls(sk.matthews_corrcoef)),
    "auc of precision_recall_curve": ("pr_auc(interpolation='trapezoid')", area_of_curve),
    "precision_recall_curve": (None, precision_and_recall),
    "roc_curve(drop_intermediate=False)": (None, curve),
    "balanced_accuracy_score(adjusted=True)": (None, of_calls(sk.balanced_accuracy_score, adjusted=True)),
    "roc_auc_score(max_fpr)": ("partial_auc(max_fpr=0.3)", of_probabilities(sk.roc_auc_score, max_fpr=0.3)),
    "balanced_accuracy_score (multi-class)": (None, of_classes(sk.balanced_accuracy_score)),
    "matthews_corrcoef (multi-class)": (None, of_classes(sk.matthews_corrcoef)),
    "cohen_kappa_score": (None, of_classes(sk.cohen_kappa_score)),
    "cohen_kappa_score(weights)": (None, of_classes(sk.cohen_kappa_score, weights="quadratic")),
    "explained_variance_score": (None, of_probabilities(sk.explained_variance_score)),
    "mean_poisson_deviance": (None, of_probabilities(sk.mean_poisson_deviance)),
    "mean_gamma_deviance": (None, of_probabilities(sk.mean_gamma_deviance)),
    "mean_tweedie_deviance(power=1.5)": (None, of_probabilities(sk.mean_tweedie_deviance, power=1.5)),
    "d2_tweedie_score(power=1.5)": (None, of_probabilities(sk.d2_tweedie_score, power=1.5)),
    "d2_pinball_score": ("d2_pinball(alpha=0.9)", of_probabilities(sk.d2_pinball_score, alpha=0.9)),
    "d2_absolute_error_score": (None, of_probabilities(sk.d2_absolute_error_score)),
    "precision_score": (None, of_calls(sk.precision_score)),
    "recall_score": (None, of_calls(sk.recall_score)),
    "recall_score(pos_label=0)": (None, of_calls(sk.recall_score, pos_label=0)),
    "brier_score_loss": (None, of_probabilities(sk.brier_score_loss)),
    "calibration_curve (there the lower bin holds an edge)": (None, bins),
    "IsotonicRegression": (None, recalibrated),
    "log_loss": (None, of_probabilities(sk.log_loss, labels=[0, 1])),
    "log_loss (multi-class)": ("multi_log_loss(scores={0: 'p0', 1: 'p1', 2: 'p2'})", multi_log_loss),
    "top_k_accuracy_score": ("top_k_accuracy = top_k_accuracy(k=2, scores={0: 'p0', 1: 'p1', 2: 'p2'})", top_two),
    "roc_auc_score (multi-class)": ("multi_auc(scores={0: 'p0', 1: 'p1', 2: 'p2'})", areas_of_classes),
    "dcg_score": (None, mean_of_groups(sk.dcg_score)),
    "ndcg_score": (None, mean_of_groups(sk.ndcg_score)),
    "confusion_matrix (multi-class)": (None, class_matrix),
    "classification_report": (None, report),
    **{name: (None, function) for name, function in AVERAGES.items()},
    "mean_absolute_error": (None, of_probabilities(sk.mean_absolute_error)),
    "mean_absolute_percentage_error": (None, of_probabilities(sk.mean_absolute_percentage_error)),
    "max_error": (None, of_probabilities(sk.max_error)),
    "median_absolute_error": (None, of_probabilities(sk.median_absolute_error)),
    "mean_squared_error": (None, of_probabilities(sk.mean_squared_error)),
    "mean_pinball_loss": (None, of_probabilities(sk.mean_pinball_loss)),
    "r2_score": (None, of_probabilities(sk.r2_score)),
    "root_mean_squared_error": (None, of_probabilities(sk.root_mean_squared_error)),
    "root_mean_squared_log_error": (None, of_probabilities(sk.root_mean_squared_log_error)),
}


def data_of(metric: Any, seed: int) -> pd.DataFrame:
    """Rows that a metric can be asked of."""
    if metric.truth == "number":
        data = amounts(seed)
        return (
            data.abs() + (0.25 if "deviance" in metric.name or metric.name == "d2_tweedie" else 0)
            if metric.rules
            else data
        )
    if metric.truth == "relevance":
        data = clicks(seed, classes=4)
        return data.assign(group=np.arange(len(data)) % 5)
    data = clicks(seed, classes=3 if metric.truth == "class" else 2)
    if metric.name in ("multi_log_loss", "multi_auc", "top_k_accuracy"):
        parts = np.random.default_rng(seed).integers(1, 9, (len(data), 3)).astype(float)
        parts /= parts.sum(axis=1, keepdims=True)
        data[["p0", "p1", "p2"]] = parts
    return off_the_edges(metric, data)


def off_the_edges(metric: Any, data: pd.DataFrame) -> pd.DataFrame:
    """Scores that lie on no edge of ten bins, where the two calibration curves differ."""
    return data.assign(score=data["score"] * 0.9 + 0.017) if metric.name == "calibration_curve" else data


OF_SKLEARN = [(metric, name) for metric, tool, name in NAMES if tool in ("scikit-learn", "sklearn.isotonic")]


def roles_of(metric: Any) -> dict[str, str]:
    """The roles in which both are given the same."""
    if metric.truth == "class" and "prediction" in metric.roles():
        return {"label": "label", "prediction": "prediction"}
    return {role: role for role in ("label", "score", "group") if role in metric.roles()}


def is_weighable(metric: Any) -> bool:
    """Whether both take weights of rows."""
    return "weight" in metric.roles() and metric.name not in ("calibration_curve", "max_error")


def assert_equal_columns(ours: pd.DataFrame, expected: dict[str, Any], note: str = "") -> None:
    for column, values in expected.items():
        assert len(ours[column]) == len(values), (note, column)
        assert all(map(agree, ours[column], values)), f"{note} {column}: {list(ours[column])}, {list(values)}"


@pytest.mark.one_in(3)
@every_seed
@pytest.mark.parametrize(("metric", "name", "weighted"), [
    pytest.param(metric, name, weighted, id=f"{metric.name}-{'weights' if weighted else 'rows'}")
    for metric, name in OF_SKLEARN
    for weighted in (False, True)
    if not weighted or is_weighable(metric)
])  # fmt: skip
def test_scikit_learn(metric: Any, name: str, weighted: bool, tried: str) -> None:
    asked, theirs = SKLEARN[name]
    for seed in seeds_for(metric, weighted, tried):
        data = data_of(metric, seed)
        roles = roles_of(metric) | ({"weight": "weight"} if weighted else {})
        ours = sqlmetrics.evaluate(data, asked or metric.name, preset="sklearn", **roles)
        expected = theirs(data, {"sample_weight": data["weight"]} if weighted else {})
        assert_equal_columns(ours, expected if isinstance(expected, dict) else {metric.columns[0]: [expected]})


# Odd inputs: where a tool has a number, the preset has it too; where it has none, ours is NULL or an error.


def events(labels: Sequence[int], scores: Sequence[float]) -> pd.DataFrame:
    return pd.DataFrame({"label": labels, "score": scores})


def classes(labels: Sequence[int], predictions: Sequence[int]) -> pd.DataFrame:
    """With probabilities of the three classes: a tie for the first place, and one of 0, in every second row."""
    data = pd.DataFrame({"label": labels, "prediction": predictions})
    for row, prediction in enumerate(predictions):
        second, third = ((0.25, 0.25), (0.5, 0.0))[row % 2]
        for step, probability in enumerate((0.5, second, third)):
            data.loc[row, f"p{(prediction + step) % 3}"] = probability
    return data


ODD_EVENTS = {
    "no positives": events([0, 0, 0, 0], [0.25, 0.5, 0.5, 0.875]),
    "all positives": events([1, 1, 1, 1], [0.25, 0.5, 0.5, 0.875]),
    "one positive, called so": events([1], [0.75]),
    "one positive, called negative": events([1], [0.25]),
    "one negative, called positive": events([0], [0.75]),
    "one negative, called so": events([0], [0.25]),
    "nothing called positive": events([0, 1, 0, 1], [0.25, 0.375, 0.125, 0.25]),
    "all called positive": events([0, 1, 0, 1], [0.625, 0.75, 0.875, 0.625]),
    "equal scores": events([0, 1, 1, 0], [0.75, 0.75, 0.75, 0.75]),
    "certain and right": events([0, 1, 1], [0.0, 1.0, 1.0]),
    "certain and wrong": events([0, 1, 1], [1.0, 0.0, 0.0]),
}
ODD_CLASSES = {
    "one class, called right": classes([1, 1, 1], [1, 1, 1]),
    "one class, called others": classes([1, 1, 1], [1, 0, 2]),
    "one class, never called": classes([1, 1, 1], [0, 0, 0]),
    "one class called": classes([0, 1, 2], [1, 1, 1]),
    "a class never called": classes([0, 1, 2, 2], [0, 1, 1, 0]),
    "a class only called": classes([0, 0, 1, 1], [0, 1, 2, 1]),
    "all wrong": classes([0, 1, 2], [1, 2, 0]),
    "one row, called right": classes([2], [2]),
    "one row, called wrong": classes([0], [1]),
}
ODD_NUMBERS = {
    "a constant label, exact": events([2, 2, 2], [2, 2, 2]),
    "a constant label, all off by one": events([2, 2, 2], [1, 1, 1]),
    "a constant label": events([2, 2, 2], [1, 2, 4]),
    "labels of 0": events([0, 0, 0], [0.5, 1, 2]),
    "some labels of 0": events([0, 1, 2, 0], [0.5, 1, 4, 1]),
    "labels and predictions of 0": events([0, 0, 1], [0, 0, 0]),
    "a constant prediction": events([1, 2, 4], [2, 2, 2]),
    "exact": events([1, 2, 4], [1, 2, 4]),
    "negative": events([-2, -0.5, 3], [1, -2, -0.5]),
    "one row": events([2], [1]),
    "one row, exact": events([2], [2]),
}
ODD_LISTS = {
    "nothing relevant": events([0, 0, 0], [0.5, 0.25, 0.75]),
    "all alike": events([2, 2], [0.5, 0.25]),
    "equal scores": events([0, 2, 1], [0.5, 0.5, 0.5]),
    "equal scores, nothing relevant": events([0, 0], [0.5, 0.5]),
    "grades below 1": events([0.5, 0, 0.25], [0.5, 0.25, 0.75]),
    "negative grades": events([2, -1, 0, -3], [0.25, 0.75, 0.5, 0.5]),
    "negative grades alone": events([-1, -2], [0.25, 0.75]),
    "grades that cancel each other": events([-1, 1, 0], [0.5, 0.5, 0.5]),
    "one item": events([2], [0.5]),
}
ODD = {"binary": ODD_EVENTS, "class": ODD_CLASSES, "number": ODD_NUMBERS, "relevance": ODD_LISTS}
#: What scikit-learn refuses of the shape of its arguments, where the sum is defined.
REFUSED_THERE = {("dcg", "one item"): 2.0, ("ndcg", "one item"): 1.0}


def odd_inputs(metric: Any, truth: str) -> dict[str, pd.DataFrame]:
    return {
        case: off_the_edges(metric, data.assign(group=0, weight=np.resize([0.5, 1.0, 2.5], len(data)), case_name=case))
        for case, data in ODD[truth].items()
    }


def is_of(metric: Any, truth: str) -> bool:
    return bool(metric.truth == truth or (truth == "binary" and metric.truth == "binary or class"))


def numbers_of(theirs: Sklearn, metric: Any, data: pd.DataFrame, w: dict[str, Any]) -> dict[str, list[Any]]:
    """The tool's columns, without any where it raises an error; what is infinite of a value is no number."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = theirs(data, w)
    except (ValueError, ZeroDivisionError):
        return {}
    if isinstance(found, dict):
        return found
    return {metric.columns[0]: [found if np.isfinite(found) else None]}


def check_odd_inputs(truth: str, weighted: bool, evaluate: Callable[..., pd.DataFrame]) -> None:
    """What it has a number for is one call, with a slice for each input; the others may be refused."""
    together: dict[Any, list[Any]] = {}
    for metric, name in OF_SKLEARN:
        if is_of(metric, truth) and (not weighted or is_weighable(metric)):
            alone = metric.table or metric.rules or truth == "relevance"
            together.setdefault(metric.name if alone else tuple(roles_of(metric)), []).append((metric, *SKLEARN[name]))
    assert together or weighted
    for members in together.values():
        inputs = odd_inputs(members[0][0], truth)
        asked = [asked or metric.name for metric, asked, _ in members]
        roles = roles_of(members[0][0]) | ({"weight": "weight"} if weighted else {})
        expected = {
            case: {
                metric.name: numbers_of(theirs, metric, data, {"sample_weight": data["weight"]} if weighted else {})
                for metric, _, theirs in members
            }
            for case, data in inputs.items()
        }
        answered = [case for case, columns in expected.items() if all(columns.values())]
        log = pd.concat([inputs[case] for case in answered])
        slices = evaluate(log, asked, preset="sklearn", by="case_name", **roles)
        for case in inputs:
            if case in answered:
                ours = slices[slices["case_name"] == case]
            else:
                try:
                    ours = evaluate(inputs[case], asked, preset="sklearn", **roles)
                except sqlmetrics.BadData:
                    continue
            for name, columns in expected[case].items():
                undefined = {name: [REFUSED_THERE.get((name, case))]}
                assert_equal_columns(ours, columns or undefined, f"{case}, {name}")


@pytest.mark.parametrize("weighted", [False, *slow(True)])
@pytest.mark.parametrize("truth", ODD)
def test_scikit_learn_on_odd_inputs(truth: str, weighted: bool) -> None:
    check_odd_inputs(truth, weighted, sqlmetrics.evaluate)


# LightGBM


def scores_of_classes(data: pd.DataFrame) -> pd.DataFrame:
    parts = np.random.default_rng(1).permuted(np.tile([1.0, 2.0, 5.0], (len(data), 1)), axis=1) / 8
    parts[:3] = np.eye(3)  # where the logarithm is cut off
    return data.assign(**{f"p{kind}": parts[:, kind] for kind in range(3)}, prediction=parts.argmax(axis=1))


def classes_by_lightgbm(data: pd.DataFrame, name: str, **fields: Any) -> float:
    import lightgbm

    scores = data[["p0", "p1", "p2"]].to_numpy()
    dataset = lightgbm.Dataset(
        np.zeros((len(data), 1)), label=data["label"], init_score=scores, params={"verbosity": -1}, **fields
    )
    options = {"objective": "none", "metric": [name], "num_class": 3, "num_threads": 1, "verbosity": -1}
    [[_, _, value, _]] = lightgbm.Booster(options, dataset).eval_train()
    return float(value)


OF_LIGHTGBM = [
    (metric, name.partition(" (")[0])
    for metric, tool, names in NAMES
    if tool == "LightGBM"
    for name in names.split(", ")
]


def is_of_classes(name: str) -> bool:
    return name.startswith("multi") or name == "auc_mu"


def value_of_lightgbm(name: str, data: pd.DataFrame, weighted: bool) -> float:
    fields: dict[str, Any] = {"weight": data["weight"]} if weighted else {}
    if is_of_classes(name):
        return classes_by_lightgbm(data, name, **fields)
    if name.endswith("@K"):
        return by_lightgbm(data, [name[:-2]], "lambdarank", group=data.groupby("group").size())[f"{name[:-2]}@3"]
    [value] = by_lightgbm(data, [name], "none", **fields).values()
    return value


def call_like_lightgbm(metric: Any, name: str, weighted: bool) -> tuple[str, dict[str, str]]:
    """The metric and the roles that read the same."""
    if name.endswith("@K"):
        return f"{metric.name}@3", {"label": "label", "score": "score", "group": "group", "tie_key": "= -place"}
    roles = {"label": "label", **({"weight": "weight"} if weighted else {})}
    if name == "multi_error":
        return metric.name, {**roles, "prediction": "prediction"}
    if is_of_classes(name):
        return f"{metric.name}(scores={{0: 'p0', 1: 'p1', 2: 'p2'}})", roles
    return metric.name, {**roles, "score": "score"}


def data_of_lightgbm(metric: Any, name: str, seed: int) -> pd.DataFrame:
    if is_of_classes(name):
        return scores_of_classes(clicks(seed, classes=3))
    if name.endswith("@K"):
        return clicks(seed, classes=3).assign(group=np.repeat(np.arange(8), 5), place=range(40))
    return amounts(seed) if metric.truth == "number" else clicks(seed)


@pytest.mark.one_in(2)
@every_seed
@pytest.mark.parametrize("weighted", [False, True], ids=["rows", "weights"])
@pytest.mark.parametrize(("metric", "name"), OF_LIGHTGBM, ids=[name for _, name in OF_LIGHTGBM])
def test_lightgbm(metric: Any, name: str, weighted: bool, tried: str) -> None:
    pytest.importorskip("lightgbm")
    asked, roles = call_like_lightgbm(metric, name, weighted)
    for seed in seeds_for(metric, weighted, tried):
        data = data_of_lightgbm(metric, name, seed)
        expected = value_of_lightgbm(name, data, weighted)
        result = sqlmetrics.evaluate(data, asked, preset="lightgbm", **roles).iloc[0, 1]
        assert agree(result, expected), (seed, result, expected)


@pytest.mark.parametrize("weighted", [False, *slow(True)])
@pytest.mark.parametrize(("metric", "name"), OF_LIGHTGBM, ids=[name for _, name in OF_LIGHTGBM])
def test_lightgbm_on_odd_inputs(metric: Any, name: str, weighted: bool) -> None:
    """It takes whole grades alone, and of classes with the same probability another one than scikit-learn does."""
    pytest.importorskip("lightgbm")
    truth = "class" if is_of_classes(name) else "binary" if metric.truth == "binary or class" else metric.truth
    inputs = []
    for data in odd_inputs(metric, truth).values():
        if name == "multi_error":
            data[["p0", "p1", "p2"]] = np.eye(3)[data["prediction"]]
        if not name.endswith("@K") or data["label"].isin(range(3)).all():
            inputs.append(data.assign(place=range(len(data))))
    asked, roles = call_like_lightgbm(metric, name, weighted)
    slices = sqlmetrics.evaluate(pd.concat(inputs), asked, preset="lightgbm", by="case_name", **roles)
    found = dict(zip(slices["case_name"], slices.iloc[:, 2], strict=True))
    for data in inputs:
        case, expected = data["case_name"].iloc[0], value_of_lightgbm(name, data, weighted)
        assert agree(found[case], expected), (case, found[case], expected)


# All of them


@pytest.mark.slow
def test_the_name_in_another_tool_is_known() -> None:
    """It is told which metric here is meant, and whose name it was: by the table, and where spellings differ."""
    known = builtin_catalogue()
    for metric, _, names in NAMES:
        for name in names.split(", "):
            bare = name.partition(" (")[0].partition("(")[0].replace("_K", "_10").replace("@K", "@10")
            if bare.partition("@")[0] in known.metrics or " " in bare or "." in bare:
                continue
            with pytest.raises(sqlmetrics.UnknownMetric) as caught:
                sqlmetrics.evaluate(clicks(0), bare, label="label", score="score")
            assert "did you mean" in str(caught.value), bare
            found = str(caught.value).partition("did you mean '")[2].partition("'")[0]
            # One name may be that of several metrics, for several averages.
            named = [one.name for one, _, those in NAMES if name.partition(" (")[0].partition("(")[0] in those]
            assert found in (metric.name, *named) or found.replace("_", "") == bare.replace("_", ""), (bare, found)
    for name, meant in {
        "roc_auc": "'auc', scikit-learn's roc_auc_score",
        "normalized_discounted_cumulative_gain": "'ndcg'",
        "logloss": "'log_loss'",
        "RMSE": "'rmse'",
        "mean_reciprocal_rank": "'mrr'",
        "acu": "'auc'",
    }.items():
        with pytest.raises(sqlmetrics.UnknownMetric, match=rf"did you mean {meant}\?"):
            sqlmetrics.evaluate(clicks(0), {"name": name}, label="label", score="score")


def test_every_name_is_checked() -> None:
    cuts = {f"{name.rpartition('_')[0]}_K" if name[-1].isdigit() else name for name in MEASURES.values()}
    cuts |= {"gm_map", "iprec_at_recall_K"}
    for metric, tool, names in NAMES:
        if tool == "scikit-learn":
            assert names in SKLEARN, metric.name
        elif tool == "trec_eval":
            assert set(names.split(", ")) <= cuts, metric.name
        elif tool in (
            "Open Bandit Pipeline",
            "scikit-uplift",
            "scikit-survival",
            "lifelines",
            "scoringrules",
            "ndeval",
            "scipy",
        ):
            assert f"`{names.partition(' (')[0]}" in str(ORACLES[metric.name][0].function.__doc__), metric.name
        else:
            assert tool in (
                "LightGBM",
                "ir_measures",  # which asks ndeval
                "krippendorff",
                "statsmodels",
                "reliabilitydiag",
                "model-diagnostics",
                "rms",
                "sklearn.isotonic",
            )


@pytest.mark.parametrize(
    ("pooled", "column"),
    [
        ("precision_at_k(k=3, average='micro')", "hits"),
        ("recall_at_k(k=3, average='micro')", "Relevant"),
        ("f1_at_k(k=3, average='micro')", "listed"),
        ("pairwise_accuracy(average='micro')", "pairs"),
        ("pnr", "concordant"),
    ],
)
def test_counts_that_are_pooled_have_names_of_their_own(pooled: str, column: str) -> None:
    """A metric that was called like them was taken for them, or gave theirs."""
    log = pd.DataFrame({"q": [1, 1, 1, 2, 2, 2], "y": [1, 0, 1, 0, 1, 0], "s": [0.9, 0.8, 0.7, 0.4, 0.3, 0.2]})
    metrics = ["p = " + pooled, f"p_{column} = ndcg@3"]
    for asked in (metrics, metrics[::-1]):
        with pytest.raises(BadParameter, match="would be a column of both"):
            sqlmetrics.evaluate(log, asked, label="y", score="s", group="q")
    found = sqlmetrics.evaluate(log, ["p = " + pooled, f"of_{column} = ndcg@3"], label="y", score="s", group="q")
    assert found[f"of_{column}"][0] == sqlmetrics.ndcg(log, k=3, label="y", score="s", group="q").iloc[0, -1]


@pytest.mark.parametrize("name", ["bucket", "Bucket_Left_Out", "replicate"])
def test_names_of_what_is_counted_by_are_kept(name: str) -> None:
    """Intervals and states were those of the numbers of buckets and replicates."""
    log = pd.DataFrame({"y": [0, 1], "s": [0.1, 0.2]})
    with pytest.raises(BadParameter, match="kept for the package"):
        sqlmetrics.evaluate(log, f"{name} = auc", label="y", score="s")
