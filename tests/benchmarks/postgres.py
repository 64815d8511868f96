"""PostgreSQL by many slices, against the same written by hand: `python -m tests.benchmarks.postgres`.

300,000 rows, 2,000 campaigns, 30,000 users. Each pair of statements runs in turn; medians in seconds, and their ratio.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np
import pandas as pd

import sqlmetrics
from tests.engine_servers import postgres_connection

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
from generate_series(1, cast(300000 as bigint)) as i
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
_ROLES: dict[str, Any] = {"label": "clicked", "score": "score", "group": "user_id"}
_GROUPINGS: list[list[str]] = [[], ["device"], ["country"], ["device", "country"], ["campaign"]]


def by_hand(text: str, keys: list[str]) -> str:
    """One of the statements above for some slice columns."""
    listed = "".join(f"{key}, " for key in keys)
    return text.format(
        keys=listed,
        partition=f"partition by {', '.join(keys)}" if keys else "",
        group=f"group by {', '.join(keys)}" if keys else "",
    )


def main() -> None:
    """Time and print."""
    cases: list[tuple[str, Any, Any, list[str]]] = [
        ("auc", "auc", ["campaign"], [by_hand(_AUC, ["campaign"])]),
        ("ece", "ece", ["campaign"], [by_hand(_ECE, ["campaign"])]),
        ("gauc", "gauc", ["campaign"], [by_hand(_GAUC, ["campaign"])]),
        (
            "six metrics, five groupings",
            ["auc", "gauc", "ece", "copc", "brier", "log_loss"],
            _GROUPINGS,
            [by_hand(text, keys) for keys in _GROUPINGS for text in (_AUC, _ECE, _GAUC, _SUMS)],
        ),
    ]
    with postgres_connection() as connection:
        connection.autocommit = True
        connection.execute("select setseed(0.5)")
        connection.execute(_LOG)
        connection.execute("analyze log")

        def seconds(statements: list[str]) -> float:
            began = time.perf_counter()
            for statement in statements:
                connection.execute(statement).fetchall()
            return time.perf_counter() - began

        for name, metrics, by, hand in cases:
            ours = sqlmetrics.render(metrics, relation="log", by=by, dialect="postgres", **_roles_of(metrics))
            check(connection, ours, hand, name)
            times = [(seconds([ours]), seconds(hand)) for _ in range(5)]
            mine, theirs = (statistics.median(column) for column in zip(*times, strict=True))
            print(f"{name:30} ours {mine:6.2f} s   by hand {theirs:6.2f} s   {mine / theirs:4.1f} x")


def _roles_of(metrics: str | list[str]) -> dict[str, Any]:
    grouped = "gauc" in metrics
    return {role: column for role, column in _ROLES.items() if grouped or role != "group"}


def check(connection: Any, ours: str, hand: list[str], name: str) -> None:
    """The same numbers, where one statement by hand gives them all."""
    if len(hand) > 1:
        return
    frames = []
    for statement in (ours, hand[0]):
        cursor = connection.execute(statement)
        frame = pd.DataFrame(cursor.fetchall(), columns=[column.name for column in cursor.description])
        frames.append(frame.sort_values("campaign")[name].astype(float).to_numpy())
    np.testing.assert_allclose(frames[0], frames[1], rtol=1e-9)


if __name__ == "__main__":
    main()
