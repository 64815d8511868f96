"""The commands that write SQL: `sql`, `sql-compare`, `macros`, `install` …"""

# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ..authoring.register import register
from ..catalogue.front_matter import sql_root
from ..catalogue.registry import catalogue
from ..catalogue.template_data import definition, macro_of_json
from ..errors import BadParameter
from ..output.files import check_output, write_text
from .call import arguments_of_call, arguments_of_drift, metrics_of
from .help import Command
from .inputs import open_database
from .options import argument_options, complete_metrics, metrics_dir_option, metrics_option, preset_option
from .output import print_text


def _sql_command(name: str, function: str, text: str) -> click.Command:
    """The command that prints the text of a function of `api.py` over metrics."""

    @metrics_option
    @argument_options(function)
    @metrics_dir_option
    @_output_option
    def command(names: tuple[str, ...], output: str | None, **options: Any) -> None:
        from .. import api

        entries = [*names, *options["metrics"]]
        if not entries:
            raise BadParameter("name at least one metric, as in -m auc (`sqlmetrics list` names them all)")
        for path in options["metrics_dir"]:
            register(path)
        render = getattr(api, function)
        _write_sql(lambda: render(metrics_of(entries), **arguments_of_call(function, options)), output)

    named = click.argument("names", nargs=-1, metavar="[METRIC]...", shell_complete=complete_metrics)
    return click.command(name, cls=Command, help=text)(named(command))


_output_option = click.option("-o", "--output", metavar="FILE", help="Write the SQL to FILE.")
sql_command = _sql_command(
    "sql",
    "render",
    """Print the SQL of metrics without running it.

    \b
    sqlmetrics sql auc --relation "{{ ref('log') }}" --label click --score pctr --dialect postgres
    """,
)
sql_compare_command = _sql_command(
    "sql-compare",
    "render_compare",
    """Print the SQL of `compare`.

    \b
    sqlmetrics sql-compare auc --relation impressions --label click --score old,new --cluster user_id
    """,
)
sql_gaps_command = _sql_command(
    "sql-gaps",
    "render_gaps",
    """Print the SQL of `gaps`.

    \b
    sqlmetrics sql-gaps auc --relation log --label click --score pctr --by device --dialect spark
    """,
)


@click.command("sql-drift", cls=Command)
@argument_options("render_drift")
@_output_option
def sql_drift_command(output: str | None, **options: Any) -> None:
    """Print the SQL of `drift`.

    \b
    sqlmetrics sql-drift --relation log --columns pctr,country --against yesterday --dialect spark
    """
    from ..api import render_drift

    _write_sql(lambda: render_drift(**arguments_of_drift("render_drift", options)), output)


def _write_sql(render: Callable[[], str], output: str | None) -> None:
    if output is not None:
        check_output(output, [])
    text = render()
    if output is not None:
        write_text(output, text)
    else:
        print_text(text)


@click.command("macros", cls=Command)
@click.argument("names", nargs=-1, metavar="[METRIC]...", shell_complete=complete_metrics)
@metrics_option
@preset_option
@click.option("--schema", metavar="NAME", help="A schema for them, created if it is missing.")
@metrics_dir_option
@_output_option
def macros_command(
    names: tuple[str, ...],
    metrics: tuple[str, ...],
    preset: str | None,
    schema: str | None,
    metrics_dir: tuple[str, ...],
    output: str | None,
) -> None:
    """Print metrics as DuckDB table macros.

    By default it prints all metrics that can be macros. The SQL replaces existing macros of these names; `install`
    refuses to.

    \b
    sqlmetrics macros > metrics.sql
    duckdb my.duckdb -c ".read metrics.sql" -c "from auc(impressions, clicked, pctr)"
    """

    def text() -> str:
        for path in metrics_dir:
            register(path)

        from ..integrations.duckdb_macros import macros_text

        return macros_text(metrics_of([*names, *metrics]) or None, preset=preset, schema=schema)

    _write_sql(text, output)


@click.command("install", cls=Command)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@metrics_option
@preset_option
@click.option("--schema", metavar="NAME", help="A schema for them, created if it is missing; main by default.")
@metrics_dir_option
@click.option("--remove", is_flag=True, help="Remove what was installed and nothing else.")
def install_command(
    file: str,
    metrics: tuple[str, ...],
    preset: str | None,
    schema: str | None,
    metrics_dir: tuple[str, ...],
    remove: bool,
) -> None:
    """Install table macros in a DuckDB database.

    Every client of FILE can then call the metrics; by default, all that can be macros. Another version replaces them
    when it installs its own. A macro of yours with the name of a metric is an error.

    \b
    sqlmetrics install my.duckdb
    duckdb my.duckdb "from auc(impressions, clicked, pctr)"
    """
    if remove and (metrics or preset):
        raise BadParameter("--remove removes all macros: remove --metrics and --preset")
    for path in metrics_dir:
        register(path)

    from ..integrations.duckdb_macros import install, uninstall

    with open_database(file, read_only=False) as con:
        if remove:
            names = uninstall(con, schema=schema)
        else:
            names = install(con, metrics_of(metrics) or None, preset=preset, schema=schema)
    macros = f"{len(names)} macro{'' if len(names) == 1 else 's'}"
    print_text(f"{macros} {'removed from' if remove else 'installed in'} {file}\n")


@click.command("dbt-metrics", cls=Command)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True))
@_output_option
def dbt_metrics_command(files: tuple[str, ...], output: str | None) -> None:
    """Print the dbt macro for your metric files.

    FILES are metric files, or folders of them, under macros/ of a dbt project. Repeat the command after each change.

    \b
    sqlmetrics dbt-metrics macros/lift_at_threshold.sql -o macros/sqlmetrics_own_metrics.sql
    """

    def text() -> str:
        names = sorted({name for path in files for name in register(path)})
        definitions = {name: definition(catalogue().metrics[name]) for name in names}
        comment = "{#- Written by `sqlmetrics dbt-metrics` from the metric files of this project: change those. -#}"
        return f"{comment}\n{macro_of_json('sqlmetrics_own_metrics', definitions)}\n"

    _write_sql(text, output)


@click.command("dbt-path", cls=Command)
def dbt_path_command() -> None:
    """Print the folder of the dbt package.

    A project names it as `local:` in packages.yml.
    """
    print_text(f"{sql_root()}\n")
