"""Expected values by independent code: other packages, or plain loops over the definition in a paper."""

from __future__ import annotations

import importlib
import pkgutil

from .registry import ORACLES, SKIP, Oracle, Within, expected_value, oracle

for module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{module.name}")

__all__ = ["ORACLES", "SKIP", "Oracle", "Within", "expected_value", "oracle"]
