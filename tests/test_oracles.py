"""Every metric against someone else's code, on data drawn to hurt: ties, one class, no rows, missing values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sqlmetrics.catalogue import Metric, builtin_catalogue

from .calls import (
    COLUMNS,
    KINDS,
    Asking,
    Call,
    Parameters,
    agree,
    arrow,
    asking,
    base_parameters,
    calls,
    can_ask,
    is_missing,
    kinds_of,
    roles_of,
    sample,
    sample_values,
    slices_of,
    variants,
)
from .oracles import ORACLES, SKIP, Oracle, expected_value
from .oracles.ranking import expected_in_places

METRICS = builtin_catalogue().metrics
NAN = float("nan")
CASES = [(metric, parameters) for metric in METRICS.values() for parameters in variants(metric)]


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect()
    connection.execute("set threads = 1")
    yield connection
    connection.close()


# Rows as an oracle wants them


def usable_rows(data: pd.DataFrame, one: Asking, roles: Mapping[str, str]) -> pd.DataFrame:
    """The rows that count for a metric, with canonical columns."""
    metric = one.metric
    used = {role: column for role, column in roles.items() if role in metric.roles()}
    if metric.score == "threshold" and "prediction" in used:
        used.pop("score", None)
    needed = [column for role, column in used.items() if role != "tie_key"]
    kept = np.array([not any(map(is_missing, row)) for row in data[needed].itertuples(index=False)], dtype=bool)
    rows = pd.DataFrame({role: data.loc[kept, column] for role, column in used.items()}, index=data.index[kept])
    classes = metric.truth == "class" or (metric.truth == "binary or class" and "prediction" in used)
    for role in rows:
        if role not in ("group", "item", "field") and not (classes and role in ("label", "prediction")):
            rows[role] = rows[role].astype(float)
    for role in ("weight", "group_weight"):
        if role not in rows:
            rows[role] = 1.0
    rows["rows"] = 1
    if "rank" in rows:
        rows["score"] = -rows["rank"]
    if "positives" in rows:
        yes = rows.assign(label=1.0, weight=rows["positives"])
        no = rows.assign(label=0.0, weight=rows["total"] - rows["positives"], rows=0)
        rows = pd.concat([yes, no])
    return rows


# Comparing


def compare(result: pd.DataFrame, data: pd.DataFrame, call: Call, by: list[str]) -> set[Oracle]:
    """Check every metric of a result in every slice; the oracles that had an answer."""
    answered: set[Oracle] = set()
    keys = [tuple(None if is_missing(v) else v for v in row) for row in result[by].itertuples(index=False)]
    members = {key: set(rows.index) for key, rows in slices_of(data, by)}
    canonical: dict[Any, pd.DataFrame] = {}
    for one in call.asked:
        oracles = [oracle for oracle in ORACLES[one.metric.name] if oracle.takes(one.parameters)]
        assert oracles, f"no oracle for {one.name}"
        used = (one.metric.truth, one.metric.score, *one.metric.roles())  # what usable_rows looks at
        if used not in canonical:
            canonical[used] = usable_rows(data, one, call.roles)
        for key, index in members.items():
            ours = result[[other == key for other in keys]] if by else result
            rows = canonical[used]
            rows = rows[rows.index.isin(index)] if by else rows
            # A slice all of whose rows were left out has no row of its own.
            if ours.empty and rows.empty:
                continue
            for oracle in oracles:
                theirs = expected_value(oracle, rows, one.parameters)
                if theirs is not SKIP:
                    answered.add(oracle)
                    problem = _difference(ours, theirs, one, call)
                    assert problem is None, f"{oracle}, {one.name}, slice {key}: {problem}\n{rows.to_string()}"
    return answered


def _difference(ours: pd.DataFrame, theirs: Any, one: Asking, call: Call) -> str | None:
    if isinstance(theirs, pd.DataFrame):
        if len(ours) != len(theirs):
            return f"{len(ours)} rows, expected {len(theirs)}\n{ours}\n{theirs}"
        pairs = [
            (call.roles["group"] if column == "group" else column, theirs[column])
            for column in theirs.columns
            if column in one.metric.columns
        ]
    else:
        if len(ours) != 1:
            return f"{len(ours)} rows for one slice"
        values = theirs if isinstance(theirs, dict) else {one.metric.columns[0]: theirs}
        pairs = [(one.columns[column], [value]) for column, value in values.items()]
    for column, expected in pairs:
        for a, b in zip(ours[column], expected, strict=True):
            if isinstance(a, float) and math.isinf(a) and column != "threshold":
                return f"{column} is infinite"
            if not agree(a, b, 1e-9):
                return f"{column} is {a!r}, expected {b!r}"
    return None


# The register is complete


def test_every_metric_has_an_oracle() -> None:
    missing = [name for name in METRICS if name not in ORACLES]
    assert not missing, f"no oracle in tests/oracles for {missing}"
    strangers = [name for name in ORACLES if name not in METRICS]
    assert not strangers, f"an oracle for no metric: {strangers}"


@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
def test_every_value_of_every_parameter_has_an_oracle(metric: Metric) -> None:
    values = {parameter.name: sample_values(parameter) for parameter in metric.parameters.values()}
    combinations = [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]
    lonely = [c for c in combinations if not any(oracle.takes(c) for oracle in ORACLES.get(metric.name, []))]
    assert not lonely, f"{metric.name}: no oracle takes {lonely[:3]}, and {len(lonely)} in all"
    for parameter in metric.parameters.values():
        exercised = [asking(metric, case).parameters[parameter.name] for case in variants(metric)]
        assert all(choice in exercised for choice in parameter.choices), f"{metric.name}: {parameter.name}"


@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
def test_every_variant(metric: Metric, con: duckdb.DuckDBPyConnection) -> None:
    """One by one, on plain data of two slices; every oracle must have had an answer for some of it."""
    answered: set[Oracle] = set()
    for kind in kinds_of(metric):
        plain = sample(kind).astype(object)
        # The second scores are never on the edge of a bin, where tools differ.
        for data in [plain, plain.assign(pctr=(2 * plain["pctr"] + 0.503) / 3)]:
            askings = tuple(asking(metric, case) for case in variants(metric) if can_ask(case, kind))
            for asked in [(one,) for one in askings] if metric.table else [askings]:
                call = Call(kind, kind, asked, roles_of(metric, kind))
                answered |= compare(call.evaluate(arrow(data), con=con, by="country"), data, call, ["country"])
    assert answered >= set(ORACLES[metric.name])


def test_average_over_ties_is_the_mean_over_all_orders() -> None:
    """The shortcut that the oracles take for ties='average' is what the catalogue says it is."""
    blocks = [[0.0, 2.0, 1.0], [0.0, 3.0], [1.0]]
    members = [SimpleNamespace(label=label, score=-place) for place, block in enumerate(blocks) for label in block]
    orders = [list(itertools.chain(*order)) for order in itertools.product(*map(itertools.permutations, blocks))]
    assert expected_in_places(members, lambda label: label, "average") == pytest.approx(np.mean(orders, axis=0))


# Random data

BINARY_LABELS = [[0.0, 1.0], [0.0], [1.0], [0.0] * 30 + [1.0]]
PROBABILITIES = [
    [i / 10 for i in range(11)],
    [0.25, 0.5, 0.75],
    [0.0, 5e-324, 1e-300, 1e-17, 0.29, 0.5, 1 - 1e-16, 1.0],
    [0.5],
    [0.0],
]
ANY_SCORES = [*PROBABILITIES, [-1e300, -2.5, -0.0, 0.0, 1e-300, 3.0, 1e300], [float("-inf"), 0.5, 1.0, float("inf")]]
NUMBERS = [[0.0], [-2.0, 0.5, 0.0, 7.25], [1e-300, 1e6, 3.0, -1e9], [0.1 * i for i in range(30)]]
GRADES = [[0.0, 1.0], [0.0], [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0], [1.0], [0.5, 1.5, 2.0]]
CLASSES = [["a", "b"], ["a"], ["a", "b", "c", "ü", ""]]
GROUPS = [["only"], ["a", "a", "a", "a", "b", "c", "it's"], [1, 2, 3, 4, 5, 6, 7, 8, 9], [7]]


@dataclass
class Log:
    """Drawn rows, and how they are to be asked."""

    data: pd.DataFrame
    scalars: Call | None
    table: Call | None
    by: list[str]

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ARG002
        printer.text(f"{self.scalars}, {self.table}, by {self.by}")


def _cells(draw: Any, pools: list[list[Any]], missing: bool, nan: bool = True) -> st.SearchStrategy[Any]:
    pool = draw(st.sampled_from(pools))
    if missing and draw(st.booleans()):
        pool = pool * 3 + ([None, NAN] if nan else [None])
    return st.sampled_from(pool)


@st.composite
def logs(draw: Any, kind: str, any_score: bool) -> Log:
    missing = draw(st.booleans())
    scale = 2.0 ** draw(st.sampled_from([0, 0, -40, 30]))
    labels = {"numbers": NUMBERS, "grades": GRADES, "ranks": GRADES, "classes": CLASSES}.get(kind, BINARY_LABELS)
    scores = NUMBERS if kind == "numbers" else ANY_SCORES if any_score or kind == "grades" else PROBABILITIES
    cells = {
        "clicked": _cells(draw, labels, missing, nan=kind != "classes"),
        "pctr": _cells(draw, scores, missing),
        "called": _cells(draw, CLASSES if kind == "classes" else BINARY_LABELS, missing, nan=kind != "classes"),
        "user_id": _cells(draw, GROUPS, missing, nan=False),
        "ad": st.integers(0, 5),
        "place": _cells(draw, [[1.0, 2.0, 3.0], [float(i) for i in range(1, 40)]], missing),
        "doc": _cells(draw, [list(range(40)), [1, 2]], missing, nan=False),
        "w": _cells(draw, [[1.0], [0.0, 0.25, 1.0, 3.5], [0.0]], missing),
        "campaign": _cells(draw, [["x", "y"]], missing, nan=False),
        "device": _cells(draw, [["phone", "desktop"]], True, nan=False),
        "country": _cells(draw, [["de", "at", "ch"]], missing, nan=False),
        "hour": _cells(draw, [[1, 2]], missing, nan=False),
        "views": st.integers(0, 5),
        "clicks": st.integers(0, 5),
    }
    rows = draw(st.lists(st.tuples(*cells.values()), max_size=draw(st.sampled_from([2, 12, 40]))))
    data = pd.DataFrame(rows, columns=list(cells), dtype=object)
    data["w"] = [w * scale if w is not None else None for w in data["w"]]
    data["clicks"] = [float(min(pair)) * scale for pair in zip(data["clicks"], data["views"], strict=True)]
    data["views"] = [float(views) * scale for views in data["views"]]
    importance = draw(st.sampled_from([[1.0], [0.5, 2.0], [0.0, 1.0]]))
    data["importance"] = [importance[len(str(user)) % len(importance)] for user in data["user_id"]]

    metrics = [metric for metric in METRICS.values() if kind in kinds_of(metric)]
    if any_score:
        metrics = [metric for metric in metrics if metric.score != "probability"]
    tables = [metric for metric in metrics if metric.table]
    askings = [_drawn(draw, metric, kind) for metric in metrics if not metric.table for _ in range(2)]
    scalars = _call(draw, kind, list({one.name: one for one in askings}.values()))
    table = _call(draw, kind, [_drawn(draw, draw(st.sampled_from(tables)), kind)]) if tables else None
    by = draw(st.sampled_from([[], [], ["device"], ["device", "hour"], ["country", "device", "hour"]]))
    return Log(data, scalars, table, by)


def _drawn(draw: Any, metric: Metric, kind: str) -> Asking:
    """A metric with any value of each of its parameters."""
    parameters: Parameters = {}
    for parameter in metric.parameters.values():
        values = [value for value in sample_values(parameter) if can_ask({parameter.name: value}, kind)]
        value = draw(st.sampled_from(values))
        if value is not None:
            parameters[parameter.name] = value
    return asking(metric, {**base_parameters(metric), **parameters})


def _call(draw: Any, kind: str, asked: list[Asking]) -> Call | None:
    if not asked:
        return None
    roles: dict[str, str] = {}
    for one in asked:
        roles |= roles_of(one.metric, kind)
    for role in ("weight", "group_weight"):
        if any(role in one.metric.roles() for one in asked) and kind != "pre-aggregated" and draw(st.booleans()):
            roles[role] = COLUMNS[role]
    return Call(kind, kind, tuple(asked), roles)


RANDOM = [(kind, False) for kind in KINDS] + [("labels", True), ("pre-aggregated", True)]


@pytest.mark.parametrize(("kind", "any_score"), RANDOM, ids=[f"{k}{'-any-score' if s else ''}" for k, s in RANDOM])
def test_random_data(kind: str, any_score: bool, con: duckdb.DuckDBPyConnection) -> None:
    if not any(call.kind == kind for call in calls()):
        pytest.fail(f"no metric is asked of {kind}")

    @settings(
        derandomize=True,
        deadline=None,
        database=None,
        max_examples=25,
        # The failing rows are printed. To make them fewer takes thousands of queries, so minutes.
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(logs(kind, any_score))
    def check(log: Log) -> None:
        table = typed(log.data)
        for call in (log.scalars, log.table):
            if call is not None:
                result = call.evaluate(table, con=con, by=log.by or None)
                compare(result, log.data, call, log.by)

    check()


def typed(data: pd.DataFrame) -> Any:
    """As an Arrow table whose columns have a type even where no value tells it."""
    table = arrow(data)
    texts = ("device", "country", "campaign")
    import pyarrow as pa

    for place, name in enumerate(table.column_names):
        if pa.types.is_null(table.schema.field(name).type):
            kind = pa.string() if name in texts else pa.float64()
            table = table.set_column(place, name, table[name].cast(kind))
    return table
