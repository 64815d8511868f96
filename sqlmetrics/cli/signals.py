"""Handle Ctrl-C and termination signals in the shell, from the first import to the end.

Python delivers signals to the main thread, which may be inside the engine or an import, where nothing catches
KeyboardInterrupt. Here a second thread reads signals from a pipe, removes temporary files and ends the process.
"""

# ruff: noqa: PLC0415 (this module is imported first, so its imports are few)

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading

from ..interrupts import FOLDER_PREFIX, cancel, unfinished

_ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_MESSAGES = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
#: Seconds to wait for an engine to cancel; a server may not answer.
_PATIENCE = 1.0


def install_handlers() -> None:
    """Let signals end this process with exit code 128 plus their number, as shells do."""
    if os.name != "posix":
        return
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    threading.Thread(target=_wait, args=(readable,), daemon=True).start()
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    for number in _ENDING:
        # The parent may have ignored a signal, as nohup does.
        if signal.getsignal(number) is not signal.SIG_IGN:
            # The interpreter writes to the pipe only for signals with a Python handler.
            signal.signal(number, lambda *_: None)


def _wait(readable: int) -> None:
    while True:
        for number in os.read(readable, 1):
            if number in _ENDING:
                _end(number)


def _end(number: int) -> None:
    try:
        # Clear a progress bar, and show the cursor again.
        start = "\r\x1b[2K\x1b[?25h" if os.isatty(2) else ""
        with contextlib.suppress(OSError):  # stderr is closed
            os.write(2, f"{start}{_MESSAGES.get(signal.Signals(number), 'ended')}\n".encode())
        threads = [threading.Thread(target=cancel_statement, daemon=True) for cancel_statement in list(cancel)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(_PATIENCE)
        remove_temporary_folders()
        for path in list(unfinished):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
    finally:
        os._exit(128 + number)


def remove_temporary_folders() -> None:
    """Remove the temporary folders of this process, even while its engine writes to them."""
    if "tempfile" not in sys.modules:  # without it no folder exists
        return
    import shutil
    import tempfile

    parent = tempfile.gettempdir()
    prefix = f"{FOLDER_PREFIX}{os.getpid()}-"
    for name in os.listdir(parent):
        if name.startswith(prefix):
            # After renaming, the engine can no longer add files.
            renamed = os.path.join(parent, f"{prefix}gone-{name.removeprefix(prefix)}")
            try:
                os.rename(os.path.join(parent, name), renamed)
            except OSError:  # already removed
                continue
            shutil.rmtree(renamed, ignore_errors=True)
