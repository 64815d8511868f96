"""The commands that compute: `eval`, `compare`, `gaps`, `drift`, `report`, `state`, `eval-states`."""

# ruff: noqa: PLC0415

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..authoring.register import register
from ..catalogue.registry import catalogue
from ..catalogue.vocabulary import RELATIONS
from ..errors import BadParameter, DroppedRows, QueryFailed
from ..output.files import check_output, write_text
from ..output.views import key_columns
from ..planning.planner import requested_metrics
from ..request import ComparisonOptions, DriftOptions, Request, Session, StateOptions, options_of
from ..tables import Result
from .assertions import read_assertion
from .call import arguments_of_call, arguments_of_drift, metrics_of
from .config import settings_of
from .help import Command
from .inputs import as_data, check_engine, database, input_files, standard_input
from .options import (
    BAD_USE,
    FAILED_ASSERTION,
    argument_options,
    endings_of,
    format_option,
    metrics_option,
    output_option,
    reading_options,
    running_options,
)
from .output import is_text_format, output_format, report_line, show_table, with_exact, write_result
from .progress import BackgroundExecutor

if TYPE_CHECKING:
    from ..inputs.source import Executor


@click.command("eval", cls=Command)
@click.argument("data", nargs=-1, metavar="DATA...")
@metrics_option
@argument_options("evaluate")
@running_options("evaluate")
@click.pass_context
def eval_command(context: click.Context, /, config: str | None, **options: Any) -> int:
    """Compute metrics over DATA.

    DATA is one or more parquet, CSV or JSON files (also globs, .gz and .zst), a folder of such files or a TREC run.
    Or it is one SQL query, or - for CSV, JSON or parquet on standard input.

    \b
    sqlmetrics eval log.parquet -m auc,gauc --label click --score pctr --group user_id --by device
    sqlmetrics eval log.csv -m copc --label "= rating >= 4" --score pctr --by "day = ts::date"
    sqlmetrics eval log.parquet -m auc --label click --score old,new --assert 'auc >= 0.7'
    """
    return _run_command("evaluate", settings_of(context, config, options), config)


@click.command("compare", cls=Command)
@click.argument("data", nargs=-1, metavar="DATA...")
@metrics_option
@argument_options("compare")
@running_options("compare")
@click.pass_context
def compare_command(context: click.Context, /, config: str | None, **options: Any) -> int:
    """Test the differences between models.

    For each slice, metric and model, a row has the difference from the baseline with its interval, p-value and
    verdict. DATA is what `eval` takes.

    \b
    sqlmetrics compare log.parquet -m auc --label click --score old,new --cluster user_id --by device
    sqlmetrics compare log.parquet -m auc --label click --score old,new --assert "verdict != 'worse'"
    """
    return _run_command("compare", settings_of(context, config, options), config)


@click.command("gaps", cls=Command)
@click.argument("data", nargs=-1, metavar="DATA...")
@metrics_option
@argument_options("gaps")
@running_options("gaps")
@click.pass_context
def gaps_command(context: click.Context, /, config: str | None, **options: Any) -> int:
    """Measure the largest gap between slices.

    For each metric, a row has the highest and the lowest slice, their difference and ratio. Metrics may also be
    demographic_parity, equal_opportunity and equalized_odds. DATA is what `eval` takes.

    \b
    sqlmetrics gaps log.parquet -m auc,copc --label click --score pctr --by device
    sqlmetrics gaps log.csv -m equalized_odds --label y --score p --by s --assert 'difference <= 0.1'
    """
    return _run_command("gaps", settings_of(context, config, options), config)


@click.command("drift", cls=Command)
@click.argument("data", nargs=-1, metavar="DATA...")
@argument_options("drift")
@running_options("drift")
@click.pass_context
def drift_command(context: click.Context, /, config: str | None, **options: Any) -> int:
    """Compare the columns of two relations.

    The relations are DATA and --against, or two parts of DATA. For each slice and column, a row has the numbers of
    rows and of missing values, psi, ks_distance, jensen_shannon and wasserstein. DATA is what `eval` takes.

    \b
    sqlmetrics drift new.parquet --columns pctr,country --against old.parquet --assert 'psi <= 0.2'
    sqlmetrics drift log.csv --columns pctr --current 'day = 14' --reference 'day < 14'
    """
    return _run_command("drift", settings_of(context, config, options), config, _drift)


@click.command("report", cls=Command)
@click.argument("data", nargs=-1, metavar="DATA...")
@metrics_option
@argument_options("report")
@reading_options
@click.option("-o", "--output", metavar="FILE", help="The page to write; its ending is .html.")
@click.pass_context
def report_command(context: click.Context, /, config: str | None, **options: Any) -> int:
    """Write an HTML report about models.

    It begins with the answer: which model is better, by how much, and where it is not. A scorecard, slices and the
    charts of the task follow. The page is one file that needs neither network nor script. DATA is what `eval` takes.
    Without -m the report chooses metrics by the columns.

    \b
    sqlmetrics report log.parquet --label click --score pctr --by device,day -o report.html
    sqlmetrics report log.parquet --label click --score old,new --group user_id -o report.html
    """
    return _run_command("report", settings_of(context, config, options), config, _report)


