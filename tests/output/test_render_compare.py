"""The text of comparisons and gaps gives what `compare` and `gaps` return, and rendered values can be rounded."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner

import sqlmetrics
from sqlmetrics.arguments import arguments_of
from sqlmetrics.cli.main import main
from sqlmetrics.column_types import as_pandas
from tests.engines.servers import ENGINES
from tests.parameters import slow
from tests.statistics.test_state_settings import LOG
from tests.statistics.test_states import States
from tests.variants import by_frame, calls

#: `other` orders the rows differently than `pctr`, so that tests on ranks do not rank rounding errors. A session
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
#: Spark takes seconds for each.
ON_SPARK = ("sure",)


@pytest.fixture(scope="module", params=["duckdb", *slow("postgres", "spark")])
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


def test_text_of_comparisons_and_gaps_runs_on_engines(loaded: Any) -> None:
    for name, (metrics, arguments) in (COMPARISONS | GAPS).items():
        if loaded.dialect == "spark" and name not in ON_SPARK:
            continue
        action = "compare" if name in COMPARISONS else "gaps"
        data = {"against": LATER} if "against" in arguments else {}
        expected = getattr(sqlmetrics, action)(ROWS, metrics, **{**arguments, **data})
        text = getattr(sqlmetrics, f"render_{action}")(metrics, relation="log", dialect=loaded.dialect, **arguments)
        result = as_pandas(loaded.query(text))
        assert len(expected) > 0
        objects = expected.select_dtypes(exclude="float64").columns
        result[objects] = result[objects].astype(expected.dtypes[objects])
        pd.testing.assert_frame_equal(result, expected, rtol=1e-9, check_dtype=False, obj=name)


def test_render_functions_take_the_arguments_of_compare_and_gaps() -> None:
    for action, missing in (("compare", {"min_rows"}), ("gaps", set())):
        text, run = ({argument.name for argument in arguments_of(call)} for call in (f"render_{action}", action))
        assert text - run == {"relation", "dialect", "shape", "round"}
        assert run - text == {"data", "con", "threads", "memory_limit", "engine", "strict", *missing}


def test_shell_prints_the_text() -> None:
    common: dict[str, Any] = {"relation": "log", "label": "clicked", "by": "device", "dialect": "spark"}
    models = {"score": ["other", "pctr"], "cluster": "user_id", "adjust": "bh"}
    for command, text in [
        ("sql-compare auc -m brier --score other,pctr --cluster user_id --adjust bh",
         sqlmetrics.render_compare(["auc", "brier"], **common, **models)),
        ("sql-compare copc --score pctr --against later --round 4",
         sqlmetrics.render_compare("copc", **common, score="pctr", against="later", round=4)),
        ("sql-gaps equalized_odds --score pctr --min-rows 20 --confidence 0.9",
         sqlmetrics.render_gaps("equalized_odds", **common, score="pctr", min_rows=20, confidence=0.9)),
    ]:  # fmt: skip
        options = [word for name, value in common.items() for word in (f"--{name}", value)]
        result = CliRunner().invoke(main, [*command.split(), *options])
        assert (result.exit_code, result.output) == (0, text)
        assert text.endswith("\n")


def test_render_compare_and_gaps_reject_invalid_arguments() -> None:
    models: dict[str, Any] = {"relation": "log", "label": "clicked", "score": ["other", "pctr"]}
    for render, words, arguments in [
        (sqlmetrics.render_compare, "relation must be a table or a sub-query as text, not Data", {"relation": ROWS}),
        (sqlmetrics.render_compare, "against must be a table or a sub-query as text, not DataFrame",
         {"score": "p", "against": LATER}),
        (sqlmetrics.render_compare, "test='wilcoxon', which no SQL does: call sqlmetrics.compare in Python, or",
         {"score": ["p", "q"], "test": "wilcoxon"}),
        (sqlmetrics.render_compare, "against is empty", {"score": "p", "against": ""}),
        (sqlmetrics.render_compare, "score", {"score": "pctr"}),
        (sqlmetrics.render_gaps, "dialect must be one of", {"by": "device", "dialect": "oracle"}),
        (sqlmetrics.render_gaps, "min_rows must be a whole number", {"by": "device", "min_rows": -1}),
        (sqlmetrics.render_gaps, "by", {}),
    ]:  # fmt: skip
        with pytest.raises(sqlmetrics.BadParameter, match=words):
            render("auc", **{**models, **arguments})


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


def test_columns_of_every_frame_are_rounded() -> None:
    for call in by_frame(call for call in calls() if not call.table):
        read = {name for metric in call.asked for name in metric.metric.relations}
        roles = {**call.roles, **{name: name for name in call.relations(call.roles) if name in read}}
        text = sqlmetrics.render(call.specs, relation="log", by="country", round=2, **roles)
        for column in [column for metric in call.asked for column in metric.columns.values()]:
            rounded = rf'\bround\((?:(?!\bround\()[\s\S])*?, 2\).* as "?{column}"?,?$'
            assert re.search(rounded, text, re.MULTILINE), column


def statements(dialect: str) -> list[Callable[..., str]]:
    """Each takes `round`. Spark takes seconds for a statement, and runs the first ones only."""
    macros = States(dialect)
    interval: dict[str, Any] = {"confidence": 0.95, "standard_error": True}
    models = {**MODELS, "by": "device"}
    week = {"current": "day >= '2026-03-03'", "reference": "day < '2026-03-03'"}
    weighted = {**ONE_MODEL, "weight": "w", "diagnostics": True}
    trend = {**ONE_MODEL, "time": "day"}
    return [
        lambda **more: sqlmetrics.render(["auc", "copc"], relation="log", **ONE_MODEL, by="device", cluster="user_id",
                                         dialect=dialect, **interval, **more),
        lambda **more: macros.compare("log", ["auc", "brier"], **models, **more),
        lambda **more: sqlmetrics.render_compare("auc", relation="log", **models, dialect=dialect, **more),
        lambda **more: macros.state_metrics("scores", by="device", **interval, **more),
        lambda **more: macros.metrics_of_state("sums", ["copc", "brier"], by="device", **interval, **more),
        lambda **more: macros.compare("log", "brier", **models, method="bootstrap", replicates=20, **more),
        lambda **more: macros.gaps("log", ["auc", "copc"], **ONE_MODEL, by="device", **more),
        lambda **more: macros.gaps("log", "copc", **ONE_MODEL, by="device", confidence=0.9, **more),
        lambda **more: macros.evaluate("log", ["copc", "auc"], **weighted, **more),
        lambda **more: macros.evaluate("log", "copc", **weighted, by="day", **more),
        lambda **more: macros.metric_trend("log", "brier", **trend, trailing=3, **more),
        lambda **more: macros.metric_trend("log", "brier", **trend, by=["device"], confidence=0.9, cluster="user_id",
                                           **more),
        lambda **more: macros.score_drift("days", **week, **more),
        lambda **more: macros.drift("log", "pctr", by="device", against="log", reference="w > 1", **more),
        lambda **more: macros.drift("log", "pctr", categories="device", weight="w", **week, **more),
    ]  # fmt: skip


def test_intervals_states_and_comparisons_are_rounded(loaded: Any) -> None:
    """Conclusions such as a verdict are drawn from the exact values."""
    for statement in statements(loaded.dialect)[: 1 if loaded.dialect == "spark" else None]:
        rounded, exact = (as_pandas(loaded.query(text)) for text in (statement(round=3), statement()))
        assert_rounded(rounded, exact, 3)


def test_round_rejects_invalid_digits() -> None:
    macros = States()
    for digits in (-1, 16, 2.5, True, "2", math.inf, math.nan):
        with pytest.raises(sqlmetrics.BadParameter, match="round must be a whole number between 0 and 15, not"):
            sqlmetrics.render("auc", relation="log", **ONE_MODEL, round=digits)
    for call in (lambda: macros.metrics_of_state("state", "mae", round=-1),
                 lambda: macros.metric_trend("log", "auc", time="day", **ONE_MODEL, round=-1)):  # fmt: skip
        with pytest.raises(sqlmetrics.BadParameter, match="round must be a whole number between 0 and 15, not"):
            call()
    with pytest.raises(sqlmetrics.BadParameter, match="round: roc_curve is a table"):
        sqlmetrics.render("roc_curve", relation="log", **ONE_MODEL, round=2)
