"""The catalogue: what the metric files under `sql/macros` say of themselves.

A metric file opens with a Jinja comment that holds YAML, and goes on with the macros that the comment promises. Nothing
about a metric is written anywhere else; this module reads the files and refuses one that contradicts itself.
"""

from __future__ import annotations

import functools
import keyword
import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from .errors import BadMetricFile, UnknownMetric, did_you_mean
from .plain_yaml import NestedTooDeeply, RepeatedKey, read_yaml

#: How files are read: some editors put a byte order mark before the text.
TEXT = "utf-8-sig"
_COMMENT = re.compile(r"\A\s*\{#-?(.*?)-?#\}", re.DOTALL)
_MACRO = re.compile(r"\{%-?\s*macro\s+(\w+)\s*\(")
_SIGNATURE = re.compile(r"\{%-?\s*macro\s+\w+?__(\w+)\s*\(([^)]*)\)")
#: What the macros of a metric are called with, in this order; `column` may be left out.
_ARGUMENTS = {
    **dict.fromkeys(["value", "per_group", "influence", "height", "at_cut", "held"], ("m",)),
    "table": ("m", "f", "keys"),
    "query": ("m", "rows_from", "keys"),
    "cells": ("m", "f", "rows_from", "keys", "carried"),
}
_PARAMETER_USE = re.compile(r"\bm\.(\w+)")
#: What templates ask of the `uses` of metrics.
_ASKED_FOR = re.compile(r"'(\w+)' (?:not )?in [fm]\.uses\b")
_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")

#: Every role and what it holds, in the order in which signatures and help list them.
ROLES: dict[str, str] = {
    "label": "truth: 0/1 or boolean; graded relevance >= 0; a class; or a number; the rating of an agreement",
    "score": "prediction: probability, ranking score or predicted value; higher is more positive, earlier",
    "prediction": "predicted class, instead of a score and a threshold",
    "group": "user, query or session: the unit inside which ranks are made; the rated item of an agreement",
    "item": "item or document id",
    "rank": "place in the list, the least first, instead of score; places are counted anew, so that gaps do not count",
    "tie_key": "orders equal scores, descending, NULL last; by default the item does. Where a metric has ties, under "
    "ties='key'",
    "weight": "row weight >= 0: a sampling weight or a row count; off-policy metrics multiply it by target / "
    "propensity",
    "positives": "positive rows behind a pre-aggregated row, instead of label",
    "total": "all rows behind a pre-aggregated row; n, rows and min_rows count these",
    "group_weight": "weight of a group in the mean of a ranking metric, constant inside the group; beside judgments "
    "it wants missing='skip'",
    "field": "column over whose values the calibration is taken",
    "p_price": "probability mass of the observed market price",
    "p_survive": "probability that the market price lies above the own bid",
    "won": "whether the own bid won, 0/1 or boolean",
    "reward": "what the logged action earned: a click as 0/1 or boolean, or a number",
    "propensity": "probability with which the log's policy chose the action; in a ranking, that the user saw the item",
    "position": "place at which the log showed the item, instead of propensity: propensities tells that of each place",
    "target": "probability with which the policy in question would have chosen it",
    "q_action": "predicted reward of the logged action",
    "q_policy": "predicted reward of the policy in question: the mean over its choice of actions",
    "lower_bound": "lower end of the predicted interval",
    "upper_bound": "upper end of the predicted interval",
    "treatment": "whether the row was treated (shown the ad, given the offer), 0/1 or boolean",
    "duration": "how long until the event or, of a row without it, until nothing more was seen of it",
    "subtopic": "aspect of the query (subtopic, intent) for which a row says how relevant its item is",
}

#: Further relations that a metric may read beside the data, and what they hold.
RELATIONS: dict[str, str] = {
    "judgments": "relation with the columns of group, item and label, and of subtopic where that is a role: truth "
    "that may hold items never returned; a group of the data that it does not know is left out",
    "catalog": "relation of all items, with the column of item",
    "similarity": "relation of item_a, item_b, similarity; (a, b) is (b, a)",
    "popularity": "relation of how often each item was seen: the column of item, and count",
    "history": "relation of what each group had before, as what a user chose: the columns of group and item",
    "item_categories": "relation of the categories of items, as genres: the column of item, and category",
    "expected_items": "relation of the items that are no surprise, as the most popular ones, with the column of item",
    "embeddings": "relation of the vectors of items: the column of item, dimension and value",
    "propensities": "relation with a row per place, position, and how likely an item is seen there, propensity",
}
#: Those without which a metric that reads them can be asked for.
OPTIONAL_RELATIONS = ("judgments", "propensities")

