"""Plant faults in copies of the tree, and write down which tests find each.

    python -m tests.faults record lines.json          # which lines each test runs; needs the package coverage
    python -m tests.faults try lines.json found.json  # curated faults, 300 mutants and what the history mended
    python -m tests.faults try lines.json after.json --before found.json   # fails where a fault is missed now
    python -m tests.faults try lines.json - "a tie" ndcg.sql               # faults whose names contain a word

A fault is tried with the tests that reach its lines: of each folder of tests as many as four seconds hold, up to three
failures. Snapshots and checks of generated files are left out: whoever makes such a mistake writes them anew.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from .corpus import CURATED, LEFT_BEHIND, ROOT, AnyFault, Fault, Reversal, mutants, named, reversals
from .worker import Record, suite_of, write

#: The folders of the tests.
SUITES = ("values", "invariants", "statistics", "input", "output", "engines", "dbt", "project", "doctests")
_LIMIT_IN_SECONDS = 300


def record(target: Path, expression: str) -> None:
    """Run the tests with a tracer, and write down which lines each has run."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.faults.recording", "-m", expression]
        subprocess.run(command, cwd=ROOT, env={**os.environ, "FAULTS_RECORD": folder}, check=False)
        merged = Record({}, {})
        for path in Path(folder).iterdir():
            merged.add(Record(**json.loads(path.read_text(encoding="utf-8"))))
    target.write_text(json.dumps({"tests": merged.tests, "seconds": merged.seconds}), encoding="utf-8")


def lines_of(fault: AnyFault) -> list[tuple[str, int]]:
    """The lines of the product that a fault changes."""
    if isinstance(fault, Reversal):
        lines, path, number = [], "", 0
        for line in fault.patch.splitlines():
            if line.startswith("+++ b/"):
                path = line[6:]
            elif match := re.match(r"@@ -\S+ \+(\d+)", line):
                number = int(match[1])
            elif line.startswith("+"):
                lines.append((path, number))
                number += 1
            elif not line.startswith("-"):
                number += 1
        return lines
    if fault.line is not None:
        return [(fault.path, fault.line)]
    text = (ROOT / fault.path).read_text(encoding="utf-8")
    return [(fault.path, 1 + text[: text.index(fault.old)].count("\n"))]


def is_in_body(fault: AnyFault) -> bool:
    """Whether a fault changes only what a template does, not what its head declares."""
    if not isinstance(fault, Fault) or not fault.path.startswith("sql/"):
        return False
    text = (ROOT / fault.path).read_text(encoding="utf-8")
    head = text.partition("-#}")[0].count("\n") if text.startswith("{#-") else 0
    return lines_of(fault)[0][1] > head + 1


def copied(folder: Path) -> Path:
    """A copy of the checkout."""
    shutil.copytree(ROOT, folder, ignore=LEFT_BEHIND)
    return folder


