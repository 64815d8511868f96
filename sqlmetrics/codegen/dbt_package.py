"""Generate the files of the dbt package that repeat metric files.

dbt cannot read the comments of metric files: `definitions.sql` repeats them, `metrics.sql` has a macro for each metric,
and a property file documents the macros. The files are in `sql/macros/generated`, which the runner skips. dbt parses
the expressions of every macro twice, so definitions are JSON in a macro's text, and macros forward their arguments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ..arguments import COMPARISON, arguments_of
from ..catalogue.model import Metric, Parameter
from ..catalogue.registry import Catalogue
from ..catalogue.template_data import KNOWN, definition, frame_definitions, macro_of_json
from ..catalogue.vocabulary import PRESETS, RELATIONS, ROLES, SHAPES
from ..catalogue.yaml_text import YAML_DUMPER
from ..planning.plan import INTERVALS

#: The first line of generated files.
NOTICE = "Written by `python -m sqlmetrics.codegen` from the metric files under sql/macros: change those."
#: The arguments of a metric's macro in addition to its roles, relations and parameters.
OPTIONS = ("by", "where", "shape", "diagnostics", "confidence", "cluster", "standard_error", *INTERVALS, "round")
# A comment, directly followed by the test or macro that it documents.
_DOCUMENTED = re.compile(
    r"\{#-((?:(?!#\}).)*?)-#\}\n\{%-? (test|macro) (\w+)\(([^)]*)\) -%\}\n(.*?)\{%-? end\2", re.DOTALL
)
#: Descriptions of the arguments of macros.
_DESCRIPTIONS = {
    **ROLES,
    **RELATIONS,
    "relation": "The table: ref(…), source(…), or SQL such as a subquery in parentheses.",
    "metrics": "Names such as 'auc' and 'ndcg@10', or dicts such as {'name': 'ndcg', 'k': 10, 'as': 'mine'}.",
    "preset": f"The tool whose conventions replace the defaults: {', '.join(PRESETS)}.",
    "by": "Slice columns, or 'name = expression': one result row per slice. A list of lists gives several groupings.",
    "where": "SQL condition on the rows.",
    "confidence": "The confidence level, such as 0.95: adds a confidence interval to each metric.",
    "cluster": "With confidence: the unit whose rows are correlated, such as a user; by default the group, otherwise "
    "the row.",
    "standard_error": "With confidence: whether to add the standard error of each metric.",
    "method": "With confidence: 'jackknife' (the default), or 'bootstrap': percentiles over resampled clusters.",
    "replicates": "The number of samples for method='bootstrap', 20 to 10,000; 200 by default.",
    "seed": "The random seed, a whole number; 1 by default.",
    "diagnostics": "Whether to add the counts behind each value: rows read and dropped, positives, ties, groups.",
    "round": "Round values and intervals to this number of decimals, so that snapshots are stable; by default they are "
    "not rounded.",
    "shape": "How ordered windows are written. "
    + "; ".join(f"'{name}': {description}" for name, description in SHAPES.items())
    + ". By default 'two_level' on Spark, 'rows' elsewhere.",
    "model": "The model or source under test; dbt passes it.",
    "column_name": "The score; dbt passes it where the test is defined on a column.",
    "metric": "One metric with one value: 'auc', 'ndcg@10', or a dict such as {name: ndcg, k: 10, gain: linear}.",
    "min_value": "The lowest value that passes.",
    "max_value": "The highest value that passes.",
    "max_dropped": "Maximum number of rows without a value that the metric needs; unlimited by default.",
    "min_rows": "Minimum number of rows of a slice.",
    "champion_score": "The score to compare with.",
    "champion_relation": "The relation to compare with; its columns have the same names. dbt's `where` does not apply "
    "to it.",
    "tolerance": "How much worse the metric may be.",
    "bins": "The number of bins of the range; by default the state has one row per distinct score.",
    "binned": "Whether the state was built with bins; then state_metrics also reports auc_lower and auc_upper.",
    "max_missing": "Maximum number of rows of the log that a slice of the state may lack.",
    "eps": "Probabilities are clipped to [eps, 1 - eps].",
    "buckets": "The number of buckets of clusters, such as 20. Readers of the state need buckets for confidence. "
    "Requires cluster.",
    "range": "The lowest and the highest score, as in [-5, 5]. Scores outside count in the first or last bin; without "
    "a range, scores outside [0, 1] are an error. A range beyond 0 and 1 supports AUC only.",
    "previous": "The existing state, 'this' in an incremental model. The rows that where selects and that the log no "
    "longer has are then overwritten with zero counts.",
    "previous_where": "SQL condition on the rows of the state to rebuild; where by default.",
    "time": "The column, or 'name = expression', of the period, such as a day.",
    "trailing": "Number of earlier periods to compare a period with.",
    "min_periods": "Minimum number of earlier periods: 1 with confidence, otherwise 7, or trailing if it is smaller.",
    "deviations": "Without confidence: half the width of the band, in robust standard deviations.",
    "strict": "With confidence: whether the whole interval must be within the bound.",
    "better": "'higher', 'lower', 'near 1' or 'near 0', for a metric whose file does not declare a direction.",
}


def _argument_descriptions(call: str, *names: str) -> dict[str, str]:
    """Descriptions of arguments that a call in Python and the macro of the same name share."""
    arguments = (argument for argument in arguments_of(call) if argument.name in names)
    return {argument.name: argument.doc.replace("`", "'").replace('"', "'") for argument in arguments}


_OF_DRIFT = {
    argument.name: argument.doc.replace("`", "'")
    for argument in arguments_of("render_drift")
    if argument.name not in ("relation", "dialect")
}
#: Descriptions of arguments that differ in some macros.
_DESCRIPTIONS_BY_MACRO = {
    "compare": _argument_descriptions("compare", *COMPARISON, *INTERVALS, "confidence", "cluster"),
    "gaps": _argument_descriptions("gaps", "metrics", "by", "min_rows", "confidence", "cluster"),
    "drift": _OF_DRIFT,
    "drift_below": _OF_DRIFT
    | {
        "column_name": "The column; dbt passes it where the test is defined on a column.",
        "distance": "'psi', 'ks_distance', 'jensen_shannon' or 'wasserstein'.",
        "min_rows": "Minimum number of rows of a slice on each side.",
        "where": "SQL condition on the rows of both sides; it is the `where` of the test.",
    },
    "state_is_complete": {
        "metric": "A metric of the state, if its rows need more than label and score.",
        "relation": "The log behind the state: ref(…). The `where` of the test also applies to it.",
    },
    "metric_trend": {"min_rows": "Minimum number of rows of an earlier period."},
    "metrics_of_state": {"item": "With catalog or popularity: their item column, if it is not item_id as in states."},
    "state_metrics": {"metrics": "Any of auc, ece, log_loss, brier, copc and pcoc; all by default."},
}
#: The columns of the rows that each generic test stores.
ALERT = "test, metric, slice, value, low, high, bound, reason, checked_at"
#: The columns of results: {slices} are the columns of `by`, {metric} the requested value, {sums} the sums of a state;
#: columns in brackets depend on arguments.
RESULTS = {
    "evaluate": "[grouping], {slices}, [model], n, {metric}, [{metric}_low, {metric}_high, {metric}_se]",
    "compare": "[grouping], {slices}, metric, model, baseline, value, baseline_value, difference, "
    "difference_low, difference_high, standard_error, p_value, p_adjusted, detectable_difference, n, clusters, "
    "[shared_clusters], verdict",
    "gaps": "[grouping], [model], metric, highest_{slices}, lowest_{slices}, highest, lowest, difference, ratio, "
    "slices, n, [difference_low, difference_high, standard_error, p_value, clusters, shared_clusters]",
    "score_state": "state_key, {slices}, score_key, [bucket], bins, made_with, row_count, positives, "
    "negatives, [log_loss_sum, weight, brier_sum, score_sum]",
    "metric_state": "state_key, {slices}, [bucket], made_with, made_for, row_count, {sums}",
    "state_metrics": "{slices}, n, auc, [auc_low, auc_high], [auc_lower, auc_upper, ece, [ece_low, ece_high]], "
    "log_loss, [log_loss_low, log_loss_high], brier, [brier_low, brier_high], copc, [copc_low, copc_high], "
    "pcoc, [pcoc_low, pcoc_high]",
    "metrics_of_state": "{slices}, n, {metric}, [{metric}_low, {metric}_high, {metric}_se]",
    "metric_trend": "{slices}, {time}, n, {metric}, [{metric}_low, {metric}_high], trailing_periods, trailing_mean, "
    "trailing_median, band_low, band_high, falling",
    "drift": "[grouping], {slices}, column_name, n, n_reference, missing, missing_reference, psi, ks_distance, "
    "jensen_shannon, wasserstein",
    "alerts": ALERT,
}
#: The arguments by their dbt type; all others are strings: a column, an expression, a condition or a keyword.
_NAMES_BY_TYPE: dict[str, tuple[str, ...]] = {
    "relation": ("relation", "model", "champion_relation", "previous", "against", *RELATIONS),
    "float": ("min_value", "max_value", "tolerance", "eps", "confidence", "deviations", "power"),
    "integer": ("bins", "buckets", "trailing", "min_periods", "min_rows", "max_dropped", "max_missing", "replicates",
                "seed", "round"),
    "bool": ("diagnostics", "standard_error", "strict", "binned", "relative"),
    "list[any]": ("metrics", "columns", "categories", "by"),
    "any": ("metric", "score"),
    "list[float]": ("range",),
}  # fmt: skip
_TYPES = {name: dbt_type for dbt_type, names in _NAMES_BY_TYPE.items() for name in names}


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
    if value is None or isinstance(value, bool):
        return "none" if value is None else str(value).lower()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{jinja(key)}: {jinja(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(jinja, value)) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


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
