"""The commands that compute: `eval`, `compare`, `gaps`, `drift`, `report`, `state`, `eval-states`."""

# ruff: noqa: PLC0415

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from ..authoring.register import register
from ..catalogue.registry import catalogue
from ..catalogue.vocabulary import RELATIONS
from ..errors import BadParameter, DroppedRows, QueryFailed
from ..output.files import check_output, write_file
from ..output.views import key_columns
from ..request import Session, options_of
from ..tables import Result
from .config import settings_of
from .help import Command
from .inputs import as_data, database, input_files, standard_input
from .options import BAD_USE, FAILED_ASSERTION, METRICS, arguments_of_call, endings_of, reading_options, running_options
from .output import is_text_format, output_format, report_line, show_table, with_exact, write_result
from .progress import execute_with_bar


class _DataCommand(Command):
    """A command over data, whose settings are its options and those of the -c file."""

    def invoke(self, ctx: click.Context) -> Any:
        """Check the data, and run the command; if a query fails, print its SQL with --show-sql."""
        ctx.params = settings_of(ctx)
        if not ctx.params["data"]:
            raise BadParameter("name the data: a file, several files, or a query")
        if ctx.params["db"] is not None and len(ctx.params["data"]) > 1:
            raise BadParameter("with --db, DATA is one table, view or query")
        try:
            return super().invoke(ctx)
        except QueryFailed as error:
            report_line("error", error)
            if ctx.params["show_sql"]:
                click.echo(error.sql, err=True)
            return BAD_USE


_DATA = click.Argument(["data"], nargs=-1, metavar="DATA...")
_STATES = click.Argument(["data"], nargs=-1, metavar="STATES...")
_PAGE = click.Option(["-o", "--output"], metavar="FILE", help="The page to write; its ending is .html.")


@click.command("eval", cls=_DataCommand, params=[_DATA, METRICS, *running_options("evaluate")])
def eval_command(**settings: Any) -> int:
    """Compute metrics over DATA.

    DATA is one or more parquet, CSV or JSON files (also globs, .gz and .zst), a folder of such files or a TREC run.
    Or it is one SQL query, or - for CSV, JSON or parquet on standard input.

    \b
    sqlmetrics eval log.parquet -m auc,gauc --label click --score pctr --group user_id --by device
    sqlmetrics eval log.csv -m copc --label "= rating >= 4" --score pctr --by "day = ts::date"
    sqlmetrics eval log.parquet -m auc --label click --score old,new --assert 'auc >= 0.7'
    """
    return _compute("evaluate", settings)


@click.command("compare", cls=_DataCommand, params=[_DATA, METRICS, *running_options("compare")])
def compare_command(**settings: Any) -> int:
    """Test the differences between models.

    For each slice, metric and model, a row has the difference from the baseline with its interval, p-value and
    verdict. DATA is what `eval` takes.

    \b
    sqlmetrics compare log.parquet -m auc --label click --score old,new --cluster user_id --by device
    sqlmetrics compare log.parquet -m auc --label click --score old,new --assert "verdict != 'worse'"
    """
    return _compute("compare", settings)


@click.command("gaps", cls=_DataCommand, params=[_DATA, METRICS, *running_options("gaps")])
def gaps_command(**settings: Any) -> int:
    """Measure the largest gap between slices.

    For each metric, a row has the highest and the lowest slice, their difference and ratio. Metrics may also be
    demographic_parity, equal_opportunity and equalized_odds. DATA is what `eval` takes.

    \b
    sqlmetrics gaps log.parquet -m auc,copc --label click --score pctr --by device
    sqlmetrics gaps log.csv -m equalized_odds --label y --score p --by s --assert 'difference <= 0.1'
    """
    return _compute("gaps", settings)


@click.command("drift", cls=_DataCommand, params=[_DATA, *running_options("drift")])
def drift_command(**settings: Any) -> int:
    """Compare the columns of two relations.

    The relations are DATA and --against, or two parts of DATA. For each slice and column, a row has the numbers of
    rows and of missing values, psi, ks_distance, jensen_shannon and wasserstein. DATA is what `eval` takes.

    \b
    sqlmetrics drift new.parquet --columns pctr,country --against old.parquet --assert 'psi <= 0.2'
    sqlmetrics drift log.csv --columns pctr --current 'day = 14' --reference 'day < 14'
    """
    return _compute("drift", settings)


