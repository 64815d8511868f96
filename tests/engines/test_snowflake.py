"""Snowflake by fakesnow, which translates its SQL with sqlglot and runs it on DuckDB.

That proves how names fold, and that the results of a connection are understood. It proves nothing about Snowflake's own
planner and functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pyarrow as pa
import pytest

import sqlmetrics
from sqlmetrics.engines import DBAPI
from tests import optional
from tests.engines.cases import Case, each_metric_once, tables
from tests.engines.test_engines import check, check_calls

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:Arrow output on a DB-API result")]


def stored_table(table: pa.Table) -> pa.Table:
    """Bare names in upper case, as Snowflake stores them, and numbers of its types."""
    fields = []
    for field in table.schema:
        bare = field.name.isidentifier() and field.name == field.name.lower()
        narrow = pa.types.is_integer(field.type) and field.type.bit_width < 64
        widened = pa.int64() if narrow else pa.float64() if field.type == pa.float32() else field.type
        fields.append(pa.field(field.name.upper() if bare else field.name, widened))
    return table.rename_columns([field.name for field in fields]).cast(pa.schema(fields))


@contextmanager
def fake_snowflake(tables: Mapping[str, pa.Table]) -> Iterator[DBAPI]:
    """A connection to a Snowflake in this process."""
    connection = optional.package("fakesnow.instance").FakeSnow().connect(database="logs", schema="public")
    for name, table in tables.items():
        connection._duck_conn.register("sent", stored_table(table))
        connection._duck_conn.execute(f'create table logs.public."{name.upper()}" as from sent')
        connection._duck_conn.unregister("sent")
    connection.Error = optional.package("snowflake.connector").Error
    yield DBAPI(connection, "snowflake")
    connection.close()


@pytest.fixture(scope="module")
def snowflake() -> Iterator[DBAPI]:
    with fake_snowflake(tables()) as engine:
        yield engine


@pytest.mark.parametrize("case", each_metric_once(), ids=lambda case: case.name)
def test_metrics_match_oracles(case: Case, snowflake: DBAPI) -> None:
    check(case, snowflake)


def test_calls_match_duckdb(snowflake: DBAPI) -> None:
    check_calls(snowflake)


#: Words that are reserved somewhere, and names of results, as names of columns.
WORDS = ["value", "user_name", "map", "format", "function", "settings", "position", "rows_read", "interval", "n", "auc"]


def test_names_of_columns_fold() -> None:
    """A lower-case name finds the column of a bare word, and a quoted name only itself. Results are in one case."""
    columns = {"clicked": [0, 1, 0, 1, 1, 0], "pctr": [0.1, 0.9, 0.6, 0.4, 0.8, 0.3], "User": list("uvuvuv")}
    table = pa.table(columns | {word: [0.5, 0.25, 0.75, 0.125, 0.375, 0.625] for word in WORDS})
    with fake_snowflake({"words": table}) as engine:
        for word in WORDS:
            result = sqlmetrics.auc("words", label="clicked", score=word, engine=engine)
            assert list(result.columns) == ["n", "auc"]
            assert result["auc"].tolist() == sqlmetrics.auc(table, label="clicked", score=word)["auc"].tolist()
        sliced = sqlmetrics.auc("words", label="clicked", score="pctr", by="User", engine=engine)
        assert list(sliced.columns) == ["User", "n", "auc"]
        with pytest.raises(sqlmetrics.MissingColumn):
            sqlmetrics.auc("words", label="clicked", score="no_such_column", engine=engine)
        roles = {"label": "clicked", "score": "pctr", "by": [[], ["interval"]], "engine": engine}
        curve = sqlmetrics.calibration_curve("words", bins=2, **roles)
        assert {"grouping", "interval", "rows"} <= {*curve.columns}
