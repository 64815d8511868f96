"""Every metric against independent code, on data with ties, one class, no rows and extreme values."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sqlmetrics
from sqlmetrics.catalogue.model import Metric
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests.compare import agree
from tests.data import (
    CLASS_SCORES,
    COLUMNS,
    DATA_TYPES,
    JUDGED,
    PROPENSITIES,
    SUBTOPICS,
    arrow,
    is_missing,
    relations_of,
    sample,
    single_position_of_items,
    slices_of,
)
from tests.oracles import ORACLES, SKIP, Oracle, Within, expected_value
from tests.variants import (
    Call,
    MetricCall,
    base_parameters_of,
    data_types_of,
    is_supported,
    metric_call,
    roles_of,
    sample_values,
    variants,
)

METRICS = builtin_catalogue().metrics
NAN = float("nan")
#: Types of data whose every variant is computed over all rows, where groups count without returned rows.
WHOLE = ("judged", "judged subtopics")

# The rows of an oracle


def usable_rows(data: pd.DataFrame, requested: MetricCall, call: Call) -> pd.DataFrame:
    """The valid rows for a metric, with the roles as columns."""
    metric, parameters = requested.metric, requested.parameters
    used = {role: column for role, column in call.roles.items() if role in metric.roles()}
    if metric.score == "threshold" and "prediction" in used:
        used.pop("score", None)
    if call.data_type in JUDGED:  # the label is that of the judgments
        used.pop("label", None)
        used.pop("subtopic", None)
    needed = [column for role, column in used.items() if role != "tie_key"]
    rows = data
    if "p_price" in used:
        needed = [COLUMNS[role] for role in ("won", "p_price") if role != "won" or parameters["mode"] != "observed"]
        rows = data.assign(**{COLUMNS["p_price"]: _price_needed(data, parameters["mode"])})
    predictions = list((parameters.get("scores") or parameters.get("quantiles") or {}).values())
    usable = rows[[*needed, *predictions]].notna().all(axis=1)
    if metric.frames[-1] == "slates":  # a missing value of a row drops the whole slate
        placed = [COLUMNS[role] for role in ("group", "rank") if role in used]
        incomplete = rows.loc[rows[placed].notna().all(axis=1) & ~usable, COLUMNS["group"]]
        usable &= ~rows[COLUMNS["group"]].isin(incomplete)
    columns = used | {column: column for column in predictions}
    rows = pd.DataFrame({role: data.loc[usable, column] for role, column in columns.items()}, index=data.index[usable])
    if "position" in rows:
        propensities = dict(PROPENSITIES.itertuples(index=False))
        rows["propensity"] = [propensities.get(position, math.nan) for position in rows.pop("position")]
        rows = rows[rows["propensity"].notna()]
    classes = metric.label_type == "class" or (metric.label_type == "binary or class" and "prediction" in used)
    for role in rows:
        if role not in ("group", "item", "subtopic", "field") and not (classes and role in ("label", "prediction")):
            rows[role] = rows[role].astype(float)
    for role in ("weight", "group_weight"):
        if role not in rows:
            rows[role] = 1.0
    rows["rows"] = rows.get("total", 1)
    if "rank" in rows:
        rows["score"] = -rows["rank"]
    if "tie_key" not in rows:  # only recommender lists are then ordered by item
        rows["tie_key"] = math.nan
    if "positives" in rows:
        positive = rows.assign(label=1.0, weight=rows["positives"])
        negative = rows.assign(label=0.0, weight=rows["total"] - rows["positives"], rows=0)
        rows = pd.concat([positive, negative])
    return rows.reset_index(drop=True)


def _price_needed(data: pd.DataFrame, mode: str) -> list[Any]:
    """The probability that a mode reads of each row: a lost bid needs no price, or does not count at all."""
    read = []
    for won, price, survival in data[[COLUMNS[r] for r in ("won", "p_price", "p_survive")]].itertuples(index=False):
        lost = {"observed": price, "uncensored": 1.0, "censored": survival}[mode]
        read.append(price if won == 1 else lost)
    return read


def canonical(relations: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The relations with roles as columns; a judgment without a grade is dropped."""
    roles = {COLUMNS[role]: role for role in ("group", "item", "subtopic", "label")}
    renamed = {name: relation.rename(columns=roles) for name, relation in relations.items()}
    if "judgments" in renamed:
        renamed["judgments"] = renamed["judgments"].dropna().astype({"label": float})
    return renamed


