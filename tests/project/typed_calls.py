"""Calls of a user, which mypy checks: each comment names the error that it must find, and an unused one is an error."""

from typing import TYPE_CHECKING

import pandas as pd

import sqlmetrics

if TYPE_CHECKING:
    log = pd.DataFrame()
    result: pd.DataFrame = sqlmetrics.evaluate(log, ["auc", {"name": "ndcg", "k": 10}], label="y", score=["s", "t"])
    text: str = sqlmetrics.render("auc", relation="log", label="y", score="s", by=[["day"], []])
    sqlmetrics.ndcg(log, label="y", score="s", group="u", k=10, gain="exp", strict=True)
    sqlmetrics.compare(log, "auc", label="y", score=["s", "t"], adjust=None)
    sqlmetrics.evaluate(log, "auc", lable="y", score="s")  # type: ignore[call-arg]
    sqlmetrics.auc(log, label="y", scores="s")  # type: ignore[call-arg]
    sqlmetrics.ndcg(log, label="y", score="s", group="u", gain="exponential")  # type: ignore[arg-type]
    sqlmetrics.compare(log, "auc", label="y", score="s", adjust="bonferroni")  # type: ignore[arg-type]
    sqlmetrics.render("auc", label="y", score="s")  # type: ignore[call-arg]
