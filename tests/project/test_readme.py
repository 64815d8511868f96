"""The pages show what happens: commands print what they show, Python is a doctest, and links have targets.

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
from sqlmetrics.catalogue.front_matter import sql_root
from sqlmetrics.catalogue.metric_file import _KEYS
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.catalogue.vocabulary import QUESTIONS, RELATIONS, ROLES
from sqlmetrics.cli.main import main
from sqlmetrics.codegen.dbt_package import documented_macros
from tests import ROOT
from tests.benchmarks import report
from tests.engines.servers import ENGINES
from tests.parameters import slow

README = ROOT / "README.md"
EXAMPLES = ROOT / "examples"
PAGES = [README, *sorted((ROOT / "sql").glob("*.md"))]
PAGES += sorted(path for path in EXAMPLES.rglob("README.md") if not {".venv", "dbt_packages"} & {*path.parts})
LINKED_PAGES = [*PAGES, ROOT / "CHANGELOG.md", *sorted((ROOT / ".github").rglob("*.md"))]
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
CONSOLE = re.compile(r"```console\n\$ sqlmetrics (.*?)\n(.*?)```", re.DOTALL)
#: Pages whose commands take seconds. Other quick tests cover what they show.
EXPENSIVE = [ROOT / "sql" / name for name in ("duckdb.md", "report.md", "intervals.md")]
UPDATE = "run python -m tests.project.test_readme"


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def values(pages: list[tuple[Any, ...]], expensive: list[Path]) -> list[Any]:
    """Values of parameters that start with a page. Those of expensive pages are slow."""
    return [
        pytest.param(page, *text, id=": ".join([name_of(page), *(block.splitlines()[0][:60] for block in text)]),
                     marks=[pytest.mark.slow] if page in expensive else [])
        for page, *text in pages
    ]  # fmt: skip


def blocks(language: str) -> list[Any]:
    pairs = [(page, text) for page in PAGES for name, text in BLOCK.findall(text_of(page)) if name == language]
    return values(pairs, EXPENSIVE if language == "sh" else [])


def output_of(command: str) -> str:
    result = CliRunner().invoke(main, shlex.split(command))
    assert result.exit_code == 0, result.output
    return "\n".join(line.rstrip() for line in result.stdout.splitlines()) + "\n"


def python_of(text: str) -> list[str]:
    """The blocks of a page that are one session in Python."""
    return [block for language, block in BLOCK.findall(text) if language == "python"]


class SessionRunner(doctest.DocTestRunner):
    """Runs the session of a page, and collects output that the page does not show, by the lines of the session."""

    def __init__(self) -> None:
        super().__init__(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
        self.replacements: list[tuple[int, int, list[str]]] = []

    def report_failure(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        super().report_failure(out, test, example, got)
        if example.lineno is not None and example.exc_msg is None:
            start = example.lineno + example.source.count("\n")
            lines = [line.rstrip() or "<BLANKLINE>" for line in got.splitlines()]
            self.replacements.append((start, start + example.want.count("\n"), lines))

    def run_session(self, blocks: list[str], out: Any = None) -> doctest.TestResults:
        return self.run(doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "page", None, None), out=out)


def with_output(text: str) -> str:
    """The text of a page with the output of its commands and of its Python."""
    text = CONSOLE.sub(lambda block: f"```console\n$ sqlmetrics {block[1]}\n{output_of(block[1])}```", text)
    runner, log = SessionRunner(), io.StringIO()
    if runner.run_session(python_of(text), log.write).failed > len(runner.replacements):
        raise SystemExit(log.getvalue())
    blocks = [block.split("\n") for block in python_of(text)]
    first_lines = [0, *itertools.accumulate(map(len, blocks))]
    # In reverse, so that earlier lines keep their numbers.
    for start, end, printed in reversed(runner.replacements):
        number = bisect.bisect_right(first_lines, start) - 1
        blocks[number][start - first_lines[number] : end - first_lines[number]] = printed
    rest = iter("```python\n" + "\n".join(block) + "```" for block in blocks)
    return BLOCK.sub(lambda block: next(rest) if block[1] == "python" else block[0], text)


# Every block is run


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_blocks_have_a_known_language(page: Path) -> None:
    text = text_of(page)
    assert text.count("```") == 2 * len(BLOCK.findall(text)), "a block without its language"
    assert {language for language, _ in BLOCK.findall(text)} <= {"console", "python", "py", "sh", "yaml", "sql"}
    models = [block for language, block in BLOCK.findall(text) if language == "sql"]
    # tests/dbt builds these.
    assert not models or page.name == "dbt.md"
    assert all(block.startswith("-- models/") for block in models)


@pytest.mark.parametrize(("page", "block"), blocks("console"))
def test_commands_print_what_the_page_shows(page: Path, block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command, _, shown = block.partition("\n")
    assert command.startswith("$ sqlmetrics ")
    assert output_of(command.removeprefix("$ sqlmetrics ")) == shown, f"{name_of(page)}: {UPDATE}"


# The examples of the catalogue are those of docstrings, which the quick tests run.
@pytest.mark.parametrize(
    "page",
    values([(page,) for page in PAGES if "```python" in text_of(page)], [ROOT / "sql" / "README.md", *EXPENSIVE]),
)
def test_python_prints_what_the_page_shows(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    shown = python_of(text_of(page))
    assert all(text.startswith(">>> ") for text in shown)
    results = SessionRunner().run_session(shown)
    assert results.attempted > 0
    assert not results.failed, UPDATE


def test_with_output_replaces_stale_output() -> None:
    stale = "```python\n>>> x = 2\n>>> 1 + x\n4\n5\n```\n\nWords.\n\n```python\n>>> for word in ('a', '', 'b'):\n"
    stale += "...     print(word)\nc\n>>> x\n2\n\n```\n\n```sh\nls\n```\n"
    fresh = stale.replace("4\n5\n", "3\n").replace("c\n>>>", "a\n<BLANKLINE>\nb\n>>>")
    assert with_output(stale) == with_output(fresh) == fresh
    with pytest.raises(SystemExit, match="ZeroDivisionError"):
        with_output("```python\n>>> 1 / 0\n1\n```\n")


@pytest.mark.parametrize(("page", "block"), blocks("sh"))
def test_commands_without_output_run(page: Path, block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CI runs the two commands of the README. tests/dbt builds the example project as its page says."""
    (tmp_path / "run.txt").write_text("q1 Q0 d1 1 2.5 mine\nq1 Q0 d2 2 1.5 mine\nq2 Q0 d3 1 0.5 mine\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 0\nq1 0 d2 1\nq2 0 d3 2\n")
    shutil.copy(EXAMPLES / "impressions.parquet", tmp_path)
    duckdb.connect(tmp_path / "my.duckdb").close()
    monkeypatch.chdir(tmp_path)
    for command in block.splitlines():
        if command.startswith("sqlmetrics "):
            output_of(command.removeprefix("sqlmetrics "))
        elif page == README:
            assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
        else:
            assert page.parent.name == "dbt_project"
            assert command.startswith(("python3 -m venv ", ".venv/bin/dbt "))


