"""Invalid input raises a single error of the right class, in one line that names the input."""

from __future__ import annotations

import ast
import datetime
import inspect
import itertools
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
from sklearn.metrics import mean_absolute_error

import sqlmetrics
from sqlmetrics import BadData, BadMetricFile, BadParameter, MissingColumn, QueryFailed, SqlMetricsError, UnknownMetric
from sqlmetrics.arguments import arguments_of
from sqlmetrics.authoring.describe import example_of
from sqlmetrics.authoring.scaffold import FRAMES, scaffold
from sqlmetrics.catalogue.dialects import dialects
from sqlmetrics.catalogue.metric_file import _PARAMETER_USE, _RESERVED_NAMES
from sqlmetrics.catalogue.registry import Catalogue, builtin_catalogue, catalogue
from sqlmetrics.catalogue.vocabulary import RELATIONS
from sqlmetrics.catalogue.vocabulary import ROLES as ALL_ROLES
from tests.parameters import quick_every, slow
from tests.variants import quiet

DATA = pd.DataFrame({
    "click": [0.0, 1.0, 1.0, 0.0], "pctr": [0.1, 0.6, 0.4, 0.3], "user": ["a", "a", "b", "b"],
    "w": [1.0, 2.0, 1.0, 1.0], "clicks": [0, 1, 2, 3], "views": [1, 1, 2, 4], "device": ["phone", "phone", "tv", "tv"],
})  # fmt: skip
ROLES = {"label": "click", "score": "pctr"}
RANKED = {**ROLES, "group": "user"}
COUNTS = {"positives": "clicks", "total": "views", "score": "pctr"}
INF = float("inf")


