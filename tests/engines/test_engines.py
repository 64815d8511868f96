"""Every metric on every engine, on edge data, against the oracles: not against another engine."""

from __future__ import annotations

import ast
import functools
import math
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest
from click.testing import CliRunner
from sklearn import metrics as sklearn_metrics

import sqlmetrics
from sqlmetrics.catalogue import catalogue
from sqlmetrics.cli import main
from sqlmetrics.column_types import as_pandas
from sqlmetrics.engines import DBAPI, DuckDB, Engine, PostgreSQL
from sqlmetrics.rendering import render_macro
from tests import optional
from tests.compare import assert_same, differences
from tests.engines.cases import (
    HOSTILE_NAMES,
    REPLACED_BY_SPARK,
    Case,
    cases,
    rows_of,
    tables,
    takes_long,
)
from tests.engines.servers import ENGINES, postgres_connection
from tests.input.test_bad_input import WRITTEN_NUMBERS
from tests.invariants.test_weights import scaled_roles, unscaled, weighed
from tests.parameters import slow
from tests.values.test_names import ODD, check_odd_inputs
from tests.values.test_oracles import (
    Expectation,
    Recorder,
    compare,
    expectations,
)
from tests.variants import by_frame, quiet

CASES = cases()


@pytest.fixture(scope="module", params=["duckdb", *slow(*(name for name in ENGINES if name != "duckdb"))])
def loaded(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine that holds the tables of all cases."""
    with ENGINES[request.param](tables()) as engine:
        yield engine


def evaluate(case: Case, engine: Engine) -> pd.DataFrame:
    """The answer of an engine."""
    return quiet(
        lambda: sqlmetrics.evaluate(
            case.table,
            case.call.specs,
            **case.call.roles,
            **case.relations,
            by=list(case.by) or None,
            engine=engine,
        )
    )


@functools.cache
def expected(case: Case) -> list[Expectation]:
    """What the oracles say, which take longer than an engine: once for all engines."""
    return expectations(case.data, case.call, list(case.by))


def check(case: Case, engine: Engine, record: Recorder | None = None) -> pd.DataFrame:
    """Compare an engine's answer with the oracles'."""
    result = evaluate(case, engine)
    answered = compare(result, expected(case), case.call, list(case.by), record)
    assert answered or case.data_set == "empty"
    return result


#: Kinds of data that other kinds stand for: ranks in place of scores, or grades of another sign.
_LIKE_OTHERS = ("signed grades", "ranks", "judged ranks", "ranked lists", "ranked subtopics")


def on_servers() -> list[Case]:
    """Other engines than DuckDB run every metric on `slices`, and one metric of each frame on the other data sets."""
    chosen = []
    for case in CASES:
        like_others = case.call.kind in _LIKE_OTHERS or (case.call.kind == "pre-aggregated" and case.call.table)
        if case.data_set == "slices" and not like_others:
            chosen.append(case)
        elif case.data_set == "slices" or not (like_others or case.call.table):
            chosen.append(replace(case, call=by_frame([case.call])[0]))
    return chosen


ON_SERVERS = on_servers()
CASES_ON = {engine: CASES if engine == "duckdb" else ON_SERVERS for engine in ENGINES}
#: A statement takes Spark seconds.
CASES_ON["spark"] = [
    case.on("spark")
    for case in ON_SERVERS
    if case.data_set != "empty" and not (case.call.table and takes_long(case.call.asked[0].metric, "spark"))
]


@pytest.mark.parametrize(("loaded", "case"), [
    pytest.param(
        engine, case, id=f"{engine}-{case.name}",
        marks=() if engine == "duckdb" and case.data_set == "slices" else pytest.mark.slow,
    )
    for engine in ENGINES for case in CASES_ON[engine]
], indirect=["loaded"])  # fmt: skip
def test_metrics_match_oracles(case: Case, loaded: Engine) -> None:
    result = check(case, loaded)
    expected = {*case.by, *(column for metric in case.call.asked for column in metric.columns.values())}
    assert expected <= {*result.columns, "group"}


#: Calls beside `evaluate`, each of data and of further options.
WAYS_OF_CALLING: dict[str, Callable[[Any, dict[str, Any]], pd.DataFrame]] = {
    "clusters": lambda data, options: sqlmetrics.evaluate(data, "auc, log_loss", **SLICED, **CLUSTERS, **options),
    "groupings": lambda data, options: sqlmetrics.evaluate(
        data, "auc, gauc, f1", **{**SLICED, "by": [[], ["device"], ["device", "country"]]}, group="campaign", **options
    ),
    "compare": lambda data, options: sqlmetrics.compare(
        data, "brier", **{**SLICED, "score": ["pctr", "mass"]}, cluster="user_id", **options
    ),
    "gaps": lambda data, options: sqlmetrics.gaps(data, "auc", **SLICED, **options),
    "drift": lambda data, options: sqlmetrics.drift(data, against=data, columns=["pctr"], **options),
    "states": lambda data, options: sqlmetrics.evaluate_states(
        sqlmetrics.state(data, **SLICED, **options), "auc, log_loss"
    ),
}
SLICED: dict[str, Any] = {"label": "clicked", "score": "pctr", "by": "device"}
CLUSTERS: dict[str, Any] = {"cluster": "user_id", "confidence": 0.95}


# The other engines have files of tests for each way.
@pytest.mark.parametrize("loaded", slow("bigquery"), indirect=True)
def test_ways_of_calling(loaded: Engine) -> None:
    check_ways_of_calling(loaded)


def check_ways_of_calling(engine: Engine) -> None:
    """What they return is what they return of the same rows on DuckDB."""
    rows = tables()["slices_labels"].to_pandas()
    for name, call in WAYS_OF_CALLING.items():
        there = quiet(functools.partial(call, "slices_labels", {"engine": engine}))
        here = quiet(functools.partial(call, rows, {}))
        assert len(there) == len(here) > 0, name
        assert_same(there, here, 1e-9)


def test_iterative_metrics_match_oracles(loaded: Engine) -> None:
    """Spark is not asked for these in the matrix."""
    [case] = [case for case in CASES if case.name == "labels:_all_of_slices"]
    asked = [one for one in case.call.asked if takes_long(one.metric, "spark")]
    assert {one.metric.name for one in asked} == {
        "miscalibration", "discrimination", "integrated_calibration_index", "e50", "e90", "emax",
        "calibration_slope", "calibration_intercept",
    }  # fmt: skip
    check(case.of(asked), loaded)


# GoogleSQL's evaluator takes minutes for windows of thousands of rows.
@pytest.mark.parametrize("loaded", ["duckdb", *slow("postgres", "spark", "clickhouse")], indirect=True)
def test_a_list_of_thousands_of_relevant_items(loaded: Engine) -> None:
    """Products of chances become smaller than any double, which is an error on PostgreSQL."""
    steps = render_macro(catalogue(), loaded.dialect, "series", 4000, "step")
    lists = (
        "select 1 as query, step as item, mod(step, 4) as aspect, 1 + mod(step, 3) as grade, -step as score "
        f"from (select step.step as step from ({steps}) as step) as lists"
    )
    step = np.arange(4000)
    here = pd.DataFrame({"query": 1, "item": step, "aspect": step % 4, "grade": 1 + step % 3, "score": -step})
    roles = {"label": "grade", "score": "score", "group": "query", "item": "item", "subtopic": "aspect"}
    must = {"max_label": 3, "k": 2000, "recall": 0.5}
    together: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for name, metric in catalogue().metrics.items():
        if metric.frames[-1] not in ("ranked_items", "subtopic_items") or metric.table or name == "infap":
            continue
        if "propensity" not in metric.roles():
            values = {
                key: min(must[key], parameter.maximum or must[key])
                for key, parameter in metric.parameters.items()
                if parameter.required or (key == "max_label" and parameter.default is not None)
            }
            used = tuple(role for role in roles if role in metric.roles() or role in ("label", "score"))
            together.setdefault(used, []).append({"name": name, "as": name, **values})
    assert {"err", "alpha_dcg", "rbp"} <= {spec["name"] for specs in together.values() for spec in specs}
    for used, specs in together.items():
        columns = {role: roles[role] for role in used}
        ours = sqlmetrics.evaluate(lists, specs, **columns, engine=loaded)
        pd.testing.assert_frame_equal(ours, sqlmetrics.evaluate(here, specs, **columns), rtol=1e-12, check_dtype=False)
        if "err" in ours:
            stops = (2.0 ** (1 + step % 3) - 1) / 2.0**3
            reached = np.cumprod([1, *(1 - stops)])[:-1]
            assert ours["err"][0] == pytest.approx(np.sum(stops * reached / (1 + step)), rel=1e-12)


# What weights may not change


@pytest.mark.parametrize("scale", ["0.7", "1000000"])
def test_bins_of_equal_mass(scale: str, loaded: Engine) -> None:
    """Ten scores of a tenth of the weight each are ten bins, whatever the last bits of the sums are."""
    roles = {**LOG, "weight": f"= {scale} * w"}
    curve = sqlmetrics.calibration_curve("shares", binning="mass", engine=loaded, **roles)
    assert curve[["bin", "rows", "lower", "upper"]].to_numpy().tolist() == [[i, 5, i / 10, i / 10] for i in range(10)]
    assert sqlmetrics.lift_table("shares", engine=loaded, **roles)["rows"].tolist() == [5] * 10
    five = sqlmetrics.evaluate("shares", "ece(bins=5, binning='mass')", engine=loaded, **roles).iloc[0]
    data = tables()["shares"].to_pandas()
    data["w"] = [Fraction(str(weight)) for weight in data["w"]]
    misses = [
        abs(sum(part["w"] * (part["clicked"] - part["pctr"]).map(Fraction)))
        for _, part in data.groupby((data["pctr"] * 10 + 0.5).astype(int) // 2)
    ]
    assert five["ece"] == pytest.approx(float(sum(misses) / sum(data["w"])), abs=1e-12)


def test_few_rows_beside_very_many(loaded: Engine) -> None:
    """One positive under 10^12 negatives, and one negative under 10^16."""
    counts = [(10**16, 0, 1.0), (0, 10**16, 0.5), (1, 2, 0.25)]
    rows = " union all ".join(
        f"select {yes} as yes, {yes + no} as total, {score} as score" for yes, no, score in counts
    )
    roles = {"positives": "yes", "total": "total", "score": "score", "engine": loaded}
    table = sqlmetrics.threshold_table(rows, **roles)
    assert table["fn"].tolist() == [1e16, 1, 1, 0]
    assert table["tn"].tolist() == [1e16 + 2, 1e16 + 2, 2, 0]
    rows = f"select 0 as yes, {10**12} as total, 0.5 as score union all select 1 as yes, 1 as total, 0.25 as score"
    [value] = sqlmetrics.pr_auc(rows, **roles)["pr_auc"]
    assert value == pytest.approx(1 / (2 * 10**12 + 4 / 3), rel=1e-12, abs=0)


def test_a_list_so_long_that_its_end_weighs_nothing(loaded: Engine) -> None:
    """0.5^1999 is less than any double, which PostgreSQL calls an error."""
    digits = " union all ".join(f"select {digit} as digit" for digit in range(10))
    tables = (
        ", ".join(f"({digits}) as t{place}" for place in range(3)) + ", (select 0 as digit union all select 1) as t3"
    )
    number = "t0.digit + 10 * t1.digit + 100 * t2.digit + 1000 * t3.digit"
    rows = f"select 1 as query, {number} as score, case when {number} = 1999 then 1 else 0 end as clicked from {tables}"
    roles = {"score": "score", "group": "query", "engine": loaded}
    assert sqlmetrics.rbp(rows, label="clicked", p=0.5, **roles)["rbp"].tolist() == [0.5]
    found = sqlmetrics.rbo(rows, label="score", p=0.5, **roles)["rbo"]
    assert found.tolist() == pytest.approx([1.0], abs=1e-12)


SCALED = [case for case in CASES if case.data_set == "slices" and (not case.call.table or "lift" in case.name)]
SCALED = [
    case.of(by_frame([weighed(case.call)])[0].asked)
    for case in SCALED
    if scaled_roles(case.call, "1") != case.call.roles
]


@pytest.mark.parametrize("loaded", slow("postgres", "bigquery"), indirect=True)
@pytest.mark.parametrize("case", SCALED, ids=[case.name for case in SCALED])
def test_weights_far_from_1(case: Case, loaded: Engine) -> None:
    """PostgreSQL and BigQuery call it an error when a product leaves the range of doubles."""
    case = case.on(loaded.dialect)

    def scaled(scale: str) -> pd.DataFrame:
        options: dict[str, Any] = {**scaled_roles(case.call, scale), **case.relations, "engine": loaded}
        result = quiet(lambda: sqlmetrics.evaluate(case.table, case.call.specs, by="country", **options))
        return unscaled(case.call, result, float(scale))

    plain = scaled("1e0")
    for scale in ("1e-200", "1e200"):
        assert differences(scaled(scale), plain, 1e-12) == [], scale


def test_probabilities_and_scores_at_their_ends(loaded: Engine) -> None:
    """No square of a probability is too small for an engine, and an infinite score is the highest."""
    data = tables()["edges"].to_pandas()
    truth, score = data["clicked"].to_numpy(), data["pctr"].to_numpy()
    asked = "log_loss, brier, ece(norm='l2'), r2, copc, mae, mse, rmse, smape, auc, average_precision"
    asked += ", pr_auc(interpolation='trapezoid')"
    for weight in ({}, {"weight": "= 2"}):
        found = sqlmetrics.evaluate("edges", asked, engine=loaded, **LOG, **weight).iloc[0]
        precision, recall, _ = sklearn_metrics.precision_recall_curve(truth, score)
        expected = {
            "log_loss": sklearn_metrics.log_loss(truth, np.column_stack([1 - score, score])),
            "brier": sklearn_metrics.brier_score_loss(truth, score),
            "copc": truth.sum() / score.sum(),
            "mae": sklearn_metrics.mean_absolute_error(truth, score),
            "mse": sklearn_metrics.mean_squared_error(truth, score),
            "rmse": sklearn_metrics.root_mean_squared_error(truth, score),
            "r2": sklearn_metrics.r2_score(truth, score),
            "auc": sklearn_metrics.roc_auc_score(truth, score),
            "average_precision": sklearn_metrics.average_precision_score(truth, score),
            "pr_auc": sklearn_metrics.auc(recall, precision),
        }
        for metric, value in expected.items():
            assert found[metric] == pytest.approx(value, rel=1e-12), metric
        scored = {"label": "clicked", "score": "points", **weight}
        found = sqlmetrics.evaluate(
            "edges", "auc, average_precision, stepped = auc(bins=100)", engine=loaded, **scored
        ).iloc[0]
        order = np.unique(data["points"], return_inverse=True)[1]
        assert found["auc"] == pytest.approx(sklearn_metrics.roc_auc_score(truth, order), rel=1e-12)
        assert found["average_precision"] == pytest.approx(
            sklearn_metrics.average_precision_score(truth, order), rel=1e-12
        )


# What an engine makes of bad input, and what is left behind


LOG = {"label": "clicked", "score": "pctr"}
SOME = "slices_labels"


def test_types_are_the_same_everywhere(loaded: Engine) -> None:
    roles = {**LOG, "group": "user_id"}
    result = quiet(lambda: sqlmetrics.evaluate(SOME, ["auc", "gauc"], by="device", engine=loaded, **roles))
    assert [str(result[name].dtype) for name in ("n", "auc", "gauc")] == ["int64", "float64", "float64"]
    assert result["device"].iloc[-1] is None or pd.isna(result["device"].iloc[-1])
    assert all(isinstance(name, str) for name in result["device"].iloc[:-1])
    table = quiet(lambda: sqlmetrics.lift_table(SOME, engine=loaded, **LOG))
    kinds = ["int64", "int64", *["float64"] * 5]
    assert [str(kind) for kind in table.dtypes] == kinds
    curve = quiet(lambda: sqlmetrics.roc_curve("empty_labels", engine=loaded, **LOG))
    assert curve.empty
    assert {str(kind) for kind in curve.dtypes} == {"float64"}
    whole = sqlmetrics.evaluate("select 7 as slice, 1 as label, 0.5 as score", "copc", label="label", score="score",
                                by="slice", engine=loaded)  # fmt: skip
    assert [str(kind) for kind in whole.dtypes] == ["int64", "int64", "float64"]


def test_columns_have_the_names_asked_for(loaded: Engine) -> None:
    long = "Ärea_under_the_curve_" + "x" * 60
    result = quiet(
        lambda: sqlmetrics.evaluate(
            SOME, [{"name": "auc", "as": long}, "CopC = copc"], by="Gerät = device", engine=loaded, **LOG
        )
    )
    assert list(result.columns) == ["Gerät", "n", long, "CopC"]


def test_no_name_is_taken_for_anything_else(loaded: Engine) -> None:
    """Columns, slices, results and models are called what they are called, whatever an engine reads in such a name."""
    refused = REPLACED_BY_SPARK if loaded.dialect == "spark" else ()
    names = [name for name in (*HOSTILE_NAMES, *REPLACED_BY_SPARK) if name not in refused]
    log: dict[str, Any] = {"data": "hostile", "label": "clicked", "engine": loaded}
    value = float(sqlmetrics.auc(score="pctr", **log)["auc"].iloc[0])
    by_device = sqlmetrics.auc(score="pctr", by="device", **log)

    models = [sqlmetrics.column(f"s:{name}") for name in names]
    compared = sqlmetrics.auc(score=models, **log)
    assert compared["model"].tolist() == [f"s:{name}" for name in names]
    assert compared["auc"].tolist() == pytest.approx([value] * len(names), abs=1e-12)

    results = sqlmetrics.evaluate(metrics=[{"name": "auc", "as": f"r:{name}"} for name in names], score="pctr", **log)
    assert list(results.columns) == ["n", *(f"r:{name}" for name in names)]
    assert results.iloc[0, 1:].tolist() == pytest.approx([value] * len(names), abs=1e-12)

    slices = [sqlmetrics.column(f"d:{name}") for name in names]
    for start in range(0, len(slices), 12):
        some = slices[start : start + 12]
        together = sqlmetrics.auc(score="pctr", by=some, **log)
        assert list(together.columns) == [*(one.name for one in some), "n", "auc"]
        for one in some:
            assert together[one.name].tolist() == by_device["device"].tolist()
        assert together["auc"].tolist() == pytest.approx(by_device["auc"].tolist(), abs=1e-12)
        # The names of groupings are texts in the statement, and the title of the statement names them all.
        apart = sqlmetrics.auc(score="pctr", by=[[one] for one in some], **log)
        assert list(dict.fromkeys(apart["grouping"])) == [one.name for one in some]

    for name in refused:
        for wrong in (
            {"score": sqlmetrics.column(f"s:{name}")},
            {"score": "pctr", "by": sqlmetrics.column(f"d:{name}")},
            {"score": "pctr", "metrics": [{"name": "auc", "as": name}]},
        ):
            with pytest.raises(sqlmetrics.BadParameter, match="Spark replaces"):
                sqlmetrics.evaluate(**{"metrics": "auc", **log, **wrong})


#: Words that some engine reads as a number, a value, a function or a column of its own where they stand bare.
BARE_WORDS = (
    "inf", "nan", "infinity", "none", "now", "pi", "e", "true", "null", "user", "current_user", "date", "timestamp",
    "value", "level", "key", "array", "map", "interval", "offset", "input", "rows", "oid", "rowid", "rownum", "index",
    "row_number", "source", "observations", "slices", "slice_1", "score", "label", "pos", "neg", "model", "grouping",
)  # fmt: skip


def quoted(name: str, engine: Engine) -> str:
    mark = "`" if engine.dialect in ("spark", "bigquery") else '"'
    return f"{mark}{name}{mark}"


def double_of(engine: Engine) -> str:
    """The name of the type of 64-bit floats."""
    return render_macro(catalogue(), engine.dialect, "type_double")


def test_no_bare_word_is_taken_for_anything_else(loaded: Engine) -> None:
    columns = [f"pctr as {quoted(word, loaded)}" for word in BARE_WORDS]
    data = f"select clicked, {', '.join(columns)} from hostile"
    value = float(sqlmetrics.auc("hostile", label="clicked", score="pctr", engine=loaded)["auc"].iloc[0])
    found = sqlmetrics.auc(data, label="clicked", score=list(BARE_WORDS), engine=loaded)
    assert found["auc"].tolist() == pytest.approx([value] * len(BARE_WORDS), abs=1e-12)
    results = [{"name": "auc", "as": word} for word in BARE_WORDS if word not in ("model", "grouping")]
    found = sqlmetrics.evaluate("hostile", results, label="clicked", score="pctr", engine=loaded)
    assert found.iloc[0, 1:].tolist() == pytest.approx([value] * len(results), abs=1e-12)
    words = [word for word in BARE_WORDS if word not in ("score", "label", "grouping", "slices", "n")]
    for some in (words[:20], words[20:]):
        sliced = sqlmetrics.copc(data, label="clicked", score="score", by=[[word] for word in some], engine=loaded)
        counts = sliced["grouping"].value_counts()
        assert counts.to_dict() == dict.fromkeys(some, tables()["hostile"]["pctr"].to_pandas().nunique())


def test_names_that_differ_in_case_only(loaded: Engine) -> None:
    """The very name wins; where an engine knows no difference, we say so, whatever the names hold."""
    roles: dict[str, Any] = {"score": "pctr", "engine": loaded}
    value = float(sqlmetrics.auc("hostile", label="clicked", **roles)["auc"].iloc[0])
    # GoogleSQL gives no name to a column whose name is the alias of another but for its case.
    hostile = () if loaded.dialect == "bigquery" else HOSTILE_NAMES
    for own in ("clicked", *(name for name in hostile if name != name.upper() and "\n" not in name)):
        other = own.swapcase()
        names = [render_macro(catalogue(), loaded.dialect, "quoted_identifier", name) for name in (own, other)]
        data = f"select clicked as {names[0]}, 1 - clicked as {names[1]}, pctr from hostile"
        if loaded.dialect in ("spark", "bigquery"):
            with pytest.raises(sqlmetrics.BadData, match=f"which is one name to {loaded.dialect}"):
                sqlmetrics.auc(data, label=sqlmetrics.column(own), **roles)
            continue
        assert sqlmetrics.auc(data, label=sqlmetrics.column(own), **roles)["auc"][0] == pytest.approx(value)
        assert sqlmetrics.auc(data, label=sqlmetrics.column(other), **roles)["auc"][0] == pytest.approx(1 - value)
    data = f"select clicked, 1 - clicked as {quoted('Clicked', loaded)}, pctr from hostile"
    if loaded.dialect not in ("spark", "bigquery"):
        with pytest.raises(sqlmetrics.BadParameter, match="'clicked' or 'Clicked'"):
            sqlmetrics.auc(data, label="CLICKED", **roles)


def test_names_that_are_alike_for_63_bytes(loaded: Engine) -> None:
    long = "ä" * 31 + "x"
    roles: dict[str, Any] = {"data": SOME, "label": "clicked", "engine": loaded}
    models = [f"{long}_a = pctr", f"{long}_b = 1 - pctr"]
    found = quiet(lambda: sqlmetrics.auc(score=models, **roles))
    assert found["model"].tolist() == [f"{long}_a", f"{long}_b"]
    assert found["auc"].sum() == pytest.approx(1)

    def slices() -> pd.DataFrame:
        by = [f"{long}_a = device", f"{long}_b = country"]
        return quiet(lambda: sqlmetrics.copc(score="pctr", by=by, **roles))

    if loaded.dialect == "postgres":
        with pytest.raises(sqlmetrics.BadParameter, match="cuts names after 63 bytes"):
            slices()
    else:
        assert list(slices().columns[:2]) == [f"{long}_a", f"{long}_b"]


WIDE_TYPES = {
    "duckdb": ["bigint", "ubigint", "hugeint", "uhugeint", "decimal(38, 10)"],
    "postgres": ["bigint", "numeric(38, 10)", "numeric"],
    "spark": ["bigint", "decimal(38, 10)"],
    "bigquery": ["int64", "bignumeric(38, 10)"],
    "clickhouse": ["Int64", "UInt64", "Int128", "Decimal(38, 10)"],
}


def wide_values(kind: str) -> list[str]:
    """Three numbers that are one as doubles."""
    whole = "(" not in kind and kind != "numeric"
    first = 2**63 if kind.startswith("U") else 2**60
    return [f"{first + end}" if whole else f"123456789012345678.000000000{end}" for end in (1, 2, 3)]


def test_wide_numbers(loaded: Engine) -> None:
    """As scores they would tie, which is refused; as ids they stay what they are, beside a missing one too."""
    for kind in WIDE_TYPES[loaded.dialect]:
        rows = [f"select {place % 2} as y, 0.5 as s, cast('{wide}' as {kind}) as wide"
                for place, wide in enumerate(wide_values(kind) * 2)]  # fmt: skip
        data = " union all ".join(rows)
        with pytest.raises(sqlmetrics.BadData, match="2 of its values are no numbers of their own"):
            sqlmetrics.auc(data, label="y", score="wide", engine=loaded)
        with pytest.raises(sqlmetrics.BadData, match="2 of its values are no numbers of their own"):
            sqlmetrics.auc(data, label="y", score=["s", "wide"], engine=loaded)
        assert sqlmetrics.auc(rows[0], label="y", score="wide", engine=loaded)["n"].tolist() == [1]
        missing = f"{data} union all select 1 as y, 0.5 as s, cast(null as {nullable(kind, loaded)}) as wide"
        sliced = sqlmetrics.copc(missing, label="y", score="s", by="wide", engine=loaded)
        assert list(map(str, sliced["wide"].iloc[:-1])) == wide_values(kind)
        assert pd.isna(sliced["wide"].iloc[-1])
        grouped = sqlmetrics.per_group(data, "gauc", label="y", score="s", group="wide", engine=loaded)
        assert list(map(str, grouped["wide"])) == wide_values(kind)
        classes = sqlmetrics.class_report(data, label="wide", prediction="wide", engine=loaded)
        assert list(map(str, classes["class"])) == wide_values(kind)
        pairs = sqlmetrics.class_confusion(data, label="wide", prediction="wide", by="y", engine=loaded)
        assert pairs["count"].sum() == 6
        for role in ("label", "prediction"):
            assert sorted(map(str, pairs[role].unique())) == wide_values(kind)


def nullable(kind: str, engine: Engine) -> str:
    return f"Nullable({kind})" if engine.dialect == "clickhouse" else kind


def test_nan_is_missing_in_expressions_too(loaded: Engine) -> None:
    double = double_of(loaded)
    nan = f"cast('NaN' as {double})"
    ids = ["1.0", nan, nan, "2.0", "2.0", "1.0"]
    rows = [f"select {place % 2} as y, {place / 8} as s, 'i' as item, cast({one} as {double}) as u"
            for place, one in enumerate(ids)]  # fmt: skip
    data = " union all ".join(rows)
    roles: dict[str, Any] = {"label": "y", "score": "s", "engine": loaded}
    sliced = sqlmetrics.copc(data, by="x = u + 0", **roles)
    assert sliced["n"].tolist() == [2, 2, 2]
    assert sliced["x"].isna().tolist() == [False, False, True]
    with pytest.warns(sqlmetrics.DroppedRows, match="group .* in 2 rows"):
        assert sqlmetrics.gauc(data, group="= u + 0", **roles)["n"].tolist() == [4]
    judged = f"select cast({nan} as {double}) as u, 'i' as item, 1 as y union all select cast(1.0 as {double}), 'i', 1"
    returned = " union all ".join(rows[:2])
    with pytest.warns(sqlmetrics.DroppedRows, match="judgments in 1 row"):
        found = sqlmetrics.mrr(returned, judgments=judged, group="u", item="item", **roles)
    assert found["mrr"].tolist() == [1.0]


@pytest.mark.parametrize("loaded", slow("postgres"), indirect=True)
@pytest.mark.parametrize("asked", [{"by": "u"}, {"by": "x = u + 0"}, {"group": "u"}, {"group": "= u + 0"}])
def test_nan_of_exact_numbers_is_missing(loaded: Engine, asked: dict[str, str]) -> None:
    """PostgreSQL has a NaN among its exact numbers; it is missing there as it is among binary fractions."""
    ids = [1, "'NaN'", "'NaN'", 2, 2, 1]
    rows = [f"select {place % 2} as y, {place / 8} as s, cast({one} as numeric(9, 2)) as u"
            for place, one in enumerate(ids)]  # fmt: skip
    call: dict[str, Any] = {"label": "y", "score": "s", "engine": loaded, **asked}
    if "by" in asked:
        sliced = sqlmetrics.copc(" union all ".join(rows), **call)
        assert sliced.iloc[:, 0].astype(float).fillna(-1).tolist() == [1, 2, -1]
        assert sliced["n"].tolist() == [2, 2, 2]
    else:
        with pytest.warns(sqlmetrics.DroppedRows, match="group .* in 2 rows"):
            ranked = sqlmetrics.gauc(" union all ".join(rows), **call)
        assert ranked["n"].tolist() == [4]
        assert ranked["gauc"].tolist() == [0.5]  # of user 1 the click has the higher score, of user 2 the lower one


ZEROS: list[tuple[Any, dict[str, str]]] = [
    (["auc", "ks", "average_precision", "max_f1", "log_loss", "ece"], {"label": "y", "score": "z"}),
    (["auc", "ks", "pr_auc"], {"label": "y", "score": "z", "weight": "s"}),
    (["copc", "f1"], {"label": "y", "score": "s", "by": "z"}),
    (["copc", "f1"], {"label": "y", "score": "s", "by": "x = z * 1"}),
    ("roc_curve", {"label": "y", "score": "z"}),
    (["gauc", "ndcg@3", "mrr"], {"label": "y", "score": "s", "group": "z"}),
    (["macro_f1", "accuracy"], {"label": "y", "prediction": "z"}),
    (["field_ece", "gc_n"], {"label": "y", "score": "s", "field": "z"}),
    (["medae", "r2"], {"label": "y", "score": "z"}),
]


def test_a_zero_with_a_sign_is_zero(loaded: Engine) -> None:
    """-0 is 0: as label, score, id, class and slice, whatever an engine groups by."""
    double = double_of(loaded)

    def rows(zero: str) -> str:
        labels = ["1", zero, "0", "1", zero, "1"]
        drawn = [(label, zero if place % 2 else "0", str(place / 8)) for place, label in enumerate(labels)]
        return " union all ".join(
            f"select cast('{y}' as {double}) as y, cast('{z}' as {double}) as z, cast('{s}' as {double}) as s"
            for y, z, s in drawn
        )

    for metrics, roles in ZEROS:
        given: dict[str, Any] = {**roles, "engine": loaded}
        either, plain = (sqlmetrics.evaluate(rows(zero), metrics, **given) for zero in ("-0", "0"))
        assert differences(either, plain) == [], (metrics, roles)


def test_items_with_the_sign_of_zero_are_found(loaded: Engine) -> None:
    """In the further relations too -0 is the item 0."""
    double = double_of(loaded)

    def rows(*values: dict[str, str]) -> str:
        made = [", ".join(f"cast('{one}' as {double}) as {name}" for name, one in row.items()) for row in values]
        return " union all ".join(f"select {one}" for one in made)

    data = rows(*({"g": "1", "s": str(score), "item": item} for score, item in ((0.5, "0"), (0.25, "2"))))
    roles: dict[str, Any] = {"score": "s", "group": "g", "item": "item", "engine": loaded}
    similarity = rows({"item_a": "-0", "item_b": "2", "similarity": "0.75"})
    assert sqlmetrics.diversity(data, similarity=similarity, **roles)["diversity"].tolist() == [0.25]
    counts = rows({"item": "-0", "count": "1"}, {"item": "2", "count": "3"})
    assert sqlmetrics.novelty(data, popularity=counts, **roles)["novelty"].notna().tolist() == [True]
    assert sqlmetrics.coverage(data, catalog=rows({"item": "-0"}, {"item": "2"}), **roles)["coverage"].tolist() == [1.0]
    judged = rows({"g": "1", "item": "-0", "y": "1"})
    assert sqlmetrics.mrr(data, judgments=judged, label="y", **roles)["mrr"].tolist() == [1.0]


def test_slices_called_like_columns_of_ours(loaded: Engine) -> None:
    """Where a result column has the name of a column of the rows below, each is itself."""
    values = ["1, 0.25, 'a'", "0, 0.5, 'a'", "1, 0.75, 'b'", "0, 0.125, 'b'", "1, 0.5, null"]
    rows = " union all ".join("select {} as y, {} as s, {} as {{0}}".format(*one.split(", ")) for one in values)
    results = {
        name: sqlmetrics.evaluate(rows.format(name), "f1, copc, auc, ece", label="y", score="s", by=name, engine=loaded)
        for name in ("d", "pos", "score", "label", "slice_1")
    }
    for name, result in results.items():
        assert differences(result.rename(columns={name: "d"}), results["d"]) == [], name
    metrics = [{"name": "auc", "as": "slice_1"}, {"name": "copc", "as": "score"}]
    result = sqlmetrics.evaluate(rows.format("d"), metrics, label="y", score="s", by="d", engine=loaded)
    assert list(result.columns) == ["d", "n", "slice_1", "score"]


def test_classes_are_texts_as_they_are_written(loaded: Engine) -> None:
    """A text of the statement equals the same text of the data: also one that an engine would read in another way."""
    names = [*HOSTILE_NAMES, *REPLACED_BY_SPARK]
    share = 1 / len(names)
    metric = {"name": "multi_log_loss", "scores": dict.fromkeys(names, "p")}
    data = f"select kind, {share!r} as p from hostile_texts"
    result = sqlmetrics.evaluate(data, metric, label="kind", engine=loaded)
    assert result.iloc[0].tolist() == [len(names), pytest.approx(-math.log(share), abs=1e-12)]


def test_a_curve_of_equal_steps(loaded: Engine) -> None:
    """Each engine writes the numbers of the steps in its own way."""
    data = rows_of("weighted", "labels")
    kept = data[data["clicked"].notna() & data["pctr"].notna()]
    labels, scores = kept["clicked"].astype(float), kept["pctr"].astype(float)
    result = quiet(lambda: sqlmetrics.roc_curve("weighted_labels", points=5, spacing="score", engine=loaded, **LOG))
    thresholds = [math.inf, *np.linspace(scores.max(), scores.min(), 5)]
    assert result["threshold"].tolist() == pytest.approx(thresholds, abs=1e-12)
    for name, truth in (("tp", 1.0), ("fp", 0.0)):
        counts = [int(((scores >= threshold) & (labels == truth)).sum()) for threshold in thresholds]
        assert result[name].tolist() == counts


def test_a_query_as_data(loaded: Engine) -> None:
    text = render_macro(catalogue(), loaded.dialect, "text_literal", "it's; --")
    query = f"select clicked, pctr from {SOME} where device = {text} or clicked is not null;"
    queries = (query, f"with t as ({query[:-1]}) select * from t")
    both = [quiet(lambda data=data: sqlmetrics.auc(data, engine=loaded, **LOG)) for data in queries]
    assert_same(*both)


def test_a_relation_in_brackets(loaded: Engine) -> None:
    """As text that is run elsewhere. PostgreSQL 15 takes no sub-query without a name."""
    expected = quiet(lambda: sqlmetrics.auc(SOME, engine=loaded, **LOG))
    for name in ("", " as named", " named"):
        relation = f"(select * from {SOME} where device <> ')(' or clicked is not null){name}"
        text = sqlmetrics.render("auc", relation=relation, dialect=loaded.dialect, **LOG)
        assert as_pandas(loaded.query(text))["auc"].tolist() == pytest.approx(expected["auc"].tolist(), abs=1e-12)


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"data": "select 1 as clicked, 0.5 as pctr; drop table slices_labels"}, "BadParameter", "one single select"),
        ({"data": "there_is_no_such_table"}, "BadData", "there_is_no_such_table"),
        ({"data": "not a table"}, "BadData", "no table name"),
        ({"data": "select no_such_column from slices_labels"}, "QueryFailed", "no_such_column"),
        ({"label": "no_such_column"}, "MissingColumn", "no_such_column"),
        ({"label": "device"}, "BadData", "a number is needed"),
        ({"label": "= no_such_column + 1"}, "QueryFailed", "no_such_column"),
        ({"where": "clicked = 1) union all (select 1"}, "SqlMetricsError", ""),
        ({"where": "1 = 1) select 1; drop table slices_labels; select (1 = 1"}, "SqlMetricsError", ""),
        ({"label": "= 2 * clicked"}, "BadData", "neither 0 nor 1"),
        ({"score": "= pctr + 1", "metrics": "copc"}, "BadData", "outside [0, 1]"),
        ({"strict": True}, "BadData", "NULL or NaN"),
        ({"metrics": "pinball", "label": "= case when clicked = 1 then {infinity} else clicked end"},
         "BadData", " infinite"),
    ],
)  # fmt: skip
def test_bad_input(loaded: Engine, wrong: dict[str, object], error: str, words: str) -> None:
    arguments: dict[str, Any] = {"data": SOME, "metrics": "auc", **LOG, **wrong}
    infinity = render_macro(catalogue(), loaded.dialect, "infinity")
    arguments["label"] = arguments["label"].replace("{infinity}", infinity)
    if wrong.get("data") == "not a table" and loaded.dialect == "duckdb":
        words = "is no file"
    with pytest.raises(getattr(sqlmetrics, error)) as caught:
        quiet(lambda: sqlmetrics.evaluate(engine=loaded, **arguments))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    if isinstance(caught.value, sqlmetrics.QueryFailed):
        assert "select" in caught.value.sql


def test_the_connection_goes_on_after_bad_input(loaded: Engine) -> None:
    before = names_in(loaded)
    for wrong in ({"label": "= no_such_column + 1"}, {"where": "1 = 1) select 1; drop table slices_labels; select (1"}):
        with pytest.raises(sqlmetrics.SqlMetricsError):
            quiet(lambda wrong=wrong: sqlmetrics.auc(SOME, engine=loaded, **{**LOG, **wrong}))
        assert quiet(lambda: sqlmetrics.auc(SOME, engine=loaded, **LOG))["n"][0] > 0
    assert names_in(loaded) == before


@pytest.mark.parametrize("written", WRITTEN_NUMBERS)
def test_texts_for_numbers_are_named_with_the_expression_that_reads_them(loaded: Engine, written: str) -> None:
    texts, numbers = WRITTEN_NUMBERS[written]
    labels = [1.5, 2.25, 3.5, 1000.0]
    literals = [render_macro(catalogue(), loaded.dialect, "text_literal", text) for text in texts]
    rows = [f"select {label} as y, {text} as p" for label, text in zip(labels, literals, strict=True)]
    with pytest.raises(sqlmetrics.BadData, match=r"score: column 'p' is .* is not a number; write") as caught:
        sqlmetrics.mae(" union all ".join(rows), label="y", score="p", engine=loaded)
    [literal] = re.findall(r'score=("(?:[^"\\]|\\.)*")', str(caught.value))
    expression = ast.literal_eval(literal)
    result = quiet(lambda: sqlmetrics.mae(" union all ".join(rows), label="y", score=expression, engine=loaded))
    pairs = [pair for pair in zip(labels, numbers, strict=True) if pair[1] is not None]
    assert result["mae"][0] == pytest.approx(sklearn_metrics.mean_absolute_error(*zip(*pairs, strict=True)), rel=1e-12)


def test_rows_left_out_are_told(loaded: Engine) -> None:
    with pytest.warns(sqlmetrics.DroppedRows, match="label .*'clicked'.* in 4 rows"):
        sqlmetrics.auc(SOME, engine=loaded, **LOG)


def test_groups_and_judgments_are_inspected(loaded: Engine) -> None:
    roles = {"group": "user_id", "item": "ad", **LOG}
    once = "select user_id, ad, clicked from slices_judged"
    rows = "select * from slices_judged union all select * from slices_judged"
    with pytest.raises(sqlmetrics.BadData, match="data holds one item twice in a group"):
        quiet(lambda: sqlmetrics.ndcg(rows, judgments=once, engine=loaded, **roles))
    twice = "select user_id, ad, clicked from slices_judged union all select user_id, ad, clicked from slices_judged"
    with pytest.raises(sqlmetrics.BadData, match="judgments holds two judgments"):
        quiet(lambda: sqlmetrics.ndcg("slices_judged", judgments=twice, engine=loaded, **roles))
    texts = "select user_id, cast(ad as char(9)) as ad, clicked from slices_judged"
    if loaded.dialect in ("duckdb", "postgres"):
        with pytest.raises(sqlmetrics.BadData, match="item: column 'ad' is"):
            quiet(lambda: sqlmetrics.ndcg("slices_judged", judgments=texts, engine=loaded, **roles))
    weighted = {"group": "user_id", "group_weight": "= importance + case when ad = 7 then 1 else 0 end", **LOG}
    with pytest.raises(sqlmetrics.BadData, match=r"group_weight has two values in one group; .* \(1 in all\)"):
        quiet(lambda: sqlmetrics.mrr("typed_grades", engine=loaded, **weighted))
    with pytest.raises(sqlmetrics.BadData, match="has more than 2 distinct pairs"):
        quiet(lambda: sqlmetrics.kendall_tau("slices_grades", max_group_size=2, engine=loaded, group="user_id", **LOG))


def test_per_group_diagnostics_groupings_and_models(loaded: Engine) -> None:
    groups = quiet(
        lambda: sqlmetrics.per_group("slices_grades", ["mrr", "ndcg@3"], group="user_id", engine=loaded, **LOG)
    )
    assert [str(kind) for kind in groups.dtypes[1:]] == ["int64", "float64", "float64"]
    told = quiet(
        lambda: sqlmetrics.evaluate(
            SOME, ["auc", "gauc"], by=[[], ["device"], ["country"]], group="user_id", diagnostics=True, min_rows=1,
            label="clicked", score=["pctr", "inverse = 1 - pctr"], engine=loaded,
        )
    )  # fmt: skip
    assert set(told["grouping"]) == {"overall", "device", "country"}
    both = told[told["grouping"] == "overall"].set_index("model")["auc"]
    assert both["pctr"] + both["inverse"] == pytest.approx(1)
    assert (told["rows_read"] >= told["n"]).all()


# Objects in memory


FRAME = pd.DataFrame({"clicked": [0, 1, 1, 0], "pctr": [0.1, 0.9, 0.4, 0.4], "user_id": ["a", "a", None, "b"]})


def test_objects_in_memory(loaded: Engine) -> None:
    before = names_in(loaded)
    for frame in (FRAME, polars.from_pandas(FRAME)):
        if hasattr(loaded, "register") or loaded.dialect == "duckdb":
            assert sqlmetrics.auc(frame, engine=loaded, **LOG)["auc"].tolist() == [0.875]
        else:
            with pytest.raises(sqlmetrics.BadParameter, match="takes a table name or a query, not DataFrame"):
                sqlmetrics.auc(frame, engine=loaded, **LOG)
    assert names_in(loaded) == before


def names_in(engine: Any) -> set[str]:
    """Every table and view that the engine shows."""
    if engine.dialect == "spark":
        return {row["tableName"] for row in engine.session.sql("show tables").collect()}
    if engine.dialect == "bigquery":
        return set(engine.tables)
    where = "where table_schema not in ('information_schema', 'pg_catalog', 'INFORMATION_SCHEMA', 'system')"
    found = engine.query(f"select table_schema as a, table_name as b from information_schema.tables {where}")
    return {f"{row.a}.{row.b}" for row in found.itertuples()}


# Clients


@pytest.mark.parametrize("connect", [lambda: sqlite3.connect(":memory:"), duckdb.connect], ids=["rows", "arrow"])
def test_a_connection_of_snowflake_returns_names_in_lower_case(connect: Callable[[], Any]) -> None:
    """A bare word is stored there in upper case; what was quoted stays as it is."""
    with connect() as connection:
        found = DBAPI(connection, "snowflake").query('select 1 as "N", 0.5 as "AUC_AT_10", 2 as "Mixed", 3 as "A B"')
    assert list(found.to_pydict() if isinstance(found, pa.Table) else found) == ["n", "auc_at_10", "Mixed", "A B"]


@pytest.mark.parametrize(
    ("package", "extra", "make"),
    [
        ("pyspark", "spark", sqlmetrics.engines.Spark),
        ("psycopg", "postgres", PostgreSQL),
        ("chdb", "clickhouse", sqlmetrics.engines.ClickHouse),
    ],
)
def test_a_missing_client_names_its_extra(
    package: str, extra: str, make: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [package, *sys.modules]:
        if name.partition(".")[0] == package:
            monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(sqlmetrics.MissingClient, match=rf"pip install 'sqlmetrics\[{extra}\]'"):
        make(None)


def test_what_is_no_engine() -> None:
    with duckdb.connect() as con:
        with pytest.raises(sqlmetrics.BadParameter, match=r"write sqlmetrics.engines.DuckDB\(…\) around it"):
            sqlmetrics.auc(FRAME, engine=con, **LOG)
        with pytest.raises(sqlmetrics.BadParameter, match="con or engine, not both"):
            sqlmetrics.auc(FRAME, engine=DuckDB(con), con=con, **LOG)
        with pytest.raises(sqlmetrics.BadParameter, match="dialect of engine must be one of"):
            sqlmetrics.auc("select 1 as clicked, 1 as pctr", engine=DBAPI(con, "cobol"), **LOG)
    with pytest.raises(sqlmetrics.BadParameter, match="Python's database interface"):
        DBAPI(object(), "postgres")


@pytest.mark.slow
def test_what_is_no_connection_of_psycopg() -> None:
    optional.package("psycopg")
    with duckdb.connect() as con, pytest.raises(sqlmetrics.BadParameter, match="a connection of psycopg"):
        PostgreSQL(con)


def test_an_adapter_of_two_lines() -> None:
    class Mine:
        dialect = "duckdb"

        def query(self, sql: str) -> Any:
            return duckdb.sql(sql).to_arrow_table()

    log = "select * from (values (1, 0.9::decimal(3, 1)), (0, null)) as log(clicked, pctr)"
    result = quiet(lambda: sqlmetrics.evaluate(log, "auc, mae", engine=Mine(), **LOG))
    assert result.to_dict("records")[0]["n"] == 1
    with pytest.raises(sqlmetrics.QueryFailed, match="clicked_twice"):
        sqlmetrics.auc(log, label="= clicked_twice", score="pctr", engine=Mine())


def test_any_connection_of_the_database_interface() -> None:
    """SQLite reads some of PostgreSQL's SQL; its transactions are as its user left them."""
    connection = sqlite3.connect(":memory:")
    connection.execute("create table log as select 1.0 as clicked, 0.5 as pctr union all select 0.0, 0.25")
    connection.commit()
    engine = DBAPI(connection, "postgres")
    assert engine.query("select sum(pctr) as s from log")["s"].tolist() == [0.75]
    with pytest.raises(sqlmetrics.BadData, match="no such table: no_table"):
        sqlmetrics.copc("no_table", engine=engine, **LOG)
    connection.execute("insert into log values (1, 1)")
    with pytest.raises(sqlmetrics.BadData, match="no such table: no_table"):
        sqlmetrics.copc("no_table", engine=engine, **LOG)
    assert connection.in_transaction
    assert connection.execute("select count(*) from log").fetchall() == [(3,)]
    connection.close()


# What only a server can do


@pytest.fixture(scope="module", params=slow("postgres"))
def server() -> Iterator[Any]:
    with postgres_connection() as connection:
        connection.execute("create table log as select n % 2 as clicked, n / 10.0 as pctr from generate_series(1, 9) n")
        connection.commit()
        yield connection


def test_the_transaction_stays_as_it_is(server: Any) -> None:
    engine = PostgreSQL(server)
    idle = server.info.transaction_status
    assert sqlmetrics.auc("log", engine=engine, **LOG)["n"].tolist() == [9]
    assert server.info.transaction_status == idle
    with pytest.raises(sqlmetrics.QueryFailed, match="division by zero"):
        sqlmetrics.auc("log", engine=engine, label="= 1 / (clicked - clicked)", score="pctr")
    assert server.info.transaction_status == idle
    server.execute("create table half_done (a int)")
    with pytest.raises(sqlmetrics.QueryFailed, match="division by zero"):
        sqlmetrics.auc("log", engine=engine, label="= 1 / (clicked - clicked)", score="pctr")
    assert server.execute("select count(*) from half_done").fetchone() == (0,)
    server.rollback()


def test_another_driver_is_rolled_back(server: Any) -> None:
    engine = DBAPI(server, "postgres")
    assert sqlmetrics.auc("log", engine=engine, **LOG)["n"].tolist() == [9]
    with pytest.raises(sqlmetrics.QueryFailed, match="division by zero"):
        sqlmetrics.auc("log", engine=engine, label="= 1 / (clicked - clicked)", score="pctr")
    assert server.info.transaction_status == 0


def test_a_table_without_the_right_to_read(server: Any) -> None:
    server.execute("create role guest; set role guest")
    try:
        with pytest.raises(sqlmetrics.BadData, match="permission denied for table log"):
            sqlmetrics.auc("log", engine=PostgreSQL(server), **LOG)
        with pytest.raises(sqlmetrics.QueryFailed, match="permission denied for table log") as caught:
            sqlmetrics.auc("select * from log", engine=PostgreSQL(server), **LOG)
        assert caught.value.sql == "select * from log"
    finally:
        server.rollback()


def test_a_query_that_the_server_cancels(server: Any) -> None:
    # It asks for that itself: a limit of time would on a busy machine cancel what comes before.
    cancelled = "pg_cancel_backend(pg_backend_pid()) is null or pg_sleep(600) is not null"
    with pytest.raises(sqlmetrics.QueryFailed, match="canceling statement due to user request") as caught:
        sqlmetrics.auc("log", engine=PostgreSQL(server), where=cancelled, **LOG)
    assert "pg_sleep" in caught.value.sql
    assert sqlmetrics.auc("log", engine=PostgreSQL(server), **LOG)["n"].tolist() == [9]


@pytest.mark.parametrize("make", [PostgreSQL, lambda connection: DBAPI(connection, "postgres")])
def test_a_lost_connection(server: Any, make: Callable[[Any], Engine]) -> None:
    import psycopg

    lost = psycopg.connect(server.info.dsn, password=server.info.password)
    lost.commit()
    # It waits until the other one is gone.
    server.execute("select pg_terminate_backend(%s, 60000)", [lost.info.backend_pid])
    server.commit()
    for _ in range(2):
        with pytest.raises(sqlmetrics.BadData, match=r"terminat|clos|lost"):
            sqlmetrics.auc("log", engine=make(lost), **LOG)
    lost.close()


@pytest.mark.parametrize("loaded", slow("spark"), indirect=True)
def test_a_session_of_spark_that_is_there_is_used_and_left_open(loaded: Engine) -> None:
    def auc(engine: Engine | str) -> pd.DataFrame:
        return quiet(lambda: sqlmetrics.auc(SOME, engine=engine, **LOG))

    before = auc(loaded)
    assert_same(auc("spark"), before)
    assert_same(auc(loaded), before)


# The shell


def shell(*arguments: str) -> Any:
    return CliRunner().invoke(main, ["eval", *arguments])


#: A text where a number is needed, in each place of a call.
TEXTS = "select 1 as y, 'NA' as t, 0.5 as s union all select 0, '0.3', 0.2"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"score": "t"}, "score: column 't' holds the text 'NA', and a number is needed; "
                         "score=\"= cast(nullif(t, 'NA') as double precision)\" makes it a missing value"),
        ({"score": ["s", "t"]}, "score: column 't' holds the text 'NA'"),
        ({"label": "t"}, "label: column 't' holds the text 'NA'"),
        ({"weight": "t"}, "weight: column 't' holds the text 'NA'"),
        ({"score": "= t::float"}, "score: t::float holds the text 'NA', and a number is needed; nullif(…, 'NA') makes"),
        ({"by": "x = t::float"}, "the query failed: invalid input syntax"),
    ],
    ids=repr,
)  # fmt: skip
def test_a_text_where_a_number_is_needed_is_named(server: Any, given: dict[str, Any], words: str) -> None:
    """Through a driver that tells no types of columns, PostgreSQL alone refuses a text, and names no column."""
    with pytest.raises(sqlmetrics.QueryFailed) as refusal:
        sqlmetrics.auc(TEXTS, engine=DBAPI(server, "postgres"), **{"label": "y", "score": "s", **given})
    assert str(refusal.value).startswith(words)


