"""The rows of DuckDB: as Python values, and as pandas with all digits of numbers for which pandas has no type."""

# ruff: noqa: PLC0415 (pandas is imported where a DataFrame is made: the shell prints without it)

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb

from ..errors import BadData
from ..tables import Table

if TYPE_CHECKING:
    import pandas as pd

#: Types that pandas lacks: the engine would round their values to doubles, also inside of nested types.
_WIDE = re.compile(r"\b(HUGEINT|UBIGINT|DECIMAL)\b")
#: Types that pandas cannot read, or not with all values.
_UNSUPPORTED = re.compile(r"\b(UHUGEINT|BIGNUM|TIME_NS|TIME WITH TIME ZONE|BIT)\b")
_TEMPORAL = re.compile(r"DATE\b|TIMESTAMP")
#: DuckDB 1 returns times with a zone by `pytz` alone, which pandas 3 does not bring.
_LACKS_ZONES = duckdb.__version__ < "2"
_REASON = 'column {} is {}, for which Python has no type: cast it to text, as in ⟨by⟩="d = cast(d as varchar)"'
_BEYOND = "infinite or of years outside of 1 to 9999"


@dataclass(frozen=True)
class Statements:
    """Runs statements and returns their rows; `run` executes one and returns what a function reads from its result."""

    run: Callable[[str, Callable[[Any], Any]], Any]

    def tuples(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows as the engine returns them."""
        rows: list[tuple[Any, ...]] = self.run(sql, lambda result: result.fetchall())
        return rows

    def columns_of(self, select: str) -> dict[str, str]:
        """Return the columns of a query with their types."""
        return {str(name): str(dtype) for name, dtype, *_ in self.tuples(f"describe {select}")}

    def table(self, sql: str) -> Table:
        """Return the rows as Python values; without rows and types if the engine cannot return them."""

        def read(result: Any) -> Table:
            names, types = _names_and_types(result)
            if _LACKS_ZONES and any("TIME ZONE" in dtype for dtype in types):
                return Table(names, [], dtypes=[""] * len(types))
            return Table(names, result.fetchall(), dtypes=types)

        table: Table = self.run(sql, read)
        return table

    def frame(self, sql: str) -> pd.DataFrame:
        """Return the rows as pandas; wide numbers are Python objects.

        Raises:
            BadData: A column holds values for which neither pandas nor Python has a type, such as infinite dates.
        """

        def read(result: Any) -> pd.DataFrame:
            names, types = _names_and_types(result)
            _check_types(names, types)
            is_wide = any(map(_WIDE.search, types))
            # Only pandas distinguishes infinite dates from the first and the last.
            if is_wide and not any(map(_TEMPORAL.match, types)):
                return self._frame_of_objects(sql, names, types)
            frame = _checked_frame(result, names, types)
            if is_wide or _has_rounded_integers(frame, types):
                return self._frame_of_objects(sql, names, types)
            return frame

        frame: pd.DataFrame = self.run(sql, read)
        return frame

    def _frame_of_objects(self, sql: str, names: list[str], types: list[str]) -> pd.DataFrame:
        import pandas as pd

        if "TIMESTAMP_NS" in types:  # Python's timestamps end at microseconds
            # By position: a query may have two columns of one name.
            positions = [
                f"epoch_ns(#{position})" if dtype == "TIMESTAMP_NS" else f"#{position}"
                for position, dtype in enumerate(types, 1)
            ]
            sql = f"select {', '.join(positions)} from ({sql}\n)"
        # All columns are of one run: another may return the rows in another order.
        columns = list(zip(*self.tuples(sql), strict=True)) or [()] * len(types)
        return pd.concat(map(_series, columns, types), axis=1).set_axis(names, axis=1)


def _names_and_types(result: Any) -> tuple[list[str], list[str]]:
    return [str(column[0]) for column in result.description], [str(column[1]) for column in result.description]


def _check_types(names: list[str], types: list[str]) -> None:
    for name, dtype in zip(names, types, strict=True):
        if _UNSUPPORTED.search(dtype):
            raise BadData(_REASON.format(repr(name), dtype))


def _checked_frame(result: Any, names: list[str], types: list[str]) -> pd.DataFrame:
    """Return the rows as pandas, if pandas and Python have their dates and times."""
    try:
        frame: pd.DataFrame = result.df()
    except duckdb.ConversionException as error:
        if "DATE" in types and "infinity" in str(error):
            dates = " or ".join(repr(name) for name, dtype in zip(names, types, strict=True) if dtype == "DATE")
            raise BadData(_REASON.format(dates, _BEYOND)) from error
        raise
    for position, dtype in enumerate(types):
        if _TEMPORAL.match(dtype) and _is_beyond(frame.iloc[:, position]):
            raise BadData(_REASON.format(repr(names[position]), _BEYOND))
    return frame


def _is_beyond(values: pd.Series) -> bool:
    import numpy as np

    numbers = getattr(values.array, "asi8", None)
    if numbers is None:
        return False
    largest = np.iinfo("int64").max
    first, last = -largest + 1, largest - 1  # nanoseconds end before the year 9999
    if values.dt.unit != "ns":
        days = np.array(["0001-01-01", "9999-12-31T23:59:59.999999"], dtype=f"M8[{values.dt.unit}]")
        first, last = days.astype("int64")
    return bool((values.notna().to_numpy() & ((numbers < first) | (numbers > last))).any())


def _has_rounded_integers(frame: pd.DataFrame, types: list[str]) -> bool:
    """Whether integers next to a missing value, which turns them into doubles, lost digits."""
    columns = (frame.iloc[:, position] for position, dtype in enumerate(types) if dtype == "BIGINT")
    return any(values.dtype == "float64" and (values.abs() >= 2**53).any() for values in columns)


def _series(values: Sequence[Any], dtype: str) -> pd.Series:
    import numpy as np
    import pandas as pd

    if dtype == "TIMESTAMP_NS":
        return pd.Series(np.array(["NaT" if value is None else value for value in values], dtype="datetime64[ns]"))
    if dtype in ("DOUBLE", "FLOAT"):
        return pd.Series(values, dtype="float64")
    is_object = _WIDE.search(dtype) is not None or (dtype == "BIGINT" and None in values)
    return pd.Series(values, dtype="object" if is_object else None)
