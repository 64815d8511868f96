"""What the page of dbt shows, built as it stands over the log of the examples."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.dbt.hosting import dbt, make_project, require_adapter

pytestmark = pytest.mark.full

_ROOT = Path(__file__).parent.parent.parent
_FILE = re.compile(r"```(?:sql|yaml)\n(?:--|#) (models/\S+)\n(.*?)```", re.DOTALL)


def test_page(tmp_path: Path) -> None:
    require_adapter("duckdb")
    project = make_project(tmp_path / "project", {"duckdb": {"type": "duckdb", "path": str(tmp_path / "page.duckdb")}})
    (project / "models").mkdir()
    shutil.copy(_ROOT / "examples" / "impressions.parquet", project)
    (project / "models" / "impressions.sql").write_text("select * from 'impressions.parquet'\n", encoding="utf-8")
    files = dict(_FILE.findall((_ROOT / "sql" / "dbt.md").read_text(encoding="utf-8")))
    assert len(files) == 4
    for name, text in files.items():
        (project / name).write_text(text, encoding="utf-8")
    done = dbt(project, "build")
    assert done.returncode == 0, done.stdout
    assert "PASS=6 WARN=1 ERROR=0" in done.stdout
