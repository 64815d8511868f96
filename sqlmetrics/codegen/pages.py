"""Generate the pages and tables of metrics, dialects, frames and dbt macros from their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..authoring.describe import describe_interval, describe_role, example_lines, result_columns
from ..catalogue.dialects import dialects
from ..catalogue.front_matter import read_front_matter
from ..catalogue.model import Metric, Parameter
from ..catalogue.registry import Catalogue
from ..catalogue.vocabulary import OPTIONAL_RELATIONS, QUESTIONS, RELATIONS, ROLES
from ..errors import BadMetricFile
from ..integrations.duckdb_macros import macro_unsupported_reason, metric_macros
from ..rendering.macros import call_macro
from .dbt_package import NOTICE, argument_property, documented_macros

_FAMILIES = {
    "binary": "Binary classification",
    "calibration": "Probabilities and calibration",
    "grouped": "Grouped: inside each group, then combined",
    "ranking": "Ranking: per group, averaged over groups",
    "recommender": "Recommender lists",
    "multiclass": "Multi-class",
    "regression": "Regression",
    "bidding": "Win-price (bid landscape) distributions",
    "off_policy": "Off-policy estimates: what another policy would have earned",
    "uplift": "Uplift: what a treatment changes",
    "survival": "Survival: how soon an event comes",
}


def by_family(catalogue: Catalogue) -> dict[str, list[Metric]]:
    """The metrics by family, in the order of the catalogue page."""
    families: dict[str, list[Metric]] = {family: [] for family in _FAMILIES}
    for metric in sorted(catalogue.metrics.values(), key=lambda metric: metric.name):
        families.setdefault(metric.family, []).append(metric)
    return {family: members for family, members in families.items() if members}


def catalogue_page(catalogue: Catalogue) -> str:
    """The catalogue as Markdown, one section per metric."""
    lines = [
        "# The metrics",
        "",
        f"<!-- {NOTICE} -->",
        "",
        "Every metric takes slices (`by`), a filter (`where`) and the roles listed with it. A row with a NULL or NaN",
        "in a role that the metric needs is not used, and counted. An undefined value is NULL, never NaN.",
        "The text that `render` writes, and dbt, does not know types: there NaN is a value like others in what",
        "is only compared (a group, an item, a field, a class); write NULL in its place.",
        "",
        "Sums are those of the engine, of doubles: of n numbers of one sign, whatever they are, right to n / 2⁵³ of",
        "the sum, which is 1e-9 for nine million rows. They are far better where rows differ, and come near to that",
        "where all are equal: on DuckDB a hundred million different probabilities add up to within 6e-13, a hundred",
        "million times 0.1 to within 1.9e-9 in one thread. (Its `fsum` has no such drift, at four times the time.)",
        "",
        "## By question",
        "",
        *questions_table(catalogue),
        "",
        "## By family",
        "",
        "| metric | what it is | family |",
        "|---|---|---|",
    ]
    families = by_family(catalogue)
    for family, members in families.items():
        for metric in members:
            lines.append(
                f"| [`{metric.name}`](#{metric.name}) | {_cell(metric.title)} | {_FAMILIES.get(family, family)} |"
            )
    lines += ["", "## The same under other names", "", *names_table(catalogue)]
    lines += [
        "",
        "[Who has what](peers.md) goes through whole lists of other tools: what each of their names is here, and",
        "why some are not.",
    ]
    for family, members in families.items():
        lines += ["", f"## {_FAMILIES.get(family, family)}"]
        for metric in members:
            lines += ["", *metric_section(metric)]
    return "\n".join(lines) + "\n"


def questions_table(catalogue: Catalogue) -> list[str]:
    """Questions, and the metrics that answer them."""
    lines = ["| question | metrics |", "|---|---|"]
    metrics = [metric for members in by_family(catalogue).values() for metric in members]
    for metric in metrics:
        if not metric.answers:
            raise BadMetricFile(f"{metric.path}: answers must name questions: {', '.join(QUESTIONS)}")
    for name, question in QUESTIONS.items():
        links = [f"[`{metric.name}`](#{metric.name})" for metric in metrics if name in metric.answers]
        lines.append(f"| {_cell(question)} | {', '.join(links)} |")
    return lines


def names_table(catalogue: Catalogue) -> list[str]:
    """The names of the metrics in other tools."""
    tools = ("scikit-learn", "trec_eval", "LightGBM")
    lines = [f"| here | {' | '.join(tools)} |", "|---" * (len(tools) + 1) + "|"]
    for members in by_family(catalogue).values():
        for metric in members:
            if metric.names:
                lines.append(f"| `{metric.name}` | {' | '.join(_cell(metric.names.get(tool, '')) for tool in tools)} |")
    return lines


def duckdb_macros_table(catalogue: Catalogue) -> list[str]:
    """The call of each metric as a DuckDB macro, or why there is none."""
    by_name = {macro.name: macro for macro in metric_macros()}
    lines = ["| macro | or else with |", "|---|---|"]
    without = []
    for metric in (metric for members in by_family(catalogue).values() for metric in members):
        link = f"[`{metric.name}`](README.md#{metric.name})"
        macro = by_name.get(metric.name)
        if macro is None:
            without.append(f"- {link}: {macro_unsupported_reason(metric)}.")
            continue
        # `precision` is an SQL keyword.
        name = f'"{metric.name}"' if metric.name == "precision" else metric.name
        fewest = next(iter(macro.bodies))
        columns = list(fewest)
        optional = dict.fromkeys(f"`{name}`" for names in macro.bodies for name in names
                                if ":=" not in name and name not in columns)  # fmt: skip
        lines.append(f"| `{name}({', '.join(columns)})` | {', '.join(optional)} |")
    return [*lines, "", "These are none:", "", *without]


def metric_section(metric: Metric) -> list[str]:
    """The section of a metric on the catalogue page."""
    lines = [f"### {metric.name}", "", f"{metric.title}: {metric.formula}."]
    if metric.notes:
        lines += ["", metric.notes]
    lines += ["", "| | |", "|---|---|"]
    for role, required in metric.roles().items():
        lines.append(f"| role `{role}`{'' if required else ' (optional)'} | {_cell(describe_role(metric, role))} |")
    if metric.no_weight:
        lines.append(f"| role `weight` | {_cell(f'none: {metric.no_weight}')} |")
    for name in metric.relations:
        lines.append(
            f"| relation `{name}`{' (optional)' if name in OPTIONAL_RELATIONS else ''} | {_cell(RELATIONS[name])} |"
        )
    for parameter in metric.parameters.values():
        lines.append(f"| parameter `{_parameter_call(parameter)}` | {_cell(_describe_parameter(parameter))} |")
    reason = macro_unsupported_reason(metric)
    lines += [
        f"| result | {_cell(result_columns(metric))} |",
        f"| macro of DuckDB | {_cell(f'none: {reason}' if reason else '[as SQL](duckdb.md)')} |",
        f"| range | {_cell(metric.range)} |",
        f"| undefined | {_cell(metric.undefined)} |",
        *([f"| interval | {_cell(describe_interval(metric))} |"] if describe_interval(metric) else []),
        f"| checked against | {_cell(metric.oracle)} |",
        f"| source | {_cell(metric.source)} |",
        "",
        "```python",
        *example_lines(metric),
        "```",
    ]
    return lines


def _parameter_call(parameter: Parameter) -> str:
    return parameter.name if parameter.required else f"{parameter.name}={parameter.default!r}"


def _describe_parameter(parameter: Parameter) -> str:
    description = parameter.doc
    if parameter.choices:
        description += ": " + "; ".join(
            f"`{choice!r}` {meaning}" + (f" (as {parameter.used_by[choice]})" if choice in parameter.used_by else "")
            for choice, meaning in parameter.choices.items()
        )
    else:
        description += "".join(f"; {value} as {tools}" for value, tools in parameter.used_by.items())
    return description


def _cell(text: str) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


def families_table(catalogue: Catalogue) -> list[str]:
    """The table of the README: the names of the metrics of each family."""
    lines = ["| family | metrics |", "|---|---|"]
    for family, members in by_family(catalogue).items():
        name = _FAMILIES.get(family, family).partition(":")[0]
        lines.append(f"| {name} | {', '.join(_in_short([metric.name for metric in members]))} |")
    return lines


def _in_short(names: Sequence[str]) -> list[str]:
    """Join three or more names with a common start, or else end: macro_{f1, recall}, {f1, recall}_at_k."""
    by_first_word: dict[str, list[str]] = {}
    for name in names:
        by_first_word.setdefault(name.partition("_")[0], []).append(name)
    by_ending: dict[str, list[str]] = {}
    for first_word, members in by_first_word.items():
        if len(members) > 2 and all("_" in name for name in members):
            by_ending[f"{first_word}_{{{', '.join(name.partition('_')[2] for name in members)}}}"] = []
        else:
            for name in members:
                ending = "_at_k" if name.endswith("_at_k") else f"_{name.rpartition('_')[2]}"
                by_ending.setdefault(ending if "_" in name else name, []).append(name)
    shortened = []
    for ending, members in by_ending.items():
        if len(members) > 2:
            shortened.append(f"{{{', '.join(name.removesuffix(ending) for name in members)}}}{ending}")
        else:
            shortened.extend(members or [ending])
    return sorted(shortened, key=lambda name: name.lstrip("{"))


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def dialects_table() -> list[str]:
    """The dialects, and how each is tested."""
    lines = ["| dialect | engine | what was tried |", "|---|---|---|"]
    for name, dialect in dialects().items():
        engine = "the engine" if dialect.tested else dialect.stand_in
        tried = f"every metric, on {engine}" if engine else "the text of every metric, by parsers"
        macros = f" (written as for `{dialect.parent}`, but for what its file has)" if dialect.parent else ""
        lines.append(f"| `{name}` | {dialect.title} | {tried}{macros} |")
    return lines


def states_table(catalogue: Catalogue) -> list[str]:
    """The state of each metric, or why it has none, from its file and its frame's file."""
    reasons: dict[str, str | None] = call_macro(catalogue, "duckdb", "states_of_metrics")
    scores = call_macro(catalogue, "duckdb", "metrics_of_scores", "state_metrics", None, True)
    names_of_scores = {"auc" if isinstance(metric, dict) else metric for metric in scores}
    of_each_score = ("`score_state`", "each score, so that it is pre-aggregated rows for `evaluate`")
    by_state: dict[tuple[str, str], list[str]] = {
        ("`score_state`", "the clicks at each score, or bin; `state_metrics` reads them"): sorted(names_of_scores),
        of_each_score: [],
    }
    without_state: dict[tuple[str, str], list[str]] = {}
    for name, reason in reasons.items():
        frame = catalogue.frames[catalogue[name].frames[-1]]
        if frame.state == "scores" and not catalogue[name].no_weight:
            by_state[of_each_score].append(name)
        elif reason is not None:
            without_state.setdefault(("none", reason), []).append(name)
        else:
            by = f"counts by {_names(frame.state['keys'])}" if isinstance(frame.state, Mapping) else None
            by_state.setdefault(("`metric_state`", by or f"sums over {frame.state}s"), []).append(name)
    lines = ["| state | what it keeps, or why there is none | metrics |", "|---|---|---|"]
    for (state, description), names in {**by_state, **without_state}.items():
        linked = ", ".join(f"[`{name}`](README.md#{name})" for name in sorted(names))
        lines.append(f"| {state} | {description} | {linked} |")
    return lines