#: What people ask, in the order of the catalogue page; a metric file says under `answers` which of them it helps with.
QUESTIONS: dict[str, str] = {
    "better": "Is model B better than model A? (`sqlmetrics.compare` says how sure that is)",
    "order": "Does it score positives above negatives?",
    "rare": "Does it find positives where they are rare?",
    "order_in_groups": "Does it put the rows of one user or one query in the right order?",
    "same_order": "How alike are two rankings of the same queries, of an old model and a new one?",
    "top": "Are the right items on top of the list?",
    "found": "Are the relevant items found at all?",
    "drifted": "Have the scores drifted, or what the model is fed? (`sqlmetrics.drift` says how far, without a truth)",
    "calibrated": "Is it calibrated: do clicks come as often as predicted?",
    "calibrated_for": "On which device, campaign or group is it not calibrated?",
    "probabilities": "How good are the probabilities?",
    "cut_off": "Which cut-off (threshold) is best?",
    "calls": "How many calls at a cut-off are right, and how many are false alarms or misses?",
    "top_share": "How much is gained by taking only the highest scores?",
    "classes": "How good is a classifier of several classes, in one number?",
    "confused": "Which class is taken for which?",
    "raters": "Do those who label the rows agree?",
    "error": "How far are predicted numbers from the truth?",
    "percent": "How far are they off in percent, or in orders of magnitude?",
    "bias": "Does it predict too much or too little?",
    "explained": "How much of the variation is explained?",
    "quantile": "How good is a predicted quantile, such as the median?",
    "varied": "Are recommended lists varied, and more than the most popular items?",
    "shown": "Are all items shown, or only a few?",
    "price": "Is the predicted distribution of the winning price right?",
    "policy": "What would another policy have earned on this log?",
    "uplift": "Does it find those whom a treatment changes?",
    "sooner": "Does it find those to whom it happens sooner (a cancellation, a failure, a death)?",
}

_TRUTHS = ("binary", "number", "relevance", "ranking", "class", "binary or class", None)
_SCORES = ("number", "probability", "threshold", "class", None)
#: The types of parameters without choices.
_TYPES = ("integer", "number", "boolean", "columns", "quantiles")
#: What is neither a metric nor a frame.
_MACRO_FOLDERS = ("planning", "composing", "inference", "inspecting", "states", "primitives", "dialects")
_GROUPED_FRAMES = (
    "group_scores", "ranked_items", "subtopic_items", "list_overlaps", "item_pairs", "listed_items", "listed_pairs",
    "list_popularity", "list_categories", "listed_vectors", "surprising_items",
)  # fmt: skip
#: What counts rows one by one, of which a weight would have no meaning.
_UNWEIGHTED_FRAMES = ("rated_items",)
#: Where items of equal scores are in no order, so that nothing orders them.
_UNORDERED_FRAMES = ("item_pairs",)
#: What `m` holds in a template beside parameters, and what every dict has: `m.items` would be its method.
_OF_TEMPLATES = {
    "name", "as", "frame", "truth", "requires", "uses", "group_weight", "column", "columns", "names", "class_scores",
    "quantile_columns", "judged", "two_level", "banded", "bands", "best_value", "cte", "direction", "formula",
    "frame_parameters", "frames", "group_columns", "has_cut", "has_held", "has_influence", "has_value", "interval",
    "label_is_there", "moved", "no_weight", "number", "of_parts", "order", "query", "range", "row_count", "state",
    "state_name", "stratum", "sums", "table", "written_as", "zero_without_rows",
    *(name for name in dir(dict) if not name.startswith("_")),
}  # fmt: skip
_KEYS = {
    "title", "formula", "frame", "uses", "truth", "score", "columns", "table", "order", "lower", "upper", "unbounded",
    "better", "ideal", "scale", "undefined", "oracle",
    "source", "parameters", "example", "notes", "roles", "relations", "needs", "companions", "group_columns", "names",
    "computed", "rules", "answers", "no_interval", "no_weight", "intervals",
}  # fmt: skip
_REQUIRED_KEYS = {"title", "formula", "frame", "undefined", "oracle", "source", "example"}
#: What the keys hold that are nothing else: texts, lists of texts, dicts, and dicts of such lists.
_TEXTS = ("title", "formula", "scale", "undefined", "oracle", "source", "notes", "no_interval", "no_weight")
_LISTS = ("columns", "order", "uses", "relations")
_DICTS = ("example", "unbounded", "names", "roles", "computed", "needs", "companions", "group_columns")
_DICTS_OF_LISTS = ("needs", "companions", "group_columns")
_RULE_KEYS = {"column", "keeps", "words"}
_FRAME_KEYS = {
    "title", "rows", "columns", "step", "counts", "totals", "diagnostics", "diagnostics_read", "group_values", "unit",
    "moved", "held", "state", "stateless", "parameters", "metric_parameters", "needs", "relations", "slices",
}  # fmt: skip


def sql_root() -> Path:
    """The folder of the SQL: beside the modules in an installed package, `../sql` in a checkout."""
    installed = Path(__file__).parent / "_sql"
    return installed if installed.is_dir() else Path(__file__).parent.parent / "sql"


@dataclass(frozen=True)
class Parameter:
    """One parameter of a metric: its default, the values it takes and what it means."""

    name: str
    doc: str
    default: Any = None
    required: bool = False
    type: str = "choice"
    choices: Mapping[str, str] = field(default_factory=dict)
    minimum: float | None = None
    maximum: float | None = None
    presets: Mapping[str, Any] = field(default_factory=dict)
    used_by: Mapping[str, str] = field(default_factory=dict)

    @property
    def names_columns(self) -> bool:
        """Whether it is a dict whose values are columns."""
        return self.type in ("columns", "quantiles")

    def expected(self) -> str:
        """The values it takes, in words."""
        choices = " or ".join(repr(choice) for choice in self.choices)
        if self.type == "choice":
            return choices
        if self.type == "columns":
            return "a dict of class and column, as in {'cat': 'p_cat', 'dog': 'p_dog'}"
        if self.type == "quantiles":
            return "a dict of levels between 0 and 1, each once, and columns, as in {0.1: 'p10', 0.9: 'p90'}"
        if self.type == "boolean":
            return "True or False"
        bounds = [f">= {self.minimum}"] if self.minimum is not None else []
        bounds += [f"<= {self.maximum}"] if self.maximum is not None else []
        words = "a whole number" if self.type == "integer" else "a number"
        return f"{words} {' and '.join(bounds)}".strip() + (f" or {choices}" if choices else "")


