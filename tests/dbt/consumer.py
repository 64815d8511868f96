"""The project in `project/`, its data filled in: it uses the package as an analytics engineer would."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from sqlmetrics.catalogue import Metric, builtin_catalogue
from sqlmetrics.dbt_package import jinja
from sqlmetrics.descriptions import example_call
from tests.dbt.hosting import Project, engine, make_project
from tests.dbt.oracles import (
    CLASSES,
    FAMILIES,
    LOG_COLUMNS,
    expected_values,
    make_log,
    takes_long_by_dbt,
)

ENGINES = ["duckdb", "postgres", "spark"]
SOURCE = Path(__file__).parent / "project"
DAYS = [f"2026-01-0{day}" for day in range(1, 6)]
#: The models that keep a day, and those that read what was kept.
STATES = ["state", "state_binned", "clicks_by_day", "errors_by_day", "classes_by_day", "lists_by_day"]
#: The same state under three strategies, and the log that they read, of which a part comes late.
STRATEGIES = ["late_by_day", "late_by_key", "late_by_batch"]
OF_STATES = ["from_state", "from_state_binned", "from_three_days", "days"]
#: What is asked of the states of five days in one model, and of the whole log in another.
KEPT = ["clicks", "errors", "classes", "lists", "scores"]
#: How far each metric is from the oracles, once the project is built.
LARGEST_DIFFERENCES = """
    select
        metric,
        max(difference) as difference,
        count(*) as compared,
        count(distinct slice) as slices
    from {{ ref('differences') }}
    group by metric
    order by metric
