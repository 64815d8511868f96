"""Isotonic regression on inputs that are hard for rounds of pooling, against scikit-learn."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot
from sklearn.isotonic import IsotonicRegression

import sqlmetrics
from tests.compare import assert_same
from tests.tiers import slow

ROLES: dict[str, Any] = {"positives": "clicks", "total": "views", "score": "score"}


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
    """The rate of the block in which each score lies, for each case."""
    assert set(table["case"]) == set(data["case"])
    for case, rows in data.groupby("case"):
        blocks = table[table["case"] == case].sort_values("lower")
        assert (np.diff(blocks["rate"]) > 0).all()
        block = np.searchsorted(blocks["lower"], rows["score"], side="right") - 1
        assert (rows["score"].to_numpy() <= blocks["upper"].to_numpy()[block]).all()
        model = IsotonicRegression().fit(rows["score"], rows["clicks"] / rows["views"], sample_weight=rows["views"])
        assert np.abs(blocks["rate"].to_numpy()[block] - model.predict(rows["score"])).max() <= 1e-12, case


@pytest.mark.parametrize("length", [1, 2, 3, 64, 65, *slow(5_000)])
def test_isotonic_calibration_matches_scikit_learn(length: int) -> None:
    data = hard_inputs(length)
    table = sqlmetrics.isotonic_calibration(data.sample(frac=1, random_state=length), **ROLES, by="case")
    assert_rates(table, data)


def unrolled(dialect: str, data: pd.DataFrame) -> pd.DataFrame:
    """By the statement of a dialect that does not recurse, as sqlglot reads it."""
    sql = sqlmetrics.render("isotonic_calibration", relation="data", **ROLES, dialect=dialect)
    assert "recursive" not in sql
    [statement] = sqlglot.parse(sql, read=dialect)
    assert statement is not None
    with duckdb.connect() as con:
        con.register("data", data)
        return con.execute(statement.sql("duckdb", unsupported_level=sqlglot.ErrorLevel.RAISE)).df()


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["snowflake", "redshift"])
def test_unrolled_rounds_match_scikit_learn_or_raise_an_error(dialect: str) -> None:
    """Scores in order after all rounds are right whatever their number; others end the statement."""
    rising = aggregated(np.linspace(0.1, 0.9, 70_000), np.ones(70_000)).assign(case="rising")
    for case, rows in pd.concat([hard_inputs(700), rising]).groupby("case"):
        assert_rates(unrolled(dialect, rows).assign(case=case), rows)
    with pytest.raises(duckdb.Error, match="round the scores"):
        unrolled(dialect, rising_before_a_heavy_zero(70_000))


INDEX = "integrated_calibration_index"


@pytest.mark.parametrize(("metrics", "weight"), [
    (["miscalibration", INDEX], None), ([INDEX, "discrimination"], "weight"),
    ([INDEX, "miscalibration(loss='log_loss')", "other = discrimination"], "weight"),
], ids=["index last", "index first", "two losses"])  # fmt: skip
def test_metrics_of_isotonic_blocks_share_them(metrics: list[str], weight: str | None) -> None:
    rng = np.random.default_rng(8)
    score = rng.random(600).round(2)
    clicked = (rng.random(600) < score**2).astype(float)
    rows = pd.DataFrame({"score": score, "clicked": clicked, "half": ["a", "b"] * 300})
    rows["weight"] = rng.integers(1, 4, 600) / 2 if weight else 1.0
    roles: dict[str, Any] = {"label": "clicked", "score": "score", "weight": weight, "by": [[], ["half"]]}
    result = sqlmetrics.evaluate(rows, metrics, **roles)
    for value, part in zip(result[INDEX], [rows, rows[::2], rows[1::2]], strict=True):
        model = IsotonicRegression().fit(part["score"], part["clicked"], sample_weight=part["weight"])
        errors = np.abs(part["score"] - model.predict(part["score"]))
        assert value == pytest.approx(np.average(errors, weights=part["weight"]), abs=1e-12)
    # Two losses need two frames, of which the index reads the first.
    sql = sqlmetrics.render(metrics, relation="log", **roles)
    assert sql.count("merged_blocks as materialized (") == 1
    assert sql.count(" as materialized (\n    -- pairs of neighbours") == len(metrics) - 1
    assert "in_blocks" not in sql
    assert_same(sqlmetrics.evaluate(rows, metrics[::-1], **roles)[result.columns], result)
