"""Time every metric of the catalogue: `python -m tests.benchmarks.every_metric [--part PART] [--only METRIC]`.

Each metric is timed against `auc` over the same file, and against other tools (`peers`). The part `growth` times
metrics that are no plain sums over ten times the rows. The calls come from the metric files, so a new metric gets its
row automatically. `BARS` are upper bounds on the ratios.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from rich.console import Console

import sqlmetrics
from sqlmetrics.catalogue.model import Metric
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests.variants import base_parameters, data_types_of, roles_of, spelled

from .cases import Answer, Bench, Case, Work
from .data import wide_log
from .peers import CALLS, CLASSES, PEERS, THRESHOLD, TOOLS, Peer
from .report import EVERY_METRIC
from .run import added, heading, installed, measure, printed, write

#: The columns of the wide log by role, and those that depend on the type of data.
COLUMNS = {
    "score": "score", "group": "user_id", "item": "item", "rank": "place", "subtopic": "subject", "field": "field",
    "treatment": "treatment", "duration": "duration", "reward": "clicked", "propensity": "propensity",
    "target": "target", "q_action": "q_action", "q_policy": "q_policy", "lower_bound": "low", "upper_bound": "high",
    "p_price": "p_price", "p_survive": "p_survive", "won": "won", "prediction": "called_class",
}  # fmt: skip
COLUMNS_BY_DATA: dict[str, dict[str, str]] = {
    "labels": {"label": "clicked"},
    "counted labels": {"label": "clicked"},
    "classes": {"label": "class"},
    "class scores": {"label": "class"},
    "rated classes": {"label": "class"},
    "numbers": {"label": "amount", "score": "forecast"},
    "amounts": {"label": "positive_amount", "score": "forecast"},
    "counts": {"label": "positive_amount", "score": "forecast"},
    "positive numbers": {"label": "positive_amount", "score": "forecast"},
    "ratings": {"label": "rating"},
    "forecasts": {"label": "amount"},
    "grades": {"label": "grade", "score": "list_score"},
    "lists": {"label": "grade", "score": "list_score"},
    "subtopics": {"label": "relevant", "score": "list_score"},
}
#: The values of required parameters and of the threshold; others have their defaults.
PARAMETERS: dict[str, Any] = {
    "threshold": THRESHOLD, "k": 10, "max_label": 3, "beta": 2, "alpha": 0.2, "fpr": 0.1, "tpr": 0.9, "max_fpr": 0.1,
    "recall": 0.5, "precision": 0.1, "max_weight": 5, "shrinkage": 1, "scores": {name: name for name in CLASSES},
    "quantiles": {"0.1": "low", "0.5": "forecast", "0.9": "high"},
}  # fmt: skip
#: Parameters of single metrics: there are three classes.
OF_METRIC: dict[str, dict[str, Any]] = {"top_k_accuracy": {"k": 2}}


@dataclass(frozen=True)
class Bar:
    """Upper bounds on the ratio of a metric's time to that of `auc` and of a peer."""

    auc: float | None = None
    peer: float | None = None


#: The bars of a scalar metric, and of a table.
SCALAR, TABLE = Bar(auc=4), Bar()
#: The bars of single metrics.
BARS = {
    "kendall_tau": Bar(auc=6),
    "pairwise_accuracy": Bar(auc=6),
    "pnr": Bar(auc=6),
    "concordance_index": Bar(auc=12, peer=1),
    "spearman_correlation": Bar(auc=4, peer=1),
    "miscalibration": Bar(auc=4, peer=1),
    "roc_curve": Bar(auc=2, peer=1 / 1.5),
    "pr_curve": Bar(auc=2, peer=1 / 1.5),
    "threshold_table": Bar(auc=2, peer=1 / 1.5),
    "qini": Bar(auc=3, peer=1 / 1.5),
    "uplift_auc": Bar(auc=3, peer=1 / 1.5),
    "qini_curve": Bar(auc=3, peer=1 / 1.5),
    "uplift_curve": Bar(auc=3, peer=1 / 1.5),
}
#: The upper bound on the ratio of times for ten times the rows; the frames of SUMS have none.
GROWTH = 14.0
SUMS = {"rows", "centred_rows", "logged_actions"}
#: A peer that takes more seconds is timed once.
PATIENCE = 4.0
#: How often the small log is timed per run over the large one.
OFTEN = 5


def parameters_of(metric: Metric) -> dict[str, Any]:
    """The parameters of the metric's call."""
    wanted = {name for name, parameter in metric.parameters.items() if parameter.required or name == "threshold"}
    settings = {name: value for name, value in PARAMETERS.items() if name in wanted}
    return base_parameters(metric) | settings | OF_METRIC.get(metric.name, {}) | CALLS.get(metric.name, {})


def columns_of(metric: Metric) -> dict[str, Any]:
    """The columns that the metric's call reads."""
    data = data_types_of(metric)[0]
    columns = COLUMNS | COLUMNS_BY_DATA.get(data, {})
    roles = {role: columns[role] for role in roles_of(metric, data) if role in columns}
    if metric.label_type == "ranking":
        roles["label"] = "other_score"
    return roles


