"""What must hold for every metric, whatever it measures. A new metric file comes under these tests by being there."""

from __future__ import annotations

import functools
import hashlib
import warnings
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest

import sqlmetrics
from sqlmetrics.catalogue import builtin_catalogue
from sqlmetrics.definitions import role_of
from sqlmetrics.planning import NUMERIC_COLUMNS
from tests.compare import agree, assert_same, differences
from tests.data import (
    COLUMNS,
    COLUMNS_OF_PARAMETERS,
    JUDGED,
    ROLES_READ_FROM_JUDGMENTS,
    SLICES,
    SUBTOPICS,
    arrow,
    is_missing,
    relations_of,
    sample,
    slices_of,
)
from tests.tiers import (
    by_tier,
    by_weight,
    in_turn,
    once,
    slow,
)
from tests.variants import Call, calls, kinds_of, metric_call, quiet, roles_of

METRICS = builtin_catalogue().metrics
CALLS = calls()
#: Every value of every parameter; of a table, of which one can be asked at a time, the defaults are enough.
VARIANTS = [call for call in calls(every_variant=True) if not call.table]
#: Kinds of data whose truth is a word.
WORDS = ("classes", "class scores", "rated classes")

every_metric = pytest.mark.parametrize("call", once(CALLS))
every_call = pytest.mark.parametrize("call", by_tier(CALLS))
_VARIANTS = [pytest.param(call, id=f"{call.name}, every variant", marks=pytest.mark.slow) for call in VARIANTS]
every_variant = pytest.mark.parametrize("call", by_tier(CALLS) + _VARIANTS)
every_variant_once = pytest.mark.parametrize("call", once(CALLS) + _VARIANTS)


#: test_order_and_threads_do_not_matter has threads, and test_every_form_of_data_gives_the_same connections of its own.
pytestmark = pytest.mark.one_in(10)


def by_frame(calls: list[Any]) -> list[Any]:
    """Values of a parameter: where the fast tier has a call, it asks for a metric of each frame, the full one for all.

    What ends a statement takes the metrics of a frame one as the other, and a statement of all takes seconds.
    """
    found = []
    for given in calls:
        [call] = given.values
        sure = [one for one in call.asked if one.metric.name in one.metric.columns and not one.metric.no_interval]
        few = tuple({one.metric.frames: one for one in sure}.values())
        if given.marks or not few or len(few) == len(call.asked):
            found.append(given)
            continue
        roles = {role: column for one in few for role, column in call.only_roles(one).items()}
        reduced = Call(call.name, call.kind, few, roles)
        found += [pytest.param(reduced, id=f"{call.name}, by frame"), *slow(call)]
    return found


def values(call: Call, result: pd.DataFrame) -> pd.DataFrame:
    """The metrics of a result without its counts; a table without its count of rows."""
    return result.drop(columns=[name for name in ("n", "rows") if name in result.columns])


@functools.cache
def answer_of(call: Call, *by: str) -> pd.DataFrame:
    """What a call says of its sample as it is, with which many tests compare."""
    return call.evaluate(arrow(sample(call.kind)), by=list(by) or None)


def place_of(call: Call) -> int:
    """Where a call stands among the others: by it the fast tier takes turns."""
    return next(number for number, other in enumerate(CALLS) if other is call)


