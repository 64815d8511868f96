"""What `data` may be, and how it becomes a relation that a statement can read."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pandas as pd

from .engines import DuckDB, Engine, as_pandas, checked_engine
from .errors import BadData, BadParameter, QueryFailed, SqlMetricsError
from .statements import is_single_select

_QUERY = re.compile(r"\s*(select|with|from)\s", re.IGNORECASE)
_TABLE_NAME = re.compile(r'(?:"(?:[^"]|"")+"|\w+)(?:\.(?:"(?:[^"]|"")+"|\w+)){0,2}\Z')
#: The same with the quotes of other engines, and with names that hold a dash (a project of BigQuery's).
_ENGINE_TABLE_NAME = re.compile(
    r'(?:"(?:[^"]|"")+"|`(?:[^`]|``)+`|\w[\w-]*)(?:\.(?:"(?:[^"]|"")+"|`(?:[^`]|``)+`|[\w$]+)){0,3}\Z'
)
_COMPRESSION = re.compile(r"\.(gz|gzip|zst|zstd)\Z", re.IGNORECASE)
_READERS = {
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".txt": "read_csv",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
#: The name under which a query given as data, or an object in memory, is read.
_INPUT = "sqlmetrics_input"


@dataclass(frozen=True)
class Source:
    """A relation as SQL, its columns with their types, and what runs a statement over it.

    `errors` are the classes by which `fetch` tells that the engine refused. A type that the engine does not tell is "".
    """

    relation: str
    text: str
    query: str | None
    columns: dict[str, str]
    fetch: Callable[[str], pd.DataFrame]
    connection: duckdb.DuckDBPyConnection | None
    further: dict[str, Source]
    dialect: str = "duckdb"
    errors: tuple[type[Exception], ...] = (duckdb.Error,)


@contextmanager
def open_source(
    data: Any,
    con: duckdb.DuckDBPyConnection | None,
    further: Mapping[str, Any] | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    engine: Engine | None = None,
) -> Iterator[Source]:
    """Make `data` (and further relations, by name) readable for as long as the block lasts, on DuckDB or an engine.

    Without a connection a private one in memory is opened, and closed after. A connection of the caller's is used as it
    is; what had to be made known to it (an object in memory) is taken back. What does not fit into the memory of the
    private one is written to a folder of its own, which goes with it.
    """
    own_connection = con is not None or engine is not None or isinstance(data, duckdb.DuckDBPyRelation)
    if own_connection and (threads is not None or memory_limit is not None):
        raise BadParameter("threads and memory_limit are settings of your own connection here; set them there")
    further = {name: value for name, value in (further or {}).items() if value is not None}
    if engine is not None:
        if con is not None:
            raise BadParameter("give con or engine, not both")
        if not isinstance(checked_engine(engine), DuckDB):
            with _engine_source(data, engine, further) as source:
                yield source
            return
        con = engine.connection  # type: ignore[attr-defined]
    if isinstance(data, duckdb.DuckDBPyRelation) and not further:
        with _duckdb_relation(data) as source:
            yield source
        return
    registered: list[str] = []
    with nullcontext(con) if con is not None else _private_connection(threads, memory_limit) as connection:
        try:
            others = {name: _resolve(name, value, con, connection, registered, {}) for name, value in further.items()}
            yield _resolve("data", data, con, connection, registered, others)
        finally:
            for name in registered:
                connection.unregister(name)


@contextmanager
def _private_connection(threads: int | None, memory_limit: str | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection in memory, closed at the end, and the folder into which it may write what memory does not hold."""
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
        raise BadParameter(f"threads must be a whole number >= 1, not {threads!r}")
    with TemporaryDirectory(prefix="sqlmetrics-") as folder, duckdb.connect() as connection:
        connection.execute(f"set temp_directory = {text_literal(folder)}")
        # A misspelt table must be an error, not a variable of the calling program that happens to have its name.
        connection.execute("set python_enable_replacements = false")
        # Under `python -m` the engine would draw a bar of its own into standard output.
        connection.execute("set enable_progress_bar = false")
        # Up to 65,536 steps of a score are counted in an array: auc(bins=65536) took three quarters of the time.
        connection.execute("set perfect_ht_threshold = 17")
        if threads is not None:
            connection.execute(f"set threads = {threads}")
        if memory_limit is not None:
            try:
                connection.execute(f"set memory_limit = {text_literal(str(memory_limit))}")
            except duckdb.Error as error:
                raise BadParameter(f"memory_limit must be as '2GB', not {memory_limit!r}") from error
        yield connection


