"""Slices of every type, printed and kept: two of them never become one, and states give them back as they were."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import sqlmetrics
from sqlmetrics import cli
from sqlmetrics.column_types import as_pandas
from sqlmetrics.shell_output import TEXT_FORMATS, as_text, table_of, write_result
from tests.tiers import pairwise

#: Types of slices, and how the number `k` of a slice (0, 1, 2) makes one.
TYPES = {
    "text": "(['007', '7', ' 7'])[k + 1]",
    "text or null": "(['', null, 'NULL'])[k + 1]",
    "texts of numbers": "(['7', '7.0', '07'])[k + 1]",
    "truth": "(['true', 'false', null])[k + 1]::boolean",
    "double": "([0.30000000000000004, 1e300, 0.1])[k + 1]",
    "infinities": "(['inf', '-inf', '0'])[k + 1]::double",
    "float": "(k / 10)::float",
    "bigint": "9007199254740993 + k",
    "bigint or null": "case k when 0 then null else 9007199254740993 + k end",
    "ubigint": "(18446744073709551610 + k)::ubigint",
    "hugeint": "(2::hugeint ** 60)::hugeint * 1000000007 + k",
    "negative hugeint": "-(2::hugeint ** 60)::hugeint * 1000000007 - k",
    "greatest hugeint": "170141183460469231731687303715884105720::hugeint + k",
    "uneven hugeint": "case k when 2 then 170141183460469231731687303715884105720::hugeint else k end",
    "uhugeint": "340282366920938463463374607431768211450::uhugeint + k::uhugeint",
    "decimal": "('12345678901234567890.012345678' || k)::decimal(38, 10)",
    "decimal or null": "case k when 0 then null else 12345678901234567890.0123456789::decimal(38, 10) + k end",
    "date": "date '2026-01-01' + k::int",
    "date before christ": "date '0044-03-15 (BC)' + k::int",
    "far date": "date '20000-01-01' + k::int",
    "timestamp": "timestamp '2026-01-01' + to_microseconds(k)",
    "timestamp before christ": "timestamp '0044-03-15 (BC)' + to_microseconds(k)",
    "nanoseconds": "('2026-01-01 00:00:00.00000000' || k)::timestamp_ns",
    "nanoseconds of an hour": "('2026-01-01 10:00:00.00000000' || k)::timestamp_ns",
    "timestamptz": "timestamptz '2026-01-01 00:00:00+02' + to_hours(k)",
    "time": "time '10:00' + to_minutes(k)",
    "interval": "to_days(k::int)",
    "uuid": "('00000000-0000-0000-0000-00000000000' || k)::uuid",
    "blob": "('\\x00\\x0' || k)::blob",
    "list": "[k, 1]",
    "list with null": "(list_value([k, null], [null, k], null))[case k when 2 then 3 else k + 1 end]",
    "list of moments": "[('2026-01-01 00:00:00.00000000' || k)::timestamp_ns, null]",
    "list of hugeint": "[170141183460469231731687303715884105720::hugeint + k, null]",
    "struct": "{'a': k, 'b': [k::varchar, null]}",
    "struct of hugeint": "{'a': 170141183460469231731687303715884105720::hugeint + k}",
    "enum": "(['b', 'a', 'c'])[k + 1]::enum('b', 'a', 'c')",
}  # fmt: skip
ROLES = ("--label", "y", "--score", "p")
METRICS = "log_loss,copc"


def shell(*arguments: str) -> Result:
    return CliRunner().invoke(cli.main, list(arguments), prog_name="sqlmetrics")


def database(folder: Path, kind: str) -> str:
    """A log of a table with a slice of three values, and the tame number of it."""
    path = str(folder / "log.db")
    with duckdb.connect(path) as con:
        con.execute(
            "create table log as select (i * 7919) % 2 as y, ((i * 7919) % 1000) / 1000.0 as p, i < 200 as early, "
            f"case when i < 200 then i % 2 else i % 3 end as k, {TYPES[kind]} as slice from range(400) as t(i)"
        )
    return path


def tame(path: str) -> list[tuple[int, float]]:
    """What the slices have, whatever they are called."""
    with duckdb.connect(path, read_only=True) as con:
        found = sqlmetrics.evaluate("log", ["log_loss"], label="y", score="p", by="k", con=con)
    return numbers(found)


def numbers(rows: pd.DataFrame) -> list[tuple[int, float]]:
    return sorted((int(n), round(loss, 9)) for n, loss in zip(rows["n"], rows["log_loss"], strict=True))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("form", ["csv", "json", "jsonl", "parquet", "table", "markdown"])
def test_slices_that_differ_are_written_as_such(form: str, kind: str, tmp_path: Path) -> None:
    path = database(tmp_path, kind)
    call = ("eval", "log", "--db", path, "-m", METRICS, *ROLES, "--by", "slice")
    if form == "parquet":
        assert shell(*call, "-o", str(tmp_path / "out.parquet")).exit_code == 0
        with duckdb.connect() as con:
            rows = con.execute(f"select slice::varchar from '{tmp_path}/out.parquet'").fetchall()
    else:
        result = shell(*call, "--format", form)
        assert result.exit_code == 0, result.output
        lines = result.stdout.splitlines()
        if form == "csv":
            (tmp_path / "out.csv").write_text(result.stdout, newline="")
            with duckdb.connect() as con:
                rows = con.execute(
                    f"from read_csv('{tmp_path}/out.csv', all_varchar = true, allow_quoted_nulls = false)"
                ).fetchall()
        elif form in ("json", "jsonl"):
            found = json.loads(result.stdout) if form == "json" else [json.loads(line) for line in lines]
            rows = [tuple(row.values()) for row in found]
        else:
            rows = [line.replace(" | ", "  ").rsplit(None, 3) for line in lines[2 if form == "markdown" else 1 :]]
    assert len({str(slice) for slice, *_ in rows}) == 3


@pytest.mark.one_in(12)
@pytest.mark.parametrize(
    ("kind", "form", "metrics", "parts"),
    pairwise(list(TYPES), ["csv", "json", "jsonl", "parquet"], ["", METRICS], [["true"], ["early", "not early"]]),
)
def test_states_keep_slices_apart(kind: str, form: str, metrics: str, parts: list[str], tmp_path: Path) -> None:
    """Read again, they are those of the log; where the types of two parts have nothing in common, that is told."""
    path = database(tmp_path, kind)
    asked = ("-m", metrics) if metrics else ()
    for place, part in enumerate(parts):
        target = str(tmp_path / f"part_{place}.{form}")
        result = shell("state", "log", "--db", path, *asked, *ROLES, "--by", "slice", "--by", f"part = {place} + 0",
                       "--where", part, "-o", target)  # fmt: skip
        assert result.exit_code == 0, result.output
    call = ("eval-states", str(tmp_path / f"part_*.{form}"), "-m", METRICS, "--by", "slice")
    result = shell(*call, "--format", "json")
    if "Failed to cast value to numerical" in result.stderr:
        pytest.skip("DuckDB 1.4 does not read what a number of 64 bits is in json")
    if result.exit_code == 2:
        assert len(parts) == 2
        assert "and no type holds the values of both" in result.stderr
    else:
        assert result.exit_code == 0, result.output
        assert numbers(pd.DataFrame(json.loads(result.stdout))) == tame(path)


def test_nan_of_a_decimal_and_null_are_two_slices(tmp_path: Path) -> None:
    """As PostgreSQL has them: each is written in its own way, and no digit of the others is lost beside it."""
    long = Decimal("12345678901234567890.123456789")
    made = as_pandas(pd.DataFrame({"slice": [long, Decimal("NaN"), None], "n": [1, 2, 3]}, dtype=object), ["slice"])
    found = {form: as_text(table_of(made, exact=["slice"]), form) for form in TEXT_FORMATS}
    assert found["csv"] == f"slice,n\n{long},1\nNaN,2\n,3\n"
    assert [row["slice"] for row in json.loads(found["json"])] == [str(long), "NaN", None]
    assert [line.split()[0] for line in found["table"].splitlines()] == ["slice", str(long), "NaN", "NULL"]
    write_result(str(tmp_path / "out.parquet"), made, exact=["slice"])
    with duckdb.connect() as con:
        assert con.execute(f"select slice from '{tmp_path}/out.parquet'").fetchall() == [
            (str(long),),
            ("NaN",),
            (None,),
        ]
    no_others = as_pandas(made.assign(slice=[Decimal("0.5"), *made["slice"][1:]]), ["slice"])
    assert as_text(table_of(no_others), "csv") == "slice,n\n0.5,1\nNaN,2\n,3\n"


@pytest.mark.parametrize("wide", ["hugeint", "uhugeint", "decimal", "list of hugeint", "struct of hugeint"])
def test_nanoseconds_beside_wide_numbers(wide: str, tmp_path: Path) -> None:
    """These reach Python otherwise, whose own moments end at microseconds."""
    path = database(tmp_path, wide)
    with duckdb.connect(path) as con:
        con.execute(f"create view timed as select *, {TYPES['nanoseconds']} as moment from log")
        ways: list[dict[str, Any]] = [{"data": "timed", "con": con}, {"data": con.table("timed")}]
        for way in ways:
            found = sqlmetrics.evaluate(metrics=["log_loss"], label="y", score="p", by=["slice", "moment"], **way)
            assert found["moment"].nunique() == 3
            assert found["slice"].map(str).nunique() == 3
    assert numbers(found) == tame(path)


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_a_zero_with_a_sign_is_the_slice_of_zero(form: str, tmp_path: Path) -> None:
    """In whatever rows and parts it has one, and whoever wrote them."""
    rows = [{"y": row * 31 % 2, "p": row * 7919 % 60 / 60, "k": row % 3, "slice": (0.0, -0.0, 0.1)[row % 3]}
            for row in range(60)]  # fmt: skip
    log = pd.DataFrame(rows)
    for place in range(2):
        part = log.iloc[place::2]
        by = ["slice", f"part = {place} + 0"]
        made = sqlmetrics.state(part, "log_loss", label="y", score="p", by=by, buckets=5, cluster="p")
        assert set(map(str, made["slice"])) == {"0.0", "0.1"}
        made["slice"] = [-one if one == 0 and row % 2 == place else one for row, one in enumerate(made["slice"])]
        target = tmp_path / f"part_{place}.{form}"
        if form == "parquet":
            made.to_parquet(target)
        else:
            target.write_text(as_text(table_of(made), form))
    found = sqlmetrics.evaluate_states(str(tmp_path / f"part_*.{form}"), "log_loss", by="slice")
    expected = sqlmetrics.evaluate(log.assign(slice=log["k"] // 2), "log_loss", label="y", score="p", by="slice")
    assert list(map(str, found["slice"])) == ["0.0", "0.1"]
    assert numbers(found) == numbers(expected)
    assert list(map(str, sqlmetrics.evaluate(log, "log_loss", label="y", score="p", by="slice")["slice"])) == [
        "0.0",
        "0.1",
    ]
