"""Every metric on every engine, on edge data, against the oracles rather than another engine.

No test can start the warehouses of the rendered dialects: for two of them, sqlglot translates the text and DuckDB runs
it, and fakesnow does so for Snowflake. That detects a wrong quotation mark, an unknown function, and other semantics of
a division or an order of NULLs, as far as sqlglot knows the dialect.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace

import pytest

from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.engines import Engine
from sqlmetrics.rendering.macros import call_macro
from tests.compare import differences
from tests.engines.cases import (
    LONG_ON_SPARK,
    Case,
    cases,
    each_choice_once,
    each_frame_once,
    each_metric_once,
    tables_of,
)
from tests.engines.servers import ENGINES, READ_BACK, fake_snowflake, use_single_partition
from tests.invariants.test_weights import scaled_roles, unscaled, weighed
from tests.values.test_oracles import Expectation, compare, expectations
from tests.variants import by_frame

pytestmark = pytest.mark.filterwarnings("ignore:Arrow output on a DB-API result")

ALL = {**ENGINES, **READ_BACK, "snowflake": fake_snowflake}


def case_by_frame(case: Case) -> Case:
    return replace(case, call=by_frame([case.call])[0])


def parts(case: Case, name: str) -> list[Case]:
    """The statements of a case: metrics that are slow on the engine have a separate one."""
    long = [
        requested for requested in case.call.metrics if name == "spark" and LONG_ON_SPARK & {*requested.metric.frames}
    ]
    others = [requested for requested in case.call.metrics if requested not in long]
    return [case.of(part) for part in (others, long) if part] if long else [case]


def supported_by(name: str, case: Case) -> Case:
    """The case without metrics that need 32-bit numbers, if the dialect has none."""
    if call_macro(builtin_catalogue(), name, "dialect_table")["has_single_precision"]:
        return case
    return case.of([each for each in case.call.metrics if each.parameters.get("precision_of_scores") != "single"])


@functools.cache
def cases_on(name: str) -> list[Case]:
    """The cases of an engine: every metric and choice once, and a share of other data sets with one metric per frame.

    Spark, whose statements take longest, has no choices and only the typed data set of the others.
    """
    every = each_metric_once()
    if name in READ_BACK:
        return every[[*READ_BACK].index(name) :: len(READ_BACK)]
    if name not in ENGINES:
        return [case_by_frame(case) for case in every]
    typed = [case for case in cases() if case.name == "labels:_all_of_typed"]
    others = {}
    for case in cases():
        if case not in (*every, *typed):
            # Tables of one frame read the same rows.
            others[case.data_set, case.call.data_type, case.call.table and case.call.metrics[0].metric.frames] = case
    fast = [other for other in ENGINES if other != "spark"]
    in_turn = [*others.values()][fast.index(name) :: len(fast)] if name in fast else []
    few = [parts(case_by_frame(case), name)[0] for case in [*typed, *in_turn]]
    choices = [supported_by(name, case) for case in each_choice_once()] if name in fast else []
    return [part for case in every for part in parts(case, name)] + few + choices


@functools.cache
def expected(case: Case) -> list[Expectation]:
    """The values of the oracles, which take longer than an engine: computed once for all engines."""
    return expectations(case.data, case.call, list(case.by))


@pytest.fixture(scope="module")
def loaded(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine with the tables of its cases."""
    with ALL[request.param](tables_of(cases_on(request.param))) as engine:
        use_single_partition(engine)
        yield engine


def marks_of(name: str, case: Case) -> list[pytest.MarkDecorator]:
    """The README's command tries every metric on DuckDB; all else is slow."""
    return [] if name == "duckdb" and case in each_metric_once() else [pytest.mark.slow]


@pytest.mark.parametrize(
    ("loaded", "case"),
    [
        pytest.param(name, case, id=f"{name}-{case.name}", marks=marks_of(name, case))
        for name in ALL
        for case in cases_on(name)
    ],
    indirect=["loaded"],
    scope="module",  # else the tables would be reloaded for each case
)
def test_metrics_match_oracles(case: Case, loaded: Engine) -> None:
    result = case.evaluate(loaded)
    assert compare(result, expected(case), case.call, list(case.by)) or case.data_set == "empty"
    names = {*case.by, *(column for metric in case.call.metrics for column in metric.columns.values())}
    assert names <= {*result.columns, "group"}


@pytest.mark.slow
@pytest.mark.parametrize("loaded", ["postgres", "bigquery"], indirect=True)
def test_weights_far_from_1(loaded: Engine) -> None:
    """PostgreSQL and BigQuery raise an error when a product leaves the range of doubles."""
    calls = [(case, weighed(case.call)) for case in each_frame_once() if not case.call.table or "lift" in case.name]
    calls = [(case, call) for case, call in calls if call.metrics and scaled_roles(call, "1") != call.roles]
    assert len(calls) > 8
    for case, call in calls:
        weighted = case.of(call.metrics)
        plain, *far = (
            unscaled(call, weighted.evaluate(loaded, by="country", **scaled_roles(call, scale)), float(scale))
            for scale in ("1e0", "1e-200", "1e200")
        )
        for result in far:
            assert differences(result, plain, 1e-12) == [], case.name
