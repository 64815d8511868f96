"""What the generic tests of the dbt package find, and how they say it: on DuckDB and PostgreSQL, without dbt."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sqlmetrics
from sqlmetrics.catalogue import Metric, builtin_catalogue
from tests.data import arrow, relations_of, sample
from tests.dbt.test_reference import made
from tests.engines.servers import ENGINES
from tests.engines.test_engines import double_of
from tests.tiers import pairwise, slow
from tests.variants import base_parameters_of, kinds_of, quiet, roles_of

CLICKS = {"label": "clicked", "score": "pctr"}
#: Relations by how many rows they have.
_SIZES = ["many", "few", "fewer", "empty"]


def same_sizes(row: Sequence[Any]) -> bool:
    return bool(row[0] == row[1])


#: Without confidence, and with it in each form.
SURE: list[dict[str, Any]] = [
    {},
    {"confidence": 0.9},
    {"confidence": 0.9, "cluster": "user_id"},
    {"confidence": 0.9, "cluster": "user_id", "strict": True},
]
METRICS = [
    metric for metric in builtin_catalogue().metrics.values() if not metric.table and metric.name in metric.columns
]
#: Beyond what a number of one byte holds, of two or of four; no whole number; and what cannot be added up.
ODD_NUMBERS = [200.0, -200.0, 99_999.0, 1e10, 0.5, 1.5, -1e-9, math.inf, -math.inf]


def kind_of(metric: Metric) -> str:
    """The kind of data of which a metric is asked here."""
    return kinds_of(metric)[0]


def table_of(kind: str) -> str:
    """What the table of a kind of data is called."""
    return kind.replace(" ", "_")


def log_of(devices: dict[str, int], seed: int) -> pd.DataFrame:
    """So many rows of each device, of users who are on one device each."""
    rng = np.random.default_rng(seed)
    device = np.repeat(list(devices), list(devices.values()))
    clicked = np.arange(len(device)) % 2.0
    return pd.DataFrame({
        "device": device, "clicked": clicked, "pctr": (rng.random(len(device)) * 0.7 + clicked / 4).round(3),
        "other": rng.random(len(device)).round(3), "user_id": [f"{of} {row % 9}" for row, of in enumerate(device)],
    })  # fmt: skip


def fateful_log(kind: str) -> pd.DataFrame:
    """Slices of which an interval may be unknown: of one cluster, of clusters that are all of one kind, and others."""
    rng = np.random.default_rng(3)
    parts = []
    for device, users, rate in [("one user", 1, 0.5), ("never", 6, 0.0), ("always", 6, 1.0), ("one of each", 2, 0.5),
                                ("hardly", 8, 0.1), ("some", 12, 0.5)]:  # fmt: skip
        rows = 6 * users
        chance = np.full(rows, rate) if device != "hardly" else np.arange(rows) == 3
        called = chance if kind == "all_right" else rng.random(rows) < 0.5
        parts.append(pd.DataFrame({
            "device": device, "user_id": [f"{device} {place % users}" for place in range(rows)],
            "clicked": (rng.random(rows) < chance).astype(float), "pctr": np.where(called, 0.75, 0.25),
            "other": rng.random(rows).round(3),
        }))  # fmt: skip
    return pd.concat(parts, ignore_index=True)


@functools.cache
def tables() -> dict[str, pa.Table]:
    """The logs of all tests, and the samples of each kind with a number for each row."""
    found = {
        "many": log_of({"phone": 60, "desktop": 50, "tv": 40}, 1),
        "few": log_of({"phone": 5, "desktop": 50, "tv": 19}, 2),
        "fewer": log_of({"phone": 60, "tv": 3}, 3),
        "all_right": fateful_log("all_right"),
        "all_wrong": fateful_log("all_wrong"),
    }
    for kind in {kind_of(metric) for metric in METRICS}:
        rows = sample(kind)
        found[table_of(kind)] = rows.assign(row_number=range(len(rows)))
        for name, relation in relations_of(rows, kind).items():
            found[f"{table_of(kind)}_{name}"] = relation
    found_tables = {name: arrow(table) for name, table in found.items()}
    return {**found_tables, "empty": found_tables["many"].slice(0, 0)}


class Tests:
    """The generic tests, asked of one engine."""

    __test__ = False

    def __init__(self, engine: Any, folder: Any) -> None:
        self._engine = engine
        self._macros = made(engine.dialect, folder)
        #: The name of the type of 64-bit floats.
        self.double = double_of(engine)

    def failures(self, test: str, relation: str, **given: Any) -> list[dict[str, Any]]:
        """The rows that a test finds."""
        text = str(getattr(self._macros, f"test_{test}")(relation, **given))
        found: list[dict[str, Any]] = self._engine.query(text).to_dict("records")
        return found

    @contextmanager
    def of_rows(self, where: str) -> Iterator[Callable[[str], str]]:
        """Tests with a `where`, of what dbt makes of a model then."""
        self._macros.where = where
        yield self._macros.get_where_subquery
        self._macros.where = None


@pytest.fixture(scope="module", params=["duckdb", *slow("postgres", "bigquery")])
def tests(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tests]:
    with ENGINES[request.param](tables()) as engine:
        yield Tests(engine, tmp_path_factory.mktemp("generic"))


def devices_of(table: str) -> dict[str, int]:
    """How many rows each device has."""
    found: dict[str, int] = tables()[table].to_pandas().groupby("device").size().to_dict()
    return found


def test_min_rows_counts_what_pre_aggregated_rows_stand_for(tests: Tests) -> None:
    """Four rows that stand for forty-eight."""
    given: dict[str, Any] = {"positives": "= 3", "total": "= 12", "score": "= pctr", "max_value": 1e9}
    rows = "(select * from many where device = 'tv' order by user_id limit 4) as four_rows"
    assert tests.failures("metric_between", rows, metric="brier", **given, min_rows=48) == []
    [failure] = tests.failures("metric_between", rows, metric="brier", **given, min_rows=49)
    assert (failure["n"], failure["failure"]) == (48, "fewer rows than min_rows")


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("ours", "theirs", "sure"), pairwise(_SIZES, _SIZES, SURE, unless=lambda row: row[0] == row[1])
)
def test_both_sides_must_have_enough_rows(tests: Tests, ours: str, theirs: str, sure: dict[str, Any]) -> None:
    """Whichever of the two is small, and however sure it is to be."""
    given: dict[str, Any] = {"metric": "brier", **CLICKS, "champion_relation": theirs, "tolerance": 10, **sure}
    counts, others = devices_of(ours), devices_of(theirs)
    few = {one for one in {*counts, *others} if min(counts.get(one, 0), others.get(one, 0)) < 20}
    found = tests.failures("metric_not_worse_than", ours, **given, by=["device"], min_rows=20)
    assert {row["device"] for row in found} == few
    assert {row["failure"] for row in found} <= {"fewer rows than min_rows", "the slice has no rows"}
    for least in (1, 63, 64, 75):
        found = tests.failures("metric_not_worse_than", ours, **given, min_rows=least)
        enough = min(sum(counts.values()), sum(others.values())) >= least
        assert [row["failure"] for row in found] == ([] if enough else ["fewer rows than min_rows"]), least


def slices_found(found: list[dict[str, Any]]) -> set[str]:
    return {row["device"] for row in found}


@pytest.mark.slow
@pytest.mark.parametrize("table", ["all_right", "all_wrong"])
@pytest.mark.parametrize("metric", ["brier", "precision", "recall", "auc", "copc"])
def test_chance_excuses_and_doubt_accuses(tests: Tests, metric: str, table: str) -> None:
    """Who fails by more than chance fails without an interval, and who fails so is not sure.

    An undefined value fails always. Where the interval is unknown the value itself tells, and nothing is sure.
    """
    values = sqlmetrics.evaluate(tables()[table].to_pandas(), metric, by="device", **CLICKS)
    doubtful = sqlmetrics.evaluate(
        tables()[table].to_pandas(), metric, by="device", confidence=0.9, cluster="user_id", **CLICKS
    )
    undefined = set(values["device"][values[metric].isna()])
    unknown = set(values["device"][doubtful[f"{metric}_low"].isna() | doubtful[f"{metric}_high"].isna()])
    assert unknown - undefined, "some slices have a value and no interval"
    given: dict[str, Any] = {"metric": metric, **CLICKS, "by": ["device"]}
    certain = {"confidence": 0.9, "cluster": "user_id"}
    for bound in [{"min_value": 0.3}, {"max_value": 0.3}, {"min_value": 0.2, "max_value": 0.6}, {"min_value": -1}]:
        plain = tests.failures("metric_between", table, **given, **bound)
        by_chance = tests.failures("metric_between", table, **given, **bound, **certain)
        strict = tests.failures("metric_between", table, **given, **bound, **certain, strict=True)
        assert undefined <= slices_found(by_chance) <= slices_found(plain) <= slices_found(strict)
        assert unknown <= slices_found(strict)
        assert slices_found(plain) & unknown == slices_found(by_chance) & unknown
        assert {row["failure"] for row in strict if row["device"] in unknown - undefined} == {
            "the interval is undefined"
        }
    if metric != "copc":  # whose direction is neither
        champion: dict[str, Any] = {**given, "champion_score": "other"}
        for tolerance in (-0.2, 0, 0.2):
            plain, by_chance, strict = (
                tests.failures("metric_not_worse_than", table, **champion, tolerance=tolerance, **more)
                for more in ({}, certain, {**certain, "strict": True})
            )
            assert undefined <= slices_found(by_chance) <= slices_found(plain) <= slices_found(strict)
            assert "one user" in slices_found(strict)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("sure", SURE, ids=str)
@pytest.mark.parametrize("metric", ["brier", "mae", "log_loss", "auc", "gauc"])
def test_a_model_is_not_worse_than_itself(tests: Tests, metric: str, sure: dict[str, Any]) -> None:
    """In whatever order its rows are added up, and though the last digits differ."""
    given: dict[str, Any] = {"metric": metric, **CLICKS, **({"group_column": "user_id"} if metric == "gauc" else {})}
    for key in ("pctr", "-pctr", "sin(other * 1000)", "cos(other * 999)"):
        turned = f"(select * from many order by {key} limit 1000000)"
        for by in (None, ["device"]):
            against = {"champion_relation": turned, "by": by, **sure, "strict": False}
            assert tests.failures("metric_not_worse_than", "many", **given, **against) == []


@pytest.mark.parametrize("sure", SURE[:3], ids=str)
def test_a_value_of_another_size_is_worse(tests: Tests, sure: dict[str, Any]) -> None:
    huge = "(select device, user_id, clicked, 1e60 * (1 + pctr) as pctr from many)"
    relation = "(select device, user_id, clicked, pctr from many)"
    given: dict[str, Any] = {"metric": "mae", **CLICKS, "tolerance": 1e50, **sure}
    assert len(tests.failures("metric_not_worse_than", huge, champion_relation=relation, **given)) == 1
    assert tests.failures("metric_not_worse_than", relation, champion_relation=huge, **given) == []


@pytest.mark.parametrize("by", [None, ["device"]])
def test_where_holds_for_both_sides_of_a_drift(tests: Tests, by: list[str] | None) -> None:
    """dbt takes `where` from the arguments of a test, and makes of its model a sub-query."""
    where = "user_id not like '% 3'"
    many, few = (tables()[name].to_pandas() for name in ("many", "few"))
    expected = sqlmetrics.drift(many, "pctr", categories="device", against=few, where=where, by=by)
    given: dict[str, Any] = {"columns": "pctr", "categories": "device", "by": by, "max_value": -1}
    with tests.of_rows(where) as rows:
        for distance in ("psi", "ks_distance"):
            found = pd.DataFrame(tests.failures("drift_below", rows("many"), against="few", distance=distance, **given))
            same = [*(by or []), "column", "n", "n_reference", distance]
            order = [*(by or []), "column"]
            pd.testing.assert_frame_equal(
                found[same].sort_values(order, ignore_index=True),
                expected[same].sort_values(order, ignore_index=True),
                check_dtype=False,
            )


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, True, "0.5"])
def test_a_bound_is_a_number(tests: Tests, value: Any) -> None:
    """As YAML's .inf and .nan are not: nothing is more than NaN, and no engine reads `inf`."""
    against: dict[str, Any] = {"metric": "auc", **CLICKS, "champion_score": "other"}
    falling: dict[str, Any] = {"metric": "auc", **CLICKS, "time": "device"}
    drifting: dict[str, Any] = {"columns": "pctr", "against": "few"}
    for test, given, name in [
        ("metric_between", {"metric": "auc", **CLICKS}, "min_value"),
        ("metric_between", {"metric": "auc", **CLICKS}, "max_value"),
        ("metric_between", {"metric": "auc", **CLICKS, "min_value": 0.5}, "min_rows"),
        ("metric_between", {"metric": "auc", **CLICKS, "min_value": 0.5}, "max_dropped"),
        ("metric_not_worse_than", against, "tolerance"),
        ("metric_not_worse_than", against, "min_rows"),
        ("metric_not_falling", falling, "tolerance"),
        ("metric_not_falling", falling, "deviations"),
        ("metric_not_falling", falling, "min_periods"),
        ("metric_not_falling", falling, "min_rows"),
        ("calibrated_by", {"field": "device", **CLICKS}, "min_value"),
        ("drift_below", drifting, "max_value"),
        ("drift_below", {**drifting, "max_value": 0.1}, "min_rows"),
        ("drift_below", {**drifting, "max_value": 0.1}, "bins"),
        ("valid_inputs", {"metrics": "auc", **CLICKS}, "max_dropped"),
    ]:
        with pytest.raises(sqlmetrics.BadParameter, match=rf"{name} must be a"):
            tests.failures(test, "many", **given, **{name: value})


