"""What must hold for every metric, whatever it measures. A new metric file comes under these tests by being there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sqlmetrics
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.catalogue.vocabulary import ROLES
from tests.compare import agree, assert_same
from tests.data import COLUMNS, JUDGED, SLICES, SUBTOPICS, WORDS, arrow, is_missing, relations_of, sample, slices_of
from tests.parameters import by_weight
from tests.variants import Call, by_frame, calls, kinds_of, metric_call, quiet, roles_of

METRICS = builtin_catalogue().metrics
CALLS = calls()
#: Without tables.
COLUMN_CALLS = [call for call in CALLS if not call.table]

every_call = pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
every_frame = pytest.mark.parametrize("call", by_frame(CALLS), ids=lambda call: call.name)


def without_counts(result: pd.DataFrame) -> pd.DataFrame:
    return result.drop(columns=["n", "rows"], errors="ignore")


def test_every_metric_is_under_contract() -> None:
    assert {metric.metric.name for call in CALLS for metric in call.asked} == set(METRICS)
    for metric in METRICS.values():
        names = {call.kind for call in CALLS if any(one.metric.name == metric.name for one in call.asked)}
        assert set(kinds_of(metric)) == names


# Company


def in_comparisons(call: Call) -> Call | None:
    """The call with those metrics that have an interval: the counts of a confusion matrix have none."""
    metrics = [one for one in call.asked if one.metric.name in one.metric.columns and not one.metric.no_interval]
    return call.of(metrics) if metrics else None


CERTAIN = [call for call in map(in_comparisons, COLUMN_CALLS) if call is not None]


@pytest.mark.parametrize("call", by_frame([c for c in CERTAIN if "score" in c.roles]), ids=lambda call: call.name)
def test_compare_returns_the_values_of_evaluate(call: Call) -> None:
    """A model does not differ from itself, and the interval holds the difference."""
    data = sample(call.kind, rows=240).assign(session=lambda rows: rows.index % 40)
    score = call.roles["score"]
    data["second"] = data[score].sample(frac=1, random_state=1).to_numpy()
    if call.kind in SUBTOPICS:
        data["second"] = data[score] * 7 % 1
    data["itself"] = data[score]
    arguments = call.arguments({**call.roles, "score": [score, "second", "itself"]})
    values = quiet(lambda: sqlmetrics.evaluate(arrow(data), call.specs, **arguments)).set_index("model")
    arguments["cluster"] = call.roles.get("group", "session")
    comparison = quiet(lambda: sqlmetrics.compare(arrow(data), call.specs, **arguments))
    assert len(comparison) == 2 * len(call.specs)
    for row in comparison.to_dict("records"):
        for column, model in (("value", row["model"]), ("baseline_value", score)):
            assert row[column] == pytest.approx(values.loc[model, row["metric"]], rel=1e-12, nan_ok=True)
        if row["model"] == "itself" and not pd.isna(row["p_value"]):
            assert row["difference"] == pytest.approx(0, abs=1e-12)
            assert row["verdict"] == "no difference seen"
        if not pd.isna(row["difference_low"]):
            assert row["difference_low"] <= row["difference"] <= row["difference_high"]
            assert 0 <= row["p_value"] <= row["p_adjusted"] <= 1


@pytest.mark.slow
@pytest.mark.parametrize("call", by_frame(CERTAIN), ids=lambda call: call.name)
def test_gaps_are_those_of_the_slices(call: Call) -> None:
    data = sample(call.kind, rows=240).assign(session=lambda rows: rows.index % 40)
    arguments: dict[str, Any] = {**call.arguments(call.roles), "by": "country"}
    values = quiet(lambda: sqlmetrics.evaluate(arrow(data), call.specs, **arguments))
    arguments["cluster"] = call.roles.get("group", "session")
    gaps = quiet(lambda: sqlmetrics.gaps(arrow(data), call.specs, **arguments, confidence=0.9))
    assert len(gaps) == len(call.specs)
    for row in gaps.to_dict("records"):
        column = values[row["metric"]].dropna()
        assert row["slices"] == len(column)
        if len(column) > 1:
            assert [row["highest"], row["lowest"]] == pytest.approx([column.max(), column.min()], rel=1e-12)
            assert row["difference"] == pytest.approx(column.max() - column.min(), rel=1e-9, abs=1e-12)
        if not pd.isna(row.get("difference_low")):
            assert row["difference_low"] <= row["difference"] <= row["difference_high"]
            assert 0 <= row["p_value"] <= 1


@pytest.mark.parametrize("call", COLUMN_CALLS, ids=lambda call: call.name)
def test_a_metric_alone_is_the_same_as_with_others(call: Call) -> None:
    """Also where values are missing that some metrics do not read. `test_every_kind` asks oracles for all together."""
    data = sample(call.kind)
    data.loc[3, "user_id"] = None
    together = call.evaluate(arrow(data), by="country")
    first_of_metric = [one for one in call.asked if call.kind == kinds_of(one.metric)[0]]
    for metric in first_of_metric or call.asked[:1]:
        alone = Call(call.name, call.kind, (metric,), roles_of(metric.metric, call.kind))
        columns = ["country", *metric.columns.values()]
        assert_same(together[columns], alone.evaluate(arrow(data), by="country")[columns])


def test_best_lists_of_two_alphas_beside_those_of_another_grade() -> None:
    """The steps of a second alpha were called like those of a second frame, and stood for them."""
    rng = np.random.default_rng(1)
    rows = pd.DataFrame({name: rng.integers(0, count, 600) for name, count in {"q": 12, "ad": 15, "topic": 4}.items()})
    rows = rows.drop_duplicates().assign(grade=lambda rows: rng.integers(0, 3, len(rows)))
    rows["score"] = rng.random((12, 15))[rows["q"], rows["ad"]]
    roles = {"label": "grade", "score": "score", "group": "q", "item": "ad", "subtopic": "topic"}
    parameters = {"a": {"alpha": 0.5}, "b": {"alpha": 0.9}, "c": {"alpha": 0.5, "relevant_at": 2}}
    specs = [{"name": "alpha_ndcg", "as": name, "k": 5, **values} for name, values in parameters.items()]
    together = sqlmetrics.evaluate(rows, specs, **roles)
    for spec in specs:
        alone = sqlmetrics.evaluate(rows, [spec], **roles).drop(columns="n")
        assert_same(together[alone.columns], alone)


# Slices


@every_call
def test_slices_and_groupings_are_their_rows_alone(call: Call) -> None:
    """Slices are sorted, NULL last; of groupings the rows of the others have NULL in their columns."""
    data = sample(call.kind)
    groupings: list[list[str]] = [[], ["device"], list(SLICES)]
    together = call.evaluate(arrow(data), by=groupings)
    names = [", ".join(grouping) or "overall" for grouping in groupings]
    assert list(dict.fromkeys(together["grouping"])) == names
    for grouping, name in zip(groupings, names, strict=True):
        part = together[together["grouping"] == name]
        assert part[[other for other in SLICES if other not in grouping]].isna().all(axis=None)
        slices = dict(slices_of(data, grouping))
        keys = [tuple(None if is_missing(v) else v for v in row) for row in part[grouping].to_numpy().tolist()]
        expected = sorted(slices, key=lambda key: [(value is None, value or "") for value in key])
        assert list(dict.fromkeys(keys)) == expected
        key = expected[-1]
        rows = slices[key]
        relations = relations_of(sample(call.kind), call.kind)
        if "judgments" in relations and grouping:  # judged groups without items belong to no slice
            judged = relations["judgments"]
            relations["judgments"] = judged[judged[COLUMNS["group"]].isin(set(rows[COLUMNS["group"]]))]
        alone = call.evaluate(arrow(rows), relations=relations)
        assert_same(part.loc[[other == key for other in keys], list(alone.columns)], alone)


@pytest.mark.parametrize("call", COLUMN_CALLS[::12], ids=lambda call: call.name)
def test_min_rows_drops_smaller_slices(call: Call) -> None:
    """A slice of exactly `min_rows` rows stays."""
    whole = call.evaluate(arrow(sample(call.kind)), by="device")
    assert len(whole) == 3
    for limit in (0, int(whole["n"].median()), int(whole["n"].max()) + 1):
        large = call.evaluate(arrow(sample(call.kind)), by="device", min_rows=limit)
        assert_same(large, whole[[n >= limit for n in whole["n"]]])
        assert large.attrs["slices_left_out"] == len(whole) - len(large)


@pytest.mark.slow
@every_frame
def test_threads_do_not_matter(call: Call, tmp_path: Path) -> None:
    """Files of small row groups, so that even a few rows are read by several threads."""
    data = sample(call.kind, rows=4_200)
    results = []
    with duckdb.connect() as con:
        for threads, rows in ((1, data), (8, data.sample(frac=1, random_state=3))):
            con.register("rows_to_write", arrow(rows))
            path = tmp_path / f"{threads}.parquet"
            con.execute(f"copy rows_to_write to '{path}' (format parquet, row_group_size 2048)")
            con.execute(f"set threads = {threads}")
            results.append(call.evaluate(path, by="country", con=con))
    assert_same(*results)


# Weights and pre-aggregated rows


@pytest.mark.parametrize(("call", "role"), by_weight(by_frame(CALLS), "weight", "group_weight"))
def test_weights_of_1_and_2(call: Call, role: str) -> None:
    """A weight of 1 is none; a weight of 2 is the row twice (a group counted twice changes no mean)."""
    data = sample(call.kind)
    plain = call.evaluate(arrow(data))
    weighted = {**call.roles, role: COLUMNS[role]}
    assert_same(call.evaluate(arrow(data.assign(w=1.0, importance=1.0)), weighted), plain)
    twos = call.evaluate(arrow(data.assign(w=2, importance=2)), weighted)
    doubled = call.evaluate(arrow(pd.concat([data, data]))) if role == "weight" else plain
    assert_same(without_counts(twos), without_counts(doubled))


def expanded_views(data: pd.DataFrame) -> pd.DataFrame:
    rows = data.loc[data.index.repeat(data["views"].astype(int))].copy()
    rows["clicked"] = (rows.groupby(level=0).cumcount() < rows["clicks"]).astype(float)
    return rows


@pytest.mark.parametrize("call", [call for call in calls(every_variant=True) if call.kind == "pre-aggregated"], ids=str)
def test_a_pre_aggregated_row_is_its_rows(call: Call) -> None:
    data = sample("pre-aggregated")
    roles = {role: column for role, column in call.roles.items() if role not in ("positives", "total")}
    # A row of no views stands for no rows: its score is no point of a curve.
    short = call.evaluate(arrow(data[data["views"] > 0]), by="country")
    long = call.evaluate(arrow(expanded_views(data)), {**roles, "label": "clicked"}, by="country")
    assert_same(short, long, 1e-11)


def test_a_pre_aggregated_row_has_a_prediction_as_its_rows_have() -> None:
    data = sample("pre-aggregated").assign(called=lambda rows: (rows["pctr"] > 0.1).astype(int))
    names = [one.name for one in METRICS.values()
             if one.score == "threshold" and "total" in one.roles() and not one.table]  # fmt: skip
    assert "accuracy" in names
    metrics = [{"name": name, "beta": 2} if name == "fbeta" else name for name in names]
    short = sqlmetrics.evaluate(data, metrics, positives="clicks", total="views", prediction="called", by="country")
    long = sqlmetrics.evaluate(expanded_views(data), metrics, label="clicked", prediction="called", by="country")
    assert_same(short, long)


def test_counts_of_pre_aggregated_rows() -> None:
    """`n` and `min_rows` count what the rows stand for, `rows_read` and `rows_dropped` the rows."""
    data = pd.DataFrame({"day": [1, 1, 2], "clicks": [3, 1, 2], "views": [10, 20, 12], "pctr": [0.5, 0.25, 0.5]})
    roles: dict[str, Any] = {"positives": "clicks", "total": "views", "score": "pctr"}
    assert sqlmetrics.evaluate(data, "auc, copc", **roles)["n"].tolist() == [42]
    by_day = sqlmetrics.evaluate(data, "auc, gauc", **roles, group="day", by="day", diagnostics=True)
    assert by_day[["n", "rows_read", "rows_dropped"]].to_numpy().tolist() == [[30, 2, 0], [12, 1, 0]]
    assert sqlmetrics.evaluate(data, "copc", **roles, by="day", min_rows=13)["day"].tolist() == [1]
    assert sqlmetrics.per_group(data, "gauc", **roles, group="day")["n"].tolist() == [30, 12]
    assert sqlmetrics.lift_table(data, **roles, bins=1)["rows"].tolist() == [42]
    with pytest.warns(sqlmetrics.DroppedRows, match="score .* in 1 row"):
        dropped = sqlmetrics.evaluate(data.replace({"pctr": {0.25: None}}), "auc", **roles, diagnostics=True)
    assert dropped[["n", "rows_read", "rows_dropped"]].to_numpy().tolist() == [[22, 3, 1]]
    thirds = sqlmetrics.evaluate(data, "copc", positives="= clicks / 3", total="= views / 3", score="pctr")
    assert thirds["n"].tolist() == [14]


# No rows, missing values


@every_call
def test_no_rows(call: Call) -> None:
    """Neither in the data, nor where all values of a role are missing."""
    data = arrow(sample(call.kind))
    relations: dict[str, Any] = dict(relations_of(sample(call.kind), call.kind))
    if "judgments" in relations:  # as Arrow a table without rows keeps its types
        relations["judgments"] = arrow(relations["judgments"]).slice(0, 0)
    whole = call.evaluate(data.slice(0, 0), relations=relations)
    sliced = call.evaluate(data, by="country", where="1 = 0")
    assert len(sliced) == 0
    assert list(sliced.columns) == ["country", *whole.columns]
    assert whole.filter(["n"]).to_numpy().tolist() == ([] if call.table else [[0]])
    assert len(whole) == (0 if call.table else 1)
    for metric in () if call.table else call.asked:
        for name in metric.columns.values():
            value = whole[name][0]
            expected = 0 if metric.metric.undefined.startswith("0 without rows") else None
            assert agree(value, metric.parameters.get("zero_division") if expected is None else expected), name


@pytest.mark.parametrize("value", [0, 1])
def test_zero_division_without_rows(value: int) -> None:
    for call in COLUMN_CALLS:
        metrics = [one for one in call.asked if "zero_division" in one.metric.parameters]
        if metrics:
            replaced = [metric_call(one.metric, {**one.given, "zero_division": value}) for one in metrics]
            result = call.of(replaced).evaluate(arrow(sample(call.kind)).slice(0, 0))
            assert result.drop(columns="n").eq(value).all(axis=None)


#: A role of which all values are missing: the value of a policy comes from rewards, or from predictions alone.
ALL_MISSING = {
    "pre-aggregated": ["positives"], "bids": ["won"], "logged actions": ["reward", "q_policy"], "slates": ["reward"],
}  # fmt: skip


@pytest.mark.slow
@every_frame
def test_all_values_missing_is_no_rows(call: Call) -> None:
    for role in ["item"] if "item" in call.roles else ALL_MISSING.get(call.kind, ["label"]):
        only = call.only(role)
        assert only is not None
        table = arrow(sample(call.kind))
        number = table.column_names.index(COLUMNS[role])
        table = table.set_column(number, COLUMNS[role], pa.nulls(len(table), table.schema.types[number]))
        roles = {name: column for name, column in call.roles.items() if only.takes(name)}
        assert_same(only.evaluate(table, roles), only.evaluate(table.slice(0, 0), roles))


def complete(call: Call, roles: dict[str, str]) -> dict[str, pd.DataFrame]:
    """The relations of a call without the rows that lack a value."""
    return {name: relation.to_pandas().dropna() for name, relation in call.relations(roles).items()}


@every_frame
def test_complete_data_gives_no_warning(call: Call) -> None:
    arguments = call.arguments(relations=complete(call, dict(call.roles)))
    sqlmetrics.evaluate(arrow(sample(call.kind)), call.specs, **arguments)


def first_call_with(role: str) -> Call:
    """A call with metrics that take the role, which is in its rows and not in judgments."""
    only = next(call.weighable.only(role) for call in COLUMN_CALLS
                if call.takes(role) and not (call.kind in JUDGED and role in ("label", "subtopic"))
                and (role in call.roles or role in ("weight", "group_weight"))
                and (call.kind != "pre-aggregated" or role != "weight"))  # fmt: skip
    assert only is not None
    return by_frame([only])[0]


#: A row with no tie key or subtopic counts; the other roles are read of some row.
@pytest.mark.parametrize("role", [role for role in ROLES if role not in ("tie_key", "subtopic", "field", "position")])
def test_missing_values_are_dropped_and_counted(role: str) -> None:
    """The values are those of the other rows, and a warning at the caller's line names role, column and number."""
    call = first_call_with(role)
    roles = {**call.roles, role: COLUMNS[role]}
    data = sample(call.kind)
    if role in ("p_price", "p_survive"):  # the first is read of a bid that won, the second of one that lost
        data.loc[[5, 17, 40], COLUMNS["won"]] = float(role == "p_price")
    dropped = data.index.isin([5, 17, 40])
    if call.kind == "slates" and role in ("reward", "propensity", "target"):  # each leaves out its slate
        dropped = data[COLUMNS["group"]].isin(data.loc[dropped, COLUMNS["group"]])
    expected = call.evaluate(arrow(data[~dropped]), roles)
    texts = ("group", "item") + (("label", "prediction") if call.kind in WORDS else ())
    arguments = call.arguments(roles, complete(call, roles))
    for hole in [None] if role in texts else [None, float("nan")]:
        torn = data.astype(object)
        torn.loc[[5, 17, 40], COLUMNS[role]] = hole
        with pytest.warns(sqlmetrics.DroppedRows, match="3 rows") as caught:
            result = sqlmetrics.evaluate(arrow(torn), call.specs, **arguments)
        assert role in str(caught[0].message)
        assert COLUMNS[role] in str(caught[0].message)
        assert caught[0].filename == __file__
        assert_same(result, expected)
        with pytest.raises(sqlmetrics.BadData, match=f"{role}.*3 rows"):
            sqlmetrics.evaluate(arrow(torn), call.specs, **arguments, strict=True)


