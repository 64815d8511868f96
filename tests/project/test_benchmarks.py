"""The benchmark runs, and its cases have distinct names. The times are not tested."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.benchmarks import every_metric
from tests.benchmarks.cases import Bench, cases


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with duckdb.connect() as connection:
        yield Bench(tmp_path_factory.mktemp("bench"), 1000, connection, 2)


@pytest.mark.slow
@pytest.mark.parametrize("family", cases(Bench(Path(), 0, duckdb.connect(), 2)))
def test_cases_run(family: str, bench: Bench) -> None:
    """The cases of all metrics include new metrics, whose columns the log may lack."""
    of_family = cases(bench)[family]()
    assert of_family
    for case in of_family:
        assert case.contenders["sqlmetrics"]() is not None, case.name


@pytest.mark.slow
def test_every_metric_has_a_row(bench: Bench) -> None:
    """The log has the columns of a new metric, and every metric in the settings exists."""
    results = every_metric.results(bench)
    for case in results:
        assert case.contenders["sqlmetrics"]() is not None, case.name
    assert {*every_metric.BARS, *every_metric.PEERS, *every_metric.CALLS} <= {case.name for case in results}
