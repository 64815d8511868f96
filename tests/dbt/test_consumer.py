"""A project that uses the package, built on each engine: values, generic tests, unit tests, a model that decays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sqlmetrics.catalogue import builtin_catalogue
from tests.dbt.consumer import LARGEST_DIFFERENCES, with_examples
from tests.dbt.hosting import Project
from tests.engines.cases import takes_long

pytestmark = pytest.mark.slow


def results_of(project: Path) -> dict[str, dict[str, Any]]:
    results = json.loads((project / "target" / "run_results.json").read_text(encoding="utf-8"))["results"]
    return {result["unique_id"]: result for result in results}


@pytest.fixture(scope="module")
def built(consumer: Project) -> Project:
    """The project, built from nothing on one engine."""
    consumer.run("build")
    return consumer


def test_build(built: Project, request: pytest.FixtureRequest) -> None:
    """Every model, data test and unit test of the project; the tests in it compare with the oracles."""
    results = results_of(built.folder)
    assert {result["status"] for result in results.values()} == {"success", "pass", "warn"}
    (warned,) = [unique_id for unique_id, result in results.items() if result["status"] == "warn"]
    assert "a_failure_of_low_severity" in warned
    manifest = json.loads((built.folder / "target" / "manifest.json").read_text(encoding="utf-8"))
    enabled = [*manifest["nodes"].values(), *manifest["unit_tests"].values()]
    run = {node["unique_id"] for node in enabled if node["config"].get("materialized") != "ephemeral"}
    assert {one for one in run if one.split(".")[0] in ("model", "test", "unit_test")} <= results.keys()
    assert {one.split(".")[0] for one in results} >= {"model", "test", "unit_test"}
    engine_name = request.node.callspec.params["consumer"]
    examples = built.rows("select distinct metric from {{ ref('example_differences') }}")
    assert {row["metric"] for row in examples} == {metric.name for metric in with_examples(engine_name)}


def test_differences_from_the_oracles(built: Project, request: pytest.FixtureRequest) -> None:
    """Every metric that has one value per slice; the tables are compared with the examples in their files."""
    rows = built.rows(LARGEST_DIFFERENCES)
    scalars = {
        name
        for name, metric in builtin_catalogue().metrics.items()
        if not metric.table and not takes_long(metric, request.node.callspec.params["consumer"])
    }
    assert {row["metric"] for row in rows} == scalars
    for row in rows:
        assert row["slices"] == 5
        assert row["difference"] <= 1e-9, row


#: Of each test that fails with the model: what its rows must say of value, bound and reason.
DECAYED: dict[str, Callable[[dict[str, Any]], bool]] = {
    "auc_is_high": lambda row: (
        row["auc"] < row["min_value"] == 0.6 and row["failure"] == "the value is below min_value"
    ),
    "not_worse_than_the_other_model": lambda row: (
        row["champion"] - row["auc"] > row["tolerance"] == 0.02 and row["failure"] == "worse by more than the tolerance"
    ),
}
#: Of each test that is expected to find something: the rows it stored, as slice, n and reason.
FAILURES: dict[str, set[tuple[str | None, int, str]]] = {
    "too_few_rows_are_found": {(None, 600, "fewer rows than min_rows")},
    "no_value_with_enough_rows_is_found": {(None, 0, "no slice has enough rows")},
    "an_empty_table_is_found": {(None, 0, "no slice has enough rows")},
    "an_empty_table_without_slices_is_found": {(None, 0, "fewer rows than min_rows")},
    "two_empty_tables_are_found": {(None, 0, "no rows at all")},
    "lost_slices_are_found": {(device, 0, "the slice has no rows") for device in ("desktop", "tablet", None)},
}


def test_what_failed_is_stored(built: Project) -> None:
    manifest = json.loads((built.folder / "target" / "manifest.json").read_text(encoding="utf-8"))
    stored = {node["name"]: node["relation_name"] for node in manifest["nodes"].values()}
    for name, expected in FAILURES.items():
        rows = built.rows(f"select * from {stored[name]}")
        assert {(row.get("device"), int(row["n"]), row["failure"]) for row in rows} == expected, name
    (undefined,) = built.rows(f"select * from {stored['an_undefined_value_is_found']}")
    assert undefined["auc"] is None
    assert undefined["failure"] == "the value is undefined"


#: Of each test that finds values without a meaning: what one of its rows says.
INVALID = {
    "grades_are_no_labels": r"label \(column 'grade'\): \d+ rows are neither 0 nor 1 .*; for example [23](\.0)?",
    "no_probabilities": r"score \(column 'twice_pctr'\): \d+ rows are outside \[0, 1\] .*; for example 1\.\d+",
    "too_many_rows_without_a_score": r"score \(column 'live'\): \d+ rows are left out .* max_dropped is 10",
    "invalid_inputs_are_found": r"score \(column 'twice_pctr'\): \d+ rows are outside \[0, 1\] .*; for example 1\.\d+",
}


def test_values_without_a_meaning_are_told(built: Project) -> None:
    manifest = json.loads((built.folder / "target" / "manifest.json").read_text(encoding="utf-8"))
    stored = {node["name"]: node["relation_name"] for node in manifest["nodes"].values()}
    for name, words in INVALID.items():
        told = [row["failure"] for row in built.rows(f"select * from {stored[name]}")]
        assert any(re.fullmatch(words, failure) for failure in told), (name, told)
    rows = built.rows(f"select * from {stored['another_choice_of_rows_is_no_better_model']}")
    assert {row["device"] for row in rows} == {"phone", "desktop", "tablet", None}
    reasons = {row["device"]: row["failure"] for row in rows}
    assert reasons.pop("phone") == "the slice has no rows"
    assert set(reasons.values()) == {"worse by more than the tolerance"}


@pytest.mark.parametrize("consumer", ["duckdb"], indirect=True)
def test_docs(built: Project) -> None:
    """dbt shows what every metric is and what its arguments mean, whatever the engine."""
    built.run("docs", "generate")
    manifest = json.loads((built.folder / "target" / "manifest.json").read_text(encoding="utf-8"))
    assert (built.folder / "target" / "catalog.json").is_file()
    for metric in builtin_catalogue().metrics.values():
        macro = manifest["macros"][f"macro.sqlmetrics.{metric.name}"]
        assert macro["description"].startswith(f"{metric.title}: ")
        described = {argument["name"]: argument["description"] for argument in macro["arguments"]}
        assert {"relation", "by", "where", *metric.roles(), *metric.parameters, *metric.relations} <= set(described)
        assert all(described.values())


def test_a_decayed_model_fails_the_build(built: Project) -> None:
    success, said, _ = built.invoke("build", "--vars", "decayed: true", "--select", "impressions")
    assert not success
    assert "Failure in test auc_is_high (models/schema.yml)" in said
    assert "Got 4 results, configured to fail if != 0" in said
    # dbt prints the query that shows the rows
    audits = [line.strip() for line in said.splitlines() if line.strip().startswith("select * from")]
    assert all(any(name in audit for audit in audits) for name in DECAYED)
    for name, told in DECAYED.items():
        (audit,) = [audit for audit in audits if name in audit]
        failures = built.rows(audit)
        assert {row["device"] for row in failures} == {"phone", "desktop", "tablet", None}
        for row in failures:
            assert row["n"] > 50
            assert told(row), row
