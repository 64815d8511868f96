"""Ctrl-C and the signals that end a program, in the shell: from its first moment to its last, whatever it is doing.

Python hands a signal to the main thread, which may be inside of the engine or in the middle of an import, where
nothing catches the exception that Ctrl-C is. Here the main thread is not asked: another one is told through a pipe,
removes what is written in places of its own, and ends the process.
"""

# ruff: noqa: PLC0415 (this module comes before all others: it loads next to nothing)

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType

from ..interrupts import FOLDER_PREFIX, cancel, unfinished

_ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_MESSAGES = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
#: The longest that an engine may take to be told; a server may not answer.
_PATIENCE = 1.0


def install_handlers() -> None:
    """Let signals end this process from here on: with 128 and their number as exit code, as a shell counts."""
    if os.name != "posix":
        return
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    threading.Thread(target=_wait, args=(readable,), daemon=True).start()
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    for number in _ENDING:
        # Who started the program may have asked that a signal be ignored, as nohup does.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave_to_the_thread)


def _leave_to_the_thread(number: int, frame: FrameType | None) -> None:
    """The interpreter writes the number into the pipe only where a signal has a handler of Python's."""


def _wait(readable: int) -> None:
    while True:
        for number in os.read(readable, 1):
            if number in _ENDING:
                _end(number)


def _end(number: int) -> None:
    try:
        _print_message(_MESSAGES.get(signal.Signals(number), "ended"))
        _cancel()
        remove_temporary_folders()
        for path in list(unfinished):
            _remove(path)
    finally:
        os._exit(128 + number)


def _print_message(word: str) -> None:
    # A bar may stand in the line, and the cursor be hidden.
    start = "\r\x1b[2K\x1b[?25h" if os.isatty(2) else ""
    try:
        os.write(2, f"{start}{word}\n".encode())
    except OSError:
        return  # nobody reads it


def _cancel() -> None:
    threads = [threading.Thread(target=cancel_statement, daemon=True) for cancel_statement in list(cancel)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_PATIENCE)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def remove_temporary_folders() -> None:
    """Remove the temporary folders of this process, while its engine may still write into them."""
    if "tempfile" not in sys.modules:  # and without it nobody has made one
        return
    import shutil
    import tempfile

    parent = tempfile.gettempdir()
    prefix = f"{FOLDER_PREFIX}{os.getpid()}-"
    for name in os.listdir(parent):
        if name.startswith(prefix):
            # Under another name nothing is added to it any more.
            renamed = os.path.join(parent, f"{prefix}gone-{name.removeprefix(prefix)}")
            try:
                os.rename(os.path.join(parent, name), renamed)
            except OSError:  # its owner was quicker
                continue
            shutil.rmtree(renamed, ignore_errors=True)
