"""Setup for all tests, doctests too: only built-in metrics are registered, and slow fixtures are shared."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics import functions
from sqlmetrics.catalogue import registry
from sqlmetrics.engines import duckdb_connection


@pytest.fixture(autouse=True)
def only_builtin_metrics() -> Iterator[None]:
    """Registered metrics live as long as the process: every test starts without them."""
    before = registry._registered
    yield
    registry._registered = before


@pytest.fixture(autouse=True)
def names_of_examples(doctest_namespace: dict[str, Any]) -> None:
    """The examples of metrics do not repeat their imports."""
    doctest_namespace |= {"pd": pd, "sqlmetrics": sqlmetrics}


# Calls without a connection share an engine per process. In tests it has one thread: with few rows a second one takes
# longer, and the other processor runs other tests. Tests of threads pass their number.


def pytest_configure() -> None:
    started = duckdb_connection._started

    def start_single_threaded(until: ExitStack) -> duckdb.DuckDBPyConnection:
        engine = started(until)
        engine.execute("set threads = 1")
        return engine

    duckdb_connection._started = start_single_threaded


def pytest_collect_file(file_path: Path) -> None:
    """Build every function before its examples are collected, so that the test ids are the same in every run."""
    if str(file_path) == functions.__file__:
        for name in functions.__all__:
            getattr(functions, name)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Exempt the thousands of collected tests from garbage collection; they live to the end."""
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # else some packages report leaks


#: Fixtures that are slow to make: tests that share one run in the same process.
_SHARED = ("consumer", "messages", "loaded", "installed", "made_page", "published", "site_source", "copied_tree")
_ENGINES = ("postgres", "spark", "clickhouse", "bigquery")


def _parameters(item: pytest.Item) -> dict[str, Any]:
    callspec = getattr(item, "callspec", None)
    return {} if callspec is None else callspec.params


def _group(item: pytest.Item) -> str | None:
    """The process group of a test that shares a slow fixture; the others run in any process."""
    fixtures = getattr(item, "fixturenames", ())
    parameters = _parameters(item)
    # After a session ends, the JVM keeps its loaded and compiled classes, which a second process would lack. dbt has a
    # process of its own.
    if "spark" in fixtures or "spark" in (parameters.get(name) for name in ("loaded", "name", "engine")):
        return "dbt on spark" if "dbt" in item.path.parts else "spark"
    for fixture in _SHARED:
        if fixture in fixtures:
            value = parameters.get(fixture, "")
            return f"{item.path.stem if not value else ''} {fixture} {value}"
    return None


def _engine_of(item: pytest.Item, group: str | None) -> str | None:
    """The engine of a test, which is its marker."""
    if group in ("spark", "dbt on spark") or "spark" in item.path.stem:
        return "spark"
    return next((value for value in _parameters(item).values() if isinstance(value, str) and value in _ENGINES), None)


@pytest.hookimpl(wrapper=True, tryfirst=True)  # xdist and -m read the marks in this same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None]:
    for item in items:
        group = _group(item)
        if group is not None:
            item.add_marker(pytest.mark.xdist_group(group))
        engine = _engine_of(item, group)
        if engine is not None:
            item.add_marker(engine)
        if "dbt" in item.path.parts:
            item.add_marker("dbt")
    yield
