"""The sections of `.github` about adding things work: their commands are run as they are, in a copy."""

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

pytestmark = pytest.mark.slow

SECTIONS = re.findall(
    r"^## (Add an? .*?)\n(.*?)(?=^## |\Z)",
    "".join((ROOT / ".github" / f"{name}.md").read_text(encoding="utf-8") for name in ("CONTRIBUTING", "MAINTAINING")),
    re.MULTILINE | re.DOTALL,
)


@pytest.mark.parametrize(("section", "text"), SECTIONS, ids=[heading for heading, _ in SECTIONS])
def test_commands(section: str, text: str, tmp_path: Path) -> None:
    if "engine" in section:
        optional.package("psycopg2")
    tree = tmp_path / "tree"
    shutil.copytree(ROOT, tree, ignore=LEFT_BEHIND)
    (tmp_path / "bin").mkdir()
    for name, module in (("python", ""), ("sqlmetrics", " -m sqlmetrics")):
        (tmp_path / "bin" / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{module} "$@"\n')
        (tmp_path / "bin" / name).chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(tree),
        "PYTEST_ADDOPTS": "-n 0",
        "SQLMETRICS_REQUIRE_ALL": "0",
    }
    for name in [name for name in environment if name.startswith(("PYTEST_XDIST", "PYTEST_CURRENT"))]:
        del environment[name]
    start = "set -euo pipefail\ngit init -q\ngit add --all\n"
    commands = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    done = subprocess.run(
        ["bash", "-c", start + "".join(commands)],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"=+ \d+ passed", done.stdout)
    assert "skipped" not in done.stdout


def test_every_section_is_tried() -> None:
    assert [heading for heading, _ in SECTIONS] == ["Add a metric", "Add a frame", "Add a dialect", "Add an engine"]
