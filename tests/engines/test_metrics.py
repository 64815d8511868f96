"""Every metric on every engine, on edge data, against the oracles: not against another engine.

No test can start the warehouses of the rendered dialects: for two of them, sqlglot translates the text and DuckDB runs
it, and fakesnow does so for Snowflake. That finds a wrong quotation mark, an unknown function, and a division or an
order of NULLs with another meaning, as far as sqlglot knows the dialect.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics.engines import Engine
from tests.compare import assert_same, differences
from tests.engines.cases import Case, cases, each_frame_once, each_metric_once, tables_of, takes_long
from tests.engines.servers import ENGINES, READ_BACK, fake_snowflake
from tests.invariants.test_weights import scaled_roles, unscaled, weighed
from tests.values.test_oracles import Expectation, compare, expectations
from tests.variants import by_frame, quiet

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:Arrow output on a DB-API result")]

ALL = {**ENGINES, **READ_BACK, "snowflake": fake_snowflake}


def one_metric_per_frame(case: Case) -> Case:
    return replace(case, call=by_frame([case.call])[0])


def parts(case: Case, name: str) -> list[Case]:
    """The statements of a case: metrics that take an engine long are in one of their own."""
    long = [asked for asked in case.call.asked if takes_long(asked.metric, name)]
    others = [asked for asked in case.call.asked if asked not in long]
    return [case.of(part) for part in (others, long) if part] if long else [case]


@functools.cache
def cases_on(name: str) -> list[Case]:
    """On an engine, every metric once, and of the other data what falls to it, with one metric of each frame."""
    every = each_metric_once()
    if name in READ_BACK:
        return every[[*READ_BACK].index(name) :: len(READ_BACK)]
    if name not in ENGINES:
        return [one_metric_per_frame(case) for case in every]
    typed = [case for case in cases() if case.name == "labels:_all_of_typed"]
    others = {}
    for case in cases():
        if case not in (*every, *typed):
            # Tables of one frame read the same rows.
            others[case.data_set, case.call.kind, case.call.table and case.call.asked[0].metric.frames] = case
    in_turn = [*others.values()][[*ENGINES].index(name) :: len(ENGINES)]
    few = [parts(one_metric_per_frame(case), name)[0] for case in [*typed, *in_turn]]
    return [part for case in every for part in parts(case, name)] + few


@functools.cache
def expected(case: Case) -> list[Expectation]:
    """The values of the oracles, which take longer than an engine: computed once for all engines."""
    return expectations(case.data, case.call, list(case.by))


@pytest.fixture(scope="module")
def loaded(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine that holds the tables of its cases."""
    with ALL[request.param](tables_of(cases_on(request.param))) as engine:
        yield engine


@pytest.mark.parametrize(
    ("loaded", "case"),
    [pytest.param(name, case, id=f"{name}-{case.name}") for name in ALL for case in cases_on(name)],
    indirect=["loaded"],
)
def test_metrics_match_oracles(case: Case, loaded: Engine) -> None:
    result = case.evaluate(loaded)
    assert compare(result, expected(case), case.call, list(case.by)) or case.data_set == "empty"
    names = {*case.by, *(column for metric in case.call.asked for column in metric.columns.values())}
    assert names <= {*result.columns, "group"}


@pytest.mark.parametrize("loaded", ["postgres", "bigquery"], indirect=True)
def test_weights_far_from_1(loaded: Engine) -> None:
    """PostgreSQL and BigQuery raise an error when a product leaves the range of doubles."""
    calls = [(case, weighed(case.call)) for case in each_frame_once() if not case.call.table or "lift" in case.name]
    calls = [(case, call) for case, call in calls if call.asked and scaled_roles(call, "1") != call.roles]
    assert len(calls) > 8
    for case, call in calls:
        weighted = case.of(call.asked)
        plain, *far = (
            unscaled(call, weighted.evaluate(loaded, by="country", **scaled_roles(call, scale)), float(scale))
            for scale in ("1e0", "1e-200", "1e200")
        )
        for result in far:
            assert differences(result, plain, 1e-12) == [], case.name


def states(data: Any, **options: Any) -> pd.DataFrame:
    return sqlmetrics.evaluate_states(sqlmetrics.state(data, **ROLES, by="device", **options), "auc, log_loss")


def drift(data: Any, **options: Any) -> pd.DataFrame:
    return sqlmetrics.drift(data, against=data, columns=["pctr"], **options)


ROLES: dict[str, Any] = {"label": "clicked", "score": "pctr"}
#: Calls other than `evaluate` of one table, by data and further options.
CALLS: list[tuple[Callable[..., pd.DataFrame], dict[str, Any]]] = [
    (sqlmetrics.evaluate, {"metrics": "auc, log_loss", **ROLES, "by": "device", "cluster": "user_id",
                           "confidence": 0.95}),
    (sqlmetrics.evaluate, {"metrics": "auc, gauc, f1", **ROLES, "by": [[], ["device"], ["device", "country"]],
                           "group": "campaign"}),
    (sqlmetrics.compare, {"metrics": "brier", "label": "clicked", "score": ["pctr", "mass"], "by": "device",
                          "cluster": "user_id"}),
    (sqlmetrics.gaps, {"metrics": "auc", **ROLES, "by": "device"}), (drift, {}), (states, {}),
]  # fmt: skip


# The other engines have files of tests for each call.
@pytest.mark.parametrize("loaded", ["bigquery", "snowflake"], indirect=True)
def test_calls_match_duckdb(loaded: Engine) -> None:
    """Each call returns what it returns for the same rows on DuckDB."""
    [log] = [case for case in each_metric_once() if case.name == "labels:_all_of_slices"]
    rows = tables_of([log])[log.table].to_pandas()
    for call, options in CALLS:
        ours, expected = (
            quiet(functools.partial(call, data, **options, **further))
            for data, further in ((log.table, {"engine": loaded}), (rows, {}))
        )
        assert len(ours) == len(expected) > 0, call
        assert_same(ours, expected, 1e-9)
