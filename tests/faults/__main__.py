"""Plant faults in copies of the tree, and write down which suite of the tests finds each.

    python -m tests.faults                           # the curated faults, 300 mutants and what the history mended
    python -m tests.faults --mutants 60 --reversals 0 --json after.json
    python -m tests.faults --before before.json …    # fails where a fault is missed now that was found before
    python -m tests.faults "a tie" ndcg.sql          # faults in whose names a word is said

A fault is tried on one suite after the other until a test fails; with `--every-suite` on all of them. Each suite has
the tests of the README's command, with `--slow` the slow ones too. Snapshots and checks of generated files are left
out: whoever makes such a mistake writes them anew.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import io
import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .corpus import CURATED, LEFT_BEHIND, ROOT, AnyFault, NoFault, mutants, named, reversals

#: The folders of the tests, first those that find most.
SUITES = ("values", "invariants", "statistics", "input", "output", "engines", "dbt", "project")
_WRITTEN_ANEW = "not test_text_of and not test_generated_files_are_fresh and not test_text"
#: A fault may make a loop that does not end.
_LIMIT_IN_SECONDS = 900
#: Imported once, before the processes of the runs part from this one: half of a short run is these.
_HEAVY = ("numpy", "pandas", "pyarrow", "polars", "duckdb", "sklearn.metrics", "scipy.stats", "statsmodels.api",
          "jinja2", "yaml", "rich.console", "click", "pytest", "sqlglot", "lightgbm")  # fmt: skip


@dataclass
class Verdict:
    """What the tests say of a fault: by suite the test that failed, or None."""

    fault: str
    tests: dict[str, str | None]
    seconds: float

    @property
    def suite(self) -> str | None:
        """The first suite that finds it."""
        return next((suite for suite, test in self.tests.items() if test), None)


def paths_of(suite: str) -> list[str]:
    """The folder of a suite; with the last one go the doctests."""
    return [f"tests/{suite}"] + ["sqlmetrics"] * (suite == SUITES[-1])


def run_suite(tree: Path, suite: str, slow: bool) -> str | None:
    """The first test of a suite that fails, run in a process that parts from this one."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as said:
        child = os.fork()
        if child == 0:
            _run_here(tree, paths_of(suite), slow, said.name)
        status = _wait(child)
        text = said.read()
    failed = re.search(r"^(?:FAILED|ERROR) (\S+?::\w+|\S+)", text, re.MULTILINE)
    if status is None:
        return "no end"
    if (status == 0) != (failed is None) and status != 4:  # 4: a module cannot be imported
        raise RuntimeError(f"pytest ended with {status}:\n{text[-3000:]}")
    return failed[1] if failed else None if status == 0 else "a module cannot be imported"


