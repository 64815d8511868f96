"""Faults that the tests must find: each is planted in a copy of the tree, and the tests are run until one fails.

`python -m tests.faults` runs the fast tier over every fault, `--full` the full tier over those that it does not catch;
words choose faults by their kind, as in `python -m tests.faults "off by one" cast`. First the tests are run over the
tree as it is, where none may fail; `--at-once` leaves that out. Snapshots and generated files do not count: whoever
makes such a mistake writes them anew. It takes too long for CI, which only checks (test_faults.py) that every fault can
still be planted.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: The fast tier may miss a few (what only another engine can show), the whole none.
MISSED_BY_THE_FAST_TIER = 2
#: The tests that find most come first: the rest of a tier takes its minutes.
_FIRST = ["worked_numbers", "presets", "judgments", "per_group", "bad_input", "writers", "oracles", "contracts"]
_WRITTEN_ANEW = "not test_text_of and not test_generated_files_are_fresh"
#: What a copy of the tree does without: what is made from it. Tests read .ci, .github and the other dotfiles.
LEFT_BEHIND = shutil.ignore_patterns(
    ".git", ".venv", ".*cache", ".hypothesis", "__pycache__", "*.egg-info", "build", "dist", "target"
)


@dataclass(frozen=True)
class Fault:
    """In one file one text, which stands there once, becomes another."""

    kind: str
    path: str
    old: str
    new: str

    def plant(self, root: Path) -> None:
        """Write the fault into a tree, or say that it cannot be."""
        path = root / self.path
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if text.count(self.old) != 1 or self.old == self.new:
            raise ValueError(f"{self.kind}: {self.old!r} stands {text.count(self.old)} times in {self.path}, not once")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")


FAULTS = [
    Fault(
        "a tie", "sql/macros/frames/ranked_items.sql", ".get(f.params.ties, ', label asc')",
        ".get(f.params.ties, ', label desc')",
    ),
    Fault(
        "a NULL", "sql/macros/primitives/statement.sql", "direction ~ ' nulls last'", "direction ~ ' nulls first'",
    ),
    Fault(
        "a NaN", "sql/macros/dialects/duckdb.sql",
        "(isfinite({{ expression }}) or isinf({{ expression }})) is true",
        "{{ expression }} is not null and not isnan({{ expression }})",
    ),
    Fault(
        "a weight", "sql/macros/grouped/gauc.sql", "'case when auc is not null then ' ~ group_weight ~ ' end'",
        "group_weight",
    ),
    Fault(
        "a quoting slip", "sql/macros/primitives/identifiers.sql",
        """{%- macro default__sqlmetrics_quoted_identifier(name) -%}
"{{ sqlmetrics.keep_line_breaks(name | replace('"', '""')) }}\"""",
        """{%- macro default__sqlmetrics_quoted_identifier(name) -%}
"{{ sqlmetrics.keep_line_breaks(name) }}\"""",
    ),
    Fault(
        "a wrong default", "sql/macros/ranking/ndcg.sql", "  ideal_k:\n    default: k\n",
        "  ideal_k:\n    default: full\n",
    ),
    Fault(
        "a preset", "sql/macros/ranking/map.sql", "presets: {trec_eval: relevant, lightgbm: min, spark: min}",
        "presets: {trec_eval: relevant, lightgbm: relevant, spark: min}",
    ),
    Fault("a limit of rows", "sqlmetrics/running.py", 'result["n"] >= min_rows', 'result["n"] > min_rows'),
    Fault(
        "a slice with NULL", "sql/macros/primitives/statement.sql", "{{ value }} is not distinct from {{ other }}",
        "{{ value }} = {{ other }}",
    ),
    Fault(
        "a mixture of states", "sql/macros/states/read.sql", "when least_settings <> greatest_settings then",
        "when 1 = 0 then",
    ),
    Fault(
        "a key that is NULL", "sql/macros/states/made.sql", """text ~ ", '-')")""", """text ~ ", null)")""",
    ),
    Fault("off by one at k", "sql/macros/ranking/mrr.sql", "and item_rank <= ' ~ m.k", "and item_rank < ' ~ m.k"),
    Fault(
        "a dialect's variant", "sql/macros/dialects/postgres.sql", "generate_series(0, {{ count - 1 }})",
        "generate_series(0, {{ count }})",
    ),
    Fault("an error's words", "sqlmetrics/catalogue.py", 'f">= {self.minimum}"', 'f"> {self.minimum}"'),
    Fault(
        "an exit code", "sqlmetrics/cli.py", 'report("error", error)\n            code = _BAD_USE',
        'report("error", error)\n            code = _FAILED_ASSERTION',
    ),
    Fault(
        "a dropped warning", "sqlmetrics/checks.py", "    plan.left_out += missing",
        "    plan.left_out += missing if strict else []",
    ),
    Fault(
        "a parameter's bound", "sql/macros/planning/values.sql", "value <= parameter.maximum",
        "value < parameter.maximum",
    ),
    Fault(
        "a rule of judgments", "sql/macros/frames/ranked_items.sql",
        "'case when judgments.label is null then 0 else 1 end as judged'", "'1 as judged'",
    ),
    Fault(
        "a group's weight", "sql/macros/frames/ranked_items.sql",
        "'case when ' ~ value ~ ' is not null then group_weight end'", "'group_weight'",
    ),
    Fault("a division by zero", "sql/macros/regression/smape.sql", "nullif(abs(label) + abs(score), 0), 0)",
          "nullif(abs(label) + abs(score), 0), 1)"),
    Fault(
        "the order of a table", "sql/macros/multiclass/class_confusion.sql", "order: [label, prediction]",
        "order: [prediction, label]",
    ),
    Fault(
        "a cast", "sql/macros/recommender/coverage.sql", "sqlmetrics.to_double('count(all_items.item_id)')",
        "'count(all_items.item_id)'",
    ),
]  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    """What a tier says of a tree: the test that failed, if one did, and after how long."""

    test: str | None
    seconds: float


