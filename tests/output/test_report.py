"""The page of `report` and the pictures of `plot`: their numbers are those of `evaluate`, and their form is sound."""

from __future__ import annotations

import base64
import hashlib
import html
import itertools
import re
import warnings
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner

import sqlmetrics
from sqlmetrics import charts, reports, running
from sqlmetrics.cli import main
from tests import ROOT
from tests.engines.servers import ENGINES, in_one_partition
from tests.tiers import slow

#: Elements that are not closed.
VOID = {"meta", "link", "br", "img", "input", "hr"}
#: What a page could be broken with.
HOSTILE = "<script>alert(\"x\")</script> & 'y'\n</table>"


class Page(HTMLParser):
    """A page, read: every element is closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[tuple[str, ...], str]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((tuple(self.open), data))

    def all(self, *tags: str) -> list[dict[str, str | None]]:
        """The attributes of the elements of these names."""
        return [attributes for tag, attributes in self.elements if tag in tags]

    def words(self, tag: str) -> list[str]:
        """The texts inside the elements of a name."""
        return [text for inside, text in self.texts if tag in inside]


def log(rows: int = 1200, slices: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    truth = rng.random(rows) ** 3
    names = np.array([HOSTILE, "NULL", *(f"slice {number}" for number in range(slices - 2))], dtype=object)
    return pd.DataFrame({
        "clicked": (rng.random(rows) < truth).astype(int),
        "old": np.clip(truth + rng.normal(0, 0.3, rows), 0, 1).round(3),
        "new & <b>": np.clip(truth + rng.normal(0, 0.1, rows), 0, 1).round(3),
        "query": np.arange(rows) // 6,
        "user": np.arange(rows) // 24,
        "device": np.where(rng.random(rows) < 0.1, None, rng.choice(names, rows)),
        "day": pd.to_datetime("2026-03-02") + pd.to_timedelta(np.arange(rows) % 4, "D"),
    })  # fmt: skip


LOG = log()
MODELS = ["old", "new & <b>"]
ASKED: dict[str, Any] = {
    "label": "clicked", "score": MODELS, "group": "query", "cluster": "user", "by": ["device", "day"],
}  # fmt: skip
DEFAULT = ["auc", "average_precision", "gauc", "log_loss", "normalized_entropy", "brier", "copc", "ece", "ndcg@10",
           "map", "mrr"]  # fmt: skip


@pytest.fixture(scope="module")
def whole() -> str:
    return sqlmetrics.report(LOG, **ASKED).html


@pytest.fixture(scope="module")
def page(whole: str) -> Page:
    return Page(whole)


def rows_of(text: str, caption: str) -> list[list[str]]:
    """The cells of the table of this caption, as they stand in the page."""
    [table] = re.findall(rf"<caption>{re.escape(caption)}</caption>(.*?)</table>", text, re.DOTALL)
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]


def numbers_in(row: list[str]) -> list[float]:
    """All that looks like a number in what is read of a row."""
    text = re.sub("<.*?>", "", " ".join(row)).replace(",", "").replace("−", "-")
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)]


def values_in(cell: str) -> list[float]:
    """The numbers of a cell, as exactly as it has them."""
    return [float(value) for value in re.findall(r'<data value="([^"]*)">', cell)]


# The form of the page


@pytest.mark.slow
def test_the_page_needs_neither_network_nor_script(whole: str, page: Page) -> None:
    assert whole.startswith("<!DOCTYPE html>")
    assert not page.all("script", "link", "img", "iframe", "object", "form")
    assert len(page.all("style")) == 1
    for _, attributes in page.elements:
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")
    assert set(re.findall(r"https?://[^\"'\s<>]+", whole)) == {"http://www.w3.org/2000/svg"}
    assert "url(" not in whole
    assert "@import" not in whole


@pytest.mark.slow
def test_the_own_policy_lets_the_style_in(whole: str) -> None:
    [style] = re.findall(r"<style>(.*?)</style>", whole, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in whole


def test_headings_go_down_one_at_a_time(page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


@pytest.mark.slow
def test_tables_and_pictures_can_be_read_aloud(whole: str, page: Page) -> None:
    assert all(cell.get("scope") in ("row", "col") for cell in page.all("th"))
    tables = re.findall(r"<table>.*?</table>", whole, re.DOTALL)
    assert all("<caption>" in table and 'scope="row"' in table for table in tables)
    figures = re.findall(r"<figure>.*?</figure>", whole, re.DOTALL)
    assert len(figures) == len(page.all("svg")) > 8
    for figure in figures:
        assert figure.count("<svg") == figure.count("<table>") == figure.count("<details>") == 1
        assert re.search(r'<title id="(\S+)">.+?</title><desc id="(\S+)">.+?</desc>', figure)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    named = [name for one in page.all("svg") for name in str(one["aria-labelledby"]).split()]
    assert set(named) <= set(ids)
    assert {str(link["href"])[1:] for link in page.all("a")} <= set(ids)


def test_every_picture_is_xml(whole: str) -> None:
    for picture in re.findall(r"<svg.*?</svg>", whole, re.DOTALL):
        ElementTree.fromstring(picture)
        assert "nan" not in re.sub(r"<(title|desc|text).*?</\1>", "", picture).lower()


def test_what_the_data_hold_is_text(whole: str, page: Page) -> None:
    assert "alert(" in whole
    assert not re.search(r"<b>|<script", whole)
    heads = page.words("th")
    assert "NULL" in heads
    assert '"NULL"' in heads
    assert HOSTILE.replace("\n", "\\n") in heads
    assert MODELS[1] in heads


# The numbers


def test_the_scorecard_is_that_of_evaluate(whole: str) -> None:
    expected = sqlmetrics.evaluate(LOG, DEFAULT, confidence=0.95, **{**ASKED, "by": None})
    rows = rows_of(whole, "Metrics over all rows")
    assert [row[0].split(" <small>")[0] for row in rows[1:]] == [name.replace("@", "_at_") for name in DEFAULT]
    for head, *cells in rows[1:]:
        name = head.split(" <small>")[0]
        for row, cell in zip(expected.to_dict("records"), cells, strict=True):
            wanted = [row[f"{name}{end}"] for end in ("", "_low", "_high")]
            assert values_in(cell) == pytest.approx(wanted, rel=1e-8, abs=1e-12)
        best = expected[name].sub(1).abs().idxmin() if name == "copc" else (
            expected[name].idxmin() if name in ("log_loss", "normalized_entropy", "brier", "ece")
            else expected[name].idxmax())  # fmt: skip
        assert [place for place, cell in enumerate(cells) if "best" in cell] == [best]


def test_the_comparison_is_that_of_compare(whole: str) -> None:
    expected = sqlmetrics.compare(LOG, DEFAULT, **{**ASKED, "by": None})
    rows = rows_of(whole, "Differences from the baseline old")[1:]
    for row, cells in zip(expected.to_dict("records"), rows, strict=True):
        assert cells[0] == row["metric"]
        wanted = [row["difference"], row["difference_low"], row["difference_high"]]
        assert values_in(cells[2]) == pytest.approx(wanted, rel=1e-8, abs=1e-12)
        assert values_in(cells[3]) == pytest.approx([row["p_adjusted"]], rel=1e-6)
        assert cells[4] == row["verdict"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cluster", "baselines"),
    # A report takes a second.
    [("user", ["double"]), *slow(("user", ["old", "old * 0.25"]), (None, ["old", "double", "old * 0.25"]))],
)
def test_the_scorecard_is_the_same_whoever_is_the_baseline(cluster: str | None, baselines: list[str]) -> None:
    """It comes from the comparison, whose rows are differences from the baseline; without clusters, not all of it."""
    asked: dict[str, Any] = {"label": "clicked", "score": ["old", "double = old * 0.5", "= old * 0.25"], "by": "device"}
    metrics = ["auc", "average_precision", "log_loss", "copc", "mae", "ece", "ndcg"]
    asked["group"] = "query"
    expected = sqlmetrics.evaluate(LOG, metrics, confidence=0.9, cluster=cluster, **{**asked, "by": None})
    for baseline in baselines:
        text = sqlmetrics.report(
            LOG, [*metrics, "max_error"], confidence=0.9, cluster=cluster, baseline=baseline, **asked
        ).html
        rows = rows_of(text, "Metrics over all rows")
        assert rows[0][1:] == expected["model"].tolist() == ["old", "double", "old * 0.25"]
        for (head, *cells), name in zip(rows[1:], metrics, strict=False):
            assert head.startswith(name)
            for row, cell in zip(expected.to_dict("records"), cells, strict=True):
                assert values_in(cell) == pytest.approx(
                    [row[f"{name}{end}"] for end in ("", "_low", "_high")], rel=1e-8
                )
        assert rows[-1][0].startswith("max_error")
        assert [len(values_in(cell)) for cell in rows[-1][1:]] == [1, 1, 1]


@pytest.mark.slow
def test_models_that_lack_scores_elsewhere_have_their_own_rows() -> None:
    """What is compared are the rows that both have; the scorecard shows what `evaluate` says of each."""
    holes = LOG.assign(old=LOG["old"].mask(LOG.index < 100))
    asked: dict[str, Any] = {"label": "clicked", "score": MODELS, "cluster": "user"}
    with pytest.warns(sqlmetrics.DroppedRows):
        text = sqlmetrics.report(holes, "auc, brier", **asked).html
    with pytest.warns(sqlmetrics.DroppedRows):
        expected = sqlmetrics.evaluate(holes, "auc, brier", confidence=0.95, **asked)
    assert expected["n"].tolist() == [1100, 1200]
    for (_, *cells), name in zip(rows_of(text, "Metrics over all rows")[1:], ("auc", "brier"), strict=True):
        for row, cell in zip(expected.to_dict("records"), cells, strict=True):
            assert values_in(cell) == pytest.approx([row[f"{name}{end}"] for end in ("", "_low", "_high")], rel=1e-8)


def test_slices_are_those_of_evaluate_and_the_worst_come_first(whole: str) -> None:
    expected = sqlmetrics.evaluate(LOG, DEFAULT, confidence=0.95, **{**ASKED, "by": "device"})
    overall = sqlmetrics.evaluate(LOG, "auc", label="clicked", score=MODELS).set_index("model")["auc"]
    known = {(charts.text_of(None if pd.isna(row["device"]) else row["device"]), row["model"]): row
             for row in expected.to_dict("records")}  # fmt: skip
    rows = rows_of(whole, "Metrics by device")
    losses: dict[str, float] = {}
    for cells in rows[1:]:
        record = dict(zip(rows[0], cells, strict=True))
        row = known.pop((html.unescape(record["device"]), html.unescape(record["model"])))
        assert values_in(record["n"]) == [row["n"]]
        loss = (overall[row["model"]] - row["auc"]) * row["n"] / len(LOG)
        assert values_in(record["loss"]) == pytest.approx([loss], rel=1e-6, abs=1e-12)
        losses[record["device"]] = max(losses.get(record["device"], -1), loss)
        for name in ("auc", "copc", "ndcg_at_10"):
            wanted = [row[f"{name}{end}"] for end in ("", "_low", "_high")]
            assert values_in(record[name]) == pytest.approx(wanted, rel=1e-8, abs=1e-12)
    assert not known
    assert list(losses.values()) == sorted(losses.values(), reverse=True)
    days = [row[0] for row in rows_of(whole, "Metrics by day")[1:]]
    assert days == sorted(days)
    assert len(set(days)) == 4


@pytest.mark.parametrize(
    ("title", "metric"),
    [
        ("ROC curve", "roc_curve(points=100, spacing='rows')"),
        ("Calibration", "calibration_curve(bins=10, binning='mass')"),
        ("Lift", "lift_table(bins=10)"),
    ],
)
def test_the_tables_of_pictures_are_those_of_evaluate(whole: str, title: str, metric: str) -> None:
    rows = rows_of(whole, f"Table of the picture: {title}")
    sure = {} if title == "Lift" else {"confidence": 0.95, "cluster": "user"}
    expected = sqlmetrics.evaluate(LOG, metric, label="clicked", score=MODELS, **sure)
    assert len(rows) == len(expected) + 1
    for row, cells in zip(expected.to_dict("records"), rows[1:], strict=True):
        for name, cell in zip(rows[0], cells, strict=True):
            if name == "model" or cell == "undefined":
                assert cell != "undefined" or pd.isna(row[name])
                continue
            shown = re.sub("<.*?>", "", cell).replace(",", "").replace("−", "-").replace("∞", "inf")
            assert values_in(cell) == [pytest.approx(row[name], rel=1e-9)] * (title != "ROC curve" and name != "bin")
            assert float(shown) == pytest.approx(row[name], rel=1e-5)


def test_numbers_of_tables_have_their_digits_behind_them(whole: str) -> None:
    """But for those of many rows: a page is to be sent about."""
    for caption, table in re.findall(r"<caption>(.*?)</caption>(.*?)</table>", whole, re.DOTALL):
        rows = [
            re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)
            for row in re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
        ]
        bare = [cell for row in rows for cell in row if re.fullmatch(r"\s*[−\d.,]+\s*", cell)]
        assert bool(bare) == (len(rows) > 62 and "curve" in caption), caption


SLICES_NEAR_EACH_OTHER: dict[str, list[Any]] = {
    "float": [0.12345671, 0.12345672, 0.123456725],
    "large float": [1234567.25, 1234567.5, 1234567.0],
    "whole": [2**60 + 1, 2**60 + 2, 2**60 + 3],
    "decimal": [Decimal("12345678901234567890.1"), Decimal("12345678901234567890.2"), Decimal(5)],
    "nanoseconds": [pd.Timestamp("2026-01-01") + pd.Timedelta(end, "ns") for end in range(3)],
    "before christ": [np.datetime64(f"-0043-03-1{end}", "us") for end in range(3)],
    "far": [np.datetime64(f"20000-03-1{end}", "us") for end in range(3)],
    "bytes": [b"a\xff", b"a\xfe", b"a"],
    "list": [[1, None], [None, 1], [1, 1]],
}


@pytest.mark.slow
def test_slices_that_differ_have_names_that_differ() -> None:
    """In every table of a page, and where a picture is printed as text."""
    columns = {
        kind: pd.Series(
            [values[row % 3] for row in range(len(LOG))],
            dtype=np.array(values).dtype if isinstance(values[0], np.datetime64) else None,
        )
        for kind, values in SLICES_NEAR_EACH_OTHER.items()
    }
    near = LOG.assign(**columns)
    text = sqlmetrics.report(near, "auc", label="clicked", score="old", by=[*columns]).html
    for kind in columns:
        for caption in (f"Metrics by {kind}", f"Table of the picture: auc by {kind}"):
            names = [re.sub("<.*?>", "", row[0]) for row in rows_of(text, caption)[1:]]
            assert len(set(names)) == len(names) == 3, (caption, names)
        drawn = sqlmetrics.plot(sqlmetrics.evaluate(near, "auc", label="clicked", score="old", by=kind))
        ElementTree.fromstring(drawn.svg)
        assert len({re.split(r"  +", line.strip())[0] for line in str(drawn).splitlines()}) == 4, kind


def test_ndcg_by_depth_is_that_of_evaluate(whole: str) -> None:
    depths = ", ".join(f"ndcg@{k}" for k in (1, 2, 3, 5, 10, 20))
    expected = sqlmetrics.evaluate(LOG, depths, label="clicked", score="old", group="query").iloc[0]
    rows = [row for row in rows_of(whole, "Table of the picture: NDCG by depth") if row[0] == "old"]
    for _, k, value, *_ in rows:
        assert values_in(value) == [pytest.approx(expected[f"ndcg_at_{k}"], rel=1e-9)]


# What there is follows from the roles


def sections(text: str) -> list[str]:
    return re.findall(r"<h2>(.*?)</h2>", text)


def test_lists_alone() -> None:
    graded = LOG.assign(grade=LOG["clicked"] * 2)
    text = sqlmetrics.report(graded, label="grade", score="old", group="query").html
    assert sections(text) == ["What was evaluated", "Scorecard", "Ranking"]
    by_rank = LOG.assign(place=LOG.groupby("query").cumcount() + 1)
    text = sqlmetrics.report(by_rank, "mrr", label="clicked", rank="place", group="query").html
    [[_, cell]] = rows_of(text, "Metrics over all rows")[1:]
    expected = sqlmetrics.mrr(by_rank, label="clicked", rank="place", group="query")["mrr"][0]
    assert values_in(cell)[0] == pytest.approx(expected, rel=1e-8)


def test_scores_that_are_no_probabilities_have_no_calibration() -> None:
    text = sqlmetrics.report(LOG.assign(old=LOG["old"] * 3), "auc", label="clicked", score="old").html
    assert sections(text) == ["What was evaluated", "Scorecard", "Order", "Lift", "Scores"]


def test_numbers_that_are_predicted() -> None:
    text = sqlmetrics.report(LOG.assign(price=LOG["old"] * 7 - 2), label="price", score="old", by="device").html
    assert sections(text) == ["What was evaluated", "Scorecard", "Slices"]
    expected = sqlmetrics.rmse(LOG.assign(price=LOG["old"] * 7 - 2), label="price", score="old")["rmse"][0]
    [cell] = [cell for name, cell in rows_of(text, "Metrics over all rows")[1:] if name.startswith("rmse")]
    assert values_in(cell)[0] == pytest.approx(expected, rel=1e-8)


def test_rows_that_are_dropped_are_told() -> None:
    holes = LOG.assign(old=LOG["old"].mask(LOG.index < 7))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        text = sqlmetrics.report(holes, "auc", label="clicked", score="old").html
    assert [one.category for one in caught] == [sqlmetrics.DroppedRows]
    assert caught[0].filename == __file__
    facts = {row[0]: row[1] for row in rows_of(text, "Data, roles and rows")}
    assert values_in(facts["rows read"]) == [1200]
    assert values_in(facts["rows used"]) == [1193]
    assert values_in(facts["rows dropped"]) == [7]
    assert "a value is NULL or NaN: score (column &#39;old&#39;) in 7 rows" in facts["rows dropped"]
    with pytest.raises(sqlmetrics.BadData, match="left out because a value is NULL"):
        sqlmetrics.report(holes, "auc", label="clicked", score="old", strict=True)


def test_a_metric_without_interval_has_none() -> None:
    text = sqlmetrics.report(LOG, "max_error, mae", label="old", score="new & <b>").html
    cells = {row[0].split(" ")[0]: values_in(row[1]) for row in rows_of(text, "Metrics over all rows")[1:]}
    assert len(cells["max_error"]) == 1
    assert len(cells["mae"]) == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"where": "old > 2"}, "there is no row to report on"),
        ({"label": None}, "label: a report needs the truth"),
        ({"score": None}, "score: a report needs a prediction"),
        ({"score": None, "prediction": "device"}, "prediction: a report is about scores.* class_report"),
        ({"metrics": "roc_curve"}, "roc_curve is a table"),
        ({"baseline": "old"}, "there is one score"),
        ({"item": "device"}, "item has no meaning"),
        ({"by": ["device", ["day"]]}, "not a mixture"),
        ({"label": "device"}, "a number is needed"),
        ({"where": "1 = 1) select 1; select (1"}, "."),
    ],
)
def test_a_call_that_makes_no_page(given: dict[str, Any], words: str) -> None:
    with pytest.raises(sqlmetrics.SqlMetricsError, match=words) as caught:
        sqlmetrics.report(LOG, **{"metrics": "auc", "label": "clicked", "score": "old", **given})
    assert "\n" not in str(caught.value)


def test_small_slices_are_left_out_and_counted() -> None:
    text = sqlmetrics.report(LOG, "auc", label="clicked", score="old", by="device", min_rows=200).html
    assert "Left out for fewer than 200 rows: 1." in text
    assert "NULL" not in [row[0] for row in rows_of(text, "Metrics by device")]


def test_slices_are_expressions_and_columns_of_any_name() -> None:
    data = LOG.assign(**{"a, b": LOG["device"], "c = d": LOG["day"]})
    by = [sqlmetrics.column("a, b"), "late = day > '2026-03-03'", sqlmetrics.column("c = d"), "device"]
    text = sqlmetrics.report(data, "mae", label="old", score="new & <b>", by=[by[:1], by[1:2], by[2:]]).html
    assert re.findall("<h3>(.*?)</h3>", text) == ["By a, b", "By late", "By c = d, device"]
    assert [len(rows_of(text, f"Metrics by {name}")) for name in ("a, b", "late", "c = d, device")] == [5, 3, 17]


def test_more_slices_than_anyone_reads() -> None:
    text = sqlmetrics.report(LOG, "mae", label="old", score="new & <b>", by="query").html
    assert len(rows_of(text, "Metrics by query")) == 101
    assert "100 more slices are not shown." in text
    assert "Of 100 slices the first 60 are drawn." in text


@pytest.mark.slow
def test_the_size_for_twenty_slices() -> None:
    text = sqlmetrics.report(log(4000, 20), **{**ASKED, "by": "device"}).html
    assert len(rows_of(text, "Metrics by device")) == 1 + 2 * 21
    assert len(text.encode()) < 300_000


def test_the_data_are_opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    plain = reports.open_source
    monkeypatch.setattr(reports, "open_source", lambda *given: opened.append(given) or plain(*given))
    statements: list[str] = []

    def noting(source: running.Source, sql: str) -> pd.DataFrame:
        statements.append(sql)
        return running.fetch(source, sql)

    reports.build_report(LOG, "auc", label="clicked", score="old", by=["device", "day"], execute=noting)
    assert len(opened) == 1
    assert len(set(statements)) == len(statements) < 12


def test_text_is_parsed_once_for_all_questions_that_read_the_same(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    LOG.to_csv(path, index=False)
    statements: list[str] = []

    def noting(source: running.Source, sql: str) -> pd.DataFrame:
        statements.append(sql)
        return running.fetch(source, sql)

    asked: dict[str, Any] = {**ASKED, "by": "device", "score": "old"}
    page = reports.build_report(str(path), "auc, brier", execute=noting, **asked).html
    parsing = [sql for sql in statements if "read_csv" in sql]
    assert all(sql.startswith("create temp table") for sql in parsing)
    assert len(set(parsing)) == len(parsing) < len(statements) / 2
    expected = sqlmetrics.evaluate(
        str(path), "auc, brier", confidence=0.95, cluster="user", by="device", label="clicked", score="old"
    )
    [names, *rows] = rows_of(page, "Metrics by device")
    shown = {html.unescape(row[0]): dict(zip(names, row, strict=True)) for row in rows}
    for row in expected.to_dict("records"):
        cells = shown.pop(charts.text_of(None if pd.isna(row["device"]) else row["device"]))
        for name in ("auc", "brier"):
            wanted = [row[f"{name}{end}"] for end in ("", "_low", "_high")]
            assert values_in(cells[name]) == pytest.approx(wanted, rel=1e-8)
    assert not shown


@pytest.mark.slow
def test_text_whose_sample_misled_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = LOG[["clicked", "old"]].astype({"old": "object"})
    pd.concat([rows] * 30).assign(query=range(36_000)).replace({"query": {35_999: "late"}}).to_csv(path, index=False)
    page = sqlmetrics.report(str(path), "auc", label="clicked", score="old", cluster="query").html
    [[_, cell]] = rows_of(page, "Metrics over all rows")[1:]
    assert values_in(cell)[0] == pytest.approx(sqlmetrics.auc(LOG, label="clicked", score="old")["auc"][0], rel=1e-8)
    late = pd.concat([rows] * 30)
    late.iloc[-1, 1] = "late"
    late.to_csv(path, index=False)
    with pytest.raises(sqlmetrics.BadData, match="score: column 'old' is VARCHAR"):
        sqlmetrics.report(str(path), "auc", label="clicked", score="old")


@pytest.mark.parametrize("name", slow("postgres", "spark", "clickhouse"))
def test_engines_make_the_same_page(name: str) -> None:
    data = LOG[["clicked", "old", "query", "user", "device"]].assign(newer=LOG[MODELS[1]])
    asked: dict[str, Any] = {"label": "clicked", "score": ["old", "newer"], "by": "device", "cluster": "user"}
    asked |= {"group": "query"}
    # Spark takes minutes to plan them all; a metric of each kind of interval is enough there.
    asked |= {"metrics": "auc, average_precision, copc, ndcg@10"} if name == "spark" else {}
    with ENGINES[name]({"impressions": pa.Table.from_pandas(data, preserve_index=False)}) as engine:
        in_one_partition(engine)
        page = sqlmetrics.report("impressions", engine=engine, **asked).html
    expected = sqlmetrics.report(data, **asked).html
    assert sections(page) == sections(expected)
    captions = re.findall("<caption>(.*?)</caption>", expected)
    assert re.findall("<caption>(.*?)</caption>", page) == captions
    assert len(captions) > 12
    for caption in captions:
        for row, other in zip(rows_of(page, caption), rows_of(expected, caption), strict=True):
            found, wanted = ([value for cell in cells for value in values_in(cell)] for cells in (row, other))
            assert found == pytest.approx(wanted, rel=1e-8, abs=1e-12)
            # Those of folded tables stand there as they are read.
            if caption != "Data, roles and rows":
                assert numbers_in(row) == pytest.approx(numbers_in(other), rel=1e-3, abs=1e-9)


# The shell


@pytest.mark.slow
def test_the_shell_makes_the_same_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    LOG.to_csv("log.csv", index=False)
    asked = ["--label", "clicked", "--score", "old", "--by", "device", "--by", "day", "-m", "auc,copc"]
    result = CliRunner().invoke(main, ["report", "log.csv", *asked, "-o", "page.html"])
    assert result.exit_code == 0, result.output
    page = Path("page.html").read_text(encoding="utf-8")
    again = sqlmetrics.report("log.csv", ["auc", "copc"], label="clicked", score="old", by=["device", "day"])
    assert page == again.html
    [[command]] = [row[1:] for row in rows_of(page, "Data, roles and rows") if row[0] == "command"]
    words = re.sub("<.*?>", "", command)
    assert words.startswith("sqlmetrics report log.csv")
    result = CliRunner().invoke(main, words.split()[1:])
    assert result.exit_code == 0, result.output
    assert Path("report.html").read_text(encoding="utf-8") == page
    again.save("saved.html")
    assert Path("saved.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name the page"),
        (["-o", "page.pdf"], "the ending must be .html"),
        (["-o", "log.html"], "one of the input files"),
        (["-o", "page.html", "--label", "nothing"], "there is no column 'nothing'"),
    ],
)
def test_a_line_for_what_the_shell_refuses(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    LOG.to_csv("log.csv", index=False)
    Path("log.html").write_text("")
    data = ["log.csv", "log.html"] if "log.html" in arguments else ["log.csv"]
    given = ["--label", "clicked", "--score", "old", *arguments]
    result = CliRunner().invoke(main, ["report", *data, *given])
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_notebook_shows_the_page_in_a_frame_of_its_own() -> None:
    report = sqlmetrics.report(LOG, "auc", label="clicked", score="old")
    [frame] = Page(report._repr_html_()).all("iframe")
    assert frame["srcdoc"] == report.html
    assert "style" not in frame


# Pictures of single results


def points_of(picture: str) -> list[list[tuple[float, float]]]:
    """The lines that are drawn for series."""
    paths = re.findall(
        r'<path class="m\d" stroke="[^"]*" stroke-width="2"(?: stroke-dasharray="[^"]*")? d="M([^"]*)"', picture
    )
    lines = [path.split("L") for path in paths if "L" in path]
    return [[(float(x), float(y)) for x, y in (point.split(" ") for point in line)] for line in lines]


def test_a_curve_is_drawn_where_its_numbers_are() -> None:
    result = sqlmetrics.roc_curve(LOG, label="clicked", score="old")
    chart = sqlmetrics.plot(result)
    [line] = points_of(chart.svg)
    ElementTree.fromstring(chart.svg)
    (left, bottom), (right, top) = line[0], line[-1]
    drawn = [((x - left) / (right - left), (y - bottom) / (top - bottom)) for x, y in line]
    curve = result[["fpr", "tpr"]].to_numpy()
    for point in drawn:
        assert np.abs(curve - point).max(axis=1).min() < 0.003
    assert len(line) <= len(curve)


def test_models_and_slices_share_a_picture() -> None:
    for metric in ("roc_curve(points=9)", "pr_curve(points=9)", "calibration_curve", "lift_table", "score_histogram"):
        result = sqlmetrics.evaluate(LOG, metric, label="clicked", score=MODELS, by="device")
        chart = sqlmetrics.plot(result)
        picture = ElementTree.fromstring(chart.svg)
        texts = [one.text for one in picture.iter("{http://www.w3.org/2000/svg}text")]
        assert any("device NULL" in str(text) for text in texts)
        assert "<script" not in chart.svg
        assert len(chart.table) == len(result)


def test_days_are_a_line_with_a_band_and_slices_are_dots() -> None:
    given: dict[str, Any] = {"label": "clicked", "score": "old", "confidence": 0.9}
    days = sqlmetrics.plot(sqlmetrics.auc(LOG, by="day", **given))
    assert "band" in days.svg
    assert "2026-03-02" in days.svg
    slices = sqlmetrics.plot(sqlmetrics.auc(LOG, by="device", **given))
    assert "band" not in slices.svg
    assert slices.svg.count("<circle") == 4


def test_a_day_without_a_value_is_a_gap() -> None:
    """Neither the line nor the band goes on over it, and a day alone between two of them has its mark."""
    unknown = LOG["day"].isin(pd.to_datetime(["2026-03-04"]))
    days = pd.concat([LOG.assign(day=LOG["day"] + pd.Timedelta(weeks, "W")) for weeks in range(2)])
    days["clicked"] = days["clicked"].mask(pd.concat([unknown] * 2).to_numpy(), 1)
    found = sqlmetrics.auc(days, label="clicked", score="old", by="day", confidence=0.9)
    assert found["auc"].isna().tolist() == [False, False, True, False] * 2
    drawn = sqlmetrics.plot(found).svg
    [line] = re.findall(r'<path class="m0" stroke="#\w+" stroke-width="2" d="([^"]*)"', drawn)
    stretches = [stretch.count("L") + 1 for stretch in line.split("M")[1:]]
    assert stretches == [2, 3, 1]
    assert len(re.findall(r'class="m0 band"', drawn)) == 2
    assert len(re.findall(r'<circle class="m0 mark"', drawn)) == 6


def test_what_has_no_picture() -> None:
    with pytest.raises(sqlmetrics.BadParameter, match="there is no picture of threshold_table"):
        sqlmetrics.plot(sqlmetrics.threshold_table(LOG, label="clicked", score="old"))
    with pytest.raises(sqlmetrics.BadParameter, match="plot takes what evaluate"):
        sqlmetrics.plot(LOG)
    with pytest.raises(sqlmetrics.BadParameter, match="no metric 'acu'"):
        sqlmetrics.plot(sqlmetrics.auc(LOG, label="clicked", score="old"), "acu")
    with pytest.raises(sqlmetrics.BadParameter, match="nothing to draw"):
        sqlmetrics.plot(sqlmetrics.roc_curve(LOG[:0], label="clicked", score="old"))


def test_the_shell_draws_by_the_ending(tmp_path: Path) -> None:
    LOG.to_csv(tmp_path / "log.csv", index=False)
    asked = ["eval", str(tmp_path / "log.csv"), "-m", "roc_curve(points=20)", "--label", "clicked", "--score", "old"]
    result = CliRunner().invoke(main, [*asked, "-o", str(tmp_path / "curve.svg")])
    assert result.exit_code == 0, result.output
    chart = sqlmetrics.plot(sqlmetrics.roc_curve(str(tmp_path / "log.csv"), label="clicked", score="old", points=20))
    assert (tmp_path / "curve.svg").read_text(encoding="utf-8") == chart.svg
    chart.save(tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text(encoding="utf-8") == chart.svg


# The picture in the pages


def picture() -> str:
    log = str(ROOT / "examples" / "impressions.parquet")
    given: dict[str, Any] = {"label": "clicked", "score": ["pctr_a", "pctr_b"], "cluster": "user_id"}
    return sqlmetrics.plot(sqlmetrics.auc(log, by="day", confidence=0.95, **given)).svg


def test_the_picture_is_that_of_the_example() -> None:
    assert (ROOT / "sql" / "report.svg").read_text(encoding="utf-8") == picture(), (
        "run python -m tests.output.test_report"
    )


if __name__ == "__main__":
    (ROOT / "sql" / "report.svg").write_text(picture(), encoding="utf-8")


def test_rows_of_each_model() -> None:
    """Where one model lacks scores that the other has, each has its own count."""
    holes = LOG.assign(old=LOG["old"].mask(LOG.index < 7))
    with pytest.warns(sqlmetrics.DroppedRows):
        text = sqlmetrics.report(holes, "auc", label="clicked", score=["old", "new & <b>"]).html
    facts = {row[0]: row[1] for row in rows_of(text, "Data, roles and rows")}
    assert values_in(facts["rows used (old)"]) == [1193]
    assert values_in(facts["rows used (new &amp; &lt;b&gt;)"]) == [1200]
    assert values_in(facts["rows dropped (old)"]) == [7]
    assert "rows dropped (new &amp; &lt;b&gt;)" not in facts
    counted = LOG.groupby("old", as_index=False).agg(clicks=("clicked", "sum"), views=("clicked", "size"))
    text = sqlmetrics.report(counted, "auc", positives="clicks", total="views", score="old", cluster="old").html
    facts = {row[0]: row[1] for row in rows_of(text, "Data, roles and rows")}
    assert values_in(facts["rows they stand for"]) == [1200]


def test_a_comparison_has_a_panel_for_each_metric() -> None:
    """Differences of an AUC and of a quotient have no axis in common."""
    found = sqlmetrics.compare(LOG, "auc, copc", label="clicked", score=["old", "new & <b>"], by="device")
    chart = sqlmetrics.plot(found)
    drawn = ElementTree.fromstring(chart.svg)
    bold = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text") if text.get("font-weight") == "bold"]
    assert bold == ["auc", "copc"]
    for name in bold:
        rows = found[found["metric"] == name]
        assert chart.table.loc[chart.table["metric"] == name, "difference"].tolist() == rows["difference"].tolist()
    assert sqlmetrics.plot(found, "copc").table["metric"].unique().tolist() == ["copc"]
    with pytest.raises(sqlmetrics.BadParameter, match=r"no metric 'cop' in the result .did you mean 'copc'"):
        sqlmetrics.plot(found, "cop")
