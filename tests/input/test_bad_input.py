"""Invalid input raises one error of the right class, in one line that names the input; never another exception."""

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
    errors,
)
from sqlmetrics.arguments import arguments_of
from sqlmetrics.authoring.scaffold import scaffold
from sqlmetrics.catalogue.dialects import dialects
from sqlmetrics.catalogue.metric_file import _KEYS, _PARAMETER_USE, _RESERVED_NAMES
from sqlmetrics.catalogue.registry import Catalogue, builtin_catalogue
from sqlmetrics.catalogue.vocabulary import RELATIONS
from sqlmetrics.catalogue.vocabulary import ROLES as ALL_ROLES
from sqlmetrics.cli.main import main
from sqlmetrics.errors import printable
from sqlmetrics.rendering.macros import render_macro
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


def assert_rejected(error: type[SqlMetricsError], call: Callable[[], Any], *words: str) -> SqlMetricsError:
    """The call raises exactly this error, in one line with these words and no syntax of the shell."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 — the class is checked below
        call()
    message = str(caught.value)
    assert type(caught.value) is error, f"{type(caught.value).__name__}: {message}"
    assert message.strip()
    assert "\n" not in message, message
    assert not re.search(r"[⟨⟩]|(?<!\S)--\w", message), f"in the syntax of the shell: {message}"
    assert [word for word in words if word not in message] == [], message
    return caught.value


def evaluate(metrics: Any, data: Any = DATA, **options: Any) -> Callable[[], Any]:
    return lambda: sqlmetrics.evaluate(data, metrics, **options)


# Data that are missing or unreadable


def test_evaluate_rejects_unreadable_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as con:
        for name in ("missing.parquet", "missing.csv", "missing.json.gz", "no/such/folder/x.parquet"):
            for data, connection in ((name, None), (name, con), (tmp_path / name, con), ([tmp_path / name], None)):
                assert_rejected(BadData, evaluate("auc", data, con=connection, **ROLES), name)
    assert_rejected(BadData, evaluate("auc", str(tmp_path / "*.parquet"), **ROLES), "*.parquet")
    assert_rejected(BadData, evaluate("auc", tmp_path, **ROLES), str(tmp_path), "folder")
    (tmp_path / "day.parquet").mkdir()
    assert_rejected(BadData, evaluate("auc", tmp_path / "day.parquet", **ROLES), "day.parquet", "folder")
    whole, path = tmp_path / "whole.parquet", tmp_path / "broken.parquet"
    DATA.to_parquet(whole)
    content = whole.read_bytes()
    truncated = [content[: len(content) // 2], content[:-1]]
    for garbage in (b"", b"PAR1", b"no parquet at all", b"PAR1" + b"\0" * 100 + b"PAR1", *truncated):
        path.write_bytes(garbage)
        assert_rejected(BadData, evaluate("auc", path, **ROLES), "broken.parquet")
    # The columns of this file can be listed, its values cannot be read.
    rows = "select range % 2 as click, random() as pctr from range(50000)"
    duckdb.sql(f"copy ({rows}) to '{path}' (format parquet, compression zstd)")
    content = path.read_bytes()
    path.write_bytes(content[:4] + b"\xff" * 1996 + content[2000:])
    assert_rejected(QueryFailed, evaluate("auc", path, **ROLES))


def test_evaluate_rejects_unknown_tables_and_formats(tmp_path: Path) -> None:
    impressions = DATA  # the engine would find this variable under its name
    assert len(impressions)
    (tmp_path / "log").write_text("click,pctr\n1,0.5\n")
    for error, data, words in [
        (BadData, "impressions", ["impressions"]), (QueryFailed, "select * from impressions", ["impressions"]),
        (BadData, "log.xlsx", ["log.xlsx", ".parquet"]), (BadParameter, ["a.csv", "b.parquet"], ["one format"]),
        (BadData, str(tmp_path / "log"), ["cannot tell the format", ".parquet"]),
        (BadData, str(tmp_path / "logs"), ["logs", ".parquet"]),
    ]:  # fmt: skip
        assert_rejected(error, evaluate("auc", data, **ROLES), *words)
    with duckdb.connect() as con:
        assert_rejected(BadData, evaluate("auc", "impresions", con=con, **ROLES), "impresions", "table of con")


def test_forms_of_roles_and_queries() -> None:
    """dbt writes {'column': …} and {'sql': …} for what `column` and `sql` return."""
    plain = evaluate("auc", **ROLES)()
    assert evaluate("auc", label={"column": "click"}, score={"sql": "pctr"})().equals(plain)
    query = "select 1 as y, 0.5 as p"
    for begin, end in (("(", ")"), ("-- the log\n", ""), ("/* the\nlog */ ", ""), ("( -- the log\n  ", "\n)")):
        assert sqlmetrics.copc(begin + query + end, label="y", score="p")["copc"].tolist() == [2.0]
    assert sqlmetrics.copc("values (1, 0.5)", label="col0", score="col1")["copc"].tolist() == [2.0]


def test_wrong_functions_and_calls_suggest_the_right_one() -> None:
    for name, metric in (("roc_auc_score", "'auc'"), ("ndcgg", "'ndcg'"), ("_auc", None), ("zzz", None)):
        with pytest.raises(AttributeError, match=f"^module 'sqlmetrics' has no attribute {name!r}") as caught:
            getattr(sqlmetrics, name)
        assert ("did you mean" in str(caught.value)) == bool(metric)
        assert (metric or "") in str(caught.value)
    words = r"write sqlmetrics\.auc\(data, label=…, score=…\), with the names of columns"
    for arguments, options in (([[1, 0], [0.5, 0.2]], {}), ([], {"y_true": [1, 0], "y_score": [0.2, 0.3]})):
        with pytest.raises(TypeError, match=words):
            sqlmetrics.auc(*arguments, **options)


# Columns and roles


@pytest.mark.parametrize("role", ["label", "score", "weight", "by"])
def test_evaluate_rejects_missing_columns(role: str) -> None:
    call = evaluate("auc", **{**ROLES, role: "clik"})
    error = assert_rejected(MissingColumn, call, role, "'clik'", *DATA.columns, "did you mean 'click'")
    assert error.available == list(DATA.columns)  # type: ignore[attr-defined]


#: Numbers in a notation that the engine does not read: the texts of a column, and their values.
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


@pytest.mark.parametrize("notation", quick_every(5, WRITTEN_NUMBERS))
def test_error_suggests_an_expression_for_numbers_as_text(notation: str, tmp_path: Path) -> None:
    """The suggested expression yields the numbers, from a file, a frame and categories."""
    texts, numbers = WRITTEN_NUMBERS[notation]
    known = [row for row, number in enumerate(numbers) if number is not None]
    first = next(row for row, text in enumerate(texts) if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text))
    frame = pd.DataFrame({"y": [1.5, 2.25, 3.5, 1000.0], "p": texts, 'my "p"': texts})
    expected = mean_absolute_error(frame["y"].iloc[known], [numbers[row] for row in known])
    path = tmp_path / "log.csv"
    frame.to_csv(path, index=False)
    for data, name, line in (
        (path, "p", f" in line {first + 2}"), (path, 'my "p"', f" in line {first + 2}"),
        (frame, 'my "p"', ""), (frame.astype({"p": "category"}), "p", ""),
    ):  # fmt: skip
        words = printable(f"{texts[first]!r}{line} is not a number")
        error = assert_rejected(BadData, evaluate("mae", data, label="y", score=name), "score: ", repr(name), words)
        [literal] = re.findall(r'score=("(?:[^"\\]|\\.)*")', str(error))
        result = quiet(evaluate("mae", data, label="y", score=ast.literal_eval(literal)))
        assert result["mae"][0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "texts",
    [["50%", "0.5"], ["2024-05-01", "7"], ["1,2,3", "4"], ["1.234,5", "0.25"], ["5 USD", "7"], ["low", "high"],
     ["a", "b", "c", "d", "e", "f", "0.5"]],
)  # fmt: skip
def test_error_suggests_nothing_for_ambiguous_numbers(texts: list[str]) -> None:
    data = pd.DataFrame({"y": 1.0, "p": texts})
    error = assert_rejected(BadData, evaluate("mae", data, label="y", score="p"), f"{texts[0]!r} is not a number")
    assert "cast" not in str(error)


@pytest.mark.parametrize(
    "count", [4, *slow(50_000)]
)  # within the sample from which the engine infers types, and beyond it
def test_try_cast_drops_rows_that_are_no_numbers(count: int, tmp_path: Path) -> None:
    """DuckDB 2 reads a column as numbers where it is cast, and fails at a text."""
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["y,p", *(f"{row % 2},{row % 7}" for row in range(count)), "1,NA", ""]))
    result = quiet(evaluate("mae", path, label="y", score="= try_cast(p as double)"))
    expected = mean_absolute_error(*zip(*((row % 2, row % 7) for row in range(count)), strict=True))
    assert result["mae"][0] == pytest.approx(expected, rel=1e-12)
    assert_rejected(BadData, evaluate("mae", path, label="y", score="p"), f"'NA' in line {count + 2} ")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("y,n,p\n1,a,0.5\n\n0,b,NA\n", "'NA' in line 4 is"),
        ("y,n,p\r\n1,a,0.5\r\n0,b,NA\r\n", "'NA' in line 3 is"),
        ('y,n,p\n1,"a\nb",0.5\n0,b,NA\n', "; 'NA' is"),  # a quoted value continues on the next line
        ("y,n,p\n1,NA,0.5\n0,b,NA\n", "'NA' in line 3 is"),
    ],
)
def test_error_names_the_line_of_a_text(content: str, words: str, tmp_path: Path) -> None:
    path, compressed, other = tmp_path / "log.csv", tmp_path / "log.csv.gz", tmp_path / "other.csv"
    path.write_bytes(content.encode())
    compressed.write_bytes(gzip.compress(content.encode()))
    other.write_text("y,n,p\n1,a,0.5\n")
    hint = r"""label="= cast(nullif(p, 'NA')"""
    for data in (path, compressed):
        assert_rejected(BadData, evaluate("mae", data, label="y", score="p"), words)
    assert_rejected(BadData, evaluate("mae", path, label="p", score="y"), words, hint)
    words = words.replace(" is", f" of {path} is") if "line" in words else words
    assert_rejected(BadData, evaluate("mae", [other, path], label="y", score="p"), words)
    query = f"select y, p as p from '{path}' -- the log"
    assert_rejected(BadData, evaluate("mae", query, label="p", score="y"), "; 'NA' is not a number; ", hint)


