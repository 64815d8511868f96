"""The failures of the generic tests of the dbt package on several engines, without dbt."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sqlmetrics
from sqlmetrics.catalogue.registry import builtin_catalogue
from tests.data import arrow, relations_of, sample
from tests.dbt.test_reference import made
from tests.engines.servers import ENGINES
from tests.parameters import slow
from tests.variants import base_parameters_of, data_types_of, quiet, roles_of

OTHERS = ("postgres", "bigquery")
CLICKS = {"label": "clicked", "score": "pctr"}
CLUSTERS: dict[str, Any] = {"confidence": 0.9, "cluster": "user_id"}
#: One metric for each set of rules for its values.
METRICS = list({
    repr((metric.rules, data_types_of(metric)[0])): metric.name
    for metric in builtin_catalogue().metrics.values() if not metric.table and metric.name in metric.columns
}.values())  # fmt: skip
#: Metrics on the other engines: rules of a single metric, of labels, gains and weights of actions.
ON_ENGINES = ["debiased_ece", "krippendorff_alpha", "tweedie_deviance", "gamma_deviance", "interval_score", "rmsle",
              "uplift_auc", "utility", "switch_dr"]  # fmt: skip
#: Values outside the ranges of small integers, fractions and infinities.
ODD_NUMBERS = [200.0, -200.0, 99_999.0, 1e10, 0.5, 1.5, -1e-9, math.inf, -math.inf]


def table_of(data_type: str) -> str:
    return data_type.replace(" ", "_")


def log_of(devices: dict[str, int], seed: int) -> pd.DataFrame:
    """A log with a number of rows for each device; each user has one device."""
    rng = np.random.default_rng(seed)
    device = np.repeat(list(devices), list(devices.values()))
    clicked = np.arange(len(device)) % 2.0
    return pd.DataFrame({
        "device": device, "clicked": clicked, "pctr": (rng.random(len(device)) * 0.7 + clicked / 4).round(3),
        "other": rng.random(len(device)).round(3), "user_id": [f"{of} {row % 9}" for row, of in enumerate(device)],
    })  # fmt: skip


def log_with_degenerate_slices(right: bool) -> pd.DataFrame:
    """Slices without an interval, with one cluster or with clusters of equal values, and others."""
    rng = np.random.default_rng(3)
    parts = []
    for device, users, rate in [("one user", 1, 0.5), ("never", 6, 0.0), ("always", 6, 1.0), ("one of each", 2, 0.5),
                                ("hardly", 8, 0.1), ("some", 12, 0.5)]:  # fmt: skip
        rows = 6 * users
        rates = np.full(rows, rate) if device != "hardly" else np.arange(rows) == 3
        called = rates if right else rng.random(rows) < 0.5
        parts.append(pd.DataFrame({
            "device": device, "user_id": [f"{device} {row % users}" for row in range(rows)],
            "clicked": (rng.random(rows) < rates).astype(float), "pctr": np.where(called, 0.75, 0.25),
            "other": rng.random(rows).round(3),
        }))  # fmt: skip
    return pd.concat(parts, ignore_index=True)


@functools.cache
def tables() -> dict[str, pa.Table]:
    """The logs of all tests, and the numbered sample rows of each type of data."""
    frames = {
        "many": log_of({"phone": 60, "desktop": 50, "tv": 40}, 1),
        "few": log_of({"phone": 5, "desktop": 50, "tv": 19}, 2),
        "fewer": log_of({"phone": 60, "tv": 3}, 3),
        "all_right": log_with_degenerate_slices(right=True),
        "all_wrong": log_with_degenerate_slices(right=False),
    }
    for data_type in {data_types_of(builtin_catalogue().metrics[name])[0] for name in METRICS}:
        rows = sample(data_type)
        frames[table_of(data_type)] = rows.assign(row_number=range(len(rows)))
        for name, relation in relations_of(rows, data_type).items():
            frames[f"{table_of(data_type)}_{name}"] = relation
    result = {name: arrow(table) for name, table in frames.items()}
    return {**result, "empty": result["many"].slice(0, 0)}


def device_of(row: dict[str, Any]) -> str:
    """The device in the slice of a failure."""
    return str(row["slice"]).removeprefix("device=")


class Tests:
    """The generic tests of one engine."""

    __test__ = False

    def __init__(self, engine: Any, folder: Any) -> None:
        self._engine = engine
        self.macros = made(engine.dialect, folder)
        self.double = self.macros.type_double()  # the type name of 64-bit floats

    def failures(self, test: str, relation: str, /, **arguments: Any) -> list[dict[str, Any]]:
        text = str(getattr(self.macros, f"test_{test}")(relation, **arguments))
        rows: list[dict[str, Any]] = self._engine.query(text).to_dict("records")
        return rows

    def devices(self, test: str, relation: str, **arguments: Any) -> set[str]:
        """The devices of the failures."""
        return {device_of(row) for row in self.failures(test, relation, **arguments)}


def cases(names: str, quick: list[Any], more: list[Any], elsewhere: list[Any]) -> pytest.MarkDecorator:
    """Parameters: quick and slow ones on DuckDB, and those of the other engines."""
    rows = [*(("duckdb", *row) for row in quick), *slow(*(("duckdb", *row) for row in more)),
            *slow(*((engine, *row) for engine in OTHERS for row in elsewhere))]  # fmt: skip
    return pytest.mark.parametrize(f"tests, {names}", rows, indirect=["tests"])


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Tests]]:
    """Each engine, started on first use."""
    with ExitStack() as until:
        yield functools.cache(
            lambda name: Tests(until.enter_context(ENGINES[name](tables())), tmp_path_factory.mktemp(name))
        )


@pytest.fixture(params=["duckdb", *slow(*OTHERS)])
def tests(request: pytest.FixtureRequest, started: Callable[[str], Tests]) -> Tests:
    return started(request.param)


SIDES = [("few", "fewer", {"confidence": 0.9}), ("empty", "many", {**CLUSTERS, "strict": True}), ("many", "few", {}),
         ("fewer", "many", CLUSTERS), ("many", "empty", {})]  # fmt: skip


@cases("champion, challenger, sure", SIDES[:2], SIDES[2:], SIDES[:2])
def test_min_rows_holds_for_both_sides(tests: Tests, champion: str, challenger: str, sure: dict[str, Any]) -> None:
    options: dict[str, Any] = {"metric": "brier", **CLICKS, "champion_relation": champion, "tolerance": 10, **sure}
    counts, others = (tables()[name].to_pandas().groupby("device").size().to_dict() for name in (challenger, champion))
    small = {name for name in {*counts, *others} if min(counts.get(name, 0), others.get(name, 0)) < 20}
    failures = tests.failures("metric_not_worse_than", challenger, **options, by=["device"], min_rows=20)
    assert {device_of(row) for row in failures} == small
    few = {f"only {n} rows; min_rows is 20" for n in range(20)}
    assert {row["reason"] for row in failures} <= {*few, "the slice has no rows"}
    n = min(sum(counts.values()), sum(others.values()))
    for min_rows in (max(n, 1), n + 1):
        failures = tests.failures("metric_not_worse_than", challenger, **options, min_rows=min_rows)
        few = [f"only {n} rows; min_rows is {min_rows}"]
        assert [row["reason"] for row in failures] == (few if n < min_rows else [])


@cases("metric, table", [], [("precision", "all_wrong"), ("copc", "all_right")], [("auc", "all_wrong")])
def test_confidence_relaxes_and_strict_tightens(tests: Tests, metric: str, table: str) -> None:
    """Undefined values always fail; where the interval is undefined, the value decides and `strict` fails."""
    rows = tables()[table].to_pandas()
    values = quiet(lambda: sqlmetrics.evaluate(rows, metric, by="device", **CLICKS))
    interval = quiet(lambda: sqlmetrics.evaluate(rows, metric, by="device", **CLUSTERS, **CLICKS))
    undefined = set(values["device"][values[metric].isna()])
    unknown = set(values["device"][interval[f"{metric}_low"].isna() | interval[f"{metric}_high"].isna()])
    assert unknown - undefined, "some slices have a value and no interval"
    options: dict[str, Any] = {"metric": metric, **CLICKS, "by": ["device"]}
    modes: list[dict[str, Any]] = [{}, CLUSTERS, {**CLUSTERS, "strict": True}]
    for bound in [{"min_value": 0.3}, {"min_value": 0.2, "max_value": 0.6}, {"min_value": -1}]:
        plain, relaxed, strict = (tests.devices("metric_between", table, **options, **bound, **mode) for mode in modes)
        assert undefined <= relaxed <= plain <= strict
        assert unknown <= strict
        assert plain & unknown == relaxed & unknown
    failures = tests.failures("metric_between", table, **options, **bound, **modes[2])
    reasons = {device_of(row): row["reason"] for row in failures}
    assert {reasons[device] for device in unknown - undefined} == {"the interval is undefined"}
    if metric != "copc":  # copc has its best value at 1
        champion: dict[str, Any] = {**options, "champion_score": "other", "tolerance": 0.2}
        plain, relaxed, strict = (tests.devices("metric_not_worse_than", table, **champion, **mode) for mode in modes)
        assert undefined <= relaxed <= plain <= strict
        assert "one user" in strict


@cases("metric, sure", [("gauc", CLUSTERS)], [("mae", {}), ("auc", {"confidence": 0.9})], [("auc", CLUSTERS)])
def test_model_is_not_worse_than_itself(tests: Tests, metric: str, sure: dict[str, Any]) -> None:
    """The order of the rows changes the last digits of sums."""
    options: dict[str, Any] = {"metric": metric, **CLICKS, **({"group": "user_id"} if metric == "gauc" else {})}
    for key in ("-pctr", "sin(other * 1000)"):
        reordered = f"(select * from many order by {key} limit 1000000)"
        for by in (None, ["device"]):
            arguments = {**options, "champion_relation": reordered, "by": by, **sure}
            assert tests.failures("metric_not_worse_than", "many", **arguments) == []


def as_state(tests: Tests, relation: str, metric: str, roles: dict[str, Any], by: list[str]) -> str:
    """A subquery of a state of the relation; states of scores are exact."""
    made = {"relation": relation, "by": by, **roles}
    state = tests.macros.score_state(**made) if metric == "auc" else tests.macros.metric_state(metrics=[metric], **made)
    return f"({str(state).strip()}) as state"


@cases("metric, roles", [("auc", CLICKS)], [("brier", CLICKS), ("gauc", {**CLICKS, "group": "user_id"})],
       [("auc", CLICKS), ("brier", CLICKS)])  # fmt: skip
def test_state_and_log_fail_the_same_tests(tests: Tests, metric: str, roles: dict[str, Any]) -> None:
    """A test without label and score reads a state, and reports the same failures as over the log."""
    worst = max if metric == "brier" else min
    values = sqlmetrics.evaluate(tables()["many"], metric, by="device", **roles)[metric]
    middle = (values.min() + values.max()) / 2
    bound = {"max_value" if metric == "brier" else "min_value": middle}
    log, other, by = "many", "few", ["device"]
    failed: set[str] = set()
    state, champion = (as_state(tests, relation, metric, roles, by) for relation in (log, other))
    for test, further, of_state in [
        ("metric_between", {**bound, "by": by}, {}),
        ("metric_between", {"min_value": 0, "min_rows": 55, "by": by}, {}),
        ("metric_not_worse_than", {"champion_relation": other, "by": by, "tolerance": -1},
         {"champion_relation": champion}),
        *(("metric_not_falling", {"time": "device", "trailing": 2, "min_periods": 1, "deviations": 1e-9,
                                  "better": better}, {}) for better in ("higher", "lower")),
    ]:  # fmt: skip
        expected = tests.failures(test, log, metric=metric, **roles, **further)
        result = tests.failures(test, state, metric=metric, **{**further, **of_state})
        failed |= {test} if expected else set()
        pd.testing.assert_frame_equal(pd.DataFrame(result), pd.DataFrame(expected), rtol=1e-12)
    assert failed == {"metric_between", "metric_not_worse_than", "metric_not_falling"}
    failing = {row["slice"] for row in tests.failures("metric_between", state, metric=metric, by=by, **bound)}
    assert f"device={sorted(['phone', 'desktop', 'tv'])[list(values).index(worst(values))]}" in failing


@cases("late", [(7,)], [], [(3,)])
def test_late_rows_are_missing_in_state(tests: Tests, late: int) -> None:
    state = as_state(tests, "many", "auc", CLICKS, ["device"])
    later = f"(select * from many union all (select * from many where device = 'tv' limit {late})) as later"
    for relation, missing, failing in [("many", 0, []), (later, late, []), (later, late - 1, ["device=tv"])]:
        failures = tests.failures("state_is_complete", state, relation=relation, by=["device"], max_missing=missing,
                                  **CLICKS)  # fmt: skip
        assert [row["slice"] for row in failures] == failing
    assert (failures[0]["value"], failures[0]["bound"]) == (40, 40 + late)
    assert failures[0]["reason"].startswith(f"{late} rows of the log are not in the state")
    [row] = tests.failures("state_is_complete", state, relation="(select * from many where device <> 'tv') as part",
                           by=["device"], **CLICKS)  # fmt: skip
    assert (row["slice"], row["reason"]) == ("device=tv", "40 rows of the state are no longer in the log")


def test_states_reject_unsupported_arguments(tests: Tests) -> None:
    metric = {"metric": "auc"}
    for test, arguments, message in [
        (
            "metric_between",
            {"min_value": 0.5, "cluster": "user_id", "confidence": 0.9},
            "already has its clusters in buckets",
        ),
        ("metric_between", {"min_value": 0.5, "max_dropped": 5}, "does not count dropped rows"),
        ("metric_not_worse_than", {"champion_relation": "few", "confidence": 0.9}, "two states has no interval"),
        ("metric_not_worse_than", {"champion_score": "other"}, "a state has one score"),
        ("metric_between", {"min_value": 0.5, "by": [["device"]]}, "by must be one list of columns"),
        ("metric_between", {"min_value": 0.5, "binned": True, **CLICKS}, "binned requires a state"),
    ]:
        with pytest.raises(sqlmetrics.BadParameter, match=message):
            tests.failures(test, "many", **metric, **arguments)


AUC: dict[str, Any] = {"metric": "auc", **CLICKS}
AGAINST, FALLING = {**AUC, "champion_score": "other"}, {**AUC, "time": "device"}
DRIFTING: dict[str, Any] = {"columns": "pctr", "against": "few", "max_value": 0.1}
#: Tests, arguments, and the arguments that must be numbers.
NUMBERS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("metric_between", AUC, ["min_value", "max_value"]),
    ("metric_between", {**AUC, "min_value": 0.5}, ["min_rows", "max_dropped"]),
    ("metric_not_worse_than", AGAINST, ["tolerance", "min_rows"]),
    ("metric_not_falling", FALLING, ["tolerance", "deviations", "min_periods", "min_rows"]),
    ("calibrated_by", {"by": "device", **CLICKS}, ["min_value"]),
    ("drift_below", DRIFTING, ["max_value", "min_rows", "bins"]),
    ("valid_inputs", {"metrics": "auc", **CLICKS}, ["max_dropped"]),
]


@cases("value", [(math.nan,), (-math.inf,), (True,), ("0.5",)], [], [])
def test_generic_tests_reject_bounds_that_are_no_numbers(tests: Tests, value: Any) -> None:
    """YAML reads .inf and .nan; NaN would pass every bound, and no engine reads `inf`."""
    for test, arguments, names in NUMBERS:
        for name in names:
            with pytest.raises(sqlmetrics.BadParameter, match=rf"{name} must be a"):
                tests.failures(test, "many", **{**arguments, name: value})


@cases("name", [METRICS[-1:]], [[name] for name in METRICS[:-1]], [[name] for name in ON_ENGINES])
def test_invalid_values_are_reported_like_in_python(tests: Tests, name: str) -> None:
    """A row that breaks a rule is a failure with column, rule, count and example, the same in every test."""
    metric = builtin_catalogue().metrics[name]
    data_type = data_types_of(metric)[0]
    rows, roles = sample(data_type), roles_of(metric, data_type)
    relations = {name: table for name, table in relations_of(rows, data_type).items() if name in metric.relations}
    spec = {"name": metric.name, "as": "it", **base_parameters_of(metric, data_type)}
    roles |= {"weight": "w"} if "weight" in metric.roles() else {}
    options: dict[str, Any] = {**roles, **{name: f"{table_of(data_type)}_{name}" for name in relations}}
    for number, column in enumerate(column for column in roles.values() if rows[column].dtype.kind in "fiu"):
        odd = rows.astype({column: float})
        odd.loc[range(len(ODD_NUMBERS)), column] = ODD_NUMBERS
        names = ", ".join(other for other in rows if other != column)
        odds = " ".join(f"when {row} then cast('{value}' as {tests.double})" for row, value in enumerate(ODD_NUMBERS))
        odds = f"case row_number {odds} else {column} end as {column}"
        relation = f"(select {names}, {odds} from {table_of(data_type)})"
        message = ""
        try:
            quiet(lambda odd=odd: sqlmetrics.evaluate(odd, [spec], **roles, **relations))
        except sqlmetrics.BadData as error:
            message = str(error)
        valid, *others = (
            {row["reason"].replace("Infinity", "inf") for row in tests.failures(test, relation, **options, **further)}
            for test, further in [("valid_inputs", {"metrics": [spec]}),
                                  *([("metric_between", {"metric": spec, "min_value": -1e300})] if number == 0 else [])]
        )  # fmt: skip
        assert all(valid <= between for between in others)
        assert bool(message) == bool(valid), (column, message, valid)
        assert not valid or any(failure in message for failure in valid), (message, valid)
