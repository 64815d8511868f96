"""The types for users: mypy checks each argument of each public function."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONSUMER = """\
import pandas as pd
import sqlmetrics

log = pd.DataFrame()
result: pd.DataFrame = sqlmetrics.evaluate(log, ["auc", {"name": "ndcg", "k": 10}], label="y", score=["s", "t"])
text: str = sqlmetrics.render("auc", relation="log", label="y", score="s", by=[["day"], []])
sqlmetrics.ndcg(log, label="y", score="s", group="u", k=10, gain="exp", strict=True)
sqlmetrics.compare(log, "auc", label="y", score=["s", "t"], adjust=None)
sqlmetrics.evaluate(log, "auc", lable="y", score="s")
sqlmetrics.auc(log, label="y", scores="s")
sqlmetrics.ndcg(log, label="y", score="s", group="u", gain="exponential")
sqlmetrics.compare(log, "auc", label="y", score="s", adjust="bonferroni")
sqlmetrics.render("auc", label="y", score="s")
"""
ERRORS = {9: "call-arg", 10: "call-arg", 11: "arg-type", 12: "arg-type", 13: "call-arg"}


@pytest.mark.slow
def test_type_checker_finds_unknown_arguments(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "consumer.py").write_text(CONSUMER, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", os.devnull, "consumer.py"]
    lines = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout.splitlines()
    errors = [line for line in lines if "consumer.py" in line and " error: " in line]
    codes = {int(line.split(":")[1]): line.rpartition("[")[2].rstrip("]") for line in errors}
    assert codes == ERRORS, "\n".join(lines)
