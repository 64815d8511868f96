"""The macros of states under plain Jinja: intervals from days against a jackknife of other tools, and errors."""

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

Value = Callable[[pd.DataFrame], float]
DAYS = ["2026-03-01", "2026-03-02", "2026-03-03"]


class States(_Macros):
    """The macros of `sql/dbt` under plain Jinja, with the names that dbt provides."""

    def __init__(self, dialect: str = "duckdb") -> None:
        catalogue = Catalogue(sql_root())
        for path in (sql_root() / "dbt").glob("*.sql"):
            catalogue._add_macros(path)
        super().__init__(catalogue, dialect)
        self._environment.globals |= {
            "target": SimpleNamespace(type=dialect), "execute": True, "get_where_subquery": self.get_where_subquery
        }  # fmt: skip
        self.where: str | None = None  # the `where` of a generic test

    def get_where_subquery(self, relation: str) -> str:
        """dbt's: the rows that a generic test reads."""
        return relation if self.where is None else f"(select * from {relation} where {self.where}) dbt_subquery"

    def quote(self, name: str) -> str:
        """dbt's: a quoted name."""
        mark = "`" if self._dialect in ("spark", "databricks", "bigquery") else '"'
        return f"{mark}{name}{mark}"

    def get_columns_in_relation(self, relation: Any) -> list[Any]:
        """dbt's: the columns of a `ref`."""
        return [SimpleNamespace(name=name) for name in relation.columns]


@pytest.fixture(scope="module")
def macros() -> States:
    return States()


def make_log() -> pd.DataFrame:
    """Clicks and numbers of users on several days; some users and devices are NULL."""
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


LOG = make_log()


def bucket(cluster: str | None, buckets: int) -> int:
    name = "rows without a cluster" if cluster is None or pd.isna(cluster) else cluster
    return int(hashlib.md5(name.encode()).hexdigest()[:3], 16) * buckets // 4096


def jackknife(rows: pd.DataFrame, value: Value, buckets: int, cluster: str = "user_id") -> tuple[float, int]:
    """The standard error from the values without each bucket of clusters, and the number of buckets with rows."""
    bucket_of_row = rows[cluster].map(lambda name: bucket(name, buckets))
    values = [value(rows[bucket_of_row != number]) for number in bucket_of_row.unique()]
    count = len(values)
    return float(np.sqrt((count - 1) / count * np.sum(np.square(values - np.mean(values))))), count


def ece(rows: pd.DataFrame, bins: int = 10) -> float:
    error = (rows["clicked"] - rows["pctr"]).groupby(np.minimum(np.floor(rows["pctr"] * bins + 1e-12), bins - 1)).sum()
    return float(error.abs().sum() / len(rows))


WEIGHTED_SCORES: dict[str, Value] = {
    "auc": lambda d: sk.roc_auc_score(d["clicked"], d["pctr"], sample_weight=d["w"]),
    "log_loss": lambda d: sk.log_loss(d["clicked"], d["pctr"], sample_weight=d["w"]),
    "brier": lambda d: sk.brier_score_loss(d["clicked"], d["pctr"], sample_weight=d["w"]),
    "copc": lambda d: float((d["w"] * d["clicked"]).sum() / (d["w"] * d["pctr"]).sum()),
    "pcoc": lambda d: float((d["w"] * d["pctr"]).sum() / (d["w"] * d["clicked"]).sum()),
}
BINS: dict[str, Value] = {"ece": ece, "log_loss": lambda d: sk.log_loss(d["clicked"], d["pctr"])}
SUMS: dict[str, Value] = {
    "mae": lambda d: sk.mean_absolute_error(d["y"], d["y_hat"]),
    "rmse": lambda d: sk.root_mean_squared_error(d["y"], d["y_hat"]),
    "wmape": lambda d: float(100 * (d["y"] - d["y_hat"]).abs().sum() / d["y"].abs().sum()),
}
#: Name -> buckets, the arguments of `score_state` or `metric_state`, those of the reader, and the oracles.
STATES: dict[str, tuple[int, dict[str, Any], dict[str, Any], dict[str, Value]]] = {
    "weighted scores": (12, {"label": "clicked", "score": "pctr", "weight": "w"}, {}, WEIGHTED_SCORES),
    "bins": (20, {"label": "clicked", "score": "pctr", "bins": 10}, {"binned": True}, BINS),
    "sums": (20, {"metrics": [*SUMS, "max_error"], "label": "y", "score": "y_hat"}, {}, SUMS),
}


