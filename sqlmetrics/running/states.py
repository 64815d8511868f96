"""Build states, small tables that summarize parts of a log, and evaluate metrics from them.

The dbt package renders the same statements from `sql/macros/states`.
"""

from __future__ import annotations

import datetime
import numbers
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..catalogue.registry import catalogue
from ..column_types import is_text
from ..errors import BadData, BadParameter, QueryFailed
from ..inputs.source import Executor, Source
from ..output.text import texts_of
from ..planning.metric_spec import metric_specs, plain_value
from ..planning.plan import Relation
from ..planning.planner import check_unicode, make_plan, plain_expression, plain_slices
from ..request import Request, StateOptions
from ..tables import as_pandas, typed_result
from . import checks
from .evaluate import EvaluationResult, bind_plan
from .execute import renaming
from .results import result_reader, with_attrs

if TYPE_CHECKING:
    import pandas as pd

#: Prefixes of error messages that the statements raise themselves.
_MAKING, _READING = "sqlmetrics.state", "sqlmetrics.evaluate_states"
_ROLES_OF_SCORES = ("label", "score", "weight", "positives", "total")


def build_state(
    source: Source, request: Request, buckets: Any, scores: dict[str, Any] | None, execute: Executor
) -> EvaluationResult:
    """`state`."""
    choices = (plain_value(buckets), scores)
    planned = make_plan(
        catalogue(), request, source, source.further, call_name=_MAKING, planner="planned_state", choices=choices
    )
    plan = bind_plan(planned, source)
    execute_own = renaming(plan, execute, str)
    dropped_rows = checks.check_relations_and_groups(plan, source, request.strict, execute_own)
    statement = checks.checked_statement("state_statement", plan, source)
    rows = _fetch_rows(source.framed, statement, execute_own, _MAKING)
    dropped_rows += checks.inspect_values(plan, source, request.strict, execute_own)
    result = as_pandas(rows, plan.slices)
    empty = [name for name in plan.slices if result[name].isna().all()]
    # Text columns that hold only NULL get a string type, as states of other days have.
    dtypes = source.types_of(statement) if empty else {}
    result = result.astype({name: "string" for name in empty if is_text(dtypes.get(name, ""))})
    keys = [name for name in (*plan.slices, "score_key", "bucket") if name in result.columns]
    result = result.sort_values(keys, ignore_index=True, key=_in_order) if keys else result
    return EvaluationResult(result, dropped_rows)


def score_options(request: Request, options: StateOptions) -> dict[str, Any] | None:
    """Read the options for storing scores; None for a state of metrics."""
    if request.metrics is None:
        unsupported = [name for name in (*request.roles, *request.relations) if name not in _ROLES_OF_SCORES]
        unsupported += ["preset"] if request.preset is not None else []
        if unsupported:
            raise BadParameter(
                f"{unsupported[0]} requires ⟨metrics⟩; a state of scores supports {', '.join(_ROLES_OF_SCORES)}"
            )
        ends = options.range
        ends = list(map(plain_value, ends)) if isinstance(ends, list | tuple) else plain_value(ends)
        return {"bins": plain_value(options.bins), "eps": plain_value(options.eps), "range": ends}
    usual = StateOptions()
    for name in ("bins", "range", "eps"):
        if getattr(options, name) != getattr(usual, name):
            raise BadParameter(f"{name} requires a state of scores; remove it or ⟨metrics⟩")
    return None


