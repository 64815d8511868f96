"""How data reaches the formula: lists of files, names alike but for their case, hostile file names, odd columns.

The oracle is scikit-learn on the very values, or the same call on tame data in memory.
"""

from __future__ import annotations

import datetime as dt
import gzip
import itertools
import json
import os
import re
import sqlite3
import subprocess
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result
from sklearn.metrics import roc_auc_score

import sqlmetrics
from sqlmetrics import BadData, BadParameter, MissingColumn, SqlMetricsError, cli, running, shell_input, source
from sqlmetrics.connections import remove_left_folders
from tests.tiers import slow

ROLES = {"label": "y", "score": "s"}


def auc(data: Any, **options: Any) -> float:
    return float(sqlmetrics.auc(data, **{**ROLES, **options})["auc"][0])


def refused(kind: type[SqlMetricsError], data: Any, *words: str, **options: Any) -> None:
    """The call fails with this error, in one line that holds the words."""
    with pytest.raises(SqlMetricsError) as caught:
        auc(data, **options)
    message = str(caught.value)
    assert type(caught.value) is kind, f"{type(caught.value).__name__}: {message}"
    assert "\n" not in message
    assert [word for word in words if word not in message] == [], message


def parquet(path: Path, **columns: Any) -> Path:
    pa.parquet.write_table(pa.table(columns), path)
    return path


def values(kind: str, *given: Any) -> pa.Array:
    return pa.array([None if one is None else one for one in given], getattr(pa, kind)())


# Lists of files whose types differ

LOSSLESS = {
    "int32": (pa.int32(), [1, 3, 2, 5]),
    "int64": (pa.int64(), [1, 3, 2, 5]),
    "uint64": (pa.uint64(), [1, 3, 2, 5]),
    "float32": (pa.float32(), [0.5, 2.5, 1.5, 4.5]),
    "float64": (pa.float64(), [0.1, 2.7, 0.3, 4.9]),
    "decimal": (pa.decimal128(12, 2), [0.25, 2.25, 1.25, 4.75]),
}


_PAIRS = list(itertools.combinations(LOSSLESS, 2))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("one", "other"), [*_PAIRS[::4], *slow(*[pair for place, pair in enumerate(_PAIRS) if place % 4])]
)
def test_scores_of_two_types_in_two_files(one: str, other: str, tmp_path: Path) -> None:
    """Whatever the order of the list, the numbers are those of all the values."""
    label = [0, 1, 1, 0]
    paths, scores = [], []
    for name in (one, other):
        kind, given = LOSSLESS[name]
        column = pa.array(given, pa.float64()).cast(kind)
        scores += [float(value) for value in column.to_pylist()]
        paths.append(parquet(tmp_path / f"{name}.parquet", y=label, s=column))
    expected = roc_auc_score(label * 2, scores)
    for order in (paths, paths[::-1]):
        assert auc(order) == pytest.approx(expected, abs=1e-15)
    assert auc(str(tmp_path / "*.parquet")) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("kind", [pa.bool_(), pa.int32(), pa.int64()], ids=str)
@pytest.mark.parametrize("wrong", [2.0, 0.4])
def test_labels_of_a_second_file_are_checked(kind: pa.DataType, wrong: float, tmp_path: Path) -> None:
    first = parquet(tmp_path / "a.parquet", y=pa.array([0, 1]).cast(kind), s=[0.1, 0.2])
    second = parquet(tmp_path / "b.parquet", y=[wrong, 1.0], s=[0.1, 0.2])
    for order in ([first, second], [second, first]):
        refused(BadData, order, "label", "'y'", str(wrong))


def test_decimals_beside_numbers_of_four_bytes(tmp_path: Path) -> None:
    """The engine reads both in four bytes, where 0.1 is 0.100000001; back from there it would be 0.1 again."""
    amounts = pa.array([0.1, 0.3], pa.float64()).cast(pa.decimal128(9, 4))
    a = parquet(tmp_path / "a.parquet", y=[0, 1], s=amounts)
    b = parquet(tmp_path / "b.parquet", y=[0, 1], s=pa.array([0.25, 0.5], pa.float32()))
    for order in ([a, b], [b, a]):
        refused(BadData, order, "score", "'s'", "DECIMAL(9,4)", "FLOAT", "a.parquet", "b.parquet")
    query = f"select y, cast(s as double) as s from '{a}' union all select y, s from '{b}'"
    assert auc(query) == roc_auc_score([0, 1, 0, 1], [0.1, 0.3, 0.25, 0.5])


def test_ids_that_no_common_type_holds(tmp_path: Path) -> None:
    """2**53 + 1 and 2**53 + 2 are two users; as doubles they are one."""
    a = parquet(tmp_path / "a.parquet", y=[0, 1], s=[0.1, 0.2], u=[2**53 + 1, 2**53 + 2])
    b = parquet(tmp_path / "b.parquet", y=[0, 1], s=[0.1, 0.2], u=[1.0, 2.0])
    for order in ([a, b], [b, a]):
        refused(BadData, order, "by", "'u'", "BIGINT", "DOUBLE", "a.parquet", "b.parquet", by="u")
        assert auc(order) == 1.0, "a column that nobody reads is no reason to refuse"
    small = parquet(tmp_path / "a.parquet", y=[0, 1], s=[0.1, 0.2], u=[1, 2])
    assert len(sqlmetrics.auc([small, b], by="u", **ROLES)) == 2


