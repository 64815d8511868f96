"""The matrix of metrics and engines: `python -m tests.engines.report` prints the largest difference from the oracles.

The cases are those of `tests/engines/test_engines.py`; arguments name the engines to run. A value that is not
within the tolerance stops the report; an engine that is not installed is left out, with the reason on stderr. Under a
dialect that no engine here speaks stands what DuckDB made of the text, read back.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import pytest

from sqlmetrics.catalogue import builtin_catalogue
from tests.engines.cases import cases, tables
from tests.engines.servers import ENGINES, READ_BACK
from tests.engines.test_engines import check
from tests.oracles import Oracle

Differences = dict[str, list[float]]


def measured(name: str) -> Differences:
    """For each metric, its difference in every case in which an oracle had an answer."""
    found: Differences = defaultdict(list)

    def record(oracle: Oracle, difference: float) -> None:
        found[oracle.metric].append(difference)

    with (ENGINES | READ_BACK)[name](tables()) as engine:
        for case in cases():
            check(case, engine, record)
    return found


def table(names: list[str]) -> list[str]:
    """The lines of the table, one for each metric of the catalogue."""
    columns: dict[str, Differences] = {}
    for name in names:
        try:
            columns[name] = measured(name)
        except pytest.skip.Exception as missing:
            sys.stderr.write(f"{name}: {missing}\n")
    lines = [f"| metric | cases | {' | '.join(columns)} |", f"|---|---:|{'---:|' * len(columns)}"]
    for metric in builtin_catalogue().metrics:
        asked = [len(found[metric]) for found in columns.values()]
        worst = [f"{max(found[metric]):.1e}" for found in columns.values()]
        lines.append(f"| {metric} | {max(asked):,} | {' | '.join(worst)} |")
    return lines


if __name__ == "__main__":
    sys.stdout.write("\n".join(table(sys.argv[1:] or [*ENGINES, *READ_BACK])) + "\n")
