"""Metrics on a cluster of Spark: a master and two workers as processes of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import ndcg_score, roc_auc_score

import sqlmetrics
from sqlmetrics.engines import Spark
from tests.engines.spark_cluster import Stage, last_stage, spark_cluster, stages_since

pytestmark = pytest.mark.slow

ROWS = 200_000


@pytest.fixture(scope="module")
def log() -> pd.DataFrame:
    """Clicks with scores of three distributions: uniform, log-normal around 0.001, and half of them equal."""
    rng = np.random.default_rng(11)
    uniform = rng.random(ROWS)
    return pd.DataFrame({
        "clicked": (rng.random(ROWS) < 0.05 + 0.1 * uniform).astype("int8"), "uniform": uniform,
        "skewed": np.exp(rng.normal(-6.9, 1, ROWS)).clip(0, 1),
        "tied": np.where(rng.random(ROWS) < 0.5, 0.001, uniform.round(2)),
        "user_id": rng.integers(0, ROWS // 200, ROWS),
    })  # fmt: skip


@pytest.fixture(scope="module")
def workers(log: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session on the cluster that has the log as a table of four files."""
    folder: Path = tmp_path_factory.mktemp("log")
    for number, part in enumerate(np.array_split(np.arange(ROWS), 4)):
        log.iloc[part].to_parquet(folder / f"{number}.parquet", index=False)
    with spark_cluster() as cluster, cluster.session() as session:
        session.read.parquet(str(folder)).createOrReplaceTempView("log")
        yield session


def stages_of(session: Any, call: Callable[..., pd.DataFrame], **roles: Any) -> tuple[pd.DataFrame, list[Stage]]:
    before = last_stage(session)
    result = call("log", label="clicked", engine=Spark(session), **roles)
    return result, stages_since(session, before)


def after_inspection(stages: list[Stage]) -> list[Stage]:
    """The stages of the statement. The inspection of the first scores reads only as much as it needs of one file."""
    inspection, *others = stages
    assert inspection.tasks == 1
    assert 10_000 <= inspection.rows_in < 20_000
    return others


@pytest.mark.parametrize("score", ["uniform", "skewed", "tied"])
def test_auc(score: str, workers: Any, log: pd.DataFrame) -> None:
    result, stages = stages_of(workers, sqlmetrics.auc, score=score)
    stages = after_inspection(stages)
    assert result.iloc[0].tolist() == [ROWS, pytest.approx(roc_auc_score(log["clicked"], log[score]), abs=1e-9)]
    # Of the rows and of the distinct scores, no task has much more than its part of the eight.
    large = [stage for stage in stages if stage.rows_in > 20_000]
    assert any(stage.rows_in >= ROWS for stage in large)
    for stage in large:
        assert stage.tasks > 1, stage
        assert stage.share_of_largest < (0.3 if stage.rows_in >= ROWS else 0.25), stage
    # Where scores differ, each row is sent once. A tie is one row before it is sent.
    if score != "tied":
        assert sum(stage.rows_out for stage in stages) < 1.2 * ROWS
    assert max(stage.rows_out for stage in stages) <= 8 * log[score].nunique()


def test_slices_and_groups(workers: Any, log: pd.DataFrame) -> None:
    result, stages = stages_of(workers, sqlmetrics.auc, score="skewed", by="half = user_id < 300")
    halves = log.groupby(log["user_id"] < 300, sort=True)
    expected = [roc_auc_score(rows["clicked"], rows["skewed"]) for _, rows in halves]
    assert result["auc"].tolist() == pytest.approx(expected, abs=1e-9)
    assert all(stage.share_of_largest < 0.3 for stage in after_inspection(stages) if stage.rows_in > 20_000)

    roles = {"metrics": ["gauc", "ndcg@10"], "score": "uniform", "group": "user_id"}
    result, stages = stages_of(workers, sqlmetrics.evaluate, **roles)
    users = [(rows["clicked"].to_numpy(), rows["uniform"].to_numpy()) for _, rows in log.groupby("user_id")]
    both = [(clicked, score) for clicked, score in users if 0 < clicked.sum() < len(clicked)]
    areas = [roc_auc_score(clicked, score) for clicked, score in both]
    gains = [ndcg_score([clicked], [score], k=10) for clicked, score in users if clicked.any()]
    weights = [len(clicked) for clicked, _ in both]
    assert result["gauc"][0] == pytest.approx(np.average(areas, weights=weights), abs=1e-9)
    assert result["ndcg_at_10"][0] == pytest.approx(np.mean(gains), abs=1e-9)
    assert all(stage.tasks > 1 and stage.share_of_largest < 0.3 for stage in stages if stage.rows_in > 20_000)


def test_error_of_a_task_and_the_session_after_it(workers: Any) -> None:
    roles = {"score": "uniform", "engine": Spark(workers)}
    with pytest.raises(sqlmetrics.QueryFailed, match="no luck"):
        sqlmetrics.auc("log", label="= if(clicked = 1, raise_error('no luck'), 0)", **roles)
    assert sqlmetrics.copc("log", label="clicked", **roles)["n"].tolist() == [ROWS]
