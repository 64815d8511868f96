"""A project that uses the package, built on each engine: values, generic tests, unit tests, a model that decays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from sqlmetrics.catalogue import Metric, builtin_catalogue
from sqlmetrics.dbt_package import jinja
from sqlmetrics.generation import example_call
from tests.dbt.hosting import dbt, engine, make_project
from tests.dbt.oracles import expected_values, make_log

ENGINES = ["duckdb", "postgres", "spark"]
_SOURCE = Path(__file__).parent / "project"


def sql_rows(columns: dict[str, list[Any]]) -> str:
    """Columns of values as a relation that every engine reads."""

    def literal(value: Any) -> str:
        if value is None or isinstance(value, bool):
            return "null" if value is None else str(value).lower()
        return f"'{value}'" if isinstance(value, str) else repr(value)

    selects = []
    for row in zip(*columns.values(), strict=True):
        cells = ", ".join(f"{literal(value)} as {name}" for name, value in zip(columns, row, strict=True))
        selects.append(f"select {cells}")
    return f"(select * from ({' union all '.join(selects)}) as example_rows) as example"


def example_models(metric: Metric) -> tuple[str, list[float | None]]:
    """A model of the example in a metric's file, and the values that it must hold, in order."""
    data, given, column = example_call(metric)
    relations = {name: data.pop(name) for name in metric.relations if name in data}
    arguments = {name: sql_rows(columns) for name, columns in relations.items()}
    arguments |= {role: role for role in data} | given
    written = "".join(f", {name}={jinja(value)}" for name, value in arguments.items() if name in _arguments(metric))
    statement = f"{{{{ sqlmetrics.{metric.name}({jinja(sql_rows(data))}{written}) }}}}"
    result = metric.example["result"]
    values = result if isinstance(result, list) else [result]
    order = "{{ sqlmetrics.identifier('" + column + "') }}"
    text = (
        f"select '{metric.name}' as metric, cast({order} as {{{{ sqlmetrics.type_double() }}}}) as value,\n"
        f"    row_number() over (order by {order} nulls last) as place\nfrom (\n{statement}\n) as measured\n"
    )
    known = sorted(value for value in values if value is not None)
    return text, [*known, *[None] * (len(values) - len(known))]


def _arguments(metric: Metric) -> set[str]:
    return {*metric.roles(), *metric.parameters, *metric.relations}


def fill(project: Path, examples: str | None) -> None:
    """The data of the project: a seed, the same rows as parquet, the expected values, a model per metric's example."""
    log = make_log()
    (project / "data").mkdir(exist_ok=True)
    log.assign(day=pd.to_datetime(log["day"]).dt.date).to_parquet(project / "data" / "impressions.parquet")
    (project / "seeds").mkdir(exist_ok=True)
    log.to_csv(project / "seeds" / "impressions_seed.csv", index=False)
    expected_values(log).to_csv(project / "seeds" / "expected.csv", index=False)
    if examples is not None:
        write_examples(project, examples)
    double = "{{ 'double precision' if target.type == 'postgres' else 'double' }}"
    doubles = dict.fromkeys(("pctr", "pctr_b", "y", "y_hat"), double)
    types = {"user_id": "{{ 'string' if target.type == 'spark' else 'varchar' }}", "day": "date"}
    seeds = [
        {"name": "impressions_seed", "config": {"column_types": types | doubles}},
        {"name": "expected", "config": {"column_types": {"expected": double}}},
        {"name": "example_values", "config": {"column_types": {"expected": double}}},
    ]
    text = yaml.safe_dump({"version": 2, "seeds": seeds if examples else seeds[:2]})
    (project / "seeds" / "seeds.yml").write_text(text, encoding="utf-8")