@pytest.mark.one_in(3)
@pytest.mark.parametrize("value", ["200", "-99999", "Infinity", "-Infinity", "0.5"])
@pytest.mark.parametrize("metric", ["auc", "average_precision", "ks", "gauc", "f1"])
def test_a_label_that_no_byte_holds(tests: Tests, metric: str, value: str) -> None:
    """Truths are sorted as numbers of a byte, or two: a label that is none of them is told, and ends nothing."""
    given: dict[str, Any] = {"metric": metric, **CLICKS}
    if metric == "gauc":
        given["group_column"] = "user_id"
    changed = f"case when pctr > 0.9 then cast('{value}' as {tests.double}) else clicked end as clicked"
    relation = f"(select device, user_id, pctr, other, {changed} from many)"
    rule = r"label \(column 'clicked'\): \d+ rows are neither 0 nor 1 \(a binary label is needed\)"
    words = re.compile(rule + "; for example .*")
    for test, more in [
        ("metric_between", {"min_value": 0}),
        ("metric_between", {"min_value": 0, "by": [[], ["device"]], "confidence": 0.9}),
        ("metric_not_worse_than", {"champion_score": "other", "by": "device"}),
        ("metric_not_worse_than", {"champion_score": "other", "confidence": 0.9, "cluster": "user_id"}),
        ("metric_not_worse_than", {"champion_relation": "few"}),
        ("metric_not_worse_than", {"champion_relation": "few", "confidence": 0.9}),
        ("metric_not_falling", {"time": "device"}),
    ]:
        found = tests.failures(test, relation, **given, **more)
        assert any(words.fullmatch(row["failure"]) for row in found), (test, more)


