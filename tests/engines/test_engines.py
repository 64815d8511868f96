"""Engine-specific behaviour: numbers at the ends of their range, names, types, errors, connections."""

from __future__ import annotations

import ast
import functools
import math
import re
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest
from sklearn import metrics as sk

import sqlmetrics
from sqlmetrics import BadData, BadParameter, DroppedRows, QueryFailed
from sqlmetrics.catalogue.registry import catalogue
from sqlmetrics.engines import DBAPI, ClickHouse, DuckDB, Engine, PostgreSQL, Spark
from sqlmetrics.rendering.macros import render_macro
from sqlmetrics.tables import as_pandas
from tests import optional
from tests.calls import shell
from tests.compare import assert_same, differences
from tests.engines.cases import HOSTILE_NAMES, REPLACED_BY_SPARK, special_tables
from tests.engines.servers import ENGINES, postgres_connection, shared_spark_session
from tests.parameters import slow
from tests.variants import quiet

LOG = "slices_labels"
ROLES: dict[str, Any] = {"label": "clicked", "score": "pctr"}
NAN = float("nan")
#: Rows with NaN and with both signed zeros, also in further relations.
TABLES = special_tables() | {
    name: pa.table(columns) for name, columns in {
        "nans": {"y": [0, 1] * 3, "s": [row / 8 for row in range(6)], "item": ["i"] * 6, "u": [1, NAN, NAN, 2, 2, 1]},
        "nan_judgments": {"u": [NAN, 1.0], "item": ["i", "i"], "y": [1, 1]},
        "zeros": {"variant": ["plain"] * 6 + ["signed"] * 6, "s": [row / 8 for row in range(6)] * 2,
                  "y": [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, -0.0, 0.0, 1.0, -0.0, 1.0],
                  "z": [0.0] * 6 + [0.0, -0.0] * 3},
        "items": {"g": [1, 1], "s": [0.5, 0.25], "item": [0.0, 2.0]}, "item_catalog": {"item": [-0.0, 2.0]},
        "item_similarity": {"item_a": [-0.0], "item_b": [2.0], "similarity": [0.75]},
        "item_popularity": {"item": [-0.0, 2.0], "count": [1, 3]},
        "item_judgments": {"g": [1], "item": [-0.0], "y": [1]},
    }.items()
}  # fmt: skip


def names_in(engine: Any) -> set[str]:
    """Every table and view that the engine shows."""
    if engine.dialect == "spark":
        return {row["tableName"] for row in engine.session.sql("show tables").collect()}
    if engine.dialect == "bigquery":
        return set(engine.tables)
    where = "where table_schema not in ('information_schema', 'pg_catalog', 'INFORMATION_SCHEMA', 'system')"
    names = engine.query(f"select table_schema as a, table_name as b from information_schema.tables {where}")
    return {f"{row.a}.{row.b}" for row in names.itertuples()}


