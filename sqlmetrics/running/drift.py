"""How far the values of columns have moved: `drift`, and its text. No distance is computed here."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import pandas as pd

from ..catalogue.registry import catalogue
from ..column_types import as_pandas, is_number
from ..engines.base import Engine
from ..errors import BadData
from ..expressions import By, Expression
from ..inputs.opening import open_source
from ..inputs.source import Executor, Source
from ..interrupts import keyboard_interrupts
from ..planning.metric_spec import plain_value
from ..planning.plan import Plan, has_own_sql
from ..planning.planner import check_unicode, make_plan, plain_columns
from ..rendering.macros import call_macro, render_macro
from .binding import bind_columns, combine_plans, plan_for_against
from .checks import check_columns, check_single_select, inspect_values, warn_of_missing
from .execute import fetch, renaming
from .probes import is_null_type, type_category, types_of_values
from .results import own_name

_NUMBERS = ("missing", "missing_reference", "psi", "ks_distance", "jensen_shannon", "wasserstein")


def plan_of_drift(
    columns: Any,
    categories: Any,
    *,
    relation: str,
    relation_text: str,
    dialect: str,
    against: Mapping[str, Any] | None,
    current: str | None,
    reference: str | None,
    weight: Expression | None,
    by: By | None,
    where: str | None,
    bins: int,
    eps: float,
    query: str | None = None,
    known: Sequence[str] = (),
    round: int | None = None,
    sources: Sequence[Source] = (),
) -> Plan:
    """A call, understood; by the types in its sources, where there are some, texts and truths are classes."""
    given = [plain_columns(role, one, known) for role, one in (("columns", columns), ("categories", categories))]
    check_unicode(given)
    entries = call_macro(catalogue(), dialect, "columns_of_drift", "drift", *given)
    if sources:
        entries = _by_types(entries, sources)
    choices = [entries, *map(plain_value, (current, reference, bins, eps))]
    return make_plan(
        catalogue(),
        None,
        relation=relation,
        relation_text=relation_text,
        query=query,
        dialect=dialect,
        columns=known,
        roles={"weight": weight},
        by=by,
        where=where,
        comparison={"against": against},
        round=round,
        macro="drift",
        planner="planned_drift_of_columns",
        choices=choices,
    )


def _by_types(entries: list[dict[str, Any]], sources: Sequence[Source]) -> list[dict[str, Any]]:
    """Which columns hold classes: those of which that is said, and those of texts and truths.

    Raises:
        BadData: A column holds neither numbers nor texts.
    """
    asked = [one for one in entries if not one["category"]]
    kinds = [types_of_values(asked, "columns", source) for source in sources]
    for entry, of_sides in zip(asked, zip(*kinds, strict=True), strict=True):
        kind = next((one for one in of_sides if one and not is_null_type(one)), "")
        entry["category"] = type_category(kind) in ("text", "boolean")
        if kind and not entry["category"] and not is_number(kind):
            raise BadData(
                f"columns: {entry['name']!r} is {kind}, and a number or a text is needed; name it among categories, or "
                "write an expression that gives a number"
            )
    return entries


@keyboard_interrupts
def run_drift(
    data: Any,
    columns: Any = None,
    *,
    categories: Any = None,
    against: Any = None,
    current: str | None = None,
    reference: str | None = None,
    weight: Expression | None = None,
    by: By | None = None,
    where: str | None = None,
    bins: int = 10,
    eps: float = 0.0001,
    con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    engine: Engine | str | None = None,
    execute: Executor = fetch,
) -> pd.DataFrame:
    """`drift`."""
    with open_source(data, con, {"against": against}, threads, memory_limit, engine) as source:
        other = source.further.get("against")
        plan = plan_of_drift(
            columns,
            categories,
            relation=source.relation,
            relation_text=source.text,
            query=source.query,
            known=list(source.columns),
            dialect=source.dialect,
            against=None if other is None else {"relation": other.relation, "query": other.query},
            current=current,
            reference=reference,
            weight=weight,
            by=by,
            where=where,
            bins=bins,
            eps=eps,
            sources=[source] if other is None else [source, other],
        )
        result = _answer(plan, dataclasses.replace(source, further={"against": other or source}), execute)
    warn_of_missing(plan.left_out)
    return result


def _answer(plan: Plan, source: Source, execute: Executor) -> pd.DataFrame:
    plan.template["stored"] = source.is_text
    theirs = plan_for_against(plan, source)
    assert theirs is not None
    bind_columns(plan, source)
    bind_columns(theirs, source.further["against"])
    check_columns(plan, source)
    check_columns(theirs, source.further["against"])
    combine_plans(plan, theirs, source)
    ask = renaming(plan, execute, own_name)
    statement = render_macro(catalogue(), source.dialect, "drift_statement", plan.template) + "\n"
    if has_own_sql(plan):
        check_single_select(statement, source.dialect)
    rows = ask(source, statement)
    if plan.roles:
        inspect_values(catalogue(), plan, source, False, ask)
    slices = plan.slices
    result = as_pandas(rows.set_axis([*slices, *rows.columns[len(slices) :]], axis=1), slices)
    result = result.astype({"n": "int64", "n_reference": "int64", **dict.fromkeys(_NUMBERS, "float64")})
    result.attrs["slices"] = slices
    return result
