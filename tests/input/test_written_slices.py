"""Slices of every type are printed, written and stored in states without merging."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from click.testing import Result

import sqlmetrics
from sqlmetrics.cli.output import write_result
from sqlmetrics.engines.duckdb_connection import statements_on
from sqlmetrics.output.text import TEXT_FORMATS, as_text
from sqlmetrics.tables import as_pandas, table_of
from tests.calls import shell
from tests.parameters import quick_every, slow

#: Types of slices, with the expression for slice number `k` (0, 1, 2).
TYPES = {
    "text or null": "(['', null, 'NULL'])[k + 1]", "texts of numbers": "(['7', '7.0', '07'])[k + 1]",
    "boolean": "(['true', 'false', null])[k + 1]::boolean",
    "double": "([0.30000000000000004, 1e300, 0.1])[k + 1]", "infinities": "(['inf', '-inf', '0'])[k + 1]::double",
    "bigint or null": "case k when 0 then null else 9007199254740993 + k end",
    "ubigint": "(18446744073709551610 + k)::ubigint", "hugeint": "(2::hugeint ** 60)::hugeint * 1000000007 + k",
    "decimal or null": "case k when 0 then null else 12345678901234567890.0123456789::decimal(38, 10) + k end",
    "date": "date '9999-12-29' + k::int",
    "timestamp": "timestamp '2026-01-01' + to_microseconds(k)",
    "nanoseconds": "('2026-01-01 00:00:00.00000000' || k)::timestamp_ns",
    "timestamptz": "timestamptz '2026-01-01 00:00:00+02' + to_hours(k)", "time": "time '10:00' + to_minutes(k)",
    "interval": "to_days(k::int)", "uuid": "('00000000-0000-0000-0000-00000000000' || k)::uuid",
    "blob": "('\\x00\\x0' || k)::blob",
    "list with null": "(list_value([k, null], [null, k], null))[case k when 2 then 3 else k + 1 end]",
    "struct": "{'a': k, 'b': [k::varchar, null]}",
    "struct of hugeint": "{'a': 170141183460469231731687303715884105720::hugeint + k}",
    "enum": "(['b', 'a', 'c'])[k + 1]::enum('b', 'a', 'c')",
}  # fmt: skip
STATES = ["csv", "json", "jsonl", "parquet"]
OPTIONS = ("--label", "y", "--score", "p")
ROLES = {"label": "y", "score": "p"}
METRICS = "log_loss,copc"


def checked(*arguments: str) -> Result:
    result = shell(*arguments)
    assert result.exit_code == 0 or "and no type holds the values of both" in result.stderr, result.output
    return result


def write_database(folder: Path, dtype: str) -> str:
    """A database with a table of three slices of the type, numbered by `k`."""
    path = str(folder / "log.db")
    with duckdb.connect(path) as con:
        con.execute(
            "create table log as select (i * 7919) % 2 as y, ((i * 7919) % 1000) / 1000.0 as p, i < 200 as early, "
            f"case when i < 200 then i % 2 else i % 3 end as k, {TYPES[dtype]} as slice from range(400) as t(i)"
        )
    return path


def numbers(rows: pd.DataFrame) -> list[tuple[int, float]]:
    return sorted((int(n), round(loss, 9)) for n, loss in zip(rows["n"], rows["log_loss"], strict=True))


def expected_numbers(path: str) -> list[tuple[int, float]]:
    """The row counts and losses of the slices, by number."""
    with duckdb.connect(path, read_only=True) as con:
        return numbers(sqlmetrics.evaluate("log", "log_loss", by="k", con=con, **ROLES))


_STATES = [
    (dtype, STATES[number % 4], ["", METRICS][number // 4 % 2], [["true"], ["early", "not early"]][number % 2])
    for number, dtype in enumerate(TYPES)
]


@pytest.mark.parametrize(("dtype", "form", "metrics", "parts"), quick_every(16, _STATES))
def test_printed_slices_and_states_stay_apart(
    dtype: str, form: str, metrics: str, parts: list[str], tmp_path: Path
) -> None:
    """Merged states give the values of the log, or an error if the types of two parts are incompatible."""
    path, target = write_database(tmp_path, dtype), str(tmp_path / f"out.{form}")
    log = ("log", "--db", path, *OPTIONS, "--by", "slice")
    for shown, head in (("table", 1), ("markdown", 2)):
        lines = checked("eval", *log, "-m", METRICS, "--format", shown).stdout.splitlines()[head:]
        assert len({line.replace(" | ", "  ").rsplit(None, 3)[0] for line in lines}) == len(lines) == 3
    checked("eval", *log, "-m", METRICS, "-o", target)
    readers = {"csv": f"read_csv('{target}', all_varchar = true, allow_quoted_nulls = false)", "parquet": f"'{target}'"}
    json_texts = f"read_json('{target}', columns = {{slice: 'varchar'}})"
    assert len({*duckdb.sql(f"select slice::varchar from {readers.get(form, json_texts)}").fetchall()}) == 3
    for number, part in enumerate(parts):
        target = str(tmp_path / f"part_{number}.{form}")
        requested = ("-m", metrics) if metrics else ()
        checked("state", *log, *requested, "--by", f"part = {number} + 0", "--where", part, "-o", target)
    call = ["eval-states", str(tmp_path / f"part_*.{form}"), "-m", METRICS, "--by", "slice", "--format", "json"]
    result = shell(*call)
    if "Failed to cast value to numerical" in result.stderr:
        pytest.skip("DuckDB 1.4 does not read what a number of 64 bits is in json")
    if result.exit_code == 2:
        assert len(parts) == 2
        assert "and no type holds the values of both" in result.stderr
    else:
        assert numbers(pd.DataFrame(json.loads(result.stdout))) == expected_numbers(path)


def test_nan_of_decimal_and_null_are_two_slices(tmp_path: Path) -> None:
    """PostgreSQL has both; next to them the other slices keep all digits."""
    long = Decimal("12345678901234567890.123456789")
    data = as_pandas(pd.DataFrame({"slice": [long, Decimal("NaN"), None], "n": [1, 2, 3]}, dtype=object), ["slice"])
    texts = {form: as_text(table_of(data, exact=["slice"]), form) for form in TEXT_FORMATS}
    assert texts["csv"] == f"slice,n\n{long},1\nNaN,2\n,3\n"
    assert [row["slice"] for row in json.loads(texts["json"])] == [str(long), "NaN", None]
    assert [line.split()[0] for line in texts["table"].splitlines()] == ["slice", str(long), "NaN", "NULL"]
    write_result(str(tmp_path / "out.parquet"), data, exact=["slice"])
    rows = duckdb.sql(f"select slice from '{tmp_path}/out.parquet'").fetchall()
    assert rows == [(str(long),), ("NaN",), (None,)]


@pytest.mark.parametrize("wide", ["i::hugeint", *slow("i::decimal(30, 2)")])
def test_rows_with_wide_numbers_stay_together(wide: str) -> None:
    """pandas and Python read them in different ways; a second run of the statement may have another order."""
    with duckdb.connect() as con:
        frame = statements_on(con, private=True).frame(
            f"select {wide} as a, ({wide})::varchar as b from range(5000) as t(i) order by random()"
        )
    assert [str(a) for a in frame["a"]] == frame["b"].tolist()


@pytest.mark.parametrize("wide", ["hugeint", *slow("decimal or null", "struct of hugeint")])
def test_nanoseconds_next_to_wide_numbers(wide: str, tmp_path: Path) -> None:
    """Wide numbers are fetched as Python objects, whose timestamps have microsecond resolution."""
    path = write_database(tmp_path, wide)
    with duckdb.connect(path) as con:
        con.execute(f"create view timed as select *, {TYPES['nanoseconds']} as ts from log")
        for data, connection in (("timed", con), (con.table("timed"), None)):
            result = sqlmetrics.evaluate(data, "log_loss", by=["slice", "ts"], con=connection, **ROLES)
            assert result["ts"].nunique() == result["slice"].map(str).nunique() == 3
    assert numbers(result) == expected_numbers(path)
