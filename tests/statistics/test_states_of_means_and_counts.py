"""States whose parts are more than sums: around a mean, counts by class, field or item. Against other tools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats
from sklearn import metrics as sk

import sqlmetrics
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests.data import slices_of
from tests.engines.servers import ENGINES
from tests.oracles import recommender
from tests.parameters import slow
from tests.statistics.test_states import DAYS, ece, jackknife

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
    """Lists of one to nine items with tied scores; a session lies in one day and on one device."""
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
Value = Callable[[pd.DataFrame, str | None], float]


def weights(rows: pd.DataFrame, weight: str | None) -> Any:
    return None if weight is None else rows[weight].to_numpy()


def tool(function: Any, label: str, prediction: str, **arguments: Any) -> Value:
    return lambda d, w: float(function(d[label], d[prediction], sample_weight=weights(d, w), **arguments))


def of_fields(rows: pd.DataFrame, weight: str | None) -> pd.DataFrame:
    """The weight, clicks and predictions of each value of the field."""
    w = np.ones(len(rows)) if weight is None else rows[weight]
    sums = pd.DataFrame({"place": rows["place"], "n": w, "y": w * rows["clicked"], "p": w * rows["pctr"]})
    return sums.groupby("place").sum()


def field_ece(rows: pd.DataFrame, weight: str | None) -> float:
    of = of_fields(rows, weight)
    return float((of["p"] - of["y"]).abs().sum() / of["n"].sum())


def field_rce(rows: pd.DataFrame, weight: str | None) -> float:
    of = of_fields(rows, weight)
    return float((of["n"] * (of["p"] - of["y"]).abs() / of["y"]).sum() / of["n"].sum())


def gauc(rows: pd.DataFrame, weight: str | None) -> float:
    areas = []
    for _, group in rows.groupby("session"):
        higher, lower = (group["score"][group["clicked"] == label].to_numpy() for label in (1, 0))
        if len(higher) and len(lower):
            wins = (higher[:, None] > lower) + (higher[:, None] == lower) / 2
            areas.append((wins.mean(), len(group)))
    values, sizes = np.array(areas).T
    return float(np.average(values, weights=sizes))


def covariances(rows: pd.DataFrame, weight: str | None) -> Any:
    """The covariances of the two columns far from 0, and the difference of their means."""
    difference = np.average(rows["near"] - rows["near_hat"], weights=weights(rows, weight))
    matrix = np.cov(rows["near"], rows["near_hat"], aweights=weights(rows, weight), ddof=0)
    return (*matrix.ravel()[[0, 1, 3]], difference)


def pearson(rows: pd.DataFrame, weight: str | None) -> float:
    variance, covariance, other_variance, _ = covariances(rows, weight)
    return float(covariance / np.sqrt(variance * other_variance))


def concordance(rows: pd.DataFrame, weight: str | None) -> float:
    variance, covariance, other_variance, difference = covariances(rows, weight)
    return float(2 * covariance / (variance + other_variance + difference**2))


def of_lists(name: str, k: int | None = None, tie_key: str = "sku") -> Value:
    parameters = SimpleNamespace(k=k, catalog=CATALOG.astype(object).rename(columns={"sku": "item"}),
                                 popularity=POPULARITY, similarity=SIMILARITY)  # fmt: skip

    def value(rows: pd.DataFrame, weight: str | None = None) -> float:
        named = rows.assign(group=rows["session"], item=rows["sku"], tie_key=rows[tie_key].astype(float))
        return float(getattr(recommender, name)(named, parameters))

    return value


class Kind(NamedTuple):
    """The roles and relations of a state, those of its reader, and the oracle of each metric."""

    roles: dict[str, Any]
    values: dict[str, Value]
    read: dict[str, Any]
    table: str = "log"
    keeps_scores: bool = False


ITEMS = ["coverage", "gini_exposure", "novelty", "average_popularity", "exposure_entropy", "personalization"]
ROLES: dict[str, Any] = {"score": "score", "group": "session", "item": "sku"}
READ: dict[str, Any] = {"catalog": "items", "popularity": "popular", "item": "sku"}
near, counts, classes, clicks = ("near", "near_hat"), ("counts", "counts_hat"), ("truth", "called"), ("clicked", "pctr")
f1 = {name: tool(sk.f1_score, *classes, average=name, zero_division=0) for name in ("macro", "weighted", "micro")}
KINDS = {
    "scores": Kind({"label": "clicked", "score": "pctr"}, {
        "auc": tool(sk.roc_auc_score, *clicks), "log_loss": tool(sk.log_loss, *clicks),
        "brier": tool(sk.brier_score_loss, *clicks),
        "copc": lambda d, w: float(np.average(d["clicked"], weights=weights(d, w)) /
                                   np.average(d["pctr"], weights=weights(d, w))),
    }, {}, keeps_scores=True),
    "bins": Kind({"label": "clicked", "score": "pctr", "bins": 10}, {
        "ece": lambda d, _: ece(d), "log_loss": tool(sk.log_loss, *clicks),
    }, {}, keeps_scores=True),
    "groups": Kind({"label": "clicked", "score": "score", "group": "session"}, {"gauc": gauc}, {}, "shown"),
    "around means": Kind({"label": "near", "score": "near_hat"}, {
        "r2": tool(sk.r2_score, *near), "explained_variance": tool(sk.explained_variance_score, *near),
        "mae": tool(sk.mean_absolute_error, *near), "rmse": tool(sk.root_mean_squared_error, *near),
        "pearson_correlation": pearson, "concordance_correlation": concordance,
    }, {}),
    "deviances": Kind({"label": "counts", "score": "counts_hat"}, {
        "d2_poisson = d2_tweedie(power=1)": tool(sk.d2_tweedie_score, *counts, power=1),
        "d2_tweedie": tool(sk.d2_tweedie_score, *counts, power=1.5), "r2": tool(sk.r2_score, *counts),
    }, {}),
    "classes": Kind({"label": "truth", "prediction": "called"}, {
        "macro_f1": f1["macro"], "weighted_f1": f1["weighted"], "micro_f1": f1["micro"],
        "cohens_kappa": tool(sk.cohen_kappa_score, *classes), "multi_mcc": tool(sk.matthews_corrcoef, *classes),
    }, {}),
    "shares of classes": Kind({"label": "truth", "prediction": "called"}, {
        "accuracy": tool(sk.accuracy_score, *classes), "error_rate": tool(sk.zero_one_loss, *classes),
    }, {}),
    "predictions": Kind({"label": "clicked", "prediction": "= case when pctr > 0.4 then 1 else 0 end"}, {
        "accuracy": lambda d, w: sk.accuracy_score(d["clicked"], d["pctr"] > 0.4, sample_weight=weights(d, w)),
        "error_rate": lambda d, w: sk.zero_one_loss(d["clicked"], d["pctr"] > 0.4, sample_weight=weights(d, w)),
    }, {}),
    "fields": Kind({"label": "clicked", "score": "pctr", "field": "place"},
                   {"field_ece": field_ece, "field_rce": field_rce}, {}),
    "lists": Kind(ROLES, {
        **{name: of_lists(name) for name in ITEMS}, "coverage@3": of_lists("coverage", 3),
        "personalization@3": of_lists("personalization", 3), "novelty@1": of_lists("novelty", 1),
    }, READ, "shown"),
    "pairs of items": Kind({**ROLES, "similarity": "pairs"}, {
        "diversity": of_lists("diversity"), "diversity@3": of_lists("diversity", 3)}, {}, "shown"),
}  # fmt: skip
#: Metrics of several frames in one state: some frames have groups that others drop, such as sessions without a list.
FRAMES = [
    ["ndcg", "returned = ndcg(missing='skip')"],
    ["returned = map(missing='skip')", "err(max_label=1)", "judged_at_k@3", "hit = mrr(relevant_at=0.5)"],
    ["map", "of_one = map(missing='skip', empty='one')", "of_zero = gm_map(missing='skip', empty='zero')",
     "pooled = precision_at_k(k=2, average='micro', missing='skip', empty='zero')",
     "alike = compatibility(missing='skip', empty='one')"],
    ["gauc", "by_positives = gauc(weights='positives')", "ndcg", "all_groups = ndcg(empty='zero')", "kendall_tau",
     "uniform = gauc(weights='uniform')", "pairwise_accuracy", "err(max_label=2)", "hit_rate@1", "mrr@3",
     "recall_at_k(k=3, average='micro')"],
]  # fmt: skip


def with_tables(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments with tables in place of their names."""
    return {name: TABLES.get(value, value) for name, value in arguments.items()}


