"""The timed cases: sqlmetrics, the engine's minimal query (the floor) and other tools (the peers), with bounds."""

from __future__ import annotations

import functools
import math
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
from sklearn.metrics import roc_auc_score

import sqlmetrics
from sqlmetrics.catalogue.model import Metric
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests.variants import MetricCall, base_parameters, metric_call

from .data import click_log, list_log, ranking_log

Work = Callable[[], Any]
Answer = Callable[[Any], list[float]]

POINTWISE = "accuracy, precision, recall, f1, specificity, mcc, brier, log_loss, copc, pcoc, mae, rmse"
RANKING = "ndcg@10, map, mrr, precision@10, recall@10"
#: The slowest metric of each frame.
DEAREST = ["log_loss", "ks", "pr_auc", "ece", "gauc", "ndcg@10"]
#: The columns of the click log by role.
CLICKS = {"label": "clicked", "score": "score", "group": "user_id", "field": "device"}
#: The rules that the labels and scores of the click log meet.
RULES_MET = frozenset({"label >= 0", "label > -1", "score > 0", "score > -1"})
SCORECARD = (
    f"{POINTWISE}, balanced_accuracy, normalized_entropy, auc, average_precision, ks, pr_auc, ece, gauc, {RANKING}"
)


@dataclass
class Case:
    """One piece of work and its contenders.

    `answers` convert the result of a contender to numbers, which must agree. `bars` are upper bounds on the ratio of
    our time to that of a contender. `limited` is a call under a `memory_limit`, whose peak memory is measured too. The
    report prints `notes`.
    """

    name: str
    what: str
    contenders: dict[str, Work]
    answers: dict[str, Answer] = field(default_factory=dict)
    bars: dict[str, float] = field(default_factory=dict)
    #: The number of rounds, in place of that of the command.
    rounds: int | None = None
    #: For contenders that do a part of the work: the factor for their time.
    parts: dict[str, float] = field(default_factory=dict)
    #: A peer that takes more seconds than that is timed in the first round only.
    patience: float = math.inf
    limited: dict[str, Any] | None = None
    notes: str = ""
    #: Prepares the case before anything is timed.
    prepare: Callable[[], Any] | None = None


@dataclass
class Bench:
    """The folder of the data, and the connection for bare queries; calls of `evaluate` have none, like most calls."""

    folder: Path
    rows: int
    connection: duckdb.DuckDBPyConnection
    threads: int

    def log(self, rows: int | None = None) -> Path:
        """The click log, created on first use."""
        rows = rows or self.rows
        path = self.folder / f"clicks_{rows}.parquet"
        return path if path.exists() else click_log(self.folder, rows)

    def rankings(self, rows: int) -> Path:
        """The log of returned documents, created on first use."""
        path = self.folder / f"rankings_{rows}.parquet"
        return path if path.exists() else ranking_log(self.folder, rows)

    @property
    def limits(self) -> dict[str, int]:
        """Options of each call: `threads`, unless all processors are used."""
        return {} if self.threads == len(os.sched_getaffinity(0)) else {"threads": self.threads}

    def ours(self, metrics: Any, score: str = "score", data: Path | None = None, **arguments: Any) -> Work:
        """A call of `evaluate`."""
        path = str(data or self.log())
        options: dict[str, Any] = {"label": "clicked", "score": score} | self.limits | arguments
        return lambda: sqlmetrics.evaluate(path, metrics, **options)

    def bare(self, sql: str, data: Path | None = None) -> Work:
        """A query over the open connection."""
        text = sql.format(path=data or self.log())
        return lambda: self.connection.execute(text).fetchall()


def columns(*names: str) -> Answer:
    """The values of our result in its first row."""
    return lambda frame: [float(frame[name].iloc[0]) for name in names]


def number(result: Any) -> list[float]:
    """The single value of a peer."""
    return [float(result)]


# The peers, each in its fastest form, reading of the file included


