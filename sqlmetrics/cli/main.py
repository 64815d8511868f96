"""The shell: `sqlmetrics eval`, `compare`, `gaps`, `report`, `state`, `eval-states`, `sql`, `macros`, `list` …

Slow imports (the engine, pandas, rich) are inside the functions that need them, so that `--help` and `list` are fast.
"""

from __future__ import annotations

import itertools
import os
import sys
from typing import Any

import click

from ..errors import SqlMetricsError
from ..interrupts import keyboard_interrupts
from ..version import installed_version
from . import catalogue_commands, commands, sql_commands
from .options import BAD_USE, INTERRUPTED
from .output import print_text, report_line


class _Shell(click.Group):
    """A group that reports every failure as one line on stderr and an exit code, without a traceback."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the commands by use."""
        for use, members in _COMMANDS.items():
            with formatter.section(use):
                formatter.write_dl([(str(member.name).ljust(12), member.get_short_help_str()) for member in members])

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command line and exit."""
        kwargs["standalone_mode"] = False
        if sys.stderr is None:  # closed by the caller
            sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                # Terminals that cannot show Σ get an escape.
                stream.reconfigure(errors="backslashreplace")
        try:
            code = keyboard_interrupts(super().main)(*args, **kwargs)
        except (click.Abort, KeyboardInterrupt):
            click.echo("interrupted", err=True)
            code = INTERRUPTED
        except click.ClickException as error:
            report_line("error", error.format_message())
            code = BAD_USE
        except (SqlMetricsError, OSError) as error:
            report_line("error", error)
            code = BAD_USE
        sys.exit(code if isinstance(code, int) else 0)


@click.group(
    cls=_Shell,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--version", is_flag=True, help="Print the version and exit.")
@click.pass_context
def main(context: click.Context, /, version: bool) -> None:
    """Compute offline evaluation metrics (AUC, GAUC, NDCG, COPC …) as SQL over files and tables.

    Exit codes: 0 success; 1 a failed --assert; 2 bad use or bad data, with one line on stderr; 130 interrupted;
    143 terminated.

    To complete commands, options and metrics, put eval "$(_SQLMETRICS_COMPLETE=bash_source sqlmetrics)" into
    ~/.bashrc. In zsh, use zsh_source; in fish, _SQLMETRICS_COMPLETE=fish_source sqlmetrics | source.
    """
    if version:
        print_text(f"sqlmetrics {installed_version()}\n")
        context.exit(0)
    if context.invoked_subcommand is None:
        print_text(context.get_help() + "\n")


#: The commands by use, in the order of `--help`.
_COMMANDS = {
    "Evaluate": (commands.eval_command, commands.report_command),
    "Compare": (commands.compare_command, commands.gaps_command, commands.drift_command),
    "Look up metrics": (catalogue_commands.list_command, catalogue_commands.show_command),
    "Embed in SQL, DuckDB and dbt": (
        sql_commands.sql_command,
        sql_commands.sql_compare_command,
        sql_commands.sql_gaps_command,
        sql_commands.sql_drift_command,
        sql_commands.macros_command,
        sql_commands.install_command,
        sql_commands.dbt_metrics_command,
        sql_commands.dbt_path_command,
    ),
    "Maintain states and metrics": (
        commands.state_command,
        commands.eval_states_command,
        catalogue_commands.new_command,
    ),
}
for _command in itertools.chain.from_iterable(_COMMANDS.values()):
    main.add_command(_command)
