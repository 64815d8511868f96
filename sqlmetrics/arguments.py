"""The arguments of all calls in one table: name, type, meaning, and the calls that take it.

The signatures and docstrings of public functions, the options of the shell and the keys of its settings file come
from here. To add an argument, add a row, name it in a group of `cli.help`, run `python -m sqlmetrics.codegen` and use
it in `running.evaluate` or in `api.render`.
"""

from __future__ import annotations

from dataclasses import dataclass

from .catalogue.dialects import DIALECTS, RENDERED_DIALECTS, STAND_INS, TESTED_DIALECTS
from .catalogue.vocabulary import PRESETS, RELATIONS, ROLES, SHAPES


@dataclass(frozen=True)
class Argument:
    """An argument, as a parameter in Python and as an option of the shell."""

    name: str
    annotation: str
    #: The description in `help(sqlmetrics.evaluate)`.
    doc: str
    #: The calls that take it: functions of `api.py`, `metric` for functions of single metrics, and commands of the
    #: shell such as `eval` and `sql`.
    calls: tuple[str, ...]
    default: str | None = "None"
    positional: bool = False
    #: The description in the shell's `--help`, if it differs.
    shell: str = ""
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    #: Whether the shell's option may be repeated.
    several: bool = False

    @property
    def option(self) -> str:
        """The name of the shell's option."""
        return "--" + self.name.replace("_", "-")

    def __str__(self) -> str:
        """The argument as a signature writes it."""
        return f"{self.name}: {self.annotation}" + ("" if self.default is None else f" = {self.default}")


_RUNNING = ("evaluate", "per_group", "compare", "gaps", "report", "metric")
_INTERVAL_CALLS = ("evaluate", "render", "metric", "eval", "sql")
#: `compare` in Python and on the shell.
_COMPARING = ("compare", "shell compare")
#: The arguments of a comparison of models.
COMPARISON = ("against", "baseline", "relative", "test", "adjust", "power")
#: The page of `report`, in Python and on the shell.
_REPORTING = ("report", "shell report")
#: The calls that make a state and those that read states, in Python and on the shell.
_STATE_MAKERS = ("state", "shell state")
_STATE_READERS = ("evaluate_states", "eval-states")
_STATE_CALLS = (*_STATE_MAKERS, *_STATE_READERS)
#: Relations that readers of a state need, not its makers.
_RELATIONS_OF_READERS = ("catalog", "popularity")
#: `gaps` in Python and on the shell.
_GAPS = ("gaps", "shell gaps")
#: `drift` in Python and on the shell: run, and rendered as SQL.
_DRIFT_RUN = ("drift", "shell drift")
_DRIFT_TEXT = ("render_drift", "sql-drift")
_DRIFT = (*_DRIFT_RUN, *_DRIFT_TEXT)
_EXCEPT_GAPS = ("evaluate", "per_group", "compare", "render", "eval", "shell compare", "sql", *_REPORTING)
_ANY_METRICS = (*_EXCEPT_GAPS, *_GAPS)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _calls_with(name: str) -> tuple[str, ...]:
    calls = (*_ANY_METRICS, *(_STATE_READERS if name in _RELATIONS_OF_READERS else _STATE_MAKERS))
    return (*calls, *_DRIFT) if name == "weight" else calls


def _role(name: str, description: str) -> list[Argument]:
    if name != "score":
        return [Argument(name, "Expression | None", _sentence(description), _calls_with(name), metavar="COLUMN")]
    models = Argument(
        name,
        "Scores | None",
        f"{_sentence(description)} A list compares models: the result is in long form, with a column `model`.",
        _ANY_METRICS,
        shell=_sentence(f"{description}; a,b or repeated: several models"),
        metavar="COLUMN",
        several=True,
    )
    return [models, Argument(name, "Expression | None", _sentence(description), _STATE_MAKERS, metavar="COLUMN")]


