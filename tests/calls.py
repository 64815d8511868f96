"""Helpers for calls: a plan, a run whose statements a test records, or a command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from click.testing import CliRunner, Result

from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.cli.main import main
from sqlmetrics.inputs.source import Executor
from sqlmetrics.planning.plan import Plan
from sqlmetrics.planning.planner import make_plan
from sqlmetrics.request import InputRelation, Request
from sqlmetrics.running.calls import run_function
from sqlmetrics.running.execute import fetch


def planned(
    metrics: Any,
    relation: str = "log",
    dialect: str = "duckdb",
    relations: Mapping[str, str] | None = None,
    **arguments: Any,
) -> Plan:
    """The plan of a call with the arguments of `render`; `relations` maps further relations and `against` to tables."""
    others = {name: InputRelation(table) for name, table in (relations or {}).items()}
    request = Request.of({**arguments, "metrics": metrics})
    data = InputRelation(relation, relation, dialect=dialect)
    return make_plan(builtin_catalogue(), request, data, others)


def run_call(data: Any, metrics: Any, execute: Executor = fetch, **arguments: Any) -> pd.DataFrame:
    """`evaluate` with a replacement for the function that executes statements."""
    result: pd.DataFrame = run_function("evaluate", {**arguments, "data": data, "metrics": metrics}, execute=execute)
    return result


def shell(*arguments: str, **options: Any) -> Result:
    """The result of a command in this process."""
    return CliRunner().invoke(main, arguments, prog_name="sqlmetrics", **options)
