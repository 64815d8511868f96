"""A result is the same however its call is disguised: by order, types, names and form of the data, settings, company.

A disguise combines a value of each factor. Each call wears one disguise for each type of columns, and the other factors
change from call to call so that all pairs of values occur. A failure names the factors that fail alone.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest
from allpairspy import AllPairs

import sqlmetrics
from sqlmetrics.catalogue.vocabulary import NUMERIC_COLUMNS, role_of
from tests.compare import differences
from tests.data import COLUMNS, COLUMNS_OF_PARAMETERS, WORDS, arrow, sample
from tests.variants import Call, by_frame, calls

#: No name is special: neither one that needs quotes, nor one that the SQL uses for something else.
QUOTED = ["with space", 'with"double', "it's", "UPPER", "Mixed Case", "select", "order", "größe", "日本", "a.b", "1st",
          "%s", "{{ 7 }}", "-- x", "semi;colon", "back\\slash", "tab\there", " spaces around "]  # fmt: skip
RESERVED = ["label", "score", "weight", "group_id", "pos", "neg", "slice_1", "slice_id", "rows", "row_count",
            "bad_rows", "all_rows", "used_rows_1", "bin", "auc", "source", "valid_rows", "threshold",
            "total"]  # fmt: skip


@dataclass(frozen=True)
class Disguise:
    """How a call is made; the defaults are the plain call."""

    types: str = "double"
    order: str = "as it is"
    names: str = "plain"
    form: str = "Arrow"
    settings: str = "default"
    company: str = "none"


TYPES = ("double", "decimal", "int8", "uint16", "int64", "boolean")
_OTHER_FACTORS = {
    "order": ["as it is", "shuffled"],
    "names": ["plain", "quoted", "reserved"],
    "form": ["Arrow", "pandas", "polars", "parquet", "list of files", "csv", "table", "temporary view", "query",
             "relation"],
    "settings": ["default", "default_order = 'desc'", "default_null_order = 'nulls_first'", "integer_division = true"],
    "company": ["none", "second model", "interval", "rows dropped by where", "other grouping"],
}  # fmt: skip
#: No reader of CSV tells a tab in a name from one between names.
_PAIRS = [
    dict(zip(_OTHER_FACTORS, row, strict=True))
    for row in AllPairs(list(_OTHER_FACTORS.values()), filter_func=lambda row: not {"quoted", "csv"} <= {*row})
]
CALLS = by_frame(calls())
DISGUISES = [
    pytest.param(call, Disguise(types, **_PAIRS[(len(TYPES) * number + turn) % len(_PAIRS)]), id=f"{call.name}-{types}")
    for number, call in enumerate(CALLS)
    for turn, types in enumerate(TYPES)
    # Of whole numbers the types differ only in how they are read: each call has one of them.
    if types in ("double", "decimal", "boolean") or turn % 3 == (number + 2) % 3
]

_NUMERIC_ROLES = (*map(role_of, NUMERIC_COLUMNS), "p_price", "p_survive")
_BOOLEAN_ROLES = ("label", "prediction", "won", "reward", "treatment")


def numeric_columns(call: Call, types: str) -> list[str]:
    roles = [role for role in (_BOOLEAN_ROLES if types == "boolean" else _NUMERIC_ROLES) if role in call.roles]
    if call.kind in WORDS:
        roles = [role for role in roles if role not in ("label", "prediction")]
    further = [] if types == "boolean" else COLUMNS_OF_PARAMETERS.get(call.kind, [])
    return [COLUMNS[role] for role in roles] + further


def values_of_types(call: Call, types: str) -> pd.DataFrame:
    """The sample with values that the type can hold, as doubles."""
    data = sample(call.kind).assign(session=lambda rows: rows.index % 20)
    for column in numeric_columns(call, types):
        if types == "boolean":
            data[column] = (data[column] > 0).astype(float)
        elif types not in ("double", "decimal"):
            # No action is drawn with a probability of 0.
            least = 1 if column == COLUMNS["propensity"] or call.kind == "positive numbers" else 0
            data[column] = np.floor(data[column]).clip(lower=least)
    return data


def cast_column(values: pd.Series, types: str) -> pa.Array:
    if types == "boolean":
        return pa.array([bool(value) for value in values])
    if types == "decimal":
        return pa.array([Decimal(str(value)) for value in values], pa.decimal128(14, 6))
    return pa.array(values if types == "double" else [int(value) for value in values], pa.type_for_alias(types))


@functools.lru_cache(maxsize=16)
def plain_result(call: Call, values: str) -> pd.DataFrame:
    return call.evaluate(arrow(values_of_types(call, values)), by=["device"])


def new_names(columns: list[str], names: str, call: Call) -> dict[str, str]:
    """A name for each column; the next call has those that follow in the list."""
    if names == "plain":
        return {}
    taken = {column.lower() for metric in call.asked for column in metric.columns.values()}  # no slice is called so
    pool = [name for name in (QUOTED if names == "quoted" else RESERVED) if name.lower() not in taken]
    start = CALLS.index(call)
    return {column: pool[(start + number) % len(pool)] for number, column in enumerate(columns)}


def data_in_form(table: pa.Table, form: str, folder: Path, con: duckdb.DuckDBPyConnection) -> Any:
    con.register("to_copy", table)
    con.execute("create table impressions as from to_copy")
    con.unregister("to_copy")

    def file(name: str, rows: str = "impressions") -> Path:
        con.execute(f"copy {rows} to '{folder / name}'")
        return folder / name

    forms: dict[str, Callable[[], Any]] = {
        "Arrow": lambda: table,
        "pandas": table.to_pandas,
        "polars": lambda: polars.from_arrow(table),
        "parquet": lambda: file("all.parquet"),
        "list of files": lambda: [
            file(f"{part}.parquet", f"(from impressions where rowid % 3 = {part})") for part in range(3)
        ],
        "csv": lambda: str(file("all.csv")),
        "table": lambda: "main.impressions",
        "temporary view": lambda: con.execute("create temp view rows_of_log as from impressions") and "rows_of_log",
        "query": lambda: "with taken as (select * from impressions) select * from taken -- all of it",
        "relation": lambda: con.table("impressions").filter("true"),
    }
    return forms[form]()


def disguised_result(call: Call, disguise: Disguise, folder: Path) -> pd.DataFrame:
    """The result of the disguised call, with the disguise taken off."""
    data = values_of_types(call, disguise.types)
    table = arrow(data)
    for column in numeric_columns(call, disguise.types):
        table = table.set_column(table.column_names.index(column), column, cast_column(data[column], disguise.types))
    roles: dict[str, Any] = dict(call.roles)
    options: dict[str, Any] = {"by": ["device"]}
    if disguise.company == "rows dropped by where":
        used = pa.array([True] * len(table) + [False] * 7)
        table = pa.concat_tables([table, table.slice(3, 7)]).append_column("is_used", used)
        options["where"] = "is_used"
    if disguise.order == "shuffled":
        table = table.take(np.random.default_rng(3).permutation(len(table)))
    columns = ["device", *dict.fromkeys(roles.values())]
    renamed = new_names(columns, disguise.names, call)
    for old, new in renamed.items():
        table = table.append_column(new, table[old])
    in_parameters = {
        column for metric in call.asked for value in metric.parameters.values() if isinstance(value, Mapping)
        for column in value.values()
    }  # fmt: skip
    table = table.drop_columns([column for column in renamed if column not in in_parameters | {"session"}])
    if renamed:
        roles = {role: sqlmetrics.column(renamed[column]) for role, column in roles.items()}
        options["by"] = [sqlmetrics.column(renamed["device"])]
    if disguise.company == "second model" and "score" in roles:
        scores = table[renamed.get(COLUMNS["score"], COLUMNS["score"])].cast("double").to_pandas()
        values = sorted(scores.unique())  # an item has one score
        table = table.append_column("second", pa.array(scores.map(dict(zip(values, values[::-1], strict=True)))))
        roles["score"] = [roles["score"], "second"]
    elif disguise.company == "interval" and call.certain and not call.table:
        options |= {"confidence": 0.9, "cluster": roles.get("group", "session")}
    elif disguise.company == "other grouping":
        options["by"] = [[], options["by"]]
    relations = call.relations({**roles, "score": roles["score"][0]} if isinstance(roles.get("score"), list) else roles)
    with duckdb.connect(config={"threads": 2}) as con:
        data_as = data_in_form(table, disguise.form, folder, con)
        if disguise.settings != "default":
            con.execute(f"set {disguise.settings}")
        own = disguise.form in ("table", "temporary view", "query")
        options["con"] = con if own or (disguise.settings != "default" and disguise.form != "relation") else None
        result = call.evaluate(data_as, roles, relations, **options)
    if "model" in result and isinstance(roles.get("score"), list):
        first = roles["score"][0]
        result = result[result.pop("model") == getattr(first, "name", first)]
    if "grouping" in result and disguise.company == "other grouping":
        result = result[result.pop("grouping") != "overall"]
    back = {new: old for old, new in renamed.items() if old in ("device", COLUMNS["group"])}
    if call.table and "group" in result and COLUMNS["group"] in renamed:
        back["group"] = COLUMNS["group"]
    return result.rename(columns=back).reset_index(drop=True)


def differences_of(call: Call, disguise: Disguise, folder: Path) -> list[str]:
    folder.mkdir()
    same_values = {"decimal": "double", "int8": "int64", "uint16": "int64"}
    plain = plain_result(call, same_values.get(disguise.types, disguise.types))
    result = disguised_result(call, disguise, folder)
    missing = [column for column in plain if column not in result]
    return [f"without the columns {missing}"] if missing else differences(result[plain.columns], plain)


@pytest.mark.parametrize(("call", "disguise"), DISGUISES)
def test_a_disguised_call_has_the_same_result(call: Call, disguise: Disguise, tmp_path: Path) -> None:
    different = differences_of(call, disguise, tmp_path / "all")
    if different:
        names = [field.name for field in fields(disguise) if getattr(disguise, field.name) != field.default]
        alone = {name: replace(Disguise(), **{name: getattr(disguise, name)}) for name in names}
        guilty = [name for name in names if differences_of(call, alone[name], tmp_path / name)]
        pytest.fail(f"{disguise}\nfails alone: {guilty or 'no factor'}\n" + "\n".join(different[:10]))
