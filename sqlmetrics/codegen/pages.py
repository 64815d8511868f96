"""The pages that list metrics, dialects, frames and the macros of dbt, made from what their files declare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..authoring.describe import example_lines, interval_words, result_columns, role_words
from ..catalogue.dialects import dialects
from ..catalogue.front_matter import read_front_matter
from ..catalogue.model import Metric, Parameter
from ..catalogue.registry import Catalogue
from ..catalogue.vocabulary import OPTIONAL_RELATIONS, QUESTIONS, RELATIONS, ROLES
from ..errors import BadMetricFile
from ..integrations.duckdb_macros import metric_macros, why_not
from ..rendering.macros import call_macro
from .dbt_package import NOTICE, OPTIONS, described_argument, documented_macros, jinja

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
    """The metrics by family, both in the order of the catalogue page."""
    families: dict[str, list[Metric]] = {family: [] for family in _FAMILIES}
    for metric in sorted(catalogue.metrics.values(), key=lambda metric: metric.name):
        families.setdefault(metric.family, []).append(metric)
    return {family: found for family, found in families.items() if found}


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
    for family, found in families.items():
        for metric in found:
            lines.append(
                f"| [`{metric.name}`](#{metric.name}) | {_cell(metric.title)} | {_FAMILIES.get(family, family)} |"
            )
    lines += ["", "## The same under other names", "", *names_table(catalogue)]
    lines += [
        "",
        "[Who has what](peers.md) goes through whole lists of other tools: what each of their names is here, and",
        "why some are not.",
    ]
    for family, found in families.items():
        lines += ["", f"## {_FAMILIES.get(family, family)}"]
        for metric in found:
            lines += ["", *metric_section(metric)]
    return "\n".join(lines) + "\n"


def questions_table(catalogue: Catalogue) -> list[str]:
    """What people ask, and the metrics that say that they answer it."""
    lines = ["| question | metrics |", "|---|---|"]
    metrics = [metric for found in by_family(catalogue).values() for metric in found]
    for metric in metrics:
        if not metric.answers:
            raise BadMetricFile(f"{metric.path}: say under answers what it helps with: {', '.join(QUESTIONS)}")
    for name, question in QUESTIONS.items():
        links = [f"[`{metric.name}`](#{metric.name})" for metric in metrics if name in metric.answers]
        lines.append(f"| {_cell(question)} | {', '.join(links)} |")
    return lines


def names_table(catalogue: Catalogue) -> list[str]:
    """What other tools call the metrics."""
    tools = ("scikit-learn", "trec_eval", "LightGBM")
    lines = [f"| here | {' | '.join(tools)} |", "|---" * (len(tools) + 1) + "|"]
    for found in by_family(catalogue).values():
        for metric in found:
            if metric.names:
                lines.append(f"| `{metric.name}` | {' | '.join(_cell(metric.names.get(tool, '')) for tool in tools)} |")
    return lines


def duckdb_macros_table(catalogue: Catalogue) -> list[str]:
    """How each metric is called as a macro of DuckDB, or why it is none."""
    by_name = {macro.name: macro for macro in metric_macros()}
    lines = ["| macro | or else with |", "|---|---|"]
    without = []
    for metric in (metric for found in by_family(catalogue).values() for metric in found):
        link = f"[`{metric.name}`](README.md#{metric.name})"
        macro = by_name.get(metric.name)
        if macro is None:
            without.append(f"- {link}: {why_not(metric)}.")
            continue
        # `precision` is a word of SQL, too.
        name = f'"{metric.name}"' if metric.name == "precision" else metric.name
        fewest = next(iter(macro.bodies))
        columns = list(fewest)
        further = dict.fromkeys(f"`{one}`" for names in macro.bodies for one in names
                                if ":=" not in one and one not in columns)  # fmt: skip
        lines.append(f"| `{name}({', '.join(columns)})` | {', '.join(further)} |")
    return [*lines, "", "These are none:", "", *without]


def metric_section(metric: Metric) -> list[str]:
    """What the catalogue page and `sqlmetrics show` say of a metric."""
    lines = [f"### {metric.name}", "", f"{metric.title}: {metric.formula}."]
    if metric.notes:
        lines += ["", metric.notes]
    lines += ["", "| | |", "|---|---|"]
    for role, required in metric.roles().items():
        lines.append(f"| role `{role}`{'' if required else ' (optional)'} | {_cell(role_words(metric, role))} |")
    if metric.no_weight:
        lines.append(f"| role `weight` | {_cell(f'none: {metric.no_weight}')} |")
    for name in metric.relations:
        lines.append(
            f"| relation `{name}`{' (optional)' if name in OPTIONAL_RELATIONS else ''} | {_cell(RELATIONS[name])} |"
        )
    for parameter in metric.parameters.values():
        lines.append(f"| parameter `{_parameter_call(parameter)}` | {_cell(_parameter_words(parameter))} |")
    lines += [
        f"| result | {_cell(result_columns(metric))} |",
        f"| macro of DuckDB | {_cell(f'none: {why_not(metric)}' if why_not(metric) else '[as SQL](duckdb.md)')} |",
        f"| range | {_cell(metric.range)} |",
        f"| undefined | {_cell(metric.undefined)} |",
        *([f"| interval | {_cell(interval_words(metric))} |"] if interval_words(metric) else []),
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


def _parameter_words(parameter: Parameter) -> str:
    words = parameter.doc
    if parameter.choices:
        words += ": " + "; ".join(
            f"`{choice!r}` {meaning}" + (f" (as {parameter.used_by[choice]})" if choice in parameter.used_by else "")
            for choice, meaning in parameter.choices.items()
        )
    else:
        words += "".join(f"; {value} as {tools}" for value, tools in parameter.used_by.items())
    return words


def _cell(text: str) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


def families_table(catalogue: Catalogue) -> list[str]:
    """The table of the README: the metrics of each family by name."""
    lines = ["| family | metrics |", "|---|---|"]
    for family, found in by_family(catalogue).items():
        name = _FAMILIES.get(family, family).partition(":")[0]
        lines.append(f"| {name} | {', '.join(_in_short([metric.name for metric in found]))} |")
    return lines


def _in_short(names: Sequence[str]) -> list[str]:
    """Three names or more that begin, or else end, alike say that once: macro_{f1, recall}, {f1, recall}_at_k."""
    short: dict[str, list[str]] = {}
    for name in names:
        short.setdefault(name.partition("_")[0], []).append(name)
    found: dict[str, list[str]] = {}
    for first, own in short.items():
        if len(own) > 2 and all("_" in name for name in own):
            found[f"{first}_{{{', '.join(name.partition('_')[2] for name in own)}}}"] = []
        else:
            for name in own:
                last = "_at_k" if name.endswith("_at_k") else f"_{name.rpartition('_')[2]}"
                found.setdefault(last if "_" in name else name, []).append(name)
    together = []
    for last, own in found.items():
        if len(own) > 2:
            together.append(f"{{{', '.join(name.removesuffix(last) for name in own)}}}{last}")
        else:
            together.extend(own or [last])
    return sorted(together, key=lambda one: one.lstrip("{"))


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def dialects_table() -> list[str]:
    """The dialects, and what was tried of each."""
    lines = ["| dialect | engine | what was tried |", "|---|---|---|"]
    for name, dialect in dialects().items():
        engine = "the engine" if dialect.tested else dialect.stand_in
        tried = f"every metric, on {engine}" if engine else "the text of every metric, by parsers"
        macros = f" (written as for `{dialect.parent}`, but for what its file has)" if dialect.parent else ""
        lines.append(f"| `{name}` | {dialect.title} | {tried}{macros} |")
    return lines


def states_table(catalogue: Catalogue) -> list[str]:
    """What state each metric has, or why none: by what its file and that of its frame say."""
    found: dict[str, str | None] = call_macro(catalogue, "duckdb", "states_of_metrics")
    scores = call_macro(catalogue, "duckdb", "metrics_of_scores", "state_metrics", None, True)
    read = {"auc" if isinstance(one, dict) else one for one in scores}
    of_each_score = ("`score_state`", "each score, so that it is pre-aggregated rows for `evaluate`")
    kept: dict[tuple[str, str], list[str]] = {
        ("`score_state`", "the clicks at each score, or bin; `state_metrics` reads them"): sorted(read),
        of_each_score: [],
    }
    none: dict[tuple[str, str], list[str]] = {}
    for name, why in found.items():
        frame = catalogue.frames[catalogue[name].frames[-1]]
        if frame.state == "scores" and not catalogue[name].no_weight:
            kept[of_each_score].append(name)
        elif why is not None:
            none.setdefault(("none", why), []).append(name)
        else:
            by = f"counts by {_names(frame.state['keys'])}" if isinstance(frame.state, Mapping) else None
            kept.setdefault(("`metric_state`", by or f"sums over {frame.state}s"), []).append(name)
    lines = ["| state | what it keeps, or why there is none | metrics |", "|---|---|---|"]
    for (state, words), names in {**kept, **none}.items():
        linked = ", ".join(f"[`{name}`](README.md#{name})" for name in sorted(names))
        lines.append(f"| {state} | {words} | {linked} |")
    return lines


def frames_table(catalogue: Catalogue) -> list[str]:
    """The frames, as their files describe them to whoever writes a metric."""
    lines = ["| frame | rows | columns, beside those of slices |", "|---|---|---|"]
    for name in catalogue.frames:
        about = read_front_matter(catalogue.root / "macros" / "frames" / f"{name}.sql") or {}
        lines.append(f"| `{name}` | {_cell(about['rows'])} | {_cell(about['columns'])} |")
    return lines


def macros_reference(sql: Path, catalogue: Catalogue) -> list[str]:
    """The macros and tests of the dbt package: what they are for, and their arguments."""
    inputs = [described_argument(name, words) for name, words in {**ROLES, **RELATIONS}.items()]
    common = {argument["name"]: argument for argument in inputs}
    lines: list[str] = []
    for macro in documented_macros(sql):
        rows, shared = [], []
        if macro.name == "evaluate":
            common |= {argument["name"]: argument for argument in macro.arguments}
        for argument in macro.arguments + (inputs if macro.name == "evaluate" else []):
            default = macro.defaults.get(argument["name"], "none")
            if macro.name != "evaluate" and argument == common.get(argument["name"]) and default == "none":
                shared.append(argument["name"])
            else:
                words = _cell(" ".join(argument["description"].split()))
                shown = f"`{default}`" if default else ""
                rows.append(f"| `{argument['name']}` | {argument['type']} | {shown} | {words} |")
        also = [_names(shared)] if shared else []
        also += ["all roles and relations"] if macro.takes_roles and macro.name != "evaluate" else []
        lines += [f"### {macro.name.removeprefix('test_')}", "", macro.description, ""]
        lines += ["| argument | type | default | what it is |", "|---|---|---|---|", *rows, ""] if rows else []
        lines += [f"{'Also, as' if rows else 'As'} in `evaluate`: {', '.join(also)}.", ""] if also else []
    lines += [
        "### A macro for each metric",
        "",
        "The arguments that all of them have, `relation` before and "
        f"{_names(OPTIONS)} behind the others, are those of `evaluate`. The catalogue says what the others are.",
        "",
        "| macro | its roles and relations | its parameters | result |",
        "|---|---|---|---|",
    ]
    for found in by_family(catalogue).values():
        for metric in found:
            parameters = ", ".join(f"`{name}={jinja(one.default)}`" for name, one in metric.parameters.items())
            columns = _names([*metric.roles(), *metric.relations])
            lines.append(
                f"| [`{metric.name}`](README.md#{metric.name}) | {columns} | {parameters} | {result_columns(metric)} |"
            )
    return lines
