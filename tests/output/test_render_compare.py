"""Rendered comparisons and gaps return the results of `compare` and `gaps`, and values can be rounded."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import sqlmetrics
from sqlmetrics.tables import as_pandas
from tests.calls import shell
from tests.engines.servers import ENGINES
from tests.parameters import slow
from tests.statistics.test_state_settings import LOG
from tests.statistics.test_states import States

#: `other` orders the rows differently than `pctr`, so that rank tests do not compare rounding errors. Each session
#: belongs to one user.
ROWS = LOG.iloc[:1200].assign(
    other=lambda log: (log["pctr"] * 0.7 + log.index * 7919 % 1000 / 4000).round(4),
    session=lambda log: log["user_id"] + (log["session"] % 3).astype(str),
)
LATER = LOG.iloc[1200:2200]
MODELS: dict[str, Any] = {"label": "clicked", "score": ["other", "pctr"], "cluster": "user_id"}
ONE_MODEL: dict[str, Any] = {"label": "clicked", "score": "pctr"}
COMPARISONS: dict[str, tuple[Any, dict[str, Any]]] = {
    "overall": ("auc", MODELS),
    "slices and groups": (["auc", "brier", "gauc"], {**MODELS, "group": "session", "by": [[], ["device"]]}),
    "relative, baseline": ("log_loss", {**MODELS, "baseline": "pctr", "relative": True, "adjust": "bh"}),
    "bootstrap": ("brier", {**MODELS, "method": "bootstrap", "replicates": 30, "seed": 4, "by": "device"}),
    "groups": ("ndcg@5", {**MODELS, "cluster": None, "group": "session"}),
    "two relations": ("copc", {**ONE_MODEL, "cluster": "user_id", "against": "later"}),
}
GAPS: dict[str, tuple[Any, dict[str, Any]]] = {
    "values": (["auc", "copc"], {**ONE_MODEL, "by": "device"}),
    "sure": ("demographic_parity", {"score": "pctr", "by": "device", "confidence": 0.9, "cluster": "user_id",
                                    "where": "w > 0.5"}),
    "large slices": ("brier", {**ONE_MODEL, "by": [["day"], ["device"]], "min_rows": 60}),
}  # fmt: skip


@pytest.fixture(scope="module", params=["duckdb", *slow("postgres")])
def loaded(request: pytest.FixtureRequest) -> Any:
    options: dict[str, Any] = {**ONE_MODEL, "by": "device", "buckets": 20, "cluster": "user_id"}
    tables = {
        "log": ROWS,
        "later": LATER,
        "scores": sqlmetrics.state(ROWS, **options),
        "sums": sqlmetrics.state(ROWS, ["copc", "brier"], **options),
        "days": sqlmetrics.state(ROWS, **ONE_MODEL, by="day", bins=30),
    }
    arrow = {name: pa.Table.from_pandas(table, preserve_index=False) for name, table in tables.items()}
    with ENGINES[request.param](arrow) as engine:
        yield engine


@pytest.mark.slow
def test_text_of_comparisons_and_gaps_runs_on_engines(loaded: Any) -> None:
    for name, (metrics, arguments) in (COMPARISONS | GAPS).items():
        action = "compare" if name in COMPARISONS else "gaps"
        data = {"against": LATER} if "against" in arguments else {}
        expected = getattr(sqlmetrics, action)(ROWS, metrics, **{**arguments, **data})
        text = getattr(sqlmetrics, f"render_{action}")(metrics, relation="log", dialect=loaded.dialect, **arguments)
        result = as_pandas(loaded.query(text))
        assert len(expected) > 0
        objects = expected.select_dtypes(exclude="float64").columns
        result[objects] = result[objects].astype(expected.dtypes[objects])
        pd.testing.assert_frame_equal(result, expected, rtol=1e-9, check_dtype=False, obj=name)


def test_shell_prints_the_text() -> None:
    common: dict[str, Any] = {"relation": "log", "label": "clicked", "by": "device", "dialect": "spark"}
    models = {"score": ["other", "pctr"], "cluster": "user_id", "adjust": "bh"}
    for command, text in [
        ("sql-compare auc -m brier --score other,pctr --cluster user_id --adjust bh",
         sqlmetrics.render_compare(["auc", "brier"], **common, **models)),
        ("sql-compare copc --score pctr --against later --round 4",
         sqlmetrics.render_compare("copc", **common, score="pctr", against="later", round=4)),
        ("sql-compare auc --score other,pctr --adjust none",
         sqlmetrics.render_compare("auc", **common, score=["other", "pctr"], adjust=None)),
        ("sql-gaps equalized_odds --score pctr --min-rows 20 --confidence 0.9",
         sqlmetrics.render_gaps("equalized_odds", **common, score="pctr", min_rows=20, confidence=0.9)),
    ]:  # fmt: skip
        options = [word for name, value in common.items() for word in (f"--{name}", value)]
        result = shell(*command.split(), *options)
        assert (result.exit_code, result.output) == (0, text)
        assert text.endswith("\n")


def test_render_compare_and_gaps_reject_invalid_arguments() -> None:
    models: dict[str, Any] = {"relation": "log", "label": "clicked", "score": ["other", "pctr"]}
    for render, message, arguments in [
        (sqlmetrics.render_compare, "relation must be a table or a subquery as a string, not Data", {"relation": ROWS}),
        (sqlmetrics.render_compare, "against must be a table or a subquery as a string, not DataFrame",
         {"score": "p", "against": LATER}),
        (sqlmetrics.render_compare, "test='wilcoxon' requires SciPy: call sqlmetrics.compare in Python, or",
         {"score": ["p", "q"], "test": "wilcoxon"}),
        (sqlmetrics.render_compare, "against is empty", {"score": "p", "against": ""}),
        (sqlmetrics.render_gaps, "min_rows must be a whole number", {"by": "device", "min_rows": -1}),
    ]:  # fmt: skip
        with pytest.raises(sqlmetrics.BadParameter, match=message):
            render("auc", **{**models, **arguments})


def test_intervals_states_and_comparisons_are_rounded(loaded: Any) -> None:
    """All numbers are rounded; conclusions depend on the exact values."""
    macros = States(loaded.dialect)
    interval: dict[str, Any] = {"by": "device", "confidence": 0.95, "standard_error": True}
    days = {"current": "day >= '2026-03-03'", "reference": "day < '2026-03-03'"}
    trend: dict[str, Any] = {**ONE_MODEL, "time": "day", "by": ["device"], "confidence": 0.9, "cluster": "user_id"}
    statements: list[Callable[..., str]] = [
        lambda **more: macros.evaluate("log", "auc, copc", **ONE_MODEL, cluster="user_id", **interval, **more),
        lambda **more: macros.evaluate("log", "gauc, ndcg@5", **ONE_MODEL, group="user_id", **more),
        lambda **more: macros.evaluate("log", "copc", **ONE_MODEL, weight="w", diagnostics=True, by="day", **more),
        lambda **more: macros.compare("log", ["auc", "brier"], **MODELS, by="device", **more),
        lambda **more: macros.state_metrics("scores", **interval, **more),
        lambda **more: macros.metrics_of_state("sums", ["copc", "brier"], **interval, **more),
        lambda **more: macros.gaps("log", ["auc", "copc"], **ONE_MODEL, by="device", confidence=0.9, **more),
        lambda **more: macros.metric_trend("log", "brier", **trend, **more),
        lambda **more: macros.drift("days", "score_key", weight="= positives + negatives", **days, **more),
    ]
    for statement in statements:
        rounded, exact = (as_pandas(loaded.query(text)) for text in (statement(round=3), statement()))
        pd.testing.assert_frame_equal(rounded, exact, rtol=0, atol=0.0005 * (1 + 1e-6))
        pd.testing.assert_frame_equal(rounded, rounded.round(3), rtol=0, atol=1e-12)
        assert not exact.equals(exact.round(4))


def test_round_rejects_invalid_digits() -> None:
    macros = States()
    renders: list[Callable[[Any], str]] = [
        lambda digits: sqlmetrics.render("auc", relation="log", **ONE_MODEL, round=digits),
        lambda digits: macros.metrics_of_state("state", "mae", round=digits),
        lambda digits: macros.metric_trend("log", "auc", time="day", **ONE_MODEL, round=digits),
    ]
    for digits, render in zip((-1, 16, 2.5, True, "2", math.nan), renders * 2, strict=True):
        with pytest.raises(sqlmetrics.BadParameter, match="round must be a whole number between 0 and 15, not"):
            render(digits)
    with pytest.raises(sqlmetrics.BadParameter, match="round: roc_curve is a table"):
        sqlmetrics.render("roc_curve", relation="log", **ONE_MODEL, round=2)
