"""Connections to DuckDB: private ones for calls, and the caller's, which stay undisturbed."""

from __future__ import annotations

import atexit
import ctypes
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import duckdb

from ..errors import BadParameter, first_line, shown
from ..interrupts import FOLDER_PREFIX
from ..sql_text import text_literal
from .duckdb_rows import Statements

T = TypeVar("T")

#: More threads do not help, and the engine starts as many as requested until the machine runs out of them.
_MOST_THREADS = 1_024

#: One lock for each connection of a caller. In DuckDB 1 two threads on one connection mix up their rows; DuckDB 2
#: rejects one of them.
_locks: WeakKeyDictionary[duckdb.DuckDBPyConnection, threading.RLock] = WeakKeyDictionary()
_guard = threading.Lock()


def lock_of(con: duckdb.DuckDBPyConnection) -> threading.RLock:
    """Return the lock for statements on a connection of the caller."""
    with _guard:
        return _locks.setdefault(con, threading.RLock())


def unregister(con: duckdb.DuckDBPyConnection, name: str) -> None:
    """Unregister a name; a failed transaction does so when it is rolled back."""
    # The caller may have closed the connection.
    with lock_of(con), suppress(duckdb.TransactionException, duckdb.ConnectionException):
        con.unregister(name)


def checked_connection(con: Any) -> duckdb.DuckDBPyConnection:
    """Return the connection if it is an open DuckDB connection.

    Raises:
        BadParameter: The object is no connection, is closed, or holds a result that is not read to its end.
    """
    if not isinstance(con, duckdb.DuckDBPyConnection):
        hint = "; another database's goes as engine=engines.DBAPI(con, dialect)" if hasattr(con, "cursor") else ""
        raise BadParameter(f"con must be a DuckDB connection, not {type(con).__name__}{hint}")
    try:
        with lock_of(con):
            con.sql("select 1").fetchall()
    except duckdb.ConnectionException as error:
        raise BadParameter("con is closed") from error
    except duckdb.Error as error:
        if "unfinished result" in str(error):
            raise BadParameter("con has a pending result; fetch all of it, or pass con.cursor()") from error
        if "abort" in str(error):
            raise BadParameter("con is in a transaction that has failed; roll it back first") from error
        raise BadParameter(f"con cannot be used: {first_line(error)}") from error
    return con


def interruptible(
    con: duckdb.DuckDBPyConnection, work: Callable[[], T], watch: Callable[[], None] | None = None, every: float = 60.0
) -> T:
    """Run `work` in a thread so that Ctrl-C can interrupt it; poll `watch`.

    The engine checks for signals rarely, and loses a signal that comes during a callback into Python. Signals reach the
    main thread only: any other thread without a `watch` runs `work` directly.
    """
    if watch is None and threading.current_thread() is not threading.main_thread():
        return work()
    outcome: Future[T] = Future()

    def run() -> None:
        if outcome.set_running_or_notify_cancel():
            try:
                outcome.set_result(work())
            except BaseException as error:  # raised again in the waiting thread
                outcome.set_exception(error)

    pressed = False
    try:
        threading.Thread(target=run, daemon=True).start()
    except KeyboardInterrupt:
        if outcome.cancel():  # the thread has not started, and will not
            raise
        pressed = True
    while not outcome.done():
        try:
            # The engine ignores an interrupt before the query has begun, so it is repeated until the query ends.
            if pressed:
                con.interrupt()
            wait([outcome], 0.02 if pressed else every)
            if watch is not None and not pressed:
                watch()
        except KeyboardInterrupt:
            pressed = True
    if pressed:
        raise KeyboardInterrupt
    return outcome.result()


def statements_on(con: duckdb.DuckDBPyConnection, *, private: bool) -> Statements:
    """Return the functions that run a statement on a connection.

    On the caller's connection they run a relation: `execute` would replace an open result of the caller.
    """

    def run(sql: str, read: Callable[[Any], Any]) -> Any:
        if private:
            return read(con.execute(sql))
        with lock_of(con):
            return read(con.sql(sql))

    return Statements(lambda sql, read: interruptible(con, lambda: run(sql, read)))


