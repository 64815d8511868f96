"""The engine that calls without a connection share in a process: none sees anything of another."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics import connections, running, source
from sqlmetrics.connections import private_connection

GOOD = pd.DataFrame({"y": [0, 1], "s": [0.1, 0.2]})
BAD = pd.DataFrame({"y": [1, 0], "s": [0.1, 0.2]})
ROLES = {"label": "y", "score": "s"}


def test_a_file_that_is_written_anew_is_read_anew(tmp_path: Path) -> None:
    """Also where nothing but what it holds tells the two apart: neither its size nor its time."""
    path = tmp_path / "log.parquet"
    for data, expected in ((GOOD, 1.0), (BAD, 0.0), (GOOD, 1.0)):
        data.to_parquet(path)
        os.utime(path, (1_700_000_000, 1_700_000_000))
        assert sqlmetrics.auc(path, **ROLES)["auc"][0] == expected


def test_what_belongs_to_a_connection_ends_with_it() -> None:
    with private_connection(None, None) as first, private_connection(None, None) as second:
        first.execute("create temp table kept as select 1 as one")
        first.register("frame", GOOD)
        first.execute("set TimeZone = 'Asia/Tokyo'; set perfect_ht_threshold = 3")
        zone = "select current_setting('TimeZone'), current_setting('perfect_ht_threshold') = 3"
        assert second.execute(zone).fetchall() == [("UTC", False)]
        for name in ("kept", "frame"):
            with pytest.raises(duckdb.CatalogException):
                second.execute(f"from {name}")
    with private_connection(None, None) as third:
        assert third.execute("select count(*) from duckdb_tables()").fetchall() == [(0,)]
        assert third.execute(zone).fetchall() == [("UTC", False)]


def test_limits_are_those_of_one_call() -> None:
    limits = "select current_setting('threads'), current_setting('memory_limit'), current_setting('temp_directory')"
    with private_connection(None, None) as con:
        before = con.execute(limits).fetchall()
    with private_connection(3, "100MB") as con:
        [limited] = con.execute(limits).fetchall()
    assert limited[:2] == (3, "95.3 MiB")
    assert limited[2] != before[0][2]
    with private_connection(None, None) as con:
        assert con.execute(limits).fetchall() == before


def test_many_threads_at_once() -> None:
    def asked(number: int) -> float:
        data = pd.DataFrame({"y": [0, 1, number % 2, 1], "s": [0.1, 0.2, number, 0.3]})
        return float(sqlmetrics.evaluate(data, "mae", label="y", score="s")["mae"][0])

    numbers = range(24)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(asked, numbers))
    assert found == pytest.approx([(0.1 + 0.8 + abs(one - one % 2) + 0.7) / 4 for one in numbers])


def test_after_a_fatal_error_another_is_started() -> None:
    """An engine that is closed stands for one that refuses everything since an error that it calls fatal."""
    assert sqlmetrics.auc(GOOD, **ROLES)["auc"][0] == 1
    broken = connections._shared_engine._engine
    assert broken is not None
    broken.close()
    assert sqlmetrics.auc(BAD, **ROLES)["auc"][0] == 0
    assert connections._shared_engine._engine is not broken


@pytest.mark.slow
def test_it_is_not_started_where_nothing_needs_it() -> None:
    program = (
        "import sqlmetrics, duckdb; from sqlmetrics import connections\n"
        "con = duckdb.connect()\n"
        "sqlmetrics.auc('select 1 as y, 0.5 as s', label='y', score='s', con=con)\n"
        "sqlmetrics.auc('select 1 as y, 0.5 as s', label='y', score='s', threads=1)\n"
        "print(connections._shared_engine._engine)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (found.stdout, found.stderr) == ("None\n", "")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_its_own() -> None:
    """The threads of the engine are not in it: to close the parent's would wait for them for ever, or crash."""
    program = """
import os, sys, pandas, sqlmetrics
data = pandas.DataFrame({"y": [0, 1], "s": [0.1, 0.2]})
ask = lambda: sqlmetrics.auc(data, label="y", score="s")["auc"][0]
ask()
child = os.fork()
if child == 0:
    print(ask(), flush=True)
    sys.exit(0)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), ask())
"""
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (found.stdout, found.stderr, found.returncode) == ("1.0\n0 1.0\n", "", 0)


