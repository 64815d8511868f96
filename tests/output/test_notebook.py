"""Results in a notebook: their HTML has the numbers of the DataFrame, which remains a plain one."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import sqlmetrics
from tests import ROOT
from tests.output.logs import HOSTILE, SVG

LOG = str(ROOT / "examples" / "impressions.parquet")
MODELS: dict[str, Any] = {"label": "clicked", "score": ["pctr_a", "pctr_b"]}


def html_of(result: pd.DataFrame) -> str:
    """The HTML that IPython displays."""
    text = vars(result)["_repr_html_"]()
    assert isinstance(text, str)
    return text


def shown(result: pd.DataFrame) -> tuple[list[str], list[list[str]], ElementTree.Element]:
    """The headings, the rows of cells and the root element of the HTML."""
    root = ElementTree.fromstring(html_of(result))
    headings, *rows = [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]
    return headings, rows, root


@pytest.fixture(scope="module")
def compared() -> pd.DataFrame:
    return sqlmetrics.compare(LOG, "auc, log_loss, copc", by="device", cluster="user_id", **MODELS)


def test_a_comparison_has_the_numbers_and_verdicts_of_the_result(compared: pd.DataFrame) -> None:
    headings, rows, root = shown(compared)
    assert headings == ["device", "metric", "pctr_a → pctr_b", "Δ [low, high]", "adj. p", "verdict"]
    chips = {
        "worse": "▼ worse",
        "no difference seen": "– undecided",
        "differs, not closer to 1": "◆ differs, not closer to 1",
    }
    assert {*compared["verdict"]} == {*chips}
    for row, record in zip(rows, compared.to_dict("records"), strict=True):
        device = "NULL" if pd.isna(record["device"]) else record["device"]
        assert row[:2] == [device, record["metric"]]
        numbers = [float(text) for text in re.findall(r"-?\d+\.\d+", " ".join(row[2:4]))]
        names = ("baseline_value", "value", "difference", "difference_low", "difference_high")
        assert numbers == pytest.approx([record[name] for name in names], abs=6e-5)
        assert row[-1] == chips[record["verdict"]]
    assert [svg.find(f"{SVG}title").text for svg in root.iter(f"{SVG}svg")] == [sqlmetrics.plot(compared).title]  # type: ignore[union-attr]
    note = "".join(root.find("p").itertext())  # type: ignore[union-attr]
    assert note == f"9 rows × 16 columns: {', '.join(compared.columns)}."


def test_a_better_model_and_one_without_a_test_have_other_shapes() -> None:
    better = sqlmetrics.compare(LOG, "auc", label="clicked", score=["pctr_b", "pctr_a"], cluster="user_id")
    assert shown(better)[1][0][-1] == "▲ better"
    log = pd.DataFrame({"y": [0, 1], "a": [0.1, 0.2], "b": [0.2, 0.1], "user": [1, 1]})
    untested = sqlmetrics.compare(log, "auc", label="y", score=["a", "b"], cluster="user")
    assert untested["verdict"].isna().all()
    assert shown(untested)[1][0][-1] == "– not tested"


def test_gaps_and_drift_are_compact_tables_with_a_chart() -> None:
    gaps = sqlmetrics.gaps(LOG, "auc", by="device", confidence=0.95, **MODELS)
    headings, rows, root = shown(gaps)
    assert headings == ["model", "metric", "highest (device)", "lowest (device)", "difference [low, high]", "adj. p"]
    assert [row[2] for row in rows] == [f"{gap.highest:.4f} {gap.highest_device}" for gap in gaps.itertuples()]
    drift = sqlmetrics.drift(LOG, ["pctr_a", "device"], current="position = 1", reference="position > 1")
    headings, rows, other = shown(drift)
    assert headings[:2] == ["column_name", "n_reference → n"]
    assert [row[1] for row in rows] == [f"{n_reference} → {n}" for n_reference, n in drift[["n_reference", "n"]].values]
    assert [len([*tree.iter(f"{SVG}svg")]) for tree in (root, other)] == [1, 1]


@pytest.mark.parametrize(("call", "drawn"), [
    ({"metrics": "auc", "by": "day"}, True),
    ({"metrics": "auc", "by": "user_id"}, False),
    ({"metrics": "auc"}, True),
    ({"metrics": "auc", "score": "pctr_a"}, False),
    ({"metrics": "auc", "by": [[], ["device"]]}, True),
    ({"metrics": "calibration_curve"}, True),
    ({"metrics": "threshold_table"}, False),
])  # fmt: skip
def test_results_with_a_plot_of_few_marks_are_drawn(call: dict[str, Any], drawn: bool) -> None:
    result = sqlmetrics.evaluate(LOG, **{**MODELS, **call})
    _, rows, root = shown(result)
    assert len([*root.iter(f"{SVG}svg")]) == drawn
    assert len(rows) == (len(result) if len(result) <= 60 else 20)


def test_a_long_curve_is_folded_below_its_chart() -> None:
    curve = sqlmetrics.roc_curve(LOG, **MODELS)
    _, rows, root = shown(curve)
    picture, folded = root
    assert (picture[0].tag, folded.tag) == (f"{SVG}svg", "details")
    assert folded[0].text == f"{len(curve):,} rows"
    assert len(rows) == 20
    short = shown(sqlmetrics.roc_curve(LOG, points=5, **MODELS))[2]
    assert [*short.iter("details")] == []


def test_long_tables_show_their_first_rows_and_the_number_of_all() -> None:
    groups = sqlmetrics.per_group(LOG, "mrr", label="clicked", score="pctr_a", group="session_id")
    _, rows, root = shown(groups)
    assert [row[0] for row in rows] == groups["session_id"].head(20).tolist()
    note = "".join(root.find("p").itertext())  # type: ignore[union-attr]
    assert note == f"{len(groups):,} rows × 3 columns: session_id, n, mrr. The first 20 rows are shown."


def test_names_and_values_are_escaped() -> None:
    rng = np.random.default_rng(1)
    log = pd.DataFrame({"y": rng.integers(0, 2, 80), "<b>": rng.random(80), "new & <i>": rng.random(80)})
    log["<script>"] = HOSTILE
    result = sqlmetrics.compare(log, "auc", label="y", score=["<b>", "new & <i>"], by="<script>")
    headings, rows, root = shown(result)
    assert (headings[0], headings[2]) == ("<script>", "<b> → new & <i>")
    assert rows[0][0] == HOSTILE.replace("\n", "\\n")
    assert {element.tag.removeprefix(SVG) for element in root.iter()} & {"script", "style", "b", "i"} == set()


def test_charts_of_one_notebook_have_ids_of_their_own() -> None:
    texts = [html_of(sqlmetrics.auc(LOG, by=name, **MODELS)) for name in ("device", "day")]
    first, second = [{*re.findall(r'id="(.+?)"', text)} for text in texts]
    assert len(first) == len(second) == 2
    assert not first & second
    assert {*re.findall(r'labelledby="(.+?)"', texts[0])} == {" ".join(sorted(first, reverse=True))}


def test_a_result_is_a_plain_data_frame(compared: pd.DataFrame, tmp_path: Path) -> None:
    plain = pd.DataFrame(compared)
    assert type(compared) is pd.DataFrame
    assert repr(compared) == repr(plain)
    pd.testing.assert_frame_equal(compared, plain)
    pd.testing.assert_frame_equal(plain, compared)
    loaded = pickle.loads(pickle.dumps(compared))
    for other in (loaded, compared.copy(), copy.deepcopy(compared), pd.concat([compared]), compared.head(99)):
        pd.testing.assert_frame_equal(other, compared)
        assert "_repr_html_" not in vars(other)
        assert other.attrs == compared.attrs
    assert b"sqlmetrics" not in pickle.dumps(compared)
    assert pl.from_pandas(compared).height == len(compared)
    assert duckdb.execute("select count(*) from compared").fetchall() == [(len(compared),)]
    compared.to_parquet(tmp_path / "compared.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "compared.parquet"), compared)


def test_pandas_displays_changed_results_with_its_options() -> None:
    result = sqlmetrics.auc(LOG, by="device", **MODELS)
    with pd.option_context("display.notebook_repr_html", False):
        assert vars(result)["_repr_html_"]() is None
    result["gini"] = 2 * result["auc"] - 1
    assert html_of(result) == result.copy()._repr_html_()  # type: ignore[operator]
