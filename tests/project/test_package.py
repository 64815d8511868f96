"""The published files: the wheel contains the modules and all SQL, and no tests."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from pathlib import Path

import pytest
import yaml

from sqlmetrics.catalogue.front_matter import sql_root
from tests import ROOT, optional

#: The suffixes of published files, by folder.
PACKED = {"sqlmetrics": (".py", ".pyi", "py.typed", ".html", ".css", ".yml"), "sql": (".sql", ".yml", ".md", ".svg")}

pytestmark = pytest.mark.slow


def tracked() -> list[str]:
    """The files that git tracks, without those of earlier builds."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        optional.unavailable("this is no checkout of git")
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist, built from a copy of the tracked files."""
    optional.package("build")
    copy, folder = tmp_path_factory.mktemp("checkout"), tmp_path_factory.mktemp("dist")
    for name in tracked():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, copy]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def packed(folder: str) -> set[str]:
    """The tracked files of a folder, all of them published."""
    names = {name for name in tracked() if name.startswith(f"{folder}/")}
    assert all(name.endswith(PACKED[folder]) for name in names), "a file that is not packed"
    return names


def test_wheel(published: Path) -> None:
    """Its version equals those of the dbt package and of the changelog."""
    [newest, *_] = re.findall(r"^## (\S+) ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert yaml.safe_load((sql_root() / "dbt_project.yml").read_text(encoding="utf-8"))["version"] == newest
    path = published / f"sqlmetrics-{newest}-py3-none-any.whl"
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        [about] = [name for name in names if name.endswith(".dist-info/METADATA")]
        metadata = message_from_string(wheel.read(about).decode())
    modules = packed("sqlmetrics") | {name.replace("sql/", "sqlmetrics/_sql/", 1) for name in packed("sql")}
    further = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
    assert names == modules | {f"{about.partition('/')[0]}/{name}" for name in further}
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload().startswith("# sqlmetrics")


def test_sdist(published: Path) -> None:
    """It contains the sources of the wheel, and no tests, which need further data."""
    [path] = published.glob("*.tar.gz")
    with tarfile.open(path) as sdist:
        names = {member.name.partition("/")[2] for member in sdist.getmembers() if member.isfile()}
    further = {"LICENSE", "README.md", "pyproject.toml", ".gitignore", "PKG-INFO"}
    assert names == packed("sql") | packed("sqlmetrics") | further