@pytest.mark.parametrize("by", [[], ["device"]], ids=["overall", "by device"])
@pytest.mark.parametrize("name", STATES)
def test_intervals_of_days_match_jackknife_of_log(macros: States, name: str, by: list[str]) -> None:
    """The state of each day is built on its own, as in an incremental model."""
    buckets, arguments, read, values = STATES[name]
    metrics = {"metrics": arguments["metrics"]} if "metrics" in arguments else {}
    build, reader = ((macros.metric_state, macros.metrics_of_state) if metrics else
                     (macros.score_state, macros.state_metrics))  # fmt: skip
    with duckdb.connect() as con:
        con.register("log", LOG)
        for number, day in enumerate(DAYS):
            text = build("log", **arguments, by=["day", "device"], where=f"day = '{day}'", buckets=buckets,
                         cluster="user_id")  # fmt: skip
            con.execute(f"{'insert into state' if number else 'create table state as'}\n{text}")
        plain = con.sql(reader("state", **metrics, **read, by=by)).df()
        interval = {"confidence": 0.9, "standard_error": True}
        result = con.sql(reader("state", **metrics, **read, by=by, **interval)).df()
    pd.testing.assert_frame_equal(result[list(plain)], plain, rtol=1e-14)
    assert "max_error_se" not in result
    slices = dict(slices_of(LOG, by))
    assert len(result) == len(slices)
    for row in result.to_dict("records"):
        rows = slices[tuple(None if pd.isna(row[column]) else row[column] for column in by)]
        assert row["n"] == len(rows)
        for metric, value in values.items():
            error, count = jackknife(rows, value, buckets)
            assert row[metric] == pytest.approx(value(rows), rel=1e-10 if metric == "ece" else 1e-12)
            assert row[f"{metric}_se"] == pytest.approx(error, rel=1e-9)
            half_width = stats.t(count - 1).ppf(0.95) * error
            assert row[f"{metric}_high"] - row[metric] == pytest.approx(half_width, rel=1e-3)
            if row[f"{metric}_low"] > 0:
                assert row[metric] - row[f"{metric}_low"] == pytest.approx(half_width, rel=1e-3)


def test_parts_with_other_buckets_have_no_interval(macros: States) -> None:
    """Neither have parts without buckets, a single bucket, or no rows."""
    arguments: dict[str, Any] = {"label": "y", "score": "y_hat", "cluster": "user_id"}
    text = macros.metrics_of_state("state", ["mae"], confidence=0.95)
    with duckdb.connect() as con:
        con.register("log", LOG)

        def row_after(statement: str) -> dict[str, Any]:
            con.execute(statement)
            [row] = con.sql(text).df().to_dict("records")
            return row

        def state(buckets: int) -> str:
            return macros.metric_state("log", ["mae"], buckets=buckets, by=f"part = {buckets} + 0", **arguments)

        plain = row_after(f"create table state as {state(20)}")
        assert plain["mae_low"] < plain["mae"] < plain["mae_high"]
        mixed = row_after(f"insert into state {state(10)}")
        assert mixed["n"] == 2 * len(LOG)
        assert mixed["mae"] == pytest.approx(plain["mae"], rel=1e-12)
        con.execute("delete from state where buckets = 10")
        without = row_after("update state set bucket = null, buckets = null where bucket = 3")
        single = row_after("delete from state where bucket is null or bucket <> 5")
        empty = row_after("delete from state")
    for row in (mixed, without, single, empty):
        assert pd.isna([row["mae_low"], row["mae_high"]]).all()
    assert empty["n"] == 0


