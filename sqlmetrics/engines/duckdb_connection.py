"""Connections to DuckDB: a private one for a call, and the caller's, on which nothing of theirs may be disturbed."""

from __future__ import annotations

import atexit
import ctypes
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

import duckdb
import pandas as pd

from ..errors import BadParameter, first_line, shown
from ..interrupts import FOLDER_PREFIX
from ..sql_text import text_literal
from .duckdb_rows import frame_of, rows_of

T = TypeVar("T")

#: More help nobody, and the engine starts as many as it is told, until the machine has no more to give.
_MOST_THREADS = 1_024

#: One lock for each connection of a caller's: in DuckDB 1 two threads on one connection get each other's rows, in
#: DuckDB 2 one of them is refused.
_locks: WeakKeyDictionary[duckdb.DuckDBPyConnection, threading.RLock] = WeakKeyDictionary()
_guard = threading.Lock()


def lock_of(con: duckdb.DuckDBPyConnection) -> threading.RLock:
    """The lock under which our statements use a connection of the caller's."""
    with _guard:
        return _locks.setdefault(con, threading.RLock())


def checked_connection(con: Any) -> duckdb.DuckDBPyConnection:
    """The connection, if it is one of DuckDB's and open.

    Raises:
        BadParameter: It is something else, or closed, or a result on it is not read to its end.
    """
    if of_package(con, "ibis") and isinstance(getattr(con, "con", None), duckdb.DuckDBPyConnection):
        con = con.con  # the connection of ibis' backend
    if not isinstance(con, duckdb.DuckDBPyConnection):
        raise BadParameter(f"con must be a DuckDB connection, not {type(con).__name__}{_hint(con)}")
    try:
        with lock_of(con):
            con.sql("select 1").fetchall()
    except duckdb.ConnectionException as error:
        raise BadParameter("con is closed") from error
    except duckdb.Error as error:
        if "unfinished result" in str(error):
            raise BadParameter(
                "con holds a result that is not read to its end; read it, or give con.cursor() instead"
            ) from error
        if "abort" in str(error):
            raise BadParameter("con is in a transaction that has failed; roll it back first") from error
        raise BadParameter(f"con cannot be used: {first_line(error)}") from error
    return con


def of_package(value: Any, name: str) -> bool:
    """Whether the class of an object comes from a package."""
    return type(value).__module__.partition(".")[0] == name


def _hint(con: Any) -> str:
    if of_package(con, "ibis"):
        return (
            "; this backend of ibis is not DuckDB's: give what it holds as engine=engines.DBAPI(backend.con, dialect)"
        )
    if of_package(con, "sqlalchemy"):
        return "; a connection of SQLAlchemy's goes as engine=connection"
    if hasattr(con, "cursor") and hasattr(con, "commit"):
        return "; another database's goes as engine=engines.DBAPI(con, dialect)"
    return ""


def interruptible(
    con: duckdb.DuckDBPyConnection, work: Callable[[], T], watch: Callable[[], None] | None = None, every: float = 60.0
) -> T:
    """Work on a connection in another thread, while this one waits for Ctrl-C, and looks on now and then.

    The engine looks for signals in long pauses only, and loses one that comes while it calls back into Python. Where
    this is not the main thread no signal comes here, and where nobody looks on, it works itself.
    """
    if watch is None and threading.current_thread() is not threading.main_thread():
        return work()
    begun, ended = threading.Lock(), threading.Event()
    outcome: list[Any] = []

    def run() -> None:
        if begun.acquire(blocking=False):
            try:
                outcome.extend((work(), None))
            except BaseException as error:  # is raised again where it belongs
                outcome.extend((None, error))
            finally:
                ended.set()

    pressed = False
    try:
        threading.Thread(target=run, daemon=True).start()
    except KeyboardInterrupt:
        if begun.acquire(blocking=False):  # nobody works, and nobody will
            raise
        pressed = True
    while not ended.is_set():
        try:
            # The engine forgets an interrupt that comes before the query has begun: it is repeated until that ends.
            if pressed:
                con.interrupt()
            ended.wait(0.02 if pressed else every)
            if watch is not None and not pressed:
                watch()
        except KeyboardInterrupt:
            pressed = True
    if pressed:
        raise KeyboardInterrupt
    value, error = outcome
    if error is not None:
        raise error
    return cast("T", value)