def answered_only(call: Call, data: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The relations of the sample, without judgments of groups that are not in the data."""
    relations = relations_of(sample(call.kind), call.kind)
    if "judgments" in relations:
        judged = relations["judgments"]
        relations["judgments"] = judged[judged[COLUMNS["group"]].isin(set(data[COLUMNS["group"]]))]
    return relations


def test_every_metric_is_under_contract() -> None:
    assert {one.metric.name for call in CALLS for one in call.asked} == set(METRICS)
    for metric in METRICS.values():
        assert set(kinds_of(metric)) == {
            call.kind for call in CALLS if any(one.metric.name == metric.name for one in call.asked)
        }


# Intervals


@pytest.mark.parametrize("call", once([call for call in CALLS if not call.table and call.certain]))
def test_an_interval_stands_beside_every_value(call: Call) -> None:
    """Whatever the metric, of slices beside all the rows or of these alone; the values are what they are without it."""
    data = sample(call.kind, rows=240).assign(session=lambda rows: rows.index % 40)
    # A cluster may hold several groups, not the other way round.
    cluster = call.roles.get("group", "session")
    sure: dict[str, Any] = {"confidence": 0.9, "cluster": cluster}
    slices = [[], ["device"]]
    result = call.evaluate(arrow(data), by=slices, **sure)
    plain = call.evaluate(arrow(data), by=slices)
    assert_same(result[plain.columns], plain)
    # A slice may be of too few clusters, all the rows are not.
    whole = result["grouping"] == "overall"
    for one in call.asked:
        if one.metric.name not in one.metric.columns or one.metric.no_interval:  # the counts of a confusion matrix
            continue
        value, low, high = (result[f"{one.name}{end}"] for end in ("", "_low", "_high"))
        defined = value.notna() & low.notna()
        assert (low[defined] <= value[defined] + 1e-9).all(), one.name
        assert (value[defined] <= high[defined] + 1e-9).all(), one.name
        assert low[value.isna()].isna().all(), one.name
        # Clusters that are all of one kind say nothing of how they vary: each row, or group, is at an end.
        assert value[whole & low.isna()].round(12).isin([0, 1, np.nan]).all(), one.name


def has_interval(call: Call) -> bool:
    """Whether a metric of the call is a number that can have one: the counts of a confusion matrix are none."""
    return any(one.metric.name in one.metric.columns and not one.metric.no_interval for one in call.asked)


_OF_SCORES = [call for call in CALLS if not call.table and "score" in call.roles and has_interval(call)]


@pytest.mark.parametrize("call", by_frame(by_tier(_OF_SCORES)))
def test_two_models_are_compared_by_every_metric(call: Call) -> None:
    """The values are those of `evaluate`; a model beside itself does not differ; the interval holds the difference."""
    data = sample(call.kind, rows=240).assign(session=lambda rows: rows.index % 40)
    score = call.roles["score"]
    data["second"] = data[score].sample(frac=1, random_state=1).to_numpy()
    if call.kind in SUBTOPICS:
        data["second"] = data[score] * 7 % 1
    data["itself"] = data[score]
    metrics = [one.spec for one in call.asked if one.metric.name in one.metric.columns and not one.metric.no_interval]
    roles = {**call.roles, "score": [score, "second", "itself"]}
    given: dict[str, Any] = {**call.arguments(roles)}
    values = quiet(lambda: sqlmetrics.evaluate(arrow(data), metrics, **given)).set_index("model")
    given["cluster"] = call.roles.get("group", "session")
    found = quiet(lambda: sqlmetrics.compare(arrow(data), metrics, **given))
    assert len(found) == 2 * len(metrics)
    for row in found.to_dict("records"):
        for column, model in (("value", row["model"]), ("baseline_value", score)):
            assert row[column] == pytest.approx(values.loc[model, row["metric"]], rel=1e-12, nan_ok=True)
        if row["model"] == "itself" and not pd.isna(row["p_value"]):
            assert row["difference"] == pytest.approx(0, abs=1e-12)
            assert row["verdict"] == "no difference seen"
        if not pd.isna(row["difference_low"]):
            assert row["difference_low"] <= row["difference"] <= row["difference_high"]
            assert 0 <= row["p_value"] <= row["p_adjusted"] <= 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "call", once([call for call in CALLS if not call.table and call.certain and has_interval(call)])
)
def test_gaps_of_every_metric_are_those_of_its_slices(call: Call) -> None:
    """The highest and the lowest are those of `evaluate`; an interval holds the difference where there is one."""
    data = sample(call.kind, rows=240).assign(session=lambda rows: rows.index % 40)
    metrics = [one.spec for one in call.asked if one.metric.name in one.metric.columns]
    given: dict[str, Any] = {**call.arguments(call.roles), "by": "country"}
    values = quiet(lambda: sqlmetrics.evaluate(arrow(data), metrics, **given))
    given["cluster"] = call.roles.get("group", "session")
    found = quiet(lambda: sqlmetrics.gaps(arrow(data), metrics, **given, confidence=0.9))
    assert len(found) == len(metrics)
    for row in found.to_dict("records"):
        column = values[row["metric"]].dropna()
        assert row["slices"] == len(column)
        if len(column) > 1:
            assert [row["highest"], row["lowest"]] == pytest.approx([column.max(), column.min()], rel=1e-12)
            assert row["difference"] == pytest.approx(column.max() - column.min(), rel=1e-9, abs=1e-12)
        if not pd.isna(row.get("difference_low")):
            assert row["difference_low"] <= row["difference"] <= row["difference_high"]
            assert 0 <= row["p_value"] <= 1


@pytest.mark.parametrize("call", by_tier([call for call in CALLS if not call.table]))
def test_metrics_asked_for_together_are_what_each_is_alone(call: Call) -> None:
    """Steps that frames share are the same; of every variant together, test_every_kind asks the oracles."""
    together = answer_of(call)
    for one in call.asked:
        roles = {role: column for role, column in call.roles.items() if role in one.metric.roles()}
        alone = answer_of(Call(call.name, call.kind, (one,), roles)).drop(columns="n")
        assert_same(together[alone.columns], alone)


@pytest.mark.one_in(1)
def test_best_lists_of_two_alphas_beside_those_of_another_grade() -> None:
    """The steps of a second alpha were called like those of a second frame, and stood for them."""
    rng = np.random.default_rng(1)
    rows = pd.DataFrame({name: rng.integers(0, count, 600) for name, count in {"q": 12, "ad": 15, "topic": 4}.items()})
    rows = rows.drop_duplicates().assign(grade=lambda rows: rng.integers(0, 3, len(rows)))
    rows["score"] = rng.random((12, 15))[rows["q"], rows["ad"]]
    roles = {"label": "grade", "score": "score", "group": "q", "item": "ad", "subtopic": "topic"}
    asked = {"a": {"alpha": 0.5}, "b": {"alpha": 0.9}, "c": {"alpha": 0.5, "relevant_at": 2}}
    specs = [{"name": "alpha_ndcg", "as": name, "k": 5, **given} for name, given in asked.items()]
    together = sqlmetrics.evaluate(rows, specs, **roles)
    for spec in specs:
        alone = sqlmetrics.evaluate(rows, [spec], **roles).drop(columns="n")
        assert_same(together[alone.columns], alone)


# Slices


@every_variant
def test_a_slice_is_its_rows_alone(call: Call) -> None:
    data = sample(call.kind)
    by = list(SLICES)
    result = answer_of(call, *by)
    keys = [tuple(None if is_missing(v) else v for v in row) for row in result[by].itertuples(index=False)]
    slices = dict(slices_of(data, by))
    assert set(keys) == set(slices)
    assert len(slices) == 6
    expected = sorted(slices, key=lambda key: [(value is None, value or "") for value in key])
    assert list(dict.fromkeys(keys)) == expected, "sorted, NULL last"
    # Every other one; which, changes from call to call.
    turn = [*CALLS, *VARIANTS].index(call)
    for key, rows in list(slices.items())[turn % 2 :: 2]:
        # Judged groups that were not answered belong to no slice: they count where there are none.
        alone = call.evaluate(arrow(rows), relations=answered_only(call, rows))
        assert_same(result[[other == key for other in keys]].drop(columns=by), alone)


@every_metric
def test_several_groupings_are_each_grouping(call: Call) -> None:
    data = arrow(sample(call.kind))
    groupings: list[list[str]] = [[], ["country"], ["country", "device"]]
    together = call.evaluate(data, by=groupings)
    assert list(dict.fromkeys(together["grouping"])) == [", ".join(grouping) or "overall" for grouping in groupings]
    for grouping in groupings:
        part = together[together["grouping"] == (", ".join(grouping) or "overall")]
        for other in set(SLICES) - set(grouping):
            assert part[other].isna().all()
        # Of each call one of them, of the next call another one.
        if grouping in in_turn(groupings, place_of(call), 1):
            alone = answer_of(call, *grouping)
            assert_same(part[alone.columns], alone)


@pytest.mark.parametrize("call", once([call for call in CALLS if not call.table]))
def test_slices_of_fewer_rows_are_left_out(call: Call) -> None:
    """A slice of as many rows as are asked for stays."""
    data = arrow(sample(call.kind))
    whole = answer_of(call, "device")
    assert len(whole) == 3
    for limit in (0, int(whole["n"].median()), int(whole["n"].max()) + 1):
        kept = call.evaluate(data, by="device", min_rows=limit)
        assert_same(kept, whole[[n >= limit for n in whole["n"]]])
        assert kept.attrs["slices_left_out"] == len(whole) - len(kept)


@pytest.mark.parametrize("call", once([call for call in CALLS if "score" in call.roles]))
def test_several_scores_are_each_score(call: Call) -> None:
    data = sample(call.kind)
    data["other model"] = data["pctr"].to_numpy()[::-1]
    together = call.evaluate(arrow(data), {**call.roles, "score": ["pctr", "other model"]}, by="country")
    for name in ["pctr", "other model"]:
        alone = call.evaluate(arrow(data), {**call.roles, "score": name}, by="country")
        assert len(alone)
        assert_same(together.loc[together["model"] == name, list(alone.columns)], alone)


# Order, threads, company


@every_variant_once
def test_order_and_threads_do_not_matter(call: Call, tmp_path: Path) -> None:
    """Files of many small row groups, so that even a few rows are read by several threads."""
    data = sample(call.kind, rows=4_200)
    mixed = data.sample(frac=1, random_state=3)
    with duckdb.connect() as connection:
        for name, rows in [("plain", data), ("mixed", mixed)]:
            connection.register("rows_to_write", arrow(rows))
            target = tmp_path / f"{name}.parquet"
            connection.execute(f"copy rows_to_write to '{target}' (format parquet, row_group_size 2048)")
        results = []
        for name, threads in [("plain", 1), ("mixed", 8)]:
            connection.execute(f"set threads = {threads}")
            results.append(call.evaluate(tmp_path / f"{name}.parquet", by="country", con=connection))
    assert_same(*results)


@pytest.mark.parametrize("call", once([call for call in CALLS if not call.table]))
def test_alone_is_together_with_others(call: Call) -> None:
    """Also where values are missing of which some metrics take no notice."""
    data = sample(call.kind)
    data.loc[3, "user_id"] = None
    together = call.evaluate(arrow(data), by="country")
    for one in call.asked:
        roles = roles_of(one.metric, call.kind)
        alone = Call(call.kind, call.kind, (one,), roles).evaluate(arrow(data), by="country")
        columns = ["country", *one.columns.values()]
        assert_same(together[columns], alone[columns])


# Weights and pre-aggregated rows


@pytest.mark.parametrize(
    ("only", "role"),
    by_weight(CALLS, "weight", "group_weight") + by_weight(VARIANTS, "weight", "group_weight", marks=pytest.mark.slow),
)
def test_weights(only: Call, role: str) -> None:
    """A weight of 1 is none; a weight of 2 is the row twice (a group counted twice changes no mean)."""
    data = sample(only.kind)
    plain = only.evaluate(arrow(data))
    weighted = {**only.roles, role: COLUMNS[role]}
    ones = only.evaluate(arrow(data.assign(w=1.0, importance=1.0)), weighted)
    assert_same(ones, plain)
    twos = only.evaluate(arrow(data.assign(w=2, importance=2)), weighted)
    doubled = only.evaluate(arrow(pd.concat([data, data]))) if role == "weight" else plain
    assert_same(values(only, twos), values(only, doubled))


@pytest.mark.parametrize("asked", [CALLS, *slow(VARIANTS)], ids=["defaults", "every variant"])
def test_a_pre_aggregated_row_is_its_rows(asked: list[Call]) -> None:
    data = sample("pre-aggregated")
    expanded = data.loc[data.index.repeat(data["views"].astype(int))].copy()
    place = expanded.groupby(level=0).cumcount()
    expanded["clicked"] = (place < expanded["clicks"]).astype(float)
    found = [call for call in asked if call.kind == "pre-aggregated"]
    assert found
    # A row of no views stands for no rows: its score is no point of a curve.
    data = data[data["views"] > 0]
    for call in found:
        roles = {role: column for role, column in call.roles.items() if role not in ("positives", "total")}
        short = call.evaluate(arrow(data), by="country")
        long = call.evaluate(arrow(expanded), {**roles, "label": "clicked"}, by="country")
        assert_same(short, long, 1e-11)
    assert len(expanded) > len(data)


def test_a_pre_aggregated_row_counts_as_its_rows() -> None:
    """`n` and `min_rows` counted the pre-aggregated rows, which `rows_read` and `rows_dropped` still count."""
    data = pd.DataFrame({"day": [1, 1, 2], "clicks": [3, 1, 2], "views": [10, 20, 12], "pctr": [0.5, 0.25, 0.5]})
    roles: dict[str, Any] = {"positives": "clicks", "total": "views", "score": "pctr"}
    assert sqlmetrics.evaluate(data, "auc, copc", **roles)["n"].tolist() == [42]
    found = sqlmetrics.evaluate(data, "auc, gauc", **roles, group="day", by="day", diagnostics=True)
    assert found[["n", "rows_read", "rows_dropped"]].to_numpy().tolist() == [[30, 2, 0], [12, 1, 0]]
    assert sqlmetrics.evaluate(data, "copc", **roles, by="day", min_rows=13)["day"].tolist() == [1]
    assert sqlmetrics.per_group(data, "gauc", **roles, group="day")["n"].tolist() == [30, 12]
    assert sqlmetrics.lift_table(data, **roles, bins=1)["rows"].tolist() == [42]
    with pytest.warns(sqlmetrics.DroppedRows, match="score .* in 1 row"):
        found = sqlmetrics.evaluate(data.replace({"pctr": {0.25: None}}), "auc", **roles, diagnostics=True)
    assert found[["n", "rows_read", "rows_dropped"]].to_numpy().tolist() == [[22, 3, 1]]
    thirds = sqlmetrics.evaluate(data, "copc", positives="= clicks / 3", total="= views / 3", score="pctr")
    assert thirds["n"].tolist() == [14]


def test_a_pre_aggregated_row_has_a_prediction_as_its_rows_have() -> None:
    data = sample("pre-aggregated").assign(called=lambda rows: (rows["pctr"] > 0.1).astype(int))
    rows = data.loc[data.index.repeat(data["views"].astype(int))].copy()
    rows["clicked"] = (rows.groupby(level=0).cumcount() < rows["clicks"]).astype(int)
    metrics = builtin_catalogue().metrics.values()
    names = [one.name for one in metrics if one.score == "threshold" and "total" in one.roles() and not one.table]
    assert "accuracy" in names
    asked = [{"name": name, "beta": 2} if name == "fbeta" else name for name in names]
    short = sqlmetrics.evaluate(data, asked, positives="clicks", total="views", prediction="called", by="country")
    long = sqlmetrics.evaluate(rows, asked, label="clicked", prediction="called", by="country")
    assert_same(short, long)


# One class, nothing at all, missing values


@every_variant
def test_one_class_only(call: Call) -> None:
    """An answer that is a number or undefined: no error, nothing infinite."""
    for label in ["cat"] if call.kind in WORDS else [2.0, 1.0] if call.kind == "positive numbers" else [0.0, 1.0]:
        data = sample(call.kind).assign(clicked=label)
        if call.kind == "pre-aggregated":
            data["clicks"] = label * data["views"]
        result = call.evaluate(arrow(data), by="country")
        numbers = values(call, result).drop(columns=["threshold", "country"], errors="ignore").select_dtypes("number")
        assert not np.isinf(numbers.to_numpy(dtype=float)).any()
        assert len(result) >= 2


@every_variant
def test_no_rows(call: Call) -> None:
    data = arrow(sample(call.kind)).slice(0, 0)
    relations: dict[str, Any] = dict(relations_of(sample(call.kind), call.kind))
    if "judgments" in relations:
        # As Arrow a table without rows keeps its types.
        relations["judgments"] = arrow(relations["judgments"]).slice(0, 0)
    whole = call.evaluate(data, relations=relations)
    sliced = call.evaluate(data, by="country")
    assert len(sliced) == 0
    assert list(sliced.columns) == ["country", *whole.columns]
    assert whole.filter(["n"]).to_numpy().tolist() == ([] if call.table else [[0]])
    assert len(whole) == (0 if call.table else 1)
    for one in () if call.table else call.asked:
        for name in one.columns.values():
            value = whole[name][0]
            replaced = one.parameters.get("zero_division")
            if replaced is not None:
                assert value == replaced, name
            elif one.metric.undefined.startswith("0 without rows"):
                assert value == 0, name
            else:
                assert is_missing(value), name


@every_metric
def test_nothing_left_by_where(call: Call) -> None:
    data = arrow(sample(call.kind))
    assert_same(call.evaluate(data, where="1 = 0"), call.evaluate(data.slice(0, 0)))


def complete(relations: dict[str, pa.Table]) -> dict[str, pd.DataFrame]:
    """The relations without the rows that miss a value."""
    return {name: relation.to_pandas().dropna() for name, relation in relations.items()}


def holes(call: Call, role: str) -> list[Any]:
    """The missing values that a column of the role can hold."""
    texts = ("group", "item", "subtopic", "field") + (("label", "prediction") if call.kind in WORDS else ())
    return [None] if role in texts else [None, float("nan")]


@every_call
def test_missing_values_are_dropped_and_counted(call: Call) -> None:
    place, call = place_of(call), call.weighable
    data = sample(call.kind)
    roles = dict(call.roles) | {role: COLUMNS[role] for role in ("weight", "group_weight") if call.takes(role)}
    if call.kind == "pre-aggregated":
        roles.pop("weight", None)
    for turn, role in enumerate(roles, place):
        if role in ("tie_key", "subtopic"):  # a row counts, and keeps its place, without it
            continue
        if call.kind in JUDGED and role in ROLES_READ_FROM_JUDGMENTS:  # it is read from the judgments
            continue
        if role in ("p_price", "p_survive"):  # the one is read of a bid that won, the other of one that lost
            data.loc[[5, 17, 40], COLUMNS["won"]] = float(role == "p_price")
        only = call.only(role)
        assert only is not None
        given = {name: column for name, column in roles.items() if only.takes(name)}
        dropped = data.index.isin([5, 17, 40])
        if call.kind == "slates" and role in ("reward", "propensity", "target"):  # each leaves out its slate
            dropped = data[COLUMNS["group"]].isin(data.loc[dropped, COLUMNS["group"]])
        expected = only.evaluate(arrow(data[~dropped]), given)
        for hole in in_turn(holes(call, role), turn, 1):
            torn = data.astype(object)
            torn.loc[[5, 17, 40], COLUMNS[role]] = hole
            table = arrow(torn)
            arguments = only.arguments(given, complete(only.relations(given)))
            with pytest.warns(sqlmetrics.DroppedRows, match="3 rows") as caught:
                result = sqlmetrics.evaluate(table, only.specs, **arguments)
            assert role in str(caught[0].message)
            assert COLUMNS[role] in str(caught[0].message)
            assert caught[0].filename == __file__, "the warning points at the caller"
            assert_same(result, expected)
            if hole is None and turn % 3 == 0:
                with pytest.raises(sqlmetrics.BadData, match=f"{role}.*3 rows"):
                    sqlmetrics.evaluate(table, only.specs, **arguments, strict=True)


@pytest.mark.slow
def test_a_row_without_a_key_comes_after_those_with_one() -> None:
    """For every metric that orders equal scores by a key; among several without one the worst order counts."""
    compared = set()
    for call in CALLS:
        asked = [
            metric_call(one.metric, {**one.given, "ties": "key"})
            for one in call.asked
            # Of two lists one may have items that are no row of the data, and have no key either.
            if "ties" in one.metric.parameters and not ("list_overlaps" in one.metric.frames and call.kind in JUDGED)
        ]
        asked += [one for one in call.asked if call.kind == "lists"]
        if "tie_key" not in call.roles or not asked:
            continue
        data = sample(call.kind).astype({"doc": object})
        data["pctr"] = data["pctr"].round()
        data.loc[::3, "doc"] = None
        lowest = data.assign(doc=[-1 if key is None else key for key in data["doc"]])
        only = Call(call.name, call.kind, tuple(asked), call.roles)
        assert_same(only.evaluate(arrow(data)), only.evaluate(arrow(lowest)))
        compared |= {one.metric.name for one in asked}
    assert {name for name, metric in METRICS.items() if "ties" in metric.parameters} <= compared


@every_call
def test_all_values_missing(call: Call) -> None:
    # The value of a policy is told from rewards, or from predictions alone.
    own = {
        "pre-aggregated": ["positives"],
        "bids": ["won"],
        "logged actions": ["reward", "q_policy"],
        "slates": ["reward"],
    }
    for role in ["item"] if "item" in call.roles else own.get(call.kind, ["label"]):
        only = call.only(role)
        assert only is not None
        data = sample(call.kind).astype(object)
        table = arrow(data)
        place = table.column_names.index(COLUMNS[role])
        kind = table.schema.field(COLUMNS[role]).type
        table = table.set_column(place, COLUMNS[role], pa.nulls(len(data), kind))
        given = {name: column for name, column in call.roles.items() if only.takes(name)}
        assert_same(only.evaluate(table, given), only.evaluate(table.slice(0, 0), given))
        sliced = only.evaluate(table, given, by="country")
        # A slate with a gap is a slate of its slice, and none of its rows is used.
        assert sliced.empty or (call.kind == "slates" and (sliced["n"] == 0).all())


@every_call
def test_complete_data_gives_no_warning(call: Call) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sqlmetrics.evaluate(
            arrow(sample(call.kind)),
            call.specs,
            **call.arguments(relations=complete(call.relations(call.roles))),
        )


# What another engine makes of the same text


@every_call
def test_no_quotient_of_whole_numbers(call: Call) -> None:
    """PostgreSQL divides whole numbers without a remainder, as DuckDB does if it is told to."""
    data = sample(call.kind)
    with duckdb.connect() as con:
        con.execute("set threads = 1")
        con.execute("set integer_division = true")
        found = call.evaluate(data, con=con)
    assert differences(found, call.evaluate(data), 1e-12) == []


# Types and names of columns

NUMERIC_ROLES = (*map(role_of, NUMERIC_COLUMNS), "p_price", "p_survive")


def cast_column(values: pd.Series, kind: str) -> pa.Array:
    if kind == "boolean":
        return pa.array([bool(value) for value in values])
    if kind == "decimal":
        return pa.array([Decimal(str(value)) for value in values], pa.decimal128(14, 6))
    return pa.array([int(value) for value in values], getattr(pa, kind)())


TYPES = ["uint16", "decimal", "boolean", "int64", "int8", "int32"]


@pytest.mark.parametrize(("call", "kind"), [
    pytest.param(call, kind, id=f"{call.name}-{kind}")
    for number, call in enumerate(CALLS)
    for kind in in_turn(TYPES, number, 2)
])  # fmt: skip
def test_types_of_columns(call: Call, kind: str) -> None:
    """Two types for each call, the next two for the next."""
    call = call.weighable
    data = sample(call.kind)
    roles = dict(call.roles) | {role: COLUMNS[role] for role in ("weight", "group_weight") if call.takes(role)}
    if call.kind == "pre-aggregated":
        roles.pop("weight", None)
    castable = [role for role in NUMERIC_ROLES if role in roles]
    if call.kind in WORDS:
        castable = [role for role in castable if role not in ("label", "prediction")]
    if kind == "boolean":
        castable = [role for role in castable if role in ("label", "prediction", "won", "reward", "treatment")]
    columns = [COLUMNS[role] for role in castable]
    if kind != "boolean":
        columns += COLUMNS_OF_PARAMETERS.get(call.kind, [])
    for column in columns:  # values that all of the types can hold
        if kind != "decimal":
            whole = data[column] > 0 if kind == "boolean" else np.floor(data[column])
            # No action was drawn with a probability of 0.
            least = 1 if column == COLUMNS["propensity"] or call.kind == "positive numbers" else -np.inf
            data[column] = whole.astype(float).clip(lower=least)
        if kind.startswith("u"):
            data[column] = data[column].clip(lower=0)
    plain = arrow(data)
    table = plain
    for column in columns:
        place = table.column_names.index(column)
        table = table.set_column(place, column, cast_column(data[column], kind))
    assert_same(call.evaluate(table, roles), call.evaluate(plain, roles))


NAMES = [
    "with space", 'with"double', "it's", "UPPER", "Mixed Case", "select", "order", "größe", "日本", "a.b", "1st",
    "%s", "{{ 7 }}", "-- x", "semi;colon", "back\\slash", "tab\there", "label", "score", "weight", "group_id", "pos",
    "neg", "slice_1", "slice_id", "n", "rows", "row_count", "bad_rows", "all_rows", "used_rows_1", "bin", "auc",
    "source", "observations", "threshold", "total", " spaces around ",
]  # fmt: skip


def names_for(call: Call, some: int) -> list[str]:
    """Some of the names that follow each other; the next call has those after them."""
    return in_turn(NAMES, place_of(call), some)


@every_metric
def test_names_of_columns(call: Call) -> None:
    """No name is special: not one that needs quotes, nor one that the SQL uses for something else."""
    data = sample(call.kind)
    expected = answer_of(call, "country")
    used = list(dict.fromkeys(call.roles.values()))
    # What a role and a parameter name has two columns then.
    in_parameters = {
        column
        for one in call.asked
        for value in one.parameters.values()
        if isinstance(value, Mapping)
        for column in value.values()
    }
    # Every role gets the name of something else, `label` never that of the label.
    names = names_for(call, len(used))
    renamed = dict(zip(used, names, strict=True))
    roles = {role: sqlmetrics.column(renamed[column]) for role, column in call.roles.items()}
    others = {name: f"other {name}" for name in data.columns if name in names}
    table = data.rename(columns=others).rename(columns=renamed).assign(**{one: data[one] for one in in_parameters})
    result = call.evaluate(arrow(table), roles, by="country")
    # A table names its groups after their column, or `group` where another of its columns is called so.
    renamed_back = {renamed[COLUMNS["group"]]: COLUMNS["group"]} if "group" in call.roles else {}
    taken = [name for name in expected.columns if name in renamed_back]
    back = {"group": COLUMNS["group"]} if taken else renamed_back
    assert_same(result.rename(columns=back) if call.table else result, expected)


@every_metric
def test_names_of_slices(call: Call) -> None:
    data = sample(call.kind)
    expected = answer_of(call, "device")
    shown = {column.lower() for one in call.asked for column in one.columns.values()} | {"n"}
    wanted = names_for(call, 8)
    names = [name for name in wanted if name.lower() not in shown]
    renamed = data.drop(columns=["device"]).assign(**dict.fromkeys(names, data["device"]))
    result = call.evaluate(arrow(renamed), by=[sqlmetrics.column(name) for name in names])
    assert list(result.columns[: len(names)]) == names
    for name in names:
        others = [other for other in names if other != name]
        assert_same(result.drop(columns=others).rename(columns={name: "device"}), expected)
    for name in set(wanted) - set(names):
        renamed = data.rename(columns={"device": name})
        with pytest.raises(sqlmetrics.BadParameter, match=name):
            call.evaluate(arrow(renamed), by=sqlmetrics.column(name))


@every_metric
def test_slices_called_like_other_slices(call: Call) -> None:
    """The SQL calls the slices slice_1 and slice_2; a user may have these names the other way round."""
    data = sample(call.kind)
    expected = answer_of(call, "device", "country")
    swapped = data.rename(columns={"device": "slice_2", "country": "slice_1"})
    result = call.evaluate(arrow(swapped), by=["slice_2", "slice_1"])
    assert_same(result.rename(columns={"slice_2": "device", "slice_1": "country"}), expected)


@pytest.mark.parametrize("call", once([call for call in CALLS if not call.table]))
def test_names_of_results(call: Call) -> None:
    """A metric may be called as one likes, and the rows stay in the order of the slices."""
    data = arrow(sample(call.kind))
    one = next(one for one in call.asked if len(one.columns) == 1)
    options: Any = {
        **Call(call.name, call.kind, (one,), call.only_roles(one)).arguments(),
        "by": ["country", "device"],
    }
    expected = quiet(lambda: sqlmetrics.evaluate(data, one.spec, **options))[one.name]
    names = [name for name in names_for(call, 12) if name not in ("n", "slice_id")]
    result = quiet(lambda: sqlmetrics.evaluate(data, [{**one.spec, "as": name} for name in names], **options))
    assert list(result.columns) == ["country", "device", "n", *names]
    for name in names:
        assert_same(result[[name]].rename(columns={name: one.name}), expected.to_frame())
    for name in ("n", "slice_id"):  # these are taken
        with pytest.raises(sqlmetrics.BadParameter, match=name):
            sqlmetrics.evaluate(data, {**one.spec, "as": name}, **options)


def test_a_slice_that_is_also_the_group() -> None:
    data = arrow(sample("labels"))
    roles = {"label": "clicked", "score": "pctr", "group": "user_id"}
    result = sqlmetrics.evaluate(data, "group_auc", **roles, by="user_id")
    assert list(result.columns) == ["user_id", "group", "auc", "rows", "positives"]
    assert result["user_id"].tolist() == result["group"].tolist()


# Where the data comes from


class SameRows:
    """The same rows in every form; a file is written when it is asked for."""

    #: Forms that belong to the connection.
    OF_THE_CONNECTION = ("table", "table with schema", "temporary view", "query")

    def __init__(self, data: pd.DataFrame, folder: Path, connection: duckdb.DuckDBPyConnection) -> None:
        self.data, self.folder, self.connection = data, folder, connection
        self.table = arrow(data)
        connection.register("to_copy", self.table)
        connection.execute("create table impressions as select * from to_copy")
        connection.execute("create temp view impressions_view as select * from impressions")
        connection.unregister("to_copy")

    def file(self, name: str, options: str, rows: str = "impressions") -> Path:
        path = self.folder / name
        if not path.exists():
            self.connection.execute(f"copy {rows} to '{path}' (format {options})")
        return path

    def parquet(self) -> Path:
        return self.file("all.parquet", "parquet")

    def parts(self) -> list[Path]:
        (self.folder / "parts").mkdir(exist_ok=True)
        rows = "(select * from impressions where rowid % 3 = {})"
        return [self.file(f"parts/{part}.parquet", "parquet", rows.format(part)) for part in range(3)]

    def forms(self) -> dict[str, Callable[[], Any]]:
        return {
            "file": lambda: str(self.parquet()),
            "path": self.parquet,
            "csv": lambda: self.file("all.csv", "csv"),
            "compressed csv": lambda: self.file("zipped.csv.gz", "csv, compression gzip"),
            "json": lambda: self.file("all.json", "json"),
            "glob": lambda: str(self.parts()[0].with_name("*.parquet")),
            "list of files": self.parts,
            "query of a file": lambda: f"select * from read_parquet('{self.parquet()}') -- all of it",
            "from first": lambda: f"from read_parquet('{self.parquet()}');",
            "pandas": lambda: self.data,
            "polars": lambda: polars.from_arrow(self.table),
            "Arrow": lambda: self.table,
            "table": lambda: "impressions",
            "table with schema": lambda: "main.impressions",
            "temporary view": lambda: "impressions_view",
            "query": lambda: "with taken as (select * from impressions) select * from taken",
            "relation": lambda: self.connection.table("impressions"),
            "filtered relation": lambda: self.connection.table("impressions").filter("true"),
        }


#: One form of each sort.
SORTS = ["file", "pandas", "table", "relation"]


def some_forms(call: Call, rows: SameRows) -> dict[str, Any]:
    """All forms for one call with rows alone and one with judgments; for the others, which get at their data by the
    same way, one form in turn."""
    everything = call.kind in ("labels", "judged") and not call.table
    wanted = in_turn(SORTS, place_of(call), 1)
    return {name: made() for name, made in rows.forms().items() if everything or name in wanted}


def asked_of_forms(call: Call) -> Call:
    """Where a call is asked of every form, a few of its metrics, which read all of its columns."""
    if call.kind not in ("labels", "judged") or call.table:
        return call
    asked, read = [], set[str]()
    for one in call.asked:
        if not read.issuperset(call.only_roles(one)):
            asked.append(one)
            read |= set(call.only_roles(one))
    return Call(call.name, call.kind, tuple(asked), call.roles)


@every_call
def test_every_form_of_data_gives_the_same(call: Call, tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute("set threads = 2")
        data = sample(call.kind)
        forms = some_forms(call, SameRows(data, tmp_path, connection))
        before = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in tmp_path.rglob("*.*")}
        call = asked_of_forms(call)
        expected = call.evaluate(arrow(data), by="country")
        for name, form in forms.items():
            con = connection if name in SameRows.OF_THE_CONNECTION else None
            result = call.evaluate(form, by="country", con=con)
            assert differences(result, expected) == [], name
        assert {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in tmp_path.rglob("*.*")} == before


# The caller's connection


def left_behind(connection: duckdb.DuckDBPyConnection) -> Any:
    """What a connection shows of itself: relations, settings, its own temporary things."""
    questions = [
        "select * from information_schema.tables order by all",
        "select view_name, internal from duckdb_views() where not internal order by all",
        "select name, value from duckdb_settings() order by all",
        "select schema_name from duckdb_schemas() order by all",
        "select database_name from duckdb_databases() order by all",
    ]
    return [connection.execute(question).fetchall() for question in questions]


def own_functions(connection: duckdb.DuckDBPyConnection) -> Any:
    """The macros of a connection, which take longer to list than a metric to compute."""
    question = "select function_name from duckdb_functions() where not internal order by all"
    return connection.execute(question).fetchall()


@every_call
def test_nothing_is_left_in_the_connection(call: Call, tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute("create table mine as select 1 as x")
        data = sample(call.kind)
        forms = some_forms(call, SameRows(data, tmp_path, connection))
        before, functions = left_behind(connection), own_functions(connection)
        call = asked_of_forms(call)
        expected = call.evaluate(arrow(data), by="country")
        for name, form in forms.items():
            con = None if isinstance(form, duckdb.DuckDBPyRelation) else connection
            assert differences(call.evaluate(form, by="country", con=con), expected) == [], name
            assert left_behind(connection) == before
        for form in forms.values():
            with pytest.raises(sqlmetrics.SqlMetricsError):
                call.evaluate(
                    form,
                    where="no_such_function(1)",
                    con=None if isinstance(form, duckdb.DuckDBPyRelation) else connection,
                )
            assert left_behind(connection) == before
        assert own_functions(connection) == functions
        assert connection.execute("select x from mine").fetchall() == [(1,)]


def test_a_transaction_of_the_caller_goes_on() -> None:
    """Also after an error of ours; after one of the engine's a transaction is as it would be without us."""
    with duckdb.connect() as connection:
        connection.execute("create table mine (label integer, score double)")
        connection.execute("begin")
        connection.execute("insert into mine values (0, 0.1), (1, 0.9), (2, 0.9)")
        roles = {"label": "label", "score": "score"}
        one = sqlmetrics.evaluate("mine", "auc", con=connection, where="label < 2", **roles)
        assert one["auc"][0] == 1
        for wrong in [{"label": "no_such_column"}, {}, {"weight": "score", "group": "label"}, {"by": "n"}]:
            with pytest.raises(sqlmetrics.SqlMetricsError):
                sqlmetrics.evaluate("mine", "auc", con=connection, **{**roles, **wrong})
        with pytest.raises(sqlmetrics.SqlMetricsError):
            sqlmetrics.evaluate("no_such_table", "auc", con=connection, **roles)
        connection.execute("commit")
        assert connection.execute("select count(*) from mine").fetchall() == [(3,)]


def test_pandas_index_and_order_are_left_alone() -> None:
    data = sample("labels").set_index("doc")
    before = data.copy(deep=True)
    sqlmetrics.evaluate(data, "auc", label="clicked", score="pctr")
    pd.testing.assert_frame_equal(data, before)


def test_the_last_digit_of_agreement() -> None:
    """The comparison that these tests rest on does tell values apart."""
    assert not agree(0.5, 0.5 + 2e-9)
    assert not agree(None, 0.0)
    assert not agree(0.0, float("nan"))
    assert agree(float("nan"), None)
    assert agree(1e20, 1e20 * (1 + 1e-10))
