"""Time sqlmetrics beside the engine's floor and its peers: `python -m tests.benchmarks.run [--rows N] [--only CASE]`.

Each case runs all its contenders in turn, round after round, so that a machine that slows down slows them all; what is
quoted is the median of the ratios within a round. Everybody reads the same parquet file, and the answers must agree to
1e-9 before anything is timed. The floor is the engine's own minimal query over the same columns.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
from rich.console import Console
from rich.table import Table
from sklearn.metrics import roc_auc_score

import sqlmetrics

Work = Callable[[], Any]


@dataclass
class Case:
    """One piece of work: ours, its floor, the peers; `answers` take a contender's result to a number to compare."""

    name: str
    what: str
    contenders: dict[str, Work]
    answers: dict[str, Callable[[Any], float]] = field(default_factory=dict)


def make_data(connection: duckdb.DuckDBPyConnection, folder: Path, rows: int) -> Path:
    """A click log with a fixed seed: hash() gives the same rows on every machine and number of threads."""
    path = folder / f"log_{rows}.parquet"
    unit = "hash(i, {!r}) / 18446744073709551616.0"
    connection.execute(
        f"""
        copy (
            select
                ({unit.format("click")} < 0.02 + 0.1 * {unit.format("score")})::tinyint as clicked,
                {unit.format("score")} as score,
                round({unit.format("score")}, 4) as score_4_digits,
                ['desktop', 'mobile', 'tablet', 'television', 'watch'][1 + (hash(i, 'device') % 5)::integer] as device,
                (hash(i, 'user') % greatest({rows} // 20, 1))::integer as user_id,
                'user-' || (hash(i, 'user') % greatest({rows} // 20, 1)) as user_name
            from range({rows}) as t(i)
        ) to '{path}'
        """
    )
    return path


def cases(connection: duckdb.DuckDBPyConnection, path: Path) -> list[Case]:
    """The work to time. All of ours runs over the open connection, as the bare queries do."""

    def ours(metrics: str, score: str = "score", **arguments: Any) -> Work:
        return lambda: sqlmetrics.evaluate(
            str(path), metrics, label="clicked", score=score, con=connection, **arguments
        )

    def bare(sql: str) -> Work:
        return lambda: connection.execute(sql.format(path=path)).fetchall()

    def scikit_learn(score: str = "score") -> Work:
        def work() -> float:
            frame = pd.read_parquet(path, columns=["clicked", score])
            return float(roc_auc_score(frame["clicked"], frame[score]))

        return work

    def polars_auc(score: str = "score") -> Work:
        """Mean ranks of the positives, in one lazy query: the shortest form that polars has."""

        def work() -> float:
            positives = pl.col("clicked").sum().cast(pl.Float64)
            negatives = pl.len() - positives
            ranks = (pl.col(score).rank("average") * pl.col("clicked")).sum()
            auc = (ranks - positives * (positives + 1) / 2) / (positives * negatives)
            return float(pl.scan_parquet(path).select(auc.alias("auc")).collect().item())

        return work

    def polars_gauc(group: str) -> Work:
        def work() -> float:
            positives = pl.col("clicked").sum().cast(pl.Float64)
            negatives = pl.len() - positives
            ranks = (pl.col("score").rank("average") * pl.col("clicked")).sum()
            auc = (ranks - positives * (positives + 1) / 2) / (positives * negatives)
            groups = pl.scan_parquet(path).group_by(group).agg(auc.alias("auc"), pl.len().alias("rows"))
            groups = groups.filter(pl.col("auc").is_finite())
            return float(groups.select((pl.col("auc") * pl.col("rows")).sum() / pl.col("rows").sum()).collect().item())

        return work

    def number(result: Any) -> float:
        return float(result)

    def column(name: str) -> Callable[[Any], float]:
        return lambda frame: float(frame[name].iloc[0])

    sort = "select max(place) from (select row_number() over ({over}) as place from '{{path}}') where place % 1000 = 0"
    devices = ", ".join(
        f"sum(case when clicked = {label} then score {sign} {number} end)"
        for number, (label, sign) in enumerate([(0, "+"), (1, "+"), (0, "-")], 1)
    )
    return [
        Case(
            "auc",
            "auc, all scores distinct; the floor sorts the scores",
            {
                "sqlmetrics": ours("auc"),
                "floor": bare(sort.format(over="order by score")),
                "scikit-learn": scikit_learn(),
                "polars": polars_auc(),
            },
            {"sqlmetrics": column("auc"), "scikit-learn": number, "polars": number},
        ),
        Case(
            "auc_few_scores",
            "auc, scores of 4 digits; the floor scans both columns",
            {
                "sqlmetrics": ours("auc", "score_4_digits"),
                "floor": bare("select sum(clicked), sum(score_4_digits) from '{path}'"),
                "scikit-learn": scikit_learn("score_4_digits"),
                "polars": polars_auc("score_4_digits"),
            },
            {"sqlmetrics": column("auc"), "scikit-learn": number, "polars": number},
        ),
        Case(
            "auc_by_device",
            "auc by a text column of 5 values; the floor is auc without slices",
            {"sqlmetrics": ours("auc", by="device"), "floor": ours("auc")},
        ),
        Case(
            "gauc",
            "gauc of integer users; the floor sorts the scores inside users",
            {
                "sqlmetrics": ours("gauc", group="user_id"),
                "floor": bare(sort.format(over="partition by user_id order by score")),
                "polars": polars_gauc("user_id"),
            },
            {"sqlmetrics": column("gauc"), "polars": number},
        ),
        Case(
            "gauc_text",
            "gauc of text users; the floor sorts the scores inside users",
            {
                "sqlmetrics": ours("gauc", group="user_name"),
                "floor": bare(sort.format(over="partition by user_name order by score")),
                "polars": polars_gauc("user_name"),
            },
            {"sqlmetrics": column("gauc"), "polars": number},
        ),
        Case(
            "ranking",
            "ndcg@10, map, mrr, precision@10, recall@10 in one call; the floor is ndcg@10 alone",
            {
                "sqlmetrics": ours("ndcg@10, map, mrr, precision@10, recall@10", group="user_id"),
                "floor": ours("ndcg@10", group="user_id"),
            },
        ),
        Case(
            "pointwise_by_device",
            "12 pointwise metrics by device; the floor is one sum by device",
            {
                "sqlmetrics": ours(
                    "accuracy, precision, recall, f1, specificity, mcc, brier, log_loss, copc, pcoc, mae, rmse",
                    by="device",
                ),
                "floor": bare("select device, sum(score) from '{path}' group by device"),
                "bare sums": bare(f"select device, {devices} from '{{path}}' group by device"),
            },
        ),
        Case(
            "auc_bins",
            "auc(bins=65536); the floor scans both columns",
            {
                "sqlmetrics": ours("auc(bins=65536)"),
                "floor": bare("select sum(clicked), sum(score) from '{path}'"),
            },
        ),
    ]


