"""What holds for every test, doctests too: its tier, only the built-in metrics registered, and who shares a process."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics import catalogue


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


# The tiers: without --full the tests marked `full` are left out. They are deselected, not skipped: a skip is a gap.

_LEFT_OUT = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("sqlmetrics").addoption(
        "--full",
        action="store_true",
        help="also run the tests marked `full`: dbt, the other engines, rendered dialects, every variant of every "
        "metric under every contract, other writers of parquet, more random data (with `-m full` only these)",
    )


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
        terminalreporter.write_line(f"{left_out:,} tests of the full tier were left out: --full runs them too")


#: Fixtures that are slow to make: tests that share one stay in one process.
_SHARED = ("consumer", "compiled", "messages", "project", "spark_address", "spark", "cluster", "loaded")


@pytest.hookimpl(wrapper=True, tryfirst=True)  # xdist reads the marks in this very hook, before it goes on
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Everything else goes to whichever process is free; what -k and -m left is then cut to the tier."""
    for item in items:
        for fixture in _SHARED:
            if fixture in getattr(item, "fixturenames", ()):
                call = getattr(item, "callspec", None)
                value = call.params.get(fixture, "") if call is not None else ""
                item.add_marker(pytest.mark.xdist_group(f"{item.path.stem if not value else ''} {fixture} {value}"))
                break
    yield
    if config.getoption("--full"):
        return
    left_out = [item for item in items if item.get_closest_marker("full")]
    items[:] = [item for item in items if not item.get_closest_marker("full")]
    config.stash[_LEFT_OUT] = len(left_out)
    config.hook.pytest_deselected(items=left_out)
