"""The metrics as macros of a DuckDB database: the runner's numbers for every client, and errors where data are bad."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner

import sqlmetrics
from sqlmetrics import BadParameter
from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.cli.main import main
from sqlmetrics.integrations.duckdb_macros import Macro, macro_unsupported_reason, macros_text, metric_macros
from tests.compare import differences
from tests.data import arrow
from tests.variants import quiet, sample_values

METRICS = builtin_catalogue().metrics
NAMES = sorted(name for name, metric in METRICS.items() if not macro_unsupported_reason(metric))
#: The metrics whose parameters must be fixed, each with a value for these.
FIXED = {
    name: {"name": name, "as": name, **values}
    for name, metric in METRICS.items()
    if name not in NAMES
    and (values := {one.name: sample_values(one)[0] for one in metric.parameters.values() if one.required})
    and not macro_unsupported_reason(metric, values)
}
#: One metric of each frame.
OF_FRAMES = [*{METRICS[name].frames: name for name in NAMES}.values()]


def rows_of_log(count: int = 400) -> pd.DataFrame:
    """Rows for every metric, with ties, missing values and slices without a name."""
    rng = np.random.default_rng(7)
    rows = pd.DataFrame({
        "clicked": rng.integers(0, 2, count), "grade": rng.integers(0, 4, count),
        "spent": rng.normal(size=count).round(2) + 3, "kind": rng.choice(["cat", "dog", "owl"], count),
        "called": rng.choice(["cat", "dog", "owl"], count), "pctr": rng.integers(0, 60, count) / 60,
        "predicted": rng.normal(size=count).round(2) + 3, "user id": rng.integers(0, 25, count),
        "w": rng.integers(0, 4, count) / 2, "city": rng.choice(["a", "b", None], count),
        "price": rng.integers(1, 100, count) / 100, "lives": rng.integers(1, 100, count) / 100,
        "device": rng.choice(["ios", "web", None], count), "propensity": rng.integers(20, 60, count) / 60,
        "target": rng.integers(0, 60, count) / 60, "place": np.arange(1, count + 1),
        "treated": rng.integers(0, 2, count), "lasted": rng.integers(1, 90, count),
        "aspect": rng.choice(["price", "colour", "size"], count), "low": rng.normal(size=count).round(2) + 2,
        "high": rng.normal(size=count).round(2).clip(-1) + 7,
    })  # fmt: skip
    rows.loc[::41, "pctr"] = None
    rows.loc[5, "predicted"] = np.nan
    rows.loc[rows["device"] == "web", "clicked"] = 1  # a slice of one class
    rows["group weight"] = rows["user id"] % 3 + 0.5
    rank = rows.groupby("user id").cumcount()
    rows["ad"] = rank * 7 % 11 + rank // 11 * 100  # unique within a user
    return rows


def with_nan(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with doubles for identifiers and classes, some of which are NaN."""
    changed = rows.copy()
    for offset, name in enumerate(["user id", "ad", "city", "kind", "called", "aspect"]):
        changed[name] = pd.factorize(rows[name])[0].astype(float)
        changed.loc[offset :: 23 + offset, name] = np.nan
    return changed


@pytest.fixture(scope="module")
def installed(request: pytest.FixtureRequest) -> Iterator[duckdb.DuckDBPyConnection]:
    """Installing takes seconds: the tests that share the macros run in one process (tests/plugin.py)."""
    few = {*OF_FRAMES, "kendall_tau", *(call.partition("(")[0] for call in REJECTED)}
    names = NAMES if request.config.getoption("markexpr") != "not slow" else [name for name in NAMES if name in few]
    with duckdb.connect() as con:
        con.register("rows", rows_of_log())
        con.execute("create table log as from rows")
        con.execute("create table nothing as from log limit 0")
        con.register("rows", arrow(with_nan(rows_of_log())))  # a DataFrame's NaN would be NULL
        con.execute("create table unnamed as from rows")
        assert sqlmetrics.install(con, names) == names
        yield con


