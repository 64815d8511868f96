"""The way in by files: whatever program wrote a parquet file, and whatever it noted there, the numbers are the same.

Engines answer conditions from the statistics of a file, and writers do not agree on what those say of NaN.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn.metrics import roc_auc_score

import sqlmetrics
from sqlmetrics import running
from tests.compare import differences
from tests.data import COLUMNS, COLUMNS_OF_PARAMETERS, arrow, relations_of, sample
from tests.tiers import in_turn, pairwise, slow
from tests.variants import Call, calls, quiet

Writer = Callable[[pa.Table, Path], None]


def _duckdb(rows: pa.Table, path: Path) -> None:  # found by its name
    duckdb.sql(f"copy (from rows) to '{path}' (format parquet)")


def _spark(table: pa.Table, path: Path) -> None:
    from tests.engines.servers import spark_session

    with spark_session() as session:
        folder = path.with_suffix(".spark")
        session.createDataFrame(table).coalesce(1).write.parquet(str(folder))
        [written] = folder.glob("part-*.parquet")
        written.rename(path)


WRITERS: dict[str, Writer] = {
    "pyarrow": pa.parquet.write_table,
    "pyarrow without statistics": lambda table, path: pa.parquet.write_table(table, path, write_statistics=False),
    "pyarrow, rows in groups of 7": lambda table, path: pa.parquet.write_table(table, path, row_group_size=7),
    "polars": lambda table, path: polars.DataFrame(polars.from_arrow(table)).write_parquet(path),
    "polars without statistics": lambda table, path: polars.DataFrame(polars.from_arrow(table)).write_parquet(
        path, statistics=False
    ),
    # pandas has one word for a missing value, and writes it as NULL: NaN stays what it is only in an Arrow column.
    "pandas": lambda table, path: table.to_pandas(types_mapper=pd.ArrowDtype).to_parquet(path),
    "duckdb": _duckdb,
}


def numbers_of(call: Call) -> list[str]:
    """The columns that the metrics of a call compute with."""
    words = ("label", "prediction") if call.kind in ("classes", "class scores", "rated classes") else ()
    roles = [role for role in call.roles if role not in (*words, "group", "item", "subtopic", "tie_key", "field")]
    found = [call.roles[role] for role in roles]
    return list(dict.fromkeys(found + COLUMNS_OF_PARAMETERS.get(call.kind, [])))


def with_weights(call: Call) -> Call:
    """The call with the weights that all of its metrics take."""
    weights = [role for role in ("weight", "group_weight") if all(role in one.metric.roles() for one in call.asked)]
    if call.kind == "pre-aggregated":
        weights = []
    return replace(call.weighable, roles={**call.roles, **{role: COLUMNS[role] for role in weights}})


#: What another column may not be above.
LARGEST = (COLUMNS["total"], COLUMNS["upper_bound"])


def hollow(call: Call, constant: str | None) -> pd.DataFrame:
    """Rows of which one in ten misses each number that a metric computes with; if asked, with one constant column."""
    data = sample(call.kind).astype(object)
    if constant is not None:
        # Of the values that there are, one that breaks no rule beside the others.
        data[constant] = data[constant].max() if constant in LARGEST else data[constant].min()
    rng = np.random.default_rng(5)
    for column in numbers_of(call):
        data.loc[rng.random(len(data)) < 0.1, column] = float("nan")
    return data


#: The statistics that pyarrow writes are those that show a column with NaN as one without.
every_writer = pytest.mark.parametrize("writer", ["pyarrow", *slow(*[name for name in WRITERS if name != "pyarrow"])])
#: Ratings in classes have no number that could be NaN.
CALLS = [call for call in map(with_weights, calls()) if numbers_of(call)]


def from_memory(call: Call, constant: str | None) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """The rows, and what they give with NULL in place of NaN."""
    data = hollow(call, constant)
    nulls = data.copy()
    for column in numbers_of(call):
        nulls.loc[nulls[column].isna(), column] = None
    expected, told = with_warnings(call, doubles(nulls, numbers_of(call)))
    assert told, "the sample misses something"
    return data, expected, told


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("call", "writer"),
    [
        pytest.param(call, writer, id=f"{call.name}-{writer}")
        for number, call in enumerate(CALLS)
        for writer in in_turn(list(WRITERS), number, 1)
    ],
)
def test_nan_is_missing_whoever_wrote_the_file(call: Call, writer: str, tmp_path: Path) -> None:
    """The same rows with NULL in place of NaN, from memory, are what every file must give; so is what is told."""
    columns = numbers_of(call)
    for number, constant in enumerate([None, *columns]):
        data, expected, told = from_memory(call, constant)
        path = tmp_path / f"{number}.parquet"
        WRITERS[writer](doubles(data, columns), path)
        result, also_told = with_warnings(call, str(path))
        assert not differences(result, expected)
        assert also_told == told


@pytest.mark.one_in(2)
@pytest.mark.parametrize("writer", ["pyarrow", "polars", *slow("polars without statistics", "pandas", "duckdb")])
def test_nan_is_missing_where_ranks_are_packed(writer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shapes of large files, over small ones: the highest score that polars' statistics led to was NaN."""
    monkeypatch.setattr(running, "_SAMPLE", 200)
    rng = np.random.default_rng(6)
    rows = 3000
    score, label = rng.normal(size=rows), rng.integers(0, 2, rows)
    # The look at the first rows takes NaN for a score that repeats.
    given = (rng.random(rows) > 0.1) | (np.arange(rows) < 200)
    data = pa.table({
        "label": label, "score": np.where(given, score, np.nan), "rounded": np.where(given, score.round(1), np.nan),
        "user": rng.integers(0, 100, rows), "device": rng.choice(["a", "b"], rows),
    })  # fmt: skip
    path = tmp_path / "log.parquet"
    WRITERS[writer](data, path)
    only = data.filter(pa.array(given)).to_pandas()
    statements: list[str] = []

    def noted(source: running.Source, sql: str) -> pd.DataFrame:
        statements.append(sql)
        return running.fetch(source, sql)

    sure = {"cluster": "user", "confidence": 0.9}
    for metrics, further in (
        ("auc, gini", {}), ("auc, gini", sure), ("ks, average_precision, pr_auc", {}), ("max_f1", {"by": "device"}),
        ("auc", {"by": "device"} | sure), ("auc", {"score": ["score", "rounded"]} | sure), ("gauc", {"group": "user"}),
    ):  # fmt: skip
        asked: dict[str, Any] = {"label": "label", "score": "score", **further}
        statements.clear()
        with pytest.warns(sqlmetrics.DroppedRows):
            found = running.run(str(path), metrics, **asked, execute=noted)
        assert metrics == "gauc" or any("packed_rows" in sql for sql in statements)
        pd.testing.assert_frame_equal(found, running.run(only, metrics, **asked), rtol=1e-12)
        if metrics == "auc, gini":
            assert found["auc"][0] == pytest.approx(roc_auc_score(label[given], score[given]), abs=1e-12)


