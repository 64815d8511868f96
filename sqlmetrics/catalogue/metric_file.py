"""Read and validate metric files and frame files.

A metric file starts with a Jinja comment in YAML, followed by the macros that the comment declares. It is the only
source of a metric.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..errors import BadMetricFile
from .front_matter import LOWER_CASE_WORD, MACRO, TEXT, read_front_matter, sorted_names
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
#: Fields of a metric that are no keys of its file.
_OTHER_FIELDS = {"name", "family", "path", "builtin", "frames", "bands", "frame_parameters", "extra_roles", "macros"}
_KEYS = {"frame", "intervals", "roles", *(field.name for field in fields(Metric))} - _OTHER_FIELDS
_REQUIRED_KEYS = {"title", "formula", "frame", "undefined", "oracle", "source", "example"}
_TEXTS = ("title", "formula", "scale", "undefined", "oracle", "source", "notes", "no_interval", "no_weight")
_DICTS = ("example", "unbounded", "names", "roles", "computed", "needs", "companions", "group_columns")
_RULE_KEYS = {"column", "keeps", "message"}
_OPTIONAL_RULE_KEYS = {"other_column", "keeps_whole", "with"}
_FRAME_KEYS = {"title", *(field.name for field in fields(Frame))} - {"name"}
_PARAMETER_KEYS = {field.name for field in fields(Parameter)} - {"name"}


def _is_list_of_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


#: What the values of keys must be: the keys, a check, and its description.
_VALUE_TYPES: tuple[tuple[tuple[str, ...], Callable[[Any], bool], str], ...] = (
    (_TEXTS, lambda value: isinstance(value, str), "be a string"),
    (("columns", "order", "uses", "relations"), _is_list_of_strings, "be a list of names, as in [a, b]"),
    (_DICTS, lambda value: isinstance(value, dict), "be `name: …` lines"),
    (("label_type",), lambda value: value in _LABEL_TYPES, f"be one of {', '.join(filter(None, _LABEL_TYPES))}"),
    (("score",), lambda value: value in _SCORES, f"be one of {', '.join(filter(None, _SCORES))}"),
    (
        ("needs", "companions", "group_columns"),
        lambda value: all(map(_is_list_of_strings, value.values())),
        "hold lists, as in {name: [a, b]}",
    ),
)


def _require(condition: object, problem: str) -> None:
    if not condition:
        raise BadMetricFile(problem)


def _parameters(path: Path, declared: Any) -> dict[str, Parameter]:
    declared = declared or {}
    _require(isinstance(declared, dict), f"{path}: parameters must be `name: …` lines, not {declared!r}")
    parameters = {}
    for name, entry in declared.items():
        is_word = isinstance(name, str) and LOWER_CASE_WORD.match(name)
        _require(is_word, f"{path}: a parameter's name must be a lower-case word, not {name!r}")
        where = f"{path}: parameter {name!r}"
        is_taken = name in _RESERVED_NAMES or name in ROLES or name in RELATIONS or keyword.iskeyword(name)
        _require(not is_taken, f"{where}: the name is taken, in calls or templates; choose another")
        _require(isinstance(entry, dict) and isinstance(entry.get("doc"), str), f"{where} needs a doc, a string")
        unknown = set(entry) - _PARAMETER_KEYS
        _require(not unknown, f"{where} has unknown keys: {sorted_names(unknown)}")
        _check_values(where, entry)
        parameters[name] = Parameter(name=name, **entry)
    return parameters


def _check_values(where: str, entry: dict[Any, Any]) -> None:
    parameter_type, required = entry.get("type", "choice"), entry.get("required", False)
    has_type = parameter_type in _TYPES or (parameter_type == "choice" and "choices" in entry)
    _require(has_type, f"{where} needs choices, or a type: {', '.join(_TYPES)}")
    has_default = isinstance(required, bool) and ("default" in entry) != required
    _require(has_default, f"{where} needs a default, or required: true, and not both")
    if parameter_type == "choice" and _is_list_of_strings(entry["choices"]):
        entry["choices"] = dict.fromkeys(entry["choices"], "")  # without descriptions
    for key in ("choices", "presets", "used_by"):
        is_dict = key not in entry or (isinstance(entry[key], dict) and entry[key])
        _require(is_dict, f"{where}: {key} must be `name: …` lines, not {entry.get(key)!r}")
    are_strings = all(isinstance(text, str) for choice in entry.get("choices", {}).items() for text in choice)
    _require(are_strings, f"{where}: choices must be strings, each with its meaning; put them in quotes")
    bounds = {key: entry[key] for key in ("minimum", "maximum") if entry.get(key) is not None}
    for key, bound in bounds.items():
        _require(_is_number(bound) and abs(bound) <= 1e300, f"{where}: {key} must be a number, not {bound!r}")
        _require(parameter_type in ("integer", "number"), f"{where}: {key} requires the type number or integer")
    is_ordered = len(bounds) < 2 or bounds["minimum"] <= bounds["maximum"]
    _require(is_ordered, f"{where}: the minimum must not be above the maximum")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def read_frame(path: Path) -> Frame:
    """Read and validate a frame file."""
    front = read_front_matter(path, _FRAME_KEYS, {"title", "rows", "columns"})
    for key, values in {"unit": ("row", "group"), "slices": ("columns",), "group_values": ("columns",)}.items():
        is_valid = str(front.get(key, values[0])).partition(" when ")[0] in values
        _require(is_valid, f"{path}: {key} must be {' or '.join(values)}, not {front.get(key)!r}")
    name, macros = path.stem, MACRO.findall(path.read_text(encoding=TEXT))
    has_steps = front.get("step") == "none" or name in macros
    _require(has_steps, f"{path}: there is no macro {name}, which returns the steps")
    perturbs = f"{name}__perturbed"
    _require(
        ("perturbed" in front) == (perturbs in macros),
        f"{path}: perturbed requires the macro {perturbs}, and the macro requires perturbed",
    )
    del front["title"]
    declared = {"name": name, "step": name, "state": front.get("unit"), **front}
    declared["step"] = None if declared["step"] == "none" else declared["step"]
    parameters = {key: _parameters(path, front.get(key)) for key in ("parameters", "metric_parameters")}
    return Frame(**{**declared, **parameters})


def read_metric(path: Path, frames: Mapping[str, Frame], builtin: bool) -> Metric:
    """Read a metric file, and check its macros against its declaration."""
    _require(path.is_file(), f"{path}: there is no such metric file")
    try:
        text = path.read_text(encoding=TEXT)
    except (OSError, UnicodeDecodeError) as error:
        raise BadMetricFile(f"{path}: cannot be read as UTF-8 text: {error}") from error
    name = path.stem
    _require(LOWER_CASE_WORD.match(name), f"{path}: a metric's file name must be a lower-case word, as in auc.sql")
    front = read_front_matter(path, _KEYS, _REQUIRED_KEYS)
    # A key without a value counts as absent.
    front = {key: value for key, value in front.items() if value is not None or key in _REQUIRED_KEYS}
    _check_value_types(path, front)
    frame_names = front["frame"] if isinstance(front["frame"], list) else [front["frame"]]
    for frame_name in frame_names:
        is_frame = frame_name in frames or frame_name == "none"
        _require(is_frame, f"{path}: there is no frame {frame_name!r}; there are {', '.join(frames)}")
    frame_names = ["rows" if frame_name == "none" else frame_name for frame_name in frame_names]
    _require(
        frame_names[-1] != "ranked_scores",
        f"{path}: frame ranked_scores counts rows, not weights: write [ranked_scores, thresholds]",
    )
    frame = frames[frame_names[-1]]
    parameters = _metric_parameters(path, front.get("parameters") or {}, frame)
    _check_scale(path, front, parameters)
    declared = {key: value for key, value in front.items() if key not in ("frame", "roles", "intervals")}
    own, macros = f"{name}__", MACRO.findall(text)
    metric = Metric(
        **{
            "columns": [name],
            **declared,
            "name": name,
            "family": path.parent.name,
            "path": path,
            "builtin": builtin,
            "frames": tuple(frame_names),
            "order": list(map(_with_direction, front.get("order", []))),
            "bands": _bands(path, front),
            "parameters": parameters,
            "frame_parameters": {key: parameter.default for key, parameter in frame.parameters.items()},
            "extra_roles": {role: requirement == "required" for role, requirement in front.get("roles", {}).items()},
            "relations": [*frame.relations, *front.get("relations", [])],
            "macros": frozenset(macro.removeprefix(own) for macro in macros if macro.startswith(own)),
        }
    )
    _check_macros(metric, text, frame)
    _check_roles(metric, front)
    return metric


def _check_scale(path: Path, front: Mapping[str, Any], parameters: Mapping[str, Parameter]) -> None:
    for key in ("lower", "upper", "ideal"):
        _require(_is_number(front.get(key, 0)), f"{path}: {key} must be a number, not {front.get(key)!r}")
    better = front.get("better")
    _require(better in ("higher", "lower", None), f"{path}: better must be higher or lower, not {better!r}")
    _require(better is None or "ideal" not in front, f"{path}: declare better or ideal, not both")
    for name, value in front.get("unbounded", {}).items():
        is_choice = name in parameters and value in list(parameters[name].choices)
        _require(is_choice, f"{path}: unbounded must name a choice of a parameter, not {name}: {value!r}")


def _check_value_types(path: Path, front: Mapping[str, Any]) -> None:
    frame = front["frame"]
    is_frame = isinstance(frame, str) or (frame and _is_list_of_strings(frame))
    _require(is_frame, f"{path}: frame must be a frame, or a list as in [a, b], not {frame!r}")
    _require(front.get("columns", True), f"{path}: columns must name at least one")
    has_result = not isinstance(front["example"], dict) or "result" in front["example"]
    _require(has_result, f"{path}: example must have a result")
    for key, value in front.items():
        for keys, is_valid, description in _VALUE_TYPES:
            if key in keys:
                _require(is_valid(value), f"{path}: {key} must {description}, not {value!r}")
    table = front.get("table", False)
    _require(isinstance(table, bool), f"{path}: table must be true or false, not {table!r}")
    for name, computed in front.get("computed", {}).items():
        _require(
            isinstance(computed, dict) and set(computed) == {"by", "roles"} and _is_list_of_strings(computed["roles"]),
            f"{path}: computed: {name!r} must have `by` and a list of `roles`, not {computed!r}",
        )
    rules = front.get("rules", [])
    _require(isinstance(rules, list), f"{path}: rules must be a list, not {rules!r}")
    for rule in rules:
        is_rule = isinstance(rule, dict) and _RULE_KEYS <= set(rule) <= _RULE_KEYS | _OPTIONAL_RULE_KEYS
        _require(is_rule, f"{path}: rules: each must have column, keeps and message, not {rule!r}")
    answers = front.get("answers", [])
    _require(
        isinstance(answers, list) and all(isinstance(name, str) and name in QUESTIONS for name in answers),
        f"{path}: answers must be a list of some of {', '.join(QUESTIONS)}, not {answers!r}",
    )


def _check_roles(metric: Metric, front: Mapping[str, Any]) -> None:
    path = metric.path
    for role, requirement in front.get("roles", {}).items():
        is_valid = requirement in ("required", "optional")
        _require(is_valid, f"{path}: roles: {role!r} must be required or optional, not {requirement!r}")
    has_position = "position" in metric.extra_roles
    _require(not has_position, f"{path}: roles: declare position by `relations: [propensities]`")
    has_weight = metric.label_type is not None and not metric.grouped and metric.frames[-1] not in UNWEIGHTED_FRAMES
    _require(has_weight or not metric.no_weight, f"{path}: no_weight: the metric has no role weight")
    in_needs = [role for roles in metric.needs.values() for role in roles]
    in_computed = [role for computed in metric.computed.values() for role in computed["roles"]]
    for role in (*metric.extra_roles, *in_needs, *in_computed):
        _require(role in ROLES, f"{path}: there is no role {role!r}; there are {', '.join(ROLES)}")
    for relation in metric.relations:
        _require(relation in RELATIONS, f"{path}: there is no relation {relation!r}; there are {', '.join(RELATIONS)}")
    conditions = [*metric.needs, *metric.companions, *metric.group_columns]
    conditions += [name for rule in metric.rules for name in rule.get("with", ())]
    for parameter in (key.partition("=")[0] for key in conditions):
        _require(parameter in metric.parameters, f"{path}: parameter {parameter!r} is named but not declared")
    # Rules apply only to columns that are read. These four are read under other names.
    read = (set(metric.roles()) - {"group", "item", "field", "rank"}) | set(metric.computed)
    for column in (rule["column"] for rule in metric.rules):
        _require(column in read, f"{path}: rules: column must be one of {', '.join(sorted(read))}, not {column!r}")


def _with_direction(column: str) -> str:
    """Add the default direction `asc` to a column of `order`, as an engine's settings could change the default."""
    return column if column.lower().endswith((" asc", " desc")) else f"{column} asc"


