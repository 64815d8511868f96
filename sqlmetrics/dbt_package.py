"""The generated half of the dbt package: what dbt can only be told macro by macro.

dbt gives a template no way to call a macro by a computed name, so the dispatchers are chains of `if`; it knows nothing
of the metric files' comments, so their content is written out as a dict; and a macro per metric with a signature of its
own lets dbt itself refuse a misspelt argument. The files lie under `sql/macros/generated`, which the runner skips.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from .arguments import COMPARISON, arguments_of
from .catalogue import RELATIONS, ROLES, Catalogue, Metric, Parameter
from .definitions import KNOWN, PRESETS, SHAPES, definition, frame_definitions
from .plain_yaml import YAML_DUMPER, YAML_LOADER
from .planning import INTERVALS

_NOTICE = "Written by `python -m sqlmetrics.generation` from the metric files under sql/macros: change those."
_COMMON = ("by", "where", "shape", "diagnostics", "confidence", "cluster", "standard_error", *INTERVALS, "round")
_MACRO = re.compile(r"\{%-?\s*macro\s+(\w+)\s*\(([^)]*)\)")
# A comment, and right after it the test or macro that it is about.
_DOCUMENTED = re.compile(r"\{#-((?:(?!#\}).)*?)-#\}\n\{%-? (test|macro) (\w+)\(([^)]*)\) -%\}", re.DOTALL)
_INTERVALS = "{" + ", ".join(f"'{name}': {name}" for name in INTERVALS) + "}"
_FURTHER_WORDS = {
    "model": "The model or source that the test stands under.",
    "column_name": "The score, where the test stands under a column.",
    "group_column": "The same as group, which dbt's newer engine takes for a setting of the test.",
    "metric": "One metric with one value: 'auc', 'ndcg@10', or a dict such as {name: ndcg, k: 10, gain: linear}.",
    "min_value": "The lowest value that passes.",
    "max_value": "The highest value that passes.",
    "max_dropped": "The most rows that may lack a value which the metric needs; any number by default.",
    "min_rows": "The rows that a slice must have.",
    "champion_score": "The score to compare with.",
    "champion_relation": "The relation to compare with; its columns have the same names. dbt's `where` is not for it.",
    "tolerance": "By how much the metric may be worse.",
    "bins": "The number of bins of the range; without it, one row per distinct score.",
    "binned": "Whether the state was built with bins: then auc_lower and auc_upper are reported too.",
    "eps": "How near to 0 and 1 a probability may come.",
    "buckets": "In how many buckets of clusters the state is kept, as in 20, so that its readers take confidence; "
    "cluster must then say whose rows belong together.",
    "range": "The lowest and the highest score, as in [-5, 5]: [0, 1] by default, and then scores outside are refused; "
    "what lies outside of a range that was given counts in its first or last bin. Beyond 0 and 1 scores are no "
    "probabilities, and the state has an AUC alone.",
    "previous": "The state as it was, 'this' in an incremental model: what it had of the rows that where names and "
    "the log no longer has is then written over as nothing.",
    "previous_where": "Which rows of the state are built again, if not those that where names in the log.",
    "time": "The column, or 'name = expression', that tells the periods apart, as a day.",
    "trailing": "With how many periods before it a period is compared.",
    "min_periods": "How many of them there must be: 1 with confidence, else 7, or trailing where that is less.",
    "deviations": "Without confidence: how many robust standard deviations the band reaches.",
    "current": "Which rows of the state are looked at: an SQL condition on its columns.",
    "reference": "Which rows they are compared with.",
    "reference_relation": "Another score_state that these are in; the same one by default.",
    "strict": "With confidence: whether the bound must be kept for sure, by all of the interval.",
    "better": "'higher', 'lower', 'near 1' or 'near 0', for a metric whose file does not say.",
}
_OF_DRIFT = {
    "bins": "The number of bins of psi, each with an equal share of the reference.",
    "eps": "The least share of a bin in psi, so that an empty one does not make it infinite.",
    "relation": "A score_state: ref(…).",
    "model": "The score_state that the test stands under.",
}
_OF_COLUMNS = {
    argument.name: argument.doc.replace("`", "'")
    for argument in arguments_of("render_drift")
    if argument.name not in ("relation", "dialect")
}
#: What an argument means to some macros alone.
_OWN_WORDS = {
    "drift": _OF_COLUMNS,
    "drift_below": _OF_COLUMNS
    | {
        "column_name": "The column, where the test stands under one.",
        "distance": "'psi', 'ks_distance', 'jensen_shannon' or 'wasserstein'.",
        "min_rows": "The rows that a slice must have on either side.",
        "where": "SQL condition on the rows of both sides, which dbt takes for the `where` of the test.",
    },
    "score_drift": _OF_DRIFT,
    **dict.fromkeys(
        ("psi_below", "score_drift_below"),
        _OF_DRIFT
        | {"reference_relation": _FURTHER_WORDS["reference_relation"] + " The `where` of the test is for it, too."},
    ),
    "metric_trend": {"min_rows": "The rows that a period must have to be compared with."},
    "metrics_of_state": {
        "item": "With catalog or popularity: their column of items, where that is not item_id, as it is in states."
    },
    "state_metrics": {"metrics": "Those of auc, ece, log_loss, brier, copc and pcoc that are wanted; all by default."},
}
_WORDS = {
    "relation": "The table: ref(…), source(…), or SQL such as a sub-query in brackets.",
    "metrics": "Names such as 'auc' and 'ndcg@10', or dicts such as {'name': 'ndcg', 'k': 10, 'as': 'mine'}.",
    "preset": f"Whose conventions stand in for the defaults: {', '.join(PRESETS)}.",
    "by": "Slice columns, or 'name = expression': one result row per slice. A list of lists gives several groupings.",
    "where": "SQL condition on the rows.",
    "confidence": "How often an interval is to hold the true value, as in 0.95: its ends stand beside each metric.",
    "cluster": "With confidence: whose rows belong together, a user or a session; by default groups, else rows.",
    "standard_error": "With confidence: whether to report the standard error of each metric too.",
    "method": "With confidence: 'jackknife' (the default), or 'bootstrap': percentiles of samples of the clusters.",
    "replicates": "How many samples method='bootstrap' draws, 20 to 10,000; 200 by default.",
    "seed": "A whole number that decides what is drawn; 1 by default.",
    "anytime": "With confidence: whether intervals hold at all looks together, for a value that is watched as its rows "
    "come in; a number says for how many clusters they are to be shortest, 1,000 by default.",
    "diagnostics": "Whether to report what stands behind each value: rows read and dropped, positives, ties, groups.",
    "round": "To how many digits behind the point values and intervals are told, so that a snapshot does not see their "
    "last bits; in full by default.",
    "shape": "How ordered windows are written: "
    + "; ".join(f"'{name}': {words}" for name, words in SHAPES.items())
    + ". By default 'two_level' on Spark, 'rows' elsewhere.",
}


#: The columns of a result: {slices} are those of `by`, {metric} the value asked for, {sums} what its metrics keep, and
#: in brackets what a choice brings.
RESULTS = {
    "evaluate": "[grouping], {slices}, [model], n, {metric}, [{metric}_low, {metric}_high, {metric}_se]",
    "compare": "[grouping], {slices}, metric, model, baseline, value, baseline_value, difference, "
    "difference_low, difference_high, standard_error, p_value, p_adjusted, detectable_difference, n, clusters, "
    "[shared_clusters], verdict",
    "score_state": "state_key, {slices}, score_key, [bucket, buckets], made_with, row_count, positives, negatives, "
    "[log_loss_sum, weight, brier_sum, score_sum]",
    "metric_state": "state_key, {slices}, [bucket, buckets], made_with, made_for, row_count, {sums}",
    "state_metrics": "{slices}, n, auc, [auc_low, auc_high], [auc_lower, auc_upper, ece, [ece_low, ece_high]], "
    "log_loss, [log_loss_low, log_loss_high], brier, [brier_low, brier_high], copc, [copc_low, copc_high], "
    "pcoc, [pcoc_low, pcoc_high]",
    "metrics_of_state": "{slices}, n, {metric}, [{metric}_low, {metric}_high, {metric}_se]",
    "metric_trend": "{slices}, {time}, n, {metric}, [{metric}_low, {metric}_high], trailing_periods, trailing_mean, "
    "trailing_median, band_low, band_high, falling",
    "drift": "[grouping], {slices}, column, n, n_reference, missing, missing_reference, psi, ks_distance, "
    "jensen_shannon, wasserstein",
    "score_drift": "{slices}, n, n_reference, psi, score_distance",
    "test_metric_between": "{slices}, n, {metric}, [{metric}_low, {metric}_high], min_value, max_value, failure",
    "test_metric_not_worse_than": "{slices}, n, {metric}, champion, [difference_low, difference_high], "
    "tolerance, failure",
    "test_calibrated_by": "{field}, n, copc, min_value, max_value, failure",
    "test_metric_not_falling": "{slices}, {time}, n, {metric}, [{metric}_low, {metric}_high], trailing_periods, "
    "trailing_mean, band_low, band_high, failure",
    "test_psi_below": "{slices}, n, n_reference, psi, max_value, failure",
    "test_score_drift_below": "{slices}, n, n_reference, score_distance, max_value, failure",
    "test_drift_below": "[grouping], {slices}, column, n, n_reference, {distance}, max_value, failure",
    "test_valid_inputs": "subject, row_count, failure",
}
_FRACTIONS = ("min_value", "max_value", "tolerance", "eps", "confidence", "deviations", "power")
_WHOLE = ("bins", "buckets", "trailing", "min_periods", "min_rows", "max_dropped", "replicates", "seed", "round")
_TRUTHS = ("diagnostics", "standard_error", "strict", "binned", "relative")
#: The types of arguments, in dbt's words; all others are texts: a column, an expression, a condition or a word.
_TYPES = {
    **dict.fromkeys(
        ["relation", "model", "champion_relation", "reference_relation", "previous", "against"], "relation"
    ),
    **dict.fromkeys(RELATIONS, "relation"),
    **dict.fromkeys(_FRACTIONS, "float"),
    **dict.fromkeys(_WHOLE, "integer"),
    **dict.fromkeys(_TRUTHS, "bool"),
    "metrics": "list[any]",
    "columns": "list[any]",
    "categories": "list[any]",
    "metric": "any",
    "score": "any",
    "anytime": "any",
    "by": "list[any]",
    "range": "list[float]",
}
_TYPES_OF_PARAMETERS = {
    "choice": "string",
    "integer": "integer",
    "number": "float",
    "boolean": "bool",
    "columns": "dict[string, string]",
    "quantiles": "dict[float, string]",
}


#: What `compare` says of its own: as in Python.
_COMPARING_WORDS = {
    argument.name: argument.doc.replace("`", "'")
    for argument in arguments_of("compare")
    if argument.name in (*COMPARISON, *INTERVALS, "confidence", "cluster")
}


def package_files(root: Path, catalogue: Catalogue) -> dict[Path, str]:
    """Every generated file of the package and what it must hold."""
    folder = root / "sql" / "macros" / "generated"
    metrics = sorted(catalogue.metrics.values(), key=lambda metric: metric.name)
    texts = {
        "dispatchers.sql": _dispatchers(metrics, catalogue),
        "definitions.sql": _definitions(metrics, catalogue),
        "metrics.sql": "\n\n".join(
            [_comment("The public macros."), _evaluate(), _compare(), _gaps(), *map(_public, metrics)]
        )
        + "\n",
        "metrics.yml": _properties(metrics, root / "sql"),
    }
    texts["internal.yml"] = _internal(root / "sql", texts)
    return {folder / name: text for name, text in texts.items()}


def _yaml(entries: list[dict[str, Any]]) -> str:
    content = {"version": 2, "macros": entries}
    return f"# {_NOTICE}\n{yaml.dump(content, Dumper=YAML_DUMPER, sort_keys=False, allow_unicode=True, width=110)}"


def _internal(sql: Path, texts: Mapping[str, str]) -> str:
    """What `dbt docs` is not to list: every macro that nobody calls from outside."""
    files = [*sql.glob("dbt/*.sql"), *sql.glob("macros/**/*.sql")]
    written = [file.read_text(encoding="utf-8") for file in files if file.parent.name != "generated"]
    names = {name for text in [*written, *texts.values()] for name, _ in _MACRO.findall(text)}
    public = {entry["name"] for entry in yaml.load(texts["metrics.yml"], Loader=YAML_LOADER)["macros"]}
    entries = [{"name": name, "docs": {"show": False}} for name in sorted(names - public)]
    return _yaml(entries)


def _comment(words: str) -> str:
    return f"{{#- {words} {_NOTICE} -#}}"


def _macro(name: str, arguments: Sequence[str], body: str) -> str:
    return f"{{%- macro {name}({', '.join(arguments)}) -%}}\n{body}\n{{%- endmacro -%}}"


def _chain(cases: Sequence[tuple[str, str]], otherwise: str | None = None) -> str:
    """A chain of `if`: condition and what is written when it holds."""
    lines = []
    for position, (condition, text) in enumerate(cases):
        lines += [f"{{%- {'elif' if position else 'if'} {condition} -%}}", text]
    lines += ["{%- else -%}", otherwise] if otherwise is not None else []
    return "\n".join([*lines, "{%- endif -%}"])


def _dispatchers(metrics: Sequence[Metric], catalogue: Catalogue) -> str:
    """What `_Macros` of rendering.py does by looking a name up."""
    takes_column = {}
    for path in {metric.path for metric in metrics}:
        for name, arguments in _MACRO.findall(path.read_text(encoding="utf-8")):
            takes_column[name] = "," in arguments

    def cases(suffix: str, arguments: str) -> list[tuple[str, str]]:
        found = []
        for metric in metrics:
            macro = f"{metric.name}__{suffix}"
            if macro in takes_column:
                given = arguments if arguments != "m, column" or takes_column[macro] else "m"
                found.append((f"m.name == '{metric.name}'", f"{{{{ sqlmetrics.{macro}({given}) }}}}"))
        return found

    computations = [
        (f"computation.computed_by == '{metric.name}'", f"{{{{ sqlmetrics.{metric.name}__computed(computation) }}}}")
        for metric in metrics
        if metric.computed
    ]
    mean = "{{ sqlmetrics.mean_over_groups(m) }}"
    frames = [
        (f"f.name == '{name}'", f"{{{{ return(sqlmetrics.{name}(f, rows_from, keys)) }}}}") for name in catalogue.frames
    ]
    moved = [
        (f"f.name == '{name}'", f"{{{{ return(sqlmetrics.{name}__moved(f, metrics, keys)) }}}}")
        for name, frame in catalogue.frames.items()
        if frame.moved
    ]
    macros = [
        _macro("metric_value", ["m", "column"], _chain(cases("value", "m, column"), mean)),
        _macro("metric_influence", ["m"], _chain(cases("influence", "m"))),
        _macro("metric_height", ["m"], _chain(cases("height", "m"))),
        _macro("metric_at_cut", ["m"], _chain(cases("at_cut", "m"))),
        _macro("metric_held", ["m"], _chain(cases("held", "m"))),
        _macro("metric_per_group", ["m", "column"], _chain(cases("per_group", "m, column"))),
        _macro("metric_table", ["m", "f", "keys"], _chain(cases("table", "m, f, keys"))),
        _macro(
            "metric_cells",
            ["m", "f", "rows_from", "keys", "carried"],
            _chain(cases("cells", "m, f, rows_from, keys, carried")),
        ),
        _macro("metric_query", ["m", "rows_from", "keys"], _chain(cases("query", "m, rows_from, keys"))),
        _macro("computed_column", ["computation"], _chain(computations)),
        _macro("frame_steps", ["f", "rows_from", "keys"], _chain(frames)),
        _macro("frame_moved", ["f", "metrics", "keys"], _chain(moved)),
    ]
    return "\n\n".join([_comment("The macro of a metric or of a frame, by its name."), *macros]) + "\n"


def _definitions(metrics: Sequence[Metric], catalogue: Catalogue) -> str:
    cases = [(f"name == '{metric.name}'", f"{{{{ return({jinja(definition(metric))}) }}}}") for metric in metrics]

    def returning(name: str, value: Any) -> str:
        return _macro(name, [], f"{{{{ return({jinja(value)}) }}}}")

    macros = [
        returning("known_metrics", [metric.name for metric in metrics]),
        *[returning(name, value) for name, value in KNOWN.items()],
        returning("known_frames", frame_definitions(catalogue.frames)),
        _macro("metric_definition", ["name"], _chain(cases) + "\n{{ return(none) }}"),
    ]
    return "\n\n".join([_comment("What the metric files declare."), *macros]) + "\n"


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


def _statement(
    macro: str,
    metrics: str,
    roles: Sequence[str],
    relations: Sequence[str],
    preset: str,
    choices: str = f"diagnostics, confidence, cluster, standard_error, none, {_INTERVALS}, round",
) -> str:
    given = ", ".join(f"'{role}': {role if role in roles else 'none'}" for role in ROLES)
    further = ", ".join(f"'{name}': {name if name in relations else 'none'}" for name in RELATIONS)
    return (
        "{{ sqlmetrics.statement_of_call(\n"
        f"    '{macro}', relation, {metrics},\n    {{{given}}},\n    {{{further}}},\n"
        f"    {preset}, by, where, shape, {choices}\n) }}}}"
    )


def _evaluate() -> str:
    arguments = ["relation=none", "metrics=none", *[f"{name}=none" for name in (*ROLES, *RELATIONS, "preset")]]
    arguments += _shared_arguments()
    return _macro("evaluate", arguments, _statement("evaluate", "metrics", list(ROLES), list(RELATIONS), "preset"))


#: The arguments of `compare` behind those of roles and relations, with their defaults.
_COMPARING = {
    "by": "none",
    "where": "none",
    "shape": "none",
    "confidence": "0.95",
    "cluster": "none",
    **dict.fromkeys(INTERVALS, "none"),
    "anytime": "false",
    **{argument.name: (argument.default or "none").replace("False", "false").replace("None", "none").replace('"', "'")
       for argument in arguments_of("compare") if argument.name in COMPARISON},
    "round": "none",
}  # fmt: skip


def _compare() -> str:
    arguments = ["relation=none", "metrics=none", *[f"{name}=none" for name in (*ROLES, *RELATIONS, "preset")]]
    arguments += [f"{name}={default}" for name, default in _COMPARING.items()]
    comparison = ", ".join(f"'{name}': {name}" for name in COMPARISON)
    choices = f"false, confidence, cluster, false, {{{comparison}}}, {_INTERVALS}, round"
    body = _statement("compare", "metrics", list(ROLES), list(RELATIONS), "preset", choices)
    return _macro("compare", arguments, body)


#: The arguments of `gaps` behind those of roles and relations.
_GAPS = ("by", "where", "shape", "min_rows", "confidence", "cluster", "round")
#: What they mean there, as in Python.
_GAPS_WORDS = {
    argument.name: argument.doc.replace("`", "'").replace('"', "'")
    for argument in arguments_of("gaps")
    if argument.name in ("metrics", *_GAPS) and argument.name != "where"
}


def _gaps() -> str:
    names = ("relation", "metrics", *ROLES, *RELATIONS, "preset", *_GAPS)
    choices = "false, confidence, cluster, false, none, none, round, {'min_rows': min_rows}"
    body = _statement("gaps", "metrics", list(ROLES), list(RELATIONS), "preset", choices)
    return _macro("gaps", [f"{name}=none" for name in names], body)


def _shared_arguments() -> list[str]:
    values = {"diagnostics": "false", "standard_error": "false", "anytime": "false"}
    return [f"{name}={values.get(name, 'none')}" for name in _COMMON]


def _public(metric: Metric) -> str:
    """The macro of one metric: its own roles and parameters, so that dbt refuses any other."""
    parameters = [f"{name}={jinja(parameter.default)}" for name, parameter in metric.parameters.items()]
    arguments = ["relation=none", *[f"{role}=none" for role in metric.roles()], *parameters]
    arguments += [f"{name}=none" for name in metric.relations] + _shared_arguments()
    entries = [f"'name': '{metric.name}'", *[f"'{name}': {name}" for name in metric.parameters]]
    spec = f"[{{{', '.join(entries)}}}]"
    return _macro(metric.name, arguments, _statement(metric.name, spec, list(metric.roles()), metric.relations, "none"))


def _properties(metrics: Sequence[Metric], sql: Path) -> str:
    """The property file, from which `dbt docs` shows what a macro does."""
    everything = {**ROLES, **RELATIONS}
    names = ["relation", "metrics", *ROLES, *RELATIONS, "preset", *_COMMON]
    entries = [
        {
            "name": "evaluate",
            "description": "Several metrics of one relation in one statement: a row per slice, a column per metric."
            + _columns("evaluate"),
            "arguments": [_argument(name, _WORDS.get(name) or everything[name]) for name in names],
        },
        {
            "name": "compare",
            "description": "How far other scores are from one of them: a row per slice, metric and model with the "
            "difference, its interval, p-values and a verdict, as `sqlmetrics.compare` in Python."
            + _columns("compare"),
            "arguments": [
                _argument(name, _COMPARING_WORDS.get(name) or _WORDS.get(name) or everything[name])
                for name in ["relation", "metrics", *ROLES, *RELATIONS, "preset", *_COMPARING]
            ],
        },
        {
            "name": "gaps",
            "description": "How far slices are apart by each metric: a row per metric with the highest and the lowest "
            "slice, their difference and ratio, as `sqlmetrics.gaps` in Python.",
            "arguments": [
                _argument(name, _GAPS_WORDS.get(name) or _WORDS.get(name) or everything[name])
                for name in ["relation", "metrics", *ROLES, *RELATIONS, "preset", *_GAPS]
            ],
        },
    ]
    for metric in metrics:
        arguments = [_argument("relation", _WORDS["relation"])]
        arguments += [_argument(role, ROLES[role]) for role in metric.roles()]
        arguments += [
            _argument(p.name, _parameter_words(p), _TYPES_OF_PARAMETERS[p.type]) for p in metric.parameters.values()
        ]
        arguments += [_argument(name, everything[name]) for name in metric.relations]
        arguments += [_argument(name, _WORDS[name]) for name in _COMMON]
        description = f"{metric.title}: {metric.formula}."
        description += f"\n\n{metric.notes}" if metric.notes else ""
        description += f"\n\nRange: {metric.range}. Undefined: {metric.undefined}. Source: {metric.source}."
        entries.append({"name": metric.name, "description": description, "arguments": arguments})
    public = [sql / "dbt" / f"{name}.sql" for name in ("state", "trend", "drift")]
    for path in [*sorted((sql / "tests" / "generic").glob("*.sql")), *public]:
        entries += _documented(path, {**everything, **_WORDS, **_FURTHER_WORDS})
    return _yaml(entries)


def _documented(path: Path, words: Mapping[str, str]) -> list[dict[str, Any]]:
    """The documentation of the tests and public macros of one file: the comment above each, and its arguments."""
    entries = []
    for comment, kind, name, arguments in _DOCUMENTED.findall(path.read_text(encoding="utf-8")):
        names = [argument.partition("=")[0].strip() for argument in arguments.split(",")]
        told = {**words, **_OWN_WORDS.get(name, {})}
        entries.append(
            {
                "name": f"test_{name}" if kind == "test" else name,
                "description": " ".join(comment.split()) + _columns(f"test_{name}" if kind == "test" else name),
                "arguments": [_argument(argument, told[argument]) for argument in names],
            }
        )
    return entries


def _argument(name: str, words: str, kind: str | None = None) -> dict[str, str]:
    described = f"{words[0].upper()}{words[1:]}".rstrip(".") + "."
    return {"name": name, "type": kind or _TYPES.get(name, "string"), "description": described}


def _columns(name: str) -> str:
    """What is said of the columns of a result."""
    return f" Its columns: {RESULTS[name]}."


def _parameter_words(parameter: Parameter) -> str:
    words = parameter.doc
    if parameter.choices:
        words += ": " + "; ".join(f"'{choice}' {meaning}" for choice, meaning in parameter.choices.items())
    default = "must be given" if parameter.required else f"default {jinja(parameter.default)}"
    return f"{words} ({default})"
