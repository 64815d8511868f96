"""Real data, from the folder that SQLMETRICS_REAL_DATA names: an impression log, and a TREC run with its judgments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from sklearn import metrics

import sqlmetrics
from tests.optional import real_data

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder() -> Path:
    return real_data("")


# Open Bandit: 69 clicks in 10,000 impressions


@pytest.fixture(scope="module")
def impressions(folder: Path) -> pd.DataFrame:
    return duckdb.sql(f"select * from read_parquet('{folder / 'openbandit' / 'men.parquet'}')").df()


@pytest.mark.parametrize("score", ["propensity_score", "affinity"])
def test_ranking_quality_of_an_impression_log(folder: Path, impressions: pd.DataFrame, score: str) -> None:
    path = folder / "openbandit" / "men.parquet"
    result = sqlmetrics.evaluate(path, ["auc", "average_precision"], label="click", score=score)
    click, predicted = impressions["click"].astype(int), impressions[score]
    assert result["n"][0] == len(impressions)
    assert result["auc"][0] == pytest.approx(metrics.roc_auc_score(click, predicted), abs=1e-9)
    assert result["average_precision"][0] == pytest.approx(metrics.average_precision_score(click, predicted), abs=1e-9)


def test_calibration_of_an_impression_log(folder: Path, impressions: pd.DataFrame) -> None:
    path = folder / "openbandit" / "men.parquet"
    result = sqlmetrics.evaluate(path, ["log_loss", "copc"], label="click", score="propensity_score")
    click, predicted = impressions["click"].astype(int), impressions["propensity_score"]
    assert result["log_loss"][0] == pytest.approx(metrics.log_loss(click, predicted, labels=[0, 1]), abs=1e-9)
    assert result["copc"][0] == pytest.approx(click.mean() / predicted.mean(), rel=1e-9)


def test_auc_within_positions(folder: Path, impressions: pd.DataFrame) -> None:
    path = folder / "openbandit" / "men.parquet"
    result = sqlmetrics.evaluate(path, "gauc", label="click", score="affinity", group="position")
    table = sqlmetrics.evaluate(path, "group_auc", label="click", score="affinity", group="position")
    groups = [rows for _, rows in impressions.groupby("position")]
    areas = [metrics.roc_auc_score(rows["click"].astype(int), rows["affinity"]) for rows in groups]
    assert len(groups) == 3
    assert result["gauc"][0] == pytest.approx(np.average(areas, weights=[len(rows) for rows in groups]), abs=1e-9)
    assert table["auc"].tolist() == pytest.approx(areas, abs=1e-9)


def test_auc_by_slices(folder: Path, impressions: pd.DataFrame) -> None:
    path = folder / "openbandit" / "men.parquet"
    result = sqlmetrics.evaluate(path, "auc", label="click", score="affinity", by="position").set_index("position")
    for position, rows in impressions.groupby("position"):
        expected = metrics.roc_auc_score(rows["click"].astype(int), rows["affinity"])
        assert result.loc[position, "auc"] == pytest.approx(expected, abs=1e-9)


# TREC: a run joined with its judgments. Relevant documents that the run does not return are not in the join, so only
# measures that do not count them can be compared.

CUTS = [5, 10, 15, 20, 30, 100]
MEASURES = ["recip_rank", *[f"P_{cut}" for cut in CUTS]]


def judged_run(folder: Path) -> str:
    run, judgments = folder / "trec" / "run.txt", folder / "trec" / "qrels.txt"
    return f"""
        select
            run.topic,
            run.docno,
            cast(run.score as float) as score,
            coalesce(judged.relevance, 0) as relevance
        from read_csv('{run}', delim = '\t', header = false, auto_detect = false, columns = {{
            'topic': 'varchar', 'q0': 'varchar', 'docno': 'varchar',
            'place': 'integer', 'score': 'double', 'tag': 'varchar'
        }}) as run
        left join read_csv('{judgments}', delim = ' ', header = false, auto_detect = false, columns = {{
            'topic': 'varchar', 'zero': 'varchar', 'docno': 'varchar', 'relevance': 'integer'
        }}) as judged
            using (topic, docno)
    """


def ours(data: Any, **options: Any) -> pd.DataFrame:
    asked = ["recip_rank = mrr(ties='key')", *[f"P_{cut} = precision_at_k(k={cut}, ties='key')" for cut in CUTS]]
    roles = {"label": "relevance", "score": "score", "group": "topic", "tie_key": "docno"}
    return sqlmetrics.evaluate(data, asked, **roles, **options)


def test_trec_means(folder: Path) -> None:
    """Against the output of NIST's own program, which prints four decimals."""
    lines = [line.split() for line in (folder / "trec" / "expected.tsv").read_text().splitlines()]
    printed = {name: float(value) for name, _, value in (line for line in lines if line[0] in MEASURES)}
    assert sorted(printed) == sorted(MEASURES)
    result = ours(judged_run(folder))
    assert result["n"][0] == 1500
    for measure in MEASURES:
        assert round(result[measure][0], 4) == pytest.approx(printed[measure], abs=1e-9)


def test_trec_topics(folder: Path) -> None:
    """Every topic by itself, as slices of one topic each."""
    with (folder / "trec" / "qrels.txt").open() as file:
        judgments = pytrec_eval.parse_qrel(file)
    with (folder / "trec" / "run.txt").open() as file:
        run = pytrec_eval.parse_run(file)
    wanted = {"recip_rank", f"P.{','.join(map(str, CUTS))}"}
    expected = pytrec_eval.RelevanceEvaluator(judgments, wanted).evaluate(run)
    result = ours(judged_run(folder), by="topic").set_index("topic")
    assert sorted(result.index) == sorted(expected)
    for topic, values in expected.items():
        for measure in MEASURES:
            assert result.loc[topic, measure] == pytest.approx(values[measure], abs=1e-9), (topic, measure)
