"""A call as frozen values: metrics, columns, intervals, comparison and session."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

from .catalogue.vocabulary import RELATIONS, ROLES
from .errors import BadParameter, shown

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")


@dataclass(frozen=True)
class Session:
    """Where a call runs: on the caller's connection or engine, or on DuckDB within these limits."""

    con: duckdb.DuckDBPyConnection | None = None
    engine: Any = None
    threads: int | None = None
    memory_limit: str | None = None


@dataclass(frozen=True)
class IntervalOptions:
    """How intervals are computed, if `confidence` is set."""

    confidence: Any = None
    cluster: Any = None
    standard_error: Any = False
    method: str | None = None
    replicates: Any = None
    seed: Any = None


@dataclass(frozen=True)
class ComparisonOptions:
    """How models, or two relations, are compared.

    `own_intervals` adds the interval of each value; `tests_in_python` permits the tests that SciPy computes.
    """

    against: Any = None
    baseline: str | None = None
    relative: Any = False
    test: str = "t"
    adjust: str | None = "holm"
    power: Any = 0.8
    own_intervals: bool = False
    tests_in_python: bool = False


@dataclass(frozen=True)
class DriftOptions:
    """The columns and rows that `drift` compares, and the number of bins."""

    columns: Any = None
    categories: Any = None
    current: str | None = None
    reference: str | None = None
    bins: Any = 10
    eps: Any = 0.0001


@dataclass(frozen=True)
class StateOptions:
    """How a state stores scores, and its number of buckets of clusters."""

    bins: Any = None
    range: Any = None
    eps: Any = 2.220446049250313e-16
    buckets: Any = None


@dataclass(frozen=True)
class Request:
    """What a call computes, with the values of the caller; the planner validates them."""

    metrics: Any
    roles: Mapping[str, Any] = field(default_factory=dict)
    relations: Mapping[str, Any] = field(default_factory=dict)
    by: Any = None
    where: Any = None
    preset: Any = None
    intervals: IntervalOptions = IntervalOptions()
    comparison: ComparisonOptions | None = None
    gaps: bool = False
    min_rows: Any = None
    diagnostics: Any = False
    per_group: bool = False
    strict: bool = False
    #: How SQL is written.
    shape: Any = None
    round: Any = None
    checks: Any = False

    @classmethod
    def of(cls, arguments: Mapping[str, Any], **decided: Any) -> Request:
        """Build the request from the arguments of a call; `decided` are the fields that the function sets itself."""
        derived = {
            "metrics": arguments.get("metrics"),
            "roles": {name: arguments[name] for name in ROLES if arguments.get(name) is not None},
            "relations": {name: arguments[name] for name in RELATIONS if arguments.get(name) is not None},
            "intervals": options_of(IntervalOptions, arguments),
        }
        return options_of(cls, {**arguments, **derived, **decided})

    @property
    def opened(self) -> dict[str, Any]:
        """The relations to open in addition to the data."""
        against = None if self.comparison is None else self.comparison.against
        return {**self.relations, **({} if against is None else {"against": against})}

    def check_min_rows(self) -> None:
        """Raise BadParameter unless `min_rows` is a number of rows."""
        rows = self.min_rows
        if rows is not None and (isinstance(rows, bool) or not isinstance(rows, int) or rows < 0):
            raise BadParameter(f"min_rows must be a whole number >= 0, not {shown(rows)}")


@dataclass(frozen=True)
class InputRelation:
    """A relation that a statement reads: its SQL, its name for readers, and the query behind the name."""

    relation: str
    text: str = ""
    query: str | None = None
    dialect: str = "duckdb"
    columns: Collection[str] = ()

    @property
    def template(self) -> dict[str, Any]:
        """The relation as the planner reads it."""
        return {"relation": self.relation, "input": self.query}


def options_of(options_type: type[T], arguments: Mapping[str, Any]) -> T:
    """Build an options class from the arguments of a call that are its fields."""
    names = [option.name for option in fields(options_type)]  # type: ignore[arg-type]
    return options_type(**{name: arguments[name] for name in names if name in arguments})
