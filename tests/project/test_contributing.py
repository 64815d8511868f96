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


@pytest.mark.slow
@pytest.mark.parametrize("section", NAMES)
def test_commands(section: str, tmp_path: Path) -> None:
    if section == "Add an engine":
        optional.package("psycopg2")
    tree, programs = tmp_path / "tree", tmp_path / "bin"
    shutil.copytree(ROOT, tree, ignore=LEFT_BEHIND)
    programs.mkdir()
    for name, module in (("python", ""), ("sqlmetrics", " -m sqlmetrics")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{module} "$@"\n')
        (programs / name).chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(tree)}
    environment |= {"PYTEST_ADDOPTS": "-n 0", "SQLMETRICS_REQUIRE_ALL": "1"}
    commands = re.findall(r"```sh\n(.*?)```", SECTIONS[section], re.DOTALL)
    script = "".join(["set -euo pipefail\ngit init -q\ngit add --all\n", *commands])
    done = subprocess.run(
        ["bash", "-c", script], cwd=tree, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\b\d+ passed", done.stdout)


def test_every_section_is_run() -> None:
    assert [*SECTIONS] == NAMES
