"""Bad input gives one clear error of the right kind, in one line that names the thing; never another exception."""

from __future__ import annotations

import ast
import datetime
import gzip
import inspect
import keyword
import math
import re
import traceback
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.metrics import mean_absolute_error

import sqlmetrics
from sqlmetrics import (
    BadData,
    BadMetricFile,
    BadParameter,
    MissingColumn,
    QueryFailed,
    SqlMetricsError,
    UnknownMetric,
    cli,
    errors,
)
from sqlmetrics.arguments import arguments_of
from sqlmetrics.catalogue import _KEYS, _OF_TEMPLATES, _PARAMETER_USE, RELATIONS, Catalogue, builtin_catalogue, dialects
from sqlmetrics.catalogue import ROLES as ROLES_OF_ALL
from sqlmetrics.errors import printable
from sqlmetrics.rendering import render_macro
from sqlmetrics.scaffold import scaffold
from tests.tiers import slow
from tests.variants import quiet

DATA = pd.DataFrame({
    "click": [0.0, 1.0, 1.0, 0.0],
    "pctr": [0.1, 0.6, 0.4, 0.3],
    "user": ["a", "a", "b", "b"],
    "w": [1.0, 2.0, 1.0, 1.0],
    "clicks": [0, 1, 2, 3],
    "views": [1, 1, 2, 4],
    "device": ["phone", "phone", "tv", "tv"],
})  # fmt: skip
ROLES = {"label": "click", "score": "pctr"}
COUNTS = {"positives": "clicks", "total": "views", "score": "pctr"}


