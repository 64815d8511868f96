"""Registered metrics live as long as the process: every test, doctests too, starts from the built-in ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqlmetrics import catalogue


@pytest.fixture(autouse=True)
def only_builtin_metrics() -> Iterator[None]:
    before = catalogue._registered
    yield
    catalogue._registered = before
