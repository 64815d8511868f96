"""How far the values of columns have moved: `drift`, and its text. No distance is computed here."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import pandas as pd

from ..catalogue.registry import catalogue
from ..column_types import as_pandas, is_number
from ..errors import BadData
from ..inputs.opening import open_source
from ..inputs.source import Executor, Source
from ..interrupts import keyboard_interrupts
from ..planning.metric_spec import plain_value
from ..planning.plan import Plan, has_own_sql
from ..planning.planner import Planner, check_unicode, make_plan, plain_columns
from ..rendering.macros import call_macro, render_macro
from ..request import DriftOptions, InputRelation, RenderOptions, Request, Session
from .binding import bind_columns, combine_plans, plan_for_against
from .checks import check_columns, check_single_select, inspect_values, warn_of_missing
from .execute import fetch, renaming
from .probes import is_null_type, type_category, types_of_values
from .results import own_name

_NUMBERS = ("missing", "missing_reference", "psi", "ks_distance", "jensen_shannon", "wasserstein")


def plan_of_drift(
    request: Request,
    options: DriftOptions,
    data: InputRelation,
    against: InputRelation | None,
    digits: int | None = None,
    sources: Sequence[Source] = (),
) -> Plan:
    """The plan of a call; by the types in its sources, where there are some, texts and truths are classes."""
    roles = {"columns": options.columns, "categories": options.categories}
    given = [plain_columns(role, value, data.columns) for role, value in roles.items()]
    check_unicode(given)
    entries = call_macro(catalogue(), data.dialect, "columns_of_drift", "drift", *given)
    if sources:
        entries = _by_types(entries, sources)
    choices = map(plain_value, (options.current, options.reference, options.bins, options.eps))
    planner = Planner("drift", "planned_drift_of_columns", (entries, *choices))
    others = {} if against is None else {"against": against}
    return make_plan(catalogue(), request, data, others, RenderOptions(round=digits), planner)


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
    request: Request,
    options: DriftOptions,
    session: Session = Session(),
    *,
    execute: Executor = fetch,
) -> pd.DataFrame:
    """`drift`."""
    with open_source(data, session, request.opened) as source:
        other = source.further.get("against")
        plan = plan_of_drift(
            request,
            options,
            source.as_input,
            None if other is None else other.as_input,
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