def call(bench: Bench, metric: Metric, rows: int | None = None) -> Work:
    """A call of the metric over the wide log."""
    paths = wide_log(bench.folder, rows or bench.rows)
    # One of the propensities and their relation suffices, and the log has grades.
    relations = {name: str(paths[name]) for name in metric.relations if name not in ("judgments", "propensities")}
    arguments: dict[str, Any] = {**columns_of(metric), **relations, **bench.limits}
    spec = {"name": metric.name, **parameters_of(metric)}
    return lambda: sqlmetrics.evaluate(str(paths["wide"]), spec, **arguments)


def row(bench: Bench, metric: Metric, auc: Metric) -> Case:
    """A metric against `auc` and its peers."""
    path = wide_log(bench.folder, bench.rows)["wide"]
    ours = call(bench, metric)
    bar = BARS.get(metric.name, TABLE if metric.table else SCALAR)
    peers = {peer.tool: peer for peer in PEERS.get(metric.name, []) if installed(TOOLS[peer.tool])}
    frame = functools.cache(ours)

    def theirs(peer: Peer) -> Answer:
        return lambda result: [float(value) for value in peer.theirs(result, frame())]

    def ours_as(peer: Peer) -> Answer:
        return lambda result: [float(value) for value in peer.ours(result)]

    bars = {"auc": bar.auc} | dict.fromkeys(peers, bar.peer)
    answers = {tool: theirs(peer) for tool, peer in peers.items()}
    for peer in peers.values():  # all of them are compared with the same numbers
        answers["sqlmetrics"] = ours_as(peer)
    return Case(
        metric.name,
        f"`{spelled(metric, {name: value for name, value in parameters_of(metric).items() if name != 'scores'})}`",
        {"sqlmetrics": ours, "auc": call(bench, auc)} | {tool: peer.work(path) for tool, peer in peers.items()},
        answers,
        {name: most for name, most in bars.items() if most is not None},
        patience=PATIENCE,
    )


def growth(bench: Bench, metric: Metric) -> Case:
    """A metric over ten times the rows against the same metric over the rows."""
    few = call(bench, metric)

    def often() -> Any:
        for _ in range(OFTEN):
            result = few()
        return result

    name = f"{bench.rows:,} rows"
    return Case(
        metric.name,
        f"`{metric.name}`, {10 * bench.rows:,} rows",
        {"sqlmetrics": call(bench, metric, 10 * bench.rows), name: often},
        bars={name: GROWTH},
        parts={name: 1 / OFTEN},
        rounds=1,
        prepare=few,
    )


def results(bench: Bench) -> list[Case]:
    """A row for every metric."""
    metrics = builtin_catalogue().metrics
    return [row(bench, metric, metrics["auc"]) for metric in metrics.values()]


def growths(bench: Bench) -> list[Case]:
    """A case for every metric that is no plain sum."""
    metrics = builtin_catalogue().metrics.values()
    return [growth(bench, metric) for metric in metrics if not SUMS.intersection(metric.frames)]


#: The cases of each part of the figures.
PARTS = {"results": results, "growth": growths}


def main() -> None:
    """Make the log, time the metrics, print two tables; with --json write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--part", action="append", choices=PARTS, help="both by default")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", action="append", metavar="METRIC", help="may be repeated")
    parser.add_argument("--folder", type=Path, help="for the logs, which stay there; by default they are deleted")
    parser.add_argument("--json", type=Path, metavar="FILE", help=f"for the page {EVERY_METRIC.name}")
    parser.add_argument("--add", action="store_true", help="keep the other figures that the file has")
    arguments = parser.parse_args()
    if arguments.add and not (arguments.json and arguments.json.is_file()):
        parser.error("--add requires --json with an existing file")
    tools = ["duckdb", "pandas", *TOOLS.values()]
    head = heading("every_metric", arguments.rows, arguments.rounds, f"{arguments.threads} threads", tools)
    figures: dict[str, Any] = {**head, "results": [], "growth": []}
    previous = json.loads(arguments.json.read_text(encoding="utf-8")) if arguments.add else None
    failed = []
    with tempfile.TemporaryDirectory() as temporary, duckdb.connect() as connection:
        bench = Bench(arguments.folder or Path(temporary), arguments.rows, connection, arguments.threads)
        for part in arguments.part or PARTS:
            for case in PARTS[part](bench):
                if arguments.only and case.name not in arguments.only:
                    continue
                try:
                    figures[part].append(measure(case, arguments.rounds))
                except (Exception, SystemExit) as error:  # the other metrics are timed nevertheless
                    failed.append(f"{part}: {case.name}: {str(error)[:500]}")
                    print(failed[-1], file=sys.stderr, flush=True)
                    continue
                print(case.name, figures[part][-1]["seconds"], file=sys.stderr, flush=True)
                if arguments.json:
                    write(figures if previous is None else added(previous, figures), arguments.json)
    for part in PARTS:
        if figures[part]:
            Console().print(printed({**figures, "results": figures[part]}))
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
