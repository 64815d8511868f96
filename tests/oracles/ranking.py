"""Ranking metrics by trec_eval, scikit-learn and scipy, and by plain loops where none of them has the convention."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytrec_eval
from scipy.stats import kendalltau
from sklearn.metrics import dcg_score, jaccard_score, roc_auc_score

from .registry import SKIP, oracle

DECIDED = ["worst", "best", "key"]


@dataclass(frozen=True)
class Member:
    """An item of a group."""

    label: float
    score: float = 0.0
    tie_key: float = math.nan
    judged: bool = True
    propensity: float = 1.0  # where it was logged; unknown for what was missed
    pooled: bool = False  # put before a judge, and not judged


@dataclass(frozen=True)
class Group:
    """What was returned for a query, what else was judged, and how much the query counts."""

    returned: list[Member]
    missed: list[Member]
    weight: float

    @property
    def all(self) -> list[Member]:
        return self.returned + self.missed


_read: tuple[pd.DataFrame, dict[Any, list[Group]]] = (pd.DataFrame(), {})


def groups_of(rows: pd.DataFrame, p: Any) -> list[Group]:
    """The groups that count, labels and scores read as the parameters say."""
    global _read
    if _read[0] is not rows:
        _read = (rows, {})
    how: tuple[Any, ...] = tuple(
        getattr(p, name, None) for name in ("precision_of_scores", "negative", "missing", "whole")
    )
    # Whether there are judgments is told by the rows, which have no label then.
    if how not in _read[1]:
        _read[1][how] = read_groups(rows, p)
    return _read[1][how]


def read_groups(rows: pd.DataFrame, p: Any) -> list[Group]:
    single = getattr(p, "precision_of_scores", "double") == "single"

    def label(value: float) -> float:
        return max(value, 0.0) if getattr(p, "negative", "error") == "zero" else value

    def score(value: float) -> float:
        with np.errstate(over="ignore"):
            return float(np.float32(value)) if single else value

    def by_key(row: Any) -> float:
        return getattr(row, "tie_key", math.nan)

    def propensity(row: Any) -> float:
        return getattr(row, "propensity", 1.0)

    returned: dict[Any, list[Any]] = {}
    for row in rows.itertuples(index=False):
        returned.setdefault(row.group, []).append(row)
    judgments = getattr(p, "judgments", None)
    if judgments is None:
        return [
            Group(
                [
                    Member(
                        label(row.label), score(row.score), by_key(row), row.label >= 0, propensity(row), row.label < 0
                    )
                    for row in members
                ],
                [],
                members[0].group_weight,
            )
            for members in returned.values()
        ]
    judged: dict[Any, dict[Any, float]] = {}
    # To trec_eval a negative grade is no judgment, which bpref alone can tell from a 0.
    ungraded = {(row.group, row.item) for row in judgments.itertuples() if row.label < 0}
    for group, item, value in judgments[["group", "item", "label"]].itertuples(index=False):
        judged.setdefault(group, {})[item] = label(value)
    groups = []
    for name, grades in judged.items():
        members = returned.get(name, [])
        # A group of which nothing was returned belongs to no slice, and weighs 1.
        if not members and (p.missing == "skip" or not p.whole):
            continue
        listed = {row.item for row in members}
        groups.append(
            Group(
                [
                    Member(
                        grades.get(row.item, 0.0),
                        score(row.score),
                        by_key(row),
                        row.item in grades and (name, row.item) not in ungraded,
                        propensity(row),
                        (name, row.item) in ungraded,
                    )
                    for row in members
                ],
                [
                    Member(value, judged=(name, item) not in ungraded)
                    for item, value in grades.items()
                    if item not in listed
                ],
                members[0].group_weight if members else 1.0,
            )
        )
    return groups


def order(members: list[Member], ties: str) -> list[Member]:
    """Returned items from the top down, equal scores in the order that `ties` asks for."""

    def by_key(member: Member) -> tuple[Any, ...]:
        missing = math.isnan(member.tie_key)
        return (
            -member.score,
            missing,
            0 if missing else -member.tie_key,
            member.label,
            -member.propensity,
            member.judged,
        )

    place: Callable[[Member], Any] = {
        "worst": lambda member: (-member.score, member.label, -member.propensity, member.judged),
        "best": lambda member: (-member.score, -member.label, member.propensity, not member.judged),
        "key": by_key,
    }[ties]
    return sorted(members, key=place)


def mean_over_groups(groups: list[Group], values: list[float | None], empty: str) -> float | None:
    """The weighted mean over groups, those without a value counting as `empty` says."""
    filler = {"skip": None, "zero": 0.0, "one": 1.0}[empty]
    total = weight_sum = 0.0
    for group, value in zip(groups, values, strict=True):
        counted = filler if value is None else value
        if counted is not None:
            total += group.weight * counted
            weight_sum += group.weight
    return total / weight_sum if weight_sum else None


def by_group(rows: pd.DataFrame, p: Any, value: Callable[[Group], float | None]) -> float | None:
    groups = groups_of(rows, p)
    return mean_over_groups(groups, [value(group) for group in groups], p.empty)


def by_trec_eval(
    rows: pd.DataFrame,
    p: Any,
    measure: str,
    grade: Callable[[float], int],
    cut: int | None = None,
    pooled: bool = False,
) -> float | None:
    """The mean of a measure of trec_eval over groups."""
    return mean_over_groups(groups_of(rows, p), values_by_trec_eval(rows, p, measure, grade, cut, pooled), p.empty)


def values_by_trec_eval(
    rows: pd.DataFrame,
    p: Any,
    measure: str,
    grade: Callable[[float], int],
    cut: int | None = None,
    pooled: bool = False,
) -> list[float | None]:
    """A measure of trec_eval; the order is settled before, so that its own rule for ties never comes into play."""
    judgments: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    groups = groups_of(rows, p)
    for number, group in enumerate(groups):
        ranked = order(group.returned, p.ties)
        named = {f"d{place}": member for place, member in enumerate(ranked)}
        named |= {f"m{place}": member for place, member in enumerate(group.missed)}
        grades = {name: grade(member.label) for name, member in named.items() if member.judged}
        if pooled:  # a negative grade, which means something to infAP alone
            grades |= {name: -1 for name, member in named.items() if member.pooled}
        if any(one > 0 for one in grades.values()):
            judgments[str(number)] = grades
            run[str(number)] = {f"d{place}": float(len(ranked) - place) for place in range(len(ranked))[:cut]}
    found = pytrec_eval.RelevanceEvaluator(judgments, {measure}).evaluate(run) if run else {}
    # A cut is part of the name of what is found, other parameters are not.
    name = measure.partition(".")[0] if measure.startswith(("set_F.", "utility.")) else measure.replace(".", "_", 1)
    # trec_eval leaves out a query of which nothing was returned, or divides 0 by 0: it counts 0 here.
    return [
        (found.get(str(number), {}).get(name, 0.0) if group.returned else 0.0) if str(number) in judgments else None
        for number, group in enumerate(groups)
    ]


def relevant_at(p: Any) -> Callable[[float], int]:
    return lambda label: int(label >= p.relevant_at)


def hits_of(group: Group, p: Any) -> list[bool]:
    return [member.label >= p.relevant_at for member in order(group.returned, p.ties)]


def relevant_in(group: Group, p: Any) -> int:
    return sum(member.label >= p.relevant_at for member in group.all)


def expected_in_places(members: list[Member], worth: Callable[[float], float], ties: str) -> list[float]:
    """What stands in each place on average over all orders of the equal scores (one order unless ties='average')."""
    if ties != "average":
        return [worth(member.label) for member in order(members, ties)]
    expected = []
    for score in sorted({member.score for member in members}, reverse=True):
        tied = [worth(member.label) for member in members if member.score == score]
        expected += [math.fsum(tied) / len(tied)] * len(tied)
    return expected


# Relevant or not


@oracle("precision_at_k", tool="trec_eval", ties=DECIDED, average=["macro"])
def precision_at_k(rows: pd.DataFrame, p: Any) -> Any:
    return by_trec_eval(rows, p, f"P.{p.k}", relevant_at(p))


@oracle("recall_at_k", tool="trec_eval", ties=DECIDED, average=["macro"])
def recall_at_k(rows: pd.DataFrame, p: Any) -> Any:
    return by_trec_eval(rows, p, f"recall.{p.k}", relevant_at(p))


@oracle("mrr", tool="trec_eval")
def mrr(rows: pd.DataFrame, p: Any) -> Any:
    return by_trec_eval(rows, p, "recip_rank", relevant_at(p), cut=p.k)


@oracle("hit_rate", tool="trec_eval")
def hit_rate(rows: pd.DataFrame, p: Any) -> Any:
    return by_trec_eval(rows, p, f"success.{p.k or 1000}", relevant_at(p))


@oracle("r_precision", tool="trec_eval")
def r_precision(rows: pd.DataFrame, p: Any) -> Any:
    return by_trec_eval(rows, p, "Rprec", relevant_at(p))


@oracle("bpref", tool="trec_eval")
def bpref(rows: pd.DataFrame, p: Any) -> Any:
    return by_trec_eval(rows, p, "bpref", relevant_at(p))


@oracle("bpref", tool="by hand")
def bpref_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    def value(group: Group) -> float | None:
        relevant = relevant_in(group, p)
        if not relevant:
            return None
        others = sum(member.judged for member in group.all) - relevant
        above, total = 0, 0.0
        for member in order(group.returned, p.ties):
            if member.label >= p.relevant_at:
                total += 1 - min(above, relevant) / min(relevant, others) if above else 1
            elif member.judged:
                above += 1
        return total / relevant

    return by_group(rows, p, value)


@oracle("map", tool="trec_eval", denominator=["relevant"])
def average_precision(rows: pd.DataFrame, p: Any) -> Any:
    return by_trec_eval(rows, p, "map" if p.k is None else f"map_cut.{p.k}", relevant_at(p))


@oracle("map", tool="by hand")
def average_precision_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    def value(group: Group) -> float | None:
        relevant = relevant_in(group, p)
        if not relevant:
            return None
        top = hits_of(group, p)[: p.k]
        precisions = [sum(top[:place]) / place for place, hit in enumerate(top, start=1) if hit]
        divisor = {
            "relevant": relevant,
            "min": relevant if p.k is None else min(p.k, relevant),
            "hits": sum(top),
        }[p.denominator]
        return sum(precisions) / divisor if divisor else 0.0

    return by_group(rows, p, value)


def counts_at_k(group: Group, p: Any) -> tuple[float, int, int]:
    """Hits among the first k, listed items among them, relevant items."""
    hits = expected_in_places(group.returned, lambda label: float(label >= p.relevant_at), p.ties)
    return math.fsum(hits[: p.k]), len(hits[: p.k]), relevant_in(group, p)


def hits_by_hand(
    rows: pd.DataFrame,
    p: Any,
    of_group: Callable[[float, int], float],
    divisor: Callable[[int, int], int],
    times: int = 1,
) -> float | None:
    """The mean of what `of_group` makes of hits and relevant items; or all hits by all that `divisor` makes of listed
    and relevant items.
    """
    if p.average == "macro":

        def value(group: Group) -> float | None:
            hits, _, relevant = counts_at_k(group, p)
            return of_group(hits, relevant) if relevant else None

        return by_group(rows, p, value)
    above = below = 0.0
    for group in groups_of(rows, p):
        hits, listed, relevant = counts_at_k(group, p)
        # The pooled quotient has no value of a group that 'one' could replace: 'zero' and 'one' both let it count.
        if relevant or p.empty != "skip":
            above += group.weight * hits
            below += group.weight * divisor(listed, relevant)
    return times * above / below if below else None


@oracle("precision_at_k", tool="by hand")
def precision_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    return hits_by_hand(rows, p, lambda hits, _: hits / p.k, lambda listed, _: listed)


@oracle("recall_at_k", tool="by hand")
def recall_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    return hits_by_hand(rows, p, lambda hits, relevant: hits / relevant, lambda _, relevant: relevant)


@oracle("f1_at_k", tool="by hand")
def f1_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    return hits_by_hand(
        rows, p, lambda hits, relevant: 2 * hits / (p.k + relevant), lambda listed, relevant: listed + relevant, times=2
    )


@oracle("rbp", tool="by hand", gain=["binary"])
def rbp(rows: pd.DataFrame, p: Any) -> Any:
    def value(group: Group) -> float | None:
        hits = hits_of(group, p)
        return (1 - p.p) * sum(p.p**place for place, hit in enumerate(hits) if hit) if relevant_in(group, p) else None

    return by_group(rows, p, value)


@oracle("err", tool="by hand")
def err(rows: pd.DataFrame, p: Any) -> Any:
    def value(group: Group) -> float | None:
        reached, total = 1.0, 0.0
        for place, member in enumerate(order(group.returned, p.ties)[: p.k], start=1):
            satisfied = (2**member.label - 1) / 2**p.max_label
            total += reached * satisfied / place
            reached *= 1 - satisfied
        return total if any(member.label > 0 for member in group.all) else None

    return by_group(rows, p, value)


# Gains

DISCOUNTS: dict[str, Callable[[int], float]] = {
    "log2": lambda place: 1 / math.log2(place + 1),
    "classic": lambda place: 1 / max(1, math.log2(place)),
}


def gain(p: Any) -> Callable[[float], float]:
    gains: dict[str, Callable[[float], float]] = {
        "exp": lambda label: 2.0**label - 1,
        "linear": lambda label: label,
        "binary": lambda label: float(label >= p.relevant_at),
    }
    return gains[p.gain]


def discounted(gains: list[float], p: Any, k: int | None) -> float:
    return sum(gain * DISCOUNTS[p.discount](place) for place, gain in enumerate(gains[:k], start=1))


def ideal(members: list[Member], p: Any) -> list[float]:
    return sorted((gain(p)(member.label) for member in members), reverse=True)


@oracle("cg", tool="by hand")
def cg(rows: pd.DataFrame, p: Any) -> Any:
    def value(group: Group) -> float | None:
        gains = expected_in_places(group.returned, gain(p), p.ties)
        return sum(gains[: p.k]) if any(ideal(group.all, p)) else None

    return by_group(rows, p, value)


@oracle("dcg", tool="by hand")
def dcg_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    def value(group: Group) -> float | None:
        gains = expected_in_places(group.returned, gain(p), p.ties)
        return discounted(gains, p, p.k) if any(ideal(group.all, p)) else None

    return by_group(rows, p, value)


@oracle("idcg", tool="by hand")
def idcg_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    return by_group(rows, p, lambda group: discounted(ideal(group.all, p), p, p.k) or None)


def ideal_members(group: Group, p: Any) -> list[Member]:
    return {"judged": group.all, "listed": group.returned}[p.ideal]


@oracle("ndcg", tool="by hand")
def ndcg_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    def value(group: Group) -> float | None:
        gains = expected_in_places(group.returned, gain(p), p.ties)
        best = discounted(ideal(ideal_members(group, p), p), p, {"k": p.k, "full": None}[p.ideal_k])
        return discounted(gains, p, p.k) / best if best else None

    return by_group(rows, p, value)


def too_short(groups: list[Group]) -> bool:
    """scikit-learn takes no list of one item, and no infinite score."""
    return any(
        len(group.returned) < 2 or any(math.isinf(member.score) for member in group.returned) for group in groups
    )


def sklearn_dcg(group: Group, p: Any) -> float:
    if p.ties == "average":
        gains = [gain(p)(member.label) for member in group.returned]
        # Places in the order, because it also takes scores for equal that differ by a rounding.
        places = np.unique([member.score for member in group.returned], return_inverse=True)[1]
        return float(dcg_score([gains], [places], k=p.k))
    ranked = [gain(p)(member.label) for member in order(group.returned, p.ties)]
    return float(dcg_score([ranked], [list(range(len(ranked), 0, -1))], k=p.k))


def sklearn_ideal(members: list[Member], p: Any, k: int | None) -> float:
    gains = ideal(members, p)
    gains += [0.0] * (2 - len(gains))
    return float(dcg_score([gains], [list(range(len(gains), 0, -1))], k=k))


@oracle("dcg", tool="scikit-learn", discount=["log2"])
def dcg(rows: pd.DataFrame, p: Any) -> Any:
    if too_short(groups_of(rows, p)):
        return SKIP
    return by_group(rows, p, lambda group: sklearn_dcg(group, p) if any(ideal(group.all, p)) else None)


@oracle("idcg", tool="scikit-learn", discount=["log2"])
def idcg(rows: pd.DataFrame, p: Any) -> Any:
    return by_group(rows, p, lambda group: sklearn_ideal(group.all, p, p.k) or None)


@oracle("ndcg", tool="scikit-learn", discount=["log2"])
def ndcg(rows: pd.DataFrame, p: Any) -> Any:
    if too_short(groups_of(rows, p)):
        return SKIP

    def value(group: Group) -> float | None:
        best = sklearn_ideal(ideal_members(group, p), p, {"k": p.k, "full": None}[p.ideal_k])
        return sklearn_dcg(group, p) / best if best else None

    return by_group(rows, p, value)


@oracle("ndcg", tool="trec_eval", gain=["linear"], discount=["log2"], ideal=["judged"], ideal_k=["k"], ties=DECIDED)
def ndcg_by_trec_eval(rows: pd.DataFrame, p: Any) -> Any:
    if any(member.label % 1 for group in groups_of(rows, p) for member in group.all):  # its grades are whole numbers
        return SKIP
    return by_trec_eval(rows, p, "ndcg" if p.k is None else f"ndcg_cut.{p.k}", int)


# Pairs


def by_list(rows: pd.DataFrame, p: Any, value: Callable[[list[Member]], float | None]) -> float | None:
    groups = groups_of(rows, p)
    return mean_over_groups(groups, [value(group.returned) for group in groups], "skip")


@oracle("kendall_tau", tool="scipy", variant=["b", "c"])
def kendall_tau(rows: pd.DataFrame, p: Any) -> Any:
    def value(members: list[Member]) -> float | None:
        # Places in the order, because scipy takes infinite scores for missing ones.
        sides = [[member.score for member in members], [member.label for member in members]]
        if any(len(set(side)) < 2 for side in sides):
            return None
        places = [np.unique(side, return_inverse=True)[1] for side in sides]
        return float(kendalltau(*places, variant=p.variant).statistic)

    return by_list(rows, p, value)


@oracle("kendall_tau", tool="by hand", variant=["a"])
def kendall_tau_a(rows: pd.DataFrame, p: Any) -> Any:
    def sign(a: float, b: float) -> int:
        return (a > b) - (a < b)

    def value(members: list[Member]) -> float | None:
        n = len(members)
        if n < 2:
            return None
        net = sum(
            sign(one.score, other.score) * sign(one.label, other.label)
            for place, one in enumerate(members)
            for other in members[:place]
        )
        return net / (n * (n - 1) / 2)

    return by_list(rows, p, value)


@oracle("interpolated_precision", tool="trec_eval")
def interpolated_precision(rows: pd.DataFrame, p: Any) -> Any:
    return by_trec_eval(rows, p, f"iprec_at_recall.{p.recall:.2f}", relevant_at(p))


@oracle("gm_map", tool="trec_eval, the geometric mean by numpy")
def gm_map(rows: pd.DataFrame, p: Any) -> Any:
    filler = {"skip": None, "zero": 0.0, "one": 1.0}[p.empty]
    values = [filler if one is None else one for one in values_by_trec_eval(rows, p, "map", relevant_at(p))]
    logarithms = [None if one is None else float(np.log(max(one, p.least))) for one in values]
    mean = mean_over_groups(groups_of(rows, p), logarithms, "skip")
    return None if mean is None else float(np.exp(mean))


# Sets


def set_metric(rows: pd.DataFrame, p: Any, measure: str) -> float | None:
    return by_trec_eval(rows, p, measure, relevant_at(p))


def any_order(p: Any) -> Any:
    """Of a metric that has no ties."""
    return SimpleNamespace(**{"ties": "worst", "empty": "skip", **vars(p)})


@oracle("set_precision", tool="trec_eval")
def set_precision(rows: pd.DataFrame, p: Any) -> Any:
    return set_metric(rows, any_order(p), "set_P")


@oracle("set_recall", tool="trec_eval")
def set_recall(rows: pd.DataFrame, p: Any) -> Any:
    return set_metric(rows, any_order(p), "set_recall")


@oracle("set_f", tool="trec_eval")
def set_f(rows: pd.DataFrame, p: Any) -> Any:
    return set_metric(rows, any_order(p), f"set_F.{p.beta**2}")


@oracle("set_map", tool="trec_eval")
def set_map(rows: pd.DataFrame, p: Any) -> Any:
    return set_metric(rows, any_order(p), "set_map")


@oracle("relative_precision", tool="trec_eval")
def relative_precision(rows: pd.DataFrame, p: Any) -> Any:
    return set_metric(rows, p, "set_relative_P" if p.k is None else f"relative_P.{p.k}")


@oracle("utility", tool="by hand")
def utility(rows: pd.DataFrame, p: Any) -> Any:
    def value(group: Group) -> float:
        returned = [member.label >= p.relevant_at for member in group.returned]
        missed = [member.label >= p.relevant_at for member in group.missed]
        others = max(p.collection_size - len(returned) - sum(missed), 0)
        return (
            p.relevant_returned * sum(returned)
            + p.other_returned * (len(returned) - sum(returned))
            + p.relevant_missed * sum(missed)
            + p.other_missed * others
        )

    return by_group(rows, any_order(p), value)


@oracle("utility", tool="trec_eval", other_missed=[0])
def utility_by_trec_eval(rows: pd.DataFrame, p: Any) -> Any:
    """By its counts: pytrec_eval takes no coefficients, and has the default ones of all groups in `utility`."""
    groups = groups_of(rows, p)
    if not all(group.returned for group in groups):  # which it leaves out
        return SKIP
    by_default = (p.relevant_returned, p.other_returned, p.relevant_missed) == (1, -1, 0)

    def value(group: Group) -> float:
        named = {f"d{place}": int(member.label >= p.relevant_at) for place, member in enumerate(group.all)}
        run = {f"d{place}": float(place) for place in range(len(group.returned))}
        measures = {"utility", "num_rel", "num_ret", "num_rel_ret"}
        [found] = pytrec_eval.RelevanceEvaluator({"q": named}, measures).evaluate({"q": run}).values()
        if by_default:
            return float(found["utility"])
        hits = found["num_rel_ret"]
        worth = p.relevant_returned * hits + p.other_returned * (found["num_ret"] - hits)
        return float(worth + p.relevant_missed * (found["num_rel"] - hits))

    return by_group(rows, any_order(p), value)


@oracle("judged_at_k", tool="trec_eval")
def judged_at_k(rows: pd.DataFrame, p: Any) -> Any:
    """Precision of the first k items, what is judged being relevant."""

    def value(group: Group) -> float:
        named = {f"d{place}": member for place, member in enumerate(order(group.returned, p.ties)[: p.k])}
        if not named:
            return 0.0
        judged = {"other": 0, **{name: 1 for name, member in named.items() if member.judged}}
        run = {name: float(-place) for place, name in enumerate(named)}
        [found] = pytrec_eval.RelevanceEvaluator({"q": judged}, {"set_P"}).evaluate({"q": run}).values()
        return float(found["set_P"])

    return by_group(rows, any_order(p), value)


@oracle("infap", tool="trec_eval")
def infap(rows: pd.DataFrame, p: Any) -> Any:
    return by_trec_eval(rows, p, "infAP", relevant_at(p), pooled=True)


@oracle("rbp", tool="by hand", gain=["linear"])
def rbp_of_grades(rows: pd.DataFrame, p: Any) -> Any:
    def value(group: Group) -> float | None:
        gains = [member.label / (p.max_label or 1) for member in order(group.returned, p.ties)]
        if not any(member.label > 0 for member in group.all):
            return None
        return (1 - p.p) * float(np.polyval(gains[::-1], p.p))

    return by_group(rows, p, value)


# Pairs with different labels


def pairs_of(members: list[Member]) -> tuple[int, int, int]:
    """Concordant and discordant pairs, and those with equal scores, of two different labels."""
    labels, scores = np.array([[member.label, member.score] for member in members]).reshape(-1, 2).T
    higher = labels[:, None] > labels[None, :]
    above = scores[:, None] > scores[None, :]
    below = scores[:, None] < scores[None, :]
    return int((higher & above).sum()), int((higher & below).sum()), int((higher & ~above & ~below).sum())


def pooled_quotient(groups: list[Group], parts: list[tuple[float, float]]) -> float | None:
    above = sum(group.weight * part[0] for group, part in zip(groups, parts, strict=True))
    below = sum(group.weight * part[1] for group, part in zip(groups, parts, strict=True))
    return above / below if below else None


def of_pairs(rows: pd.DataFrame, p: Any, parts_of: Callable[[int, int, int], tuple[float, float]]) -> float | None:
    groups = groups_of(rows, p)
    parts = [parts_of(*pairs_of(group.returned)) for group in groups]
    if p.average == "micro":
        return pooled_quotient(groups, parts)
    return mean_over_groups(groups, [above / below if below else None for above, below in parts], "skip")


@oracle("pnr", tool="by hand")
def pnr(rows: pd.DataFrame, p: Any) -> Any:
    return of_pairs(rows, p, lambda concordant, discordant, _: (concordant, discordant))


@oracle("pairwise_accuracy", tool="by hand")
def pairwise_accuracy(rows: pd.DataFrame, p: Any) -> Any:
    share = {"half": 0.5, "wrong": 0.0}[p.equal_scores]
    return of_pairs(rows, p, lambda right, wrong, tied: (right + share * tied, right + wrong + tied))


@oracle("pairwise_accuracy", tool="scikit-learn", equal_scores=["half"])
def pairwise_accuracy_by_scikit_learn(rows: pd.DataFrame, p: Any) -> Any:
    """The AUC of any two labels, times their pairs."""
    groups = groups_of(rows, p)
    parts = []
    for group in groups:
        labels = np.array([member.label for member in group.returned])
        # Places in the order, because it takes no infinite score.
        places = np.unique([member.score for member in group.returned], return_inverse=True)[1]
        right = total = 0.0
        for low, high in itertools.combinations(sorted(set(labels)), 2):
            two = (labels == low) | (labels == high)
            pairs = float((labels == low).sum() * (labels == high).sum())
            right += pairs * float(roc_auc_score(labels[two] == high, places[two]))
            total += pairs
        parts.append((right, total))
    if p.average == "micro":
        return pooled_quotient(groups, parts)
    return mean_over_groups(groups, [right / total if total else None for right, total in parts], "skip")


# Weighted by how seldom an item was seen


def unbiased_sums(group: Group, p: Any) -> tuple[float, float, float]:
    """Jeunen's sum of the new order, that of the best order, and the weights alone."""
    places = np.arange(1, len(group.returned) + 1)
    discounts = 1 / np.log2(places + 1) if p.discount == "log2" else 1 / np.maximum(1, np.log2(places))
    discounts = np.where(places <= (p.k or math.inf), discounts, 0)
    worth = np.array([gain(p)(member.label) / member.propensity for member in order(group.returned, p.ties)])
    best = -np.sort(-worth)
    return float(discounts @ worth), float(discounts @ best), float(worth.sum())


