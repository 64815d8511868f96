"""The page of other tools' metrics is complete, and every metric in it exists."""

from __future__ import annotations

import ast
import itertools
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

import sqlmetrics
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests import optional, peers
from tests.compare import agree

METRICS = builtin_catalogue().metrics
TOOLS = peers.lists()


#: All names of each tool, with duplicates.
NAMES = {tool: [*lists["here"], *itertools.chain(*lists["left_out"].values())] for tool, lists in TOOLS.items()}


def test_page_is_written_from_the_lists() -> None:
    assert peers.PAGE.read_text(encoding="utf-8") == peers.page(TOOLS), "python -m tests.peers"


@pytest.mark.parametrize("tool", TOOLS)
def test_names_are_unique_and_calls_exist(tool: str) -> None:
    """Each call has an existing metric, and parameters with valid values."""
    assert sorted(NAMES[tool]) == sorted(set(NAMES[tool]))
    for call in (call for text in TOOLS[tool]["here"].values() for call in peers.calls(text)):
        tree: Any = ast.parse(call if "(" in call else f"{call}()", mode="eval").body
        for keyword in tree.keywords:
            parameter = METRICS[tree.func.id].parameters[keyword.arg]
            value = ast.literal_eval(keyword.value)
            assert value in parameter.choices or (parameter.type == "integer" and isinstance(value, int)), call
        assert tree.func.id in METRICS


@pytest.mark.parametrize("tool", ["scikit-learn", "trec_eval"])
def test_lists_are_complete(tool: str) -> None:
    """The lists contain every name of an installed package."""
    names = set(sk.__all__ if tool == "scikit-learn" else optional.package("pytrec_eval").supported_measures)
    assert len(names) > 3
    assert names <= set(NAMES[tool])


@pytest.mark.parametrize("tool", ["scikit-learn", "trec_eval"])
def test_heads_of_metric_files_agree_with_the_lists(tool: str) -> None:
    """The lists map each name in a head to the same metric."""
    for metric in METRICS.values():
        for name in filter(None, metric.names.get(tool, "").split(", ")):
            bare = re.sub(r"_K\Z", "", re.sub(r" ?\(.*", "", name))
            bare = "auc" if bare == "auc of precision_recall_curve" else bare
            if bare != "calibration_curve":  # a function of sklearn.calibration
                assert metric.name in TOOLS[tool]["here"].get(bare, ""), f"{metric.name}: {name}"


def test_formulas_of_remarks_match_scikit_learn() -> None:
    """Functions of scikit-learn that are in no head."""
    rng = np.random.default_rng(5)
    data = pd.DataFrame({"label": rng.integers(0, 2, 60), "score": rng.integers(1, 20, 60) / 20})
    label, score, predicted = data["label"], data["score"], (data["score"] >= 0.5).astype(int)
    names = ["r2", "relative_information_gain", "error_rate", "rmsle", "youden_j", "recall", "fpr", "specificity", "f1"]
    ours = sqlmetrics.evaluate(data, names, label="label", score="score").iloc[0]
    positive, negative = sk.class_likelihood_ratios(label, predicted)
    for value, expected in [
        (ours["r2"], sk.d2_brier_score(label, score)),
        (ours["relative_information_gain"], sk.d2_log_loss_score(label, score)),
        (ours["error_rate"], sk.hamming_loss(label, predicted)),
        (ours["error_rate"], sk.zero_one_loss(label, predicted)),
        (ours["rmsle"] ** 2, sk.mean_squared_log_error(label, score)),
        (ours["youden_j"], sk.balanced_accuracy_score(label, predicted, adjusted=True)),
        (ours["recall"] / ours["fpr"], positive),
        ((1 - ours["recall"]) / ours["specificity"], negative),
        (ours["f1"] / (2 - ours["f1"]), sk.jaccard_score(label, predicted)),
    ]:
        assert agree(value, expected)
