"""How data reaches the formula: lists of files, names alike but for their case, hostile file names, odd columns.

The oracle is scikit-learn on the very values, or the same call on tame data in memory.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Callable
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
from sqlmetrics import BadData, BadParameter, SqlMetricsError

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


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(LOSSLESS, 2)))
def test_scores_of_two_types_in_two_files(one: str, other: str, tmp_path: Path) -> None:
    """Whatever the order of the list, the numbers are those of all the values."""
    label = [0, 1, 1, 0]
    paths, scores = [], []
    for name in (one, other):
        kind, given = LOSSLESS[name]
        column = (
            pa.array(given, pa.float64()).cast(kind) if name != "decimal" else pa.array(given, pa.float64()).cast(kind)
        )
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


def test_many_files_take_no_long_time(tmp_path: Path) -> None:
    for number in range(300):
        kind = pa.int64() if number % 2 else pa.float64()
        parquet(tmp_path / f"{number:03}.parquet", y=[0, 1], s=pa.array([1, 2]).cast(kind))
    result = sqlmetrics.auc(str(tmp_path / "*.parquet"), **ROLES)
    assert (result["n"][0], result["auc"][0]) == (600, 1.0)


@pytest.mark.parametrize("ending", ["csv", "json"])
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
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("swapped", [False, True])
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


@pytest.mark.parametrize("form", ["parquet", "csv", "pandas", "arrow"])
def test_a_name_that_is_there_twice(form: str, tmp_path: Path) -> None:
    table = pa.table([[0, 1], [1, 0], [0.1, 0.2]], names=["y", "y", "s"])
    data: Any = table if form == "arrow" else pd.DataFrame([[0, 1, 0.1], [1, 0, 0.2]], columns=["y", "y", "s"])
    if form == "parquet":
        pa.parquet.write_table(table, tmp_path / "twice.parquet")
        data = tmp_path / "twice.parquet"
    if form == "csv":
        data.to_csv(tmp_path / "twice.csv", index=False)
        data = tmp_path / "twice.csv"
    refused(BadData, data, "label", "'y'", "several")
    assert auc(data, label="= s > 0.15") == 1.0


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


@pytest.mark.parametrize("ending", ["parquet", "csv", "json"])
def test_an_existing_file_is_itself(ending: str, tmp_path: Path) -> None:
    """Beside each there are files that its name would match as a pattern, with other numbers."""
    for decoy in ("a1", "ab", "a", "b"):
        _write(tmp_path / f"{decoy}.{ending}", [1, 0])
    for name in HOSTILE:
        path = _write(tmp_path / f"{name}.{ending}", [0, 1])
        assert auc(path) == auc(str(path)) == 1.0, name
        result = sqlmetrics.auc([path, path], **ROLES)
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


@pytest.mark.parametrize("kind", WIDE)
def test_wide_ids_stay_what_they_are(kind: str, tmp_path: Path) -> None:
    with duckdb.connect() as con:
        log = wide_table(con, kind)
        sliced = sqlmetrics.auc(log, by="wide", con=con, **ROLES)
        assert sorted(map(str, sliced["wide"])) == sorted(map(str, WIDE[kind]))
        grouped = sqlmetrics.per_group(log, "gauc", group="wide", con=con, **ROLES)
        assert sorted(map(str, grouped["wide"])) == sorted(map(str, WIDE[kind]))
        con.execute(f"copy log to '{tmp_path}/log.parquet'")
    if kind != "UHUGEINT" and kind != "HUGEINT":  # which parquet itself holds as doubles
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


def shell(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sqlmetrics", *arguments], capture_output=True, text=True, check=False, **options
    )
