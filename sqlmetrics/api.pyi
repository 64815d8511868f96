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
    `by="day = date_trunc('day', ts)"`) or is written as `sqlmetrics.sql("rating >= 4")`. Expressions and `where` are
    your own SQL: never build them from text that you do not trust.

    Args:
        data: A path, glob or folder (parquet, CSV, JSON; .gz and .zst too), a list of paths, a TREC run, a table or
            view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB relation. Files of
            one call are read in the types that all of them have together.
        metrics: One metric or several: `"auc"`, `"ndcg@10"`, `"ndcg(k=10, gain='linear')"`, `"mine = ndcg(k=10)"`, or a
            dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, with commas.
        label: Truth: 0/1 or boolean; graded relevance >= 0; a class; or a number; the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; higher is more positive, earlier. A list
            compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, instead of a score and a threshold.
        group: User, query or session: the unit inside which ranks are made; the rated item of an agreement.
        item: Item or document id.
        rank: Place in the list, the least first, instead of score; places are counted anew, so that gaps do not count.
        tie_key: Orders equal scores, descending, NULL last; by default the item does. Where a metric has ties, under
            ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; beside judgments it
            wants missing='skip'.
        field: Column over whose values the calibration is taken.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price lies above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: What the logged action earned: a click as 0/1 or boolean, or a number.
        propensity: Probability with which the log's policy chose the action; in a ranking, that the user saw the item.
        position: Place at which the log showed the item, instead of propensity: propensities tells that of each place.
        target: Probability with which the policy in question would have chosen it.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the policy in question: the mean over its choice of actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: How long until the event or, of a row without it, until nothing more was seen of it.
        subtopic: Aspect of the query (subtopic, intent) for which a row says how relevant its item is.
        judgments: Relation with the columns of group, item and label, and of subtopic where that is a role: truth that
            may hold items never returned; a group of the data that it does not know is left out.
        catalog: Relation of all items, with the column of item.
        similarity: Relation of item_a, item_b, similarity; (a, b) is (b, a).
        popularity: Relation of how often each item was seen: the column of item, and count.
        history: Relation of what each group had before, as what a user chose: the columns of group and item.
        item_categories: Relation of the categories of items, as genres: the column of item, and category.
        expected_items: Relation of the items that are no surprise, as the most popular ones, with the column of item.
        embeddings: Relation of the vectors of items: the column of item, dimension and value.
        propensities: Relation with a row per place, position, and how likely an item is seen there, propensity.
        preset: The conventions of `sklearn`, `trec_eval`, `lightgbm`, `spark`, for the parameters that are not given.
        by: Slice columns: one result row per slice, NULL being a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`); a column `grouping` then says which. Rows are
            in the order of the slices' values, those of a categorical column in the order of its categories.
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
        cluster: With `confidence`: whose rows belong together, a user or a session. By default the groups of metrics
            that need these, the rows of all others. Rows without a value are one cluster.
        standard_error: With `confidence`: the standard error of each metric too, as `_se`.
        method: How intervals are made: `jackknife` (the default) by what each cluster, or each of twenty buckets of
            them, does to the value, and symmetric; `bootstrap` by the percentiles of the values of samples of the
            clusters.
        replicates: How many samples `method='bootstrap'` draws, 20 to 10,000; 200 by default. Of `compare` with
            `test='randomization'` how many signs of each cluster; 9,999 by default.
        seed: A whole number that decides what is drawn, the same on every engine; 1 by default.
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
    """A page about one or several models: scorecard, curves, calibration, lift, ranking, slices and days.

    Which of these there are follows from the roles. The page is one file that needs neither network nor script.

    Args:
        data: A path, glob or folder (parquet, CSV, JSON; .gz and .zst too), a list of paths, a TREC run, a table or
            view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB relation. Files of
            one call are read in the types that all of them have together.
        metrics: The metrics of the scorecard, the first of which also says which slices hurt most; by default those
            that fit the roles and what the columns hold.
        label: Truth: 0/1 or boolean; graded relevance >= 0; a class; or a number; the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; higher is more positive, earlier. A list
            compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, instead of a score and a threshold.
        group: User, query or session: the unit inside which ranks are made; the rated item of an agreement.
        item: Item or document id.
        rank: Place in the list, the least first, instead of score; places are counted anew, so that gaps do not count.
        tie_key: Orders equal scores, descending, NULL last; by default the item does. Where a metric has ties, under
            ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; beside judgments it
            wants missing='skip'.
        field: Column over whose values the calibration is taken.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price lies above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: What the logged action earned: a click as 0/1 or boolean, or a number.
        propensity: Probability with which the log's policy chose the action; in a ranking, that the user saw the item.
        position: Place at which the log showed the item, instead of propensity: propensities tells that of each place.
        target: Probability with which the policy in question would have chosen it.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the policy in question: the mean over its choice of actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: How long until the event or, of a row without it, until nothing more was seen of it.
        subtopic: Aspect of the query (subtopic, intent) for which a row says how relevant its item is.
        judgments: Relation with the columns of group, item and label, and of subtopic where that is a role: truth that
            may hold items never returned; a group of the data that it does not know is left out.
        catalog: Relation of all items, with the column of item.
        similarity: Relation of item_a, item_b, similarity; (a, b) is (b, a).
        popularity: Relation of how often each item was seen: the column of item, and count.
        history: Relation of what each group had before, as what a user chose: the columns of group and item.
        item_categories: Relation of the categories of items, as genres: the column of item, and category.
        expected_items: Relation of the items that are no surprise, as the most popular ones, with the column of item.
        embeddings: Relation of the vectors of items: the column of item, dimension and value.
        propensities: Relation with a row per place, position, and how likely an item is seen there, propensity.
        preset: The conventions of `sklearn`, `trec_eval`, `lightgbm`, `spark`, for the parameters that are not given.
        by: Slice columns: one result row per slice, NULL being a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`); a column `grouping` then says which. Rows are
            in the order of the slices' values, those of a categorical column in the order of its categories.
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
        baseline: Which of the scores the others are compared with, by its name; the first by default.
        confidence: How often the intervals hold the true value; 1 less this is the level of the verdicts.
        cluster: Whose rows belong together, a user or a session. By default the groups of metrics that need these, the
            rows of all others. Rows without a value are one cluster.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        The report: a notebook shows it, `report.save("report.html")` writes it, `report.html` is its text.

    Raises:
        SqlMetricsError: As `evaluate`; BadData where there is no row to report on.

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
    """The SQL of metrics as text, for a warehouse or a model of your own. Nothing is run.

    The statement trusts its input: unlike `evaluate` it does not refuse a label of 2 or a negative weight. With
    `checks` it leaves out the rows that break such a rule, and tells how many rows there are in all: where the sum of
    `n` is less, some were left out, and a job that goes no further then checks what `evaluate` does. The further
    relations (judgments, catalog …) are tables as SQL, like `relation`.

    Args:
        metrics: One metric or several: `"auc"`, `"ndcg@10"`, `"ndcg(k=10, gain='linear')"`, `"mine = ndcg(k=10)"`, or a
            dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, with commas.
        relation: The table as SQL: a name, a sub-query in brackets, `{{ ref('impressions') }}`. It is used as it is.
        dialect: `clickhouse`, `duckdb`, `postgres`, `spark`, on which every metric is tested; `bigquery`, `databricks`,
            `snowflake`, for which a stand-in runs them; or `athena`, `redshift`, `trino`, whose text parsers read.
        label: Truth: 0/1 or boolean; graded relevance >= 0; a class; or a number; the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; higher is more positive, earlier. A list
            compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, instead of a score and a threshold.
        group: User, query or session: the unit inside which ranks are made; the rated item of an agreement.
        item: Item or document id.
        rank: Place in the list, the least first, instead of score; places are counted anew, so that gaps do not count.
        tie_key: Orders equal scores, descending, NULL last; by default the item does. Where a metric has ties, under
            ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; beside judgments it
            wants missing='skip'.
        field: Column over whose values the calibration is taken.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price lies above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: What the logged action earned: a click as 0/1 or boolean, or a number.
        propensity: Probability with which the log's policy chose the action; in a ranking, that the user saw the item.
        position: Place at which the log showed the item, instead of propensity: propensities tells that of each place.
        target: Probability with which the policy in question would have chosen it.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the policy in question: the mean over its choice of actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: How long until the event or, of a row without it, until nothing more was seen of it.
        subtopic: Aspect of the query (subtopic, intent) for which a row says how relevant its item is.
        judgments: Relation with the columns of group, item and label, and of subtopic where that is a role: truth that
            may hold items never returned; a group of the data that it does not know is left out.
        catalog: Relation of all items, with the column of item.
        similarity: Relation of item_a, item_b, similarity; (a, b) is (b, a).
        popularity: Relation of how often each item was seen: the column of item, and count.
        history: Relation of what each group had before, as what a user chose: the columns of group and item.
        item_categories: Relation of the categories of items, as genres: the column of item, and category.
        expected_items: Relation of the items that are no surprise, as the most popular ones, with the column of item.
        embeddings: Relation of the vectors of items: the column of item, dimension and value.
        propensities: Relation with a row per place, position, and how likely an item is seen there, propensity.
        preset: The conventions of `sklearn`, `trec_eval`, `lightgbm`, `spark`, for the parameters that are not given.
        by: Slice columns: one result row per slice, NULL being a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`); a column `grouping` then says which. Rows are
            in the order of the slices' values, those of a categorical column in the order of its categories.
        where: SQL condition on the rows.
        confidence: Beside each metric `_low` and `_high`: an interval that holds the true value this often, as in 0.95.
        cluster: With `confidence`: whose rows belong together, a user or a session. By default the groups of metrics
            that need these, the rows of all others. Rows without a value are one cluster.
        standard_error: With `confidence`: the standard error of each metric too, as `_se`.
        method: How intervals are made: `jackknife` (the default) by what each cluster, or each of twenty buckets of
            them, does to the value, and symmetric; `bootstrap` by the percentiles of the values of samples of the
            clusters.
        replicates: How many samples `method='bootstrap'` draws, 20 to 10,000; 200 by default. Of `compare` with
            `test='randomization'` how many signs of each cluster; 9,999 by default.
        seed: A whole number that decides what is drawn, the same on every engine; 1 by default.
        shape: `rows` ranks every row; `distinct` first counts the rows at each score, better where scores repeat much;
            `two_level` adds sums inside cells of the score to the sums of whole cells, so that no task of a cluster
            sees all rows. By default `two_level` on spark and databricks, `distinct` on redshift, `rows` elsewhere.
        round: To how many digits behind the point values and intervals are told, 0 to 15, so that a snapshot does not
            see their last bits; in full by default.
        checks: Leave out rows that break a rule for values, and add `sqlmetrics_all_rows`: how many there are in all.
            With several frames or slices, `sqlmetrics_used_rows_1` and so on are the rows that each of them used.

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
        valid_rows as (
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
        from valid_rows
        <BLANKLINE>

        A label of 2 is no click: with `checks`, one row of the two is left out, and that shows.

        >>> text = sqlmetrics.render("copc", relation="impressions", label="clicked", score="pctr", checks=True)
        >>> import duckdb
        >>> log = "create table impressions as select * from (values (2, 0.5), (1, 0.5)) as log(clicked, pctr)"
        >>> duckdb.connect().execute(log).execute(text).df()
           n  copc  sqlmetrics_all_rows
        0  1   2.0                    2
    """