def assert_rejected(error: type[SqlMetricsError], call: Callable[[], Any], *fragments: str) -> SqlMetricsError:
    """Assert that the call raises exactly this error, in one line with these fragments and without shell syntax."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 — the class is checked below
        call()
    message = str(caught.value)
    assert type(caught.value) is error, f"{type(caught.value).__name__}: {message}"
    assert message.strip()
    assert "\n" not in message, message
    assert not re.search(r"[⟨⟩]|(?<!\S)--\w", message), f"in the syntax of the shell: {message}"
    assert [word for word in fragments if word not in message] == [], message
    return caught.value


def evaluate(metrics: Any, data: Any = DATA, **options: Any) -> Callable[[], Any]:
    return lambda: sqlmetrics.evaluate(data, metrics, **options)


# Data that are missing or unreadable


def test_evaluate_rejects_unreadable_files_and_unknown_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    impressions = DATA  # the engine would resolve this variable by its name
    impressions.to_parquet("whole.parquet")
    content = Path("whole.parquet").read_bytes()
    for number, text in enumerate([b"", b"PAR1" + b"\0" * 100 + b"PAR1", content[: len(content) // 2], content[:-1]]):
        Path(f"broken{number}.parquet").write_bytes(text)
        assert_rejected(BadData, evaluate("auc", f"broken{number}.parquet", **ROLES), f"broken{number}.parquet")
    # This file has a valid footer, but its values are unreadable.
    rows = "select range % 2 as click, random() as pctr from range(50000)"
    duckdb.sql(f"copy ({rows}) to 'values.parquet' (format parquet, compression zstd)")
    content = Path("values.parquet").read_bytes()
    Path("values.parquet").write_bytes(content[:4] + b"\xff" * 1996 + content[2000:])
    Path("day.parquet").mkdir()
    Path("log").write_text("click,pctr\n1,0.5\n")
    for error, data, fragments in [
        *((BadData, name, [name]) for name in ("missing.parquet", "no/folder/x.json.gz", "no*.parquet")),
        (BadData, tmp_path / "missing.csv", ["missing.csv"]), (BadData, ["missing.csv"], ["missing.csv"]),
        (BadData, tmp_path / "day.parquet", ["day.parquet", "folder"]), (QueryFailed, "values.parquet", []),
        (BadData, "impressions", ["impressions"]), (QueryFailed, "select * from impressions", ["impressions"]),
        (BadData, "log.xlsx", ["log.xlsx", ".parquet"]), (BadParameter, ["a.csv", "b.parquet"], ["one format"]),
        (BadData, str(tmp_path / "log"), ["unknown format", ".parquet"]),
    ]:  # fmt: skip
        assert_rejected(error, evaluate("auc", data, **ROLES), *fragments)
    with duckdb.connect() as con:
        for data, fragments in (("missing.csv", ["missing.csv"]), ("impresions", ["impresions", "table of con"])):
            assert_rejected(BadData, evaluate("auc", data, con=con, **ROLES), *fragments)


def test_forms_of_roles_and_queries() -> None:
    """`column` and `sql` correspond to {'column': …} and {'sql': …} in dbt."""
    plain = evaluate("auc", **ROLES)()
    assert evaluate("auc", label={"column": "click"}, score={"sql": "pctr"})().equals(plain)
    for begin, end in (("(", ")"), ("-- the log\n", ""), ("/* the\nlog */ ", ""), ("( -- the log\n  ", "\n)")):
        query = f"{begin}values (1, 0.5){end}"
        assert sqlmetrics.copc(query, label="col0", score="col1")["copc"].tolist() == [2.0]


def test_wrong_functions_and_calls_suggest_the_right_call() -> None:
    for name, metric in (("roc_auc_score", "'auc'"), ("ndcgg", "'ndcg'"), ("_auc", None), ("zzz", None)):
        with pytest.raises(AttributeError, match=f"^module 'sqlmetrics' has no attribute {name!r}") as caught:
            getattr(sqlmetrics, name)
        assert ("did you mean" in str(caught.value)) == bool(metric)
        assert (metric or "") in str(caught.value)
    message = r"write sqlmetrics\.auc\(data, label=…, score=…\), with the names of columns"
    for arguments, options in (([[1, 0], [0.5, 0.2]], {}), ([], {"y_true": [1, 0], "y_score": [0.2, 0.3]})):
        with pytest.raises(TypeError, match=message):
            sqlmetrics.auc(*arguments, **options)


# Columns and roles


@pytest.mark.parametrize("role", ["label", "weight", "by"])
def test_evaluate_rejects_missing_columns(role: str) -> None:
    call = evaluate("auc", **{**ROLES, role: "clik"})
    error = assert_rejected(MissingColumn, call, role, "'clik'", *DATA.columns, "did you mean 'click'")
    assert error.available == list(DATA.columns)  # type: ignore[attr-defined]


def test_error_suggests_an_expression_for_numbers_as_text(tmp_path: Path) -> None:
    """The suggested expression converts the numbers, from a file and from categories; NA becomes NULL."""
    frame = pd.DataFrame({"y": [1.5, 2.25, 3.5], "p": ["0.1", "NA", "0.4"], 'my "p"': ["0.1", "NA", "0.4"]})
    expected = mean_absolute_error([1.5, 3.5], [0.1, 0.4])
    path = tmp_path / "log.csv"
    frame.to_csv(path, index=False)
    categories = frame.astype({"p": "category"})
    for data, name in ((path, 'my "p"'), (categories, "p")):
        message = "'NA' is not a number"
        error = assert_rejected(BadData, evaluate("mae", data, label="y", score=name), "score: ", repr(name), message)
        [literal] = re.findall(r'score=("(?:[^"\\]|\\.)*")', str(error))
        result = quiet(evaluate("mae", data, label="y", score=ast.literal_eval(literal)))
        assert result["mae"][0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("text", ["50%", "0,5", "1,000", "2024-05-01", "5 USD", "low"])
def test_error_names_the_first_text_that_is_not_a_number(text: str) -> None:
    data = pd.DataFrame({"y": 1.0, "p": ["0.5", text]})
    assert_rejected(BadData, evaluate("mae", data, label="y", score="p"), f"{text!r} is not a number")


#: Calls with missing, unused, contradictory or mistyped roles, and words of the error.
INVALID_ROLES: list[tuple[Any, dict[str, Any], list[str]]] = [
    ("auc", {"score": "pctr"}, ["auc needs label", "positives"]), ("auc", {"label": "click"}, ["auc needs score"]),
    ("ndcg", {"label": "click", "group": "user"}, ["ndcg needs score", "rank"]),
    ("concordance_index", ROLES, ["concordance_index needs duration: time to the event"]),
    ("ndcg(ties='key')", RANKED, ["ndcg", "tie_key"]), ("auc", RANKED, ["group", "not used by", "auc"]),
    ("ndcg", {**RANKED, "weight": "w"}, ["weight", "not used by", "ndcg"]), ("mae", {**ROLES, **COUNTS}, ["positives"]),
    ("auc", {**COUNTS, "label": "click"}, ["label", "positives", "not both"]),
    ("auc", {"positives": "clicks", "score": "pctr"}, ["positives", "total"]),
    ("ndcg", {**RANKED, "rank": "w"}, ["score", "rank"]),
    *(("auc", {**ROLES, "label": value}, ["label", message]) for value, message in [
        (7, "not 7"), (True, "not True"), (["click"], "not ['click']"), ({"column": 7}, "not 7"),
        ({"columns": "click"}, "as a dict")]),
    *(("auc", {**ROLES, role: value}, [role]) for role, value in [
        ("label", ""), ("score", "  "), ("by", ""), ("label", "="), ("score", "= "), ("by", "="), ("by", "a\0b")]),
    ("auc", {**ROLES, "label": b"click"}, ["must be a column name", "bytes"]),
    ("auc", {**ROLES, "by": pd.DataFrame({"a": [9]})}, ["by must be", "DataFrame"]),
    *((value, ROLES, ["metrics", message]) for value, message in [
        (b"click", "bytes"), ([b"click"], "bytes"), (pd.DataFrame({"a": [9]}), "DataFrame"), ([object()], "object")]),
    *(("auc", {**ROLES, "where": value}, ["where"]) for value in ("  ", 7, ["click = 1"], True)),
    *(("auc", {**ROLES, "min_rows": value}, ["min_rows", repr(value)]) for value in (-1, 1.5, "2", True)),
    *(("auc", {**ROLES, "threads": value}, ["threads", repr(value)]) for value in (0, 1.5, True, "two", 10**9)),
    ("auc", {**ROLES, "memory_limit": "much"}, ["'2GB'", "'much'"]),
    ("auc", {**ROLES, "con": duckdb.connect(), "threads": 1}, ["connection"]),
    ("auc", {**ROLES, "by": ["device", "device"]}, ["by", "twice"]),
    ("auc", {**ROLES, "by": ["device", "DEVICE = user"]}, ["by", "DEVICE"]),
    ("auc", {**ROLES, "by": ["device", ["user"]]}, ["by", "mixture"]),
    *(("auc", {**ROLES, "by": value}, ["by"]) for value in (7, [None], {"device": 1}, [["device", 7]])),
    ("n = auc", ROLES, ["'n'"]), ("auc", {**ROLES, "by": "AUC = device"}, ["'AUC'", "my_"]),
    ("auc", {**ROLES, "by": "sqlmetrics_x = device"}, ["sqlmetrics_x"]),
    ("auc", {"label": "click", "score": ["pctr", "w"], "by": "model = device"}, ["'model'"]),
    (["roc_curve", "auc"], ROLES, ["roc_curve", "in a call of its own"]),
    ("roc_curve", {**ROLES, "diagnostics": True}, ["diagnostics", "roc_curve"]),
]  # fmt: skip
#: A metric, the column to change, its values, further options, and words of the error.
INVALID_VALUES: list[tuple[str, str, list[Any], dict[str, Any], list[str]]] = [
    ("auc", "click", [0, 1, 2.5, 3.5], ROLES, ["label", "'click'", "2 rows", ".5"]),
    ("auc", "click", [0, 1, 1, 0], {"by": "device", "label": "= click * 2", "score": "pctr"}, ["click * 2", "2 rows"]),
    ("auc", "click", [0, 1, INF, 1], ROLES, ["label", "'click'", "inf"]),
    *((metric, "pctr", [0.1, value, 0.2, 0.3], ROLES, ["score", "'pctr'", "1 row ", "[0, 1]", str(value)[:4]])
      for metric, value in [("log_loss", -0.25), ("pcoc", 1.0000001), ("ece", INF), ("calibration_curve", -INF)]),
    *((metric, "w", [1, value, 1, 1], {**roles, "weight": "w"}, ["weight", "'w'", "1 row ", str(value)])
      for metric, value, roles in [("auc", -1.0, ROLES), ("mae", INF, ROLES), ("group_auc", -1.0, RANKED),
                                   ("macro_f1", INF, {"label": "user", "prediction": "device"})]),
    ("ndcg", "w", [1, -1, 1, 1], {**RANKED, "group_weight": "w"}, ["group_weight", "'w'", "-1"]),
    ("auc", "views", [1, 1, 1, 4], COUNTS, ["total", "'views'", "1 row ", "1"]),
    ("auc", "clicks", [-1, 1, 1, 1], COUNTS, ["positives", "'clicks'", "-1"]),
    ("rmse", "pctr", [0, -INF, 1, 1], ROLES, ["'pctr'", "1 row ", "infinite"]),
    ("dcg", "click", [0, -1, 1, 1], RANKED, ["label", "'click'", "negative", "-1"]),
    ("ndcg", "click", [0, 2000.0, 1, 1], RANKED, ["label", "'click'", "1 row ", "above 1000"]),
]  # fmt: skip
#: Specifications of metrics, and words of the error.
INVALID_SPECS: list[tuple[Any, list[str]]] = [
    ("gini(k=3)", ["gini", "'k'", "none"]), ("ndcg(kay=3)", ["ndcg", "'kay'", "gain"]),
    ("ndcg(gains='exp')", ["ndcg", "did you mean 'gain'"]),
    ("ndcg(gain='square')", ["ndcg: gain", "'exp'", "'linear'", "'square'"]), ("ndcg(gain=1)", ["ndcg: gain", "1"]),
    ("ndcg(gain=None)", ["ndcg: gain", "None"]), ("ndcg(gain=['exp'])", ["ndcg: gain", "exp"]),
    ("ndcg(k=0)", ["ndcg: k", ">= 1", "0"]), ("ndcg(k=1.5)", ["ndcg: k", "whole number"]),
    ("ndcg(k=True)", ["ndcg: k", "True"]), ("ndcg@ten", ["ndcg: k", "'ten'"]),
    ("ndcg@3(k=3)", ["k twice"]), ("auc@10", ["auc", "no k"]), ("f1(threshold='high')", ["f1: threshold", "'high'"]),
    ("precision_at_k", ["precision_at_k: k must be given"]), ("log_loss(eps=0.75)", ["log_loss: eps", "0.75"]),
    ("ndcg(3)", ["ndcg(3)"]), ("ndcg(k=3", ["ndcg(k=3"]), ("ndcg(k=open('x'))", ["ndcg(k=open"]),
    ("ndcg(k=3, k=4)", ["k=3, k=4"]), ("ndcg(**{'k': 3})", ["**"]), ("ndcg k 3", ["ndcg k 3"]), ("= auc", ["= auc"]),
    ("my name = auc", ["my name"]), (7, ["7"]), (None, ["at least one"]),
    ([None], ["not None"]), ([["auc"]], ["not ['auc']"]), ({"k": 3}, ["'name'"]), ({"name": 7}, ["'name'"]),
    ({"name": "auc", "as": 7}, ["as"]), ({"name": "auc", "as": ""}, ["as"]), ({"name": "auc", 7: 7}, ["7"]),
    ([], ["at least one"]), ("", ["at least one"]), (",", ["at least one"]),
    *((specs, ["two metrics would be called"]) for specs in [
        ["auc", "auc"], "auc, AUC = auc", ["ndcg@3", "ndcg(k=3, gain='linear')"], ["x = auc", "x = copc"],
        ["confusion_matrix", "tp = auc"]]),
]  # fmt: skip
#: Error classes, metrics, data, options, and fragments of the message.
INVALID_CALLS: list[tuple[type[SqlMetricsError], Any, Any, dict[str, Any], list[str]]] = [
    *((BadParameter, metrics, DATA, options, fragments) for metrics, options, fragments in INVALID_ROLES),
    *((BadParameter, spec, DATA, RANKED, fragments) for spec, fragments in INVALID_SPECS),
    *((BadData, metric, DATA.assign(**{column: values}), options, fragments)
      for metric, column, values, options, fragments in INVALID_VALUES),
    *((UnknownMetric, spec, DATA, ROLES, fragments) for spec, fragments in [
        ("acu", ["'acu'", "did you mean 'auc'"]), ("NDCG", ["'NDCG'", "did you mean 'ndcg'"]), ("xyzzy", ["'xyzzy'"]),
        ("xyzzy@10", ["'xyzzy'"]), ({"name": "xyzzy"}, ["'xyzzy'"]), (["auc", "xyzzy"], ["'xyzzy'"])]),
    *((BadParameter, "auc", data, ROLES, ["data"]) for data in (None, 7, 1.5, {"click": [1]}, [1, 2])),
    *((BadData, "auc", data, ROLES, ["data: "]) for data in ([], "", "   ")),
    (BadData, "auc", pd.DataFrame(), ROLES, ["the DataFrame has no columns"]),
    *((BadParameter, "auc", data, ROLES, ["write pandas.DataFrame(…) around it"])
      for data in (DATA.to_dict("list"), DATA.to_records(index=False))),
    *((BadData, metric, DATA, {**roles, role: "device"}, [role, "'device'", "VARCHAR", "number"])
      for metric, roles, role in [("auc", ROLES, "label"), ("auc", ROLES, "score"), ("auc", COUNTS, "total"),
                                  ("concordance_index", ROLES, "duration")]),
    (BadData, "auc", DATA.assign(w=[True, False] * 2), {**ROLES, "score": "w"}, ["score", "'w'", "BOOLEAN"]),
    (MissingColumn, "auc", DATA, {"label": "click", "score": ["pctr", "pctr_b"]}, ["score", "pctr_b"]),
    (MissingColumn, "auc", pd.DataFrame({f"c{number}": [1.0] for number in range(1_060)}), ROLES,
     ["c0, c1", "c49 and 1,010 more"]),
    (QueryFailed, "auc", DATA, {"label": "click", "score": "= cast(device as double)"}, ["'phone'"]),
    *((BadParameter, {"name": "crps", "quantiles": quantiles}, DATA, {"label": "pctr"},
       ["quantiles must be a dict of levels between 0 and 1"])
      for quantiles in [{}, {0: "w"}, {"x": "w"}, {"0.1": "w", 0.1: "pctr"}, {0.2: 3}, {True: "w"}, {math.nan: "w"}]),
    (MissingColumn, {"name": "crps", "quantiles": {0.1: "ww"}}, DATA, {"label": "pctr"},
     ["quantiles: there is no column 'ww'"]),
    (BadData, {"name": "crps", "quantiles": {0.1: "w"}}, DATA.assign(w=[-INF, 0, 0, 0]), {"label": "pctr"},
     ["quantiles (column 'w'): 1 row where the value is infinite"]),
    (BadData, "interval_coverage", DATA, {"label": "pctr", "lower_bound": "clicks", "upper_bound": "w"},
     ["upper_bound (column 'w'): 2 rows where the value is below lower_bound"]),
    *((BadData, "interval_score(alpha=0.5)", DATA.assign(w=0.0, views=5.0).assign(**{column: [1, end, 1, 1]}),
       {"label": "pctr", "lower_bound": "w", "upper_bound": "views"},
       [f"(column '{column}'): 1 row where the value is infinite"])
      for column, end in (("w", -INF), ("views", INF))),
    (BadData, "krippendorff_alpha(level='ratio')", DATA.assign(w=[-2, 2, 1, 1]), {"label": "w", "group": "user"},
     ["label (column 'w'): 1 row where the value is negative (a ratio scale"]),
    (BadParameter, "recall, selection_rate", DATA, COUNTS, ["does not support positives and total; request it"]),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(INVALID_CALLS)))
def test_evaluate_rejects_invalid_calls(number: int) -> None:
    error, metrics, data, options, fragments = INVALID_CALLS[number]
    assert_rejected(error, evaluate(metrics, data, **options), *fragments)


def test_other_functions_reject_invalid_calls() -> None:
    for error, metrics, options, fragments in [
        (UnknownMetric, "acu", {}, ["'acu'"]), (BadParameter, "auc", {"relation": " "}, ["relation"]),
        (BadParameter, "auc", {"dialect": "oracle"}, ["dialect", "'oracle'", "duckdb"]),
        (BadParameter, "auc", {"shape": "square"}, ["shape", "'square'"]), (BadParameter, "auc", RANKED, ["group"]),
    ]:  # fmt: skip
        arguments: dict[str, Any] = {"relation": "t", **ROLES, **options}
        assert_rejected(error, lambda m=metrics, a=arguments: sqlmetrics.render(m, **a), *fragments)  # type: ignore[misc]
    error = assert_rejected(QueryFailed, evaluate("auc", where="clik = 1", **ROLES), "clik")
    assert "clik = 1" in error.sql  # type: ignore[attr-defined]


ANYTHING: list[Any] = [
    None, 5, -1, 0.5, float("nan"), 10**400, 1j, True, "", " ", "\0", "\ud800", "'", '"', "$$", "{{ 7 }}", "a" * 5000,
    b"x", object(), print, int, range(3), [], [None], [[]], {}, {"a": 1}, {1: 2}, (), {"x"}, np.array([1, 2]),
    pd.Series([1]), pd.DataFrame({"y": [0, 1], "s": [0.1, 0.2]}), datetime.date(2024, 1, 1), Decimal(1),
]  # fmt: skip


@pytest.mark.parametrize("name", ["register", "column", "sql", *slow("evaluate")])
def test_arguments_of_any_type_raise_our_errors_only(name: str) -> None:
    function = getattr(sqlmetrics, name)
    valid: dict[str, Any] = {"data": DATA, "metrics": "auc", **ROLES} if name == "evaluate" else {}
    for argument, value in itertools.product(inspect.signature(function).parameters, ANYTHING):
        arguments = {**valid, argument: value}
        data = [arguments.pop("data")] if valid else []
        message = ""
        try:
            quiet(lambda data=data, arguments=arguments: function(*data, **arguments))
        except SqlMetricsError as error:
            message = str(error)
        assert "\n" not in message, (argument, value)


# Tracebacks

NOWHERE = "no_such_column"
FAILING: dict[str, Callable[[], Any]] = {
    "evaluate": lambda: sqlmetrics.evaluate(DATA, "auc", label="= nothing(click)", score="pctr"),
    "PostgreSQL": lambda: sqlmetrics.engines.PostgreSQL("no connection"),
    "DBAPI": lambda: sqlmetrics.engines.DBAPI("no connection", "postgres"),
    "Chart.save": lambda: sqlmetrics.plot(sqlmetrics.auc(DATA, **ROLES)).save("auc.txt"),
    "Report.save": lambda: sqlmetrics.report(DATA, **ROLES).save("auc.txt"),
}


def assert_ends_at_this_file(call: Callable[[], Any]) -> None:
    with pytest.raises(SqlMetricsError) as caught:
        call()
    trace = traceback.TracebackException.from_exception(caught.value)
    assert trace.__cause__ is None
    assert trace.__context__ is None or "During handling" not in "".join(trace.format())
    *callers, last = [frame.filename for frame in trace.stack]
    assert ({*callers}, last) == ({__file__}, sqlmetrics.errors.__file__), trace


@pytest.mark.parametrize("name", [*[*FAILING][:-1], *slow("Report.save")])
def test_traceback_ends_at_the_caller(name: str) -> None:
    assert_ends_at_this_file(FAILING[name])


@pytest.mark.slow
def test_traceback_of_every_function_ends_at_the_caller(write: Callable[..., Path]) -> None:
    sqlmetrics.register(write("mine", text=scaffold("mine", "rows")))
    functions = {name for name in sqlmetrics.__all__ if not name[0].isupper()}
    for name in {*functions, "mine"} - {"column", "engines", "metrics", "sql"}:
        function = getattr(sqlmetrics, name)
        parameters = inspect.signature(function).parameters.values()
        required = [entry for entry in parameters if entry.default is entry.empty and entry.kind != entry.VAR_KEYWORD]
        named = {entry.name: NOWHERE for entry in required if entry.kind is entry.KEYWORD_ONLY}
        positional = [NOWHERE] * (len(required) - len(named))
        assert_ends_at_this_file(lambda f=function, p=positional, n=named: f(*p, **n))  # type: ignore[misc]


def test_whole_traceback_by_environment_and_for_errors_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("SQLMETRICS_TRACEBACK", "1")
        with pytest.raises(QueryFailed) as caught:
            FAILING["evaluate"]()
        text = "".join(traceback.format_exception(caught.value))
        assert "evaluate.py" in text
        assert "CatalogException" in text
    monkeypatch.setattr(sqlmetrics.planning.planner, "metric_specs", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError) as internal:
        FAILING["evaluate"]()
    assert "planner.py" in "".join(traceback.format_exception(internal.value))


# Values


def test_values_are_validated_only_where_the_metric_needs_it() -> None:
    """AUC accepts any score, linear gains any grade, interval scales negative ratings, and coverage open intervals."""
    for metric, column, values, roles in [
        ("auc", "pctr", [0.1, -0.25, 0.2, INF], ROLES), ("ndcg(gain='linear')", "click", [0, 2000.0, 1, 1], RANKED),
        ("log_loss(eps=1e-300)", "pctr", [0.0, 1.0, 0.0, 1.0], ROLES),
        ("krippendorff_alpha(level='interval')", "w", [-2, 2, 1, 1], {"label": "w", "group": "user"}),
        ("interval_coverage", "w", [-INF, 0, 0, 0], {"label": "pctr", "lower_bound": "w", "upper_bound": "views"}),
    ]:  # fmt: skip
        assert -1 <= evaluate(metric, DATA.assign(**{column: values}), **roles)().iloc[0, -1] < 1000


def test_subtopic_metrics_reject_contradictory_items() -> None:
    """An item has one rank in its list and one grade per subtopic."""
    rows = {"q": [1, 1, 1], "i": ["a", "a", "b"], "t": ["x", "y", "x"], "y": [1, 0, 1], "s": [2, 2, 1], "d": [1, 1, 2]}
    roles = {"label": "y", "score": "s", "group": "q", "item": "i", "subtopic": "t", "tie_key": "d"}
    for column, values, message in [
        ("s", [3, 2, 1], r"score has two values for one item in a group.*for example a"),
        ("d", ["x", "y", "z"], r"tie_key has two values for one item in a group.*for example a"),
        ("t", ["x", "x", "y"], r"data holds one item twice for one subtopic of a group.*for example a"),
        ("y", [1, 2, 0], r"label \(column 'y'\): 1 row where the value is above max_label=1 of err_ia"),
    ]:
        with pytest.raises(BadData, match=message):
            sqlmetrics.err_ia(pd.DataFrame({**rows, column: values}), **roles)


# Injection


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection whose table must not change."""
    tables = "select count(*) from information_schema.tables"
    with duckdb.connect() as connection:
        connection.execute("create table t as select * from (values (0, 0.1, 'x'), (1, 0.9, 'y')) as v(click, pctr, d)")
        yield connection
        assert connection.execute("select count(*), sum(click) from t").fetchall() == [(2, 1)]
        assert connection.execute(tables).fetchall() == [(1,)]