@click.command("report", cls=_DataCommand, params=[_DATA, METRICS, *reading_options("report"), _PAGE])
def report_command(**settings: Any) -> int:
    """Write an HTML report about models.

    It begins with the answer: which model is better, by how much, and where it is not. A scorecard, slices and the
    charts of the task follow. The page is one file that needs neither network nor script. DATA is what `eval` takes.
    Without -m the report chooses metrics by the columns.

    \b
    sqlmetrics report log.parquet --label click --score pctr --by device,day -o report.html
    sqlmetrics report log.parquet --label click --score old,new --group user_id -o report.html
    """
    output = settings["output"]
    if output is None:
        raise BadParameter("name the page, as in -o report.html")
    if Path(output).suffix.lower() not in (".html", ".htm"):
        raise BadParameter(f"-o {output}: the ending must be .html")
    options = [part for path in settings["metrics_dir"] for part in ("--metrics-dir", path)]
    options += ["--db", settings["db"]] if settings["db"] is not None else []
    with _opened("report", settings) as arguments:
        from ..reporting.page import build_report
        from ..running.calls import request_of

        request, session = request_of("report", arguments), options_of(Session, arguments)
        shown = as_data(list(settings["data"]))
        report = build_report(arguments["data"], request, session, execute_with_bar, shown, options)
    write_file(output, report.html)
    return 0


@click.command("state", cls=_DataCommand, params=[_DATA, METRICS, *running_options("state")])
def state_command(**settings: Any) -> int:
    """Store a day of a log as a small table.

    Without -m the state holds the clicks at each score, or in each of --bins; with -m the sums of these metrics.
    `eval-states` and the dbt package add up the states of many days. DATA is what `eval` takes.

    \b
    sqlmetrics state log.parquet --label click --score pctr --by day,device -o days/2026-03-01.parquet
    sqlmetrics state log.parquet -m mae,rmse --label sold --score forecast --by day -o sums.parquet
    """
    return _compute("state", settings)


@click.command("eval-states", cls=_DataCommand, params=[_STATES, METRICS, *running_options("evaluate_states")])
def eval_states_command(**settings: Any) -> int:
    """Compute metrics over stored states.

    STATES are files that `state` wrote (also globs), or tables of them. All must have the same settings.

    \b
    sqlmetrics eval-states 'days/*.parquet' --by device --where "day >= date '2026-03-01'"
    sqlmetrics eval-states sums.parquet -m mae,rmse --assert 'mae <= 2'
    """
    return _compute("evaluate_states", settings)


@contextlib.contextmanager
def _opened(function: str, settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Check the settings and open the data; yield the arguments of the call."""
    data, db, output = list(settings["data"]), settings["db"], settings["output"]
    arguments = arguments_of_call(function, settings)
    if output is not None:
        if "format" in settings and settings["format"] not in (None, output_format(output, endings_of(function))):
            raise BadParameter(f"--format {settings['format']} and -o {output} contradict each other: remove one")
        relations = [settings.get(name) for name in ("against", *RELATIONS)]
        inputs = input_files([*data, *filter(None, relations)])
        check_output(output, [*inputs, *filter(None, (db, settings["config"]))])
    for path in settings["metrics_dir"]:
        register(path)
    if settings["engine"] is not None:
        for name in ("db", "threads", "memory_limit"):
            if settings[name] is not None:
                raise BadParameter(f"--{name.replace('_', '-')} requires DuckDB: remove it or --engine")
        if len(data) > 1:
            raise BadParameter("with --engine, DATA is one table or query")
    opened: contextlib.AbstractContextManager[Any] = contextlib.nullcontext()
    if db is not None:  # without it the library opens a connection with these limits
        opened = database(db, data, arguments.pop("threads"), arguments.pop("memory_limit"))
    with opened as con, standard_input(data) as inputs, _dropped_rows_as_warnings():
        yield {**arguments, "data": as_data(inputs), "con": con}


def _compute(function: str, settings: Mapping[str, Any]) -> int:
    """Run a function, print or write its result, and check the assertions about it."""
    output, wide = settings["output"], settings.get("wide", True)
    with _opened(function, settings) as arguments:
        from ..running.calls import run_function

        result = run_function(function, arguments, execute=execute_with_bar, as_table=is_text_format(output))
    left_out, keys = result.attrs.get("slices_left_out", 0), _key_columns(function, result)
    if left_out:
        few = f"fewer than {settings['min_rows']} rows"
        report_line("warning", f"{left_out} slice{'s' if left_out > 1 else ''} with {few} dropped")
    table = with_exact(result, keys)
    if output is not None:
        write_result(output, result, keys, wide)
    else:
        show_table(table, settings["format"] or "table", wide)
    # Checked after printing, so that a misspelt name does not lose the result of a long run.
    failures = [line for assertion in settings.get("assertions", ()) for line in assertion.failures(table, keys)]
    for line in failures:
        report_line("assertion failed", line)
    return FAILED_ASSERTION if failures else 0


def _key_columns(function: str, result: Result) -> list[str]:
    names, metrics = list(result.columns), result.attrs.get("metrics")
    if function == "state":
        return names[: names.index("made_with")]
    if function == "evaluate_states":
        return list(result.attrs["slices"])
    return key_columns(names, catalogue()[metrics[0]] if metrics else None)


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
