"""The project in `project/`, filled with data: it uses the package as an analytics engineer would."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from sqlmetrics.authoring.describe import example_call
from sqlmetrics.catalogue.model import Metric
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.codegen.dbt_package import jinja
from tests.dbt.hosting import Project, engine, make_project
from tests.dbt.oracles import CLASSES, FAMILIES, LOG_COLUMNS, expected_values, make_log, takes_long_by_dbt

ENGINES = ["duckdb", "postgres", "spark"]
SOURCE = Path(__file__).parent / "project"
DAYS = [f"2026-01-0{day}" for day in range(1, 6)]
#: The models that store a state by day, and states of one log under three strategies.
STATES = ["state", "state_binned", "clicks_by_day", "errors_by_day", "classes_by_day", "lists_by_day"]
STRATEGIES = ["late_by_day", "late_by_key", "late_by_batch"]
#: Pairs of models: the metrics of the states of five days, and of the whole log.
KEPT = ["clicks", "errors", "classes", "lists", "scores"]
#: The largest distance of each metric from the oracles.
LARGEST_DIFFERENCES = """
    select metric, max(difference) as difference, count(distinct slice) as slices
    from {{ ref('differences') }}
    group by metric
    order by metric
"""


@contextmanager
def opened(name: str, folder: Path) -> Iterator[Project]:
    """Open the project on one engine, with its data, in one dbt process."""
    with engine(name, folder) as output:
        make_project(folder / "project", {name: output}, SOURCE)
        fill(folder / "project", name)
        with closing(Project(folder / "project", name)) as project:
            yield project


def build_days(project: Project) -> str:
    """Rebuild the third day of every state, after its late rows and corrections arrived; return what dbt printed."""
    day = f"day: '{DAYS[2]}'"
    if project.dialect != "spark":
        project.run("run", "--full-refresh", "--select", "arriving", *STRATEGIES, "--vars", "{all_has_come: false}")
    return project.run("run", "--select", *STATES, "arriving", *STRATEGIES, "--vars", f"{{{day}, all_has_come: true}}")


def by_device(project: Project, model: str) -> dict[str | None, dict[str, Any]]:
    """The rows of a model with one row per device."""
    return {row.pop("device"): row for row in project.rows(f"select * from {{{{ ref('{model}') }}}}")}


def differences_of_states(project: Project, names: list[str] = KEPT) -> dict[str, float]:
    """The largest relative difference over the devices, of each metric of a state from that of the log."""
    differences: dict[str, float] = {}
    for name in names:
        merged, direct = by_device(project, f"{name}_of_days"), by_device(project, f"{name}_directly")
        assert merged.keys() == direct.keys()
        for device, row in direct.items():
            for metric, value in row.items():
                if metric != "n":
                    difference = abs(merged[device][metric] - value) / max(abs(value), 1e-300)
                    key = f"{name}: {metric}"
                    differences[key] = max(differences.get(key, 0.0), difference)
    return differences


def sql_rows(columns: dict[str, list[Any]]) -> str:
    """The columns as a relation that every engine reads."""

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
    """A model of the example in the file of a metric, and its expected values in order."""
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
    """Write the log as a seed and as parquet, the expected values, and the models of metrics and examples."""
    log = make_log()
    rows = log[LOG_COLUMNS]
    (project / "data").mkdir(exist_ok=True)
    rows.assign(day=pd.to_datetime(rows["day"]).dt.date).to_parquet(project / "data" / "impressions.parquet")
    known = expected()
    computed = {(family.name, call.metric.name) for family in FAMILIES for call in family.call(engine_name).asked}
    known = known[[key in computed for key in zip(known["family"], known["metric"], strict=True)]]
    seeds = {"impressions_seed": rows, "expected": known}
    for family in FAMILIES:
        seeds |= family.relations(log)
    if engine_name != "spark":  # tests/engines computes the tables on Spark in a fraction of the time
        seeds["example_values"] = write_examples(project, engine_name)
    write_measured(project, engine_name)
    double = {"postgres": "double precision", "bigquery": "float64"}.get(engine_name, "double")
    types = dict.fromkeys(("pctr", "pctr_b", "y", "y_hat", "mass", "tail", *(f"p_{name}" for name in CLASSES)), double)
    types |= dict.fromkeys(("low", "high", "expected", "similarity", "value", "propensity"), double)
    types |= {"user_id": "string" if engine_name in ("spark", "bigquery") else "varchar", "day": "date"}
    (project / "seeds").mkdir(exist_ok=True)
    properties = []
    for name, table in seeds.items():
        if engine_name == "spark" and len(table) > 300:
            # dbt writes a seed as one statement of literals, which takes Spark minutes
            table.to_parquet(project / "data" / f"{name}.parquet")
            model = f"select * from parquet.`data/{name}.parquet`\n"
            (project / "models" / "measured" / f"{name}.sql").write_text(model, encoding="utf-8")
            continue
        written = as_crucible_reads(table) if engine_name == "bigquery" else table
        written.to_csv(project / "seeds" / f"{name}.csv", index=False)
        column_types = {column: types[column] for column in table if column in types}
        properties.append({"name": name, "config": {"column_types": column_types}})
    text = yaml.safe_dump({"version": 2, "seeds": properties})
    (project / "seeds" / "seeds.yml").write_text(text, encoding="utf-8")


def as_crucible_reads(table: pd.DataFrame) -> pd.DataFrame:
    """Without exponents and empty rows."""
    return table.dropna(how="all").map(
        lambda cell: f"{cell:.17f}" if isinstance(cell, float) and not math.isnan(cell) else cell
    )


@functools.cache
def expected() -> pd.DataFrame:
    """The values of the oracles, which are the same for every engine."""
    return expected_values(make_log())


def write_measured(project: Path, engine_name: str) -> None:
    """Write a model for each family of metrics, and one of the differences from the oracles."""
    folder = project / "models" / "measured"
    folder.mkdir()
    compared = []
    for family in FAMILIES:
        call = family.call(engine_name)
        given = ", ".join(f"{role}={jinja(column)}" for role, column in call.roles.items())
        relations = {name for requested in call.asked for name in requested.metric.relations}
        read = "".join(f", {name}=ref('{name}')" for name in family.relations(make_log()) if name in relations)
        specs = ",\n".join(f"    {jinja(spec)}" for spec in call.specs)
        (folder / f"{family.name}.sql").write_text(
            f"{{{{ sqlmetrics.evaluate(ref('impressions'), metrics=[\n{specs},\n], {given}{read},"
            " by=[[], ['device']]) }}\n",
            encoding="utf-8",
        )
        shown = [column for requested in call.asked for column in requested.columns.values()]
        cases = "\n".join(
            f"        when '{column}' then cast(computed.{{{{ sqlmetrics.identifier('{column}') }}}} as "
            "{{ sqlmetrics.type_double() }})"
            for column in shown
        )
        compared.append(
            f"select\n    expected.*,\n    case expected.result_column\n{cases}\n    end as value\n"
            f"from {{{{ ref('expected') }}}} as expected\nleft join {{{{ ref('{family.name}') }}}} as computed\n"
            "    on case when computed.{{ adapter.quote('grouping') }} = 'overall' then 'overall'"
            " else coalesce(computed.device, 'none') end = expected.slice\n"
            f"where expected.family = '{family.name}'\n"
        )
    # Some oracles give two values between which the metric lies.
    (folder / "differences.sql").write_text(
        "with compared as (\n" + "\nunion all\n".join(compared) + ")\nselect\n    compared.*,\n    case\n"
        "        when low is null and value is null then 0\n"
        "        else greatest(low - value, value - high, 0) / greatest(abs(low), 1)\n    end as difference\n"
        "from compared\n",
        encoding="utf-8",
    )


def with_examples(engine_name: str) -> list[Metric]:
    """The metrics whose examples an engine computes: one per set of frames."""
    metrics = builtin_catalogue().metrics.values()
    return list({metric.frames: metric for metric in metrics if not takes_long_by_dbt(metric, engine_name)}.values())


def write_examples(project: Path, engine_name: str) -> pd.DataFrame:
    """Write models of the examples and of their differences; return the expected values of the examples."""
    examples = project / "models" / "examples"
    examples.mkdir()
    values_of = []
    texts = []
    for metric in with_examples(engine_name):
        text, values = example_models(metric)
        texts.append(text)
        values_of += [(metric.name, place, value) for place, value in enumerate(values, 1)]
    # A model of ten examples takes dbt as long as a model of one.
    size = 10
    names = []
    for start in range(0, len(texts), size):
        names.append(f"examples_from_{start}")
        text = "{{ config(materialized='view') }}\n" + "union all\n".join(texts[start : start + size])
        (examples / f"{names[-1]}.sql").write_text(text, encoding="utf-8")
    union = "\nunion all\n".join(f"select * from {{{{ ref('{name}') }}}}" for name in names)
    (examples / "example_differences.sql").write_text(
        f"with computed as (\n{union}\n)\n"
        "select expected.metric, expected.place, expected.expected, computed.value,\n"
        "    computed.place is not null and (expected.expected is null and computed.value is null\n"
        "        or coalesce(abs(expected.expected - computed.value) <= 6e-5, false)) as same\n"
        "from {{ ref('example_values') }} as expected\n"
        "left join computed\n    on expected.metric = computed.metric\n    and expected.place = computed.place\n",
        encoding="utf-8",
    )
    (project / "tests" / "agrees_with_the_examples.sql").write_text(
        "select * from {{ ref('example_differences') }} where not same\n", encoding="utf-8"
    )
    return pd.DataFrame(values_of, columns=["metric", "place", "expected"])