"""


@contextmanager
def opened(name: str, folder: Path) -> Iterator[Project]:
    """The project on one engine, with its data, in a dbt process that stays."""
    with engine(name, folder) as output:
        make_project(folder / "project", {name: output}, SOURCE)
        fill(folder / "project", name)
        with closing(Project(folder / "project", name)) as project:
            yield project


def build_days(project: Project) -> None:
    """The states of five days, built one at a time, the third day twice: then late rows and corrections have come."""
    project.run("seed", "--select", "impressions_seed", "catalog", "popularity")
    project.run("run", "--select", "impressions")
    for day, all_has_come in [*((day, "false") for day in DAYS), (DAYS[2], "true")]:
        given = f"{{day: '{day}', all_has_come: {all_has_come}}}"
        project.run("run", "--select", *STATES, "arriving", *STRATEGIES, "--vars", given)
    project.run("run", "--select", *OF_STATES, "--exclude", *STATES)


def by_device(project: Project, model: str) -> dict[str | None, dict[str, Any]]:
    """The rows of a model that has one per device."""
    return {row.pop("device"): row for row in project.rows(f"select * from {{{{ ref('{model}') }}}}")}


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


def fill(project: Path, engine_name: str) -> None:
    """The data of the project: a seed, the same rows as parquet, the expected values, and a model for each metric."""
    log = make_log()
    rows = log[LOG_COLUMNS]
    (project / "data").mkdir(exist_ok=True)
    rows.assign(day=pd.to_datetime(rows["day"]).dt.date).to_parquet(project / "data" / "impressions.parquet")
    known = expected()
    known = known[[not takes_long_by_dbt(builtin_catalogue().metrics[name], engine_name) for name in known["metric"]]]
    seeds = {"impressions_seed": rows, "expected": known}
    for family in FAMILIES:
        seeds |= family.relations(log)
    seeds["example_values"] = write_examples(project, engine_name)
    write_measured(project, engine_name)
    double = {"postgres": "double precision", "bigquery": "float64"}.get(engine_name, "double")
    types = dict.fromkeys(("pctr", "pctr_b", "y", "y_hat", "mass", "tail", *(f"p_{name}" for name in CLASSES)), double)
    types |= dict.fromkeys(("low", "high", "expected", "similarity", "value", "propensity"), double)
    types |= {"user_id": "string" if engine_name in ("spark", "bigquery") else "varchar", "day": "date"}
    (project / "seeds").mkdir(exist_ok=True)
    described = []
    for name, table in seeds.items():
        if engine_name == "spark" and len(table) > 300:
            # dbt writes a seed as one statement of literals, over which Spark takes minutes, or dies
            table.to_parquet(project / "data" / f"{name}.parquet")
            model = f"select * from parquet.`data/{name}.parquet`\n"
            (project / "models" / "measured" / f"{name}.sql").write_text(model, encoding="utf-8")
            continue
        written = as_crucible_reads(table) if engine_name == "bigquery" else table
        written.to_csv(project / "seeds" / f"{name}.csv", index=False)
        told = {column: types[column] for column in table if column in types}
        described.append({"name": name, "config": {"column_types": told}})
    text = yaml.safe_dump({"version": 2, "seeds": described})
    (project / "seeds" / "seeds.yml").write_text(text, encoding="utf-8")


def as_crucible_reads(table: pd.DataFrame) -> pd.DataFrame:
    """Without exponents, and without rows that hold nothing."""
    return table.dropna(how="all").map(
        lambda one: f"{one:.17f}" if isinstance(one, float) and not math.isnan(one) else one
    )


@functools.cache
def expected() -> pd.DataFrame:
    """What the oracles say of the log: the same for every engine."""
    return expected_values(make_log())


def write_measured(project: Path, engine_name: str) -> None:
    """A model for each family of metrics, and their values beside what the oracles say."""
    folder = project / "models" / "measured"
    folder.mkdir()
    compared = []
    for family in FAMILIES:
        call = family.call(engine_name)
        given = ", ".join(f"{role}={jinja(column)}" for role, column in call.roles.items())
        read = "".join(f", {name}=ref('{name}')" for name in family.relations(make_log()))
        specs = ",\n".join(f"    {jinja(spec)}" for spec in call.specs)
        (folder / f"{family.name}.sql").write_text(
            f"{{{{ sqlmetrics.evaluate(ref('impressions'), metrics=[\n{specs},\n], {given}{read},"
            " by=[[], ['device']]) }}\n",
            encoding="utf-8",
        )
        shown = [column for one in call.asked for column in one.columns.values()]
        cases = "\n".join(
            f"        when '{column}' then cast(found.{{{{ sqlmetrics.identifier('{column}') }}}} as "
            "{{ sqlmetrics.type_double() }})"
            for column in shown
        )
        compared.append(
            f"select\n    expected.*,\n    case expected.result_column\n{cases}\n    end as value\n"
            f"from {{{{ ref('expected') }}}} as expected\nleft join {{{{ ref('{family.name}') }}}} as found\n"
            "    on case when found.{{ adapter.quote('grouping') }} = 'overall' then 'overall'"
            " else coalesce(found.device, 'none') end = expected.slice\n"
            f"where expected.family = '{family.name}'\n"
        )
    # An oracle may know no more than the two values between which the metric lies.
    (folder / "differences.sql").write_text(
        "with compared as (\n" + "\nunion all\n".join(compared) + ")\nselect\n    compared.*,\n    case\n"
        "        when low is null and value is null then 0\n"
        "        else greatest(low - value, value - high, 0) / greatest(abs(low), 1)\n    end as difference\n"
        "from compared\n",
        encoding="utf-8",
    )


def with_examples(engine_name: str) -> list[Metric]:
    """The metrics whose examples an engine tries: all on DuckDB, and one per frame on the others.

    Each has its text compared for them (test_two_hosts.py) and its values there (test_engines.py) all the same.
    """
    metrics = builtin_catalogue().metrics.values()
    if engine_name == "duckdb":
        return list(metrics)
    asked = [metric for metric in metrics if not takes_long_by_dbt(metric, engine_name)]
    return list({metric.frames: metric for metric in asked}.values())


def write_examples(project: Path, engine_name: str) -> pd.DataFrame:
    """Models of each metric file's example, and their differences from what the file says, which is returned."""
    examples = project / "models" / "examples"
    examples.mkdir()
    values_of = []
    texts = []
    for metric in with_examples(engine_name):
        text, values = example_models(metric)
        texts.append(text)
        values_of += [(metric.name, place, value) for place, value in enumerate(values, 1)]
    # dbt takes as long over a small model as over ten in one; on Spark a plan of all of them takes too long.
    size, materialized = 10, "table" if engine_name == "spark" else "view"
    names = []
    for start in range(0, len(texts), size):
        names.append(f"examples_from_{start}")
        (examples / f"{names[-1]}.sql").write_text(
            f"{{{{ config(materialized='{materialized}') }}}}\n" + "union all\n".join(texts[start : start + size]),
            encoding="utf-8",
        )
    found = "\nunion all\n".join(f"select * from {{{{ ref('{name}') }}}}" for name in names)
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
    return pd.DataFrame(values_of, columns=["metric", "place", "expected"])