def refusal(kind: type[SqlMetricsError], call: Callable[[], Any], *words: str) -> SqlMetricsError:
    """The error of the call: exactly of this kind, in one line, with these words."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 — which one it is gets checked here
        call()
    error = caught.value
    assert type(error) is kind, f"{type(error).__name__}: {error}"
    message = str(error)
    assert message.strip()
    assert "\n" not in message, message
    assert not re.search(r"[⟨⟩]|(?<!\S)--\w", message), f"in the syntax of the shell: {message}"
    for word in words:
        assert word in message, f"{word!r} is not in: {message}"
    return error


def evaluate(metrics: Any, data: Any = DATA, **options: Any) -> Callable[[], Any]:
    return lambda: sqlmetrics.evaluate(data, metrics, **options)


def column(name: str, *values: Any) -> pd.DataFrame:
    """The data with a column changed."""
    return DATA.assign(**{name: values})


# Data that is not there or cannot be read


@pytest.mark.parametrize("name", ["missing.parquet", "missing.csv", "missing.json.gz", "no/such/folder/x.parquet"])
@pytest.mark.parametrize("connected", [False, True])
def test_missing_file(name: str, connected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as con:
        given = con if connected else None
        refusal(BadData, evaluate("auc", name, con=given, **ROLES), name)
        refusal(BadData, evaluate("auc", tmp_path / name, con=given, **ROLES), name)
        refusal(BadData, evaluate("auc", [tmp_path / name], con=given, **ROLES), name)


def test_empty_glob(tmp_path: Path) -> None:
    refusal(BadData, evaluate("auc", str(tmp_path / "*.parquet"), **ROLES), "*.parquet")


def test_folder(tmp_path: Path) -> None:
    refusal(BadData, evaluate("auc", tmp_path, **ROLES), str(tmp_path), "folder")
    (tmp_path / "day.parquet").mkdir()
    refusal(BadData, evaluate("auc", tmp_path / "day.parquet", **ROLES), "day.parquet", "folder")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no parquet at all", b"PAR1" + b"\0" * 100 + b"PAR1"])
def test_garbage_instead_of_parquet(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.parquet"
    path.write_bytes(content)
    refusal(BadData, evaluate("auc", path, **ROLES), "broken.parquet")


def test_truncated_parquet(tmp_path: Path) -> None:
    whole = tmp_path / "whole.parquet"
    DATA.to_parquet(whole)
    content = whole.read_bytes()
    for length in (len(content) // 2, len(content) - 1):
        (tmp_path / "cut.parquet").write_bytes(content[:length])
        refusal(BadData, evaluate("auc", tmp_path / "cut.parquet", **ROLES), "cut.parquet")


def test_parquet_with_a_damaged_middle(tmp_path: Path) -> None:
    """The columns can be named, the values cannot be read."""
    path = tmp_path / "damaged.parquet"
    rows = "select range % 2 as click, random() as pctr from range(50000)"
    duckdb.sql(f"copy ({rows}) to '{path}' (format parquet, compression zstd)")
    content = bytearray(path.read_bytes())
    content[4:2000] = b"\xff" * 1996
    path.write_bytes(content)
    refusal(QueryFailed, evaluate("auc", path, **ROLES))


@pytest.mark.parametrize("data", [None, 7, 1.5, {"click": [1]}, [], [1, 2], "", "   "], ids=repr)
def test_no_data(data: Any) -> None:
    with pytest.raises(SqlMetricsError) as caught:
        sqlmetrics.evaluate(data, "auc", **ROLES)
    assert "\n" not in str(caught.value)
    assert "data" in str(caught.value)


def test_no_columns() -> None:
    refusal(BadData, evaluate("auc", pd.DataFrame(), **ROLES), "the DataFrame has no columns")


def test_of_many_columns_some_are_named() -> None:
    wide = pd.DataFrame({f"c{place}": [1.0] for place in range(1_060)})
    refusal(MissingColumn, evaluate("auc", wide, **ROLES), "c0, c1", "c49 and 1,010 more")


@pytest.mark.parametrize(
    ("name", "meant"), [("roc_auc_score", "'auc'"), ("ndcgg", "'ndcg'"), ("_auc", ""), ("zzz", "")]
)
def test_a_function_of_another_name_is_hinted_at(name: str, meant: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(sqlmetrics, name)
    words = str(caught.value)
    assert words.startswith(f"module 'sqlmetrics' has no attribute {name!r}")
    assert ("did you mean" in words) == bool(meant)
    assert meant in words


def test_unknown_table_and_format(tmp_path: Path) -> None:
    with duckdb.connect() as con:
        refusal(BadData, evaluate("auc", "impresions", con=con, **ROLES), "impresions", "table of con")
    refusal(BadData, evaluate("auc", "impressions", **ROLES), "impressions")
    refusal(BadData, evaluate("auc", "log.xlsx", **ROLES), "log.xlsx", ".parquet")
    (tmp_path / "log").write_text("click,pctr\n1,0.5\n")
    refusal(BadData, evaluate("auc", str(tmp_path / "log"), **ROLES), "cannot tell the format", ".parquet")
    refusal(BadData, evaluate("auc", str(tmp_path / "logs"), **ROLES), "logs", ".parquet")
    refusal(BadParameter, evaluate("auc", ["a.csv", "b.parquet"], **ROLES), "one format")


def test_a_variable_of_the_program_is_no_table() -> None:
    """The engine would find this name among the variables of the caller."""
    impressions = DATA
    assert len(impressions)
    refusal(BadData, evaluate("auc", "impressions", **ROLES), "impressions")
    refusal(QueryFailed, evaluate("auc", "select * from impressions", **ROLES), "impressions")


@pytest.mark.parametrize(
    "query",
    ["select", "select * frm x", "select 1; drop table t", "with x as (select 1) delete from x", "from nowhere "],
)
def test_bad_query(query: str) -> None:
    with duckdb.connect() as con:
        con.execute("create table t as select 0 as click, 0.5 as pctr")
        with pytest.raises(SqlMetricsError) as caught:
            sqlmetrics.evaluate(query, "auc", con=con, **ROLES)
        assert "\n" not in str(caught.value)
        assert con.execute("select count(*) from t").fetchall() == [(1,)]


# Columns and roles


@pytest.mark.parametrize("role", ["label", "score", "weight", "by"])
def test_missing_column(role: str) -> None:
    error = refusal(MissingColumn, evaluate("auc", **{**ROLES, role: "clik"}), role, "'clik'", *DATA.columns)
    assert "did you mean 'click'" in str(error)
    assert error.available == list(DATA.columns)  # type: ignore[attr-defined]


def test_missing_column_among_several_scores() -> None:
    refusal(MissingColumn, evaluate("auc", label="click", score=["pctr", "pctr_b"]), "score", "pctr_b")


def test_a_column_of_text_where_a_number_is_needed() -> None:
    for role, metric in [("label", "auc"), ("score", "auc"), ("weight", "auc"), ("label", "mae"), ("score", "ndcg")]:
        roles = {**ROLES, role: "device"} | ({"group": "user"} if metric == "ndcg" else {})
        refusal(BadData, evaluate(metric, **roles), role, "'device'", "VARCHAR", "number")
    refusal(BadData, evaluate("auc", **{**COUNTS, "total": "device"}), "total", "'device'")
    flags = DATA.assign(flag=[True, False, True, False])
    refusal(BadData, evaluate("auc", flags, label="click", score="flag"), "score", "'flag'", "BOOLEAN")


#: How numbers are written that the engine does not read as such: the texts of a column, and the numbers that they mean.
WRITTEN_NUMBERS: dict[str, tuple[list[str], list[float | None]]] = {
    "NA": (["0.1", "NA", "0.4", "0.8"], [0.1, None, 0.4, 0.8]),
    "two words": (["0.1", "n/a", "-", "0.8"], [0.1, None, None, 0.8]),
    "a word with a quote": (["0.1", "don't know", "0.4", "0.8"], [0.1, None, 0.4, 0.8]),
    "decimal comma": (["0,9", "0,2", "0.35", "1"], [0.9, 0.2, 0.35, 1]),
    "decimal comma of three digits": (["1,234", "2,345", "0,125", "3"], [1.234, 2.345, 0.125, 3]),
    "decimal comma and NA": (["0,9", "NA", "0,35", "1"], [0.9, None, 0.35, 1]),
    "percent": (["10%", "50 %", "2.5%", "80%"], [0.1, 0.5, 0.025, 0.8]),
    "percent with a comma": (["10,5%", "50%", "2,5%", "80%"], [0.105, 0.5, 0.025, 0.8]),
    "percent and NA": (["NA", "50%", "2.5%", "80%"], [None, 0.5, 0.025, 0.8]),
    "thousands": (["999", "1,000", "2,500,000", "-1,250.5"], [999, 1000, 2_500_000, -1250.5]),
    "thousands and NA": (["NA", "1,000", "2,500", "12"], [None, 1000, 2500, 12]),
    "thousands with a point": (["1.000,5", "2.500", "0,25", "7"], [1000.5, 2500, 0.25, 7]),
    "millions with a point": (["1.000.000", "2.500", "3", "7"], [1_000_000, 2500, 3, 7]),
    "thousands with a blank": (["1 000", "2\u00a0500", "3", "7,5"], [1000, 2500, 3, 7.5]),
    "thousands with an apostrophe": (["1'000.5", "2’500", "3", "7"], [1000.5, 2500, 3, 7]),
    "currency": (["$1,000", "$2.50", "$3", "-$7"], [1000, 2.5, 3, -7]),
    "a sign of minus": (["−1.5", "2", "−3", "0.5"], [-1.5, 2, -3, 0.5]),
}


@pytest.mark.parametrize("name", ["p", 'my "p"'])
@pytest.mark.parametrize("form", ["file", "frame", "categories"])
@pytest.mark.parametrize("written", WRITTEN_NUMBERS)
def test_texts_for_numbers_are_named_with_the_expression_that_reads_them(
    written: str, form: str, name: str, tmp_path: Path
) -> None:
    texts, numbers = WRITTEN_NUMBERS[written]
    frame = pd.DataFrame({"y": [1.5, 2.25, 3.5, 1000.0], name: texts})
    path = tmp_path / "log.csv"
    frame.to_csv(path, index=False)
    data = {"file": path, "frame": frame, "categories": frame.astype({name: "category"})}[form]
    first = next(place for place, one in enumerate(texts) if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", one))
    words = f"{texts[first]!r}{f' in line {first + 2}' if form == 'file' else ''} is not a number"
    error = refusal(BadData, evaluate("mae", data, label="y", score=name), "score: ", repr(name), printable(words))
    [literal] = re.findall(r'score=("(?:[^"\\]|\\.)*")', str(error))
    expression = ast.literal_eval(literal)
    known = [place for place, number in enumerate(numbers) if number is not None]
    expected = mean_absolute_error(frame["y"].iloc[known], [numbers[place] for place in known])
    assert quiet(evaluate("mae", data, label="y", score=expression))["mae"][0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "texts",
    [["50%", "0.5"], ["2024-05-01", "7"], ["1,2,3", "4"], ["1.234,5", "0.25"], ["5 USD", "7"], ["low", "high"],
     ["a", "b", "c", "d", "e", "f", "0.5"]],
)  # fmt: skip
def test_texts_that_mean_no_certain_number_have_no_expression(texts: list[str]) -> None:
    """No hint is better than a hint that makes another number of them."""
    data = pd.DataFrame({"y": 1.0, "p": texts})
    error = refusal(BadData, evaluate("mae", data, label="y", score="p"), f"{texts[0]!r} is not a number")
    assert "cast" not in str(error)


def test_a_cast_of_texts_that_some_rows_do_not_take(tmp_path: Path) -> None:
    """DuckDB 2 reads what is cast to a number as a number, and fails where a text is not: `try_cast` too."""
    for count in (4, 50_000):  # in the sample by which the engine types the file, and behind it
        rows = [f"{place % 2},{place % 7}" for place in range(count)]
        path = tmp_path / f"{count}.csv"
        path.write_text("\n".join(["y,p", *rows, "1,NA", ""]))
        result = quiet(evaluate("mae", path, label="y", score="= try_cast(p as double)"))
        expected = mean_absolute_error(*zip(*((place % 2, place % 7) for place in range(count)), strict=True))
        assert result["mae"][0] == pytest.approx(expected, rel=1e-12)
        refusal(BadData, evaluate("mae", path, label="y", score="p"), f"'NA' in line {count + 2} ")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("May\n\ny;n;p\n1;a;0.5\n\n0;b;NA\n", "'NA' in line 6 is"),
        ("y,n,p\r\n1,a,0.5\r\n0,b,NA\r\n", "'NA' in line 3 is"),
        ('y,n,p\n1,"a\nb",0.5\n0,b,NA\n', "; 'NA' is"),  # a quote goes on in the next line
        ("y,n,p\n1,NA,0.5\n0,b,NA\n", "'NA' in line 3 is"),
    ],
)
def test_the_line_of_a_text(content: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_bytes(content.encode())
    (tmp_path / "log.csv.gz").write_bytes(gzip.compress(content.encode()))
    (tmp_path / "sooner.csv").write_text("y,n,p\n1,a,0.5\n")
    for name in ("log.csv", "log.csv.gz"):
        refusal(BadData, evaluate("mae", tmp_path / name, label="y", score="p"), words)
    several = [tmp_path / "sooner.csv", tmp_path / "log.csv"]
    if "May" not in content:
        of_file = words.replace(" is", f" of {several[1]} is") if "line" in words else words
        refusal(BadData, evaluate("mae", several, label="y", score="p"), of_file)


def test_roles_that_are_needed() -> None:
    refusal(BadParameter, evaluate("auc", score="pctr"), "auc needs label", "positives")
    refusal(BadParameter, evaluate("auc", label="click"), "auc needs score")
    refusal(BadParameter, evaluate("accuracy", label="click"), "accuracy needs score", "prediction")
    refusal(BadParameter, evaluate("gauc", **ROLES), "gauc needs group")
    refusal(BadParameter, evaluate("ndcg", **ROLES), "ndcg needs group")
    refusal(BadParameter, evaluate("ndcg", label="click", group="user"), "ndcg needs score", "rank")
    refusal(BadParameter, evaluate("macro_f1", label="click"), "macro_f1 needs prediction")
    refusal(BadParameter, evaluate("ndcg(ties='key')", group="user", **ROLES), "ndcg", "tie_key")
    refusal(BadParameter, evaluate(["auc", "gauc"], **ROLES), "gauc needs group")


def test_roles_without_a_meaning() -> None:
    refusal(BadParameter, evaluate("auc", group="user", **ROLES), "group", "no meaning", "auc")
    refusal(BadParameter, evaluate("ndcg", group="user", weight="w", **ROLES), "weight", "no meaning", "ndcg")
    refusal(BadParameter, evaluate("mae", label="click", score="pctr", positives="clicks", total="views"), "positives")
    refusal(BadParameter, evaluate("auc", tie_key="user", **ROLES), "tie_key", "no meaning")
    refusal(BadParameter, evaluate("auc", rank="w", label="click"), "rank", "no meaning")


@pytest.mark.parametrize("metrics", ["recall, selection_rate", "demographic_parity, equal_opportunity"])
def test_what_takes_no_total_does_not_count_such_rows_as_one(metrics: str) -> None:
    """The rate was that of two rows, one of them called, where nine of ten impressions are."""
    data = pd.DataFrame({"score": [0.2, 0.9], "clicks": [1, 1], "impressions": [1, 9], "device": "a"})
    ask, by = (sqlmetrics.gaps, "device") if "parity" in metrics else (sqlmetrics.evaluate, None)
    with pytest.raises(BadParameter, match="takes no positives and total, and would count as one row"):
        ask(data, metrics, score="score", positives="clicks", total="impressions", by=by)
    alone = sqlmetrics.selection_rate(data, score="score", weight="impressions")
    assert alone["selection_rate"].item() == 0.9


def test_roles_that_exclude_each_other() -> None:
    refusal(BadParameter, evaluate("auc", label="click", **COUNTS), "label", "positives", "not both")
    refusal(BadParameter, evaluate("auc", weight="w", **COUNTS), "weight", "positives", "not both")
    refusal(BadParameter, evaluate("auc", positives="clicks", score="pctr"), "positives", "total")
    refusal(BadParameter, evaluate("auc", total="views", score="pctr"), "positives", "total")
    refusal(BadParameter, evaluate("ndcg", label="click", group="user", score="pctr", rank="w"), "score", "rank")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (7, "not 7"),
        (1.5, "not 1.5"),
        (True, "not True"),
        (["click"], "not ['click']"),
        ({"column": 7}, "not 7"),
        ({"columns": "click"}, "as a dict"),
    ],
    ids=repr,
)
def test_roles_of_a_wrong_type(value: Any, words: str) -> None:
    refusal(BadParameter, evaluate("auc", label=value, score="pctr"), "label", words)


def test_a_role_as_a_dict_says_what_it_is() -> None:
    """As dbt writes it: {'column': …} and {'sql': …} are what `column` and `sql` make."""
    plain = evaluate("auc", label="click", score="pctr")()
    assert evaluate("auc", label={"column": "click"}, score={"sql": "pctr"})().equals(plain)


def test_columns_that_are_no_table_yet() -> None:
    data = pd.DataFrame({"click": [0, 1], "pctr": [0.1, 0.2]})
    for given in (data.to_dict("list"), data.to_dict("records"), data.to_records(index=False)):
        refusal(BadParameter, lambda given=given: sqlmetrics.auc(given, **ROLES), "write pandas.DataFrame(…) around it")
        assert sqlmetrics.auc(pd.DataFrame(given), **ROLES)["auc"].tolist() == [1]


ANYTHING: list[Any] = [
    None, 5, -1, 0.5, float("nan"), 10**400, 1j, True, "", " ", "\0", "\ud800", "'", '"', "$$", "{{ 7 }}", "a" * 5000,
    b"x", object(), print, int, range(3), [], [None], [[]], {}, {"a": 1}, {1: 2}, (), {"x"}, np.array([1, 2]),
    pd.Series([1]), pd.DataFrame({"y": [0, 1], "s": [0.1, 0.2]}), datetime.date(2024, 1, 1), Decimal(1),
]  # fmt: skip
#: Functions with what they are given, and those whose arguments of the same name are tried there.
CALLED: dict[str, tuple[Callable[..., Any], dict[str, Any], list[Callable[..., Any]]]] = {
    "render": (sqlmetrics.render, {"metrics": "auc", "relation": "t", **ROLES}, []),
    "evaluate": (sqlmetrics.evaluate, {"data": DATA, "metrics": "auc", **ROLES}, [sqlmetrics.render]),
    "per_group": (
        sqlmetrics.per_group, {"data": DATA, "metrics": "ndcg@2", "group": "user", **ROLES},
        [sqlmetrics.render, sqlmetrics.evaluate],
    ),
    "ndcg": (sqlmetrics.ndcg, {"data": DATA, "group": "user", **ROLES}, [sqlmetrics.render, sqlmetrics.evaluate]),
    "register": (sqlmetrics.register, {}, []),
    "column": (sqlmetrics.column, {}, []),
    "sql": (sqlmetrics.sql, {}, []),
}  # fmt: skip


@pytest.mark.parametrize("name", ["register", "column", "sql", *slow("render", "evaluate", "per_group", "ndcg")])
def test_an_argument_may_be_anything(name: str) -> None:
    """Whatever is given for whichever argument: an answer, or an error of ours in one line."""
    called, given, others = CALLED[name]
    tried = {one for other in others for one in inspect.signature(other).parameters}
    for argument in [one for one in inspect.signature(called).parameters if one not in tried]:
        for value in ANYTHING:
            arguments = {**given, argument: value}
            data = [arguments.pop("data")] if "data" in arguments else []
            message = ""
            try:
                quiet(lambda data=data, arguments=arguments: called(*data, **arguments))
            except SqlMetricsError as error:
                message = str(error)
            except Exception as error:
                raise AssertionError(f"{argument}={value!r}: {type(error).__name__}: {error}") from error
            assert "\n" not in message, (argument, value)


# ---- tracebacks ------------------------------------------------------------------------------------------------------

NOWHERE = "no_such_column"
#: A call of each public function that fails.
FAILING: dict[str, Callable[[], Any]] = {
    "compare": lambda: sqlmetrics.compare(DATA, "auc", label="click", score=["pctr", NOWHERE]),
    "drift": lambda: sqlmetrics.drift(DATA, NOWHERE, against=DATA),
    "evaluate": lambda: sqlmetrics.evaluate(DATA, "auc", label="= nothing(click)", score="pctr"),
    "evaluate_states": lambda: sqlmetrics.evaluate_states(DATA),
    "gaps": lambda: sqlmetrics.gaps(DATA, "auc", **ROLES, by=NOWHERE),
    "install": lambda: sqlmetrics.install("no connection"),  # type: ignore[arg-type]
    "per_group": lambda: sqlmetrics.per_group(DATA, "ndcg", **ROLES, group=NOWHERE),
    "plot": lambda: sqlmetrics.plot(DATA),
    "register": lambda: sqlmetrics.register("nowhere.sql"),
    "render": lambda: sqlmetrics.render("acu", relation="log"),
    "render_compare": lambda: sqlmetrics.render_compare("auc", relation="log", **ROLES),
    "render_drift": lambda: sqlmetrics.render_drift([], relation="log"),
    "render_gaps": lambda: sqlmetrics.render_gaps("auc", relation="log", **ROLES),
    "report": lambda: sqlmetrics.report(DATA, label="click"),
    "state": lambda: sqlmetrics.state(DATA, label="click", score=NOWHERE),
    "uninstall": lambda: sqlmetrics.uninstall("no connection"),  # type: ignore[arg-type]
    "engines.PostgreSQL": lambda: sqlmetrics.engines.PostgreSQL("no connection"),
    "engines.DBAPI": lambda: sqlmetrics.engines.DBAPI("no connection", "postgres"),
    "Chart.save": lambda: sqlmetrics.plot(sqlmetrics.auc(DATA, **ROLES)).save("auc.txt"),
    "Report.save": lambda: sqlmetrics.report(DATA, **ROLES).save("auc.txt"),
}
#: Public names that raise no error of ours.
_NEVER_FAIL = {"column", "engines", "metrics", "sql"}


def _failing_metric(name: str) -> Callable[[], Any]:
    def call() -> Any:
        parameters = inspect.signature(getattr(sqlmetrics, name)).parameters.values()
        required = {one.name: NOWHERE for one in parameters if one.default is one.empty and one.name != "data"}
        return getattr(sqlmetrics, name)(DATA, **required, where=" ")

    return call


def _ends_at_this_file(call: Callable[[], Any]) -> bool:
    with pytest.raises(SqlMetricsError) as caught:
        call()
    trace = traceback.TracebackException.from_exception(caught.value)
    assert trace.__cause__ is None
    assert trace.__context__ is None or "During handling" not in "".join(trace.format())
    *callers, last = [frame.filename for frame in trace.stack]
    return set(callers) == {__file__} and last == errors.__file__


def test_a_failing_call_of_each_public_function_is_tried() -> None:
    public = {name for name in sqlmetrics.__all__ if not name[0].isupper()}
    assert public - builtin_catalogue().metrics.keys() - _NEVER_FAIL == {name for name in FAILING if "." not in name}


@pytest.mark.parametrize("name", FAILING)
def test_a_traceback_ends_at_the_line_of_the_caller(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert _ends_at_this_file(FAILING[name])


def test_a_traceback_of_a_metric_ends_at_the_line_of_the_caller() -> None:
    assert [name for name in builtin_catalogue().metrics if not _ends_at_this_file(_failing_metric(name))] == []


def test_a_traceback_of_a_metric_of_ones_own_ends_there_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.sql"
    path.write_text(scaffold("mine", "rows"), encoding="utf-8")
    sqlmetrics.register(path)
    assert _ends_at_this_file(_failing_metric("mine"))


def test_the_environment_brings_back_the_whole_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQLMETRICS_TRACEBACK", "1")
    with pytest.raises(QueryFailed) as caught:
        FAILING["evaluate"]()
    text = "".join(traceback.format_exception(caught.value))
    assert "running.py" in text
    assert "CatalogException" in text


def test_an_error_that_is_not_ours_keeps_its_whole_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlmetrics.planning, "metric_specs", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError) as caught:
        FAILING["evaluate"]()
    assert "planning.py" in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("value", [b"click", pd.DataFrame({"a": [9]}), object()], ids=["bytes", "frame", "object"])
def test_roles_that_are_no_values_of_sql(value: Any) -> None:
    for given in ({"label": value, "score": "pctr"}, {"label": "click", "score": [value]}):
        refusal(BadParameter, evaluate("auc", **given), "must be a column name", type(value).__name__)
    refusal(BadParameter, evaluate("auc", label="click", score="pctr", by=[value]), "by must be", type(value).__name__)
    refusal(BadParameter, evaluate(value, label="click", score="pctr"), "metrics", type(value).__name__)
    refusal(BadParameter, evaluate([value], label="click", score="pctr"), "metrics", type(value).__name__)


@pytest.mark.parametrize("value", ["", "  ", "=", "= ", "a\0b"], ids=repr)
def test_empty_roles(value: str) -> None:
    for role in ("label", "score", "by"):
        refusal(BadParameter, evaluate("auc", **{**ROLES, role: value}), role)


# Values


def test_labels_that_are_not_binary() -> None:
    error = refusal(
        BadData, evaluate("auc", column("click", 0.0, 1.0, 2.0, 3.0), **ROLES), "label", "'click'", "2 rows"
    )
    assert "2.0" in str(error) or "3.0" in str(error)
    refusal(BadData, evaluate("auc", column("click", 0.0, 1.0, 0.5, 1.0), **ROLES), "'click'", "1 row ", "0.5")
    refusal(BadData, evaluate("auc", column("click", 0.0, 1.0, -1.0, 1.0), **ROLES), "'click'", "-1")
    refusal(BadData, evaluate("gauc", column("click", 0, 1, 2, 1), group="user", **ROLES), "'click'", "1 row ", "2")
    refusal(BadData, evaluate("roc_curve", column("click", 0, 1, 2, 1), **ROLES), "'click'", "1 row ", "2")
    refusal(BadData, evaluate("auc", by="device", label="= click * 2", score="pctr"), "click * 2", "2 rows")
    infinite = column("click", 0.0, 1.0, float("inf"), 1.0)
    for metric in ("auc", "copc", "mae"):
        refusal(BadData, evaluate(metric, infinite, **ROLES), "label", "'click'", "inf")


@pytest.mark.parametrize("metric", ["log_loss", "copc", "pcoc", "ece", "calibration_curve"])
@pytest.mark.parametrize("value", [-0.25, 1.5, 1.0000001, float("inf"), float("-inf")])
def test_scores_that_are_no_probability(metric: str, value: float) -> None:
    data = column("pctr", 0.1, value, 0.2, 0.3)
    refusal(BadData, evaluate(metric, data, **ROLES), "score", "'pctr'", "1 row ", "[0, 1]", str(value)[:4])
    if metric == "copc":
        result = sqlmetrics.evaluate(data, "auc", **ROLES)
        assert 0 <= result["auc"][0] <= 1, "where only the order counts it is no error"


def test_scores_of_one_model_of_several() -> None:
    data = DATA.assign(other=[0.1, 7.0, 0.2, 0.3])
    refusal(BadData, evaluate("copc", data, label="click", score=["pctr", "other"]), "score", "'other'", "7.0")


@pytest.mark.parametrize("value", [-1.0, float("inf")])
@pytest.mark.parametrize("metric", ["auc", "accuracy", "copc", "mae", "group_auc", "macro_f1"])
def test_weights_below_zero_or_infinite(metric: str, value: float) -> None:
    roles = {
        "auc": ROLES,
        "group_auc": {**ROLES, "group": "user"},
        "macro_f1": {"label": "user", "prediction": "device"},
    }
    data = column("w", 1.0, value, 1.0, 1.0)
    refusal(
        BadData, evaluate(metric, data, weight="w", **roles.get(metric, ROLES)), "weight", "'w'", "1 row ", str(value)
    )


def test_weights_of_groups() -> None:
    data = column("w", 1.0, -1.0, 1.0, 1.0)
    refusal(BadData, evaluate("ndcg", data, group="user", group_weight="w", **ROLES), "group_weight", "'w'", "-1")


def test_counts_that_contradict_each_other() -> None:
    refusal(BadData, evaluate("auc", column("views", 1, 1, 1, 4), **COUNTS), "total", "'views'", "1 row ", "1")
    refusal(BadData, evaluate("auc", column("clicks", -1, 1, 1, 1), **COUNTS), "positives", "'clicks'", "-1")
    infinite = column("views", 1.0, 1.0, 2.0, float("inf"))
    refusal(BadData, evaluate("auc", infinite, **COUNTS), "total", "'views'", "inf")


@pytest.mark.parametrize("role", ["click", "pctr"])
@pytest.mark.parametrize("metric", ["mae", "rmse"])
def test_infinite_values_in_regression(role: str, metric: str) -> None:
    data = column(role, 0.0, float("-inf"), 1.0, 1.0)
    refusal(BadData, evaluate(metric, data, **ROLES), f"'{role}'", "1 row ", "infinite")


def test_relevance_below_zero() -> None:
    data = column("click", 0.0, -1.0, 1.0, 1.0)
    for metric in ("ndcg", "dcg", "map", "mrr", "precision@1", "recall@1"):
        refusal(BadData, evaluate(metric, data, group="user", **ROLES), "label", "'click'", "negative", "-1")
    infinite = column("click", 0.0, float("inf"), 1.0, 1.0)
    refusal(BadData, evaluate("ndcg", infinite, group="user", **ROLES), "label", "'click'", "inf")


def test_relevance_whose_gain_no_double_holds() -> None:
    data = column("click", 0.0, 2000.0, 1.0, 1.0)
    for metric in ("ndcg", "dcg", "err(max_label=3000)"):
        refusal(BadData, evaluate(metric, data, group="user", **ROLES), "label", "'click'", "1 row ", "above 1000")
    assert sqlmetrics.ndcg(data, group="user", gain="linear", **ROLES)["ndcg"][0] <= 1


def test_probabilities_of_zero_and_one_are_fine_at_any_eps() -> None:
    data = column("pctr", 0.0, 1.0, 0.0, 1.0)
    tiny = sqlmetrics.evaluate(data, "log_loss(eps=1e-300)", **ROLES)["log_loss"][0]
    assert 0 < tiny < float("inf")
    refusal(BadParameter, evaluate("log_loss(eps=0)", data, **ROLES), "log_loss: eps")


# Metrics and their parameters


def test_unknown_metrics() -> None:
    refusal(UnknownMetric, evaluate("acu", **ROLES), "'acu'", "did you mean 'auc'")
    refusal(UnknownMetric, evaluate("NDCG", group="user", **ROLES), "'NDCG'", "did you mean 'ndcg'")
    refusal(UnknownMetric, evaluate("xyzzy", **ROLES), "'xyzzy'")
    refusal(UnknownMetric, evaluate("xyzzy@10", **ROLES), "'xyzzy'")
    refusal(UnknownMetric, evaluate({"name": "xyzzy"}, **ROLES), "'xyzzy'")
    refusal(UnknownMetric, evaluate(["auc", "xyzzy"], **ROLES), "'xyzzy'")


RANKED = {**ROLES, "group": "user"}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("gini(k=3)", ["gini", "'k'", "none"]),
        ("ndcg(kay=3)", ["ndcg", "'kay'", "gain"]),
        ("ndcg(gains='exp')", ["ndcg", "did you mean 'gain'"]),
        ("ndcg(gain='square')", ["ndcg: gain", "'exp'", "'linear'", "'square'"]),
        ("ndcg(gain=1)", ["ndcg: gain", "1"]),
        ("ndcg(gain=None)", ["ndcg: gain", "None"]),
        ("ndcg(gain=['exp'])", ["ndcg: gain", "exp"]),
        ("ndcg(k=0)", ["ndcg: k", ">= 1", "0"]),
        ("ndcg(k=-1)", ["ndcg: k"]),
        ("ndcg(k=1.5)", ["ndcg: k", "whole number"]),
        ("ndcg(k='ten')", ["ndcg: k", "'ten'"]),
        ("ndcg(k=True)", ["ndcg: k", "True"]),
        ("ndcg@ten", ["ndcg: k", "'ten'"]),
        ("ndcg@0", ["ndcg: k"]),
        ("ndcg(k=1e400)", ["ndcg: k"]),
        ("ndcg@3(k=3)", ["k twice"]),
        ("auc@10", ["auc", "no k"]),
        ("precision_at_k", ["precision_at_k: k must be given"]),
        ("log_loss(eps=0.75)", ["log_loss: eps", "0.75"]),
        ("f1(zero_division=2)", ["f1: zero_division", "2"]),
        ("f1(threshold='high')", ["f1: threshold", "'high'"]),
        ("ece(bins=0)", ["ece: bins"]),
        ("map(ties='average')", ["map: ties", "'average'"]),
        ("ndcg(3)", ["ndcg(3)"]),
        ("ndcg(k=)", ["ndcg(k=)"]),
        ("ndcg(k=3", ["ndcg(k=3"]),
        ("ndcg(k=open('x'))", ["ndcg(k=open"]),
        ("ndcg(k=3, k=4)", ["k=3, k=4"]),
        ("ndcg(**{'k': 3})", ["**"]),
        ("ndcg k 3", ["ndcg k 3"]),
        ("= auc", ["= auc"]),
        ("my name = auc", ["my name"]),
        ("1st = auc", ["1st"]),
        (7, ["7"]),
        (None, ["at least one"]),
        ([None], ["not None"]),
        ([["auc"]], ["not ['auc']"]),
        ({"k": 3}, ["'name'"]),
        ({"name": 7}, ["'name'"]),
        ({"name": "auc", "as": 7}, ["as"]),
        ({"name": "auc", "as": ""}, ["as"]),
        ({"name": "auc", 7: 7}, ["7"]),
        ([], ["at least one"]),
        ("", ["at least one"]),
        (",", ["at least one"]),
    ],
    ids=repr,
)
def test_wrong_parameters(spec: Any, words: list[str]) -> None:
    refusal(BadParameter, evaluate(spec, **RANKED), *words)


def test_two_metrics_of_one_name() -> None:
    for specs in (
        ["auc", "auc"],
        "auc, AUC = auc",
        ["ndcg@3", "ndcg(k=3, gain='linear')"],
        ["x = auc", "x = copc"],
        ["confusion_matrix", "tp = auc"],
    ):
        refusal(BadParameter, evaluate(specs, **RANKED), "two metrics would be called")


def test_names_that_are_taken() -> None:
    refusal(BadParameter, evaluate("n = auc", **ROLES), "'n'")
    for name in ("auc", "n"):
        data = DATA.rename(columns={"device": name})
        refusal(BadParameter, evaluate("auc", data, by=name, **ROLES), f"'{name}'", "my_")
    refusal(BadParameter, evaluate("auc", by="AUC = device", **ROLES), "'AUC'")
    refusal(BadParameter, evaluate("auc", by="sqlmetrics_x = device", **ROLES), "sqlmetrics_x")
    refusal(BadParameter, evaluate("gauc", by="groups = device", diagnostics=True, **RANKED), "'groups'")
    grouped = DATA.rename(columns={"device": "grouping", "user": "model"})
    refusal(BadParameter, evaluate("auc", grouped, by=[["grouping"], []], **ROLES), "'grouping'")
    refusal(BadParameter, evaluate("auc", grouped, by="model", label="click", score=["pctr", "w"]), "'model'")


def test_tables_among_others() -> None:
    for specs in (["roc_curve", "auc"], "auc, roc_curve", ["roc_curve", "calibration_curve"]):
        with pytest.raises(BadParameter, match=r"alone|two metrics"):
            sqlmetrics.evaluate(DATA, specs, **ROLES)
    refusal(BadParameter, evaluate(["roc_curve", "auc"], **ROLES), "roc_curve", "alone")
    refusal(BadParameter, evaluate("roc_curve", diagnostics=True, **ROLES), "diagnostics", "roc_curve")


def test_slices_that_are_wrong() -> None:
    refusal(BadParameter, evaluate("auc", by=["device", "device"], **ROLES), "by", "twice")
    refusal(BadParameter, evaluate("auc", by=["device", "DEVICE = user"], **ROLES), "by", "DEVICE")
    refusal(BadParameter, evaluate("auc", by=["device", ["user"]], **ROLES), "by", "mixture")
    refusal(BadParameter, evaluate("auc", by=[["device"], ["device"]], **ROLES), "by", "twice")
    for wrong in (7, [7], [None], {"device": 1}, [["device", 7]]):
        with pytest.raises(SqlMetricsError, match="by"):
            sqlmetrics.evaluate(DATA, "auc", by=wrong, **ROLES)


@pytest.mark.parametrize("value", [-1, 1.5, "2", True], ids=repr)
def test_min_rows(value: Any) -> None:
    refusal(BadParameter, evaluate("auc", min_rows=value, **ROLES), "min_rows", repr(value))


def test_render_refuses_the_same() -> None:
    def render(metrics: Any, **options: Any) -> Callable[[], Any]:
        return lambda: sqlmetrics.render(metrics, **{"relation": "t", **ROLES, **options})

    refusal(UnknownMetric, render("acu"), "'acu'")
    refusal(BadParameter, render("auc", relation=" "), "relation")
    refusal(BadParameter, render("auc", dialect="oracle"), "dialect", "'oracle'", "duckdb")
    refusal(BadParameter, render("auc", shape="square"), "shape", "'square'")
    refusal(BadParameter, render("auc", group="user"), "group")


# Injection


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("create table t as select * from (values (0, 0.1, 'x'), (1, 0.9, 'y')) as v(click, pctr, d)")
        yield connection
        assert connection.execute("select count(*), sum(click) from t").fetchall() == [(2, 1)], "nothing was changed"


ATTACKS = [
    'x" from t; drop table t; --',
    "x' ; drop table t; --",
    "1; drop table t",
    "*/ drop table t; /*",
    "x\n; drop table t; --",
    "x\r\n; drop table t --",
    "-- \n drop table t;",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "$$; drop table t; $$",
    "\u2028; drop table t",
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", ATTACKS, ids=repr)
def test_names_are_only_names(text: str, con: duckdb.DuckDBPyConnection) -> None:
    """As a column that is not there, as one that is, as the name of a metric or of a result."""
    with pytest.raises(MissingColumn):
        sqlmetrics.evaluate("t", "auc", label=sqlmetrics.column(text), score="pctr", con=con)
    with pytest.raises(MissingColumn):
        sqlmetrics.evaluate("t", "auc", by=sqlmetrics.column(text), con=con, **ROLES)
    with pytest.raises(SqlMetricsError):
        sqlmetrics.evaluate("t", text, con=con, **ROLES)
    with pytest.raises(SqlMetricsError):
        sqlmetrics.evaluate("t", f"auc({text}=1)", con=con, **ROLES)
    named = sqlmetrics.evaluate("t", {"name": "auc", "as": text}, con=con, **ROLES)
    assert named.columns[-1] == text
    assert named[text][0] == 1
    odd = DATA.rename(columns={"click": text})
    assert sqlmetrics.evaluate(odd, "auc", label=sqlmetrics.column(text), score="pctr", con=con)["auc"][0] == 1
    odd = DATA.rename(columns={"device": text})
    assert len(sqlmetrics.evaluate(odd, "auc", by=[[], [sqlmetrics.column(text)]], con=con, **ROLES)) == 3
    two = [sqlmetrics.column(text), "w"]
    shown = sqlmetrics.evaluate(DATA.rename(columns={"pctr": text}), "auc", label="click", score=two, con=con)
    assert shown["model"].tolist() == [text, "w"]


@pytest.mark.parametrize(
    "text",
    [
        "1 = 1; drop table t",
        "1 = 1); drop table t; --",
        "true) union all select 1 from t; drop table t --",
        "click = 1) ; create table u as select 1; select (1",
        "1 = 1 /*",
        "1 = 1 --",
        "1 = '",
        '1 = "',
        ")",
        "(",
        "drop table t",
    ],
    ids=repr,
)
def test_expressions_cannot_end_the_statement(text: str, con: duckdb.DuckDBPyConnection) -> None:
    """They are the user's own SQL, but no second statement, and what is no expression is an error of ours."""
    before = con.execute("select count(*) from information_schema.tables").fetchall()
    for options in ({"where": text}, {"by": f"x = {text}"}, {"label": f"= {text}"}):
        call = evaluate("auc", "t", con=con, **{**ROLES, **options})
        if text == "1 = 1 --":  # a comment is the user's own affair, and ends with its line
            call()
        else:
            with pytest.raises(SqlMetricsError) as caught:
                call()
            assert "\n" not in str(caught.value)
    assert con.execute("select count(*) from information_schema.tables").fetchall() == before


