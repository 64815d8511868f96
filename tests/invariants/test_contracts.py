"""Properties of every metric. A new metric file is included automatically."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.catalogue.vocabulary import ROLES
from tests.compare import agree, assert_same
from tests.data import COLUMNS, JUDGED, SLICES, STRING_LABELS, SUBTOPICS, arrow, is_missing, relations_of, sample
from tests.engines.servers import load
from tests.invariants.test_disguises import CALLS as BY_FRAME
from tests.invariants.test_disguises import QUOTED, RESERVED, complete, each, plain_results, rows_of
from tests.parameters import quick_every, slow
from tests.variants import (
    Call,
    MetricCall,
    base_parameters,
    by_frame,
    calls,
    data_types_of,
    metric_call,
    quiet,
    roles_of,
)

METRICS = builtin_catalogue().metrics
CALLS = calls()


def test_every_metric_is_under_contract() -> None:
    assert {metric.metric.name for call in CALLS for metric in call.metrics} == set(METRICS)
    for metric in METRICS.values():
        names = {
            call.data_type for call in CALLS if any(requested.metric.name == metric.name for requested in call.metrics)
        }
        assert set(data_types_of(metric)) == names


# Other metrics in the same call


def with_interval(call: Call) -> list[MetricCall]:
    """The metrics that `compare` supports: the counts of a confusion matrix have no interval."""
    return [
        requested
        for requested in call.metrics
        if requested.metric.name in requested.metric.columns and not requested.metric.no_interval
    ]


#: Pre-aggregated rows have the frames of labels.
CERTAIN = [call for call in BY_FRAME if "score" in call.roles and call.data_type != "pre-aggregated" and not call.table]


@pytest.mark.parametrize("call", each(list(filter(with_interval, CERTAIN)), slow_above=1))
def test_compare_returns_the_values_of_evaluate(call: Call) -> None:
    """A model does not differ from itself, and the interval contains the difference."""
    values = plain_results(call)["overall"].iloc[0]
    data, score, only = rows_of(call), call.roles["score"], call.of(with_interval(call))
    data["second"] = (
        data[score] * 7 % 1 if call.data_type in SUBTOPICS else data[score].sample(frac=1, random_state=1).array
    )
    data["itself"] = data[score]
    roles = {**only.arguments(), "score": [score, "second", "itself"], "cluster": call.roles.get("group", "session")}
    comparison = quiet(lambda: sqlmetrics.compare(arrow(data), only.specs, **roles))
    assert len(comparison) == 2 * len(only.metrics)
    for row in comparison.to_dict("records"):
        value = pytest.approx(values[row["metric"]], rel=1e-12, nan_ok=True)
        assert row["baseline_value"] == value
        if row["model"] == "itself":
            assert row["value"] == value
            assert pd.isna(row["p_value"]) or row["verdict"] == "no difference seen"
            assert row["difference"] == pytest.approx(0, abs=1e-12, nan_ok=True)
        if not pd.isna(row["difference_low"]):
            assert row["difference_low"] <= row["difference"] <= row["difference_high"]
            assert 0 <= row["p_value"] <= row["p_adjusted"] <= 1


def first_of_frames(call: Call) -> list[MetricCall]:
    """The metrics of a call with several, if it has their first type of data."""
    return [
        requested
        for requested in call.metrics
        if call.data_type == data_types_of(requested.metric)[0] and len(call.metrics) > 1
    ]


@pytest.mark.slow
@pytest.mark.parametrize("call", list(filter(first_of_frames, BY_FRAME)), ids=lambda call: call.name)
def test_a_metric_alone_is_the_same_as_with_others(call: Call) -> None:
    """Also if values are missing that some metrics do not read. `test_every_data_type` compares with oracles."""
    data = sample(call.data_type)
    data.loc[3, "user_id"] = None
    together = call.evaluate(arrow(data), by="country")
    for metric in first_of_frames(call):
        alone = Call(call.name, call.data_type, (metric,), roles_of(metric.metric, call.data_type))
        columns = ["country", *metric.columns.values()]
        assert_same(together[columns], alone.evaluate(arrow(data), by="country")[columns])


# Slices


@pytest.mark.parametrize("call", each(BY_FRAME))
def test_slices_are_sorted_and_null_is_last(call: Call) -> None:
    """Each grouping has NULL in the columns of the others. The disguises compare the values."""
    data = rows_of(call)
    results = plain_results(call)
    assert [*results] == ["overall", "device", "device, country"]
    for name, part in results.items():
        grouping = [column for column in SLICES if column in name]
        assert part[[column for column in SLICES if column not in grouping]].isna().all(axis=None)
        keys, expected = (
            dict.fromkeys(tuple(None if is_missing(value) else value for value in row) for row in rows)
            for rows in (part[grouping].to_numpy().tolist(), data[grouping].to_numpy().tolist())
        )
        assert [*keys] == sorted(expected, key=lambda key: [(value is None, value or "") for value in key])


# Pre-aggregated rows


def expanded_views(data: pd.DataFrame) -> pd.DataFrame:
    rows = data.loc[data.index.repeat(data["views"].astype(int))].copy()
    rows["clicked"] = (rows.groupby(level=0).cumcount() < rows["clicks"]).astype(float)
    return rows


#: Calls with predictions too, whose metrics read a column or a threshold.
CALLED = [metric_call(requested, base_parameters(requested)) for requested in METRICS.values()
          if requested.score == "threshold" and "total" in requested.roles() and not requested.table]  # fmt: skip
PRE_AGGREGATED = [
    *(call for call in CALLS if call.data_type == "pre-aggregated"),
    Call("predictions", "pre-aggregated", tuple(CALLED), {"positives": "clicks", "total": "views", "prediction": "w"}),
    *slow(*(call for call in calls(every_variant=True) if call.data_type == "pre-aggregated" and not call.table)),
]


@pytest.mark.parametrize("call", PRE_AGGREGATED, ids=lambda call: call.name)
def test_a_pre_aggregated_row_is_its_rows(call: Call) -> None:
    data = sample("pre-aggregated").assign(w=lambda rows: (rows["pctr"] > 0.1).astype(int))
    roles = {role: column for role, column in call.roles.items() if role not in ("positives", "total")}
    # A row without views counts for no rows: its score is not on a curve.
    short = call.evaluate(arrow(data[data["views"] > 0]), by="country")
    long = call.evaluate(arrow(expanded_views(data)), {**roles, "label": "clicked"}, by="country")
    assert_same(short, long, 1e-12 if call.name == "predictions" else 1e-11)


def test_counts_of_pre_aggregated_rows() -> None:
    """`n` and `min_rows` count the aggregated rows, `rows_read` and `rows_dropped` the input rows."""
    data = pd.DataFrame({"day": [1, 1, 2], "clicks": [3, 1, 2], "views": [10, 20, 12], "pctr": [0.5, 0.25, 0.5]})
    roles: dict[str, Any] = {"positives": "clicks", "total": "views", "score": "pctr"}
    assert sqlmetrics.evaluate(data, "auc, copc", **roles)["n"].tolist() == [42]
    by_day = sqlmetrics.evaluate(data, "auc, gauc", **roles, group="day", by="day", diagnostics=True)
    assert by_day[["n", "rows_read", "rows_dropped"]].to_numpy().tolist() == [[30, 2, 0], [12, 1, 0]]
    for min_rows, days in ((12, [1, 2]), (13, [1])):
        large = sqlmetrics.evaluate(data, "copc", **roles, by="day", min_rows=min_rows)
        assert (large["day"].tolist(), large.attrs["slices_left_out"]) == (days, 2 - len(days))
    assert sqlmetrics.per_group(data, "gauc", **roles, group="day")["n"].tolist() == [30, 12]
    assert sqlmetrics.evaluate(data, "auc, gauc", **roles, group="day", by="day", where="1 = 0").empty
    table = sqlmetrics.group_auc(data, **roles, group="day", by="day")
    assert list(table.columns) == ["day", "group", "auc", "rows", "positives"]
    assert table["day"].tolist() == table["group"].tolist() == [1, 2]
    assert sqlmetrics.lift_table(data, **roles, bins=1)["rows"].tolist() == [42]
    with pytest.warns(sqlmetrics.DroppedRows, match="score .* in 1 row"):
        dropped = sqlmetrics.evaluate(data.replace({"pctr": {0.25: None}}), "auc", **roles, diagnostics=True)
    assert dropped[["n", "rows_read", "rows_dropped"]].to_numpy().tolist() == [[22, 3, 1]]
    thirds = sqlmetrics.evaluate(data, "copc", positives="= clicks / 3", total="= views / 3", score="pctr")
    assert thirds["n"].tolist() == [14]


# No rows, missing values


@pytest.mark.parametrize("call", quick_every(3, CALLS), ids=[call.name for call in CALLS])
def test_no_rows(call: Call) -> None:
    data = arrow(sample(call.data_type)).slice(0, 0)
    relations: dict[str, Any] = dict(relations_of(sample(call.data_type), call.data_type))
    if "judgments" in relations:  # an empty Arrow table has types
        relations["judgments"] = arrow(relations["judgments"]).slice(0, 0)
    replaced = [
        metric_call(requested.metric, {**requested.arguments, "zero_division": value})
        for requested in call.metrics
        for value in (0, 1)
        if "zero_division" in requested.metric.parameters and not call.table
    ]
    call = call.of([*call.metrics, *replaced])
    results = call.evaluate(data, relations=relations).to_dict("records")
    assert [result["n"] for result in results] == ([] if call.table else [0])
    for result, metric in itertools.product(results, call.metrics):
        zero = metric.metric.undefined.startswith("0 without rows")
        for name in metric.columns.values():
            assert agree(result[name], 0 if zero else metric.parameters.get("zero_division")), name


def first_call_with(role: str) -> Call:
    """A call of metrics with the role, for data that has it in the rows rather than in judgments."""
    only = next(call.weighable.only(role) for call in CALLS
                if not call.table and call.takes(role)
                and not (call.data_type in JUDGED and role in ("label", "subtopic"))
                and (role in call.roles or role in ("weight", "group_weight"))
                and (call.data_type != "pre-aggregated" or role != "weight"))  # fmt: skip
    assert only is not None
    return only.of(by_frame([only])[0].metrics[:2])


#: Rows without a tie key or subtopic still count; every other role is required in some row.
@pytest.mark.parametrize("role", [role for role in ROLES if role not in ("tie_key", "subtopic", "field", "position")])
def test_missing_values_are_dropped_and_counted(role: str) -> None:
    """The values are those of the other rows, and a warning at the caller's line names role, column and number."""
    call = first_call_with(role)
    roles = {**call.roles, role: COLUMNS[role]}
    data = sample(call.data_type)
    if role in ("p_price", "p_survive"):  # p_price is required of won bids, p_survive of lost ones
        data.loc[[5, 17, 40], COLUMNS["won"]] = float(role == "p_price")
    dropped = data.index.isin([5, 17, 40])
    if call.data_type == "slates" and role in ("reward", "propensity", "target"):  # each drops its whole slate
        dropped = data[COLUMNS["group"]].isin(data.loc[dropped, COLUMNS["group"]])
    expected = call.evaluate(arrow(data[~dropped]), roles)
    texts = ("group", "item") + (("label", "prediction") if call.data_type in STRING_LABELS else ())
    arguments = call.arguments(roles, complete(call, roles))
    torn = data.astype(object)
    torn.loc[[5, 17], COLUMNS[role]] = None
    torn.loc[40, COLUMNS[role]] = None if role in texts else float("nan")
    with pytest.warns(sqlmetrics.DroppedRows, match="3 rows") as caught:
        result = sqlmetrics.evaluate(arrow(torn), call.specs, **arguments)
    assert role in str(caught[0].message)
    assert COLUMNS[role] in str(caught[0].message)
    assert caught[0].filename == __file__
    assert_same(result, expected)
    with pytest.raises(sqlmetrics.BadData, match=f"{role}.*3 rows"):
        sqlmetrics.evaluate(arrow(torn), call.specs, **arguments, strict=True)


