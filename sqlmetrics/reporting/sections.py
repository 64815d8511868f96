"""The sections of a report: scorecard, curves, calibration, lift, ranking, slices."""

from __future__ import annotations

import datetime
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from ..catalogue.registry import catalogue
from ..errors import BadData, BadParameter
from ..expressions import Column, Sql
from ..planning.metric_spec import MetricSpec, metric_specs
from ..planning.plan import Requested
from ..planning.planner import requested_metrics
from ..request import ComparisonOptions, Request
from ..running.evaluate import describe_values
from ..tables import table_of
from ..version import installed_version
from . import charts
from .cells import (
    Cell,
    Figure,
    Section,
    TableBlock,
    best_positions,
    describe_loss,
    difference_cell,
    loss_cell,
    number_cell,
    probability_cell,
    table_block,
    to_loss,
    to_records,
    value_cell,
)
from .charts import by_slices
from .context import ReportContext, add_compared_intervals, slice_name, values_compared
from .labels import is_time, slice_texts, text_of
from .svg import Chart

#: The default metrics of the scorecard, by the values of the columns.
_BINARY = ("auc", "average_precision")
_PROBABILITY = ("log_loss", "normalized_entropy", "brier", "copc", "ece")
_RANKING = ("ndcg@10", "map", "mrr")
_NUMBER = ("mae", "rmse", "mean_error", "r2")
#: The depths of the NDCG curve.
_DEPTHS = (1, 2, 3, 5, 10, 20)
_CURVE = "roc_curve(points=100)"
_BINS = "calibration_curve(bins=10, binning='mass')"
_LIFT = "lift_table(bins=10)"
_HISTOGRAM = "score_histogram(bins=20)"
#: The page shows at most so many slices, those with the greatest loss.
_MOST_SLICES = 100


