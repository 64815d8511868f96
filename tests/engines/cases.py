"""The edge data of the engine tests: tables, and calls of every metric.

One table contains many edge cases, each in a slice, so that one statement covers them all.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import sqlmetrics
from sqlmetrics.engines import Engine
from tests.data import COLUMNS, JUDGED, arrow, relations_of, relations_of_sample, sample
from tests.variants import Call, MetricCall, calls, quiet

#: Slices with strings that an engine might misread. The last two have a single class.
_DEVICES = ("phone", None, "back\\slash", "NULL", 'a "quoted" ü–日本', "it's")
_GROUP = 'it\'s \\ "{}" ß'
#: Names of columns, slices, results and models that an engine could interpret as SQL, an escape, a variable, or the end
#: of a name or of a comment.
HOSTILE_NAMES = (
    "back\\slash", "ends in \\", "\\", "\\n", "\\x41", "\\u0041", "E'\\'",
    'x\\" , (select 1) as y, -- ', "x\\` , (select 1) as y, -- ", "x\\' or 1 = 1 --",
    '"', "`", "'", '""', "``", "''", 'a"b', "a`b", "it's", "[x]", "(x", ")", "a,b", "a.b",
    "-- x", "/* x", "*/", "# x", ";", "$$", "$tag$", "$1", "ends in $", "{env:HOME}", "$ {env:HOME}",
    "{x:String}", "{{ x }}", "%s", "%(x)s", ":x", "?", "@x",
    "a\tb", "a\nb", "a\r\nb", "null", "select", "ü–日本", " blank ",
)  # fmt: skip
#: Spark substitutes variables in these before it parses the statement, even inside quotes.
REPLACED_BY_SPARK = ("${env:HOME}", "a${b}", "\\${env:HOME}", "\\${")


def hostile_table() -> pa.Table:
    """A label, a score and a slice, with copies of both for each name: `s:name` and `d:name`."""
    data = sample("labels")
    columns = {"clicked": data["clicked"], "pctr": data["pctr"], "device": data["country"]}
    columns |= {f"s:{name}": data["pctr"] for name in (*HOSTILE_NAMES, *REPLACED_BY_SPARK)}
    columns |= {f"d:{name}": data["country"] for name in (*HOSTILE_NAMES, *REPLACED_BY_SPARK)}
    return arrow(pd.DataFrame(columns))


@dataclass(frozen=True, eq=False)
class Case:
    """Metrics of one table of edge data."""

    data_set: str
    call: Call
    by: tuple[str, ...]

    @property
    def name(self) -> str:
        """The id of a test."""
        metrics = self.call.metrics[0].metric.name if self.call.table else "all"
        return f"{self.call.data_type}: {metrics} of {self.data_set}".replace(" ", "_")

    @property
    def table(self) -> str:
        """The name of the table."""
        return f"{self.data_set}_{self.call.data_type}".replace(" ", "_").replace("-", "_")

    @property
    def data(self) -> pd.DataFrame:
        """The rows, as the oracles read them."""
        return rows_of(self.data_set, self.call.data_type)

    def of(self, metrics: Sequence[MetricCall]) -> Case:
        """The case with some of its metrics."""
        return replace(self, call=self.call.of(metrics))

    @property
    def relations(self) -> dict[str, str]:
        """The tables of the further relations that the call reads."""
        return {
            name: f"{self.table}_{name}"
            for name in relations_of_sample(self.call.data_type)
            if any(name in requested.metric.relations for requested in self.call.metrics)
        }

    def evaluate(self, engine: Engine | None = None, **options: Any) -> pd.DataFrame:
        """The result of an engine that has the tables loaded."""
        options = {"by": list(self.by) or None, **self.call.roles, **self.relations, "engine": engine, **options}
        return quiet(lambda: sqlmetrics.evaluate(self.table, self.call.specs, **options))


#: Frames whose iterations are unrolled where an engine lacks recursion: a dozen seconds on Spark, even for few rows.
LONG_ON_SPARK = frozenset({"logistic_fit", "recalibrated_scores"})


@functools.cache
def rows_of(data_set: str, data_type: str) -> pd.DataFrame:
    """The rows of a data set; a missing value is None or NaN."""
    data = sample(data_type, rows=96)
    rng = np.random.default_rng([3, len(data_type)])
    data["user_id"] = [_GROUP.format(user[-1]) for user in data["user_id"]]
    data = data.astype(object)
    if data_set in ("slices", "weighted"):
        data["device"] = [_DEVICES[index] for index in rng.integers(0, len(_DEVICES), len(data))]
        for device, label in zip(_DEVICES[-2:], sorted(set(data["clicked"])), strict=False):
            data.loc[(data["device"] == device).to_numpy(), "clicked"] = label
        _remove_some(data, data_type, rng)
        data["w"] = [None if row == 5 else weight for row, weight in enumerate(data["w"])]
    elif data_set == "typed" and data_type in ("numbers", "amounts"):
        # Squares of these exceed 64 bits.
        for column in ("clicked", "pctr"):
            data[column] = [float(round(8 * value) * 1_000_000_001) for value in data[column]]
    elif data_set == "typed" and data_type == "pre-aggregated":
        # The products of their sums exceed 64 bits too.
        for column in ("clicks", "views"):
            data[column] = [value * 1_000_000_000_000 for value in data[column]]
    elif data_set == "empty":
        data = data.iloc[:0]
    return data.reset_index(drop=True)


def _remove_some(data: pd.DataFrame, data_type: str, rng: np.random.Generator) -> None:
    """Replace some values with NULL and, in columns of numbers, with NaN."""
    texts = data_type in ("classes", "class scores", "rated classes")
    numbers = ("pctr", "place", "mass", "taken", "earned", "logged", "low", "shown_at")
    for column in ("clicked", "called", "user_id", "campaign", *numbers):
        if column in data:
            lost = rng.choice(len(data), 4, replace=False)
            data.loc[lost[:2], column] = None
            if column in numbers or (column in ("clicked", "called") and not texts):
                data.loc[lost[2:], column] = float("nan")


_DECIMAL = pa.decimal128(10, 2)
#: The types of the data set "typed", by type of data and column; others are doubles and strings.
_TYPES: dict[str, dict[str, pa.DataType]] = {
    "labels": {"clicked": pa.bool_(), "pctr": _DECIMAL}, "predictions": {"clicked": _DECIMAL, "called": pa.bool_()},
    "pre-aggregated": {"clicks": pa.int64(), "views": pa.int64(), "pctr": _DECIMAL},
    "numbers": {"clicked": pa.int64(), "pctr": pa.int64()}, "positive numbers": {"pctr": pa.float32()},
    "amounts": {"clicked": pa.int64(), "pctr": pa.decimal128(20, 0)}, "signed grades": {"clicked": pa.int32()},
    "counts": {"clicked": pa.int32(), "pctr": pa.decimal128(12, 3)}, "ranked lists": {"place": pa.int16()},
    "ranks": {"clicked": _DECIMAL, "place": pa.int32()}, "judged subtopics": {"pctr": _DECIMAL},
    "grades": {"clicked": pa.int32(), "pctr": _DECIMAL}, "judged ranks": {"clicked": pa.int64(), "place": pa.int64()},
    "judged": {"clicked": pa.int64(), "pctr": _DECIMAL, "shown_at": pa.int16()},
    "subtopics": {"clicked": pa.bool_(), "pctr": _DECIMAL}, "ranked subtopics": {"place": pa.int16()},
    "bids": {"taken": pa.bool_(), "mass": pa.decimal128(12, 5)},
    "forecasts": {"clicked": pa.decimal128(12, 3), "low": pa.float32(), "middle": pa.decimal128(12, 3)},
    "slates": {"earned": _DECIMAL, "logged": pa.float32(), "place": pa.int16()},
    "logged actions": {"earned": _DECIMAL, "logged": pa.decimal128(12, 6), "chosen": pa.float32()},
}  # fmt: skip


def table_of(data_set: str, data_type: str) -> pa.Table:
    """The rows as a table with types."""
    table = arrow(rows_of(data_set, data_type))
    # An empty column has its type from another data set.
    types = {field.name: field.type for field in arrow(rows_of("plain", data_type)).schema}
    if data_set == "typed":
        types |= _TYPES.get(data_type, {})
    columns = {}
    for name in table.column_names:
        values = table[name].to_pylist()
        if pa.types.is_decimal(types[name]):
            values = [None if value is None else Decimal(str(value)) for value in values]
        elif pa.types.is_boolean(types[name]):
            values = [None if value is None else bool(value) for value in values]
        columns[name] = pa.array(values, types[name], from_pandas=False)
    return pa.table(columns)


def _weighted(call: Call) -> Call:
    """The call with the weights that its metrics support."""
    weights = ("weight", "group_weight") if call.data_type != "pre-aggregated" else ()
    taken = {role: COLUMNS[role] for role in weights if call.takes(role)}
    return replace(call, roles={**call.roles, **taken}).weighable


@functools.cache
def cases() -> list[Case]:
    """Every metric on every type of data that it supports, in every data set."""
    every = []
    for call in calls():
        if call.data_type in JUDGED:  # groups without returned rows count only without slices
            every += [Case("slices", call, ()), Case("weighted", _weighted(call), ("country",))]
        else:
            every.append(Case("slices", _weighted(call), ("device",)))
        every += [Case(data_set, call, ()) for data_set in (("empty",) if call.table else ("typed", "empty"))]
    return every


@functools.cache
def each_metric_once() -> list[Case]:
    """Cases of slices that cover every metric, also with judgments where a metric supports them."""
    few = []
    covered: set[tuple[str, bool]] = set()
    for case in sorted(cases(), key=lambda case: len(case.call.metrics), reverse=True):
        names = {(requested.metric.name, case.call.data_type in JUDGED) for requested in case.call.metrics}
        if case.data_set == "slices" and case.call.data_type != "pre-aggregated" and not names <= covered:
            covered |= names
            few.append(case)
    return few


@functools.cache
def each_frame_once() -> list[Case]:
    """The same cases with one metric of each frame."""
    few = []
    covered: set[Any] = set()
    for case in each_metric_once():
        judged = case.call.data_type in JUDGED
        new = {(requested.metric.frames, judged): requested for requested in case.call.metrics}
        few.append(case.of([requested for frames, requested in new.items() if frames not in covered]))
        covered |= new.keys()
    return [case for case in few if case.call.metrics]


@functools.cache
def each_choice_once() -> list[Case]:
    """Cases of slices that cover every choice of a parameter on every frame: it may have steps of its own."""
    few = []
    covered: set[Any] = set()
    for call in calls(every_variant=True):
        chosen = []
        for requested in call.metrics:
            parameters = requested.metric.parameters
            choices = {
                (requested.metric.frames, name, value)
                for name, value in requested.arguments.items()
                if parameters[name].type in ("choice", "boolean")
            }
            if not choices <= covered:
                covered |= choices
                chosen.append(requested)
        if chosen:
            few.append(Case("slices", call.of(chosen), () if call.data_type in JUDGED else ("device",)))
    return few


def tables_of(some: Iterable[Case]) -> dict[str, pa.Table]:
    """The tables of cases by name."""
    named: dict[str, pa.Table] = {}
    for case in some:
        if case.table in named:
            continue
        named[case.table] = table_of(case.data_set, case.call.data_type)
        full = relations_of(rows_of("plain", case.call.data_type), case.call.data_type)
        for name, relation in relations_of(case.data, case.call.data_type).items():
            columns = {
                # pandas may represent a missing string as NaN.
                f.name: pa.array(list(relation[f.name]), f.type, from_pandas=pa.types.is_string(f.type))
                for f in arrow(full[name]).schema
            }
            named[f"{case.table}_{name}"] = pa.table(columns)
    return named


def special_tables() -> dict[str, pa.Table]:
    """Tables of some cases, and tables of special names and numbers."""
    texts = [*HOSTILE_NAMES, *REPLACED_BY_SPARK]
    # Doubles close to 0 and 1, each with both labels.
    scores = np.repeat([0.0, 5e-324, 1e-310, 1e-300, 1e-200, 1e-160, 0.5, 1 - 2.0**-53, 1.0], 2)
    few = ("slices_labels", "empty_labels", "slices_grades", "typed_grades", "slices_judged")
    return tables_of(case for case in cases() if case.table in few) | {
        "hostile": hostile_table(), "edges": arrow(pd.DataFrame({"clicked": [0.0, 1.0] * 9, "pctr": scores})),
        "hostile_texts": pa.table({"place": range(len(texts)), "kind": texts}),
    }  # fmt: skip
