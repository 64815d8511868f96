"""The data of a report, and the request that all its calls share."""

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
    """The open source, and the request whose roles, condition and preset all calls share."""

    source: Source
    request: Request
    execute: Executor
    cache: TextCache | None
    text: str = ""
    used: set[str] = field(default_factory=set)
    dropped_rows: list[str] = field(default_factory=list)

    def evaluate(self, metrics: Sequence[MetricSpec] | str, **more: Any) -> pd.DataFrame:
        """Evaluate metrics with the roles that they accept; `more` are fields of the request."""
        requested = requested_metrics(metrics, catalogue(), self.request.preset)
        roles = self.roles_of(requested)
        relations = {name for entry in requested for name in entry.metric.relations}
        self.used |= {*roles, *relations}
        request = replace(
            self.request,
            metrics=metrics,
            roles=roles,
            relations={name: relation for name, relation in self.request.relations.items() if name in relations},
            **{"by": None, "min_rows": None, "comparison": None, "intervals": IntervalOptions(), **more},
        )
        evaluation = evaluate_source(self.source, request, cache=self.cache, execute=self.execute)
        self.dropped_rows += [text for text in evaluation.dropped_rows if text not in self.dropped_rows]
        result: pd.DataFrame = evaluation.result
        return result

    def roles_of(self, requested: Sequence[Requested]) -> dict[str, Any]:
        """Return the roles that at least one metric accepts."""
        accepted = {role for entry in requested for role in entry.metric.roles()}
        # Keep the weight for metrics without weights, too: the planner reports the mixture.
        accepted |= {"weight" for entry in requested if entry.metric.no_weight}
        return {role: value for role, value in self.request.roles.items() if role in accepted}


def run_once(execute: Executor) -> Executor:
    """Return an executor that runs each statement once: several tables need the same checks of values."""
    results: dict[tuple[bool, str], Any] = {}

    def cached(source: Source, sql: str) -> Any:
        key = (source.as_frames, sql)
        if key not in results:
            results[key] = execute(source, sql)
        return results[key].copy() if source.as_frames else results[key]

    return cached
