"""The register of oracles.

    @oracle("auc", tool="scikit-learn")
    def auc(rows, p): ...

`rows` is a pandas DataFrame of the rows that count, with the roles as columns (`label`, `score`, `group`, …), `weight`
(1 where none is given), `group_weight` (the same) and `rows`, the number of input rows that a row stands for;
pre-aggregated input comes as one positive and one negative row with their weights. `p` has every parameter of the
metric, defaults filled in, as attributes, and the further relations (`p.judgments`, `p.catalog`, …). The answer is a
number, None for undefined, a dict for a metric of several columns, a DataFrame for a table (of the columns that the
tool can tell), or SKIP where the tool has no answer for these very rows. A number may also be `Within(low, high)`.

`@oracle(…, ties=["worst", "best"])` keeps an oracle to some values of a parameter, `@oracle(…, bins=given)` to those of
which a function says yes. Every metric needs an oracle for each value of each of its parameters; it may have several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pandas as pd
import sklearn

Function = Callable[[pd.DataFrame, Any], Any]
Values = Sequence[Any] | Callable[[Any], bool]

#: The answer of an oracle whose tool cannot take these rows.
SKIP = object()


@dataclass(frozen=True)
class Within:
    """The answer of an oracle that knows between which two values the metric must lie, both included."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Oracle:
    """Someone else's way to a metric, for the parameters in `only`."""

    metric: str
    tool: str
    function: Function
    only: Mapping[str, Values]

    def __str__(self) -> str:
        return f"{self.metric} by {self.tool} ({self.function.__name__})"

    def takes(self, parameters: Mapping[str, Any]) -> bool:
        """Whether it can tell the metric with these parameters."""
        return all(
            values(parameters[name]) if callable(values) else parameters[name] in values
            for name, values in self.only.items()
        )


ORACLES: dict[str, list[Oracle]] = {}


def oracle(metric: str, *, tool: str, **only: Values) -> Callable[[Function], Function]:
    """Register a function as an oracle of a metric."""

    def register(function: Function) -> Function:
        ORACLES.setdefault(metric, []).append(Oracle(metric, tool, function, only))
        return function

    return register


def given(value: Any) -> bool:
    """Whether a parameter that is None by default was given."""
    return value is not None


def not_given(value: Any) -> bool:
    """The opposite."""
    return value is None


def expected_value(one: Oracle, rows: pd.DataFrame, parameters: Mapping[str, Any]) -> Any:
    """What the oracle says."""
    # scikit-learn looks at its arguments for longer than it computes.
    with sklearn.config_context(skip_parameter_validation=True):
        return one.function(rows, SimpleNamespace(**parameters))
