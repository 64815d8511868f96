"""The columns and rows of the sample data, by type of data."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sqlmetrics.catalogue.vocabulary import ROLES

#: The column of the sample data for each role. No column has the name of a role.
COLUMNS = {
    "label": "clicked", "score": "pctr", "prediction": "called", "group": "user_id", "item": "ad", "rank": "place",
    "tie_key": "doc", "weight": "w", "positives": "clicks", "total": "views", "group_weight": "importance",
    "field": "campaign", "p_price": "mass", "p_survive": "tail", "won": "taken", "reward": "earned",
    "propensity": "logged", "position": "shown_at", "target": "chosen", "q_action": "hoped", "q_policy": "hoped_of_all",
    "lower_bound": "low", "upper_bound": "high", "treatment": "treated", "duration": "lasted", "subtopic": "aspect",
}  # fmt: skip
assert list(COLUMNS.keys() ^ ROLES.keys()) == [], "each role has a column here, and values in _drawn"
#: The columns of the probabilities of classes, not in alphabetical order. One class has a quote, as in SQL strings.
CLASS_SCORES = {"dog": "p_dog", "cat": "p_cat", "it's": "p_other"}
#: The columns of predicted quantiles, by level.
QUANTILES = {0.1: "low", 0.5: "middle", 0.9: "high"}
#: The columns that parameters refer to, by type of data.
COLUMNS_OF_PARAMETERS = {"class scores": list(CLASS_SCORES.values()), "forecasts": list(QUANTILES.values())}
#: The types of data, with the roles that every call of the type passes.
DATA_TYPES = {
    "labels": ("label", "score"),
    "counted labels": ("label", "score"),
    "pre-aggregated": ("positives", "total", "score"),
    "predictions": ("label", "prediction"),
    "classes": ("label", "prediction"),
    "numbers": ("label", "score"),
    "amounts": ("label", "score"),
    "class scores": ("label",),
    "grades": ("label", "score", "group", "tie_key"),
    "signed grades": ("label", "score", "group", "tie_key"),
    "ranks": ("label", "rank", "group"),
    "judged": ("label", "score", "group", "item", "tie_key"),
    "judged ranks": ("label", "rank", "group", "item"),
    "lists": ("score", "group", "item", "tie_key"),
    "ranked lists": ("rank", "group", "item"),
    "bids": ("p_price", "p_survive", "won"),
    "logged actions": ("reward", "propensity", "target", "q_action", "q_policy"),
    "slates": ("group", "rank", "reward", "propensity", "target"),
    "counts": ("label", "score"),
    "positive numbers": ("label", "score"),
    "ratings": ("label", "group"),
    "rated classes": ("label", "group"),
    "forecasts": ("label", "lower_bound", "upper_bound"),
    "subtopics": ("label", "score", "group", "item", "subtopic", "tie_key"),
    "ranked subtopics": ("label", "rank", "group", "item", "subtopic"),
    "judged subtopics": ("label", "score", "group", "item", "subtopic", "tie_key"),
}
#: The types of data whose labels and scores meet a rule of a metric.
DATA_TYPES_BY_RULE = {
    "label > -1": ["amounts"], "label >= 0": ["counts", "positive numbers"], "label > 0": ["positive numbers"]
}  # fmt: skip
#: The types of data with judgments.
JUDGED = ("judged", "judged ranks", "judged subtopics")
#: The types of data with a row for each item and subtopic.
SUBTOPICS = ("subtopics", "ranked subtopics")
#: The types of data whose propensities come from a relation, by position.
PLACED = ("judged",)
PROPENSITIES = pd.DataFrame({"position": range(1, 7), "propensity": [1.0, 0.5, 0.25, 0.25, 0.125, 1 / 64]})
SLICES = ("device", "country")
#: The types of data whose label is a string.
STRING_LABELS = ("classes", "class scores", "rated classes")


def relations_of(rows: pd.DataFrame, data_type: str) -> dict[str, pd.DataFrame]:
    """The further relations of a type of data, from columns of the rows.

    Each row has a judgment of its item, in `grade`, and one of an item that was not returned: `missed`, of the group
    `ghost`, in `other_grade`. The relations of recommenders have the items of the rows and a few others.
    """
    if data_type in JUDGED:
        own, other = rows[[COLUMNS["group"], COLUMNS["item"]]], rows[["ghost", "missed"]]
        parts = [own.assign(grade=rows["grade"]), other.assign(grade=rows["other_grade"])]
        keys = ["group", "item"]
        if data_type == "judged subtopics":
            # Each item has two judgments, for two of three subtopics; other items have one.
            number, aspects = np.arange(len(rows)), np.array([f"aspect {aspect}" for aspect in range(4)], dtype=object)
            parts = [
                own.assign(subtopic=aspects[number % 3], grade=rows["grade"]),
                own.assign(subtopic=aspects[(number + 1) % 3], grade=rows["other_grade"]),
                other.assign(
                    missed=other["missed"] - number % 2, subtopic=aspects[number % 4], grade=rows["other_grade"]
                ),
            ]
            keys.append("subtopic")
        names = [COLUMNS[role] for role in (*keys, "label")]
        judged = pd.concat([part.set_axis(names, axis=1) for part in parts]).astype(object)
        judged = judged[~judged.duplicated(names[:-1]).to_numpy()].reset_index(drop=True)
        return {"judgments": judged} | ({"propensities": PROPENSITIES} if data_type in PLACED else {})
    if data_type not in ("lists", "ranked lists"):
        return {}
    group_column, item_column = COLUMNS["group"], COLUMNS["item"]
    items = sorted({int(item) for item in rows[item_column] if not is_missing(item)})
    groups = sorted({group for group in rows[group_column] if not is_missing(group)}, key=str)
    available_items = [item for item in items if item % 3 != 1] + [1000, 1001]
    pairs = [(a, b, (7 * a + 5 * b) % 9 / 8) for a in available_items for b in available_items if a < b and (a + b) % 4]
    tables: dict[str, tuple[list[str], list[Any]]] = {
        # Pairs in either direction, some in both, and pairs of an item with itself.
        "similarity": (["item_a", "item_b", "similarity"], [
            *((b, a, value) if (a + b) % 2 else (a, b, value) for a, b, value in pairs),
            *((b, a, value) for a, b, value in pairs[:3]),
            *((item, item, 1.0) for item in available_items[:3]),
        ]),
        "popularity": ([item_column, "count"], [(item, item % 5) for item in available_items]),
        # Every fourth group has no earlier items.
        "history": ([group_column, item_column], [
            (group, item) for index, group in enumerate(groups) for item in [*items, 1000, 1001, 1002]
            if index % 4 != 2 and (7 * index + item) % 5 == 1
        ]),
        "item_categories": ([item_column, "category"], [
            (item, f"genre {genre}") for item in available_items for genre in sorted({item % 3, item // 2 % 4})
        ]),
        "expected_items": ([item_column], [item for item in available_items if item % 4 < 2]),
        # A missing dimension of a vector is 0; some vectors lack all of the first ten.
        "embeddings": ([item_column, "dimension", "value"], [
            (item, number, (item * 7 + number * 5) % 11 - 5.0 if number else 1 + item % 3 / 4)
            for item in available_items for number in range(0 if item % 5 else 10, 20)
            if (item + number) % 7 or not number
        ]),
    }  # fmt: skip
    catalog = pd.DataFrame({item_column: [*available_items, *available_items[:1], None]}, dtype=object)
    return {"catalog": catalog} | {
        name: pd.DataFrame(rows, columns=columns) for name, (columns, rows) in tables.items()
    }


@functools.cache
def relations_of_sample(data_type: str) -> dict[str, pd.DataFrame]:
    return relations_of(sample(data_type), data_type)


def sample(data_type: str, rows: int = 60, seed: int = 7) -> pd.DataFrame:
    """Rows with many ties, unbalanced groups and slices, and a NULL slice; no other value is missing."""
    return _drawn(data_type, rows, seed).copy()


@functools.lru_cache(maxsize=256)
def _drawn(data_type: str, rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng([seed, rows, list(DATA_TYPES).index(data_type)])
    group = np.minimum(rng.geometric(0.25, rows), 7)
    data = pd.DataFrame({
        "device": rng.choice(["phone", "desktop", None], rows, p=[0.6, 0.25, 0.15]),  # type: ignore[list-item]
        "country": rng.choice(["de", "at"], rows),
        "clicked": rng.integers(0, 2, rows).astype(float),
        "pctr": rng.integers(0, 21, rows) / 20,
        "user_id": [f"user {number}" for number in group],
        "ad": rng.permutation(rows),
        "place": rng.integers(1, 9, rows).astype(float),
        "doc": rng.permutation(rows),
        "w": rng.choice([0.25, 1.0, 2.5, 4.0], rows),
        "importance": group / 2,
        "campaign": rng.choice(["a", "b", "c"], rows),
        "mass": rng.integers(0, 33, rows) / 32,
        "tail": rng.integers(0, 33, rows) / 32,
        "taken": rng.integers(0, 2, rows).astype(float),
    })  # fmt: skip
    if data_type == "pre-aggregated":
        data["views"] = rng.integers(0, 6, rows).astype(float)
        data["clicks"] = np.floor(data["views"] * rng.random(rows))
    elif data_type == "predictions":
        data["called"] = rng.integers(0, 2, rows).astype(float)
    elif data_type == "classes":
        data["clicked"] = rng.choice(["cat", "dog", "owl"], rows)
        data["called"] = rng.choice(["cat", "dog", "eel"], rows)
    elif data_type in ("ratings", "rated classes"):
        data["clicked"] = rng.choice([1.0, 2.0, 2.5, 4.0] if data_type == "ratings" else ["cat", "dog", "owl"], rows)
        data["user_id"] = [f"user {number}" for number in rng.integers(1, 1 + rows // 3, rows)]
    elif data_type == "class scores":
        data["clicked"] = rng.choice(list(CLASS_SCORES), rows)
        cuts = np.sort(rng.integers(0, 33, (rows, 2)), axis=1) / 32
        data["p_dog"], data["p_cat"], data["p_other"] = cuts[:, 0], cuts[:, 1] - cuts[:, 0], 1 - cuts[:, 1]
    elif data_type in ("logged actions", "slates"):
        data["earned"] = rng.choice([0.0, 0.0, 1.0, 2.5, -0.5], rows)
        data["logged"] = rng.choice([1 / 64, 0.125, 0.25, 0.5, 1.0], rows)
        data["chosen"] = rng.integers(0, 9, rows) / 8
        data["hoped"] = rng.integers(0, 9, rows) / 8
        data["hoped_of_all"] = rng.integers(0, 9, rows) / 8
    elif data_type in ("counts", "positive numbers"):
        data["clicked"] = rng.poisson(1.2, rows) + (data_type == "positive numbers") * rng.integers(1, 9, rows) / 8
        data["pctr"] = rng.integers(8, 40, rows) / 8
    elif data_type == "forecasts":
        data["clicked"] = rng.integers(0, 40, rows) / 8
        bounds = np.sort(rng.integers(0, 40, (rows, 3)), axis=1) / 8
        data["low"], data["middle"], data["high"] = bounds.T
    elif data_type in ("numbers", "amounts"):
        data["clicked"] = rng.integers(0, 40, rows) / 8
        data["pctr"] = rng.integers(0, 40, rows) / 8
    elif data_type in ("grades", "signed grades", "ranks", *JUDGED):
        data["clicked"] = rng.choice([0.0, 1.0, 2.0, 3.0], rows, p=[0.6, 0.2, 0.1, 0.1])
        if data_type == "signed grades":
            data["clicked"] -= rng.integers(0, 2, rows)
        if data_type in JUDGED:
            data["grade"] = [None if rng.random() < 0.3 else label for label in data["clicked"]]
            data["ghost"] = [f"user {number}" if number < 9 else None for number in rng.integers(1, 12, rows)]
            data["missed"] = np.arange(rows) + 100
            data["other_grade"] = rng.choice([0.0, 1.0, 2.0], rows)
        if data_type == "judged subtopics":
            data["aspect"] = "replaced by the judgments"
            data["grade"] = [None if grade is None else min(grade, 1.0) for grade in data["grade"]]
            data["other_grade"] = np.minimum(data["other_grade"], 1.0)
        data["shown_at"] = rng.integers(1, 7, rows).astype(float)
        data["logged"] = PROPENSITIES["propensity"].to_numpy()[data["shown_at"].astype(int) - 1]
    elif data_type in SUBTOPICS:
        data["clicked"] = rng.choice([0.0, 1.0], rows, p=[0.6, 0.4])
        # An item is judged for three subtopics, and has a single position in its list.
        data["aspect"] = [f"aspect {number % 3}" for number in range(rows)]
        data = single_position_of_items(data, np.arange(rows) // 3)
    data["treated"] = rng.integers(0, 2, rows).astype(float)
    data["lasted"] = rng.integers(1, 40, rows).astype(float)
    return data


def single_position_of_items(data: pd.DataFrame, item: Any) -> pd.DataFrame:
    """The rows with one group and one position for each item: those of its first row."""
    first = pd.Series(range(len(data))).groupby(item).transform("min").to_numpy().astype(int)
    placed = ["user_id", "ad", "pctr", "place", "doc", "importance"]
    return data.assign(**{name: data[name].to_numpy()[first] for name in placed if name in data})


def arrow(data: pd.DataFrame) -> pa.Table:
    """An Arrow table of the data, which distinguishes NULL and NaN: None is NULL."""
    columns = {}
    for name, column in data.items():
        if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
            columns[name] = pa.array(column.to_numpy(), from_pandas=False)
            continue
        values = column.to_numpy(dtype=object).tolist()  # faster than iterating over the strings of pandas
        if any(isinstance(value, str) for value in values):  # pandas may represent a missing string as NaN
            values = [value if isinstance(value, str) else None for value in values]
        columns[name] = pa.array(values, from_pandas=False)
    return pa.table(columns)


def is_missing(value: Any) -> bool:
    """Whether a value is NULL or NaN in any representation of a DataFrame."""
    return value is None or value is pd.NA or (isinstance(value, float | np.floating) and bool(np.isnan(value)))


def slices_of(data: pd.DataFrame, by: list[str]) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    """Every slice with its rows, where NULL is a value; () for all rows without slice columns."""
    if not by:
        yield (), data
        return
    keys = [tuple(None if is_missing(v) else v for v in row) for row in data[by].itertuples(index=False)]
    for key in dict.fromkeys(keys):
        yield key, data[[other == key for other in keys]]
