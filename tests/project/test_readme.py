"""What the pages show is what happens: commands are run and their output compared, Python is a doctest, links lead on.

`python -m tests.project.test_readme` writes the output of the commands and of the Python into the pages.
"""

from __future__ import annotations

import bisect
import doctest
import functools
import io
import itertools
import re
import runpy
import shlex
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet
import pytest
import yaml
from click.testing import CliRunner

import sqlmetrics
from sqlmetrics import catalogue
from sqlmetrics.catalogue import builtin_catalogue
from sqlmetrics.cli import main
from tests import ROOT
from tests.benchmarks import report
from tests.engines.servers import ENGINES
from tests.parameters import slow

README = ROOT / "README.md"
CATALOGUE = ROOT / "sql" / "README.md"
EXAMPLES = ROOT / "examples"
PAGES = [
    README,
    *sorted((ROOT / "sql").glob("*.md")),
    *sorted(
        path for path in EXAMPLES.rglob("README.md") if ".venv" not in path.parts and "dbt_packages" not in path.parts
    ),
]
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
CONSOLE = re.compile(r"```console\n\$ sqlmetrics (.*?)\n(.*?)```", re.DOTALL)
#: Of a page of 9,000 characters it can be said that it is read in one sitting.
SITTING = 9_000


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


#: What they show takes seconds, and the fast tier has it in tests of its own, which are called like them.
DEAR = [ROOT / "sql" / name for name in ("duckdb.md", "report.md", "intervals.md")]


def blocks(language: str) -> list[Any]:
    """The blocks of a language, as values of a parameter: the page and the text."""
    found = [(page, text) for page in PAGES for kind, text in BLOCK.findall(text_of(page)) if kind == language]
    return [
        pytest.param(
            page,
            text,
            id=f"{name_of(page)}: {text.splitlines()[0][:60]}",
            marks=[pytest.mark.slow] if page in DEAR and language == "sh" else [],
        )
        for page, text in found
    ]


def output_of(command: str) -> str:
    result = CliRunner().invoke(main, shlex.split(command))
    assert result.exit_code == 0, result.output
    return "\n".join(line.rstrip() for line in result.stdout.splitlines()) + "\n"


def python_of(text: str) -> list[str]:
    """The blocks of a page that are one session in Python."""
    return [block for kind, block in BLOCK.findall(text) if kind == "python"]


