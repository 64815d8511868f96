"""How every metric of the catalogue can be asked for, worked out from its file.

A new metric file comes under the contract and oracle tests through this module alone: its truth and score tell the
kinds of data it can be asked of, its parameters tell the variants. A metric with a truth, a score or a required role
that is not known here makes the tests fail until it is added, rather than leaving the metric out.
"""

from __future__ import annotations

import functools
import os
import re
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import sqlmetrics
from sqlmetrics.catalogue import ROLES, Catalogue, Metric, Parameter, builtin_catalogue, catalogue
from sqlmetrics.planning import requested_metrics

Parameters = dict[str, Any]

#: The columns of the sample data, by the role that reads them. No column is called like a role.
COLUMNS = {
    "label": "clicked",
    "score": "pctr",
    "prediction": "called",
    "group": "user_id",
    "item": "ad",
    "rank": "place",
    "tie_key": "doc",
    "weight": "w",
    "positives": "clicks",
    "total": "views",
    "group_weight": "importance",
    "field": "campaign",
    "p_price": "mass",
    "p_survive": "tail",
    "won": "taken",
    "reward": "earned",
    "propensity": "logged",
    "position": "shown_at",
    "target": "chosen",
    "q_action": "hoped",
    "q_policy": "hoped_of_all",
    "lower_bound": "low",
    "upper_bound": "high",
    "treatment": "treated",
    "duration": "lasted",
    "subtopic": "aspect",
}
assert list(COLUMNS.keys() ^ ROLES.keys()) == [], "each role has a column here, and values of it in _drawn"
#: The columns of the probabilities of classes. One class would end an SQL text, and none is in the order of the others.
CLASS_SCORES = {"dog": "p_dog", "cat": "p_cat", "it's": "p_other"}
#: The columns of predicted quantiles by their level.
QUANTILES = {0.1: "low", 0.5: "middle", 0.9: "high"}
#: The columns that parameters name, by kind of data.
COLUMNS_OF_PARAMETERS = {"class scores": list(CLASS_SCORES.values()), "forecasts": list(QUANTILES.values())}
#: The kinds of data, and the roles that every call of the kind gives.
KINDS = {
    "labels": ("label", "score"),
    "counted labels": ("label", "score"),
    "pre-aggregated": ("positives", "total", "score"),
    "predictions": ("label", "prediction"),
    "classes": ("label", "prediction"),
    "numbers": ("label", "score"),
    "amounts": ("label", "score"),
    "class scores": ("label",),
    "grades": ("label", "score", "group", "tie_key"),
    "signed grades": ("label", "score", "group", "tie_key"),
    "ranks": ("label", "rank", "group"),
    "judged": ("label", "score", "group", "item", "tie_key"),
    "judged ranks": ("label", "rank", "group", "item"),
    "lists": ("score", "group", "item", "tie_key"),
    "ranked lists": ("rank", "group", "item"),
    "bids": ("p_price", "p_survive", "won"),
    "logged actions": ("reward", "propensity", "target", "q_action", "q_policy"),
    "slates": ("group", "rank", "reward", "propensity", "target"),
    "counts": ("label", "score"),
    "positive numbers": ("label", "score"),
    "ratings": ("label", "group"),
    "rated classes": ("label", "group"),
    "forecasts": ("label", "lower_bound", "upper_bound"),
    "subtopics": ("label", "score", "group", "item", "subtopic", "tie_key"),
    "ranked subtopics": ("label", "rank", "group", "item", "subtopic"),
    "judged subtopics": ("label", "score", "group", "item", "subtopic", "tie_key"),
}
#: The kinds of data that keep a rule of a metric for its labels, and others for its scores.
KINDS_BY_RULE = {
    "label > -1": ["amounts"],
    "label >= 0": ["counts", "positive numbers"],
    "label > 0": ["positive numbers"],
}
#: The kinds that come with judgments.
JUDGED = ("judged", "judged ranks", "judged subtopics")
#: The roles that are read of the judgments there, and not of the rows.
TOLD_BY_JUDGMENTS = ("label", "subtopic")
#: The kinds whose rows are of an item and a subtopic.
SUBTOPICS = ("subtopics", "ranked subtopics")
#: Those in which a propensity is that of a place, and a relation tells what each place has.
PLACED = ("judged",)
PROPENSITIES = pd.DataFrame({"position": range(1, 7), "propensity": [1.0, 0.5, 0.25, 0.25, 0.125, 1 / 64]})
SLICES = ("device", "country")
#: Parameters that say something only beside another one.
ONLY_WITH: dict[str, Parameters] = {"spacing": {"points": 5}, "other_missed": {"collection_size": 40}}
#: Values of numeric parameters that are worth a test; those of any other are made up from its bounds.
SAMPLE_VALUES: dict[str, list[Any]] = {
    "k": [3, 1, 20],
    "bins": [10, 1, 7],
    "threshold": [0.5, 0.3],
    "zero_division": [None, 0, 1],
    "relevant_at": [1, 2],
    "eps": [2.220446049250313e-16, 1e-6, 0.125],
    "max_label": [4],
    "beta": [2, 0.5],
    "alpha": [0.5, 0.9],
    "points": [5, 1],
    "one_class": [None, 1, 0.5],
    "max_group_size": [5000, 100000],
    "p": [0.8, 0.5],
    "scores": [CLASS_SCORES],
    "quantiles": [QUANTILES, {"0.25": "low"}],
    "max_weight": [1.5, 0, 4],
    "shrinkage": [4, 0.5, 0],
    "fpr": [0.25, 0, 1],
    "tpr": [0.5, 1],
    "recall": [0.5, 0, 1, 0.1],
    "precision": [0.5, 0.75, 1],
    "max_fpr": [0.25, 1],
    "share": [0.25, 0, 1],
    "power": [1, 1.2],
    "relevant_returned": [2.5],
    "other_returned": [-0.25],
    "relevant_missed": [-0.5],
    "other_missed": [0.125],
    "collection_size": [50],
}


