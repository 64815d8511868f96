"""Render, run, check, shape: the way from a call to a DataFrame. No metric is computed here."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import duckdb
import pandas as pd

from ..catalogue.registry import catalogue
from ..catalogue.vocabulary import RELATIONS, ROLES
from ..column_types import as_pandas
from ..engines.base import Engine
from ..errors import BadParameter, shown
from ..expressions import By, Expression
from ..inputs.opening import open_source
from ..inputs.source import Executor, Source
from ..interrupts import keyboard_interrupts
from ..planning.metric_spec import MetricSpec
from ..planning.plan import Plan, has_own_sql
from ..planning.planner import make_plan, render_plan
from ..rendering.macros import render_macro
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
def run(
    data: Any,
    metrics: MetricSpec | Sequence[MetricSpec],
    *,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    engine: Engine | str | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    confidence: float | None = None,
    cluster: Expression | None = None,
    standard_error: bool = False,
    method: str | None = None,
    replicates: int | None = None,
    seed: int | None = None,
    comparison: Mapping[str, Any] | None = None,
    gaps: bool = False,
    strict: bool = False,
    preset: str | None = None,
    per_group: bool = False,
    execute: Executor = fetch,
    **columns: Any,
) -> pd.DataFrame:
    """`evaluate`, `compare`, `gaps` and `per_group`, with the roles and the further relations as `columns`.

    `execute` runs a statement: the shell passes one that shows progress.
    """
    for name in columns:
        if name not in ROLES and name not in RELATIONS:
            raise TypeError(f"run() got an unexpected keyword argument {name!r}")
    roles = {role: columns[role] for role in ROLES if role in columns}
    relations = {name: columns[name] for name in RELATIONS if name in columns}
    if comparison is not None and comparison["against"] is not None:
        relations["against"] = comparison["against"]
    check_min_rows(min_rows)
    with open_source(data, con, relations, threads, memory_limit, engine) as source:
        answer = evaluate_source(
            source,
            metrics,
            roles,
            by=by,
            where=where,
            min_rows=min_rows,
            diagnostics=diagnostics,
            confidence=confidence,
            cluster=cluster,
            standard_error=standard_error,
            method=method,
            replicates=replicates,
            seed=seed,
            comparison=comparison,
            gaps=gaps,
            strict=strict,
            preset=preset,
            per_group=per_group,
            execute=execute,
        )
    warn_of_missing(answer.plan.left_out)
    return answer.result


def check_min_rows(min_rows: int | None) -> None:
    """Refuse what is no count of rows."""
    if min_rows is not None and (isinstance(min_rows, bool) or not isinstance(min_rows, int) or min_rows < 0):
        raise BadParameter(f"min_rows must be a whole number >= 0, not {shown(min_rows)}")


class TextCache:
    """The rows of text files, parsed once for several calls: in temporary tables of a connection that is ours alone.

    What does not fit into its memory it writes to its folder, as whatever else is large.
    """

    def __init__(self) -> None:
        self._tables: dict[str, str] = {}

    def keep(self, plan: Plan, source: Source, execute: Executor) -> None:
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
    source: Source,
    metrics: MetricSpec | Sequence[MetricSpec],
    roles: Mapping[str, Any],
    *,
    by: By | None = None,
    where: str | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    confidence: float | None = None,
    cluster: Expression | None = None,
    standard_error: bool = False,
    method: str | None = None,
    replicates: int | None = None,
    seed: int | None = None,
    comparison: Mapping[str, Any] | None = None,
    gaps: bool = False,
    strict: bool = False,
    preset: str | None = None,
    per_group: bool = False,
    relations: Collection[str] | None = None,
    kept: TextCache | None = None,
    execute: Executor = fetch,
) -> EvaluationResult:
    """One call over data that are open, as `run` opens them; of several calls the same source can be asked.

    `relations` names those of the source's further relations that the call reads: all, unless it says so. `kept` is
    what several calls over text have in common.
    """
    known = catalogue()
    comparison = None if comparison is None else dict(comparison)
    further = {
        name: {"relation": one.relation, "query": one.query}
        for name, one in source.further.items()
        if relations is None or name in relations
    }
    if comparison is not None:
        comparison |= {"against": further.pop("against", None), "min_rows": min_rows, "tests_in_python": True}
    plan = make_plan(
        known,
        metrics,
        relation=source.relation,
        relation_text=source.text,
        query=source.query,
        dialect=source.dialect,
        columns=list(source.columns),
        roles=roles,
        by=by,
        where=where,
        checks=True,
        diagnostics=diagnostics,
        confidence=confidence,
        cluster=cluster,
        standard_error=standard_error,
        intervals={"method": method, "replicates": replicates, "seed": seed},
        comparison=comparison,
        gaps={"min_rows": min_rows} if gaps else None,
        preset=preset,
        relations=further,
        per_group=per_group,
    )
    # Text is parsed once, however many steps read it; parquet and tables are sooner read again than stored.
    plan.template["stored"] = source.is_text
    check_name_lengths(plan, source.dialect)
    ask, answer = renaming(plan, execute, own_name), renaming(plan, execute, requested_name(plan))
    other = plan_for_against(plan, source)
    bind_columns(plan, source)
    check_columns(plan, source)
    if kept is not None:
        kept.keep(plan, source, ask)
    if other is not None:
        bind_columns(other, source.further["against"])
        check_columns(other, source.further["against"])
        combine_plans(plan, other, source)
        mark_numeric_keys(plan, other, source)
    else:
        use_types(plan, source)
    choose_shape(known, plan, source, ask)
    tune_group_counting(plan, source, ask)
    check_relations_and_groups(known, plan, source, strict, ask)
    statement = render_plan(known, source.dialect, plan)
    if has_own_sql(plan) or known.user_files():
        check_single_select(statement, source.dialect)
    paired_test = bool(comparison) and plan.template["comparison"]["test"] != "t"
    if paired_test:
        scipy_stats()  # which is missing before the query runs, not after it
        differences_plan = replace(plan, template=plan.template | {
            "comparison": plan.template["comparison"] | {"cluster_differences": True}})  # fmt: skip
        differences_statement = render_plan(known, source.dialect, differences_plan)
    # The rows of a table may be told by classes, which are values of the data as slices are.
    told_by = [name.partition(" ")[0] for one in plan.requested if one.metric.table for name in one.metric.order]
    if plan.template["table"] or per_group or plan.template["comparison"]:
        inspect_values(known, plan, source, strict, ask)
        result = answer(source, statement)
    else:
        result = checked_result(known, plan, source, statement, strict, ask, answer)
    # Which slices are large enough to be compared, the statement itself decides.
    result = as_pandas(result, [*plan.slices, plan.template["group_name"], *told_by])
    if paired_test:
        result = apply_paired_test(plan, result, as_pandas(ask(source, differences_statement)))
    result = shape_result(plan, result, None if gaps else min_rows)
    result.attrs["slices"] = list(plan.slices)
    result.attrs["metrics"] = [one.metric.name for one in plan.requested]
    return EvaluationResult(result, plan)


def kinds_of_values(
    source: Source,
    metrics: MetricSpec | Sequence[MetricSpec],
    roles: Mapping[str, Any],
    where: str | None = None,
    kept: TextCache | None = None,
    execute: Executor = fetch,
) -> Mapping[str, int]:
    """What is looked at to choose metrics: `row_count`; whether a truth is `graded` or `negative`, a score `unbounded`.

    The metrics say how the roles are read.
    """
    known = catalogue()
    plan = make_plan(
        known,
        metrics,
        relation=source.relation,
        relation_text=source.text,
        query=source.query,
        dialect=source.dialect,
        columns=list(source.columns),
        roles=roles,
        where=where,
        checks=True,
    )
    ask = renaming(plan, execute, own_name)
    bind_columns(plan, source)
    check_columns(plan, source)
    if kept is not None:
        kept.keep(plan, source, ask)
    use_types(plan, source)
    statement = render_macro(known, source.dialect, "kinds_of_values", plan.template)
    if has_own_sql(plan):
        check_single_select(statement, source.dialect)
    [row] = ask(source, statement).to_dict("records")
    return {str(name): 0 if pd.isna(value) else int(value) for name, value in row.items()}
