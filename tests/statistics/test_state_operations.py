"""States after runs with other metrics, columns and rows: they have the values of the last run, or are rejected."""

from __future__ import annotations

from typing import Any

import duckdb
import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics.planning.metric_spec import metric_specs
from tests.parameters import slow
from tests.statistics.test_state_settings import LOG as MONTH
from tests.statistics.test_states import States

CLICKS: dict[str, Any] = {"label": "clicked", "score": "pctr"}
ARGUMENTS: dict[str, Any] = {**CLICKS, "by": ["day", "device"]}
MACROS = States()


LOG = MONTH[:80].assign(day=lambda d: d.index % 2 + 1)
HALF, THIRD = "recall(threshold=0.5)", "recall(threshold=0.3)"  # which share their columns


@pytest.mark.parametrize(("metrics", "days", "on_schema_change", "read", "rejected"), slow(
    (["copc", "brier"], "1, 2", "append_new_columns", ["copc", "brier"], [HALF]),
    (["copc", "brier"], "2", "append_new_columns", ["copc"], ["brier", HALF]),
    (["copc", "brier"], "1, 2", "ignore", ["copc"], ["brier", HALF]),
    (["copc", THIRD], "1, 2", "ignore", ["copc", THIRD], [HALF]),
    ([HALF, "copc"], "1", "ignore", ["copc", HALF], [THIRD, "brier"]),
))  # fmt: skip
def test_second_run_of_incremental_model(
    metrics: list[str], days: str, on_schema_change: str, read: list[str], rejected: list[str]
) -> None:
    """The rows of some days are corrected, and built with other metrics than before."""
    built_again = LOG["day"].astype(str).isin(days.split(", "))
    corrected = LOG.assign(clicked=LOG["clicked"].mask(built_again & (LOG.index % 3 == 0), 0.0))
    with duckdb.connect() as con:

        def columns(table: str) -> set[str]:
            return {str(name) for name, *_ in con.sql(f"describe {table}").fetchall()}

        con.register("log", LOG)
        con.execute(f"create table state as {MACROS.metric_state('log', metric_specs(['copc', HALF]), **ARGUMENTS)}")
        con.register("log", corrected)
        options = {**ARGUMENTS, "where": f"day in ({days})", "previous": "state"}
        text = MACROS.metric_state("log", metric_specs(metrics), **options)
        con.execute(f"create table built as {text}")
        if on_schema_change != "ignore":
            for name in columns("built") - columns("state"):
                con.execute(f"alter table state add column {name} double")
        names = ", ".join(columns("built") & columns("state"))
        con.execute("delete from state where state_key in (select state_key from built)")
        con.execute(f"insert into state by name select {names} from built")
        for metric in read:
            [result] = con.sql(MACROS.metrics_of_state("state", metric_specs([metric]))).df().to_dict("records")
            [expected] = sqlmetrics.evaluate(corrected, metric, **CLICKS).to_dict("records")
            assert result == pytest.approx(expected, rel=1e-12)
        for metric in rejected:
            with pytest.raises(duckdb.Error, match=r"not made for|not found in FROM"):
                con.sql(MACROS.metrics_of_state("state", metric_specs([metric]))).fetchall()


def test_pre_aggregated_rows_count_impressions() -> None:
    rows = pd.DataFrame({"day": [1, 1, 2], "s": [0.5, 0.25, 0.5], "c": [3, 1, 2], "n": [10, 20, 12]})
    roles: dict[str, Any] = {"score": "s", "positives": "c", "by": "day"}
    for metrics in (None, ["copc"]):
        state = sqlmetrics.state(rows, metrics, **roles, total="n")
        assert sqlmetrics.evaluate_states(state, "copc")["n"].tolist() == [42]
        assert sqlmetrics.evaluate_states(state, "copc")["copc"][0] == pytest.approx(6 / (5 + 5 + 6), rel=1e-12)
