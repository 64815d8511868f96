"""Check texts and comments against the rules of plain English, with proselint: `python .ci/prose.py`.

It reads pages, docstrings, comments, help, metric heads, the dbt reference and error messages. It prints each finding
with its position. Arguments select positions by their prefix, as in `python .ci/prose.py sql/macros README.md`.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import click
from markdown_it import MarkdownIt
from proselint.checks import __register__ as shipped_checks
from proselint.registry import CheckRegistry
from proselint.registry.checks import Check, CheckResult, types
from proselint.tools import LintFile

import sqlmetrics
from sqlmetrics import arguments, errors
from sqlmetrics.authoring.describe import describe_interval
from sqlmetrics.catalogue import vocabulary
from sqlmetrics.catalogue.registry import catalogue
from sqlmetrics.cli.main import main as shell
from sqlmetrics.codegen import dbt_package

ROOT = Path(__file__).resolve().parents[1]
MOST_WORDS = 30
#: Patterns of words to avoid, and what to write.
WORDS = {
    r"tells?|told": "report, show, distinguish",
    r"(is|are|be|was|been|may be|can be) (asked|wanted)|asked (for|of|alone)|asks|asking|ask (of|for)": "request, pass",
    r"wants?|wanted": "needs, requires",
    r"says?|said|saying": "state, show, report",
    r"stands?|stood": "name the verb: is, means, replaces",
    r"anew": "again, from scratch",
    r"of which|of whom|of those which": "whose, or a sentence of its own",
    r"whoever|whosever|whatever|wherever": "name the thing",
    r"(has|have|had) (a|no) meaning|without a meaning": "requires, does not support",
    r"beside|besides": "next to, with, in addition to",
    r"(is|are|be|being|was|were) left out|leaves? (out|it out|them out)|left out|leaving (it |them )?out": "drop, omit",
    r"more than chance": "significant",
    r"the truth|no truth|a truth|truths": "label",
    r"the one (and|less|by|of them)": "name the thing",
    r"lies": "is",
    r"(is|are|be) kept": "is stored",
    r"looked at": "compared, analyzed",
    r"as it is to be|what it is": "name the thing",
}
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!al\.)(?<!vs\.)[\"')]*\s+")
#: Code inside prose, and "stand-in", which is not the verb.
_CODE = re.compile(r"\bstand-ins?\b|`[^`]*`|⟨\w+⟩|'[^' ][^']*'(?!\w)|\{[^{}]*\}")
_GENERATED = re.compile(r"<!-- ([^:>]+): written by .*?<!-- \1 end -->", re.DOTALL)
#: The text of an error in SQL: in a call, in a rule for values, or in a list of conditions and messages.
_SQL_ERROR = re.compile(r"raise_error\(\w[\w.]*, (.*?)\) -?%\}|'message': (.*?)\}|^    \[(.*)\],$")
#: A block comment, the comment of a step, and a comment in the text of a statement.
_SQL_COMMENT = re.compile(
    r"\{#-?(.*?)-?#\}|(?:\.cte|\.step)\([^\n]*'([^'\n]* [^'\n]*)'[^'\n]*$|^ *-- ([^\n]*)$", re.DOTALL | re.MULTILINE
)
_SQL_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'')
#: Checks of proselint for wording. Its checks of typography and of American or British taste are not ours.
_SHIPPED = ("archaism", "hedging", "malapropisms", "nonwords", "redundancy")
_ERRORS = {*dir(errors), "ClickException", "UsageError", "TypeError", "ValueError"}


def sentence_lengths(text: str, check: Check) -> Iterator[CheckResult]:
    """Find sentences with more than MOST_WORDS words."""
    start = 0
    for sentence in _SENTENCE_END.split(text):
        word_count = len(re.findall(r"[^\W\d_][\w'’-]*", sentence))
        if word_count > MOST_WORDS:
            yield CheckResult(check.path, f"a sentence of {word_count} words", (start + 1, start + len(sentence)), None)
        start = text.find(sentence, start) + len(sentence)


OWN = (
    *(
        Check(types.ExistenceSimple(rf"\b(?:{pattern})\b"), path="sqlmetrics.words", message=f"'{{}}': {advice}")
        for pattern, advice in WORDS.items()
    ),
    Check(sentence_lengths, path="sqlmetrics.sentences"),
)


def findings(text: str) -> Iterator[str]:
    """The findings of one paragraph."""
    prose = " ".join(_CODE.sub("Code", text).split())
    if not prose:
        return
    config = {"max_errors": 1000, "checks": {"sqlmetrics": True, **dict.fromkeys(_SHIPPED, True)}}
    for result in LintFile("text", prose).lint(config):
        yield result.check_result.message


def page_texts(path: Path) -> Iterator[tuple[str, str]]:
    """The paragraphs and headings of a page, without tables, code and generated blocks."""
    text = _GENERATED.sub(lambda block: "\n" * block[0].count("\n"), path.read_text(encoding="utf-8"))
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    in_table = False
    for token in tokens:
        in_table = {"table_open": True, "table_close": False}.get(token.type, in_table)
        if token.type == "inline" and not in_table:
            replacements = {"code_inline": "Code", "softbreak": " ", "hardbreak": " "}
            prose = "".join(
                child.content if child.type == "text" else replacements.get(child.type, "")
                for child in token.children or []
            )
            yield f"{path.relative_to(ROOT)}:{(token.map or [0])[0] + 1}", prose


def docstring_texts(name: str, text: str | None) -> Iterator[tuple[str, str]]:
    """The paragraphs of a docstring before its example."""
    prose = inspect.cleandoc(text or "").partition("\nExample:")[0]
    prose = "\n".join(line for line in prose.splitlines() if not line.lstrip().startswith((">>>", "...")))
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*- )|\n(?=    \w+: )", prose):
        if not paragraph.startswith("\b"):  # an example in the help of click
            yield name, paragraph


def pages() -> Iterator[tuple[str, str]]:
    """The pages that are written by hand."""
    for pattern in ("*.md", "sql/*.md", "examples/**/*.md", ".github/*.md"):
        for path in sorted(ROOT.glob(pattern)):
            yield from page_texts(path)


def metric_heads() -> Iterator[tuple[str, str]]:
    """The heads of metric and frame files; formulas are no prose."""
    for metric in catalogue().metrics.values():
        source_name = str(metric.path.relative_to(ROOT))
        texts = [metric.title, metric.scale, metric.undefined, metric.no_interval, metric.no_weight, metric.notes]
        texts += [describe_interval(metric), *(rule["message"] for rule in metric.rules)]
        yield from ((source_name, text) for text in texts)
        for parameter in metric.parameters.values():
            yield from (
                (f"{source_name} {parameter.name}", text) for text in (parameter.doc, *parameter.choices.values())
            )


def dbt_reference() -> Iterator[tuple[str, str]]:
    """The macros and tests of the dbt package."""
    for macro in dbt_package.documented_macros(ROOT / "sql"):
        description = macro.description.partition(" Its columns: ")[0]
        yield f"dbt {macro.name}", description
        yield from ((f"dbt {macro.name} {entry['name']}", entry["description"]) for entry in macro.arguments)


def python_and_shell() -> Iterator[tuple[str, str]]:
    """The vocabulary, the arguments of calls, the public docstrings and the help of the shell."""
    for table in (vocabulary.ROLES, vocabulary.RELATIONS, vocabulary.QUESTIONS, vocabulary.SHAPES):
        yield from ((f"vocabulary {name}", text) for name, text in table.items())
    for argument in arguments.ARGUMENTS:
        yield from ((f"arguments {argument.name}", text) for text in (argument.doc, argument.shell))
    for name in sqlmetrics.__all__:
        public = getattr(sqlmetrics, name)
        if name not in catalogue().metrics:
            yield from docstring_texts(f"sqlmetrics.{name}", public.__doc__)
    for name, command in {"": shell, **shell.commands}.items():
        source_name = f"sqlmetrics {name}".strip()
        yield from docstring_texts(source_name, command.help)
        for option in command.params:
            yield f"{source_name} --{option.name}", (isinstance(option, click.Option) and option.help) or ""


def error_messages() -> Iterator[tuple[str, str]]:
    """The texts of errors in Python and of `raise_error` in SQL, with values replaced by a word."""
    for path in sorted((ROOT / "sqlmetrics").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in _ERRORS:
                for argument in node.args:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", _text_of(argument)
    for path in sorted((ROOT / "sql").rglob("*.sql")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for call in _SQL_ERROR.findall(line):
                pieces = _SQL_STRING.findall("".join(call))
                yield f"{path.relative_to(ROOT)}:{number}", "Code".join(map("".join, pieces))


def sql_comments() -> Iterator[tuple[str, str]]:
    """The comments of templates, except heads, and the comments of rendered steps."""
    for path in sorted({*(ROOT / "sql").rglob("*.sql")} - {*(ROOT / "sql" / "macros" / "generated").iterdir()}):
        text = path.read_text(encoding="utf-8")
        for comment in _SQL_COMMENT.finditer(text):
            prose = next(filter(None, comment.groups()), "")
            if not re.match(r"\s*\w+:", prose):
                yield f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, comment.start()) + 1}", prose


def python_comments() -> Iterator[tuple[str, str]]:
    """The comments and docstrings of the package and of the tests, those of private names too."""
    for path in sorted([*(ROOT / "sqlmetrics").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                yield from docstring_texts(
                    f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}", ast.get_docstring(node)
                )
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and not re.match(r"# (noqa|type:|fmt:)", token.string):
                yield f"{path.relative_to(ROOT)}:{token.start[0]}", token.string.lstrip("#: ")


def _text_of(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "Code" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _text_of(node.left) + _text_of(node.right)
    return ""


def main(selected: tuple[str, ...]) -> int:
    """Print the findings; the exit code is 1 if there is one."""
    CheckRegistry().register_many((*OWN, *shipped_checks))
    if len([*findings("Rows are told anew. " + "word " * (MOST_WORDS + 1))]) != 3:
        raise SystemExit("proselint does not apply the rules of .ci/prose.py")
    seen: set[str] = set()
    count = 0
    for source in (pages, metric_heads, dbt_reference, python_and_shell, error_messages, sql_comments, python_comments):
        for source_name, text in source():
            if text in seen or not source_name.startswith(selected or ("",)):
                continue
            seen.add(text)
            for message in findings(text):
                count += 1
                print(f"{source_name}: {message}: {' '.join(text.split())[:200]}")
    print(f"{count} findings in {len(seen):,} texts")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:])))
