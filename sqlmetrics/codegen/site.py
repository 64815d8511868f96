"""Build the site strictly: `python -m sqlmetrics.codegen.site FOLDER` writes its pages and FOLDER/html.

The site has the handwritten pages of the repository. A link to the file of a metric becomes a link to the metric's
page, and a link to the folder `sql/macros` one to the list of metrics. A link to a file without a page becomes text.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from ..catalogue.registry import builtin_catalogue
from .pages import FAMILIES, by_family
from .reference import METRICS, metric_page, reference_pages

_ROOT = Path(__file__).parents[2]
_SETTINGS = _ROOT / ".site"
_PAGES = ("README.md", "CHANGELOG.md", "sql/*.md", "examples/**/*.md",
          ".github/CONTRIBUTING.md", ".github/MAINTAINING.md", ".github/SECURITY.md")  # fmt: skip
_IMAGES = (".svg", ".png")
_METRIC_FILE = re.compile(r"sql/macros/\w+/(\w+)\.sql")
#: A fenced block or inline code, in which nothing is a link, or a link.
_LINK = re.compile(r"(?P<code>^```.*?^```|`[^`\n]+`)|(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)",
                   re.MULTILINE | re.DOTALL)  # fmt: skip
_COMMENT = re.compile(r"^<!--.*?-->$", re.MULTILINE | re.DOTALL)


class Site:
    """The pages of the repository and of the reference, and the files that they show."""

    def __init__(self) -> None:
        self.catalogue = builtin_catalogue()
        paths = [path for pattern in _PAGES for path in sorted(_ROOT.glob(pattern))]
        ignored = {".venv", "dbt_packages", "target"}
        by_hand = {path.relative_to(_ROOT).as_posix(): path for path in paths if not ignored & {*path.parts}}
        texts = {page: path.read_text(encoding="utf-8") for page, path in by_hand.items()}
        #: The Markdown of each page, by its path in the repository.
        self.pages = {**texts, **reference_pages(self.catalogue)}
        self.images: set[str] = set()

    def write(self, folder: Path) -> None:
        """Write the pages, the images and the settings of the builder."""
        for page, text in self.pages.items():
            path = folder / "pages" / _site_path(page)
            path.parent.mkdir(parents=True, exist_ok=True)
            front = "---\nhide: [navigation]\n---\n\n" if page == "README.md" else ""
            path.write_text(front + self.on_site(page, text), encoding="utf-8")
        for image in self.images:
            (folder / "pages" / image).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(_ROOT / image, folder / "pages" / image)
        shutil.copytree(_SETTINGS / "assets", folder / "pages" / "assets")
        settings = {
            "INHERIT": str(_SETTINGS / "mkdocs.yml"),
            "docs_dir": str(folder / "pages"),
            "site_dir": str(folder / "html"),
            "theme": {"custom_dir": str(_SETTINGS / "theme")},
            "nav": self._navigation(),
        }
        (folder / "mkdocs.yml").write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")

    def on_site(self, page: str, text: str) -> str:
        """The text with the links of the site."""

        def rewritten(link: re.Match[str]) -> str:
            if link["code"]:
                # Here a bar in the code of a table needs no backslash.
                return link[0] if link[0].startswith("```") else link[0].replace("\\|", "|")
            return self._link(page, link)

        text = _COMMENT.sub("", text).replace("<details>", '<details markdown="1">')
        return _LINK.sub(rewritten, text)

    def _link(self, page: str, link: re.Match[str]) -> str:
        path, mark, fragment = link["target"].partition("#")
        # The notes of a metric link another metric by its name alone.
        in_notes = not path and page.startswith("reference/metrics/")
        if ":" in path or (not path and not in_notes):
            return link[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
        metric = _METRIC_FILE.fullmatch(target)
        name = metric[1] if metric else fragment if in_notes else ""
        if name in self.catalogue.metrics:
            target, mark, fragment = metric_page(name), "", ""
        elif target.startswith("sql/macros") and (_ROOT / target).is_dir():
            family = FAMILIES.get(posixpath.basename(target), "")
            anchor = re.sub(r"[^\w\s-]", "", family.lower()).replace(" ", "-")
            target, mark, fragment = METRICS, "#" if anchor else "", anchor
        if target in self.pages:
            target = _site_path(target)
        elif not (_ROOT / target).exists():
            raise SystemExit(f"{page}: there is no {link['target']}")
        elif target.endswith(_IMAGES):
            self.images.add(target)
        else:
            return link["text"]
        address = posixpath.relpath(target, posixpath.dirname(_site_path(page)) or ".")
        return f"{link['image']}[{link['text']}]({address}{mark}{fragment})"

    def _navigation(self) -> list[Any]:
        """The navigation of the settings, without absent pages; `folder/*` means the pages that it does not list."""
        declared = yaml.safe_load((_SETTINGS / "navigation.yml").read_text(encoding="utf-8"))
        rest = [page for page in self.pages if page not in set(_paths(declared))]

        def entries(items: list[Any]) -> Iterator[Any]:
            for item in items:
                title, path = next(iter(item.items())) if isinstance(item, dict) else (None, item)
                if isinstance(path, list):
                    section = list(entries(path))
                    yield from [{title: section}] if section else []
                elif path == "reference/metrics/*":
                    for family, metrics in by_family(self.catalogue).items():
                        pages = [{metric.name: metric_page(metric.name)} for metric in metrics]
                        yield {FAMILIES.get(family, family).partition(":")[0]: pages}
                elif path.endswith("*"):
                    yield from (_site_path(page) for page in rest if page.startswith(path[:-1]))
                elif path in self.pages:
                    yield {title: _site_path(path)} if title else _site_path(path)

        return list(entries(declared))


def _paths(navigation: list[Any]) -> Iterator[str]:
    for item in navigation:
        path = next(iter(item.values())) if isinstance(item, dict) else item
        yield from _paths(path) if isinstance(path, list) else [path]


def _site_path(page: str) -> str:
    """The path of a page on the site; a README is the index of its folder."""
    folder, name = posixpath.split(page.removeprefix("."))
    return posixpath.join(folder, "index.md" if name == "README.md" else name)


def build(site: Site, folder: Path) -> Path:
    """Write and build the site in a new folder."""
    folder = folder.resolve()
    folder.mkdir(parents=True)
    site.write(folder)
    run_builder(folder / "mkdocs.yml")
    return folder / "html"


def run_builder(settings: Path) -> None:
    """Run the builder; a warning is an error."""
    # Not `--quiet`, with which `--strict` sees no warnings.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(settings)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    builder = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if builder.returncode:
        raise SystemExit(builder.stdout + builder.stderr)


if __name__ == "__main__":
    started = time.monotonic()
    html = build(Site(), Path(sys.argv[1]))
    print(f"{len(list(html.rglob('*.html')))} pages in {time.monotonic() - started:.1f} s: {html / 'index.html'}")
