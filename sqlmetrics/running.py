"""Render, run, check, shape: the way from a call to a DataFrame. No metric is computed here."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal

import duckdb
import pandas as pd

from .catalogue import RELATIONS, ROLES, Catalogue, catalogue
from .definitions import COLUMN_ROLES, DIAGNOSTICS, DIALECTS
from .engines import Engine, as_pandas, is_boolean, is_number, is_text, is_whole
from .errors import (
    BadData,
    BadParameter,
    DroppedRows,
    QueryFailed,
    SqlMetricsError,
    did_you_mean,
)
from .files import retried
from .planning import NUMERIC_COLUMNS, Expression, Plan, has_own_sql, make_plan
from .reading import settle, with_role
from .rendering import call_macro, render_macro, render_plan
from .source import Source, open_source, reason_of
from .specification import MetricSpec
from .statements import is_single_select

Preset = Literal["sklearn", "trec_eval", "lightgbm", "spark"]
Scores = Expression | Sequence[Expression]
By = Expression | Sequence[Expression] | Sequence[Sequence[Expression]]
Executor = Callable[[Source, str], pd.DataFrame]

_BOOLEAN_COLUMNS = ("label", "prediction", "won")


def evaluate(
    data: Any,
    metrics: MetricSpec | Sequence[MetricSpec],
    *,
    label: Expression | None = None,
    score: Scores | None = None,
    prediction: Expression | None = None,
    group: Expression | None = None,
    item: Expression | None = None,
    rank: Expression | None = None,
    tie_key: Expression | None = None,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    group_weight: Expression | None = None,
    field: Expression | None = None,
    p_price: Expression | None = None,
    p_survive: Expression | None = None,
    won: Expression | None = None,
    judgments: Any = None,
    catalog: Any = None,
    similarity: Any = None,
    popularity: Any = None,
    preset: Preset | None = None,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    engine: Engine | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Compute metrics over files, a table, a query or an object in memory.

    A plain string names a column. An expression over the columns starts with an equals sign (`label="= rating >= 4"`,
    `by="day = date_trunc('day', ts)"`) or is written as `sqlmetrics.sql("rating >= 4")`. Expressions and `where` are
    your own SQL: never build them from text that you do not trust.

    Args:
        data: A path, glob or folder (parquet, CSV, JSON; .gz and .zst too), a list of paths, a TREC run, a table or
            view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB relation. Files of
            one call are read in the types that all of them have together.
        metrics: One metric or several: `"auc"`, `"ndcg@10"`, `"ndcg(k=10, gain='linear')"`, `"mine = ndcg(k=10)"`,
            or a dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, with commas.
        label: Truth: 0/1 or boolean; graded relevance >= 0; a class; or a number.
        score: Prediction: probability, ranking score or predicted value. A list compares models: the result is in
            long form, with a column `model`.
        prediction: Predicted class, instead of a score and a threshold.
        group: User, query or session: the unit inside which ranks are made.
        item: Item or document.
        rank: Position in the list, 1 first, instead of score.
        tie_key: Orders equal scores under `ties='key'`, descending.
        weight: Row weight >= 0.
        positives: Positive rows behind a pre-aggregated row, instead of label; goes with `total`.
        total: All rows behind a pre-aggregated row.
        group_weight: Weight of a group in the mean of a ranking metric.
        field: Column over whose values the calibration is taken.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price lies above the own bid.
        won: Whether the own bid won.
        judgments: A second relation with the columns of group, item and label: truth that may hold items never
            returned. As the other relations it may be whatever `data` may be. TREC qrels are read as they are.
        catalog: Relation of all items, with the column of item.
        similarity: Relation of item_a, item_b, similarity.
        popularity: Relation of how often each item was seen: the column of item, and count.
        preset: The conventions of `sklearn`, `trec_eval`, `lightgbm` or `spark`, for the parameters not given.
        by: Slice columns: one result row per slice, NULL being a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`); a column `grouping` then says which.
        where: SQL condition on the rows.
        con: A DuckDB connection to use. It is not closed, and nothing is left behind in it. Calls of several threads
            on it wait for each other; a result of your own on it has to be read to its end before.
        threads: How many threads may work, without `con`; all by default.
        memory_limit: How much memory the query may take, as in `"2GB"`, without `con`. What does not fit goes to a
            temporary folder.
        engine: The engine that holds the data and computes: `engines.Spark(session)`, `engines.PostgreSQL(connection)`,
            `engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, or anything with a dialect and a
            `query(sql)`. Data is then a table or a query there, and expressions are in its SQL.
        min_rows: Leave out slices with fewer used rows; `attrs["slices_left_out"]` counts them.
        diagnostics: Add what stands behind each value: rows read and dropped, positives, tied rows, groups, groups
            skipped, groups that the judgments do not know.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice, sorted, NULL slices last: the slice columns, `n` (rows used), one column per metric. An
        undefined value is NaN. A table metric returns its table, with the slice columns in front.

    Raises:
        SqlMetricsError: One of its subclasses: UnknownMetric, BadParameter, MissingColumn, BadData, QueryFailed.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"clicked": [0, 0, 1, 1], "pctr": [0.1, 0.4, 0.35, 0.8]})
        >>> sqlmetrics.evaluate(data, ["auc", "copc"], label="clicked", score="pctr")
           n   auc      copc
        0  4  0.75  1.212121
    """
    roles = {
        "label": label,
        "score": score,
        "prediction": prediction,
        "group": group,
        "item": item,
        "rank": rank,
        "tie_key": tie_key,
        "weight": weight,
        "positives": positives,
        "total": total,
        "group_weight": group_weight,
        "field": field,
        "p_price": p_price,
        "p_survive": p_survive,
        "won": won,
    }
    relations = {"judgments": judgments, "catalog": catalog, "similarity": similarity, "popularity": popularity}
    return run(
        data,
        metrics,
        roles,
        **relations,
        preset=preset,
        by=by,
        where=where,
        con=con,
        threads=threads,
        memory_limit=memory_limit,
        engine=engine,
        min_rows=min_rows,
        diagnostics=diagnostics,
        strict=strict,
    )


