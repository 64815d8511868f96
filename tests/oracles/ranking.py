"""Ranking metrics by trec_eval and scikit-learn, and by plain loops where neither has the convention."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytrec_eval
from sklearn.metrics import dcg_score

from .registry import SKIP, oracle

GroupValues = dict[Any, float | None]
DECIDED = ["worst", "best", "key"]


Member = Any  # a row of a group, with label, score, tie_key and group_weight as attributes


def groups_of(rows: pd.DataFrame) -> dict[Any, list[Member]]:
    """The rows of every group."""
    groups: dict[Any, list[Member]] = {}
    for member in rows.itertuples(index=False):
        groups.setdefault(member.group, []).append(member)
    return groups


def order(members: list[Member], ties: str) -> list[float]:
    """The labels of a group from the top down, equal scores in the order that `ties` asks for."""

    def by_key(member: Member) -> tuple[float, bool, float, float]:
        missing = math.isnan(member.tie_key)
        return (-member.score, missing, 0 if missing else -member.tie_key, member.label)

    place: Callable[[Member], Any] = {
        "worst": lambda member: (-member.score, member.label),
        "best": lambda member: (-member.score, -member.label),
        "key": by_key,
    }[ties]
    return [member.label for member in sorted(members, key=place)]


def mean_over_groups(groups: dict[Any, list[Member]], values: GroupValues, empty: str) -> float | None:
    """The weighted mean over groups, those without a value counting as `empty` says."""
    filler = {"skip": None, "zero": 0.0, "one": 1.0}[empty]
    total = weight_sum = 0.0
    for group, value in values.items():
        counted = filler if value is None else value
        if counted is not None:
            weight = groups[group][0].group_weight
            total += weight * counted
            weight_sum += weight
    return total / weight_sum if weight_sum else None


def by_group(rows: pd.DataFrame, empty: str, value: Callable[[list[Member]], float | None]) -> float | None:
    groups = groups_of(rows)
    return mean_over_groups(groups, {group: value(members) for group, members in groups.items()}, empty)


def by_trec_eval(
    rows: pd.DataFrame, p: Any, measure: str, grade: Callable[[float], int], cut: int | None = None
) -> float | None:
    """A measure of trec_eval; the order is settled before, so that its own rule for ties never comes into play."""
    judgments: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    groups = groups_of(rows)
    for number, members in enumerate(groups.values()):
        grades = [grade(label) for label in order(members, p.ties)]
        if any(grades):
            judgments[str(number)] = {f"d{place}": value for place, value in enumerate(grades)}
            run[str(number)] = {f"d{place}": float(len(grades) - place) for place in range(len(grades))[:cut]}
    found = pytrec_eval.RelevanceEvaluator(judgments, {measure}).evaluate(run) if run else {}
    name = measure.replace(".", "_")
    values = {group: found[str(number)][name] if str(number) in found else None for number, group in enumerate(groups)}
    return mean_over_groups(groups, values, p.empty)


def relevant_at(p: Any) -> Callable[[float], int]:
    return lambda label: int(label >= p.relevant_at)


@oracle("precision_at_k", tool="trec_eval", ties=DECIDED)
def precision_at_k(rows: pd.DataFrame, p: Any) -> Any:
    return by_trec_eval(rows, p, f"P.{p.k}", relevant_at(p))


@oracle("recall_at_k", tool="trec_eval", ties=DECIDED)
def recall_at_k(rows: pd.DataFrame, p: Any) -> Any:
    return by_trec_eval(rows, p, f"recall.{p.k}", relevant_at(p))


@oracle("mrr", tool="trec_eval")
def mrr(rows: pd.DataFrame, p: Any) -> Any:
    return by_trec_eval(rows, p, "recip_rank", relevant_at(p), cut=p.k)


@oracle("map", tool="trec_eval", denominator=["relevant"])
def average_precision(rows: pd.DataFrame, p: Any) -> Any:
    return by_trec_eval(rows, p, "map" if p.k is None else f"map_cut.{p.k}", relevant_at(p))


@oracle("map", tool="by hand")
def average_precision_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    def value(members: list[Member]) -> float | None:
        relevant = [label >= p.relevant_at for label in order(members, p.ties)]
        if not any(relevant):
            return None
        top = relevant if p.k is None else relevant[: p.k]
        precisions = [sum(top[:place]) / place for place, hit in enumerate(top, start=1) if hit]
        divisor = {
            "relevant": sum(relevant),
            "min": sum(relevant) if p.k is None else min(p.k, sum(relevant)),
            "hits": sum(top),
        }[p.denominator]
        return sum(precisions) / divisor if divisor else 0.0

    return by_group(rows, p.empty, value)


def expected_in_places(members: list[Member], worth: Callable[[float], float], ties: str) -> list[float]:
    """What stands in each place on average over all orders of the equal scores (one order unless ties='average')."""
    if ties != "average":
        return [worth(label) for label in order(members, ties)]
    expected = []
    for score in sorted({member.score for member in members}, reverse=True):
        tied = [worth(member.label) for member in members if member.score == score]
        expected += [sum(tied) / len(tied)] * len(tied)
    return expected


@oracle("precision_at_k", tool="by hand")
def precision_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    def value(members: list[Member]) -> float | None:
        hits = expected_in_places(members, lambda label: float(label >= p.relevant_at), p.ties)
        return sum(hits[: p.k]) / p.k if any(hits) else None

    return by_group(rows, p.empty, value)


@oracle("recall_at_k", tool="by hand")
def recall_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    def value(members: list[Member]) -> float | None:
        hits = expected_in_places(members, lambda label: float(label >= p.relevant_at), p.ties)
        return sum(hits[: p.k]) / sum(hits) if any(hits) else None

    return by_group(rows, p.empty, value)


GAINS: dict[str, Callable[[float], float]] = {"exp": lambda label: 2.0**label - 1, "linear": lambda label: label}
DISCOUNTS: dict[str, Callable[[int], float]] = {
    "log2": lambda place: 1 / math.log2(place + 1),
    "classic": lambda place: 1 / max(1, math.log2(place)),
}


def discounted(gains: list[float], p: Any, k: int | None) -> float:
    return sum(gain * DISCOUNTS[p.discount](place) for place, gain in enumerate(gains[:k], start=1))


def ideal(members: list[Member], p: Any) -> list[float]:
    return sorted((GAINS[p.gain](member.label) for member in members), reverse=True)


@oracle("dcg", tool="by hand")
def dcg_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    def value(members: list[Member]) -> float | None:
        gains = expected_in_places(members, GAINS[p.gain], p.ties)
        return discounted(gains, p, p.k) if any(gains) else None

    return by_group(rows, p.empty, value)


@oracle("ndcg", tool="by hand")
def ndcg_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    def value(members: list[Member]) -> float | None:
        gains = expected_in_places(members, GAINS[p.gain], p.ties)
        best = discounted(ideal(members, p), p, {"k": p.k, "full": None}[p.ideal_k])
        return discounted(gains, p, p.k) / best if best else None

    return by_group(rows, p.empty, value)


def sklearn_dcg(members: list[Member], p: Any) -> float:
    gains = [GAINS[p.gain](member.label) for member in members]
    if p.ties == "average":
        return float(dcg_score([gains], [[member.score for member in members]], k=p.k))
    ranked = [GAINS[p.gain](label) for label in order(members, p.ties)]
    return float(dcg_score([ranked], [list(range(len(ranked), 0, -1))], k=p.k))


def too_short(rows: pd.DataFrame) -> bool:
    """scikit-learn takes no list of one item, and no infinite score."""
    return any(len(members) < 2 for members in groups_of(rows).values()) or bool(np.isinf(rows["score"]).any())


@oracle("dcg", tool="scikit-learn", discount=["log2"])
def dcg(rows: pd.DataFrame, p: Any) -> Any:
    if too_short(rows):
        return SKIP
    return by_group(rows, p.empty, lambda members: sklearn_dcg(members, p) if any(ideal(members, p)) else None)


@oracle("ndcg", tool="scikit-learn", discount=["log2"])
def ndcg(rows: pd.DataFrame, p: Any) -> Any:
    if too_short(rows):
        return SKIP

    def value(members: list[Member]) -> float | None:
        gains = ideal(members, p)
        k = {"k": p.k, "full": None}[p.ideal_k]
        best = float(dcg_score([gains], [list(range(len(gains), 0, -1))], k=k))
        return sklearn_dcg(members, p) / best if best else None

    return by_group(rows, p.empty, value)


@oracle("ndcg", tool="trec_eval", gain=["linear"], discount=["log2"], ideal_k=["k"], ties=DECIDED)
def ndcg_by_trec_eval(rows: pd.DataFrame, p: Any) -> Any:
    if (rows["label"] % 1 != 0).any():  # trec_eval's grades are whole numbers
        return SKIP
    return by_trec_eval(rows, p, "ndcg" if p.k is None else f"ndcg_cut.{p.k}", int)
