"""A small table of states, a day at a time, against the metrics of the whole log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sklearn import metrics as sk

from tests.dbt.hosting import dbt_commands, engine, make_project
from tests.dbt.oracles import DEVICES, make_log
from tests.dbt.test_consumer import _SOURCE, ENGINES, fill, rows_of

DAYS = [f"2026-01-0{day}" for day in range(1, 6)]
_STATES = ["--select", "state", "state_binned"]


@pytest.fixture(scope="module", params=ENGINES)
def states(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The states of five days, built one at a time, the third day twice."""
    folder = tmp_path_factory.mktemp(request.param)
    with engine(request.param, folder) as output:
        project = make_project(folder / "project", {request.param: output}, _SOURCE)
        fill(project, examples=None)
        commands = [["run", *_STATES, "--vars", f"{{day: '{day}'}}"] for day in [*DAYS, DAYS[2]]]
        views = ["run", "--select", "from_state", "from_state_binned", "from_three_days"]
        before = [["seed", "--select", "impressions_seed"], ["run", "--select", "impressions"]]
        done = dbt_commands(project, *before, *commands, views)
        assert done.returncode == 0, done.stdout
        yield project


def test_a_day_built_again_replaces_itself(states: Path) -> None:
    rows = rows_of(states, "select day, sum(row_count) as n from {{ ref('state') }} group by day")
    log = make_log()
    assert {str(row["day"])[:10]: int(row["n"]) for row in rows} == log.groupby("day").size().to_dict()


def test_five_days_against_the_whole_log(states: Path) -> None:
    exact = {row["device"]: row for row in rows_of(states, "select * from {{ ref('from_state') }}")}
    binned = {row["device"]: row for row in rows_of(states, "select * from {{ ref('from_state_binned') }}")}
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


def test_any_range_of_days(states: Path) -> None:
    (row,) = rows_of(states, "select * from {{ ref('from_three_days') }}")
    log = make_log()
    part = log[log["day"].between(DAYS[1], DAYS[3])]
    assert row["n"] == len(part)
    assert row["auc_lower"] <= sk.roc_auc_score(part["clicked"], part["pctr"]) <= row["auc_upper"]
    assert row["log_loss"] == pytest.approx(sk.log_loss(part["clicked"], part["pctr"]), rel=1e-12)
