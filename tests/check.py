"""The tests of a new or changed metric, in seconds: `python -m tests.check NAME`.

They cover its oracles for every parameter on every type of data, each contract for this metric, and its range. They
also cover the text in every dialect and the snapshot, which `--snapshot-update` writes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.errors import BadMetricFile, did_you_mean

#: Files of tests with the metric in their names, and of tests over all calls, which SQLMETRICS_CHECK restricts to the
#: metric.
_BY_NAME = ("values/test_oracles", "output/test_generated", "values/test_names")
_BY_CALLS = ("invariants/test_contracts", "invariants/test_disguises", "invariants/test_ranges")
#: Tests that need all metrics together.
_LEFT_OUT = (
    "test_every_metric_is_under_contract",
    "test_missing_values_are_dropped_and_counted",
)


def command(name: str, *options: str) -> list[str]:
    """The command that runs the tests of a metric."""
    files = [f"tests/{file}.py" for file in (*_BY_NAME, *_BY_CALLS)]
    patterns = [f"[{name}]", f"[{name}-", f"-{name}]", *(f"{Path(file).name}.py" for file in _BY_CALLS)]
    chosen = " and not ".join([f"({' or '.join(patterns)})", *_LEFT_OUT])
    return [sys.executable, "-m", "pytest", "-m", "", "-q", "-k", chosen, *files, *options]


def main() -> int:
    """Run the tests; the exit code is that of pytest."""
    name, *options = sys.argv[1:] or [""]
    try:
        metrics = builtin_catalogue().metrics
    except BadMetricFile as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    if name not in metrics:
        sys.stderr.write(f"there is no metric {name!r}{did_you_mean(name, metrics)}: python -m tests.check NAME\n")
        return 2
    environment = {**os.environ, "SQLMETRICS_CHECK": name}
    return subprocess.run(command(name, *options), env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
