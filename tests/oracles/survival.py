"""Survival, pair by pair; `test_worked_numbers` has the numbers of scikit-survival."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from .registry import weighted_oracle


@weighted_oracle("concordance_index", tool="numpy, pair by pair")
def concordance_index(rows: pd.DataFrame, p: Any) -> Any:
    """`concordance_index_censored` of scikit-survival, and `concordance_index` of lifelines with the opposite sign."""
    weight = (rows["weight"] / rows["weight"].max()).to_numpy(dtype=float)
    event, score, duration = (rows[name].to_numpy(dtype=float) for name in ("label", "score", "duration"))
    longer = np.less.outer(duration, duration) | (np.equal.outer(duration, duration) & (event == 0))
    pairs = np.outer(weight * event, weight) * longer
    concordant = np.greater.outer(score, score) + 0.5 * np.equal.outer(score, score)
    total = math.fsum(pairs.ravel())
    return math.fsum((pairs * concordant).ravel()) / total if total else None
