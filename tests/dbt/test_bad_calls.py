"""A wrong call is a compiler error of dbt that names the macro and the argument."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import sqlmetrics
from sqlmetrics.catalogue.dialects import DIALECTS
from sqlmetrics.catalogue.front_matter import sql_root
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests.dbt.hosting import dbt, make_project, require_adapter

pytestmark = pytest.mark.slow

_GOOD = "'t', label='y', score='p'"
#: Calls that the Python runner rejects with the same message; the tests of the runner prove its messages.
COMMON = {
    "no_metrics": f"evaluate({_GOOD})",
    "no_label": "auc('t', score='p')",
    "no_score": "auc('t', label='y')",
    "no_group": f"ndcg({_GOOD}, k=10)",
    "empty_role": "auc('t', label=' ', score='p')",
    "number_as_role": "auc('t', label=1, score='p')",
    "unused_role": f"evaluate({_GOOD}, metrics='auc', group='g')",
    "label_twice": f"auc({_GOOD}, positives='a', total='b')",
    "half_of_a_pair": "auc('t', score='p', positives='a')",
    "no_catalog": "coverage('t', group='g', item='i', score='p', k=3)",
    "no_history": "popularity_lift('t', group='g', item='i', score='p', popularity='c')",
    "unknown_metric": f"evaluate({_GOOD}, metrics=['aucc'])",
    "swapped_letters": f"evaluate({_GOOD}, metrics=['acu'])",
    "misspelt_word": f"evaluate({_GOOD}, metrics=['Precison_at_k@3'])",
    "name_like_none": f"evaluate({_GOOD}, metrics=['perplexity'])",
    "labels_in_another_relation": f"evaluate({_GOOD}, metrics='auc', judgments='j')",
    "weight_of_rows": f"evaluate({_GOOD}, metrics='ndcg', group='g', weight='w')",
    "convention_of_a_preset": f"evaluate({_GOOD}, metrics='ndcg', group='g', preset='spark')",
    "unknown_parameter": f"evaluate({_GOOD}, metrics=[{{'name': 'ece', 'bin': 5}}])",
    "k_of_auc": f"evaluate({_GOOD}, metrics='auc@5')",
    "no_name": f"evaluate({_GOOD}, metrics=[{{'k': 5}}])",
    "wrong_choice": f"ece({_GOOD}, binning='mas')",
    "wrong_number": f"ece({_GOOD}, bins=0)",
    "fraction": f"ece({_GOOD}, bins=2.5)",
    "text_as_number": f"ece({_GOOD}, bins='5')",
    "none_as_choice": f"ece({_GOOD}, binning=none)",
    "no_max_label": f"err({_GOOD}, group='g', k=3)",
    "wrong_preset": f"evaluate({_GOOD}, metrics='auc', preset='r')",
    "wrong_shape": f"auc({_GOOD}, shape='rank')",
    "empty_where": f"auc({_GOOD}, where=' ')",
    "duplicate_name": f"evaluate({_GOOD}, metrics=['auc', 'auc'])",
    "table_with_metric": f"evaluate({_GOOD}, metrics=['auc', 'roc_curve'])",
    "mixed_groupings": f"auc({_GOOD}, by=['a', ['b']])",
    "duplicate_slice": f"auc({_GOOD}, by=['a', 'a'])",
    "duplicate_grouping": f"auc({_GOOD}, by=[['a'], ['a']])",
    "slice_named_like_a_metric": f"auc({_GOOD}, by='auc')",
    "name_of_every_result": f"evaluate({_GOOD}, metrics=[{{'name': 'auc', 'as': 'n'}}])",
    "duplicate_score": "auc('t', label='y', score=['p', 'p'])",
    "name_of_the_package": f"evaluate({_GOOD}, metrics=[{{'name': 'auc', 'as': 'slice_id'}}], by=['device'])",
    "names_in_two_cases": f"evaluate({_GOOD}, metrics=[{{'name': 'auc', 'as': 'X'}}, {{'name': 'copc', 'as': 'x'}}])",
    "slices_in_two_cases": f"auc({_GOOD}, by=['Device', 'device'])",
    "two_columns_in_a_text": f"auc({_GOOD}, by='day, device')",
    "constant_as_slice": f"auc({_GOOD}, by=\"device = 'ios'\")",
    "dict_of_neither": "auc('t', label={'columns': 'y'}, score='p')",
    "k_as_text": f"evaluate({_GOOD}, metrics=[{{'name': 'ndcg', 'k': '10'}}], group='g')",
    "one_score_to_compare": f"compare({_GOOD}, metrics='auc')",
    "another_baseline": "compare('t', 'auc', label='y', score=['a', 'b'], baseline='c')",
    "two_scores_and_a_relation": "compare('t', 'auc', label='y', score=['a', 'b'], against='(select 1 as y)')",
}
#: Calls that dbt itself rejects, that only dbt can make, or whose message has words of its own.
OF_DBT = {
    "misspelt_argument": ("auc('t', lable='y', score='p')", "sqlmetrics.auc",
                          "there is no argument 'lable' (did you mean 'label'?)"),
    "misspelt_parameter": (f"ece({_GOOD}, bin=5)", "sqlmetrics.ece", "no argument 'bin' (did you mean 'bins'?)"),
    "misspelt_option": (f"auc({_GOOD}, confidance=0.9)", "sqlmetrics.auc",
                        "no argument 'confidance' (did you mean 'confidence'?)"),
    "argument_of_another_metric": (f"auc({_GOOD}, k=10)", "sqlmetrics.auc", "there is no argument 'k'"),
    "role_of_another_metric": (f"auc({_GOOD}, group='g')", "sqlmetrics.auc", "there is no argument 'group'"),
    "misspelt_role": ("evaluate('t', ['auc'], lable='y', score='p')", "sqlmetrics.evaluate",
                      "there is no argument 'lable' (did you mean 'label'?)"),
    "misspelt_argument_of_compare": ("compare('t', 'auc', label='y', score=['a', 'b'], base_line='a')",
                                     "sqlmetrics.compare", "'base_line' (did you mean 'baseline'?)"),
    "misspelt_argument_of_gaps": (f"gaps({_GOOD}, metrics='auc', by='a', minrows=5)", "sqlmetrics.gaps",
                                  "'minrows' (did you mean 'min_rows'?)"),
    "misspelt_relation_of_trend": (f"metric_trend({_GOOD}, metric='auc', time='d', catalogs='c')",
                                   "sqlmetrics.metric_trend", "'catalogs' (did you mean 'catalog'?)"),
    "test_of_python": ("compare('t', 'auc', label='y', score=['a', 'b'], test='randomization')", "sqlmetrics.compare",
                       "SciPy computes test='randomization', which no SQL does"),
    "no_relation": ("auc(label='y', score='p')", "sqlmetrics.auc", "relation must be given"),
    "hint_of_a_metric": (f"evaluate({_GOOD}, metrics=['acu'])", "evaluate", "no metric 'acu' (did you mean 'auc'?)"),
    "hint_of_a_parameter": (f"evaluate({_GOOD}, metrics=[{{'name': 'ece', 'bin': 5}}])", "sqlmetrics.evaluate",
                            "no parameter 'bin' (did you mean 'bins'?); it takes"),
    "brackets": (f"evaluate({_GOOD}, metrics=['ece(bins=5)'])", "sqlmetrics.evaluate", "as a dict"),
    "name_of_two_words": (f"metric_state({_GOOD}, metrics=[{{'name': 'mae', 'as': 'a b'}}])", "sqlmetrics.metric_state",
                          "simple word"),
    "slice_named_like_a_sum": (f"metric_state({_GOOD}, metrics=['mae'], by='mae_sum')", "sqlmetrics.metric_state",
                               "by: 'mae_sum'"),
    "no_state": ("metrics_of_state(metrics=['mae'])", "sqlmetrics.metrics_of_state", "relation must be given"),
    "not_in_a_state": ("metrics_of_state('t', ['auc'])", "sqlmetrics.metrics_of_state", "auc cannot be added up"),
    "text_as_boolean": (f"auc({_GOOD}, confidence=0.9, standard_error='false')", "sqlmetrics.auc",
                        "standard_error must be true or false, not 'false'"),
    "cluster_alone": (f"auc({_GOOD}, cluster='u')", "sqlmetrics.auc",
                      "cluster has a meaning with confidence only; give confidence=0.95 or leave it out"),
    "no_tie_key": (f"ndcg({_GOOD}, group='g', ties='key')", "sqlmetrics.ndcg", "needs the role tie_key"),
}  # fmt: skip


def against(more: str = "", metric: str = "auc", roles: str = "label='y', score='p'") -> str:
    further = f", {more}" if more else ""
    return f"test_metric_not_worse_than('t', '{metric}', {roles}, champion_score='q'{further})"


#: Calls of the macro of a generic test.
OF_TESTS = {
    "strict_alone": (against("strict=true"),
                     "strict has a meaning with confidence only; give confidence: 0.95 or leave it out"),
    "cluster_of_test_alone": (against("cluster='u'"),
                              "cluster has a meaning with confidence only; give confidence: 0.95 or leave it out"),
    "no_tolerance": (against("tolerance=none"), "tolerance must be a number, not none"),
    "text_as_tolerance": (against("tolerance='0.01'"), "tolerance must be a number, not '0.01'"),
    "text_as_min_rows": (against("min_rows='100'"), "min_rows must be a whole number >= 1, not '100'"),
    "text_as_max_dropped": (against("max_dropped='5'"), "max_dropped must be a whole number >= 0, not '5'"),
    "two_scores_of_no_metric": (against(metric="f1", roles="label='y', prediction='d', score='p'"),
                                "f1 reads no score: champion_score would be compared with nothing"),
    "misspelt_role_of_test": ("test_metric_not_worse_than('t', 'auc', lable='y', champion_score='q')",
                              "there is no argument 'lable' (did you mean 'label'?)"),
    "misspelt_argument_of_test": ("test_metric_not_worse_than('t', 'auc', label='y', toleranse=0)",
                                  "there is no argument 'toleranse' (did you mean 'tolerance'?)"),
    "best_near_a_number": (against("confidence=0.95", "copc"),
                           "copc is best near 1; bound it by metric_between"),
}  # fmt: skip


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The message of each call, from one run over a model for each."""
    require_adapter("duckdb")
    project = make_project(tmp_path_factory.mktemp("bad") / "project", {"duckdb": {"type": "duckdb"}})
    calls = COMMON | {name: call for name, (call, *_) in (OF_DBT | OF_TESTS).items()}
    models = {name: f"{{{{ sqlmetrics.{call} }}}}" for name, call in calls.items()}
    # `target` is a dict of the model's own, which simulates an adapter that is not installed.
    models["another_engine"] = f"{{% do target.update({{'type': 'oracle'}}) %}}{{{{ sqlmetrics.auc({_GOOD}) }}}}"
    (project / "models").mkdir()
    for name, text in models.items():
        (project / "models" / f"{name}.sql").write_text(f"{{% if execute %}}{text}{{% endif %}}", encoding="utf-8")
    done = dbt(project, "run", "--threads", "1")
    results = json.loads(Path(project / "target" / "run_results.json").read_text(encoding="utf-8"))["results"]
    assert done.returncode == 1, done.stdout
    return {result["unique_id"].split(".")[-1]: result["message"] for result in results}


