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
from tests.statistics import test_bands
from tests.statistics.test_compare import two_days
from tests.statistics.test_intervals import CLASS_METRICS, EXTREMES, extreme_scores, log, named, roles_of
from tests.tiers import slow

MODELS: dict[str, Any] = {"label": "clicked", "score": ["score", "other"]}
USERS = {**MODELS, "cluster": "user"}
DAYS: dict[str, Any] = {"label": "clicked", "score": "score", "against": "yesterday", "cluster": "user"}
SURE: dict[str, Any] = {"confidence": 0.95, "standard_error": True, "diagnostics": True}
BOOTSTRAP = {"confidence": 0.95, "method": "bootstrap", "replicates": 20}
_TODAY, _YESTERDAY = two_days()
_CLASSES = test_bands.with_classes(log(200).assign(user=lambda d: d["user"].where(d["user"] > 2)))
TABLES = {"log": log(300), "today": _TODAY, "yesterday": _YESTERDAY, "extremes": extreme_scores(), "classes": _CLASSES}


@pytest.fixture(scope="module", params=slow(*[name for name in ENGINES if name != "duckdb"]))
def loaded(request: pytest.FixtureRequest) -> Iterator[Engine]:
    tables = {name: pa.Table.from_pandas(table, preserve_index=False) for name, table in TABLES.items()}
    with ENGINES[request.param](tables) as engine:
        in_one_partition(engine)
        yield engine


def agree(engine: Engine, function: Callable[..., pd.DataFrame], relation: str, metrics: Any, **options: Any) -> None:
    expected = options | ({"against": TABLES[options["against"]]} if "against" in options else {})
    pd.testing.assert_frame_equal(
        function(relation, metrics, engine=engine, **options),
        function(TABLES[relation], metrics, **expected),
        rtol=1e-9, atol=1e-10 if function is sqlmetrics.compare else 1e-12, check_exact=False, check_dtype=False,
    )  # fmt: skip


@pytest.mark.parametrize(("relation", "metrics", "options"), [
    ("log", "auc, log_loss, f1, mcc", {**USERS, **SURE, "by": [[], ["device"]]}),
    ("log", "ks, gauc, ndcg@5, average_precision", {**MODELS, **SURE, "group": "user"}),
    ("log", "ece, max_f1, pr_auc, medae, r2", {**USERS, **SURE}),
    ("extremes", EXTREMES["metrics"], {name: EXTREMES[name] for name in EXTREMES if name != "metrics"}),
    ("log", named([*CLASS_METRICS][:-2]), {**roles_of("macro_f1"), **SURE, "weight": "w", "cluster": "user"}),
    ("log", named([*CLASS_METRICS][-2:]), {**roles_of("kappa("), **SURE, "weight": "w"}),
    ("log", "field_ece, field_rce", {**roles_of("field_ece"), **SURE, "weight": "w", "cluster": "user"}),
    ("log", "auc, log_loss, ks, ece", {**USERS, **BOOTSTRAP, "by": "device"}),
    ("log", "gauc, ndcg@5", {**MODELS, **BOOTSTRAP, "group": "user"}),
])  # fmt: skip
def test_intervals_agree_with_duckdb(relation: str, metrics: Any, options: dict[str, Any], loaded: Engine) -> None:
    agree(loaded, sqlmetrics.evaluate, relation, metrics, **options)


@pytest.mark.parametrize(("relation", "metrics", "options"), [
    ("log", "auc, f1, ks, medae", {**USERS, "by": [[], ["device"]]}),
    ("log", "log_loss, copc, gauc, ndcg@5", {**MODELS, "group": "user", "relative": True}),
    ("today", "auc, f1, ks, medae", {**DAYS, "cluster": None, "by": "device", "adjust": "bh"}),
    ("today", "log_loss, copc, gauc, ndcg@5", {**DAYS, "group": "user"}),
    ("today", "field_ece, field_rce", {**DAYS, "field": "category"}),
    ("log", "log_loss, ndcg@5", {**USERS, "group": "user", "test": "wilcoxon"}),
    ("today", "log_loss, ndcg@5", {**DAYS, "group": "user", "test": "sign"}),
    ("log", "log_loss, ndcg@5", {**USERS, "group": "user", "test": "randomization"}),
    ("log", "auc, copc", {**MODELS, **BOOTSTRAP}),
])  # fmt: skip
def test_comparisons_agree_with_duckdb(relation: str, metrics: str, options: dict[str, Any], loaded: Engine) -> None:
    agree(loaded, sqlmetrics.compare, relation, metrics, **options)


@pytest.mark.parametrize("cluster", ["user", None])
def test_gaps_agree_with_duckdb(cluster: str | None, loaded: Engine) -> None:
    options = {**DAYS, "confidence": 0.95, "by": [["device"]], "cluster": cluster, "min_rows": 5}
    del options["against"]
    metrics, group = ("auc, copc, ece", None) if cluster else ("gauc, copc", "user")
    agree(loaded, sqlmetrics.gaps, "log", metrics, group=group, **options)


def test_table_intervals_agree_with_duckdb(loaded: Engine) -> None:
    for index, call in enumerate(test_bands.TABLES):
        if loaded.dialect == "spark" and index % 4:  # where each of these statements takes ten seconds
            continue
        options = {"cluster": ("user", None)[index % 2], "weight": ("w", None)[index // 2 % 2], **test_bands.SURE}
        agree(loaded, sqlmetrics.evaluate, "classes", call, **options, **test_bands.roles_of(call))
