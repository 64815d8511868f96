"""Intervals by the bootstrap: the same draws made here, and each replicate computed by scikit-learn, SciPy or numpy."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from decimal import Decimal
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
from sqlmetrics.cli import main
from tests.compare import assert_same
from tests.data import arrow
from tests.engines.servers import ENGINES
from tests.invariants.test_contracts import CALLS, sample
from tests.statistics.test_compare import two_models
from tests.statistics.test_intervals import (
    NOT_SMOOTH,
    SMOOTH,
    log,
    roles_of,
)
from tests.tiers import slow
from tests.variants import Call

REPLICATES = 24
#: Where the distribution function of Poisson's distribution of mean 1 lies, in units of 2⁻¹⁶.
ENDS = [round(2**16 * stats.poisson.cdf(count, 1)) for count in range(8)]


def drawn(cluster: str, replicate: int, seed: int = 1) -> int:
    """How often a replicate, counted from 0, has a cluster: four digits of a digest that eight replicates share."""
    digest = hashlib.md5(f"{cluster}:{replicate // 8}:{seed}".encode()).hexdigest()
    place = replicate % 8 * 4
    return int(np.searchsorted(ENDS, int(digest[place + 2 : place + 4] + digest[place : place + 2], 16), side="right"))


def draws(clusters: Any, replicates: int = REPLICATES, seed: int = 1) -> np.ndarray[Any, Any]:
    """The draws of each row's cluster: a column per replicate."""
    names = pd.Series(clusters)
    table = {name: [drawn(str(name), one, seed) for one in range(replicates)] for name in pd.unique(names)}
    return np.array([table[name] for name in names])


def spread(values: list[float], confidence: float = 0.95) -> tuple[float, float, float]:
    """The percentile interval as `scipy.stats.bootstrap` has it, and the standard error."""
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high), float(np.std(values, ddof=1))


def that_holds(value: float, ends: tuple[float, float, float]) -> tuple[float, float, float]:
    """An interval reaches to the value where all its replicates lie to one side, as those of biased metrics do."""
    low, high, error = ends
    return min(low, value), max(high, value), error


def found(result: pd.DataFrame, name: str) -> tuple[float, float, float]:
    row = result.iloc[0]
    return row[f"{name}_low"], row[f"{name}_high"], row[f"{name}_se"]


def sure(**further: Any) -> dict[str, Any]:
    given = {"confidence": 0.95, "cluster": "user", "standard_error": True}
    return {**given, "method": "bootstrap", "replicates": REPLICATES, **further}


def test_draws_are_those_of_poisson() -> None:
    """Counts, their variance, and no relation between replicates or between clusters."""
    assert ENDS == [0x5E2D, 0xBC5B, 0xEB71, 0xFB24, 0xFF10, 0xFFD9, 0xFFFB, 0xFFFF]
    assert sum(2**16 - end for end in ENDS) == 2**16, "the mean is 1"
    counts = draws(range(4000))
    seen = [(counts == count).sum() for count in range(4)] + [(counts > 3).sum()]
    expected = counts.size * np.append(stats.poisson.pmf(range(4), 1), stats.poisson.sf(3, 1))
    assert stats.chisquare(seen, expected).pvalue > 0.01
    related = np.corrcoef(counts.T)[~np.eye(REPLICATES, dtype=bool)]
    assert np.std(related) == pytest.approx(1 / np.sqrt(4000), rel=0.1)


def test_rows_without_a_cluster_are_not_those_of_an_empty_name() -> None:
    data = log()
    first, second = sorted(data["user"].unique())[:2]
    data["user"] = data["user"].astype(str).astype(object).replace({str(first): None, str(second): ""})
    counts = draws(data["user"].map(lambda user: "rows without a cluster" if pd.isna(user) else user))
    errors = (data["score"] - data["clicked"]) ** 2
    values = [np.average(errors, weights=count) for count in counts.T]
    result = sqlmetrics.brier(data, label="clicked", score="score", **sure())
    assert found(result, "brier") == pytest.approx(spread(values), rel=1e-9)


