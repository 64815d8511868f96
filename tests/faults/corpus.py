"""Faults that the tests must detect: curated ones, mutants, and reversed fixes from the history."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests import ROOT

#: Files that a copy of the tree omits, because commands create them. Tests read .ci, .github and the other dotfiles.
LEFT_BEHIND = shutil.ignore_patterns(".git", ".venv", ".*cache", "__pycache__", "*.egg-info", "build", "dist", "target")


@dataclass(frozen=True)
class Fault:
    """A replacement of one text in a file: where it occurs once, or in the given line."""

    rule: str
    path: str
    old: str
    new: str
    line: int | None = None

    @property
    def name(self) -> str:
        """The unique name."""
        return self.rule if self.line is None else f"{self.path}:{self.line} {self.rule}"

    def plant(self, root: Path) -> None:
        """Write the fault into a tree; raise a ValueError if its text does not occur once."""
        path = root / self.path
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        lines = text.splitlines(keepends=True)
        text_with_fault = lines[self.line - 1] if self.line is not None and self.line <= len(lines) else text
        if text_with_fault.count(self.old) != 1 or self.old == self.new:
            times = text_with_fault.count(self.old)
            raise ValueError(f"{self.name}: {self.old!r} stands {times} times in {self.path}, not once")
        changed = text_with_fault.replace(self.old, self.new)
        if self.line is not None:
            lines[self.line - 1] = changed
            changed = "".join(lines)
        path.write_text(changed, encoding="utf-8")


CURATED = [Fault(rule, path, old, new) for rule, path, old, new in [
    ("a tie", "sql/macros/frames/ranked_items.sql", "set direction = 'desc' if best else 'asc'",
     "set direction = 'asc' if best else 'desc'"),
    ("a NULL", "sql/macros/primitives/dialect.sql", "'key_order': '{0} {1} nulls last'",
     "'key_order': '{0} {1} nulls first'"),
    ("a NaN", "sql/macros/dialects/duckdb.sql", "is_number='(isfinite({0}) or isinf({0})) is true'",
     "is_number='{0} is not null and not isnan({0})'"),
    ("a weight", "sql/macros/grouped/gauc.sql", "'case when auc is not null then ' ~ group_weight ~ ' end'",
     "group_weight"),
    ("a quoting slip", "sql/macros/primitives/dialect.sql", """'quote_escapes': {'"': '""'},""",
     "'quote_escapes': {},"),
    ("a wrong default", "sql/macros/ranking/ndcg.sql", "  ideal_k:\n    default: k\n",
     "  ideal_k:\n    default: full\n"),
    ("a preset", "sql/macros/ranking/map.sql", "presets: {trec_eval: relevant, lightgbm: min, spark: min}",
     "presets: {trec_eval: relevant, lightgbm: relevant, spark: min}"),
    ("a limit of rows", "sqlmetrics/running/results.py", "n >= min_rows for n", "n > min_rows for n"),
    ("a slice with NULL", "sql/macros/primitives/dialect.sql", "'same_value': '{0} is not distinct from {1}'",
     "'same_value': '{0} = {1}'"),
    ("a mixture of states", "sql/macros/states/statement.sql", "when least_settings <> greatest_settings",
     "when 1 = 0"),
    ("a key that is NULL", "sql/macros/states/made.sql", "text ~ \", '-')", "text ~ \", null)"),
    ("off by one at k", "sql/macros/ranking/mrr.sql", "and item_rank <= ' ~ m.k", "and item_rank < ' ~ m.k"),
    ("a dialect's variant", "sql/macros/dialects/postgres.sql", "generate_series(0, {last})",
     "generate_series(0, {0})"),
    ("an error's words", "sqlmetrics/catalogue/model.py", 'f">= {self.minimum}"', 'f"> {self.minimum}"'),
    ("an exit code", "sqlmetrics/cli/main.py", 'report_line("error", error)\n            code = BAD_USE',
     'report_line("error", error)\n            code = 1'),
    ("a dropped warning", "sqlmetrics/running/checks.py", "    return missing\n\n\ndef warn_of_missing",
     "    return []\n\n\ndef warn_of_missing"),
    ("a parameter's bound", "sql/macros/planning/values.sql", "value <= (1e300 if maximum",
     "value < (1e300 if maximum"),
    ("a rule of judgments", "sql/macros/frames/ranked_items.sql",
     "case when judgments.label is null then 0 else 1 end as judged", "1 as judged"),
    ("a group's weight", "sql/macros/frames/ranked_items.sql",
     "'case when ' ~ value ~ ' is not null then group_weight end'", "'group_weight'"),
    ("a division by zero", "sql/macros/regression/smape.sql", "nullif(abs(label) + abs(score), 0), 0)",
     "nullif(abs(label) + abs(score), 0), 1)"),
    ("the order of a table", "sql/macros/multiclass/class_confusion.sql", "order: [label, prediction]",
     "order: [prediction, label]"),
    ("a cast", "sql/macros/recommender/coverage.sql", "sqlmetrics.to_double('count(sqlmetrics_all_items.item_id)')",
     "'count(sqlmetrics_all_items.item_id)'"),
]]  # fmt: skip


# Mutants: a rule is a pattern and its replacement.

_COMPARISONS = {
    "< is <=": (r" < ", " <= "),
    "<= is <": (r" <= ", " < "),
    "> is >=": (r" > ", " >= "),
    ">= is >": (r" >= ", " > "),
}
_IN_SQL = {
    "asc is desc": (r" asc\b", " desc"),
    "desc is asc": (r" desc\b", " asc"),
    "nulls last are first": (r"nulls last", "nulls first"),
    **_COMPARISONS,
    "= is <>": (r"(?<=[a-z_] )=(?= [a-z0-9])", "<>"),
    "and is or": (r" and (?=[a-z])", " or "),
    "not is left out": (r"\bis not null", "is null"),
    "+ is -": (r" \+ ", " - "),
    "- is +": (r" - (?=[a-z0-9(])", " + "),
    "a factor is left out": (r" \* [a-z_]+\b(?!\()", ""),
    "coalesce is left out": (r"coalesce\(([^(),]+), [^(),]+\)", r"\1"),
    "nullif is left out": (r"nullif\(([^(),]+), 0\)", r"\1"),
    "a cast is left out": (r"sqlmetrics\.to_double\(('[^']+'|[a-z_]+)\)", r"\1"),
    "sum is max": (r"\bsum\(", "max("),
    "min is max": (r"\bmin\(", "max("),
    "max is min": (r"\bmax\(", "min("),
    "distinct is left out": (r"\bdistinct ", ""),
    "all is left out": (r"union all", "union"),
    "left is inner": (r"left join", "inner join"),
    "0 is 1": (r"(?<=else )0\b", "1"),
    "1 is 0": (r"(?<=then )1\b", "0"),
}
_IN_PYTHON = {
    "== is !=": (r" == ", " != "),
    "!= is ==": (r" != ", " == "),
    **_COMPARISONS,
    "and is or": (r" and ", " or "),
    "or is and": (r" or ", " and "),
    "not is left out": (r"\bif not ", "if "),
    "if is if not": (r"\bif (?=[a-z_.]+:$)", "if not "),
    "is None is not": (r" is None", " is not None"),
    "is not None is": (r" is not None", " is None"),
    "in is not in": (r"(?<=\bif )([a-z_.]+) in ", r"\1 not in "),
    "+ 1 is left out": (r" \+ 1\b", ""),
    "True is False": (r"\bTrue\b", "False"),
    "False is True": (r"\bFalse\b", "True"),
    "a key is another": (r"\[0\]", "[-1]"),
}
#: Generated files.
_WRITTEN = ("generated/",)


def sites(path: Path) -> Iterator[Fault]:
    """The first match of each rule in each line; line and rule name the fault."""
    rules = _IN_SQL if path.suffix == ".sql" else _IN_PYTHON
    quotes = "{#" if path.suffix == ".sql" else '"""'
    within_comment = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        # Skip heads, comments and docstrings, which are not executed.
        opens, closes = line.rfind(quotes), line.rfind("#}" if path.suffix == ".sql" else '"""')
        if path.suffix == ".py" and line.count(quotes) == 1:
            within_comment = not within_comment
            continue
        if path.suffix == ".sql" and opens > closes:
            within_comment = True
        elif path.suffix == ".sql" and closes >= 0:
            within_comment = False
            continue
        if within_comment or line.lstrip().startswith("#") or (quotes in line and path.suffix == ".py"):
            continue
        for rule, (pattern, instead) in rules.items():
            if match := re.search(pattern, line):
                # Extend the match to a text that occurs once in the line.
                start, end = max(match.start() - 20, 0), match.end() + 20
                old = line[start:end]
                new = line[start : match.start()] + match.expand(instead) + line[match.end() : end]
                if line.count(old) == 1 and old != new:
                    yield Fault(rule, str(path.relative_to(ROOT)), old, new, number)


