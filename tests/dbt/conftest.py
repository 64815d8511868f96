from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.dbt.consumer import Consumer, opened
from tests.dbt.test_two_hosts import models_of_texts, models_of_wrong_calls


@pytest.fixture(scope="session", params=["duckdb", "postgres"])
def consumer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Consumer]:
    """The project on one engine, built twice; on DuckDB with further models."""
    further = models_of_texts("duckdb") | models_of_wrong_calls() if request.param == "duckdb" else {}
    with opened(request.param, tmp_path_factory.mktemp(request.param), further) as consumer:
        yield consumer
