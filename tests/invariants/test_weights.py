"""Results do not depend on the scale of weights, the order of weighted rows, or the last bits of their sums."""

from __future__ import annotations

import itertools
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn import metrics as sk

import sqlmetrics
from tests.compare import differences
from tests.data import COLUMNS, arrow, sample
from tests.invariants.test_disguises import CALLS as BY_FRAME
from tests.invariants.test_disguises import weighable
from tests.variants import Call, by_frame, calls

#: Shares of these weights often coincide with bin edges, and none of their sums is exact in doubles.
DECIMALS = [0.1, 0.2, 0.3, 0.7, 1.1]
SCALES = [1e-3, 0.1, 0.7, 3, 1e6]

#: Results that are sums of weights.
SUMS = ("tp", "fp", "fn", "tn", "positives", "negatives", "support", "count", "targeted", "incremental_gain",
        "random_gain", "weight")  # fmt: skip


def unscaled(call: Call, result: pd.DataFrame, scale: float) -> pd.DataFrame:
    """The result with sums of weights divided by the scale, and without counts that the scale changes."""
    counts = ["n", "rows"] if call.data_type == "pre-aggregated" else []
    result = result.drop(columns=counts, errors="ignore")
    columns = [requested.columns[name] for requested in call.metrics for name in SUMS if name in requested.columns]
    return result.assign(**{name: result[name] / scale for name in columns if name in result})


# Bins of equal mass


def decimal_rows(call: Call) -> pd.DataFrame:
    """Decimal weights, each equally often for every score, so that bins of mass end between scores."""
    data = sample(call.data_type, 4_000)
    places = np.arange(len(data))
    data["w"] = np.array(DECIMALS)[places // 20 % 5]
    data["country"] = np.array(["de", "at"])[places // 100 % 2]
    if call.data_type == "labels":
        data["pctr"] = places % 20 / 20
    return data


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(BY_FRAME)), ids=[call.name for call in BY_FRAME])
def test_scale_order_and_threads(number: int, tmp_path: Path) -> None:
    """Bins, medians and thresholds do not depend on the last bit of a sum. Metrics without weights are included."""
    weighed_call = weighable(BY_FRAME[number])
    call = weighed_call or BY_FRAME[number]
    weights = {role: COLUMNS[role] for role in ("weight", "group_weight") if weighed_call and call.takes(role)}
    plain = decimal_rows(call)
    results = []
    with duckdb.connect() as con:
        for threads, scale, rows in ((1, 1.0, plain), (4, SCALES[number % 5], plain.sample(frac=1, random_state=1))):
            scaled = rows.assign(**{name: rows[name] * scale for name in ("w", "importance")})
            con.register("rows_to_write", arrow(scaled))
            path = tmp_path / f"{threads}.parquet"
            con.execute(f"copy rows_to_write to '{path}' (format parquet, row_group_size 2048)")
            con.execute(f"set threads = {threads}")
            result = call.evaluate(path, {**call.roles, **weights}, by="country", con=con)
            results.append(unscaled(call, result, scale) if weights else result)
    assert differences(results[1], results[0], 1e-11 if weights else 1e-12) == []


def in_orders(rows: pd.DataFrame, *orders: list[int]) -> pa.Table:
    """A slice for each order of the rows and each scale of their weights."""
    cases = itertools.product(orders, (1.0, *SCALES))
    return arrow(pd.concat([
        rows.iloc[order].assign(w=rows["w"] * scale, case=number) for number, (order, scale) in enumerate(cases)
    ]))  # fmt: skip


ROLES = {"label": "y", "score": "s", "weight": "w"}


