"""The data of a report, and the request that all its calls share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from ..catalogue.registry import catalogue
from ..expressions import Column, Sql
from ..inputs.source import Executor, Source
from ..planning.metric_spec import MetricSpec
from ..planning.plan import Requested
from ..planning.planner import requested_metrics
from ..request import IntervalOptions, Request
from ..running.evaluate import TextCache, evaluate_source
from .cells import to_records


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


def add_columns(values: pd.DataFrame, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add missing columns from rows of the same slices and models; calls for other metrics may have fewer slices."""
    keys = [name for name in ("grouping", *map(str, values.attrs["slices"])) if name in values.columns]
    by_key = {tuple(row[key] for key in keys): row for row in rows}
    matching = [by_key.get(tuple(row[key] for key in keys), {}) for row in to_records(values)]
    for name in [name for name in (rows[0] if rows else ()) if name not in values.columns]:
        values[name] = pd.array([row.get(name) for row in matching], dtype="Float64")


def rows_compared(compared: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the values and intervals of a comparison in the form of `evaluate`: a row for each slice and model."""
    keys = [str(key) for key in ("grouping", *compared.attrs["slices"]) if key in compared.columns and key != "model"]
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in to_records(compared):
        identity = {key: row[key] for key in keys}
        for model, value in ((row["baseline"], "baseline_value"), (row["model"], "value")):
            values = rows.setdefault((*identity.values(), model), {**identity, "model": model, "n": row["n"]})
            values |= {f"{row['metric']}{end}": row[f"{value}{end}"] for end in ("", "_low", "_high")}
    return list(rows.values())


def slice_name(entry: Any) -> str:
    """Return the name of a slice column, or of a score, in the result."""
    if isinstance(entry, Column):
        return entry.name
    text = entry.text if isinstance(entry, Sql) else str(entry)
    name, _, meant = text.partition("=")
    return name.strip() or meant.strip()
