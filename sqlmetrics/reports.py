"""The page of `report`: what is asked of the metrics, and how their answers become sections.

Every value comes from the metric files, through the same statements as everywhere; here it is only ordered, rounded and
drawn. The words and the form of the page are in `report.html`.
"""

from __future__ import annotations

import base64
import datetime
import functools
import hashlib
import html
import math
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import pandas as pd
from markupsafe import Markup

from . import charts
from .catalogue.registry import catalogue
from .catalogue.vocabulary import RELATIONS, ROLES
from .charts import Chart, by_slices, text_of
from .engines.base import Engine
from .errors import BadData, BadParameter, raised_at_caller
from .expressions import By, Column, Expression, Sql
from .inputs.opening import open_source
from .inputs.source import Executor, Source
from .interrupts import keyboard_interrupts
from .output.files import check_output, write_text
from .output.tables import table_of
from .planning.metric_spec import MetricSpec, metric_specs
from .planning.plan import Requested
from .planning.planner import requested_metrics
from .running.checks import warn_of_missing
from .running.evaluate import TextCache, check_min_rows, evaluate_source, kinds_of_values
from .running.execute import fetch
from .version import installed_version

#: What the scorecard has by default, by what the columns hold.
_BINARY = ("auc", "average_precision")
_PROBABILITY = ("log_loss", "normalized_entropy", "brier", "copc", "ece")
_RANKING = ("ndcg@10", "map", "mrr")
_NUMBER = ("mae", "rmse", "mean_error", "r2")
#: At which depths the curve of NDCG is drawn.
_DEPTHS = (1, 2, 3, 5, 10, 20)
_CURVE = "roc_curve(points=100, spacing='rows')"
_BINS = "calibration_curve(bins=10, binning='mass')"
_LIFT = "lift_table(bins=10)"
_HISTOGRAM = "score_histogram(bins=20)"
#: Of more slices than these a page has those that hurt most.
_MOST_SLICES = 100


@dataclass(frozen=True)
class Report:
    """A page of its own: `html` is its text. It needs no network and no script."""

    html: str = field(repr=False)
    title: str

    @raised_at_caller
    def save(self, path: str | PathLike[str]) -> None:
        """Write the page into a file."""
        if Path(path).suffix.lower() not in (".html", ".htm"):
            raise BadParameter(f"{path}: the ending must be .html")
        check_output(str(path), [])
        write_text(str(path), self.html)

    def _repr_html_(self) -> str:
        """The page in a frame, so that its style stays its own."""
        title, page = html.escape(self.title), html.escape(self.html)
        return f'<iframe title="{title}" width="100%" height="800" srcdoc="{page}"></iframe>'


# ---- what the page is made of ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """What stands in a table: its text, the whole number behind a rounded one, and what is said beside it."""

    text: str
    value: str | None = None
    number: bool = False
    note: str = ""
    best: bool = False
    code: bool = False
    #: The ends of its interval.
    ends: tuple[Cell, Cell] | None = None


@dataclass(frozen=True)
class Grid:
    """A table of the page; the first `keys` cells of a row say what the row is."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    keys: int = 1
    #: What the style sheet knows it by: `facts` are what is said of the data, and in a `stacked` table of many columns
    #: intervals stand below their values.
    form: str = ""

    def has_numbers(self, place: int) -> bool:
        """Whether a column holds numbers, which stand on the right."""
        return any(row[place].number for row in self.rows)


@dataclass(frozen=True)
class Figure:
    """A chart and its table."""

    chart: Chart
    number: int
    grid: Grid


@dataclass(frozen=True)
class Section:
    """A part of the page under a heading."""

    id: str
    title: str
    text: Sequence[str] = ()
    grids: Sequence[Grid] = ()
    figures: Sequence[Figure] = ()
    parts: Sequence[Section] = ()


# ---- asking ----------------------------------------------------------------------------------------------------------


@dataclass
class _Log:
    """The data that are open, and what all questions to it have in common."""

    source: Source
    roles: Mapping[str, Any]
    where: str | None
    preset: str | None
    strict: bool
    execute: Executor
    kept: TextCache | None
    text: str = ""
    used: set[str] = field(default_factory=set)
    left_out: list[str] = field(default_factory=list)

    def ask(self, metrics: Sequence[MetricSpec] | str, **more: Any) -> pd.DataFrame:
        """The metrics' values, by those of the roles that mean something to them."""
        requested = requested_metrics(metrics, catalogue(), self.preset)
        roles = self.roles_of(requested)
        relations = {name for one in requested for name in one.metric.relations}
        self.used |= {*roles, *relations}
        answer = evaluate_source(
            self.source,
            metrics,
            roles,
            where=self.where,
            preset=self.preset,
            strict=self.strict,
            execute=self.execute,
            relations=relations,
            kept=self.kept,
            **more,
        )
        self.left_out += [one for one in answer.plan.left_out if one not in self.left_out]
        return answer.result

    def roles_of(self, requested: Sequence[Requested]) -> dict[str, Any]:
        """Those of the roles that one of the metrics takes."""
        known = {role for one in requested for role in one.metric.roles()}
        # What takes no weight is not told without it, beside others that take it: the planner says so.
        known |= {"weight" for one in requested if one.metric.no_weight}
        return {role: value for role, value in self.roles.items() if role in known}