@pytest.mark.slow
def test_nothing_of_it_is_left(tmp_path: Path) -> None:
    """Its folder, into which goes what memory does not hold, ends with the process."""
    program = """
import os, sqlmetrics, tempfile
from sqlmetrics import connections
with connections.private_connection(None, None) as con:
    con.execute("set memory_limit = '60MB'; set threads = 1")
    con.execute("select max(n) from (select row_number() over (order by hash(i)) as n from range(5000000) as t(i))")
    print(len(os.listdir(tempfile.gettempdir())))
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False
    )
    assert (found.stdout, found.stderr, found.returncode) == ("1\n", "", 0)
    assert list(tmp_path.iterdir()) == []


def test_its_folder_may_be_removed_while_it_is_not_used(tmp_path: Path) -> None:
    """As systems do with what lies in /tmp for days: each call that needed it failed from then on."""
    program = """
import os, shutil, sqlmetrics, tempfile
from sqlmetrics import connections
for _ in range(3):
    with connections.private_connection(None, None) as con:
        con.execute("set memory_limit = '60MB'; set threads = 1")
        con.execute("select max(n) from (select row_number() over (order by hash(i)) as n from range(5000000) as t(i))")
    [folder] = os.scandir(tempfile.gettempdir())
    shutil.rmtree(folder)
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False
    )
    assert (found.stdout, found.stderr, found.returncode) == ("", "", 0)
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_ends_one_call_and_not_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(_source: running.Source, _sql: str) -> pd.DataFrame:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        running.run(GOOD, "auc", **ROLES, execute=pressed)
    assert sqlmetrics.auc(GOOD, **ROLES)["auc"][0] == 1


def test_the_place_for_temporary_files_is_that_of_the_process() -> None:
    with private_connection(None, None) as con:
        [(folder,)] = con.execute("select current_setting('temp_directory')").fetchall()
    assert Path(folder).parent == Path(tempfile.gettempdir())
    assert Path(folder).name.startswith(f"sqlmetrics-{os.getpid()}-")


@pytest.mark.parametrize(
    "data", ["s3://bucket/log.parquet", ["a.parquet", "https://host/b.parquet"], "from 's3://b/a.csv'"]
)
def test_what_is_fetched_is_kept_for_the_length_of_a_call(data: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files from elsewhere are read by several statements of a call, and may have changed at the next."""
    kept: list[bool] = []
    started = source.private_connection

    @contextmanager
    def noted(*limits: Any, **given: Any) -> Iterator[duckdb.DuckDBPyConnection]:
        with started(*limits, **given) as con:
            kept.append(con.execute("select current_setting('enable_external_file_cache')").fetchall()[0][0])
            assert connections._shared_engine._engine is before
            yield con

    before = connections._shared_engine._engine
    monkeypatch.setattr(source, "private_connection", noted)
    monkeypatch.setattr(source._Way, "resolve", lambda *_: pytest.fail("nothing is fetched here"))
    with pytest.raises(pytest.fail.Exception):
        sqlmetrics.auc(data, **ROLES)
    assert kept == [True]


def test_what_lies_here_is_not_kept() -> None:
    with private_connection(None, None) as con, private_connection(1, None) as limited:
        for one in (con, limited):
            assert one.execute("select current_setting('enable_external_file_cache')").fetchall() == [(False,)]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system does not tell how much memory is held")
def test_memory_is_given_back_after_a_large_call() -> None:
    """Of an engine that stays, as of one that ends; it takes a second or two."""
    program = """
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
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (found.stdout, found.stderr) == ("True True\n", "")
