"""The page of `report` in a browser: Debian's Chromium shows it, and axe-core looks for what shuts readers out.

`python -m tests.output.test_browser` makes the picture of the README.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import sqlmetrics
from tests import ROOT, optional

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "examples" / "impressions.parquet"
#: A phone, and a screen on a desk.
WIDTHS = (360, 1440)


def example() -> sqlmetrics.Report:
    asked: dict[str, Any] = {"label": "clicked", "score": ["pctr_a", "pctr_b"], "group": "session_id"}
    return sqlmetrics.report(EXAMPLE, **asked, cluster="user_id", by=["device", "day"])


def openbandit() -> sqlmetrics.Report:
    log = optional.real_data("openbandit") / "men.parquet"
    scores = ["propensity_score", "affinity"]
    return sqlmetrics.report(log, label="click", score=scores, by=["position", "user_feature_0"])


def trec() -> sqlmetrics.Report:
    data = optional.real_data("trec")
    roles = {"label": "relevance", "score": "score", "group": "topic", "item": "docno"}
    return sqlmetrics.report(data / "run.txt", judgments=data / "qrels.txt", preset="trec_eval", **roles)


def long_names() -> sqlmetrics.Report:
    """Names without a place to break them at, more models than colours, and slices that hold all kinds of text."""
    source = f"select *, {', '.join(f'pctr_a + {n} / 1000.0 as {NAMES[n]}' for n in range(7))} from '{EXAMPLE}'"
    by = [f"a_slice_of_a_long_name = case when device is null then '{'no_device_' * 30}' else device end"]
    return sqlmetrics.report(source, "auc, mae", label="clicked", score=NAMES, by=by, where="day < date '2026-03-04'")


NAMES = [f"model_{number}_{'with_a_name_that_goes_on_' * 4}" for number in range(7)]


@contextmanager
def browser_of_the_machine() -> Iterator[Any]:
    """Debian's Chromium, or Chrome: the ones that Playwright would bring are not downloaded."""
    playwright = optional.package("playwright.sync_api")
    program = optional.program("chromium", "google-chrome")
    with playwright.sync_playwright() as started:
        # In a container there is no room for its sandbox, and what it shows here is our own.
        shown = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield shown
        shown.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browser_of_the_machine() as shown:
        yield shown


MADE = {"example": example, "openbandit": openbandit, "trec": trec, "long_names": long_names}


@pytest.fixture(scope="module", params=MADE)
def made_page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    MADE[request.param]().save(path)
    return path


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_is_shown_whole(browser: Any, made_page: Path, width: int, colours: str) -> None:
    axe = optional.package("axe_playwright_python.sync_playwright").Axe()
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=colours)
    try:
        shown = context.new_page()
        said: list[str] = []
        asked_for: list[str] = []
        shown.on("console", lambda message: said.append(message.text))
        shown.on("pageerror", lambda error: said.append(str(error)))
        shown.on("request", lambda request: asked_for.append(request.url))
        shown.goto(made_page.as_uri())
        assert said == []
        assert asked_for == [made_page.as_uri()]
        assert shown.evaluate(UNSTYLED) == 0
        # Once with the tables that are folded, which takes three times as long.
        if (width, colours) == (1440, "light"):
            shown.evaluate(UNFOLD)
        found = axe.run(shown).response
        # It has been at work: it has seen the headings, tables and colours.
        assert {"heading-order", "color-contrast", "td-headers-attr"} <= {one["id"] for one in found["passes"]}
        assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
        shown.evaluate(UNFOLD)
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        assert shown.evaluate(SPILLED) == []
        scrolls = shown.evaluate("document.querySelectorAll('.wide[tabindex=\"0\"]').length")
        assert scrolls == shown.evaluate("document.querySelectorAll('table').length")
    finally:
        context.close()


UNFOLD = "document.querySelectorAll('details').forEach(one => one.open = true)"
#: Elements that reach out of the page, but for those in a region that scrolls by itself.
SPILLED = """[...document.body.querySelectorAll('*')]
    .filter(one => !one.closest('.wide') && !one.classList.contains('skip'))
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1 || one.getBoundingClientRect().left < -1)
    .map(one => one.outerHTML.slice(0, 120))"""
#: The page's own policy must have let its style in.
UNSTYLED = "getComputedStyle(document.querySelector('table')).borderCollapse === 'collapse' ? 0 : 1"


def test_labels_stand_inside_of_their_pictures(browser: Any, made_page: Path) -> None:
    """On the phone too, where they are larger."""
    context = browser.new_context(viewport={"width": min(WIDTHS), "height": 900})
    try:
        shown = context.new_page()
        shown.goto(made_page.as_uri())
        cut = """[...document.querySelectorAll('svg')].flatMap(picture => {
            const paper = picture.getBoundingClientRect();
            return [...picture.querySelectorAll('text')].filter(text => {
                const box = text.getBoundingClientRect();
                return box.left < paper.left - 1 || box.right > paper.right + 1 || box.bottom > paper.bottom + 1;
            }).map(text => text.textContent);
        })"""
        assert shown.evaluate(cut) == []
    finally:
        context.close()


def test_on_paper_nothing_is_cut_off(browser: Any, made_page: Path) -> None:
    """A landscape sheet between its margins is 1,032 pixels wide, and what is wider than it is lost."""
    context = browser.new_context(viewport={"width": 1032, "height": 720})
    try:
        shown = context.new_page()
        shown.emulate_media(media="print")
        shown.goto(made_page.as_uri())
        assert shown.evaluate("document.documentElement.scrollWidth") <= 1032
        assert shown.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
        sheets = shown.pdf(prefer_css_page_size=True)
        [(wide, high)] = set(re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", sheets))
        assert float(wide) > float(high)
    finally:
        context.close()


def test_the_keyboard_reaches_everything(browser: Any, made_page: Path) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 900})
    try:
        shown = context.new_page()
        shown.goto(made_page.as_uri())
        shown.keyboard.press("Tab")
        assert shown.evaluate("document.activeElement.className") == "skip"
        assert shown.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
        reached = {"skip"}
        for _ in range(400):
            shown.keyboard.press("Tab")
            tag = shown.evaluate("document.activeElement.tagName")
            if tag == "BODY":
                break
            reached.add(tag)
        assert {"A", "DIV", "SUMMARY"} <= reached
    finally:
        context.close()


def picture_of_the_example(path: Path) -> None:
    """The parts of the example's report of which the README shows a picture."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        asked: dict[str, Any] = {"label": "clicked", "score": ["pctr_a", "pctr_b"], "cluster": "user_id"}
        # By the path that it has in the README, from the top folder.
        sqlmetrics.report("examples/impressions.parquet", "auc, copc, log_loss", **asked).save(report)
        with browser_of_the_machine() as shown_in:
            shown = shown_in.new_page(viewport={"width": 960, "height": 600})
            shown.goto(report.as_uri())
            shown.evaluate(LEFT_OUT_OF_THE_PICTURE)
            shown.screenshot(path=path, full_page=True)


LEFT_OUT_OF_THE_PICTURE = """() => {
    for (const one of document.querySelectorAll('nav, #evaluated, #calibration, #lift, #scores, #slices, details, p')) {
        one.remove();
    }
    document.querySelectorAll('#scorecard table')[1].remove();
}"""


if __name__ == "__main__":
    picture_of_the_example(ROOT / "examples" / "report.png")
