"""Bootstrap intervals: the same draws as in SQL, and each replicate by weights or repeated rows."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import metrics as sk

import sqlmetrics
from tests.calls import shell
from tests.parameters import slow
from tests.statistics.copies import named, values_by_weights, values_of
from tests.statistics.test_intervals import BUCKETED, SMOOTH, SURE, log, metric_groups, roles_of

REPLICATES = 24
#: Upper bounds of the distribution function of Poisson's distribution of mean 1, in units of 2⁻¹⁶.
BOUNDS = [round(2**16 * stats.poisson.cdf(count, 1)) for count in range(8)]
BOOTSTRAP: dict[str, Any] = {"confidence": 0.95, "cluster": "user", "standard_error": True, "method": "bootstrap",
                             "replicates": REPLICATES}  # fmt: skip
CLICKS = {"label": "clicked", "score": "score"}


def resample_count(cluster: str, replicate: int, seed: int = 1) -> int:
    """How often a replicate, counted from 0, has a cluster: four digits of a digest that eight replicates share."""
    digest = hashlib.md5(f"{cluster}:{replicate // 8}:{seed}".encode()).hexdigest()
    start = replicate % 8 * 4
    return int(np.searchsorted(BOUNDS, int(digest[start + 2 : start + 4] + digest[start : start + 2], 16), "right"))


def resample_counts(clusters: Any, replicates: int = REPLICATES, seed: int = 1) -> np.ndarray[Any, Any]:
    """The counts of each row's cluster: a row for each replicate."""
    names = pd.Series(clusters)
    table = {name: [resample_count(str(name), replicate, seed) for replicate in range(replicates)]
             for name in pd.unique(names)}  # fmt: skip
    return np.array([table[name] for name in names]).T


def percentile_interval(values: Any, value: float | None = None) -> tuple[float, float, float]:
    """The ends of `scipy.stats.bootstrap`, extended to the value, and the standard error."""
    low, high = np.quantile(values, [0.025, 0.975])
    if value is not None:
        low, high = min(low, value), max(high, value)
    return float(low), float(high), float(np.std(values, ddof=1))


def interval_of(result: pd.DataFrame, name: str) -> tuple[float, float, float]:
    row = result.iloc[0]
    return row[f"{name}_low"], row[f"{name}_high"], row[f"{name}_se"]


@pytest.mark.parametrize(("metrics", "weight"), [
    (["auc", "log_loss", "f1"], None), *slow(*[(group, "w") for group in metric_groups(SMOOTH)])
])  # fmt: skip
def test_smooth_metrics_match_weighted_replicates(metrics: list[str], weight: str | None) -> None:
    data = log() if weight else log().assign(w=1.0)
    result = sqlmetrics.evaluate(data, named(metrics), weight=weight, **roles_of(metrics[0]), **BOOTSTRAP)
    counts = np.vstack([np.ones(len(data)), resample_counts(data["user"])])
    values = values_by_weights(data, metrics, **roles_of(metrics[0]))([*counts * data["w"].to_numpy()])
    for index, metric in enumerate(metrics):
        expected = percentile_interval(values[1:, index], values[0, index])
        assert interval_of(result, f"m{index}") == pytest.approx(expected, rel=1e-9), metric


@pytest.mark.slow
def test_bucketed_metrics_match_repeated_rows() -> None:
    """A missing cluster differs from the empty string."""
    data = log(200)
    data["user"] = data["user"].astype(str).astype(object).replace({"0": None, "1": ""})
    names = data["user"].map(lambda user: "rows without a cluster" if pd.isna(user) else user)
    result = sqlmetrics.evaluate(data, BUCKETED, **CLICKS, **BOOTSTRAP, seed=20260101)
    copies = [data.loc[data.index.repeat(count)] for count in resample_counts(names, seed=20260101)]
    for metric, values in zip(BUCKETED, values_of(copies, BUCKETED, **CLICKS).T, strict=True):
        assert interval_of(result, metric) == pytest.approx(percentile_interval(values), rel=1e-9), metric


