"""Options that several commands share, the arguments of the calls behind them, and exit codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

from ..arguments import Argument, arguments_of
from ..catalogue.registry import catalogue
from ..catalogue.vocabulary import PRESETS
from ..errors import BadParameter
from ..output.text import TEXT_FORMATS
from ..planning.metric_spec import parts_of, split_metrics
from .assertions import read_assertion
from .output import ENDINGS

FAILED_ASSERTION, BAD_USE, INTERRUPTED = 1, 2, 130


def argument_options(function: str) -> list[click.Option]:
    """An option for each argument of a function."""
    return [_option(argument) for argument in arguments_of(function, "shell")]


def _option(argument: Argument) -> click.Option:
    help_text = argument.shell or argument.doc
    if argument.annotation == "bool":
        names = f"{argument.option}/{argument.option.replace('--', '--no-', 1)}"
        return click.Option([names, argument.name], default=False, help=help_text)
    parameter_type: click.ParamType[Any] | None = None
    if argument.minimum is not None:
        parameter_type = click.IntRange(min=argument.minimum)
    elif argument.choices:
        parameter_type = click.Choice(argument.choices)
    elif argument.annotation.startswith("float"):
        parameter_type = click.FLOAT
    return click.Option(
        [argument.option, argument.name],
        type=parameter_type,
        metavar=argument.metavar,
        multiple=argument.several,
        required=argument.required,
        show_default=argument.default is not None,
        help=help_text,
        # click treats a default of None as a value of the caller
        **({} if argument.default is None else {"default": argument.default}),
    )


def complete_metrics(context: click.Context, parameter: click.Parameter, written: str) -> list[str]:  # noqa: ARG001
    """Complete the last metric of a list."""
    before, comma, begun = written.rpartition(",")
    return [f"{before}{comma}{name}" for name in catalogue().metrics if name.startswith(begun)]


METRICS = click.Option(
    ["-m", "--metrics"],
    metavar="LIST",
    multiple=True,
    shell_complete=complete_metrics,
    help="Metrics, with commas or repeated: auc, ndcg@10, 'mine = ndcg(k=5)'.",
)
METRICS_DIR = click.Option(
    ["--metrics-dir"],
    metavar="PATH",
    multiple=True,
    type=click.Path(exists=True),
    help="A metric file of yours, or a folder of such files. May be repeated.",
)
PRESET = click.Option(
    ["--preset"], type=click.Choice(PRESETS), help="The conventions of another tool, for parameters without a value."
)
FORMAT = click.Option(
    ["--format"],
    type=click.Choice(TEXT_FORMATS),
    help="How to print the result. By default, a table with rounded numbers. csv, json and jsonl (one line per row) "
    'have all columns and digits. NULL is an empty field in csv; an infinite threshold is "Infinity" in json.',
)
_READING = (
    click.Option(
        ["--db"],
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False),
        help="DuckDB database in which DATA is a table, view or query. It is opened read-only.",
    ),
    METRICS_DIR,
    click.Option(["--show-sql/--no-show-sql"], default=False, help="If a query fails, print its SQL on stderr."),
    click.Option(
        ["-c", "--config"],
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False),
        help="YAML file with options by their long names (data, metrics, by …). The command line overrides it, flags "
        "with --no-FLAG. Relative paths in it start at the current directory.",
    ),
)
_WIDE = click.Option(
    ["--wide/--no-wide"], default=False, help="Show all columns in tables and markdown, as csv and json do."
)
_ASSERT = click.Option(
    ["--assert", "assertions"],
    metavar="TEST",
    multiple=True,
    type=read_assertion,
    help="Exit with 1 unless every row passes, as in 'auc >= 0.7' or \"verdict != 'worse'\". NULL fails, and so does "
    "a result without rows. May be repeated.",
)


def endings_of(function: str) -> list[str]:
    """The endings that `-o` accepts: a state is neither drawn nor written with rounded numbers."""
    without = (".md", ".svg", ".png") if function == "state" else ()
    return [ending for ending in ENDINGS if ending not in without]


def reading_options(function: str) -> list[click.Option]:
    """The options of a command that reads data."""
    return [*argument_options(function), *_READING]


def running_options(function: str) -> list[click.Option]:
    """The options of a command that reads data and shows a result; a state is neither rounded nor asserted."""
    help_text = f"Write to FILE; its ending is one of {', '.join(endings_of(function))}."
    output = click.Option(["-o", "--output"], metavar="FILE", help=help_text)
    shown = [FORMAT, output] if function == "state" else [FORMAT, _WIDE, output, _ASSERT]
    return [*reading_options(function), *shown]


def arguments_of_call(function: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a function of `api.py`, from the settings of its command."""
    arguments = {argument.name: settings[argument.name] for argument in arguments_of(function, "shell")}
    arguments.pop("grouping", None)
    arguments["by"] = _by(settings)
    for name in ("columns", "categories"):
        if name in arguments:
            arguments[name] = _columns(arguments[name])
    if not isinstance(arguments.get("score"), str | None):  # a state has a single score
        scores = _columns(arguments["score"])
        arguments["score"] = scores[0] if len(scores) == 1 else scores or None
    if arguments.get("range") is not None:
        ends = arguments["range"]
        try:
            arguments["range"] = [float(end) for end in ends.split(",")]
        except ValueError:
            raise BadParameter(f"--range is the lowest and the highest score, as in -5,5, not {ends}") from None
    if arguments.get("adjust") == "none":
        arguments["adjust"] = None
    if "metrics" in settings:
        arguments["metrics"] = metrics_of(settings["metrics"])
        required = [argument.name for argument in arguments_of(function) if argument.required]
        if arguments["metrics"] is None and "metrics" in required:
            raise BadParameter("name at least one metric, as in -m auc (`sqlmetrics list` names them all)")
    return arguments


def metrics_of(entries: Iterable[Any]) -> list[Any] | None:
    """Split the entries of -m, which may be lists or, in a -c file, dicts."""
    metrics: list[Any] = []
    for entry in entries:
        metrics += split_metrics(entry) if isinstance(entry, str) else [entry]
    return metrics or None


def _columns(entries: Iterable[str]) -> list[str]:
    """Split entries at their commas; an entry with an equals sign is one expression."""
    return [column for entry in entries for column in ([entry] if "=" in entry else parts_of(entry))]


def _by(settings: Mapping[str, Any]) -> list[Any] | None:
    by, groupings = settings["by"], settings.get("grouping", ())
    if by and groupings:
        raise BadParameter("give --by or --grouping, not both")
    if groupings:
        return [entry if isinstance(entry, list) else _grouping(entry) for entry in groupings]
    return _columns(by) or None


def _grouping(entry: str) -> list[str]:
    if entry.strip() in ("", "overall"):
        return []
    return split_metrics(entry) if "=" in entry else parts_of(entry)
