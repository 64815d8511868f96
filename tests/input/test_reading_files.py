"""How files, frames, queries and relations are read: types, names, paths, and missing or unusual values.

Expected values come from scikit-learn on the same values, or from the same call on plain data in memory.
"""

from __future__ import annotations

import datetime as dt
import functools
import gzip
import itertools
import json
import os
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Sequence
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
from click.testing import Result
from sklearn.metrics import roc_auc_score

import sqlmetrics
from sqlmetrics import BadData, BadParameter, MissingColumn, QueryFailed, SqlMetricsError
from sqlmetrics.cli.inputs import standard_input
from tests.calls import shell
from tests.input.test_bad_input import assert_rejected as assert_call_rejected
from tests.parameters import pairwise, quick_every, slow

ROLES = {"label": "y", "score": "s"}
LOG = pd.DataFrame({"y": [0, 1, 0, 1], "s": [0.1, 0.9, 0.8, 0.2]})
NAN = float("nan")
#: More rows than the sample from which the engine infers the types of a text file.
BEYOND_SAMPLE = 21_000


def auc(data: Any, metric: str = "auc", **options: Any) -> float:
    return float(sqlmetrics.evaluate(data, metric, **{**ROLES, **options}).iloc[0, -1])


def slice_counts(data: Any, by: str = "u") -> dict[Any, int]:
    sliced = sqlmetrics.copc(data, by=by, **ROLES)
    slices = [None if pd.isna(value) else value for value in sliced.iloc[:, 0]]
    return dict(zip(slices, sliced["n"], strict=True))


def assert_rejected(error: type[SqlMetricsError], data: Any, *fragments: str, **options: Any) -> None:
    assert_call_rejected(error, lambda: auc(data, **options), *fragments)


def shell_auc(data: Any, *options: str, input: bytes | None = None) -> Result:
    return shell("eval", str(data), "-m", "auc", "--label", "y", "--score", "s", *options, input=input)


def write_parquet(path: Path, y: Any = (0, 1), s: Any = (0.1, 0.2), **columns: Any) -> Path:
    pa.parquet.write_table(pa.table({"y": y, "s": s, **columns}), path)
    return path


