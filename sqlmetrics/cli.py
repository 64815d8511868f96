"""The shell: `sqlmetrics eval`, `compare`, `gaps`, `report`, `state`, `eval-states`, `sql`, `macros`, `list` …

Imports that cost time (the engine, pandas, rich) stand where they are used, so that `--help` and `list` answer at once.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

import ast
import contextlib
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from . import shell_output
from .arguments import COMPARISON, Argument, arguments_of
from .assertions import read_assertion
from .authoring.describe import description, searched_text
from .authoring.register import register
from .authoring.scaffold import FRAMES, scaffold
from .catalogue.dialects import DIALECTS, dialects
from .catalogue.front_matter import sql_root
from .catalogue.model import Metric
from .catalogue.registry import catalogue
from .catalogue.vocabulary import PRESETS, RELATIONS
from .errors import BadParameter, DroppedRows, QueryFailed, SqlMetricsError, did_you_mean
from .interrupts import keyboard_interrupts
from .output.files import check_output, write_text
from .output.tables import Table, table_of
from .output.text import TEXT_FORMATS
from .planning.metric_spec import parts_of, split_metrics
from .planning.planner import requested_metrics
from .progress import BackgroundExecutor
from .settings_file import settings_of
from .shell_input import as_data, check_engine, database, input_files, standard_input, writable_database
from .version import installed_version

if TYPE_CHECKING:
    import pandas as pd

    _ParamType = click.ParamType[str]
else:
    _ParamType = click.ParamType  # takes no type argument before click 8.4

_Command = TypeVar("_Command", bound=Callable[..., Any])

_FAILED_ASSERTION, _BAD_USE, _INTERRUPTED = 1, 2, 130


# ---- errors and exit codes -------------------------------------------------------------------------------------------


class _Shell(click.Group):
    """A group whose every failure is one line on stderr and an exit code, never a traceback."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command line and exit."""
        kwargs["standalone_mode"] = False
        if sys.stderr is None:  # closed by who called; there is nowhere to complain
            sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                # A terminal that cannot show Σ gets an escape instead of a crash.
                stream.reconfigure(errors="backslashreplace")
        try:
            code = keyboard_interrupts(super().main)(*args, **kwargs)
        except (click.Abort, KeyboardInterrupt):
            click.echo("interrupted", err=True)
            code = _INTERRUPTED
        except click.ClickException as error:
            shell_output.report("error", error.format_message())
            code = _BAD_USE
        except (SqlMetricsError, OSError) as error:
            shell_output.report("error", error)
            code = _BAD_USE
        sys.exit(code if isinstance(code, int) else 0)


# ---- options that several commands share -----------------------------------------------------------------------------


def _argument_options(call: str) -> Callable[[_Command], _Command]:
    """One option for each argument that the table has for a command."""

    def with_options(command: _Command) -> _Command:
        for argument in reversed(arguments_of(call)):
            command = _option(argument)(command)
        return command

    return with_options


def _option(argument: Argument) -> Callable[[_Command], _Command]:
    words = argument.shell or argument.doc
    if argument.annotation in ("bool", "bool | int"):
        names = f"{argument.option}/{argument.option.replace('--', '--no-', 1)}"
        return click.option(names, argument.name, default=False, help=words)
    kind: click.ParamType[Any] | None = None
    if argument.minimum is not None:
        kind = click.IntRange(min=argument.minimum)
    elif argument.choices:
        kind = click.Choice(argument.choices)
    elif argument.annotation.startswith("float"):
        kind = click.FLOAT
    default = ast.literal_eval(argument.default or "None")
    return click.option(
        argument.option,
        argument.name,
        type=kind,
        metavar=argument.metavar,
        multiple=argument.several,
        required=argument.default is None,
        show_default=default is not None,
        help=words,
        # click takes a default of None for a value that was given
        **({} if default is None else {"default": default}),
    )


def _completed(context: click.Context, parameter: click.Parameter, written: str) -> list[str]:  # noqa: ARG001
    """The metrics that a list may go on with."""
    before, comma, begun = written.rpartition(",")
    return [f"{before}{comma}{name}" for name in catalogue().metrics if name.startswith(begun)]


_metrics_option = click.option(
    "-m",
    "--metrics",
    metavar="LIST",
    multiple=True,
    shell_complete=_completed,
    help='Metrics, with commas or repeated: auc, ndcg@10, "ndcg(k=5, gain=\'linear\')", "mine = ndcg(k=5)".',
)
_metrics_dir_option = click.option(
    "--metrics-dir",
    metavar="PATH",
    multiple=True,
    type=click.Path(exists=True),
    help="Folder of your own metric files, or one such file; may be repeated.",
)


