"""Disguised columns: other names and types, other ids one to one, and numbers in the same order."""

from __future__ import annotations

import datetime
import math
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from tests.data import is_missing
from tests.engines.cases import HOSTILE_NAMES, REPLACED_BY_SPARK

#: Names that are special to sqlmetrics or an engine, that differ little, or that are long.
_NAMES = (
    *HOSTILE_NAMES, *REPLACED_BY_SPARK,
    "label", "score", "item", "source", "valid_rows", "slice_1", "model", "Model", "grouping", "n", "N", "rows_read",
    "auc", "AUC", "groups", "sqlmetrics_input", "rowid", "filename", "__index_level_0__", "column0", "*", "count(*)",
    "0", "1a", "1e5", "true", "NULL", "NaN", "values", "date", "user", "order", "from", "ctid", "current_user", "key",
    "é", "e\u0301", "ß", "SS", "İ", "ı", "K", "\u212a", "\u200b", "a\u00a0b", "\ufeffx", "a\u2028b", "😀", "a\x01b",
    "x" * 60, "ä" * 31, "a=b", "=a", "(a)", "a;b", "_", "a_1", "A_1",
)  # fmt: skip
#: Values of groups and slices.
_TEXTS = tuple(dict.fromkeys((
    *HOSTILE_NAMES, "NULL", "None", "nan", "inf", "true", "1", "01", "1.0", "1e0", "+1", "0x1", "1_000", "2024-01-01",
    "12:00", "=1+1", "é", "e\u0301", "ß", "ss", "A", "a", " a", "a\u00a0", "\u200ba", "😀", "\x01", "x" * 300, "[1]",
    '{"a": 1}', "\\N", "#", "\u2028",
)))  # fmt: skip
_TYPES: tuple[pa.DataType, ...] = (
    pa.bool_(), pa.int8(), pa.int32(), pa.int64(), pa.uint8(), pa.uint64(), pa.float32(), pa.float64(),
    pa.decimal128(9, 3), pa.decimal128(18, 10), pa.decimal128(38, 20),
)  # fmt: skip
_UNSUPPORTED = {"spark": ("uint8", "uint64"), "postgres": ("uint8", "uint64", "int8")}
STRING_TYPES = (pa.string(), pa.large_string())


def plain(value: Any) -> Any:
    """A value of any engine or frame in a common form: numbers as fractions, times as strings in UTC."""
    if isinstance(value, np.generic):
        value = value.item()
    if is_missing(value) or value is pd.NaT or (isinstance(value, Decimal) and value.is_nan()):
        return None
    if isinstance(value, datetime.date):
        time = pd.Timestamp(value)
        return (time.tz_convert("UTC").tz_localize(None) if time.tz else time).isoformat()
    if isinstance(value, float):
        return Fraction(repr(value)) if math.isfinite(value) else value
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    return Fraction(value) if isinstance(value, int | Decimal) else str(value)


@dataclass(frozen=True)
class Disguise:
    """The name, the type and the values of a column of the variant."""

    name: str
    type: pa.DataType
    write: Callable[[Any], Any]
    #: The id of the baseline by the id of the variant; empty for numbers, which do not change.
    ids: dict[Any, Any] = field(default_factory=dict)

    def array(self, values: Iterable[Any]) -> pa.Array:
        written = [None if value is None else self.write(value) for value in values]
        return pa.array(written, self.type, from_pandas=False)

    def restore(self, value: Any) -> Any:
        """The value of the baseline."""
        value = plain(value)
        if value is None or not self.ids:
            return value
        return next((self.ids[form] for form in (value, str(value)) if form in self.ids), f"unknown id {value!r}")


def names(rng: Random, count: int, excluded: Sequence[str] = ()) -> list[str]:
    """Names that are distinct even without case."""
    chosen: dict[str, str] = {}
    while len(chosen) < count:
        name = rng.choice(_NAMES) if rng.random() < 0.8 else f"{rng.choice(_NAMES)}{rng.choice(_NAMES)}"[:60]
        if not any(part in name for part in excluded):
            chosen.setdefault(name.lower(), name)
    return list(chosen.values())


