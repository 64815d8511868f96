"""Read and validate metric files and frame files.

A metric file starts with a Jinja comment in YAML, followed by the macros that the comment declares. It is the only
source of a metric.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import BadMetricFile
from .front_matter import LOWER_CASE_WORD, MACRO, TEXT, checked_front_matter, sorted_names
from .model import UNWEIGHTED_FRAMES, Frame, Metric, Parameter
from .vocabulary import QUESTIONS, RELATIONS, ROLES

_SIGNATURE = re.compile(r"\{%-?\s*macro\s+\w+?__(\w+)\s*\(([^)]*)\)")
#: The arguments of a metric's macros, in this order; `column` is optional.
_ARGUMENTS = {
    **dict.fromkeys(["value", "per_group", "influence", "objective", "at_optimal_threshold", "at_fixed_ranks"], ("m",)),
    "table": ("m", "f", "keys"),
    "query": ("m", "rows_from", "keys"),
    "cells": ("m", "f", "rows_from", "keys", "carried"),
}
_PARAMETER_USE = re.compile(r"\bm\.(\w+)")
_LABEL_TYPES = ("binary", "number", "relevance", "ranking", "class", "binary or class", None)
_SCORES = ("number", "probability", "threshold", "class", None)
#: The types of parameters without choices.
_TYPES = ("integer", "number", "boolean", "columns", "quantiles")
#: Keys of `m` in a template other than parameters, and methods of dict: `m.items` would be the method.
_RESERVED_NAMES = {
    "name", "as", "frame", "label_type", "requires", "uses", "group_weight", "column", "columns", "names",
    "class_scores", "quantile_columns", "judged", "two_level", "banded", "bands", "best_value", "cte", "direction",
    "formula", "frame_parameters", "frames", "group_columns", "has_optimal_threshold", "has_fixed_ranks",
    "has_influence", "has_value", "interval", "label_is_there", "perturbed", "no_weight", "number", "of_parts", "order",
    "query", "range", "row_count", "state", "state_name", "stratum", "sums", "table", "written_as",
    "zero_without_rows",
    *(name for name in dir(dict) if not name.startswith("_")),
}  # fmt: skip
_KEYS = {
    "title", "formula", "frame", "uses", "label_type", "score", "columns", "table", "order", "lower", "upper",
    "unbounded", "better", "ideal", "scale", "undefined", "oracle",
    "source", "parameters", "example", "notes", "roles", "relations", "needs", "companions", "group_columns", "names",
    "computed", "rules", "answers", "no_interval", "no_weight", "intervals",
}  # fmt: skip
_REQUIRED_KEYS = {"title", "formula", "frame", "undefined", "oracle", "source", "example"}
#: Keys by the type of their value: strings, lists of strings, dicts, and dicts of such lists.
_TEXTS = ("title", "formula", "scale", "undefined", "oracle", "source", "notes", "no_interval", "no_weight")
_LISTS = ("columns", "order", "uses", "relations")
_DICTS = ("example", "unbounded", "names", "roles", "computed", "needs", "companions", "group_columns")
_DICTS_OF_LISTS = ("needs", "companions", "group_columns")
_RULE_KEYS = {"column", "keeps", "message"}
_OPTIONAL_RULE_KEYS = {"other_column", "keeps_whole", "with"}
_FRAME_KEYS = {
    "title", "rows", "columns", "step", "counts", "totals", "diagnostics", "diagnostics_read", "group_values", "unit",
    "perturbed", "identifiers", "state", "stateless", "parameters", "metric_parameters", "relations", "slices",
}  # fmt: skip


def _parameters(path: Path, declared: Any) -> dict[str, Parameter]:
    parameters = {}
    if not isinstance(declared or {}, dict):
        raise BadMetricFile(f"{path}: parameters must be `name: …` lines, not {declared!r}")
    for name, entry in (declared or {}).items():
        if not isinstance(name, str) or not LOWER_CASE_WORD.match(name):
            raise BadMetricFile(f"{path}: a parameter's name must be a lower-case word, not {name!r}")
        if name in _RESERVED_NAMES or name in ROLES or name in RELATIONS or keyword.iskeyword(name):
            raise BadMetricFile(f"{path}: parameter {name!r}: the name is taken, in calls or templates; choose another")
        if not isinstance(entry, dict) or not isinstance(entry.get("doc"), str):
            raise BadMetricFile(f"{path}: parameter {name!r} needs a doc, a string")
        allowed = {"type", "default", "required", "choices", "minimum", "maximum", "doc", "presets", "used_by"}
        unknown = set(entry) - allowed
        if unknown:
            raise BadMetricFile(f"{path}: parameter {name!r} has unknown keys: {sorted_names(unknown)}")
        parameter_type = entry.get("type", "choice")
        if parameter_type not in ("choice", *_TYPES) or (parameter_type == "choice" and "choices" not in entry):
            raise BadMetricFile(f"{path}: parameter {name!r} needs choices, or a type: {', '.join(_TYPES)}")
        if ("default" in entry) == entry.get("required", False) or not isinstance(entry.get("required", False), bool):
            raise BadMetricFile(f"{path}: parameter {name!r} needs a default, or required: true, and not both")
        _check_values(path, name, parameter_type, entry)
        parameters[name] = Parameter(name=name, **entry)
    return parameters


def _check_values(path: Path, name: str, parameter_type: str, entry: dict[Any, Any]) -> None:
    where = f"{path}: parameter {name!r}"
    if parameter_type == "choice" and _is_list_of_strings(entry["choices"]):
        entry["choices"] = dict.fromkeys(entry["choices"], "")  # without descriptions
    for key in ("choices", "presets", "used_by"):
        if key in entry and not (isinstance(entry[key], dict) and entry[key]):
            raise BadMetricFile(f"{where}: {key} must be `name: …` lines, not {entry[key]!r}")
    if not all(isinstance(text, str) for choice in entry.get("choices", {}).items() for text in choice):
        raise BadMetricFile(f"{where}: choices must be strings, each with its meaning; put them in quotes")
    for key in ("minimum", "maximum"):
        bound = entry.get(key)
        if bound is None:
            continue
        if isinstance(bound, bool) or not isinstance(bound, int | float) or not abs(bound) <= 1e300:
            raise BadMetricFile(f"{where}: {key} must be a number, not {bound!r}")
        if parameter_type not in ("integer", "number"):
            raise BadMetricFile(f"{where}: {key} requires the type number or integer")
    if entry.get("minimum") is not None and entry.get("maximum") is not None and entry["minimum"] > entry["maximum"]:
        raise BadMetricFile(f"{where}: the minimum must not be above the maximum")


def read_frame(path: Path) -> Frame:
    """Read and validate a frame file."""
    front = checked_front_matter(path, _FRAME_KEYS, {"title", "rows", "columns"})
    for key, values in {"unit": ("row", "group"), "slices": ("columns",), "group_values": ("columns",)}.items():
        if str(front.get(key, values[0])).partition(" when ")[0] not in values:
            raise BadMetricFile(f"{path}: {key} must be {' or '.join(values)}, not {front[key]!r}")
    if front.get("step") != "none" and path.stem not in MACRO.findall(path.read_text(encoding="utf-8")):
        raise BadMetricFile(f"{path}: there is no macro {path.stem}, which returns the steps")
    if ("perturbed" in front) != (f"{path.stem}__perturbed" in MACRO.findall(path.read_text(encoding="utf-8"))):
        raise BadMetricFile(
            f"{path}: perturbed requires the macro {path.stem}__perturbed, and the macro requires perturbed"
        )
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
        perturbed=tuple(front.get("perturbed", [])),
        identifiers=tuple(front.get("identifiers", [])),
        state=front.get("state", front.get("unit")),
        stateless=front.get("stateless"),
        parameters=_parameters(path, front.get("parameters")),
        metric_parameters=_parameters(path, front.get("metric_parameters")),
        relations=tuple(front.get("relations", [])),
        slices=front.get("slices"),
    )


def read_metric(path: Path, frames: Mapping[str, Frame], builtin: bool) -> Metric:
    """Read a metric file, and check its macros against its declaration."""
    if not path.is_file():
        raise BadMetricFile(f"{path}: there is no such metric file")
    try:
        text = path.read_text(encoding=TEXT)
    except (OSError, UnicodeDecodeError) as error:
        raise BadMetricFile(f"{path}: cannot be read as UTF-8 text: {error}") from error
    name = path.stem
    if not LOWER_CASE_WORD.match(name):
        raise BadMetricFile(f"{path}: a metric's file name must be a lower-case word, as in auc.sql")
    front = checked_front_matter(path, _KEYS, _REQUIRED_KEYS)
    # A key without a value counts as absent.
    front = {key: value for key, value in front.items() if value is not None or key in _REQUIRED_KEYS}
    _check_value_types(path, front)
    frame_names = front["frame"] if isinstance(front["frame"], list) else [front["frame"]]
    for frame in frame_names:
        if frame not in frames and frame != "none":
            raise BadMetricFile(f"{path}: there is no frame {frame!r}; there are {', '.join(frames)}")
    frame_names = ["rows" if frame == "none" else frame for frame in frame_names]
    if front.get("label_type") not in _LABEL_TYPES or front.get("score") not in _SCORES:
        raise BadMetricFile(
            f"{path}: label_type is one of binary, number, relevance, ranking, class, binary or class; "
            "score one of number, probability, threshold, class"
        )
    if frame_names[-1] == "ranked_scores":
        raise BadMetricFile(f"{path}: frame ranked_scores counts rows, not weights: write [ranked_scores, thresholds]")
    frame = frames[frame_names[-1]]
    parameters = _metric_parameters(path, front.get("parameters") or {}, frame)
    table = bool(front.get("table", False))
    macros = MACRO.findall(text)
    metric = Metric(
        name=name,
        family=path.parent.name,
        path=path,
        title=front["title"],
        formula=front["formula"],
        frames=tuple(frame_names),
        label_type=front.get("label_type"),
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
        answers=_answered_questions(path, front.get("answers") or []),
        extra_roles={role: requirement == "required" for role, requirement in (front.get("roles") or {}).items()},
        relations=(*frame.relations, *front.get("relations", [])),
        needs={key: tuple(roles) for key, roles in (front.get("needs") or {}).items()},
        companions={key: tuple(names) for key, names in (front.get("companions") or {}).items()},
        group_columns={key: tuple(names) for key, names in (front.get("group_columns") or {}).items()},
        computed=front.get("computed") or {},
        rules=tuple(front.get("rules") or ()),
        query=f"{name}__query" in macros,
        has_value=f"{name}__value" in macros,
        has_group_value=f"{name}__per_group" in macros,
        has_influence=f"{name}__influence" in macros,
        has_optimal_threshold=f"{name}__at_optimal_threshold" in macros,
        has_fixed_ranks=f"{name}__at_fixed_ranks" in macros,
        builtin=builtin,
    )
    _check_macros(metric, text, frame)
    _check_roles(metric, front)
    return metric


def _scale(path: Path, front: Mapping[str, Any], parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """The bounds of a metric, and its better or ideal values."""
    scale = {key: front.get(key) for key in ("lower", "upper", "better", "ideal")}
    for key in ("lower", "upper", "ideal"):
        if scale[key] is not None and (not isinstance(scale[key], int | float) or isinstance(scale[key], bool)):
            raise BadMetricFile(f"{path}: {key} must be a number, not {scale[key]!r}")
    if scale["better"] not in ("higher", "lower", None):
        raise BadMetricFile(f"{path}: better must be higher or lower, not {scale['better']!r}")
    if scale["better"] is not None and scale["ideal"] is not None:
        raise BadMetricFile(f"{path}: declare better or ideal, not both")
    unbounded = front.get("unbounded", {})
    for name, value in unbounded.items():
        if name not in parameters or value not in list(parameters[name].choices):
            raise BadMetricFile(f"{path}: unbounded must name a choice of a parameter, not {name}: {value!r}")
    return {**scale, "scale": front.get("scale", ""), "unbounded": unbounded}


def _check_value_types(path: Path, front: Mapping[str, Any]) -> None:
    if not (isinstance(front["frame"], str) or (front["frame"] and _is_list_of_strings(front["frame"]))):
        raise BadMetricFile(f"{path}: frame must be a frame, or a list as in [a, b], not {front['frame']!r}")
    if "columns" in front and not front["columns"]:
        raise BadMetricFile(f"{path}: columns must name at least one")
    if isinstance(front["example"], dict) and "result" not in front["example"]:
        raise BadMetricFile(f"{path}: example must have a result")
    for key, value in front.items():
        if key in _TEXTS and not isinstance(value, str):
            raise BadMetricFile(f"{path}: {key} must be a string, not {value!r}")
        if key in _LISTS and not _is_list_of_strings(value):
            raise BadMetricFile(f"{path}: {key} must be a list of names, as in [a, b], not {value!r}")
        if key in _DICTS and not isinstance(value, dict):
            raise BadMetricFile(f"{path}: {key} must be `name: …` lines, not {value!r}")
        if key in _DICTS_OF_LISTS and not all(map(_is_list_of_strings, value.values())):
            raise BadMetricFile(f"{path}: {key} must hold lists, as in {{name: [a, b]}}, not {value!r}")
    if not isinstance(front.get("table", False), bool):
        raise BadMetricFile(f"{path}: table must be true or false, not {front['table']!r}")
    for name, computed in front.get("computed", {}).items():
        if (
            not isinstance(computed, dict)
            or set(computed) != {"by", "roles"}
            or not _is_list_of_strings(computed["roles"])
        ):
            raise BadMetricFile(f"{path}: computed: {name!r} must have `by` and a list of `roles`, not {computed!r}")
    rules = front.get("rules", [])
    if not isinstance(rules, list):
        raise BadMetricFile(f"{path}: rules must be a list, not {rules!r}")
    for rule in rules:
        if not isinstance(rule, dict) or not _RULE_KEYS <= set(rule) <= _RULE_KEYS | _OPTIONAL_RULE_KEYS:
            raise BadMetricFile(f"{path}: rules: each must have column, keeps and message, not {rule!r}")


def _is_list_of_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


def _check_roles(metric: Metric, front: Mapping[str, Any]) -> None:
    for role, requirement in front.get("roles", {}).items():
        if requirement not in ("required", "optional"):
            raise BadMetricFile(f"{metric.path}: roles: {role!r} must be required or optional, not {requirement!r}")
    if "position" in front.get("roles", {}):
        raise BadMetricFile(f"{metric.path}: roles: declare position by `relations: [propensities]`")
    if metric.no_weight and (metric.label_type is None or metric.grouped or metric.frames[-1] in UNWEIGHTED_FRAMES):
        raise BadMetricFile(f"{metric.path}: no_weight: the metric has no role weight")
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
    # Rules apply only to columns that are read. These four are read under other names.
    read = (set(metric.roles()) - {"group", "item", "field", "rank"}) | set(metric.computed)
    for rule in metric.rules:
        if rule["column"] not in read:
            wanted = ", ".join(sorted(read))
            raise BadMetricFile(f"{metric.path}: rules: column must be one of {wanted}, not {rule['column']!r}")


def _answered_questions(path: Path, declared: Any) -> tuple[str, ...]:
    if not isinstance(declared, list) or not all(isinstance(name, str) and name in QUESTIONS for name in declared):
        raise BadMetricFile(f"{path}: answers must be a list of some of {', '.join(QUESTIONS)}, not {declared!r}")
    return tuple(declared)


def _with_direction(column: str) -> str:
    """Add the default direction `asc` to a column of `order`, as an engine's settings could change the default."""
    return column if column.lower().endswith((" asc", " desc")) else f"{column} asc"


