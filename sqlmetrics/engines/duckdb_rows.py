"""The rows of DuckDB as pandas, with the digits that pandas has no type for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import numpy as np
import pandas as pd

#: Types whose values pandas has no type for: the engine would round them to doubles, also where they lie in others.
_WIDE = re.compile(r"\b(U?HUGEINT|UBIGINT|DECIMAL|BIGNUM|TIME_NS|TIME WITH TIME ZONE|BIT)\b")
#: What Python has no type for either: its moments end at microseconds, its bits are bytes.
_AS_PYTHON_HAS_IT = {"TIMESTAMP_NS": "epoch_ns({})", "TIME_NS": "cast({} as varchar)", "BIT": "cast({} as varchar)"}


def rows_of(relation: duckdb.DuckDBPyRelation) -> pd.DataFrame:
    """The rows of a relation, their whole numbers exact."""
    names, kinds = list(relation.columns), list(map(str, relation.types))

    def tuples(values: str) -> list[tuple[Any, ...]]:
        return (relation.project(values) if values else relation).fetchall()

    return frame_of(relation.df, tuples, names, kinds)


def frame_of(
    as_frame: Callable[[], pd.DataFrame],
    as_tuples: Callable[[str], list[tuple[Any, ...]]],
    names: list[str],
    kinds: list[str],
) -> pd.DataFrame:
    """The rows as pandas has them; wide numbers as the objects of Python that they are.

    Neither pandas nor Python has days and moments that are infinite, as ends of what still holds often are: a column
    with one of them is one of texts, as is one with a zone and a year of five digits.
    """
    moments = [place for place, kind in enumerate(kinds) if _MOMENT.match(kind)]
    if not any(map(_WIDE.search, kinds)):
        try:
            frame = as_frame()
        except duckdb.ConversionException as error:
            if "DATE" not in kinds or "infinity" not in str(error):
                raise
        else:
            is_exact = not any(
                kind == "BIGINT" and _is_rounded(frame.iloc[:, place]) for place, kind in enumerate(kinds)
            )
            if is_exact and not any(_is_beyond(frame.iloc[:, place]) for place in moments):
                return frame
    # By position: a query may have two columns of one name.
    values = [_AS_PYTHON_HAS_IT.get(kind, "{}").format(f"#{place}") for place, kind in enumerate(kinds, 1)]
    values += [f"cast(#{place + 1} as varchar)" for place in moments]
    rows = as_tuples(", ".join(values) if moments or set(kinds) & set(_AS_PYTHON_HAS_IT) else "")
    columns = list(zip(*rows, strict=True)) or [()] * len(values)
    kinds = list(kinds)
    for place, texts in zip(moments, columns[len(names) :], strict=True):
        if not _INFINITE.isdisjoint(texts) or any(isinstance(one, str) for one in columns[place]):
            columns[place], kinds[place] = texts, "VARCHAR"
    series = [_series(column, kind) for column, kind in zip(columns, kinds, strict=False)]
    return pd.concat(series, axis=1).set_axis(names, axis=1)


_MOMENT = re.compile(r"DATE\b|TIMESTAMP")
_INFINITE = frozenset({"infinity", "-infinity"})


def _is_beyond(values: pd.Series) -> bool:
    """Whether a moment has no end, or has a zone, which Python is asked for, in a year that Python does not know."""
    numbers = getattr(values.array, "asi8", None)
    if numbers is None:
        return False
    found = np.abs(numbers) == np.iinfo("int64").max
    if isinstance(values.dtype, pd.DatetimeTZDtype):
        unit = values.dtype.unit
        first, end = (np.datetime64(day).astype(f"M8[{unit}]").astype("int64") for day in ("0001-01-02", "9999-12-31"))
        found |= values.notna().to_numpy() & ((numbers < first) | (numbers >= end))
    return bool(found.any())


def _series(values: Sequence[Any], kind: str) -> pd.Series:
    if kind == "TIMESTAMP_NS":
        return pd.Series(np.array(["NaT" if one is None else one for one in values], dtype="datetime64[ns]"))
    if kind in ("DOUBLE", "FLOAT"):
        return pd.Series(values, dtype="float64")
    is_object = _WIDE.search(kind) is not None or (kind == "BIGINT" and None in values)
    return pd.Series(values, dtype="object" if is_object else None)


def _is_rounded(values: pd.Series) -> bool:
    """Whether whole numbers became doubles, because one is missing, and no longer are what they were."""
    return values.dtype == "float64" and bool((values.abs() >= 2**53).any())