def _once(execute: Executor) -> Executor:
    """Of data that are open every statement is run once: several tables ask for the same looks at their values."""
    answers: dict[str, pd.DataFrame] = {}

    def answer(source: Source, sql: str) -> pd.DataFrame:
        if sql not in answers:
            answers[sql] = execute(source, sql)
        return answers[sql].copy()

    return answer


@keyboard_interrupts
def build_report(
    data: Any,
    metrics: MetricSpec | Sequence[MetricSpec] | None = None,
    *,
    by: By | None = None,
    where: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    threads: int | None = None,
    memory_limit: str | None = None,
    engine: Engine | str | None = None,
    min_rows: int | None = None,
    baseline: str | None = None,
    confidence: float = 0.95,
    cluster: Expression | None = None,
    strict: bool = False,
    preset: str | None = None,
    execute: Executor = fetch,
    shown_data: Any = None,
    options: Sequence[str] | None = None,
    **columns: Any,
) -> Report:
    """`report`, with the roles and the further relations as `columns`.

    The shell says what it was given as data, and with which options besides, where that is not what is read.
    """
    roles = {role: columns[role] for role in ROLES if columns.get(role) is not None}
    relations = {name: columns[name] for name in RELATIONS if columns.get(name) is not None}
    check_min_rows(min_rows)
    given = {**roles, **relations, "by": by, "where": where, "min_rows": min_rows, "baseline": baseline,
             "confidence": None if confidence == 0.95 else confidence, "cluster": cluster, "preset": preset,
             "strict": strict or None, "engine": engine if isinstance(engine, str) else None}  # fmt: skip
    elsewhere = con is not None or (engine is not None and not isinstance(engine, str))
    command = _command(data if shown_data is None else shown_data, metrics, given, elsewhere, options)
    with open_source(data, con, relations, threads, memory_limit, engine) as source:
        kept = TextCache() if con is None and engine is None else None
        log = _Log(source, roles, where, preset, strict, _once(execute), kept)
        log.text = _data_text(shown_data, source)
        page = _Page(log, metrics, _groupings(by), min_rows, baseline, confidence, cluster, relations)
        sections = page.sections(command)
    unused = [name for name in [*roles, *relations] if name not in log.used]
    if unused:
        raise BadParameter(f"{unused[0]} has no meaning for any part of this report: leave it out")
    warn_of_missing(log.left_out)
    title = f"Evaluation of {_data_text(shown_data, source)}"
    return Report(_template().render(title=title, sections=sections, **_style()), title)


def _groupings(by: Any) -> list[list[Any]]:
    """Each slice column by itself; a list of lists says what belongs together."""
    if by is None:
        return []
    if isinstance(by, str | Column | Sql):
        return [[by]]
    if not isinstance(by, list | tuple):
        raise BadParameter(f"by must be a column, a list of columns or a list of such lists, not {type(by).__name__}")
    if any(isinstance(one, list | tuple) for one in by):
        if not all(isinstance(one, list | tuple) for one in by):
            raise BadParameter("by is a list of columns, or a list of such lists; not a mixture")
        return [list(one) for one in by if one]
    return [[one] for one in by]


