"""The dialects of warehouses that no test can start: two parsers read every metric, and DuckDB runs one translation.

That finds a wrong quotation mark, an unknown function, and a division or an order of NULLs with another meaning, as far
as the parsers know the dialect. The warehouse itself may still behave differently.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
from sqlfluff.core import FluffConfig, Linter

import sqlmetrics
from sqlmetrics.engines import Engine
from tests.engines.cases import Case, cases, each_metric_once, tables
from tests.engines.servers import READ_BACK
from tests.engines.test_engines import check
from tests.variants import by_frame

pytestmark = pytest.mark.slow

#: The rows make no difference to the meaning of a dialect.
CASES = [case for case in cases() if case.data_set == "slices"]


@pytest.fixture(scope="module")
def readers() -> Iterator[list[Engine]]:
    """One engine for each dialect."""
    with ExitStack() as stack:
        yield [stack.enter_context(start(tables())) for start in READ_BACK.values()]


@pytest.mark.parametrize("number", range(len(CASES)), ids=[case.name for case in CASES])
def test_translated_metrics_match_oracles(number: int, readers: list[Engine]) -> None:
    """The cases take the dialects in turn."""
    check(CASES[number], readers[number % len(readers)])


def parse(text: str, dialect: str) -> Any:
    # sqlfluff's limits of length are for untrusted texts.
    overrides = {"dialect": dialect, "templater": "raw", "large_file_skip_byte_limit": 0, "max_parse_nodes": 0}
    return Linter(config=FluffConfig(overrides=overrides)).parse_string(text)


@pytest.mark.parametrize("case", each_metric_once(), ids=lambda case: case.name)
def test_frames_of_redshift_parse(case: Case) -> None:
    """In sqlfluff, whose grammar is independent of sqlglot. Trino has its own parser."""
    call = by_frame([case.call])[0]
    case = replace(case, call=call)
    # Slices are the same for all metrics, and this parser takes seconds for a long text.
    options = {**call.roles, **case.relations, "by": list(case.by) if call.table else None}
    parsed = parse(sqlmetrics.render(call.specs, relation=case.table, dialect="redshift", **options), "redshift")
    assert not parsed.violations, parsed.violations[0]
    assert not list(parsed.tree.recursive_crawl("unparsable"))
    assert [part.type for part in parsed.tree.recursive_crawl("statement")] == ["statement"]


def test_parsers_reject_bad_statements() -> None:
    assert parse("select a b c from t", "trino").violations
    roles = {"label": "= no_such_function(label)", "score": "score"}
    with READ_BACK["trino"]({}) as engine, pytest.raises(sqlmetrics.QueryFailed, match="no_such_function"):
        sqlmetrics.auc("select 1 as label, 0.5 as score", engine=engine, **roles)