def _run_here(tree: Path, files: Sequence[str], slow: bool, target: str) -> None:
    """Never returns: the process ends with the tests."""
    os.setsid()
    os.chdir(tree)
    with open(target, "w", encoding="utf-8") as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "sqlmetrics")]:
        del sys.modules[name]
    sys.path[:0] = [str(tree)]
    sys.dont_write_bytecode = True
    os.environ |= {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    pytest: Any = importlib.import_module("pytest")
    options = ["-p", "tests.plugin", "--strict-markers", "--doctest-modules", "-p", "no:cacheprovider", "-n", "0"]
    # Several runs would remove each other's temporary folders.
    options += [
        "--basetemp",
        f"{target}.folders",
        "-q",
        "-x",
        "-k",
        _WRITTEN_ANEW,
        "-W",
        "default:syrupy:UserWarning",
        *(["-m", ""] if slow else []),
    ]
    code = 3
    try:
        code = int(pytest.main(["-o", "addopts=", *options, *files]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _wait(child: int) -> int | None:
    """How a process ended; None where it had to be stopped."""
    start = time.monotonic()
    while time.monotonic() - start < _LIMIT_IN_SECONDS:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def copy_product(tree: Path) -> None:
    """What faults are planted in, as it is now."""
    for folder in ("sql", "sqlmetrics"):
        shutil.rmtree(tree / folder, ignore_errors=True)
        shutil.copytree(ROOT / folder, tree / folder, ignore=LEFT_BEHIND)


def verdict_on(fault: AnyFault, tree: Path, suites: Sequence[str], slow: bool, every_suite: bool) -> Verdict:
    """Plant a fault in a tree, and run the tests."""
    start = time.monotonic()
    copy_product(tree)
    fault.plant(tree)
    # Where a fault keeps the files from being written anew, they stay as they are.
    command = [sys.executable, "-m", "sqlmetrics.codegen"]
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(command, cwd=tree, env=environment, capture_output=True, check=False, timeout=300)
    tests: dict[str, str | None] = {}
    for suite in suites:
        tests[suite] = run_suite(tree, suite, slow)
        if tests[suite] and not every_suite:
            break
    return Verdict(fault.name, tests, time.monotonic() - start)


def _verdict_in_own_tree(fault: AnyFault, folder: str, **options: Any) -> Verdict:
    """A verdict in the tree of this process, which is copied once."""
    tree = Path(folder, str(os.getpid()))
    if not tree.exists():
        shutil.copytree(ROOT, tree, ignore=LEFT_BEHIND)
    return verdict_on(fault, tree, **options)


def try_all(faults: Sequence[AnyFault], processes: int, **options: Any) -> list[Verdict]:
    """The verdicts on faults, printed as they come."""
    found = []
    with tempfile.TemporaryDirectory() as folder, multiprocessing.get_context("fork").Pool(processes) as pool:
        for verdict in pool.imap(functools.partial(_verdict_in_own_tree, folder=folder, **options), faults):
            found.append(verdict)
            test = verdict.tests[verdict.suite] if verdict.suite else ""
            print(f"{verdict.suite or 'not found':12}{verdict.seconds:5.0f} s  {verdict.fault}  {test}", flush=True)
    return found


def table(verdicts: Sequence[Verdict], suites: Sequence[str], every_suite: bool) -> str:
    """How many faults each suite finds."""
    out = io.StringIO()
    for suite in suites:
        if every_suite:
            alone = [one for one in verdicts if [name for name, test in one.tests.items() if test] == [suite]]
            killed = sum(bool(one.tests[suite]) for one in verdicts)
            print(f"{suite:12}{killed:5} of {len(verdicts)}, {len(alone)} of them alone", file=out)
        else:
            print(f"{suite:12}{sum(one.suite == suite for one in verdicts):5} first", file=out)
    print(f"{'not found':12}{sum(one.suite is None for one in verdicts):5}", file=out)
    return out.getvalue()


def lost(verdicts: Sequence[Verdict], before: Mapping[str, Any]) -> list[str]:
    """The faults that were found before, and are not now."""
    return [one.fault for one in verdicts if one.suite is None and any(before.get(one.fault, {}).values())]


def main() -> int:
    """Try the faults, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("words", nargs="*", help="words in the names of faults; all faults by default")
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--reversals", type=int, default=400, help="of how many last commits mends are taken back")
    parser.add_argument("--every-suite", action="store_true", help="go on after the suite that finds a fault")
    parser.add_argument("--suites", nargs="+", choices=SUITES, default=SUITES)
    parser.add_argument("--slow", action="store_true", help="the slow tests of each suite too")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--at-once", action="store_true", help="the tree as it is passes, and need not be tried first")
    parser.add_argument("--json", type=Path, help="where the verdicts are written")
    parser.add_argument("--before", type=Path, help="verdicts of another run, none of whose finds may be lost")
    arguments = parser.parse_args()
    faults = [*CURATED, *mutants(arguments.mutants), *reversals(arguments.reversals)]
    try:
        faults = named(faults, arguments.words)
    except ValueError as error:
        parser.error(str(error))
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    for module in _HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    options = {"suites": arguments.suites, "slow": arguments.slow, "every_suite": arguments.every_suite}
    sound = [] if arguments.at_once else try_all([NoFault()], 1, **options)
    if any(one.suite for one in sound):
        print("a test fails without any fault")
        return 2
    verdicts = try_all(faults, arguments.processes, **options)
    print(table(verdicts, arguments.suites, arguments.every_suite))
    if arguments.json:
        written = {one.fault: asdict(one)["tests"] for one in verdicts}
        arguments.json.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    gone = lost(verdicts, json.loads(arguments.before.read_text(encoding="utf-8"))) if arguments.before else []
    for fault in gone:
        print(f"found before, missed now: {fault}")
    return int(bool(gone))


if __name__ == "__main__":
    sys.exit(main())
