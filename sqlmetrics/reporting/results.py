"""The numbers of a page, computed by the statements of `evaluate` and `compare`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..catalogue.registry import catalogue
from ..errors import BadData, BadParameter
from ..planning.metric_spec import metric_specs
from ..planning.plan import Requested
from ..planning.planner import requested_metrics
from ..request import ComparisonOptions
from . import charts
from .cells import loss_between, to_records
from .context import ReportContext, Task, add_columns, rows_compared, slice_name
from .labels import text_of


@dataclass(frozen=True)
class Results:
    """The scorecard, its slices, and the comparison of the models in both."""

    requested: Sequence[Requested]
    #: The metric by which slices are compared: the first with an interval or, without intervals, the first.
    first: Requested | None
    overall: pd.DataFrame
    by_slices: pd.DataFrame
    #: The difference of each model from the baseline, by metric.
    compared: pd.DataFrame | None
    #: The difference in the first metric, by slice.
    compared_slices: pd.DataFrame | None

    @property
    def models(self) -> list[str]:
        """The names of several models."""
        return [text_of(name) for name in self.overall["model"]] if "model" in self.overall.columns else []

    @property
    def columns(self) -> list[tuple[Requested, str]]:
        """The columns of each metric."""
        return [(requested, name) for requested in self.requested for name in requested.columns.values()]

    @property
    def baseline(self) -> str:
        """The model that the others are compared with."""
        return "" if self.compared is None else text_of(self.compared["baseline"].iloc[0])

    def impacts(self, rows: pd.DataFrame) -> list[float | None] | None:
        """Return how much each slice harms the first metric, as its share of the rows times its loss.

        The loss of a model is that from the baseline in the same slice; of a single model, that from all rows.
        """
        first = self.first
        if first is None or first.metric.direction is None:
            return None
        direction, whole = first.metric.direction, {row.get("model"): row for row in to_records(self.overall)}
        impacts: list[float | None] = []
        for row in to_records(rows):
            all_rows = whole[row.get("model")]
            value, other = row.get("value"), row.get("baseline_value")
            if "baseline_value" not in row:
                value, other = row[first.name], all_rows[first.name]
            loss = loss_between(value, other, direction)
            impacts.append(None if loss is None else loss * row["n"] / all_rows["n"])
        return impacts


def is_single(requested: Requested) -> bool:
    """Whether a metric is one number."""
    return requested.metric.name in requested.columns


def is_drawn_by_slice(requested: Requested, first: Requested | None) -> bool:
    """Whether slices show a metric: intervals take most of the time of a page."""
    return requested is first or (requested.metric.name == "copc" and not requested.metric.no_interval)


class Evaluation:
    """Computes the numbers of the page."""

    def __init__(self, log: ReportContext, task: Task) -> None:
        chosen = task.metrics(log.request.relations) if log.request.metrics is None else log.request.metrics
        self.log = log
        self.requested = requested_metrics(chosen, catalogue(), log.request.preset)
        tables = [entry.name for entry in self.requested if entry.metric.table]
        if tables:
            raise BadParameter(f"metrics: {tables[0]} is a table; the scorecard has single numbers")
        #: The metrics as the caller wrote them.
        self.specs = {entry.name: spec for entry, spec in zip(self.requested, metric_specs(chosen), strict=True)}

    def run(self, groupings: Sequence[Sequence[Any]]) -> Results:
        """Return the metrics over all rows, the metrics by groupings, and the comparison of models.

        Intervals are nearly all of the run time of a page, and a comparison has values and intervals of each model.
        If all models have a score in every row, these equal the results of `evaluate`, so all rows are read once.
        Without clusters, metrics with score buckets have no intervals there, and are evaluated again.
        """
        scores = self.log.request.roles.get("score")
        scores = list(scores) if isinstance(scores, list | tuple) else [scores]
        single = [entry for entry in self.requested if is_single(entry) and not entry.metric.no_interval]
        compared = self._compare(single) if single and len(scores) > 1 else None
        if compared is None or self.log.dropped_rows:
            overall = self._evaluate(self.requested)
        else:
            names = [slice_name(score) for score in scores]
            by_model = {row["model"]: row for row in rows_compared(compared)}
            overall = pd.DataFrame([by_model[name] for name in names]).dropna(axis=1, how="all")
            overall.attrs = {"slices": ["model"], "metrics": compared.attrs["metrics"]}
            others = [entry for entry in self.requested if f"{entry.name}_low" not in overall.columns]
            if others:
                add_columns(overall, to_records(self._evaluate(others)))
        if not overall["n"].sum():
            raise BadData("data: there is no row to report on")
        comparison = self.log.request.comparison
        if comparison is not None and comparison.baseline is not None and "model" not in overall.columns:
            raise BadParameter("baseline: a single score has no other score to compare with")
        first = next((entry for entry in [*single, *self.requested] if is_single(entry)), None)
        by_slices, compared_slices = overall, None
        if groupings:
            by_slices, compared_slices = self._by_slices(groupings, first, compared is not None)
        return Results(self.requested, first, overall, by_slices, compared, compared_slices)

    def _by_slices(
        self, groupings: Sequence[Sequence[Any]], first: Requested | None, compares: bool
    ) -> tuple[pd.DataFrame, pd.DataFrame | None]:
        """Return the metrics that the page draws by groupings, and the comparison of the first, in one statement.

        If models lack scores in different rows, the values of each are evaluated over all of its rows.
        """
        drawn = [entry for entry in self.requested if is_drawn_by_slice(entry, first)] or self.requested
        if not compares or first is None:
            return self._evaluate(drawn, groupings), None
        compared = self._compare(drawn, groupings)
        if self.log.dropped_rows:
            values = self._evaluate(drawn, groupings)
        else:
            values = pd.DataFrame(rows_compared(compared))
            values.attrs = {"slices": compared.attrs["slices"], "metrics": compared.attrs["metrics"]}
        return values, charts.rows_of_metric(compared, first.name)

    def _evaluate(self, metrics: Sequence[Requested], by: Any = None) -> pd.DataFrame:
        """Evaluate metrics, with the intervals of those that have them."""
        estimated = [entry for entry in metrics if not entry.metric.no_interval]
        if len(estimated) == len(metrics):
            return self._estimate(metrics, by)
        result = self.log.evaluate([self.specs[entry.name] for entry in metrics], by=by)
        if estimated:
            add_columns(result, to_records(self._estimate(estimated, by)))
        return result

    def _compare(self, metrics: Sequence[Requested], by: Any = None) -> pd.DataFrame:
        comparison = replace(self.log.request.comparison or ComparisonOptions(), own_intervals=True)
        return self._estimate(metrics, by, comparison)

    def _estimate(
        self, metrics: Sequence[Requested], by: Any, comparison: ComparisonOptions | None = None
    ) -> pd.DataFrame:
        specs, intervals = [self.specs[entry.name] for entry in metrics], self.log.request.intervals
        return self.log.evaluate(specs, by=by, comparison=comparison, intervals=intervals)
