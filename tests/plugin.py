"""What holds for every test, doctests too: only the built-in metrics are registered, and who shares a process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqlmetrics import catalogue


@pytest.fixture(autouse=True)
def only_builtin_metrics() -> Iterator[None]:
    """Registered metrics live as long as the process: every test starts without."""
    before = catalogue._registered
    yield
    catalogue._registered = before


#: Fixtures that are slow to make: tests that share one stay in one process.
_SHARED = ("consumer", "compiled", "messages", "project", "spark_address", "spark", "cluster", "loaded")


@pytest.hookimpl(tryfirst=True)  # xdist reads the marks in this very hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything else goes to whichever process is free."""
    for item in items:
        for fixture in _SHARED:
            if fixture in getattr(item, "fixturenames", ()):
                call = getattr(item, "callspec", None)
                value = call.params.get(fixture, "") if call is not None else ""
                item.add_marker(pytest.mark.xdist_group(f"{item.path.stem if not value else ''} {fixture} {value}"))
                break
