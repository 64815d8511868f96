"""Bootstrap intervals: the same draws as in SQL, and each replicate by weights or repeated rows."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from scipy import stats
from sklearn import metrics as sk

import sqlmetrics
from sqlmetrics.cli.main import main
from tests.compare import assert_same
from tests.data import arrow, sample
from tests.parameters import slow
from tests.statistics.copies import named, values_by_weights, values_of
from tests.statistics.test_intervals import BUCKETED, SMOOTH, log, metric_groups, roles_of
from tests.variants import Call, by_frame, calls

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
    """The ends as `scipy.stats.bootstrap` has them, extended to the value, and the standard error."""
    low, high = np.quantile(values, [0.025, 0.975])
    if value is not None:
        low, high = min(low, value), max(high, value)
    return float(low), float(high), float(np.std(values, ddof=1))


def interval_of(result: pd.DataFrame, name: str) -> tuple[float, float, float]:
    row = result.iloc[0]
    return row[f"{name}_low"], row[f"{name}_high"], row[f"{name}_se"]


def test_resample_counts_have_poisson_distribution() -> None:
    """Counts, their variance, and no correlation between replicates or between clusters."""
    assert BOUNDS == [0x5E2D, 0xBC5B, 0xEB71, 0xFB24, 0xFF10, 0xFFD9, 0xFFFB, 0xFFFF]
    assert sum(2**16 - bound for bound in BOUNDS) == 2**16, "the mean is 1"
    counts = resample_counts(range(1000))
    observed = [(counts == count).sum() for count in range(4)] + [(counts > 3).sum()]
    expected = counts.size * np.append(stats.poisson.pmf(range(4), 1), stats.poisson.sf(3, 1))
    assert stats.chisquare(observed, expected).pvalue > 0.01
    correlations = np.corrcoef(counts)[~np.eye(REPLICATES, dtype=bool)]
    assert np.std(correlations) == pytest.approx(1 / np.sqrt(1000), rel=0.1)


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


def test_bucketed_metrics_match_repeated_rows() -> None:
    """A missing cluster is not the empty string."""
    data = log(200)
    data["user"] = data["user"].astype(str).astype(object).replace({"0": None, "1": ""})
    names = data["user"].map(lambda user: "rows without a cluster" if pd.isna(user) else user)
    result = sqlmetrics.evaluate(data, BUCKETED, **CLICKS, **BOOTSTRAP, seed=20260101)
    copies = [data.loc[data.index.repeat(count)] for count in resample_counts(names, seed=20260101)]
    for metric, values in zip(BUCKETED, values_of(copies, BUCKETED, **CLICKS).T, strict=True):
        assert interval_of(result, metric) == pytest.approx(percentile_interval(values), rel=1e-9), metric


@pytest.mark.parametrize("scores", slow("some ties", "many ties", "constant"))
def test_areas_match_weighted_replicates(scores: str) -> None:
    """Also where the last digest is used in part."""
    rng = np.random.default_rng(3)
    rows, replicates = 4_000, 43
    data = pd.DataFrame({"user": rng.integers(0, 50, rows), "device": np.where(np.arange(rows) < 200, "a", "b")})
    data["score"] = {
        "some ties": rng.integers(0, rows // 2, rows),
        "many ties": np.where(np.arange(rows) % 3, rng.integers(0, 40, rows), rng.random(rows) * 40),
        "constant": np.zeros(rows),
    }[scores] * 1.0  # fmt: skip
    data["clicked"] = (rng.random(rows) < 0.2 + 0.3 * data["score"].rank(pct=True)) * 1
    result = sqlmetrics.auc(data, **CLICKS, by="device", **BOOTSTRAP | {"replicates": replicates})
    for device, part in data.groupby("device"):
        row = result[result["device"] == device]
        values = [sk.roc_auc_score(part["clicked"], part["score"], sample_weight=count)
                  for count in resample_counts(part["user"], replicates)]  # fmt: skip
        assert row["auc"].item() == pytest.approx(sk.roc_auc_score(part["clicked"], part["score"]), rel=1e-12)
        expected = (np.nan,) * 3 if scores == "constant" else percentile_interval(values)
        assert interval_of(row, "auc") == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(("type_name", "scale", "offset", "by"), [
    ("int32", 1, -20, None),
    *slow(("bool", 1, 0, None), ("int64", 10**16, 2**62, "device"), ("uint64", 1, 2**64 - 100, None)),
])  # fmt: skip
def test_integer_clusters_draw_like_their_strings(type_name: str, scale: int, offset: int, by: str | None) -> None:
    data = log(rows=600)
    users = [user % 2 == 0 if type_name == "bool" else int(user) * scale + offset for user in data["user"]]
    column = pa.array([None if number % 17 == 3 else user for number, user in enumerate(users)], type_name)
    table = pa.table({"clicked": data["clicked"], "score": data["score"], "device": data["device"], "user": column})
    strings = column.cast(pa.string())
    options: dict[str, Any] = {**CLICKS, **BOOTSTRAP, "by": by, "diagnostics": by is not None}
    result = sqlmetrics.auc(table, **options)
    pd.testing.assert_frame_equal(result, sqlmetrics.auc(table.set_column(3, "user", strings), **options))
    if by is None and type_name != "bool":  # a replicate of three clusters is often empty
        counts = resample_counts(["rows without a cluster" if name is None else name for name in strings.to_pylist()])
        values = [sk.roc_auc_score(data["clicked"], data["score"], sample_weight=count) for count in counts]
        assert interval_of(result, "auc") == pytest.approx(percentile_interval(values), rel=1e-9)


def test_replicates_follow_conventions_of_the_metric() -> None:
    """A replicate without one class, or without rows, has the value of `one_class`."""
    score = [3, 2, 1, 2, 4, 1, 3, 2, 1, 5, 4, 1]
    data = pd.DataFrame({"clicked": [1, 0, 0, 1, 0, 0] * 2, "score": score, "user": [1, 2, 3, 4, 5, 6] * 2})
    samples = [data.loc[data.index.repeat(count)] for count in resample_counts(data["user"], 60)]
    values = [sk.roc_auc_score(rows["clicked"], rows["score"]) if rows["clicked"].nunique() == 2 else 0.5
              for rows in samples]  # fmt: skip
    result = sqlmetrics.auc(data, **CLICKS, one_class=0.5, **BOOTSTRAP | {"replicates": 60})
    assert 1 < values.count(0.5) < 30
    assert interval_of(result, "auc") == pytest.approx(percentile_interval(values), rel=1e-12)


@pytest.mark.parametrize("cluster", ["wide", *slow(None)])
def test_groups_are_drawn_with_their_cluster(cluster: str | None) -> None:
    data = log(rows=700).assign(wide=lambda d: d["user"] % 11)
    roles: dict[str, Any] = {**CLICKS, "group": "user"}
    result = sqlmetrics.evaluate(data, "gauc, ndcg@5", diagnostics=True, **roles, **BOOTSTRAP | {"cluster": cluster})
    groups = sqlmetrics.per_group(data, "gauc, ndcg@5", **roles)
    counts = resample_counts(groups["user"] if cluster is None else groups["user"] % 11)
    for name, weight in (("gauc", groups["n"]), ("ndcg_at_5", 1)):
        value = groups[name].to_numpy()
        defined = ~np.isnan(value)
        values = [np.average(value[defined], weights=(count * weight)[defined]) for count in counts]
        assert interval_of(result, name) == pytest.approx(percentile_interval(values), rel=1e-9)
        assert result[f"{name}_clusters"].item() == (defined.sum() if cluster is None else 11)


def test_lists_are_drawn_whole() -> None:
    rng = np.random.default_rng(5)
    items = rng.permuted(np.tile(np.arange(60), (40, 1)), axis=1)[:, :5].ravel()
    data = pd.DataFrame({"group": np.repeat(np.arange(40), 5), "item": items, "score": rng.random(200)})
    roles: dict[str, Any] = {"group": "group", "item": "item", "score": "score"}
    result = sqlmetrics.coverage(data, catalog=pd.DataFrame({"item": range(80)}), **roles,
                                 **BOOTSTRAP | {"cluster": None})  # fmt: skip
    counts = resample_counts(data["group"])
    values = [data.loc[count > 0, "item"].nunique() / 80 for count in counts]
    value = data["item"].nunique() / 80
    assert max(values) < value  # a sample has fewer distinct items
    assert interval_of(result, "coverage") == pytest.approx(percentile_interval(values, value), rel=1e-12)
    popularity = pd.DataFrame({"item": np.arange(60), "count": rng.integers(1, 9, 60)})
    result = sqlmetrics.novelty(data, popularity=popularity, **roles, **BOOTSTRAP | {"cluster": "group"})
    surprise = -np.log2(popularity["count"] / popularity["count"].sum()).to_numpy()[data["item"]]
    values = [np.average(surprise, weights=count) for count in counts]
    assert interval_of(result, "novelty") == pytest.approx(percentile_interval(values), rel=1e-12)


@pytest.mark.slow
def test_rows_and_counted_rows_are_drawn() -> None:
    """Without a cluster each row is drawn; rows that stand for many are drawn with their cluster."""
    data = log(rows=300)
    data["score"] += np.random.default_rng(2).random(300) / 1e4  # no two rows are equal
    result = sqlmetrics.evaluate(data, "log_loss, ks", **CLICKS, **BOOTSTRAP | {"cluster": None})
    ordered = data.sort_values(["clicked", "score"], ignore_index=True)
    values = values_by_weights(ordered, ["log_loss", "ks"], **CLICKS)([*resample_counts(np.arange(1, 301))])
    for name, column in zip(("log_loss", "ks"), values.T, strict=True):
        assert interval_of(result, name) == pytest.approx(percentile_interval(column), rel=1e-9)
    counted = log(rows=300).groupby(["user", "score"], as_index=False)
    counted = counted.agg(positives=("clicked", "sum"), total=("clicked", "size"))
    metrics = ["auc", "log_loss", "ece"]
    plain = sqlmetrics.evaluate(log(rows=300), metrics, **CLICKS, **BOOTSTRAP)
    again = sqlmetrics.evaluate(counted, metrics, positives="positives", total="total", score="score", **BOOTSTRAP)
    for name in metrics:
        assert interval_of(again, name) == pytest.approx(interval_of(plain, name), rel=1e-9)


@pytest.mark.parametrize("relative", slow(False, True))
def test_differences_match_replicates(relative: bool) -> None:
    data, metrics, models = log(), ["auc", "log_loss", "copc", "ks"], ["score", "other"]
    result = sqlmetrics.compare(data, metrics, label="clicked", score=models, cluster="user", relative=relative,
                                method="bootstrap", replicates=REPLICATES, adjust=None)  # fmt: skip
    weights = [*resample_counts(data["user"]).astype(float)]
    baseline, values = (values_by_weights(data, metrics, label="clicked", score=name)(weights) for name in models)
    differences = (values - baseline) / (abs(baseline) if relative else 1)
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
    output = CliRunner().invoke(main, f"{line} --method bootstrap --replicates 24 --seed 3".split())
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
    pd.testing.assert_frame_equal(
        sqlmetrics.auc(log(), method="jackknife", **options), sqlmetrics.auc(log(), **options)
    )
    sql = sqlmetrics.render("auc", relation="log", **options, method="bootstrap", seed=7)
    with duckdb.connect() as con:
        con.register("log", log())
        pd.testing.assert_frame_equal(con.execute(sql).df(), seventh)


@pytest.mark.parametrize("call", slow(*[call for call in by_frame(calls()) if not call.table and call.certain]),
                         ids=lambda call: call.name)  # fmt: skip
def test_every_frame_has_bootstrap_interval(call: Call) -> None:
    """In slices with clusters of a column."""
    data = arrow(sample(call.kind, rows=240).assign(session=lambda rows: rows.index % 40))
    options: dict[str, Any] = {"by": [[], ["device"]], "cluster": call.roles.get("group", "session")}
    result = call.evaluate(data, **BOOTSTRAP | options | {"replicates": 20})
    plain = call.evaluate(data, by=options["by"])
    assert_same(result[plain.columns], plain)
    for metric, name in ((of_call.metric, of_call.name) for of_call in call.asked):
        if metric.name not in metric.columns or metric.no_interval:  # the counts of a confusion matrix
            continue
        value, low, high = (result[f"{name}{end}"] for end in ("", "_low", "_high"))
        assert not (low > high).any(), name
        assert low[value.isna()].isna().all(), name
        # A value that is the same in every replicate has no interval, and is at an end of its range.
        assert value[(result["grouping"] == "overall") & low.isna()].round(12).isin([0, 1, np.nan]).all(), name


@pytest.mark.parametrize("options", slow({"method": "bootstrap", "replicates": 20}, {"method": "jackknife"}))
def test_equal_numbers_are_one_cluster(options: dict[str, Any]) -> None:
    """-0.0 is 0 and 1.0 is 1, in an expression as in a column, whatever the order of the rows."""
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"y": rng.integers(0, 2, 400), "p": rng.random(400), "x": rng.uniform(-3, 3, 400)})
    data["cell"], data["rounded"] = data["x"].round().astype(int), data["x"].round()
    data["query"] = 3 * data["cell"] + rng.integers(0, 2, 400)
    assert (np.signbit(data["rounded"]) & (data["rounded"] == 0)).any()
    options = {"label": "y", "score": "p", "group": "query", "confidence": 0.9, "diagnostics": True, **options}
    first, *others = (
        sqlmetrics.evaluate(rows, "log_loss, pr_auc, ndcg@5", cluster=cluster, standard_error=True, **options)
        for cluster in ("cell", "rounded", "= round(x)", "= rounded", "= cell")
        for rows in ((data, data[::-1]) if "round" in cluster else (data,))
    )
    assert first["log_loss_clusters"].tolist() == [7]
    for other in others:
        pd.testing.assert_frame_equal(first, other, rtol=1e-9)


@pytest.mark.slow
def test_groups_of_minus_zero_and_zero_are_one() -> None:
    rng = np.random.default_rng(3)
    group = np.repeat(np.arange(12), 6)
    data = pd.DataFrame({"label": (rng.random(72) < 0.5) + (group % 3 == 0) * (rng.random(72) < 0.7), "group": group})
    data["signed"] = np.where((group == 0) & (np.arange(72) % 2 == 1), -0.0, group)
    first, second = (sqlmetrics.evaluate(data, "fleiss_kappa, krippendorff_alpha", label="label", group=column,
                                         confidence=0.9, method="bootstrap", replicates=50)
                     for column in ("group", "signed"))  # fmt: skip
    pd.testing.assert_frame_equal(first, second, rtol=1e-12)


def test_counts_have_no_replicates() -> None:
    data = pd.DataFrame({"y": [0, 1, 1, 0], "p": [0.6, 0.7, 0.4, 0.1]})
    options = {"label": "y", "score": "p", "confidence": 0.9, "method": "bootstrap"}
    result = sqlmetrics.confusion_matrix(data, **options)
    assert result[["tp", "fp", "fn", "tn"]].to_numpy().tolist() == [[1, 1, 1, 1]]
    pd.testing.assert_frame_equal(result, sqlmetrics.confusion_matrix(data, label="y", score="p"))
    text = sqlmetrics.render("confusion_matrix", relation="data", **options)
    assert duckdb.sql(text).df()[["tp", "tn"]].to_numpy().tolist() == [[1, 1]]
