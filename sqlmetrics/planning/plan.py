"""The plan of a call, and what binding to the columns of the data makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from ..catalogue.model import Metric
from ..sql_text import tables_of

#: The arguments that choose how intervals are computed.
INTERVALS = ("method", "replicates", "seed")
#: A column or an expression: {'column': …} or {'sql': …}, with the `parts` of a value that is computed or looked up.
Value = Mapping[str, Any]


@dataclass(frozen=True)
class Requested:
    """A metric of a call, with all parameters and the names of its result columns."""

    metric: Metric
    name: str
    parameters: Mapping[str, Any]
    columns: Mapping[str, str]


@dataclass(frozen=True)
class Relation:
    """A relation that a statement reads, the query behind its name, and the values that are read from it."""

    relation: str
    input: str | None = None
    columns: Mapping[str, Value] = field(default_factory=dict)
    by: Sequence[Value] = ()
    where: str | None = None
    #: Its further values for templates.
    template: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, planned: Mapping[str, Any]) -> Relation:
        """The relation as the planner writes it."""
        names = [entry.name for entry in fields(cls) if entry.name in planned]
        return cls(**{name: planned[name] for name in names}, template=planned)

    def context(self) -> dict[str, Any]:
        """The relation as templates read it."""
        values = {"relation": self.relation, "input": self.input, "columns": dict(self.columns)}
        return {**self.template, **values, "by": list(self.by), "where": self.where}

    def select(self, columns: str, where: str | None = None) -> str:
        """A query over the relation."""
        steps = f"with {self.relation} as ({self.input}\n)\n" if self.input else ""
        return f"{steps}select {columns} from {self.relation}" + (f" where {where}" if where else "")

    def tables(self, dialect: str) -> list[str]:
        """The tables without a schema that the relation reads."""
        return tables_of(self.input or f"select * from {self.relation}", dialect)


@dataclass(frozen=True)
class Plan:
    """The plan of a call, in the names of the caller."""

    requested: Sequence[Requested]
    #: The key columns of the result.
    slices: Sequence[str]
    data: Relation
    models: Sequence[Value]
    #: The further relations, such as judgments.
    relations: Mapping[str, Relation]
    against: Relation | None
    groupings: Sequence[Mapping[str, Any]]
    role_descriptions: Mapping[str, str]
    #: The rules for values.
    rules: Sequence[Mapping[str, Any]]
    #: The columns of the result, and the intervals of each metric.
    metrics: Sequence[Mapping[str, Any]]
    group_name: str
    is_table: bool
    #: Whether rows may be counted at each score.
    is_countable: bool
    diagnostics: bool
    comparison: Mapping[str, Any] | None
    interval_options: Mapping[str, Any] | None
    #: The planner's result, mostly for the templates.
    template: Mapping[str, Any]

    @classmethod
    def of(cls, template: Mapping[str, Any], requested: Sequence[Requested], slices: Sequence[str]) -> Plan:
        """The plan as the planner writes it; the plans of `drift` and `state` lack some keys."""
        against = template["against"]
        return cls(
            requested,
            slices,
            Relation(*(template[name] for name in ("relation", "input", "columns", "by", "where"))),
            template["models"],
            {name: Relation.of(relation) for name, relation in template["relations"].items()},
            None if against is None else Relation.of(against),
            template["groupings"],
            template["role_words"],
            template["problems"],
            template["metrics"],
            template["group_name"],
            template.get("table", False),
            template.get("countable", False),
            template.get("diagnostics", False),
            template["comparison"],
            template.get("interval_options"),
            template,
        )

    @property
    def inputs(self) -> dict[str, Relation]:
        """The relations that the statement reads, by their roles."""
        return {"data": self.data, **self.relations, **({"against": self.against} if self.against else {})}

    def context(self) -> dict[str, Any]:
        """The plan as templates read it: the input of `query.sql` and of its like."""
        return {
            **self.template,
            **self.data.context(),
            "models": list(self.models),
            "relations": {name: relation.context() for name, relation in self.relations.items()},
            "against": None if self.against is None else self.against.context(),
            "problems": list(self.rules),
            "comparison": self.comparison,
        }


@dataclass(frozen=True)
class BoundPlan(Plan):
    """A plan in the names of the engine, with the decisions of the runner."""

    #: Whether the statement stores the rows that it reads.
    materialize: bool = False
    shape: str | None = None
    hashed_groups: bool = False
    #: Whether one byte numbers all slices.
    few_slices: bool = False
    #: The canonical columns that hold integers, hence no NaN.
    whole_columns: Sequence[str] = ()

    @classmethod
    def from_plan(cls, plan: Plan, **changes: Any) -> BoundPlan:
        """The plan with other names and relations."""
        return cls(**{**{entry.name: getattr(plan, entry.name) for entry in fields(Plan)}, **changes})

    def context(self) -> dict[str, Any]:
        """The plan as templates read it, with the decisions of the runner."""
        return {
            **super().context(),
            "materialized": self.materialize,
            "shape": self.shape or self.template.get("shape"),
            "hashed_groups": self.hashed_groups,
            "few_slices": self.few_slices,
            "whole_columns": list(self.whole_columns),
        }


def has_own_sql(plan: Plan) -> bool:
    """Whether the statement contains SQL of the user, not only generated SQL, quoted names and literals."""
    relations = plan.inputs.values()
    values = mappings_in([plan.models, *((relation.columns, relation.by) for relation in relations)])
    # With "column", "sql" is a generated expression that treats NaN as missing.
    return any(relation.input or relation.where for relation in relations) or any(
        "sql" in value and "column" not in value for value in values
    )


def mappings_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings in a part of a plan, such as columns and expressions, at any depth."""
    if isinstance(value, Mapping):
        yield value
        value = list(value.values())
    if isinstance(value, list | tuple):
        for inner in value:
            yield from mappings_in(inner)


def expressions_in(value: Any) -> list[str]:
    """List the expressions in a part of a plan, as the user wrote them."""
    return [entry.get("written", entry["sql"]) for entry in mappings_in(value) if isinstance(entry.get("sql"), str)]
