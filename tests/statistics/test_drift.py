"""Drift of columns on every engine, against SciPy and NumPy."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats
from scipy.spatial import distance

import sqlmetrics
from tests.calls import shell
from tests.dbt.test_reference import made
from tests.parameters import slow
from tests.statistics.test_states import States

COLUMNS, CATEGORIES = ["score", "price", "clicks"], ["country"]
DISTANCES = ["psi", "ks_distance", "jensen_shannon", "wasserstein"]


def make_rows(seed: int, count: int, shift: float) -> pd.DataFrame:
    """A score without ties, a price far from 0, counts with ties and strings; each with missing values."""
    rng = np.random.default_rng(seed)
    countries = np.array(["de", "at", "O'Brien", None], dtype=object)
    return pd.DataFrame({
        "score": np.where(rng.random(count) < 0.1, np.nan, rng.normal(shift, 1, count)),
        "price": 1.7e9 + rng.lognormal(shift, 1, count).round(2),
        "clicks": rng.poisson(2 + shift, count).astype(float),
        "country": countries[rng.choice(4, count, p=[0.5 - shift / 4, 0.2, 0.2, 0.1 + shift / 4])],
        "device": rng.choice(["phone", "desktop"], count), "w": rng.integers(0, 4, count).astype(float),
    })  # fmt: skip


BEFORE, AFTER = make_rows(1, 700, 0.0), make_rows(2, 500, 0.4)


def bin_ids(values: pd.Series, reference: pd.Series, bins: int) -> Any:
    """The bins between quantiles, which include their upper edge; a value that fills a bin has one of its own."""
    edges = np.unique(np.quantile(reference, np.arange(1, bins) / bins, method="inverted_cdf"))
    counts = reference.value_counts()
    frequent = counts.index[counts * bins >= len(reference)]
    return np.searchsorted(edges, values, side="left") + values.isin(frequent) / 2


def expected_distances(current: pd.Series, reference: pd.Series, bins: int = 10, eps: float = 1e-4) -> Any:
    """The distances by SciPy; PSI by its definition."""
    current, reference = current.dropna(), reference.dropna()
    strings = not pd.api.types.is_numeric_dtype(reference)
    ids = [values if strings else bin_ids(values, reference, bins) for values in (current, reference)]
    classes = sorted({*ids[0], *ids[1]})
    p, q = (np.array([(values == name).mean() for name in classes]) for values in ids)
    low, high = np.maximum(p, eps), np.maximum(q, eps)
    values = [
        float(((low - high) * np.log(low / high)).sum()),
        math.nan if strings else stats.ks_2samp(current, reference).statistic,
        float(distance.jensenshannon(p, q, base=2)),
        math.nan if strings else stats.wasserstein_distance(current - reference.min(), reference - reference.min()),
    ]
    return pytest.approx(values, rel=1e-9, nan_ok=True)


@pytest.mark.parametrize(("weight", "bins"), [("w", 7), *slow((None, 10))])
def test_drift_matches_scipy(weight: str | None, bins: int) -> None:
    names = COLUMNS + CATEGORIES
    result = sqlmetrics.drift(AFTER, COLUMNS, categories=CATEGORIES, against=BEFORE, weight=weight,
                              by=[[], ["device"]], bins=bins)  # fmt: skip
    assert result["column_name"].tolist() == names * 3
    assert result["device"].fillna("").tolist() == [""] * 4 + ["desktop"] * 4 + ["phone"] * 4
    for row in result.to_dict("records"):
        sides = [side if row["grouping"] == "overall" else side[side["device"] == row["device"]]
                 for side in (AFTER, BEFORE)]  # fmt: skip
        assert [row["n"], row["n_reference"]] == [len(side) for side in sides]
        counts = [np.ones(len(side), dtype=int) if weight is None else side["w"].astype(int) for side in sides]
        current, reference = (side[row["column_name"]].repeat(count) for side, count in zip(sides, counts, strict=True))
        missing = [current.isna().mean(), reference.isna().mean()]
        assert [row["missing"], row["missing_reference"]] == pytest.approx(missing, abs=1e-15)
        assert [row[name] for name in DISTANCES] == expected_distances(current, reference, bins), row["column_name"]


@pytest.mark.slow
def test_dbt_drift_below(tmp_path: Path) -> None:
    test = made("duckdb", tmp_path).test_drift_below
    with duckdb.connect() as con:
        con.register("later", AFTER)
        con.register("earlier", BEFORE)

        def failures(limit: float | None, **options: Any) -> list[tuple[Any, ...]]:
            defaults = {"columns": COLUMNS, "against": "earlier", "by": "device", "distance": "ks_distance"}
            text = str(test("later", limit, **defaults | options))
            return [(row["slice"], row["reason"]) for row in con.sql(text).df().to_dict("records")]

        assert failures(1) == []
        assert {failure[-1] for failure in failures(0)} == {"the column has drifted"}
        small = failures(1, min_rows=300)
        assert small
        assert all(failure[-1].endswith(" rows; min_rows is 300") for failure in small)
        undefined = [(f"device={device}, column_name=country", "the value is undefined")
                     for device in ("desktop", "phone")]  # fmt: skip
        assert failures(1, columns=None, categories="country") == undefined
        assert failures(1, where="1 = 0") == [("all rows", "no rows at all")]
        with pytest.raises(sqlmetrics.BadParameter, match="distance must be 'psi' or"):
            failures(1, distance="far")
        with pytest.raises(sqlmetrics.BadParameter, match="max_value must be a number, not none"):
            failures(None)
    with pytest.raises(sqlmetrics.BadParameter, match="pass the columns to compare"):
        States().drift("later", against="earlier")


def drift_of(current: Any, reference: Any, **options: Any) -> dict[str, Any]:
    """The row of a column `x`."""
    sides = [pd.DataFrame({"x": values}) for values in (current, reference)]
    [row] = sqlmetrics.drift(sides[0], "x", against=sides[1], **options).to_dict("records")
    return row | {"distances": [row[name] for name in DISTANCES]}


@pytest.mark.slow
def test_drift_without_values_is_undefined() -> None:
    nothing: Any = np.array([], dtype=float)
    for current, reference, missing in (
        (nothing, [1.0, 2.0], [math.nan, 0]), ([1.0, 2.0], nothing, [0, math.nan]),
        (nothing, nothing, [math.nan, math.nan]), ([math.nan], [1.0, 2.0], [1, 0]),
        ([None, None], ["a", "b"], [1, 0]), ([None, None], [1.0, 2.0], [1, 0]), (["a", "b"], [None, None], [0, 1]),
    ):  # fmt: skip
        row = drift_of(current, reference)
        assert [row["n"], row["n_reference"]] == [len(current), len(reference)]
        assert [row["missing"], row["missing_reference"]] == pytest.approx(missing, nan_ok=True)
        assert np.isnan(row["distances"]).all()


def test_drift_drops_rows_without_weight() -> None:
    rows = pd.DataFrame({"x": [1.0, 2.0, 3.0], "w": 0.0})
    [row] = sqlmetrics.drift(rows, "x", against=rows, weight="w").to_dict("records")
    assert row["n"] == 3
    assert np.isnan([row[name] for name in ("missing", *DISTANCES)]).all()
    assert len(sqlmetrics.drift(rows[:0], "x", against=rows[:0], by="w")) == 0
    rows["w"] = [1.0, None, 2.0]
    with pytest.warns(sqlmetrics.DroppedRows, match="weight"):
        assert sqlmetrics.drift(rows, "x", against=rows, weight="w")["n"].tolist() == [2]
    for ours, theirs in ((-1.0, 1.0), (1.0, -1.0)):
        with pytest.raises(sqlmetrics.BadData, match=r"weight .*negative, infinite"):
            sqlmetrics.drift(rows.assign(w=ours), "x", against=rows.assign(w=theirs), weight="w")


@pytest.mark.slow
def test_drift_of_constant_infinite_and_scaled_values() -> None:
    assert drift_of([7.0] * 3, [7.0] * 5)["distances"] == [0, 0, 0, 0]
    psi = 2 * (1 - 1e-4) * math.log(1 / 1e-4)
    assert drift_of([9.0] * 3, [7.0] * 5)["distances"] == pytest.approx([psi, 1, 1, 2], rel=1e-12)
    strings = drift_of(["a"] * 3, ["b"] * 5)["distances"]
    assert strings == pytest.approx([psi, math.nan, 1, math.nan], rel=1e-12, nan_ok=True)
    reference = [0.0, 1.0, 2.0, 3.0]
    infinite, finite = (drift_of([-far, 0.0, 1.0, far], reference, bins=2)["distances"] for far in (math.inf, 1e6))
    assert math.isnan(infinite[3])
    assert infinite[:3] == finite[:3]
    assert finite[3] == pytest.approx(stats.wasserstein_distance([-1e6, 0, 1, 1e6], reference), rel=1e-12)
    current, reference = AFTER["score"].dropna(), BEFORE["score"].dropna()
    for scale in (1e-200, 1e200):  # a distance has the units of its column
        expected = stats.wasserstein_distance(current, reference) * scale
        assert drift_of(current * scale, reference * scale)["wasserstein"] == pytest.approx(expected, rel=1e-9)
    for target, others in ((-1.0, 0), (0.5, 5)):  # a value that fills bins moves
        reference = [0.0] * 95 + [-2.0 + 0.9 * index for index in range(others)]
        assert drift_of([target] * 95 + reference[95:], reference)["psi"] > 5
        assert drift_of(reference, reference)["psi"] == 0


def test_drift_of_types_and_names() -> None:
    values = {"a = b": "x", "Größe": 1, 'say "so"': True, "it's, a": 2.5, "order": None}
    before = pd.DataFrame({name: pd.Series([value] * 3 + [None], dtype=object) for name, value in values.items()})
    names = [*values][:4]
    result = sqlmetrics.drift(before, [*map(sqlmetrics.column, names)], against=before, by=sqlmetrics.column("order"))
    assert result["column_name"].tolist() == names
    assert result["missing"].tolist() == [0.25] * 4
    assert result["ks_distance"].isna().tolist() == [True, False, True, False]
    days = pd.DataFrame({"day": pd.to_datetime(["2026-03-01", "2026-03-02"]), "id": [2**60, 2**60 + 1]})
    next_days = days.assign(day=days["day"] + pd.Timedelta(days=1), id=days["id"] + 1)
    result = sqlmetrics.drift(days, categories=["day", "id"], against=next_days)
    half = distance.jensenshannon([0.5, 0.5, 0], [0, 0.5, 0.5], base=2)
    assert result["jensen_shannon"].tolist() == pytest.approx([half, half], rel=1e-12)


NUMBERS = pd.DataFrame({"x": [1.0, 2.0], "t": pd.to_datetime(["2026-03-01", "2026-03-02"])})
STRINGS = NUMBERS.assign(x=["a", "b"])


@pytest.mark.parametrize(
    ("error", "message", "options"),
    [
        ("BadParameter", "pass the columns to compare", {"columns": None}),
        ("BadParameter", "pass against, or current and reference", {"against": None}),
        ("MissingColumn", "there is no column 'y'", {"columns": "y"}),
        ("BadParameter", "two columns would be called 'X'", {"columns": ["x", "X = x + 1"]}),
        ("BadData", "'t' is TIMESTAMP", {"columns": "t"}),
        ("BadData", "x.*VARCHAR in the data and DOUBLE", {"data": STRINGS}),
        ("BadData", "no numbers of their own as doubles", {"data": pa.table({"x": [2**53, 2**53 + 1]})}),
        ("BadParameter", "bins must be a whole number >= 2", {"bins": 1}),
        ("BadParameter", "eps must be a number between", {"eps": 0}),
        ("BadParameter", "by: the slice 'psi' has the name of", {"by": "psi = t"}),
        ("BadParameter", "current must be an SQL condition", {"current": " "}),
        ("BadParameter", "columns must be a column name", {"columns": [["x"]]}),
        ("QueryFailed", "is an aggregate", {"columns": "m = max(x)"}),
        ("QueryFailed", "where: .* cannot be read", {"against": None, "current": "true); select (1", "reference": "1"}),
        ("BadParameter", "dialect must be one of", {"data": None, "relation": "t", "against": "u", "dialect": "db2"}),
    ],
)  # fmt: skip
def test_drift_rejects_invalid_arguments(error: str, message: str, options: dict[str, Any]) -> None:
    options = {"data": NUMBERS, "columns": "x", "against": NUMBERS, **options}
    data = options.pop("data")
    function: Callable[..., Any] = sqlmetrics.render_drift
    if data is not None:
        function, options["data"] = sqlmetrics.drift, data
    with pytest.raises(getattr(sqlmetrics, error), match=message) as caught:
        function(**options)
    assert type(caught.value).__name__ == error
    assert "\n" not in str(caught.value)


def test_drift_leaves_connection_unchanged() -> None:
    with duckdb.connect() as con:
        con.register("later", AFTER)
        sqlmetrics.drift("later", COLUMNS, against=BEFORE, con=con)
        assert con.sql("select view_name from duckdb_views() where not internal").fetchall() == [("later",)]
        result = sqlmetrics.drift(con.sql("from later"), "half = price / 2", current="w > 1", reference="w <= 1",
                                  where="clicks < 5")  # fmt: skip
    rows = AFTER[AFTER["clicks"] < 5]
    sides = [rows[rows["w"] > 1]["price"] / 2, rows[rows["w"] <= 1]["price"] / 2]
    assert result[DISTANCES].iloc[0].tolist() == expected_distances(*sides)


def test_shell_drift(tmp_path: Path) -> None:
    after, before = str(tmp_path / "after.csv"), str(tmp_path / "before.csv")
    AFTER.to_csv(after, index=False)
    BEFORE.to_csv(before, index=False)
    command = ["drift", after, "--against", before, "--columns", "score,price", "--columns", "country"]
    output = shell(*command, "--by", "device", "--format", "json", "--assert", "psi <= 0.01")
    assert output.exit_code == 1, output.output
    result = pd.DataFrame(json.loads(output.stdout))
    expected = sqlmetrics.drift(AFTER, ["score", "price", "country"], against=BEFORE, by="device")
    assert result["column_name"].tolist() == ["score", "price", "country"] * 2
    assert result["psi"].tolist() == pytest.approx(expected["psi"].tolist(), rel=1e-9)
    assert all(text in output.stderr for text in ("assertion failed: ", "device=desktop", "column_name=score"))
    arguments = ["--columns", "score", "--categories", "country", "--relation", "a", "--against", "b", "--grouping",
                 "device", "--grouping", "overall", "--dialect", "spark", "--round", "4"]  # fmt: skip
    output = shell("sql-drift", *arguments)
    expected = sqlmetrics.render_drift("score", categories="country", relation="a", against="b", by=[["device"], []],
                                       dialect="spark", round=4)  # fmt: skip
    assert output.output == expected
    output = shell("drift", after, "--against", before)
    assert (output.exit_code, output.output.count("\n")) == (2, 1)
