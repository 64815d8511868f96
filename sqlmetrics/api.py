"""The public functions over any metrics: `evaluate`, `compare`, `gaps`, `per_group`, `render` …"""

from __future__ import annotations

from typing import Any

import pandas as pd

from .catalogue.dialects import DIALECTS
from .catalogue.registry import catalogue
from .errors import BadParameter, raised_at_caller, shown
from .planning.plan import Plan
from .planning.planner import make_plan, render_plan
from .public_functions import Arguments, public
from .reporting.page import Report, build_report
from .request import DriftOptions, InputRelation, Session, options_of
from .running.calls import request_of, run_function
from .running.drift import plan_of_drift


@public
def evaluate(arguments: Arguments) -> pd.DataFrame:
    """Compute metrics over files, a table, a query or an object in memory.

    A plain string names a column. An expression over the columns starts with an equals sign (`label="= rating >= 4"`,
    `by="day = date_trunc('day', ts)"`); `sqlmetrics.sql("rating >= 4")` is equivalent. Expressions and `where` run as
    SQL: never build them from untrusted input.

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
    return run_function("evaluate", arguments)


@public
def report(arguments: Arguments) -> Report:
    """Build a report on one or several models that begins with the answer: which is better, by how much, where not.

    The roles decide which parts follow the scorecard and the slices: curves and calibration of binary labels, curves
    of lists, errors of numbers, or a confusion matrix of classes. The page is one file without scripts or network
    access.

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
    return build_report(arguments["data"], request_of("report", arguments), options_of(Session, arguments))


@public
def render(arguments: Arguments) -> str:
    """Return the SQL of metrics, for a warehouse or a model of your own, without running it.

    The statement does not validate its input: unlike `evaluate` it accepts a label of 2 or a negative weight. With
    `checks` it drops rows with such values and reports the number of all rows. If the sum of `n` is smaller, some rows
    were invalid: let the job fail then. The other relations (judgments, catalog …) are tables as SQL, like `relation`.

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
    return _text("evaluate", arguments)


def _text(function: str, arguments: Arguments) -> str:
    return render_plan(catalogue(), arguments["dialect"], plan_of_render(function, arguments))


def plan_of_render(function: str, arguments: dict[str, Any]) -> Plan:
    """The plan of a function whose SQL is rendered."""
    request, data = request_of(function, arguments), _relation_read("relation", arguments)
    relations = {name: InputRelation(relation) for name, relation in request.relations.items()}
    if request.comparison is not None and request.comparison.against is not None:
        relations["against"] = _relation_read("against", arguments)
    return make_plan(catalogue(), request, data, relations)


def _relation_read(name: str, arguments: Arguments) -> InputRelation:
    dialect, text = arguments["dialect"], arguments[name]
    if not isinstance(dialect, str) or dialect not in DIALECTS:
        raise BadParameter(f"dialect must be one of {', '.join(DIALECTS)}, not {shown(dialect)}")
    if not isinstance(text, str):
        raise BadParameter(f"{name} must be a table or a subquery as a string, not {type(text).__name__}")
    if not text.strip():
        raise BadParameter(f"{name} is empty")
    return InputRelation(text, text, dialect=dialect)


@public
def render_compare(arguments: Arguments) -> str:
    """Return the SQL of `compare`, for a warehouse or a model of your own, without running it.

    Like the SQL of `render` it does not validate its input. It does not support `min_rows`, with which `compare`
    adjusts p-values for the remaining slices only.

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
    return _text("compare", arguments)


@public
def render_gaps(arguments: Arguments) -> str:
    """Return the SQL of `gaps`, for a warehouse or a model of your own, without running it.

    Like the SQL of `render` it does not validate its input.

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
    return _text("gaps", arguments)


@public
def render_drift(arguments: Arguments) -> str:
    """Return the SQL of `drift`, for a warehouse or a model of your own, without running it.

    Like the SQL of `render` it does not validate its input.

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
    request = request_of("drift", arguments)
    options, data = options_of(DriftOptions, arguments), _relation_read("relation", arguments)
    against = None if arguments["against"] is None else _relation_read("against", arguments)
    plan = plan_of_drift(request, options, data, against)
    return render_plan(catalogue(), data.dialect, plan, "drift_statement")


@raised_at_caller
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


@public
def compare(arguments: Arguments) -> pd.DataFrame:
    """Compare models with a baseline in every slice, and test whether the differences are significant.

    All models are evaluated on the rows that all of them score. Pass `cluster` if the rows of a user or a session are
    correlated; without it, intervals of clicks are far too short.

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
    return run_function("compare", arguments)


@public
def gaps(arguments: Arguments) -> pd.DataFrame:
    """Compare slices by each metric and report the two that differ most: a fairness view of any metric.

    The difference is between the two extreme slices. With many slices, large differences occur by chance: `p_value` is
    adjusted for that, the interval is not.

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
    return run_function("gaps", arguments)


@public
def per_group(arguments: Arguments) -> pd.DataFrame:
    """Return the values of grouped and ranking metrics per group: the table behind their means.

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
    return run_function("per_group", arguments)


@public
def drift(arguments: Arguments) -> pd.DataFrame:
    """Compare the values of columns with those of another relation, or of another part of the same relation.

    The columns are scores or features: numbers, strings and booleans; labels are not needed. A row without a value
    (NULL or NaN) counts in `missing` only; an infinite number counts as the lowest or the highest value.

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
    return run_function("drift", arguments)


@public
def state(arguments: Arguments) -> pd.DataFrame:
    """Aggregate a part of a log, such as a day, into a small table. The metrics of merged tables do not need the log.

    Without `metrics` the state stores the positives and negatives at each score, or in each of `bins`. It supports
    calibration and AUC: the exact AUC, or with `bins` a lower and an upper bound. With `metrics` the state stores the
    sums behind these metrics.

    States with the same settings merge: put their files into one folder, or their rows into one table. A group of
    `gauc`, `ndcg` and similar metrics belongs to one part and one slice. A user in two parts counts as two groups, so
    put all rows of a user into one part. The macros `score_state` and `metric_state` of the dbt package write the same
    tables.

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
    return run_function("state", arguments)


@public
def evaluate_states(arguments: Arguments) -> pd.DataFrame:
    """Compute the metrics of merged states, without the log.

    The values are those of `evaluate` over the rows of all parts, where a group belongs to one part. The call fails for
    a repeated `state_key`, for parts with different columns, weights, bins or ranges, and for a metric that some part
    lacks. Include the column that distinguishes the parts, such as the day, in `by` of `state`.

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
    return run_function("evaluate_states", arguments)
