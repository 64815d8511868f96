"""The page of pictures and the notebook under `examples` show what their commands and cells make.

`python -m tests.output.test_pictures` writes the pictures and the outputs of the notebook.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sqlmetrics.cli import main
from tests import ROOT

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples"
PAGE = EXAMPLES / "pictures" / "README.md"
NOTEBOOK = EXAMPLES / "notebook.ipynb"
COMMANDS = re.findall(r"```sh\nsqlmetrics (.*?)\n```", PAGE.read_text(encoding="utf-8"))


@contextlib.contextmanager
def folder_with_the_log() -> Iterator[Path]:
    """The folder in which commands and cells run."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        shutil.copy(EXAMPLES / "impressions.parquet", name)
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(before)


def pictures() -> dict[str, str]:
    """What the commands of the page write, by the names of their files."""
    with folder_with_the_log() as folder:
        for command in COMMANDS:
            result = CliRunner().invoke(main, shlex.split(command))
            assert result.exit_code == 0, result.output
        return {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}


def with_outputs(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook, its cells run from the first to the last, as Jupyter does it, with what they show."""
    names: dict[str, Any] = {}
    cells = []
    with folder_with_the_log():
        for count, cell in enumerate([one for one in notebook["cells"] if one["cell_type"] == "code"], 1):
            cells.append(
                {**cell, "execution_count": count, "outputs": outputs_of("".join(cell["source"]), names, count)}
            )
    ran = iter(cells)
    return {**notebook, "cells": [next(ran) if one["cell_type"] == "code" else one for one in notebook["cells"]]}


def outputs_of(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """What a cell prints, and its last expression if it is not None: as a picture where it is one, else as text."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last is not None else None
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append(
            {"output_type": "stream", "name": "stdout", "text": printed.getvalue().splitlines(keepends=True)}
        )
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_svg_"):
            data = {"image/svg+xml": value._repr_svg_().splitlines(keepends=True), "text/plain": [value.title]}
        outputs.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
    return outputs


def test_the_pictures_are_those_of_their_commands() -> None:
    shown = re.findall(r"!\[.+?\]\((.+?)\)", PAGE.read_text(encoding="utf-8"))
    assert [re.sub(r".* -o ", "", command) for command in COMMANDS] == shown
    made = pictures()
    assert sorted(made) == sorted(shown) == sorted(path.name for path in PAGE.parent.glob("*.svg"))
    for name, text in made.items():
        assert (PAGE.parent / name).read_text(encoding="utf-8") == text, (
            f"{name}: run python -m tests.output.test_pictures"
        )


def test_the_notebook_shows_what_its_cells_make() -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    again = with_outputs(notebook)
    assert sum(bool(cell.get("outputs")) for cell in again["cells"]) > 5
    assert again == notebook, "run python -m tests.output.test_pictures"


if __name__ == "__main__":
    for name, text in pictures().items():
        (PAGE.parent / name).write_text(text, encoding="utf-8")
    written = with_outputs(json.loads(NOTEBOOK.read_text(encoding="utf-8")))
    NOTEBOOK.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
