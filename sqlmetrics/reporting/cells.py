"""Cells of the page from values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..planning.plan import Requested
from ..tables import table_of
from .labels import decimals_of, rounded


@dataclass(frozen=True)
class Chip:
    """A verdict as a shape, a word and a colour; `form` is the class for the style sheet."""

    symbol: str
    text: str
    form: str


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its text, the exact value of a rounded number, and a note."""

    text: str
    value: str | None = None
    number: bool = False
    note: str = ""
    best: bool = False
    code: bool = False
    #: The ends of its interval.
    ends: tuple[Cell, Cell] | None = None
    chip: Chip | None = None
    #: The difference from the baseline, below the value of a model.
    difference: Cell | None = None


def to_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a result as Python values by column."""
    return table_of(frame).records()


def _exact_text(value: float) -> str:
    """Return ten digits of a number: later digits depend on the order of the engine's threads."""
    return f"{value:.10g}"


def number_cell(value: float | None, digits: int = 4, note: str = "") -> Cell:
    """Return a number of a table: counts in full, others with `digits` digits."""
    if value is None:
        return Cell("undefined", number=True, note=note)
    value = float(value) + 0.0  # engines return either zero
    if value.is_integer() and abs(value) < 1e15:
        return Cell(rounded(value, 0), str(int(value)), True, note)
    if 1e-4 <= abs(value) < 1e15:
        text = rounded(value, max(digits - 1 - math.floor(math.log10(abs(value))), 0))
    else:
        text = f"{value:.{digits}g}".replace("-", "−").replace("inf", "∞")
    return Cell(text, _exact_text(value), True, note)


def probability_cell(value: float | None) -> Cell:
    """Return a p-value; values below 0.0001 are not distinguished."""
    if value is not None and value < 1e-4:
        return Cell("< 0.0001", _exact_text(value), True)
    return number_cell(value, digits=2)


def value_cell(row: Mapping[str, Any], name: str) -> Cell:
    """Return a value with its interval, rounded to the decimals that the interval supports, or four digits."""
    value, low, high = row[name], row.get(f"{name}_low"), row.get(f"{name}_high")
    if value is None:
        return Cell("undefined", number=True)
    if low is None or high is None:
        return _rounded_cell(value, decimals_of(abs(value) / 100))
    half = (high - low) / 2
    decimals = decimals_of(half if 0 < half < math.inf else abs(value) / 100)
    return replace(_rounded_cell(value, decimals), ends=(_rounded_cell(low, decimals), _rounded_cell(high, decimals)))


def _rounded_cell(value: float, decimals: int) -> Cell:
    return Cell(rounded(value, decimals), _exact_text(value), True)


def impact_cell(value: float | None, largest: float) -> Cell:
    """Return an impact with the decimals that show three digits of the largest impact."""
    if value is None or not largest > 0:
        return number_cell(value)
    return _signed(_rounded_cell(value, decimals_of(largest / 10)))


def difference_cell(row: Mapping[str, Any]) -> Cell:
    """Return a difference from the baseline with its sign and its interval."""
    cell = _signed(value_cell(row, "difference"))
    return cell if cell.ends is None else replace(cell, ends=(_signed(cell.ends[0]), _signed(cell.ends[1])))


def _signed(cell: Cell) -> Cell:
    is_zero = not any(digit in cell.text for digit in "123456789∞")
    is_positive = cell.value is not None and float(cell.value) > 0 and not is_zero
    return replace(cell, text=f"+{cell.text}" if is_positive else cell.text.lstrip("−") if is_zero else cell.text)


#: Chips of the verdicts of `compare`; the others are texts such as "differs, not closer to 1".
_CHIPS = {
    "better": Chip("▲", "better", "better"),
    "worse": Chip("▼", "worse", "worse"),
    "no difference seen": Chip("–", "undecided", "undecided"),
    None: Chip("–", "not tested", "untested"),
}


def chip_of(verdict: str | None) -> Chip:
    """Return a verdict of `compare` as a chip."""
    return _CHIPS.get(verdict) or Chip("◆", str(verdict), "different")


def text_in_full(cell: Cell) -> str:
    """Return a value and its interval as text."""
    return cell.text if cell.ends is None else f"{cell.text} [{cell.ends[0].text}, {cell.ends[1].text}]"


def to_loss(value: float, better: str) -> float:
    """Return a value whose increase means a worse metric."""
    if better.startswith("near "):
        return abs(value - float(better.removeprefix("near ")))
    return -value if better == "higher" else value


def loss_between(value: float | None, other: float | None, better: str | None) -> float | None:
    """Return how much worse a value is than another; None without a direction."""
    if value is None or other is None or better is None:
        return None
    return to_loss(value, better) - to_loss(other, better)


def best_positions(requested: Requested, values: Sequence[float | None]) -> list[int]:
    """Return the positions of the best values of a metric."""
    better = requested.metric.direction
    if better is None or all(value is None for value in values):
        return []
    least = min(to_loss(value, better) for value in values if value is not None)
    return [position for position, value in enumerate(values) if value is not None and to_loss(value, better) == least]
