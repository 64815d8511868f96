"""From the arguments of a call to the plan that the templates render: roles, slices, metrics, rules for values."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .catalogue import RELATIONS, ROLES, Catalogue
from .errors import BadParameter, did_you_mean
from .specification import Asked, MetricSpec, parse_metrics


@dataclass(frozen=True)
class Column:
    """A column, whatever its name looks like: `sqlmetrics.column('a = b')`."""

    name: str


@dataclass(frozen=True)
class Sql:
    """An SQL expression: `sqlmetrics.sql("rating >= 4")`, the same as the string `'= rating >= 4'`."""

    text: str


Expression = str | Column | Sql
Grouping = Sequence[Expression]

#: How ordered windows over whole slices are written; by default as the dialect's macro `default_shape` says.
SHAPES = {
    "rows": "rank every row",
    "distinct": "first count the rows at each score",
    "two_level": "then add sums inside cells of the score to the sums of whole cells, so that no task sees all rows",
}
#: Columns that a result has with `diagnostics`.
_DIAGNOSTICS = ("rows_read", "rows_dropped", "positives", "tied_rows", "groups", "groups_skipped")
# Up to the largest double: every dialect reads the number, and not every one a type of two words.
_FINITE = "abs({0}) <= 1.7976931348623157e308"
_NAMED_EXPRESSION = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?!=)\s*(.+)\Z", re.DOTALL)
#: Canonical column -> the role it is read from.
COLUMN_ROLES = {
    "label": "label",
    "label_class": "label",
    "predicted_class": "prediction",
    "prediction": "prediction",
    "score": "score",
    "negated_rank": "rank",
    "weight": "weight",
    "positives": "positives",
    "total": "total",
    "group_id": "group",
    "tie_key": "tie_key",
    "group_weight": "group_weight",
    "item_id": "item",
    "field_id": "field",
    "won": "won",
}
#: Canonical columns that must be numbers (or booleans, for the truth), and what to do about it.
NUMERIC_COLUMNS = (
    "label",
    "prediction",
    "score",
    "negated_rank",
    "weight",
    "positives",
    "total",
    "group_weight",
    "won",
)


@dataclass
class Plan:
    """A call, understood: `template` is what `query.sql` takes, the rest is for the runner."""

    asked: list[Asked]
    template: dict[str, Any]
    roles: dict[str, dict[str, str]]
    slices: list[str]
    problems: list[dict[str, Any]] = field(default_factory=list)


def column(name: str) -> Column:
    """A column by its exact name, for names that would read as an expression.

    >>> column("a = b")
    Column(name='a = b')
    """
    return Column(name)


def sql(text: str) -> Sql:
    """An SQL expression over the columns of the data, for any role or slice.

    >>> sql("rating >= 4")
    Sql(text='rating >= 4')
    """
    return Sql(text)


def expression(value: Expression, role: str) -> dict[str, str]:
    """A role's value as the templates take it: {'column': …} or {'sql': …}."""
    if isinstance(value, Column):
        return {"column": _not_empty(value.name, role)}
    if isinstance(value, Sql):
        return {"sql": _not_empty(value.text, role)}
    if not isinstance(value, str):
        raise BadParameter(f"{role} must be a column name or an expression, not {type(value).__name__}")
    if value.lstrip().startswith("="):
        return {"sql": _not_empty(value.lstrip()[1:], role)}
    return {"column": _not_empty(value, role)}


def _not_empty(text: str, role: str) -> str:
    if not text.strip():
        raise BadParameter(f"{role} is empty")
    if "\x00" in text:
        raise BadParameter(f"{role} holds a NUL character")
    return text


def slice_expression(value: Expression) -> dict[str, str]:
    """One entry of `by`, with the name of its result column."""
    if isinstance(value, str):
        found = _NAMED_EXPRESSION.match(value)
        if found is not None:
            return {"name": found[1], "sql": found[2]}
    entry = expression(value, "by")
    return {"name": entry.get("column") or entry["sql"].strip(), **entry}


