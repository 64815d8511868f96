"""The forms in which data can be given: an object in memory, files of several writers, a table, a query."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import re
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
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

from .columns import moment_of, number_of, number_types, write_number

#: Names of files that a pattern, a shell or SQL would take for something else.
_FILES = (
    "a",
    "a[1]",
    "a*",
    "a?",
    "it's",
    'a"b',
    "ä ö",
    "a#b",
    "a%20b",
    "{a,b}",
    "k=v",
    "a;b",
    "-",
    "a.b",
    "x" * 60,
    "😀",
)


@dataclass
class Place:
    """Where a form may put what it needs."""

    rng: Random
    folder: Path
    con: duckdb.DuckDBPyConnection
    #: The numeric columns, whose types may differ from file to file.
    numbers: Sequence[str]

    def path(self, ending: str) -> Path:
        """A new file."""
        return self.folder / f"{self.rng.choice(_FILES)}{uuid.UUID(int=self.rng.getrandbits(128)).hex[:6]}{ending}"

    def table(self, rows: pa.Table) -> str:
        """A new table in the connection."""
        _differ(rows)
        name = f"fuzz_{self.rng.getrandbits(64)}"
        self.con.register("sent", rows)
        self.con.execute(f"create or replace table {name} as from sent")
        self.con.unregister("sent")
        return name


class NotInThisForm(Exception):
    """The values cannot be written so: another form is taken."""


def _differ(rows: pa.Table) -> None:
    """In a table of DuckDB names differ in more than case."""
    if len({name.lower() for name in rows.column_names}) < len(rows.column_names):
        raise NotInThisForm


Form = Callable[[pa.Table, Place], Any]


# Memory


def _pandas(rows: pa.Table, place: Place) -> pd.DataFrame:
    return place.rng.choice([
        lambda: rows.to_pandas(integer_object_nulls=True),
        lambda: rows.to_pandas(types_mapper=pd.ArrowDtype),
        lambda: _converted(rows.to_pandas(integer_object_nulls=True)),
        lambda: pd.DataFrame({place: one.to_pylist() for place, one in enumerate(rows.columns)}, dtype=object)
        .set_axis(rows.column_names, axis=1),
        lambda: rows.to_pandas(strings_to_categorical=True, integer_object_nulls=True),
    ])()  # fmt: skip


def _converted(frame: pd.DataFrame) -> pd.DataFrame:
    """The types that pandas finds, where it does not round whole numbers on the way."""
    converted = frame.convert_dtypes()
    for place in range(frame.shape[1]):
        for one, other in zip(frame.iloc[:, place], converted.iloc[:, place], strict=True):
            # A float of NumPy would be compared with the whole number as a float.
            if isinstance(one, int) and int(other) != one:
                raise NotInThisForm
    return converted


def _polars(rows: pa.Table, place: Place) -> Any:
    frame = polars.DataFrame(polars.from_arrow(rows))
    return place.rng.choice([frame, frame, frame.lazy()])


def _arrow(rows: pa.Table, place: Place) -> Any:
    return place.rng.choice(
        [
            lambda: rows,
            lambda: pa.Table.from_batches(rows.to_batches(max_chunksize=7), rows.schema),
            lambda: pa.RecordBatchReader.from_batches(rows.schema, rows.to_batches(max_chunksize=7)),
            lambda: pyarrow.dataset.dataset(rows),
        ]
    )()


# The engine


def _table(rows: pa.Table, place: Place) -> str:
    return place.table(rows)


def _view(rows: pa.Table, place: Place) -> str:
    name = place.table(rows)
    place.con.execute(f"create view view_of_{name} as from {name}")
    return f"view_of_{name}"


def _query(rows: pa.Table, place: Place) -> str:
    name = place.table(rows)
    return place.rng.choice(
        [
            f"select * from {name}",
            f"with t as (select * from {name})\nselect * from t -- all of it",
            f"from {name} select *",
            f"  SELECT * FROM {name} where true;",
            f"select * from (select * from {name} where 1 = 1) as inner_rows",
        ]
    )


def _relation(rows: pa.Table, place: Place) -> duckdb.DuckDBPyRelation:
    name = place.table(rows)
    return place.rng.choice([place.con.table(name), place.con.sql(f"select * from {name}")])


# Files


def _by_duckdb(rows: pa.Table, path: Path, place: Place) -> None:
    _differ(rows)
    place.con.register("sent", rows)
    place.con.execute(f"copy (from sent) to '{str(path).replace(chr(39), chr(39) * 2)}' (format parquet)")
    place.con.unregister("sent")


def _by_pyarrow(rows: pa.Table, path: Path, place: Place) -> None:
    rng = place.rng
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


def _by_polars(rows: pa.Table, path: Path, place: Place) -> None:
    frame = polars.DataFrame(polars.from_arrow(rows))
    frame.write_parquet(path, statistics=place.rng.random() < 0.7)


def _by_pandas(rows: pa.Table, path: Path, place: Place) -> None:
    rows.to_pandas(types_mapper=pd.ArrowDtype).to_parquet(path)


_PARQUET = (_by_duckdb, _by_pyarrow, _by_pyarrow, _by_polars, _by_pandas)


def _parquet(rows: pa.Table, place: Place) -> Any:
    path = place.path(place.rng.choice([".parquet", ".parquet", ".pq", ".PARQUET"]))
    place.rng.choice(_PARQUET)(rows, path, place)
    return place.rng.choice([path, str(path)])


def _text_of(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, Decimal) else repr(value) if isinstance(value, float) else str(value)


def _csv_text(rows: pa.Table, place: Place, mark: str, end: str) -> str:
    if any(pa.types.is_binary(one.type) for one in rows.schema):
        raise NotInThisForm
    if rows.column_names[0].startswith("\ufeff"):  # there it is the mark of UTF-8, and none of the name
        raise NotInThisForm
    for column in rows.columns:
        _stay_apart(column)
    file = io.StringIO()
    quoting = place.rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC])
    writer = csv.writer(file, delimiter=mark, lineterminator=end, quoting=quoting)
    writer.writerow(rows.column_names)
    for row in zip(*[column.to_pylist() for column in rows.columns], strict=True):
        # A text of nothing is what a missing value is there.
        writer.writerow([None if one is None else one if isinstance(one, str) else _Bare(_text_of(one)) for one in row])
    return file.getvalue()


def _stay_apart(column: pa.ChunkedArray) -> None:
    """Where all texts look like numbers, truths or moments, these are what a file says: 1.0 is 1, True is true."""
    texts = set() if pa.types.is_nested(column.type) else {one for one in column.to_pylist() if isinstance(one, str)}
    for meant in (number_of, moment_of, str.lower):
        if meant is number_of and {"nan", "NaN"} & texts and None not in map(meant, texts):
            raise NotInThisForm  # a number that is missing
        found = [meant(one) for one in texts if not (meant is number_of and re.match(r"[-+]?0\d|\+", one))]
        if None not in found and len(set(found)) < len(found):
            raise NotInThisForm


def _is_no_double(value: Any) -> bool:
    return isinstance(value, Decimal) and Decimal(repr(float(value))) != value


class _Bare(float):
    """A text that the writer of CSV files takes for a number: it is not quoted."""

    def __new__(cls, text: str) -> _Bare:
        made = super().__new__(cls, 0)
        made.text = text  # type: ignore[attr-defined]
        return made

    def __repr__(self) -> str:
        return str(self.text)  # type: ignore[attr-defined]

    __str__ = __repr__


def _csv(rows: pa.Table, place: Place) -> Any:
    if len(rows.column_names) < 2:  # there is no mark to find
        raise NotInThisForm
    text = _csv_text(rows, place, place.rng.choice(",,,;\t|"), place.rng.choice(["\n", "\n", "\r\n"]))
    return _written(text, place, place.rng.choice([".csv", ".csv", ".tsv", ".txt"]))


def _written(text: str, place: Place, ending: str) -> Any:
    path = place.path(ending + place.rng.choice(["", "", ".gz"]))
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return place.rng.choice([path, str(path)])


def _json_value(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "null"
    if (isinstance(value, float) and math.isinf(value)) or isinstance(value, bytes):
        raise NotInThisForm
    if _is_no_double(value) and value != value.to_integral_value():
        raise NotInThisForm  # what is no double is none of its numbers
    if isinstance(value, bool | int | float | Decimal):
        return _text_of(value)
    return json.dumps(str(value), ensure_ascii=False)


def _json(rows: pa.Table, place: Place) -> Any:
    left_out = place.rng.random() < 0.2
    if left_out and len({name.lower() for name in rows.column_names}) < len(rows.column_names):
        raise NotInThisForm  # of two names alike one may be nowhere: then the other is meant
    lines = []
    for row in zip(*[column.to_pylist() for column in rows.columns], strict=True):
        fields = [f"{json.dumps(name)}: {_json_value(one)}" for name, one in zip(rows.column_names, row, strict=True)
                  if not (left_out and one is None)]  # fmt: skip
        lines.append("{" + ", ".join(fields) + "}")
    array = place.rng.random() < 0.4
    text = "[" + ",\n".join(lines) + "]" if array else "\n".join(lines)
    return _written(text, place, place.rng.choice([".json"] if array else [".json", ".jsonl", ".ndjson"]))


def _several(rows: pa.Table, place: Place) -> Any:
    """Several files, in which a number may have another type in each."""
    rng = place.rng
    folder = place.folder / f"f{rng.getrandbits(32)}"
    folder.mkdir()
    parquet = (rng.choice(_PARQUET), ".parquet")
    write, ending = rng.choice([parquet, parquet, (_write_csv, ".csv"), (_write_json, ".json")])
    for column in rows.columns if ending == ".csv" else []:
        _stay_apart(column)  # also from file to file
    narrow = _partly_whole(rows, place) if rng.random() < 0.8 else None
    if narrow is not None:
        rows, cut = _whole_first(rows, narrow)
        cuts = [cut]
    else:
        cuts = sorted(rng.randint(0, len(rows)) for _ in range(rng.choice([1, 2])))
    paths = []
    for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(rows)], strict=True)):
        part = rows.slice(start, end - start)
        if rng.random() < 0.7:
            part = _retyped(part, place, narrow if number == 0 else None)
        path = folder / f"{rng.choice(_FILES)}{number}{ending}"
        write(part, path, place)
        paths.append(path)
    if rng.random() < 0.3:
        rng.shuffle(paths)
    form = rng.choice(["list", "list", "texts", "glob", "folder"])
    if form == "list":
        return paths
    if form == "texts":
        return [str(one) for one in paths]
    return str(folder / f"*{ending}") if form == "glob" else rng.choice([folder, str(folder)])


def _is_whole(value: Any) -> bool:
    return value is None or (math.isfinite(value) and value == int(value))


def _partly_whole(rows: pa.Table, place: Place) -> str | None:
    """A column with whole numbers and others: a reader that takes the types of the first file rounds the others."""
    found = []
    for name in place.numbers:
        whole = [_is_whole(one) for one in rows[name].to_pylist() if one is not None and not isinstance(one, str)]
        found += [name] if any(whole) and not all(whole) else []
    return place.rng.choice(found) if found else None


def _whole_first(rows: pa.Table, column: str) -> tuple[pa.Table, int]:
    """The rows whose value of a column is whole, then the others; and how many the first are."""
    whole = [_is_whole(one) for one in rows[column].to_pylist()]
    order = sorted(range(len(rows)), key=lambda row: not whole[row])
    return rows.take(pa.array(order, pa.int64())), sum(whole)


def _write_csv(rows: pa.Table, path: Path, place: Place) -> None:
    path.write_text(_csv_text(rows, place, ",", "\n"), newline="")


def _write_json(rows: pa.Table, path: Path, place: Place) -> None:
    found = _json(rows, Place(place.rng, path.parent, place.con, place.numbers))
    made = Path(found)
    content = gzip.decompress(made.read_bytes()) if made.suffix == ".gz" else made.read_bytes()
    made.unlink()
    path.write_bytes(content)


def _retyped(rows: pa.Table, place: Place, narrow: str | None) -> pa.Table:
    """Each number in some type that holds all of its column here; one column in one of whole numbers."""
    columns = {}
    for name in rows.column_names:
        values = rows[name]
        if name in place.numbers and not pa.types.is_string(values.type) and not pa.types.is_null(values.type):
            given = [float(one) if one is not None else None for one in values.to_pylist()]
            kinds = number_types(given, "duckdb")
            kind = place.rng.choice([one for one in kinds if name != narrow or pa.types.is_integer(one)])
            columns[name] = pa.array([write_number(kind, one) for one in given], kind, from_pandas=False)
        else:
            columns[name] = values
    return pa.table(columns)


FORMS: dict[str, Form] = {
    "pandas": _pandas,
    "polars": _polars,
    "arrow": _arrow,
    "table": _table,
    "view": _view,
    "query": _query,
    "relation": _relation,
    "parquet": _parquet,
    "csv": _csv,
    "json": _json,
    "files": _several,
}
#: What stays in memory or on disk and needs no connection of the caller's.
FREE = ("pandas", "polars", "arrow", "parquet", "csv", "json", "files")


# Other engines


class Holder:
    """An engine that holds a table for the length of a call."""

    def __init__(self, name: str, engine: Any, folder: Path) -> None:
        self.name, self.engine, self.folder = name, engine, folder

    def hold(self, rows: pa.Table, table: str) -> None:
        """Make a table of the rows."""
        getattr(self, f"_{self.name}")(rows, table)

    def drop(self, table: str) -> None:
        """Forget it."""
        if self.name == "spark":
            self.engine.session.catalog.dropTempView(table)
        elif self.name == "postgres":
            self.engine.connection.rollback()
            self.engine.connection.execute(f"drop table if exists {table}")
            self.engine.connection.commit()
        elif self.name == "clickhouse":
            self.engine.session.query(f"drop table if exists {table}")

    def _spark(self, rows: pa.Table, table: str) -> None:
        columns = [one.dictionary_decode() if pa.types.is_dictionary(one.type) else one
                   for one in (column.combine_chunks() for column in rows.columns)]  # fmt: skip
        self.engine.session.createDataFrame(pa.Table.from_arrays(columns, rows.column_names)).createOrReplaceTempView(
            table
        )

    def _clickhouse(self, rows: pa.Table, table: str) -> None:
        path = self.folder / f"{table}.parquet"
        pa.parquet.write_table(rows, path)
        self.engine.session.query(f"create table {table} engine = Memory as select * from file('{path}')")
        with suppress(FileNotFoundError):
            path.unlink()

    def _postgres(self, rows: pa.Table, table: str) -> None:
        import psycopg.sql

        connection = self.engine.connection
        columns = [
            psycopg.sql.SQL("{} {}").format(psycopg.sql.Identifier(one.name), psycopg.sql.SQL(_postgres_type(one.type)))
            for one in rows.schema
        ]
        connection.execute(psycopg.sql.SQL("create table {} ({})").format(
            psycopg.sql.Identifier(table), psycopg.sql.SQL(", ").join(columns)))  # fmt: skip
        with connection.cursor() as cursor, cursor.copy(f"copy {table} from stdin") as copy:
            for row in zip(*[column.to_pylist() for column in rows.columns], strict=True):
                copy.write_row(row)
        connection.commit()


_POSTGRES = {
    "bool": "boolean", "int16": "smallint", "int32": "integer", "int64": "bigint", "float": "real",
    "double": "double precision", "date32[day]": "date", "null": "text",
}  # fmt: skip


def _postgres_type(kind: pa.DataType) -> str:
    if pa.types.is_decimal(kind):
        return f"numeric({kind.precision}, {kind.scale})"
    if pa.types.is_timestamp(kind):
        return "timestamptz" if kind.tz else "timestamp"
    return _POSTGRES.get(str(kind), "text")
