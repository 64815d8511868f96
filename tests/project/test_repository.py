"""The files of the house: what they say of other files is so."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests import ROOT
from tests.project.test_package import tracked

SETTINGS = [*sorted((ROOT / ".github").rglob("*.yml")), ROOT / ".pre-commit-config.yaml"]
CI = ROOT / ".github" / "workflows" / "ci.yml"


@pytest.mark.parametrize("path", SETTINGS, ids=lambda path: path.name)
def test_yaml_is_yaml(path: Path) -> None:
    assert isinstance(yaml.safe_load(path.read_text(encoding="utf-8")), dict)


def test_the_top_level_is_as_planned() -> None:
    """What a script leaves there must not be committed with the rest."""
    names = {name.partition("/")[0] for name in tracked()}
    planned = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "sqlmetrics", "sql", "tests", "examples"}
    assert {name for name in names if not name.startswith(".")} == planned


def test_the_workflow_runs_what_runs_here() -> None:
    jobs = yaml.safe_load(CI.read_text(encoding="utf-8"))["jobs"]
    assert ".ci/run" in [step.get("run") for step in jobs["all"]["steps"]]
    # .ci/run brings what it lacks as root only, which a workflow is not.
    wanted = re.search(r"apt-get install -y -qq (.*?) >", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    assert wanted is not None
    assert any(f"apt-get install -y -qq {wanted[1]}" in step.get("run", "") for step in jobs["all"]["steps"])
    assert "README.md" in jobs["python"]["steps"][-1]["run"]


def test_the_workflow_has_every_version_of_python() -> None:
    jobs = yaml.safe_load(CI.read_text(encoding="utf-8"))["jobs"]
    tried = [*jobs["python"]["strategy"]["matrix"]["python"], "3.11"]
    named = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert sorted(tried, key=lambda version: int(version[2:])) == named


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("test_*.py")), ids=lambda path: path.stem)
def test_no_test_returns_before_it_asserts(path: Path) -> None:
    """What a test does not hold for is left out of its parameters, where one can see that it is."""
    tests = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    assert [test.name for test in tests for _ in own_returns(test)] == []


def own_returns(node: ast.AST) -> Iterator[ast.Return]:
    """The returns of a function, without those of functions in it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Return):
            yield child
        elif not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield from own_returns(child)
