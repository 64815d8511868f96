"""The `--help` of commands: options in groups, the rare ones with `--help-all`."""

from __future__ import annotations

import re

import click

#: The long options of each group, in the order of `--help`.
OPTION_GROUPS = {
    "Metrics": "metrics preset metrics-dir family",
    "Data": "relation dialect where db engine config into frame schema",
    "Common columns": "label score group item rank weight",
    "Comparison": "against baseline relative adjust",
    "Drift": "columns categories current reference",
    "Bins and buckets": "bins range eps buckets",
    "Slices": "by grouping min-rows per-group",
    "Uncertainty": "confidence cluster standard-error",
    "Output": "format wide output assert diagnostics strict remove help help-all",
    "Tests and intervals": "test power method replicates seed",
    "More columns": "prediction positives total field lower-bound upper-bound",
    "Ranking": "tie-key group-weight subtopic judgments",
    "Lists": "catalog similarity popularity history item-categories expected-items embeddings",
    "Off-policy": "reward propensity position propensities target q-action q-policy",
    "Uplift and survival": "treatment duration",
    "Bidding": "p-price p-survive won",
    "Engine and SQL": "threads memory-limit show-sql shape round",
}
#: Groups that `--help` hides: those below Output.
RARE_GROUPS = list(OPTION_GROUPS)[list(OPTION_GROUPS).index("Output") + 1 :]
_RARE = {name for group in RARE_GROUPS for name in OPTION_GROUPS[group].split()}
#: The key in click's context of a help with all options and full descriptions.
IN_FULL = __name__
#: The width of the column of names; a longer name has a line of its own.
_NAMES_WIDTH = 26


def _show_all(context: click.Context, parameter: click.Parameter, value: bool) -> None:  # noqa: ARG001
    if value and not context.resilient_parsing:
        context.meta[IN_FULL] = True
        click.echo(context.get_help(), color=context.color)
        context.exit()


_HELP_ALL = click.Option(
    ["--help-all"],
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_all,
    help="Show all options and full descriptions.",
)


class Command(click.Command):
    """A command whose `--help` shows the common options by group, each with its first sentence."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters, with `--help-all` if `--help` hides some."""
        abridged = any(
            long_name(option) in _RARE or _first_sentence(option.help or "") != option.help
            for option in self.params
            if isinstance(option, click.Option)
        )
        return [*super().get_params(ctx), *([_HELP_ALL] if abridged else [])]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in groups, and how to see the others."""
        in_full = IN_FULL in ctx.meta
        options = {long_name(option): option for option in self.get_params(ctx) if isinstance(option, click.Option)}
        for group, members in OPTION_GROUPS.items():
            rows = [_help_row(ctx, options[name], in_full) for name in members.split() if name in options]
            if rows and (in_full or group not in RARE_GROUPS):
                with formatter.section(group):
                    formatter.write_dl(rows, _NAMES_WIDTH)
        if "help-all" in options and not in_full:
            rare = len(_RARE & options.keys())
            more = f"{rare} more options and the full descriptions" if rare else "the full descriptions"
            formatter.write(f"\n`{ctx.command_path} --help-all` shows {more}.\n")


def long_name(option: click.Parameter) -> str:
    """The long name of an option, or the name of an argument."""
    return option.opts[-1].removeprefix("--")


def _help_row(context: click.Context, option: click.Option, in_full: bool) -> tuple[str, str]:
    names, text = option.get_help_record(context) or ("", "")
    # The descriptions of all groups start in the same column.
    return re.sub(r" / --no-\S+", "", names).ljust(_NAMES_WIDTH), text if in_full else _first_sentence(text)


def _first_sentence(text: str) -> str:
    sentences, space, bounds = text.partition("  [")  # click appends the range and the default
    return re.split(r"(?<=\.) (?=[A-Z])", sentences)[0] + space + bounds
