"""GoogleSQL's reference evaluator, the stand-in for BigQuery, with the same parser and analyzer.

`python -m tests.engines.googlesql` installs it, with npm and the package `grpcio-tools` of the extra `full`.
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
#: Type aliases of BigQuery that the evaluator's catalogue lacks.
_ALIASES = {"integer": "INT64", "int": "INT64", "bigint": "INT64", "smallint": "INT64", "tinyint": "INT64"}
_EXACT = Context(prec=80)
_EPOCH = datetime.date(1970, 1, 1)


def folder() -> Path:
    """The folder of the evaluator: SQLMETRICS_GOOGLESQL, or by default one in the user's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("SQLMETRICS_GOOGLESQL") or cache / "sqlmetrics" / f"googlesql-{_VERSION}")


def install() -> None:
    """Unpack the server from its npm package, and compile the descriptors of its messages."""
    from grpc_tools import protoc

    target = folder()
    if (target / "messages").is_file():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    npm = shutil.which("npm") or sys.exit("npm is not installed: apt-get install npm")
    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        scratch, ready = Path(name), Path(name, "ready")
        subprocess.run([npm, "pack", "--silent", f"{_PACKAGE}@{_VERSION}"], cwd=scratch, check=True)
        [archive] = scratch.glob("*.tgz")
        with tarfile.open(archive) as packed:
            names = (f"{_INSIDE}remote_server.so", f"{_INSIDE}protos/")
            packed.extractall(scratch, [member for member in packed if member.name.startswith(names)], filter="data")
        ready.mkdir()
        (scratch / _INSIDE / "remote_server.so").rename(ready / "remote_server")
        protos, standard = scratch / _INSIDE / "protos", Path(protoc.__file__).parent / "_proto"
        arguments = ["protoc", f"-I{protos}", f"-I{standard}", "--include_imports"]
        arguments += [f"--descriptor_set_out={ready / 'messages'}"]
        if protoc.main([*arguments, *(str(path.relative_to(protos)) for path in protos.rglob("*.proto"))]):
            sys.exit("the descriptions of GoogleSQL's messages could not be compiled")
        shutil.rmtree(target, ignore_errors=True)
        ready.rename(target)


class StatementRejected(Exception):
    """An error of the analyzer or the evaluator about a statement."""


class GoogleSQL:
    """An engine whose tables live in the server's catalogue."""

    dialect = "bigquery"
    errors: tuple[type[Exception], ...] = (StatementRejected,)

    def __init__(self, channel: Any, tables: Mapping[str, pa.Table]) -> None:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

        files = descriptor_pb2.FileDescriptorSet.FromString((folder() / "messages").read_bytes())
        pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            pool.Add(file)
        self._messages = message_factory.GetMessageClassesForFiles([file.name for file in files.file], pool)
        type_numbers = pool.FindEnumTypeByName("zetasql.TypeKind").values_by_name
        self._type_numbers = {name.removeprefix("TYPE_"): value.number for name, value in type_numbers.items()}
        self._channel = channel
        self._options = self._call("GetLanguageOptions", "LanguageOptions", maximum_features=True)
        self._options.product_mode = 1  # external: FLOAT64, and no types of internal Google systems
        for statement in pool.FindEnumTypeByName("zetasql.ResolvedNodeKind").values:
            if statement.name == "RESOLVED_QUERY_STMT":
                self._options.supported_statement_kinds.append(statement.number)
        self.tables = tuple(tables)
        self._catalogue = self._register(tables)

    def query(self, sql: str) -> pd.DataFrame:
        """The rows of one statement."""
        options = {"language_options": self._options, "default_timezone": "UTC"}
        result = self._call("EvaluateQuery", sql=sql, registered_catalog_id=self._catalogue, options=options)
        rows = [[_value(cell) for cell in row.cell] for row in result.content.table_data.row]
        columns = self._columns(result)
        frame = pd.DataFrame(rows, columns=[name for name, _ in columns], dtype=object)
        for index, (_, type_name) in enumerate(columns):
            values, dtype = [row[index] for row in rows], _PANDAS_TYPES.get(type_name, "object")
            frame.isetitem(index, pd.Series(values, dtype=dtype, index=frame.index))
        return frame

    def columns(self, sql: str) -> dict[str, str]:
        """The columns of a query with their types."""
        options = {"language_options": self._options}
        result = self._call("PrepareQuery", sql=sql, registered_catalog_id=self._catalogue, options=options)
        return dict(self._columns(result))

    def tells_case(self) -> bool:
        """Whether names that differ only in case are distinct."""
        return False

    def _columns(self, result: Any) -> list[tuple[str, str]]:
        names = {number: name for name, number in self._type_numbers.items()} | {
            self._type_numbers["DOUBLE"]: "FLOAT64"
        }
        return [(column.name, names[column.type.type_kind]) for column in result.prepared.columns]

    def _register(self, tables: Mapping[str, pa.Table]) -> int:
        described, contents = [], {}
        for name, table in tables.items():
            types = [type_names(field.type)[0] for field in table.schema]
            columns = [
                {"name": column, "type": {"type_kind": self._type_numbers[type_name]}}
                for column, type_name in zip(table.column_names, types, strict=True)
            ]
            rows = [
                {"cell": [_cell(value, type_name) for value, type_name in zip(row.values(), types, strict=True)]}
                for row in table.to_pylist()
            ]
            described.append({"name": name, "column": columns})
            contents[name] = {"table_data": {"row": rows}}
        aliases = [{"name": alias, "type": {"type_kind": self._type_numbers[name]}} for alias, name in _ALIASES.items()]
        catalogue = {"name": "catalogue", "table": described, "named_type": aliases,
                     "builtin_function_options": {"language_options": self._options}}  # fmt: skip
        result = self._call("RegisterCatalog", "Register", simple_catalog=catalogue, table_content=contents)
        return int(result.registered_id)

    def _call(self, method: str, response: str = "", **fields: Any) -> Any:
        import grpc

        if response == "LanguageOptions":
            request, answer = f"{_SERVICE}.LanguageOptionsRequest", "zetasql.LanguageOptionsProto"
        else:
            request, answer = f"{_SERVICE}.{method}Request", f"{_SERVICE}.{response or method}Response"
        send = self._channel.unary_unary(
            f"/{_SERVICE}.ZetaSqlLocalService/{method}",
            request_serializer=self._messages[request].SerializeToString,
            response_deserializer=self._messages[answer].FromString,
        )
        try:
            return send(self._messages[request](**fields), timeout=300)
        except grpc.RpcError as error:
            raise StatementRejected(error.details()) from None


