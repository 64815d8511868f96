"""PostgreSQL with many slices, against statements written by hand: `python -m tests.benchmarks.postgres [--json FILE]`.

300,000 rows, 2,000 campaigns, 30,000 users. Both contenders run in turn, and their answers must agree to 1e-9.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console

import sqlmetrics
from tests.engines.servers import postgres_connection

from .cases import Case, Work
from .report import POSTGRES
from .run import heading, measure, printed, write

ROWS = 300_000
_LOG = """
create table log as
select
    i,
    'campaign ' || (i * 7919 % 2000) as campaign,
    'device ' || (i * 104729 % 4) as device,
    'country ' || (i * 1299709 % 20) as country,
    i * 15485863 % 30000 as user_id,
    case when random() < 0.1 then 1 else 0 end as clicked,
    random() as score
from generate_series(1, cast({rows} as bigint)) as i
"""
_AUC = """
select {keys}
    (sum(clicked * place) - sum(clicked) * (sum(clicked) + 1) / 2.0)
        / nullif(sum(clicked) * (count(*) - sum(clicked)), 0) as auc
from (
    select {keys} clicked,
        rank() over ({partition} order by score)
            + (count(*) over (partition by {keys} score) - 1) / 2.0 as place
    from log
) as ranked
{group}
"""
_ECE = """
select {keys} sum(abs(pos - scores)) / sum(n) as ece
from (
    select {keys} least(floor(score * 10), 9) as bin, sum(clicked) as pos, sum(score) as scores, count(*) as n
    from log
    group by {keys} least(floor(score * 10), 9)
) as bins
{group}
"""
_GAUC = """
select {keys} sum(n * auc) / nullif(sum(case when auc is not null then n end), 0) as gauc
from (
    select {keys} user_id, count(*) as n,
        (sum(clicked * place) - sum(clicked) * (sum(clicked) + 1) / 2.0)
            / nullif(sum(clicked) * (count(*) - sum(clicked)), 0) as auc
    from (
        select {keys} user_id, clicked,
            rank() over (partition by {keys} user_id order by score)
                + (count(*) over (partition by {keys} user_id, score) - 1) / 2.0 as place
        from log
    ) as ranked
    group by {keys} user_id
) as users
{group}
"""
_SUMS = """
select {keys} sum(clicked) / sum(score) as copc, avg((clicked - score) * (clicked - score)) as brier,
    -avg(ln(case when clicked = 1 then score else 1 - score end)) as log_loss
from log
{group}
"""
_ROLES = {"label": "clicked", "score": "score", "group": "user_id"}
SLICES = ("device", "country", "campaign")
GROUPINGS: list[list[str]] = [[], ["device"], ["country"], ["device", "country"], ["campaign"]]


def by_hand(text: str, keys: list[str]) -> str:
    """One of the statements above for some slice columns."""
    listed = "".join(f"{key}, " for key in keys)
    return text.format(
        keys=listed,
        partition=f"partition by {', '.join(keys)}" if keys else "",
        group=f"group by {', '.join(keys)}" if keys else "",
    )


def numbers(frames: Sequence[pd.DataFrame]) -> list[float]:
    """The numbers of an answer, ordered by metric and slice; an undefined value is −1."""
    result = {}
    for frame in frames:
        for row in frame.to_dict("records"):
            of_slice = tuple("" if pd.isna(value := row.pop(name, None)) else value for name in SLICES)
            for name, value in row.items():
                if name not in ("grouping", "n"):
                    result[name, of_slice] = -1.0 if pd.isna(value) else float(value)
    return [result[key] for key in sorted(result)]


def cases(connection: Any) -> list[Case]:
    """One metric by campaign, and a scorecard."""

    def work(statements: Sequence[str]) -> Work:
        def ask() -> list[pd.DataFrame]:
            frames = []
            for statement in statements:
                cursor = connection.execute(statement)
                frames.append(pd.DataFrame(cursor.fetchall(), columns=[column.name for column in cursor.description]))
            return frames

        return ask

    def case(name: str, what: str, metrics: list[str], by: Any, hand: list[str]) -> Case:
        roles = {role: column for role, column in _ROLES.items() if role != "group" or "gauc" in metrics}
        ours = sqlmetrics.render(metrics, relation="log", by=by, dialect="postgres", **roles)
        contenders = {"sqlmetrics": work([ours]), "by hand": work(hand)}
        return Case(name, what, contenders, dict.fromkeys(contenders, numbers), {"by hand": 3})

    return [
        *[
            case(metric, f"{metric} by 2,000 campaigns", [metric], ["campaign"], [by_hand(text, ["campaign"])])
            for metric, text in (("auc", _AUC), ("ece", _ECE), ("gauc", _GAUC))
        ],
        case(
            "scorecard",
            "auc, gauc, ece, copc, brier and log_loss by five groupings in one statement; against four statements for "
            "each grouping",
            ["auc", "gauc", "ece", "copc", "brier", "log_loss"],
            GROUPINGS,
            [by_hand(text, keys) for keys in GROUPINGS for text in (_AUC, _ECE, _GAUC, _SUMS)],
        ),
    ]


def make_log(connection: Any, rows: int) -> None:
    """A log with a fixed seed."""
    connection.autocommit = True
    connection.execute("select setseed(0.5)")
    connection.execute(_LOG.format(rows=rows))
    connection.execute("analyze log")


def main() -> None:
    """Time the cases and print the figures; with --json write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE", help=f"write the figures; the page's are {POSTGRES.name}")
    arguments = parser.parse_args()
    with postgres_connection() as connection:
        make_log(connection, arguments.rows)
        server = connection.info.server_version
        workers = int(connection.execute("show max_parallel_workers_per_gather").fetchone()[0])
        results = [measure(case, arguments.rounds) for case in cases(connection)]
    figures = heading("postgres", arguments.rows, arguments.rounds, f"up to {1 + workers} processes", ["psycopg"])
    figures["versions"] = {"PostgreSQL": f"{server // 10000}.{server % 10000}", **figures["versions"]}
    figures["results"] = results
    Console().print(printed(figures))
    if arguments.json:
        write(figures, arguments.json)


if __name__ == "__main__":
    main()
