"""The cost of metrics on a Spark cluster: `python -m tests.benchmarks.cluster [--rows N …] [--page FILE]`.

It starts Spark's own master and two workers on this machine and makes a log. It prints the stages of an AUC over three
distributions of scores. Then it prints the time and the shuffled bytes of several metrics at each size, on DuckDB and
on the cluster. The answers must agree to 1e-9.

`--page` writes all of this as one page, with an extrapolation to ten billion rows. `--json` instead times some metrics
against Spark's own evaluators, over the smallest log, and over the larger ones the AUC once. `--kill` ends a worker in
the middle of a query and compares the answer.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import platform
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import duckdb
from rich.console import Console
from sklearn.metrics import roc_auc_score

import sqlmetrics
from sqlmetrics.engines import DuckDB, Spark

from .cases import Case, number
from .report import SPARK
from .run import heading, printed, write
from .run import measure as measured
from .spark_cluster import Cluster, Stage, last_stage, spark_cluster, stages_since, status

SCORES = {
    "uniform": "spread evenly over (0, 1), all different",
    "skewed": "click-through rates, log-normal around 0.001, all different",
    "tied": "half of the rows have one score, the others two digits",
}
METRICS: dict[str, dict[str, str]] = {
    "auc": {},
    "average_precision": {},
    "ks": {},
    "ece(binning='mass')": {},
    "ece": {},
    "log_loss": {},
    "gauc": {"group": "user_id"},
    "ndcg@10": {"group": "user_id"},
}
#: Upper bounds on the ratio of our time to that of Spark's own evaluator.
BARS = {"auc": 1, "rmse": 1, "log_loss": 1, "ndcg@10": 1}
#: From this number of rows on, the bound for an AUC.
MANY_ROWS, BAR_OF_MANY = 20_000_000, 1 / 5
FILES = 8
#: The larger cluster that the page assumes.
EXECUTORS, CORES, BYTES_PER_SECOND = 100, 4, 300e6
FAR = 10_000_000_000


@dataclass
class Figure:
    """One metric at one size: median seconds on both engines, and Spark's stages."""

    metric: str
    rows: int
    duckdb: float
    spark: float
    stages: list[Stage] = field(default_factory=list)

    @property
    def work(self) -> float:
        """Core seconds over all tasks."""
        return sum(stage.seconds for stage in self.stages)

    @property
    def shuffled(self) -> int:
        return sum(stage.shuffle_written for stage in self.stages)


def make_log(folder: Path, rows: int) -> str:
    """A log with a fixed seed in several files: hash() gives the same rows on every machine."""
    path = folder / f"log_{rows}"
    path.mkdir()
    unit = "((hash(i, {!r}) + 1) / 18446744073709551618.0)"
    normal = f"sqrt(-2 * ln({unit.format('a')})) * cos(2 * pi() * {unit.format('b')})"
    with duckdb.connect() as con:
        for number in range(FILES):
            con.execute(
                f"""
                copy (
                    select
                        ({unit.format("click")} < 0.02 + 0.1 * {unit.format("score")})::tinyint as clicked,
                        {unit.format("score")} as uniform,
                        least(exp({normal} - 6.9), 1) as skewed,
                        case when hash(i, 'tie') % 2 = 0 then 0.001 else round({unit.format("score")}, 2) end as tied,
                        (hash(i, 'user') % greatest({rows} // 20, 1))::integer as user_id
                    from range({rows * number // FILES}, {rows * (number + 1) // FILES}) as t(i)
                ) to '{path / f"{number}.parquet"}'
                """
            )
    return str(path)


def ask(engine: Any, metric: str, score: str = "skewed") -> float:
    """The value of a metric on an engine."""
    result = sqlmetrics.evaluate("log", metric, label="clicked", score=score, engine=engine, **METRICS.get(metric, {}))
    return float(result.iloc[0, -1])