def test_a_row_without_a_key_comes_after_those_with_one() -> None:
    """For every metric that orders equal scores by a key; among several without one the worst order counts."""
    compared = set()
    for call in CALLS:
        metrics = [
            metric_call(one.metric, {**one.given, "ties": "key"})
            for one in call.asked
            # Of two lists one may have items that are no row of the data, and have no key either.
            if "ties" in one.metric.parameters and not ("list_overlaps" in one.metric.frames and call.kind in JUDGED)
        ]
        metrics += [one for one in call.asked if call.kind == "lists"]
        if "tie_key" not in call.roles or not metrics:
            continue
        data = sample(call.kind).astype({"doc": object})
        data["pctr"] = data["pctr"].round()
        data.loc[::3, "doc"] = None
        lowest = data.assign(doc=[-1 if key is None else key for key in data["doc"]])
        only = Call(call.name, call.kind, tuple(metrics), call.roles)
        assert_same(only.evaluate(arrow(data)), only.evaluate(arrow(lowest)))
        compared |= {one.metric.name for one in metrics}
    assert {name for name, metric in METRICS.items() if "ties" in metric.parameters} <= compared


# Names of results


def test_names_of_results() -> None:
    """A metric may have any name, and the rows stay in the order of the slices."""
    data, by = arrow(sample("labels")), ["country", "device"]
    roles = {"label": "clicked", "score": "pctr"}
    expected = sqlmetrics.auc(data, by=by, **roles)[["auc"]]
    names = ["with space", 'with"double', "it's", "UPPER", "select", "größe", "日本", "a.b", "1st", "%s", "{{ 7 }}",
             "label", "score", "group_id", "pos", "slice_1", "rows", "threshold", "source", "copc"]  # fmt: skip
    result = sqlmetrics.evaluate(data, [{"name": "auc", "as": name} for name in names], by=by, **roles)
    assert list(result.columns) == [*by, "n", *names]
    for name in names:
        assert_same(result[[name]].set_axis(["auc"], axis=1), expected)
    for name in ("n", "slice_id"):
        with pytest.raises(sqlmetrics.BadParameter, match=name):
            sqlmetrics.evaluate(data, {"name": "auc", "as": name}, by=by, **roles)


