"""Values rounded by `round`, for snapshots that must not depend on the last bits."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sqlmetrics
from sqlmetrics.catalogue import sql_root
from sqlmetrics.column_types import as_pandas
from tests.engines.servers import ENGINES
from tests.statistics.test_state_settings import LOG
from tests.statistics.test_states import States
from tests.tiers import slow
from tests.variants import calls

ROLES: dict[str, Any] = {"label": "clicked", "score": "pctr"}


def assert_rounded(rounded: pd.DataFrame, exact: pd.DataFrame, digits: int) -> None:
    """Every number is rounded to the digits, and nothing else changes."""
    assert list(rounded) == list(exact)
    for name in exact:
        if exact.dtypes[name] != "float64":
            assert rounded[name].tolist() == exact[name].tolist()
            continue
        assert np.array_equal(rounded[name].isna(), exact[name].isna())
        both = rounded[[name]].assign(exact=exact[name]).replace([np.inf, -np.inf], np.nan).dropna().to_numpy()
        assert np.abs(both[:, 0] - both[:, 1]).max(initial=0) <= 0.5 * 10.0**-digits * (1 + 1e-6)
        assert np.abs(both[:, 0] - both[:, 0].round(digits)).max(initial=0) <= 1e-12
    values = exact.select_dtypes("float64").replace([np.inf, -np.inf], np.nan)
    assert (values - values.round(digits)).abs().max().max() > 10.0 ** -(digits + 2)


def test_every_column_of_every_metric_is_rounded() -> None:
    for call in calls():
        if not call.table:
            relations = {name: name for name in call.relations(call.roles)}
            text = sqlmetrics.render(call.specs, relation="log", by="country", round=2, **{**call.roles, **relations})
            for column in [column for metric in call.asked for column in metric.columns.values()]:
                assert re.search(rf'^    .*\bround\(.*, 2\).* as "?{column}"?,?$', text, re.MULTILINE), column


class PublicMacros(States):
    """Also the macros that only dbt has: those of single metrics, `compare` and `gaps`."""

    def __init__(self, dialect: str) -> None:
        super().__init__(dialect)
        self._catalogue._add_macros(sql_root() / "macros" / "generated" / "metrics.sql")


def statements(dialect: str) -> list[Callable[..., str]]:
    """Each takes `round`. Spark takes seconds for a statement, and runs the first ones only."""
    macros = PublicMacros(dialect)
    interval: dict[str, Any] = {"confidence": 0.95, "standard_error": True}
    models: dict[str, Any] = {"label": "clicked", "score": ["other", "pctr"], "by": "device", "cluster": "user_id"}
    week = {"current": "day >= '2026-03-03'", "reference": "day < '2026-03-03'"}
    both = ["copc", "brier"]
    return [
        lambda **more: sqlmetrics.render(["auc", "copc"], relation="log", **ROLES, by="device", cluster="user_id",
                                         dialect=dialect, **interval, **more),
        lambda **more: macros.compare("log", ["auc", "brier"], **models, **more),
        lambda **more: sqlmetrics.render_compare("auc", relation="log", **models, dialect=dialect, **more),
        lambda **more: macros.state_metrics("scores", by="device", **more),
        lambda **more: macros.state_metrics("scores", by="device", **interval, **more),
        lambda **more: macros.metrics_of_state("sums", both, **more),
        lambda **more: macros.metrics_of_state("sums", both, by="device", **interval, **more),
        lambda **more: macros.compare("log", "brier", **models, method="bootstrap", replicates=20, **more),
        lambda **more: macros.gaps("log", ["auc", "copc"], **ROLES, by="device", **more),
        lambda **more: macros.gaps("log", "copc", **ROLES, by="device", confidence=0.9, **more),
        lambda **more: macros.evaluate("log", ["copc", "auc"], **ROLES, weight="w", diagnostics=True, **more),
        lambda **more: macros.evaluate("log", "copc", **ROLES, weight="w", diagnostics=True, by="day", **more),
        lambda **more: macros.metric_trend("log", "brier", time="day", trailing=3, **ROLES, **more),
        lambda **more: macros.metric_trend("log", "brier", time="day", by=["device"], confidence=0.9,
                                           cluster="user_id", **ROLES, **more),
        lambda **more: macros.score_drift("days", **week, **more),
        lambda **more: macros.drift("log", "pctr", by="device", against="log", reference="w > 1", **more),
        lambda **more: macros.drift("log", "pctr", categories="device", weight="w", **week, **more),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["duckdb", *slow("postgres", "spark")])
def test_intervals_states_and_comparisons_are_rounded(name: str) -> None:
    """Conclusions such as a verdict are drawn from the exact values."""
    rows = LOG.iloc[:900].assign(other=lambda log: (log["pctr"] * 0.8).round(4))
    tables = {
        "log": rows,
        "scores": sqlmetrics.state(rows, **ROLES, by="device", buckets=20, cluster="user_id"),
        "sums": sqlmetrics.state(rows, ["copc", "brier"], **ROLES, by="device", buckets=20, cluster="user_id"),
        "days": sqlmetrics.state(rows, **ROLES, by="day", bins=30),
    }
    arrow = {key: pa.Table.from_pandas(table, preserve_index=False) for key, table in tables.items()}
    with ENGINES[name](arrow) as engine:
        for statement in statements(name)[: 2 if name == "spark" else None]:
            rounded, exact = (as_pandas(engine.query(text)) for text in (statement(round=3), statement()))
            assert_rounded(rounded, exact, 3)


@pytest.mark.parametrize("digits", [-1, 16, 2.5, True, "2", math.inf, math.nan])
def test_round_rejects_invalid_digits(digits: Any) -> None:
    for call in (
        lambda: sqlmetrics.render("auc", relation="log", **ROLES, round=digits),
        lambda: States().metrics_of_state("state", "mae", round=digits),
        lambda: States().metric_trend("log", "auc", time="day", **ROLES, round=digits),
    ):
        with pytest.raises(sqlmetrics.BadParameter, match="round must be a whole number between 0 and 15, not"):
            call()
    with pytest.raises(sqlmetrics.BadParameter, match="round: roc_curve is a table"):
        sqlmetrics.render("roc_curve", relation="log", **ROLES, round=2)
