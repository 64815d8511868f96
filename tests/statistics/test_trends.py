"""Trends of a metric and drifts of scores, on DuckDB and PostgreSQL, against numpy and scipy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats
from sklearn import metrics as sk

import sqlmetrics
from tests.engines.servers import ENGINES
from tests.statistics.test_state_settings import Engine
from tests.statistics.test_states import States

DAYS = [f"2026-03-{day:02}" for day in range(1, 22)]


def make_log() -> pd.DataFrame:
    """Three weeks; on the last day the model is broken on phones, and half of its scores are lower."""
    rng = np.random.default_rng(5)
    rows = 8400
    day = rng.integers(0, len(DAYS), rows)
    device = rng.choice(["phone", "desktop", None], rows)
    logit = rng.normal(-0.5, 1, rows)
    clicked = rng.random(rows) < 1 / (1 + np.exp(-logit))
    broken = (day == len(DAYS) - 1) & (device == "phone")
    seen = np.where(broken, rng.normal(-1.5, 1, rows), logit)
    return pd.DataFrame({
        "day": np.array(DAYS)[day], "device": device, "user_id": [f"u{n}" for n in rng.integers(0, 300, rows)],
        "clicked": clicked.astype(float), "pctr": (1 / (1 + np.exp(-seen))).round(4),
    })  # fmt: skip


LOG = make_log()
CLICKS: dict[str, Any] = {"label": "clicked", "score": "pctr"}
TEST: dict[str, Any] = {"relations": {}, "trailing": 14, "better": None, "tolerance": 0, "deviations": 3.5,
                        "min_periods": None, "min_rows": 1, "max_dropped": None,
                        "confidence": None, "cluster": None}  # fmt: skip


@pytest.fixture(scope="module", params=["duckdb", pytest.param("postgres", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with ENGINES[request.param]({"log": pa.Table.from_pandas(LOG, preserve_index=False)}) as opened:
        yield Engine(opened)


def failures(engine: Engine, metric: Any, roles: dict[str, Any], **given: Any) -> pd.DataFrame:
    """The rows of the test `metric_not_falling`."""
    choices = {**TEST, **given}
    relation = choices.pop("relation", "log")
    order = ["relations", "time", "trailing", "by", "better", "tolerance", "deviations", "min_periods", "min_rows",
             "max_dropped", "confidence", "cluster"]  # fmt: skip
    choices = {"time": "day", "by": None} | choices
    text = engine.macros.failures_of_trend("metric_not_falling", relation, metric, roles, *map(choices.get, order))
    return engine.rows(text)


def expected(values: dict[str, float], trailing: int) -> list[dict[str, Any]]:
    """The band of each period by scipy's robust spread."""
    found = []
    for place, (day, value) in enumerate(values.items()):
        before = np.array(list(values.values())[max(place - trailing, 0) : place])
        row: dict[str, Any] = {"day": day, "value": value, "trailing_periods": len(before)}
        if len(before):
            reach = 3.5 * 1.4826 * stats.median_abs_deviation(before)
            reach = reach or 3.5 * 1.2533 * np.abs(before - np.median(before)).mean()
            row |= {"trailing_mean": before.mean(), "trailing_median": np.median(before),
                    "band_low": np.median(before) - reach, "band_high": np.median(before) + reach}  # fmt: skip
        found.append(row)
    return found


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("metric", "trailing"), [("auc", 14), ("log_loss", 5), ("copc", 14)])
def test_bands(engine: Engine, metric: str, trailing: int) -> None:
    text = engine.macros.metric_trend("log", metric, time="day", trailing=trailing, by=["device"], **CLICKS)
    found = engine.rows(text)
    assert list(found) == ["device", "day", "n", metric, "trailing_periods", "trailing_mean", "trailing_median",
                           "band_low", "band_high", "falling"]  # fmt: skip
    value = {"auc": sk.roc_auc_score, "log_loss": sk.log_loss, "copc": lambda y, p: y.sum() / p.sum()}[metric]
    falling = {}
    for device in ("phone", "desktop", None):
        part = LOG[LOG["device"].isna() if device is None else LOG["device"] == device]
        values = {str(day): float(value(rows["clicked"], rows["pctr"])) for day, rows in part.groupby("day")}
        rows = found[found["device"].isna() if device is None else found["device"] == device]
        for row, told in zip(rows.to_dict("records"), expected(values, trailing), strict=True):
            assert row[metric] == pytest.approx(told.pop("value"), rel=1e-12)
            for name, one in told.items():
                assert row[name] == (one if isinstance(one, str) else pytest.approx(one, rel=1e-9)), name
            known = row["trailing_periods"] >= min(7, trailing)
            assert pd.isna(row["falling"]) != known
        falling[device] = bool(rows["falling"].iloc[-1])
    assert falling == {"phone": True, "desktop": False, None: False}


