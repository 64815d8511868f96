"""Optional requirements of tests: skip a test without them, or fail if SQLMETRICS_REQUIRE_ALL is set."""

from __future__ import annotations

import importlib
import os
import shutil
from pathlib import Path
from typing import Any

import pytest


def unavailable(reason: str) -> None:
    """Skip the test, or fail with SQLMETRICS_REQUIRE_ALL=1."""
    if os.environ.get("SQLMETRICS_REQUIRE_ALL") == "1":
        pytest.fail(f"SQLMETRICS_REQUIRE_ALL is set, but {reason}")
    pytest.skip(reason)


def package(name: str) -> Any:
    """The module of this name."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0]:
            raise
        return unavailable(f"{error.name} is not installed")


def program(*names: str) -> str:
    """The path of the first of these programs that is installed."""
    paths = [path for path in map(shutil.which, names) if path is not None]
    if not paths:
        unavailable(f"there is no program {' or '.join(map(repr, names))}")
    return paths[0]


def real_data(name: str) -> Path:
    """A folder of the real data; skip the test if SQLMETRICS_REAL_DATA is empty."""
    root = os.environ.get("SQLMETRICS_REAL_DATA")
    if root is None:
        unavailable("SQLMETRICS_REAL_DATA does not name the folder of the real data")
    if not root:
        pytest.skip("SQLMETRICS_REAL_DATA is empty: there are no real data here")
    return Path(str(root)) / name