def with_odd_numbers(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """The rows, of which some have odd numbers in a column."""
    changed = rows.copy()
    changed[column] = changed[column].astype(float)
    changed.loc[range(len(ODD_NUMBERS)), column] = ODD_NUMBERS
    return changed


def sql_with_odd_numbers(kind: str, column: str, double: str) -> str:
    """The same rows as a relation."""
    names = ", ".join(name for name in sample(kind) if name != column)
    cases = " ".join(f"when {place} then cast('{value}' as {double})" for place, value in enumerate(ODD_NUMBERS))
    return f"(select {names}, case row_number {cases} else {column} end as {column} from {table_of(kind)})"


@pytest.mark.one_in(20)
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_values_without_a_meaning_are_told_as_python_refuses_them(tests: Tests, metric: Metric) -> None:
    """A row that breaks a rule is one of the failures, with column, rule, count and example; no engine breaks off."""
    kind = kind_of(metric)
    rows, roles = sample(kind), roles_of(metric, kind)
    relations = {name: one for name, one in relations_of(rows, kind).items() if name in metric.relations}
    spec = {"name": metric.name, "as": "it", **base_parameters_of(metric, kind)}
    given: dict[str, Any] = {**roles, **{name: f"{table_of(kind)}_{name}" for name in relations}}
    if "weight" in metric.roles():
        roles, given = {**roles, "weight": "w"}, {**given, "weight": "w"}
    for column in roles.values():
        if rows[column].dtype.kind not in "fiu":
            continue
        odd, relation = with_odd_numbers(rows, column), sql_with_odd_numbers(kind, column, tests.double)
        try:
            quiet(lambda odd=odd: sqlmetrics.evaluate(odd, [spec], **roles, **relations))
        except sqlmetrics.BadData as error:
            refused = str(error)
        else:
            refused = ""
        between = tests.failures("metric_between", relation, metric=spec, min_value=-1e300, **given)
        valid = tests.failures("valid_inputs", relation, metrics=[spec], **given)
        told = [row["failure"].replace("Infinity", "inf") for row in valid]  # as PostgreSQL writes it
        assert bool(refused) == bool(told), (column, refused, told)
        assert all(one in [row["failure"].replace("Infinity", "inf") for row in between] for one in told)
        if refused:
            assert any(one in refused for one in told), (refused, told)