@pytest.mark.parametrize("value", ["", "  ", 7, ["click = 1"], True], ids=repr)
def test_where_must_be_a_condition(value: Any) -> None:
    refusal(BadParameter, evaluate("auc", where=value, **ROLES), "where")


def test_an_unknown_column_in_an_expression() -> None:
    error = refusal(QueryFailed, evaluate("auc", where="clik = 1", **ROLES), "clik")
    assert "clik = 1" in error.sql  # type: ignore[attr-defined]


def test_a_cast_that_fails() -> None:
    data = DATA.assign(text=["a", "b", "c", "d"])
    refusal(QueryFailed, evaluate("auc", data, label="click", score="= cast(text as double)"), "'a'")


# Users' metric files

GOOD = """{#-
title: Share of positives
formula: positives / rows
frame: rows
truth: binary
score: number
range: 0 to 1
undefined: NULL without rows
oracle: by hand
source: none
parameters:
  scale: {type: number, default: 1, doc: what the share is multiplied with}
example: {label: [0, 1], score: [0.1, 0.2], result: 0.5}
-#}
{%- macro NAME__value(m) -%}
{{ m.scale }} * {{ sqlmetrics.safe_divide('sum(pos)', 'sum(pos + neg)') }}
{%- endmacro -%}
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Write a metric file; what a test registers is forgotten after it."""
    monkeypatch.setattr("sqlmetrics.catalogue._registered", None)

    def file(name: str, text: str = GOOD) -> Path:
        path = tmp_path / f"{name}.sql"
        path.write_text(text.replace("NAME", name), encoding="utf-8")
        return path

    return file


