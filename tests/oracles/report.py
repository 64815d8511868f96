"""How near each metric comes to its oracles: `python -m tests.oracles.report` prints a table in Markdown.

The cases are those of the tests: every variant on plain data, then random data, the same on every run. A value that is
undefined on both sides counts as equal; one that is not within the tolerance stops the report.
"""

from __future__ import annotations

import importlib.metadata
import sys
from collections import defaultdict

from tests.values import test_oracles as cases

from .registry import ORACLES, Oracle

#: What a tool's name begins with, and the package whose version stands behind it.
PACKAGES = {
    "a loop of scikit-learn": "scikit-learn",
    "scikit-learn": "scikit-learn",
    "scipy": "scipy",
    "trec_eval": "pytrec-eval-terrier",
    "XGBoost": "xgboost",
}


def named(oracle: Oracle) -> str:
    """The tool with its version."""
    package = next((package for start, package in PACKAGES.items() if oracle.tool.startswith(start)), None)
    return oracle.tool if package is None else f"{oracle.tool} ({package} {importlib.metadata.version(package)})"


def measured(examples: int = 24) -> dict[Oracle, list[float]]:
    """For each oracle, its difference in every case in which it had an answer."""
    found: dict[Oracle, list[float]] = defaultdict(list)

    def record(oracle: Oracle, difference: float) -> None:
        found[oracle].append(difference)

    for metric in cases.METRICS.values():
        cases.check_variants(metric, cases.kinds_of(metric), record)
    for kind, any_score in cases.RANDOM:
        cases.check_random_data(kind, any_score, record, examples)
    return found


def table() -> list[str]:
    """The lines of the table, one for each metric of the catalogue."""
    found = measured()
    lines = ["| metric | oracle | cases | largest difference |", "|---|---|---:|---:|"]
    for name in cases.METRICS:
        oracles = [oracle for oracle in ORACLES[name] if found[oracle]]
        tools = "; ".join(dict.fromkeys(map(named, oracles)))
        differences = [difference for oracle in oracles for difference in found[oracle]]
        if not differences:
            raise SystemExit(f"no oracle of {name} had an answer")
        lines.append(f"| {name} | {tools} | {len(differences):,} | {max(differences):.1e} |")
    return lines


if __name__ == "__main__":
    sys.stdout.write("\n".join(table()) + "\n")