@dataclass(frozen=True, eq=False)
class Metric:
    """What one metric file declares."""

    name: str
    family: str
    path: Path
    title: str
    formula: str
    frames: tuple[str, ...]
    truth: str | None
    score: str | None
    columns: tuple[str, ...]
    table: bool
    order: tuple[str, ...]
    uses: tuple[str, ...]
    #: The ends of what it can be; None where there is none, or with a parameter that `unbounded` names.
    lower: float | None
    upper: float | None
    unbounded: Mapping[str, Any]
    #: "higher" or "lower"; None where neither is, or a value is the best.
    better: str | None
    #: The best value, where one in the middle is.
    ideal: float | None
    #: What points of its scale mean, and its unit.
    scale: str
    undefined: str
    #: Why it has no interval; empty where it has one.
    no_interval: str
    #: Why it takes no weight of rows, where others of its truth do; empty where it does.
    no_weight: str
    #: Of a table, the sums and ratios of which the intervals of its columns are made; empty where there are none.
    bands: Mapping[str, Any]
    oracle: str
    source: str
    parameters: Mapping[str, Parameter]
    frame_parameters: Mapping[str, Any]
    example: Mapping[str, Any]
    notes: str
    names: Mapping[str, str]
    answers: tuple[str, ...]
    extra_roles: Mapping[str, bool]
    relations: tuple[str, ...]
    needs: Mapping[str, tuple[str, ...]]
    companions: Mapping[str, tuple[str, ...]]
    group_columns: Mapping[str, tuple[str, ...]]
    computed: Mapping[str, Mapping[str, Any]]
    rules: tuple[Mapping[str, str], ...]
    query: bool
    has_value: bool
    has_group_value: bool
    has_influence: bool
    has_cut: bool
    has_held: bool
    builtin: bool

    @property
    def range(self) -> str:
        """Its range in words."""
        match self.lower, self.upper:
            case None, None:
                ends = "" if self.table else "any"
            case None, upper:
                ends = f"at most {upper}"
            case lower, None:
                ends = f"{lower} and up"
            case lower, upper:
                ends = f"{lower} to {upper}"
        words = ", ".join(filter(None, [ends, self.scale, self.better and f"{self.better} is better"]))
        return "; ".join([words, *(f"any with {name}={value!r}" for name, value in self.unbounded.items())])

    @property
    def direction(self) -> str | None:
        """Where its values should go: "higher", "lower", "near 1" or "near 0"; None where its file does not say."""
        return self.better if self.ideal is None else f"near {self.ideal}"

    @property
    def grouped(self) -> bool:
        """Whether ranks are made inside groups."""
        return self.frames[-1] in _GROUPED_FRAMES

    def roles(self) -> dict[str, bool]:
        """Its roles, and whether each has to be given (alternatives count as not required)."""
        roles: dict[str, bool] = dict(self.extra_roles)
        if self.truth in ("binary", "binary or class"):
            roles |= {"label": False, "positives": False, "total": False, "weight": False}
        elif self.truth in ("relevance", "ranking"):
            roles |= {"label": True, "group_weight": False}
            roles |= {"item": roles.get("item", False)} if "judgments" in self.relations else {}
        elif self.truth is not None:
            roles |= {"label": True}
            roles |= {"weight": False} if self.frames[-1] not in _UNWEIGHTED_FRAMES else {}
        if self.score == "class":
            roles["prediction"] = True
        elif self.score == "threshold":
            roles |= {"score": False, "prediction": False}
        elif self.score is not None:
            roles["score"] = not self.grouped or self.truth == "binary"
        if self.grouped and self.truth != "binary":
            roles |= {"rank": False} | ({"tie_key": False} if self.frames[-1] not in _UNORDERED_FRAMES else {})
        if self.grouped:
            roles["group"] = True
        if "propensities" in self.relations:
            roles |= {"propensity": False, "position": False}
        if self.no_weight:
            roles.pop("weight", None)
        return {role: roles[role] for role in ROLES if role in roles}


@dataclass(frozen=True)
class Frame:
    """What one frame file declares: what a row of it is, how rows of the log are counted in it, its parameters.

    `step` is the name of its last step (None where the rows of the log are the frame), `group_values` is "columns"
    where that step has a column per metric for its value of a group, `diagnostics` are aggregates over it by name, of
    the columns `diagnostics_read` where not all metrics of the frame read the same.
    `moved` are the columns that rows of the log move, where a macro of the frame says how, `held` those that stay.
    """

    name: str
    rows: str
    step: str | None
    counts: str
    totals: str
    diagnostics: Mapping[str, str]
    diagnostics_read: tuple[str, ...]
    group_values: str | None
    unit: str | None
    moved: tuple[str, ...]
    held: tuple[str, ...]
    state: str | Mapping[str, Any] | None
    stateless: str | None
    parameters: Mapping[str, Parameter]
    metric_parameters: Mapping[str, Parameter]
    needs: Mapping[str, tuple[str, ...]]
    relations: tuple[str, ...]
    slices: str | None = None


