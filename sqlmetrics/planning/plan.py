"""A call as the planner has understood it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..catalogue.model import Metric

#: What says how intervals are made.
INTERVALS = ("method", "replicates", "seed")
#: Which two slices a row of `gaps` tells.
ENDS_OF_A_GAP = ("highest", "lowest")


@dataclass(frozen=True)
class Requested:
    """One metric of a call, with every parameter filled in and the names of its result columns."""

    metric: Metric
    name: str
    parameters: Mapping[str, Any]
    columns: Mapping[str, str]


@dataclass
class Plan:
    """A call, understood: `template` is what `query.sql` takes, the rest is for the runner.

    `left_out` collects in which roles values were found missing, and in how many rows.
    """

    requested: list[Requested]
    template: dict[str, Any]
    slices: list[str]
    left_out: list[str] = field(default_factory=list)

    @property
    def roles(self) -> dict[str, dict[str, str]]:
        """The roles given, each as {'column': …} or {'sql': …}."""
        roles: dict[str, dict[str, str]] = self.template["roles"]
        return roles

    @property
    def problems(self) -> list[dict[str, Any]]:
        """The rules for values."""
        problems: list[dict[str, Any]] = self.template["problems"]
        return problems


def has_own_sql(plan: Plan) -> bool:
    """Whether the statement holds SQL of the user's own; else it is our text, quoted names and literals."""

    def expressions(value: Any) -> bool:
        if isinstance(value, Mapping):
            # A column whose NaN counts as missing is read by an expression of ours.
            own = "sql" in value and "column" not in value
            return own or any(map(expressions, value.values()))
        return isinstance(value, list) and any(map(expressions, value))

    given = plan.template
    inputs = [given["input"], given["where"], *(one["input"] for one in given["relations"].values())]
    inputs += [given["against"]["input"], given["against"]["where"]] if given["against"] else []
    return any(map(bool, inputs)) or expressions([given["by"], given["models"], given["columns"], given["relations"]])
