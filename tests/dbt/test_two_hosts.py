"""dbt compiles the same text as the Python runner renders, byte for byte."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sqlmetrics
from sqlmetrics.api import plan_of_render
from sqlmetrics.catalogue.model import Metric
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.catalogue.vocabulary import PRESETS
from sqlmetrics.codegen.dbt_package import jinja
from sqlmetrics.planning.planner import render_plan
from sqlmetrics.request import ComparisonOptions, options_of
from tests.dbt.hosting import dbt, make_project, require_adapter
from tests.output.test_generated import roles_of, spec_of

pytestmark = pytest.mark.slow

METRICS = list(builtin_catalogue().metrics.values())
# Compiling needs the dialect alone and no server. Spark has most macros of its own; PostgreSQL builds the consumer.
OUTPUTS: dict[str, dict[str, object]] = {
    "duckdb": {"type": "duckdb", "path": ":memory:"},
    "spark": {"type": "spark", "method": "session", "host": "none", "schema": "none"},
}  # fmt: skip
_MARK = "--## "
_ROLES = {"label": "clicked", "score": "pctr"}
_ALL_FRAMES = ["auc", "copc", "gauc", "ndcg@10", "ece", {"name": "ece", "bins": 20, "binning": "mass", "as": "x"}]
CALLS: dict[str, dict[str, Any]] = {
    "several": {"metrics": ["auc", "copc", "log_loss"], "by": ["device"], "where": "country = 'DE'"},
    "dicts": {"metrics": [{"name": "ndcg", "k": 10, "as": "x"}, {"name": "map", "k": 3, "denominator": "min"}],
              "group": "user_id"},
    "groupings": {"metrics": _ALL_FRAMES, "group": "user_id",
                  "by": [[], ["device"], ["day = cast(ts as date)", "device"]]},
    "named_models": {"metrics": "auc", "score": ["old = pctr / 2", "pctr"]},
    "groupings_of_models": {"metrics": ["auc", "f1"], "score": ["pctr_a", "pctr_b"], "by": [[], ["device"]]},
    "weighted": {"metrics": ["auc", "gauc", "brier"], "weight": "w", "group": "user_id"},
    "pre_aggregated": {"metrics": ["auc", "copc"], "label": None, "positives": "clicks", "total": "impressions"},
    "distinct": {"metrics": ["auc", "average_precision"], "shape": "distinct"},
    "two_levels": {"metrics": ["auc", "ks", "max_f1", "pr_auc"], "shape": "two_level", "by": ["device"]},
    "two_levels_of_weights": {"metrics": ["auc", {"name": "ece", "binning": "mass"}], "shape": "two_level",
                              "weight": "w"},
    "expressions": {"metrics": "auc", "label": "= rating >= 4", "score": " = 1 - loss -- the lower the better",
                    "by": ["Größe", "a b", "day=cast(ts as date)", "= a == b", "when",
                           'say "x"', "länge = x", "über = x"]},
    "long_where": {"metrics": "auc", "where": "a = 1 -- the first\nand b = 2"},
    "ranks": {"metrics": ["ndcg@10", "mrr", "recall@5"], "score": None, "rank": "position", "group": "q"},
    "ties_by_key": {"metrics": [{"name": "ndcg", "k": 3, "ties": "key"}, "auc"], "group": "q", "tie_key": "item"},
    "group_weight": {"metrics": ["ndcg", "map@3"], "group": "q", "group_weight": "w", "by": "device"},
    "judgments": {"metrics": ["ndcg@10", "recall@10", "map"], "group": "q", "item": "doc", "judgments": "qrels"},
    "a_truth_and_a_price": {"metrics": ["anlp", "auc"], "p_price": "p", "p_survive": "s", "won": "w"},
    "propensities_of_places": {"metrics": ["unbiased_ndcg@5", "dcg@5"], "group": "q", "position": "shown_at",
                               "propensities": "places", "by": [[], ["device"]]},
    "table_with_groups": {"metrics": "group_auc", "group": "user_id", "by": ["device"]},
    "names_in_two_cases": {"metrics": ["auc", {"name": "auc", "as": "Gini"}, {"name": "copc", "as": "COPC"}],
                           "by": ["Device", {"column": "a, b"}, {"sql": "x + 1"}]},
    "names_of_frames": {"metrics": [{"name": "ndcg", "k": 10, "as": "row_count"}, {"name": "map", "as": "group_id"},
                                    {"name": "mrr", "as": "Slice_1"}], "group": "q", "by": ["group_weight"]},
    "a_group_that_is_a_slice": {"metrics": "group_auc", "group": "u", "by": ["u"]},
    "a_group_called_n": {"metrics": "group_auc", "group": "N", "by": [["device"], []]},
    "hostile_names": {"metrics": [{"name": "auc", "as": 'x\\" , (select 1) as y, -- '}], "label": "a\nb",
                      "by": ["ends in \\", "it's"], "where": "x = 'a\nb'"},
    "hostile_models": {"metrics": "auc", "score": ["it's", "back\\slash", "a\tb"]},
    "class_scores": {"metrics": [{"name": "multi_log_loss", "scores": {"cat": "p_cat", "it's": "= 1 - p_cat", 3: "q"}},
                                 {"name": "multi_log_loss", "scores": {"b": "p_cat", "a": "q"}, "as": "other"},
                                 {"name": "multi_auc", "scores": {"b": "p_cat", "a": "q"}, "multi_class": "ovo"},
                                 "weighted_f1"], "score": None, "prediction": "said"},
    "text_with_dict_names": {"metrics": [{"name": "ndcg@10", "gain": "linear"}, {"name": "precision@3", "as": "p3"}],
                             "group": "q"},
    "whole_numbers_as_fractions": {"metrics": [{"name": "ece", "bins": 20.0}, {"name": "ndcg", "k": 5.0, "as": "k5"}],
                                   "group": "q"},
    "diagnostics": {"metrics": ["auc", "gauc", "ndcg@5"], "group": "q", "by": ["device"], "diagnostics": True},
    "intervals": {"metrics": ["auc", "log_loss", "ks", "gauc", "ndcg@5"], "group": "q", "by": [[], ["device"]],
                  "confidence": 0.95, "cluster": "visitor", "standard_error": True},
    "bootstrap": {"metrics": ["auc", "log_loss", "ks", "r2", "gauc", "ndcg@5"], "group": "q", "by": ["device"],
                  "confidence": 0.9, "cluster": "visitor", "method": "bootstrap", "replicates": 20, "seed": 7},
    "bands_of_a_curve": {"metrics": [{"name": "roc_curve", "points": 100}], "by": [[], ["device"]],
                         "confidence": 0.95, "cluster": "visitor", "standard_error": True},
    "bands_of_bins": {"metrics": "calibration_curve", "by": ["device"], "confidence": 0.9, "cluster": "visitor"},
    "bands_of_lift": {"metrics": "lift_table", "score": ["old", "new"], "confidence": 0.9, "cluster": "visitor"},
    "intervals_of_classes": {"metrics": ["macro_f1", "cohens_kappa", "weighted_kappa"], "score": None,
                             "prediction": "said", "by": ["device"], "confidence": 0.9, "cluster": "visitor"},
    "sub_query_without_a_name": {"metrics": "auc", "relation": "(select * from logs where day in (1, 2))"},
}  # fmt: skip


_COMPARED: dict[str, Any] = {"metrics": ["auc", "copc", "ks"], "label": "clicked", "score": ["old", "new"]}
COMPARISONS: list[dict[str, Any]] = [
    {},
    {"cluster": "user_id", "by": [[], ["device"]], "relative": True, "adjust": "bh"},
    {"metrics": ["ndcg@5", "gauc"], "group": "user_id", "baseline": "new", "power": 0.9, "confidence": 0.9},
    {"metrics": ["auc", "copc"], "cluster": "user_id", "method": "bootstrap", "replicates": 30, "relative": True},
    {"metrics": "auc", "weight": "w", "adjust": None, "score": ["old", "better = new / 2", "third"]},
    {"metrics": ["log_loss", "ks"], "cluster": "user_id"},
    {"metrics": ["log_loss", "ndcg@5"], "group": "user_id"},
    {"score": "new", "against": "yesterday", "by": [[], ["device"]]},
    {"metrics": ["mae", "copc", "ks"], "score": "= 1 - p", "against": "(select * from y)", "cluster": "user_id"},
]


GAPS: list[dict[str, Any]] = [
    {"metrics": ["auc", "copc"], "by": "device"},
    {"metrics": [{"name": "equalized_odds", "threshold": 0.3}, "mine = recall"], "by": [["device"], ["day", "device"]],
     "min_rows": 100},
    {"metrics": ["auc", "ks", "ece", "log_loss"], "by": "device", "confidence": 0.9},
    {"metrics": ["gauc", "f1", "ece"], "by": "device", "group": "user_id", "confidence": 0.9, "cluster": "user_id",
     "score": ["old", "new"]},
]  # fmt: skip


DRIFTS: list[dict[str, Any]] = [
    {"columns": ["old", "new"], "against": "yesterday"},
    {"columns": "half = old / 2", "categories": ["device", "it's"], "current": "day = 2", "reference": "day = 1 -- all",
     "weight": "w", "by": [[], ["device"]], "where": "old > 0", "bins": 4, "eps": 0.01, "round": 3},
    {"categories": "upper = upper(device)", "against": "(select * from y)", "by": "day"},
]  # fmt: skip


def cases_of(metric: Metric, dialect: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Calls of the macro of a metric: by slices, and on one dialect with each choice of each parameter."""
    base = {**roles_of(metric), "relation": "impressions"}
    given = {key: value for key, value in spec_of(metric).items() if key != "name"}
    yield "slices", metric.name, {**base, **given, "by": [[], ["device"]]}
    if dialect != "duckdb":
        return
    every = {role: role for role in metric.roles() if role not in ("positives", "total", "rank", "prediction")}
    if "propensities" in metric.relations:  # with position, in place of a column
        del every["propensity"]
    for name, parameter in metric.parameters.items():
        for choice in parameter.choices:
            roles = base | every | dict.fromkeys(metric.relations, "other")
            if "judgments" in roles:  # a group without a returned item has no weight
                if (name, choice) == ("missing", "zero"):
                    roles.pop("group_weight", None)
                else:
                    roles["missing"] = "skip"
            yield f"{name}={choice}", metric.name, {**roles, **given, name: choice}
    if metric.name in ("auc", "ndcg", "ece"):  # a preset only chooses among the choices
        keyed = {"item": "doc"} if "item" in metric.roles() else {}
        for preset in PRESETS:
            spec = [{"name": metric.name, **given, "as": "mine"}]
            yield f"preset {preset}", "evaluate", {**base, **keyed, "metrics": spec, "preset": preset}


