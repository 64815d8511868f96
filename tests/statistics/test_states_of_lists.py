"""States of recommender lists: what is counted of each item on each day, against the lists of the whole log."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from scipy import stats

import sqlmetrics
from sqlmetrics.cli import main
from tests.data import slices_of
from tests.engines.servers import ENGINES
from tests.oracles import recommender
from tests.statistics.test_state_settings import (
    Engine,
    deleted_by_batch,
    deleted_by_day,
    deleted_by_key,
    merged_by_key,
)
from tests.statistics.test_states import bucket

DAYS = [f"2026-03-{day:02}" for day in range(1, 31)]
LATE, BUCKETS = "2026-03-17", 12


def make_log() -> pd.DataFrame:
    """A month of lists of one to nine items with ties; some devices have no name, some rows of a day come `late`."""
    rng = np.random.default_rng(41)
    popular = 1 / np.arange(1, 41)
    rows = []
    for number in range(400):
        day = DAYS[number * len(DAYS) // 400]
        device = rng.choice(["phone", "desktop", None])
        for item in rng.choice(40, rng.integers(1, 10), replace=False, p=popular / popular.sum()):
            late = day == LATE and rng.random() < 0.4
            rows.append(
                (day, device, f"session {number}", int(item), rng.integers(0, 6) / 4, int(rng.integers(9)), late)
            )
    return pd.DataFrame(rows, columns=["day", "device", "session", "sku", "score", "doc", "late"])


LOG = make_log()
#: Items that no list has, and lists with items that it has not.
CATALOG = pd.DataFrame({"sku": [*range(3, 50), None, 3]}, dtype="Int64")
POPULARITY = pd.DataFrame({"sku": range(30), "count": [*range(29, 0, -1), 0]})
SIMILARITY = pd.DataFrame(
    [(a, b, (7 * a + 5 * b) % 9 / 8) for a in range(40) for b in range(a) if (a + b) % 4],
    columns=["item_a", "item_b", "similarity"],
)
ROLES: dict[str, Any] = {"score": "score", "group": "session", "item": "sku"}
#: Metric -> what it reads besides, and where it is told by hand or by other tools.
OF_ITEMS: dict[str, tuple[list[str], Callable[..., Any]]] = {
    "coverage": (["catalog"], recommender.coverage),
    "gini_exposure": (["catalog"], recommender.gini_exposure),
    "novelty": (["popularity"], recommender.novelty),
    "average_popularity": (["popularity"], recommender.average_popularity),
    "exposure_entropy": ([], recommender.exposure_entropy),
    "personalization": ([], recommender.personalization),
}
CUTS = [None, 1, 3, 20]
METRICS = [name if k is None else f"{name}@{k}" for k in CUTS for name in OF_ITEMS]
READ: dict[str, Any] = {"catalog": CATALOG, "popularity": POPULARITY, "item": "sku"}


def by_oracle(name: str, rows: pd.DataFrame, k: int | None, tie_key: str = "sku") -> Any:
    asked = SimpleNamespace(
        k=k,
        catalog=CATALOG.astype(object).rename(columns={"sku": "item"}),
        popularity=POPULARITY,
        similarity=SIMILARITY,
    )
    tool = recommender.diversity if name == "diversity" else OF_ITEMS[name][1]
    return tool(rows.assign(group=rows["session"], item=rows["sku"], tie_key=rows[tie_key].astype(float)), asked)


def names(metrics: list[str]) -> dict[str, tuple[str, int | None]]:
    """Result column -> metric and cut."""
    return {
        one.replace("@", "_at_"): (one.partition("@")[0], int(one.partition("@")[2] or 0) or None) for one in metrics
    }


@pytest.fixture(
    scope="module", params=["duckdb", *(pytest.param(name, marks=pytest.mark.slow) for name in ("postgres", "spark"))]
)
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    tables = {"log": LOG, "similarity": SIMILARITY, "items": CATALOG, "counts": POPULARITY}
    with ENGINES[request.param]({
        name: pa.Table.from_pandas(rows, preserve_index=False) for name, rows in tables.items()
    }) as opened:  # fmt: skip
        yield opened


def days(engine: Any, metrics: Any, some: list[str] = DAYS, **given: Any) -> pd.DataFrame:
    """The state of each day, made on its own."""
    return pd.concat([
        sqlmetrics.state("log", metrics, **{**ROLES, **given}, where=f"day = '{day}'", engine=engine) for day in some
    ])  # fmt: skip


def of_a_month(engine: Any, metrics: Any, **given: Any) -> pd.DataFrame:
    """The same in two statements: one for each day takes thirty times as long, and `month` is made so."""
    weeks = [f"day < '{DAYS[10]}'", f"day >= '{DAYS[10]}'"]
    return pd.concat(
        [sqlmetrics.state("log", metrics, **{**ROLES, **given}, where=week, engine=engine) for week in weeks]
    )


@pytest.fixture(scope="module")
def month(engine: Any) -> pd.DataFrame:
    """The state of a month, with several cuts: day by day, but where a statement takes seconds."""
    made = of_a_month if engine.dialect == "spark" else days
    return made(engine, METRICS, by=["day", "device"])


@pytest.mark.slow
@pytest.mark.parametrize("by", [[], ["device"], ["half = day < '2026-03-15'"]], ids=["overall", "device", "half"])
def test_a_month_of_days(month: pd.DataFrame, by: list[str]) -> None:
    """Against oracles over the lists of the log, and against `evaluate`."""
    assert month["row_count"].sum() == len(LOG)
    found = sqlmetrics.evaluate_states(month, METRICS, **READ, by=by)
    direct = sqlmetrics.evaluate(LOG, METRICS, **ROLES, by=by, catalog=CATALOG, popularity=POPULARITY)
    pd.testing.assert_frame_equal(found, direct, rtol=1e-12)
    rows_of = dict(slices_of(LOG.assign(half=LOG["day"] < "2026-03-15"), [one.partition(" ")[0] for one in by]))
    assert len(found) == len(rows_of)
    for row in found.to_dict("records"):
        rows = rows_of[tuple(None if pd.isna(row[one]) else row[one] for one in found.attrs["slices"])]
        assert row["n"] == len(rows)
        for column, (name, k) in names(METRICS).items():
            assert row[column] == pytest.approx(by_oracle(name, rows, k), rel=1e-12, abs=1e-15), column


def jackknife(rows: pd.DataFrame, value: Callable[[pd.DataFrame], float]) -> tuple[float, int]:
    """The standard error from the values without each bucket of lists, and how many buckets there are."""
    buckets = rows["session"].map(lambda session: bucket(session, BUCKETS))
    values = [value(rows[buckets != one]) for one in buckets.unique()]
    count = len(values)
    return float(np.sqrt((count - 1) / count * np.sum(np.square(values - np.mean(values))))), count


@pytest.mark.slow
@pytest.mark.parametrize("by", [[], ["device"]], ids=["overall", "by device"])
def test_intervals_of_days(engine: Any, by: list[str]) -> None:
    """By the values without each bucket of lists."""
    metrics = [*OF_ITEMS, "coverage@3", "personalization@3"]
    parts = of_a_month(engine, metrics, by=["day", "device"], buckets=BUCKETS, cluster="session")
    given: dict[str, Any] = {**READ, "by": by, "confidence": 0.9, "standard_error": True}
    found = sqlmetrics.evaluate_states(parts, metrics, **given)
    plain = sqlmetrics.evaluate_states(parts, metrics, **READ, by=by)
    pd.testing.assert_frame_equal(plain, found[list(plain)], rtol=1e-12)
    rows_of = dict(slices_of(LOG, by))
    for row in found.to_dict("records"):
        rows = rows_of[tuple(None if pd.isna(row[one]) else row[one] for one in by)]
        for column, (name, k) in names(metrics).items():
            error, count = jackknife(rows, lambda some, name=name, k=k: by_oracle(name, some, k))  # type: ignore[misc]
            if error <= 1e-12:  # the whole catalogue is shown, without each bucket too: of one kind
                assert pd.isna([row[f"{column}{end}"] for end in ("_se", "_low", "_high")]).all(), column
                continue
            assert row[f"{column}_se"] == pytest.approx(error, rel=1e-7, abs=1e-12), column
            reach = stats.t(count - 1).ppf(0.95) * error
            if row[f"{column}_high"] not in (1, row[column]):
                assert row[f"{column}_high"] - row[column] == pytest.approx(reach, rel=1e-3), column


def test_a_state_for_one_metric_has_all_at_its_cut(engine: Any) -> None:
    """What is counted at a cut is the same for every metric of the items."""
    parts = days(engine, ["coverage@3", "coverage"], DAYS[:4], by="day")
    other = sqlmetrics.evaluate_states(
        parts, ["mine = personalization(k=3)", "novelty"], popularity=POPULARITY, item="sku"
    )
    rows = LOG[LOG["day"].isin(DAYS[:4])]
    assert other["mine"][0] == pytest.approx(by_oracle("personalization", rows, 3), rel=1e-12)
    assert other["novelty"][0] == pytest.approx(by_oracle("novelty", rows, None), rel=1e-12)
    with pytest.raises(sqlmetrics.BadParameter, match="it has no column exposures_at_5; ask for what it was made for"):
        sqlmetrics.evaluate_states(parts, "exposure_entropy@5")


@pytest.mark.slow
def test_read_where_it_was_made(engine: Any) -> None:
    """From a table there, with the catalogue there, by the engine itself."""
    made = days(engine, ["coverage@3", "novelty@3"], DAYS[:2], by="day")
    double = "double precision" if engine.dialect == "postgres" else "double"

    def literal(name: str, value: Any) -> str:
        if isinstance(value, str):
            return f"'{value}' as {name}"
        return f"cast('{value!r}' as {'bigint' if name in ('row_count', 'item_id') else double}) as {name}"

    rows = " union all ".join(
        f"select {', '.join(literal(name, value) for name, value in row.items())}" for row in made.to_dict("records")
    )
    there = sqlmetrics.evaluate_states(
        rows, ["coverage@3", "novelty@3"], catalog="items", popularity="select sku, count from counts",
        item="= sku + 0", engine=engine, by="day",
    )  # fmt: skip
    here = sqlmetrics.evaluate_states(made, ["coverage@3", "novelty@3"], **READ, by="day")
    pd.testing.assert_frame_equal(there, here, rtol=1e-12)


@pytest.mark.slow
def test_diversity_of_days(engine: Any) -> None:
    """A mean over lists: the similarity of their pairs is looked up where the state is made."""
    metrics = ["diversity", "diversity@3", "pairs = diversity(k=2)"]
    given = {"similarity": "similarity" if engine.dialect != "duckdb" else "select * from similarity"}
    parts = of_a_month(engine, metrics, by=["day", "device"], **given, buckets=BUCKETS, cluster="session")
    found = sqlmetrics.evaluate_states(parts, metrics, by="device", confidence=0.9, standard_error=True)
    for row, (slices, rows) in zip(found.to_dict("records"), slices_of(LOG, ["device"]), strict=True):
        assert [None if pd.isna(row["device"]) else row["device"]] == list(slices)
        assert row["n"] == len(rows)
        for column, k in {"diversity": None, "diversity_at_3": 3, "pairs": 2}.items():
            assert row[column] == pytest.approx(by_oracle("diversity", rows, k), rel=1e-12)
            error, _ = jackknife(rows, lambda some, k=k: by_oracle("diversity", some, k))  # type: ignore[misc]
            assert row[f"{column}_se"] == pytest.approx(error, rel=1e-7)
    one = LOG.groupby("session").head(1)
    alone = sqlmetrics.evaluate_states(sqlmetrics.state(one, metrics, **ROLES, similarity=SIMILARITY), metrics)
    assert alone["n"].tolist() == [len(one)]
    assert alone[["diversity", "pairs"]].isna().all(axis=None)


@pytest.fixture(scope="module", params=["duckdb", pytest.param("postgres", marks=pytest.mark.slow)])
def built(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """The macros of dbt, the log, and the log before the late rows came."""
    tables = {"log": LOG, "arrived": LOG[~LOG["late"]], "items": CATALOG, "counts": POPULARITY}
    with ENGINES[request.param]({
        name: pa.Table.from_pandas(rows, preserve_index=False) for name, rows in tables.items()
    }) as opened:  # fmt: skip
        yield Engine(opened)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", [deleted_by_day, merged_by_key, deleted_by_key, deleted_by_batch])
@pytest.mark.parametrize("buckets", [None, 12])
def test_a_day_with_late_rows_is_what_the_log_says(built: Engine, strategy: Any, buckets: int | None) -> None:
    """Late rows make lists longer, so that items fall below the cut, and others come."""
    given: dict[str, Any] = {**ROLES, "by": ["day", "device"]}
    given |= {} if buckets is None else {"buckets": buckets, "cluster": "session"}
    built.build("kept", built.macros.metric_state("arrived", METRICS, **given))
    read: dict[str, Any] = {"catalog": "items", "popularity": "counts", "item": "sku"}
    before = built.rows(built.macros.metrics_of_state("kept", METRICS, **read))
    again = built.macros.metric_state("log", METRICS, **given, where=f"day = '{LATE}'", previous="kept")
    for _ in range(2):
        built.build("built", again)
        strategy(built, "kept")
    keys = built.rows(
        "select count(*) as parts, count(distinct state_key) as keys, count(state_key) as known from kept"
    )
    assert keys["parts"][0] == keys["keys"][0] == keys["known"][0]
    [month] = built.rows(built.macros.metrics_of_state("kept", METRICS, **read)).to_dict("records")
    assert month["n"] == len(LOG) > before["n"][0]
    for column, (name, k) in names(METRICS).items():
        assert month[column] == pytest.approx(by_oracle(name, LOG, k), rel=1e-12), column


def test_items_that_vanished(built: Engine) -> None:
    """Merging never deletes: the items of a day without which it was built again are written over as nothing."""
    built.build("kept", built.macros.metric_state("log", ["coverage@3", "exposure_entropy"], **ROLES, by="day"))
    remaining = f"(select * from log where day <> '{LATE}' or sku < 5) as remaining"
    again = built.macros.metric_state(remaining, ["coverage@3", "exposure_entropy"], **ROLES, by="day", previous="kept")
    built.build("built", again)
    merged_by_key(built, "kept")
    assert built.rows("select count(*) as gone from kept where row_count = 0 and exposures = 0")["gone"][0] > 0
    rows = LOG[(LOG["day"] != LATE) | (LOG["sku"] < 5)]
    text = built.macros.metrics_of_state("kept", ["coverage@3", "exposure_entropy"], catalog="items", item="sku")
    [found] = built.rows(text).to_dict("records")
    assert found["n"] == len(rows)
    assert found["coverage_at_3"] == by_oracle("coverage", rows, 3)
    assert found["exposure_entropy"] == pytest.approx(by_oracle("exposure_entropy", rows, None), rel=1e-12)


def test_the_order_of_equal_scores_is_that_of_the_state() -> None:
    """By another column other items are the first ones; a part of either is no part of the other."""
    made = [sqlmetrics.state(LOG, "exposure_entropy@2", **ROLES, by="day", tie_key=key) for key in (None, "doc")]
    for parts, key in zip(made, ("sku", "doc"), strict=True):
        found = sqlmetrics.evaluate_states(parts, "exposure_entropy@2")
        assert found["exposure_entropy_at_2"][0] == pytest.approx(by_oracle("exposure_entropy", LOG, 2, key), rel=1e-12)
    with pytest.raises(sqlmetrics.BadData, match=r"made with different settings .*tie_key=doc"):
        sqlmetrics.evaluate_states(pd.concat(made), "exposure_entropy@2")


@pytest.mark.slow
def test_nothing_to_tell() -> None:
    """No rows, a catalogue without items, lists of nothing that is known, and a day without rows beside others."""
    given: dict[str, Any] = {**ROLES, "by": "day"}
    metrics = [*OF_ITEMS]
    whole = sqlmetrics.state(LOG, metrics, **given)
    empty = sqlmetrics.state(LOG, metrics, **given, where="day = 'never'")
    both = pd.concat([whole, empty.astype(whole.dtypes)])
    pd.testing.assert_frame_equal(
        sqlmetrics.evaluate_states(both, metrics, **READ), sqlmetrics.evaluate_states(whole, metrics, **READ)
    )
    none = sqlmetrics.evaluate_states(whole, metrics, **READ, where="day = 'never'")
    assert none["n"].tolist() == [0]
    assert none.drop(columns="n").isna().all(axis=None)
    unknown: dict[str, Any] = {
        "catalog": CATALOG.head(0),
        "popularity": POPULARITY.assign(sku=POPULARITY["sku"] + 1000),
    }
    found = sqlmetrics.evaluate_states(whole, metrics, **unknown, item="sku")
    direct = sqlmetrics.evaluate(LOG, metrics, **ROLES, **unknown)
    pd.testing.assert_frame_equal(found, direct, rtol=1e-12)
    assert found[["coverage", "gini_exposure", "novelty"]].isna().all(axis=None)
    assert found["average_popularity"].tolist() == [0]


def test_items_of_text_files(tmp_path: Path) -> None:
    """Numbers with zeros in front are items of their own; a catalogue of another type is refused."""
    lists = pd.DataFrame({"list": [1, 1, 2, 2], "ad": ["07", "7", "7", "8"], "score": [4.0, 3.0, 2.0, 1.0]})
    made = sqlmetrics.state(lists, ["coverage", "exposure_entropy"], score="score", group="list", item="ad")
    made.to_csv(tmp_path / "state.csv", index=False)
    pd.DataFrame({"item_id": ["07", "8", "09"]}).to_csv(tmp_path / "items.csv", index=False)
    found = sqlmetrics.evaluate_states(
        tmp_path / "state.csv", ["coverage", "exposure_entropy"], catalog=tmp_path / "items.csv"
    )
    assert found["coverage"][0] == pytest.approx(2 / 3, rel=1e-12)
    assert found["exposure_entropy"][0] == pytest.approx(stats.entropy([1, 2, 1]), rel=1e-12)
    with pytest.raises(
        sqlmetrics.BadData, match=r"^item: column 'item_id' is VARCHAR in the data and BIGINT in catalog"
    ):
        sqlmetrics.evaluate_states(made, "coverage", catalog=pd.DataFrame({"item_id": [7, 8]}))


def test_on_the_shell(tmp_path: Path) -> None:
    LOG.to_parquet(tmp_path / "log.parquet")
    CATALOG.to_parquet(tmp_path / "items.parquet")
    for day in DAYS[:3]:
        done = CliRunner().invoke(main, [
            "state", str(tmp_path / "log.parquet"), "-m", "coverage@3,personalization", "--score", "score", "--group",
            "session", "--item", "sku", "--by", "day", "--where", f"day = '{day}'", "-o", str(tmp_path / f"{day}.csv"),
        ])  # fmt: skip
        assert (done.exit_code, done.output) == (0, "")
    asked = ["eval-states", str(tmp_path / "*.csv"), "-m", "coverage@3,personalization", "--format", "json"]
    done = CliRunner().invoke(main, [*asked, "--catalog", str(tmp_path / "items.parquet"), "--item", "sku"])
    [found] = json.loads(done.output)
    rows = LOG[LOG["day"].isin(DAYS[:3])]
    assert found["coverage_at_3"] == pytest.approx(by_oracle("coverage", rows, 3), rel=1e-12)
    assert found["personalization"] == pytest.approx(by_oracle("personalization", rows, None), rel=1e-12)
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 2
    assert done.output.startswith("error: coverage_at_3 needs --catalog: relation of all items")


def test_what_is_refused() -> None:
    state, evaluate = sqlmetrics.state, sqlmetrics.evaluate_states
    parts = state(LOG, ["coverage@3", "personalization"], **ROLES, by="day")
    longer = state(LOG, ["coverage@5"], **ROLES, by="day", where=f"day > '{DAYS[0]}'")
    first = parts[parts["day"] == DAYS[0]]
    unlike = parts.assign(made_for=parts["made_for"].str.replace("items of a list=3", "items of a list=4"))
    sure = {"buckets": 12, "cluster": "device"}
    twice = pd.concat([POPULARITY, POPULARITY.head(1)])
    cases: list[tuple[type[Exception], str, Callable[[], Any]]] = [
        (sqlmetrics.BadData, "not made for items of a list=3 in (?!0).* made for: .*items of a list=5;",
         lambda: evaluate(pd.concat([first, longer]), "coverage@3", catalog=CATALOG, item="sku")),
        (sqlmetrics.BadData, r"the state was not made for items of a list=3 in (\d+) of \1 parts; read the parts that",
         lambda: evaluate(unlike, "coverage@3", catalog=CATALOG, item="sku")),
        (sqlmetrics.BadParameter, "coverage_at_3 needs catalog: ", lambda: evaluate(parts, "coverage@3")),
        (sqlmetrics.BadParameter, "popularity has no meaning for personalization: leave it out",
         lambda: evaluate(parts, "personalization", popularity=POPULARITY)),
        (sqlmetrics.BadParameter, "item has a meaning with catalog or popularity only",
         lambda: evaluate(parts, "personalization", item="sku")),
        (sqlmetrics.MissingColumn, "catalog: there is no column 'item_id'",
         lambda: evaluate(parts, "coverage@3", catalog=CATALOG)),
        (sqlmetrics.BadData, "popularity holds two counts of one item",
         lambda: evaluate(state(LOG, "novelty", **ROLES), "novelty", popularity=twice, item="sku")),
        (sqlmetrics.BadParameter, "coverage_at_3 and diversity are|diversity and coverage_at_3",
         lambda: state(LOG, ["coverage@3", "diversity"], **ROLES, similarity=SIMILARITY)),
        (sqlmetrics.BadParameter, "diversity needs similarity", lambda: state(LOG, "diversity", **ROLES)),
        (sqlmetrics.BadParameter, "give cluster what group is", lambda: state(LOG, "coverage", **ROLES, **sure)),
        (sqlmetrics.BadParameter, "by: 'item_id' is the name of a column of every state",
         lambda: state(LOG, "coverage", **ROLES, by="item_id = sku")),
        (sqlmetrics.BadData, "holds one item twice in a group",
         lambda: state(pd.concat([LOG, LOG.head(1)]), "coverage", **ROLES)),
        (sqlmetrics.BadParameter, "is a state without buckets",
         lambda: evaluate(parts, "personalization", confidence=0.9)),
        (sqlmetrics.BadParameter, "catalog has a meaning for states of metrics only",
         lambda: evaluate(state(LOG.assign(y=1), label="y", score="= score / 2"), catalog=CATALOG)),
        (sqlmetrics.BadParameter, "are told by different frames",
         lambda: evaluate(parts, ["personalization", "macro_f1"])),
    ]  # fmt: skip
    for kind, words, call in cases:
        with pytest.raises(kind, match=words):
            call()


def test_missing_counts_are_told() -> None:
    made = sqlmetrics.state(LOG, "novelty", **ROLES)
    counts = POPULARITY.astype({"count": "Int64"}).assign(count=lambda rows: rows["count"].mask(rows["sku"] == 4))
    with pytest.warns(sqlmetrics.DroppedRows, match="popularity in 1 row"):
        found = sqlmetrics.evaluate_states(made, "novelty", popularity=counts, item="sku")
    direct: Mapping[str, Any] = {"popularity": counts.dropna()}
    assert found["novelty"][0] == pytest.approx(sqlmetrics.evaluate(LOG, "novelty", **ROLES, **direct)["novelty"][0])


@pytest.mark.slow
def test_clickhouse_makes_them() -> None:
    """And leaves it to others to read them, as it cannot refuse a mixture."""
    with ENGINES["clickhouse"]({"log": pa.Table.from_pandas(LOG, preserve_index=False)}) as engine:
        made = days(engine, ["coverage@3", "personalization"], DAYS[:3], by=["day", "device"])
        found = sqlmetrics.evaluate_states(made, ["coverage@3", "personalization"], catalog=CATALOG, item="sku")
        rows = LOG[LOG["day"].isin(DAYS[:3])]
        assert found["coverage_at_3"][0] == pytest.approx(by_oracle("coverage", rows, 3), rel=1e-12)
        assert found["personalization"][0] == pytest.approx(by_oracle("personalization", rows, None), rel=1e-12)
        texts = "'a' as state_key, 'metric_state 3: ' as made_with, 'none' as made_for"
        part = f"select {texts}, 1 as row_count, 1 as item_id, 1 as exposures, 1 as shares, 1 as roots"
        with pytest.raises(sqlmetrics.SqlMetricsError, match="cannot end a statement"):
            sqlmetrics.evaluate_states(part, "exposure_entropy", engine=engine)
