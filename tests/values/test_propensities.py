"""Propensities of positions in a table; the oracle tests of judged data compare their values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import sqlmetrics
from tests.variants import quiet

METRICS = ["unbiased_dcg@3", "unbiased_ndcg@3", "unbiased_ndcg(normalized_by='weights')"]


def shown() -> pd.DataFrame:
    """Lists of eight with the orders of two models; some rows have no position, or no device."""
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
    """A string, a number with leading zeros; NaN and NULL are missing."""
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
        (padded, table, "place", eighth),
    ]
    for data, propensities, position, rows in cases:
        message = rf"propensity of position \(.*\), which propensities does not have, in {rows} rows"
        with pytest.warns(sqlmetrics.DroppedRows, match=message):
            result = sqlmetrics.evaluate(data, METRICS, **ROLES, position=position, propensities=propensities)
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
    (PROPENSITIES.assign(propensity=1.5), "BadData", "where the value is not above 0 and at most 1"),
    (PROPENSITIES.assign(propensity="x"), "BadData", "propensities: column 'propensity' is .* a number is needed"),
    (PROPENSITIES.assign(position="1"), "BadData", "position: column 'place' is DOUBLE in the data and VARCHAR"),
    (PROPENSITIES[["position"]], "MissingColumn", "propensities: there is no column 'propensity'"),
])  # fmt: skip
def test_unbiased_dcg_rejects_invalid_propensities(propensities: pd.DataFrame, error: str, message: str) -> None:
    with pytest.raises(getattr(sqlmetrics, error), match=message):
        sqlmetrics.evaluate(LOG, "unbiased_dcg", **ROLES, position="place", propensities=propensities)


def test_other_metrics_do_not_read_propensities() -> None:
    with pytest.raises(sqlmetrics.BadParameter, match="propensities is not used by ndcg; remove it"):
        sqlmetrics.evaluate(LOG, "ndcg", **ROLES, **BY_POSITION)
    result = quiet(lambda: sqlmetrics.evaluate(LOG, ["ndcg", "unbiased_dcg"], **ROLES, **BY_POSITION))
    assert result.iloc[0, :2].tolist() == sqlmetrics.ndcg(LOG, **ROLES).iloc[0].tolist()


@pytest.mark.parametrize("other", [LOG["place"] > 1, LOG["place"].map("{:.0f}".format)], ids=["bool", "digits"])
def test_compare_rejects_positions_of_different_types(other: Any) -> None:
    """The engine would compare a boolean, or a string of digits, with numbers."""
    with pytest.raises(sqlmetrics.BadData, match=r"position: column 'place' is DOUBLE in the data and .* in against"):
        sqlmetrics.compare(LOG, "unbiased_dcg", **ROLES, **BY_POSITION, against=LOG.assign(place=other))