@pytest.fixture
def con(installed: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """A cursor, whose temporary tables and prepared statements end with the test."""
    with installed.cursor() as cursor:
        yield cursor


def columns_of(name: str) -> dict[str, str]:
    """The column for each role of a metric."""
    metric = METRICS[name]
    labels = {"relevance": "grade", "ranking": "grade", "number": "spent", "class": "kind"}
    return {
        "label": "clicked" if "subtopic" in metric.roles() else labels.get(metric.truth or "", "clicked"),
        "score": "predicted" if metric.truth == "number" else "pctr", "prediction": "called", "group": "user id",
        "weight": "w", "field": "city", "group_weight": "group weight", "p_price": "price", "p_survive": "lives",
        "won": "clicked", "reward": "clicked", "propensity": "propensity", "target": "target", "q_action": "price",
        "q_policy": "lives", "rank": "place", "item": "ad", "treatment": "treated", "duration": "lasted",
        "subtopic": "aspect", "lower_bound": "low", "upper_bound": "high",
    }  # fmt: skip


def check_forms(
    con: duckdb.DuckDBPyConnection, macro: Macro, spec: Any, relation: str = "log", forms: int | None = None
) -> None:
    """The first forms of a macro, or all, return what the runner returns."""
    columns = columns_of(macro.name)
    for declared in [*macro.bodies][:forms]:
        roles = [name.strip('"') for name in declared[1:] if ":=" not in name and name != "slice"]
        sliced = "slice" in declared
        weights = [name for name in roles if name in ("weight", "group_weight")]
        arguments = [relation, *(f'"{columns[role]}"' for role in roles if role not in weights)]
        arguments += [f'{role} := "{columns[role]}"' for role in weights]
        arguments += ["slice := {'device': device}"] if sliced else []
        shown = "slice.*, * exclude (slice)" if sliced else "*"
        call = f'select {shown} from "{macro.name}"({", ".join(arguments)})'
        options = {"con": con, "by": "device" if sliced else None, **{role: columns[role] for role in roles}}
        expected = quiet(functools.partial(sqlmetrics.evaluate, relation, spec, **options))
        # The runner names groups like their column, which a macro does not know.
        expected = expected.rename(columns={columns["group"]: "group"})
        assert differences(con.sql(call).df(), expected) == [], call


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_FRAMES)
def test_forms_of_each_frame_match_runner(name: str, con: duckdb.DuckDBPyConnection) -> None:
    """Also where groups, items and classes have no name."""
    [macro] = metric_macros([name])
    spec = {"name": name, "as": name}
    check_forms(con, macro, spec)
    check_forms(con, macro, spec, "unnamed")


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NAMES, *FIXED])
def test_macros_match_runner(name: str, con: duckdb.DuckDBPyConnection) -> None:
    """One metric of each frame has no rows, too."""
    spec = FIXED.get(name, {"name": name, "as": name})
    [macro] = metric_macros([spec])
    if name in FIXED:
        sqlmetrics.install(con, [spec])
    check_forms(con, macro, spec, forms=1)
    if name in OF_FRAMES:
        check_forms(con, macro, spec, "nothing")


def test_metrics_without_macro_have_a_reason() -> None:
    without = set(METRICS) - set(NAMES)
    assert {"alpha_ndcg", "auc_mu", "coverage", "crps", "multi_auc", "novelty"} < without
    with pytest.raises(BadParameter, match="coverage cannot be a macro: it looks items up in a second"):
        metric_macros("coverage")
    reason = macro_unsupported_reason(METRICS["precision_at_k"])
    assert reason == "install it with its parameters, as 'mine = precision_at_k(k=…)'"
    with pytest.raises(BadParameter, match=r"precision_at_k: k must be given, as in precision_at_k\(k=10"):
        metric_macros("precision_at_k")


# Relations and columns


