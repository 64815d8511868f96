"""The pages are correct: commands print the output they show, Python is a doctest, and links have targets.

`python -m tests.project.test_readme` writes the output of commands and Python into all pages, or into those in its
arguments.
"""

from __future__ import annotations

import doctest
import functools
import re
import runpy
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet
import pytest

import sqlmetrics
from sqlmetrics.catalogue.metric_file import _KEYS
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.catalogue.vocabulary import QUESTIONS
from tests import ROOT
from tests.benchmarks import report
from tests.calls import shell
from tests.engines.servers import ENGINES
from tests.parameters import slow

README = ROOT / "README.md"
EXAMPLES = ROOT / "examples"
PAGES = [README, *sorted((ROOT / "sql").glob("*.md"))]
PAGES += sorted(path for path in EXAMPLES.rglob("README.md") if not {".venv", "dbt_packages"} & {*path.parts})
GUIDE = EXAMPLES / "guide"
PAGES += sorted(GUIDE.glob("*.md"))
LINKED_PAGES = [*PAGES, ROOT / "CHANGELOG.md", *sorted((ROOT / ".github").rglob("*.md"))]
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
CONSOLE = re.compile(r"```console\n\$ sqlmetrics (.*?)\n(.*?)```", re.DOTALL)
PYTHON = re.compile(r"```python\n(>>> .*?)```", re.DOTALL)
EXECUTED = re.compile(rf"{CONSOLE.pattern}|{PYTHON.pattern}", re.DOTALL)
#: The end of a command that fails on purpose.
SHOWS_EXIT_CODE = ' || echo "exit code $?"'
#: Pages whose commands take seconds; other quick tests cover them. Catalogue examples are in docstrings.
EXPENSIVE = [ROOT / "sql" / name for name in ("duckdb.md", "report.md", "intervals.md")]
EXPENSIVE += [GUIDE / f"{name}.md" for name in ("calibration", "click_model", "coming_from")]
UPDATE = "run python -m tests.project.test_readme"


@functools.cache
def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, *languages: str) -> list[str]:
    return [block for language, block in BLOCK.findall(text_of(page)) if language in languages]


def pages(*languages: str) -> list[Any]:
    """The pages with blocks in one of the languages; expensive ones are marked slow."""
    marks = {page: [pytest.mark.slow] if page in EXPENSIVE else [] for page in PAGES if blocks(page, *languages)}
    if EXPENSIVE[0] in marks:  # it installs every macro, which a process renders once
        marks[EXPENSIVE[0]].append(pytest.mark.xdist_group("every macro"))
    return [pytest.param(page, id=name_of(page), marks=marks[page]) for page in marks]


def output_of(command: str) -> str:
    result = shell(*shlex.split(command.removesuffix(SHOWS_EXIT_CODE)))
    assert (result.exit_code != 0) == command.endswith(SHOWS_EXIT_CODE), result.output
    output = f"{result.output}exit code {result.exit_code}" if result.exit_code else result.stdout
    return "".join(f"{line.rstrip()}\n" for line in output.splitlines())


@contextmanager
def folder_of(page: Path) -> Iterator[None]:
    """Run a page in the folder of its reader: a new folder with the log for the guide, else the checkout."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        if page.parent == GUIDE:
            shutil.copy(EXAMPLES / "impressions.parquet", folder)
        patch.chdir(folder if page.parent == GUIDE else ROOT)
        yield


class SessionRunner(doctest.DocTestRunner):
    """Runs the session of a page, and updates the expected output of its examples."""

    def report_failure(self, *about: Any) -> None:
        example, printed = about[2:]
        if example.exc_msg is not None:
            raise SystemExit(f"{example.source}prints {printed}")
        example.want = "".join(f"{line.rstrip() or '<BLANKLINE>'}\n" for line in printed.splitlines())

    def report_unexpected_exception(self, *about: Any) -> None:
        example, error = about[2:]
        raise SystemExit(f"{example.source}raises {error[1]!r}")


def with_output(text: str) -> str:
    """The text of a page with the current output of its commands and its Python."""
    names: dict[str, Any] = {}

    def run(block: re.Match[str]) -> str:
        if block[1]:
            return f"```console\n$ sqlmetrics {block[1]}\n{output_of(block[1])}```"
        pieces = doctest.DocTestParser().parse(block[3])
        examples = [piece for piece in pieces if isinstance(piece, doctest.Example)]
        test = doctest.DocTest(examples, names, "page", None, None, None)
        SessionRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE).run(test, clear_globs=False)
        names.update(test.globs)
        return f"```python\n{''.join(map(as_shown, pieces))}```"

    return EXECUTED.sub(run, text)


def as_shown(piece: str | doctest.Example) -> str:
    if isinstance(piece, str):
        return piece
    return ">>> " + re.sub(r"\n(?=.)", "\n... ", piece.source).replace("\n\n", "\n...\n") + piece.want


def test_blocks_have_a_supported_language() -> None:
    for page in PAGES:
        text = text_of(page)
        assert text.count("```") == 2 * len(BLOCK.findall(text)), "a block without its language"
        assert {language for language, _ in BLOCK.findall(text)} <= {"console", "python", "py", "sh", "yaml", "sql"}
        assert len(blocks(page, "console")) == len(CONSOLE.findall(text)), page
        assert len(blocks(page, "python")) == len(PYTHON.findall(text)), page


@pytest.mark.parametrize("page", pages("console", "python"))
def test_commands_and_python_print_what_the_page_shows(page: Path) -> None:
    with folder_of(page):
        assert with_output(text_of(page)) == text_of(page), UPDATE


@pytest.mark.parametrize("page", pages("sh"))
def test_commands_without_output_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CI runs the two commands of the README, tests/output draws the pictures, tests/dbt builds the example project."""
    (tmp_path / "run.txt").write_text("q1 Q0 d1 1 2.5 mine\nq1 Q0 d2 2 1.5 mine\nq2 Q0 d3 1 0.5 mine\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 0\nq1 0 d2 1\nq2 0 d3 2\n")
    shutil.copy(EXAMPLES / "impressions.parquet", tmp_path)
    shutil.copytree(EXAMPLES / "metrics", tmp_path / "macros")
    duckdb.connect(tmp_path / "my.duckdb").close()
    monkeypatch.chdir(tmp_path)
    for command in "".join(blocks(page, "sh")).splitlines():
        if command.startswith("sqlmetrics "):
            if page.parent.name != "pictures":
                output_of(command.removeprefix("sqlmetrics "))
        elif page.parent == GUIDE:
            assert command.startswith(
                ("python3 -m venv ", ".venv/bin/pip install .", "mkdir ", "cp examples/", "cd ", "eval ")
            )
        elif page == README:
            assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
        else:
            assert page.parent.name == "dbt_project"
            assert command.startswith(("python3 -m venv ", ".venv/bin/dbt "))


