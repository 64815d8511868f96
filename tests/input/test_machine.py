"""What the machine and the files around a call can do: a full disk, closed streams, files that refer to themselves.

Each ends with exit code 2 and one line, and leaves nothing behind.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner

import sqlmetrics
from sqlmetrics import BadMetricFile, BadParameter, SqlMetricsError, cli
from tests.input.test_bad_input import GOOD
from tests.tiers import slow

LOG = pd.DataFrame({"y": [0, 1, 0, 1], "s": [0.1, 0.9, 0.8, 0.2]})
ROLES = {"label": "y", "score": "s"}
EVAL = ["eval", "log.csv", "-m", "auc", "--label", "y", "--score", "s"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    LOG.to_csv("log.csv", index=False)
    return tmp_path


def program(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "sqlmetrics", *arguments]
    return subprocess.run(command, text=True, env=environment, check=False, timeout=120, **options)


def one_line(found: subprocess.CompletedProcess[str], *words: str) -> None:
    assert found.returncode == 2, found
    assert found.stderr.startswith("error: "), found.stderr
    assert len(found.stderr.splitlines()) == 1, found.stderr
    assert all(word in found.stderr for word in words), found.stderr


# A full disk


def _no_room() -> None:
    """No file of this process may be longer than a few bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5, 5))


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", *slow("parquet", "json", "md")])
def test_no_room_for_the_result(ending: str, here: Path) -> None:
    """What was there stays as it was."""
    target = here / f"result.{ending}"
    target.write_text("old")
    found = program(*EVAL, "-o", target.name, capture_output=True, preexec_fn=_no_room)
    one_line(found, "too large")
    assert sorted(one.name for one in here.iterdir()) == ["log.csv", target.name]
    assert target.read_text() == "old"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "arguments", [["list"], *slow([*EVAL, "--format", "csv"], EVAL, ["show", "auc"])], ids=" ".join
)
def test_no_room_behind_standard_output(arguments: list[str]) -> None:
    with open("/dev/full", "w") as no_room:
        one_line(program(*arguments, stdout=no_room, stderr=subprocess.PIPE), "No space left")


# Streams that are closed


def _closed(number: int) -> Callable[[], None]:
    return lambda: os.close(number)


@pytest.mark.slow
def test_standard_output_is_closed() -> None:
    one_line(program(*EVAL, stderr=subprocess.PIPE, preexec_fn=_closed(1)), "standard output is closed")


@pytest.mark.slow
def test_standard_output_that_is_not_written_to_is_closed() -> None:
    found = program(*EVAL, "-o", "out.csv", stderr=subprocess.PIPE, preexec_fn=_closed(1))
    assert (found.returncode, found.stderr, Path("out.csv").read_text()) == (0, "", "n,auc\n4,0.75\n")


@pytest.mark.slow
def test_standard_error_is_closed() -> None:
    found = program(*EVAL, "--format", "csv", stdout=subprocess.PIPE, preexec_fn=_closed(2))
    assert (found.returncode, found.stdout) == (0, "n,auc\n4,0.75\n")
    assert program(*EVAL, "--label", "n", stdout=subprocess.PIPE, preexec_fn=_closed(2)).returncode == 2


@pytest.mark.parametrize("arguments", [["list"], *slow([*EVAL, "--format", "csv"])], ids=" ".join)
def test_a_reader_that_is_gone(arguments: list[str]) -> None:
    readable, writable = os.pipe()
    os.close(readable)
    found = program(*arguments, stdout=writable, stderr=subprocess.PIPE)
    os.close(writable)
    assert (found.returncode, found.stderr) == (0, "")