# fmt: off
ARGUMENTS = (
    Argument("data", "Any", calls=(*_RUNNING, "state", "drift"), default=None, positional=True,
        doc="A path, glob or folder (parquet, CSV, JSON; .gz and .zst too), a list of paths, a TREC run, a table or "
            "view of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB relation. Files "
            "of one call are read in the types that all of them have together."),
    Argument("data", "Any", calls=("evaluate_states",), default=None, positional=True,
        doc='One state, or the states of many days: what `data` may be in `evaluate`, such as `"days/*.parquet"`, a '
            "list of paths, a DataFrame, or a table of `con` or of the engine."),
    Argument("metrics", "MetricSpec | Sequence[MetricSpec] | None", calls=("state",), positional=True,
        doc="The metrics whose sums or counts are kept, given as in `evaluate`: any that can be added up from parts, "
            "as most can. Without them the state keeps the positives and negatives at each score, or in each of "
            "`bins`."),
    Argument("metrics", "MetricSpec | Sequence[MetricSpec] | None", calls=("evaluate_states",), positional=True,
        doc="Of states of metrics: those that they were made for, or some of them, with the same parameters. Of "
            "states of scores: those wanted of auc, ece (of bins), log_loss, brier, copc, pcoc; all by default."),
    Argument("metrics", "MetricSpec | Sequence[MetricSpec]", calls=("evaluate", "per_group", "compare", "render"),
        default=None, positional=True,
        doc="One metric or several: `\"auc\"`, `\"ndcg@10\"`, `\"ndcg(k=10, gain='linear')\"`, `\"mine = "
            'ndcg(k=10)"`, or a dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, '
            "with commas."),
    Argument("metrics", "MetricSpec | Sequence[MetricSpec]", calls=("gaps",), default=None, positional=True,
        doc="As in `evaluate`; or what is asked of a classifier that is to treat groups alike: `demographic_parity` "
            "stands for `selection_rate`, `equal_opportunity` for `recall`, `equalized_odds` for `recall` and `fpr`, "
            "each with the parameters that are given, as in `equalized_odds(threshold=0.3)`."),
    Argument("metrics", "MetricSpec | Sequence[MetricSpec] | None", calls=("report",), positional=True,
        doc="The metrics of the scorecard, the first of which also says which slices hurt most; by default those "
            "that fit the roles and what the columns hold."),
    Argument("columns", "Expression | Sequence[Expression] | None", calls=("drift",), positional=True,
        doc="The columns that are looked at, a score or what a model is fed: numbers, and texts and booleans as "
            "classes. Expressions as in `by`."),
    Argument("columns", "Expression | Sequence[Expression] | None", calls=("render_drift",), positional=True,
        doc="The columns that are looked at, as numbers: the text does not know their types. Expressions as in `by`."),
    Argument("columns", "", calls=("shell drift",), metavar="COLUMNS", several=True,
        doc="The columns that are looked at, with commas or repeated: numbers, and texts and booleans as classes. An "
            "entry with = is one expression."),
    Argument("columns", "", calls=("sql-drift",), metavar="COLUMNS", several=True,
        doc="The columns that are looked at as numbers, with commas or repeated; an entry with = is one expression."),
    Argument("relation", "str", calls=("render", "sql", *_DRIFT_TEXT), default=None, metavar="RELATION",
        doc="The table as SQL: a name, a sub-query in brackets, `{{ ref('impressions') }}`. It is used as it is.",
        shell="Table, or sub-query in brackets; used as it is."),
    Argument("dialect", "str", calls=("render", "sql", *_DRIFT_TEXT), default='"duckdb"', choices=DIALECTS,
        doc=f"{', '.join(f'`{name}`' for name in TESTED_DIALECTS)}, on which every metric is tested; "
            f"{', '.join(f'`{name}`' for name in STAND_INS)}, for which a stand-in runs them; or "
            f"{', '.join(f'`{name}`' for name in RENDERED_DIALECTS if name not in STAND_INS)}, whose text "
            "parsers read.",
        shell="SQL to write."),
    *[argument for name, description in ROLES.items() for argument in _role(name, description)],
    Argument("item", "Expression | None", calls=_STATE_READERS, metavar="COLUMN",
        doc="With `catalog` or `popularity`: their column of items, where that is not `item_id`, as it is in states."),
    *[
        Argument(name, "Any", _sentence(description), _calls_with(name), metavar="DATA")
        for name, description in RELATIONS.items()
    ],
    Argument("categories", "Expression | Sequence[Expression] | None", calls=_DRIFT, metavar="COLUMNS", several=True,
        doc="Columns whose values are classes, whatever their type: texts, days, numbers that are names.",
        shell="Columns whose values are classes, whatever their type, with commas or repeated."),
    Argument("against", "Any", calls=("drift",),
        doc="The relation with which the data are compared, as last month's log. It is given as `data` is, its "
            "columns have the same names, and every expression holds for both. Without it two parts of the data are "
            "compared, as `current` and `reference` tell."),
    Argument("against", "str | None", calls=("render_drift",),
        doc="The relation with which `relation` is compared: a table or a sub-query as SQL, with columns of the same "
            "names. Without it two parts of the relation are compared, as `current` and `reference` tell."),
    Argument("against", "", calls=("shell drift", "sql-drift"), metavar="DATA",
        doc="What it is compared with: given in the same way, with columns of the same names. Without it two parts "
            "are compared, by --current and --reference."),
    Argument("current", "str | None", calls=_DRIFT, metavar="CONDITION",
        doc="Which rows are looked at: an SQL condition, as in `\"day >= date '2026-03-08'\"`.",
        shell="Which rows are looked at: an SQL condition."),
    Argument("reference", "str | None", calls=_DRIFT, metavar="CONDITION",
        doc="Which rows they are compared with: an SQL condition on `against`, or else on the same data.",
        shell="Which rows they are compared with: an SQL condition."),
    Argument("preset", "Preset | None", calls=(*_ANY_METRICS, *_STATE_CALLS, "metric"), choices=PRESETS,
        doc=f"The conventions of {', '.join(f'`{preset}`' for preset in PRESETS)}, for the parameters that are "
            "not given.",
        shell="The conventions of another tool, for the parameters that are not given."),
    Argument("by", "By | None", calls=(*_EXCEPT_GAPS, *_DRIFT, "metric"), metavar="COLUMNS", several=True,
        doc="Slice columns: one result row per slice, NULL being a slice of its own. A list of lists computes "
            'several groupings at once (`[[], ["device"], ["device", "country"]]`); a column `grouping` then says '
            "which. Rows are in the order of the slices' values, those of a categorical column in the order of its "
            "categories.",
        shell="Slice columns, with commas or repeated; an entry with = is one expression: \"day = date_trunc('day', "
              'ts)".'),
    Argument("by", "Expression | Sequence[Expression] | None", calls=_STATE_MAKERS, metavar="COLUMNS", several=True,
        doc="Slice columns, the day among them: what a reader of the state can slice by and select.",
        shell="Slice columns, the day among them, with commas or repeated; an entry with = is one expression."),
    Argument("by", "Expression | Sequence[Expression] | None", calls=_STATE_READERS, metavar="COLUMNS", several=True,
        doc="Slice columns of the states, or expressions over them: one result row per slice, NULL being one of its "
            "own.",
        shell="Slice columns of the states, with commas or repeated; an entry with = is one expression."),
    Argument("by", "By | None", calls=_GAPS, metavar="COLUMNS", several=True,
        doc="The columns whose values are the slices that are compared; it must be given. Rows with NULL are left "
            "out. A list of lists gives several groupings, each with rows of its own.",
        shell="The columns whose values are the slices that are compared, with commas or repeated; an entry with = "
              "is one expression."),
    Argument("grouping", "",
        calls=("eval", "shell compare", "shell gaps", "shell drift", "sql", "sql-drift", "shell report"),
        metavar="COLUMNS", several=True,
        doc="One of several groupings computed at once, as in --grouping overall --grouping device,country."),
    Argument("where", "str | None", calls=(*_ANY_METRICS, *_STATE_MAKERS, *_DRIFT, "metric"), metavar="CONDITION",
        doc="SQL condition on the rows."),
    Argument("where", "str | None", calls=_STATE_READERS, metavar="CONDITION",
        doc="SQL condition on the states' columns, as in `\"day >= date '2026-03-01'\"`."),
    Argument("bins", "int | None", calls=_STATE_MAKERS, metavar="N", minimum=1,
        doc="Without `metrics`: keep that many bins of equal width instead of each distinct score. The AUC is then "
            "known between two bounds."),
    Argument("range", "Sequence[float] | None", calls=_STATE_MAKERS, metavar="LOWEST,HIGHEST",
        doc="Without `metrics`: the lowest and the highest score, as in `[-5, 5]`; what lies outside counts in the "
            "first or last bin. By default scores are probabilities, and others are refused. Beyond 0 and 1 they "
            "have an AUC alone.",
        shell="The lowest and the highest score, as in --range=-5,5, of scores that are no probabilities."),
    Argument("eps", "float", calls=_STATE_MAKERS, default="2.220446049250313e-16", metavar="NUMBER",
        doc="Without `metrics`: how near to 0 and 1 a probability may come in the log loss."),
    Argument("bins", "int", calls=_DRIFT, default="10", metavar="N", minimum=2,
        doc="In how many bins, each with an equal share of the reference, numbers are told apart by `psi` and "
            "`jensen_shannon`."),
    Argument("eps", "float", calls=_DRIFT, default="0.0001", metavar="NUMBER",
        doc="The least share of a bin or class in `psi`, so that an empty one does not make it infinite."),
    Argument("buckets", "int | None", calls=_STATE_MAKERS, metavar="N", minimum=2,
        doc="In how many buckets of clusters the state is kept, 2 to 1,000, so that its readers take `confidence`; "
            "20 is enough. The state has up to so many times the rows."),
    Argument("cluster", "Expression | None", calls=_STATE_MAKERS, metavar="COLUMN",
        doc="With `buckets`: whose rows belong together, a user or a session; of metrics of groups, the group."),
    Argument("confidence", "float | None", calls=_STATE_READERS, metavar="SHARE",
        doc="Beside each metric `_low` and `_high`, from the values without each bucket: an interval that holds the "
            "true value this often, as in 0.95. The states must have buckets."),
    Argument("con", "duckdb.DuckDBPyConnection | None", calls=(*_RUNNING, "state", "evaluate_states", "drift"),
        doc="A DuckDB connection to use. It is not closed, and nothing is left behind in it. Calls of several "
            "threads on it wait for each other; a result of your own on it has to be read to its end before."),
    Argument("threads", "int | None",
        calls=(*_RUNNING, "eval", "shell compare", "shell gaps", "shell report", *_STATE_CALLS, *_DRIFT_RUN),
        metavar="N", minimum=1,
        doc="How many threads may work, without `con`; all by default.",
        shell="How many threads the engine may use."),
    Argument("memory_limit", "str | None",
        calls=(*_RUNNING, "eval", "shell compare", "shell gaps", "shell report", *_STATE_CALLS, *_DRIFT_RUN),
        metavar="SIZE",
        doc='How much memory the query may take, as in `"2GB"`, without `con`. What does not fit goes to a temporary '
            "folder.",
        shell="How much memory the engine may use, as in 2GB."),
    Argument("engine", "Engine | str | None",
        calls=(*_RUNNING, "eval", "shell compare", "shell gaps", "shell report", *_STATE_CALLS, *_DRIFT_RUN),
        metavar="ENGINE",
        doc="The engine that holds the data and computes: `engines.Spark(session)`, "
            "`engines.PostgreSQL(connection)`, `engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, "
            "or anything with a dialect and a `query(sql)`. An address as the shell takes it, "
            '`"postgres://user@host/database"`, is opened for the call. Data is then a table or a query there, and '
            "expressions are in its SQL.",
        shell="Where the data lies: postgres://USER@HOST/DATABASE, spark, spark://HOST:PORT, sc://HOST:PORT "
              "(Connect), clickhouse:FOLDER or duckdb:FILE; DATA is then a table or a query there."),
    Argument("min_rows", "int | None",
        calls=("evaluate", "per_group", "compare", "report", "metric", "eval", "shell compare", "shell report"),
        metavar="N", minimum=0,
        doc='Leave out slices with fewer used rows; `attrs["slices_left_out"]` counts them.',
        shell="Leave out slices with fewer than N used rows."),
    Argument("min_rows", "int | None", calls=_GAPS, metavar="N", minimum=0,
        doc="Compare no slices with fewer used rows: a rate of a few rows is easily the highest of all."),
    Argument("diagnostics", "bool", calls=("evaluate", "metric", "eval"), default="False",
        doc="Add what stands behind each value: rows read and dropped, positives, tied rows, groups, groups skipped, "
            "groups that the judgments do not know.",
        shell="Add what stands behind each value: rows dropped, ties …"),
    Argument("against", "Any", calls=_COMPARING, metavar="DATA",
        doc="The relation with which the data are compared by one score, instead of several scores on the same rows: "
            "yesterday's log, the results of another search engine. It is given as `data` is, its columns have the "
            "same names, and every expression holds for both. Clusters that both have are compared with themselves, "
            "the others are independent; a column `shared_clusters` counts the former.",
        shell="The data with which DATA are compared by one score, instead of several scores: a path, glob, table or "
              "query."),
    Argument("baseline", "str | None", calls=_COMPARING, metavar="NAME",
        doc="Which of the scores the others are compared with, by its name; the first by default. With `against`: what "
            "that relation is called in the results; a score written as `today = pctr` names the data."),
    Argument("baseline", "str | None", calls=_REPORTING, metavar="COLUMN",
        doc="Which of the scores the others are compared with, by its name; the first by default."),
    Argument("relative", "bool", calls=_COMPARING, default="False",
        doc="Differences as shares of the baseline's value: 0.02 is two per cent more."),
    Argument("test", 'Literal["t", "wilcoxon", "randomization"]', calls=_COMPARING, default='"t"',
        choices=("t", "wilcoxon", "randomization"),
        doc="The test behind `p_value`: `t` (Student's) by the standard error of the difference. The other two read "
            "the differences of the metric's values of each cluster alone, a query or a user: `wilcoxon` their "
            "ranks, `randomization` (Fisher's) how often random signs bring their sum as far from 0. SciPy computes "
            "these, so they run from Python and the shell only. The interval stays that of `t`.",
        shell="The test behind p_value: by the standard error of the difference (t), or, with SciPy, of differences "
              "in clusters, by rank (wilcoxon) or with random signs (randomization)."),
    Argument("adjust", 'Literal["holm", "bh"] | None', calls=_COMPARING, default='"holm"',
        choices=("holm", "bh", "none"),
        doc="How `p_adjusted` allows for as many tests as there are slices, metrics and models in the call: `holm` "
            "keeps the chance of a single false difference, `bh` (Benjamini and Hochberg) the share of false ones; "
            "None: not.",
        shell="How p_adjusted allows for the tests of the call: the chance of a single false difference (holm), the "
              "share of false ones (bh), or not."),
    Argument("power", "float", calls=_COMPARING, default="0.8", metavar="SHARE",
        doc="The chance with which a difference of `detectable_difference` would have been seen."),
    Argument("confidence", "float", calls=_COMPARING, default="0.95", metavar="SHARE",
        doc="How often the interval of the difference holds the true one; 1 less this is the level of the verdict."),
    Argument("cluster", "Expression | None", calls=_COMPARING, metavar="COLUMN",
        doc="Whose rows belong together, a user or a session. By default the groups of metrics that need these, the "
            "rows of all others. Rows without a value are one cluster."),
    Argument("confidence", "float", calls=_REPORTING, default="0.95", metavar="SHARE",
        doc="How often the intervals hold the true value; 1 less this is the level of the verdicts."),
    Argument("cluster", "Expression | None", calls=_REPORTING, metavar="COLUMN",
        doc="Whose rows belong together, a user or a session. By default the groups of metrics that need these, the "
            "rows of all others. Rows without a value are one cluster."),
    Argument("confidence", "float | None", calls=_GAPS, metavar="SHARE",
        doc="How often the interval of a difference is to hold the true one, as in 0.95; without it there is none."),
    Argument("cluster", "Expression | None", calls=_GAPS, metavar="COLUMN",
        doc="With `confidence`: whose rows belong together, a user or a session, also where they are in both slices. "
            "By default the groups of metrics that need these, the rows of all others. Rows without a value are one "
            "cluster."),
    Argument("confidence", "float | None", calls=_INTERVAL_CALLS, metavar="SHARE",
        doc="Beside each metric `_low` and `_high`: an interval that holds the true value this often, as in 0.95."),
    Argument("cluster", "Expression | None", calls=_INTERVAL_CALLS, metavar="COLUMN",
        doc="With `confidence`: whose rows belong together, a user or a session. By default the groups of metrics "
            "that need these, the rows of all others. Rows without a value are one cluster."),
    Argument("standard_error", "bool", calls=(*_INTERVAL_CALLS, *_STATE_READERS), default="False",
        doc="With `confidence`: the standard error of each metric too, as `_se`."),
    Argument("method", 'Literal["jackknife", "bootstrap"] | None', calls=(*_INTERVAL_CALLS, *_COMPARING),
        choices=("jackknife", "bootstrap"),
        doc="How intervals are made: `jackknife` (the default) by what each cluster, or each of twenty buckets of "
            "them, does to the value, and symmetric; `bootstrap` by the percentiles of the values of samples of the "
            "clusters."),
    Argument("replicates", "int | None", calls=(*_INTERVAL_CALLS, *_COMPARING), metavar="N", minimum=20,
        doc="How many samples `method='bootstrap'` draws, 20 to 10,000; 200 by default. Of `compare` with "
            "`test='randomization'` how many signs of each cluster; 9,999 by default.",
        shell="How many samples --method bootstrap draws, 20 to 10,000; 200 by default."),
    Argument("seed", "int | None", calls=(*_INTERVAL_CALLS, *_COMPARING), metavar="N", minimum=0,
        doc="A whole number that decides what is drawn, the same on every engine; 1 by default.",
        shell="A whole number that decides what is drawn; 1 by default."),
    Argument("per_group", "bool", calls=("eval",), default="False",
        doc="One row per group: the values from which the means are taken."),
    Argument("strict", "bool",
        calls=(*_RUNNING, "eval", "shell compare", "shell gaps", "shell report", *_STATE_MAKERS), default="False",
        doc="Raise `BadData` where rows would be dropped because a value is NULL or NaN.",
        shell="Fail where rows would be dropped because a value is NULL or NaN."),
    Argument("shape", "Shape | None", calls=("render", "sql"), choices=tuple(SHAPES),
        doc="`rows` ranks every row; `distinct` first counts the rows at each score, better where scores repeat "
            "much; `two_level` adds sums inside cells of the score to the sums of whole cells, so that no task of a "
            "cluster sees all rows. By default `two_level` on spark and databricks, `distinct` on redshift, `rows` "
            "elsewhere.",
        shell="Rank every row, first count the rows at each score, or let no task see all rows (the default on "
              "spark)."),
    Argument("round", "int | None", calls=("render", "sql", *_DRIFT_TEXT), metavar="DIGITS", minimum=0,
        doc="To how many digits behind the point values and intervals are told, 0 to 15, so that a snapshot does not "
            "see their last bits; in full by default."),
    Argument("checks", "bool", calls=("render",), default="False",
        doc="Leave out rows that break a rule for values, and add `sqlmetrics_all_rows`: how many there are in all. "
            "With several frames or slices, `sqlmetrics_used_rows_1` and so on are the rows that each of them used."),
)
# fmt: on