@pytest.mark.parametrize("name", slow("postgres", "spark", "clickhouse"))
def test_calls_on_engines_run(name: str) -> None:
    """The line about an engine, with a connection in the variable that the page uses."""
    log = pyarrow.parquet.read_table(EXAMPLES / "impressions.parquet", columns=["session_id", "clicked", "pctr_a"])
    roles = {"label": "clicked", "score": "pctr_a", "group": "session_id"}
    expected = sqlmetrics.evaluate(str(EXAMPLES / "impressions.parquet"), "auc, ndcg@10", **roles)
    variable = {"postgres": "connection", "spark": "session", "clickhouse": "chdb_session"}[name]
    with ENGINES[name]({"impressions": log}) as engine:
        connection = engine.connection if name == "postgres" else engine.session
        for lines in (block.splitlines() for page in PAGES for block in blocks(page, "py")):
            [line] = [line for line in lines if f"({variable}))" in line]
            imports = [line for line in lines if line.startswith("from ")]
            namespace = {"sqlmetrics": sqlmetrics, "roles": roles, variable: connection}
            exec("\n".join([*imports, f"result = {line}"]), namespace)
            assert namespace["result"].round(9).equals(expected.round(9)), line


@pytest.mark.slow
def test_make_log_creates_the_log_of_the_examples() -> None:
    maker = runpy.run_path(str(EXAMPLES / "make_log.py"))
    with duckdb.connect() as con:
        ours, stored = maker["make_log"](con), con.from_parquet(str(EXAMPLES / "impressions.parquet"))
        assert (ours.columns, ours.types) == (stored.columns, stored.types)
        assert ours.fetchall() == stored.fetchall()


def test_readme_is_short() -> None:
    """Its length is limited, its two commands have one line each, and tests/dbt builds its dbt test."""
    text = text_of(README)
    assert len(text) <= 7_000
    commands = [line for line in text.splitlines() if line.startswith("python3 -m venv")]
    assert len(commands) == 2
    assert commands[1].endswith("-m pytest")
    [shown] = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert shown in text_of(ROOT / "sql" / "README.md")


def test_pages_show_the_last_benchmark() -> None:
    for page, table in report.TABLES.items():
        assert report.between_marks(text_of(page)) == table(), "run python -m tests.benchmarks.report"


def anchor(heading: str) -> str:
    """The fragment of a link to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@functools.cache
def anchors(page: Path) -> set[str]:
    return set(map(anchor, re.findall(r"^#+ (.+)$", BLOCK.sub("", text_of(page)), re.MULTILINE)))


def test_links_have_targets() -> None:
    for page in LINKED_PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", BLOCK.sub("", text_of(page))):
            if not target.startswith(("http:", "https:", "mailto:")):
                path, _, fragment = target.partition("#")
                linked = (page.parent / path).resolve() if path else page
                assert linked.exists(), (page, target)
                assert not fragment or fragment in anchors(linked), (page, target)


def test_pages_list_every_key_adapter_and_question() -> None:
    text = text_of(EXAMPLES / "metrics" / "README.md")
    [table] = re.findall(r"\| key \| what it says \|\n(.*?)\n\n", text, re.DOTALL)
    keys = [key for row in table.splitlines() for key in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(keys) == sorted(_KEYS)
    extras = dict(re.findall(r'"(dbt-\w+)(?:\[\w+\])?==([\d.]+)\.\*"', text_of(ROOT / "pyproject.toml")))
    del extras["dbt-core"]
    assert (
        dict(re.findall(r"^\| (dbt-\w+) \| ([\d.]+) \|", text_of(ROOT / "sql" / "README.md"), re.MULTILINE)) == extras
    )
    documented = re.findall(r"^\| `([\w-]+)` \|", text_of(GUIDE / "install.md"), re.MULTILINE)
    [extras_of_users] = re.findall(r"dependencies]\n(.*)\ndev = ", text_of(ROOT / "pyproject.toml"), re.DOTALL)
    assert sorted(documented) == sorted(
        {*re.findall(r"^([\w-]+) = \[", extras_of_users, re.MULTILINE)} - {"test", "site"}
    )
    answers = [metric.answers for metric in builtin_catalogue().metrics.values()]
    assert all(answers)
    assert {name for names in answers for name in names} == set(QUESTIONS)


if __name__ == "__main__":
    for page in map(Path.resolve, map(Path, sys.argv[1:])) if sys.argv[1:] else PAGES:
        with folder_of(page):
            page.write_text(with_output(text_of(page)), encoding="utf-8")
