"""GoogleSQL's reference evaluator: the engine of the tests for BigQuery, whose parser and analyzer it shares.

`python -m tests.engines.googlesql` installs it. It needs npm, and the package `grpcio-tools` of the extra `full`.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from decimal import Context, Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from tests import optional
from tests.dbt.postgres_server import free_port

_PACKAGE, _VERSION = "@fivetrandevelopers/zetasql", "1.13.0"
_INSIDE = "package/lib/zetasql/"
_SERVICE = "zetasql.local_service"
#: BigQuery's further names of its types, which are missing in the evaluator's catalogue.
_ALIASES = {"integer": "INT64", "int": "INT64", "bigint": "INT64", "smallint": "INT64", "tinyint": "INT64"}
_EXACT = Context(prec=80)
_EPOCH = datetime.date(1970, 1, 1)


def folder() -> Path:
    """Where the evaluator is installed: a folder of the user's cache, or what SQLMETRICS_GOOGLESQL names."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("SQLMETRICS_GOOGLESQL") or cache / "sqlmetrics" / f"googlesql-{_VERSION}")


def install() -> None:
    """Unpack the server from its npm package, and compile the descriptions of its messages."""
    from grpc_tools import protoc

    target = folder()
    if (target / "messages").is_file():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        npm = shutil.which("npm")
        if npm is None:
            sys.exit("npm is not installed: apt-get install npm")
        subprocess.run([npm, "pack", "--silent", f"{_PACKAGE}@{_VERSION}"], cwd=scratch, check=True)
        [archive] = Path(scratch).glob("*.tgz")
        with tarfile.open(archive) as packed:
            wanted = [f"{_INSIDE}remote_server.so", f"{_INSIDE}protos/"]
            packed.extractall(scratch, [m for m in packed if m.name.startswith(tuple(wanted))], filter="data")
        protos = Path(scratch, _INSIDE, "protos")
        names = [str(path.relative_to(protos)) for path in protos.rglob("*.proto")]
        compiled = Path(scratch, "messages")
        standard = Path(protoc.__file__).parent / "_proto"
        arguments = ["protoc", f"-I{protos}", f"-I{standard}", "--include_imports", f"--descriptor_set_out={compiled}"]
        if protoc.main([*arguments, *names]):
            sys.exit("the descriptions of GoogleSQL's messages could not be compiled")
        ready = Path(scratch, "ready")
        ready.mkdir()
        Path(scratch, _INSIDE, "remote_server.so").rename(ready / "remote_server")
        compiled.rename(ready / "messages")
        shutil.rmtree(target, ignore_errors=True)
        ready.rename(target)


class Refused(Exception):
    """What the analyzer or the evaluator says of a statement."""


class GoogleSQL:
    """An engine whose tables live in the server's catalogue."""

    dialect = "bigquery"

    def __init__(self, channel: Any, tables: Mapping[str, pa.Table]) -> None:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

        files = descriptor_pb2.FileDescriptorSet.FromString((folder() / "messages").read_bytes())
        pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            pool.Add(file)
        self._messages = message_factory.GetMessageClassesForFiles([file.name for file in files.file], pool)
        self._types = pool.FindEnumTypeByName("zetasql.TypeKind").values_by_name
        self._channel = channel
        self.errors: tuple[type[Exception], ...] = (Refused,)
        self._options = self._call(
            "GetLanguageOptions", "LanguageOptionsRequest", "zetasql.LanguageOptionsProto", maximum_features=True
        )
        self._options.product_mode = 1  # external: FLOAT64, and no types of Google's own systems
        for statement in pool.FindEnumTypeByName("zetasql.ResolvedNodeKind").values:
            if statement.name == "RESOLVED_QUERY_STMT":
                self._options.supported_statement_kinds.append(statement.number)
        self.tables = tuple(tables)
        self._catalogue = self._register(tables)

    def query(self, sql: str) -> pd.DataFrame:
        """The rows of one statement."""
        analysis = {"language_options": self._options, "default_timezone": "UTC"}
        answer = self._call(
            "EvaluateQuery", "EvaluateQueryRequest", f"{_SERVICE}.EvaluateQueryResponse",
            sql=sql, registered_catalog_id=self._catalogue, options=analysis,
        )  # fmt: skip
        columns = answer.prepared.columns
        kinds = [self._type_name(column.type.type_kind) for column in columns]
        rows = [[_value(cell) for cell in row.cell] for row in answer.content.table_data.row]
        frame = pd.DataFrame(rows, columns=[column.name for column in columns], dtype=object)
        for place, kind in enumerate(kinds):
            values = [row[place] for row in rows]
            frame.isetitem(place, pd.Series(values, dtype=_PANDAS_TYPES.get(kind, "object"), index=frame.index))
        return frame

    def columns(self, sql: str) -> dict[str, str]:
        """The columns of a query with their types."""
        answer = self._call(
            "PrepareQuery", "PrepareQueryRequest", f"{_SERVICE}.PrepareQueryResponse",
            sql=sql, registered_catalog_id=self._catalogue, options={"language_options": self._options},
        )  # fmt: skip
        return {column.name: self._type_name(column.type.type_kind) for column in answer.prepared.columns}

    def tells_case(self) -> bool:
        """Whether names that differ in case only are two."""
        return False

    def _type_name(self, number: int) -> str:
        name = next(name for name, value in self._types.items() if value.number == number)
        return {"DOUBLE": "FLOAT64"}.get(name.removeprefix("TYPE_"), name.removeprefix("TYPE_"))

    def _type(self, name: str) -> dict[str, int]:
        return {"type_kind": self._types[f"TYPE_{name}"].number}

    def _register(self, tables: Mapping[str, pa.Table]) -> int:
        kinds = {name: [_kind(field.type) for field in table.schema] for name, table in tables.items()}
        described = [
            {
                "name": name,
                "column": [
                    {"name": column, "type": self._type(kind)}
                    for column, kind in zip(table.column_names, kinds[name], strict=True)
                ],
            }
            for name, table in tables.items()
        ]
        contents = {
            name: {
                "table_data": {
                    "row": [
                        {"cell": [_cell(v, kind) for v, kind in zip(row.values(), kinds[name], strict=True)]}
                        for row in table.to_pylist()
                    ]
                }
            }
            for name, table in tables.items()
        }
        types = [{"name": alias, "type": self._type(name)} for alias, name in _ALIASES.items()]
        answer = self._call(
            "RegisterCatalog", "RegisterCatalogRequest", f"{_SERVICE}.RegisterResponse",
            simple_catalog={"name": "catalogue", "table": described, "named_type": types,
                            "builtin_function_options": {"language_options": self._options}},
            table_content=contents,
        )  # fmt: skip
        return int(answer.registered_id)

    def _call(self, method: str, request: str, response: str, **fields: Any) -> Any:
        import grpc

        asked = self._messages[f"{_SERVICE}.{request}"]
        send = self._channel.unary_unary(
            f"/{_SERVICE}.ZetaSqlLocalService/{method}",
            request_serializer=asked.SerializeToString,
            response_deserializer=self._messages[response].FromString,
        )
        try:
            return send(asked(**fields), timeout=300)
        except grpc.RpcError as error:
            raise Refused(error.details()) from None