# Files of options


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("data: &a [*a]", "data must be text"),
        ("metrics: &a {name: auc, bins: *a}", "'bins' must be one value"),
        ("metrics: &a [*a]", "metrics must be text"),
        ("by: &a [[*a]]", "by must be text"),
        ("by: &a [*a]", "by must be text"),
        ("grouping: &a [*a]", "grouping must be text"),
        ("min-rows: &a [*a]", "min-rows must be a whole number"),
        ("min-rows: " + "9" * 5000, "not YAML"),
        ("strict: &a {a: *a}", "strict must be true or false"),
        ("data: " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        ("label: &a {*a : b}", "not YAML"),
        ("metrics: {name: ndcg, k: [" + ", ".join(["&a [x]", *["*a"] * 9]) + "]}", "must be one value"),
    ],
    ids=lambda text: text[:24],
)
def test_files_of_options_without_an_end(text: str, words: str) -> None:
    Path("call.yml").write_text(text)
    found = CliRunner().invoke(cli.main, [*EVAL, "-c", "call.yml"])
    assert (found.exit_code, len(found.stderr.splitlines())) == (2, 1), found.stderr or repr(found.exception)
    assert words in found.stderr
    assert len(found.stderr) < 500


# Users' metric files


ENDLESS = {
    "loops": "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}",
    "macros": "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
    "recursion": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "text": "{{ 'x' * 10 ** 10 }}",
    "list": "{{ 10 ** 9 * [1] }}",
    "power": "{{ 10 ** (10 ** 9) }}",
    "range": "{{ range(10 ** 9) | list }}",
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ENDLESS)
def test_metric_files_that_go_on_without_end(name: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqlmetrics.catalogue._registered", None)
    path = here / f"share_{name}.sql"
    body = ENDLESS[name].replace("f(", f"{path.stem}__f(")
    path.write_text(GOOD.replace("NAME", path.stem).replace("{{ m.scale }} *", body + "{{ m.scale }} *"))

    def ask() -> None:
        sqlmetrics.register(path)
        sqlmetrics.evaluate(LOG, path.stem, **ROLES)

    with pytest.raises(BadMetricFile, match=path.name):  # when it is registered, or when it is asked for
        ask()


# Numbers that Python does not write


HUGE = 10**5000


@pytest.mark.parametrize(
    "wrong",
    [
        {"metrics": {"name": "ndcg", "k": HUGE}, "group": "y"},
        {"metrics": {"name": "auc", "bins": -HUGE}},
        {"metrics": {"name": "auc", "as": HUGE}},
        {"metrics": f"ndcg(k={'9' * 5000})", "group": "y"},
        {"metrics": f"ndcg@{'9' * 5000}", "group": "y"},
        {"metrics": {"name": "multi_log_loss", "scores": {HUGE: "s"}}, "score": None},
        {"metrics": HUGE},
        {"metrics": [HUGE]},
        *({role: HUGE} for role in ("label", "score", "by", "where", "preset", "threads", "memory_limit", "weight")),
        {"by": [HUGE]},
        {"min_rows": -HUGE},
    ],
    ids=" and ".join,
)
def test_numbers_that_python_does_not_write(wrong: dict[str, Any]) -> None:
    with pytest.raises(SqlMetricsError) as caught:
        sqlmetrics.evaluate(**{"data": LOG, "metrics": "auc", **ROLES, **wrong})
    assert isinstance(caught.value, BadParameter)
    assert len(str(caught.value)) < 400


# Names that are no text


@pytest.mark.parametrize("how", ["here", *slow("as a process")])
@pytest.mark.parametrize(
    "arguments",
    [
        ["eval", "\udcff.csv", *EVAL[2:]],
        *([*EVAL, option, "\udcff"] for option in ("-m", "--label", "--by", "--where", "--db", "-c", "--metrics-dir")),
        [*EVAL, "--score", "\udcff"],
        [*EVAL, "--judgments", "\udcff.csv"],
        [*EVAL, "--engine", "\udcff"],
        [*EVAL, "-o", "\udcff/x.csv"],
        ["show", "\udcff"],
        ["new", "\udcff"],
        ["sql", "\udcff", "--relation", "t"],
    ],
    ids=lambda arguments: " ".join(arguments).replace("\udcff", "?"),
)
def test_words_that_are_no_utf_8(arguments: list[str], how: str) -> None:
    """The shell in this process, or as a program, which gets its words as bytes."""
    if how == "as a process":
        done = program(*arguments, capture_output=True)
    else:
        found = CliRunner().invoke(cli.main, arguments)
        done = subprocess.CompletedProcess(arguments, found.exit_code, found.stdout, found.stderr)
    one_line(done)


# The zone in which the machine stands


@pytest.mark.slow
@pytest.mark.parametrize("data", ["moments.parquet", *slow("moments.csv", "--db", "--engine")])
def test_days_are_those_of_utc_wherever_the_machine_stands(
    data: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of moments with a time zone; DuckDB has those of the zone of the machine."""
    moments = pd.date_range("2026-03-28", periods=48, freq="h", tz="Europe/Berlin")
    log = pd.DataFrame({"ts": moments, "y": [0, 1] * 24, "s": range(48)})
    log.to_parquet("moments.parquet")
    log.to_csv("moments.csv", index=False)
    with duckdb.connect("moments.duckdb") as con:
        con.execute("create table moments as from 'moments.parquet'")
    source = {
        "--db": ["moments", "--db", "moments.duckdb"],
        "--engine": ["moments", "--engine", "duckdb:moments.duckdb"],
    }
    found = []
    for zone in ("UTC", "America/New_York"):
        monkeypatch.setenv("TZ", zone)
        by = ["--by", "day = cast(ts as date)", "--by", "ts"]
        call = ["eval", *source.get(data, [data]), *EVAL[2:], *by, "--format", "csv"]
        found.append(program(*call, capture_output=True).stdout)
    assert found[0] == found[1]
    days = [line.split(",")[0] for line in found[0].splitlines()[1:]]
    assert {day: days.count(day) for day in days} == {"2026-03-27": 1, "2026-03-28": 24, "2026-03-29": 23}


# What the data hold does not steer a terminal

STEERING = "\x1b]0;owned\x07\r\x1b[2J\u202e"


@pytest.mark.parametrize("format", ["table", "markdown"])
def test_values_are_shown_with_escapes(format: str, here: Path) -> None:
    LOG.assign(**{"d": STEERING, STEERING: "x"}).to_parquet("odd.parquet")
    command = ["eval", "odd.parquet", *EVAL[2:], "--by", "d", "--by", STEERING]
    found = CliRunner().invoke(cli.main, [*command, "--format", format])
    assert "\\x1b]0;owned" in found.stdout
    assert [one for one in found.stdout if not one.isprintable() and one != "\n"] == []
    raw = CliRunner().invoke(cli.main, [*command, "--format", "csv"])
    assert STEERING in raw.stdout, "a file keeps the data as they are"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--label", STEERING],
        ["--label", "d"],
        ["--label", "nothing"],
        ["--where", f'"{STEERING}" > 1'],
        ["--weight", "w", "--strict"],
        ["--weight", "w"],
        ["--by", f"x = {STEERING}"],
        ["--assert", "auc > 2", "--by", "d"],
        ["-m", STEERING],
        ["-m", f"ndcg(gain='{STEERING}')"],
        ["-o", f"{STEERING}/x.csv"],
        ["--metrics-dir", STEERING],
    ],
)
def test_messages_are_shown_with_escapes(arguments: list[str]) -> None:
    log = LOG.assign(**{"d": STEERING, STEERING: STEERING})
    log["w"] = [1.0, None, 1.0, 1.0]
    log.to_parquet("odd.parquet")
    found = CliRunner().invoke(cli.main, ["eval", "odd.parquet", *EVAL[2:], *arguments])
    assert found.stderr
    assert [one for one in found.stderr if not one.isprintable() and one != "\n"] == []
