"""The sections of `.github` about adding things: their commands run unchanged in a copy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT, optional
from tests.faults.corpus import LEFT_BEHIND

PAGES = [(ROOT / ".github" / f"{name}.md").read_text("utf-8") for name in ("CONTRIBUTING", "MAINTAINING")]
NAMES = ["Add a metric", "Add a frame", "Add an interval method", "Add a dialect", "Add an engine"]
SECTIONS = dict(re.findall(r"^## (Add an? .*?)\n(.*?)(?=^## |\Z)", "".join(PAGES), re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module")
def copied_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy with the compiled modules and templates of the sections before."""
    tree = tmp_path_factory.mktemp("contributing") / "tree"
    shutil.copytree(ROOT, tree, ignore=LEFT_BEHIND)
    author = "-c user.name=tests -c user.email=tests@localhost"
    for command in ("init -q", "add --all", f"{author} commit -q -m copy"):
        subprocess.run(["git", *command.split()], cwd=tree, check=True)
    return tree


@pytest.mark.slow
@pytest.mark.parametrize("section", NAMES)
def test_commands(section: str, copied_tree: Path, tmp_path: Path) -> None:
    if section == "Add an engine":
        optional.package("psycopg2")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, module in (("python", ""), ("sqlmetrics", " -m sqlmetrics")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{module} "$@"\n')
        (programs / name).chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(copied_tree)}
    environment |= {"PYTEST_ADDOPTS": "-n 0", "SQLMETRICS_REQUIRE_ALL": "1"}
    commands = re.findall(r"```sh\n(.*?)```", SECTIONS[section], re.DOTALL)
    # Git removes what the section before has added.
    script = "".join(["set -euo pipefail\ngit reset -q --hard\ngit clean -qfd\n", *commands])
    done = subprocess.run(["bash", "-c", script], cwd=copied_tree, env=environment, capture_output=True, text=True,
                          timeout=900, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\b\d+ passed", done.stdout)


def test_every_section_is_run() -> None:
    assert [*SECTIONS] == NAMES
