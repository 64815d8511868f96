"""What is said of how often intervals hold the truth is what the last simulation found."""

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
from tests.tiers import slow

_SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    """Those of the last simulation."""
    found: dict[str, Any] = json.loads(coverage_page.FIGURES.read_text(encoding="utf-8"))
    return found


def test_the_page_and_the_picture_are_of_the_last_simulation(figures: dict[str, Any]) -> None:
    page = coverage_page.PAGE.read_text(encoding="utf-8")
    assert coverage_page.between_marks(page) == coverage_page.table(figures), "python -m tests.benchmarks.coverage_page"
    assert coverage_page.PICTURE.read_text(encoding="utf-8") == coverage_page.picture(figures)


def test_every_metric_with_an_interval_is_in_the_tables(figures: dict[str, Any]) -> None:
    known = {metric.name for metrics in coverage.metrics_by_kind().values() for metric in metrics}
    simulated = {name for name, cells in figures["metrics"].items() if cells["500"]["value"]["logs"] > 1}
    missing = " ".join(sorted(known - simulated))
    command = f"python -m tests.benchmarks.coverage --add --users 100 500 --logs 100 60 --metrics {missing}"
    assert not missing, f"{command} && python -m tests.benchmarks.coverage_page"
    assert simulated == known
    compared = {name for name, cells in figures["metrics"].items() if "twin" in cells["500"]}
    scored = {
        m.name
        for kind, metrics in coverage.metrics_by_kind().items()
        for m in metrics
        if "score" in coverage.ROLES[kind]
    }
    # What does not depend on a score: of these logs all models list the same items, and all are judged.
    sets = {"set_precision", "set_recall", "set_f", "set_map", "utility", "judged_at_k"}
    assert compared == scored - {"idcg", "uncertainty"} - sets


def test_the_picture_shows_each_interval_and_says_how_many_miss(figures: dict[str, Any]) -> None:
    shown = figures["picture"]
    picture = ElementTree.fromstring(coverage_page.PICTURE.read_text(encoding="utf-8"))
    colours = [circle.get("fill") for circle in picture.iter(f"{_SVG}circle")]
    missed = [not low <= shown["truth"] <= high for part in ("rows", "users") for _, low, high in shown[part]]
    assert [colour == coverage_page._MISSED for colour in colours] == missed
    [words] = [text.text for text in picture.iter(f"{_SVG}desc")]
    page = (ROOT / "sql" / "intervals.md").read_text(encoding="utf-8")
    [alternative] = re.findall(r"!\[(.*?)\]\(intervals\.svg\)", page, re.DOTALL)
    assert words in " ".join(alternative.split())


def test_what_is_counted() -> None:
    """Four intervals by hand: one misses the truth, and one is undefined, which holds nothing."""
    intervals = pd.DataFrame({
        "value": [1.0, 2.0, 3.0, 6.0], "low": [0.0, 1.0, 2.5, np.nan], "high": [2.0, 3.0, 3.5, np.nan],
        "se": [1.0, 1.0, 1.0, 1.0], "p": [0.01, 0.5, 0.5, np.nan],
    })  # fmt: skip
    found = coverage.summary(intervals, 2.0)
    spread = np.std([1, 2, 3, 6], ddof=1)
    assert found == {
        "logs": 4, "held": 0.5, "held_mean": 0.5, "bias": pytest.approx(1 / spread, abs=1e-4),
        "error": pytest.approx(1 / spread, abs=1e-4), "undefined": 0.25, "found": 0.25,
    }  # fmt: skip


def test_figures_that_are_added_leave_the_others_as_they_are() -> None:
    old = {"command": "all", "buckets": ["b"], "metrics": {"b": {"500": {}}, "a": {"500": {}}}, "picture": {}}
    new = {"command": "fewer", "buckets": ["b", "c"], "metrics": {"c": {"100": {}}}, "picture": {"not": "this"}}
    found = coverage.added(old, new)
    assert found["metrics"] == {**old["metrics"], **new["metrics"]}
    assert (found["command"], found["buckets"], found["picture"]) == ("all", ["b", "c"], {})
    assert found["later"] == {"c": "fewer"}
    assert "By `fewer`: `c`." in coverage_page.table({**found, "metrics": {}})
    assert coverage.added(found, {**new, "command": "all"})["later"] == {}


def test_a_log_does_not_depend_on_how_many_are_drawn_at_once() -> None:
    tables = [part.to_pandas() for _, part in coverage.logs_in_batches(1, 10, 3)]
    together = pd.concat(tables)
    alone = coverage._arrow([coverage.draw([1], 10, 2, 20)]).to_pandas()
    pd.testing.assert_frame_equal(together[together["log"] == 2].reset_index(drop=True), alone)
    assert together["user_id"].nunique() == 30
    assert together.groupby("session_id")["user_id"].nunique().eq(1).all()
    assert not together.duplicated(["session_id", "item"]).any()


@pytest.mark.parametrize(
    "names", slow(["auc", "ks"], ["ndcg"], ["macro_f1"], ["novelty"], ["anlp"], ["multi_log_loss"])
)
def test_a_small_simulation(names: list[str]) -> None:
    """Each kind of data is asked for what the table needs."""
    simulation = coverage.Simulation(names)
    simulation.put([coverage._arrow([coverage.draw([0], 50)])])
    truths = simulation.truths()
    found = coverage.simulate(simulation, 1, 60, 2)
    figures = coverage.figures_of({60: found}, truths, {60: 2}, 1, 50)
    assert set(figures["metrics"]) == set(names) == set(truths)
    for name in names:
        cells = figures["metrics"][name]["60"]
        assert cells["value"]["logs"] == 2
        assert cells["value"]["undefined"] == 0
        assert ("twin" in cells) == (name not in ("macro_f1", "anlp", "multi_log_loss"))
