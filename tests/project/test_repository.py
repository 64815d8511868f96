"""The settings of the repository are consistent."""

from __future__ import annotations

import re

import yaml

from tests import ROOT
from tests.project.test_package import tracked

SETTINGS = [*sorted((ROOT / ".github").rglob("*.yml")), ROOT / ".pre-commit-config.yaml"]
CI = ROOT / ".github" / "workflows" / "ci.yml"


def test_settings_are_yaml_and_the_top_level_has_no_other_files() -> None:
    for path in SETTINGS:
        assert isinstance(yaml.safe_load(path.read_text(encoding="utf-8")), dict), path
    names = {name.partition("/")[0] for name in tracked() if not name.startswith(".")}
    assert names == {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "sqlmetrics", "sql", "tests", "examples"}


def test_no_file_or_macro_is_too_long() -> None:
    """A module has 500 lines at most, an SQL file 450, and a macro 80. Generated files may be longer."""
    modules = [*(ROOT / "sqlmetrics").rglob("*.py")]
    templates = [path for path in (ROOT / "sql").rglob("*.sql") if path.parent.name != "generated"]
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in (*modules, *templates)}
    too_long = [path for path in modules if lengths[path] > 500] + [path for path in templates if lengths[path] > 450]
    for path in templates:
        macros = re.findall(r"{%-? macro (\w+)\((.*?){%-? endmacro", path.read_text("utf-8"), re.DOTALL)
        too_long += [name for name, body in macros if body.count("\n") >= 80]
    assert templates
    assert not too_long


def test_workflow_runs_the_local_checks_on_every_python() -> None:
    jobs = yaml.safe_load(CI.read_text(encoding="utf-8"))["jobs"]
    commands = [step.get("run", "") for step in jobs["all"]["steps"]]
    assert ".ci/run" in commands
    # .ci/run installs packages only as root, which a workflow is not.
    packages = re.search(r"apt-get install -y -qq (.*?) >", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    assert packages is not None
    assert any(f"apt-get install -y -qq {packages[1]}" in command for command in commands)
    assert "README.md" in jobs["python"]["steps"][-1]["run"]
    tested = [*jobs["python"]["strategy"]["matrix"]["python"], "3.11"]
    declared = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert sorted(tested, key=lambda version: int(version[2:])) == declared


#: A test, and a function inside a test: up to the next line with at most the same indentation.
TEST = re.compile(r"^def (test_\w+).*?(?=^[^\s)]|\Z)", re.MULTILINE | re.DOTALL)
INNER = re.compile(r"^( +)def .*?(?=^\1[^\s)]|^[^\s)]|\Z)", re.MULTILINE | re.DOTALL)


def test_no_test_returns_early() -> None:
    """Parameters exclude cases, so that readers see them."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        tests = TEST.finditer(path.read_text("utf-8"))
        early = [test[1] for test in tests if re.search(r"^ +return\b", INNER.sub("", test[0]), re.MULTILINE)]
        assert early == [], path