def metrics_of_state(kind: Kind) -> list[str] | None:
    return None if kind.keeps_scores else [*kind.values]


def column_of(metric: str) -> str:
    return metric.partition(" = ")[0].replace("@", "_at_")


def days(kind: Kind, metrics: Any = None, **further: Any) -> pd.DataFrame:
    """The states of all days, each built on its own."""
    metrics = metrics or metrics_of_state(kind)
    return pd.concat([
        sqlmetrics.state(TABLES[kind.table], metrics, **with_tables(kind.roles), where=f"day = '{day}'", **further)
        for day in DAYS
    ])  # fmt: skip


DEVICE = ["device"]
CASES: list[tuple[str, str | None, list[str]]] = [
    ("scores", "w", DEVICE), ("bins", None, []), ("groups", None, DEVICE), ("around means", None, DEVICE),
    ("around means", "w", []), ("deviances", "w", DEVICE), ("classes", "w", DEVICE), ("shares of classes", None, []),
    ("predictions", None, []), ("fields", "w", DEVICE), ("lists", None, DEVICE), ("pairs of items", None, DEVICE),
]  # fmt: skip


@pytest.mark.parametrize(("name", "weight", "by"), CASES)
def test_states_of_days_match_log(name: str, weight: str | None, by: list[str]) -> None:
    """The intervals come from the values without each bucket of clusters."""
    kind = KINDS[name]
    metrics, rows = [*kind.values], TABLES[kind.table]
    cluster = "user_id" if kind.table == "log" else "session"
    weighted = {} if weight is None else {"weight": weight}
    parts = days(kind, **weighted, by=["day", "device"], buckets=BUCKETS, cluster=cluster)
    read: dict[str, Any] = {**with_tables(kind.read), "by": by}
    result = sqlmetrics.evaluate_states(parts, metrics, **read, confidence=0.9, standard_error=True)
    plain = sqlmetrics.evaluate_states(parts, metrics, **read)
    pd.testing.assert_frame_equal(plain, result[list(plain)], rtol=1e-12)
    slices = dict(slices_of(rows, by))
    assert len(result) == len(slices)
    for row in result.to_dict("records"):
        part = slices[tuple(None if pd.isna(row[column]) else row[column] for column in by)]
        assert row["n"] == len(part)
        for metric, value in kind.values.items():
            column = column_of(metric)
            tolerance = 1e-9 if name == "around means" else 1e-10 if name == "bins" else 1e-12
            assert row[column] == pytest.approx(value(part, weight), rel=tolerance, abs=1e-15), metric
            error, count = jackknife(part, lambda some, value=value: value(some, weight), BUCKETS, cluster)
            if error <= 1e-12:  # the value is the same without each bucket
                assert pd.isna([row[f"{column}{end}"] for end in ("_se", "_low", "_high")]).all(), metric
                continue
            assert row[f"{column}_se"] == pytest.approx(error, rel=1e-6), metric
            half_width = stats.t(count - 1).ppf(0.95) * error
            if row[f"{column}_low"] > 0:
                assert row[column] - row[f"{column}_low"] == pytest.approx(half_width, rel=1e-3), metric


