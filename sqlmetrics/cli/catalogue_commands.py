"""The commands about metrics themselves: `list`, `show`, `new`."""

from __future__ import annotations

from pathlib import Path

import click

from ..authoring.describe import description, searched_text
from ..authoring.register import register
from ..authoring.scaffold import FRAMES, scaffold
from ..catalogue.dialects import DIALECTS, dialects
from ..catalogue.front_matter import sql_root
from ..catalogue.registry import catalogue
from ..errors import BadParameter, did_you_mean
from ..planning.planner import requested_metrics
from ..tables import Table
from .help import Command
from .options import FORMAT, METRICS_DIR, complete_metrics
from .output import print_text, show_table


@click.command("list", cls=Command, params=[FORMAT, METRICS_DIR])
@click.argument("terms", nargs=-1, metavar="[WORD]...")
@click.option("--family", metavar="NAME", help="Only the metrics of one family: binary, calibration, ranking …")
@click.option("--dialect", type=click.Choice(DIALECTS), help="Add how each metric is tested in this dialect.")
def list_command(
    terms: tuple[str, ...], family: str | None, dialect: str | None, format: str | None, metrics_dir: tuple[str, ...]
) -> None:
    """List the metrics, or those that match WORDs.

    A metric matches if all WORDs occur in its name, title, family or synonyms.

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
        if family in (None, metric.family) and all(word.lower() in searched_text(metric) for word in terms)
    ]
    if not rows:
        searched = " ".join(terms).lower()
        hints = (hint for word, hint in _IN_OTHER_COMMANDS.items() if word in searched)
        hint = next(hints, "`sqlmetrics list` without words shows all")
        raise BadParameter(f"no metric matches {' '.join(terms)!r}: {hint}")
    show_table(Table(columns, rows), format or "table")


#: Searches that a command or an option answers, not a metric.
_IN_OTHER_COMMANDS = {
    "psi": "`sqlmetrics drift` reports the population stability index",
    "drift": "`sqlmetrics drift` compares the columns of two relations",
    "fairness": "`sqlmetrics gaps` compares slices, also by demographic_parity, equal_opportunity and equalized_odds",
    "confidence": "`--confidence 0.95` adds an interval to each metric of `sqlmetrics eval`",
    "significan": "`sqlmetrics compare` tests the differences of models",
    "interval": "`--confidence 0.95` adds an interval to each metric of `sqlmetrics eval`",
}


@click.command("show", cls=Command, params=[METRICS_DIR])
@click.argument("metric", shell_complete=complete_metrics)
def show_command(metric: str, metrics_dir: tuple[str, ...]) -> None:
    """Describe one METRIC.

    The description has its formula, roles, parameters, source and an example.
    """
    for path in metrics_dir:
        register(path)
    # Names such as ndcg@10 are planned; plain names are not, as they may lack required parameters.
    entry = requested_metrics(metric, catalogue())[0].metric if "@" in metric else catalogue()[metric]
    print_text("\n".join(description(entry)) + "\n")


@click.command("new", cls=Command)
@click.argument("name")
@click.option(
    "--into",
    metavar="DIR",
    default=".",
    show_default=True,
    type=click.Path(file_okay=False),
    help="Folder to write into; created if it is missing.",
)
@click.option(
    "--frame",
    type=click.Choice(FRAMES),
    default="rows",
    show_default=True,
    help="What the metric aggregates: rows, ranked scores, the items of a group …",
)
def new_command(name: str, into: str, frame: str) -> None:
    """Create a metric file from a template.

    The new file NAME.sql is a metric that runs as it is.
    """
    text = scaffold(name, frame)
    path = Path(into) / f"{name}.sql"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise BadParameter(f"{path}: the file already exists") from None
    print_text(f"{path}\n")
    is_builtin = sql_root() in path.resolve().parents
    click.echo(f"try it: sqlmetrics eval DATA -m {name} {'' if is_builtin else f'--metrics-dir {path} '}…", err=True)
