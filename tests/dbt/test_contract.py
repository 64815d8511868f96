"""The contract of a call gives the type of each column as engines return it."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
import yaml
from click.testing import CliRunner

from sqlmetrics.api import plan_of_render
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.catalogue.vocabulary import RELATIONS, ROLES
from sqlmetrics.cli.main import main
from sqlmetrics.integrations.dbt_contract import contract
from sqlmetrics.planning.metric_spec import metric_specs
from sqlmetrics.planning.plan import INTERVALS
from sqlmetrics.planning.planner import render_plan
from tests.data import arrow, sample
from tests.engines.servers import ENGINES
from tests.parameters import slow
from tests.variants import Call, calls

CALLS = [call for call in calls() if not call.table]
LABELS = next(call for call in CALLS if call.kind == "labels")
#: Spark plans the statement of all metrics for minutes.
FEW = LABELS.of([asked for asked in LABELS.asked if asked.metric.name in ("auc", "log_loss", "f1", "ks")])
NOTHING: dict[str, Any] = dict.fromkeys([*ROLES, *RELATIONS, *INTERVALS])


def plan_of(call: Call, dialect: str, **more: Any) -> Any:
    relations = {name: name for name in call.arguments() if name in call.relations(call.roles)}
    given = {**NOTHING, **call.roles, **relations, **more}
    return plan_of_render({"metrics": metric_specs(call.specs), "relation": "log", "dialect": dialect, **given})


def columns_of(text: str) -> dict[str, str]:
    [model] = yaml.safe_load(text)["models"]
    assert model["config"] == {"contract": {"enforced": True}}
    return {column["name"]: column["data_type"] for column in model["columns"]}


@pytest.mark.parametrize("calls", [[FEW], *slow(CALLS)], ids=["few", "all"])
def test_contract_has_type_of_every_metric(calls: list[Call]) -> None:
    for call in calls:
        plan = plan_of(call, "duckdb", by=[[], ["country", "device"]])
        with duckdb.connect() as con:
            con.register("log", sample(call.kind))
            for name, relation in call.relations(call.roles).items():
                con.register(name, relation)
            columns = con.sql(f"describe {render_plan(builtin_catalogue(), 'duckdb', plan)}").fetchall()
        assert {name: kind.lower() for name, kind, *_ in columns} == columns_of(contract(plan, "duckdb", {}))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["postgres", "spark"])
def test_contract_on_other_adapters(name: str) -> None:
    """dbt accepts other names of these types than PostgreSQL reports."""
    names = {"double precision": "float8", "bigint": "int8"} if name == "postgres" else {}
    with ENGINES[name]({"log": arrow(sample(LABELS.kind))}) as engine:
        plan = plan_of(FEW, name, by=["device"], confidence=0.9, standard_error=True)
        columns = engine.columns(render_plan(builtin_catalogue(), name, plan))
        expected = columns_of(contract(plan, name, {}))
    assert {column: kind.lower() for column, kind in columns.items()} == {
        column: names.get(kind, kind) for column, kind in expected.items()
    }


def test_contract_quotes_names() -> None:
    """dbt first creates a table of the columns in the contract, and then fills it."""
    slices = ["order = country", "Device = device", "plain = device"]
    plan = plan_of(FEW, "duckdb", by=[[], slices])
    [model] = yaml.safe_load(contract(plan, "duckdb", {}))["models"]
    assert [column["name"] for column in model["columns"] if column.get("quote")] == ["grouping", "order", "Device"]
    names = [f'"{column["name"]}"' if column.get("quote") else column["name"] for column in model["columns"]]
    types = [column["data_type"] for column in model["columns"]]
    statement = render_plan(builtin_catalogue(), "duckdb", plan)
    with duckdb.connect() as con:
        con.register("log", sample(LABELS.kind))
        con.execute(f"create table model ({', '.join(map(' '.join, zip(names, types, strict=True)))})")
        con.execute(f"insert into model ({', '.join(names)}) {statement}")
        assert con.sql("describe model").fetchall() == con.sql(f"describe {statement}").fetchall()
        assert con.sql('select count("order") from model').fetchall() != [(0,)]


def test_dbt_contract_on_shell() -> None:
    command = ["dbt-contract", "auc", "--relation", "log", "--label", "y", "--score", "a,b", "--by", "day"]
    done = CliRunner().invoke(main, [*command, "--type", "day=date", "--dialect", "bigquery", "--confidence", "0.9"])
    assert done.exit_code == 0
    assert columns_of(done.output) == {
        "day": "date", "model": "string", "n": "int64", "auc": "float64", "auc_low": "float64", "auc_high": "float64",
    }  # fmt: skip
    for further, words in [
        (["--type", "dey=date"], "error: --type dey: there is no such slice (did you mean 'day'?)\n"),
        (["--type", "day"], "error: --type day: give the type behind an equals sign, as in day=date\n"),
        (["--dialect", "clickhouse"], "error: there is no contract for clickhouse"),
        (["-m", "roc_curve"], "error: "),
    ]:
        done = CliRunner().invoke(main, [*command, *further])
        assert done.exit_code == 2
        assert done.output.startswith(words)
    table = CliRunner().invoke(main, ["dbt-contract", "roc_curve", "--relation", "l", "--label", "y", "--score", "p"])
    assert table.output.startswith("error: roc_curve is a table, whose columns have the types of the data")