#: Expressions and queries that would end the statement or change data.
INVALID_SQL = [
    "1 = 1); drop table t; --", "1 = 1 --", "1 = '", "1 = 1 /*", "click = 1) ; create table u as select 1; select (1",
    ")", "true) union all select 1 from t; drop table t --", "select * frm x", "with x as (select 1) delete from x",
    "1 = 1; drop table t", "drop table t", "select 1; drop table t", "from nowhere ",
]  # fmt: skip


@pytest.mark.parametrize("text", quick_every(3, INVALID_SQL), ids=repr)
def test_expressions_and_queries_cannot_end_the_statement(text: str, con: duckdb.DuckDBPyConnection) -> None:
    for options in ({"where": text}, {"by": f"x = {text}"}, {"label": f"= {text}"}, {"data": text}):
        call = evaluate("auc", con=con, **{"data": "t", **ROLES, **options})
        if text == "1 = 1 --" and "data" not in options:  # a comment is valid SQL and ends at the line break
            assert len(call())
        else:
            with pytest.raises(SqlMetricsError, match=r"^[^\n]*$"):
                call()


def test_line_breaks_of_the_caller_are_preserved(tmp_path: Path) -> None:
    """The SQL is indented; names, strings, queries and paths are unchanged."""
    odd = DATA.assign(device=["a\nb", "a\nb", "a\n    b", "c"])
    assert sqlmetrics.evaluate(odd, "auc", by="x = device = 'a\nb'", **ROLES)["n"].tolist() == [2, 2]
    path = tmp_path / "two\nlines.parquet"
    odd.to_parquet(path)
    assert sqlmetrics.evaluate(f"select *\n-- all\nfrom '{path}' where device = 'a\nb'", "copc", **ROLES)["n"][0] == 2