@oracle("unbiased_dcg", tool="numpy")
def unbiased_dcg(rows: pd.DataFrame, p: Any) -> Any:
    return by_group(rows, p, lambda group: unbiased_sums(group, p)[0] if any(ideal(group.all, p)) else None)


@oracle("unbiased_ndcg", tool="numpy")
def unbiased_ndcg(rows: pd.DataFrame, p: Any) -> Any:
    def value(group: Group) -> float | None:
        found, best, weights = unbiased_sums(group, p)
        divisor = best if p.normalized_by == "ideal" else weights
        return (found / divisor if divisor else 0.0) if any(ideal(group.all, p)) else None

    return by_group(rows, p, value)


# Two rankings


@dataclass(frozen=True)
class Item:
    """An item of two lists, with what it is ordered by in each; None where a list has not got it."""

    score: float | None
    label: float | None
    tie_key: float = math.nan


def two_lists(rows: pd.DataFrame, p: Any) -> list[tuple[float, list[int], list[int]]]:
    """Of each group its weight, and the items of both lists from the top down, by their numbers."""

    def by_key(value: float) -> tuple[bool, float]:
        return math.isnan(value), 0.0 if math.isnan(value) else -value

    groups: dict[Any, list[Item]] = {}
    weights: dict[Any, float] = {}
    other: dict[Any, dict[Any, float]] | None = None
    if p.judgments is not None:
        other = {}
        for group, item, value in p.judgments[["group", "item", "label"]].itertuples(index=False):
            other.setdefault(group, {})[item] = value
    for row in rows.itertuples(index=False):
        if other is None:
            label: float | None = row.label
        elif row.group not in other:
            continue
        else:
            label = other[row.group].pop(row.item, None)
        groups.setdefault(row.group, []).append(Item(row.score, label, getattr(row, "tie_key", math.nan)))
        weights[row.group] = row.group_weight
    for group, rest in (other or {}).items():
        if group in groups or (p.missing == "zero" and p.whole):
            groups.setdefault(group, []).extend(Item(None, value) for value in rest.values())
    sign = -1 if p.ties == "best" else 1

    def sides(one: Item, first: bool) -> tuple[Any, ...]:
        own, others = (one.score, one.label) if first else (one.label, one.score)
        assert own is not None
        found = -math.inf if others is None else others
        present = others is not None
        place = (sign * present, sign * found)
        return (-own, *by_key(one.tie_key), *place) if p.ties == "key" else (-own, *place)

    answers = []
    for group, items in groups.items():
        first = [number for number, one in enumerate(items) if one.score is not None]
        second = [number for number, one in enumerate(items) if one.label is not None]
        first.sort(key=lambda number: sides(items[number], True))
        # Items alike in both come in the same order in both: sorted() keeps that of the first list.
        places = {number: place for place, number in enumerate(first)}
        second.sort(key=lambda number: (*sides(items[number], False), places.get(number, 0)))
        answers.append((weights.get(group, 1.0), first, second))
    return answers