def make_plan(
    catalogue: Catalogue,
    metrics: MetricSpec | Sequence[MetricSpec],
    *,
    relation: str,
    relation_text: str,
    roles: Mapping[str, Any],
    by: Any = None,
    where: str | None = None,
    query: str | None = None,
    shape: str | None = None,
    checks: bool = False,
    diagnostics: bool = False,
    preset: str | None = None,
    relations: Mapping[str, Mapping[str, Any]] | None = None,
    per_group: bool = False,
) -> Plan:
    """Check a call and put it in the form that the templates take."""
    asked = parse_metrics(metrics, catalogue, preset)
    relations = _used_relations(asked, relations or {})
    judged = "judgments" in relations
    given = _given_roles(asked, roles)
    models = _models(given.pop("score", None))
    if len(models) == 1:
        given["score"] = models.pop()
    requires = {one.name: _requires(one, given, bool(models), _reads_judgments(one, judged)) for one in asked}
    entries, groupings = _groupings(by)
    table = asked[0].metric.table
    _check_names(asked, entries, bool(groupings), bool(models), diagnostics)
    if diagnostics and table:
        raise BadParameter(f"diagnostics: {asked[0].metric.name} is a table; ask for it without diagnostics")
    if per_group:
        _check_per_group(asked, diagnostics)
    if where is not None and (not isinstance(where, str) or not where.strip()):
        raise BadParameter("where must be an SQL condition")
    if shape is not None and shape not in SHAPES:
        raise BadParameter(f"shape must be {' or '.join(map(repr, SHAPES))}, not {shape!r}")

    computed = _computed_columns(asked, given)
    names = [*COLUMN_ROLES, *computed]
    needed = [name for name in names if any(name in one for one in requires.values())]
    if "tie_key" not in given and "item" in given and any(_orders_by_key(one) for one in asked):
        given["tie_key"] = given["item"]
    if "tie_key" in given and any("tie_key" in one.metric.roles() for one in asked):
        needed.append("tie_key")
    columns = {
        name: computed[name] if name in computed else _without_name(given[COLUMN_ROLES[name]])
        for name in needed
        if name in computed or COLUMN_ROLES[name] in given
    }
    required = [name for name in needed if all(name in one for one in requires.values())]
    weighted = any(role in given for role in ("weight", "positives"))
    if len({model["name"] for model in models}) < len(models):
        raise BadParameter("score: the same column is named twice")
    problems = _problems(asked, needed, models)
    for one in asked:
        if _orders_by_key(one) and "tie_key" not in given:
            raise BadParameter(f"{one.name}: ties='key' needs the role tie_key (or item)")
    template = {
        "title": _title(asked, entries, groupings, relation_text),
        "relation": relation,
        "input": query,
        "by": entries,
        "groupings": groupings,
        "models": models,
        "columns": columns,
        "derived": _derived(asked, needed, required, bool(models), judged),
        "required": ["score" if name == "negated_rank" else name for name in required],
        "where": where,
        "metrics": [_metric_of_template(one, requires[one.name], given, judged, entries) for one in asked],
        "relations": _relations_of_template(relations, given, asked),
        "per_group": per_group,
        "group_name": given.get("group", {}).get("column", "group"),
        "table": table,
        "shape": shape,
        "countable": not weighted and not diagnostics,
        "stored": False,
        "fixed_slices": _fixed_slices(entries, groupings, models),
        "whole_columns": [],
        "problems": problems,
        "checks": checks and not table,
        "diagnostics": diagnostics,
    }
    slices = (["grouping"] if groupings else []) + [entry["name"] for entry in entries] + (["model"] if models else [])
    return Plan(asked, template, given, slices, problems=problems)


def has_own_sql(plan: Plan) -> bool:
    """Whether the statement holds SQL of the user's own; else it is our text, quoted names and literals."""

    def expressions(value: Any) -> bool:
        if isinstance(value, Mapping):
            return "sql" in value or any(map(expressions, value.values()))
        return isinstance(value, list) and any(map(expressions, value))

    given = plan.template
    inputs = [given["input"], given["where"], *(one["input"] for one in given["relations"].values())]
    return any(map(bool, inputs)) or expressions([given["by"], given["models"], given["columns"], given["relations"]])


def _without_name(value: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in value.items() if key != "name"}


def _orders_by_key(one: Asked) -> bool:
    """Whether equal scores are ordered by a key: as asked, or always, in a recommender's lists."""
    return one.parameters.get("ties") == "key" or one.metric.frames[-1] == "listed_items"


def _reads_judgments(one: Asked, judged: bool) -> bool:
    """Whether the truth of a metric comes from the judgments, where there are some, and not from the data."""
    return judged and "judgments" in one.metric.relations


