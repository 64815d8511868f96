"""The arguments of all calls in one table: name, type, meaning, and the calls that take it.

The signatures and docstrings of public functions, the options of the shell and the keys of its settings file come
from here. To add an argument, add a row, name it in a group of `cli.help`, run `python -m sqlmetrics.codegen` and use
it in `running.evaluate` or in `api.render`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .catalogue.dialects import DIALECTS, RENDERED_DIALECTS, STAND_INS, TESTED_DIALECTS
from .catalogue.vocabulary import PRESETS, RELATIONS, ROLES, SHAPES


@dataclass(frozen=True)
class Argument:
    """An argument, as a parameter in Python and as an option of the shell."""

    name: str
    annotation: str
    #: The description in `help(sqlmetrics.evaluate)`.
    doc: str
    #: The functions of `api.py` that take it, in Python and as commands; `metric` for functions of single metrics.
    calls: tuple[str, ...]
    default: Any = None
    required: bool = False
    positional: bool = False
    #: The description in the shell's `--help`, if it differs.
    shell: str = ""
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    #: Whether the shell's option may be repeated.
    several: bool = False
    #: The only host that has it, "python" or "shell"; by default both have it.
    only: str = ""

    @property
    def option(self) -> str:
        """The name of the shell's option."""
        return "--" + self.name.replace("_", "-")


#: The arguments of a comparison of models.
COMPARISON = ("against", "baseline", "relative", "test", "adjust", "power")
_OVER_DATA = ("evaluate", "per_group", "compare", "gaps", "report", "metric")
#: Functions that run a statement, and those that return its text.
_RUN_CALLS = (*_OVER_DATA, "state", "evaluate_states", "drift")
_TEXT_CALLS = ("render", "render_compare", "render_gaps", "render_drift")
_COMPARING = ("compare", "render_compare")
_GAPS = ("gaps", "render_gaps")
_DRIFT = ("drift", "render_drift")
_INTERVAL_CALLS = ("evaluate", "render", "metric")
_EXCEPT_GAPS = ("evaluate", "per_group", "report", "render", *_COMPARING)
_ANY_METRICS = (*_EXCEPT_GAPS, *_GAPS)
#: Functions other than `_ANY_METRICS` that take a role or a relation, if not `state`.
_FURTHER_CALLS = {"weight": ("state", *_DRIFT), "catalog": ("evaluate_states",), "popularity": ("evaluate_states",)}


def sentence(text: str) -> str:
    """The text as a sentence; empty if there is none."""
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _calls_with(name: str) -> tuple[str, ...]:
    return (*_ANY_METRICS, *_FURTHER_CALLS.get(name, ("state",)))


def _role(name: str, description: str) -> list[Argument]:
    if name != "score":
        return [Argument(name, "Expression | None", sentence(description), _calls_with(name), metavar="COLUMN")]
    models = Argument(
        name,
        "Scores | None",
        f"{sentence(description)} A list compares models: the result is in long form, with a column `model`.",
        _ANY_METRICS,
        shell=sentence(f"{description}; a,b or repeated: several models"),
        metavar="COLUMN",
        several=True,
    )
    return [models, Argument(name, "Expression | None", sentence(description), ("state",), metavar="COLUMN")]


