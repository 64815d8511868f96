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
from .rendering.macros import render_macro
from .reporting.page import Report, build_report
from .request import (
    ComparisonOptions,
    DriftOptions,
    InputRelation,
    RenderOptions,
    Request,
    Session,
    StateOptions,
    options_of,
)
from .running.drift import plan_of_drift, run_drift
from .running.evaluate import run
from .running.states import make_state, read_states


@public
def evaluate(arguments: Arguments) -> pd.DataFrame:
    """Compute metrics over files, a table, a query or an object in memory.

    A plain string names a column. An expression over the columns starts with an equals sign (`label="= rating >= 4"`,
    `by="day = date_trunc('day', ts)"`) or is written as `sqlmetrics.sql("rating >= 4")`. Expressions and `where` are
    your own SQL: never build them from text that you do not trust.

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
    return _run(arguments)


@public
def report(arguments: Arguments) -> Report:
    """A page about one or several models: scorecard, curves, calibration, lift, ranking, slices and days.

    Which of these there are follows from the roles. The page is one file that needs neither network nor script.

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
    request = Request.of(arguments, comparison=options_of(ComparisonOptions, arguments))
    return build_report(arguments["data"], request, options_of(Session, arguments))


@public
def render(arguments: Arguments) -> str:
    """The SQL of metrics as text, for a warehouse or a model of your own. Nothing is run.

    The statement trusts its input: unlike `evaluate` it does not refuse a label of 2 or a negative weight. With
    `checks` it leaves out the rows that break such a rule, and tells how many rows there are in all: where the sum of
    `n` is less, some were left out, and a job that goes no further then checks what `evaluate` does. The further
    relations (judgments, catalog …) are tables as SQL, like `relation`.

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
    return _text(arguments)


def _run(arguments: Arguments, **decided: Any) -> pd.DataFrame:
    return run(arguments["data"], Request.of(arguments, **decided), options_of(Session, arguments))


def _text(arguments: Arguments, **decided: Any) -> str:
    return render_plan(catalogue(), arguments["dialect"], plan_of_render(arguments, **decided))


def plan_of_render(arguments: dict[str, Any], **decided: Any) -> Plan:
    """The plan of a call whose text `render` gives; `decided` are fields of its request."""
    request, data = Request.of(arguments, **decided), _relation_read("relation", arguments)
    relations = {name: InputRelation(relation) for name, relation in request.relations.items()}
    if request.comparison is not None and request.comparison.against is not None:
        relations["against"] = _relation_read("against", arguments)
    return make_plan(catalogue(), request, data, relations, options_of(RenderOptions, arguments))


def _relation_read(name: str, arguments: Arguments) -> InputRelation:
    _dialect(arguments["dialect"])
    text = _relation(name, arguments[name])
    return InputRelation(text, text, dialect=arguments["dialect"])


def _dialect(name: Any) -> None:
    if not isinstance(name, str) or name not in DIALECTS:
        raise BadParameter(f"dialect must be one of {', '.join(DIALECTS)}, not {shown(name)}")


def _relation(name: str, text: Any) -> str:
    if not isinstance(text, str):
        raise BadParameter(f"{name} must be a table or a sub-query as text, not {type(text).__name__}")
    if not text.strip():
        raise BadParameter(f"{name} is empty")
    return text


@public
def render_compare(arguments: Arguments) -> str:
    """The SQL of a comparison as text: what `compare` asks, for a warehouse or a model of your own. Nothing is run.

    Like the text of `render` it trusts its input. It has no `min_rows`: with it, `compare` adjusts for the slices alone
    that are large enough.

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
    return _text(arguments, comparison=options_of(ComparisonOptions, arguments))


@public
def render_gaps(arguments: Arguments) -> str:
    """The SQL of `gaps` as text, for a warehouse or a model of your own. Nothing is run.

    Like the text of `render` it trusts its input.

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
    return _text(arguments, gaps=True)


@public
def render_drift(arguments: Arguments) -> str:
    """The SQL of `drift` as text, for a warehouse or a model of your own. Nothing is run.

    Like the text of `render` it trusts its input.

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
    request = Request.of(arguments, comparison=options_of(ComparisonOptions, arguments))
    options, data = options_of(DriftOptions, arguments), _relation_read("relation", arguments)
    against = None if arguments["against"] is None else _relation_read("against", arguments)
    plan = plan_of_drift(request, options, data, against, arguments["round"])
    return render_macro(catalogue(), data.dialect, "drift_statement", plan.context()) + "\n"


@raised_at_caller
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


@public
def compare(arguments: Arguments) -> pd.DataFrame:
    """How far models are from a baseline, in every slice, and whether that is more than chance.

    All models are measured on the rows that all of them score. A user's rows belong together: say whose with `cluster`,
    or the intervals of clicks are far too short.

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
    return _run(arguments, comparison=options_of(ComparisonOptions, arguments))


@public
def gaps(arguments: Arguments) -> pd.DataFrame:
    """How far slices are apart by each metric, and which two: the view of fairness on any metric.

    The difference is one of two slices that were chosen because they are the farthest apart. With many slices, some are
    far apart by chance alone: `p_value` allows for that, the interval does not.

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
    return _run(arguments, gaps=True)


@public
def per_group(arguments: Arguments) -> pd.DataFrame:
    """The values of grouped and ranking metrics group by group: the table from which their means are taken.

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
    return _run(arguments, per_group=True)


@public
def drift(arguments: Arguments) -> pd.DataFrame:
    """How far the values of columns lie from those in another relation, or in another part of the same one.

    A score, or what a model is fed: numbers, texts and booleans. No truth is asked for. A row without a value, NULL or
    NaN, counts in `missing` and in no distance; an infinite number is the lowest or the highest value.

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
    request = Request.of(arguments, comparison=options_of(ComparisonOptions, arguments))
    return run_drift(arguments["data"], request, options_of(DriftOptions, arguments), options_of(Session, arguments))


@public
def state(arguments: Arguments) -> pd.DataFrame:
    """A part of a log, a day, as a small table that merges with others by addition: their metrics need no log.

    Without `metrics` it keeps the positives and negatives at each score, for the AUC (exact, or of `bins` between two
    bounds) and the calibration; with `metrics` the sums of which these are made. Any parts that were made alike make a
    whole: put their files into one folder, or their rows into one table. A group of `gauc`, `ndcg` and the like is one
    of its part, and of its slice: of a user who is in two parts each has a value, so keep his rows in one. It is what
    the macros `score_state` and `metric_state` of the dbt package make, and each may read the other's.

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
    request, options = Request.of(arguments), options_of(StateOptions, arguments)
    return make_state(arguments["data"], request, options, options_of(Session, arguments))


@public
def evaluate_states(arguments: Arguments) -> pd.DataFrame:
    """The metrics of any states together, without the log that they were made of.

    The values are those of `evaluate` over the rows of all parts, a group being one of its part. A reader refuses two
    rows with one `state_key`, parts of other columns, weights, bins or ranges, and a metric that not all parts have.
    So name what tells the parts apart, such as the day, in `by` of `state`.

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
    return read_states(arguments["data"], Request.of(arguments), options_of(Session, arguments))