# Metric files of users

METRIC_FILE = """{#-
title: Share of positives
formula: positives / rows
frame: rows
label_type: binary
score: number
lower: 0
upper: 1
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
SCALE = "{type: number, default: 1, doc: what the share is multiplied with}"
BODY = "{{ m.scale }} * {{ sqlmetrics.safe_divide('sum(pos)', 'sum(pos + neg)') }}"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Write a metric file with one text replaced; metrics that a test registers are removed after it."""
    monkeypatch.setattr("sqlmetrics.catalogue.registry._registered", None)

    def file(name: str, old: str = "", new: str = "", text: str = METRIC_FILE) -> Path:
        assert old in text
        path = tmp_path / f"{name}.sql"
        path.write_text((text.replace(old, new) if old else text).replace("NAME", name), encoding="utf-8")
        return path

    return file


def register(path: Path) -> Callable[[], Any]:
    return lambda: sqlmetrics.register(path)


def test_register_adds_a_metric(write: Callable[..., Path]) -> None:
    assert sqlmetrics.register(write("share")) == ["share"]
    assert sqlmetrics.evaluate(DATA, "share(scale=2)", **ROLES)["share"][0] == 1.0
    assert "share" in set(sqlmetrics.metrics()["name"])
    assert "share" not in builtin_catalogue().metrics
    without = METRIC_FILE.replace("default: 1", "default: null")
    sqlmetrics.register(write("required", text=without))
    sqlmetrics.register(write("optional", "{{ m.scale }}", "{{ 1 if m.scale is none else m.scale }}", text=without))
    sqlmetrics.register(write("marked", text="\ufeff" + METRIC_FILE))  # a byte order mark
    result = sqlmetrics.evaluate(DATA, "required(scale=2), optional, marked", **ROLES)
    assert result.iloc[0, 1:].tolist() == [1.0, 0.5, 0.5]


