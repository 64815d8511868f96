"""The page and the picture of the coverage of intervals match the last simulation."""

from __future__ import annotations

import json
import re

from tests import ROOT
from tests.benchmarks import coverage, coverage_page

FIGURES = json.loads(coverage_page.FIGURES.read_text(encoding="utf-8"))


def test_page_and_picture_match_figures() -> None:
    page = coverage_page.PAGE.read_text(encoding="utf-8")
    assert coverage_page.between_marks(page) == coverage_page.table(FIGURES), "python -m tests.benchmarks.coverage_page"
    picture = coverage_page.picture(FIGURES)
    assert coverage_page.PICTURE.read_text(encoding="utf-8") == picture
    page = (ROOT / "sql" / "intervals.md").read_text(encoding="utf-8")
    [alternative] = re.findall(r"!\[(.*?)\]\(intervals\.svg\)", page, re.DOTALL)
    [description] = re.findall(r"<desc[^>]*>(.*?)</desc>", picture)
    assert description in " ".join(alternative.split())


def test_figures_are_of_metrics_with_interval() -> None:
    """A new metric is simulated before a release (`.github/MAINTAINING.md`)."""
    simulated = {name for name, cells in FIGURES["metrics"].items() if cells["500"]["value"]["logs"] > 1}
    assert simulated <= {metric.name for metrics in coverage.metrics_by_data_type().values() for metric in metrics}