def scikit_learn_auc(path: Path, score: str = "score") -> Work:
    """Two columns in memory, one sort."""

    def work() -> float:
        frame = pd.read_parquet(path, columns=["clicked", score])
        return float(roc_auc_score(frame["clicked"], frame[score]))

    return work


def scikit_learn_replicates(path: Path, replicates: int) -> Work:
    """A sort and a weight per user for every replicate; the warm-up loads the columns into memory."""
    read = functools.cache(lambda: pd.read_parquet(path, columns=["clicked", "score", "user_id"]))
    rng = np.random.default_rng(1)

    def work() -> float:
        frame = read()
        users = frame["user_id"].to_numpy()
        weights = (rng.poisson(1.0, users.max() + 1)[users] for _ in range(replicates))
        areas = [roc_auc_score(frame["clicked"], frame["score"], sample_weight=weight) for weight in weights]
        return float(np.quantile(areas, 0.025))

    return work


def scikit_learn_gauc(path: Path) -> Work:
    """A loop over users with both classes, as slices of columns that are sorted by user once."""

    def work() -> float:
        frame = pd.read_parquet(path, columns=["clicked", "score", "user_id"]).sort_values("user_id", kind="stable")
        clicked, score = frame["clicked"].to_numpy(), frame["score"].to_numpy()
        starts = np.flatnonzero(np.diff(frame["user_id"].to_numpy(), prepend=-1))
        total, rows = 0.0, 0
        for start, end in zip(starts, [*starts[1:], len(frame)], strict=True):
            truth = clicked[start:end]
            if truth.any() and not truth.all():
                total += float(roc_auc_score(truth, score[start:end])) * (end - start)
                rows += end - start
        return total / rows

    return work


def _polars_area(score: str) -> pl.Expr:
    """The AUC from the mean rank of the positives: the shortest form in polars."""
    positives = pl.col("clicked").sum().cast(pl.Float64)
    ranks = (pl.col(score).rank("average") * pl.col("clicked")).sum()
    return ((ranks - positives * (positives + 1) / 2) / (positives * (pl.len() - positives))).alias("auc")


def polars_auc(path: Path, score: str = "score") -> Work:
    """One lazy query."""
    return lambda: pl.scan_parquet(path).select(_polars_area(score)).collect().item()


def polars_auc_of_few_scores(path: Path, score: str) -> Work:
    """Counts per distinct score, then sums over these: the fastest form in polars for repeated scores."""
    counts = pl.scan_parquet(path).group_by(score).agg(pl.col("clicked").sum().alias("pos"), pl.len().alias("rows"))
    pos = pl.col("pos").cast(pl.Float64)
    neg = pl.col("rows").cast(pl.Float64) - pos
    area = (pos * (neg.cum_sum() - neg / 2)).sum() / (pos.sum() * neg.sum())
    return lambda: counts.sort(score).select(area.alias("auc")).collect().item()


def polars_gauc(path: Path, group: str) -> Work:
    """One lazy query: the AUC per user, then the mean weighted by rows."""
    groups = pl.scan_parquet(path).group_by(group).agg(_polars_area("score"), pl.len().alias("rows"))
    groups = groups.filter(pl.col("auc").is_finite())
    return lambda: groups.select((pl.col("auc") * pl.col("rows")).sum() / pl.col("rows").sum()).collect().item()


#: The columns of the log of returned documents: query, document, grade, score.
RETURNED = ("query_id", "document_id", "grade", "score")


