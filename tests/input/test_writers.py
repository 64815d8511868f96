"""Parquet files of several writers give the same numbers, in spite of different statistics about NaN.

Engines evaluate conditions on the statistics of a file, and writers treat NaN in them differently.
"""

from __future__ import annotations

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
from sqlmetrics.running import tuning
from tests.calls import run_call
from tests.compare import differences
from tests.data import COLUMNS, COLUMNS_OF_PARAMETERS, arrow, sample
from tests.parameters import slow
from tests.variants import Call, by_frame, calls, quiet

NAN, INF = float("nan"), float("inf")
ROLES = {"label": "label", "score": "score"}


def _duckdb(rows: pa.Table, path: Path) -> None:  # the engine resolves `rows` by its name
    target = str(path).replace("'", "''")
    duckdb.sql(f"copy (from rows) to '{target}' (format parquet)")


def _polars(table: pa.Table, path: Path, **options: Any) -> None:
    polars.DataFrame(polars.from_arrow(table)).write_parquet(path, **options)


WRITERS: dict[str, Callable[[pa.Table, Path], None]] = {
    "pyarrow": pa.parquet.write_table,
    "pyarrow without statistics": lambda table, path: pa.parquet.write_table(table, path, write_statistics=False),
    "pyarrow, row groups of 7": lambda table, path: pa.parquet.write_table(table, path, row_group_size=7),
    "polars": _polars,
    "polars without statistics": lambda table, path: _polars(table, path, statistics=False),
    # pandas writes NaN as NULL, except in a column of an Arrow type.
    "pandas": lambda table, path: table.to_pandas(types_mapper=pd.ArrowDtype).to_parquet(path),
    "duckdb": _duckdb,
}


def number_columns(call: Call) -> list[str]:
    """The numeric columns of a call."""
    texts = ("label", "prediction") if call.data_type in ("classes", "class scores", "rated classes") else ()
    roles = [role for role in call.roles if role not in (*texts, "group", "item", "subtopic", "tie_key", "field")]
    return list(dict.fromkeys([call.roles[role] for role in roles] + COLUMNS_OF_PARAMETERS.get(call.data_type, [])))


def with_weights(call: Call) -> Call:
    """The call with the weights that all of its metrics support."""
    roles = () if call.data_type == "pre-aggregated" else ("weight", "group_weight")
    weights = {role: COLUMNS[role] for role in roles if all(role in metric.metric.roles() for metric in call.metrics)}
    return replace(call.weighable, roles={**call.roles, **weights})


#: A call of each type of data, except for types that differ only in signs or in ranks instead of scores.
CALLS = {
    call.data_type: call
    for call in map(with_weights, calls())
    if not call.table and call.data_type in (
        "labels", "pre-aggregated", "predictions", "classes", "numbers", "class scores", "grades", "judged", "lists",
        "bids", "logged actions", "slates", "ratings", "forecasts", "subtopics")
}  # fmt: skip


def doubles(data: pd.DataFrame, columns: list[str]) -> pa.Table:
    """The rows as a table with these columns as doubles."""
    table = arrow(data)
    for column in columns:
        values = pa.array([None if value is None else float(value) for value in data[column]], pa.float64())
        table = table.set_column(table.column_names.index(column), column, values)
    return table


def with_missing(call: Call, missing: float | None, constant: str | None = None) -> pa.Table:
    """Sample rows with a tenth of the numbers missing, optionally with a constant column."""
    data = sample(call.data_type).astype(object)
    if constant is not None:  # a value that is valid next to the other columns
        bound = constant in (COLUMNS["total"], COLUMNS["upper_bound"])
        data[constant] = data[constant].max() if bound else data[constant].min()
    rng = np.random.default_rng(5)
    for column in number_columns(call):
        data.loc[rng.random(len(data)) < 0.1, column] = missing
    return doubles(data, number_columns(call))


def result_and_warnings(call: Call, data: Any) -> tuple[pd.DataFrame, list[str]]:
    with pytest.warns(sqlmetrics.DroppedRows) as caught:
        result = sqlmetrics.evaluate(data, call.specs, **call.arguments())
    return result, sorted({str(warning.message) for warning in caught})


_DATA_TYPES = [(data_type, [*WRITERS][number % len(WRITERS)]) for number, data_type in enumerate(CALLS)]


@pytest.mark.parametrize(("data_type", "writer"), [("bids", "pyarrow"), *slow(*_DATA_TYPES)])
def test_nan_is_missing_in_files_of_every_writer(data_type: str, writer: str, tmp_path: Path) -> None:
    """The result and the warnings equal those of the same rows in memory with NULL in place of NaN."""
    [call], path = by_frame([CALLS[data_type]]), tmp_path / "log.parquet"
    # The statistics of pyarrow ignore NaN, so a constant column shows a single value.
    constants = number_columns(call) if writer == "pyarrow" else number_columns(call)[:1]
    for constant in (None, *constants):
        expected, warnings = result_and_warnings(call, with_missing(call, None, constant))
        WRITERS[writer](with_missing(call, NAN, constant), path)
        result, warnings_of_file = result_and_warnings(call, str(path))
        assert not differences(result, expected)
        assert warnings_of_file == warnings