@pytest.mark.parametrize("metrics", FRAMES)
def test_metrics_of_several_frames_share_state(metrics: list[str]) -> None:
    roles: dict[str, Any] = {**ROLES, "label": "clicked", "judgments": JUDGED}
    if "gauc" in metrics:
        roles = {"label": "clicked", "score": "score", "group": "session"}
    result = sqlmetrics.evaluate_states(sqlmetrics.state(LISTS, metrics, **roles), metrics)
    pd.testing.assert_frame_equal(result, sqlmetrics.evaluate(LISTS, metrics, **roles), rtol=1e-12)


@pytest.mark.parametrize("name", slow("postgres", "spark", "clickhouse"))
def test_engines_make_and_read_states(name: str) -> None:
    judged = Kind({**ROLES, "label": "clicked", "judgments": "judged"}, dict.fromkeys(FRAMES[2]), {}, "shown")
    state_of = {kind: days(KINDS[kind], by="day") for kind in ("deviances", "lists")}
    tables = {**TABLES, "of_counts": state_of["deviances"], "of_lists": state_of["lists"]}
    with ENGINES[name]({
        key: pa.Table.from_pandas(table, preserve_index=False) for key, table in tables.items()
    }) as engine:  # fmt: skip
        for kind in [*KINDS.values(), judged]:
            metrics = [*kind.values]
            by = [] if kind is judged else ["device"]
            given: dict[str, Any] = {"metrics": metrics_of_state(kind), "by": by, "buckets": BUCKETS,
                                     "cluster": "user_id" if kind.table == "log" else "session"}  # fmt: skip
            there = sqlmetrics.state(kind.table, **given, **kind.roles, engine=engine)
            here = sqlmetrics.state(TABLES[kind.table], **given, **with_tables(kind.roles))
            read: dict[str, Any] = {**with_tables(kind.read), "by": by, "confidence": 0.9}
            result, expected = (sqlmetrics.evaluate_states(state, metrics, **read) for state in (there, here))
            pd.testing.assert_frame_equal(result, expected, rtol=1e-9)
        columns = "'a' as state_key, 1 as row_count, 1 as positives, 1 as negatives, 0.5 as score_key"
        mixed = " union all ".join(f"select 'bins={n};' as made_with, {n} as bins, {columns}" for n in (10, 20))
        message = "cannot end a statement" if name == "clickhouse" else "different settings.*bins=10;.*bins=20;$"
        with pytest.raises(sqlmetrics.SqlMetricsError, match=message):
            sqlmetrics.evaluate_states(mixed, "auc", engine=engine)
        if name != "clickhouse":  # which cannot reject a mixture, and so reads no states
            for kind, table in {"deviances": "of_counts", "lists": "of_lists"}.items():
                metrics = [*KINDS[kind].values]
                there = sqlmetrics.evaluate_states(table, metrics, **KINDS[kind].read, engine=engine)
                here = sqlmetrics.evaluate_states(state_of[kind], metrics, **with_tables(KINDS[kind].read))
                pd.testing.assert_frame_equal(there, here, rtol=1e-12)
            with pytest.raises(sqlmetrics.BadData, match=r"^score .* is outside .* as in range=\[-5, 5\]"):
                sqlmetrics.state("log", label="clicked", score="near", engine=engine)