# Comparisons with oracles


@dataclass(frozen=True)
class Expectation:
    """The results of the oracles for one metric in one slice."""

    metric_call: MetricCall
    key: tuple[Any, ...]
    rows: pd.DataFrame
    answers: list[tuple[Oracle, Any]]


def expectations(data: pd.DataFrame, call: Call, by: list[str]) -> list[Expectation]:
    """Every metric of a call in every slice."""
    relations = {"judgments": None, "whole": not by, **canonical(relations_of(data, call.data_type))}
    expected = []
    for key, members in slices_of(data, by):
        cache: dict[Any, pd.DataFrame] = {}  # most metrics of a call count the same rows
        for each in call.metrics:
            oracles = [oracle for oracle in ORACLES.get(each.metric.name, ()) if oracle.takes(each.parameters)]
            assert oracles, f"no oracle for {each}: register it in tests/oracles"
            read = [str(each.parameters.get(name)) for name in ("mode", "scores", "quantiles")]
            shared = (each.metric.label_type, each.metric.score, *each.metric.roles(), *read)
            if shared not in cache:
                cache[shared] = usable_rows(members, each, call)
            parameters = {**each.parameters, **relations}
            answers = [(oracle, expected_value(oracle, cache[shared], parameters)) for oracle in oracles]
            answers = [(oracle, value) for oracle, value in answers if value is not SKIP]
            expected.append(Expectation(each, key, cache[shared], answers))
    return expected


def compare(result: pd.DataFrame, expected: list[Expectation], call: Call, by: list[str]) -> set[Oracle]:
    """Check every metric of a result in every slice; return the oracles that returned a value."""
    answered: set[Oracle] = set()
    keys = [tuple(None if is_missing(v) else v for v in row) for row in result[by].itertuples(index=False)]
    slices = {key: result[np.array([other == key for other in keys], dtype=bool)] for key in dict.fromkeys(keys)}
    for each in expected:
        ours = slices.get(each.key, result[:0]) if by else result
        # A slice without valid rows has no row in the result.
        if ours.empty and each.rows.empty:
            continue
        for oracle, theirs in each.answers:
            answered.add(oracle)
            for problem in _differences(ours, theirs, each.metric_call, call):
                pytest.fail(f"{oracle}, {each.metric_call}, slice {each.key}: {problem}\n{each.rows.to_string()}")
    return answered


def _differences(ours: pd.DataFrame, theirs: Any, each: MetricCall, call: Call) -> Iterator[str]:
    is_table = isinstance(theirs, pd.DataFrame)
    rows = len(theirs) if is_table else 1
    if len(ours) != rows:
        yield f"{len(ours)} rows, expected {rows}\n{ours}\n{theirs}"
        return
    if is_table:
        pairs = [
            (call.roles["group"] if column == "group" else column, theirs[column])
            for column in theirs.columns
            if column in each.metric.columns
        ]
    else:
        values = theirs if isinstance(theirs, dict) else {each.metric.columns[0]: theirs}
        pairs = [(each.columns[column], [value]) for column, value in values.items()]
    for column, expected in pairs:
        for a, b in zip(ours[column], expected, strict=True):
            if isinstance(b, Within):
                if is_missing(a) or not b.low <= a <= b.high:
                    yield f"{column} is {a!r}, expected {b.low!r} to {b.high!r}"
            elif not agree(a, b, 1e-9):
                yield f"{column} is {a!r}, expected {b!r}"


# Every metric, type of data and parameter