def write_text(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def text_of(ending: str, columns: dict[str, Sequence[Any]]) -> str:
    """The columns as CSV or as lines of JSON."""
    as_line = {"csv": lambda row: ",".join(map(str, row)),
               "json": lambda row: json.dumps(dict(zip(columns, row, strict=True)))}[ending]  # fmt: skip
    lines = map(functools.cache(as_line), zip(*columns.values(), strict=True))  # most rows are equal
    return "\n".join([*([",".join(columns)] if ending == "csv" else []), *lines])


def log(ending: str, **columns: Sequence[Any]) -> str:
    """The columns with labels and scores."""
    count = len(next(iter(columns.values())))
    return text_of(ending, {"y": [row % 2 for row in range(count)], "s": [0.5] * count, **columns})


def write_labels(path: Path, label: list[int]) -> Path:
    if path.suffix == ".parquet":
        return write_parquet(path, y=label)
    return write_text(path, log(path.suffix[1:], y=label, s=[0.1, 0.2]))


# Lists of files whose types differ

#: Columns of different types that have a common type.
LOSSLESS = [
    pa.array([1, 3, 2, 5], pa.int32()), pa.array([1, 3, 2, 7], pa.int64()), pa.array([1, 3, 2, 9], pa.uint64()),
    pa.array([0.5, 2.5, 1.5, 4.5], pa.float32()), pa.array([0.1, 2.7, 0.3, 4.9], pa.float64()),
    pa.array([0.25, 2.25, 1.25, 4.75]).cast(pa.decimal128(12, 2)), pa.nulls(4),
]  # fmt: skip
#: Columns of two files without a common type for all values.
INCOMPATIBLE: dict[str, tuple[pa.Array, pa.Array]] = {
    "ids beyond doubles": (pa.array([2**53 + 1, 2**53 + 2]), pa.array([1.0, 2.0])),
    "text and number": (pa.array(["1", "2"]), pa.array([1, 2])),
    "timestamp and timestamptz": (pa.array([1, 2], pa.timestamp("us")), pa.array([1, 2], pa.timestamp("us", "UTC"))),
    # The engine would read both as FLOAT, where 0.1 is 0.100000001.
    "decimal and float": (pa.array([0.1, 0.3]).cast(pa.decimal128(9, 4)), pa.array([0.25, 0.5], pa.float32())),
    "bytes and text": (pa.array([b"a", b"b"]), pa.array(["a", "b"])),
    "structs": (pa.array([{"a": 1}] * 2), pa.array([{"b": 1}] * 2)),
}


@pytest.mark.parametrize("name", quick_every(3, INCOMPATIBLE))
def test_incompatible_columns_are_rejected_only_where_read(name: str, tmp_path: Path) -> None:
    paths = [write_parquet(tmp_path / f"{number}.parquet", d=d) for number, d in enumerate(INCOMPATIBLE[name])]
    for data in (paths, paths[::-1]):
        assert_rejected(BadData, data, "by", "'d'", "0.parquet", "1.parquet", by="d")
    assert_rejected(BadData, paths, "'d'", "0.parquet", "1.parquet", where="d is not null")
    assert auc(paths) == 1.0


@pytest.mark.slow
def test_values_of_two_types_in_several_files(tmp_path: Path) -> None:
    a, b, c = tmp_path / "a.parquet", tmp_path / "b.parquet", tmp_path / "c.parquet"
    pairs = [*itertools.permutations(LOSSLESS, 2)][::4]
    for first, second in (*pairs, (pa.nulls(4), pa.array(["x"] * 4))):
        files = [write_parquet(path, [0, 1] * 2, [0.5] * 4, d=d) for path, d in ((b, first), (a, second))]
        assert slice_counts(files, "d") == Counter(first.to_pylist() + second.to_pylist())
    for dtype, invalid in ((pa.bool_(), 2.0), (pa.bool_(), 0.4), (pa.int32(), 0.4), (pa.int64(), 2.0)):
        files = [write_parquet(a, y=pa.array([0, 1]).cast(dtype)), write_parquet(b, y=[invalid, 1.0])]
        for data in (files, files[::-1]):
            assert_rejected(BadData, data, "label", "'y'", str(invalid))
    # The error names the string type, for any order of three types.
    types = (pa.string(), pa.float64(), pa.float32())
    files = [write_parquet(path, s=pa.array([0, 1]).cast(dtype)) for path, dtype in zip((a, b, c), types, strict=True)]
    for data in (files, files[::-1], [b, a, c]):
        assert_rejected(BadData, data, "VARCHAR", "a.parquet")


# Text files: columns, lines, ids, and types beyond the sample from which the engine infers them

_ROWS = "y,s,u\n1,.5,a\n0,.25,b\n1,.75,c\n"
#: Text before the header of a CSV file, which the engine would skip.
PREAMBLES = ["Report\nof 2024\n", "# c\n", "sep=,\n", "a,b\n", "\n", "Report\n\n", "y,s\n1,.5\n0,.25\n"]
#: Rows of a second CSV file, and the option in which it differs from the first.
OTHER_FORMATS = {_ROWS.replace(",", ";"): "delim = ';'", _ROWS.replace(",", "\t"): "delim = '\\t'",
                 _ROWS + '1,.5,"a\\"b"\n': "escape = '\\'", _ROWS[6:]: "header = false"}  # fmt: skip
_WINDOWS_PATHS = 'y,s,u\n1,.5,"C:\\dir"\n0,.25,"C:dir"\n'
_DATES = "y,s,d\n1,0.5,13/02/2024\n1,0.5,01/02/2024\n"
_LONG_IDS = [2**64 - 1, 2**64 - 2, 2**64 - 3, 10**25]
_LONG_NUMBERS = [12345678901234567890, 12345678901234567891] * 2
_QUOTED_ROWS = '1,0.5,"a"\n0,0.5,"b ""c"""\n0,0.5,"d,e"\n'
_LIST = json.dumps([{"y": row % 2, "s": 0.5, "u": row % 4} for row in range(40)], indent=1)
_DAY_1, _DAY_2 = pd.Timestamp(2024, 1, 1), pd.Timestamp(2024, 1, 2)
#: Ids with characters that start a comment or a quoted string elsewhere.
SPECIAL_IDS = [["#1", "2"], ["1", "#2"], ["a#1", "# a"], ["//1", "2"], ["%1", ";2", "--3"], ["'a'", "a", "it's", "''"]]
#: Pairs of strings that the engine would unify by a conversion.
CONVERTED_IDS = [
    ["7", "007"], ["12:00", "12:00:00"], ["01/02/2024", "03/04/2024"], ["true", "t"], ["0x10", "16"],
    ["2024-01-01", "2024-01-01T00:00:00Z"],
    ["550e8400-e29b-41d4-a716-446655440000", "550E8400-e29b-41d4-a716-446655440000"],
]  # fmt: skip
#: Names of two partitions, and the values of their column.
PARTITIONS = [("2024-01-01", "2024-01-02", _DAY_1, _DAY_2), ("7", "8", 7, 8), ("de", "fr", "de", "fr"),
              ("007", "7", "007", "7")]  # fmt: skip


#: Text files that are read together, a slice column, and the number of rows by its values.
TEXT_FILES: list[tuple[dict[str, str], str, dict[Any, int]]] = [
    *(({"a.csv": "u,y,s\n" + "".join(f"{u},1,1\n" for u in ids)}, "u", dict.fromkeys(ids, 1)) for ids in SPECIAL_IDS),
    *(({f"a.{ending}": log(ending, u=[ids[0]] * before + ids * 2)}, "u", {ids[0]: before + 2, ids[1]: 2})
      for number, ids in enumerate(CONVERTED_IDS)
      for ending, before in (("csv", 2), ("json", 2), (["csv", "json"][number % 2], BEYOND_SAMPLE))),
    # The engine infers types from only ten of fourteen files.
    *(({f"{file:02}.csv": log("csv", u=[odd if file == number else 5, 7]) for file in range(14)}, "u",
       {(str if odd == "007" else float)(u): count for u, count in ((odd, 1), (5, 13), (7, 14))})
      for odd in ("007", 1.5) for number in (3, 12)),
    # The columns of the second file are in another order, with an additional one, or in upper case.
    *(({"a.csv": "y,s,u\n0,.25,7\n1,.5,12\n", "b.csv": f"{header}\n{row}\n"}, "u", {7: 2, 12: 1})
      for header, row in (("u,s,y", "7,.5,0"), ("z,y,s,u", "x,1,.5,7"), ("U,Y,S", "7,0,.5"))),
    ({"a.csv": "y,s,u\n0,.25,7\n", "b.csv": "s,z,u,y\n" + ".5,x,12,1\n" * BEYOND_SAMPLE}, "u", {7: 1, 12: 21_000}),
    *((dict.fromkeys(["a.csv", "b.csv"], text), "y", {1: 4 + 2 * text.count("\\"), 0: 2})
      for text, option in OTHER_FORMATS.items() if option != "header = false"),
    ({"a.csv": "u,y,s\n" + "7,1,0.5\n" * BEYOND_SAMPLE + "#1,1,0.5\n"}, "u", {"7": BEYOND_SAMPLE, "#1": 1}),
    *((files, by, expected) for files in (
        {"a.csv": "y,s,d\n1,1,2024-01-01\n1,1,2024-01-02\n", "b.csv": "y,s,d\n1,1,2024-01-02\n"},
        {"a.json": log("json", d=["2024-01-01", "2024-01-02", "2024-01-02"])}
    ) for by, expected in (("d", {_DAY_1: 1, _DAY_2: 2}), ("m = date_trunc('month', d)", {_DAY_1: 3}))),
    *(({f"a.{ending}": log(ending, u=[1] * BEYOND_SAMPLE + [1.5, 2], d=["2024-01-01"] * 21_001 + ["2024-01-02 10:00"])},
       by, expected) for ending in ("csv", "json") for by, expected in (
           ("u", {1: BEYOND_SAMPLE, 1.5: 1, 2: 1}), ("h = date_part('hour', d::timestamp)", {0: 21_001, 10: 1}))),
    ({"a.csv": 'y,s,u\n1,.5,"a""b"\n', "b.csv": _WINDOWS_PATHS}, "u", {"C:\\dir": 1, "C:dir": 1, 'a"b': 1}),
    # The engine detects quotes in the first rows of the first file.
    ({"a.csv": "y,s,u\n1,1,a\n", "b.csv": "y,s,u\n" + _QUOTED_ROWS}, "u", {"a": 2, 'b "c"': 1, "d,e": 1}),
    # The header must be recognized even next to names that differ only in case.
    ({"a.csv": "U,'',u,y,s\nnan,\"[1, 2]\",1,1,0.5\nnan,\"[1, 2]\",0,0,0.5"}, "y", {1: 1, 0: 1}),
    ({"a.csv": _DATES, "b.csv": _DATES}, "m = strftime(d, '%m')", {"02": 4}),
    ({"a.csv": log("csv", u=_LONG_IDS)}, "u", dict.fromkeys(_LONG_IDS, 1)),
    ({"a.json": log("json", u=_LONG_IDS)}, "u", {str(u): 1 for u in _LONG_IDS}),
    *(({f"a.{ending}": log(ending, u=[0.5] * count + _LONG_NUMBERS)}, "u",
       {text(number): rows for number, rows in ((0.5, count), *((u, 2) for u in _LONG_NUMBERS[:2]))})
      for ending, text in (("csv", str), ("json", str)) for count in (4, BEYOND_SAMPLE)),
    # Numbers that round-trip through a double are accepted, even with more digits.
    ({"a.csv": log("csv", u=["1e300", "0.10000000000000000555"] * 2)}, "x = u * 1", {1e300: 2, 0.1: 2}),
    ({"a.json": '{"y": 1, "s": 0.5}\n' * 42_000 + '{"y": 1, "s": 0.5, "g": "z"}'}, "g", {"z": 1, None: 42_000}),
    ({"a.json": "", "b.json": '{"y": 1, "s": 0.5}'}, "y", {1: 1}),
    *(({name: f"  {_LIST}\n\n"}, "u", dict.fromkeys(range(4), 10)) for name in ("a.json", "a.json.gz")),
    # The value in the folder name takes precedence over a column of that name in a file.
    *(({f"p={name}/z=1/a.{ending}": log(ending[:4].strip("."), u=["01", "02"], **column) for name in names[:2]}, by,
       dict(zip(names[2:], [2, 2], strict=True)) if by == "p" else {True: 2, False: 2})
      for names in PARTITIONS for ending in ("csv.gz", "json")
      for column in ({}, {"p": [1, 2]}) for by in ["p" if column else f"x = p = '{names[0]}'"]),
]  # fmt: skip
#: Text files that are rejected together, options of the call, and words of the error.
INVALID_TEXT_FILES: list[tuple[dict[str, str], dict[str, Any], list[str]]] = [
    ({"a.csv": "y,s,d\n" + "0,0.5,a\n" * 100 + "1,0.4\n"}, {},
     ["label", "no line with 'y' is read as the header", "read_csv('…', delim"]),
    *(({"a.csv": preamble + _ROWS, **others}, {}, [f"a.csv: line {preamble.count(chr(10)) + 1} has 3 fields",
                                                   f"read_csv('…', skip = {preamble.count(chr(10))})"])
      for number, preamble in enumerate(PREAMBLES) for others in [{"b.csv.gz": _ROWS} if number % 3 else {}]),
    *(({"a.csv": _ROWS, "b.csv": text}, {}, ["a.csv", "b.csv", option, "write a query that reads each file"])
      for text, option in OTHER_FORMATS.items()),
    ({"a.csv": "y,s\n0,.25\n", "b.csv": "s,z,y\n.5,x,1\n"}, {"by": "z"}, ["by", "'z'", "b.csv", "not in", "a.csv"]),
    *(({"a.csv": text}, {}, ["label", "'y' has no values"]) for text in ("y,s\n", "y,s\n,0.5\n,0.25\n")),
    *(({f"a.{ending}": ""}, {}, [f"a.{ending} is empty"]) for ending in ("csv", "json")),
    ({"a.json": f"\ufeff{_LIST}"}, {}, ["byte order mark"]),
    # Truncated between two objects, the engine would read it as if it were complete.
    *(({name: _LIST[:end]}, {}, []) for end in (_LIST.rindex("},") + 2, _LIST.rindex("},") + 4, len(_LIST) - 20)
      for name in ("a.json", "a.json.gz")),
    # 01/02/2024 is in February in one file and in January in the other.
    ({"a.csv": _DATES, "b.csv": "y,s,d\n1,0.5,2024-02-01\n"}, {}, ["a.csv", "b.csv", "dateformat = '%d/%m/%Y'"]),
    ({"a.csv": "#a,b\ny,s\n1,0.5\n0,0.5\n"}, {}, ["label", "no column 'y'; the data has #a, b"]),
    *(({"a.csv": text}, {}, ["label", "'y'"])
      for text in ("y,s\na,b\nc,d\n", 'y,s\n1,"a\n0,0.4\n')),  # all values are strings, or a quote is never closed
    *(({f"a.{ending}": log(ending, u=[0.5] * count + _LONG_NUMBERS)}, options, [*fragments, "'u'", "the same double"])
      for ending in ("csv", "json") for count in (4, BEYOND_SAMPLE) for options, fragments in (
          ({"score": "u"}, ["score", f"read_{ending}("]), ({"by": "x = u + 0"}, []), ({"where": "u > 1"}, []))),
    ({"a.json": log("json", u=[10**30 + row for row in range(BEYOND_SAMPLE)])},
     {"metric": "mrr(ties='key')", "group": "y", "tie_key": "u"}, ["tie_key", "too many digits"]),
    *(({f"a.{ending}": log(ending, y=[label] * BEYOND_SAMPLE + [late])}, {}, fragments) for ending in ("csv", "json")
      for label, late, fragments in ((0, 0.4, ["label", "'y'", "0.4"]), (True, 2, []))),
]  # fmt: skip


def write_texts(folder: Path, files: dict[str, str]) -> list[Any]:
    """Write the files; return lists and folders that contain all of them."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_text(folder / name, text)
    paths = [folder / name for name in files]
    return [paths, *([paths[::-1], folder] if len(files) > 1 else [])]


@pytest.mark.parametrize(("files", "by", "expected"), quick_every(18, TEXT_FILES))
def test_text_files_are_read_as_written(
    files: dict[str, str], by: str, expected: dict[Any, int], tmp_path: Path
) -> None:
    for data in write_texts(tmp_path, files):
        assert slice_counts(data, by) == expected
    if by in ("u", "p"):
        assert {*sqlmetrics.per_group(data, "gauc", group=by, **ROLES)[by]} == {*expected}


@pytest.mark.parametrize(("files", "options", "fragments"), quick_every(6, INVALID_TEXT_FILES))
def test_invalid_text_files_are_rejected(
    files: dict[str, str], options: dict[str, Any], fragments: list[str], tmp_path: Path
) -> None:
    for data in write_texts(tmp_path, files):
        with pytest.raises(SqlMetricsError, match=r"^[^\n]*$") as caught:
            auc(data, **options)
        assert [word for word in fragments if word not in str(caught.value)] == []
    if "#" in files.get("a.csv", ""):
        rows = re.findall(r"^[01],", files["a.csv"], re.MULTILINE)
        query = f"select * from read_csv('{tmp_path}/a.csv', comment = '#')"
        assert sqlmetrics.copc(query, **ROLES)["n"].tolist() == [len(rows)]


# Names that differ only in case, and duplicate names

CASES = {"Clicked": [0, 1, 1, 0], "clicked": [1, 0, 0, 1], "s": [0.1, 0.6, 0.5, 0.2], "y": [0, 1, 1, 0]}


def _table(path: Path, columns: dict[str, Any]) -> Path:
    pa.parquet.write_table(pa.table(columns), path)
    return path


def _query(columns: dict[str, Any]) -> str:
    names = ", ".join(f'col{number} as "{name}"' for number, name in enumerate(columns))
    return f"select {names} from (values {', '.join(map(str, zip(*columns.values(), strict=True)))})"


FORMS: dict[str, Callable[[Path, dict[str, Any]], Any]] = {
    "parquet": lambda folder, columns: _table(folder / "case.parquet", columns),
    "csv": lambda folder, columns: write_text(folder / "case.csv", text_of("csv", columns)),
    "json": lambda folder, columns: write_text(folder / "case.json", text_of("json", columns)),
    "pandas": lambda _, columns: pd.DataFrame(columns),
    "polars": lambda _, columns: polars.DataFrame(columns),
    "arrow": lambda _, columns: pa.table(columns),
    "query": lambda _, columns: _query(columns),
    "relation": lambda _, columns: duckdb.connect().sql(_query(columns)),
}


@pytest.mark.parametrize("form", quick_every(4, FORMS))
def test_names_that_differ_in_case_only_are_rejected_where_they_are_read(form: str, tmp_path: Path) -> None:
    for names in (["Clicked", "clicked", "s", "y"], ["clicked", "Clicked", "s", "y"]):
        data = FORMS[form](tmp_path, {name: CASES[name] for name in names})
        for name in names[:2]:
            fragments = (f"'{name}' is the name of several columns, in upper or lower case: rename one of them",)
            assert_rejected(BadData, data, "label", *fragments, label=name)
            assert_rejected(BadData, data, *fragments, label=f"= 1 - {name}")
        assert_rejected(BadData, data, "by", *fragments, by=name)
    assert_rejected(BadParameter, data, "label", "'CLICKED'", "'Clicked'", "'clicked'", label="CLICKED")
    assert_rejected(MissingColumn, data, "'Clicked_1'", label="Clicked_1")
    assert auc(data, label="Y", score="S", where="s > 0") == 1.0, "any case of a name without rivals is accepted"
    data = FORMS[form](tmp_path, {"É": CASES["y"], "é": CASES["clicked"], "s": CASES["s"]})
    assert auc(data, label="É") == roc_auc_score(CASES["y"], CASES["s"]), "the engine folds no other letters"


def test_duplicate_column_names_are_rejected(tmp_path: Path) -> None:
    table = pa.table([[0, 1], [1, 0], [0.1, 0.2]], names=["y", "y", "s"])
    pa.parquet.write_table(table, tmp_path / "twice.parquet")
    path = write_text(tmp_path / "twice.csv", "y,y,s\n0,1,0.1\n1,0,0.2\n")
    frame = pd.DataFrame([[0, 1, 0.1], [1, 0, 0.2]], columns=["y", "y", "s"])
    query = "select a as y, b as y, s from (values (0, 1, 0.1), (1, 0, 0.2)) as t(a, b, s)"
    for data in (tmp_path / "twice.parquet", path, frame, table, query, duckdb.connect().sql(query)):
        assert_rejected(BadData, data, "label", "'y'", "several")
        assert auc(data, label="= s > 0.15") == 1.0


#: Columns of two files, and those that are readable in both.
SIMILAR_NAMES = [
    ("Y y z s", "Y y z s", "z"), ("Y y z s", "y Y z s", ""), ("Y y z s", "y z s", ""), ("z s", "Y y z s", ""),
    ("Y z s", "y z s", "z y"), ("y y_1 s", "y_1 s y", "y y_1"), ("y Y_1 Y z s", "y Y_1 Y z s", "Y_1 z"),
]  # fmt: skip


@pytest.mark.parametrize(("names", "form"), quick_every(7, itertools.product(SIMILAR_NAMES, ["parquet", "csv"])))
def test_ambiguous_names_of_several_files_are_rejected(names: tuple[str, str, str], form: str, tmp_path: Path) -> None:
    """The engine matches the columns of different files by case-insensitive names."""
    first, second, readable = map(str.split, names)
    labels = {"Y": [1, 0, 0], "y": [0, 1, 1], "y_1": [1, 1, 0], "Y_1": [1, 1, 0], "z": [0, 1, 1], "u": [1, 1, 1]}
    columns = {**labels, "s": [0.25, 0.5, 0.75]}
    if set(first) - set(second) == {"Y"}:
        columns["Y"] = labels["y"]
    paths = []
    for number, header in enumerate((first, second)):
        folder = tmp_path / str(number)
        folder.mkdir()
        paths.append(FORMS[form](folder, {name: columns[name] for name in header}))
    for data in (paths, paths[::-1]):
        for name in {*first, *second} - {"s", "u"}:
            if name in readable:
                assert auc(data, label=name) == roc_auc_score(labels[name] * 2, columns["s"] * 2)
            elif name != "Y" or "y" not in readable:
                assert_rejected(BadData, data, "rename one of them", label=name)


# Paths, folders and standard input

#: Names that a pattern, the shell or a URL would change.
HOSTILE_NAMES = ["a[1]", "a*", "a?", "[a]", "a]b", "{a,b}", "it's", 'a"b', "ä ö", "a%20b", "a#b", "-", "~", "a;b",
                 "$HOME", "k=v"]  # fmt: skip


@pytest.mark.parametrize(("ending", "step"), [("parquet", 4), *slow(("parquet", 1), ("csv", 3))])
def test_name_of_an_existing_file_is_not_a_pattern(ending: str, step: int, tmp_path: Path) -> None:
    """Files that each name would match as a pattern hold other numbers."""
    for decoy in ("a1", "ab", "a", "b"):
        write_labels(tmp_path / f"{decoy}.{ending}", [1, 0])
    other = write_labels(tmp_path / f"other.{ending}", [0, 1])
    for name in HOSTILE_NAMES[::step]:
        path = write_labels(tmp_path / f"{name}.{ending}", [0, 1])
        if duckdb.__version__ < "2" and set(name) & set("*?["):
            assert_rejected(BadData, path, "takes the name for a pattern; rename the file")
        else:
            assert auc(str(path)) == 1.0, name
            assert sqlmetrics.auc([path, other], **ROLES).to_numpy().tolist() == [[4, 1.0]], name
            path.unlink()


def test_folder_of_partitions_is_read(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    for day, country, label in (("2024-01-01", "de", [0, 1]), ("2024-01-02", "fr", [1, 0])):
        folder = lake / f"day={day}" / f"country={country}"
        folder.mkdir(parents=True)
        write_parquet(folder / "part-0.snappy.parquet", y=label)
        (folder / ".part-0.snappy.parquet.crc").write_bytes(b"x")
    (lake / "_SUCCESS").touch()
    (lake / "_metadata").write_bytes(b"PAR1")
    for data in (str(lake), [lake]):
        result = sqlmetrics.auc(data, by="country", **ROLES)
        assert result.to_numpy().tolist() == [["de", 2, 1.0], ["fr", 2, 0.0]]
    assert len(sqlmetrics.auc(lake, by="day", **ROLES)) == 2
    (lake / "_delta_log").mkdir()
    assert_rejected(BadData, lake, "Delta")


def test_files_passed_twice_are_rejected(tmp_path: Path) -> None:
    a, b = (write_parquet(tmp_path / f"{name}.parquet") for name in "ab")
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "latest.parquet").symlink_to(b)
    for data in ([a, str(tmp_path / "*.parquet")], [a, tmp_path / "link" / ".." / "a.parquet"], [tmp_path]):
        assert_rejected(BadData, data, "is given twice", "would count twice")
    assert sqlmetrics.auc([a, b], **ROLES)["n"].tolist() == [4]


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_standard_input_is_read(ending: str, tmp_path: Path) -> None:
    content = write_labels(tmp_path / f"a.{ending}", [0, 1]).read_bytes()
    prefixes = ["\ufeff", "\n" * 100, " " * 5000, "\ufeff\n"] if ending == "json" else []
    for text in (content, *(prefix.encode() + content for prefix in prefixes)):
        result = shell_auc("-", "--format", "csv", input=text)
        assert (result.stdout, result.stderr) == ("n,auc\n2,1.0\n", "")


def test_errors_name_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    compressed = "error: -: standard input is compressed; unpack it"
    for content, message in (
        (b"", "standard input is empty"), (b"y,s,n\n0,0.1,\xe9\n1,0.2,\xe9\n", "standard input"),
        (gzip.compress(b"y,s\n1,0.5\n", mtime=0), compressed), (b"\x28\xb5\x2f\xfd\x04\x00", compressed),
    ):  # fmt: skip
        result = shell_auc("-", input=content)
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr
        assert "/" not in result.stderr.partition("standard input")[0]
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(BadData, match=r"^-: standard input is closed"), standard_input(["-"]):
        pass


def test_encodings_of_files_and_paths(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("y,s\n0,0.1\n1,0.2\n".encode("utf-16"))
    assert auc(path) == auc(write_parquet(tmp_path / "part-00000")) == 1.0
    path.write_bytes("y,s,n\n0,0.1,\u00e9\n1,0.2,\u00e9\n".encode("latin-1"))
    assert_rejected(BadData, path, "a.csv", "utf-8")
    undecodable = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv"))
    assert_rejected(BadData, write_text(undecodable, "y,s\n0,0.1\n1,0.2\n"), "UTF-8")
    for options in ({"label": "\ud800"}, {"where": "s > '\ud800'"}, {"by": "= '\ud800'"}, {"data": "\ud800.parquet"}):
        with pytest.raises(SqlMetricsError):
            auc(**{"data": LOG, **options})


# Numbers that doubles cannot represent


def test_wide_numbers_are_exact_classes_and_no_scores() -> None:
    first = 2**100 + 1
    with duckdb.connect() as con:
        con.execute(f"create table log as select {first} + r // 2 as wide, r % 2 as y from range(4) as t(r)")
        classes = sqlmetrics.class_report("log", label="wide", prediction="wide", con=con)
        assert sorted(map(str, classes["class"])) == [str(first), str(first + 1)]
        assert_rejected(BadData, "log", "score", "'wide'", "HUGEINT", "tie", score="wide", con=con)


@pytest.mark.parametrize(("wide", "dtype"), [(2**24, pa.float32()), (2**53, pa.float64())])
def test_keys_that_round_to_the_same_fraction_are_rejected(wide: int, dtype: pa.DataType) -> None:
    """Integers are compared with FLOAT and DOUBLE, in a further relation and as classes."""
    ids = pa.array([wide, wide + 1, wide + 2])
    fractions = ids.cast(dtype, safe=False)
    log = pa.table({"q": [1, 1, 1], "d": ids, "s": [0.9, 0.8, 0.1]})
    for ours, theirs in ((ids, fractions), (fractions, ids)):
        data, catalog = log.set_column(1, "d", ours), pa.table({"d": theirs})
        with pytest.raises(
            BadData, match=r"item: column 'd' is .* in the data and .* in catalog, where different numbers"
        ):
            sqlmetrics.coverage(data, catalog=catalog, group="q", item="d", score="s")
        with pytest.raises(BadData, match=r"label: 'y' is .*, and prediction: 'p' is .*, where different numbers"):
            sqlmetrics.micro_f1(pa.table({"y": ours, "p": theirs}), label="y", prediction="p")
    small = pa.table({"y": [1, 2, 3], "p": pa.array([1, 3, 3], dtype)})
    assert sqlmetrics.micro_f1(small, label="y", prediction="p")["micro_f1"][0] == 2 / 3


def test_classes_of_text_and_numbers_are_rejected(tmp_path: Path) -> None:
    """The class '01' differs from 1."""
    path = write_text(tmp_path / "classes.csv", "y,p\n1,01\n2,2\n")
    for data in (path, pd.DataFrame({"y": [1, 2], "p": ["01", "2"]})):
        with pytest.raises(BadData, match=r"label: 'y' is BIGINT, and prediction: 'p' is VARCHAR; .* as in label="):
            sqlmetrics.micro_f1(data, label="y", prediction="p")
        assert sqlmetrics.micro_f1(data, label="= cast(y as varchar)", prediction="p")["micro_f1"][0] == 0.5


# Missing values and random rows

MISSING = {"y": [0, 1, 0, 1, 0, 1], "s": [0.1, 0.9, 0.2, 0.8, 0.3, 0.7], "u": [1.0, 1.0, 2.0, 2.0, NAN, NAN]}


@pytest.mark.parametrize("form", ["parquet", *slow("pandas", "polars")])
def test_nan_is_a_missing_group(form: str, tmp_path: Path) -> None:
    columns = {**MISSING, "u": pa.array(MISSING["u"], pa.float32(), from_pandas=False)}
    data = FORMS[form](tmp_path, columns if form == "parquet" else MISSING)
    with pytest.warns(sqlmetrics.DroppedRows, match="group .* in 2 rows"):
        assert sqlmetrics.gauc(data, group="= u * 1", **ROLES)["n"].tolist() == [4]
    with pytest.warns(sqlmetrics.DroppedRows, match="group .* in 2 rows"):
        assert len(sqlmetrics.per_group(data, "gauc", group="u", **ROLES)) == 2
    with pytest.warns(sqlmetrics.DroppedRows, match="field .* in 2 rows"):
        assert sqlmetrics.field_rce(data, field="u", **ROLES)["n"].tolist() == [4]
    for by in ("u", "x = u + 0 -- a comment"):
        assert slice_counts(data, by) == {1: 2, 2: 2, None: 2}


RANDOM_ROWS = {
    "sample": "select * from log using sample 50% (bernoulli)",
    "condition": "select * from log where random() < 0.5", "column": "select y, u, s * random() as s from log",
}  # fmt: skip


@pytest.mark.parametrize("name", quick_every(3, RANDOM_ROWS))
def test_random_data_are_drawn_once(name: str) -> None:
    query = RANDOM_ROWS[name]
    with duckdb.connect() as con:
        con.execute("create table log as select range % 2 as y, range / 1000 as s, range // 4 as u from range(1000)")
        con.execute(f"create view drawn as {query}")
        for data in (con.sql(query), query, "drawn"):
            options = {"label": "y", "score": ["s", "t = s"], "con": con if isinstance(data, str) else None}
            result = sqlmetrics.evaluate(data, ["auc", "gauc", "copc"], group="u", diagnostics=True, **options)
            assert list(result["n"]) == list(result["rows_read"])
            columns = list(result.columns.drop("model"))
            pd.testing.assert_series_equal(result.loc[0, columns], result.loc[1, columns], check_names=False)
        result = sqlmetrics.evaluate("log", "auc, ece", where="random() < 0.5", diagnostics=True, con=con, **ROLES)
        assert result["n"][0] == result["rows_read"][0]
        judgments = "select 1 as u, 1 as d, 1 as y where random() < 2"
        with pytest.raises(BadParameter, match="judgments: its rows are drawn at random"):
            sqlmetrics.ndcg("select *, 1 as d from log", judgments=judgments, group="u", item="d", con=con, **ROLES)


# TREC

RUN = "q1 Q0 a 1 3.5 t\nq1 Q0 b 2 2.5 t\nq2 Q0 a 1 1.5 t\n"
QRELS = "q1 0 b 1\nq2 0 a 1\n"
TREC_ROLES = {"label": "relevance", "score": "score", "group": "topic", "item": "docno"}
TREC_NAMES = ["r", "r.txt", "r.run", "r.test", "r.tsv", "r.trunc", "r.trec", "r.gz", "input.x.gz", "r.2"]
TREC_HEADS = ["", "\n\n", "# a comment\n", "\ufeff", "\n# 1 b 1\n  \n"]


@pytest.mark.parametrize(("name", "head"), quick_every(5, zip(TREC_NAMES, TREC_HEADS * 2, strict=False)))
def test_trec_files_are_recognized_by_content(name: str, head: str, tmp_path: Path) -> None:
    run, qrels = (
        write_text(tmp_path / file, (head + text).replace(" ", "\t" if name.endswith("tsv") else " "))
        for file, text in ((name, RUN), (f"judged-{name}", QRELS))
    )
    assert sqlmetrics.mrr(run, judgments=qrels, **TREC_ROLES)["mrr"][0] == 0.75


@pytest.mark.parametrize(("lines", "message"), [
    (RUN + "q1 Q0 c 3\n", "begins as a TREC run, and goes on with another line: q1 Q0 c 3"),
    (QRELS + "q3 0 c\n", "begins as a TREC qrels file, and goes on with another line: q3 0 c"),
    (RUN * 50 + "q1 Q0 c 3 high t\n", "the score of a line is no number: high"),
    (RUN * 50 + "q1 Q0 c first 0.5 t\n", "the rank of a line is no number: first"),
])  # fmt: skip
def test_malformed_lines_of_trec_files_are_rejected(lines: str, message: str, tmp_path: Path) -> None:
    path = write_text(tmp_path / "run", lines)
    with pytest.raises(SqlMetricsError, match=re.escape(f"{path}") + ".*" + re.escape(message)):
        sqlmetrics.mrr(path, label="rank", score="score", group="topic")


# Columns of frames: types without a counterpart, and Python objects


_TIME, _LATER = pd.Timestamp("2026-01-01"), pd.Timestamp("2026-01-01") + pd.Timedelta(1, "ns")
#: Objects without a common type: the frequent one, a rare one, and words of the error.
INCOMPATIBLE_OBJECTS: list[tuple[Any, Any, list[str]]] = [
    (2**60 + 1, 1.5, ["1152921504606846977"]), (1, True, ["bool and int"]), (1, Decimal(2), ["Decimal and int"]),
    (0.5, Decimal("0.1"), ["Decimal and float"]), (Decimal("0.1"), Decimal("Infinity"), ["infinite decimals"]),
    (Decimal(10**30), Decimal("1e-20"), ["38 digits"]),
    (dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 23), ["date", "datetime"]),
    ([1], [0.5], ["list: write numpy.array"]), (np.array([1]), {"a": 1}, ["dict and ndarray"]),
    (np.array([1]), np.array([0.5]), ["arrays of float64 and int64"]), (np.array(["a", 1], object), None, ["object"]),
    (_TIME, _LATER, ["nanoseconds"]),
    (np.datetime64("2026"), None, ["nanoseconds"]), (_LATER, dt.datetime(1066, 10, 14), ["nanoseconds"]),
]  # fmt: skip
_NUMBERS = [1, 1.5, 2**70, Decimal("1.5"), Decimal(2**70)]
_OTHERS = ["a", True, np.array([1]), dt.date(2020, 1, 1), b"a", _TIME]
_MISSING = [(missing, number) for missing in (None, NAN, pd.NA, pd.NaT) for number in _NUMBERS]
_MISSING += [(Decimal("NaN"), value) for value in _NUMBERS + _OTHERS]


#: Columns of frames, with the rows of their slices or words of the error.
FRAME_COLUMNS: list[tuple[Any, list[Any]]] = [
    ([1, "1"], ["holds int and str"]), (pa.nulls(2), [2]), ([None, None], [2]), ([object(), {1, 2}], [1, 1]),
    # pandas and the engine turn integers into doubles if one is missing, as after a left join.
    (pd.Series([2**60, 2**60 + 1] * 2).astype("category").reindex(range(5)), [2, 2, 1]),
    (pd.Series([2**60, 2**60 + 1, None], dtype=pd.ArrowDtype(pa.int64())), [1, 1, 1]),
    (polars.Series([2**60, 2**60 + 1, None]), [1, 1, 1]), (pa.array([2**60, 2**60 + 1, None]), [1, 1, 1]),
    *((polars.Series([2**126, 2**126 + 1], dtype=getattr(polars, dtype)), [1, 1])
      for dtype in ("Int128", "UInt128") if hasattr(polars, dtype)),  # older versions of polars have neither
    (pa.array(np.array([1, 2], np.float16)), ["cannot be read"]),
    (polars.Series([object(), object()], dtype=polars.Object), ["cannot be read"]),
    (pd.arrays.SparseArray([0, 1]), ["no type for Sparse[int64, 0]; convert it, as with .astype(str)"]),
    *(([Decimal("sNaN"), value, value], ["holds Decimal('sNaN')"]) for value in [1, 1.5, *_OTHERS]),
    *(([missing, value, value], [2, 1]) for missing, value in _MISSING),
    *(([usual] * row + [rare] + [usual] * (5999 - row), ["by: ", "holds", *fragments])
      for usual, rare, fragments in INCOMPATIBLE_OBJECTS for row in (1, 4444)),
]  # fmt: skip


@pytest.mark.parametrize("number", quick_every(11, range(len(FRAME_COLUMNS))))
def test_columns_of_frames_are_read_or_rejected_where_they_are_read(number: int) -> None:
    """The engine inspects some of the objects, and would cast the others to their type."""
    column, expected = FRAME_COLUMNS[number]
    label = [row % 2 for row in range(len(column))]
    columns = {"y": label, "s": label, "odd": pd.Series(column, dtype=object) if isinstance(column, list) else column}
    frames = {pa.Array: pa.table, pa.NullArray: pa.table, polars.Series: polars.DataFrame}
    data = next((make for cls, make in frames.items() if isinstance(column, cls)), pd.DataFrame)(columns)
    for form in (data, data.lazy()) if isinstance(column, polars.Series) and column.dtype != polars.Object else (data,):
        assert auc(form) == 1.0
        if isinstance(expected[0], str):
            assert_rejected(BadData, form, "column 'odd'", *expected, by="odd")
        else:
            assert sqlmetrics.auc(form, by="odd", **ROLES)["n"].tolist() == expected


@pytest.mark.parametrize("row", [7, *slow(5999)])
def test_numbers_as_objects_are_not_cast_to_the_first_type(row: int) -> None:
    """The engine inspects only some of the objects."""
    label: list[Any] = [0, 1] * 3000
    score: list[Any] = [0, 1] * 3000
    score[row] = 0.4
    data = pd.DataFrame({
        "y": label, "plain": pd.Series(score, dtype=object),
        "in_array": [np.array([s, 1.0]) for s in score],
    })  # fmt: skip
    models = ["plain", "in_array[1]"]
    scores = [f"model_{number} = {model}" for number, model in enumerate(models)]
    result = sqlmetrics.evaluate(data, ["auc", "mae"], label="y", score=scores)
    assert result["auc"].tolist() == pytest.approx([roc_auc_score(label, score)] * 2, abs=1e-12)
    assert result["mae"].tolist() == pytest.approx([(0.6 if label[row] else 0.4) / 6000] * 2, abs=1e-12)


#: Decimals as database drivers return them, by row number.
DECIMALS: dict[str, Callable[[int], Decimal]] = {
    "scores": lambda row: Decimal("0.5") + Decimal(row * 7919 % 2999) / 10**12,
    "more places later": lambda row: Decimal(row * 7919 % 2999 + 1) / (10 if row < 2000 else 10**6),
    "more digits later": lambda row: Decimal(row * 7919 % 2999) * (1 if row < 2000 else 10**6),
    "long with places": lambda row: Decimal("12345678901234567890.0123456") + row % 3,
    "exponents": lambda row: Decimal(f"{row % 7}E+{row % 5}"),
}


@pytest.mark.parametrize(
    ("name", "other", "row"), quick_every(12, pairwise([*DECIMALS], [None, NAN, pd.NA, Decimal("NaN")], [5, 2998]))
)
def test_decimals_as_objects_keep_their_values(name: str, other: Any, row: int) -> None:
    """The engine would convert some to FLOAT and truncate others."""
    column: list[Any] = [DECIMALS[name](number) for number in range(3000)]
    column[row] = other
    data = pd.DataFrame({"y": [0, 1] * 1500, "s": 0.5, "odd": pd.Series(column, dtype=object)})
    number = (lambda value: value) if name.startswith("long") else float
    present = [number(value) for at, value in enumerate(column) if at != row]
    assert slice_counts(data, "odd") == {**Counter(present), None: 1}
    if number is float:
        mae = np.mean([abs(float(value) - at % 2) for at, value in enumerate(column) if at != row])
        with pytest.warns(sqlmetrics.DroppedRows):
            assert auc(data, "mae", label="odd", score="y") == pytest.approx(mae, rel=1e-12)


# Relations, connections and streams


def test_unreadable_relations_are_rejected() -> None:
    con = duckdb.connect()
    con.execute("create table log as select range as y, range as s, range as d from range(2)")
    relation = con.sql("select * from log")

    def assert_both_rejected(error: type[SqlMetricsError], *fragments: str) -> None:
        assert_rejected(error, relation, "data", "relation", *fragments)
        with pytest.raises(error, match="data: the relation"):
            sqlmetrics.coverage(relation, catalog=pd.DataFrame({"d": [1]}), group="y", item="d", score="s")

    if duckdb.__version__ >= "2":
        con.execute("select 1")
        assert_both_rejected(BadParameter, "a pending result")
        con.fetchall()
    con.execute("drop table log")
    assert_both_rejected(BadData, "log")
    con.close()
    assert_both_rejected(BadData, "closed")


@pytest.mark.slow
def test_connections_and_relations_are_shared_by_threads() -> None:
    """Each call reads a different table, some of them a temporary one."""
    with duckdb.connect() as con, ThreadPoolExecutor(8) as pool:
        tables = {f"log_{number}": number + 5 for number in range(8)}
        for name, rows in tables.items():
            con.execute(f"create table {name} as select i % 2 as y, i % 7 as s from range({rows}) r(i)")
        con.execute("create temp table small as from log_0")
        tables["small"] = 5
        results = list(pool.map(lambda table: sqlmetrics.auc(table, con=con, **ROLES)["n"][0], [*tables] * 2))
        assert results == [*tables.values()] * 2
        assert len({*pool.map(auc, [con.table("log_7")] * 8)}) == 1
        frames = [pd.DataFrame({"y": [0, 1], "s": [0.5, number]}) for number in range(16)]  # on the shared engine
        assert [*pool.map(lambda data: auc(data, "mae"), frames)] == [(0.5 + abs(n - 1)) / 2 for n in range(16)]
        assert con.sql("select view_name from duckdb_views() where view_name like 'sqlmetrics%'").fetchall() == []


@pytest.mark.skipif(duckdb.__version__ < "2", reason="DuckDB 1 does not report that a result is not read to its end")
def test_open_result_of_a_connection_is_preserved() -> None:
    with duckdb.connect() as con:
        con.execute("create table log as select range % 2 as y, range as s from range(10)")
        con.execute("select * from range(100000)")
        assert con.fetchone() == (0,)
        assert_rejected(BadParameter, "log", "con", "a pending result", "cursor()", con=con)
        assert len(con.fetchall()) == 99_999
        assert auc("log", con=con.cursor()) == auc("log", con=con)


def test_failed_calls_leave_the_connection_usable() -> None:
    with duckdb.connect() as con:
        assert_rejected(BadData, "nowhere", "nowhere", con=con)
        con.execute("create table log as select 1 as y")
        assert_rejected(MissingColumn, "log", "'s'", con=con)
        con.register("theirs", LOG)
        assert auc("theirs", con=con) == auc(LOG, con=con)
        con.execute("begin")
        con.execute("create table mine as select 1 as a")
        assert_rejected(QueryFailed, LOG, "nonsense", con=con, where="error('nonsense') is null")
        assert_rejected(BadParameter, LOG, "transaction", con=con)
        con.execute("rollback")
        assert auc(LOG, con=con) == 0.75


def instance(name: str, module: str, /, **attributes: Any) -> Any:
    """An object of a class of another package."""
    return type(name, (), {"__module__": module, **attributes})()


def test_connections_of_other_packages() -> None:
    closed = duckdb.connect()
    closed.close()
    other = instance("Backend", "ibis.backends")
    for option, con, message in (
        ("con", "x", "str"), ("con", closed, "closed"), ("con", sqlite3.connect(":memory:"), "DBAPI"),
        ("con", other, "Backend"), ("engine", other, "DBAPI(connection, dialect) around its connection"),
        ("engine", duckdb.connect(), "DuckDB(…) around it"),
    ):  # fmt: skip
        assert_rejected(BadParameter, LOG, option, message, **{option: con})


class ArrowStream:
    """A stream of another package that has only Arrow's interface."""

    def __init__(self, reader: pa.RecordBatchReader) -> None:
        self.__arrow_c_stream__ = reader.__arrow_c_stream__


@pytest.mark.parametrize("stream", [lambda reader: reader, ArrowStream, pyarrow.dataset.Scanner.from_batches],
                         ids=["reader", "stream", "scanner"])  # fmt: skip
def test_streams_are_read_once(stream: Callable[[pa.RecordBatchReader], Any]) -> None:
    table = pa.Table.from_pandas(LOG)
    data = stream(pa.RecordBatchReader.from_batches(table.schema, table.to_batches()))
    result = sqlmetrics.evaluate(data, ["auc", "mae", "ks"], diagnostics=True, **ROLES)
    assert (result["auc"][0], result["n"][0], result["rows_read"][0]) == (0.75, len(LOG), len(LOG))
    assert_rejected(BadData, data, "data", "stream")
    assert auc(instance("Table", "ibis", to_pyarrow=lambda _: table)) == 0.75


# Dates and times outside the range of pandas and Python


ODD_VALUES = [
    *((dtype, "infinity") for dtype in ("date", "timestamp", "timestamptz", "timestamp_s", "timestamp_ns")),
    *((dtype, day) for dtype in ("date", "timestamp", "timestamptz") for day in ("0044-03-15 (BC)", "12000-01-01")),
    ("timestamp", "-infinity"), ("bit", "0101"), ("timetz", "10:00:00+01:00"), ("time_ns", "10:00:00.123456789"),
    ("uhugeint", "7"),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "text"), quick_every(5, ODD_VALUES))
