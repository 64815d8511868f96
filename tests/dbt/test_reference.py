"""The reference of the dbt package lists the columns of results, and counts are bigint."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import sqlmetrics
from sqlmetrics.catalogue.front_matter import sql_root
from sqlmetrics.catalogue.vocabulary import DIAGNOSTICS, MEASURED_DIAGNOSTICS
from sqlmetrics.codegen.dbt_package import ALERT, RESULTS
from tests.engines.cases import each_metric_once, tables_of
from tests.engines.servers import ENGINES
from tests.parameters import slow
from tests.statistics.test_state_settings import LOG
from tests.statistics.test_states import States

CLICKS: dict[str, Any] = {"label": "clicked", "score": "pctr"}
SURE: dict[str, Any] = {"confidence": 0.9, "cluster": "user_id"}
PARTS = {"current": f"day > '{LOG['day'].min()}'", "reference": f"day = '{LOG['day'].min()}'"}
BINNED: dict[str, Any] = {"binned": True, "by": ["device"]}
#: A call of each macro with every argument that adds a column.
CALLS: dict[str, dict[str, Any]] = {
    "score_state": {"relation": "log", **CLICKS, "by": ["device"], "bins": 5, "buckets": 5, "cluster": "user_id"},
    "metric_state": {"relation": "log", "metrics": ["mae"], "label": "y", "score": "y_hat", "by": ["device"],
                     "buckets": 5, "cluster": "user_id"},
    "state_metrics": {"relation": "scores", **BINNED, "confidence": 0.9},
    "metrics_of_state": {"relation": "sums", "metrics": "mae", "by": ["device"], "confidence": 0.9,
                         "standard_error": True},
    "metric_trend": {"relation": "log", "metric": "auc", "time": "day", "by": ["device"], **CLICKS, **SURE},
    "drift": {"relation": "log", "columns": "pctr", "by": [["device"], []], **PARTS},
    "test_metric_between": {"model": "log", "metric": "auc", "min_value": 0.5, "by": ["device"], **CLICKS, **SURE},
    "test_metric_not_worse_than": {"model": "log", "metric": "auc", "champion_score": "logit", "by": ["device"],
                                   **CLICKS, **SURE},
    "test_calibrated_by": {"model": "log", "by": "device", "min_value": 0.5, "max_value": 2, **CLICKS},
    "test_metric_not_falling": {"model": "log", "metric": "auc", "time": "day", "by": ["device"], **CLICKS, **SURE},
    "test_drift_below": {"model": "log", "columns": "pctr", "by": [["device"], []], "max_value": 0, **PARTS},
    "test_valid_inputs": {"model": "log", "metrics": "auc", **CLICKS},
    "test_state_is_complete": {"model": "scores", "relation": "log", "by": ["device"], **CLICKS},
    "alerts": {},
}  # fmt: skip


def made(dialect: str, folder: Path) -> States:
    """The macros of states and trends, and the generic tests as macros."""
    macros = States(dialect)
    for path in (sql_root() / "tests" / "generic").glob("*.sql"):
        text = re.sub(r"\{% test (\w+)\(", r"{%- macro test_\1(", path.read_text(encoding="utf-8"))
        copy = folder / path.name
        copy.write_text(re.sub(r"\{%-? endtest -?%\}", "{%- endmacro -%}", text), encoding="utf-8")
        macros._catalogue._add_macros(copy)
    return macros


@pytest.fixture(scope="module")
def macros(tmp_path_factory: pytest.TempPathFactory) -> States:
    return made("duckdb", tmp_path_factory.mktemp("generic"))


def columns(text: str, **names: str) -> list[str]:
    """The columns in a line of the reference, where names replace the words in braces."""
    for word, name in names.items():
        text = text.replace(f"{{{word}}}", name)
    return re.findall(r"\w+", text)


#: The columns that count rows, clusters, groups, periods or parts.
COUNTS = {"n", "n_reference", "clusters", "shared_clusters", "auc_clusters", "slices", "trailing_periods", "row_count",
          "rows", "bins", "bin", "block", "bucket", *DIAGNOSTICS} - {*MEASURED_DIAGNOSTICS}  # fmt: skip
#: The types of all other columns; the slices of these tests are text.
TYPES = {"duckdb": ("BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN"), "postgres": ("int8", "float8", "text", "bool")}


def stored_states() -> dict[str, Any]:
    arguments: dict[str, Any] = {"buckets": 5, "cluster": "user_id"}
    return {
        "scores": sqlmetrics.state(LOG, **CLICKS, by=["day", "device"], bins=50, **arguments),
        "sums": sqlmetrics.state(LOG, "mae", label="y", score="y_hat", by=["device"], **arguments),
    }


def statements(macros: States) -> Iterator[tuple[str, str]]:
    """Every macro and every metric, with the options that add columns."""
    for name, arguments in CALLS.items():
        yield name, getattr(macros, name)(**arguments)
    by: dict[str, Any] = {"relation": "log", "label": "clicked", "by": [["device"], []], **SURE}
    diagnostics: dict[str, Any] = {"diagnostics": True, "standard_error": True, "score": ["pctr", "logit"]}
    yield "intervals", macros.evaluate(metrics="auc", **by, **diagnostics)
    yield "bootstrap", macros.evaluate(metrics="auc", **by, **diagnostics, method="bootstrap", replicates=20)
    yield "scores", macros.compare(metrics="auc", **by, score=["pctr", "logit"])
    yield "relations", macros.compare(metrics="auc", **by, score="pctr", against="log")
    yield "gaps", macros.gaps(metrics="auc", **by | {"by": "device"}, score="pctr")
    for case in each_metric_once():
        arguments = {**case.call.roles, **case.relations, "diagnostics": not case.call.table}
        yield case.name, macros.evaluate(case.table, case.call.specs, **arguments)


def types_of_columns(engine: Any, statement: str) -> dict[str, str]:
    if engine.dialect == "duckdb":
        return {name: dtype for name, dtype, *_ in engine.connection.sql(f"describe {statement}").fetchall()}
    with engine.connection.cursor() as cursor:
        cursor.execute(f"select * from (\n{statement}\n) as result limit 0")
        return {column.name: column.type_display for column in cursor.description}


@pytest.mark.parametrize("dialect", slow("duckdb", "postgres"))
def test_counts_are_bigint(dialect: str, tmp_path: Path) -> None:
    frames = {"log": LOG, **stored_states()}
    tables = {name: pa.Table.from_pandas(frame, preserve_index=False) for name, frame in frames.items()}
    others = []
    with ENGINES[dialect](tables | tables_of(each_metric_once())) as engine:
        for name, statement in statements(made(dialect, tmp_path)):
            for column, dtype in types_of_columns(engine, str(statement).strip()).items():
                expected = TYPES[dialect][:1] if column in COUNTS else TYPES[dialect]
                others += [(name, column, dtype)] if dtype not in expected and column != "checked_at" else []
    assert others == []


def test_columns_of_macros(macros: States) -> None:
    with duckdb.connect() as con:
        for relation, frame in {"log": LOG, **stored_states()}.items():
            con.register(relation, frame)
        for name, arguments in CALLS.items():
            described = con.sql(f"describe {str(getattr(macros, name)(**arguments)).strip()}").fetchall()
            metric = str(arguments.get("metric", arguments.get("metrics", "")))
            text = ALERT if name.startswith("test_") else RESULTS[name]
            expected = columns(text, slices="device", time="day", metric=metric, sums="mae_sum, weight")
            assert [column for column, *_ in described] == expected, name


def test_names_are_checked_when_dbt_parses_and_values_when_it_compiles(macros: States, tmp_path: Path) -> None:
    parsing = made("duckdb", tmp_path)
    parsing._environment.globals["execute"] = False
    for macro, arguments in [
        ("evaluate", {"relation": "log"}),
        ("test_metric_between", {"model": "log", "metric": "auc"}),
    ]:
        with pytest.raises(sqlmetrics.BadParameter, match=r"no argument 'lable'.*did you mean 'label'"):
            getattr(parsing, macro)(**arguments, lable="clicked")
    assert str(parsing.score_state("log", **CLICKS, bins=0)).strip() == ""
    with pytest.raises(sqlmetrics.BadParameter, match="bins must be"):
        macros.score_state("log", **CLICKS, bins=0)


def test_columns_of_evaluate_compare_and_gaps() -> None:
    by: dict[str, Any] = {"by": [["device"], []], "cluster": "user_id"}
    result = sqlmetrics.evaluate(LOG, "auc", label="clicked", score=["pctr", "logit"], confidence=0.9,
                                 standard_error=True, **by)  # fmt: skip
    assert list(result) == columns(RESULTS["evaluate"], slices="device", metric="auc")
    result = sqlmetrics.compare(LOG, "auc", label="clicked", score="pctr", against=LOG, **by)
    assert list(result) == columns(RESULTS["compare"], slices="device")
    result = sqlmetrics.gaps(LOG, "auc", label="clicked", score=["pctr", "logit"], confidence=0.9, **by)
    assert list(result) == columns(RESULTS["gaps"], slices="device")
    tests = {f"test_{path.stem}" for path in (sql_root() / "tests" / "generic").glob("*.sql")}
    assert {*RESULTS, *tests} == {*CALLS, "evaluate", "compare", "gaps"}