@dataclass(frozen=True)
class Dialect:
    """What one dialect file declares: whose macros it takes where it has none, and whether tests run on its engine."""

    name: str
    title: str
    parent: str | None = None
    tested: bool = False
    #: What runs every metric in its stead.
    stand_in: str = ""

    @property
    def evidence(self) -> str:
        """What tests do with every metric in this dialect."""
        if self.tested:
            return "run on the engine"
        return "run on a stand-in" if self.stand_in else "read by parsers"


@functools.cache
def dialects() -> dict[str, Dialect]:
    """The dialects by name, those first of which an engine runs every test."""
    found = []
    paths = sorted((sql_root() / "macros" / "dialects").glob("*.sql"))
    for path in paths:
        front = _head(path, {"title", "parent", "tested", "stand_in"}, {"title"})
        others = [other.stem for other in paths if other != path]
        if front.get("parent") not in (None, *others):
            raise BadMetricFile(f"{path}: parent must be one of {', '.join(others)}, not {front['parent']!r}")
        found.append(Dialect(name=path.stem, **front))
    return {dialect.name: dialect for dialect in sorted(found, key=lambda dialect: not dialect.tested)}


def _folded(name: str) -> str:
    """A name without what spellings differ in: case, marks, a cut, British or American letters."""
    bare = re.sub(r"(?:[_@]|\bat\b)\d+\Z", "", name.strip().lower())
    return re.sub(r"[^a-z0-9]", "", bare.replace("ised", "ized"))


class Catalogue:
    """All metrics by name: those of `sql/` and those a user has registered."""

    def __init__(self, root: Path, extra: Iterable[Path] = ()) -> None:
        self.root = root
        self.metrics: dict[str, Metric] = {}
        self.macros: dict[str, Path] = {}
        self.frames: dict[str, Frame] = {}
        self._asked_for: set[str] = set()
        for path in sorted((root / "macros" / "frames").glob("*.sql")):
            self._add_macros(path)
            self.frames[path.stem] = _frame(path)
        for path in sorted((root / "macros").rglob("*.sql")):
            if path.parent.name in ("frames", "generated"):
                continue
            if path.parent.name in _MACRO_FOLDERS or path.parent == root / "macros":
                self._add_macros(path)
            else:
                self._add_metric(path, builtin=True)
        for path in extra:
            self._add_metric(path, builtin=False)
        self._check_uses()

    def __getitem__(self, name: str) -> Metric:
        try:
            return self.metrics[name]
        except KeyError:
            raise UnknownMetric(f"there is no metric {name!r}{self.metric_meant(name)}") from None

    def metric_meant(self, name: str) -> str:
        """The metric that a name may mean, as a question: by the names of other tools, or by one that is much alike."""
        known = self._by_other_names()
        # trec_eval's recall_10 is its recall_K.
        metric, other = known.get(_folded(re.sub(r"\d+\Z", "K", name)), known.get(_folded(name), ("", "")))
        of_family = [one.name for one in self.metrics.values() if one.family == name]
        if of_family:
            return f" (it is a family of metrics: {', '.join(of_family)})"
        if not metric:
            return did_you_mean(name, self.metrics)
        return f" (did you mean {metric!r}{other}?)"

    def _by_other_names(self) -> dict[str, tuple[str, str]]:
        """By folded name the metric, and whose name it is, in words. Its own name goes before a tool's, and that before
        its title."""
        found: dict[str, tuple[str, str]] = {}
        for metric in self.metrics.values():
            found[_folded(metric.name)] = (metric.name, "")
        for metric in self.metrics.values():
            for tool, names in metric.names.items():
                for name in names.split(", "):
                    # A remark in brackets tells averages or presets apart; of several metrics the first is as good.
                    bare = name.partition(" (")[0].partition("(")[0]
                    for form in (bare, re.sub(r"[_@]K\Z", "", bare), re.sub(r"_(score|loss|error)\Z", "", bare)):
                        found.setdefault(_folded(form), (metric.name, f", {tool}'s {bare}"))
        for metric in self.metrics.values():
            found.setdefault(_folded(metric.title.partition("(")[0]), (metric.name, ""))
        return found

    def with_metrics(self, paths: Iterable[Path]) -> Catalogue:
        """A catalogue that also holds the metric files at `paths`; this one stays as it is."""
        other = Catalogue.__new__(Catalogue)
        other.root, other.frames = self.root, self.frames
        other.metrics, other.macros = dict(self.metrics), dict(self.macros)
        other._asked_for = set(self._asked_for)
        for path in paths:
            other._add_metric(path, builtin=False)
        other._check_uses()
        return other

    def _check_uses(self) -> None:
        """What a metric uses must be something that a template asks for."""
        for metric in self.metrics.values():
            for name in metric.uses:
                if name not in self._asked_for:
                    meant = did_you_mean(name, self._asked_for)
                    raise BadMetricFile(f"{metric.path}: uses: there is nothing called {name!r} in a frame{meant}")

    def user_files(self) -> list[Path]:
        """The files of the registered metrics."""
        return [metric.path for metric in self.metrics.values() if not metric.builtin]

    def _add_macros(self, path: Path) -> None:
        text = path.read_text(encoding=TEXT)
        for macro in _MACRO.findall(text):
            self.macros[macro] = path
        self._asked_for.update(_ASKED_FOR.findall(text))

    def _add_metric(self, path: Path, builtin: bool) -> None:
        metric = _metric(path, self.frames, builtin)
        known = self.metrics.get(metric.name)
        if known is not None and known.path != path:
            raise BadMetricFile(f"{path}: there is already a metric {metric.name!r}, in {known.path}")
        self.metrics[metric.name] = metric
        self._add_macros(path)


