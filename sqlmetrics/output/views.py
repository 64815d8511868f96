"""Which columns of a result people see; `--wide`, csv, json and Python have all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..catalogue.model import Metric
from ..tables import Table


@dataclass(frozen=True)
class Shown:
    """A column that people see: its heading, and the positions of the columns that its cells join."""

    heading: str
    sources: Sequence[int]
    #: The sources are a value and the slice that has it; others are one column, a pair, or a value and its ends.
    has_slice: bool = False


@dataclass(frozen=True)
class _View:
    """What is special about the results that have all of `marks` among their columns."""

    marks: frozenset[str]
    left_out: frozenset[str] = frozenset()
    #: Columns merged with one before them, as in `baseline → value`.
    pairs: Mapping[str, str] = field(default_factory=dict)
    headings: Mapping[str, str] = field(default_factory=dict)


_DETAILS = frozenset({"n", "clusters", "shared_clusters", "standard_error"})
_COMPARISON = _View(
    frozenset({"baseline_value", "verdict"}),
    _DETAILS | {"p_value", "detectable_difference"},
    {"value": "baseline_value"},
    {"value": "baseline → value", "difference": "Δ", "p_adjusted": "adj. p"},
)
_GAPS = _View(frozenset({"highest", "lowest", "ratio", "slices"}), _DETAILS | {"slices"}, {}, {"p_value": "adj. p"})
_GAPS_WITH_INTERVALS = replace(_GAPS, marks=_GAPS.marks | {"difference_low"}, left_out=_GAPS.left_out | {"ratio"})
_DRIFT = _View(
    frozenset({"n_reference", "jensen_shannon"}),
    pairs={"n": "n_reference", "missing": "missing_reference"},
    headings={"n": "n_reference → n"},
)
_VIEWS = (_COMPARISON, _GAPS_WITH_INTERVALS, _GAPS, _DRIFT)


def key_columns(names: Sequence[str], metric: Metric | None = None) -> list[str]:
    """The columns of a result that identify rows: grouping, slices, model, the group, the two slices of a gap.

    The columns of a table metric are those of `metric`.
    """
    if metric is not None and metric.table:
        values = {*metric.columns} - {"group"}
        return [name for name in names if name.removesuffix("_low").removesuffix("_high") not in values]
    marks = {"highest": _GAPS.marks, "value": _COMPARISON.marks}
    first = next((name for name in marks if marks[name] <= {*names}), "n")
    return [*names[: names.index(first)]]


def view_of(table: Table) -> list[Shown]:
    """The columns that people see.

    >>> [(shown.heading, shown.sources) for shown in view_of(Table(["auc", "auc_low", "auc_high", "n"], []))]
    [('auc [low, high]', [0, 1, 2]), ('n', [3])]
    """
    names = [str(name) for name in table.columns]
    positions = {name: index for index, name in enumerate(names) if name not in table.exact}
    view = next((view for view in _VIEWS if view.marks <= positions.keys()), _View(frozenset()))
    merged = {*view.left_out, *view.pairs.values()}
    shown = []
    for index, name in enumerate(names):
        first, heading = view.pairs.get(name), view.headings.get(name, name)
        heading = "Δ / baseline" if heading == "Δ" and table.attrs.get("relative") else heading
        ends = [positions.get(f"{name}_{end}") for end in ("low", "high")]
        sources = [index] if first is None else [positions[first], index]
        if name in positions and None not in ends:
            merged |= {f"{name}_low", f"{name}_high", f"{name}_clusters"}
            heading, sources = f"{heading} [low, high]", [index, *(end for end in ends if end is not None)]
        shown.append(Shown(heading, sources))
    keys: set[int] = set()
    if view is _COMPARISON:
        keys = _name_the_models(table, shown, positions["value"])
    elif view in (_GAPS, _GAPS_WITH_INTERVALS):
        keys = _put_slices_next_to_values(names, shown, positions)
    return [
        column
        for index, (name, column) in enumerate(zip(names, shown, strict=True))
        if index not in keys and not (name in merged and name in positions)
    ]


def _name_the_models(table: Table, shown: list[Shown], value: int) -> set[int]:
    """Put the baseline, and the other model if there is only one, into the heading; return their columns."""
    keys = {name: index for index, name in enumerate(table.columns[:value]) if name in ("model", "baseline")}
    models = {name: {row[index] for row in table.rows} for name, index in keys.items()}
    single = {name: str(*values) for name, values in models.items() if len(values) == 1}
    if "baseline" in single:
        shown[value] = replace(shown[value], heading=f"{single['baseline']} → {single.get('model', 'value')}")
    return {keys[name] for name in single if "baseline" in single} | {keys["baseline"]} if keys else set()


def _put_slices_next_to_values(names: Sequence[str], shown: list[Shown], positions: Mapping[str, int]) -> set[int]:
    """Put the two slices of a gap into the columns of their values; return the columns of the slices."""
    values = [positions["highest"], positions["lowest"]]
    first = names.index("metric", 0, values[0]) + 1
    half = (values[0] - first) // 2
    for begin, value in zip((first, first + half), values, strict=True):
        slices = range(begin, begin + half)
        by = ", ".join(names[index].partition("_")[2] for index in slices)
        shown[value] = Shown(f"{names[value]} ({by})", [value, *slices], has_slice=True)
    return {*range(first, values[0])}
