"""The text of `render_compare` and `render_gaps` gives what `compare` and `gaps` return."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner

import sqlmetrics
from sqlmetrics.arguments import arguments_of
from sqlmetrics.cli import main
from sqlmetrics.column_types import as_pandas
from tests.engines.servers import ENGINES
from tests.statistics.test_state_settings import LOG
from tests.tiers import slow

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
    "signs": ("ndcg@5", {**MODELS, "cluster": None, "group": "session", "test": "wilcoxon"}),
    "two relations": ("copc", {**ONE_MODEL, "cluster": "user_id", "against": "later"}),
}
GAPS: dict[str, tuple[Any, dict[str, Any]]] = {
    "values": (["auc", "copc"], {**ONE_MODEL, "by": "device"}),
    "sure": ("demographic_parity", {"score": "pctr", "by": "device", "confidence": 0.9, "cluster": "user_id",
                                    "where": "w > 0.5"}),
    "large slices": ("brier", {**ONE_MODEL, "by": [["day"], ["device"]], "min_rows": 60}),
}  # fmt: skip
#: Spark takes seconds for each.
ON_SPARK = ("slices and groups", "sure")


@pytest.fixture(scope="module", params=["duckdb", *slow("postgres", "spark")])
def loaded(request: pytest.FixtureRequest) -> Any:
    tables = {"log": pa.Table.from_pandas(ROWS, preserve_index=False),
              "later": pa.Table.from_pandas(LATER, preserve_index=False)}  # fmt: skip
    with ENGINES[request.param](tables) as engine:
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
    own = {"relation", "dialect", "shape", "round"}
    for text, run, missing in [("render_compare", "compare", {"min_rows"}), ("render_gaps", "gaps", set())]:
        names = {argument.name for argument in arguments_of(text)}
        names_of_run = {argument.name for argument in arguments_of(run)}
        assert names - names_of_run == own
        assert names_of_run - names == {"data", "con", "threads", "memory_limit", "engine", "strict", *missing}


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
        (sqlmetrics.render_compare, "against is empty", {"score": "p", "against": ""}),
        (sqlmetrics.render_compare, "score", {"score": "pctr"}),
        (sqlmetrics.render_gaps, "dialect must be one of", {"by": "device", "dialect": "oracle"}),
        (sqlmetrics.render_gaps, "min_rows must be a whole number", {"by": "device", "min_rows": -1}),
        (sqlmetrics.render_gaps, "by", {}),
    ]:  # fmt: skip
        with pytest.raises(sqlmetrics.BadParameter, match=words):
            render("auc", **{**models, **arguments})
