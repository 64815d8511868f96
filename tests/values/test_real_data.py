"""A real impression log, from the folder that SQLMETRICS_REAL_DATA names."""

from __future__ import annotations

import duckdb
import pytest
from sklearn import metrics

import sqlmetrics
from tests.optional import real_data


@pytest.mark.slow
def test_metrics_of_open_bandit_match_scikit_learn() -> None:
    """69 clicks in 10,000 impressions at three positions."""
    path = real_data("openbandit") / "men.parquet"
    log = duckdb.sql(f"select * from read_parquet('{path}')").df()
    names = ["auc", "average_precision", "log_loss", "copc"]
    result = sqlmetrics.evaluate(path, names, label="click", score="propensity_score").iloc[0]
    click, probability = log["click"].astype(int), log["propensity_score"]
    expected = [metrics.roc_auc_score(click, probability), metrics.average_precision_score(click, probability)]
    expected += [metrics.log_loss(click, probability, labels=[0, 1]), click.mean() / probability.mean()]
    assert result.tolist() == pytest.approx([len(log), *expected], rel=1e-9)
    table = sqlmetrics.group_auc(path, label="click", score="affinity", group="position")
    areas = [metrics.roc_auc_score(rows["click"], rows["affinity"]) for _, rows in log.groupby("position")]
    assert table["auc"].tolist() == pytest.approx(areas, abs=1e-9)
    assert len(areas) == 3
