"""Logs for reports: binary labels with special characters in names, classes, numbers, and lists of items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

#: The namespace of SVG elements.
SVG = "{http://www.w3.org/2000/svg}"
#: Text that breaks a page unless it is escaped.
HOSTILE = "<script>alert(\"x\")</script> & 'y'\n</table>"


def clicks() -> pd.DataFrame:
    """Binary labels and two scores, one of them with a name that must be escaped."""
    rng = np.random.default_rng(3)
    truth = rng.random(1200) ** 3
    devices = np.array([HOSTILE, "NULL", "slice 0"], dtype=object)
    return pd.DataFrame({
        "clicked": (rng.random(1200) < truth).astype(int),
        "old": np.clip(truth + rng.normal(0, 0.3, 1200), 0, 1).round(3),
        "new & <b>": np.clip(truth + rng.normal(0, 0.1, 1200), 0, 1).round(3),
        "query": np.arange(1200) // 6,
        "position": np.arange(1200) % 6 + 1,
        "user": np.arange(1200) // 24,
        "device": np.where(rng.random(1200) < 0.1, None, rng.choice(devices, 1200)),
        "day": pd.to_datetime("2026-03-02") + pd.to_timedelta(np.arange(1200) % 4, "D"),
    })  # fmt: skip


def classes(count: int = 6) -> pd.DataFrame:
    """Classes of different sizes, with about two thirds of the predictions correct."""
    rng = np.random.default_rng(5)
    names = np.array([f"class {number:02}" for number in range(count)])
    label = rng.choice(names, 1500, p=np.arange(count, 0, -1) / np.arange(count, 0, -1).sum())
    prediction = np.where(rng.random(1500) < 0.6, label, rng.choice(names, 1500))
    device = rng.choice(["mobile", "desktop", "tv"], 1500, p=[0.6, 0.3, 0.1])
    return pd.DataFrame({"label": label, "prediction": prediction, "device": device})


def prices() -> pd.DataFrame:
    """Numbers that a new model predicts better than an old one."""
    rng = np.random.default_rng(6)
    size = rng.gamma(2, 10, 1500)
    return pd.DataFrame({
        "price": size * rng.lognormal(0, 0.3, 1500),
        "old": size * 1.1 + rng.normal(0, 6, 1500),
        "new": size + rng.normal(0, 3, 1500),
        "region": rng.choice(["north", "south", "east", "west"], 1500),
        "seller": rng.integers(0, 200, 1500),
    })  # fmt: skip


def searches() -> pd.DataFrame:
    """Graded lists of twelve documents in the orders of two models."""
    rng = np.random.default_rng(7)
    popularity = 1 / np.arange(1, 101)
    docs = [rng.choice(100, 12, replace=False, p=popularity / popularity.sum()) for _ in range(120)]
    grade = rng.choice([0, 0, 0, 1, 2, 3], 1440)
    return pd.DataFrame({
        "query": np.repeat(np.arange(120), 12),
        "doc": np.concatenate(docs),
        "grade": grade,
        "bm25": grade * 0.4 + rng.normal(0, 1, 1440),
        "neural": grade * 0.7 + rng.normal(0, 1, 1440),
        "market": np.repeat(rng.choice(["de", "fr", "it"], 120), 12),
    })  # fmt: skip


#: The roles for reports on these logs.
CLASSES: dict[str, Any] = {"label": "label", "prediction": "prediction"}
PRICES: dict[str, Any] = {"label": "price", "score": ["old", "new"], "cluster": "seller"}
SEARCHES: dict[str, Any] = {"label": "grade", "score": ["bm25", "neural"], "group": "query", "item": "doc"}
