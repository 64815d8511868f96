"""Intervals, comparisons, gaps, drift and states on every engine, against the same on DuckDB."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import sqlmetrics
from sqlmetrics.engines import Engine
from tests.engines.servers import ENGINES, use_single_partition
from tests.parameters import slow
from tests.statistics import test_bands, test_drift
from tests.statistics import test_states_of_means_and_counts as test_states
from tests.statistics.test_compare import two_days
from tests.statistics.test_intervals import CLASS_METRICS, EXTREMES, extreme_scores, log, named, roles_of
from tests.statistics.test_states_of_means_and_counts import STATE_CASES, with_tables

MODELS: dict[str, Any] = {"label": "clicked", "score": ["score", "other"]}
SCORE = {"label": "clicked", "score": "score"}
USERS = {**MODELS, "group": "user", "cluster": "user"}
DAYS: dict[str, Any] = {**SCORE, "against": "yesterday", "cluster": "user"}
SURE: dict[str, Any] = {"confidence": 0.95, "standard_error": True, "diagnostics": True}
BOOTSTRAP = {"confidence": 0.95, "method": "bootstrap", "replicates": 20}


@functools.cache
def tables() -> dict[str, pd.DataFrame]:
    today, yesterday = two_days()
    classes = test_bands.with_classes(log(200).assign(user=lambda d: d["user"].where(d["user"] > 2)))
    states = {f"state_of_{name}": sqlmetrics.state(test_states.TABLES[STATE_CASES[name].table], by="day",
                                                   **with_tables(STATE_CASES[name].of_state))
              for name in ("deviances", "lists")}  # fmt: skip
    return {
        "clicks": log(300), "today": today, "yesterday": yesterday, "extremes": extreme_scores(), "classes": classes,
        "later": test_drift.AFTER, "earlier": test_drift.BEFORE,
        **test_states.TABLES, **states,
    }  # fmt: skip


_TABLE: dict[str, Any] = {**SURE, "diagnostics": False, "weight": "w", "cluster": "user"}
#: Function, relation, metrics or columns, and options.
CASES: list[tuple[str, str, Any, dict[str, Any]]] = [
    # A metric for each method of intervals; Spark needs a long time to plan more of them.
    ("evaluate", "clicks", "auc, log_loss, ks, gauc, average_precision, field_rce, medae",
     {**SCORE, **SURE, "group": "user", "field": "category", "cluster": "user", "by": "device"}),
    ("evaluate", "clicks", "auc, gauc, ks", {**SCORE, **BOOTSTRAP, "group": "user", "cluster": "user"}),
    ("evaluate", "extremes", EXTREMES["metrics"], {name: EXTREMES[name] for name in EXTREMES if name != "metrics"}),
    ("evaluate", "clicks", named([*CLASS_METRICS][:-2:2]), {**roles_of("macro_f1"), **SURE, "weight": "w",
                                                          "cluster": "user"}),
    ("evaluate", "classes", "threshold_table(points=9)", {**SCORE, **_TABLE}),
    ("compare", "clicks", "auc, gauc, medae", {**USERS, "by": "device", "relative": True}),
    ("compare", "today", "log_loss, ndcg@5, field_ece",
     {**DAYS, "group": "user", "field": "category", "adjust": "bh"}),
    ("gaps", "clicks", "auc, copc, gauc", {**SCORE, "group": "user", "confidence": 0.95, "by": [["device"]],
                                         "min_rows": 5}),
    ("drift", "later", test_drift.COLUMNS, {"categories": test_drift.CATEGORIES, "against": "earlier", "weight": "w",
                                            "by": [[], ["device"]], "bins": 7}),
]  # fmt: skip
#: Further cases for PostgreSQL, where a statement takes no seconds.
FURTHER: list[tuple[str, str, Any, dict[str, Any]]] = [
    *[("evaluate", "classes", call, {**_TABLE, **test_bands.roles_of(call), "weight": None})
      for call in sorted(test_bands.TABLES, reverse=True)[::2]],
    ("compare", "clicks", "log_loss, ndcg@5", {**USERS, "test": "randomization", "replicates": 40}),
    ("compare", "today", "log_loss, ndcg@5", {**DAYS, "group": "user", "test": "wilcoxon"}),
    ("compare", "clicks", "auc, copc", {**MODELS, **BOOTSTRAP}),
    ("compare", "today", "copc, f1, ks", DAYS),
]  # fmt: skip
_ON_ENGINES = [(name, *case) for name in ENGINES if name != "duckdb"
               for case in CASES + (FURTHER if name == "postgres" else [])]  # fmt: skip


@pytest.fixture(scope="module")
def loaded(request: pytest.FixtureRequest) -> Iterator[Engine]:
    arrow = {name: pa.Table.from_pandas(table, preserve_index=False) for name, table in tables().items()}
    with ENGINES[request.param](arrow) as engine:
        use_single_partition(engine)
        yield engine


@pytest.mark.parametrize(("loaded", "function", "relation", "metrics", "options"), slow(*_ON_ENGINES),
                         indirect=["loaded"], scope="module")  # fmt: skip
def test_statistics_agree_with_duckdb(
    loaded: Engine, function: str, relation: str, metrics: Any, options: dict[str, Any]
) -> None:
    local = options | ({"against": tables()[options["against"]]} if "against" in options else {})
    expected = getattr(sqlmetrics, function)(tables()[relation], metrics, **local)
    result = getattr(sqlmetrics, function)(relation, metrics, engine=loaded, **options)
    # An end near 0 is the difference of two numbers of 0.1, each correct to a part in 1e9.
    atol = 1e-10 if function == "compare" else 1e-12
    pd.testing.assert_frame_equal(result, expected, rtol=1e-9, atol=atol, check_exact=False, check_dtype=False)


@pytest.mark.parametrize("loaded", slow("postgres", "spark", "clickhouse"), indirect=True)
def test_engines_make_and_read_states(loaded: Engine) -> None:
    for name in STATE_CASES if loaded.dialect == "postgres" else ("weighted means", "lists", "bins", "classes"):
        case = STATE_CASES[name]
        settings: dict[str, Any] = {"by": "device", "buckets": 5, "cluster": case.cluster}
        there = sqlmetrics.state(case.table, **settings, **case.of_state, engine=loaded)
        here = sqlmetrics.state(tables()[case.table], **settings, **with_tables(case.of_state))
        read = {**with_tables(case.of_reader), "by": "device", "confidence": 0.9}
        result, expected = (sqlmetrics.evaluate_states(state, case.metrics, **read) for state in (there, here))
        pd.testing.assert_frame_equal(result, expected, rtol=1e-9)
    columns = "'a' as state_key, 1 as row_count, 1 as positives, 1 as negatives, 0.5 as score_key"
    mixed = " union all ".join(f"select 'bins={n};' as made_with, {n} as bins, {columns}" for n in (10, 20))
    message = "different settings.*bins=10;.*bins=20;$"
    if loaded.dialect == "clickhouse":  # ClickHouse cannot reject mixed states, and so reads no states
        message = "cannot check whether all parts of a state have the same settings"
    with pytest.raises(sqlmetrics.SqlMetricsError, match=message):
        sqlmetrics.evaluate_states(mixed, "auc", engine=loaded)
    if loaded.dialect == "clickhouse":
        lists = STATE_CASES["lists"]
        with pytest.raises(sqlmetrics.BadParameter, match=message):
            sqlmetrics.evaluate_states("state_of_lists", lists.metrics, **lists.of_reader, engine=loaded)
    else:
        for name in ("deviances", "lists"):
            case, state = STATE_CASES[name], f"state_of_{name}"
            there = sqlmetrics.evaluate_states(state, case.metrics, **case.of_reader, engine=loaded)
            here = sqlmetrics.evaluate_states(tables()[state], case.metrics, **with_tables(case.of_reader))
            pd.testing.assert_frame_equal(there, here, rtol=1e-12)
        with pytest.raises(sqlmetrics.BadData, match=r"^score .* is outside .* as in range=\[-5, 5\]"):
            sqlmetrics.state("log", label="clicked", score="near", engine=loaded)
