"""Install the dbt package from a git repository and from the Python package; other tests install it from a folder."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sqlmetrics.catalogue.front_matter import sql_root
from tests import ROOT
from tests.dbt.hosting import dbt, make_project, require_adapter, skip_or_fail
from tests.invariants.test_stored_statements import stored

pytestmark = pytest.mark.slow
_CACHE = shutil.ignore_patterns("__pycache__")


def test_project_compiles_with_package_from_git(tmp_path: Path) -> None:
    """The text is that of the runner that rejects invalid values."""
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
    assert text + "\n" == stored("auc", "impressions", {"label": "clicked", "score": "pctr"}, "duckdb")


def test_installed_python_package_has_dbt_package(tmp_path: Path) -> None:
    """`dbt-path` of an installed copy prints a folder with all files of the dbt package."""
    if importlib.util.find_spec("hatchling") is None:
        skip_or_fail("hatchling is not installed: pip install 'sqlmetrics[test]'")
    checkout, target = tmp_path / "checkout", tmp_path / "site-packages"
    checkout.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, checkout)
    for name in ("sqlmetrics", "sql"):
        shutil.copytree(ROOT / name, checkout / name, ignore=_CACHE)
    install = ["-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(target)]
    environment = {**os.environ, "PYTHONPATH": str(target)}
    for arguments, variables in (([*install, str(checkout)], None), (["-m", "sqlmetrics", "dbt-path"], environment)):
        done = subprocess.run([sys.executable, *arguments], cwd=tmp_path, env=variables, capture_output=True, text=True,
                              timeout=300, check=False)  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        shutil.rmtree(checkout, ignore_errors=True)
    path = Path(done.stdout.strip())
    assert path.is_relative_to(target)
    files = {file.relative_to(sql_root()): file.read_bytes() for file in sql_root().rglob("*") if file.is_file()}
    assert files == {file.relative_to(path): file.read_bytes() for file in path.rglob("*") if file.is_file()}