def test_a_good_metric_file_works(write: Callable[..., Path]) -> None:
    """The ground on which the bad ones below are bad."""
    assert sqlmetrics.register(write("share")) == ["share"]
    assert sqlmetrics.evaluate(DATA, "share(scale=2)", **ROLES)["share"][0] == 1.0
    assert "share" in set(sqlmetrics.metrics()["name"])
    assert "share" not in builtin_catalogue().metrics


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("frame: rows", "frame: rows\nroles: {position: required}", ["position", "propensities"]),
        ("truth: binary", "no_weight: rows are counted", ["no_weight", "no role weight"]),
        ("frame: rows", "colour: red\nframe: rows", ["unknown", "colour"]),
        ("oracle: by hand\n", "", ["missing", "oracle"]),
        ("frame: rows", "frame: columns", ["no frame", "columns"]),
        ("truth: binary", "truth: ternary", ["truth"]),
        ("score: number", "score: letter", ["score"]),
        ("{{ m.scale }}", "{{ m.scale * m.size }}", ["'size'", "used but not declared"]),
        ("{{ m.scale }} *", "", ["'scale'", "declared but not used"]),
        ("{type: number, default: 1, doc: what the share is multiplied with}", "{type: number, default: 1}", ["doc"]),
        ("type: number, default: 1", "type: text, default: 1", ["'scale'"]),
        ("type: number, default: 1", "type: number", ["'scale'", "default"]),
        ("type: number, default: 1", "type: number, default: 1, colour: red", ["'scale'", "colour"]),
        ("title: Share of positives", "title: Share: of: positives", ["YAML"]),
        ("title: Share of positives", "title: [", ["YAML"]),
        ("NAME__value", "other__value", ["NAME__value"]),
        ("NAME__value", "NAME__values", ["NAME__value"]),
        ("NAME__value(m)", "NAME__value()", ["too little", "NAME__value(m)"]),
        ("NAME__value(m)", "NAME__query( m )", ["too little", "NAME__query(m, rows_from, keys)"]),
        ("{%- endmacro -%}", "{%- endmacro -%}{%- macro helper() -%}1{%- endmacro -%}", ["helper"]),
        ("{#-\ntitle", "{#-\nname", ["title"]),
        ("parameters:", "parameters: 7\nother:", []),
        ("title: Share of positives", "title: 7", ["title", "7"]),
        ("frame: rows", "frame: rows\ntable: 1", ["table", "1"]),
        *[
            ("frame: rows", f"frame: rows\n{line}", words)
            for line, words in {
                "notes: [a]": ["notes", "['a']"],
                "columns: x": ["columns", "'x'"],
                "order: {a: b}": ["order", "'a'"],
                "uses: totals": ["uses", "'totals'"],
                "uses: [tottals]": ["uses", "'tottals'", "did you mean 'totals'"],
                "names: sklearn": ["names", "'sklearn'"],
                "companions: [a]": ["companions", "['a']"],
                "companions: {scale: a}": ["companions", "'a'"],
                "companions: {size: [a]}": ["'size'", "not declared"],
                "group_columns: {size=7: [a]}": ["'size'", "not declared"],
                "needs: {scale=7: won}": ["needs", "'won'"],
                "needs: {scale=7: [cost]}": ["no role", "'cost'", "won, reward"],
                "roles: [item]": ["roles", "['item']"],
                "roles: {item: always}": ["'item'", "'always'"],
                "roles: {cost: required}": ["no role", "'cost'", "won, reward"],
                "relations: catalog": ["relations", "'catalog'"],
                "relations: [items]": ["no relation", "'items'", "catalog, similarity"],
                "computed: {a: b}": ["computed", "'a'", "'b'"],
                "computed: {a: {by: scale, roles: [cost]}}": ["no role", "'cost'"],
                "rules: {column: score}": ["rules", "list"],
                "rules: [{column: score}]": ["rules", "keeps"],
                "rules: [{column: cost, keeps: cost > 0, words: is not above 0}]": ["rules", "'cost'", "score"],
            }.items()
        ],
    ],
)
def test_metric_files_that_contradict_themselves(
    old: str, new: str, words: list[str], write: Callable[..., Path]
) -> None:
    assert old in GOOD
    path = write("share", GOOD.replace(old, new))
    refusal(
        BadMetricFile,
        lambda: sqlmetrics.register(path),
        "share.sql",
        *[word.replace("NAME", "share") for word in words],
    )
    assert "share" not in set(sqlmetrics.metrics()["name"])