#: Calls with roles that are missing, meaningless, contradictory or of a wrong type, and words of the error.
INVALID_ROLES: list[tuple[Any, dict[str, Any], list[str]]] = [
    ("auc", {"score": "pctr"}, ["auc needs label", "positives"]),
    ("auc", {"label": "click"}, ["auc needs score"]),
    ("accuracy", {"label": "click"}, ["accuracy needs score", "prediction"]),
    ("gauc", ROLES, ["gauc needs group"]),
    (["auc", "gauc"], ROLES, ["gauc needs group"]),
    ("ndcg", ROLES, ["ndcg needs group"]),
    ("ndcg", {"label": "click", "group": "user"}, ["ndcg needs score", "rank"]),
    ("macro_f1", {"label": "click"}, ["macro_f1 needs prediction"]),
    ("concordance_index", ROLES, ["concordance_index needs duration: how long until"]),
    ("ndcg(ties='key')", RANKED, ["ndcg", "tie_key"]),
    ("auc", RANKED, ["group", "no meaning", "auc"]),
    ("ndcg", {**RANKED, "weight": "w"}, ["weight", "no meaning", "ndcg"]),
    ("mae", {**ROLES, **COUNTS}, ["positives"]),
    ("auc", {**ROLES, "tie_key": "user"}, ["tie_key", "no meaning"]),
    ("auc", {"rank": "w", "label": "click"}, ["rank", "no meaning"]),
    ("auc", {**COUNTS, "label": "click"}, ["label", "positives", "not both"]),
    ("auc", {**COUNTS, "weight": "w"}, ["weight", "positives", "not both"]),
    ("auc", {"positives": "clicks", "score": "pctr"}, ["positives", "total"]),
    ("auc", {"total": "views", "score": "pctr"}, ["positives", "total"]),
    ("ndcg", {**RANKED, "rank": "w"}, ["score", "rank"]),
    *(("auc", {**ROLES, "label": value}, ["label", words]) for value, words in [
        (7, "not 7"), (1.5, "not 1.5"), (True, "not True"), (["click"], "not ['click']"), ({"column": 7}, "not 7"),
        ({"columns": "click"}, "as a dict"),
    ]),
    *(("auc", {**ROLES, role: value}, [role])
      for role in ("label", "score", "by") for value in ("", "  ", "=", "= ", "a\0b")),
    *(("auc", {**ROLES, role: value}, [words, type(part).__name__])
      for part in (b"click", pd.DataFrame({"a": [9]}), object())
      for role, value, words in [("label", part, "must be a column name"), ("score", [part], "must be a column name"),
                                 ("by", [part], "by must be")]),
    *((value, ROLES, ["metrics", type(part).__name__])
      for part in (b"click", pd.DataFrame({"a": [9]}), object()) for value in (part, [part])),
    *(("auc", {**ROLES, "where": value}, ["where"]) for value in ("", "  ", 7, ["click = 1"], True)),
    *(("auc", {**ROLES, "min_rows": value}, ["min_rows", repr(value)]) for value in (-1, 1.5, "2", True)),
    *(("auc", {**ROLES, "threads": value}, ["threads", repr(value)]) for value in (0, -1, 1.5, True, "two", 10**9)),
    ("auc", {**ROLES, "memory_limit": "much"}, ["'2GB'", "'much'"]),
    ("auc", {**ROLES, "con": duckdb.connect(), "threads": 1}, ["connection"]),
    ("auc", {**ROLES, "by": ["device", "device"]}, ["by", "twice"]),
    ("auc", {**ROLES, "by": ["device", "DEVICE = user"]}, ["by", "DEVICE"]),
    ("auc", {**ROLES, "by": ["device", ["user"]]}, ["by", "mixture"]),
    ("auc", {**ROLES, "by": [["device"], ["device"]]}, ["by", "twice"]),
    *(("auc", {**ROLES, "by": value}, ["by"]) for value in (7, [7], [None], {"device": 1}, [["device", 7]])),
    ("n = auc", ROLES, ["'n'"]),
    ("auc", {**ROLES, "by": "AUC = device"}, ["'AUC'"]),
    ("auc", {**ROLES, "by": "auc = device"}, ["'auc'", "my_"]),
    ("auc", {**ROLES, "by": "n = device"}, ["'n'", "my_"]),
    ("auc", {**ROLES, "by": "sqlmetrics_x = device"}, ["sqlmetrics_x"]),
    ("auc", {**ROLES, "by": [["grouping = device"], []]}, ["'grouping'"]),
    ("auc", {"label": "click", "score": ["pctr", "w"], "by": "model = device"}, ["'model'"]),
    ("gauc", {**RANKED, "by": "groups = device", "diagnostics": True}, ["'groups'"]),
    (["roc_curve", "auc"], ROLES, ["roc_curve", "alone"]),
    ("auc, roc_curve", ROLES, ["alone"]),
    (["roc_curve", "calibration_curve"], ROLES, ["alone"]),
    ("roc_curve", {**ROLES, "diagnostics": True}, ["diagnostics", "roc_curve"]),
]  # fmt: skip
#: A metric, the column that changes, its values, further options, and words of the error.
INVALID_VALUES: list[tuple[str, str, list[Any], dict[str, Any], list[str]]] = [
    ("auc", "click", [0, 1, 2.5, 3.5], ROLES, ["label", "'click'", "2 rows", ".5"]),
    ("auc", "click", [0, 1, 0.5, 1], ROLES, ["'click'", "1 row ", "0.5"]),
    ("auc", "click", [0.0, 1, -1, 1], ROLES, ["'click'", "-1"]),
    ("gauc", "click", [0, 1, 2, 1], RANKED, ["'click'", "1 row ", "2"]),
    ("roc_curve", "click", [0, 1, 2, 1], ROLES, ["'click'", "1 row ", "2"]),
    ("auc", "click", [0, 1, 1, 0], {"by": "device", "label": "= click * 2", "score": "pctr"}, ["click * 2", "2 rows"]),
    *((metric, "click", [0, 1, INF, 1], ROLES, ["label", "'click'", "inf"]) for metric in ("auc", "copc", "mae")),
    *((metric, "pctr", [0.1, value, 0.2, 0.3], ROLES, ["score", "'pctr'", "1 row ", "[0, 1]", str(value)[:4]])
      for metric in ("log_loss", "copc", "pcoc", "ece", "calibration_curve")
      for value in (-0.25, 1.5, 1.0000001, INF, -INF)),
    ("copc", "w", [0.1, 7.0, 0.2, 0.3], {"label": "click", "score": ["pctr", "w"]}, ["score", "'w'", "7.0"]),
    *((metric, "w", [1, value, 1, 1], {**roles, "weight": "w"}, ["weight", "'w'", "1 row ", str(value)])
      for value in (-1.0, INF) for metric, roles in [
          *((metric, ROLES) for metric in ("auc", "accuracy", "copc", "mae")), ("group_auc", RANKED),
          ("macro_f1", {"label": "user", "prediction": "device"})]),
    ("ndcg", "w", [1, -1, 1, 1], {**RANKED, "group_weight": "w"}, ["group_weight", "'w'", "-1"]),
    ("auc", "views", [1, 1, 1, 4], COUNTS, ["total", "'views'", "1 row ", "1"]),
    ("auc", "clicks", [-1, 1, 1, 1], COUNTS, ["positives", "'clicks'", "-1"]),
    ("auc", "views", [1, 1, 2, INF], COUNTS, ["total", "'views'", "inf"]),
    *((metric, column, [0, -INF, 1, 1], ROLES, [f"'{column}'", "1 row ", "infinite"])
      for metric in ("mae", "rmse") for column in ("click", "pctr")),
    *((metric, "click", [0, -1, 1, 1], RANKED, ["label", "'click'", "negative", "-1"])
      for metric in ("ndcg", "dcg", "map", "mrr", "precision@1", "recall@1")),
    ("ndcg", "click", [0, INF, 1, 1], RANKED, ["label", "'click'", "inf"]),
    *((metric, "click", [0, 2000.0, 1, 1], RANKED, ["label", "'click'", "1 row ", "above 1000"])
      for metric in ("ndcg", "dcg", "err(max_label=3000)")),
]  # fmt: skip
#: Specifications of metrics with words of the error.
INVALID_SPECS: list[tuple[Any, list[str]]] = [
    ("gini(k=3)", ["gini", "'k'", "none"]), ("ndcg(kay=3)", ["ndcg", "'kay'", "gain"]),
    ("ndcg(gains='exp')", ["ndcg", "did you mean 'gain'"]),
    ("ndcg(gain='square')", ["ndcg: gain", "'exp'", "'linear'", "'square'"]), ("ndcg(gain=1)", ["ndcg: gain", "1"]),
    ("ndcg(gain=None)", ["ndcg: gain", "None"]), ("ndcg(gain=['exp'])", ["ndcg: gain", "exp"]),
    ("ndcg(k=0)", ["ndcg: k", ">= 1", "0"]), ("ndcg(k=-1)", ["ndcg: k"]), ("ndcg(k=1.5)", ["ndcg: k", "whole number"]),
    ("ndcg(k='ten')", ["ndcg: k", "'ten'"]), ("ndcg(k=True)", ["ndcg: k", "True"]), ("ndcg@ten", ["ndcg: k", "'ten'"]),
    ("ndcg@0", ["ndcg: k"]), ("ndcg(k=1e400)", ["ndcg: k"]), ("ndcg@3(k=3)", ["k twice"]), ("auc@10", ["auc", "no k"]),
    ("precision_at_k", ["precision_at_k: k must be given"]), ("log_loss(eps=0.75)", ["log_loss: eps", "0.75"]),
    ("f1(zero_division=2)", ["f1: zero_division", "2"]), ("f1(threshold='high')", ["f1: threshold", "'high'"]),
    ("ece(bins=0)", ["ece: bins"]), ("map(ties='average')", ["map: ties", "'average'"]), ("ndcg(3)", ["ndcg(3)"]),
    ("ndcg(k=)", ["ndcg(k=)"]), ("ndcg(k=3", ["ndcg(k=3"]), ("ndcg(k=open('x'))", ["ndcg(k=open"]),
    ("ndcg(k=3, k=4)", ["k=3, k=4"]), ("ndcg(**{'k': 3})", ["**"]), ("ndcg k 3", ["ndcg k 3"]), ("= auc", ["= auc"]),
    ("my name = auc", ["my name"]), ("1st = auc", ["1st"]), (7, ["7"]), (None, ["at least one"]),
    ([None], ["not None"]), ([["auc"]], ["not ['auc']"]), ({"k": 3}, ["'name'"]), ({"name": 7}, ["'name'"]),
    ({"name": "auc", "as": 7}, ["as"]), ({"name": "auc", "as": ""}, ["as"]), ({"name": "auc", 7: 7}, ["7"]),
    ([], ["at least one"]), ("", ["at least one"]), (",", ["at least one"]),
    *((specs, ["two metrics would be called"]) for specs in [
        ["auc", "auc"], "auc, AUC = auc", ["ndcg@3", "ndcg(k=3, gain='linear')"], ["x = auc", "x = copc"],
        ["confusion_matrix", "tp = auc"]]),
]  # fmt: skip
#: Error classes, metrics, data, options and words of the error.
INVALID_CALLS: list[tuple[type[SqlMetricsError], Any, Any, dict[str, Any], list[str]]] = [
    *((BadParameter, metrics, DATA, options, words) for metrics, options, words in INVALID_ROLES),
    *((BadParameter, spec, DATA, RANKED, words) for spec, words in INVALID_SPECS),
    *((BadData, metric, DATA.assign(**{column: values}), options, words)
      for metric, column, values, options, words in INVALID_VALUES),
    *((UnknownMetric, spec, DATA, ROLES, words) for spec, words in [
        ("acu", ["'acu'", "did you mean 'auc'"]), ("NDCG", ["'NDCG'", "did you mean 'ndcg'"]), ("xyzzy", ["'xyzzy'"]),
        ("xyzzy@10", ["'xyzzy'"]), ({"name": "xyzzy"}, ["'xyzzy'"]), (["auc", "xyzzy"], ["'xyzzy'"])]),
    *((BadParameter, "auc", data, ROLES, ["data"]) for data in (None, 7, 1.5, {"click": [1]}, [1, 2])),
    *((BadData, "auc", data, ROLES, ["data: "]) for data in ([], "", "   ")),
    (BadData, "auc", pd.DataFrame(), ROLES, ["the DataFrame has no columns"]),
    *((BadParameter, "auc", data, ROLES, ["write pandas.DataFrame(…) around it"])
      for data in (DATA.to_dict("list"), DATA.to_dict("records"), DATA.to_records(index=False))),
    *((BadParameter, "auc", DATA.rename(columns={"device": name}), {**ROLES, "by": name}, [f"'{name}'", "my_"])
      for name in ("auc", "n")),
    *((BadData, metric, DATA, {**roles, role: "device"}, [role, "'device'", "VARCHAR", "number"])
      for metric, roles, role in [("auc", ROLES, "label"), ("auc", ROLES, "score"), ("auc", ROLES, "weight"),
                                  ("mae", ROLES, "label"), ("ndcg", RANKED, "score"), ("auc", COUNTS, "total"),
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
    (BadParameter, "recall, selection_rate", DATA, COUNTS, ["takes no positives and total, and would count as one"]),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(INVALID_CALLS)))
def test_evaluate_rejects_invalid_calls(number: int) -> None:
    error, metrics, data, options, words = INVALID_CALLS[number]
    assert_rejected(error, evaluate(metrics, data, **options), *words)


def test_other_functions_reject_invalid_calls() -> None:
    def render(metrics: Any, **options: Any) -> Callable[[], Any]:
        return lambda: sqlmetrics.render(metrics, **{"relation": "t", **ROLES, **options})

    assert_rejected(UnknownMetric, render("acu"), "'acu'")
    for options, words in [
        ({"relation": " "}, ["relation"]), ({"dialect": "oracle"}, ["dialect", "'oracle'", "duckdb"]),
        ({"shape": "square"}, ["shape", "'square'"]), ({"group": "user"}, ["group"]),
    ]:  # fmt: skip
        assert_rejected(BadParameter, render("auc", **options), *words)
    words = "takes no positives and total, and would count as one row"
    with pytest.raises(BadParameter, match=words):
        sqlmetrics.gaps(DATA, "demographic_parity, equal_opportunity", **COUNTS, by="device")
    error = assert_rejected(QueryFailed, evaluate("auc", where="clik = 1", **ROLES), "clik")
    assert "clik = 1" in error.sql  # type: ignore[attr-defined]


ANYTHING: list[Any] = [
    None, 5, -1, 0.5, float("nan"), 10**400, 1j, True, "", " ", "\0", "\ud800", "'", '"', "$$", "{{ 7 }}", "a" * 5000,
    b"x", object(), print, int, range(3), [], [None], [[]], {}, {"a": 1}, {1: 2}, (), {"x"}, np.array([1, 2]),
    pd.Series([1]), pd.DataFrame({"y": [0, 1], "s": [0.1, 0.2]}), datetime.date(2024, 1, 1), Decimal(1),
]  # fmt: skip
#: Functions with valid arguments, and the functions that already test arguments of the same name.
CALLED: dict[str, tuple[Callable[..., Any], dict[str, Any], list[Callable[..., Any]]]] = {
    "render": (sqlmetrics.render, {"metrics": "auc", "relation": "t", **ROLES}, []),
    "evaluate": (sqlmetrics.evaluate, {"data": DATA, "metrics": "auc", **ROLES}, [sqlmetrics.render]),
    "per_group": (
        sqlmetrics.per_group, {"data": DATA, "metrics": "ndcg@2", **RANKED}, [sqlmetrics.render, sqlmetrics.evaluate]
    ),
    "ndcg": (sqlmetrics.ndcg, {"data": DATA, **RANKED}, [sqlmetrics.render, sqlmetrics.evaluate]),
    "register": (sqlmetrics.register, {}, []),
    "column": (sqlmetrics.column, {}, []),
    "sql": (sqlmetrics.sql, {}, []),
}  # fmt: skip


@pytest.mark.parametrize("name", ["register", "column", "sql", *slow("render", "evaluate", "per_group", "ndcg")])
def test_arguments_of_any_type_raise_our_errors_only(name: str) -> None:
    function, valid, others = CALLED[name]
    tested = {parameter for other in others for parameter in inspect.signature(other).parameters}
    for argument in [parameter for parameter in inspect.signature(function).parameters if parameter not in tested]:
        for value in ANYTHING:
            arguments = {**valid, argument: value}
            data = [arguments.pop("data")] if "data" in arguments else []
            message = ""
            try:
                quiet(lambda data=data, arguments=arguments: function(*data, **arguments))
            except SqlMetricsError as error:
                message = str(error)
            except Exception as error:
                raise AssertionError(f"{argument}={value!r}: {type(error).__name__}: {error}") from error
            assert "\n" not in message, (argument, value)


# Tracebacks

NOWHERE = "no_such_column"
#: A failing call of each public function.
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


def failing_metric(name: str) -> Callable[[], Any]:
    parameters = inspect.signature(getattr(sqlmetrics, name)).parameters.values()
    required = {p.name: NOWHERE for p in parameters if p.default is p.empty and p.name != "data"}
    return lambda: getattr(sqlmetrics, name)(DATA, **required, where=" ")


def ends_at_this_file(call: Callable[[], Any]) -> bool:
    with pytest.raises(SqlMetricsError) as caught:
        call()
    trace = traceback.TracebackException.from_exception(caught.value)
    assert trace.__cause__ is None
    assert trace.__context__ is None or "During handling" not in "".join(trace.format())
    *callers, last = [frame.filename for frame in trace.stack]
    return set(callers) == {__file__} and last == errors.__file__


@pytest.mark.parametrize("name", [name if name != "Report.save" else slow(name)[0] for name in FAILING])
def test_traceback_ends_at_the_caller(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ends_at_this_file(FAILING[name])


@pytest.mark.slow
def test_traceback_of_every_metric_ends_at_the_caller(tmp_path: Path) -> None:
    public = {name for name in sqlmetrics.__all__ if not name[0].isupper()} - builtin_catalogue().metrics.keys()
    assert public - {"column", "engines", "metrics", "sql"} == {name for name in FAILING if "." not in name}
    path = tmp_path / "mine.sql"
    path.write_text(scaffold("mine", "rows"), encoding="utf-8")
    sqlmetrics.register(path)
    metrics = [*builtin_catalogue().metrics, "mine"]
    assert [name for name in metrics if not ends_at_this_file(failing_metric(name))] == []


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


def test_values_are_validated_only_where_the_metric_needs_it() -> None:
    """Scores of AUC and linear gains have no bound, and ratings of an interval scale may be negative."""
    for value in (-0.25, 1.5, INF, -INF):
        assert 0 <= sqlmetrics.auc(DATA.assign(pctr=[0.1, value, 0.2, 0.3]), **ROLES)["auc"][0] <= 1
    assert sqlmetrics.ndcg(DATA.assign(click=[0, 2000.0, 1, 1]), gain="linear", **RANKED)["ndcg"][0] <= 1
    data = DATA.assign(pctr=[0.0, 1.0, 0.0, 1.0], w=[-2, 2, 1, 1])
    assert 0 < sqlmetrics.evaluate(data, "log_loss(eps=1e-300)", **ROLES)["log_loss"][0] < INF
    assert_rejected(BadParameter, evaluate("log_loss(eps=0)", data, **ROLES), "log_loss: eps")
    assert sqlmetrics.krippendorff_alpha(data, label="w", group="user", level="interval").iloc[0, -1] < 1
    assert sqlmetrics.selection_rate(DATA, score="pctr", weight="views")["selection_rate"].item() == 1 / 8


def test_bounds_and_quantiles_of_forecasts() -> None:
    """A missing bound is not above the other; a quantile may be above the next; an interval may be open."""
    rows = pd.DataFrame({"y": [1.0, 2.0, 3.0], "low": [0.5, math.nan, None], "high": [2.0, 1.0, 4.0]})
    roles = {"label": "y", "lower_bound": "low", "upper_bound": "high"}
    with pytest.warns(sqlmetrics.DroppedRows, match=r"lower_bound \(column 'low'\) in 2 rows"):
        result = sqlmetrics.evaluate(rows, "interval_coverage, interval_score(alpha=0.5)", **roles)
    assert result.iloc[0].tolist() == [1, 1.0, 1.5]
    open_ended = rows.assign(low=[-INF, 0.0, 0.0], high=[0.5, INF, 4.0])
    assert sqlmetrics.interval_coverage(open_ended, **roles)["interval_coverage"].item() == pytest.approx(2 / 3)
    crps = sqlmetrics.crps(rows.assign(low=[0.5, 0.0, 0.0]), label="y", quantiles={0.1: "high", 0.9: "low"})
    assert crps["crps"].item() == pytest.approx((0.9 * (1 + 1) + 0.1 * 1 + 0.9 * (0.5 + 2 + 3)) / 3)


def test_subtopic_metrics_reject_contradictory_items() -> None:
    """An item has one rank in its list and one grade per subtopic."""
    rows = {"q": [1, 1, 1], "i": ["a", "a", "b"], "t": ["x", "y", "x"], "y": [1, 0, 1], "s": [2, 2, 1], "d": [1, 1, 2]}
    roles = {"label": "y", "score": "s", "group": "q", "item": "i", "subtopic": "t", "tie_key": "d"}
    assert sqlmetrics.err_ia(pd.DataFrame(rows), **roles)["err_ia"].item() == pytest.approx(0.5 + 0.5 / 4)
    for column, values, words in [
        ("s", [3, 2, 1], r"score has two values for one item in a group.*for example a"),
        ("d", ["x", "y", "z"], r"tie_key has two values for one item in a group.*for example a"),
        ("t", ["x", "x", "y"], r"data holds one item twice for one subtopic of a group.*for example a"),
        ("y", [1, 2, 0], r"label \(column 'y'\): 1 row where the value is above max_label=1 of err_ia"),
    ]:
        with pytest.raises(BadData, match=words):
            sqlmetrics.err_ia(pd.DataFrame({**rows, column: values}), **roles)
    # For a metric without subtopics a row is an item.
    with pytest.raises(BadData, match=r"data holds one item twice in a group.*for example a"):
        sqlmetrics.evaluate(pd.DataFrame(rows), ["err_ia", "mrr"], **roles)
    with pytest.raises(BadParameter, match="err_ia needs subtopic: aspect of the query"):
        sqlmetrics.err_ia(pd.DataFrame(rows), **{**roles, "subtopic": None})


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


ATTACKS = [
    'x" from t; drop table t; --', "x' ; drop table t; --", "1; drop table t", "*/ drop table t; /*",
    "x\n; drop table t; --", "x\r\n; drop table t --", "-- \n drop table t;", "{{ 7 * 7 }}", "{% raw %}",
    "$$; drop table t; $$", "\u2028; drop table t",
]  # fmt: skip


@pytest.mark.parametrize("text", quick_every(4, ATTACKS), ids=repr)
def test_names_are_not_executed(text: str, con: duckdb.DuckDBPyConnection) -> None:
    """As a missing column, an existing one, the name of a metric or of a result."""
    column = sqlmetrics.column(text)
    for roles in ({"label": column, "score": "pctr"}, {**ROLES, "by": column}):
        with pytest.raises(MissingColumn):
            sqlmetrics.evaluate("t", "auc", con=con, **roles)
    for metric in (text, f"auc({text}=1)"):
        with pytest.raises(SqlMetricsError):
            sqlmetrics.evaluate("t", metric, con=con, **ROLES)
    named = sqlmetrics.evaluate("t", {"name": "auc", "as": text}, con=con, **ROLES)
    assert named.columns[-1] == text
    assert named[text][0] == 1
    odd = {name: DATA.rename(columns={name: text}) for name in ("click", "device", "pctr")}
    assert sqlmetrics.evaluate(odd["click"], "auc", label=column, score="pctr", con=con)["auc"][0] == 1
    assert len(sqlmetrics.evaluate(odd["device"], "auc", by=[[], [column]], con=con, **ROLES)) == 3
    models = sqlmetrics.evaluate(odd["pctr"], "auc", label="click", score=[column, "w"], con=con)
    assert models["model"].tolist() == [text, "w"]


@pytest.mark.parametrize(
    "text",
    ["1 = 1; drop table t", "1 = 1); drop table t; --", "true) union all select 1 from t; drop table t --",
     "click = 1) ; create table u as select 1; select (1", "1 = 1 /*", "1 = 1 --", "1 = '", '1 = "', ")", "(",
     "drop table t", "select", "select * frm x", "select 1; drop table t", "with x as (select 1) delete from x",
     "from nowhere "],
    ids=repr,
)  # fmt: skip
def test_expressions_and_queries_cannot_end_the_statement(text: str, con: duckdb.DuckDBPyConnection) -> None:
    for options in ({"where": text}, {"by": f"x = {text}"}, {"label": f"= {text}"}, {"data": text}):
        call = evaluate("auc", con=con, **{"data": "t", **ROLES, **options})
        if text == "1 = 1 --" and "data" not in options:  # a comment is valid SQL, and ends with its line
            assert len(call())
        else:
            with pytest.raises(SqlMetricsError, match=r"^[^\n]*$"):
                call()


def test_line_breaks_of_the_caller_are_preserved(tmp_path: Path) -> None:
    """The SQL is indented; names, strings, queries and paths are not."""
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


# Metric files of users

METRIC_FILE = """{#-
title: Share of positives
formula: positives / rows
frame: rows
truth: binary
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
    """Write a metric file with a text replaced; metrics that a test registers are removed after it."""
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


#: Lines after `frame: rows`, with words of the error.
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
    "rules: [{column: cost, keeps: cost > 0, words: is not above 0}]": ["rules", "'cost'", "score"],
}  # fmt: skip
#: A text of the metric file, its replacement, and words of the error.
INVALID_METRIC_FILES = [
    *(("frame: rows", f"frame: rows\n{line}", words) for line, words in INVALID_LINES.items()),
    ("truth: binary", "no_weight: rows are counted", ["no_weight", "no role weight"]),
    ("oracle: by hand\n", "", ["missing", "oracle"]), ("frame: rows", "frame: columns", ["no frame", "columns"]),
    ("truth: binary", "truth: ternary", ["truth"]), ("score: number", "score: letter", ["score"]),
    ("{{ m.scale }}", "{{ m.scale * m.size }}", ["'size'", "used but not declared"]),
    ("{{ m.scale }} *", "", ["'scale'", "declared but not used"]), (SCALE, "{type: number, default: 1}", ["doc"]),
    ("type: number, default: 1", "type: text, default: 1", ["'scale'"]),
    ("type: number, default: 1", "type: number", ["'scale'", "default"]),
    ("type: number, default: 1", "type: number, default: 1, colour: red", ["'scale'", "colour"]),
    ("title: Share of positives", "title: Share: of: positives", ["YAML"]),
    ("title: Share of positives", "title: [", ["YAML"]), ("title: Share of positives", "title: 7", ["title", "7"]),
    ("NAME__value", "other__value", ["share__value"]), ("NAME__value", "NAME__values", ["share__value"]),
    ("NAME__value(m)", "NAME__value()", ["too little", "share__value(m)"]),
    ("NAME__value(m)", "NAME__query( m )", ["too little", "share__query(m, rows_from, keys)"]),
    ("{%- endmacro -%}", "{%- endmacro -%}{%- macro helper() -%}1{%- endmacro -%}", ["helper"]),
    ("{#-\ntitle", "{#-\nname", ["title"]), ("parameters:", "parameters: 7\nother:", []),
    *((f"parameters:\n  scale: {SCALE}", f"parameters: {parameters}", []) for parameters in [
        "[scale]", "{scale: 7}", "{scale: frame}", "text", "{scale: {type: number, default: one, doc: x}}",
        "{scale: {choices: [a, b], default: c, doc: x}}", "{scale: {type: integer, default: 1.5, doc: x}}",
        "{scale: [worst]}", "{7: {type: number, default: 1, doc: x}}"]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "words"), INVALID_METRIC_FILES)
def test_register_rejects_invalid_metric_files(
    old: str, new: str, words: list[str], write: Callable[..., Path]
) -> None:
    assert_rejected(BadMetricFile, register(write("share", old, new)), "share.sql", *words)
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


#: Values of YAML that a key may hold in place of a valid one.
ODD_VALUES = [
    "", "~", "3", "-1.5", "true", ".nan", ".inf", "x", "''", "it''s", "[]", "{}", "[1]", "[a]", "{a: 1}", "{1: a}",
    "{a: [b]}", "[[1]]", "2026-01-01", "{a: {b: c}}", "1e400", "9" * 400, "9" * 5000, "[a, 1]", "{a: 1, a: 2}", "*a",
    "!!binary eA==",
]  # fmt: skip
KEYS_OF_PARAMETERS = ["type", "default", "required", "choices", "minimum", "maximum", "doc", "presets", "used_by"]


def works(path: Path) -> bool:
    """Whether a metric file works in every way of use; one that does not is rejected by an error of ours."""
    try:
        [name] = sqlmetrics.register(path)
        sqlmetrics.evaluate(DATA, name, **ROLES)
        getattr(sqlmetrics, name)(DATA, **ROLES)
        result = CliRunner().invoke(main, ["show", name, "--metrics-dir", str(path)])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
    except SqlMetricsError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("key", [*sorted(_KEYS), *(f"scale.{key}" for key in KEYS_OF_PARAMETERS)])
def test_odd_values_of_keys_raise_our_errors_only(key: str, write: Callable[..., Path]) -> None:
    texts = []
    for odd in ODD_VALUES:
        if key.startswith("scale."):
            for entry in ({"type": "number", "default": "1"}, {"choices": "{b: one, c: another}", "default": "b"}):
                lines = {**entry, "doc": "a factor", key.partition(".")[2]: odd}.items()
                texts.append(METRIC_FILE.replace(SCALE, "".join(f"\n    {name}: {value}" for name, value in lines)))
        else:
            lines = [line for line in METRIC_FILE.split("\n") if not line.startswith(f"{key}:")]
            texts.append("\n".join([lines[0], *([] if key == "title" else [lines[1]]), f"{key}: {odd}",
                                    *lines[1 if key == "title" else 2 :]]))  # fmt: skip
    results = [works(write(f"odd_{number}", text=text)) for number, text in enumerate(texts)]
    assert not all(results)


@pytest.mark.slow
def test_register_rejects_reserved_parameter_names(write: Callable[..., Path]) -> None:
    """Arguments, attributes of a dict and keywords of Python are reserved; any other name works in every way."""
    arguments = [*ALL_ROLES, *RELATIONS, *(argument.name for argument in arguments_of("metric"))]
    reserved = {*arguments, *(name for name in dir(dict) if not name.startswith("_")), *keyword.kwlist}
    free = {"scale", "n", "k", "metric", "metrics", "slices", "model", "self", "function", "given", "value", "select"}
    for name in sorted(name for name in reserved | free if name.islower()):
        path = write(f"with_{name}", "scale", name)
        assert works(path) == (name not in reserved), name
        if name in reserved:
            assert_rejected(BadMetricFile, register(path), f"'{name}'")
    for metric in builtin_catalogue().metrics.values():
        assert not reserved & set(metric.parameters), metric.name


def test_names_used_by_templates_are_reserved() -> None:
    """A parameter of such a name would replace what a template of the package reads."""
    known = builtin_catalogue()
    used = set()
    for path in set(known.macros.values()) - {metric.path for metric in known.metrics.values()}:
        used |= set(_PARAMETER_USE.findall(path.read_text(encoding="utf-8")))
    shared = {name for frame in known.frames.values() for name in (*frame.parameters, *frame.metric_parameters)}
    parameters = {name for metric in known.metrics.values() for name in metric.parameters}
    assert used - shared - parameters <= _RESERVED_NAMES


@pytest.mark.slow
def test_scaffolds_work_under_every_name_or_are_rejected(write: Callable[..., Path]) -> None:
    taken = [
        "n",
        "model",
        "grouping",
        "slice_id",
        "bucket",
        "bucket_left_out",
        "replicate",
        "sqlmetrics_x",
        "rows_read",
    ]
    free = ["source", "valid_rows", "rows", "score", "pos", "label", "m", "self", "import", "evaluate", "metric", "k"]
    words = set(render_macro(builtin_catalogue(), "duckdb", "reserved_words").split())
    words -= {*builtin_catalogue().metrics, *taken}
    options: dict[str, Any] = {**ROLES, "score": ["pctr", "w"], "by": [[], ["device"]], "diagnostics": True}
    for name in [*free, *sorted(words)[::8]]:
        sqlmetrics.register(write(name, text=scaffold(name, "rows")))
        assert name in sqlmetrics.evaluate(DATA, [name, "auc"], **options).columns
    for name in taken:
        assert_rejected(BadParameter, lambda name=name: scaffold(name, "rows"), repr(name))  # type: ignore[misc]
        sqlmetrics.register(write(name))
        with pytest.raises(BadParameter):  # as a call of that metric would be
            sqlmetrics.evaluate(DATA, name, **options)


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
        ("columns: pos, row_count\n", "", ["missing", "columns"]), ("{#-\ntitle", "{#-\nname", ["title"]),
        ("unit: group", "units: group", ["unknown", "units"]), ("macro sums(", "macro sum(", ["no macro sums"]),
        ("unit: group", "unit: user", ["unit", "row or group", "'user'"]),
        ("slices: columns", "slices: rows", ["slices", "columns", "'rows'"]),
    ],
)  # fmt: skip
def test_catalogue_rejects_invalid_frame_files(old: str, new: str, words: list[str], tmp_path: Path) -> None:
    path = tmp_path / "macros" / "frames" / "sums.sql"
    path.parent.mkdir(parents=True)
    path.write_text(FRAME, encoding="utf-8")
    assert list(Catalogue(tmp_path).frames) == ["sums"]
    assert old in FRAME
    path.write_text(FRAME.replace(old, new), encoding="utf-8")
    assert_rejected(BadMetricFile, lambda: Catalogue(tmp_path), "sums.sql", *words)


def test_catalogue_rejects_invalid_dialect_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqlmetrics.catalogue.dialects.sql_root", lambda: tmp_path)
    folder = tmp_path / "macros" / "dialects"
    folder.mkdir(parents=True)
    (folder / "one.sql").write_text("{#-\ntitle: One\n-#}\n", encoding="utf-8")
    read = dialects.__wrapped__  # without the cache
    for head, words in (
        ("title: Two\nparents: one", ["unknown", "parents"]), ("parent: one", ["title"]),
        ("title: Two\nparent: three", ["parent", "one", "'three'"]),
        ("title: Two\nparent: two", ["parent", "one", "'two'"]), ("title: Two\nparent: one", None),
    ):  # fmt: skip
        (folder / "two.sql").write_text(f"{{#-\n{head}\n-#}}\n", encoding="utf-8")
        if words is not None:
            assert_rejected(BadMetricFile, read, "two.sql", *words)
    assert [dialect.parent for dialect in read().values()] == [None, "one"]


#: Templates that reach beyond their sandbox, or fail.
BODIES = [
    "{{ ''.__class__.__mro__ }}", "{{ sqlmetrics.__class__.__init__.__globals__ }}", "{{ sqlmetrics._catalogue }}",
    "{{ sqlmetrics._environment.globals }}", "{{ adapter.dispatch.__globals__ }}",
    "{{ adapter.dispatch.__func__.__globals__['os'] }}", "{{ m.__class__.__base__.__subclasses__() }}",
    "{{ m|attr('__class__') }}", "{{ ''['__class__'] }}", "{{ sqlmetrics.safe_divide.__globals__ }}",
    "{{ cycler.__init__.__globals__.os.popen('true').read() }}", "{{ self.__init__.__globals__ }}",
    "{{ range(10 ** 9) | list }}", "{% include '/etc/passwd' %}", "{% import 'os' as os %}{{ os }}",
    "{{ undefined_thing }}", "{{ undefined_thing.x }}", "{{ 1 / 0 }}", "{{ sqlmetrics.no_such_macro() }}",
    "{{ sqlmetrics.safe_divide() }}", "{{ sqlmetrics.safe_divide(1, 2, 3, 4) }}", "{{ 'a' + 1 }}", "{% if %}", "{{",
    "{{ m['scale'].nothing.more }}", "{{ adapter.dispatch('no_such', 'sqlmetrics')() }}", "{{ '%s %s' % 'a' }}",
    "{% macro NAME__f() %}{{ NAME__f() }}{% endmacro %}{{ NAME__f() }}",
]  # fmt: skip
#: A text of the metric file, its replacement, and words of the error of a call.
INVALID_TEMPLATES: list[tuple[str, str, list[str]]] = [
    *(("{{ m.scale }} *", "{{ m.scale }} * " + body + " *", []) for body in BODIES),
    *((BODY, f"{aggregate} {{# m.scale #}}", ["must be a number"]) for aggregate in [
        "'text'", "[sum(pos)]", "current_date", "now()", "interval 1 day", "struct_pack(a := sum(pos))",
        "map([1], [2])", "'a'::blob", "uuid()", "[]", "''"]),
    ("default: 1", "default: null", ["scale is none here"]),  # SQL would take `None` for a column
]  # fmt: skip


@pytest.mark.parametrize("number", quick_every(4, [2, *range(2), *range(3, len(INVALID_TEMPLATES))]))
def test_evaluate_rejects_invalid_templates(
    number: int, write: Callable[..., Path], con: duckdb.DuckDBPyConnection
) -> None:
    old, new, words = INVALID_TEMPLATES[number]
    path = write("share", old, new)

    def call() -> None:
        sqlmetrics.register(path)
        sqlmetrics.evaluate("t", "share", con=con, **ROLES)

    assert_rejected(BadMetricFile, call, "share.sql", *words)


def test_templates_cannot_add_a_statement(write: Callable[..., Path], con: duckdb.DuckDBPyConnection) -> None:
    sqlmetrics.register(write("share", "{{ m.scale }} *", "{{ m.scale }} from t; drop table t; select"))
    with pytest.raises(SqlMetricsError):
        sqlmetrics.evaluate("t", "share", con=con, **ROLES)
