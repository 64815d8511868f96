"""The rules of warehouses that no test can start, over the text of every metric and of every way of calling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
import sqlglot

import sqlmetrics
from sqlmetrics.catalogue import builtin_catalogue
from sqlmetrics.definitions import DIALECTS, RENDERED_DIALECTS
from sqlmetrics.rendering import render_macro
from tests import optional
from tests.engines.cases import LONG_ON_SPARK, each_metric_once, tables
from tests.engines.servers import SAME_TEXT
from tests.engines.sql_rules import broken_rules, broken_rules_of_types
from tests.invariants.test_stored_statements import BROKEN, LOG, stored

pytestmark = pytest.mark.slow

OWN_TEXT = [dialect for dialect in DIALECTS if dialect not in SAME_TEXT]
LOGS = {"relation": "slices_labels", "label": "clicked"}
CLUSTERS = {"cluster": "user_id", "confidence": 0.95}


def texts(dialect: str) -> Iterator[tuple[str, str]]:
    """Every metric with slices and without, and each way of calling; with what it is called."""
    yield from ways_of_calling(dialect)
    for case in each_metric_once():
        for by in [list(case.by), None]:
            roles = {**case.call.roles, **case.relations}
            text = sqlmetrics.render(case.call.specs, relation=case.table, by=by, dialect=dialect, **roles)
            yield f"{case.name} by {by}", text


def ways_of_calling(dialect: str) -> Iterator[tuple[str, str]]:
    """Several groupings, intervals, comparisons, gaps, drift, and what dbt stores."""
    groupings: dict[str, Any] = {"by": [[], ["device"], ["device", "country"]], "dialect": dialect, **LOGS}
    one_score = {"score": "pctr", **groupings}
    yield "groupings", sqlmetrics.render("auc, gauc, f1", group="campaign", weight="w", **one_score)
    yield "intervals", sqlmetrics.render("auc, log_loss, gauc", group="campaign", **one_score, **CLUSTERS)
    replicates = {**CLUSTERS, "method": "bootstrap", "replicates": 20}
    yield "bootstrap", sqlmetrics.render("auc, brier", **one_score, **replicates)
    yield "compare", sqlmetrics.render_compare("brier", score=["pctr", "w"], **groupings, cluster="user_id")
    yield "gaps", sqlmetrics.render_gaps("auc", score="pctr", by="device", dialect=dialect, **LOGS, **CLUSTERS)
    drifted = {"columns": ["pctr", "w"], "categories": ["device"], "against": "weighted_labels"}
    yield "drift", sqlmetrics.render_drift(relation="slices_labels", by="country", dialect=dialect, **drifted)
    for metric, roles, *_ in BROKEN:
        yield f"stored {metric}", stored(metric, "log", roles, dialect)


def words_of_the_vendor(dialect: str) -> frozenset[str]:
    """What the vendor's documentation reserves, from the file of the dialect."""
    macro = "snowflake__words_of_the_vendor" if dialect == "snowflake" else "reserved_words"
    return frozenset(render_macro(builtin_catalogue(), dialect, macro).split())


@pytest.mark.parametrize("dialect", OWN_TEXT)
def test_no_statement_breaks_a_rule(dialect: str) -> None:
    """In the dialects that no engine of the tests speaks, columns are traced too, and types found."""
    relations = {**tables(), "log": pa.Table.from_pandas(LOG, preserve_index=False)}
    # What an engine of the tests takes bare, it has said itself.
    reserved = words_of_the_vendor(dialect) if dialect in RENDERED_DIALECTS else frozenset()
    broken = []
    for name, text in texts(dialect):
        broken += [f"{name}: {what}" for what in broken_rules(text, dialect, reserved)]
        if dialect in RENDERED_DIALECTS:
            broken += [f"{name}: {what}" for what in broken_rules_of_types(text, dialect, relations)]
    assert not broken, broken[:5]


@pytest.mark.parametrize(
    ("dialect", "text", "words"),
    [
        ("bigquery", "select sum(clicked) over (partition by cast(w as float64)) from log", "a float key"),
        ("bigquery", "with w as (select w from log) select w from w", "named as its column"),
        ("snowflake", "select 1 as x from log having count(*) > 0", "HAVING without GROUP BY"),
        ("trino", "select user_id, sum(w) as w from log group by user_id having w > 0", "inside HAVING"),
        ("redshift", "select min(w) over (order by p) from log", "without a frame"),
        ("redshift", "select w as tag from log", "a reserved word"),
    ],
)
def test_a_rule_that_is_broken_is_seen(dialect: str, text: str, words: str) -> None:
    relations = {"log": pa.Table.from_pandas(LOG, preserve_index=False)}
    broken = [
        *broken_rules(text, dialect, words_of_the_vendor(dialect)),
        *broken_rules_of_types(text, dialect, relations),
    ]
    assert any(words in found for found in broken)


def test_a_column_of_no_relation_is_seen() -> None:
    relations = {"log": pa.Table.from_pandas(LOG, preserve_index=False)}
    text = 'with t as (select count(*) as "rows" from log) select t.rows from t'
    with pytest.raises(sqlglot.errors.OptimizeError, match="ROWS"):
        list(broken_rules_of_types(text, "snowflake", relations))


def test_trino_reads_every_metric() -> None:
    """By a parser that knows Trino's functions and types, and reads a dozen rounds that are written out no more."""
    validator = optional.package("trino_sql_validator")
    alone = [case.of([asked]) for case in each_metric_once() for asked in case.call.asked]
    problems = []
    for case in alone:
        [metric] = [asked.metric for asked in case.call.asked]
        for by in [list(case.by), None]:
            roles = {**case.call.roles, **case.relations}
            text = sqlmetrics.render(case.call.specs, relation=case.table, by=by, dialect="trino", **roles)
            result = validator.validate(text, jinja="reject")
            if LONG_ON_SPARK & set(metric.frames):
                assert "maximum SQL statement complexity exceeded" in str(result.error)
            else:
                problems += [f"{metric.name}: {words}" for words in [result.error, *result.warnings] if words]
    assert not problems, problems[:5]
    assert validator.validate("select no_such_function(1)").warnings
    assert not validator.validate("select 1 2").valid


def test_trino_reads_every_way_of_calling() -> None:
    validator = optional.package("trino_sql_validator")
    results = {name: validator.validate(text, jinja="reject") for name, text in ways_of_calling("trino")}
    assert {name: result for name, result in results.items() if result.error or result.warnings} == {}
