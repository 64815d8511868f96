"""The page of pictures and the notebook under `examples` contain the output of their commands and cells.

`python -m tests.output.test_pictures` writes both.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.calls import shell

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples"
PAGE = EXAMPLES / "pictures" / "README.md"
NOTEBOOK = EXAMPLES / "notebook.ipynb"
COMMANDS = re.findall(r"```sh\nsqlmetrics (.*?)\n```", PAGE.read_text(encoding="utf-8"))
UPDATE = "run python -m tests.output.test_pictures"


@contextlib.contextmanager
def folder_with_the_log() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        shutil.copy(EXAMPLES / "impressions.parquet", name)
        yield Path(name)


def draw_pictures() -> dict[str, str]:
    """The files that the commands of the page create, by name."""
    with folder_with_the_log() as folder:
        for command in COMMANDS:
            result = shell(*shlex.split(command))
            assert result.exit_code == 0, result.output
        return {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}


def run_notebook() -> dict[str, Any]:
    """The notebook with the outputs of its cells, which run in order."""
    notebook: dict[str, Any] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    with folder_with_the_log():
        for count, cell in enumerate([cell for cell in notebook["cells"] if cell["cell_type"] == "code"], 1):
            cell |= {"execution_count": count, "outputs": run_cell("".join(cell["source"]), names, count)}
    return notebook


def run_cell(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """The printed text of a cell, and the representation of its last expression unless that is None."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last is not None else None
    lines = printed.getvalue().splitlines(keepends=True)
    outputs: list[dict[str, Any]] = [{"output_type": "stream", "name": "stdout", "text": lines}] if lines else []
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if "_repr_html_" in vars(value):  # for results; other DataFrames are stored as text only
            data = {"text/html": value._repr_html_().splitlines(keepends=True), **data}
        if hasattr(value, "_repr_svg_"):
            data = {"image/svg+xml": value._repr_svg_().splitlines(keepends=True), "text/plain": [value.title]}
        outputs.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
    return outputs


def test_pictures_are_current() -> None:
    names = re.findall(r"!\[.+?\]\((.+?)\)", PAGE.read_text(encoding="utf-8"))
    assert [re.sub(r".* -o ", "", command) for command in COMMANDS] == names
    files = {path.name: path.read_text(encoding="utf-8") for path in PAGE.parent.glob("*.svg")}
    assert draw_pictures() == files, UPDATE


def test_notebook_is_current() -> None:
    notebook = run_notebook()
    assert notebook["nbformat"] == 4
    assert sum(bool(cell.get("outputs")) for cell in notebook["cells"]) > 5
    assert notebook == json.loads(NOTEBOOK.read_text(encoding="utf-8")), UPDATE


if __name__ == "__main__":
    for name, text in draw_pictures().items():
        (PAGE.parent / name).write_text(text, encoding="utf-8")
    NOTEBOOK.write_text(json.dumps(run_notebook(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
