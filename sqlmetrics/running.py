"""Render, run, check, shape: the way from a call to a DataFrame. No metric is computed here."""

from __future__ import annotations

import decimal
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import duckdb
import pandas as pd

from .catalogue.registry import Catalogue, catalogue
from .catalogue.vocabulary import DIAGNOSTICS, MEASURED_DIAGNOSTICS, RELATIONS, ROLES
from .checks import check_columns, check_groups, check_single_select, checked_result, inspect_values, warn_of_missing
from .column_types import as_pandas, is_boolean, is_number, is_text, is_whole
from .engines.base import Engine
from .engines.connect import open_engine
from .engines.duckdb_connection import count_groups_in_arrays
from .errors import BadMetricFile, BadParameter, QueryFailed, SqlMetricsError, error_summary, shown
from .expressions import By, Expression
from .inputs.files import retried
from .inputs.opening import open_source
from .inputs.source import Executor, Source
from .interrupts import INTERRUPTED, keyboard_interrupts
from .paired_tests import apply_paired_test, scipy_stats
from .planning.metric_spec import MetricSpec
from .planning.plan import ENDS_OF_A_GAP, Plan, has_own_sql
from .planning.planner import make_plan, render_plan
from .reading import is_rounded_by_clickhouse, join_sides, settle, the_other_side, with_role
from .rendering.macros import call_macro, render_macro
from .sql_text import quoted_name


def fetch(source: Source, sql: str) -> pd.DataFrame:
    """Run one statement and return its rows."""
    try:
        return source.fetch(sql)
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except SqlMetricsError:
        raise
    except source.errors as error:
        if str(error) == INTERRUPTED:
            raise  # Ctrl-C
        raise QueryFailed(f"the query failed: {error_summary(error)}", sql) from error