@pytest.mark.parametrize(
    "parameters",
    ["[scale]", "{scale: 7}", "{scale: frame}", "text", "{scale: {type: number, default: one, doc: x}}",
     "{scale: {choices: [a, b], default: c, doc: x}}", "{scale: {type: integer, default: 1.5, doc: x}}",
     "{scale: [worst]}", "{7: {type: number, default: 1, doc: x}}"],
)  # fmt: skip
def test_metric_files_with_odd_parameters(parameters: str, write: Callable[..., Path]) -> None:
    declared = "parameters:\n  scale: {type: number, default: 1, doc: what the share is multiplied with}\n"
    assert declared in GOOD
    path = write("share", GOOD.replace(declared, f"parameters: {parameters}\n"))
    with pytest.raises(SqlMetricsError) as caught:
        sqlmetrics.register(path)
    assert isinstance(caught.value, BadMetricFile), repr(caught.value)
    assert "share" in str(caught.value)
    assert "\n" not in str(caught.value)


#: What a key may hold that is not what it should.
ODD_VALUES = [
    "", "~", "3", "-1.5", "true", ".nan", ".inf", "x", "''", "it''s", "[]", "{}", "[1]", "[a]", "{a: 1}", "{1: a}",
    "{a: [b]}", "[[1]]", "2026-01-01", "{a: {b: c}}", "1e400", "9" * 400, "9" * 5000, "[a, 1]", "{a: 1, a: 2}", "*a",
    "!!binary eA==",
]  # fmt: skip
KEYS_OF_A_PARAMETER = ["type", "default", "required", "choices", "minimum", "maximum", "doc", "presets", "used_by"]