# Names of results


def test_names_of_results() -> None:
    """A metric may have any name, and the rows are ordered by slice."""
    data, by = arrow(sample("labels")), ["country", "device"]
    roles = {"label": "clicked", "score": "pctr"}
    expected = sqlmetrics.auc(data, by=by, **roles)[["auc"]]
    names = [name for name in (*QUOTED, *RESERVED) if name != "slice_id"]
    result = sqlmetrics.evaluate(data, [{"name": "auc", "as": name} for name in names], by=by, **roles)
    assert list(result.columns) == [*by, "n", *names]
    for name in names:
        assert_same(result[[name]].set_axis(["auc"], axis=1), expected)


def test_a_slice_that_is_also_the_group() -> None:
    data = arrow(sample("labels"))
    roles = {"label": "clicked", "score": "pctr", "group": "user_id"}
    result = sqlmetrics.evaluate(data, "group_auc", **roles, by="user_id")
    assert list(result.columns) == ["user_id", "group", "auc", "rows", "positives"]
    assert result["user_id"].tolist() == result["group"].tolist()


# The caller's connection and data


def state_of(con: duckdb.DuckDBPyConnection) -> Any:
    """The visible state of a connection: relations, settings, temporary relations, schemas, databases, macros."""
    return [
        con.execute(question).fetchall()
        for question in (
            "select * from information_schema.tables order by all",
            "select view_name from duckdb_views() where not internal order by all",
            "select name, value from duckdb_settings() order by all",
            "select schema_name from duckdb_schemas() order by all",
            "select database_name from duckdb_databases() order by all",
            "select function_name from duckdb_functions() where not internal order by all",
        )
    ]


