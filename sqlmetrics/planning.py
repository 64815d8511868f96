"""From the arguments of a call to the plan that the templates render: roles, slices, metrics, and the rules for values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .catalogue import ROLES, Catalogue
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

#: Columns that a result has with `diagnostics`.
_DIAGNOSTICS = ("rows_read", "rows_dropped", "positives", "tied_rows", "groups", "groups_skipped")
_NAMED_EXPRESSION = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?!=)\s*(.+)\Z", re.DOTALL)
#: Canonical column -> the role it is read from.
_COLUMN_ROLES = {
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
)


@dataclass
class Plan:
    """A call, understood: `template` is what `query.sql` takes, the rest is for the runner."""

    asked: list[Asked]
    template: dict[str, Any]
    roles: dict[str, dict[str, str]]
    slices: list[str]
    frames: int = 0
    problems: list[dict[str, str]] = field(default_factory=list)


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
    shape: str = "rows",
    checks: bool = False,
    diagnostics: bool = False,
) -> Plan:
    """Check a call and put it in the form that the templates take."""
    asked = parse_metrics(metrics, catalogue)
    given = _given_roles(asked, roles)
    models = _models(given.pop("score", None))
    if len(models) == 1:
        given["score"] = models.pop()
    requires = {one.name: _requires(one, given, bool(models)) for one in asked}
    entries, groupings = _groupings(by)
    table = asked[0].metric.table
    _check_names(asked, entries, bool(groupings), bool(models), diagnostics)
    if diagnostics and table:
        raise BadParameter(f"diagnostics: {asked[0].metric.name} is a table; ask for it without diagnostics")
    if where is not None and (not isinstance(where, str) or not where.strip()):
        raise BadParameter("where must be an SQL condition")
    if shape not in ("rows", "distinct"):
        raise BadParameter(f"shape must be 'rows' or 'distinct', not {shape!r}")

    needed = [name for name in _COLUMN_ROLES if any(name in one for one in requires.values())]
    if any(one.metric.truth == "relevance" for one in asked) and "tie_key" in given:
        needed.append("tie_key")
    columns = {
        name: {key: text for key, text in given[_COLUMN_ROLES[name]].items() if key != "name"}
        for name in needed
        if _COLUMN_ROLES[name] in given
    }
    required = [name for name in needed if all(name in one for one in requires.values())]
    weighted = any(role in given for role in ("weight", "positives"))
    numbered = {model["name"]: model for model in models}
    if len(numbered) < len(models):
        raise BadParameter("score: the same column is named twice")
    problems = _problems(asked, needed, models)
    for name, one in zip(requires, asked, strict=True):
        if one.parameters.get("ties") == "key" and "tie_key" not in given:
            raise BadParameter(f"{name}: ties='key' needs the role tie_key")
    template = {
        "title": _title(asked, entries, groupings, relation_text),
        "relation": relation,
        "input": query,
        "by": entries,
        "groupings": groupings,
        "models": models,
        "columns": columns,
        "derived": _derived(asked, needed, bool(models)),
        "required": ["score" if name == "negated_rank" else name for name in required],
        "where": where,
        "metrics": [_metric_of_template(one, requires[one.name], given, entries) for one in asked],
        "table": table,
        "rank_rows": not weighted and shape == "rows" and not diagnostics,
        "fixed_slices": _fixed_slices(entries, groupings, models),
        "problems": problems,
        "checks": checks and not table,
        "diagnostics": diagnostics,
    }
    slices = (["grouping"] if groupings else []) + [entry["name"] for entry in entries] + (["model"] if models else [])
    named = {role: value for role, value in given.items()}
    for model in models:
        named[f"score {model['name']}"] = model
    return Plan(asked, template, named, slices, problems=problems)


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


def _requires(one: Asked, given: Mapping[str, Any], several_scores: bool) -> list[str]:
    """The canonical columns without which a row does not count for a metric."""
    metric = one.metric
    has_score = several_scores or "score" in given
    truth = _truth(one, given)

    def need(role: str, why: str = "") -> None:
        if role not in given:
            raise BadParameter(f"{one.name} needs {role}{why}: {ROLES[role]}")

    requires: list[str] = []
    if truth == "class":
        need("label")
        need("prediction")
        requires += ["label_class", "predicted_class"]
    elif truth == "binary" and "positives" in given:
        requires += ["positives", "total"]
    else:
        if "label" not in given:
            other = " (or positives and total)" if truth == "binary" else ""
            raise BadParameter(f"{one.name} needs label{other}: {ROLES['label']}")
        requires.append("label")
    if metric.score == "threshold" and "prediction" in given:
        if truth != "class":
            requires.append("prediction")
    elif metric.score is not None and truth != "class":
        if metric.truth == "relevance" and "rank" in given:
            requires.append("negated_rank")
        elif has_score:
            requires.append("score")
        else:
            other = {"relevance": " (or rank)", "binary": " (or prediction)"}.get(metric.truth, "")
            other = other if metric.score == "threshold" or metric.truth == "relevance" else ""
            raise BadParameter(f"{one.name} needs score{other}: {ROLES['score']}")
    if "weight" in given and "weight" in metric.roles():
        requires.append("weight")
    if metric.grouped:
        need("group")
        requires.append("group_id")
    if "group_weight" in given and "group_weight" in metric.roles():
        requires.append("group_weight")
    return requires


def _truth(one: Asked, given: Mapping[str, Any]) -> str:
    if one.metric.truth == "binary or class":
        return "class" if "prediction" in given else "binary"
    return one.metric.truth


def _derived(asked: list[Asked], needed: list[str], several_scores: bool) -> list[str]:
    """The canonical columns that the frames read, `pos` standing for pos and neg."""
    truths = {one.metric.truth for one in asked}
    derived = []
    if truths & {"binary", "binary or class"} and ("label" in needed or "total" in needed):
        derived.append("pos")
    if truths & {"number", "relevance"}:
        derived.append("label")
    for name in needed:
        if name == "negated_rank":
            derived.append("score")
        elif name not in ("label", "positives", "total", "weight"):
            derived.append(name)
    if several_scores and "score" not in derived:
        derived.append("score")
    if truths & {"number", "class"} or "label_class" in needed:
        derived.append("weight")
    return derived


def _metric_of_template(
    one: Asked, requires: list[str], given: Mapping[str, Any], entries: list[dict[str, str]]
) -> dict[str, Any]:
    metric = one.metric
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
        "group_columns": [
            {"name": name, "as": f"{shown}_of_group" if _is_frame_column(shown) else shown}
            for name, shown in one.columns.items()
        ],
        "frames": list(metric.frames),
        "frame_parameters": list(metric.frame_parameters),
        "truth": _truth(one, given),
        "requires": ["score" if name == "negated_rank" else name for name in requires],
        "group_weight": "group_weight" in requires,
        "uses": list(metric.uses),
        "order": list(metric.order),
        **metric.frame_parameters,
        **one.parameters,
    }


def _is_frame_column(name: str) -> bool:
    """Whether a step with one row per group has a column of this name itself."""
    own = ("group_id", "group_weight", "row_count", "bad_rows", "slice_id", "grouping_id", "model_id")
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
        name = ", ".join(entries[position - 1]["name"] for position in columns)
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


def _problems(asked: list[Asked], needed: list[str], models: list[Any]) -> list[dict[str, str]]:
    """The rules that values must keep, as SQL over the canonical columns, with the words for an error."""
    truths = {one.metric.truth for one in asked}
    problems = []

    def rule(column: str, condition: str, words: str) -> None:
        if column in needed or (column == "score" and models):
            problems.append({"column": column, "condition": condition, "words": words})

    infinite = "abs({0}) = cast('Infinity' as double precision)"
    if truths & {"binary", "binary or class"}:
        rule("label", "label not in (0, 1)", "is neither 0 nor 1 (a binary label is needed)")
    if "relevance" in truths:
        negative = f"label < 0 or {infinite.format('label')}"
        rule("label", negative, "is negative or infinite (a graded relevance is needed)")
    if "number" in truths:
        rule("label", infinite.format("label"), "is infinite")
        rule("score", infinite.format("score"), "is infinite")
    if any(one.metric.score == "probability" for one in asked):
        rule("score", "score not between 0 and 1", "is outside [0, 1] (a probability is needed)")
    if any(one.metric.score == "threshold" for one in asked):
        rule("prediction", "prediction not in (0, 1)", "is neither 0 nor 1 (a binary prediction is needed)")
    for column in ("weight", "group_weight"):
        rule(column, f"{column} < 0 or {infinite.format(column)}", "is negative or infinite")
    rule("positives", "positives < 0", "is negative")
    rule("total", f"total < positives or {infinite.format('total')}", "is less than positives, or infinite")
    return problems


def _title(asked: list[Asked], entries: list[Any], groupings: list[Any], relation: str) -> str:
    what = ", ".join(one.name for one in asked)
    if groupings:
        names = [grouping["name"] or "overall" for grouping in groupings]
        return f"{what} of {relation}, by {' | '.join(names)}"
    slices = ", ".join(entry["name"] for entry in entries)
    return f"{what} of {relation}" + (f", by {slices}" if slices else "")
