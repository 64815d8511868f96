"""States with buckets, on DuckDB without dbt: intervals from days, against a jackknife of other tools over the log."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics as sk

import sqlmetrics
from sqlmetrics.catalogue import Catalogue, sql_root
from sqlmetrics.rendering import _Macros
from sqlmetrics.specification import metric_specs
from tests.data import slices_of
from tests.statistics.test_intervals import leaving_out_buckets

Value = Callable[[pd.DataFrame], float]
DAYS = ["2026-03-01", "2026-03-02", "2026-03-03"]
CONFIDENCE = 0.9


class States(_Macros):
    """The macros of `sql/dbt` under plain Jinja, with what dbt would tell them of its target."""

    def __init__(self, dialect: str = "duckdb") -> None:
        catalogue = Catalogue(sql_root())
        for path in (sql_root() / "dbt").glob("*.sql"):
            catalogue._add_macros(path)
        super().__init__(catalogue, dialect)
        self._environment.globals |= {
            "target": SimpleNamespace(type=dialect), "execute": True, "get_where_subquery": self.get_where_subquery
        }  # fmt: skip
        #: What a test has as `where`.
        self.where: str | None = None

    def get_where_subquery(self, relation: str) -> str:
        """dbt's: the rows of a relation that the test is of."""
        return relation if self.where is None else f"(select * from {relation} where {self.where}) dbt_subquery"

    def quote(self, name: str) -> str:
        """dbt's: a name between the quotes of its target."""
        mark = "`" if self._dialect in ("spark", "databricks", "bigquery") else '"'
        return f"{mark}{name}{mark}"

    def get_columns_in_relation(self, relation: Any) -> list[Any]:
        """dbt's: the columns of what `ref` gave."""
        return [SimpleNamespace(name=name) for name in relation.columns]


@pytest.fixture(scope="module")
def states() -> States:
    """One for all tests: the templates are compiled once."""
    return States()


@pytest.fixture(scope="module")
def log() -> pd.DataFrame:
    """Users of whom nothing is known but their clicks, some without a name, on several days."""
    rng = np.random.default_rng(3)
    rows, users = 1500, 60
    user = rng.integers(0, users, rows)
    logit = rng.normal(-0.5, 1, rows)
    clicked = rng.random(rows) < 1 / (1 + np.exp(-(logit + rng.normal(0, 0.8, users)[user])))
    return pd.DataFrame({
        "day": rng.choice(DAYS, rows), "device": rng.choice(["phone", "desktop", None], rows),
        "user_id": [None if number < 2 else f"user {number}" for number in user],
        "clicked": clicked.astype(float), "pctr": (1 / (1 + np.exp(-logit))).round(2).clip(0.01, 0.99),
        "w": rng.integers(1, 5, rows) / 2.0,
        "y": rng.normal(3, 1, rows).round(2), "y_hat": rng.normal(3, 1, rows).round(2),
    })  # fmt: skip


def bucket(user: str | None, buckets: int) -> int:
    name = "rows without a cluster" if user is None else user
    return int(hashlib.md5(name.encode()).hexdigest()[:3], 16) * buckets // 4096


def jackknife(rows: pd.DataFrame, value: Value, buckets: int) -> float:
    """The standard error from the values without each bucket of users."""
    bucket_of_row = rows["user_id"].map(lambda user: bucket(None if pd.isna(user) else user, buckets))
    values = [value(rows[bucket_of_row != left_out]) for left_out in bucket_of_row.unique()]
    count = len(values)
    return float(np.sqrt((count - 1) / count * np.sum(np.square(values - np.mean(values)))))


def kept(con: duckdb.DuckDBPyConnection, statement: Callable[[str], str]) -> None:
    """The state of each day, built on its own, as an incremental model is."""
    for number, day in enumerate(DAYS):
        text = statement(f"day = '{day}'")
        con.execute(f"{'insert into state' if number else 'create or replace table state as'}\n{text}")


def assert_sure(row: dict[str, Any], name: str, rows: pd.DataFrame, value: Value, buckets: int) -> None:
    """The value, its error and both ends."""
    assert row[name] == pytest.approx(value(rows), rel=1e-12)
    error = jackknife(rows, value, buckets)
    assert error > 0
    assert row[f"{name}_se"] == pytest.approx(error, rel=1e-9)
    reach = stats.t(buckets - 1).ppf((1 + CONFIDENCE) / 2) * error
    assert row[f"{name}_high"] - row[name] == pytest.approx(reach, rel=1e-3)
    assert row[name] - row[f"{name}_low"] == pytest.approx(reach, rel=1e-3)


def weights(rows: pd.DataFrame) -> Any:
    return rows["w"].to_numpy()


