"""Spark's own cluster on this machine: a master and workers, each a process, started from the installed package."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import optional

_SECONDS = 180
_MASTER = re.compile(r"Starting Spark master at (spark://[\d.]+:\d+)")
_WORKER = re.compile(r"Successfully registered with master")
#: A session in the same process may have left other settings behind, which a later one inherits.
_SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "true",
    "spark.ui.port": "0",
    "spark.ui.showConsoleProgress": "false",
    "spark.executor.cores": "1",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.shuffle.partitions": "8",
    # Files of a test are small, and each should be read by more than one task.
    "spark.sql.files.maxPartitionBytes": "4m",
    # The tasks shown are those that were planned; merging small ones would hide how even they are.
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
}


@dataclass
class Daemon:
    """A process of the cluster, and the file that it writes to."""

    process: subprocess.Popen[bytes]
    log: Path

    def wait_for(self, words: re.Pattern[str]) -> re.Match[str]:
        """Wait until the log says so."""
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end:
            found = words.search(self.log.read_text(errors="replace"))
            if found is not None:
                return found
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError(
            f"Spark said nothing like {words.pattern!r}:\n{self.log.read_text(errors='replace')[-2000:]}"
        )

    def kill(self, sign: int = signal.SIGKILL) -> None:
        """End the process and what it has started (the executors of a worker)."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, sign)
            self.process.wait(_SECONDS)


@dataclass
class Cluster:
    """A running cluster."""

    url: str
    folder: Path
    workers: list[Daemon] = field(default_factory=list)

    @contextmanager
    def session(self, settings: Mapping[str, str] | None = None) -> Iterator[Any]:
        """A session whose tasks run on the workers, all of which are there before it begins."""
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master(self.url).appName("sqlmetrics")
        warehouse = {"spark.sql.warehouse.dir": str(self.folder / "warehouse")}
        for name, value in {**_SETTINGS, **warehouse, **(settings or {})}.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        try:
            wait_for_executors(session, len(self.workers))
            yield session
        finally:
            session.stop()


@contextmanager
def spark_cluster(workers: int = 2, cores: int = 1, memory: str = "1g") -> Iterator[Cluster]:
    """A master and workers on loopback, with ports, logs and work folders of their own, stopped whatever happens."""
    pyspark = optional.package("pyspark")
    optional.program("java")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"  # else it binds to the address of the machine's name
    daemons: list[Daemon] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        home = str(Path(pyspark.__file__).parent)
        environment = os.environ | {
            "SPARK_HOME": home,
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_LOCAL_DIRS": str(folder / "local"),
            "SPARK_NO_DAEMONIZE": "1",
        }

        def start(what: str, *arguments: str) -> Daemon:
            log = folder / f"{len(daemons)}.log"
            command = [
                f"{home}/bin/spark-class",
                f"org.apache.spark.deploy.{what}",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
            ]
            with log.open("wb") as output:
                # A group of its own: its executors end with it.
                process = subprocess.Popen(
                    [*command, "--webui-port", "0", *arguments], env=environment, cwd=folder, stdout=output,
                    stderr=subprocess.STDOUT, start_new_session=True,
                )  # fmt: skip
            daemons.append(Daemon(process, log))
            return daemons[-1]

        try:
            url = start("master.Master").wait_for(_MASTER)[1]
            cluster = Cluster(url, folder)
            for number in range(workers):
                work = ("--cores", str(cores), "--memory", memory, "--work-dir", str(folder / f"work-{number}"), url)
                cluster.workers.append(start("worker.Worker", *work))
            for worker in cluster.workers:
                worker.wait_for(_WORKER)
            yield cluster
        finally:
            for daemon in reversed(daemons):
                daemon.kill()


def wait_for_executors(session: Any, count: int) -> None:
    """Wait until so many executors take tasks."""
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end:
        # The driver counts as one.
        if session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() > count:
            return
        time.sleep(0.05)
    raise RuntimeError(f"{count} executors did not come up within {_SECONDS} seconds")


# What a session tells of the work it has done


@dataclass(frozen=True)
class Stage:
    """What one stage did, by Spark's own account."""

    number: int
    tasks: int
    rows_in: int
    shuffle_read: int
    shuffle_written: int
    rows_out: int
    largest_task: int
    seconds: float

    @property
    def share_of_largest(self) -> float:
        """The share of the stage's rows that the largest task had."""
        return self.largest_task / self.rows_in if self.rows_in else 0.0


def status(session: Any, path: str) -> Any:
    """What the driver's status interface tells of the application."""
    context = session.sparkContext
    base = f"http://127.0.0.1:{context.uiWebUrl.rsplit(':', 1)[1]}/api/v1/applications/{context.applicationId}"
    with urllib.request.urlopen(f"{base}/{path}", timeout=_SECONDS) as answer:
        return json.load(answer)


def last_stage(session: Any) -> int:
    """The number of the last stage so far."""
    return max((stage["stageId"] for stage in status(session, "stages")), default=-1)


def stages_since(session: Any, known: int = -1) -> list[Stage]:
    """The stages that ran to their end after the one with this number."""
    found = []
    end = time.monotonic() + _SECONDS
    while any(one["status"] == "ACTIVE" for one in status(session, "stages")) and time.monotonic() < end:
        time.sleep(0.05)
    for stage in status(session, "stages?status=complete"):
        if stage["stageId"] > known:
            path = f"stages/{stage['stageId']}/{stage['attemptId']}/taskList?length=100000&status=success"
            tasks = [task["taskMetrics"] for task in status(session, path) if "taskMetrics" in task]
            rows = [task["inputMetrics"]["recordsRead"] + task["shuffleReadMetrics"]["recordsRead"] for task in tasks]
            found.append(
                Stage(
                    stage["stageId"],
                    len(tasks),
                    sum(rows),
                    stage["shuffleReadBytes"],
                    stage["shuffleWriteBytes"],
                    stage["shuffleWriteRecords"],
                    max(rows, default=0),
                    stage["executorRunTime"] / 1000,
                )
            )
    return sorted(found, key=lambda stage: stage.number)
