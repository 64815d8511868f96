"""Isotonic regression on inputs that are hard for rounds of pooling, by scikit-learn."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot
from sklearn.isotonic import IsotonicRegression

import sqlmetrics
from tests.tiers import slow


def aggregated(rates: np.ndarray, weights: np.ndarray) -> pd.DataFrame:
    """One row per score, from 0 up."""
    return pd.DataFrame({"score": np.arange(len(rates)) / len(rates), "clicks": rates * weights, "views": weights})


def rising_before_a_heavy_zero(length: int) -> pd.DataFrame:
    """Pooled pair by pair from the upper end, these would take as many rounds as there are scores."""
    rates, weights = np.linspace(0.1, 0.9, length), np.ones(length)
    rates[-1], weights[-1] = 0, 3.0 * length
    return aggregated(rates, weights)


def falling(length: int) -> pd.DataFrame:
    return aggregated(np.linspace(0.9, 0.1, length), np.ones(length))


def teeth(length: int) -> pd.DataFrame:
    """Rising and falling at every scale at once."""
    places = np.arange(length)
    waves = sum(np.sin(places / 3.7**scale) / 2 ** (6 - scale) for scale in range(6))
    return aggregated(0.5 + 0.1 * waves + 0.2 * places / length, 1.0 + places % 7)


HARD = {"rising before a heavy zero": rising_before_a_heavy_zero, "falling": falling, "teeth": teeth}


def by_scikit_learn(data: pd.DataFrame) -> np.ndarray:
    model = IsotonicRegression().fit(data["score"], data["clicks"] / data["views"], sample_weight=data["views"])
    return np.asarray(model.predict(data["score"]))


def rates_at(data: pd.DataFrame, table: pd.DataFrame) -> np.ndarray:
    """The rate of the block in which each score lies."""
    places = np.searchsorted(table["lower"], data["score"], side="right") - 1
    assert (data["score"].to_numpy() <= table["upper"].to_numpy()[places]).all()
    return table["rate"].to_numpy()[places]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("length", [1, 2, 3, 64, 65, *slow(5_000)])
@pytest.mark.parametrize("name", HARD)
def test_hard_inputs(name: str, length: int) -> None:
    data = HARD[name](length)
    shuffled = data.sample(frac=1, random_state=length)
    table = sqlmetrics.isotonic_calibration(shuffled, positives="clicks", total="views", score="score")
    assert np.abs(rates_at(data, table) - by_scikit_learn(data)).max() <= 1e-12
    assert (np.diff(table["rate"]) > 0).all()


def written_out(dialect: str, data: pd.DataFrame) -> pd.DataFrame:
    """By the statement of a dialect that does not recurse, as sqlglot reads it."""
    sql = sqlmetrics.render(
        "isotonic_calibration", relation="data", positives="clicks", total="views", score="score", dialect=dialect
    )
    assert "recursive" not in sql
    [statement] = sqlglot.parse(sql, read=dialect)
    assert statement is not None
    for hint in list(statement.find_all(sqlglot.exp.Hint)):
        hint.pop()
    with duckdb.connect() as con:
        con.register("data", data)
        return con.execute(statement.sql("duckdb", unsupported_level=sqlglot.ErrorLevel.RAISE)).df()


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["snowflake", "redshift"])
@pytest.mark.parametrize("name", HARD)
def test_rounds_that_are_written_out(name: str, dialect: str) -> None:
    data = HARD[name](700)
    assert np.abs(rates_at(data, written_out(dialect, data)) - by_scikit_learn(data)).max() <= 1e-12


@pytest.mark.slow
def test_more_rises_than_rounds_are_no_wrong_number() -> None:
    """What is in order after all rounds is right whatever its length; what is not ends the statement."""
    data = aggregated(np.linspace(0.1, 0.9, 70_000), np.ones(70_000))
    table = written_out("snowflake", data)
    assert np.abs(rates_at(data, table) - by_scikit_learn(data)).max() <= 1e-12
    with pytest.raises(duckdb.Error, match="round the scores"):
        written_out("snowflake", rising_before_a_heavy_zero(70_000))


INDEX = "integrated_calibration_index"


def index_by_scikit_learn(rows: pd.DataFrame) -> float:
    model = IsotonicRegression().fit(rows["score"], rows["clicked"], sample_weight=rows["weight"])
    return float(np.average(np.abs(rows["score"] - model.predict(rows["score"])), weights=rows["weight"]))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("weight", [None, "weight"], ids=["counted", "weighed"])
@pytest.mark.parametrize(
    "metrics",
    [
        ["miscalibration", INDEX],
        [INDEX, "discrimination"],
        [INDEX, "miscalibration(loss='log_loss')", {"name": "discrimination", "as": "other"}],
    ],
    ids=["after it", "before it", "of two losses"],
)
def test_blocks_are_made_once_for_all_who_read_them(metrics: list[Any], weight: str | None) -> None:
    rng = np.random.default_rng(8)
    score = rng.random(600).round(2)
    clicked = (rng.random(600) < score**2).astype(float)
    rows = pd.DataFrame({"score": score, "clicked": clicked, "half": ["a", "b"] * 300})
    rows["weight"] = rng.integers(1, 4, 600) / 2 if weight else 1.0
    roles: dict[str, Any] = {"label": "clicked", "score": "score", "weight": weight, "by": [[], ["half"]]}
    found = sqlmetrics.evaluate(rows, metrics, **roles)
    for place, part in enumerate([rows, rows[rows["half"] == "a"], rows[rows["half"] == "b"]]):
        assert found[INDEX][place] == pytest.approx(index_by_scikit_learn(part), abs=1e-12)
    # Frames of two losses are two; the index reads the first of them.
    sql = sqlmetrics.render(metrics, relation="log", **roles)
    assert sql.count("merged_blocks as materialized (") == 1
    assert sql.count(" as materialized (\n    -- pairs of neighbours") == len(metrics) - 1
    assert "in_blocks" not in sql
    alone = sqlmetrics.evaluate(rows, metrics[::-1], **roles)
    pd.testing.assert_frame_equal(alone[found.columns], found, rtol=1e-12)
