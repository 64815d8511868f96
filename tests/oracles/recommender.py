"""Metrics of recommender lists by scipy and scikit-learn, and by plain loops."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist
from scipy.stats import entropy
from sklearn.metrics.pairwise import cosine_similarity

from .registry import cached, list_position, oracle


@cached("k")
def lists_by_group(rows: pd.DataFrame, p: Any) -> dict[Any, list[Any]]:
    """The first k items of every group."""
    return {
        group: [row.item for row in sorted(members.itertuples(index=False), key=list_position, reverse=True)][: p.k]
        for group, members in rows.groupby("group")
    }


def all_items(rows: pd.DataFrame, p: Any) -> list[Any]:
    return list(itertools.chain(*lists_by_group(rows, p).values()))


def mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def popularity(p: Any) -> dict[Any, float]:
    return {item: count for item, count in p.popularity.itertuples(index=False) if count > 0}


def histories(p: Any) -> dict[Any, list[Any]]:
    """The earlier items of each group."""
    return {group: list(members["item"]) for group, members in p.history.groupby("group")}


@oracle("coverage", tool="by hand")
def coverage(rows: pd.DataFrame, p: Any) -> Any:
    catalog = set(p.catalog["item"].dropna())
    return len(set(all_items(rows, p)) & catalog) / len(catalog) if catalog and len(rows) else None


@oracle("diversity", tool="by hand")
def diversity(rows: pd.DataFrame, p: Any) -> Any:
    similarity = {frozenset((a, b)): value for a, b, value in p.similarity.itertuples(index=False)}
    pairs = [list(itertools.combinations(items, 2)) for items in lists_by_group(rows, p).values()]
    return mean([1 - mean([similarity.get(frozenset(pair), 0.0) for pair in own]) for own in pairs if own])


@oracle("novelty", tool="by hand")
def novelty(rows: pd.DataFrame, p: Any) -> Any:
    counts = popularity(p)
    total = math.fsum(counts.values())
    return mean([-math.log2(counts[item] / total) for item in all_items(rows, p) if item in counts])


@oracle("gini_exposure", tool="by hand")
def gini_exposure(rows: pd.DataFrame, p: Any) -> Any:
    listed = all_items(rows, p)
    counts = sorted(listed.count(item) for item in set(p.catalog["item"].dropna()))
    n = len(counts)
    if not sum(counts):
        return None
    return sum((2 * i - n - 1) * count for i, count in enumerate(counts, start=1)) / (n * sum(counts))


@oracle("average_popularity", tool="by hand")
def average_popularity(rows: pd.DataFrame, p: Any) -> Any:
    counts = popularity(p)
    return mean([mean([counts.get(item, 0) for item in items]) for items in lists_by_group(rows, p).values()])


@oracle("popularity_lift", tool="numpy")
def popularity_lift(rows: pd.DataFrame, p: Any) -> Any:
    counts, earlier = popularity(p), histories(p)
    pairs = [(items, earlier[group]) for group, items in lists_by_group(rows, p).items() if group in earlier]
    means = np.array([[np.mean([counts.get(i, 0) for i in side]) for side in pair] for pair in pairs]).reshape(-1, 2)
    means = means[means[:, 1] > 0] if p.average == "macro" else means
    if not means[:, 1].any():
        return None
    listed, history = means.T if p.average == "macro" else means.mean(axis=0)
    return float(np.mean((listed - history) / history))


@oracle("category_miscalibration", tool="scipy")
def category_miscalibration(rows: pd.DataFrame, p: Any) -> Any:
    categories = {item: list(own["category"]) for item, own in p.item_categories.groupby("item")}
    names = sorted(set(p.item_categories["category"]))

    def shares(items: list[Any]) -> Any:
        counts = np.zeros(len(names))
        for item in items:
            for category in categories.get(item, []):
                counts[names.index(category)] += 1 / len(categories[item])
        return counts / counts.sum() if counts.any() else None

    earlier = histories(p)
    pairs = [(shares(items), shares(earlier.get(group, []))) for group, items in lists_by_group(rows, p).items()]
    both = [(listed, history) for listed, history in pairs if listed is not None and history is not None]
    return mean([float(entropy(history, (1 - p.alpha) * listed + p.alpha * history)) for listed, history in both])


@oracle("intra_list_distance", tool="scipy")
def intra_list_distance(rows: pd.DataFrame, p: Any) -> Any:
    table = p.embeddings.pivot_table(index="item", columns="dimension", values="value", fill_value=0)
    vectors = [table.loc[[item for item in items if item in table.index]] for items in lists_by_group(rows, p).values()]
    return mean([pdist(own.to_numpy(dtype=float), "cosine").mean() for own in vectors if len(own) > 1])


@oracle("serendipity", tool="by hand")
def serendipity(rows: pd.DataFrame, p: Any) -> Any:
    expected = set(p.expected_items["item"])
    relevant = set(rows.loc[rows["label"] >= p.relevant_at, ["group", "item"]].itertuples(index=False, name=None))
    weights = rows.groupby("group")["group_weight"].first()
    lists = lists_by_group(rows, p)
    shares = [mean([(g, item) in relevant and item not in expected for item in items]) for g, items in lists.items()]
    return float(np.average(shares, weights=weights[list(lists)])) if weights.any() else None


oracle("exposure_entropy", tool="scipy")(
    lambda rows, p: float(entropy(pd.Series(all_items(rows, p)).value_counts())) if len(rows) else None
)


@oracle("personalization", tool="scikit-learn")
def personalization(rows: pd.DataFrame, p: Any) -> Any:
    """The mean over the upper triangle of the matrix of similarities."""
    lists = lists_by_group(rows, p).values()
    if len(lists) < 2:
        return None
    items = sorted(set(itertools.chain(*lists)))
    similarities = cosine_similarity([[float(item in members) for item in items] for members in map(set, lists)])
    return float(1 - similarities[np.triu_indices(len(lists), 1)].mean())


@oracle("tail_percentage", tool="numpy by RecBole's formula")
def tail_percentage(rows: pd.DataFrame, p: Any) -> Any:
    """A `tail_ratio` up to 1 is a share, above it a count. Equal counts are in all orders."""
    counts = popularity(p)
    cut = max(int(len(counts) * p.share), 1)
    places = pd.Series(np.arange(len(counts)) < cut, index=sorted(counts.values()), dtype=float)
    in_tail = places.groupby(level=0).mean()
    tail = {item: in_tail[n] if p.at_most is None else float(n <= p.at_most) for item, n in counts.items()}
    return mean([mean([tail.get(item, 0.0) for item in items]) for items in lists_by_group(rows, p).values()])
