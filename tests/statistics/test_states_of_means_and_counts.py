"""States with more than sums: around a mean, and counts by class, field or item. Against other tools."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sqlmetrics
from tests.data import slices_of
from tests.parameters import quick_every, slow
from tests.statistics.copies import without_each_bucket
from tests.statistics.test_states import DAYS

ROWS, USERS, BUCKETS = 1200, 40, 12


def make_log() -> pd.DataFrame:
    """Targets far from 0 with a small variance, counts, classes and clicks; a user and a device are NULL."""
    rng = np.random.default_rng(29)
    near = 1e6 + rng.uniform(-1, 1, ROWS)
    counts = rng.poisson(2, ROWS).astype(float)
    label = rng.choice(["a", "b", "c"], ROWS)
    return pd.DataFrame({
        "day": rng.choice(DAYS, ROWS), "device": rng.choice(["phone", "desktop", None], ROWS),
        "user_id": [f"user {number}" if number else None for number in rng.integers(0, USERS, ROWS)],
        "w": rng.integers(0, 4, ROWS) / 2.0,
        "near": near, "near_hat": near + rng.normal(0.2, 0.4, ROWS),
        "counts": counts, "counts_hat": (counts + rng.gamma(1.0, 1.0, ROWS)).round(3) + 0.1,
        "truth": label, "called": np.where(rng.random(ROWS) < 0.6, label, rng.choice(["a", "b", "d"], ROWS)),
        "place": rng.choice(["top", "side", "foot"], ROWS), "clicked": rng.integers(0, 2, ROWS).astype(float),
        "pctr": rng.random(ROWS).round(3),
    })  # fmt: skip


def make_lists() -> pd.DataFrame:
    """Lists of one to nine items with tied scores; a session has a single day and device."""
    rng = np.random.default_rng(41)
    popular = 1 / np.arange(1, 41)
    rows = []
    for number in range(150):
        device = rng.choice(["phone", "desktop", None])
        for item in rng.choice(40, rng.integers(1, 10), replace=False, p=popular / popular.sum()):
            row = (DAYS[number // 50], device, f"session {number}", int(item), rng.integers(0, 6) / 4)
            rows.append((*row, int(rng.integers(9)), float(rng.integers(2))))
    return pd.DataFrame(rows, columns=["day", "device", "session", "sku", "score", "doc", "clicked"])


LOG, LISTS = make_log(), make_lists()
#: Catalog and popularity share some of the items with the lists.
CATALOG = pd.DataFrame({"sku": [*range(3, 50), None, 3]}, dtype="Int64")
POPULARITY = pd.DataFrame({"sku": range(30), "count": [*range(29, 0, -1), 0]})
SIMILARITY = pd.DataFrame(
    [(a, b, (7 * a + 5 * b) % 9 / 8) for a in range(40) for b in range(a) if (a + b) % 4],
    columns=["item_a", "item_b", "similarity"],
)
#: Judgments of every second session, and of sessions without a list; no row of every fifth one is relevant.
JUDGED = pd.DataFrame({"session": [*LISTS["session"].unique()[::2], *(f"session {n}" for n in range(900, 930))]})
JUDGED = JUDGED.assign(sku=JUDGED.index % 40, clicked=np.where(JUDGED.index % 5 == 0, 0.0, 1.0))
TABLES = {"log": LOG, "shown": LISTS, "items": CATALOG, "popular": POPULARITY, "pairs": SIMILARITY, "judged": JUDGED}
CLICKS: dict[str, Any] = {"label": "clicked", "score": "pctr"}
ROLES: dict[str, Any] = {"score": "score", "group": "session", "item": "sku"}
NEAR: dict[str, Any] = {"label": "near", "score": "near_hat"}
CLASSES: dict[str, Any] = {"label": "truth", "prediction": "called"}
ITEMS = ["coverage", "gini_exposure", "novelty", "average_popularity", "exposure_entropy", "personalization"]


class StateCase(NamedTuple):
    """The roles and metrics of a state, its table, and the settings of a state of scores."""

    roles: dict[str, Any]
    metrics: list[str]
    table: str = "log"
    scores: dict[str, Any] | None = None

    @property
    def of_state(self) -> dict[str, Any]:
        """The arguments of `state`, with the names of tables."""
        return self.roles | ({"metrics": self.metrics} if self.scores is None else self.scores)

    @property
    def of_reader(self) -> dict[str, Any]:
        """The arguments of `evaluate_states`, with the names of tables."""
        return {"catalog": "items", "popularity": "popular", "item": "sku"} if self.metrics[0] in ITEMS else {}

    @property
    def cluster(self) -> str:
        return "user_id" if self.table == "log" else "session"


STATE_CASES = {
    "weighted means": StateCase({**NEAR, "weight": "w"}, ["r2", "explained_variance", "mae", "pearson_correlation"]),
    "around means": StateCase(NEAR, ["r2", "explained_variance", "mae", "rmse", "pearson_correlation",
                                     "concordance_correlation"]),
    "deviances": StateCase({"label": "counts", "score": "counts_hat", "weight": "w"},
                           ["d2_poisson = d2_tweedie(power=1)", "d2_tweedie", "r2"]),
    "lists": StateCase(ROLES, [*ITEMS, "coverage@3", "personalization@3", "novelty@1"], "shown"),
    "pairs of items": StateCase({**ROLES, "similarity": "pairs"}, ["diversity", "diversity@3"], "shown"),
    "scores": StateCase({**CLICKS, "weight": "w"}, ["auc", "log_loss", "brier", "copc"], scores={}),
    "bins": StateCase(CLICKS, ["ece", "log_loss"], scores={"bins": 10}),
    "groups": StateCase({"label": "clicked", "score": "score", "group": "session"}, ["gauc"], "shown"),
    "classes": StateCase({**CLASSES, "weight": "w"},
                         ["macro_f1", "weighted_f1", "micro_f1", "cohens_kappa", "multi_mcc"]),
    "shares of classes": StateCase(CLASSES, ["accuracy", "error_rate"]),
    "predictions": StateCase({"label": "clicked", "prediction": "= case when pctr > 0.4 then 1 else 0 end"},
                             ["accuracy", "error_rate"]),
    "fields": StateCase({**CLICKS, "field": "place", "weight": "w"}, ["field_ece", "field_rce"]),
}  # fmt: skip
#: Metrics of several frames in one state: some frames have groups that others drop, such as sessions without a list.
FRAMES = [
    ["map", "of_one = map(missing='skip', empty='one')", "of_zero = gm_map(missing='skip', empty='zero')",
     "pooled = precision_at_k(k=2, average='micro', missing='skip', empty='zero')",
     "alike = compatibility(missing='skip', empty='one')"],
    ["gauc", "by_positives = gauc(weights='positives')", "ndcg", "all_groups = ndcg(empty='zero')", "kendall_tau",
     "uniform = gauc(weights='uniform')", "pairwise_accuracy", "err(max_label=2)", "hit_rate@1", "mrr@3",
     "recall_at_k(k=3, average='micro')"],
]  # fmt: skip


def with_tables(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments with tables in place of their names."""
    return {name: TABLES.get(value, value) if isinstance(value, str) else value for name, value in arguments.items()}


