"""A real impression log, from the folder that SQLMETRICS_REAL_DATA names; test_judgments.py has a TREC run."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest
from sklearn import metrics

import sqlmetrics
from tests.optional import real_data


@pytest.mark.slow
def test_metrics_of_open_bandit_match_scikit_learn() -> None:
    """69 clicks in 10,000 impressions at three positions."""
    path = real_data("openbandit") / "men.parquet"
    log = duckdb.sql(f"select * from read_parquet('{path}')").df()
    click = log["click"].astype(int)
    for score in ("propensity_score", "affinity"):
        result = sqlmetrics.evaluate(path, ["auc", "average_precision"], label="click", score=score)
        expected = [
            len(log),
            metrics.roc_auc_score(click, log[score]),
            metrics.average_precision_score(click, log[score]),
        ]
        assert result.iloc[0].tolist() == pytest.approx(expected, abs=1e-9)
    probability = log["propensity_score"]
    result = sqlmetrics.evaluate(path, ["log_loss", "copc"], label="click", score="propensity_score").iloc[0, 1:]
    expected = [metrics.log_loss(click, probability, labels=[0, 1]), click.mean() / probability.mean()]
    assert result.tolist() == pytest.approx(expected, rel=1e-9, abs=1e-9)
    groups = [rows for _, rows in log.groupby("position")]
    areas = [metrics.roc_auc_score(rows["click"].astype(int), rows["affinity"]) for rows in groups]
    assert len(groups) == 3
    roles = {"label": "click", "score": "affinity"}
    gauc = sqlmetrics.gauc(path, **roles, group="position")["gauc"].item()
    assert gauc == pytest.approx(np.average(areas, weights=[len(rows) for rows in groups]), abs=1e-9)
    for table in (sqlmetrics.group_auc(path, **roles, group="position"), sqlmetrics.auc(path, **roles, by="position")):
        assert table["auc"].tolist() == pytest.approx(areas, abs=1e-9)