def _endings(command: str) -> list[str]:
    """What `-o` of a command may end with: `eval` alone has pictures, and nothing reads states of rounded numbers."""
    without = {"eval": (), "shell state": (".md", ".svg")}.get(command, (".svg",))
    return [ending for ending in shell_output.ENDINGS if ending not in without]


def _output_option(command: str) -> Callable[[_Command], _Command]:
    words = f"Write to FILE; its ending is one of {', '.join(_endings(command))}."
    return click.option("-o", "--output", metavar="FILE", help=words)


_format_option = click.option(
    "--format",
    type=click.Choice(TEXT_FORMATS),
    help="How to print: table (default, 6 digits), csv, json, jsonl (a line a row) or markdown. NULL is an empty csv "
    'field, null in json; an infinite threshold is "Infinity" in json.',
)


_READING_OPTIONS = (
    click.option(
        "--db",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False),
        help="DuckDB database, opened read-only; DATA is then a table, a view or a query in it.",
    ),
    click.option(
        "--run-format",
        metavar="trec",
        type=click.Choice(("trec",)),
        help="DATA is a TREC run, whatever its name and its first lines look like.",
    ),
    _metrics_dir_option,
    click.option("--show-sql/--no-show-sql", default=False, help="Where a query fails, also print its SQL on stderr."),
    click.option(
        "-c",
        "--config",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False),
        help="YAML file with the same options by their long names (data, metrics, label, by …); the command line "
        "overrides it. Relative paths in it start at the current directory.",
    ),
)
_assert_option = click.option(
    "--assert",
    "assertions",
    metavar="TEST",
    multiple=True,
    help="Exit with 1 unless every row passes, as in 'auc >= 0.7' or \"verdict != 'worse'\"; NULL and no rows at "
    "all fail. May be repeated.",
)


def _reading_options(command: _Command) -> _Command:
    """The options of whatever reads data."""
    for option in reversed(_READING_OPTIONS):
        command = option(command)
    return command


def _running_options(call: str) -> Callable[[_Command], _Command]:
    """The options of whatever reads data and shows a result."""

    def with_options(command: _Command) -> _Command:
        return _reading_options(_format_option(_output_option(call)(_assert_option(command))))

    return with_options


