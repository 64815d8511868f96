"""A project that uses the package, built on each engine: values, generic tests, unit tests, a model that decays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sqlmetrics.catalogue import builtin_catalogue
from tests.dbt.consumer import LARGEST_DIFFERENCES
from tests.dbt.hosting import Project


def results_of(project: Path) -> dict[str, dict[str, Any]]:
    results = json.loads((project / "target" / "run_results.json").read_text(encoding="utf-8"))["results"]
    return {result["unique_id"]: result for result in results}


@pytest.fixture(scope="module")
def built(consumer: Project) -> Project:
    """The project, built from nothing on one engine."""
    consumer.run("build")
    return consumer


def test_build(built: Project) -> None:
    """Every model, data test and unit test of the project; the tests in it compare with the oracles."""
    results = results_of(built.folder)
    assert {result["status"] for result in results.values()} <= {"success", "pass"}
    kinds = [unique_id.split(".")[0] for unique_id in results]
    assert kinds.count("unit_test") == 1
    assert kinds.count("test") == 19
    ephemeral = 1
    assert kinds.count("model") == len(list((built.folder / "models").rglob("*.sql"))) - ephemeral
    assert kinds.count("model") > len(builtin_catalogue().metrics)


def test_differences_from_the_oracles(built: Project) -> None:
    """Every metric that has one value per slice; the tables are compared with the examples in their files."""
    rows = built.rows(LARGEST_DIFFERENCES)
    scalars = {name for name, metric in builtin_catalogue().metrics.items() if not metric.table}
    assert {row["metric"] for row in rows} == scalars
    for row in rows:
        assert row["slices"] == 5
        assert row["difference"] <= 1e-9, row


def test_a_decayed_model_fails_the_build(built: Project) -> None:
    success, said, _ = built.invoke("build", "--vars", "decayed: true", "--select", "impressions")
    assert not success
    assert "Failure in test auc_is_high (models/schema.yml)" in said
    assert "Got 4 results, configured to fail if != 0" in said
    (audit,) = [line.strip() for line in said.splitlines() if line.strip().startswith("select * from")]
    failures = built.rows(audit)
    assert {row["device"] for row in failures} == {"phone", "desktop", "tablet", None}
    for row in failures:
        assert row["auc"] < row["min_value"] == 0.6
        assert row["failure"] == "the value is below min_value"
        assert row["n"] > 50