def read_states(source: Source, request: Request, execute: Executor, as_table: bool) -> EvaluationResult:
    """`evaluate_states`."""
    metrics, preset, where, relations = request.metrics, request.preset, request.where, request.relations
    item, intervals = request.roles.get("item"), request.intervals
    if not isinstance(plain_value(intervals.standard_error), bool):
        raise BadParameter(f"standard_error must be True or False, not {type(intervals.standard_error).__name__}")
    slices = plain_slices(request.by, list(source.columns))
    wanted = None if metrics is None else metric_specs(metrics)
    check_unicode([slices, wanted, where])
    slicing = source.call("slicing_of", _READING, slices)
    columns: list[str] = []
    if not slicing["groupings"]:
        slices = [
            {**entry, "column": source.find(entry["column"], "by")} if "column" in entry else entry
            for entry in slicing["entries"]
        ]
        columns = [entry["column"] for entry in slices if "column" in entry]
    names = [str(entry["name"]) for entry in slicing["entries"]]
    state = {
        "relation": _relation(source, columns),
        "shown": source.text,
        "columns": [name.lower() for name in source.columns],
        "rebuild_hint": "",
        "once": "read each part once, and name what tells the parts apart, such as the day, in by",
    }
    dropped_rows: list[str] = []
    call = {
        "macro": _READING,
        "metrics": wanted,
        "preset": preset,
        "by": slices,
        "where": where,
        "confidence": plain_value(intervals.confidence),
        "standard_error": plain_value(intervals.standard_error),
        "round": None,
        "relations": {},
    }
    scores: dict[str, Any] | None = None
    if "score_key" in state["columns"]:
        for name, value in {"preset": preset, "item": item, **relations}.items():
            if value is not None:
                raise BadParameter(f"{name} requires a state of metrics; remove it")
        scores = {"binned": _has_bins(source, state, where, execute)}
    elif wanted is None:
        if "made_for" not in state["columns"]:
            raise BadData(f"{source.text} is not a state: it has neither a column score_key nor made_for")
        raise BadParameter("name the metrics, as in ⟨metrics⟩='mae'; the column made_for of the states lists them")
    else:
        inputs = {name: relation.template for name, relation in source.further.items()}
        item = plain_expression("item", item)
        planned = source.call("relations_of_states", _READING, wanted, preset, inputs, item)
        items = ({"column": "item_id"}, Relation(str(state["relation"])), source)
        call["relations"], dropped_rows = checks.check_relations(planned, items, source, execute)
    plan = source.call("planned_reading", state, call, scores)
    text = _statement(source, "statement_of_state", plan)
    rows = _fetch_rows(source, text, result_reader(execute, ("n",), as_table), _READING)
    # Tables have no n, and may have columns of classes.
    values = [name for name in rows.columns if name not in (*names, "n")] if "n" in rows.columns else []
    result = typed_result(rows, names, ["n"] if values else [], values)
    return EvaluationResult(with_attrs(result, {"slices": names}), dropped_rows)


def _has_bins(source: Source, state: Mapping[str, Any], where: Any, execute: Executor) -> bool:
    # The statement checks the condition. If it selects no part, read the bins of all parts.
    condition = where if isinstance(where, str) and where.strip() else None
    for choice in dict.fromkeys((condition, None)):
        text = _statement(source, "bins_of_states", _READING, state, choice)
        [bins] = _fetch_rows(source, text, execute, _READING).records()
        if bins["parts"]:
            break
    return bins["bins"] is not None


def _statement(source: Source, macro: str, *arguments: Any) -> str:
    text = source.render(macro, *arguments) + "\n"
    checks.check_single_select(text, source.dialect)
    return text


def _relation(source: Source, slices: Sequence[str]) -> str:
    """Build the relation to read states from; text files get types from all their rows."""
    if source.query:
        return f"({source.query}\n) as {source.relation}"
    if source.files is not None and source.is_text:
        ids = [*slices, *(["item_id"] if "item_id" in source.columns else [])]
        files = source.files
        texts = [*files.text_ids(ids), *files.texts_written(slices)]
        if files.reader == "read_csv":  # writers quote empty texts, but not NULL
            files = replace(files, options=[*files.options, "allow_quoted_nulls = false"])
        return files.relation(list(source.columns), "sqlmetrics_input", texts)
    return source.relation


def _fetch_rows(source: Source, statement: str, execute: Executor, mark: str) -> Any:
    """Fetch the rows of a statement, and convert errors that it raises itself to `BadData`."""
    try:
        return execute(source, statement)
    except QueryFailed as failed:
        # Engines add a prefix to the message, and some add a quote or a code at its end.
        match = re.search(rf"{re.escape(mark)}: (.*?)(?:\"| SQLSTATE: \w+)?$", str(failed))
        if match is None:
            raise
        raise BadData(match[1]) from failed.__cause__


def _in_order(values: pd.Series) -> pd.Series:
    """Make a column sortable: lists, structures and bytes sort by their texts."""
    import pandas as pd  # noqa: PLC0415 - readers of states need it not

    present = values.dropna() if values.dtype == "object" else ()
    if all(isinstance(value, str | numbers.Number | datetime.time | uuid.UUID) for value in present):
        return values
    return pd.Series(texts_of(values), index=values.index, dtype=object)