def test_slices_without_a_type_in_python_are_rejected(dtype: str, text: str) -> None:
    """DuckDB would return an extreme date in place of an infinite one; with a HUGEINT it fetches differently."""
    with duckdb.connect() as con:
        con.execute("set TimeZone = 'UTC'")
        for other, connection in (("1", None), ("1::hugeint", con)):
            data = f"select '{text}'::{dtype} as d, {other} as b, y, s from (values (0, 0.1), (1, 0.9)) as t(y, s)"
            with pytest.raises(BadData, match=r"column 'd' .* as in by=\"d = cast\(d as varchar\)\""):
                sqlmetrics.evaluate(data, "auc", by=["d", "b"], con=connection, **ROLES)
            result = sqlmetrics.evaluate(data, "auc", by=["d = cast(d as varchar)", "b"], con=connection, **ROLES)
            assert result["auc"].tolist() == [1.0]


def test_the_last_and_the_first_day_are_slices() -> None:
    days = ["0001-01-01", "9999-12-31"]
    data = f"select unnest(['{days[0]}', '{days[1]}'])::date as d, 1 as y, 0.9 as s"
    for call in (data, f"select *, 1::hugeint as b from ({data})"):
        result = sqlmetrics.evaluate(call, "error_rate", by=["d", *(["b"] if call != data else [])], **ROLES)
        assert [str(day)[:10] for day in result["d"]] == days