def test_first_versions_of_metrics_compute_their_examples(write: Callable[..., Path]) -> None:
    for frame in FRAMES:
        [name] = sqlmetrics.register(write(f"mine_{frame}", text=scaffold(f"mine_{frame}", frame)))
        metric = catalogue().metrics[name]
        example = example_of(metric)
        roles = {role: role for role in example.roles}
        result = sqlmetrics.evaluate(pd.DataFrame(example.data), metric.example.get("call", name), **roles)
        assert result[example.column].item() == pytest.approx(metric.example["result"], abs=1e-4), frame


#: Lines after `frame: rows`, and words of the error.
INVALID_LINES = {
    "colour: red": ["unknown", "colour"], "roles: {position: required}": ["position", "propensities"],
    "table: 1": ["table", "1"], "notes: [a]": ["notes", "['a']"], "columns: x": ["columns", "'x'"],
    "order: {a: b}": ["order", "'a'"], "uses: totals": ["uses", "'totals'"],
    "uses: [tottals]": ["uses", "'tottals'", "did you mean 'totals'"], "names: sklearn": ["names", "'sklearn'"],
    "companions: [a]": ["companions", "['a']"], "companions: {scale: a}": ["companions", "'a'"],
    "companions: {size: [a]}": ["'size'", "not declared"], "group_columns: {size=7: [a]}": ["'size'", "not declared"],
    "needs: {scale=7: won}": ["needs", "'won'"], "needs: {scale=7: [cost]}": ["no role", "'cost'", "won, reward"],
    "roles: [item]": ["roles", "['item']"], "roles: {item: always}": ["'item'", "'always'"],
    "roles: {cost: required}": ["no role", "'cost'", "won, reward"], "relations: catalog": ["relations", "'catalog'"],
    "relations: [items]": ["no relation", "'items'", "catalog, similarity"],
    "computed: {a: b}": ["computed", "'a'", "'b'"], "computed: {a: {by: scale, roles: [cost]}}": ["no role", "'cost'"],
    "rules: {column: score}": ["rules", "list"], "rules: [{column: score}]": ["rules", "keeps"],
    "rules: [{column: cost, keeps: cost > 0, message: is not above 0}]": ["rules", "'cost'", "score"],
}  # fmt: skip
#: A text of the metric file, its replacement, and words of the error.
INVALID_METRIC_FILES = [
    *(("frame: rows", f"frame: rows\n{line}", fragments) for line, fragments in INVALID_LINES.items()),
    ("label_type: binary", "no_weight: rows are counted", ["no_weight", "no role weight"]),
    ("oracle: by hand\n", "", ["missing", "oracle"]), ("frame: rows", "frame: columns", ["no frame", "columns"]),
    ("label_type: binary", "label_type: ternary", ["label_type"]), ("score: number", "score: letter", ["score"]),
    ("{{ m.scale }}", "{{ m.scale * m.size }}", ["'size'", "used but not declared"]),
    ("{{ m.scale }} *", "", ["'scale'", "declared but not used"]), (SCALE, "{type: number, default: 1}", ["doc"]),
    ("type: number, default: 1", "type: text, default: 1", ["'scale'"]),
    ("type: number, default: 1", "type: number", ["'scale'", "default"]),
    ("type: number, default: 1", "type: number, default: 1, colour: red", ["'scale'", "colour"]),
    ("title: Share of positives", "title: Share: of: positives", ["YAML"]),
    ("title: Share of positives", "title: 7", ["title", "7"]),
    ("NAME__value", "other__value", ["share__value"]), ("NAME__value", "NAME__values", ["share__value"]),
    ("NAME__value(m)", "NAME__value()", ["too few arguments", "share__value(m)"]),
    ("NAME__value(m)", "NAME__query( m )", ["too few arguments", "share__query(m, rows_from, keys)"]),
    ("{%- endmacro -%}", "{%- endmacro -%}{%- macro helper() -%}1{%- endmacro -%}", ["helper"]),
    ("{#-\ntitle", "{#-\nname", ["title"]), ("parameters:", "parameters: 7\nother:", []),
    *((f"parameters:\n  scale: {SCALE}", f"parameters: {parameters}", []) for parameters in [
        "[scale]", "{scale: 7}", "{scale: {type: integer, default: 1.5, doc: x}}",
        "{scale: {choices: [a, b], default: c, doc: x}}", "{7: {type: number, default: 1, doc: x}}"]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "fragments"), INVALID_METRIC_FILES)
