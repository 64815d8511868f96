"""What files declare: parameters, metrics and frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .vocabulary import ROLES

_GROUPED_FRAMES = (
    "group_scores", "ranked_items", "subtopic_items", "list_overlaps", "item_pairs", "listed_items", "listed_pairs",
    "list_popularity", "list_categories", "listed_vectors", "surprising_items",
)  # fmt: skip
#: What counts rows one by one, of which a weight would have no meaning.
UNWEIGHTED_FRAMES = ("rated_items",)
#: Where items of equal scores are in no order, so that nothing orders them.
_UNORDERED_FRAMES = ("item_pairs",)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a metric: its default, the values it takes and what it means."""

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
        """Whether it is a dict whose values are columns."""
        return self.type in ("columns", "quantiles")

    def expected(self) -> str:
        """The values it takes, in words."""
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
        words = "a whole number" if self.type == "integer" else "a number"
        return f"{words} {' and '.join(bounds)}".strip() + (f" or {choices}" if choices else "")


@dataclass(frozen=True, eq=False)
class Metric:
    """What one metric file declares."""

    name: str
    family: str
    path: Path
    title: str
    formula: str
    frames: tuple[str, ...]
    truth: str | None
    score: str | None
    columns: tuple[str, ...]
    table: bool
    order: tuple[str, ...]
    uses: tuple[str, ...]
    #: The ends of what it can be; None where there is none, or with a parameter that `unbounded` names.
    lower: float | None
    upper: float | None
    unbounded: Mapping[str, Any]
    #: "higher" or "lower"; None where neither is, or a value is the best.
    better: str | None
    #: The best value, where one in the middle is.
    ideal: float | None
    #: What points of its scale mean, and its unit.
    scale: str
    undefined: str
    #: Why it has no interval; empty where it has one.
    no_interval: str
    #: Why it takes no weight of rows, where others of its truth do; empty where it does.
    no_weight: str
    #: Of a table, the sums and ratios of which the intervals of its columns are made; empty where there are none.
    bands: Mapping[str, Any]
    oracle: str
    source: str
    parameters: Mapping[str, Parameter]
    frame_parameters: Mapping[str, Any]
    example: Mapping[str, Any]
    notes: str
    names: Mapping[str, str]
    answers: tuple[str, ...]
    extra_roles: Mapping[str, bool]
    relations: tuple[str, ...]
    needs: Mapping[str, tuple[str, ...]]
    companions: Mapping[str, tuple[str, ...]]
    group_columns: Mapping[str, tuple[str, ...]]
    computed: Mapping[str, Mapping[str, Any]]
    rules: tuple[Mapping[str, str], ...]
    query: bool
    has_value: bool
    has_group_value: bool
    has_influence: bool
    has_cut: bool
    has_held: bool
    builtin: bool

    @property
    def range(self) -> str:
        """Its range in words."""
        match self.lower, self.upper:
            case None, None:
                ends = "" if self.table else "any"
            case None, upper:
                ends = f"at most {upper}"
            case lower, None:
                ends = f"{lower} and up"
            case lower, upper:
                ends = f"{lower} to {upper}"
        words = ", ".join(filter(None, [ends, self.scale, self.better and f"{self.better} is better"]))
        return "; ".join([words, *(f"any with {name}={value!r}" for name, value in self.unbounded.items())])

    @property
    def direction(self) -> str | None:
        """Where its values should go: "higher", "lower", "near 1" or "near 0"; None where its file does not say."""
        return self.better if self.ideal is None else f"near {self.ideal}"

    @property
    def grouped(self) -> bool:
        """Whether ranks are made inside groups."""
        return self.frames[-1] in _GROUPED_FRAMES

    def roles(self) -> dict[str, bool]:
        """Its roles, and whether each has to be given (alternatives count as not required)."""
        roles: dict[str, bool] = dict(self.extra_roles)
        if self.truth in ("binary", "binary or class"):
            roles |= {"label": False, "positives": False, "total": False, "weight": False}
        elif self.truth in ("relevance", "ranking"):
            roles |= {"label": True, "group_weight": False}
            roles |= {"item": roles.get("item", False)} if "judgments" in self.relations else {}
        elif self.truth is not None:
            roles |= {"label": True}
            roles |= {"weight": False} if self.frames[-1] not in UNWEIGHTED_FRAMES else {}
        if self.score == "class":
            roles["prediction"] = True
        elif self.score == "threshold":
            roles |= {"score": False, "prediction": False}
        elif self.score is not None:
            roles["score"] = not self.grouped or self.truth == "binary"
        if self.grouped and self.truth != "binary":
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
    """What one frame file declares: what a row of it is, how rows of the log are counted in it, its parameters.

    `step` is the name of its last step (None where the rows of the log are the frame), `group_values` is "columns"
    where that step has a column per metric for its value of a group, `diagnostics` are aggregates over it by name, of
    the columns `diagnostics_read` where not all metrics of the frame read the same.
    `moved` are the columns that rows of the log move, where a macro of the frame says how, `held` those that stay.
    """

    name: str
    rows: str
    step: str | None
    counts: str
    totals: str
    diagnostics: Mapping[str, str]
    diagnostics_read: tuple[str, ...]
    group_values: str | None
    unit: str | None
    moved: tuple[str, ...]
    held: tuple[str, ...]
    state: str | Mapping[str, Any] | None
    stateless: str | None
    parameters: Mapping[str, Parameter]
    metric_parameters: Mapping[str, Parameter]
    needs: Mapping[str, tuple[str, ...]]
    relations: tuple[str, ...]
    slices: str | None = None