@pytest.mark.parametrize("cast", [
    "t::date", "t::timestamp", "t::varchar", "try_cast(t as date)", "t::timestamptz::date", "q::int", "q::varchar",
    "try_cast(q as int)", "i::varchar", "b::int", "b::varchar", "d::timestamp", "x::varchar", "try_cast(x as double)",
])  # fmt: skip
@pytest.mark.filterwarnings("ignore::sqlmetrics.DroppedRows")
def test_casts_of_text_files_are_those_of_parquet(cast: str, tmp_path: Path) -> None:
    """Of a column that nothing else reads, in a file and in a view: DuckDB 2 casts the text itself."""
    (tmp_path / "log.csv").write_text(
        "t,q,i,b,d,x,y,s,u\n"
        "2026-03-28 00:20:20+01:00,1.50,10,true,2026-03-28,1.0,1,0.9,a\n"
        "2026-03-28 00:40:00+01:00,2.50,+10,FALSE,2026-03-28,x,0,0.1,b\n"
        "2026-03-28 12:28:28+01:00,0.5,7,true,2026-03-29,1.00,1,0.3,c\n"
        "2026-03-28 13:10:53+01:00,-0.5,8,true,2026-03-29,,0,0.4,d\n"
    )
    text, parquet = (str(tmp_path / f"log.{ending}") for ending in ("csv", "parquet"))
    duckdb.sql(f"copy (from '{text}') to '{parquet}'")
    calls: list[dict[str, Any]] = [
        {"by": f"c = {cast}"}, {"by": [[], [f"c = {cast}"]]}, {"group": f"= {cast}", "metrics": "gauc"},
        {"confidence": 0.9, "cluster": f"= {cast}"}, {"where": f"({cast})::varchar < '2026-03-28'"},
    ]  # fmt: skip
    with duckdb.connect() as con:
        con.execute(f"set TimeZone = 'UTC'; create view log as from '{text}'")
        for call in calls:
            arguments = {"metrics": "auc", **ROLES, **call}
            expected = sqlmetrics.evaluate(parquet, **arguments)
            for result in (sqlmetrics.evaluate(text, **arguments), sqlmetrics.evaluate("log", con=con, **arguments)):
                pd.testing.assert_frame_equal(result, expected, check_dtype=False, obj=str(call))
        assert auc(text, label="b") == auc(parquet, label="b") == auc("log", label="b", con=con)


