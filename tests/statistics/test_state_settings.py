"""States that say what they were made with, and are built again: on DuckDB and PostgreSQL, against the log itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats
from sklearn import metrics as sk

import sqlmetrics
from tests.engines.servers import ENGINES
from tests.statistics.test_states import States, jackknife
from tests.tiers import slow

DAYS = [f"2026-03-{day:02}" for day in range(1, 31)]
LATE = "2026-03-17"
ROWS, GROUPS = 6000, 700


def make_log() -> pd.DataFrame:
    """A month; some devices have no name, a session lies in one day, and some rows of one day come `late`."""
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
    """The log before the late rows: some are missing, and those of a late session had another score, in another bin."""
    early = LOG[~LOG["late"]].copy()
    changed = (early["day"] == LATE) & (early["session"] % 2 == 0)
    early.loc[changed, "pctr"] = (early.loc[changed, "pctr"] / 3).round(4)
    return early


class Engine:
    """An engine with both logs, and the macros of states in its dialect."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self.macros = States(engine.dialect)

    def do(self, statement: str) -> None:
        """One statement that changes a table."""
        self._engine.connection.execute(statement)
        if self._engine.dialect == "postgres":
            self._engine.connection.commit()

    def rows(self, statement: str) -> pd.DataFrame:
        """What a query gives."""
        found: pd.DataFrame = self._engine.query(statement)
        return found

    def build(self, name: str, *statements: str) -> None:
        """A table of what the statements give, one after the other."""
        self.do(f"drop table if exists {name}")
        for number, statement in enumerate(statements):
            self.do(f"{f'insert into {name}' if number else f'create table {name} as'}\n{statement}")

    @contextmanager
    def refusing(self, words: str) -> Iterator[None]:
        """A statement that the engine ends, with these words of ours."""
        with pytest.raises(Exception, match=words) as ended:
            yield
        assert not isinstance(ended.value, AssertionError)
        if self._engine.dialect == "postgres":
            self._engine.connection.rollback()