def test_oracles_cover_every_value_of_every_parameter() -> None:
    assert sorted(ORACLES) == sorted(METRICS)
    for metric in METRICS.values():
        values = {parameter.name: sample_values(parameter) for parameter in metric.parameters.values()}
        combinations = [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]
        missing = [c for c in combinations if not any(oracle.takes(c) for oracle in ORACLES[metric.name])]
        assert not missing, f"{metric.name}: no oracle takes {missing[:3]}, and {len(missing)} in all"
        for parameter in metric.parameters.values():
            exercised = [metric_call(metric, case).parameters[parameter.name] for case in variants(metric)]
            assert all(choice in exercised for choice in parameter.choices), f"{metric.name}: {parameter.name}"


def families() -> list[list[Metric]]:
    """The metrics, or the metric of `python -m tests.check`, by the types of data that they take."""
    only = os.environ.get("SQLMETRICS_CHECK")
    by_kinds: dict[tuple[str, ...], list[Metric]] = {}
    for metric in METRICS.values():
        if only in (None, metric.name):
            by_kinds.setdefault(tuple(data_types_of(metric)), []).append(metric)
    return [*by_kinds.values()]


def weighed_calls(family: list[Metric], data_type: str) -> Iterator[Call]:
    """The metrics that support weights of rows or of groups, with these weights."""
    for role in ("weight", "group_weight"):
        metrics = [metric for metric in family if role in metric.roles()]
        scalars = [metric for metric in metrics if not metric.table]
        for chosen in [*([scalars] if scalars else []), *([metric] for metric in metrics if metric.table)]:
            roles = {name: column for metric in chosen for name, column in roles_of(metric, data_type).items()}
            requested = tuple(metric_call(metric, base_parameters_of(metric, data_type)) for metric in chosen)
            call = Call(data_type, data_type, requested, roles | {role: COLUMNS[role]})
            yield call.weighable if role == "group_weight" else call


@pytest.mark.parametrize("family", families(), ids=lambda family: family[0].name)
def test_every_data_type(family: list[Metric]) -> None:
    """On each type of data that the metrics take, with and without weights; each oracle returns a value for some."""
    answered: set[Oracle] = set()
    for number, data_type in enumerate(data_types_of(family[0])):
        together: list[MetricCall] = []
        apart: list[list[MetricCall]] = []
        roles: dict[str, str] = {}
        for metric in family:
            # Types in WHOLE compute every variant on both data sets; the others only on the first, as random data has
            # variants too.
            cases = variants(metric) if number == 0 or data_type in WHOLE else [base_parameters_of(metric, data_type)]
            metric_calls = [metric_call(metric, case) for case in cases if is_supported(case, data_type)]
            if metric.table:
                apart += [[each] for each in metric_calls]
            else:
                together += metric_calls
                roles |= roles_of(metric, data_type)
        data = sample(data_type).astype(object)
        by = [] if data_type in WHOLE else ["country"]
        calls = [
            Call(
                data_type,
                data_type,
                tuple(metrics),
                roles if metrics is together else roles_of(metrics[0].metric, data_type),
            )
            for metrics in ([together, *apart] if together else apart)
        ]
        for call in [*calls, *(weighed_calls(family, data_type) if number == 0 else [])]:
            result = call.evaluate(arrow(data), relations=relations_of(data, data_type), by=by or None)
            answered |= compare(result, expectations(data, call, by), call, by)
    silent = [str(oracle) for metric in family for oracle in ORACLES[metric.name] if oracle not in answered]
    assert silent == []


# Cases that random data never has


def test_metrics_drop_only_the_rows_without_their_own_values() -> None:
    roles = {"label": "grade", "score": "score", "group": "query", "item": "ad"}
    rows = pa.table({"query": ["a", "a", "a", None], "ad": [1, 2, None, 3], "grade": [0, 1, 1, 0],
                     "score": [0.9, 0.1, 1.0, 0.5]})  # fmt: skip
    judgments = pa.table({"query": ["a", "a", "b"], "ad": [1, 2, 1], "grade": [0, 1, 1]})
    with pytest.warns(sqlmetrics.DroppedRows):
        result = sqlmetrics.evaluate(rows, ["mrr", "auc"], **roles, judgments=judgments)
    # The relevant item of `a` is second of two; `b` has no returned items. Scores 1.0 and 0.1 against 0.9 and 0.5.
    assert result[["mrr", "auc"]].iloc[0].tolist() == [0.25, 0.5]


