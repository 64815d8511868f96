"""A Spark cluster on this machine: a master and workers, each a process, from the installed package."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tests import optional
from tests.engines.servers import session_of

T = TypeVar("T")
_SECONDS = 180
#: Every setting is explicit, because a session in the same process inherits the previous ones.
_SETTINGS = {
    "spark.ui.enabled": "true", "spark.ui.port": "0", "spark.ui.showConsoleProgress": "false",
    "spark.executor.cores": "1", "spark.sql.adaptive.enabled": "true", "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK", "spark.sql.shuffle.partitions": "8",
    # Test files are small, and several tasks should read each.
    "spark.sql.files.maxPartitionBytes": "4m",
    # Merging small tasks would hide their sizes.
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
}  # fmt: skip


def wait_until(condition: Callable[[], T]) -> T:
    """Wait until a condition is true, or for _SECONDS, and return its last value."""
    end = time.monotonic() + _SECONDS
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return value


@dataclass
class Daemon:
    """A process of Spark and its log file."""

    process: subprocess.Popen[bytes]
    log: Path

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Wait until the log matches the pattern."""

        def text() -> str:
            return self.log.read_text(errors="replace")

        wait_until(lambda: re.search(pattern, text()) or self.process.poll() is not None)
        match = re.search(pattern, text())
        if match is None:
            raise RuntimeError(f"Spark wrote nothing like {pattern!r}:\n{text()[-2000:]}")
        return match

    def kill(self) -> None:
        """Kill the process and its children (the executors of a worker)."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(_SECONDS)


@dataclass
class Cluster:
    """A running cluster."""

    url: str
    folder: Path
    workers: list[Daemon] = field(default_factory=list)

    @contextmanager
    def session(self, settings: Mapping[str, str]) -> Iterator[Any]:
        """A session whose tasks run on the workers, after all of them started."""
        warehouse = {"spark.sql.warehouse.dir": str(self.folder / "warehouse")}
        with session_of(self.url, {**_SETTINGS, **warehouse, **settings}) as session:
            executors = session.sparkContext._jsc.sc().getExecutorMemoryStatus
            # The driver is one of them.
            if not wait_until(lambda: executors().size() > len(self.workers)):
                raise RuntimeError(f"{len(self.workers)} executors did not start within {_SECONDS} seconds")
            yield session


@contextmanager
def spark_cluster() -> Iterator[Cluster]:
    """A master and two workers on loopback, with their own ports, logs and work folders; they end with the block."""
    optional.program("java")
    home = str(Path(optional.package("pyspark").__file__).parent)
    daemons: list[Daemon] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        environment = {
            **os.environ, "SPARK_HOME": home, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_NO_DAEMONIZE": "1", "SPARK_LOCAL_DIRS": f"{folder}/local",
        }  # fmt: skip
        options: dict[str, Any] = {"env": environment, "cwd": folder, "start_new_session": True}

        def start(role: str, *arguments: str) -> Daemon:
            command = [f"{home}/bin/spark-class", f"org.apache.spark.deploy.{role}", "--host", "127.0.0.1"]
            command += ["--port", "0", "--webui-port", "0", *arguments]
            log = folder / f"{len(daemons)}.log"
            with log.open("wb") as output:
                process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, **options)
            daemons.append(Daemon(process, log))
            return daemons[-1]

        try:
            url = start("master.Master").wait_for(r"Starting Spark master at (spark://[\d.]+:\d+)")[1]
            cluster = Cluster(url, folder)
            for number in range(2):
                work = ("--cores", "1", "--memory", "2g", "--work-dir", str(folder / f"work-{number}"), url)
                cluster.workers.append(start("worker.Worker", *work))
            for worker in cluster.workers:
                worker.wait_for("Successfully registered with master")
            yield cluster
        finally:
            for daemon in reversed(daemons):
                daemon.kill()


# The stages of a session


@dataclass(frozen=True)
class Stage:
    """A stage, as Spark reports it."""

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
        """The share of the stage's rows in its largest task."""
        return self.largest_task / self.rows_in if self.rows_in else 0.0


def status(session: Any, path: str) -> Any:
    """A resource of the driver's REST interface."""
    context = session.sparkContext
    base = f"http://127.0.0.1:{context.uiWebUrl.rsplit(':', 1)[1]}/api/v1/applications/{context.applicationId}"
    with urllib.request.urlopen(f"{base}/{path}", timeout=_SECONDS) as answer:
        return json.load(answer)


def last_stage(session: Any) -> int:
    """The number of the last stage so far."""
    return max((stage["stageId"] for stage in status(session, "stages")), default=-1)


def stages_since(session: Any, last_number: int = -1) -> list[Stage]:
    """The completed stages after this number."""
    stages = []
    wait_until(lambda: all(stage["status"] != "ACTIVE" for stage in status(session, "stages")))
    for stage in status(session, "stages?status=complete"):
        if stage["stageId"] > last_number:
            path = f"stages/{stage['stageId']}/{stage['attemptId']}/taskList?length=100000&status=success"
            tasks = [task["taskMetrics"] for task in status(session, path) if "taskMetrics" in task]
            rows = [task["inputMetrics"]["recordsRead"] + task["shuffleReadMetrics"]["recordsRead"] for task in tasks]
            stages.append(
                Stage(
                    stage["stageId"], len(tasks), sum(rows), stage["shuffleReadBytes"], stage["shuffleWriteBytes"],
                    stage["shuffleWriteRecords"], max(rows, default=0), stage["executorRunTime"] / 1000,
                )
            )  # fmt: skip
    return sorted(stages, key=lambda stage: stage.number)
