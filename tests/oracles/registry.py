"""The register of oracles.

    @oracle("auc", tool="scikit-learn")
    def auc(rows, p): ...

`rows` is a pandas DataFrame of the valid rows with the roles as columns (`label`, `score`, `group`, …). It also has
`weight` and `group_weight` (1 by default) and `rows`, the number of input rows that a row counts for. Pre-aggregated
input comes as a positive and a negative row with their weights.

`p` has every parameter of the metric as an attribute, defaults included, and the further relations (`p.judgments`,
`p.catalog`, …).

An oracle returns a number, None for undefined, a dict for a metric of several columns, or a DataFrame of the columns
that the tool computes for a table. It returns SKIP where the tool does not support these rows. A number may also be
`Within(low, high)`.

`@oracle(…, ties=["worst", "best"])` limits an oracle to values of a parameter. Every metric needs an oracle for each
value of each parameter, and may have several.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pandas as pd
import sklearn

Function = Callable[[pd.DataFrame, Any], Any]
Values = Sequence[Any]

#: The result of an oracle where its tool does not support the rows.
SKIP = object()


@dataclass(frozen=True)
class Within:
    """Inclusive bounds of a metric, for an oracle that does not compute the value itself."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Oracle:
    """An independent computation of a metric, for the values of parameters in `only`."""

    metric: str
    tool: str
    function: Function
    only: Mapping[str, Values]

    def __str__(self) -> str:
        return f"{self.metric} by {self.tool} ({self.function.__name__})"

    def takes(self, parameters: Mapping[str, Any]) -> bool:
        """Whether the oracle supports these parameters."""
        return all(parameters[name] in values for name, values in self.only.items())


ORACLES: dict[str, list[Oracle]] = {}


def oracle(metric: str, *, tool: str, **only: Values) -> Callable[[Function], Function]:
    """Register a function as an oracle of a metric."""

    def register(function: Function) -> Function:
        ORACLES.setdefault(metric, []).append(Oracle(metric, tool, function, only))
        return function

    return register


def positive_weights(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of positive weight: for rows of weight 0 a tool may add a class or a threshold."""
    return rows[rows["weight"] > 0]


def weighted_oracle(metric: str, *, tool: str, **only: Values) -> Callable[[Function], Function]:
    """Like `oracle`, for a function that reads rows of positive weight only; the metric is undefined without any."""

    def register(function: Function) -> Function:
        @functools.wraps(function)
        def value(rows: pd.DataFrame, p: Any) -> Any:
            used = positive_weights(rows)
            return None if used.empty else function(used, p)

        oracle(metric, tool=tool, **only)(value)
        return function

    return register


def cached(*parameters: str) -> Callable[[Function], Function]:
    """Let a function return its earlier result for the same rows and the same values of these parameters."""

    def decorate(function: Function) -> Function:
        cache: dict[Any, Any] = {}

        @functools.wraps(function)
        def value(rows: pd.DataFrame, p: Any) -> Any:
            if cache.get("rows") is not rows:
                cache.clear()
                cache["rows"] = rows
            key = tuple(getattr(p, name, None) for name in parameters)
            if key not in cache:
                cache[key] = function(rows, p)
            return cache[key]

        return value

    return decorate


def mean_over_groups(groups: Sequence[Any], values: Sequence[float | None], empty: str = "skip") -> float | None:
    """The weighted mean over groups; `empty` is the parameter that replaces undefined values."""
    default = {"skip": None, "zero": 0.0, "one": 1.0}[empty]
    pairs = [(group.weight, default if v is None else v) for group, v in zip(groups, values, strict=True)]
    counted = [(weight, value) for weight, value in pairs if value is not None]
    total = sum(weight for weight, _ in counted)
    return sum(weight * value for weight, value in counted) / total if total else None


def group_oracle(
    read: Callable[[pd.DataFrame, Any], Sequence[Any]], metric: str, *, tool: str, **only: Values
) -> Callable[[Any], Any]:
    """Register a function of one group; the oracle is the weighted mean over the groups that `read` returns."""

    def register(function: Callable[[Any, Any], Any]) -> Any:
        @functools.wraps(function)
        def mean(rows: pd.DataFrame, p: Any) -> Any:
            groups = read(rows, p)
            values = [function(group, p) for group in groups]
            return SKIP if SKIP in values else mean_over_groups(groups, values, getattr(p, "empty", "skip"))

        oracle(metric, tool=tool, **only)(mean)
        return function

    return register


def list_position(row: Any) -> tuple[Any, ...]:
    """Sort key of an item of a list: score, then tie_key with missing ones last, then item, all descending."""
    missing = math.isnan(row.tie_key)
    return row.score, not missing, 0 if missing else row.tie_key, row.item


def expected_value(oracle: Oracle, rows: pd.DataFrame, parameters: Mapping[str, Any]) -> Any:
    """The value that an oracle computes."""
    # scikit-learn takes longer to validate its arguments than to compute.
    with sklearn.config_context(skip_parameter_validation=True):
        return oracle.function(rows, SimpleNamespace(**parameters))
