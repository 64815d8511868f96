"""Run dbt in a process of its own, over a copy of a project, without the network."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from sqlmetrics.catalogue.front_matter import sql_root
from sqlmetrics.engines.dbapi import stored_name
from tests.dbt.postgres_server import find_binaries, free_port, postgres_server

PROFILE_NAME = "sqlmetrics_consumer"
_SECONDS = 900


def skip_or_fail(reason: str) -> None:
    """Skip a test of a missing engine, or fail where everything is required."""
    if os.environ.get("SQLMETRICS_REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def require_adapter(adapter: str) -> None:
    """Skip the test where dbt-core or the adapter is not installed."""
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
    """A project with the package of this checkout, or another one, installed, and one output per target."""
    if source is None:
        folder.mkdir(parents=True)
        _write_yaml(folder / "dbt_project.yml", {"name": "consumer", "version": "1.0", "profile": PROFILE_NAME})
    else:
        shutil.copytree(source, folder)
    _write_yaml(folder / "packages.yml", {"packages": [package or {"local": str(sql_root())}]})
    profile = {PROFILE_NAME: {"target": next(iter(outputs)), "outputs": outputs}}
    _write_yaml(folder / "profiles.yml", profile)
    if package is None:
        # The result of `dbt deps` for a folder; test_install.py and test_example_project.py run the command.
        (folder / "dbt_packages").mkdir()
        (folder / "dbt_packages" / "sqlmetrics").symlink_to(sql_root())
    else:
        done = dbt(folder, "deps")
        assert done.returncode == 0, done.stdout
    return folder


def _write_yaml(path: Path, content: dict[str, Any]) -> None:
    path.write_text(yaml.safe_dump(content), encoding="utf-8")


def _environment(project: Path) -> dict[str, str]:
    quiet = {
        # Spark would otherwise bind to the address of the machine's name
        "SPARK_LOCAL_IP": "127.0.0.1",
        # Java's second compiler costs more than it saves in a process of two minutes.
        "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "DBT_VERSION_CHECK": "false",
        "DBT_PROFILES_DIR": str(project),
    }
    return {**os.environ, **quiet}


def dbt(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a dbt command in a process of its own; `stdout` also has the errors."""
    command = [sys.executable, "-c", "from dbt.cli.main import cli; cli()", "--no-use-colors", *arguments]
    return subprocess.run(command, cwd=project, env=_environment(project), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=_SECONDS, check=False)  # fmt: skip


@contextmanager
def engine(name: str, folder: Path) -> Iterator[dict[str, object]]:
    """Start an engine where needed, yield its dbt output, and stop it."""
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
    elif name == "snowflake":
        port = free_port()
        with _server(folder, port, "fakesnow", "--server", "--host", "127.0.0.1", "--port", str(port)):
            yield {
                "type": "snowflake", "account": "fakesnow", "host": "127.0.0.1", "port": port, "protocol": "http",
                "user": "tester", "password": "tester", "database": "logs", "schema": "public", "warehouse": "none",
                "threads": 1, "session_parameters": {"FAKESNOW_DB_PATH": ":isolated:"},
            }  # fmt: skip
    elif name == "bigquery":
        port = free_port()
        with _server(folder, port, "crucible.cli", "serve", "--dialect", "bigquery", "--port", str(port)):
            yield {
                "type": "bigquery", "method": "oauth-secrets", "token": "none", "project": "logs",
                "dataset": "sqlmetrics", "threads": 1, "api_endpoint": f"http://127.0.0.1:{port}",
                "job_execution_timeout_seconds": 300, "job_retries": 0,
            }  # fmt: skip
    else:
        if shutil.which("java") is None:
            skip_or_fail("Spark needs Java: apt-get install default-jre-headless")
        # One process, no cluster: a shuffle into two hundred partitions would take most of the time.
        settings = {
            "spark.master": "local[2]", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1", "spark.default.parallelism": "1",
            # Generated code and adaptive plans do not pay off for a few hundred rows.
            "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.sql.adaptive.enabled": "false", "spark.sql.warehouse.dir": str(folder / "warehouse"),
            # The adapter requests Hive's catalog, a database of its own; a lasting process needs none.
            "spark.sql.catalogImplementation": "in-memory",
        }  # fmt: skip
        yield {"type": "spark", "method": "session", "host": "none", "schema": "sqlmetrics", "threads": 1,
               "server_side_parameters": settings}  # fmt: skip


@contextmanager
def _server(folder: Path, port: int, module: str, *arguments: str) -> Iterator[None]:
    """A server with the protocol of a warehouse, which runs statements on DuckDB."""
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", module, *arguments], stdout=log, stderr=subprocess.STDOUT, cwd=folder
        )
        try:
            for _ in range(300):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.1)
            yield
        finally:
            server.terminate()
            server.wait(30)


#: Reads the project once, then runs one command after another; each answer ends with a line that starts with NUL.
_SERVE = """
import decimal, json, sys
from dbt.cli.main import dbtRunner

def plain(value):
    return float(value) if isinstance(value, decimal.Decimal) else value

manifest = None
for line in sys.stdin:
    # dbt writes into the manifest, so each command gets a copy
    done = dbtRunner(manifest=manifest.deepcopy() if manifest else None).invoke(json.loads(line))
    if manifest is None and done.result is not None:
        manifest = done.result
        manifest.disabled = {}  # which deepcopy of dbt does not support
    rows = None
    for result in getattr(done.result, "results", None) or []:
        table = getattr(result, "agate_table", None)
        if table is not None:
            rows = [dict(zip(table.column_names, map(plain, row))) for row in table.rows]
    print("", flush=True)
    print(chr(0) + json.dumps({"success": done.success, "rows": rows}, default=str), flush=True)
"""


class Project:
    """A project in a lasting dbt process, which reads it once and starts Spark once."""

    def __init__(self, folder: Path, dialect: str = "duckdb") -> None:
        self.folder = folder
        self.dialect = dialect
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVE], cwd=folder, env=_environment(folder), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        try:
            self.run("parse")
        except AssertionError:
            self.close()
            raise

    def invoke(self, *command: str) -> tuple[bool, str, list[dict[str, Any]]]:
        """Run a dbt command; return whether it succeeded, its output, and the rows of `show`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        output = []
        end = threading.Timer(_SECONDS, self._process.kill)
        end.start()
        try:
            self._process.stdin.write(json.dumps(["--no-use-colors", *command]) + "\n")
            self._process.stdin.flush()
            for line in self._process.stdout:
                if line.startswith(chr(0)):
                    answer = json.loads(line[1:])
                    return answer["success"], "".join(output), answer["rows"]
                output.append(line)
        finally:
            end.cancel()
        raise AssertionError(f"dbt {' '.join(command)} ended early: {''.join(output)}")

    def run(self, *command: str) -> str:
        """Run a dbt command that must succeed; return its output."""
        success, output, _ = self.invoke(*command)
        assert success, output
        return output

    def rows(self, query: str) -> list[dict[str, Any]]:
        """The rows of a query, which may use `ref`."""
        success, output, rows = self.invoke("--quiet", "show", "--inline", query, "--limit", "1000")
        assert success, output
        return [{stored_name(name, self.dialect): value for name, value in row.items()} for row in rows]

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()
