"""The benchmark can be run as it stands, and its figures are told apart; what it measures no test asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.benchmarks import report
from tests.benchmarks.cases import Bench, cases


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Hardly any data."""
    with duckdb.connect() as connection:
        yield Bench(tmp_path_factory.mktemp("bench"), 1000, connection, 2)


@pytest.mark.slow
@pytest.mark.parametrize("family", cases(Bench(Path(), 0, duckdb.connect(), 2)))
def test_every_case_can_be_run(family: str, bench: Bench) -> None:
    """A metric that is new is asked for by cases of all metrics, which may not have what it needs."""
    made = cases(bench)[family]()
    assert made
    for case in made:
        found = case.contenders["sqlmetrics"]()
        assert found is not None, case.name


@pytest.mark.parametrize("engine", report.ENGINES)
@pytest.mark.parametrize("run", report.RUNS)
def test_figures_are_told_apart_by_the_names_of_their_cases(engine: str, run: str) -> None:
    path, _ = report.ENGINES[engine]
    names = [result["case"] for result in report.read(path, run)["results"]]
    assert len(set(names)) == len(names) > 0