def _front_matter(path: Path) -> dict[str, Any] | None:
    text = path.read_text(encoding=TEXT)
    found = _COMMENT.match(text)
    if found is None or not found[1].lstrip().startswith("title:"):
        return None
    try:
        front = read_yaml(found[1])
    except RepeatedKey as error:
        raise BadMetricFile(f"{path}: the comment at the top: {error}") from error
    except NestedTooDeeply as error:
        raise BadMetricFile(f"{path}: the comment at the top is {error}") from error
    except (yaml.YAMLError, ValueError) as error:  # a number of too many digits is a ValueError
        problem = str(error).replace("\n", " ")
        raise BadMetricFile(f"{path}: the comment at the top is not YAML: {problem}") from error
    if not isinstance(front, dict):
        raise BadMetricFile(f"{path}: the comment at the top must hold `key: value` lines")
    return front


def _parameters(path: Path, declared: Any) -> dict[str, Parameter]:
    parameters = {}
    if not isinstance(declared or {}, dict):
        raise BadMetricFile(f"{path}: parameters must be `name: …` lines, not {declared!r}")
    for name, entry in (declared or {}).items():
        if not isinstance(name, str) or not _NAME.match(name):
            raise BadMetricFile(f"{path}: a parameter's name must be a lower-case word, not {name!r}")
        if name in _OF_TEMPLATES or name in ROLES or name in RELATIONS or keyword.iskeyword(name):
            raise BadMetricFile(f"{path}: parameter {name!r}: the name is taken, in calls or templates; choose another")
        if not isinstance(entry, dict) or not isinstance(entry.get("doc"), str):
            raise BadMetricFile(f"{path}: parameter {name!r} needs a doc, a text")
        known = {"type", "default", "required", "choices", "minimum", "maximum", "doc", "presets", "used_by"}
        unknown = set(entry) - known
        if unknown:
            raise BadMetricFile(f"{path}: parameter {name!r} has unknown keys: {_in_words(unknown)}")
        kind = entry.get("type", "choice")
        if kind not in ("choice", *_TYPES) or (kind == "choice" and "choices" not in entry):
            raise BadMetricFile(f"{path}: parameter {name!r} needs choices, or a type: {', '.join(_TYPES)}")
        if ("default" in entry) == entry.get("required", False) or not isinstance(entry.get("required", False), bool):
            raise BadMetricFile(f"{path}: parameter {name!r} needs a default, or required: true, and not both")
        _check_values(path, name, kind, entry)
        parameters[name] = Parameter(name=name, **entry)
    return parameters


def _check_values(path: Path, name: str, kind: str, entry: dict[Any, Any]) -> None:
    """What a parameter's declaration says of its values is what will be compared with them."""
    where = f"{path}: parameter {name!r}"
    if kind == "choice" and _is_list_of_texts(entry["choices"]):
        entry["choices"] = dict.fromkeys(entry["choices"], "")  # without a word on each
    for key in ("choices", "presets", "used_by"):
        if key in entry and not (isinstance(entry[key], dict) and entry[key]):
            raise BadMetricFile(f"{where}: {key} must be `name: …` lines, not {entry[key]!r}")
    if not all(isinstance(text, str) for choice in entry.get("choices", {}).items() for text in choice):
        raise BadMetricFile(f"{where}: choices must be texts, each with what it means; put them in quotes")
    for key in ("minimum", "maximum"):
        bound = entry.get(key)
        if bound is None:
            continue
        if isinstance(bound, bool) or not isinstance(bound, int | float) or not abs(bound) <= 1e300:
            raise BadMetricFile(f"{where}: {key} must be a number, not {bound!r}")
        if kind not in ("integer", "number"):
            raise BadMetricFile(f"{where}: {key} has a meaning for a number or an integer only")
    if entry.get("minimum") is not None and entry.get("maximum") is not None and entry["minimum"] > entry["maximum"]:
        raise BadMetricFile(f"{where}: the minimum must not be above the maximum")


def _in_words(names: Iterable[Any]) -> str:
    """Names as an error lists them, which are texts as a rule."""
    return ", ".join(sorted(map(str, names)))


def _head(path: Path, known: AbstractSet[str], required: AbstractSet[str]) -> dict[str, Any]:
    """What the comment at the top of a file says: nothing but the known keys, and the required ones."""
    front = _front_matter(path)
    if front is None:
        raise BadMetricFile(f"{path}: it must open with a comment {{#- title: … -#}}")
    unknown, missing = set(front) - known, required - set(front)
    if unknown or missing:
        words = [f"unknown: {_in_words(unknown)}"] if unknown else []
        words += [f"missing: {_in_words(missing)}"] if missing else []
        raise BadMetricFile(f"{path}: the keys of the comment at the top are wrong ({'; '.join(words)})")
    return front