@click.group(
    cls=_Shell,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.option("--version", is_flag=True, help="Print the version and exit.")
@click.pass_context
def main(context: click.Context, /, version: bool) -> None:
    """Offline evaluation metrics (AUC, GAUC, NDCG, COPC …) as SQL, over files and tables.

    Exit codes: 0; 1 a failed --assert; 2 bad use or bad data, with one line on stderr; 130 interrupted, 143 terminated.

    Completion of commands, options and metrics: put eval "$(_SQLMETRICS_COMPLETE=bash_source sqlmetrics)" into
    ~/.bashrc; in zsh with zsh_source; in fish _SQLMETRICS_COMPLETE=fish_source sqlmetrics | source.
    """
    if version:
        shell_output.print_text(f"sqlmetrics {installed_version()}\n")
        context.exit(0)
    if context.invoked_subcommand is None:
        shell_output.print_text(context.get_help() + "\n")


# ---- eval ------------------------------------------------------------------------------------------------------------


@main.command("eval")
@click.argument("data", nargs=-1, metavar="DATA...")
@_metrics_option
@_argument_options("eval")
@_running_options("eval")
@click.option(
    "--bars/--no-bars",
    default=False,
    help="Behind each value also draw where it lies between the lowest and the highest one, with its interval; as many "
    "as the terminal has room for.",
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
    return _answered("eval", settings_of(context, config, given), config)


@main.command("compare")
@click.argument("data", nargs=-1, metavar="DATA...")
@_metrics_option
@_argument_options("shell compare")
@_running_options("shell compare")
@click.pass_context
def compare_command(context: click.Context, /, config: str | None, **given: Any) -> int:
    """Compare models over DATA: how far each is from the baseline, and whether that is more than chance.

    A row per slice, metric and model, with the interval of the difference, p-values and a verdict. DATA is what `eval`
    takes.

    \b
    sqlmetrics compare log.parquet -m auc,log_loss --label click --score old,new --cluster user_id --by device
    sqlmetrics compare log.parquet -m auc --label click --score old,new --assert "verdict != 'worse'"
    """
    return _answered("shell compare", settings_of(context, config, given), config)


@main.command("gaps")
@click.argument("data", nargs=-1, metavar="DATA...")
@_metrics_option
@_argument_options("shell gaps")
@_running_options("shell gaps")
@click.pass_context
def gaps_command(context: click.Context, /, config: str | None, **given: Any) -> int:
    """Tell how far slices of DATA are apart by each metric, and which two.

    A row per metric, with the highest and the lowest slice, their difference and ratio. Metrics may also be
    demographic_parity, equal_opportunity and equalized_odds. DATA is what `eval` takes.

    \b
    sqlmetrics gaps log.parquet -m auc,copc --label click --score pctr --by device
    sqlmetrics gaps log.parquet -m equalized_odds --label hired --score p --by sex --assert "difference <= 0.1"
    """
    return _answered("shell gaps", settings_of(context, config, given), config)


@main.command("drift")
@click.argument("data", nargs=-1, metavar="DATA...")
@_argument_options("shell drift")
@_running_options("shell drift")
@click.pass_context
def drift_command(context: click.Context, /, config: str | None, **given: Any) -> int:
    """Tell how far the values of columns of DATA lie from those of another relation, or of another part of DATA.

    A row per slice and column: rows, the share without a value, psi, ks_distance, jensen_shannon, wasserstein. DATA is
    what `eval` takes.

    \b
    sqlmetrics drift today.parquet --columns pctr,country --against yesterday.parquet --by device
    sqlmetrics drift log.parquet --columns pctr --current 'day = 14' --reference 'day < 14' --assert 'psi <= 0.2'
    """
    return _answered("shell drift", settings_of(context, config, given), config, _drift)


@main.command("report")
@click.argument("data", nargs=-1, metavar="DATA...")
@_metrics_option
@_argument_options("shell report")
@_reading_options
@click.option("-o", "--output", metavar="FILE", help="The page to write; its ending is .html.")
@click.pass_context
def report_command(context: click.Context, /, config: str | None, **given: Any) -> int:
    """Write a page about one or several models over DATA: scorecard, curves, calibration, lift, ranking, slices.

    What there is on it follows from the roles. It is one file that needs neither network nor script. DATA is what
    `eval` takes; without -m the metrics are those that fit the roles.

    \b
    sqlmetrics report log.parquet --label click --score pctr --by device,day -o report.html
    sqlmetrics report log.parquet --label click --score old,new --group user_id -o report.html
    """
    return _answered("shell report", settings_of(context, config, given), config, _report)


@main.command("state")
@click.argument("data", nargs=-1, metavar="DATA...")
@_metrics_option
@_argument_options("shell state")
@_reading_options
@_format_option
@_output_option("shell state")
@click.pass_context
def state_command(context: click.Context, /, config: str | None, **given: Any) -> int:
    """Keep of DATA what metrics need, as a small table that merges with others by addition: a day of a log.

    Without -m it keeps the clicks at each score, or in each of --bins; with -m the sums of these metrics. `eval-states`
    reads any of them together, and so does the dbt package. DATA is what `eval` takes.

    \b
    sqlmetrics state 2026-03-01.parquet --label click --score pctr --by day,device -o days/2026-03-01.parquet
    sqlmetrics state log.parquet -m mae,rmse --label sold --score forecast --by day -o sums.parquet
    """
    return _answered("shell state", settings_of(context, config, given), config, _state)


@main.command("eval-states")
@click.argument("data", nargs=-1, metavar="STATES...")
@_metrics_option
@_argument_options("eval-states")
@_running_options("eval-states")
@click.pass_context
def eval_states_command(context: click.Context, /, config: str | None, **given: Any) -> int:
    """Compute metrics over states together, without the log.

    STATES are files that `state` wrote (globs too), or tables of them. Parts that were made with other settings are not
    added up.

    \b
    sqlmetrics eval-states 'days/*.parquet' --by device --where "day >= date '2026-03-01'"
    sqlmetrics eval-states sums.parquet -m mae,rmse --assert 'mae <= 2'
    """
    return _answered("eval-states", settings_of(context, config, given), config, _states)


def _report(command: str, settings: Mapping[str, Any], config: str | None) -> int:
    data, db, output = list(settings["data"]), settings["db"], settings["output"]
    _check_table(settings)
    if output is None:
        raise BadParameter("name the page, as in -o report.html")
    if Path(output).suffix.lower() not in (".html", ".htm"):
        raise BadParameter(f"-o {output}: the ending must be .html")
    check_output(output, _files_read(settings, config))
    options: list[str] = []
    for path in settings["metrics_dir"]:
        register(path)
        options += ["--metrics-dir", path]
    options += ["--db", db] if db is not None else []
    options += ["--run-format", settings["run_format"]] if settings["run_format"] is not None else []
    given = _given(command, settings)
    check_engine(settings)

    from .reporting.page import build_report

    execute = BackgroundExecutor(*_limits_of(db, given))
    with (
        database(db, data, execute) as con,
        standard_input(data) as found,
        _warnings_on_one_line(),
    ):
        report = build_report(
            as_data(found, settings["run_format"]),
            _metrics(settings["metrics"]) or None,
            **given,
            con=con,
            execute=execute,
            shown_data=as_data(data, None),
            options=options,
        )
    write_text(output, report.html)
    return 0


def _limits_of(db: str | None, given: dict[str, Any]) -> tuple[int | None, str | None]:
    """What is set on the database of --db; without one a call opens an engine within these limits."""
    if db is None:
        return None, None
    return given.pop("threads"), given.pop("memory_limit")


def _answered(
    command: str,
    settings: Mapping[str, Any],
    config: str | None,
    answer: Callable[[str, Mapping[str, Any], str | None], int] | None = None,
) -> int:
    """Compute and show; where a query fails, show it if that was asked for."""
    try:
        return (answer or _evaluate)(command, settings, config)
    except QueryFailed as error:
        shell_output.report("error", error)
        if settings["show_sql"]:
            click.echo(error.sql, err=True)
        return _BAD_USE


def _evaluate(command: str, settings: Mapping[str, Any], config: str | None) -> int:
    if not settings["metrics"]:
        _check_data(settings)
        raise BadParameter("name at least one metric, as in -m auc (`sqlmetrics list` names them all)")
    given = _given(command, settings)
    if command == "shell compare":
        given["comparison"] = {name: given.pop(name) for name in COMPARISON}
        if given["comparison"]["adjust"] == "none":
            given["comparison"]["adjust"] = None
    given["gaps"] = command == "shell gaps"

    def run(*arguments: Any, **named: Any) -> pd.DataFrame:
        from .running.evaluate import run

        return run(*arguments, **named)

    def keys(result: pd.DataFrame) -> list[str]:
        if given["gaps"]:
            return _key_columns(result, None)
        return _key_columns(result, requested_metrics(_metrics(settings["metrics"]), catalogue())[0].metric)

    return _computed(command, settings, config, run, given, keys)


def _state(command: str, settings: Mapping[str, Any], config: str | None) -> int:
    given = _given(command, settings)
    if settings["range"] is not None:
        try:
            given["range"] = [float(end) for end in settings["range"].split(",")]
        except ValueError:
            raise BadParameter(
                f"--range is the lowest and the highest score, as in -5,5, not {settings['range']}"
            ) from None

    def run(*arguments: Any, **named: Any) -> pd.DataFrame:
        from .running.states import make_state

        return make_state(*arguments, **named)

    def keys(result: pd.DataFrame) -> list[str]:
        names = [str(name) for name in result.columns]
        return names[: names.index("made_with")]

    return _computed(command, {**settings, "assertions": ()}, config, run, given, keys)


def _states(command: str, settings: Mapping[str, Any], config: str | None) -> int:
    def run(*arguments: Any, **named: Any) -> pd.DataFrame:
        from .running.states import read_states

        return read_states(*arguments, **named)

    def keys(result: pd.DataFrame) -> list[str]:
        return list(result.attrs["slices"])

    return _computed(command, settings, config, run, _given(command, settings), keys)


def _drift(command: str, settings: Mapping[str, Any], config: str | None) -> int:
    def run(data: Any, _: Any, **named: Any) -> pd.DataFrame:
        from .running.drift import run_drift

        return run_drift(data, **named)

    def keys(result: pd.DataFrame) -> list[str]:
        return _key_columns(result, None)

    return _computed(command, {**settings, "metrics": ()}, config, run, _given_of_drift(command, settings), keys)


def _given_of_drift(command: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    given = _given(command, settings)
    for name in ("columns", "categories"):
        given[name] = [column for entry in settings[name] for column in _columns(entry)]
    return given


def _check_data(settings: Mapping[str, Any]) -> None:
    if not settings["data"]:
        raise BadParameter("name the data: a file, several files, or a query")


def _check_table(settings: Mapping[str, Any]) -> None:
    _check_data(settings)
    if settings["db"] is not None and len(settings["data"]) > 1:
        raise BadParameter("with --db, DATA is one table, view or query")


def _files_read(settings: Mapping[str, Any], config: str | None) -> list[str]:
    """What a command reads, whatever it is read for."""
    relations = [settings.get(name) for name in ("against", *RELATIONS)]
    return [*input_files([*settings["data"], *filter(None, relations)]), *filter(None, (settings["db"], config))]


def _computed(
    command: str,
    settings: Mapping[str, Any],
    config: str | None,
    run: Callable[..., pd.DataFrame],
    given: dict[str, Any],
    keys_of: Callable[[pd.DataFrame], list[str]],
) -> int:
    """Run a call over the data, and show or write its result."""
    data, db, output = list(settings["data"]), settings["db"], settings["output"]
    _check_table(settings)
    if output is not None:
        if settings["format"] not in (None, shell_output.output_format(output, _endings(command))):
            raise BadParameter(f"--format {settings['format']} and -o {output} contradict each other: leave one out")
        check_output(output, _files_read(settings, config))
    bars = settings.get("bars", False)
    if bars and (output is not None or settings["format"] not in (None, "table")):
        raise BadParameter("--bars are drawn in a table on the terminal: leave -o and --format out")
    assertions = [read_assertion(text) for text in settings["assertions"]]
    for path in settings["metrics_dir"]:
        register(path)
    metrics = _metrics(settings["metrics"]) or None
    check_engine(settings)
    execute = BackgroundExecutor(*_limits_of(db, given))
    with (
        database(db, data, execute) as con,
        standard_input(data) as data,
        _warnings_on_one_line(),
    ):
        result = run(as_data(data, settings["run_format"]), metrics, **given, con=con, execute=execute)
    left_out = result.attrs.get("slices_left_out", 0)
    if left_out:
        few = f"fewer than {settings['min_rows']} rows"
        shell_output.report("warning", f"{left_out} slice{'s' if left_out > 1 else ''} with {few} left out")
    keys = keys_of(result)
    if output is not None:
        shell_output.write_result(output, result, exact=keys)
    else:
        table = table_of(result, exact=keys)
        shell_output.show(_with_bars(table, result) if bars else table, settings["format"] or "table")
    # A misspelt name must not cost the result, which may have taken an hour.
    for assertion in assertions:
        assertion.check_column(result)
    failures = [line for assertion in assertions for line in assertion.failures(result, keys)]
    for line in failures:
        shell_output.report("assertion failed", line)
    return _FAILED_ASSERTION if failures else 0


def _with_bars(table: Table, result: pd.DataFrame) -> Table:
    from .reporting.charts import value_columns

    if any(metric.table for name, metric in catalogue().metrics.items() if name in result.attrs["metrics"]):
        raise BadParameter("--bars are for single numbers by slices; -o curve.svg draws tables")
    names, width = value_columns(result), shutil.get_terminal_size().columns
    wide = shell_output.with_bars(table, names, width)
    if len(wide.columns) == len(table.columns) and len(table.rows) > 1:
        has_room = len(shell_output.with_bars(table, names, sys.maxsize).columns) == len(table.columns)
        reason = "the values are all the same" if has_room else f"the terminal is too narrow, with {width} columns"
        shell_output.report("warning", f"no bar is drawn: {reason}")
    return wide


def _metrics(entries: Sequence[Any]) -> list[Any]:
    """The entries of -m, each of which may be a list."""
    metrics: list[Any] = []
    for entry in entries:
        metrics += split_metrics(entry) if isinstance(entry, str) else [entry]
    return metrics


def _columns(entry: str) -> list[str]:
    """The columns of an entry with commas; with an equals sign it is one expression."""
    return [entry] if "=" in entry else parts_of(entry)


def _scores(entries: Sequence[str]) -> str | list[str] | None:
    scores = [column for entry in entries for column in _columns(entry)]
    return scores[0] if len(scores) == 1 else scores or None


def _by(settings: Mapping[str, Any]) -> list[Any] | None:
    by, groupings = settings["by"], settings.get("grouping", ())
    if by and groupings:
        raise BadParameter("give --by or --grouping, not both")
    if groupings:
        return [entry if isinstance(entry, list) else _grouping(entry) for entry in groupings]
    return [column for entry in by for column in _columns(entry)] or None


def _given(command: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call in Python: the settings of a command, its lists taken apart."""
    given = {argument.name: settings[argument.name] for argument in arguments_of(command)}
    given["by"] = _by(settings)
    if given.pop("grouping", None) is not None and "score" in given:  # a state has one score, and one list of slices
        given["score"] = _scores(settings["score"])
    return given


def _grouping(entry: str) -> list[str]:
    if entry.strip() in ("", "overall"):
        return []
    return split_metrics(entry) if "=" in entry else _columns(entry)


def _key_columns(result: pd.DataFrame, metric: Metric | None) -> list[str]:
    """The columns that tell rows apart: grouping, slices, model, the group in a table by group, the ends of a gap."""
    names = [str(name) for name in result.columns]
    if metric is None:
        return names[: names.index("highest" if "highest" in names else "n")]
    if metric.table:
        return [name for name in names if name not in metric.columns or name == "group"]
    return names[: names.index("value" if "baseline_value" in names else "n")]


@contextlib.contextmanager
def _warnings_on_one_line() -> Iterator[None]:
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
            if issubclass(category, DroppedRows):
                shell_output.report("warning", message)
            else:
                usual(message, category, *rest, **named)

        warnings.simplefilter("always", DroppedRows)
        warnings.showwarning = show
        yield


# ---- sql -------------------------------------------------------------------------------------------------------------


@main.command("sql")
@click.argument("names", nargs=-1, metavar="[METRIC]...", shell_complete=_completed)
@_metrics_option
@_argument_options("sql")
@_metrics_dir_option
@click.option("-o", "--output", metavar="FILE", help="Write the SQL to FILE.")
def sql_command(names: tuple[str, ...], output: str | None, **options: Any) -> None:
    """Print the SQL of metrics; nothing is run.

    \b
    sqlmetrics sql auc --relation "{{ ref('impressions') }}" --label click --score pctr --dialect postgres
    """
    from .api import render

    _print_sql(render, "sql", names, output, options)


@main.command("sql-compare")
@click.argument("names", nargs=-1, metavar="[METRIC]...", shell_complete=_completed)
@_metrics_option
@_argument_options("sql-compare")
@_metrics_dir_option
@click.option("-o", "--output", metavar="FILE", help="Write the SQL to FILE.")
def sql_compare_command(names: tuple[str, ...], output: str | None, **options: Any) -> None:
    """Print the SQL of a comparison of models; nothing is run.

    \b
    sqlmetrics sql-compare auc --relation impressions --label click --score old,new --cluster user_id
    """
    from .api import render_compare

    _print_sql(render_compare, "sql-compare", names, output, options)


@main.command("sql-gaps")
@click.argument("names", nargs=-1, metavar="[METRIC]...", shell_complete=_completed)
@_metrics_option
@_argument_options("sql-gaps")
@_metrics_dir_option
@click.option("-o", "--output", metavar="FILE", help="Write the SQL to FILE.")
def sql_gaps_command(names: tuple[str, ...], output: str | None, **options: Any) -> None:
    """Print the SQL of how far slices are apart; nothing is run.

    \b
    sqlmetrics sql-gaps auc --relation impressions --label click --score pctr --by device --dialect spark
    """
    from .api import render_gaps

    _print_sql(render_gaps, "sql-gaps", names, output, options)


@main.command("sql-drift")
@_argument_options("sql-drift")
@click.option("-o", "--output", metavar="FILE", help="Write the SQL to FILE.")
def sql_drift_command(output: str | None, **options: Any) -> None:
    """Print the SQL of how far columns have moved; nothing is run.

    \b
    sqlmetrics sql-drift --relation log --columns pctr --categories country --against yesterday --dialect spark
    """
    from .api import render_drift

    _write_sql(lambda: render_drift(**_given_of_drift("sql-drift", options)), output)


def _print_sql(
    render: Callable[..., str], command: str, names: tuple[str, ...], output: str | None, options: Mapping[str, Any]
) -> None:
    entries = [*names, *options["metrics"]]
    if not entries:
        raise BadParameter("name at least one metric, as in -m auc (`sqlmetrics list` names them all)")
    for path in options["metrics_dir"]:
        register(path)
    _write_sql(lambda: render(_metrics(entries), **_given(command, options)), output)


def _write_sql(render: Callable[[], str], output: str | None) -> None:
    if output is not None:
        check_output(output, [])
    text = render()
    if output is not None:
        write_text(output, text)
    else:
        shell_output.print_text(text)


# ---- macros, install -------------------------------------------------------------------------------------------------


_preset_option = click.option(
    "--preset",
    type=click.Choice(PRESETS),
    help="The conventions of another tool, for the parameters that are not given.",
)


@main.command("macros")
@click.argument("names", nargs=-1, metavar="[METRIC]...", shell_complete=_completed)
@_metrics_option
@_preset_option
@click.option("--schema", metavar="NAME", help="A schema for them, made where it is missing.")
@_metrics_dir_option
@click.option("-o", "--output", metavar="FILE", help="Write the SQL to FILE.")
def macros_command(
    names: tuple[str, ...],
    metrics: tuple[str, ...],
    preset: str | None,
    schema: str | None,
    metrics_dir: tuple[str, ...],
    output: str | None,
) -> None:
    """Print the metrics as table macros of DuckDB; nothing is run.

    By default all that can be macros. A macro that is there under such a name is replaced; `install` looks first.

    \b
    sqlmetrics macros > metrics.sql
    duckdb my.duckdb -c ".read metrics.sql" -c "from auc(impressions, clicked, pctr)"
    """
    if output is not None:
        check_output(output, [])
    for path in metrics_dir:
        register(path)

    from .integrations.duckdb_macros import macros_text

    text = macros_text(_metrics([*names, *metrics]) or None, preset=preset, schema=schema)
    if output is not None:
        write_text(output, text)
    else:
        shell_output.print_text(text)


@main.command("install")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@_metrics_option
@_preset_option
@click.option("--schema", metavar="NAME", help="A schema for them, made where it is missing; main by default.")
@_metrics_dir_option
@click.option("--remove", is_flag=True, help="Take out what was installed; nothing else is touched.")
def install_command(
    file: str,
    metrics: tuple[str, ...],
    preset: str | None,
    schema: str | None,
    metrics_dir: tuple[str, ...],
    remove: bool,
) -> None:
    """Make table macros of the metrics in the DuckDB database FILE, for every client of it.

    By default all that can be macros. Nothing else in FILE is touched, and a macro of yours with such a name is an
    error. Installed again, by another version, they are replaced.

    \b
    sqlmetrics install my.duckdb
    duckdb my.duckdb "from auc(impressions, clicked, pctr)"
    """
    if remove and (metrics or preset):
        raise BadParameter("--remove takes out all that was installed: leave --metrics and --preset out")
    for path in metrics_dir:
        register(path)

    from .integrations.duckdb_macros import install, uninstall

    with writable_database(file) as con:
        if remove:
            names = uninstall(con, schema=schema)
        else:
            names = install(con, _metrics(metrics) or None, preset=preset, schema=schema)
    macros = f"{len(names)} macro{'' if len(names) == 1 else 's'}"
    shell_output.print_text(f"{macros} {'removed from' if remove else 'installed in'} {file}\n")


# ---- list, show, new -------------------------------------------------------------------------------------------------


@main.command("list")
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option("--family", metavar="NAME", help="Only the metrics of one family: binary, calibration, ranking …")
@click.option("--dialect", type=click.Choice(DIALECTS), help="Add what tests do with each metric in this dialect.")
@_format_option
@_metrics_dir_option
def list_command(
    words: tuple[str, ...], family: str | None, dialect: str | None, format: str | None, metrics_dir: tuple[str, ...]
) -> None:
    """List the metrics: name, title, family; with WORDs only those of which all are said.

    \b
    sqlmetrics list --family ranking
    sqlmetrics list mean error
    sqlmetrics list --dialect snowflake
    """
    for path in metrics_dir:
        register(path)
    metrics = list(catalogue().metrics.values())
    families = {metric.family for metric in metrics}
    if family is not None and family not in families:
        hint = did_you_mean(family, families)
        raise BadParameter(f"there is no family {family!r}{hint}; there are {', '.join(sorted(families))}")
    columns = ["name", "title", "family"] + (["tested"] if dialect else [])
    tested = dialects()[dialect].evidence if dialect else ""
    rows = [
        (metric.name, metric.title, metric.family, tested if metric.builtin else "not tested")[: len(columns)]
        for metric in metrics
        if family in (None, metric.family) and all(word.lower() in searched_text(metric) for word in words)
    ]
    if not rows:
        asked = " ".join(words).lower()
        hints = [hint for word, hint in _IN_OTHER_COMMANDS.items() if word in asked]
        hint = hints[0] if hints else "`sqlmetrics list` without words shows all"
        raise BadParameter(f"no metric matches {' '.join(words)!r}: {hint}")
    shell_output.show(Table(columns, rows), format or "table")


#: What is searched for among the metrics and is done by a command or an option.
_IN_OTHER_COMMANDS = {
    "psi": "`sqlmetrics drift` reports the population stability index",
    "drift": "`sqlmetrics drift` compares the columns of two relations",
    "fairness": "`sqlmetrics gaps` compares slices, also by demographic_parity, equal_opportunity and equalized_odds",
    "confidence": "`--confidence 0.95` adds an interval to each metric of `sqlmetrics eval`",
    "significan": "`sqlmetrics compare` tests the differences of models",
    "interval": "`--confidence 0.95` adds an interval to each metric of `sqlmetrics eval`",
}


@main.command("show")
@click.argument("metric", shell_complete=_completed)
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
    shell_output.print_text("\n".join(description(known[spelled])) + "\n")


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


@main.command("dbt-contract")
@click.argument("names", nargs=-1, metavar="[METRIC]...", shell_complete=_completed)
@_metrics_option
@_argument_options("sql")
@click.option(
    "--type",
    "types",
    metavar="SLICE=TYPE",
    multiple=True,
    help="The type of a slice column, as in day=date; a text by default. May be repeated.",
)
@_metrics_dir_option
def dbt_contract_command(names: tuple[str, ...], types: tuple[str, ...], **options: Any) -> None:
    """Print the contract of a dbt model: the columns of a call with their types on the adapter --dialect.

    Its options are those of `sql`, which prints the model.

    \b
    sqlmetrics dbt-contract auc --relation log --label click --score pctr --by day --type day=date --dialect postgres
    """
    entries = [*names, *options["metrics"]]
    if not entries:
        raise BadParameter("name at least one metric, as in -m auc (`sqlmetrics list` names them all)")
    given_types = dict(entry.partition("=")[::2] for entry in types)
    for name, kind in given_types.items():
        if not kind.strip():
            raise BadParameter(f"--type {name}: give the type behind an equals sign, as in day=date")
    for path in options["metrics_dir"]:
        register(path)

    from .api import plan_of_render
    from .integrations.dbt_contract import contract

    given = _given("sql", options)
    shell_output.print_text(contract(plan_of_render(_metrics(entries), **given), given["dialect"], given_types))


@main.command("dbt-semantics")
@click.argument("names", nargs=-1, metavar="[METRIC]...", shell_complete=_completed)
@_metrics_option
@_preset_option
@click.option("--model", metavar="NAME", required=True, help="The model that is a metric_state, by its name in dbt.")
@click.option("--time", metavar="COLUMN", required=True, help="The slice that is a time, such as day.")
@click.option(
    "--grain",
    type=click.Choice(("hour", "day", "week", "month", "quarter", "year")),
    default="day",
    show_default=True,
    help="What part of time a row of the state is.",
)
@click.option("--by", metavar="COLUMNS", multiple=True, help="The other slices of the state, with commas or repeated.")
@click.option("--dialect", type=click.Choice(DIALECTS), default="duckdb", show_default=True, help="SQL to write.")
@_metrics_dir_option
def dbt_semantics_command(
    names: tuple[str, ...],
    metrics: tuple[str, ...],
    preset: str | None,
    model: str,
    time: str,
    grain: str,
    by: tuple[str, ...],
    dialect: str,
    metrics_dir: tuple[str, ...],
) -> None:
    """Print a semantic model of dbt and its metrics, over a model that is a metric_state of these metrics.

    \b
    sqlmetrics dbt-semantics copc log_loss precision --model daily_sums --time day --by device > models/semantics.yml
    """
    entries = [*names, *metrics]
    if not entries:
        raise BadParameter("name at least one metric, as in -m copc (`sqlmetrics list` names them all)")
    for path in metrics_dir:
        register(path)

    from .integrations.dbt_semantics import semantics

    slices = [column for entry in by for column in parts_of(entry)]
    shell_output.print_text(semantics(_metrics(entries), model, time, grain, slices, preset, dialect))


@main.command("dbt-path")
def dbt_path_command() -> None:
    """Print the folder of the dbt package, for `local:` in a project's packages.yml."""
    shell_output.print_text(f"{sql_root()}\n")
