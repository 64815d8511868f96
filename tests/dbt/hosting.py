"""Running dbt in a test: in a process of its own, over a copy of a project, without a word to the network."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from sqlmetrics.catalogue import sql_root
from tests.dbt.postgres_server import find_binaries, postgres_server

PROFILE_NAME = "sqlmetrics_consumer"


def skip_or_fail(reason: str) -> None:
    """A missing engine is a skip that says how to get it, and a failure where everything is required."""
    if os.environ.get("SQLMETRICS_REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def require_adapter(adapter: str) -> None:
    """Go on only where dbt-core and the adapter are installed."""
    for module in ("dbt", "dbt.cli", "dbt.adapters", f"dbt.adapters.{adapter}"):
        if importlib.util.find_spec(module) is None:
            extra = "dbt,dbt-spark" if adapter == "spark" else "dbt"
            skip_or_fail(f"dbt-{adapter} is not installed: pip install 'sqlmetrics[{extra}]'")


def make_project(
    folder: Path,
    outputs: dict[str, dict[str, object]],
    source: Path | None = None,
    package: dict[str, str] | None = None,
) -> Path:
    """A project that uses the package (of this checkout), with one output per target, its packages installed."""
    if source is None:
        folder.mkdir(parents=True)
        project = {"name": "consumer", "version": "1.0", "profile": PROFILE_NAME}
        (folder / "dbt_project.yml").write_text(yaml.safe_dump(project), encoding="utf-8")
    else:
        shutil.copytree(source, folder)
    (folder / "packages.yml").write_text(
        yaml.safe_dump({"packages": [package or {"local": str(sql_root())}]}), encoding="utf-8"
    )
    profile = {PROFILE_NAME: {"target": next(iter(outputs)), "outputs": outputs}}
    (folder / "profiles.yml").write_text(yaml.safe_dump(profile), encoding="utf-8")
    done = dbt(folder, "deps")
    assert done.returncode == 0, done.stdout
    return folder


def dbt(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One dbt command; its output is in `stdout`, errors included."""
    return _run(project, "-c", "from dbt.cli.main import cli; cli()", "--no-use-colors", *arguments)


def _run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # Spark would otherwise bind to the address of the machine's name
    quiet = {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "DBT_VERSION_CHECK": "false",
        "DBT_PROFILES_DIR": str(project),
    }
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=project,
        env={**os.environ, **quiet},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )


@contextmanager
def engine(name: str, folder: Path) -> Iterator[dict[str, object]]:
    """An engine, started where it needs to be and stopped afterwards; the block gets its dbt output."""
    require_adapter(name)
    if name == "duckdb":
        yield {"type": "duckdb", "path": str(folder / "consumer.duckdb"), "threads": 1}
    elif name == "postgres":
        binaries = find_binaries()
        if binaries is None:
            skip_or_fail("there is no PostgreSQL server (initdb, pg_ctl): apt-get install postgresql")
        else:
            with postgres_server(binaries) as output:
                yield output
    else:
        if shutil.which("java") is None:
            skip_or_fail("Spark needs Java: apt-get install default-jre-headless")
        # One process, no cluster: a shuffle into two hundred partitions would take most of the time.
        settings = {
            "spark.master": "local[2]",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "1",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
        }
        yield {
            "type": "spark",
            "method": "session",
            "host": "none",
            "schema": "sqlmetrics",
            "threads": 1,
            "server_side_parameters": settings,
        }


_SEVERAL = """
import json, sys
from dbt.cli.main import dbtRunner

manifest = None
for command in json.loads(sys.argv[1]):
    # the project is read once; each command gets a copy, for dbt notes in it what it has compiled
    done = dbtRunner(manifest=manifest.deepcopy() if manifest else None).invoke(command)
    if not done.success:
        sys.exit(f"dbt {' '.join(command)} failed: {done.exception or ''}")
    manifest = manifest or done.result
"""


def dbt_commands(project: Path, *commands: list[str]) -> subprocess.CompletedProcess[str]:
    """Several dbt commands in one process; the first that fails is the last."""
    return _run(project, "-c", _SEVERAL, json.dumps([["parse"], *commands]))