def mutants(count: int, seed: int = 1) -> list[Fault]:
    """`count` mutants, from as many files as possible, preferring the rarest rules."""
    paths = [*sorted((ROOT / "sql" / "macros").rglob("*.sql")), *sorted((ROOT / "sqlmetrics").rglob("*.py"))]
    drawn = random.Random(seed)
    by_file: list[list[Fault]] = []
    for path in paths:
        if not any(name in str(path) for name in _WRITTEN):
            faults = list({fault.name: fault for fault in sites(path)}.values())
            drawn.shuffle(faults)
            by_file.append(faults)
    drawn.shuffle(by_file)
    result: list[Fault] = []
    times: dict[str, int] = {}
    while len(result) < count and any(by_file):
        for faults in by_file:
            if faults and len(result) < count:
                rarest = min(faults, key=lambda fault: times.get(fault.rule, 0))
                faults.remove(rarest)
                times[rarest.rule] = times.get(rarest.rule, 0) + 1
                result.append(rarest)
    return result


# History: reversed fixes that still apply.


@dataclass(frozen=True)
class Reversal:
    """A commit that changed both the product and the tests; the fault reverses its changes to the product."""

    commit: str
    subject: str
    patch: str = field(repr=False)

    @property
    def name(self) -> str:
        """The unique name."""
        return f"{self.commit} {self.subject}"

    def plant(self, root: Path) -> None:
        """Reverse the change in a tree."""
        subprocess.run(["git", "apply", "-R", "-"], cwd=root, input=self.patch, text=True, check=True)


