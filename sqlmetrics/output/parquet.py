"""Results as parquet files that lose no digit of them."""

# ruff: noqa: PLC0415 (the engine and pandas are imported where used: the shell starts without them)

from __future__ import annotations

import decimal
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import first_line
from ..sql_text import quoted_name, text_literal
from .files import write_whole
from .text import texts_of

if TYPE_CHECKING:
    import pandas as pd


def write_parquet(path: str, frame: pd.DataFrame) -> None:
    """Write a result into a parquet file, as a whole."""
    import duckdb

    stored, columns = _exact_columns(frame)

    def write(beside: Path) -> None:
        with duckdb.connect() as con:
            # A type is that of all values, not of a few at the beginning.
            con.execute(f"set pandas_analyze_sample = {max(len(stored), 1)}")
            con.register("result", stored)
            try:
                con.execute(f"copy (select {columns} from result) to {text_literal(str(beside))} (format parquet)")
            except duckdb.IOException as error:
                # The cause may stand inside of a structure.
                reported = re.search(r'"exception_message":"(.*?)(?<!\\)"', str(error))
                reason = reported[1].replace("\\", "") if reported else first_line(error)
                raise OSError(f"-o {path}: {reason.replace(str(beside), path)}") from error

    write_whole(path, write)


def _exact_columns(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """A result, and what is to be selected of it for a file that loses no digit of it.

    The engine would make doubles of whole numbers of more than 64 bits, as parquet has no such type, and floats of
    decimals beside NaN. They are decimals where parquet has one that holds them all, and else the texts of csv.
    """
    import pandas as pd

    stored = frame.set_axis([f"c{place}" for place in range(frame.shape[1])], axis=1)
    columns = []
    for place, (own, name) in enumerate(zip(stored.columns, frame.columns, strict=True)):
        value = own
        if frame.dtypes.iloc[place] == "object":
            texts = texts_of(frame.iloc[:, place])
            known = [(row, one) for row, one in enumerate(frame.iloc[:, place]) if texts[row] is not None]
            kind = _exact_type([one for _, one in known])
            if kind is not None:
                if kind != "VARCHAR":  # of which every digit counts, and a float's text has not all
                    for row, one in known:
                        texts[row] = str(one)
                stored[own] = pd.Series(texts, index=stored.index, dtype=object)
                value = f"cast({own} as {kind})"
        columns.append(f"{value} as {quoted_name(str(name))}")
    return stored, ", ".join(columns)


def _exact_type(values: Sequence[Any]) -> str | None:
    """The type in which parquet holds these objects as they are; None where the engine finds it."""
    from ..column_types import DIGITS_OF_DECIMALS, digits_of

    if not any(map(_holds_wide, values)):
        return None
    if any(isinstance(one, bool) or not isinstance(one, int | decimal.Decimal) for one in values):
        return "VARCHAR"
    decimals = list(map(decimal.Decimal, values))
    if not all(one.is_finite() for one in decimals):
        return "VARCHAR"
    before, after = digits_of(decimals)
    if not after and all(0 <= one < 2**64 for one in values):
        return "UBIGINT"
    digits_of_all = before + after
    return f"DECIMAL({digits_of_all}, {after})" if digits_of_all <= DIGITS_OF_DECIMALS else "VARCHAR"


def _holds_wide(value: Any) -> bool:
    """Whether it is a decimal, or a whole number of more than 64 bits, or such a one or nanoseconds lie in it."""
    if isinstance(value, dict):
        return any(map(_holds_wide, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_holds_wide, value))
    if isinstance(value, int):
        return not -(2**63) <= value < 2**63
    return isinstance(value, decimal.Decimal) or getattr(value, "dtype", None) == "datetime64[ns]"