def render(
    metrics: MetricSpec | Sequence[MetricSpec],
    *,
    relation: str,
    dialect: str = "duckdb",
    label: Expression | None = None,
    score: Scores | None = None,
    prediction: Expression | None = None,
    group: Expression | None = None,
    item: Expression | None = None,
    rank: Expression | None = None,
    tie_key: Expression | None = None,
    weight: Expression | None = None,
    positives: Expression | None = None,
    total: Expression | None = None,
    group_weight: Expression | None = None,
    field: Expression | None = None,
    p_price: Expression | None = None,
    p_survive: Expression | None = None,
    won: Expression | None = None,
    judgments: Any = None,
    catalog: Any = None,
    similarity: Any = None,
    popularity: Any = None,
    preset: Preset | None = None,
    by: By | None = None,
    where: str | None = None,
    shape: Literal["rows", "distinct", "two_level"] | None = None,
    checks: bool = False,
) -> str:
    """The SQL of metrics as text, for a warehouse or a model of your own. Nothing is run.

    The statement trusts its input: unlike `evaluate` it does not refuse a label of 2 or a negative weight.

    Args:
        metrics: As in `evaluate`.
        relation: The table as SQL: a name, a sub-query in brackets, `{{ ref('impressions') }}`. It is used as it is.
        dialect: `duckdb`, `postgres`, `spark` or `clickhouse`, on which every metric is tested; or `databricks`,
            `redshift`, `trino`, `bigquery` or `snowflake`, which are only rendered and read by a parser.
        label: The roles are those of `evaluate`.
        score: See `evaluate`.
        prediction: See `evaluate`.
        group: See `evaluate`.
        item: See `evaluate`.
        rank: See `evaluate`.
        tie_key: See `evaluate`.
        weight: See `evaluate`.
        positives: See `evaluate`.
        total: See `evaluate`.
        group_weight: See `evaluate`.
        field: See `evaluate`.
        p_price: See `evaluate`.
        p_survive: See `evaluate`.
        won: See `evaluate`.
        judgments: A table as SQL, like `relation`; so are the other relations.
        catalog: See `evaluate`.
        similarity: See `evaluate`.
        popularity: See `evaluate`.
        preset: See `evaluate`.
        by: See `evaluate`.
        where: See `evaluate`.
        shape: `rows` ranks every row; `distinct` first counts the rows at each score, better where scores repeat much;
            `two_level` adds sums inside cells of the score to the sums of whole cells, so that no task of a cluster
            sees all rows. By default `two_level` on spark and databricks, `distinct` on redshift, `rows`
            elsewhere.
        checks: Add the columns by which `evaluate` tells bad input.

    Returns:
        One statement, ending in a newline.

    Raises:
        SqlMetricsError: UnknownMetric or BadParameter.

    Example:
        >>> import sqlmetrics
        >>> print(sqlmetrics.render("copc", relation="impressions", label="clicked", score="pctr"))
        -- copc of impressions
        with
        source as not materialized (
            select
                cast(clicked as double) as label,
                cast(pctr as double) as score
            from impressions
        ),
        observations as not materialized (
            select
                label as pos,
                1 - label as neg,
                score
            from source
            where (isfinite(label) or isinf(label)) is true
                and (isfinite(score) or isinf(score)) is true
        )
        select
            count(*) as n,
            sum(pos) / nullif(sum(score), 0) as copc
        from observations
        <BLANKLINE>
    """
    roles = {
        "label": label,
        "score": score,
        "prediction": prediction,
        "group": group,
        "item": item,
        "rank": rank,
        "tie_key": tie_key,
        "weight": weight,
        "positives": positives,
        "total": total,
        "group_weight": group_weight,
        "field": field,
        "p_price": p_price,
        "p_survive": p_survive,
        "won": won,
    }
    relations = {"judgments": judgments, "catalog": catalog, "similarity": similarity, "popularity": popularity}
    if not relation.strip():
        raise BadParameter("relation is empty")
    if dialect not in DIALECTS:
        raise BadParameter(f"dialect must be one of {', '.join(DIALECTS)}, not {dialect!r}")
    known = catalogue()
    plan = make_plan(
        known,
        metrics,
        relation=relation,
        relation_text=relation,
        roles=roles,
        by=by,
        where=where,
        shape=shape,
        checks=checks,
        preset=preset,
        dialect=dialect,
        relations={name: {"relation": text} for name, text in relations.items() if text is not None},
    )
    return render_plan(known, dialect, plan)