class _Page:
    """The sections of one report."""

    def __init__(
        self,
        log: _Log,
        metrics: MetricSpec | Sequence[MetricSpec] | None,
        groupings: list[list[Any]],
        min_rows: int | None,
        baseline: str | None,
        confidence: float,
        cluster: Expression | None,
        relations: Collection[str],
    ) -> None:
        self.log = log
        self.groupings = groupings
        self.min_rows = min_rows
        self.baseline = baseline
        self.confidence = confidence
        self.cluster = cluster
        self.sure: dict[str, Any] = {"confidence": confidence, "cluster": cluster}
        self.figures = 0
        roles = log.roles
        self.row_count: int | None = None
        self.binary, self.probability, self.ranking = self._kinds(roles, relations)
        chosen = self._chosen() if metrics is None else metrics
        self.specs = metric_specs(chosen)
        self.requested = requested_metrics(chosen, catalogue(), log.preset)
        tables = [one.name for one in self.requested if one.metric.table]
        if tables:
            raise BadParameter(f"metrics: {tables[0]} is a table; the scorecard has single numbers")
        self.meant = {str(spec): one for spec, one in zip(self.specs, self.requested, strict=True)}
        self.certain = [one for one in self.requested if not one.metric.no_interval]
        self.first = next((one for one in self.certain if _is_single(one)), None)

    def _kinds(self, roles: Mapping[str, Any], relations: Collection[str]) -> tuple[bool, bool, bool]:
        """Whether the truth is 0 and 1, the score a probability, and whether there are lists to rank."""
        log = self.log
        if not ({"label", "positives"} & set(roles) or "judgments" in relations):
            raise BadParameter("label: a report needs the truth, as in ⟨label⟩='clicked'")
        if "prediction" in roles and not {"score", "rank"} & set(roles):
            raise BadParameter(
                "prediction: a report is about scores, and has no part for predicted classes; ask for the metrics "
                "class_report and class_confusion, or give a score, as in ⟨score⟩='pctr'"
            )
        if not {"score", "rank"} & set(roles):
            raise BadParameter("score: a report needs a prediction, as in ⟨score⟩='pctr'")
        ranking = "group" in roles and "positives" not in roles
        if "judgments" in relations:
            return False, False, True
        reading = "auc" if "score" in roles else "mrr"
        if reading == "mrr" and not ranking:
            raise BadParameter("group: a report over ranks needs the lists that they are ranks in")
        requested = requested_metrics(reading, catalogue())
        found = kinds_of_values(log.source, reading, log.roles_of(requested), log.where, log.kept, log.execute)
        if not found["row_count"]:
            raise BadData("data: there is no row to report on")
        self.row_count = found["row_count"]
        binary = not found["graded"] and "score" in roles
        return binary, binary and not found["unbounded"], ranking and not found["negative"]

    def _chosen(self) -> list[MetricSpec]:
        chosen: list[MetricSpec] = []
        if self.binary:
            chosen += _BINARY
            chosen += ["gauc"] if self.ranking else []
            chosen += _PROBABILITY if self.probability else ()
        if self.ranking:
            chosen += _RANKING
        return chosen or [*_NUMBER]

    def sections(self, command: str) -> list[Section]:
        """The whole page."""
        overall, values, compared = self._measured()
        if not overall["n"].sum():
            raise BadData("data: there is no row to report on")
        if self.baseline is not None and "model" not in overall.columns:
            raise BadParameter("baseline: there is one score, and nothing to compare it with")
        found = [self._scorecard(overall, compared)]
        counts: list[tuple[str, Cell]] = []
        if self.binary:
            curve = self.log.ask(_CURVE, **self.sure)
            counts += _counts_of(curve)
            found.append(self._curves(curve))
        if self.probability:
            found.append(self._calibration())
        if self.binary:
            found += [self._lift(), self._scores()]
        if self.ranking:
            depths = self._depths()
            skipped = depths["groups_skipped"].iloc[0]
            counts += [
                ("groups", _number(depths["groups"].iloc[0])),
                ("groups skipped", _number(skipped, note="nothing relevant is in them" if skipped else "")),
            ]
            found.append(self._ranking(depths))
        if self.groupings:
            found.append(self._slices(values, overall))
        return [self._evaluated(values, overall, counts, command), *found]

    # ---- what was evaluated, and the scorecard

    def _asked(self, specs: Sequence[MetricSpec], by: Any) -> pd.DataFrame:
        """Metrics by groupings, with the intervals of those that have one."""
        certain = [spec for spec in specs if self.meant[str(spec)] in self.certain]
        if len(certain) == len(specs):
            return self.log.ask(specs, by=by, **self.sure)
        bare = self.log.ask(specs, by=by)
        if certain:
            sure = self.log.ask(certain, by=by, **self.sure)
            for name in sure.columns:
                if name not in bare.columns:
                    bare[name] = sure[name]
        return bare

    def _measured(self) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame | None]:
        """The metrics over all rows, by every grouping (without one, the same), and how far models are apart.

        Intervals are nearly all that a page costs, and a comparison has the values and what their intervals want.
        Where all models have a score in every row, its intervals are those of `evaluate`: all rows are measured once
        and not twice. Without clusters, metrics whose rows are put into buckets have none there, and are asked again.
        """
        compared_specs = [spec for spec in self.specs
                          if self.meant[str(spec)] in self.certain and _is_single(self.meant[str(spec)])]  # fmt: skip
        scores = self.log.roles.get("score")
        scores = list(scores) if isinstance(scores, list | tuple) else [scores]
        compared = self._compared(compared_specs, own_intervals=True) if len(scores) > 1 else None
        if compared is None or self.log.left_out:
            values = self._asked(self.specs, [[], *self.groupings] if self.groupings else None)
            return self._overall(values), values, compared
        overall = _values_compared(compared, [_slice_name(one) for one in scores])
        known = [name for name in overall.columns if overall[name].notna().any()]
        others = [spec for spec in self.specs if f"{self.meant[str(spec)].name}_low" not in known]
        if others:
            bare = self._asked(others, None)
            for name in [name for name in bare.columns if name not in known]:
                overall[name] = bare[name]
        if not self.groupings:
            return overall, overall, compared
        return overall, self._asked(self.specs, self.groupings), compared

    def _overall(self, values: pd.DataFrame) -> pd.DataFrame:
        return values[values["grouping"] == "overall"] if self.groupings else values

    def _evaluated(
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
        rows += [(role, Cell(_expression_text(value))) for role, value in self.log.roles.items()]
        rows += [("where", Cell(self.log.where))] if self.log.where else []
        sure, cluster = f"{100 * self.confidence:g}%", self.cluster
        rows.append(("intervals", Cell(f"{sure}, by {_expression_text(cluster)}" if cluster is not None else sure)))
        rows.append(("command", Cell(command, code=True)))
        rows.append(("made with", Cell(f"sqlmetrics {installed_version()}")))
        grid = Grid(
            "Data, roles and rows",
            ["", ""],
            [[Cell(name), replace(cell, number=False)] for name, cell in rows],
            form="facts",
        )
        return Section("evaluated", "What was evaluated", grids=[grid])

    def _rows_of_models(self, overall: pd.DataFrame) -> list[tuple[str, Cell]]:
        """The rows that were read, used and dropped: of each model, where one model lacks values that another has."""
        counts = overall["n"].astype(int).tolist()
        models = self._models(overall) if len(set(counts)) > 1 else [""]
        rows = [("rows read", _number(self.row_count))] if self.row_count is not None else []
        # A pre-aggregated row stands for several, which are used or dropped together.
        used = "rows they stand for" if "total" in self.log.roles else "rows used"
        names = [f" ({model})" if model else "" for model in models]
        rows += [(f"{used}{name}", _number(count)) for name, count in zip(names, counts, strict=False)]
        for model, name, count in zip(models, names, counts, strict=False):
            missing = [
                text for text in self.log.left_out if not model or not text.startswith("score") or repr(model) in text
            ]
            reason = f"a value is NULL or NaN: {', '.join(missing)}" if missing else ""
            if "total" in self.log.roles and reason:
                rows.append((f"rows dropped{name}", Cell("some", note=reason)))
            elif "total" not in self.log.roles and self.row_count is not None and self.row_count > count:
                rows.append((f"rows dropped{name}", _number(self.row_count - count, note=reason)))
        return rows

    def _scorecard(self, overall: pd.DataFrame, compared: pd.DataFrame | None) -> Section:
        models = self._models(overall)
        rows = []
        for one in self.requested:
            for name in one.columns.values():
                cells = [_value_cell(row, name) for row in _records(overall)]
                if len(models) > 1 and list(one.columns.values()) == [one.name]:
                    best = _best(one, [row[name] for row in _records(overall)])
                    cells = [replace(cell, best=place in best) for place, cell in enumerate(cells)]
                rows.append([Cell(name, note=one.metric.title), *cells])
        text = ["The interval of a value stands with it, in brackets."] if self.certain else []
        grids = [Grid("Metrics over all rows", ["metric", *(models or ["value"])], rows)]
        if len(models) > 1:
            text.append("The best value of a row is marked; whether that is more than chance, the next table says.")
            if compared is not None:
                grids.append(self._comparison_grid(compared))
        return Section("scorecard", "Scorecard", text, grids)

    def _models(self, overall: pd.DataFrame) -> list[str]:
        return [text_of(name) for name in overall["model"]] if "model" in overall.columns else []

    def _compared(
        self, specs: Sequence[MetricSpec], by: Any = None, own_intervals: bool = False
    ) -> pd.DataFrame | None:
        if not specs:
            return None
        comparison = {"against": None, "baseline": self.baseline, "relative": False, "test": "t", "adjust": "holm",
                      "power": 0.8, "own_intervals": own_intervals}  # fmt: skip
        return self.log.ask(specs, by=by, comparison=comparison, **self.sure)

    def _comparison_grid(self, compared: pd.DataFrame) -> Grid:
        rows = [
            [Cell(str(row["metric"])), Cell(text_of(row["model"])), _difference_cell(row),
             _probability(row["p_adjusted"]), Cell(row["verdict"] or "nothing can be said")]
            for row in _records(compared)
        ]  # fmt: skip
        caption = f"Differences from the baseline {text_of(compared['baseline'].iloc[0])}"
        return Grid(caption, ["metric", "model", "difference", "p adjusted", "verdict"], rows, keys=2)

    # ---- curves

    def _figure(self, chart: Chart, keys: int = 1, slices: int = 0) -> Figure:
        self.figures += 1
        return Figure(chart, self.figures, _grid_of(f"Table of the picture: {chart.title}", chart.table, keys, slices))

    def _curves(self, curve: pd.DataFrame) -> Section:
        keys = list(curve.attrs["slices"])
        text = ["How well the score puts positives above negatives. A band is the interval at each point by itself."]
        return Section("order", "Order", text, figures=[
            self._figure(charts.roc(curve, keys), len(keys) + 1), self._figure(charts.pr(curve, keys), len(keys) + 1)
        ])  # fmt: skip

    def _calibration(self) -> Section:
        bins = self.log.ask(_BINS, **self.sure)
        keys = list(bins.attrs["slices"])
        text = [
            "Whether positives come as often as predicted, in ten bins of equally many rows, each with its interval."
        ]
        return Section("calibration", "Calibration", text, figures=[
            self._figure(charts.calibration(bins, keys), len(keys) + 1),
            self._figure(charts.copc_by_score(bins, keys), len(keys) + 1),
        ])  # fmt: skip

    def _lift(self) -> Section:
        table = self.log.ask(_LIFT)
        keys = list(table.attrs["slices"])
        text = ["What is gained by taking only the highest scores."]
        return Section("lift", "Lift", text, figures=[self._figure(charts.lift(table, keys), len(keys) + 1)])

    def _scores(self) -> Section:
        table = self.log.ask(_HISTOGRAM)
        figures = []
        for model in self._models(table.drop_duplicates("model")) if "model" in table.columns else [""]:
            own = table[table["model"].map(text_of) == model].drop(columns="model") if model else table
            own = own.reset_index(drop=True)
            own.attrs["slices"] = []
            chart = charts.histogram(own, [])
            figures.append(self._figure(replace(chart, title=f"{chart.title}: {model}") if model else chart))
        text = ["Which scores the positives have, and which the negatives, each as shares of their class."]
        return Section("scores", "Scores", text, figures=figures)

    # ---- ranking

    def _depths(self) -> pd.DataFrame:
        """NDCG at every depth, in a row for each model."""
        depths = [{"name": "ndcg", "k": k, "as": f"ndcg_at_{k}"} for k in _DEPTHS]
        return self.log.ask(depths, diagnostics=True, **self.sure)

    def _ranking(self, depths: pd.DataFrame) -> Section:
        keys = list(depths.attrs["slices"])
        long = pd.DataFrame([
            {**{key: row[key] for key in keys}, "k": k, "ndcg": row[f"ndcg_at_{k}"],
             "ndcg_low": row[f"ndcg_at_{k}_low"], "ndcg_high": row[f"ndcg_at_{k}_high"]}
            for row in _records(depths) for k in _DEPTHS
        ])  # fmt: skip
        long.attrs["slices"] = keys
        text = ["Whether the right items are on top of the lists."]
        return Section("ranking", "Ranking", text, figures=[self._figure(charts.depths(long, keys), len(keys) + 1)])

    # ---- slices

    def _slices(self, values: pd.DataFrame, overall: pd.DataFrame) -> Section:
        compared = None
        if self.first is not None and len(self._models(overall)) > 1:
            spec = self.specs[self.requested.index(self.first)]
            compared = self._compared([spec], by=self.groupings)
        parts = []
        for place, grouping in enumerate(self.groupings, 1):
            own = [_slice_name(entry) for entry in grouping]
            label = ", ".join(own)
            rows = values[values["grouping"] == label]
            parts.append(self._slice_part(place, label, own, rows, overall, compared))
        return Section("slices", "Slices", [_loss_words(self.first)] if self.first is not None else [], parts=parts)

    def _slice_part(
        self,
        place: int,
        grouping: str,
        own: list[str],
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
        rows.attrs["slices"] = [*own, *model]
        losses = self._losses(rows, overall)
        is_time = len(own) == 1 and charts.is_time(rows[own[0]])
        order = list(range(len(rows)))
        slices = charts.slice_texts(rows, own)
        if losses is not None and not is_time:
            worst: dict[str, float] = {}
            for name, loss in zip(slices, losses, strict=True):
                worst[name] = max(worst.get(name, -math.inf), -math.inf if loss is None else loss)
            order.sort(key=lambda row: -worst[slices[row]])
        shown = list(dict.fromkeys(slices[row] for row in order))
        if len(shown) > _MOST_SLICES:
            kept = set(shown[:_MOST_SLICES])
            order = [row for row in order if slices[row] in kept]
            text.append(f"{len(shown) - _MOST_SLICES:,} more slices are not shown.")
        verdicts = self._verdicts(compared, grouping, own)
        columns = [*own, *model, "n", *(["loss"] if losses is not None else [])]
        names = [name for one in self.requested for name in one.columns.values()]
        if self.first is not None:
            first = self.first.name
            names.sort(key=lambda name: name != first)
        # What the loss and the verdict are about stands beside them; the other metrics follow.
        columns += [*names[:1], *(["difference", "verdict"] if verdicts else []), *names[1:]]
        keys = charts.slice_texts(rows, [*own, *model])
        grid_rows = []
        records = _records(rows)
        largest = max((abs(loss) for loss in losses or () if loss is not None), default=0.0)
        for row in order:
            record = records[row]
            cells = [Cell(text_of(record[name])) for name in [*own, *model]] + [_number(record["n"])]
            cells += [_loss_cell(losses[row], largest)] if losses is not None else []
            values = [_value_cell(record, name) for name in names]
            compared_cells = verdicts.get(keys[row], [Cell(""), Cell("")]) if verdicts else []
            cells += [*values[:1], *compared_cells, *values[1:]]
            grid_rows.append(cells)
        figures = []
        if len(rows):
            sorted_rows = rows.iloc[order].reset_index(drop=True)
            sorted_rows.attrs["slices"] = [*own, *model]
            if self.first is not None:
                chart = by_slices(sorted_rows, [*own, *model], self.first.name)
                figures.append(self._figure(chart, len(own + model), len(own + model)))
            copc = [one.name for one in self.requested if one.metric.name == "copc" and one is not self.first]
            figures += [
                self._figure(by_slices(sorted_rows, [*own, *model], name, 1), len(own + model), len(own + model))
                for name in copc
            ]
        grid = Grid(f"Metrics by {grouping}", columns, grid_rows, keys=len(own + model), form="stacked")
        return Section(f"slices-{place}", f"By {grouping}", text, [grid], figures)

    def _losses(self, rows: pd.DataFrame, overall: pd.DataFrame) -> list[float | None] | None:
        """How far each slice is below the overall value of the first metric, times its share of the rows."""
        if self.first is None:
            return None
        better = self.first.metric.direction
        if better is None:
            return None
        name, model = self.first.name, "model" in rows.columns
        whole = {row["model"] if model else None: row for row in _records(overall)}
        found: list[float | None] = []
        for row in _records(rows):
            all_rows = whole[row["model"] if model else None]
            value, other = row[name], all_rows[name]
            known = value is not None and other is not None
            found.append(
                (_badness(value, better) - _badness(other, better)) * row["n"] / all_rows["n"] if known else None
            )
        return found

    def _verdicts(self, compared: pd.DataFrame | None, grouping: str, own: list[str]) -> dict[str, list[Cell]]:
        if compared is None:
            return {}
        rows = compared[compared["grouping"] == grouping].reset_index(drop=True)
        keys = charts.slice_texts(rows, [*own, "model"])
        return {
            key: [_difference_cell(row), Cell(row["verdict"] or "nothing can be said")]
            for key, row in zip(keys, _records(rows), strict=True)
        }


def _values_compared(compared: pd.DataFrame, models: Sequence[str]) -> pd.DataFrame:
    """The values that a comparison has, in the form of `evaluate`: a row for each of the models, in their order."""
    rows: dict[str, dict[str, Any]] = {}
    for row in _records(compared):
        for model, value in ((row["baseline"], "baseline_value"), (row["model"], "value")):
            own = rows.setdefault(model, {"model": model, "n": row["n"]})
            own |= {f"{row['metric']}{end}": row[f"{value}{end}"] for end in ("", "_low", "_high")}
    found = pd.DataFrame([rows[name] for name in sorted(rows, key=models.index)])
    found.attrs = {"slices": ["model"], "metrics": compared.attrs["metrics"]}
    return found


def _slice_name(entry: Any) -> str:
    """What a slice column is called in the result."""
    if isinstance(entry, Column):
        return entry.name
    text = entry.text if isinstance(entry, Sql) else str(entry)
    name, _, meant = text.partition("=")
    return name.strip() or meant.strip()


def _badness(value: float, better: str) -> float:
    """The same value with more of it being worse."""
    if better.startswith("near "):
        return abs(value - float(better.removeprefix("near ")))
    return -value if better == "higher" else value


def _loss_words(first: Requested) -> str:
    return (
        f"loss is how much worse than over all rows {first.name} is in a slice, times the slice's share of the rows; "
        "the slices that hurt most come first, days in their order."
    )


def _best(one: Requested, values: Sequence[float | None]) -> list[int]:
    better = one.metric.direction
    if better is None or all(value is None for value in values):
        return []
    least = min(_badness(value, better) for value in values if value is not None)
    return [place for place, value in enumerate(values) if value is not None and _badness(value, better) == least]


def _is_single(one: Requested) -> bool:
    return one.metric.name in one.columns


def _counts_of(curve: pd.DataFrame) -> list[tuple[str, Cell]]:
    """The positives and negatives, which the curve's first row, where nothing is called positive, has all."""
    first = curve.iloc[0]
    return [("positives", _number(first["fn"])), ("negatives", _number(first["tn"]))]


# ---- from values to cells --------------------------------------------------------------------------------------------


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    table = table_of(frame)
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def _exact(value: float) -> str:
    """What stands behind a rounded number: ten digits, as the last ones hang on the order of the engine's threads."""
    return f"{value:.10g}"


def _decimals(value: float, low: float | None, high: float | None) -> int:
    """After how many decimals the interval has no more to say, or four digits of a value that has none."""
    known = low is not None and high is not None and math.isfinite(high - low) and high > low
    size = (high - low) / 2 if known and low is not None and high is not None else abs(value) / 100
    return min(max(1 - math.floor(math.log10(size)), 0), 9) if size > 0 and math.isfinite(size) else 4


def _rounded(value: float, decimals: int) -> str:
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:,.{decimals}f}".replace("-", "−")


def _number(value: Any, digits: int = 4, note: str = "") -> Cell:
    """A number of a table: counts whole, others to as many digits."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return Cell("undefined", number=True, note=note)
    if isinstance(value, bool | str):
        return Cell(text_of(value), note=note)
    value = float(value)
    if value.is_integer() and abs(value) < 1e15:
        return Cell(f"{int(value):,}".replace("-", "−"), repr(int(value)), True, note)
    if not math.isfinite(value):
        return Cell(_rounded(value, 0), _exact(value), True, note)
    text = (
        f"{value:.{digits}g}"
        if abs(value) < 1e-4
        else _rounded(value, max(digits - 1 - math.floor(math.log10(abs(value))), 0))
    )
    return Cell(text.replace("-", "−"), _exact(value), True, note)


def _probability(value: float | None) -> Cell:
    """A p-value: how far below one in ten thousand it lies says nothing more."""
    return _number(value, digits=2) if value is None or value >= 1e-4 else Cell("< 0.0001", _exact(value), True)


def _value_cell(row: Mapping[str, Any], name: str, ends: tuple[str, str] | None = None) -> Cell:
    """A value with its interval, rounded to what the interval leaves certain."""
    value = row[name]
    low_name, high_name = ends or (f"{name}_low", f"{name}_high")
    low, high = row.get(low_name), row.get(high_name)
    if value is None:
        return Cell("undefined", number=True)
    decimals = _decimals(value, low, high)
    pair = (Cell(_rounded(low, decimals), _exact(low), True), Cell(_rounded(high, decimals), _exact(high), True)) \
        if low is not None and high is not None else None  # fmt: skip
    return Cell(_rounded(value, decimals), _exact(value), True, ends=pair)


def _loss_cell(value: float | None, largest: float) -> Cell:
    """A loss, with as many decimals as show three digits of the largest one."""
    if value is None or not largest > 0:
        return _number(value)
    return Cell(_rounded(value, min(max(2 - math.floor(math.log10(largest)), 0), 9)), _exact(value), True)


def _difference_cell(row: Mapping[str, Any]) -> Cell:
    return _value_cell(row, "difference", ("difference_low", "difference_high"))


def _grid_of(caption: str, frame: pd.DataFrame, keys: int, slices: int) -> Grid:
    """A folded table; its first columns tell rows apart, and those of slices are never rounded."""
    table = table_of(frame)
    exact = len(table.rows) <= _MOST_EXACT
    rows = [
        [Cell(text_of(value)) if place < slices or (place < keys and not isinstance(value, float))
         else _plain_cell(value, exact) for place, value in enumerate(row)]
        for row in table.rows
    ]  # fmt: skip
    return Grid(caption, table.columns, rows, keys)


#: Of a table of so many rows the page has the numbers behind the rounded ones, too: with those of curves, which have
#: hundreds, it would be half as long again.
_MOST_EXACT = 60


def _plain_cell(value: Any, exact: bool) -> Cell:
    """A number of a folded table, of six digits."""
    if not isinstance(value, int | float | None):
        return Cell(text_of(value))
    return _number(value, 6) if exact else replace(_number(value, 6), value=None)


# ---- the words -------------------------------------------------------------------------------------------------------


def _data_text(shown_data: Any, source: Source) -> str:
    """What the data are called."""
    return "standard input" if shown_data == "-" else source.text


def _expression_text(value: Any) -> str:
    if isinstance(value, Column):
        return value.name
    if isinstance(value, Sql):
        return f"= {value.text}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_expression_text, value))
    return str(value)


def _command(data: Any, metrics: Any, given: Mapping[str, Any], elsewhere: bool, options: Sequence[str] | None) -> str:
    """The call that makes this page: on the shell where that can say it, else in Python."""
    paths = [data] if isinstance(data, str | PathLike) else data
    # An empty list, that is: a table is compared with it cell by cell.
    empty = [name for name, value in given.items() if value is None or (isinstance(value, list) and not value)]
    given = {name: value for name, value in given.items() if name not in empty}
    plain = isinstance(paths, list | tuple) and all(isinstance(one, str | PathLike) for one in paths)
    by = given.get("by")
    if plain and (options is not None or not elsewhere) and _is_plain([metrics, *given.values()]):
        words = ["sqlmetrics", "report", *map(str, paths), *(options or [])]
        words += ["-m", _metrics_text(metrics)] if metrics is not None else []
        for name, value in given.items():
            option = f"--{name.replace('_', '-')}"
            if name == "by" and isinstance(by, list | tuple) and any(isinstance(one, list | tuple) for one in by):
                for one in by:
                    words += ["--grouping", ",".join(one) or "overall"]
            elif isinstance(value, list | tuple):
                for one in value:
                    words += [option, str(one)]
            else:
                words += [option] if value is True else [option, str(value)]
        return shlex.join([*words, "-o", "report.html"])
    named = [repr(str(data)) if isinstance(data, str | PathLike) else repr(list(map(str, data))) if plain else "data"]
    named += [f"metrics={metrics!r}"] if metrics is not None else []
    named += [
        f"{name}={value!r}" for name, value in given.items() if isinstance(value, str | int | float | list | tuple)
    ]
    named += [
        f"{name}={name}" for name, value in given.items() if not isinstance(value, str | int | float | list | tuple)
    ]
    return f"sqlmetrics.report({', '.join(named)})"


def _is_plain(values: Any) -> bool:
    """Whether the shell can say it: texts, numbers and lists of them."""
    if isinstance(values, list | tuple):
        return all(map(_is_plain, values))
    return values is None or isinstance(values, str | int | float)


def _metrics_text(metrics: Any) -> str:
    return metrics if isinstance(metrics, str) else ",".join(metrics)


@functools.cache
def _template() -> jinja2.Template:
    text = (Path(__file__).parent / "report.html").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.from_string(text)


@functools.cache
def _style() -> dict[str, Markup]:
    """The one style sheet, and its digest, by which the page's own policy lets it and nothing else in."""
    text = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return {"style": Markup(text), "digest": Markup(digest)}
