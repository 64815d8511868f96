"""The result of a call does not depend on types, order, names, the form of the data, settings or other metrics.

A disguise combines a value of each factor, and the factors change from call to call so that nearly all pairs of values
occur. The order of the rows always changes.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest

import sqlmetrics
from sqlmetrics.catalogue.vocabulary import NUMERIC_COLUMNS, role_of
from tests.compare import differences
from tests.data import COLUMNS, COLUMNS_OF_PARAMETERS, SLICES, STRING_LABELS, arrow, sample
from tests.engines.servers import load
from tests.variants import Call, by_frame, calls

#: No name is special, neither one that needs quotes nor one that the SQL uses internally.
QUOTED = ["with space", 'with"double', "it's", "UPPER", "Mixed Case", "select", "order", "größe", "日本", "a.b", "1st",
          "%s", "{{ 7 }}", "-- x", "semi;colon", "back\\slash", "tab\there", " spaces around "]  # fmt: skip
RESERVED = ["label", "score", "weight", "group_id", "pos", "neg", "slice_1", "slice_id", "rows", "row_count",
            "bad_rows", "all_rows", "used_rows_1", "bin", "auc", "source", "valid_rows", "threshold",
            "total"]  # fmt: skip


@dataclass(frozen=True)
class Disguise:
    """A combination of the factors."""

    types: str
    weights: bool
    names: str
    form: str
    settings: str
    company: str


#: Each call has one type of each tuple.
TYPES = [("decimal", "int8", "double", "uint16"), ("boolean", "int64")]
FORMS = ["Arrow", "pandas", "polars", "parquet", "list of files", "csv", "table", "temporary view", "query", "relation"]
COMPANY = ["no slices", "second model", "interval", "where and two slices"]
HOSTILE = "set default_order = 'desc'; set default_null_order = 'nulls_first'; set integer_division = true"


def weighable(call: Call) -> Call | None:
    """The call with the metrics that support weights of rows or of groups; no call has both."""
    if call.data_type == "pre-aggregated":
        return None
    only = call.only("weight") or call.only("group_weight")
    return call if only and only.metrics == call.metrics else only


#: Tables over pre-aggregated rows have a separate test, `test_a_pre_aggregated_row_is_its_rows`.
CALLS = [call for call in by_frame(calls()) if not (call.table and call.data_type == "pre-aggregated")]


def disguise_of(step: int, number: int, turn: int) -> tuple[Call, Disguise]:
    """The next form, and values that change at other intervals, so that nearly all pairs of values occur."""
    call = CALLS[number]
    types = TYPES[(number // 3 + turn) % 2]
    form = FORMS[step % len(FORMS)]
    weighed = weighable(call) if call.table or (number // 2 + turn) % 2 else None
    disguise = Disguise(
        types=types[number // 6 % len(types)],
        weights=weighed is not None,
        # CSV readers cannot distinguish a tab inside a name from a separator.
        names="reserved" if (number // 4 + turn) % 2 or form == "csv" else "quoted",
        form=form,
        settings="hostile" if (number + turn) % 2 else "default",
        company=COMPANY[(step // len(FORMS) + step) % len(COMPANY)],
    )
    return weighed or call, disguise


#: A table has one disguise, other calls two: with and without weights, with quoted and reserved names.
DISGUISES = [
    disguise_of(step, number, turn)
    for step, (number, turn) in enumerate(
        (number, turn) for number, call in enumerate(CALLS) for turn in ([number % 2] if call.table else [0, 1])
    )
]


def each(values: Sequence[Any], slow_above: int = 99) -> list[Any]:
    """Values of one or two parameters; the values of a call share a process, which computes its plain result once."""
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            id=call.name + (f"-{value[1].types}" if isinstance(value, tuple) else ""),
            marks=[pytest.mark.xdist_group(call.name), *[pytest.mark.slow] * (len(call.metrics) > slow_above)],
        )
        for value in values
        for call in [value[0] if isinstance(value, tuple) else value]
    ]


# The plain call

_NUMERIC_ROLES = (*map(role_of, NUMERIC_COLUMNS), "p_price", "p_survive")
_BOOLEAN_ROLES = ("label", "prediction", "won", "reward", "treatment")


def numeric_columns(call: Call, types: str) -> list[str]:
    roles = [role for role in (_BOOLEAN_ROLES if types == "boolean" else _NUMERIC_ROLES) if role in call.roles]
    if call.data_type in STRING_LABELS:
        roles = [role for role in roles if role not in ("label", "prediction")]
    further = [] if types == "boolean" else COLUMNS_OF_PARAMETERS.get(call.data_type, [])
    return [COLUMNS[role] for role in roles] + further


def rows_of(call: Call, types: str = "double", weights: bool = False) -> pd.DataFrame:
    """The sample with values that the type can represent, as doubles. A row of weight 2 is repeated or weighted."""
    data = sample(call.data_type).assign(
        session=lambda rows: rows.index % 20, w=lambda rows: 1.0 + (rows.index % 3 == 0)
    )
    data["importance"] = 2.0
    for column in numeric_columns(call, types):
        if types == "boolean":
            data[column] = (data[column] > 0).astype(float)
        elif types not in ("double", "decimal"):
            # No action has a probability of 0.
            least = 1 if column == COLUMNS["propensity"] or call.data_type == "positive numbers" else 0
            data[column] = np.floor(data[column]).clip(lower=least)
    twice = call.takes("weight") and call.data_type != "pre-aggregated" and not weights
    return data.loc[data.index.repeat(data["w"].astype(int))].reset_index(drop=True) if twice else data


def complete(call: Call, roles: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """The relations of a call without incomplete rows."""
    return {name: relation.to_pandas().dropna() for name, relation in call.relations(roles).items()}


@functools.cache
def plain_results(call: Call, types: str = "double") -> dict[str, pd.DataFrame]:
    """The results of the plain call by grouping; complete data causes no warning."""
    arguments = {**call.arguments(relations=complete(call, call.roles)), "by": [[], ["device"], [*SLICES]]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results = sqlmetrics.evaluate(arrow(rows_of(call, types)), call.specs, **arguments)
    return {str(name): part.drop(columns="grouping") for name, part in results.groupby("grouping", sort=False)}


# The disguised call


def cast_column(values: pd.Series, types: str) -> pa.Array:
    if types == "boolean":
        return pa.array([bool(value) for value in values])
    if types == "decimal":
        return pa.array([Decimal(str(value)) for value in values], pa.decimal128(14, 6))
    return pa.array(values if types == "double" else [int(value) for value in values], pa.type_for_alias(types))


def new_names(columns: list[str], names: str, call: Call) -> dict[str, str]:
    """A name for each column; the next call starts at another position of the list."""
    taken = {column.lower() for metric in call.metrics for column in metric.columns.values()}  # names of results
    pool = [name for name in (QUOTED if names == "quoted" else RESERVED) if name.lower() not in taken]
    start = len(call.name) + len(call.metrics)
    return {column: pool[(start + number) % len(pool)] for number, column in enumerate(columns)}


def data_in_form(table: pa.Table, form: str, folder: Path, con: duckdb.DuckDBPyConnection) -> Any:
    load(con, {"impressions": table})

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


def results(call: Call, disguise: Disguise, folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The result of the disguised call, renamed back, and that of the plain call."""
    roles: dict[str, Any] = dict(call.roles)
    options: dict[str, Any] = {}
    if disguise.weights:
        roles |= {role: COLUMNS[role] for role in ("weight", "group_weight") if call.takes(role)}
    numbers = numeric_columns(replace(call, roles=roles), disguise.types)
    expected = plain_results(call, {"decimal": "double"}.get(disguise.types, disguise.types) if numbers else "double")
    grouping = {"no slices": [], "where and two slices": [*SLICES]}.get(disguise.company, ["device"])
    expected = expected[", ".join(grouping) or "overall"]
    data = rows_of(call, disguise.types, disguise.weights)
    table = arrow(data)
    for column in numbers:
        table = table.set_column(table.column_names.index(column), column, cast_column(data[column], disguise.types))
    if disguise.company == "where and two slices":
        used = pa.array([True] * len(table) + [False] * 7)
        table = pa.concat_tables([table, table.slice(3, 7)]).append_column("is_used", used)
        options["where"] = "is_used"
    table = table.take(np.random.default_rng(3).permutation(len(table)))
    renamed = new_names([*SLICES, *dict.fromkeys(roles.values())], disguise.names, call)
    for old, new in renamed.items():
        table = table.append_column(new, table[old])
    in_parameters = {
        column for metric in call.metrics for value in metric.parameters.values() if isinstance(value, Mapping)
        for column in value.values()
    }  # fmt: skip
    table = table.drop_columns([column for column in renamed if column not in in_parameters])
    roles = {role: sqlmetrics.column(renamed[column]) for role, column in roles.items()}
    options["by"] = [sqlmetrics.column(renamed[column]) for column in grouping] or None
    if disguise.company == "second model" and "score" in roles:
        scores = table[renamed[COLUMNS["score"]]].cast("double").to_pandas()
        values = sorted(scores.unique())  # an item has one score
        table = table.append_column("second", pa.array(scores.map(dict(zip(values, values[::-1], strict=True)))))
        roles["score"] = [roles["score"], "second"]
    elif disguise.company == "interval" and call.certain and not call.table and len(call.metrics) < 8:
        options |= {"confidence": 0.9, "cluster": roles.get("group", "session")}
    with duckdb.connect(config={"threads": 2}) as con:
        data_as = data_in_form(table, disguise.form, folder, con)
        if disguise.settings == "hostile":
            con.execute(HOSTILE)
        own = disguise.form in ("table", "temporary view", "query")
        options["con"] = con if own or (disguise.settings == "hostile" and disguise.form != "relation") else None
        result = call.evaluate(data_as, roles, **options)
    if "model" in result and isinstance(roles.get("score"), list):
        result = result[result.pop("model") == roles["score"][0].name]
    back = {new: old for old, new in renamed.items() if old in (*SLICES, COLUMNS["group"])}
    if call.table and "group" in result and COLUMNS["group"] in renamed:
        back["group"] = COLUMNS["group"]
    left_out = [*(["n", "rows"] if disguise.weights else []), *({*SLICES} - {*grouping})]
    return result.rename(columns=back), expected.drop(columns=left_out, errors="ignore")


@pytest.mark.parametrize(("call", "disguise"), [*each(DISGUISES[::2]), *each(DISGUISES[1::2], slow_above=0)])
def test_a_disguised_call_has_the_same_result(call: Call, disguise: Disguise, tmp_path: Path) -> None:
    result, expected = (frame.reset_index(drop=True) for frame in results(call, disguise, tmp_path))
    assert set(expected) <= set(result), disguise
    assert differences(result[expected.columns], expected) == [], disguise
