"""Full and closed streams, endless files and bytes that are no text lead to exit code 2 and one line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics import BadParameter
from tests.calls import shell

LOG = pd.DataFrame({"y": [0, 1, 0, 1], "s": [0.1, 0.9, 0.8, 0.2]})
ROLES = {"label": "y", "score": "s"}
OPTIONS = ["-m", "auc", "--label", "y", "--score", "s"]
EVAL = ["eval", "log.csv", *OPTIONS]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    LOG.to_csv("log.csv", index=False)


def program(*arguments: str, stdout: Any = subprocess.PIPE, **options: Any) -> subprocess.CompletedProcess[str]:
    options = {"stdout": stdout, "stderr": subprocess.PIPE, "timeout": 120, "text": True, **options}
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, "-m", "sqlmetrics", *arguments], check=False, env=environment, **options)


def assert_error(code: int, stderr: str, *fragments: str) -> None:
    assert code == 2, stderr
    assert stderr.startswith("error: "), stderr
    assert len(stderr.splitlines()) == 1, stderr
    assert all(word in stderr for word in fragments), stderr


def assert_printable(text: str) -> None:
    assert text
    assert [character for character in text if not character.isprintable() and character != "\n"] == []


# Full and closed streams


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_standard_output_without_space_or_reader() -> None:
    with open("/dev/full", "w") as full:
        result = program("list", stdout=full)
    assert_error(result.returncode, result.stderr, "No space left")
    readable, writable = os.pipe()
    os.close(readable)
    result = program("list", stdout=writable)
    os.close(writable)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.slow
def test_closed_standard_streams() -> None:
    """Closed streams are an error only if the command writes to them."""

    def program_without(stream: int, *arguments: str) -> subprocess.CompletedProcess[str]:
        return program(*arguments, preexec_fn=lambda: os.close(stream))

    result = program_without(1, *EVAL)
    assert_error(result.returncode, result.stderr, "standard output is closed")
    result = program_without(1, *EVAL, "-o", "out.csv")
    assert (result.returncode, result.stderr, Path("out.csv").read_text()) == (0, "", "n,auc\n4,0.75\n")
    assert program_without(2, *EVAL, "--label", "n").returncode == 2


# Infinite files and huge numbers


@pytest.mark.parametrize(("text", "message"), [
    ("data: &a [*a]", "data must be text"), ("metrics: &a {name: auc, bins: *a}", "'bins' must be one value"),
    ("by: &a [[*a]]", "by must be text"), ("grouping: &a [*a]", "grouping must be text"),
    ("min-rows: &a [*a]", "min-rows must be a whole number"), ("min-rows: " + "9" * 5000, "not YAML"),
    ("strict: &a {a: *a}", "strict must be true or false"), ("label: &a {*a : b}", "not YAML"),
    ("data: " + "[" * 5000 + "]" * 5000, "nested too deeply"),
    ("metrics: {name: ndcg, k: [" + ", ".join(["&a [x]", *["*a"] * 9]) + "]}", "must be one value"),
], ids=lambda text: text[:24])  # fmt: skip
def test_endless_config_files_are_rejected(text: str, message: str) -> None:
    Path("call.yml").write_text(text)
    result = shell(*EVAL, "-c", "call.yml")
    assert_error(result.exit_code, result.stderr or repr(result.exception), message)
    assert len(result.stderr) < 500


HUGE = 10**5000


@pytest.mark.parametrize("invalid", [
    {"metrics": {"name": "ndcg", "k": HUGE}, "group": "y"}, {"metrics": {"name": "auc", "bins": -HUGE}},
    {"metrics": {"name": "auc", "as": HUGE}}, {"metrics": f"ndcg(k={'9' * 5000})", "group": "y"},
    {"metrics": f"ndcg@{'9' * 5000}", "group": "y"}, {"metrics": HUGE}, {"metrics": [HUGE]}, {"by": [HUGE]},
    {"metrics": {"name": "multi_log_loss", "scores": {HUGE: "s"}}, "score": None}, {"min_rows": -HUGE},
    *({role: HUGE} for role in ("label", "score", "by", "where", "preset", "threads", "memory_limit")),
], ids=" and ".join)  # fmt: skip
def test_numbers_that_python_cannot_print_are_rejected(invalid: dict[str, Any]) -> None:
    with pytest.raises(BadParameter) as caught:
        sqlmetrics.evaluate(**{"data": LOG, "metrics": "auc", **ROLES, **invalid})
    assert len(str(caught.value)) < 400


# Bytes that are no text, time zones, and control characters

NO_UTF_8 = [
    ["eval", "\udcff.csv", *OPTIONS],
    *([*EVAL, option, "\udcff"] for option in ("-m", "--label", "--by", "--where", "--db", "-c", "--metrics-dir",
                                               "--score", "--engine")),
    [*EVAL, "--judgments", "\udcff.csv"], [*EVAL, "-o", "\udcff/x.csv"], ["show", "\udcff"], ["new", "\udcff"],
    ["sql", "\udcff", "--relation", "t"],
]  # fmt: skip


def test_arguments_that_are_no_utf_8_are_rejected() -> None:
    for arguments in NO_UTF_8:
        result = shell(*arguments)
        assert_error(result.exit_code, result.stderr)


@pytest.mark.slow
def test_days_are_those_of_utc_in_every_time_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB casts a timestamp with a time zone in the time zone of the machine."""
    timestamps = pd.date_range("2026-03-28", periods=48, freq="h", tz="Europe/Berlin")
    log = pd.DataFrame({"ts": timestamps, "y": [0, 1] * 24, "s": range(48)})
    log.to_parquet("ts.parquet")
    with duckdb.connect("ts.duckdb") as con:
        con.execute("create table ts as from 'ts.parquet'")
    monkeypatch.setenv("TZ", "America/New_York")
    for source in (["ts.parquet"], ["ts", "--db", "ts.duckdb"], ["ts", "--engine", "duckdb:ts.duckdb"]):
        output = program("eval", *source, *OPTIONS, "--by", "day = cast(ts as date)", "--format", "csv").stdout
        assert re.findall(r"^(2026[-0-9]+),(\d+)", output, re.MULTILINE) == [
            ("2026-03-27", "1"), ("2026-03-28", "24"), ("2026-03-29", "23")]  # fmt: skip


CONTROL = "\x1b]0;owned\x07\r\x1b[2J\u202e"


@pytest.mark.parametrize("options", [
    ["--label", CONTROL], ["--label", "d"], ["--label", "nothing"], ["--where", f'"{CONTROL}" > 1'],
    ["--weight", "w"], ["-m", CONTROL], ["--assert", "auc > 2", "--by", "d"], ["-o", f"{CONTROL}/x.csv"],
])  # fmt: skip
def test_control_characters_of_messages_are_escaped(options: list[str]) -> None:
    log = LOG.assign(**{"d": CONTROL, CONTROL: CONTROL})
    log["w"] = [1.0, None, 1.0, 1.0]
    log.to_parquet("odd.parquet")
    assert_printable(shell("eval", "odd.parquet", *OPTIONS, *options).stderr)
