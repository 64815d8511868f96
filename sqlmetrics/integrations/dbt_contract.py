"""The contract of a dbt model of a call: the columns of the result with their types on an adapter."""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from ..catalogue.registry import catalogue
from ..catalogue.traits import traits_of
from ..errors import BadParameter, did_you_mean
from ..planning.plan import Plan
from ..rendering.macros import render_macro

#: Adapters of dbt whose integer type is not bigint.
_WHOLE = {"bigquery": "int64"}


def contract(plan: Plan, dialect: str, types: Mapping[str, str]) -> str:
    """The property file of the model `model_of_the_call`; `types` are the types of slices that are not text.

    Raises:
        BadParameter: The metric is a table, whose columns have the types of the data, or `types` names no slice.
    """
    if plan.is_table:
        name = plan.requested[0].name
        raise BadParameter(f"{name} is a table, whose columns have the types of the data: write its contract yourself")
    if not traits_of(dialect).has_contracts:
        raise BadParameter(f"there is no contract for {dialect}: the package is for adapters of dbt that it knows")
    for name in types:
        if name not in plan.slices:
            raise BadParameter(f"--type {name}: there is no such slice{did_you_mean(name, plan.slices)}")
    whole, number, text = _WHOLE.get(dialect, "bigint"), _type("double", dialect), _type("text", dialect)
    columns = {name: types.get(name, text) for name in plan.slices} | {"n": whole}
    for metric in plan.metrics:
        for column in metric["columns"]:
            columns[column["as"]] = number
            if column["name"] == metric["name"]:
                columns |= dict.fromkeys(metric["interval"].values(), number)
    entries = [{"name": name, "data_type": data_type, **_quote(name, dialect)} for name, data_type in columns.items()]
    model = {"name": "model_of_the_call", "config": {"contract": {"enforced": True}}, "columns": entries}
    return str(yaml.safe_dump({"models": [model]}, sort_keys=False, allow_unicode=True))


def _quote(name: str, dialect: str) -> dict[str, bool]:
    """`quote: true` for names such as `order` and `Device`, which dbt would otherwise write without quotes."""
    return {"quote": True} if render_macro(catalogue(), dialect, "identifier", name) != name else {}


def _type(type_name: str, dialect: str) -> str:
    return render_macro(catalogue(), dialect, f"type_{type_name}")