@pytest.mark.parametrize(
    "call", [call for call in BY_FRAME if call.name in ("predictions", "lists")], ids=lambda call: call.name
)
def test_calls_leave_the_connection_unchanged(call: Call, tmp_path: Path) -> None:
    call = call.of(call.metrics[:1])
    data = sample(call.data_type)[::-1]
    untouched = data.copy(deep=True)
    data.to_csv(tmp_path / "log.csv", index=False)
    with duckdb.connect() as con:
        load(con, {"mine": arrow(data)})
        forms = ["mine", "select * from mine", arrow(data), data, str(tmp_path / "log.csv"), con.table("mine")]
        before = state_of(con)
        for form in forms:
            own = None if isinstance(form, duckdb.DuckDBPyRelation) else con
            call.evaluate(form, by="country", con=own)
            with pytest.raises(sqlmetrics.SqlMetricsError):
                call.evaluate(form, where="no_such_function(1)", con=own)
            assert state_of(con) == before
    pd.testing.assert_frame_equal(data, untouched)


def test_transactions_of_the_caller_stay_open() -> None:
    """Also after our own errors; `test_failed_calls_leave_the_connection_usable` covers those of the engine."""
    with duckdb.connect() as connection:
        connection.execute("create table mine (label integer, score double)")
        connection.execute("begin")
        connection.execute("insert into mine values (0, 0.1), (1, 0.9), (2, 0.9)")
        roles = {"label": "label", "score": "score"}
        assert sqlmetrics.evaluate("mine", "auc", con=connection, where="label < 2", **roles)["auc"][0] == 1
        for table, wrong in [("mine", {"label": "no_such_column"}), ("mine", {}), ("no_such_table", {})]:
            with pytest.raises(sqlmetrics.SqlMetricsError):
                sqlmetrics.evaluate(table, "auc", con=connection, **{**roles, **wrong})
        connection.execute("commit")
        assert connection.execute("select count(*) from mine").fetchall() == [(3,)]


def test_agree_distinguishes_values() -> None:
    """The tests above depend on this comparison."""
    assert not agree(0.5, 0.5 + 2e-9)
    assert not agree(None, 0.0)
    assert not agree(0.0, float("nan"))
    assert agree(float("nan"), None)
    assert agree(1e20, 1e20 * (1 + 1e-10))