@pytest.mark.parametrize(("role", "unknown", "aggregate"), [
    ("label", "= clik > 0", "= max(y)"), ("score", "= clik * 2", "= sum(s)"), ("where", "clik > 1", "count(*) > 1"),
    ("by", "d = clik", "x = count(*)"), ("group", "= clik", "= max(y)"),
])  # fmt: skip
def test_invalid_expressions_name_the_role(role: str, unknown: str, aggregate: str) -> None:
    metric = "gauc" if role == "group" else "auc"
    broken = f"{aggregate.partition('(')[0]} +"
    missing = "there is no column 'clik'.* y, s"
    for text, message in {unknown: missing, aggregate: ".* is an aggregate", broken: ".* cannot be read"}.items():
        with pytest.raises(sqlmetrics.QueryFailed, match=rf"{role}: {message}"):
            sqlmetrics.evaluate(LOG, metric, **{**ROLES, role: text})


def test_errors_suggest_an_expression(tmp_path: Path) -> None:
    assert_rejected(BadData, LOG.assign(y=["yes", "no"] * 2), "label", "'y'", "= y = 'yes'")
    numbers = {"90%": 90, "0,08": 0.08, "0,123": 0.123, "$0.9": 0.9, "1,000": 1000, "1,000.5": 1000.5}
    for text, number in numbers.items():
        data = pd.DataFrame({"y": [1.0], "s": [text]})
        with pytest.raises(BadData) as error:
            auc(data, "mae")
        suggested = str(error.value).partition('score="')[2].rstrip('"')
        assert auc(data, "mae", score=suggested) == pytest.approx(abs(1 - number), rel=1e-12)
    for text, missing in {"NA": "NA", "NULL": "NULL", "n/a": "n/a", "it's": "NA"}.items():
        assert_rejected(BadData, LOG.assign(s=[text, *"123"]), "score", f"nullif(s, '{missing}')")
    path = write_labels(tmp_path / "a.csv", [0, 1])
    assert "--by \"x = date_trunc('day', s)\"" in shell_auc(path, "--by", "date_trunc('day', s)").stderr
