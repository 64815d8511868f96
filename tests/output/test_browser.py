"""The page of `report` in Chromium, where axe-core checks its accessibility.

`python -m tests.output.test_browser` takes the screenshot for the README.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sqlmetrics
from sqlmetrics.reporting import charts
from sqlmetrics.reporting.heat import heat_map
from sqlmetrics.reporting.svg import WIDTH, Chart
from tests import ROOT, optional
from tests.output import logs

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "examples" / "impressions.parquet"
MODELS: dict[str, Any] = {"label": "clicked", "score": ["pctr_a", "pctr_b"], "cluster": "user_id"}
PHONE, TABLET, DESKTOP = 360, 768, 1440


def example() -> sqlmetrics.Report:
    return sqlmetrics.report(EXAMPLE, **MODELS, group="session_id", by=["device", "day"])


def long_names() -> sqlmetrics.Report:
    """Names without line breaks, more models than colours, and long slice values."""
    names = [f"model_{number}_{'with_a_name_that_goes_on_' * 4}" for number in range(7)]
    scores = ", ".join(f"pctr_a + {number} / 1000.0 as {name}" for number, name in enumerate(names))
    source = f"select *, {scores} from '{EXAMPLE}'"
    by = [f"a_slice_of_a_long_name = case when device is null then '{'no_device_' * 30}' else device end"]
    return sqlmetrics.report(source, "auc, mae", label="clicked", score=names, by=by, where="day < date '2026-03-04'")


REPORTS: dict[str, Callable[[], sqlmetrics.Report]] = {
    "example": example,
    "long_names": long_names,
    "classes": lambda: sqlmetrics.report(logs.classes(12), **logs.CLASSES, by="device"),
    "numbers": lambda: sqlmetrics.report(logs.prices(), **logs.PRICES, by="region"),
    "searches": lambda: sqlmetrics.report(logs.searches(), **logs.SEARCHES, by="market"),
}


@contextmanager
def start_browser() -> Iterator[Any]:
    """The installed Chromium or Chrome; Playwright's own browsers are not downloaded."""
    playwright = optional.package("playwright.sync_api")
    program = optional.program("chromium", "google-chrome")
    with playwright.sync_playwright() as started:
        # The sandbox does not work in containers, and the pages are trusted.
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with start_browser() as started:
        yield started


UNFOLD = "document.querySelectorAll('details').forEach(element => element.open = true)"
#: Elements that overflow the page, except those in scrollable regions.
OVERFLOWING = """[...document.body.querySelectorAll('*')]
    .filter(element => !element.closest('.wide') && !element.classList.contains('skip'))
    .map(element => [element.getBoundingClientRect(), element.outerHTML.slice(0, 120)])
    .filter(([box]) => box.right > innerWidth + 1 || box.left < -1)"""
#: Labels that overflow their picture.
CLIPPED = """[...document.querySelectorAll('svg')].flatMap(picture => {
    const paper = picture.getBoundingClientRect();
    return [...picture.querySelectorAll('text')].filter(text => {
        const box = text.getBoundingClientRect();
        return box.left < paper.left - 1 || box.right > paper.right + 1 || box.bottom > paper.bottom + 1
            || box.top < paper.top - 1;
    }).map(text => text.textContent);
})"""


#: Pairs of overlapping labels in a picture. Rotated labels are excluded, because their boxes are larger.
OVERLAPPING = """[...document.querySelectorAll('svg')].flatMap(picture => {
    const texts = [...picture.querySelectorAll('text:not([transform])')]
        .map(text => [text.textContent, text.getBoundingClientRect()]).filter(([text]) => text);
    return texts.flatMap(([first, box], index) => texts.slice(index + 1)
        .filter(([, other]) => Math.min(box.right, other.right) - Math.max(box.left, other.left) > 0.5
            && Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top) > 3)
        .map(([second]) => `${first} | ${second}`));
})"""


def draw_charts() -> list[Chart]:
    """Charts with long names and several models, metrics and classes."""
    compare, long_name = sqlmetrics.compare, "a device whose name goes on and on, wider than the axis"
    scores = ", ".join(f"pctr_a * (1 - {number} / 100.0 * position) as model_{number}" for number in range(1, 5))
    source = f"select *, {scores} from '{EXAMPLE}' where day < date '2026-03-06'"
    five: dict[str, Any] = {**MODELS, "score": ["pctr_a", *(f"model_{number}" for number in range(1, 5))]}
    by_long = f"device = case when device is null then '{long_name}' else device end"
    names = [f"class {number}" for number in range(12)]
    shares = [[1 / (1 + abs(row - column)) for column in range(12)] for row in range(12)]
    texts = [[f"{share:.0%}" for share in row] for row in shares]
    table = pd.DataFrame({"actual": names})
    intervals: dict[str, Any] = {"confidence": 0.95}
    many = compare(source, "auc, log_loss, brier, copc, ece, average_precision", **MODELS)
    return [
        sqlmetrics.plot(many), charts.differences(many, WIDTH),
        sqlmetrics.plot(compare(source, "auc, copc", **five, by=by_long)),
        charts.differences(compare(source, "auc", **MODELS, by=by_long), WIDTH),
        sqlmetrics.plot(sqlmetrics.gaps(source, "auc, copc", **MODELS, by="device", **intervals)),
        sqlmetrics.plot(sqlmetrics.evaluate(source, "auc, copc, log_loss", **MODELS, by="day", **intervals)),
        sqlmetrics.plot(sqlmetrics.evaluate(source, "auc, copc", **five, by=by_long, **intervals)),
        sqlmetrics.plot(sqlmetrics.drift(source, ["pctr_a", "pctr_b"], current="position > 3", reference="true")),
        charts.roc(sqlmetrics.roc_curve(source, points=20, label="clicked", score=five["score"]),
                   dict.fromkeys(five["score"], "AUC 0.7421")),
        heat_map("Classes", "Shares.", names, shares, texts, ("actual", "predicted"), table),
    ]  # fmt: skip


