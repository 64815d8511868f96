"""Metrics of win prices by plain loops."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from .registry import oracle


@oracle("anlp", tool="by hand")
def anlp(rows: pd.DataFrame, p: Any) -> Any:
    """`mode` defines the valid rows: a lost bid of 'censored' and 'uncensored' needs no price."""
    losses = []
    for row in rows.itertuples(index=False):
        if p.mode == "observed" or row.won == 1:
            losses.append(-math.log(max(row.p_price, p.eps)))
        elif p.mode == "censored":
            losses.append(-math.log(max(row.p_survive, p.eps)))
    return math.fsum(losses) / len(losses) if losses else None
