"""A log for the consumer project, its metrics by family, and their values from the oracles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sqlmetrics.catalogue.model import Metric
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests.data import relations_of
from tests.engines.cases import takes_long
from tests.oracles import ORACLES, SKIP, Within, expected_value
from tests.values.test_oracles import canonical, usable_rows
from tests.variants import Call, base_parameters, kinds_of, metric_call, roles_of

DEVICES = ["phone", "desktop", "tablet", None]
CLASSES = ["cat", "dog", "bird"]


def make_log(rows: int = 600, seed: int = 11) -> pd.DataFrame:
    """Impressions with a click, a grade, a number and a class each; scores have ties, one device is NULL."""
    random = np.random.default_rng(seed)
    quality = random.normal(size=rows)
    noise = random.normal(size=rows)
    pctr = 1 / (1 + np.exp(-(quality - 0.5)))
    log = pd.DataFrame({
        "day": [f"2026-01-0{1 + number % 5}" for number in range(rows)],
        "device": [DEVICES[number] for number in random.integers(0, 4, rows)],
        "user_id": [f"u{number}" for number in random.integers(0, 40, rows)],
        "clicked": (random.random(rows) < pctr).astype(int),
        "grade": np.clip(np.round(quality + noise), 0, 3).astype(int),
        "pctr": np.round(pctr, 2).clip(0.01, 0.99),
        "pctr_b": np.round(1 / (1 + np.exp(-(quality + noise - 0.5))), 2).clip(0.01, 0.99),
        "y": np.round(5 + quality, 3), "y_hat": np.round(5 + quality + noise / 2, 3),
        "class_name": random.choice(CLASSES, rows),
    })  # fmt: skip
    guesses = random.choice([*CLASSES, "fish"], rows)
    log["said"] = np.where(random.random(rows) < 0.6, log["class_name"], guesses)
    log["called"] = np.where(random.random(rows) < 0.8, log["clicked"], 1 - log["clicked"])
    # Each user is shown an item once.
    shown = log.groupby("user_id").cumcount()
    first = log["user_id"].str[1:].astype(int)
    log["ad"] = (first * 7 + shown * 11) % 61
    log["doc"] = random.permutation(rows)
    log["campaign"] = random.choice(["spring", "summer", "brand"], rows)
    log["views"] = random.integers(0, 6, rows)
    log["clicks"] = random.binomial(log["views"], pctr)
    log["mass"] = np.round(random.random(rows), 3)
    log["tail"] = np.round(random.random(rows), 3)
    log["taken"] = random.integers(0, 2, rows)
    log["place"] = shown + 1
    log["earned"] = random.integers(0, 2, rows)
    for name in ("logged", "chosen", "hoped", "hoped_of_all"):
        log[name] = random.integers(1, 9, rows) / 8
    parts = np.round(random.dirichlet([2, 2, 1], rows), 3)
    for place, name in enumerate(CLASSES):
        log[f"p_{name}"] = parts[:, place]
    # Judgments of items that no list shows, for users of whom some have no list.
    log["ghost"] = [f"u{number}" for number in random.integers(0, 45, rows)]
    log["missed"] = np.arange(rows) + 100
    log["other_grade"] = random.integers(0, 3, rows)
    log["treated"] = random.integers(0, 2, rows)
    log["low"], log["high"] = log["y_hat"] - 1, log["y_hat"] + 1
    log["lasted"] = random.integers(1, 90, rows)
    log["aspect"] = random.choice(["price", "colour", "size"], rows)
    log["shown_at"] = random.integers(1, 7, rows)
    return log


#: The columns that the models read; the others only make further relations.
LOG_COLUMNS = [column for column in make_log(1) if column not in ("ghost", "missed", "other_grade")]
#: Engines that compute one metric per family and set of frames; tests/engines runs every metric on them.
ONE_METRIC_PER_FRAME = ("postgres", "spark")
#: Metrics that a singular test of the project reads.
READ_BY_PROJECT = ("auc", "gauc", "f1", "log_loss")


def takes_long_by_dbt(metric: Metric, engine_name: str | None) -> bool:
    """The stand-in for BigQuery computes each step wherever it is read, so rounds take minutes as on Spark."""
    return takes_long(metric, "spark" if engine_name == "bigquery" else engine_name)


@dataclass(frozen=True)
class Family:
    """Metrics of the same columns, computed in one statement."""

    name: str
    kind: str
    columns: dict[str, str]

    def call(self, engine_name: str | None = None) -> Call:
        """The metrics of one value per slice of this kind of data, as many as the engine computes."""
        metrics = [
            metric
            for metric in builtin_catalogue().metrics.values()
            if not metric.table
            and not takes_long_by_dbt(metric, engine_name)
            and self.kind in {"numbers" if kind == "amounts" else kind for kind in kinds_of(metric)}
        ]
        if engine_name in ONE_METRIC_PER_FRAME:
            names = {metric.frames: metric.name for metric in metrics}.values()
            metrics = [metric for metric in metrics if metric.name in (*names, *READ_BY_PROJECT)]
        calls = [metric_call(metric, parameters) for metric in metrics for parameters in _parameters(metric)]
        roles: dict[str, str] = {}
        for metric in metrics:
            roles |= roles_of(metric, self.kind)
        return Call(self.name, self.kind, tuple(calls), {role: self.columns.get(role, roles[role]) for role in roles})

    def relations(self, log: pd.DataFrame) -> dict[str, pd.DataFrame]:
        """The further relations that its metrics read."""
        return relations_of(log, self.kind)


_NUMBERS = {"label": "y", "score": "y_hat"}
FAMILIES = [
    Family("binary", "labels", {}),
    Family("counted", "counted labels", {}),
    Family("counts", "pre-aggregated", {}),
    Family("calls", "predictions", {}),
    Family("regression", "numbers", _NUMBERS),
    Family("positive_numbers", "positive numbers", _NUMBERS),
    Family("classes", "classes", {"label": "class_name", "prediction": "said"}),
    Family("class_scores", "class scores", {"label": "class_name"}),
    Family("forecasts", "forecasts", {"label": "y"}),
    Family("ratings", "ratings", {"label": "grade"}),
    Family("rated_classes", "rated classes", {"label": "class_name"}),
    Family("ranking", "grades", {"label": "grade"}),
    Family("judged", "judged", {}),
    Family("subtopics", "subtopics", {}),
    Family("recommended", "lists", {}),
    Family("bids", "bids", {}),
    Family("policies", "logged actions", {}),
    Family("slates", "slates", {}),
]
#: Further parameters, in addition to the defaults.
_FURTHER: dict[str, list[dict[str, Any]]] = {
    "f1": [{"threshold": 0.3}],
    "ndcg": [{"k": 5, "gain": "linear", "ties": "average", "empty": "zero"}],
    "precision_at_k": [{"k": 5}],
    "ece": [{"bins": 20, "binning": "mass"}],
}


def _parameters(metric: Metric) -> Iterator[dict[str, Any]]:
    parameters = base_parameters(metric)
    if "quantiles" in parameters:
        parameters["quantiles"] = {0.1: "low", 0.5: "y_hat", 0.9: "high"}
    if "scores" in parameters:
        parameters["scores"] = {name: f"p_{name}" for name in CLASSES}
    yield parameters
    yield from _FURTHER.get(metric.name, [])


def expected_values(log: pd.DataFrame) -> pd.DataFrame:
    """Each value of each oracle, as the lowest and the highest value that the metric may have."""
    slices = [("overall", log), *log.groupby(log["device"].fillna("none"))]
    rows = []
    for family in FAMILIES:
        call = family.call()
        relations = {"judgments": None, **canonical(family.relations(log))}
        for name, part in slices:
            for requested in call.asked:
                metric = requested.metric
                usable = usable_rows(part, requested, call)
                for oracle in ORACLES[metric.name]:
                    if not oracle.takes(requested.parameters):
                        continue
                    arguments = {**requested.parameters, **relations, "whole": name == "overall"}
                    result = expected_value(oracle, usable, arguments)
                    if result is SKIP:
                        continue
                    for column, value in (result if isinstance(result, dict) else {metric.columns[0]: result}).items():
                        low, high = (value.low, value.high) if isinstance(value, Within) else (value, value)
                        key = (family.name, metric.name, requested.columns[column], oracle.tool, name)
                        rows.append((*key, low, high))
    columns = ["family", "metric", "result_column", "tool", "slice", "low", "high"]
    expected = pd.DataFrame(rows, columns=columns)
    # A metric without a value of an oracle would drop out of the comparison unnoticed.
    calls = {(family.name, asked.metric.name) for family in FAMILIES for asked in family.call().asked}
    missing = calls - set(zip(expected["family"], expected["metric"], strict=True))
    assert not missing, f"no oracle gives a value of {sorted(missing)}"
    return expected