def frames_table(catalogue: Catalogue) -> list[str]:
    """The frames, for authors of metrics."""
    lines = ["| frame | rows | columns, beside those of slices |", "|---|---|---|"]
    for name in catalogue.frames:
        about = read_front_matter(catalogue.root / "macros" / "frames" / f"{name}.sql") or {}
        lines.append(f"| `{name}` | {_cell(about['rows'])} | {_cell(about['columns'])} |")
    return lines


def macro_arguments(sql: Path) -> dict[str, list[str]]:
    """The mark of each macro and test on the page of dbt, and its arguments as a table that unfolds."""
    inputs = [argument_property(name, description) for name, description in {**ROLES, **RELATIONS}.items()]
    common = {argument["name"]: argument for argument in inputs}
    tables: dict[str, list[str]] = {}
    for macro in documented_macros(sql):
        rows, shared = [], []
        if macro.name == "evaluate":
            common |= {argument["name"]: argument for argument in macro.arguments}
        for argument in macro.arguments + (inputs if macro.name == "evaluate" else []):
            default = macro.defaults.get(argument["name"], "none")
            if macro.name != "evaluate" and argument == common.get(argument["name"]) and default == "none":
                shared.append(argument["name"])
            else:
                description = _cell(" ".join(argument["description"].split()))
                default_cell = f"`{default}`" if default else ""
                rows.append(f"| `{argument['name']}` | {argument['type']} | {default_cell} | {description} |")
        also = [_names(shared)] if shared else []
        also += ["all roles and relations"] if macro.takes_roles and macro.name != "evaluate" else []
        lines = ["<details><summary>Arguments</summary>", ""]
        lines += ["| argument | type | default | what it is |", "|---|---|---|---|", *rows, ""] if rows else []
        lines += [f"{'Also, as' if rows else 'As'} in `evaluate`: {', '.join(also)}.", ""] if also else []
        if rows or also:
            tables[f"arguments of {macro.name.removeprefix('test_')}"] = [*lines, "</details>"]
    return tables
