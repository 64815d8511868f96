"""The next build meets the contract that dbt prints for a model of each macro."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.codegen.dbt_package import COLUMNS, RESULTS
from tests.dbt.consumer import Consumer, call_of_macro
from tests.dbt.hosting import dbt

_CLICKS = {"label": "clicked", "score": "pctr"}
_SURE: dict[str, Any] = {"by": ["device"], "confidence": 0.9, "cluster": "user_id"}
_TWO_DAYS = {"current": "day = cast('2026-01-05' as date)", "reference": "day = cast('2026-01-04' as date)"}
#: A model of each macro over `impressions`, or over a state.
MODELS: dict[str, dict[str, Any]] = {
    "evaluate": {"metrics": ["auc", "ndcg@5", {"name": "ece", "bins": 20, "as": "ece_20"}], **_CLICKS, **_SURE,
                 "group": "user_id", "score": ["pctr", "pctr_b"], "by": [[], ["order = device", "Device = day"]],
                 "standard_error": True, "diagnostics": True},
    "r2": {**_CLICKS, "by": ["day"]},
    "roc_curve": {**_CLICKS, **_SURE},
    "compare": {"metrics": "auc", **_CLICKS, **_SURE, "score": ["pctr", "pctr_b"]},
    "gaps": {"metrics": "equalized_odds", **_CLICKS, **_SURE},
    "metric_trend": {"metric": "auc", "time": "day", **_CLICKS, **_SURE},
    "drift": {"columns": "pctr", "categories": "device", "by": [["day"], []], "against": "impressions"},
    "score_state": {**_CLICKS, "by": ["day"], "bins": 20, "buckets": 20, "cluster": "user_id"},
    "metric_state": {"metrics": "mae", **_CLICKS, "by": ["day"]},
    "state_metrics": {"relation": "state_binned", "binned": True, "by": ["device"], "confidence": 0.9},
    "metrics_of_state": {"relation": "clicks_by_day", "metrics": ["f1", "copc"], "by": ["device"]},
}  # fmt: skip
_OF_STATES = "{{ config(materialized='incremental', unique_key='state_key') }}\n"


def text_of_model(macro: str) -> str:
    call = call_of_macro(macro, {"relation": "impressions", **MODELS[macro]})
    call = re.sub(r'(relation|against)=("\w+")', r"\1=ref(\2)", call)
    return _OF_STATES + call if macro in ("score_state", "metric_state") else call


@pytest.mark.slow
@pytest.mark.parametrize("consumer", ["duckdb"], indirect=True)
def test_contract_of_each_macro_holds(consumer: Consumer, tmp_path: Path) -> None:
    """The project is a copy, because the contract applies to its models only."""
    project = tmp_path / "project"
    shutil.copytree(consumer.folder, project, symlinks=True)
    folder = project / "models" / "with_contract"
    folder.mkdir()
    names = {macro: f"model_of_{macro}" for macro in MODELS}
    for macro, name in names.items():
        (folder / f"{name}.sql").write_text(text_of_model(macro), encoding="utf-8")
    operation = "--quiet run-operation sqlmetrics.contract --args"
    built, printed, unknown, unbuilt = dbt(
        project,
        "run --select path:models/with_contract",
        f"{operation} '{{model: [{', '.join(names.values())}]}}'",
        f"{operation} '{{model: model_of_gabs}}'",
        f"{operation} '{{model: no_state}}'",
    )
    assert built.success, built.output
    assert "there is no model 'model_of_gabs' (did you mean 'model_of_gaps'?)" in unknown.output
    assert "the model no_state is not built; run dbt run --select no_state first" in unbuilt.output
    content = yaml.safe_load(printed.output)
    models = {model["name"]: model for model in content["models"]}
    assert all(model["description"] for model in models.values())
    columns = {name: {column["name"]: column for column in model["columns"]} for name, model in models.items()}
    evaluated = columns["model_of_evaluate"]
    assert [name for name, column in evaluated.items() if column.get("quote")] == ["grouping", "order", "Device"]
    titles = {"auc": "auc", "ndcg_at_5": "ndcg", "ece_20": "ece"}
    for name, metric in titles.items():
        assert evaluated[name]["description"].startswith(builtin_catalogue().metrics[metric].title)
        assert f"`{name}`" in evaluated[f"{name}_low"]["description"]
    bare = {name for entries in columns.values() for name, column in entries.items() if "description" not in column}
    assert bare == {"order", "Device", "device", "day", "mae_sum"}
    columns["model_of_r2"]["r2"]["data_type"] = "date"
    (folder / "schema.yml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    [again] = dbt(project, "run --select path:models/with_contract")
    failed = {name: message for name, (status, message) in again.results.items() if status != "success"}
    assert failed.keys() == {"model_of_r2"}, again.output
    assert re.search(r"r2\W.*(?i:double|float).*(?i:date)", failed["model_of_r2"]), failed


def test_every_column_has_a_description() -> None:
    """The columns of results without slices and sums, and those of tables."""
    texts = {*COLUMNS, *builtin_catalogue().metrics}
    named = {name for text in RESULTS.values() for name in re.findall(r"\w+", re.sub(r"\w*\{\w+\}\w*", "", text))}
    named |= {name for metric in builtin_catalogue().metrics.values() if metric.table for name in metric.columns}
    ends = tuple(name.strip("*") for name in COLUMNS if name.startswith("*"))
    assert {name for name in named if not name.endswith(ends)} <= texts
    assert not COLUMNS.keys() & builtin_catalogue().metrics.keys()