def number_types(values: Sequence[Any], engine: str) -> list[pa.DataType]:
    """The types that represent all values exactly."""

    def represents(dtype: pa.DataType, value: float) -> bool:
        try:
            return float(pa.scalar(write_number(dtype, value), dtype).as_py()) == value
        except (pa.ArrowInvalid, OverflowError):
            return False

    numbers = {float(value) for value in values if not is_missing(value)}
    supported = [dtype for dtype in _TYPES if str(dtype) not in _UNSUPPORTED.get(engine, ())]
    return [dtype for dtype in supported if all(represents(dtype, value) for value in numbers)]


def write_number(dtype: pa.DataType, value: Any) -> Any:
    """A number in the type; NaN is NULL in types without NaN."""
    if pa.types.is_floating(dtype):
        return None if value is None else float(value)
    if is_missing(value):
        return None
    if pa.types.is_decimal(dtype):
        return Decimal(repr(float(value)))
    return bool(value) if pa.types.is_boolean(dtype) else int(value)


def disguised_numbers(rng: Random, name: str, values: Sequence[Any], engine: str) -> Disguise:
    """A column of numbers in another type that represents them; -0 is the same number as 0."""
    dtype, zero = rng.choice(number_types(values, engine)), rng.choice([0.0, -0.0])
    is_floating = pa.types.is_floating(dtype)
    return Disguise(name, dtype, lambda value: zero if is_floating and value == 0 else write_number(dtype, value))


def disguised_ids(rng: Random, name: str, values: Sequence[Any], engine: str) -> Disguise:
    """A column of ids with other ids; numeric ones preserve the order."""
    ids_in_order = sorted(
        {value for value in values if not is_missing(value)}, key=lambda value: (str(type(value)), value)
    )
    are_numbers = all(isinstance(value, int | float) for value in ids_in_order)
    if are_numbers or rng.random() < 0.5:
        makers = [(dtype, id_at) for dtype, id_at, engines in _IDS if engine in engines]
        makers += [(pa.bool_(), bool)] * (len(ids_in_order) <= 2)
        if are_numbers:
            makers = [maker for maker in makers if pa.types.is_primitive(maker[0]) or pa.types.is_decimal(maker[0])]
        dtype, id_at = rng.choice(makers)
    else:
        texts = rng.sample([*_TEXTS, *map(str, range(2, 200))], len(ids_in_order))
        dtype, id_at = rng.choice(STRING_TYPES), texts.__getitem__
    written = {value: id_at(number) for number, value in enumerate(ids_in_order)}
    ids = {form(other): value for form in (str, plain) for value, other in written.items()}
    return Disguise(name, dtype, lambda value: None if is_missing(value) else written[value], ids)


def _time(number: int) -> datetime.datetime:
    return datetime.datetime(1969, 12, 31, 23, 59, 57) + datetime.timedelta(milliseconds=500 * number)


_ALL = ("duckdb", "postgres", "clickhouse", "spark")
#: A type of ids, a function from numbers to ids, and the engines that support the type.
_IDS: tuple[tuple[pa.DataType, Callable[[int], Any], Sequence[str]], ...] = (
    (pa.int32(), int, _ALL), (pa.int64(), lambda number: 2**62 + 3 * number, _ALL),
    (pa.uint64(), lambda number: 2**63 - 3 + number, ("duckdb", "clickhouse")),
    (pa.decimal128(38, 10), lambda number: Decimal(10**25 + number).scaleb(-10), _ALL),
    (pa.float64(), lambda number: number / 8 - 1, _ALL),
    (pa.date32(), lambda number: datetime.date(1969, 12, 25) + datetime.timedelta(days=number), _ALL),
    (pa.timestamp("us"), _time, _ALL), (pa.timestamp("ns"), _time, ("duckdb",)),
    (pa.timestamp("us", "UTC"), lambda number: _time(number).replace(tzinfo=datetime.timezone.utc),
     ("duckdb", "spark", "postgres")),
    (pa.string(), lambda number: str(uuid.UUID(int=2**127 + number)), _ALL),
    (pa.binary(), lambda number: bytes([number, 0, 255, 34, 39, 92]), ("duckdb",)),
)  # fmt: skip
