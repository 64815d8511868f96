"""Intervals, comparisons and gaps on every engine, against the same on DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import sqlmetrics
from sqlmetrics.engines import Engine
from tests.engines.servers import ENGINES, in_one_partition
from tests.parameters import slow
from tests.statistics import test_bands
from tests.statistics.test_compare import two_days
from tests.statistics.test_intervals import CLASS_METRICS, EXTREMES, extreme_scores, log, named, roles_of

MODELS: dict[str, Any] = {"label": "clicked", "score": ["score", "other"]}
SCORE = {"label": "clicked", "score": "score"}
USERS = {**MODELS, "cluster": "user"}
DAYS: dict[str, Any] = {"label": "clicked", "score": "score", "against": "yesterday", "cluster": "user"}
SURE: dict[str, Any] = {"confidence": 0.95, "standard_error": True, "diagnostics": True}
BOOTSTRAP = {"confidence": 0.95, "method": "bootstrap", "replicates": 20}
_TODAY, _YESTERDAY = two_days()
_CLASSES = test_bands.with_classes(log(200).assign(user=lambda d: d["user"].where(d["user"] > 2)))
TABLES = {"log": log(300), "today": _TODAY, "yesterday": _YESTERDAY, "extremes": extreme_scores(), "classes": _CLASSES}


@pytest.fixture(scope="module")
def loaded(request: pytest.FixtureRequest) -> Iterator[Engine]:
    tables = {name: pa.Table.from_pandas(table, preserve_index=False) for name, table in TABLES.items()}
    with ENGINES[request.param](tables) as engine:
        in_one_partition(engine)
        yield engine


def on_engines(*cases: tuple[Any, ...], spark: int) -> pytest.MarkDecorator:
    """Each case on each engine; a statement takes Spark seconds, so it has the first cases."""
    values = [(name, *case) for name in ENGINES if name != "duckdb"
              for case in cases[: spark if name == "spark" else None]]  # fmt: skip
    return pytest.mark.parametrize(("loaded", "relation", "metrics", "options"), slow(*values), indirect=["loaded"])


def agree(engine: Engine, function: Callable[..., pd.DataFrame], relation: str, metrics: Any, **options: Any) -> None:
    local = options | ({"against": TABLES[options["against"]]} if "against" in options else {})
    expected = function(TABLES[relation], metrics, **local)
    result = function(relation, metrics, engine=engine, **options)
    # An end near 0 is the difference of two numbers of 0.1, each of which is right to a part in 1e9.
    atol = 1e-10 if function is sqlmetrics.compare else 1e-12
    pd.testing.assert_frame_equal(result, expected, rtol=1e-9, atol=atol, check_exact=False, check_dtype=False)


@on_engines(
    ("log", "auc, log_loss, f1, ks", {**USERS, **SURE, "by": "device"}),
    ("log", "gauc, ndcg@5, average_precision", {**SCORE, **SURE, "group": "user"}),
    ("log", "auc, gauc, ece", {**SCORE, **BOOTSTRAP, "group": "user", "cluster": "user"}),
    ("log", "log_loss, ks", {**MODELS, **BOOTSTRAP, "by": "device"}),
    ("log", "ece, max_f1, pr_auc, medae, r2, mcc", {**SCORE, **SURE, "cluster": "user"}),
    ("extremes", EXTREMES["metrics"], {name: EXTREMES[name] for name in EXTREMES if name != "metrics"}),
    ("log", named([*CLASS_METRICS][:-2:2]), {**roles_of("macro_f1"), **SURE, "weight": "w", "cluster": "user"}),
    ("log", named([*CLASS_METRICS][-2:]), {**roles_of("kappa("), **SURE, "weight": "w"}),
    ("log", "field_ece, field_rce", {**roles_of("field_ece"), **SURE, "weight": "w", "cluster": "user"}),
    spark=3,
)
def test_intervals_agree_with_duckdb(relation: str, metrics: Any, options: dict[str, Any], loaded: Engine) -> None:
    agree(loaded, sqlmetrics.evaluate, relation, metrics, **options)


@on_engines(
    ("log", "auc, f1, ks, medae", {**USERS, "by": "device"}),
    ("today", "log_loss, copc, gauc, ndcg@5", {**DAYS, "group": "user"}),
    ("log", "log_loss, ndcg@5", {**USERS, "group": "user", "test": "randomization", "replicates": 40}),
    ("log", "log_loss, copc, gauc, ndcg@5", {**MODELS, "group": "user", "relative": True}),
    ("today", "auc, f1, ks, medae", {**DAYS, "cluster": None, "by": "device", "adjust": "bh"}),
    ("today", "field_ece, field_rce", {**DAYS, "field": "category"}),
    ("log", "log_loss, ndcg@5", {**USERS, "group": "user", "test": "wilcoxon"}),
    ("today", "log_loss, ndcg@5", {**DAYS, "group": "user", "test": "wilcoxon"}),
    ("log", "auc, copc", {**MODELS, **BOOTSTRAP}),
    spark=2,
)
def test_comparisons_agree_with_duckdb(relation: str, metrics: str, options: dict[str, Any], loaded: Engine) -> None:
    agree(loaded, sqlmetrics.compare, relation, metrics, **options)


@on_engines(
    ("log", "auc, copc, gauc", {**SCORE, "confidence": 0.95, "by": [["device"]], "group": "user", "min_rows": 5}),
    ("log", "auc, ece", {**SCORE, "confidence": 0.95, "by": [["device"]], "cluster": "user"}),
    spark=1,
)
def test_gaps_agree_with_duckdb(relation: str, metrics: str, options: dict[str, Any], loaded: Engine) -> None:
    agree(loaded, sqlmetrics.gaps, relation, metrics, **options)


@on_engines(
    *[("classes", call, {"cluster": ("user", None)[index % 2], "weight": ("w", None)[index // 2 % 2],
                         **test_bands.SURE, **test_bands.roles_of(call)})
      for index, call in enumerate(sorted(test_bands.TABLES, reverse=True))],
    spark=1,
)  # fmt: skip
def test_table_intervals_agree_with_duckdb(
    relation: str, metrics: str, options: dict[str, Any], loaded: Engine
) -> None:
    agree(loaded, sqlmetrics.evaluate, relation, metrics, **options)