@pytest.mark.parametrize(("page", "block"), blocks("yaml"))
def test_yaml_names_arguments_of_dbt_tests(page: Path, block: str) -> None:
    """tests/dbt builds the models of `sql/dbt.md` and installs the package in each way."""
    content = yaml.safe_load(block)
    assert set(content) <= {"packages", "models"}
    macros = documented_macros(sql_root())
    for tests in (tests for model in content.get("models", []) for tests in model["data_tests"]):
        [(name, test)] = tests.items()
        [macro] = [macro for macro in macros if macro.name == f"test_{name.removeprefix('sqlmetrics.')}"]
        inputs = {*ROLES, *RELATIONS} if macro.takes_roles else set()
        assert set(test["arguments"]) <= {*macro.defaults, *inputs}, page


@pytest.mark.parametrize("name", slow("postgres", "spark", "clickhouse"))
@pytest.mark.parametrize(("page", "block"), blocks("py"))
def test_calls_on_engines_run(page: Path, block: str, name: str) -> None:
    """The line about an engine, with a connection to it under the name that the page gives it."""
    log = pyarrow.parquet.read_table(EXAMPLES / "impressions.parquet", columns=["session_id", "clicked", "pctr_a"])
    roles = {"label": "clicked", "score": "pctr_a", "group": "session_id"}
    variable = {"postgres": "connection", "spark": "session", "clickhouse": "chdb_session"}[name]
    [line] = [line for line in block.splitlines() if f"({variable}))" in line]
    imports = [line for line in block.splitlines() if line.startswith("from ")]
    with ENGINES[name]({"impressions": log}) as engine:
        connection = engine.connection if name == "postgres" else engine.session
        namespace = {"sqlmetrics": sqlmetrics, "roles": roles, variable: connection}
        exec("\n".join([*imports, f"result = {line}"]), namespace)
    expected = sqlmetrics.evaluate(str(EXAMPLES / "impressions.parquet"), "auc, ndcg@10", **roles)
    assert namespace["result"].round(9).equals(expected.round(9)), page