def test_register_rejects_invalid_metric_files(
    old: str, new: str, fragments: list[str], write: Callable[..., Path]
) -> None:
    assert_rejected(BadMetricFile, register(write("share", old, new)), "share.sql", *fragments)
    assert "share" not in set(sqlmetrics.metrics()["name"])


def test_register_rejects_invalid_names_and_files(write: Callable[..., Path], tmp_path: Path) -> None:
    assert_rejected(BadMetricFile, register(write("auc")), "'auc'")
    for name in ("Share", "two words"):
        assert_rejected(BadMetricFile, register(write(name)), f"{name}.sql")
    assert_rejected(BadMetricFile, register(tmp_path / "nothing.sql"), "nothing.sql")
    (tmp_path / "empty").mkdir()
    assert_rejected(BadMetricFile, register(tmp_path / "empty"), "empty")
    undecodable = tmp_path / "latin.sql"
    undecodable.write_bytes(b"{#-\ntitle: \xff\xfe\n-#}")
    assert_rejected(BadMetricFile, register(undecodable), "latin.sql", "UTF-8")


@pytest.mark.slow
def test_register_rejects_reserved_parameter_names(write: Callable[..., Path]) -> None:
    """The names of arguments, dict attributes and Python keywords are reserved; any other name works."""
    arguments = [*ALL_ROLES, *RELATIONS, *(argument.name for argument in arguments_of("metric"))]
    reserved = {*arguments, *(name for name in dir(dict) if not name.startswith("_")), *keyword.kwlist}
    for name in sorted(name for name in reserved if name.islower()):
        assert_rejected(BadMetricFile, register(write(f"with_{name}", "scale", name)), f"'{name}'")
    for name in ("n", "k", "metric", "metrics", "slices", "model", "self", "function", "given", "value", "select"):
        [metric] = sqlmetrics.register(write(f"with_{name}", "scale", name))
        assert getattr(sqlmetrics, metric)(DATA, **ROLES)[metric][0] == 0.5
    for metric in builtin_catalogue().metrics.values():
        assert not reserved & set(metric.parameters), metric.name


