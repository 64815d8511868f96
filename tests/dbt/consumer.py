"""The project in `project/` with data, which uses the package like an analytics engineer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa

import sqlmetrics
from sqlmetrics.codegen.dbt_package import jinja
from tests import optional
from tests.data import arrow, sample
from tests.dbt.hosting import Done, add_metric_file, dbt, make_project, require_adapter
from tests.engines.servers import ENGINES, SMALL_DATA, load
from tests.variants import Call, calls

SOURCE = Path(__file__).parent / "project"
DAYS = [f"2026-01-0{day}" for day in range(1, 6)]
DEVICES = ["phone", "desktop", "tablet", None]
#: Models that dbt must reject, each with a pattern of the message.
REJECTED = {
    "label_of_a_state": ("score_state(ref('impressions'), label='= 2 * clicked', score='pctr')",
                         r"label: 2(\.0)? is neither 0 nor 1"),
    "score_of_a_model": ("log_loss(ref('impressions'), label='clicked', score='= pctr + 3')",
                         r"score: \S+ is outside \[0, 1\]"),
    "state_without_buckets": ("state_metrics(ref('state'), confidence=0.95)",
                              "is a state without buckets; build it with buckets=20"),
    "state_with_bins": ("state_metrics(ref('state_binned'))", "the state was made with bins; pass binned=true"),
    "state_of_other_sums": ("metrics_of_state(ref('clicks_by_day'), ['mae'])",
                            "was not built for these metrics: it has no column mae_sum"),
    "no_state": ("state_metrics(ref('impressions'))", "is not a state of this version of the package"),
    "state_of_a_day_twice": ("state_metrics(ref('without_key'), binned=true, by=['day'])",
                             r"state_metrics: \d+ rows but \d+ distinct state_key: .* set unique_key='state_key'"),
    "metric_of_some_days": ("metrics_of_state(ref('with_another_metric'), ['copc', 'brier'])",
                            r"the state was not made for brier = brier\(\) in "),
}  # fmt: skip


def make_log(rows: int = 600, seed: int = 11) -> pd.DataFrame:
    """Impressions with a click, a grade and two scores each; scores have ties, one device is NULL."""
    random = np.random.default_rng(seed)
    quality = random.normal(size=rows)
    noise = random.normal(size=rows)
    pctr = 1 / (1 + np.exp(-(quality - 0.5)))
    return pd.DataFrame({
        "day": [DAYS[number % 5] for number in range(rows)],
        "device": [DEVICES[number] for number in random.integers(0, 4, rows)],
        "user_id": [f"u{number}" for number in random.integers(0, 40, rows)],
        "clicked": (random.random(rows) < pctr).astype(int),
        "grade": np.clip(np.round(quality + noise), 0, 3).astype(int),
        "pctr": np.round(pctr, 2).clip(0.01, 0.99),
        "pctr_b": np.round(1 / (1 + np.exp(-(quality + noise - 0.5))), 2).clip(0.01, 0.99),
    })  # fmt: skip


LOG = make_log()


def calls_by_frame() -> dict[str, Call]:
    """For each type of data and each table, a call of metrics whose frames no previous call has."""
    chosen: dict[tuple[Any, ...], str] = {}
    result = {}
    for call in calls():
        new = {(call.table, requested.metric.frames): requested for requested in call.metrics}
        new = {key: requested for key, requested in new.items() if chosen.setdefault(key, call.name) == call.name}
        if new:
            result[re.sub(r"\W+", "_", f"measured {call.name}")] = call.of([*new.values()])
    return result


def arguments_of(call: Call) -> dict[str, Any]:
    """The call as arguments of `evaluate` over the tables of its type of data."""
    table = re.sub(r"\W+", "_", call.data_type)
    relations = {name: f"{table}_{name}" for name in call.arguments() if name in call.relations(call.roles)}
    return {"relation": table, "metrics": call.specs, **call.roles, **relations, "by": [[], ["device"]]}


def tables() -> dict[str, pa.Table]:
    """The tables of each type of data."""
    result = {}
    for call in calls():
        arguments = arguments_of(call)
        result[arguments["relation"]] = arrow(sample(call.data_type))
        relations = call.relations(call.roles)
        result |= {arguments[name]: relation for name, relation in relations.items() if name in arguments}
    return result


def call_of_macro(macro: str, arguments: dict[str, Any]) -> str:
    """The call as the text of a model."""
    return f"{{{{ sqlmetrics.{macro}({', '.join(f'{name}={jinja(value)}' for name, value in arguments.items())}) }}}}"


@dataclass(frozen=True)
class Consumer:
    """The project after its builds."""

    folder: Path
    dialect: str
    query: Callable[[str], pd.DataFrame]
    built: Done
    rebuilt: Done

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The manifest that dbt wrote."""
        content: dict[str, Any] = json.loads((self.folder / "target" / "manifest.json").read_text(encoding="utf-8"))
        return content

    def rows(self, name: str) -> list[dict[str, Any]]:
        """The rows of a model, or the stored failures of a test."""
        [relation] = [node["relation_name"] for node in self.manifest["nodes"].values() if node["name"] == name]
        rows: list[dict[str, Any]] = self.query(f"select * from {relation}").replace({np.nan: None}).to_dict("records")
        return rows


