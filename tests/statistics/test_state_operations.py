"""Random days, reruns, schema changes and deletions: a state says what the rows of its last runs say, or refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

import sqlmetrics
from tests.statistics.test_states import States

DAYS = ["2026-03-01", "2026-03-02"]
GIVEN: dict[str, Any] = {"label": "clicked", "score": "pctr", "by": ["day", "device"]}
#: The metrics of a state, each with its value over rows of the log; two of them share a column with others.
VALUES: dict[str, Callable[[pd.DataFrame], float]] = {
    "copc": lambda d: float(d["clicked"].sum() / d["pctr"].sum()),
    "brier": lambda d: sk.brier_score_loss(d["clicked"], d["pctr"]),
    "recall(threshold=0.5)": lambda d: sk.recall_score(d["clicked"], d["pctr"] >= 0.5, zero_division=np.nan),
    "recall(threshold=0.3)": lambda d: sk.recall_score(d["clicked"], d["pctr"] >= 0.3, zero_division=np.nan),
}
#: The sums that tell whether a part has the metric.
SUMS = {"copc": {"positives", "score_sum"}, "brier": {"brier_sum", "weight"}}
SUMS |= {name: {"recall_true_positives", "positives"} for name in VALUES if name.startswith("recall")}


def make_log(rng: np.random.Generator, rows: int = 40) -> pd.DataFrame:
    return pd.DataFrame({
        "day": rng.choice(DAYS, rows), "device": rng.choice(["phone", "desktop", None], rows),
        "clicked": rng.integers(0, 2, rows).astype(float), "pctr": rng.integers(1, 100, rows) / 100,
    })  # fmt: skip


class Model:
    """A state in a table, as dbt keeps it, beside what is known of its days."""

    def __init__(self, states: States, con: duckdb.DuckDBPyConnection, log: pd.DataFrame) -> None:
        self.states, self.con, self.log = states, con, log
        self.days: dict[str, pd.DataFrame] = {}
        self.kept: dict[str, tuple[set[str], set[str]]] = {}
        self.doubled: set[str] = set()

    def columns(self, table: str) -> list[str]:
        return [str(name) for name, *_ in self.con.sql(f"describe {table}").fetchall()]

    def run(self, day: str, metrics: list[str], strategy: str, schema_change: str) -> None:
        """One run of the model for a day, by an incremental strategy and an `on_schema_change` of dbt's."""
        self.con.register("log", self.log)
        first = not self.con.sql("select 1 from duckdb_tables() where table_name = 'kept'").fetchall()
        text = self.states.metric_state(
            "log", metrics, **GIVEN, where=f"day = '{day}'", previous=None if first else "kept"
        )
        self.con.execute(f"create or replace table built as {text}")
        if first:
            self.con.execute("create table kept as select * from built limit 0")
        if schema_change != "ignore":
            for name in set(self.columns("built")) - set(self.columns("kept")):
                self.con.execute(f"alter table kept add column {name} double")
        if schema_change == "sync_all_columns":
            for name in set(self.columns("kept")) - set(self.columns("built")):
                self.con.execute(f"alter table kept drop column {name}")
                self.kept = {one: (known, sums - {name}) for one, (known, sums) in self.kept.items()}
        names = [name for name in self.columns("built") if name in self.columns("kept")]
        if strategy == "delete+insert":
            self.con.execute("delete from kept where state_key in (select state_key from built)")
        elif self.con.sql("select 1 from kept where state_key in (select state_key from built)").fetchall():
            self.doubled.add(day)
        self.con.execute(f"insert into kept by name select {', '.join(names)} from built")
        self.days[day] = self.log[self.log["day"] == day]
        self.kept[day] = ({*metrics}, {*names})

    def expected(self, metric: str) -> pd.DataFrame | None:
        """The rows that the metric is of; None where it must be refused."""
        parts = [day for day, rows in self.days.items() if len(rows)]
        if self.doubled or any(metric not in self.kept[day][0] or SUMS[metric] - self.kept[day][1] for day in parts):
            return None
        return pd.concat([self.days[day] for day in parts]) if parts else self.log.head(0)


@pytest.mark.parametrize("seed", range(10))
def test_a_read_is_right_or_refused(seed: int) -> None:
    rng = np.random.default_rng(seed)
    states = _STATES
    with duckdb.connect() as con:
        model = Model(states, con, make_log(rng))
        strategy = str(rng.choice(["append", "delete+insert"], p=[0.2, 0.8]))
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
                text = states.metrics_of_state("kept", [metric])
                if rows is None:
                    with pytest.raises(duckdb.Error, match=r"distinct state_key|not made for|not found in FROM"):
                        con.sql(text).fetchall()
                elif len(rows):
                    [(n, found)] = con.sql(text).fetchall()
                    assert n == len(rows)
                    known = np.nan if found is None else found
                    assert known == pytest.approx(value(rows), rel=1e-12, nan_ok=True)


_STATES = States()


def test_parts_of_pre_aggregated_rows_count_what_they_stand_for() -> None:
    """`n` of a state is that of the clicks and impressions, whole numbers or not."""
    rows = pd.DataFrame({"day": [1, 1, 2], "s": [0.5, 0.25, 0.5], "c": [3, 1, 2], "n": [10, 20, 12]})
    roles: dict[str, Any] = {"score": "s", "positives": "c", "by": "day"}
    for metrics in (None, ["copc"]):
        made = sqlmetrics.state(rows, metrics, **roles, total="n")
        assert sqlmetrics.evaluate_states(made, "copc")["n"].tolist() == [42]
        decayed = sqlmetrics.state(rows, metrics, **{**roles, "positives": "= c / 100"}, total="= n / 100")
        found = sqlmetrics.evaluate_states(decayed, "copc")
        assert found["n"].tolist() == [0]
        assert found["copc"][0] == pytest.approx(6 / (5 + 5 + 6), rel=1e-12)


def test_a_drift_of_parts_that_are_there_twice_is_refused() -> None:
    """A part may be on both sides, but on neither twice."""
    rows = make_log(np.random.default_rng(1))
    with duckdb.connect() as con:
        con.register("log", rows)
        con.execute(f"create table kept as {_STATES.score_state('log', **GIVEN)}")
        drift = _STATES.score_drift("kept", current="device = 'phone'", reference="1 = 1")
        [(n, n_reference, *_)] = con.sql(drift).fetchall()
        assert (n, n_reference) == ((rows["device"] == "phone").sum(), len(rows))
        con.execute("insert into kept select * from kept where device = 'desktop'")
        with pytest.raises(duckdb.Error, match=r"score_drift: .* distinct state_key: some parts are there twice"):
            con.sql(drift).fetchall()
