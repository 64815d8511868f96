"""The second tier of tests, which `--full` runs: what takes long, or needs more than `.[test]` brings."""

from __future__ import annotations

from typing import Any

import pytest


def full(*values: Any) -> list[Any]:
    """Values of a parameter that only the full tier tries; a tuple is one of several parameters together."""
    together = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*value, marks=pytest.mark.full) for value in together]