def test_what_makes_a_missing_value_of_a_text_works(server: Any) -> None:
    score = "= cast(nullif(t, 'NA') as double precision)"
    found = quiet(lambda: sqlmetrics.mae(TEXTS, engine=DBAPI(server, "postgres"), label="y", score=score))
    assert found["n"].tolist() == [1]
    assert found["mae"].tolist() == [0.3]


def test_the_shell_reads_another_engine(server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = server.info
    monkeypatch.setenv("PGPASSWORD", info.password)
    call = ("-m", "auc", "--label", "clicked", "--score", "pctr", "--format", "csv")
    url = f"postgres://{info.user}@{info.host}:{info.port}/{info.dbname}"
    assert shell("log", *call, "--engine", url).stdout.splitlines() == ["n,auc", "9,0.5"]
    assert sqlmetrics.auc("log", label="clicked", score="pctr", engine=url).loc[0].tolist() == [9, 0.5]
    with duckdb.connect(str(tmp_path / "a.duckdb")) as con:
        con.execute("create table log as select range % 2 as clicked, range / 10 as pctr from range(1, 10)")
    assert shell("log", *call, "--engine", f"duckdb:{tmp_path / 'a.duckdb'}").stdout.splitlines() == ["n,auc", "9,0.5"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("log", "--engine", "oracle"), "engine 'oracle': one of duckdb:FILE"),
        (("log", "--engine", "duckdb", "--threads", "2"), "--threads is DuckDB's own"),
        (("log", "more", "--engine", "duckdb"), "DATA is one table or query"),
    ],
)
def test_bad_engines_of_the_shell(arguments: tuple[str, ...], words: str) -> None:
    result = shell(*arguments, "-m", "auc", "--label", "clicked", "--score", "pctr")
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.slow
def test_a_server_that_does_not_answer_the_shell() -> None:
    optional.package("psycopg")
    result = shell("log", "--engine", "postgres://nobody@127.0.0.1:1/none", "-m", "auc", "--label", "clicked",
                   "--score", "pctr")  # fmt: skip
    assert result.exit_code == 2
    assert "engine: connection" in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.slow