@keyboard_interrupts
@retried
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
    sampled: bool = True,
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
    with (
        open_engine(engine) if isinstance(engine, str) else nullcontext(engine) as opened,
        open_source(data, con, relations, threads, memory_limit, opened, sampled) as source,
    ):
        answer = run_over(
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


class Kept:
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
class Answer:
    """A result and the call that it answers; `plan.left_out` tells in which roles values were missing."""

    result: pd.DataFrame
    plan: Plan


def run_over(
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
    kept: Kept | None = None,
    execute: Executor = fetch,
) -> Answer:
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
    _check_lengths(plan, source.dialect)
    ask, answer = renaming(plan, execute, own_name), renaming(plan, execute, _requested_name(plan))
    other = the_other_side(plan, source)
    settle(plan, source)
    check_columns(plan, source)
    if kept is not None:
        kept.keep(plan, source, ask)
    if other is not None:
        settle(other, source.further["against"])
        check_columns(other, source.further["against"])
        join_sides(plan, other, source)
        _know_numbers(plan, other, source)
    else:
        use_types(plan, source)
    _choose_shape(known, plan, source, ask)
    _count_groups_in_arrays(plan, source, ask)
    check_groups(known, plan, source, strict, ask)
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
        result = answer(source, _with_numbers_as_texts(plan, source, statement, told_by))
    else:
        result = checked_result(known, plan, source, statement, strict, ask, answer)
    result = numbers_again(plan, result)
    # Which slices are large enough to be compared, the statement itself decides.
    result = as_pandas(result, [*plan.slices, plan.template["group_name"], *told_by])
    if paired_test:
        result = apply_paired_test(plan, result, as_pandas(ask(source, differences_statement)))
    result = _shape(plan, result, None if gaps else min_rows)
    result.attrs["slices"] = list(plan.slices)
    result.attrs["metrics"] = [one.metric.name for one in plan.requested]
    return Answer(result, plan)


def kinds_of_values(
    source: Source,
    metrics: MetricSpec | Sequence[MetricSpec],
    roles: Mapping[str, Any],
    where: str | None = None,
    kept: Kept | None = None,
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
    settle(plan, source)
    check_columns(plan, source)
    if kept is not None:
        kept.keep(plan, source, ask)
    use_types(plan, source)
    statement = render_macro(known, source.dialect, "kinds_of_values", plan.template)
    if has_own_sql(plan):
        check_single_select(statement, source.dialect)
    [row] = ask(source, statement).to_dict("records")
    return {str(name): 0 if pd.isna(value) else int(value) for name, value in row.items()}


def _with_numbers_as_texts(plan: Plan, source: Source, statement: str, names: Sequence[str]) -> str:
    """The statement, whose columns of classes are texts where ClickHouse's client would round them."""
    if not names or source.dialect != "clickhouse" or not any(one.metric.truth == "class" for one in plan.requested):
        return statement
    kinds = source.types_of(statement)
    rounded = [name for name in names if is_rounded_by_clickhouse(kinds.get(name, ""))]
    if not rounded:
        return statement
    plan.template.setdefault("numbers_as_text", []).extend(rounded)
    quoted = [render_macro(catalogue(), source.dialect, "identifier", name) for name in rounded]
    texts = ", ".join(f"toString({name}) as {name}" for name in quoted)
    end = render_macro(catalogue(), source.dialect, "statement_end")
    return f"select * replace ({texts})\nfrom (\n{statement}){end}\n"


def numbers_again(plan: Plan, result: pd.DataFrame) -> pd.DataFrame:
    """Slices, groups and classes whose numbers travelled as texts, which are sorted otherwise."""
    names = [plan.template["group_name"] if name == "group_id" else name
             for name in plan.template.get("numbers_as_text", [])]  # fmt: skip
    if _tells_gaps(plan):
        names = [f"{end}_{name}" for name in names for end in ENDS_OF_A_GAP]
    names = [name for name in names if name in result.columns]
    if not names or not len(result):
        return result
    result = result.copy()
    for name in names:
        values = [None if pd.isna(one) else decimal.Decimal(one) for one in result[name]]
        result[name] = pd.Series(values, dtype="object", index=result.index)
    if _tells_gaps(plan):  # a row per metric, not per slice
        return result
    keys = [*dict.fromkeys([*plan.slices, plan.template["group_name"], *names])]
    keys = [name for name in keys if name in result.columns]
    places = {name: _places(result[name].tolist(), name not in ("grouping", "model")) for name in keys}
    order = sorted(range(len(result)), key=lambda row: [places[name][row] for name in keys])
    return result.iloc[order].reset_index(drop=True)


def _tells_gaps(plan: Plan) -> bool:
    return bool(plan.template["comparison"] and plan.template["comparison"]["gaps"])


#: Columns of `gaps` that hold numbers, whatever an engine takes a column of NULLs for.
_NUMBERS_OF_GAPS = ("highest", "lowest", "difference", "ratio", "difference_low", "difference_high", "standard_error",
                    "p_value")  # fmt: skip


def _places(values: list[Any], by_value: bool) -> list[int]:
    """Where each value of a column stands among them: by its order, or else where it came first; no value last."""
    known = list(dict.fromkeys(None if pd.isna(one) else one for one in values))
    if by_value:
        known.sort(key=lambda one: (one is None, 0 if one is None else one))
    place = {one: number for number, one in enumerate(known)}
    return [place[None if pd.isna(one) else one] for one in values]


def renaming(plan: Plan, execute: Executor, new_name: Callable[[str], str]) -> Executor:
    """Run a statement; what fails is told with its role, and its columns get new names."""

    def ask(source: Source, sql: str) -> pd.DataFrame:
        try:
            rows = execute(source, sql)
        except QueryFailed as failed:
            raise with_role(failed, plan, source) from failed.__cause__
        return rows.set_axis([new_name(str(name)) for name in rows.columns], axis=1)

    return ask


#: After how many bytes an engine cuts the names of a result.
_CUT_AFTER = {"postgres": 63, "redshift": 127}


def _check_lengths(plan: Plan, dialect: str) -> None:
    """Two names that an engine cuts to the same one could not be told apart in its answer."""
    known: dict[bytes, str] = {}
    for name in _names_of_the_result(plan) if dialect in _CUT_AFTER else ():
        other = known.setdefault(name.encode(errors="surrogatepass")[: _CUT_AFTER[dialect]].lower(), name)
        if other != name:
            raise BadParameter(
                f"{other!r} and {name!r} are one name to {dialect}, which cuts names after {_CUT_AFTER[dialect]} bytes"
            )


def _names_of_the_result(plan: Plan) -> list[str]:
    names = [*plan.slices, plan.template["group_name"]]
    for one in plan.template["metrics"]:
        names += [*one["interval"].values()]
        names += [column["as"] for column in one["columns"]] + [column["shown"] for column in one["group_columns"]]
    return names


def own_name(name: str) -> str:
    """A name of ours, which some engines write in capitals."""
    return name.lower() if name.isupper() else name


def _requested_name(plan: Plan) -> Callable[[str], str]:
    """Names as they were requested, whatever the engine makes of them: capitals, or an end after 63 bytes."""
    requested = _names_of_the_result(plan)
    by_folded = {name.encode(errors="surrogatepass")[:63].decode(errors="ignore").lower(): name for name in requested}

    def requested_name(name: str) -> str:
        return name if name in requested else by_folded.get(name.lower(), own_name(name))

    return requested_name


#: Rows of the sample that shows whether scores repeat: less than one in a hundred of those for which it matters.
_SAMPLE = 50_000


def _choose_shape(known: Catalogue, plan: Plan, source: Source, execute: Executor) -> None:
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


def _count_groups_in_arrays(plan: Plan, source: Source, execute: Executor) -> None:
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


def use_types(plan: Plan, source: Source) -> None:
    """Columns of whole numbers hold no NaN, and are checked by a range, not by a list: an AUC took 6% less time."""
    for canonical, value in plan.template["columns"].items():
        kind = source.type_of(str(value.get("column", "")))
        # PostgreSQL reads a truth that may be boolean through its text.
        if is_number(kind):
            value["is_number"] = True
        if is_whole(kind) or is_boolean(kind):
            plan.template["whole_columns"].append("score" if canonical == "negated_rank" else canonical)
    for problem in plan.problems:
        if problem.get("keeps_whole") is not None and problem["column"] in plan.template["whole_columns"]:
            problem["keeps"] = problem["keeps_whole"]


def _know_numbers(plan: Plan, other: Plan, source: Source) -> None:
    """What is a number on both sides has one name in draws and buckets: 7 and 7.0 are one cluster."""
    for canonical in ("cluster_id", "group_id"):
        value = plan.template["columns"].get(canonical)
        if value is not None:
            theirs = other.template["columns"][canonical]
            kinds = (source.type_of(str(value.get("column", ""))),
                     source.further["against"].type_of(str(theirs.get("column", ""))))  # fmt: skip
            if all(is_number(kind) for kind in kinds):
                value["is_number"] = True


def _numbers(metric: str, values: pd.Series[Any]) -> pd.Series[Any]:
    """The values of a metric, which are numbers unless its file is a user's and wrong."""
    try:
        return values.astype("float64")
    except (TypeError, ValueError) as error:
        found = next((value for value in values.tolist() if value is not None), None)
        path = catalogue()[metric].path
        raise BadMetricFile(f"{path}: the value must be a number, not {shown(found)}") from error


def _shape(plan: Plan, result: pd.DataFrame, min_rows: int | None) -> pd.DataFrame:
    """Types as pandas users expect them: whole numbers for counts, NaN for an undefined value."""
    # A table has names of its own, and so may the groups of per_group have.
    counts = (
        "n",
        *(("clusters",) if plan.template["comparison"] else ()),
        *(("shared_clusters",) if plan.template["against"] else ()),
        *(("slices", "shared_clusters") if _tells_gaps(plan) else ()),
        *(set(DIAGNOSTICS) - set(MEASURED_DIAGNOSTICS) if plan.template["diagnostics"] else ()),
    )
    for name in counts:
        if name in result.columns and name not in plan.slices and result[name].dtype != "int64":
            result[name] = result[name].fillna(0).astype("int64")
    for name in _NUMBERS_OF_GAPS if _tells_gaps(plan) else ():
        if name in result.columns and result[name].dtype != "float64":
            result[name] = result[name].astype("float64")
    for one in plan.template["metrics"]:
        interval = dict(one["interval"])
        clusters = interval.pop("clusters", None)
        if clusters is not None:
            result[clusters] = result[clusters].astype("int64")
        for name in [*(column["as"] for column in one["columns"]), *interval.values()]:
            if name in result.columns and not plan.template["table"] and result[name].dtype != "float64":
                result[name] = _numbers(one["name"], result[name])
    if min_rows is not None and "n" in result.columns:
        kept = result["n"] >= min_rows
        result = result[kept].reset_index(drop=True)
        result.attrs["slices_left_out"] = int((~kept).sum())
    return result