_PANDAS_TYPES = {"INT64": "Int64", "FLOAT64": "float64", "BOOL": "boolean"}
#: Arrow types, with their names in GoogleSQL and PostgreSQL.
_TYPES: list[tuple[Callable[[pa.DataType], bool], str, str]] = [
    (pa.types.is_boolean, "BOOL", "boolean"), (pa.types.is_integer, "INT64", "bigint"),
    (pa.types.is_floating, "DOUBLE", "double precision"), (pa.types.is_null, "DOUBLE", "double precision"),
    (pa.types.is_decimal, "BIGNUMERIC", "numeric"), (pa.types.is_string, "STRING", "text"),
    (pa.types.is_large_string, "STRING", "text"),
]  # fmt: skip


def type_names(arrow_type: pa.DataType) -> tuple[str, str]:
    """The names of a type in GoogleSQL and PostgreSQL."""
    return next((ours, postgres) for matches, ours, postgres in _TYPES if matches(arrow_type))


def _cell(value: Any, type_name: str) -> dict[str, Any]:
    if value is None:
        return {}
    if type_name == "BIGNUMERIC":  # a scaled integer in the fewest bytes
        scaled = int(Decimal(value).scaleb(38, _EXACT))
        return {"bignumeric_value": scaled.to_bytes(scaled.bit_length() // 8 + 1, "little", signed=True)}
    return {f"{type_name.lower()}_value": value}


def _value(cell: Any) -> Any:
    field = cell.WhichOneof("value")
    if field is None:
        return None
    value = getattr(cell, field)
    if field in ("numeric_value", "bignumeric_value"):
        scale = 9 if field == "numeric_value" else 38
        return Decimal(int.from_bytes(value, "little", signed=True)).scaleb(-scale, _EXACT).normalize(_EXACT)
    return _EPOCH + datetime.timedelta(days=value) if field == "date_value" else value


@contextlib.contextmanager
def googlesql(tables: Mapping[str, pa.Table]) -> Iterator[GoogleSQL]:
    """Start a server on loopback with the tables; it ends with the block."""
    grpc = optional.package("grpc")
    if not (folder() / "messages").is_file():
        optional.unavailable("GoogleSQL's evaluator is not installed: python -m tests.engines.googlesql")
    port = free_port()
    command = [str(folder() / "remote_server"), "127.0.0.1", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    size = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    try:
        with grpc.insecure_channel(f"127.0.0.1:{port}", options=size) as channel:
            grpc.channel_ready_future(channel).result(timeout=60)
            yield GoogleSQL(channel, tables)
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    install()