@contextmanager
def _engine_source(data: Any, engine: Engine, further: Mapping[str, Any]) -> Iterator[Source]:
    """A table or a query of the engine; an object in memory where the engine takes one, for the length of the block."""
    # What an adapter of someone else's raises can only come from its engine: nothing of it is called but its methods.
    errors: tuple[type[Exception], ...] = getattr(engine, "errors", (Exception,))

    def fetch(sql: str) -> pd.DataFrame:
        return as_pandas(engine.query(sql))

    def resolve(role: str, value: Any, others: dict[str, Source]) -> Source:
        name = _INPUT if role == "data" else f"sqlmetrics_{role}"
        query: str | None = None
        if isinstance(value, str) and _QUERY.match(value):
            query = _single_select(role, value, engine.dialect)
            relation, text = name, "a query"
        elif isinstance(value, str):
            if not _ENGINE_TABLE_NAME.match(value):
                raise BadData(f"{role}: {value!r} is no table name; with engine= it must be a table or a query there")
            relation = text = value
        elif hasattr(engine, "register") and hasattr(engine, "unregister"):
            relation, text = f"{name}_{uuid.uuid4().hex}", f"a {type(value).__name__}"
            try:
                engine.register(relation, value)
            except errors as error:
                raise BadData(f"{role}: cannot read {text}: {first_line(error)}") from error
            registered.append(relation)
        else:
            raise BadParameter(
                f"{role}: {type(engine).__name__} takes a table name or a query, not {type(value).__name__}; "
                "write the object into a table there"
            )
        columns = _engine_columns(role, engine, errors, relation, query, text)
        return Source(relation, text, query, columns, fetch, None, others, engine.dialect, errors)

    registered: list[str] = []
    try:
        others = {name: resolve(name, value, {}) for name, value in further.items()}
        yield resolve("data", data, others)
    finally:
        for name in registered:
            with suppress(*errors):  # the connection may be lost, and what it held with it
                engine.unregister(name)  # type: ignore[attr-defined]


def _engine_columns(
    role: str, engine: Engine, errors: tuple[type[Exception], ...], relation: str, query: str | None, text: str
) -> dict[str, str]:
    named = f"({query}\n) as {relation}" if query else relation
    sql = f"select * from {named} where 1 = 0"
    try:
        if hasattr(engine, "columns"):
            return {str(name): str(kind) for name, kind in engine.columns(sql).items()}
        return {str(name): "" for name in as_pandas(engine.query(sql)).columns}
    except SqlMetricsError:
        raise
    except errors as error:
        if query:
            raise QueryFailed(f"{role}: {first_line(error)}", query) from error
        raise BadData(f"{role}: cannot read {text}: {first_line(error)}") from error


def _resolve(
    role: str,
    data: Any,
    con: duckdb.DuckDBPyConnection | None,
    connection: duckdb.DuckDBPyConnection,
    registered: list[str],
    further: dict[str, Source],
) -> Source:
    """What `data` stands for; an object in memory is registered, and its name noted."""
    if isinstance(data, duckdb.DuckDBPyRelation):
        # Beside other relations it has to be on their connection, and it does not show its own.
        data = data.to_arrow_table() if hasattr(data, "to_arrow_table") else data.arrow()
    name = _INPUT if role == "data" else f"sqlmetrics_{role}"
    query: str | None = None
    if isinstance(data, str) and con is not None and _is_table(con, data):
        relation, text = data, data
    elif isinstance(data, str) and _QUERY.match(data):
        query = _single_select(role, data)
        relation, text = name, "a query"
    elif isinstance(data, str | PathLike):
        trec = _trec_query(str(data))
        query, text = trec, str(data)
        relation = name if trec else _file_scan(role, [data], con)
    elif isinstance(data, Sequence) and all(isinstance(one, str | PathLike) for one in data):
        relation, text = _file_scan(role, data, con), f"{len(data)} files"
    else:
        relation, text = f"{name}_{uuid.uuid4().hex}", f"a {type(data).__name__}"
        try:
            connection.register(relation, data)
        except Exception as error:  # the engine's ways to refuse an object are many
            raise BadParameter(
                f"{role} must be a path, a table name, a query, or a pandas, polars, Arrow or DuckDB object, "
                f"not {type(data).__name__}"
            ) from error
        registered.append(relation)

    def fetch(sql: str) -> pd.DataFrame:
        return connection.execute(sql).df()

    columns = _columns(role, fetch, relation, query, text)
    return Source(relation, text, query, columns, fetch, connection, further)


#: The columns of the two text formats of TREC, by the number of fields in a line.
_TREC_COLUMNS = {4: ("topic", "iteration", "docno", "relevance"), 6: ("topic", "q0", "docno", "rank", "score", "tag")}
_TREC_NUMBERS = ("relevance", "rank", "score")


