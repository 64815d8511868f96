"""The forms of data: an object in memory, files of several writers, a table, a query, tables of other engines."""

from __future__ import annotations

import gzip
import json
import math
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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
        return self.folder / f"{self.rng.choice(_FILES)}{uuid.UUID(int=self.rng.getrandbits(128)).hex[:6]}{suffix}"

    def run(self, statement: str, rows: pa.Table) -> None:
        """Run a statement of DuckDB over `sent`, whose names differ in more than case."""
        if len({name.lower() for name in rows.column_names}) < len(rows.column_names):
            raise UnsupportedForm
        self.con.register("sent", rows)
        self.con.execute(statement)
        self.con.unregister("sent")

    def table(self, rows: pa.Table) -> str:
        name = f"fuzz_{self.rng.getrandbits(64)}"
        self.run(f"create table {name} as from sent", rows)
        return name


Form = Callable[[pa.Table, Place], Any]


# Objects in memory


def _pandas(rows: pa.Table, place: Place) -> pd.DataFrame:
    def objects() -> pd.DataFrame:
        values = {number: column.to_pylist() for number, column in enumerate(rows.columns)}
        return pd.DataFrame(values, dtype=object).set_axis(rows.column_names, axis=1)

    return place.rng.choice([
        lambda: rows.to_pandas(integer_object_nulls=True),
        lambda: rows.to_pandas(types_mapper=pd.ArrowDtype),
        lambda: rows.to_pandas(strings_to_categorical=True, integer_object_nulls=True),
        objects,
    ])()  # fmt: skip


def _polars(rows: pa.Table, place: Place) -> Any:
    frame = polars.DataFrame(polars.from_arrow(rows))
    return place.rng.choice([frame, frame, frame.lazy()])


def _arrow(rows: pa.Table, place: Place) -> Any:
    batches = rows.to_batches(max_chunksize=7)
    return place.rng.choice([
        rows, pa.Table.from_batches(batches, rows.schema), pa.RecordBatchReader.from_batches(rows.schema, batches),
        pyarrow.dataset.dataset(rows),
    ])  # fmt: skip


# DuckDB


def _view(rows: pa.Table, place: Place) -> str:
    name = place.table(rows)
    place.con.execute(f"create view view_of_{name} as from {name}")
    return f"view_of_{name}"


def _query(rows: pa.Table, place: Place) -> str:
    name = place.table(rows)
    return place.rng.choice([
        f"select * from {name}", f"with t as (select * from {name})\nselect * from t -- all of it",
        f"from {name} select *", f"  SELECT * FROM {name} where true;",
        f"select * from (select * from {name} where 1 = 1) as inner_rows",
    ])  # fmt: skip


def _relation(rows: pa.Table, place: Place) -> duckdb.DuckDBPyRelation:
    name = place.table(rows)
    return place.rng.choice([place.con.table(name), place.con.sql(f"select * from {name}")])


# Files


def _write_parquet(rows: pa.Table, path: Path, place: Place) -> None:
    rng = place.rng
    writer = rng.choice(["duckdb", "polars", "pandas", "pyarrow", "pyarrow"])
    if writer == "duckdb":
        place.run(f"copy (from sent) to '{str(path).replace(chr(39), chr(39) * 2)}' (format parquet)", rows)
    elif writer == "polars":
        polars.DataFrame(polars.from_arrow(rows)).write_parquet(path, statistics=rng.random() < 0.7)
    elif writer == "pandas":
        rows.to_pandas(types_mapper=pd.ArrowDtype).to_parquet(path)
    else:
        pa.parquet.write_table(
            rows,
            path,
            write_statistics=rng.random() < 0.7,
            row_group_size=rng.choice([None, 7, 20]),
            use_dictionary=rng.random() < 0.5,
            compression=rng.choice(["snappy", "zstd", "gzip", "none"]),
            version=rng.choice(["1.0", "2.4", "2.6"]),
            data_page_version=rng.choice(["1.0", "2.0"]),
            store_decimal_as_integer=rng.random() < 0.3,
        )


