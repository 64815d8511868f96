"""A small table of states, a day at a time, against the metrics of the whole log."""

from __future__ import annotations

import pytest
from sklearn import metrics as sk

from tests.dbt.consumer import DAYS, KEPT, build_days, by_device
from tests.dbt.hosting import Project
from tests.dbt.oracles import DEVICES, make_log

pytestmark = pytest.mark.full


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


def test_the_bins_of_a_state_are_those_of_the_metric(states: Project) -> None:
    binned = {device: row["ece"] for device, row in by_device(states, "from_state_binned").items()}
    direct = {device: row["ece_of_20"] for device, row in by_device(states, "scores_directly").items()}
    assert binned == pytest.approx(direct, rel=1e-12)
