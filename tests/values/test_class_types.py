"""Classes of types that engines compare and do little else with: the values are those of texts in their place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics.catalogue import builtin_catalogue
from tests.compare import differences
from tests.data import arrow
from tests.engines.servers import ENGINES
from tests.tiers import slow

ROWS = 90
#: Of a whole number below 3 in the column, one value each.
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
        "bit": "({}::integer)::bit(8)", "daterange": "daterange('2026-01-01', date '2026-01-02' + {}::integer)",
        "array": "array[{}, 1]", "inet": "('10.0.0.' || {})::inet", "interval": "make_interval(days => {}::integer)",
        "date": "date '2026-01-01' + {}::integer", "boolean": "{} > 0", "numeric": "{}::numeric(9, 2)",
    },
    "clickhouse": {
        "uuid": "toUUID('00000000-0000-4000-8000-00000000000' || toString({}))", "array": "[{}, 1]",
        "tuple": "tuple({}, 1)", "map": "map('a', {})", "date": "toDate('2026-01-01') + {}", "bool": "({} > 0)::Bool",
        "fixed": "toFixedString(toString({}), 1)", "ip": "toIPv4('10.0.0.' || toString({}))",
    },
}  # fmt: skip
#: What needs nothing of a class but whether two are the same.
METRICS = [
    metric.name
    for metric in builtin_catalogue().metrics.values()
    if metric.truth in ("class", "binary or class") and not metric.table and metric.name != "weighted_kappa"
    if not any(parameter.type == "columns" for parameter in metric.parameters.values())
]


def log() -> pd.DataFrame:
    """Three classes, of which most are called right; three raters of each item."""
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 3, ROWS)
    return pd.DataFrame({
        "truth": truth, "called": np.where(rng.random(ROWS) < 0.6, truth, rng.integers(0, 3, ROWS)),
        "item": np.arange(ROWS) // 3, "device": rng.integers(0, 2, ROWS),
    })  # fmt: skip


@pytest.fixture(scope="module", params=["duckdb", *slow("postgres", "clickhouse")])
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    with ENGINES[request.param]({"log": arrow(log())}) as opened:
        yield opened


def found(engine: Any, metric: str, written: str, **given: Any) -> pd.DataFrame:
    """The answer where the classes are written so."""
    truth, called = (f"= {written.replace('{}', name)}" for name in ("truth", "called"))
    other = {"group": "item"} if metric == "fleiss_kappa" else {"prediction": called}
    return sqlmetrics.evaluate("log", metric, engine=engine, label=truth, **other, **given)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("metric", METRICS)
def test_a_class_of_any_type(engine: Any, metric: str) -> None:
    """Each type in one form of a call, the forms in turn."""
    text = {"postgres": "cast({} as text)", "clickhouse": "toString({})"}.get(engine.dialect, "cast({} as varchar)")
    forms: list[dict[str, Any]] = [{}, {"by": "device"}, {"confidence": 0.9}]
    expected = [found(engine, metric, text, **given) for given in forms]
    for place, (name, written) in enumerate(TYPES[engine.dialect].items()):
        turn = (place + METRICS.index(metric)) % len(forms)
        of_texts = expected[turn]
        if name in ("boolean", "bool"):
            of_texts = found(engine, metric, "case when {} > 0 then 'b' else 'a' end", **forms[turn])
        assert differences(found(engine, metric, written, **forms[turn]), of_texts) == [], (name, forms[turn])


#: A whole number below 3 by its name, of an enum in this order of its names.
_ENUM = {
    "duckdb": "(['a', 'b', 'c'][{} + 1])::enum({})",
    "clickhouse": "cast(['a', 'b', 'c'][{} + 1], 'Enum8({})')",
}


@pytest.mark.parametrize("asked", ["classes", "slices"])
def test_enums_in_two_orders(engine: Any, asked: str) -> None:
    """The names are what is compared, or the call is refused: ClickHouse finds those equal that have one number."""
    if engine.dialect not in _ENUM:
        pytest.skip("an enum is made before it is used there")

    def written(column: str, names: str) -> str:
        quote = "\\'" if engine.dialect == "clickhouse" else "'"
        return _ENUM[engine.dialect].format(column, ", ".join(f"{quote}{name}{quote}" for name in names))

    def answer(order: str, other: str) -> pd.DataFrame:
        if asked == "classes":
            return sqlmetrics.evaluate(
                "log", "macro_f1", engine=engine, label=f"= {written('truth', order)}",
                prediction=f"= {written('called', other)}",
            )  # fmt: skip
        ours, theirs = (f"select truth, called, {written('truth', names)} as kind from log" for names in (order, other))
        call = {"label": "called", "score": "truth", "by": "kind", "engine": engine}
        return sqlmetrics.compare(ours, "mae", against=theirs, **call)

    expected = answer("abc", "abc")
    if engine.dialect == "duckdb":
        assert differences(answer("abc", "cab"), expected) == []
    else:
        with pytest.raises(sqlmetrics.BadData, match=r"compares the numbers behind the names.*toString"):
            answer("abc", "cab")
