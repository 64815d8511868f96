"""Lists judged for several subtopics by the formulas of ndeval.c of the TREC Web Track; `test_worked_numbers` has its
own numbers for two grades."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from .registry import cached, group_oracle, list_position


@dataclass(frozen=True)
class Item:
    """The grades of an item by subtopic, and the subtopics for which it is relevant."""

    name: Any
    grades: dict[Any, float]
    relevant: set[Any]


@dataclass(frozen=True)
class Ranking:
    """The items of a list in descending order, the other judged items, and the subtopics that have a relevant item."""

    listed: list[Item]
    unlisted: list[Item]
    subtopics: list[Any]
    weight: float


@cached("missing", "whole", "relevant_at")
def rankings_of(rows: pd.DataFrame, p: Any) -> list[Ranking]:
    """ndeval reads a list and a file of judgments; without judgments the rows have the grades."""
    judgments = getattr(p, "judgments", None)
    lists = dict(list(rows.groupby("group")))
    rankings = []
    for name, judged in (rows if judgments is None else judgments).groupby("group"):
        members = lists.get(name)
        if members is None and (p.missing == "skip" or not p.whole):
            continue
        grades: dict[Any, dict[Any, float]] = {}
        for row in judged.itertuples(index=False):
            grades.setdefault(row.item, {})[row.subtopic] = row.label
        positions = {} if members is None else {row.item: list_position(row) for row in members.itertuples(index=False)}
        items = {
            item: Item(item, values, {subtopic for subtopic, grade in values.items() if grade >= p.relevant_at})
            for item in {**grades, **positions}
            for values in [grades.get(item, {})]
        }
        listed = [items[item] for item in sorted(positions, key=positions.__getitem__, reverse=True)]
        unlisted = [item for name, item in items.items() if name not in positions]
        subtopics = sorted(set().union(*(item.relevant for item in items.values())))
        weight = 1.0 if members is None else members["group_weight"].iloc[0]
        rankings.append(Ranking(listed, unlisted, subtopics, weight))
    return rankings


def ndeval(metric: str) -> Callable[[Any], Any]:
    """Register a function of a ranking, which is undefined without a relevant item."""

    def register(function: Callable[[Ranking, Any], float]) -> Any:
        value = functools.wraps(function)(lambda ranking, p: function(ranking, p) if ranking.subtopics else None)
        return group_oracle(rankings_of, metric, tool="ndeval's formula")(value)

    return register


def novelty(items: list[Item], p: Any, discount: Callable[[int], float]) -> float:
    """The sum over ranks of the discount times the remaining gains of the relevant subtopics."""
    seen: dict[Any, int] = {}
    total = 0.0
    for rank, item in enumerate(items, 1):
        for name in item.relevant:
            total += (1 - p.alpha) ** seen.get(name, 0) * discount(rank)
            seen[name] = seen.get(name, 0) + 1
    return total


def discounted_novelty(items: list[Item], p: Any) -> float:
    return novelty(items[: p.k], p, lambda rank: 1 / math.log2(rank + 1))


@ndeval("alpha_dcg")
def alpha_dcg(ranking: Ranking, p: Any) -> float:
    """`alpha-DCG` of ndeval.c, before the division by the value of an ideal list."""
    return discounted_novelty(ranking.listed, p)


@ndeval("alpha_ndcg")
def alpha_ndcg(ranking: Ranking, p: Any) -> float:
    """`alpha-nDCG` of ndeval.c: its `idealResult` chooses the document that sorts last among equal gains."""
    gains = dict.fromkeys(ranking.subtopics, 1.0)
    rest = sorted([*ranking.listed, *ranking.unlisted], key=lambda item: item.name, reverse=True)
    ideal: list[Item] = []
    while rest:
        values = [sum(gains[name] for name in ranking.subtopics if name in item.relevant) for item in rest]
        ideal.append(rest.pop(next(rank for rank, value in enumerate(values) if math.isclose(value, max(values)))))
        for name in ideal[-1].relevant:
            gains[name] *= 1 - p.alpha
    return discounted_novelty(ranking.listed, p) / discounted_novelty(ideal, p)


@ndeval("nrbp")
def nrbp(ranking: Ranking, p: Any) -> float:
    """`NRBP` of ndeval.c."""
    total = novelty(ranking.listed, p, lambda rank: p.p ** (rank - 1))
    return (1 - (1 - p.alpha) * p.p) * total / len(ranking.subtopics)


@ndeval("err_ia")
def err_ia(ranking: Ranking, p: Any) -> float:
    """`ERR-IA` of ndeval.c, whose alpha is the gain of grade 1 of 1; more grades are those of Chapelle et al."""

    def satisfied(grade: float) -> float:
        return float((2**grade - 1) / 2**p.max_label)

    total = 0.0
    for name in ranking.subtopics:
        reached = 1.0
        for rank, item in enumerate(ranking.listed[: p.k], 1):
            stop = satisfied(item.grades.get(name, 0.0))
            total += reached * stop / rank
            reached *= 1 - stop
    total /= len(ranking.subtopics)
    best = satisfied(p.max_label)
    ideal = sum(best * (1 - best) ** (rank - 1) / rank for rank in range(1, 1 + (p.k or 1000)))
    return total if p.normalized_by == "nothing" else total / ideal


@ndeval("subtopic_recall")
def subtopic_recall(ranking: Ranking, p: Any) -> float:
    """`strec` of ndeval.c."""
    return len(set().union(*(item.relevant for item in ranking.listed[: p.k]))) / len(ranking.subtopics)


@ndeval("precision_ia")
def precision_ia(ranking: Ranking, p: Any) -> float:
    """`P-IA` of ndeval.c."""
    return sum(len(item.relevant) for item in ranking.listed[: p.k]) / (p.k * len(ranking.subtopics))


@ndeval("map_ia")
def map_ia(ranking: Ranking, p: Any) -> float:
    """`MAP-IA` of ndeval.c."""
    total = 0.0
    for name in ranking.subtopics:
        ranks = [rank for rank, item in enumerate(ranking.listed[: p.k], 1) if name in item.relevant]
        relevant = sum(name in item.relevant for item in ranking.listed + ranking.unlisted)
        total += sum(count / rank for count, rank in enumerate(ranks, 1)) / relevant
    return total / len(ranking.subtopics)