def metrics() -> pd.DataFrame:
    """The catalogue as a table: one row per metric, built in or registered.

    Returns:
        Columns `name`, `family`, `title`, `formula`, `roles`, `parameters` (with defaults), `range`, `undefined`,
        `oracle`, `source`.

    Example:
        >>> import sqlmetrics
        >>> sqlmetrics.metrics().query("family == 'grouped'")["name"].tolist()
        ['gauc', 'group_auc']
    """
    rows = [
        {
            "name": metric.name,
            "family": metric.family,
            "title": metric.title,
            "formula": metric.formula,
            "roles": ", ".join(metric.roles()),
            "parameters": ", ".join(
                p.name if p.required else f"{p.name}={p.default!r}" for p in metric.parameters.values()
            ),
            "range": metric.range,
            "undefined": metric.undefined,
            "oracle": metric.oracle,
            "source": metric.source,
        }
        for metric in catalogue().metrics.values()
    ]
    return pd.DataFrame(rows)


def per_group(data: Any, metrics: MetricSpec | Sequence[MetricSpec], **arguments: Any) -> pd.DataFrame:
    """The values of grouped and ranking metrics group by group: the table from which their means are taken.

    Args:
        data: As in `evaluate`.
        metrics: Metrics with a value per group: `gauc`, `ndcg@10`, `map`, …
        **arguments: Those of `evaluate`, but for diagnostics.

    Returns:
        One row per slice and group: the slice columns, the group, `n` (its rows), one column per metric; sorted by
        slice and group. A value that a mean leaves out is NaN.

    Raises:
        SqlMetricsError: As in `evaluate`.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> data = pd.DataFrame({"query": ["a", "a", "b"], "clicked": [0, 1, 1], "score": [0.9, 0.4, 0.7]})
        >>> sqlmetrics.per_group(data, ["mrr", "gauc"], label="clicked", score="score", group="query")
          query  n  mrr  gauc
        0     a  2  0.5   0.0
        1     b  1  1.0   NaN
    """
    names = [*ROLES, *RELATIONS, "preset", "by", "where", "con", "engine"]
    names += ["threads", "memory_limit", "min_rows", "strict"]
    for name in arguments:
        if name not in names:
            raise BadParameter(f"per_group has no argument {name!r}{did_you_mean(name, names)}")
    roles = {name: arguments.pop(name) for name in ROLES if name in arguments}
    return run(data, metrics, roles, per_group=True, **arguments)


