"""The documented coverage of intervals is that of the last simulation."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from tests import ROOT
from tests.benchmarks import coverage, coverage_page
from tests.parameters import slow


@pytest.fixture(scope="module")
def figures() -> Any:
    """The figures of the last simulation."""
    return json.loads(coverage_page.FIGURES.read_text(encoding="utf-8"))


def test_page_and_picture_match_figures(figures: Any) -> None:
    page = coverage_page.PAGE.read_text(encoding="utf-8")
    assert coverage_page.between_marks(page) == coverage_page.table(figures), "python -m tests.benchmarks.coverage_page"
    assert coverage_page.PICTURE.read_text(encoding="utf-8") == coverage_page.picture(figures)


def test_figures_are_of_metrics_with_interval(figures: Any) -> None:
    """A new metric is simulated before a release (`.github/MAINTAINING.md`)."""
    metrics_by_kind = coverage.metrics_by_kind()
    simulated = {name for name, cells in figures["metrics"].items() if cells["500"]["value"]["logs"] > 1}
    assert simulated <= {metric.name for metrics in metrics_by_kind.values() for metric in metrics}
    compared = {name for name, cells in figures["metrics"].items() if "twin" in cells["500"]}
    scored = {metric.name for kind, metrics in metrics_by_kind.items() for metric in metrics
              if "score" in coverage.ROLES[kind]}  # fmt: skip
    # All models list the same items in these logs, and all items are judged.
    sets = {"set_precision", "set_recall", "set_f", "set_map", "utility", "judged_at_k"}
    assert compared == (scored & simulated) - {"idcg", "uncertainty"} - sets


def test_picture_shows_intervals_that_miss(figures: Any) -> None:
    intervals = figures["picture"]
    picture = ElementTree.fromstring(coverage_page.PICTURE.read_text(encoding="utf-8"))
    svg = "{http://www.w3.org/2000/svg}"
    missed = [not low <= intervals["truth"] <= high for part in ("rows", "users") for _, low, high in intervals[part]]
    assert [circle.get("fill") == coverage_page._MISSED for circle in picture.iter(f"{svg}circle")] == missed
    [description] = [text.text for text in picture.iter(f"{svg}desc")]
    page = (ROOT / "sql" / "intervals.md").read_text(encoding="utf-8")
    [alternative] = re.findall(r"!\[(.*?)\]\(intervals\.svg\)", page, re.DOTALL)
    assert description in " ".join(alternative.split())


def test_summary_counts_intervals() -> None:
    """One of four intervals misses the true value, and an undefined one does, too."""
    intervals = pd.DataFrame({
        "value": [1.0, 2.0, 3.0, 6.0], "low": [0.0, 1.0, 2.5, np.nan], "high": [2.0, 3.0, 3.5, np.nan],
        "se": [1.0, 1.0, 1.0, 1.0], "p": [0.01, 0.5, 0.5, np.nan],
    })  # fmt: skip
    error = pytest.approx(1 / np.std([1, 2, 3, 6], ddof=1), abs=1e-4)
    assert coverage.summary(intervals, 2.0) == {
        "logs": 4, "held": 0.5, "held_mean": 0.5, "bias": error, "error": error, "undefined": 0.25, "found": 0.25
    }  # fmt: skip


def test_added_figures_keep_others() -> None:
    old = {"command": "all", "buckets": ["b"], "metrics": {"b": {"500": {}}, "a": {"500": {}}}, "picture": {}}
    new = {"command": "fewer", "buckets": ["b", "c"], "metrics": {"c": {"100": {}}}, "picture": {"not": "this"}}
    figures = coverage.added(old, new)
    assert figures["metrics"] == {**old["metrics"], **new["metrics"]}
    assert (figures["command"], figures["buckets"], figures["picture"]) == ("all", ["b", "c"], {})
    assert figures["later"] == {"c": "fewer"}
    assert "By `fewer`: `c`." in coverage_page.table({**figures, "metrics": {}})
    assert coverage.added(figures, {**new, "command": "all"})["later"] == {}


def test_logs_do_not_depend_on_batches() -> None:
    together = pd.concat([part.to_pandas() for _, part in coverage.logs_in_batches(1, 10, 3)])
    alone = coverage._arrow([coverage.draw([1], 10, 2, 20)]).to_pandas()
    pd.testing.assert_frame_equal(together[together["log"] == 2].reset_index(drop=True), alone)
    assert together["user_id"].nunique() == 30
    assert together.groupby("session_id")["user_id"].nunique().eq(1).all()
    assert not together.duplicated(["session_id", "item"]).any()


@pytest.mark.parametrize("names", slow(["auc", "ks"], ["ndcg"], ["macro_f1"], ["novelty"], ["anlp"],
                                       ["multi_log_loss"]))  # fmt: skip
def test_simulation_of_each_kind_of_data(names: list[str]) -> None:
    simulation = coverage.Simulation(names)
    simulation.put([coverage._arrow([coverage.draw([0], 50)])])
    truths = simulation.truths()
    figures = coverage.figures_of({60: coverage.simulate(simulation, 1, 60, 2)}, truths, {60: 2}, 1, 50)
    assert set(figures["metrics"]) == set(names) == set(truths)
    for name in names:
        cells = figures["metrics"][name]["60"]
        assert (cells["value"]["logs"], cells["value"]["undefined"]) == (2, 0)
        assert ("twin" in cells) == (name not in ("macro_f1", "anlp", "multi_log_loss"))
