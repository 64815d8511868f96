"""A call as frozen values: what is computed of which columns, how certain, compared with what, and where it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    """How intervals are made, where there is a `confidence`."""

    confidence: Any = None
    cluster: Any = None
    standard_error: Any = False
    method: str | None = None
    replicates: Any = None
    seed: Any = None


@dataclass(frozen=True)
class ComparisonOptions:
    """How models are compared, or the data with those of the relation `against`.

    `own_intervals` adds the intervals of both values, `tests_in_python` permits the tests that SciPy computes.
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
class RenderOptions:
    """What a text may have, and a result has not."""

    shape: Any = None
    round: Any = None
    checks: Any = False


@dataclass(frozen=True)
class DriftOptions:
    """Which columns of which rows `drift` compares, and in how many bins."""

    columns: Any = None
    categories: Any = None
    current: str | None = None
    reference: str | None = None
    bins: Any = 10
    eps: Any = 0.0001


@dataclass(frozen=True)
class StateOptions:
    """How a state keeps scores, and in how many buckets of clusters."""

    bins: Any = None
    range: Any = None
    eps: Any = 2.220446049250313e-16
    buckets: Any = None


@dataclass(frozen=True)
class Request:
    """What a call computes; values are as the caller gave them, and the planner checks them."""

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

    @classmethod
    def of(cls, arguments: Mapping[str, Any], **decided: Any) -> Request:
        """The request in the arguments of a call; `decided` are the fields that the call itself decides."""
        own = {
            "metrics": arguments.get("metrics"),
            "roles": {name: arguments[name] for name in ROLES if arguments.get(name) is not None},
            "relations": {name: arguments[name] for name in RELATIONS if arguments.get(name) is not None},
            "intervals": options_of(IntervalOptions, arguments),
        }
        return options_of(cls, {**arguments, **own, **decided})

    @property
    def opened(self) -> dict[str, Any]:
        """The relations that are opened beside the data."""
        against = None if self.comparison is None else self.comparison.against
        return {**self.relations, **({} if against is None else {"against": against})}

    def check_min_rows(self) -> None:
        """Refuse what is no count of rows."""
        rows = self.min_rows
        if rows is not None and (isinstance(rows, bool) or not isinstance(rows, int) or rows < 0):
            raise BadParameter(f"min_rows must be a whole number >= 0, not {shown(rows)}")


@dataclass(frozen=True)
class InputRelation:
    """A relation that a statement reads: its SQL, what readers call it, and a query that it names."""

    relation: str
    text: str = ""
    query: str | None = None
    dialect: str = "duckdb"
    columns: Sequence[str] = ()


def options_of(kind: type[T], arguments: Mapping[str, Any]) -> T:
    """The options in the arguments of a call that are fields of a class."""
    return kind(**{one.name: arguments[one.name] for one in fields(kind) if one.name in arguments})  # type: ignore[arg-type]