def fetch(source: Source, sql: str) -> pd.DataFrame:
    """Run one statement and return its rows."""
    try:
        return source.fetch(sql)
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:
        # what the engine raises when Ctrl-C reaches it on the main thread
        if "interrupted" in str(error):
            raise KeyboardInterrupt from None
        if not isinstance(error, source.errors):
            raise
        raise QueryFailed(f"the query failed: {reason_of(error)}", sql) from error
    except SqlMetricsError:
        raise
    except source.errors as error:
        raise QueryFailed(f"the query failed: {reason_of(error)}", sql) from error


@retried
def run(
    data: Any,
    metrics: MetricSpec | Sequence[MetricSpec],
    roles: dict[str, Any],
    *,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    engine: Engine | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    strict: bool = False,
    judgments: Any = None,
    catalog: Any = None,
    similarity: Any = None,
    popularity: Any = None,
    preset: str | None = None,
    per_group: bool = False,
    execute: Executor = fetch,
    sampled: bool = True,
) -> pd.DataFrame:
    """`evaluate` with the roles as a dict; `execute` runs a statement (the shell passes one that shows progress)."""
    known = catalogue()
    relations = {"judgments": judgments, "catalog": catalog, "similarity": similarity, "popularity": popularity}
    if min_rows is not None and (isinstance(min_rows, bool) or not isinstance(min_rows, int) or min_rows < 0):
        raise BadParameter(f"min_rows must be a whole number >= 0, not {min_rows!r}")
    with open_source(data, con, relations, threads, memory_limit, engine, sampled) as source:
        _check_dialect(source.dialect)
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
            preset=preset,
            relations={name: {"relation": one.relation, "query": one.query} for name, one in source.further.items()},
            per_group=per_group,
        )
        # Text is parsed once, however many steps read it; parquet and tables are sooner read again than stored.
        plan.template["stored"] = source.is_text
        ask = _with_names_asked_for(plan, execute)
        settle(plan, source)
        _check_columns(plan, source)
        _use_types(plan, source)
        _choose_shape(known, plan, source, ask)
        _check_groups(known, plan, source, strict, ask)
        statement = render_plan(known, source.dialect, plan)
        if has_own_sql(plan) or known.user_files():
            _check_single_select(statement, source.dialect)
        if plan.template["table"] or per_group:
            _inspect(known, plan, source, strict, ask)
            result = ask(source, statement)
        else:
            result = _checked(known, plan, source, statement, strict, ask)
    return _shape(plan, as_pandas(result, [*plan.slices, plan.template["group_name"]]), min_rows)


def _with_names_asked_for(plan: Plan, execute: Executor) -> Executor:
    """Names as they were asked for, whatever the engine makes of them: capitals, or an end after 63 bytes."""
    asked = [*plan.slices, plan.template["group_name"]]
    for one in plan.template["metrics"]:
        asked += [column["as"] for column in one["columns"]] + [column["shown"] for column in one["group_columns"]]
    by_folded = {name.encode(errors="surrogatepass")[:63].decode(errors="ignore").lower(): name for name in asked}

    def name_asked_for(name: str) -> str:
        return name if name in asked else by_folded.get(name.lower(), name.lower() if name.isupper() else name)

    def ask(source: Source, sql: str) -> pd.DataFrame:
        try:
            rows = execute(source, sql)
        except QueryFailed as failed:
            raise with_role(failed, plan, source) from failed.__cause__
        return rows.set_axis([name_asked_for(str(name)) for name in rows.columns], axis=1)

    return ask


