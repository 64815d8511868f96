"""The rules of warehouses that no test can start, over the text of every metric and of every call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
import sqlglot

import sqlmetrics
from sqlmetrics.catalogue.dialects import RENDERED_DIALECTS
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.rendering.macros import render_macro
from tests import optional
from tests.engines.cases import Case, each_metric_once, tables
from tests.engines.servers import SAME_TEXT
from tests.engines.sql_rules import broken_rules, broken_rules_of_types
from tests.invariants.test_stored_statements import BROKEN, LOG, stored

pytestmark = pytest.mark.slow

RELATIONS = {"log": pa.Table.from_pandas(LOG, preserve_index=False)}
CLUSTERS = {"cluster": "user_id", "confidence": 0.95}


def texts_of(case: Case, dialect: str) -> list[str]:
    """A case with slices, and for Trino without."""
    roles: dict[str, Any] = {"relation": case.table, "dialect": dialect, **case.call.roles, **case.relations}
    return [
        sqlmetrics.render(case.call.specs, by=by, **roles)
        for by in (list(case.by), None)[: 2 if dialect == "trino" else 1]
    ]


def texts_of_calls(dialect: str) -> Iterator[tuple[str, str]]:
    """Several groupings, intervals, comparisons, gaps, drift, and the states that dbt stores."""
    log: dict[str, Any] = {"relation": "slices_labels", "label": "clicked", "dialect": dialect}
    groupings: dict[str, Any] = {**log, "by": [[], ["device"], ["device", "country"]]}
    call = {**groupings, "score": "pctr"}
    yield "groupings", sqlmetrics.render("auc, gauc, f1", group="campaign", weight="w", **call)
    yield "intervals", sqlmetrics.render("auc, log_loss, gauc", group="campaign", **call, **CLUSTERS)
    yield "bootstrap", sqlmetrics.render("auc, brier", **call, **CLUSTERS, method="bootstrap", replicates=20)
    yield "compare", sqlmetrics.render_compare("brier", score=["pctr", "w"], **groupings, cluster="user_id")
    yield "gaps", sqlmetrics.render_gaps("auc", score="pctr", by="device", **log, **CLUSTERS)
    columns = {"columns": ["pctr", "w"], "categories": ["device"], "against": "weighted_labels"}
    yield "drift", sqlmetrics.render_drift(relation="slices_labels", by="country", dialect=dialect, **columns)
    for metric, roles, *_ in BROKEN:
        yield f"stored {metric}", stored(metric, "log", roles, dialect)


def reserved_words(dialect: str) -> frozenset[str]:
    """The reserved words of the vendor's documentation, from the file of the dialect."""
    macro = "snowflake__words_of_the_vendor" if dialect == "snowflake" else "reserved_words"
    return frozenset(render_macro(builtin_catalogue(), dialect, macro).split())


@pytest.mark.parametrize("dialect", [dialect for dialect in RENDERED_DIALECTS if dialect not in SAME_TEXT])
def test_no_statement_breaks_a_rule(dialect: str) -> None:
    """The engines of the tests reject such statements themselves."""
    relations, reserved = {**tables(), **RELATIONS}, reserved_words(dialect)
    texts = [*texts_of_calls(dialect)]
    texts += [(case.name, text) for case in each_metric_once() for text in texts_of(case, dialect)]
    broken = []
    for name, text in texts:
        broken += [f"{name}: {rule}" for rule in broken_rules(text, dialect, reserved)]
        broken += [f"{name}: {rule}" for rule in broken_rules_of_types(text, dialect, relations)]
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
def test_rules_find_broken_statements(dialect: str, text: str, words: str) -> None:
    broken = [*broken_rules(text, dialect, reserved_words(dialect)), *broken_rules_of_types(text, dialect, RELATIONS)]
    assert any(words in rule for rule in broken)


def test_rules_find_an_unknown_column() -> None:
    text = 'with t as (select count(*) as "rows" from log) select t.rows from t'
    with pytest.raises(sqlglot.errors.OptimizeError, match="ROWS"):
        list(broken_rules_of_types(text, "snowflake", RELATIONS))


def test_trino_parser_accepts_every_metric_and_call() -> None:
    """The parser knows Trino's functions and types. The rounds of one metric, with slices, exceed its own limit."""
    validator = optional.package("trino_sql_validator")
    texts = list(texts_of_calls("trino"))
    for case in each_metric_once():
        for call in case.call.asked:
            texts += [(call.metric.name, text) for text in texts_of(case.of([call]), "trino")]
    problems = []
    too_long = set()
    for name, text in texts:
        result = validator.validate(text, jinja="reject")
        if "maximum SQL statement complexity exceeded" in str(result.error):
            too_long.add(name)
        else:
            problems += [f"{name}: {words}" for words in [result.error, *result.warnings] if words]
    assert not problems, problems[:5]
    assert too_long == {"calibration_slope"}
    assert validator.validate("select no_such_function(1)").warnings
    assert not validator.validate("select 1 2").valid
