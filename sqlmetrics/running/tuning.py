"""How a statement is written and run so that it is quick on these data."""

from __future__ import annotations

from ..catalogue.registry import Catalogue
from ..column_types import is_text, is_whole
from ..engines.duckdb_connection import count_groups_in_arrays
from ..inputs.source import Executor, Source
from ..planning.plan import Plan
from ..rendering.macros import call_macro, render_macro

#: Rows of the sample that shows whether scores repeat: less than one in a hundred of those for which it matters.
_SAMPLE = 50_000


def choose_shape(known: Catalogue, plan: Plan, source: Source, execute: Executor) -> None:
    """Count rows per distinct score where scores repeat in a sample, the first rows; else rank every row.

    With ten million rows of ten thousand scores counting takes a tenth of the time of ranks; where all scores differ it
    takes three times as much. A dialect that counts by default has one shape for all.
    """
    if not plan.template["countable"] or render_macro(known, source.dialect, "default_shape") != "rows":
        return
    if source.rows is not None and source.rows < _SAMPLE:
        return
    plan.template["hashed_groups"] = _hashes_groups(known, plan, source, execute)
    # Steps of the score are counted whatever it is.
    scored = [one for one in plan.requested if {"ranked_scores", "thresholds"} & set(one.metric.frames)]
    if any("steps" not in one.metric.uses or one.parameters["bins"] is None for one in scored):
        counts = execute(source, render_macro(known, source.dialect, "first_scores", plan.template, _SAMPLE))
        sampled, *distinct = counts.iloc[0]
        if sampled == _SAMPLE and all(scores <= 0.8 * sampled for scores in distinct):
            plan.template["shape"] = "distinct"


def tune_group_counting(plan: Plan, source: Source, execute: Executor) -> None:
    """Where a file or a table in memory says how many rows there are, and what is asked for has groups or clusters.

    Of several calls over one source each has its own: what one has set is not for the next.
    """
    if source.connection is None or not source.own:
        return
    columns = [plan.template["columns"].get(canonical) for canonical in ("cluster_id", "group_id")]
    # Of an expression the type is not known.
    whole = [one is not None and ("column" not in one or is_whole(source.type_of(one["column"]))) for one in columns]
    rows = source.rows or 0
    if not any(whole):
        rows = 0
    elif source.rows is None and source.files is not None and not source.is_text:
        # The end of a parquet file tells it.
        rows = int(execute(source, f"select count(*) as row_count from {source.relation}")["row_count"][0])
    count_groups_in_arrays(source.connection, rows, len(plan.requested))


def _hashes_groups(known: Catalogue, plan: Plan, source: Source, execute: Executor) -> bool:
    """Whether groups are texts that are equal where their letters are: a column of a table may have a collation."""
    if not any({"group_scores", "ranked_items"} & set(one.metric.frames) for one in plan.requested):
        return False
    group = source.type_of(str(plan.template["columns"]["group_id"].get("column", "")))
    bare = is_text(group) and (source.files is not None or source.in_memory)
    if not bare or not call_macro(known, source.dialect, "sorts_groups_by_hash"):
        return False
    if source.own:  # and nobody has told it of another
        return True
    return not execute(source, "select current_setting('default_collation') as collation")["collation"][0]
