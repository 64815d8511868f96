"""The ways to install the package: a folder (as everywhere in these tests), a git repository, the Python package."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sqlmetrics.catalogue import sql_root
from tests import ROOT
from tests.dbt.hosting import (
    dbt,
    make_project,
    require_adapter,
    skip_or_fail,
)
from tests.invariants.test_stored_statements import stored

pytestmark = pytest.mark.slow


def test_from_git(tmp_path: Path) -> None:
    require_adapter("duckdb")
    repository = tmp_path / "repository"
    shutil.copytree(sql_root(), repository / "sql")
    author = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], [*author, "commit", "-q", "-m", "the package"]):
        subprocess.run(["git", *arguments], cwd=repository, check=True, timeout=60)
    check_compiles(tmp_path / "project", {"git": repository.as_uri(), "subdirectory": "sql", "revision": "main"})


def test_from_the_installed_python_package(tmp_path: Path) -> None:
    """A copy installed elsewhere says itself where its dbt package lies."""
    require_adapter("duckdb")
    if importlib.util.find_spec("hatchling") is None:
        skip_or_fail("hatchling is not installed: pip install 'sqlmetrics[test]'")
    checkout, target = tmp_path / "checkout", tmp_path / "site-packages"
    checkout.mkdir()
    # A build leaves files behind, so it is done in a copy.
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, checkout)
    for name in ("sqlmetrics", "sql"):
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("__pycache__"))
    install = ["-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(target)]
    run_python([*install, str(checkout)], tmp_path)
    shutil.rmtree(checkout)
    environment = {**os.environ, "PYTHONPATH": str(target)}
    path = Path(run_python(["-m", "sqlmetrics", "dbt-path"], tmp_path, environment).strip())
    assert path.is_relative_to(target)
    check_compiles(tmp_path / "project", {"local": str(path)})


def run_python(arguments: list[str], folder: Path, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check_compiles(folder: Path, package: dict[str, str]) -> None:
    """A project that uses the package from there compiles, to the text of the runner that refuses bad values."""
    project = make_project(folder, {"duckdb": {"type": "duckdb"}}, package=package)
    (project / "models").mkdir()
    call = "{{ sqlmetrics.auc('impressions', label='clicked', score='pctr') }}"
    (project / "models" / "one.sql").write_text(call, encoding="utf-8")
    done = dbt(project, "compile")
    assert done.returncode == 0, done.stdout
    text = (project / "target" / "compiled" / "consumer" / "models" / "one.sql").read_text(encoding="utf-8")
    assert text + "\n" == stored("auc", "impressions", {"label": "clicked", "score": "pctr"}, "duckdb")