# Statements of the pages


def test_make_log_creates_the_log_of_the_examples() -> None:
    maker = runpy.run_path(str(EXAMPLES / "make_log.py"))
    with duckdb.connect() as con:
        ours, stored = maker["make_log"](con), con.from_parquet(str(EXAMPLES / "impressions.parquet"))
        assert (ours.columns, ours.types) == (stored.columns, stored.types)
        assert ours.fetchall() == stored.fetchall()
        # Its random numbers are independent: correlations of 24,000 pairs are within four standard errors of 0.
        names = re.findall(r"uniform\('(\w+)', i\)", maker["SQL"])
        assert len(names) > 3
        pairs = [f"corr(uniform('{a}', i), uniform('{b}', i))" for a, b in itertools.combinations(names, 2)]
        [correlations] = con.sql(f"select {', '.join(pairs)} from range(24000) as t(i)").fetchall()
        assert max(map(abs, correlations)) < 4 / 24_000**0.5


def test_readme_is_short() -> None:
    """It is read in one sitting, its two commands are one line each, and tests/dbt builds its dbt test."""
    text = text_of(README)
    assert len(text) <= 9_000
    commands = [line for line in text.splitlines() if line.startswith("python3 -m venv")]
    assert len(commands) == 2
    assert commands[1].endswith("-m pytest")
    [shown] = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert shown in text_of(ROOT / "sql" / "dbt.md")


@pytest.mark.parametrize("page", report.TABLES, ids=name_of)
def test_page_shows_the_last_benchmark(page: Path) -> None:
    assert report.between_marks(text_of(page)) == report.TABLES[page](), "run python -m tests.benchmarks.report"


def anchor(heading: str) -> str:
    """The fragment of a link to a heading.

    >>> anchor("The `auc`, and what it costs")
    'the-auc-and-what-it-costs'
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@functools.cache
def anchors(page: Path) -> set[str]:
    return set(map(anchor, re.findall(r"^#+ (.+)$", BLOCK.sub("", text_of(page)), re.MULTILINE)))


@pytest.mark.parametrize("page", LINKED_PAGES, ids=name_of)
def test_links_have_targets(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", BLOCK.sub("", text_of(page))):
        if not target.startswith(("http:", "https:", "mailto:")):
            path, _, fragment = target.partition("#")
            linked = (page.parent / path).resolve() if path else page
            assert linked.exists(), target
            assert not fragment or fragment in anchors(linked), target


def test_pages_list_every_key_adapter_and_question() -> None:
    text = text_of(EXAMPLES / "metrics" / "README.md")
    [table] = re.findall(r"\| key \| what it says \|\n(.*?)\n\n", text, re.DOTALL)
    keys = [key for row in table.splitlines() for key in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(keys) == sorted(_KEYS)
    extras = dict(re.findall(r'"(dbt-\w+)(?:\[\w+\])?==([\d.]+)\.\*"', text_of(ROOT / "pyproject.toml")))
    del extras["dbt-core"]
    assert dict(re.findall(r"^\| (dbt-\w+) \| ([\d.]+) \|", text_of(ROOT / "sql" / "dbt.md"), re.MULTILINE)) == extras
    answers = [metric.answers for metric in builtin_catalogue().metrics.values()]
    assert all(answers)
    assert {name for names in answers for name in names} == set(QUESTIONS)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(with_output(text_of(page)), encoding="utf-8")
