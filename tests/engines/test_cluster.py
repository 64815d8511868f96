"""Metrics on a cluster of Spark: a master and two workers as processes of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import ndcg_score, roc_auc_score

import sqlmetrics
from sqlmetrics.engines import Spark
from tests.engines.spark_cluster import (
    Stage,
    last_stage,
    spark_cluster,
    stages_since,
)

pytestmark = pytest.mark.slow

ROWS = 200_000
SCORES = ("uniform", "skewed", "tied")


@pytest.fixture(scope="module")
def log() -> pd.DataFrame:
    """Clicks with scores of three kinds: spread evenly, click-through rates of about 0.001, and half of them equal."""
    rng = np.random.default_rng(11)
    uniform = rng.random(ROWS)
    return pd.DataFrame({
        "clicked": (rng.random(ROWS) < 0.05 + 0.1 * uniform).astype("int8"),
        "uniform": uniform,
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
    with spark_cluster() as running, running.session() as session:
        session.read.parquet(str(folder)).createOrReplaceTempView("log")
        yield session


def stages_of(session: Any, call: Any) -> tuple[pd.DataFrame, list[Stage]]:
    before = last_stage(session)
    result = call()
    return result, stages_since(session, before)


def after_the_look(stages: list[Stage]) -> list[Stage]:
    """Those of the statement: the look at the first scores reads one file of the four, and no more than it takes."""
    look, *others = stages
    assert look.tasks == 1
    assert 10_000 <= look.rows_in < 20_000
    return others


@pytest.mark.parametrize("score", SCORES)
def test_auc(score: str, workers: Any, log: pd.DataFrame) -> None:
    result, stages = stages_of(
        workers, lambda: sqlmetrics.auc("log", label="clicked", score=score, engine=Spark(workers))
    )
    stages = after_the_look(stages)
    assert result["n"].tolist() == [ROWS]
    assert result["auc"][0] == pytest.approx(roc_auc_score(log["clicked"], log[score]), abs=1e-9)
    # Of the rows and of the distinct scores, no task has much more than its part of the eight.
    distinct = log[score].nunique()
    large = [stage for stage in stages if stage.rows_in > 20_000]
    assert any(stage.rows_in >= ROWS for stage in large)
    for stage in large:
        assert stage.tasks > 1, stage
        assert stage.share_of_largest < (0.3 if stage.rows_in >= ROWS else 0.25), stage
    # Where scores differ each row is sent once; a tie is one row before it is sent.
    if score != "tied":
        assert sum(stage.rows_out for stage in stages) < 1.2 * ROWS
    assert max(stage.rows_out for stage in stages) <= 8 * distinct
    for stage in stages:
        if stage.tasks == 1:
            assert stage.rows_in < 20_000, stage


def test_auc_by_slice(workers: Any, log: pd.DataFrame) -> None:
    by = "half = user_id < 300"
    result, stages = stages_of(
        workers, lambda: sqlmetrics.auc("log", label="clicked", score="skewed", by=by, engine=Spark(workers))
    )
    expected = [
        roc_auc_score(part["clicked"], part["skewed"]) for _, part in log.groupby(log["user_id"] < 300, sort=True)
    ]
    assert result["auc"].tolist() == pytest.approx(expected, abs=1e-9)
    assert all(stage.share_of_largest < 0.3 for stage in after_the_look(stages) if stage.rows_in > 20_000)


def test_gauc_and_ndcg(workers: Any, log: pd.DataFrame) -> None:
    roles = {"label": "clicked", "score": "uniform", "group": "user_id"}
    result, stages = stages_of(
        workers, lambda: sqlmetrics.evaluate("log", ["gauc", "ndcg@10"], engine=Spark(workers), **roles)
    )
    weights, areas, gains = [], [], []
    for _, user in log.groupby("user_id"):
        clicked, score = user["clicked"].to_numpy(), user["uniform"].to_numpy()
        if 0 < clicked.sum() < len(clicked):
            weights.append(len(clicked))
            areas.append(roc_auc_score(clicked, score))
        if clicked.sum() and len(clicked) > 1:
            gains.append(ndcg_score([clicked], [score], k=10))
        elif clicked.sum():
            gains.append(1.0)
    assert result["gauc"][0] == pytest.approx(np.average(areas, weights=weights), abs=1e-9)
    assert result["ndcg_at_10"][0] == pytest.approx(np.mean(gains), abs=1e-9)
    assert all(stage.tasks > 1 and stage.share_of_largest < 0.3 for stage in stages if stage.rows_in > 20_000)


def test_the_engines_message_and_the_session_after_it(workers: Any) -> None:
    with pytest.raises(sqlmetrics.QueryFailed, match="no luck"):
        sqlmetrics.auc("log", label="= if(clicked = 1, raise_error('no luck'), 0)", score="uniform",
                       engine=Spark(workers))  # fmt: skip
    assert sqlmetrics.copc("log", label="clicked", score="uniform", engine=Spark(workers))["n"].tolist() == [ROWS]