def test_a_master_of_spark_that_is_none() -> None:
    """In a process of its own, for a session that is there already would be taken; Spark writes its log before."""
    optional.package("pyspark")
    optional.program("java")
    command = [sys.executable, "-m", "sqlmetrics", "eval", "log", "--engine", "local[x]"]
    command += ["-m", "auc", "--label", "clicked", "--score", "pctr"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("error: --engine: ")
    assert "Could not parse Master URL: 'local[x]'" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def as_query(data: pd.DataFrame, engine: Engine) -> str:
    def written(value: Any) -> str:
        return repr(float(value) if isinstance(value, int) else value)

    rows = [
        ", ".join(f"{written(value)} as {quoted(name, engine)}" for name, value in row.items())
        for row in data.to_dict("records")
    ]
    return "select " + " union all select ".join(rows)


# Of DuckDB tests/values/test_names.py asks the same.
@pytest.mark.parametrize("loaded", slow("postgres", "clickhouse", "bigquery"), indirect=True)
@pytest.mark.parametrize("truth", ODD)
def test_a_preset_on_odd_inputs(loaded: Engine, truth: str) -> None:
    def ask(data: pd.DataFrame, metrics: Any, **parameters: Any) -> pd.DataFrame:
        return sqlmetrics.evaluate(as_query(data, loaded), metrics, engine=loaded, **parameters)

    check_odd_inputs(truth, False, ask)
