"""Ctrl-C, SIGTERM and SIGHUP end a program or a call in each state: during import, reading, computing or spilling."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics.inputs import memory
from tests.parameters import slow

#: The timeout for reaching a state in seconds; the statements below take longer.
TIMEOUT = 180.0
#: Hours of work in little memory, and work that spills to disk.
LONG = "select (sum(a.range * b.range) % 2)::int as y, 0.5 as s from range(1000000) a, range(100000000) b"
SPILLING = "select range % 2 as y, hash(range) / 1e19 as s from range(1000000000)"
SIGNALS = {signal.SIGINT: b"interrupted\n", signal.SIGTERM: b"terminated\n", signal.SIGHUP: b"ended\n"}
LOG = pd.DataFrame({"y": [0, 1], "s": [0, 1]})
ROLES = {"label": "y", "score": "s"}


@contextlib.contextmanager
def started(folder: Path, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A Python process in the folder, where signals have their default effects."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in SIGNALS}
    environment, pipe = {**os.environ, "TMPDIR": str(folder)}, subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, *command], stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env=environment
    )
    for number, handler in before.items():
        signal.signal(number, handler)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def handles_signals(process: subprocess.Popen[bytes], _: Path) -> bool:
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = int(next(line for line in status.splitlines() if line.startswith("SigCgt:")).split()[1], 16)
    return all(caught >> (number - 1) & 1 for number in SIGNALS)


def is_computing(process: subprocess.Popen[bytes], _: Path) -> bool:
    """Whether a thread of the engine has used a fifth of a second of processor time."""
    used = 0
    for thread in Path(f"/proc/{process.pid}/task").iterdir():
        if int(thread.name) != process.pid:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended
                used = max(used, int((thread / "stat").read_text().rpartition(")")[2].split()[11]))
    return used >= os.sysconf("SC_CLK_TCK") / 5


def has_written_a_file(_: subprocess.Popen[bytes], folder: Path) -> bool:
    """Whether the process has copied its input, or spilled."""
    return any(path.is_file() for path in folder.rglob("*"))


State = Callable[[subprocess.Popen[bytes], Path], bool]


def wait_until(state: State, process: subprocess.Popen[bytes], folder: Path) -> None:
    end = time.monotonic() + TIMEOUT
    while not state(process, folder):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, state
        time.sleep(0.02)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the states are read from /proc")
@pytest.mark.parametrize(("state", "data", "number", "times"), [
    (handles_signals, LONG, signal.SIGINT, 1),
    *slow((has_written_a_file, "-", signal.SIGHUP, 1), (has_written_a_file, SPILLING, signal.SIGTERM, 5)),
])  # fmt: skip
def test_signal_ends_the_shell(state: State, data: str, number: signal.Signals, times: int, tmp_path: Path) -> None:
    """The command prints a word, exits with the code of the signal and removes all of its files."""
    options = ["-m", "auc", "--label", "y", "--score", "s", "-o", "out.csv", "--memory-limit", "300MB"]
    with started(tmp_path, "-m", "sqlmetrics", "eval", data, *options) as process:
        assert process.stdin is not None
        process.stdin.write(b"y,s\n" + b"1,0.5\n" * 5000)  # as much as fits into a pipe
        process.stdin.flush()
        wait_until(state, process, tmp_path)
        for _ in range(times):
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)
        process.wait(timeout=TIMEOUT)  # its input stays open, because the end of input would stop it too
        assert (process.returncode, *process.communicate()) == (128 + number, b"", SIGNALS[number])
    assert list(tmp_path.iterdir()) == []


def test_signals_are_handled_before_heavy_imports() -> None:
    program = (
        "import sys, sqlmetrics.cli.signals\n"
        "sqlmetrics.cli.signals.install_handlers()\n"
        "print(sorted({'duckdb', 'pandas', 'numpy', 'jinja2', 'yaml', 'click'} & set(sys.modules)))"
    )
    assert subprocess.check_output([sys.executable, "-c", program]) == b"[]\n"


SCRIPT = """
import sys
import duckdb, sqlmetrics
con = duckdb.connect()
con.execute("set enable_progress_bar = false")  # which DuckDB draws on a connection of the caller after two seconds
options = {"con": con} if sys.argv[1] == "con" else {"memory_limit": "300MB"}
auc = sqlmetrics.auc
try:
    # A signal may come as soon as this is read.
    print("begun", flush=True)
    auc(sys.argv[2], label="y", score="s", **options)
except KeyboardInterrupt:
    print("reached the caller", flush=True)
print(auc("select 1 as y, 1 as s union all select 0, 0", label="y", score="s", **options)["auc"][0])
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("connection", "data", "state"),
    [("con", LONG, is_computing), ("private", SPILLING, has_written_a_file), ("private", LONG, lambda *_: True)],
)
def test_ctrl_c_reaches_the_caller(connection: str, data: str, state: State, tmp_path: Path) -> None:
    """The call raises KeyboardInterrupt, and the next one works."""
    with started(tmp_path, "-c", SCRIPT, connection, data) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        wait_until(state, process, tmp_path)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == b"reached the caller\n"
        assert process.communicate(timeout=TIMEOUT) == (b"1.0\n", b"")
        assert process.returncode == 0


@pytest.fixture
def interrupted() -> Iterator[threading.Event]:
    """An event for Ctrl-C, which raises KeyboardInterrupt even if the parent process ignores the signal."""
    event = threading.Event()

    def handle(*arguments: Any) -> None:
        event.set()
        signal.default_int_handler(*arguments)

    before = signal.signal(signal.SIGINT, handle)
    yield event
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_while_an_object_is_registered(interrupted: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interrupt must not turn into a BadParameter about an unsupported object."""

    class Connection:
        def __init__(self) -> None:
            self._con = connect()

        def __getattr__(self, name: str) -> Any:
            return getattr(self._con, name)

        def __enter__(self) -> Connection:
            return self

        def __exit__(self, *reason: object) -> None:
            self._con.close()

        def register(self, name: str, data: Any) -> None:
            if threading.current_thread() is threading.main_thread():
                raise RuntimeError("Query interrupted")
            os.kill(os.getpid(), signal.SIGINT)
            assert interrupted.wait(TIMEOUT)
            self._con.register(name, data)

    connect = duckdb.connect
    monkeypatch.setattr(duckdb, "connect", Connection)
    with pytest.raises(KeyboardInterrupt):
        sqlmetrics.auc(LOG, threads=2, **ROLES)


@pytest.mark.usefixtures("interrupted")
def test_ctrl_c_leaves_no_object_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C arrives just after the object was registered on the caller's connection."""
    register, names = memory.register, []

    def register_and_interrupt(role: str, con: duckdb.DuckDBPyConnection, name: str, data: Any) -> object:
        registered = register(role, con, name, data)
        names.append(name)
        os.kill(os.getpid(), signal.SIGINT)
        return registered

    monkeypatch.setattr(memory, "register", register_and_interrupt)
    with duckdb.connect() as con:
        with pytest.raises(KeyboardInterrupt):
            sqlmetrics.auc(LOG, con=con, **ROLES)
        [name] = names
        with pytest.raises(duckdb.CatalogException):
            con.sql(f"from {name}")
