"""Propensities of positions, which a table holds; the oracle tests of judged data compare their values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import sqlmetrics
from sqlmetrics.cli.main import main
from tests.variants import quiet

METRICS = ["unbiased_dcg@3", "unbiased_ndcg@3", "unbiased_ndcg(normalized_by='weights')"]


def shown() -> pd.DataFrame:
    """Lists of eight, of which a new model has another order; some have no position, or no device."""
    rng = np.random.default_rng(11)
    rows = 320
    position = np.tile(np.arange(1, 9), rows // 8).astype(float)
    position[rng.choice(rows, 9, replace=False)] = np.nan
    return pd.DataFrame({
        "session": np.repeat(np.arange(rows // 8), 8), "place": position, "ad": np.arange(rows),
        "clicked": (rng.random(rows) < 0.3).astype(float), "score": rng.integers(0, 30, rows) / 30,
        "other": rng.integers(0, 30, rows) / 30, "device": rng.choice(["phone", "desktop", None], rows),
        # The names of the table's columns and of our steps, with another meaning.
        "position": "top", "propensity": -1.0, "given_rows": 3,
    })  # fmt: skip


LOG = shown()
#: The last position was never tried.
PROPENSITIES = pd.DataFrame({"position": range(1, 8), "propensity": 1 / np.arange(1, 8)})
ROLES: dict[str, Any] = {"label": "clicked", "score": "score", "group": "session"}
BY_POSITION: dict[str, Any] = {"position": "place", "propensities": PROPENSITIES}
BY_COLUMN: dict[str, Any] = {"propensity": "= case when place < 8 then 1.0 / place end"}


def test_unbiased_dcg_by_hand() -> None:
    """Half of the users saw the second position and a quarter the third, whose clicks the new order reverses."""
    data = pd.DataFrame({"clicked": [0, 1, 1], "score": [0.1, 0.2, 0.3], "place": [1, 2, 3], "session": 1})
    propensities = pd.DataFrame({"position": [3, 2, 1], "propensity": [0.25, 0.5, 1]})
    result = sqlmetrics.unbiased_dcg(data, **ROLES, position="place", propensities=propensities)
    assert result["unbiased_dcg"].tolist() == pytest.approx([4 + 2 / np.log2(3)], rel=1e-15)


@pytest.mark.parametrize(
    ("function", "options"),
    [("state", {"by": "device"}), ("per_group", {}), ("compare", {"against": LOG.head(160), "cluster": "session"})],
)
def test_positions_equal_a_column_of_propensities(function: str, options: dict[str, Any]) -> None:
    metrics = METRICS[:2] if function == "compare" else METRICS
    results = [
        quiet(lambda given=given: getattr(sqlmetrics, function)(LOG, metrics, **{**ROLES, **options, **given}))
        for given in (BY_POSITION, BY_COLUMN)
    ]
    if function == "state":
        results = [sqlmetrics.evaluate_states(state, METRICS, by="device") for state in results]
    pd.testing.assert_frame_equal(*results, rtol=1e-12)


def test_text_drops_rows_of_positions_that_are_not_in_the_table() -> None:
    """Plain SQL checks no value."""
    roles = {**ROLES, "position": "place", "propensities": "places"}
    with duckdb.connect() as con:
        con.register("log", LOG)
        con.register("places", PROPENSITIES)
        result = con.execute(sqlmetrics.render(METRICS, relation="log", **roles)).df()
    expected = quiet(lambda: sqlmetrics.evaluate(LOG, METRICS, **ROLES, **BY_COLUMN))
    pd.testing.assert_frame_equal(result[expected.columns], expected, rtol=1e-12)


def test_positions_may_be_of_any_type(tmp_path: Path) -> None:
    """A string, a number of any type, one with leading zeros, an expression; NaN and NULL are missing."""
    whole = LOG[LOG["place"].notna()]
    expected = sqlmetrics.evaluate(whole[whole["place"] < 8], METRICS, **ROLES, **BY_COLUMN)
    eighth = int((whole["place"] == 8).sum())
    strings = whole.assign(place=whole["place"].map("slot {:.0f}".format))
    named = PROPENSITIES.assign(position=PROPENSITIES["position"].map("slot {}".format))
    with_nan = pd.concat([PROPENSITIES.astype(float), pd.DataFrame({"position": [np.nan], "propensity": [0.5]})])
    padded, table = tmp_path / "log.csv", tmp_path / "places.csv"
    whole.assign(place=whole["place"].map("{:03.0f}".format)).to_csv(padded, index=False)
    PROPENSITIES.assign(position=PROPENSITIES["position"].map("{:03}".format)).to_csv(table, index=False)
    cases: list[tuple[Any, Any, str, int]] = [
        (strings, named, "place", eighth),
        (LOG, with_nan, "place", eighth + 9),
        (whole.astype({"place": "int8"}), PROPENSITIES.astype({"position": "float32"}), "place", eighth),
        (whole.assign(place=whole["place"] - 1), PROPENSITIES, "= cast(place + 1 as bigint)", eighth),
        (padded, table, "place", eighth),
    ]
    for data, propensities, position, rows in cases:
        message = rf"propensity of position \(.*\), which propensities does not have, in {rows} rows"
        with pytest.warns(sqlmetrics.DroppedRows, match=message):
            result = sqlmetrics.evaluate(data, METRICS, **ROLES, position=position, propensities=propensities)
        pd.testing.assert_frame_equal(result, expected, rtol=1e-12)


@pytest.mark.slow
def test_positions_keep_leading_zeros_at_the_end_of_a_long_file(tmp_path: Path) -> None:
    """The end alone, of either file, shows that 007 is a position of its own."""
    known = {"1": 1.0, "7": 0.5, "007": 0.25}
    log = pd.DataFrame({"place": ["1", "7"] * 15_000 + ["007", "7", "1", "007"]})
    log = log.assign(clicked=log.index % 3 % 2, session=log.index // 4, score=log.index % 5)
    log.to_csv(tmp_path / "log.csv", index=False)
    slots = pd.DataFrame({"position": [f"slot {position}" for position in known], "propensity": known.values()})
    long = pd.DataFrame({"position": range(100, 30_100), "propensity": 1.0})
    pd.concat([long, slots.assign(position=list(known))]).to_csv(tmp_path / "places.csv", index=False)
    expected = sqlmetrics.evaluate(log.assign(p=log["place"].map(known)), METRICS, **ROLES, propensity="p")
    calls: list[tuple[str, Any]] = [("= 'slot ' || place", slots), ("= place || ''", tmp_path / "places.csv")]
    for position, propensities in calls:
        options = {"position": position, "propensities": propensities}
        result = sqlmetrics.evaluate(tmp_path / "log.csv", METRICS, **ROLES, **options)
        pd.testing.assert_frame_equal(result, expected, rtol=1e-12)


# Invalid arguments


@pytest.mark.parametrize(("changed", "error", "message"), [
    ({"propensities": None}, "BadParameter", "needs propensities with position"),
    ({"position": None}, "BadParameter", "needs position with propensities"),
    ({"propensity": "propensity"}, "BadParameter", "give propensity, or position and propensities, not both"),
    (dict.fromkeys(BY_POSITION), "BadParameter", r"needs propensity \(or position and propensities\)"),
    ({"position": "nowhere"}, "MissingColumn", "^position: there is no column 'nowhere'"),
    ({"position": "= nope + 1"}, "SqlMetricsError", "^position: there is no column 'nope'"),
])  # fmt: skip
def test_unbiased_dcg_rejects_invalid_positions(changed: dict[str, Any], error: str, message: str) -> None:
    roles = {name: role for name, role in {**BY_POSITION, **changed}.items() if role is not None}
    with pytest.raises(getattr(sqlmetrics, error), match=message):
        sqlmetrics.evaluate(LOG, "unbiased_dcg", **ROLES, **roles)


@pytest.mark.parametrize(("propensities", "error", "message"), [
    (PROPENSITIES.iloc[[*range(7), 6]], "BadData", r"holds one position twice.* 7 \(2 in all\)"),
    (PROPENSITIES.assign(propensity=0.0), "BadData", r"propensity of position \(column 'place'\): .* not above 0"),
    (PROPENSITIES.assign(propensity=1.5), "BadData", "where the value is not above 0 and up to 1"),
    (PROPENSITIES.assign(propensity="x"), "BadData", "propensities: column 'propensity' is .* a number is needed"),
    (PROPENSITIES.assign(position="1"), "BadData", "position: column 'place' is DOUBLE in the data and VARCHAR"),
    (PROPENSITIES[["position"]], "MissingColumn", "propensities: there is no column 'propensity'"),
])  # fmt: skip
def test_unbiased_dcg_rejects_invalid_propensities(propensities: pd.DataFrame, error: str, message: str) -> None:
    with pytest.raises(getattr(sqlmetrics, error), match=message):
        sqlmetrics.evaluate(LOG, "unbiased_dcg", **ROLES, position="place", propensities=propensities)


def test_other_metrics_do_not_read_propensities() -> None:
    with pytest.raises(sqlmetrics.BadParameter, match="propensities has no meaning for ndcg: leave it out"):
        sqlmetrics.evaluate(LOG, "ndcg", **ROLES, **BY_POSITION)
    result = quiet(lambda: sqlmetrics.evaluate(LOG, ["ndcg", "unbiased_dcg"], **ROLES, **BY_POSITION))
    assert result.iloc[0, :2].tolist() == sqlmetrics.ndcg(LOG, **ROLES).iloc[0].tolist()


@pytest.mark.parametrize("other", [LOG["place"] > 1, LOG["place"].map("{:.0f}".format)], ids=["bool", "digits"])
def test_compare_rejects_positions_of_different_types(other: Any) -> None:
    """The engine would compare a boolean, or a string of digits, with numbers."""
    with pytest.raises(sqlmetrics.BadData, match=r"position: column 'place' is DOUBLE in the data and .* in against"):
        sqlmetrics.compare(LOG, "unbiased_dcg", **ROLES, **BY_POSITION, against=LOG.assign(place=other))


@pytest.mark.slow
def test_cli_and_report_read_propensities(tmp_path: Path) -> None:
    expected = quiet(lambda: sqlmetrics.unbiased_dcg(LOG, **ROLES, **BY_COLUMN))["unbiased_dcg"].item()
    log, places = tmp_path / "log.parquet", str(tmp_path / "places.csv")
    LOG.to_parquet(log)
    PROPENSITIES.to_csv(places, index=False)
    options = ["--label", "clicked", "--score", "score", "--group", "session", "--position", "place",
               "--propensities", places, "--format", "json"]  # fmt: skip
    result = CliRunner().invoke(main, ["eval", str(log), "-m", "unbiased_dcg", *options])
    assert json.loads(result.stdout)[0]["unbiased_dcg"] == pytest.approx(expected, rel=1e-12), result.output
    page = quiet(lambda: sqlmetrics.report(log, "unbiased_dcg", **ROLES, position="place", propensities=places))
    assert f"{expected:.10g}" in page.html
