"""The project that uses the package, once for each engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.dbt.consumer import ENGINES, opened
from tests.dbt.hosting import Project


@pytest.fixture(scope="session", params=ENGINES)
def consumer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """The project on one engine."""
    with opened(request.param, tmp_path_factory.mktemp(request.param)) as project:
        yield project