def test_counts_of_classes_give_every_metric_and_table() -> None:
    """A state for one metric answers others, with parameters that it was not built with."""
    parts = days(KINDS["classes"], "macro_f1", by=["day", "device"])
    assert parts["row_count"].sum() == len(LOG)
    report = sqlmetrics.evaluate_states(parts, "class_report").set_index("class")
    expected = sk.classification_report(LOG["truth"], LOG["called"], output_dict=True, zero_division=0)
    for name in "abcd":
        row = report.loc[name]
        assert [row["precision"], row["recall"], row["f1"], row["support"]] == pytest.approx([*expected[name].values()])
    confusion = sqlmetrics.evaluate_states(parts, "class_confusion", by="device").fillna({"device": "none"})
    counts = LOG.fillna({"device": "none"}).groupby(["device", "truth", "called"]).size().to_dict()
    assert confusion.set_index(["device", "label", "prediction"])["count"].to_dict() == counts
    other = sqlmetrics.evaluate_states(parts, "macro_f1(form='f1_of_means')")
    precision, recall, *_ = sk.precision_recall_fscore_support(
        LOG["truth"], LOG["called"], average="macro", zero_division=0
    )
    assert other["macro_f1"][0] == pytest.approx(2 * precision * recall / (precision + recall), rel=1e-12)


