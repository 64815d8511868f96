"""The rules of warehouses that no test can start, for the text of every metric and every call.

Parsers that are independent of sqlglot read the texts too: sqlfluff's parser for Redshift, and Trino's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

import sqlmetrics
from sqlmetrics.catalogue.dialects import RENDERED_DIALECTS
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.rendering.macros import render_macro
from tests import optional
from tests.compare import assert_same
from tests.engines.cases import Case, each_frame_once, each_metric_once, tables_of
from tests.engines.servers import ENGINES, SAME_TEXT, fake_snowflake
from tests.engines.sql_rules import broken_rules, check_columns
from tests.invariants.test_stored_statements import BROKEN, LOG, stored

pytestmark = pytest.mark.slow

RELATIONS = {"log": pa.Table.from_pandas(LOG, preserve_index=False)}
CLUSTERS = {"cluster": "user_id", "confidence": 0.95}


def text_of(case: Case, dialect: str, sliced: bool = True) -> str:
    roles: dict[str, Any] = {"relation": case.table, "dialect": dialect, **case.call.roles, **case.relations}
    return sqlmetrics.render(case.call.specs, by=list(case.by) if sliced else None, **roles)


def texts_of_calls(dialect: str) -> Iterator[tuple[str, str]]:
    """Several groupings, intervals, comparisons, gaps, drift, and the states that dbt stores."""
    log: dict[str, Any] = {"relation": "slices_labels", "label": "clicked", "dialect": dialect}
    groupings: dict[str, Any] = {**log, "by": [[], ["device"], ["device", "country"]]}
    call = {**groupings, "score": "pctr"}
    yield "groupings", sqlmetrics.render("auc, gauc, f1", group="campaign", weight="w", **call)
    yield "intervals", sqlmetrics.render("auc, log_loss, gauc", group="campaign", **call, **CLUSTERS)
    yield "bootstrap", sqlmetrics.render("auc, brier", **call, **CLUSTERS, method="bootstrap", replicates=20)
    yield "compare", sqlmetrics.render_compare("brier, copc", score=["pctr", "w"], **groupings, cluster="user_id")
    yield "gaps", sqlmetrics.render_gaps("auc", score="pctr", by="device", **log, **CLUSTERS)
    columns = {"columns": ["pctr", "w"], "categories": ["device"], "against": "slices_grades"}
    yield "drift", sqlmetrics.render_drift(relation="slices_labels", by="country", dialect=dialect, **columns)
    for metric, roles, *_ in BROKEN:
        yield f"stored {metric}", stored(metric, "log", roles, dialect)


def reserved_names(dialect: str) -> frozenset[str]:
    """The reserved words of the vendor's documentation, from the file of the dialect."""
    macro = "snowflake__words_of_the_vendor" if dialect == "snowflake" else "reserved_words"
    return frozenset(render_macro(builtin_catalogue(), dialect, macro).split())


DIALECTS = [dialect for dialect in RENDERED_DIALECTS if dialect not in SAME_TEXT and dialect not in ENGINES]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_statement_breaks_a_rule(dialect: str) -> None:
    """Every call and frame, and a share of the metrics. The test engines reject such statements themselves."""
    relations, reserved = {**tables_of(each_metric_once()), **RELATIONS}, reserved_names(dialect)
    in_turn = each_metric_once()[DIALECTS.index(dialect) :: len(DIALECTS)]
    texts = [*texts_of_calls(dialect)]
    # A case in turn has all metrics of its frames.
    chosen = {case.name: case for case in [*each_frame_once(), *in_turn]}
    texts += [(name, text_of(case, dialect)) for name, case in chosen.items()]
    broken = []
    for name, text in texts:
        broken += [f"{name}: {rule}" for rule in broken_rules(text, dialect, reserved)]
        broken += [f"{name}: a line of over 160 characters: {line}" for line in text.splitlines() if len(line) > 160]
        check_columns(text, dialect, relations)
    assert not broken, broken[:5]