def sample_values(parameter: Parameter) -> list[Any]:
    """Values that a test tries for a parameter: all its choices, or some numbers within its bounds."""
    if parameter.type == "choice":
        return list(parameter.choices)
    if parameter.type == "boolean":
        return [False, True]
    values = [] if parameter.required else [parameter.default]
    if parameter.name in SAMPLE_VALUES:
        tried = SAMPLE_VALUES[parameter.name]
    elif parameter.minimum is not None and parameter.maximum is not None:
        tried = [parameter.minimum + (parameter.maximum - parameter.minimum) / 4]
    else:
        tried = [(parameter.minimum or 0) + 1]
    for value in (*tried, *parameter.choices):
        if value not in values:
            values.append(value)
    return values


def base_parameters(metric: Metric) -> Parameters:
    """The parameters that must be given, and nothing else."""
    return {p.name: sample_values(p)[0] for p in metric.parameters.values() if p.required}


def with_highest_grade(metric: Metric, parameters: Parameters) -> Parameters:
    """The parameters, with what grades as gains need."""
    needed = parameters.get("gain") == "linear" and "max_label" in metric.parameters
    return {"max_label": 4, **parameters} if needed else parameters


def variants(metric: Metric, cuts: Sequence[int | None] = (None, 3)) -> list[Parameters]:
    """The defaults, then every other value of every parameter in turn; at each of the cuts, where there is a k."""
    base = base_parameters(metric)
    found = [base]
    defaults = {parameter.name: parameter.default for parameter in metric.parameters.values()}
    for parameter in metric.parameters.values():
        for value in sample_values(parameter):
            for k in cuts if "k" in metric.parameters and parameter.name != "k" else [None]:
                cut = {} if k is None else {"k": k}
                given = {**base, **cut, **ONLY_WITH.get(parameter.name, {}), parameter.name: value}
                given = with_highest_grade(metric, given)
                # A default that is written out is the same call.
                if not any(defaults | given == defaults | other for other in found):
                    found.append(given)
    return found