def test_state_of_lists_gives_every_metric_at_its_cut() -> None:
    parts = days(KINDS["lists"], ["coverage@3", "coverage"], by="day")
    metrics = ["mine = personalization(k=3)", "novelty"]
    result = sqlmetrics.evaluate_states(parts, metrics, popularity=POPULARITY, item="sku")
    assert result["mine"][0] == pytest.approx(of_lists("personalization", 3)(LISTS, None), rel=1e-12)
    assert result["novelty"][0] == pytest.approx(of_lists("novelty")(LISTS, None), rel=1e-12)
    with pytest.raises(sqlmetrics.BadParameter, match="it has no column exposures_at_5; ask for what it was made for"):
        sqlmetrics.evaluate_states(parts, "exposure_entropy@5")


@pytest.mark.parametrize("weight", [None, "w"])
def test_equal_labels_have_no_variance(weight: str | None) -> None:
    """Rounding errors of a difference are no variance, neither in a slice nor in the rows without a bucket."""
    constant, single = "= 1000000.1 + 0 * clicked", "= case when user_id = 'user 3' then near else 1000000.1 end"
    given: dict[str, Any] = {"score": "near_hat", "weight": weight, "by": "day", "buckets": 9, "cluster": "user_id"}
    metrics = ["r2", "explained_variance"]
    result = sqlmetrics.evaluate_states(sqlmetrics.state(LOG, metrics, label=constant, **given), metrics)
    assert result[metrics].isna().all(axis=None)
    state = sqlmetrics.state(LOG, "r2", label=single, **given)
    result = sqlmetrics.evaluate_states(state, "r2", confidence=0.9, standard_error=True)
    label = LOG["near"].where(LOG["user_id"] == "user 3", 1000000.1)
    expected = sk.r2_score(label, LOG["near_hat"], sample_weight=weights(LOG, weight))
    assert result["r2"][0] == pytest.approx(expected, rel=1e-9)
    assert result["r2_se"].isna()[0]


@pytest.mark.slow
def test_digits_of_long_log_far_from_zero() -> None:
    """Plain sums of a million rows lose the last digits of the means, which differ little between days."""
    rng = np.random.default_rng(5)
    rows = 1_000_000
    day = rng.integers(0, 20, rows)
    label = 1e6 + rng.uniform(-1, 1, rows) + day / 40
    log = pd.DataFrame({"day": day, "label": label, "score": label + rng.normal(0.1, 0.3, rows)})
    metrics = ["r2", "explained_variance", "pearson_correlation", "concordance_correlation"]
    result = sqlmetrics.evaluate_states(sqlmetrics.state(log, metrics, label="label", score="score", by="day"), metrics)
    y, p = ((log[name] - 1e6).to_numpy().astype(np.longdouble) for name in ("label", "score"))
    error, y_variance, p_variance = y - p, y.var(), p.var()
    covariance = ((y - y.mean()) * (p - p.mean())).mean()
    expected = [1 - (error**2).mean() / y_variance, 1 - error.var() / y_variance,
                covariance / np.sqrt(y_variance * p_variance),
                2 * covariance / (y_variance + p_variance + error.mean() ** 2)]  # fmt: skip
    assert result[metrics].iloc[0].tolist() == pytest.approx([float(value) for value in expected], rel=1e-11)


@pytest.mark.parametrize("name", [name for name in KINDS if name != "bins"])
def test_states_without_rows_or_weight(name: str) -> None:
    kind = KINDS[name]
    rows, metrics = TABLES[kind.table], [*kind.values]
    read = with_tables(kind.read)
    roles = {**with_tables(kind.roles), "metrics": metrics_of_state(kind), "by": "day"}
    empty = sqlmetrics.state(rows, **roles, where="day = 'never'")
    whole = sqlmetrics.state(rows, **roles)
    both = sqlmetrics.evaluate_states(pd.concat([whole, empty.astype(whole.dtypes)]), metrics, **read)
    pd.testing.assert_frame_equal(both, sqlmetrics.evaluate_states(whole, metrics, **read))
    none = sqlmetrics.evaluate_states(whole, metrics, **read, where="day = 'never'")
    assert none["n"].tolist() == [0]
    assert none.drop(columns="n").isna().all(axis=None)
    if kind.table == "log":
        weightless = sqlmetrics.state(rows.assign(w=0.0), **roles, weight="w")
        expected = sqlmetrics.evaluate(rows.assign(w=0.0), metrics, **kind.roles, weight="w")
        pd.testing.assert_frame_equal(sqlmetrics.evaluate_states(weightless, metrics), expected)


