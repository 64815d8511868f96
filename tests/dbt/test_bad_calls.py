"""A wrong call is a compiler error that names the macro and the argument."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import sqlmetrics
from sqlmetrics.catalogue import builtin_catalogue, sql_root
from sqlmetrics.definitions import DIALECTS
from tests.dbt.hosting import dbt, make_project, require_adapter

pytestmark = pytest.mark.slow

_GOOD = "'t', label='y', score='p'"
CALLS = {
    "misspelt_argument": ("auc('t', lable='y', score='p')", "auc", "lable"),
    "argument_of_another_metric": (f"auc({_GOOD}, k=10)", "auc", "'k'"),
    "misspelt_role": ("evaluate('t', ['auc'], lable='y', score='p')", "evaluate", "lable"),
    "no_relation": ("auc(label='y', score='p')", "sqlmetrics.auc", "relation must be given"),
    "no_metrics": (f"evaluate({_GOOD})", "sqlmetrics.evaluate", "metrics: name at least one"),
    "no_label": ("auc('t', score='p')", "sqlmetrics.auc", "auc needs label (or positives and total)"),
    "no_score": ("auc('t', label='y')", "sqlmetrics.auc", "auc needs score"),
    "no_group": (f"ndcg({_GOOD}, k=10)", "sqlmetrics.ndcg", "ndcg_at_10 needs group"),
    "empty_role": ("auc('t', label=' ', score='p')", "sqlmetrics.auc", "label is empty"),
    "a_number_as_role": ("auc('t', label=1, score='p')", "sqlmetrics.auc", "label must be a column name"),
    "a_role_without_meaning": (f"evaluate({_GOOD}, metrics='auc', group='g')", "sqlmetrics.evaluate", "group has no"),
    "label_twice": (f"auc({_GOOD}, positives='a', total='b')", "sqlmetrics.auc", "give label or positives, not both"),
    "half_of_a_pair": ("auc('t', score='p', positives='a')", "sqlmetrics.auc", "positives and total go together"),
    "no_catalog": ("coverage('t', group='g', item='i', score='p', k=3)", "sqlmetrics.coverage", "needs catalog"),
    "no_history": ("popularity_lift('t', group='g', item='i', score='p', popularity='c')",
                   "sqlmetrics.popularity_lift", "needs history: relation of what each group had before"),
    "unknown_metric": (f"evaluate({_GOOD}, metrics=['aucc'])", "sqlmetrics.evaluate",
                       "there is no metric 'aucc' (did you mean 'auc'"),
    "letters_that_change_places": (
        f"evaluate({_GOOD}, metrics=['acu'])", "sqlmetrics.evaluate", "there is no metric 'acu' (did you mean 'auc'?)"),
    "a_misspelt_word": (f"evaluate({_GOOD}, metrics=['Precison_at_k@3'])", "sqlmetrics.evaluate",
                        "there is no metric 'Precison_at_k' (did you mean 'precision_at_k'?)"),
    "a_name_like_none": (f"evaluate({_GOOD}, metrics=['perplexity'])", "sqlmetrics.evaluate",
                         "there is no metric 'perplexity'; there are accuracy, "),
    "labels_in_another_relation": (f"evaluate({_GOOD}, metrics='auc', judgments='j')", "sqlmetrics.evaluate",
                                   "judgments has no meaning for auc: leave it out; to read labels from another"),
    "two_expressions": ("auc('t', label='y', score='= p, q')", "sqlmetrics.auc",
                        "score: '= p, q' holds 2 expressions, and each is a value of its own; write them as in "
                        'score=["= p", "q"]'),
    "a_weight_of_rows": (f"evaluate({_GOOD}, metrics='ndcg', group='g', weight='w')", "sqlmetrics.evaluate",
                         "weight has no meaning for ndcg: leave it out, or give group_weight"),
    "a_convention_of_a_preset": (f"evaluate({_GOOD}, metrics='ndcg', group='g', preset='spark')", "sqlmetrics.evaluate",
                                 "ndcg: ties='key' (set by the preset 'spark') needs the role tie_key (or item)"),
    "unknown_parameter": (
        f"evaluate({_GOOD}, metrics=[{{'name': 'ece', 'bin': 5}}])", "sqlmetrics.evaluate",
        "no parameter 'bin' (did you mean 'bins'?); it takes"),
    "k_of_auc": (f"evaluate({_GOOD}, metrics='auc@5')", "sqlmetrics.evaluate", "auc takes no k"),
    "brackets": (f"evaluate({_GOOD}, metrics=['ece(bins=[5])'])", "sqlmetrics.evaluate", "cannot read the arguments"),
    "a_wrong_argument_in_brackets": (
        f"evaluate({_GOOD}, metrics='auc, ece(bins=0)')", "sqlmetrics.evaluate", "ece: bins must be a whole number"),
    "no_name": (f"evaluate({_GOOD}, metrics=[{{'k': 5}}])", "sqlmetrics.evaluate", "needs its 'name'"),
    "a_name_of_two_words_in_a_state": (
        f"metric_state({_GOOD}, metrics=[{{'name': 'mae', 'as': 'a b'}}])", "sqlmetrics.metric_state", "simple word"),
    "wrong_choice": (f"ece({_GOOD}, binning='mas')", "sqlmetrics.ece", "ece: binning must be 'width' or 'mass'"),
    "wrong_number": (f"ece({_GOOD}, bins=0)", "sqlmetrics.ece", "ece: bins must be a whole number >= 1"),
    "a_fraction": (f"ece({_GOOD}, bins=2.5)", "sqlmetrics.ece", "ece: bins must be a whole number"),
    "a_text_as_number": (f"ece({_GOOD}, bins='5')", "sqlmetrics.ece", "ece: bins must be a whole number"),
    "nothing_as_choice": (f"ece({_GOOD}, binning=none)", "sqlmetrics.ece", "ece: binning must be"),
    "no_max_label": (f"err({_GOOD}, group='g', k=3)", "sqlmetrics.err", "max_label must be given"),
    "wrong_preset": (f"evaluate({_GOOD}, metrics='auc', preset='r')", "sqlmetrics.evaluate", "preset must be"),
    "wrong_shape": (f"auc({_GOOD}, shape='rank')", "sqlmetrics.auc", "or 'two_level_ranks', not 'rank'"),
    "empty_where": (f"auc({_GOOD}, where=' ')", "sqlmetrics.auc", "where must be an SQL condition"),
    "two_of_a_name": (f"evaluate({_GOOD}, metrics=['auc', 'auc'])", "sqlmetrics.evaluate", "would be called 'auc'"),
    "a_table_beside": (f"evaluate({_GOOD}, metrics=['auc', 'roc_curve'])", "sqlmetrics.evaluate", "must be asked for"),
    "mixed_groupings": (f"auc({_GOOD}, by=['a', ['b']])", "sqlmetrics.auc", "not a mixture"),
    "a_slice_twice": (f"auc({_GOOD}, by=['a', 'a'])", "sqlmetrics.auc", "by: a column is named twice"),
    "two_slices_of_a_name": (f"auc({_GOOD}, by=['a', 'A'])", "sqlmetrics.auc", "by: two slices"),
    "a_grouping_twice": (f"auc({_GOOD}, by=[['a'], ['a']])", "sqlmetrics.auc", "by: the same grouping"),
    "a_slice_named_like_a_metric": (f"auc({_GOOD}, by='auc')", "sqlmetrics.auc", "by: the slice 'auc'"),
    "the_name_of_every_result": (
        f"evaluate({_GOOD}, metrics=[{{'name': 'auc', 'as': 'n'}}])", "sqlmetrics.evaluate", "metrics: 'n'"),
    "a_score_twice": ("auc('t', label='y', score=['p', 'p'])", "sqlmetrics.auc", "score: 'p' is named twice"),
    "no_sums": (f"metric_state({_GOOD}, metrics=['auc'])", "sqlmetrics.metric_state", "auc cannot be added up"),
    "no_sums_either": (f"metric_state({_GOOD}, metrics=['medae'])", "sqlmetrics.metric_state", "medae cannot be"),
    "sums_of_other_rows": (
        "metric_state('t', ['mae', 'anlp'], label='y', score='s', p_price='p', p_survive='q', won='w')",
        "sqlmetrics.metric_state", "count different rows"),
    "a_slice_named_like_a_sum": (
        f"metric_state({_GOOD}, metrics=['mae'], by='mae_sum')", "sqlmetrics.metric_state", "by: 'mae_sum'"),
    "buckets_of_nobody": (
        f"metric_state({_GOOD}, metrics=['mae'], buckets=20)", "sqlmetrics.metric_state", "buckets needs cluster"),
    "clusters_without_buckets": (
        f"score_state({_GOOD}, cluster='u')", "sqlmetrics.score_state", "cluster has a meaning with buckets only"),
    "a_single_bucket": (
        f"score_state({_GOOD}, buckets=1, cluster='u')", "sqlmetrics.score_state", "buckets must be a whole"),
    "no_interval_at_all": (
        "metrics_of_state('t', ['confusion_matrix'], confidence=0.9)", "sqlmetrics.metrics_of_state",
        "none of the metrics has an interval"),
    "no_state": ("metrics_of_state(metrics=['mae'])", "sqlmetrics.metrics_of_state", "relation must be given"),
    "not_in_a_state": ("metrics_of_state('t', ['auc'])", "sqlmetrics.metrics_of_state", "auc cannot be added up"),
    "a_name_of_the_package": (
        f"evaluate({_GOOD}, metrics=[{{'name': 'auc', 'as': 'slice_id'}}], by=['device'])", "sqlmetrics.evaluate",
        "kept for the package"),
    "names_in_two_cases": (
        f"evaluate({_GOOD}, metrics=[{{'name': 'auc', 'as': 'X'}}, {{'name': 'copc', 'as': 'x'}}])",
        "sqlmetrics.evaluate", "would be called 'x'"),
    "slices_in_two_cases": (f"auc({_GOOD}, by=['Device', 'device'])", "sqlmetrics.auc", "by: two slices"),
    "two_columns_in_a_text": (f"auc({_GOOD}, by='day, device')", "sqlmetrics.auc", "two columns are written as a list"),
    "a_constant_as_slice": (f"auc({_GOOD}, by=\"device = 'ios'\")", "sqlmetrics.auc", "would name the constant"),
    "a_dict_of_neither": ("auc('t', label={'columns': 'y'}, score='p')", "sqlmetrics.auc", "as a dict"),
    "k_as_text": (f"evaluate({_GOOD}, metrics=[{{'name': 'ndcg', 'k': '10'}}], group='g')", "sqlmetrics.evaluate",
                  "ndcg: k must be a whole number >= 1, not '10'"),
    "one_score_to_compare": (f"compare({_GOOD}, metrics='auc')", "sqlmetrics.compare", "needs two scores"),
    "another_baseline": ("compare('t', 'auc', label='y', score=['a', 'b'], baseline='c')", "sqlmetrics.compare",
                         "baseline must be one of the scores (a, b), not 'c'"),
    "two_scores_and_a_relation": ("compare('t', 'auc', label='y', score=['a', 'b'], against='(select 1 as y)')",
                                  "sqlmetrics.compare", "against compares two relations by one score"),
    "a_text_as_truth": (f"auc({_GOOD}, confidence=0.9, standard_error='false')", "sqlmetrics.auc",
                        "standard_error must be true or false, not 'false'"),
    "a_text_as_truth_of_a_state": ("state_metrics('t', confidence=0.9, standard_error='no')",
                                   "sqlmetrics.state_metrics", "standard_error must be true or false, not 'no'"),
    "a_cluster_alone": (f"auc({_GOOD}, cluster='u')", "sqlmetrics.auc",
                        "cluster has a meaning with confidence only; give confidence=0.95 or leave it out"),
    "no_tie_key": (f"ndcg({_GOOD}, group='g', ties='key')", "sqlmetrics.ndcg", "needs the role tie_key"),
}  # fmt: skip
#: What the generic tests refuse, by the macros that they call.
_AGAINST = "failures_against('metric_not_worse_than', 't', {metric}, {{'label': 'y', 'score': 'p'}}, {{}}, none, {more}"
TESTS = {
    "strict_alone": (_AGAINST.format(metric="'auc'", more="none, 'q', 0, none, 1, none, none, none, true)"),
                     "strict has a meaning with confidence only; give confidence: 0.95 or leave it out"),
    "cluster_alone": (_AGAINST.format(metric="'auc'", more="none, 'q', 0, none, 1, none, none, 'u')"),
                      "cluster has a meaning with confidence only; give confidence: 0.95 or leave it out"),
    "no_tolerance": (_AGAINST.format(metric="'auc'", more="none, 'q', none, none, 1)"),
                     "tolerance must be a number, not none"),
    "a_text_as_tolerance": (_AGAINST.format(metric="'auc'", more="none, 'q', '0.01', none, 1)"),
                            "tolerance must be a number, not '0.01'"),
    "a_text_as_min_rows": (_AGAINST.format(metric="'auc'", more="none, 'q', 0, none, '100')"),
                           "min_rows must be a whole number >= 1, not '100'"),
    "a_text_as_max_dropped": (_AGAINST.format(metric="'auc'", more="none, 'q', 0, none, 1, '5')"),
                              "max_dropped must be a whole number >= 0, not '5'"),
    "two_scores_of_no_metric": (
        "failures_against('metric_not_worse_than', 't', 'f1', {'label': 'y', 'prediction': 'd', 'score': 'p'}, {}, "
        "none, none, 'q', 0, none, 1)", "f1 reads no score: champion_score would be compared with nothing"),
    "best_near_a_number": (_AGAINST.format(metric="'copc'", more="none, 'q', 0, none, 1, none, 0.95)"),
                           "copc is best near 1; bound it by metric_between"),
}  # fmt: skip


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What dbt says of each call, from one run over a model for each."""
    require_adapter("duckdb")
    project = make_project(tmp_path_factory.mktemp("bad") / "project", {"duckdb": {"type": "duckdb"}})
    models = {name: f"{{{{ sqlmetrics.{call} }}}}" for name, (call, *_) in {**CALLS, **TESTS}.items()}
    # dbt's `target` is a dict of the model's own, which stands in for an adapter that nobody has installed
    models["another_engine"] = f"{{% do target.update({{'type': 'oracle'}}) %}}{{{{ sqlmetrics.auc({_GOOD}) }}}}"
    (project / "models").mkdir()
    for name, text in models.items():
        (project / "models" / f"{name}.sql").write_text(f"{{% if execute %}}{text}{{% endif %}}", encoding="utf-8")
    done = dbt(project, "run", "--threads", "1")
    results = json.loads(Path(project / "target" / "run_results.json").read_text(encoding="utf-8"))["results"]
    assert done.returncode == 1, done.stdout
    return {result["unique_id"].split(".")[-1]: result["message"] for result in results}


