"""The rows of DuckDB: as Python values, and as pandas with all digits of numbers for which pandas has no type."""

# ruff: noqa: PLC0415 (pandas is imported where a DataFrame is made: the shell prints without it)

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb

from ..tables import Table

if TYPE_CHECKING:
    import pandas as pd

#: Types that pandas lacks: the engine would round their values to doubles, also inside of nested types.
_WIDE = re.compile(r"\b(U?HUGEINT|UBIGINT|DECIMAL|BIGNUM|TIME_NS|TIME WITH TIME ZONE|BIT)\b")
#: SQL for types that Python lacks as well: its timestamps end at microseconds, its bits are bytes.
_PYTHON_COMPATIBLE_SQL = {
    "TIMESTAMP_NS": "epoch_ns({})",
    "TIME_NS": "cast({} as varchar)",
    "BIT": "cast({} as varchar)",
}
_TEMPORAL = re.compile(r"DATE\b|TIMESTAMP")
_INFINITE = frozenset({"infinity", "-infinity"})
#: DuckDB 1 returns times with a zone by `pytz` alone, which pandas 3 does not bring.
_LACKS_ZONES = duckdb.__version__ < "2"


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

        Neither pandas nor Python has infinite dates and timestamps, nor timestamps with a zone in years of five digits.
        Columns with such values become text.
        """

        def read(result: Any) -> pd.DataFrame:
            names, types = _names_and_types(result)
            frame = None if any(map(_WIDE.search, types)) else _exact_frame(result, types)
            return self._frame_of_objects(sql, names, types) if frame is None else frame

        frame: pd.DataFrame = self.run(sql, read)
        return frame

    def _frame_of_objects(self, sql: str, names: list[str], types: list[str]) -> pd.DataFrame:
        import pandas as pd

        temporal = [position for position, dtype in enumerate(types) if _TEMPORAL.match(dtype)]
        if temporal or not set(types).isdisjoint(_PYTHON_COMPATIBLE_SQL):
            # By position: a query may have two columns of one name.
            values = [
                _PYTHON_COMPATIBLE_SQL.get(dtype, "{}").format(f"#{position}")
                for position, dtype in enumerate(types, 1)
            ]
            values += [f"cast(#{position + 1} as varchar)" for position in temporal]
            sql = f"select {', '.join(values)} from ({sql}\n)"
        columns = list(zip(*self.tuples(sql), strict=True)) or [()] * (len(types) + len(temporal))
        for position, texts in zip(temporal, columns[len(names) :], strict=True):
            if not _INFINITE.isdisjoint(texts) or any(isinstance(value, str) for value in columns[position]):
                columns[position], types[position] = texts, "VARCHAR"
        series = [_series(column, dtype) for column, dtype in zip(columns, types, strict=False)]
        return pd.concat(series, axis=1).set_axis(names, axis=1)


def _names_and_types(result: Any) -> tuple[list[str], list[str]]:
    return [str(column[0]) for column in result.description], [str(column[1]) for column in result.description]


def _exact_frame(result: Any, types: list[str]) -> pd.DataFrame | None:
    """Return the rows as pandas; None if that changes a value."""
    try:
        frame: pd.DataFrame = result.df()
    except duckdb.ConversionException as error:
        if "DATE" not in types or "infinity" not in str(error):
            raise
        return None
    for position, dtype in enumerate(types):
        values = frame.iloc[:, position]
        # A missing value turns integers into doubles.
        if dtype == "BIGINT" and values.dtype == "float64" and (values.abs() >= 2**53).any():
            return None
        if _TEMPORAL.match(dtype) and _is_beyond(values):
            return None
    return frame


def _is_beyond(values: pd.Series) -> bool:
    """Whether a timestamp is infinite, or has a zone and a year that Python does not support."""
    import numpy as np
    import pandas as pd

    numbers = getattr(values.array, "asi8", None)
    if numbers is None:
        return False
    is_beyond = np.abs(numbers) == np.iinfo("int64").max
    if isinstance(values.dtype, pd.DatetimeTZDtype):
        unit = values.dtype.unit
        first, end = (np.datetime64(day).astype(f"M8[{unit}]").astype("int64") for day in ("0001-01-02", "9999-12-31"))
        is_beyond |= values.notna().to_numpy() & ((numbers < first) | (numbers >= end))
    return bool(is_beyond.any())


def _series(values: Sequence[Any], dtype: str) -> pd.Series:
    import numpy as np
    import pandas as pd

    if dtype == "TIMESTAMP_NS":
        return pd.Series(np.array(["NaT" if value is None else value for value in values], dtype="datetime64[ns]"))
    if dtype in ("DOUBLE", "FLOAT"):
        return pd.Series(values, dtype="float64")
    is_object = _WIDE.search(dtype) is not None or (dtype == "BIGINT" and None in values)
    return pd.Series(values, dtype="object" if is_object else None)