def test_unknown_items_of_lists() -> None:
    unknown: dict[str, Any] = {"catalog": CATALOG.head(0), "popularity": POPULARITY.assign(sku=POPULARITY["sku"] + 99)}
    result = sqlmetrics.evaluate_states(sqlmetrics.state(LISTS, ITEMS, **ROLES), ITEMS, **unknown, item="sku")
    pd.testing.assert_frame_equal(result, sqlmetrics.evaluate(LISTS, ITEMS, **ROLES, **unknown), rtol=1e-12)
    assert result[["coverage", "gini_exposure", "novelty"]].isna().all(axis=None)
    assert result["average_popularity"].tolist() == [0]
    single = LISTS.groupby("session").head(1)
    state = sqlmetrics.state(single, "diversity", **ROLES, similarity=SIMILARITY)
    [row] = sqlmetrics.evaluate_states(state, "diversity").to_dict("records")
    assert row["n"] == len(single)
    assert pd.isna(row["diversity"])
    counts = POPULARITY.astype({"count": "Int64"}).assign(count=lambda rows: rows["count"].mask(rows["sku"] == 4))
    state = sqlmetrics.state(LISTS, "novelty", **ROLES)
    with pytest.warns(sqlmetrics.DroppedRows, match="popularity in 1 row"):
        result = sqlmetrics.evaluate_states(state, "novelty", popularity=counts, item="sku")
    expected = sqlmetrics.evaluate(LISTS, "novelty", **ROLES, popularity=counts.dropna())
    assert result["novelty"][0] == pytest.approx(expected["novelty"][0])


def test_tied_scores_follow_tie_key_of_state() -> None:
    metric = "exposure_entropy@2"
    states = [sqlmetrics.state(LISTS, metric, **ROLES, by="day", tie_key=key) for key in (None, "doc")]
    for state, key in zip(states, ("sku", "doc"), strict=True):
        result = sqlmetrics.evaluate_states(state, metric)["exposure_entropy_at_2"][0]
        assert result == pytest.approx(of_lists("exposure_entropy", 2, key)(LISTS, None), rel=1e-12)
    with pytest.raises(sqlmetrics.BadData, match=r"made with different settings .*tie_key=doc"):
        sqlmetrics.evaluate_states(pd.concat(states), metric)


def test_items_of_text_files(tmp_path: Path) -> None:
    """Numbers with leading zeros are items of their own; a catalog of another type is rejected."""
    lists = pd.DataFrame({"list": [1, 1, 2, 2], "ad": ["07", "7", "7", "8"], "score": [4.0, 3.0, 2.0, 1.0]})
    metrics = ["coverage", "exposure_entropy"]
    state = sqlmetrics.state(lists, metrics, score="score", group="list", item="ad")
    state.to_csv(tmp_path / "state.csv", index=False)
    pd.DataFrame({"item_id": ["07", "8", "09"]}).to_csv(tmp_path / "items.csv", index=False)
    result = sqlmetrics.evaluate_states(tmp_path / "state.csv", metrics, catalog=tmp_path / "items.csv")
    assert result["coverage"][0] == pytest.approx(2 / 3, rel=1e-12)
    assert result["exposure_entropy"][0] == pytest.approx(stats.entropy([1, 2, 1]), rel=1e-12)
    message = r"^item: column 'item_id' is VARCHAR in the data and BIGINT in catalog"
    with pytest.raises(sqlmetrics.BadData, match=message):
        sqlmetrics.evaluate_states(state, "coverage", catalog=pd.DataFrame({"item_id": [7, 8]}))


