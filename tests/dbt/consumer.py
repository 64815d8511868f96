"""The project in `project/`, its data filled in: it uses the package as an analytics engineer would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from sqlmetrics.catalogue import Metric, builtin_catalogue
from sqlmetrics.dbt_package import jinja
from sqlmetrics.generation import example_call
from tests.dbt.oracles import expected_values, make_log

ENGINES = ["duckdb", "postgres", "spark"]
SOURCE = Path(__file__).parent / "project"


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