def test_slices_called_like_slices_of_the_sql() -> None:
    """The SQL calls the slices slice_1 and slice_2; the columns may have these names in the other order."""
    data = sample("labels")
    roles = {"label": "clicked", "score": "pctr"}
    expected = sqlmetrics.evaluate(arrow(data), "auc, copc", by=list(SLICES), **roles)
    swapped = arrow(data.rename(columns={"device": "slice_2", "country": "slice_1"}))
    result = sqlmetrics.evaluate(swapped, "auc, copc", by=["slice_2", "slice_1"], **roles)
    assert_same(result.rename(columns={"slice_2": "device", "slice_1": "country"}), expected)


def test_a_slice_that_is_also_the_group() -> None:
    data = arrow(sample("labels"))
    roles = {"label": "clicked", "score": "pctr", "group": "user_id"}
    result = sqlmetrics.evaluate(data, "group_auc", **roles, by="user_id")
    assert list(result.columns) == ["user_id", "group", "auc", "rows", "positives"]
    assert result["user_id"].tolist() == result["group"].tolist()


# The caller's connection and data


def state_of(con: duckdb.DuckDBPyConnection) -> Any:
    """What a connection shows: relations, settings, its own temporary relations, schemas, databases, macros."""
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


@pytest.mark.parametrize("call", by_frame(COLUMN_CALLS)[::8], ids=lambda call: call.name)
def test_nothing_is_left_in_the_connection(call: Call, tmp_path: Path) -> None:
    data = sample(call.kind)
    data.to_csv(tmp_path / "log.csv", index=False)
    with duckdb.connect() as con:
        con.register("sent", arrow(data))
        con.execute("create table mine as from sent")
        con.unregister("sent")
        forms = ["mine", "select * from mine", arrow(data), data, str(tmp_path / "log.csv"), con.table("mine")]
        before = state_of(con)
        for form in forms:
            own = None if isinstance(form, duckdb.DuckDBPyRelation) else con
            call.evaluate(form, by="country", con=own)
            with pytest.raises(sqlmetrics.SqlMetricsError):
                call.evaluate(form, where="no_such_function(1)", con=own)
            assert state_of(con) == before


def test_a_transaction_of_the_caller_goes_on() -> None:
    """Also after an error of ours; after one of the engine's a transaction is as it would be without us."""
    with duckdb.connect() as connection:
        connection.execute("create table mine (label integer, score double)")
        connection.execute("begin")
        connection.execute("insert into mine values (0, 0.1), (1, 0.9), (2, 0.9)")
        roles = {"label": "label", "score": "score"}
        assert sqlmetrics.evaluate("mine", "auc", con=connection, where="label < 2", **roles)["auc"][0] == 1
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


def test_agree_tells_values_apart() -> None:
    """The comparison that these tests rest on."""
    assert not agree(0.5, 0.5 + 2e-9)
    assert not agree(None, 0.0)
    assert not agree(0.0, float("nan"))
    assert agree(float("nan"), None)
    assert agree(1e20, 1e20 * (1 + 1e-10))