@pytest.mark.slow
def test_names_of_internal_columns_are_rejected(write: Callable[..., Path]) -> None:
    options: dict[str, Any] = {**ROLES, "score": ["pctr", "w"], "by": [[], ["device"]], "diagnostics": True}
    for name in ("n", "model", "grouping", "bucket_left_out", "replicate", "rows_read", "sqlmetrics_x", "bucket"):
        assert_rejected(BadParameter, lambda name=name: scaffold(name, "rows"), repr(name))  # type: ignore[misc]
        sqlmetrics.register(write(name))
        with pytest.raises(BadParameter):  # as in a call of that metric
            sqlmetrics.evaluate(DATA, name, **options)


#: Files of a catalogue: two dialects and a frame.
CATALOGUE_FILES = {
    "dialects/one.sql": "{#-\ntitle: One\n-#}\n", "dialects/two.sql": "{#-\ntitle: Two\nparent: one\n-#}\n",
    "frames/sums.sql": "{#-\ntitle: sums\nrows: one per slice\ncolumns: pos, row_count\nunit: group\nslices: columns\n"
                       "-#}\n{%- macro sums(f, rows_from, keys) -%}\n{%- endmacro -%}\n",
}  # fmt: skip


def test_names_used_by_templates_are_reserved() -> None:
    """A parameter of such a name would replace a value that a template of the package reads."""
    catalogue = builtin_catalogue()
    used = set()
    for path in set(catalogue.macros.values()) - {metric.path for metric in catalogue.metrics.values()}:
        used |= set(_PARAMETER_USE.findall(path.read_text(encoding="utf-8")))
    shared = {name for frame in catalogue.frames.values() for name in (*frame.parameters, *frame.metric_parameters)}
    parameters = {name for metric in catalogue.metrics.values() for name in metric.parameters}
    assert used - shared - parameters <= _RESERVED_NAMES