def spelled(metric: Metric, parameters: Parameters) -> str:
    """The metric as a user writes it."""
    arguments = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    return f"{metric.name}({arguments})" if arguments else metric.name


@dataclass(frozen=True, eq=False)
class Asking:
    """One metric with parameters, the name of its result and the result columns by the metric's own."""

    metric: Metric
    given: Parameters
    parameters: Parameters
    name: str
    columns: Mapping[str, str]

    def __repr__(self) -> str:
        return spelled(self.metric, self.given)

    @property
    def spec(self) -> dict[str, Any]:
        """What `evaluate` takes."""
        return {"name": self.metric.name, "as": self.name, **self.given}


#: What was asked of the built-in metrics: each module of tests asks for the same.
_ASKED: dict[str, Asking] = {}


def asking(metric: Metric, parameters: Parameters) -> Asking:
    """The metric with these parameters, the others at their defaults; grades as gains have a highest."""
    parameters = with_highest_grade(metric, parameters)
    text = spelled(metric, parameters)
    if not metric.builtin:
        return _asking(metric, parameters, text)
    if text not in _ASKED:
        _ASKED[text] = _asking(metric, parameters, text)
    return _ASKED[text]


def _asking(metric: Metric, parameters: Parameters, text: str) -> Asking:
    # Readable in the SQL, and a name of its own for every spelling.
    name = metric.name
    if parameters:
        name += f"_{re.sub(r'[^a-z0-9]+', '_', text.partition('(')[2])[:40]}{zlib.crc32(text.encode()):08x}"
    known = builtin_catalogue() if metric.builtin else catalogue()
    [one] = requested_metrics([{"name": metric.name, "as": name, **parameters}], known)
    return Asking(metric, parameters, dict(one.parameters), name, one.columns)


def weighable(asked: Iterable[Asking]) -> tuple[Asking, ...]:
    """Each without the groups of which nothing was returned."""
    found = [
        asking(one.metric, {**one.given, "missing": "skip"})
        if one.parameters.get("missing") == "zero" and "group_weight" in one.metric.roles()
        else one
        for one in asked
    ]
    return tuple({one.name: one for one in found}.values())