CALLS = {
    "table": "from auc(log, clicked, pctr)",
    "table of a schema": "from auc(main.log, clicked, pctr)",
    "name as text": "from auc('log', clicked, pctr)",
    "view": "from auc(view_of_log, clicked, pctr)",
    "file": "from auc('{folder}/log.parquet', clicked, pctr)",
    "files": "from auc('{folder}/*.parquet', clicked, pctr)",
    "CTE": "with mine as (from log) from auc(mine, clicked, pctr)",
    "CTE named like a step": "with source as (from log) from auc(source, clicked, pctr)",
    "expressions": "from auc(log, clicked = 1, pctr * 2 - 1)",
    "by name": "from auc(score := pctr, relation := log, label := clicked)",
    "subquery": "select n, auc from (from auc(log, clicked, pctr))",
    "prepared": "execute prepared('log')",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_forms_of_relations(call: str, con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    con.execute(f"copy log to '{tmp_path}/log.parquet'")
    con.execute("create or replace temp view view_of_log as from log")
    con.execute("prepare prepared as from auc($1, clicked, pctr)")
    expected = quiet(lambda: sqlmetrics.evaluate("log", "auc", label="clicked", score="pctr", con=con))
    assert differences(con.sql(call.format(folder=tmp_path)).df(), expected) == []


HOSTILE = ("label", "score", "slice", "relation", "group", "rank", "weight", "n", "source", "ndcg", "group_id",
           "Own\nname")  # fmt: skip


@pytest.mark.parametrize("start", range(0, len(HOSTILE), 3))
def test_columns_named_like_parameters(start: int, con: duckdb.DuckDBPyConnection) -> None:
    """A parameter is replaced wherever its name stands, and its replacement is not replaced again."""
    names = [HOSTILE[(start + offset) % len(HOSTILE)] for offset in range(5)]
    label, score, group, weight, device = (f'"{name}"' for name in names)
    con.execute(
        f'create or replace temp table "{names[-1]}" as select grade as {label}, pctr as {score}, '
        f'"user id" as {group}, "group weight" as {weight}, device as {device} from log'
    )
    call = f"{label}, {score}, {group}, group_weight := {weight}, slice := {{'s': {device}}}"
    plain = """grade, pctr, "user id", group_weight := "group weight", slice := {'s': device}"""
    ours, expected = (
        con.sql(f"select slice.s, * exclude (slice) from {text}").df()
        for text in (f'ndcg("{names[-1]}", {call})', f"ndcg(log, {plain})")
    )
    assert len(ours) == 3
    assert differences(ours, expected) == []


@pytest.mark.parametrize("name", ["source", "valid_rows", "ranked_items", "ndcg"])
def test_tables_named_like_steps(name: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f'create or replace temp table "{name}" as from log')
    for call in ("ndcg({}, grade, pctr, city)", "kendall_tau({}, grade, pctr, city, slice := device)"):
        ours, expected = (con.sql(f"from {call.format(relation)}").df() for relation in (name, "log"))
        assert differences(ours, expected) == []


def test_slices_are_sorted_and_null_is_one(con: duckdb.DuckDBPyConnection) -> None:
    slices = con.execute("select slice from auc(log, clicked, pctr, slice := device)").fetchall()
    assert slices == [("ios",), ("web",), (None,)]
    pairs = con.execute("select slice.* from ece(log, clicked, pctr, slice := {'d': device, 'c': city})").fetchall()
    assert len(pairs) == 9
    assert pairs == sorted(pairs, key=lambda pair: [(value is None, value or "") for value in pair])


def test_nan_is_missing_in_files_of_other_writers(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    """Their statistics exclude NaN, and DuckDB answers conditions from them."""
    nan = float("nan")
    table = pa.table({"y": [1.0, 1.0, nan, 1.0, 1.0], "s": [0.5, 0.5, 0.5, nan, 0.5], "u": [1.0, 1.0, 1.0, 1.0, nan]})
    pyarrow.parquet.write_table(table, tmp_path / "log.parquet")
    file = f"'{tmp_path}/log.parquet'"
    assert con.execute(f"from log_loss({file}, y, s)").fetchall() == [(3, pytest.approx(np.log(2)))]
    assert con.execute(f"from auc({file}, y, s, slice := u)").fetchall() == [(1.0, 2, None), (None, 1, None)]
    assert con.execute(f"select n from ndcg({file}, y, s, u)").fetchall() == [(2,)]


REJECTED = {
    "auc(log, grade, pctr)": r"label: [23]\.0 is neither 0 nor 1 \(a binary label is needed\)",
    "auc(log, grade, pctr, slice := device)": r"label: [23]\.0 is neither 0 nor 1",
    "auc(log, clicked, pctr, weight := -w)": r"weight: -[.\d]+ is negative or infinite",
    "log_loss(log, clicked, spent)": r"score: [-.\d]+ is outside \[0, 1\] \(a probability is needed\)",
    "ndcg(log, -grade, pctr, city)": r"label: -[123]\.0 is negative \(a graded relevance is needed\)",
    "mae(log, spent / 0, predicted)": "label: inf is infinite",
    "anlp(log, price, lives, grade)": r"won: [23]\.0 is neither 0 nor 1",
    "ndcg(log, grade, pctr, city, group_weight := w)": "group_weight has two values in one group; for example [ab]",
    "few_pairs(log, grade, pctr, city)": "group has more than 9 distinct pairs",
    "auc(log, clicked, 9007199254740993 + grade)": r"score: 900719925474099\d \(BIGINT\) has more digits than a double",
    "auc(log, clicked, 1.2345678901234567 + grade)": r"score: \d\.2345678901234567 \(DECIMAL\(\d+,16\)\) has more",
    # DuckDB's own messages: a column that could be a slice or a weight is neither
    "auc(log, clicked, pctr, w)": "multiple overloads that match",
    "ndcg(log, grade, pctr, city, k := 5)": "does not support the supplied arguments",
    "auc(log, clicked, nowhere)": 'column "nowhere"',
    "auc(log, kind, pctr)": "Could not convert string",
}


@pytest.mark.parametrize(("call", "words"), REJECTED.items(), ids=REJECTED)
def test_macros_reject_bad_data_and_parameters(call: str, words: str, con: duckdb.DuckDBPyConnection) -> None:
    if call.startswith("few_pairs"):
        sqlmetrics.install(con, "few_pairs = kendall_tau(max_group_size=9)")
    with pytest.raises(duckdb.Error, match=words):
        con.execute(f"from {call}").fetchall()


# Installing and removing


def test_install_fixes_parameters_and_presets(con: duckdb.DuckDBPyConnection) -> None:
    def check(call: str, metric: str, label: str = "grade", **options: str) -> None:
        roles = {"label": label, "score": "pctr", "group": "user id", **options}
        expected = quiet(lambda: sqlmetrics.evaluate("log", metric, **roles, con=con))
        assert differences(con.sql(f"from variants.{call}").df(), expected) == []

    specs = ["linear = ndcg(gain='linear')", "ndcg@5", {"name": "fbeta", "beta": 2, "as": "f2"}, "k = rbp(p=0.5)"]
    assert sqlmetrics.install(con, specs, schema="variants") == ["linear", "ndcg_at_5", "f2", "k"]
    roles = 'log, grade, pctr, "user id"'
    check(f"linear({roles})", "linear = ndcg(gain='linear')")
    check(f"ndcg_at_5({roles})", "ndcg@5")
    check(f"k({roles})", "k = rbp(p=0.5)")
    assert sqlmetrics.uninstall(con, schema="variants") == ["f2", "k", "linear", "ndcg_at_5"]
    assert sqlmetrics.install(con, "alpha_ndcg@5", schema="variants") == ["alpha_ndcg_at_5"]
    check('alpha_ndcg_at_5(log, clicked, pctr, "user id", ad, aspect)', "alpha_ndcg@5", "clicked", item="ad",
          subtopic="aspect")  # fmt: skip
    with pytest.raises(BadParameter, match="alpha_ndcg: k must be given"):
        metric_macros("alpha_ndcg")
    sqlmetrics.install(con, "ndcg", preset="trec_eval", schema="variants")
    check(f"ndcg({roles}, tie_key := city)", "ndcg", tie_key="city", preset="trec_eval")
    with pytest.raises(BadParameter, match="two macros would be called 'ndcg_at_5'; give one a name"):
        metric_macros("ndcg@5, ndcg(k=5)")


def contents(con: duckdb.DuckDBPyConnection) -> list[Any]:
    """Everything in a database except rows."""
    return [con.execute(f"select {names} order by all").fetchall() for names in (
        "schema_name from duckdb_schemas() where not internal",
        "table_name, sql from duckdb_tables()",
        "view_name, sql from duckdb_views() where not internal",
        "function_name, parameters, macro_definition, comment from duckdb_functions() where not internal",
    )]  # fmt: skip


def test_install_adds_macros_only_and_uninstall_removes_them() -> None:
    with duckdb.connect() as con:
        con.execute("create table auc as select 1 as clicked, 0.5 as pctr")
        con.execute("create view copc as from auc")
        con.execute("create macro mine(x) as table from query_table(x)")
        con.execute("create macro gini(x) as x + 1")  # a scalar macro is no table macro
        con.execute("comment on macro table mine is 'my own'")
        before = contents(con)
        names = sqlmetrics.install(con, "auc, copc, gini")
        installed = contents(con)
        assert installed != before
        assert names == ["auc", "copc", "gini"]
        assert con.execute("select n, gini(1) from auc(auc, clicked, pctr)").fetchall() == [(1, 2)]
        assert sqlmetrics.install(con, "auc, copc, gini") == names
        assert contents(con) == installed
        comments = "select distinct comment from duckdb_functions() where function_name = 'copc'"
        comment = f"sqlmetrics {sqlmetrics.__version__}: Click over predicted click"
        assert con.execute(comments).fetchall() == [(comment,)]
        assert sqlmetrics.uninstall(con) == names
        assert contents(con) == before
        assert sqlmetrics.uninstall(con) == []


def test_install_does_not_replace_the_users_macros() -> None:
    with duckdb.connect() as con:
        con.execute("create macro COPC(x) as table select 1; create macro auc(x) as table select 1")
        con.execute("comment on macro table auc is 'sqlmetrics is better'")
        before = contents(con)
        with pytest.raises(BadParameter, match=r"macros of its own called auc, copc: nothing was installed"):
            sqlmetrics.install(con, "auc, copc, gini")
        assert contents(con) == before
        sqlmetrics.install(con, "auc, gini", schema="metrics")
        assert sqlmetrics.uninstall(con, schema="metrics") == ["auc", "gini"]
        assert sqlmetrics.uninstall(con) == []
        assert contents(con)[1:] == before[1:]
    with pytest.raises(BadParameter, match="con must be a DuckDB connection, not str"):
        sqlmetrics.install("my.duckdb")  # type: ignore[arg-type]


def test_install_is_atomic_and_joins_a_transaction(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "my.duckdb") as con:
        before = contents(con)
        con.begin()
        sqlmetrics.install(con, "auc")
        assert con.execute("with log as (select 1 as y, 0.5 as s) from auc(log, y, s)").fetchall() == [(1, None)]
        con.rollback()
        assert contents(con) == before
    error = pytest.raises(sqlmetrics.QueryFailed, match=r"the macros cannot be made: (?s:.)*read-only")
    with duckdb.connect(tmp_path / "my.duckdb", read_only=True) as con, error:
        sqlmetrics.install(con, "auc")


def shell(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, list(arguments))
    return result.exit_code, result.output


@pytest.mark.slow
def test_shell_installs_and_removes(tmp_path: Path) -> None:
    file = tmp_path / "my.duckdb"
    with duckdb.connect(file) as con:
        con.execute("create table impressions as from (values (0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)) as t(y, s)")
    code, words = shell("install", str(file))
    with duckdb.connect(file, read_only=True) as con:
        functions = con.execute("select distinct function_name from duckdb_functions() where not internal").fetchall()
        # Metrics that other tests registered may be among them.
        assert {name for (name,) in functions} >= set(NAMES)
        # scikit-learn's example of roc_auc_score
        assert con.execute("from auc(impressions, y, s)").fetchall() == [(4, 0.75)]
    count = len(functions)
    assert (code, words) == (0, f"{count} macros installed in {file}\n")
    words = f"2 macros installed in {file}\n"
    assert shell("install", str(file), "--schema", "metrics", "-m", "auc,gini") == (0, words)
    assert shell("install", str(file), "--remove") == (0, f"{count} macros removed from {file}\n")
    with duckdb.connect(file, read_only=True) as con:
        assert con.execute("from metrics.auc(impressions, y, s)").fetchall() == [(4, 0.75)]
    words = "error: --remove takes out all that was installed: leave --metrics and --preset out\n"
    assert shell("install", str(file), "--remove", "-m", "auc") == (2, words)
    (tmp_path / "log.csv").write_text("y,s\n1,0.5\n")
    assert shell("install", str(tmp_path / "log.csv"))[1].endswith("log.csv: this is no DuckDB database\n")
    assert shell("install", str(tmp_path / "none.duckdb"))[0] == 2
    assert not (tmp_path / "none.duckdb").exists()


def test_shell_prints_the_macros_that_install_creates(tmp_path: Path) -> None:
    code, text = shell("macros", "auc", "-m", "copc", "--schema", "metrics")
    assert (code, text) == (0, macros_text("auc, copc", schema="metrics"))
    assert shell("macros", "auc,copc", "--schema", "metrics", "-o", str(tmp_path / "metrics.sql"))[0] == 0
    assert (tmp_path / "metrics.sql").read_text(encoding="utf-8") == text
    with duckdb.connect() as con, duckdb.connect() as other:
        con.execute(text)
        sqlmetrics.install(other, "auc, copc", schema="metrics")
        assert contents(con) == contents(other)