@pytest.fixture(scope="module", params=["duckdb", pytest.param("postgres", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    tables = {"log": pa.Table.from_pandas(LOG, preserve_index=False),
              "arrived": pa.Table.from_pandas(arrived(), preserve_index=False)}  # fmt: skip
    with ENGINES[request.param](tables) as opened:
        yield Engine(opened)


CLICKS: dict[str, Any] = {"label": "clicked", "score": "pctr"}


def test_a_day_with_other_bins_is_no_part_of_the_month(engine: Engine) -> None:
    """It moved the AUC, and its bounds left out the truth."""

    def state(bins: int, where: str, **more: Any) -> str:
        return engine.macros.score_state("log", **CLICKS, bins=bins, by=["day", "device"], where=where, **more)

    engine.build("mixed", state(1000, f"day <> '{LATE}'"), state(100, f"day = '{LATE}'"))
    month = engine.macros.state_metrics("mixed", binned=True)
    both = "state_metrics: the parts were made with different settings (?=.*bins=100;).*bins=1000;"
    with engine.refusing(both):
        engine.rows(month)
    for column in ("n", "auc", "log_loss"):  # whichever one is read
        with engine.refusing(both):
            engine.rows(f"select {column} from ({month.strip()}) as month")
    with engine.refusing(both):
        engine.rows(engine.macros.state_metrics("mixed", binned=True, by=["device"]))
    apart = engine.rows(engine.macros.state_metrics("mixed", binned=True, by=["day"]))
    assert apart["n"].sum() == len(LOG)
    others = engine.rows(engine.macros.state_metrics("mixed", binned=True, where=f"day <> '{LATE}'"))
    rows = LOG[LOG["day"] != LATE]
    area = sk.roc_auc_score(rows["clicked"], rows["pctr"])
    assert others["auc_lower"][0] <= area <= others["auc_upper"][0]
    assert others["n"][0] == len(rows)
    for other in ({"eps": 1e-6}, {"weight": "w"}, {"range": [0, 0.5]}):
        engine.build("mixed", state(1000, f"day <> '{LATE}'"), state(1000, f"day = '{LATE}'", **other))
        with engine.refusing("made with different settings"):
            engine.rows(month)


def test_bins_are_read_as_bins(engine: Engine) -> None:
    engine.build("exact", engine.macros.score_state("log", **CLICKS))
    engine.build("binned", engine.macros.score_state("log", **CLICKS, bins=20))
    engine.build("sums", engine.macros.metric_state("log", ["precision"], **CLICKS))
    with engine.refusing("the state has bins; give binned=true"):
        engine.rows(engine.macros.state_metrics("binned"))
    with engine.refusing("the state has exact scores; leave binned out"):
        engine.rows(engine.macros.state_metrics("exact", binned=True))
    sums = "(select sums.*, 0 as score_key, 0 as negatives, 0 as positives from sums) as those"
    with engine.refusing("the relation is no score_state of this version"):
        engine.rows(engine.macros.state_metrics(sums, metrics=["auc"]))
    engine.do("update exact set made_with = null where score_key > 0.5")
    with engine.refusing("some parts do not say what they were made with"):
        engine.rows(engine.macros.state_metrics("exact"))


def test_a_threshold_is_that_of_the_state(engine: Engine) -> None:
    """The precision at 0.5 was told for that at 0.9."""
    metrics = ["precision", {"name": "recall", "threshold": 0.9, "as": "high"}]
    engine.build("sums", engine.macros.metric_state("log", metrics, **CLICKS, by=["day"]))
    found = engine.rows(engine.macros.metrics_of_state("sums", metrics))
    assert found["precision"][0] == pytest.approx(sk.precision_score(LOG["clicked"], LOG["pctr"] >= 0.5), rel=1e-12)
    assert found["high"][0] == pytest.approx(sk.recall_score(LOG["clicked"], LOG["pctr"] >= 0.9), rel=1e-12)
    engine.rows(engine.macros.metrics_of_state("sums", "precision"))
    with engine.refusing(r"not made for precision = precision\(threshold=0.9, zero_division=none\)"):
        engine.rows(engine.macros.metrics_of_state("sums", [{"name": "precision", "threshold": 0.9}]))
    with engine.refusing(r"not made for high = recall\(threshold=0.5"):
        engine.rows(engine.macros.metrics_of_state("sums", [{"name": "recall", "as": "high"}]))
    late = engine.macros.metric_state("log", metrics, **CLICKS, by=["day"], weight="w", where=f"day = '{LATE}'")
    engine.do(f"delete from sums where day = '{LATE}'")
    engine.do(f"insert into sums\n{late}")
    with engine.refusing("made with different settings(?=.*weight=none).*weight=w"):
        engine.rows(engine.macros.metrics_of_state("sums", metrics))


def test_scores_that_are_no_probabilities_have_a_range(engine: Engine) -> None:
    """Beyond 1 they were all in the last bin."""
    given: dict[str, Any] = {"label": "clicked", "score": "logit", "by": ["day"]}
    for bins in (None, 500):
        with engine.refusing("score_state: the score .* is no probability: give the lowest and the highest"):
            engine.rows(engine.macros.score_state("log", **given, bins=bins))
    area = sk.roc_auc_score(LOG["clicked"], LOG["logit"])
    engine.build("ranked", engine.macros.score_state("log", **given, bins=500, range=[-3, 3]))
    found = engine.rows(engine.macros.state_metrics("ranked", binned=True, metrics=["auc"]))
    assert found["auc_lower"][0] <= area <= found["auc_upper"][0]
    assert found["auc_upper"][0] - found["auc_lower"][0] < 0.01
    assert list(found) == ["n", "auc", "auc_lower", "auc_upper"]
    engine.build("ranked", engine.macros.score_state("log", **given, range=[-3, 3]))
    assert engine.rows(engine.macros.state_metrics("ranked", metrics="auc"))["auc"][0] == pytest.approx(area, rel=1e-12)
    # part of the way from 0 to 1 the other metrics are kept as well
    engine.build("low", engine.macros.score_state("log", **CLICKS, bins=400, range=[0.1, 0.6]))
    found = engine.rows(engine.macros.state_metrics("low", binned=True))
    area = sk.roc_auc_score(LOG["clicked"], LOG["pctr"])
    assert found["auc_lower"][0] <= area <= found["auc_upper"][0]
    assert found["log_loss"][0] == pytest.approx(sk.log_loss(LOG["clicked"], LOG["pctr"]), rel=1e-12)


# A day is built again, once its late rows have come, by what dbt does under each of its strategies.


def deleted_by_day(engine: Engine, kept: str) -> None:
    """delete+insert, unique_key='day'."""
    engine.do(f"delete from {kept} where day in (select day from built)")
    engine.do(f"insert into {kept} select * from built")


def merged_by_key(engine: Engine, kept: str) -> None:
    """merge, unique_key='state_key'; microbatch on PostgreSQL too."""
    names = list(engine.rows(f"select * from {kept} limit 0"))
    engine.do(
        f"merge into {kept} as kept using built on kept.state_key = built.state_key "
        f"when matched then update set {', '.join(f'{name} = built.{name}' for name in names)} "
        f"when not matched then insert ({', '.join(names)}) values ({', '.join(f'built.{name}' for name in names)})"
    )


def deleted_by_key(engine: Engine, kept: str) -> None:
    """delete+insert, unique_key='state_key'."""
    engine.do(f"delete from {kept} where state_key in (select state_key from built)")
    engine.do(f"insert into {kept} select * from built")


def deleted_by_batch(engine: Engine, kept: str) -> None:
    """Microbatch on DuckDB and most engines."""
    engine.do(f"delete from {kept} where day >= '{LATE}' and day < '{DAYS[DAYS.index(LATE) + 1]}'")
    engine.do(f"insert into {kept} select * from built")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("strategy", [deleted_by_day, merged_by_key, deleted_by_key, deleted_by_batch])
@pytest.mark.parametrize("buckets", [None, 20])
def test_a_day_with_late_rows_is_what_the_log_says(engine: Engine, strategy: Any, buckets: int | None) -> None:
    """NULL devices were added again at every run, and bins that had vanished stayed."""
    given = {**CLICKS, "bins": 200, "by": ["day", "device"]}
    sure = {} if buckets is None else {"buckets": buckets, "cluster": "user_id"}
    engine.build("kept", engine.macros.score_state("arrived", **given, **sure))
    before = engine.rows(engine.macros.state_metrics("kept", binned=True))
    again = engine.macros.score_state("log", **given, **sure, where=f"day = '{LATE}'", previous="kept")
    for _ in range(3):  # nothing is added by building it once more
        engine.build("built", again)
        strategy(engine, "kept")
    keys = engine.rows("select count(*) as parts, count(distinct state_key) as keys from kept")
    assert keys["parts"][0] == keys["keys"][0]
    engine.build("directly", engine.macros.score_state("log", **given, **sure))
    columns = "day, device, score_key, row_count, positives, negatives, log_loss_sum, score_sum, state_key, made_with"
    order = f"select {columns} from %s where row_count > 0 order by state_key"
    pd.testing.assert_frame_equal(engine.rows(order % "kept"), engine.rows(order % "directly"), rtol=1e-12)
    confidence = None if buckets is None else 0.9
    read: dict[str, Any] = {"binned": True, "confidence": confidence, "standard_error": confidence is not None}
    [month] = engine.rows(engine.macros.state_metrics("kept", **read)).to_dict("records")
    area = sk.roc_auc_score(LOG["clicked"], LOG["pctr"])
    assert month["n"] == len(LOG) > before["n"][0]
    assert month["auc_lower"] <= area <= month["auc_upper"]
    assert month["log_loss"] == pytest.approx(sk.log_loss(LOG["clicked"], LOG["pctr"]), rel=1e-12)
    if buckets is not None:  # a bucket that has vanished is none that is left out
        error = jackknife(LOG, lambda rows: sk.log_loss(rows["clicked"], rows["pctr"]), buckets)
        assert month["log_loss_se"] == pytest.approx(error, rel=1e-9)
        reach = stats.t(buckets - 1).ppf(0.95) * error
        assert month["log_loss_high"] - month["log_loss"] == pytest.approx(reach, rel=1e-3)


def test_without_the_state_as_it_was_merging_keeps_what_vanished(engine: Engine) -> None:
    """What `previous` is for: the same run without it counts rows of the bins that there are no longer."""
    given = {**CLICKS, "bins": 200, "by": ["day", "device"]}
    engine.build("kept", engine.macros.score_state("arrived", **given))
    engine.build("built", engine.macros.score_state("log", **given, where=f"day = '{LATE}'"))
    merged_by_key(engine, "kept")
    assert engine.rows(engine.macros.state_metrics("kept", binned=True))["n"][0] > len(LOG)


def test_a_day_that_has_vanished_altogether(engine: Engine) -> None:
    given: dict[str, Any] = {"label": "y", "score": "y_hat", "by": ["day"]}
    engine.build("kept", engine.macros.metric_state("log", ["mae", "max_error"], **given))
    gone = f"(select * from log where day <> '{LATE}') as remaining"
    engine.build("built", engine.macros.metric_state(gone, ["mae", "max_error"], **given, previous="kept"))
    merged_by_key(engine, "kept")
    found = engine.rows(engine.macros.metrics_of_state("kept", ["mae", "max_error"]))
    rows = LOG[LOG["day"] != LATE]
    assert found["n"][0] == len(rows)
    assert found["mae"][0] == pytest.approx(sk.mean_absolute_error(rows["y"], rows["y_hat"]), rel=1e-12)
    assert found["max_error"][0] == pytest.approx(sk.max_error(rows["y"], rows["y_hat"]), rel=1e-12)
    assert LATE not in set(engine.rows(engine.macros.metrics_of_state("kept", "mae", by="day"))["day"])


#: Metrics of groups, with the roles that they need besides.
OF_GROUPS: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "ranking": (["ndcg@5", "map", "mrr@3", {"name": "hit_rate", "k": 1}, "precision@3",
                 {"name": "recall_at_k", "k": 3, "average": "micro"},
                 {"name": "ndcg", "empty": "zero", "as": "all_of_them"}], {}),
    "order in groups": (["gauc", {"name": "gauc", "weights": "positives", "as": "by_positives"},
                         {"name": "gauc", "weights": "uniform", "as": "uniform"}], {}),
    "weighted": (["gauc", {"name": "gauc", "weights": "positives", "as": "by_positives"}], {"weight": "w"}),
}  # fmt: skip


@pytest.mark.parametrize("kind", OF_GROUPS)
@pytest.mark.parametrize("by", [[], ["device"]], ids=["overall", "by device"])
def test_metrics_of_groups(engine: Engine, kind: str, by: list[str]) -> None:
    """The sums over the groups of each day, against the log; a group of a day and device is what it is there."""
    metrics, roles = OF_GROUPS[kind]
    given: dict[str, Any] = {**CLICKS, **roles, "group": "session"}
    engine.build("groups", engine.macros.metric_state("log", metrics, **given, by=["day", *by]))
    found = engine.rows(engine.macros.metrics_of_state("groups", metrics, by=by))
    direct = sqlmetrics.evaluate(LOG, metrics, **given, by=by)
    pd.testing.assert_frame_equal(found, direct, rtol=1e-12, check_dtype=False)


@pytest.mark.slow
def test_metrics_of_groups_with_an_interval(engine: Engine) -> None:
    """By the values without each bucket of groups."""
    given: dict[str, Any] = {**CLICKS, "group": "session"}
    state = engine.macros.metric_state("log", ["gauc"], **given, by=["day"], buckets=20, cluster="session")
    engine.build("groups", state)
    text = engine.macros.metrics_of_state("groups", ["gauc"], confidence=0.9, standard_error=True)
    [found] = engine.rows(text).to_dict("records")

    areas = pd.DataFrame([
        {"user_id": str(session), "size": len(rows), "area": sk.roc_auc_score(rows["clicked"], rows["pctr"])}
        for session, rows in LOG.groupby("session") if rows["clicked"].nunique() == 2
    ])  # fmt: skip

    def gauc(groups: pd.DataFrame) -> float:
        return float(np.average(groups["area"], weights=groups["size"]))

    assert found["gauc"] == pytest.approx(gauc(areas), rel=1e-12)
    assert found["gauc_se"] == pytest.approx(jackknife(areas, gauc, 20), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [True, *slow(False)], ids=["in few states", "alone"])
def test_every_additive_metric_is_kept(engine: Engine, at_once: bool) -> None:
    """Each that `metric_state` says it takes, with its defaults: the state of days against the log."""
    names = engine.macros.additive_metrics()
    assert {"mae", "ndcg", "gauc", "precision", "log_loss", "kendall_tau", "anlp", "multi_log_loss"} <= {*names}
    assert {"r2", "d2_tweedie", "macro_f1", "class_report", "field_ece"} <= {*names}
    assert {"coverage", "diversity", "exposure_entropy", "gini_exposure", "novelty", "personalization"} <= {*names}
    assert not {"auc", "ece", "medae", "multi_auc", "gc_n", "group_auc"} & {*names}
    of_classes = {"scores": {"0.0": "= 1 - pctr", "1.0": "pctr"}}
    further = {"err": {"max_label": 1}, "multi_log_loss": of_classes, "top_k_accuracy": {"k": 1, **of_classes},
               "interpolated_precision": {"recall": 0.5}, "interval_score": {"alpha": 0.1},
               "crps": {"quantiles": {0.1: "= pctr / 2", "0.9": "pctr"}}}  # fmt: skip
    roles = {"label": "clicked", "score": "pctr", "group": "session", "p_price": "pctr", "p_survive": "= 1 - pctr",
             "won": "clicked", "reward": "clicked", "propensity": "= (pctr + 1) / 3", "target": "= 1 - pctr / 2",
             "q_action": "pctr", "q_policy": "= pctr / 2", "field": "= coalesce(device, 'none')",
             "lower_bound": "= pctr / 2", "upper_bound": "= pctr + 0.1",
             "prediction": "= case when pctr > 0.4 then 1 else 0 end", "item": "doc",
             "subtopic": "= coalesce(device, 'none')"}  # fmt: skip
    pairs = "select distinct doc as item_a, doc + 1 as item_b, 0.5 as similarity from log"
    relations = {"catalog": "select doc from log where doc < 90", "similarity": pairs,
                 "popularity": "select doc, count(*) as count from log where doc > 9 group by doc",
                 "history": "select distinct session, doc + 1 as doc from log where doc > 9",
                 "item_categories": "select distinct doc, 'genre ' || doc % 3 as category from log",
                 "expected_items": "select distinct doc from log where doc % 4 = 0",
                 "embeddings": "select distinct doc, 1 as dimension, doc % 5 - 1.5 as value from log"}  # fmt: skip
    of_states = {name: f"({text}) as {name}" for name, text in relations.items()}
    of_log = {name: engine.rows(text) for name, text in relations.items()}
    asked: dict[str, list[Any]] = {}
    some = ["anlp", "f1_at_k", "kendall_tau", "smape", "mcc", "r2", "gini_exposure"]
    for name in names if engine.macros._dialect == "duckdb" else some:
        metric = sqlmetrics.catalogue.builtin_catalogue().metrics[name]
        given = {role: column for role, column in roles.items() if role in metric.roles()}
        if name == "gamma_deviance":  # of what is above 0
            given["label"] = "= clicked + 1"
        if name == "rips":  # of an order
            given["rank"] = "= 101 - 100 * pctr"
        must = {key: 3 for key, parameter in metric.parameters.items() if parameter.required}
        spec = {"name": name, **must, **further.get(name, {})}
        if metric.truth == "binary or class":  # of classes: in test_states_of_means_and_counts.py
            del given["prediction"]
        later = {one: of_states[one] for one in metric.relations if one in ("catalog", "popularity")}
        in_state = {one: of_states[one] for one in metric.relations if one in of_states and one not in later}
        read = {one: of_log[one] for one in metric.relations if one in of_log}
        if metric.family != "recommender" and "subtopic" not in given:
            given.pop("item", None)
        # A table stands alone, and those of other columns count other rows.
        together = at_once and not metric.table and not {*spec} & {"scores", "quantiles"}
        asked.setdefault(repr((given, in_state, later, None if together else name)), []).append(
            (spec, given, in_state, later, read)
        )
    wrong = []
    for calls in asked.values():
        specs = [spec for spec, *_ in calls]
        _, given, in_state, later, read = calls[0]
        engine.build("kept", engine.macros.metric_state("log", specs, **given, **in_state, by=["day"]))
        item = {"item": "doc"} if later else {}
        found = engine.rows(engine.macros.metrics_of_state("kept", specs, **later, **item))
        direct = sqlmetrics.evaluate(LOG, specs, **given, **read)
        assert list(found) == list(direct)
        for name in direct:
            if not np.allclose(found[name].astype(float), direct[name].astype(float), rtol=1e-11, atol=0):
                wrong.append((name, found[name].tolist(), direct[name].tolist()))
    assert not wrong


def test_what_is_refused() -> None:
    macros = States()
    for call, words in [
        (lambda: macros.score_state("log", **CLICKS, bins=9, range=[1, 0]), "range must be the lowest and the highest"),
        (lambda: macros.score_state("log", **CLICKS, bins=9, range="0 1"), "range must be the lowest and the highest"),
        (lambda: macros.score_state("log", **CLICKS, previous_where="day = 1"), "previous_where has a meaning with"),
        (lambda: macros.score_state("log", **CLICKS, previous="kept", previous_where=" "), "previous_where must be"),
        (lambda: macros.state_metrics("state", metrics=["ece"]), "ece needs binned=true"),
        (lambda: macros.state_metrics("state", metrics=["ks"]), "has auc, log_loss, brier, copc, pcoc, not 'ks'"),
        (
            lambda: macros.metric_state("log", ["medae"], **CLICKS),
            "medae cannot be added up from parts: the median .* takes accuracy, .*, wmape",
        ),
        (
            lambda: macros.metric_state("log", "gauc", **CLICKS, group="s", buckets=9, cluster="u"),
            "give cluster what group is",
        ),
        (lambda: macros.metric_state("log", ["mae", "gauc"], **CLICKS, group="s"), "count different rows"),
        (lambda: macros.metric_state("log", ["mae"], **CLICKS, by="State_Key"), "by: 'State_Key' is the name of"),
    ]:
        with pytest.raises(sqlmetrics.SqlMetricsError, match=words):
            call()
