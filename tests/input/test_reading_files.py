"""How files, frames, queries and relations are read: their types, names and paths, and values that are missing or odd.

Expected values come from scikit-learn on the same values, or from the same call on plain data in memory.
"""

from __future__ import annotations

import datetime as dt
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
from click.testing import CliRunner, Result
from sklearn.metrics import roc_auc_score

import sqlmetrics
from sqlmetrics import BadData, BadParameter, MissingColumn, SqlMetricsError
from sqlmetrics.cli.inputs import standard_input
from sqlmetrics.cli.main import main
from tests.parameters import pairwise, quick_every, slow

ROLES = {"label": "y", "score": "s"}
LOG = pd.DataFrame({"y": [0, 1, 0, 1], "s": [0.1, 0.9, 0.8, 0.2]})
NAN = float("nan")
#: More rows than the sample from which the engine infers the types of a text file.
BEYOND_SAMPLE = 30_000


def auc(data: Any, **options: Any) -> float:
    return float(sqlmetrics.auc(data, **{**ROLES, **options})["auc"][0])


def slice_counts(data: Any, column: str = "u") -> dict[Any, int]:
    sliced = sqlmetrics.copc(data, by=column, **ROLES)
    return dict(zip(sliced[column], sliced["n"], strict=True))


def assert_rejected(error: type[SqlMetricsError], data: Any, *words: str, **options: Any) -> None:
    """The call fails with this error, in one line that contains the words."""
    with pytest.raises(SqlMetricsError) as caught:
        auc(data, **options)
    message = str(caught.value)
    assert type(caught.value) is error, f"{type(caught.value).__name__}: {message}"
    assert "\n" not in message
    assert [word for word in words if word not in message] == [], message


def shell(*arguments: str, input: bytes | None = None) -> Result:
    return CliRunner().invoke(main, list(arguments), input=input, prog_name="sqlmetrics")


def shell_auc(data: Any, *options: str, input: bytes | None = None) -> Result:
    return shell("eval", str(data), "-m", "auc", "--label", "y", "--score", "s", *options, input=input)


def write_parquet(path: Path, **columns: Any) -> Path:
    pa.parquet.write_table(pa.table(columns), path)
    return path