def _used_relations(asked: list[Asked], relations: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The further relations given, each read by some metric; those needed, each given."""
    for name in relations:
        if not any(name in one.metric.relations for one in asked):
            names = ", ".join(one.name for one in asked)
            raise BadParameter(f"{name} has no meaning for {names}: leave it out")
    for one in asked:
        for name in one.metric.relations:
            if name != "judgments" and name not in relations:
                raise BadParameter(f"{one.name} needs {name}: {RELATIONS[name]}")
    return dict(relations)


def _relations_of_template(
    relations: Mapping[str, Mapping[str, Any]], given: Mapping[str, Any], asked: list[Asked]
) -> dict[str, dict[str, Any]]:
    """Each further relation with the columns that are read from it."""
    result: dict[str, dict[str, Any]] = {}
    for name, relation in relations.items():
        columns: dict[str, Any] = {}
        if name == "judgments":
            columns = {"group_id": given["group"], "item_id": given["item"], "label": given["label"]}
        elif name in ("catalog", "popularity"):
            columns = {"item_id": given["item"]}
        result[name] = {"relation": relation["relation"], "input": relation.get("query"), "columns": columns}
        if name == "judgments":
            judged = [one for one in asked if name in one.metric.relations]
            result[name]["problems"] = [
                {"keeps": keeps, "words": f"holds a label that {words}"} for keeps, words in _relevance_rules(judged)
            ]
    return result


def _check_per_group(asked: list[Asked], diagnostics: bool) -> None:
    for one in asked:
        if not one.metric.has_group_value:
            raise BadParameter(f"{one.name} has no value per group; per_group takes grouped and ranking metrics")
    if diagnostics:
        raise BadParameter("diagnostics: leave it out of per_group, whose rows are the groups themselves")


def _computed_columns(asked: list[Asked], given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Canonical columns that stand for more than one column of the user's: which, is told by a parameter."""
    computed: dict[str, dict[str, Any]] = {}
    for one in asked:
        for number, (name, column) in enumerate((one.parameters.get("scores") or {}).items(), 1):
            value = expression(column, f"{one.name}: scores")
            # PostgreSQL reads no more than 63 bytes of a name: two long ones could be cut to the same.
            own = one.name if len(one.name.encode()) <= 40 else f"{zlib.crc32(one.name.encode()):08x}"
            canonical = re.sub(r"\W", "_", f"class_score_{number}_{own}")
            if canonical in computed:
                raise BadParameter(f"metrics: give {one.name!r} a name of its own in letters and digits")
            computed[canonical] = {**value, "class": name}
        if "p_price" in one.metric.extra_roles:
            mode = one.parameters["mode"]
            parts = {role: given[role] for role in ("won", "p_price", "p_survive") if role in given}
            computed[f"price_mass_{mode}"] = {"mode": mode, **parts}
    return computed


def _given_roles(asked: list[Asked], roles: Mapping[str, Any]) -> dict[str, Any]:
    """The roles given, each meant for some metric; the roles needed, each given."""
    given = {role: value for role, value in roles.items() if value is not None}
    for role in given:
        if role not in ROLES:
            raise BadParameter(f"there is no role {role!r}{did_you_mean(role, ROLES)}")
        if not any(role in one.metric.roles() for one in asked):
            names = ", ".join(one.name for one in asked)
            raise BadParameter(f"{role} has no meaning for {names}: leave it out")
    result: dict[str, Any] = {}
    for role, value in given.items():
        result[role] = value if role == "score" else expression(value, role)
    _check_alternatives(result)
    return result


def _check_alternatives(given: Mapping[str, Any]) -> None:
    for pair in (("label", "positives"), ("score", "rank"), ("weight", "positives")):
        if all(role in given for role in pair):
            raise BadParameter(f"give {pair[0]} or {pair[1]}, not both")
    if ("positives" in given) != ("total" in given):
        raise BadParameter("positives and total go together: the positive rows and all rows behind each row")


def _models(score: Any) -> list[dict[str, str]]:
    if score is None:
        return []
    values = list(score) if isinstance(score, list | tuple) else [score]
    if not values:
        raise BadParameter("score is an empty list")
    models = []
    for value in values:
        found = _NAMED_EXPRESSION.match(value) if isinstance(value, str) and len(values) > 1 else None
        if found is not None:
            models.append({"name": found[1], "sql": found[2]})
        else:
            entry = expression(value, "score")
            models.append({"name": entry.get("column") or entry["sql"].strip(), **entry})
    return models


def _requires(one: Asked, given: Mapping[str, Any], several_scores: bool, judged: bool) -> list[str]:
    """The canonical columns without which a row does not count for a metric."""
    metric = one.metric
    has_score = several_scores or "score" in given
    truth = _truth(one, given)

    def need(role: str, why: str = "") -> None:
        if role not in given:
            raise BadParameter(f"{one.name} needs {role}{why}: {ROLES[role]}")

    requires: list[str] = []
    for key, roles in one.metric.needs.items():
        parameter, _, value = key.partition("=")
        if str(one.parameters.get(parameter)) == value:
            for role in roles:
                need(role, f" with {parameter}={value!r}")
    for role, required in metric.extra_roles.items():
        if required:
            need(role)
        column = {"item": "item_id", "field": "field_id"}.get(role)
        requires += [column] if column and role in given else []
    if "p_price" in metric.extra_roles:
        requires += [f"price_mass_{one.parameters['mode']}"]
        requires += ["won"] if one.parameters["mode"] != "observed" else []
    if truth == "class":
        need("label")
        requires.append("label_class")
        if metric.score is not None:
            need("prediction")
            requires.append("predicted_class")
        requires += [
            column for column, value in _computed_columns([one], given).items() if column.startswith("class_score")
        ]
    elif truth is None:
        pass
    elif truth == "binary" and "positives" in given:
        requires += ["positives", "total"]
    elif judged:
        need("label")
        need("item", " with judgments")
        requires.append("item_id")
    else:
        if "label" not in given:
            other = " (or positives and total)" if truth == "binary" else ""
            raise BadParameter(f"{one.name} needs label{other}: {ROLES['label']}")
        requires.append("label")
    if metric.score == "threshold" and "prediction" in given:
        if truth != "class":
            requires.append("prediction")
    elif metric.score is not None and truth != "class":
        if "rank" in metric.roles() and "rank" in given:
            requires.append("negated_rank")
        elif has_score:
            requires.append("score")
        else:
            other = " (or rank)" if "rank" in metric.roles() else ""
            other = " (or prediction)" if metric.score == "threshold" else other
            raise BadParameter(f"{one.name} needs score{other}: {ROLES['score']}")
    if "weight" in given and "weight" in metric.roles():
        requires.append("weight")
    if metric.grouped:
        need("group", " with judgments" if judged else "")
        requires.append("group_id")
    if "group_weight" in given and "group_weight" in metric.roles():
        requires.append("group_weight")
    return requires


def _truth(one: Asked, given: Mapping[str, Any]) -> str | None:
    if one.metric.truth == "binary or class":
        return "class" if "prediction" in given else "binary"
    return one.metric.truth


def _derived(
    asked: list[Asked], needed: list[str], required: list[str], several_scores: bool, judged: bool
) -> list[str]:
    """The canonical columns that the frames read, `pos` standing for pos and neg.

    A column that only some metrics need is read by their frames once more, to leave out the rows without it.
    """
    truths = {one.metric.truth for one in asked}
    derived = []
    if truths & {"binary", "binary or class"} and ("label" in needed or "total" in needed):
        derived.append("pos")
    if "number" in truths or any(
        one.metric.truth == "relevance" and not _reads_judgments(one, judged) for one in asked
    ):
        derived.append("label")
    for name in needed:
        if name == "negated_rank":
            derived.append("score")
        elif name not in ("label", "positives", "total", "weight") or (name not in required and name not in derived):
            derived.append(name)
    if several_scores and "score" not in derived:
        derived.append("score")
    if (truths & {"number", "class"} or "label_class" in needed) and "weight" not in derived:
        derived.append("weight")
    return derived


def _metric_of_template(
    one: Asked, requires: list[str], given: Mapping[str, Any], judged: bool, entries: list[dict[str, str]]
) -> dict[str, Any]:
    metric = one.metric
    scores = _computed_columns([one], given)
    columns = [{"name": name, "as": shown} for name, shown in one.columns.items()]
    if metric.table and "group" in metric.columns:
        # The group keeps the name of its column, unless another column of the result has it.
        taken = {c["as"].lower() for c in columns} | {entry["name"].lower() for entry in entries}
        taken |= {"grouping", "model"}
        name = given["group"].get("column", "group")
        name = "group" if name.lower() in taken else name
        columns = [{"name": "group_id", "as": name} if c["name"] == "group" else c for c in columns]
    return {
        "name": metric.name,
        "as": one.name,
        "columns": columns,
        "group_columns": _group_columns(one),
        "names": dict(one.columns),
        "frames": list(metric.frames),
        "frame_parameters": list(metric.frame_parameters),
        "truth": _truth(one, given),
        "requires": ["score" if name == "negated_rank" else name for name in requires],
        "group_weight": "group_weight" in requires,
        "judged": _reads_judgments(one, judged),
        "query": metric.query,
        "has_value": metric.has_value,
        "class_scores": [
            {"class": value["class"], "column": name} for name, value in scores.items() if "class" in value
        ],
        "uses": list(metric.uses),
        "order": list(metric.order),
        **metric.frame_parameters,
        **one.parameters,
    }


def _group_columns(one: Asked) -> list[dict[str, str]]:
    """The columns of a metric in the table of groups: its value, or the counts that are pooled over groups."""
    for key, names in one.metric.group_columns.items():
        parameter, _, value = key.partition("=")
        if str(one.parameters[parameter]) == value:
            return [{"name": name, "as": f"{one.name}_{name}", "shown": f"{one.name}_{name}"} for name in names]
    own = f"{one.name}_of_group" if _is_frame_column(one.name) else one.name
    return [{"name": one.metric.name, "as": own, "shown": one.name}]


def _is_frame_column(name: str) -> bool:
    """Whether a step with one row per group has a column of this name itself."""
    own = ("group_id", "group_weight", "row_count", "slice_id", "grouping_id", "model_id")
    return name.lower() in own or name.lower().startswith("slice_")


def _groupings(by: Any) -> tuple[list[dict[str, str]], list[dict[str, Any]]]:
    """The slice columns, and the groupings where several are asked for."""
    if by is None:
        return [], []
    if isinstance(by, str | Column | Sql):
        by = [by]
    if not isinstance(by, list | tuple):
        raise BadParameter(f"by must be a column, a list of columns or a list of such lists, not {type(by).__name__}")
    several = any(isinstance(entry, list | tuple) for entry in by)
    if several and not all(isinstance(entry, list | tuple) for entry in by):
        raise BadParameter("by is a list of columns, or a list of such lists; not a mixture")
    entries: list[dict[str, str]] = []
    groupings: list[dict[str, Any]] = []
    for grouping in by if several else [by]:
        columns = []
        for value in grouping:
            entry = slice_expression(value)
            if entry not in entries:
                if any(entry["name"].lower() == other["name"].lower() for other in entries):
                    raise BadParameter(f"by: two slices would be called {entry['name']!r}")
                entries.append(entry)
            columns.append(entries.index(entry) + 1)
        if len(set(columns)) < len(columns):
            raise BadParameter("by: a column is named twice")
        name = ", ".join(entries[position - 1]["name"] for position in columns) or "overall"
        groupings.append({"id": len(groupings) + 1, "name": name, "columns": columns})
    if not several:
        return entries, []
    names = [grouping["name"] for grouping in groupings]
    if len(set(names)) < len(names):
        raise BadParameter("by: the same grouping is named twice")
    return entries, groupings


def _fixed_slices(entries: list[Any], groupings: list[Any], models: list[Any]) -> list[list[str]]:
    """The slices that there are without any row: those of no column, once for each model."""
    if groupings:
        alone = [str(grouping["id"]) for grouping in groupings if not grouping["columns"]]
    else:
        alone = [] if entries else [""]
    fixed = []
    for grouping in alone:
        for model in range(1, len(models) + 1) if models else [0]:
            values = ([grouping] if grouping else []) + ["null"] * len(entries) + ([str(model)] if model else [])
            if values:
                fixed.append(values)
    return fixed


def _check_names(asked: list[Asked], entries: list[Any], groupings: bool, models: bool, diagnostics: bool) -> None:
    columns = {shown.lower() for one in asked for shown in one.columns.values()}
    reserved = {"n"} | ({"grouping"} if groupings else set()) | ({"model"} if models else set())
    reserved |= set(_DIAGNOSTICS) if diagnostics else set()
    for name in [entry["name"].lower() for entry in entries] + sorted(columns):
        if name.startswith("sqlmetrics_") or (name == "slice_id" and name in columns):
            raise BadParameter(f"the name {name!r} is kept for the package itself; choose another")
    for entry in entries:
        name = entry["name"].lower()
        if name in columns or name in reserved:
            what = "a metric" if name in columns else "a column of every result"
            raise BadParameter(
                f"by: the slice {entry['name']!r} has the name of {what}; name it as in "
                f'by="my_{name} = {entry["name"]}"'
            )
    for one in asked:
        for shown in one.columns.values():
            if shown.lower() in reserved and not one.metric.table:
                raise BadParameter(f"metrics: {shown!r} is the name of a column of every result")


def _problems(asked: list[Asked], needed: list[str], models: list[Any]) -> list[dict[str, Any]]:
    """The rules that values must keep, as SQL over the canonical columns, with the words for an error."""
    truths = {one.metric.truth for one in asked}
    problems: list[dict[str, Any]] = []

    def rule(column: str, keeps: str, words: str, keeps_whole: str | None = None) -> None:
        """A rule, and what says the same of a column of whole numbers in less time."""
        if column in needed or (column == "score" and models):
            problems.append({"column": column, "keeps": keeps, "keeps_whole": keeps_whole, "words": words})

    def zero_or_one(column: str, words: str) -> None:
        rule(column, f"{column} in (0, 1)", words, keeps_whole=f"{column} between 0 and 1")

    for name in needed:
        if name.startswith("price_mass") or name.startswith("class_score"):
            rule(name, f"{name} between 0 and 1", "is outside [0, 1] (a probability is needed)")
    zero_or_one("won", "is neither 0 nor 1")
    if truths & {"binary", "binary or class"}:
        zero_or_one("label", "is neither 0 nor 1 (a binary label is needed)")
    for keeps, words in _relevance_rules(asked):
        rule("label", keeps, words)
    probability = any(one.metric.score == "probability" for one in asked)
    if probability:
        rule("score", "score between 0 and 1", "is outside [0, 1] (a probability is needed)")
    if "number" in truths:
        # What must be 0 or 1, or between them, is finite.
        if not truths & {"binary", "binary or class"}:
            rule("label", _FINITE.format("label"), "is infinite")
        if not probability:
            rule("score", _FINITE.format("score"), "is infinite")
    if any(one.metric.score == "threshold" for one in asked):
        zero_or_one("prediction", "is neither 0 nor 1 (a binary prediction is needed)")
    for column in ("weight", "group_weight"):
        rule(column, f"{column} >= 0 and {_FINITE.format(column)}", "is negative or infinite")
    for one in asked:
        if one.parameters.get("scores"):
            rule("label_class", "", f"has a class without a column in scores of {one.name}")
            if problems and problems[-1]["column"] == "label_class":
                problems[-1]["allowed"] = list(one.parameters["scores"])  # how a text is written, the dialect knows
    if any(one.metric.name == "rmsle" for one in asked):
        rule("label", "label > -1", "is -1 or less, which has no logarithm of 1 + label")
        rule("score", "score > -1", "is -1 or less, which has no logarithm of 1 + score")
    rule("positives", "positives >= 0", "is negative")
    rule("total", f"total >= positives and {_FINITE.format('total')}", "is less than positives, or infinite")
    return problems


def _relevance_rules(asked: list[Asked]) -> list[tuple[str, str]]:
    """The rules for a graded relevance, wherever it is read from: the condition that keeps one, and its words."""
    graded = [one for one in asked if one.metric.truth == "relevance"]
    rules = [(_FINITE.format("label"), "is infinite")] if graded else []
    if any(one.parameters.get("negative", "error") == "error" for one in graded):
        rules.append(("label >= 0", "is negative (a graded relevance is needed)"))
    if any(one.parameters.get("gain") == "exp" or "max_label" in one.parameters for one in graded):
        rules.append(("label <= 1000", "is above 1000: no double holds the gain 2^label - 1 of a list of such items"))
    for one in graded:
        highest = one.parameters.get("max_label")
        if highest is not None:
            rules.append((f"label <= {highest}", f"is above max_label={highest} of {one.name}"))
    return rules


def _title(asked: list[Asked], entries: list[Any], groupings: list[Any], relation: str) -> str:
    what = ", ".join(one.name for one in asked)
    if groupings:
        names = [grouping["name"] for grouping in groupings]
        return f"{what} of {relation}, by {' | '.join(names)}"
    slices = ", ".join(entry["name"] for entry in entries)
    return f"{what} of {relation}" + (f", by {slices}" if slices else "")
