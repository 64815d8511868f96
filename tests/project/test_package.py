"""What is published: the wheel holds the modules and all SQL and nothing of the tests, and both files are in order."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from pathlib import Path

import pytest
import yaml

from sqlmetrics.catalogue import sql_root
from tests import ROOT, optional

#: What is packed from folders of the tree: the folder there and here, and the endings of its files.
PACKED = {
    "sqlmetrics": ("sqlmetrics", (".py", "py.typed", ".html", ".css")),
    "sql": ("sqlmetrics/_sql", (".sql", ".yml", ".md", ".svg")),
}


def tracked() -> list[str]:
    """The files of the tree, those of git alone, so that a build of before is none of them."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        optional.unavailable("this is no checkout of git")
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist, built in a copy of what is tracked, for nothing else is published."""
    optional.package("build")
    copy, folder = tmp_path_factory.mktemp("checkout"), tmp_path_factory.mktemp("dist")
    for name in tracked():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes((ROOT / name).read_bytes())
    run("-m", "build", "--no-isolation", "--outdir", str(folder), str(copy), folder=folder)
    return folder


def run(*arguments: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def expected(prefix: str) -> set[str]:
    """The files of the two folders, as they are packed."""
    files = [name for name in tracked() if name.startswith(f"{prefix}/") and name.endswith(PACKED[prefix][1])]
    assert {name for name in tracked() if name.startswith(f"{prefix}/")} == set(files), "a file that is not packed"
    return set(files)


def test_the_wheel(published: Path) -> None:
    [path] = published.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        [about] = [name for name in names if name.endswith(".dist-info/METADATA")]
        metadata = message_from_string(wheel.read(about).decode())
    folder = about.partition("/")[0]
    about_it = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
    packed = {name.replace("sql/", "sqlmetrics/_sql/", 1) for name in expected("sql")} | expected("sqlmetrics")
    assert names == packed | {f"{folder}/{name}" for name in about_it}
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload().startswith("# sqlmetrics")


def test_the_sdist(published: Path) -> None:
    """All from which the wheel is built, and no test: without its data and helpers none of them runs."""
    [path] = published.glob("*.tar.gz")
    with tarfile.open(path) as sdist:
        names = {member.name.partition("/")[2] for member in sdist.getmembers() if member.isfile()}
    beside = {"LICENSE", "README.md", "pyproject.toml", ".gitignore", "PKG-INFO"}
    assert names == expected("sql") | expected("sqlmetrics") | beside


def test_both_are_in_order(published: Path) -> None:
    optional.package("twine")
    said = run("-m", "twine", "--no-color", "check", "--strict", *map(str, published.iterdir()), folder=published)
    assert said.count("PASSED") == 2


def test_they_are_small(published: Path) -> None:
    for path in published.iterdir():
        assert path.stat().st_size < 1_000_000, path.name


def test_one_version(published: Path) -> None:
    """The package of Python, the package of dbt and the changes tell the same."""
    project = yaml.safe_load((sql_root() / "dbt_project.yml").read_text(encoding="utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    latest = next(line for line in changes.splitlines() if line.startswith("## "))
    assert [path.name for path in published.glob("*.whl")] == [f"sqlmetrics-{project['version']}-py3-none-any.whl"]
    assert latest.startswith(f"## {project['version']} ")