@dataclass(frozen=True, eq=False)
class Call:
    """Metrics that can be asked for together of one kind of data."""

    name: str
    kind: str
    asked: tuple[Asking, ...]
    roles: Mapping[str, str]

    def __repr__(self) -> str:
        return f"{self.kind}: {', '.join(map(repr, self.asked))} with {dict(self.roles)}"

    @property
    def table(self) -> bool:
        """Whether it asks for a table metric."""
        return self.asked[0].metric.table

    @property
    def certain(self) -> bool:
        """Whether one of its metrics has an interval."""
        return any(not one.metric.no_interval for one in self.asked)

    @property
    def specs(self) -> list[dict[str, Any]]:
        """What `evaluate` takes."""
        return [one.spec for one in self.asked]

    def evaluate(
        self,
        data: Any,
        roles: Mapping[str, Any] | None = None,
        relations: Mapping[str, pd.DataFrame | pa.Table] | None = None,
        **options: Any,
    ) -> pd.DataFrame:
        """Ask, with the roles of the call unless others are given, and those of the relations that are read."""
        given = self.arguments(roles, relations)
        return quiet(lambda: sqlmetrics.evaluate(data, self.specs, **given, **options))

    def arguments(
        self, roles: Mapping[str, Any] | None = None, relations: Mapping[str, pd.DataFrame | pa.Table] | None = None
    ) -> dict[str, Any]:
        """The roles and the relations that `evaluate` takes, those of the call unless others are given."""
        roles = roles or self.roles
        read = self.relations(roles) if relations is None else dict(relations)
        read = {name: one if isinstance(one, pa.Table) else arrow(one) for name, one in read.items()}
        read = {name: one for name, one in read.items() if any(name in asked.metric.relations for asked in self.asked)}
        return {**roles, **read}

    def relations(self, roles: Mapping[str, Any]) -> dict[str, pa.Table]:
        """The further relations of the sample, their columns called as the roles are."""
        named = {role: getattr(given, "name", given) for role, given in roles.items()}
        names = {
            column: named[role]
            for role, column in self.roles.items()
            if isinstance(named.get(role), str) and not named[role].startswith("=")
        }
        found = _relations_of_sample(self.kind)
        return {name: arrow(relation.rename(columns=names)) for name, relation in found.items()}

    def only_roles(self, one: Asking) -> dict[str, str]:
        """The roles of the call that one of its metrics has."""
        return {role: column for role, column in self.roles.items() if role in one.metric.roles()}

    def takes(self, role: str) -> bool:
        """Whether a metric of the call has the role."""
        return any(role in one.metric.roles() for one in self.asked)

    def only(self, role: str) -> Call | None:
        """The call with those metrics only that take the role."""
        asked = tuple(one for one in self.asked if role in one.metric.roles())
        found = Call(self.name, self.kind, asked, self.roles) if asked else None
        return found.weighable if found and role == "group_weight" else found

    @property
    def weighable(self) -> Call:
        """The call so that its groups can have weights, of which nothing is known where nothing was returned."""
        return replace(self, asked=weighable(self.asked)) if self.kind in JUDGED else self