def over_lists(rows: pd.DataFrame, p: Any, value: Callable[[list[int], list[int]], float]) -> float | None:
    found = two_lists(rows, p)
    total = sum(weight for weight, _, _ in found)
    return sum(weight * value(first, second) for weight, first, second in found) / total if total else None


def overlap_at(first: list[int], second: list[int], depth: int) -> int:
    return len(set(first[:depth]) & set(second[:depth]))


@oracle("rbo", tool="numpy")
def rbo(rows: pd.DataFrame, p: Any) -> Any:
    """Equations 4, 11 and 32 as the paper writes them; its own numbers are in the tests of worked numbers."""

    def value(first: list[int], second: list[int]) -> float:
        first, second = first[: p.k], second[: p.k]
        s, l = sorted((len(first), len(second)))  # noqa: E741, the names of the paper
        depths = np.arange(1, l + 1)
        overlap = np.array([overlap_at(first, second, depth) for depth in depths], dtype=float)
        powers = p.p**depths
        ratio = (1 - p.p) / p.p
        if p.beyond == "cut":
            return float(ratio * (overlap / depths * powers)[:s].sum())
        if p.beyond == "disjoint":
            tail = ((overlap - overlap[-1]) * powers / depths).sum() - overlap[-1] * math.log(1 - p.p)
            return float(ratio * tail)
        if s == 0:
            return 0.0
        at_s = overlap[s - 1]
        later = depths[s:]
        inside = (overlap / depths * powers).sum() + (at_s * (later - s) / (s * later) * powers[s:]).sum()
        return float(ratio * inside + ((overlap[-1] - at_s) / l + at_s / s) * p.p**l)

    return over_lists(rows, p, value)