MISFITS: dict[str, tuple[pa.Array, pa.Array]] = {
    "text and number": (pa.array(["1", "2"]), pa.array([1, 2])),
    "moment and moment of a zone": (pa.array([1, 2], pa.timestamp("us")), pa.array([1, 2], pa.timestamp("us", "UTC"))),
    "bytes and text": (pa.array([b"a", b"b"]), pa.array(["a", "b"])),
    "wide decimals": (pa.array([1, 2]).cast(pa.decimal128(38, 0)), pa.array([0.5, 1.5]).cast(pa.decimal128(38, 10))),
    "structures": (pa.array([{"a": 1}] * 2), pa.array([{"b": 1}] * 2)),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", MISFITS)
def test_types_without_a_common_one(name: str, tmp_path: Path) -> None:
    one, other = MISFITS[name]
    a = parquet(tmp_path / "a.parquet", y=[0, 1], s=[0.1, 0.2], d=one)
    b = parquet(tmp_path / "b.parquet", y=[0, 1], s=[0.1, 0.2], d=other)
    for order in ([a, b], [b, a]):
        refused(BadData, order, "by", "'d'", "a.parquet", "b.parquet", by="d")
        refused(BadData, order, "'d'", "a.parquet", "b.parquet", where="d is not null")
        assert auc(order) == 1.0


def test_a_column_of_nulls_fits_every_type(tmp_path: Path) -> None:
    a = parquet(tmp_path / "a.parquet", y=[0, 1], s=[0.1, 0.2], d=pa.nulls(2))
    b = parquet(tmp_path / "b.parquet", y=[0, 1], s=[0.1, 0.2], d=["x", "x"])
    for order in ([a, b], [b, a]):
        assert sqlmetrics.auc(order, by="d", **ROLES)["d"].fillna("").tolist() == ["x", ""]


def test_columns_in_another_order_or_missing(tmp_path: Path) -> None:
    a = parquet(tmp_path / "a.parquet", y=[0, 1], s=[0.1, 0.2])
    b = parquet(tmp_path / "b.parquet", s=[0.4, 0.3], extra=["x", "y"], y=[1, 0])
    for order in ([a, b], [b, a]):
        assert auc(order) == roc_auc_score([0, 1, 1, 0], [0.1, 0.2, 0.4, 0.3])
        refused(BadData, order, "by", "'extra'", "b.parquet", "not in", "a.parquet", by="extra")


#: Columns of a second CSV file, in the order of the first one and in others, beside more of them, in other letters.
ORDERS = [["y", "s", "u"], ["u", "s", "y"], ["s", "z", "u", "y"], ["z", "y", "s", "u"], ["U", "Y", "S"]]


@pytest.mark.slow
@pytest.mark.parametrize("names", ORDERS, ids=" ".join)
@pytest.mark.parametrize("rows", [2, 30_000])
def test_columns_of_csv_files_in_another_order(names: list[str], rows: int, tmp_path: Path) -> None:
    """Columns are told by their names, and so are their types: an id beside a score is no fraction, a label no text."""
    columns = {"y": [0, 1] * rows, "s": [0.25, 0.5] * rows, "u": [7, 12] * rows, "z": ["x"] * 2 * rows}
    first = tmp_path / "a.csv"
    pd.DataFrame({name: columns[name] for name in ("y", "s", "u")}).to_csv(first, index=False)
    second = tmp_path / "b.csv"
    pd.DataFrame({name: columns[name.lower()] for name in names}).to_csv(second, index=False)
    for order in ([first, second], [second, first]):
        label, score, user = names[-2:] + names[:1] if names[0] == "U" and order[0] == second else ("y", "s", "u")
        found = sqlmetrics.auc([*map(str, order)], label=label, score=score)
        assert found.to_numpy().tolist() == [[4 * rows, 1.0]]
        by_user = sqlmetrics.brier([*map(str, order)], by=user, label=label, score=score)
        assert by_user[user].tolist() == [7, 12]
        assert by_user[user].dtype == "int64"
        if "z" in names:
            refused(BadData, [*map(str, order)], "by", "'z'", "b.csv", "not in", "a.csv", by="z")


#: What may stand in front of the names of a CSV file and is none of its rows.
BEGINNINGS = {
    "nothing": "", "title": "Report 2024\n", "two titles": "Report\nof 2024\n", "comment": "# c\n",
    "two comments": "# c\n# d\n", "separator": "sep=,\n", "two fields": "a,b\n", "blank": "\n",
    "two blanks": "\n\n", "title and blank": "Report\n\n", "quoted": '"Report, 2024"\n', "mark": "\ufeff",
}  # fmt: skip
#: What else may differ: the delimiter, the end of lines, the way to write a quote in quotes.
WRITINGS = {
    "commas": [",", "\n", '""'],
    "semicolons": [";", "\n", '""'],
    "tabs": ["\t", "\r\n", '""'],
    "backslashes": [",", "\n", '\\"'],
}


def _written(rows: list[list[str]], beginning: str, writing: str) -> bytes:
    delimiter, end, quote = WRITINGS[writing]
    shown = [
        delimiter.join('"' + one.replace('"', quote) + '"' if '"' in one or "," in one else one for one in row)
        for row in rows
    ]
    return (BEGINNINGS[beginning].replace("\n", end) + end.join([*shown, ""])).encode()


#: Two beginnings, with one of the writings and one way to give the files.
_BEGINNINGS = [
    (
        one,
        other,
        list(WRITINGS)[place // 4 % 4],
        ["list", "glob", "gz", "late" if place % 40 == 3 else "list"][place % 4],
    )
    for place, (one, other) in enumerate(itertools.product(BEGINNINGS, repeat=2))
]


@pytest.mark.parametrize(
    ("one", "other", "writing", "given"),
    [*_BEGINNINGS[1::11], *slow(*_BEGINNINGS[::5])],
)
def test_each_csv_file_of_a_list_has_its_own_beginning(
    one: str, other: str, writing: str, given: str, tmp_path: Path
) -> None:
    """As many lines were skipped of every file as stand in front of the names of the first."""
    # What only the end of a file shows is seen where it is read once more.
    ids = ["7"] * 30_000 + ["x"] if given == "late" else ["007", "7", 'a "b", c', "7"]
    rows = [["1" if place % 3 else "0", f"0.{25 + place % 4}", one] for place, one in enumerate(ids)]
    paths = [tmp_path / f"{place}.csv{'.gz' if given == 'gz' else ''}" for place in range(2)]
    for path, (beginning, how) in zip(paths, ((one, "commas"), (other, writing)), strict=True):
        text = _written([["y", "s", "u"], *rows], beginning, how)
        path.write_bytes(gzip.compress(text) if given == "gz" else text)
    copc = sum(int(clicked) for clicked, _, _ in rows) / sum(float(score) for _, score, _ in rows)
    for data in [str(tmp_path / "*.csv")] if given == "glob" else [paths, paths[::-1]]:
        sliced = sqlmetrics.copc(data, by="u", **ROLES)
        assert dict(zip(sliced["u"], sliced["n"], strict=True)) == {u: 2 * ids.count(u) for u in ids}
        assert sqlmetrics.copc(data, **ROLES)["copc"][0] == pytest.approx(copc, rel=1e-9)


@pytest.mark.parametrize("title", ["", "Report 2024\n"])
@pytest.mark.parametrize("quoted", ['"a\\"b"', '"a""b"', '"a"'])
def test_backslashes_are_those_of_their_file(quoted: str, title: str, tmp_path: Path) -> None:
    """Behind a file in which they stand before quotes, they were gone from the others: C:\\dir was C:dir."""
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    paths[0].write_text(f"{title}y,s,u\n1,.5,{quoted}\n0,.25,b\n")
    paths[1].write_text('y,s,u\n1,.5,"C:\\dir"\n0,.25,"C:dir"\n')
    for order in (paths, paths[::-1]):
        sliced = sqlmetrics.copc(order, by="u", **ROLES)
        assert sorted(sliced["u"]) == sorted(["C:\\dir", "C:dir", "b", 'a"b' if "b" in quoted else "a"])


def test_days_that_each_file_writes_in_its_own_way(tmp_path: Path) -> None:
    """Looked at by itself, as where one has a title, 01/02/2024 is a day of February here and one of January there."""
    for name, days in {
        "a": ["13/02/2024", "01/02/2024"],
        "b": ["02/13/2024", "01/02/2024"],
        "c": ["2024-02-01"],
    }.items():
        head = "Report 2024\n" if name == "a" else ""
        (tmp_path / f"{name}.csv").write_text(f"{head}y,s,d\n" + "".join(f"1,0.5,{day}\n" for day in days))
    first, second, third = (tmp_path / f"{name}.csv" for name in "abc")
    for order in ([first, second], [second, first], [third, second, first]):
        with pytest.raises(BadData, match=r"column 'd' is .* in .*DATE \(%"):
            sqlmetrics.copc(order, by="m = date_trunc('month', d)", **ROLES)
        assert sqlmetrics.copc(order, **ROLES)["n"][0] == 2 * len(order) - (third in order)
    for order in ([first, third], [third, first]):
        months = sqlmetrics.copc(order, by="m = strftime(d, '%m')", **ROLES)
        assert months.iloc[:, :2].to_numpy().tolist() == [["02", 3]]


#: Lines in front of the names that hold rows of the file, or other names for them, and one that does not.
IN_FRONT = {
    "a file without u": ["y,s", "1,.5", "0,.25"],
    "names": ["s,y"],
    "a row": ["1,.5"],
    "a title and a row": ["Report", "1,.5"],
}


@pytest.mark.parametrize("data", ["one", "list"])
@pytest.mark.parametrize("lines", IN_FRONT.values(), ids=list(IN_FRONT))
def test_rows_in_front_of_the_names_are_not_skipped(lines: list[str], data: str, tmp_path: Path) -> None:
    """As where a column was added to a file that was already there: what has other fields than the rest was gone."""
    path, plain = tmp_path / "a.csv", tmp_path / "b.csv"
    plain.write_text("y,s,u\n1,.5,a\n")
    path.write_text("\n".join([*lines, "y,s,u", "1,.5,a", "0,.25,b", "1,.75,c"]))
    for order in [path] if data == "one" else [[path, plain], [plain, path]]:
        refused(BadData, order, "a.csv: ", f"line {len(lines) + 1} has 3 fields")
    path.write_text("\n".join([*lines, "1,.5,a", "0,.25,b", "1,.75,c"]))
    refused(BadData, path, "a.csv: ", f"line {len(lines) + 1} has 3 fields", label="column0", score="column1")


def test_a_csv_file_without_names_among_others(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,s\n1,0.5\n0,0.25\n")
    (tmp_path / "b.csv").write_text("1,0.5\n")
    refused(BadData, str(tmp_path / "*.csv"), "label", "'y'", "a.csv", "not in", "b.csv")


@pytest.mark.parametrize("wrong", [0, 1, 2])
def test_the_file_that_does_not_fit_is_named(wrong: int, tmp_path: Path) -> None:
    """Of three types it is the text that no number can be read with, whatever the order."""
    kinds = [pa.float64(), pa.float32()]
    kinds.insert(wrong, pa.string())
    paths = [
        parquet(tmp_path / f"{place}.parquet", y=[0, 1], s=pa.array([0, 1]).cast(kind))
        for place, kind in enumerate(kinds)
    ]
    with pytest.raises(BadData, match="VARCHAR") as told:
        auc(paths)
    assert f"{wrong}.parquet" in str(told.value)


def test_a_column_without_any_value(tmp_path: Path) -> None:
    """It is no text, though the engine says so of a CSV file; nor are the columns of a file that has only names."""
    refused(BadData, pa.table({"y": pa.nulls(2), "s": [0.5, 0.25]}), "label", "'y' holds no value at all")
    for text in ("y,s\n", "y,s\n,0.5\n,0.25\n"):
        (tmp_path / "a.csv").write_text(text)
        refused(BadData, str(tmp_path / "a.csv"), "label", "'y' holds no value at all")


def test_a_json_list_that_was_cut_off(tmp_path: Path) -> None:
    """Wherever it was: between two objects the engine would take what is there for all."""
    whole = json.dumps([{"y": place % 2, "s": place / 40} for place in range(40)], indent=1)
    path = tmp_path / "log.json"
    for end in range(len(whole) - 120, len(whole)):
        path.write_text(whole[:end])
        refused(BadData, str(path))
    for end in (whole.rindex("},") + 2, len(whole) - 40):
        with gzip.open(tmp_path / "log.json.gz", "wt") as file:
            file.write(whole[:end])
        refused(BadData, str(tmp_path / "log.json.gz"))
    path.write_text("\ufeff" + whole, encoding="utf-8")
    refused(BadData, str(path), "byte order mark")
    for text in (whole, f"  {whole}\n\n"):
        path.write_text(text)
        with gzip.open(tmp_path / "log.json.gz", "wt") as file:
            file.write(text)
        assert (
            auc(str(tmp_path / "log.json.gz"))
            == auc(str(path))
            == pytest.approx(roc_auc_score([0, 1] * 20, range(40)), abs=1e-15)
        )


def test_many_files_take_no_long_time(tmp_path: Path) -> None:
    for number in range(300):
        kind = pa.int64() if number % 2 else pa.float64()
        parquet(tmp_path / f"{number:03}.parquet", y=[0, 1], s=pa.array([1, 2]).cast(kind))
    result = sqlmetrics.auc(str(tmp_path / "*.parquet"), **ROLES)
    assert (result["n"][0], result["auc"][0]) == (600, 1.0)


@pytest.mark.parametrize("ending", ["csv", *slow("json")])
def test_fractions_behind_the_sample(ending: str, tmp_path: Path) -> None:
    """A column looks whole as far as a sample goes."""
    count = 30_000
    rng = np.random.default_rng(3)
    data = pd.DataFrame({"y": rng.integers(0, 2, count + 2), "s": rng.integers(0, 9, count + 2) * 1.0, "u": 1})
    data.loc[count:, "s"] = [3.5, 4.5]
    text = data.astype(object)
    text.loc[: count - 1, "s"] = text.loc[: count - 1, "s"].astype(int)
    path = tmp_path / f"late.{ending}"
    write = {
        "csv": lambda: text.to_csv(path, index=False),
        "json": lambda: text.to_json(path, orient="records", lines=True),
    }
    write[ending]()
    assert auc(path) == pytest.approx(roc_auc_score(data["y"], data["s"]), abs=1e-12)
    text.loc[count, "y"] = 0.4
    write[ending]()
    refused(BadData, path, "label", "'y'", "0.4")
    text.loc[count, "y"] = 1
    text.loc[count:, "u"] = [1.5, 2]
    write[ending]()
    assert len(sqlmetrics.auc(path, by="u", **ROLES)) == 3


@pytest.mark.one_in(2)
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_lists_of_text_files_whose_types_differ(ending: str, tmp_path: Path) -> None:
    def write(name: str, rows: list[tuple[Any, ...]]) -> Path:
        path = tmp_path / f"{name}.{ending}"
        lines = [json.dumps({"y": y, "s": s}) for y, s in rows]
        path.write_text("\n".join(["y,s", *(f"{y},{s}" for y, s in rows)] if ending == "csv" else lines))
        return path

    whole = [write(f"a{number:02}", [(0, 1), (1, 2)]) for number in range(40)]
    late = write("z", [(0, 1.4), (1, 1.2)])
    expected = roc_auc_score([0, 1] * 41, [1, 2] * 40 + [1.4, 1.2])
    for order in ([*whole, late], [late, *whole]):
        assert auc(order) == pytest.approx(expected, abs=1e-15)
    wrong = write("z", [(0.4, 1), (1, 1)])
    for order in ([*whole, wrong], [wrong, *whole]):
        refused(BadData, order, "label", "'y'", "0.4")


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_moments_and_booleans_behind_the_sample(ending: str, tmp_path: Path) -> None:
    def write(**columns: list[Any]) -> Path:
        path = tmp_path / f"late.{ending}"
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        shown = [
            ",".join(columns),
            *(",".join(str(v).lower() if isinstance(v, bool) else str(v) for v in row.values()) for row in rows),
        ]
        path.write_text("\n".join(shown if ending == "csv" else map(json.dumps, rows)))
        return path

    count = 25_000
    y = [False, True] * count
    s = [0.5] * (2 * count)
    path = write(y=[*y, 2], s=[*s, 0.5])
    with pytest.raises(SqlMetricsError):
        auc(path)
    days = ["2024-01-01"] * (2 * count)
    path = write(y=[*y, False, True], s=[*s, 0.5, 0.5], d=[*days, "2024-01-01 10:00:00", "2024-01-01 10:00:00"])
    assert len(sqlmetrics.auc(path, by="d", **ROLES)) == 2


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_long_ids_of_text_files(ending: str, tmp_path: Path) -> None:
    ids = [2**64 - 1, 2**64 - 2, 2**64 - 3, 10**25]
    path = tmp_path / f"ids.{ending}"
    lines = [json.dumps({"y": y, "s": 0.5, "u": u}) for u in ids for y in (0, 1)]
    path.write_text("\n".join(["y,s,u", *(f"{y},0.5,{u}" for u in ids for y in (0, 1))] if ending == "csv" else lines))
    assert sorted(map(int, sqlmetrics.auc(path, by="u", **ROLES)["u"])) == sorted(ids)


# Names that differ in case only

CASES = {"Clicked": [0, 1, 1, 0], "clicked": [1, 0, 0, 1], "s": [0.1, 0.6, 0.5, 0.2]}


def _csv(folder: Path, columns: dict[str, Any]) -> Path:
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    (folder / "case.csv").write_text("\n".join(lines))
    return folder / "case.csv"


def _json(folder: Path, columns: dict[str, Any]) -> Path:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    (folder / "case.json").write_text("\n".join(map(json.dumps, rows)))
    return folder / "case.json"


def _glob(folder: Path, columns: dict[str, Any]) -> str:
    parquet(folder / "case_1.parquet", **{name: given[:2] for name, given in columns.items()})
    parquet(folder / "case_2.parquet", **{name: given[2:] for name, given in columns.items()})
    return str(folder / "case_*.parquet")


def _query(columns: dict[str, Any]) -> str:
    rows = ", ".join(str(row) for row in zip(*columns.values(), strict=True))
    named = ", ".join(f'c{place} as "{name}"' for place, name in enumerate(columns))
    return f"select {named} from (values {rows}) as t({', '.join(f'c{place}' for place in range(len(columns)))})"


FORMS: dict[str, Callable[[Path, dict[str, Any]], Any]] = {
    "parquet": lambda folder, columns: parquet(folder / "case.parquet", **columns),
    "glob": _glob,
    "csv": _csv,
    "json": _json,
    "pandas": lambda _, columns: pd.DataFrame(columns),
    "polars": lambda _, columns: polars.DataFrame(columns),
    "arrow": lambda _, columns: pa.table(columns),
    "query": lambda _, columns: _query(columns),
    "relation": lambda _, columns: duckdb.connect().sql(_query(columns)),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("swapped", [False, *slow(True)])
def test_an_exact_name_wins(form: str, swapped: bool, tmp_path: Path) -> None:
    names = ["clicked", "Clicked", "s"] if swapped else ["Clicked", "clicked", "s"]
    data = FORMS[form](tmp_path, {name: CASES[name] for name in names})
    for name in ("Clicked", "clicked"):
        assert auc(data, label=name) == roc_auc_score(CASES[name], CASES["s"])
    refused(BadParameter, data, "label", "'CLICKED'", "'Clicked'", "'clicked'", label="CLICKED")
    refused(BadParameter, data, "'Clicked'", "'clicked'", label="= 1 - clicked")
    assert auc(data, label="Clicked", score="S") == 1.0, "one candidate alone is meant in any letters"
    sliced = sqlmetrics.auc(data, label="Clicked", score="s", by="clicked")
    assert list(sliced.columns) == ["clicked", "n", "auc"]


@pytest.mark.parametrize("form", [form for form in FORMS if form != "relation"])  # which belongs to a connection
def test_an_exact_name_wins_in_judgments_too(form: str, tmp_path: Path) -> None:
    """There the engine calls the second of the columns otherwise as well."""
    data = pd.DataFrame({"Q": [1, 1, 2, 2], "q": [1, 0, 0, 1], "item": [1, 2, 1, 2], "s": [0.1, 0.6, 0.5, 0.2]})
    judgments = FORMS[form](tmp_path, {name: data[name].tolist() for name in ("Q", "q", "item")})
    roles = {"label": "q", "group": "Q", "item": "item", "score": "s"}
    judged = sqlmetrics.evaluate(data, "ndcg", judgments=judgments, **roles)
    assert judged["ndcg"].tolist() == sqlmetrics.evaluate(data, "ndcg", **roles)["ndcg"].tolist()


@pytest.mark.parametrize("form", ["parquet", "csv", "pandas", "arrow", "query", "relation"])
def test_a_name_that_is_there_twice(form: str, tmp_path: Path) -> None:
    table = pa.table([[0, 1], [1, 0], [0.1, 0.2]], names=["y", "y", "s"])
    data: Any = table if form == "arrow" else pd.DataFrame([[0, 1, 0.1], [1, 0, 0.2]], columns=["y", "y", "s"])
    if form == "parquet":
        pa.parquet.write_table(table, tmp_path / "twice.parquet")
        data = tmp_path / "twice.parquet"
    if form == "csv":
        data.to_csv(tmp_path / "twice.csv", index=False)
        data = tmp_path / "twice.csv"
    if form in ("query", "relation"):
        query = "select a as y, b as y, s from (values (0, 1, 0.1), (1, 0, 0.2)) as t(a, b, s)"
        data = query if form == "query" else duckdb.connect().sql(query)
    refused(BadData, data, "label", "'y'", "several")
    assert auc(data, label="= s > 0.15") == 1.0


@pytest.mark.parametrize("names", [["a\tb", "a b"], ["a  b", "a b"], ["a\u2028b", "a b"], ["a\n    b", "a b"]])
def test_the_blanks_of_a_name_are_its_own(names: list[str]) -> None:
    """Also where the column is an id of doubles, which is asked for NaN: the wrong column was read."""
    data = pd.DataFrame({"y": [0, 1, 0, 1], "s": [0.1, 0.2, 0.3, 0.1], names[0]: [1.0, 1.0, 2.0, 2.0], names[1]: 3.0})
    sliced = sqlmetrics.auc(data, by=sqlmetrics.column(names[0]), **ROLES)
    assert sliced.iloc[:, 0].tolist() == [1.0, 2.0]
    assert sqlmetrics.gauc(data, group=sqlmetrics.column(names[0]), **ROLES)["gauc"].tolist() == [0.5]


@pytest.mark.parametrize("result", ["Model", "MODEL", "Kind", "Position", "Example", "Row_Count"])
def test_results_with_the_names_of_our_own_columns(result: str) -> None:
    """Rows that miss a value are told, whatever the slices and metrics are called."""
    data = pd.DataFrame({"y": [0, 1, None], "s": [0.1, 0.2, 0.3], result: ["x", "x", "x"]})
    with pytest.warns(sqlmetrics.DroppedRows, match="label .* in 1 row"):
        assert sqlmetrics.auc(data, by=result, **ROLES).columns[0] == result
    with pytest.warns(sqlmetrics.DroppedRows, match="label .* in 1 row"):
        assert sqlmetrics.evaluate(data, {"name": "auc", "as": result}, **ROLES).columns[-1] == result


#: Names of two files, and the columns that can be told apart in both.
ALIKE = [
    ("Y y s", "Y y s", "Y y"),
    ("Y y s", "y Y s", ""),
    ("y Y s", "s Y y", ""),
    ("Y y s", "Y y s z", ""),
    ("Y y s", "y s", ""),
    ("y s", "Y y s", ""),
    ("Y s", "Y y s", ""),
    ("y y_1 s", "y_1 s y", "y y_1"),
    ("y Y_1 Y s", "s Y_1 Y y", "Y_1"),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("form", ["parquet", "csv"])
@pytest.mark.parametrize("names", ALIKE, ids=", ".join)
def test_names_alike_in_files_that_are_read_by_name(names: tuple[str, str, str], form: str, tmp_path: Path) -> None:
    """Files whose columns differ are read by their names in any case: one column stood for the other."""
    one, other, clear = names
    labels = {"Y": [1, 0, 0], "y": [0, 1, 1], "y_1": [1, 1, 0], "Y_1": [1, 1, 0], "z": [1, 1, 1]}
    columns = {**labels, "s": [0.25, 0.5, 0.75]}
    paths = []
    for place, held in enumerate((one, other)):
        rows = pd.DataFrame({name: columns[name] for name in held.split()})
        paths.append(tmp_path / f"{place}.{form}")
        if form == "csv":
            rows.to_csv(paths[-1], index=False)
        else:
            pa.parquet.write_table(pa.Table.from_pandas(rows), paths[-1])
    for order in (paths, paths[::-1]):
        for name in ("Y", "y", "Y_1", "y_1"):
            if name in clear.split():
                assert auc(order, label=name) == roc_auc_score(labels[name] * 2, columns["s"] * 2)
            elif name in one.split() or name in other.split():
                refused(BadData, order, "label", "differ in case only", label=name)
    if one.startswith("Y y"):
        assert auc(paths[0], label="Y") == roc_auc_score(labels["Y"], columns["s"])


def test_long_ids_beside_keys_alike_in_json(tmp_path: Path) -> None:
    """The engine looks for its own names of such keys, and finds nothing."""
    path = tmp_path / "day=1" / "a.json"
    path.parent.mkdir()
    rows = [{"Y": 1, "y": y, "s": 0.5, "u": 10**30 + y, "Day": 1} for y in (0, 1)]
    path.write_text("\n".join(map(json.dumps, rows)))
    refused(BadData, path, "'u'", "differ in case only", by="u")
    assert auc(path) == 0.5
    # The long ids may be those of the keys that differ so, whichever of the two, and be there twice.
    for keys in (("U", "u"), ("u", "U"), ("a/~b", "A/~B")):
        for wide in keys:
            rows = [{**dict.fromkeys(keys, 7), wide: 10**30 + y, "y": y, "s": 0.5} for y in (0, 1)]
            for place, text in enumerate(["\n".join(map(json.dumps, rows)), json.dumps(rows)]):
                path = tmp_path / "day=1" / f"{keys.index(wide)}{place}.json"
                path.write_text(text)
                refused(BadData, path, "too long", "differ in case only", by=wide)
                [other] = {*keys} - {wide}
                assert len(sqlmetrics.auc(path, by=other, **ROLES)) == 1


@pytest.mark.one_in(2)
@pytest.mark.parametrize("count", [4, 30_000])
def test_ids_with_zeros_in_front(count: int, tmp_path: Path) -> None:
    """007 is not 7; also where only the end of the file shows it."""
    ids = ["7", "8"] * (count // 2) + ["007", "007"]
    lines = [f"{place % 2},{0.25 + place % 2 / 2},{one}" for place, one in enumerate(ids)]
    (tmp_path / "ids.csv").write_text("\n".join(["y,s,u", *lines]))
    sliced = sqlmetrics.copc(tmp_path / "ids.csv", by="u", **ROLES)
    assert sorted(sliced["u"]) == ["007", "7", "8"]
    assert len(sqlmetrics.per_group(tmp_path / "ids.csv", "gauc", group="u", **ROLES)) == 3
    long = [{"y": place % 2, "s": 0.5, "u": 10**30 + place} for place in range(count)]
    (tmp_path / "long.json").write_text("\n".join(map(json.dumps, long)))
    with pytest.raises(BadData, match=r"tie_key.*longer than a number"):
        sqlmetrics.mrr(tmp_path / "long.json", group="y", tie_key="u", ties="key", **ROLES)


#: Texts that look like something else, in the file of which one of them would become the other, or be rewritten.
AS_WRITTEN = {
    "times": ["12:00", "07:30"],
    "times of both kinds": ["12:00", "12:00:00"],
    "days of a country": ["01/02/2024", "03/04/2024"],
    "short truths": ["t", "f"],
    "truths": ["true", "t"],
    "a time with a zone": ["2024-01-01", "2024-01-01T00:00:00Z"],
    "nanoseconds": ["2024-01-01 00:00:00.000000001", "2024-01-01 00:00:00.000000002"],
    "identifiers": ["550e8400-e29b-41d4-a716-446655440000", "550E8400-e29b-41d4-a716-446655440000"],
    "hexadecimal": ["0x10", "16"],
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("before", [[], *slow(["x"])])
@pytest.mark.parametrize("texts", AS_WRITTEN.values(), ids=list(AS_WRITTEN))
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_ids_are_the_texts_of_the_file(ending: str, texts: list[str], before: list[str], tmp_path: Path) -> None:
    """Slices and groups are told as they are written; also where a sample knows one of them only."""
    ids = [texts[0]] * (30_000 if before else 2) + texts * 2
    rows = [{"y": place % 2, "s": place / 100_000, "u": one} for place, one in enumerate(ids)]
    lines = [",".join(map(str, row.values())) for row in rows]
    path = tmp_path / f"ids.{ending}"
    path.write_text("\n".join(["y,s,u", *lines] if ending == "csv" else map(json.dumps, rows)))
    sliced = sqlmetrics.copc(path, by="u", **ROLES)
    assert dict(zip(sliced["u"], sliced["n"], strict=True)) == {one: ids.count(one) for one in texts}
    assert sorted(sqlmetrics.per_group(path, "gauc", group="u", **ROLES)["u"]) == sorted(texts)


@pytest.mark.parametrize("form", ["file", "glob", "gz"])
def test_single_quotes_are_part_of_the_text(form: str, tmp_path: Path) -> None:
    """'a' and a are two users, and '' is one."""
    text = "y,s,u\n" + "1,0.5,'a'\n0,0.5,a\n1,0.5,''\n0,0.5,it's\n"
    path = tmp_path / ("ids.csv.gz" if form == "gz" else "ids.csv")
    path.write_bytes(gzip.compress(text.encode()) if form == "gz" else text.encode())
    sliced = sqlmetrics.copc(str(tmp_path / "*.csv") if form == "glob" else path, by="u", **ROLES)
    assert sorted(sliced["u"]) == ["''", "'a'", "a", "it's"]


#: Ids of CSV files that hold what is a comment elsewhere, at its beginning or later on.
HASHES = [
    ["#1", "2", "3"],
    ["1", "#2", "3"],
    ["1", "2", "#3"],
    ["#1", "#2", "#3"],
    ["a#1", "a#2", "a"],
    ["# a", "a", "b"],
    ["//1", "2", "3"],
    ["%1", ";2", "--3"],
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("ids", HASHES, ids=" ".join)
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("form", ["file", "glob", "gz", *slow("late")])
def test_no_character_makes_a_comment(form: str, place: int, ids: list[str], tmp_path: Path) -> None:
    """Rows whose first value began with # were gone, and a#1 was a."""
    given = ["7"] * 30_000 * (form == "late") + ids * 2
    rows = [["1" if at % 2 else "0", "0.5"] for at in range(len(given))]
    for row, one in zip([["y", "s"], *rows], ["u", *given], strict=True):
        row.insert(place, one)
    names = ["y", "s"]
    names.insert(place, "u")
    text = "\n".join(map(",".join, [names, *rows])) + "\n"
    for name in ("a", "b") if form == "glob" else ("a",):
        path = tmp_path / f"{name}.csv{'.gz' if form == 'gz' else ''}"
        path.write_bytes(gzip.compress(text.encode()) if form == "gz" else text.encode())
    sliced = sqlmetrics.copc(str(tmp_path / "*.csv") if form == "glob" else path, by="u", **ROLES)
    count = 2 if form == "glob" else 1
    assert dict(zip(sliced["u"].map(str), sliced["n"], strict=True)) == {one: given.count(one) * count for one in given}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("comment", ["#c", "# a comment, with a comma", "#"])
@pytest.mark.parametrize("behind", [1, 2, 4, *slow(30_000)])
@pytest.mark.parametrize("names", ["y,s", "y,s,u"])
def test_lines_of_comments_are_no_rows(comment: str, behind: int, names: str, tmp_path: Path) -> None:
    """In front of the names they are titles, behind them the file is refused: never a row is lost or made of them."""
    lines = [names, *["1,0.5,a#1" if "u" in names else "1,0.5"] * (behind + 2)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join([comment, *lines]))
    if comment.count(",") == names.count(","):  # it is taken for the names
        refused(BadData, path, "'y' cannot be read", "a.csv has it in line 2", "read_csv('…', comment = '#')")
    else:
        assert sqlmetrics.copc(path, **ROLES)["n"].tolist() == [behind + 2]
    lines.insert(behind, comment)
    path.write_text("\n".join(lines))
    with pytest.raises(SqlMetricsError) as told:
        sqlmetrics.copc(path, **ROLES)
    assert "\n" not in str(told.value)
    query = f"select * from read_csv('{path}', comment = '#')"
    assert sqlmetrics.copc(query, **ROLES)["n"].tolist() == [behind + 2]


def test_names_in_single_quotes_are_names(tmp_path: Path) -> None:
    """Beside them the engine would not find the line of names, where it looks for those that differ in case only."""
    path = tmp_path / "names.csv"
    path.write_text('Y,\'\',y,s\nnan,"[1, 2]",1,0.5\nnan,"[1, 2]",0,0.5')
    assert sqlmetrics.copc(path, **ROLES)["n"].tolist() == [2]


@pytest.mark.parametrize("late", ["in the second file", "behind the sample"])
def test_double_quotes_are_none_of_the_text_however_late_they_come(late: str, tmp_path: Path) -> None:
    """The engine knows the quotes of the beginning only: "a" would be another user than a."""
    plain = [f"{place % 2},0.5,a" for place in range(40_000 if late == "behind the sample" else 4)]
    quoted = ['1,0.5,"a"', '0,0.5,"b ""c"""', '0,0.5,"d,e"']
    files = [[*plain, *quoted]] if late == "behind the sample" else [plain, quoted]
    for place, rows in enumerate(files):
        (tmp_path / f"ids{place}.csv").write_text("\n".join(["y,s,u", *rows]) + "\n")
    sliced = sqlmetrics.copc(str(tmp_path / "*.csv"), by="u", **ROLES)
    assert dict(zip(sliced["u"], sliced["n"], strict=True)) == {"a": len(plain) + 1, 'b "c"': 1, "d,e": 1}


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_moments_in_the_usual_writing_are_moments(ending: str, tmp_path: Path) -> None:
    rows = [{"y": 0, "s": 0.5, "d": f"2024-01-0{day}", "t": f"2024-01-0{day} 10:00:00"} for day in (1, 2, 2)]
    path = tmp_path / f"days.{ending}"
    lines = [",".join(map(str, row.values())) for row in rows]
    path.write_text("\n".join(["y,s,d,t", *lines] if ending == "csv" else map(json.dumps, rows)))
    sliced = sqlmetrics.copc(path, by=["d", "t", "m = date_trunc('month', d)"], **ROLES)
    assert sliced["d"].tolist() == [pd.Timestamp(2024, 1, 1), pd.Timestamp(2024, 1, 2)]
    assert sliced["t"].tolist() == [pd.Timestamp(2024, 1, 1, 10), pd.Timestamp(2024, 1, 2, 10)]
    assert set(sliced["m"]) == {pd.Timestamp(2024, 1, 1)}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("count", [4, *slow(30_000)])
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_numbers_of_text_files_that_are_one_double(ending: str, count: int, tmp_path: Path) -> None:
    """Beside a fraction a number of a text file is a double: where two become one, that is told."""

    def write(numbers: list[str]) -> Path:
        path = tmp_path / f"long.{ending}"
        given = ["0.5"] * count + numbers * 2
        rows = [(str(place % 2), one) for place, one in enumerate(given)]
        path.write_text("\n".join(["y,s", *map(",".join, rows)] if ending == "csv" else
                                  ['{{"y": {}, "s": {}}}'.format(*row) for row in rows]))  # fmt: skip
        return path

    path = write(["12345678901234567890", "12345678901234567891"])
    refused(BadData, path, "score", "'s'", "the same double", f"read_{ending}(")
    for options in ({"by": "x = s"}, {"by": "x = s + 0", "score": "y"}, {"where": "s > 1", "score": "y"}):
        refused(BadData, path, "'s'", "the same double", **options)
    assert len(sqlmetrics.copc(path, label="y", score="y", by="s")) == 3
    # What a double holds, and more digits of one than it has, are no reason.
    path = write(["1e300", "12345678901234567890", "0.10000000000000000555"])
    assert len(sqlmetrics.copc(path, label="y", score="y", by="x = s * 1")) == 4


def test_doubles_as_programs_write_them_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to 17 digits, behind however many zeros, are no reason to read a file whole for its types."""
    rng = np.random.default_rng(5)
    scores = [*rng.random(2_000), *rng.random(2_000) / 1000, *rng.random(2_000) * 1e9]
    lines = [f"{place % 2},{one!r}" for place, one in enumerate(map(float, scores))]
    (tmp_path / "scores.csv").write_text("\n".join(["y,s", *lines]))
    sampled = []
    described = source.describe
    monkeypatch.setattr(source, "describe", lambda files, how: sampled.append(how) or described(files, how))
    assert len(sqlmetrics.auc(tmp_path / "scores.csv", by="b = floor(s * 10) % 3", where="s > 0", **ROLES)) == 3
    assert sampled == [True]


@pytest.mark.parametrize("form", ["table", "relation", "pandas", "polars", "arrow"])
def test_long_ids_beside_a_missing_one(form: str) -> None:
    """pandas makes doubles of whole numbers that have no value among them."""
    table = pa.table({"y": [0, 1, 0], "s": [0.1, 0.2, 0.3], "u": pa.array([2**60 + 1, 2**60 + 2, None], pa.int64())})
    with duckdb.connect() as con:
        con.register("sent", table)
        con.execute("create table log as from sent")
        forms = {
            "table": "log",
            "relation": con.table("log"),
            "pandas": table.to_pandas(types_mapper=pd.ArrowDtype),
            "polars": polars.from_arrow(table),
            "arrow": table,
        }
        options = {"con": con} if form == "table" else {}
        sliced = sqlmetrics.copc(forms[form], by="u", **ROLES, **options)
    assert list(map(str, sliced["u"].iloc[:2])) == [str(2**60 + 1), str(2**60 + 2)]
    assert pd.isna(sliced["u"].iloc[2])


def test_rows_left_out_are_told_once(tmp_path: Path) -> None:
    """Also where the sample of a file misled, and everything was read again."""
    lines = [f"{'' if place == 5 else place % 2},{0.5},{place % 3}" for place in range(30_000)] + ["0,0.5,0.5"]
    (tmp_path / "late.csv").write_text("\n".join(["y,s,u", *lines]))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        sqlmetrics.copc(tmp_path / "late.csv", by="u", **ROLES)
    assert [str(one.message) for one in told] == [
        "rows were left out because a value is NULL or NaN: label (column 'y') in 1 row"
    ]


# Files that are themselves

HOSTILE = [
    "a[1]",
    "a*",
    "a?",
    "[a]",
    "a]b",
    "{a,b}",
    "it's",
    'a"b',
    "ä ö",
    "a%20b",
    "a#b",
    "-",
    "~",
    "a;b",
    "$HOME",
    "k=v",
]


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", *slow("csv", "json")])
def test_an_existing_file_is_itself(ending: str, tmp_path: Path) -> None:
    """Beside each there are files that its name would match as a pattern, with other numbers."""
    for decoy in ("a1", "ab", "a", "b"):
        _write(tmp_path / f"{decoy}.{ending}", [1, 0])
    (tmp_path / "too").mkdir()
    for name in HOSTILE:
        path, another = (_write(folder / f"{name}.{ending}", [0, 1]) for folder in (tmp_path, tmp_path / "too"))
        assert auc(path) == auc(str(path)) == 1.0, name
        result = sqlmetrics.auc([path, another], **ROLES)
        assert (result["n"][0], result["auc"][0]) == (4, 1.0), name
        path.unlink()


def test_judgments_in_a_file_with_a_hostile_name(tmp_path: Path) -> None:
    run = tmp_path / "run[1].txt"
    run.write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    (tmp_path / "run1.txt").write_text("q Q0 c 1 2 t\n")
    judged = tmp_path / "qrels*.csv"
    judged.write_text("topic,docno,relevance\nq,b,1\n")
    (tmp_path / "qrels2.csv").write_text("topic,docno,relevance\nq,a,1\n")
    roles = {"label": "relevance", "score": "score", "group": "topic", "item": "docno"}
    assert sqlmetrics.mrr(run, judgments=judged, **roles)["mrr"][0] == 0.5


def _write(path: Path, label: list[int]) -> Path:
    data = pd.DataFrame({"y": label, "s": [0.1, 0.2]})
    if path.suffix == ".parquet":
        pa.parquet.write_table(pa.Table.from_pandas(data), path)
    elif path.suffix == ".csv":
        data.to_csv(path, index=False)
    else:
        data.to_json(path, orient="records", lines=True)
    return path


# Numbers that doubles do not hold

WIDE: dict[str, list[Any]] = {
    "BIGINT": [2**60 + 1, 2**60 + 2, 2**60 + 3],
    "UBIGINT": [2**64 - 1, 2**64 - 2, 2**64 - 3],
    "HUGEINT": [2**100 + 1, 2**100 + 2, 2**100 + 3],
    "UHUGEINT": [2**128 - 1, 2**128 - 2, 2**128 - 3],
    "DECIMAL(38,10)": [f"123456789012345678.000000000{end}" for end in (1, 2, 3)],
}


def wide_table(con: duckdb.DuckDBPyConnection, kind: str) -> str:
    rows = [f"({y}, {s}, cast('{wide}' as {kind}))" for wide in WIDE[kind] for y, s in ((0, 0.1), (1, 0.2))]
    con.execute(f"create table log as from (values {', '.join(rows)}) as t(y, s, wide)")
    return "log"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", WIDE)
def test_wide_ids_stay_what_they_are(kind: str, tmp_path: Path) -> None:
    with duckdb.connect() as con:
        log = wide_table(con, kind)
        sliced = sqlmetrics.auc(log, by="wide", con=con, **ROLES)
        assert sorted(map(str, sliced["wide"])) == sorted(map(str, WIDE[kind]))
        grouped = sqlmetrics.per_group(log, "gauc", group="wide", con=con, **ROLES)
        assert sorted(map(str, grouped["wide"])) == sorted(map(str, WIDE[kind]))
        classes = sqlmetrics.class_report(log, label="wide", prediction="wide", con=con)
        assert sorted(map(str, classes["class"])) == sorted(map(str, WIDE[kind]))
        con.execute(f"copy log to '{tmp_path}/log.parquet'")
    if kind not in ("UHUGEINT", "HUGEINT"):  # which parquet itself holds as doubles
        command = ["eval", str(tmp_path / "log.parquet"), "-m", "auc", "--label", "y", "--score", "s", "--by", "wide"]
        for form in ("table", "csv", "json"):
            shown = shell(*command, "--format", form).stdout
            assert [str(one) for one in WIDE[kind] if str(one) not in shown] == []


@pytest.mark.parametrize("kind", WIDE)
def test_wide_scores_do_not_tie(kind: str) -> None:
    with duckdb.connect() as con:
        log = wide_table(con, kind)
        refused(BadData, log, "score", "'wide'", kind, "tie", score="wide", con=con)
        con.execute(f"create or replace table log as select y, s, cast(wide as {kind}) as wide from log limit 2")
        con.execute("update log set wide = 5")
        assert auc(log, score="wide", con=con) == 0.5


def shell(*arguments: str, input: bytes | None = None) -> Result:
    return CliRunner().invoke(cli.main, list(arguments), input=input, prog_name="sqlmetrics")


# What is missing

NAN = float("nan")
MISSING = {"y": [0, 1, 0, 1, 0, 1], "s": [0.1, 0.9, 0.2, 0.8, 0.3, 0.7], "u": [1.0, 1.0, 2.0, 2.0, NAN, NAN]}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", ["pandas", "polars", "arrow", "parquet", "glob"])
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_nan_is_no_user(form: str, kind: str, tmp_path: Path) -> None:
    columns = {**MISSING, "u": pa.array(MISSING["u"], getattr(pa, kind)())}
    frames = {
        "pandas": pd.DataFrame(MISSING),
        "polars": polars.from_arrow(pa.table(columns)),
        "arrow": pa.table(columns),
    }
    data = frames.get(form)
    data = FORMS[form](tmp_path, columns) if data is None else data
    with pytest.warns(sqlmetrics.DroppedRows, match="group .* in 2 rows"):
        assert sqlmetrics.gauc(data, group="u", **ROLES)["n"].tolist() == [4]
    with pytest.warns(sqlmetrics.DroppedRows, match="group .* in 2 rows"):
        assert len(sqlmetrics.per_group(data, "gauc", group="u", **ROLES)) == 2
    sliced = sqlmetrics.auc(data, by="u", **ROLES)
    assert sliced["n"].tolist() == [2, 2, 2]
    assert sliced["u"].isna().tolist() == [False, False, True]
    with pytest.warns(sqlmetrics.DroppedRows, match="field .* in 2 rows"):
        assert sqlmetrics.field_rce(data, field="u", **ROLES)["n"].tolist() == [4]


@pytest.mark.filterwarnings("ignore::sqlmetrics.DroppedRows")
def test_a_statement_without_sql_of_the_callers_is_not_looked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids of doubles are read by an expression of ours; to read a long statement twice takes long."""
    looked_at: list[Any] = []
    monkeypatch.setattr(running, "check_single_select", lambda *given: looked_at.append(given))
    sqlmetrics.gauc(pd.DataFrame(MISSING), group="u", by="u", **ROLES)
    assert looked_at == []
    sqlmetrics.gauc(pd.DataFrame(MISSING), group="= u", **ROLES)
    assert len(looked_at) == 1


def test_what_is_drawn_is_drawn_once() -> None:
    data = pd.DataFrame({"y": [0, 1] * 500, "s": np.linspace(0, 1, 1000), "u": [1, 1, 2, 2] * 250})
    metrics = ["auc", "gauc", "ece", "copc"]
    for _ in range(5):
        found = sqlmetrics.evaluate(data, metrics, where="random() < 0.5", group="u", diagnostics=True, **ROLES)
        assert found["n"][0] == found["rows_read"][0]


DRAWS = {
    "condition": "select * from log where random() < 0.5",
    "sample": "select * from log using sample 50% (bernoulli)",
    "column": "select y, u, s * random() as s from log",
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", ["relation", "query", "view", "view of a view", "query over a view"])
@pytest.mark.parametrize("draw", DRAWS)
def test_what_data_draw_is_drawn_once(draw: str, form: str) -> None:
    with duckdb.connect() as con:
        con.execute("create table log as select range % 2 as y, range / 1000 as s, range // 4 as u from range(1000)")
        con.execute(f"create view drawn as {DRAWS[draw]}")
        con.execute('create view "drawn again" as select * from drawn')
        data = {
            "relation": con.sql(DRAWS[draw]),
            "query": DRAWS[draw],
            "view": "drawn",
            "view of a view": '"drawn again"',
            "query over a view": 'select * from "drawn again" where s >= 0',
        }[form]
        roles = {"label": "y", "score": ["s", "t = s"], "group": "u"}
        beside: dict[str, Any] = {} if form == "relation" else {"con": con}
        for _ in range(3):
            found = sqlmetrics.evaluate(data, ["auc", "mae", "gauc", "copc"], diagnostics=True, **roles, **beside)
            assert list(found["n"]) == list(found["rows_read"])
            columns = list(found.columns.drop("model"))
            pd.testing.assert_series_equal(found.loc[0, columns], found.loc[1, columns], check_names=False)


def test_judgments_that_draw_are_refused() -> None:
    log = pd.DataFrame({"q": [1, 1], "d": [1, 2], "s": [0.1, 0.2]})
    judgments = "select 1 as q, 1 as d, 1 as y where random() < 2"
    with pytest.raises(BadParameter, match="judgments: its rows are drawn at random"):
        sqlmetrics.ndcg(log, judgments=judgments, label="y", score="s", group="q", item="d")


def test_a_relation_that_cannot_be_read() -> None:
    """Each of them beside other relations, too."""
    con = duckdb.connect()
    con.execute("create table log as select range as y, range as s, range as d from range(2)")
    relation = con.sql("select * from log")

    def both(kind: type[SqlMetricsError], *words: str) -> None:
        refused(kind, relation, "data", "relation", *words)
        with pytest.raises(kind, match="data: the relation"):
            sqlmetrics.coverage(relation, catalog=pd.DataFrame({"d": [1]}), group="y", item="d", score="s")

    if duckdb.__version__ >= "2":
        con.execute("select 1")
        both(BadParameter, "not read to its end")
        con.fetchall()
    con.execute("drop table log")
    both(BadData, "log")
    con.close()
    both(BadData, "closed")


@pytest.mark.parametrize("wide", [2**24, 2**53])
def test_keys_that_are_one_as_binary_fractions(wide: int) -> None:
    """Whole numbers beside fractions of four and of eight bytes, in a further relation and as classes."""
    ids = pa.array([wide, wide + 1, wide + 2])
    fractions = ids.cast(pa.float32() if wide == 2**24 else pa.float64(), safe=False)
    log = pa.table({"q": [1, 1, 1], "d": ids, "s": [0.9, 0.8, 0.1]})
    for here, there in ((ids, fractions), (fractions, ids)):
        data = log.set_column(1, "d", here)
        with pytest.raises(BadData, match=r"item: column 'd' is .* in the data and .* in catalog, where numbers"):
            sqlmetrics.coverage(data, catalog=pa.table({"d": there}), group="q", item="d", score="s")
        with pytest.raises(BadData, match=r"label: 'y' is .*, and prediction: 'p' is .*, where numbers"):
            sqlmetrics.micro_f1(pa.table({"y": here, "p": there}), label="y", prediction="p")
    few = pa.table({"y": [1, 2, 3], "p": pa.array([1, 3, 3], fractions.type)})
    assert sqlmetrics.micro_f1(few, label="y", prediction="p")["micro_f1"][0] == 2 / 3


def test_classes_that_are_texts_on_one_side(tmp_path: Path) -> None:
    """'01' is another class than 1, as it is another user."""
    path = tmp_path / "classes.csv"
    path.write_text("y,p\n1,01\n2,2\n")
    mixed = pd.DataFrame({"y": [1, 2], "p": ["01", "2"]})
    for data in (path, mixed):
        with pytest.raises(BadData, match=r"label: 'y' is BIGINT, and prediction: 'p' is VARCHAR; .* as in label="):
            sqlmetrics.micro_f1(data, label="y", prediction="p")
        found = sqlmetrics.micro_f1(data, label="= cast(y as varchar)", prediction="p")
        assert found["micro_f1"][0] == 0.5
        with pytest.raises(BadData, match=r"; .* as in prediction=\"= cast\(y as varchar\)\"$"):
            sqlmetrics.micro_f1(data, label="p", prediction="y")
    booleans = pd.DataFrame({"y": [True, False], "p": [1, 0]})
    assert sqlmetrics.micro_f1(booleans, label="y", prediction="p")["micro_f1"][0] == 1.0


# TREC

RUN = "q1 Q0 a 1 3.5 t\nq1 Q0 b 2 2.5 t\nq2 Q0 a 1 1.5 t\n"
QRELS = "q1 0 b 1\nq2 0 a 1\n"
TREC_ROLES = {"label": "relevance", "score": "score", "group": "topic", "item": "docno"}


TREC_NAMES = ["r", "r.txt", "r.run", "r.test", "r.trunc", "r.trec", "r.tsv", "r.gz", "input.x.gz", "r.2"]
HEADS = ["", "\n\n", "# a comment\n", "\ufeff", "\n# 1 b 1\n  \n"]
_NAMES_WITH_HEADS = list(itertools.product(TREC_NAMES, HEADS))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    # Six steps further another name has another head: the fast tier has each of them once, or twice.
    ("name", "head"),
    [*_NAMES_WITH_HEADS[::6], *slow(*[pair for place, pair in enumerate(_NAMES_WITH_HEADS) if place % 6])],
)
def test_trec_files_are_known_by_what_they_hold(name: str, head: str, tmp_path: Path) -> None:
    run, qrels = tmp_path / name, tmp_path / f"judged-{name}"
    for path, text in ((run, RUN), (qrels, QRELS)):
        content = (head + text).replace(" ", "\t" if name.endswith("tsv") else " ").encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert sqlmetrics.mrr(run, judgments=qrels, **TREC_ROLES)["mrr"][0] == 0.75


def test_trec_files_that_break_their_form(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text(RUN * 50 + "q1 Q0 c 3\n")
    (tmp_path / "qrels.txt").write_text(QRELS + "# 0 b 1\n")
    with pytest.raises(SqlMetricsError, match="q1 Q0 c 3"):
        sqlmetrics.mrr(path, judgments=tmp_path / "qrels.txt", **TREC_ROLES)
    path.write_text(RUN)
    assert sqlmetrics.map(path, judgments=tmp_path / "qrels.txt", **TREC_ROLES)["map"][0] == 0.75
    odd = tmp_path / "run.csv"
    odd.write_text(RUN)
    named = [f"--{role}={column}" for role, column in TREC_ROLES.items()]
    command = ["eval", str(odd), "-m", "mrr", "--judgments", str(tmp_path / "qrels.txt"), *named, "--format", "json"]
    assert json.loads(shell(*command, "--run-format", "trec").stdout) == [{"n": 3, "mrr": 0.75}]
    assert shell(*command).exit_code == 2


@pytest.mark.parametrize(("lines", "words"), [
    (RUN + "q1 Q0 c 3\n", "begins as a TREC run, and goes on with another line: q1 Q0 c 3"),
    (RUN + "q1 Q0 c 3 high t\n", "begins as a TREC run, and goes on with another line: q1 Q0 c 3 high t"),
    (QRELS + "q3 0 c\n", "begins as a TREC qrels file, and goes on with another line: q3 0 c"),
    (RUN * 50 + "q1 Q0 c 3 high t\n", "the score of a line is no number: high"),
    (RUN * 50 + "q1 Q0 c first 0.5 t\n", "the rank of a line is no number: first"),
])  # fmt: skip
def test_lines_of_trec_files_that_are_broken_are_told(lines: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text(lines)
    with pytest.raises(SqlMetricsError, match=re.escape(f"{path}") + ".*" + re.escape(words)):
        sqlmetrics.mrr(path, label="rank", score="score", group="topic")


def test_nan_is_no_user_in_an_expression_either() -> None:
    data = pa.table({**{name: MISSING[name] for name in ("y", "s")}, "u": pa.array(MISSING["u"], from_pandas=False)})
    sliced = sqlmetrics.auc(data, by="x = u + 0 -- as it is", **ROLES)
    assert sliced["n"].tolist() == [2, 2, 2]
    assert sliced["x"].isna().tolist() == [False, False, True]
    with pytest.warns(sqlmetrics.DroppedRows, match="group .* in 2 rows"):
        assert sqlmetrics.gauc(data, group="= u * 1", **ROLES)["n"].tolist() == [4]
    roles = {"label": "y", "group": "u", "item": "i", "score": "s"}
    run = pa.table({"u": [1.0, 1.0], "i": ["a", "b"], "s": [0.2, 0.1]})
    judged = pa.table({"u": pa.array([1.0, float("nan")], from_pandas=False), "i": ["b", "b"], "y": [1, 1]})
    with pytest.warns(sqlmetrics.DroppedRows, match="judgments in 1 row"):
        assert sqlmetrics.mrr(run, judgments=judged, **roles)["mrr"].tolist() == [0.5]


def test_a_missing_slice_and_the_text_null(tmp_path: Path) -> None:
    path = parquet(tmp_path / "a.parquet", y=[0, 1, 0, 1], s=[0.1, 0.2, 0.3, 0.4], d=["NULL", "NULL", None, None])
    shown = shell("eval", str(path), "-m", "auc", "--label", "y", "--score", "s", "--by", "d").stdout.splitlines()
    assert [line.split()[0] for line in shown[1:]] == ['"NULL"', "NULL"]


# Columns that cannot be read


def test_booleans_as_python_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "flags.csv"
    path.write_text("y,s\n" + "True,0.9\nFalse,0.2\n" * 3)
    assert auc(path) == 1.0


ODD: dict[str, Any] = {
    "float16": pa.table({"y": [0, 1], "s": [0.1, 0.2], "odd": pa.array(np.array([1, 2], np.float16))}),
    "nulls": pa.table({"y": [0, 1], "s": [0.1, 0.2], "odd": pa.nulls(2)}),
    "None": pd.DataFrame({"y": [0, 1], "s": [0.1, 0.2], "odd": [None, None]}),
    "complex": pd.DataFrame({"y": [0, 1], "s": [0.1, 0.2], "odd": [1j, 2j]}),
    "period": pd.DataFrame({"y": [0, 1], "s": [0.1, 0.2], "odd": pd.period_range("2020", periods=2)}),
    "sparse": pd.DataFrame({"y": [0, 1], "s": [0.1, 0.2], "odd": pd.arrays.SparseArray([0, 1])}),
    "object": pd.DataFrame({"y": [0, 1], "s": [0.1, 0.2], "odd": [object(), {1, 2}]}),
    "mixed": pd.DataFrame({"y": [0, 1], "s": [0.1, 0.2], "odd": pd.Series([1, "1"], dtype=object)}),
    "polars object": polars.DataFrame({"y": [0, 1], "s": [0.1, 0.2], "odd": [object(), object()]}),
}


@pytest.mark.parametrize(
    ("name", "kind"), [("period", "period[D]"), ("sparse", "Sparse[int64, 0]"), ("complex", "complex128")]
)
def test_a_type_of_pandas_alone_is_named_with_what_helps(name: str, kind: str) -> None:
    refused(BadData, ODD[name], "column 'odd'", f"no type for {kind}", ".astype(str)", by="odd")


@pytest.mark.parametrize("name", ODD)
def test_an_odd_column_that_nobody_reads(name: str) -> None:
    """It is no reason to refuse; and where it is read, the error names the column."""
    data = ODD[name]
    assert auc(data) == 1.0
    try:
        result = sqlmetrics.auc(data, by="odd", **ROLES)
    except SqlMetricsError as error:
        assert "odd" in str(error)  # noqa: PT017 (most forms raise none)
        assert "sqlmetrics_input" not in str(error)  # noqa: PT017
    else:
        assert result["n"].sum() == 2


@pytest.mark.parametrize("at", [7, 1507, 2999])
def test_objects_of_python_keep_their_values(at: int) -> None:
    """The engine looks at some of them only: the rest took the type of those."""
    score: list[Any] = [1] * 3000
    score[at] = 0.5
    label = [0, 1] * 1500
    assert auc(pd.DataFrame({"y": label, "s": pd.Series(score, dtype=object)})) == pytest.approx(
        roc_auc_score(label, score), abs=1e-12
    )
    flags: list[Any] = [bool(one) for one in label]
    flags[at] = 2
    refused(BadData, pd.DataFrame({"y": pd.Series(flags, dtype=object), "s": score}), "label", "'y'", "2")


@pytest.mark.parametrize("kind", ["int64", "uint64", "int32"])
def test_categories_that_are_whole_numbers_stay_so_beside_a_row_without_one(kind: str) -> None:
    """As after a left join; the engine would make doubles of them."""
    ids = np.array([2**31 - 5 if kind == "int32" else 2**60] * 8, dtype=kind) + np.array([0, 1, 2, 3] * 2, dtype=kind)
    user = pd.Series(ids).astype("category").reindex(range(9))
    data = pd.DataFrame({"y": [0, 0, 1, 1, 1, 1, 0, 0, 1], "s": np.arange(9) / 9, "user": user})
    found = sqlmetrics.auc(data, by="user", **ROLES)
    assert found["n"].tolist() == [2, 2, 2, 2, 1]
    assert found["user"].tolist()[:4] == ids[:4].tolist()
    assert pd.isna(found["user"][4])


ODD_OBJECTS: dict[str, tuple[Any, Any, tuple[str, ...]]] = {
    "a fraction beside wide whole numbers": (2**60 + 1, 1.5, ("1152921504606846977",)),
    "a truth beside wide whole numbers": (2**60 + 1, True, ("1152921504606846977",)),
    "a decimal beside whole numbers": (2**60, Decimal(2**60 + 1), ("1152921504606846977",)),
    "decimals of many digits": (Decimal(10**38), Decimal(10**38 + 1), ("38 digits",)),
    "decimals of many digits in all": (Decimal(10**30), Decimal("1e-20"), ("38 digits",)),
    "a moment beside days": (dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 23), ("date", "datetime")),
    "a truth beside numbers, in lists": ([1], [True], ("truth", "whole number")),
    "a text beside numbers, in dictionaries": ({"a": 1}, {"a": "1"}, ("str", "whole number", "a")),
    "a fraction beside wide whole numbers, in lists": ([[2**60 + 1]], [[0.5]], ("1152921504606846977",)),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("at", [1, 4444])
@pytest.mark.parametrize("case", ODD_OBJECTS)
def test_objects_that_have_no_type_in_common_are_refused(case: str, at: int) -> None:
    """Wherever the odd one is: the engine would take the type of those it looks at, and cut the others to it."""
    usual, odd, words = ODD_OBJECTS[case]
    column: list[Any] = [usual] * 6000
    column[at] = odd
    data = pd.DataFrame({"y": [0, 1] * 3000, "s": 0.5, "odd": pd.Series(column, dtype=object)})
    assert auc(data) == 0.5
    refused(BadData, data, "by: column 'odd' holds", *words, by="odd")


#: Decimals in the way of a driver's, by the number of their row.
DECIMALS: dict[str, Callable[[int], Decimal]] = {
    "prices": lambda row: Decimal(row * 7919 % 997) / 100,
    "scores": lambda row: Decimal("0.5") + Decimal(row * 7919 % 2999) / 10**12,
    "amounts": lambda row: Decimal(10**7) + Decimal(row * 7919 % 2999) / 10**6,
    "more places later": lambda row: Decimal(row * 7919 % 2999 + 1) / (10 if row < 2000 else 10**6),
    "more digits later": lambda row: Decimal(row * 7919 % 2999) * (1 if row < 2000 else 10**6),
    "whole": lambda row: Decimal(123456789 + row % 3),
    "long": lambda row: Decimal(2**80 + row % 3),
    "long with places": lambda row: Decimal("12345678901234567890.0123456") + row % 3,
    "exponents": lambda row: Decimal(f"{row % 7}E+{row % 5}"),
}
BESIDE_DECIMALS = [None, NAN, pd.NA, pd.NaT, Decimal("NaN"), Decimal("Infinity"), Decimal("-Infinity"), float("inf")]


@pytest.mark.filterwarnings("ignore::sqlmetrics.DroppedRows")
@pytest.mark.one_in(9)
@pytest.mark.parametrize("at", [5, 2998])
@pytest.mark.parametrize("beside", BESIDE_DECIMALS, ids=repr)
@pytest.mark.parametrize("kind", DECIMALS)
def test_decimals_are_the_numbers_that_they_are(kind: str, beside: Any, at: int) -> None:
    """Whatever is beside them, and whatever the engine looks at: it would make floats of some, and cut others."""
    column: list[Any] = [DECIMALS[kind](row) for row in range(3000)]
    column[at] = beside
    label = [row * 31 % 2 for row in range(3000)]
    data = pd.DataFrame({"y": label, "s": 0.5, "odd": pd.Series(column, dtype=object)})
    missing = data["odd"].isna()
    slices = Counter(data["odd"][~missing])
    if kind.startswith("long") and not missing.any():
        refused(BadData, data, "by: column 'odd' holds", by="odd")
    else:
        found = sqlmetrics.auc(data, by="odd", **ROLES)
        assert {one for one in found["odd"] if not pd.isna(one)} == (
            {*slices} if kind.startswith("long") else {*map(float, slices)}
        )
        assert sorted(found["n"]) == sorted([*slices.values(), *([1] if missing.any() else [])])
    if not kind.startswith("long"):
        plain = np.nan_to_num(data["odd"][~missing].astype("float64"))
        expected = roc_auc_score(np.array(label)[~missing], plain)
        assert sqlmetrics.auc(data, label="y", score="odd")["auc"][0] == pytest.approx(expected, abs=1e-12)
        if np.isfinite(data["odd"][~missing].astype("float64")).all():
            [found_mean] = sqlmetrics.mae(data, label="odd", score="y")["mae"]
            assert found_mean == pytest.approx(np.abs(plain - np.array(label)[~missing]).mean(), rel=1e-12)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("missing", [None, NAN, pd.NA, pd.NaT, Decimal("NaN")], ids=repr)
@pytest.mark.parametrize("number", [1, 1.5, 2**70, Decimal("1.5"), Decimal(2**70)], ids=repr)
def test_every_word_for_a_missing_number(number: Any, missing: Any) -> None:
    data = pd.DataFrame({"y": [0, 1, 1], "s": 0.5, "odd": pd.Series([missing, number, number], dtype=object)})
    assert sqlmetrics.auc(data, by="odd", **ROLES)["n"].tolist() == [2, 1]


@pytest.mark.parametrize(
    "beside", [1, 1.5, "a", True, [1], dt.date(2020, 1, 1), b"a", pd.Timestamp("2020-01-01")], ids=repr
)
def test_nan_of_a_decimal_is_missing_beside_anything(beside: Any) -> None:
    data = pd.DataFrame({"y": [0, 1, 1], "s": 0.5, "odd": pd.Series([Decimal("NaN"), beside, beside], dtype=object)})
    assert sqlmetrics.auc(data, by="odd", **ROLES)["n"].tolist() == [2, 1]
    data["odd"] = pd.Series([Decimal("sNaN"), beside, beside], dtype=object)
    assert auc(data) == 0.5
    refused(BadData, data, "by: column 'odd' holds Decimal('sNaN')", by="odd")


def test_decimals_beside_an_infinity_that_are_one_double() -> None:
    column = [Decimal("0.12345678901234567891"), Decimal("0.12345678901234567892"), Decimal("Infinity")]
    data = pd.DataFrame({"y": [0, 1, 1], "s": 0.5, "odd": pd.Series(column, dtype=object)})
    refused(BadData, data, "by: column 'odd' holds decimals of more digits than a double", by="odd")


@pytest.mark.parametrize("at", [1, 4443])
def test_moments_as_objects_keep_their_nanoseconds(at: int) -> None:
    """A column of them would be read as Python's moments, which end at microseconds."""
    column: list[Any] = [pd.Timestamp("2026-01-01")] * 6000
    column[at] = pd.Timestamp("2026-01-01") + pd.Timedelta(1, "ns")
    data = pd.DataFrame({"y": [0, 1] * 3000, "s": 0.5, "odd": pd.Series(column, dtype=object)})
    assert sqlmetrics.auc(data, by="odd", **ROLES)["n"].tolist() == [5999, 1]
    data.loc[7, "odd"] = None
    assert sqlmetrics.auc(data, by="odd", **ROLES)["n"].tolist() == [5998, 1, 1]
    data["odd"] = pd.Series([one.to_datetime64() for one in column], dtype=object)
    assert sqlmetrics.auc(data, by="odd", **ROLES)["n"].tolist() == [5999, 1]
    for odd in (dt.datetime(1066, 10, 14), pd.Timestamp("2026-01-01", tz="UTC")):
        data["odd"] = pd.Series([*column[:-1], odd], dtype=object)
        refused(BadData, data, "by: column 'odd' holds nanoseconds", by="odd")


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("kind", ["Int128", "UInt128"])
def test_whole_numbers_of_128_bits_of_polars(kind: str, lazy: bool) -> None:
    if not hasattr(polars, kind):
        pytest.skip(f"this polars has no {kind}")
    wide = [2**126 + row % 3 for row in range(6)]
    data = polars.DataFrame({"y": [0, 1] * 3, "s": [0.5] * 6, "odd": polars.Series(wide, dtype=getattr(polars, kind))})
    found = sqlmetrics.auc(data.lazy() if lazy else data, by="odd", **ROLES)
    assert found["odd"].map(int).tolist() == sorted(set(wide))
    assert found["n"].tolist() == [2, 2, 2]


@pytest.mark.parametrize("at", [1, 4443])
def test_numbers_inside_objects_keep_their_values(at: int) -> None:
    score: list[Any] = [0, 1] * 3000
    score[at] = 0.4
    label = [0, 1] * 3000
    data = pd.DataFrame({
        "y": label, "in_dict": [{"p": one, "other": [None]} for one in score],
        "in_list": [[None, one] for one in score], "in_both": [{"a": [{"p": one}]} for one in score],
        "in_array": [np.array([one, 1]) for one in score], "decimal": [[Decimal(str(one))] for one in score],
        "decimal_or_not": [[Decimal(str(one)) if one else one, float("nan")] for one in score],
    })  # fmt: skip
    expressions = ["in_dict.p", "in_list[2]", "in_both.a[1].p", "in_array[1]", "decimal[1]", "decimal_or_not[1]"]
    models = [f"model_{place} = {expression}" for place, expression in enumerate(expressions)]
    found = sqlmetrics.evaluate(data, ["auc", "mae"], label="y", score=models)
    assert len(found) == len(expressions)
    assert found["auc"].tolist() == pytest.approx([roc_auc_score(label, score)] * len(expressions), abs=1e-12)
    assert found["mae"].tolist() == pytest.approx([0.6 / 6000] * len(expressions), abs=1e-12)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("odd", ["007", "1.5", "true", "u7", "2024-01-01"])
@pytest.mark.parametrize("place", [3, 12])
def test_one_of_many_files_has_a_type_of_its_own(odd: str, place: int, tmp_path: Path) -> None:
    """Wherever it is: the engine looks at ten of them, and went no further."""
    for number in range(14):
        user = odd if number == place else f"{number + 100}"
        text = f"user,y,s,day\n{user},1,{number / 50},2024-02-{number + 1:02}\n5,0,0.3,2024-01-02\n"
        (tmp_path / f"{number:02}.csv").write_text(text)
    score = [number / 50 for number in range(14)]
    expected = roc_auc_score([1] * 14 + [0] * 14, score + [0.3] * 14)
    for data in (tmp_path, str(tmp_path / "*.csv"), sorted(tmp_path.glob("*.csv"))):
        assert auc(data) == pytest.approx(expected, abs=1e-12)
        assert len(sqlmetrics.auc(data, by="user", **ROLES)) == 15


def test_a_key_that_only_the_last_object_has(tmp_path: Path) -> None:
    rows = [{"y": number % 2, "s": number / 60_000} for number in range(60_000)] + [{"y": 1, "s": 0.5, "g": "z"}]
    path = tmp_path / "log.json"
    path.write_text("\n".join(map(json.dumps, rows)))
    found = sqlmetrics.auc(path, by="g", **ROLES)
    assert found["n"].tolist() == [1, 60_000]
    refused(MissingColumn, path, "by: there is no column 'h'; the data has y, s, g", by="h")


@pytest.mark.parametrize("step", ["all_items", "all_judgments"])
def test_a_query_reads_the_users_table_whatever_the_steps_are_called(step: str) -> None:
    con = duckdb.connect()
    con.execute("create table shown as select * from (values (1, 1, .9), (1, 9, .7), (1, 9, .6)) as shown(u, ad, s)")
    con.execute(f"create table {step} as select distinct ad as item_id from shown")
    con.execute("create table known as select 1 as u, unnest([1, 2, 3]) as ad, 1 as y")
    query = f"select * from shown where ad in (select item_id from {step})"
    further: dict[str, Any] = {"catalog": "known"} if step == "all_items" else {"judgments": "known", "label": "y"}
    metric = "coverage@3" if step == "all_items" else "map"
    for data in ("shown", query):
        with pytest.raises(BadData, match="data holds one item twice in a group; for example 9"):
            sqlmetrics.evaluate(data, metric, group="u", item="ad", score="s", con=con, **further)


# Connections and what is lent

LOG = pd.DataFrame({"y": [0, 1, 0, 1], "s": [0.1, 0.9, 0.8, 0.2]})


def test_a_connection_in_many_threads() -> None:
    """Each call gets its own numbers, and none another thread's."""
    found: list[tuple[float, Any]] = []
    with duckdb.connect() as con:
        for number in range(8):
            con.execute(f"create table log_{number} as select range % 2 as y, range as s from range({number + 5})")
        con.execute("create temp table small as from log_0")

        def work(number: int) -> None:
            for turn in range(6):
                table = "small" if turn == 5 else f"log_{number}"
                rows = 5 if turn == 5 else number + 5
                try:
                    found.append((rows, sqlmetrics.auc(table, con=con, **ROLES)["n"][0]))
                except SqlMetricsError as error:
                    found.append((rows, error))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert len(found) == 48
    assert [one for one in found if one[0] != one[1]] == []


@pytest.mark.skipif(duckdb.__version__ < "2", reason="DuckDB 1 does not tell that a result is not read to its end")
def test_a_result_that_is_not_read_to_its_end_is_kept() -> None:
    with duckdb.connect() as con:
        con.execute("create table log as select range % 2 as y, range as s from range(10)")
        con.execute("select * from range(100000)")
        assert con.fetchone() == (0,)
        refused(BadParameter, "log", "con", "not read to its end", "cursor()", con=con)
        assert len(con.fetchall()) == 99_999
        assert auc("log", con=con.cursor()) == auc("log", con=con)


def test_nothing_is_left_open_by_a_failed_look_up() -> None:
    with duckdb.connect() as con:
        refused(BadData, "nowhere", "nowhere", con=con)
        con.execute("create table log as select 1 as y")
        refused(MissingColumn, "log", "'s'", con=con)
        con.register("theirs", LOG)
        assert auc("theirs", con=con) == auc(LOG, con=con)


def test_in_a_transaction_of_the_callers_the_cause_is_told() -> None:
    with duckdb.connect() as con:
        con.execute("begin")
        con.execute("create table mine as select 1 as a")
        refused(sqlmetrics.QueryFailed, LOG, "nonsense", con=con, where="error('nonsense') is null")
        refused(BadParameter, LOG, "transaction", con=con)
        con.execute("rollback")
        assert auc(LOG, con=con) == 0.75


@pytest.mark.parametrize("several", [False, True], ids=["one relation", "relations of one connection"])
def test_relations_in_many_threads(several: bool) -> None:
    con = duckdb.connect()
    con.execute("create table log as select i % 2 as y, i % 7 as s from range(20000) r(i)")
    lone = con.table("log")
    relations = [con.table("log") if several else lone for _ in range(24)]
    expected = auc(lone)
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(auc, relations)) == pytest.approx([expected] * 24, abs=1e-12)
    assert con.sql("select view_name from duckdb_views() where view_name like 'sqlmetrics%'").fetchall() == []


@pytest.mark.parametrize("threads", [10**9, 0, -1, True, 1.5, "2"], ids=repr)
def test_threads_that_no_machine_has(threads: Any) -> None:
    with pytest.raises(BadParameter, match="threads"):
        sqlmetrics.evaluate(LOG, "auc", threads=threads, **ROLES)


def test_connections_of_others() -> None:
    closed = duckdb.connect()
    closed.close()
    for con, words in (("x", ["str"]), (closed, ["closed"]), (sqlite3.connect(":memory:"), ["sqlite3", "DBAPI"][1:])):
        refused(BadParameter, LOG, "con", *words, con=con)


def test_text_that_is_no_unicode() -> None:
    for options in ({"label": "\ud800"}, {"where": "s > '\ud800'"}, {"by": "= '\ud800'"}):
        with pytest.raises(SqlMetricsError):
            auc(LOG, **options)
    with pytest.raises(SqlMetricsError):
        auc("\ud800.parquet")


class Exporter:
    """What shows Arrow's interface and nothing else, as the streams of other packages do."""

    def __init__(self, reader: pa.RecordBatchReader) -> None:
        self.reader = reader

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.reader.__arrow_c_stream__(requested_schema)


STREAMS: dict[str, Callable[[pa.RecordBatchReader], Any]] = {
    "reader": lambda reader: reader,
    "exporter": Exporter,
    "scanner": pyarrow.dataset.Scanner.from_batches,
}


@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_is_read_once(stream: str) -> None:
    table = pa.Table.from_pandas(LOG)
    data = STREAMS[stream](pa.RecordBatchReader.from_batches(table.schema, table.to_batches()))
    found = sqlmetrics.evaluate(data, ["auc", "mae", "ks"], diagnostics=True, **ROLES)
    assert (found["auc"][0], found["n"][0], found["rows_read"][0]) == (0.75, len(LOG), len(LOG))
    refused(BadData, data, "data", "stream")


def test_a_table_that_gives_arrow() -> None:
    """As one of ibis does."""

    class Table:
        def to_pyarrow(self) -> pa.Table:
            return pa.Table.from_pandas(LOG)

    assert auc(Table()) == 0.75


@pytest.mark.slow
def test_no_place_for_temporary_files(tmp_path: Path) -> None:
    """Nothing is written before memory is full."""
    path = _write(tmp_path / "a.csv", [0, 1])
    program = f"import sqlmetrics; print(sqlmetrics.auc({str(path)!r}, label='y', score='s')['auc'][0])"
    environment = {**os.environ, "TMPDIR": "/proc/1/none", "TMP": "/proc/1/none", "TEMP": "/proc/1/none"}
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False
    )
    assert (found.stdout, found.stderr) == ("1.0\n", "")


def test_folders_of_killed_processes_are_removed(tmp_path: Path) -> None:
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    kept = [f"sqlmetrics-{os.getpid()}-ab", "sqlmetrics-notes", "other-1-x"]
    for name in (f"sqlmetrics-{int(dead.stdout)}-ab", *kept):
        (tmp_path / name).mkdir()
        (tmp_path / name / "spilled").write_text("x")
    remove_left_folders(tmp_path)
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted(kept)


# Moments that neither pandas nor Python has


@pytest.mark.parametrize("kind", ["date", "timestamp", "timestamp_s", "timestamp_ns", "timestamptz"])
@pytest.mark.parametrize("beside", ["1", *slow("1::hugeint")])
@pytest.mark.parametrize("given", ["a query", *slow("con")])
def test_what_has_no_end_is_no_moment(kind: str, beside: str, given: str) -> None:
    """DuckDB gives pandas the least and the greatest number of 64 bits, or fails, and gives Python the year 9999."""
    cells = "('infinity', 1, 0.9), ('infinity', 0, 0.2), ('2024-05-01', 0, 0.5), ('-infinity', 1, 0.5), (null, 1, 0.5)"
    data = f"select d::{kind} as d, y, s, {beside} as b from (values {cells}) as t(d, y, s)"
    with duckdb.connect() as con:
        con.execute("set TimeZone = 'UTC'")
        asked: dict[str, Any] = {"label": "y", "score": "s", "con": con if given == "con" else None}
        found = sqlmetrics.evaluate(data, "error_rate", by=["d", "b"], **asked)
        moment = sqlmetrics.evaluate(data, "error_rate", by="d", where="isfinite(d)", **asked)
    day = {"date": "2024-05-01", "timestamptz": "2024-05-01 00:00:00+00"}.get(kind, "2024-05-01 00:00:00")
    assert [None if pd.isna(one) else one for one in found["d"]] == ["-infinity", day, "infinity", None]
    assert found["error_rate"].tolist() == [0, 1, 0, 0]
    zone = "UTC" if kind == "timestamptz" else None
    assert moment["d"].tolist() == [pd.Timestamp("2024-05-01", tz=zone)]


@pytest.mark.parametrize("year", ["0044-03-15 (BC)", "12000-01-01"])
@pytest.mark.parametrize("beside", ["1", *slow("1::hugeint")])
def test_a_zone_in_a_year_that_python_does_not_know(year: str, beside: str) -> None:
    """pandas holds such a moment, and fails when it is shown."""
    cells = f"('{year}', 1, 0.9), ('2024-05-01', 0, 0.5)"
    data = f"select d::timestamptz as d, y, s, {beside} as b from (values {cells}) as t(d, y, s)"
    found = sqlmetrics.evaluate(data, "error_rate", by=["d", "b"], label="y", score="s").sort_values("error_rate")
    assert found["d"].tolist() == [f"{year} 00:00:00+00", "2024-05-01 00:00:00+00"]
    assert found["error_rate"].tolist() == [0, 1]


def test_bits_are_slices() -> None:
    data = "select * from (values ('0101'::bit, 1, 0.9), ('00000101'::bit, 0, 0.9)) as t(bits, y, s)"
    found = sqlmetrics.evaluate(data, "error_rate", by="bits", label="y", score="s").sort_values("error_rate")
    assert found["bits"].tolist() == ["0101", "00000101"]


def test_times_with_a_zone_are_slices() -> None:
    data = "select * from (values ('10:00:00+01'::timetz, 1, 0.9), ('10:00:00+00'::timetz, 0, 0.9)) as t(time, y, s)"
    found = sqlmetrics.evaluate(data, "error_rate", by="time", label="y", score="s")
    assert sorted((str(time), rate) for time, rate in zip(found["time"], found["error_rate"], strict=True)) == [
        ("10:00:00+00:00", 1.0), ("10:00:00+01:00", 0.0)
    ]  # fmt: skip


# Folders, files without an ending, standard input


def test_a_folder_is_data(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    for day, country, label in (("2024-01-01", "de", [0, 1]), ("2024-01-02", "fr", [1, 0])):
        folder = lake / f"day={day}" / f"country={country}"
        folder.mkdir(parents=True)
        parquet(folder / "part-0.snappy.parquet", y=label, s=[0.1, 0.2])
        (folder / ".part-0.snappy.parquet.crc").write_bytes(b"x")
    (lake / "_SUCCESS").touch()
    (lake / "_metadata").write_bytes(b"PAR1")
    for data in (lake, str(lake), [lake]):
        result = sqlmetrics.auc(data, by="country", **ROLES)
        assert result.to_numpy().tolist() == [["de", 2, 1.0], ["fr", 2, 0.0]]
    assert len(sqlmetrics.auc(lake, by="day", **ROLES)) == 2
    (lake / "_delta_log").mkdir()
    refused(BadData, lake, "Delta")


#: What folders say of their files, in two of them, and how it comes back.
PARTITIONS: dict[str, tuple[list[str], list[Any]]] = {
    "days": (["2024-01-01", "2024-01-02"], [pd.Timestamp(2024, 1, 1), pd.Timestamp(2024, 1, 2)]),
    "whole numbers": (["7", "8"], [7, 8]),
    "texts": (["de", "fr"], ["de", "fr"]),
    "padded": (["007", "7"], ["007", "7"]),
}


def _partitioned(folder: Path, values: list[str], form: str, inside: list[str] | None) -> Any:
    """Two rows for each value, in a file below its folder; `inside` is what the files say in a column of that name."""
    for place, value in enumerate(values):
        below = folder / f"p={value}" / "z=1"
        below.mkdir(parents=True)
        rows: list[dict[str, Any]] = [{"y": place, "s": 0.25 * one, "u": f"0{one}"} for one in (1, 2)]
        if inside:
            rows = [{**row, "p": inside[place]} for row in rows]
        lines = [json.dumps(row) for row in rows]
        if "csv" in form:
            lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
        text = "\n".join(lines).encode()
        (below / f"a.{form}").write_bytes(gzip.compress(text) if form.endswith("gz") else text)
    return folder


@pytest.mark.one_in(8)
@pytest.mark.parametrize("given", ["folder", "glob", "list", "one file"])
@pytest.mark.parametrize("inside", [None, *slow(["1", "2"])])
@pytest.mark.parametrize("form", ["csv", "csv.gz", "json"])
@pytest.mark.parametrize("values", PARTITIONS)
def test_partitions_of_text_files(values: str, form: str, inside: list[str] | None, given: str, tmp_path: Path) -> None:
    """No file is asked for a column that its folder names; and the folder counts, whatever the file says."""
    texts, shown = PARTITIONS[values]
    folder = _partitioned(tmp_path / "lake", texts, form, inside)
    files = sorted(folder.rglob(f"a.{form}"))
    data = {"folder": folder, "glob": f"{folder}/*/*/a.{form}", "list": files, "one file": files[0]}[given]
    if given == "one file":
        texts, shown = texts[:1], shown[:1]
    sliced = sqlmetrics.mean_error(data, by="p", **ROLES)
    assert sliced["p"].tolist() == shown
    assert sliced["n"].tolist() == [2] * len(texts)
    sliced = sqlmetrics.mean_error(data, by=["u", "p", "z"], where=f"p = '{texts[0]}'", **ROLES)
    assert sliced.iloc[:, :3].to_numpy().tolist() == [["01", shown[0], 1], ["02", shown[0], 1]]
    grouped = sqlmetrics.per_group(data, "mrr", group="p", **ROLES)
    assert grouped["p"].tolist() == shown
    if values == "whole numbers":
        assert sqlmetrics.mean_error(data, label="p", score="s")["n"].tolist() == [2 * len(texts)]


def test_partitions_of_files_that_differ(tmp_path: Path) -> None:
    """A column that the folders name is in every file, also if some of them hold it, or hold other columns."""
    folder = _partitioned(tmp_path / "lake", ["7", "8"], "csv", None)
    (folder / "p=7" / "z=1" / "b.csv").write_text("p,extra,s,y\n1,x,0.5,1\n")
    assert sqlmetrics.copc(folder, by="p", **ROLES)["n"].tolist() == [3, 2]
    for name, columns in (("a", {"y": [1], "s": [0.5]}), ("b", {"p": ["x"], "s": [1], "y": [0.0]})):
        parquet(folder / "p=7" / "z=1" / f"{name}.parquet", **columns)
    assert sqlmetrics.copc(str(folder / "*/*/*.parquet"), by="p", **ROLES).to_numpy().tolist()[0][:2] == [7, 2]
    refused(BadData, folder / "p=7" / "z=1" / "*.csv", "by", "'extra'", "not in", by="extra")


def test_a_file_that_is_given_twice_does_not_count_twice(tmp_path: Path) -> None:
    for name in ("a", "b"):
        parquet(tmp_path / f"{name}.parquet", y=[0, 1], s=[0.1, 0.2])
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "latest.parquet").symlink_to(tmp_path / "b.parquet")
    one = tmp_path / "a.parquet"
    for given in (
        [one, one],
        [one, str(tmp_path / "*.parquet")],
        [one, tmp_path],
        [one, tmp_path / "." / "link" / ".." / "a.parquet"],
        [str(tmp_path / "**" / "*.parquet")],
        [tmp_path],
    ):
        refused(BadData, given, "is given twice", "would count twice")
    assert sqlmetrics.auc([one, tmp_path / "b.parquet"], **ROLES)["n"].tolist() == [4]


@pytest.mark.parametrize("ending", ["csv", "json", "jsonl"])
def test_an_empty_text_is_told(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{ending}"
    path.write_text("")
    refused(BadData, path, f"a.{ending} is empty")
    refused(BadData, tmp_path, f"a.{ending} is empty")
    whole = _write(tmp_path / f"b.{ending}", [0, 1])
    if ending == "csv":
        refused(BadData, [whole, path], f"a.{ending} is empty")
    else:
        assert auc([whole, path]) == 1.0


def test_names_that_are_not_read_as_such_are_told(tmp_path: Path) -> None:
    """Nothing tells a line of names from others where all of them are texts, or where a quote is never closed."""
    for number, lines in enumerate(("y,s\na,b\nc,d\n", 'y,s,t\n1,0.5,"a\n0,0.4,b\n')):
        path = tmp_path / f"{number}.csv"
        path.write_text(lines)
        with pytest.raises(BadData) as failed:
            sqlmetrics.auc(path, **ROLES)
        assert "line 1 is read as that of the names" not in str(failed.value)


def test_a_parquet_file_without_an_ending(tmp_path: Path) -> None:
    parquet(tmp_path / "part-00000", y=[0, 1], s=[0.1, 0.2])
    assert auc(tmp_path / "part-00000") == 1.0


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_standard_input(ending: str, tmp_path: Path) -> None:
    content = _write(tmp_path / f"a.{ending}", [0, 1]).read_bytes()
    command = ["eval", "-", "-m", "auc", "--label", "y", "--score", "s", "--format", "csv"]
    found = shell(*command, input=content)
    assert (found.stdout, found.stderr) == ("n,auc\n2,1.0\n", "")
    assert "standard input" in shell(*command, input=b"").stderr


@pytest.mark.parametrize("blanks", ["\ufeff", "\n" * 100, " " * 5000, "\ufeff\n"])
def test_standard_input_of_json_behind_blanks(blanks: str) -> None:
    rows = '{"y": 0, "s": 0.1}\n{"y": 1, "s": 0.2}\n'
    command = ["eval", "-", "-m", "auc", "--label", "y", "--score", "s", "--format", "csv"]
    found = shell(*command, input=(blanks + rows).encode())
    assert (found.stdout, found.stderr) == ("n,auc\n2,1.0\n", "")


def test_standard_input_is_told_by_its_name() -> None:
    found = shell("eval", "-", "-m", "auc", "--label", "y", "--score", "s", input=b"y,s,n\n0,0.1,\xe9\n1,0.2,\xe9\n")
    assert (found.exit_code, found.stdout) == (2, "")
    assert "standard input" in found.stderr
    assert "/" not in found.stderr.partition("standard input")[0]


def test_standard_input_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(BadData, match=r"^-: standard input is closed"), shell_input.standard_input(["-"]):
        pass


@pytest.mark.parametrize(
    "start", [gzip.compress(b"y,s\n1,0.5\n", mtime=0), b"\x28\xb5\x2f\xfd\x04\x00"], ids=["gzip", "zstandard"]
)
def test_standard_input_that_is_compressed_is_told(start: bytes) -> None:
    found = shell("eval", "-", "-m", "auc", "--label", "y", "--score", "s", input=start)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.startswith("error: -: standard input is compressed; unpack it")


def test_utf_16_is_read_and_latin_1_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("y,s\n0,0.1\n1,0.2\n".encode("utf-16"))
    assert auc(tmp_path / "a.csv") == 1.0
    (tmp_path / "a.csv").write_bytes("y,s,n\n0,0.1,\u00e9\n1,0.2,\u00e9\n".encode("latin-1"))
    refused(BadData, tmp_path / "a.csv", "a.csv", "utf-8")


def test_a_path_that_is_no_utf_8(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.csv"
    Path(os.fsdecode(path)).write_text("y,s\n0,0.1\n1,0.2\n")
    refused(BadData, Path(os.fsdecode(path)), "UTF-8")


def test_a_database_that_is_none(tmp_path: Path) -> None:
    path = _write(tmp_path / "log.csv", [0, 1])
    found = shell("eval", "log", "--db", str(path), "-m", "auc", "--label", "y", "--score", "s")
    assert (found.exit_code, found.stdout) == (2, "")
    assert "no DuckDB database" in found.stderr


# Words for what is wrong with the data


def test_words_for_files_that_are_no_table(tmp_path: Path) -> None:
    path = tmp_path / "uneven.csv"
    path.write_text("y,s,d\n" + "0,0.5,a\n" * 100 + "1,0.4\n")
    refused(BadData, path, "label", "'y'", "uneven.csv", "3 fields", "2 in line 102")
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    a.write_text("y,s,d\n0,0.1,x\n1,0.2,x\n")
    b.write_text("s,y\n0.1,0\n0.2,1\n")
    for order in ([a, b], [b, a]):
        assert auc(order) == 1.0
    refused(BadData, [a, b], "by", "'d'", "a.csv", "not in", "b.csv", by="d")


@pytest.mark.parametrize("role", ["label", "score", "where", "by"])
def test_a_missing_column_inside_of_an_expression(role: str) -> None:
    text = {"label": "= clik > 0", "score": "= clik * 2", "where": "clik > 1", "by": "d = clik"}[role]
    refused(sqlmetrics.QueryFailed, LOG, f"{role}: there is no column 'clik'", "y, s", **{role: text})


@pytest.mark.parametrize("role", ["label", "score", "where", "by", "group"])
def test_an_aggregate_where_a_row_is_asked(role: str) -> None:
    text = {
        "label": "= max(y)",
        "score": "= sum(s)",
        "where": "count(*) > 1",
        "by": "x = count(*)",
        "group": "= max(y)",
    }
    options = {role: text[role]}
    with pytest.raises(sqlmetrics.QueryFailed, match=rf"{role}: .* cannot be told of one row"):
        sqlmetrics.evaluate(LOG, "gauc" if role == "group" else "auc", **{**ROLES, **options})


def test_words_for_an_expression_that_is_taken_for_a_name(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.csv", [0, 1])
    command = ["eval", str(path), "-m", "auc", "--label", "y", "--score", "s"]
    for by, words in (("date_trunc('day', s)", "--by \"x = date_trunc('day', s)\""), ("count(*)", "count(*)")):
        found = shell(*command, "--by", by)
        assert found.exit_code == 2
        assert words in found.stderr
    assert shell(*command, "--by", "s,y", "--format", "csv").stdout.startswith("s,y,n,auc")
    assert "score is empty" in shell(*command[:-1], "").stderr


def test_words_for_one_row_and_for_several() -> None:
    for place, words in ((1, "1 row is neither"), (2, "2 rows are neither")):
        wrong = LOG.assign(y=[2] * place + [0] * (4 - place))
        refused(BadData, wrong, "label", words)
    with pytest.raises(BadParameter, match=r"multi_log_loss\(scores=\{'cat'"):
        sqlmetrics.evaluate(LOG, "multi_log_loss", label="y")


def test_words_for_yes_and_no() -> None:
    refused(BadData, LOG.assign(y=["yes", "no"] * 2), "label", "'y'", "= y = 'yes'")
    assert auc(LOG.assign(y=["no", "yes"] * 2), label="= y = 'yes'") == 0.75


def test_clients_of_others_are_told_how() -> None:
    for package, words in (
        ("ibis", ["backend.con", "backend.con"]),
        ("sqlalchemy", ["connect()", "engine=connection"]),
    ):
        kind = type("Backend", (), {"__module__": f"{package}.backends", "con": None, "list_tables": None})
        refused(BadParameter, LOG, words[0], engine=kind())
        refused(BadParameter, LOG, words[1], con=kind())
    kind = type("Backend", (), {"__module__": "ibis.backends", "list_tables": None})
    refused(BadParameter, kind(), "backend.table('log')")


def test_clients_of_others_that_hold_what_is_needed() -> None:
    """A backend of ibis on DuckDB, a connection of SQLAlchemy's: stand-ins here, tried with the packages by hand."""
    with duckdb.connect() as con:
        con.execute("create table log as from LOG")
        backend = type("Backend", (), {"__module__": "ibis.backends.duckdb", "con": con})()
        assert auc("log", con=backend) == auc("log", engine=backend) == 0.75
        pooled = type("Pooled", (), {"driver_connection": con})()
        speaks = type("Dialect", (), {"name": "duckdb"})()
        kind = type("Connection", (), {"__module__": "sqlalchemy.engine", "connection": pooled, "dialect": speaks})
        assert auc("log", engine=kind()) == 0.75
        speaks.name = "sqlite"
        refused(BadParameter, "log", "sqlite", engine=kind())