def nested(
    path: Path, columns: Sequence[str] = RETURNED
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgments and run as dictionaries, from columns that are sorted by query once."""
    query_id, *others = columns
    frame = pd.read_parquet(path, columns=[*columns]).sort_values(query_id, kind="stable")
    queries = frame[query_id].to_numpy()
    starts = np.flatnonzero(np.append(True, queries[1:] != queries[:-1]))
    documents, grades, scores = (frame[name].tolist() for name in others)
    judgments, run = {}, {}
    for query, start, end in zip(map(str, queries[starts]), starts, [*starts[1:], len(frame)], strict=True):
        judgments[query] = dict(zip(documents[start:end], grades[start:end], strict=True))
        run[query] = dict(zip(documents[start:end], scores[start:end], strict=True))
    return judgments, run


def pytrec_eval_measures(path: Path) -> Work:
    """The five measures of every query, then their means."""
    import pytrec_eval

    measures = {"ndcg_cut.10": "ndcg_cut_10", "map": "map", "recip_rank": "recip_rank", "P.10": "P_10",
                "recall.10": "recall_10"}  # fmt: skip

    def work() -> list[float]:
        judgments, run = nested(path)
        values_by_query = pytrec_eval.RelevanceEvaluator(judgments, set(measures)).evaluate(run)
        return [float(np.mean([query[name] for query in values_by_query.values()])) for name in measures.values()]

    return work


def ranx_measures(
    path: Path,
    measures: Sequence[str] = ("ndcg@10", "map", "mrr", "precision@10", "recall@10"),
    columns: Sequence[str] = RETURNED,
) -> Work:
    """The same measures by ranx, whose import and compilation fall into the warm-up."""
    query_id, document_id, grade, score = columns

    def work() -> list[float]:
        import ranx

        # ranx supports identifiers only as Python strings.
        frame = pd.read_parquet(path, columns=[*columns])
        frame = frame.astype({query_id: str}).astype({query_id: object, document_id: object, score: "float64"})
        judged = frame[frame[grade] > 0].astype({grade: "int64"})
        judgments = ranx.Qrels.from_df(judged, q_id_col=query_id, doc_id_col=document_id, score_col=grade)
        run = ranx.Run.from_df(frame, q_id_col=query_id, doc_id_col=document_id, score_col=score)
        values = ranx.evaluate(judgments, run, [*measures], make_comparable=False)
        values = values if isinstance(values, dict) else {measures[0]: values}
        return [float(values[name]) for name in measures]

    return work


def process(*arguments: str) -> Work:
    """A program, from its start to its end."""
    return lambda: subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


def _sort(over: str) -> str:
    """The engine's sort of the same columns; the filter prevents the optimizer from dropping the sort."""
    return f"select max(place) from (select row_number() over ({over}) as place from '{{path}}') where place % 1000 = 0"


def _ranked_by_hand(key: str) -> str:
    """A sort inside slices or users, and sums over them: less than the whole metric."""
    ranks = f"select {key} as key, clicked, rank() over (partition by {key} order by score) as place from"
    return f"select sum(clicked * place) from ({ranks} '{{path}}') group by key"


#: No more than the AUC of any log needs: no missing values, tied scores halfway, and the slices as numbers of one byte.
_DEVICES_BY_HAND = (
    "with valid as (select device, clicked, score from '{path}' where clicked is not null and not isnan(score)), "
    "devices as (select device, cast(row_number() over (order by device) as utinyint) as id "
    "from valid group by device), "
    "ranked as (select id, clicked, rank() over (partition by id order by score desc) - 1 as rows_above, "
    "cume_dist() over (partition by id order by score desc) as share from valid inner join devices using (device)) "
    "select id, 1 - ((sum(clicked * rows_above) + round(count(*) * sum(clicked * share))) / 2 - sum(clicked) ** 2 / 2) "
    "/ (sum(clicked) * (count(*) - sum(clicked))) as auc from ranked group by id order by id"
)
#: The sort inside slices and sums over it, without ties and missing values.
_DEVICES_SORTED = (
    "with devices as (select device, cast(row_number() over (order by device) as utinyint) as id "
    "from (select distinct device from '{path}')), "
    "ranked as (select id, clicked, rank() over (partition by id order by score) as place "
    "from '{path}' inner join devices using (device)) "
    "select id, count(*), sum(clicked), sum(clicked * place) from ranked group by id"
)


def auc_cases(bench: Bench) -> list[Case]:
    """AUC over all rows, by device, and in bins."""
    scan = "select sum(clicked), sum({score}) from '{{path}}'"
    log = bench.log()
    return [
        Case(
            "auc",
            "auc, all scores distinct; the floor sorts the scores",
            {
                "sqlmetrics": bench.ours("auc"),
                "floor": bench.bare(_sort("order by score")),
                "scikit-learn": scikit_learn_auc(log),
                "polars": polars_auc(log),
            },
            {"sqlmetrics": columns("auc"), "scikit-learn": number, "polars": number},
            {"floor": 1.1, "scikit-learn": 1 / 6, "polars": 1 / 2.5},
            # An even number of rounds: each contender starts equally often.
            rounds=8,
        ),
        Case(
            "auc_float",
            "auc, scores of four bytes, an eighth of them tied; the floor sorts the scores as doubles",
            {
                "sqlmetrics": bench.ours("auc", "score_float"),
                "floor": bench.bare(_sort("order by score")),
                "scikit-learn": scikit_learn_auc(log, "score_float"),
            },
            {"sqlmetrics": columns("auc"), "scikit-learn": number},
            {"floor": 1.2, "scikit-learn": 1 / 6},
        ),
        Case(
            "auc_few_scores",
            "auc, scores of 4 digits; the floor scans both columns",
            {
                "sqlmetrics": bench.ours("auc", "score_4_digits"),
                "floor": bench.bare(scan.format(score="score_4_digits")),
                "scikit-learn": scikit_learn_auc(log, "score_4_digits"),
                "polars": polars_auc_of_few_scores(log, "score_4_digits"),
            },
            {"sqlmetrics": columns("auc"), "scikit-learn": number, "polars": number},
            {"floor": 2.5, "scikit-learn": 1 / 6, "polars": 1},
        ),
        Case(
            "auc_by_device",
            "auc by a text column of 5 values; against auc without slices",
            {
                "sqlmetrics": bench.ours("auc", by="device"),
                "auc": bench.ours("auc"),
                "by hand": bench.bare(_DEVICES_BY_HAND),
                "sort and count": bench.bare(_DEVICES_SORTED),
            },
            {"sqlmetrics": lambda frame: frame["auc"].tolist(), "by hand": lambda rows: [auc for _, auc in rows]},
            bars={"auc": 1.15},
        ),
        Case(
            "auc_by_device_sorted",
            "auc by a text column of 5 values; the floor sorts the scores",
            {"sqlmetrics": bench.ours("auc", by="device"), "floor": bench.bare(_sort("order by score"))},
            bars={"floor": 1.1},
        ),
        *[
            Case(
                metric,
                f"{metric}; against auc",
                {"sqlmetrics": bench.ours(metric), "auc": bench.ours("auc")},
                bars={"auc": 1.5},
            )
            for metric in ("ks", "average_precision", "pr_auc", "max_f1")
        ],
        Case(
            "validation",
            "auc; against the same statement without rules for values",
            {
                "sqlmetrics": bench.ours("auc"),
                "without rules": bench.bare(
                    sqlmetrics.render(
                        "auc",
                        relation=f"read_parquet('{log}')",
                        label="clicked",
                        score="score",
                        checks=False,
                    )
                ),
            },
            bars={"without rules": 1.1},
        ),
    ]


def grouped_cases(bench: Bench) -> list[Case]:
    """GAUC, and the metrics of rankings."""
    log = bench.log()
    cases = []
    for group, bars in (("user_id", {"floor": 1.1, "polars": 1 / 2}), ("user_name", {"floor": 1.1, "polars": 1 / 2})):
        cases.append(
            Case(
                "gauc" if group == "user_id" else "gauc_text",
                f"gauc of {'integer' if group == 'user_id' else 'text'} users; the floor sorts the scores inside users",
                {
                    "sqlmetrics": bench.ours("gauc", group=group),
                    "floor": bench.bare(_sort(f"partition by {group} order by score")),
                    "by hand": bench.bare(_ranked_by_hand(group)),
                    "polars": polars_gauc(log, group),
                },
                {"sqlmetrics": columns("gauc"), "polars": number},
                bars,
            )
        )
    rows = max(bench.rows // 10, 1)
    few = bench.log(rows)
    cases.append(
        Case(
            "gauc_loop",
            f"gauc of {rows:,} rows; against a loop over users",
            {
                "sqlmetrics": bench.ours("gauc", data=few, group="user_id"),
                "scikit-learn": scikit_learn_gauc(few),
            },
            {"sqlmetrics": columns("gauc"), "scikit-learn": number},
            {"scikit-learn": 1 / 100},
        )
    )
    rankings = bench.rankings(rows)
    roles = {"label": "grade", "group": "query_id", "item": "document_id", "preset": "trec_eval"}
    cases.append(
        Case(
            "ranking",
            f"{RANKING} in one call, {rows:,} rows",
            {
                "sqlmetrics": bench.ours(RANKING, data=rankings, **roles),
                "ndcg@10": bench.ours("ndcg@10", data=rankings, **roles),
                "pytrec_eval": pytrec_eval_measures(rankings),
                "ranx": ranx_measures(rankings),
            },
            {
                "sqlmetrics": columns("ndcg_at_10", "map", "mrr", "precision_at_10", "recall_at_10"),
                "pytrec_eval": list,
                "ranx": list,
            },
            {"ndcg@10": 2, "pytrec_eval": 1 / 8, "ranx": 1 / 30},
        )
    )
    return cases


def interval_cases(bench: Bench) -> list[Case]:
    """Intervals by user against the metric alone, and the comparison of two models."""
    log = bench.log()
    by_user: dict[str, Any] = {"confidence": 0.95, "cluster": "user_id"}
    cases = []
    for metric, bar in (("auc", 2), ("log_loss", 3), ("gauc", 1.3), ("ndcg@10", 1.3), ("ks", 4), ("max_f1", 4)):
        roles: dict[str, Any] = {"group": "user_id"} if metric in ("gauc", "ndcg@10") else {}
        cases.append(
            Case(
                f"{metric.replace('@', '_')}_interval",
                f"{metric} with its interval by user; against {metric}",
                {"sqlmetrics": bench.ours(metric, **by_user, **roles), metric: bench.ours(metric, **roles)},
                {name: columns(metric.replace("@", "_at_")) for name in ("sqlmetrics", metric)},
                {metric: bar},
            )
        )

    def compared() -> pd.DataFrame:
        scores = ["score", "score_4_digits"]
        return sqlmetrics.compare(str(log), "auc", label="clicked", score=scores, cluster="user_id", **bench.limits)

    return [
        *cases,
        Case(
            "compare",
            "auc of two models compared by user; against one auc with its interval",
            {"sqlmetrics": compared, "auc_interval": bench.ours("auc", **by_user)},
            bars={"auc_interval": 2.5},
        ),
        Case(
            "auc_bootstrap",
            "auc with 200 replicates by user; against scikit-learn as often",
            {
                "sqlmetrics": bench.ours("auc", **by_user, method="bootstrap", replicates=200),
                "scikit-learn": scikit_learn_replicates(log, 10),
            },
            bars={"scikit-learn": 1 / 3},
            parts={"scikit-learn": 20},
        ),
    ]


def omission_reason(metric: Metric) -> str:
    """Why the click log lacks the input of a metric, or ""."""
    needed = [role for role, required in metric.roles().items() if required and role not in CLICKS]
    needed += ["propensity"] if "propensities" in metric.relations else []  # either of them suffices
    if any(parameter.names_columns for parameter in metric.parameters.values() if parameter.required):
        needed.append("each class or quantile")
    if needed:
        return f"no column for {', '.join(needed)}"
    if "max_group_size" in metric.parameters:
        return "all pairs of a user's rows are compared, a hundred million of the largest"
    broken = [rule["keeps"] for rule in metric.rules if rule["keeps"] not in RULES_MET]
    return f"it requires {' and '.join(broken)}" if broken else ""


def scalars_of_clicks() -> tuple[list[MetricCall], str]:
    """Every scalar metric that the click log supports, and a sentence about the others."""
    supported: list[MetricCall] = []
    left_out: dict[str, list[str]] = {}
    for metric in builtin_catalogue().metrics.values():
        reason = omission_reason(metric)
        if metric.table:
            continue
        if reason:
            left_out.setdefault(reason, []).append(f"`{metric.name}`")
        else:
            supported.append(metric_call(metric, base_parameters(metric)))
    reasons = [f"{reason}: {', '.join(names)}" for reason, names in sorted(left_out.items())]
    return supported, f"Tables are not among the metrics of the one call, nor are these ({'; '.join(reasons)})."


def processor_seconds(work: Work) -> float:
    """Processor seconds of a call, over all threads of this process."""

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime

    before = spent()
    work()
    return spent() - before


def all_scalars(bench: Bench) -> Case:
    """Every scalar metric that the log supports, in one call with limited memory."""
    supported, left_out = scalars_of_clicks()
    settings: dict[str, Any] = {"by": [[], ["device"]], "threads": bench.threads, "memory_limit": "4GB"}

    def call(wanted: list[MetricCall], rows: int) -> dict[str, Any]:
        taken = {role for metric in wanted for role in metric.metric.roles()}
        roles = {role: column for role, column in CLICKS.items() if role in taken}
        return {"data": str(bench.log(rows)), "metrics": [metric.spec for metric in wanted], **roles, **settings}

    def work(wanted: list[MetricCall], rows: int = bench.rows) -> Work:
        arguments = call(wanted, rows)
        return lambda: sqlmetrics.evaluate(**arguments)

    @functools.cache
    def dearest() -> list[MetricCall]:
        """The slowest metric of each frame, measured over a tenth of the rows."""
        seconds: dict[str, dict[str, float]] = {}
        for metric in supported:
            alone = work([metric], max(bench.rows // 10, 1))
            seconds.setdefault(metric.metric.frames[-1], {})[metric.name] = processor_seconds(alone)
        names = {max(of_frame, key=lambda name: of_frame[name]) for of_frame in seconds.values()}
        return [metric for metric in supported if metric.name in names]

    def dearest_separately() -> None:
        for metric in dearest():
            work([metric])()

    return Case(
        "all_scalars",
        f"{len(supported)} metrics, all that the log allows, in one call, overall and by device; against the dearest "
        "of each frame alone",
        {"sqlmetrics": work(supported), "dearest of each": dearest_separately},
        bars={"dearest of each": 1.5},
        # Over ten million rows both take minutes.
        rounds=1 if bench.rows > 2_000_000 else None,
        limited=call(supported, bench.rows),
        notes=left_out,
        prepare=dearest,
    )


def many_metrics(bench: Bench) -> list[Case]:
    """Calls with many metrics."""

    def dearest_separately() -> None:
        for metric in DEAREST:
            for by in (None, "device"):
                bench.ours(metric, by=by, group="user_id" if metric in ("gauc", "ndcg@10") else None)()

    return [
        Case(
            "pointwise_by_device",
            "12 pointwise metrics by device; the floor is one sum by device",
            {
                "sqlmetrics": bench.ours(POINTWISE, by="device"),
                "floor": bench.bare("select device, sum(score) from '{path}' group by device"),
            },
            bars={"floor": 4},
        ),
        Case(
            "scorecard",
            "25 metrics over all frames, overall and by device; against the dearest metric of each frame alone",
            {
                "sqlmetrics": bench.ours(SCORECARD, by=[[], ["device"]], group="user_id"),
                "dearest of each": dearest_separately,
            },
            bars={"dearest of each": 1.3},
        ),
        all_scalars(bench),
    ]


def fixed_cost(bench: Bench) -> list[Case]:
    """The fixed cost of a call on hardly any data, and of a start."""
    few = bench.log(1000)
    statement = sqlmetrics.render(
        "auc", relation=f"read_parquet('{few}')", label="clicked", score="score", checks=False
    )
    ours = functools.partial(sqlmetrics.evaluate, str(few), "auc", label="clicked", score="score", con=bench.connection)
    return [
        Case(
            "small",
            "auc of 1,000 rows on an open connection; against its bare statement",
            {"sqlmetrics": ours, "bare": bench.bare(statement)},
            bars={"bare": 5},
            rounds=50,
        ),
        Case(
            "start",
            "sqlmetrics list; against importing duckdb and pandas",
            {"sqlmetrics": process("-m", "sqlmetrics", "list"), "import": process("-c", "import duckdb, pandas")},
            bars={"import": 2},
        ),
    ]


#: Class scores for classes that depend on the user alone.
_THREE_CLASSES = "(scores={'0': '= score', '1': '= score * user_id % 1', '2': '= 1 - score'})"
#: Metric -> its roles in the click log in addition to label and score, and the window of a floor over the same columns.
OF_CLICKS: dict[str, tuple[dict[str, Any], str]] = {
    "miscalibration": ({}, "order by score"),
    "qini": ({"treatment": "= user_id % 2"}, "order by score"),
    "concordance_index": ({"duration": "= 1 + cast(floor(score * 1e8) as bigint) % 1000003"}, "order by score"),
    "krippendorff_alpha": ({"label": "= round(score * 20)", "group": "user_id"}, "partition by user_id"),
    "spearman_correlation": ({"label": "= clicked + score", "score": "score"}, "order by score"),
    "d2_absolute_error": ({"label": "= clicked + score", "score": "score"}, "order by score"),
    "normalized_gini": ({"label": "= clicked + score", "score": "score"}, "order by score"),
    "integrated_calibration_index": ({}, "order by score"),
    "calibration_slope": ({}, ""),
    f"multi_auc{_THREE_CLASSES}": ({"label": "= cast(user_id % 3 as varchar)"}, "order by score"),
    f"auc_mu{_THREE_CLASSES}": ({"label": "= cast(user_id % 3 as varchar)"}, "order by score"),
    "kendall_tau": (
        {"label": "= round(score * 20) + clicked", "score": "= round(score * 100)", "group": "user_id"},
        "partition by user_id",
    ),
    "weighted_kappa": ({"label": "= round(score * 20)", "prediction": "= round(score * 20) + clicked"}, ""),
    "pearson_correlation": ({"label": "= clicked + score", "score": "score"}, ""),
    "snips": ({"reward": "clicked", "propensity": "= 0.1 + score", "target": "= 0.2 + score / 2"}, ""),
    "sips": (
        {"reward": "clicked", "propensity": "= 0.1 + score", "target": "= 0.2 + score / 2", "group": "user_id"},
        "partition by user_id",
    ),
}
#: Metric -> its roles in the log of lists. None is a relation of the log.
OF_LISTS: dict[str, dict[str, Any]] = {
    "rbo": {"label": "other_score"},
    "infap": {"label": "grade"},
    "alpha_dcg@10": {"label": "= least(grade, 1)", "subtopic": "subject"},
    "alpha_ndcg@10": {"label": "= least(grade, 1)", "subtopic": "subject"},
    "personalization@10": {},
    "popularity_lift@10": {"popularity": None, "history": None},
    "category_miscalibration@10": {"history": None, "item_categories": None},
    "serendipity@10": {"label": "grade", "expected_items": None},
    "intra_list_distance@10": {"embeddings": None},
}


def frame_cases(bench: Bench) -> list[Case]:
    """A metric of each frame that needs more than sums or one sort of all rows, also over a tenth of the rows."""
    few = max(bench.rows // 10, 1)

    def case(metric: str, reads: str, floor: Work, work: Callable[[int], Work]) -> Case:
        return Case(
            f"{metric.partition('@')[0].partition('(')[0]}_frame",
            f"{metric}; the floor {reads}",
            {"sqlmetrics": work(bench.rows), "floor": floor, f"{few:,} rows": work(few)},
            # The time of a sort grows a little faster than its rows, that of pairs with their square.
            bars={f"{few:,} rows": 15},
            # Over ten million rows it takes up to a minute.
            rounds=1,
        )

    cases = []
    for metric, (roles, over) in OF_CLICKS.items():
        scored = {} if {"reward", "label"} & {*roles} else {"label": "clicked", "score": "score"}

        def of_clicks(rows: int, metric: str = metric, arguments: dict[str, Any] = scored | roles) -> Work:
            path = str(bench.log(rows))
            return lambda: sqlmetrics.evaluate(path, metric, **bench.limits, **arguments)

        if over:
            description = "sorts the scores" if over == "order by score" else "sorts inside users"
            floor = bench.bare(_sort(over))
        else:
            description, floor = (
                "adds three columns up",
                bench.bare("select sum(clicked), sum(score), sum(1 / score) from '{path}'"),
            )
        cases.append(case(metric, description, floor, of_clicks))
    lists = {rows: list_log(bench.folder, rows) for rows in (bench.rows, few)}
    floor = bench.bare(_sort("partition by list_id order by score"), lists[bench.rows]["lists"])
    for metric, roles in OF_LISTS.items():

        def of_lists(rows: int, metric: str = metric, roles: dict[str, Any] = roles) -> Work:
            paths = lists[rows]
            relations = {name: str(paths[name]) for name, value in roles.items() if value is None}
            arguments = {"score": "score", "group": "list_id", "item": "item_id", **roles, **relations}
            return lambda: sqlmetrics.evaluate(str(paths["lists"]), metric, **bench.limits, **arguments)

        cases.append(case(metric, "sorts the scores inside lists", floor, of_lists))
    return cases


def bins(bench: Bench) -> list[Case]:
    """AUC in bins, without a sort."""
    log = str(bench.log())
    roles = {"label": "clicked", "score": "score", **bench.limits}

    def enclosed(frame: pd.DataFrame) -> list[float]:
        exact = float(bench.ours("auc")()["auc"].iloc[0])
        row = frame.iloc[0]
        if not row["auc_lower"] <= exact <= row["auc_upper"]:
            raise SystemExit(f"auc_bins: {row.to_dict()} does not enclose {exact}")
        return []

    return [
        Case(
            "auc_bins",
            "auc(bins=65536); the floor scans both columns",
            {
                "sqlmetrics": lambda: sqlmetrics.evaluate(log, "auc(bins=65536)", **roles),
                "floor": bench.bare("select sum(clicked), sum(score) from '{path}'"),
            },
            {"sqlmetrics": enclosed},
            # For a log that is read quickly, the time before the statement dominates.
            {"floor": 3 if bench.rows >= 100_000_000 else 5},
        )
    ]


def cases(bench: Bench) -> dict[str, Callable[[], list[Case]]]:
    """The families of cases; each creates its data when it is called."""
    return {
        "auc": lambda: auc_cases(bench),
        "grouped": lambda: grouped_cases(bench),
        "intervals": lambda: interval_cases(bench),
        "many": lambda: many_metrics(bench),
        "frames": lambda: frame_cases(bench),
        "bins": lambda: bins(bench),
        "fixed": lambda: fixed_cost(bench),
    }
