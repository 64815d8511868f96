"""The example project, built as its README says."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest
import yaml
from sklearn import metrics as sk

from sqlmetrics.catalogue.front_matter import sql_root
from tests import ROOT
from tests.dbt.hosting import dbt, require_adapter

pytestmark = pytest.mark.slow
_EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_adapter("duckdb")
    folder = tmp_path_factory.mktemp("example")
    shutil.copy(_EXAMPLES / "impressions.parquet", folder)
    ignored = shutil.ignore_patterns(".venv", "dbt_packages", "target", "logs", "*.duckdb")
    shutil.copytree(_EXAMPLES / "dbt_project", folder / "dbt_project", ignore=ignored)
    packages = folder / "dbt_project" / "packages.yml"
    (package,) = yaml.safe_load(packages.read_text(encoding="utf-8"))["packages"]
    assert (_EXAMPLES / "dbt_project" / package["local"]).resolve() == sql_root().resolve()
    packages.write_text(yaml.safe_dump({"packages": [{"local": str(sql_root())}]}), encoding="utf-8")
    done = dbt(folder / "dbt_project", "deps")
    assert done.returncode == 0, done.stdout
    return folder / "dbt_project"


def test_example_project_builds(project: Path) -> None:
    """The models of states match the log."""
    done = dbt(project, "build")
    assert done.returncode == 0, done.stdout
    assert "Warning in test calibrated_on_every_device (models/schema.yml)" in done.stdout
    assert "PASS=15 WARN=1 ERROR=0" in done.stdout
    with duckdb.connect(str(project / "click_models.duckdb"), read_only=True) as con:
        clicks = con.sql("select * from clicks").df()
        month = con.sql("select * from month_from_scores order by device").df()
        weeks = con.sql("select * from weeks_from_sums order by week, device").df()
        trend = con.sql("select * from auc_trend where falling and day = date '2026-03-30'").df()
    for row in month.to_dict("records"):
        rows = clicks[clicks["device"] == row["device"]]
        assert row["auc_lower"] <= sk.roc_auc_score(rows["clicked"], rows["pctr"]) <= row["auc_upper"]
        assert row["auc_low"] < row["auc"] < row["auc_high"]
    losses = [sk.log_loss(rows["clicked"], rows["pctr"]) for _, rows in
              clicks.groupby([clicks["day"].dt.to_period("W").dt.start_time, "device"])]  # fmt: skip
    assert weeks["log_loss"].tolist() == pytest.approx(losses, abs=0.5001e-6)
    assert trend.empty


def test_decayed_models_fail_build(project: Path) -> None:
    """Phones alone decay, on the last day of the month."""
    done = dbt(project, "build", "--vars", "{live: pctr_late, decays_on: 2026-03-30}")
    assert done.returncode == 1
    for name, count in [
        ("auc_is_high_enough_every_day (models/schema.yml)", 7),
        ("live_model_beats_the_champion_on_every_device (models/schema.yml)", None),
        ("auc_is_not_falling_on_any_device (models/month/schema.yml)", 1),
    ]:
        failure = done.stdout.partition(f"Failure in test {name}")[2]
        assert failure, name
        if count:
            assert f"Got {count} result{'s' * (count > 1)}, configured to fail if != 0" in failure[:200]
