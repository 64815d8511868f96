"""The commands that write SQL: `sql`, `sql-compare`, `macros`, `install` …"""

# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ..authoring.register import register
from ..catalogue.front_matter import sql_root
from ..catalogue.registry import catalogue
from ..catalogue.template_data import definition, macro_of_json
from ..errors import BadParameter
from ..output.files import check_output, write_file
from .help import Command
from .inputs import open_database
from .options import METRICS, METRICS_DIR, PRESET, argument_options, arguments_of_call, complete_metrics, metrics_of
from .output import print_text


def _writable(path: str) -> str:
    check_output(path, [])
    return path


_NAMES = click.Argument(["names"], nargs=-1, metavar="[METRIC]...", shell_complete=complete_metrics)
_OUTPUT = click.Option(["-o", "--output"], metavar="FILE", type=_writable, help="Write the SQL to FILE.")
_OF_METRICS = (_NAMES, METRICS, METRICS_DIR)


@click.command("sql", cls=Command, params=[*_OF_METRICS, *argument_options("render"), _OUTPUT])
def sql_command(**options: Any) -> None:
    """Print the SQL of metrics without running it.

    \b
    sqlmetrics sql auc --relation "{{ ref('log') }}" --label click --score pctr --dialect postgres
    """
    _render("render", **options)


@click.command("sql-compare", cls=Command, params=[*_OF_METRICS, *argument_options("render_compare"), _OUTPUT])
def sql_compare_command(**options: Any) -> None:
    """Print the SQL of `compare`.

    \b
    sqlmetrics sql-compare auc --relation impressions --label click --score old,new --cluster user_id
    """
    _render("render_compare", **options)


@click.command("sql-gaps", cls=Command, params=[*_OF_METRICS, *argument_options("render_gaps"), _OUTPUT])
def sql_gaps_command(**options: Any) -> None:
    """Print the SQL of `gaps`.

    \b
    sqlmetrics sql-gaps auc --relation log --label click --score pctr --by device --dialect spark
    """
    _render("render_gaps", **options)


@click.command("sql-drift", cls=Command, params=[*argument_options("render_drift"), _OUTPUT])
def sql_drift_command(**options: Any) -> None:
    """Print the SQL of `drift`.

    \b
    sqlmetrics sql-drift --relation log --columns pctr,country --against yesterday --dialect spark
    """
    _render("render_drift", **options)


def _render(function: str, output: str | None, **options: Any) -> None:
    if "names" in options:
        options["metrics"] = [*options["names"], *options["metrics"]]
    arguments = arguments_of_call(function, options)
    for path in options.get("metrics_dir", ()):
        register(path)

    from .. import api

    _write_sql(getattr(api, function)(**arguments), output)


def _write_sql(text: str, output: str | None) -> None:
    if output is not None:
        write_file(output, text)
    else:
        print_text(text)


@click.command("macros", cls=Command, params=[*_OF_METRICS, PRESET, _OUTPUT])
@click.option("--schema", metavar="NAME", help="A schema for them, created if it is missing.")
def macros_command(
    names: Sequence[str], metrics: Sequence[str], metrics_dir: Sequence[str], output: str | None, **options: Any
) -> None:
    """Print metrics as DuckDB table macros.

    By default it prints all metrics that can be macros. The SQL replaces existing macros of these names; `install`
    refuses to.

    \b
    sqlmetrics macros > metrics.sql
    duckdb my.duckdb -c ".read metrics.sql" -c "from auc(impressions, clicked, pctr)"
    """
    for path in metrics_dir:
        register(path)

    from ..integrations.duckdb_macros import macros_text

    _write_sql(macros_text(metrics_of([*names, *metrics]), **options), output)


@click.command("install", cls=Command, params=[METRICS, PRESET, METRICS_DIR])
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--schema", metavar="NAME", help="A schema for them, created if it is missing; main by default.")
@click.option("--remove", is_flag=True, help="Remove what was installed and nothing else.")
def install_command(
    file: str, metrics: Sequence[str], metrics_dir: Sequence[str], remove: bool, preset: str | None, schema: str | None
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
            names = install(con, metrics_of(metrics), preset=preset, schema=schema)
    macros = f"{len(names)} macro{'' if len(names) == 1 else 's'}"
    print_text(f"{macros} {'removed from' if remove else 'installed in'} {file}\n")


@click.command("dbt-metrics", cls=Command, params=[_OUTPUT])
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True))
def dbt_metrics_command(files: tuple[str, ...], output: str | None) -> None:
    """Print the dbt macro for your metric files.

    FILES are metric files, or folders of them, under macros/ of a dbt project. Repeat the command after each change.

    \b
    sqlmetrics dbt-metrics macros/lift_at_threshold.sql -o macros/sqlmetrics_own_metrics.sql
    """
    names = sorted({name for path in files for name in register(path)})
    definitions = {name: definition(catalogue().metrics[name]) for name in names}
    comment = "{#- Written by `sqlmetrics dbt-metrics` from the metric files of this project: change those. -#}"
    _write_sql(f"{comment}\n{macro_of_json('sqlmetrics_own_metrics', definitions)}\n", output)


@click.command("dbt-path", cls=Command)
def dbt_path_command() -> None:
    """Print the folder of the dbt package.

    A project names it as `local:` in packages.yml.
    """
    print_text(f"{sql_root()}\n")