def statements_on(con: duckdb.DuckDBPyConnection) -> Callable[[str], pd.DataFrame]:
    """What runs a statement on the caller's connection.

    As a relation, which keeps its rows to itself: `execute` would put them in place of a result of the caller's.
    """

    def fetch(sql: str) -> pd.DataFrame:
        with lock_of(con):
            return rows_of(con.sql(sql))

    return lambda sql: interruptible(con, lambda: fetch(sql))


def private_statements(con: duckdb.DuckDBPyConnection) -> Callable[[str], pd.DataFrame]:
    """What runs a statement on a connection that is ours alone."""

    def fetch(sql: str) -> pd.DataFrame:
        result = con.execute(sql)
        names, kinds = ([str(one[part]) for one in result.description] for part in (0, 1))

        def tuples(values: str) -> list[tuple[Any, ...]]:
            return con.execute(f"select {values} from ({sql}\n)" if values else sql).fetchall()

        return frame_of(result.df, tuples, names, kinds)

    return lambda sql: interruptible(con, lambda: fetch(sql))


@contextmanager
def private_connection(
    threads: int | None, memory_limit: str | None, *, fetches: bool = False
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection in memory that is ours alone, closed at the end.

    Calls without limits share an engine, which takes longer to start than to answer for a few rows; what belongs to a
    connection (temporary tables, registered objects, settings) none of them sees of another. Limits are those of an
    engine of its own, as is the folder into which it may write what memory does not hold. A call that `fetches` files
    from elsewhere has its own too, which keeps what it has fetched, and only for the length of the call.
    """
    if threads is not None:
        check_threads(threads)
    if threads is None and memory_limit is None and not fetches:
        with shared_engine().connection() as connection:
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
            except (duckdb.Error, ValueError) as error:  # a number of too many digits, half a character
                raise BadParameter(f"memory_limit must be as '2GB', not {shown(memory_limit)}") from error
        _begin_session(engine)
        yield engine


def _started(until: ExitStack) -> duckdb.DuckDBPyConnection:
    """An engine in memory, and the name of a folder that it makes when it first needs it; both go with `until`."""
    folder = _spill_folder()
    if folder is not None:
        until.callback(rmtree, folder, ignore_errors=True)
    engine = until.enter_context(duckdb.connect())
    # Without a place for a folder it does without.
    engine.execute(f"set temp_directory = {text_literal(folder or '')}")
    # A file that is written anew is read anew, however soon, by an engine that has read it before.
    engine.execute("set enable_external_file_cache = false")
    # A misspelt table must be an error, not a variable of the calling program that happens to have its name.
    engine.execute("set global python_enable_replacements = false")
    # The days of moments with a time zone must not hang on the machine that a call runs on.
    engine.execute("set global TimeZone = 'UTC'")
    # Up to 65,536 steps of a score are counted in an array: auc(bins=65536) took three quarters of the time.
    engine.execute(f"set global perfect_ht_threshold = {_BITS_OF_ARRAYS}")
    return engine


def _begin_session(connection: duckdb.DuckDBPyConnection) -> None:
    """What is not for all connections to an engine: under `python -m` it would draw a bar into standard output."""
    connection.execute("set enable_progress_bar = false")


#: Groups of whole numbers within 2 to this power are counted in an array, whatever is counted.
_BITS_OF_ARRAYS = 17


class _SharedEngine:
    """The engine of a process: the first call that takes a connection starts it, and it ends with the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._engine: duckdb.DuckDBPyConnection | None = None
        self._until = ExitStack()

    @contextmanager
    def connection(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection to it, closed at the end."""
        connection = self._connected()
        try:
            yield connection
        finally:
            connection.close()

    def _connected(self) -> duckdb.DuckDBPyConnection:
        with self._lock:
            for _ in range(2):
                if self._engine is None:
                    self._engine = _started(self._until)
                    # Never deallocated: a forked process would end with a crash, as the engine's threads are not there.
                    ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._engine))
                    # Gigabytes of a large call would stay with the process until the next one. With DuckDB 1 a
                    # forked process that had it so would abort at its end.
                    if os.getpid() == _process_of_import:
                        self._engine.execute("set allocator_background_threads = true")
                try:
                    connection = self._engine.cursor()
                    _begin_session(connection)
                    return connection
                except (duckdb.FatalException, duckdb.ConnectionException):
                    # After an error that it calls fatal an engine refuses everything.
                    self._end()
            raise AssertionError("an engine that has just been started takes connections")

    def end(self) -> None:
        """Close it; the next call starts another."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        self._engine = None
        self._until.close()


_process_of_import = os.getpid()
#: By process id: the threads of an engine do not exist in a forked process, which starts its own.
_shared_engines: dict[int, _SharedEngine] = {}


def shared_engine() -> _SharedEngine:
    """The engine of this process."""
    return _shared_engines.setdefault(os.getpid(), _SharedEngine())


atexit.register(lambda: shared_engine().end())


#: What connections have instead.
_bits_of: WeakKeyDictionary[duckdb.DuckDBPyConnection, int] = WeakKeyDictionary()
#: What each thread keeps of a group, and more for each metric with its sums, in bytes; at most an eighth of the memory.
_BYTES_OF_A_GROUP, _BYTES_OF_A_METRIC, _SHARE = 64, 80, 8
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50}


def count_groups_in_arrays(con: duckdb.DuckDBPyConnection, rows: int, metrics: int) -> None:
    """Let the engine count users and the like in arrays instead of hash tables, on a connection of our own.

    It does so where the statistics of a column of whole numbers tell that their range is small enough. Sums by half a
    million users then take half of the time. An array as long as the range is made by each thread, and by none where
    there are fewer rows: that would take longer than the rows.
    """
    bits = _BITS_OF_ARRAYS
    if rows.bit_length() - 1 > bits:
        limits = "select current_setting('memory_limit'), current_setting('threads')"
        [limit, threads] = con.execute(limits).fetchall()[0]
        number, unit = str(limit).split()
        bytes_of_all = (int(threads) + 1) * (_BYTES_OF_A_GROUP + _BYTES_OF_A_METRIC * metrics)
        most = min(float(number) * _UNITS[unit] / _SHARE / bytes_of_all, rows)
        bits = max(bits, int(most).bit_length() - 1)
    if _bits_of.get(con, _BITS_OF_ARRAYS) != bits:
        con.execute(f"set perfect_ht_threshold = {bits}")
        _bits_of[con] = bits


def check_threads(threads: Any) -> None:
    """Refuse a number of threads that no machine has."""
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= _MOST_THREADS:
        raise BadParameter(f"threads must be a whole number from 1 to {_MOST_THREADS:,}, not {shown(threads)}")


def _spill_folder() -> str | None:
    """A name for a folder of this process, which the engine makes when it needs it; those of dead ones are removed."""
    try:
        parent = Path(tempfile.gettempdir())
    except FileNotFoundError:  # no folder at all can be written
        return None
    remove_left_folders(parent)
    return str(parent / f"{FOLDER_PREFIX}{os.getpid()}-{os.urandom(8).hex()}")


def remove_left_folders(parent: Path) -> None:
    """Remove the folders of processes that were killed before they could: this user's, and none that still runs."""
    with suppress(OSError):
        for entry in os.scandir(parent):
            process = entry.name.removeprefix(FOLDER_PREFIX).partition("-")[0]
            if (
                not entry.name.startswith(FOLDER_PREFIX)
                or not process.isdigit()
                or not entry.is_dir(follow_symlinks=False)
            ):
                continue
            own = not hasattr(os, "getuid") or entry.stat(follow_symlinks=False).st_uid == os.getuid()
            if own and not _runs(int(process)):
                rmtree(entry.path, ignore_errors=True)


def _runs(process: int) -> bool:
    if os.name != "posix":
        return True  # a signal of 0 would end it there
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
