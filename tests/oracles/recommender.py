"""Metrics of recommender lists by plain loops."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist
from scipy.stats import entropy
from sklearn.metrics.pairwise import cosine_similarity

from .registry import oracle


def lists_of(rows: pd.DataFrame, p: Any) -> list[list[Any]]:
    """The first k items of every group: by score, then tie_key (missing ones last), then item, all descending."""

    def place(row: Any) -> tuple[Any, ...]:
        missing = math.isnan(row.tie_key)
        return (row.score, not missing, 0 if missing else row.tie_key, row.item)

    groups: dict[Any, list[Any]] = {}
    for row in rows.itertuples(index=False):
        groups.setdefault(row.group, []).append(row)
    return [[row.item for row in sorted(members, key=place, reverse=True)][: p.k] for members in groups.values()]


@oracle("coverage", tool="by hand")
def coverage(rows: pd.DataFrame, p: Any) -> Any:
    catalog = set(p.catalog["item"].dropna())
    listed = set(itertools.chain(*lists_of(rows, p)))
    return len(listed & catalog) / len(catalog) if catalog and len(rows) else None


@oracle("diversity", tool="by hand")
def diversity(rows: pd.DataFrame, p: Any) -> Any:
    known = {frozenset((a, b)): value for a, b, value in p.similarity.itertuples(index=False)}
    values = []
    for items in lists_of(rows, p):
        pairs = [known.get(frozenset(pair), 0.0) for pair in itertools.combinations(items, 2)]
        if pairs:
            values.append(1 - math.fsum(pairs) / len(pairs))
    return math.fsum(values) / len(values) if values else None


@oracle("novelty", tool="by hand")
def novelty(rows: pd.DataFrame, p: Any) -> Any:
    seen = {item: count for item, count in p.popularity.itertuples(index=False) if count > 0}
    listed = [item for items in lists_of(rows, p) for item in items if item in seen]
    total = math.fsum(seen.values())
    return math.fsum(-math.log2(seen[item] / total) for item in listed) / len(listed) if listed else None


@oracle("gini_exposure", tool="by hand")
def gini_exposure(rows: pd.DataFrame, p: Any) -> Any:
    listed = list(itertools.chain(*lists_of(rows, p)))
    counts = sorted(listed.count(item) for item in set(p.catalog["item"].dropna()))
    n = len(counts)
    if not sum(counts):
        return None
    return sum((2 * i - n - 1) * count for i, count in enumerate(counts, start=1)) / (n * sum(counts))


@oracle("average_popularity", tool="by hand")
def average_popularity(rows: pd.DataFrame, p: Any) -> Any:
    seen = {item: count for item, count in p.popularity.itertuples(index=False) if count > 0}
    means = [math.fsum(seen.get(item, 0) for item in items) / len(items) for items in lists_of(rows, p)]
    return math.fsum(means) / len(means) if means else None


def histories_of(p: Any) -> dict[Any, list[Any]]:
    """What each group had before."""
    found: dict[Any, list[Any]] = {}
    for group, item in p.history.itertuples(index=False):
        found.setdefault(group, []).append(item)
    return found


@oracle("popularity_lift", tool="numpy")
def popularity_lift(rows: pd.DataFrame, p: Any) -> Any:
    seen = {item: count for item, count in p.popularity.itertuples(index=False) if count > 0}
    before = histories_of(p)
    groups = [(rows[rows["group"] == group], before[group]) for group in rows["group"].unique() if group in before]
    listed = [np.mean([seen.get(item, 0) for item in lists_of(own, p)[0]]) for own, _ in groups]
    held = [np.mean([seen.get(item, 0) for item in items]) for _, items in groups]
    if p.average == "macro":
        lifts = [(here - there) / there for here, there in zip(listed, held, strict=True) if there > 0]
        return float(np.mean(lifts)) if lifts else None
    return float((np.mean(listed) - np.mean(held)) / np.mean(held)) if any(held) else None


@oracle("category_miscalibration", tool="scipy")
def category_miscalibration(rows: pd.DataFrame, p: Any) -> Any:
    categories: dict[Any, list[str]] = {}
    for item, category in p.item_categories.itertuples(index=False):
        categories.setdefault(item, []).append(category)
    names = sorted(set(itertools.chain(*categories.values())))

    def shares(items: list[Any]) -> Any:
        counts = np.zeros(len(names))
        for item in items:
            for category in categories.get(item, []):
                counts[names.index(category)] += 1 / len(categories[item])
        return counts / counts.sum() if counts.any() else None

    before = histories_of(p)
    values = []
    for group in rows["group"].unique():
        listed = shares(lists_of(rows[rows["group"] == group], p)[0])
        held = shares(before.get(group, []))
        if listed is not None and held is not None:
            values.append(entropy(held, (1 - p.alpha) * listed + p.alpha * held))
    return float(np.mean(values)) if values else None


@oracle("intra_list_distance", tool="scipy")
def intra_list_distance(rows: pd.DataFrame, p: Any) -> Any:
    table = p.embeddings.pivot_table(index="item", columns="dimension", values="value", fill_value=0)
    values = []
    for items in lists_of(rows, p):
        vectors = table.loc[[item for item in items if item in table.index]].to_numpy(dtype=float)
        if len(vectors) > 1:
            values.append(pdist(vectors, "cosine").mean())
    return float(np.mean(values)) if values else None


@oracle("serendipity", tool="by hand")
def serendipity(rows: pd.DataFrame, p: Any) -> Any:
    expected = set(p.expected_items["item"])
    relevant = set(rows.loc[rows["label"] >= p.relevant_at, ["group", "item"]].itertuples(index=False, name=None))
    shares, weights = [], []
    for group, own in rows.groupby("group"):
        listed = lists_of(own, p)[0]
        shares.append(sum((group, item) in relevant and item not in expected for item in listed) / len(listed))
        weights.append(own["group_weight"].iloc[0])
    return float(np.average(shares, weights=weights)) if any(weights) else None


@oracle("exposure_entropy", tool="scipy")
def exposure_entropy(rows: pd.DataFrame, p: Any) -> Any:
    listed = list(itertools.chain(*lists_of(rows, p)))
    return float(entropy([listed.count(item) for item in set(listed)])) if listed else None


@oracle("personalization", tool="scikit-learn")
def personalization(rows: pd.DataFrame, p: Any) -> Any:
    """The mean over the upper triangle of the matrix of similarities."""
    lists = lists_of(rows, p)
    if len(lists) < 2:
        return None
    items = sorted(set(itertools.chain(*lists)))
    alike = cosine_similarity([[float(item in members) for item in items] for members in map(set, lists)])
    return float(1 - alike[np.triu_indices(len(lists), 1)].mean())


@oracle("tail_percentage", tool="numpy by RecBole's formula")
def tail_percentage(rows: pd.DataFrame, p: Any) -> Any:
    """Its `tail_ratio` is the share up to 1, and a count above. Equal counts are taken in all orders."""
    seen = {item: count for item, count in p.popularity.itertuples(index=False) if count > 0}
    in_order = sorted(seen.values())
    cut = max(int(len(seen) * p.share), 1)
    tail = {}
    for item, count in seen.items():
        places = [place for place, other in enumerate(in_order) if other == count]
        tail[item] = float(count <= p.at_most) if p.at_most is not None else np.mean([place < cut for place in places])
    values = [np.mean([tail.get(item, 0.0) for item in items]) for items in lists_of(rows, p)]
    return float(np.mean(values)) if values else None