def write_text(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    """Write rows as CSV or as lines of JSON, whichever the name says."""
    if ".csv" in path.name:
        return write_text(path, "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]))
    return write_text(path, "\n".join(map(json.dumps, rows)))


def write_labels(path: Path, label: list[int]) -> Path:
    if path.suffix == ".parquet":
        return write_parquet(path, y=label, s=[0.1, 0.2])
    return write_rows(path, [{"y": y, "s": s} for y, s in zip(label, [0.1, 0.2], strict=True)])


# Lists of files whose types differ

LOSSLESS = {
    "int32": (pa.int32(), [1, 3, 2, 5]), "int64": (pa.int64(), [1, 3, 2, 5]), "uint64": (pa.uint64(), [1, 3, 2, 5]),
    "float32": (pa.float32(), [0.5, 2.5, 1.5, 4.5]), "float64": (pa.float64(), [0.1, 2.7, 0.3, 4.9]),
    "decimal": (pa.decimal128(12, 2), [0.25, 2.25, 1.25, 4.75]),
}  # fmt: skip


@pytest.mark.parametrize(("first", "second"), quick_every(4, itertools.combinations(LOSSLESS, 2)))
def test_auc_reads_scores_of_mixed_types(first: str, second: str, tmp_path: Path) -> None:
    label = [0, 1, 1, 0]
    columns = [pa.array(values, pa.float64()).cast(dtype) for dtype, values in (LOSSLESS[first], LOSSLESS[second])]
    paths = [write_parquet(tmp_path / f"{number}.parquet", y=label, s=column) for number, column in enumerate(columns)]
    expected = roc_auc_score(label * 2, [float(score) for column in columns for score in column.to_pylist()])
    for data in (paths, paths[::-1], str(tmp_path / "*.parquet")):
        assert auc(data) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("dtype", [pa.bool_(), pa.int32(), pa.int64()], ids=str)
def test_auc_rejects_invalid_labels_of_a_second_file(dtype: pa.DataType, tmp_path: Path) -> None:
    first = write_parquet(tmp_path / "a.parquet", y=pa.array([0, 1]).cast(dtype), s=[0.1, 0.2])
    for invalid in (2.0, 0.4):
        second = write_parquet(tmp_path / "b.parquet", y=[invalid, 1.0], s=[0.1, 0.2])
        for data in ([first, second], [second, first]):
            assert_rejected(BadData, data, "label", "'y'", str(invalid))


#: Columns of two files without a type that holds the values of both.
INCOMPATIBLE: dict[str, tuple[pa.Array, pa.Array]] = {
    "ids beyond doubles": (pa.array([2**53 + 1, 2**53 + 2]), pa.array([1.0, 2.0])),
    "text and number": (pa.array(["1", "2"]), pa.array([1, 2])),
    "timestamp and timestamptz": (pa.array([1, 2], pa.timestamp("us")), pa.array([1, 2], pa.timestamp("us", "UTC"))),
    "bytes and text": (pa.array([b"a", b"b"]), pa.array(["a", "b"])),
    "wide decimals": (pa.array([1, 2]).cast(pa.decimal128(38, 0)), pa.array([0.5, 1.5]).cast(pa.decimal128(38, 10))),
    "structs": (pa.array([{"a": 1}] * 2), pa.array([{"b": 1}] * 2)),
    # The engine would read both as FLOAT, where 0.1 is 0.100000001.
    "decimal and float": (pa.array([0.1, 0.3]).cast(pa.decimal128(9, 4)), pa.array([0.25, 0.5], pa.float32())),
}


@pytest.mark.parametrize("name", INCOMPATIBLE)
def test_incompatible_columns_are_rejected_only_where_read(name: str, tmp_path: Path) -> None:
    columns = dict(zip("ab", INCOMPATIBLE[name], strict=True))
    paths = [write_parquet(tmp_path / f"{file}.parquet", y=[0, 1], s=[0.1, 0.2], d=d) for file, d in columns.items()]
    for data in (paths, paths[::-1]):
        assert_rejected(BadData, data, "by", "'d'", "a.parquet", "b.parquet", by="d")
        assert_rejected(BadData, data, "'d'", "a.parquet", "b.parquet", where="d is not null")
        assert auc(data) == 1.0
    # Of three types the error names the text, wherever it is.
    scores = [pa.array([0, 1]).cast(dtype) for dtype in (pa.string(), pa.float64(), pa.float32())]
    paths = [write_parquet(tmp_path / f"{number}.parquet", y=[0, 1], s=s) for number, s in enumerate(scores)]
    for data in itertools.permutations(paths):
        assert_rejected(BadData, [*data], "VARCHAR", "0.parquet")


def test_compatible_columns_of_two_files_are_slices(tmp_path: Path) -> None:
    """A column of NULLs fits every type, and small whole numbers fit doubles."""
    for first, second, expected in ((pa.nulls(2), ["x", "x"], ["x", None]), ([1, 2], [1.0, 2.0], [1, 2])):
        a = write_parquet(tmp_path / "a.parquet", y=[0, 1], s=[0.1, 0.2], d=first)
        b = write_parquet(tmp_path / "b.parquet", y=[0, 1], s=[0.1, 0.2], d=second)
        for data in ([a, b], [b, a]):
            slices = sqlmetrics.auc(data, by="d", **ROLES)["d"]
            assert [None if pd.isna(value) else value for value in slices] == expected


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_types_of_a_single_file_among_many(ending: str, tmp_path: Path) -> None:
    """The engine infers types from ten of the files."""
    for odd, number in (("007", 3), (1.5, 12), (True, 3), ("u7", 12), ("2024-01-01", 3)):
        for file in range(14):
            first = {
                "user": odd if file == number else file + 100,
                "y": 1,
                "s": file / 50,
                "day": f"2024-02-{file + 1}",
            }
            write_rows(tmp_path / f"{file:02}.{ending}", [first, {"user": 5, "y": 0, "s": 0.3, "day": "2024-01-02"}])
        expected = roc_auc_score([1] * 14 + [0] * 14, [file / 50 for file in range(14)] + [0.3] * 14)
        files = sorted(tmp_path.iterdir())
        for data in (tmp_path, str(tmp_path / f"*.{ending}"), files):
            assert auc(data) == pytest.approx(expected, abs=1e-12)
            assert len(sqlmetrics.auc(data, by="user", **ROLES)) == 15
    write_rows(files[12], [{"user": 1, "y": 0.4, "s": 1, "day": "2024-01-02"}])
    for data in (files, files[::-1]):
        assert_rejected(BadData, data, "label", "'y'", "0.4")


# Columns and lines of CSV and JSON files


#: Columns of a second CSV file: in the order of the first, in others, with an additional one, in capitals.
COLUMN_ORDERS = ["y s u", "u s y", "s z u y", "z y s u", "U Y S"]


@pytest.mark.parametrize(("names", "rows"), [*((names, 2) for names in COLUMN_ORDERS), *slow(("s z u y", 30_000))])
def test_columns_of_csv_files_are_matched_by_name(names: str, rows: int, tmp_path: Path) -> None:
    columns = {"y": [0, 1] * rows, "s": [0.25, 0.5] * rows, "u": [7, 12] * rows, "z": ["x"] * 2 * rows}
    paths = [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    for path, header in zip(paths, ("y s u", names), strict=True):
        pd.DataFrame({name: columns[name.lower()] for name in header.split()}).to_csv(path, index=False)
    for data in (paths, paths[::-1]):
        label, score, user = "YSU" if names == "U Y S" and data[0] == paths[1] else "ysu"
        assert sqlmetrics.auc(data, label=label, score=score).to_numpy().tolist() == [[4 * rows, 1.0]]
        by_user = sqlmetrics.brier(data, by=user, label=label, score=score)
        assert by_user[user].tolist() == [7, 12]
        assert by_user[user].dtype == "int64"
        if "z" in names:
            assert_rejected(BadData, data, "by", "'z'", "b.csv", "not in", "a.csv", by="z")


_ROWS = "y,s,u\n1,.5,a\n0,.25,b\n1,.75,c\n"
#: Text before the header of a CSV file that is none of its rows.
PREAMBLES = {
    "title": "Report 2024\n", "two titles": "Report\nof 2024\n", "comment": "# c\n", "two comments": "# c\n# d\n",
    "separator": "sep=,\n", "two fields": "a,b\n", "blank": "\n", "two blanks": "\n\n", "title and blank": "Report\n\n",
    "quoted": '"Report, 2024"\n', "names": "s,y\n", "row": "1,.5\n", "rows": "y,s\n1,.5\n0,.25\n",
}  # fmt: skip


@pytest.mark.parametrize("name", PREAMBLES)
def test_csv_files_with_a_preamble_are_rejected(name: str, tmp_path: Path) -> None:
    """The engine would skip whatever has fewer fields than the lines below, and rows among it."""
    with_preamble = write_text(tmp_path / "a.csv", PREAMBLES[name] + _ROWS)
    plain, compressed = write_text(tmp_path / "b.csv", _ROWS), write_text(tmp_path / "c.csv.gz", _ROWS)
    lines = PREAMBLES[name].count("\n")
    words = (f"a.csv: line {lines + 1} has 3 fields", f"select * from read_csv('…', skip = {lines})")
    for data in (with_preamble, [with_preamble, plain], [compressed, with_preamble], tmp_path):
        assert_rejected(BadData, data, *words)
    expected = auc(plain)
    assert auc([plain, compressed]) == auc(f"select * from read_csv('{with_preamble}', skip = {lines})") == expected


#: Rows of a second CSV file, and the option in which it differs from the first.
OTHER_FORMATS = {
    "semicolons": (_ROWS.replace(",", ";"), "delim = ';'"), "tabs": (_ROWS.replace(",", "\t"), "delim = '\\t'"),
    "backslashes": (_ROWS + '1,.5,"a\\"b"\n', "escape = '\\'"), "no header": (_ROWS[6:], "header = false"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER_FORMATS)
def test_csv_files_of_two_formats_are_rejected(name: str, tmp_path: Path) -> None:
    text, option = OTHER_FORMATS[name]
    paths = [write_text(tmp_path / "a.csv", _ROWS), write_text(tmp_path / "b.csv", text)]
    for data in (paths, paths[::-1], tmp_path):
        assert_rejected(BadData, data, "a.csv", "b.csv", option, "write a query that reads each file")
    if name != "no header":
        assert auc(paths[1]) == auc([paths[1], write_text(tmp_path / "c.csv", text)]) == auc(paths[0])
        both = f"select * from '{paths[0]}' union all by name select * from read_csv('{paths[1]}', {option})"
        assert sqlmetrics.auc(both, **ROLES)["n"][0] == 2 * 3 + (name == "backslashes")


_WINDOWS_PATHS = 'y,s,u\n1,.5,"C:\\dir"\n0,.25,"C:dir"\n'
_DATES = {"a.csv": "y,s,d\n1,0.5,13/02/2024\n1,0.5,01/02/2024\n", "c.csv": "y,s,d\n1,0.5,2024-02-01\n"}
_LONG_IDS = [2**64 - 1, 2**64 - 2, 2**64 - 3, 10**25]
_PLAIN_ROWS = "y,s,u\n" + "1,0.5,a\n0,0.5,a\n" * 20_000
_QUOTED_ROWS = '1,0.5,"a"\n0,0.5,"b ""c"""\n0,0.5,"d,e"\n'
#: Ids of CSV files with characters that begin a comment or quote a text elsewhere.
SPECIAL_IDS = ["#1|2|3", "1|#2|3", "1|2|#3", "#1|#2|#3", "a#1|a#2|a", "# a|a|b", "//1|2|3", "%1|;2|--3",
               "'a'|a|it's", "''|a|b"]  # fmt: skip
#: Text files that are read together, a slice, and the number of rows by its values.
TEXT_FILES: dict[str, tuple[dict[str, str], str, dict[Any, int]]] = {
    **{f"{ids} {names} {ending}": (
        {f"{file}.{ending}": "\n".join([names, *(",".join({"u": u}.get(name, "1") for name in names.split(","))
                                                 for u in ids.split("|") * 2)]) for file in files},
        "u", {u: 2 * len(files) for u in ids.split('|')}
    ) for ids, names, (ending, files) in (case.values for case in pairwise(
        SPECIAL_IDS, ["u,y,s", "y,u,s", "y,s,u"], [("csv", "a"), ("csv", "ab"), ("csv.gz", "a")]))},
    "comment characters beyond the sample": ({"a.csv": "u,y,s\n" + "7,1,0.5\n" * 30_000 + "#1,1,0.5\n"}, "u",
                                             {"7": 30_000, "#1": 1}),
    **{f"dates in {by}": (files, by, expected) for files in (
        {"a.csv": "y,s,d\n1,1,2024-01-01\n1,1,2024-01-02\n", "b.csv": "y,s,d\n1,1,2024-01-02\n"},
        {"a.json": "".join(f'{{"y": 1, "s": 1, "d": "2024-01-0{day}"}}\n' for day in (1, 2, 2))}
    ) for by, expected in (("d", {pd.Timestamp(2024, 1, 1): 1, pd.Timestamp(2024, 1, 2): 2}),
                           ("m = date_trunc('month', d)", {pd.Timestamp(2024, 1, 1): 3}))},
    "timestamps": ({"a.csv": "y,s,d\n1,1,2024-01-01 10:00:00\n"}, "d", {pd.Timestamp(2024, 1, 1, 10): 1}),
    **{quoted: ({"a.csv": f"y,s,u\n1,.5,{quoted}\n0,.25,b\n", "b.csv": _WINDOWS_PATHS}, "u",
                {"C:\\dir": 1, "C:dir": 1, user: 1, "b": 1}) for quoted, user in (('"a""b"', 'a"b'), ('"a"', "a"))},
    "escaped quotes": ({"a.csv": 'y,s,u\n1,.5,"a\\"b"\n0,.25,b\n'}, "u", {'a"b': 1, "b": 1}),
    # The engine detects quotes in the first rows of the first file.
    "quotes in the second file": ({"a.csv": "y,s,u\n1,1,a\n", "b.csv": "y,s,u\n" + _QUOTED_ROWS}, "u",
                                  {"a": 2, 'b "c"': 1, "d,e": 1}),
    "quotes beyond the sample": ({"a.csv": _PLAIN_ROWS + _QUOTED_ROWS}, "u", {"a": 40_001, 'b "c"': 1, "d,e": 1}),
    # Next to names that differ in case only, the header must still be recognized.
    "header in single quotes": ({"a.csv": "U,'',u,y,s\nnan,\"[1, 2]\",1,1,0.5\nnan,\"[1, 2]\",0,0,0.5"}, "y",
                                {1: 1, 0: 1}),
    "index of pandas without a name": ({"a.csv": ",y,s,s_1\n0,1,0.5,a\n1,0,0.25,b\n"}, "s_1", {"a": 1, "b": 1}),
    "dates with slashes": ({"a.csv": _DATES["a.csv"], "b.csv": _DATES["a.csv"]}, "m = strftime(d, '%m')", {"02": 4}),
    "long ids in CSV": ({"a.csv": "y,s,u\n" + "".join(f"1,0.5,{u}\n" for u in _LONG_IDS)}, "u",
                        dict.fromkeys(_LONG_IDS, 1)),
    "long ids in JSON": ({"a.json": "\n".join(f'{{"y": 1, "s": 0.5, "u": {u}}}' for u in _LONG_IDS)}, "u",
                         {str(u): 1 for u in _LONG_IDS}),
    "a key of the last object": ({"a.json": '{"y": 1, "s": 0.5}\n' * 60_000 + '{"y": 1, "s": 0.5, "g": "z"}'}, "g",
                                 {"z": 1, None: 60_000}),
    "an empty file": ({"a.json": "", "b.json": '{"y": 1, "s": 0.5}'}, "y", {1: 1}),
    "long ids next to similar keys": ({"a.json": '{"y": 1, "s": 0.5, "U": 7, "u": 8, "v": 1' + "0" * 30 + "}"}, "v",
                                      {"1" + "0" * 30: 1}),
}  # fmt: skip


@pytest.mark.parametrize("name", quick_every(3, TEXT_FILES))
def test_text_files_are_read_as_written(name: str, tmp_path: Path) -> None:
    files, by, expected = TEXT_FILES[name]
    paths = [write_text(tmp_path / file, text) for file, text in files.items()]
    for data in (paths, paths[::-1]):
        sliced = sqlmetrics.copc(data, by=by, **ROLES)
        slices = [None if pd.isna(value) else value for value in sliced.iloc[:, 0]]
        assert dict(zip(slices, sliced["n"], strict=True)) == expected


_SIMILAR_KEYS = '{{"y": 1, "s": 0.5, "{}": 1' + "0" * 30 + ', "{}": 7}}'
#: Text files that are rejected together, options of the call, and words of the error.
INVALID_TEXT_FILES: list[tuple[dict[str, str], dict[str, Any], list[str]]] = [
    ({"a.csv": "y,s,d\n" + "0,0.5,a\n" * 100 + "1,0.4\n"}, {}, ["label", "'y'", "a.csv", "3 fields", "2 in line 102"]),
    ({"a.csv": "y,s\n1,0.5\n0,0.25\n", "b.csv": "1,0.5\n"}, {}, ["a.csv", "b.csv", "header = true", "header = false"]),
    ({"a.csv": "y,s\n"}, {}, ["label", "'y' holds no value at all"]),
    ({"a.csv": "y,s\n,0.5\n,0.25\n"}, {}, ["label", "'y' holds no value at all"]),
    *(({f"a.{ending}": ""}, {}, [f"a.{ending} is empty"]) for ending in ("csv", "json", "jsonl")),
    ({"a.csv": "", "b.csv": "y,s\n0,0.1\n"}, {}, ["a.csv is empty"]),
    ({"a.json": '\ufeff[{"y": 0, "s": 0.1}]'}, {}, ["byte order mark"]),
    *(({"a.csv": f"{lines}\n1,.5,a\n0,.25,b\n1,.75,c"}, {"label": "column0", "score": "column1"},
       ["a.csv: ", f"line {lines.count(chr(10)) + 2} has 3 fields"]) for lines in ("y,s\n1,.5\n0,.25", "s,y", "1,.5")),
    # 01/02/2024 is in February in one file and in January in the other.
    *(({"a.csv": _DATES["a.csv"], "b.csv": other}, {}, ["a.csv", "b.csv", "dateformat = '%d/%m/%Y'"])
      for other in (_DATES["c.csv"], "y,s,d\n1,0.5,02/13/2024\n1,0.5,01/02/2024\n")),
    *(({"a.json": _SIMILAR_KEYS.format(wide, other)}, {"by": wide}, ["differs from", "in case only: rename one"])
      for wide, other in (("U", "u"), ("u", "U"), ("a/~b", "A/~B"), ("A/~B", "a/~b"))),
    ({"a.json": '{"y": 1, "s": 0.5}'}, {"by": "h"}, ["by: there is no column 'h'; the data has y, s"]),
    ({"a.csv": "#a,b\ny,s\n1,0.5\n0,0.5\n"}, {}, ["a.csv has it in line 2", "read_csv('…', comment = '#')"]),
    *(({"a.csv": text}, {}, ["!line 1 is read as that of the names"])
      for text in ("y,s\na,b\nc,d\n", 'y,s\n1,"a\n0,0.4\n')),  # all values are texts, or a quote is never closed
    *(({"a.csv": "y,s,u\n" + "1,0.5,a#1\n" * rows + "#c\n1,0.5,a\n"}, {}, []) for rows in (1, 4, 30_000)),
]  # fmt: skip


@pytest.mark.parametrize("number", quick_every(2, range(len(INVALID_TEXT_FILES))))
def test_invalid_text_files_are_rejected(number: int, tmp_path: Path) -> None:
    files, options, words = INVALID_TEXT_FILES[number]
    paths = [write_text(tmp_path / file, text) for file, text in files.items()]
    for data in (paths, paths[::-1]):
        with pytest.raises(SqlMetricsError, match=r"^[^\n]*$") as caught:
            auc(data, **options)
        assert [word for word in words if (word.strip("!") in str(caught.value)) == word.startswith("!")] == []
    if "#" in files.get("a.csv", ""):
        query = f"select * from read_csv('{paths[0]}', comment = '#')"
        assert sqlmetrics.copc(query, **ROLES)["n"].tolist() == [files["a.csv"].count("0.5")]


def test_truncated_json_array_is_rejected(tmp_path: Path) -> None:
    """Where it ends between two objects, the engine would read it as if it were complete."""
    whole = json.dumps([{"y": row % 2, "s": row / 40} for row in range(40)], indent=1)
    path, compressed = tmp_path / "log.json", tmp_path / "log.json.gz"
    for end in range(len(whole) - 120, len(whole)):
        assert_rejected(BadData, write_text(path, whole[:end]))
    for end in (whole.rindex("},") + 2, len(whole) - 40):
        assert_rejected(BadData, write_text(compressed, whole[:end]))
    assert_rejected(BadData, write_text(path, "\ufeff" + whole), "byte order mark")
    for text in (whole, f"  {whole}\n\n"):
        expected = pytest.approx(roc_auc_score([0, 1] * 20, range(40)), abs=1e-15)
        assert auc(write_text(path, text)) == auc(write_text(compressed, text)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_types_change_beyond_the_sample(ending: str, tmp_path: Path) -> None:
    """The engine infers types from the first rows; later ones hold fractions, other labels and times of day."""
    path, rng = tmp_path / f"late.{ending}", np.random.default_rng(3)
    label, score = rng.integers(0, 2, BEYOND_SAMPLE).tolist(), rng.integers(0, 9, BEYOND_SAMPLE).tolist()
    rows = [{"y": y, "s": s, "u": 1, "d": "2024-01-01"} for y, s in zip(label, score, strict=True)]
    last = {"y": 1, "s": 3.5, "u": 1.5, "d": "2024-01-01 10:00:00"}
    write_rows(path, [*rows, last, {**last, "y": 0, "s": 4.5, "u": 2}])
    assert auc(path) == pytest.approx(roc_auc_score([*label, 1, 0], [*score, 3.5, 4.5]), abs=1e-12)
    assert len(sqlmetrics.auc(path, by="u", **ROLES)) == 3
    assert len(sqlmetrics.auc(path, by="d", **ROLES)) == 2
    assert_rejected(BadData, write_rows(path, [*rows, {**last, "y": 0.4}]), "label", "'y'", "0.4")
    with pytest.raises(SqlMetricsError):
        auc(write_rows(path, [*({**row, "y": bool(row["y"])} for row in rows), {**last, "y": 2}]))
    if ending == "json":
        long_ids = write_rows(path, [{"y": row % 2, "s": 0.5, "u": 10**30 + row} for row in range(BEYOND_SAMPLE)])
        with pytest.raises(BadData, match=r"tie_key.*longer than a number"):
            sqlmetrics.mrr(long_ids, group="y", tie_key="u", ties="key", **ROLES)


# Names that differ in case only, or are there twice

CASES = {"Clicked": [0, 1, 1, 0], "clicked": [1, 0, 0, 1], "s": [0.1, 0.6, 0.5, 0.2], "y": [0, 1, 1, 0]}


def _rows_of(columns: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _glob(folder: Path, columns: dict[str, Any]) -> str:
    write_parquet(folder / "case_1.parquet", **{name: values[:2] for name, values in columns.items()})
    write_parquet(folder / "case_2.parquet", **{name: values[2:] for name, values in columns.items()})
    return str(folder / "case_*.parquet")


def _query(columns: dict[str, Any]) -> str:
    rows = ", ".join(str(row) for row in zip(*columns.values(), strict=True))
    selected = ", ".join(f'c{number} as "{name}"' for number, name in enumerate(columns))
    return f"select {selected} from (values {rows}) as t({', '.join(f'c{number}' for number in range(len(columns)))})"


FORMS: dict[str, Callable[[Path, dict[str, Any]], Any]] = {
    "parquet": lambda folder, columns: write_parquet(folder / "case.parquet", **columns),
    "glob": _glob,
    "csv": lambda folder, columns: write_rows(folder / "case.csv", _rows_of(columns)),
    "json": lambda folder, columns: write_rows(folder / "case.json", _rows_of(columns)),
    "pandas": lambda _, columns: pd.DataFrame(columns),
    "polars": lambda _, columns: polars.DataFrame(columns),
    "arrow": lambda _, columns: pa.table(columns),
    "query": lambda _, columns: _query(columns),
    "relation": lambda _, columns: duckdb.connect().sql(_query(columns)),
}


@pytest.mark.parametrize(
    "form", ["csv", "json", "pandas", "relation", *slow("parquet", "glob", "polars", "arrow", "query")]
)
def test_names_that_differ_in_case_only_are_rejected_where_they_are_read(form: str, tmp_path: Path) -> None:
    for names in (["Clicked", "clicked", "s", "y"], ["clicked", "Clicked", "s", "y"]):
        data = FORMS[form](tmp_path, {name: CASES[name] for name in names})
        for name, other in (("Clicked", "clicked"), ("clicked", "Clicked")):
            words = (f"'{name}' differs from '{other}' in case only: rename one of them",)
            assert_rejected(BadData, data, "label", *words, label=name)
            assert_rejected(BadData, data, *words, label=f"= 1 - {name}")
            assert_rejected(BadData, data, "by", *words, by=name)
        assert_rejected(BadParameter, data, "label", "'CLICKED'", "'Clicked'", "'clicked'", label="CLICKED")
        assert_rejected(MissingColumn, data, "'Clicked_1'", label="Clicked_1")
        assert auc(data, label="Y", score="S") == 1.0, "any case of a name without rivals is accepted"
        assert auc(data, where="s > 0", label="= y > 0") == 1.0
    data = FORMS[form](tmp_path, {"É": CASES["y"], "é": CASES["clicked"], "s": CASES["s"]})
    assert auc(data, label="É") == roc_auc_score(CASES["y"], CASES["s"]), "the engine folds no other letters"
    assert auc(data, label="é") == roc_auc_score(CASES["clicked"], CASES["s"])


def test_duplicate_column_names_are_rejected(tmp_path: Path) -> None:
    table = pa.table([[0, 1], [1, 0], [0.1, 0.2]], names=["y", "y", "s"])
    pa.parquet.write_table(table, tmp_path / "twice.parquet")
    path = write_text(tmp_path / "twice.csv", "y,y,s\n0,1,0.1\n1,0,0.2\n")
    frame = pd.DataFrame([[0, 1, 0.1], [1, 0, 0.2]], columns=["y", "y", "s"])
    query = "select a as y, b as y, s from (values (0, 1, 0.1), (1, 0, 0.2)) as t(a, b, s)"
    for data in (tmp_path / "twice.parquet", path, frame, table, query, duckdb.connect().sql(query)):
        assert_rejected(BadData, data, "label", "'y'", "several")
        assert auc(data, label="= s > 0.15") == 1.0


@pytest.mark.parametrize("name", ["Model", "MODEL", "Kind", "Position", "Example", "Row_Count"])
def test_dropped_rows_warn_next_to_names_of_internal_columns(name: str) -> None:
    data = pd.DataFrame({"y": [0, 1, None], "s": [0.1, 0.2, 0.3], name: ["x", "x", "x"]})
    with pytest.warns(sqlmetrics.DroppedRows, match="label .* in 1 row"):
        assert sqlmetrics.auc(data, by=name, **ROLES).columns[0] == name
    with pytest.warns(sqlmetrics.DroppedRows, match="label .* in 1 row"):
        assert sqlmetrics.evaluate(data, {"name": "auc", "as": name}, **ROLES).columns[-1] == name


#: Columns of two files, and those that can be read in both.
SIMILAR_NAMES = [
    ("Y y z s", "Y y z s", "z"), ("Y y z s", "y Y z s", ""), ("Y y z s", "Y y z s u", ""), ("Y y z s", "y z s", ""),
    ("z s", "Y y z s", ""), ("Y z s", "y z s", "z y"), ("y y_1 s", "y_1 s y", "y y_1"),
    ("y Y_1 Y z s", "y Y_1 Y z s", "Y_1 z"), ("y Y Y_1 z s", "y Y Y_1 z s", "z"),
]  # fmt: skip


@pytest.mark.parametrize("form", ["parquet", *slow("csv")])
@pytest.mark.parametrize("names", SIMILAR_NAMES, ids=", ".join)
def test_ambiguous_names_of_several_files_are_rejected(names: tuple[str, str, str], form: str, tmp_path: Path) -> None:
    """The engine matches the columns of files that differ by their names in any case."""
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


# Ids as they are written in text files


#: Texts of which the engine would convert or rewrite one.
TEXT_IDS = {
    "leading zeros": ["7", "007"], "times": ["12:00", "07:30"], "times of both kinds": ["12:00", "12:00:00"],
    "days": ["01/02/2024", "03/04/2024"], "short booleans": ["t", "f"], "booleans": ["true", "t"],
    "hexadecimal": ["0x10", "16"],
    "a time with a zone": ["2024-01-01", "2024-01-01T00:00:00Z"],
    "nanoseconds": ["2024-01-01 00:00:00.000000001", "2024-01-01 00:00:00.000000002"],
    "uuids": ["550e8400-e29b-41d4-a716-446655440000", "550E8400-e29b-41d4-a716-446655440000"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "ending", "before"),
    [
        *((name, "csv", 2) for name in TEXT_IDS),
        *slow(
            *((name, "json", 2) for name in TEXT_IDS),
            *((name, ("csv", "json")[number % 2], BEYOND_SAMPLE) for number, name in enumerate(TEXT_IDS)),
        ),
    ],
)
def test_ids_of_text_files_are_not_converted(name: str, ending: str, before: int, tmp_path: Path) -> None:
    texts = TEXT_IDS[name]
    ids = [texts[0]] * before + texts * 2
    rows = [{"y": row % 2, "s": row / 100_000, "u": user} for row, user in enumerate(ids)]
    path = write_rows(tmp_path / f"ids.{ending}", rows)
    assert slice_counts(path) == {user: ids.count(user) for user in texts}
    assert sorted(sqlmetrics.per_group(path, "gauc", group="u", **ROLES)["u"]) == sorted(texts)


@pytest.mark.parametrize("count", [4, *slow(BEYOND_SAMPLE)])
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_numbers_of_text_files_that_round_to_one_double(ending: str, count: int, tmp_path: Path) -> None:
    def write(numbers: list[str]) -> Path:
        rows = [(str(row % 2), number) for row, number in enumerate(["0.5"] * count + numbers * 2)]
        lines = ["y,s", *map(",".join, rows)] if ending == "csv" else [f'{{"y": {y}, "s": {s}}}' for y, s in rows]
        return write_text(tmp_path / f"long.{ending}", "\n".join(lines))

    path = write(["12345678901234567890", "12345678901234567891"])
    assert_rejected(BadData, path, "score", "'s'", "the same double", f"read_{ending}(")
    for options in ({"by": "x = s"}, {"by": "x = s + 0", "score": "y"}, {"where": "s > 1", "score": "y"}):
        assert_rejected(BadData, path, "'s'", "the same double", **options)
    assert len(sqlmetrics.copc(path, label="y", score="y", by="s")) == 3
    # Numbers that a double holds are accepted, with more digits than it has too.
    path = write(["1e300", "12345678901234567890", "0.10000000000000000555"])
    assert len(sqlmetrics.copc(path, label="y", score="y", by="x = s * 1")) == 4


# Paths, folders and standard input

#: Names that a pattern, the shell or a URL would change.
HOSTILE_NAMES = ["a[1]", "a*", "a?", "[a]", "a]b", "{a,b}", "it's", 'a"b', "ä ö", "a%20b", "a#b", "-", "~", "a;b",
                 "$HOME", "k=v"]  # fmt: skip


@pytest.mark.parametrize("ending", ["parquet", *slow("csv", "json")])
def test_name_of_an_existing_file_is_not_a_pattern(ending: str, tmp_path: Path) -> None:
    """Files that each name would match as a pattern hold other numbers."""
    for decoy in ("a1", "ab", "a", "b"):
        write_labels(tmp_path / f"{decoy}.{ending}", [1, 0])
    (tmp_path / "other").mkdir()
    for name in HOSTILE_NAMES:
        path, other = (write_labels(folder / f"{name}.{ending}", [0, 1]) for folder in (tmp_path, tmp_path / "other"))
        if duckdb.__version__ < "2" and set(name) & set("*?["):
            assert_rejected(BadData, path, "takes the name for a pattern; rename the file")
            continue
        assert auc(path) == auc(str(path)) == 1.0, name
        result = sqlmetrics.auc([path, other], **ROLES)
        assert (result["n"][0], result["auc"][0]) == (4, 1.0), name
        path.unlink()


@pytest.mark.skipif(duckdb.__version__ < "2", reason="DuckDB 1 takes the name for a pattern, which is an error")
def test_name_of_existing_judgments_is_not_a_pattern(tmp_path: Path) -> None:
    run = write_text(tmp_path / "run[1].txt", "q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    write_text(tmp_path / "run1.txt", "q Q0 c 1 2 t\n")
    judgments = write_text(tmp_path / "qrels*.csv", "topic,docno,relevance\nq,b,1\n")
    write_text(tmp_path / "qrels2.csv", "topic,docno,relevance\nq,a,1\n")
    roles = {"label": "relevance", "score": "score", "group": "topic", "item": "docno"}
    assert sqlmetrics.mrr(run, judgments=judgments, **roles)["mrr"][0] == 0.5


def test_folder_of_partitions_is_read(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    for day, country, label in (("2024-01-01", "de", [0, 1]), ("2024-01-02", "fr", [1, 0])):
        folder = lake / f"day={day}" / f"country={country}"
        folder.mkdir(parents=True)
        write_parquet(folder / "part-0.snappy.parquet", y=label, s=[0.1, 0.2])
        (folder / ".part-0.snappy.parquet.crc").write_bytes(b"x")
    (lake / "_SUCCESS").touch()
    (lake / "_metadata").write_bytes(b"PAR1")
    for data in (lake, str(lake), [lake]):
        result = sqlmetrics.auc(data, by="country", **ROLES)
        assert result.to_numpy().tolist() == [["de", 2, 1.0], ["fr", 2, 0.0]]
    assert len(sqlmetrics.auc(lake, by="day", **ROLES)) == 2
    (lake / "_delta_log").mkdir()
    assert_rejected(BadData, lake, "Delta")


#: Names of two partitions, and the values of their column.
PARTITIONS: dict[str, tuple[list[str], list[Any]]] = {
    "days": (["2024-01-01", "2024-01-02"], [pd.Timestamp(2024, 1, 1), pd.Timestamp(2024, 1, 2)]),
    "whole numbers": (["7", "8"], [7, 8]), "texts": (["de", "fr"],) * 2, "padded": (["007", "7"],) * 2,
}  # fmt: skip


def partitioned_lake(lake: Path, names: list[str], form: str, column: list[str] | None) -> Path:
    """Write two rows per partition; `column` is what the files themselves hold under the name of the partition."""
    for number, name in enumerate(names):
        folder = lake / f"p={name}" / "z=1"
        folder.mkdir(parents=True)
        rows = [{"y": number, "s": 0.25 * row, "u": f"0{row}"} for row in (1, 2)]
        write_rows(folder / f"a.{form}", [{**row, "p": column[number]} for row in rows] if column else rows)
    return lake


@pytest.mark.parametrize(
    ("values", "form", "column", "source"),
    quick_every(
        4, pairwise(list(PARTITIONS), ["csv", "csv.gz", "json"], [None, ["1", "2"]], ["folder", "glob", "list", "file"])
    ),
)
def test_partitions_of_text_files(
    values: str, form: str, column: list[str] | None, source: str, tmp_path: Path
) -> None:
    """The name of the folder counts, whatever a file holds in a column of that name."""
    names, expected = PARTITIONS[values]
    lake = partitioned_lake(tmp_path / "lake", names, form, column)
    files = sorted(lake.rglob(f"a.{form}"))
    data = {"folder": lake, "glob": f"{lake}/*/*/a.{form}", "list": files, "file": files[0]}[source]
    if source == "file":
        names, expected = names[:1], expected[:1]
    sliced = sqlmetrics.mean_error(data, by="p", **ROLES)
    assert sliced["p"].tolist() == expected
    assert sliced["n"].tolist() == [2] * len(names)
    sliced = sqlmetrics.mean_error(data, by=["u", "p", "z"], where=f"p = '{names[0]}'", **ROLES)
    assert sliced.iloc[:, :3].to_numpy().tolist() == [["01", expected[0], 1], ["02", expected[0], 1]]
    assert sqlmetrics.per_group(data, "mrr", group="p", **ROLES)["p"].tolist() == expected
    if values == "whole numbers":
        assert sqlmetrics.mean_error(data, label="p", score="s")["n"].tolist() == [2 * len(names)]


def test_partitions_of_files_with_different_columns(tmp_path: Path) -> None:
    lake = partitioned_lake(tmp_path / "lake", ["7", "8"], "csv", None)
    write_text(lake / "p=7" / "z=1" / "b.csv", "p,extra,s,y\n1,x,0.5,1\n")
    assert sqlmetrics.copc(lake, by="p", **ROLES)["n"].tolist() == [3, 2]
    write_parquet(lake / "p=7" / "z=1" / "a.parquet", y=[1], s=[0.5])
    write_parquet(lake / "p=7" / "z=1" / "b.parquet", p=["x"], s=[1], y=[0.0])
    assert slice_counts(str(lake / "*/*/*.parquet"), "p") == {7: 2}
    assert_rejected(BadData, lake / "p=7" / "z=1" / "*.csv", "by", "'extra'", "not in", by="extra")


def test_files_passed_twice_are_rejected(tmp_path: Path) -> None:
    a, b = (write_parquet(tmp_path / f"{name}.parquet", y=[0, 1], s=[0.1, 0.2]) for name in "ab")
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "latest.parquet").symlink_to(b)
    same = tmp_path / "link" / ".." / "a.parquet"
    for data in (
        [a, a],
        [a, str(tmp_path / "*.parquet")],
        [a, tmp_path],
        [a, same],
        [f"{tmp_path}/**/*.parquet"],
        [tmp_path],
    ):
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
    assert auc(path) == auc(write_parquet(tmp_path / "part-00000", y=[0, 1], s=[0.1, 0.2])) == 1.0
    path.write_bytes("y,s,n\n0,0.1,\u00e9\n1,0.2,\u00e9\n".encode("latin-1"))
    assert_rejected(BadData, path, "a.csv", "utf-8")
    undecodable = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv"))
    assert_rejected(BadData, write_text(undecodable, "y,s\n0,0.1\n1,0.2\n"), "UTF-8")
    for options in ({"label": "\ud800"}, {"where": "s > '\ud800'"}, {"by": "= '\ud800'"}):
        with pytest.raises(SqlMetricsError):
            auc(LOG, **options)
    with pytest.raises(SqlMetricsError):
        auc("\ud800.parquet")


# Numbers that doubles do not hold

_FIRST = {"BIGINT": 2**60 + 1, "UBIGINT": 2**64 - 3, "HUGEINT": 2**100 + 1, "UHUGEINT": 2**128 - 3}
WIDE: dict[str, list[Any]] = {dtype: [first, first + 1, first + 2] for dtype, first in _FIRST.items()}
WIDE["DECIMAL(38,10)"] = [f"123456789012345678.000000000{end}" for end in (1, 2, 3)]


@pytest.mark.parametrize("dtype", quick_every(3, WIDE))
def test_wide_numbers_are_exact_ids_and_no_scores(dtype: str, tmp_path: Path) -> None:
    expected = sorted(map(str, WIDE[dtype]))
    rows = [f"({y}, {s}, cast('{wide}' as {dtype}))" for wide in WIDE[dtype] for y, s in ((0, 0.1), (1, 0.2))]
    with duckdb.connect() as con:
        con.execute(f"create table log as from (values {', '.join(rows)}) as t(y, s, wide)")
        assert sorted(map(str, sqlmetrics.auc("log", by="wide", con=con, **ROLES)["wide"])) == expected
        grouped = sqlmetrics.per_group("log", "gauc", group="wide", con=con, **ROLES)
        assert sorted(map(str, grouped["wide"])) == expected
        classes = sqlmetrics.class_report("log", label="wide", prediction="wide", con=con)
        assert sorted(map(str, classes["class"])) == expected
        con.execute(f"copy log to '{tmp_path}/log.parquet'")
        assert_rejected(BadData, "log", "score", "'wide'", dtype, "tie", score="wide", con=con)
        con.execute("update log set wide = 5")
        assert auc("log", score="wide", con=con) == 0.5
    if dtype not in ("UHUGEINT", "HUGEINT"):  # parquet holds these as doubles
        for form in ("table", "csv", "json"):
            shown = shell_auc(tmp_path / "log.parquet", "--by", "wide", "--format", form).stdout
            assert [number for number in expected if number not in shown] == []


@pytest.mark.parametrize("wide", [2**24, 2**53])
def test_keys_that_round_to_one_fraction_are_rejected(wide: int) -> None:
    """Whole numbers are compared with FLOAT and DOUBLE, in a further relation and as classes."""
    ids = pa.array([wide, wide + 1, wide + 2])
    fractions = ids.cast(pa.float32() if wide == 2**24 else pa.float64(), safe=False)
    log = pa.table({"q": [1, 1, 1], "d": ids, "s": [0.9, 0.8, 0.1]})
    for ours, theirs in ((ids, fractions), (fractions, ids)):
        data, catalog = log.set_column(1, "d", ours), pa.table({"d": theirs})
        with pytest.raises(BadData, match=r"item: column 'd' is .* in the data and .* in catalog, where numbers"):
            sqlmetrics.coverage(data, catalog=catalog, group="q", item="d", score="s")
        with pytest.raises(BadData, match=r"label: 'y' is .*, and prediction: 'p' is .*, where numbers"):
            sqlmetrics.micro_f1(pa.table({"y": ours, "p": theirs}), label="y", prediction="p")
    small = pa.table({"y": [1, 2, 3], "p": pa.array([1, 3, 3], fractions.type)})
    assert sqlmetrics.micro_f1(small, label="y", prediction="p")["micro_f1"][0] == 2 / 3


def test_classes_of_text_and_numbers_are_rejected(tmp_path: Path) -> None:
    """'01' is another class than 1."""
    path = write_text(tmp_path / "classes.csv", "y,p\n1,01\n2,2\n")
    for data in (path, pd.DataFrame({"y": [1, 2], "p": ["01", "2"]})):
        with pytest.raises(BadData, match=r"label: 'y' is BIGINT, and prediction: 'p' is VARCHAR; .* as in label="):
            sqlmetrics.micro_f1(data, label="y", prediction="p")
        assert sqlmetrics.micro_f1(data, label="= cast(y as varchar)", prediction="p")["micro_f1"][0] == 0.5
        with pytest.raises(BadData, match=r"; .* as in prediction=\"= cast\(y as varchar\)\"$"):
            sqlmetrics.micro_f1(data, label="p", prediction="y")
    booleans = pd.DataFrame({"y": [True, False], "p": [1, 0]})
    assert sqlmetrics.micro_f1(booleans, label="y", prediction="p")["micro_f1"][0] == 1.0


# Missing values and random rows

MISSING = {"y": [0, 1, 0, 1, 0, 1], "s": [0.1, 0.9, 0.2, 0.8, 0.3, 0.7], "u": [1.0, 1.0, 2.0, 2.0, NAN, NAN]}


@pytest.mark.parametrize(
    ("form", "dtype"),
    [*((form, "float64") for form in ("pandas", "polars", "arrow", "parquet", "glob")), ("arrow", "float32"),
     ("parquet", "float32")],
)  # fmt: skip
def test_nan_is_a_missing_group(form: str, dtype: str, tmp_path: Path) -> None:
    columns = {**MISSING, "u": pa.array(MISSING["u"], getattr(pa, dtype)(), from_pandas=False)}
    data = FORMS[form](tmp_path, MISSING if form in ("pandas", "polars") else columns)
    for group in ("u", "= u * 1"):
        with pytest.warns(sqlmetrics.DroppedRows, match="group .* in 2 rows"):
            assert sqlmetrics.gauc(data, group=group, **ROLES)["n"].tolist() == [4]
    with pytest.warns(sqlmetrics.DroppedRows, match="group .* in 2 rows"):
        assert len(sqlmetrics.per_group(data, "gauc", group="u", **ROLES)) == 2
    with pytest.warns(sqlmetrics.DroppedRows, match="field .* in 2 rows"):
        assert sqlmetrics.field_rce(data, field="u", **ROLES)["n"].tolist() == [4]
    for by in ("u", "x = u + 0 -- a comment"):
        sliced = sqlmetrics.auc(data, by=by, **ROLES)
        assert sliced["n"].tolist() == [2, 2, 2]
        assert sliced.iloc[:, 0].isna().tolist() == [False, False, True]


RANDOM_ROWS = {
    "condition": "select * from log where random() < 0.5",
    "sample": "select * from log using sample 50% (bernoulli)",
    "column": "select y, u, s * random() as s from log",
}


@pytest.mark.parametrize("name", RANDOM_ROWS)
def test_random_data_are_drawn_once(name: str) -> None:
    query, again = RANDOM_ROWS[name], 'select * from "drawn again" where s >= 0'
    roles = {"label": "y", "score": ["s", "t = s"], "group": "u"}
    with duckdb.connect() as con:
        con.execute("create table log as select range % 2 as y, range / 1000 as s, range // 4 as u from range(1000)")
        con.execute(f"create view drawn as {query}")
        con.execute('create view "drawn again" as select * from drawn')
        for data in (con.sql(query), query, "drawn", '"drawn again"', again):
            options = {**roles, "con": con if isinstance(data, str) else None}
            result = sqlmetrics.evaluate(data, ["auc", "mae", "gauc", "copc"], diagnostics=True, **options)
            assert list(result["n"]) == list(result["rows_read"])
            columns = list(result.columns.drop("model"))
            pd.testing.assert_series_equal(result.loc[0, columns], result.loc[1, columns], check_names=False)
        options = {"where": "random() < 0.5", "group": "u", "diagnostics": True, "con": con, **ROLES}
        result = sqlmetrics.evaluate("log", ["auc", "gauc", "ece", "copc"], **options)
        assert result["n"][0] == result["rows_read"][0]
        judgments = "select 1 as u, 1 as d, 1 as y where random() < 2"
        with pytest.raises(BadParameter, match="judgments: its rows are drawn at random"):
            sqlmetrics.ndcg("select *, 1 as d from log", judgments=judgments, group="u", item="d", con=con, **ROLES)


# TREC

RUN = "q1 Q0 a 1 3.5 t\nq1 Q0 b 2 2.5 t\nq2 Q0 a 1 1.5 t\n"
QRELS = "q1 0 b 1\nq2 0 a 1\n"
TREC_ROLES = {"label": "relevance", "score": "score", "group": "topic", "item": "docno"}
TREC_NAMES = ["r", "r.txt", "r.run", "r.test", "r.trunc", "r.trec", "r.tsv", "r.gz", "input.x.gz", "r.2"]
TREC_HEADS = ["", "\n\n", "# a comment\n", "\ufeff", "\n# 1 b 1\n  \n"]


@pytest.mark.parametrize(("name", "head"), list(zip(TREC_NAMES, TREC_HEADS * 2, strict=False)))
def test_trec_files_are_recognized_by_content(name: str, head: str, tmp_path: Path) -> None:
    run, qrels = (
        write_text(tmp_path / file, (head + text).replace(" ", "\t" if name.endswith("tsv") else " "))
        for file, text in ((name, RUN), (f"judged-{name}", QRELS))
    )
    assert sqlmetrics.mrr(run, judgments=qrels, **TREC_ROLES)["mrr"][0] == 0.75


def test_trec_format_of_other_files_is_an_option(tmp_path: Path) -> None:
    qrels = write_text(tmp_path / "qrels.txt", QRELS + "# 0 b 1\n")
    run = write_text(tmp_path / "run.txt", RUN)
    assert sqlmetrics.map(run, judgments=qrels, **TREC_ROLES)["map"][0] == 0.75
    run = write_text(tmp_path / "run.csv", RUN)
    roles = [f"--{role}={column}" for role, column in TREC_ROLES.items()]
    command = ["eval", str(run), "-m", "mrr", "--judgments", str(qrels), *roles, "--format", "json"]
    assert json.loads(shell(*command, "--run-format", "trec").stdout) == [{"n": 3, "mrr": 0.75}]
    assert shell(*command).exit_code == 2


@pytest.mark.parametrize(("lines", "words"), [
    (RUN + "q1 Q0 c 3\n", "begins as a TREC run, and goes on with another line: q1 Q0 c 3"),
    (RUN + "q1 Q0 c 3 high t\n", "begins as a TREC run, and goes on with another line: q1 Q0 c 3 high t"),
    (QRELS + "q3 0 c\n", "begins as a TREC qrels file, and goes on with another line: q3 0 c"),
    (RUN * 50 + "q1 Q0 c 3\n", "q1 Q0 c 3"),
    (RUN * 50 + "q1 Q0 c 3 high t\n", "the score of a line is no number: high"),
    (RUN * 50 + "q1 Q0 c first 0.5 t\n", "the rank of a line is no number: first"),
])  # fmt: skip
def test_malformed_lines_of_trec_files_are_rejected(lines: str, words: str, tmp_path: Path) -> None:
    path = write_text(tmp_path / "run", lines)
    with pytest.raises(SqlMetricsError, match=re.escape(f"{path}") + ".*" + re.escape(words)):
        sqlmetrics.mrr(path, label="rank", score="score", group="topic")


# Columns of frames: types without a counterpart, and Python objects


_TIME, _LATER = pd.Timestamp("2026-01-01"), pd.Timestamp("2026-01-01") + pd.Timedelta(1, "ns")
#: Objects without a type that holds both: the usual one, a rare one, and words of the error.
INCOMPATIBLE_OBJECTS: dict[str, tuple[Any, Any, tuple[str, ...]]] = {
    "fraction and wide whole numbers": (2**60 + 1, 1.5, ("1152921504606846977",)),
    "boolean and whole numbers": (1, True, ("bool and int",)),
    "decimal and whole numbers": (1, Decimal(2), ("Decimal and int",)),
    "decimal and fractions": (0.5, Decimal("0.1"), ("Decimal and float",)),
    "decimals and infinity": (Decimal("0.1"), Decimal("Infinity"), ("infinite decimals",)),
    "decimals of many digits": (Decimal(10**38), Decimal(10**38 + 1), ("38 digits",)),
    "decimals of many digits in total": (Decimal(10**30), Decimal("1e-20"), ("38 digits",)),
    "timestamp and days": (dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 23), ("date", "datetime")),
    "boolean and numbers in lists": ([1], [True], ("bool and int", "[]")),
    "text and numbers in dicts": ({"a": 1}, {"a": "1"}, ("int and str", " in a: ")),
    "fraction and wide whole numbers in lists": ([2**60 + 1], [0.5], ("1152921504606846977",)),
    "fraction and whole numbers in dicts": ({"a": 1}, {"a": 0.5}, ("float and int", " in a: ")),
    "fraction and whole numbers in lists of lists": ([[1]], [[0.5]], ("float and int", " in [].[]: ")),
    "decimals in dicts": ({"a": Decimal(1)}, {"a": Decimal("0.5")}, ("Decimal", " in a: ")),
    "nanoseconds": (_TIME, _LATER, ("nanoseconds",)),
    "nanoseconds of NumPy": (np.datetime64("2026"), None, ("nanoseconds",)),
    "nanoseconds and days long ago": (_LATER, dt.datetime(1066, 10, 14), ("nanoseconds",)),
}
_NUMBERS = [1, 1.5, 2**70, Decimal("1.5"), Decimal(2**70)]
_OTHERS = ["a", True, [1], dt.date(2020, 1, 1), b"a", _TIME]
_MISSING = [(missing, number) for missing in (None, NAN, pd.NA, pd.NaT) for number in _NUMBERS]
_MISSING += [(Decimal("NaN"), value) for value in _NUMBERS + _OTHERS]


def with_rare(usual: Any, rare: Any, row: int) -> list[Any]:
    return [usual] * row + [rare] + [usual] * (5999 - row)


#: Columns of frames, with the rows of their slices or words of the error.
FRAME_COLUMNS: dict[str, tuple[Any, list[Any]]] = {
    "nulls": (pa.nulls(2), [2]), "None": ([None, None], [2]), "objects": ([object(), {1, 2}], [1, 1]),
    "mixed": ([1, "1"], ["holds int and str"]), "float16": (pa.array(np.array([1, 2], np.float16)), ["cannot be read"]),
    "polars objects": (polars.Series([object(), object()], dtype=polars.Object), ["cannot be read"]),
    "complex": (pd.Series([1j, 2j]), ["no type for complex128; convert it, as with .astype(str)"]),
    "period": (pd.period_range("2020", periods=2), ["no type for period[D]; convert it, as with .astype(str)"]),
    "sparse": (pd.arrays.SparseArray([0, 1]), ["no type for Sparse[int64, 0]; convert it, as with .astype(str)"]),
    **{f"{name}, row {row}": (with_rare(usual, rare, row), ["by: ", "holds", *words])
       for name, (usual, rare, words) in INCOMPATIBLE_OBJECTS.items() for row in (1, 4444)},
    **{f"{missing!r} and {value!r}": ([missing, value, value], [2, 1]) for missing, value in _MISSING},
    **{f"sNaN and {value!r}": ([Decimal("sNaN"), value, value], ["holds Decimal('sNaN')"])
       for value in [1, 1.5, *_OTHERS]},
    # pandas and the engine turn whole numbers into doubles where one is missing, as after a left join.
    "categories": (pd.Series([2**60, 2**60 + 1] * 2).astype("category").reindex(range(5)), [2, 2, 1]),
    "categories of uint64": (pd.Series([2**63, 2**63 + 1] * 2).astype("category").reindex(range(5)), [2, 2, 1]),
    "ids of pandas": (pd.Series([2**60, 2**60 + 1, None], dtype=pd.ArrowDtype(pa.int64())), [1, 1, 1]),
    "ids of polars": (polars.Series([2**60, 2**60 + 1, None]), [1, 1, 1]),
    "ids of Arrow": (pa.array([2**60, 2**60 + 1, None]), [1, 1, 1]),
    **{f"{dtype} of polars": (polars.Series([2**126, 2**126 + 1], dtype=getattr(polars, dtype)), [1, 1])
       for dtype in ("Int128", "UInt128") if hasattr(polars, dtype)},  # older versions of polars have neither
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [*(n for n in FRAME_COLUMNS if " and " not in n), *slow(*(n for n in FRAME_COLUMNS if " and " in n))]
)
def test_columns_of_frames_are_read_or_rejected_where_they_are_read(name: str) -> None:
    """The engine looks at some of the objects, and would cast the others to the type of those."""
    column, expected = FRAME_COLUMNS[name]
    label = [row % 2 for row in range(len(column))]
    columns = {"y": label, "s": label, "odd": pd.Series(column, dtype=object) if isinstance(column, list) else column}
    frame = pa.table if isinstance(column, pa.Array) else polars.DataFrame if "polars" in name else pd.DataFrame
    for data in (frame(columns), frame(columns).lazy()) if "128" in name else (frame(columns),):
        assert auc(data) == 1.0
        if isinstance(expected[0], str):
            assert_rejected(BadData, data, "column 'odd'", *expected, by="odd")
        else:
            assert sqlmetrics.auc(data, by="odd", **ROLES)["n"].tolist() == expected


def objects(*values: Any, **columns: Any) -> pd.DataFrame:
    """A frame whose column `odd` holds the Python objects."""
    label = [row % 2 for row in range(len(values))]
    return pd.DataFrame({"y": label, "s": 0.5, **columns, "odd": pd.Series(values, dtype=object)})


@pytest.mark.parametrize("row", [7, *slow(1507, 5999)])
def test_numbers_as_objects_are_not_cast_to_the_first_type(row: int) -> None:
    """The engine looks at some of the objects only."""
    label: list[Any] = [0, 1] * 3000
    score: list[Any] = [0, 1] * 3000
    score[row] = 0.4
    data = pd.DataFrame({
        "y": label, "plain": pd.Series(score, dtype=object),
        "in_dict": [{"p": float(s), "other": [None]} for s in score],
        "in_list": [[None, s] for s in score], "in_both": [{"a": [{"p": float(s)}]} for s in score],
        "in_array": [np.array([s, 1]) for s in score], "decimal": [[Decimal(str(s))] for s in score],
        "decimal_or_int": [[Decimal(str(s)) if s else s, NAN] for s in score],
    })  # fmt: skip
    models = ["plain", "in_dict.p", "in_list[2]", "in_both.a[1].p", "in_array[1]", "decimal[1]", "decimal_or_int[1]"]
    result = sqlmetrics.evaluate(
        data, ["auc", "mae"], label="y", score=[f"model_{number} = {model}" for number, model in enumerate(models)]
    )
    assert result["auc"].tolist() == pytest.approx([roc_auc_score(label, score)] * 7, abs=1e-12)
    assert result["mae"].tolist() == pytest.approx([(0.6 if label[row] else 0.4) / 6000] * 7, abs=1e-12)
    flags = [bool(value) for value in label]
    assert_rejected(BadData, objects(*flags[:row], 2, *flags[row + 1 :]), "label", "'odd'", "bool and int", label="odd")


#: Decimals as database drivers return them, by the number of the row.
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
NEXT_TO_DECIMALS = [None, NAN, pd.NA, pd.NaT, Decimal("NaN")]
_DECIMAL_CASES = [
    (name, NEXT_TO_DECIMALS[(3 * number + shift) % 5], 5 if (number + shift) % 2 else 2998)
    for shift in (0, 1, 4)
    for number, name in enumerate(DECIMALS)
]


@pytest.mark.filterwarnings("ignore::sqlmetrics.DroppedRows")
@pytest.mark.parametrize(("name", "other", "row"), [*_DECIMAL_CASES[:9], *slow(*_DECIMAL_CASES[9:])])
def test_decimals_as_objects_keep_their_values(name: str, other: Any, row: int) -> None:
    """The engine would turn some into FLOAT and truncate others."""
    column: list[Any] = [DECIMALS[name](number) for number in range(3000)]
    column[row] = other
    label = [number * 31 % 2 for number in range(3000)]
    data = objects(*column).assign(y=label)
    missing = data["odd"].isna()
    slices = Counter(data["odd"][~missing])
    if name.startswith("long") and not missing.any():
        assert_rejected(BadData, data, "by: column 'odd' holds", by="odd")
    else:
        result = sqlmetrics.auc(data, by="odd", **ROLES)
        expected = {*slices} if name.startswith("long") else {*map(float, slices)}
        assert {value for value in result["odd"] if not pd.isna(value)} == expected
        assert sorted(result["n"]) == sorted([*slices.values(), *([1] if missing.any() else [])])
    if not name.startswith("long"):
        numbers, present = data["odd"][~missing].astype("float64"), np.array(label)[~missing]
        assert auc(data, score="odd") == pytest.approx(roc_auc_score(present, numbers), abs=1e-12)
        [mae] = sqlmetrics.mae(data, label="odd", score="y")["mae"]
        assert mae == pytest.approx(np.abs(numbers - present).mean(), rel=1e-12)


# Relations, connections and streams


def test_unreadable_relations_are_rejected() -> None:
    con = duckdb.connect()
    con.execute("create table log as select range as y, range as s, range as d from range(2)")
    relation = con.sql("select * from log")

    def assert_both_rejected(error: type[SqlMetricsError], *words: str) -> None:
        assert_rejected(error, relation, "data", "relation", *words)
        with pytest.raises(error, match="data: the relation"):
            sqlmetrics.coverage(relation, catalog=pd.DataFrame({"d": [1]}), group="y", item="d", score="s")

    if duckdb.__version__ >= "2":
        con.execute("select 1")
        assert_both_rejected(BadParameter, "not read to its end")
        con.fetchall()
    con.execute("drop table log")
    assert_both_rejected(BadData, "log")
    con.close()
    assert_both_rejected(BadData, "closed")


@pytest.mark.parametrize(
    ("step", "metric", "further"),
    [
        ("sqlmetrics_all_items", "coverage@3", {"catalog": "known"}),
        ("sqlmetrics_all_judgments", "map", {"judgments": "known", "label": "y"}),
    ],
)
def test_queries_read_tables_named_like_steps(step: str, metric: str, further: dict[str, Any]) -> None:
    con = duckdb.connect()
    con.execute("create table shown as select * from (values (1, 1, .9), (1, 9, .7), (1, 9, .6)) as shown(u, ad, s)")
    con.execute(f"create table {step} as select distinct ad as item_id from shown")
    con.execute("create table known as select 1 as u, unnest([1, 2, 3]) as ad, 1 as y")
    query = f"select * from shown where ad in (select item_id from {step})"
    further: dict[str, Any] = (
        {"catalog": "known"} if step == "sqlmetrics_all_items" else {"judgments": "known", "label": "y"}
    )
    metric = "coverage@3" if step == "sqlmetrics_all_items" else "map"
    for data in ("shown", query):
        with pytest.raises(BadData, match="data holds one item twice in a group; for example 9"):
            sqlmetrics.evaluate(data, metric, group="u", item="ad", score="s", con=con, **further)


def test_connections_and_relations_are_shared_by_threads() -> None:
    """Each call reads its own table, and some of them a temporary table."""
    with duckdb.connect() as con, ThreadPoolExecutor(8) as pool:
        for number in range(8):
            con.execute(f"create table log_{number} as select i % 2 as y, i % 7 as s from range({number + 5}) r(i)")
        con.execute("create temp table small as from log_0")
        tables = [*((f"log_{number}", number + 5) for number in range(8)), ("small", 5)] * 6
        results = list(pool.map(lambda table: sqlmetrics.auc(table[0], con=con, **ROLES)["n"][0], tables))
        assert results == [rows for _, rows in tables]
        single = con.table("log_7")
        for relations in ([single] * 24, [con.table("log_7") for _ in range(24)]):
            assert list(pool.map(auc, relations)) == pytest.approx([auc(single)] * 24, abs=1e-12)
        assert con.sql("select view_name from duckdb_views() where view_name like 'sqlmetrics%'").fetchall() == []


@pytest.mark.skipif(duckdb.__version__ < "2", reason="DuckDB 1 does not report that a result is not read to its end")
def test_open_result_of_a_connection_is_preserved() -> None:
    with duckdb.connect() as con:
        con.execute("create table log as select range % 2 as y, range as s from range(10)")
        con.execute("select * from range(100000)")
        assert con.fetchone() == (0,)
        assert_rejected(BadParameter, "log", "con", "not read to its end", "cursor()", con=con)
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
        assert_rejected(sqlmetrics.QueryFailed, LOG, "nonsense", con=con, where="error('nonsense') is null")
        assert_rejected(BadParameter, LOG, "transaction", con=con)
        con.execute("rollback")
        assert auc(LOG, con=con) == 0.75


def test_connections_of_other_packages() -> None:
    """Stand-ins for a backend of ibis and a connection of SQLAlchemy are rejected unless they hold DuckDB."""
    closed = duckdb.connect()
    closed.close()
    backend = {"con": None, "list_tables": None}
    ibis = type("Backend", (), {"__module__": "ibis.backends", **backend})()
    sqlalchemy = type("Backend", (), {"__module__": "sqlalchemy.backends", **backend})()
    for option, con, words in (
        ("con", "x", "str"), ("con", closed, "closed"), ("con", sqlite3.connect(":memory:"), "DBAPI"),
        ("con", ibis, "backend.con"), ("engine", ibis, "backend.con"), ("con", sqlalchemy, "engine=connection"),
        ("engine", sqlalchemy, "connect()"),
    ):  # fmt: skip
        assert_rejected(BadParameter, LOG, option, words, **{option: con})
    table = type("Backend", (), {"__module__": "ibis.backends", "list_tables": None})()
    assert_rejected(BadParameter, table, "backend.table('log')")
    with duckdb.connect() as con:
        con.execute("create table log as from LOG")
        backend = type("Backend", (), {"__module__": "ibis.backends.duckdb", "con": con})()
        assert auc("log", con=backend) == auc("log", engine=backend) == 0.75
        pooled, dialect = type("Pooled", (), {"driver_connection": con})(), type("Dialect", (), {"name": "duckdb"})()
        attributes = {"__module__": "sqlalchemy.engine", "connection": pooled, "dialect": dialect}
        connection = type("Connection", (), attributes)()
        assert auc("log", engine=connection) == 0.75
        dialect.name = "sqlite"
        assert_rejected(BadParameter, "log", "sqlite", engine=connection)


class ArrowStream:
    """A stream of another package, which has Arrow's interface only."""

    def __init__(self, reader: pa.RecordBatchReader) -> None:
        self.reader = reader

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.reader.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("stream", [lambda reader: reader, ArrowStream, pyarrow.dataset.Scanner.from_batches],
                         ids=["reader", "stream", "scanner"])  # fmt: skip
def test_streams_are_read_once(stream: Callable[[pa.RecordBatchReader], Any]) -> None:
    table = pa.Table.from_pandas(LOG)
    data = stream(pa.RecordBatchReader.from_batches(table.schema, table.to_batches()))
    result = sqlmetrics.evaluate(data, ["auc", "mae", "ks"], diagnostics=True, **ROLES)
    assert (result["auc"][0], result["n"][0], result["rows_read"][0]) == (0.75, len(LOG), len(LOG))
    assert_rejected(BadData, data, "data", "stream")
    assert auc(type("Table", (), {"to_pyarrow": lambda _: table})()) == 0.75  # as a table of ibis


# Dates and times that neither pandas nor Python holds


@pytest.mark.parametrize(
    ("dtype", "other", "form"),
    pairwise(
        ["date", "timestamp", "timestamp_s", "timestamp_ns", "timestamptz"], ["1", "1::hugeint"], ["query", "con"]
    ),
)
def test_infinite_dates_are_slices(dtype: str, other: str, form: str) -> None:
    """DuckDB returns an extreme date in their place, or fails; a HUGEINT is fetched in another way."""
    cells = "('infinity', 1, 0.9), ('infinity', 0, 0.2), ('2024-05-01', 0, 0.5), ('-infinity', 1, 0.5), (null, 1, 0.5)"
    data = f"select d::{dtype} as d, y, s, {other} as b from (values {cells}) as t(d, y, s)"
    with duckdb.connect() as con:
        con.execute("set TimeZone = 'UTC'")
        options: dict[str, Any] = {**ROLES, "con": con if form == "con" else None}
        result = sqlmetrics.evaluate(data, "error_rate", by=["d", "b"], **options)
        finite = sqlmetrics.evaluate(data, "error_rate", by="d", where="isfinite(d)", **options)
    day = {"date": "2024-05-01", "timestamptz": "2024-05-01 00:00:00+00"}.get(dtype, "2024-05-01 00:00:00")
    assert [None if pd.isna(value) else value for value in result["d"]] == ["-infinity", day, "infinity", None]
    assert result["error_rate"].tolist() == [0, 1, 0, 0]
    assert finite["d"].tolist() == [pd.Timestamp("2024-05-01", tz="UTC" if dtype == "timestamptz" else None)]


@pytest.mark.parametrize("other", ["1", "1::hugeint"])
@pytest.mark.parametrize(
    ("cast", "first", "second", "texts"),
    [
        ("timestamptz", "0044-03-15 (BC)", "2024-05-01", ["0044-03-15 (BC) 00:00:00+00", "2024-05-01 00:00:00+00"]),
        ("timestamptz", "12000-01-01", "2024-05-01", ["12000-01-01 00:00:00+00", "2024-05-01 00:00:00+00"]),
        ("bit", "0101", "00000101", ["0101", "00000101"]),
        ("timetz", "10:00:00+01", "10:00:00+00", ["10:00:00+01:00", "10:00:00+00:00"]),
    ],
)
def test_values_of_types_without_a_python_type_are_slices(
    cast: str, first: str, second: str, texts: list[str], other: str
) -> None:
    data = (
        f"select d::{cast} as d, y, s, {other} as b from (values ('{first}', 1, 0.9), ('{second}', 0, 0.9)) t(d, y, s)"
    )
    result = sqlmetrics.evaluate(data, "error_rate", by=["d", "b"], **ROLES).sort_values("error_rate")
    assert result["d"].map(str).tolist() == texts
    assert result["error_rate"].tolist() == [0, 1]


# Errors of expressions and values


@pytest.mark.parametrize(("role", "unknown", "aggregate"), [
    ("label", "= clik > 0", "= max(y)"), ("score", "= clik * 2", "= sum(s)"), ("where", "clik > 1", "count(*) > 1"),
    ("by", "d = clik", "x = count(*)"), ("group", "= clik", "= max(y)"),
])  # fmt: skip
def test_invalid_expressions_name_the_role(role: str, unknown: str, aggregate: str) -> None:
    metric = "gauc" if role == "group" else "auc"
    for text, words in ((unknown, "there is no column 'clik'.* y, s"), (aggregate, ".* cannot be told of one row")):
        with pytest.raises(sqlmetrics.QueryFailed, match=rf"{role}: {words}"):
            sqlmetrics.evaluate(LOG, metric, **{**ROLES, role: text})


def test_errors_suggest_an_expression(tmp_path: Path) -> None:
    assert_rejected(BadData, LOG.assign(y=["yes", "no"] * 2), "label", "'y'", "= y = 'yes'")
    assert auc(LOG.assign(y=["no", "yes"] * 2), label="= y = 'yes'") == 0.75
    with pytest.raises(BadParameter, match=r"multi_log_loss\(scores=\{'cat'"):
        sqlmetrics.evaluate(LOG, "multi_log_loss", label="y")
    path = write_labels(tmp_path / "a.csv", [0, 1])
    for by, words in (("date_trunc('day', s)", "--by \"x = date_trunc('day', s)\""), ("count(*)", "count(*)")):
        result = shell_auc(path, "--by", by)
        assert result.exit_code == 2
        assert words in result.stderr
    assert "no DuckDB database" in shell_auc("log", "--db", str(path)).stderr