class Printed(doctest.DocTestRunner):
    """Runs the session of a page, and keeps what it prints that the page does not show, by the lines of the session."""

    def __init__(self) -> None:
        super().__init__(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
        self.instead: list[tuple[int, int, list[str]]] = []

    def report_failure(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        super().report_failure(out, test, example, got)
        if example.lineno is not None and example.exc_msg is None:
            start = example.lineno + example.source.count("\n")
            lines = [line.rstrip() or "<BLANKLINE>" for line in got.splitlines()]
            self.instead.append((start, start + example.want.count("\n"), lines))


def with_output(text: str) -> str:
    """The text of a page with what its commands and its Python print."""
    text = CONSOLE.sub(lambda block: f"```console\n$ sqlmetrics {block[1]}\n{output_of(block[1])}```", text)
    blocks = [block.split("\n") for block in python_of(text)]
    runner, said = Printed(), io.StringIO()
    session = "\n".join(python_of(text))
    done = runner.run(doctest.DocTestParser().get_doctest(session, {}, "page", None, None), out=said.write)
    if done.failed > len(runner.instead):
        raise SystemExit(said.getvalue())
    first_lines = [0, *itertools.accumulate(map(len, blocks))]
    # From the last on, so that the lines before it keep their numbers.
    for start, end, printed in reversed(runner.instead):
        place = bisect.bisect_right(first_lines, start) - 1
        blocks[place][start - first_lines[place] : end - first_lines[place]] = printed
    written = iter(blocks)
    return BLOCK.sub(
        lambda block: "```python\n" + "\n".join(next(written)) + "```" if block[1] == "python" else block[0], text
    )


# Every block is run by someone


def test_there_is_no_other_kind_of_block() -> None:
    for page in PAGES:
        text = text_of(page)
        assert text.count("```") == 2 * len(BLOCK.findall(text)), f"{name_of(page)}: a block without its language"
        assert {kind for kind, _ in BLOCK.findall(text)} <= {"console", "python", "py", "sh", "yaml", "sql"}


@pytest.mark.parametrize(("page", "block"), blocks("console"))
def test_commands_print_what_the_page_shows(page: Path, block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command, _, shown = block.partition("\n")
    assert command.startswith("$ sqlmetrics ")
    assert output_of(command.removeprefix("$ sqlmetrics ")) == shown, (
        f"{name_of(page)}: run python -m tests.project.test_readme"
    )


#: The examples of the catalogue stand in the docstrings too, which the fast tier runs.
_PAGES_OF_PYTHON = [page for page in PAGES if "```python" in text_of(page)]
_LATER = [page for page in _PAGES_OF_PYTHON if page == CATALOGUE or page in DEAR]
IN_PYTHON = [page for page in _PAGES_OF_PYTHON if page not in _LATER] + slow(*_LATER)


@pytest.mark.parametrize("page", IN_PYTHON, ids=name_of)
def test_python_prints_what_the_page_shows(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    shown = python_of(text_of(page))
    assert all(text.startswith(">>> ") for text in shown)
    runner = Printed()
    done = runner.run(doctest.DocTestParser().get_doctest("\n".join(shown), {}, name_of(page), None, None))
    assert done.attempted > 0
    assert not done.failed, f"{name_of(page)}: run python -m tests.project.test_readme"


def test_output_is_written_into_pages() -> None:
    stale = "```python\n>>> x = 2\n>>> 1 + x\n4\n5\n```\n\nWords.\n\n```python\n>>> for word in ('a', '', 'b'):\n"
    stale += "...     print(word)\nc\n>>> x\n2\n\n```\n\n```sh\nls\n```\n"
    fresh = stale.replace("4\n5\n", "3\n").replace("c\n>>>", "a\n<BLANKLINE>\nb\n>>>")
    assert with_output(stale) == with_output(fresh) == fresh
    with pytest.raises(SystemExit, match="ZeroDivisionError"):
        with_output("```python\n>>> 1 / 0\n1\n```\n")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the commands name that are shown without their output."""
    (tmp_path / "run.txt").write_text("q1 Q0 d1 1 2.5 mine\nq1 Q0 d2 2 1.5 mine\nq2 Q0 d3 1 0.5 mine\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 0\nq1 0 d2 1\nq2 0 d3 2\n")
    shutil.copy(EXAMPLES / "impressions.parquet", tmp_path)
    duckdb.connect(tmp_path / "my.duckdb").close()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("page", "block"), blocks("sh"))
@pytest.mark.usefixtures("folder")
def test_commands_that_are_only_shown_run(page: Path, block: str) -> None:
    """CI runs the two commands of the README; tests/dbt builds the example project as its page says."""
    for command in block.splitlines():
        if command.startswith("sqlmetrics "):
            output_of(command.removeprefix("sqlmetrics "))
        elif page == README:
            assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
        else:
            assert page.parent.name == "dbt_project"
            assert command.startswith(("python3 -m venv ", ".venv/bin/dbt "))


@pytest.mark.parametrize(("page", "block"), blocks("yaml"))
def test_yaml_is_yaml(page: Path, block: str) -> None:
    """tests/dbt builds the models of `sql/dbt.md` and installs the package in each way."""
    content = yaml.safe_load(block)
    assert set(content) <= {"packages", "models"}
    for model in content.get("models", []):
        for [(name, test)] in (one.items() for one in model["data_tests"]):
            whole = (ROOT / "sql" / "tests" / "generic" / f"{name.removeprefix('sqlmetrics.')}.sql").read_text("utf-8")
            assert all(f" {argument}" in whole or f"({argument}" in whole for argument in test["arguments"]), page


def test_the_readme_shows_the_test_that_the_page_of_dbt_builds() -> None:
    [shown] = re.findall(r"```yaml\n(.*?)```", text_of(README), re.DOTALL)
    assert shown in text_of(ROOT / "sql" / "dbt.md")


@pytest.mark.parametrize(("page", "block"), blocks("sql"))
def test_sql_is_a_model_that_tests_build(page: Path, block: str) -> None:
    assert page.name == "dbt.md"
    assert block.startswith("-- models/")


@pytest.mark.parametrize("name", slow("postgres", "spark", "clickhouse"))
@pytest.mark.parametrize(("page", "block"), blocks("py"))
def test_calls_on_engines_run(page: Path, block: str, name: str) -> None:
    """The line that is about an engine, with a connection to it under the name that the page gives it."""
    log = pyarrow.parquet.read_table(EXAMPLES / "impressions.parquet", columns=["session_id", "clicked", "pctr_a"])
    roles = {"label": "clicked", "score": "pctr_a", "group": "session_id"}
    names = {"postgres": "connection", "spark": "session", "clickhouse": "chdb_session"}
    [line] = [line for line in block.splitlines() if f"({names[name]}))" in line]
    imports = [line for line in block.splitlines() if line.startswith("from ")]
    with ENGINES[name]({"impressions": log}) as engine:
        connection = engine.connection if name == "postgres" else engine.session
        given = {"sqlmetrics": sqlmetrics, "roles": roles, names[name]: connection}
        exec("\n".join([*imports, f"result = {line}"]), given)
    expected = sqlmetrics.evaluate(str(EXAMPLES / "impressions.parquet"), "auc, ndcg@10", **roles)
    assert given["result"].round(9).equals(expected.round(9)), page


# What the pages say


def test_the_log_of_the_examples_is_what_its_maker_makes() -> None:
    maker = runpy.run_path(str(EXAMPLES / "make_log.py"))
    with duckdb.connect() as con:
        made = maker["make_log"](con)
        kept = con.from_parquet(str(EXAMPLES / "impressions.parquet"))
        assert (made.columns, made.types) == (kept.columns, kept.types)
        assert made.fetchall() == kept.fetchall()
        # What is drawn for one thing tells nothing of another: 24,000 pairs are within four standard errors of 0.
        names = re.findall(r"uniform\('(\w+)', i\)", maker["SQL"])
        assert len(names) > 3
        for one, other in itertools.combinations(names, 2):
            [(found,)] = con.sql(
                f"select corr(uniform('{one}', i), uniform('{other}', i)) from range(24000) as t(i)"
            ).fetchall()
            assert abs(found) < 4 / 24_000**0.5, (one, other)


def test_the_readme_is_read_in_one_sitting() -> None:
    assert len(text_of(README)) <= SITTING


def test_the_two_commands_stand_on_one_line_each() -> None:
    commands = [line for line in text_of(README).splitlines() if line.startswith("python3 -m venv")]
    assert len(commands) == 2
    assert commands[1].endswith("-m pytest")


@pytest.mark.parametrize("page", report.TABLES, ids=name_of)
def test_the_benchmark_shown_is_the_last_one(page: Path) -> None:
    assert report.between_marks(text_of(page)) == report.TABLES[page](), "run python -m tests.benchmarks.report"


def linked_pages() -> list[Path]:
    return [*PAGES, ROOT / "CHANGELOG.md", *sorted((ROOT / ".github").rglob("*.md"))]


def anchor(heading: str) -> str:
    """What a link to a heading is called where Markdown is shown.

    >>> anchor("The `auc`, and what it costs")
    'the-auc-and-what-it-costs'
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@functools.cache
def without_blocks(page: Path) -> str:
    return BLOCK.sub("", text_of(page))


@functools.cache
def anchors(page: Path) -> set[str]:
    return {anchor(heading) for heading in re.findall(r"^#+ (.+)$", without_blocks(page), re.MULTILINE)}


@pytest.mark.parametrize("page", linked_pages(), ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", without_blocks(page)):
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        path, _, fragment = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{name_of(page)}: {target}"
        assert not fragment or fragment in anchors(there), f"{name_of(page)}: {target}"


def test_the_page_of_metric_files_has_every_key() -> None:
    text = text_of(EXAMPLES / "metrics" / "README.md")
    [table] = re.findall(r"\| key \| what it says \|\n(.*?)\n\n", text, re.DOTALL)
    keys = [key for row in table.splitlines() for key in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(keys) == sorted(catalogue._KEYS)


def test_the_adapters_of_dbt_are_those_of_the_extras() -> None:
    extras = dict(re.findall(r'"(dbt-\w+)(?:\[\w+\])?==([\d.]+)\.\*"', text_of(ROOT / "pyproject.toml")))
    del extras["dbt-core"]
    assert dict(re.findall(r"^\| (dbt-\w+) \| ([\d.]+) \|", text_of(ROOT / "sql" / "dbt.md"), re.MULTILINE)) == extras


def test_every_question_has_an_answer() -> None:
    answers = {name for metric in builtin_catalogue().metrics.values() for name in metric.answers}
    assert answers == set(catalogue.QUESTIONS)
    assert all(metric.answers for metric in builtin_catalogue().metrics.values())


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(with_output(text_of(page)), encoding="utf-8")
