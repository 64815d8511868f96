"""The rendered SQL as text, and the files that are generated from the metric files."""

from __future__ import annotations

import functools
import re
from collections import Counter
from typing import Any

import duckdb
import pytest
import sqlglot
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

import sqlmetrics
from sqlmetrics.authoring.describe import describe_interval, example_of
from sqlmetrics.catalogue.dialects import DIALECTS, TESTED_DIALECTS
from sqlmetrics.catalogue.model import Metric
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.rendering.macros import call_macro, render_macro
from tests import ROOT
from tests.engines.servers import READ_BACK, SAME_TEXT
from tests.parameters import quick_every

METRICS = list(builtin_catalogue().metrics.values())
#: The first metric of each frame; the others share its steps.
FIRST_OF_FRAME = {metric.frames[-1]: metric for metric in reversed(METRICS)}
#: A step (CTE): its name, its `materialized` option, and its text.
STEP = re.compile(r"^(\w+) as ((?:not )?materialized )?\(\n(.*?)^\)", re.MULTILINE | re.DOTALL)


class SqlText(SingleFileSnapshotExtension):
    """A separate .sql file per snapshot, for reviews."""

    _write_mode = WriteMode.TEXT
    file_extension = "sql"


def roles_of(metric: Metric) -> dict[str, str]:
    """A column for each required role of a metric."""
    columns = {"label": "clicked", "score": "pctr", "group": "user_id", "prediction": "predicted"}
    roles = [role for role, required in metric.roles().items() if required]
    roles += [role for role in ("label", "score") if role in metric.roles()]
    for key, needed in metric.needs.items():
        parameter, _, value = key.partition("=")
        roles += needed if str(metric.parameters[parameter].default) == value else []
    relations = {name: f"all_{name}" for name in metric.relations if name != "judgments"}
    roles += ["position"] if "propensities" in relations else []
    return {role: columns.get(role, role) for role in roles} | relations


def spec_of(metric: Metric) -> dict[str, object]:
    """The metric with its required parameters, as in its example."""
    arguments = example_of(metric).parameters
    required = {name: arguments[name] for name, parameter in metric.parameters.items() if parameter.required}
    return {"name": metric.name, **required}


def render(metric: Metric, **options: Any) -> str:
    return sqlmetrics.render(spec_of(metric), relation="impressions", **(roles_of(metric) | options))


@functools.cache
def text_of(name: str) -> str:
    """The statement of a single metric."""
    return render(builtin_catalogue()[name])


def own_steps(metric: Metric) -> list[str]:
    """The steps that the first metric of the frame lacks."""
    shared = {name for name, _, _ in STEP.findall(text_of(FIRST_OF_FRAME[metric.frames[-1]].name))}
    return [step[0] for step in STEP.finditer(text_of(metric.name)) if step[1] not in shared]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_text_of_every_metric(metric: Metric, snapshot: SnapshotAssertion) -> None:
    """The whole statement of the first metric of each frame, and additional steps and the last select of the others."""
    text = text_of(metric.name)
    if metric is FIRST_OF_FRAME[metric.frames[-1]]:
        assert text == snapshot.use_extension(SqlText)
    else:
        last_select = text[list(STEP.finditer(text))[-1].end() :].strip()
        assert "\n".join([*own_steps(metric), last_select]) == snapshot


@pytest.mark.parametrize("dialect", TESTED_DIALECTS)
def test_text_of_a_call(dialect: str, snapshot: SnapshotAssertion) -> None:
    metrics = ["auc", "copc", "gauc", "ndcg@10", "ece", "x = ece(bins=20, binning='mass')"]
    roles: dict[str, Any] = {"label": "clicked", "score": ["pctr_a", "pctr_b"], "group": "user_id"}
    by = [[], ["device"], ["day = cast(ts as date)", "device"]]
    text = sqlmetrics.render(metrics, relation="impressions", dialect=dialect, **roles, where="country = 'DE'", by=by)
    assert text == snapshot.use_extension(SqlText)


@pytest.mark.slow
@pytest.mark.parametrize("dialect", [name for name in READ_BACK if name != "trino"])
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_every_metric_parses_in_dialects_without_a_stand_in(metric: Metric, dialect: str) -> None:
    """With slices and groupings in the same statement. Trino has a parser of its own (test_warehouse_rules.py)."""
    (statement,) = sqlglot.parse(render(metric, by=[[], ["device"]], dialect=dialect), read=dialect)
    assert isinstance(statement, sqlglot.exp.Select)


@pytest.mark.slow
def test_dialects_with_the_same_text() -> None:
    """So the tests of one dialect cover the other."""
    for dialect, other in SAME_TEXT.items():
        tables = [call_macro(builtin_catalogue(), name, "dialect_table") for name in (dialect, other)]
        assert tables[0] == tables[1]
        for metric in FIRST_OF_FRAME.values():
            assert render(metric, dialect=dialect) == render(metric, dialect=other), metric.name


