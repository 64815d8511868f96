"""The ways to install the package: a folder (as everywhere in these tests), and a folder of a git repository."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import sqlmetrics
from sqlmetrics.catalogue import sql_root
from tests.dbt.hosting import dbt, make_project, require_adapter


def test_from_git(tmp_path: Path) -> None:
    require_adapter("duckdb")
    repository = tmp_path / "repository"
    shutil.copytree(sql_root(), repository / "sql")
    author = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], [*author, "commit", "-q", "-m", "the package"]):
        subprocess.run(["git", *arguments], cwd=repository, check=True, timeout=60)
    package = {"git": repository.as_uri(), "subdirectory": "sql", "revision": "main"}
    project = make_project(tmp_path / "project", {"duckdb": {"type": "duckdb"}}, package=package)
    (project / "models").mkdir()
    call = "{{ sqlmetrics.auc('impressions', label='clicked', score='pctr') }}"
    (project / "models" / "one.sql").write_text(call, encoding="utf-8")
    done = dbt(project, "compile")
    assert done.returncode == 0, done.stdout
    text = (project / "target" / "compiled" / "consumer" / "models" / "one.sql").read_text(encoding="utf-8")
    assert text + "\n" == sqlmetrics.render("auc", relation="impressions", label="clicked", score="pctr")
