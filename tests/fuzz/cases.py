"""Random calls over sample rows, and the same rows in disguise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa

import sqlmetrics
from tests.data import COLUMNS, COLUMNS_OF_PARAMETERS, DATA_TYPES, JUDGED, arrow, relations_of, sample
from tests.variants import MetricCall, calls, roles_of, weighable

from .columns import STRING_TYPES, Disguise, disguised_ids, disguised_numbers, names

_IDS = ("user_id", "ad", "doc", "campaign", "device", "country")
#: The slice columns, and the names of expressions over them.
_SLICE_NAMES = {"device": "x", "country": "Gerät", "campaign": "select", "w": "A1", "place": "Slice_1"}
#: Expressions that do not change the values of a column.
_EXPRESSIONS = (" ({0}) ", "coalesce({0}, {0})", "{0} -- as it is", "/* as it is */ {0}\n")
#: Conditions on the rows; NaN is above every number, and NULL is not.
_CONDITIONS = (
    ("w", "{0} >= 0.5 and {0} < 1000"),
    ("country", "{0} is not null"),
    ("place", "{0} > 2 and {0} < 1000 -- not all"),
)


class Reference(NamedTuple):
    """A column of a role or a slice, or an expression over it after a prefix `before`, as in `= x` or `name = x`."""

    column: str
    expression: str = ""
    before: str = ""

    @property
    def label(self) -> str:
        """The name of the slice column in the result of the baseline."""
        return self.before.partition(" ")[0] or self.column


@dataclass(frozen=True, eq=False)
class Case:
    """A call over sample rows: its arguments hold references to the columns of the baseline."""

    data_type: str
    metrics: Sequence[MetricCall]
    arguments: dict[str, Any]
    rows: pd.DataFrame

    @property
    def slices(self) -> list[Reference]:
        return self.arguments["by"]

    @property
    def references(self) -> list[Reference]:
        values = [part for value in self.arguments.values() for part in (value if isinstance(value, list) else [value])]
        return [value for value in values if isinstance(value, Reference)]

    @property
    def columns(self) -> list[str]:
        """The columns that the call reads."""
        read = [reference.column for reference in self.references]
        return list(dict.fromkeys([*read, *COLUMNS_OF_PARAMETERS.get(self.data_type, [])]))

    @property
    def relations(self) -> dict[str, pd.DataFrame]:
        read = {name for entry in self.metrics for name in entry.metric.relations}
        return {
            name: rows for name, rows in relations_of(sample(self.data_type), self.data_type).items() if name in read
        }


@cache
def _metric_calls(data_type: str) -> list[MetricCall]:
    """Every variant of every metric for a type of data."""
    return [metric for entry in calls(every_variant=True) if entry.data_type == data_type for metric in entry.metrics]


def random_case(rng: Random) -> Case:
    def chance(probability: float) -> bool:
        return rng.random() < probability

    data_type = rng.choice(list(DATA_TYPES))
    candidates = _metric_calls(data_type)
    metrics = [rng.choice(candidates)]
    has_table = metrics[0].metric.table
    if not has_table:
        others = [entry for entry in candidates if not entry.metric.table]
        metrics += rng.sample(others, min(len(others), rng.choice([0, 0, 1, 2, 5])))
    metrics = list({entry.name: entry for entry in metrics}.values())
    columns = {role: column for entry in metrics for role, column in roles_of(entry.metric, data_type).items()}
    for role in ("weight", "group_weight", "tie_key"):
        is_supported = any(role in entry.metric.roles() for entry in metrics)
        if is_supported and not (role == "weight" and "positives" in columns) and chance(0.4):
            columns[role] = COLUMNS[role]
    if data_type in JUDGED and "group_weight" in columns and chance(0.9):
        metrics = list(weighable(metrics))
    named = ("group", "item", "label", "subtopic") if data_type in JUDGED else ()  # the judgments have their names
    arguments: dict[str, Any] = {
        role: Reference(column, *([rng.choice(_EXPRESSIONS), "= "] if role not in named and chance(0.08) else []))
        for role, column in columns.items()
    }
    if "score" in arguments and chance(0.15):
        arguments["score"] = [Reference("pctr"), Reference("pctr2")]
    slices = {column: Reference(column) for column in _SLICE_NAMES if column != "w" or data_type != "pre-aggregated"}
    for column in slices:
        if chance(0.2):
            slices[column] = Reference(column, rng.choice(_EXPRESSIONS), f"{_SLICE_NAMES[column]} = ")
    arguments["by"] = [slices[column] for column in rng.sample(list(slices), rng.choice([0, 0, 1, 1, 2]))]
    if chance(0.25):
        arguments["where"] = Reference(*rng.choice(_CONDITIONS))
    arguments |= {"diagnostics": chance(0.2) and not has_table, "strict": chance(0.1)}
    return Case(data_type, metrics, arguments, _random_rows(rng, data_type, list(columns.values())))


def _random_rows(rng: Random, data_type: str, columns: Sequence[str]) -> pd.DataFrame:
    """Sample rows, some with values that are missing, infinite or exact in few bits."""
    rows = sample(data_type, rows=60, seed=rng.randrange(10_000)).astype(object)
    rows["pctr2"] = rng.sample(list(rows["pctr"]), len(rows))
    rows = rows.iloc[: rng.choice([0, 1, 2, 7, 60, 60, 60, 60])].reset_index(drop=True)
    scale = rng.choice([2, 8, 8, None, None])
    if scale and data_type != "class scores":
        for column in ("pctr", "pctr2"):
            rows[column] = [int(scale * value) / scale for value in rows[column]]
    if len(rows) and rng.random() < 0.4:
        for column in rng.sample([*columns, "device", "country", "campaign"], rng.choice([1, 2])):
            missing = [None] if any(isinstance(value, str) for value in rows[column]) else [None, float("nan")]
            lost = set(rng.sample(range(len(rows)), rng.choice([1, len(rows) // 5, len(rows)])))
            values = [rng.choice(missing) if row in lost else value for row, value in enumerate(rows[column])]
            rows[column] = pd.Series(values, dtype=object)
    return rows


def baseline_table(rows: pd.DataFrame) -> pa.Table:
    """The rows as a table that distinguishes NULL and NaN; empty columns have the type of similar ones."""
    table = arrow(rows)
    # A class and its prediction have one type.
    texts = {"user_id", "campaign", "device", "country", "aspect"}
    if any(isinstance(value, str) for value in [*rows["clicked"], *rows.get("called", [])]):
        texts |= {"clicked", "called"}
    for at, name in enumerate(rows):
        if pa.types.is_null(table[name].type):
            table = table.set_column(at, name, table[name].cast(pa.string() if name in texts else pa.float64()))
    return table


def disguise(case: Case, rng: Random, engine: str) -> tuple[pa.Table, dict[str, pa.Table], dict[str, Disguise]]:
    """The rows and further relations with other names, types, ids, order and unread columns; the disguise by column."""
    columns, relations = case.columns, case.relations
    chosen = _column_names(case, rng, engine, len(columns), rng.choice([0, 0, 1, 3]))
    disguises: dict[str, Disguise] = {}
    for column, name in zip(columns, chosen, strict=False):
        parts = [column, *(("item_a", "item_b") if column == COLUMNS["item"] else ())]
        tables = [case.rows, *relations.values()]
        values = [value for table in tables for part in parts if part in table for value in table[part]]
        if column in _IDS:
            disguises[column] = disguised_ids(rng, name, values, engine)
        elif any(isinstance(entry, str) for entry in values):
            text = lambda value: value if isinstance(value, str) else None  # noqa: E731
            disguises[column] = Disguise(name, rng.choice(STRING_TYPES), text)
        else:
            disguises[column] = disguised_numbers(rng, name, values, engine)
    arrays = {entry.name: entry.array(case.rows[column]) for column, entry in disguises.items()}
    for name in chosen[len(columns) :]:
        arrays[name] = pa.array([rng.choice(["x", None])] * len(case.rows), pa.string())
    order = pa.array(rng.sample(range(len(case.rows)), len(case.rows)), pa.int64())
    table = pa.table({name: arrays[name] for name in rng.sample(list(arrays), len(arrays))})
    return table.take(order), {name: _disguised(rows, disguises) for name, rows in relations.items()}, disguises


def _column_names(case: Case, rng: Random, engine: str, read: int, unread: int) -> list[str]:
    # Spark also replaces `${name}` in the caller's own expressions.
    has_sql = any(reference.expression for reference in case.references)
    chosen = names(rng, read + unread, ["${"] if engine == "spark" and (has_sql or rng.random() < 0.9) else [])
    if engine == "postgres":  # PostgreSQL cuts names after 63 bytes, and has a system column ctid
        chosen = [name.encode()[:60].decode(errors="ignore").replace("ctid", "ctid_") for name in chosen]
    if case.data_type in COLUMNS_OF_PARAMETERS:  # parameters name columns by strings, in which = starts an expression
        chosen = [name.replace("=", "~") for name in chosen]
    lower = [name.lower() for name in chosen]
    return [f"{name}~{number}" if lower[number] in lower[:number] else name for number, name in enumerate(chosen)]


def _disguised(relation: pd.DataFrame, disguises: Mapping[str, Disguise]) -> pa.Table:
    """A further relation with the disguised ids and names."""
    columns = {}
    for name in relation.columns:
        entry = disguises.get(COLUMNS["item"] if name in ("item_a", "item_b") else name)
        new_name = name if entry is None or name in ("item_a", "item_b") else entry.name
        is_plain = entry is None or name == COLUMNS["label"]
        columns[new_name] = arrow(relation[[name]])[name] if is_plain else entry.array(relation[name])
    return pa.table(columns)


def quoted(name: str, dialect: str) -> str:
    if dialect == "spark":
        return "`" + name.replace("`", "``") + "`"
    name = name.replace("\\", "\\\\").replace('"', '\\"') if dialect == "clickhouse" else name.replace('"', '""')
    return f'"{name}"'


def call(
    case: Case,
    data: Any,
    relations: Mapping[str, Any],
    options: Mapping[str, Any],
    dialect: str = "duckdb",
    disguises: Mapping[str, Disguise] | None = None,
) -> pd.DataFrame:
    """Run the call of a case; the variant has other names."""
    new_names = {column: disguises[column].name if disguises else column for column in case.columns}

    def written(value: Any) -> Any:
        if isinstance(value, list):
            return [written(part) for part in value]
        if not isinstance(value, Reference):
            return value
        name = new_names[value.column]
        has_sql = value.expression != ""
        return value.before + value.expression.format(quoted(name, dialect)) if has_sql else sqlmetrics.column(name)

    specs = [dict(entry.spec) for entry in case.metrics]
    for spec in specs:
        for parameter in {"scores", "quantiles"} & spec.keys():
            spec[parameter] = {key: new_names[column] for key, column in spec[parameter].items()}
    arguments = {name: written(value) for name, value in case.arguments.items() if value != []}
    return sqlmetrics.evaluate(data, specs, **arguments, **relations, **options)
