"""The text of comparisons and of gaps: run by hand, it gives what `compare` and `gaps` give."""

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

#: Of another order than `pctr`: the tests by ranks would else rank the last bits of nothing.
#: A session is one of a user's.
ROWS = LOG.iloc[:1200].assign(
    other=lambda log: (log["pctr"] * 0.7 + log.index * 7919 % 1000 / 4000).round(4),
    session=lambda log: log["user_id"] + (log["session"] % 3).astype(str),
)
LATER = LOG.iloc[1200:2200]
BOTH: dict[str, Any] = {"label": "clicked", "score": ["other", "pctr"], "cluster": "user_id"}
COMPARISONS: dict[str, tuple[Any, dict[str, Any]]] = {
    "overall": ("auc", BOTH),
    "slices and groups": (["auc", "brier", "gauc"], {**BOTH, "group": "session", "by": [[], ["device"]]}),
    "relative, baseline": ("log_loss", {**BOTH, "baseline": "pctr", "relative": True, "adjust": "bh"}),
    "bootstrap": ("brier", {**BOTH, "method": "bootstrap", "replicates": 30, "seed": 4, "by": "device"}),
    "signs": ("ndcg@5", {**BOTH, "cluster": None, "group": "session", "test": "wilcoxon"}),
    "two relations": ("copc", {"label": "clicked", "score": "pctr", "cluster": "user_id", "against": "later"}),
}
GAPS: dict[str, tuple[Any, dict[str, Any]]] = {
    "values": (["auc", "copc"], {"label": "clicked", "score": "pctr", "by": "device"}),
    "sure": ("demographic_parity", {"score": "pctr", "by": "device", "confidence": 0.9,
                                    "cluster": "user_id", "where": "w > 0.5"}),
    "large slices": ("brier", {"label": "clicked", "score": "pctr", "by": [["day"], ["device"]], "min_rows": 60}),
}  # fmt: skip


def assert_same(text: str, engine: Any, expected: pd.DataFrame) -> None:
    found = as_pandas(engine.query(text))
    assert list(found) == list(expected)
    assert len(found) == len(expected) > 0
    for name in expected:
        if expected.dtypes[name] == "float64":
            pd.testing.assert_series_equal(found[name].astype("float64"), expected[name], rtol=1e-9)
        else:
            ours, theirs = ([None if pd.isna(one) else one for one in rows[name]] for rows in (found, expected))
            assert ours == theirs, name


@pytest.fixture(
    scope="module", params=["duckdb", *(pytest.param(name, marks=pytest.mark.slow) for name in ("postgres", "spark"))]
)
def engine(request: pytest.FixtureRequest) -> Any:
    tables = {"log": pa.Table.from_pandas(ROWS, preserve_index=False),
              "later": pa.Table.from_pandas(LATER, preserve_index=False)}  # fmt: skip
    with ENGINES[request.param](tables) as opened:
        yield opened


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", COMPARISONS)
def test_a_comparison_run_by_hand(engine: Any, name: str) -> None:
    metrics, given = COMPARISONS[name]
    text = sqlmetrics.render_compare(metrics, relation="log", dialect=engine.dialect, **given)
    assert text.endswith("\n")
    data = {"against": LATER} if "against" in given else {}
    expected = sqlmetrics.compare(ROWS, metrics, **{**given, **data})
    assert_same(text, engine, expected)


@pytest.mark.parametrize("name", GAPS)
def test_gaps_run_by_hand(engine: Any, name: str) -> None:
    metrics, given = GAPS[name]
    text = sqlmetrics.render_gaps(metrics, relation="log", dialect=engine.dialect, **given)
    assert_same(text, engine, sqlmetrics.gaps(ROWS, metrics, **given))


def test_both_take_what_running_takes_but_for_the_data() -> None:
    own = {"relation", "dialect", "shape", "round"}
    for text, run, less in [("render_compare", "compare", {"min_rows"}), ("render_gaps", "gaps", set())]:
        names = {one.name for one in arguments_of(text)}
        of_running = {one.name for one in arguments_of(run)}
        assert names - of_running == own
        assert of_running - names == {"data", "con", "threads", "memory_limit", "engine", "strict", *less}


def test_the_shell_prints_them() -> None:
    given = ["--relation", "log", "--label", "clicked", "--by", "device", "--dialect", "spark"]
    for arguments, text in [
        (["sql-compare", "auc", "-m", "brier", "--score", "other,pctr", "--cluster", "user_id", "--adjust", "bh"],
         sqlmetrics.render_compare(["auc", "brier"], relation="log", label="clicked", by="device", dialect="spark",
                                   score=["other", "pctr"], cluster="user_id", adjust="bh")),
        (["sql-compare", "copc", "--score", "pctr", "--against", "later", "--round", "4"],
         sqlmetrics.render_compare("copc", relation="log", label="clicked", by="device", dialect="spark", score="pctr",
                                   against="later", round=4)),
        (["sql-gaps", "equalized_odds", "--score", "pctr", "--min-rows", "20", "--confidence", "0.9"],
         sqlmetrics.render_gaps("equalized_odds", relation="log", label="clicked", by="device", dialect="spark",
                                score="pctr", min_rows=20, confidence=0.9)),
    ]:  # fmt: skip
        done = CliRunner().invoke(main, [*arguments, *given])
        assert (done.exit_code, done.output) == (0, text)


def test_round_and_what_is_refused() -> None:
    given: dict[str, Any] = {"relation": "log", "label": "clicked", "score": ["other", "pctr"]}
    with ENGINES["duckdb"]({"log": pa.Table.from_pandas(ROWS, preserve_index=False)}) as engine:
        found = engine.query(sqlmetrics.render_compare("auc", **given, round=2))
    assert found["difference"].tolist() == found["difference"].round(2).tolist()
    for words, call in [
        ("relation must be a table or a sub-query as text, not DataFrame",
         lambda: sqlmetrics.render_compare("auc", **{**given, "relation": ROWS})),
        ("against must be a table or a sub-query as text, not DataFrame",
         lambda: sqlmetrics.render_compare("auc", relation="log", label="y", score="p", against=LATER)),
        ("against is empty", lambda: sqlmetrics.render_compare("auc", relation="t", label="y", score="p", against="")),
        ("dialect must be one of", lambda: sqlmetrics.render_gaps("auc", **given, by="device", dialect="oracle")),
        ("min_rows must be a whole number", lambda: sqlmetrics.render_gaps("auc", **given, by="device", min_rows=-1)),
        ("by", lambda: sqlmetrics.render_gaps("auc", **given)),
        ("score", lambda: sqlmetrics.render_compare("auc", **{**given, "score": "pctr"})),
    ]:  # fmt: skip
        with pytest.raises(sqlmetrics.BadParameter, match=words):
            call()