def works_or_is_refused(path: Path) -> bool:
    """Whether a metric file works, in every way in which it is used; else it is refused by an error of ours."""
    try:
        [name] = sqlmetrics.register(path)
        sqlmetrics.evaluate(DATA, name, **ROLES)
        getattr(sqlmetrics, name)(DATA, **ROLES)
        result = CliRunner().invoke(cli.main, ["show", name, "--metrics-dir", str(path)])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
    except SqlMetricsError:
        return False
    return True


@pytest.mark.one_in(4)
@pytest.mark.parametrize("key", sorted(_KEYS))
def test_a_key_of_a_metric_file_that_holds_something_else(key: str, write: Callable[..., Path]) -> None:
    lines = [line for line in GOOD.split("\n") if not line.startswith(f"{key}:")]
    place = 1 if key == "title" else 2
    for number, odd in enumerate(ODD_VALUES):
        works_or_is_refused(write(f"odd_{number}", "\n".join([*lines[:place], f"{key}: {odd}", *lines[place:]])))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", ["type: number", "choices: {b: one, c: another}"])
@pytest.mark.parametrize("key", KEYS_OF_A_PARAMETER)
def test_a_key_of_a_parameter_that_holds_something_else(key: str, kind: str, write: Callable[..., Path]) -> None:
    declared = "{type: number, default: 1, doc: what the share is multiplied with}"
    given = dict([kind.split(": ", 1), ("default", "1" if kind == "type: number" else "b"), ("doc", "a factor")])
    for number, odd in enumerate(ODD_VALUES):
        entry = "".join(f"\n    {name}: {value}" for name, value in {**given, key: odd}.items())
        works_or_is_refused(write(f"odd_{number}", GOOD.replace(declared, entry)))


@pytest.mark.slow
def test_a_name_that_a_parameter_cannot_have(write: Callable[..., Path]) -> None:
    """Those of arguments, of what templates hold, and words of Python; any other works in every way."""
    arguments = [*ROLES_OF_ALL, *RELATIONS, *(argument.name for argument in arguments_of("metric"))]
    taken = {*arguments, *(name for name in dir(dict) if not name.startswith("_")), *keyword.kwlist}
    free = {"scale", "n", "k", "metric", "metrics", "slices", "model", "self", "function", "given", "value", "select"}
    for name in sorted(name for name in taken | free if name.islower()):
        path = write(f"with_{name}", GOOD.replace("scale", name))
        assert works_or_is_refused(path) == (name not in taken), name
        if name in taken:
            refusal(BadMetricFile, lambda path=path: sqlmetrics.register(path), f"'{name}'")  # type: ignore[misc]
    for metric in builtin_catalogue().metrics.values():
        assert not taken & set(metric.parameters), metric.name


def test_what_templates_hold_is_no_name_of_a_parameter() -> None:
    """Else a parameter would stand in the place of what a template of the package reads."""
    known = builtin_catalogue()
    of_metrics = {metric.path for metric in known.metrics.values()}
    read = set()
    for path in set(known.macros.values()) - of_metrics:
        read |= set(_PARAMETER_USE.findall(path.read_text(encoding="utf-8")))
    shared = {name for one in known.frames.values() for name in (*one.parameters, *one.metric_parameters)}
    parameters = {name for metric in known.metrics.values() for name in metric.parameters}
    assert read - shared - parameters <= _OF_TEMPLATES


