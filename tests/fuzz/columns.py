"""Columns in disguise: the values of a tame column under another name, as another type or as other ids.

Numbers keep their values exactly. Ids stand for others, one for one and in the same order where they are numbers, so
that a result can be told in the tame ids again.
"""

from __future__ import annotations

import datetime
import math
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from tests.data import is_missing
from tests.engines.cases import HOSTILE_NAMES, REPLACED_BY_SPARK

#: Names that mean something to us or to an engine, that differ in little, or that are long.
_NAMES = (
    *HOSTILE_NAMES, *REPLACED_BY_SPARK,
    "label", "score", "weight", "group", "item", "pos", "neg", "source", "observations", "slices",
    "slice_1", "score_1",
    "model", "Model", "grouping", "n", "N", "rows_read", "auc", "AUC", "groups", "rank", "label_class", "group_id",
    "sqlmetrics_input", "rowid", "filename", "file_row_number", "index", "__index_level_0__", "column0",
    "*", "count(*)",
    "0", "1a", "-1", "1e5", "true", "True", "NULL", "nan", "NaN", "inf", "value", "values", "date",
    "timestamp", "user",
    "order", "from", "table", "infinity", "ctid", "oid", "now", "pi", "e", "current_user", "default",
    "level", "any", "array",
    "map", "struct", "interval", "offset", "key", "_part", "localtime", "none", "self", "input", "rows",
    "cells", "é", "e\u0301", "ß", "SS", "ẞ", "İ", "ı", "K", "k", "\u212a", "ﬀ", "\u200b", "a\u00a0b",
    "\ufeffx",
    "a\u2028b", "😀", "a\x01b", "x" * 60, "ä" * 31, "a=b", "=a", "a = b", "(a)", "a;b", "a,b ", "_", "__",
    "a_1", "a_2", "A_1",
)  # fmt: skip
#: What a group or a slice may be called.
_TEXTS = tuple(dict.fromkeys((
    *HOSTILE_NAMES, "NULL", "null", "None", "nan", "NaN", "inf", "true", "false", "True", "1", "01", "1.0", "1e0", "+1",
    "-0", "0", "0x1", "1_000", "2024-01-01", "2024-01-01 00:00:00", "12:00", "=1+1", "-", "é", "e\u0301",
    "ß", "ss", "A", "a",
    " a", "a ", "\ta", "a\u00a0", "\u200ba", "😀", "\x1b[31m", "\x01", "x" * 300, "[]", "{}", "[1]",
    '{"a": 1}', "\\N", "#", "\u2028",
)))  # fmt: skip
_UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
_NUMBERS = ("bool", "int8", "int16", "int32", "int64", *_UNSIGNED, "float32", "float64")
_DECIMALS = ((4, 2), (9, 3), (12, 6), (18, 10), (20, 5), (38, 10), (38, 20))
_DAY = datetime.date(1969, 12, 25)


def plain(value: Any) -> Any:
    """A value as any engine or frame may give it back, in one form."""
    if is_missing(value) or value is pd.NaT:
        return None
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, pd.Timestamp):
        value = value.to_pydatetime()
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.timezone.utc)
        return value.replace(tzinfo=None).isoformat()
    if isinstance(value, datetime.date):
        return datetime.datetime(value.year, value.month, value.day).isoformat()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    if isinstance(value, float) and math.isfinite(value):
        value = Decimal(repr(value))
    if isinstance(value, Decimal):
        if value.is_nan():
            return None
        if value == value.to_integral_value():
            return int(value)
        return float(value) if Decimal(repr(float(value))) == value else str(value.normalize())
    if isinstance(value, bool | int | float | str):
        return value
    return str(value)


@dataclass(frozen=True)
class Disguise:
    """What a tame column is called and how its values are written."""

    name: str
    kind: pa.DataType
    write: Callable[[Any], Any]
    tame: dict[Any, Any] = field(default_factory=dict)

    def array(self, values: Iterable[Any], kind: pa.DataType | None = None) -> pa.Array:
        """The values of the tame column."""
        kind = kind or self.kind
        written = [None if value is None else self.write(value) for value in values]
        if pa.types.is_dictionary(kind):
            return pa.array(written, kind.value_type, from_pandas=False).dictionary_encode()
        return pa.array(written, kind, from_pandas=False)

    def back(self, value: Any) -> Any:
        """The tame id for which one stands."""
        value = plain(value)
        if value is not None and not self.tame and isinstance(value, str) and pa.types.is_string(self.kind):
            return plain(number_of(value))  # a number that was written as text
        if value is None or not self.tame:
            return value
        # A text that looks like a number, and the number, are two: try the value itself first.
        for form in (value, str(value), str(value).lower()):
            if (type(form) is bool, form) in self.tame:
                return self.tame[type(form) is bool, form]
        return f"no id of the data: {value!r}"

    def back_from_expression(self, value: Any) -> Any:
        """The same of what an expression made: of the texts of a file it sees times, of which 12:00 is 12:00:00."""
        tame = self.back(value)
        lost = isinstance(tame, str) and tame.startswith("no id of the data") and str(value).endswith(":00")
        return self.back(str(value)[:-3]) if lost else tame


