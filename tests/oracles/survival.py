"""Survival, pair by pair; `test_worked_numbers` has scikit-survival's own numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from .registry import oracle


@oracle("concordance_index", tool="numpy, pair by pair")
def concordance_index(rows: pd.DataFrame, p: Any) -> Any:
    """`concordance_index_censored` of scikit-survival, and `concordance_index` of lifelines, with the sign turned."""
    used = rows[rows["weight"] > 0]
    weight = (used["weight"] / used["weight"].max()).to_numpy(dtype=float)
    event, score, duration = (used[name].to_numpy(dtype=float) for name in ("label", "score", "duration"))
    longer = np.less.outer(duration, duration) | (np.equal.outer(duration, duration) & (event == 0))
    pairs = np.outer(weight * event, weight) * longer
    right = np.greater.outer(score, score) + 0.5 * np.equal.outer(score, score)
    whole = math.fsum(pairs.ravel())
    return math.fsum((pairs * right).ravel()) / whole if whole else None