def _check_dialect(dialect: str) -> None:
    if dialect not in DIALECTS:
        raise BadParameter(f"the dialect of engine must be one of {', '.join(DIALECTS)}, not {dialect!r}")


#: How many rows tell whether scores repeat: less than one in a hundred of those for which it matters.
_LOOKED_AT = 50_000


def _choose_shape(known: Catalogue, plan: Plan, source: Source, execute: Executor) -> None:
    """Count rows per distinct score where scores repeat, which their first rows tell; else rank every row.

    With ten million rows of ten thousand scores counting takes a tenth of the time of ranks; where all scores differ it
    takes three times as much. A dialect that does not rank rows by default has one shape for both.
    """
    if not plan.template["countable"] or render_macro(known, source.dialect, "default_shape") != "rows":
        return
    # Steps of the score are counted whatever it is.
    scored = [one for one in plan.requested if {"ranked_scores", "thresholds"} & set(one.metric.frames)]
    if any("steps" not in one.metric.uses or one.parameters["bins"] is None for one in scored):
        found = execute(source, render_macro(known, source.dialect, "first_scores", plan.template, _LOOKED_AT))
        looked_at, distinct = found.iloc[0]
        if looked_at == _LOOKED_AT and distinct <= 0.8 * looked_at:
            plan.template["shape"] = "distinct"


def _check_groups(known: Catalogue, plan: Plan, source: Source, strict: bool, execute: Executor) -> None:
    """An item, a pair and a group's weight are told once; no group is too large."""
    for name, relation in plan.template["relations"].items():
        _check_same_types(name, relation["columns"], plan, source)
    if not call_macro(known, source.dialect, "groups_are_inspected", plan.template):
        return
    found = execute(source, render_macro(known, source.dialect, "group_inspection", plan.template))
    for row in found[found["kind"] == "broken"].itertuples():
        raise BadData(f"{row.relation} {row.words}; for example {row.example} ({int(str(row.row_count)):,} in all)")
    for row in found[found["kind"] == "missing"].itertuples():
        _report_missing(f"{row.relation} in {_count(row.row_count)}", strict)


def _check_same_types(name: str, columns: dict[str, dict[str, str]], plan: Plan, source: Source) -> None:
    """A key that is text in one relation and a number in the other: the engine would refuse to compare them."""
    for canonical in ("group_id", "item_id"):
        ours, theirs = plan.template["columns"].get(canonical, {}), columns.get(canonical, {})
        if "column" not in ours or "column" not in theirs:
            continue
        kinds = source.type_of(ours["column"]), source.further[name].type_of(theirs["column"])
        if any(map(is_text, kinds)) and any(map(is_number, kinds)):
            role = COLUMN_ROLES[canonical]
            raise BadData(
                f"{role}: column {ours['column']!r} is {kinds[0]} in the data and {kinds[1]} in {name}; cast it, as in "
                f'{role}="= cast({ours["column"]} as varchar)"'
            )


def _check_columns(plan: Plan, source: Source) -> None:
    """Every column must be a number where the metric computes with it."""
    numeric = [(column, value) for column, value in plan.template["columns"].items() if column in NUMERIC_COLUMNS]
    numeric += [("score", model) for model in plan.template["models"]]
    for column, value in numeric:
        if "column" not in value:
            continue
        kind = source.type_of(value["column"])
        boolean = is_boolean(kind) and column in _BOOLEAN_COLUMNS
        # An adapter need not tell types: then the engine itself refuses what it cannot compute with.
        if kind and not boolean and not is_number(kind):
            role = "rank" if column == "negated_rank" else column
            if column in _BOOLEAN_COLUMNS and is_text(kind):
                raise BadData(
                    f"{role}: column {value['column']!r} is {kind}, and a number is needed; say which text "
                    f"is meant, as in {role}=\"= {value['column']} = 'yes'\""
                )
            raise BadData(
                f"{role}: column {value['column']!r} is {kind}, and a number is needed; write an expression, as in "
                f'{role}="= cast({value["column"]} as {render_macro(catalogue(), source.dialect, "type_double")})"'
            )


