"""Files written in one piece, and never over an input."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Collection
from pathlib import Path

from ..errors import BadParameter
from ..interrupts import unfinished


def check_output(path: str, inputs: Collection[str]) -> None:
    """Refuse a target that cannot be written, or that is one of the inputs, before any work is done."""
    target = Path(path)
    if target.is_dir():
        raise BadParameter(f"-o {path}: this is a folder")
    folder = Path(os.path.realpath(target)).parent
    if not folder.is_dir():
        raise BadParameter(f"-o {path}: there is no folder {folder}")
    if target.exists() and any(_is_read(target, one) for one in inputs):
        raise BadParameter(f"-o {path}: this is one of the input files")


def _is_read(target: Path, name: str) -> bool:
    """Whether a file is that of a name, one of such a folder, or what stands on standard input."""
    if name == "-":
        try:
            return os.path.samestat(os.fstat(0), target.stat())
        except OSError:  # there is no standard input
            return False
    if not Path(name).exists():
        return False
    return os.path.samefile(name, target) or Path(os.path.realpath(target)).is_relative_to(os.path.realpath(name))


def write_whole(path: str, write: Callable[[Path], None]) -> None:
    """Write beside the target and rename: whatever goes wrong, a file that was there stays as it was."""
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
    unfinished.add(str(beside))
    try:
        write(beside)
        if target.exists():
            shutil.copymode(target, beside)
        os.replace(beside, target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadParameter(f"{path}: the folder {target.parent} takes no file ({reason}); choose another") from error
    finally:
        beside.unlink(missing_ok=True)
        unfinished.discard(str(beside))


def write_text(path: str, text: str) -> None:
    """Write a text file whole."""

    def write(beside: Path) -> None:
        beside.write_bytes(text.encode("utf-8"))

    write_whole(path, write)
