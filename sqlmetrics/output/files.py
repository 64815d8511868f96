"""Write files atomically, and never over an input; parquet files without losing a digit."""

# ruff: noqa: PLC0415 (the engine and pandas are imported where used: the shell starts without them)

from __future__ import annotations

import decimal
import os
import re
import shutil
import uuid
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..column_types import DIGITS_OF_DECIMALS, digits_of
from ..errors import BadParameter, first_line
from ..interrupts import unfinished
from ..sql_text import quoted_name, text_literal
from .text import texts_of

if TYPE_CHECKING:
    import pandas as pd


def check_output(path: str, inputs: Collection[str]) -> None:
    """Reject a target that is not writable, or that is an input, before any work starts."""
    target = Path(path)
    if target.is_dir():
        raise BadParameter(f"-o {path}: this is a folder")
    folder = Path(os.path.realpath(target)).parent
    if not folder.is_dir():
        raise BadParameter(f"-o {path}: there is no folder {folder}")
    if target.exists() and any(_is_read(target, name) for name in inputs):
        raise BadParameter(f"-o {path}: this is one of the input files")


def _is_read(target: Path, name: str) -> bool:
    """Whether the target is the input of this name, a file in it, or the file on standard input."""
    if name == "-":
        try:
            return os.path.samestat(os.fstat(0), target.stat())
        except OSError:  # there is no standard input
            return False
    if not Path(name).exists():
        return False
    return os.path.samefile(name, target) or Path(os.path.realpath(target)).is_relative_to(os.path.realpath(name))


def write_whole(path: str, write: Callable[[Path], object]) -> None:
    """Write a temporary file next to the target and rename it: after an error the old file stays unchanged."""
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
    unfinished.add(str(temporary))
    try:
        write(temporary)
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadParameter(f"{path}: the folder {target.parent} takes no file ({reason}); choose another") from error
    finally:
        temporary.unlink(missing_ok=True)
        unfinished.discard(str(temporary))


def write_file(path: str, content: str | bytes) -> None:
    """Write a file atomically, a text in UTF-8."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    write_whole(path, lambda temporary: temporary.write_bytes(data))


def write_parquet(path: str, frame: pd.DataFrame) -> None:
    """Write a result into a parquet file atomically."""
    import duckdb

    stored, columns = _exact_columns(frame)

    def write(temporary: Path) -> None:
        with duckdb.connect() as con:
            # Infer types from all values, not from a sample.
            con.execute(f"set pandas_analyze_sample = {max(len(stored), 1)}")
            con.register("result", stored)
            try:
                con.execute(f"copy (select {columns} from result) to {text_literal(str(temporary))} (format parquet)")
            except duckdb.IOException as error:
                # The cause may be inside of a JSON object.
                reported = re.search(r'"exception_message":"(.*?)(?<!\\)"', str(error))
                reason = reported[1].replace("\\", "") if reported else first_line(error)
                raise OSError(f"-o {path}: {reason.replace(str(temporary), path)}") from error

    write_whole(path, write)


def _exact_columns(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return a result and the select list that writes it without losing a digit.

    Parquet has no integers of more than 64 bits: the engine would write doubles, and floats for decimals with NaN. They
    become decimals if one type holds all of them, else the text of CSV.
    """
    import pandas as pd

    stored = frame.set_axis([f"c{position}" for position in range(frame.shape[1])], axis=1)
    columns = []
    for position, (column, name) in enumerate(zip(stored.columns, frame.columns, strict=True)):
        expression = column
        if frame.dtypes.iloc[position] == "object":
            texts = texts_of(frame.iloc[:, position])
            present = [(row, value) for row, value in enumerate(frame.iloc[:, position]) if texts[row] is not None]
            dtype = _exact_type([value for _, value in present])
            if dtype is not None:
                if dtype != "VARCHAR":  # every digit counts, and the text of a float may lack some
                    for row, value in present:
                        texts[row] = str(value)
                stored[column] = pd.Series(texts, index=stored.index, dtype=object)
                expression = f"cast({column} as {dtype})"
        columns.append(f"{expression} as {quoted_name(str(name))}")
    return stored, ", ".join(columns)


def _exact_type(values: Sequence[Any]) -> str | None:
    """Return the exact parquet type of these objects; None if the engine infers it."""
    if not any(map(_holds_wide, values)):
        return None
    if any(isinstance(value, bool) or not isinstance(value, int | decimal.Decimal) for value in values):
        return "VARCHAR"
    decimals = list(map(decimal.Decimal, values))
    if not all(number.is_finite() for number in decimals):
        return "VARCHAR"
    before, after = digits_of(decimals)
    if not after and all(0 <= value < 2**64 for value in values):
        return "UBIGINT"
    return f"DECIMAL({before + after}, {after})" if before + after <= DIGITS_OF_DECIMALS else "VARCHAR"


def _holds_wide(value: Any) -> bool:
    """Whether a value is or contains a decimal, nanoseconds, or an integer of more than 64 bits."""
    if isinstance(value, dict):
        return any(map(_holds_wide, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_holds_wide, value))
    if isinstance(value, int):
        return not -(2**63) <= value < 2**63
    return isinstance(value, decimal.Decimal) or getattr(value, "dtype", None) == "datetime64[ns]"