def number_of(text: Any) -> float | None:
    """The number that a text is."""
    try:
        return float(text) if isinstance(text, str) else None
    except ValueError:
        return None


def moment_of(text: Any) -> datetime.datetime | None:
    """The moment that a text is."""
    try:
        return datetime.datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None


def names(rng: Random, count: int, barred: Sequence[str] = ()) -> list[str]:
    """Different names, some of which differ in case only from a name with which they stand."""
    found: list[str] = []
    while len(found) < count:
        name = rng.choice(_NAMES) if rng.random() < 0.8 else f"{rng.choice(_NAMES)}{rng.choice(_NAMES)}"[:60]
        if not any(part in name for part in barred) and name not in found:
            found.append(name)
    return found


def number_types(values: Sequence[Any], engine: str) -> list[pa.DataType]:
    """The types that hold each of the values as it is."""
    known = [float(one) for one in values if not is_missing(one)]
    found = [getattr(pa, f"{name}_" if name == "bool" else name)() for name in _NUMBERS]
    if engine in ("postgres", "spark"):
        found = [kind for kind in found if str(kind) not in _UNSIGNED]
    if engine == "postgres":
        found.remove(pa.int8())
    fitting = [kind for kind in found if all(_holds(kind, one) for one in known)]
    for precision, scale in _DECIMALS:
        if all(math.isfinite(one) and _decimal_holds(precision, scale, one) for one in known):
            fitting.append(pa.decimal128(precision, scale))
    return fitting


def _holds(kind: pa.DataType, value: float) -> bool:
    if pa.types.is_boolean(kind):
        return value in (0, 1)
    if kind == pa.float64():
        return True
    if kind == pa.float32():
        return float(np.float32(value)) == value
    if not value.is_integer():
        return False
    try:
        pa.scalar(int(value), kind)
    except (pa.ArrowInvalid, OverflowError):
        return False
    return True


def _decimal_holds(precision: int, scale: int, value: float) -> bool:
    exact = Decimal(repr(value))
    digits = exact.as_tuple()
    assert isinstance(digits.exponent, int)
    return -digits.exponent <= scale and abs(exact) < 10 ** (precision - scale)


def write_number(kind: pa.DataType, value: Any) -> Any:
    """A number in the type; NaN is NULL where the type has none."""
    if is_missing(value):
        return value if pa.types.is_floating(kind) else None
    if pa.types.is_boolean(kind):
        return bool(value)
    if pa.types.is_decimal(kind):
        return Decimal(repr(float(value)))
    if pa.types.is_string(kind):
        return repr(float(value))
    return int(value) if pa.types.is_integer(kind) else float(value)


def number(rng: Random, name: str, values: Sequence[Any], engine: str) -> Disguise:
    """A column of numbers as some type that holds them; seldom as text, which is to be refused."""
    kinds = number_types(values, engine)
    kind = pa.string() if rng.random() < 0.02 and len(kinds) > 1 else rng.choice(kinds)
    return Disguise(name, kind, _with_either_zero(rng, kind, lambda value: write_number(kind, value)))


