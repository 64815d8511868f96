"""The data of a report, and what all its calls have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from ..catalogue.registry import catalogue
from ..inputs.source import Executor, Source
from ..planning.metric_spec import MetricSpec
from ..planning.plan import Requested
from ..planning.planner import requested_metrics
from ..request import IntervalOptions, Request
from ..running.evaluate import TextCache, evaluate_source


@dataclass
class ReportContext:
    """The data that are open, and the request whose roles, condition and preset all calls share."""

    source: Source
    request: Request
    execute: Executor
    cache: TextCache | None
    text: str = ""
    used: set[str] = field(default_factory=set)
    left_out: list[str] = field(default_factory=list)

    def ask(self, metrics: Sequence[MetricSpec] | str, **more: Any) -> pd.DataFrame:
        """The metrics' values, by those of the roles that mean something to them; `more` are fields of the request."""
        requested = requested_metrics(metrics, catalogue(), self.request.preset)
        roles = self.roles_of(requested)
        relations = {name for one in requested for name in one.metric.relations}
        self.used |= {*roles, *relations}
        request = replace(
            self.request,
            metrics=metrics,
            roles=roles,
            relations={name: one for name, one in self.request.relations.items() if name in relations},
            **{"by": None, "min_rows": None, "comparison": None, "intervals": IntervalOptions(), **more},
        )
        answer = evaluate_source(self.source, request, cache=self.cache, execute=self.execute)
        self.left_out += [one for one in answer.plan.left_out if one not in self.left_out]
        return answer.result

    def roles_of(self, requested: Sequence[Requested]) -> dict[str, Any]:
        """Those of the roles that one of the metrics takes."""
        known = {role for one in requested for role in one.metric.roles()}
        # What takes no weight is not told without it, beside others that take it: the planner says so.
        known |= {"weight" for one in requested if one.metric.no_weight}
        return {role: value for role, value in self.request.roles.items() if role in known}


def run_once(execute: Executor) -> Executor:
    """Of data that are open every statement is run once: several tables ask for the same looks at their values."""
    answers: dict[str, pd.DataFrame] = {}

    def answer(source: Source, sql: str) -> pd.DataFrame:
        if sql not in answers:
            answers[sql] = execute(source, sql)
        return answers[sql].copy()

    return answer
