"""Plan and execute `drift`; SQL computes the distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..catalogue.registry import catalogue
from ..column_types import is_number
from ..errors import BadData
from ..inputs.opening import open_source
from ..inputs.source import Executor, Source
from ..interrupts import keyboard_interrupts
from ..planning.metric_spec import plain_value
from ..planning.plan import Plan, Value, has_own_sql
from ..planning.planner import Planner, check_unicode, make_plan, plain_columns
from ..rendering.macros import call_macro
from ..request import DriftOptions, InputRelation, RenderOptions, Request, Session
from ..tables import renamed, typed_result
from .binding import bind_columns, combine_plans, plan_for_against
from .checks import check_columns, check_single_select, inspect_values, warn_of_missing
from .execute import fetch, renaming
from .probes import is_null_type, type_category, types_of_values
from .results import lower_if_upper, result_reader, with_attrs

_NUMBERS = ("missing", "missing_reference", "psi", "ks_distance", "jensen_shannon", "wasserstein")


def plan_of_drift(
    request: Request,
    options: DriftOptions,
    data: InputRelation,
    against: InputRelation | None,
    digits: int | None = None,
    sources: Sequence[Source] = (),
) -> Plan:
    """Plan a call; columns that are texts or booleans in `sources` are classes."""
    roles = {"columns": options.columns, "categories": options.categories}
    arguments = [plain_columns(role, value, data.columns) for role, value in roles.items()]
    check_unicode(arguments)
    entries = call_macro(catalogue(), data.dialect, "columns_of_drift", "drift", *arguments)
    if sources:
        entries = _by_types(entries, sources)
    choices = map(plain_value, (options.current, options.reference, options.bins, options.eps))
    planner = Planner("drift", "planned_drift_of_columns", (entries, *choices))
    others = {} if against is None else {"against": against}
    return make_plan(catalogue(), request, data, others, RenderOptions(round=digits), planner)


def _by_types(entries: Sequence[Value], sources: Sequence[Source]) -> list[Value]:
    """Mark columns as classes if the user declares them so, or if they hold texts or booleans."""
    undeclared = [entry for entry in entries if not entry["category"]]
    dtypes = {entry["name"]: dtypes for entry, *dtypes in zip(
        undeclared, *(types_of_values(undeclared, "columns", source) for source in sources), strict=True
    )}  # fmt: skip
    return [_by_type(entry, dtypes.get(entry["name"], [])) for entry in entries]


def _by_type(entry: Value, dtypes: Sequence[str]) -> Value:
    dtype = next((side for side in dtypes if side and not is_null_type(side)), "")
    is_class = entry["category"] or type_category(dtype) in ("text", "boolean")
    if dtype and not is_class and not is_number(dtype):
        raise BadData(
            f"columns: {entry['name']!r} is {dtype}, and a number or a text is needed; name it among categories, "
            "or write an expression that gives a number"
        )
    return {**entry, "category": is_class}


@keyboard_interrupts
def run_drift(
    data: Any,
    request: Request,
    options: DriftOptions,
    session: Session = Session(),
    *,
    execute: Executor = fetch,
    as_table: bool = False,
) -> Any:
    """`drift`."""
    with open_source(data, session, request.opened) as source:
        other = source.further.get("against")
        sources = [source] if other is None else [source, other]
        plan = plan_of_drift(request, options, source, other, sources=sources)
        result, dropped_rows = _fetch_drift(
            plan, replace(source, further={"against": other or source}), execute, as_table
        )
    warn_of_missing(dropped_rows)
    return result


def _fetch_drift(planned: Plan, source: Source, execute: Executor, as_table: bool) -> tuple[Any, list[str]]:
    other = source.further["against"]
    planned_other = plan_for_against(planned)
    assert planned_other is not None
    materialize = source.is_text or other.is_text
    ours, theirs = (
        bind_columns(replace(planned, models=[{"name": "data"}, {"name": "against"}]), source, materialize),
        bind_columns(planned_other, other, materialize),
    )
    check_columns(ours, source)
    check_columns(theirs, other)
    plan = combine_plans(ours, theirs, source)
    execute_own = renaming(plan, execute, lower_if_upper)
    statement = source.render("drift_statement", plan.context()) + "\n"
    if has_own_sql(plan):
        check_single_select(statement, source.dialect)
    counts = ("n", "n_reference")
    rows = result_reader(execute_own, [*counts, *_NUMBERS], as_table)(source, statement)
    dropped_rows = inspect_values(plan, source, False, execute_own) if plan.roles else []
    slices = plan.slices
    result = renamed(rows, [*slices, *rows.columns[len(slices) :]])
    result = typed_result(result, slices, counts, _NUMBERS)
    return with_attrs(result, {"slices": slices}), dropped_rows
