"""Values that take longer to compute than to read, in Python's folder for bytecode."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pickle
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


def cached(name: str, files: Iterable[Path], compute: Callable[[], Any]) -> Any:
    """Return a value that depends on files, stored until the size or the time of change of one of them is another.

    Python itself detects changes of modules in this way. Without write access nothing is stored.
    """
    seen = [(str(file), (status := file.stat()).st_mtime_ns, status.st_size) for file in files]
    path = Path(importlib.util.cache_from_source(__file__)).with_name(f"{name}.{sys.implementation.cache_tag}.pickle")
    with contextlib.suppress(OSError, EOFError, ValueError, pickle.UnpicklingError), path.open("rb") as stored:
        if pickle.load(stored) == seen:
            return pickle.load(stored)
    value = compute()
    if not sys.dont_write_bytecode:
        written = path.with_name(f"{path.name}.{os.getpid()}")
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                written.write_bytes(pickle.dumps(seen) + pickle.dumps(value))
                written.replace(path)  # another process reads the old file or the new one
            finally:
                written.unlink(missing_ok=True)
    return value