def _check_text(rows: pa.Table) -> None:
    """A file of text has no types: its reader takes decimals for doubles, and strings that look like numbers or times
    for such."""
    for column in rows.columns:
        values = [value for value in column.to_pylist() if value is not None]
        strings = [value for value in values if isinstance(value, str)]
        is_word = (re.search(r"[^\W\d_]{2}", s) and s.lower() not in ("nan", "inf", "true", "false") for s in strings)
        if strings and not any(is_word):
            raise UnsupportedForm
        is_double = (not isinstance(v, Decimal) or Decimal(repr(float(v))) == v for v in values)
        if pa.types.is_binary(column.type) or not all(is_double):
            raise UnsupportedForm


def _text_of(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else str(value)


def _write_csv(rows: pa.Table, path: Path, place: Place, delimiter: str = ",", end: str = "\n") -> None:
    _check_text(rows)
    # A mark of UTF-8 is no part of the name, and one column has no delimiter.
    if rows.column_names[0].startswith("\ufeff") or len(rows.column_names) < 2:
        raise UnsupportedForm
    quotes_all = place.rng.random() < 0.5

    def field(value: Any) -> str:
        if value is None:
            return ""
        text = _text_of(value)
        is_quoted = isinstance(value, str) and (quotes_all or re.search(r'[",;\t|\r\n]', text))
        return '"' + text.replace('"', '""') + '"' if is_quoted else text

    table = [rows.column_names, *zip(*[column.to_pylist() for column in rows.columns], strict=True)]
    _write_text("".join(delimiter.join(map(field, row)) + end for row in table), path)


def _json_value(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "null"
    if isinstance(value, float) and math.isinf(value):
        raise UnsupportedForm
    is_number = isinstance(value, bool | int | float | Decimal)
    return _text_of(value) if is_number else json.dumps(str(value), ensure_ascii=False)


def _write_json(rows: pa.Table, path: Path, place: Place, array: bool = False) -> None:
    _check_text(rows)
    names = rows.column_names
    # Of two names that differ in case only the missing one would be read as the other.
    skips_null = place.rng.random() < 0.2 and len({name.lower() for name in names}) == len(names)
    lines = []
    for row in zip(*[column.to_pylist() for column in rows.columns], strict=True):
        fields = [(name, value) for name, value in zip(names, row, strict=True) if value is not None or not skips_null]
        lines.append("{" + ", ".join(f"{json.dumps(name)}: {_json_value(value)}" for name, value in fields) + "}")
    _write_text("[" + ",\n".join(lines) + "]" if array else "\n".join(lines), path)


def _write_text(text: str, path: Path) -> None:
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def _path_or_text(path: Path, place: Place) -> Any:
    return place.rng.choice([path, str(path)])


def _parquet(rows: pa.Table, place: Place) -> Any:
    path = place.path(place.rng.choice([".parquet", ".parquet", ".pq", ".PARQUET"]))
    _write_parquet(rows, path, place)
    return _path_or_text(path, place)


def _csv(rows: pa.Table, place: Place) -> Any:
    path = place.path(place.rng.choice([".csv", ".csv", ".tsv", ".txt"]) + place.rng.choice(["", "", ".gz"]))
    _write_csv(rows, path, place, place.rng.choice(",,,;\t|"), place.rng.choice(["\n", "\n", "\r\n"]))
    return _path_or_text(path, place)


def _json(rows: pa.Table, place: Place) -> Any:
    array = place.rng.random() < 0.4
    suffixes = [".json"] if array else [".json", ".jsonl", ".ndjson"]
    path = place.path(place.rng.choice(suffixes) + place.rng.choice(["", "", ".gz"]))
    _write_json(rows, path, place, array)
    return _path_or_text(path, place)


def _files(rows: pa.Table, place: Place) -> Any:
    """Several files, in which a number may have another type in each."""
    rng = place.rng
    folder = place.folder / f"f{rng.getrandbits(32)}"
    folder.mkdir()
    write, suffix = rng.choice([(_write_parquet, ".parquet")] * 2 + [(_write_csv, ".csv"), (_write_json, ".json")])
    cuts = sorted(rng.randint(0, len(rows)) for _ in range(rng.choice([1, 2])))
    if place.numbers and rng.random() < 0.8:
        # Integers first: a reader that takes the types of the first file would round the other values.
        is_integer = [
            value is None or float(value).is_integer() for value in rows[rng.choice(place.numbers)].to_pylist()
        ]
        rows = rows.take(pa.array(sorted(range(len(rows)), key=lambda row: not is_integer[row]), pa.int64()))
        cuts = [sum(is_integer)]
    paths = []
    for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(rows)], strict=True)):
        part = rows.slice(start, end - start)
        paths.append(folder / f"{rng.choice(_FILES)}{number}{suffix}")
        write(_retyped(part, place) if rng.random() < 0.7 else part, paths[-1], place)
    if rng.random() < 0.3:
        rng.shuffle(paths)
    return rng.choice([paths, paths, [str(path) for path in paths], str(folder / f"*{suffix}"), folder, str(folder)])


