"""Which columns of a result people see; `--wide`, csv, json and Python have all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..tables import Table


@dataclass(frozen=True)
class _View:
    """What is special about the results that have all of `marks` among their columns."""

    marks: frozenset[str]
    left_out: frozenset[str] = frozenset()
    keys_left_out: frozenset[str] = frozenset()
    #: Columns merged with one before them, as in `baseline → value`.
    pairs: Mapping[str, str] = field(default_factory=dict)
    headings: Mapping[str, str] = field(default_factory=dict)


_DETAILS = frozenset({"n", "clusters", "shared_clusters", "standard_error"})
_VIEWS = (
    _View(
        frozenset({"baseline_value", "verdict"}),
        _DETAILS | {"p_value", "detectable_difference"},
        frozenset({"baseline"}),
        {"value": "baseline_value"},
        {"value": "baseline → value", "difference": "Δ", "p_adjusted": "p"},
    ),
    _View(frozenset({"highest", "lowest", "difference_low", "slices"}), _DETAILS | {"slices", "ratio"}),
    _View(frozenset({"highest", "lowest", "ratio", "slices"}), _DETAILS | {"slices"}),
    _View(
        frozenset({"n_reference", "jensen_shannon"}),
        pairs={"n": "n_reference", "missing": "missing_reference"},
        headings={"n": "n_reference → n"},
    ),
)
_ANY = _View(frozenset())


def view_of(table: Table) -> list[tuple[str, list[int]]]:
    """The columns that people see: a heading, and the positions of one column, of a pair, or of a value and its ends.

    >>> view_of(Table(["device", "n", "auc", "auc_low", "auc_high"], [], ["device"]))
    [('device', [0]), ('n', [1]), ('auc [low, high]', [2, 3, 4])]
    """
    names = [str(name) for name in table.columns]
    positions = {name: index for index, name in enumerate(names) if name not in table.exact}
    view = next((view for view in _VIEWS if view.marks <= positions.keys()), _ANY)
    merged = {*view.left_out, *view.pairs.values()}
    shown = []
    for index, name in enumerate(names):
        first, heading = view.pairs.get(name), view.headings.get(name, name)
        ends = [positions.get(f"{name}_{end}") for end in ("low", "high")]
        sources = [index] if first is None else [positions[first], index]
        if name in positions and None not in ends:
            merged |= {f"{name}_low", f"{name}_high", f"{name}_clusters"}
            heading, sources = f"{heading} [low, high]", [index, *(end for end in ends if end is not None)]
        shown.append((heading, sources))
    return [
        (heading, sources)
        for name, (heading, sources) in zip(names, shown, strict=True)
        if name not in (merged if name in positions else view.keys_left_out)
    ]