@pytest.mark.slow
@pytest.mark.parametrize("writer", ["pyarrow", "polars"])
def test_nan_is_missing_in_ranks(writer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files use the code path of large ones; the statistics of polars report NaN as the highest score."""
    monkeypatch.setattr(tuning, "_SAMPLE", 200)
    rng = np.random.default_rng(6)
    rows = 3000
    score, label = rng.normal(size=rows), rng.integers(0, 2, rows)
    present = (rng.random(rows) > 0.1) | (np.arange(rows) < 200)  # the sample would count NaN as a repeated score
    data = pa.table({
        "label": label, "score": np.where(present, score, NAN),
        "user": rng.integers(0, 100, rows), "device": rng.choice(["a", "b"], rows),
    })  # fmt: skip
    path = tmp_path / "log.parquet"
    WRITERS[writer](data, path)
    complete = data.filter(pa.array(present)).to_pandas()
    interval = {"cluster": "user", "confidence": 0.9}
    for metrics, options in (
        ("auc, gini", interval), ("auc, gini, ks, average_precision, pr_auc", {}), ("max_f1", {"by": "device"}),
        ("auc(bins=50)", {}), ("auc", {"by": "device"} | interval), ("gauc", {"group": "user"}),
    ):  # fmt: skip
        arguments: dict[str, Any] = {**ROLES, **options}
        with pytest.warns(sqlmetrics.DroppedRows):
            result = run_call(str(path), metrics, **arguments)
        pd.testing.assert_frame_equal(result, run_call(complete, metrics, **arguments), rtol=1e-12)
        if "gini" in metrics:
            assert result["auc"][0] == pytest.approx(roc_auc_score(label[present], score[present]), abs=1e-12)


def test_strings_that_are_equal_except_for_null(tmp_path: Path) -> None:
    """DuckDB 2.0 may report NULL in every row of such a column if it pushes a condition into the scan."""
    path = tmp_path / "equal.parquet"
    columns = {"label": [0, 1, 0, 1], "score": [0.1, 0.2, 0.3, 0.4], "u": ["a", None, "a", "a"]}
    pa.parquet.write_table(pa.table(columns), path)
    with pytest.warns(sqlmetrics.DroppedRows, match="group .* in 1 row$"):
        assert sqlmetrics.gauc(path, group="u", **ROLES)["n"].tolist() == [3]
    for where, count in {
        "u is null": 1, "u is not null": 3, "coalesce(u, 'b') = 'b'": 1, "u is distinct from 'a' -- or NULL": 1,
        "u = 'a'": 3,
    }.items():  # fmt: skip
        assert sqlmetrics.copc(path, where=where, **ROLES)["n"].tolist() == [count], where


#: How an array of values becomes a column, and the expression that reads a value.
HOLDERS: dict[str, tuple[Callable[[pa.Array], pa.Array], str]] = {
    "plain": (lambda values: values, "x"),
    "struct of a list": (
        lambda values: pa.array([{"a": [value]} for value in values], pa.struct({"a": pa.list_(values.type)})), "x.a[1]"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("option", "expression", "writer", "holder", "dtype"), [
    ("where", "x < 100", "pyarrow", "struct of a list", "float32"),
    *slow(("where", "isnan(x)", "duckdb", "plain", "float32"), ("where", "not x > 2", "polars", "plain", "float64"),
          ("where", "x <> 'nan'", "pandas", "plain", "float32"), ("by", "z = x < 1.5", "polars", "plain", "float64"),
          ("weight", "= case when x < 9 then 2 else 1 end", "pyarrow", "plain", "float64")),
])  # fmt: skip
def test_expressions_read_a_nan_that_the_statistics_hide(
    option: str, expression: str, writer: str, holder: str, dtype: str, tmp_path: Path
) -> None:
    """A path, a view, a query and a relation give the same result as the rows in memory."""
    hold, value = HOLDERS[holder]
    x = hold(pa.array([1, 2, NAN, None] * 6, getattr(pa, dtype)(), from_pandas=False))
    rows = pa.table({"x": x, "label": [0.0, 1.0] * 12, "score": [row / 24 for row in range(24)]})
    path = tmp_path / "log.parquet"
    WRITERS[writer](rows, path)
    options: dict[str, Any] = {**ROLES, option: re.sub(r"\bx\b", value, expression)}
    expected = quiet(lambda: sqlmetrics.evaluate(rows, "auc, copc", **options))
    with duckdb.connect() as con:
        con.execute(f"create view log as from '{path}'")
        for data, connection in ((path, None), ("log", con), ("select * from log", con), (con.sql("from log"), None)):
            result = quiet(lambda d=data, c=connection: sqlmetrics.evaluate(d, "auc, copc", con=c, **options))
            pd.testing.assert_frame_equal(result, expected)
