"""The project on the page of dbt builds over the log of the examples, and its alert shows failures."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import duckdb
import pytest

from tests import ROOT
from tests.dbt.hosting import dbt, make_project, require_adapter

pytestmark = pytest.mark.slow

_FILE = re.compile(r"```(?:sql|yaml)\n(?:--|#) (models/\S+)\n(.*?)```", re.DOTALL)
_ALERT = re.compile(r"`(select [^`]*dbt_test__audit[^`]*)`")
_LOG = "{{ config(event_time='day') }}\nselect * from 'impressions.parquet'\n"


def test_project_of_page_builds(tmp_path: Path) -> None:
    require_adapter("duckdb")
    project = make_project(tmp_path / "project", {"duckdb": {"type": "duckdb", "path": str(tmp_path / "page.duckdb")}})
    (project / "models").mkdir()
    shutil.copy(ROOT / "examples" / "impressions.parquet", project)
    (project / "models" / "impressions.sql").write_text(_LOG, encoding="utf-8")
    page = (ROOT / "sql" / "dbt.md").read_text(encoding="utf-8")
    files = dict(_FILE.findall(page))
    assert len(files) == 11
    for name, text in files.items():
        (project / name).write_text(text, encoding="utf-8")
    # Without an end, dbt builds a batch for every day until today.
    done = dbt(project, "build", "--event-time-start", "2026-03-01", "--event-time-end", "2026-03-09")
    assert done.returncode == 0, done.stdout
    assert "PASS=15 WARN=1 ERROR=0" in done.stdout
    [alert] = _ALERT.findall(page)
    with duckdb.connect(str(tmp_path / "page.duckdb")) as con:
        assert con.execute(alert).fetchall() == []
    schema = project / "models" / "schema.yml"
    text = schema.read_text(encoding="utf-8").replace("min_value: 0.7,", "min_value: 0.9,")
    schema.write_text(text, encoding="utf-8")
    done = dbt(project, "test", "--select", "test_name:metric_between")
    assert done.returncode == 1, done.stdout
    with duckdb.connect(str(tmp_path / "page.duckdb")) as con:
        rows = con.execute(alert).fetchall()
    assert len(rows) == 7
    assert {row[2:] for row in rows} == {(0.9, "the value is below min_value")}