def run_worker(tree: Path, job: Mapping[str, Any], target: Path, limit: float | None = None) -> bool:
    """Whether a worker came to an end."""
    path = tree.with_suffix(".job")
    path.write_text(json.dumps(job), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.faults.worker", *map(str, (tree, ROOT, path, target))]
    log = tree.with_suffix(".log")
    try:
        with log.open("w") as out:
            done = subprocess.run(
                command, cwd=tree, env=environment, stdout=out, stderr=out, check=False, timeout=limit
            )
    except subprocess.TimeoutExpired:
        return False
    if done.returncode not in (0, 1, 2, 5):
        sys.stderr.write(log.read_text(errors="replace")[-2000:])
    return True


def try_in_body(faults: Sequence[Fault], lines: Record, tree: Path, target: Path) -> None:
    """Try faults of templates in processes that part from one session."""
    jobs = []
    for fault in faults:
        shutil.copy(ROOT / fault.path, tree / fault.path)
        fault.plant(tree)
        text = (tree / fault.path).read_text(encoding="utf-8")
        shutil.copy(ROOT / fault.path, tree / fault.path)
        jobs.append({"name": fault.name, "path": fault.path, "text": text, "tests": lines.chosen(lines_of(fault))})
    tests = sorted({test for job in jobs for test in job["tests"]})
    run_worker(tree, {"warm": jobs, "tests": tests}, target)


def try_anew(fault: AnyFault, lines: Record, tree: Path, target: Path) -> None:
    """Try a fault in a session of its own."""
    started = time.monotonic()
    for folder in ("sql", "sqlmetrics"):
        shutil.rmtree(tree / folder, ignore_errors=True)
        shutil.copytree(ROOT / folder, tree / folder, ignore=LEFT_BEHIND)
    fault.plant(tree)
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    if not isinstance(fault, Fault) or fault.path.startswith("sql/"):
        # Where a fault keeps the files from being written anew, they stay as they are.
        command = [sys.executable, "-m", "sqlmetrics.codegen"]
        subprocess.run(command, cwd=tree, env=environment, capture_output=True, check=False, timeout=300)
    tests = lines.chosen(lines_of(fault))
    answer = tree.with_suffix(".answer")
    answer.unlink(missing_ok=True)
    ended = run_worker(tree, {"tests": tests}, answer, _LIMIT_IN_SECONDS) if tests else True
    failed = json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else []
    if not answer.exists() and tests:
        failed = ["the process ended" if ended else "no end"]
    write(target, fault.name, failed, len(tests), time.monotonic() - started)


def try_all(faults: Sequence[AnyFault], lines: Record, processes: int, target: Path) -> dict[str, list[str]]:
    """The tests that find each fault."""
    within = [fault for fault in faults if isinstance(fault, Fault) and is_in_body(fault)]
    anew: Queue[AnyFault] = Queue()
    for fault in faults:
        if fault not in within:
            anew.put(fault)

    def work(number: int, folder: str) -> None:
        tree = copied(Path(folder, f"tree{number}"))
        if mine := within[number::processes]:
            try_in_body(mine, lines, tree, target)
        while True:
            try:
                try_anew(anew.get_nowait(), lines, tree, target)
            except Empty:
                return

    with tempfile.TemporaryDirectory() as folder:
        threads = [threading.Thread(target=work, args=(number, folder)) for number in range(processes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    verdicts = map(json.loads, target.read_text(encoding="utf-8").splitlines())
    found = {verdict["fault"]: verdict["failed"] for verdict in verdicts}
    if missing := [fault.name for fault in faults if fault.name not in found]:
        raise RuntimeError(f"not tried: {missing[:5]}")
    return found


def table(found: Mapping[str, Sequence[str]]) -> str:
    """How many faults each suite finds, and how many it alone."""
    suites = {fault: {suite_of(test) for test in tests} for fault, tests in found.items()}
    lines = []
    for suite in SUITES:
        killed = [names for names in suites.values() if suite in names]
        lines.append(f"{suite:12}{len(killed):5}{sum(len(names) == 1 for names in killed):5} alone")
    return "\n".join([*lines, f"{'found':12}{sum(map(bool, found.values())):5} of {len(found)}"])


def lost(found: Mapping[str, Sequence[str]], before: Mapping[str, Sequence[str]]) -> list[str]:
    """The faults that were found before, and are not now."""
    return [fault for fault, tests in found.items() if not tests and before.get(fault)]


def main() -> int:
    """Record, or try faults and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("command", choices=["record", "try"])
    parser.add_argument("lines", type=Path, help="the record")
    parser.add_argument("found", type=Path, nargs="?", help="where the verdicts are written")
    parser.add_argument("words", nargs="*", help="words in the names of faults; all faults by default")
    parser.add_argument("-m", dest="expression", default="not slow", help="record: tests of these markers")
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--reversals", type=int, default=400, help="of how many last commits mends are taken back")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--before", type=Path, help="verdicts of another run, none of whose finds may be lost")
    arguments = parser.parse_args()
    if arguments.command == "record":
        record(arguments.lines, arguments.expression)
        return 0
    faults = [*CURATED, *mutants(arguments.mutants), *reversals(arguments.reversals)]
    try:
        faults = named(faults, arguments.words)
    except ValueError as error:
        parser.error(str(error))
    lines = Record(**json.loads(arguments.lines.read_text(encoding="utf-8")))
    with tempfile.TemporaryDirectory() as folder:
        found = try_all(faults, lines, arguments.processes, Path(folder, "verdicts"))
    print(table(found))
    if arguments.found:
        arguments.found.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    gone = lost(found, json.loads(arguments.before.read_text(encoding="utf-8"))) if arguments.before else []
    for fault in gone:
        print(f"found before, missed now: {fault}")
    return int(bool(gone))


if __name__ == "__main__":
    sys.exit(main())