def _frame(path: Path) -> Frame:
    front = _head(path, _FRAME_KEYS, {"title", "rows", "columns"})
    for key, values in {"unit": ("row", "group"), "slices": ("columns",), "group_values": ("columns",)}.items():
        if str(front.get(key, values[0])).partition(" when ")[0] not in values:
            raise BadMetricFile(f"{path}: {key} must be {' or '.join(values)}, not {front[key]!r}")
    if front.get("step") != "none" and path.stem not in _MACRO.findall(path.read_text(encoding="utf-8")):
        raise BadMetricFile(f"{path}: there is no macro {path.stem}, which returns the steps")
    if ("moved" in front) != (f"{path.stem}__moved" in _MACRO.findall(path.read_text(encoding="utf-8"))):
        raise BadMetricFile(f"{path}: moved is for columns that rows move, as a macro {path.stem}__moved says")
    return Frame(
        name=path.stem,
        rows=front["rows"],
        step=None if front.get("step") == "none" else front.get("step", path.stem),
        counts=front.get("counts", "sum(row_count)"),
        totals=front.get("totals", "sum(pos + neg)"),
        diagnostics=front.get("diagnostics", {}),
        diagnostics_read=tuple(front.get("diagnostics_read", [])),
        group_values=front.get("group_values"),
        unit=front.get("unit"),
        moved=tuple(front.get("moved", [])),
        held=tuple(front.get("held", [])),
        state=front.get("state", front.get("unit")),
        stateless=front.get("stateless"),
        parameters=_parameters(path, front.get("parameters")),
        metric_parameters=_parameters(path, front.get("metric_parameters")),
        needs=front.get("needs") or {},
        relations=tuple(front.get("relations", [])),
        slices=front.get("slices"),
    )


def _metric(path: Path, frames: Mapping[str, Frame], builtin: bool) -> Metric:
    if not path.is_file():
        raise BadMetricFile(f"{path}: there is no such metric file")
    try:
        text = path.read_text(encoding=TEXT)
    except (OSError, UnicodeDecodeError) as error:
        raise BadMetricFile(f"{path}: cannot be read as UTF-8 text: {error}") from error
    name = path.stem
    if not _NAME.match(name):
        raise BadMetricFile(f"{path}: a metric's file name must be a lower-case word, as in auc.sql")
    front = _head(path, _KEYS, _REQUIRED_KEYS)
    # A key that nothing follows is as good as none.
    front = {key: value for key, value in front.items() if value is not None or key in _REQUIRED_KEYS}
    _check_kinds(path, front)
    frame_names = front["frame"] if isinstance(front["frame"], list) else [front["frame"]]
    for frame in frame_names:
        if frame not in frames and frame != "none":
            raise BadMetricFile(f"{path}: there is no frame {frame!r}; there are {', '.join(frames)}")
    frame_names = ["rows" if frame == "none" else frame for frame in frame_names]
    if front.get("truth") not in _TRUTHS or front.get("score") not in _SCORES:
        raise BadMetricFile(
            f"{path}: truth is one of binary, number, relevance, ranking, class, binary or class; "
            "score one of number, probability, threshold, class"
        )
    if frame_names[-1] == "ranked_scores":
        raise BadMetricFile(f"{path}: frame ranked_scores counts rows, not weights: write [ranked_scores, thresholds]")
    frame = frames[frame_names[-1]]
    parameters = _metric_parameters(path, front.get("parameters") or {}, frame)
    table = bool(front.get("table", False))
    metric = Metric(
        name=name,
        family=path.parent.name,
        path=path,
        title=front["title"],
        formula=front["formula"],
        frames=tuple(frame_names),
        truth=front.get("truth"),
        score=front.get("score"),
        columns=tuple(front.get("columns", [name])),
        table=table,
        order=tuple(_with_direction(str(column)) for column in front.get("order", [])),
        uses=tuple(front.get("uses", [])),
        **_scale(path, front, parameters),
        undefined=front["undefined"],
        no_interval=front.get("no_interval", ""),
        no_weight=front.get("no_weight", ""),
        bands=_bands(path, front),
        oracle=front["oracle"],
        source=front["source"],
        parameters=parameters,
        frame_parameters={name: parameter.default for name, parameter in frame.parameters.items()},
        example=front["example"],
        notes=front.get("notes", ""),
        names=front.get("names") or {},
        answers=_answers(path, front.get("answers") or []),
        extra_roles={role: kind == "required" for role, kind in (front.get("roles") or {}).items()},
        relations=(*frame.relations, *front.get("relations", [])),
        needs={key: tuple(roles) for key, roles in {**frame.needs, **(front.get("needs") or {})}.items()},
        companions={key: tuple(names) for key, names in (front.get("companions") or {}).items()},
        group_columns={key: tuple(names) for key, names in (front.get("group_columns") or {}).items()},
        computed=front.get("computed") or {},
        rules=tuple(front.get("rules") or ()),
        query=f"{name}__query" in _MACRO.findall(text),
        has_value=f"{name}__value" in _MACRO.findall(text),
        has_group_value=f"{name}__per_group" in _MACRO.findall(text),
        has_influence=f"{name}__influence" in _MACRO.findall(text),
        has_cut=f"{name}__at_cut" in _MACRO.findall(text),
        has_held=f"{name}__held" in _MACRO.findall(text),
        builtin=builtin,
    )
    _check_macros(metric, text, frame)
    _check_roles(metric, front)
    return metric


