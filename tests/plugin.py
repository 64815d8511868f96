"""What holds for every test, doctests too: its tier, only the built-in metrics registered, what is shared."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import duckdb
import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics import catalogue, connections

from .tiers import draw, share


@pytest.fixture(autouse=True)
def only_builtin_metrics() -> Iterator[None]:
    """Registered metrics live as long as the process: every test starts without."""
    before = catalogue._registered
    yield
    catalogue._registered = before


@pytest.fixture(autouse=True)
def names_of_examples(doctest_namespace: dict[str, Any]) -> None:
    """The examples of functions.py do not repeat their imports."""
    doctest_namespace |= {"pd": pd, "sqlmetrics": sqlmetrics}


# Calls without a connection share an engine of their process. In the fast tier it has one thread: of a few rows a
# second one takes longer, and the other processor has tests of its own. In the full tier it is as users have it.


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--full"):
        return
    started = connections._started

    def of_one_thread(until: ExitStack) -> duckdb.DuckDBPyConnection:
        engine = started(until)
        engine.execute("set threads = 1")
        return engine

    connections._started = of_one_thread


# The tiers: without --full the tests marked `full` are left out. They are deselected, not skipped: a skip is a gap.

_LEFT_OUT = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("sqlmetrics").addoption(
        "--full",
        action="store_true",
        help="also run the tests marked `full`: dbt, the other engines, rendered dialects, every variant of every "
        "metric under every contract, other writers of parquet, more random data (with `-m full` only these)",
    )
    parser.getgroup("sqlmetrics").addoption(
        "--share", metavar="SEED", help="with --full: of each of its tests one value in eight, drawn by the seed"
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """The collector of garbage need not look again and again at ten thousand tests, which stay to the end."""
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # what is never collected, some packages report as leaks


def pytest_report_header(config: pytest.Config) -> str:
    return "tier: full" if config.getoption("--full") else "tier: fast; --full runs the rest too"


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A process of xdist's tells the one that reports."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(_LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """All processes collect the same."""
    node.config.stash[_LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    left_out = config.stash.get(_LEFT_OUT, 0)
    if left_out:
        how = "--full without --share" if config.getoption("--share") else "--full"
        terminalreporter.write_line(f"{left_out:,} tests of the full tier were left out: {how} runs them too")


#: Fixtures that are slow to make: tests that share one stay in one process.
_SHARED = (
    "consumer", "compiled", "messages", "project", "spark_address", "workers", "loaded", "installed", "written",
    "made_page", "published",
)  # fmt: skip
_ENGINES = ("duckdb", "postgres", "spark", "clickhouse", "bigquery")
#: Names of parameters whose value may be an engine; where it is Spark in this process, so is the fixture of that name.
_OF_ENGINES = ("loaded", "name")


def _group(item: pytest.Item) -> str | None:
    """The tests with which a test shares what is slow to make; none shares with those that go wherever is room."""
    fixtures = getattr(item, "fixturenames", ())
    call = getattr(item, "callspec", None)
    given = call.params if call is not None else {}
    # A session ends with its tests, while Java stays, with what it has loaded and compiled, for the next one's: a
    # second process would start anew with all of that.
    if "spark" in fixtures or item.name == "test_spark_writes_nan_too":
        return "spark"
    if any(given.get(name) == "spark" for name in _OF_ENGINES):
        return "spark"
    return _shared_by(item)


def _shared_by(item: pytest.Item, fixtures_of: Sequence[str] = _SHARED) -> str | None:
    """The fixture that is slow to make, and its value."""
    fixtures = getattr(item, "fixturenames", ())
    call = getattr(item, "callspec", None)
    given = call.params if call is not None else {}
    for fixture in fixtures_of:
        if fixture in fixtures:
            value = given.get(fixture, "")
            return f"{item.path.stem if not value else ''} {fixture} {value}"
    return None


def _engine_of(item: pytest.Item) -> str | None:
    """The engine that a test is run on, where its values name one."""
    if _group(item) == "spark":
        return "spark"
    call = getattr(item, "callspec", None)
    given = call.params.values() if call is not None else []
    return next((one for one in given if isinstance(one, str) and one in _ENGINES), None)


@pytest.hookimpl(wrapper=True, tryfirst=True)  # xdist reads the marks in this very hook, before it goes on
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Everything else goes to whichever process is free; what -k and -m left is then cut to the tier."""
    draw(items)
    for item in items:
        group = _group(item)
        if group is not None:
            item.add_marker(pytest.mark.xdist_group(group))
    yield
    if config.getoption("--full"):
        seed = config.getoption("--share")
        # An engine is loaded in a moment, while a project is built for as long as all of its tests take.
        built = ("consumer", "compiled", "made_page")
        left = share(items, _engine_of, lambda item: _shared_by(item, built), seed) if seed else set()
    else:
        left = {item for item in items if item.get_closest_marker("full")}
    if not left:
        return
    left_out = [item for item in items if item in left]
    items[:] = [item for item in items if item not in left]
    config.stash[_LEFT_OUT] = len(left_out)
    config.hook.pytest_deselected(items=left_out)
