"""The site: its links, its search, its pages in a browser, and the examples on the pages of metrics."""

from __future__ import annotations

import functools
import json
import re
import shlex
import threading
from collections.abc import Iterator
from contextlib import closing
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from sqlmetrics.catalogue.registry import builtin_catalogue
from sqlmetrics.codegen import site as builder
from tests import ROOT, optional
from tests.calls import shell
from tests.output.test_browser import DESKTOP, PHONE, start_browser

METRICS = builtin_catalogue().metrics
TUTORIAL = "examples/guide/click_model" if (ROOT / "examples/guide/click_model.md").exists() else "examples/index"
SHOWN = ["index.html", "reference/metrics/auc.html", f"{TUTORIAL}.html"]


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site_source() -> builder.Site:
    return builder.Site()


@pytest.fixture(scope="module")
def site(site_source: builder.Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    optional.package("material")
    return builder.build(site_source, tmp_path_factory.mktemp("site") / "built")


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The address of a server of the site."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with start_browser() as started:
        yield started


class Loaded(HTMLParser):
    """The addresses that a browser loads with a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "link" and attributes.get("rel") not in ("next", "prev", "canonical"):
            self.addresses.append(attributes["href"] or "")
        elif tag != "a":
            self.addresses += [
                attributes[name] or "" for name in ("src", "srcset", "data", "poster") if name in attributes
            ]


def test_every_page_is_built_and_loads_nothing_from_elsewhere(site_source: builder.Site, site: Path) -> None:
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")} - {"404.html"}
    assert len(pages) == len(site_source.pages)
    assert {f"reference/metrics/{name}.html" for name in METRICS} <= pages
    for page in pages:
        addresses = Loaded((site / page).read_text(encoding="utf-8")).addresses
        assert any(address.endswith(".css") for address in addresses)
        assert [address for address in addresses if ":" in address or address.startswith("//")] == [], page
    for style in site.rglob("*.css"):
        addresses = re.findall(r"(?:url\(|@import )[\"']?(?!data:)([^)\"']*)", style.read_text(encoding="utf-8"))
        assert [address for address in addresses if ":" in address or address.startswith("//")] == [], style


#: Elements that overflow the page, except those in scrollable boxes.
OVERFLOWING = """[...document.querySelectorAll('.md-content *, .md-header *')]
    .filter(element => !element.closest('.md-typeset__scrollwrap, pre, .tabbed-labels, .md-search'))
    .map(element => [element.getBoundingClientRect(), element.outerHTML.slice(0, 120)])
    .filter(([box]) => box.right > innerWidth + 1 || box.left < -1)"""


@pytest.mark.parametrize(("width", "colours"), [(PHONE, "dark"), (DESKTOP, "light")])
def test_pages_fit_the_screen(browser: Any, site: Path, address: str, width: int, colours: str, tmp_path: Path) -> None:
    requests, messages = [], []
    with closing(browser.new_context(viewport={"width": width, "height": 900}, color_scheme=colours)) as context:
        page = context.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        for name in SHOWN:
            page.goto(f"{address}{name}")
            page.wait_for_load_state("networkidle")
            page.screenshot(path=tmp_path / f"{name.replace('/', '_')}_{width}.png", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate(OVERFLOWING) == [], name
    assert messages == []
    assert {request for request in requests if not request.startswith(address)} == set()


def test_search_finds_the_page_of_a_metric(browser: Any, site: Path, address: str) -> None:
    with closing(browser.new_context(viewport={"width": DESKTOP, "height": 900})) as context:
        page = context.new_page()
        page.goto(address)
        page.type("input.md-search__input", "expected calibration error")
        page.click('.md-search-result__item a[href*="reference/metrics/ece.html"]')
        page.wait_for_url("**/reference/metrics/ece.html*")
        assert page.inner_text("h1").startswith("ece: ")


def test_warnings_are_errors(tmp_path: Path) -> None:
    optional.package("material")
    settings = {"INHERIT": str(ROOT / ".site" / "mkdocs.yml"), "docs_dir": "pages", "nav": ["index.md", "second.md"]}
    (tmp_path / "mkdocs.yml").write_text(yaml.safe_dump(settings))
    (tmp_path / "pages" / "assets").mkdir(parents=True)
    (tmp_path / "pages" / "second.md").write_text("# Second\n")
    (tmp_path / "pages" / "index.md").write_text("# Page\n\n[text](second.md#second)\n")
    builder.run_builder(tmp_path / "mkdocs.yml")
    mistakes = ["other.md", "#part", "second.md#part"]
    (tmp_path / "pages" / "index.md").write_text("# Page\n\n" + " ".join(f"[text]({link})" for link in mistakes))
    with pytest.raises(SystemExit) as warnings:
        builder.run_builder(tmp_path / "mkdocs.yml")
    assert re.findall("WARNING.*link '(.*?)'", str(warnings.value)) == mistakes


#: Links on the page sql/README.md.
LINKS = {
    "[`auc`](macros/binary/auc.sql)": "[`auc`](../reference/metrics/auc.md)",
    "[metrics](macros)": "[metrics](../reference/metrics.md)",
    "[a\nproject](../examples/dbt_project/README.md#part)": "[a\nproject](../examples/dbt_project/index.md#part)",
    "[log](../examples/impressions.parquet)": "log",
    "![picture](intervals.svg)": "![picture](intervals.svg)",
    "[contribute](../.github/CONTRIBUTING.md)": "[contribute](../github/CONTRIBUTING.md)",
    "[part](#part) of [another](https://example.org)": "[part](#part) of [another](https://example.org)",
    "`[a](b.md)`": "`[a](b.md)`",
    "```\n[a](b.md)\n```": "```\n[a](b.md)\n```",
}


def test_links_lead_to_pages(site_source: builder.Site) -> None:
    for link, expected in LINKS.items():
        assert site_source.on_site("sql/README.md", link) == expected
    with pytest.raises(SystemExit, match=r"sql/README\.md: there is no missing\.md"):
        site_source.on_site("sql/README.md", "[text](missing.md)")


FILE = re.compile(r'```text title="(\w+\.csv)"\n(.*?)```', re.DOTALL)


def test_examples_of_metrics_have_the_result_of_their_page(
    site_source: builder.Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As SQL, and for one metric per frame on the shell; the functions' docstrings run the example in Python."""
    monkeypatch.chdir(tmp_path)
    on_shell = {metric.frames: name for name, metric in METRICS.items()}.values()
    for name in METRICS:
        page = re.sub(r"^    ", "", site_source.pages[f"reference/metrics/{name}.md"], flags=re.MULTILINE)
        [(column, shown)] = re.findall(r"The result in the column `(\w+)`: (.*)\.\n", page)
        expected = [pytest.approx(float(value), abs=1e-4) for value in re.findall(r"`(.*?)`", shown)]
        with duckdb.connect() as con:
            for file, text in FILE.findall(page):
                Path(file).write_text(text)
                con.execute(f"create table {Path(file).stem} as from read_csv('{file}', header = true)")
            [text] = re.findall(r"```sql\n(--.*?)```", page, re.DOTALL)
            assert con.sql(text).df()[column].tolist() == expected, name
        [command] = re.findall(r"```sh\nsqlmetrics (.*)\n", page)
        if name not in on_shell:
            continue
        result = shell(*shlex.split(command), "--format", "json")
        assert result.exit_code == 0, (name, result.output)
        assert [row[column] for row in json.loads(result.stdout)] == expected, name


def test_inputs_list_their_alternatives(site_source: builder.Site) -> None:
    page = site_source.pages["reference/metrics/auc.md"]
    assert re.findall(r"^\| `(label|positives|weight)` \| (.*?) \|", page, re.MULTILINE) == [
        ("label", "yes, or `positives` and `total`"),
        ("weight", "no"),
        ("positives", "instead of `label`"),
    ]