OF_SCORES: dict[str, Value] = {
    "auc": lambda d: sk.roc_auc_score(d["clicked"], d["pctr"], sample_weight=weights(d)),
    "log_loss": lambda d: sk.log_loss(d["clicked"], d["pctr"], sample_weight=weights(d)),
    "brier": lambda d: sk.brier_score_loss(d["clicked"], d["pctr"], sample_weight=weights(d)),
    "copc": lambda d: float((d["w"] * d["clicked"]).sum() / (d["w"] * d["pctr"]).sum()),
    "pcoc": lambda d: float((d["w"] * d["pctr"]).sum() / (d["w"] * d["clicked"]).sum()),
}
OF_SUMS: dict[str, Value] = {
    "mae": lambda d: sk.mean_absolute_error(d["y"], d["y_hat"]),
    "rmse": lambda d: sk.root_mean_squared_error(d["y"], d["y_hat"]),
    "max_error": lambda d: sk.max_error(d["y"], d["y_hat"]),
    "wmape": lambda d: float(100 * (d["y"] - d["y_hat"]).abs().sum() / d["y"].abs().sum()),
}


@pytest.mark.slow
@pytest.mark.parametrize("by", [[], ["device"]], ids=["overall", "by device"])
def test_exact_scores_of_days(states: States, log: pd.DataFrame, by: list[str]) -> None:
    """Weighted, in as many buckets as are asked for."""
    with duckdb.connect() as con:
        con.register("log", log)
        kept(con, lambda day: states.score_state("log", label="clicked", score="pctr", weight="w", by=["day", "device"],
                                                 where=day, buckets=12, cluster="user_id"))  # fmt: skip
        found = con.sql(states.state_metrics("state", by=by, confidence=CONFIDENCE, standard_error=True)).df()
        plain = con.sql(states.state_metrics("state", by=by)).df()
    pd.testing.assert_frame_equal(found[list(plain)], plain, rtol=1e-14)
    slices = dict(slices_of(log, by))
    assert len(found) == len(slices)
    for row in found.to_dict("records"):
        rows = slices[tuple(None if pd.isna(row[name]) else row[name] for name in by)]
        for name, value in OF_SCORES.items():
            assert_sure(row, name, rows, value, 12)


def test_sums_of_days(states: States, log: pd.DataFrame) -> None:
    with duckdb.connect() as con:
        con.register("log", log)
        kept(con, lambda day: states.metric_state("log", [*OF_SUMS], label="y", score="y_hat", by=["day", "device"],
                                                  where=day, buckets=20, cluster="user_id"))  # fmt: skip
        text = states.metrics_of_state("state", [*OF_SUMS], by="device", confidence=CONFIDENCE, standard_error=True)
        found = con.sql(text).df()
        march = con.sql(states.metrics_of_state("state", ["mae"], where=f"day >= '{DAYS[1]}'", confidence=CONFIDENCE))
        [two_days] = march.df().to_dict("records")
    slices = dict(slices_of(log, ["device"]))
    for row in found.to_dict("records"):
        rows = slices[(None if pd.isna(row["device"]) else row["device"],)]
        for name, value in OF_SUMS.items():
            if name != "max_error":
                assert_sure(row, name, rows, value, 20)
        assert row["max_error"] == pytest.approx(OF_SUMS["max_error"](rows), rel=1e-12)
        assert "max_error_se" not in row
    rows = log[log["day"] >= DAYS[1]]
    reach = stats.t(19).ppf((1 + CONFIDENCE) / 2) * jackknife(rows, OF_SUMS["mae"], 20)
    assert two_days["mae_high"] - two_days["mae"] == pytest.approx(reach, rel=1e-3)
    assert "mae_se" not in two_days


def test_intervals_of_bins_leave_out_buckets_of_the_log(states: States, log: pd.DataFrame) -> None:
    with duckdb.connect() as con:
        con.register("log", log)
        kept(con, lambda day: states.score_state("log", label="clicked", score="pctr", bins=10, by=["day"], where=day,
                                                 buckets=20, cluster="user_id"))  # fmt: skip
        found = con.sql(states.state_metrics("state", binned=True, confidence=CONFIDENCE, standard_error=True)).df()
    assert list(found)[:6] == ["n", "auc", "auc_low", "auc_high", "auc_se", "auc_lower"]
    error, _ = leaving_out_buckets(log, "user_id", ece)
    assert found["ece"][0] == pytest.approx(ece(log), rel=1e-10)
    assert found["ece_se"][0] == pytest.approx(error, rel=1e-9)


def ece(log: pd.DataFrame, bins: int = 10) -> float:
    off = (log["clicked"] - log["pctr"]).groupby(np.minimum(np.floor(log["pctr"] * bins + 1e-12), bins - 1)).sum()
    return float(off.abs().sum() / len(log))