@contextmanager
def private_connection(
    threads: int | None, memory_limit: str | None, *, fetches: bool = False
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a private connection in memory, and close it at the end.

    Calls without limits share an engine, because starting one takes longer than a query over a few rows. Each call has
    its own connection, with its own temporary tables, registered objects and settings. A call with limits starts its
    own engine with its own spill folder. So does a call that `fetches` remote files, which it caches until it ends.
    """
    if threads is not None:
        check_threads(threads)
    if threads is None and memory_limit is None and not fetches:
        with shared_engine().connect() as connection:
            yield connection
        return
    with ExitStack() as started:
        engine = _started(started)
        engine.execute(f"set enable_external_file_cache = {fetches}")
        if threads is not None:
            engine.execute(f"set threads = {threads}")
        if memory_limit is not None:
            try:
                limit = str(memory_limit)
                limit.encode()
                engine.execute(f"set memory_limit = {text_literal(limit)}")
            except (duckdb.Error, ValueError) as error:  # an integer with too many digits, a lone surrogate
                raise BadParameter(f"memory_limit must be as '2GB', not {shown(memory_limit)}") from error
        yield _begin_session(engine)


def _started(until: ExitStack) -> duckdb.DuckDBPyConnection:
    """Start an engine in memory with a spill folder that it creates on demand; `until` closes and removes both."""
    folder = ""  # disables spilling
    with suppress(FileNotFoundError):  # no folder is writable
        parent = Path(tempfile.gettempdir())
        remove_left_folders(parent)
        folder = str(parent / f"{FOLDER_PREFIX}{os.getpid()}-{os.urandom(8).hex()}")
        until.callback(rmtree, folder, ignore_errors=True)
    engine = until.enter_context(duckdb.connect())
    engine.execute(f"set temp_directory = {text_literal(folder)}")
    # Read rewritten files again, even right after the rewrite.
    engine.execute("set enable_external_file_cache = false")
    # A misspelt table must be an error, not a Python variable of this name.
    engine.execute("set global python_enable_replacements = false")
    # The dates of timestamps with a time zone must not depend on the machine.
    engine.execute("set global TimeZone = 'UTC'")
    # Count up to 65,536 score bins in an array: auc(bins=65536) takes three quarters of the time.
    engine.execute(f"set global perfect_ht_threshold = {_BITS_OF_ARRAYS}")
    return engine


def _begin_session(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Apply settings of a connection: under `python -m` a progress bar would go to standard output."""
    connection.execute("set enable_progress_bar = false")
    return connection


#: Groups of integers in a range up to 2 to this power are always counted in an array.
_BITS_OF_ARRAYS = 17


class _SharedEngine:
    """The engine of a process: the first connection starts it, and the end of the process closes it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._engine: duckdb.DuckDBPyConnection | None = None
        self._until = ExitStack()

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Open a connection to the engine."""
        with self._lock:
            if self._engine is not None:
                # After a fatal error an engine rejects every statement.
                with suppress(duckdb.FatalException, duckdb.ConnectionException):
                    return _begin_session(self._engine.cursor())
                self._until.close()
            self._engine = _started(self._until)
            # Never deallocate: a forked process lacks the engine's threads and would crash at its end.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._engine))
            # Return the memory of large calls to the system. With DuckDB 1 a forked process with this setting would
            # abort at its end.
            if os.getpid() == _process_of_import:
                self._engine.execute("set allocator_background_threads = true")
            return _begin_session(self._engine.cursor())

    def end(self) -> None:
        """Close the engine; the next call starts another."""
        with self._lock:
            self._engine = None
            self._until.close()


_process_of_import = os.getpid()
#: By process id: a forked process lacks the threads of the engine, so it starts another.
_shared_engines: dict[int, _SharedEngine] = {}


def shared_engine() -> _SharedEngine:
    """Return the engine of this process."""
    return _shared_engines.setdefault(os.getpid(), _SharedEngine())


atexit.register(lambda: shared_engine().end())


#: The setting of connections that differ from the default.
_bits_of: WeakKeyDictionary[duckdb.DuckDBPyConnection, int] = WeakKeyDictionary()
#: Bytes of a group in each thread, and for each metric with its sums; the arrays take at most an eighth of the memory.
_BYTES_OF_A_GROUP, _BYTES_OF_A_METRIC, _SHARE = 64, 80, 8
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50}


def count_groups_in_arrays(con: duckdb.DuckDBPyConnection, rows: int, metrics: int) -> None:
    """Let a private connection count groups such as users in arrays instead of hash tables.

    The engine does so if the statistics of an integer column show a small range: sums by half a million users take half
    of the time. Each thread creates an array as long as the range, so the range may not exceed the number of rows.
    """
    bits = _BITS_OF_ARRAYS
    if rows.bit_length() - 1 > bits:
        settings = "select current_setting('memory_limit'), current_setting('threads')"
        [(limit, threads)] = con.execute(settings).fetchall()
        number, unit = str(limit).split()
        bytes_of_all = (int(threads) + 1) * (_BYTES_OF_A_GROUP + _BYTES_OF_A_METRIC * metrics)
        most = min(float(number) * _UNITS[unit] / _SHARE / bytes_of_all, rows)
        bits = max(bits, int(most).bit_length() - 1)
    if _bits_of.get(con, _BITS_OF_ARRAYS) != bits:
        con.execute(f"set perfect_ht_threshold = {bits}")
        _bits_of[con] = bits


def check_threads(threads: Any) -> None:
    """Reject an invalid number of threads."""
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= _MOST_THREADS:
        raise BadParameter(f"threads must be a whole number from 1 to {_MOST_THREADS:,}, not {shown(threads)}")


def remove_left_folders(parent: Path) -> None:
    """Remove the spill folders of killed processes of this user."""
    if os.name != "posix":  # elsewhere signal 0 would end a process
        return
    with suppress(OSError):
        for folder in parent.glob(f"{FOLDER_PREFIX}*"):
            process = folder.name.removeprefix(FOLDER_PREFIX).partition("-")[0]
            is_ours = folder.lstat().st_uid == os.getuid() and not folder.is_symlink() and folder.is_dir()
            if is_ours and process.isdigit() and not _runs(int(process)):
                rmtree(folder, ignore_errors=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (OSError, OverflowError) as error:
        return not isinstance(error, ProcessLookupError)
    return True
