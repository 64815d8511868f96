"""Lists judged for several subtopics, item by item as ndeval.c of the TREC Web Track goes through them; with two grades
`test_worked_numbers` has its own numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pandas as pd

from .registry import mean_over_groups, oracle


class _Item(dict[Any, float]):
    """The grades of an item by subtopic."""

    name: Any


#: The items of a list from the top down.
Ranking = list[_Item]


class _Weighted:
    """What `mean_over_groups` reads of a group."""

    def __init__(self, weight: float) -> None:
        self.weight = weight


def over_groups(rows: pd.DataFrame, p: Any, value: Callable[[Ranking, list[Any]], float]) -> float | None:
    """The mean of the values of groups, told from their lists and the subtopics for which something is relevant."""
    judgments = getattr(p, "judgments", None)
    if judgments is not None:
        return _over_judged_groups(rows, judgments, p, value)
    groups: list[Any] = []
    values: list[float | None] = []
    for _, members in rows.groupby("group"):
        items: dict[Any, Any] = {}
        for row in members.itertuples(index=False):
            missing = math.isnan(row.tie_key)
            place = (row.score, not missing, 0 if missing else row.tie_key, row.item)
            _, grades = items.setdefault(row.item, (place, _Item()))
            grades.name, grades[row.subtopic] = row.item, row.label
        ranking = [grades for _, grades in sorted(items.values(), key=lambda item: item[0], reverse=True)]
        subtopics = sorted({name for grades in ranking for name, grade in grades.items() if grade >= p.relevant_at})
        groups.append(_Weighted(members["group_weight"].iloc[0]))
        values.append(value(ranking, subtopics) if subtopics else None)
    return mean_over_groups(groups, values, p.empty)


class Judged(list[_Item]):
    """A list, and what else the judgments know of its group: `unlisted`."""

    unlisted: list[_Item]


def _over_judged_groups(
    rows: pd.DataFrame, judgments: pd.DataFrame, p: Any, value: Callable[[Ranking, list[Any]], float]
) -> float | None:
    """ndeval reads a list and a file of judgments for subtopics, which tells what there was to find as well."""
    listed = dict(list(rows.groupby("group")))
    groups: list[Any] = []
    values: list[float | None] = []
    for name, told in judgments.groupby("group"):
        members = listed.get(name)
        if members is None and (p.missing == "skip" or not p.whole):
            continue
        known: dict[Any, _Item] = {}
        for row in told.itertuples(index=False):
            known.setdefault(row.item, _Item())[row.subtopic] = row.label
        places = {}
        for row in members.itertuples(index=False) if members is not None else ():
            missing = math.isnan(row.tie_key)
            places[row.item] = (row.score, not missing, 0 if missing else row.tie_key, row.item)
        for item in places:
            known.setdefault(item, _Item())
        for item, grades in known.items():
            grades.name = item
        ranking = Judged(known[item] for item in sorted(places, key=places.__getitem__, reverse=True))
        ranking.unlisted = [grades for item, grades in known.items() if item not in places]
        subtopics = sorted({name for one in known.values() for name, grade in one.items() if grade >= p.relevant_at})
        groups.append(_Weighted(members["group_weight"].iloc[0] if members is not None else 1.0))
        values.append(value(ranking, subtopics) if subtopics else None)
    return mean_over_groups(groups, values, p.empty)


def unlisted(ranking: Ranking) -> Ranking:
    """What the judgments know and the list has not."""
    return getattr(ranking, "unlisted", [])


def novelty(ranking: Ranking, subtopics: list[Any], p: Any, discount: Callable[[int], float]) -> float:
    """Σ over the places of the discount times what is left of the subtopics of the item."""
    left = dict.fromkeys(subtopics, 1.0)
    total = 0.0
    for place, grades in enumerate(ranking, 1):
        score = 0.0
        for name in subtopics:
            if grades.get(name, 0.0) >= p.relevant_at:
                score += left[name]
                left[name] *= 1 - p.alpha
        total += score * discount(place)
    return total


def cut(p: Any, place: int) -> bool:
    return p.k is None or place <= p.k


@oracle("alpha_dcg", tool="ndeval's formula")
def alpha_dcg(rows: pd.DataFrame, p: Any) -> Any:
    """`alpha-DCG` of ndeval.c, as it is before the division by that of an ideal list."""
    return over_groups(
        rows, p, lambda ranking, names: novelty(ranking, names, p, lambda i: cut(p, i) / math.log2(i + 1))
    )


@oracle("alpha_ndcg", tool="ndeval's formula")
def alpha_ndcg(rows: pd.DataFrame, p: Any) -> Any:
    """`alpha-nDCG` of ndeval.c: its `idealResult` chooses among equal gains the document that is greater as text."""

    def discount(place: int) -> float:
        return cut(p, place) / math.log2(place + 1)

    def ideal(ranking: Ranking, names: list[Any]) -> Ranking:
        left = dict.fromkeys(names, 1.0)
        rest, found = sorted([*ranking, *unlisted(ranking)], key=lambda item: item.name, reverse=True), []
        while rest:
            gains = [sum(left[name] for name in names if one.get(name, 0.0) >= p.relevant_at) for one in rest]
            best = next(place for place, gain in enumerate(gains) if math.isclose(gain, max(gains)))
            found.append(rest.pop(best))
            for name in names:
                if found[-1].get(name, 0.0) >= p.relevant_at:
                    left[name] *= 1 - p.alpha
        return found

    def value(ranking: Ranking, names: list[Any]) -> float:
        return novelty(ranking, names, p, discount) / novelty(ideal(ranking, names), names, p, discount)

    return over_groups(rows, p, value)


@oracle("nrbp", tool="ndeval's formula")
def nrbp(rows: pd.DataFrame, p: Any) -> Any:
    """`NRBP` of ndeval.c."""

    def value(ranking: Ranking, names: list[Any]) -> float:
        return (1 - (1 - p.alpha) * p.p) * novelty(ranking, names, p, lambda i: p.p ** (i - 1)) / len(names)

    return over_groups(rows, p, value)


@oracle("err_ia", tool="ndeval's formula")
def err_ia(rows: pd.DataFrame, p: Any) -> Any:
    """`ERR-IA` of ndeval.c, whose alpha is what a grade of 1 of 1 takes; more grades are those of Chapelle et al."""

    def stops(grade: float) -> float:
        return float((2**grade - 1) / 2**p.max_label)

    def value(ranking: Ranking, names: list[Any]) -> float:
        left = dict.fromkeys(names, 1.0)
        total = 0.0
        for place, grades in enumerate(ranking, 1):
            for name in names:
                done = stops(grades.get(name, 0.0))
                total += cut(p, place) * left[name] * done / place
                left[name] *= 1 - done
        total /= len(names)
        if p.normalized_by == "nothing":
            return total
        best = stops(p.max_label)
        return total / sum(best * (1 - best) ** (i - 1) / i for i in range(1, 1 + (p.k or 1000)))

    return over_groups(rows, p, value)


@oracle("subtopic_recall", tool="ndeval's formula")
def subtopic_recall(rows: pd.DataFrame, p: Any) -> Any:
    """`strec` of ndeval.c."""

    def value(ranking: Ranking, names: list[Any]) -> float:
        seen = {name for grades in ranking[: p.k] for name in names if grades.get(name, 0.0) >= p.relevant_at}
        return len(seen) / len(names)

    return over_groups(rows, p, value)


@oracle("precision_ia", tool="ndeval's formula")
def precision_ia(rows: pd.DataFrame, p: Any) -> Any:
    """`P-IA` of ndeval.c."""

    def value(ranking: Ranking, names: list[Any]) -> float:
        count = sum(grades.get(name, 0.0) >= p.relevant_at for grades in ranking[: p.k] for name in names)
        return count / (p.k * len(names))

    return over_groups(rows, p, value)


@oracle("map_ia", tool="ndeval's formula")
def map_ia(rows: pd.DataFrame, p: Any) -> Any:
    """`MAP-IA` of ndeval.c."""

    def value(ranking: Ranking, names: list[Any]) -> float:
        total = 0.0
        for name in names:
            places = [i for i, grades in enumerate(ranking, 1) if grades.get(name, 0.0) >= p.relevant_at]
            missed = sum(grades.get(name, 0.0) >= p.relevant_at for grades in unlisted(ranking))
            total += sum(n / i for n, i in enumerate(places, 1) if cut(p, i)) / (len(places) + missed)
        return total / len(names)

    return over_groups(rows, p, value)