def message_of_runner(call: str) -> str:
    """The message of the Python runner for the same call."""

    def macro(name: str) -> Any:
        def render(relation: str, metrics: Any = None, **given: Any) -> str:
            if name == "compare":
                if "against" in given:
                    given["against"] = given["against"].strip("()")
                sqlmetrics.compare("select 1 as y, 1 as p, 1 as a, 1 as b", metrics, **given)
            if name != "evaluate":
                parameters = builtin_catalogue().metrics[name].parameters
                metrics = {"name": name} | {key: given.pop(key) for key in list(given) if key in parameters}
            return sqlmetrics.render(metrics, relation=relation, **given)

        return render

    names = {name: macro(name) for name in ("evaluate", "compare", *builtin_catalogue().metrics)}
    with pytest.raises(sqlmetrics.SqlMetricsError) as error:
        eval(call, {**names, "none": None, "true": True})
    return without_hint(str(error.value))


def without_hint(message: str) -> str:
    """The runner also suggests the names of other tools."""
    return re.sub(r" \(did you mean .*?\)", "", message)


@pytest.mark.parametrize("name", COMMON)
def test_dbt_rejects_calls_like_runner(name: str, messages: dict[str, str]) -> None:
    macro = COMMON[name].partition("(")[0]
    assert f"sqlmetrics.{macro}: {message_of_runner(COMMON[name])}" in without_hint(messages[name])
    assert not re.search("[⟨⟩]", messages[name])