@click.command("state", cls=Command)
@click.argument("data", nargs=-1, metavar="DATA...")
@metrics_option
@argument_options("state")
@reading_options
@format_option
@output_option("state")
@click.pass_context
def state_command(context: click.Context, /, config: str | None, **options: Any) -> int:
    """Store a day of a log as a small table.

    Without -m the state holds the clicks at each score, or in each of --bins; with -m the sums of these metrics.
    `eval-states` and the dbt package add up the states of many days. DATA is what `eval` takes.

    \b
    sqlmetrics state log.parquet --label click --score pctr --by day,device -o days/2026-03-01.parquet
    sqlmetrics state log.parquet -m mae,rmse --label sold --score forecast --by day -o sums.parquet
    """
    return _run_command("state", settings_of(context, config, options), config, _state)


@click.command("eval-states", cls=Command)
@click.argument("data", nargs=-1, metavar="STATES...")
@metrics_option
@argument_options("evaluate_states")
@running_options("evaluate_states")
@click.pass_context
def eval_states_command(context: click.Context, /, config: str | None, **options: Any) -> int:
    """Compute metrics over stored states.

    STATES are files that `state` wrote (also globs), or tables of them. All must have the same settings.

    \b
    sqlmetrics eval-states 'days/*.parquet' --by device --where "day >= date '2026-03-01'"
    sqlmetrics eval-states sums.parquet -m mae,rmse --assert 'mae <= 2'
    """
    return _run_command("evaluate_states", settings_of(context, config, options), config, _states)


def _report(command: str, settings: Mapping[str, Any], config: str | None) -> int:
    output = settings["output"]
    _check_table(settings)
    if output is None:
        raise BadParameter("name the page, as in -o report.html")
    if Path(output).suffix.lower() not in (".html", ".htm"):
        raise BadParameter(f"-o {output}: the ending must be .html")
    check_output(output, _files_read(settings, config))
    options = [part for path in settings["metrics_dir"] for part in ("--metrics-dir", path)]
    options += ["--db", settings["db"]] if settings["db"] is not None else []

    from ..reporting.page import ShownCall, build_report

    with _opened(settings, arguments_of_call(command, settings)) as (data, arguments, execute):
        report = build_report(
            data,
            Request.of(arguments, comparison=options_of(ComparisonOptions, arguments)),
            options_of(Session, arguments),
            execute=execute,
            shown=ShownCall(as_data(list(settings["data"])), options),
        )
    write_text(output, report.html)
    return 0


@contextlib.contextmanager
def _opened(
    settings: Mapping[str, Any], arguments: dict[str, Any]
) -> Iterator[tuple[Any, dict[str, Any], BackgroundExecutor]]:
    """Open the data of a command; yield them with the arguments of the call and what runs its statements."""
    data, db = list(settings["data"]), settings["db"]
    for path in settings["metrics_dir"]:
        register(path)
    metrics = metrics_of(settings["metrics"]) or None
    check_engine(settings)
    # Without --db the library applies the limits itself.
    limits = (None, None) if db is None else (arguments.pop("threads"), arguments.pop("memory_limit"))
    execute = BackgroundExecutor(*limits)
    with database(db, data, execute) as con, standard_input(data) as inputs, _dropped_rows_as_warnings():
        yield as_data(inputs), {**arguments, "metrics": metrics, "con": con}, execute


def _run_command(
    command: str,
    settings: Mapping[str, Any],
    config: str | None,
    command_function: Callable[[str, Mapping[str, Any], str | None], int] | None = None,
) -> int:
    """Run a command; if a query fails, print its SQL with --show-sql."""
    try:
        return (command_function or _evaluate)(command, settings, config)
    except QueryFailed as error:
        report_line("error", error)
        if settings["show_sql"]:
            click.echo(error.sql, err=True)
        return BAD_USE


def _evaluate(command: str, settings: Mapping[str, Any], config: str | None) -> int:
    if not settings["metrics"]:
        _check_data(settings)
        raise BadParameter("name at least one metric, as in -m auc (`sqlmetrics list` names them all)")
    arguments = arguments_of_call(command, settings)
    decided: dict[str, Any] = {"gaps": command == "gaps"}
    if command == "compare":
        decided["comparison"] = options_of(ComparisonOptions, arguments)

    as_table = is_text_format(settings["output"])

    def run(data: Any, arguments: Mapping[str, Any], execute: Executor) -> Result:
        from ..running.evaluate import run

        request, session = Request.of(arguments, **decided), options_of(Session, arguments)
        result: Result = run(data, request, session, execute=execute, as_table=as_table)
        return result

    def keys(result: Result) -> list[str]:
        names = [str(name) for name in result.columns]
        if decided["gaps"]:
            return key_columns(names)
        return key_columns(names, requested_metrics(metrics_of(settings["metrics"]), catalogue())[0].metric)

    return _computed(command, settings, config, run, arguments, keys)


