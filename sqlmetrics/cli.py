"""The shell: `sqlmetrics eval`, `sql`, `list`, `show` and `new`.

Imports that cost time (the engine, pandas, rich) stand where they are used, so that `--help` and `list` answer at once.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

import contextlib
import glob
import math
import operator
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from . import shell_output
from .catalogue import RELATIONS, ROLES, Metric, Parameter, catalogue, register, sql_root
from .definitions import PRESETS
from .errors import BadData, BadParameter, DroppedRows, QueryFailed, SqlMetricsError, did_you_mean
from .planning import requested_metrics
from .scaffold import FRAMES, scaffold
from .shell_output import TEXT_FORMATS, Table
from .specification import split_metrics

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

    from .engines import Engine
    from .source import Source

    _ParamType = click.ParamType[str]
else:
    _ParamType = click.ParamType  # takes no type argument before click 8.4

_Command = TypeVar("_Command", bound=Callable[..., Any])

_FAILED_ASSERTION, _BAD_USE, _INTERRUPTED = 1, 2, 130

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_ASSERTION = re.compile(r"\s*(?P<column>.+?)\s*(?P<comparison>>=|<=|==|!=|>|<)\s*(?P<bound>[^\s<>=!]+)\s*\Z")
#: Seconds between two looks at a running query, and after which the bar is shown.
_POLL, _BAR_AFTER = 0.1, 1.0
_QUERY = re.compile(r"\s*(select|with|from)\s", re.IGNORECASE)
#: Options of which one replaces the other: given on the command line, it also sets aside the other of the -c file.
_EXCLUSIVE = (("by", "grouping"), ("output", "format"))


# ---- errors and exit codes -------------------------------------------------------------------------------------------


class _Shell(click.Group):
    """A group whose every failure is one line on stderr and an exit code, never a traceback."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command line and exit."""
        kwargs["standalone_mode"] = False
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                # A terminal that cannot show Σ gets an escape instead of a crash.
                stream.reconfigure(errors="backslashreplace")
        try:
            code = super().main(*args, **kwargs)
        except (click.Abort, KeyboardInterrupt):
            click.echo("interrupted", err=True)
            code = _INTERRUPTED
        except click.ClickException as error:
            _say("error", error.format_message())
            code = _BAD_USE
        except (SqlMetricsError, OSError) as error:
            _say("error", error)
            code = _BAD_USE
        sys.exit(code if isinstance(code, int) else 0)


def _say(kind: str, message: object) -> None:
    """One line on stderr."""
    click.echo(f"{kind}: {' '.join(str(message).splitlines())}", err=True)


# ---- options that several commands share -----------------------------------------------------------------------------


