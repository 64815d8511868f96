"""Ctrl-C and SIGTERM, pressed at moments that nobody chose, while the machine has other things to do."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
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
from sqlmetrics import memory
from tests.tiers import slow

#: No machine is so busy that an answer takes longer, and no statement below is so short.
_BOUND = 180.0
#: Hours of work in next to no memory, and work that is written to disk.
LONG = "select (sum(a.range * b.range) % 2)::int as y, 0.5 as s from range(1000000) a, range(100000000) b"
SPILLING = "select range % 2 as y, hash(range) / 1e19 as s from range(1000000000)"
ROLES = ["-m", "auc", "--label", "y", "--score", "s"]
#: Not those that whoever started the tests has ignored, as nohup does: they stay so.
_SIGNALS = [one for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) != signal.SIG_IGN]


@pytest.fixture(autouse=True)
def load(request: pytest.FixtureRequest) -> Iterator[None]:
    """Something else to do for the machine: in the slow tests only."""
    count = 0 if request.node.get_closest_marker("slow") is None else os.cpu_count() or 1
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    yield
    for one in busy:
        one.kill()
        one.wait()


def wait_until(done: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _BOUND
    while not done():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.005)


def answers(process: subprocess.Popen[bytes]) -> bool:
    """Whether the program has put itself between each of the signals and its end, which Python does for SIGINT only."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = int(next(line for line in status.splitlines() if line.startswith("SigCgt:")).split()[1], 16)
    return all(caught >> (number - 1) & 1 for number in _SIGNALS)


def press(process: subprocess.Popen[bytes], number: signal.Signals, times: int) -> tuple[bytes, bytes]:
    for _ in range(times):
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)
    # Its input stays open until then: the end of it would be another reason to stop.
    process.wait(timeout=_BOUND)
    return process.communicate()