@pytest.mark.parametrize("weight", [None, *slow("w")])
@pytest.mark.parametrize("tried", ["auc, log_loss, f1", *slow("rest")])
def test_smooth_metrics_with_each_replicates_weights(tried: str, weight: str | None) -> None:
    data = log()
    counts = draws(data["user"])
    own = np.ones(len(data)) if weight is None else data["w"].to_numpy()
    by_roles: dict[str, list[str]] = {}
    for name in SMOOTH:
        if tried == "rest" and name not in ("auc", "log_loss", "f1"):
            by_roles.setdefault(str(roles_of(name)), []).append(name)
    for metrics in by_roles.values() if tried == "rest" else [tried.split(", ")]:
        result = sqlmetrics.evaluate(data, metrics, weight=weight, **roles_of(metrics[0]), **sure())
        for name in metrics:
            values = [SMOOTH[name](data, own * counts[:, one]) for one in range(REPLICATES)]
            expected = that_holds(SMOOTH[name](data, own), spread(values))
            assert found(result, name) == pytest.approx(expected, rel=1e-9), name


@pytest.mark.parametrize("seed", [1, *slow(20260101)])
def test_other_metrics_with_rows_as_often_as_they_are_drawn(seed: int) -> None:
    data = log(rows=500)
    counts = draws(data["user"], seed=seed)
    result = sqlmetrics.evaluate(data, list(NOT_SMOOTH), label="clicked", score="score", **sure(seed=seed))
    for name, value in NOT_SMOOTH.items():
        values = [value(data.loc[data.index.repeat(counts[:, one])]) for one in range(REPLICATES)]
        assert found(result, name) == pytest.approx(spread(values), rel=1e-9), name