@pytest.mark.parametrize(
    "aggregate",
    ["'text'", "[sum(pos)]", "current_date", "now()", "interval 1 day", "struct_pack(a := sum(pos))", "map([1], [2])",
     "'a'::blob", "uuid()", "[]", "''"],
)  # fmt: skip
def test_a_metric_is_a_number(aggregate: str, write: Callable[..., Path]) -> None:
    body = "{{ m.scale }} * {{ sqlmetrics.safe_divide('sum(pos)', 'sum(pos + neg)') }}"
    assert body in GOOD
    path = write("share", GOOD.replace(body, f"{aggregate} {{# m.scale #}}"))
    sqlmetrics.register(path)
    refusal(BadMetricFile, evaluate("share", **ROLES), "share.sql", "must be a number")
    refusal(BadMetricFile, evaluate("share", **ROLES, by="device"), "share.sql", "must be a number")


def test_no_value_where_the_template_writes_one(write: Callable[..., Path]) -> None:
    """Jinja writes `None`, which SQL takes for a column."""
    nothing = GOOD.replace("default: 1", "default: null")
    sqlmetrics.register(write("share", nothing))
    refusal(BadMetricFile, evaluate("share", **ROLES), "share.sql", "scale is none here")
    assert sqlmetrics.evaluate(DATA, "share(scale=2)", **ROLES)["share"].tolist() == [1.0]
    sqlmetrics.register(write("asked", nothing.replace("{{ m.scale }}", "{{ 1 if m.scale is none else m.scale }}")))
    assert sqlmetrics.evaluate(DATA, "asked", **ROLES)["asked"].tolist() == [0.5]


def test_a_byte_order_mark_is_no_text(write: Callable[..., Path]) -> None:
    sqlmetrics.register(write("share", "\ufeff" + GOOD))
    assert sqlmetrics.evaluate(DATA, "share", **ROLES)["share"].tolist() == [0.5]


@pytest.mark.slow
def test_what_new_writes_works(write: Callable[..., Path]) -> None:
    """Whatever the name, or it is refused before a file is written."""
    kept = ["n", "model", "grouping", "slice_id", "bucket", "bucket_left_out", "replicate", "sqlmetrics_x", "rows_read"]
    free = ["source", "observations", "rows", "score", "pos", "label", "m", "self", "import", "evaluate", "metric", "k"]
    words = set(render_macro(builtin_catalogue(), "duckdb", "reserved_words").split())
    words -= {*builtin_catalogue().metrics, *kept}
    given: dict[str, Any] = {**ROLES, "score": ["pctr", "w"], "by": [[], ["device"]], "diagnostics": True}
    for name in [*free, *sorted(words)[::8]]:
        sqlmetrics.register(write(name, scaffold(name, "rows")))
        assert name in sqlmetrics.evaluate(DATA, [name, "auc"], **given).columns
    for name in kept:
        refusal(BadParameter, lambda name=name: scaffold(name, "rows"), repr(name))  # type: ignore[misc]
        sqlmetrics.register(write(name))
        with pytest.raises(BadParameter):  # as a call of that metric would be
            sqlmetrics.evaluate(DATA, name, **given)


