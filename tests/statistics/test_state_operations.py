"""Random days, reruns, schema changes and deletions: a state gives the values of its last runs, or rejects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

import sqlmetrics
from sqlmetrics.planning.metric_spec import metric_specs
from tests.statistics.test_states import States

DAYS = ["2026-03-01", "2026-03-02"]
ARGUMENTS: dict[str, Any] = {"label": "clicked", "score": "pctr", "by": ["day", "device"]}
#: Each metric of the state with its value over rows of the log; the recalls share columns with other metrics.
VALUES: dict[str, Callable[[pd.DataFrame], float]] = {
    "copc": lambda d: float(d["clicked"].sum() / d["pctr"].sum()),
    "brier": lambda d: sk.brier_score_loss(d["clicked"], d["pctr"]),
    "recall(threshold=0.5)": lambda d: sk.recall_score(d["clicked"], d["pctr"] >= 0.5, zero_division=np.nan),
    "recall(threshold=0.3)": lambda d: sk.recall_score(d["clicked"], d["pctr"] >= 0.3, zero_division=np.nan),
}
#: The columns that each metric reads.
SUMS = {"copc": {"positives", "score_sum"}, "brier": {"brier_sum", "weight"}}
SUMS |= {name: {"recall_true_positives", "positives"} for name in VALUES if name.startswith("recall")}
MACROS = States()


def make_log(rng: np.random.Generator, rows: int = 40) -> pd.DataFrame:
    return pd.DataFrame({
        "day": rng.choice(DAYS, rows), "device": rng.choice(["phone", "desktop", None], rows),
        "clicked": rng.integers(0, 2, rows).astype(float), "pctr": rng.integers(1, 100, rows) / 100,
    })  # fmt: skip


class Model:
    """A state in a table, as an incremental model of dbt stores it, next to the rows that each day was built from."""

    def __init__(self, con: duckdb.DuckDBPyConnection, log: pd.DataFrame) -> None:
        self.con, self.log = con, log
        self.days: dict[str, pd.DataFrame] = {}
        self.stored: dict[str, tuple[set[str], set[str]]] = {}  # day -> metrics and columns of its last run
        self.is_doubled = False

    def columns(self, table: str) -> set[str]:
        return {str(name) for name, *_ in self.con.sql(f"describe {table}").fetchall()}

    def run(self, day: str, metrics: list[str], strategy: str, on_schema_change: str) -> None:
        """Run the model for a day with an incremental strategy and an `on_schema_change` of dbt."""
        self.con.register("log", self.log)
        is_first = not self.con.sql("select 1 from duckdb_tables() where table_name = 'state'").fetchall()
        previous = None if is_first else "state"
        text = MACROS.metric_state("log", metric_specs(metrics), **ARGUMENTS, where=f"day = '{day}'", previous=previous)
        self.con.execute(f"create or replace table built as {text}")
        if is_first:
            self.con.execute("create table state as select * from built limit 0")
        if on_schema_change != "ignore":
            for name in sorted(self.columns("built") - self.columns("state")):
                self.con.execute(f"alter table state add column {name} double")
        if on_schema_change == "sync_all_columns":
            for name in sorted(self.columns("state") - self.columns("built")):
                self.con.execute(f"alter table state drop column {name}")
                self.stored = {key: (known, sums - {name}) for key, (known, sums) in self.stored.items()}
        names = self.columns("built") & self.columns("state")
        if strategy == "delete+insert":
            self.con.execute("delete from state where state_key in (select state_key from built)")
        elif self.con.sql("select 1 from state where state_key in (select state_key from built)").fetchall():
            self.is_doubled = True
        self.con.execute(f"insert into state by name select {', '.join(names)} from built")
        self.days[day] = self.log[self.log["day"] == day]
        self.stored[day] = ({*metrics}, names)

    def expected(self, metric: str) -> pd.DataFrame | None:
        """The rows that the metric covers; None where the state must reject it."""
        parts = [day for day, rows in self.days.items() if len(rows)]
        if self.is_doubled or any(
            metric not in self.stored[day][0] or SUMS[metric] - self.stored[day][1] for day in parts
        ):
            return None
        return pd.concat([self.days[day] for day in parts]) if parts else self.log.head(0)


@pytest.mark.parametrize("seed", range(4))
def test_state_after_random_runs_is_right_or_rejects(seed: int) -> None:
    rng = np.random.default_rng(seed)
    outcomes = set()
    with duckdb.connect() as con:
        model = Model(con, make_log(rng))
        strategy = "append" if seed == 3 else "delete+insert"
        metrics = ["copc", "recall(threshold=0.5)"]
        for _ in range(8):
            operation = rng.choice(["run", "delete", "correct", "metrics"], p=[0.35, 0.1, 0.15, 0.4])
            day = str(rng.choice(DAYS))
            if operation == "delete":
                model.log = model.log[model.log["day"] != day]
            elif operation == "correct":
                model.log = model.log.assign(clicked=lambda d: d["clicked"].where(rng.random(len(d)) < 0.7, 0.0))
            elif operation == "metrics":
                recall = str(rng.choice(["recall(threshold=0.5)", "recall(threshold=0.3)"]))
                metrics = ["copc", recall, *(["brier"] if rng.random() < 0.8 else [])]
            change = str(rng.choice(["ignore", "append_new_columns", "sync_all_columns"], p=[0.4, 0.4, 0.2]))
            model.run(day, metrics, strategy, change)
            for metric, value in VALUES.items():
                rows = model.expected(metric)
                text = MACROS.metrics_of_state("state", metric_specs([metric]))
                outcomes.add(rows is None)
                if rows is None:
                    with pytest.raises(duckdb.Error, match=r"distinct state_key|not made for|not found in FROM"):
                        con.sql(text).fetchall()
                elif len(rows):
                    [(n, result)] = con.sql(text).fetchall()
                    assert n == len(rows)
                    result = np.nan if result is None else result
                    assert result == pytest.approx(value(rows), rel=1e-12, nan_ok=True)
    assert outcomes == {True, False}


def test_pre_aggregated_rows_count_impressions() -> None:
    rows = pd.DataFrame({"day": [1, 1, 2], "s": [0.5, 0.25, 0.5], "c": [3, 1, 2], "n": [10, 20, 12]})
    roles: dict[str, Any] = {"score": "s", "positives": "c", "by": "day"}
    for metrics in (None, ["copc"]):
        state = sqlmetrics.state(rows, metrics, **roles, total="n")
        assert sqlmetrics.evaluate_states(state, "copc")["n"].tolist() == [42]
        fractions = sqlmetrics.state(rows, metrics, **{**roles, "positives": "= c / 100"}, total="= n / 100")
        result = sqlmetrics.evaluate_states(fractions, "copc")
        assert result["n"].tolist() == [0]
        assert result["copc"][0] == pytest.approx(6 / (5 + 5 + 6), rel=1e-12)


def test_score_drift_rejects_duplicate_parts() -> None:
    """A part may be on both sides, but on each side once."""
    rows = make_log(np.random.default_rng(1))
    with duckdb.connect() as con:
        con.register("log", rows)
        con.execute(f"create table state as {MACROS.score_state('log', **ARGUMENTS)}")
        drift = MACROS.score_drift("state", current="device = 'phone'", reference="1 = 1")
        [(n, n_reference, *_)] = con.sql(drift).fetchall()
        assert (n, n_reference) == ((rows["device"] == "phone").sum(), len(rows))
        con.execute("insert into state select * from state where device = 'desktop'")
        with pytest.raises(duckdb.Error, match=r"score_drift: .* distinct state_key: some parts are there twice"):
            con.sql(drift).fetchall()