def test_a_cut_at_half_of_the_weight() -> None:
    """Scores .2 have weight .3 + .3, scores .6 have .1 + .2 + .3: two bins, in spite of rounded sums.

    Bin .2: rate .3 / .6 against .2; bin .6: rate 0 against .6. Only the first has a positive: 1/PCOC is .5 / .2.
    """
    rows = pd.DataFrame({"y": [0.0, 1, 0, 0, 0], "s": [0.6, 0.2, 0.6, 0.6, 0.2], "w": [0.1, 0.3, 0.2, 0.3, 0.3]})
    data = in_orders(rows, [0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [3, 0, 2, 1, 4], [2, 1, 3, 4, 0])
    result = sqlmetrics.evaluate(data, "ece(bins=2, binning='mass'), cal_n(bins=2), medae", **ROLES, by="case")
    assert len(result) == 24
    # Errors .2 and .6 have weight .3 + .6, and .8 has .3: half of the weight is reached within .6.
    for name, value in {"ece": 0.5 * 0.3 + 0.5 * 0.6, "cal_n": 1.5, "medae": 0.6}.items():
        assert result[name].tolist() == pytest.approx([value] * 24, abs=1e-12)
    assert sqlmetrics.lift_table(data, bins=2, **ROLES, by="case")["rows"].tolist() == [3, 2] * 24


def test_bins_of_whole_numbers_are_exact() -> None:
    """Without weights the bin of a score is that of exact fractions, even next to an edge."""
    log = "select range % 2 as y, range::double / 100003 as s from range(100003)"
    table = sqlmetrics.lift_table(log, bins=1000, label="y", score="s")
    expected = [0] * 1000
    for below in range(100003):
        expected[1000 * below // 100003] += 1
    assert table["rows"].tolist() == expected


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_classes_without_weight_do_not_count(weights: str) -> None:
    """Neither as a label nor as a prediction, at any position of the order."""
    rows = pd.DataFrame({"stars": [1, 1, 3, 3, 4, 4], "said": [1, 3, 3, 4, 4, 1], "w": 1.0})
    more = pd.DataFrame({"stars": [2, 0, 5, 3], "said": [2, 1, 6, 2.5], "w": 0.0})
    metrics = [f"kappa = weighted_kappa(weights='{weights}')"]
    result = sqlmetrics.evaluate(pd.concat([rows, more]), metrics, label="stars", prediction="said", weight="w",
                                 confidence=0.95, standard_error=True)  # fmt: skip
    assert result["kappa"][0] == pytest.approx(sk.cohen_kappa_score(rows["stars"], rows["said"], weights=weights))
    assert result["kappa_se"][0] > 0


# Weights far from 1

FAR = ["1e-200", "1e-150", "1e-30", "1e30", "1e150", "1e200"]


def scaled_roles(call: Call, scale: str) -> dict[str, str]:
    """The roles with which a call reads weights, times a scale."""
    weights = ("positives", "total") if call.data_type == "pre-aggregated" else ("weight", "group_weight")
    return {**call.roles, **{role: f"= {scale} * {COLUMNS[role]}" for role in weights if call.takes(role)}}


def weighed(call: Call) -> Call:
    """The call without metrics that count rows, for which a scale is another count."""
    metrics = tuple(requested for requested in call.metrics if not requested.metric.no_weight)
    return call if metrics == call.metrics else Call(call.name, call.data_type, metrics, call.roles)


WEIGHABLE = [call for call in map(weighed, calls()) if call.metrics and scaled_roles(call, "1") != call.roles]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(WEIGHABLE)), ids=[call.name for call in WEIGHABLE])
def test_weights_far_from_1(number: int) -> None:
    """No product of sums of weights leaves the range of doubles."""
    call = WEIGHABLE[number]
    scales = [1.0, float(FAR[number % 3]), float(FAR[3 + number % 3])]
    data = pd.concat([sample(call.data_type).assign(scale=scale) for scale in scales], ignore_index=True)
    result = call.evaluate(arrow(data), scaled_roles(call, "scale"), by=["scale", "country"])
    plain, *far = (unscaled(call, result[result["scale"] == scale].drop(columns="scale"), scale) for scale in scales)
    assert len(plain) > 0
    for part in far:
        assert differences(part, plain, 1e-12) == []


@pytest.mark.parametrize("weight", [1e251, 1e308, 1e-251, 5e-324, -1.0, np.inf])
def test_weights_whose_sums_overflow_are_rejected(weight: float) -> None:
    """With weights of 1e308 `ndcg` was 0, because their sum is infinite; 5e-324 has no tenth."""
    data = pd.DataFrame({"q": [1, 1, 2, 2], "y": [1, 0, 0, 1], "s": [0.8, 0.6, 0.7, 0.4], "w": [weight, weight, 1, 1]})
    message = r"weight \(column 'w'\): 2 rows where the value is negative, infinite or outside"
    for metric, roles in {"ndcg": {"group": "q", "group_weight": "w"}, "log_loss": {"weight": "w"}}.items():
        with pytest.raises(sqlmetrics.BadData, match=message):
            sqlmetrics.evaluate(data, metric, label="y", score="s", **roles)
    counted = pd.DataFrame({"c": [1.0, 0.0], "n": [1e308, 1e308], "s": [0.5, 0.25]})
    with pytest.raises(sqlmetrics.BadData, match="infinite or too large to be added up"):
        sqlmetrics.auc(counted, positives="c", total="n", score="s")


#: Metrics with an interval, in small calls.
SURE = [
    call.of([requested for requested in call.metrics if not requested.metric.no_interval]).weighable
    for call in by_frame(WEIGHABLE)
    if not call.table
]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(SURE)), ids=[call.name for call in SURE])
def test_intervals_of_weights_far_from_1(number: int) -> None:
    """Squares of influences stay in the range too: the interval does not depend on the scale."""
    call, scale = SURE[number], ["1e-200", "1e200", "1e-100", "1e100"][number % 4]
    data = arrow(sample(call.data_type))
    cluster = COLUMNS["group"] if call.data_type == "pre-aggregated" else None
    plain, far = (
        call.evaluate(data, scaled_roles(call, factor), confidence=0.9, standard_error=True, cluster=cluster)
        for factor in ("1e0", scale)
    )
    # Influences are half the difference of two nearby values.
    assert differences(unscaled(call, far, float(scale)), unscaled(call, plain, 1), 1e-7) == []


# The weight of a group


@pytest.mark.parametrize(
    "call",
    [weighable(call) for call in BY_FRAME if call.name in ("grades", "lists")],
    ids=lambda call: call.name,
)
def test_a_group_has_a_single_weight(call: Call) -> None:
    """Two weights in a group are an error, unless the row is unused or the groups of each slice have a single one."""
    data = sample(call.data_type)
    roles = {**call.roles, "group_weight": COLUMNS["group_weight"]}
    group = data["user_id"].mode()[0]
    [*_, row] = data.index[data["user_id"] == group]
    two = data.copy()
    two.loc[row, "importance"] += 1
    with pytest.raises(sqlmetrics.BadData, match=rf"group_weight has two values in one group; .*{group} \(1 in all\)"):
        call.evaluate(arrow(two), roles)
    unread = two.astype(object)
    for role in ("label", "item") if "item" in roles else ("label",):
        unread.loc[row, COLUMNS[role]] = None
    without = call.evaluate(arrow(data.drop(row)), roles, relations=call.relations(roles))
    assert differences(call.evaluate(arrow(unread), roles, relations=call.relations(roles)), without) == []
    by_country = data.assign(importance=np.where(data["country"] == "de", 1.0, 3.0))
    assert len(call.evaluate(arrow(by_country), roles, by="country")) == 2
