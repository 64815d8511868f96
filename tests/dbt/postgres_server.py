"""A PostgreSQL server on loopback, in a temporary folder, run by a user other than root."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_HOST = "127.0.0.1"
_USER = "sqlmetrics"
_ATTEMPTS = 5


def find_binaries() -> Path | None:
    """The folder of initdb and pg_ctl, which Debian does not put on the path."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: float(folder.parent.name))[::-1]
    return next((folder for folder in folders if (folder / "pg_ctl").is_file()), None)


def free_port() -> int:
    """A port that is free now; another process may take it before the server does."""
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def postgres_server(binaries: Path) -> Iterator[dict[str, object]]:
    """Start a server and yield its dbt output."""
    folder = Path(tempfile.mkdtemp(prefix="sqlmetrics-postgres-"))
    user = None
    if os.geteuid() == 0:
        user = "postgres" if any(entry.pw_name == "postgres" for entry in pwd.getpwall()) else "nobody"
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    password = secrets.token_hex(16)
    (folder / "password").write_text(password, encoding="utf-8")

    def run(program: str, *arguments: str) -> None:
        command = [str(binaries / program), "-D", str(folder / "data"), *arguments]
        done = subprocess.run(command, user=user, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
        log = (folder / "log").read_text(encoding="utf-8") if (folder / "log").is_file() else ""
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stdout}{done.stderr}{log}")

    try:
        os.chmod(folder / "password", 0o644)
        run("initdb", "-U", _USER, "--auth=scram-sha-256", f"--pwfile={folder / 'password'}", "-E", "UTF8",
            "--locale=C", "--no-sync")  # fmt: skip
        for left in range(_ATTEMPTS)[::-1]:
            port = free_port()
            options = f"-p {port} -k {folder} -c listen_addresses={_HOST} -c fsync=off"
            try:
                # The server's output goes to a file, because a pipe would prevent pg_ctl from returning.
                run("pg_ctl", "-w", "-t", "100", "-l", str(folder / "log"), "-o", options, "start")
                break
            except RuntimeError as error:
                if "already in use" not in str(error) or not left:
                    raise
        try:
            yield {"type": "postgres", "host": _HOST, "port": port, "user": _USER, "password": password,
                   "dbname": "postgres", "schema": "sqlmetrics", "threads": 1}  # fmt: skip
        finally:
            run("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)