_PANDAS_TYPES = {"INT64": "Int64", "FLOAT64": "float64", "BOOL": "boolean"}
_KINDS: list[tuple[Callable[[pa.DataType], bool], str]] = [
    (pa.types.is_boolean, "BOOL"),
    (pa.types.is_integer, "INT64"),
    (pa.types.is_floating, "DOUBLE"),
    (pa.types.is_decimal, "BIGNUMERIC"),
    (pa.types.is_null, "DOUBLE"),
    (pa.types.is_string, "STRING"),
    (pa.types.is_large_string, "STRING"),
]


def _kind(arrow_type: pa.DataType) -> str:
    return next(name for matches, name in _KINDS if matches(arrow_type))


def _cell(value: Any, kind: str) -> dict[str, Any]:
    if value is None:
        return {}
    if kind == "BIGNUMERIC":  # a scaled integer, in as few bytes as hold it
        scaled = int(Decimal(value).scaleb(38, _EXACT))
        return {"bignumeric_value": scaled.to_bytes(scaled.bit_length() // 8 + 1, "little", signed=True)}
    field = {"BOOL": "bool_value", "INT64": "int64_value", "DOUBLE": "double_value", "STRING": "string_value"}[kind]
    return {field: value}


def _value(cell: Any) -> Any:
    field = cell.WhichOneof("value")
    if field is None:
        return None
    value = getattr(cell, field)
    if field in ("numeric_value", "bignumeric_value"):
        scale = 9 if field == "numeric_value" else 38
        return Decimal(int.from_bytes(value, "little", signed=True)).scaleb(-scale, _EXACT).normalize(_EXACT)
    if field == "date_value":
        return _EPOCH + datetime.timedelta(days=value)
    return value


@contextlib.contextmanager
def googlesql(tables: Mapping[str, pa.Table]) -> Iterator[GoogleSQL]:
    """Start a server on loopback that holds the tables; it ends with the block."""
    grpc = optional.package("grpc")
    if not (folder() / "messages").is_file():
        optional.unavailable("GoogleSQL's evaluator is not installed: python -m tests.engines.googlesql")
    port = free_port()
    server = subprocess.Popen(
        [str(folder() / "remote_server"), "127.0.0.1", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    size = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    try:
        with grpc.insecure_channel(f"127.0.0.1:{port}", options=size) as channel:
            grpc.channel_ready_future(channel).result(timeout=60)
            yield GoogleSQL(channel, tables)
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    started = time.monotonic()
    install()
    size = sum(path.stat().st_size for path in folder().iterdir())
    print(f"GoogleSQL's evaluator {_VERSION}: {size / 1e6:.0f} MB, in {time.monotonic() - started:.0f} s")
