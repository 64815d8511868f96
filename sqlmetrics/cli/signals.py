"""End the shell by Ctrl-C and termination signals, from the first import on.

A signal raises KeyboardInterrupt in the main thread, which waits while the engine works in another one: statements are
cancelled, and temporary files removed, as on any other way out.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

_ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_MESSAGES = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
_received: list[int] = []


def install_handlers() -> None:
    """Let signals end this process with exit code 128 plus their number, as shells do."""
    for number in _ENDING if os.name == "posix" else ():
        # The parent may have ignored a signal, as nohup does.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 - the signature is Python's
    _received.append(number)
    for other in _ENDING:
        signal.signal(other, signal.SIG_IGN)  # another one would break off the cleaning
    raise KeyboardInterrupt


def exit_by_signal() -> NoReturn:
    """Name the signal on stderr, and exit with its code."""
    number = _received[0] if _received else signal.SIGINT
    if sys.stderr is not None:
        print(_MESSAGES.get(signal.Signals(number), "ended"), file=sys.stderr)
    sys.exit(128 + number)
