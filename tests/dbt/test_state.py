"""A small table of states, a day at a time, against the metrics of the whole log."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics as sk

import sqlmetrics
from tests.dbt.consumer import (
    DAYS,
    KEPT,
    STRATEGIES,
    build_days,
    by_device,
)
from tests.dbt.hosting import Project
from tests.dbt.oracles import DEVICES, make_log
from tests.statistics.test_states import Value, jackknife
from tests.statistics.test_states import bucket as jackknife_bucket

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def states(consumer: Project) -> Project:
    """The states of five days, built one at a time."""
    build_days(consumer)
    return consumer


def test_a_day_built_again_replaces_itself(states: Project) -> None:
    rows = states.rows("select day, sum(row_count) as n from {{ ref('state') }} group by day")
    log = make_log()
    assert {str(row["day"])[:10]: int(row["n"]) for row in rows} == log.groupby("day").size().to_dict()


def test_five_days_against_the_whole_log(states: Project) -> None:
    exact, binned = by_device(states, "from_state"), by_device(states, "from_state_binned")
    log = make_log()
    for device in DEVICES:
        part = log[log["device"].isna()] if device is None else log[log["device"] == device]
        truth, score = part["clicked"], part["pctr"]
        row, bins = exact[device], binned[device]
        area = sk.roc_auc_score(truth, score)
        assert row["n"] == bins["n"] == len(part)
        assert row["auc"] == pytest.approx(area, abs=1e-12)
        assert bins["auc_lower"] <= area <= bins["auc_upper"]
        assert bins["auc_upper"] - bins["auc_lower"] < 0.2
        for found in (row, bins):
            assert found["log_loss"] == pytest.approx(sk.log_loss(truth, score), rel=1e-12)
            assert found["brier"] == pytest.approx(sk.brier_score_loss(truth, score), rel=1e-12)
            assert found["copc"] == pytest.approx(truth.sum() / score.sum(), rel=1e-12)
            assert found["pcoc"] == pytest.approx(score.sum() / truth.sum(), rel=1e-12)


def test_any_range_of_days(states: Project) -> None:
    (row,) = states.rows("select * from {{ ref('from_three_days') }}")
    log = make_log()
    part = log[log["day"].between(DAYS[1], DAYS[3])]
    assert row["n"] == len(part)
    assert row["auc_lower"] <= sk.roc_auc_score(part["clicked"], part["pctr"]) <= row["auc_upper"]
    assert row["log_loss"] == pytest.approx(sk.log_loss(part["clicked"], part["pctr"]), rel=1e-12)


@pytest.mark.parametrize("kept", KEPT)
def test_every_metric_of_five_days_against_the_same_metric_asked_directly(states: Project, kept: str) -> None:
    merged, direct = by_device(states, f"{kept}_of_days"), by_device(states, f"{kept}_directly")
    assert merged.keys() == direct.keys() == {*DEVICES}
    for device, row in direct.items():
        assert row.keys() == merged[device].keys()
        for name, value in row.items():
            if name != "n":
                assert value is not None
                assert merged[device][name] == pytest.approx(value, rel=1e-12), name
        # n counts the rows that are read: of a state of scores, those of the state
        assert merged[device]["n"] == row["n"] or kept == "scores"


def binned(rows: pd.DataFrame) -> pd.Series:
    """The bin of each row as numpy finds it among the edges."""
    return pd.Series(np.searchsorted(np.arange(1, 20) / 20, rows["pctr"], side="right"), rows.index)


def calibration_error(rows: pd.DataFrame) -> float:
    """What is wrong with the bins, by the rows in them."""
    return float((rows["clicked"] - rows["pctr"]).groupby(binned(rows)).sum().abs().sum() / len(rows))


OF_SCORES: dict[str, Value] = {
    "auc": lambda d: sk.roc_auc_score(d["clicked"], binned(d)),
    "ece": calibration_error,
    "log_loss": lambda d: sk.log_loss(d["clicked"], d["pctr"]),
    "brier": lambda d: sk.brier_score_loss(d["clicked"], d["pctr"]),
    "copc": lambda d: float(d["clicked"].sum() / d["pctr"].sum()),
    "pcoc": lambda d: float(d["pctr"].sum() / d["clicked"].sum()),
}
OF_ERRORS: dict[str, Value] = {
    "mae": lambda d: sk.mean_absolute_error(d["y"], d["y_hat"]),
    "rmse": lambda d: sk.root_mean_squared_error(d["y"], d["y_hat"]),
    "rmsle": lambda d: sk.root_mean_squared_log_error(d["y"], d["y_hat"]),
    "mape": lambda d: 100 * sk.mean_absolute_percentage_error(d["y"], d["y_hat"]),
    "pinball": lambda d: sk.mean_pinball_loss(d["y"], d["y_hat"], alpha=0.5),
}


@pytest.mark.parametrize(("model", "values"), [("sure_scores", OF_SCORES), ("sure_errors", OF_ERRORS)])
def test_intervals_of_five_days_without_the_log(states: Project, model: str, values: dict[str, Value]) -> None:
    """Twenty buckets of users left out in turn, of days that were built one by one."""
    log = make_log()
    found = by_device(states, model)
    assert found.keys() == {*DEVICES}
    for device, row in found.items():
        part = log[log["device"].isna()] if device is None else log[log["device"] == device]
        held = part["user_id"].map(lambda user: jackknife_bucket(user, 20)).nunique()
        for name, value in values.items():
            assert row[name] == pytest.approx(value(part), rel=1e-12)
            assert row[f"{name}_se"] == pytest.approx(jackknife(part, value, 20), rel=1e-8, abs=1e-12), name
            reach = stats.t(held - 1).ppf(0.975) * row[f"{name}_se"]
            assert row[f"{name}_low"] == pytest.approx(max(row[name] - reach, 0), rel=1e-3, abs=1e-12)


def test_a_state_without_buckets_is_not_asked_for_confidence(states: Project) -> None:
    query = "select * from ({{ sqlmetrics.state_metrics(ref('state'), confidence=0.95) }}) as sure"
    success, said, _ = states.invoke("--quiet", "show", "--inline", query)
    assert not success
    assert "is a state without buckets; build it with buckets=20" in said


@pytest.mark.parametrize("consumer", ["duckdb"], indirect=True)
def test_states_that_python_wrote_are_read_from_files(states: Project) -> None:
    """By whatever a source of dbt-duckdb reads files."""
    log, given = make_log(), {"label": "clicked", "score": "pctr", "by": ["day", "device"]}
    for day in DAYS:
        kept = sqlmetrics.state(log[log["day"] == day], buckets=20, cluster="user_id", **given)
        kept.to_parquet(states.folder / "data" / f"day-{day}.parquet")
    query = "{{ sqlmetrics.state_metrics(source('files', 'day'), by=['device'], confidence=0.95) }}"
    for row in states.rows(f"select * from ({query}) as sure"):
        part = log[log["device"].isna()] if row["device"] is None else log[log["device"] == row["device"]]
        assert row["n"] == len(part)
        assert row["auc"] == pytest.approx(sk.roc_auc_score(part["clicked"], part["pctr"]), abs=1e-12)
        assert row["auc_low"] < row["auc"] < row["auc_high"]
    query = "{{ sqlmetrics.metrics_of_state(source('files', 'day'), metrics='mae') }}"
    success, said, _ = states.invoke("--quiet", "show", "--inline", query)
    assert not success
    assert "was not made for what is asked: it has no column mae_sum" in said


def test_the_bins_of_a_state_are_those_of_the_metric(states: Project) -> None:
    binned = {device: row["ece"] for device, row in by_device(states, "from_state_binned").items()}
    direct = {device: row["ece_of_20"] for device, row in by_device(states, "scores_directly").items()}
    assert binned == pytest.approx(direct, rel=1e-12)


@pytest.mark.parametrize("consumer", ["duckdb", "postgres"], indirect=True)
def test_late_rows_under_every_strategy(states: Project) -> None:
    """Rows came late and scores were corrected, so bins have vanished; devices without a name are there once."""
    asked = "\nunion all\n".join(
        f"select '{name}' as strategy, month.* from ("
        f"\n{{{{ sqlmetrics.state_metrics(ref('{name}'), binned=true) }}}}\n) as month"
        for name in STRATEGIES
    )
    counted = "\nunion all\n".join(
        f"select '{name}' as strategy, count(*) as parts, count(distinct state_key) as keys, "
        f"sum(case when row_count = 0 then 1 else 0 end) as vanished from {{{{ ref('{name}') }}}}"
        for name in STRATEGIES
    )
    log = make_log()
    found = states.rows(asked)
    assert {row["strategy"] for row in found} == {*STRATEGIES}
    for row in found:
        assert row["n"] == len(log)
        assert row["auc"] == pytest.approx(OF_SCORES["auc"](log), rel=1e-12)
        assert row["ece"] == pytest.approx(calibration_error(log), rel=1e-12)
        assert row["log_loss"] == pytest.approx(sk.log_loss(log["clicked"], log["pctr"]), rel=1e-12)
    for row in states.rows(counted):
        assert row["parts"] == row["keys"]
        assert row["vanished"] > 0


def asked(project: Project, call: str) -> tuple[bool, str]:
    """Whether dbt answers a reader of a state, and what it says."""
    query = f"select * from (\n{{{{ sqlmetrics.{call} }}}}\n) as asked"
    success, said, _ = project.invoke("--quiet", "show", "--inline", query)
    return success, said


@pytest.mark.parametrize("consumer", ["duckdb", "postgres"], indirect=True)
def test_values_that_break_a_rule_end_a_model_and_a_state(states: Project) -> None:
    """Labels of 0 and 2 have no AUC, whoever asks for it."""
    of_labels = "ref('impressions'), label='= 2 * clicked', score='pctr'"
    for call in (
        f"evaluate({of_labels}, metrics=['auc'])",
        f"auc({of_labels})",
        f"metric_state({of_labels}, metrics=['accuracy'])",
        f"score_state({of_labels})",
        "log_loss(ref('impressions'), label='clicked', score='= pctr + 3')",
    ):
        success, said = asked(states, call)
        assert not success, call
        assert re.search(r"label: 2(\.0)? is neither 0 nor 1|score: \S+ is outside \[0, 1\]", said), said


def run_anew(project: Project, model: str, variables: list[str]) -> None:
    """An incremental model, one run after the other, without the rows that other tests have put into it."""
    for number, values in enumerate(variables):
        refresh = ["--full-refresh"] if number == 0 else []
        project.run("run", *refresh, "--select", model, "--vars", values)


def test_a_day_that_was_appended_twice_is_refused(states: Project) -> None:
    """An incremental model without a unique_key; its rows were added up twice without a word."""
    run_anew(states, "without_key", [f"{{day: '{day}'}}" for day in DAYS[:2]])
    call = "state_metrics(ref('without_key'), binned=true, by=['day'])"
    log = make_log()
    rows = states.rows(f"select day, n from ({{{{ sqlmetrics.{call} }}}}) as asked")
    assert {str(row["day"])[:10]: row["n"] for row in rows} == {day: len(log[log["day"] == day]) for day in DAYS[:2]}
    states.run("run", "--select", "without_key", "--vars", f"{{day: '{DAYS[1]}'}}")
    success, said = asked(states, call)
    assert not success
    assert re.search(
        r"state_metrics: (\d+) rows but (\d+) distinct state_key: .* set unique_key='state_key' with ", said
    )


@pytest.mark.parametrize("consumer", ["duckdb", "postgres"], indirect=True)
def test_a_metric_is_added_to_a_state(states: Project) -> None:
    """The others are read on; the new one where it is there."""
    variables = [f"{{day: '{day}', with_brier: {str(day == DAYS[2]).lower()}}}" for day in DAYS[:3]]
    run_anew(states, "with_another_metric", variables)
    log = make_log()
    (row,) = states.rows("{{ sqlmetrics.metrics_of_state(ref('with_another_metric'), ['copc']) }}")
    part = log[log["day"] <= DAYS[2]]
    assert row["n"] == len(part)
    assert row["copc"] == pytest.approx(part["clicked"].sum() / part["pctr"].sum(), rel=1e-12)
    success, said = asked(states, "metrics_of_state(ref('with_another_metric'), ['copc', 'brier'])")
    assert not success
    assert "the state was not made for brier = brier() in " in said
    where = f"day = cast('{DAYS[2]}' as date)"
    call = f"metrics_of_state(ref('with_another_metric'), ['copc', 'brier'], where=\"{where}\")"
    (row,) = states.rows("{{ sqlmetrics." + call + " }}")
    part = log[log["day"] == DAYS[2]]
    assert row["brier"] == pytest.approx(sk.brier_score_loss(part["clicked"], part["pctr"]), rel=1e-12)


@pytest.mark.parametrize("consumer", ["duckdb", "postgres"], indirect=True)
def test_parts_that_stay_are_warned_of(states: Project) -> None:
    """Where rows are replaced by a key, and the state as it was is not given."""
    warned = {}
    for model in ("state_binned", "late_by_day"):
        _, said, _ = states.invoke("run", "--select", model, "--vars", f"{{day: '{DAYS[0]}', all_has_come: true}}")
        warned[model] = "keeps the parts of rows that the log no longer has" in said
    assert warned == {"state_binned": True, "late_by_day": False}


def test_what_a_state_was_not_made_for(states: Project) -> None:
    """The engine ends the statement where the settings are in the rows; dbt does where a column is missing."""
    for call, words in [
        ("state_metrics(ref('state_binned'))", "the state has bins; give binned=true"),
        ("metrics_of_state(ref('clicks_by_day'), [{'name': 'precision', 'threshold': 0.9}])", "not made for precision"),
        ("metrics_of_state(ref('clicks_by_day'), ['mae'])", "was not made for what is asked: it has no column mae_sum"),
        ("state_metrics(ref('impressions'))", "is no state of this version of the package"),
    ]:
        success, said = asked(states, call)
        assert not success
        assert words in said
