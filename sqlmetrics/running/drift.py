"""Plan and execute `drift`; SQL computes the distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..catalogue.registry import catalogue
from ..column_types import is_number
from ..errors import BadData
from ..inputs.source import Executor, Source
from ..planning.metric_spec import plain_value
from ..planning.plan import Plan, Value
from ..planning.planner import check_unicode, make_plan, plain_columns
from ..rendering.macros import call_macro
from ..request import DriftOptions, InputRelation, Request
from ..tables import renamed, typed_result
from .checks import checked_statement, inspect_values
from .evaluate import EvaluationResult, bind_plan
from .execute import renaming
from .probes import is_null_type, type_category, types_of_values
from .results import result_reader, with_attrs

_COUNTS = ("n", "n_reference")
_NUMBERS = ("missing", "missing_reference", "psi", "ks_distance", "jensen_shannon", "wasserstein")


def plan_of_drift(
    request: Request,
    options: DriftOptions,
    data: InputRelation,
    against: InputRelation | None,
    sources: Sequence[Source] = (),
) -> Plan:
    """Plan a call; columns that are texts or booleans in `sources` are classes."""
    roles = {"columns": options.columns, "categories": options.categories}
    arguments = [plain_columns(role, value, data.columns) for role, value in roles.items()]
    check_unicode(arguments)
    entries = call_macro(catalogue(), data.dialect, "columns_of_drift", "drift", *arguments)
    if sources:
        entries = _by_types(entries, sources)
    choices = [entries, *map(plain_value, (options.current, options.reference, options.bins, options.eps))]
    others = {} if against is None else {"against": against}
    planner = "planned_drift_of_columns"
    return make_plan(catalogue(), request, data, others, call_name="drift", planner=planner, choices=choices)


def _by_types(entries: Sequence[Value], sources: Sequence[Source]) -> list[Value]:
    """Mark columns as classes if the user declares them so, or if they hold texts or booleans."""
    undeclared = [entry for entry in entries if not entry["category"]]
    types = zip(undeclared, *(types_of_values(undeclared, "columns", source) for source in sources), strict=True)
    known = {
        entry["name"]: next((dtype for dtype in dtypes if dtype and not is_null_type(dtype)), "")
        for entry, *dtypes in types
    }
    marked: list[Value] = []
    for entry in entries:
        dtype = known.get(entry["name"], "")
        is_class = entry["category"] or type_category(dtype) in ("text", "boolean")
        if dtype and not is_class and not is_number(dtype):
            raise BadData(
                f"columns: {entry['name']!r} is {dtype}, and a number or a text is needed; name it among categories, "
                "or write an expression that gives a number"
            )
        marked.append({**entry, "category": is_class})
    return marked


def compute_drift(
    opened: Source, request: Request, options: DriftOptions, execute: Executor, as_table: bool
) -> EvaluationResult:
    """`drift`."""
    other = opened.further.get("against")
    sources = [opened] if other is None else [opened, other]
    planned = plan_of_drift(request, options, opened, other, sources=sources)
    # The inspection reports the relation of a value as its model.
    planned = replace(planned, models=[{"name": "data"}, {"name": "against"}])
    source = replace(opened, further={"against": other or opened})
    plan = bind_plan(planned, source)
    statement = checked_statement("drift_statement", plan, source)
    execute_own = renaming(plan, execute)
    rows = result_reader(execute_own, [*_COUNTS, *_NUMBERS], as_table)(source, statement)
    dropped_rows = inspect_values(plan, source, False, execute_own) if plan.rules else []
    slices = plan.slices
    result = renamed(rows, [*slices, *rows.columns[len(slices) :]])
    typed = typed_result(result, slices, _COUNTS, _NUMBERS)
    return EvaluationResult(with_attrs(typed, {"slices": slices}), dropped_rows)
