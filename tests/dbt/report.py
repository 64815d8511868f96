"""Build the consumer project over a server that stands for a warehouse: `python -m tests.dbt.report snowflake`.

Prints what dbt prints at the end of a build, and the rows of a model. The other name is `bigquery`.
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

#: What stand-ins do not support: both lack temporary tables, which unit tests and incremental models need; crucible
#: does not read every quoted name.
LEFT_OUT = {
    "snowflake": "path:models/after",
    "bigquery": "path:models/late state+ state_binned+ clicks_by_day+ with_another_metric+ without_key+ odd_names+",
}


def main() -> None:
    """Build and print."""
    [name] = sys.argv[1:]
    require_adapter(name)
    with tempfile.TemporaryDirectory() as folder, _server(name, Path(folder)) as output:
        project = fill(Path(folder), output, {})
        built, shown = dbt(
            project, f"build --exclude-resource-type unit_test --exclude {LEFT_OUT[name]}", "show --select daily"
        )
        print(built.output[built.output.rindex("Finished running") :], shown.output)
    sys.exit(not built.success)


@contextmanager
def _server(name: str, folder: Path) -> Iterator[dict[str, object]]:
    """A server with the protocol of a warehouse, which runs statements on DuckDB; yields the output of dbt."""
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
