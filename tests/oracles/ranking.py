"""Ranking metrics by trec_eval, scikit-learn and scipy, and by plain loops where these lack a convention."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytrec_eval
from scipy.stats import kendalltau
from sklearn.metrics import jaccard_score, roc_auc_score

from .registry import SKIP, Values, cached, group_oracle, mean_over_groups, oracle

#: The values of `ties` that define a single order, in contrast to the average over all orders.
ONE_ORDER = ["worst", "best", "key"]


@dataclass(frozen=True)
class Member:
    """An item of a group."""

    label: float
    score: float = 0.0
    tie_key: float = math.nan
    judged: bool = True
    propensity: float = 1.0
    pooled: bool = False  # presented to a judge, but not judged


@dataclass(frozen=True)
class Group:
    """The returned items of a query, its other judged items, and its weight."""

    returned: list[Member]
    missed: list[Member]
    weight: float

    @property
    def all(self) -> list[Member]:
        return self.returned + self.missed


# The same rows always or never have judgments: with judgments they have no label.
@cached("precision_of_scores", "negative", "missing", "whole")
def groups_of(rows: pd.DataFrame, p: Any) -> list[Group]:
    single = getattr(p, "precision_of_scores", "double") == "single"
    floor = 0.0 if getattr(p, "negative", "error") == "zero" else -math.inf

    def member(row: Any, label: float, judged: bool) -> Member:
        with np.errstate(over="ignore"):
            score = float(np.float32(row.score)) if single else row.score
        tie_key, propensity = getattr(row, "tie_key", math.nan), getattr(row, "propensity", 1.0)
        # trec_eval reads a negative grade as unjudged.
        return Member(max(label, floor), score, tie_key, judged and label >= 0, propensity, judged and label < 0)

    returned: dict[Any, list[Any]] = {}
    for row in rows.itertuples(index=False):
        returned.setdefault(row.group, []).append(row)
    if getattr(p, "judgments", None) is None:
        return [
            Group([member(row, row.label, True) for row in members], [], members[0].group_weight)
            for members in returned.values()
        ]
    groups = []
    for name, judged in p.judgments.groupby("group"):
        grades = dict(zip(judged["item"], judged["label"], strict=True))
        members = returned.get(name, [])
        # A group without returned items belongs to no slice and has weight 1.
        if not members and (p.missing == "skip" or not p.whole):
            continue
        listed = {row.item for row in members}
        missed = [Member(max(g, floor), judged=g >= 0) for item, g in grades.items() if item not in listed]
        graded = [member(row, grades.get(row.item, 0.0), row.item in grades) for row in members]
        groups.append(Group(graded, missed, members[0].group_weight if members else 1.0))
    return groups


per_group = functools.partial(group_oracle, groups_of)


def order(members: list[Member], ties: str) -> list[Member]:
    """Items by descending score, equal scores in the order that `ties` defines."""

    def position(member: Member) -> tuple[Any, ...]:
        if ties == "best":
            return -member.score, -member.label, member.propensity, not member.judged
        missing = math.isnan(member.tie_key)
        key = (missing, 0 if missing else -member.tie_key) if ties == "key" else ()
        return -member.score, *key, member.label, -member.propensity, member.judged

    return sorted(members, key=position)


def expected_in_places(members: list[Member], worth: Callable[[float], float], ties: str) -> list[float]:
    """The mean at each rank over all orders of equal scores (over a single order unless ties='average')."""
    if ties != "average":
        return [worth(member.label) for member in order(members, ties)]
    expected = []
    for score in sorted({member.score for member in members}, reverse=True):
        tied = [worth(member.label) for member in members if member.score == score]
        expected += [math.fsum(tied) / len(tied)] * len(tied)
    return expected


def is_relevant(p: Any) -> Callable[[float], int]:
    return lambda label: int(label >= p.relevant_at)


def relevant_in(group: Group, p: Any) -> int:
    return sum(member.label >= p.relevant_at for member in group.all)


def ratio_of_sums(groups: Sequence[Group], parts: Sequence[tuple[float, float]]) -> float | None:
    above, below = (math.fsum(g.weight * part[i] for g, part in zip(groups, parts, strict=True)) for i in (0, 1))
    return above / below if below else None


# trec_eval


def trec_eval_values(
    groups: Sequence[Group], p: Any, measure: str, grade: Callable[[float], int], cut: int | None = None
) -> list[float | None]:
    """A measure of trec_eval for each group; the items are sorted before, so that its rule for ties does not apply."""
    judgments: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for number, group in enumerate(groups):
        ranked = order(group.returned, getattr(p, "ties", "worst"))
        named = {f"d{rank}": member for rank, member in enumerate(ranked)}
        named |= {f"m{rank}": member for rank, member in enumerate(group.missed)}
        grades = {name: grade(member.label) for name, member in named.items() if member.judged}
        if measure == "infAP":  # only infAP reads negative grades
            grades |= {name: -1 for name, member in named.items() if member.pooled}
        if any(value > 0 for value in grades.values()):
            judgments[str(number)] = grades
            run[str(number)] = {f"d{rank}": float(len(ranked) - rank) for rank in range(len(ranked))[:cut]}
    results = pytrec_eval.RelevanceEvaluator(judgments, {measure}).evaluate(run) if run else {}
    # A cut is part of the name of a result, other parameters are not.
    name = measure.partition(".")[0] if measure.startswith("set_F.") else measure.replace(".", "_", 1)
    # For a query without returned items trec_eval has no result, or divides 0 by 0: the value is 0 here.
    return [
        (results.get(str(number), {}).get(name, 0.0) if group.returned else 0.0) if str(number) in judgments else None
        for number, group in enumerate(groups)
    ]


def trec_eval(
    metric: str,
    measure: str | Callable[[Any], str],
    grade: Callable[[Any], Callable[[float], int]] = is_relevant,
    cut: bool = False,
    unsupported: Callable[[Member], bool] | None = None,
    empty: str = "skip",
    **only: Values,
) -> None:
    """Register a measure of trec_eval; `cut` passes the first k items only, `empty` is for a metric without it."""

    @oracle(metric, tool="trec_eval", **only)
    def mean_of_trec_eval(rows: pd.DataFrame, p: Any) -> Any:
        groups = groups_of(rows, p)
        if unsupported is not None and any(unsupported(member) for group in groups for member in group.all):
            return SKIP
        name = measure if isinstance(measure, str) else measure(p)
        values = trec_eval_values(groups, p, name, grade(p), p.k if cut else None)
        return mean_over_groups(groups, values, getattr(p, "empty", empty))


trec_eval("mrr", "recip_rank", cut=True)
trec_eval("hit_rate", lambda p: f"success.{p.k or 1000}")
trec_eval("r_precision", "Rprec")
trec_eval("bpref", "bpref")
trec_eval("map", lambda p: "map" if p.k is None else f"map_cut.{p.k}", denominator=["relevant"])
trec_eval("interpolated_precision", lambda p: f"iprec_at_recall.{p.recall:.2f}")
trec_eval("set_precision", "set_P")
trec_eval("set_recall", "set_recall")
trec_eval("set_f", lambda p: f"set_F.{p.beta**2}")
trec_eval("set_map", "set_map")
trec_eval("relative_precision", lambda p: "set_relative_P" if p.k is None else f"relative_P.{p.k}")
trec_eval("infap", "infAP")
# The precision of the first k items, with the judged ones as relevant.
trec_eval("judged_at_k", "set_P", grade=lambda _: lambda _label: 1, cut=True, empty="zero")
# Fall-out is recall with the irrelevant items as relevant ones. For trec_eval an unjudged item is neither.
trec_eval(
    "fall_out_at_k",
    lambda p: f"recall.{p.k}",
    grade=lambda p: lambda label: int(label < p.relevant_at),
    unsupported=lambda member: not member.judged,
    ties=ONE_ORDER,
)


@oracle("gm_map", tool="trec_eval, the geometric mean by numpy")
def gm_map(rows: pd.DataFrame, p: Any) -> Any:
    groups = groups_of(rows, p)
    default = {"skip": None, "zero": 0.0, "one": 1.0}[p.empty]
    values = [default if v is None else v for v in trec_eval_values(groups, p, "map", is_relevant(p))]
    mean = mean_over_groups(groups, [None if v is None else float(np.log(max(v, p.least))) for v in values])
    return None if mean is None else float(np.exp(mean))


@per_group("utility", tool="by hand")
def utility(group: Group, p: Any) -> Any:
    missed = sum(member.label >= p.relevant_at for member in group.missed)
    relevant, returned = relevant_in(group, p) - missed, len(group.returned)
    value = p.relevant_returned * relevant + p.other_returned * (returned - relevant)
    return value + p.relevant_missed * missed + p.other_missed * max(p.collection_size - returned - missed, 0)


# Relevant or not


@per_group("map", tool="by hand", denominator=["min", "hits"])
def average_precision(group: Group, p: Any) -> Any:
    relevant = relevant_in(group, p)
    top = [is_relevant(p)(member.label) for member in order(group.returned, p.ties)][: p.k]
    precisions = [sum(top[:rank]) / rank for rank, hit in enumerate(top, start=1) if hit]
    divisor = sum(top) if p.denominator == "hits" else min(p.k or relevant, relevant)
    return (sum(precisions) / divisor if divisor else 0.0) if relevant else None


def ratio_at_k(metric: str, divisor: Callable[[int, int], int], factor: int = 1) -> None:
    """Register a quotient: the relevant items among the first k, divided by the result of `divisor`.

    `divisor` takes the numbers of items and of relevant items. The quotient is that of each group, where a short list
    counts as k items, or of the sums over groups.
    """

    @oracle(metric, tool="by hand")
    def ratio(rows: pd.DataFrame, p: Any) -> Any:
        groups = groups_of(rows, p)
        relevant = [relevant_in(group, p) for group in groups]
        top = [expected_in_places(group.returned, is_relevant(p), p.ties)[: p.k] for group in groups]
        hits = [factor * math.fsum(values) for values in top]
        if p.average == "macro":
            values = [h / divisor(p.k, r) if r else None for h, r in zip(hits, relevant, strict=True)]
            return mean_over_groups(groups, values, p.empty)
        # A ratio of sums has no group value for 'one' to replace: 'zero' and 'one' both count such a group.
        parts = [
            (h, float(divisor(len(values), r))) if r or p.empty != "skip" else (0.0, 0.0)
            for h, values, r in zip(hits, top, relevant, strict=True)
        ]
        return ratio_of_sums(groups, parts)


ratio_at_k("precision_at_k", lambda items, _: items)
ratio_at_k("recall_at_k", lambda _, relevant: relevant)
ratio_at_k("f1_at_k", lambda items, relevant: items + relevant, factor=2)


@per_group("fall_out_at_k", tool="by hand")
def fall_out_at_k(group: Group, p: Any) -> Any:
    top = expected_in_places(group.returned, lambda label: float(label < p.relevant_at), p.ties)[: p.k]
    irrelevant = len(group.all) - relevant_in(group, p)
    return math.fsum(top) / irrelevant if irrelevant else None


@per_group("rbp", tool="numpy")
def rbp(group: Group, p: Any) -> Any:
    def worth(member: Member) -> float:
        return float(member.label >= p.relevant_at) if p.gain == "binary" else member.label / (p.max_label or 1)

    if not any(worth(member) > 0 for member in group.all):
        return None
    return (1 - p.p) * float(np.polyval([worth(member) for member in order(group.returned, p.ties)][::-1], p.p))


@per_group("err", tool="by hand")
def err(group: Group, p: Any) -> Any:
    reached, total = 1.0, 0.0
    for rank, member in enumerate(order(group.returned, p.ties)[: p.k], start=1):
        satisfied = (2**member.label - 1) / 2**p.max_label
        total += reached * satisfied / rank
        reached *= 1 - satisfied
    return total if any(member.label > 0 for member in group.all) else None


@per_group("compatibility", tool="numpy by the formula of ir_measures")
def compatibility(group: Group, p: Any) -> Any:
    """Both overlaps end at the longer of the list and the ideal list, as in `Compat`."""
    run = order(group.returned, p.ties)
    members = run + group.missed
    relevant = [number for number, member in enumerate(members) if member.label >= p.relevant_at]
    ideal = sorted(relevant, key=lambda number: -members[number].label)
    depths = np.arange(1, max(len(run), len(ideal)) + 1)
    shares = np.array([overlap_at(range(len(run)), ideal, depth) for depth in depths]) / depths
    best = np.minimum(depths, len(ideal)) / depths
    weights = p.p ** (depths - 1)
    return float((weights * shares).sum() / (weights * best).sum()) if ideal else None


# Gains


def gain(p: Any) -> Callable[[float], float]:
    gains: dict[str, Callable[[float], float]] = {
        "exp": lambda label: 2.0**label - 1,
        "linear": lambda label: label,
        "binary": lambda label: float(label >= p.relevant_at),
    }
    return gains[p.gain]


def has_gain(group: Group, p: Any) -> bool:
    return any(gain(p)(member.label) for member in group.all)


def discounted(gains: Sequence[float], p: Any, k: int | None) -> float:
    ranks = np.arange(1, len(gains[:k]) + 1)
    discounts = np.log2(ranks + 1) if p.discount == "log2" else np.maximum(1, np.log2(ranks))
    return float(np.sum(gains[:k] / discounts))


def gains_of(group: Group, p: Any) -> list[float]:
    return expected_in_places(group.returned, gain(p), p.ties)


def dcg(group: Group, p: Any) -> float:
    return discounted(gains_of(group, p), p, p.k)


def ideal_dcg(members: list[Member], p: Any, k: int | None) -> float:
    return discounted(sorted((gain(p)(member.label) for member in members), reverse=True), p, k)


per_group("dcg", tool="numpy")(lambda group, p: dcg(group, p) if has_gain(group, p) else None)
per_group("idcg", tool="numpy")(lambda group, p: ideal_dcg(group.all, p, p.k) or None)


@per_group("ndcg", tool="numpy")
def ndcg(group: Group, p: Any) -> Any:
    members = group.all if p.ideal == "judged" else group.returned
    best = ideal_dcg(members, p, p.k if p.ideal_k == "k" else None)
    return dcg(group, p) / best if best else None


per_group("cg", tool="by hand")(lambda group, p: sum(gains_of(group, p)[: p.k]) if has_gain(group, p) else None)


def unbiased_gains(group: Group, p: Any) -> list[float]:
    """The gains in order, divided by the propensities (Jeunen et al., 2024)."""
    return [gain(p)(member.label) / member.propensity for member in order(group.returned, p.ties)]


per_group("unbiased_dcg", tool="numpy")(
    lambda group, p: discounted(unbiased_gains(group, p), p, p.k) if has_gain(group, p) else None
)


@per_group("unbiased_ndcg", tool="numpy")
def unbiased_ndcg(group: Group, p: Any) -> Any:
    gains = unbiased_gains(group, p)
    divisor = discounted(sorted(gains, reverse=True), p, p.k) if p.normalized_by == "ideal" else sum(gains)
    return (discounted(gains, p, p.k) / divisor if divisor else 0.0) if has_gain(group, p) else None


# Pairs of different labels


def pairs_of(members: list[Member]) -> tuple[int, int]:
    """The numbers of concordant and of discordant pairs."""
    labels, scores = np.array([[member.label, member.score] for member in members]).reshape(-1, 2).T
    higher = np.greater.outer(labels, labels)
    return tuple(int((higher & order.outer(scores, scores)).sum()) for order in (np.greater, np.less))


def pair_oracle(metric: str, *, tool: str, **only: Values) -> Callable[[Any], Any]:
    """Register a function that returns the dividend and the divisor for the returned items of a group."""

    def register(function: Callable[[list[Member], Any], tuple[float, float]]) -> Any:
        @oracle(metric, tool=tool, **only)
        def value(rows: pd.DataFrame, p: Any) -> Any:
            groups = groups_of(rows, p)
            parts = [function(group.returned, p) for group in groups]
            if p.average == "micro":
                return ratio_of_sums(groups, parts)
            return mean_over_groups(groups, [above / below if below else None for above, below in parts])

        return function

    return register


pair_oracle("pnr", tool="numpy, pair by pair")(lambda members, _: pairs_of(members))


@pair_oracle("pairwise_accuracy", tool="scikit-learn")
def pairwise_accuracy(members: list[Member], p: Any) -> tuple[float, float]:
    """The AUC of any two labels, times the number of their pairs."""
    labels = np.array([member.label for member in members])
    # Of equal scores that count as wrong, the lower label is above.
    keys = [(member.score, -member.label if p.equal_scores == "wrong" else 0) for member in members]
    ranks = np.array([sorted(set(keys)).index(key) for key in keys])
    concordant = total = 0.0
    for low, high in itertools.combinations(sorted(set(labels)), 2):
        two = (labels == low) | (labels == high)
        pairs = float((labels == low).sum() * (labels == high).sum())
        concordant += pairs * float(roc_auc_score(labels[two] == high, ranks[two]))
        total += pairs
    return concordant, total


@per_group("kendall_tau", tool="scipy, and numpy for variant a")
def kendall_tau(group: Group, p: Any) -> Any:
    sides = [[member.score for member in group.returned], [member.label for member in group.returned]]
    if p.variant == "a":
        pairs = math.comb(len(group.returned), 2)
        return float(np.subtract(*pairs_of(group.returned))) / pairs if pairs else None
    # Ranks in place of scores, because scipy reads infinite scores as missing ones.
    ranks = [np.unique(side, return_inverse=True)[1] for side in sides]
    varies = all(len(set(side)) > 1 for side in sides)
    return float(kendalltau(*ranks, variant=p.variant).statistic) if varies else None


# Two rankings


@dataclass(frozen=True)
class TwoLists:
    """The items of two lists in descending order, by their numbers."""

    first: list[int]
    second: list[int]
    weight: float


@cached("missing", "whole", "ties")
def two_lists(rows: pd.DataFrame, p: Any) -> list[TwoLists]:
    """For each group the list by score and the list by label, which may come from the judgments."""
    data = rows
    if p.judgments is not None:
        judged = p.judgments[["group", "item", "label"]]
        data = rows[rows["group"].isin(judged["group"])].merge(judged, on=["group", "item"], how="outer")
        if p.missing == "skip" or not p.whole:
            data = data[data["group"].isin(rows["group"])]
    upwards = p.ties != "best"

    def ranked(data: pd.DataFrame, name: str, other: str) -> dict[Any, list[int]]:
        """Descending; equal ones by the key, then with or against the order of the other list."""
        keys = {name: False, **({"tie_key": False} if p.ties == "key" else {}), "in_other": upwards, other: upwards}
        listed = data[data[name].notna()].assign(in_other=data[other].notna())
        listed = listed.sort_values([*keys], ascending=[*keys.values()], kind="stable")
        return {group: list(numbers) for group, numbers in listed.groupby("group").groups.items()}

    first = ranked(data, "score", "label")
    # Items that are equal in both lists have the order of the first list in both.
    order = [*itertools.chain(*first.values())]
    second = ranked(data.loc[[*order, *data.index.difference(order)]], "label", "score")
    weights = data.groupby("group")["group_weight"].first().fillna(1.0)
    return [TwoLists(first.get(group, []), second.get(group, []), weight) for group, weight in weights.items()]


per_pair_of_lists = functools.partial(group_oracle, two_lists)


def overlap_at(first: Sequence[int], second: Sequence[int], depth: int) -> int:
    return len(set(first[:depth]) & set(second[:depth]))


@per_pair_of_lists("rbo", tool="numpy")
def rbo(lists: TwoLists, p: Any) -> Any:
    """Equations 4, 11 and 32 of Webber et al.; `test_worked_numbers` has the numbers of the paper."""
    first, second = lists.first[: p.k], lists.second[: p.k]
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
    at_s, later = overlap[s - 1], depths[s:]
    inside = (overlap / depths * powers).sum() + (at_s * (later - s) / (s * later) * powers[s:]).sum()
    return float(ratio * inside + ((overlap[-1] - at_s) / l + at_s / s) * p.p**l)


@per_pair_of_lists("overlap_at_k", tool="scikit-learn", divisor=["union"])
def overlap_of_union(lists: TwoLists, p: Any) -> Any:
    numbers = sorted({*lists.first, *lists.second})
    return float(jaccard_score(*[[n in side[: p.k] for n in numbers] for side in (lists.first, lists.second)]))


per_pair_of_lists("overlap_at_k", tool="by hand", divisor=["longer"])(
    lambda lists, p: overlap_at(lists.first, lists.second, p.k) / min(p.k, max(len(lists.first), len(lists.second)))
)
