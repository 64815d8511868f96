"""The macros of states under plain Jinja, and what they reject."""

from __future__ import annotations

import hashlib
import math
from datetime import datetime
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics.catalogue.front_matter import sql_root
from sqlmetrics.catalogue.registry import Catalogue
from sqlmetrics.rendering.macros import _Macros

STARTED = datetime(2026, 3, 22, 6, 30)
DAYS = ["2026-03-01", "2026-03-02", "2026-03-03"]


class Ref(SimpleNamespace):
    """dbt's: a relation with a name."""

    def __str__(self) -> str:
        return "state"


class States(_Macros):
    """The macros of `sql/dbt` under plain Jinja, with the names that dbt provides."""

    def __init__(self, dialect: str = "duckdb") -> None:
        catalogue = Catalogue(sql_root())
        for path in (sql_root() / "dbt").glob("*.sql"):
            catalogue._add_macros(path)
        super().__init__(catalogue, dialect)
        self._environment.globals |= {
            "target": SimpleNamespace(type=dialect), "execute": True, "get_where_subquery": self.get_where_subquery,
            "get_columns_in_query": lambda _: [], "flags": SimpleNamespace(EMPTY=False),
            "graph": SimpleNamespace(nodes={}),
            "run_started_at": STARTED,
        }  # fmt: skip
        self.where: str | None = None  # the `where` of a generic test

    def get_where_subquery(self, relation: str) -> str:
        """dbt's: the rows that a generic test reads."""
        return relation if self.where is None else f"(select * from {relation} where {self.where}) dbt_subquery"

    def quote(self, name: str) -> str:
        """dbt's: a quoted name."""
        mark = "`" if self._dialect in ("spark", "databricks", "bigquery") else '"'
        return f"{mark}{name}{mark}"

    def get_columns_in_relation(self, relation: Any) -> list[Any]:
        """dbt's: the columns of a `ref`."""
        return [SimpleNamespace(name=name) for name in relation.columns]


def bucket(cluster: Any, buckets: int) -> int:
    name = "rows without a cluster" if cluster is None or pd.isna(cluster) else cluster
    return int(hashlib.md5(str(name).encode()).hexdigest()[:3], 16) * buckets // 4096


def ece(rows: pd.DataFrame, bins: int = 10) -> float:
    error = (rows["clicked"] - rows["pctr"]).groupby(np.minimum(np.floor(rows["pctr"] * bins + 1e-12), bins - 1)).sum()
    return float(error.abs().sum() / len(rows))


CLICKS = {"label": "y", "score": "p"}
BUCKETS = {**CLICKS, "cluster": "u"}
REJECTED: list[tuple[str, str, dict[str, Any]]] = [
    ("buckets requires cluster", "score_state", {**CLICKS, "buckets": 20}),
    ("cluster requires buckets", "score_state", BUCKETS),
    ("between 2 and 1000, not 1", "metric_state", {"metrics": ["mae"], **BUCKETS, "buckets": 1}),
    ("buckets must be a whole", "metric_state", {"metrics": ["mae"], **BUCKETS, "buckets": math.inf}),
    ("bins must be a whole number >= 1, not inf", "score_state", {**CLICKS, "bins": math.inf}),
    ("range must be the lowest and the highest", "score_state", {**CLICKS, "bins": 9, "range": [1, 0]}),
    ("previous_where requires", "score_state", {**CLICKS, "previous_where": "day = 1"}),
    ("standard_error must be true or", "state_metrics", {"confidence": 0.9, "standard_error": "no"}),
    ("ece needs binned=true", "state_metrics", {"metrics": ["ece"]}),
    ("has auc, log_loss, brier, copc, pcoc, not 'ks'", "state_metrics", {"metrics": ["ks"]}),
    ("by: the slice 'bucket'", "metric_state", {"metrics": ["mae"], **BUCKETS, "buckets": 9, "by": "bucket"}),
    ("by: the slice 'State_Key' has the name of", "metric_state", {"metrics": ["mae"], **CLICKS, "by": "State_Key"}),
    ("medae cannot be added up from parts: the median .* supports accuracy, .*, wmape", "metric_state",
     {"metrics": ["medae"], **CLICKS}),
    ("must be the same column as group", "metric_state", {"metrics": "gauc", **BUCKETS, "group": "s", "buckets": 9}),
    ("count different rows", "metric_state", {"metrics": ["mae", "gauc"], **CLICKS, "group": "s"}),
    ("none of the metrics has an", "metrics_of_state", {"metrics": ["confusion_matrix"], "confidence": 0.9}),
    ("is a state without buckets; build it with buckets=20", "state_metrics",
     {"relation": Ref(columns=["day", "score_key", "made_with"]), "confidence": 0.95}),
    ("by: the slice 'mae_low'", "metrics_of_state", {"metrics": ["mae"], "by": "mae_low", "confidence": 0.9}),
]  # fmt: skip


def test_macros_of_states_reject_invalid_arguments() -> None:
    macros = States()
    for message, macro, arguments in REJECTED:
        with pytest.raises(sqlmetrics.SqlMetricsError, match=message):
            getattr(macros, macro)(**{"relation": "log", **arguments})
