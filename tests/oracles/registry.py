"""The register of oracles.

    @oracle("auc", tool="scikit-learn")
    def auc(rows, p): ...

`rows` is a pandas DataFrame of the rows that count, with the canonical columns `label`, `score`, `prediction`, `group`,
`tie_key`, `weight` (1 where none is given), `group_weight` (the same) and `rows`, the number of input rows that a row
stands for; pre-aggregated input comes as one positive and one negative row with their weights. `p` has every parameter
of the metric, defaults filled in, as attributes. The answer is a number, None for undefined, a dict for a metric of
several columns, a DataFrame for a table (of the columns that the tool can tell), or SKIP where the tool has no answer
for these very rows.

`@oracle(…, ties=["worst", "best"])` keeps an oracle to some values of a parameter. Every metric needs an oracle for
each value of each of its parameters; a metric may have several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pandas as pd

Function = Callable[[pd.DataFrame, Any], Any]

#: The answer of an oracle whose tool cannot take these rows.
SKIP = object()


@dataclass(frozen=True, eq=False)
class Oracle:
    """Someone else's way to a metric, for the parameters in `only`."""

    metric: str
    tool: str
    function: Function
    only: Mapping[str, Sequence[Any]]

    def __str__(self) -> str:
        return f"{self.metric} by {self.tool} ({self.function.__name__})"

    def takes(self, parameters: Mapping[str, Any]) -> bool:
        """Whether it can tell the metric with these parameters."""
        return all(parameters[name] in values for name, values in self.only.items())


ORACLES: dict[str, list[Oracle]] = {}


def oracle(metric: str, *, tool: str, **only: Sequence[Any]) -> Callable[[Function], Function]:
    """Register a function as an oracle of a metric."""

    def register(function: Function) -> Function:
        ORACLES.setdefault(metric, []).append(Oracle(metric, tool, function, only))
        return function

    return register


def expected_value(one: Oracle, rows: pd.DataFrame, parameters: Mapping[str, Any]) -> Any:
    """What the oracle says."""
    return one.function(rows.reset_index(drop=True), SimpleNamespace(**parameters))