def all_cases(dialect: str) -> dict[str, list[tuple[str, str, dict[str, Any]]]]:
    models = {f"metric_{metric.name}": list(cases_of(metric, dialect)) for metric in METRICS}
    for macro, defaults, calls in [
        ("evaluate", _ROLES, [*CALLS.values()]), ("compare", _COMPARED, COMPARISONS),
        ("drift", {}, DRIFTS), ("gaps", {"label": "clicked", "score": "new"}, GAPS),
    ]:  # fmt: skip
        cases = [(str(call), macro, {"relation": "impressions"} | defaults | call) for call in calls]
        models[f"calls_of_{macro}"] = cases
    return models


def model_text(cases: list[tuple[str, str, dict[str, Any]]]) -> str:
    parts = []
    for number, (_, macro, arguments) in enumerate(cases):
        written = ", ".join(f"{name}={jinja(value)}" for name, value in arguments.items())
        parts.append(f"{_MARK}{number}\n{{{{ sqlmetrics.{macro}({written}) }}}}\n")
    # dbt renders a model twice, first to collect its references, of which these models have none.
    return "{%- if execute -%}\n" + "".join(parts) + "{% endif -%}\n"


def rendered(macro: str, arguments: dict[str, Any], dialect: str) -> str:
    arguments = dict(arguments)
    if macro == "drift":
        return sqlmetrics.render_drift(dialect=dialect, **arguments)
    if macro not in ("evaluate", "compare", "gaps"):
        parameters = builtin_catalogue().metrics[macro].parameters
        spec = {"name": macro} | {name: arguments.pop(name) for name in parameters if name in arguments}
        arguments["metrics"] = spec
    decided: dict[str, Any] = {"gaps": macro == "gaps"}
    if macro == "compare":
        arguments.setdefault("confidence", 0.95)
        decided["comparison"] = options_of(ComparisonOptions, arguments)
    plan = plan_of_render({"dialect": dialect, **arguments}, **decided)
    plan.template["refuses"] = True  # a statement of dbt ends where a value breaks a rule
    return render_plan(builtin_catalogue(), dialect, plan)