#: Refused by dbt itself; by the runner in its own words; and what only one of the two has.
_OF_ONE_HOST = {
    "misspelt_argument",
    "argument_of_another_metric",
    "misspelt_role",
    "brackets",
    "no_relation",
    "a_text_as_truth",
}


def refused_by_the_runner(call: str) -> str:
    """What the Python runner says of the same call."""

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
    with pytest.raises(sqlmetrics.SqlMetricsError) as refusal:
        eval(call, {**names, "none": None, "true": True})
    return _without_hint(str(refusal.value))


def _without_hint(message: str) -> str:
    """The runner knows the names of other tools as well."""
    return re.sub(r" \(did you mean .*?\)", "", message)


@pytest.mark.parametrize("name", [n for n in CALLS if n not in _OF_ONE_HOST and "state" not in CALLS[n][1]])
def test_both_hosts_say_the_same(name: str, messages: dict[str, str]) -> None:
    assert refused_by_the_runner(CALLS[name][0]) in _without_hint(messages[name])


@pytest.mark.parametrize("name", CALLS)
def test_message(name: str, messages: dict[str, str]) -> None:
    _, macro, words = CALLS[name]
    assert macro in messages[name]
    assert words in messages[name]
    assert not re.search("[⟨⟩]", messages[name])


@pytest.mark.parametrize("name", TESTS)
def test_what_a_generic_test_refuses(name: str, messages: dict[str, str]) -> None:
    assert f"sqlmetrics.metric_not_worse_than: {TESTS[name][1]}" in messages[name].replace("confidence: copc", "copc")


def test_the_generic_tests_are_known_by_name() -> None:
    """Their arguments stand in YAML, and so do those of an error."""
    tests = {path.stem for path in (sql_root() / "tests" / "generic").glob("*.sql")}
    named = re.search(
        r"macro generic_tests.*?return\(\[(.*?)\]\)", (sql_root() / "dbt/host.sql").read_text("utf-8"), re.DOTALL
    )
    assert named is not None
    assert set(re.findall(r"\w+", named[1])) == tests


def test_another_engine(messages: dict[str, str]) -> None:
    known = ", ".join(DIALECTS)
    assert f"sqlmetrics.auc: target type 'oracle' is not supported; {known} are" in messages["another_engine"]
