"""The engine that calls without a connection share: calls are isolated, and leave no objects or files."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics.engines import duckdb_connection
from sqlmetrics.engines.duckdb_connection import private_connection, remove_left_folders
from sqlmetrics.inputs import duckdb_source

GOOD = pd.DataFrame({"y": [0, 1], "s": [0.1, 0.2]})
BAD = pd.DataFrame({"y": [1, 0], "s": [0.1, 0.2]})
ROLES = {"label": "y", "score": "s"}


def test_rewritten_file_is_read_again(tmp_path: Path) -> None:
    """Its size and modification time do not change."""
    path = tmp_path / "log.parquet"
    for data, expected in ((GOOD, 1.0), (BAD, 0.0), (GOOD, 1.0)):
        data.to_parquet(path)
        os.utime(path, (1_700_000_000, 1_700_000_000))
        assert sqlmetrics.auc(path, **ROLES)["auc"][0] == expected


def test_tables_and_settings_belong_to_one_connection() -> None:
    settings = "select current_setting('TimeZone'), current_setting('perfect_ht_threshold') = 3"
    with private_connection(None, None) as first, private_connection(None, None) as second:
        first.execute("create temp table t as select 1 as x")
        first.register("frame", GOOD)
        first.execute("set TimeZone = 'Asia/Tokyo'; set perfect_ht_threshold = 3")
        assert second.execute(settings).fetchall() == [("UTC", False)]
        for name in ("t", "frame"):
            with pytest.raises(duckdb.CatalogException):
                second.execute(f"from {name}")
    with private_connection(None, None) as third:
        assert third.execute("select count(*) from duckdb_tables()").fetchall() == [(0,)]
        assert third.execute(settings).fetchall() == [("UTC", False)]
        [(folder,)] = third.execute("select current_setting('temp_directory')").fetchall()
    assert Path(folder).parent == Path(tempfile.gettempdir())
    assert Path(folder).name.startswith(f"sqlmetrics-{os.getpid()}-")


def test_closed_engine_is_replaced() -> None:
    """After a fatal error an engine rejects every statement, like a closed one."""
    assert sqlmetrics.auc(GOOD, **ROLES)["auc"][0] == 1
    broken = duckdb_connection.shared_engine()._engine
    assert broken is not None
    broken.close()
    assert sqlmetrics.auc(BAD, **ROLES)["auc"][0] == 0
    assert duckdb_connection.shared_engine()._engine is not broken


@pytest.mark.parametrize(
    "data", ["s3://bucket/log.parquet", ["a.parquet", "https://host/b.parquet"], "from 's3://b/a.csv'"]
)
def test_remote_files_are_cached_for_a_single_call(data: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several statements of a call read them, but they may change before the next call."""
    setting = "select current_setting('enable_external_file_cache')"

    def resolve(self: duckdb_source.DuckDBSourceResolver, *_: object) -> None:
        assert duckdb_connection.shared_engine()._engine is before
        pytest.fail(f"cached: {self.connection.execute(setting).fetchall()}")  # without access to the network

    before = duckdb_connection.shared_engine()._engine
    monkeypatch.setattr(duckdb_source.DuckDBSourceResolver, "resolve", resolve)
    with pytest.raises(pytest.fail.Exception, match=r"cached: \[\(True,\)\]"):
        sqlmetrics.auc(data, **ROLES)


def test_folders_of_killed_processes_are_removed(tmp_path: Path) -> None:
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    others = [f"sqlmetrics-{os.getpid()}-ab", "sqlmetrics-notes", "other-1-x"]
    for name in (f"sqlmetrics-{int(dead.stdout)}-ab", *others):
        (tmp_path / name).mkdir()
        (tmp_path / name / "spilled").write_text("x")
    remove_left_folders(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(others)


#: Programs with their output. Each leaves its temporary folder empty; the first cannot create one.
PROGRAMS = {
    "the engine is started where it is needed": ("""
import sqlmetrics, duckdb
from sqlmetrics.engines import duckdb_connection
rows = 'select 1 as y, 0.5 as s union all select 0, 0.1'
sqlmetrics.auc(rows, label='y', score='s', con=duckdb.connect())
sqlmetrics.auc(rows, label='y', score='s', threads=1)
print(duckdb_connection.shared_engine()._engine)
print(sqlmetrics.auc(rows, label='y', score='s')['auc'][0])
""", "None\n1.0\n"),
    # The child lacks the threads of the parent's engine: closing that engine would hang or crash.
    "a forked process has its own engine": ("""
import os, sys, pandas, sqlmetrics
data = pandas.DataFrame({"y": [0, 1], "s": [0.1, 0.2]})
auc = lambda: sqlmetrics.auc(data, label="y", score="s")["auc"][0]
auc()
child = os.fork()
if child == 0:
    print(auc(), flush=True)
    sys.exit(0)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), auc())
""", "1.0\n0 1.0\n"),
    "memory is returned after a large call": ("""
import resource, time, sqlmetrics
held = lambda: int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
rows = "select i % 2 as y, hash(i) / 1.8e19 as s, i % 400000 as g from range(4000000) as t(i)"
sqlmetrics.gauc("select 1 as y, 0.5 as s, 1 as g", label="y", score="s", group="g")
before = held()
sqlmetrics.gauc(rows, label="y", score="s", group="g", confidence=0.9)
taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
until = time.monotonic() + 60
while held() - before > taken / 3 and time.monotonic() < until:
    time.sleep(0.2)
print(taken > 2e8, held() - before <= taken / 3)
""", "True True\n"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of a process is read from /proc")
@pytest.mark.parametrize("name", PROGRAMS)
def test_engine_in_a_process(name: str, tmp_path: Path) -> None:
    program, output = PROGRAMS[name]
    folder = tmp_path if "needed" not in name else "/proc/1/none"
    environment = {**os.environ, **dict.fromkeys(["TMPDIR", "TMP", "TEMP"], str(folder))}
    command = [sys.executable, "-W", "ignore", "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert (result.stdout, result.stderr, result.returncode) == (output, "", 0)
    assert list(tmp_path.iterdir()) == []
