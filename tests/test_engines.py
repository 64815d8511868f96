"""Every metric on every engine, on edge data, against the oracles: not against another engine."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics.engines import Engine

from .calls import quiet
from .engine_data import Case, cases, tables
from .engine_servers import ENGINES
from .test_oracles import Recorder, compare

CASES = cases()


@pytest.fixture(scope="module", params=ENGINES)
def loaded(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine that holds the tables of all cases."""
    with ENGINES[request.param](tables()) as engine:
        yield engine


def evaluate(case: Case, engine: Engine) -> pd.DataFrame:
    """The answer of an engine."""
    return quiet(
        lambda: sqlmetrics.evaluate(
            case.table,
            case.call.specs,
            **case.call.roles,
            **case.relations,
            by=list(case.by) or None,
            engine=engine,
        )
    )


def check(case: Case, engine: Engine, record: Recorder | None = None) -> pd.DataFrame:
    """Compare an engine's answer with the oracles'."""
    result = evaluate(case, engine)
    answered = compare(result, case.data, case.call, list(case.by), record)
    assert answered or case.data_set == "empty"
    return result


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_metrics(case: Case, loaded: Engine) -> None:
    result = check(case, loaded)
    expected = {*case.by, *(column for one in case.call.asked for column in one.columns.values())}
    assert expected <= {*result.columns, "group"}
