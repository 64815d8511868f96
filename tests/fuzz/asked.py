"""One random call: what is asked, of which tame rows, and how both look in disguise."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import pandas as pd
import pyarrow as pa

import sqlmetrics
from sqlmetrics.catalogue import builtin_catalogue
from sqlmetrics.definitions import PRESETS
from tests.data import (
    COLUMNS,
    COLUMNS_OF_PARAMETERS,
    JUDGED,
    KINDS,
    ROLES_READ_FROM_JUDGMENTS,
    arrow,
    is_missing,
    relations_of,
    sample,
)
from tests.variants import MetricCall, base_parameters_of, can_ask, kinds_of, metric_call, roles_of, variants, weighable

from .columns import Disguise, ids, names, number

#: Roles and slices whose columns hold ids, which another set of ids can stand for.
_IDS = ("user_id", "ad", "doc", "campaign", "device", "country")
_SLICES = ("device", "country", "campaign", "w", "place")
_SLICE_WORDS = ("x", "Gerät", "select", "A1", "Slice_1", "user")
#: What an expression may be over one column without changing it.
_EXPRESSIONS = (
    "{0}",
    " ({0}) ",
    "coalesce({0}, {0})",
    "{0} -- as it is",
    "/* as it is */ {0}\n",
    "case when 1 = 1 then {0} end",
)


@dataclass(frozen=True)
class Slice:
    """An entry of `by`: a column of the tame data, by its name or in an expression that may have a name of its own."""

    column: str
    expression: str | None = None
    word: str | None = None


@dataclass(frozen=True, eq=False)
class Question:
    """A call, in tame words."""

    kind: str
    asked: tuple[MetricCall, ...]
    roles: Mapping[str, str]
    expressions: Mapping[str, str]
    models: tuple[str, ...]
    by: tuple[tuple[Slice, ...], ...]
    groupings: bool
    where: tuple[str, str] | None
    preset: str | None
    options: Mapping[str, Any]
    #: The function that is called: evaluate, per_group, compare or gaps.
    function: str
    result_names: tuple[str, ...]
    rows: pd.DataFrame

    @property
    def columns(self) -> list[str]:
        """The columns of the tame data that it reads."""
        found = [*self.roles.values(), *self.models, *(one.column for grouping in self.by for one in grouping)]
        found += COLUMNS_OF_PARAMETERS.get(self.kind, [])
        found += [self.where[0]] if self.where else []
        return list(dict.fromkeys(found))

    @property
    def relations(self) -> dict[str, pd.DataFrame]:
        """The further relations that the call reads."""
        found = relations_of(sample(self.kind), self.kind)
        return {name: one for name, one in found.items() if any(name in asked.metric.relations for asked in self.asked)}


@cache
def _askable() -> dict[str, list[MetricCall]]:
    """By kind of data every metric with every variant of its parameters."""
    found: dict[str, list[MetricCall]] = {kind: [] for kind in KINDS}
    for metric in builtin_catalogue().metrics.values():
        for kind in kinds_of(metric):
            for given in variants(metric, cuts=[None, 3]):
                parameters = base_parameters_of(metric, kind) | given
                if can_ask(parameters, kind):
                    found[kind].append(metric_call(metric, parameters))
    return found


def random_question(rng: Random) -> Question:
    """What is asked."""
    kind = rng.choice(list(KINDS))
    askable = _askable()[kind]
    per_group = rng.random() < 0.1
    first = rng.choice(askable)
    asked = [first]
    if per_group:
        grouped = [one for one in askable if one.metric.has_group_value]
        per_group = bool(grouped)
        asked = [rng.choice(grouped)] if grouped else asked
    if not asked[0].metric.table:
        others = [one for one in askable if not one.metric.table and (one.metric.has_group_value or not per_group)]
        asked += rng.sample(others, min(len(others), rng.choice([0, 0, 1, 2, 5])))
    asked = list({one.name: one for one in asked}.values())
    roles: dict[str, str] = {}
    for one in asked:
        roles |= roles_of(one.metric, kind)
    for role in ("weight", "group_weight", "tie_key"):
        taken = any(role in one.metric.roles() for one in asked) and not (role == "weight" and "positives" in roles)
        if taken and role not in roles and rng.random() < 0.4:
            roles[role] = COLUMNS[role]
    if kind in JUDGED and "group_weight" in roles and rng.random() < 0.9:
        asked = list(weighable(asked))
    models = ("pctr", "pctr2") if "score" in roles and rng.random() < 0.15 else ()
    rows = _rows(rng, kind, list(roles.values()))
    slices = [one for one in _SLICES if one != "w" or kind != "pre-aggregated"]
    groupings = rng.random() < 0.25
    count = rng.choice([1, 2, 3]) if groupings else 1
    by: dict[tuple[str, ...], tuple[Slice, ...]] = {}
    known: dict[str, Slice] = {}
    for _ in range(count):
        chosen = rng.sample(slices, rng.choice([0, 1, 2]) if groupings else rng.choice([0, 0, 1, 1, 2]))
        entries = [known.setdefault(one, _slice(rng, one, [k.word for k in known.values()])) for one in chosen]
        by.setdefault(tuple(sorted(chosen)), tuple(entries))
    where = None
    if rng.random() < 0.25:
        where = rng.choice(
            [
                ("w", "{0} >= 0.5 and {0} < 1000"),
                ("country", "{0} is not null"),
                ("w", "{0} < 100 -- all"),
                ("place", "{0} > 2 and {0} < 1000"),
            ]
        )
    diagnostics = rng.random() < 0.2 and not asked[0].metric.table and not per_group
    function = "per_group" if per_group else "evaluate"
    if not (per_group or diagnostics or groupings or any(one.metric.table for one in asked)):
        if models and rng.random() < 0.7:
            function = "compare"
        elif any(by) and rng.random() < 0.15:
            function = "gaps"
    return Question(
        kind,
        tuple(asked),
        roles,
        {
            role: rng.choice(_EXPRESSIONS)
            for role in roles
            if rng.random() < 0.08 and not (role in ("group", "item", *ROLES_READ_FROM_JUDGMENTS) and kind in JUDGED)
        },
        models,
        tuple(by.values()),
        groupings,
        where,
        rng.choice(PRESETS) if rng.random() < 0.12 else None,
        {
            **({"min_rows": rng.choice([0, 1, 5])} if rng.random() < 0.1 else {}),
            **({"diagnostics": True} if diagnostics else {}),
            **({"strict": True} if rng.random() < 0.1 else {}),
        },
        function,
        tuple(names(rng, len(asked))) if rng.random() < 0.3 and function == "evaluate" else (),
        rows,
    )


def _slice(rng: Random, column: str, taken: Sequence[str | None]) -> Slice:
    if rng.random() < 0.8:
        return Slice(column)
    free = [word for word in _SLICE_WORDS if word not in taken]
    return Slice(column, rng.choice([*_EXPRESSIONS, "{0} -- it"]), rng.choice(free))


def _rows(rng: Random, kind: str, columns: Sequence[str]) -> pd.DataFrame:
    """Sample rows; some of them have values that are missing, that are all alike, or that are exact in few bits."""
    rows = sample(kind, rows=60, seed=rng.randrange(10_000)).astype(object)
    rows["pctr2"] = rng.sample(list(rows["pctr"]), len(rows))
    rows = rows.iloc[: rng.choice([0, 1, 2, 7, 60, 60, 60, 60])]
    if rng.random() < 0.4 and kind != "class scores":
        for column in ("pctr", "pctr2"):
            rows[column] = [int(8 * one) / 8 for one in rows[column]]
    if rng.random() < 0.1 and kind != "class scores":
        rows["pctr"] = [float(one > 0.5) for one in rows["pctr"]]
    if rng.random() < 0.1 and "pctr" in columns and kind == "grades":
        rows["pctr"] = [rng.choice([one, one, float("inf"), float("-inf")]) for one in rows["pctr"]]
    if rng.random() < 0.1 and len(rows):
        column = rng.choice(list(columns))
        rows[column] = [rows[column].iloc[0]] * len(rows)
    if rng.random() < 0.4 and len(rows):
        for column in rng.sample([*columns, *_SLICES[:3]], rng.choice([1, 2])):
            text = any(isinstance(one, str) for one in rows[column])
            lost = rng.sample(range(len(rows)), rng.choice([1, len(rows) // 5, len(rows)]))
            missing = [None] if text else [None, float("nan")]
            values = list(rows[column])
            for place in lost:
                values[place] = rng.choice(missing)
            rows[column] = pd.Series(values, dtype=object, index=rows.index)
    return rows.reset_index(drop=True)


def tame_table(rows: pd.DataFrame) -> pa.Table:
    """The values as plain doubles and texts, with NULL and NaN apart."""
    texts = {name for name in rows.columns if any(isinstance(value, str) for value in rows[name])}
    texts |= {"device", "country", "user_id", "campaign"}
    if texts & {"clicked", "called"}:  # a class and what was predicted are of one type, also where all values are lost
        classes = [name for name in ("clicked", "called") if name in rows]
        texts |= {name for name in classes if rows[name].map(is_missing).all()}
    columns = {}
    for name in rows.columns:
        values = list(rows[name])
        if name in texts:
            columns[name] = pa.array([one if isinstance(one, str) else None for one in values], pa.string())
        else:
            columns[name] = pa.array(
                [None if one is None else float(one) for one in values], pa.float64(), from_pandas=False
            )
    return pa.table(columns)


# The two calls


def tame_call(question: Question, data: str, con: Any) -> Callable[[], pd.DataFrame]:
    """The call on the tame data."""
    relations = {name: arrow(one) for name, one in question.relations.items()}

    def quoted(name: str) -> str:
        return name

    return _call(question, data, _names_as_they_are, question.asked, quoted, relations, {"con": con}, {})


def _names_as_they_are(name: str) -> str:
    return name


@dataclass(frozen=True, eq=False)
class Disguised:
    """The data of a question in disguise: rows, further relations, and by tame column how it was disguised."""

    rows: pa.Table
    relations: Mapping[str, pa.Table]
    disguises: Mapping[str, Disguise]

    @property
    def numbers(self) -> list[str]:
        """The columns that hold numbers, as they are called now."""
        found = [one for column, one in self.disguises.items() if column not in _IDS]
        return [one.name for one in found if pa.types.is_primitive(one.kind) or pa.types.is_decimal(one.kind)]


def disguise(question: Question, rng: Random, engine: str) -> Disguised:
    """Other names, other types, other ids, another order of rows, columns that nobody reads."""
    rows, relations = question.rows, question.relations
    columns = question.columns
    unread = rng.choice([0, 0, 1, 3])
    # Spark replaces `${name}` in the SQL of an expression too, which is the user's own.
    written = bool(question.expressions or question.where) or any(
        one.expression for grouping in question.by for one in grouping
    )
    barred = ["${"] if engine == "spark" and (rng.random() < 0.9 or written) else []
    chosen = names(rng, len(columns) + unread, barred)
    if engine == "postgres":  # which cuts the names of columns itself, after 63 bytes; a number may come behind
        chosen = [name.encode()[:60].decode(errors="ignore") for name in chosen]
        chosen = ["ctid_" if name == "ctid" else name for name in chosen]  # a column of its own in every table
    if rng.random() < 0.3:
        chosen[: len(columns)] = columns
    if (
        question.kind in COLUMNS_OF_PARAMETERS
    ):  # whose columns are written as texts, in which an equals sign is an expression's
        chosen = [name.replace("=", "~") for name in chosen]
    if unread and rng.random() < 0.5:  # one that differs in case only
        chosen[-1] = rng.choice([chosen[0].upper(), chosen[0].lower(), chosen[0].swapcase()])
    chosen = [name if name not in chosen[:place] else f"{name}~{place}" for place, name in enumerate(chosen)]
    disguises: dict[str, Disguise] = {}
    for column, name in zip(columns, chosen, strict=False):
        values = list(rows[column])
        for relation in relations.values():
            parts = ("item_a", "item_b") if column == COLUMNS["item"] else ()
            values += [one for part in (column, *parts) if part in relation.columns for one in relation[part]]
        if column in _IDS:
            disguises[column] = ids(rng, name, [_id(one) for one in values], engine)
        elif any(isinstance(one, str) for one in values):
            kind = rng.choice([pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
            disguises[column] = Disguise(name, kind, lambda value: value if isinstance(value, str) else None)
        else:
            disguises[column] = number(rng, name, values, engine)
    arrays = {one.name: one.array([_id(value) for value in rows[column]]) for column, one in disguises.items()}
    for name in chosen[len(columns) :]:
        arrays[name] = _nobodys(rng, len(rows), engine)
    order = list(range(len(rows)))
    if rng.random() < 0.5:
        rng.shuffle(order)
    places = list(arrays)
    rng.shuffle(places)
    table = pa.table({name: arrays[name] for name in places}).take(pa.array(order, pa.int64()))
    return Disguised(table, {name: _relation(one, disguises) for name, one in relations.items()}, disguises)


def _id(value: Any) -> Any:
    return None if is_missing(value) and not isinstance(value, float) else value


def _relation(relation: pd.DataFrame, disguises: Mapping[str, Disguise]) -> pa.Table:
    """A further relation, its ids those of the data."""
    columns = {}
    for name in relation.columns:
        worn = disguises.get(COLUMNS["item"] if name in ("item_a", "item_b") else name)
        values = [_id(one) for one in relation[name]]
        if worn is None and any(isinstance(one, str) for one in values):
            columns[name] = pa.array(values, pa.string())
        elif worn is None or name == COLUMNS["label"]:
            new = worn.name if worn is not None else name
            columns[new] = pa.array(
                [None if one is None else float(one) for one in values], pa.float64(), from_pandas=False
            )
        else:
            columns[name if name in ("item_a", "item_b") else worn.name] = worn.array(values)
    return pa.table(columns)


def _nobodys(rng: Random, rows: int, engine: str) -> pa.Array:
    """A column that nobody reads."""
    kinds: list[tuple[pa.DataType, Any]] = [
        (pa.string(), "x"),
        (pa.float64(), float("nan")),
        (pa.int32(), 7),
        (pa.string(), None),
    ]
    if engine == "duckdb":
        kinds += [(pa.list_(pa.int32()), [1, 2]), (pa.struct([("a", pa.int32())]), {"a": 1}), (pa.bool_(), True)]
    kind, value = rng.choice(kinds)
    return pa.array([value] * rows, kind, from_pandas=False)


def disguised_call(
    question: Question,
    data: Any,
    worn: Disguised,
    relations: Mapping[str, Any],
    options: Mapping[str, Any],
    rng: Random,
    quote: Callable[[str], str],
) -> Callable[[], pd.DataFrame]:
    """The same call on the data in disguise."""

    def name_of(column: str) -> str:
        return worn.disguises[column].name

    forms = {column: rng.random() < 0.5 for column in question.columns}
    return _call(question, data, name_of, question.asked, quote, relations, options, forms)


def _call(
    question: Question,
    data: Any,
    name_of: Callable[[str], str],
    asked: Sequence[MetricCall],
    quote: Callable[[str], str],
    relations: Mapping[str, Any],
    options: Mapping[str, Any],
    forms: Mapping[str, bool],
) -> Callable[[], pd.DataFrame]:
    def column(tame: str) -> Any:
        name = name_of(tame)
        # As a plain text where that reads as a column.
        if forms.get(tame) and re.fullmatch(r"[^=,(]+", name) and name.strip() == name:
            return name
        return sqlmetrics.column(name)

    def role(name: str, tame: str) -> Any:
        if name in question.expressions:
            return f"= {question.expressions[name].format(quote(name_of(tame)))}"
        return column(tame)

    def entry(one: Slice) -> Any:
        if one.expression is None:
            return column(one.column)
        return f"{one.word} = {one.expression.format(quote(name_of(one.column)))}"

    specs = []
    for place, one in enumerate(asked):
        spec = dict(one.spec)
        if forms and question.result_names and not one.metric.table and len(one.columns) == 1:
            spec["as"] = question.result_names[place]
        for parameter in ("scores", "quantiles"):
            if isinstance(spec.get(parameter), Mapping):
                spec[parameter] = {key: name_of(part) for key, part in spec[parameter].items()}
        specs.append(spec)
    roles = {name: role(name, tame) for name, tame in question.roles.items()}
    if question.models:
        roles["score"] = [column(one) for one in question.models]
    given: dict[str, Any] = {**roles, **relations, **question.options, **options}
    by = [[entry(one) for one in grouping] for grouping in question.by]
    if question.groupings:
        given["by"] = by
    elif by and by[0]:
        given["by"] = by[0]
    if question.where:
        given["where"] = question.where[1].format(quote(name_of(question.where[0])))
    if question.preset:
        given["preset"] = question.preset
    return lambda: getattr(sqlmetrics, question.function)(data, specs, **given)


def expected_names(question: Question, worn: Disguised, tame: Sequence[str]) -> list[str]:
    """The columns of the result in disguise, by those of the tame one."""
    renamed = {
        one.column: worn.disguises[one.column].name for grouping in question.by for one in grouping if one.word is None
    }
    for place, one in enumerate(question.asked):
        if question.result_names and not one.metric.table and len(one.columns) == 1:
            renamed[next(iter(one.columns.values()))] = question.result_names[place]
    if question.function == "gaps":
        entries = [one for grouping in question.by for one in grouping]
        shown = {one.word or one.column: one.word or worn.disguises[one.column].name for one in entries}
        return [
            f"{end}_{shown[name.partition('_')[2]]}" if end in ("highest", "lowest") and "_" in name else name
            for name in tame
            for end in [name.partition("_")[0]]
        ]
    by_group = question.function == "per_group" or any(one.metric.table for one in question.asked)
    if by_group and "group" in question.roles:
        group = question.roles["group"]
        own = worn.disguises[group].name
        taken = [*renamed.values(), *tame, "n", "grouping", "model"]
        taken = [name.lower() for name in taken if name not in (group, "group")]
        taken += [one.word.lower() for grouping in question.by for one in grouping if one.word]
        if "group" not in question.expressions and group not in renamed and group in tame:
            renamed[group] = "group" if own.lower() in taken else own
    return [renamed.get(name, name) for name in tame]
