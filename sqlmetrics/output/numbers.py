"""Numbers for people: a fixed number of decimals for each column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

#: Columns of p-values.
_P_VALUES = ("p_value", "p_adjusted")
#: Significant digits of the largest number of a column; of a difference with its interval, one less.
_DIGITS = 4
#: Metrics in one column share the decimals of the smallest if they need at most so many fewer.
_MOST_APART = 2
#: Columns of smaller numbers, such as the rounding errors of equal models, are written with exponents.
_MOST_DECIMALS = 9
#: Decimals that a column may have in addition, so that its small numbers stay distinct.
_MORE_DECIMALS = 3
#: Floats from here on are written with an exponent.
_HUGE = 1e15


def number_texts(columns: Sequence[Sequence[Any]], name: str, metrics: Sequence[Any] = ()) -> list[list[str]]:
    """Return the numbers of a column, and of those merged into its cells, as text with the same decimals.

    Metrics whose numbers are much larger than those of other metrics have decimals of their own.

    >>> number_texts([[0.0103001, 0.00869439, None, 1.0]], "auc")
    [['0.0103', '0.0087', 'NULL', '1.0000']]
    >>> number_texts([[0.25, 4.05984e-07]], "p_value")
    [['0.2500', '<0.0001']]
    """
    if name in _P_VALUES:
        return [["<0.0001" if _is_finite(value) and value < 1e-4 else _text(value, 4) for value in columns[0]]]
    metrics = metrics or [None] * len(columns[0])
    digits = _DIGITS - (name == "difference" and len(columns) > 1)
    groups = {metric: [index for index, name in enumerate(metrics) if name == metric] for metric in metrics}
    decimals = {
        metric: _decimals([[column[row] for row in rows] for column in columns], digits)
        for metric, rows in groups.items()
    }
    most = max(decimals.values(), default=0)
    decimals = {metric: most if most - least <= _MOST_APART else least for metric, least in decimals.items()}
    texts = [
        [_text(value, decimals[metric]) for value, metric in zip(column, metrics, strict=True)] for column in columns
    ]
    for metric, rows in groups.items():
        unclear = _unclear([columns[0][row] for row in rows], decimals[metric])
        for row in rows:
            if columns[0][row] in unclear:
                texts[0][row] = f"{columns[0][row]:.{_DIGITS}g}"
    return texts


def _decimals(columns: Sequence[Sequence[Any]], digits: int) -> int:
    numbers = [abs(value) for column in columns for value in column if _is_finite(value) and abs(value) < _HUGE]
    if all(value == int(value) for value in numbers):
        return 0
    least = max(digits - math.ceil(math.log10(max(numbers))), 0)
    if least > _MOST_DECIMALS:
        return 0
    choices = range(least, least + _MORE_DECIMALS + 1)
    return next((choice for choice in choices if not _unclear(columns[0], choice)), least)


def _unclear(values: Sequence[Any], decimals: int) -> set[float]:
    """Return the numbers that have no digit with these decimals, or the same as a number of other digits."""
    numbers = [value for value in values if _is_finite(value)]
    digits: dict[str, set[str]] = {}
    for value in numbers:
        digits.setdefault(_text(value, decimals), set()).add(f"{value + 0.0:.{_DIGITS - 1}e}")
    return {value for value in numbers if len(digits[_text(value, decimals)]) > 1 or 0 < abs(value) < 10.0**-decimals}


def _text(value: Any, decimals: int) -> str:
    if value is None:
        return "NULL"
    if not isinstance(value, float) or not math.isfinite(value):
        return str(value)
    return f"{value:.{_DIGITS}g}" if abs(value) >= _HUGE else f"{value + 0.0:.{decimals}f}"


def _is_finite(value: Any) -> bool:
    return value is not None and math.isfinite(value)


def distinct_text(value: float, bound: float) -> str:
    """Return a number with four significant digits, or as many as it takes to differ from a bound.

    >>> distinct_text(0.6999712345, 0.7), distinct_text(0.5812345, 0.7)
    ('0.69997', '0.5812')
    """
    texts = (f"{value:.{digits}g}" for digits in range(_DIGITS, 17))
    side = (value < bound, value > bound)
    return next((text for text in texts if (float(text) < bound, float(text) > bound) == side), repr(value))
