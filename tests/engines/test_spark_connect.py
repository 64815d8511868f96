"""Spark through Spark Connect: the server is a process of its own, and the session holds no Java."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import ndcg_score, roc_auc_score

from tests import ROOT, optional
from tests.engines.spark_cluster import Daemon
from tests.engines.spark_connect_client import LOG

pytestmark = pytest.mark.slow

KNOWN = LOG.dropna()
_STARTED = re.compile(r"Spark Connect server started at: \S*:(\d+)")


@pytest.fixture(scope="module")
def spark_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a server listens that lives as long as the tests."""
    pyspark = optional.package("pyspark")
    optional.package("grpc")
    optional.program("java")
    folder: Path = tmp_path_factory.mktemp("connect")
    home = str(Path(pyspark.__file__).parent)
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": "0",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
        "spark.driver.extraJavaOptions": f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.io.tmpdir={folder}",
    }
    command = [f"{home}/bin/spark-submit", "--master", "local[2]"]
    for name, value in settings.items():
        command += ["--conf", f"{name}={value}"]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    environment = os.environ | {"SPARK_HOME": home, "SPARK_LOCAL_IP": "127.0.0.1"}
    with (folder / "log").open("wb") as output:
        process = subprocess.Popen(
            command, env=environment, cwd=folder, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    server = Daemon(process, folder / "log")
    try:
        yield f"sc://127.0.0.1:{server.wait_for(_STARTED)[1]}"
    finally:
        server.kill()


@pytest.fixture(scope="module")
def answers(spark_address: str) -> dict[str, Any]:
    """What the client was told."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.engines.spark_connect_client", spark_address],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_metrics(answers: dict[str, Any]) -> None:
    areas = {user: roc_auc_score(rows["clicked"], rows["pctr"]) for user, rows in KNOWN.groupby("user_id")}
    mean = sum(areas[user] * len(rows) for user, rows in KNOWN.groupby("user_id")) / len(KNOWN)
    [row] = answers["metrics"]["rows"]
    assert row["n"] == len(KNOWN)
    assert row["auc"] == pytest.approx(roc_auc_score(KNOWN["clicked"], KNOWN["pctr"]), abs=1e-9)
    assert row["gauc"] == pytest.approx(mean, abs=1e-9)
    assert row["copc"] == pytest.approx(KNOWN["clicked"].sum() / KNOWN["pctr"].sum(), abs=1e-9)
    assert answers["metrics"]["types"] == {"n": "int64"} | dict.fromkeys(["auc", "gauc", "copc"], "float64")
    assert len(answers["warned"]) == 1
    assert "'pctr'" in answers["warned"][0]
    assert "1 row" in answers["warned"][0]


def test_an_object_in_memory(answers: dict[str, Any]) -> None:
    expected = {user: ndcg_score([rows["clicked"]], [rows["pctr"]]) for user, rows in KNOWN.groupby("user_id")}
    assert {row["user_id"]: row["ndcg"] for row in answers["object"]["rows"]} == pytest.approx(expected, abs=1e-9)
    assert answers["left"] == []


@pytest.mark.parametrize(("call", "message"), [("task", "no luck"), ("name", "no_such_function")])
def test_the_engines_message_and_the_session_after_it(call: str, message: str, answers: dict[str, Any]) -> None:
    assert message in answers[call]["message"]
    assert len(answers[call]["message"].splitlines()) == 1
    assert message in answers[call]["sql"]
    assert answers["after"]["rows"][0]["n"] == len(KNOWN)


def test_shell(spark_address: str, tmp_path: Path) -> None:
    """The shell has a session of its own, which sees the files of the server."""
    KNOWN.to_parquet(tmp_path / "log.parquet", index=False)
    query = f"select * from parquet.`{tmp_path / 'log.parquet'}`"
    roles = ["--label", "clicked", "--score", "pctr", "--format", "csv"]
    done = subprocess.run(
        [sys.executable, "-m", "sqlmetrics", "eval", query, "-m", "auc", *roles, "--engine", spark_address],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    header, values = done.stdout.splitlines()
    assert header == "n,auc"
    assert float(values.split(",")[1]) == pytest.approx(roc_auc_score(KNOWN["clicked"], KNOWN["pctr"]), abs=1e-9)
