"""The data of a report: the request that all its calls share, and the task that its columns permit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from ..catalogue.registry import catalogue
from ..errors import BadData, BadParameter
from ..expressions import Column, Sql
from ..inputs.source import Executor, Source
from ..planning.metric_spec import MetricSpec
from ..planning.plan import Requested
from ..planning.planner import requested_metrics
from ..request import IntervalOptions, Request
from ..running.evaluate import TextCache, describe_values, evaluate_source
from .cells import to_records

_BINARY = ("auc", "average_precision")
_PROBABILITY = ("log_loss", "normalized_entropy", "brier", "copc", "ece")
_RANKING = ("ndcg@10", "map", "mrr")
_NUMBER = ("mae", "rmse", "mean_error", "r2")
_CLASSES = ("micro_f1", "macro_f1", "multi_balanced_accuracy", "macro_precision", "macro_recall", "multi_mcc")


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


@dataclass(frozen=True)
class Task:
    """What the models of a log predict; the page has a part for each."""

    binary: bool = False
    #: The score is a probability.
    probability: bool = False
    #: There are lists of items with labels.
    ranking: bool = False
    #: There are lists of items with ids.
    lists: bool = False
    number: bool = False
    classes: bool = False
    #: The rows read, where a statement counts them.
    row_count: int | None = None

    def metrics(self, relations: Collection[str]) -> list[MetricSpec]:
        """Return the default metrics of the scorecard."""
        chosen: list[MetricSpec] = []
        if self.binary:
            chosen += [*_BINARY, *(["gauc"] if self.ranking else []), *(_PROBABILITY if self.probability else ())]
        if self.ranking:
            chosen += _RANKING
        if self.lists and not self.ranking:
            chosen += [{"name": name, "k": 10} for name in exposure_metrics(relations)]
        return chosen or [*(_CLASSES if self.classes else _NUMBER)]


def exposure_metrics(relations: Collection[str]) -> list[str]:
    """Return the metrics of recommended items; coverage and the Gini coefficient need the catalogue of items."""
    return [*(["coverage", "gini_exposure"] if "catalog" in relations else []), "exposure_entropy"]


def task_of(log: ReportContext) -> Task:
    """Return the task by the roles and the values of the columns."""
    roles, relations = log.request.roles, log.request.relations
    ordered = {"score", "rank"} & set(roles)
    lists = {"group", "item"} <= set(roles)
    if not ({"label", "positives"} & set(roles) or "judgments" in relations):
        if lists and ordered:
            return Task(lists=True)
        raise BadParameter("label: a report needs labels, as in ⟨label⟩='clicked'")
    if not ordered:
        if {"label", "prediction"} <= set(roles):
            return Task(classes=True)
        raise BadParameter("score: a report needs a prediction, as in ⟨score⟩='pctr'")
    if "judgments" in relations:
        return Task(ranking=True, lists=lists)
    reading = "auc" if "score" in roles else "mrr"
    ranking = "group" in roles and "positives" not in roles
    if reading == "mrr" and not ranking:
        raise BadParameter("group: a report over ranks needs the lists of these ranks, as in ⟨group⟩='query'")
    requested = requested_metrics(reading, catalogue())
    looked_at = Request(reading, log.roles_of(requested), where=log.request.where)
    values = describe_values(log.source, looked_at, log.cache, log.execute)
    if not values["row_count"]:
        raise BadData("data: there is no row to report on")
    binary = not values["graded"] and "score" in roles
    ranking = ranking and not values["negative"]
    return Task(
        binary=binary,
        probability=binary and not values["unbounded"],
        ranking=ranking,
        lists=ranking and lists,
        number=not binary and not ranking,
        row_count=values["row_count"],
    )