@pytest.fixture(scope="module", params=OUTPUTS)
def compiled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The dialect, and the folder of all models that dbt compiled for it in one command."""
    dialect = request.param
    require_adapter(dialect)
    project = make_project(tmp_path_factory.mktemp(dialect) / "project", {dialect: OUTPUTS[dialect]})
    (project / "models").mkdir()
    for name, cases in all_cases(dialect).items():
        (project / "models" / f"{name}.sql").write_text(model_text(cases), encoding="utf-8")
    done = dbt(project, "compile", "--no-introspect", "--no-populate-cache", "--threads", "1")
    assert done.returncode == 0, done.stdout
    return dialect, project / "target" / "compiled" / "consumer" / "models"


def test_dbt_compiles_text_of_runner(compiled: tuple[str, Path]) -> None:
    dialect, folder = compiled
    compared = 0
    for model, cases in all_cases(dialect).items():
        text = (folder / f"{model}.sql").read_text(encoding="utf-8")
        pieces = re.split(rf"^{_MARK}.*\n", text, flags=re.MULTILINE)[1:]
        for (title, macro, arguments), piece in zip(cases, pieces, strict=True):
            # dbt strips the last newline of a model.
            assert piece.rstrip("\n") + "\n" == rendered(macro, arguments, dialect), f"{model}, {title}"
            compared += 1
    assert compared > (3 if dialect == "duckdb" else 1) * len(METRICS)