#: Calls that render the SQL of another call: that call, and the call whose rendering arguments they share.
RENDERED = {
    "render_compare": ("compare", "render"),
    "render_gaps": ("gaps", "render"),
    "sql-compare": ("shell compare", "sql"),
    "sql-gaps": ("shell gaps", "sql"),
}
_RUN_ARGUMENTS = ("data", "con", "threads", "memory_limit", "engine", "strict", "against")
_RENDER_ARGUMENTS = ("relation", "dialect", "shape", "round")
_AGAINST = Argument(
    "against",
    "str | None",
    "The relation with which `relation` is compared by one score, instead of several scores on the same rows: a table "
    "or a sub-query as SQL, with columns of the same names.",
    (),
    metavar="RELATION",
)


def arguments_of(call: str) -> list[Argument]:
    """The arguments that a call takes, in the order of its signature."""
    if call not in RENDERED:
        return [argument for argument in ARGUMENTS if call in argument.calls]
    run, text = RENDERED[call]
    compares = run in _COMPARING
    # `compare` applies `min_rows` after the statement, `gaps` inside it.
    excluded = (*_RUN_ARGUMENTS, *(["min_rows"] if compares else []))
    arguments = [
        argument
        for argument in ARGUMENTS
        if (run in argument.calls and argument.name not in excluded)
        or (text in argument.calls and argument.name in _RENDER_ARGUMENTS)
    ]
    return [*arguments, _AGAINST] if compares else arguments
