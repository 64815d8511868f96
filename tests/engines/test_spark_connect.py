"""Spark through Spark Connect: the server is a separate process, and the session has no JVM.

A process has either a classic Spark session or a remote one, and the other tests use a classic one. The calls of a user
therefore run in another process, `python -m tests.engines.test_spark_connect ADDRESS FILE`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import sqlmetrics
from sqlmetrics.engines import Spark
from tests import ROOT, optional
from tests.dbt.postgres_server import free_port
from tests.engines.servers import FAST_START, SMALL_DATA

pytestmark = pytest.mark.slow

LOG = pd.DataFrame({"clicked": [1, 0, 0, 1, 0, 1], "pctr": [0.9, 0.9, 0.1, 0.4, 0.3, 0.3], "user": [*"aabbbü"]})
ROLES: dict[str, Any] = {"label": "clicked", "score": "pctr"}


def test_calls(tmp_path: Path) -> None:
    grpc = optional.package("grpc")
    optional.program("java")
    port = str(free_port())
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1", "spark.connect.grpc.binding.port": port,
        "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": f"{FAST_START} -Djava.io.tmpdir={tmp_path}", **SMALL_DATA,
    }  # fmt: skip
    command = [f"{Path(optional.package('pyspark').__file__).parent}/bin/spark-submit", "--master", "local[2]"]
    for name, value in settings.items():
        command += ["--conf", f"{name}={value}"]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    LOG.to_parquet(tmp_path / "log.parquet", index=False)
    calls = [sys.executable, "-m", "tests.engines.test_spark_connect", f"sc://127.0.0.1:{port}"]
    server = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            grpc.channel_ready_future(channel).result(timeout=180)
        done = subprocess.run([*calls, str(tmp_path / "log.parquet")], check=False, cwd=ROOT, stderr=subprocess.PIPE)
        assert done.returncode == 0, done.stderr.decode()
    finally:
        server.kill()
        server.wait()


def main(address: str, file: str) -> None:
    from pyspark.sql import SparkSession

    # With an address, the library opens a session, which sees the files of the server.
    auc = sqlmetrics.auc(f"select * from parquet.`{file}`", engine=address, **ROLES)
    assert auc.iloc[0].tolist() == [6, pytest.approx(roc_auc_score(LOG["clicked"], LOG["pctr"]), abs=1e-9)]
    assert auc.dtypes.astype(str).to_dict() == {"n": "int64", "auc": "float64"}
    session = SparkSession.builder.remote(address).getOrCreate()
    session.createDataFrame(LOG).createOrReplaceTempView("impressions")
    engine = Spark(session)
    # Errors of a task and of the analyzer, after which the session still works
    wrong = {"no luck": "= if(clicked = 1, raise_error('no luck'), 0)", "no_such_function": "= no_such_function(pctr)"}
    for message, label in wrong.items():
        with pytest.raises(sqlmetrics.QueryFailed, match=message) as caught:
            sqlmetrics.auc("impressions", label=label, score="pctr", engine=engine)
        assert "\n" not in str(caught.value)
        assert message in caught.value.sql
    # An object in memory
    mrr = sqlmetrics.mrr(LOG, group="user", by="user", ties="worst", engine=engine, **ROLES)
    assert mrr.to_numpy().tolist() == [["a", 2, 0.5], ["b", 3, 1.0], ["ü", 1, 1.0]]
    assert [table.name for table in session.catalog.listTables()] == ["impressions"]
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