def measure(case: Case, rounds: int) -> dict[str, Any]:
    """The median and spread of every contender's time as a ratio to ours' floor, within the same round."""
    results = {name: work() for name, work in case.contenders.items()}
    values = {name: read(results[name]) for name, read in case.answers.items()}
    for name, value in values.items():
        if not math.isclose(value, values["sqlmetrics"], rel_tol=1e-9, abs_tol=1e-9):
            raise SystemExit(f"{case.name}: {name} says {value!r}, sqlmetrics {values['sqlmetrics']!r}")
    times: dict[str, list[float]] = {name: [] for name in case.contenders}
    for _ in range(rounds):
        for name, work in case.contenders.items():
            start = time.perf_counter()
            work()
            times[name].append(time.perf_counter() - start)
    ratios = {
        name: sorted(other / own for other, own in zip(times[name], times["sqlmetrics"], strict=True)) for name in times
    }
    return {
        "case": case.name,
        "what": case.what,
        "seconds": {name: statistics.median(values) for name, values in times.items()},
        "ratio_of_sqlmetrics_to": {
            name: {"median": 1 / statistics.median(values), "lowest": 1 / values[-1], "highest": 1 / values[0]}
            for name, values in ratios.items()
            if name != "sqlmetrics"
        },
    }


def main() -> None:
    """Make the data, time the cases, print a table and, with --json, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", action="append", help="a case by name; may be repeated")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    connection = duckdb.connect()
    connection.execute(f"set threads = {arguments.threads}")
    pl_threads = pl.thread_pool_size()
    with tempfile.TemporaryDirectory() as folder:
        path = make_data(connection, Path(folder), arguments.rows)
        found = [
            measure(case, arguments.rounds)
            for case in cases(connection, path)
            if not arguments.only or case.name in arguments.only
        ]
    if not found:
        sys.exit(f"no such case: {', '.join(arguments.only)}")
    versions = {name: version(name) for name in ("sqlmetrics", "duckdb", "pandas", "polars", "scikit-learn")}
    table = Table(title=f"{arguments.rows:,} rows, {arguments.threads} threads (polars {pl_threads}), {versions}")
    for heading in ("case", "against", "sqlmetrics takes", "of its time (lowest to highest)"):
        table.add_column(heading)
    for result in found:
        for name, ratio in result["ratio_of_sqlmetrics_to"].items():
            spread = f"{ratio['lowest']:.2f} to {ratio['highest']:.2f}"
            table.add_row(result["case"], name, f"{ratio['median']:.2f} x", spread)
    Console().print(table)
    if arguments.json:
        figures = {"rows": arguments.rows, "threads": arguments.threads, "python": platform.python_version()}
        arguments.json.write_text(json.dumps({**figures, "versions": versions, "results": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