#: Seconds after the program answers: at once, while it imports, while it reads the columns, while it works.
MOMENTS = [0.0, *(random.uniform(0, 0.4) for _ in range(3)), *(random.uniform(0, 3) for _ in range(2))]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the moment is read from /proc")
@pytest.mark.parametrize("place", [1, *slow(0, 2, 3, 4, 5)])
@pytest.mark.parametrize("data", [SPILLING, *slow(LONG, "-")], ids=["spilling", "long", "standard input"])
def test_a_signal_ends_the_shell(data: str, place: int, tmp_path: Path) -> None:
    """Whatever it does then: one word, the code of the signal, and nothing that it had written is left."""
    number = random.choice(_SIGNALS)
    command = [sys.executable, "-m", "sqlmetrics", "eval", data, *ROLES, "-o", "out.csv", "--memory-limit", "500MB"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    try:
        wait_until(lambda: answers(process), process)
        time.sleep(MOMENTS[place])
        out, err = press(process, number, random.choice([1, 1, 5]))
    finally:
        process.kill()
        process.communicate()
    told = f"{number.name} after {MOMENTS[place]:.3f} s: {err!r}"
    word = {signal.SIGINT: b"interrupted", signal.SIGTERM: b"terminated", signal.SIGHUP: b"ended"}[number]
    assert (process.returncode, out, err) == (128 + number, b"", word + b"\n"), told
    assert [one.name for one in tmp_path.iterdir()] == [], told


@pytest.mark.slow
def test_what_was_spilled_is_removed(tmp_path: Path) -> None:
    """389 MB were left."""
    command = [sys.executable, "-m", "sqlmetrics", "eval", SPILLING, *ROLES, "--memory-limit", "300MB"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    try:
        wait_until(lambda: any(one.is_file() for one in tmp_path.rglob("*")), process)
        press(process, signal.SIGTERM, 1)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


def test_signals_are_answered_before_anything_heavy_is_imported() -> None:
    program = (
        "import sys, sqlmetrics.signals\n"
        "sqlmetrics.signals.answer()\n"
        "print(sorted({'duckdb', 'pandas', 'numpy', 'jinja2', 'yaml', 'click'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


SCRIPT = """
import faulthandler, sys
import duckdb, sqlmetrics
faulthandler.dump_traceback_later(170, exit=True)
con = duckdb.connect()
con.execute("set enable_progress_bar = false")  # which DuckDB draws on a connection of theirs after two seconds
options = {"con": con} if sys.argv[1] == "con" else {}
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
@pytest.mark.parametrize("place", [3, *slow(2, 4, 5)])
@pytest.mark.parametrize("own", ["con", *slow("private")])
def test_ctrl_c_reaches_the_caller(own: str, place: int, tmp_path: Path) -> None:
    """As KeyboardInterrupt, hours before the statement would end; and what they do next works."""
    data = random.choice([LONG, SPILLING])
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, own, data],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        time.sleep(MOMENTS[place] + 0.01)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == b"reached the caller\n", process.communicate()
        out, err = process.communicate(timeout=_BOUND)
    finally:
        process.kill()
        process.communicate()
    assert (out, err, process.returncode) == (b"1.0\n", b"", 0)


class _Pressed:
    """A connection whose n-th statement Ctrl-C meets: DuckDB says so with a RuntimeError on the main thread."""

    def __init__(self, con: duckdb.DuckDBPyConnection, statements: Iterator[int]) -> None:
        self._con, self._statements = con, statements

    def _run(self, name: str, sql: str) -> Any:
        if next(self._statements) == 0:
            raise RuntimeError("Query interrupted")
        return getattr(self._con, name)(sql)

    def execute(self, sql: str) -> Any:
        return self._run("execute", sql)

    def sql(self, sql: str) -> Any:
        return self._run("sql", sql)

    def __enter__(self) -> _Pressed:
        return self

    def __exit__(self, *reason: object) -> None:
        self._con.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._con, name)


@pytest.mark.slow
def test_ctrl_c_at_each_statement_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A RuntimeError came out of one that only sets up the engine."""
    duckdb.sql("select i % 2 as y, i / 10 as s, 'u' as u from range(20) t(i)").write_csv(str(tmp_path / "log.csv"))
    connect = duckdb.connect
    reached = 0
    for place in itertools.count():
        statements = itertools.count(place, -1)
        monkeypatch.setattr(duckdb, "connect", lambda *a, n=statements, **o: _Pressed(connect(*a, **o), n))
        try:
            # With a limit it starts an engine of its own, in the first tier too.
            sqlmetrics.evaluate(str(tmp_path / "log.csv"), "gauc", label="y", score="s", group="u", threads=2)
        except KeyboardInterrupt:
            reached += 1
        else:
            break
    assert reached > 5
    assert next(statements) == 0  # each had its turn


class _PressedAtRegistration(_Pressed):
    """A connection that Ctrl-C meets while it looks at an object in memory."""

    def register(self, name: str, data: Any) -> None:
        if threading.current_thread() is threading.main_thread():
            raise RuntimeError("Query interrupted")
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        self._con.register(name, data)


@pytest.fixture
def answers_ctrl_c() -> Iterator[None]:
    """Python leaves SIGINT ignored where whoever started it had it so, as a shell has for what runs beside it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("answers_ctrl_c")
def test_ctrl_c_while_an_object_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A BadParameter came out that called a DataFrame no DataFrame; a program that goes on after errors went on."""
    connect = duckdb.connect
    monkeypatch.setattr(duckdb, "connect", lambda: _PressedAtRegistration(connect(), itertools.count(1)))
    with pytest.raises(KeyboardInterrupt):
        sqlmetrics.auc(pd.DataFrame({"y": [0, 1], "s": [0, 1]}), label="y", score="s", threads=2)


@pytest.mark.usefixtures("answers_ctrl_c")
def test_ctrl_c_leaves_no_object_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the caller's connection, when it comes just as the object has been made known there."""
    known, names = memory.register, []

    def register(role: str, con: duckdb.DuckDBPyConnection, name: str, data: Any) -> memory.Registered:
        shown = known(role, con, name, data)
        names.append(name)
        os.kill(os.getpid(), signal.SIGINT)
        return shown

    monkeypatch.setattr(memory, "register", register)
    with duckdb.connect() as con:
        with pytest.raises(KeyboardInterrupt):
            sqlmetrics.auc(pd.DataFrame({"y": [0, 1], "s": [0, 1]}), label="y", score="s", con=con)
        [name] = names
        with pytest.raises(duckdb.CatalogException):
            con.sql(f"from {name}")