def timed(work: Callable[[], float], rounds: int) -> tuple[float, float]:
    """The value, and the median of the seconds."""
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        value = work()
        seconds.append(time.perf_counter() - start)
    return value, statistics.median(seconds)


@contextlib.contextmanager
def both_engines(session: Any, path: str) -> Iterator[tuple[DuckDB, Spark]]:
    """DuckDB with as many threads as the cluster has cores, and Spark, over the same files."""
    with duckdb.connect() as con:
        con.execute("set threads = 2")
        con.execute(f"create view log as from '{path}/*.parquet'")
        session.read.parquet(path).createOrReplaceTempView("log")
        yield DuckDB(con), Spark(session)


# Tables


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [list(headings), ["---", *["---:"] * (len(headings) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def size(count: float) -> str:
    """Bytes in a readable unit.

    >>> size(0), size(2_400), size(3_000_000_000_000)
    ('0', '2.4 kB', '3.0 TB')
    """
    units = ["B", "kB", "MB", "GB", "TB", "PB"]
    exponent = min(int(math.log(count, 1000)), len(units) - 1) if count >= 1 else 0
    return f"{count / 1000**exponent:.1f} {units[exponent]}" if count else "0"


def prose(text: str) -> str:
    """A paragraph without its line breaks."""
    return " ".join(text.split())


def stage_table(stages: list[Stage]) -> str:
    """A table with a row per stage."""
    work = sum(stage.seconds for stage in stages) or 1
    return table(
        ["stage", "tasks", "rows in", "shuffle read", "shuffle written", "largest task", "of stage", "time"],
        [
            [number, stage.tasks, f"{stage.rows_in:,}", size(stage.shuffle_read),
             size(stage.shuffle_written), f"{stage.largest_task:,} rows", f"{stage.share_of_largest:.0%}",
             f"{stage.seconds / work:.0%}"]
            for number, stage in enumerate(stages, 1)
        ],
    )  # fmt: skip


# Measuring


def stages_of_auc(session: Any, path: str) -> dict[str, list[Stage]]:
    """The stages of an AUC for each distribution of scores; its answer is compared."""
    result = {}
    with both_engines(session, path) as (embedded, spark):
        for score in SCORES:
            before = last_stage(session)
            value = ask(spark, "auc", score)
            result[score] = stages_since(session, before)
            check("auc", value, ask(embedded, "auc", score))
    return result


def check(metric: str, ours: float, theirs: float) -> None:
    """Exit where two answers differ."""
    if not math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9):
        raise SystemExit(f"{metric}: {ours!r} on Spark, {theirs!r} elsewhere")


def measure(session: Any, path: str, rows: int, rounds: int) -> list[Figure]:
    """Every metric at one size; the stages are those of the last round."""
    figures = []
    with both_engines(session, path) as (embedded, spark):
        for metric in METRICS:
            previous_stage = -1

            def work(metric: str = metric) -> float:
                nonlocal previous_stage
                previous_stage = last_stage(session)
                return ask(spark, metric)

            value, ours = timed(work, rounds)
            stages = stages_since(session, previous_stage)
            expected, other = timed(lambda metric=metric: ask(embedded, metric), rounds)  # type: ignore[misc]
            check(metric, value, expected)
            figures.append(Figure(metric, rows, other, ours, stages))
            print(f"{rows:>12,} rows  {metric:<22} DuckDB {other:7.2f} s  Spark {ours:7.2f} s", flush=True)
    return figures


# The page


def far_away(figure: Figure) -> list[object]:
    """A linear extrapolation from the largest measured size to ten billion rows."""
    times = FAR / figure.rows
    hours = figure.work * times / 3600
    computing = figure.work * times / (EXECUTORS * CORES)
    # One task writes to disk, and another reads over the network.
    moving = 2 * figure.shuffled * times / (EXECUTORS * BYTES_PER_SECOND)
    total = f"{(computing + moving) / 60:.1f} min"
    return [figure.metric, f"{hours:,.1f}", size(figure.shuffled * times), f"{computing / 60:.1f} min",
            f"{moving / 60:.1f} min", total]  # fmt: skip


def page(stages: dict[str, list[Stage]], stage_rows: int, figures: list[Figure], rounds: int) -> str:
    """The page as Markdown."""
    largest = max(figure.rows for figure in figures)
    sizes = sorted({figure.rows for figure in figures})
    versions = ", ".join(f"{name} {version(name)}" for name in ("pyspark", "duckdb"))
    by_metric = [[figure for figure in figures if figure.metric == metric] for metric in METRICS]
    parts = [
        "# What metrics cost on Spark",
        prose(
            f"""
            Written by `python -m tests.benchmarks.cluster --page`. One machine of
            {platform.machine()}, two cores: Spark's standalone master and two workers with one core
            and 2 GB each, and DuckDB with two threads, over the same parquet files ({versions}).
            Times are those of a machine that does other work too: read row counts, bytes and shares
            before seconds.
            """
        ),
        f"## The stages of an AUC over {stage_rows:,} rows",
        prose(
            """
            The rows of each score are put together in every task before anything is sent; then the
            distinct scores go to their cells, are sorted and summed there, and meet the sums of the
            cells. The last column is the stage's part of the time.
            """
        ),
    ]
    for score, of_score in stages.items():
        parts += [f"**{score}**: {SCORES[score]}", stage_table(of_score)]
    parts += [
        prose(
            """
            Stages with one task read a row for each cell, or one for each task, or the 10,000 rows that
            are looked at: they grow no further than there are cells.
            """
        ),
        "## Rows per second",
        f"Scores of click-through rates; the median of {rounds} runs, the time to plan included.",
        table(
            ["metric", *[f"DuckDB, {rows // 1_000_000} M" for rows in sizes],
             *[f"Spark, {rows // 1_000_000} M" for rows in sizes]],
            [
                [of_metric[0].metric, *[f"{figure.rows / figure.duckdb / 1e6:.2f} M/s" for figure in of_metric],
                 *[f"{figure.rows / figure.spark / 1e6:.2f} M/s" for figure in of_metric]]
                for of_metric in by_metric
            ],
        ),
        f"## Work and shuffled bytes at {largest:,} rows",
        table(
            ["metric", "core seconds per million rows", "shuffled", "shuffled per row", "stage with most time"],
            [
                [figure.metric, f"{figure.work / figure.rows * 1e6:.2f}", size(figure.shuffled),
                 f"{figure.shuffled / figure.rows:.1f} B", slowest(figure)]
                for figure in figures if figure.rows == largest
            ],
        ),
        f"## Ten billion rows on {EXECUTORS} executors",
        prose(
            f"""
            Assumed: {EXECUTORS} executors of {CORES} cores like these; work and shuffled bytes per
            row as at {largest:,} rows; {size(BYTES_PER_SECOND)} a second for each executor, to disk
            and again over the network, not at the same time as the computing; some thousand tasks
            in a stage, so that none holds more than a few million rows; no failures, and no wait
            for executors. A sort takes longer the more rows a task has, and a task that does not
            fit into memory writes to disk once more: count on up to twice the time. With all
            scores different, every score is a row of its own twice on its way;
            scores rounded to four digits are 10,000 rows whatever the log, and next to nothing is sent.
            """
        ),
        table(
            ["metric", "core hours", "shuffled", "computing", "moving", "together"],
            [far_away(figure) for figure in figures if figure.rows == largest],
        ),
        prose(
            """
            A sliced call reads the log once more, to learn which slices there are. Cells are a
            fixed function of the score: 1024 to each unit of ln(p / (1 - p)) below 1, and of ln(x)
            above. Scores that lie far from 0 and close together, such as times in seconds, share
            few cells, and with them few tasks: subtract their lowest value first.
            """
        ),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def slowest(figure: Figure) -> str:
    """The stage that takes most of the time."""
    number, stage = max(enumerate(figure.stages, 1), key=lambda entry: entry[1].seconds)
    what = "scores, or groups" if stage.shuffle_read else "reading the log"
    return f"{number} of {len(figure.stages)}: {stage.seconds / (figure.work or 1):.0%} ({what})"


# Against Spark's own evaluators


def evaluator_case(spark: Spark, metric: str, score: str, evaluator: Any, data: Any, rows: int | None = None) -> Case:
    """One metric and Spark's evaluator of the same metric over `data`; large logs are measured once, after warm-up."""
    name = type(evaluator).__name__
    contenders = {"sqlmetrics": lambda: ask(spark, metric, score), name: lambda: evaluator.evaluate(data)}
    many = "" if rows is None else f", {rows:,} rows"
    bar = BAR_OF_MANY if rows is not None and rows >= MANY_ROWS else BARS[metric]
    return Case(
        f"{metric}, {score}{many}",
        f"{metric}, {SCORES[score]}{many}",
        contenders,
        dict.fromkeys(contenders, number),
        {name: bar},
        rounds=None if rows is None else 1,
    )


def area_case(session: Any, path: str, score: str, rows: int | None = None) -> Case:
    """The exact area under the ROC curve: by default the evaluator uses a thousand points of the curve."""
    from pyspark.ml.evaluation import BinaryClassificationEvaluator

    log = session.read.parquet(path)
    log.createOrReplaceTempView("log")
    evaluator = BinaryClassificationEvaluator(rawPredictionCol=score, labelCol="clicked", numBins=0)
    data = log.select(log["clicked"].cast("double").alias("clicked"), score)
    return evaluator_case(Spark(session), "auc", score, evaluator, data, rows)


def evaluator_cases(session: Any, path: str) -> list[Case]:
    """Each evaluator of Spark's machine learning library, over the columns that it reads."""
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator, RankingEvaluator, RegressionEvaluator
    from pyspark.ml.functions import array_to_vector
    from pyspark.sql import functions as f

    log = session.read.parquet(path)
    spark = Spark(session)
    clicked = f.col("clicked").cast("double").alias("clicked")
    numbers = log.select(clicked, "skewed")
    chances = log.select(
        clicked,
        array_to_vector(f.array(1 - f.col("skewed"), "skewed")).alias("chances"),
        f.lit(0.0).alias("prediction"),
    )
    items = log.select("user_id", "clicked", "skewed", f.monotonically_increasing_id().cast("double").alias("item"))
    lists = items.groupBy("user_id").agg(
        f.sort_array(f.collect_list(f.struct("skewed", "item")), asc=False)["item"].alias("listed"),
        f.collect_list(f.when(f.col("clicked") == 1, f.col("item"))).alias("relevant"),
    )
    return [
        area_case(session, path, "skewed"),
        area_case(session, path, "tied"),
        evaluator_case(
            spark, "rmse", "skewed", RegressionEvaluator(predictionCol="skewed", labelCol="clicked"), numbers
        ),
        evaluator_case(
            spark,
            "log_loss",
            "skewed",
            MulticlassClassificationEvaluator(metricName="logLoss", probabilityCol="chances", labelCol="clicked"),
            chances,
        ),
        evaluator_case(
            spark,
            "ndcg@10",
            "skewed",
            RankingEvaluator(metricName="ndcgAtK", k=10, predictionCol="listed", labelCol="relevant"),
            lists.where(f.size("relevant") > 0),
        ),
    ]


# Loss of a worker


def lose_a_worker(cluster: Cluster, session: Any, path: str) -> None:
    """Kill a worker during the AUC: the scores are shuffled, and the stage that reads them has started."""
    session.read.parquet(path).createOrReplaceTempView("log")
    with duckdb.connect() as con:
        log = con.execute(f"select clicked, skewed from '{path}/*.parquet'").df()
    expected = float(roc_auc_score(log["clicked"], log["skewed"]))
    answers: list[float] = []
    query = threading.Thread(target=lambda: answers.append(ask(Spark(session), "auc")))
    before = last_stage(session)
    query.start()
    start = time.monotonic()
    while query.is_alive():
        stages = [stage for stage in status(session, "stages") if stage["stageId"] > before]
        shuffled = sum(stage["shuffleWriteRecords"] for stage in stages if stage["status"] == "COMPLETE")
        reading = [stage for stage in stages if stage["status"] == "ACTIVE" and stage["shuffleReadBytes"]]
        if shuffled and reading:
            break
        time.sleep(0.05)
    else:
        raise SystemExit("the query was over before a worker could be killed: give more --rows")
    stage = reading[0]
    print(f"{shuffled:,} rows are shuffled; stage {stage['stageId']}, which reads them, has done "
          f"{stage['numCompleteTasks']} of its {stage['numTasks']} tasks")  # fmt: skip
    cluster.workers[0].kill()
    print(f"after {time.monotonic() - start:.0f} s a worker and its executor are killed (SIGKILL)", flush=True)
    query.join()
    print(f"after {time.monotonic() - start:.0f} s the query ends")
    for stage in sorted(status(session, "stages"), key=lambda entry: (entry["stageId"], entry["attemptId"])):
        if stage["stageId"] > before and stage["status"] != "SKIPPED":
            print(f"stage {stage['stageId']}, attempt {stage['attemptId']}: {stage['status'].lower()}, "
                  f"{stage['numCompleteTasks']} of {stage['numTasks']} tasks done, {stage['numFailedTasks']} failed, "
                  f"{stage['numKilledTasks']} killed")  # fmt: skip
    if not answers:
        raise SystemExit("the query failed")
    print(f"AUC {answers[0]!r}, scikit-learn {expected!r}, difference {abs(answers[0] - expected):.1e}")
    check("auc", answers[0], expected)


def main() -> None:
    """Start the cluster, measure, print, and with --page write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 5_000_000, 20_000_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--page", type=Path, help="write the figures to this file")
    parser.add_argument("--json", type=Path, metavar="FILE", help=f"against evaluators; the page's are {SPARK.name}")
    parser.add_argument("--kill", action="store_true", help="end a worker in the middle of a query")
    arguments = parser.parse_args()
    # SIGTERM must stop the cluster too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    settings = {"spark.sql.files.maxPartitionBytes": "32m", "spark.executor.memory": "2g"}
    with (
        tempfile.TemporaryDirectory() as name,
        spark_cluster() as cluster,
        cluster.session(settings) as session,
    ):
        folder = Path(name)
        paths = {rows: make_log(folder, rows) for rows in sorted(arguments.rows)}
        if arguments.kill:
            lose_a_worker(cluster, session, paths[max(paths)])
            return
        if arguments.json:
            rows, *more = paths
            results = [measured(case, arguments.rounds) for case in evaluator_cases(session, paths[rows])]
            # Each case creates its own view `log`, so it is measured before the next is created.
            results += [measured(area_case(session, paths[many], "skewed", many), 1) for many in more]
            timed_all = {**heading("cluster", rows, arguments.rounds, "2 workers", ["pyspark"]), "results": results}
            Console().print(printed(timed_all))
            write(timed_all, arguments.json)
            return
        middle = sorted(paths)[len(paths) // 2]
        stages = stages_of_auc(session, paths[middle])
        for score, of_score in stages.items():
            print(f"\nAUC of {middle:,} rows, {score}: {SCORES[score]}\n\n{stage_table(of_score)}\n", flush=True)
        measure(session, paths[min(paths)], min(paths), 1)  # warm-up
        figures = [figure for rows in paths for figure in measure(session, paths[rows], rows, arguments.rounds)]
        text = page(stages, middle, figures, arguments.rounds)
        print(text)
        if arguments.page:
            arguments.page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