class _Dialect(_ParamType):
    """One of the dialects; asked for late, because the module that lists them imports the template engine."""

    name = "dialect"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from .definitions import DIALECTS

        return click.Choice(DIALECTS).convert(value, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        from .definitions import DIALECTS

        return f"[{'|'.join(DIALECTS)}]"


def _role_options(command: _Command) -> _Command:
    """One option for each role of the catalogue."""
    for role, what in reversed(ROLES.items()):
        name = "--" + role.replace("_", "-")
        several = role == "score"
        text = f"{what}; a,b or repeated: several models" if several else what
        command = click.option(name, role, metavar="COLUMN", multiple=several, help=_sentence(text))(command)
    return command


def _relation_options(command: _Command) -> _Command:
    """One option for each further relation, and the preset that goes with comparing tools."""
    for name, what in reversed(RELATIONS.items()):
        command = click.option(f"--{name}", metavar="DATA", help=_sentence(what))(command)
    return click.option(
        "--preset",
        type=click.Choice(PRESETS),
        help="The conventions of another tool, for the parameters that are not given.",
    )(command)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


_metrics_option = click.option(
    "-m",
    "--metrics",
    metavar="LIST",
    multiple=True,
    help='Metrics, with commas or repeated: auc, ndcg@10, "ndcg(k=5, gain=\'linear\')", "mine = ndcg(k=5)".',
)
_by_option = click.option(
    "--by",
    metavar="COLUMNS",
    multiple=True,
    help="Slice columns, with commas or repeated; an entry with = is one expression: \"day = date_trunc('day', ts)\".",
)
_grouping_option = click.option(
    "--grouping",
    metavar="COLUMNS",
    multiple=True,
    help="One of several groupings computed at once, as in --grouping overall --grouping device,country.",
)
_where_option = click.option("--where", metavar="CONDITION", help="SQL condition on the rows.")
_metrics_dir_option = click.option(
    "--metrics-dir",
    metavar="PATH",
    multiple=True,
    type=click.Path(exists=True),
    help="Folder of your own metric files, or one such file; may be repeated.",
)
_output_option = click.option(
    "-o", "--output", metavar="FILE", help=f"Write to FILE; its ending is one of {', '.join(shell_output.ENDINGS)}."
)
_format_option = click.option(
    "--format",
    type=click.Choice(TEXT_FORMATS),
    help="How to print: table (default, 6 digits), csv, json or markdown. NULL is an empty csv field, null in json; "
    'an infinite threshold is "Infinity" in json.',
)


@click.group(
    cls=_Shell,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.option("--version", is_flag=True, help="Print the version and exit.")
@click.pass_context
def main(context: click.Context, /, version: bool) -> None:
    """Offline evaluation metrics (AUC, GAUC, NDCG, COPC …) as SQL, over files and tables.

    Exit codes: 0; 1 a failed --assert; 2 bad use or bad data, with one line on stderr; 130 interrupted.
    """
    if version:
        from . import __version__

        shell_output.print_text(f"sqlmetrics {__version__}\n")
        context.exit(0)
    if context.invoked_subcommand is None:
        shell_output.print_text(context.get_help() + "\n")


# ---- eval ------------------------------------------------------------------------------------------------------------


@main.command("eval")
@click.argument("data", nargs=-1, metavar="DATA...")
@_metrics_option
@_role_options
@_relation_options
@_by_option
@_grouping_option
@_where_option
@click.option(
    "--db",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False),
    help="DuckDB database, opened read-only; DATA is then a table, a view or a query in it.",
)
@click.option(
    "--engine",
    metavar="ENGINE",
    help="Where the data lies: postgres://USER@HOST/DATABASE, spark, spark://HOST:PORT, sc://HOST:PORT (Connect), "
    "clickhouse:FOLDER or duckdb:FILE; DATA is then a table or a query there.",
)
@click.option(
    "--run-format",
    metavar="trec",
    type=click.Choice(("trec",)),
    help="DATA is a TREC run, whatever its name and its first lines look like.",
)
@_format_option
@_output_option
@click.option(
    "--min-rows", metavar="N", type=click.IntRange(min=0), help="Leave out slices with fewer than N used rows."
)
@click.option(
    "--diagnostics/--no-diagnostics", default=False, help="Add what stands behind each value: rows dropped, ties …"
)
@click.option(
    "--per-group/--no-per-group", default=False, help="One row per group: the values from which the means are taken."
)
@click.option(
    "--strict/--no-strict", default=False, help="Fail where rows would be dropped because a value is NULL or NaN."
)
@_metrics_dir_option
@click.option(
    "--assert",
    "assertions",
    metavar="TEST",
    multiple=True,
    help="Exit with 1 unless every row passes, as in 'auc >= 0.7'; NULL and no rows at all fail. May be repeated.",
)
@click.option("--threads", metavar="N", type=click.IntRange(min=1), help="How many threads the engine may use.")
@click.option("--memory-limit", metavar="SIZE", help="How much memory the engine may use, as in 2GB.")
@click.option("--show-sql/--no-show-sql", default=False, help="Where a query fails, also print its SQL on stderr.")
@click.option(
    "-c",
    "--config",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False),
    help="YAML file with the same options by their long names (data, metrics, label, by …); the command line "
    "overrides it. Relative paths in it start at the current directory.",
)
@click.pass_context
def eval_command(context: click.Context, /, config: str | None, **given: Any) -> int:
    """Compute metrics over DATA.

    DATA is one or more parquet, CSV or JSON files (globs and .gz, .zst too), a folder of such files, a TREC run, one
    SQL query, or - for CSV, JSON or parquet on standard input.

    \b
    sqlmetrics eval log.parquet -m auc,gauc --label click --score pctr --group user_id --by device
    sqlmetrics eval log.csv -m copc --label "= rating >= 4" --score pctr --by "day = date_trunc('day', ts)"
    sqlmetrics eval log.parquet -m auc --label click --score old,new --assert 'auc >= 0.7'
    """
    settings = _settings(context, config, given)
    try:
        return _evaluate(settings, config)
    except QueryFailed as error:
        _say("error", error)
        if settings["show_sql"]:
            click.echo(error.sql, err=True)
        return _BAD_USE


