"""Spark through Spark Connect: the server is a process of its own, and the session holds no Java."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.metrics import ndcg_score, roc_auc_score

import sqlmetrics
from sqlmetrics.cli import main
from sqlmetrics.engines import Spark

from . import optional
from .spark_cluster import Daemon

LOG = pd.DataFrame({
    "clicked": [1, 0, 0, 1, 0, 1, 0, 1, 0, 0],
    "pctr": [0.9, 0.9, 0.1, 0.4, 0.3, 0.3, None, 0.7, 0.8, 0.2],
    "user_id": ["größe", "größe", "größe", "it's", "it's", "it's", "it's", "c", "c", "c"],
})  # fmt: skip
ROLES: dict[str, Any] = {"label": "clicked", "score": "pctr"}
# Spark's client is not yet sure of pandas 3; what is read here is Arrow's.
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
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
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
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
    with pytest.MonkeyPatch.context() as patch:
        # A main module without a file, as in the processes of pytest-xdist, it takes for a run of its own doctests.
        patch.setattr(sys.modules["__main__"], "__file__", __file__, raising=False)
        try:
            yield f"sc://127.0.0.1:{server.wait_for(_STARTED)[1]}"
        finally:
            server.kill()


@pytest.fixture(scope="module")
def spark(spark_address: str) -> Iterator[Spark]:
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(spark_address).create()
    session.createDataFrame(LOG).createOrReplaceTempView("impressions")
    yield Spark(session)
    session.stop()


def test_metrics(spark: Spark) -> None:
    with pytest.warns(sqlmetrics.DroppedRows, match="pctr.*1 row"):
        found = sqlmetrics.evaluate("impressions", "auc, gauc, copc", group="user_id", engine=spark, **ROLES)
    known = LOG.dropna()
    areas = {user: roc_auc_score(rows["clicked"], rows["pctr"]) for user, rows in known.groupby("user_id")}
    mean = sum(areas[user] * len(rows) for user, rows in known.groupby("user_id")) / len(known)
    row = found.iloc[0]
    assert row["auc"] == pytest.approx(roc_auc_score(known["clicked"], known["pctr"]), abs=1e-9)
    assert row["gauc"] == pytest.approx(mean, abs=1e-9)
    assert row["copc"] == pytest.approx(known["clicked"].sum() / known["pctr"].sum(), abs=1e-9)
    assert found.dtypes.astype(str).to_dict() == {"n": "int64"} | dict.fromkeys(["auc", "gauc", "copc"], "float64")


def test_an_object_in_memory(spark: Spark) -> None:
    before = [table.name for table in spark.session.catalog.listTables()]
    data = LOG.dropna()
    found = sqlmetrics.ndcg(data, group="user_id", gain="linear", ties="average", by="user_id", engine=spark, **ROLES)
    expected = {user: ndcg_score([rows["clicked"]], [rows["pctr"]]) for user, rows in data.groupby("user_id")}
    assert dict(zip(found["user_id"], found["ndcg"], strict=True)) == pytest.approx(expected, abs=1e-9)
    assert [table.name for table in spark.session.catalog.listTables()] == before


@pytest.mark.parametrize(
    ("label", "message"),
    [("= if(clicked = 1, raise_error('no luck'), 0)", "no luck"), ("= no_such_function(clicked)", "no_such_function")],
)
def test_the_engines_message_and_the_session_after_it(label: str, message: str, spark: Spark) -> None:
    with pytest.raises(sqlmetrics.QueryFailed, match=message) as caught:
        sqlmetrics.auc("impressions", label=label, score="pctr", engine=spark)
    assert message in caught.value.sql
    assert len(sqlmetrics.auc("impressions", engine=spark, where="pctr is not null", **ROLES)) == 1


def test_shell(spark_address: str, tmp_path: Path) -> None:
    """The shell has a session of its own, which sees the files of the server."""
    LOG.dropna().to_parquet(tmp_path / "log.parquet", index=False)
    query = f"select * from parquet.`{tmp_path / 'log.parquet'}`"
    arguments = ["eval", query, "-m", "auc", "--label", "clicked", "--score", "pctr", "--format", "csv"]
    result = CliRunner().invoke(main, [*arguments, "--engine", spark_address])
    assert result.exit_code == 0, result.output
    known = LOG.dropna()
    header, values = result.stdout.splitlines()
    assert header == "n,auc"
    assert float(values.split(",")[1]) == pytest.approx(roc_auc_score(known["clicked"], known["pctr"]), abs=1e-9)
