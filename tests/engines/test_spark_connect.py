"""Spark through Spark Connect: the server is a process of its own, and the session holds no Java."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import ndcg_score, roc_auc_score

from tests import ROOT, optional
from tests.engines.servers import FAST_START, SMALL_DATA
from tests.engines.spark_cluster import start_daemon
from tests.engines.spark_connect_client import LOG

pytestmark = pytest.mark.slow

ROWS = LOG.dropna()


@pytest.fixture(scope="module")
def spark_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that runs as long as the tests."""
    optional.package("grpc")
    folder: Path = tmp_path_factory.mktemp("connect")
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1", "spark.connect.grpc.binding.port": "0",
        "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.warehouse.dir": str(folder / "warehouse"), **SMALL_DATA,
        "spark.driver.extraJavaOptions": f"{FAST_START} -Djava.io.tmpdir={folder}",
    }  # fmt: skip
    command = ["spark-submit", "--master", "local[2]"]
    for name, value in settings.items():
        command += ["--conf", f"{name}={value}"]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    server = start_daemon(command, folder / "log")
    try:
        started = server.wait_for(r"Spark Connect server started at: \S*:(\d+)")
        yield f"sc://127.0.0.1:{started[1]}"
    finally:
        server.kill()


def run_python(*arguments: str) -> str:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_calls(spark_address: str) -> None:
    results: dict[str, Any] = json.loads(run_python("tests.engines.spark_connect_client", spark_address))
    users = dict(list(ROWS.groupby("user_id")))
    [row] = results["metrics"]
    assert row == pytest.approx({
        "n": len(ROWS),
        "auc": roc_auc_score(ROWS["clicked"], ROWS["pctr"]),
        "gauc": sum(roc_auc_score(u["clicked"], u["pctr"]) * len(u) for u in users.values()) / len(ROWS),
        "copc": ROWS["clicked"].sum() / ROWS["pctr"].sum(),
    }, abs=1e-9)  # fmt: skip
    assert results["types"] == {"n": "int64"} | dict.fromkeys(["auc", "gauc", "copc"], "float64")
    [warning] = results["warnings"]
    assert re.search("'pctr'.* in 1 row", warning)
    # An object in memory
    expected = {user: ndcg_score([rows["clicked"]], [rows["pctr"]]) for user, rows in users.items()}
    assert {row["user_id"]: row["ndcg"] for row in results["object"]} == pytest.approx(expected, abs=1e-9)
    assert results["tables left"] == 0
    # Errors of a task and of the analyzer, and the session after them
    for words in ("no luck", "no_such_function"):
        assert words in results[words]["message"]
        assert len(results[words]["message"].splitlines()) == 1
        assert words in results[words]["sql"]
    assert results["rows after errors"] == len(ROWS)


def test_shell(spark_address: str, tmp_path: Path) -> None:
    """The shell has its own session, which sees the files of the server."""
    ROWS.to_parquet(tmp_path / "log.parquet", index=False)
    query = f"select * from parquet.`{tmp_path / 'log.parquet'}`"
    roles = ["--label", "clicked", "--score", "pctr", "--format", "csv"]
    header, values = run_python("sqlmetrics", "eval", query, "-m", "auc", *roles, "--engine", spark_address).split()
    assert header == "n,auc"
    assert float(values.split(",")[1]) == pytest.approx(roc_auc_score(ROWS["clicked"], ROWS["pctr"]), abs=1e-9)
