"""The rendered SQL as text, and the files that are written from the metric files."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

import sqlmetrics
from sqlmetrics.catalogue import Metric, builtin_catalogue, sql_root
from sqlmetrics.definitions import DIALECTS, RENDERED_DIALECTS, TESTED_DIALECTS
from sqlmetrics.descriptions import example_call
from sqlmetrics.generation import generated_files
from sqlmetrics.planning import make_plan
from sqlmetrics.rendering import render_macro, render_plan
from tests.engines.servers import SAME_TEXT
from tests.tiers import in_turn, slow
from tests.variants import calls

METRICS = list(builtin_catalogue().metrics.values())


class SqlText(SingleFileSnapshotExtension):
    """One .sql file per snapshot, read as text in a review."""

    _write_mode = WriteMode.TEXT
    file_extension = "sql"


@pytest.fixture
def sql_text(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(SqlText)


def roles_of(metric: Metric) -> dict[str, str]:
    """A column for each role that a metric needs."""
    columns = {"label": "clicked", "score": "pctr", "group": "user_id", "prediction": "predicted"}
    wanted = [role for role, required in metric.roles().items() if required]
    wanted += ["label"] if "label" in metric.roles() else []
    wanted += ["score"] if "score" in metric.roles() else []
    for key, roles in metric.needs.items():
        parameter, _, value = key.partition("=")
        wanted += roles if str(metric.parameters[parameter].default) == value else []
    relations = {name: f"all_{name}" for name in metric.relations if name != "judgments"}
    wanted += ["position"] if "propensities" in relations else []
    return {role: columns.get(role, role) for role in wanted} | relations


def spec_of(metric: Metric) -> dict[str, object]:
    """The metric with its required parameters as in its example."""
    _, given, _ = example_call(metric)
    required = {name: given[name] for name, parameter in metric.parameters.items() if parameter.required}
    return {"name": metric.name, **required}


@pytest.mark.slow
@pytest.mark.parametrize("dialect", RENDERED_DIALECTS)
def test_every_metric_parses_in_every_rendered_dialect(dialect: str) -> None:
    """Nothing runs these: a parser reads them, once with slices, groupings and NULL slices in the same statement."""
    for metric in METRICS:
        by = [[], ["device"]]
        text = sqlmetrics.render(spec_of(metric), relation="impressions", by=by, dialect=dialect, **roles_of(metric))
        (statement,) = sqlglot.parse(text, read=dialect)
        assert isinstance(statement, sqlglot.exp.Select), metric.name


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("metric", "dialect"),
    [
        pytest.param(
            metric,
            dialect,
            id=f"{metric.name}-{dialect}",
            # The fast tier has a metric in one dialect, the next metric in another.
            marks=[pytest.mark.slow] if (turn + place) % len(TESTED_DIALECTS) else [],
        )
        for turn, metric in enumerate(METRICS)
        for place, dialect in enumerate(TESTED_DIALECTS)
    ],
)
def test_every_metric_parses_in_every_dialect(metric: Metric, dialect: str) -> None:
    for by in (None, [[], ["device"]]):
        text = sqlmetrics.render(spec_of(metric), relation="impressions", by=by, dialect=dialect, **roles_of(metric))
        (statement,) = sqlglot.parse(text, read=dialect)
        assert isinstance(statement, sqlglot.exp.Select)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_text_of_every_metric(metric: Metric, sql_text: SnapshotAssertion) -> None:
    assert sqlmetrics.render(spec_of(metric), relation="impressions", **roles_of(metric)) == sql_text


@pytest.mark.parametrize("dialect", TESTED_DIALECTS)
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("auc_by_device", {"metrics": "auc", "by": "device"}),
        ("auc_weighted", {"metrics": "auc", "weight": "w"}),
        ("auc_pre_aggregated", {"metrics": "auc", "label": None, "positives": "clicks", "total": "impressions"}),
        ("auc_of_two_models", {"metrics": ["auc", "copc"], "score": ["pctr_a", "pctr_b"]}),
        ("ndcg_at_10", {"metrics": "ndcg@10", "group": "query_id"}),
        ("ranking", {"metrics": "ndcg@10, map, mrr, precision@10, recall@10", "group": "query_id"}),
        (
            "all_frames",
            {
                "metrics": ["auc", "copc", "gauc", "ndcg@10", "ece", "x = ece(bins=20, binning='mass')"],
                "group": "user_id",
                "by": [[], ["device"], ["day = cast(ts as date)", "device"]],
                "where": "country = 'DE'",
            },
        ),
    ],
)
def test_text_of_a_call(name: str, arguments: dict[str, object], dialect: str, sql_text: SnapshotAssertion) -> None:
    roles = {"label": "clicked", "score": "pctr"}
    text = sqlmetrics.render(relation="impressions", dialect=dialect, **(roles | arguments))
    assert text == sql_text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_series_has_as_many_rows_as_it_is_asked_for(dialect: str) -> None:
    """Read in the dialect and run by DuckDB, which wants to be told of ClickHouse's `numbers`."""
    [statement] = sqlglot.parse(render_macro(builtin_catalogue(), dialect, "series", 5, "step"), read=dialect)
    assert statement is not None
    with duckdb.connect() as con:
        con.execute("create macro numbers(count) as table select range as number from range(count)")
        assert sorted(con.execute(statement.sql("duckdb")).fetchall()) == [(0,), (1,), (2,), (3,), (4,)]