def test_multi_log_loss_rejects_a_class_without_a_column() -> None:
    rows = pa.table({"label": ["cat", "it's"], "p_cat": [0.5, 0.5]})
    with pytest.raises(sqlmetrics.BadData, match="a class without a column"):
        sqlmetrics.evaluate(rows, [{"name": "multi_log_loss", "scores": {"cat": "p_cat"}}], label="label")


# Random data

BINARY_LABELS = [[0.0, 1.0], [0.0], [1.0], [0.0] * 30 + [1.0]]
PROBABILITIES = [
    [i / 10 for i in range(11)], [0.25, 0.5, 0.75], [0.0, 5e-324, 1e-300, 1e-17, 0.29, 0.5, 1 - 1e-16, 1.0], [0.5],
    [0.0],
]  # fmt: skip
ANY_SCORES = [
    *PROBABILITIES,
    [-1e300, -2.5, -0.0, 0.0, 1e-300, 3.0, 1e300],
    [float("-inf"), 0.5, 1.0, float("inf")],
    [float("-inf"), -0.0, 0.0],
    [0.5, 0.5 + 1e-9, 0.5 - 1e-9, -0.5],  # equal as 32-bit numbers, but for the last
]
NUMBER_LABELS = [[0.0], [0.1], [-2.0, 0.5, 0.0, 7.25], [1e-200, 1e6, 3.0, -1e9], [1e9, 1e9 + 0.5, 1e9 + 1, 1e9 + 7]]
NUMBERS = [[0.0], [-2.0, 0.5, 0.0, 7.25], [1e-300, 1e6, 3.0, -1e9], [0.1 * i for i in range(30)], [1e9, 1e9 + 0.25]]
COUNTS = [[0.0, 1.0, 2.0, 7.0], [0.0], [0.5, 3.0, 1e6]]
POSITIVE_NUMBERS = [[1.0, 2.5, 7.0], [0.1], [1e-3, 3.0, 1e6]]
AMOUNTS = [[0.0], [-0.5, 0.0, 1e-300, 1e-9, 1e12], [0.0, 1.0, 2.0, 7.0]]
GRADES = [[0.0, 1.0], [0.0], [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0], [1.0], [0.5, 1.5, 2.0]]
GRADES_OF_SUBTOPICS = [[0.0, 1.0], [0.0], [0.0, 0.0, 0.5, 1.0], [1.0]]
SIGNED_GRADES = [[-1.0, 0.0, 1.0, 3.0], [-2.0], [-0.5, 1.0]]
CLASSES = [["a", "b"], ["a"], ["a", "b", "c", "ü", ""]]
RATINGS = [[1.0, 2.0, 5.0], [0.0, 1.0], [1e6, 1e6 + 1], [3.0]]
GROUPS = [["only"], ["a", "a", "a", "a", "b", "c", "it's"], [1, 2, 3, 4, 5, 6, 7, 8, 9], [7]]
# The last ones are no sums of few powers of two, so that sums of doubles are rounded.
WEIGHTS = [[1.0], [0.0, 0.25, 1.0, 3.5], [0.0], [0.25, 1e6], [1e-5, 0.1, 1e6]]
#: Labels by type of data, where they are not binary or grades.
LABELS: dict[str, list[list[Any]]] = {
    **{"numbers": NUMBER_LABELS, "amounts": AMOUNTS, "forecasts": NUMBER_LABELS, "counts": COUNTS},
    **{"positive numbers": POSITIVE_NUMBERS, "signed grades": SIGNED_GRADES, "ratings": RATINGS},
    **{"subtopics": GRADES_OF_SUBTOPICS, "ranked subtopics": GRADES_OF_SUBTOPICS},
    **{"classes": CLASSES, "rated classes": CLASSES, "class scores": [list(CLASS_SCORES), ["cat"]]},
}
SCORES = {"numbers": NUMBERS, "amounts": AMOUNTS, "counts": POSITIVE_NUMBERS, "positive numbers": POSITIVE_NUMBERS}