def quiet(call: Callable[[], Any]) -> Any:
    """The answer, without the warning that rows were dropped."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sqlmetrics.DroppedRows)
        return call()


def kinds_of(metric: Metric) -> list[str]:
    """The kinds of data of which a metric can be asked."""
    roles = metric.roles()
    if "subtopic" in roles:
        return ["subtopics", "ranked subtopics", "judged subtopics"]
    if metric.extra_roles.get("item"):
        return ["lists", "ranked lists"]
    if metric.truth is None:
        if "q_policy" in roles or "propensity" in roles:
            return ["slates" if "group" in roles else "logged actions"]
        if metric.score == "threshold":
            return ["labels", "predictions"]
        return ["bids"]
    if metric.truth in ("number", "class") and "group" in roles:
        return ["ratings" if metric.truth == "number" else "rated classes"]
    for rule in metric.rules:  # what it refuses of labels
        if rule["keeps"] in KINDS_BY_RULE:
            return KINDS_BY_RULE[rule["keeps"]]
    if metric.no_weight:
        return ["counted labels", "pre-aggregated"]
    if "lower_bound" in roles or "quantiles" in metric.parameters:
        return ["forecasts"]
    if any(parameter.type == "columns" for parameter in metric.parameters.values()):
        return ["class scores"]
    by_truth = {
        "binary": ["labels"],
        "binary or class": ["labels", "classes"],
        "number": ["numbers", "amounts"],
        "class": ["classes"],
        "relevance": ["grades"],
        "ranking": ["grades"],
    }
    kinds = list(by_truth[metric.truth])
    if "positives" in roles:
        kinds.append("pre-aggregated")
    if metric.truth == "binary" and "prediction" in roles:
        kinds.append("predictions")
    if metric.truth in ("relevance", "ranking"):
        kinds.append("ranks")
    if "judgments" in metric.relations:
        kinds += ["judged", "judged ranks"]
    if "negative" in metric.parameters:
        kinds.append("signed grades")
    return kinds


def roles_of(metric: Metric, kind: str) -> dict[str, str]:
    """The roles in which a metric is asked of a kind of data: those of the kind and those it must have."""
    roles = [role for role in KINDS[kind] if role in metric.roles()]
    roles += [role for role, required in metric.roles().items() if required and role not in roles]
    if "propensities" in metric.relations:
        roles.append("position" if kind in PLACED else "propensity")
    return {role: COLUMNS[role] for role in roles}


def can_ask(parameters: Parameters, kind: str) -> bool:
    """Whether the kind has the roles that the parameters need."""
    if kind == "signed grades" and parameters.get("negative") not in ("zero", "keep"):
        return False
    return parameters.get("ties") != "key" or "tie_key" in KINDS[kind]


def base_parameters_of(metric: Metric, kind: str) -> Parameters:
    """The parameters that must be given of this kind of data."""
    return base_parameters(metric) | ({"negative": "zero"} if kind == "signed grades" else {})


def calls(every_variant: bool = False, catalogue: Catalogue | None = None) -> list[Call]:
    """Calls that together hold every metric on every kind of data; tables one by one, as they must be asked for.

    `python -m tests.check NAME` has those of one metric only.
    """
    return list(_calls(every_variant, catalogue or builtin_catalogue(), os.environ.get("SQLMETRICS_CHECK")))


@functools.lru_cache(maxsize=4)
def _calls(every_variant: bool, catalogue: Catalogue, only: str | None) -> list[Call]:
    """A dozen modules ask for the same while tests are looked for."""
    metrics = [metric for metric in catalogue.metrics.values() if only in (None, metric.name)]
    found: list[Call] = []
    for kind in KINDS:
        roles: dict[str, str] = {}
        together: list[Asking] = []
        for metric in metrics:
            if kind not in kinds_of(metric):
                continue
            # Cut, every value of a parameter has a meaning; the oracles are asked of the uncut ones too.
            wanted = variants(metric, cuts=[3]) if every_variant else [base_parameters_of(metric, kind)]
            asked = [asking(metric, parameters) for parameters in wanted if can_ask(parameters, kind)]
            if metric.table:
                own = roles_of(metric, kind)
                found += [Call(f"{kind}: {one.name}", kind, (one,), own) for one in asked]
            else:
                roles |= roles_of(metric, kind)
                together += asked
        if together:
            found.append(Call(kind, kind, tuple(together), roles))
    return found


def relations_of(rows: pd.DataFrame, kind: str) -> dict[str, pd.DataFrame]:
    """The further relations that go with data of a kind, made of the columns that the data have for them.

    Each row tells a judgment of its own item, in `grade`, and one of an item that was not returned: `missed`, for the
    group `ghost`, in `other_grade`. The items of the recommender's relations are those of the data and a few others.
    """
    if kind == "judged subtopics":
        # Two judgments of each item, for two of three subtopics; of others one.
        number = np.arange(len(rows))
        names = [COLUMNS[role] for role in ("group", "item", "subtopic", "label")]
        own = rows[[COLUMNS["group"], COLUMNS["item"]]]
        parts = [
            own.assign(subtopic=number % 3, grade=rows["grade"]),
            own.assign(subtopic=(number + 1) % 3, grade=rows["other_grade"]),
            rows[["ghost", "missed"]].assign(
                missed=rows["missed"] - number % 2, subtopic=number % 4, grade=rows["other_grade"]
            ),
        ]
        judged = pd.concat([one.set_axis(names, axis=1) for one in parts]).astype(object)
        judged[names[2]] = [f"aspect {one}" for one in judged[names[2]]]
        return {"judgments": judged[~judged.duplicated(names[:3]).to_numpy()].reset_index(drop=True)}
    if kind in JUDGED:
        own = rows[[COLUMNS["group"], COLUMNS["item"], "grade"]]
        names = [COLUMNS["group"], COLUMNS["item"], COLUMNS["label"]]
        other = rows[["ghost", "missed", "other_grade"]].set_axis(names, axis=1)
        judged = pd.concat([own.set_axis(names, axis=1), other]).astype(object)
        # An item may have one judgment.
        first = ~judged.duplicated(names[:2]).to_numpy()
        placed = {"propensities": PROPENSITIES} if kind in PLACED else {}
        return {"judgments": judged[first].reset_index(drop=True), **placed}
    if kind not in ("lists", "ranked lists"):
        return {}
    items = sorted({int(item) for item in rows[COLUMNS["item"]] if not is_missing(item)})
    known = [item for item in items if item % 3 != 1] + [1000, 1001]
    pairs = [(a, b, (7 * a + 5 * b) % 9 / 8) for a in known for b in known if a < b and (a + b) % 4]
    both = [(b, a, value) for a, b, value in pairs[:3]]
    return {
        "catalog": pd.DataFrame({COLUMNS["item"]: [*known, *known[:1], None]}, dtype=object),
        # In either direction, and some in both.
        "similarity": pd.DataFrame(
            [(b, a, value) if (a + b) % 2 else (a, b, value) for a, b, value in pairs] + both,
            columns=["item_a", "item_b", "similarity"],
        ),
        "popularity": pd.DataFrame({COLUMNS["item"]: known, "count": [item % 5 for item in known]}),
        "history": pd.DataFrame(
            _history(rows, [*items, 1000, 1001, 1002]), columns=[COLUMNS["group"], COLUMNS["item"]]
        ),
        "item_categories": pd.DataFrame(
            [(item, f"genre {one}") for item in known for one in sorted({item % 3, item // 2 % 4})],
            columns=[COLUMNS["item"], "category"],
        ),
        "expected_items": pd.DataFrame({COLUMNS["item"]: [item for item in known if item % 4 < 2]}),
        # What is not told of a vector is 0.
        "embeddings": pd.DataFrame(
            [
                (item, place, (item * 7 + place * 5) % 11 - 5.0 if place else 1 + item % 3 / 4)
                for item in known
                for place in range(4)
                if (item + place) % 7 or not place
            ],
            columns=[COLUMNS["item"], "dimension", "value"],
        ),
    }


def _history(rows: pd.DataFrame, items: Sequence[int]) -> list[tuple[Any, int]]:
    """What each group had before; every fourth had nothing."""
    groups = sorted({group for group in rows[COLUMNS["group"]] if not is_missing(group)}, key=str)
    return [
        (group, item)
        for place, group in enumerate(groups)
        if place % 4 != 2
        for item in items
        if (7 * place + item) % 5 == 1
    ]


@functools.cache
def _relations_of_sample(kind: str) -> dict[str, pd.DataFrame]:
    return relations_of(sample(kind), kind)


def sample(kind: str, rows: int = 60, seed: int = 7) -> pd.DataFrame:
    """Rows with heavy ties, unbalanced groups and slices, and a NULL slice; no value is missing otherwise."""
    return _drawn(kind, rows, seed).copy()


@functools.lru_cache(maxsize=256)
def _drawn(kind: str, rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng([seed, rows, list(KINDS).index(kind)])
    group = np.minimum(rng.geometric(0.25, rows), 7)
    data = pd.DataFrame({
        "device": rng.choice(["phone", "desktop", None], rows, p=[0.6, 0.25, 0.15]),  # type: ignore[list-item]
        "country": rng.choice(["de", "at"], rows),
        "clicked": rng.integers(0, 2, rows).astype(float),
        "pctr": rng.integers(0, 21, rows) / 20,
        "user_id": [f"user {number}" for number in group],
        "ad": rng.permutation(rows),
        "place": rng.integers(1, 9, rows).astype(float),
        "doc": rng.permutation(rows),
        "w": rng.choice([0.25, 1.0, 2.5, 4.0], rows),
        "importance": group / 2,
        "campaign": rng.choice(["a", "b", "c"], rows),
        "mass": rng.integers(0, 33, rows) / 32,
        "tail": rng.integers(0, 33, rows) / 32,
        "taken": rng.integers(0, 2, rows).astype(float),
    })  # fmt: skip
    if kind == "pre-aggregated":
        data["views"] = rng.integers(0, 6, rows).astype(float)
        data["clicks"] = np.floor(data["views"] * rng.random(rows))
    elif kind == "predictions":
        data["called"] = rng.integers(0, 2, rows).astype(float)
    elif kind == "classes":
        data["clicked"] = rng.choice(["cat", "dog", "owl"], rows)
        data["called"] = rng.choice(["cat", "dog", "eel"], rows)
    elif kind == "ratings":
        data["clicked"] = rng.choice([1.0, 2.0, 2.5, 4.0], rows)
        data["user_id"] = [f"user {number}" for number in rng.integers(1, 1 + rows // 3, rows)]
    elif kind == "rated classes":
        data["clicked"] = rng.choice(["cat", "dog", "owl"], rows)
        data["user_id"] = [f"user {number}" for number in rng.integers(1, 1 + rows // 3, rows)]
    elif kind == "class scores":
        data["clicked"] = rng.choice(list(CLASS_SCORES), rows)
        cuts = np.sort(rng.integers(0, 33, (rows, 2)), axis=1) / 32
        data["p_dog"], data["p_cat"], data["p_other"] = cuts[:, 0], cuts[:, 1] - cuts[:, 0], 1 - cuts[:, 1]
    elif kind in ("logged actions", "slates"):
        data["earned"] = rng.choice([0.0, 0.0, 1.0, 2.5, -0.5], rows)
        data["logged"] = rng.choice([1 / 64, 0.125, 0.25, 0.5, 1.0], rows)
        data["chosen"] = rng.integers(0, 9, rows) / 8
        data["hoped"] = rng.integers(0, 9, rows) / 8
        data["hoped_of_all"] = rng.integers(0, 9, rows) / 8
    elif kind in ("counts", "positive numbers"):
        data["clicked"] = rng.poisson(1.2, rows) + (kind == "positive numbers") * rng.integers(1, 9, rows) / 8
        data["pctr"] = rng.integers(8, 40, rows) / 8
    elif kind == "forecasts":
        data["clicked"] = rng.integers(0, 40, rows) / 8
        bounds = np.sort(rng.integers(0, 40, (rows, 3)), axis=1) / 8
        data["low"], data["middle"], data["high"] = bounds.T
    elif kind in ("numbers", "amounts"):
        data["clicked"] = rng.integers(0, 40, rows) / 8
        data["pctr"] = rng.integers(0, 40, rows) / 8
    elif kind in ("grades", "signed grades", "ranks", *JUDGED):
        data["clicked"] = rng.choice([0.0, 1.0, 2.0, 3.0], rows, p=[0.6, 0.2, 0.1, 0.1])
        if kind == "signed grades":
            data["clicked"] -= rng.integers(0, 2, rows)
        if kind in JUDGED:
            data["grade"] = [None if rng.random() < 0.3 else label for label in data["clicked"]]
            data["ghost"] = [f"user {number}" if number < 9 else None for number in rng.integers(1, 12, rows)]
            data["missed"] = np.arange(rows) + 100
            data["other_grade"] = rng.choice([0.0, 1.0, 2.0], rows)
        if kind == "judged subtopics":
            data["aspect"] = "that of the judgments counts"
            data["grade"] = [None if grade is None else min(grade, 1.0) for grade in data["grade"]]
            data["other_grade"] = np.minimum(data["other_grade"], 1.0)
        data["shown_at"] = rng.integers(1, 7, rows).astype(float)
        data["logged"] = PROPENSITIES["propensity"].to_numpy()[data["shown_at"].astype(int) - 1]
    elif kind in SUBTOPICS:
        data["clicked"] = rng.choice([0.0, 1.0], rows, p=[0.6, 0.4])
        # An item was judged for three subtopics, and has one place in its list.
        data["aspect"] = [f"aspect {number % 3}" for number in range(rows)]
        data = one_place_of_items(data, np.arange(rows) // 3)
    data["treated"] = rng.integers(0, 2, rows).astype(float)
    data["lasted"] = rng.integers(1, 40, rows).astype(float)
    return data


def one_place_of_items(data: pd.DataFrame, item: Any) -> pd.DataFrame:
    """The same where an item has one group and one place: those of its first row."""
    first = pd.Series(range(len(data))).groupby(item).transform("min").to_numpy().astype(int)
    placed = ["user_id", "ad", "pctr", "place", "doc", "importance"]
    return data.assign(**{name: data[name].to_numpy()[first] for name in placed if name in data})


def arrow(data: pd.DataFrame) -> pa.Table:
    """The same as an Arrow table, where NULL and NaN are two things: None is NULL."""
    columns = {}
    for name, column in data.items():
        if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
            columns[name] = pa.array(column.to_numpy(), from_pandas=False)
            continue
        values = column.to_numpy(dtype=object).tolist()  # pandas takes long over its texts one by one
        if any(isinstance(value, str) for value in values):  # pandas may write a missing text as NaN
            values = [value if isinstance(value, str) else None for value in values]
        columns[name] = pa.array(values, from_pandas=False)
    return pa.table(columns)


def differences(ours: pd.DataFrame, theirs: pd.DataFrame, tolerance: float = 1e-12) -> list[str]:
    """What differs between two results, in words; nothing where they agree."""
    if list(ours.columns) != list(theirs.columns):
        return [f"columns {list(ours.columns)} and {list(theirs.columns)}"]
    if len(ours) != len(theirs):
        return [f"{len(ours)} and {len(theirs)} rows"]
    found = []
    for name in ours.columns:
        if _numbers_agree(ours[name].to_numpy(), theirs[name].to_numpy(), tolerance):
            continue
        for row, (a, b) in enumerate(zip(ours[name], theirs[name], strict=True)):
            if not agree(a, b, tolerance):
                found.append(f"{name}, row {row}: {a!r} and {b!r}")
    return found


def assert_same(ours: pd.DataFrame, theirs: pd.DataFrame, tolerance: float = 1e-12) -> None:
    """Not to the last bit: sums over rows in another order, as of another thread, may differ by it."""
    found = differences(ours.reset_index(drop=True), theirs.reset_index(drop=True), tolerance)
    assert not found, "\n".join(found)


def _numbers_agree(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    """Whether two columns are of numbers that all agree, as `agree` says of each."""
    if a.dtype.kind not in "fiu" or b.dtype.kind not in "fiu":
        return False
    a, b = a.astype(float), b.astype(float)
    with np.errstate(invalid="ignore"):
        near = np.isfinite(a) & np.isfinite(b) & (np.abs(a - b) <= tolerance * np.maximum(1.0, np.abs(b)))
    return bool((near | (a == b) | (np.isnan(a) & np.isnan(b))).all())


def agree(a: Any, b: Any, tolerance: float = 1e-9) -> bool:
    """|a − b| <= tolerance · max(1, |b|) for numbers, undefined only with undefined, equality for the rest."""
    if is_missing(a) or is_missing(b):
        return is_missing(a) and is_missing(b)
    if isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    if np.isinf(float(a)) or np.isinf(float(b)):
        return float(a) == float(b)
    return abs(float(a) - float(b)) <= tolerance * max(1.0, abs(float(b)))


def is_missing(value: Any) -> bool:
    """NULL or NaN, in any of the forms that a DataFrame has for it."""
    return value is None or value is pd.NA or (isinstance(value, float | np.floating) and bool(np.isnan(value)))


def slices_of(data: pd.DataFrame, by: list[str]) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    """Every slice with its rows, NULL being a value of its own; all rows under () without slice columns."""
    if not by:
        yield (), data
        return
    keys = [tuple(None if is_missing(v) else v for v in row) for row in data[by].itertuples(index=False)]
    for key in dict.fromkeys(keys):
        yield key, data[[one == key for one in keys]]