CLICKS = {"label": "y", "score": "p"}
BUCKETS = {**CLICKS, "cluster": "u"}
REJECTED: list[tuple[str, str, tuple[Any, ...], dict[str, Any]]] = [
    ("buckets needs cluster", "score_state", (), {**CLICKS, "buckets": 20}),
    ("cluster has a meaning with buckets only", "score_state", (), BUCKETS),
    ("between 2 and 1000, not 1", "metric_state", (["mae"],), {**BUCKETS, "buckets": 1}),
    ("buckets must be a whole", "metric_state", (["mae"],), {**BUCKETS, "buckets": "20"}),
    ("buckets must be a whole", "metric_state", (["mae"],), {**BUCKETS, "buckets": math.inf}),
    ("bins must be a whole number >= 1, not inf", "score_state", (), {**CLICKS, "bins": math.inf}),
    ("range must be the lowest and the highest", "score_state", (), {**CLICKS, "bins": 9, "range": [1, 0]}),
    ("range must be the lowest and the highest", "score_state", (), {**CLICKS, "bins": 9, "range": "0 1"}),
    ("previous_where has a meaning with", "score_state", (), {**CLICKS, "previous_where": "day = 1"}),
    ("previous_where must be", "score_state", (), {**CLICKS, "previous": "state", "previous_where": " "}),
    ("standard_error must be true or", "state_metrics", (), {"confidence": 0.9, "standard_error": "no"}),
    ("standard_error has a meaning with confidence", "state_metrics", (), {"standard_error": True}),
    ("confidence must be a number between", "state_metrics", (), {"confidence": 95}),
    ("ece needs binned=true", "state_metrics", (), {"metrics": ["ece"]}),
    ("has auc, log_loss, brier, copc, pcoc, not 'ks'", "state_metrics", (), {"metrics": ["ks"]}),
    ("by: 'buckets'", "metric_state", (["mae"],), {**BUCKETS, "buckets": 9, "by": "buckets"}),
    ("by: 'State_Key' is the name of", "metric_state", (["mae"],), {**CLICKS, "by": "State_Key"}),
    ("medae cannot be added up from parts: the median .* takes accuracy, .*, wmape", "metric_state", (["medae"],),
     CLICKS),
    ("give cluster what group is", "metric_state", ("gauc",), {**BUCKETS, "group": "s", "buckets": 9}),
    ("count different rows", "metric_state", (["mae", "gauc"],), {**CLICKS, "group": "s"}),
    ("none of the metrics has an", "metrics_of_state", (["confusion_matrix"],), {"confidence": 0.9}),
    ("by: the slice 'mae_low'", "metrics_of_state", (["mae"],), {"by": "mae_low", "confidence": 0.9}),
]  # fmt: skip


@pytest.mark.parametrize(("message", "macro", "metrics", "arguments"), REJECTED)
def test_macros_of_states_reject_invalid_arguments(
    macros: States, message: str, macro: str, metrics: tuple[Any, ...], arguments: dict[str, Any]
) -> None:
    with pytest.raises(sqlmetrics.SqlMetricsError, match=message):
        getattr(macros, macro)("log", *metrics, **arguments)


def test_state_metrics_rejects_confidence_without_buckets(macros: States) -> None:
    with pytest.raises(sqlmetrics.SqlMetricsError, match="is a state without buckets; build it with buckets=20"):
        macros.state_metrics(SimpleNamespace(columns=["day", "score_key"]), confidence=0.95)


@pytest.mark.parametrize("text", [
    "auc, mine = ndcg(k=10, gain='linear')", "ndcg@3(gain='linear'), ece(bins=20,)", "ece( bins = 5 )",
    "f1(threshold=-1.5)", "f1(threshold=.5, zero_division=None)", "f1(threshold=1e-3)", "f1(threshold=2.5E1)",
    "multi_log_loss(normalize=True)", "auc()", "ece(bins=05)", "ece(5)", "ece(bins=5, bins=6)", "ece(as='x')",
    "ece(name='x')", "ece(bins=5", "ece(bins=5)x", "a b = ece(bins=5)", "(bins=5)", "ece(bins=)", "ece(,)",
    "ece(bins=5 5)", "ece(=5)", "ndcg(gain='lin,ear')",
])  # fmt: skip
def test_macro_reads_metrics_like_python(macros: States, text: str) -> None:
    """Jinja and Python read the same arguments in brackets, or both reject them."""
    try:
        expected = metric_specs(text)
    except sqlmetrics.SqlMetricsError:
        with pytest.raises(sqlmetrics.SqlMetricsError, match="cannot read"):
            macros.metric_specs("evaluate", text)
    else:
        specs = [spec.strip() if isinstance(spec, str) else spec for spec in macros.metric_specs("evaluate", text)]
        assert specs == expected


@pytest.mark.parametrize("text", ["ece(bins=[5])", "ece(bins=1_0)", r"ndcg(gain='lin\near')", "ece(bins=0x1)"])
def test_macro_rejects_literals_of_python_alone(macros: States, text: str) -> None:
    with pytest.raises(sqlmetrics.SqlMetricsError, match=r"cannot read the arguments .* or the metric as a dict"):
        macros.metric_specs("evaluate", text)