def reversals(last: int) -> list[Reversal]:
    """The reversals that apply, out of the last commits."""
    result = []
    for line in _git("log", f"-{last}", "--no-merges", "--format=%h %s").splitlines():
        commit, _, subject = line.partition(" ")
        changed = _git("show", "--format=", "--name-only", commit).split()
        product = [
            path
            for path in changed
            if path.startswith(("sql/macros/", "sqlmetrics/"))
            and not any(name in path for name in _WRITTEN)
            and (ROOT / path).exists()
        ]
        if not product or not any(path.startswith("tests/") and path.endswith(".py") for path in changed):
            continue
        patch = _git("show", "--format=", commit, "--", *product)
        check = ["git", "apply", "-R", "--check", "-"]
        tried = subprocess.run(check, cwd=ROOT, input=patch, text=True, capture_output=True, check=False)
        if tried.returncode == 0:
            result.append(Reversal(commit, subject, patch))
    return result


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


AnyFault = Fault | Reversal


def named(faults: Sequence[AnyFault], fragments: Sequence[str]) -> list[AnyFault]:
    """The faults whose names contain some of the words; raise a ValueError for a word without a fault."""
    for word in fragments:
        if not any(word in fault.name for fault in faults):
            raise ValueError(f"no fault is called {word!r}")
    return [fault for fault in faults if not fragments or any(word in fault.name for word in fragments)]
