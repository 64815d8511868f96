"""Write files atomically, and never over an input."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Collection
from pathlib import Path

from ..errors import BadParameter
from ..interrupts import unfinished


def check_output(path: str, inputs: Collection[str]) -> None:
    """Reject a target that is not writable, or that is an input, before any work starts."""
    target = Path(path)
    if target.is_dir():
        raise BadParameter(f"-o {path}: this is a folder")
    folder = Path(os.path.realpath(target)).parent
    if not folder.is_dir():
        raise BadParameter(f"-o {path}: there is no folder {folder}")
    if target.exists() and any(_is_read(target, name) for name in inputs):
        raise BadParameter(f"-o {path}: this is one of the input files")


def _is_read(target: Path, name: str) -> bool:
    """Whether the target is the input of this name, a file in it, or the file on standard input."""
    if name == "-":
        try:
            return os.path.samestat(os.fstat(0), target.stat())
        except OSError:  # there is no standard input
            return False
    if not Path(name).exists():
        return False
    return os.path.samefile(name, target) or Path(os.path.realpath(target)).is_relative_to(os.path.realpath(name))


def write_whole(path: str, write: Callable[[Path], object]) -> None:
    """Write a temporary file next to the target and rename it: after an error the old file stays unchanged."""
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
    unfinished.add(str(temporary))
    try:
        write(temporary)
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadParameter(f"{path}: the folder {target.parent} takes no file ({reason}); choose another") from error
    finally:
        temporary.unlink(missing_ok=True)
        unfinished.discard(str(temporary))


def write_text(path: str, text: str) -> None:
    """Write a text file atomically."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str, content: bytes) -> None:
    """Write a file atomically."""
    write_whole(path, lambda temporary: temporary.write_bytes(content))