def test_text_keeps_the_house_style() -> None:
    for metric in METRICS:
        text = sqlmetrics.render(spec_of(metric), relation="impressions", by="device", **roles_of(metric))
        lines = text.splitlines()
        assert lines[0].startswith("-- ")
        assert lines[0].endswith(" of impressions, by device")
        assert not [line for line in lines if line != line.rstrip() or "\t" in line or not line.strip()]
        keywords = re.findall(r"\b(SELECT|FROM|WHERE|GROUP BY|ORDER BY|OVER|AS|CASE|AND)\b", text)
        assert not keywords
        assert all((len(line) - len(line.lstrip())) % 4 == 0 for line in lines), text


@pytest.mark.one_in(4)
@pytest.mark.parametrize("tried", ["two calls", *slow("every call")])
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_step_is_folded_where_it_would_be_worked_out_twice(metric: Metric, tried: str) -> None:
    """DuckDB stores a step that is read twice unless it is told not to. Each says what it reads; here it is counted."""
    two = {"score": ["pctr", "other"]} if metric.roles().get("score") else {}
    calls: list[dict[str, object]] = [{}, {"by": "device"}, {"by": [[], ["device"]], **two}]
    calls += [] if metric.table else [{"by": "device", "checks": True}, {"checks": True}]
    # The fast tier has of each metric the call with the most steps, and another one.
    turn = METRICS.index(metric)
    for call in calls if tried == "every call" else [calls[2], *in_turn(calls[:2] + calls[3:], turn, 1)]:
        text = sqlmetrics.render(spec_of(metric), relation="impressions", **(roles_of(metric) | call))
        assert_steps_are_read(text, metric.table or metric.query)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("relative", [False, True], ids=["difference", "relative"])
@pytest.mark.parametrize("metrics", ["auc", "log_loss, copc", "ks", "gauc, ndcg@5", "auc, log_loss, ks, gauc"])
def test_every_step_of_a_comparison_is_read(metrics: str, relative: bool) -> None:
    roles = {"label": "clicked", "score": ["old", "new"], **({"group": "user_id"} if "gauc" in metrics else {})}
    comparison = {"baseline": None, "relative": relative, "test": "t", "adjust": "holm", "power": 0.8}
    one = {**roles, "score": "new"}, {**comparison, "against": {"relation": "yesterday"}}
    for cluster in ("session_id", None):
        for given, of in ((roles, comparison), one):
            plan = make_plan(builtin_catalogue(), metrics, relation="impressions", relation_text="impressions",
                             roles=given, by="device", cluster=cluster, confidence=0.95, comparison=of)  # fmt: skip
            assert_steps_are_read(render_plan(builtin_catalogue(), "duckdb", plan), False)


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "randomization"])
def test_every_step_of_a_test_is_read(test: str) -> None:
    comparison = {"baseline": None, "relative": False, "test": test, "adjust": "holm", "power": 0.8}
    roles = {"label": "clicked", "score": ["old", "new"], "group": "user_id"}
    plan = make_plan(builtin_catalogue(), "log_loss, ndcg@5", relation="impressions", relation_text="impressions",
                     roles=roles, by="device", confidence=0.95, comparison=comparison)  # fmt: skip
    assert_steps_are_read(render_plan(builtin_catalogue(), "duckdb", plan), False)