def built(name: str, project: Path, query: Callable[[str], pd.DataFrame]) -> Consumer:
    """Build the project, then rebuild the third day of every state, after its late rows and corrections arrived."""
    later = "path:models/after path:models/refused path:models/wrong path:models/texts"
    again = f"state state_binned clicks_by_day without_key with_another_metric path:models/late {later}"
    third_day = f"{{day: '{DAYS[2]}', all_has_come: true, with_brier: true}}"
    first, second = dbt(project, f"build --exclude {later}", f'run --select {again} --vars "{third_day}"')
    return Consumer(project, name, query, first, second)


@contextmanager
def opened(name: str, folder: Path, further: dict[str, str]) -> Iterator[Consumer]:
    """Build the project with further models on DuckDB or PostgreSQL."""
    require_adapter(name)
    calls = calls_by_frame()
    models = {f"measured/{model}": call_of_macro("evaluate", arguments_of(call)) for model, call in calls.items()}
    models |= {f"refused/{model}": f"{{{{ sqlmetrics.{text} }}}}" for model, (text, _) in REJECTED.items()}
    if name == "postgres":
        with ENGINES[name](tables()) as engine:
            info = engine.connection.info
            output = {key: getattr(info, key) for key in ("host", "port", "user", "password", "dbname")}
            output |= {"type": name, "schema": "sqlmetrics", "threads": 1}
            yield built(name, fill(folder, output, models | further), engine.query)
        return
    path = str(folder / "consumer.duckdb")
    with duckdb.connect(path) as con:
        load(con, tables())

    def query(sql: str) -> pd.DataFrame:
        with duckdb.connect(path, read_only=True) as con:
            return con.sql(sql).df()

    project = fill(folder, {"type": name, "path": path, "threads": 1}, models | further)
    for day in DAYS:
        state = sqlmetrics.state(LOG[LOG["day"] == day], label="clicked", score="pctr", by=["day", "device"],
                                 buckets=20, cluster="user_id")  # fmt: skip
        state.to_parquet(project / "data" / f"day-{day}.parquet")
    yield built(name, project, query)


def built_on_spark(folder: Path, select: str, models: dict[str, str]) -> Done:
    """Build a part of the project, with further models, on Spark."""
    require_adapter("spark")
    optional.program("java")
    settings = SMALL_DATA | {
        "spark.master": "local[2]", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        # The adapter requests Hive's catalog, a separate database, which a single process does not need.
        "spark.sql.catalogImplementation": "in-memory",
    }  # fmt: skip
    output = {"type": "spark", "method": "session", "host": "none", "schema": "sqlmetrics", "threads": 1,
              "server_side_parameters": settings}  # fmt: skip
    [done] = dbt(fill(folder, output, models), f"build --select {select}")
    return done


def fill(folder: Path, output: dict[str, Any], models: dict[str, str]) -> Path:
    """The project with one target, further models, and its log as a seed and as parquet."""
    project = make_project(folder / "project", output, SOURCE)
    for subfolder in ("data", "seeds"):
        (project / subfolder).mkdir()
    LOG.assign(day=pd.to_datetime(LOG["day"]).dt.date).to_parquet(project / "data" / "impressions.parquet")
    LOG.to_csv(project / "seeds" / "impressions_seed.csv", index=False)
    add_metric_file(project)
    for name, text in models.items():
        path = project / "models" / f"{name}.sql"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return project