def _evaluate(settings: Mapping[str, Any], config: str | None) -> int:
    data, db, output = list(settings["data"]), settings["db"], settings["output"]
    if not data:
        raise BadParameter("name the data: a file, several files, or a query")
    if not settings["metrics"]:
        raise BadParameter("name at least one metric, as in -m auc (`sqlmetrics list` names them all)")
    if db is not None and len(data) > 1:
        raise BadParameter("with --db, DATA is one table, view or query")
    if output is not None:
        if settings["format"] is not None and settings["format"] != shell_output.output_format(output):
            raise BadParameter(f"--format {settings['format']} and -o {output} contradict each other: leave one out")
        shell_output.output_format(output)
        shell_output.check_output(output, _input_files(data) + [one for one in (db, config) if one is not None])
    assertions = [_assertion(text) for text in settings["assertions"]]
    for path in settings["metrics_dir"]:
        register(path)
    metrics = _metrics(settings["metrics"])
    roles = {role: settings[role] for role in ROLES} | {"score": _scores(settings["score"])}
    by = _by(settings)

    from .running import run

    execute = _Engine(settings["threads"], settings["memory_limit"])
    with (
        _database(db, data, execute) as con,
        _other_engine(settings) as engine,
        _standard_input(data) as data,
        _warnings_on_one_line(),
    ):
        result = _interruptible(
            lambda: run(
                _as_data(data, settings["run_format"]),
                metrics,
                roles,
                by=by,
                where=settings["where"],
                con=con,
                engine=engine,
                min_rows=settings["min_rows"],
                diagnostics=settings["diagnostics"],
                strict=settings["strict"],
                per_group=settings["per_group"],
                preset=settings["preset"],
                execute=execute,
                **{name: settings[name] for name in RELATIONS},
            )
        )
    left_out = result.attrs.get("slices_left_out", 0)
    if left_out:
        few = f"fewer than {settings['min_rows']} rows"
        _say("warning", f"{left_out} slice{'s' if left_out > 1 else ''} with {few} left out")
    for assertion in assertions:
        assertion.check_column(result)
    keys = _key_columns(result, requested_metrics(metrics, catalogue())[0].metric)
    if output is not None:
        shell_output.write_result(output, result, exact=keys)
    else:
        shell_output.show(shell_output.table_of(result, exact=keys), settings["format"] or "table")
    failures = [line for assertion in assertions for line in assertion.failures(result, keys)]
    for line in failures:
        _say("assertion failed", line)
    return _FAILED_ASSERTION if failures else 0


def _as_data(data: list[str], run_format: str | None) -> Any:
    """DATA as the library takes it."""
    if run_format is None:
        return data[0] if len(data) == 1 else data
    if len(data) > 1:
        raise BadParameter("--run-format goes with one file")
    from .trec import TrecFile

    return TrecFile(data[0])