@pytest.mark.parametrize(
    ("dialect", "text", "message"),
    [
        ("redshift", "with w as (select w from log) select w from w", "named as its column"),
        ("snowflake", "select 1 as x from log having count(*) > 0", "HAVING without GROUP BY"),
        ("trino", "select user_id, sum(w) as w from log group by user_id having w > 0", "inside HAVING"),
        ("redshift", "select min(w) over (order by p) from log", "without a frame"),
        ("redshift", "select w as tag from log", "a reserved word"),
    ],
)
def test_rules_find_broken_statements(dialect: str, text: str, message: str) -> None:
    assert any(message in rule for rule in broken_rules(text, dialect, reserved_names(dialect)))


def test_trino_parser_accepts_every_metric_and_call() -> None:
    """The parser knows Trino's functions and types. Slices, which the calls have, are the same for all metrics."""
    validator = optional.package("trino_sql_validator")
    texts = [*texts_of_calls("trino")]
    for case in each_metric_once():
        # The unrolled rounds of one metric exceed the parser's own limit.
        metrics = [each for each in case.call.metrics if each.metric.name != "calibration_slope"]
        texts += [(each.metric.name, text_of(case.of([each]), "trino", sliced=False)) for each in metrics]
    problems = []
    for name, text in texts:
        result = validator.validate(text, jinja="reject")
        problems += [f"{name}: {message}" for message in [result.error, *result.warnings] if message]
    assert not problems, problems[:5]
    assert validator.validate("select no_such_function(1)").warnings
    assert not validator.validate("select 1 2").valid


def parse(text: str, dialect: str) -> Any:
    fluff = optional.package("sqlfluff.core")
    # Its length limits are for untrusted texts.
    overrides = {"dialect": dialect, "templater": "raw", "large_file_skip_byte_limit": 0, "max_parse_nodes": 0}
    return fluff.Linter(config=fluff.FluffConfig(overrides=overrides)).parse_string(text)


def test_redshift_parser_accepts_every_frame() -> None:
    """Slices are the same for all metrics, and this parser takes seconds for a long text."""
    for case in each_frame_once():
        parsed = parse(text_of(case, "redshift", sliced=False), "redshift")
        assert not parsed.violations, parsed.violations[0]
        assert not list(parsed.tree.recursive_crawl("unparsable"))
        assert [part.type for part in parsed.tree.recursive_crawl("statement")] == ["statement"]
    assert parse("select a b c from t", "redshift").violations


#: Column names that are reserved words of some dialect, or names of result columns.
WORDS = ["value", "user_name", "map", "format", "function", "settings", "position", "rows_read", "interval", "n", "auc"]


@pytest.mark.filterwarnings("ignore:Arrow output on a DB-API result")
def test_names_of_columns_fold_on_snowflake() -> None:
    """A lower-case name matches an unquoted column, a quoted name only itself. Results have lower-case names."""
    columns = {"clicked": [0, 1, 0, 1, 1, 0], "pctr": [0.1, 0.9, 0.6, 0.4, 0.8, 0.3], "User": list("uvuvuv")}
    table = pa.table(columns | {word: [0.5, 0.25, 0.75, 0.125, 0.375, 0.625] for word in WORDS})
    with fake_snowflake({"words": table}) as engine:
        roles: dict[str, Any] = {"data": "words", "label": "clicked", "engine": engine}
        result = sqlmetrics.auc(score=WORDS, **roles)
        assert list(result.columns) == ["model", "n", "auc"]
        assert result["auc"].tolist() == [sqlmetrics.auc(table, label="clicked", score="value")["auc"].item()] * 11
        assert list(sqlmetrics.auc(score="n", **roles).columns) == ["n", "auc"]
        assert list(sqlmetrics.auc(score="pctr", by="User", **roles).columns) == ["User", "n", "auc"]
        with pytest.raises(sqlmetrics.MissingColumn):
            sqlmetrics.auc(score="no_such_column", **roles)
        curve = sqlmetrics.calibration_curve(score="pctr", bins=2, by=[[], ["interval"]], **roles)
        assert {"grouping", "interval", "rows"} <= {*curve.columns}
        drift = sqlmetrics.drift("words", against="words", columns=["pctr", "value"], engine=engine)
        assert_same(drift, sqlmetrics.drift(table, against=table, columns=["pctr", "value"]), 1e-9)
        compared: dict[str, Any] = {"label": "clicked", "score": ["pctr", "value"], "cluster": "User"}
        ours = sqlmetrics.compare("words", "brier", **compared, engine=engine)
        assert_same(ours, sqlmetrics.compare(table, "brier", **compared), 1e-9)
