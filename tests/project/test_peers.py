"""The page of other tools' lists: whole, and of metrics that there are."""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

import sqlmetrics
from sqlmetrics.catalogue import builtin_catalogue
from tests import optional, peers
from tests.compare import agree

METRICS = builtin_catalogue().metrics
TOOLS = peers.lists()
HERE = [
    (tool, name, call)
    for tool, told in TOOLS.items()
    for name, text in told["here"].items()
    for call in peers.calls(text)
]


def names_of(tool: str) -> list[str]:
    """All that the file has of a tool, twice what stands there twice."""
    told = TOOLS[tool]
    return [*told["here"], *(name for names in told["left_out"].values() for name in names)]


def missing(tool: str, names: Any) -> set[str]:
    """What the installed package has and the file lacks: a new name of theirs wants an answer here."""
    return set(names) - set(names_of(tool))


def test_the_page_is_written_from_the_lists() -> None:
    assert peers.PAGE.read_text(encoding="utf-8") == peers.page(TOOLS), "python -m tests.peers"


@pytest.mark.parametrize("tool", TOOLS)
def test_a_name_has_one_answer(tool: str) -> None:
    names = names_of(tool)
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize(("tool", "name", "call"), HERE)
def test_what_is_named_is_here(tool: str, name: str, call: str) -> None:
    asked = ast.parse(call, mode="eval").body
    if isinstance(asked, ast.Name):
        asked = ast.Call(asked, [], [])
    assert isinstance(asked, ast.Call)
    assert isinstance(asked.func, ast.Name)
    parameters = METRICS[asked.func.id].parameters
    for parameter in asked.keywords:
        declared = parameters[parameter.arg or ""]
        value = ast.literal_eval(parameter.value)
        assert value in declared.choices or (declared.type == "integer" and isinstance(value, int))


def test_all_that_scikit_learn_has_is_there() -> None:
    assert missing("scikit-learn", sk.__all__) == set()


def test_all_that_trec_eval_has_is_there() -> None:
    pytrec_eval = optional.package("pytrec_eval")
    assert missing("trec_eval", pytrec_eval.supported_measures) == set()


@pytest.mark.slow
def test_all_that_spark_has_is_there() -> None:
    evaluation = optional.package("pyspark.mllib.evaluation")
    answers = [
        f"{name}.{member}"
        for name, kind in vars(evaluation).items()
        if name.endswith("Metrics")
        for member, value in vars(kind).items()
        if not member.startswith("_") and (isinstance(value, property) or inspect.isfunction(value))
    ]
    assert missing("Spark", [*answers, "BinaryClassificationMetrics.unpersist"]) == set()


@pytest.mark.parametrize("tool", ["scikit-learn", "trec_eval"])
def test_the_heads_of_the_metric_files_say_the_same(tool: str) -> None:
    """A name in a head is not left out here, nor given to another metric."""
    for metric in METRICS.values():
        for name in filter(None, metric.names.get(tool, "").split(", ")):
            bare = re.sub(r"_K\Z", "", re.sub(r" ?\(.*", "", name))
            if bare == "auc of precision_recall_curve":
                bare = "auc"
            if bare != "calibration_curve":  # of sklearn.calibration
                assert metric.name in TOOLS[tool]["here"].get(bare, ""), f"{metric.name}: {name}"


def test_the_metrics_that_a_remark_makes_of_ours() -> None:
    """Those that no head names, asked of scikit-learn."""
    rng = np.random.default_rng(5)
    data = pd.DataFrame({"label": rng.integers(0, 2, 60), "score": rng.integers(1, 20, 60) / 20})
    asked = ["r2", "relative_information_gain", "error_rate", "rmsle", "youden_j", "recall", "fpr", "specificity", "f1"]
    ours = sqlmetrics.evaluate(data, asked, label="label", score="score").iloc[0]
    called = (data["score"] >= 0.5).astype(int)
    assert agree(ours["r2"], sk.d2_brier_score(data["label"], data["score"]))
    assert agree(ours["relative_information_gain"], sk.d2_log_loss_score(data["label"], data["score"]))
    assert agree(ours["error_rate"], sk.hamming_loss(data["label"], called))
    assert agree(ours["error_rate"], sk.zero_one_loss(data["label"], called))
    assert agree(ours["rmsle"] ** 2, sk.mean_squared_log_error(data["label"], data["score"]))
    assert agree(ours["youden_j"], sk.balanced_accuracy_score(data["label"], called, adjusted=True))
    up, down = sk.class_likelihood_ratios(data["label"], called)
    assert agree(ours["recall"] / ours["fpr"], up)
    assert agree((1 - ours["recall"]) / ours["specificity"], down)
    assert agree(ours["f1"] / (2 - ours["f1"]), sk.jaccard_score(data["label"], called))


def test_the_table_of_thresholds_holds_what_scikit_learn_tells_at_thresholds() -> None:
    rng = np.random.default_rng(6)
    data = pd.DataFrame({"label": rng.integers(0, 2, 60), "score": rng.integers(1, 20, 60) / 20})
    ours = sqlmetrics.threshold_table(data, label="label", score="score").set_index("threshold")
    tn, fp, fn, tp, at = sk.confusion_matrix_at_thresholds(data["label"], data["score"])
    for name, theirs in {"tn": tn, "fp": fp, "fn": fn, "tp": tp}.items():
        assert list(ours.loc[at, name]) == list(theirs)
    false, missed, at = sk.det_curve(data["label"], data["score"])
    inside = np.isfinite(at)
    rows = ours.loc[at[inside]]
    assert np.allclose(rows["fpr"], false[inside], rtol=0, atol=1e-12)
    assert np.allclose(rows["fn"] / (rows["tp"] + rows["fn"]), missed[inside], rtol=0, atol=1e-12)