FRAME = """{#-
title: sums
rows: one per slice
columns: pos, row_count
unit: group
slices: columns
-#}
{%- macro sums(f, rows_from, keys) -%}
{%- endmacro -%}
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("columns: pos, row_count\n", "", ["missing", "columns"]),
        ("unit: group", "units: group", ["unknown", "units"]),
        ("unit: group", "unit: user", ["unit", "row or group", "'user'"]),
        ("slices: columns", "slices: rows", ["slices", "columns", "'rows'"]),
        ("{#-\ntitle", "{#-\nname", ["title"]),
        ("macro sums(", "macro sum(", ["no macro sums"]),
    ],
)
def test_frame_files_that_contradict_themselves(old: str, new: str, words: list[str], tmp_path: Path) -> None:
    path = tmp_path / "macros" / "frames" / "sums.sql"
    path.parent.mkdir(parents=True)
    path.write_text(FRAME, encoding="utf-8")
    assert list(Catalogue(tmp_path).frames) == ["sums"]
    assert old in FRAME
    path.write_text(FRAME.replace(old, new), encoding="utf-8")
    refusal(BadMetricFile, lambda: Catalogue(tmp_path), "sums.sql", *words)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("title: Two\nparents: one", ["unknown", "parents"]),
        ("parent: one", ["title"]),
        ("title: Two\nparent: three", ["parent", "one", "'three'"]),
        ("title: Two\nparent: two", ["parent", "one", "'two'"]),
    ],
)
def test_dialect_files_that_contradict_themselves(
    head: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqlmetrics.catalogue.sql_root", lambda: tmp_path)
    folder = tmp_path / "macros" / "dialects"
    folder.mkdir(parents=True)
    (folder / "one.sql").write_text("{#-\ntitle: One\n-#}\n", encoding="utf-8")
    (folder / "two.sql").write_text("{#-\ntitle: Two\nparent: one\n-#}\n", encoding="utf-8")
    read = dialects.__wrapped__  # which keeps what it read first
    assert [dialect.parent for dialect in read().values()] == [None, "one"]
    (folder / "two.sql").write_text(f"{{#-\n{head}\n-#}}\n", encoding="utf-8")
    refusal(BadMetricFile, read, "two.sql", *words)


def test_metric_files_that_take_a_name(write: Callable[..., Path], tmp_path: Path) -> None:
    refusal(BadMetricFile, lambda: sqlmetrics.register(write("auc")), "'auc'")
    refusal(BadMetricFile, lambda: sqlmetrics.register(write("Share")), "Share.sql")
    refusal(BadMetricFile, lambda: sqlmetrics.register(write("two words")), "two words.sql")
    refusal(BadMetricFile, lambda: sqlmetrics.register(tmp_path / "nothing.sql"), "nothing.sql")
    (tmp_path / "empty").mkdir()
    refusal(BadMetricFile, lambda: sqlmetrics.register(tmp_path / "empty"), "empty")
    broken = tmp_path / "latin.sql"
    broken.write_bytes(b"{#-\ntitle: \xff\xfe\n-#}")
    refusal(BadMetricFile, lambda: sqlmetrics.register(broken), "latin.sql", "UTF-8")


BODIES = [
    "{{ ''.__class__.__mro__ }}",
    "{{ sqlmetrics.__class__.__init__.__globals__ }}",
    "{{ sqlmetrics._catalogue }}",
    "{{ sqlmetrics._environment.globals }}",
    "{{ adapter.dispatch.__globals__ }}",
    "{{ adapter.dispatch.__func__.__globals__['os'] }}",
    "{{ m.__class__.__base__.__subclasses__() }}",
    "{{ m|attr('__class__') }}",
    "{{ ''['__class__'] }}",
    "{{ sqlmetrics.safe_divide.__globals__ }}",
    "{{ cycler.__init__.__globals__.os.popen('true').read() }}",
    "{{ self.__init__.__globals__ }}",
    "{{ range(10 ** 9) | list }}",
    "{% include '/etc/passwd' %}",
    "{% import 'os' as os %}{{ os }}",
    "{{ undefined_thing }}",
    "{{ undefined_thing.x }}",
    "{{ 1 / 0 }}",
    "{{ sqlmetrics.no_such_macro() }}",
    "{{ sqlmetrics.safe_divide() }}",
    "{{ sqlmetrics.safe_divide(1, 2, 3, 4) }}",
    "{{ 'a' + 1 }}",
    "{% if %}",
    "{{",
    "{{ m['scale'].nothing.more }}",
    "{{ adapter.dispatch('no_such', 'sqlmetrics')() }}",
    "{{ '%s %s' % 'a' }}",
]


def can_be_registered(path: Path) -> bool:
    try:
        sqlmetrics.register(path)
    except BadMetricFile:
        return False
    return True


def test_templates_stay_in_their_box(write: Callable[..., Path]) -> None:
    """All files in one catalogue: each new one means that its templates are compiled anew."""
    registered = []
    for number, body in enumerate(BODIES):
        path = write(f"share_{number}", GOOD.replace("{{ m.scale }} *", "{{ m.scale }} * " + body + " *"))
        if can_be_registered(path):
            registered.append(path.stem)
        else:
            refusal(BadMetricFile, lambda path=path: sqlmetrics.register(path), path.name)  # type: ignore[misc]
    assert len(registered) > len(BODIES) / 2
    for name in registered:
        refusal(BadMetricFile, lambda name=name: sqlmetrics.evaluate(DATA, name, **ROLES), f"{name}.sql")  # type: ignore[misc]


def test_a_template_cannot_make_another_statement(write: Callable[..., Path], con: duckdb.DuckDBPyConnection) -> None:
    sqlmetrics.register(write("share", GOOD.replace("{{ m.scale }} *", "{{ m.scale }} from t; drop table t; select")))
    with pytest.raises(SqlMetricsError):
        sqlmetrics.evaluate("t", "share", con=con, **ROLES)


def test_line_breaks_of_the_user_stay_as_they_are(tmp_path: Path) -> None:
    """In names, strings, queries and paths: the SQL is indented, what the user wrote is not."""
    odd = DATA.assign(device=["a\nb", "a\nb", "a\n    b", "c"])
    for where, rows in [("device = 'a\nb'", 2), ("device = 'a\n    b'", 1), ("-- all\ndevice <> 'a\nb'", 2)]:
        assert sqlmetrics.evaluate(odd, "auc", where=where, **ROLES)["n"][0] == rows
    assert sqlmetrics.evaluate(odd, "auc", by="x = device = 'a\nb'", **ROLES)["n"].tolist() == [2, 2]
    with duckdb.connect() as con:
        con.register("t", odd)
        query = "select *\n-- of all\nfrom t where device = 'a\nb'"
        assert sqlmetrics.evaluate(query, "copc", con=con, **ROLES)["n"][0] == 2
    path = tmp_path / "two\nlines.parquet"
    DATA.to_parquet(path)
    assert sqlmetrics.evaluate(path, "auc", **ROLES)["n"][0] == len(DATA)


# Settings of the engine


def test_settings_of_the_engine() -> None:
    for wrong in (0, -1, 1.5, True, "two"):
        refusal(
            BadParameter,
            lambda wrong=wrong: sqlmetrics.evaluate(DATA, "auc", **ROLES, threads=wrong),  # type: ignore[misc]
            "threads",
            repr(wrong),
        )
    refusal(BadParameter, lambda: sqlmetrics.evaluate(DATA, "auc", **ROLES, memory_limit="much"), "'2GB'", "'much'")
    with duckdb.connect() as con:
        refusal(BadParameter, lambda: sqlmetrics.evaluate(DATA, "auc", **ROLES, con=con, threads=1), "connection")


@pytest.mark.parametrize(
    "quantiles", [{}, {0: "low"}, {"x": "low"}, {"0.1": "low", 0.1: "high"}, {0.2: 3}, {True: "low"}, {math.nan: "low"}]
)
def test_levels_that_are_none(quantiles: Any) -> None:
    with pytest.raises(sqlmetrics.BadParameter, match="crps: quantiles must be a dict of levels between 0 and 1"):
        sqlmetrics.crps(pd.DataFrame({"y": [1.0], "low": [0.5], "high": [2.0]}), label="y", quantiles=quantiles)


def test_bounds_and_quantiles() -> None:
    """A bound that is missing is not above the other; a quantile of any size may be above the next."""
    rows = pd.DataFrame({"y": [1.0, 2.0, 3.0], "low": [0.5, math.nan, None], "high": [2.0, 1.0, 4.0]})
    roles = {"label": "y", "lower_bound": "low", "upper_bound": "high"}
    with pytest.warns(sqlmetrics.DroppedRows, match=r"lower_bound \(column 'low'\) in 2 rows"):
        found = sqlmetrics.evaluate(rows, "interval_coverage, interval_score(alpha=0.5)", **roles)
    assert found.iloc[0].tolist() == [1, 1.0, 1.5]
    with pytest.raises(sqlmetrics.BadData, match=r"upper_bound \(column 'high'\): 1 row is below lower_bound"):
        sqlmetrics.evaluate(rows.assign(low=[2.5, 0.0, 0.0]), "interval_coverage", **roles)
    open_ended = rows.assign(low=[-math.inf, 0.0, 0.0], high=[0.5, math.inf, 4.0])
    assert sqlmetrics.interval_coverage(open_ended, **roles)["interval_coverage"].item() == pytest.approx(2 / 3)
    for which, column, end in (("lower", "low", -math.inf), ("upper", "high", math.inf)):
        one_end = rows.assign(**{"low": 0.0, "high": 5.0, column: [1.0, end, 1.0]})
        with pytest.raises(sqlmetrics.BadData, match=rf"{which}_bound \(column '{column}'\): 1 row is infinite"):
            sqlmetrics.evaluate(one_end, "interval_score(alpha=0.5)", **roles)
    with pytest.raises(sqlmetrics.MissingColumn, match="quantiles: there is no column 'lwo'"):
        sqlmetrics.crps(rows, label="y", quantiles={0.1: "lwo"})
    with pytest.raises(sqlmetrics.BadData, match=r"quantiles \(column 'low'\): 1 row is infinite"):
        sqlmetrics.crps(rows.assign(low=[-math.inf, 0.0, 0.0]), label="y", quantiles={0.1: "low"})
    crossed = {0.1: "high", 0.9: "low"}
    rows["low"] = [0.5, 0.0, 0.0]
    assert sqlmetrics.crps(rows, label="y", quantiles=crossed)["crps"].item() == pytest.approx(
        (0.9 * (1 + 1) + 0.1 * 1 + 0.9 * (0.5 + 2 + 3)) / 3
    )


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"s": [3, 2, 1]}, r"score has two values for one item in a group.*for example a"),
        ({"d": ["x", "y", "z"]}, r"tie_key has two values for one item in a group.*for example a"),
        ({"t": ["x", "x", "y"]}, r"data holds one item twice for one subtopic of a group.*for example a"),
        ({"y": [1, 2, 0]}, r"label \(column 'y'\): 1 row is above max_label=1 of err_ia"),
    ],
)
def test_items_that_are_judged_for_subtopics(changed: dict[str, list[Any]], words: str) -> None:
    """An item has one place in its list, and one grade for each subtopic."""
    rows = {"q": [1, 1, 1], "i": ["a", "a", "b"], "t": ["x", "y", "x"], "y": [1, 0, 1], "s": [2, 2, 1], "d": [1, 1, 2]}
    roles = {"label": "y", "score": "s", "group": "q", "item": "i", "subtopic": "t", "tie_key": "d"}
    assert sqlmetrics.err_ia(pd.DataFrame(rows), **roles)["err_ia"].item() == pytest.approx(0.5 + 0.5 / 4)
    with pytest.raises(sqlmetrics.BadData, match=words):
        sqlmetrics.err_ia(pd.DataFrame(rows | changed), **roles)
    # To a metric that knows no subtopics, a row is an item.
    with pytest.raises(sqlmetrics.BadData, match=r"data holds one item twice in a group.*for example a"):
        sqlmetrics.evaluate(pd.DataFrame(rows), ["err_ia", "mrr"], **roles)
    with pytest.raises(sqlmetrics.BadParameter, match="err_ia needs subtopic: aspect of the query"):
        sqlmetrics.err_ia(pd.DataFrame(rows), **{**roles, "subtopic": None})


def test_durations_that_are_no_numbers() -> None:
    rows = pd.DataFrame({"y": [1, 0], "s": [0.5, 0.2], "t": ["long", "short"]})
    with pytest.raises(sqlmetrics.BadData, match="duration: column 't' is VARCHAR, and a number is needed"):
        sqlmetrics.concordance_index(rows, label="y", score="s", duration="t")
    with pytest.raises(sqlmetrics.BadParameter, match="concordance_index needs duration: how long until"):
        sqlmetrics.evaluate(rows, "concordance_index", label="y", score="s")


def test_negative_ratings_of_a_ratio_scale() -> None:
    rows = pd.DataFrame({"item": [1, 1, 2, 2, 3, 3], "rating": [-2, 2, 1, 1, 3, 3]})
    with pytest.raises(sqlmetrics.BadData, match=r"label \(column 'rating'\): 1 row is negative \(a ratio scale"):
        sqlmetrics.krippendorff_alpha(rows, label="rating", group="item", level="ratio")
    assert sqlmetrics.krippendorff_alpha(rows, label="rating", group="item", level="interval").iloc[0, -1] < 1


def test_a_label_that_is_missing_as_text(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("y,p\n1,0.5\n0,0.1\nNA,0.25\n")
    query = f"select y as y, p from '{path}' -- the log"
    with pytest.raises(sqlmetrics.BadData, match=r"; 'NA' is not a number; .*label=\"= cast\(nullif\(y, 'NA'\)"):
        sqlmetrics.auc(query, label="y", score="p")
    with pytest.raises(
        sqlmetrics.BadData, match=r"'NA' in line 4 is not a number; .*label=\"= cast\(nullif\(y, 'NA'\)"
    ):
        sqlmetrics.auc(str(path), label="y", score="p")


@pytest.mark.parametrize("query", [
    "(select 1 as y, 0.5 as p)", "-- the log\nselect 1 as y, 0.5 as p", "/* the\nlog */ select 1 as y, 0.5 as p",
    "( -- the log\n  select 1 as y, 0.5 as p\n)",
])  # fmt: skip
def test_a_query_behind_brackets_and_comments(query: str) -> None:
    assert sqlmetrics.copc(query, label="y", score="p")["copc"].tolist() == [2.0]
    assert sqlmetrics.copc("values (1, 0.5)", label="col0", score="col1")["copc"].tolist() == [2.0]


@pytest.mark.parametrize("call", [
    lambda: sqlmetrics.auc([1, 0], [0.5, 0.2]), lambda: sqlmetrics.auc(y_true=[1, 0], y_score=[0.2, 0.3]),
])  # fmt: skip
def test_a_call_as_in_scikit_learn(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match=r"write sqlmetrics\.auc\(data, label=…, score=…\), with the names of columns"):
        call()