def plan_of_render(
    arguments: dict[str, Any], **decided: Any,
) -> Plan:
    """The plan of a call whose text `render` gives; `decided` are fields of its request."""


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
    """The SQL of a comparison as text: what `compare` asks, for a warehouse or a model of your own. Nothing is run.

    Like the text of `render` it trusts its input. It has no `min_rows`: with it, `compare` adjusts for the slices alone
    that are large enough.

    Args:
        metrics: One metric or several: `"auc"`, `"ndcg@10"`, `"ndcg(k=10, gain='linear')"`, `"mine = ndcg(k=10)"`, or a
            dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, with commas.
        relation: The table as SQL: a name, a sub-query in brackets, `{{ ref('impressions') }}`. It is used as it is.
        dialect: `clickhouse`, `duckdb`, `postgres`, `spark`, on which every metric is tested; `bigquery`, `databricks`,
            `snowflake`, for which a stand-in runs them; or `athena`, `redshift`, `trino`, whose text parsers read.
        label: Truth: 0/1 or boolean; graded relevance >= 0; a class; or a number; the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; higher is more positive, earlier. A list
            compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, instead of a score and a threshold.
        group: User, query or session: the unit inside which ranks are made; the rated item of an agreement.
        item: Item or document id.
        rank: Place in the list, the least first, instead of score; places are counted anew, so that gaps do not count.
        tie_key: Orders equal scores, descending, NULL last; by default the item does. Where a metric has ties, under
            ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; beside judgments it
            wants missing='skip'.
        field: Column over whose values the calibration is taken.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price lies above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: What the logged action earned: a click as 0/1 or boolean, or a number.
        propensity: Probability with which the log's policy chose the action; in a ranking, that the user saw the item.
        position: Place at which the log showed the item, instead of propensity: propensities tells that of each place.
        target: Probability with which the policy in question would have chosen it.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the policy in question: the mean over its choice of actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: How long until the event or, of a row without it, until nothing more was seen of it.
        subtopic: Aspect of the query (subtopic, intent) for which a row says how relevant its item is.
        judgments: Relation with the columns of group, item and label, and of subtopic where that is a role: truth that
            may hold items never returned; a group of the data that it does not know is left out.
        catalog: Relation of all items, with the column of item.
        similarity: Relation of item_a, item_b, similarity; (a, b) is (b, a).
        popularity: Relation of how often each item was seen: the column of item, and count.
        history: Relation of what each group had before, as what a user chose: the columns of group and item.
        item_categories: Relation of the categories of items, as genres: the column of item, and category.
        expected_items: Relation of the items that are no surprise, as the most popular ones, with the column of item.
        embeddings: Relation of the vectors of items: the column of item, dimension and value.
        propensities: Relation with a row per place, position, and how likely an item is seen there, propensity.
        preset: The conventions of `sklearn`, `trec_eval`, `lightgbm`, `spark`, for the parameters that are not given.
        by: Slice columns: one result row per slice, NULL being a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`); a column `grouping` then says which. Rows are
            in the order of the slices' values, those of a categorical column in the order of its categories.
        where: SQL condition on the rows.
        baseline: Which of the scores the others are compared with, by its name; the first by default. With `against`:
            what that relation is called in the results; a score written as `today = pctr` names the data.
        relative: Differences as shares of the baseline's value: 0.02 is two per cent more.
        test: The test behind `p_value`: `t` (Student's) by the standard error of the difference. The other two read the
            differences of the metric's values of each cluster alone, a query or a user: `wilcoxon` their ranks,
            `randomization` (Fisher's) how often random signs bring their sum as far from 0. SciPy computes these, so
            they run from Python and the shell only. The interval stays that of `t`.
        adjust: How `p_adjusted` allows for as many tests as there are slices, metrics and models in the call: `holm`
            keeps the chance of a single false difference, `bh` (Benjamini and Hochberg) the share of false ones; None:
            not.
        power: The chance with which a difference of `detectable_difference` would have been seen.
        confidence: How often the interval of the difference holds the true one; 1 less this is the level of the
            verdict.
        cluster: Whose rows belong together, a user or a session. By default the groups of metrics that need these, the
            rows of all others. Rows without a value are one cluster.
        method: How intervals are made: `jackknife` (the default) by what each cluster, or each of twenty buckets of
            them, does to the value, and symmetric; `bootstrap` by the percentiles of the values of samples of the
            clusters.
        replicates: How many samples `method='bootstrap'` draws, 20 to 10,000; 200 by default. Of `compare` with
            `test='randomization'` how many signs of each cluster; 9,999 by default.
        seed: A whole number that decides what is drawn, the same on every engine; 1 by default.
        shape: `rows` ranks every row; `distinct` first counts the rows at each score, better where scores repeat much;
            `two_level` adds sums inside cells of the score to the sums of whole cells, so that no task of a cluster
            sees all rows. By default `two_level` on spark and databricks, `distinct` on redshift, `rows` elsewhere.
        round: To how many digits behind the point values and intervals are told, 0 to 15, so that a snapshot does not
            see their last bits; in full by default.
        against: The relation with which `relation` is compared by one score, instead of several scores on the same
            rows: a table or a sub-query as SQL, with columns of the same names.

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
    """The SQL of `gaps` as text, for a warehouse or a model of your own. Nothing is run.

    Like the text of `render` it trusts its input.

    Args:
        metrics: As in `evaluate`; or what is asked of a classifier that is to treat groups alike: `demographic_parity`
            stands for `selection_rate`, `equal_opportunity` for `recall`, `equalized_odds` for `recall` and `fpr`, each
            with the parameters that are given, as in `equalized_odds(threshold=0.3)`.
        relation: The table as SQL: a name, a sub-query in brackets, `{{ ref('impressions') }}`. It is used as it is.
        dialect: `clickhouse`, `duckdb`, `postgres`, `spark`, on which every metric is tested; `bigquery`, `databricks`,
            `snowflake`, for which a stand-in runs them; or `athena`, `redshift`, `trino`, whose text parsers read.
        label: Truth: 0/1 or boolean; graded relevance >= 0; a class; or a number; the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; higher is more positive, earlier. A list
            compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, instead of a score and a threshold.
        group: User, query or session: the unit inside which ranks are made; the rated item of an agreement.
        item: Item or document id.
        rank: Place in the list, the least first, instead of score; places are counted anew, so that gaps do not count.
        tie_key: Orders equal scores, descending, NULL last; by default the item does. Where a metric has ties, under
            ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; beside judgments it
            wants missing='skip'.
        field: Column over whose values the calibration is taken.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price lies above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: What the logged action earned: a click as 0/1 or boolean, or a number.
        propensity: Probability with which the log's policy chose the action; in a ranking, that the user saw the item.
        position: Place at which the log showed the item, instead of propensity: propensities tells that of each place.
        target: Probability with which the policy in question would have chosen it.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the policy in question: the mean over its choice of actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: How long until the event or, of a row without it, until nothing more was seen of it.
        subtopic: Aspect of the query (subtopic, intent) for which a row says how relevant its item is.
        judgments: Relation with the columns of group, item and label, and of subtopic where that is a role: truth that
            may hold items never returned; a group of the data that it does not know is left out.
        catalog: Relation of all items, with the column of item.
        similarity: Relation of item_a, item_b, similarity; (a, b) is (b, a).
        popularity: Relation of how often each item was seen: the column of item, and count.
        history: Relation of what each group had before, as what a user chose: the columns of group and item.
        item_categories: Relation of the categories of items, as genres: the column of item, and category.
        expected_items: Relation of the items that are no surprise, as the most popular ones, with the column of item.
        embeddings: Relation of the vectors of items: the column of item, dimension and value.
        propensities: Relation with a row per place, position, and how likely an item is seen there, propensity.
        preset: The conventions of `sklearn`, `trec_eval`, `lightgbm`, `spark`, for the parameters that are not given.
        by: The columns whose values are the slices that are compared; it must be given. Rows with NULL are left out. A
            list of lists gives several groupings, each with rows of its own.
        where: SQL condition on the rows.
        min_rows: Compare no slices with fewer used rows: a rate of a few rows is easily the highest of all.
        confidence: How often the interval of a difference is to hold the true one, as in 0.95; without it there is
            none.
        cluster: With `confidence`: whose rows belong together, a user or a session, also where they are in both slices.
            By default the groups of metrics that need these, the rows of all others. Rows without a value are one
            cluster.
        shape: `rows` ranks every row; `distinct` first counts the rows at each score, better where scores repeat much;
            `two_level` adds sums inside cells of the score to the sums of whole cells, so that no task of a cluster
            sees all rows. By default `two_level` on spark and databricks, `distinct` on redshift, `rows` elsewhere.
        round: To how many digits behind the point values and intervals are told, 0 to 15, so that a snapshot does not
            see their last bits; in full by default.

    Returns:
        One statement, ending in a newline, whose rows have the columns of the result of `gaps`.

    Raises:
        SqlMetricsError: UnknownMetric or BadParameter.

    Example:
        >>> import sqlmetrics
        >>> given = {"label": "hired", "score": "score", "by": "sex"}
        >>> print(sqlmetrics.render_gaps("recall", relation="log", **given).splitlines()[0])
        -- recall of log, by sex
    """


def render_drift(
    columns: Expression | Sequence[Expression] | None = None, *, relation: str, dialect: str = "duckdb",
    weight: Expression | None = None, categories: Expression | Sequence[Expression] | None = None,
    against: str | None = None, current: str | None = None, reference: str | None = None, by: By | None = None,
    where: str | None = None, bins: int = 10, eps: float = 0.0001, round: int | None = None,
) -> str:
    """The SQL of `drift` as text, for a warehouse or a model of your own. Nothing is run.

    Like the text of `render` it trusts its input.

    Args:
        columns: The columns that are looked at, as numbers: the text does not know their types. Expressions as in `by`.
        relation: The table as SQL: a name, a sub-query in brackets, `{{ ref('impressions') }}`. It is used as it is.
        dialect: `clickhouse`, `duckdb`, `postgres`, `spark`, on which every metric is tested; `bigquery`, `databricks`,
            `snowflake`, for which a stand-in runs them; or `athena`, `redshift`, `trino`, whose text parsers read.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        categories: Columns whose values are classes, whatever their type: texts, days, numbers that are names.
        against: The relation with which `relation` is compared: a table or a sub-query as SQL, with columns of the same
            names. Without it two parts of the relation are compared, as `current` and `reference` tell.
        current: Which rows are looked at: an SQL condition, as in `"day >= date '2026-03-08'"`.
        reference: Which rows they are compared with: an SQL condition on `against`, or else on the same data.
        by: Slice columns: one result row per slice, NULL being a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`); a column `grouping` then says which. Rows are
            in the order of the slices' values, those of a categorical column in the order of its categories.
        where: SQL condition on the rows.
        bins: In how many bins, each with an equal share of the reference, numbers are told apart by `psi` and
            `jensen_shannon`.
        eps: The least share of a bin or class in `psi`, so that an empty one does not make it infinite.
        round: To how many digits behind the point values and intervals are told, 0 to 15, so that a snapshot does not
            see their last bits; in full by default.

    Returns:
        One statement, ending in a newline, whose rows have the columns of the result of `drift`.

    Raises:
        SqlMetricsError: BadParameter.

    Example:
        >>> import sqlmetrics
        >>> given = {"relation": "today", "against": "yesterday", "by": "device"}
        >>> print(sqlmetrics.render_drift("pctr", categories="country", **given).splitlines()[0])
        -- drift of pctr, country of today, by device
    """


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
    """How far models are from a baseline, in every slice, and whether that is more than chance.

    All models are measured on the rows that all of them score. A user's rows belong together: say whose with `cluster`,
    or the intervals of clicks are far too short.

    Args:
        data: A path, glob or folder (parquet, CSV, JSON; .gz and .zst too), a list of paths, a TREC run, a table or
            view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB relation. Files of
            one call are read in the types that all of them have together.
        metrics: One metric or several: `"auc"`, `"ndcg@10"`, `"ndcg(k=10, gain='linear')"`, `"mine = ndcg(k=10)"`, or a
            dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, with commas.
        label: Truth: 0/1 or boolean; graded relevance >= 0; a class; or a number; the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; higher is more positive, earlier. A list
            compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, instead of a score and a threshold.
        group: User, query or session: the unit inside which ranks are made; the rated item of an agreement.
        item: Item or document id.
        rank: Place in the list, the least first, instead of score; places are counted anew, so that gaps do not count.
        tie_key: Orders equal scores, descending, NULL last; by default the item does. Where a metric has ties, under
            ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; beside judgments it
            wants missing='skip'.
        field: Column over whose values the calibration is taken.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price lies above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: What the logged action earned: a click as 0/1 or boolean, or a number.
        propensity: Probability with which the log's policy chose the action; in a ranking, that the user saw the item.
        position: Place at which the log showed the item, instead of propensity: propensities tells that of each place.
        target: Probability with which the policy in question would have chosen it.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the policy in question: the mean over its choice of actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: How long until the event or, of a row without it, until nothing more was seen of it.
        subtopic: Aspect of the query (subtopic, intent) for which a row says how relevant its item is.
        judgments: Relation with the columns of group, item and label, and of subtopic where that is a role: truth that
            may hold items never returned; a group of the data that it does not know is left out.
        catalog: Relation of all items, with the column of item.
        similarity: Relation of item_a, item_b, similarity; (a, b) is (b, a).
        popularity: Relation of how often each item was seen: the column of item, and count.
        history: Relation of what each group had before, as what a user chose: the columns of group and item.
        item_categories: Relation of the categories of items, as genres: the column of item, and category.
        expected_items: Relation of the items that are no surprise, as the most popular ones, with the column of item.
        embeddings: Relation of the vectors of items: the column of item, dimension and value.
        propensities: Relation with a row per place, position, and how likely an item is seen there, propensity.
        preset: The conventions of `sklearn`, `trec_eval`, `lightgbm`, `spark`, for the parameters that are not given.
        by: Slice columns: one result row per slice, NULL being a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`); a column `grouping` then says which. Rows are
            in the order of the slices' values, those of a categorical column in the order of its categories.
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
        against: The relation with which the data are compared by one score, instead of several scores on the same rows:
            yesterday's log, the results of another search engine. It is given as `data` is, its columns have the same
            names, and every expression holds for both. Clusters that both have are compared with themselves, the others
            are independent; a column `shared_clusters` counts the former.
        baseline: Which of the scores the others are compared with, by its name; the first by default. With `against`:
            what that relation is called in the results; a score written as `today = pctr` names the data.
        relative: Differences as shares of the baseline's value: 0.02 is two per cent more.
        test: The test behind `p_value`: `t` (Student's) by the standard error of the difference. The other two read the
            differences of the metric's values of each cluster alone, a query or a user: `wilcoxon` their ranks,
            `randomization` (Fisher's) how often random signs bring their sum as far from 0. SciPy computes these, so
            they run from Python and the shell only. The interval stays that of `t`.
        adjust: How `p_adjusted` allows for as many tests as there are slices, metrics and models in the call: `holm`
            keeps the chance of a single false difference, `bh` (Benjamini and Hochberg) the share of false ones; None:
            not.
        power: The chance with which a difference of `detectable_difference` would have been seen.
        confidence: How often the interval of the difference holds the true one; 1 less this is the level of the
            verdict.
        cluster: Whose rows belong together, a user or a session. By default the groups of metrics that need these, the
            rows of all others. Rows without a value are one cluster.
        method: How intervals are made: `jackknife` (the default) by what each cluster, or each of twenty buckets of
            them, does to the value, and symmetric; `bootstrap` by the percentiles of the values of samples of the
            clusters.
        replicates: How many samples `method='bootstrap'` draws, 20 to 10,000; 200 by default. Of `compare` with
            `test='randomization'` how many signs of each cluster; 9,999 by default.
        seed: A whole number that decides what is drawn, the same on every engine; 1 by default.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice, metric and model other than the baseline: the slice columns, then

        - `metric`, `model`, `baseline`: names; with `against` the model is `data` and the baseline `against`, unless
          `score="today = pctr"` and `baseline="yesterday"` name them;
        - `value`, `baseline_value`, `difference`: the values, and the one less the other (with `relative` as a share of
          the baseline's, whatever its sign, and NaN where that is 0);
        - `difference_low`, `difference_high`, `standard_error`: the interval of the difference, and what it is made of;
        - `p_value`: how often two models that do not differ would be seen so far apart; `p_adjusted`: the same for as
          many tests as there are in the call;
        - `detectable_difference`: what would have been seen with `power`;
        - `n`, `clusters`: the rows and clusters behind it, as int64; with `against` the rows of `data`, the clusters of
          both, and `shared_clusters`, how many of these both have;
        - `verdict`: `no difference seen` where `p_adjusted` is at least 1 - `confidence`; else `better` or `worse`, by
          the direction of the metric, or `different` where it has none. Where a metric is best near a number (copc near
          1) and the models lie on both sides of it, their distances are tested too: `differs, not closer to 1`.

        Where nothing can be said, as of one cluster, `p_value` is NaN and the verdict None.

    Raises:
        SqlMetricsError: As `evaluate`; BadParameter for a table metric, fewer than two scores, or a baseline that is
            none of them.

    Example:
        >>> import pandas as pd, sqlmetrics
        >>> log = pd.DataFrame({"clicked": [0, 1, 0, 1, 0, 1], "user": [1, 1, 2, 2, 3, 3],
        ...                     "old": [0.2, 0.4, 0.6, 0.5, 0.3, 0.2], "new": [0.1, 0.6, 0.4, 0.7, 0.3, 0.5]})
        >>> found = sqlmetrics.compare(log, "auc", label="clicked", score=["old", "new"], cluster="user")
        >>> found.loc[0, ["value", "baseline_value", "difference"]].astype(float).round(3).tolist()
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
    """How far slices are apart by each metric, and which two: the view of fairness on any metric.

    The difference is one of two slices that were chosen because they are the farthest apart. With many slices, some are
    far apart by chance alone: `p_value` allows for that, the interval does not.

    Args:
        data: A path, glob or folder (parquet, CSV, JSON; .gz and .zst too), a list of paths, a TREC run, a table or
            view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB relation. Files of
            one call are read in the types that all of them have together.
        metrics: As in `evaluate`; or what is asked of a classifier that is to treat groups alike: `demographic_parity`
            stands for `selection_rate`, `equal_opportunity` for `recall`, `equalized_odds` for `recall` and `fpr`, each
            with the parameters that are given, as in `equalized_odds(threshold=0.3)`.
        label: Truth: 0/1 or boolean; graded relevance >= 0; a class; or a number; the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; higher is more positive, earlier. A list
            compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, instead of a score and a threshold.
        group: User, query or session: the unit inside which ranks are made; the rated item of an agreement.
        item: Item or document id.
        rank: Place in the list, the least first, instead of score; places are counted anew, so that gaps do not count.
        tie_key: Orders equal scores, descending, NULL last; by default the item does. Where a metric has ties, under
            ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; beside judgments it
            wants missing='skip'.
        field: Column over whose values the calibration is taken.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price lies above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: What the logged action earned: a click as 0/1 or boolean, or a number.
        propensity: Probability with which the log's policy chose the action; in a ranking, that the user saw the item.
        position: Place at which the log showed the item, instead of propensity: propensities tells that of each place.
        target: Probability with which the policy in question would have chosen it.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the policy in question: the mean over its choice of actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: How long until the event or, of a row without it, until nothing more was seen of it.
        subtopic: Aspect of the query (subtopic, intent) for which a row says how relevant its item is.
        judgments: Relation with the columns of group, item and label, and of subtopic where that is a role: truth that
            may hold items never returned; a group of the data that it does not know is left out.
        catalog: Relation of all items, with the column of item.
        similarity: Relation of item_a, item_b, similarity; (a, b) is (b, a).
        popularity: Relation of how often each item was seen: the column of item, and count.
        history: Relation of what each group had before, as what a user chose: the columns of group and item.
        item_categories: Relation of the categories of items, as genres: the column of item, and category.
        expected_items: Relation of the items that are no surprise, as the most popular ones, with the column of item.
        embeddings: Relation of the vectors of items: the column of item, dimension and value.
        propensities: Relation with a row per place, position, and how likely an item is seen there, propensity.
        preset: The conventions of `sklearn`, `trec_eval`, `lightgbm`, `spark`, for the parameters that are not given.
        by: The columns whose values are the slices that are compared; it must be given. Rows with NULL are left out. A
            list of lists gives several groupings, each with rows of its own.
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
        min_rows: Compare no slices with fewer used rows: a rate of a few rows is easily the highest of all.
        confidence: How often the interval of a difference is to hold the true one, as in 0.95; without it there is
            none.
        cluster: With `confidence`: whose rows belong together, a user or a session, also where they are in both slices.
            By default the groups of metrics that need these, the rows of all others. Rows without a value are one
            cluster.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per metric (and grouping, and model), with

        - `metric`, and before it `grouping` and `model` where there are several;
        - `highest_…` and `lowest_…` for each column of `by`: the two slices; of equal ones the first and the last;
        - `highest`, `lowest`: their values; `difference`: the one less the other; `ratio`: the lowest as a share of the
          highest, NaN where the highest is 0 or the lowest is negative;
        - `slices`: how many have a value; `n`: the rows used of all slices; both int64;
        - with `confidence`: `difference_low`, `difference_high` and `standard_error` of the difference of these two,
          rows or clusters that both have being paired; `p_value`: how often slices that do not differ would show two so
          far apart, allowing for every pair of slices (Bonferroni); `clusters` of the two, `shared_clusters` of them in
          both. A metric that has no interval has NaN there.

        With fewer than two slices that have a value there is no difference: NaN.

    Raises:
        SqlMetricsError: As `evaluate`; BadParameter without `by`, or for a table metric.

    Example:
        >>> import pandas as pd, sqlmetrics
        >>> log = pd.DataFrame({"hired": [1, 1, 0, 0, 1, 1, 0, 0], "score": [0.9, 0.7, 0.6, 0.1, 0.8, 0.2, 0.3, 0.1],
        ...                     "sex": ["f"] * 4 + ["m"] * 4})
        >>> found = sqlmetrics.gaps(log, "equalized_odds", label="hired", score="score", by="sex")
        >>> found[["metric", "highest_sex", "highest", "lowest", "difference", "ratio"]]
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
    """The values of grouped and ranking metrics group by group: the table from which their means are taken.

    Args:
        data: A path, glob or folder (parquet, CSV, JSON; .gz and .zst too), a list of paths, a TREC run, a table or
            view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB relation. Files of
            one call are read in the types that all of them have together.
        metrics: One metric or several: `"auc"`, `"ndcg@10"`, `"ndcg(k=10, gain='linear')"`, `"mine = ndcg(k=10)"`, or a
            dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, with commas.
        label: Truth: 0/1 or boolean; graded relevance >= 0; a class; or a number; the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; higher is more positive, earlier. A list
            compares models: the result is in long form, with a column `model`.
        prediction: Predicted class, instead of a score and a threshold.
        group: User, query or session: the unit inside which ranks are made; the rated item of an agreement.
        item: Item or document id.
        rank: Place in the list, the least first, instead of score; places are counted anew, so that gaps do not count.
        tie_key: Orders equal scores, descending, NULL last; by default the item does. Where a metric has ties, under
            ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; beside judgments it
            wants missing='skip'.
        field: Column over whose values the calibration is taken.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price lies above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: What the logged action earned: a click as 0/1 or boolean, or a number.
        propensity: Probability with which the log's policy chose the action; in a ranking, that the user saw the item.
        position: Place at which the log showed the item, instead of propensity: propensities tells that of each place.
        target: Probability with which the policy in question would have chosen it.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the policy in question: the mean over its choice of actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: How long until the event or, of a row without it, until nothing more was seen of it.
        subtopic: Aspect of the query (subtopic, intent) for which a row says how relevant its item is.
        judgments: Relation with the columns of group, item and label, and of subtopic where that is a role: truth that
            may hold items never returned; a group of the data that it does not know is left out.
        catalog: Relation of all items, with the column of item.
        similarity: Relation of item_a, item_b, similarity; (a, b) is (b, a).
        popularity: Relation of how often each item was seen: the column of item, and count.
        history: Relation of what each group had before, as what a user chose: the columns of group and item.
        item_categories: Relation of the categories of items, as genres: the column of item, and category.
        expected_items: Relation of the items that are no surprise, as the most popular ones, with the column of item.
        embeddings: Relation of the vectors of items: the column of item, dimension and value.
        propensities: Relation with a row per place, position, and how likely an item is seen there, propensity.
        preset: The conventions of `sklearn`, `trec_eval`, `lightgbm`, `spark`, for the parameters that are not given.
        by: Slice columns: one result row per slice, NULL being a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`); a column `grouping` then says which. Rows are
            in the order of the slices' values, those of a categorical column in the order of its categories.
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


def drift(
    data: Any, columns: Expression | Sequence[Expression] | None = None, *, weight: Expression | None = None,
    categories: Expression | Sequence[Expression] | None = None, against: Any = None, current: str | None = None,
    reference: str | None = None, by: By | None = None, where: str | None = None, bins: int = 10, eps: float = 0.0001,
    con: duckdb.DuckDBPyConnection | None = None, threads: int | None = None, memory_limit: str | None = None,
    engine: Engine | str | None = None,
) -> pd.DataFrame:
    """How far the values of columns lie from those in another relation, or in another part of the same one.

    A score, or what a model is fed: numbers, texts and booleans. No truth is asked for. A row without a value, NULL or
    NaN, counts in `missing` and in no distance; an infinite number is the lowest or the highest value.

    Args:
        data: A path, glob or folder (parquet, CSV, JSON; .gz and .zst too), a list of paths, a TREC run, a table or
            view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB relation. Files of
            one call are read in the types that all of them have together.
        columns: The columns that are looked at, a score or what a model is fed: numbers, and texts and booleans as
            classes. Expressions as in `by`.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        categories: Columns whose values are classes, whatever their type: texts, days, numbers that are names.
        against: The relation with which the data are compared, as last month's log. It is given as `data` is, its
            columns have the same names, and every expression holds for both. Without it two parts of the data are
            compared, as `current` and `reference` tell.
        current: Which rows are looked at: an SQL condition, as in `"day >= date '2026-03-08'"`.
        reference: Which rows they are compared with: an SQL condition on `against`, or else on the same data.
        by: Slice columns: one result row per slice, NULL being a slice of its own. A list of lists computes several
            groupings at once (`[[], ["device"], ["device", "country"]]`); a column `grouping` then says which. Rows are
            in the order of the slices' values, those of a categorical column in the order of its categories.
        where: SQL condition on the rows.
        bins: In how many bins, each with an equal share of the reference, numbers are told apart by `psi` and
            `jensen_shannon`.
        eps: The least share of a bin or class in `psi`, so that an empty one does not make it infinite.
        con: A DuckDB connection to use. It is not closed, and nothing is left behind in it. Calls of several threads on
            it wait for each other; a result of your own on it has to be read to its end before.
        threads: How many threads may work, without `con`; all by default.
        memory_limit: How much memory the query may take, as in `"2GB"`, without `con`. What does not fit goes to a
            temporary folder.
        engine: The engine that holds the data and computes: `engines.Spark(session)`, `engines.PostgreSQL(connection)`,
            `engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, or anything with a dialect and a
            `query(sql)`. An address as the shell takes it, `"postgres://user@host/database"`, is opened for the call.
            Data is then a table or a query there, and expressions are in its SQL.

    Returns:
        One row per slice and column: the slice columns, then

        - `column_name`: its name;
        - `n`, `n_reference`: the rows of both sides, those without a value too;
        - `missing`, `missing_reference`: the share of the rows without a value;
        - `psi`: the population stability index Σ (p − q)·ln(p / q) of the shares of both sides, each at least `eps`: of
          classes, or of `bins` between the quantiles of the reference;
        - `ks_distance`: the largest distance of the two distribution functions (Kolmogorov and Smirnov), over all
          values;
        - `jensen_shannon`: Jensen and Shannon's distance over the same classes or bins, the square root of the
          divergence to base 2: 0 to 1;
        - `wasserstein`: the area between the two distribution functions, in the units of the column: NaN where a value
          is infinite.

        Shares are those of the weights, where there are some. Classes have no `ks_distance` and no `wasserstein`. Where
        a side has no value there is no distance.

    Raises:
        SqlMetricsError: As `evaluate`; BadData for a column that is neither numbers nor texts, or has other types in
            the two relations.

    Example:
        >>> import pandas as pd, sqlmetrics
        >>> before = pd.DataFrame({"pctr": [0.1, 0.2, 0.3, 0.4], "device": ["ios", "ios", "web", "web"]})
        >>> after = pd.DataFrame({"pctr": [0.2, 0.3, 0.4, 0.5], "device": ["ios", "web", "web", None]})
        >>> found = sqlmetrics.drift(after, ["pctr", "device"], against=before, bins=2)
        >>> found[["column_name", "missing", "psi", "ks_distance", "jensen_shannon", "wasserstein"]].round(3)
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
    """A part of a log, a day, as a small table that merges with others by addition: their metrics need no log.

    Without `metrics` it keeps the positives and negatives at each score, for the AUC (exact, or of `bins` between two
    bounds) and the calibration; with `metrics` the sums of which these are made. Any parts that were made alike make a
    whole: put their files into one folder, or their rows into one table. A group of `gauc`, `ndcg` and the like is one
    of its part, and of its slice: of a user who is in two parts each has a value, so keep his rows in one. It is what
    the macros `score_state` and `metric_state` of the dbt package make, and each may read the other's.

    Args:
        data: A path, glob or folder (parquet, CSV, JSON; .gz and .zst too), a list of paths, a TREC run, a table or
            view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB relation. Files of
            one call are read in the types that all of them have together.
        metrics: The metrics whose sums or counts are kept, given as in `evaluate`: any that can be added up from parts,
            as most can. Without them the state keeps the positives and negatives at each score, or in each of `bins`.
        label: Truth: 0/1 or boolean; graded relevance >= 0; a class; or a number; the rating of an agreement.
        score: Prediction: probability, ranking score or predicted value; higher is more positive, earlier.
        prediction: Predicted class, instead of a score and a threshold.
        group: User, query or session: the unit inside which ranks are made; the rated item of an agreement.
        item: Item or document id.
        rank: Place in the list, the least first, instead of score; places are counted anew, so that gaps do not count.
        tie_key: Orders equal scores, descending, NULL last; by default the item does. Where a metric has ties, under
            ties='key'.
        weight: Row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target /
            propensity.
        positives: Positive rows behind a pre-aggregated row, instead of label.
        total: All rows behind a pre-aggregated row; n, rows and min_rows count these.
        group_weight: Weight of a group in the mean of a ranking metric, constant inside the group; beside judgments it
            wants missing='skip'.
        field: Column over whose values the calibration is taken.
        p_price: Probability mass of the observed market price.
        p_survive: Probability that the market price lies above the own bid.
        won: Whether the own bid won, 0/1 or boolean.
        reward: What the logged action earned: a click as 0/1 or boolean, or a number.
        propensity: Probability with which the log's policy chose the action; in a ranking, that the user saw the item.
        position: Place at which the log showed the item, instead of propensity: propensities tells that of each place.
        target: Probability with which the policy in question would have chosen it.
        q_action: Predicted reward of the logged action.
        q_policy: Predicted reward of the policy in question: the mean over its choice of actions.
        lower_bound: Lower end of the predicted interval.
        upper_bound: Upper end of the predicted interval.
        treatment: Whether the row was treated (shown the ad, given the offer), 0/1 or boolean.
        duration: How long until the event or, of a row without it, until nothing more was seen of it.
        subtopic: Aspect of the query (subtopic, intent) for which a row says how relevant its item is.
        judgments: Relation with the columns of group, item and label, and of subtopic where that is a role: truth that
            may hold items never returned; a group of the data that it does not know is left out.
        similarity: Relation of item_a, item_b, similarity; (a, b) is (b, a).
        history: Relation of what each group had before, as what a user chose: the columns of group and item.
        item_categories: Relation of the categories of items, as genres: the column of item, and category.
        expected_items: Relation of the items that are no surprise, as the most popular ones, with the column of item.
        embeddings: Relation of the vectors of items: the column of item, dimension and value.
        propensities: Relation with a row per place, position, and how likely an item is seen there, propensity.
        preset: The conventions of `sklearn`, `trec_eval`, `lightgbm`, `spark`, for the parameters that are not given.
        by: Slice columns, the day among them: what a reader of the state can slice by and select.
        where: SQL condition on the rows.
        bins: Without `metrics`: keep that many bins of equal width instead of each distinct score. The AUC is then
            known between two bounds.
        range: Without `metrics`: the lowest and the highest score, as in `[-5, 5]`; what lies outside counts in the
            first or last bin. By default scores are probabilities, and others are refused. Beyond 0 and 1 they have an
            AUC alone.
        eps: Without `metrics`: how near to 0 and 1 a probability may come in the log loss.
        buckets: In how many buckets of clusters the state is kept, 2 to 1,000, so that its readers take `confidence`;
            20 is enough. The state has up to so many times the rows.
        cluster: With `buckets`: whose rows belong together, a user or a session; of metrics of groups, the group.
        con: A DuckDB connection to use. It is not closed, and nothing is left behind in it. Calls of several threads on
            it wait for each other; a result of your own on it has to be read to its end before.
        threads: How many threads may work, without `con`; all by default.
        memory_limit: How much memory the query may take, as in `"2GB"`, without `con`. What does not fit goes to a
            temporary folder.
        engine: The engine that holds the data and computes: `engines.Spark(session)`, `engines.PostgreSQL(connection)`,
            `engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, or anything with a dialect and a
            `query(sql)`. An address as the shell takes it, `"postgres://user@host/database"`, is opened for the call.
            Data is then a table or a query there, and expressions are in its SQL.
        strict: Raise `BadData` where rows would be dropped because a value is NULL or NaN.

    Returns:
        One row per slice, or per slice and score or bin, and for each bucket of clusters if `buckets` are kept:
        `state_key` (a text that no other row of these slices has, never NULL), the slice columns, `score_key` and
        `bucket` where there are such, `bins` of scores, `made_with` (columns, weights, bins, range and eps, by which a
        reader refuses what was made otherwise), of sums of metrics `made_for` (these and their parameters),
        `row_count`, and the sums as float64.

    Raises:
        SqlMetricsError: As `evaluate`; BadParameter for a metric that cannot be added up from parts;
            BadData for a score that is no probability where no `range` is given.

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
    """The metrics of any states together, without the log that they were made of.

    The values are those of `evaluate` over the rows of all parts, a group being one of its part. A reader refuses two
    rows with one `state_key`, parts of other columns, weights, bins or ranges, and a metric that not all parts have.
    So name what tells the parts apart, such as the day, in `by` of `state`.

    Args:
        data: One state, or the states of many days: what `data` may be in `evaluate`, such as `"days/*.parquet"`, a
            list of paths, a DataFrame, or a table of `con` or of the engine.
        metrics: Of states of metrics: those that they were made for, or some of them, with the same parameters. Of
            states of scores: those wanted of auc, ece (of bins), log_loss, brier, copc, pcoc; all by default.
        item: With `catalog` or `popularity`: their column of items, where that is not `item_id`, as it is in states.
        catalog: Relation of all items, with the column of item.
        popularity: Relation of how often each item was seen: the column of item, and count.
        preset: The conventions of `sklearn`, `trec_eval`, `lightgbm`, `spark`, for the parameters that are not given.
        by: Slice columns of the states, or expressions over them: one result row per slice, NULL being one of its own.
        where: SQL condition on the states' columns, as in `"day >= date '2026-03-01'"`.
        confidence: Beside each metric `_low` and `_high`, from the values without each bucket: an interval that holds
            the true value this often, as in 0.95. The states must have buckets.
        con: A DuckDB connection to use. It is not closed, and nothing is left behind in it. Calls of several threads on
            it wait for each other; a result of your own on it has to be read to its end before.
        threads: How many threads may work, without `con`; all by default.
        memory_limit: How much memory the query may take, as in `"2GB"`, without `con`. What does not fit goes to a
            temporary folder.
        engine: The engine that holds the data and computes: `engines.Spark(session)`, `engines.PostgreSQL(connection)`,
            `engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, or anything with a dialect and a
            `query(sql)`. An address as the shell takes it, `"postgres://user@host/database"`, is opened for the call.
            Data is then a table or a query there, and expressions are in its SQL.
        standard_error: With `confidence`: the standard error of each metric too, as `_se`.

    Returns:
        One row per slice, sorted, NULL slices last: the slice columns, `n` (the rows behind the states), one column per
        metric, and the ends of intervals if there is a `confidence`: NaN where the parts have other numbers of
        `buckets`. Of scores in bins `auc` stands between `auc_lower` and `auc_upper`, which enclose the AUC of the
        scores. An undefined value is NaN.

    Raises:
        SqlMetricsError: BadData for states that were made with different settings, or for something else;
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