def _state(command: str, settings: Mapping[str, Any], config: str | None) -> int:
    arguments = arguments_of_call(command, settings)
    if settings["range"] is not None:
        try:
            arguments["range"] = [float(end) for end in settings["range"].split(",")]
        except ValueError:
            raise BadParameter(
                f"--range is the lowest and the highest score, as in -5,5, not {settings['range']}"
            ) from None

    def run(data: Any, arguments: Mapping[str, Any], execute: Executor) -> Result:
        from ..running.states import make_state

        options = options_of(StateOptions, arguments)
        return make_state(data, Request.of(arguments), options, options_of(Session, arguments), execute=execute)

    def keys(result: Result) -> list[str]:
        names = [str(name) for name in result.columns]
        return names[: names.index("made_with")]

    return _computed(command, {**settings, "assertions": (), "wide": True}, config, run, arguments, keys)


def _states(command: str, settings: Mapping[str, Any], config: str | None) -> int:
    as_table = is_text_format(settings["output"])

    def run(data: Any, arguments: Mapping[str, Any], execute: Executor) -> Result:
        from ..running.states import read_states

        request, session = Request.of(arguments), options_of(Session, arguments)
        result: Result = read_states(data, request, session, execute=execute, as_table=as_table)
        return result

    arguments = arguments_of_call(command, settings)
    return _computed(command, settings, config, run, arguments, lambda result: list(result.attrs["slices"]))


def _drift(command: str, settings: Mapping[str, Any], config: str | None) -> int:
    as_table = is_text_format(settings["output"])

    def run(data: Any, arguments: Mapping[str, Any], execute: Executor) -> Result:
        from ..running.drift import run_drift

        request = Request.of(arguments, comparison=options_of(ComparisonOptions, arguments))
        options, session = options_of(DriftOptions, arguments), options_of(Session, arguments)
        result: Result = run_drift(data, request, options, session, execute=execute, as_table=as_table)
        return result

    arguments = arguments_of_drift(command, settings)
    settings = {**settings, "metrics": ()}
    return _computed(command, settings, config, run, arguments, lambda result: key_columns([*map(str, result.columns)]))


def _check_data(settings: Mapping[str, Any]) -> None:
    if not settings["data"]:
        raise BadParameter("name the data: a file, several files, or a query")


def _check_table(settings: Mapping[str, Any]) -> None:
    _check_data(settings)
    if settings["db"] is not None and len(settings["data"]) > 1:
        raise BadParameter("with --db, DATA is one table, view or query")


def _files_read(settings: Mapping[str, Any], config: str | None) -> list[str]:
    relations = [settings.get(name) for name in ("against", *RELATIONS)]
    return [*input_files([*settings["data"], *filter(None, relations)]), *filter(None, (settings["db"], config))]


def _computed(
    command: str,
    settings: Mapping[str, Any],
    config: str | None,
    run: Callable[[Any, Mapping[str, Any], Executor], Result],
    arguments: dict[str, Any],
    keys_of: Callable[[Result], list[str]],
) -> int:
    """Run a call on the data, and print or write its result."""
    output = settings["output"]
    _check_table(settings)
    if output is not None:
        if settings["format"] not in (None, output_format(output, endings_of(command))):
            raise BadParameter(f"--format {settings['format']} and -o {output} contradict each other: remove one")
        check_output(output, _files_read(settings, config))
    assertions = [read_assertion(text) for text in settings["assertions"]]
    with _opened(settings, arguments) as (data, arguments_read, execute):
        result = run(data, arguments_read, execute)
    left_out = result.attrs.get("slices_left_out", 0)
    if left_out:
        few = f"fewer than {settings['min_rows']} rows"
        report_line("warning", f"{left_out} slice{'s' if left_out > 1 else ''} with {few} dropped")
    keys = keys_of(result)
    table = with_exact(result, keys)
    if output is not None:
        write_result(output, result, keys, settings["wide"])
    else:
        show_table(table, settings["format"] or "table", settings["wide"])
    # Checked after printing, so that a misspelt name does not lose the result of a long run.
    for assertion in assertions:
        assertion.check_column(table)
    failures = [line for assertion in assertions for line in assertion.failures(table, keys)]
    for line in failures:
        report_line("assertion failed", line)
    return FAILED_ASSERTION if failures else 0


@contextlib.contextmanager
def _dropped_rows_as_warnings() -> Iterator[None]:
    """Print each DroppedRows warning as one line."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
            if issubclass(category, DroppedRows):
                report_line("warning", message)
            else:
                usual(message, category, *rest, **named)

        warnings.simplefilter("always", DroppedRows)
        warnings.showwarning = show
        yield
