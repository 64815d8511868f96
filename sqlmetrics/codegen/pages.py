"""Generate the tables of metrics, dialects, frames and dbt macros on pages from their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..catalogue.dialects import dialects
from ..catalogue.model import Metric
from ..catalogue.registry import Catalogue
from ..catalogue.vocabulary import RELATIONS, ROLES
from ..integrations.duckdb_macros import macro_unsupported_reason, metric_macros
from ..rendering.macros import call_macro
from .dbt_package import argument_property, documented_macros

FAMILIES = {
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


#: The metrics that represent their family in the README.
_BEST_KNOWN = {
    "auc", "f1", "ks", "pr_auc", "roc_curve", "brier", "calibration_curve", "copc", "ece", "log_loss", "gauc",
    "group_auc", "map", "mrr", "ndcg", "recall_at_k", "rbo", "coverage", "diversity", "novelty", "cohens_kappa",
    "macro_f1", "multi_auc", "mae", "r2", "rmse", "spearman_correlation", "doubly_robust", "ips", "snips", "qini",
    "uplift_auc",
}  # fmt: skip


def by_family(catalogue: Catalogue) -> dict[str, list[Metric]]:
    """The metrics by family, in the order of the pages."""
    families: dict[str, list[Metric]] = {family: [] for family in FAMILIES}
    for metric in sorted(catalogue.metrics.values(), key=lambda metric: metric.name):
        families.setdefault(metric.family, []).append(metric)
    return {family: members for family, members in families.items() if members}


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table."""
    escaped = ([cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows)
    lines = [f"| {' | '.join(cells)} |" for cells in (columns, *escaped)]
    return [lines[0], "|---" * len(columns) + "|", *lines[1:]]


def duckdb_macros_table(catalogue: Catalogue) -> list[str]:
    """The call of each metric as a DuckDB macro, or why there is none."""
    by_name = {macro.name: macro for macro in metric_macros()}
    rows, without = [], []
    for metric in (metric for members in by_family(catalogue).values() for metric in members):
        macro = by_name.get(metric.name)
        if macro is None:
            without.append(f"- {_file_link(metric)}: {macro_unsupported_reason(metric)}.")
            continue
        # `precision` is an SQL keyword.
        name = f'"{metric.name}"' if metric.name == "precision" else metric.name
        columns = list(next(iter(macro.bodies)))
        others = (name for names in macro.bodies for name in names if ":=" not in name and name not in columns)
        rows.append((f"`{name}({', '.join(columns)})`", _names(dict.fromkeys(others))))
    return [*table(("macro", "or else with"), rows), "", "These are none:", "", *without]


def families_table(catalogue: Catalogue) -> list[str]:
    """The table of the README: a line per family with a few of its metrics."""
    rows = []
    for family, members in by_family(catalogue).items():
        name = FAMILIES.get(family, family).partition(":")[0]
        shown = [metric.name for metric in members if metric.name in _BEST_KNOWN] or [members[0].name]
        more = f" and {len(members) - len(shown)} more" if len(members) > len(shown) else ""
        rows.append((f"[{name}](sql/macros/{family})", f"{', '.join(shown)}{more}"))
    return table(("family", "metrics"), rows)


def _file_link(metric: Metric) -> str:
    return f"[`{metric.name}`](macros/{metric.family}/{metric.name}.sql)"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def dialects_table() -> list[str]:
    """The dialects, and how each is tested."""
    rows = []
    for name, dialect in dialects().items():
        engine = "the engine" if dialect.tested else dialect.stand_in
        tried = f"every metric, on {engine}" if engine else "the text of every metric, by parsers"
        macros = f" (written as for `{dialect.parent}`, but for what its file has)" if dialect.parent else ""
        rows.append((f"`{name}`", dialect.title, tried + macros))
    return table(("dialect", "engine", "what was tried"), rows)


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
    rows = [
        (state, description, ", ".join(_file_link(catalogue[name]) for name in sorted(names)))
        for (state, description), names in {**by_state, **without_state}.items()
    ]
    return table(("state", "what it keeps, or why there is none", "metrics"), rows)


def frames_table(catalogue: Catalogue) -> list[str]:
    """The frames, for authors of metrics."""
    rows = [(f"`{name}`", frame.rows, frame.columns) for name, frame in catalogue.frames.items()]
    return table(("frame", "rows", "columns, in addition to slices"), rows)


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
                description = " ".join(argument["description"].split())
                rows.append((f"`{argument['name']}`", argument["type"], default and f"`{default}`", description))
        also = [_names(shared)] if shared else []
        also += ["all roles and relations"] if macro.takes_roles and macro.name != "evaluate" else []
        lines = ["<details><summary>Arguments</summary>", ""]
        lines += [*table(("argument", "type", "default", "what it is"), rows), ""] if rows else []
        lines += [f"{'Also, as' if rows else 'As'} in `evaluate`: {', '.join(also)}.", ""] if also else []
        if rows or also:
            tables[f"arguments of {macro.name.removeprefix('test_')}"] = [*lines, "</details>"]
    return tables
