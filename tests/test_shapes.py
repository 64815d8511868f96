"""How a query is run: its shape, chosen from the data, and its memory. The numbers do not depend on them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import sqlmetrics
from sqlmetrics import running

ROWS = 60_000


def log(digits: int | None) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    score = rng.random(ROWS)
    score = score if digits is None else score.round(digits)
    clicked = (rng.random(ROWS) < 0.1 + 0.3 * score).astype(float)
    return pd.DataFrame({"clicked": clicked, "score": score, "device": rng.choice(["a", "b"], ROWS)})


@pytest.mark.parametrize(("digits", "ranked"), [(None, True), (3, False)], ids=["all scores differ", "scores repeat"])
def test_the_shape_follows_the_scores(digits: int | None, ranked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    statements = []
    plain = running.fetch

    def noted(source: object, sql: str) -> pd.DataFrame:
        statements.append(sql)
        return plain(source, sql)  # type: ignore[arg-type]

    data = log(digits)
    roles = {"label": "clicked", "score": "score"}
    result = running.run(data, "auc", roles, execute=noted)
    assert ("rank() over" in statements[-1]) == ranked
    assert ("distinct_scores" in statements[-1]) == (not ranked)
    assert result["auc"][0] == pytest.approx(roc_auc_score(data["clicked"], data["score"]), abs=1e-12)


def test_either_shape_gives_the_same() -> None:
    data = log(3)
    asked = {"label": "clicked", "score": "score", "by": "device"}
    chosen = sqlmetrics.evaluate(data, "auc", **asked)
    for shape in ("rows", "distinct"):
        sql = sqlmetrics.render("auc", relation="data", shape=shape, **asked)
        assert duckdb.sql(sql).df()["auc"].tolist() == pytest.approx(chosen["auc"].tolist(), abs=1e-12)


def test_what_memory_does_not_hold_is_written_to_a_folder_that_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = 3_000_000
    path = tmp_path / "log.parquet"
    duckdb.sql(
        f"copy (select hash(i) % 2 as clicked, hash(i, 1) / 1.8446744073709552e19 as score from range({rows}) as t(i)) "
        f"to '{path}' (format parquet)"
    )
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    asked = {"label": "clicked", "score": "score"}
    spilled = []
    plain = running.fetch

    def watched(source: running.Source, sql: str) -> pd.DataFrame:
        assert source.connection is not None
        result = plain(source, sql)
        spilled.append(len(list(folder.iterdir())))
        return result

    small = running.run(path, "auc", asked, threads=1, memory_limit="60MB", execute=watched)
    assert spilled[-1] == 1, "a folder of its own"
    assert list(folder.iterdir()) == []
    assert small["auc"][0] == pytest.approx(sqlmetrics.evaluate(path, "auc", **asked)["auc"][0], abs=1e-12)
    with duckdb.connect() as con:  # it did need the folder
        con.execute("set threads = 1; set memory_limit = '60MB'; set max_temp_directory_size = '0B'")
        with pytest.raises(sqlmetrics.QueryFailed, match="Out of Memory"):
            sqlmetrics.evaluate(path, "auc", con=con, **asked)
    failing = {"label": "clicked", "score": "= case when error('stop') is null then score end"}
    with pytest.raises(sqlmetrics.QueryFailed):
        sqlmetrics.evaluate(path, "auc", **failing)
    assert list(folder.iterdir()) == []
