"""The forms of data: an object in memory, files of several writers, a table, a query, tables of other engines."""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pandas as pd
import polars
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet

from tests.input.test_writers import WRITERS

from .columns import number_types, write_number

#: Names of files that are patterns, or special to a shell or SQL.
_FILES = (
    "a", "a[1]", "a*", "a?", "it's", 'a"b', "ä ö", "a#b", "a%20b", "{a,b}", "k=v", "a;b", "-", "a.b", "x" * 60, "😀",
)  # fmt: skip


class UnsupportedForm(Exception):
    """The form cannot represent the values."""


@dataclass
class Place:
    """The folder and the connection for the forms of a case."""

    rng: Random
    folder: Path
    con: duckdb.DuckDBPyConnection
    #: The numeric columns, whose types may differ from file to file.
    numbers: Sequence[str]

    def path(self, suffix: str) -> Path:
        return self.folder / f"{self.rng.choice(_FILES)}{self.rng.getrandbits(24):06x}{suffix}"

    def table(self, rows: pa.Table, view: bool = False) -> str:
        check_names(rows)
        name = f"fuzz_{self.rng.getrandbits(64)}"
        self.con.register("sent", rows)
        self.con.execute(f"create table {name} as from sent; create view view_of_{name} as from {name}")
        self.con.unregister("sent")
        return f"view_of_{name}" if view else name


Form = Callable[[pa.Table, Place], Any]


def check_names(rows: pa.Table) -> None:
    """DuckDB writes and stores names that differ in more than case."""
    if len({name.lower() for name in rows.column_names}) < len(rows.column_names):
        raise UnsupportedForm


def _pandas(rows: pa.Table, place: Place) -> pd.DataFrame:
    return place.rng.choice([
        lambda: rows.to_pandas(integer_object_nulls=True), lambda: rows.to_pandas(types_mapper=pd.ArrowDtype),
        lambda: rows.to_pandas(strings_to_categorical=True, integer_object_nulls=True),
        lambda: pd.DataFrame({at: column.to_pylist() for at, column in enumerate(rows.columns)}, dtype=object).set_axis(
            rows.column_names, axis=1),
    ])()  # fmt: skip


def _arrow(rows: pa.Table, place: Place) -> Any:
    batches = rows.to_batches(max_chunksize=7)
    reader = pa.RecordBatchReader.from_batches(rows.schema, batches)
    return place.rng.choice([rows, pa.Table.from_batches(batches, rows.schema), reader, pyarrow.dataset.dataset(rows)])


def _query(rows: pa.Table, place: Place) -> str:
    name = place.table(rows)
    return place.rng.choice([
        f"select * from {name}", f"with t as (select * from {name})\nselect * from t -- all of it",
        f"from {name} select *", f"  SELECT * FROM {name} where true;",
        f"select * from (select * from {name} where 1 = 1) as inner_rows",
    ])  # fmt: skip


# Files


def _write_parquet(rows: pa.Table, path: Path, place: Place) -> None:
    check_names(rows)
    place.rng.choice([*WRITERS.values()])(rows, path)


def _check_text(rows: pa.Table, path: Path) -> None:
    """A file of text has no types: its reader takes decimals for doubles, and strings that look like numbers or times
    for such."""
    is_json = ".json" in path.suffixes or path.suffix in (".jsonl", ".ndjson")
    for column in rows.columns:
        values = [value for value in column.to_pylist() if value is not None]
        strings = [value for value in values if isinstance(value, str)]
        is_word = (re.search(r"[^\W\d_]{2}", s) and s.lower() not in ("nan", "inf", "true", "false") for s in strings)
        is_double = (not isinstance(v, Decimal) or Decimal(repr(float(v))) == v for v in values)
        is_time, is_decimal = pa.types.is_timestamp(column.type), pa.types.is_decimal(column.type)
        # polars writes decimals as strings into JSON, and times with as many digits as each one has.
        is_lost = pa.types.is_binary(column.type) or (is_time and column.type.tz is not None)
        if is_json:
            is_lost |= is_time or is_decimal or any(value in (math.inf, -math.inf) for value in values)
        if is_lost or (strings and not any(is_word)) or not all(is_double):
            raise UnsupportedForm


def _write_csv(rows: pa.Table, path: Path, place: Place) -> None:
    _check_text(rows, path)
    has_nested = any(pa.types.is_nested(column.type) for column in rows.columns)
    # A mark of UTF-8 is no part of the name, and one column has no delimiter.
    if has_nested or rows.column_names[0].startswith("\ufeff") or len(rows.column_names) < 2:
        raise UnsupportedForm
    rng = place.rng
    text = polars.from_arrow(rows).write_csv(
        separator="," if path.suffix == ".csv" else rng.choice(",;\t|"),
        line_terminator=rng.choice(["\n", "\n", "\r\n"]),
        quote_style=rng.choice(["necessary", "non_numeric"]),
    )
    _write_text(text, path)


