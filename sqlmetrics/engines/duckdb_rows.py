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


@dataclass(frozen=True)
class Statements:
    """Two ways to run a statement: as a table of Python values, and as a DataFrame."""

    table: Callable[[str], Table]
    frame: Callable[[str], pd.DataFrame]

    def columns_of(self, select: str) -> dict[str, str]:
        """The columns of a query with their types."""
        described = self.table(f"describe {select}")
        return dict(zip(described.column("column_name"), described.column("column_type"), strict=True))


def table_of_relation(relation: duckdb.DuckDBPyRelation) -> Table:
    """Return the rows of a relation as Python values."""
    return table_of_rows(list(relation.columns), list(map(str, relation.types)), relation.fetchall)


#: DuckDB 1 returns times with a zone by `pytz` alone, which pandas 3 does not bring.
_LACKS_ZONES = duckdb.__version__ < "2"


def table_of_rows(names: list[str], types: list[str], fetch: Callable[[], list[tuple[Any, ...]]]) -> Table:
    """Return rows as Python values; without rows and types if the engine cannot return them."""
    if _LACKS_ZONES and any("TIME ZONE" in dtype for dtype in types):
        return Table(names, [], dtypes=[""] * len(types))
    return Table(names, fetch(), dtypes=types)


def rows_of(relation: duckdb.DuckDBPyRelation) -> pd.DataFrame:
    """Return the rows of a relation with exact integers."""
    names, types = list(relation.columns), list(map(str, relation.types))

    def tuples(values: str) -> list[tuple[Any, ...]]:
        return (relation.project(values) if values else relation).fetchall()

    return frame_of(relation.df, tuples, names, types)


def frame_of(
    as_frame: Callable[[], pd.DataFrame],
    as_tuples: Callable[[str], list[tuple[Any, ...]]],
    names: list[str],
    types: list[str],
) -> pd.DataFrame:
    """Return the rows as pandas; wide numbers are Python objects.

    Neither pandas nor Python has infinite dates and timestamps, nor timestamps with a zone in years of five digits.
    Columns with such values become text.
    """
    import pandas as pd

    temporal = [position for position, dtype in enumerate(types) if _TEMPORAL.match(dtype)]
    if not any(map(_WIDE.search, types)):
        try:
            frame = as_frame()
        except duckdb.ConversionException as error:
            if "DATE" not in types or "infinity" not in str(error):
                raise
        else:
            is_exact = not any(
                dtype == "BIGINT" and _is_rounded(frame.iloc[:, position]) for position, dtype in enumerate(types)
            )
            if is_exact and not any(_is_beyond(frame.iloc[:, position]) for position in temporal):
                return frame
    # By position: a query may have two columns of one name.
    values = [_PYTHON_COMPATIBLE_SQL.get(dtype, "{}").format(f"#{position}") for position, dtype in enumerate(types, 1)]
    values += [f"cast(#{position + 1} as varchar)" for position in temporal]
    rows = as_tuples(", ".join(values) if temporal or set(types) & set(_PYTHON_COMPATIBLE_SQL) else "")
    columns = list(zip(*rows, strict=True)) or [()] * len(values)
    types = list(types)
    for position, texts in zip(temporal, columns[len(names) :], strict=True):
        if not _INFINITE.isdisjoint(texts) or any(isinstance(value, str) for value in columns[position]):
            columns[position], types[position] = texts, "VARCHAR"
    series = [_series(column, dtype) for column, dtype in zip(columns, types, strict=False)]
    return pd.concat(series, axis=1).set_axis(names, axis=1)


_TEMPORAL = re.compile(r"DATE\b|TIMESTAMP")
_INFINITE = frozenset({"infinity", "-infinity"})


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


def _is_rounded(values: pd.Series) -> bool:
    """Whether a missing value turned integers into doubles that may be inexact."""
    return values.dtype == "float64" and bool((values.abs() >= 2**53).any())