@pytest.mark.slow
def test_replicates_follow_conventions_of_the_metric() -> None:
    """A replicate with a single class, or without rows, has the value of `one_class`."""
    score = [3, 2, 1, 2, 4, 1, 3, 2, 1, 5, 4, 1]
    data = pd.DataFrame({"clicked": [1, 0, 0, 1, 0, 0] * 2, "score": score, "user": [1, 2, 3, 4, 5, 6] * 2})
    samples = [data.loc[data.index.repeat(count)] for count in resample_counts(data["user"], 60)]
    values = [sk.roc_auc_score(rows["clicked"], rows["score"]) if rows["clicked"].nunique() == 2 else 0.5
              for rows in samples]  # fmt: skip
    result = sqlmetrics.auc(data, **CLICKS, one_class=0.5, **BOOTSTRAP | {"replicates": 60})
    assert 1 < values.count(0.5) < 30
    assert interval_of(result, "auc") == pytest.approx(percentile_interval(values), rel=1e-12)


@pytest.mark.slow
def test_groups_are_drawn_with_their_cluster() -> None:
    data = log(rows=700).assign(wide=lambda d: d["user"] % 11)
    roles: dict[str, Any] = {**CLICKS, "group": "user"}
    result = sqlmetrics.evaluate(data, "gauc, ndcg@5", diagnostics=True, **roles, **BOOTSTRAP | {"cluster": "wide"})
    groups = sqlmetrics.per_group(data, "gauc, ndcg@5", **roles)
    counts = resample_counts(groups["user"] % 11)
    for name, weight in (("gauc", groups["n"]), ("ndcg_at_5", 1)):
        value = groups[name].to_numpy()
        defined = ~np.isnan(value)
        values = [np.average(value[defined], weights=(count * weight)[defined]) for count in counts]
        assert interval_of(result, name) == pytest.approx(percentile_interval(values), rel=1e-9)
        assert result[f"{name}_clusters"].item() == 11


@pytest.mark.slow
def test_lists_are_drawn_whole() -> None:
    rng = np.random.default_rng(5)
    items = rng.permuted(np.tile(np.arange(60), (40, 1)), axis=1)[:, :5].ravel()
    data = pd.DataFrame({"group": np.repeat(np.arange(40), 5), "item": items, "score": rng.random(200)})
    roles: dict[str, Any] = {"group": "group", "item": "item", "score": "score", "cluster": None}
    result = sqlmetrics.coverage(data, catalog=pd.DataFrame({"item": range(80)}), **BOOTSTRAP | roles)
    values = [data.loc[count > 0, "item"].nunique() / 80 for count in resample_counts(data["group"])]
    value = data["item"].nunique() / 80
    assert max(values) < value  # a sample has fewer distinct items
    assert interval_of(result, "coverage") == pytest.approx(percentile_interval(values, value), rel=1e-12)


@pytest.mark.slow
def test_rows_are_drawn_without_cluster() -> None:
    data = log(rows=300)
    data["score"] += np.random.default_rng(2).random(300) / 1e4  # no two rows are equal
    result = sqlmetrics.evaluate(data, "log_loss, ks", **CLICKS, **BOOTSTRAP | {"cluster": None})
    ordered = data.sort_values(["clicked", "score"], ignore_index=True)
    values = values_by_weights(ordered, ["log_loss", "ks"], **CLICKS)([*resample_counts(np.arange(1, 301))])
    for name, column in zip(("log_loss", "ks"), values.T, strict=True):
        assert interval_of(result, name) == pytest.approx(percentile_interval(column), rel=1e-9)


