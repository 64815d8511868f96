"""Spark through Spark Connect: the server is a process of its own, and the session holds no Java.

A process has either Spark's classic session or its remote one, and the other tests have the first: the calls of a user
are in one more process, `python -m tests.engines.test_spark_connect ADDRESS`, which prints results as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.metrics import ndcg_score, roc_auc_score

import sqlmetrics
from sqlmetrics.engines import Spark
from tests import ROOT, optional
from tests.engines.servers import FAST_START, SMALL_DATA
from tests.engines.spark_cluster import start_daemon

pytestmark = pytest.mark.slow

LOG = pd.DataFrame({
    "clicked": [1, 0, 0, 1, 0, 1, 0, 1, 0, 0], "pctr": [0.9, 0.9, 0.1, 0.4, 0.3, 0.3, 0.6, 0.7, 0.8, 0.2],
    "user_id": ["größe", "größe", "größe", "it's", "it's", "it's", "it's", "c", "c", "c"],
})  # fmt: skip
ROLES: dict[str, Any] = {"label": "clicked", "score": "pctr"}


@pytest.fixture(scope="module")
def spark_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that runs as long as the test."""
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


def test_calls(spark_address: str, tmp_path: Path) -> None:
    LOG.to_parquet(tmp_path / "log.parquet", index=False)
    command = [sys.executable, "-m", "tests.engines.test_spark_connect", spark_address, str(tmp_path / "log.parquet")]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    auc = pytest.approx(roc_auc_score(LOG["clicked"], LOG["pctr"]), abs=1e-9)
    assert (results["auc"], results["types"]) == ({"n": 10, "auc": auc}, {"n": "int64", "auc": "float64"})
    gains = {user: ndcg_score([rows["clicked"]], [rows["pctr"]]) for user, rows in LOG.groupby("user_id")}
    assert {row["user_id"]: row["ndcg"] for row in results["ndcg"]} == pytest.approx(gains, abs=1e-9)
    # Errors of a task and of the analyzer, and the session after them
    for words in ("no luck", "no_such_function"):
        message, sql = results[words]
        assert words in message
        assert len(message.splitlines()) == 1
        assert words in sql
    assert results["tables"] == ["impressions"]


def main(address: str, file: str) -> None:
    from pyspark.sql import SparkSession

    # By its address the library has a session of its own, which sees the files of the server.
    results: dict[str, Any] = {}
    auc = sqlmetrics.auc(f"select * from parquet.`{file}`", engine=address, **ROLES)
    results["auc"], results["types"] = auc.iloc[0].to_dict(), auc.dtypes.astype(str).to_dict()
    session = SparkSession.builder.remote(address).getOrCreate()
    session.createDataFrame(LOG).createOrReplaceTempView("impressions")
    engine = Spark(session)
    wrong = {"no luck": "= if(clicked = 1, raise_error('no luck'), 0)", "no_such_function": "= no_such_function(pctr)"}
    for words, label in wrong.items():
        try:
            sqlmetrics.auc("impressions", label=label, score="pctr", engine=engine)
        except sqlmetrics.QueryFailed as error:
            results[words] = str(error), error.sql
    # An object in memory
    options: dict[str, Any] = {"gain": "linear", "ties": "average", "by": "user_id", "engine": engine}
    results["ndcg"] = sqlmetrics.ndcg(LOG, group="user_id", **options, **ROLES).to_dict("records")
    results["tables"] = [table.name for table in session.catalog.listTables()]
    session.stop()
    print(json.dumps(results))


if __name__ == "__main__":
    main(*sys.argv[1:])