def _with_either_zero(rng: Random, kind: pa.DataType, write: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Some zeros of a column of fractions as -0, which is the same number."""
    if not pa.types.is_floating(kind) or rng.random() < 0.5:
        return write

    def either(value: Any) -> Any:
        written = write(value)
        return rng.choice([0.0, -0.0]) if written == 0 else written

    return either


def ids(rng: Random, name: str, values: Sequence[Any], engine: str) -> Disguise:
    """A column of ids as other ids."""
    known = sorted({one for one in values if not is_missing(one)}, key=lambda one: (str(type(one)), one))
    numbers = all(isinstance(one, int | float) for one in known)
    forms = _NUMBER_IDS if numbers else _TEXT_IDS
    kind, of_place = rng.choice([make for engines, make in forms if engine in engines])(rng, len(known))
    written = {one: of_place(place) for place, one in enumerate(known)}
    tame: dict[Any, Any] = {}
    for one, other in written.items():
        for form in (plain(other), str(other), str(plain(other))):
            tame.setdefault((type(form) is bool, form), one)
    for one, other in written.items():  # NULL and null are two texts
        tame.setdefault((False, str(plain(other)).lower()), one)
        if isinstance(other, Decimal) and Decimal(float(other)) == other:  # as JSON's reader writes it: 1e15 as …0.0
            tame.setdefault((False, repr(float(other))), one)
    for one, other in written.items():  # what a file of text may make of a text
        for form in (number_of(other), {"true": True, "false": False}.get(str(other).lower()), moment_of(other)):
            if form is not None:
                tame.setdefault((type(form) is bool, plain(form)), one)
    write = _with_either_zero(rng, kind, lambda value: None if is_missing(value) else written[value])
    return Disguise(name, kind, write, tame)


Ids = tuple[pa.DataType, Callable[[int], Any]]
_ALL = ("duckdb", "postgres", "clickhouse", "spark")


def _texts(rng: Random, count: int) -> Ids:
    chosen = rng.sample(_TEXTS, count) if count <= len(_TEXTS) else [f"{rng.choice(_TEXTS)}{i}" for i in range(count)]
    return rng.choice(
        [pa.string(), pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]
    ), chosen.__getitem__


def _simple_texts(rng: Random, count: int) -> Ids:
    return pa.string(), lambda place: f"user {place:03}"


def _shuffled(rng: Random, count: int) -> list[int]:
    places = list(range(count))
    rng.shuffle(places)
    return places


def _numbers(kind: pa.DataType, first: int, scale: int = 1) -> Callable[[Random, int], Ids]:
    return lambda _rng, _count: (kind, lambda place: first + scale * place)


def _decimals(precision: int, scale: int, first: int) -> Callable[[Random, int], Ids]:
    return lambda _rng, _count: (pa.decimal128(precision, scale), lambda place: Decimal(first + place).scaleb(-scale))


def _days(rng: Random, count: int) -> Ids:
    return pa.date32(), lambda place: _DAY + datetime.timedelta(days=place)


def _moments(zone: str | None, unit: str) -> Callable[[Random, int], Ids]:
    start = datetime.datetime(1969, 12, 31, 23, 59, 57, tzinfo=datetime.timezone.utc if zone else None)
    return lambda _rng, _count: (
        pa.timestamp(unit, zone),
        lambda place: start + datetime.timedelta(milliseconds=500 * place),
    )


def _truths(rng: Random, count: int) -> Ids:
    return (pa.bool_(), bool) if count <= 2 else _texts(rng, count)


def _bytes(rng: Random, count: int) -> Ids:
    return pa.binary(), lambda place: bytes([place, 0, 255, 34, 39, 92])


def _uuids(rng: Random, count: int) -> Ids:
    return pa.string(), lambda place: str(uuid.UUID(int=2**127 + place))


#: Which engines have them, and how they are made. Numbers stand for numbers in their order.
_NUMBER_IDS: list[tuple[Sequence[str], Callable[[Random, int], Ids]]] = [
    (("duckdb", "clickhouse", "spark"), _numbers(pa.int16(), -30)),
    (_ALL, _numbers(pa.int32(), 0)),
    (_ALL, _numbers(pa.int64(), 2**53 - 3)),
    (_ALL, _numbers(pa.int64(), 2**62, 3)),
    (_ALL, _numbers(pa.int64(), -(2**63))),
    (("duckdb", "clickhouse"), _numbers(pa.uint64(), 2**63 - 3)),
    (_ALL, _numbers(pa.decimal128(38, 0), 10**30)),
    (_ALL, _decimals(12, 2, -7)),
    (_ALL, _decimals(38, 10, 10**25)),
    (_ALL, lambda _rng, _count: (pa.float64(), lambda place: place / 8 - 1)),
    (_ALL, lambda _rng, _count: (pa.float32(), lambda place: place / 8 - 1)),
    (_ALL, _days),
    (_ALL, _moments(None, "us")),
]
_TEXT_IDS: list[tuple[Sequence[str], Callable[[Random, int], Ids]]] = [
    *_NUMBER_IDS,
    *[(_ALL, _texts)] * 8,
    (_ALL, _simple_texts),
    (_ALL, _uuids),
    (_ALL, _truths),
    (("duckdb",), _bytes),
    (("duckdb", "spark", "postgres"), _moments("UTC", "us")),
    (("duckdb",), _moments(None, "ns")),
    (("duckdb",), _moments(None, "ms")),
]
