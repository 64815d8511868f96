"""Declarations of metric and frame files: parameters, metrics and frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .vocabulary import ROLES

_GROUPED_FRAMES = (
    "group_scores", "ranked_items", "subtopic_items", "list_overlaps", "item_pairs", "listed_items", "listed_pairs",
    "list_popularity", "list_categories", "listed_vectors", "surprising_items",
)  # fmt: skip
#: Frames that count single rows, which cannot have a weight.
UNWEIGHTED_FRAMES = ("rated_items",)
#: Frames in which items of equal scores are unordered, so that no role orders them.
_UNORDERED_FRAMES = ("item_pairs",)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a metric: its default, its valid values and their meaning."""

    name: str
    doc: str
    default: Any = None
    required: bool = False
    type: str = "choice"
    choices: Mapping[str, str] = field(default_factory=dict)
    minimum: float | None = None
    maximum: float | None = None
    presets: Mapping[str, Any] = field(default_factory=dict)
    used_by: Mapping[str, str] = field(default_factory=dict)

    @property
    def names_columns(self) -> bool:
        """Whether the value is a dict of columns."""
        return self.type in ("columns", "quantiles")

    def expected(self) -> str:
        """A description of the valid values."""
        choices = " or ".join(repr(choice) for choice in self.choices)
        if self.type == "choice":
            return choices
        if self.type == "columns":
            return "a dict of class and column, as in {'cat': 'p_cat', 'dog': 'p_dog'}"
        if self.type == "quantiles":
            return "a dict of levels between 0 and 1, each once, and columns, as in {0.1: 'p10', 0.9: 'p90'}"
        if self.type == "boolean":
            return "True or False"
        bounds = [f">= {self.minimum}"] if self.minimum is not None else []
        bounds += [f"<= {self.maximum}"] if self.maximum is not None else []
        number = "a whole number" if self.type == "integer" else "a number"
        return f"{number} {' and '.join(bounds)}".strip() + (f" or {choices}" if choices else "")


@dataclass(frozen=True, eq=False, kw_only=True)
class Metric:
    """What one metric file declares."""

    name: str
    family: str
    path: Path
    builtin: bool
    title: str
    formula: str
    frames: tuple[str, ...]
    label_type: str | None = None
    score: str | None = None
    columns: Sequence[str]
    table: bool = False
    order: Sequence[str] = ()
    uses: Sequence[str] = ()
    #: The bounds of the value; None without a bound, or with a parameter that `unbounded` names.
    lower: float | None = None
    upper: float | None = None
    unbounded: Mapping[str, Any] = field(default_factory=dict)
    #: "higher" or "lower"; None if neither is better, or if `ideal` is set.
    better: str | None = None
    #: The best value, if it is inside the range.
    ideal: float | None = None
    #: The meaning of points on the scale, and the unit.
    scale: str = ""
    undefined: str
    #: Why the metric has no interval; empty if it has one.
    no_interval: str = ""
    #: Why the metric takes no row weight, unlike others of its label type; empty if it takes one.
    no_weight: str = ""
    #: The sums and ratios behind the intervals of a table's columns; empty without intervals.
    bands: Mapping[str, Any]
    oracle: str
    source: str
    parameters: Mapping[str, Parameter]
    frame_parameters: Mapping[str, Any]
    example: Mapping[str, Any]
    notes: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    answers: Sequence[str] = ()
    extra_roles: Mapping[str, bool]
    relations: Sequence[str]
    needs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    companions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    group_columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    computed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    rules: Sequence[Mapping[str, Any]] = ()
    #: The macros of the file, without the metric's name: `value`, `per_group`, `query`, `table` …
    macros: frozenset[str]

    @property
    def range(self) -> str:
        """A description of the range."""
        match self.lower, self.upper:
            case None, None:
                ends = "" if self.table else "any"
            case None, upper:
                ends = f"at most {upper}"
            case lower, None:
                ends = f"{lower} and up"
            case lower, upper:
                ends = f"{lower} to {upper}"
        description = ", ".join(filter(None, [ends, self.scale, self.better and f"{self.better} is better"]))
        return "; ".join([description, *(f"any with {name}={value!r}" for name, value in self.unbounded.items())])

    @property
    def direction(self) -> str | None:
        """The direction of better values: "higher", "lower", "near 1" or "near 0"; None if the file declares none."""
        return self.better if self.ideal is None else f"near {self.ideal}"

    @property
    def grouped(self) -> bool:
        """Whether the metric ranks inside groups."""
        return self.frames[-1] in _GROUPED_FRAMES

    def roles(self) -> dict[str, bool]:
        """The roles, and whether each is required (alternatives are not required)."""
        roles: dict[str, bool] = dict(self.extra_roles)
        if self.label_type in ("binary", "binary or class"):
            roles |= {"label": False, "positives": False, "total": False, "weight": False}
        elif self.label_type in ("relevance", "ranking"):
            roles |= {"label": True, "group_weight": False}
            roles |= {"item": roles.get("item", False)} if "judgments" in self.relations else {}
        elif self.label_type is not None:
            roles |= {"label": True}
            roles |= {"weight": False} if self.frames[-1] not in UNWEIGHTED_FRAMES else {}
        if self.score == "class":
            roles["prediction"] = True
        elif self.score == "threshold":
            roles |= {"score": False, "prediction": False}
        elif self.score is not None:
            roles["score"] = not self.grouped or self.label_type == "binary"
        if self.grouped and self.label_type != "binary":
            roles |= {"rank": False} | ({"tie_key": False} if self.frames[-1] not in _UNORDERED_FRAMES else {})
        if self.grouped:
            roles["group"] = True
        if "propensities" in self.relations:
            roles |= {"propensity": False, "position": False}
        if self.no_weight:
            roles.pop("weight", None)
        return {role: roles[role] for role in ROLES if role in roles}


@dataclass(frozen=True)
class Frame:
    """Declaration of a frame file: the meaning of a row, how input rows are counted, the parameters.

    `step` is the name of the last step (None if the input rows are the frame). `group_values` is "columns" if that step
    has a column per metric for the value of a group. `diagnostics` are aggregates by name over the columns
    `diagnostics_read`. `perturbed` are the columns that a macro of the frame perturbs, `identifiers` identify its rows.
    """

    name: str
    rows: str
    columns: str
    step: str | None
    state: str | Mapping[str, Any] | None
    parameters: Mapping[str, Parameter]
    metric_parameters: Mapping[str, Parameter]
    counts: str = "sum(row_count)"
    totals: str = "sum(pos + neg)"
    diagnostics: Mapping[str, str] = field(default_factory=dict)
    diagnostics_read: Sequence[str] = ()
    group_values: str | None = None
    unit: str | None = None
    perturbed: Sequence[str] = ()
    identifiers: Sequence[str] = ()
    stateless: str | None = None
    relations: Sequence[str] = ()
    slices: str | None = None
