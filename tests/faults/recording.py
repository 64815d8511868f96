"""Record which lines of the product each test runs: `pytest -p tests.faults.recording`, into FAULTS_RECORD.

For templates these are lines of the `.sql` files: compiled code maps each of its lines to its source.
"""

from __future__ import annotations

import bisect
import json
import os
import re
import uuid
from collections import defaultdict
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT

Lines = dict[str, dict[int, list[str]]]
_seconds: dict[str, float] = defaultdict(float)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _seconds[report.nodeid] += report.duration


@pytest.hookimpl(wrapper=True)
def pytest_sessionstart(session: pytest.Session) -> Generator[None]:
    yield
    if hasattr(session.config, "workerinput") or not session.config.getoption("numprocesses"):
        session.config.pluginmanager.register(Tracer())


class Tracer:
    """A plugin that traces this process."""

    def __init__(self) -> None:
        import coverage

        include = [f"{ROOT}/sqlmetrics/*", f"{ROOT}/sql/*"]
        self._tracer = coverage.Coverage(data_file=None, include=include, config_file=False)
        self._tracer.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, bool | None, bool | None]:
        self._tracer.switch_context(item.nodeid)
        answer = yield
        self._tracer.switch_context("")
        return answer

    def pytest_sessionfinish(self) -> None:
        self._tracer.stop()
        record = {"tests": recorded(self._tracer.get_data()), "seconds": _seconds}
        Path(os.environ["FAULTS_RECORD"], f"{uuid.uuid4()}.json").write_text(json.dumps(record), encoding="utf-8")


def recorded(data: Any) -> Lines:
    """The tests by file and line."""
    result: Lines = {}
    for name in data.measured_files():
        path = Path(name)
        of_source = _template_lines(path) if path.suffix == ".sql" else None
        lines: dict[int, set[str]] = defaultdict(set)
        for line, tests in data.contexts_by_lineno(name).items():
            lines[of_source(line) if of_source else line] |= {test for test in tests if test}
        result[str(path.relative_to(ROOT))] = {line: sorted(tests) for line, tests in lines.items()}
    return result


def _template_lines(path: Path) -> Callable[[int], int]:
    from sqlmetrics.rendering.macros import make_environment

    text = make_environment(sandboxed=False).compile(path.read_text(encoding="utf-8"), raw=True)
    pairs = re.search(r"^debug_info = '(.*)'", text, re.MULTILINE)
    both = [tuple(map(int, pair.split("="))) for pair in pairs[1].split("&")] if pairs and pairs[1] else []
    code = [line for _, line in both]

    def source(line: int) -> int:
        index = bisect.bisect_right(code, line) - 1
        return both[index][0] if index >= 0 else 0

    return source
