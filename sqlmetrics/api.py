"""The public functions over any metrics: `evaluate`, `per_group`, `render` and `metrics`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import pandas as pd

from .arguments import By, Preset, Scores, Shape
from .catalogue import RELATIONS, ROLES, catalogue
from .definitions import DIALECTS
from .engines import Engine
from .errors import BadParameter, shown
from .planning import Expression, make_plan
from .rendering import render_plan
from .running import run
from .specification import MetricSpec


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
    engine: Engine | str | None = None,
    min_rows: int | None = None,
    diagnostics: bool = False,
    confidence: float | None = None,
    cluster: Expression | None = None,
    standard_error: bool = False,
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
        metrics: One metric or several: `"auc"`, `"ndcg@10"`, `"ndcg(k=10, gain='linear')"`, `"mine = ndcg(k=10)"`, or a
            dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, with commas.
        label: Truth: 0/1 or boolean; graded relevance >= 0; a class; or a number.
        score: Prediction: probability, ranking score or predicted value; higher is more positive, earlier. A list
            compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, instead of a score and a threshold.
        group: User, query or session: the unit inside which ranks are made.
        item: Item or document id.
        rank: Position in the list, 1 first, instead of score.
        tie_key: Orders equal scores under ties='key', descending.
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group.
        field: Column over whose values the calibration is taken.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price lies above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        judgments: Relation with the columns of group, item and label: truth that may hold items never returned.
        catalog: Relation of all items, with the column of item.
        similarity: Relation of item_a, item_b, similarity; (a, b) is (b, a).
        popularity: Relation of how often each item was seen: the column of item, and count.
        preset: The conventions of `sklearn`, `trec_eval`, `lightgbm`, `spark`, for the parameters that are not given.
        by: Slice columns: one result row per slice, NULL being a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`); a column `grouping` then says which.
        where: SQL condition on the rows.
        con: A DuckDB connection to use. It is not closed, and nothing is left behind in it. Calls of several threads on
            it wait for each other; a result of your own on it has to be read to its end before.
        threads: How many threads may work, without `con`; all by default.
        memory_limit: How much memory the query may take, as in `"2GB"`, without `con`. What does not fit goes to a
            temporary folder.
        engine: The engine that holds the data and computes: `engines.Spark(session)`, `engines.PostgreSQL(connection)`,
            `engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, or anything with a dialect and a
            `query(sql)`. An address as the shell takes it, `"postgres://user@host/database"`, is opened for the call.
            Data is then a table or a query there, and expressions are in its SQL.
        min_rows: Leave out slices with fewer used rows; `attrs["slices_left_out"]` counts them.
        diagnostics: Add what stands behind each value: rows read and dropped, positives, tied rows, groups, groups
            skipped, groups that the judgments do not know.
        confidence: Beside each metric `_low` and `_high`: an interval that holds the true value this often, as in 0.95.
        cluster: With `confidence`: whose rows belong together, a user or a session. By default the groups of grouped
            and ranking metrics, the rows of all others. Rows without a value are one cluster.
        standard_error: With `confidence`: the standard error of each metric too, as `_se`.
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
    return run(**locals())


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
    confidence: float | None = None,
    cluster: Expression | None = None,
    standard_error: bool = False,
    shape: Shape | None = None,
    checks: bool = False,
) -> str:
    """The SQL of metrics as text, for a warehouse or a model of your own. Nothing is run.

    The statement trusts its input: unlike `evaluate` it does not refuse a label of 2 or a negative weight. The further
    relations (judgments, catalog …) are tables as SQL, like `relation`.

    Args:
        metrics: One metric or several: `"auc"`, `"ndcg@10"`, `"ndcg(k=10, gain='linear')"`, `"mine = ndcg(k=10)"`, or a
            dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, with commas.
        relation: The table as SQL: a name, a sub-query in brackets, `{{ ref('impressions') }}`. It is used as it is.
        dialect: `clickhouse`, `duckdb`, `postgres`, `spark`, on which every metric is tested; or `bigquery`,
            `databricks`, `redshift`, `snowflake`, `trino`, which are only rendered and read by a parser.
        label: Truth: 0/1 or boolean; graded relevance >= 0; a class; or a number.
        score: Prediction: probability, ranking score or predicted value; higher is more positive, earlier. A list
            compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, instead of a score and a threshold.
        group: User, query or session: the unit inside which ranks are made.
        item: Item or document id.
        rank: Position in the list, 1 first, instead of score.
        tie_key: Orders equal scores under ties='key', descending.
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group.
        field: Column over whose values the calibration is taken.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price lies above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        judgments: Relation with the columns of group, item and label: truth that may hold items never returned.
        catalog: Relation of all items, with the column of item.
        similarity: Relation of item_a, item_b, similarity; (a, b) is (b, a).
        popularity: Relation of how often each item was seen: the column of item, and count.
        preset: The conventions of `sklearn`, `trec_eval`, `lightgbm`, `spark`, for the parameters that are not given.
        by: Slice columns: one result row per slice, NULL being a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`); a column `grouping` then says which.
        where: SQL condition on the rows.
        confidence: Beside each metric `_low` and `_high`: an interval that holds the true value this often, as in 0.95.
        cluster: With `confidence`: whose rows belong together, a user or a session. By default the groups of grouped
            and ranking metrics, the rows of all others. Rows without a value are one cluster.
        standard_error: With `confidence`: the standard error of each metric too, as `_se`.
        shape: `rows` ranks every row; `distinct` first counts the rows at each score, better where scores repeat much;
            `two_level` adds sums inside cells of the score to the sums of whole cells, so that no task of a cluster
            sees all rows. By default `two_level` on spark and databricks, `distinct` on redshift, `rows` elsewhere.
        checks: Add the columns by which `evaluate` finds bad input.

    Returns:
        One statement, ending in a newline.

    Raises:
        SqlMetricsError: UnknownMetric or BadParameter.

    Example:
        >>> import sqlmetrics
        >>> print(sqlmetrics.render("copc", relation="impressions", label="clicked", score="pctr"))
        -- copc of impressions
        with
        source as (
            -- the columns that are read, under the names that all steps use
            select
                cast(clicked as double) as label,
                cast(pctr as double) as score
            from impressions
        ),
        observations as (
            -- the rows that count
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
            -- Σ y / Σ p
            sum(pos) / nullif(sum(score), 0) as copc
        from observations
        <BLANKLINE>
    """
    given = locals()
    if not isinstance(relation, str):
        raise BadParameter(f"relation must be a table or a sub-query as text, not {type(relation).__name__}")
    if not relation.strip():
        raise BadParameter("relation is empty")
    if not isinstance(dialect, str) or dialect not in DIALECTS:
        raise BadParameter(f"dialect must be one of {', '.join(DIALECTS)}, not {shown(dialect)}")
    known = catalogue()
    plan = make_plan(
        known,
        metrics,
        relation=relation,
        relation_text=relation,
        roles={role: given[role] for role in ROLES},
        by=by,
        where=where,
        shape=shape,
        checks=checks,
        confidence=confidence,
        cluster=cluster,
        standard_error=standard_error,
        preset=preset,
        dialect=dialect,
        relations={name: {"relation": given[name]} for name in RELATIONS if given[name] is not None},
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


def per_group(
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
    engine: Engine | str | None = None,
    min_rows: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """The values of grouped and ranking metrics group by group: the table from which their means are taken.

    Args:
        data: A path, glob or folder (parquet, CSV, JSON; .gz and .zst too), a list of paths, a TREC run, a table or
            view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB relation. Files of
            one call are read in the types that all of them have together.
        metrics: One metric or several: `"auc"`, `"ndcg@10"`, `"ndcg(k=10, gain='linear')"`, `"mine = ndcg(k=10)"`, or a
            dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, with commas.
        label: Truth: 0/1 or boolean; graded relevance >= 0; a class; or a number.
        score: Prediction: probability, ranking score or predicted value; higher is more positive, earlier. A list
            compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, instead of a score and a threshold.
        group: User, query or session: the unit inside which ranks are made.
        item: Item or document id.
        rank: Position in the list, 1 first, instead of score.
        tie_key: Orders equal scores under ties='key', descending.
        weight: Row weight >= 0: a sampling or inverse propensity weight, or a row count.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row, instead of label.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group.
        field: Column over whose values the calibration is taken.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price lies above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        judgments: Relation with the columns of group, item and label: truth that may hold items never returned.
        catalog: Relation of all items, with the column of item.
        similarity: Relation of item_a, item_b, similarity; (a, b) is (b, a).
        popularity: Relation of how often each item was seen: the column of item, and count.
        preset: The conventions of `sklearn`, `trec_eval`, `lightgbm`, `spark`, for the parameters that are not given.
        by: Slice columns: one result row per slice, NULL being a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`); a column `grouping` then says which.
        where: SQL condition on the rows.
        con: A DuckDB connection to use. It is not closed, and nothing is left behind in it. Calls of several threads on
            it wait for each other; a result of your own on it has to be read to its end before.
        threads: How many threads may work, without `con`; all by default.
        memory_limit: How much memory the query may take, as in `"2GB"`, without `con`. What does not fit goes to a
            temporary folder.
        engine: The engine that holds the data and computes: `engines.Spark(session)`, `engines.PostgreSQL(connection)`,
            `engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, or anything with a dialect and a
            `query(sql)`. An address as the shell takes it, `"postgres://user@host/database"`, is opened for the call.
            Data is then a table or a query there, and expressions are in its SQL.
        min_rows: Leave out slices with fewer used rows; `attrs["slices_left_out"]` counts them.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

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
    return run(**locals(), per_group=True)