def _bands(path: Path, front: Mapping[str, Any]) -> dict[str, Any]:
    """Read `intervals` of a table: `sums: {tp: pos cumulative}`, `ratios: {tpr: tp / positives}`, `row_key` …"""
    declared = front.get("intervals")
    if declared is None:
        return {}
    wrong = f"{path}: intervals"
    has_keys = isinstance(declared, dict) and {"row_key", "sums", "ratios"} <= set(declared)
    _require(front.get("table") and has_keys, f"{wrong} require a table, and row_key, sums and ratios")
    sums = {}
    for name, text in declared["sums"].items():
        of, _, scope = str(text).rpartition(" ")
        _require(
            of and scope in ("local", "cumulative", "total"),
            f"{wrong}: {name} must be what is summed and its scope (local, cumulative or total), not {text!r}",
        )
        sums[name] = {"of": of, "scope": scope}
    ratios = []
    for column, text in declared["ratios"].items():
        over, under = (product.split(" * ") for product in str(text).partition(" / ")[::2])
        is_ratio = {*over, *under} <= set(sums) and column in front.get("columns", [])
        _require(is_ratio, f"{wrong}: {column} must be a column, a ratio of products of sums: not {text!r}")
        ratios.append({"column": column, "over": over, "under": under})
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
    _require(isinstance(declared, dict), f"{path}: parameters must be `name: …` lines, not {declared!r}")
    shared = {**frame.metric_parameters, **frame.parameters}
    parameters: dict[str, Parameter] = {}
    for name, entry in declared.items():
        if isinstance(entry, dict):
            parameters |= _parameters(path, {name: entry})
            continue
        _require(name in shared, f"{path}: frame {frame.name!r} has no parameter {name!r} to share")
        whole = shared[name]
        if entry == "frame":
            parameters[name] = whole
            continue
        are_choices = isinstance(entry, list) and set(map(str, entry)) <= set(whole.choices)
        _require(are_choices, f"{path}: parameter {name!r} must be `frame`, some of its choices, or a declaration")
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
    path, own = metric.path, f"{metric.name}__"
    wanted = {"table"} if metric.table else {"value", "per_group", "query"}
    names = " or ".join(f"{own}{macro}" for macro in sorted(wanted))
    _require(metric.macros & wanted, f"{path}: there is no macro {names}")
    has_cells = "cells" in metric.macros or not metric.bands
    _require(has_cells, f"{path}: intervals require the macro {own}cells, the row key of each row of the log")
    for macro in MACRO.findall(text):
        _require(macro.startswith(own), f"{path}: macro {macro!r} must be called {own}{macro}")
    for macro, arguments in _SIGNATURE.findall(text):
        wanted_arguments = _ARGUMENTS.get(macro, ())
        is_enough = len(arguments.split(",") if arguments.strip() else []) >= len(wanted_arguments)
        written = f"{own}{macro}({', '.join(wanted_arguments)})"
        _require(is_enough, f"{path}: the macro has too few arguments: write {written}")
    used = _PARAMETER_USE.findall(text)
    for name in used:
        is_declared = name in metric.parameters or name in _RESERVED_NAMES
        _require(is_declared, f"{path}: parameter {name!r} is used but not declared")
    # Helpers read the parameters of frames, and templates read a dict of columns as m.class_scores.
    used += [*frame.parameters, *frame.metric_parameters]
    for name, parameter in metric.parameters.items():
        is_used = name in used or parameter.names_columns
        _require(is_used, f"{path}: parameter {name!r} is declared but not used")
