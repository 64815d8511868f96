"""Calibration fits on hard inputs: by Newton's method, and isotonic by rounds of pooling."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sqlglot
import statsmodels.api as sm
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

import sqlmetrics
from tests.engines.servers import ENGINES
from tests.oracles.calibration import log_odds
from tests.parameters import slow


def unrolled(data: pd.DataFrame, metrics: Any, most_blocks: int = 32768, **roles: Any) -> pd.DataFrame:
    """By the statement of a dialect without recursion, transpiled by sqlglot."""
    sql = sqlmetrics.render(metrics, relation="data", dialect="snowflake", **roles)
    assert "recursive" not in sql
    assert ("> 32768" in sql) == (metrics == "isotonic_calibration")
    sql = sql.replace("> 32768", f"> {most_blocks}")
    [statement] = sqlglot.parse(sql, read="snowflake")
    assert statement is not None
    with duckdb.connect() as con:
        con.register("data", data)
        return con.execute(statement.sql("duckdb", unsupported_level=sqlglot.ErrorLevel.RAISE)).df()


# Calibration slope and intercept, against statsmodels

METRICS = ["calibration_slope", "calibration_intercept", "joint = calibration_intercept(slope='fitted')"]
NAMES = ["calibration_slope", "calibration_intercept", "joint"]
EPS = 2.220446049250313e-16
ROLES: dict[str, Any] = {"label": "label", "score": "score"}


def clicks(logit: np.ndarray, label_logit: np.ndarray, seed: int) -> pd.DataFrame:
    """Scores with these log odds, and labels with other log odds."""
    label = (np.random.default_rng(seed).random(len(logit)) < expit(label_logit)).astype(float)
    return pd.DataFrame({"label": label, "score": expit(logit), "weight": 1.0})


def normal(mean: float, deviation: float, slope: float, rows: int, seed: int) -> pd.DataFrame:
    logit = np.random.default_rng(seed).normal(mean, deviation, rows)
    return clicks(logit, slope * logit, seed)


def hard_cases(rows: int, seed: int) -> dict[str, pd.DataFrame]:
    """Certain: a tenth of the scores is 0 and a tenth is 1, for either label; narrow: all but two are nearly 0.5."""
    calibrated, narrow = normal(-2, 1.5, 1, rows, seed), normal(0, 0.01, 100, rows, seed)
    narrow.loc[:1, ["score", "label"]] = [[0.0, 1.0], [1.0, 0.0]]
    places = pd.Series(range(rows)) % 10
    return {
        "calibrated": calibrated,
        "rare": normal(-5, 1.5, 1, rows, seed),
        "reversed": normal(0, 3, -2, rows, seed),
        "steep": normal(0, 1, 30, rows, seed),  # nearly separated
        "certain": calibrated.assign(score=calibrated["score"].mask(places == 0, 0.0).mask(places == 5, 1.0)),
        "narrow with outliers": narrow,
        "heavy and light": calibrated.assign(weight=10.0 ** np.random.default_rng(seed).uniform(-4, 4, rows)),
    }


def generalized_linear(data: pd.DataFrame, fitted_slope: bool, **options: Any) -> Any:
    """The fit of statsmodels, of intercept and slope or of the intercept alone."""
    logs, ones = log_odds(data, EPS), np.ones(len(data))
    design: dict[str, Any] = {"exog": np.column_stack([ones, logs])} if fitted_slope else {"exog": ones, "offset": logs}
    weights = {"freq_weights": data["weight"]} if (data["weight"] != 1).any() else {}
    model = sm.GLM(data["label"], **design, **weights, family=sm.families.Binomial())
    return model.fit(**{"tol": 1e-14, "maxiter": 200, **options})


def assert_fits(row: Any, data: pd.DataFrame) -> None:
    intercept, slope = np.asarray(generalized_linear(data, True).params)
    expected = [slope, np.asarray(generalized_linear(data, False).params)[0], intercept]
    for name, value in zip(NAMES, expected, strict=True):
        assert abs(row[name] - value) <= 1e-9 * max(1, abs(value)), name


@pytest.mark.parametrize("rows", [300, *slow(5_000)])
def test_calibration_fits_match_statsmodels(rows: int) -> None:
    """Up to two thousand rows each value is a bin, above they share some; the slices converge independently."""
    data = pd.concat([case.assign(case=name) for name, case in hard_cases(rows, rows).items()], ignore_index=True)
    result = sqlmetrics.evaluate(data, METRICS, weight="weight", by=[[], ["case"]], **ROLES)
    for row in result.to_dict("records"):
        assert_fits(row, data if row["grouping"] == "overall" else data[data["case"] == row["case"]])


@pytest.mark.parametrize("clustered", [True, False])
def test_standard_errors_match_the_sandwich_of_statsmodels(clustered: bool) -> None:
    rng = np.random.default_rng(5)
    user, logit = rng.integers(0, 60, 3_000), rng.normal(-1, 1.5, 3_000)
    data = clicks(logit, 0.3 + 0.8 * logit + rng.normal(0, 0.7, 60)[user], 5).assign(user=user)
    options: dict[str, Any] = {"confidence": 0.95, "standard_error": True, "cluster": "user" if clustered else None}
    row = sqlmetrics.evaluate(data, METRICS, **ROLES, **options).iloc[0]
    robust: dict[str, Any] = {"cov_type": "HC0"}
    if clustered:
        robust = {"cov_type": "cluster", "cov_kwds": {"groups": data["user"], "use_correction": False}}
    count = 60 if clustered else len(data)
    intercept, slope = np.asarray(generalized_linear(data, True, **robust).bse)
    alone = np.asarray(generalized_linear(data, False, **robust).bse)[0]
    expected = np.array([slope, alone, intercept]) * np.sqrt(count / (count - 1))
    assert row[[f"{name}_se" for name in NAMES]].tolist() == pytest.approx(expected.tolist(), rel=1e-8)


@pytest.mark.parametrize("name", slow("spark"))
def test_spark_retries_with_more_analyzer_iterations(name: str) -> None:
    """For the slopes of two models, at the default of 100; the setting is restored."""
    setting = "spark.sql.analyzer.maxIterations"
    with ENGINES[name]({"log": pa.Table.from_pandas(normal(-2, 1.5, 1, 100, 6), preserve_index=False)}) as engine:
        before = engine.session.conf.get(setting)
        engine.session.conf.set(setting, "10")
        assert sqlmetrics.auc("log", engine=engine, **ROLES)["auc"][0] > 0.5
        assert engine.session.conf.get(setting) == "10"
        engine.session.conf.set(setting, before)


@pytest.mark.slow
def test_unrolled_iterations_match_statsmodels_or_are_undefined() -> None:
    """An iteration limit that is too low gives no wrong number."""
    for name in ("certain", "narrow with outliers", "heavy and light"):
        data = hard_cases(2_500, 2)[name]
        assert_fits(unrolled(data, METRICS, weight="weight", **ROLES).iloc[0], data)
    steepest = normal(0, 1, 100, 1_000, 1)
    assert pd.isna(unrolled(steepest, METRICS, weight="weight", **ROLES)["calibration_slope"][0])
    assert_fits(sqlmetrics.evaluate(steepest, METRICS, **ROLES).iloc[0], steepest)


# Isotonic regression, against scikit-learn

COUNT_ROLES: dict[str, Any] = {"positives": "clicks", "total": "views", "score": "score"}


def aggregated(rates: np.ndarray, weights: np.ndarray) -> pd.DataFrame:
    """A row per score, from 0 up."""
    return pd.DataFrame({"score": np.arange(len(rates)) / len(rates), "clicks": rates * weights, "views": weights})


def rising_before_a_heavy_zero(length: int) -> pd.DataFrame:
    """Pooled pair by pair from the upper end, these would take as many rounds as there are scores."""
    rates, weights = np.linspace(0.1, 0.9, length), np.ones(length)
    rates[-1], weights[-1] = 0, 3.0 * length
    return aggregated(rates, weights)


def hard_inputs(length: int) -> pd.DataFrame:
    """Three cases: rising before a heavy zero, falling, and rising and falling at every scale at once."""
    numbers = np.arange(length)
    waves = sum(np.sin(numbers / 3.7**scale) / 2 ** (6 - scale) for scale in range(6))
    cases = {
        "heavy zero": rising_before_a_heavy_zero(length),
        "falling": aggregated(np.linspace(0.9, 0.1, length), np.ones(length)),
        "teeth": aggregated(0.5 + 0.1 * waves + 0.2 * numbers / length, 1.0 + numbers % 7),
    }
    return pd.concat([data.assign(case=name) for name, data in cases.items()], ignore_index=True)


def assert_rates(table: pd.DataFrame, data: pd.DataFrame) -> None:
    """The rate of each score's block, for each case."""
    assert set(table["case"]) == set(data["case"])
    for case, rows in data.groupby("case"):
        blocks = table[table["case"] == case].sort_values("lower")
        assert (np.diff(blocks["rate"]) > 0).all()
        block = np.searchsorted(blocks["lower"], rows["score"], side="right") - 1
        assert (rows["score"].to_numpy() <= blocks["upper"].to_numpy()[block]).all()
        model = IsotonicRegression().fit(rows["score"], rows["clicks"] / rows["views"], sample_weight=rows["views"])
        assert np.abs(blocks["rate"].to_numpy()[block] - model.predict(rows["score"])).max() <= 1e-12, case


@pytest.mark.parametrize("length", [2, 65, *slow(1, 64, 1_000)])
def test_isotonic_calibration_matches_scikit_learn(length: int) -> None:
    data = hard_inputs(length)
    table = sqlmetrics.isotonic_calibration(data.sample(frac=1, random_state=length), **COUNT_ROLES, by="case")
    assert_rates(table, data)


@pytest.mark.slow
def test_unrolled_rounds_match_scikit_learn_or_raise_an_error() -> None:
    for case, rows in hard_inputs(700).groupby("case"):
        assert_rates(unrolled(rows, "isotonic_calibration", **COUNT_ROLES).assign(case=case), rows)
    with pytest.raises(duckdb.Error, match="round the scores"):
        unrolled(rising_before_a_heavy_zero(3_000), "isotonic_calibration", most_blocks=2_000, **COUNT_ROLES)
