"""Try faults in this tree: run the tests that reach their lines, and write those that fail.

A fault in the body of a template comes with the text of its file. It runs in a process that forks from this one after
the tests are collected, before any module reads the file. Other faults are already in the tree.
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

#: For each suite and fault: the recorded seconds of its tests, and the failures after which it stops.
SECONDS = 4.0
FAILURES = 3
#: A fault may cause an infinite loop.
LIMIT_IN_SECONDS = 150
#: Snapshot tests: a developer would update these together with the mistake.
_WRITTEN_ANEW = ("test_text_of", "test_text", "project/test_faults")
_OPTIONS = [
    *("-o", "addopts=", "-p", "tests.plugin", "-p", "no:cacheprovider", "-n", "0", "-q", "--tb=no", "-m", ""),
    *("--strict-markers", "--doctest-modules", "--ignore=tests/benchmarks", "-W", "default:syrupy:UserWarning"),
]


@dataclass
class Record:
    """The tests that run each line, and their durations."""

    tests: dict[str, dict[str, list[str]]]
    seconds: dict[str, float]

    def chosen(self, lines: Iterable[tuple[str, int]], seconds: float = SECONDS) -> list[str]:
        """Tests of these lines, then of their files, because fixtures are shared; for each suite up to `seconds`."""
        of_lines: set[str] = set()
        of_files: set[str] = set()
        for path, line in lines:
            by_line = self.tests.get(path, {})
            of_lines |= set(by_line.get(str(line), ()))
            of_files |= {test for tests in by_line.values() for test in tests}
        spent: Counter[str] = Counter()
        out = []
        for tests in (sorted(of_lines), sorted(of_files - of_lines)):
            for test in random.Random(1).sample(tests, len(tests)):
                took, suite = self.seconds.get(test, 0.1) + 0.01, suite_of(test)
                is_read = any(name in test for name in _WRITTEN_ANEW)
                if not is_read and (spent[suite] + took <= seconds or not spent[suite]):
                    spent[suite] += took
                    out.append(test)
        return out


def suite_of(test: str) -> str:
    """The folder of a test; doctests belong to the product."""
    head, _, tail = test.partition("/")
    return tail.partition("/")[0] if head == "tests" else "doctests"


def write(target: Path, fault: str, failed: Sequence[str]) -> None:
    """Append a line of JSON for a fault."""
    with target.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"fault": fault, "failed": list(failed)}) + "\n")


@dataclass(eq=False)
class Worker:
    """A plugin that runs the tests of each job after all are collected."""

    tree: Path
    product: Path
    target: Path
    jobs: Sequence[dict[str, Any]]
    failed: list[str] = field(default_factory=list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and report.nodeid not in self.failed:
            self.failed.append(report.nodeid)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        for job in self.jobs:
            if "text" not in job:
                self._run(job, items)
                continue
            child = os.fork()
            if child == 0:
                self._run_apart(job, items)
            if reason := why_stopped(child):
                write(self.target, job["fault"], [reason])
            shutil.copy(self.product / job["path"], self.tree / job["path"])
        return True

    def _run(self, job: dict[str, Any], items: dict[str, pytest.Item]) -> None:
        # Tests of a module stay together, so that they share its fixtures.
        chosen = [items[test] for test in sorted(job["tests"]) if test in items]
        for item, after in zip(chosen, [*chosen, None][1:], strict=True):
            suite = suite_of(item.nodeid)
            if sum(suite_of(test) == suite for test in self.failed) < FAILURES:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        write(self.target, job["fault"], self.failed)

    def _run_apart(self, job: dict[str, Any], items: dict[str, pytest.Item]) -> None:
        """Run a job in a forked process, and exit."""
        code = 1
        try:
            os.setsid()
            (self.tree / job["path"]).write_text(job["text"], encoding="utf-8")
            for name, module in list(sys.modules.items()):
                if name.startswith(
                    ("sqlmetrics.rendering", "sqlmetrics.integrations", "sqlmetrics.catalogue.dialects")
                ):
                    for value in list(vars(module).values()):
                        getattr(value, "cache_clear", int)()
            self._run(job, items)
            code = 0
        finally:
            os._exit(code)


def why_stopped(child: int) -> str | None:
    """Why a process ended without a verdict, or None."""
    start = time.monotonic()
    while time.monotonic() - start < LIMIT_IN_SECONDS:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return "the process ended" if status else None
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "no end"


def main() -> int:
    """`worker TREE PRODUCT TARGET JOBS`: a job has a fault and its tests, and for a template its path and text."""
    tree, product, target, jobs = map(Path, sys.argv[1:])
    os.chdir(tree)
    sys.dont_write_bytecode = True
    worker = Worker(tree, product, target, json.loads(jobs.read_text(encoding="utf-8")))
    files = sorted({test.partition("::")[0] for job in worker.jobs for test in job["tests"]})
    return int(pytest.main([*_OPTIONS, "--basetemp", str(tree.with_suffix(".folders")), *files], plugins=[worker]))


if __name__ == "__main__":
    sys.exit(main())
