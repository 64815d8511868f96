"""The plan of a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..catalogue.model import Metric

#: The arguments that choose how intervals are computed.
INTERVALS = ("method", "replicates", "seed")
#: The two slices that a row of `gaps` compares.
ENDS_OF_A_GAP = ("highest", "lowest")


@dataclass(frozen=True)
class Requested:
    """A metric of a call, with all parameters and the names of its result columns."""

    metric: Metric
    name: str
    parameters: Mapping[str, Any]
    columns: Mapping[str, str]


@dataclass
class Plan:
    """The plan of a call: `template` is the input of `query.sql`, the other fields are for the runner.

    `left_out` collects the roles with missing values and their numbers of rows.
    """

    requested: list[Requested]
    template: dict[str, Any]
    slices: list[str]
    left_out: list[str] = field(default_factory=list)

    @property
    def roles(self) -> dict[str, dict[str, str]]:
        """The roles of the call, each as {'column': …} or {'sql': …}."""
        roles: dict[str, dict[str, str]] = self.template["roles"]
        return roles

    @property
    def problems(self) -> list[dict[str, Any]]:
        """The rules for values."""
        problems: list[dict[str, Any]] = self.template["problems"]
        return problems


def has_own_sql(plan: Plan) -> bool:
    """Whether the statement contains SQL of the user, not only generated SQL, quoted names and literals."""

    def expressions(value: Any) -> bool:
        if isinstance(value, Mapping):
            # With "column", "sql" is a generated expression that treats NaN as missing.
            is_user_sql = "sql" in value and "column" not in value
            return is_user_sql or any(map(expressions, value.values()))
        return isinstance(value, list) and any(map(expressions, value))

    template = plan.template
    inputs = [template["input"], template["where"], *(relation["input"] for relation in template["relations"].values())]
    inputs += [template["against"]["input"], template["against"]["where"]] if template["against"] else []
    return any(map(bool, inputs)) or expressions(
        [template["by"], template["models"], template["columns"], template["relations"]]
    )
