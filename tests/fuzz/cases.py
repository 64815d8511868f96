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
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.catalogue.vocabulary import PRESETS
from tests.data import COLUMNS, COLUMNS_OF_PARAMETERS, JUDGED, KINDS, arrow, is_missing, relations_of, sample
from tests.variants import MetricCall, base_parameters_of, can_ask, kinds_of, metric_call, roles_of, variants, weighable

from .columns import Disguise, disguised_ids, disguised_numbers, names

#: The columns that hold ids.
_IDS = ("user_id", "ad", "doc", "campaign", "device", "country")
#: The columns of slices, and the names of expressions over them.
_SLICE_NAMES = {"device": "x", "country": "Gerät", "campaign": "select", "w": "A1", "place": "Slice_1"}
#: Expressions that do not change the values of a column.
_EXPRESSIONS = (
    "{0}", " ({0}) ", "coalesce({0}, {0})", "{0} -- as it is", "/* as it is */ {0}\n", "case when 1 = 1 then {0} end",
)  # fmt: skip
_CONDITIONS = (("w", "{0} >= 0.5 and {0} < 1000"), ("country", "{0} is not null"), ("place", "{0} > 2 -- not all"))


class Slice(NamedTuple):
    """An entry of `by`: a column, or an expression with a name."""

    column: str
    expression: str = ""
    name: str = ""


@dataclass(frozen=True, eq=False)
class Case:
    """A call over sample rows, with the columns of the baseline."""

    kind: str
    metrics: Sequence[MetricCall]
    roles: Mapping[str, str]
    expressions: Mapping[str, str]
    models: Sequence[str]
    by: Sequence[Sequence[Slice]]
    where: tuple[str, str] | None
    options: Mapping[str, Any]
    function: str
    result_names: Sequence[str]
    rows: pd.DataFrame

    @property
    def columns(self) -> list[str]:
        """The columns that the call reads."""
        read = [*self.roles.values(), *self.models, *(entry.column for entry in self.slices)]
        read += [*COLUMNS_OF_PARAMETERS.get(self.kind, []), *([self.where[0]] if self.where else [])]
        return list(dict.fromkeys(read))

    @property
    def slices(self) -> list[Slice]:
        return [entry for grouping in self.by for entry in grouping]

    def slice_names(self, disguises: Mapping[str, Disguise]) -> dict[str, str]:
        """The columns of the slices in the results of the baseline and of the variant."""
        return {entry.name or entry.column: entry.name or disguises[entry.column].name for entry in self.slices}

    @property
    def relations(self) -> dict[str, pd.DataFrame]:
        relations = relations_of(sample(self.kind), self.kind)
        read = {name for entry in self.metrics for name in entry.metric.relations}
        return {name: relation for name, relation in relations.items() if name in read}

    @property
    def named_metrics(self) -> dict[str, str]:
        """The result column of each metric of one column, and its name in the variant."""
        pairs = zip(self.metrics, self.result_names, strict=False)
        return {entry.name: name for entry, name in pairs if not entry.metric.table and len(entry.columns) == 1}


@cache
def _metric_calls() -> dict[str, list[MetricCall]]:
    """Every variant of every metric by kind of data."""
    calls: dict[str, list[MetricCall]] = {kind: [] for kind in KINDS}
    for metric in builtin_catalogue().metrics.values():
        for kind in kinds_of(metric):
            cases = [base_parameters_of(metric, kind) | parameters for parameters in variants(metric, cuts=[None, 3])]
            calls[kind] += [metric_call(metric, case) for case in cases if can_ask(case, kind)]
    return calls


def random_case(rng: Random) -> Case:
    def chance(probability: float) -> bool:
        return rng.random() < probability

    kind = rng.choice(list(KINDS))
    calls = _metric_calls()[kind]
    grouped = [entry for entry in calls if entry.metric.has_group_value]
    per_group = bool(grouped) and chance(0.1)
    calls = grouped if per_group else calls
    metrics = [rng.choice(calls)]
    has_table = metrics[0].metric.table
    if not has_table:
        others = [entry for entry in calls if not entry.metric.table]
        metrics += rng.sample(others, min(len(others), rng.choice([0, 0, 1, 2, 5])))
    metrics = list({entry.name: entry for entry in metrics}.values())
    roles = {role: column for entry in metrics for role, column in roles_of(entry.metric, kind).items()}
    for role in ("weight", "group_weight", "tie_key"):
        is_supported = any(role in entry.metric.roles() for entry in metrics)
        if is_supported and not (role == "weight" and "positives" in roles) and chance(0.4):
            roles[role] = COLUMNS[role]
    if kind in JUDGED and "group_weight" in roles and chance(0.9):
        metrics = list(weighable(metrics))
    models = ("pctr", "pctr2") if "score" in roles and chance(0.15) else ()
    known: dict[str, Slice] = {}
    by: dict[tuple[str, ...], list[Slice]] = {}
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        columns = [column for column in _SLICE_NAMES if column != "w" or kind != "pre-aggregated"]
        chosen = sorted(rng.sample(columns, rng.choice([0, 0, 1, 1, 2])))
        for column in chosen:
            expression = rng.choice([*_EXPRESSIONS, "{0} -- it"])
            named = Slice(column, expression, _SLICE_NAMES[column])
            known.setdefault(column, named if chance(0.2) else Slice(column))
        by[tuple(chosen)] = [known[column] for column in chosen]
    drawn = {
        "diagnostics": chance(0.2) and not has_table and not per_group,
        "strict": chance(0.1),
        "preset": chance(0.12) and rng.choice(PRESETS),
    }
    options = {name: value for name, value in drawn.items() if value}
    function = "per_group" if per_group else "evaluate"
    if not (per_group or has_table or len(by) > 1 or "diagnostics" in options):
        function = "compare" if models and chance(0.7) else "gaps" if any(by) and chance(0.15) else function
    names_judgments = ("group", "item", "label", "subtopic") if kind in JUDGED else ()
    return Case(
        kind,
        metrics,
        roles,
        {role: rng.choice(_EXPRESSIONS) for role in roles if role not in names_judgments and chance(0.08)},
        models,
        list(by.values()),
        rng.choice(_CONDITIONS) if chance(0.25) else None,
        options,
        function,
        names(rng, len(metrics)) if function == "evaluate" and chance(0.3) else [],
        _random_rows(rng, kind, list(roles.values())),
    )


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
    """Doubles and strings, with NULL and NaN apart."""
    strings = {name for name in rows.columns if any(isinstance(value, str) for value in rows[name])}
    strings |= {"device", "country", "user_id", "campaign"}
    # A class and its prediction have one type, even if all values of one of them are missing.
    classes = [name for name in ("clicked", "called") if name in rows]
    if strings & set(classes):
        strings |= {name for name in classes if rows[name].map(is_missing).all()}
    return pa.table({
        name: pa.array([v if isinstance(v, str) else None for v in rows[name]], pa.string())
        if name in strings else _doubles(rows[name])
        for name in rows.columns
    })  # fmt: skip


