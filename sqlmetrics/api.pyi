"""What api.py defines. Written by `python -m sqlmetrics.codegen`: change its sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import duckdb
import pandas as pd

from .engines.base import Engine
from .expressions import By, Expression, Preset, Scores, Shape
from .planning.metric_spec import MetricSpec
from .planning.plan import Plan
from .reporting.page import Report


def evaluate(
    data: Any, metrics: MetricSpec | Sequence[MetricSpec], *, label: Expression | None = None,
    score: Scores | None = None, prediction: Expression | None = None, group: Expression | None = None,
    item: Expression | None = None, rank: Expression | None = None, tie_key: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    group_weight: Expression | None = None, field: Expression | None = None, p_price: Expression | None = None,
    p_survive: Expression | None = None, won: Expression | None = None, reward: Expression | None = None,
    propensity: Expression | None = None, position: Expression | None = None, target: Expression | None = None,
    q_action: Expression | None = None, q_policy: Expression | None = None, lower_bound: Expression | None = None,
    upper_bound: Expression | None = None, treatment: Expression | None = None, duration: Expression | None = None,
    subtopic: Expression | None = None, judgments: Any = None, catalog: Any = None, similarity: Any = None,
    popularity: Any = None, history: Any = None, item_categories: Any = None, expected_items: Any = None,
    embeddings: Any = None, propensities: Any = None, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    diagnostics: bool = False, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Compute metrics over files, a table, a query or an object in memory.

    A plain string names a column. An expression over the columns starts with an equals sign (`label="= rating >= 4"`,
    `by="day = date_trunc('day', ts)"`); `sqlmetrics.sql("rating >= 4")` is equivalent. Expressions and `where` run as
    SQL: never build them from untrusted input.

    Args:
        data: Files: a path, glob or folder (parquet, CSV or JSON, also as .gz or .zst), a list of paths, or a TREC run.
            Or a table or view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB
            relation. The files of one call share one schema: a column has a type that holds the values of all files.
        metrics: One metric or several: `"auc"`, `"ndcg@10"`, `"ndcg(k=10, gain='linear')"`, `"mine = ndcg(k=10)"`, or a
            dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, separated by commas.
        label: Observed value: 0/1 or boolean; a relevance grade >= 0; a class; a number; or the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; a higher score is more positive and ranks
            first. A list compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, in place of a score and a threshold.
        group: Ranking unit: user, query or session; for agreement metrics, the rated item.
        item: Item or document id.
        rank: Position in the list, smallest first, in place of score; only the order counts, so gaps are allowed.
        tie_key: Column that orders equal scores, descending, NULL last; by default the item. Metrics with a parameter
            ties use it with ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Number of positive rows in a pre-aggregated row, in place of label.
        total: Number of all rows in a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; with judgments, it
            requires missing='skip'.
        field: Column whose values define the segments for calibration.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price is above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: Reward of the logged action: a click as 0/1 or boolean, or a number.
        propensity: Probability that the logging policy chose the action; in a ranking, that the user saw the item.
        position: Position at which the log showed the item, in place of propensity; requires propensities.
        target: Probability that the target policy chooses the action.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the target policy: the mean over its actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: Time to the event, or to the end of observation for a censored row.
        subtopic: Aspect of the query (subtopic, intent) to which the relevance in the row refers.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.
        catalog: Relation of all items, with the item column.
        similarity: Relation with the columns item_a, item_b and similarity; pairs are symmetric.
        popularity: Relation of how often each item was seen: the item column, and count.
        history: Relation of earlier items of each group, such as past choices of a user: the group and item columns.
        item_categories: Relation of the categories of items, such as genres: the item column, and category.
        expected_items: Relation of items that are not surprising, such as the most popular ones, with the item column.
        embeddings: Relation of item vectors: the item column, dimension and value.
        propensities: Relation with a row per position: position, and propensity, the probability that it is seen.
        preset: The tool whose conventions set the parameters that you do not pass: `sklearn`, `trec_eval`, `lightgbm`,
            `spark`.
        by: Slice columns: one result row per slice; NULL is a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`), which a column `grouping` names. Rows are
            sorted by the slice columns; strings in a pandas categorical are sorted by its categories.
        where: SQL condition on the rows.
        con: A DuckDB connection to use. It stays open, and the call leaves no objects behind. Calls of several threads
            on one connection run one after another. Fetch pending results of the connection before the call.
        threads: Number of threads, without `con`; all by default.
        memory_limit: Memory limit of the query, such as `"2GB"`, without `con`. The engine spills larger intermediate
            results to a temporary folder.
        engine: The engine that holds the data and computes: `engines.Spark(session)`, `engines.PostgreSQL(connection)`,
            `engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, or an object with a dialect and a
            `query(sql)`. The call also opens an address, such as `"postgres://user@host/database"`. `data` is then a
            table or a query of the engine, and expressions are in its SQL.
        min_rows: Drop slices with fewer used rows; `attrs["slices_left_out"]` counts them.
        diagnostics: Add the counts behind each value: rows read and dropped, positives, tied rows, groups, skipped
            groups, and groups without judgments.
        confidence: Add a confidence interval to each metric (`_low`, `_high`). The value is the confidence level, such
            as 0.95.
        cluster: With `confidence`: the unit whose rows are correlated, such as a user or a session. By default the
            group for grouped metrics, otherwise the row. Rows without a value form one cluster.
        standard_error: With `confidence`: add the standard error of each metric (`_se`).
        method: The method of the intervals. `jackknife` (the default) is symmetric; it measures the influence of each
            cluster, or of each of twenty buckets of clusters. `bootstrap` uses percentiles over resampled clusters.
        replicates: The number of samples for `method='bootstrap'`, 20 to 10,000; 200 by default. In `compare` also the
            number of random sign flips for `test='randomization'`; 9,999 by default.
        seed: The random seed, a whole number; results are the same on every engine. 1 by default.
        strict: Raise `BadData` instead of dropping rows with a NULL or NaN value.

    Returns:
        One row per slice, sorted, NULL slices last: the slice columns, `n` (rows used), one column per metric. An
        undefined value is NaN. A table metric returns its table, after the slice columns.

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


def report(
    data: Any, metrics: MetricSpec | Sequence[MetricSpec] | None = None, *, label: Expression | None = None,
    score: Scores | None = None, prediction: Expression | None = None, group: Expression | None = None,
    item: Expression | None = None, rank: Expression | None = None, tie_key: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    group_weight: Expression | None = None, field: Expression | None = None, p_price: Expression | None = None,
    p_survive: Expression | None = None, won: Expression | None = None, reward: Expression | None = None,
    propensity: Expression | None = None, position: Expression | None = None, target: Expression | None = None,
    q_action: Expression | None = None, q_policy: Expression | None = None, lower_bound: Expression | None = None,
    upper_bound: Expression | None = None, treatment: Expression | None = None, duration: Expression | None = None,
    subtopic: Expression | None = None, judgments: Any = None, catalog: Any = None, similarity: Any = None,
    popularity: Any = None, history: Any = None, item_categories: Any = None, expected_items: Any = None,
    embeddings: Any = None, propensities: Any = None, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    baseline: str | None = None, confidence: float = 0.95, cluster: Expression | None = None, strict: bool = False,
) -> Report:
    """Build a report on one or several models that begins with the answer: which is better, by how much, where not.

    The roles decide which parts follow the scorecard and the slices: curves and calibration of binary labels, curves
    of lists, errors of numbers, or a confusion matrix of classes. The page is one file without scripts or network
    access.

    Args:
        data: Files: a path, glob or folder (parquet, CSV or JSON, also as .gz or .zst), a list of paths, or a TREC run.
            Or a table or view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB
            relation. The files of one call share one schema: a column has a type that holds the values of all files.
        metrics: The metrics of the scorecard; the first one ranks the slices by impact. By default the report selects
            metrics by the roles and by the values of the columns.
        label: Observed value: 0/1 or boolean; a relevance grade >= 0; a class; a number; or the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; a higher score is more positive and ranks
            first. A list compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, in place of a score and a threshold.
        group: Ranking unit: user, query or session; for agreement metrics, the rated item.
        item: Item or document id.
        rank: Position in the list, smallest first, in place of score; only the order counts, so gaps are allowed.
        tie_key: Column that orders equal scores, descending, NULL last; by default the item. Metrics with a parameter
            ties use it with ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Number of positive rows in a pre-aggregated row, in place of label.
        total: Number of all rows in a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; with judgments, it
            requires missing='skip'.
        field: Column whose values define the segments for calibration.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price is above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: Reward of the logged action: a click as 0/1 or boolean, or a number.
        propensity: Probability that the logging policy chose the action; in a ranking, that the user saw the item.
        position: Position at which the log showed the item, in place of propensity; requires propensities.
        target: Probability that the target policy chooses the action.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the target policy: the mean over its actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: Time to the event, or to the end of observation for a censored row.
        subtopic: Aspect of the query (subtopic, intent) to which the relevance in the row refers.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.
        catalog: Relation of all items, with the item column.
        similarity: Relation with the columns item_a, item_b and similarity; pairs are symmetric.
        popularity: Relation of how often each item was seen: the item column, and count.
        history: Relation of earlier items of each group, such as past choices of a user: the group and item columns.
        item_categories: Relation of the categories of items, such as genres: the item column, and category.
        expected_items: Relation of items that are not surprising, such as the most popular ones, with the item column.
        embeddings: Relation of item vectors: the item column, dimension and value.
        propensities: Relation with a row per position: position, and propensity, the probability that it is seen.
        preset: The tool whose conventions set the parameters that you do not pass: `sklearn`, `trec_eval`, `lightgbm`,
            `spark`.
        by: Slice columns: one result row per slice; NULL is a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`), which a column `grouping` names. Rows are
            sorted by the slice columns; strings in a pandas categorical are sorted by its categories.
        where: SQL condition on the rows.
        con: A DuckDB connection to use. It stays open, and the call leaves no objects behind. Calls of several threads
            on one connection run one after another. Fetch pending results of the connection before the call.
        threads: Number of threads, without `con`; all by default.
        memory_limit: Memory limit of the query, such as `"2GB"`, without `con`. The engine spills larger intermediate
            results to a temporary folder.
        engine: The engine that holds the data and computes: `engines.Spark(session)`, `engines.PostgreSQL(connection)`,
            `engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, or an object with a dialect and a
            `query(sql)`. The call also opens an address, such as `"postgres://user@host/database"`. `data` is then a
            table or a query of the engine, and expressions are in its SQL.
        min_rows: Drop slices with fewer used rows; `attrs["slices_left_out"]` counts them.
        baseline: The name of the score to compare the others with; the first score by default.
        confidence: The confidence level of the intervals; 1 - `confidence` is the significance level of the verdicts.
        cluster: The unit whose rows are correlated, such as a user or a session. By default the group for grouped
            metrics, otherwise the row. Rows without a value form one cluster.
        strict: Raise `BadData` instead of dropping rows with a NULL or NaN value.

    Returns:
        The report: a notebook displays it, `report.save("report.html")` writes it, `report.html` is its HTML.

    Raises:
        SqlMetricsError: As `evaluate`; BadData without any row to report on.

    Example:
        >>> import pandas as pd, sqlmetrics
        >>> log = pd.DataFrame({"clicked": [0, 1, 0, 1], "pctr": [0.1, 0.4, 0.3, 0.8]})
        >>> sqlmetrics.report(log, label="clicked", score="pctr").html[:15]
        '<!DOCTYPE html>'
    """


def render(
    metrics: MetricSpec | Sequence[MetricSpec], *, relation: str, dialect: str = "duckdb",
    label: Expression | None = None, score: Scores | None = None, prediction: Expression | None = None,
    group: Expression | None = None, item: Expression | None = None, rank: Expression | None = None,
    tie_key: Expression | None = None, weight: Expression | None = None, positives: Expression | None = None,
    total: Expression | None = None, group_weight: Expression | None = None, field: Expression | None = None,
    p_price: Expression | None = None, p_survive: Expression | None = None, won: Expression | None = None,
    reward: Expression | None = None, propensity: Expression | None = None, position: Expression | None = None,
    target: Expression | None = None, q_action: Expression | None = None, q_policy: Expression | None = None,
    lower_bound: Expression | None = None, upper_bound: Expression | None = None, treatment: Expression | None = None,
    duration: Expression | None = None, subtopic: Expression | None = None, judgments: Any = None, catalog: Any = None,
    similarity: Any = None, popularity: Any = None, history: Any = None, item_categories: Any = None,
    expected_items: Any = None, embeddings: Any = None, propensities: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, confidence: float | None = None, cluster: Expression | None = None,
    standard_error: bool = False, method: Literal["jackknife", "bootstrap"] | None = None,
    replicates: int | None = None, seed: int | None = None, shape: Shape | None = None, round: int | None = None,
    checks: bool = False,
) -> str:
    """Return the SQL of metrics, for a warehouse or a model of your own, without running it.

    The statement does not validate its input: unlike `evaluate` it accepts a label of 2 or a negative weight. With
    `checks` it drops rows with such values and reports the number of all rows. If the sum of `n` is smaller, some rows
    were invalid: let the job fail then. The other relations (judgments, catalog …) are tables as SQL, like `relation`.

    Args:
        metrics: One metric or several: `"auc"`, `"ndcg@10"`, `"ndcg(k=10, gain='linear')"`, `"mine = ndcg(k=10)"`, or a
            dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, separated by commas.
        relation: The table as SQL: a name, a subquery in parentheses, or `{{ ref('impressions') }}`. It is inserted
            unchanged.
        dialect: The SQL dialect. Tests run every metric on the engines of `clickhouse`, `duckdb`, `postgres`, `spark`,
            and on emulators of `bigquery`, `databricks`, `snowflake`. They only parse the SQL of `athena`, `redshift`,
            `trino`.
        label: Observed value: 0/1 or boolean; a relevance grade >= 0; a class; a number; or the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; a higher score is more positive and ranks
            first. A list compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, in place of a score and a threshold.
        group: Ranking unit: user, query or session; for agreement metrics, the rated item.
        item: Item or document id.
        rank: Position in the list, smallest first, in place of score; only the order counts, so gaps are allowed.
        tie_key: Column that orders equal scores, descending, NULL last; by default the item. Metrics with a parameter
            ties use it with ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Number of positive rows in a pre-aggregated row, in place of label.
        total: Number of all rows in a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; with judgments, it
            requires missing='skip'.
        field: Column whose values define the segments for calibration.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price is above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: Reward of the logged action: a click as 0/1 or boolean, or a number.
        propensity: Probability that the logging policy chose the action; in a ranking, that the user saw the item.
        position: Position at which the log showed the item, in place of propensity; requires propensities.
        target: Probability that the target policy chooses the action.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the target policy: the mean over its actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: Time to the event, or to the end of observation for a censored row.
        subtopic: Aspect of the query (subtopic, intent) to which the relevance in the row refers.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.
        catalog: Relation of all items, with the item column.
        similarity: Relation with the columns item_a, item_b and similarity; pairs are symmetric.
        popularity: Relation of how often each item was seen: the item column, and count.
        history: Relation of earlier items of each group, such as past choices of a user: the group and item columns.
        item_categories: Relation of the categories of items, such as genres: the item column, and category.
        expected_items: Relation of items that are not surprising, such as the most popular ones, with the item column.
        embeddings: Relation of item vectors: the item column, dimension and value.
        propensities: Relation with a row per position: position, and propensity, the probability that it is seen.
        preset: The tool whose conventions set the parameters that you do not pass: `sklearn`, `trec_eval`, `lightgbm`,
            `spark`.
        by: Slice columns: one result row per slice; NULL is a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`), which a column `grouping` names. Rows are
            sorted by the slice columns; strings in a pandas categorical are sorted by its categories.
        where: SQL condition on the rows.
        confidence: Add a confidence interval to each metric (`_low`, `_high`). The value is the confidence level, such
            as 0.95.
        cluster: With `confidence`: the unit whose rows are correlated, such as a user or a session. By default the
            group for grouped metrics, otherwise the row. Rows without a value form one cluster.
        standard_error: With `confidence`: add the standard error of each metric (`_se`).
        method: The method of the intervals. `jackknife` (the default) is symmetric; it measures the influence of each
            cluster, or of each of twenty buckets of clusters. `bootstrap` uses percentiles over resampled clusters.
        replicates: The number of samples for `method='bootstrap'`, 20 to 10,000; 200 by default. In `compare` also the
            number of random sign flips for `test='randomization'`; 9,999 by default.
        seed: The random seed, a whole number; results are the same on every engine. 1 by default.
        shape: How ordered windows are written. `rows` ranks every row. `distinct` first counts the rows at each score,
            which is faster if scores repeat. `two_level` sums inside cells of the score, then over whole cells, so that
            no task of a cluster reads all rows. The default is `two_level` on spark and databricks, `distinct` on
            redshift, and `rows` elsewhere.
        round: Round values and intervals to this number of decimals, 0 to 15, so that snapshots are stable; by default
            they are not rounded.
        checks: Drop rows with invalid values, and add `sqlmetrics_all_rows`, the number of all rows. With several
            frames or slices, `sqlmetrics_used_rows_1` and so on are the numbers of rows that each of them used.

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
            -- input columns under canonical names
            select
                cast(clicked as double) as label,
                cast(pctr as double) as score
            from impressions
        ),
        valid_rows as (
            -- rows without missing values
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
        from valid_rows
        <BLANKLINE>

        A label of 2 is invalid: with `checks`, the statement drops one of the two rows and reports both counts.

        >>> text = sqlmetrics.render("copc", relation="impressions", label="clicked", score="pctr", checks=True)
        >>> import duckdb
        >>> log = "create table impressions as select * from (values (2, 0.5), (1, 0.5)) as log(clicked, pctr)"
        >>> duckdb.connect().execute(log).execute(text).df()
           n  copc  sqlmetrics_all_rows
        0  1   2.0                    2
    """


def plan_of_render(
    function: str, arguments: dict[str, Any],
) -> Plan:
    """The plan of a function whose SQL is rendered."""


def render_compare(
    metrics: MetricSpec | Sequence[MetricSpec], *, relation: str, dialect: str = "duckdb",
    label: Expression | None = None, score: Scores | None = None, prediction: Expression | None = None,
    group: Expression | None = None, item: Expression | None = None, rank: Expression | None = None,
    tie_key: Expression | None = None, weight: Expression | None = None, positives: Expression | None = None,
    total: Expression | None = None, group_weight: Expression | None = None, field: Expression | None = None,
    p_price: Expression | None = None, p_survive: Expression | None = None, won: Expression | None = None,
    reward: Expression | None = None, propensity: Expression | None = None, position: Expression | None = None,
    target: Expression | None = None, q_action: Expression | None = None, q_policy: Expression | None = None,
    lower_bound: Expression | None = None, upper_bound: Expression | None = None, treatment: Expression | None = None,
    duration: Expression | None = None, subtopic: Expression | None = None, judgments: Any = None, catalog: Any = None,
    similarity: Any = None, popularity: Any = None, history: Any = None, item_categories: Any = None,
    expected_items: Any = None, embeddings: Any = None, propensities: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, baseline: str | None = None, relative: bool = False,
    test: Literal["t", "wilcoxon", "randomization"] = "t", adjust: Literal["holm", "bh"] | None = "holm",
    power: float = 0.8, confidence: float = 0.95, cluster: Expression | None = None,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    shape: Shape | None = None, round: int | None = None, against: str | None = None,
) -> str:
    """Return the SQL of `compare`, for a warehouse or a model of your own, without running it.

    Like the SQL of `render` it does not validate its input. It does not support `min_rows`, with which `compare`
    adjusts p-values for the remaining slices only.

    Args:
        metrics: One metric or several: `"auc"`, `"ndcg@10"`, `"ndcg(k=10, gain='linear')"`, `"mine = ndcg(k=10)"`, or a
            dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, separated by commas.
        relation: The table as SQL: a name, a subquery in parentheses, or `{{ ref('impressions') }}`. It is inserted
            unchanged.
        dialect: The SQL dialect. Tests run every metric on the engines of `clickhouse`, `duckdb`, `postgres`, `spark`,
            and on emulators of `bigquery`, `databricks`, `snowflake`. They only parse the SQL of `athena`, `redshift`,
            `trino`.
        label: Observed value: 0/1 or boolean; a relevance grade >= 0; a class; a number; or the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; a higher score is more positive and ranks
            first. A list compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, in place of a score and a threshold.
        group: Ranking unit: user, query or session; for agreement metrics, the rated item.
        item: Item or document id.
        rank: Position in the list, smallest first, in place of score; only the order counts, so gaps are allowed.
        tie_key: Column that orders equal scores, descending, NULL last; by default the item. Metrics with a parameter
            ties use it with ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Number of positive rows in a pre-aggregated row, in place of label.
        total: Number of all rows in a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; with judgments, it
            requires missing='skip'.
        field: Column whose values define the segments for calibration.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price is above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: Reward of the logged action: a click as 0/1 or boolean, or a number.
        propensity: Probability that the logging policy chose the action; in a ranking, that the user saw the item.
        position: Position at which the log showed the item, in place of propensity; requires propensities.
        target: Probability that the target policy chooses the action.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the target policy: the mean over its actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: Time to the event, or to the end of observation for a censored row.
        subtopic: Aspect of the query (subtopic, intent) to which the relevance in the row refers.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.
        catalog: Relation of all items, with the item column.
        similarity: Relation with the columns item_a, item_b and similarity; pairs are symmetric.
        popularity: Relation of how often each item was seen: the item column, and count.
        history: Relation of earlier items of each group, such as past choices of a user: the group and item columns.
        item_categories: Relation of the categories of items, such as genres: the item column, and category.
        expected_items: Relation of items that are not surprising, such as the most popular ones, with the item column.
        embeddings: Relation of item vectors: the item column, dimension and value.
        propensities: Relation with a row per position: position, and propensity, the probability that it is seen.
        preset: The tool whose conventions set the parameters that you do not pass: `sklearn`, `trec_eval`, `lightgbm`,
            `spark`.
        by: Slice columns: one result row per slice; NULL is a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`), which a column `grouping` names. Rows are
            sorted by the slice columns; strings in a pandas categorical are sorted by its categories.
        where: SQL condition on the rows.
        baseline: The name of the score to compare the others with; the first score by default. With `against`, the name
            of that relation in the results; `score="today = pctr"` names the data.
        relative: Report differences as shares of the baseline's value: 0.02 is two percent more.
        test: The test behind `p_value`. `t` (Student's) uses the standard error of the difference. The other tests use
            the difference in each cluster, such as a query or a user: `wilcoxon` ranks the differences, and
            `randomization` (Fisher's) flips their signs at random. Both require SciPy, so only Python and the shell
            support them. The interval is always that of `t`.
        adjust: The correction of `p_adjusted` for the number of slices, metrics and models in the call. `holm` bounds
            the probability of any false difference, `bh` (Benjamini and Hochberg) bounds the share of false
            differences, and None applies no correction.
        power: The probability that the test detects a true difference of `detectable_difference`.
        confidence: The confidence level of the interval of the difference; 1 - `confidence` is the significance level
            of the verdict.
        cluster: The unit whose rows are correlated, such as a user or a session. By default the group for grouped
            metrics, otherwise the row. Rows without a value form one cluster.
        method: The method of the intervals. `jackknife` (the default) is symmetric; it measures the influence of each
            cluster, or of each of twenty buckets of clusters. `bootstrap` uses percentiles over resampled clusters.
        replicates: The number of samples for `method='bootstrap'`, 20 to 10,000; 200 by default. In `compare` also the
            number of random sign flips for `test='randomization'`; 9,999 by default.
        seed: The random seed, a whole number; results are the same on every engine. 1 by default.
        shape: How ordered windows are written. `rows` ranks every row. `distinct` first counts the rows at each score,
            which is faster if scores repeat. `two_level` sums inside cells of the score, then over whole cells, so that
            no task of a cluster reads all rows. The default is `two_level` on spark and databricks, `distinct` on
            redshift, and `rows` elsewhere.
        round: Round values and intervals to this number of decimals, 0 to 15, so that snapshots are stable; by default
            they are not rounded.
        against: A second relation to compare `relation` with by one score, instead of several scores on the same rows.
            It is a table or a subquery as SQL, with columns of the same names.

    Returns:
        One statement, ending in a newline, whose rows have the columns of the result of `compare`.

    Raises:
        SqlMetricsError: UnknownMetric or BadParameter.

    Example:
        >>> import duckdb, sqlmetrics
        >>> text = sqlmetrics.render_compare("auc", relation="log", label="clicked", score=["old", "new"], round=3)
        >>> log = "(values (0, 0.2, 0.1), (1, 0.4, 0.6), (0, 0.6, 0.4), (1, 0.5, 0.7)) as log(clicked, old, new)"
        >>> con = duckdb.connect()
        >>> _ = con.execute(f"create table log as select * from {log}")
        >>> con.sql(text).df()[["model", "baseline", "value", "baseline_value", "difference"]]
          model baseline  value  baseline_value  difference
        0   new      old    1.0             0.5         0.5
    """


def render_gaps(
    metrics: MetricSpec | Sequence[MetricSpec], *, relation: str, dialect: str = "duckdb",
    label: Expression | None = None, score: Scores | None = None, prediction: Expression | None = None,
    group: Expression | None = None, item: Expression | None = None, rank: Expression | None = None,
    tie_key: Expression | None = None, weight: Expression | None = None, positives: Expression | None = None,
    total: Expression | None = None, group_weight: Expression | None = None, field: Expression | None = None,
    p_price: Expression | None = None, p_survive: Expression | None = None, won: Expression | None = None,
    reward: Expression | None = None, propensity: Expression | None = None, position: Expression | None = None,
    target: Expression | None = None, q_action: Expression | None = None, q_policy: Expression | None = None,
    lower_bound: Expression | None = None, upper_bound: Expression | None = None, treatment: Expression | None = None,
    duration: Expression | None = None, subtopic: Expression | None = None, judgments: Any = None, catalog: Any = None,
    similarity: Any = None, popularity: Any = None, history: Any = None, item_categories: Any = None,
    expected_items: Any = None, embeddings: Any = None, propensities: Any = None, preset: Preset | None = None,
    by: By | None = None, where: str | None = None, min_rows: int | None = None, confidence: float | None = None,
    cluster: Expression | None = None, shape: Shape | None = None, round: int | None = None,
) -> str:
    """Return the SQL of `gaps`, for a warehouse or a model of your own, without running it.

    Like the SQL of `render` it does not validate its input.

    Args:
        metrics: As in `evaluate`, or a fairness criterion with the parameters of its metrics, as in
            `equalized_odds(threshold=0.3)`. `demographic_parity` compares `selection_rate`, `equal_opportunity`
            compares `recall`, and `equalized_odds` compares `recall` and `fpr`.
        relation: The table as SQL: a name, a subquery in parentheses, or `{{ ref('impressions') }}`. It is inserted
            unchanged.
        dialect: The SQL dialect. Tests run every metric on the engines of `clickhouse`, `duckdb`, `postgres`, `spark`,
            and on emulators of `bigquery`, `databricks`, `snowflake`. They only parse the SQL of `athena`, `redshift`,
            `trino`.
        label: Observed value: 0/1 or boolean; a relevance grade >= 0; a class; a number; or the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; a higher score is more positive and ranks
            first. A list compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, in place of a score and a threshold.
        group: Ranking unit: user, query or session; for agreement metrics, the rated item.
        item: Item or document id.
        rank: Position in the list, smallest first, in place of score; only the order counts, so gaps are allowed.
        tie_key: Column that orders equal scores, descending, NULL last; by default the item. Metrics with a parameter
            ties use it with ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Number of positive rows in a pre-aggregated row, in place of label.
        total: Number of all rows in a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; with judgments, it
            requires missing='skip'.
        field: Column whose values define the segments for calibration.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price is above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: Reward of the logged action: a click as 0/1 or boolean, or a number.
        propensity: Probability that the logging policy chose the action; in a ranking, that the user saw the item.
        position: Position at which the log showed the item, in place of propensity; requires propensities.
        target: Probability that the target policy chooses the action.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the target policy: the mean over its actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: Time to the event, or to the end of observation for a censored row.
        subtopic: Aspect of the query (subtopic, intent) to which the relevance in the row refers.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.
        catalog: Relation of all items, with the item column.
        similarity: Relation with the columns item_a, item_b and similarity; pairs are symmetric.
        popularity: Relation of how often each item was seen: the item column, and count.
        history: Relation of earlier items of each group, such as past choices of a user: the group and item columns.
        item_categories: Relation of the categories of items, such as genres: the item column, and category.
        expected_items: Relation of items that are not surprising, such as the most popular ones, with the item column.
        embeddings: Relation of item vectors: the item column, dimension and value.
        propensities: Relation with a row per position: position, and propensity, the probability that it is seen.
        preset: The tool whose conventions set the parameters that you do not pass: `sklearn`, `trec_eval`, `lightgbm`,
            `spark`.
        by: The columns whose values define the slices to compare (required). Rows with NULL are dropped. A list of
            lists computes several groupings, each with rows of its own.
        where: SQL condition on the rows.
        min_rows: Drop slices with fewer used rows: rates of small slices are often extreme by chance.
        confidence: Add a confidence interval to each difference. The value is the confidence level, such as 0.95.
        cluster: With `confidence`: the unit whose rows are correlated, such as a user or a session, also across the two
            slices. By default the group for grouped metrics, otherwise the row. Rows without a value form one cluster.
        shape: How ordered windows are written. `rows` ranks every row. `distinct` first counts the rows at each score,
            which is faster if scores repeat. `two_level` sums inside cells of the score, then over whole cells, so that
            no task of a cluster reads all rows. The default is `two_level` on spark and databricks, `distinct` on
            redshift, and `rows` elsewhere.
        round: Round values and intervals to this number of decimals, 0 to 15, so that snapshots are stable; by default
            they are not rounded.

    Returns:
        One statement, ending in a newline, whose rows have the columns of the result of `gaps`.

    Raises:
        SqlMetricsError: UnknownMetric or BadParameter.

    Example:
        >>> import sqlmetrics
        >>> arguments = {"label": "hired", "score": "score", "by": "sex"}
        >>> print(sqlmetrics.render_gaps("recall", relation="log", **arguments).splitlines()[0])
        -- recall of log, by sex
    """


def render_drift(
    columns: Expression | Sequence[Expression] | None = None, *, relation: str, dialect: str = "duckdb",
    weight: Expression | None = None, categories: Expression | Sequence[Expression] | None = None,
    against: str | None = None, current: str | None = None, reference: str | None = None, by: By | None = None,
    where: str | None = None, bins: int = 10, eps: float = 0.0001, round: int | None = None,
) -> str:
    """Return the SQL of `drift`, for a warehouse or a model of your own, without running it.

    Like the SQL of `render` it does not validate its input.

    Args:
        columns: The columns to compare as numbers. Pass columns of classes as `categories`. Expressions as in `by`.
        relation: The table as SQL: a name, a subquery in parentheses, or `{{ ref('impressions') }}`. It is inserted
            unchanged.
        dialect: The SQL dialect. Tests run every metric on the engines of `clickhouse`, `duckdb`, `postgres`, `spark`,
            and on emulators of `bigquery`, `databricks`, `snowflake`. They only parse the SQL of `athena`, `redshift`,
            `trino`.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        categories: Columns whose values are classes, of any type: strings, days, or numbers that are ids.
        against: The relation to compare `relation` with: a table or a subquery as SQL, with columns of the same names.
            Without `against`, pass `current` and `reference` to compare two parts of the relation.
        current: SQL condition on the current rows, as in `"day >= date '2026-03-08'"`.
        reference: SQL condition on the reference rows, in `against` or else in the same data.
        by: Slice columns: one result row per slice; NULL is a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`), which a column `grouping` names. Rows are
            sorted by the slice columns; strings in a pandas categorical are sorted by its categories.
        where: SQL condition on the rows.
        bins: The number of bins for `psi` and `jensen_shannon` of numbers; each bin has an equal share of the
            reference.
        eps: The smallest share of a bin or class in `psi`, so that an empty bin does not make it infinite.
        round: Round values and intervals to this number of decimals, 0 to 15, so that snapshots are stable; by default
            they are not rounded.

    Returns:
        One statement, ending in a newline, whose rows have the columns of the result of `drift`.

    Raises:
        SqlMetricsError: BadParameter.

    Example:
        >>> import sqlmetrics
        >>> arguments = {"relation": "today", "against": "yesterday", "by": "device"}
        >>> print(sqlmetrics.render_drift("pctr", categories="country", **arguments).splitlines()[0])
        -- drift of pctr, country of today, by device
    """


def metrics() -> pd.DataFrame:
    """Return the catalogue as a table: one row per metric, built in or registered.

    Returns:
        Columns `name`, `family`, `title`, `formula`, `roles`, `parameters` (with defaults), `range`, `undefined`,
        `oracle`, `source`.

    Example:
        >>> import sqlmetrics
        >>> sqlmetrics.metrics().query("family == 'grouped'")["name"].tolist()
        ['gauc', 'group_auc']
    """


def compare(
    data: Any, metrics: MetricSpec | Sequence[MetricSpec], *, label: Expression | None = None,
    score: Scores | None = None, prediction: Expression | None = None, group: Expression | None = None,
    item: Expression | None = None, rank: Expression | None = None, tie_key: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    group_weight: Expression | None = None, field: Expression | None = None, p_price: Expression | None = None,
    p_survive: Expression | None = None, won: Expression | None = None, reward: Expression | None = None,
    propensity: Expression | None = None, position: Expression | None = None, target: Expression | None = None,
    q_action: Expression | None = None, q_policy: Expression | None = None, lower_bound: Expression | None = None,
    upper_bound: Expression | None = None, treatment: Expression | None = None, duration: Expression | None = None,
    subtopic: Expression | None = None, judgments: Any = None, catalog: Any = None, similarity: Any = None,
    popularity: Any = None, history: Any = None, item_categories: Any = None, expected_items: Any = None,
    embeddings: Any = None, propensities: Any = None, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    against: Any = None, baseline: str | None = None, relative: bool = False,
    test: Literal["t", "wilcoxon", "randomization"] = "t", adjust: Literal["holm", "bh"] | None = "holm",
    power: float = 0.8, confidence: float = 0.95, cluster: Expression | None = None,
    method: Literal["jackknife", "bootstrap"] | None = None, replicates: int | None = None, seed: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Compare models with a baseline in every slice, and test whether the differences are significant.

    All models are evaluated on the rows that all of them score. Pass `cluster` if the rows of a user or a session are
    correlated; without it, intervals of clicks are far too short.

    Args:
        data: Files: a path, glob or folder (parquet, CSV or JSON, also as .gz or .zst), a list of paths, or a TREC run.
            Or a table or view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB
            relation. The files of one call share one schema: a column has a type that holds the values of all files.
        metrics: One metric or several: `"auc"`, `"ndcg@10"`, `"ndcg(k=10, gain='linear')"`, `"mine = ndcg(k=10)"`, or a
            dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, separated by commas.
        label: Observed value: 0/1 or boolean; a relevance grade >= 0; a class; a number; or the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; a higher score is more positive and ranks
            first. A list compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, in place of a score and a threshold.
        group: Ranking unit: user, query or session; for agreement metrics, the rated item.
        item: Item or document id.
        rank: Position in the list, smallest first, in place of score; only the order counts, so gaps are allowed.
        tie_key: Column that orders equal scores, descending, NULL last; by default the item. Metrics with a parameter
            ties use it with ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Number of positive rows in a pre-aggregated row, in place of label.
        total: Number of all rows in a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; with judgments, it
            requires missing='skip'.
        field: Column whose values define the segments for calibration.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price is above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: Reward of the logged action: a click as 0/1 or boolean, or a number.
        propensity: Probability that the logging policy chose the action; in a ranking, that the user saw the item.
        position: Position at which the log showed the item, in place of propensity; requires propensities.
        target: Probability that the target policy chooses the action.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the target policy: the mean over its actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: Time to the event, or to the end of observation for a censored row.
        subtopic: Aspect of the query (subtopic, intent) to which the relevance in the row refers.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.
        catalog: Relation of all items, with the item column.
        similarity: Relation with the columns item_a, item_b and similarity; pairs are symmetric.
        popularity: Relation of how often each item was seen: the item column, and count.
        history: Relation of earlier items of each group, such as past choices of a user: the group and item columns.
        item_categories: Relation of the categories of items, such as genres: the item column, and category.
        expected_items: Relation of items that are not surprising, such as the most popular ones, with the item column.
        embeddings: Relation of item vectors: the item column, dimension and value.
        propensities: Relation with a row per position: position, and propensity, the probability that it is seen.
        preset: The tool whose conventions set the parameters that you do not pass: `sklearn`, `trec_eval`, `lightgbm`,
            `spark`.
        by: Slice columns: one result row per slice; NULL is a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`), which a column `grouping` names. Rows are
            sorted by the slice columns; strings in a pandas categorical are sorted by its categories.
        where: SQL condition on the rows.
        con: A DuckDB connection to use. It stays open, and the call leaves no objects behind. Calls of several threads
            on one connection run one after another. Fetch pending results of the connection before the call.
        threads: Number of threads, without `con`; all by default.
        memory_limit: Memory limit of the query, such as `"2GB"`, without `con`. The engine spills larger intermediate
            results to a temporary folder.
        engine: The engine that holds the data and computes: `engines.Spark(session)`, `engines.PostgreSQL(connection)`,
            `engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, or an object with a dialect and a
            `query(sql)`. The call also opens an address, such as `"postgres://user@host/database"`. `data` is then a
            table or a query of the engine, and expressions are in its SQL.
        min_rows: Drop slices with fewer used rows; `attrs["slices_left_out"]` counts them.
        against: A second relation to compare the data with by one score, instead of several scores on the same rows:
            yesterday's log, or the results of another search engine. It accepts the forms of `data`, its columns have
            the same names, and every expression applies to both. Clusters in both relations are paired; a column
            `shared_clusters` counts them.
        baseline: The name of the score to compare the others with; the first score by default. With `against`, the name
            of that relation in the results; `score="today = pctr"` names the data.
        relative: Report differences as shares of the baseline's value: 0.02 is two percent more.
        test: The test behind `p_value`. `t` (Student's) uses the standard error of the difference. The other tests use
            the difference in each cluster, such as a query or a user: `wilcoxon` ranks the differences, and
            `randomization` (Fisher's) flips their signs at random. Both require SciPy, so only Python and the shell
            support them. The interval is always that of `t`.
        adjust: The correction of `p_adjusted` for the number of slices, metrics and models in the call. `holm` bounds
            the probability of any false difference, `bh` (Benjamini and Hochberg) bounds the share of false
            differences, and None applies no correction.
        power: The probability that the test detects a true difference of `detectable_difference`.
        confidence: The confidence level of the interval of the difference; 1 - `confidence` is the significance level
            of the verdict.
        cluster: The unit whose rows are correlated, such as a user or a session. By default the group for grouped
            metrics, otherwise the row. Rows without a value form one cluster.
        method: The method of the intervals. `jackknife` (the default) is symmetric; it measures the influence of each
            cluster, or of each of twenty buckets of clusters. `bootstrap` uses percentiles over resampled clusters.
        replicates: The number of samples for `method='bootstrap'`, 20 to 10,000; 200 by default. In `compare` also the
            number of random sign flips for `test='randomization'`; 9,999 by default.
        seed: The random seed, a whole number; results are the same on every engine. 1 by default.
        strict: Raise `BadData` instead of dropping rows with a NULL or NaN value.

    Returns:
        One row per slice, metric and model other than the baseline: the slice columns, then

        - `metric`, `model`, `baseline`: names; with `against` the model is `data` and the baseline `against`, unless
          `score="today = pctr"` and `baseline="yesterday"` name them;
        - `value`, `baseline_value`, `difference`: both values, and the value minus the baseline's (with `relative` as a
          share of the baseline's absolute value, and NaN where that is 0);
        - `difference_low`, `difference_high`, `standard_error`: the interval and the standard error of the difference;
        - `p_value`: the probability of a difference at least as large if the models do not differ; `p_adjusted`: the
          same, adjusted for the number of tests in the call;
        - `detectable_difference`: the smallest true difference that the test detects with `power`;
        - `n`, `clusters`: the numbers of rows and clusters, as int64; with `against` the rows of `data`, the clusters
          of both relations, and `shared_clusters`, the clusters in both;
        - `verdict`: `no difference seen` where `p_adjusted` is at least 1 - `confidence`. Otherwise `better` or
          `worse`, by the direction of the metric, or `different` for a metric without a direction. For a metric with an
          ideal value (copc near 1) and models on both sides of it, the distances are also compared. If these do not
          differ, the verdict is `differs, not closer to 1`.

        Without enough data for a test, such as with one cluster, `p_value` is NaN and the verdict None.

    Raises:
        SqlMetricsError: As `evaluate`; BadParameter for a table metric, fewer than two scores, or an unknown baseline.

    Example:
        >>> import pandas as pd, sqlmetrics
        >>> log = pd.DataFrame({"clicked": [0, 1, 0, 1, 0, 1], "user": [1, 1, 2, 2, 3, 3],
        ...                     "old": [0.2, 0.4, 0.6, 0.5, 0.3, 0.2], "new": [0.1, 0.6, 0.4, 0.7, 0.3, 0.5]})
        >>> result = sqlmetrics.compare(log, "auc", label="clicked", score=["old", "new"], cluster="user")
        >>> result.loc[0, ["value", "baseline_value", "difference"]].astype(float).round(3).tolist()
        [1.0, 0.5, 0.5]
    """


def gaps(
    data: Any, metrics: MetricSpec | Sequence[MetricSpec], *, label: Expression | None = None,
    score: Scores | None = None, prediction: Expression | None = None, group: Expression | None = None,
    item: Expression | None = None, rank: Expression | None = None, tie_key: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    group_weight: Expression | None = None, field: Expression | None = None, p_price: Expression | None = None,
    p_survive: Expression | None = None, won: Expression | None = None, reward: Expression | None = None,
    propensity: Expression | None = None, position: Expression | None = None, target: Expression | None = None,
    q_action: Expression | None = None, q_policy: Expression | None = None, lower_bound: Expression | None = None,
    upper_bound: Expression | None = None, treatment: Expression | None = None, duration: Expression | None = None,
    subtopic: Expression | None = None, judgments: Any = None, catalog: Any = None, similarity: Any = None,
    popularity: Any = None, history: Any = None, item_categories: Any = None, expected_items: Any = None,
    embeddings: Any = None, propensities: Any = None, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    confidence: float | None = None, cluster: Expression | None = None, strict: bool = False,
) -> pd.DataFrame:
    """Compare slices by each metric and report the two that differ most: a fairness view of any metric.

    The difference is between the two extreme slices. With many slices, large differences occur by chance: `p_value` is
    adjusted for that, the interval is not.

    Args:
        data: Files: a path, glob or folder (parquet, CSV or JSON, also as .gz or .zst), a list of paths, or a TREC run.
            Or a table or view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB
            relation. The files of one call share one schema: a column has a type that holds the values of all files.
        metrics: As in `evaluate`, or a fairness criterion with the parameters of its metrics, as in
            `equalized_odds(threshold=0.3)`. `demographic_parity` compares `selection_rate`, `equal_opportunity`
            compares `recall`, and `equalized_odds` compares `recall` and `fpr`.
        label: Observed value: 0/1 or boolean; a relevance grade >= 0; a class; a number; or the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; a higher score is more positive and ranks
            first. A list compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, in place of a score and a threshold.
        group: Ranking unit: user, query or session; for agreement metrics, the rated item.
        item: Item or document id.
        rank: Position in the list, smallest first, in place of score; only the order counts, so gaps are allowed.
        tie_key: Column that orders equal scores, descending, NULL last; by default the item. Metrics with a parameter
            ties use it with ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Number of positive rows in a pre-aggregated row, in place of label.
        total: Number of all rows in a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; with judgments, it
            requires missing='skip'.
        field: Column whose values define the segments for calibration.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price is above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: Reward of the logged action: a click as 0/1 or boolean, or a number.
        propensity: Probability that the logging policy chose the action; in a ranking, that the user saw the item.
        position: Position at which the log showed the item, in place of propensity; requires propensities.
        target: Probability that the target policy chooses the action.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the target policy: the mean over its actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: Time to the event, or to the end of observation for a censored row.
        subtopic: Aspect of the query (subtopic, intent) to which the relevance in the row refers.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.
        catalog: Relation of all items, with the item column.
        similarity: Relation with the columns item_a, item_b and similarity; pairs are symmetric.
        popularity: Relation of how often each item was seen: the item column, and count.
        history: Relation of earlier items of each group, such as past choices of a user: the group and item columns.
        item_categories: Relation of the categories of items, such as genres: the item column, and category.
        expected_items: Relation of items that are not surprising, such as the most popular ones, with the item column.
        embeddings: Relation of item vectors: the item column, dimension and value.
        propensities: Relation with a row per position: position, and propensity, the probability that it is seen.
        preset: The tool whose conventions set the parameters that you do not pass: `sklearn`, `trec_eval`, `lightgbm`,
            `spark`.
        by: The columns whose values define the slices to compare (required). Rows with NULL are dropped. A list of
            lists computes several groupings, each with rows of its own.
        where: SQL condition on the rows.
        con: A DuckDB connection to use. It stays open, and the call leaves no objects behind. Calls of several threads
            on one connection run one after another. Fetch pending results of the connection before the call.
        threads: Number of threads, without `con`; all by default.
        memory_limit: Memory limit of the query, such as `"2GB"`, without `con`. The engine spills larger intermediate
            results to a temporary folder.
        engine: The engine that holds the data and computes: `engines.Spark(session)`, `engines.PostgreSQL(connection)`,
            `engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, or an object with a dialect and a
            `query(sql)`. The call also opens an address, such as `"postgres://user@host/database"`. `data` is then a
            table or a query of the engine, and expressions are in its SQL.
        min_rows: Drop slices with fewer used rows: rates of small slices are often extreme by chance.
        confidence: Add a confidence interval to each difference. The value is the confidence level, such as 0.95.
        cluster: With `confidence`: the unit whose rows are correlated, such as a user or a session, also across the two
            slices. By default the group for grouped metrics, otherwise the row. Rows without a value form one cluster.
        strict: Raise `BadData` instead of dropping rows with a NULL or NaN value.

    Returns:
        One row per metric (and grouping, and model), with

        - `metric`, after `grouping` and `model` where there are several;
        - `highest_…` and `lowest_…` for each column of `by`: the two slices; of equal slices the first and the last;
        - `highest`, `lowest`: their values; `difference`: highest minus lowest; `ratio`: the lowest as a share of the
          highest, NaN where the highest is 0 or the lowest is negative;
        - `slices`: the number of slices with a value; `n`: the rows used of all slices; both int64;
        - with `confidence`: `difference_low`, `difference_high` and `standard_error` of the difference, with rows or
          clusters in both slices paired; NaN for a metric without an interval;
        - with `confidence`: `p_value`, the probability of a difference at least as large if no slices differ, adjusted
          for every pair of slices (Bonferroni);
        - with `confidence`: `clusters`, the clusters of the two slices, and `shared_clusters`, the clusters in both.

        With fewer than two slices that have a value the difference is NaN.

    Raises:
        SqlMetricsError: As `evaluate`; BadParameter without `by`, or for a table metric.

    Example:
        >>> import pandas as pd, sqlmetrics
        >>> log = pd.DataFrame({"hired": [1, 1, 0, 0, 1, 1, 0, 0], "score": [0.9, 0.7, 0.6, 0.1, 0.8, 0.2, 0.3, 0.1],
        ...                     "sex": ["f"] * 4 + ["m"] * 4})
        >>> result = sqlmetrics.gaps(log, "equalized_odds", label="hired", score="score", by="sex")
        >>> result[["metric", "highest_sex", "highest", "lowest", "difference", "ratio"]]
                          metric highest_sex  highest  lowest  difference  ratio
        0  equalized_odds_recall           f      1.0     0.5         0.5    0.5
        1     equalized_odds_fpr           f      0.5     0.0         0.5    0.0
    """


def per_group(
    data: Any, metrics: MetricSpec | Sequence[MetricSpec], *, label: Expression | None = None,
    score: Scores | None = None, prediction: Expression | None = None, group: Expression | None = None,
    item: Expression | None = None, rank: Expression | None = None, tie_key: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    group_weight: Expression | None = None, field: Expression | None = None, p_price: Expression | None = None,
    p_survive: Expression | None = None, won: Expression | None = None, reward: Expression | None = None,
    propensity: Expression | None = None, position: Expression | None = None, target: Expression | None = None,
    q_action: Expression | None = None, q_policy: Expression | None = None, lower_bound: Expression | None = None,
    upper_bound: Expression | None = None, treatment: Expression | None = None, duration: Expression | None = None,
    subtopic: Expression | None = None, judgments: Any = None, catalog: Any = None, similarity: Any = None,
    popularity: Any = None, history: Any = None, item_categories: Any = None, expected_items: Any = None,
    embeddings: Any = None, propensities: Any = None, preset: Preset | None = None, by: By | None = None,
    where: str | None = None, con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None,
    memory_limit: str | None = None, engine: Engine | str | None = None, min_rows: int | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Return the values of grouped and ranking metrics per group: the table behind their means.

    Args:
        data: Files: a path, glob or folder (parquet, CSV or JSON, also as .gz or .zst), a list of paths, or a TREC run.
            Or a table or view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB
            relation. The files of one call share one schema: a column has a type that holds the values of all files.
        metrics: One metric or several: `"auc"`, `"ndcg@10"`, `"ndcg(k=10, gain='linear')"`, `"mine = ndcg(k=10)"`, or a
            dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, separated by commas.
        label: Observed value: 0/1 or boolean; a relevance grade >= 0; a class; a number; or the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; a higher score is more positive and ranks
            first. A list compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, in place of a score and a threshold.
        group: Ranking unit: user, query or session; for agreement metrics, the rated item.
        item: Item or document id.
        rank: Position in the list, smallest first, in place of score; only the order counts, so gaps are allowed.
        tie_key: Column that orders equal scores, descending, NULL last; by default the item. Metrics with a parameter
            ties use it with ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Number of positive rows in a pre-aggregated row, in place of label.
        total: Number of all rows in a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; with judgments, it
            requires missing='skip'.
        field: Column whose values define the segments for calibration.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price is above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: Reward of the logged action: a click as 0/1 or boolean, or a number.
        propensity: Probability that the logging policy chose the action; in a ranking, that the user saw the item.
        position: Position at which the log showed the item, in place of propensity; requires propensities.
        target: Probability that the target policy chooses the action.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the target policy: the mean over its actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: Time to the event, or to the end of observation for a censored row.
        subtopic: Aspect of the query (subtopic, intent) to which the relevance in the row refers.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.
        catalog: Relation of all items, with the item column.
        similarity: Relation with the columns item_a, item_b and similarity; pairs are symmetric.
        popularity: Relation of how often each item was seen: the item column, and count.
        history: Relation of earlier items of each group, such as past choices of a user: the group and item columns.
        item_categories: Relation of the categories of items, such as genres: the item column, and category.
        expected_items: Relation of items that are not surprising, such as the most popular ones, with the item column.
        embeddings: Relation of item vectors: the item column, dimension and value.
        propensities: Relation with a row per position: position, and propensity, the probability that it is seen.
        preset: The tool whose conventions set the parameters that you do not pass: `sklearn`, `trec_eval`, `lightgbm`,
            `spark`.
        by: Slice columns: one result row per slice; NULL is a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`), which a column `grouping` names. Rows are
            sorted by the slice columns; strings in a pandas categorical are sorted by its categories.
        where: SQL condition on the rows.
        con: A DuckDB connection to use. It stays open, and the call leaves no objects behind. Calls of several threads
            on one connection run one after another. Fetch pending results of the connection before the call.
        threads: Number of threads, without `con`; all by default.
        memory_limit: Memory limit of the query, such as `"2GB"`, without `con`. The engine spills larger intermediate
            results to a temporary folder.
        engine: The engine that holds the data and computes: `engines.Spark(session)`, `engines.PostgreSQL(connection)`,
            `engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, or an object with a dialect and a
            `query(sql)`. The call also opens an address, such as `"postgres://user@host/database"`. `data` is then a
            table or a query of the engine, and expressions are in its SQL.
        min_rows: Drop slices with fewer used rows; `attrs["slices_left_out"]` counts them.
        strict: Raise `BadData` instead of dropping rows with a NULL or NaN value.

    Returns:
        One row per slice and group: the slice columns, the group, `n` (its rows), one column per metric; sorted by
        slice and group. A value that the mean skips is NaN.

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


def drift(
    data: Any, columns: Expression | Sequence[Expression] | None = None, *, weight: Expression | None = None,
    categories: Expression | Sequence[Expression] | None = None, against: Any = None, current: str | None = None,
    reference: str | None = None, by: By | None = None, where: str | None = None, bins: int = 10, eps: float = 0.0001,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None,
) -> pd.DataFrame:
    """Compare the values of columns with those of another relation, or of another part of the same relation.

    The columns are scores or features: numbers, strings and booleans; labels are not needed. A row without a value
    (NULL or NaN) counts in `missing` only; an infinite number counts as the lowest or the highest value.

    Args:
        data: Files: a path, glob or folder (parquet, CSV or JSON, also as .gz or .zst), a list of paths, or a TREC run.
            Or a table or view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB
            relation. The files of one call share one schema: a column has a type that holds the values of all files.
        columns: The columns to compare, such as a score or the features of a model. Strings and booleans are classes.
            Expressions as in `by`.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        categories: Columns whose values are classes, of any type: strings, days, or numbers that are ids.
        against: The relation to compare with, such as last month's log, in any form that `data` accepts. Its columns
            have the same names, and every expression applies to both. Without `against`, pass `current` and `reference`
            to compare two parts of the data.
        current: SQL condition on the current rows, as in `"day >= date '2026-03-08'"`.
        reference: SQL condition on the reference rows, in `against` or else in the same data.
        by: Slice columns: one result row per slice; NULL is a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`), which a column `grouping` names. Rows are
            sorted by the slice columns; strings in a pandas categorical are sorted by its categories.
        where: SQL condition on the rows.
        bins: The number of bins for `psi` and `jensen_shannon` of numbers; each bin has an equal share of the
            reference.
        eps: The smallest share of a bin or class in `psi`, so that an empty bin does not make it infinite.
        con: A DuckDB connection to use. It stays open, and the call leaves no objects behind. Calls of several threads
            on one connection run one after another. Fetch pending results of the connection before the call.
        threads: Number of threads, without `con`; all by default.
        memory_limit: Memory limit of the query, such as `"2GB"`, without `con`. The engine spills larger intermediate
            results to a temporary folder.
        engine: The engine that holds the data and computes: `engines.Spark(session)`, `engines.PostgreSQL(connection)`,
            `engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, or an object with a dialect and a
            `query(sql)`. The call also opens an address, such as `"postgres://user@host/database"`. `data` is then a
            table or a query of the engine, and expressions are in its SQL.

    Returns:
        One row per slice and column: the slice columns, then

        - `column_name`: its name;
        - `n`, `n_reference`: the rows of both sides, including rows without a value;
        - `missing`, `missing_reference`: the share of the rows without a value;
        - `psi`: the population stability index Σ (p − q)·ln(p / q) over classes or over `bins` between the quantiles of
          the reference; each share is at least `eps`;
        - `ks_distance`: the largest distance of the two distribution functions (Kolmogorov and Smirnov), over all
          values;
        - `jensen_shannon`: the Jensen-Shannon distance over the same classes or bins, 0 to 1: the square root of the
          divergence to base 2;
        - `wasserstein`: the area between the two distribution functions, in the unit of the column; NaN where a value
          is infinite.

        With `weight`, shares are shares of the weight. Classes have no `ks_distance` and no `wasserstein`. Distances
        are NaN if a side has no value.

    Raises:
        SqlMetricsError: As `evaluate`; BadData for a column of an unsupported type, or of different types in the two
            relations.

    Example:
        >>> import pandas as pd, sqlmetrics
        >>> before = pd.DataFrame({"pctr": [0.1, 0.2, 0.3, 0.4], "device": ["ios", "ios", "web", "web"]})
        >>> after = pd.DataFrame({"pctr": [0.2, 0.3, 0.4, 0.5], "device": ["ios", "web", "web", None]})
        >>> result = sqlmetrics.drift(after, ["pctr", "device"], against=before, bins=2)
        >>> result[["column_name", "missing", "psi", "ks_distance", "jensen_shannon", "wasserstein"]].round(3)
          column_name  missing    psi  ks_distance  jensen_shannon  wasserstein
        0        pctr     0.00  0.275         0.25           0.221          0.1
        1      device     0.25  0.116          NaN           0.144          NaN
    """


def state(
    data: Any, metrics: MetricSpec | Sequence[MetricSpec] | None = None, *, label: Expression | None = None,
    score: Expression | None = None, prediction: Expression | None = None, group: Expression | None = None,
    item: Expression | None = None, rank: Expression | None = None, tie_key: Expression | None = None,
    weight: Expression | None = None, positives: Expression | None = None, total: Expression | None = None,
    group_weight: Expression | None = None, field: Expression | None = None, p_price: Expression | None = None,
    p_survive: Expression | None = None, won: Expression | None = None, reward: Expression | None = None,
    propensity: Expression | None = None, position: Expression | None = None, target: Expression | None = None,
    q_action: Expression | None = None, q_policy: Expression | None = None, lower_bound: Expression | None = None,
    upper_bound: Expression | None = None, treatment: Expression | None = None, duration: Expression | None = None,
    subtopic: Expression | None = None, judgments: Any = None, similarity: Any = None, history: Any = None,
    item_categories: Any = None, expected_items: Any = None, embeddings: Any = None, propensities: Any = None,
    preset: Preset | None = None, by: Expression | Sequence[Expression] | None = None, where: str | None = None,
    bins: int | None = None, range: Sequence[float] | None = None, eps: float = 2.220446049250313e-16,
    buckets: int | None = None, cluster: Expression | None = None, con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None, memory_limit: str | None = None, engine: Engine | str | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Aggregate a part of a log, such as a day, into a small table. The metrics of merged tables do not need the log.

    Without `metrics` the state stores the positives and negatives at each score, or in each of `bins`. It supports
    calibration and AUC: the exact AUC, or with `bins` a lower and an upper bound. With `metrics` the state stores the
    sums behind these metrics.

    States with the same settings merge: put their files into one folder, or their rows into one table. A group of
    `gauc`, `ndcg` and similar metrics belongs to one part and one slice. A user in two parts counts as two groups, so
    put all rows of a user into one part. The macros `score_state` and `metric_state` of the dbt package write the same
    tables.

    Args:
        data: Files: a path, glob or folder (parquet, CSV or JSON, also as .gz or .zst), a list of paths, or a TREC run.
            Or a table or view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB
            relation. The files of one call share one schema: a column has a type that holds the values of all files.
        metrics: The metrics whose sums or counts the state stores, specified as in `evaluate`. Most metrics can be
            computed from the sums of parts. Without `metrics` the state stores the positives and negatives at each
            score, or in each of `bins`.
        label: Observed value: 0/1 or boolean; a relevance grade >= 0; a class; a number; or the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; a higher score is more positive and ranks
            first.
        prediction: Predicted class, in place of a score and a threshold.
        group: Ranking unit: user, query or session; for agreement metrics, the rated item.
        item: Item or document id.
        rank: Position in the list, smallest first, in place of score; only the order counts, so gaps are allowed.
        tie_key: Column that orders equal scores, descending, NULL last; by default the item. Metrics with a parameter
            ties use it with ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Number of positive rows in a pre-aggregated row, in place of label.
        total: Number of all rows in a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; with judgments, it
            requires missing='skip'.
        field: Column whose values define the segments for calibration.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price is above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: Reward of the logged action: a click as 0/1 or boolean, or a number.
        propensity: Probability that the logging policy chose the action; in a ranking, that the user saw the item.
        position: Position at which the log showed the item, in place of propensity; requires propensities.
        target: Probability that the target policy chooses the action.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the target policy: the mean over its actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: Time to the event, or to the end of observation for a censored row.
        subtopic: Aspect of the query (subtopic, intent) to which the relevance in the row refers.
        judgments: Relation of labels, with the group, item and label columns, and the subtopic column where that is a
            role. It may include items that were never returned; groups without judgments are dropped.
        similarity: Relation with the columns item_a, item_b and similarity; pairs are symmetric.
        history: Relation of earlier items of each group, such as past choices of a user: the group and item columns.
        item_categories: Relation of the categories of items, such as genres: the item column, and category.
        expected_items: Relation of items that are not surprising, such as the most popular ones, with the item column.
        embeddings: Relation of item vectors: the item column, dimension and value.
        propensities: Relation with a row per position: position, and propensity, the probability that it is seen.
        preset: The tool whose conventions set the parameters that you do not pass: `sklearn`, `trec_eval`, `lightgbm`,
            `spark`.
        by: Slice columns, including the day. Readers of the state can slice and filter by these columns.
        where: SQL condition on the rows.
        bins: Without `metrics`: store this many bins of equal width instead of each distinct score. Readers then report
            a lower and an upper bound of the AUC.
        range: Without `metrics`: the lowest and the highest score, as in `[-5, 5]`; scores outside count in the first
            or last bin. By default scores must be probabilities. A range beyond 0 and 1 supports AUC only.
        eps: Without `metrics`: the log loss clips probabilities to [eps, 1 - eps].
        buckets: The number of buckets of clusters, 2 to 1,000; 20 is enough. Readers need buckets for `confidence`. The
            state has up to that many times the rows.
        cluster: With `buckets`: the unit whose rows are correlated, such as a user or a session; for grouped metrics,
            the group.
        con: A DuckDB connection to use. It stays open, and the call leaves no objects behind. Calls of several threads
            on one connection run one after another. Fetch pending results of the connection before the call.
        threads: Number of threads, without `con`; all by default.
        memory_limit: Memory limit of the query, such as `"2GB"`, without `con`. The engine spills larger intermediate
            results to a temporary folder.
        engine: The engine that holds the data and computes: `engines.Spark(session)`, `engines.PostgreSQL(connection)`,
            `engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, or an object with a dialect and a
            `query(sql)`. The call also opens an address, such as `"postgres://user@host/database"`. `data` is then a
            table or a query of the engine, and expressions are in its SQL.
        strict: Raise `BadData` instead of dropping rows with a NULL or NaN value.

    Returns:
        One row per slice, or per slice and score or bin; with `buckets` one for each bucket of clusters. The columns:

        - `state_key`: the key of the row, unique within its slices and never NULL;
        - the slice columns, and `score_key` and `bucket` where they apply;
        - `bins`: the number of bins, in states of scores;
        - `made_with`: columns, weights, bins, range and eps; readers refuse a mixture;
        - `made_for`: the metrics and their parameters, in states of metrics;
        - `row_count`, and the sums as float64.

    Raises:
        SqlMetricsError: As `evaluate`; BadParameter for a metric that cannot be computed from sums;
            BadData for a score outside [0, 1] without a `range`.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> log = pd.DataFrame({"day": [1, 1, 1, 2, 2, 2], "click": [0, 1, 1, 0, 1, 0],
        ...                     "pctr": [0.1, 0.3, 0.8, 0.4, 0.7, 0.2]})
        >>> days = [sqlmetrics.state(log[log["day"] == day], label="click", score="pctr", by="day") for day in (1, 2)]
        >>> days[0][["day", "score_key", "row_count", "positives", "negatives"]].sort_values("score_key")
           day  score_key  row_count  positives  negatives
        0    1        0.1          1        0.0        1.0
        1    1        0.3          1        1.0        0.0
        2    1        0.8          1        1.0        0.0
        >>> sqlmetrics.evaluate_states(pd.concat(days), ["auc", "copc"])
           n       auc  copc
        0  6  0.888889   1.2
    """


def evaluate_states(
    data: Any, metrics: MetricSpec | Sequence[MetricSpec] | None = None, *, item: Expression | None = None,
    catalog: Any = None, popularity: Any = None, preset: Preset | None = None,
    by: Expression | Sequence[Expression] | None = None, where: str | None = None, confidence: float | None = None,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None, standard_error: bool = False,
) -> pd.DataFrame:
    """Compute the metrics of merged states, without the log.

    The values are those of `evaluate` over the rows of all parts, where a group belongs to one part. The call fails for
    a repeated `state_key`, for parts with different columns, weights, bins or ranges, and for a metric that some part
    lacks. Include the column that distinguishes the parts, such as the day, in `by` of `state`.

    Args:
        data: One state, or the states of many days, in any form of `data` in `evaluate`: such as `"days/*.parquet"`, a
            DataFrame, or a table of `con` or of the engine.
        metrics: For states of metrics: the metrics of the states, or some of them, with the same parameters. For states
            of scores: any of auc, ece (with bins), log_loss, brier, copc and pcoc; all by default.
        item: With `catalog` or `popularity`: their item column, if it is not `item_id` as in states.
        catalog: Relation of all items, with the item column.
        popularity: Relation of how often each item was seen: the item column, and count.
        preset: The tool whose conventions set the parameters that you do not pass: `sklearn`, `trec_eval`, `lightgbm`,
            `spark`.
        by: Slice columns of the states, or expressions over them: one result row per slice; NULL is a slice of its own.
        where: SQL condition on the states' columns, as in `"day >= date '2026-03-01'"`.
        confidence: Add a confidence interval to each metric (`_low`, `_high`), by dropping each bucket in turn. The
            value is the confidence level, such as 0.95. The states must have buckets.
        con: A DuckDB connection to use. It stays open, and the call leaves no objects behind. Calls of several threads
            on one connection run one after another. Fetch pending results of the connection before the call.
        threads: Number of threads, without `con`; all by default.
        memory_limit: Memory limit of the query, such as `"2GB"`, without `con`. The engine spills larger intermediate
            results to a temporary folder.
        engine: The engine that holds the data and computes: `engines.Spark(session)`, `engines.PostgreSQL(connection)`,
            `engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, or an object with a dialect and a
            `query(sql)`. The call also opens an address, such as `"postgres://user@host/database"`. `data` is then a
            table or a query of the engine, and expressions are in its SQL.
        standard_error: With `confidence`: add the standard error of each metric (`_se`).

    Returns:
        One row per slice, sorted, NULL slices last: the slice columns, `n` (the rows behind the states), one column per
        metric. An undefined value is NaN. With `confidence` also the ends of intervals: NaN where the parts have
        different numbers of `buckets`. With bins, `auc` is between `auc_lower` and `auc_upper`, which enclose the exact
        AUC.

    Raises:
        SqlMetricsError: BadData for states with different settings, or for other data;
            BadParameter, MissingColumn and QueryFailed as in `evaluate`.

    Example:
        >>> import pandas as pd
        >>> import sqlmetrics
        >>> log = pd.DataFrame({"day": [1, 1, 2, 2], "sold": [3.0, 5.0, 2.0, 7.0], "forecast": [4.0, 5.0, 4.0, 6.0]})
        >>> days = sqlmetrics.state(log, ["mae", "rmse"], label="sold", score="forecast", by="day")
        >>> sqlmetrics.evaluate_states(days, ["mae", "rmse"])
           n  mae      rmse
        0  4  1.0  1.224745
        >>> sqlmetrics.evaluate_states(days, "mae", by="day")
           day  n  mae
        0    1  2  0.5
        1    2  2  1.5
    """
