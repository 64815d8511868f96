"""dbt compiles the same text as the Python runner renders, byte for byte, and rejects the same calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import sqlmetrics
from sqlmetrics.api import plan_of_render
from sqlmetrics.catalogue.dialects import DIALECTS
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.catalogue.vocabulary import PRESETS
from sqlmetrics.planning.planner import render_plan
from tests.dbt.consumer import Consumer, arguments_of, built_on_spark, call_of_macro, calls_by_frame
from tests.variants import calls

pytestmark = pytest.mark.slow

METRICS = builtin_catalogue().metrics
_MARK = "--## "
_ROLES = {"label": "clicked", "score": "pctr"}
_ALL_FRAMES = ["auc", "copc", "gauc", "ndcg@10", "ece", {"name": "ece", "bins": 20, "binning": "mass", "as": "x"}]
CALLS: list[dict[str, Any]] = [
    {"metrics": _ALL_FRAMES, "group": "user_id", "by": [[], ["device"], ["day = cast(ts as date)", "device"]]},
    {"metrics": ["auc", "f1"], "score": ["pctr_a", "pctr_b"], "by": [[], ["device"]]},
    {"metrics": ["auc", "gauc", "brier"], "weight": "w", "group": "user_id"},
    {"metrics": ["auc", "copc"], "label": None, "positives": "clicks", "total": "impressions"},
    {"metrics": ["auc", "ks", "max_f1", "pr_auc"], "shape": "two_level", "by": ["device"]},
    {"metrics": "auc", "label": "= rating >= 4", "score": " = 1 - loss -- the lower the better",
     "by": ["Größe", "a b", "day=cast(ts as date)", "= a == b", "when", 'say "x"', "länge = x", "über = x"]},
    {"metrics": "auc", "where": "a = 1 -- the first\nand b = 2"},
    {"metrics": [{"name": "ndcg", "k": 3, "ties": "key"}, "auc"], "group": "q", "tie_key": "item"},
    {"metrics": ["ndcg", "map@3"], "group": "q", "group_weight": "w", "by": "device"},
    {"metrics": ["anlp", "auc"], "p_price": "p", "p_survive": "s", "won": "w"},
    {"metrics": ["auc", {"name": "auc", "as": "Gini"}, {"name": "copc", "as": "COPC"}],
     "by": ["Device", {"column": "a, b"}, {"sql": "x + 1"}]},
    {"metrics": [{"name": "ndcg", "k": 10, "as": "row_count"}, {"name": "map", "as": "group_id"},
                 {"name": "mrr", "as": "Slice_1"}], "group": "q", "by": ["group_weight"]},
    {"metrics": "group_auc", "group": "u", "by": ["u"]},
    {"metrics": [{"name": "auc", "as": 'x\\" , (select 1) as y, -- '}], "label": "a\nb", "by": ["ends in \\", "it's"],
     "where": "x = 'a\nb'"},
    {"metrics": "auc", "score": ["it's", "back\\slash", "a\tb"]},
    {"metrics": [{"name": "multi_log_loss", "scores": {"cat": "p_cat", "it's": "= 1 - p_cat", 3: "q"}},
                 {"name": "multi_log_loss", "scores": {"b": "p_cat", "a": "q"}, "as": "other"},
                 {"name": "multi_auc", "scores": {"b": "p_cat", "a": "q"}, "multi_class": "ovo"}, "weighted_f1"],
     "score": None, "prediction": "said"},
    {"metrics": [{"name": "ndcg@10", "gain": "linear"}, {"name": "precision@3", "as": "p3"}], "group": "q"},
    {"metrics": [{"name": "ece", "bins": 20.0}, {"name": "ndcg", "k": 5.0, "as": "k5"}], "group": "q"},
    {"metrics": ["auc", "gauc", "ndcg@5"], "group": "q", "diagnostics": True, "shape": "distinct"},
    {"metrics": ["auc", "log_loss", "ks", "gauc", "ndcg@5"], "group": "q", "by": [[], ["device"]], "confidence": 0.95,
     "cluster": "visitor", "standard_error": True},
    {"metrics": ["auc", "log_loss", "ks", "r2", "gauc", "ndcg@5"], "group": "q", "by": ["device"], "confidence": 0.9,
     "cluster": "visitor", "method": "bootstrap", "replicates": 20, "seed": 7},
    {"metrics": [{"name": "roc_curve", "points": 100}], "by": [[], ["device"]], "confidence": 0.95,
     "cluster": "visitor", "standard_error": True},
    {"metrics": ["macro_f1", "cohens_kappa", "weighted_kappa"], "score": None, "prediction": "said", "by": ["device"],
     "confidence": 0.9, "cluster": "visitor"},
    {"metrics": "auc", "relation": "(select * from logs where day in (1, 2))"},
    *({"metrics": ["auc", "ndcg", "ece"], "group": "q", "item": "doc", "preset": preset} for preset in PRESETS),
]  # fmt: skip


_COMPARED: dict[str, Any] = {"metrics": ["auc", "copc", "ks"], "label": "clicked", "score": ["old", "new"]}
COMPARISONS: list[dict[str, Any]] = [
    {},
    {"cluster": "user_id", "by": [[], ["device"]], "relative": True, "adjust": "bh"},
    {"metrics": ["ndcg@5", "gauc"], "group": "user_id", "baseline": "new", "power": 0.9, "confidence": 0.9},
    {"metrics": ["auc", "copc"], "cluster": "user_id", "method": "bootstrap", "replicates": 30, "relative": True},
    {"metrics": "auc", "weight": "w", "adjust": None, "score": ["old", "better = new / 2", "third"]},
    {"score": "new", "against": "yesterday", "by": [[], ["device"]]},
    {"score": "today = new / 2", "against": "yesterday", "baseline": "it's before"},
    {"metrics": ["mae", "copc", "ks"], "score": "= 1 - p", "against": "(select * from y)", "cluster": "user_id"},
]


GAPS: list[dict[str, Any]] = [
    {"metrics": ["auc", "copc"], "by": "device"},
    {"metrics": [{"name": "equalized_odds", "threshold": 0.3}, "mine = recall"], "by": [["device"], ["day", "device"]],
     "min_rows": 100},
    {"metrics": ["gauc", "f1", "ece"], "by": "device", "group": "user_id", "confidence": 0.9, "cluster": "user_id",
     "score": ["old", "new"]},
]  # fmt: skip


DRIFTS: list[dict[str, Any]] = [
    {"columns": ["old", "new"], "against": "yesterday"},
    {"columns": "half = old / 2", "categories": ["device", "it's"], "current": "day = 2", "reference": "day = 1 -- all",
     "weight": "w", "by": [[], ["device"]], "where": "old > 0", "bins": 4, "eps": 0.01, "round": 3},
    {"categories": "upper = upper(device)", "against": "(select * from y)", "by": "day"},
]  # fmt: skip


Cases = list[tuple[str, dict[str, Any]]]


def metrics_alone() -> Iterator[tuple[str, dict[str, Any]]]:
    """A call of each metric's macro."""
    alone = {requested.metric.name: call.of([requested]) for call in calls() for requested in call.metrics}
    for name, call in alone.items():
        arguments = arguments_of(call) | call.metrics[0].arguments
        del arguments["metrics"]
        yield name, arguments


