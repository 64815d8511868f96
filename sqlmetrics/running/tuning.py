"""Tune statements and settings to the data."""

from __future__ import annotations

from dataclasses import replace

from ..column_types import is_text, is_whole
from ..engines.duckdb_connection import count_groups_in_arrays
from ..inputs.source import Executor, Source
from ..planning.plan import BoundPlan
from ..sql_text import quoted_name

#: Rows of the sample that shows whether scores repeat.
_SAMPLE = 50_000
#: What one byte numbers.
_FEW_SLICES = 255


def choose_shape(plan: BoundPlan, source: Source, execute: Executor) -> BoundPlan:
    """Count rows per distinct score if scores repeat in the first rows; otherwise rank every row.

    With ten million rows and ten thousand scores, counting takes a tenth of the time of ranking. If all scores differ,
    it takes three times as long. Dialects that count by default use one shape for all data.
    """
    if not plan.is_countable or source.render("default_shape") != "rows":
        return plan
    if source.rows is not None and source.rows < _SAMPLE:
        return plan
    plan = replace(plan, hashed_groups=_hashes_groups(plan, source, execute))
    # Metrics with bins of scores always count.
    ranked = {"ranked_scores", "thresholds", "paired_ranks"}
    scored = [requested for requested in plan.requested if ranked & set(requested.metric.frames)]
    if any("steps" not in requested.metric.uses or requested.parameters["bins"] is None for requested in scored):
        counts = execute(source, source.render("first_scores", plan.context(), _SAMPLE))
        sampled, *distinct = counts.rows[0]
        if sampled == _SAMPLE and all(scores <= 0.8 * sampled for scores in distinct):
            return replace(plan, shape="distinct")
        return replace(plan, few_slices=_has_few_slices(plan, source, execute))
    return plan


def tune_group_counting(plan: BoundPlan, source: Source, execute: Executor) -> None:
    """Set how DuckDB counts groups, if the number of rows is known and the metrics need groups or clusters.

    Each call sets it again, because several calls may share a connection.
    """
    if source.connection is None or not source.own:
        return
    keys = [plan.data.columns[canonical] for canonical in ("cluster_id", "group_id") if canonical in plan.data.columns]
    # The types of expressions are unknown.
    may_be_whole = any("column" not in key or is_whole(source.type_of(key["column"])) for key in keys)
    rows = (source.rows or 0) if may_be_whole else 0
    if may_be_whole and source.rows is None and source.files is not None and not source.is_text:
        # The footer of a parquet file holds the number of rows.
        rows = int(execute(source, f"select count(*) as row_count from {source.relation}").column("row_count")[0])
    count_groups_in_arrays(source.connection, rows, len(plan.requested))


def _has_few_slices(plan: BoundPlan, source: Source, execute: Executor) -> bool:
    """Whether one byte numbers the slices. They are counted in files and tables only, as every read is the same."""
    columns = [value.get("column") for value in plan.data.by]
    is_stored = source.rows is not None or (source.files is not None and not source.is_text)
    if not is_stored or not columns or None in columns or plan.against is not None:
        return False
    names = ", ".join(quoted_name(str(column)) for column in columns)
    counted = f"select count(*) as slices from (select distinct {names} from {plan.data.relation}) as distinct_slices"
    slices = int(execute(source, counted).column("slices")[0])
    return slices * max(len(plan.groupings), 1) * max(len(plan.models), 1) <= _FEW_SLICES


def _hashes_groups(plan: BoundPlan, source: Source, execute: Executor) -> bool:
    """Whether groups are texts without a collation, which columns of tables may have."""
    if not any({"group_scores", "ranked_items"} & set(requested.metric.frames) for requested in plan.requested):
        return False
    group = source.type_of(str(plan.data.columns["group_id"].get("column", "")))
    bare = is_text(group) and (source.files is not None or source.in_memory)
    if not bare or not source.call("sorts_groups_by_hash"):
        return False
    if source.own:  # nobody sets a default collation on a private connection
        return True
    return not execute(source, "select current_setting('default_collation') as collation").column("collation")[0]
