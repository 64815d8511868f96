"""The arguments of all calls in one table: name, type, meaning, and the calls that take it.

The signatures and docstrings of public functions, the options of the shell and the keys of its settings file come
from here. To add an argument, add a row, run `python -m sqlmetrics.codegen` and use it in `running.evaluate` or
in `api.render`.
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
    """The calls that take a role or a relation."""
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


ARGUMENTS = (
    Argument(
        "data",
        "Any",
        "A path, glob or folder (parquet, CSV, JSON; .gz and .zst too), a list of paths, a TREC run, a table or view "
        "of `con`, an SQL query, a pandas or polars DataFrame, an Arrow table, or a DuckDB relation. Files of one call "
        "are read in the types that all of them have together.",
        (*_RUNNING, "state", "drift"),
        default=None,
        positional=True,
    ),
    Argument(
        "data",
        "Any",
        'One state, or the states of many days: what `data` may be in `evaluate`, such as `"days/*.parquet"`, a list '
        "of paths, a DataFrame, or a table of `con` or of the engine.",
        ("evaluate_states",),
        default=None,
        positional=True,
    ),
    Argument(
        "metrics",
        "MetricSpec | Sequence[MetricSpec] | None",
        "The metrics whose sums or counts are kept, given as in `evaluate`: any that can be added up from parts, as "
        "most can. Without them the state keeps the positives and negatives at each score, or in each of `bins`.",
        ("state",),
        positional=True,
    ),
    Argument(
        "metrics",
        "MetricSpec | Sequence[MetricSpec] | None",
        "Of states of metrics: those that they were made for, or some of them, with the same parameters. Of states of "
        "scores: those wanted of auc, ece (of bins), log_loss, brier, copc, pcoc; all by default.",
        ("evaluate_states",),
        positional=True,
    ),
    Argument(
        "metrics",
        "MetricSpec | Sequence[MetricSpec]",
        'One metric or several: `"auc"`, `"ndcg@10"`, `"ndcg(k=10, gain=\'linear\')"`, `"mine = ndcg(k=10)"`, or a '
        'dict as in `{"name": "ndcg", "k": 10, "as": "mine"}`. A string may hold several, with commas.',
        ("evaluate", "per_group", "compare", "render"),
        default=None,
        positional=True,
    ),
    Argument(
        "metrics",
        "MetricSpec | Sequence[MetricSpec]",
        "As in `evaluate`; or what is asked of a classifier that is to treat groups alike: `demographic_parity` stands "
        "for `selection_rate`, `equal_opportunity` for `recall`, `equalized_odds` for `recall` and `fpr`, each with "
        "the parameters that are given, as in `equalized_odds(threshold=0.3)`.",
        ("gaps",),
        default=None,
        positional=True,
    ),
    Argument(
        "metrics",
        "MetricSpec | Sequence[MetricSpec] | None",
        "The metrics of the scorecard, the first of which also says which slices hurt most; by default those that fit "
        "the roles and what the columns hold.",
        ("report",),
        positional=True,
    ),
    Argument(
        "columns",
        "Expression | Sequence[Expression] | None",
        "The columns that are looked at, a score or what a model is fed: numbers, and texts and booleans as classes. "
        "Expressions as in `by`.",
        ("drift",),
        positional=True,
    ),
    Argument(
        "columns",
        "Expression | Sequence[Expression] | None",
        "The columns that are looked at, as numbers: the text does not know their types. Expressions as in `by`.",
        ("render_drift",),
        positional=True,
    ),
    Argument(
        "columns",
        "",
        "The columns that are looked at, with commas or repeated: numbers, and texts and booleans as classes. An entry "
        "with = is one expression.",
        ("shell drift",),
        metavar="COLUMNS",
        several=True,
    ),
    Argument(
        "columns",
        "",
        "The columns that are looked at as numbers, with commas or repeated; an entry with = is one expression.",
        ("sql-drift",),
        metavar="COLUMNS",
        several=True,
    ),
    Argument(
        "relation",
        "str",
        "The table as SQL: a name, a sub-query in brackets, `{{ ref('impressions') }}`. It is used as it is.",
        ("render", "sql", *_DRIFT_TEXT),
        default=None,
        shell="Table, or sub-query in brackets; used as it is.",
        metavar="RELATION",
    ),
    Argument(
        "dialect",
        "str",
        f"{', '.join(f'`{name}`' for name in TESTED_DIALECTS)}, on which every metric is tested; "
        f"{', '.join(f'`{name}`' for name in STAND_INS)}, for which a stand-in runs them; or "
        f"{', '.join(f'`{name}`' for name in RENDERED_DIALECTS if name not in STAND_INS)}, whose text parsers read.",
        ("render", "sql", *_DRIFT_TEXT),
        default='"duckdb"',
        shell="SQL to write.",
        choices=DIALECTS,
    ),
    *[argument for name, description in ROLES.items() for argument in _role(name, description)],
    Argument(
        "item",
        "Expression | None",
        "With `catalog` or `popularity`: their column of items, where that is not `item_id`, as it is in states.",
        _STATE_READERS,
        metavar="COLUMN",
    ),
    *[
        Argument(name, "Any", _sentence(description), _calls_with(name), metavar="DATA")
        for name, description in RELATIONS.items()
    ],
    Argument(
        "categories",
        "Expression | Sequence[Expression] | None",
        "Columns whose values are classes, whatever their type: texts, days, numbers that are names.",
        _DRIFT,
        shell="Columns whose values are classes, whatever their type, with commas or repeated.",
        metavar="COLUMNS",
        several=True,
    ),
    Argument(
        "against",
        "Any",
        "The relation with which the data are compared, as last month's log. It is given as `data` is, its columns "
        "have the same names, and every expression holds for both. Without it two parts of the data are compared, as "
        "`current` and `reference` tell.",
        ("drift",),
    ),
    Argument(
        "against",
        "str | None",
        "The relation with which `relation` is compared: a table or a sub-query as SQL, with columns of the same "
        "names. Without it two parts of the relation are compared, as `current` and `reference` tell.",
        ("render_drift",),
    ),
    Argument(
        "against",
        "",
        "What it is compared with: given in the same way, with columns of the same names. Without it two parts are "
        "compared, by --current and --reference.",
        ("shell drift", "sql-drift"),
        metavar="DATA",
    ),
    Argument(
        "current",
        "str | None",
        "Which rows are looked at: an SQL condition, as in `\"day >= date '2026-03-08'\"`.",
        _DRIFT,
        shell="Which rows are looked at: an SQL condition.",
        metavar="CONDITION",
    ),
    Argument(
        "reference",
        "str | None",
        "Which rows they are compared with: an SQL condition on `against`, or else on the same data.",
        _DRIFT,
        shell="Which rows they are compared with: an SQL condition.",
        metavar="CONDITION",
    ),
    Argument(
        "preset",
        "Preset | None",
        f"The conventions of {', '.join(f'`{preset}`' for preset in PRESETS)}, for the parameters that are not given.",
        (*_ANY_METRICS, *_STATE_CALLS, "metric"),
        shell="The conventions of another tool, for the parameters that are not given.",
        choices=PRESETS,
    ),
    Argument(
        "by",
        "By | None",
        "Slice columns: one result row per slice, NULL being a slice of its own. A list of lists computes several "
        'groupings at once (`[[], ["device"], ["device", "country"]]`); a column `grouping` then says which. '
        "Rows are in the order of the slices' values, those of a categorical column in the order of its categories.",
        (*_EXCEPT_GAPS, *_DRIFT, "metric"),
        shell="Slice columns, with commas or repeated; an entry with = is one expression: "
        "\"day = date_trunc('day', ts)\".",
        metavar="COLUMNS",
        several=True,
    ),
    Argument(
        "by",
        "Expression | Sequence[Expression] | None",
        "Slice columns, the day among them: what a reader of the state can slice by and select.",
        _STATE_MAKERS,
        shell="Slice columns, the day among them, with commas or repeated; an entry with = is one expression.",
        metavar="COLUMNS",
        several=True,
    ),
    Argument(
        "by",
        "Expression | Sequence[Expression] | None",
        "Slice columns of the states, or expressions over them: one result row per slice, NULL being one of its own.",
        _STATE_READERS,
        shell="Slice columns of the states, with commas or repeated; an entry with = is one expression.",
        metavar="COLUMNS",
        several=True,
    ),
    Argument(
        "by",
        "By | None",
        "The columns whose values are the slices that are compared; it must be given. Rows with NULL are left out. A "
        "list of lists gives several groupings, each with rows of its own.",
        _GAPS,
        shell="The columns whose values are the slices that are compared, with commas or repeated; an entry with = is "
        "one expression.",
        metavar="COLUMNS",
        several=True,
    ),
    Argument(
        "grouping",
        "",
        "One of several groupings computed at once, as in --grouping overall --grouping device,country.",
        ("eval", "shell compare", "shell gaps", "shell drift", "sql", "sql-drift", "shell report"),
        metavar="COLUMNS",
        several=True,
    ),
    Argument(
        "where",
        "str | None",
        "SQL condition on the rows.",
        (*_ANY_METRICS, *_STATE_MAKERS, *_DRIFT, "metric"),
        metavar="CONDITION",
    ),
    Argument(
        "where",
        "str | None",
        "SQL condition on the states' columns, as in `\"day >= date '2026-03-01'\"`.",
        _STATE_READERS,
        metavar="CONDITION",
    ),
    Argument(
        "bins",
        "int | None",
        "Without `metrics`: keep that many bins of equal width instead of each distinct score. The AUC is then known "
        "between two bounds.",
        _STATE_MAKERS,
        metavar="N",
        minimum=1,
    ),
    Argument(
        "range",
        "Sequence[float] | None",
        "Without `metrics`: the lowest and the highest score, as in `[-5, 5]`; what lies outside counts in the first "
        "or last bin. By default scores are probabilities, and others are refused. Beyond 0 and 1 they have an AUC "
        "alone.",
        _STATE_MAKERS,
        shell="The lowest and the highest score, as in --range=-5,5, of scores that are no probabilities.",
        metavar="LOWEST,HIGHEST",
    ),
    Argument(
        "eps",
        "float",
        "Without `metrics`: how near to 0 and 1 a probability may come in the log loss.",
        _STATE_MAKERS,
        default="2.220446049250313e-16",
        metavar="NUMBER",
    ),
    Argument(
        "bins",
        "int",
        "In how many bins, each with an equal share of the reference, numbers are told apart by `psi` and "
        "`jensen_shannon`.",
        _DRIFT,
        default="10",
        metavar="N",
        minimum=2,
    ),
    Argument(
        "eps",
        "float",
        "The least share of a bin or class in `psi`, so that an empty one does not make it infinite.",
        _DRIFT,
        default="0.0001",
        metavar="NUMBER",
    ),
    Argument(
        "buckets",
        "int | None",
        "In how many buckets of clusters the state is kept, 2 to 1,000, so that its readers take `confidence`; 20 is "
        "enough. The state has up to so many times the rows.",
        _STATE_MAKERS,
        metavar="N",
        minimum=2,
    ),
    Argument(
        "cluster",
        "Expression | None",
        "With `buckets`: whose rows belong together, a user or a session; of metrics of groups, the group.",
        _STATE_MAKERS,
        metavar="COLUMN",
    ),
    Argument(
        "confidence",
        "float | None",
        "Beside each metric `_low` and `_high`, from the values without each bucket: an interval that holds the true "
        "value this often, as in 0.95. The states must have buckets.",
        _STATE_READERS,
        metavar="SHARE",
    ),
    Argument(
        "con",
        "duckdb.DuckDBPyConnection | None",
        "A DuckDB connection to use. It is not closed, and nothing is left behind in it. Calls of several threads on "
        "it wait for each other; a result of your own on it has to be read to its end before.",
        (*_RUNNING, "state", "evaluate_states", "drift"),
    ),
    Argument(
        "threads",
        "int | None",
        "How many threads may work, without `con`; all by default.",
        (*_RUNNING, "eval", "shell compare", "shell gaps", "shell report", *_STATE_CALLS, *_DRIFT_RUN),
        shell="How many threads the engine may use.",
        metavar="N",
        minimum=1,
    ),
    Argument(
        "memory_limit",
        "str | None",
        'How much memory the query may take, as in `"2GB"`, without `con`. What does not fit goes to a temporary '
        "folder.",
        (*_RUNNING, "eval", "shell compare", "shell gaps", "shell report", *_STATE_CALLS, *_DRIFT_RUN),
        shell="How much memory the engine may use, as in 2GB.",
        metavar="SIZE",
    ),
    Argument(
        "engine",
        "Engine | str | None",
        "The engine that holds the data and computes: `engines.Spark(session)`, `engines.PostgreSQL(connection)`, "
        "`engines.ClickHouse(session)`, `engines.DBAPI(connection, dialect)`, or anything with a dialect and a "
        '`query(sql)`. An address as the shell takes it, `"postgres://user@host/database"`, is opened for the call. '
        "Data is then a table or a query there, and expressions are in its SQL.",
        (*_RUNNING, "eval", "shell compare", "shell gaps", "shell report", *_STATE_CALLS, *_DRIFT_RUN),
        shell="Where the data lies: postgres://USER@HOST/DATABASE, spark, spark://HOST:PORT, sc://HOST:PORT (Connect), "
        "clickhouse:FOLDER or duckdb:FILE; DATA is then a table or a query there.",
        metavar="ENGINE",
    ),
    Argument(
        "min_rows",
        "int | None",
        'Leave out slices with fewer used rows; `attrs["slices_left_out"]` counts them.',
        ("evaluate", "per_group", "compare", "report", "metric", "eval", "shell compare", "shell report"),
        shell="Leave out slices with fewer than N used rows.",
        metavar="N",
        minimum=0,
    ),
    Argument(
        "min_rows",
        "int | None",
        "Compare no slices with fewer used rows: a rate of a few rows is easily the highest of all.",
        _GAPS,
        metavar="N",
        minimum=0,
    ),
    Argument(
        "diagnostics",
        "bool",
        "Add what stands behind each value: rows read and dropped, positives, tied rows, groups, groups skipped, "
        "groups that the judgments do not know.",
        ("evaluate", "metric", "eval"),
        default="False",
        shell="Add what stands behind each value: rows dropped, ties …",
    ),
    Argument(
        "against",
        "Any",
        "The relation with which the data are compared by one score, instead of several scores on the same rows: "
        "yesterday's log, the results of another search engine. It is given as `data` is, its columns have the same "
        "names, and every expression holds for both. Clusters that both have are compared with themselves, the others "
        "are independent; a column `shared_clusters` counts the former.",
        _COMPARING,
        shell="The data with which DATA are compared by one score, instead of several scores: a path, glob, table or "
        "query.",
        metavar="DATA",
    ),
    Argument(
        "baseline",
        "str | None",
        "Which of the scores the others are compared with, by its name; the first by default.",
        (*_COMPARING, *_REPORTING),
        metavar="COLUMN",
    ),
    Argument(
        "relative",
        "bool",
        "Differences as shares of the baseline's value: 0.02 is two per cent more.",
        _COMPARING,
        default="False",
    ),
    Argument(
        "test",
        'Literal["t", "wilcoxon", "randomization"]',
        "The test behind `p_value`: `t` (Student's) by the standard error of the difference. The other two read the "
        "differences of the metric's values of each cluster alone, a query or a user: `wilcoxon` their ranks, "
        "`randomization` (Fisher's) how often random signs bring their sum as far from 0. SciPy computes these, so "
        "they run from Python and the shell only. The interval stays that of `t`.",
        _COMPARING,
        default='"t"',
        shell="The test behind p_value: by the standard error of the difference (t), or, with SciPy, of differences "
        "in clusters, by rank (wilcoxon) or with random signs (randomization).",
        choices=("t", "wilcoxon", "randomization"),
    ),
    Argument(
        "adjust",
        'Literal["holm", "bh"] | None',
        "How `p_adjusted` allows for as many tests as there are slices, metrics and models in the call: `holm` keeps "
        "the chance of a single false difference, `bh` (Benjamini and Hochberg) the share of false ones; None: not.",
        _COMPARING,
        default='"holm"',
        shell="How p_adjusted allows for the tests of the call: the chance of a single false difference (holm), the "
        "share of false ones (bh), or not.",
        choices=("holm", "bh", "none"),
    ),
    Argument(
        "power",
        "float",
        "The chance with which a difference of `detectable_difference` would have been seen.",
        _COMPARING,
        default="0.8",
        metavar="SHARE",
    ),
    Argument(
        "confidence",
        "float",
        "How often the interval of the difference holds the true one; 1 less this is the level of the verdict.",
        _COMPARING,
        default="0.95",
        metavar="SHARE",
    ),
    Argument(
        "cluster",
        "Expression | None",
        "Whose rows belong together, a user or a session. By default the groups of metrics that need these, the rows "
        "of all others. Rows without a value are one cluster.",
        _COMPARING,
        metavar="COLUMN",
    ),
    Argument(
        "confidence",
        "float",
        "How often the intervals hold the true value; 1 less this is the level of the verdicts.",
        _REPORTING,
        default="0.95",
        metavar="SHARE",
    ),
    Argument(
        "cluster",
        "Expression | None",
        "Whose rows belong together, a user or a session. By default the groups of metrics that need these, the rows "
        "of all others. Rows without a value are one cluster.",
        _REPORTING,
        metavar="COLUMN",
    ),
    Argument(
        "confidence",
        "float | None",
        "How often the interval of a difference is to hold the true one, as in 0.95; without it there is none.",
        _GAPS,
        metavar="SHARE",
    ),
    Argument(
        "cluster",
        "Expression | None",
        "With `confidence`: whose rows belong together, a user or a session, also where they are in both slices. By "
        "default the groups of metrics that need these, the rows of all others. Rows without a value are one cluster.",
        _GAPS,
        metavar="COLUMN",
    ),
    Argument(
        "confidence",
        "float | None",
        "Beside each metric `_low` and `_high`: an interval that holds the true value this often, as in 0.95.",
        _INTERVAL_CALLS,
        metavar="SHARE",
    ),
    Argument(
        "cluster",
        "Expression | None",
        "With `confidence`: whose rows belong together, a user or a session. By default the groups of metrics that "
        "need these, the rows of all others. Rows without a value are one cluster.",
        _INTERVAL_CALLS,
        metavar="COLUMN",
    ),
    Argument(
        "standard_error",
        "bool",
        "With `confidence`: the standard error of each metric too, as `_se`.",
        (*_INTERVAL_CALLS, *_STATE_READERS),
        default="False",
    ),
    Argument(
        "method",
        'Literal["jackknife", "bootstrap"] | None',
        "How intervals are made: `jackknife` (the default) by what each cluster, or each of twenty buckets of them,"
        " does to the value, and symmetric; `bootstrap` by the percentiles of the values of samples of the clusters.",
        (*_INTERVAL_CALLS, *_COMPARING),
        choices=("jackknife", "bootstrap"),
    ),
    Argument(
        "replicates",
        "int | None",
        "How many samples `method='bootstrap'` draws, 20 to 10,000; 200 by default. Of `compare` with "
        "`test='randomization'` how many signs of each cluster; 9,999 by default.",
        (*_INTERVAL_CALLS, *_COMPARING),
        shell="How many samples --method bootstrap draws, 20 to 10,000; 200 by default.",
        metavar="N",
        minimum=20,
    ),
    Argument(
        "seed",
        "int | None",
        "A whole number that decides what is drawn, the same on every engine; 1 by default.",
        (*_INTERVAL_CALLS, *_COMPARING),
        shell="A whole number that decides what is drawn; 1 by default.",
        metavar="N",
        minimum=0,
    ),
    Argument(
        "per_group",
        "bool",
        "One row per group: the values from which the means are taken.",
        ("eval",),
        default="False",
    ),
    Argument(
        "strict",
        "bool",
        "Raise `BadData` where rows would be dropped because a value is NULL or NaN.",
        (*_RUNNING, "eval", "shell compare", "shell gaps", "shell report", *_STATE_MAKERS),
        default="False",
        shell="Fail where rows would be dropped because a value is NULL or NaN.",
    ),
    Argument(
        "shape",
        "Shape | None",
        "`rows` ranks every row; `distinct` first counts the rows at each score, better where scores repeat much; "
        "`two_level` adds sums inside cells of the score to the sums of whole cells, so that no task of a cluster sees "
        "all rows. "
        "By default `two_level` on spark and databricks, `distinct` on redshift, `rows` elsewhere.",
        ("render", "sql"),
        shell="Rank every row, first count the rows at each score, or let no task see all rows (the default on spark).",
        choices=tuple(SHAPES),
    ),
    Argument(
        "round",
        "int | None",
        "To how many digits behind the point values and intervals are told, 0 to 15, so that a snapshot does not see "
        "their last bits; in full by default.",
        ("render", "sql", *_DRIFT_TEXT),
        metavar="DIGITS",
        minimum=0,
    ),
    Argument(
        "checks",
        "bool",
        "Leave out rows that break a rule for values, and add `sqlmetrics_all_rows`: how many there are in all. With "
        "several frames or slices, `sqlmetrics_used_rows_1` and so on are the rows that each of them used.",
        ("render",),
        default="False",
    ),
)


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
