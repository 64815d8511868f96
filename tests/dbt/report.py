"""Build the consumer project on each available engine, or on the named ones: `python -m tests.dbt.report [duckdb …]`.

Prints the differences of metrics from the oracles, the seconds of each build, the differences of metrics of states from
those of the whole log, and the output of dbt for a decayed model.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
import pytest

from tests.dbt.consumer import ENGINES, LARGEST_DIFFERENCES, build_days, by_device, differences_of_states, opened
from tests.dbt.hosting import Project

Values = dict[str, float]

#: What stand-ins do not support: both lack temporary tables, which unit tests and incremental models need; crucible
#: does not read every quoted name.
LEFT_OUT = {
    "snowflake": ["--exclude-resource-type", "unit_test"],
    "bigquery": [
        "--exclude-resource-type", "unit_test", "--exclude", "path:models/days", "path:models/late",
        "path:models/examples", "example_differences+", "state+", "state_binned+", "odd_names+",
    ],
}  # fmt: skip


def main() -> None:
    """Build and print."""
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
                print(f"{name} is skipped: {missing}")
    show("largest difference from an oracle, |a - b| / max(1, |b|), overall and on four devices", from_oracles)
    print("\nseconds of dbt build:", ", ".join(f"{name} {value:.0f}" for name, value in seconds.items()))
    show("states of five days: largest relative difference from the metric of the whole log", from_direct)
    print(f"\nthe AUC from 20 bins, and directly\n{bounds}\n\n{decayed}")


def show(title: str, values: dict[str, Values]) -> None:
    """A row per metric, a column per engine."""
    print(f"\n{title}\n{pd.DataFrame(values).to_string(float_format=lambda value: f'{value:.1e}')}")


def bounds_of_bins(project: Project) -> str:
    """The AUC of each device between its bounds."""
    binned, direct = by_device(project, "from_state_binned"), by_device(project, "scores_directly")
    rows = [
        (device, row["auc_lower"], direct[device]["auc"], row["auc"], row["auc_upper"])
        for device, row in binned.items()
    ]
    return pd.DataFrame(rows, columns=["device", "auc_lower", "direct auc", "auc of bins", "auc_upper"]).to_string()


def message_of_a_decayed_build(project: Project) -> str:
    """The output of dbt, from the first failure on."""
    _, output, _ = project.invoke("build", "--vars", "decayed: true", "--select", "impressions")
    return output[output.index("Completed with") :]


if __name__ == "__main__":
    main()