def _use_types(plan: Plan, source: Source) -> None:
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


def _check_single_select(statement: str, dialect: str) -> None:
    """An expression that closes its bracket and goes on with another statement must not be run."""
    try:
        single = is_single_select(statement, dialect)
    except duckdb.Error as error:
        raise QueryFailed(f"the query cannot be read: {reason_of(error)}", statement) from error
    if not single:
        raise BadParameter("where and by must be expressions; here they make a statement of their own")


def _checked(
    known: Catalogue, plan: Plan, source: Source, statement: str, strict: bool, execute: Executor
) -> pd.DataFrame:
    """Run the statement; a row that breaks a rule or misses a value is not used: where any was left out, say why."""
    try:
        result = execute(source, statement)
    except QueryFailed as failed:
        # A value that breaks a rule may have broken a cast as well: then the rule is the better thing to tell.
        try:
            _inspect(known, plan, source, strict, execute)
        except QueryFailed:
            raise failed from failed.__cause__
        raise
    used = [name for name in result.columns if name.startswith("sqlmetrics_used_rows")] or ["n"]
    copies = max(len(plan.template["groupings"]), 1) * max(len(plan.template["models"]), 1)
    expected = copies * int(result["sqlmetrics_all_rows"].iloc[0]) if len(result) else None
    complete = expected is not None and all(result[name].sum() == expected for name in used)
    if not complete:
        _inspect(known, plan, source, strict, execute)
    return result.drop(columns=["sqlmetrics_all_rows", *[name for name in used if name != "n"]])


def _inspect(known: Catalogue, plan: Plan, source: Source, strict: bool, execute: Executor) -> None:
    """Count the values that break a rule (an error) and those that are missing (a warning), column by column."""
    found = execute(source, render_macro(known, source.dialect, "inspection", plan.template))
    for row in found[found["kind"] == "broken"].itertuples():
        problem = plan.problems[int(str(row.position))]
        role = _role_of(plan, problem["column"], str(row.model))
        raise BadData(f"{role}: {_count(row.row_count)} {problem['words']}; for example {row.example}")
    missing = [
        f"{_role_of(plan, str(row.column_name), str(row.model))} in {_count(row.row_count)}"
        for row in found[found["kind"] == "missing"].itertuples()
    ]
    if missing:
        _report_missing(", ".join(missing), strict)


def _report_missing(where: str, strict: bool) -> None:
    """Say that rows were left out: an error where none may be."""
    message = f"rows were left out because a value is NULL or NaN: {where}"
    if strict:
        raise BadData(message)
    warnings.warn(message, DroppedRows, stacklevel=_outside())


def _outside() -> int:
    """How many frames up the caller of the package is, so that a warning points at their line."""
    depth = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("sqlmetrics"):
        frame, depth = frame.f_back, depth + 1
    return depth


def _count(rows: Any) -> str:
    return f"{int(rows):,} row" + ("" if int(rows) == 1 else "s")


def _role_of(plan: Plan, column: str, model: str) -> str:
    """The role and the user's own column behind a canonical column."""
    if column == "score" and plan.template["models"]:
        return f"score (column {model!r})"
    return str(plan.template["role_words"][column])


def _shape(plan: Plan, result: pd.DataFrame, min_rows: int | None) -> pd.DataFrame:
    """Types as pandas users expect them: whole numbers for counts, NaN for an undefined value."""
    # A table has names of its own, and so may the groups of per_group have.
    told = ("n", *(set(DIAGNOSTICS) - {"positives"} if plan.template["diagnostics"] else ()))
    for name in told:
        if name in result.columns and name not in plan.slices and result.dtypes[name] != "int64":
            result[name] = result[name].fillna(0).astype("int64")
    for one in plan.requested:
        for name in one.columns.values():
            if name in result.columns and not one.metric.table and result.dtypes[name] != "float64":
                result[name] = result[name].astype("float64")
    if min_rows is not None and "n" in result.columns:
        kept = result["n"] >= min_rows
        result = result[kept].reset_index(drop=True)
        result.attrs["slices_left_out"] = int((~kept).sum())
    return result
