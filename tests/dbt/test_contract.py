"""The contract of a call: what it says of each column is what an engine gives."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
import yaml
from click.testing import CliRunner

from sqlmetrics.api import plan_of_render
from sqlmetrics.catalogue import RELATIONS, ROLES, builtin_catalogue
from sqlmetrics.cli import main
from sqlmetrics.dbt_contract import contract
from sqlmetrics.planning import INTERVALS
from sqlmetrics.rendering import render_plan
from sqlmetrics.specification import metric_specs
from tests.data import arrow, sample
from tests.engines.servers import ENGINES
from tests.variants import Call, calls

CALLS = [call for call in calls() if not call.table]
NOTHING: dict[str, Any] = dict.fromkeys([*ROLES, *RELATIONS, *INTERVALS])


def plan_of(call: Call, dialect: str, **more: Any) -> Any:
    relations = {name: name for name in call.arguments() if name in call.relations(call.roles)}
    given = {**NOTHING, **call.roles, **relations, "anytime": False, **more}
    return plan_of_render(metric_specs(call.specs), relation="log", dialect=dialect, **given)


def columns_of(text: str) -> dict[str, str]:
    [model] = yaml.safe_load(text)["models"]
    assert model["config"] == {"contract": {"enforced": True}}
    return {column["name"]: column["data_type"] for column in model["columns"]}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_every_metric_has_its_type(call: Call) -> None:
    with duckdb.connect() as con:
        con.register("log", sample(call.kind))
        for name, relation in call.relations(call.roles).items():
            con.register(name, relation)
        for more in ({}, {"by": [[], ["country", "device"]]}):
            plan = plan_of(call, "duckdb", **more)
            found = con.sql(f"describe {render_plan(builtin_catalogue(), 'duckdb', plan)}").fetchall()
            assert {name: kind.lower() for name, kind, *_ in found} == columns_of(contract(plan, "duckdb", {}))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["postgres", "spark"])
def test_on_other_adapters(name: str) -> None:
    """With intervals, of several models; PostgreSQL and Spark have other words for these types than dbt takes."""
    same = {"double precision": "float8", "bigint": "int8"} if name == "postgres" else {}
    call = next(one for one in CALLS if one.kind == "labels")
    with ENGINES[name]({"log": arrow(sample(call.kind))}) as engine:
        plan = plan_of(call, name, by=["device"], confidence=0.9, standard_error=True)
        found = engine.columns(render_plan(builtin_catalogue(), name, plan))
        expected = columns_of(contract(plan, name, {}))
    assert {column: kind.lower() for column, kind in found.items()} == {
        column: same.get(kind, kind) for column, kind in expected.items()
    }


def test_names_that_want_quotes() -> None:
    """dbt makes the table first, of names that it quotes where the contract says so, and fills it."""
    names = ["order = country", "Device = device", "plain = device"]
    call = next(one for one in CALLS if one.kind == "labels")
    plan = plan_of(call, "duckdb", by=[[], names])
    [model] = yaml.safe_load(contract(plan, "duckdb", {}))["models"]
    assert [one["name"] for one in model["columns"] if one.get("quote")] == ["grouping", "order", "Device"]
    columns = [f'"{one["name"]}"' if one.get("quote") else one["name"] for one in model["columns"]]
    types = [one["data_type"] for one in model["columns"]]
    statement = render_plan(builtin_catalogue(), "duckdb", plan)
    with duckdb.connect() as con:
        con.register("log", sample(call.kind))
        con.execute(f"create table made ({', '.join(map(' '.join, zip(columns, types, strict=True)))})")
        con.execute(f"insert into made ({', '.join(columns)}) {statement}")
        assert con.sql("describe made").fetchall() == con.sql(f"describe {statement}").fetchall()
        assert con.sql('select count("order") from made').fetchall() != [(0,)]


def test_on_the_shell() -> None:
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
