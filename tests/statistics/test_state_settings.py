"""Settings in states, and rebuilt days, against the log itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

import sqlmetrics
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests.data import relations_of_sample, sample
from tests.parameters import pairwise, quick_every
from tests.statistics.copies import jackknife_error, without_each_bucket
from tests.statistics.test_states import States
from tests.variants import base_parameters_of, data_types_of, roles_of

DAYS = [f"2026-03-{day:02}" for day in range(1, 31)]
LATE = "2026-03-17"
ROWS, GROUPS = 6000, 700


def make_log() -> pd.DataFrame:
    """A month with sessions within a day, some NULL devices, and some `late` rows on one day."""
    rng = np.random.default_rng(17)
    session = np.sort(rng.integers(0, GROUPS, ROWS))
    logit = rng.normal(-0.5, 1, ROWS)
    log = pd.DataFrame({
        "day": np.array(DAYS)[session * len(DAYS) // GROUPS], "session": session,
        "device": rng.choice(["phone", "desktop", None], ROWS),
        "user_id": [f"user {number}" for number in rng.integers(0, 60, ROWS)],
        "clicked": (rng.random(ROWS) < 1 / (1 + np.exp(-logit))).astype(float),
        "pctr": (1 / (1 + np.exp(-logit))).round(4), "logit": logit.round(3), "w": rng.integers(1, 5, ROWS) / 2.0,
        "y": rng.normal(3, 1, ROWS).round(2), "y_hat": rng.normal(3, 1, ROWS).round(2), "doc": np.arange(ROWS) % 97,
    })  # fmt: skip
    return log.assign(late=(log["day"] == LATE) & (rng.random(ROWS) < 0.4))


LOG = make_log()


def arrived() -> pd.DataFrame:
    """The log before the late rows arrived; some sessions of that day had another score, in another bin."""
    early = LOG[~LOG["late"]].copy()
    changed = (early["day"] == LATE) & (early["session"] % 2 == 0)
    early.loc[changed, "pctr"] = (early.loc[changed, "pctr"] / 3).round(4)
    return early


class Engine:
    """A connection to DuckDB with some tables, and the macros of states."""

    def __init__(self, **tables: pd.DataFrame) -> None:
        connection = duckdb.connect()
        connection.execute("set threads = 1")
        for name, rows in tables.items():
            connection.register(name, rows)
        self.execute, self.close = connection.execute, connection.close
        self.macros = States()

    def rows(self, statement: str) -> pd.DataFrame:
        result: pd.DataFrame = self.execute(statement).df()
        return result

    def build(self, name: str, *statements: str) -> None:
        """Create a table of the rows of all statements."""
        rows = " union all ".join(f"from ({statement})" for statement in statements)
        self.execute(f"create or replace table {name} as {rows}")


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with closing(Engine(log=LOG, arrived=arrived(), items=ITEMS)) as opened:
        yield opened


CLICKS: dict[str, Any] = {"label": "clicked", "score": "pctr"}
IS_LATE = f"day = '{LATE}'"


@pytest.mark.slow
def test_state_metrics_rejects_mixed_settings(engine: Engine) -> None:
    def state(bins: int, where: str, **further: Any) -> str:
        return engine.macros.score_state("log", **CLICKS, bins=bins, by=["day", "device"], where=where, **further)

    read = engine.macros.state_metrics
    text, message = read("mixed", binned=True), "state_metrics: the parts were made with different settings"
    for other in ({"bins": 1000, "eps": 1e-6}, {"bins": 1000, "range": [0, 0.5]}, {"bins": 100}):
        engine.build("mixed", state(1000, f"not {IS_LATE}"), state(where=IS_LATE, **other))
        with pytest.raises(duckdb.Error, match=message):
            engine.rows(text)
    with pytest.raises(duckdb.Error, match=message):
        engine.rows(f"select n from ({text.strip()}) as month")
    assert engine.rows(read("mixed", binned=True, by=["day"]))["n"].sum() == len(LOG)
    where = f"not {IS_LATE}"
    assert engine.rows(read("mixed", binned=True, where=where))["n"].tolist() == [(LOG["day"] != LATE).sum()]


def test_state_metrics_rejects_other_states(engine: Engine) -> None:
    macros = engine.macros
    engine.build("exact", macros.score_state("log", **CLICKS))
    engine.build("binned", macros.score_state("log", **CLICKS, bins=20))
    for message, relation, arguments in [
        ("was made with bins; pass binned=true", "binned", {}),
        ("was made with exact scores; remove binned", "exact", {"binned": True}),
    ]:
        with pytest.raises(duckdb.Error, match=message):
            engine.rows(macros.state_metrics(relation, **arguments))


def apply_strategy(engine: Engine, strategy: str) -> None:
    """An incremental strategy of dbt; microbatch deletes by day."""
    if strategy != "merge by key":
        column = strategy.rsplit(maxsplit=1)[-1]
        engine.execute(f"delete from state where {column} in (select {column} from built)")
        engine.execute("insert into state select * from built")
        return
    names = list(engine.rows("select * from state limit 0"))
    engine.execute(
        "merge into state using built on state.state_key = built.state_key "
        f"when matched then update set {', '.join(f'{name} = built.{name}' for name in names)} "
        f"when not matched then insert ({', '.join(names)}) values ({', '.join(f'built.{name}' for name in names)})"
    )


ITEMS = pd.DataFrame({"doc": range(3, 99)})
LISTS: dict[str, Any] = {"score": "pctr", "group": "session", "item": "doc"}
#: Type of state -> metrics, roles and settings, and the arguments of the reader.
REBUILT: dict[str, tuple[list[str], dict[str, Any], dict[str, Any]]] = {
    "bins and buckets": ([], {**CLICKS, "bins": 200, "buckets": 20, "cluster": "user_id"},
                         {"binned": True, "confidence": 0.9, "standard_error": True}),
    "sums": (["mae", "max_error"], {"label": "y", "score": "y_hat"}, {}),
    "lists": (["coverage@3", "coverage", "personalization@3", "exposure_entropy"], LISTS,
              {"catalog": "items", "item": "doc"}),
}  # fmt: skip
#: The change of the late day: the relation before and after, and the remaining rows.
CHANGES = {"late rows": ("arrived", "log", LOG), "no rows": ("log", f"(select * from log where not {IS_LATE}) as rest",
                                                             LOG[LOG["day"] != LATE])}  # fmt: skip


@pytest.mark.parametrize(("strategy", "state_type", "change"), quick_every(9, pairwise(
    ["delete+insert by state_key", "delete+insert by day", "merge by key"], [*REBUILT], [*CHANGES]
)))  # fmt: skip
def test_rebuilt_day_matches_log(engine: Engine, strategy: str, state_type: str, change: str) -> None:
    """`previous` empties the parts without rows, for any strategy; a second rebuild changes nothing."""
    metrics, arguments, read = REBUILT[state_type]
    before, after, rows = CHANGES[change]
    settings = {
        **arguments,
        "by": "day" if state_type == "lists" else ["day", "device"],
    }  # a list belongs to a single slice

    def state(relation: str, **further: Any) -> str:
        macro = engine.macros.metric_state if metrics else engine.macros.score_state
        return macro(relation, *([metrics] if metrics else []), **settings, **further)

    engine.build("state", state(before))
    n_before = engine.rows("select sum(row_count) as n from state")["n"][0]
    for _ in range(2):
        engine.build("built", state(after, where=IS_LATE, previous="state"))
        apply_strategy(engine, strategy)
    keys = engine.rows("select count(*) as parts, count(distinct state_key) as keys from state")
    assert keys["parts"][0] == keys["keys"][0]
    engine.build("directly", state(after))
    columns = [name for name in engine.rows("select * from state limit 0") if name != "made_for"]
    text = f"select {', '.join(columns)} from %s where row_count > 0 order by state_key"
    pd.testing.assert_frame_equal(engine.rows(text % "state"), engine.rows(text % "directly"), rtol=1e-12)
    if metrics:
        [row] = engine.rows(engine.macros.metrics_of_state("state", metrics, **read)).to_dict("records")
        catalog = {"catalog": ITEMS} if state_type == "lists" else {}
        [expected] = sqlmetrics.evaluate(rows, metrics, **arguments, **catalog).to_dict("records")
        assert row == pytest.approx(expected, rel=1e-12)
    else:
        [row] = engine.rows(engine.macros.state_metrics("state", **read)).to_dict("records")
        assert row["auc_lower"] <= sk.roc_auc_score(rows["clicked"], rows["pctr"]) <= row["auc_upper"]
        assert row["log_loss"] == pytest.approx(sk.log_loss(rows["clicked"], rows["pctr"]), rel=1e-12)
        losses = [sk.log_loss(part["clicked"], part["pctr"]) for part in without_each_bucket(rows, "user_id", 20)]
        assert row["log_loss_se"] == pytest.approx(jackknife_error(losses), rel=1e-9)
    assert row["n"] == len(rows) != n_before


@pytest.mark.slow
def test_every_additive_metric_matches_log() -> None:
    names = States().additive_metrics()
    assert {"mae", "ndcg", "gauc", "log_loss", "kendall_tau", "anlp", "multi_log_loss", "macro_f1", "class_report",
            "r2", "field_ece", "coverage", "diversity", "novelty", "personalization"} <= {*names}  # fmt: skip
    assert not {"auc", "ece", "medae", "multi_auc", "gc_n", "group_auc"} & {*names}
    for metric in map(builtin_catalogue().metrics.__getitem__, names):
        data_type = data_types_of(metric)[0]
        specs, roles = [{"name": metric.name, **base_parameters_of(metric, data_type)}], roles_of(metric, data_type)
        rows = sample(data_type).assign(part=lambda d: d["user_id"].str[-1])  # a group belongs to a single part
        relations = {name: table for name, table in relations_of_sample(data_type).items() if name in metric.relations}
        read: dict[str, Any] = {name: table for name, table in relations.items() if name in ("catalog", "popularity")}
        built = {name: table for name, table in relations.items() if name not in read}
        state = sqlmetrics.state(rows, specs, **roles, by="part", **built)
        result = sqlmetrics.evaluate_states(state, specs, **read, **({"item": roles["item"]} if read else {}))
        pd.testing.assert_frame_equal(result, sqlmetrics.evaluate(rows, specs, **roles, **relations), rtol=1e-11)
