"""The consumer project on every engine that is there: `python -m tests.dbt.report`.

Prints how far each metric is from the oracles on each engine, how long each build takes, and the metrics of a state of
five days, built one at a time, beside those of the whole log.
"""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import pandas as pd
import pytest

from tests.dbt.consumer import ENGINES, LARGEST_DIFFERENCES, opened


def main() -> None:
    """Build, and print."""
    differences: dict[str, dict[str, float]] = {}
    seconds = {}
    for name in ENGINES:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            try:
                project = stack.enter_context(opened(name, folder))
            except pytest.skip.Exception as missing:
                print(f"{name} is left out: {missing}")
                continue
            start = time.perf_counter()
            project.run("build")
            seconds[name] = time.perf_counter() - start
            differences[name] = {row["metric"]: row["difference"] for row in project.rows(LARGEST_DIFFERENCES)}
    table = pd.DataFrame(differences)
    print(table.to_string(float_format=lambda value: f"{value:.1e}"))
    print("\nseconds of dbt build:", ", ".join(f"{name} {value:.0f}" for name, value in seconds.items()))


if __name__ == "__main__":
    main()