@contextlib.contextmanager
def _standard_input(data: list[str]) -> Iterator[list[str]]:
    """What stands on standard input in a file, for as long as it is read; its first bytes tell what it is."""
    if data != ["-"]:
        yield data
        return
    import shutil
    import tempfile

    content = sys.stdin.buffer
    start = content.read(64)
    if not start:
        raise BadData("-: nothing stands on standard input")
    ending = "parquet" if start[:4] == b"PAR1" else "json" if start.lstrip()[:1] in (b"{", b"[") else "csv"
    with tempfile.TemporaryDirectory(prefix="sqlmetrics-") as folder:
        path = Path(folder) / f"standard-input.{ending}"
        with path.open("wb") as file:
            file.write(start)
            shutil.copyfileobj(content, file)
        yield [str(path)]


def _metrics(entries: Sequence[Any]) -> list[Any]:
    """The entries of -m, each of which may be a list."""
    metrics: list[Any] = []
    for entry in entries:
        metrics += split_metrics(entry) if isinstance(entry, str) else [entry]
    return metrics


def _columns(entry: str) -> list[str]:
    """The columns of an entry with commas; with an equals sign it is one expression."""
    return [entry] if "=" in entry else [part.strip() for part in entry.split(",")]


def _scores(entries: Sequence[str]) -> str | list[str] | None:
    scores = [column for entry in entries for column in _columns(entry)]
    return scores[0] if len(scores) == 1 else scores or None


def _by(settings: Mapping[str, Any]) -> list[Any] | None:
    by, groupings = settings["by"], settings["grouping"]
    if by and groupings:
        raise BadParameter("give --by or --grouping, not both")
    if groupings:
        return [entry if isinstance(entry, list) else _grouping(entry) for entry in groupings]
    return [column for entry in by for column in _columns(entry)] or None


def _grouping(entry: str) -> list[str]:
    if entry.strip() in ("", "overall"):
        return []
    return split_metrics(entry) if "=" in entry else _columns(entry)


def _key_columns(result: pd.DataFrame, metric: Metric) -> list[str]:
    """The columns that tell rows apart: grouping, slices, model, and the group in a table by group."""
    names = [str(name) for name in result.columns]
    if metric.table:
        return [name for name in names if name not in metric.columns or name == "group"]
    return names[: names.index("n")]


@contextlib.contextmanager
def _other_engine(settings: Mapping[str, Any]) -> Iterator[Engine | None]:
    """The engine of --engine, opened and closed again."""
    if settings["engine"] is None:
        yield None
        return
    for name in ("db", "threads", "memory_limit"):
        if settings[name] is not None:
            raise BadParameter(f"--{name.replace('_', '-')} is DuckDB's own: leave it or --engine out")
    if len(settings["data"]) > 1:
        raise BadParameter("with --engine, DATA is one table or query")

    from .engines import open_engine

    with open_engine(settings["engine"]) as engine:
        yield engine


@contextlib.contextmanager
def _database(path: str | None, data: Sequence[str], engine: _Engine) -> Iterator[duckdb.DuckDBPyConnection | None]:
    """The database of --db; without it the library opens its own connection."""
    if path is None:
        yield None
        return
    import duckdb

    from .files import first_bytes
    from .source import first_line

    if first_bytes(path, 12)[8:] != b"DUCK":
        raise BadData(f"--db {path}: this is no DuckDB database; a file of data is given as DATA, without --db")
    try:
        con = duckdb.connect(path, read_only=True)
    except duckdb.Error as error:
        raise BadData(f"--db {path}: {first_line(error)}") from error
    with con:
        # A misspelt table must be an error, not a variable of this program that happens to have its name.
        con.execute("set python_enable_replacements = false")
        engine.prepare(con)
        tables = [str(name) for (name,) in con.execute("select table_name from information_schema.tables").fetchall()]
        if re.fullmatch(r"\w+", data[0]) and data[0].lower() not in [name.lower() for name in tables]:
            raise BadData(f"--db {path}: there is no table or view {data[0]!r}{did_you_mean(data[0], tables)}")
        yield con