def _retyped(rows: pa.Table, place: Place) -> pa.Table:
    """Each number in another type that represents its column here."""
    columns = {name: rows[name] for name in rows.column_names}
    for name in place.numbers:
        values = [None if value is None else float(value) for value in rows[name].to_pylist()]
        kind = place.rng.choice(number_types(values, "duckdb"))
        columns[name] = pa.array(
            [write_number(kind, value) if value is not None else None for value in values], kind, from_pandas=False
        )
    return pa.table(columns)


FORMS: dict[str, Form] = {
    "pandas": _pandas, "polars": _polars, "arrow": _arrow,
    "table": lambda rows, place: place.table(rows), "view": _view, "query": _query, "relation": _relation,
    "parquet": _parquet, "csv": _csv, "json": _json, "files": _files,
}  # fmt: skip
#: The forms that need no connection of the caller.
WITHOUT_CONNECTION = ("pandas", "polars", "arrow", "parquet", "csv", "json", "files")
TEXT_FORMS = ("csv", "json", "files")


# Other engines


@contextmanager
def tables_of(engine_name: str, engine: Any, tables: Mapping[str, pa.Table], folder: Path) -> Iterator[None]:
    """Tables of another engine for the length of a call."""
    store, run = {
        "spark": (_store_in_spark, lambda _: None),
        "clickhouse": (_store_in_clickhouse, lambda sql: engine.session.query(sql)),
        "postgres": (_store_in_postgres, lambda sql: engine.connection.execute(sql)),
    }[engine_name]
    try:
        for name, rows in tables.items():
            store(engine, rows, name, folder)
        yield
    finally:
        if engine_name == "postgres":
            engine.connection.rollback()
        for name in tables:
            run(f"drop table if exists {name}")
            if engine_name == "spark":
                engine.session.catalog.dropTempView(name)
        if engine_name == "postgres":
            engine.connection.commit()


def _store_in_spark(engine: Any, rows: pa.Table, name: str, _folder: Path) -> None:
    columns = [column.combine_chunks() for column in rows.columns]
    columns = [one.dictionary_decode() if pa.types.is_dictionary(one.type) else one for one in columns]
    frame = engine.session.createDataFrame(pa.Table.from_arrays(columns, rows.column_names))
    frame.createOrReplaceTempView(name)


def _store_in_clickhouse(engine: Any, rows: pa.Table, name: str, folder: Path) -> None:
    path = folder / f"{name}.parquet"
    pa.parquet.write_table(rows, path)
    engine.session.query(f"create table {name} engine = Memory as select * from file('{path}')")
    path.unlink()


def _store_in_postgres(engine: Any, rows: pa.Table, name: str, _folder: Path) -> None:
    from psycopg.sql import SQL, Identifier

    types = {
        "bool": "boolean", "int16": "smallint", "int32": "integer", "int64": "bigint", "float": "real",
        "double": "double precision", "date32[day]": "date", "timestamp[us]": "timestamp",
        "timestamp[us, tz=UTC]": "timestamptz",
    }  # fmt: skip
    columns = []
    for one in rows.schema:
        is_decimal = pa.types.is_decimal(one.type)
        kind = f"numeric({one.type.precision}, {one.type.scale})" if is_decimal else types.get(str(one.type), "text")
        columns.append(SQL("{} {}").format(Identifier(one.name), SQL(kind)))
    engine.connection.execute(SQL("create table {} ({})").format(Identifier(name), SQL(", ").join(columns)))
    with engine.connection.cursor() as cursor, cursor.copy(f"copy {name} from stdin") as copy:
        for row in zip(*[column.to_pylist() for column in rows.columns], strict=True):
            copy.write_row(row)
    engine.connection.commit()
