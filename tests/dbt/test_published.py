"""The published projects build: the example project, the project of the dbt page, and the Python package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from sklearn import metrics as sk

from sqlmetrics.catalogue.front_matter import sql_root
from tests import ROOT
from tests.dbt.hosting import add_metric_file, dbt, make_project, require_adapter

pytestmark = pytest.mark.slow
_EXAMPLES = ROOT / "examples"
#: A call on the dbt page, and the table after it.
_CALL = re.compile(r"```(sql|yaml)\n(?:--|#) models/(\S+)\n(.*?)```\n(?:\n(\|.*?)\n\n)?", re.DOTALL)
_LOG = "{{ config(event_time='day') }}\nselect * from 'impressions.parquet'\n"
_WITH_LATE_ROWS = """select * from {{ ref('impressions') }} union all (
    select * from {{ ref('impressions') }} where day = date '2026-03-03' order by session_id, position limit 12
)
"""


def test_example_project_builds_and_fails_where_models_decay(tmp_path: Path) -> None:
    """The models of states match the log. In the second build only phones decay, on the last day of the month."""
    require_adapter("duckdb")
    shutil.copy(_EXAMPLES / "impressions.parquet", tmp_path)
    ignored = shutil.ignore_patterns(".venv", "dbt_packages", "target", "logs", "*.duckdb")
    project = tmp_path / "dbt_project"
    shutil.copytree(_EXAMPLES / "dbt_project", project, ignore=ignored)
    packages = project / "packages.yml"
    (package,) = yaml.safe_load(packages.read_text(encoding="utf-8"))["packages"]
    assert (_EXAMPLES / "dbt_project" / package["local"]).resolve() == sql_root().resolve()
    packages.write_text(yaml.safe_dump({"packages": [{"local": str(sql_root())}]}), encoding="utf-8")
    installed, empty, done = dbt(project, "deps", "build --empty", "build --full-refresh")
    assert installed.success, installed.output
    assert "PASS=20 WARN=0 ERROR=0" in empty.output, empty.output
    assert done.success, done.output
    assert "Warning in test calibrated_on_every_device (models/schema.yml)" in done.output
    assert "PASS=19 WARN=1 ERROR=0" in done.output
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
    later = "--vars '{live: pctr_late, decays_on: 2026-03-30, late_rows: true}'"
    done, alerted = dbt(project, f"build {later}", f"run --select alerts {later}")
    assert not done.success
    assert alerted.success, alerted.output
    # The results of a bad day are built in spite of its failures.
    assert "PASS=15 WARN=2 ERROR=3 SKIP=0" in done.output
    with duckdb.connect(str(project / "click_models.duckdb"), read_only=True) as con:
        alerts = con.sql("select * from alerts").df()
        [[auc]] = con.sql("select auc from scorecard where grouping = 'overall'").fetchall()
        log = con.sql("select clicked, pctr_late from impressions").df()
        [[last]] = con.sql("select n from month_from_scores where device = 'phone'").fetchall()
    assert auc == pytest.approx(sk.roc_auc_score(log["clicked"], log["pctr_late"]), rel=1e-12)
    assert last == (clicks["device"] == "phone").sum()
    assert {"auc_is_high_enough_every_day", "auc_is_not_falling_on_any_device"} <= set(alerts["test"])
    [late] = alerts[alerts["test"] == "no_rows_came_too_late"].to_dict("records")
    assert (late["slice"], late["bound"] - late["value"]) == ("day=2026-03-01", 40)
    for name, count in [
        ("auc_is_high_enough_every_day (models/schema.yml)", 7),
        ("live_model_beats_the_champion_on_every_device (models/schema.yml)", None),
        ("auc_is_not_falling_on_any_device (models/month/schema.yml)", 1),
    ]:
        failure = done.output.partition(f"Failure in test {name}")[2]
        assert failure, name
        if count:
            assert f"Got {count} result{'s' * (count > 1)}, configured to fail if != 0" in failure[:200]


def is_shown(cells: list[str], row: tuple[Any, ...]) -> bool:
    """Whether a row has the values of a table on the page, to the same number of digits."""
    texts = []
    for cell, value in zip(cells, row, strict=True):
        digits = len(cell.partition(".")[2])
        texts.append("NULL" if value is None else f"{value:.{digits}f}" if isinstance(value, float) else str(value))
    return [cell.lower() for cell in cells] == [text.lower() for text in texts]


def test_project_of_page_has_its_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the example log: the rows of models, and the stored failures of tests."""
    require_adapter("duckdb")
    project = make_project(tmp_path / "project", {"type": "duckdb", "path": str(tmp_path / "page.duckdb")})
    (project / "models").mkdir()
    shutil.copy(ROOT / "examples" / "impressions.parquet", project)
    models = {"impressions": _LOG, "impressions_of_today": _WITH_LATE_ROWS}
    tests: dict[str, list[dict[str, Any]]] = {}
    outputs: dict[str, str] = {}
    severities: dict[str, str] = {}
    for language, name, text, table in _CALL.findall((ROOT / "sql" / "README.md").read_text(encoding="utf-8")):
        if language == "sql":
            models[name.removesuffix(".sql")] = text
            outputs |= {f"main.{name.removesuffix('.sql')}": table} if table else {}
        else:
            [model] = yaml.safe_load(text)["models"]
            [test] = model["data_tests"]
            tests.setdefault(model["name"], []).append(test)
            [content] = test.values()
            severities[content["name"]] = content.get("config", {}).get("severity", "fail")
            outputs[f"main_dbt_test__audit.{content['name']}"] = table
    assert len(outputs) == 21
    for name, text in models.items():
        (project / "models" / f"{name}.sql").write_text(text, encoding="utf-8")
    properties = {"models": [{"name": name, "data_tests": entries} for name, entries in tests.items()]}
    (project / "models" / "schema.yml").write_text(yaml.safe_dump(properties), encoding="utf-8")
    with (project / "dbt_project.yml").open("a", encoding="utf-8") as settings:
        settings.write("data_tests:\n  +store_failures: true\n")
    metric_file = add_metric_file(project)
    # Without an end, dbt builds a batch for every day up to today.
    days = "--event-time-start 2026-03-01 --event-time-end 2026-03-09"
    built, after = dbt(project, f"build {days} --exclude tag:after_tests", "run --select tag:after_tests")
    assert after.success, after.output
    statuses = {name: status for name, (status, _) in (built.results | after.results).items()}
    assert statuses == dict.fromkeys([*models], "success") | severities, built.output
    monkeypatch.chdir(project)
    with duckdb.connect(str(tmp_path / "page.duckdb"), read_only=True) as con:
        for relation, table in outputs.items():
            header, _, *lines = ([cell.strip() for cell in line.strip("|").split(" | ")] for line in table.split("\n"))
            columns = ", ".join(f'"{name}"' for name in header)
            rows = con.execute(f"select {columns} from {relation}").fetchall()
            assert all(any(is_shown(cells, row) for row in rows) for cells in lines), (relation, rows)
            assert lines
            assert len(lines) == len(rows) or relation.startswith("main."), relation
    metric_file.unlink()
    registry = metric_file.with_name("sqlmetrics_own_metrics.sql")
    text = registry.read_text(encoding="utf-8").replace('"lift_at_threshold": {', '"copc": {},\n"lift_at_threshold": {')
    registry.write_text(text, encoding="utf-8")
    [done] = dbt(project, "run --select lift_by_device scorecard")
    assert "there is no macro lift_at_threshold__value; put the metric file" in done.results["lift_by_device"][1]
    assert "the package has a metric 'copc' too; rename yours" in done.results["scorecard"][1]


def test_installed_python_package_has_dbt_package(tmp_path: Path) -> None:
    """`dbt-path` prints the folder of the dbt package; tests/project finds its files in the wheel."""
    package = tmp_path / "sqlmetrics"
    shutil.copytree(ROOT / "sqlmetrics", package)
    shutil.copytree(ROOT / "sql", package / "_sql")
    command = [sys.executable, "-m", "sqlmetrics", "dbt-path"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    printed = subprocess.check_output(command, cwd=tmp_path, env=environment, text=True, timeout=100)
    assert printed.strip() == str(package / "_sql")
