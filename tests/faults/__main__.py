"""Plant faults in copies of the tree, and record the tests that detect each.

- `python -m tests.faults record lines.json`: which lines each test runs; needs the package coverage
- `python -m tests.faults try lines.json found.json`: curated faults, 300 mutants and reversed fixes
- `python -m tests.faults try lines.json after.json --before found.json`: fails if a fault is missed now
- `python -m tests.faults try lines.json some.json "a tie" ndcg.sql`: faults whose names contain a word

Each fault runs the tests that reach its lines: for each folder, up to four seconds of tests and three failures.
Snapshots are excluded, because a developer would update them together with the mistake.
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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from .corpus import CURATED, LEFT_BEHIND, ROOT, AnyFault, Fault, Reversal, mutants, named, reversals
from .worker import LIMIT_IN_SECONDS, Record, suite_of, write

#: The folders of the tests.
SUITES = ("values", "invariants", "statistics", "input", "output", "engines", "dbt", "project", "doctests")


def record(target: Path, expression: str) -> None:
    """Run the tests with a tracer, and write the lines that each test runs."""
    tests: dict[str, dict[str, list[str]]] = {}
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.faults.recording", "-m", expression]
        subprocess.run(command, cwd=ROOT, env={**os.environ, "FAULTS_RECORD": folder}, check=False)
        for path in Path(folder).iterdir():
            part = json.loads(path.read_text(encoding="utf-8"))
            seconds |= part["seconds"]
            for file, by_line in part["tests"].items():
                for line, names in by_line.items():
                    tests.setdefault(file, {}).setdefault(line, []).extend(names)
    target.write_text(json.dumps({"tests": tests, "seconds": seconds}), encoding="utf-8")


def lines_of(fault: AnyFault) -> list[tuple[str, int]]:
    """The lines of the product that a fault changes."""
    if isinstance(fault, Reversal):
        lines, path, number = [], "", 0
        for line in fault.patch.splitlines():
            if line.startswith("+++ b/"):
                path = line[6:]
            elif match := re.match(r"@@ -\S+ \+(\d+)", line):
                number = int(match[1])
            elif not line.startswith("-"):
                lines += [(path, number)] * line.startswith("+")
                number += 1
        return lines
    text = (ROOT / fault.path).read_text(encoding="utf-8")
    return [(fault.path, fault.line or 1 + text[: text.index(fault.old)].count("\n"))]


def is_in_body(fault: AnyFault) -> bool:
    """Whether a fault changes only the body of a template, not its head."""
    if not isinstance(fault, Fault) or not fault.path.startswith("sql/"):
        return False
    text = (ROOT / fault.path).read_text(encoding="utf-8")
    return lines_of(fault)[0][1] > text.partition("-#}")[0].count("\n") * text.startswith("{#-") + 1


def run_worker(tree: Path, jobs: Sequence[Mapping[str, Any]], target: Path, limit: float | None = None) -> None:
    """Run the tests of some faults in a tree; a fault without a verdict broke the product or did not end."""
    if not any(job["tests"] for job in jobs):
        for job in jobs:
            write(target, job["fault"], [])
        return
    path = tree.with_suffix(".jobs")
    path.write_text(json.dumps(jobs), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.faults.worker", *map(str, (tree, ROOT, target, path))]
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(command, cwd=tree, env=environment, capture_output=True, check=False, timeout=limit)
    judged = {json.loads(line)["fault"] for line in target.read_text(encoding="utf-8").splitlines()}
    for job in jobs:
        if job["fault"] not in judged:
            write(target, job["fault"], ["the tests cannot be run, or do not end"])


def plant_again(fault: AnyFault, tree: Path) -> None:
    """Plant a fault in a fresh copy of the product, and regenerate its files if that works."""
    for folder in ("sql", "sqlmetrics"):
        shutil.rmtree(tree / folder, ignore_errors=True)
        shutil.copytree(ROOT / folder, tree / folder, ignore=LEFT_BEHIND)
    fault.plant(tree)
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "sqlmetrics.codegen"]
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(command, cwd=tree, env=environment, capture_output=True, check=False, timeout=LIMIT_IN_SECONDS)


def try_all(faults: Sequence[AnyFault], lines: Record, processes: int) -> dict[str, list[str]]:
    """The tests that detect each fault."""
    tests = {fault.name: lines.chosen(lines_of(fault)) for fault in faults}
    within = [fault for fault in faults if isinstance(fault, Fault) and is_in_body(fault)]
    others: Queue[AnyFault] = Queue()
    for fault in faults:
        if fault not in within:
            others.put(fault)

    def work(number: int, folder: Path) -> None:
        tree = folder / f"tree{number}"
        shutil.copytree(ROOT, tree, ignore=LEFT_BEHIND)
        jobs = []
        for fault in within[number::processes]:
            fault.plant(tree)
            text = (tree / fault.path).read_text(encoding="utf-8")
            shutil.copy(ROOT / fault.path, tree / fault.path)
            jobs.append({"fault": fault.name, "tests": tests[fault.name], "path": fault.path, "text": text})
        run_worker(tree, jobs, folder / "verdicts")
        with suppress(Empty):
            while True:
                other = others.get_nowait()
                plant_again(other, tree)
                job = {"fault": other.name, "tests": tests[other.name]}
                run_worker(tree, [job], folder / "verdicts", 2 * LIMIT_IN_SECONDS)

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "verdicts").touch()
        threads = [threading.Thread(target=work, args=(number, Path(folder))) for number in range(processes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        verdicts = map(json.loads, Path(folder, "verdicts").read_text(encoding="utf-8").splitlines())
        return {verdict["fault"]: verdict["failed"] for verdict in verdicts}


def table(verdicts: Mapping[str, Sequence[str]]) -> str:
    """For each suite, the number of faults that it detects, and of those that only it detects."""
    suites = [{suite_of(test) for test in tests} for tests in verdicts.values()]
    lines = [
        f"{suite:12}{sum(suite in names for names in suites):5}{suites.count({suite}):5} alone" for suite in SUITES
    ]
    return "\n".join([*lines, f"{'found':12}{sum(map(bool, verdicts.values())):5} of {len(verdicts)}"])


def lost(verdicts: Mapping[str, Sequence[str]], before: Mapping[str, Sequence[str]]) -> list[str]:
    """The faults that were detected before, and are not now."""
    return [fault for fault, tests in verdicts.items() if not tests and before.get(fault)]


def main() -> int:
    """Record, or try faults and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("command", choices=["record", "try"])
    parser.add_argument("lines", type=Path, help="the record")
    parser.add_argument("verdicts", type=Path, nargs="?", help="try: where the verdicts are written")
    parser.add_argument("fragments", nargs="*", help="parts of names of faults; all faults by default")
    parser.add_argument("-m", dest="expression", default="not slow", help="record: tests of these markers")
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--reversals", type=int, default=400, help="of how many last commits mends are taken back")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--before", type=Path, help="verdicts of another run, none of whose finds may be lost")
    arguments = parser.parse_args()
    if arguments.command == "record":
        record(arguments.lines, arguments.expression)
        return 0
    if arguments.verdicts is None:
        parser.error("try needs a file for the verdicts")
    try:
        faults = named([*CURATED, *mutants(arguments.mutants), *reversals(arguments.reversals)], arguments.fragments)
    except ValueError as error:
        parser.error(str(error))
    lines = Record(**json.loads(arguments.lines.read_text(encoding="utf-8")))
    verdicts = try_all(faults, lines, arguments.processes)
    print(table(verdicts))
    arguments.verdicts.write_text(json.dumps(verdicts, indent=1) + "\n", encoding="utf-8")
    gone = lost(verdicts, json.loads(arguments.before.read_text(encoding="utf-8"))) if arguments.before else []
    for fault in gone:
        print(f"found before, missed now: {fault}")
    return int(bool(gone))


if __name__ == "__main__":
    sys.exit(main())
