"""The consumer project on every engine that is there, or on those named: `python -m tests.dbt.report [duckdb …]`.

Prints how far each metric is from the oracles on each engine, how long each build takes, how far the metrics of states
of five days, built one at a time, are from those of the whole log, and what dbt says of a model that decayed.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
import pytest

from tests.dbt.consumer import (
    ENGINES,
    KEPT,
    LARGEST_DIFFERENCES,
    build_days,
    by_device,
    opened,
)
from tests.dbt.hosting import Project

Values = dict[str, float]

#: What stand-ins do not take: fakesnow has no temporary tables, in which unit tests and incremental models put rows;
#: crucible has none either, and does not read every quoted name.
LEFT_OUT = {
    "snowflake": ["--exclude-resource-type", "unit_test"],
    "bigquery": [
        "--exclude-resource-type", "unit_test", "--exclude", "path:models/days", "path:models/late",
        "path:models/examples", "example_differences+", "state+", "state_binned+", "odd_names+",
    ],
}  # fmt: skip


def main() -> None:
    """Build, and print."""
    from_oracles: dict[str, Values] = {}
    from_direct: dict[str, Values] = {}
    seconds: Values = {}
    bounds, decayed = "", ""
    for name in sys.argv[1:] or ENGINES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                with opened(name, Path(folder)) as project:
                    start = time.perf_counter()
                    stands_in = name in LEFT_OUT
                    project.run("build", *LEFT_OUT.get(name, []))
                    seconds[name] = time.perf_counter() - start
                    from_oracles[name] = {row["metric"]: row["difference"] for row in project.rows(LARGEST_DIFFERENCES)}
                    if not stands_in:
                        build_days(project)
                        from_direct[name] = differences_of_states(project)
                        bounds = bounds or bounds_of_bins(project)
                    decayed = decayed or message_of_a_decayed_build(project)
            except pytest.skip.Exception as missing:
                print(f"{name} is left out: {missing}")
    show("largest difference from an oracle, |a - b| / max(1, |b|), overall and on four devices", from_oracles)
    print("\nseconds of dbt build:", ", ".join(f"{name} {value:.0f}" for name, value in seconds.items()))
    show("states of five days: largest relative difference from the metric asked directly", from_direct)
    print(f"\nthe AUC from 20 bins, and directly\n{bounds}\n\n{decayed}")


def show(title: str, values: dict[str, Values]) -> None:
    """A row per metric, a column per engine."""
    print(f"\n{title}\n{pd.DataFrame(values).to_string(float_format=lambda value: f'{value:.1e}')}")


def differences_of_states(project: Project) -> Values:
    """By metric, over the devices."""
    found: Values = {}
    for kept in KEPT:
        merged, direct = by_device(project, f"{kept}_of_days"), by_device(project, f"{kept}_directly")
        for device, row in direct.items():
            for name, value in row.items():
                if name != "n":
                    difference = abs(merged[device][name] - value) / max(abs(value), 1e-300)
                    found[f"{kept}: {name}"] = max(found.get(f"{kept}: {name}", 0.0), difference)
    return found


def bounds_of_bins(project: Project) -> str:
    """The AUC of each device between its bounds."""
    binned, direct = by_device(project, "from_state_binned"), by_device(project, "scores_directly")
    rows = [
        (device, row["auc_lower"], direct[device]["auc"], row["auc"], row["auc_upper"])
        for device, row in binned.items()
    ]
    return pd.DataFrame(rows, columns=["device", "auc_lower", "direct auc", "auc of bins", "auc_upper"]).to_string()


def message_of_a_decayed_build(project: Project) -> str:
    """What dbt prints, from the first failure on."""
    _, said, _ = project.invoke("build", "--vars", "decayed: true", "--select", "impressions")
    return said[said.index("Completed with") :]


if __name__ == "__main__":
    main()
