"""Try faults in this tree: plant each, run the tests that reach its line, write down those that fail.

A fault in the body of a template is tried in a process that parts from this one after the tests are collected: no
module has read it yet. Any other fault starts anew.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

#: What a suite may take for a fault, in seconds of the tests as recorded, and after how many failures it ends.
SECONDS = 4.0
FAILURES = 3
_LIMIT = 150
#: Snapshots and checks of generated files: whoever makes such a mistake writes them anew.
_WRITTEN_ANEW = ("test_text_of", "test_text", "project/test_faults")


@dataclass
class Record:
    """Which tests run a line, and for how long."""

    tests: dict[str, dict[str, list[str]]]
    seconds: dict[str, float]

    def add(self, other: Record) -> None:
        """The lines of another process."""
        self.seconds |= other.seconds
        for path, by_line in other.tests.items():
            mine = self.tests.setdefault(path, {})
            for line, tests in by_line.items():
                mine[line] = sorted({*mine.get(line, ()), *tests})

    def reaching(self, lines: Iterable[tuple[str, int]]) -> list[str]:
        """Tests of these lines; then, where they are few, of their files, for what is built once and shared."""
        of_lines: set[str] = set()
        of_files: set[str] = set()
        for path, line in lines:
            by_line = self.tests.get(path, {})
            of_lines |= set(by_line.get(str(line), ()))
            of_files |= {test for tests in by_line.values() for test in tests}
        drawn = random.Random(1)
        first, rest = sorted(of_lines), sorted(of_files - of_lines)
        drawn.shuffle(first)
        drawn.shuffle(rest)
        return first + rest

    def chosen(self, lines: Iterable[tuple[str, int]], seconds: float = SECONDS) -> list[str]:
        """Of each suite as many as its time allows."""
        spent: Counter[str] = Counter()
        out = []
        for test in self.reaching(lines):
            took = self.seconds.get(test, 0.1) + 0.01
            suite = suite_of(test)
            if not any(name in test for name in _WRITTEN_ANEW) and (spent[suite] + took <= seconds or not spent[suite]):
                spent[suite] += took
                out.append(test)
        return out


def suite_of(test: str) -> str:
    """The folder of a test; doctests are of the product's."""
    head, _, tail = test.partition("/")
    return tail.partition("/")[0] if head == "tests" else "doctests"


@dataclass
class Trials:
    """Runs chosen tests of a session, and keeps what failed."""

    tests: Sequence[str]
    failed: list[str] = field(default_factory=list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and report.nodeid not in self.failed:
            self.failed.append(report.nodeid)

    def run(self, items: dict[str, pytest.Item]) -> None:
        chosen = [items[test] for test in self.tests if test in items]
        # Tests of a module stay together, and with them its fixtures.
        chosen.sort(key=lambda item: item.nodeid)
        for item, after in zip(chosen, [*chosen, None][1:], strict=True):
            suite = suite_of(item.nodeid)
            if sum(suite_of(test) == suite for test in self.failed) < FAILURES:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)


@dataclass
class Parting:
    """Collects once, and tries each fault in a process of its own."""

    tree: Path
    product: Path
    faults: Sequence[dict[str, Any]]
    target: Path

    @property
    def answer(self) -> Path:
        return self.tree.with_suffix(".one")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        for fault in self.faults:
            started = time.monotonic()
            child = os.fork()
            if child == 0:
                os.setsid()
                self._try(fault, session, items)
            failed = wait(child, self.answer)
            shutil.copy(self.product / fault["path"], self.tree / fault["path"])
            write(self.target, fault["name"], failed, len(fault["tests"]), time.monotonic() - started)
        return True

    def _try(self, fault: dict[str, Any], session: pytest.Session, items: dict[str, pytest.Item]) -> None:
        code = 1
        try:
            (self.tree / fault["path"]).write_text(fault["text"], encoding="utf-8")
            forget_templates()
            trials = Trials(fault["tests"])
            session.config.pluginmanager.register(trials)
            with open(os.devnull, "w") as nothing:
                os.dup2(nothing.fileno(), 1)
                os.dup2(nothing.fileno(), 2)
            trials.run(items)
            self.answer.write_text(json.dumps(trials.failed), encoding="utf-8")
            code = 0
        finally:
            os._exit(code)


def forget_templates() -> None:
    """Nothing that was rendered before is used again."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("sqlmetrics.rendering", "sqlmetrics.integrations", "sqlmetrics.catalogue.dialects")):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def wait(child: int, answer: Path) -> list[str]:
    """What failed in a process; a fault may make a loop that does not end."""
    start = time.monotonic()
    while time.monotonic() - start < _LIMIT:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            if status or not answer.exists():
                return ["the process ended"]
            failed: list[str] = json.loads(answer.read_text(encoding="utf-8"))
            answer.unlink()
            return failed
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return ["no end"]


def write(target: Path, name: str, failed: Sequence[str], tests: int, seconds: float) -> None:
    """One line of JSON for each fault."""
    with target.open("a", encoding="utf-8") as file:
        file.write(
            json.dumps({"fault": name, "failed": list(failed), "tests": tests, "seconds": round(seconds, 1)}) + "\n"
        )


_OPTIONS = [
    *("-o", "addopts=", "-p", "tests.plugin", "-p", "no:cacheprovider", "-n", "0", "-q", "--tb=no", "-m", ""),
    *("--strict-markers", "--doctest-modules", "--ignore=tests/benchmarks", "-W", "default:syrupy:UserWarning"),
]


class Chosen:
    """Deselects all tests but some."""

    def __init__(self, tests: Sequence[str], target: Path) -> None:
        self.trials = Trials(tests)
        self.target = target

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        session.config.pluginmanager.register(self.trials)
        self.trials.run({item.nodeid: item for item in session.items})
        return True

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        failed = self.trials.failed
        if not session.testscollected or (session.testsfailed and not failed):
            failed = ["a module cannot be imported"]
        self.target.write_text(json.dumps(failed), encoding="utf-8")


def main() -> int:
    """`worker TREE PRODUCT JOB TARGET`: a job has the tests of one fault, or `warm` faults with the tests of all."""
    tree, product, job, target = map(Path, sys.argv[1:])
    os.chdir(tree)
    sys.dont_write_bytecode = True
    work = json.loads(job.read_text(encoding="utf-8"))
    files = sorted({test.partition("::")[0] for test in work["tests"]})
    plugin = Parting(tree, product, work["warm"], target) if "warm" in work else Chosen(work["tests"], target)
    return int(pytest.main([*_OPTIONS, "--basetemp", str(tree.with_suffix(".folders")), *files], plugins=[plugin]))


if __name__ == "__main__":
    sys.exit(main())