def copy_of_the_tree(folder: Path) -> Path:
    """The files of the project, as they are now."""
    return shutil.copytree(ROOT, folder / "tree", ignore=LEFT_BEHIND)


def run_tests(tree: Path, *options: str) -> Verdict:
    """The tests of a tree, up to the first that fails."""
    start = time.perf_counter()
    files = [path.relative_to(tree) for path in (tree / "tests").rglob("test_*.py") if path.stem != "test_faults"]
    files.sort(key=lambda path: (_FIRST.index(_word(path)) if _word(path) in _FIRST else len(_FIRST), path))
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", _WRITTEN_ANEW, *options]
    # Where a run stops at its first failure, the snapshots warn of the tests that were not reached.
    command += ["-W", "default:syrupy:UserWarning"]
    command += [*map(str, files), "sqlmetrics"]
    done = _run(command, tree)
    failed = re.search(r"^(?:FAILED|ERROR) (\S+?::\w+|\S+\.py)", done.stdout, re.MULTILINE)
    if (done.returncode == 0) != (failed is None):
        raise RuntimeError(f"pytest ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return Verdict(failed[1] if failed else None, time.perf_counter() - start)


def _word(path: Path) -> str:
    return path.stem.removeprefix("test_")


def _run(command: list[str], tree: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)


def verdict_on(fault: Fault, full: bool) -> tuple[str, Verdict]:
    """The tier that caught a fault, or "nothing"."""
    with tempfile.TemporaryDirectory() as folder:
        tree = copy_of_the_tree(Path(folder))
        fault.plant(tree)
        # Where a fault keeps the files from being written anew, they stay as they are.
        _run([sys.executable, "-m", "sqlmetrics.generation"], tree)
        verdict = run_tests(tree)
        if verdict.test is not None or not full:
            return ("fast" if verdict.test else "nothing"), verdict
        rest = run_tests(tree, "--full", "-m", "full")
        return ("full" if rest.test else "nothing"), Verdict(rest.test, verdict.seconds + rest.seconds)


def chosen_by(words: Sequence[str]) -> list[Fault]:
    """The faults of whose kinds some word is said; each word must choose one."""
    for word in words:
        if not any(word in fault.kind for fault in FAULTS):
            raise ValueError(f"no fault is of the kind {word!r}; there are {', '.join(fault.kind for fault in FAULTS)}")
    return [fault for fault in FAULTS if not words or any(word in fault.kind for word in words)]


def main() -> int:
    """Plant the faults one after the other and tell which tier caught each."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("kinds", nargs="*", help="words of the kinds to plant; all by default")
    parser.add_argument("--full", action="store_true", help="what the fast tier does not catch is for the full one")
    parser.add_argument("--at-once", action="store_true", help="the tree as it is passes, and need not be tried first")
    arguments = parser.parse_args()
    try:
        chosen = chosen_by(arguments.kinds)
    except ValueError as error:
        parser.error(str(error))
    if not arguments.at_once:
        with tempfile.TemporaryDirectory() as folder:
            sound = run_tests(copy_of_the_tree(Path(folder)))
        if sound.test is not None:
            print(f"without any fault {sound.test} fails")
            return 2
        print(f"{'no fault':22}{'':9}{sound.seconds:6.0f} s", flush=True)
    caught = []
    for fault in chosen:
        tier, verdict = verdict_on(fault, arguments.full)
        caught.append(tier)
        print(f"{fault.kind:22}{tier:9}{verdict.seconds:6.0f} s  {verdict.test or ''}", flush=True)
    missed = len(chosen) - caught.count("fast")
    by_tier = f"the fast tier caught {caught.count('fast')}, the full one {caught.count('full')} more"
    print(f"of {len(chosen)} faults {by_tier}")
    return int(missed > MISSED_BY_THE_FAST_TIER or (arguments.full and "nothing" in caught))


if __name__ == "__main__":
    sys.exit(main())