def _write_json(rows: pa.Table, path: Path, place: Place) -> None:
    _check_text(rows, path)
    frame = polars.from_arrow(rows)
    is_array = path.suffix in (".json", ".gz") and place.rng.random() < 0.4
    _write_text(frame.write_json() if is_array else frame.write_ndjson(), path)


def _write_text(text: str, path: Path) -> None:
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def _file(write: Callable[[pa.Table, Path, Place], None], *suffixes: str) -> Form:
    def form(rows: pa.Table, place: Place) -> Any:
        path = place.path(place.rng.choice(suffixes))
        write(rows, path, place)
        return place.rng.choice([path, str(path)])

    return form


def _files(rows: pa.Table, place: Place) -> Any:
    """Several files, in which a number may have another type in each."""
    rng, folder = place.rng, place.folder / f"f{place.rng.getrandbits(32)}"
    folder.mkdir()
    write, suffix = rng.choice([(_write_parquet, ".parquet")] * 2 + [(_write_csv, ".csv"), (_write_json, ".json")])
    cuts = sorted(rng.randint(0, len(rows)) for _ in range(rng.choice([1, 2])))
    if place.numbers and rng.random() < 0.8:
        # Integers first: a reader that takes the types of the first file would round the other values.
        values = rows[rng.choice(place.numbers)].to_pylist()
        is_integer = [value is None or float(value).is_integer() for value in values]
        rows = rows.take(pa.array(sorted(range(len(rows)), key=lambda row: not is_integer[row]), pa.int64()))
        cuts = [sum(is_integer)]
    paths = []
    for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(rows)], strict=True)):
        part = {name: rows[name].slice(start, end - start) for name in rows.column_names}
        for name in place.numbers if rng.random() < 0.7 else ():
            values = [None if value is None else float(value) for value in part[name].to_pylist()]
            dtype = rng.choice(number_types(values, "duckdb"))
            part[name] = pa.array([write_number(dtype, value) for value in values], dtype, from_pandas=False)
        paths.append(folder / f"{rng.choice(_FILES)}{number}{suffix}")
        write(pa.table(part), paths[-1], place)
    rng.shuffle(paths)
    return rng.choice([paths, paths, [str(path) for path in paths], str(folder / f"*{suffix}"), folder, str(folder)])


FORMS: dict[str, Form] = {
    "pandas": _pandas, "arrow": _arrow,
    "polars": lambda rows, place: place.rng.choice([polars.from_arrow(rows), polars.from_arrow(rows).lazy()]),
    "table": lambda rows, place: place.table(rows), "query": _query,
    "view": lambda rows, place: place.table(rows, view=True),
    "relation": lambda rows, place: place.con.sql(f"select * from {place.table(rows)}"),
    "parquet": _file(_write_parquet, ".parquet", ".parquet", ".pq", ".PARQUET"),
    "csv": _file(_write_csv, ".csv", ".tsv", ".txt", ".csv.gz"),
    "json": _file(_write_json, ".json", ".jsonl", ".ndjson", ".json.gz"), "files": _files,
}  # fmt: skip
#: The forms that need the connection of the caller.
ON_CONNECTION = ("table", "query", "view", "relation")
TEXT_FORMS = ("csv", "json", "files")

_POSTGRES_TYPES = {
    "bool": "boolean", "int16": "smallint", "int32": "integer", "int64": "bigint", "float": "real",
    "double": "double precision", "date32[day]": "date", "timestamp[us]": "timestamp",
    "timestamp[us, tz=UTC]": "timestamptz",
}  # fmt: skip


def store(engine: Any, rows: pa.Table, name: str, folder: Path) -> None:
    """Store rows as a table of another engine, which drops it at the end."""
    columns = [column.combine_chunks() for column in rows.columns]
    columns = [column.dictionary_decode() if pa.types.is_dictionary(column.type) else column for column in columns]
    rows = pa.Table.from_arrays(columns, rows.column_names)
    if engine.dialect == "spark":
        engine.session.createDataFrame(rows).createOrReplaceTempView(name)
    elif engine.dialect == "clickhouse":
        pa.parquet.write_table(rows, folder / "rows.parquet")
        file = f"file('{folder / 'rows.parquet'}')"
        engine.session.query(f"create table {name} engine = Memory as select * from {file}")
    else:
        from psycopg.sql import SQL, Identifier

        types = [str(dtype).replace("decimal128", "numeric") for dtype in rows.schema.types]
        types = [dtype if "numeric" in dtype else _POSTGRES_TYPES.get(dtype, "text") for dtype in types]
        pairs = zip(rows.column_names, types, strict=True)
        fields = [SQL("{} {}").format(Identifier(column), SQL(dtype)) for column, dtype in pairs]
        engine.connection.rollback()
        engine.connection.execute(SQL("create table {} ({})").format(Identifier(name), SQL(", ").join(fields)))
        with engine.connection.cursor() as cursor, cursor.copy(f"copy {name} from stdin") as copy:
            for row in zip(*[column.to_pylist() for column in columns], strict=True):
                copy.write_row(row)
        engine.connection.commit()
