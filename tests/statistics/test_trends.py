"""Trends of a metric and drift of scores in states, against numpy and scipy."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics as sk

import sqlmetrics
from tests.parameters import slow
from tests.statistics.test_state_settings import Engine
from tests.statistics.test_states import States

DAYS = [f"2026-03-{day:02}" for day in range(1, 22)]
CLICKS: dict[str, Any] = {"label": "clicked", "score": "pctr"}


def make_log() -> pd.DataFrame:
    """Three weeks; on the last day the model is broken on phones, and half of its scores are lower."""
    rng = np.random.default_rng(5)
    rows = 8400
    day = rng.integers(0, len(DAYS), rows)
    device = rng.choice(["phone", "desktop", None], rows)
    logit = rng.normal(-0.5, 1, rows)
    clicked = rng.random(rows) < 1 / (1 + np.exp(-logit))
    scored = np.where((day == len(DAYS) - 1) & (device == "phone"), rng.normal(-1.5, 1, rows), logit)
    return pd.DataFrame({
        "day": np.array(DAYS)[day], "device": device, "user_id": [f"u{n}" for n in rng.integers(0, 300, rows)],
        "clicked": clicked.astype(float), "pctr": (1 / (1 + np.exp(-scored))).round(4),
    })  # fmt: skip


LOG = make_log()
MACROS = States()


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with closing(Engine(log=LOG)) as opened:
        yield opened


def failures(engine: Engine, metric: str = "auc", roles: Any = CLICKS, where: Any = None, **options: Any) -> Any:
    """The rows of the dbt test `metric_not_falling`."""
    defaults = {"time": "day", "trailing": 14, "tolerance": 0, "deviations": 3.5, "min_rows": 1, "binned": False,
                **dict.fromkeys(["by", "better", "min_periods", "max_dropped", "confidence", "cluster"])}  # fmt: skip
    relation = options.pop("relation", "log" if where is None else f"(select * from log where {where}) as part")
    inputs = {"roles": roles, "relations": {}}
    call = ("metric_not_falling", relation, metric, inputs, defaults | options)
    return engine.rows(engine.macros.failures_of_trend(*call))


def reasons(engine: Engine, **options: Any) -> set[str]:
    return set(failures(engine, **options)["reason"])


def rows_of_device(data: pd.DataFrame, device: Any) -> pd.DataFrame:
    return data[data["device"].isna() if pd.isna(device) else data["device"] == device]


@pytest.mark.slow
def test_trend_bands_match_robust_spread(engine: Engine) -> None:
    text = engine.macros.metric_trend("log", "auc", time="day", trailing=14, by=["device"], **CLICKS)
    result = engine.rows(text)
    assert list(result) == ["device", "day", "n", "auc", "trailing_periods", "trailing_mean", "trailing_median",
                            "band_low", "band_high", "falling"]  # fmt: skip
    for device in ("phone", "desktop", None):
        rows = rows_of_device(result, device)
        values = [sk.roc_auc_score(part["clicked"], part["pctr"])
                  for _, part in rows_of_device(LOG, device).groupby("day")]  # fmt: skip
        assert rows["day"].tolist() == DAYS
        assert rows["auc"].tolist() == pytest.approx(values, rel=1e-12)
        for index, row in enumerate(rows.to_dict("records")):
            before = np.array(values[max(index - 14, 0) : index])
            assert row["trailing_periods"] == len(before)
            assert pd.isna(row["falling"]) == (len(before) < 7)
            if index == 0:
                continue
            half = 3.5 * 1.4826 * stats.median_abs_deviation(before)
            half = half or 3.5 * 1.2533 * np.abs(before - np.median(before)).mean()
            expected = [before.mean(), np.median(before), np.median(before) - half, np.median(before) + half]
            names = ["trailing_mean", "trailing_median", "band_low", "band_high"]
            assert [row[name] for name in names] == pytest.approx(expected, rel=1e-9)
        assert bool(rows["falling"].iloc[-1]) == (device == "phone")


def test_trend_bands_match_clustered_errors(engine: Engine) -> None:
    """The band is around the mean of the trailing values, with the errors of clusters of `evaluate`."""
    options: dict[str, Any] = {**CLICKS, "confidence": 0.95, "cluster": "user_id"}
    result = engine.rows(engine.macros.metric_trend("log", "copc", time="day", trailing=7, **options))
    direct = sqlmetrics.evaluate(LOG, "copc", by="day", standard_error=True, **options)
    assert result["copc_low"].tolist() == pytest.approx(direct["copc_low"].tolist(), rel=1e-6)
    for index, row in enumerate(result.to_dict("records")[1:], 1):
        before = direct[max(index - 7, 0) : index]
        error = np.sqrt(direct["copc_se"][index] ** 2 + (before["copc_se"] ** 2).sum() / len(before) ** 2)
        half = stats.norm.ppf(0.975) * error
        assert row["band_high"] - row["trailing_mean"] == pytest.approx(half, rel=1e-6)
        assert row["trailing_mean"] == pytest.approx(before["copc"].mean(), rel=1e-9)


@pytest.mark.parametrize("options", [{}, *slow({"confidence": 0.99, "cluster": "user_id"})], ids=["z", "interval"])
def test_metric_not_falling_reports_falling_slice(engine: Engine, options: dict[str, Any]) -> None:
    result = failures(engine, by=["device"], **options)
    [row] = result.to_dict("records")
    assert (row["slice"], row["reason"]) == (f"device=phone, day={DAYS[-1]}", "the metric is falling")
    assert row["value"] < row["bound"]
    for more in ({"where": "device = 'desktop'"}, {"tolerance": 0.6}, {"better": "lower"}):
        assert failures(engine, by=["device"], **options, **more).empty


def test_metric_not_falling_reports_missing_evidence(engine: Engine) -> None:
    missing, last = f"day < '{DAYS[-1]}'", "in the last period"
    for expected, options in (
        ("no rows at all", {"where": "1 = 0"}),
        ("no rows at all", {"where": "1 = 0", "by": ["device"]}),
        ("fewer trailing periods than min_periods", {"where": f"day >= '{DAYS[-3]}'"}),
        (f"the slice has no rows {last}", {"where": f"{missing} or device = 'desktop'", "by": "device"}),
        ("the value is undefined", {"where": f"{missing} or clicked = 1"}),
        (f"only {(LOG['day'] == DAYS[-1]).sum()} rows {last}; min_rows is 10000", {"min_rows": 10_000}),
    ):
        assert reasons(engine, **options) == {expected}
    assert len(failures(engine, where=f"{missing} or device = 'desktop'", by="device")) == 2
    constant = " union all ".join(f"select {day} as day, {y} as y, 1.0 as p" for day in range(1, 10)
                                  for y in ([1, 1] if day < 9 else [1, 0]))  # fmt: skip
    options = {"metric": "accuracy", "roles": {"label": "y", "score": "p"}, "relation": f"({constant}) as part"}
    assert reasons(engine, **options) == {"the metric is falling"}


def test_drift_of_exact_state_matches_log(engine: Engine) -> None:
    """Parts that are overwritten with no rows do not count."""
    state = engine.macros.score_state("log", **CLICKS, by=["day", "device"])
    nothing = "1 - score_key as score_key, 0 as row_count, null as positives, null as negatives"
    engine.build("state", state, f"select * replace ({nothing}) from ({state})")
    conditions = {"current": f"day = '{DAYS[-1]}'", "reference": f"day < '{DAYS[-1]}'", "by": "device"}
    result = engine.rows(engine.macros.drift("state", "score_key", weight="= positives + negatives", **conditions))
    distances = [*result][6:]
    of_log = engine.rows(engine.macros.drift("log", "pctr", **conditions))
    assert result["device"].fillna("").tolist() == of_log["device"].fillna("").tolist() == ["desktop", "phone", ""]
    assert result[distances].to_numpy() == pytest.approx(of_log[distances].to_numpy(), rel=1e-9)
    for device, ks_distance in zip(result["device"], result["ks_distance"], strict=True):
        rows = rows_of_device(LOG, device)
        current, reference = rows[rows["day"] == DAYS[-1]]["pctr"], rows[rows["day"] < DAYS[-1]]["pctr"]
        assert ks_distance == pytest.approx(stats.ks_2samp(current, reference).statistic, rel=1e-9)


def test_trend_macros_reject_invalid_arguments() -> None:
    trend = functools.partial(MACROS.metric_trend, "log", time="day", **CLICKS)
    for message, options in (
        ("time must be one column", {"time": None}),
        ("trailing must be a whole number >= 1, not 0", {"trailing": 0}),
        ("min_periods must not be more than", {"min_periods": 20}),
        ("deviations must be a number above 0", {"deviations": 0}),
        ("tolerance must be a number >= 0", {"tolerance": -1}),
        ("cluster requires confidence", {"cluster": "u"}),
        ("by must be one list of columns", {"by": [["device"]]}),
        ("the slice 'falling' has the name of a column of every result", {"by": "falling"}),
        ("metric must be one metric with one value", {"metric": "roc_curve"}),
        ("better must be", {"metric": "ks", "better": "up"}),
    ):
        with pytest.raises(sqlmetrics.SqlMetricsError, match=message):
            trend(**{"metric": "auc"} | options)


@pytest.mark.slow
def test_trend_skips_periods_without_error() -> None:
    """The error of a single user is unknown, not 0."""
    rows = [(day, f"u{row % (1 if day < 7 else 20)}", 1.0, float(row < {7: 16, 8: 12}.get(day, 18)))
            for day in range(1, 9) for row in range(20)]  # fmt: skip
    log = pd.DataFrame(rows, columns=["day", "u", "y", "p"])
    options: dict[str, Any] = {"label": "y", "score": "p", "confidence": 0.95, "cluster": "u"}
    trend = duckdb.sql(States().metric_trend("log", "accuracy", time="day", trailing=7, **options)).df()
    trend = trend.set_index("day")
    days = sqlmetrics.evaluate(log, "accuracy", by="day", standard_error=True, **options).set_index("day")
    assert days["accuracy_se"].isna().sum() == 6
    assert trend.loc[8, ["trailing_periods", "trailing_mean"]].tolist() == [1, days["accuracy"][7]]
    half = stats.norm.ppf(0.975) * np.hypot(days["accuracy_se"][7], days["accuracy_se"][8])
    assert trend.loc[8, "band_low"] == pytest.approx(days["accuracy"][7] - half, rel=1e-6)
    assert trend.loc[7, "band_low":"band_high"].isna().all()
