"""The consumer project on each engine: values, generic tests, unit tests, states, and rejected models."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
import pytest
import yaml
from sklearn import metrics as sk

import sqlmetrics
from tests.compare import assert_same
from tests.data import sample
from tests.dbt.consumer import (
    DAYS,
    DEVICES,
    LOG,
    REJECTED,
    SOURCE,
    Consumer,
    arguments_of,
    calls_by_frame,
)
from tests.dbt.test_two_hosts import rendered
from tests.statistics.test_states import ece

pytestmark = pytest.mark.slow
on_duckdb = pytest.mark.parametrize("consumer", ["duckdb"], indirect=True)
CLICKS = {"label": "clicked", "score": "pctr"}


def rows_of(device: Any) -> pd.DataFrame:
    return LOG[LOG["device"].isna()] if device is None else LOG[LOG["device"] == device]


def test_build_runs_every_model_and_test(consumer: Consumer) -> None:
    assert consumer.built.success, consumer.built.output
    # The documented arguments are those of the macros; dbt does not recognize these for generic tests.
    warned = re.findall(r"in (?:the )?yaml for macro (\w+)", consumer.built.output)
    assert warned
    assert [name for name in warned if not name.startswith("test_")] == []
    statuses = {name: status for name, (status, _) in consumer.built.results.items()}
    assert set(statuses.values()) == {"success", "pass", "warn"}
    assert [name for name, status in statuses.items() if status == "warn"] == ["a_failure_of_low_severity"]
    manifest = consumer.manifest
    expected = {node["name"] for node in [*manifest["nodes"].values(), *manifest["unit_tests"].values()]
                if node["config"].get("materialized") != "ephemeral"
                and node["original_file_path"].split("/")[1] not in ("refused", "after", "texts", "wrong")}  # fmt: skip
    assert set(statuses) == expected


def test_models_have_text_and_values_of_runner(consumer: Consumer) -> None:
    """With one metric of each set of frames, in each type of its data."""
    for name, call in calls_by_frame().items():
        path = consumer.folder / "target" / "compiled" / "consumer" / "models" / "measured" / f"{name}.sql"
        arguments = arguments_of(call)
        assert path.read_text(encoding="utf-8") + "\n" == rendered("evaluate", arguments, consumer.dialect), name
        schema = "main" if consumer.dialect == "duckdb" else "sqlmetrics"
        result = consumer.query(f"select * from {schema}.{name}")
        assert_same(result, call.evaluate(sample(call.data_type), by=arguments["by"]), 1e-9)


_NO_PROBABILITY = r"score \(column 'twice_pctr'\): \d+ rows where the value is outside \[0, 1\] .*; for example 1\.\d+"
_WORSE = "worse by more than the tolerance"
#: Tests that must fail -> the reason of each stored row, by device if the test has slices.
FAILURES: dict[str, Any] = {
    "a_decayed_model_is_found": dict.fromkeys(DEVICES, "the value is below min_value"),
    "a_low_lift_is_found": dict.fromkeys(DEVICES, "the value is below min_value"),
    "a_worse_model_is_found": _WORSE,
    "too_few_rows_are_found": r"only \d+ rows; min_rows is 100000",
    "no_value_with_enough_rows_is_found": "no slice has enough rows",
    "an_empty_table_is_found": "no slice has enough rows",
    "two_empty_tables_are_found": "no rows at all",
    "lost_slices_are_found": dict.fromkeys(DEVICES[1:], "the slice has no rows"),
    "another_choice_of_rows_is_no_better_model": dict.fromkeys(DEVICES, _WORSE) | {"phone": "the slice has no rows"},
    "an_undefined_value_is_found": "the value is undefined",
    "grades_are_no_labels": r"label \(column 'grade'\): \d+ rows where the value is neither 0 nor 1 .*;"
    r" for example [23](\.0)?",
    "no_probabilities": _NO_PROBABILITY,
    "too_many_rows_without_a_score": r"score \(column 'live'\): \d+ rows are dropped .* max_dropped is 10",
    "invalid_inputs_are_found": _NO_PROBABILITY,
    "rows_that_are_gone_are_found": r"\d+ rows of the state are no longer in the log",
}  # fmt: skip


def test_generic_tests_store_failures(consumer: Consumer) -> None:
    for test, expected in FAILURES.items():
        rows = consumer.rows(test)
        if isinstance(expected, dict):
            slices = {f"device={device or 'NULL'}": reason for device, reason in expected.items()}
            assert {row["slice"]: row["reason"] for row in rows} == slices, test
        else:
            assert any(re.fullmatch(expected, row["reason"]) for row in rows), test
    decayed = LOG.assign(pctr=1 - LOG["pctr"])
    for row in consumer.rows("a_decayed_model_is_found"):
        part = decayed[decayed["device"].fillna("NULL") == row["slice"].removeprefix("device=")]
        assert row["value"] == pytest.approx(sk.roc_auc_score(part["clicked"], part["pctr"]), rel=1e-12)
        assert row["value"] < row["bound"] == 0.6


def test_alerts_are_failures_of_all_tests(consumer: Consumer) -> None:
    alerts = pd.DataFrame(consumer.rows("alerts"))
    expected = pd.concat([pd.DataFrame(consumer.rows(test)) for test in FAILURES])
    assert set(expected["test"]) == {*FAILURES} <= set(alerts["test"])
    assert len(alerts.merge(expected.astype(alerts.dtypes))) == len(expected)
    assert alerts["checked_at"].nunique() == 1


def test_metric_file_of_project_is_like_builtin(consumer: Consumer) -> None:
    lifts = {}
    for device in DEVICES:
        part = rows_of(device)
        lifts[device] = part.loc[part["pctr"] >= 0.3, "clicked"].mean() / part["clicked"].mean()
    for name in ("lift_by_device", "lift_of_days"):
        values = {row["device"]: row["lift_at_threshold"] for row in consumer.rows(name)}
        assert values == pytest.approx(lifts, rel=1e-12), name
    failures = {row["slice"]: row["value"] for row in consumer.rows("a_low_lift_is_found")}
    expected = {f"device={device or 'NULL'}": lift for device, lift in lifts.items()}
    assert failures == pytest.approx(expected, rel=1e-12)


def test_states_of_days_match_log(consumer: Consumer) -> None:
    """One day was rebuilt, so that its rows replaced those of the first build."""
    variables = yaml.safe_load((SOURCE / "dbt_project.yml").read_text(encoding="utf-8"))["vars"]
    states = {"from_state": "auc, log_loss, brier, copc, pcoc", "scores_of_days": variables["of_scores"],
              "clicks_of_days": variables["additive_clicks"]}  # fmt: skip
    for model, metrics in states.items():
        expected = sqlmetrics.evaluate(LOG, metrics, **CLICKS, by="device").sort_values("device", ignore_index=True)
        result = pd.DataFrame(consumer.rows(model)).sort_values("device", ignore_index=True)
        assert_same(result[[*expected]], expected, 1e-12)
    for row in consumer.rows("from_state_binned"):
        part = rows_of(row["device"])
        area = sk.roc_auc_score(part["clicked"], part["pctr"])
        assert row["auc_lower"] <= area <= row["auc_upper"] < row["auc_lower"] + 0.2


def test_late_rows_under_every_strategy(consumer: Consumer) -> None:
    """After late rows and corrected scores, bins vanished; parts of the NULL device exist once."""
    rows = consumer.rows("months")
    strategies = {"late_by_day", "late_by_key", "late_by_batch"}
    assert {row["strategy"] for row in rows} == strategies
    for row in rows:
        assert row["n"] == len(LOG)
        assert row["ece"] == pytest.approx(ece(LOG, 20), rel=1e-12)
        assert row["log_loss"] == pytest.approx(sk.log_loss(LOG["clicked"], LOG["pctr"]), rel=1e-12)
        assert row["parts"] == row["state_keys"]
        assert row["vanished"] > 0
    stale = set(re.findall(r"(\w+)\W* keeps the parts of rows that the log no longer has", consumer.rebuilt.output))
    assert "state_binned" in stale
    assert not strategies & stale


def test_metric_is_added_to_state(consumer: Consumer) -> None:
    [row] = consumer.rows("copc_of_all_days")
    assert row["n"] == len(LOG)
    assert row["copc"] == pytest.approx(LOG["clicked"].sum() / LOG["pctr"].sum(), rel=1e-12)
    [row] = consumer.rows("brier_of_a_day")
    part = LOG[LOG["day"] == DAYS[2]]
    assert row["brier"] == pytest.approx(sk.brier_score_loss(part["clicked"], part["pctr"]), rel=1e-12)


def test_invalid_values_and_states_are_rejected(consumer: Consumer) -> None:
    """Invalid calls are in test_two_hosts.py."""
    failed = {name: message for name, (status, message) in consumer.rebuilt.results.items()
              if status != "success" and not name.startswith("wrong_")}  # fmt: skip
    assert failed.keys() == REJECTED.keys(), consumer.rebuilt.output
    for name, (_, pattern) in REJECTED.items():
        assert re.search(pattern, failed[name]), failed[name]


@on_duckdb
def test_dbt_reads_files_of_states(consumer: Consumer) -> None:
    """Python writes the state of each day to a file, which is a source of dbt-duckdb."""
    for row in consumer.rows("from_files"):
        part = rows_of(row["device"])
        assert row["n"] == len(part)
        assert row["auc"] == pytest.approx(sk.roc_auc_score(part["clicked"], part["pctr"]), abs=1e-12)
        assert row["auc_low"] < row["auc"] < row["auc_high"]