def test_parts_of_other_buckets_have_no_interval(states: States, log: pd.DataFrame) -> None:
    """A cluster would lie in two of them. Neither has what is one bucket, or nothing."""
    with duckdb.connect() as con:
        con.register("log", log)
        keep: dict[str, Any] = {"label": "y", "score": "y_hat", "cluster": "user_id"}
        first = states.metric_state("log", ["mae"], buckets=20, by="part = 20 + 0", **keep)
        con.execute(f"create table state as {first}")
        ask = states.metrics_of_state("state", ["mae"], confidence=0.95)
        [sure] = con.sql(ask).df().to_dict("records")
        assert sure["mae_low"] < sure["mae"] < sure["mae_high"]
        second = states.metric_state("log", ["mae"], buckets=10, by="part = 10 + 0", **keep)
        con.execute(f"insert into state {second}")
        [mixed] = con.sql(ask).df().to_dict("records")
        assert mixed["n"] == 2 * len(log)
        assert mixed["mae"] == pytest.approx(sure["mae"], rel=1e-12)
        con.execute("delete from state where buckets = 10")
        con.execute("update state set bucket = null, buckets = null where bucket = 3")  # as if kept before buckets were
        [older] = con.sql(ask).df().to_dict("records")
        con.execute("delete from state where bucket is null or bucket <> 5")
        [alone] = con.sql(ask).df().to_dict("records")
        con.execute("delete from state")
        [empty] = con.sql(ask).df().to_dict("records")
    for row in (mixed, older, alone, empty):
        assert pd.isna(row["mae_low"])
        assert pd.isna(row["mae_high"])
    assert empty["n"] == 0


def test_what_is_refused(states: States) -> None:
    keep: dict[str, Any] = {"label": "y", "score": "p"}
    for call, words in [
        (lambda: states.score_state("log", **keep, buckets=20), "buckets needs cluster"),
        (lambda: states.score_state("log", **keep, cluster="u"), "cluster has a meaning with buckets only"),
        (lambda: states.metric_state("log", ["mae"], **keep, buckets=1, cluster="u"), "between 2 and 1000, not 1"),
        (lambda: states.metric_state("log", ["mae"], **keep, buckets="20", cluster="u"), "buckets must be a whole"),
        (lambda: states.metric_state("log", ["mae"], **keep, buckets=math.inf, cluster="u"), "buckets must be a whole"),
        (lambda: states.score_state("log", **keep, bins=math.inf), "bins must be a whole number >= 1, not inf"),
        (lambda: states.state_metrics("state", confidence=0.9, standard_error="no"), "standard_error must be true or"),
        (lambda: states.metric_state("log", ["mae"], **keep, buckets=9, cluster="u", by="buckets"), "by: 'buckets'"),
        (lambda: states.state_metrics("state", standard_error=True), "standard_error has a meaning with confidence"),
        (lambda: states.state_metrics("state", confidence=95), "confidence must be a number between"),
        (lambda: states.metrics_of_state("state", ["confusion_matrix"], confidence=0.9), "none of the metrics has an"),
        (lambda: states.metrics_of_state("state", ["mae"], by="mae_low", confidence=0.9), "by: the slice 'mae_low'"),
        (
            lambda: states.state_metrics(SimpleNamespace(columns=["day", "score_key"]), confidence=0.95),
            "is a state without buckets; build it with buckets=20",
        ),
    ]:
        with pytest.raises(sqlmetrics.SqlMetricsError, match=words):
            call()


@pytest.mark.parametrize("text", [
    "auc, mine = ndcg(k=10, gain='linear')", "ndcg@3(gain='linear'), ece(bins=20,)", "ece( bins = 5 )",
    "f1(threshold=-1.5)", "f1(threshold=.5, zero_division=None)", "f1(threshold=1e-3)", "f1(threshold=2.5E1)",
    "multi_log_loss(normalize=True)", "auc()", "ece(bins=05)", "ece(5)", "ece(bins=5, bins=6)", "ece(as='x')",
    "ece(name='x')", "ece(bins=5", "ece(bins=5)x", "a b = ece(bins=5)", "(bins=5)", "ece(bins=)", "ece(,)",
    "ece(bins=5 5)", "ece(=5)", "ndcg(gain='lin,ear')",
])  # fmt: skip
def test_brackets_mean_what_they_mean_in_python(states: States, text: str) -> None:
    """Read by Jinja or by Python, or refused by both."""
    try:
        known = metric_specs(text)
    except sqlmetrics.SqlMetricsError:
        with pytest.raises(sqlmetrics.SqlMetricsError, match="cannot read"):
            states.metric_specs("evaluate", text)
    else:
        assert [one.strip() if isinstance(one, str) else one for one in states.metric_specs("evaluate", text)] == known


@pytest.mark.parametrize("text", ["ece(bins=[5])", "ece(bins=1_0)", r"ndcg(gain='lin\near')", "ece(bins=0x1)"])
def test_what_only_python_reads_is_refused(states: States, text: str) -> None:
    """Never taken for something else."""
    with pytest.raises(sqlmetrics.SqlMetricsError, match=r"cannot read the arguments .* or the metric as a dict"):
        states.metric_specs("evaluate", text)