@pytest.mark.parametrize("name", quick_every(len(STATE_CASES), STATE_CASES))
def test_states_match_log(name: str) -> None:
    """The intervals come from the values without each bucket of clusters; parts without rows change nothing."""
    case = STATE_CASES[name]
    rows, read = TABLES[case.table], with_tables(case.of_reader)
    settings = with_tables(case.of_state) | {"by": ["day", "device"], "buckets": BUCKETS, "cluster": case.cluster}
    state, empty = (sqlmetrics.state(rows, **settings, where=where) for where in ("day <> 'never'", "day = 'never'"))
    sure: dict[str, Any] = {**read, "by": "device", "confidence": 0.9, "standard_error": True}
    result = sqlmetrics.evaluate_states(pd.concat([state, empty.astype(state.dtypes)]), case.metrics, **sure)
    evaluate = functools.partial(sqlmetrics.evaluate, metrics=case.metrics, **with_tables(case.roles) | read)
    expected = evaluate(rows, by="device")
    pd.testing.assert_frame_equal(result[list(expected)], expected, rtol=1e-9)
    pd.testing.assert_frame_equal(
        sqlmetrics.evaluate_states(state, case.metrics, **read, by="device"), expected, rtol=1e-9
    )
    parts = pd.concat([copy.assign(left_out=number) for _, part in slices_of(rows, ["device"])
                       for number, copy in enumerate(without_each_bucket(part, case.cluster, BUCKETS))])  # fmt: skip
    values = evaluate(parts, by=["device", "left_out"]).groupby("device", dropna=False)
    assert result["device"].fillna("none").tolist() == values.size().rename({np.nan: "none"}).index.tolist()
    for metric in [*expected][2:]:
        error, count = (values[metric].agg(name).to_numpy() for name in ("var", "size"))
        error = (count - 1) / np.sqrt(count) * np.sqrt(error)
        error[error <= 1e-12] = np.nan  # the value is the same without each bucket
        low = result[f"{metric}_low"]
        assert result[f"{metric}_se"].tolist() == pytest.approx(error, rel=1e-6, nan_ok=True), metric
        half_width = stats.t(count - 1).ppf(0.95) * error
        assert (result[metric] - low)[low != 0].tolist() == pytest.approx(half_width[low != 0], rel=1e-3, nan_ok=True)
    none = sqlmetrics.evaluate_states(state, case.metrics, **sure | {"by": None}, where="day = 'never'")
    assert list(none) == [*result][1:]
    assert none["n"].tolist() == [0]
    assert none.drop(columns="n").isna().all(axis=None)