@pytest.mark.slow
def test_differences_match_replicates() -> None:
    data, metrics, models = log(), ["auc", "log_loss", "copc", "ks"], ["score", "other"]
    result = sqlmetrics.compare(data, metrics, label="clicked", score=models, cluster="user", relative=True,
                                method="bootstrap", replicates=REPLICATES, adjust=None)  # fmt: skip
    weights = [*resample_counts(data["user"]).astype(float)]
    baseline, values = (values_by_weights(data, metrics, label="clicked", score=name)(weights) for name in models)
    differences = (values - baseline) / abs(baseline)
    for index, row in enumerate(result.to_dict("records")):
        interval = (row["difference_low"], row["difference_high"], row["standard_error"])
        assert interval == pytest.approx(percentile_interval(differences[:, index]), rel=1e-9), row["metric"]
        t = abs(row["difference"]) / row["standard_error"]
        assert row["p_value"] == pytest.approx(2 * stats.t(29).sf(t), rel=1e-2)
        assert row["clusters"] == 30


def test_undefined_replicates_have_no_interval() -> None:
    """A third of the replicates lack the only user with clicks."""
    rare = log(clusters=10).assign(clicked=lambda d: (d["user"] == 3) * 1)
    row = sqlmetrics.evaluate(rare, "auc, log_loss, ks", **CLICKS, **BOOTSTRAP).iloc[0]
    assert row[["auc_low", "ks_low"]].isna().all()
    assert pd.notna(row["log_loss_low"])


def test_shell_accepts_bootstrap(tmp_path: Path) -> None:
    log().to_parquet(path := tmp_path / "log.parquet")
    line = f"eval {path} -m auc --label clicked --score score --cluster user --confidence 0.95 --format csv"
    output = shell(*f"{line} --method bootstrap --replicates 24 --seed 3".split())
    expected = sqlmetrics.auc(log(), **CLICKS, **BOOTSTRAP | {"seed": 3, "standard_error": False}).iloc[0]
    assert [*map(float, output.output.splitlines()[1].split(","))] == pytest.approx(expected.tolist(), rel=1e-12)


@pytest.mark.slow
def test_bootstrap_is_reproducible() -> None:
    options: dict[str, Any] = {**CLICKS, "confidence": 0.95, "cluster": "user"}
    plain = sqlmetrics.auc(log(), method="bootstrap", **options)
    shuffled = log().sample(frac=1, random_state=2)
    again = sqlmetrics.auc(shuffled, method="bootstrap", replicates=200, seed=1, threads=2, **options)
    pd.testing.assert_frame_equal(plain, again)
    seventh = sqlmetrics.auc(log(), method="bootstrap", seed=7, **options)
    assert plain["auc_low"].item() != seventh["auc_low"].item()


@pytest.mark.parametrize("options", slow({"method": "bootstrap", "replicates": 20}, {"method": "jackknife"}))
def test_equal_numbers_are_the_same_cluster(options: dict[str, Any]) -> None:
    """-0.0 is 0 and 1.0 is 1, in an expression as in a column, for any order of the rows."""
    rng = np.random.default_rng(1)
    data = log().assign(x=rng.uniform(-3, 3, 400))
    data["cell"], data["rounded"] = data["x"].round().astype(int), data["x"].round()
    assert (np.signbit(data["rounded"]) & (data["rounded"] == 0)).any()
    options = {**CLICKS, **SURE, "diagnostics": True, **options}
    first, *others = (
        sqlmetrics.evaluate(rows, "log_loss, pr_auc", cluster=cluster, **options)
        for cluster in ("cell", "rounded", "= round(x)", "= cell") for rows in (data, data[::-1])
    )  # fmt: skip
    assert first["log_loss_clusters"].tolist() == [7]
    for other in others:
        pd.testing.assert_frame_equal(first, other, rtol=1e-9)


def test_counts_have_no_replicates() -> None:
    data = pd.DataFrame({"y": [0, 1, 1, 0], "p": [0.6, 0.7, 0.4, 0.1]})
    options = {"label": "y", "score": "p", "confidence": 0.9, "method": "bootstrap"}
    result = sqlmetrics.confusion_matrix(data, **options)
    assert result[["tp", "fp", "fn", "tn"]].to_numpy().tolist() == [[1, 1, 1, 1]]
    pd.testing.assert_frame_equal(result, sqlmetrics.confusion_matrix(data, label="y", score="p"))
