"""Run dbt in a separate process, over a copy of a project, without the network."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from sqlmetrics.catalogue.front_matter import sql_root
from tests import ROOT, optional
from tests.engines.servers import FAST_START


def require_adapter(adapter: str) -> None:
    """Skip the test where dbt-core or the adapter is not installed."""
    for module in ("dbt", "dbt.cli", "dbt.adapters", f"dbt.adapters.{adapter}"):
        if importlib.util.find_spec(module) is None:
            extra = "dbt,dbt-spark" if adapter == "spark" else "dbt"
            optional.unavailable(f"dbt-{adapter} is not installed: pip install 'sqlmetrics[{extra}]'")


def make_project(folder: Path, output: dict[str, object], source: Path | None = None) -> Path:
    """A project with the package of this checkout installed."""
    if source is None:
        folder.mkdir(parents=True)
        _write_yaml(folder / "dbt_project.yml", {"name": "consumer", "version": "1.0", "profile": "consumer"})
    else:
        shutil.copytree(source, folder)
    _write_yaml(folder / "packages.yml", {"packages": [{"local": str(sql_root())}]})
    _write_yaml(folder / "profiles.yml", {"consumer": {"target": "here", "outputs": {"here": output}}})
    # The result of `dbt deps` for a folder; test_published.py runs the command.
    (folder / "dbt_packages").mkdir()
    (folder / "dbt_packages" / "sqlmetrics").symlink_to(sql_root())
    return folder


def add_metric_file(project: Path) -> Path:
    """Copy the metric file of the examples into the project, and run the command of the dbt page that declares it."""
    path = project / "macros" / "lift_at_threshold.sql"
    path.parent.mkdir(exist_ok=True)
    shutil.copy(ROOT / "examples" / "metrics" / path.name, path)
    [command] = re.findall(
        r"```sh\nsqlmetrics (dbt-metrics .*)\n", (sql_root() / "README.md").read_text(encoding="utf-8")
    )
    subprocess.run([sys.executable, "-m", "sqlmetrics", *command.split()], cwd=project, check=True, timeout=100)
    return path


def _write_yaml(path: Path, content: dict[str, Any]) -> None:
    path.write_text(yaml.safe_dump(content), encoding="utf-8")


def _environment(project: Path) -> dict[str, str]:
    quiet = {
        # Spark would otherwise bind to the address of the host name.
        "SPARK_LOCAL_IP": "127.0.0.1",
        "JAVA_TOOL_OPTIONS": FAST_START,
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "DBT_VERSION_CHECK": "false",
        "DBT_PROFILES_DIR": str(project),
    }
    return {**os.environ, **quiet}


#: Runs commands in sequence; each ends with a line of JSON between NULs. The project is parsed once, before the first
#: that is not `deps`, as other variables would make dbt parse it again.
_RUN = """
import json, sys
from dbt.cli.main import dbtRunner
manifest = None
for command in json.loads(sys.argv[1]):
    if manifest is None and command[0] != "deps":
        manifest = dbtRunner().invoke(["--no-use-colors", "parse"]).result
    done = dbtRunner(manifest).invoke(["--no-use-colors", *command])
    results = getattr(done.result, "results", [])
    results = {result.node.name: [str(result.status), result.message] for result in results if hasattr(result, "node")}
    print(chr(0) + json.dumps([done.success, results]) + chr(0), flush=True)
"""


class Done(NamedTuple):
    """A dbt command: its output, including errors, and the status and message of each model and test."""

    success: bool
    output: str
    results: dict[str, tuple[str, str]]


def dbt(project: Path, *commands: str) -> list[Done]:
    """Run dbt commands in one separate process."""
    arguments = json.dumps([shlex.split(command) for command in commands])
    process = subprocess.run([sys.executable, "-c", _RUN, arguments], cwd=project, env=_environment(project), text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900, check=False)  # fmt: skip
    *parts, rest = process.stdout.split(chr(0))
    assert process.returncode == 0, rest
    answers = map(json.loads, parts[1::2])
    return [Done(success, output, results) for output, (success, results) in zip(parts[::2], answers, strict=True)]