@pytest.fixture(scope="module", params=["duckdb", *slow(*(name for name in ENGINES if name != "duckdb"))])
def loaded(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An engine with the tables of these tests, which create no other tables, even in case of an error."""
    with ENGINES[request.param](TABLES) as engine:
        before = names_in(engine)
        yield engine
        assert names_in(engine) == before


def macro(engine: Engine, name: str, *arguments: Any) -> str:
    """The text of a macro in the dialect of an engine."""
    return render_macro(catalogue(), engine.dialect, name, *arguments)


def quoted(name: str, engine: Engine) -> str:
    return macro(engine, "quoted_identifier", name)


def union(rows: list[str]) -> str:
    """A query of rows, each a select list."""
    return "select " + " union all select ".join(rows)


# Long lists, and probabilities at the ends of their range


# Windows of thousands of rows take minutes in BigQuery's evaluator and one on Spark, where 5e-324 is 0.
@pytest.mark.parametrize("loaded", slow("duckdb", "postgres", "clickhouse"), indirect=True)
def test_long_lists(loaded: Engine) -> None:
    """Products of 4000 probabilities underflow, as 0.5^1999 does, which PostgreSQL reports as an error."""
    query = (
        "select 1 as query, step as item, mod(step, 4) as aspect, 1 + mod(step, 3) as grade, -step as score "
        f"from ({macro(loaded, 'series', 4000, 'step')}) as series"
    )
    step = np.arange(4000)
    rows = pd.DataFrame({"query": 1, "item": step, "aspect": step % 4, "grade": 1 + step % 3, "score": -step})
    roles = {"label": "grade", "score": "score", "group": "query", "item": "item"}
    for metrics, further in (
        ("err(max_label=3), rbp(p=0.5), ndcg, gm_map", {}),
        ("alpha_dcg, alpha_ndcg(k=20), err_ia(max_label=3), nrbp", {"subtopic": "aspect"}),
    ):
        ours = sqlmetrics.evaluate(query, metrics, **roles, **further, engine=loaded)
        expected = sqlmetrics.evaluate(rows, metrics, **roles, **further)
        pd.testing.assert_frame_equal(ours, expected, rtol=1e-12, check_dtype=False)
    whole = {"score": "= -score", "group": "query", "p": 0.5, "where": "score > -2000", "engine": loaded}
    last = sqlmetrics.rbp(query, label="= case when score = -1999 then 1 else 0 end", **whole)
    assert last["rbp"].tolist() == [0.5]
    assert sqlmetrics.rbo(query, label="= -score", **whole)["rbo"].tolist() == pytest.approx([1.0], abs=1e-12)


@pytest.mark.slow
def test_probabilities_at_their_limits(loaded: Engine) -> None:
    """The square of a probability does not underflow in any engine."""
    data = TABLES["edges"].to_pandas()
    label, score = data["clicked"].to_numpy(), data["pctr"].to_numpy()
    precision, recall, _ = sk.precision_recall_curve(label, score)
    expected = {
        "log_loss": sk.log_loss(label, np.column_stack([1 - score, score])), "copc": label.sum() / score.sum(),
        "brier": sk.brier_score_loss(label, score), "mae": sk.mean_absolute_error(label, score),
        "mse": sk.mean_squared_error(label, score), "rmse": sk.root_mean_squared_error(label, score),
        "r2": sk.r2_score(label, score), "auc": sk.roc_auc_score(label, score),
        "average_precision": sk.average_precision_score(label, score), "pr_auc": sk.auc(recall, precision),
    }  # fmt: skip
    names = ", ".join(name for name in expected if name != "pr_auc")
    metrics = f"{names}, pr_auc(interpolation='trapezoid'), ece(norm='l2'), smape"
    ours = sqlmetrics.evaluate("edges", metrics, weight="= 2", engine=loaded, **ROLES).iloc[0]
    assert ours[[*expected]].to_dict() == pytest.approx(expected, rel=1e-12)


# Types and names of results


def test_types_are_the_same_everywhere(loaded: Engine) -> None:
    long_name = "Ärea_under_the_curve_" + "x" * 60
    metrics: list[Any] = [{"name": "auc", "as": long_name}, "gauc", "CopC = copc"]
    with pytest.warns(DroppedRows, match="label .*'clicked'.* in 4 rows"):
        result = sqlmetrics.evaluate(LOG, metrics, by="Gerät = device", group="user_id", engine=loaded, **ROLES)
    assert list(result.columns) == ["Gerät", "n", long_name, "gauc", "CopC"]
    assert list(map(str, result.dtypes[1:])) == ["int64", "float64", "float64", "float64"]
    *devices, missing = result["Gerät"]
    assert pd.isna(missing)
    assert all(isinstance(device, str) for device in devices)
    table = quiet(lambda: sqlmetrics.lift_table(LOG, engine=loaded, **ROLES))
    assert list(map(str, table.dtypes)) == ["int64", "int64", *["float64"] * 5]
    curve = sqlmetrics.roc_curve("empty_labels", engine=loaded, **ROLES)
    assert curve.empty
    assert set(map(str, curve.dtypes)) == {"float64"}
    whole = sqlmetrics.copc("select 7 as slice, 1 as y, 0.5 as s", label="y", score="s", by="slice", engine=loaded)
    assert list(map(str, whole.dtypes)) == ["int64", "int64", "float64"]
    roles = {"label": "clicked", "score": ["pctr", "inverse = 1 - pctr"], "by": [[], ["device"]], "diagnostics": True}
    models = quiet(lambda: sqlmetrics.auc(LOG, min_rows=1, engine=loaded, **roles))
    assert set(models["grouping"]) == {"overall", "device"}
    assert models.loc[models["grouping"] == "overall", "auc"].sum() == pytest.approx(1)
    assert (models["rows_read"] >= models["n"]).all()


#: Words that some engine reads as a number, a value, a function or a pseudo-column when they are unquoted.
BARE_WORDS = (
    "inf", "nan", "infinity", "none", "now", "pi", "e", "true", "null", "user", "current_user", "date", "timestamp",
    "value", "level", "key", "array", "map", "interval", "offset", "input", "rows", "oid", "rowid", "rownum", "index",
    "row_number", "source", "valid_rows", "slices", "slice_1", "score", "label", "pos", "neg", "model", "grouping",
)  # fmt: skip


@pytest.mark.slow
def test_names_are_literal(loaded: Engine) -> None:
    """Columns, slices, results and models have the caller's names, even if an engine would interpret them."""
    rejected = REPLACED_BY_SPARK if loaded.dialect == "spark" else ()
    names = [name for name in (*HOSTILE_NAMES, *REPLACED_BY_SPARK) if name not in rejected]
    hostile = TABLES["hostile"].to_pandas()
    value = pytest.approx(sk.roc_auc_score(hostile["clicked"], hostile["pctr"]), abs=1e-12)
    # Spark takes a tenth of a second for each model and each metric. A name is written in the same way everywhere.
    step = 2 if loaded.dialect == "spark" else 1
    copies = ", ".join(f"pctr as {quoted(word, loaded)}" for word in BARE_WORDS)
    log: dict[str, Any] = {"data": f"select hostile.*, {copies} from hostile", "label": "clicked", "engine": loaded}

    models = [f"s:{name}" for name in names[::step]] + [*BARE_WORDS][::step]
    compared = sqlmetrics.auc(score=[sqlmetrics.column(model) for model in models], **log)
    assert compared["model"].tolist() == models
    assert compared["auc"].tolist() == [value] * len(models)

    columns = [f"r:{name}" for name in names[step // 2 :: step]]
    columns += [word for word in BARE_WORDS[step // 2 :: step] if word not in ("model", "grouping")]
    results = sqlmetrics.evaluate(metrics=[{"name": "auc", "as": name} for name in columns], score="pctr", **log)
    assert list(results.columns) == ["n", *columns]
    assert results.iloc[0, 1:].tolist() == [value] * len(columns)

    by_device = sqlmetrics.auc(score="pctr", by="device", **log)
    slices = [f"d:{name}" for name in names]
    # The names of groupings are strings in the statement, and its title lists all of them. Spark takes nearly a second
    # for each slice and each grouping.
    for part in (slices[2::3], slices[1::3], slices[::3])[: 1 if loaded.dialect == "spark" else 3]:
        together = sqlmetrics.auc(score="pctr", by=[sqlmetrics.column(name) for name in part], **log)
        assert list(together.columns) == [*part, "n", "auc"]
        assert all(together[name].tolist() == by_device["device"].tolist() for name in part)
        apart = sqlmetrics.auc(score="pctr", by=[[sqlmetrics.column(name)] for name in part], **log)
        assert list(dict.fromkeys(apart["grouping"])) == part
    # Slices and results with the names of internal columns
    inner, metrics = ["pos", "score", "label", "slice_1"], ["f1", "neg = auc", "slice_2 = copc", "ece"]
    plain, sliced = (sqlmetrics.evaluate(metrics=metrics, score="pctr", by=by, **log) for by in ("pctr", inner))
    assert list(sliced.columns) == [*inner, "n", "f1", "neg", "slice_2", "ece"]
    for name in inner:
        assert differences(sliced[[name, *plain.columns[1:]]].rename(columns={name: "pctr"}), plain) == [], name

    for name in rejected:
        for wrong in (
            {"score": sqlmetrics.column(f"s:{name}")},
            {"score": "pctr", "by": sqlmetrics.column(f"d:{name}")},
            {"score": "pctr", "metrics": [{"name": "auc", "as": name}]},
        ):
            with pytest.raises(BadParameter, match="Spark replaces"):
                sqlmetrics.evaluate(**{"metrics": "auc", **log, **wrong})


def test_names_that_start_with_the_same_63_bytes(loaded: Engine) -> None:
    first, second = (f"{'ä' * 31}x_{end}" for end in "ab")
    roles: dict[str, Any] = {"data": LOG, "label": "clicked", "engine": loaded}
    models = quiet(lambda: sqlmetrics.auc(score=[f"{first} = pctr", f"{second} = 1 - pctr"], **roles))
    assert models["model"].tolist() == [first, second]
    assert models["auc"].sum() == pytest.approx(1)
    sliced = functools.partial(sqlmetrics.copc, score="pctr", by=[f"{first} = device", f"{second} = country"], **roles)
    if loaded.dialect == "postgres":
        with pytest.raises(BadParameter, match="cuts names after 63 bytes"):
            quiet(sliced)
    else:
        assert list(quiet(sliced).columns[:2]) == [first, second]


# Values with engine-specific behaviour


WIDE_TYPES = {
    "duckdb": ["bigint", "ubigint", "hugeint", "decimal(38, 10)"],
    "postgres": ["bigint", "numeric(38, 10)", "numeric"],
    "spark": ["bigint", "decimal(38, 10)"],
    "bigquery": ["int64", "bignumeric(38, 10)"],
    "clickhouse": ["Int64", "UInt64", "Int128", "Decimal(38, 10)"],
}


@pytest.mark.slow
def test_wide_numbers(loaded: Engine) -> None:
    """As scores they would tie, which is an error. As ids they stay exact, also next to a missing value."""
    roles: dict[str, Any] = {"label": "y", "score": "s", "engine": loaded}
    for wide_type in WIDE_TYPES[loaded.dialect]:
        first = 2**63 if wide_type.startswith("U") else 2**60
        values = [f"123456789012345678.000000000{end}" for end in (1, 2, 3)]
        if "(" not in wide_type and wide_type != "numeric":
            values = [f"{first + end}" for end in (1, 2, 3)]
        rows = [f"{row % 2} as y, 0.5 as s, cast('{value}' as {wide_type}) as wide"
                for row, value in enumerate(values * 2)]  # fmt: skip
        data = union(rows)
        for score in ("wide", ["s", "wide"]):
            with pytest.raises(BadData, match="2 of its values are no numbers of their own"):
                sqlmetrics.auc(data, **{**roles, "score": score})
        assert sqlmetrics.auc(union(rows[:1]), **{**roles, "score": "wide"})["n"].tolist() == [1]
        if wide_type in ("Int128", "Decimal(38, 10)"):  # a ClickHouse type
            cast = r"wide is .*, which chdb rounds to doubles; cast it: toString\(wide\)$"
            as_classes = {"label": "wide", "prediction": "wide", "score": None, "metrics": "class_report"}
            for options in ({"by": "k = wide"}, {"group": "wide", "metrics": "gauc"}, as_classes):
                with pytest.raises(BadData, match=cast):
                    sqlmetrics.evaluate(data, **{"metrics": "auc", **roles, **options})
            assert sqlmetrics.copc(data, by="k = toString(wide)", **roles)["k"].tolist() == values
            continue
        nullable = f"Nullable({wide_type})" if loaded.dialect == "clickhouse" else wide_type
        missing = f"{data} union all select 1 as y, 0.5 as s, cast(null as {nullable}) as wide"
        *slices, last = sqlmetrics.copc(missing, by="wide", **roles)["wide"]
        assert pd.isna(last)
        groups = sqlmetrics.per_group(data, "gauc", group="wide", **roles)["wide"]
        report = sqlmetrics.class_report(data, label="wide", prediction="wide", engine=loaded)["class"]
        for ids in (slices, groups, report):
            assert sorted(map(str, ids)) == values


@pytest.mark.slow
def test_nan_is_missing_in_expressions(loaded: Engine) -> None:
    roles: dict[str, Any] = {"label": "y", "score": "s", "engine": loaded}
    sliced = sqlmetrics.copc("nans", by="x = u + 0", **roles)
    assert sliced["n"].tolist() == [2, 2, 2]
    assert sliced["x"].isna().tolist() == [False, False, True]
    with pytest.warns(DroppedRows, match="group .* in 2 rows"):
        assert sqlmetrics.gauc("nans", group="= u + 0", **roles)["n"].tolist() == [4]
    with pytest.warns(DroppedRows, match="judgments in 1 row"):
        result = sqlmetrics.mrr("nans", where="s < 0.2", judgments="nan_judgments", group="u", item="item", **roles)
    assert result["mrr"].tolist() == [1.0]


@pytest.mark.parametrize("loaded", slow("postgres"), indirect=True)
def test_nan_of_exact_numbers_is_missing(loaded: Engine) -> None:
    """PostgreSQL's numeric type has a NaN."""
    rows = union([f"{row % 2} as y, {row / 8} as s, cast({user} as numeric(9, 2)) as u"
                  for row, user in enumerate([1, "'NaN'", "'NaN'", 2, 2, 1])])  # fmt: skip
    roles: dict[str, Any] = {"label": "y", "score": "s", "engine": loaded}
    sliced = sqlmetrics.copc(rows, by="x = u + 0", **roles)
    assert sliced["x"].astype(float).fillna(-1).tolist() == [1, 2, -1]
    assert sliced["n"].tolist() == [2, 2, 2]
    with pytest.warns(DroppedRows, match="group .* in 2 rows"):
        ranked = sqlmetrics.gauc(rows, group="u", **roles)
    # User 1 clicked the row with the higher score, user 2 the one with the lower.
    assert ranked.iloc[0].tolist() == [4, 0.5]


#: Metrics over the column z, half of whose zeros are negative.
ZEROS: list[tuple[Any, dict[str, Any]]] = [
    (["auc", "ks", "average_precision", "max_f1", "log_loss", "ece", "medae", "r2"], {"label": "y", "score": "z"}),
    (["auc", "ks", "pr_auc"], {"label": "y", "score": "z", "weight": "s"}),
    (["copc", "f1"], {"label": "y", "score": "s", "by": ["variant", "z", "x = z * 1"]}),
    ("roc_curve", {"label": "y", "score": "z"}),
    (["gauc", "ndcg@3", "mrr", "field_ece", "gc_n"], {"label": "y", "score": "s", "group": "z", "field": "z"}),
    (["macro_f1", "accuracy"], {"label": "y", "prediction": "z"}),
]


@pytest.mark.slow
def test_negative_zero_is_zero(loaded: Engine) -> None:
    """As a label, score, id, class and slice, for every way in which an engine groups."""
    for metrics, roles in ZEROS:
        result = sqlmetrics.evaluate("zeros", metrics, **{"by": "variant", **roles, "engine": loaded})
        plain, signed = (
            result[result["variant"] == name].drop(columns="variant").reset_index(drop=True)
            for name in ("plain", "signed")
        )
        assert len(plain) > 0
        assert differences(signed, plain) == [], (metrics, roles)


@pytest.mark.slow
def test_items_of_negative_zero_match(loaded: Engine) -> None:
    """In the further relations, -0 matches the item 0."""
    relations = {name: f"item_{name}" for name in ("similarity", "popularity", "catalog", "judgments")}
    roles: dict[str, Any] = {"label": "y", "score": "s", "group": "g", "item": "item", "engine": loaded}
    result = sqlmetrics.evaluate("items", "diversity, novelty, coverage, mrr", **roles, **relations)
    assert result[["diversity", "coverage", "mrr"]].iloc[0].tolist() == [0.25, 1.0, 1.0]
    assert result["novelty"].notna().all()


def test_class_names_are_literal(loaded: Engine) -> None:
    """A string in the statement equals the same string in the data."""
    names = [*HOSTILE_NAMES, *REPLACED_BY_SPARK]
    share = 1 / len(names)
    metric = {"name": "multi_log_loss", "scores": dict.fromkeys(names, "p")}
    result = sqlmetrics.evaluate(f"select kind, {share!r} as p from hostile_texts", metric, label="kind", engine=loaded)
    assert result.iloc[0].tolist() == [len(names), pytest.approx(-math.log(share), abs=1e-12)]


# Forms of data, and bad input


def test_query_and_subquery_as_data(loaded: Engine) -> None:
    """As data, and as the relation of SQL text. PostgreSQL 15 requires a name for a subquery."""
    auc = pytest.approx(quiet(lambda: sqlmetrics.auc(LOG, engine=loaded, **ROLES))["auc"].tolist(), abs=1e-12)
    text = macro(loaded, "text_literal", "it's; --")
    query = f"with t as (select * from {LOG} where device = {text} or clicked is not null) select * from t;"
    assert quiet(lambda: sqlmetrics.auc(query, engine=loaded, **ROLES))["auc"].tolist() == auc
    for alias in ("", " as named", " named"):
        relation = f"(select * from {LOG} where device <> ')(' or clicked is not null){alias}"
        text = sqlmetrics.render("auc", relation=relation, dialect=loaded.dialect, **ROLES)
        assert as_pandas(loaded.query(text))["auc"].tolist() == auc


LISTS = {"metrics": "ndcg", "group": "user_id", "item": "ad", "data": "slices_judged"}
JUDGMENTS = "select user_id, ad, clicked from slices_judged"
#: Changes to a call, the error, and a pattern of its message.
BAD_INPUT: list[tuple[dict[str, Any], str, str]] = [
    ({"data": "select 1 as clicked, 0.5 as pctr; drop table slices_labels"}, "BadParameter", "one single select"),
    ({"data": "there_is_no_such_table"}, "BadData", "there_is_no_such_table"),
    ({"data": "select no_such_column from slices_labels"}, "QueryFailed", "no_such_column"),
    ({"label": "no_such_column"}, "MissingColumn", "no_such_column"),
    ({"label": "device"}, "BadData", "a number is needed"),
    ({"where": "clicked = 1) union all (select 1"}, "SqlMetricsError", ""),
    ({"where": "1 = 1) select 1; drop table slices_labels; select (1 = 1"}, "SqlMetricsError", ""),
    ({"label": "= 2 * clicked"}, "BadData", "neither 0 nor 1"),
    ({"score": "= pctr + 1", "metrics": "copc"}, "BadData", r"outside \[0, 1\]"),
    ({"strict": True}, "BadData", "NULL or NaN"),
    ({"metrics": "pinball", "label": "= case when clicked = 1 then {infinity} else clicked end"},
     "BadData", " infinite"),
    ({**LISTS, "data": "select * from slices_judged union all select * from slices_judged", "judgments": JUDGMENTS},
     "BadData", "data holds one item twice in a group"),
    ({**LISTS, "judgments": f"{JUDGMENTS} union all {JUDGMENTS}"}, "BadData", "judgments holds two judgments"),
    ({"metrics": "mrr", "data": "typed_grades", "group": "user_id",
      "group_weight": "= importance + case when ad = 7 then 1 else 0 end"}, "BadData",
     r"group_weight has two values in one group; .* \(1 in all\)"),
    ({"metrics": "kendall_tau(max_group_size=2)", "data": "slices_grades", "group": "user_id"},
     "BadData", "has more than 2 distinct pairs"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "error", "pattern"), BAD_INPUT)
def test_bad_input_is_inspected(loaded: Engine, wrong: dict[str, Any], error: str, pattern: str) -> None:
    arguments: dict[str, Any] = {"data": LOG, "metrics": "auc", **ROLES, **wrong}
    arguments["label"] = arguments["label"].replace("{infinity}", macro(loaded, "infinity"))
    with pytest.raises(getattr(sqlmetrics, error)) as caught:
        quiet(lambda: sqlmetrics.evaluate(engine=loaded, **arguments))
    assert re.search(pattern, str(caught.value))
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value, QueryFailed) or "select" in caught.value.sql


@pytest.mark.slow
def test_error_suggests_an_expression_for_numbers_as_text(loaded: Engine) -> None:
    """The suggested expression converts the numbers, and NA to NULL."""
    rows = zip([1.5, 2.25, 3.5], ["0.1", "NA", "0.4"], strict=True)
    data = union([f"{label} as y, {macro(loaded, 'text_literal', text)} as p" for label, text in rows])
    with pytest.raises(BadData, match=r"score: column 'p' is .* is not a number; write") as caught:
        sqlmetrics.mae(data, label="y", score="p", engine=loaded)
    [literal] = re.findall(r'score=("(?:[^"\\]|\\.)*")', str(caught.value))
    result = quiet(lambda: sqlmetrics.mae(data, label="y", score=ast.literal_eval(literal), engine=loaded))
    assert result["mae"][0] == pytest.approx(sk.mean_absolute_error([1.5, 3.5], [0.1, 0.4]), rel=1e-12)


FRAME = pd.DataFrame({"clicked": [0, 1, 1, 0], "pctr": [0.1, 0.9, 0.4, 0.4]})


def test_objects_in_memory(loaded: Engine) -> None:
    for frame in (FRAME, polars.from_pandas(FRAME)):
        if hasattr(loaded, "register") or loaded.dialect == "duckdb":
            assert sqlmetrics.auc(frame, engine=loaded, **ROLES)["auc"].tolist() == [0.875]
        else:
            with pytest.raises(BadParameter, match="takes a table name or a query, not DataFrame"):
                sqlmetrics.auc(frame, engine=loaded, **ROLES)


# Clients


@pytest.mark.parametrize(
    ("package", "extra", "adapter"),
    [("pyspark", "spark", Spark), ("psycopg", "postgres", PostgreSQL), ("chdb", "clickhouse", ClickHouse)],
)
def test_missing_client_names_its_extra(
    package: str, extra: str, adapter: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [package, *sys.modules]:
        if name.partition(".")[0] == package:
            monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(sqlmetrics.MissingClient, match=rf"pip install 'sqlmetrics\[{extra}\]'"):
        adapter(None)


def test_engine_rejects_invalid_arguments() -> None:
    with duckdb.connect() as con:
        with pytest.raises(BadParameter, match=r"write sqlmetrics.engines.DuckDB\(…\) around it"):
            sqlmetrics.auc(FRAME, engine=con, **ROLES)
        with pytest.raises(BadParameter, match="con or engine, not both"):
            sqlmetrics.auc(FRAME, engine=DuckDB(con), con=con, **ROLES)
        with pytest.raises(BadParameter, match="dialect of engine must be one of"):
            sqlmetrics.auc("select 1 as clicked, 1 as pctr", engine=DBAPI(con, "cobol"), **ROLES)
    with pytest.raises(BadParameter, match="Python's database interface"):
        DBAPI(object(), "postgres")


def test_any_connection_of_the_database_interface() -> None:
    """SQLite supports some of PostgreSQL's SQL. The caller's transaction stays open."""
    connection = sqlite3.connect(":memory:")
    connection.execute("create table log as select 1.0 as clicked, 0.5 as pctr union all select 0.0, 0.25")
    connection.commit()
    engine = DBAPI(connection, "postgres")
    assert engine.query("select sum(pctr) as s from log")["s"].tolist() == [0.75]
    for statement in ("select 1", "insert into log values (1, 1)"):
        connection.execute(statement)
        with pytest.raises(BadData, match="no such table: no_table"):
            sqlmetrics.copc("no_table", engine=engine, **ROLES)
    assert connection.in_transaction
    assert connection.execute("select count(*) from log").fetchall() == [(3,)]
    connection.close()


# Server connections


@pytest.fixture(scope="module", params=slow("postgres"))
def server() -> Iterator[Any]:
    with postgres_connection() as connection:
        connection.execute("create table log as select n % 2 as clicked, n / 10.0 as pctr from generate_series(1, 9) n")
        connection.commit()
        yield connection


def test_transaction_state_is_preserved(server: Any) -> None:
    def check(engine: Engine) -> None:
        status = server.info.transaction_status
        assert sqlmetrics.auc("log", engine=engine, **ROLES)["n"].tolist() == [9]
        with pytest.raises(QueryFailed, match="division by zero"):
            sqlmetrics.auc("log", engine=engine, label="= 1 / (clicked - clicked)", score="pctr")
        assert server.info.transaction_status == status

    check(PostgreSQL(server))
    check(DBAPI(server, "postgres"))
    server.execute("create table half_done (a int)")
    check(PostgreSQL(server))
    assert server.execute("select count(*) from half_done").fetchone() == (0,)
    server.rollback()


@pytest.mark.parametrize("adapter", [PostgreSQL, lambda connection: DBAPI(connection, "postgres")])
def test_lost_connection(server: Any, adapter: Callable[[Any], Engine]) -> None:
    import psycopg

    lost = psycopg.connect(server.info.dsn, password=server.info.password)
    lost.commit()
    server.execute("select pg_terminate_backend(%s, 60000)", [lost.info.backend_pid])  # waits for its end
    server.commit()
    for _ in range(2):
        with pytest.raises(BadData, match=r"terminat|clos|lost"):
            sqlmetrics.auc("log", engine=adapter(lost), **ROLES)
    lost.close()


def test_error_names_the_column_of_a_text(server: Any) -> None:
    """PostgreSQL rejects a string as a number without naming the column, and this driver reports no column types."""
    data = "select 1 as y, 'NA' as t, 0.5 as s union all select 0, '0.3', 0.2"
    number = "= cast(nullif(t, 'NA') as double precision)"
    for roles, message in [
        ({"score": "t"}, "score: column 't' holds the text 'NA', and a number is needed; "
                         f'score="{number}" makes it a missing value'),
        ({"score": ["s", "t"]}, "score: column 't' holds the text 'NA'"),
        ({"weight": "t"}, "weight: column 't' holds the text 'NA'"),
        ({"score": "= t::float"}, "score: t::float holds the text 'NA', and a number is needed; nullif(…, 'NA') makes"),
        ({"by": "x = t::float"}, "the query failed: invalid input syntax"),
    ]:  # fmt: skip
        with pytest.raises(QueryFailed) as caught:
            sqlmetrics.auc(data, engine=DBAPI(server, "postgres"), **{"label": "y", "score": "s", **roles})
        assert str(caught.value).startswith(message)
    result = quiet(lambda: sqlmetrics.mae(data, engine=DBAPI(server, "postgres"), label="y", score=number))
    assert result.iloc[0].tolist() == [1, 0.3]


@pytest.mark.parametrize("name", slow("spark"))
def test_running_spark_session_is_used_and_stays_open(name: str) -> None:
    engine = Spark(shared_spark_session())
    by_name = quiet(lambda: sqlmetrics.auc(LOG, engine=name, **ROLES))
    assert_same(by_name, quiet(lambda: sqlmetrics.auc(LOG, engine=engine, **ROLES)))


# The shell


def shell_auc(*arguments: str) -> Any:
    return shell("eval", *arguments, "-m", "auc", "--label", "clicked", "--score", "pctr", "--format", "csv")


def test_shell_reads_another_engine(server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = server.info
    monkeypatch.setenv("PGPASSWORD", info.password)
    url = f"postgres://{info.user}@{info.host}:{info.port}/{info.dbname}"
    assert sqlmetrics.auc("log", engine=url, **ROLES).loc[0].tolist() == [9, 0.5]
    with duckdb.connect(str(tmp_path / "a.duckdb")) as con:
        con.execute("create table log as select range % 2 as clicked, range / 10 as pctr from range(1, 10)")
        with pytest.raises(BadParameter, match="a connection of psycopg"):
            PostgreSQL(con)
    for engine in (url, f"duckdb:{tmp_path / 'a.duckdb'}"):
        assert shell_auc("log", "--engine", engine).stdout.splitlines() == ["n,auc", "9,0.5"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("log", "--engine", "oracle"), "engine 'oracle': one of duckdb:FILE"),
        (("log", "--engine", "duckdb", "--threads", "2"), "--threads requires DuckDB"),
        (("log", "more", "--engine", "duckdb"), "DATA is one table or query"),
        *slow((("log", "--engine", "postgres://nobody@127.0.0.1:1/none"), "engine: connection")),
    ],
)
def test_shell_rejects_bad_engines(arguments: tuple[str, ...], message: str) -> None:
    if "postgres" in arguments[-1]:
        optional.package("psycopg")
    result = shell_auc(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