#: Scores that share no cell of the sort, some, or all of one.
SCORES: dict[str, Callable[[Any, int], Any]] = {
    "none equal": lambda rng, rows: rng.permutation(rows),
    "few equal": lambda rng, rows: rng.integers(0, rows // 3, rows),
    "cells of equal scores": lambda rng, rows: rng.integers(0, rows // 11, rows),
    "many equal": lambda rng, rows: np.where(np.arange(rows) % 3, rng.integers(0, 40, rows), rng.random(rows) * 40),
    "all equal": lambda _, rows: np.zeros(rows),
}


@pytest.mark.parametrize(
    "scores", ["cells of equal scores", *slow("many equal", "none equal", "few equal", "all equal")]
)
def test_areas_of_all_replicates_from_one_sort(scores: str) -> None:
    """Enough rows for every level of nodes, and for more than one at the highest; slices of one and of few rows."""
    rng = np.random.default_rng(3)
    rows = 20_000
    data = pd.DataFrame({"user": rng.integers(0, 50, rows), "score": SCORES[scores](rng, rows) * 1.0})
    data["clicked"] = (rng.random(rows) < 0.2 + 0.3 * data["score"].rank(pct=True)) * 1
    data["device"] = np.where(data.index < 200, "a", "b")
    # One chunk of draws, or two of which the second is not full.
    replicates = 210 if scores == "many equal" else 104
    result = sqlmetrics.auc(data, label="clicked", score="score", by="device", **sure(replicates=replicates))
    for device, part in data.groupby("device"):
        counts = draws(part["user"], replicates)
        truth, score = part["clicked"], part["score"]
        values = [sk.roc_auc_score(truth, score, sample_weight=counts[:, one]) for one in range(replicates)]
        value = result.loc[result["device"] == device, "auc"].item()
        assert value == pytest.approx(sk.roc_auc_score(truth, score), rel=1e-12)
        if scores == "all equal":  # each area is one half, which says nothing of how it varies
            assert np.isnan(found(result[result["device"] == device], "auc")).all()
            continue
        assert found(result[result["device"] == device], "auc") == pytest.approx(spread(values), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("by", [None, *slow("device")])
@pytest.mark.parametrize(
    ("kind", "of"),
    [
        ("int32", lambda user: user - 20),
        ("int64", lambda user: user * 10**16 + 2**62),
        ("bool", lambda user: user % 2 == 0),
        *slow(("uint64", lambda user: user + 2**64 - 100), ("int8", lambda user: user - 128)),
    ],
)
def test_clusters_that_are_whole_numbers_are_those_of_their_texts(kind: str, of: Any, by: str | None) -> None:
    """Rows of whole numbers find their draws by the number, among them those without one."""
    data = log(rows=600)
    users = of(data["user"].astype(object))
    written = pa.array([None if number % 17 == 3 else user for number, user in enumerate(users)], kind)
    table = pa.table({"clicked": data["clicked"], "score": data["score"], "device": data["device"], "user": written})
    names = table["user"].cast(pa.string())
    given: dict[str, Any] = {"label": "clicked", "score": "score", "by": by, "diagnostics": by is not None}
    numbers = sqlmetrics.auc(table, **given, **sure())
    texts = sqlmetrics.auc(table.set_column(3, "user", names), **given, **sure())
    pd.testing.assert_frame_equal(numbers, texts, check_exact=True)
    if by is None and kind != "bool":  # of three clusters, a replicate often has none
        counts = draws(["rows without a cluster" if name is None else name for name in names.to_pylist()])
        values = [sk.roc_auc_score(data["clicked"], data["score"], sample_weight=counts[:, one]) for one in range(24)]
        assert found(numbers, "auc") == pytest.approx(spread(values), rel=1e-9)


def test_what_is_drawn_goes_through_the_conventions_of_the_metric() -> None:
    """A replicate without one class has the value that the call gives to it; none drawn, all weigh nothing."""
    score = [3, 2, 1, 2, 4, 1, 3, 2, 1, 5, 4, 1]
    data = pd.DataFrame({"clicked": [1, 0, 0, 1, 0, 0] * 2, "score": score, "user": [1, 2, 3, 4, 5, 6] * 2})
    counts = draws(data["user"], 60)

    def area(weights: Any) -> float:
        there = data[weights > 0]
        return sk.roc_auc_score(there["clicked"], there["score"], sample_weight=weights[weights > 0]) \
            if there["clicked"].nunique() == 2 else 0.5  # fmt: skip

    values = [area(counts[:, one]) for one in range(60)]
    result = sqlmetrics.auc(data, label="clicked", score="score", one_class=0.5, **sure(replicates=60))
    assert 1 < values.count(0.5) < 30
    assert found(result, "auc") == pytest.approx(spread(values), rel=1e-12)


@pytest.mark.parametrize("cluster", [None, "wide"])
def test_groups_are_drawn_with_their_cluster(cluster: str | None) -> None:
    data = log(rows=700).assign(wide=lambda d: d["user"] % 11)
    arguments: dict[str, Any] = {"label": "clicked", "score": "score", "group": "user"}
    result = sqlmetrics.evaluate(data, ["gauc", "ndcg@5"], diagnostics=True, **arguments, **sure(cluster=cluster))
    groups = sqlmetrics.per_group(data, ["gauc", "ndcg@5"], **arguments)
    counts = draws(groups["user"] if cluster is None else groups["user"] % 11)
    for name, weight in (("gauc", groups["n"]), ("ndcg_at_5", 1)):
        value = groups[name].to_numpy()
        there = ~np.isnan(value)
        values = [np.average(value[there], weights=(counts[:, one] * weight)[there]) for one in range(REPLICATES)]
        assert found(result, name) == pytest.approx(spread(values), rel=1e-9)
        assert result[f"{name}_clusters"].item() == (there.sum() if cluster is None else 11)


def test_lists_are_drawn_whole() -> None:
    rng = np.random.default_rng(5)
    group = np.repeat(np.arange(40), 5)
    data = pd.DataFrame(
        {
            "group": group,
            "item": rng.permuted(np.tile(np.arange(60), (40, 1)), axis=1)[:, :5].ravel(),
            "score": rng.random(200),
        }
    )
    catalog = pd.DataFrame({"item": np.arange(80)})
    roles: dict[str, Any] = {"group": "group", "item": "item", "score": "score"}
    result = sqlmetrics.coverage(data, catalog=catalog, **roles, **sure(cluster=None))
    counts = draws(data["group"])
    values = [data.loc[counts[:, one] > 0, "item"].nunique() / 80 for one in range(REPLICATES)]
    low, _, error = spread(values)
    value = data["item"].nunique() / 80
    assert max(values) < value  # a sample has fewer distinct items, and an interval holds its value
    assert found(result, "coverage") == pytest.approx((low, value, error), rel=1e-12)
    seen = pd.DataFrame({"item": np.arange(60), "count": rng.integers(1, 9, 60)})
    result = sqlmetrics.novelty(data, popularity=seen, **roles, **sure(cluster="group"))
    surprise = -np.log2(seen["count"] / seen["count"].sum()).to_numpy()[data["item"]]
    values = [np.average(surprise, weights=counts[:, one]) for one in range(REPLICATES)]
    assert found(result, "novelty") == pytest.approx(spread(values), rel=1e-12)


@pytest.mark.slow
def test_rows_of_their_own_and_counted_rows() -> None:
    """Without a cluster each row is drawn; rows that stand for many are drawn with their cluster."""
    data = log(rows=300)
    data["score"] += np.random.default_rng(2).random(300) / 1e4  # no two rows alike
    ordered = data.sort_values(["clicked", "score"], ignore_index=True)
    result = sqlmetrics.evaluate(data, ["log_loss", "ks"], label="clicked", score="score", **sure(cluster=None))
    for name in ("log_loss", "ks"):
        # Clicks come first in the order of the columns (pos, neg, score), as the largest of neg.
        placed = ordered.sort_values(["clicked", "score"], ignore_index=True)
        counts = draws(np.arange(1, 301))
        value = SMOOTH.get(name)
        values = [
            value(placed, counts[:, one])
            if value
            else NOT_SMOOTH[name](placed.loc[placed.index.repeat(counts[:, one])])
            for one in range(REPLICATES)
        ]
        assert found(result, name) == pytest.approx(spread(values), rel=1e-9)
    cells = log(rows=300).groupby(["user", "score"], as_index=False)
    counted = cells.agg(positives=("clicked", "sum"), total=("clicked", "size"))
    metrics = ["auc", "log_loss", "ece"]
    plain = sqlmetrics.evaluate(log(rows=300), metrics, label="clicked", score="score", **sure())
    again = sqlmetrics.evaluate(counted, metrics, positives="positives", total="total", score="score", **sure())
    for name in metrics:
        assert found(again, name) == pytest.approx(found(plain, name), rel=1e-9)


@pytest.mark.slow
def test_slices_models_and_groupings_are_what_they_are_alone() -> None:
    data = log().assign(other=lambda d: d["score"].round(1))
    metrics = ["auc", "log_loss", "ks"]
    arguments: dict[str, Any] = {"label": "clicked", "diagnostics": True, **sure()}
    both = sqlmetrics.evaluate(data, metrics, score=["score", "other"], by=[[], ["device"]], **arguments)
    for row in both.to_dict("records"):
        part = data if row["grouping"] == "overall" else data[
            data["device"].isna() if pd.isna(row["device"]) else data["device"] == row["device"]]  # fmt: skip
        alone = sqlmetrics.evaluate(part, metrics, score=row["model"], **arguments).iloc[0]
        for name in metrics:
            assert row[f"{name}_clusters"] == part["user"].nunique()
            for end in ("low", "high", "se"):
                assert row[f"{name}_{end}"] == pytest.approx(alone[f"{name}_{end}"], rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("relative", [False, True])
def test_differences_in_each_replicate(relative: bool) -> None:
    data = two_models()
    counts = draws(data["user"])
    metrics = ["auc", "log_loss", "copc", "ks"]
    given: dict[str, Any] = {"label": "clicked", "score": ["score", "other"], "cluster": "user", "relative": relative}
    compared = sqlmetrics.compare(data, metrics, method="bootstrap", replicates=REPLICATES, adjust=None, **given)
    for row in compared.to_dict("records"):
        differences = []
        for one in range(REPLICATES):
            pair = [SMOOTH[row["metric"]](data.assign(score=data[name]), counts[:, one] * 1.0)
                    for name in ("score", "other")]  # fmt: skip
            differences.append((pair[1] - pair[0]) / (abs(pair[0]) if relative else 1))
        told = (row["difference_low"], row["difference_high"], row["standard_error"])
        assert told == pytest.approx(spread(differences), rel=1e-9), row["metric"]
        t = abs(row["difference"]) / row["standard_error"]
        assert row["p_value"] == pytest.approx(2 * stats.t(29).sf(t), rel=1e-2)
        assert row["clusters"] == 30


def test_models_on_both_sides_of_the_best() -> None:
    """As far from 1 on the one side as on the other: they differ for sure, and neither is better for sure."""
    rng = np.random.default_rng(1)
    score = rng.uniform(0.1, 0.4, 4000)
    data = pd.DataFrame({"clicked": (rng.random(4000) < score) * 1.0, "user": np.arange(4000) % 200})
    ratio = data["clicked"].sum() / score.sum()
    data = data.assign(up=score * ratio / 1.2, down=score * ratio / 0.8)
    row = sqlmetrics.compare(data, "copc", label="clicked", score=["up", "down"], cluster="user", method="bootstrap",
                             replicates=REPLICATES).iloc[0]  # fmt: skip
    assert row["p_value"] < 1e-6
    assert row["verdict"] == "differs, not closer to 1"


def test_undefined() -> None:
    given: dict[str, Any] = {"label": "clicked", "score": "score", **sure()}
    metrics = ["auc", "log_loss", "ks"]
    ends = [f"{name}_{end}" for name in metrics for end in ("low", "high", "se")]
    one = sqlmetrics.evaluate(log(clusters=1, rows=50), metrics, diagnostics=True, **given)
    assert one["auc"].item() > 0
    assert one["auc_clusters"].item() == 1
    assert one[ends].isna().all(axis=None)
    # A third of the replicates lack the only user with clicks: too many to be left out.
    rare = log(clusters=10).assign(clicked=lambda d: (d["user"] == 3) * 1)
    result = sqlmetrics.evaluate(rare, metrics, **given)
    assert result[["auc_low", "ks_low"]].isna().all(axis=None)
    assert result["log_loss_low"].notna().all()
    empty = sqlmetrics.evaluate(log(), metrics, where="score > 2", diagnostics=True, **given)
    assert empty[ends].isna().all(axis=None)
    assert empty["auc_clusters"].item() == 0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"method": "percentile"}, "method must be 'jackknife' or 'bootstrap', not 'percentile'"),
        ({"method": ["bootstrap"]}, "method must be 'jackknife' or 'bootstrap'"),
        ({"confidence": None, "cluster": None}, "method has a meaning with confidence only"),
        ({"method": None, "replicates": 100}, "replicates has a meaning with method='bootstrap' only"),
        ({"method": "jackknife", "seed": 100}, "seed has a meaning with method='bootstrap' only"),
        ({"replicates": 19}, "replicates must be a whole number from 20 to 10000, as in 200, not 19"),
        ({"replicates": 10_001}, "replicates must be a whole number"),
        ({"replicates": 200.0}, "replicates must be a whole number"),
        ({"replicates": True}, "replicates must be a whole number"),
        ({"replicates": "200"}, "replicates must be a whole number"),
        ({"replicates": Decimal(30)}, "replicates must be a whole number"),
        ({"method": np.array([1, 2])}, "method must be 'jackknife' or 'bootstrap'"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"seed": "now"}, "seed must be a whole number from 0"),
        ({"metrics": "roc_curve"}, "roc_curve is a table"),
    ],
)
def test_what_is_refused(wrong: dict[str, Any], words: str) -> None:
    given = {"metrics": "auc", "label": "clicked", "score": "score", "confidence": 0.9, "cluster": "user",
             "method": "bootstrap", **wrong}  # fmt: skip
    with pytest.raises(sqlmetrics.SqlMetricsError, match=words):
        sqlmetrics.evaluate(log(), **given)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"against": log(seed=5), "score": "score"}, "method='bootstrap' compares scores of one relation"),
        ({"test": "wilcoxon"}, "method='bootstrap' goes with the test 't'"),
    ],
    ids=["against", "test"],
)
def test_what_a_comparison_refuses(wrong: dict[str, Any], words: str) -> None:
    given = {"label": "clicked", "score": ["score", "other"], "method": "bootstrap", **wrong}
    with pytest.raises(sqlmetrics.BadParameter, match=words):
        sqlmetrics.compare(two_models(), "log_loss", **given)