def test_series_has_the_requested_length_in_every_dialect() -> None:
    """Parsed in the dialect and run by DuckDB, where a macro replaces ClickHouse's `numbers`."""
    with duckdb.connect() as con:
        con.execute("create macro numbers(count) as table select range as number from range(count)")
        for dialect in DIALECTS:
            text = render_macro(builtin_catalogue(), dialect, "series", 5, "step")
            rows = con.execute(sqlglot.parse_one(text, read=dialect).sql("duckdb")).fetchall()
            assert sorted(rows) == [(0,), (1,), (2,), (3,), (4,)], dialect


@pytest.mark.parametrize("dialect", ["bigquery", "snowflake"])
def test_single_precision_scores_are_rejected_where_a_dialect_has_none(dialect: str) -> None:
    """Snowflake's REAL has 64 bits, and would not reproduce the ties of trec_eval."""
    call: dict[str, Any] = {"relation": "log", "label": "grade", "score": "s", "group": "query", "item": "doc"}
    with pytest.raises(sqlmetrics.BadParameter, match=r"needs 32-bit numbers, .* pass precision_of_scores='double'"):
        sqlmetrics.render("ndcg", preset="trec_eval", dialect=dialect, **call)
    sqlmetrics.render("ndcg(precision_of_scores='double')", preset="trec_eval", dialect=dialect, **call)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_dialect_has_the_entries_of_the_default(dialect: str) -> None:
    """A misspelled entry, or a macro of another prefix, would be ignored."""
    tables = [call_macro(builtin_catalogue(), dialect, f"{name}dialect_table") for name in ("", "default__sqlmetrics_")]
    assert set(tables[0]) == set(tables[1])
    text = (ROOT / "sql" / "macros" / "dialects" / f"{dialect}.sql").read_text("utf-8")
    assert all(name.startswith(f"{dialect}__") for name in re.findall(r"macro (\w+)\(", text))


def test_lists_are_sorted_only_for_k() -> None:
    """Ranks take most of the time of a recommender list."""
    metrics = [metric for metric in METRICS if metric.family == "recommender" and "k" in metric.parameters]
    assert len(metrics) > 10
    for metric in metrics:
        assert "order by score" not in text_of(metric.name), metric.name
        first_items = sqlmetrics.render(spec_of(metric) | {"k": 2}, relation="impressions", **roles_of(metric))
        assert "order by score" in first_items, metric.name
        assert max(map(len, first_items.splitlines())) <= 160, metric.name


@pytest.mark.parametrize("metric", quick_every(8, METRICS), ids=[metric.name for metric in METRICS])
def test_statements_follow_the_style_and_use_every_step(metric: Metric) -> None:
    """DuckDB materializes a step that is read twice unless the text contains `not materialized`.

    Every step is read. A step is read more than once if and only if the text contains its `materialized` option. Table
    metrics and metrics with a separate statement may repeat an inlined step.
    """
    text = render(metric, by=[[], ["device"]])
    has_interval = describe_interval(metric) and not metric.no_interval
    options: dict[str, Any] = {"confidence": 0.95, "cluster": "user_id"} if has_interval else {}
    # PostgreSQL has the longest casts.
    calls: list[dict[str, Any]] = [{"by": "device", **options}, options, {} if metric.table else {"round": 4}]
    texts = [text, *(render(metric, dialect="postgres", **call) for call in calls)]
    for line in "".join(texts).splitlines():
        assert len(line) <= 160, line
        assert re.fullmatch(r"(?:    )*[^\s](?:[^\t]*\S)?", line), line
        assert not re.search(r"\b(SELECT|FROM|WHERE|GROUP BY|ORDER BY|OVER|AS|CASE|AND)\b", line), line
    # Spark repeats the rounds of a recursion, and ranks in two levels.
    assert all(len(render(metric, dialect=dialect).splitlines()) <= 400 for dialect in ("duckdb", "spark"))
    text = re.sub(r"--.*|distinct from", "", text)
    steps = list(STEP.finditer(text))
    relation = re.compile(r"\b(?:from|join) (\w+)")
    reads = Counter(relation.findall(text[steps[-1].end() :]))
    for step in reversed(steps):
        # The sources of an inlined step are read as often as the step.
        times = reads[step[1]] if step[2] != "materialized " else 1
        reads.update({name: count * times for name, count in Counter(relation.findall(step[3])).items()})
    for step in steps:
        times = reads[step[1]]
        assert times == 1 or (times > 1 and step[2]), f"{times} steps read {step[1]}: {text}"
        assert times > 1 or step[2] != "not materialized " or metric.table or "query" in metric.macros, (
            f"{step[1]}: {text}"
        )
