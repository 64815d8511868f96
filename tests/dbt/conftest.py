"""The project that uses the package, once for each engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.dbt.consumer import ENGINES, SOURCE, fill
from tests.dbt.hosting import Project, engine, make_project


@pytest.fixture(scope="session", params=ENGINES)
def consumer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """The project on one engine, with its data, in a dbt process that stays."""
    folder = tmp_path_factory.mktemp(request.param)
    with engine(request.param, folder) as output:
        make_project(folder / "project", {request.param: output}, SOURCE)
        fill(folder / "project", "table" if request.param == "spark" else "view")
        project = Project(folder / "project")
        yield project
        project.close()