@pytest.mark.parametrize(("file", "old", "new", "fragments"), [
    ("frames/sums.sql", "columns: pos, row_count\n", "", ["missing", "columns"]),
    ("frames/sums.sql", "unit:", "units:", ["unknown", "units"]),
    ("frames/sums.sql", "macro sums(", "macro sum(", ["no macro sums"]),
    ("frames/sums.sql", "group", "user", ["unit", "row or group", "'user'"]),
    ("dialects/two.sql", "title", "name", ["title"]), ("dialects/two.sql", "parent", "parents", ["unknown", "parents"]),
    *(("dialects/two.sql", "one", other, ["parent", "one", f"'{other}'"]) for other in ("two", "three")),
])  # fmt: skip
def test_catalogue_rejects_invalid_frames_and_dialects(
    file: str, old: str, new: str, fragments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqlmetrics.catalogue.dialects.sql_root", lambda: tmp_path)
    folder, is_frame = tmp_path / "macros" / Path(file).parent, file.startswith("frames")
    folder.mkdir(parents=True)
    for name, text in CATALOGUE_FILES.items():
        if name.startswith(folder.name):
            (folder / Path(name).name).write_text(text, encoding="utf-8")
    read = (lambda: Catalogue(tmp_path).frames) if is_frame else dialects.__wrapped__  # without the cache
    assert sorted(read()) == (["sums"] if is_frame else ["one", "two"])
    (tmp_path / "macros" / file).write_text(CATALOGUE_FILES[file].replace(old, new), encoding="utf-8")
    assert_rejected(BadMetricFile, read, Path(file).name, *fragments)


#: Templates that try to leave their sandbox, or fail.
BODIES = [
    "{{ ''.__class__.__mro__ }}", "{{ sqlmetrics.__class__.__init__.__globals__ }}", "{{ sqlmetrics._catalogue }}",
    "{{ adapter.dispatch.__func__.__globals__['os'] }}", "{{ m|attr('__class__') }}", "{{ ''['__class__'] }}",
    "{{ cycler.__init__.__globals__.os.popen('true').read() }}", "{{ self.__init__.__globals__ }}",
    "{{ range(10 ** 9) | list }}", "{% include '/etc/passwd' %}", "{% import 'os' as os %}{{ os }}",
    "{{ undefined_thing.x }}", "{{ 1 / 0 }}", "{{ sqlmetrics.no_such_macro() }}", "{{ sqlmetrics.safe_divide() }}",
    "{% if %}", "{{", "{{ adapter.dispatch('no_such', 'sqlmetrics')() }}",
    "{% macro NAME__f() %}{{ NAME__f() }}{% endmacro %}{{ NAME__f() }}",
]  # fmt: skip
#: A text of the metric file, its replacement, and fragments of the message of a call.
INVALID_TEMPLATES: list[tuple[str, str, list[str]]] = [
    *(("{{ m.scale }} *", "{{ m.scale }} * " + body + " *", []) for body in BODIES),
    *((BODY, f"{aggregate} {{# m.scale #}}", ["must be a number"]) for aggregate in [
        "'text'", "[sum(pos)]", "current_date", "interval 1 day", "struct_pack(a := sum(pos))", "'a'::blob", "[]"]),
    ("default: 1", "default: null", ["scale is none here"]),  # SQL would read `None` as a column
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "fragments"), quick_every(9, INVALID_TEMPLATES))
def test_evaluate_rejects_invalid_templates(
    old: str, new: str, fragments: list[str], write: Callable[..., Path], con: duckdb.DuckDBPyConnection
) -> None:
    path = write("share", old, new)
    call = evaluate("share", "t", con=con, **ROLES)
    assert_rejected(BadMetricFile, lambda: (sqlmetrics.register(path), call()), "share.sql", *fragments)


def test_templates_cannot_add_a_statement(write: Callable[..., Path], con: duckdb.DuckDBPyConnection) -> None:
    sqlmetrics.register(write("share", "{{ m.scale }} *", "{{ m.scale }} from t; drop table t; select"))
    with pytest.raises(SqlMetricsError):
        sqlmetrics.evaluate("t", "share", con=con, **ROLES)