def test_bands_of_the_interval(engine: Engine) -> None:
    """The mean of the trailing values, and the errors of clusters that `evaluate` has."""
    given: dict[str, Any] = {**CLICKS, "confidence": 0.95, "cluster": "user_id"}
    found = engine.rows(engine.macros.metric_trend("log", "copc", time="day", trailing=7, **given))
    direct = sqlmetrics.evaluate(LOG, "copc", by="day", standard_error=True, **given)
    for place, row in enumerate(found.to_dict("records")):
        assert row["copc_low"] == pytest.approx(direct["copc_low"][place], rel=1e-6)
        if place:
            before = direct.iloc[max(place - 7, 0) : place]
            error = np.sqrt(direct["copc_se"][place] ** 2 + (before["copc_se"] ** 2).sum() / len(before) ** 2)
            reach = stats.norm.ppf(0.975) * error
            assert row["band_high"] - row["trailing_mean"] == pytest.approx(reach, rel=1e-6)
            assert row["trailing_mean"] == pytest.approx(before["copc"].mean(), rel=1e-9)


@pytest.mark.parametrize("sure", [{}, {"confidence": 0.99, "cluster": "user_id"}], ids=["z", "interval"])
def test_what_falls(engine: Engine, sure: dict[str, Any]) -> None:
    found = failures(engine, "auc", CLICKS, by=["device"], **sure)
    assert found[["device", "day", "failure"]].to_dict("records") == [
        {"device": "phone", "day": DAYS[-1], "failure": "the metric is falling"}
    ]
    assert found["auc"][0] < found["band_low"][0]
    assert failures(
        engine, "auc", CLICKS, relation="(select * from log where device = 'desktop') as those", **sure
    ).empty
    assert failures(engine, "auc", CLICKS, by=["device"], tolerance=0.6, **sure).empty
    assert failures(engine, "auc", CLICKS, by=["device"], better="lower", **sure).empty


def test_what_cannot_be_told(engine: Engine) -> None:
    """A test that says nothing does not pass."""

    def reasons(relation: str, **given: Any) -> set[str]:
        return set(failures(engine, "auc", CLICKS, relation=relation, **given)["failure"])

    assert reasons("(select * from log where 1 = 0) as those") == {"no rows at all"}
    assert reasons("(select * from log where 1 = 0) as those", by=["device"]) == {"no rows at all"}
    few = f"(select * from log where day >= '{DAYS[-3]}') as those"
    assert reasons(few) == {"fewer trailing periods than min_periods"}
    gone = f"(select * from log where day < '{DAYS[-1]}' or device = 'desktop') as those"
    assert reasons(gone, by="device") == {"the slice has no rows in the last period"}
    assert len(failures(engine, "auc", CLICKS, relation=gone, by="device")) == 2
    one_class = f"(select * from log where day < '{DAYS[-1]}' or clicked = 1) as those"
    assert reasons(one_class) == {"the value is undefined"}
    assert reasons("log", min_rows=10_000) == {"fewer rows than min_rows in the last period"}
    assert any(
        "are neither 0 nor 1" in one for one in reasons("(select day, 2 * clicked as clicked, pctr from log) as l")
    )


def test_a_constant_series_falls_at_once(engine: Engine) -> None:
    """No spread at all: any fall is one."""
    rows = " union all ".join(
        f"select {day} as day, {y} as y, 1.0 as p" for day in range(1, 10) for y in ([1, 1] if day < 9 else [1, 0])
    )
    found = failures(engine, "accuracy", {"label": "y", "score": "p"}, relation=f"({rows}) as those")
    assert list(found["failure"]) == ["the metric is falling"]


def population_stability(current: pd.Series, reference: pd.Series, bins: int) -> float:
    """As it is defined: bins at the quantiles of the reference."""
    known = np.sort(reference)

    def shares(scores: pd.Series) -> Any:
        before = np.searchsorted(known, scores, side="left")
        inside = np.minimum(np.floor(bins * before / len(reference)), bins - 1)
        return np.maximum(np.bincount(inside.astype(int), minlength=bins) / len(scores), 1e-4)

    p, q = shares(current), shares(reference)
    return float(((p - q) * np.log(p / q)).sum())


