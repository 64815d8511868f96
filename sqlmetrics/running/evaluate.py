"""Render, execute and check the statement of a call, and shape its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..catalogue.registry import catalogue
from ..engines.base import client_module
from ..inputs.source import Executor, Source
from ..planning.plan import BoundPlan, Plan, has_own_sql, mappings_in
from ..planning.planner import make_plan
from ..request import Request
from ..sql_text import quoted_name
from ..tables import Result, Table
from . import checks, results
from .binding import bind_columns, combine_plans, use_types
from .execute import fetch, renaming
from .tuning import choose_shape, tune_group_counting


class TextCache:
    """Parse text files once for several calls, into temporary tables of a private connection.

    The connection writes tables that do not fit into memory to its folder.
    """

    def __init__(self) -> None:
        self._tables: dict[str, str] = {}

    def materialize(self, plan: BoundPlan, source: Source, execute: Executor) -> BoundPlan:
        """Return the plan with a temporary table to read instead of text files."""
        if not source.is_text:
            return plan
        # Expressions may read any column.
        values = [] if has_own_sql(plan) else mappings_in([plan.data.columns, plan.models, plan.data.by])
        names = dict.fromkeys(value["column"] for value in values if "column" in value)
        columns = ", ".join(map(quoted_name, names)) if names else "*"
        query = f"select {columns} from {plan.data.relation}"
        if query not in self._tables:
            name = f"sqlmetrics_kept_{len(self._tables) + 1}"
            execute(source, f"create temp table {name} as {query}")
            self._tables[query] = name
        return replace(plan, data=replace(plan.data, relation=self._tables[query]), materialize=False)


@dataclass(frozen=True)
class EvaluationResult:
    """A result, and the roles with missing values with their numbers of rows."""

    result: Any
    dropped_rows: list[str]


def evaluate_source(
    source: Source,
    request: Request,
    *,
    cache: TextCache | None = None,
    execute: Executor = fetch,
    as_table: bool = False,
) -> EvaluationResult:
    """Evaluate a request over an open source, which several requests can read.

    `cache` holds the rows of text files that several requests read.
    """
    if request.comparison is not None:
        request = replace(request, comparison=replace(request.comparison, tests_in_python=True))
    planned = _plan_over(source, request)
    results.check_name_lengths(planned, source.dialect)
    plan = bind_plan(planned, source, cache, execute)
    execute_own = renaming(plan, execute)
    plan = choose_shape(plan, source, execute_own)
    tune_group_counting(plan, source, execute_own)
    dropped_rows = checks.check_relations_and_groups(plan, source, request.strict, execute_own)
    statement = checks.checked_statement("query", plan, source)
    paired_test = plan.comparison is not None and plan.comparison["test"] != "t"
    if paired_test:
        from .paired_tests import apply_paired_test  # noqa: PLC0415 - pandas and SciPy

        client_module("scipy.stats", "scipy")  # fails before the query runs if SciPy is missing
        differences_plan = replace(plan, comparison={**(plan.comparison or {}), "cluster_differences": True})
        differences_statement = checks.checked_statement("query", differences_plan, source)
    # Tables may have columns of classes, which hold values of the data as slices do.
    class_columns = [
        name.partition(" ")[0]
        for requested in plan.requested
        if requested.metric.table
        for name in requested.metric.order
    ]
    counts, numbers = results.numeric_columns(plan)
    printable = [*counts, *numbers, "sqlmetrics_all_rows", "sqlmetrics_used_rows"]
    execute_final = renaming(plan, execute, results.requested_name(plan))
    fetch_result = results.result_reader(execute_final, printable, as_table and not paired_test)
    if plan.is_table or request.per_group or plan.comparison:
        missing = checks.inspect_values(plan, source, request.strict, execute_own)
        result: Result = fetch_result(source, statement)
    else:
        result, missing = checks.checked_result(plan, source, statement, request.strict, execute_own, fetch_result)
    if paired_test:
        result = apply_paired_test(plan, result, execute_own(source.framed, differences_statement))
    # The statement itself decides which slices are large enough to compare.
    ids = [*plan.slices, plan.group_name, *class_columns]
    result = results.shape_result(plan, result, ids, None if request.gaps else request.min_rows)
    metrics = [requested.metric.name for requested in plan.requested]
    attrs = {"slices": list(plan.slices), "metrics": metrics}
    is_relative = plan.comparison is not None and plan.comparison["relative"]
    result = results.with_attrs(result, attrs | ({"relative": True} if is_relative else {}))
    return EvaluationResult(result, dropped_rows + missing)


def bind_plan(planned: Plan, source: Source, cache: TextCache | None = None, execute: Executor = fetch) -> BoundPlan:
    """Bind a plan to the data and to `against`, and check the types of columns."""
    plan = _bind_side(planned, source, cache, execute)
    if planned.against is None:
        return use_types(plan, source)
    against = source.further["against"]
    return combine_plans(plan, _bind_side(replace(planned, data=planned.against, relations={}), against), source)


def _bind_side(planned: Plan, source: Source, cache: TextCache | None = None, execute: Executor = fetch) -> BoundPlan:
    plan = bind_columns(planned, source)
    checks.check_columns(plan, source)
    return plan if cache is None else cache.materialize(plan, source, renaming(plan, execute))


def _plan_over(source: Source, request: Request) -> Plan:
    """Plan a request over an open source; the statement drops and counts rows that break a rule."""
    relations = {name: relation for name, relation in source.further.items() if name in request.opened}
    return make_plan(catalogue(), replace(request, checks=True), source, relations)


def describe_values(
    source: Source, request: Request, cache: TextCache | None = None, execute: Executor = fetch
) -> Mapping[str, int]:
    """Describe values to choose metrics: `row_count`, labels that are `graded` or `negative`, `unbounded` scores.

    The metrics define how to read the roles.
    """
    plan = bind_plan(_plan_over(source, request), source, cache, execute)
    # The statement reads the rows once.
    statement = checks.checked_statement("kinds_of_values", replace(plan, materialize=False), source)
    counted: Table = renaming(plan, execute)(source, statement)
    [row] = counted.records()
    return {name: 0 if value is None else int(value) for name, value in row.items()}
