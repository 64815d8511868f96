"""What the columns of a log permit: the task of its models, and the default metrics of the scorecard."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ..catalogue.registry import catalogue
from ..errors import BadData, BadParameter
from ..planning.metric_spec import MetricSpec
from ..planning.planner import requested_metrics
from ..request import Request
from ..running.evaluate import describe_values
from .context import ReportContext

_BINARY = ("auc", "average_precision")
_PROBABILITY = ("log_loss", "normalized_entropy", "brier", "copc", "ece")
_RANKING = ("ndcg@10", "map", "mrr")
_NUMBER = ("mae", "rmse", "mean_error", "r2")
_CLASSES = ("micro_f1", "macro_f1", "multi_balanced_accuracy", "macro_precision", "macro_recall", "multi_mcc")


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
