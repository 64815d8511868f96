"""Compare each metric with its oracles: `python -m tests.oracles.report` prints a table in Markdown.

The cases are those of the tests: every variant on sample data, then random data with fixed seeds. A value that is
undefined on both sides counts as equal; a difference above the tolerance stops the report.
"""

from __future__ import annotations

import importlib.metadata
import sys
from collections import defaultdict

from tests.values import test_oracles as cases

from .registry import ORACLES, Oracle

#: The start of the name of a tool, and the package whose version is reported.
PACKAGES = {
    "a loop of scikit-learn": "scikit-learn",
    "scikit-learn": "scikit-learn",
    "scipy": "scipy",
    "trec_eval": "pytrec-eval-terrier",
    "XGBoost": "xgboost",
}


def tool_with_version(oracle: Oracle) -> str:
    package = next((package for start, package in PACKAGES.items() if oracle.tool.startswith(start)), None)
    return oracle.tool if package is None else f"{oracle.tool} ({package} {importlib.metadata.version(package)})"


def main(examples: int = 24) -> None:
    differences: dict[Oracle, list[float]] = defaultdict(list)

    def record(oracle: Oracle, difference: float) -> None:
        differences[oracle].append(difference)

    for metric in cases.METRICS.values():
        cases.check_variants(metric, cases.kinds_of(metric), record)
    for kind, any_score in cases.RANDOM:
        cases.check_random_data(kind, any_score, record, examples)
    lines = ["| metric | oracle | cases | largest difference |", "|---|---|---:|---:|"]
    for name in cases.METRICS:
        tools = "; ".join(dict.fromkeys(tool_with_version(oracle) for oracle in ORACLES[name] if differences[oracle]))
        values = [difference for oracle in ORACLES[name] for difference in differences[oracle]]
        if not values:
            raise SystemExit(f"no oracle of {name} returned a value")
        lines.append(f"| {name} | {tools} | {len(values):,} | {max(values):.1e} |")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
