"""The worked examples of the documents that this project was founded on, and what they say the answers are."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import sqlmetrics


def counts(tp: int, fn: int, fp: int, tn: int) -> dict[str, list[float]]:
    """A confusion matrix as pre-aggregated rows: what was called positive, and what was not."""
    return {"clicks": [tp, fn], "views": [tp + fp, fn + tn], "pctr": [1.0, 0.0]}


def ranked(labels: list[int], scores: list[float]) -> dict[str, list[float]]:
    return {"click": labels, "pctr": scores}


AGGREGATED = {"positives": "clicks", "total": "views", "score": "pctr"}
ROWS = {"label": "click", "score": "pctr"}
LIST = {"click": [1, 0, 0, 1, 1, 1], "pctr": [6, 5, 4, 3, 2, 1], "query": [1] * 6}
#: 10,000 rows with score 0.2 and rate 0.4; 10,000 with score 0.8 and rate 0.6.
HALVES = {"clicks": [4000, 6000], "views": [10000, 10000], "pctr": [0.2, 0.8], "slot": ["low", "high"]}

EXAMPLES: list[tuple[str, dict[str, Any], dict[str, str], float, float]] = [
    ("accuracy", counts(600, 100, 50, 250), AGGREGATED, 0.85, 1e-9),
    ("error_rate", counts(600, 100, 50, 250), AGGREGATED, 0.15, 1e-9),
    ("precision", counts(600, 100, 50, 250), AGGREGATED, 600 / 650, 1e-9),
    ("recall", counts(600, 100, 50, 250), AGGREGATED, 600 / 700, 1e-9),
    ("precision", counts(90, 0, 10, 0), AGGREGATED, 0.9, 1e-9),
    ("recall", counts(90, 0, 10, 0), AGGREGATED, 1.0, 1e-9),
    ("f1", counts(90, 0, 10, 0), AGGREGATED, 0.947, 5e-4),
    ("precision", counts(70, 20, 5, 5), AGGREGATED, 0.933, 5e-4),
    ("recall", counts(70, 20, 5, 5), AGGREGATED, 0.778, 5e-4),
    ("f1", counts(70, 20, 5, 5), AGGREGATED, 0.848, 5e-4),
    ("auc", ranked([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), ROWS, 0.75, 1e-9),
    ("auc", ranked([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8]), ROWS, 0.875, 1e-9),
    ("auc", ranked([0, 1, 1, 0, 0, 1, 1], [0.3, 0.5, 0.5, 0.5, 0.5, 0.7, 0.8]), ROWS, 10 / 12, 1e-9),
    ("average_precision", LIST, ROWS, 0.6917, 5e-5),
    ("map", LIST, {**ROWS, "group": "query"}, 0.6917, 5e-5),
    ("pcoc", HALVES, AGGREGATED, 1.0, 1e-9),
    ("pcoc where slot = 'low'", HALVES, AGGREGATED, 0.5, 1e-9),
    ("pcoc where slot = 'high'", HALVES, AGGREGATED, 1.333, 5e-4),
    ("ece", HALVES, AGGREGATED, 0.2, 1e-9),
    ("cal_n", HALVES, AGGREGATED, 0.745356, 5e-7),
    ("field_rce", HALVES, {**AGGREGATED, "field": "slot"}, 0.416667, 5e-7),
]

#: Two rankings of the same items, by name "abcdefgh" and "bacdhgfe", and what the package rbo (0.1.3) says of them.
TWO_RANKINGS = {"query": ["q"] * 8, "old": [-1, -2, -3, -4, -5, -6, -7, -8], "new": [-2, -1, -3, -4, -8, -7, -6, -5]}
EXAMPLES += [
    (f"rbo({how})", TWO_RANKINGS, {"label": "old", "score": "new", "group": "query"}, expected, 1e-12)
    for how, expected in [
        ("p=0.5", 0.48742559523809526),
        ("p=0.9", 0.8596029857142857),
        ("p=0.9, beyond='cut'", 0.4291357757142857),
        ("p=0.9, beyond='cut', k=4", 0.24389999999999998),
    ]
]


@pytest.mark.parametrize(
    ("asked", "data", "roles", "expected", "tolerance"),
    EXAMPLES,
    ids=[f"{place}-{example[0]}" for place, example in enumerate(EXAMPLES)],
)
def test_example(asked: str, data: dict[str, Any], roles: dict[str, str], expected: float, tolerance: float) -> None:
    metric, _, condition = asked.partition(" where ")
    result = sqlmetrics.evaluate(pd.DataFrame(data), f"result = {metric}", **roles, where=condition or None)
    assert abs(result["result"][0] - expected) <= tolerance


def test_pcoc_by_slice() -> None:
    result = sqlmetrics.evaluate(pd.DataFrame(HALVES), "pcoc", **AGGREGATED, by="slot")
    assert dict(zip(result["slot"], result["pcoc"], strict=True)) == pytest.approx({"low": 0.5, "high": 4 / 3})
