"""What the README shows is what happens: its commands are run and their output compared, its Python is a doctest.

`python -m tests.test_readme` writes the output of the commands into it.
"""

from __future__ import annotations

import doctest
import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from sqlmetrics.cli import main

from .benchmarks import report

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
BLOCK = re.compile(r"```console\n\$ sqlmetrics (.*?)\n(.*?)```", re.DOTALL)


def output_of(command: str) -> str:
    result = CliRunner().invoke(main, shlex.split(command))
    assert result.exit_code == 0, result.output
    return "\n".join(line.rstrip() for line in result.stdout.splitlines()) + "\n"


@pytest.mark.parametrize(("command", "shown"), BLOCK.findall(README.read_text(encoding="utf-8")))
def test_commands_print_what_the_readme_shows(command: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert output_of(command) == shown, "run python -m tests.test_readme"


def test_python_prints_what_the_readme_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    failed, tried = doctest.testfile(str(README), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried > 0
    assert not failed


def test_the_benchmark_shown_is_the_last_one() -> None:
    shown = report.in_readme(README.read_text(encoding="utf-8"))
    assert shown == report.table(json.loads(report.FIGURES.read_text(encoding="utf-8"))), (
        "run python -m tests.benchmarks.report"
    )


def test_the_two_commands_stand_on_one_line_each() -> None:
    commands = [line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith("python3 -m venv")]
    assert len(commands) == 2
    assert commands[1].endswith("-m pytest")


if __name__ == "__main__":
    text = README.read_text(encoding="utf-8")
    README.write_text(
        BLOCK.sub(lambda block: f"```console\n$ sqlmetrics {block[1]}\n{output_of(block[1])}```", text),
        encoding="utf-8",
    )