def write_examples(project: Path, materialized: str) -> None:
    """A model for each metric file's example, and their differences from what the file says."""
    examples = project / "models" / "examples"
    examples.mkdir()
    expected = []
    for metric in builtin_catalogue().metrics.values():
        text, values = example_models(metric)
        (examples / f"example_{metric.name}.sql").write_text(
            f"{{{{ config(materialized='{materialized}') }}}}\n{text}", encoding="utf-8"
        )
        expected += [(metric.name, place, value) for place, value in enumerate(values, 1)]
    columns = ["metric", "place", "expected"]
    pd.DataFrame(expected, columns=columns).to_csv(project / "seeds" / "example_values.csv", index=False)
    found = "\nunion all\n".join(
        f"select * from {{{{ ref('example_{name}') }}}}" for name in builtin_catalogue().metrics
    )
    (examples / "example_differences.sql").write_text(
        f"with found as (\n{found}\n)\n"
        "select expected.metric, expected.place, expected.expected, found.value,\n"
        "    found.place is not null and (expected.expected is null and found.value is null\n"
        "        or coalesce(abs(expected.expected - found.value) <= 6e-5, false)) as same\n"
        "from {{ ref('example_values') }} as expected\n"
        "left join found\n    on expected.metric = found.metric\n    and expected.place = found.place\n",
        encoding="utf-8",
    )
    (project / "tests" / "agrees_with_the_examples.sql").write_text(
        "select * from {{ ref('example_differences') }} where not same\n", encoding="utf-8"
    )


def results_of(project: Path) -> dict[str, dict[str, Any]]:
    results = json.loads((project / "target" / "run_results.json").read_text(encoding="utf-8"))["results"]
    return {result["unique_id"]: result for result in results}


def rows_of(project: Path, query: str) -> list[dict[str, Any]]:
    shown = dbt(project, "--quiet", "show", "--inline", query, "--output", "json", "--limit", "1000")
    assert shown.returncode == 0, shown.stdout
    return json.loads(shown.stdout[shown.stdout.index("{") :])["show"]


@pytest.fixture(scope="module", params=ENGINES)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The project, built from nothing on one engine."""
    folder = tmp_path_factory.mktemp(request.param)
    with engine(request.param, folder) as output:
        project = make_project(folder / "project", {request.param: output}, _SOURCE)
        fill(project, "table" if request.param == "spark" else "view")
        done = dbt(project, "build")
        assert done.returncode == 0, done.stdout
        yield project


def test_build(built: Path) -> None:
    """Every model, data test and unit test of the project; the tests in it compare with the oracles."""
    results = results_of(built)
    assert {result["status"] for result in results.values()} <= {"success", "pass"}
    kinds = [unique_id.split(".")[0] for unique_id in results]
    assert kinds.count("unit_test") == 1
    assert kinds.count("test") == 19
    ephemeral = 1
    assert kinds.count("model") == len(list((built / "models").rglob("*.sql"))) - ephemeral
    assert kinds.count("model") > len(builtin_catalogue().metrics)


def test_differences_from_the_oracles(built: Path) -> None:
    rows = rows_of(
        built,
        "select family, metric, max(difference) as difference, count(*) as slices from {{ ref('differences') }} "
        "group by family, metric",
    )
    assert len(rows) == 30
    for row in rows:
        assert row["slices"] == 5
        assert row["difference"] <= 1e-9, row


def test_a_decayed_model_fails_the_build(built: Path) -> None:
    done = dbt(built, "build", "--vars", "decayed: true", "--select", "impressions")
    assert done.returncode == 1
    assert "Failure in test auc_is_high (models/schema.yml)" in done.stdout
    assert "Got 4 results, configured to fail if != 0" in done.stdout
    (audit,) = [line.strip() for line in done.stdout.splitlines() if line.strip().startswith("select * from")]
    failures = rows_of(built, audit)
    assert {row["device"] for row in failures} == {"phone", "desktop", "tablet", None}
    for row in failures:
        assert row["auc"] < row["min_value"] == 0.6
        assert row["failure"] == "the value is below min_value"
        assert row["n"] > 50