def _scale(path: Path, front: Mapping[str, Any], parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Between what ends its values lie, and which of them are good."""
    scale = {key: front.get(key) for key in ("lower", "upper", "better", "ideal")}
    for key in ("lower", "upper", "ideal"):
        if scale[key] is not None and (not isinstance(scale[key], int | float) or isinstance(scale[key], bool)):
            raise BadMetricFile(f"{path}: {key} must be a number, not {scale[key]!r}")
    if scale["better"] not in ("higher", "lower", None):
        raise BadMetricFile(f"{path}: better must be higher or lower, not {scale['better']!r}")
    if scale["better"] is not None and scale["ideal"] is not None:
        raise BadMetricFile(f"{path}: say what is better or what is ideal, not both")
    unbounded = front.get("unbounded", {})
    for name, value in unbounded.items():
        if name not in parameters or value not in list(parameters[name].choices):
            raise BadMetricFile(f"{path}: unbounded must name a choice of a parameter, not {name}: {value!r}")
    return {**scale, "scale": front.get("scale", ""), "unbounded": unbounded}


def _check_kinds(path: Path, front: Mapping[str, Any]) -> None:
    """Each key holds what will be read from it."""
    if not (isinstance(front["frame"], str) or (front["frame"] and _is_list_of_texts(front["frame"]))):
        raise BadMetricFile(f"{path}: frame must be a frame, or a list as in [a, b], not {front['frame']!r}")
    if "columns" in front and not front["columns"]:
        raise BadMetricFile(f"{path}: columns must name one at least")
    if isinstance(front["example"], dict) and "result" not in front["example"]:
        raise BadMetricFile(f"{path}: example must say its result")
    for key, value in front.items():
        if key in _TEXTS and not isinstance(value, str):
            raise BadMetricFile(f"{path}: {key} must be a text, not {value!r}")
        if key in _LISTS and not _is_list_of_texts(value):
            raise BadMetricFile(f"{path}: {key} must be a list of names, as in [a, b], not {value!r}")
        if key in _DICTS and not isinstance(value, dict):
            raise BadMetricFile(f"{path}: {key} must be `name: …` lines, not {value!r}")
        if key in _DICTS_OF_LISTS and not all(map(_is_list_of_texts, value.values())):
            raise BadMetricFile(f"{path}: {key} must hold lists, as in {{name: [a, b]}}, not {value!r}")
    if not isinstance(front.get("table", False), bool):
        raise BadMetricFile(f"{path}: table must be true or false, not {front['table']!r}")
    for name, computed in front.get("computed", {}).items():
        if (
            not isinstance(computed, dict)
            or set(computed) != {"by", "roles"}
            or not _is_list_of_texts(computed["roles"])
        ):
            raise BadMetricFile(f"{path}: computed: {name!r} must say `by` and a list of `roles`, not {computed!r}")
    rules = front.get("rules", [])
    if not isinstance(rules, list):
        raise BadMetricFile(f"{path}: rules must be a list, not {rules!r}")
    for rule in rules:
        if not isinstance(rule, dict) or not _RULE_KEYS <= set(rule) <= _RULE_KEYS | {"beside", "keeps_whole", "with"}:
            raise BadMetricFile(f"{path}: rules: each must say column, keeps and words, not {rule!r}")


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _check_roles(metric: Metric, front: Mapping[str, Any]) -> None:
    """Roles, relations and parameters that a declaration names are those that there are."""
    for role, kind in front.get("roles", {}).items():
        if kind not in ("required", "optional"):
            raise BadMetricFile(f"{metric.path}: roles: {role!r} must be required or optional, not {kind!r}")
    if "position" in front.get("roles", {}):
        raise BadMetricFile(f"{metric.path}: roles: position comes with `relations: [propensities]`, and not alone")
    if metric.no_weight and (metric.truth is None or metric.grouped or metric.frames[-1] in _UNWEIGHTED_FRAMES):
        raise BadMetricFile(f"{metric.path}: no_weight: it has no role weight that could be left out")
    in_needs = [role for roles in metric.needs.values() for role in roles]
    in_computed = [role for computed in metric.computed.values() for role in computed["roles"]]
    for role in (*metric.extra_roles, *in_needs, *in_computed):
        if role not in ROLES:
            raise BadMetricFile(f"{metric.path}: there is no role {role!r}; there are {', '.join(ROLES)}")
    for relation in metric.relations:
        if relation not in RELATIONS:
            raise BadMetricFile(f"{metric.path}: there is no relation {relation!r}; there are {', '.join(RELATIONS)}")
    conditions = [*metric.needs, *metric.companions, *metric.group_columns]
    conditions += [name for rule in metric.rules for name in rule.get("with", ())]
    for parameter in (key.partition("=")[0] for key in conditions):
        if parameter not in metric.parameters:
            raise BadMetricFile(f"{metric.path}: parameter {parameter!r} is named but not declared")
    # Of a column that is not read no rule is looked at. These four are read under other names.
    read = (set(metric.roles()) - {"group", "item", "field", "rank"}) | set(metric.computed)
    for rule in metric.rules:
        if rule["column"] not in read:
            wanted = ", ".join(sorted(read))
            raise BadMetricFile(f"{metric.path}: rules: column must be one of {wanted}, not {rule['column']!r}")


def _answers(path: Path, declared: Any) -> tuple[str, ...]:
    if not isinstance(declared, list) or not all(isinstance(one, str) and one in QUESTIONS for one in declared):
        raise BadMetricFile(f"{path}: answers must be a list of some of {', '.join(QUESTIONS)}, not {declared!r}")
    return tuple(declared)


def _with_direction(column: str) -> str:
    """A column of `order`, ascending where the file does not say: without a word an engine goes by its settings."""
    return column if column.lower().endswith((" asc", " desc")) else f"{column} asc"


def _bands(path: Path, front: Mapping[str, Any]) -> dict[str, Any]:
    """`intervals` of a table: `sums: {tp: pos here}`, `ratios: {tpr: tp / positives}`, `mark` and `order` of a row."""
    declared = front.get("intervals")
    if declared is None:
        return {}
    wrong = f"{path}: intervals"
    if not front.get("table") or not isinstance(declared, dict) or not {"mark", "sums", "ratios"} <= set(declared):
        raise BadMetricFile(f"{wrong} is for tables, and says mark, sums and ratios")
    sums = {}
    for name, text in declared["sums"].items():
        of, _, reach = str(text).rpartition(" ")
        if reach not in ("own", "here", "all") or not of:
            raise BadMetricFile(f"{wrong}: {name} must be what is summed and how far, own, here or all: not {text!r}")
        sums[name] = {"of": of, "reach": reach}
    ratios = []
    for column, text in declared["ratios"].items():
        over, _, under = str(text).partition(" / ")
        found = {"column": column, "over": over.split(" * "), "under": under.split(" * ")}
        strangers = [name for name in [*found["over"], *found["under"]] if name not in sums]
        if strangers or column not in front.get("columns", []):
            raise BadMetricFile(f"{wrong}: {column} must be a column, a ratio of products of sums: not {text!r}")
        ratios.append(found)
    return {
        "mark": declared["mark"],
        "order": declared.get("order", "asc"),
        "sums": sums,
        "ratios": ratios,
        "beyond_one": list(declared.get("beyond_one", [])),
    }


def _metric_parameters(path: Path, declared: Any, frame: Frame) -> dict[str, Parameter]:
    if isinstance(declared, list):
        declared = dict.fromkeys(map(str, declared), "frame")
    if not isinstance(declared, dict):
        raise BadMetricFile(f"{path}: parameters must be `name: …` lines, not {declared!r}")
    shared = {**frame.metric_parameters, **frame.parameters}
    parameters: dict[str, Parameter] = {}
    for name, entry in declared.items():
        if isinstance(entry, dict):
            parameters |= _parameters(path, {name: entry})
        elif name not in shared:
            raise BadMetricFile(f"{path}: frame {frame.name!r} has no parameter {name!r} to share")
        elif entry == "frame":
            parameters[name] = shared[name]
        elif not isinstance(entry, list) or not set(map(str, entry)) <= set(shared[name].choices):
            raise BadMetricFile(f"{path}: parameter {name!r} must be `frame`, some of its choices, or a declaration")
        else:
            whole = shared[name]
            parameters[name] = Parameter(
                name=name,
                doc=whole.doc,
                default=whole.default if whole.default in entry else entry[0],
                choices={choice: whole.choices[choice] for choice in entry},
                presets={preset: choice for preset, choice in whole.presets.items() if choice in entry},
                used_by={choice: tools for choice, tools in whole.used_by.items() if choice in entry},
            )
    return parameters


def _check_macros(metric: Metric, text: str, frame: Frame) -> None:
    """The macros must be those that the declaration promises, and use the parameters that it declares."""
    macros = set(_MACRO.findall(text))
    if metric.table:
        wanted = {f"{metric.name}__table"}
    else:
        wanted = {f"{metric.name}__value", f"{metric.name}__per_group", f"{metric.name}__query"}
    if not macros & wanted:
        raise BadMetricFile(f"{metric.path}: there is no macro {' or '.join(sorted(wanted))}")
    if metric.bands and f"{metric.name}__cells" not in macros:
        raise BadMetricFile(
            f"{metric.path}: intervals want the macro {metric.name}__cells, the mark of each row of the log"
        )
    strangers = [macro for macro in macros if not macro.startswith(f"{metric.name}__")]
    if strangers:
        raise BadMetricFile(f"{metric.path}: macro {strangers[0]!r} must be called {metric.name}__{strangers[0]}")
    for macro, arguments in _SIGNATURE.findall(text):
        wanted_arguments = _ARGUMENTS.get(macro, ())
        if len(arguments.split(",") if arguments.strip() else []) < len(wanted_arguments):
            written = f"{metric.name}__{macro}({', '.join(wanted_arguments)})"
            raise BadMetricFile(f"{metric.path}: the macro takes too little: write {written}")
    used = set(_PARAMETER_USE.findall(text)) - (_OF_TEMPLATES - set(metric.parameters))
    undeclared = used - set(metric.parameters)
    if undeclared:
        raise BadMetricFile(f"{metric.path}: parameter {undeclared.pop()!r} is used but not declared")
    by_helpers = set(frame.parameters) | set(frame.metric_parameters)
    # a dict of columns reaches the template as m.class_scores or m.quantile_columns, each with its canonical column
    in_columns = {name for name, parameter in metric.parameters.items() if parameter.names_columns}
    unused = set(metric.parameters) - used - by_helpers - in_columns
    if unused:
        raise BadMetricFile(f"{metric.path}: parameter {unused.pop()!r} is declared but not used")


@functools.cache
def builtin_catalogue() -> Catalogue:
    """The metrics that come with the package."""
    return Catalogue(sql_root())


_registered: Catalogue | None = None


def catalogue() -> Catalogue:
    """The metrics in force: the built-in ones and those registered."""
    return _registered or builtin_catalogue()


def set_catalogue(metrics: Catalogue) -> None:
    """Put a catalogue with registered metrics in force."""
    global _registered
    _registered = metrics


def registered() -> dict[str, Metric]:
    """The registered metrics by name."""
    metrics = _registered.metrics if _registered is not None else {}
    return {name: metric for name, metric in metrics.items() if not metric.builtin}
