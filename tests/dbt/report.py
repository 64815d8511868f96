"""Build the consumer project over a server that emulates a warehouse: `python -m tests.dbt.report snowflake`.

It prints the end of dbt's output, and the stored failures. The other name is `bigquery`.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.dbt.consumer import fill
from tests.dbt.hosting import dbt, require_adapter
from tests.dbt.postgres_server import free_port

#: Excluded from the first build: models/after are for later ones; fakesnow lacks temporary tables, which unit tests and
#: second builds need. dbt-bigquery supports neither delete+insert nor append, and microbatch only with partitions.
#: crucible does not parse a backtick inside a name.
LEFT_OUT = {
    "snowflake": "--exclude-resource-type unit_test --exclude path:models/after",
    "bigquery": "--exclude path:models/after late_by_day+ late_by_batch+ with_another_metric+ without_key+ odd_names+",
}
#: Models of the second build.
AGAIN = {"snowflake": "alerts", "bigquery": "alerts late_by_key"}


def main() -> None:
    """Build the project and print the report."""
    [name] = sys.argv[1:]
    require_adapter(name)
    with tempfile.TemporaryDirectory() as folder, _server(name, Path(folder)) as output:
        project = fill(Path(folder), output, {})
        built, *others = dbt(
            project, f"build {LEFT_OUT[name]}", f"run --select {AGAIN[name]}", "show --select alerts --limit 50",
        )  # fmt: skip
        print(built.output[built.output.rindex("Finished running") :], *(done.output for done in others))
    sys.exit(not all(done.success for done in [built, *others]))


@contextmanager
def _server(name: str, folder: Path) -> Iterator[dict[str, object]]:
    """A server with the protocol of a warehouse, which runs statements on DuckDB; yields the dbt output."""
    port = free_port()
    module = {"snowflake": ["fakesnow", "--server", "--host", "127.0.0.1"],
              "bigquery": ["crucible.cli", "serve", "--dialect", "bigquery"]}[name]  # fmt: skip
    with (folder / "server.log").open("w") as log:
        command = [sys.executable, "-m", *module, "--port", str(port)]
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=folder)
        try:
            for _ in range(300):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.1)
            if name == "snowflake":
                yield {
                    "type": "snowflake", "account": "fakesnow", "host": "127.0.0.1", "port": port, "protocol": "http",
                    "user": "tester", "password": "tester", "database": "logs", "schema": "public",
                    "warehouse": "none", "threads": 1, "session_parameters": {"FAKESNOW_DB_PATH": ":isolated:"},
                }  # fmt: skip
            else:
                yield {
                    "type": "bigquery", "method": "oauth-secrets", "token": "none", "project": "logs",
                    "dataset": "sqlmetrics", "threads": 1, "api_endpoint": f"http://127.0.0.1:{port}",
                    "job_execution_timeout_seconds": 300, "job_retries": 0,
                }  # fmt: skip
        finally:
            server.terminate()
            server.wait(30)


if __name__ == "__main__":
    main()