def test_states_reject_other_metrics_and_settings() -> None:
    state, evaluate = sqlmetrics.state, sqlmetrics.evaluate_states
    numbers, labels = KINDS["around means"].roles, KINDS["classes"].roles
    means, classes = state(LOG, "r2", **numbers, by="day"), state(LOG, "macro_f1", **labels, by="day")
    parts = state(LISTS, ["coverage@3", "personalization"], **ROLES, by="day")
    longer = state(LISTS, ["coverage@5"], **ROLES, by="day", where=f"day > '{DAYS[0]}'")
    catalog: dict[str, Any] = {"catalog": CATALOG, "item": "sku"}
    doubled = pd.concat([POPULARITY, POPULARITY.head(1)])
    parameter, data = sqlmetrics.BadParameter, sqlmetrics.BadData
    cases: list[tuple[type[Exception], str, Callable[[], Any]]] = [
        (parameter, "it has no column label_class; ask for what it was made for", lambda: evaluate(means, "macro_f1")),
        (parameter, "it has no column r2_sum; ask for what it was made for", lambda: evaluate(classes, "r2")),
        (data, r"not made for r2 = r2\(force_finite=False\) in .* it were made for: mae = mae\(\);",
         lambda: evaluate(means.assign(made_for="mae = mae();"), "r2")),
        (parameter, "or told by different frames", lambda: evaluate(classes, ["macro_f1", "field_ece"])),
        (parameter, "accuracy and macro_f1 are kept by different columns",
         lambda: state(LOG, ["macro_f1", "accuracy"], **labels)),
        (parameter, "are kept in different states", lambda: evaluate(means, ["r2", "macro_f1"])),
        (parameter, "class_report is a table and must be", lambda: evaluate(classes, ["class_report", "macro_f1"])),
        (parameter, "by: 'label_class' is the name of a column of every state",
         lambda: state(LOG.assign(label_class=1), "macro_f1", **labels, by="label_class")),
        (parameter, "field_ece and brier",
         lambda: state(LOG, ["brier", "field_ece"], label="clicked", score="pctr", field="place")),
        (data, r"the state was not made for coverage_at_3 in (\d+) of (?!\1)\d+ parts; read the parts that .* anew$",
         lambda: evaluate(pd.concat([parts[parts["day"] == DAYS[0]], longer]), "coverage@3", **catalog)),
        (parameter, "popularity has no meaning for personalization: leave it out",
         lambda: evaluate(parts, "personalization", popularity=POPULARITY)),
        (parameter, "item has a meaning with catalog or popularity only",
         lambda: evaluate(parts, "personalization", item="sku")),
        (sqlmetrics.MissingColumn, "catalog: there is no column 'item_id'",
         lambda: evaluate(parts, "coverage@3", catalog=CATALOG)),
        (data, "popularity holds two counts of one item",
         lambda: evaluate(state(LISTS, "novelty", **ROLES), "novelty", popularity=doubled, item="sku")),
        (parameter, "coverage_at_3 and diversity are|diversity and coverage_at_3",
         lambda: state(LISTS, ["coverage@3", "diversity"], **ROLES, similarity=SIMILARITY)),
        (parameter, "diversity needs similarity", lambda: state(LISTS, "diversity", **ROLES)),
        (data, "holds one item twice in a group",
         lambda: state(pd.concat([LISTS, LISTS.head(1)]), "coverage", **ROLES)),
        (parameter, "catalog has a meaning for states of metrics only",
         lambda: evaluate(state(LOG, label="clicked", score="pctr"), catalog=CATALOG)),
    ]  # fmt: skip
    for error, message, call in cases:
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize(("metric", "reason"), [
    ("auc", "it ranks or bins the scores, which a state of scores keeps"), ("medae", "the median of all rows"),
    ("normalized_gini", "it orders all rows"), ("group_auc", "it is a table with a row for each group"),
    ("gc_n", "its bins hold equal shares"), ("spearman_correlation", "it orders all rows"),
    ("d2_pinball", "the quantile of all labels"),
])  # fmt: skip
def test_state_rejects_metrics_that_are_not_additive(metric: str, reason: str) -> None:
    roles = {"label": "clicked", "score": "pctr", "group": "user_id", "item": "place", "field": "place"}
    taken = builtin_catalogue().metrics[metric].roles()
    given = {role: column for role, column in roles.items() if role in taken}
    message = f"{metric} cannot be added up from parts: {reason}.*takes accuracy"
    with pytest.raises(sqlmetrics.BadParameter, match=message):
        sqlmetrics.state(LOG, metric, **given)