# fmt: off
ARGUMENTS = (
    Argument("data", "Any", calls=(*_OVER_DATA, "state", "drift"), required=True, positional=True, only="python",
        doc="Files: a path, glob or folder (parquet, CSV or JSON, also as .gz or .zst), a list of paths, or a TREC "
            "run. Or a table or view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB "
            "relation. The files of one call share one schema: a column has a type that holds the values of all "
            "files."),
    Argument("data", "Any", calls=("evaluate_states",), required=True, positional=True, only="python",
        doc='One state, or the states of many days, in any form of `data` in `evaluate`: such as `"days/*.parquet"`, a '
            "DataFrame, or a table of `con` or of the engine."),
    Argument("metrics", "MetricSpec | Sequence[MetricSpec] | None", calls=("state",), positional=True, only="python",
        doc="The metrics whose sums or counts the state stores, specified as in `evaluate`. Most metrics can be "
            "computed from the sums of parts. Without `metrics` the state stores the positives and negatives at each "
            "score, or in each of `bins`."),
    Argument("metrics", "MetricSpec | Sequence[MetricSpec] | None", calls=("evaluate_states",), positional=True,
        only="python",
        doc="For states of metrics: the metrics of the states, or some of them, with the same parameters. For states "
            "of scores: any of auc, ece (with bins), log_loss, brier, copc and pcoc; all by default."),
    Argument("metrics", "MetricSpec | Sequence[MetricSpec]", calls=("evaluate", "per_group", *_COMPARING, "render"),
        required=True, positional=True, only="python",
        doc="One metric or several: `\"auc\"`, `\"ndcg@10\"`, `\"ndcg(k=10, gain='linear')\"`, `\"mine = "
            'ndcg(k=10)"`, or a dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, '
            "separated by commas."),
    Argument("metrics", "MetricSpec | Sequence[MetricSpec]", calls=_GAPS, required=True, positional=True, only="python",
        doc="As in `evaluate`, or a fairness criterion with the parameters of its metrics, as in "
            "`equalized_odds(threshold=0.3)`. `demographic_parity` compares `selection_rate`, `equal_opportunity` "
            "compares `recall`, and `equalized_odds` compares `recall` and `fpr`."),
    Argument("metrics", "MetricSpec | Sequence[MetricSpec] | None", calls=("report",), positional=True, only="python",
        doc="The metrics of the scorecard; the first one ranks the slices by impact. By default the report selects "
            "metrics by the roles and by the values of the columns."),
    Argument("columns", "Expression | Sequence[Expression] | None", calls=("drift",), positional=True, only="python",
        doc="The columns to compare, such as a score or the features of a model. Strings and booleans are classes. "
            "Expressions as in `by`."),
    Argument("columns", "Expression | Sequence[Expression] | None", calls=("render_drift",), positional=True,
        only="python",
        doc="The columns to compare as numbers. Pass columns of classes as `categories`. Expressions as in `by`."),
    Argument("columns", "", calls=("drift",), metavar="COLUMNS", several=True, only="shell",
        doc="The columns to compare, separated by commas or repeated. Strings and booleans are classes. An entry with "
            "= is one expression."),
    Argument("columns", "", calls=("render_drift",), metavar="COLUMNS", several=True, only="shell",
        doc="The columns to compare as numbers, separated by commas or repeated. An entry with = is one expression."),
    Argument("relation", "str", calls=_TEXT_CALLS, required=True, metavar="RELATION",
        doc="The table as SQL: a name, a subquery in parentheses, or `{{ ref('impressions') }}`. It is inserted "
            "unchanged.",
        shell="Table, or subquery in parentheses; inserted unchanged."),
    Argument("dialect", "str", calls=_TEXT_CALLS, default="duckdb", choices=DIALECTS,
        doc="The SQL dialect. Tests run every metric on the engines of "
            f"{', '.join(f'`{name}`' for name in TESTED_DIALECTS)}, and on emulators of "
            f"{', '.join(f'`{name}`' for name in STAND_INS)}. They only parse the SQL of "
            f"{', '.join(f'`{name}`' for name in RENDERED_DIALECTS if name not in STAND_INS)}.",
        shell="SQL to write."),
    *[argument for name, description in ROLES.items() for argument in _role(name, description)],
    Argument("item", "Expression | None", calls=("evaluate_states",), metavar="COLUMN",
        doc="With `catalog` or `popularity`: their item column, if it is not `item_id` as in states."),
    *[
        Argument(name, "Any", sentence(description), _calls_with(name), metavar="DATA")
        for name, description in RELATIONS.items()
    ],
    Argument("categories", "Expression | Sequence[Expression] | None", calls=_DRIFT, metavar="COLUMNS", several=True,
        doc="Columns whose values are classes, of any type: strings, days, or numbers that are ids.",
        shell="Columns whose values are classes, of any type, separated by commas or repeated."),
    Argument("against", "Any", calls=("drift",), only="python",
        doc="The relation to compare with, such as last month's log, in any form that `data` accepts. Its columns have "
            "the same names, and every expression applies to both. Without `against`, pass `current` and `reference` "
            "to compare two parts of the data."),
    Argument("against", "str | None", calls=("render_drift",), only="python",
        doc="The relation to compare `relation` with: a table or a subquery as SQL, with columns of the same names. "
            "Without `against`, pass `current` and `reference` to compare two parts of the relation."),
    Argument("against", "", calls=_DRIFT, metavar="DATA", only="shell",
        doc="The data to compare with, in any form of DATA, with columns of the same names. Without it, pass --current "
            "and --reference to compare two parts of DATA."),
    Argument("current", "str | None", calls=_DRIFT, metavar="CONDITION",
        doc="SQL condition on the current rows, as in `\"day >= date '2026-03-08'\"`.",
        shell="SQL condition on the current rows."),
    Argument("reference", "str | None", calls=_DRIFT, metavar="CONDITION",
        doc="SQL condition on the reference rows, in `against` or else in the same data.",
        shell="SQL condition on the reference rows."),
    Argument("preset", "Preset | None", calls=(*_ANY_METRICS, "state", "evaluate_states", "metric"), choices=PRESETS,
        doc=f"The tool whose conventions set the parameters that you do not pass: "
            f"{', '.join(f'`{preset}`' for preset in PRESETS)}.",
        shell="The tool whose conventions set the parameters that you do not pass."),
    Argument("by", "By | None", calls=(*_EXCEPT_GAPS, *_DRIFT, "metric"), metavar="COLUMNS", several=True,
        doc="Slice columns: one result row per slice; NULL is a slice of its own. A list of lists computes several "
            'groupings at once (`[[], ["device"], ["device", "country"]]`), which a column `grouping` names. Rows are '
            "sorted by the slice columns; strings in a pandas categorical are sorted by its categories.",
        shell="Slice columns, separated by commas or repeated; an entry with = is one expression: "
              "\"day = date_trunc('day', ts)\"."),
    Argument("by", "Expression | Sequence[Expression] | None", calls=("state",), metavar="COLUMNS", several=True,
        doc="Slice columns, including the day. Readers of the state can slice and filter by these columns.",
        shell="Slice columns, including the day, separated by commas or repeated; an entry with = is one expression."),
    Argument("by", "Expression | Sequence[Expression] | None", calls=("evaluate_states",), metavar="COLUMNS",
        several=True,
        doc="Slice columns of the states, or expressions over them: one result row per slice; NULL is a slice of its "
            "own.",
        shell="Slice columns of the states, separated by commas or repeated; an entry with = is one expression."),
    Argument("by", "By | None", calls=_GAPS, metavar="COLUMNS", several=True,
        doc="The columns whose values define the slices to compare (required). Rows with NULL are dropped. A list of "
            "lists computes several groupings, each with rows of its own.",
        shell="The columns whose values define the slices to compare, separated by commas or repeated; an entry with "
              "= is one expression."),
    Argument("grouping", "", calls=(*_ANY_METRICS, *_DRIFT), metavar="COLUMNS", several=True, only="shell",
        doc="A grouping; repeat to compute several at once: --grouping overall --grouping device,country."),
    Argument("where", "str | None", calls=(*_ANY_METRICS, "state", *_DRIFT, "metric"), metavar="CONDITION",
        doc="SQL condition on the rows."),
    Argument("where", "str | None", calls=("evaluate_states",), metavar="CONDITION",
        doc="SQL condition on the states' columns, as in `\"day >= date '2026-03-01'\"`."),
    Argument("bins", "int | None", calls=("state",), metavar="N", minimum=1,
        doc="Without `metrics`: store this many bins of equal width instead of each distinct score. Readers then "
            "report a lower and an upper bound of the AUC."),
    Argument("range", "Sequence[float] | None", calls=("state",), metavar="LOWEST,HIGHEST",
        doc="Without `metrics`: the lowest and the highest score, as in `[-5, 5]`; scores outside count in the first "
            "or last bin. By default scores must be probabilities. A range beyond 0 and 1 supports AUC only.",
        shell="The lowest and the highest score, as in --range=-5,5, for scores that are not probabilities."),
    Argument("eps", "float", calls=("state",), default=2.220446049250313e-16, metavar="NUMBER",
        doc="Without `metrics`: the log loss clips probabilities to [eps, 1 - eps]."),
    Argument("bins", "int", calls=_DRIFT, default=10, metavar="N", minimum=2,
        doc="The number of bins for `psi` and `jensen_shannon` of numbers; each bin has an equal share of the "
            "reference."),
    Argument("eps", "float", calls=_DRIFT, default=0.0001, metavar="NUMBER",
        doc="The smallest share of a bin or class in `psi`, so that an empty bin does not make it infinite."),
    Argument("buckets", "int | None", calls=("state",), metavar="N", minimum=2,
        doc="The number of buckets of clusters, 2 to 1,000; 20 is enough. Readers need buckets for `confidence`. The "
            "state has up to that many times the rows."),
    Argument("cluster", "Expression | None", calls=("state",), metavar="COLUMN",
        doc="With `buckets`: the unit whose rows are correlated, such as a user or a session; for grouped metrics, the "
            "group."),
    Argument("confidence", "float | None", calls=("evaluate_states",), metavar="SHARE",
        doc="Add a confidence interval to each metric (`_low`, `_high`), by dropping each bucket in turn. The value is "
            "the confidence level, such as 0.95. The states must have buckets."),
    Argument("con", "duckdb.DuckDBPyConnection | None", calls=_RUN_CALLS, only="python",
        doc="A DuckDB connection to use. It stays open, and the call leaves no objects behind. Calls of several "
            "threads on one connection run one after another. Fetch pending results of the connection before the "
            "call."),
    Argument("threads", "int | None", calls=_RUN_CALLS, metavar="N", minimum=1,
        doc="Number of threads, without `con`; all by default.",
        shell="Number of threads of the engine."),
    Argument("memory_limit", "str | None", calls=_RUN_CALLS, metavar="SIZE",
        doc='Memory limit of the query, such as `"2GB"`, without `con`. The engine spills larger intermediate results '
            "to a temporary folder.",
        shell="Memory limit of the engine, such as 2GB."),
    Argument("engine", "Engine | str | None", calls=_RUN_CALLS, metavar="ENGINE",
        doc="The engine that holds the data and computes: `engines.Spark(session)`, "
            "`engines.PostgreSQL(connection)`, `engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, "
            "or an object with a dialect and a `query(sql)`. The call also opens an address, such as "
            '`"postgres://user@host/database"`. `data` is then a table or a query of the engine, and expressions are '
            "in its SQL.",
        shell="The engine that holds the data: postgres://USER@HOST/DATABASE, spark, spark://HOST:PORT, sc://HOST:PORT "
              "(Connect), clickhouse:FOLDER or duckdb:FILE. DATA is then a table or a query of the engine."),
    Argument("min_rows", "int | None", calls=("evaluate", "per_group", "compare", "report", "metric"), metavar="N",
        minimum=0,
        doc='Drop slices with fewer used rows; `attrs["slices_left_out"]` counts them.',
        shell="Drop slices with fewer than N used rows."),
    Argument("min_rows", "int | None", calls=_GAPS, metavar="N", minimum=0,
        doc="Drop slices with fewer used rows: rates of small slices are often extreme by chance."),
    Argument("diagnostics", "bool", calls=("evaluate", "metric"), default=False,
        doc="Add the counts behind each value: rows read and dropped, positives, tied rows, groups, skipped groups, "
            "and groups without judgments.",
        shell="Add the counts behind each value: rows dropped, ties …"),
    Argument("against", "Any", calls=("compare",), metavar="DATA",
        doc="A second relation to compare the data with by one score, instead of several scores on the same rows: "
            "yesterday's log, or the results of another search engine. It accepts the forms of `data`, its columns "
            "have the same names, and every expression applies to both. Clusters in both relations are paired; a "
            "column `shared_clusters` counts them.",
        shell="A second relation to compare DATA with by one score, instead of several scores: a path, glob, table "
              "or query."),
    Argument("baseline", "str | None", calls=_COMPARING, metavar="NAME",
        doc="The name of the score to compare the others with; the first score by default. With `against`, the name of "
            "that relation in the results; `score=\"today = pctr\"` names the data."),
    Argument("baseline", "str | None", calls=("report",), metavar="COLUMN",
        doc="The name of the score to compare the others with; the first score by default."),
    Argument("relative", "bool", calls=_COMPARING, default=False,
        doc="Report differences as shares of the baseline's value: 0.02 is two percent more."),
    Argument("test", 'Literal["t", "wilcoxon", "randomization"]', calls=_COMPARING, default="t",
        choices=("t", "wilcoxon", "randomization"),
        doc="The test behind `p_value`. `t` (Student's) uses the standard error of the difference. The other tests use "
            "the difference in each cluster, such as a query or a user: `wilcoxon` ranks the differences, and "
            "`randomization` (Fisher's) flips their signs at random. Both require SciPy, so only Python and the shell "
            "support them. The interval is always that of `t`.",
        shell="The test behind p_value: by the standard error of the difference (t), or, with SciPy, by the "
              "differences in clusters: their ranks (wilcoxon) or random signs (randomization)."),
    Argument("adjust", 'Literal["holm", "bh"] | None', calls=_COMPARING, default="holm",
        choices=("holm", "bh", "none"),
        doc="The correction of `p_adjusted` for the number of slices, metrics and models in the call. `holm` bounds "
            "the probability of any false difference, `bh` (Benjamini and Hochberg) bounds the share of false "
            "differences, and None applies no correction.",
        shell="The correction of p_adjusted for the number of tests: bound the probability of any false difference "
              "(holm) or the share of false differences (bh), or apply none."),
    Argument("power", "float", calls=_COMPARING, default=0.8, metavar="SHARE",
        doc="The probability that the test detects a true difference of `detectable_difference`."),
    Argument("confidence", "float", calls=_COMPARING, default=0.95, metavar="SHARE",
        doc="The confidence level of the interval of the difference; 1 - `confidence` is the significance level of the "
            "verdict."),
    Argument("confidence", "float", calls=("report",), default=0.95, metavar="SHARE",
        doc="The confidence level of the intervals; 1 - `confidence` is the significance level of the verdicts."),
    Argument("cluster", "Expression | None", calls=(*_COMPARING, "report"), metavar="COLUMN",
        doc="The unit whose rows are correlated, such as a user or a session. By default the group for grouped "
            "metrics, otherwise the row. Rows without a value form one cluster."),
    Argument("confidence", "float | None", calls=_GAPS, metavar="SHARE",
        doc="Add a confidence interval to each difference. The value is the confidence level, such as 0.95."),
    Argument("cluster", "Expression | None", calls=_GAPS, metavar="COLUMN",
        doc="With `confidence`: the unit whose rows are correlated, such as a user or a session, also across the two "
            "slices. By default the group for grouped metrics, otherwise the row. Rows without a value form one "
            "cluster."),
    Argument("confidence", "float | None", calls=_INTERVAL_CALLS, metavar="SHARE",
        doc="Add a confidence interval to each metric (`_low`, `_high`). The value is the confidence level, such as "
            "0.95."),
    Argument("cluster", "Expression | None", calls=_INTERVAL_CALLS, metavar="COLUMN",
        doc="With `confidence`: the unit whose rows are correlated, such as a user or a session. By default the group "
            "for grouped metrics, otherwise the row. Rows without a value form one cluster."),
    Argument("standard_error", "bool", calls=(*_INTERVAL_CALLS, "evaluate_states"), default=False,
        doc="With `confidence`: add the standard error of each metric (`_se`)."),
    Argument("method", 'Literal["jackknife", "bootstrap"] | None', calls=(*_INTERVAL_CALLS, *_COMPARING),
        choices=("jackknife", "bootstrap"),
        doc="The method of the intervals. `jackknife` (the default) is symmetric; it measures the influence of each "
            "cluster, or of each of twenty buckets of clusters. `bootstrap` uses percentiles over resampled clusters."),
    Argument("replicates", "int | None", calls=(*_INTERVAL_CALLS, *_COMPARING), metavar="N", minimum=20,
        doc="The number of samples for `method='bootstrap'`, 20 to 10,000; 200 by default. In `compare` also the "
            "number of random sign flips for `test='randomization'`; 9,999 by default.",
        shell="The number of samples for --method bootstrap, 20 to 10,000; 200 by default."),
    Argument("seed", "int | None", calls=(*_INTERVAL_CALLS, *_COMPARING), metavar="N", minimum=0,
        doc="The random seed, a whole number; results are the same on every engine. 1 by default.",
        shell="The random seed, a whole number; 1 by default."),
    Argument("per_group", "bool", calls=("evaluate",), default=False, only="shell",
        doc="Return one row per group: the values behind the means."),
    Argument("strict", "bool", calls=(*_OVER_DATA, "state"), default=False,
        doc="Raise `BadData` instead of dropping rows with a NULL or NaN value.",
        shell="Fail instead of dropping rows with a NULL or NaN value."),
    Argument("shape", "Shape | None", calls=("render", "render_compare", "render_gaps"), choices=tuple(SHAPES),
        doc="How ordered windows are written. `rows` ranks every row. `distinct` first counts the rows at each score, "
            "which is faster if scores repeat. `two_level` sums inside cells of the score, then over whole cells, so "
            "that no task of a cluster reads all rows. The default is `two_level` on spark and databricks, `distinct` "
            "on redshift, and `rows` elsewhere.",
        shell="Rank every row, first count the rows at each score, or let no task see all rows (the default on "
              "spark)."),
    Argument("round", "int | None", calls=_TEXT_CALLS, metavar="DIGITS", minimum=0,
        doc="Round values and intervals to this number of decimals, 0 to 15, so that snapshots are stable; by default "
            "they are not rounded."),
    Argument("checks", "bool", calls=("render",), default=False, only="python",
        doc="Drop rows with invalid values, and add `sqlmetrics_all_rows`, the number of all rows. With several frames "
            "or slices, `sqlmetrics_used_rows_1` and so on are the numbers of rows that each of them used."),
    Argument("against", "str | None", calls=("render_compare",), metavar="RELATION",
        doc="A second relation to compare `relation` with by one score, instead of several scores on the same rows. It "
            "is a table or a subquery as SQL, with columns of the same names."),
)
# fmt: on


def arguments_of(function: str, host: str = "python") -> list[Argument]:
    """The arguments that a function takes in Python or in the shell, in the order of its signature."""
    return [argument for argument in ARGUMENTS if function in argument.calls and argument.only in ("", host)]
