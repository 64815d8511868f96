"""The consumer project on each engine: values, generic tests, unit tests, states, and a model that decays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics as sk

import sqlmetrics
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests.dbt.consumer import (
    DAYS,
    ENGINES,
    KEPT,
    LARGEST_DIFFERENCES,
    STRATEGIES,
    build_days,
    by_device,
    differences_of_states,
    opened,
    with_examples,
)
from tests.dbt.hosting import Project
from tests.dbt.oracles import DEVICES, FAMILIES, make_log
from tests.statistics.test_states import Value, ece, jackknife

pytestmark = pytest.mark.slow
on_duckdb = pytest.mark.parametrize("consumer", ["duckdb"], indirect=True)
on_databases = pytest.mark.parametrize("consumer", ["duckdb", "postgres"], indirect=True)
LOG = make_log()


@pytest.fixture(scope="module", params=ENGINES)
def consumer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """The project on one engine, built from nothing."""
    with opened(request.param, tmp_path_factory.mktemp(request.param)) as project:
        project.run("build")
        yield project


def read_json(project: Project, name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((project.folder / "target" / name).read_text(encoding="utf-8"))
    return content


@pytest.fixture(scope="module")
def results(consumer: Project) -> dict[str, dict[str, Any]]:
    """The result of each node of the build."""
    return {result["unique_id"]: result for result in read_json(consumer, "run_results.json")["results"]}


@pytest.fixture(scope="module")
def stored(consumer: Project) -> dict[str, str]:
    """The relation of each node, which holds the failures of a test."""
    return {node["name"]: node["relation_name"] for node in read_json(consumer, "manifest.json")["nodes"].values()}


@pytest.fixture(scope="module")
def rebuilt(results: dict[str, Any], stored: dict[str, str], consumer: Project) -> tuple[Project, str]:
    """The project after one day of its states was rebuilt, and the output of dbt."""
    return consumer, build_days(consumer)


def rows_of(device: str | None) -> pd.DataFrame:
    return LOG[LOG["device"].isna()] if device is None else LOG[LOG["device"] == device]


def test_build_runs_every_model_and_test(consumer: Project, results: dict[str, dict[str, Any]]) -> None:
    assert {result["status"] for result in results.values()} == {"success", "pass", "warn"}
    (warned,) = [unique_id for unique_id, result in results.items() if result["status"] == "warn"]
    assert "a_failure_of_low_severity" in warned
    manifest = read_json(consumer, "manifest.json")
    nodes = [*manifest["nodes"].values(), *manifest["unit_tests"].values()]
    expected = {node["unique_id"] for node in nodes if node["config"].get("materialized") != "ephemeral"}
    assert {name for name in expected if name.split(".")[0] in ("model", "test", "unit_test")} <= results.keys()
    assert {name.split(".")[0] for name in results} >= {"model", "test", "unit_test"}


def test_metrics_match_oracles_and_examples(consumer: Project) -> None:
    """Metrics of one value per slice match the oracles; tables match the examples in their files."""
    rows = consumer.rows(LARGEST_DIFFERENCES)
    families = [family.call(consumer.dialect) for family in FAMILIES]
    assert {row["metric"] for row in rows} == {requested.metric.name for call in families for requested in call.asked}
    assert all(row["slices"] == 5 and row["difference"] <= 1e-9 for row in rows), rows
    if consumer.dialect != "spark":
        examples = consumer.rows("select distinct metric from {{ ref('example_differences') }}")
        assert {row["metric"] for row in examples} == {metric.name for metric in with_examples(consumer.dialect)}


#: Of each test that must fail: the rows that it stores, as slice, n and reason.
FAILURES: dict[str, set[tuple[str | None, int, str]]] = {
    "too_few_rows_are_found": {(None, 600, "fewer rows than min_rows")},
    "no_value_with_enough_rows_is_found": {(None, 0, "no slice has enough rows")},
    "an_empty_table_is_found": {(None, 0, "no slice has enough rows")},
    "an_empty_table_without_slices_is_found": {(None, 0, "fewer rows than min_rows")},
    "two_empty_tables_are_found": {(None, 0, "no rows at all")},
    "lost_slices_are_found": {(device, 0, "the slice has no rows") for device in ("desktop", "tablet", None)},
}
_NO_PROBABILITY = r"score \(column 'twice_pctr'\): \d+ rows where the value is outside \[0, 1\] .*; for example 1\.\d+"
#: Of each test that must find invalid values: the reason of one of its rows.
INVALID = {
    "an_undefined_value_is_found": "the value is undefined",
    "grades_are_no_labels": r"label \(column 'grade'\): \d+ rows where the value is neither 0 nor 1 .*;"
    r" for example [23](\.0)?",
    "no_probabilities": _NO_PROBABILITY,
    "too_many_rows_without_a_score": r"score \(column 'live'\): \d+ rows are left out .* max_dropped is 10",
    "invalid_inputs_are_found": _NO_PROBABILITY,
}


def test_generic_tests_store_failures(consumer: Project, stored: dict[str, str]) -> None:
    name = "another_choice_of_rows_is_no_better_model"
    device = dict.fromkeys(["lost_slices_are_found", name], "device")
    text = " union all ".join(
        f"select '{test}' as test, {device.get(test, 'cast(null as {{ dbt.type_string() }})')} as device, "
        f"{'0' if test in INVALID else 'n'} as n, failure from {stored[test]}"
        for test in [*FAILURES, *INVALID, name]
    )
    rows = consumer.rows(text)
    for test, expected in FAILURES.items():
        failures = [row for row in rows if row["test"] == test]
        assert {(row["device"], int(row["n"]), row["failure"]) for row in failures} == expected, test
    for test, reason in INVALID.items():
        assert any(re.fullmatch(reason, row["failure"]) for row in rows if row["test"] == test), test
    reasons = {row["device"]: row["failure"] for row in rows if row["test"] == name}
    assert reasons == {"phone": "the slice has no rows"} | dict.fromkeys(
        ["desktop", "tablet", None], "worse by more than the tolerance"
    )


@on_duckdb
def test_manifest_describes_every_metric_and_argument(consumer: Project) -> None:
    macros = read_json(consumer, "manifest.json")["macros"]
    for metric in builtin_catalogue().metrics.values():
        macro = macros[f"macro.sqlmetrics.{metric.name}"]
        assert macro["description"].startswith(f"{metric.title}: ")
        described = set(re.findall(r"\w+", macro["description"]))
        assert {"relation", "by", "where", *metric.roles(), *metric.parameters, *metric.relations} <= described


def test_states_of_days_match_log(rebuilt: tuple[Project, str]) -> None:
    """One day was rebuilt: its rows replace those of the first build."""
    project, _ = rebuilt
    counts = project.rows("select day, sum(row_count) as n from {{ ref('state') }} group by day")
    assert {str(row["day"])[:10]: int(row["n"]) for row in counts} == LOG.groupby("day").size().to_dict()
    exact, binned = by_device(project, "from_state"), by_device(project, "from_state_binned")
    for device in DEVICES:
        part = rows_of(device)
        area = sk.roc_auc_score(part["clicked"], part["pctr"])
        expected = {
            "n": len(part), "log_loss": sk.log_loss(part["clicked"], part["pctr"]),
            "brier": sk.brier_score_loss(part["clicked"], part["pctr"]),
            "copc": part["clicked"].sum() / part["pctr"].sum(), "pcoc": part["pctr"].sum() / part["clicked"].sum(),
        }  # fmt: skip
        for row in (exact[device], binned[device]):
            assert {name: row[name] for name in expected} == pytest.approx(expected, rel=1e-12)
        assert exact[device]["auc"] == pytest.approx(area, abs=1e-12)
        assert binned[device]["auc_lower"] <= area <= binned[device]["auc_upper"] < binned[device]["auc_lower"] + 0.2
    names = KEPT if project.dialect == "duckdb" else ["clicks", "lists"]
    differences = differences_of_states(project, names)
    assert len(differences) > 4 * len(names)
    assert max(differences.values()) <= 1e-12, differences


@on_duckdb
def test_state_of_some_days_matches_log(rebuilt: tuple[Project, str]) -> None:
    (row,) = rebuilt[0].rows("select * from {{ ref('from_three_days') }}")
    part = LOG[LOG["day"].between(DAYS[1], DAYS[3])]
    assert row["n"] == len(part)
    assert row["auc_lower"] <= sk.roc_auc_score(part["clicked"], part["pctr"]) <= row["auc_upper"]
    assert row["log_loss"] == pytest.approx(sk.log_loss(part["clicked"], part["pctr"]), rel=1e-12)


INTERVALS: dict[str, dict[str, Value]] = {
    "sure_scores": {"ece": lambda d: ece(d, 20), "log_loss": lambda d: sk.log_loss(d["clicked"], d["pctr"])},
    "sure_errors": {"mae": lambda d: sk.mean_absolute_error(d["y"], d["y_hat"]),
                    "rmsle": lambda d: sk.root_mean_squared_log_error(d["y"], d["y_hat"])},
}  # fmt: skip


@on_duckdb
@pytest.mark.parametrize("model", INTERVALS)
def test_intervals_of_states_match_jackknife(rebuilt: tuple[Project, str], model: str) -> None:
    rows = by_device(rebuilt[0], model)
    assert rows.keys() == {*DEVICES}
    for device, row in rows.items():
        for name, value in INTERVALS[model].items():
            error, count = jackknife(rows_of(device), value, 20)
            assert row[name] == pytest.approx(value(rows_of(device)), rel=1e-12)
            assert row[f"{name}_se"] == pytest.approx(error, rel=1e-8, abs=1e-12), name
            low = max(row[name] - stats.t(count - 1).ppf(0.975) * error, 0)
            assert row[f"{name}_low"] == pytest.approx(low, rel=1e-3, abs=1e-12)


@on_databases
def test_late_rows_under_every_strategy(rebuilt: tuple[Project, str]) -> None:
    """Late rows arrived and scores were corrected, so bins vanished; parts of the NULL device exist once."""
    project, output = rebuilt
    parts = "\nunion all\n".join(
        f"select '{name}' as strategy, month.*, parts.* from (\n"
        f"{{{{ sqlmetrics.state_metrics(ref('{name}'), binned=true) }}}}\n) as month cross join (select "
        f"count(*) as parts, count(distinct state_key) as state_keys, count(*) "
        f"- count(nullif(row_count, 0)) as vanished from {{{{ ref('{name}') }}}}) as parts"
        for name in STRATEGIES
    )
    rows = project.rows(parts)
    assert {row["strategy"] for row in rows} == {*STRATEGIES}
    for row in rows:
        assert row["n"] == len(LOG)
        assert row["ece"] == pytest.approx(ece(LOG, 20), rel=1e-12)
        assert row["log_loss"] == pytest.approx(sk.log_loss(LOG["clicked"], LOG["pctr"]), rel=1e-12)
        assert row["parts"] == row["state_keys"]
        assert row["vanished"] > 0
    stale = re.findall(r"(\w+)\W* keeps the parts of rows that the log no longer has", output)
    assert "state_binned" in stale
    assert not {*STRATEGIES} & {*stale}


def error_of(project: Project, call: str) -> str:
    query = f"select * from (\n{{{{ sqlmetrics.{call} }}}}\n) as result"
    success, output, _ = project.invoke("--quiet", "show", "--inline", query)
    assert not success, call
    return output


@on_databases
def test_invalid_values_end_model_and_state(rebuilt: tuple[Project, str]) -> None:
    labels = "ref('impressions'), label='= 2 * clicked', score='pctr'"
    for call in (f"evaluate({labels}, metrics=['auc'])", f"score_state({labels})"):
        assert re.search(r"label: 2(\.0)? is neither 0 nor 1", error_of(rebuilt[0], call))
    call = "log_loss(ref('impressions'), label='clicked', score='= pctr + 3')"
    assert re.search(r"score: \S+ is outside \[0, 1\]", error_of(rebuilt[0], call))


@on_duckdb
def test_readers_reject_states(rebuilt: tuple[Project, str]) -> None:
    project, _ = rebuilt
    for message, call in [
        ("is a state without buckets; build it with buckets=20", "state_metrics(ref('state'), confidence=0.95)"),
        ("the state was made with bins; give binned=true", "state_metrics(ref('state_binned'))"),
        ("was not made for what is asked: it has no column mae_sum", "metrics_of_state(ref('clicks_by_day'), ['mae'])"),
        ("is no state of this version of the package", "state_metrics(ref('impressions'))"),
    ]:
        assert message in error_of(project, call)
    project.run("run", "--select", "without_key", "--vars", f"{{day: '{DAYS[1]}'}}")
    message = r"state_metrics: (\d+) rows but (\d+) distinct state_key: .* set unique_key='state_key' with "
    assert re.search(message, error_of(project, "state_metrics(ref('without_key'), binned=true, by=['day'])"))


@on_duckdb
def test_metric_is_added_to_state(rebuilt: tuple[Project, str]) -> None:
    project, _ = rebuilt
    project.run("run", "--select", "with_another_metric", "--vars", f"{{day: '{DAYS[2]}', with_brier: true}}")
    (row,) = project.rows("{{ sqlmetrics.metrics_of_state(ref('with_another_metric'), ['copc']) }}")
    assert row["n"] == len(LOG)
    assert row["copc"] == pytest.approx(LOG["clicked"].sum() / LOG["pctr"].sum(), rel=1e-12)
    call = "metrics_of_state(ref('with_another_metric'), ['copc', 'brier']%s)"
    assert "the state was not made for brier = brier() in " in error_of(project, call % "")
    where = f", where=\"day = cast('{DAYS[2]}' as date)\""
    (row,) = project.rows("{{ sqlmetrics." + call % where + " }}")
    part = LOG[LOG["day"] == DAYS[2]]
    assert row["brier"] == pytest.approx(sk.brier_score_loss(part["clicked"], part["pctr"]), rel=1e-12)


@on_duckdb
def test_dbt_reads_files_of_states(consumer: Project) -> None:
    """Python writes the state of each day into a file, which is a source of dbt-duckdb."""
    for day in DAYS:
        state = sqlmetrics.state(LOG[LOG["day"] == day], label="clicked", score="pctr", by=["day", "device"],
                                 buckets=20, cluster="user_id")  # fmt: skip
        state.to_parquet(consumer.folder / "data" / f"day-{day}.parquet")
    query = "{{ sqlmetrics.state_metrics(source('files', 'day'), by=['device'], confidence=0.95) }}"
    for row in consumer.rows(f"select * from ({query}) as result"):
        part = rows_of(row["device"])
        assert row["n"] == len(part)
        assert row["auc"] == pytest.approx(sk.roc_auc_score(part["clicked"], part["pctr"]), abs=1e-12)
        assert row["auc_low"] < row["auc"] < row["auc_high"]
    call = "metrics_of_state(source('files', 'day'), metrics='mae')"
    assert "was not made for what is asked: it has no column mae_sum" in error_of(consumer, call)


def test_decayed_model_fails_build(rebuilt: tuple[Project, str]) -> None:
    """The last test: it rebuilds the log with other scores."""
    project, _ = rebuilt
    success, output, _ = project.invoke("build", "--vars", "decayed: true", "--select", "impressions")
    assert not success
    assert "Failure in test auc_is_high (models/schema.yml)" in output
    assert "Got 4 results, configured to fail if != 0" in output
    # dbt prints the query of the stored failures.
    audits = [line.strip() for line in output.splitlines() if line.strip().startswith("select * from")]
    for name, bound, value, reason in [
        ("auc_is_high", "min_value", 0.6, "the value is below min_value"),
        ("not_worse_than_the_other_model", "tolerance", 0.02, "worse by more than the tolerance"),
    ]:
        (audit,) = [audit for audit in audits if name in audit]
        failures = project.rows(audit)
        assert {row["device"] for row in failures} == {*DEVICES}
        for row in failures:
            assert row["n"] > 50
            assert row["auc"] < (0.6 if bound == "min_value" else row["champion"] - value)
            assert row[bound] == value
            assert row["failure"] == reason
