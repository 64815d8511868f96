"""Snowflake by fakesnow, which reads its SQL with sqlglot and runs it on DuckDB.

That proves how names fold, and that what a connection returns is understood. It says nothing of what Snowflake's own
planner and functions make of the text.
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
from tests.engines.test_engines import check, check_ways_of_calling

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:Arrow output on a DB-API result")]


def _as_stored(table: pa.Table) -> pa.Table:
    """Bare names in upper case, as Snowflake stores them, and numbers of the types that it has."""
    fields = []
    for field in table.schema:
        bare = field.name.isidentifier() and field.name == field.name.lower()
        narrow = pa.types.is_integer(field.type) and field.type.bit_width < 64
        widened = pa.int64() if narrow else pa.float64() if field.type == pa.float32() else field.type
        fields.append(pa.field(field.name.upper() if bare else field.name, widened))
    return table.rename_columns([field.name for field in fields]).cast(pa.schema(fields))


@contextmanager
def fake_snowflake(stored: Mapping[str, pa.Table]) -> Iterator[DBAPI]:
    """A connection to a Snowflake that lives in this process."""
    connection = optional.package("fakesnow.instance").FakeSnow().connect(database="logs", schema="public")
    for name, table in stored.items():
        connection._duck_conn.register("sent", _as_stored(table))
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
def test_metrics(case: Case, snowflake: DBAPI) -> None:
    check(case, snowflake)


#: Words that are reserved somewhere, and names of results; as columns that were created by their bare names.
WORDS = ["value", "user_name", "map", "format", "function", "settings", "position", "rows_read", "interval", "n", "auc"]


def words_as_columns() -> pa.Table:
    columns = {"clicked": [0, 1, 0, 1, 1, 0], "pctr": [0.1, 0.9, 0.6, 0.4, 0.8, 0.3], "User": list("uvuvuv")}
    return pa.table(columns | {word: [0.5, 0.25, 0.75, 0.125, 0.375, 0.625] for word in WORDS})


def test_columns_as_they_were_created() -> None:
    """A lower-case name finds the column of a bare word, and a quoted one only itself; results are in one case."""
    with fake_snowflake({"words": words_as_columns()}) as engine:
        log = words_as_columns().to_pandas()
        for word in WORDS:
            result = sqlmetrics.auc("words", label="clicked", score=word, engine=engine)
            assert list(result.columns) == ["n", "auc"]
            assert result["auc"].tolist() == sqlmetrics.auc(log, label="clicked", score=word)["auc"].tolist()
        sliced = sqlmetrics.auc("words", label="clicked", score="pctr", by="User", engine=engine)
        assert list(sliced.columns) == ["User", "n", "auc"]
        with pytest.raises(sqlmetrics.MissingColumn):
            sqlmetrics.auc("words", label="clicked", score="no_such_column", engine=engine)
        groupings = {"by": [[], ["interval"]], "engine": engine}
        table = sqlmetrics.evaluate("words", "calibration_curve(bins=2)", label="clicked", score="pctr", **groupings)
        assert {"grouping", "interval", "rows"} <= {*table.columns}


def test_ways_of_calling(snowflake: DBAPI) -> None:
    check_ways_of_calling(snowflake)
