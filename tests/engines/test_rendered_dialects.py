"""The dialects of warehouses that no test can start: two parsers read every metric, and DuckDB runs what one read.

What a warehouse itself makes of the text is not known here. A wrong quotation mark, a function it does not have, a
division or an order of NULLs that means something else there would show all the same, as far as the parsers know it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest
from sqlfluff.core import FluffConfig, Linter

import sqlmetrics
from sqlmetrics.engines import Engine
from tests.engines.cases import (
    Case,
    cases,
    each_metric_once,
    tables,
)
from tests.engines.servers import READ_BACK
from tests.engines.test_engines import check
from tests.variants import by_frame

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def readers() -> Iterator[list[Engine]]:
    """One engine for each dialect."""
    with ExitStack() as stack:
        yield [stack.enter_context(start(tables())) for start in READ_BACK.values()]


#: The rows make no difference to the meaning of a dialect.
READ = [case for case in cases() if case.data_set == "slices" or (case.data_set == "weighted" and not case.call.table)]


@pytest.mark.parametrize("number", range(len(READ)), ids=[case.name for case in READ])
def test_metrics_read_back(number: int, readers: list[Engine]) -> None:
    """Against the oracles, as on the engines themselves; each case in one dialect, the next in another."""
    check(READ[number], readers[number % len(readers)])


@pytest.mark.parametrize("case", each_metric_once(), ids=lambda case: case.name)
def test_frames_of_redshift_parse(case: Case) -> None:
    """By sqlfluff, whose grammar is independent of the parser above; Trino has a parser of its own."""
    case = replace(case, call=by_frame([case.call])[0])
    dialect = "redshift"
    # How slices are written is the same for all metrics, and this parser takes seconds for a long text.
    arguments = {**case.call.roles, **case.relations, "by": list(case.by) if case.call.table else None}
    text = sqlmetrics.render(case.call.specs, relation=case.table, dialect=dialect, **arguments)
    # Nor does it go on without end; its own limits are for what strangers send.
    overrides = {"dialect": dialect, "templater": "raw", "large_file_skip_byte_limit": 0, "max_parse_nodes": 0}
    parsed = Linter(config=FluffConfig(overrides=overrides)).parse_string(text)
    assert not parsed.violations, parsed.violations[0]
    assert parsed.tree is not None
    assert not list(parsed.tree.recursive_crawl("unparsable"))
    assert [part.type for part in parsed.tree.recursive_crawl("statement")] == ["statement"]


def test_a_parser_that_is_no_help() -> None:
    """Neither takes just anything."""
    config = FluffConfig(overrides={"dialect": "trino", "templater": "raw"})
    assert Linter(config=config).parse_string("select a b c from t").violations
    with READ_BACK["trino"]({}) as engine, pytest.raises(sqlmetrics.QueryFailed, match="no_such_function"):
        sqlmetrics.evaluate("select 1 as label, 0.5 as score", "auc", label="= no_such_function(label)",
                            score="score", engine=engine)  # fmt: skip