def _bands(path: Path, front: Mapping[str, Any]) -> dict[str, Any]:
    """Read `intervals` of a table: `sums: {tp: pos cumulative}`, `ratios: {tpr: tp / positives}`, `row_key` …"""
    declared = front.get("intervals")
    if declared is None:
        return {}
    wrong = f"{path}: intervals"
    if not front.get("table") or not isinstance(declared, dict) or not {"row_key", "sums", "ratios"} <= set(declared):
        raise BadMetricFile(f"{wrong} require a table, and row_key, sums and ratios")
    sums = {}
    for name, text in declared["sums"].items():
        of, _, scope = str(text).rpartition(" ")
        if scope not in ("local", "cumulative", "total") or not of:
            raise BadMetricFile(
                f"{wrong}: {name} must be what is summed and its scope (local, cumulative or total), not {text!r}"
            )
        sums[name] = {"of": of, "scope": scope}
    ratios = []
    for column, text in declared["ratios"].items():
        over, _, under = str(text).partition(" / ")
        ratio = {"column": column, "over": over.split(" * "), "under": under.split(" * ")}
        strangers = [name for name in [*ratio["over"], *ratio["under"]] if name not in sums]
        if strangers or column not in front.get("columns", []):
            raise BadMetricFile(f"{wrong}: {column} must be a column, a ratio of products of sums: not {text!r}")
        ratios.append(ratio)
    return {
        "row_key": declared["row_key"],
        "order": declared.get("order", "asc"),
        "sums": sums,
        "ratios": ratios,
        "beyond_one": list(declared.get("beyond_one", [])),
        "below_zero": list(declared.get("below_zero", [])),
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
    """Check that the macros match the declaration and use its parameters."""
    macros = set(MACRO.findall(text))
    if metric.table:
        wanted = {f"{metric.name}__table"}
    else:
        wanted = {f"{metric.name}__value", f"{metric.name}__per_group", f"{metric.name}__query"}
    if not macros & wanted:
        raise BadMetricFile(f"{metric.path}: there is no macro {' or '.join(sorted(wanted))}")
    if metric.bands and f"{metric.name}__cells" not in macros:
        raise BadMetricFile(
            f"{metric.path}: intervals require the macro {metric.name}__cells, the row key of each row of the log"
        )
    strangers = [macro for macro in macros if not macro.startswith(f"{metric.name}__")]
    if strangers:
        raise BadMetricFile(f"{metric.path}: macro {strangers[0]!r} must be called {metric.name}__{strangers[0]}")
    for macro, arguments in _SIGNATURE.findall(text):
        wanted_arguments = _ARGUMENTS.get(macro, ())
        if len(arguments.split(",") if arguments.strip() else []) < len(wanted_arguments):
            written = f"{metric.name}__{macro}({', '.join(wanted_arguments)})"
            raise BadMetricFile(f"{metric.path}: the macro has too few arguments: write {written}")
    used = set(_PARAMETER_USE.findall(text)) - (_RESERVED_NAMES - set(metric.parameters))
    undeclared = used - set(metric.parameters)
    if undeclared:
        raise BadMetricFile(f"{metric.path}: parameter {undeclared.pop()!r} is used but not declared")
    by_helpers = set(frame.parameters) | set(frame.metric_parameters)
    # Templates read a dict of columns as m.class_scores or m.quantile_columns.
    in_columns = {name for name, parameter in metric.parameters.items() if parameter.names_columns}
    unused = set(metric.parameters) - used - by_helpers - in_columns
    if unused:
        raise BadMetricFile(f"{metric.path}: parameter {unused.pop()!r} is declared but not used")
