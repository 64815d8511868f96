"""dbt runs stored statements without validation: a value that breaks a rule must make the statement fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import sqlmetrics
from sqlmetrics.api import plan_of_render
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.catalogue.vocabulary import RELATIONS, ROLES
from sqlmetrics.engines import Engine
from sqlmetrics.planning.planner import render_plan
from sqlmetrics.tables import as_pandas
from tests.engines.servers import ENGINES
from tests.parameters import slow

LOG = pd.DataFrame({
    "clicked": [0.0, 1, 0, 1, 1, 0], "grade": [0.0, 3, 1, 2, 0, 1], "p": [0.1, 0.9, 0.3, 0.6, 0.4, 0.2],
    "price": [1.0, 2, 3, 4, 5, 6], "user_id": [1.0, 1, 1, 2, 2, 2], "w": [1.0, 2, 1, 1, 0, 1],
    "clicks": [1.0, 2, 0, 1, 3, 0], "views": [4.0, 2, 1, 5, 3, 2], "treated": [0.0, 1, 0, 1, 0, 1],
})  # fmt: skip
BINARY = {"label": "clicked", "score": "p"}
#: A metric, its roles, the column to break, a value that breaks it, and the role in the message.
BROKEN: list[tuple[str, dict[str, str], str, float, str]] = [
    ("auc", BINARY, "clicked", 4, "label"),
    ("log_loss", BINARY, "p", 3.6, "score"),
    ("copc", BINARY, "p", -0.5, "score"),
    ("f1", BINARY | {"weight": "w"}, "w", -1, "weight"),
    ("gauc", BINARY | {"group": "user_id"}, "clicked", 0.5, "label"),
    ("auc", {"positives": "clicks", "total": "views", "score": "p"}, "clicks", 9, "total"),
    ("ndcg", {"label": "grade", "score": "p", "group": "user_id"}, "grade", -1, "label"),
    ("rmsle", {"label": "price", "score": "p"}, "price", -2, "label"),
    ("poisson_deviance", {"label": "price", "score": "p"}, "p", 0, "score"),
    ("qini", BINARY | {"treatment": "treated"}, "treated", 2, "treatment"),
    ("roc_curve", BINARY, "clicked", 4, "label"),
]  # fmt: skip


@pytest.fixture(scope="module")
def loaded(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine with the log, and copies with one invalid value each."""
    logs = {f"broken_{number}": LOG.assign(**{column: LOG[column].mask(LOG.index == 2, value)})
            for number, (_, _, column, value, _) in enumerate(BROKEN)}  # fmt: skip
    tables = {name: pa.Table.from_pandas(log, preserve_index=False) for name, log in (logs | {"log": LOG}).items()}
    with ENGINES[request.param](tables) as engine:
        yield engine


def stored(metric: str, relation: str, roles: dict[str, str], dialect: str) -> str:
    """The statement that dbt stores; tests/dbt/test_two_hosts.py compares both."""
    inputs: dict[str, Any] = {**dict.fromkeys((*ROLES, *RELATIONS)), **roles}
    plan = plan_of_render("evaluate", {"metrics": metric, "relation": relation, "dialect": dialect, **inputs})
    return render_plan(builtin_catalogue(), dialect, replace(plan, template={**plan.template, "refuses": True}))


#: Every rule on DuckDB and on one of the other engines.
OTHERS = ["postgres", "spark", "clickhouse", "bigquery"]
CASES = [(number, "duckdb") for number in range(len(BROKEN))]
CASES += slow(*((number, OTHERS[number % len(OTHERS)]) for number in range(len(BROKEN))))


@pytest.mark.parametrize(("number", "loaded"), CASES, indirect=["loaded"], scope="module")
def test_a_value_that_breaks_a_rule_ends_the_statement(number: int, loaded: Engine) -> None:
    metric, roles, _, _, role = BROKEN[number]
    ours = as_pandas(loaded.query(stored(metric, "log", roles, loaded.dialect)))
    assert ours[metric if metric in ours else "tpr"].notna().any()
    with pytest.raises(Exception, match=rf"{role}: ") as caught:
        as_pandas(loaded.query(stored(metric, f"broken_{number}", roles, loaded.dialect)))
    assert not isinstance(caught.value, AssertionError | sqlmetrics.SqlMetricsError)
