"""The matrix of metrics and engines: `python -m tests.engines.report` prints the largest difference from the oracles.

The cases are those of `tests/engines/test_engines.py`. Arguments name the engines to run. A value outside the
tolerance stops the report. An engine that is not installed is skipped, with the reason on stderr. For a dialect
without an engine here, sqlglot translates the text and DuckDB runs it.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import pytest

from sqlmetrics.catalogue.registry import builtin_catalogue
from tests.engines.cases import cases, tables
from tests.engines.servers import ENGINES, READ_BACK
from tests.engines.test_engines import check
from tests.oracles import Oracle

Differences = dict[str, list[float]]


def measure(name: str) -> Differences:
    """For each metric, its difference in every case with a value of an oracle."""
    differences: Differences = defaultdict(list)

    def record(oracle: Oracle, difference: float) -> None:
        differences[oracle.metric].append(difference)

    with (ENGINES | READ_BACK)[name](tables()) as engine:
        for case in cases():
            check(case, engine, record)
    return differences


def table(names: list[str]) -> list[str]:
    """The lines of the table, one for each metric of the catalogue."""
    columns: dict[str, Differences] = {}
    for name in names:
        try:
            columns[name] = measure(name)
        except pytest.skip.Exception as missing:
            sys.stderr.write(f"{name}: {missing}\n")
    lines = [f"| metric | cases | {' | '.join(columns)} |", f"|---|---:|{'---:|' * len(columns)}"]
    for metric in builtin_catalogue().metrics:
        count = max(len(differences[metric]) for differences in columns.values())
        worst = [f"{max(differences[metric]):.1e}" for differences in columns.values()]
        lines.append(f"| {metric} | {count:,} | {' | '.join(worst)} |")
    return lines


if __name__ == "__main__":
    sys.stdout.write("\n".join(table(sys.argv[1:] or [*ENGINES, *READ_BACK])) + "\n")