def choices() -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls with each choice of each parameter of each metric, together for each type of data."""
    seen = set()
    for call in calls(every_variant=True):
        new = [
            requested for requested in call.metrics if requested.name not in seen
            and any(isinstance(value, str | bool) for value in requested.arguments.values())
        ]  # fmt: skip
        seen |= {requested.name for requested in new}
        if new:
            yield "evaluate", arguments_of(call.of(new))


def all_cases(dialect: str) -> dict[str, Cases]:
    """Calls of each macro; on Spark, whose macros differ only in frames, one metric per frame."""
    defaults: list[tuple[str, dict[str, Any], list[dict[str, Any]]]] = [
        ("evaluate", _ROLES, CALLS), ("compare", _COMPARED, COMPARISONS),
        ("drift", {}, DRIFTS), ("gaps", {"label": "clicked", "score": "new"}, GAPS),
    ]  # fmt: skip
    cases: dict[str, Cases] = {
        f"calls_of_{macro}": [(macro, {"relation": "impressions"} | roles | arguments) for arguments in calls_arguments]
        for macro, roles, calls_arguments in defaults
    }
    if dialect == "spark":
        return cases | {"frames": [("evaluate", arguments_of(call)) for call in calls_by_frame().values()]}
    return cases | {"metrics": [*metrics_alone()], "choices": [*choices()]}


def model_text(cases: Cases) -> str:
    texts = [f"{_MARK}{number}\n{call_of_macro(macro, arguments)}\n" for number, (macro, arguments) in enumerate(cases)]
    # dbt renders a model twice, first to collect its references; these models have none.
    return "{%- if execute -%}\n" + "".join(texts) + "{% endif -%}\n"


def rendered(macro: str, arguments: dict[str, Any], dialect: str) -> str:
    arguments = dict(arguments)
    if macro == "drift":
        return sqlmetrics.render_drift(dialect=dialect, **arguments)
    if macro not in ("evaluate", "compare", "gaps"):
        parameters = METRICS[macro].parameters
        spec = {"name": macro} | {name: arguments.pop(name) for name in parameters if name in arguments}
        arguments["metrics"] = spec
    if macro == "compare":
        arguments.setdefault("confidence", 0.95)
    plan = plan_of_render(macro, {"dialect": dialect, **arguments})
    plan = replace(plan, template={**plan.template, "refuses": True})  # as a statement of dbt
    return render_plan(builtin_catalogue(), dialect, plan)


_GOOD = "'t', label='y', score='p'"
#: Calls that the Python runner rejects with the same message; the runner's tests cover every message.
COMMON = [
    f"evaluate({_GOOD})",
    "auc('t', score='p')",
    f"ndcg({_GOOD}, k=10)",
    "auc('t', label=' ', score='p')",
    "auc('t', label=1, score='p')",
    f"evaluate({_GOOD}, metrics='auc', group='g')",
    f"auc({_GOOD}, positives='a', total='b')",
    f"evaluate({_GOOD}, metrics=['aucc'])",
    f"evaluate({_GOOD}, metrics='ndcg', group='g', preset='spark')",
    f"evaluate({_GOOD}, metrics=[{{'name': 'ece', 'bin': 5}}])",
    f"ece({_GOOD}, binning='mas')",
    f"ece({_GOOD}, bins='5')",
    f"err({_GOOD}, group='g', k=3)",
    f"evaluate({_GOOD}, metrics='auc', preset='r')",
    f"auc({_GOOD}, where=' ')",
    f"evaluate({_GOOD}, metrics=['auc', 'roc_curve'])",
    f"auc({_GOOD}, by=['a', 'a'])",
    f"evaluate({_GOOD}, metrics=[{{'name': 'auc', 'as': 'n'}}])",
    "auc('t', label='y', score=['p', 'p'])",
    f"evaluate({_GOOD}, metrics=[{{'name': 'auc', 'as': 'X'}}, {{'name': 'copc', 'as': 'x'}}])",
    f"auc({_GOOD}, by='day, device')",
    f"auc({_GOOD}, by=\"device = 'ios'\")",
    "auc('t', label={'columns': 'y'}, score='p')",
    f"compare({_GOOD}, metrics='auc')",
    "compare('t', 'auc', label='y', score=['a', 'b'], baseline='c')",
    "compare('t', 'auc', label='y', score=['a', 'b'], against='(select 1 as y)')",
]


def against(more: str, metric: str = "auc", roles: str = "label='y', score='p'") -> str:
    return f"test_metric_not_worse_than('t', '{metric}', {roles}, champion_score='q', {more})"


#: Calls that dbt itself rejects, that only dbt can make, or whose message differs.
OF_DBT = {
    "auc('t', lable='y', score='p')": "there is no argument 'lable' (did you mean 'label'?)",
    f"ece({_GOOD}, bin=5)": "no argument 'bin' (did you mean 'bins'?)",
    f"metric_trend({_GOOD}, metric='auc', time='d', catalogs='c')": "'catalogs' (did you mean 'catalog'?)",
    "compare('t', 'auc', label='y', score=['a', 'b'], test='randomization')":
        "test='randomization' requires SciPy",
    "auc(label='y', score='p')": "relation must be given",
    f"evaluate({_GOOD}, metrics=['acu'])": "no metric 'acu' (did you mean 'auc'?)",
    f"evaluate({_GOOD}, metrics=[{{'name': 'ece', 'bin': 5}}])": "no parameter 'bin' (did you mean 'bins'?); it takes",
    f"evaluate({_GOOD}, metrics=['ece(bins=5)'])": "as a dict",
    f"metric_state({_GOOD}, metrics=[{{'name': 'mae', 'as': 'a b'}}])": "simple word",
    f"metric_state({_GOOD}, metrics=['mae'], by='mae_sum')": "by: the slice 'mae_sum'",
    "metrics_of_state('t', ['auc'])": "auc cannot be added up",
    f"auc({_GOOD}, confidence=0.9, standard_error='false')": "standard_error must be true or false, not 'false'",
    f"auc({_GOOD}, cluster='u')": "cluster requires confidence; add confidence=0.95 or remove it",
    f"ndcg({_GOOD}, group='g', ties='key')": "needs the role tie_key",
    against("cluster='u'"): "cluster requires confidence; add confidence: 0.95 or remove it",
    against("tolerance=none"): "tolerance must be a number, not none",
    against("max_dropped='5'"): "max_dropped must be a whole number >= 0, not '5'",
    against("by=none", "f1", "label='y', prediction='d', score='p'"):
        "f1 does not use a score; pass champion_relation instead of champion_score",
    "test_metric_not_worse_than('t', 'auc', label='y', toleranse=0)":
        "there is no argument 'toleranse' (did you mean 'tolerance'?)",
    against("confidence=0.95", "copc"): "copc is best near 1; use metric_between",
    "test_metric_between('t', 'auc', arguments={'label': 'y'})":
        "dbt before 1.10 takes the arguments of a test without `arguments:`",
}  # fmt: skip
WRONG = list(dict.fromkeys([*COMMON, *OF_DBT]))


#: Each model has its own dict `target`, which simulates an adapter that is not installed.
_ANOTHER_ENGINE = f"{{% do target.update({{'type': 'oracle'}}) %}}{{{{ sqlmetrics.auc({_GOOD}) }}}}"


def models_of_texts(dialect: str) -> dict[str, str]:
    """Models that dbt compiles to text."""
    return {f"texts/{name}": model_text(cases) for name, cases in all_cases(dialect).items()}


def models_of_wrong_calls() -> dict[str, str]:
    texts = [_ANOTHER_ENGINE, *(f"{{{{ sqlmetrics.{call} }}}}" for call in WRONG)]
    return {f"wrong/wrong_{number}": f"{{% if execute %}}{text}{{% endif %}}" for number, text in enumerate(texts)}


def assert_texts(project: Path, dialect: str) -> None:
    for model, cases in all_cases(dialect).items():
        path = project / "target" / "compiled" / "consumer" / "models" / "texts" / f"{model}.sql"
        pieces = re.split(rf"^{_MARK}.*\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        for (macro, arguments), piece in zip(cases, pieces, strict=True):
            # dbt strips the last newline of a model.
            assert piece.rstrip("\n") + "\n" == rendered(macro, arguments, dialect), f"{model}, {macro}, {arguments}"


on_duckdb = pytest.mark.parametrize("consumer", ["duckdb"], indirect=True)


@on_duckdb
def test_dbt_compiles_text_of_runner(consumer: Consumer) -> None:
    assert_texts(consumer.folder, "duckdb")


@pytest.mark.parametrize("name", ["spark"])
def test_spark_builds_models_states_and_tests(name: str, tmp_path: Path) -> None:
    """The values of `worked_numbers` are from a textbook. Texts are tested too, because Spark replaces most macros."""
    tests = {"worked_numbers", "auc_is_high", "not_worse_than_the_other_model", "drift_of_a_column_that_dbt_quotes",
             "log_loss_of_phones_in_the_state", "auc_of_the_state_is_not_falling", "state_has_all_rows"}  # fmt: skip
    models = {"impressions", "daily", "state", "from_state", "odd_names"}
    texts = models_of_texts(name)
    selected = f"{' '.join(tests | models)} path:models/texts --indirect-selection empty"
    done = built_on_spark(tmp_path, selected, texts)
    successes = models | {path.removeprefix("texts/") for path in texts}
    expected = {**dict.fromkeys(tests, "pass"), **dict.fromkeys(successes, "success")}
    assert {name: status for name, (status, _) in done.results.items()} == expected, done.output
    assert_texts(tmp_path / "project", name)


@pytest.fixture(scope="module")
def messages(consumer: Consumer) -> dict[str, str]:
    """The message of each invalid call."""
    results = consumer.rebuilt.results
    return {call: results[f"wrong_{number}"][1] for number, call in enumerate(["another engine", *WRONG])}


def message_of_runner(call: str) -> str:
    """The message of the Python runner for the same call."""

    def macro(name: str, relation: str, metrics: Any = None, **arguments: Any) -> None:
        if name == "compare":
            if "against" in arguments:
                arguments["against"] = arguments["against"].strip("()")
            sqlmetrics.compare("select 1 as y, 1 as p, 1 as a, 1 as b", metrics, **arguments)
        if name != "evaluate":
            parameters = METRICS[name].parameters
            metrics = {"name": name} | {key: arguments.pop(key) for key in list(arguments) if key in parameters}
        sqlmetrics.render(metrics, relation=relation, **arguments)

    names = {name: partial(macro, name) for name in ("evaluate", "compare", *METRICS)}
    with pytest.raises(sqlmetrics.SqlMetricsError) as error:
        eval(call, {**names, "none": None, "true": True})
    return without_hint(str(error.value))


def without_hint(message: str) -> str:
    """The runner also suggests the names of other tools."""
    return re.sub(r" \(did you mean .*?\)", "", message)


def macro_of(call: str) -> str:
    return call.partition("(")[0].removeprefix("test_")


@on_duckdb
@pytest.mark.parametrize("call", COMMON)
def test_dbt_rejects_calls_like_runner(call: str, messages: dict[str, str]) -> None:
    assert f"sqlmetrics.{macro_of(call)}: {message_of_runner(call)}" in without_hint(messages[call])
    assert not re.search("[⟨⟩]", messages[call])


@on_duckdb
@pytest.mark.parametrize("call", OF_DBT)
def test_dbt_rejects_calls(call: str, messages: dict[str, str]) -> None:
    expected = f"sqlmetrics.{macro_of(call)}: .*{re.escape(OF_DBT[call])}"
    assert re.search(expected, messages[call], re.DOTALL), messages[call]


@on_duckdb
def test_another_engine_is_rejected(messages: dict[str, str]) -> None:
    dialects = ", ".join(DIALECTS)
    assert f"sqlmetrics.auc: target type 'oracle' is not supported; {dialects} are" in messages["another engine"]