@pytest.mark.parametrize("metrics", slow(*FRAMES))
def test_metrics_of_several_frames_share_state(metrics: list[str]) -> None:
    roles: dict[str, Any] = {**ROLES, "label": "clicked", "judgments": JUDGED}
    if "gauc" in metrics:
        roles = {"label": "clicked", "score": "score", "group": "session"}
    result = sqlmetrics.evaluate_states(sqlmetrics.state(LISTS, metrics, **roles), metrics)
    pd.testing.assert_frame_equal(result, sqlmetrics.evaluate(LISTS, metrics, **roles), rtol=1e-12)


def test_counts_of_classes_give_every_metric_and_table() -> None:
    """A state for one metric supports others, with parameters that it was not built with."""
    state = sqlmetrics.state(LOG, "macro_f1", **CLASSES, by=["day", "device"])
    assert state["row_count"].sum() == len(LOG)
    for metric, by in (("class_report", None), ("class_confusion", "device"), ("macro_f1(form='f1_of_means')", None)):
        expected = sqlmetrics.evaluate(LOG, metric, **CLASSES, by=by)
        pd.testing.assert_frame_equal(sqlmetrics.evaluate_states(state, metric, by=by), expected, rtol=1e-12)


@pytest.mark.slow
def test_unknown_items_of_lists() -> None:
    unknown: dict[str, Any] = {"catalog": CATALOG.head(0), "popularity": POPULARITY.assign(sku=POPULARITY["sku"] + 99)}
    state = sqlmetrics.state(LISTS, ITEMS, **ROLES)
    result = sqlmetrics.evaluate_states(state, ITEMS, **unknown, item="sku")
    pd.testing.assert_frame_equal(result, sqlmetrics.evaluate(LISTS, ITEMS, **ROLES, **unknown), rtol=1e-12)
    assert result[["coverage", "gini_exposure", "novelty"]].isna().all(axis=None)
    assert result["average_popularity"].tolist() == [0]
    counts = POPULARITY.astype({"count": "Int64"}).assign(count=lambda rows: rows["count"].mask(rows["sku"] == 4))
    with pytest.warns(sqlmetrics.DroppedRows, match="popularity in 1 row"):
        result = sqlmetrics.evaluate_states(state, "novelty", popularity=counts, item="sku")
    expected = sqlmetrics.evaluate(LISTS, "novelty", **ROLES, popularity=counts.dropna())
    assert result["novelty"][0] == pytest.approx(expected["novelty"][0])
    single = LISTS.groupby("session").head(1)
    state = sqlmetrics.state(single, "diversity", **ROLES, similarity=SIMILARITY)
    row = sqlmetrics.evaluate_states(state, "diversity").iloc[0]
    assert (row["n"], pd.isna(row["diversity"])) == (len(single), True)