class PageSections:
    """The sections of one report."""

    def __init__(self, log: ReportContext, groupings: list[list[Any]]) -> None:
        request = log.request
        self.log = log
        self.groupings = groupings
        self.min_rows = request.min_rows
        self.baseline = request.comparison.baseline if request.comparison is not None else None
        self.intervals = request.intervals
        self.figures = 0
        self.row_count: int | None = None
        self.binary, self.probability, self.ranking = self._column_properties(request.roles, request.relations)
        chosen = self._default_metrics() if request.metrics is None else request.metrics
        self.specs = metric_specs(chosen)
        self.requested = requested_metrics(chosen, catalogue(), request.preset)
        tables = [requested.name for requested in self.requested if requested.metric.table]
        if tables:
            raise BadParameter(f"metrics: {tables[0]} is a table; the scorecard has single numbers")
        self.requested_by_spec = {
            str(spec): requested for spec, requested in zip(self.specs, self.requested, strict=True)
        }
        self.with_interval = [requested for requested in self.requested if not requested.metric.no_interval]
        self.first = next((requested for requested in self.with_interval if _is_single(requested)), None)
        #: The comparison of the first metric in every slice.
        self.compared_slices: pd.DataFrame | None = None

    def _column_properties(self, roles: Mapping[str, Any], relations: Collection[str]) -> tuple[bool, bool, bool]:
        """Return whether labels are binary, scores are probabilities, and the data have lists to rank."""
        log = self.log
        if not ({"label", "positives"} & set(roles) or "judgments" in relations):
            raise BadParameter("label: a report needs labels, as in ⟨label⟩='clicked'")
        if "prediction" in roles and not {"score", "rank"} & set(roles):
            raise BadParameter(
                "prediction: a report needs scores and does not support predicted classes; use the metrics "
                "class_report and class_confusion, or pass a score, as in ⟨score⟩='pctr'"
            )
        if not {"score", "rank"} & set(roles):
            raise BadParameter("score: a report needs a prediction, as in ⟨score⟩='pctr'")
        ranking = "group" in roles and "positives" not in roles
        if "judgments" in relations:
            return False, False, True
        reading = "auc" if "score" in roles else "mrr"
        if reading == "mrr" and not ranking:
            raise BadParameter("group: a report over ranks needs the lists of these ranks, as in ⟨group⟩='query'")
        requested = requested_metrics(reading, catalogue())
        looked_at = Request(reading, log.roles_of(requested), where=log.request.where)
        properties = describe_values(log.source, looked_at, log.cache, log.execute)
        if not properties["row_count"]:
            raise BadData("data: there is no row to report on")
        self.row_count = properties["row_count"]
        binary = not properties["graded"] and "score" in roles
        return binary, binary and not properties["unbounded"], ranking and not properties["negative"]

    def _default_metrics(self) -> list[MetricSpec]:
        chosen: list[MetricSpec] = []
        if self.binary:
            chosen += _BINARY
            chosen += ["gauc"] if self.ranking else []
            chosen += _PROBABILITY if self.probability else ()
        if self.ranking:
            chosen += _RANKING
        return chosen or [*_NUMBER]

    def sections(self, command: str) -> list[Section]:
        """Return the sections of the page."""
        overall, values, compared = self._evaluate_all()
        if not overall["n"].sum():
            raise BadData("data: there is no row to report on")
        if self.baseline is not None and "model" not in overall.columns:
            raise BadParameter("baseline: a single score has no other score to compare with")
        sections = [self._scorecard(overall, compared)]
        counts: list[tuple[str, Cell]] = []
        if self.binary:
            curve = self.log.evaluate(_CURVE, intervals=self.intervals)
            counts += _counts_of(curve)
            sections.append(self._curves(curve))
        if self.probability:
            sections.append(self._calibration())
        if self.binary:
            sections += [self._lift(), self._scores()]
        if self.ranking:
            depths = self._depths()
            skipped = depths["groups_skipped"].iloc[0]
            counts += [
                ("groups", number_cell(depths["groups"].iloc[0])),
                ("groups skipped", number_cell(skipped, note="nothing relevant is in them" if skipped else "")),
            ]
            sections.append(self._ranking(depths))
        if self.groupings:
            sections.append(self._slices(values, overall))
        return [self._evaluation(values, overall, counts, command), *sections]

    # ---- what was evaluated, and the scorecard

    def _evaluate(
        self, specs: Sequence[MetricSpec], by: Any, interval_specs: Sequence[MetricSpec] | None = None
    ) -> pd.DataFrame:
        """Evaluate metrics by groupings, with intervals for `interval_specs`, by default all that have them."""
        if interval_specs is None:
            interval_specs = [spec for spec in specs if self.requested_by_spec[str(spec)] in self.with_interval]
        if len(interval_specs) == len(specs):
            return self.log.evaluate(specs, by=by, intervals=self.intervals)
        bare = self.log.evaluate(specs, by=by)
        if interval_specs:
            interval_values = self.log.evaluate(interval_specs, by=by, intervals=self.intervals)
            for name in interval_values.columns:
                if name not in bare.columns:
                    bare[name] = interval_values[name]
        return bare

    def _evaluate_all(self) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame | None]:
        """Return the metrics over all rows, the metrics by groupings, and the comparison of models.

        Intervals are nearly all of the run time of a page, and a comparison has values and intervals of each model.
        If all models have a score in every row, these equal the results of `evaluate`, so all rows are read once.
        Without clusters, metrics with score buckets have no intervals there, and are evaluated again.
        """
        with_interval = [spec for spec in self.specs if self.requested_by_spec[str(spec)] in self.with_interval]
        compared_specs = [spec for spec in with_interval if _is_single(self.requested_by_spec[str(spec)])]
        scores = self.log.request.roles.get("score")
        scores = list(scores) if isinstance(scores, list | tuple) else [scores]
        compared = self._compare(compared_specs, own_intervals=True) if len(scores) > 1 else None
        if compared is None or self.log.dropped_rows:
            overall = self._evaluate(self.specs, None)
        else:
            overall = values_compared(compared, [slice_name(score) for score in scores])
            available = [name for name in overall.columns if overall[name].notna().any()]
            others = [spec for spec in self.specs if f"{self.requested_by_spec[str(spec)].name}_low" not in available]
            if others:
                bare = self._evaluate(others, None)
                for name in [name for name in bare.columns if name not in available]:
                    overall[name] = bare[name]
        return overall, self._evaluate_slices(compared is not None) if self.groupings else overall, compared

    def _evaluate_slices(self, compares: bool) -> pd.DataFrame:
        """Return the metrics by groupings, with intervals of those that the page draws: they take most of its time.

        If all models have a score in every row, those of the first metric are in its comparison.
        """
        drawn = [spec for spec in self.specs if self._is_drawn_by_slice(self.requested_by_spec[str(spec)])]
        if not compares or self.first is None:
            return self._evaluate(self.specs, self.groupings, drawn)
        first = self.specs[self.requested.index(self.first)]
        self.compared_slices = self._compare([first], by=self.groupings, own_intervals=True)
        if self.compared_slices is None or self.log.dropped_rows:
            return self._evaluate(self.specs, self.groupings, drawn)
        values = self._evaluate(self.specs, self.groupings, [spec for spec in drawn if spec is not first])
        add_compared_intervals(values, self.compared_slices, self.first.name)
        return values

    def _is_drawn_by_slice(self, requested: Requested) -> bool:
        return requested in self.with_interval and (requested is self.first or requested.metric.name == "copc")

    def _evaluation(
        self, values: pd.DataFrame, overall: pd.DataFrame, counts: list[tuple[str, Cell]], command: str
    ) -> Section:
        rows = [("data", Cell(self.log.text))]
        rows += [*self._rows_of_models(overall), *counts]
        for name in [str(name) for name in values.attrs["slices"]]:
            times = [
                value for value in values[name].tolist() if isinstance(value, datetime.date) and not pd.isna(value)
            ]
            if times:
                [[first], [last]] = table_of(pd.DataFrame({name: [min(times), max(times)]})).rows
                rows.append((f"{name} from, to", Cell(f"{text_of(first)}, {text_of(last)}")))
        rows += [(role, Cell(_expression_text(value))) for role, value in self.log.request.roles.items()]
        rows += [("where", Cell(self.log.request.where))] if self.log.request.where else []
        sure, cluster = f"{100 * self.intervals.confidence:g}%", self.intervals.cluster
        rows.append(("intervals", Cell(f"{sure}, by {_expression_text(cluster)}" if cluster is not None else sure)))
        rows.append(("command", Cell(command, code=True)))
        rows.append(("made with", Cell(f"sqlmetrics {installed_version()}")))
        grid = TableBlock(
            "Data, roles and rows",
            ["", ""],
            [[Cell(name), replace(cell, number=False)] for name, cell in rows],
            form="facts",
        )
        return Section("evaluated", "What was evaluated", grids=[grid])

    def _rows_of_models(self, overall: pd.DataFrame) -> list[tuple[str, Cell]]:
        """Return the rows read, used and dropped, for each model if models lack different values."""
        counts = overall["n"].astype(int).tolist()
        models = self._models(overall) if len(set(counts)) > 1 else [""]
        rows = [("rows read", number_cell(self.row_count))] if self.row_count is not None else []
        # A pre-aggregated row represents several rows, which are used or dropped together.
        used = "rows they stand for" if "total" in self.log.request.roles else "rows used"
        names = [f" ({model})" if model else "" for model in models]
        rows += [(f"{used}{name}", number_cell(count)) for name, count in zip(names, counts, strict=False)]
        for model, name, count in zip(models, names, counts, strict=False):
            missing = [
                text
                for text in self.log.dropped_rows
                if not model or not text.startswith("score") or repr(model) in text
            ]
            reason = f"a value is NULL or NaN: {', '.join(missing)}" if missing else ""
            if "total" in self.log.request.roles and reason:
                rows.append((f"rows dropped{name}", Cell("some", note=reason)))
            elif "total" not in self.log.request.roles and self.row_count is not None and self.row_count > count:
                rows.append((f"rows dropped{name}", number_cell(self.row_count - count, note=reason)))
        return rows

    def _scorecard(self, overall: pd.DataFrame, compared: pd.DataFrame | None) -> Section:
        models = self._models(overall)
        rows = []
        for requested in self.requested:
            for name in requested.columns.values():
                cells = [value_cell(row, name) for row in to_records(overall)]
                if len(models) > 1 and list(requested.columns.values()) == [requested.name]:
                    best = best_positions(requested, [row[name] for row in to_records(overall)])
                    cells = [replace(cell, best=position in best) for position, cell in enumerate(cells)]
                rows.append([Cell(name, note=requested.metric.title), *cells])
        text = ["The interval of a value stands with it, in brackets."] if self.with_interval else []
        grids = [TableBlock("Metrics over all rows", ["metric", *(models or ["value"])], rows)]
        if len(models) > 1:
            text.append("The best value of a row is marked; whether that is more than chance, the next table says.")
            if compared is not None:
                grids.append(self._comparison_grid(compared))
        return Section("scorecard", "Scorecard", text, grids)

    def _models(self, overall: pd.DataFrame) -> list[str]:
        return [text_of(name) for name in overall["model"]] if "model" in overall.columns else []

    def _compare(self, specs: Sequence[MetricSpec], by: Any = None, own_intervals: bool = False) -> pd.DataFrame | None:
        if not specs:
            return None
        comparison = ComparisonOptions(baseline=self.baseline, own_intervals=own_intervals)
        return self.log.evaluate(specs, by=by, comparison=comparison, intervals=self.intervals)

    def _comparison_grid(self, compared: pd.DataFrame) -> TableBlock:
        rows = [
            [Cell(str(row["metric"])), Cell(text_of(row["model"])), difference_cell(row),
             probability_cell(row["p_adjusted"]), Cell(row["verdict"] or "nothing can be said")]
            for row in to_records(compared)
        ]  # fmt: skip
        caption = f"Differences from the baseline {text_of(compared['baseline'].iloc[0])}"
        return TableBlock(caption, ["metric", "model", "difference", "p adjusted", "verdict"], rows, keys=2)

    # ---- curves

    def _figure(self, chart: Chart, keys: int = 1, slices: int = 0) -> Figure:
        self.figures += 1
        return Figure(
            chart, self.figures, table_block(f"Table of the picture: {chart.title}", chart.table, keys, slices)
        )

    def _curves(self, curve: pd.DataFrame) -> Section:
        keys = list(curve.attrs["slices"])
        text = ["How well the score puts positives above negatives. A band is the interval at each point by itself."]
        return Section("order", "Order", text, figures=[
            self._figure(charts.roc(curve, keys), len(keys) + 1), self._figure(charts.pr(curve, keys), len(keys) + 1)
        ])  # fmt: skip

    def _calibration(self) -> Section:
        bins = self.log.evaluate(_BINS, intervals=self.intervals)
        keys = list(bins.attrs["slices"])
        text = [
            "Whether positives come as often as predicted, in ten bins of equally many rows, each with its interval."
        ]
        return Section("calibration", "Calibration", text, figures=[
            self._figure(charts.calibration(bins, keys), len(keys) + 1),
            self._figure(charts.copc_by_score(bins, keys), len(keys) + 1),
        ])  # fmt: skip

    def _lift(self) -> Section:
        table = self.log.evaluate(_LIFT)
        keys = list(table.attrs["slices"])
        text = ["What is gained by taking only the highest scores."]
        return Section("lift", "Lift", text, figures=[self._figure(charts.lift(table, keys), len(keys) + 1)])

    def _scores(self) -> Section:
        table = self.log.evaluate(_HISTOGRAM)
        figures = []
        for model in self._models(table.drop_duplicates("model")) if "model" in table.columns else [""]:
            rows = table[table["model"].map(text_of) == model].drop(columns="model") if model else table
            rows = rows.reset_index(drop=True)
            rows.attrs["slices"] = []
            chart = charts.histogram(rows, [])
            figures.append(self._figure(replace(chart, title=f"{chart.title}: {model}") if model else chart))
        text = ["Which scores the positives have, and which the negatives, each as shares of their class."]
        return Section("scores", "Scores", text, figures=figures)

    # ---- ranking

    def _depths(self) -> pd.DataFrame:
        depths = [{"name": "ndcg", "k": k, "as": f"ndcg_at_{k}"} for k in _DEPTHS]
        return self.log.evaluate(depths, diagnostics=True, intervals=self.intervals)

    def _ranking(self, depths: pd.DataFrame) -> Section:
        keys = list(depths.attrs["slices"])
        long = pd.DataFrame([
            {**{key: row[key] for key in keys}, "k": k, "ndcg": row[f"ndcg_at_{k}"],
             "ndcg_low": row[f"ndcg_at_{k}_low"], "ndcg_high": row[f"ndcg_at_{k}_high"]}
            for row in to_records(depths) for k in _DEPTHS
        ])  # fmt: skip
        long.attrs["slices"] = keys
        text = ["Whether the right items are on top of the lists."]
        return Section("ranking", "Ranking", text, figures=[self._figure(charts.depths(long, keys), len(keys) + 1)])

    # ---- slices

    def _slices(self, values: pd.DataFrame, overall: pd.DataFrame) -> Section:
        text = [describe_loss(self.first)] if self.first is not None else []
        names = [requested.name for requested in self.requested if self._is_drawn_by_slice(requested)]
        text += [f"Intervals stand with {' and '.join(names)}."] if names else []
        parts = []
        for number, grouping in enumerate(self.groupings, 1):
            slice_columns = [slice_name(entry) for entry in grouping]
            label = ", ".join(slice_columns)
            rows = values[values["grouping"] == label]
            parts.append(self._slice_part(number, label, slice_columns, rows, overall, self.compared_slices))
        return Section("slices", "Slices", text, parts=parts)

    def _slice_part(
        self,
        number: int,
        grouping: str,
        slice_columns: list[str],
        rows: pd.DataFrame,
        overall: pd.DataFrame,
        compared: pd.DataFrame | None,
    ) -> Section:
        model = ["model"] if "model" in rows.columns else []
        text = []
        if self.min_rows is not None:
            few = int((rows["n"] < self.min_rows).sum())
            rows = rows[rows["n"] >= self.min_rows]
            text += [f"Left out for fewer than {self.min_rows:,} rows: {few:,}."] if few else []
        rows = rows.reset_index(drop=True)
        rows.attrs["slices"] = [*slice_columns, *model]
        losses = self._slice_impacts(rows, overall)
        over_time = len(slice_columns) == 1 and is_time(rows[slice_columns[0]])
        order = list(range(len(rows)))
        slices = slice_texts(rows, slice_columns)
        if losses is not None and not over_time:
            worst: dict[str, float] = {}
            for name, loss in zip(slices, losses, strict=True):
                worst[name] = max(worst.get(name, -math.inf), -math.inf if loss is None else loss)
            order.sort(key=lambda row: -worst[slices[row]])
        shown = list(dict.fromkeys(slices[row] for row in order))
        if len(shown) > _MOST_SLICES:
            shown_slices = set(shown[:_MOST_SLICES])
            order = [row for row in order if slices[row] in shown_slices]
            text.append(f"{len(shown) - _MOST_SLICES:,} more slices are not shown.")
        verdicts = self._verdicts(compared, grouping, slice_columns)
        columns = [*slice_columns, *model, "n", *(["loss"] if losses is not None else [])]
        names = [name for requested in self.requested for name in requested.columns.values()]
        if self.first is not None:
            first = self.first.name
            names.sort(key=lambda name: name != first)
        # The metric of the loss and the verdict is next to them; the other metrics follow.
        columns += [*names[:1], *(["difference", "verdict"] if verdicts else []), *names[1:]]
        keys = slice_texts(rows, [*slice_columns, *model])
        grid_rows = []
        records = to_records(rows)
        largest = max((abs(loss) for loss in losses or () if loss is not None), default=0.0)
        for row in order:
            record = records[row]
            cells = [Cell(text_of(record[name])) for name in [*slice_columns, *model]] + [number_cell(record["n"])]
            cells += [loss_cell(losses[row], largest)] if losses is not None else []
            values = [value_cell(record, name) for name in names]
            compared_cells = verdicts.get(keys[row], [Cell(""), Cell("")]) if verdicts else []
            cells += [*values[:1], *compared_cells, *values[1:]]
            grid_rows.append(cells)
        figures = []
        if len(rows):
            sorted_rows = rows.iloc[order].reset_index(drop=True)
            sorted_rows.attrs["slices"] = [*slice_columns, *model]
            if self.first is not None:
                chart = by_slices(sorted_rows, [*slice_columns, *model], self.first.name)
                figures.append(self._figure(chart, len(slice_columns + model), len(slice_columns + model)))
            copc = [
                requested.name
                for requested in self.requested
                if requested is not self.first and requested.metric.name == "copc"
            ]
            figures += [
                self._figure(
                    by_slices(sorted_rows, [*slice_columns, *model], name, 1),
                    len(slice_columns + model),
                    len(slice_columns + model),
                )
                for name in copc
            ]
        grid = TableBlock(f"Metrics by {grouping}", columns, grid_rows, keys=len(slice_columns + model), form="stacked")
        return Section(f"slices-{number}", f"By {grouping}", text, [grid], figures)

    def _slice_impacts(self, rows: pd.DataFrame, overall: pd.DataFrame) -> list[float | None] | None:
        """Return the loss of each slice against the overall value of the first metric, times its share of the rows."""
        if self.first is None:
            return None
        better = self.first.metric.direction
        if better is None:
            return None
        name, model = self.first.name, "model" in rows.columns
        whole = {row["model"] if model else None: row for row in to_records(overall)}
        losses: list[float | None] = []
        for row in to_records(rows):
            all_rows = whole[row["model"] if model else None]
            value, other = row[name], all_rows[name]
            is_defined = value is not None and other is not None
            losses.append(
                (to_loss(value, better) - to_loss(other, better)) * row["n"] / all_rows["n"] if is_defined else None
            )
        return losses

    def _verdicts(
        self, compared: pd.DataFrame | None, grouping: str, slice_columns: list[str]
    ) -> dict[str, list[Cell]]:
        if compared is None:
            return {}
        rows = compared[compared["grouping"] == grouping].reset_index(drop=True)
        keys = slice_texts(rows, [*slice_columns, "model"])
        return {
            key: [difference_cell(row), Cell(row["verdict"] or "nothing can be said")]
            for key, row in zip(keys, to_records(rows), strict=True)
        }


def _is_single(requested: Requested) -> bool:
    return requested.metric.name in requested.columns


def _counts_of(curve: pd.DataFrame) -> list[tuple[str, Cell]]:
    """Return the positives and negatives from the first row of the curve, which predicts no positives."""
    first = curve.iloc[0]
    return [("positives", number_cell(first["fn"])), ("negatives", number_cell(first["tn"]))]


def _expression_text(value: Any) -> str:
    if isinstance(value, Column):
        return value.name
    if isinstance(value, Sql):
        return f"= {value.text}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_expression_text, value))
    return str(value)
