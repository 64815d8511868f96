"""Random calls over sample rows, and the same rows in disguise."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa

import sqlmetrics
from sqlmetrics.catalogue.vocabulary import PRESETS
from tests.data import COLUMNS, COLUMNS_OF_PARAMETERS, JUDGED, KINDS, arrow, relations_of, sample
from tests.variants import MetricCall, calls, roles_of, weighable

from .columns import STRING_TYPES, Disguise, disguised_ids, disguised_numbers, names

#: The columns that hold ids.
_IDS = ("user_id", "ad", "doc", "campaign", "device", "country")
#: The columns of slices, and the names of expressions over them.
_SLICE_NAMES = {"device": "x", "country": "Gerät", "campaign": "select", "w": "A1", "place": "Slice_1"}
#: Expressions that do not change the values of a column.
_EXPRESSIONS = (
    "{0}", " ({0}) ", "coalesce({0}, {0})", "{0} -- as it is", "/* as it is */ {0}\n", "case when 1 = 1 then {0} end",
)  # fmt: skip
_CONDITIONS = (("w", "{0} >= 0.5 and {0} < 1000"), ("country", "{0} is not null"), ("place", "{0} > 2 -- not all"))


class Reference(NamedTuple):
    """A column of a role or a slice, or an expression over it after `before`, as in `= x` or `name = x`."""

    column: str
    expression: str = ""
    before: str = ""

    @property
    def label(self) -> str:
        """The column of the result of the baseline, for a slice."""
        return self.before.partition(" ")[0] or self.column


def references_in(value: Any) -> list[Reference]:
    if isinstance(value, Reference):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [reference for part in parts for reference in references_in(part)]


def replaced(value: Any, write: Callable[[Reference], Any]) -> Any:
    if isinstance(value, dict):
        return {name: replaced(part, write) for name, part in value.items()}
    if isinstance(value, list):
        return [replaced(part, write) for part in value]
    return write(value) if isinstance(value, Reference) else value


@dataclass(frozen=True, eq=False)
class Case:
    """A call over sample rows: its arguments hold references to the columns of the baseline."""

    kind: str
    function: str
    metrics: Sequence[MetricCall]
    result_names: Sequence[str]
    arguments: dict[str, Any]
    rows: pd.DataFrame

    @property
    def slices(self) -> list[Reference]:
        return references_in(self.arguments["by"])

    @property
    def columns(self) -> list[str]:
        """The columns that the call reads."""
        read = [reference.column for reference in references_in(self.arguments)]
        return list(dict.fromkeys([*read, *COLUMNS_OF_PARAMETERS.get(self.kind, [])]))

    @property
    def relations(self) -> dict[str, pd.DataFrame]:
        read = {name for entry in self.metrics for name in entry.metric.relations}
        return {name: rows for name, rows in relations_of(sample(self.kind), self.kind).items() if name in read}

    @property
    def named_metrics(self) -> dict[str, str]:
        """The result column of each metric of one column, and its name in the variant."""
        pairs = zip(self.metrics, self.result_names, strict=False)
        return {entry.name: name for entry, name in pairs if not entry.metric.table and len(entry.columns) == 1}

    def new_names(self, disguises: Mapping[str, Disguise]) -> dict[str, str]:
        """The columns of the result of the variant, by those of the baseline."""
        slices = {entry.label: entry.label if entry.before else disguises[entry.column].name for entry in self.slices}
        gaps = {f"{end}_{old}": f"{end}_{new}" for old, new in slices.items() for end in ("highest", "lowest")}
        return {**slices, **gaps, **self.named_metrics}


@cache
def _metric_calls(kind: str) -> list[MetricCall]:
    """Every variant of every metric for a kind of data."""
    return [metric for entry in calls(every_variant=True) if entry.kind == kind for metric in entry.asked]


def random_case(rng: Random) -> Case:
    def chance(probability: float) -> bool:
        return rng.random() < probability

    kind = rng.choice(list(KINDS))
    grouped = [entry for entry in _metric_calls(kind) if entry.metric.has_group_value]
    per_group = bool(grouped) and chance(0.1)
    candidates = grouped if per_group else _metric_calls(kind)
    metrics = [rng.choice(candidates)]
    has_table = metrics[0].metric.table
    if not has_table:
        others = [entry for entry in candidates if not entry.metric.table]
        metrics += rng.sample(others, min(len(others), rng.choice([0, 0, 1, 2, 5])))
    metrics = list({entry.name: entry for entry in metrics}.values())
    columns = {role: column for entry in metrics for role, column in roles_of(entry.metric, kind).items()}
    for role in ("weight", "group_weight", "tie_key"):
        is_supported = any(role in entry.metric.roles() for entry in metrics)
        if is_supported and not (role == "weight" and "positives" in columns) and chance(0.4):
            columns[role] = COLUMNS[role]
    if kind in JUDGED and "group_weight" in columns and chance(0.9):
        metrics = list(weighable(metrics))
    named = ("group", "item", "label", "subtopic") if kind in JUDGED else ()  # the judgments have their names
    arguments: dict[str, Any] = {
        role: Reference(column, *([rng.choice(_EXPRESSIONS), "= "] if role not in named and chance(0.08) else []))
        for role, column in columns.items()
    }
    models = "score" in arguments and chance(0.15)
    if models:
        arguments["score"] = [Reference("pctr"), Reference("pctr2")]
    slices = {column: Reference(column) for column in _SLICE_NAMES if column != "w" or kind != "pre-aggregated"}
    for column in slices:
        if chance(0.2):
            slices[column] = Reference(column, rng.choice([*_EXPRESSIONS, "{0} -- it"]), f"{_SLICE_NAMES[column]} = ")
    counts = [rng.choice([0, 0, 1, 1, 2]) for _ in range(rng.choice([1, 1, 3]))]
    groupings = sorted({tuple(sorted(rng.sample(list(slices), count))) for count in counts})
    by = [[slices[column] for column in grouping] for grouping in groupings]
    arguments["by"] = by if len(by) > 1 else by[0]
    if chance(0.25):
        arguments["where"] = Reference(*rng.choice(_CONDITIONS))
    drawn = {"diagnostics": chance(0.2) and not has_table and not per_group, "strict": chance(0.1),
             "preset": rng.choice(PRESETS) if chance(0.12) else None}  # fmt: skip
    arguments |= {name: value for name, value in drawn.items() if value}
    function = "per_group" if per_group else "evaluate"
    if not (per_group or has_table or len(by) > 1 or drawn["diagnostics"]):
        function = "compare" if models and chance(0.7) else "gaps" if any(by) and chance(0.15) else function
    result_names = names(rng, len(metrics)) if function == "evaluate" and chance(0.3) else []
    return Case(kind, function, metrics, result_names, arguments, _random_rows(rng, kind, list(columns.values())))


def _random_rows(rng: Random, kind: str, columns: Sequence[str]) -> pd.DataFrame:
    """Sample rows, some with values that are missing, infinite or exact in few bits."""
    rows = sample(kind, rows=60, seed=rng.randrange(10_000)).astype(object)
    rows["pctr2"] = rng.sample(list(rows["pctr"]), len(rows))
    rows = rows.iloc[: rng.choice([0, 1, 2, 7, 60, 60, 60, 60])].reset_index(drop=True)
    scale = rng.choice([2, 8, 8, None, None])
    if scale and kind != "class scores":
        for column in ("pctr", "pctr2"):
            rows[column] = [int(scale * value) / scale for value in rows[column]]
    if kind == "grades" and rng.random() < 0.1:
        rows["pctr"] = [rng.choice([value, value, float("inf"), float("-inf")]) for value in rows["pctr"]]
    if len(rows) and rng.random() < 0.4:
        for column in rng.sample([*columns, "device", "country", "campaign"], rng.choice([1, 2])):
            missing = [None] if any(isinstance(value, str) for value in rows[column]) else [None, float("nan")]
            lost = set(rng.sample(range(len(rows)), rng.choice([1, len(rows) // 5, len(rows)])))
            values = [rng.choice(missing) if row in lost else value for row, value in enumerate(rows[column])]
            rows[column] = pd.Series(values, dtype=object)
    return rows


def baseline_table(rows: pd.DataFrame) -> pa.Table:
    """The rows, with NULL and NaN apart, in which a column without a value has the type of the others like it."""
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
    fillers = [(pa.string(), "x"), (pa.float64(), float("nan")), (pa.int32(), 7), (pa.string(), None)]
    if engine == "duckdb":
        fillers += [(pa.list_(pa.int32()), [1, 2]), (pa.struct([("a", pa.int32())]), {"a": 1})]
    for name in chosen[len(columns) :]:
        dtype, value = rng.choice(fillers)
        arrays[name] = pa.array([value] * len(case.rows), dtype, from_pandas=False)
    order = pa.array(rng.sample(range(len(case.rows)), len(case.rows)), pa.int64())
    table = pa.table({name: arrays[name] for name in rng.sample(list(arrays), len(arrays))})
    return table.take(order), {name: _disguised(rows, disguises) for name, rows in relations.items()}, disguises


def _column_names(case: Case, rng: Random, engine: str, read: int, unread: int) -> list[str]:
    # Spark replaces `${name}` in expressions too, which are the caller's own.
    has_sql = any(reference.expression for reference in references_in(case.arguments))
    chosen = names(rng, read + unread, ["${"] if engine == "spark" and (has_sql or rng.random() < 0.9) else [])
    if rng.random() < 0.3:
        chosen[:read] = case.columns
    if engine == "postgres":  # it cuts names after 63 bytes, and every table has a column ctid
        chosen = [name.encode()[:60].decode(errors="ignore").replace("ctid", "ctid_") for name in chosen]
    if case.kind in COLUMNS_OF_PARAMETERS:  # the columns of parameters are strings, in which = starts an expression
        chosen = [name.replace("=", "~") for name in chosen]
    # A name that differs in case only is refused on most engines.
    if unread and rng.random() < (0.5 if engine in ("postgres", "clickhouse") else 0.05):
        chosen[-1] = rng.choice([chosen[0].upper(), chosen[0].lower(), chosen[0].swapcase()])
    return [name if name not in chosen[:number] else f"{name}~{number}" for number, name in enumerate(chosen)]


def _disguised(relation: pd.DataFrame, disguises: Mapping[str, Disguise]) -> pa.Table:
    """A further relation with the ids and names of the rows."""
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
    rng: Random | None = None,
) -> pd.DataFrame:
    """Call the function of a case: the variant has other names, and some columns as strings."""
    new_names = {column: disguises[column].name if disguises else column for column in case.columns}
    texts = {name for name in new_names.values() if rng and rng.random() < 0.5 and name.strip() == name}

    def written(reference: Reference) -> Any:
        name = new_names[reference.column]
        if reference.expression:
            return reference.before + reference.expression.format(quoted(name, dialect))
        return name if name in texts and re.fullmatch(r"[^=,(]+", name) else sqlmetrics.column(name)

    specs = [dict(entry.spec) for entry in case.metrics]
    for spec in specs:
        if disguises:
            spec["as"] = case.named_metrics.get(spec["as"], spec["as"])
        for parameter in {"scores", "quantiles"} & spec.keys():
            spec[parameter] = {key: new_names[column] for key, column in spec[parameter].items()}
    arguments = {name: value for name, value in replaced(case.arguments, written).items() if value != []}
    return getattr(sqlmetrics, case.function)(data, specs, **arguments, **relations, **options)