def test_states_reject_other_metrics_and_settings() -> None:
    state, evaluate = sqlmetrics.state, sqlmetrics.evaluate_states
    means, classes = state(LOG, "r2", **NEAR, by="day"), state(LOG, "macro_f1", **CLASSES, by="day")
    parts = state(LISTS, ["coverage@3", "personalization"], **ROLES, by="day")
    longer = state(LISTS, ["coverage@5"], **ROLES, by="day", where=f"day > '{DAYS[0]}'")
    catalog: dict[str, Any] = {"catalog": CATALOG, "item": "sku"}
    doubled = pd.concat([POPULARITY, POPULARITY.head(1)])
    parameter, data = sqlmetrics.BadParameter, sqlmetrics.BadData
    cases: list[tuple[type[Exception], str, Callable[[], Any]]] = [
        (parameter, "no column label_class; request the metrics in made_for", lambda: evaluate(means, "macro_f1")),
        (data, r"not made for r2 = r2\(force_finite=False\) in .* it were made for: mae = mae\(\);",
         lambda: evaluate(means.assign(made_for="mae = mae();"), "r2")),
        (parameter, "or use different frames", lambda: evaluate(classes, ["macro_f1", "field_ece"])),
        (parameter, "are in different states", lambda: evaluate(means, ["r2", "macro_f1"])),
        (parameter, "class_report is a table; request it", lambda: evaluate(classes, ["class_report", "macro_f1"])),
        (parameter, "by: the slice 'label_class' has the name of a column of every state",
         lambda: state(LOG.assign(label_class=1), "macro_f1", **CLASSES, by="label_class")),
        (data, r"the state was not made for coverage_at_3 in (\d+) of (?!\1)\d+ parts; read the parts that .*state$",
         lambda: evaluate(pd.concat([parts[parts["day"] == DAYS[0]], longer]), "coverage@3", **catalog)),
        (parameter, "popularity is not used by personalization; remove it",
         lambda: evaluate(parts, "personalization", popularity=POPULARITY)),
        (parameter, "item requires catalog or popularity",
         lambda: evaluate(parts, "personalization", item="sku")),
        (sqlmetrics.MissingColumn, "catalog: there is no column 'item_id'",
         lambda: evaluate(parts, "coverage@3", catalog=CATALOG)),
        (data, "popularity holds two counts of one item",
         lambda: evaluate(state(LISTS, "novelty", **ROLES), "novelty", popularity=doubled, item="sku")),
        (parameter, "accuracy and macro_f1 use different columns",
         lambda: state(LOG, ["macro_f1", "accuracy"], **CLASSES)),
        (parameter, "catalog requires a state of metrics",
         lambda: evaluate(state(LOG, label="clicked", score="pctr"), catalog=CATALOG)),
    ]  # fmt: skip
    for error, message, call in cases:
        with pytest.raises(error, match=message):
            call()
