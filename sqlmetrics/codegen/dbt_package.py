"""Generate the files of the dbt package that repeat metric files.

dbt cannot read the comments of metric files: `definitions.sql` repeats them, `metrics.sql` has a macro for each metric,
and a property file documents the macros. The files are in `sql/macros/generated`, which the runner skips. dbt parses
the expressions of every macro twice, so definitions are JSON in a macro's text, and macros forward their arguments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ..arguments import COMPARISON, arguments_of
from ..catalogue.model import Metric, Parameter
from ..catalogue.registry import Catalogue
from ..catalogue.template_data import KNOWN, definition, frame_definitions, macro_of_json
from ..catalogue.vocabulary import PRESETS, RELATIONS, ROLES, SHAPES
from ..catalogue.yaml_text import YAML_DUMPER, read_yaml
from ..planning.plan import INTERVALS

#: The first line of generated files.
NOTICE = "Written by `python -m sqlmetrics.codegen` from the metric files under sql/macros: change those."
#: The arguments of a metric's macro in addition to its roles, relations and parameters.
OPTIONS = ("by", "where", "shape", "diagnostics", "confidence", "cluster", "standard_error", *INTERVALS, "round")
# A comment, directly followed by the test or macro that it documents.
_DOCUMENTED = re.compile(
    r"\{#-((?:(?!#\}).)*?)-#\}\n\{%-? (test|macro) (\w+)\(([^)]*)\) -%\}\n(.*?)\{%-? end\2", re.DOTALL
)
_WRITTEN = read_yaml(Path(__file__).with_name("dbt_arguments.yml").read_text(encoding="utf-8"))
#: Descriptions of the arguments of macros.
_DESCRIPTIONS = {
    **ROLES,
    **RELATIONS,
    **_WRITTEN["descriptions"],
    "preset": f"The tool whose conventions replace the defaults: {', '.join(PRESETS)}.",
    "shape": "How ordered windows are written. "
    + "; ".join(f"'{name}': {description}" for name, description in SHAPES.items())
    + ". By default 'two_level' on Spark, 'rows' elsewhere.",
}


def _shared_descriptions(call: str, names: Collection[str]) -> dict[str, str]:
    """Descriptions of arguments that a call in Python and the macro of the same name share."""
    arguments = (argument for argument in arguments_of(call) if argument.name in names)
    return {argument.name: argument.doc for argument in arguments}


_OF_DRIFT = {
    argument.name: argument.doc
    for argument in arguments_of("render_drift")
    if argument.name not in ("relation", "dialect")
}
#: Descriptions of arguments that differ in some macros.
_DESCRIPTIONS_BY_MACRO = {
    **_WRITTEN["descriptions_by_macro"],
    "compare": _shared_descriptions("compare", (*COMPARISON, *INTERVALS, "confidence", "cluster")),
    "gaps": _shared_descriptions("gaps", ("metrics", "by", "min_rows", "confidence", "cluster")),
    "drift": _OF_DRIFT,
    "drift_below": _OF_DRIFT | _WRITTEN["descriptions_by_macro"]["drift_below"],
}
#: The columns of results, and of the rows that each generic test stores.
RESULTS: dict[str, str] = _WRITTEN["results"]
ALERT = RESULTS["alerts"]
_TYPES = dict.fromkeys(RELATIONS, "relation") | {
    name: dbt_type for dbt_type, names in _WRITTEN["types"].items() for name in names
}


@dataclass(frozen=True)
class Documented:
    """A public macro or test: its comment, its arguments, and whether it also takes roles and relations."""

    name: str
    description: str
    arguments: list[dict[str, str]]
    defaults: dict[str, str]
    takes_roles: bool


def package_files(root: Path, catalogue: Catalogue) -> dict[Path, str]:
    """The content of every generated file of the package."""
    folder = root / "sql" / "macros" / "generated"
    metrics = sorted(catalogue.metrics.values(), key=lambda metric: metric.name)
    texts = {
        "definitions.sql": "\n\n".join([_comment("What the metric files declare."), *_definitions(metrics, catalogue)]),
        "metrics.sql": "\n".join([_comment("The macro of each metric."), *map(_public, metrics)]),
        "metrics.yml": _properties(metrics, root / "sql"),
    }
    return {folder / name: text + "\n" for name, text in texts.items()}


def documented_macros(sql: Path) -> list[Documented]:
    """The public macros and tests, except those of single metrics."""
    calls, *further = [sql / "dbt" / f"{name}.sql" for name in ("calls", "state", "trend", "drift", "alerts")]
    paths = [calls, *sorted((sql / "tests" / "generic").glob("*.sql")), *further]
    return [macro for path in paths for macro in _documented(path)]


def _comment(text: str) -> str:
    return f"{{#- {text} {NOTICE} -#}}"


def _definitions(metrics: Sequence[Metric], catalogue: Catalogue) -> list[str]:
    # JSON by name, so that a call of one metric parses one of them.
    texts = {metric.name: json.dumps(definition(metric), ensure_ascii=False, allow_nan=False) for metric in metrics}
    lines = ",\n".join(f"{jinja(name)}: {jinja(text)}" for name, text in texts.items())
    return [
        *[_returning(name, jinja(value)) for name, value in KNOWN.items()],
        _returning("known_frames", "fromjson(sqlmetrics.frame_definitions())"),
        macro_of_json("frame_definitions", frame_definitions(catalogue.frames)),
        _returning("metric_definitions", f"{{\n{lines},\n}}"),
    ]


def _returning(name: str, value: str) -> str:
    return f"{{%- macro {name}() -%}}\n{{{{ return({value}) }}}}\n{{%- endmacro -%}}"


def jinja(value: Any) -> str:
    """A value as a Jinja literal.

    >>> jinja({"k": None, "names": ("a", "b"), "on": True})
    '{"k": none, "names": ["a", "b"], "on": true}'
    """
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{jinja(key)}: {jinja(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(jinja, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _public(metric: Metric) -> str:
    """The macro of one metric; the names of its arguments are checked by `statement_of_metric`."""
    call = f"sqlmetrics.statement_of_metric('{metric.name}', relation, kwargs)"
    return f"{{%- macro {metric.name}(relation=none) -%}}{{{{ {call} }}}}{{%- endmacro -%}}"


def _properties(metrics: Sequence[Metric], sql: Path) -> str:
    """The property file, which `dbt docs` shows.

    With its flag `validate_macro_args` dbt compares the listed arguments with those of the macro; arguments that a
    macro forwards are therefore part of the description.
    """
    entries: list[dict[str, Any]] = []
    for macro in documented_macros(sql):
        description = macro.description
        if macro.name == "evaluate":
            names = [f"- `{name}`: {meaning}" for name, meaning in {**ROLES, **RELATIONS}.items()]
            description += "\n\nIt also takes roles and relations:\n\n" + "\n".join(names)
        elif macro.takes_roles:
            description += " It also takes the roles and relations of `evaluate`."
        entries.append({"name": macro.name, "description": description, "arguments": macro.arguments})
    for metric in metrics:
        description = f"{metric.title}: {metric.formula}."
        description += f"\n\n{metric.notes}" if metric.notes else ""
        description += f"\n\nRange: {metric.range}. Undefined: {metric.undefined}. Source: {metric.source}."
        description += f"\n\nArguments: relation, {', '.join([*metric.roles(), *metric.relations])}"
        description += f", and of `evaluate` {', '.join(OPTIONS)}.\n\n"
        description += "\n".join(
            f"- `{parameter.name}`: {_describe_parameter(parameter)}" for parameter in metric.parameters.values()
        )
        entries.append({"name": metric.name, "description": description.strip()})
    content = {"version": 2, "macros": entries}
    text: str = yaml.dump(content, Dumper=YAML_DUMPER, sort_keys=False, allow_unicode=True, width=110)
    return f"# {NOTICE}\n{text.rstrip()}"


def _documented(path: Path) -> list[Documented]:
    """The public macros and tests of a file, recognized by the comment above them."""
    macros = []
    for comment, block, name, signature, body in _DOCUMENTED.findall(path.read_text(encoding="utf-8")):
        macro_name = f"test_{name}" if block == "test" else name
        descriptions = _DESCRIPTIONS | _DESCRIPTIONS_BY_MACRO.get(name, {})
        pairs = [argument.partition("=") for argument in signature.split(", ") if argument]
        columns = ALERT if block == "test" else RESULTS.get(name)
        macros.append(
            Documented(
                name=macro_name,
                description=" ".join(comment.split()) + (f" Its columns: {columns}." if columns else ""),
                arguments=[argument_property(argument, descriptions[argument]) for argument, _, _ in pairs],
                defaults={argument: default for argument, _, default in pairs},
                takes_roles="kwargs" in body,
            )
        )
    return macros


def argument_property(name: str, description: str) -> dict[str, str]:
    """An argument as a property file describes it."""
    sentence = f"{description[0].upper()}{description[1:]}".rstrip(".") + "."
    return {"name": name, "type": _TYPES.get(name, "string"), "description": sentence}


def _describe_parameter(parameter: Parameter) -> str:
    description = parameter.doc
    if parameter.choices:
        description += ": " + "; ".join(f"'{choice}' {meaning}" for choice, meaning in parameter.choices.items())
    default = "must be given" if parameter.required else f"default {jinja(parameter.default)}"
    return f"{description} ({default})"