def _interruptible(work: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    try:
        return work()
    except RuntimeError as error:
        # What the engine raises when Ctrl-C reaches it while it reads the columns of the data, on this thread.
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise


@contextlib.contextmanager
def _warnings_on_one_line() -> Iterator[None]:
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
            if issubclass(category, DroppedRows):
                _say("warning", message)
            else:
                usual(message, category, *rest, **named)

        warnings.simplefilter("always", DroppedRows)
        warnings.showwarning = show
        yield


def _input_files(data: Sequence[str]) -> list[str]:
    """The files that are read: those named, and those that a query names in quotes."""
    named: list[str] = []
    for one in data:
        named += re.findall(r"""["']([^"']+)["']""", one) if _QUERY.match(one) else [one]
    return [path for name in named for path in [name, *glob.glob(name, recursive=True)]]


class _Engine:
    """Runs statements on a second thread, so that this one can show a bar and answer Ctrl-C."""

    def __init__(self, threads: int | None, memory_limit: str | None) -> None:
        self._threads = threads
        self._memory_limit = memory_limit
        self._shows_progress = sys.stderr.isatty()
        self._prepared: duckdb.DuckDBPyConnection | None = None

    def prepare(self, con: duckdb.DuckDBPyConnection) -> None:
        """Set what was asked for on a connection of our own."""
        import duckdb

        from .connections import check_threads
        from .files import text_literal
        from .source import first_line

        if self._threads is not None:
            check_threads(self._threads)
            con.execute(f"set threads = {self._threads}")
        if self._memory_limit is not None:
            try:
                con.execute(f"set memory_limit = {text_literal(self._memory_limit)}")
            except duckdb.Error as error:
                raise BadParameter(f"--memory-limit {self._memory_limit}: {first_line(error)}") from error
        # The engine counts how far it is only with its own bar switched on. That bar is never to be drawn: imported by
        # `python -m`, DuckDB takes the program for a notebook and would draw it into standard output.
        con.execute(f"set enable_progress_bar = {self._shows_progress}")
        con.execute("set enable_progress_bar_print = false")
        self._prepared = con

    def __call__(self, source: Source, sql: str) -> pd.DataFrame:
        """Run one statement and return its rows."""
        from concurrent.futures import ThreadPoolExecutor, wait

        from .running import fetch

        con = source.connection
        if con is None:  # another engine, which shows no progress
            return fetch(source, sql)
        if con is not self._prepared:
            self.prepare(con)
        with ThreadPoolExecutor(max_workers=1) as pool, _progress(con, self._shows_progress) as advance:
            running = pool.submit(fetch, source, sql)
            try:
                while wait([running], timeout=_POLL).not_done:
                    advance()
            except KeyboardInterrupt:
                # The engine forgets an interrupt that comes before the query has begun: repeat it until it tells.
                while wait([running], timeout=0.05).not_done:
                    con.interrupt()
                raise
            return running.result()


@contextlib.contextmanager
def _progress(con: duckdb.DuckDBPyConnection, wanted: bool) -> Iterator[Callable[[], None]]:
    """A bar on stderr, where the work is long; what is yielded brings it up to date."""
    if not wanted:
        yield lambda: None
        return
    import time

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("computing"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("computing", total=None)
    begin = time.monotonic()
    started = False

    def advance() -> None:
        nonlocal started
        if not started and time.monotonic() - begin > _BAR_AFTER:
            bar.start()
            started = True
        percent = con.query_progress()
        # Zero and below: the engine cannot tell how far it is (yet), and the bar pulses.
        if percent > 0:
            bar.update(task, total=100, completed=min(percent, 100))

    try:
        yield advance
    finally:
        if started:
            bar.stop()


# ---- assertions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Assertion:
    """One --assert: COLUMN OP NUMBER, to hold in every row."""

    column: str
    comparison: str
    bound: float
    wanted: str

    def check_column(self, result: pd.DataFrame) -> None:
        """The column must be there and hold numbers."""
        from pandas.api.types import is_bool_dtype, is_numeric_dtype

        if self.column not in result.columns:
            hint = did_you_mean(self.column, result.columns)
            names = ", ".join(map(str, result.columns))
            raise BadParameter(f"--assert: there is no column {self.column!r}{hint}; the result has {names}")
        kind = result[self.column].dtype
        if len(result) and (is_bool_dtype(kind) or not is_numeric_dtype(kind)):
            raise BadParameter(f"--assert: column {self.column!r} does not hold numbers")

    def failures(self, result: pd.DataFrame, keys: Sequence[str]) -> list[str]:
        """A line for every row in which it does not hold."""
        import pandas as pd

        if result.empty:
            return [f"{self.column} {self.wanted}: the result has no rows"]
        values = result[self.column]
        holds = [not pd.isna(value) and bool(_COMPARISONS[self.comparison](value, self.bound)) for value in values]
        failed = result[[not one for one in holds]]
        lines = []
        for (position, value), where in zip(
            failed[self.column].items(), shell_output.key_texts(failed, keys), strict=True
        ):
            row = where or (f"row {int(str(position)) + 1}" if len(result) > 1 else "")
            shown = "NULL" if pd.isna(value) else repr(value.item() if hasattr(value, "item") else value)
            lines.append(f"{row + ': ' if row else ''}{self.column} is {shown}, not {self.wanted}")
        return lines


def _assertion(text: str) -> _Assertion:
    found = _ASSERTION.match(text)
    wrong = BadParameter(f"--assert {text!r}: write COLUMN OP NUMBER, as in 'auc >= 0.7' (OP: >= <= > < == !=)")
    if found is None:
        raise wrong
    try:
        bound = float(found["bound"])
    except ValueError:
        raise wrong from None
    if math.isnan(bound):
        raise wrong
    return _Assertion(found["column"], found["comparison"], bound, f"{found['comparison']} {found['bound']}")


# ---- the YAML file of -c ---------------------------------------------------------------------------------------------


def _settings(context: click.Context, config: str | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the command line over those of the file."""
    if config is None:
        return dict(given)
    written = [name for name in given if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE]
    from_file = _read_config(context, config)
    for pair in _EXCLUSIVE:
        if any(name in written for name in pair):
            for name in pair:
                from_file.pop(name, None)
    return {**given, **from_file, **{name: given[name] for name in written}}


def _read_config(context: click.Context, path: str) -> dict[str, Any]:
    import yaml

    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise BadParameter(f"{path}: not UTF-8 text") from error
    except yaml.YAMLError as error:
        raise BadParameter(f"{path}: not YAML: {error}") from error
    if not isinstance(content, dict):
        raise BadParameter(f"{path}: the file must hold `option: value` lines")
    options = {_long_name(option): option for option in context.command.params if option.name != "config"}
    settings: dict[str, Any] = {}
    for written, value in content.items():
        key = str(written).replace("_", "-")
        if key not in options:
            raise BadParameter(f"{path}: there is no option {str(written)!r}{did_you_mean(key, options)}")
        name = str(options[key].name)
        if name in settings:
            raise BadParameter(f"{path}: {key} is given twice")
        if value is None:
            continue
        several = key == "by" and isinstance(value, list) and any(isinstance(entry, list) for entry in value)
        if several and not all(isinstance(entry, list) for entry in value):
            raise BadParameter(f"{path}: by is a list of columns, or a list of such lists; not a mixture")
        if several and "grouping" in content:
            raise BadParameter(f"{path}: give by or grouping, not both")
        settings["grouping" if several else name] = _config_value(context, path, key, options[key], value)
    return settings


def _long_name(option: click.Parameter) -> str:
    return next((one[2:] for one in option.opts if one.startswith("--")), str(option.name))


def _config_value(context: click.Context, path: str, key: str, option: click.Parameter, value: Any) -> Any:
    """A value of the file in the form in which the command line would give it."""
    where = f"{path}: {key}"
    if isinstance(option, click.Option) and option.is_flag:
        if not isinstance(value, bool):
            raise BadParameter(f"{where} must be true or false, not {value!r}")
        return value
    if option.multiple or option.nargs == -1:
        entries = value if isinstance(value, list) else [value]
        return [_config_entry(context, where, key, option, entry) for entry in entries]
    return _config_entry(context, where, key, option, value)


def _config_entry(context: click.Context, where: str, key: str, option: click.Parameter, value: Any) -> Any:
    if key == "metrics" and isinstance(value, dict):
        return value
    if key in ("by", "grouping") and isinstance(value, list):
        return [_config_entry(context, where, key, option, entry) for entry in value]
    whole = isinstance(option.type, click.IntRange)
    if whole and (isinstance(value, bool) or not isinstance(value, int)):
        raise BadParameter(f"{where} must be a whole number, not {value!r}")
    if not whole and not isinstance(value, str):
        raise BadParameter(f"{where} must be text, not {value!r}; put it in quotes")
    try:
        return option.type.convert(value, option, context)
    except click.BadParameter as error:
        raise BadParameter(f"{where}: {error.message}") from error


# ---- sql -------------------------------------------------------------------------------------------------------------


@main.command("sql")
@click.argument("names", nargs=-1, metavar="[METRIC]...")
@_metrics_option
@click.option("--relation", metavar="RELATION", required=True, help="Table, or sub-query in brackets; used as it is.")
@click.option("--dialect", type=_Dialect(), default="duckdb", show_default=True, help="SQL to write.")
@_role_options
@_relation_options
@_by_option
@_grouping_option
@_where_option
@click.option(
    "--shape",
    type=click.Choice(("rows", "distinct", "two_level")),
    help="Rank every row, first count the rows at each score, or let no task see all rows (the default on spark).",
)
@_metrics_dir_option
@click.option("-o", "--output", metavar="FILE", help="Write the SQL to FILE.")
def sql_command(names: tuple[str, ...], relation: str, output: str | None, **given: Any) -> None:
    """Print the SQL of metrics; nothing is run.

    \b
    sqlmetrics sql auc --relation "{{ ref('impressions') }}" --label click --score pctr --dialect postgres
    """
    entries = [*names, *given["metrics"]]
    if not entries:
        raise BadParameter("name at least one metric, as in -m auc (`sqlmetrics list` names them all)")
    if output is not None:
        shell_output.check_output(output, [])
    for path in given["metrics_dir"]:
        register(path)

    from .running import render

    roles = {role: given[role] for role in ROLES} | {"score": _scores(given["score"])}
    text = render(
        _metrics(entries),
        relation=relation,
        dialect=given["dialect"],
        by=_by(given),
        where=given["where"],
        shape=given["shape"],
        preset=given["preset"],
        **{name: given[name] for name in RELATIONS},
        **roles,
    )
    if output is not None:
        shell_output.write_text(output, text)
    else:
        shell_output.print_text(text)


# ---- list, show, new -------------------------------------------------------------------------------------------------


@main.command("list")
@_format_option
@_metrics_dir_option
def list_command(format: str | None, metrics_dir: tuple[str, ...]) -> None:
    """List the metrics: name, title, family."""
    for path in metrics_dir:
        register(path)
    rows = [(metric.name, metric.title, metric.family) for metric in catalogue().metrics.values()]
    shell_output.show(Table(["name", "title", "family"], rows), format or "table")


@main.command("show")
@click.argument("metric")
@_metrics_dir_option
def show_command(metric: str, metrics_dir: tuple[str, ...]) -> None:
    """Say everything about one METRIC: formula, roles, parameters, source, an example."""
    for path in metrics_dir:
        register(path)
    known = catalogue()
    # ndcg@10 and precision@10 are understood too; a bare name need not fill in what the metric requires.
    spelled = (
        metric if metric in known.metrics or "@" not in metric else requested_metrics(metric, known)[0].metric.name
    )
    shell_output.print_text("\n".join(_description(known[spelled])) + "\n")


def _description(metric: Metric) -> list[str]:
    from .definitions import RENDERED_DIALECTS, TESTED_DIALECTS
    from .generation import example_lines, role_words

    facts = {
        "formula": metric.formula,
        "family": metric.family,
        "frame": ", ".join(metric.frames),
        "columns": ", ".join(metric.columns) if metric.table or len(metric.columns) > 1 else "",
        "range": metric.range,
        "undefined": metric.undefined,
        "oracle": metric.oracle,
        "source": metric.source,
        "notes": metric.notes,
        "tested on": ", ".join(TESTED_DIALECTS) if metric.builtin else "",
        "written in": f"{', '.join(RENDERED_DIALECTS)} (parsed and read back, not run)" if metric.builtin else "",
        "file": str(metric.path),
    }
    lines = [f"{metric.name}: {metric.title}" + (" (a table, asked for alone)" if metric.table else ""), ""]
    lines += [f"  {name:<10} {' '.join(str(text).split())}" for name, text in facts.items() if text]
    lines += ["", "roles"]
    lines += [
        f"  {role:<13} {role_words(metric, role)}{' (required)' if required else ''}"
        for role, required in metric.roles().items()
    ]
    lines += [f"  {name:<13} {RELATIONS[name]}" for name in metric.relations]
    if metric.parameters:
        lines += ["", "parameters"]
        for parameter in metric.parameters.values():
            lines += _parameter_lines(parameter)
    return [*lines, "", "example", *[f"  {line}" for line in example_lines(metric)]]


def _parameter_lines(parameter: Parameter) -> list[str]:
    default = "required" if parameter.required else f"default {parameter.default!r}"
    values = "" if parameter.choices else f"; {parameter.expected()}"
    lines = [f"  {parameter.name}: {parameter.doc} ({default}{values})"]
    for choice, meaning in parameter.choices.items():
        tools = f" [{parameter.used_by[choice]}]" if choice in parameter.used_by else ""
        lines.append(f"    {choice!r}: {meaning}{tools}")
    if not parameter.choices:
        lines += [f"    {value}: [{tools}]" for value, tools in parameter.used_by.items()]
    return lines


@main.command("new")
@click.argument("name")
@click.option(
    "--into",
    metavar="DIR",
    default=".",
    show_default=True,
    type=click.Path(file_okay=False),
    help="Folder to write into; made where it is missing.",
)
@click.option(
    "--frame",
    type=click.Choice(FRAMES),
    default="rows",
    show_default=True,
    help="What the metric aggregates: rows, ranked scores, the items of a group …",
)
def new_command(name: str, into: str, frame: str) -> None:
    """Write a metric file NAME.sql to start from; it runs as it is."""
    text = scaffold(name, frame)
    path = Path(into) / f"{name}.sql"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise BadParameter(f"{path}: the file exists and is left as it is") from None
    shell_output.print_text(f"{path}\n")
    click.echo(f"try it: sqlmetrics eval DATA -m {name} --metrics-dir {path} …", err=True)


@main.command("dbt-path")
def dbt_path_command() -> None:
    """Print the folder of the dbt package, for `local:` in a project's packages.yml."""
    shell_output.print_text(f"{sql_root()}\n")
