"""Classes of types that engines only compare: the values equal those of strings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sqlmetrics
from tests.compare import assert_same
from tests.data import arrow
from tests.engines.servers import ENGINES
from tests.parameters import slow

#: Expressions of a column of whole numbers below 3, each with three values.
TYPES = {
    "duckdb": {
        "uuid": "('00000000-0000-4000-8000-00000000000' || {})::uuid", "blob": "({}::varchar)::blob",
        "bit": "('10' || ({} % 2) || ({} // 2))::bit", "list": "[{}, 1]", "struct": "struct_pack(a := {})",
        "map": "map([{}], [1])", "interval": "to_days({})", "enum": "(['b', 'a', 'c'][{} + 1])::enum('c', 'a', 'b')",
        "date": "date '2026-01-01' + {}::integer", "time": "time '10:00' + to_minutes({})", "boolean": "{} > 0",
        "decimal": "{}::decimal(9, 2)", "hugeint": "{}::hugeint + 170141183460469231731687303715884105720",
    },
    "postgres": {
        "uuid": "('00000000-0000-4000-8000-00000000000' || {})::uuid", "bytea": "({}::text)::bytea",
        "macaddr": "('08:00:2b:01:02:0' || {})::macaddr", "jsonb": "jsonb_build_object('a', {})",
        "bit": "({}::integer)::bit(8)", "array": "array[{}, 1]", "inet": "('10.0.0.' || {})::inet",
        "interval": "make_interval(days => {}::integer)", "boolean": "{} > 0", "numeric": "{}::numeric(9, 2)",
    },
    "clickhouse": {
        "uuid": "toUUID('00000000-0000-4000-8000-00000000000' || toString({}))", "array": "[{}, 1]",
        "tuple": "tuple({}, 1)", "map": "map('a', {})", "boolean": "({} > 0)::Bool",
        "fixed": "toFixedString(toString({}), 1)", "ip": "toIPv4('10.0.0.' || toString({}))",
    },
}  # fmt: skip
METRICS = ["error_rate", "macro_f1", "cohens_kappa", "fleiss_kappa"]


def log() -> pd.DataFrame:
    """Three classes with mostly correct predictions; three raters of each item."""
    rng = np.random.default_rng(11)
    label = rng.integers(0, 3, 90)
    prediction = np.where(rng.random(90) < 0.6, label, rng.integers(0, 3, 90))
    return pd.DataFrame({
        "truth": label, "called": prediction, "item": np.arange(90) // 3, "device": rng.integers(0, 2, 90),
    })  # fmt: skip


@pytest.fixture(scope="module", params=slow("duckdb", "postgres", "clickhouse"))
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    with ENGINES[request.param]({"log": arrow(log())}) as opened:
        yield opened


def evaluate(engine: Any, expression: str) -> pd.DataFrame:
    """The metrics of predictions, and of ratings, with the classes written as an expression."""
    label, prediction = (f"= {expression.replace('{}', name)}" for name in ("truth", "called"))
    roles = {"label": label, "prediction": prediction, "group": "item"}
    # ClickHouse evaluates a step once per reader, and takes two seconds for the intervals.
    confidence = None if engine.dialect == "clickhouse" else 0.9
    return sqlmetrics.evaluate("log", METRICS, engine=engine, by="device", confidence=confidence, **roles)


def test_metrics_of_classes_of_any_type(engine: Any) -> None:
    string = {"postgres": "cast({} as text)", "clickhouse": "toString({})"}.get(engine.dialect, "cast({} as varchar)")
    strings, booleans = evaluate(engine, string), evaluate(engine, "case when {} > 0 then 'b' else 'a' end")
    for dtype, expression in TYPES[engine.dialect].items():
        assert_same(evaluate(engine, expression), booleans if dtype == "boolean" else strings)


@pytest.mark.parametrize("engine", slow("duckdb", "clickhouse"), indirect=True)
@pytest.mark.parametrize("role", ["label", "slice"])
def test_enums_in_two_orders_compare_by_name_or_are_rejected(engine: Any, role: str) -> None:
    """ClickHouse compares their numbers."""
    enum, quote = "(['a', 'b', 'c'][{} + 1])::enum({})", "'"
    if engine.dialect == "clickhouse":
        enum, quote = "cast(['a', 'b', 'c'][{} + 1], 'Enum8({})')", "\\'"

    def result(*orders: str) -> pd.DataFrame:
        names = [", ".join(f"{quote}{name}{quote}" for name in order) for order in orders]
        if role == "label":
            label, prediction = (f"= {enum.format(*both)}" for both in zip(("truth", "called"), names, strict=True))
            return sqlmetrics.evaluate("log", "macro_f1", engine=engine, label=label, prediction=prediction)
        ours, theirs = (f"select truth, called, {enum.format('truth', each)} as c from log" for each in names)
        return sqlmetrics.compare(ours, "mae", against=theirs, label="called", score="truth", by="c", engine=engine)

    expected = result("abc", "abc")
    if engine.dialect == "duckdb":
        assert_same(result("abc", "cab"), expected)
    else:
        with pytest.raises(sqlmetrics.BadData, match=r"compares the numbers behind the names.*toString"):
            result("abc", "cab")
