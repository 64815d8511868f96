"""Write files atomically, and never over an input; parquet files without losing a digit."""

# ruff: noqa: PLC0415 (the engine and pandas are imported where used: the shell starts without them)

from __future__ import annotations

import decimal
import os
import re
import shutil
import uuid
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    """Write a result into a parquet file atomically; numbers for which parquet has no type become text."""
    import duckdb

    # Names may be equal but for their case, or several times the same.
    stored = frame.set_axis([f"c{position}" for position in range(frame.shape[1])], axis=1)
    for name in stored.columns:
        stored[name] = _parquet_values(stored[name])
    columns = ", ".join(f"{c} as {quoted_name(str(name))}" for c, name in zip(stored, frame, strict=True))

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


def _parquet_values(values: pd.Series) -> pd.Series:
    """Return integers of up to 64 bits as such, and wider numbers and decimals as text with all digits."""
    import pandas as pd

    if values.dtype != "object":
        return values
    texts = texts_of(values)
    present = [value for value, text in zip(values, texts, strict=True) if text is not None]
    if all(type(value) is int and 0 <= value < 2**64 for value in present):
        return values.astype("UInt64")
    if not any(map(_is_wide, present)):
        return values
    return pd.Series(texts, index=values.index, dtype=object)


def _is_wide(value: Any) -> bool:
    """Whether a value is or contains a decimal or an integer of more than 64 bits."""
    if isinstance(value, dict | list | tuple):
        return any(map(_is_wide, value.values() if isinstance(value, dict) else value))
    return isinstance(value, decimal.Decimal) or (isinstance(value, int) and not -(2**63) <= value < 2**63)