@oracle("overlap_at_k", tool="scikit-learn", divisor=["union"])
def overlap_at_k(rows: pd.DataFrame, p: Any) -> Any:
    def value(first: list[int], second: list[int]) -> float:
        known = sorted({*first, *second})
        members = [[number in one[: p.k] for number in known] for one in (first, second)]
        return float(jaccard_score(*members))

    return over_lists(rows, p, value)


@oracle("overlap_at_k", tool="by hand", divisor=["longer"])
def overlap_of_the_longer(rows: pd.DataFrame, p: Any) -> Any:
    return over_lists(
        rows, p, lambda first, second: overlap_at(first, second, p.k) / min(p.k, max(len(first), len(second)))
    )


@oracle("fall_out_at_k", tool="trec_eval", ties=DECIDED)
def fall_out_at_k(rows: pd.DataFrame, p: Any) -> Any:
    """Recall where relevant is what is not. To trec_eval an item that nobody judged is neither."""
    if not all(member.judged for group in groups_of(rows, p) for member in group.all):
        return SKIP
    return by_trec_eval(rows, p, f"recall.{p.k}", lambda label: int(label < p.relevant_at))


@oracle("fall_out_at_k", tool="by hand")
def fall_out_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    def value(group: Group) -> float | None:
        misses = expected_in_places(group.returned, lambda label: float(label < p.relevant_at), p.ties)
        there_are = len(group.all) - relevant_in(group, p)
        return math.fsum(misses[: p.k]) / there_are if there_are else None

    return by_group(rows, p, value)


@oracle("compatibility", tool="numpy by the formula of ir_measures")
def compatibility(rows: pd.DataFrame, p: Any) -> Any:
    """Both overlaps end at the longer of the list and the ideal one, as in `Compat`."""

    def value(group: Group) -> float | None:
        run = order(group.returned, p.ties)
        members = run + group.missed
        relevant = [number for number, member in enumerate(members) if member.label >= p.relevant_at]
        ideal = sorted(relevant, key=lambda number: -members[number].label)
        depths = np.arange(1, max(len(run), len(ideal)) + 1)
        shares = np.array([overlap_at([*range(len(run))], ideal, depth) for depth in depths]) / depths
        best = np.minimum(depths, len(ideal)) / depths
        weights = p.p ** (depths - 1)
        return float((weights * shares).sum() / (weights * best).sum()) if ideal else None

    return by_group(rows, p, value)