def test_the_shell_takes_it(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    log().to_parquet(path)
    line = f"eval {path} -m auc --label clicked --score score --cluster user --confidence 0.9 --format csv"
    told = CliRunner().invoke(
        main, [*line.split(), "--method", "bootstrap", "--replicates", str(REPLICATES), "--seed", "3"]
    )
    assert told.exit_code == 0, told.output
    values = [float(value) for value in told.output.splitlines()[1].split(",")]
    expected = sqlmetrics.auc(log(), label="clicked", score="score",
                              **sure(confidence=0.9, seed=3, standard_error=False))  # fmt: skip
    assert values == pytest.approx(expected.iloc[0].tolist(), rel=1e-12)


@pytest.mark.slow
def test_seeds_and_defaults() -> None:
    given: dict[str, Any] = {"label": "clicked", "score": "score", "confidence": 0.95, "cluster": "user"}
    plain = sqlmetrics.auc(log(), method="bootstrap", **given)
    pd.testing.assert_frame_equal(plain, sqlmetrics.auc(log(), method="bootstrap", replicates=200, seed=1, **given))
    assert plain["auc_low"].item() != sqlmetrics.auc(log(), method="bootstrap", seed=2, **given)["auc_low"].item()
    jackknife = sqlmetrics.auc(log(), method="jackknife", **given)
    pd.testing.assert_frame_equal(jackknife, sqlmetrics.auc(log(), **given))
    sql = sqlmetrics.render("auc", relation="log", label="clicked", score="score", confidence=0.95, cluster="user",
                            method="bootstrap", seed=7)  # fmt: skip
    with duckdb.connect() as con:
        con.register("log", log())
        rendered = con.execute(sql).df()
    pd.testing.assert_frame_equal(rendered, sqlmetrics.auc(log(), method="bootstrap", seed=7, **given))


@pytest.mark.slow
def test_the_same_whatever_the_order_of_the_rows_and_the_threads() -> None:
    data = log(rows=3000)
    given: dict[str, Any] = {"label": "clicked", "score": "score", **sure()}
    one = sqlmetrics.evaluate(data, ["auc", "ks"], threads=1, **given)
    other = sqlmetrics.evaluate(data.sample(frac=1, random_state=2), ["auc", "ks"], threads=2, **given)
    pd.testing.assert_frame_equal(one[["auc_low", "auc_high", "ks_low", "ks_high"]],
                                  other[["auc_low", "auc_high", "ks_low", "ks_high"]], check_exact=True)  # fmt: skip


def test_beside_the_bootstrap_of_scipy() -> None:
    """Rows of their own, with other draws: as far apart as two runs of either may be."""
    data = log(rows=2000)
    losses = -np.log(np.where(data["clicked"] == 1, data["score"], 1 - data["score"]))
    theirs = stats.bootstrap((losses,), np.mean, n_resamples=1000, method="percentile", rng=np.random.default_rng(1))
    ours = sqlmetrics.log_loss(data, label="clicked", score="score", **sure(cluster=None, replicates=1000))
    assert ours["log_loss_se"].item() == pytest.approx(theirs.standard_error, rel=0.1)
    assert ours["log_loss_low"].item() == pytest.approx(theirs.confidence_interval.low, rel=5e-3)
    assert ours["log_loss_high"].item() == pytest.approx(theirs.confidence_interval.high, rel=5e-3)


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


@pytest.mark.slow
@pytest.mark.parametrize("by", ["groupings", None])
@pytest.mark.parametrize(("call", "cluster"), [
    pytest.param(call, cluster, id=f"{call.name}, {cluster}")
    for call in CALLS
    for cluster in ("by a column", "rows or groups")
    if not call.table and call.certain and (cluster == "by a column" or "positives" not in call.roles)
])  # fmt: skip
def test_every_metric_takes_it(call: Call, cluster: str, by: str | None, con: duckdb.DuckDBPyConnection) -> None:
    data = sample(call.kind, rows=240).assign(session=lambda rows: rows.index % 40)
    column = call.roles.get("group", "session") if cluster == "by a column" else None
    slices = [[], ["device"]] if by == "groupings" else None
    result = call.evaluate(arrow(data), by=slices, con=con, **sure(cluster=column, replicates=20))
    plain = call.evaluate(arrow(data), by=slices, con=con)
    assert_same(result[plain.columns], plain)
    whole = result["grouping"] == "overall" if by == "groupings" else result["n"] >= 0
    for one in call.asked:
        if one.metric.name not in one.metric.columns or one.metric.no_interval:  # the counts of a confusion matrix
            continue
        value, low, high = (result[f"{one.name}{end}"] for end in ("", "_low", "_high"))
        assert not (low > high).any(), one.name
        assert low[value.isna()].isna().all(), one.name
        # What is the same in every draw says nothing of how it varies: each row, or group, is at an end.
        assert value[whole & low.isna()].round(12).isin([0, 1, np.nan]).all(), one.name


@pytest.mark.slow
@pytest.mark.parametrize("cluster", ["user", None])
@pytest.mark.parametrize("name", ENGINES)
def test_the_same_digits_on_every_engine(name: str, cluster: str | None) -> None:
    data = two_models(rows=600)
    metrics = ["auc", "log_loss", "ks", "gauc", "ndcg@5", "ece"]
    given: dict[str, Any] = {"label": "clicked", "score": ["score", "other"], "group": "user", "cluster": cluster,
                             "confidence": 0.95, "method": "bootstrap", "replicates": 20}  # fmt: skip
    with ENGINES[name]({"log": pa.Table.from_pandas(data, preserve_index=False)}) as engine:
        here = sqlmetrics.evaluate(data, metrics, by="device", **given)
        there = sqlmetrics.evaluate("log", metrics, by="device", engine=engine, **given)
        pd.testing.assert_frame_equal(here, there, rtol=1e-9, atol=1e-12, check_exact=False)
        for metric in ("auc", "copc", "gauc"):
            roles = given | {"group": "user" if metric == "gauc" else None}
            here = sqlmetrics.compare(data, metric, **roles)
            there = sqlmetrics.compare("log", metric, engine=engine, **roles)
            pd.testing.assert_frame_equal(here, there, rtol=1e-9, atol=1e-12, check_exact=False)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bootstrap", "jackknife"])
def test_a_cluster_is_a_number_however_it_is_asked_for(method: str) -> None:
    """-0.0 and 0 are one, and 1.0 is 1, in an expression as in a column; in whatever order the rows are."""
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"y": rng.integers(0, 2, 400), "p": rng.random(400), "x": rng.uniform(-3, 3, 400)})
    data["cell"], data["rounded"] = data["x"].round().astype(int), data["x"].round()
    data["query"] = 3 * data["cell"] + rng.integers(0, 2, 400)
    asked: dict[str, Any] = {"label": "y", "score": "p", "group": "query", "confidence": 0.9, "method": method}
    asked |= {"standard_error": True, "diagnostics": True}
    replicates = {"replicates": 20} if method == "bootstrap" else {}
    assert (np.signbit(data["rounded"]) & (data["rounded"] == 0)).any()
    results = [
        sqlmetrics.evaluate(rows, "log_loss, pr_auc, ndcg@5", cluster=cluster, **asked, **replicates)
        for cluster, orders in (("cell", 1), ("rounded", 2), ("= round(x)", 2), ("= rounded", 1), ("= cell", 1))
        for rows in (data, data.iloc[::-1])[:orders]
    ]
    assert results[0]["log_loss_clusters"].tolist() == [7]
    for other in results[1:]:
        pd.testing.assert_frame_equal(results[0], other, rtol=1e-9)