@pytest.mark.one_in(2)
@every_writer
@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -float("inf"), None, 2.0])
def test_steps_and_cells_lie_between_the_finite_scores(
    odd: float | None, writer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What statistics tell of the ends is as good as the scores: not NaN, no infinity, no row without a truth."""
    monkeypatch.setattr(running, "_SAMPLE", 200)
    rng = np.random.default_rng(8)
    score, label = rng.normal(size=3000), rng.integers(0, 2, 3000).astype(object)
    label[rng.random(3000) < 0.1] = None
    score[pd.isna(label) & (np.arange(3000) % 2 == 0)] = 1e6
    scores = [odd if place % 500 == 499 else value for place, value in enumerate(score)]
    data = pa.table({"label": pa.array(label, pa.int8()), "score": pa.array(scores, pa.float64(), from_pandas=False)})
    WRITERS[writer](data, tmp_path / "log.parquet")
    only = data.to_pandas().dropna()
    ranked = only.assign(score=only["score"].clip(-1e300, 1e300))
    exact = roc_auc_score(ranked["label"], ranked["score"])
    for metrics in ("auc(bins=50)", "auc, binned = auc(bins=50)", "ks"):
        asked: dict[str, Any] = {"label": "label", "score": "score"}
        with pytest.warns(sqlmetrics.DroppedRows):
            found = sqlmetrics.evaluate(str(tmp_path / "log.parquet"), metrics, **asked)
        pd.testing.assert_frame_equal(found, sqlmetrics.evaluate(only, metrics, **asked), rtol=1e-12)
        if "binned" in found:
            assert found["auc"][0] == pytest.approx(exact, abs=1e-12)
        if metrics == "auc(bins=50)":
            assert found["auc_lower"][0] <= exact <= found["auc_upper"][0]
            assert found["auc_upper"][0] - found["auc_lower"][0] < 0.1, "all scores lie in a few of the steps"


@pytest.mark.slow
def test_spark_writes_nan_too(tmp_path: Path) -> None:
    """One table for all kinds of data whose truth is a number: a session takes seconds to start."""
    by_kind = {call.kind: call for call in CALLS if not call.table and call.kind in ("labels", "grades", "numbers")}
    frames = {kind: doubles(hollow(call, None), numbers_of(call)) for kind, call in by_kind.items()}
    whole = pa.table({f"{kind}_{name}": table[name] for kind, table in frames.items() for name in table.column_names})
    path = tmp_path / "log.parquet"
    _spark(whole, path)
    for kind, call in by_kind.items():
        roles = {role: f"{kind}_{column}" for role, column in call.roles.items()}
        result = call.evaluate(str(path), roles)
        nulls = frames[kind].to_pandas(types_mapper=pd.ArrowDtype)
        for column in numbers_of(call):
            nulls[column] = nulls[column].where(nulls[column] == nulls[column])
        assert not differences(result, call.evaluate(pa.Table.from_pandas(nulls, preserve_index=False)))


@pytest.mark.one_in(2)
@every_writer
@pytest.mark.parametrize("name", ["judgments", "popularity", "similarity", "embeddings"])
def test_nan_in_a_further_relation(name: str, writer: str, tmp_path: Path) -> None:
    call = next(c for c in CALLS if c.kind == ("judged" if name == "judgments" else "lists") and not c.table)
    read = [one for one in call.asked if name in one.metric.relations]
    taken = {role for one in read for role in one.metric.roles()}
    roles = {role: column for role, column in call.roles.items() if role in taken}
    call = Call(call.name, call.kind, tuple(read), roles)
    given = relations_of(sample(call.kind), call.kind)
    column = {"judgments": COLUMNS["label"], "popularity": "count", "similarity": "similarity",
              "embeddings": "value"}[name]  # fmt: skip
    results = []
    for missing in (None, float("nan")):
        holes = given[name].astype(object)
        holes.loc[holes.index[::4], column] = missing
        path = tmp_path / f"{missing}.parquet"
        WRITERS[writer](doubles(holes, [column]), path)
        relations = {**{other: arrow(one) for other, one in given.items()}, name: str(path)}
        needed = {other for one in read for other in one.metric.relations}
        arguments = {**call.roles, **{other: one for other, one in relations.items() if other in needed}}
        with pytest.warns(sqlmetrics.DroppedRows, match=name):
            results.append(sqlmetrics.evaluate(arrow(sample(call.kind)), call.specs, **arguments))
    assert not differences(*results)


def doubles(data: pd.DataFrame, columns: list[str]) -> pa.Table:
    """The rows as a table in which these columns are doubles."""
    table = arrow(data)
    for column in columns:
        values = pa.array([None if value is None else float(value) for value in data[column]], pa.float64())
        table = table.set_column(table.column_names.index(column), column, values)
    return table


def with_warnings(call: Call, data: Any) -> tuple[pd.DataFrame, list[str]]:
    """The answer, and what was told of rows that were left out."""
    with pytest.warns(sqlmetrics.DroppedRows) as told:
        result = sqlmetrics.evaluate(data, call.specs, **call.arguments())
    return result, sorted({str(one.message) for one in told})


def test_strict_refuses_a_nan_that_the_statistics_do_not_show(tmp_path: Path) -> None:
    table = pa.table({"y": [0.0, 1.0, 1.0, 0.0], "s": [0.5, 0.5, float("nan"), 0.5]})
    pa.parquet.write_table(table, tmp_path / "log.parquet")
    with pytest.raises(sqlmetrics.BadData, match=r"score .* in 1 row"):
        sqlmetrics.auc(str(tmp_path / "log.parquet"), label="y", score="s", strict=True)
    assert quiet(lambda: sqlmetrics.auc(str(tmp_path / "log.parquet"), label="y", score="s"))["n"].tolist() == [3]


@pytest.mark.parametrize("encoded", [{"use_dictionary": False}, {"use_dictionary": True}, {"write_statistics": False}])
def test_texts_that_are_all_equal_but_for_null(encoded: dict[str, bool], tmp_path: Path) -> None:
    """DuckDB 2.0 may find NULL in every row of such a column, where it is asked for while it is read."""
    path = tmp_path / "equal.parquet"
    columns = {"y": [0, 1, 0, 1], "s": [0.1, 0.2, 0.3, 0.4], "u": ["a", None, "a", "a"]}
    pa.parquet.write_table(pa.table(columns), path, **encoded)
    with pytest.warns(sqlmetrics.DroppedRows, match="group .* in 1 row$"):
        assert sqlmetrics.gauc(path, label="y", score="s", group="u")["n"].tolist() == [3]
    for where, count in {
        "u is null": 1,
        "u is not null": 3,
        "coalesce(u, 'b') = 'b'": 1,
        "u is distinct from 'a' -- or NULL": 1,
        "u = 'a'": 3,
    }.items():
        assert sqlmetrics.copc(path, label="y", score="s", where=where)["n"].tolist() == [count], where


#: Where the value stands in its column: how an array of values becomes the column, and the expression for a value.
HOLDERS: dict[str, tuple[Callable[[pa.Array], pa.Array], str]] = {
    "plain": (lambda values: values, "x"),
    "struct": (lambda values: pa.StructArray.from_arrays([values], ["a"]), "x.a"),
    "list": (lambda values: pa.array([[one] for one in values], pa.list_(values.type)), "x[1]"),
    "list of a struct": (
        lambda values: pa.array([{"a": [one]} for one in values], pa.struct({"a": pa.list_(values.type)})),
        "x.a[1]",
    ),
}


#: Calls whose expressions read the value `x`.
READING: list[dict[str, str]] = [
    {"where": "x < 100"}, {"where": "x = 1 or x = 2"}, {"where": "not x > 2"},
    {"where": "x <> 'nan'"}, {"where": "isnan(x)"}, {"where": "(x < 1.5) is true"},
    {"by": "small = x < 1.5"}, {"label": "= x < 1.5"}, {"weight": "= case when x < 9 then 2 else 1 end"},
]  # fmt: skip


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("call", "writer", "holder", "kind"), pairwise(READING, list(WRITERS), list(HOLDERS), [pa.float64(), pa.float32()])
)
def test_expressions_see_a_nan_that_the_statistics_do_not_show(
    call: dict[str, str], writer: str, holder: str, kind: pa.DataType, tmp_path: Path
) -> None:
    """A user's condition is answered by the values, of a file, a view and a query as of the same rows in memory."""
    held, value = HOLDERS[holder]
    x = held(pa.array([1, 2, float("nan"), None] * 6, kind, from_pandas=False))
    rows = pa.table({"x": x, "y": pa.array([0.0, 1.0] * 12), "s": pa.array([place / 24 for place in range(24)])})
    path = tmp_path / "log.parquet"
    WRITERS[writer](rows, path)
    with duckdb.connect() as con:
        con.execute(f"create view log as from '{path}'")
        forms: list[tuple[Any, Any]] = [
            (path, None),
            ("log", con),
            ("select * from log", con),
            (con.sql("from log"), None),
        ]
        reading = {name: re.sub(r"\bx\b", value, expression) for name, expression in call.items()}
        given: dict[str, Any] = {"label": "y", "score": "s", **reading}
        expected = quiet(functools.partial(sqlmetrics.evaluate, rows, ["auc", "copc"], **given))
        for data, connection in forms:
            found = quiet(functools.partial(sqlmetrics.evaluate, data, ["auc", "copc"], con=connection, **given))
            pd.testing.assert_frame_equal(found, expected)