def pick(rng: np.random.Generator, values: Sequence[Any]) -> Any:
    return values[rng.integers(len(values))]


def random_log(rng: np.random.Generator, data_type: str, any_score: bool, most: int) -> pd.DataFrame:
    missing, rows = rng.random() < 0.5, int(rng.integers(most // 2, most + 1))
    scale = 2.0 ** pick(rng, [0, 0, -40, 30])
    graded = data_type in ("grades", "ranks", *JUDGED)
    any_score_fits = any_score or graded or data_type in ("signed grades", "subtopics", "lists")
    groups = pick(rng, GROUPS)
    strings = data_type in ("classes", "class scores", "rated classes")

    def cells(pools: Sequence[Sequence[Any]], nan: bool = True, missing: bool = missing) -> list[Any]:
        pool = pick(rng, pools)
        if missing and rng.random() < 0.5:
            pool = [*pool, *pool, *pool, None, *([NAN] if nan else [])]
        return [pick(rng, pool) for _ in range(rows)]

    grades = GRADES_OF_SUBTOPICS if data_type == "judged subtopics" else GRADES
    probabilities = [PROBABILITIES[0], PROBABILITIES[2]]
    counts = rng.integers(0, 6, (rows, 2)) * scale
    importance = pick(rng, [[1.0], [0.5, 2.0], [0.0, 1.0]])
    users = cells([groups], nan=False)
    # A forecast is never partly missing: its bounds come from a middle and a width.
    middle, width = cells(NUMBERS), cells([[0.0], [0.0, 0.5, 3.0], [1e6]])
    bounds = [
        (None, None) if None in pair else (pair[0] - pair[1], sum(pair)) for pair in zip(middle, width, strict=True)
    ]
    parts = cells([[(0.5, 0.25, 0.25), (0.0, 1.0, 0.0)], [(0.0, 0.0, 0.0), (1e-300, 0.3, 0.9)]], missing=False)
    columns = {
        "clicked": cells(LABELS.get(data_type, GRADES if graded else BINARY_LABELS), nan=not strings),
        "pctr": cells(SCORES.get(data_type, ANY_SCORES if any_score_fits else PROBABILITIES)),
        "called": cells(CLASSES if data_type == "classes" else BINARY_LABELS, nan=not strings),
        "user_id": users, "place": cells([[1.0, 2.0, 3.0], [float(i) for i in range(1, 40)]]),
        "doc": cells([list(range(40)), [1, 2]], nan=False),
        "w": [w and w * scale for w in cells(WEIGHTS[:4] if data_type in (*SCORES, "forecasts") else WEIGHTS)],
        "campaign": cells([["x", "y"]], nan=False), "device": cells([["phone", "desktop"]], nan=False, missing=True),
        "country": cells([["de", "at", "ch"]], nan=False), "hour": cells([[1, 2]], nan=False),
        "views": counts.max(axis=1, initial=0), "clicks": counts.min(axis=1, initial=1e300),
        "mass": cells(probabilities), "tail": cells(probabilities), "taken": cells(BINARY_LABELS),
        "earned": cells([[0.0, 1.0], [0.0], [-2.5, 0.0, 0.1, 1e6]]),
        "logged": cells([[1 / 64, 0.1, 0.5, 1.0], [1.0], [1e-6, 0.3]]),
        "shown_at": cells([[1.0, 2.0, 3.0], [5.0], [float(i) for i in range(-1, 9)]]),
        "chosen": cells([*probabilities, [0.0]]), "hoped": cells([PROBABILITIES[0], [-1.0, 0.0, 2.5]]),
        "hoped_of_all": cells([PROBABILITIES[0], [-1.0, 0.0, 2.5]]), "treated": cells(BINARY_LABELS),
        "lasted": cells([[1.0, 2.0, 3.0], [float(i) for i in range(1, 40)], [0.0, -0.5, 1e12]]),
        "low": [low for low, _ in bounds], "middle": middle, "high": [high for _, high in bounds],
        **{column: [part[index] for part in parts] for index, column in enumerate(CLASS_SCORES.values())},
        "importance": [importance[len(str(user)) % len(importance)] for user in users],
        # An item may be listed once, so each row has its own; some have none.
        "ad": [None if missing and row % 7 == 5 else (row * 37) % 101 for row in range(rows)],
        "aspect": [None if missing and row % 11 == 7 else f"aspect {row % 3}" for row in range(rows)],
        "grade": cells(grades, missing=True), "other_grade": cells(grades), "missed": np.arange(rows) + 200,
        "ghost": cells([[*groups, "ghost" if isinstance(groups[0], str) else 99]], nan=False),
    }  # fmt: skip
    data = pd.DataFrame({name: pd.Series(list(values), dtype=object) for name, values in columns.items()})
    if missing:  # phones also have no weight, so their sums are 0
        data.loc[data["device"] == "phone", ["w", "views", "clicks"]] = 0.0
    return single_position_of_items(data, np.arange(rows) // 3) if data_type in SUBTOPICS else data


def random_call(rng: np.random.Generator, data_type: str, metrics: Sequence[Metric]) -> Call:
    """The metrics, each with any value of each of its parameters and any weights."""
    metric_calls, roles = {}, {}
    # Each metric of a long list appears once: repeated metrics would take a second per example.
    for metric in [*metrics, *([] if len(metrics) > 12 or metrics[0].table else metrics)]:
        base = base_parameters_of(metric, data_type)
        chosen = dict(base)
        for name, parameter in metric.parameters.items():
            if name != "negative" or name not in base:
                value = pick(rng, [v for v in sample_values(parameter) if is_supported(base | {name: v}, data_type)])
                chosen |= {} if value is None else {name: value}
        requested = metric_call(metric, chosen)
        metric_calls[requested.name] = requested
        roles |= roles_of(metric, data_type)
    for role in ("weight", "group_weight"):
        weighable = any(role in metric.roles() for metric in metrics) and data_type != "pre-aggregated"
        if weighable and rng.random() < 0.5:
            roles[role] = COLUMNS[role]
    call = Call(data_type, data_type, tuple(metric_calls.values()), roles)
    return call.weighable if "group_weight" in roles else call


RANDOM = [(data_type, False) for data_type in DATA_TYPES] + [("labels", True), ("pre-aggregated", True)]


@pytest.mark.slow
@pytest.mark.parametrize(("data_type", "any_score"), RANDOM, ids=[f"{k}{'-any-score' if s else ''}" for k, s in RANDOM])
def test_random_data(data_type: str, any_score: bool) -> None:
    metrics = [metric for metric in METRICS.values() if data_type in data_types_of(metric)]
    assert metrics, "some metric takes it"
    for example, most in enumerate((40, 12, 2)):
        rng = np.random.default_rng([example, RANDOM.index((data_type, any_score))])
        data = random_log(rng, data_type, any_score, most)
        fits = [metric for metric in metrics if not (any_score and metric.score == "probability")]
        if (data["views"].astype(float) % 1).any():  # metrics that count rows reject fractions of rows
            fits = [metric for metric in fits if not metric.no_weight]
        scalars, tables = ([metric for metric in fits if metric.table is table] for table in (False, True))
        by = pick(rng, [[], [], ["device"], ["device", "hour"], ["country", "device", "hour"]])
        for chosen in (scalars, tables and [pick(rng, tables)]):
            if chosen:
                call = random_call(rng, data_type, chosen)
                result = call.evaluate(typed(data), relations=relations_of(data, data_type), by=by or None)
                compare(result, expectations(data, call, by), call, by)


def typed(data: pd.DataFrame) -> pa.Table:
    """As an Arrow table whose columns have a type even where all values are missing."""
    table = arrow(data)
    types = {name: pa.string() for name in ("device", "country", "campaign", "aspect")}
    fields = [
        pa.field(each.name, types.get(each.name, pa.float64())) if pa.types.is_null(each.type) else each
        for each in table.schema
    ]
    return table.cast(pa.schema(fields))