def _trec_query(path: str) -> str | None:
    """A query over a TREC qrels file (topic 0 docno relevance) or run file (topic Q0 docno rank score tag).

    Such a file is told by its first line; its fields are separated by any white space.
    """
    if Path(path).suffix.lower() not in (".txt", ".qrels", ".run", "") or not Path(path).is_file():
        return None
    with open(path, encoding="utf-8", errors="replace") as file:
        fields = file.readline().split()
    names = _TREC_COLUMNS.get(len(fields))
    if names is None or (len(fields) == 6 and not _is_number(fields[4])) or not _is_number(fields[3]):
        return None
    columns = [
        f"cast(fields[{position}] as double) as {name}" if name in _TREC_NUMBERS else f"fields[{position}] as {name}"
        for position, name in enumerate(names, 1)
    ]
    lines = (
        f"read_csv({text_literal(path)}, columns = {{'line': 'varchar'}}, delim = '\x01', quote = '', escape = '', "
        "header = false, auto_detect = false)"
    )
    return (
        f"select\n    {(',' + chr(10) + '    ').join(columns)}\nfrom (\n"
        f"    select regexp_split_to_array(trim(line), '\\s+') as fields from {lines}\n) as lines\n"
        "where fields[1] <> ''"
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@contextmanager
def _duckdb_relation(relation: duckdb.DuckDBPyRelation) -> Iterator[Source]:
    """A relation belongs to a connection that it does not show, but it runs statements over itself by a name."""
    name = f"{_INPUT}_{uuid.uuid4().hex}"

    def fetch(sql: str) -> pd.DataFrame:
        rows: pd.DataFrame = relation.query(name, sql).df()  # type: ignore[union-attr]
        return rows

    columns = dict(zip(relation.columns, map(str, relation.types), strict=True))
    try:
        yield Source(name, "a DuckDB relation", None, columns, fetch, None, {})
    finally:
        # DuckDB 1 keeps the name as a temporary view of the caller's connection.
        relation.query(name, f"drop view if exists {name}")


def text_literal(text: str) -> str:
    """`text` as an SQL string.

    >>> text_literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def _is_table(con: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Whether `name` is a table or view of the connection, written as SQL writes it."""
    if not _TABLE_NAME.match(name):
        return False
    # Looked up by name first: a statement that fails would take the caller's transaction with it. And the engine reads
    # a name like data.parquet as a file, and an unknown one as a Python variable.
    plain = [part.replace('""', '"').strip('"') for part in re.findall(r'"(?:[^"]|"")+"|\w+', name)]
    found = con.execute(
        "select count(*) from information_schema.tables where lower(table_name) = lower(?)", [plain[-1]]
    ).fetchone()
    if not found or not found[0]:
        return False
    try:
        con.execute(f"select * from {name} limit 0")
    except (duckdb.CatalogException, duckdb.ParserException, duckdb.BinderException):
        return False
    return True


def _single_select(role: str, query: str, dialect: str = "duckdb") -> str:
    try:
        single = is_single_select(query, dialect)
    except duckdb.Error as error:
        raise QueryFailed(f"{role}: {first_line(error)}", query) from error
    if not single:
        raise BadParameter(f"{role}: a query must be one single select")
    return query.strip().rstrip(";")


def _file_scan(role: str, paths: Sequence[str | PathLike[str]], con: duckdb.DuckDBPyConnection | None) -> str:
    if not paths:
        raise BadData(f"{role}: the list of files is empty")
    readers = {_reader(role, str(path), con) for path in paths}
    if len(readers) > 1:
        raise BadParameter(f"{role}: all files of a list must be of one format")
    reader = readers.pop()
    literals = ", ".join(text_literal(str(path)) for path in paths)
    scan = literals if len(paths) == 1 else f"[{literals}]"
    return f"{reader}({scan})"


def _reader(role: str, path: str, con: duckdb.DuckDBPyConnection | None) -> str:
    suffix = Path(_COMPRESSION.sub("", path)).suffix.lower()
    if Path(path).is_dir():
        raise BadData(f"{role}: {path} is a folder; name its files, as in {path.rstrip('/')}/*.parquet")
    if suffix in _READERS:
        return _READERS[suffix]
    known = " or a table of con" if con is not None else ""
    if not suffix or not re.search(r"[/\\.*]", path):
        raise BadData(f"{role}: {path!r} is no file{known}; files end in {', '.join(_READERS)}")
    raise BadData(f"{role}: {path}: cannot tell the format; files end in {', '.join(_READERS)} (and .gz, .zst)")


def _columns(
    role: str, fetch: Callable[[str], pd.DataFrame], relation: str, query: str | None, text: str
) -> dict[str, str]:
    named = f"({query}\n)" if query else relation
    try:
        described = fetch(f"describe select * from {named}")
    except duckdb.Error as error:
        if query:
            raise QueryFailed(f"{role}: {first_line(error)}", query) from error
        raise BadData(f"{role}: cannot read {text}: {first_line(error)}") from error
    return dict(zip(described["column_name"], described["column_type"], strict=True))


def first_line(error: BaseException) -> str:
    """The first line of an engine's message: the rest draws its place in the SQL."""
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
