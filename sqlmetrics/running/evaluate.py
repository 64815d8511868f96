"""Render, run, check, shape: the way from a call to a DataFrame. No metric is computed here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..catalogue.registry import catalogue
from ..column_types import as_pandas
from ..inputs.opening import open_source
from ..inputs.source import Executor, Source
from ..interrupts import keyboard_interrupts
from ..planning.plan import Plan, has_own_sql
from ..planning.planner import Planner, make_plan, render_plan
from ..rendering.macros import render_macro
from ..request import RenderOptions, Request, Session
from ..sql_text import quoted_name
from .binding import bind_columns, combine_plans, mark_numeric_keys, plan_for_against, use_types
from .checks import (
    check_columns,
    check_relations_and_groups,
    check_single_select,
    checked_result,
    inspect_values,
    warn_of_missing,
)
from .execute import fetch, renaming
from .paired_tests import apply_paired_test, scipy_stats
from .results import (
    check_name_lengths,
    own_name,
    requested_name,
    shape_result,
)
from .tuning import choose_shape, tune_group_counting


@keyboard_interrupts
def run(data: Any, request: Request, session: Session = Session(), *, execute: Executor = fetch) -> pd.DataFrame:
    """`evaluate`, `compare`, `gaps` and `per_group`.

    `execute` runs a statement: the shell passes one that shows progress.
    """
    request.check_min_rows()
    with open_source(data, session, request.opened) as source:
        answer = evaluate_source(source, request, execute=execute)
    warn_of_missing(answer.plan.left_out)
    return answer.result


class TextCache:
    """The rows of text files, parsed once for several calls: in temporary tables of a connection that is ours alone.

    What does not fit into its memory it writes to its folder, as whatever else is large.
    """

    def __init__(self) -> None:
        self._tables: dict[str, str] = {}

    def materialize(self, plan: Plan, source: Source, execute: Executor) -> None:
        """Let the plan read a table in place of the text, if it is text that it reads."""
        if not source.is_text:
            return
        template = plan.template
        values = [*template["columns"].values(), *template["models"], *template["by"]]
        values += [part for one in values for part in one.get("parts", {}).values()]
        # What an expression reads is not known here.
        names = None if has_own_sql(plan) else dict.fromkeys(one["column"] for one in values if "column" in one)
        columns = ", ".join(map(quoted_name, names)) if names else "*"
        query = f"select {columns} from {template['relation']}"
        if query not in self._tables:
            name = f"sqlmetrics_kept_{len(self._tables) + 1}"
            execute(source, f"create temp table {name} as {query}")
            self._tables[query] = name
        template["relation"] = self._tables[query]
        template["stored"] = False


@dataclass(frozen=True)
class EvaluationResult:
    """A result and the call that it answers; `plan.left_out` tells in which roles values were missing."""

    result: pd.DataFrame
    plan: Plan


def evaluate_source(
    source: Source, request: Request, *, cache: TextCache | None = None, execute: Executor = fetch
) -> EvaluationResult:
    """A request over data that are open; several requests can read the same source.

    `cache` holds the rows of text that several requests read.
    """
    known = catalogue()
    if request.comparison is not None:
        request = replace(request, comparison=replace(request.comparison, tests_in_python=True))
    plan = plan_over(source, request)
    # Text is parsed once, however many steps read it; parquet and tables are sooner read again than stored.
    plan.template["stored"] = source.is_text
    check_name_lengths(plan, source.dialect)
    ask, answer = renaming(plan, execute, own_name), renaming(plan, execute, requested_name(plan))
    other = plan_for_against(plan, source)
    bind_columns(plan, source)
    check_columns(plan, source)
    if cache is not None:
        cache.materialize(plan, source, ask)
    if other is not None:
        bind_columns(other, source.further["against"])
        check_columns(other, source.further["against"])
        combine_plans(plan, other, source)
        mark_numeric_keys(plan, other, source)
    else:
        use_types(plan, source)
    choose_shape(known, plan, source, ask)
    tune_group_counting(plan, source, ask)
    check_relations_and_groups(known, plan, source, request.strict, ask)
    statement = render_plan(known, source.dialect, plan)
    if has_own_sql(plan) or known.user_files():
        check_single_select(statement, source.dialect)
    paired_test = request.comparison is not None and plan.template["comparison"]["test"] != "t"
    if paired_test:
        scipy_stats()  # which is missing before the query runs, not after it
        differences_plan = replace(plan, template=plan.template | {
            "comparison": plan.template["comparison"] | {"cluster_differences": True}})  # fmt: skip
        differences_statement = render_plan(known, source.dialect, differences_plan)
    # The rows of a table may be told by classes, which are values of the data as slices are.
    told_by = [name.partition(" ")[0] for one in plan.requested if one.metric.table for name in one.metric.order]
    if plan.template["table"] or request.per_group or plan.template["comparison"]:
        inspect_values(known, plan, source, request.strict, ask)
        result = answer(source, statement)
    else:
        result = checked_result(known, plan, source, statement, request.strict, ask, answer)
    # Which slices are large enough to be compared, the statement itself decides.
    result = as_pandas(result, [*plan.slices, plan.template["group_name"], *told_by])
    if paired_test:
        result = apply_paired_test(plan, result, as_pandas(ask(source, differences_statement)))
    result = shape_result(plan, result, None if request.gaps else request.min_rows)
    result.attrs["slices"] = list(plan.slices)
    result.attrs["metrics"] = [one.metric.name for one in plan.requested]
    return EvaluationResult(result, plan)


def plan_over(source: Source, request: Request, planner: Planner = Planner()) -> Plan:
    """The plan of a request over data that are open; rows that break a rule for values are left out, and counted."""
    relations = {name: one.as_input for name, one in source.further.items() if name in request.opened}
    return make_plan(catalogue(), request, source.as_input, relations, RenderOptions(checks=True), planner)


def kinds_of_values(
    source: Source, request: Request, cache: TextCache | None = None, execute: Executor = fetch
) -> Mapping[str, int]:
    """What is looked at to choose metrics: `row_count`; whether a truth is `graded` or `negative`, a score `unbounded`.

    The metrics say how the roles are read.
    """
    known = catalogue()
    plan = plan_over(source, request)
    ask = renaming(plan, execute, own_name)
    bind_columns(plan, source)
    check_columns(plan, source)
    if cache is not None:
        cache.materialize(plan, source, ask)
    use_types(plan, source)
    statement = render_macro(known, source.dialect, "kinds_of_values", plan.template)
    if has_own_sql(plan):
        check_single_select(statement, source.dialect)
    [row] = ask(source, statement).to_dict("records")
    return {str(name): 0 if pd.isna(value) else int(value) for name, value in row.items()}
