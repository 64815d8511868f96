"""The semantic layer over a metric_state: dbt reads it, and its sums match the log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner

import sqlmetrics
from sqlmetrics.cli.main import main
from tests.dbt.hosting import dbt, make_project, require_adapter
from tests.statistics.test_state_settings import LOG

ROLES: dict[str, tuple[list[str], dict[str, Any]]] = {
    "clicks": (["copc", "log_loss", "brier", "precision", "recall(threshold=0.7)", "normalized_entropy", "g_mean"],
               {"label": "clicked", "score": "pctr"}),
    "errors": (["mae", "rmse", "wmape", "max_error", "smape"], {"label": "y", "score": "y_hat"}),
    "groups": (["ndcg@5", "mrr", "hit_rate@1"], {"label": "clicked", "score": "pctr", "group": "session"}),
}  # fmt: skip


def printed(*arguments: str) -> Any:
    done = CliRunner().invoke(main, ["dbt-semantics", *arguments])
    assert done.exit_code == 0, done.output
    return yaml.safe_load(done.output)


def metricflow_query(layer: dict[str, Any], relation: str, by: str) -> str:
    """The query of MetricFlow: sums of measures by a slice, and the expressions of the metrics over them."""
    [model] = layer["semantic_models"]
    kinds = {"sum": "sum(%s)", "max": "max(%s)", "count": "count(%s)", "count_distinct": "count(distinct %s)"}
    measures = [f"{kinds[one['agg']] % one['expr']} as {one['name']}" for one in model["measures"]]
    simple = {one["name"]: one["type_params"]["measure"] for one in layer["metrics"] if one["type"] == "simple"}
    assert sorted(simple.values()) == sorted(one["name"] for one in model["measures"])
    values = []
    for one in layer["metrics"]:
        if one["type"] == "derived":
            assert {entry["name"] for entry in one["type_params"]["metrics"]} <= set(simple)
            values.append(f"{one['type_params']['expr']} as {one['name']}")
    grouped = f"select {by}, {', '.join(measures)} from {relation} group by {by}"
    return f"select {by}, {', '.join(values)} from ({grouped}) as added order by {by} nulls last"


@pytest.mark.parametrize("kind", ROLES)
def test_semantic_layer_matches_log(kind: str) -> None:
    """Parts of other settings, duplicate parts and parts without a metric give NULL."""
    metrics, roles = ROLES[kind]
    by = "day" if kind == "groups" else "device"  # a session lies in one day
    state = sqlmetrics.state(LOG, metrics, **roles, by=["day"] if kind == "groups" else ["day", "device"])
    layer = printed(*metrics, "--model", "daily_sums", "--time", "day", "--by", "device")
    expected = sqlmetrics.evaluate(LOG, metrics, **roles, by=by).drop(columns="n")
    with duckdb.connect() as con:
        con.register("daily_sums", state)
        pd.testing.assert_frame_equal(con.sql(metricflow_query(layer, "daily_sums", by)).df(), expected, rtol=1e-12)
        for name, change in {
            "mixed": "* replace ('metric_state 3: other;' as made_with, 'other' || state_key as state_key)",
            "twice": "*",
            "lacking": "* replace ('other;' as made_for, 'other' || state_key as state_key)",
        }.items():
            con.execute(f"create table {name} as select * from daily_sums union all select {change} from daily_sums")
            assert con.sql(metricflow_query(layer, name, by)).df().drop(columns=by).isna().all().all()


def test_dbt_semantics_rejects_invalid_arguments() -> None:
    given = ["--model", "daily_sums", "--time", "day"]
    for arguments, message in [
        (["auc", *given], "error: auc cannot be added up from parts: it ranks or bins the scores, which a "),
        (["r2", *given], "error: r2 is more than sums of the parts, which is all that the layer adds up; "),
        (["macro_f1", *given], "error: macro_f1 is more than sums of the parts, which is all that the layer adds up; "),
        (["copc", "--model", "A", "--time", "day"], "error: --model: the semantic layer takes names of small letters"),
        (["copc", *given, "--by", "a b"], "error: --by: the semantic layer takes names"),
        (given, "error: name at least one metric"),
    ]:
        done = CliRunner().invoke(main, ["dbt-semantics", *arguments])
        assert done.exit_code == 2
        assert done.output.startswith(message)


@pytest.mark.slow
def test_dbt_reads_semantic_layer(tmp_path: Path) -> None:
    """dbt checks the semantic layer where it parses a project, and requires a time spine."""
    require_adapter("duckdb")
    project = make_project(tmp_path / "project", {"duckdb": {"type": "duckdb", "path": ":memory:"}})
    models = project / "models"
    models.mkdir()
    metrics = [*ROLES["clicks"][0], "mine = precision(threshold=0.9)"]
    call = f"metric_state('log', metrics={metrics}, label='clicked', score='pctr', by=['day', 'device'])"
    (models / "daily_sums.sql").write_text(f"{{{{ sqlmetrics.{call} }}}}\n", encoding="utf-8")
    (models / "time_spine.sql").write_text("{{ config(materialized='table') }}\nselect date '2026-03-01' as date_day\n")
    spine = {"models": [{"name": "time_spine", "time_spine": {"standard_granularity_column": "date_day"},
                         "columns": [{"name": "date_day", "granularity": "day"}]}]}  # fmt: skip
    (models / "time_spine.yml").write_text(yaml.safe_dump(spine))
    options = [part for metric in metrics for part in ("-m", metric)]
    layer = printed(*options, "--model", "daily_sums", "--time", "day", "--by", "device")
    (models / "semantics.yml").write_text(yaml.safe_dump(layer))
    done = dbt(project, "parse")
    assert done.returncode == 0, done.stdout
    manifest = yaml.safe_load((project / "target" / "semantic_manifest.json").read_text(encoding="utf-8"))
    assert {metric["name"] for metric in manifest["metrics"]} >= {"copc", "mine", "daily_sums_settings"}