def assert_steps_are_read(text: str, freely: bool) -> None:
    """Each step by someone; by more than one where it is stored, or where the text says that it shall be folded."""
    tree = sqlglot.parse_one(text, read="duckdb")
    steps = {step.alias: step for step in tree.ctes}
    times = dict.fromkeys(steps, 0)
    with_clause = tree.args["with_"]
    with_clause.pop()
    for table in tree.find_all(sqlglot.exp.Table):
        times[table.name] += table.name in steps
    for name, step in reversed(steps.items()):
        stored = step.args["materialized"]
        for table in step.this.find_all(sqlglot.exp.Table):
            if table.name in steps:
                times[table.name] += 1 if stored else times[name]
    for name, step in steps.items():
        assert times[name] > 0, f"nobody reads {name}: {text}"
        # What a table metric or a metric with a statement of its own reads, it may read as often as it likes.
        if step.args["materialized"] is None:
            assert times[name] <= 1, f"{name}: {text}"
        elif not step.args["materialized"]:
            assert times[name] > 1 or freely, f"{name}: {text}"


@pytest.fixture(scope="module")
def written() -> dict[Path, str]:
    """They take seconds: the tests of them stay in one process (tests/plugin.py)."""
    return generated_files()


@pytest.mark.slow
def test_generated_files_are_fresh(written: dict[Path, str]) -> None:
    """`.ci/run` asks so of every commit, by `python -m sqlmetrics.generation --check`."""
    assert len(written) > 10
    stale = [str(path) for path, text in written.items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run python -m sqlmetrics.generation"


@pytest.mark.slow
def test_generated_files_are_folded_in_a_diff(written: dict[Path, str]) -> None:
    """Those that are written whole, and say so; of others the rest is to be seen."""
    root = sql_root().parent
    lines = (root / ".gitattributes").read_text(encoding="utf-8").splitlines()
    folded = [line.split()[0] for line in lines if line.endswith(" linguist-generated")]
    for path, text in written.items():
        name = str(path.relative_to(root))
        whole = "Written by `python -m sqlmetrics.generation`" in text[:500]
        assert any(fnmatch(name, pattern) for pattern in folded) == whole, name


def test_templates_qualify_their_macros() -> None:
    """A macro called without `sqlmetrics.` would, in plain Jinja, be another host's macro or none."""
    macros = "|".join(map(re.escape, builtin_catalogue().macros))
    unqualified = re.compile(rf"(?<![\w.'])({macros})\(")
    for path in sql_root().rglob("*.sql"):
        calls = re.findall(r"\{[{%](.*?)[%}]\}", path.read_text(encoding="utf-8"), re.DOTALL)
        for call in calls:
            if not call.lstrip("- ").startswith("macro "):
                text = re.sub(r"'[^'\n]*'|\"[^\"\n]*\"", "''", call)
                assert not unqualified.search(text), f"{path.name}: {call.strip()}"


@pytest.mark.parametrize("dialect", ["bigquery", "snowflake"])
def test_scores_of_single_precision_are_refused_where_there_are_none(dialect: str) -> None:
    """Snowflake's REAL has 64 bits, so that a tie of trec_eval would be none there."""
    call: dict[str, Any] = {"relation": "log", "label": "grade", "score": "s", "group": "query", "item": "doc"}
    with pytest.raises(sqlmetrics.BadParameter, match=r"has no 32-bit numbers, .* precision_of_scores='double'"):
        sqlmetrics.render("ndcg", preset="trec_eval", dialect=dialect, **call)
    text = sqlmetrics.render("ndcg(precision_of_scores='double')", preset="trec_eval", dialect=dialect, **call)
    assert "as real)" not in text


@pytest.mark.parametrize(("dialect", "other"), SAME_TEXT.items())
def test_a_dialect_that_has_the_text_of_another(dialect: str, other: str) -> None:
    """What is known of one is known of the other."""
    for call in calls():
        roles = {**call.roles, **dict.fromkeys(call.relations(call.roles), "relation")}
        texts = [sqlmetrics.render(call.specs, relation="log", dialect=name, **roles) for name in (dialect, other)]
        assert texts[0] == texts[1]
