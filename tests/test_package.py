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

from . import optional

pytestmark = pytest.mark.full

ROOT = Path(__file__).parent.parent
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
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist, built in a copy, because a build leaves files behind."""
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
    assert "is absent from" not in done.stdout + done.stderr, "setuptools asks whether a folder is a package"
    return done.stdout


def expected(prefix: str) -> set[str]:
    """The files of the two folders, as they are packed."""
    files = [name for name in tracked() if name.startswith(f"{prefix}/") and name.endswith(PACKED[prefix][1])]
    assert {name for name in tracked() if name.startswith(f"{prefix}/")} == set(files), "a file that is not packed"
    return set(files)


def test_the_wheel(built: Path) -> None:
    [path] = built.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        [about] = [name for name in names if name.endswith(".dist-info/METADATA")]
        metadata = message_from_string(wheel.read(about).decode())
    folder = about.partition("/")[0]
    about_it = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "top_level.txt", "licenses/LICENSE"}
    packed = {name.replace("sql/", "sqlmetrics/_sql/", 1) for name in expected("sql")} | expected("sqlmetrics")
    assert names == packed | {f"{folder}/{name}" for name in about_it}
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload().startswith("# sqlmetrics")


def test_the_sdist(built: Path) -> None:
    """All from which the wheel is built; setuptools adds test files of one pattern, without what they need."""
    [path] = built.glob("*.tar.gz")
    with tarfile.open(path) as sdist:
        names = {member.name.partition("/")[2] for member in sdist.getmembers() if member.isfile()}
    names = {name for name in names if not name.startswith(("tests/test_", "sqlmetrics.egg-info/"))}
    made = {"PKG-INFO", "setup.cfg"}
    assert names == expected("sql") | expected("sqlmetrics") | made | {"LICENSE", "README.md", "pyproject.toml"}


def test_both_are_in_order(built: Path) -> None:
    optional.package("twine")
    said = run("-m", "twine", "--no-color", "check", "--strict", *map(str, built.iterdir()), folder=built)
    assert said.count("PASSED") == 2


def test_they_are_small(built: Path) -> None:
    for path in built.iterdir():
        assert path.stat().st_size < 1_000_000, path.name


def test_one_version(built: Path) -> None:
    """The package of Python, the package of dbt and the changes tell the same."""
    project = yaml.safe_load((sql_root() / "dbt_project.yml").read_text(encoding="utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    latest = next(line for line in changes.splitlines() if line.startswith("## "))
    assert [path.name for path in built.glob("*.whl")] == [f"sqlmetrics-{project['version']}-py3-none-any.whl"]
    assert latest.startswith(f"## {project['version']} ")