@pytest.mark.parametrize("name", OF_DBT)
def test_dbt_rejects_calls(name: str, messages: dict[str, str]) -> None:
    _, macro, words = OF_DBT[name]
    assert macro in messages[name]
    assert words in messages[name]


@pytest.mark.parametrize("name", OF_TESTS)
def test_generic_tests_reject_arguments(name: str, messages: dict[str, str]) -> None:
    message = messages[name].replace("confidence: copc", "copc")
    assert f"sqlmetrics.metric_not_worse_than: {OF_TESTS[name][1]}" in message


def test_another_engine_is_rejected(messages: dict[str, str]) -> None:
    known = ", ".join(DIALECTS)
    assert f"sqlmetrics.auc: target type 'oracle' is not supported; {known} are" in messages["another_engine"]


def test_generic_tests_are_listed() -> None:
    """Errors of generic tests show arguments as YAML."""
    tests = {path.stem for path in (sql_root() / "tests" / "generic").glob("*.sql")}
    host = (sql_root() / "dbt/host.sql").read_text("utf-8")
    listed = re.search(r"macro generic_tests.*?return\(\[(.*?)\]\)", host, re.DOTALL)
    assert listed is not None
    assert set(re.findall(r"\w+", listed[1])) == tests


def test_parse_rejects_misspelled_arguments(tmp_path: Path) -> None:
    """A name is checked when dbt parses a model or a test, a value when it compiles them."""
    require_adapter("duckdb")
    project = make_project(tmp_path / "project", {"duckdb": {"type": "duckdb"}})
    settings = project / "dbt_project.yml"
    settings.write_text(settings.read_text("utf-8") + "flags: {validate_macro_args: true}\n", encoding="utf-8")
    (project / "models").mkdir()
    model, tests = project / "models" / "model.sql", project / "models" / "schema.yml"
    model.write_text(f"{{{{ sqlmetrics.auc({_GOOD}, bins=0) }}}}", encoding="utf-8")
    done = dbt(project, "parse", "--no-partial-parse")
    assert done.returncode == 0, done.stdout
    assert "WARNING" not in done.stdout.upper()  # the documented arguments are those that macros declare
    tests.write_text("""
models:
  - name: model
    data_tests: [sqlmetrics.metric_between: {arguments: {metric: auc, lable: y, min_value: 0}}]
""", encoding="utf-8")  # fmt: skip
    for text in (model.read_text("utf-8"), "{{ sqlmetrics.auc('t', lable='y') }}"):
        model.write_text(text, encoding="utf-8")
        done = dbt(project, "parse")
        assert done.returncode == 2, done.stdout
        assert "there is no argument 'lable' (did you mean 'label'?)" in done.stdout
        tests.unlink(missing_ok=True)
