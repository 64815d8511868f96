"""States whose parts are more than sums: around a mean, by class, by the value of a field. Against other tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats
from sklearn import metrics as sk

import sqlmetrics
from tests.data import slices_of
from tests.engines.servers import ENGINES
from tests.statistics.test_states import DAYS, jackknife
from tests.tiers import pairwise

ROWS, USERS, BUCKETS = 1200, 40, 12


def make_log() -> pd.DataFrame:
    """Targets far from 0 that hardly differ, counts, classes and clicks of users on three days."""
    rng = np.random.default_rng(29)
    near = 1e6 + rng.uniform(-1, 1, ROWS)
    counts = rng.poisson(2, ROWS).astype(float)
    label = rng.choice(["a", "b", "c"], ROWS)
    return pd.DataFrame({
        "day": rng.choice(DAYS, ROWS), "device": rng.choice(["phone", "desktop", None], ROWS),
        "user_id": [f"user {number}" for number in rng.integers(0, USERS, ROWS)], "w": rng.integers(0, 4, ROWS) / 2.0,
        "near": near, "near_hat": near + rng.normal(0.2, 0.4, ROWS),
        "counts": counts, "counts_hat": (counts + rng.gamma(1.0, 1.0, ROWS)).round(3) + 0.1,
        "truth": label, "called": np.where(rng.random(ROWS) < 0.6, label, rng.choice(["a", "b", "d"], ROWS)),
        "place": rng.choice(["top", "side", "foot"], ROWS), "clicked": rng.integers(0, 2, ROWS).astype(float),
        "pctr": rng.random(ROWS).round(3),
    })  # fmt: skip


LOG = make_log()
Value = Callable[[pd.DataFrame, str | None], float]


def weights(rows: pd.DataFrame, weight: str | None) -> Any:
    return None if weight is None else rows[weight].to_numpy()


def of_numbers(tool: Any, **given: Any) -> Callable[[str, str], Value]:
    """A tool that is told the truth, the prediction and the weights."""
    return lambda label, score: lambda d, w: float(tool(d[label], d[score], sample_weight=weights(d, w), **given))


def of_values(rows: pd.DataFrame, weight: str | None) -> pd.DataFrame:
    """The weight, clicks and predictions of each value of the field."""
    w = np.ones(len(rows)) if weight is None else rows[weight]
    sums = pd.DataFrame({"place": rows["place"], "n": w, "y": w * rows["clicked"], "p": w * rows["pctr"]})
    return sums.groupby("place").sum()


def field_ece(rows: pd.DataFrame, weight: str | None) -> float:
    of = of_values(rows, weight)
    return float((of["p"] - of["y"]).abs().sum() / of["n"].sum())


def field_rce(rows: pd.DataFrame, weight: str | None) -> float:
    of = of_values(rows, weight)
    return float((of["n"] * (of["p"] - of["y"]).abs() / of["y"]).sum() / of["n"].sum())


def f1(average: str) -> Value:
    def value(rows: pd.DataFrame, weight: str | None) -> float:
        given: dict[str, Any] = {"sample_weight": weights(rows, weight), "average": average, "zero_division": 0}
        return float(sk.f1_score(rows["truth"], rows["called"], **given))

    return value


def covariances(rows: pd.DataFrame, weight: str | None) -> Any:
    """Of the two columns far from 0, and by how much their means differ."""
    given = weights(rows, weight)
    apart = np.average(rows["near"] - rows["near_hat"], weights=given)
    return (*np.cov(rows["near"], rows["near_hat"], aweights=given, ddof=0).ravel()[[0, 1, 3]], apart)


def pearson(rows: pd.DataFrame, weight: str | None) -> float:
    one, both, other, _ = covariances(rows, weight)
    return float(both / np.sqrt(one * other))


def concordance(rows: pd.DataFrame, weight: str | None) -> float:
    one, both, other, apart = covariances(rows, weight)
    return float(2 * both / (one + other + apart**2))


near, counts, classes = ("near", "near_hat"), ("counts", "counts_hat"), ("truth", "called")
#: The roles, and metric -> the same by another tool.
KINDS: dict[str, tuple[dict[str, Any], dict[str, Value]]] = {
    "around means": ({"label": "near", "score": "near_hat"}, {
        "r2": of_numbers(sk.r2_score)(*near), "explained_variance": of_numbers(sk.explained_variance_score)(*near),
        "mae": of_numbers(sk.mean_absolute_error)(*near),
        "pearson_correlation": pearson, "concordance_correlation": concordance,
    }),
    "deviances": ({"label": "counts", "score": "counts_hat"}, {
        "d2_tweedie(power=1)": of_numbers(sk.d2_tweedie_score, power=1)(*counts),
        "d2_tweedie": of_numbers(sk.d2_tweedie_score, power=1.5)(*counts), "r2": of_numbers(sk.r2_score)(*counts),
    }),
    "classes": ({"label": "truth", "prediction": "called"}, {
        "macro_f1": f1("macro"), "weighted_f1": f1("weighted"), "micro_f1": f1("micro"),
        "cohens_kappa": of_numbers(sk.cohen_kappa_score)(*classes),
        "multi_mcc": of_numbers(sk.matthews_corrcoef)(*classes),
    }),
    "values of a field": ({"label": "clicked", "score": "pctr", "field": "place"},
                          {"field_ece": field_ece, "field_rce": field_rce}),
}  # fmt: skip
#: A metric under its own name, and one under another, as two powers of one metric need.
SPECS = {"d2_tweedie(power=1)": {"name": "d2_tweedie", "power": 1, "as": "d2_poisson"}}


@pytest.fixture(
    scope="module", params=["duckdb", *(pytest.param(name, marks=pytest.mark.slow) for name in ("postgres", "spark"))]
)
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    with ENGINES[request.param]({"log": pa.Table.from_pandas(LOG, preserve_index=False)}) as opened:
        yield opened


def days(engine: Any, metrics: Any, **given: Any) -> pd.DataFrame:
    """The state of each day, made on its own."""
    return pd.concat([
        sqlmetrics.state("log", metrics, where=f"day = '{day}'", engine=engine, **given) for day in DAYS
    ])  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("kind", "weight", "by"), pairwise(list(KINDS), [None, "w"], [[], ["device"]]))
def test_days_against_the_whole_log(engine: Any, kind: str, weight: str | None, by: list[str]) -> None:
    """With intervals, from the values without each bucket of users; sliced by a column that has NULL."""
    roles, values = KINDS[kind]
    metrics = [SPECS.get(name, name) for name in values]
    parts = days(engine, metrics, **roles, weight=weight, by=["day", "device"], buckets=BUCKETS, cluster="user_id")
    found = sqlmetrics.evaluate_states(parts, metrics, by=by, confidence=0.9, standard_error=True)
    plain = sqlmetrics.evaluate_states(parts, metrics, by=by)
    pd.testing.assert_frame_equal(plain, found[list(plain)], rtol=1e-12)
    slices = dict(slices_of(LOG, by))
    assert len(found) == len(slices)
    for row in found.to_dict("records"):
        rows = slices[tuple(None if pd.isna(row[name]) else row[name] for name in by)]
        assert row["n"] == len(rows)
        for name, value in values.items():
            column = SPECS.get(name, {"as": name})["as"]
            assert row[column] == pytest.approx(value(rows, weight), rel=1e-9), name
            error = jackknife(rows, lambda part, value=value: value(part, weight), BUCKETS)
            if name == "mae":  # known by its sums where the log is read, by buckets of a state all the same
                assert row["mae_se"] == pytest.approx(error, rel=1e-7)
                continue
            assert row[f"{column}_se"] == pytest.approx(error, rel=1e-6), name
            reach = stats.t(BUCKETS - 1).ppf(0.95) * row[f"{column}_se"]
            if row[f"{column}_low"] > 0:
                assert row[column] - row[f"{column}_low"] == pytest.approx(reach, rel=1e-3)


def test_a_state_is_read_where_it_was_made(engine: Any) -> None:
    """From a table there, by the engine itself."""
    roles, values = KINDS["around means"]
    made = sqlmetrics.state("log", [*values], **roles, by="day", engine=engine)
    double = "double precision" if engine.dialect == "postgres" else "double"

    def literal(name: str, value: Any) -> str:
        if isinstance(value, str):
            return f"'{value}' as {name}"
        return f"cast('{value!r}' as {'bigint' if name == 'row_count' else double}) as {name}"

    rows = " union all ".join(
        f"select {', '.join(literal(name, value) for name, value in row.items())}" for row in made.to_dict("records")
    )
    there = sqlmetrics.evaluate_states(rows, [*values], engine=engine)
    pd.testing.assert_frame_equal(there, sqlmetrics.evaluate_states(made, [*values]), rtol=1e-12)


def test_counts_of_classes_have_every_metric_and_table_of_them(engine: Any) -> None:
    """Made for one, asked for others, with parameters that it was not made with."""
    roles = KINDS["classes"][0]
    parts = days(engine, "macro_f1", **roles, by=["day", "device"])
    assert parts["row_count"].sum() == len(LOG)
    report = sqlmetrics.evaluate_states(parts, "class_report").set_index("class")
    expected = pd.DataFrame(sk.classification_report(LOG["truth"], LOG["called"], output_dict=True, zero_division=0)).T
    for name in "abcd":
        for theirs, ours in [("precision", "precision"), ("recall", "recall"), ("f1-score", "f1"), ("support",) * 2]:
            assert report[ours][name] == pytest.approx(expected[theirs][name], rel=1e-12)
    confusion = sqlmetrics.evaluate_states(parts, "class_confusion", by="device")
    seen = LOG.fillna({"device": "none"}).groupby(["device", "truth", "called"]).size().to_dict()
    told = confusion.fillna({"device": "none"}).set_index(["device", "label", "prediction"])["count"].to_dict()
    assert told == seen
    other = sqlmetrics.evaluate_states(parts, "macro_f1(form='f1_of_means')")
    precision, recall, _, _ = sk.precision_recall_fscore_support(
        LOG["truth"], LOG["called"], average="macro", zero_division=0
    )
    assert other["macro_f1"][0] == pytest.approx(2 * precision * recall / (precision + recall), rel=1e-12)


@pytest.mark.parametrize("roles", [
    {"label": "truth", "prediction": "called"},
    {"label": "clicked", "prediction": "= case when pctr > 0.4 then 1 else 0 end"},
])  # fmt: skip
@pytest.mark.parametrize("name", ["accuracy", "error_rate"])
def test_accuracy_of_classes_and_of_calls(engine: Any, name: str, roles: dict[str, Any]) -> None:
    """A state of classes has other columns than one of scores."""
    parts = days(engine, name, **roles, by="day")
    found = sqlmetrics.evaluate_states(parts, name)
    right = LOG["truth"] == LOG["called"] if roles["label"] == "truth" else LOG["clicked"] == (LOG["pctr"] > 0.4)
    share = right.mean() if name == "accuracy" else 1 - right.mean()
    assert found[name][0] == pytest.approx(share, rel=1e-12)
    beside = sqlmetrics.state("log", ["accuracy", "error_rate"], **roles, engine=engine)
    both = sqlmetrics.evaluate_states(beside, ["error_rate", "accuracy"])
    assert both["accuracy"][0] == pytest.approx(right.mean(), rel=1e-12)
    assert both["error_rate"][0] == pytest.approx(1 - right.mean(), rel=1e-12)


@pytest.mark.parametrize("weight", [None, "w"])
def test_labels_that_are_all_the_same_have_no_variance(engine: Any, weight: str | None) -> None:
    """Not the last bits of a difference: in a slice, and in what is left without a bucket."""
    one = "case when user_id = 'user 3' then near else 1000000.1 end"
    parts = [
        sqlmetrics.state("log", ["r2", "explained_variance"], label=f"= {label}", score="near_hat", weight=weight,
                         by="day", buckets=BUCKETS, cluster="user_id", engine=engine)
        for label in ("1000000.1 + 0 * clicked", one)
    ]  # fmt: skip
    constant = sqlmetrics.evaluate_states(parts[0], ["r2", "explained_variance"])
    assert constant[["r2", "explained_variance"]].isna().all(axis=None)
    rows = LOG.assign(label=LOG["near"].where(LOG["user_id"] == "user 3", 1000000.1))
    sure = sqlmetrics.evaluate_states(parts[1], "r2", confidence=0.9, standard_error=True)
    expected = sk.r2_score(rows["label"], rows["near_hat"], sample_weight=weights(rows, weight))
    assert sure["r2"][0] == pytest.approx(expected, rel=1e-9)
    # Without the bucket of that user there is no variance, so there is no saying how sure it is.
    assert sure["r2_se"].isna()[0]


@pytest.mark.slow
def test_digits_of_a_long_log_far_from_zero() -> None:
    """A million rows, of which the plain sum has lost the last digits of the means: the days lie apart by little."""
    rng = np.random.default_rng(5)
    rows = 1_000_000
    day = rng.integers(0, 20, rows)
    label = 1e6 + rng.uniform(-1, 1, rows) + day / 40
    log = pd.DataFrame({"day": day, "label": label, "score": label + rng.normal(0.1, 0.3, rows)})
    names = ["r2", "explained_variance", "pearson_correlation", "concordance_correlation"]
    found = sqlmetrics.evaluate_states(sqlmetrics.state(log, names, label="label", score="score", by="day"), names)
    exact = (label - 1e6).astype(np.longdouble)
    error = (log["label"] - log["score"]).to_numpy().astype(np.longdouble)
    spread = ((exact - exact.mean()) ** 2).sum()
    assert found["r2"][0] == pytest.approx(float(1 - (error**2).sum() / spread), rel=1e-11)
    assert found["explained_variance"][0] == pytest.approx(
        float(1 - ((error - error.mean()) ** 2).sum() / spread), rel=1e-11
    )
    other = (log["score"] - 1e6).to_numpy().astype(np.longdouble)
    both = ((exact - exact.mean()) * (other - other.mean())).sum()
    others = ((other - other.mean()) ** 2).sum()
    pearson = float(both / np.sqrt(spread) / np.sqrt(others))
    concordance = float(2 * both / (spread + others + rows * (exact.mean() - other.mean()) ** 2))
    assert found["pearson_correlation"][0] == pytest.approx(pearson, rel=1e-11)
    assert found["concordance_correlation"][0] == pytest.approx(concordance, rel=1e-11)


@pytest.mark.slow
def test_no_rows_and_no_weight() -> None:
    for kind, (roles, values) in KINDS.items():
        metrics = [SPECS.get(name, name) for name in values]
        empty = sqlmetrics.state(LOG, metrics, **roles, by="day", where="day = 'never'")
        whole = sqlmetrics.state(LOG, metrics, **roles, by="day")
        pd.testing.assert_frame_equal(
            sqlmetrics.evaluate_states(pd.concat([whole, empty.astype(whole.dtypes)]), metrics),
            sqlmetrics.evaluate_states(whole, metrics),
        )
        none = sqlmetrics.evaluate_states(whole, metrics, where="day = 'never'")
        assert none["n"].tolist() == [0], kind
        assert none.drop(columns="n").isna().all(axis=None), kind
        nothing = sqlmetrics.state(LOG.assign(w=0.0), metrics, **roles, weight="w", by="day")
        found = sqlmetrics.evaluate_states(nothing, metrics)
        direct = sqlmetrics.evaluate(LOG.assign(w=0.0), metrics, **roles, weight="w")
        pd.testing.assert_frame_equal(found, direct)


def test_what_is_refused() -> None:
    state, evaluate, parameter = sqlmetrics.state, sqlmetrics.evaluate_states, sqlmetrics.BadParameter
    numbers, labels = KINDS["around means"][0], KINDS["classes"][0]
    means, classes = state(LOG, "r2", **numbers, by="day"), state(LOG, "macro_f1", **labels, by="day")
    weighted = state(LOG, "macro_f1", **labels, by="day", weight="w")
    for kind, words, call in [
        (parameter, "it has no column label_class; ask for what it was made for", lambda: evaluate(means, "macro_f1")),
        (parameter, "it has no column r2_sum; ask for what it was made for", lambda: evaluate(classes, "r2")),
        (sqlmetrics.BadData, "made with different settings (?=.*weight=none).*weight=w",
         lambda: evaluate(pd.concat([classes, weighted]), "macro_f1")),
        (sqlmetrics.BadData, r"not made for r2 = r2\(force_finite=False\) in .* it were made for: mae = mae\(\);",
         lambda: evaluate(means.assign(made_for="mae = mae();"), "r2")),
        (sqlmetrics.BadData, "the state was not made for counts by label_class, predicted_class in",
         lambda: evaluate(classes.assign(made_for="counts by field_id;"), "macro_f1")),
        (sqlmetrics.BadData, "the relation is no metric_state of this version of the package .*metric_state 2",
         lambda: evaluate(classes.assign(made_with="metric_state 2: of label_class;"), "macro_f1")),
        (parameter, "are told by different frames", lambda: evaluate(classes, ["macro_f1", "field_ece"])),
        (parameter, "are kept in different states", lambda: evaluate(means, ["r2", "macro_f1"])),
        (parameter, "class_report is a table and must be", lambda: evaluate(classes, ["class_report", "macro_f1"])),
        (parameter, "by: 'label_class' is the name of a column of every state",
         lambda: state(LOG.assign(label_class=1), "macro_f1", **labels, by="label_class")),
        (parameter, "field_ece and brier",
         lambda: state(LOG, ["brier", "field_ece"], label="clicked", score="pctr", field="place")),
    ]:  # fmt: skip
        with pytest.raises(kind, match=words):
            call()


@pytest.mark.parametrize(("metric", "why"), [
    ("auc", "it ranks or bins the scores, which a state of scores keeps"), ("medae", "the median of all rows"),
    ("normalized_gini", "it orders all rows"), ("group_auc", "it is a table with a row for each group"),
    ("gc_n", "its bins hold equal shares"), ("spearman_correlation", "it orders all rows"),
    ("d2_pinball", "the quantile of all labels"),
])  # fmt: skip
def test_why_there_is_no_state(metric: str, why: str) -> None:
    roles = {"label": "clicked", "score": "pctr", "group": "user_id", "item": "place", "field": "place"}
    taken = sqlmetrics.catalogue.builtin_catalogue().metrics[metric].roles()
    given = {role: column for role, column in roles.items() if role in taken}
    with pytest.raises(sqlmetrics.BadParameter, match=f"{metric} cannot be added up from parts: {why}.*takes accuracy"):
        sqlmetrics.state(LOG, metric, **given)