def _doubles(values: Sequence[Any]) -> pa.Array:
    return pa.array([None if entry is None else float(entry) for entry in values], pa.float64(), from_pandas=False)


# Disguise


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
            dtype = rng.choice([pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
            disguises[column] = Disguise(name, dtype, lambda value: value if isinstance(value, str) else None)
        else:
            disguises[column] = disguised_numbers(rng, name, values, engine)
    arrays = {entry.name: entry.array(case.rows[column]) for column, entry in disguises.items()}
    fillers = [(pa.string(), "x"), (pa.float64(), float("nan")), (pa.int32(), 7), (pa.string(), None)]
    fillers += (
        [(pa.list_(pa.int32()), [1, 2]), (pa.struct([("a", pa.int32())]), {"a": 1})] if engine == "duckdb" else []
    )
    for name in chosen[len(columns) :]:
        dtype, value = rng.choice(fillers)
        arrays[name] = pa.array([value] * len(case.rows), dtype, from_pandas=False)
    order = pa.array(rng.sample(range(len(case.rows)), len(case.rows)), pa.int64())
    table = pa.table({name: arrays[name] for name in rng.sample(list(arrays), len(arrays))})
    disguised = {name: _disguised_relation(relation, disguises) for name, relation in relations.items()}
    return table.take(order), disguised, disguises


def _column_names(case: Case, rng: Random, engine: str, read: int, unread: int) -> list[str]:
    # Spark replaces `${name}` in expressions too, which are the caller's own.
    has_sql = bool(case.expressions or case.where or any(entry.expression for entry in case.slices))
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


def _disguised_relation(relation: pd.DataFrame, disguises: Mapping[str, Disguise]) -> pa.Table:
    """A further relation with the ids and names of the rows."""
    columns = {}
    for name in relation.columns:
        disguise = disguises.get(COLUMNS["item"] if name in ("item_a", "item_b") else name)
        new_name = name if disguise is None or name in ("item_a", "item_b") else disguise.name
        if disguise is not None and name != COLUMNS["label"]:
            columns[new_name] = disguise.array(relation[name])
        else:
            columns[new_name] = arrow(relation[[name]])[name]
    return pa.table(columns)


# Calls


def call(
    case: Case,
    data: Any,
    relations: Mapping[str, Any],
    options: Mapping[str, Any],
    name_of: Callable[[str], str] = str,
    quote: Callable[[str], str] = str,
    rng: Random | None = None,
) -> pd.DataFrame:
    """Call the function of a case: the variant has other names, and some columns as strings."""
    strings = {column for column in case.columns if rng is not None and rng.random() < 0.5}

    def reference(column: str) -> Any:
        name = name_of(column)
        is_plain = re.fullmatch(r"[^=,(]+", name) and name.strip() == name
        return name if column in strings and is_plain else sqlmetrics.column(name)

    def sql(expression: str, column: str) -> str:
        return expression.format(quote(name_of(column)))

    specs = []
    for entry in case.metrics:
        spec = dict(entry.spec)
        if rng is not None and entry.name in case.named_metrics:
            spec["as"] = case.named_metrics[entry.name]
        for parameter in ("scores", "quantiles"):
            if isinstance(spec.get(parameter), Mapping):
                spec[parameter] = {key: name_of(column) for key, column in spec[parameter].items()}
        specs.append(spec)
    arguments: dict[str, Any] = {
        role: f"= {sql(case.expressions[role], column)}" if role in case.expressions else reference(column)
        for role, column in case.roles.items()
    }
    if case.models:
        arguments["score"] = [reference(column) for column in case.models]
    by = [
        [
            f"{entry.name} = {sql(entry.expression, entry.column)}" if entry.name else reference(entry.column)
            for entry in grouping
        ]
        for grouping in case.by
    ]
    if any(by):
        arguments["by"] = by if len(by) > 1 else by[0]
    if case.where:
        arguments["where"] = sql(case.where[1], case.where[0])
    return getattr(sqlmetrics, case.function)(data, specs, **arguments, **relations, **case.options, **options)


def expected_columns(case: Case, disguises: Mapping[str, Disguise], columns: Sequence[str]) -> list[str]:
    """The columns of the result of the variant, for those of the baseline."""
    slices = case.slice_names(disguises)
    gaps = {f"{end}_{old}": f"{end}_{new}" for old, new in slices.items() for end in ("highest", "lowest")}
    return [{**slices, **gaps, **case.named_metrics}.get(name, name) for name in columns]