@pytest.mark.parametrize("bins", [None, 10_000])
def test_drift(engine: Engine, bins: int | None) -> None:
    """Of scores of four digits, which ten thousand bins tell apart."""
    engine.build("state", engine.macros.score_state("log", **CLICKS, bins=bins, by=["day", "device"]))
    given = {"current": f"day = '{DAYS[-1]}'", "reference": f"day < '{DAYS[-1]}'"}
    found = engine.rows(engine.macros.score_drift("state", **given, by="device"))
    assert len(found) == 3
    for row in found.to_dict("records"):
        part = LOG[LOG["device"].isna() if pd.isna(row["device"]) else LOG["device"] == row["device"]]
        current, reference = part[part["day"] == DAYS[-1]]["pctr"], part[part["day"] < DAYS[-1]]["pctr"]
        assert (row["n"], row["n_reference"]) == (len(current), len(reference))
        assert row["score_distance"] == pytest.approx(stats.ks_2samp(current, reference).statistic, rel=1e-9)
        assert row["psi"] == pytest.approx(population_stability(current, reference, 10), rel=1e-6)
    names = ["relation", "value", "max_value", "current", "reference", "reference_relation", "by", "bins", "eps"]

    def told(value: str, most: float, **more: Any) -> list[tuple[Any, str]]:
        call = {"relation": "state", "value": value, "max_value": most, **given, "reference_relation": None,
                "by": ["device"], "bins": 10, "eps": 0.0001, **more}  # fmt: skip
        text = engine.macros.failures_of_drift("psi_below", *[call[name] for name in names], 1)
        return [(row.get("device"), row["failure"]) for row in engine.rows(text).to_dict("records")]

    assert told("psi", 0.3) == [("phone", "the scores have drifted")]
    assert told("score_distance", 0.2) == [("phone", "the scores have drifted")]
    assert told("psi", 5) == []
    other = {"current": None, "reference": None, "reference_relation": "state"}
    assert told("psi", 0, **other) == []
    assert {reason for _, reason in told("psi", 5, current="day > '2027'")} == {"fewer rows than min_rows"}
    assert told("psi", 5, current="day > '2027'", reference="day > '2027'") == [(None, "no rows at all")]


def test_drift_between_states_of_other_bins_is_none(engine: Engine) -> None:
    engine.build("state", engine.macros.score_state("log", **CLICKS, bins=100))
    engine.build("other", engine.macros.score_state("log", **CLICKS, bins=50))
    with engine.refusing("score_drift: the parts were made with different settings"):
        engine.rows(engine.macros.score_drift("state", reference_relation="other"))


@pytest.mark.slow
@pytest.mark.parametrize(("trailing", "rate"), [(14, 0.0094), (7, 0.0343)])
def test_how_often_a_steady_series_falls(trailing: int, rate: float) -> None:
    """As the page says; the rates are those of four hundred thousand series of numpy's."""
    rng = np.random.default_rng(7)
    series = 6000
    steady = pd.DataFrame({
        "series": np.repeat(np.arange(series), trailing + 1), "day": np.tile(np.arange(trailing + 1), series),
        "y": 0.0, "p": -rng.normal(size=series * (trailing + 1)),
    })  # fmt: skip
    with duckdb.connect() as con:
        con.register("steady", steady)
        text = States().metric_trend(
            "steady", "mean_error", time="day", trailing=trailing, by="series", label="y", score="p", better="higher"
        )
        [(falling,)] = con.execute(f"select avg(falling::int) from ({text}) where day = {trailing}").fetchall()
    assert abs(falling - rate) < 4 * np.sqrt(rate / series)


def test_what_is_refused() -> None:
    macros = States()
    given = {"time": "day", **CLICKS}
    for call, words in [
        (lambda: macros.metric_trend("log", "auc", **CLICKS), "time must be one column"),
        (lambda: macros.metric_trend("log", "auc", **given, trailing=0), "trailing must be a whole number >= 1, not 0"),
        (lambda: macros.metric_trend("log", "auc", **given, min_periods=20), "min_periods must not be more than"),
        (lambda: macros.metric_trend("log", "auc", **given, deviations=0), "deviations must be a number above 0"),
        (lambda: macros.metric_trend("log", "auc", **given, tolerance=-1), "tolerance must be a number >= 0"),
        (lambda: macros.metric_trend("log", "auc", **given, cluster="u"), "cluster has a meaning with confidence only"),
        (lambda: macros.metric_trend("log", "auc", **given, by=[["device"]]), "by is one list of columns"),
        (lambda: macros.metric_trend("log", "auc", **given, by="falling"), "stand beside columns called"),
        (lambda: macros.metric_trend("log", "roc_curve", **given), "metric must be one metric with one value"),
        (lambda: macros.metric_trend("log", "ks", **given, better="up"), "better must be"),
        (lambda: macros.score_drift("state"), "give current and reference"),
        (lambda: macros.score_drift("state", current="a", reference=" "), "reference must be an SQL condition"),
        (lambda: macros.score_drift("state", current="a", reference="b", bins=1), "bins must be a whole number >= 2"),
        (lambda: macros.score_drift("state", current="a", reference="b", bins=math.inf), "bins must be a whole number"),
        (lambda: macros.score_drift("state", current="a", reference="b", eps=0), "eps must be a number between"),
        (lambda: macros.score_drift("state", current="a", reference="b", by="psi"), "by: 'psi' is the name of"),
    ]:
        with pytest.raises(sqlmetrics.SqlMetricsError, match=words):
            call()