def test_labels_of_charts_do_not_overlap_or_overflow(browser: Any) -> None:
    """On a small screen, embedded charts have larger letters; a chart in a file has a title."""
    style, drawn = (ROOT / "sqlmetrics" / "reporting" / "report.css").read_text(encoding="utf-8"), draw_charts()
    pages = [f"<style>{style}</style>{''.join(map(Chart.drawn, drawn))}", "".join(chart.svg for chart in drawn)]
    with closing(browser.new_page(viewport={"width": PHONE, "height": 900})) as page:
        for text in pages:
            page.set_content(text)
            assert page.evaluate("document.querySelectorAll('svg').length") == len(drawn)
            assert page.evaluate(CLIPPED) == []
            assert page.evaluate(OVERLAPPING) == []


def assert_accessible(page: Any) -> None:
    result = optional.package("axe_playwright_python.sync_playwright").Axe().run(page).response
    assert {"heading-order", "color-contrast", "td-headers-attr"} <= {rule["id"] for rule in result["passes"]}
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in result["violations"]] == []


@pytest.mark.parametrize("name", REPORTS)
def test_page_fits_screens_and_paper_and_is_accessible(browser: Any, name: str, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    REPORTS[name]().save(path)
    messages: list[str] = []
    requests: list[str] = []
    with closing(browser.new_page(viewport={"width": PHONE, "height": 900}, color_scheme="dark")) as page:
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        assert messages == []
        assert requests == [path.as_uri()]
        # The content policy of the page allows its style.
        assert page.evaluate("getComputedStyle(document.querySelector('table')).borderCollapse") == "collapse"
        assert page.evaluate(CLIPPED) == []
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
        reached: set[str] = set()
        while "BODY" not in reached and not {"A", "DIV", "SUMMARY"} <= reached:
            reached.add(page.evaluate("document.activeElement.tagName"))
            page.keyboard.press("Tab")
        assert {"A", "DIV", "SUMMARY"} <= reached
        assert_accessible(page)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": DESKTOP, "height": 900})
        if name == "numbers":  # folded tables take three times as long
            page.evaluate(UNFOLD)
        assert_accessible(page)
        page.evaluate(UNFOLD)
        for width in (PHONE, TABLET, DESKTOP):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate(OVERFLOWING) == []
            # The first screen includes the answer.
            page.evaluate("scrollTo(0, 0)")
            answered = page.evaluate("document.querySelector('.tiles').getBoundingClientRect().bottom")
            assert answered < 900 or name == "long_names"
        tables = page.evaluate("document.querySelectorAll('table').length")
        assert page.evaluate("document.querySelectorAll('.wide[tabindex=\"0\"]').length") == tables
        # A landscape sheet is 1,032 pixels wide without margins.
        page.set_viewport_size({"width": 1032, "height": 720})
        page.emulate_media(media="print")
        assert page.evaluate("document.documentElement.scrollWidth") <= 1032
        assert page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
        sheets = page.pdf(prefer_css_page_size=True)
        [(width, height)] = set(re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", sheets))
        assert float(width) > float(height)


#: Parts of the report that the screenshot for the README omits.
REMOVE = """() => {
    const parts = 'nav, #evaluated, #calibration, #scores, #slices, details, section section p, #order p';
    document.querySelectorAll(parts).forEach(element => element.remove());
    document.querySelector('.beside').remove();
}"""


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, start_browser() as started:
        path = Path(folder) / "report.html"
        # The path as in the README, relative to the root.
        better = {**MODELS, "score": MODELS["score"][::-1], "by": "device"}
        sqlmetrics.report("examples/impressions.parquet", "auc, copc, log_loss", **better).save(path)
        shown = started.new_page(viewport={"width": 960, "height": 600})
        shown.goto(path.as_uri())
        shown.evaluate(REMOVE)
        shown.screenshot(path=ROOT / "examples" / "report.png", full_page=True)
