"""Numbers told to so many digits, for snapshots that must not see the last bits."""

from __future__ import annotations

import math
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sqlmetrics
from sqlmetrics.catalogue import sql_root
from sqlmetrics.column_types import as_pandas
from tests.data import sample
from tests.engines.servers import ENGINES
from tests.statistics.test_state_settings import LOG
from tests.statistics.test_states import States
from tests.variants import Call, calls

CALLS = [call for call in calls() if not call.table]


def rendered(call: Call, **more: Any) -> str:
    """The statement over a table `log` and relations under their own names."""
    relations = {name: name for name in call.arguments() if name in call.relations(call.roles)}
    return sqlmetrics.render(call.specs, relation="log", **{**call.roles, **relations}, **more)


def assert_rounded(found: pd.DataFrame, exact: pd.DataFrame, digits: int) -> None:
    """Every number of the one is that of the other to so many digits, and nothing else has changed."""
    assert list(found) == list(exact)
    for name in exact:
        if exact.dtypes[name] != "float64":
            assert found[name].tolist() == exact[name].tolist()
            continue
        assert np.array_equal(found[name].isna(), exact[name].isna())
        both = found[[name]].assign(exact=exact[name]).replace([np.inf, -np.inf], np.nan).dropna().to_numpy()
        assert np.abs(both[:, 0] - both[:, 1]).max(initial=0) <= 0.5 * 10.0**-digits * (1 + 1e-6)
        assert np.abs(both[:, 0] - both[:, 0].round(digits)).max(initial=0) <= 1e-12


@pytest.mark.one_in(12)
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_every_value_is_rounded(call: Call) -> None:
    with duckdb.connect() as con:
        con.register("log", sample(call.kind))
        for name, relation in call.relations(call.roles).items():
            con.register(name, relation)
        exact = con.sql(rendered(call, by="country")).df()
        found = con.sql(rendered(call, by="country", round=2)).df()
    assert_rounded(found, exact, 2)
    values = exact.drop(columns=["country", "n"]).replace([np.inf, -np.inf], np.nan)
    assert (values - values.round(2)).abs().max().max() > 1e-4


@pytest.mark.parametrize(
    "name", ["duckdb", *(pytest.param(one, marks=pytest.mark.slow) for one in ("postgres", "spark"))]
)
def test_intervals_and_states_are_rounded(name: str) -> None:
    given: dict[str, Any] = {"label": "clicked", "score": "pctr", "by": "device"}
    sure: dict[str, Any] = {"confidence": 0.95, "standard_error": True}
    rows = LOG.iloc[:900]
    state = sqlmetrics.state(rows, **given, buckets=20, cluster="user_id")
    sums = sqlmetrics.state(rows, ["copc", "brier"], **given, buckets=20, cluster="user_id")
    tables = {name: pa.Table.from_pandas(one, preserve_index=False)
              for name, one in {"log": rows, "scores": state, "sums": sums}.items()}  # fmt: skip
    macros = States(name)
    with ENGINES[name](tables) as engine:
        for statement in (
            lambda **more: sqlmetrics.render(["auc", "copc"], relation="log", **given, cluster="user_id", **sure,
                                             dialect=name, **more),
            lambda **more: sqlmetrics.render("copc", relation="log", **given, dialect=name, **more),
            lambda **more: macros.state_metrics("scores", by="device", **more),
            lambda **more: macros.state_metrics("scores", by="device", **sure, **more),
            lambda **more: macros.metrics_of_state("sums", ["copc", "brier"], **more),
            lambda **more: macros.metrics_of_state("sums", ["copc", "brier"], by="device", **sure, **more),
        ):  # fmt: skip
            assert_rounded(as_pandas(engine.query(statement(round=4))), as_pandas(engine.query(statement())), 4)


class PublicMacros(States):
    """Those of single metrics, `compare` and `gaps` too, which only dbt has as macros."""

    def __init__(self, dialect: str) -> None:
        super().__init__(dialect)
        self._catalogue._add_macros(sql_root() / "macros" / "generated" / "metrics.sql")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["duckdb", *(pytest.param(one, marks=pytest.mark.slow) for one in ("postgres", "spark"))]
)
def test_comparisons_trends_and_diagnostics_of_dbt_are_rounded(name: str) -> None:
    """What is concluded from the values is what the values in full say."""
    rows = LOG.iloc[:900].assign(other=lambda log: (log["pctr"] * 0.8).round(4))
    given: dict[str, Any] = {"label": "clicked", "score": "pctr"}
    both = {"label": "clicked", "score": ["other", "pctr"], "by": "device", "cluster": "user_id"}
    state = sqlmetrics.state(rows, **given, by="day", bins=30)
    tables = {"log": pa.Table.from_pandas(rows, preserve_index=False),
              "scores": pa.Table.from_pandas(state, preserve_index=False)}  # fmt: skip
    macros = PublicMacros(name)
    week = {"current": "day >= '2026-03-03'", "reference": "day < '2026-03-03'"}
    with ENGINES[name](tables) as engine:
        for statement in (
            lambda **more: macros.compare("log", ["auc", "brier"], **both, **more),
            lambda **more: macros.compare("log", "brier", **both, method="bootstrap", replicates=20, **more),
            lambda **more: macros.gaps("log", ["auc", "copc"], **given, by="device", **more),
            lambda **more: macros.gaps("log", "copc", **given, by="device", confidence=0.9, **more),
            lambda **more: macros.evaluate("log", ["copc", "auc"], **given, weight="w", diagnostics=True, **more),
            lambda **more: macros.evaluate("log", "copc", **given, weight="w", diagnostics=True, by="day", **more),
            lambda **more: macros.metric_trend("log", "brier", time="day", trailing=3, **given, **more),
            lambda **more: macros.metric_trend("log", "brier", time="day", by=["device"], confidence=0.9,
                                               cluster="user_id", **given, **more),
            lambda **more: macros.score_drift("scores", **week, **more),
            lambda **more: macros.drift("log", "pctr", by="device", against="log", reference="w > 1", **more),
            lambda **more: macros.drift("log", "pctr", categories="device", weight="w", **week, **more),
        ):  # fmt: skip
            exact, found = as_pandas(engine.query(statement())), as_pandas(engine.query(statement(round=3)))
            assert_rounded(found, exact, 3)
            values = exact.select_dtypes("float64")
            assert (values - values.round(3)).abs().max().max() > 1e-5


@pytest.mark.slow
def test_what_is_no_number_of_digits() -> None:
    given = {"relation": "log", "label": "y", "score": "p"}
    for digits in (-1, 16, 2.5, True, "2", math.inf, math.nan):
        with pytest.raises(sqlmetrics.BadParameter, match="round must be a whole number between 0 and 15, not"):
            sqlmetrics.render("auc", **given, round=digits)
        with pytest.raises(sqlmetrics.BadParameter, match="round must be a whole number between 0 and 15, not"):
            States().metrics_of_state("state", "mae", round=digits)
        with pytest.raises(sqlmetrics.BadParameter, match="round must be a whole number between 0 and 15, not"):
            States().metric_trend("log", "auc", time="day", label="y", score="p", round=digits)
    with pytest.raises(sqlmetrics.BadParameter, match="round: roc_curve is a table"):
        sqlmetrics.render("roc_curve", **given, round=2)
