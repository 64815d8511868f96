"""The shell's `--assert`: compare a column of the result with a number or a text, in every row."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..column_types import is_number
from ..errors import BadParameter, did_you_mean
from ..output.numbers import distinct_text
from ..output.text import full_text, key_texts
from ..tables import Table

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_ASSERTION = re.compile(
    r"\s*(?P<column>.+?)\s*(?P<comparison>>=|<=|==|!=|>|<)\s*(?P<bound>'[^']*'|\"[^\"]*\"|[^\s<>=!]+)\s*\Z"
)


@dataclass(frozen=True)
class Assertion:
    """One --assert that must hold in every row: COLUMN OP NUMBER, or COLUMN == 'TEXT' or !=."""

    column: str
    comparison: str
    bound: float | str
    wanted: str

    def failures(self, result: Table, keys: Sequence[str]) -> list[str]:
        """A line for every row that fails the assertion; the column must exist and have the type of the bound."""
        if self.column not in result.columns:
            hint = did_you_mean(self.column, result.columns)
            names = ", ".join(map(str, result.columns))
            raise BadParameter(f"--assert: there is no column {self.column!r}{hint}; the result has {names}")
        numbers = is_number(result.dtype_of(self.column))
        if result.rows and numbers is isinstance(self.bound, str):
            raise BadParameter(f"--assert: column {self.column!r} {'holds' if numbers else 'does not hold'} numbers")
        if not result.rows:
            return [f"{self.column} {self.wanted}: the result has no rows"]
        # Dates and booleans are compared by their text.
        values = result.column(self.column)
        if isinstance(self.bound, str):
            values = [None if value is None else full_text(value) for value in values]
        lines = []
        for position, (value, where) in enumerate(zip(values, key_texts(result, keys), strict=True), 1):
            if value is not None and _COMPARISONS[self.comparison](value, self.bound):
                continue
            row = where or (f"row {position}" if len(result.rows) > 1 else "")
            lines.append(f"{row + ': ' if row else ''}{self.column} is {self._shown(value)}, not {self.wanted}")
        return lines

    def _shown(self, value: Any) -> str:
        if value is None:
            return "NULL"
        if isinstance(value, float) and isinstance(self.bound, float):
            return distinct_text(value, self.bound)
        return repr(value)


def read_assertion(text: str) -> Assertion:
    """Parse an assertion.

    Raises:
        BadParameter: The text is neither `COLUMN OP NUMBER` nor `COLUMN == 'TEXT'`.
    """
    match = _ASSERTION.match(text)
    wrong = BadParameter(
        f"--assert {text!r}: write COLUMN OP NUMBER, as in 'auc >= 0.7' (OP: >= <= > < == !=), or COLUMN != 'TEXT'"
    )
    if match is None:
        raise wrong
    column, comparison, written = match.groups()
    bound: float | str = written[1:-1]
    if written[0] not in "'\"":
        try:
            bound = float(written)
        except ValueError:
            raise wrong from None
        if math.isnan(bound):
            raise wrong
    elif comparison not in ("==", "!="):
        raise wrong
    return Assertion(column, comparison, bound, f"{comparison} {written}")