def test_a_group_of_minus_0_is_copied_with_that_of_0() -> None:
    rng = np.random.default_rng(3)
    group = np.repeat(np.arange(12), 6)
    data = pd.DataFrame({"label": (rng.random(72) < 0.5) + (group % 3 == 0) * (rng.random(72) < 0.7), "group": group})
    data["double"] = np.where((group == 0) & (np.arange(72) % 2 == 1), -0.0, group)
    for metric in ("fleiss_kappa", "krippendorff_alpha"):
        whole, double = (
            sqlmetrics.evaluate(
                data, metric, label="label", group=one, confidence=0.9, method="bootstrap", replicates=50
            )
            for one in ("group", "double")
        )
        pd.testing.assert_frame_equal(whole, double, rtol=1e-12)


def test_counts_alone_have_nothing_to_draw_for() -> None:
    data = pd.DataFrame({"y": [0, 1, 1, 0], "p": [0.6, 0.7, 0.4, 0.1]})
    asked = {"label": "y", "score": "p", "confidence": 0.9, "method": "bootstrap"}
    found = sqlmetrics.confusion_matrix(data, **asked)
    assert found[["tp", "fp", "fn", "tn"]].to_numpy().tolist() == [[1, 1, 1, 1]]
    pd.testing.assert_frame_equal(found, sqlmetrics.confusion_matrix(data, label="y", score="p"))
    text = sqlmetrics.render("confusion_matrix", relation="data", **asked)
    assert duckdb.sql(text).df()[["tp", "tn"]].to_numpy().tolist() == [[1, 1]]
