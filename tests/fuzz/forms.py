"""The forms of data: an object in memory, files of several writers, a table, a query, tables of other engines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pandas as pd
import polars
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet

from tests.engines.servers import load, load_clickhouse, load_postgres
from tests.input.test_writers import WRITERS

#: File names that are patterns, or special to a shell or SQL.
_FILES = ("a", "a[1]", "a*", "it's", 'a"b', "ä ö", "a#b", "a%20b", "{a,b}", "k=v", "-", "a.b", "😀")


@dataclass
class FormContext:
    """The random generator, the folder and the connection for the forms of a case."""

    rng: Random
    folder: Path
    con: duckdb.DuckDBPyConnection

    def table(self, rows: pa.Table) -> str:
        name = f"fuzz_{self.rng.getrandbits(64)}"
        load(self.con, {name: rows})
        return name


Form = Callable[[pa.Table, FormContext], Any]


def _parquet(rows: pa.Table, context: FormContext) -> Path:
    path = context.folder / f"{context.rng.choice(_FILES)}{context.rng.getrandbits(24):06x}.parquet"
    context.rng.choice([*WRITERS.values()])(rows, path)
    return path


def _files(rows: pa.Table, context: FormContext) -> Any:
    cut, folder = context.rng.randint(0, len(rows)), context.folder / "parts"
    folder.mkdir()
    paths = [_parquet(part, replace(context, folder=folder)) for part in (rows.slice(0, cut), rows.slice(cut))]
    return context.rng.choice([paths, paths[::-1], f"{folder}/*.parquet", folder])


def _with_sorted_categories(rows: pd.DataFrame) -> pd.DataFrame:
    """Classes and slices are ordered by their categories, and as strings by the alphabet."""
    categorical = [name for name in rows if isinstance(rows[name].dtype, pd.CategoricalDtype)]
    return rows.assign(
        **{name: rows[name].cat.reorder_categories(sorted(rows[name].cat.categories)) for name in categorical}
    )


FORMS: dict[str, Form] = {
    "pandas": lambda rows, _: _with_sorted_categories(
        rows.to_pandas(strings_to_categorical=True, integer_object_nulls=True)
    ),
    "pandas of Arrow": lambda rows, _: rows.to_pandas(types_mapper=pd.ArrowDtype), "arrow": lambda rows, _: rows,
    "reader": lambda rows, _: pa.RecordBatchReader.from_batches(rows.schema, rows.to_batches(max_chunksize=7)),
    "dataset": lambda rows, _: pyarrow.dataset.dataset(rows), "polars": lambda rows, _: polars.from_arrow(rows),
    "lazy polars": lambda rows, _: polars.from_arrow(rows).lazy(), "table": lambda rows, context: context.table(rows),
    "query": lambda rows, context: f"with t as (select * from {context.table(rows)})\nselect * from t -- all of it",
    "relation": lambda rows, context: context.con.sql(f"select * from {context.table(rows)}"), "parquet": _parquet,
    "path": lambda rows, context: str(_parquet(rows, context)), "files": _files,
}  # fmt: skip
#: The forms that need the caller's connection.
ON_CONNECTION = ("table", "query", "relation")

_POSTGRES_TYPES = {
    "bool": "boolean", "int32": "integer", "int64": "bigint", "float": "real",
    "double": "double precision", "date32[day]": "date", "timestamp[us]": "timestamp",
    "timestamp[us, tz=UTC]": "timestamptz",
}  # fmt: skip


def store(engine: Any, rows: pa.Table, name: str) -> None:
    """Store rows as a table of another engine, which drops it at the end."""
    rows = rows.combine_chunks()
    if engine.dialect == "spark":
        engine.session.createDataFrame(rows).createOrReplaceTempView(name)
    elif engine.dialect == "clickhouse":
        load_clickhouse(engine.session, name, rows)
    else:
        types = [str(dtype).replace("decimal128", "numeric") for dtype in rows.schema.types]
        types = [dtype if "numeric" in dtype else _POSTGRES_TYPES.get(dtype, "text") for dtype in types]
        engine.connection.rollback()
        load_postgres(engine.connection, name, rows, types)