def test_a_bound_of_nothing_is_refused() -> None:
    """Nothing is more than NULL: the test would pass whatever it finds."""
    macros = States()
    roles = {"label": "clicked", "score": "pctr"}
    call = macros.call_of("drift_below", "log", None, {"weight": None}, {}, None, None, None, None,
                          comparison={"against": None})  # fmt: skip
    columns = macros.columns_of_drift("drift_below", "pctr", None)
    for name, refused in {
        "tolerance": lambda: macros.failures_against("metric_not_worse_than", "log", "auc", roles, {}, None, None,
                                                     "other", None, None, 1),
        "max_value": lambda: macros.failures_of_columns("drift_below", call, columns, "psi", None, "a", "b", 10, 1e-4,
                                                        1),
        "max_value ": lambda: macros.failures_of_drift("psi_below", "state", "psi", None, "a", "b", None, None, 10,
                                                       1e-4, 1),
    }.items():  # fmt: skip
        with pytest.raises(sqlmetrics.SqlMetricsError, match=f"{name.strip()} must be a number, not none"):
            refused()
    with pytest.raises(sqlmetrics.SqlMetricsError, match="f1 reads no score: champion_score would be compared with"):
        macros.failures_against("metric_not_worse_than", "log", "f1", {"label": "clicked", "prediction": "said",
                                "score": "pctr"}, {}, None, None, "other", 0, None, 1)  # fmt: skip


def test_a_period_of_unknown_error_is_no_certain_one() -> None:
    """Of one user alone there is no error, which once counted as one of 0."""
    rows = [(day, f"u{place % (1 if day < 7 else 20)}", 1.0, float(place < {7: 16, 8: 12}.get(day, 18)))
            for day in range(1, 9) for place in range(20)]  # fmt: skip
    log = pd.DataFrame(rows, columns=["day", "u", "y", "p"])
    given: dict[str, Any] = {"label": "y", "score": "p", "confidence": 0.95, "cluster": "u"}
    found = duckdb.sql(States().metric_trend("log", "accuracy", time="day", trailing=7, **given)).df().set_index("day")
    own = sqlmetrics.evaluate(log, "accuracy", by="day", standard_error=True, **given).set_index("day")
    assert own["accuracy_se"].isna().sum() == 6
    last = found.loc[8]
    assert last["trailing_periods"] == 1
    assert last["trailing_mean"] == own["accuracy"][7]
    reach = stats.norm.ppf(0.975) * np.hypot(own["accuracy_se"][7], own["accuracy_se"][8])
    assert last["band_low"] == pytest.approx(own["accuracy"][7] - reach, rel=1e-6)
    assert found.loc[7, "band_low":"band_high"].isna().all()


@pytest.mark.parametrize("metric", ["copc", "mean_error"])
def test_without_a_band_nothing_is_known_of_a_fall(metric: str) -> None:
    """Also where the value is nearer to the best one than the others were."""
    rows = {"day": [1, 1, 1, 2, 2], "u": [1, 2, 3, 4, 4], "y": [1.0, 1, 1, 1, 1], "p": [0.5, 0.4, 0.5, 0.9, 0.9]}
    log = pd.DataFrame(rows)
    given: dict[str, Any] = {"label": "y", "score": "p", "confidence": 0.95, "cluster": "u"}
    text = States().metric_trend("log", metric, time="day", trailing=7, min_periods=1, **given)
    with duckdb.connect() as con:
        con.register("log", log)
        found = con.sql(text).df()
    assert found["trailing_periods"].tolist() == [0, 1]
    assert found["band_low"].isna().all()
    assert found["falling"].isna().all()
