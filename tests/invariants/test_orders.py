"""Results do not depend on the default order of a connection: every ORDER BY states its direction."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlmetrics
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.catalogue.vocabulary import SHAPES
from sqlmetrics.planning.planner import render_plan
from sqlmetrics.rendering.macros import render_macro
from tests.calls import planned
from tests.compare import differences
from tests.data import arrow, sample
from tests.dbt.test_reference import CALLS as CALLS_OF_DBT
from tests.dbt.test_reference import SURE, made
from tests.invariants.test_disguises import HOSTILE
from tests.output.test_render_compare import COMPARISONS, GAPS, LATER, ROWS
from tests.variants import Call, by_frame, calls

CALLS = calls()
FRAMES = by_frame(CALLS)
#: Functions that use the default order unless they have this many arguments.
SORTING = {"array_sort": 3, "list_grade_up": 3, "list_reverse_sort": 2, "list_sort": 3}
#: Options of a statement in addition to the plain one.
WAYS: list[dict[str, Any]] = [
    {"by": ["device", "country"]},
    {"confidence": 0.9, "by": "device"},
    {"by": [[], ["device"]], "checks": True},
    {"confidence": 0.9, "method": "bootstrap", "replicates": 20},
    *({"shape": shape, "by": by} for shape in SHAPES for by in (None, "device")),
]


@pytest.fixture(scope="module")
def parser() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        yield con


def without_direction(parser: duckdb.DuckDBPyConnection, text: str) -> list[Any]:
    """The expressions of a statement that DuckDB's parser reports as sorted in the default order."""
    [(answer,)] = parser.execute("select json_serialize_sql($1)", [text]).fetchall()
    tree = json.loads(answer)
    assert not tree["error"], tree
    undirected = []
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            if "null_order" in node and node["type"] == "ORDER_DEFAULT":
                undirected.append(node["expression"])
            arguments = node.get("arguments", node.get("children"))  # the name before DuckDB 2
            if "function_name" in node and len(arguments) < SORTING.get(node["function_name"], 0):
                undirected.append(node)
        left += node if isinstance(node, list) else node.values() if isinstance(node, dict) else []
    return undirected


def text_of(call: Call, **way: Any) -> str:
    """The statement, with an interval only if the call supports it."""
    if not call.certain or (call.table and not (call.metrics[0].metric.bands and "method" not in way)):
        way = {name: value for name, value in way.items() if name not in ("confidence", "method", "replicates")}
    cluster = {"cluster": call.roles.get("group", "session")} if "confidence" in way else {}
    read = {name for requested in call.metrics for name in requested.metric.relations}
    relations = {name: f"all_{name}" for name in call.relations(call.roles) if name in read}
    return sqlmetrics.render(call.specs, relation="log", **call.roles, **relations, **cluster, **way)


def test_missing_directions_are_detected(parser: duckdb.DuckDBPyConnection) -> None:
    for text in (
        "select 1 from log order by a asc, b nulls last",
        "select 1 from log order by all",
        "select rank() over (partition by a order by b desc, c) from log",
        "select percentile_cont(0.5) within group (order by a) from log",
        "with step as (select list_sort(a) from log) select 1 from step",
    ):
        assert len(without_direction(parser, text)) == 1, text
    directed = "select list_sort(list(a order by b asc), 'asc', 'nulls last') from t order by 1 asc, 2 desc nulls last"
    assert without_direction(parser, directed) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(CALLS)), ids=[call.name for call in CALLS])
def test_orders_have_a_direction(number: int, parser: duckdb.DuckDBPyConnection) -> None:
    assert without_direction(parser, text_of(CALLS[number])) == []
    for turn in range(3):
        way = WAYS[(number + 3 * turn) % len(WAYS)]
        assert without_direction(parser, text_of(FRAMES[number], **way)) == [], way


def test_orders_of_other_statements_have_a_direction(parser: duckdb.DuckDBPyConnection) -> None:
    """Comparisons, inspections of bad rows, values per group, drift, and SQL in Python modules."""
    catalogue = builtin_catalogue()
    roles = {"label": "grade", "score": "pctr", "group": "user_id"}
    texts = [
        *(
            sqlmetrics.render_compare(metrics, relation="log", **arguments)
            for metrics, arguments in COMPARISONS.values()
        ),
        *(sqlmetrics.render_gaps(metrics, relation="log", **arguments) for metrics, arguments in GAPS.values()),
        render_macro(catalogue, "duckdb", "inspection", planned("auc, ndcg@5", **roles).context()),
        render_plan(catalogue, "duckdb", planned("gauc, ndcg@5", by="day", per_group=True, **roles)),
        sqlmetrics.render_drift("pctr", relation="log", against="earlier", categories="country", by=[[], ["day"]]),
    ]
    for text in texts:
        assert without_direction(parser, text) == []
    written = [
        item
        for path in Path(sqlmetrics.__file__).parent.rglob("*.py")
        for items in re.findall(r"[^`]\border by ([^\"`{]+)\"", path.read_text(encoding="utf-8"))
        for item in items.split(",")
    ]
    assert written
    assert all(re.search(r"\b(asc|desc)\b", item) for item in written), written


@pytest.mark.slow
def test_orders_of_the_dbt_package_have_a_direction(parser: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    macros = made("duckdb", tmp_path)
    for name, settings in CALLS_OF_DBT.items():
        # Without confidence, the trend has a different band.
        unsure = {key: value for key, value in settings.items() if key not in ("buckets", "standard_error", *SURE)}
        for arguments in (settings, unsure):
            assert without_direction(parser, str(getattr(macros, name)(**arguments)).strip()) == [], name


@pytest.mark.slow
def test_settings_of_a_connection_change_no_other_result(parser: duckdb.DuckDBPyConnection) -> None:
    """Comparisons, values per group, drift, states, and resamples, which depend on the position of each row."""
    data = arrow(sample("grades", rows=120))
    grades: dict[str, Any] = {"label": "clicked", "score": "pctr", "group": "user_id"}
    states = sqlmetrics.state(arrow(sample("labels", rows=120)), label="clicked", score="pctr", by="country")
    models, groups, sure = COMPARISONS["slices and groups"], COMPARISONS["groups"], GAPS["sure"]
    drawn: dict[str, Any] = {"label": "clicked", "score": "pctr", "confidence": 0.9, "method": "bootstrap"}
    parser.execute(f"set threads = 1; {HOSTILE}")
    for ask in (
        lambda con: sqlmetrics.compare(ROWS, models[0], **models[1], con=con),
        lambda con: sqlmetrics.compare(ROWS, groups[0], **groups[1], con=con),
        lambda con: sqlmetrics.gaps(ROWS, sure[0], **sure[1], con=con),
        lambda con: sqlmetrics.per_group(data, "mrr, ndcg@5, map", **grades, by="country", con=con),
        lambda con: sqlmetrics.drift(ROWS, ["pctr", "other"], against=LATER.assign(other=0.5), by="device", con=con),
        lambda con: sqlmetrics.evaluate(ROWS, "auc, f1", replicates=20, **drawn, con=con),
        lambda con: sqlmetrics.evaluate_states(states, "auc, brier", by="country", con=con),
    ):
        assert differences(ask(parser), ask(None), 1e-9) == []
