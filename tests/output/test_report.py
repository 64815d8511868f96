"""The page of `report`: its numbers are those of `evaluate`, and its form is valid.

`python -m tests.output.test_report` writes the picture of sql/README.md.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner

import sqlmetrics
from sqlmetrics.cli.main import main
from sqlmetrics.inputs.source import Source
from sqlmetrics.reporting import page
from sqlmetrics.reporting.labels import text_of
from sqlmetrics.request import ComparisonOptions, Request
from sqlmetrics.running.execute import fetch
from tests import ROOT
from tests.engines.servers import ENGINES
from tests.parameters import slow

#: Text that breaks a page unless it is escaped.
HOSTILE = "<script>alert(\"x\")</script> & 'y'\n</table>"
SVG = "{http://www.w3.org/2000/svg}"


def parse(text: str) -> ElementTree.Element:
    """The root of a page, which is XML except for the elements without an end tag."""
    text = re.sub(r"<(meta|link|br|img|input|hr)\b([^>]*)>", r"<\1\2/>", text.removeprefix("<!DOCTYPE html>"))
    return ElementTree.fromstring(text)


def make_log() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    truth = rng.random(1200) ** 3
    devices = np.array([HOSTILE, "NULL", "slice 0"], dtype=object)
    return pd.DataFrame({
        "clicked": (rng.random(1200) < truth).astype(int),
        "old": np.clip(truth + rng.normal(0, 0.3, 1200), 0, 1).round(3),
        "new & <b>": np.clip(truth + rng.normal(0, 0.1, 1200), 0, 1).round(3),
        "query": np.arange(1200) // 6,
        "position": np.arange(1200) % 6 + 1,
        "user": np.arange(1200) // 24,
        "device": np.where(rng.random(1200) < 0.1, None, rng.choice(devices, 1200)),
        "day": pd.to_datetime("2026-03-02") + pd.to_timedelta(np.arange(1200) % 4, "D"),
    })  # fmt: skip


LOG = make_log()
MODELS = ["old", "new & <b>"]
ONE_MODEL: dict[str, Any] = {"label": "clicked", "score": "old"}
TWO_MODELS: dict[str, Any] = {"label": "clicked", "score": MODELS, "group": "query", "cluster": "user"}
DEFAULT = ["auc", "average_precision", "gauc", "log_loss", "normalized_entropy", "brier", "copc", "ece", "ndcg@10",
           "map", "mrr"]  # fmt: skip
SCORECARD = "Metrics over all rows"


@pytest.fixture(scope="module")
def default_report() -> str:
    return sqlmetrics.report(LOG, **TWO_MODELS, by=["device", "day"]).html


def rows_of(text: str, caption: str) -> list[list[str]]:
    """The cells of the table with this caption, as HTML."""
    [table] = re.findall(rf"<caption>{re.escape(caption)}</caption>(.*?)</table>", text, re.DOTALL)
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]


def facts_of(text: str) -> dict[str, str]:
    return {row[0]: row[1] for row in rows_of(text, "Data, roles and rows")}


def sections_of(text: str) -> list[str]:
    return re.findall(r"<h2>(.*?)</h2>", text)


def text_in(cell: str) -> str:
    return re.sub("<.*?>", "", cell).replace(",", "").replace("−", "-").replace("∞", "inf")


def values_in(cell: str) -> list[float]:
    """The numbers of a cell with all their digits."""
    return [float(value) for value in re.findall(r'<data value="([^"]*)">', cell)]


def assert_estimate(cell: str, row: Mapping[Any, Any], name: str) -> None:
    """The cell holds the value and the interval of the row."""
    expected = [row[f"{name}{end}"] for end in ("", "_low", "_high")]
    assert values_in(cell) == pytest.approx(expected, rel=1e-8, abs=1e-12)


def assert_scorecard(text: str, expected: pd.DataFrame, metrics: list[str]) -> None:
    rows = rows_of(text, SCORECARD)[1 : len(metrics) + 1]
    assert [row[0].split(" <small>")[0] for row in rows] == [name.replace("@", "_at_") for name in metrics]
    for head, *cells in rows:
        for row, cell in zip(expected.to_dict("records"), cells, strict=True):
            assert_estimate(cell, row, head.split(" <small>")[0])


def test_page_needs_neither_network_nor_script(default_report: str) -> None:
    assert default_report.startswith("<!DOCTYPE html>")
    for element in parse(default_report).iter():
        assert element.tag not in ("script", "link", "img", "iframe", "object", "form")
        assert not [name for name in element.attrib if name == "style" or name.startswith("on")]
        assert element.get("href", "#").startswith("#")
    assert set(re.findall(r"https?://[^\"'\s<>]+", default_report)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"url\(|@import", default_report)
    assert "default-src 'none'; style-src 'sha256-" in default_report


def test_page_is_accessible_and_escapes_data(default_report: str) -> None:
    root = parse(default_report)
    assert all(cell.get("scope") in ("row", "col") for cell in root.iter("th"))
    figures = [*root.iter("figure")]
    assert len(figures) == len([*root.iter(f"{SVG}svg")]) > 8
    for figure in figures:
        assert [len(figure.findall(f".//{tag}")) for tag in (f"{SVG}svg", "table", "details")] == [1, 1, 1]
    assert {link.get("href")[1:] for link in root.iter("a")} <= {element.get("id") for element in root.iter()}
    assert "alert(" in default_report
    assert not re.search(r"<b>|<script", default_report)
    heads = {text for cell in root.iter("th") for text in cell.itertext()}
    assert {"NULL", '"NULL"', HOSTILE.replace("\n", "\\n"), MODELS[1]} <= heads
    for picture in re.findall(r"<svg.*?</svg>", default_report, re.DOTALL):
        assert "nan" not in re.sub(r"<(title|desc|text).*?</\1>", "", picture).lower()


def test_scorecard_and_differences_are_those_of_evaluate_and_compare(default_report: str) -> None:
    expected = sqlmetrics.evaluate(LOG, DEFAULT, confidence=0.95, **TWO_MODELS)
    assert_scorecard(default_report, expected, DEFAULT)
    for head, *cells in rows_of(default_report, SCORECARD)[1:]:
        name = head.split(" <small>")[0]
        losses = expected[name].sub(1).abs() if name == "copc" else expected[name]
        lower_is_better = name in ("log_loss", "normalized_entropy", "brier", "ece", "copc")
        best = losses.idxmin() if lower_is_better else losses.idxmax()
        assert [model for model, cell in enumerate(cells) if "best" in cell] == [best]
    expected = sqlmetrics.compare(LOG, DEFAULT, **TWO_MODELS)
    rows = rows_of(default_report, "Differences from the baseline old")[1:]
    for row, cells in zip(expected.to_dict("records"), rows, strict=True):
        assert (cells[0], cells[4]) == (row["metric"], row["verdict"])
        assert_estimate(cells[2], row, "difference")
        assert values_in(cells[3]) == pytest.approx([row["p_adjusted"]], rel=1e-6)


def test_rows_with_missing_scores_are_dropped_for_each_model() -> None:
    """The comparison uses the rows that both models have; the scorecard shows the values of `evaluate`.

    It is computed from the comparison, whose rows are differences from the baseline.
    """
    holes = LOG.assign(old=LOG["old"].mask(LOG.index < 7))
    arguments: dict[str, Any] = {"label": "clicked", "score": MODELS, "cluster": "user"}
    with pytest.warns(sqlmetrics.DroppedRows) as caught:
        text = sqlmetrics.report(holes, "auc, brier", **arguments, baseline=MODELS[1]).html
    assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(sqlmetrics.DroppedRows):
        expected = sqlmetrics.evaluate(holes, "auc, brier", confidence=0.95, **arguments)
    assert expected["n"].tolist() == [1193, 1200]
    assert_scorecard(text, expected, ["auc", "brier"])
    facts = {html.unescape(name): cell for name, cell in facts_of(text).items()}
    assert "rows dropped (new & <b>)" not in facts
    counts = {"read": 1200, "used (old)": 1193, "used (new & <b>)": 1200, "dropped (old)": 7}
    assert {name: values_in(facts[f"rows {name}"]) for name in counts} == {name: [n] for name, n in counts.items()}
    assert "a value is NULL or NaN: score (column &#39;old&#39;) in 7 rows" in facts["rows dropped (old)"]
    with pytest.raises(sqlmetrics.BadData, match="dropped because a value is NULL"):
        sqlmetrics.report(holes, "auc", **ONE_MODEL, strict=True)


def test_slices_are_those_of_evaluate_and_the_worst_come_first(default_report: str) -> None:
    expected = sqlmetrics.evaluate(LOG, DEFAULT, confidence=0.95, **TWO_MODELS, by="device")
    overall = sqlmetrics.evaluate(LOG, "auc", label="clicked", score=MODELS).set_index("model")["auc"]
    slices = {(text_of(None if pd.isna(row["device"]) else row["device"]), row["model"]): row
              for row in expected.to_dict("records")}  # fmt: skip
    [names, *rows] = rows_of(default_report, "Metrics by device")
    losses: dict[str, float] = {}
    for cells in rows:
        record = dict(zip(names, cells, strict=True))
        row = slices.pop((html.unescape(record["device"]), html.unescape(record["model"])))
        assert values_in(record["n"]) == [row["n"]]
        loss = (overall[row["model"]] - row["auc"]) * row["n"] / len(LOG)
        assert values_in(record["loss"]) == pytest.approx([loss], rel=1e-6, abs=1e-12)
        losses[record["device"]] = max(losses.get(record["device"], -1), loss)
        assert values_in(record["ndcg_at_10"]) == pytest.approx([row["ndcg_at_10"]], rel=1e-8)
        for name in ("auc", "copc"):
            assert_estimate(record[name], row, name)
    assert not slices
    assert list(losses.values()) == sorted(losses.values(), reverse=True)
    days = [row[0] for row in rows_of(default_report, "Metrics by day")[1:]]
    assert days == sorted(days)
    assert len(set(days)) == 4


SIMILAR_SLICES: list[list[Any]] = [
    [0.12345671, 0.12345672, 0.123456725], [2**60 + 1, 2**60 + 2, 2**60 + 3],
    [Decimal("12345678901234567890.1"), Decimal("12345678901234567890.2"), Decimal(5)],
    [pd.Timestamp("2026-01-01") + pd.Timedelta(end, "ns") for end in range(3)],
    [np.datetime64(f"-0043-03-1{end}", "us") for end in range(3)], [b"a\xff", b"a\xfe", b"a"],
    [[1, None], [None, 1], [1, 1]],
]  # fmt: skip


@pytest.mark.slow
def test_similar_slices_have_distinct_names() -> None:
    """In every table of a page, and in a picture that is printed as text."""
    columns = {
        f"slice_{number}": pd.Series(values * 400, dtype=getattr(values[0], "dtype", None))
        for number, values in enumerate(SIMILAR_SLICES)
    }
    log = LOG.assign(**columns)
    text = sqlmetrics.report(log, "auc", **ONE_MODEL, by=[*columns]).html
    for column in columns:
        for caption in (f"Metrics by {column}", f"Table of the picture: auc by {column}"):
            assert len({text_in(row[0]) for row in rows_of(text, caption)[1:]}) == 3, caption
        chart = str(sqlmetrics.plot(sqlmetrics.evaluate(log, "auc", **ONE_MODEL, by=column)))
        assert len({re.split(r"  +", line.strip())[0] for line in chart.splitlines()}) == 4, column


@pytest.mark.parametrize(("metric", "arguments", "sections", "counts"), [
    *slow(("auc", {"score": "= old * 3"}, ["Order", "Lift", "Scores"], {"rows used": 1200}),  # not probabilities
          ("ndcg_at_10", {"label": "= clicked * 2", "group": "query"}, ["Ranking"], {})),  # grades
    ("mrr", {"score": None, "rank": "position", "group": "query"}, ["Ranking"], {}),
    ("auc", {"label": None, "positives": "clicked", "total": "= 2", "cluster": "user"},
     ["Order", "Calibration", "Lift", "Scores"], {"rows they stand for": 2400}),
])  # fmt: skip
def test_sections_follow_from_the_roles(
    metric: str, arguments: dict[str, Any], sections: list[str], counts: dict[str, int]
) -> None:
    arguments = ONE_MODEL | arguments
    text = sqlmetrics.report(LOG, metric if metric in ("auc", "mrr") else None, **arguments).html
    assert sections_of(text) == ["What was evaluated", "Scorecard", *sections]
    assert {name: values_in(facts_of(text)[name]) for name in counts} == {name: [n] for name, n in counts.items()}
    arguments |= {"by": None, "cluster": None}
    [expected] = sqlmetrics.evaluate(LOG, metric.replace("_at_", "@"), **arguments)[metric]
    [cell] = [cell for name, cell in rows_of(text, SCORECARD)[1:] if name.startswith(metric)]
    assert values_in(cell)[0] == pytest.approx(expected, rel=1e-8)


def test_slices_are_expressions_or_columns_of_any_name_and_are_counted() -> None:
    data = LOG.assign(**{"a, b": LOG["device"], "c = d": LOG["day"]})
    by = [sqlmetrics.column("a, b"), "late = day > '2026-03-03'", sqlmetrics.column("c = d"), "device", "query"]
    slices = {"a, b": 5, "late": 3, "c = d, device": 17, "query": 101}
    by = [by[:1], by[1:2], by[2:4], by[4:]]
    text = sqlmetrics.report(data, "max_error, mae", label="old", score="new & <b>", by=by).html
    assert re.findall("<h3>(.*?)</h3>", text) == [f"By {name}" for name in slices]
    assert {name: len(rows_of(text, f"Metrics by {name}")) for name in slices} == slices
    assert "100 more slices are not shown." in text
    assert "Of 100 slices the first 60 are drawn." in text
    # `max_error` has no interval.
    cells = {row[0].split(" ")[0]: len(values_in(row[1])) for row in rows_of(text, SCORECARD)[1:]}
    assert cells == {"max_error": 1, "mae": 3}
    text = sqlmetrics.report(LOG, "auc", **ONE_MODEL, by="device", min_rows=200).html
    assert "Left out for fewer than 200 rows: 1." in text
    assert "NULL" not in [row[0] for row in rows_of(text, "Metrics by device")]


@pytest.mark.parametrize(("arguments", "words"), [
    ({"where": "old > 2"}, "there is no row to report on"), ({"label": None}, "label: a report needs labels"),
    ({"score": None}, "score: a report needs a prediction"), ({"metrics": "roc_curve"}, "roc_curve is a table"),
    ({"score": None, "prediction": "device"}, "prediction: a report needs scores.* class_report"),
    ({"baseline": "old"}, "a single score has no other"), ({"by": ["device", ["day"]]}, "not a mixture"),
    ({"where": "1 = 1) select 1; select (1"}, "."),
])  # fmt: skip
def test_report_rejects_invalid_arguments(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(sqlmetrics.SqlMetricsError, match=words) as error:
        sqlmetrics.report(LOG, **{"metrics": "auc", **ONE_MODEL, **arguments})
    assert "\n" not in str(error.value)


@pytest.mark.slow
def test_statements_share_the_parsed_columns_of_a_text_file(tmp_path: Path) -> None:
    statements: list[str] = []

    def execute(source: Source, sql: str) -> pd.DataFrame:
        statements.append(sql)
        return fetch(source, sql)

    LOG.to_csv(tmp_path / "log.csv", index=False)
    roles: dict[str, Any] = {**ONE_MODEL, "cluster": "user"}
    arguments = {**roles, "group": "query", "by": "device", "metrics": "auc, brier", "confidence": 0.95}
    request = Request.of(arguments, comparison=ComparisonOptions())
    text = page.build_report(str(tmp_path / "log.csv"), request, execute=execute).html
    assert len(set(statements)) == len(statements)
    parsing = [sql for sql in statements if "read_csv" in sql]
    assert all(sql.startswith("create temp table") for sql in parsing)
    assert len(parsing) < len(statements) / 2
    assert_scorecard(text, sqlmetrics.evaluate(LOG, "auc, brier", confidence=0.95, **roles), ["auc", "brier"])


@pytest.mark.parametrize("name", slow("postgres", "clickhouse"))
def test_report_on_engines(name: str) -> None:
    data = LOG[["clicked", "old", "query", "user", "device"]].assign(newer=LOG[MODELS[1]])
    roles: dict[str, Any] = {**TWO_MODELS, "score": ["old", "newer"]}
    metrics = ["auc", "average_precision", "copc", "ndcg@10"]
    with ENGINES[name]({"impressions": pa.Table.from_pandas(data, preserve_index=False)}) as engine:
        text = sqlmetrics.report("impressions", metrics, engine=engine, **roles, by="device").html
    assert_scorecard(text, sqlmetrics.evaluate(data, metrics, confidence=0.95, **roles), metrics)


@pytest.mark.slow
def test_shell_and_notebooks_give_the_same_page_and_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    LOG.to_csv("log.csv", index=False)

    def run(command: str) -> None:
        result = CliRunner().invoke(main, command.split())
        assert result.exit_code == 0, result.output

    run("report log.csv --label clicked --score old --by device --by day -m auc,copc -o page.html")
    report = sqlmetrics.report("log.csv", ["auc", "copc"], **ONE_MODEL, by=["device", "day"])
    report.save("saved.html")
    command = re.sub("<.*?>", "", facts_of(report.html)["command"])
    assert command.startswith("sqlmetrics report log.csv")
    run(command.removeprefix("sqlmetrics "))
    assert {Path(name).read_text("utf-8") for name in ("page.html", "saved.html", "report.html")} == {report.html}
    [(attributes, source)] = re.findall(r'<iframe([^>]*) srcdoc="([^"]*)"', report._repr_html_())
    assert html.unescape(source) == report.html
    assert "style" not in attributes
    run("eval log.csv -m roc_curve --label clicked --score old -o curve.svg")
    chart = sqlmetrics.plot(sqlmetrics.roc_curve("log.csv", **ONE_MODEL))
    chart.save("saved.svg")
    assert {Path(name).read_text("utf-8") for name in ("curve.svg", "saved.svg")} == {chart.svg}


def example_picture() -> str:
    log = str(ROOT / "examples" / "impressions.parquet")
    roles: dict[str, Any] = {"label": "clicked", "score": ["pctr_a", "pctr_b"], "cluster": "user_id"}
    return sqlmetrics.plot(sqlmetrics.auc(log, by="day", confidence=0.95, **roles)).svg


def test_picture_in_the_documentation_is_current() -> None:
    text = (ROOT / "sql" / "report.svg").read_text(encoding="utf-8")
    assert text == example_picture(), "run python -m tests.output.test_report"


if __name__ == "__main__":
    (ROOT / "sql" / "report.svg").write_text(example_picture(), encoding="utf-8")
