"""How far columns have moved, on every engine, against SciPy and NumPy."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from scipy import stats
from scipy.spatial import distance

import sqlmetrics
from sqlmetrics.cli import main
from sqlmetrics.column_types import as_pandas
from tests.dbt.test_reference import made
from tests.engines.servers import ENGINES, READ_BACK
from tests.statistics.test_states import States
from tests.tiers import slow

COLUMNS = ["score", "price", "clicks"]
CATEGORIES = ["country"]
DISTANCES = ["psi", "ks_distance", "jensen_shannon", "wasserstein"]


def rows(seed: int, count: int, shift: float) -> pd.DataFrame:
    """A score that never repeats, a price far from 0, counts that repeat, texts; each with missing values."""
    rng = np.random.default_rng(seed)
    countries = np.array(["de", "at", "O'Brien", None], dtype=object)
    return pd.DataFrame({
        "score": np.where(rng.random(count) < 0.1, np.nan, rng.normal(shift, 1, count)),
        "price": 1.7e9 + rng.lognormal(shift, 1, count).round(2),
        "clicks": rng.poisson(2 + shift, count).astype(float),
        "country": countries[rng.choice(4, count, p=[0.5 - shift / 4, 0.2, 0.2, 0.1 + shift / 4])],
        "device": rng.choice(["phone", "desktop"], count),
        "w": rng.integers(0, 4, count).astype(float),
    })  # fmt: skip


BEFORE, AFTER = rows(1, 700, 0.0), rows(2, 500, 0.4)


def bins_of(values: pd.Series, reference: pd.Series, bins: int) -> Any:
    """The bins between quantiles, each of which belongs to the bin below; a value that fills one has one for itself."""
    edges = np.unique(np.quantile(reference, np.arange(1, bins) / bins, method="inverted_cdf"))
    counts = reference.value_counts()
    own = counts.index[counts * bins >= len(reference)]
    return np.searchsorted(edges, values, side="left") + values.isin(own) / 2


def expected(current: pd.Series, reference: pd.Series, bins: int = 10, eps: float = 1e-4) -> list[float]:
    """What SciPy says, psi and bins by their definition."""
    current, reference = current.dropna(), reference.dropna()
    if current.empty or reference.empty:
        return [math.nan] * 4
    texts = not pd.api.types.is_numeric_dtype(reference)
    told = [one if texts else bins_of(one, reference, bins) for one in (current, reference)]
    classes = sorted({*told[0], *told[1]})
    p, q = (np.array([(one == known).mean() for known in classes]) for one in told)
    low, high = np.maximum(p, eps), np.maximum(q, eps)
    return [
        float(((low - high) * np.log(low / high))[(p > 0) | (q > 0)].sum()),
        math.nan if texts else stats.ks_2samp(current, reference).statistic,
        float(distance.jensenshannon(p, q, base=2)),
        math.nan if texts else stats.wasserstein_distance(current - reference.min(), reference - reference.min()),
    ]


def repeated(values: pd.DataFrame, weight: str | None) -> pd.DataFrame:
    """Rows as often as they weigh."""
    return values if weight is None else values.loc[values.index.repeat(values[weight].astype(int))]


@pytest.fixture(
    scope="module",
    params=["duckdb", *(pytest.param(one, marks=pytest.mark.slow) for one in ("postgres", "spark", "clickhouse"))],
)
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    both = pd.concat([AFTER.assign(day=2), BEFORE.assign(day=1)])
    tables = {"later": AFTER, "earlier": BEFORE, "both_days": both}
    with ENGINES[request.param](
        {name: pa.Table.from_pandas(table, preserve_index=False) for name, table in tables.items()}
    ) as opened:
        yield opened


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("bins", [10, 7])
def test_distances(engine: Any, weight: str | None, bins: int) -> None:
    found = sqlmetrics.drift(
        "later", COLUMNS, categories=CATEGORIES, against="earlier", weight=weight, by=[[], ["device"]], bins=bins,
        engine=engine,
    )  # fmt: skip
    names = COLUMNS + CATEGORIES
    assert found["column"].tolist() == names * 3
    assert found["device"].fillna("").tolist() == [""] * 4 + ["desktop"] * 4 + ["phone"] * 4
    for row in found.to_dict("records"):
        sides = [
            one if row["grouping"] == "overall" else one[one["device"] == row["device"]] for one in (AFTER, BEFORE)
        ]
        assert [row["n"], row["n_reference"]] == list(map(len, sides))
        current, reference = (repeated(side, weight)[row["column"]] for side in sides)
        assert [row["missing"], row["missing_reference"]] == pytest.approx(
            [current.isna().mean(), reference.isna().mean()], abs=1e-15
        )
        told = [row[name] for name in DISTANCES]
        assert told == pytest.approx(expected(current, reference, bins), rel=1e-9, nan_ok=True), row["column"]


def test_two_parts_of_one_relation_are_two_relations(engine: Any) -> None:
    given: dict[str, Any] = {"categories": ["country", "is_home = country = 'de'"], "by": "device", "engine": engine}
    parts = {"current": "day = 2", "reference": "day = 1"}
    columns = ["score", "half = price / 2"]
    found = sqlmetrics.drift("both_days", columns, **parts, **given, where="clicks < 5")
    alone = sqlmetrics.drift("later", columns, **given, against="earlier", where="clicks < 5")
    pd.testing.assert_frame_equal(found, alone, rtol=1e-12)
    assert len(found) == 8
    of_query = sqlmetrics.drift("select * from both_days where clicks < 5", columns, **parts, **given)
    pd.testing.assert_frame_equal(of_query, alone, rtol=1e-12)
    current, reference = (side[side["clicks"] < 5] for side in (AFTER, BEFORE))
    of_phones = alone[(alone["device"] == "phone") & (alone["column"] == "half")].iloc[0]
    halves = [side[side["device"] == "phone"]["price"] / 2 for side in (current, reference)]
    assert [of_phones[name] for name in DISTANCES] == pytest.approx(expected(*halves), rel=1e-9)


def test_the_text_run_by_hand(engine: Any) -> None:
    given: dict[str, Any] = {"categories": CATEGORIES, "weight": "w", "by": "device", "bins": 5, "eps": 0.01}
    exact = sqlmetrics.drift(AFTER, COLUMNS, against=BEFORE, **given)
    for arguments, digits in [({}, None), ({"round": 3}, 3)]:
        text = sqlmetrics.render_drift(
            COLUMNS, relation="later", against="earlier", dialect=engine.dialect, **given, **arguments
        )
        found = as_pandas(engine.query(text))
        found = found.astype(exact.dtypes.to_dict())
        told = exact if digits is None else exact.round(digits)
        pd.testing.assert_frame_equal(found, told, rtol=1e-9, check_like=False)


@pytest.mark.parametrize("dialect", slow(*READ_BACK))
def test_the_text_of_dialects_read_back(dialect: str) -> None:
    given: dict[str, Any] = {"columns": COLUMNS, "categories": CATEGORIES, "weight": "w", "by": [[], ["device"]]}
    exact = sqlmetrics.drift(AFTER, against=BEFORE, **given)
    tables = {name: pa.Table.from_pandas(table, preserve_index=False)
              for name, table in {"later": AFTER, "earlier": BEFORE}.items()}  # fmt: skip
    text = sqlmetrics.render_drift(**given, relation="later", against="earlier", dialect=dialect)
    with READ_BACK[dialect](tables) as engine:
        found = engine.query(text)
    assert list(found) == list(exact)
    numbers = ["n", "n_reference", "missing", "missing_reference", *DISTANCES]
    pd.testing.assert_frame_equal(found[numbers].astype("float64"), exact[numbers].astype("float64"), rtol=1e-9)


def test_the_macro_of_dbt_is_the_same_text() -> None:
    given: dict[str, Any] = {"columns": COLUMNS, "categories": CATEGORIES, "weight": "w", "by": [[], ["device"]]}
    text = sqlmetrics.render_drift(**given, relation="later", against="earlier", where="clicks < 5")
    assert States().drift("later", **given, against="earlier", where="clicks < 5").strip() == text.strip()
    with pytest.raises(sqlmetrics.BadParameter, match="name the columns that are compared"):
        States().drift("later", against="earlier")


def test_the_test_of_dbt(tmp_path: Path) -> None:
    test = made("duckdb", tmp_path).test_drift_below
    given: dict[str, Any] = {"against": "earlier", "by": "device", "distance": "ks_distance"}
    exact = sqlmetrics.drift(AFTER, COLUMNS, against=BEFORE, by="device")
    with duckdb.connect() as con:
        con.register("later", AFTER)
        con.register("earlier", BEFORE)

        def failures(most: float, **more: Any) -> list[tuple[Any, ...]]:
            text = str(test("later", most, **{"columns": COLUMNS, **given, **more}))
            return [(row[0], row[1], row[-1]) for row in con.sql(text).fetchall()]

        most = exact["ks_distance"].median()
        beyond = exact[exact["ks_distance"] > most]
        assert sorted(failures(most)) == sorted(
            (*row, "the column has drifted") for row in beyond[["device", "column"]].itertuples(index=False, name=None)
        )
        assert failures(1) == []
        assert {failure[-1] for failure in failures(1, min_rows=300)} == {"fewer rows than min_rows"}
        assert failures(1, columns=None, column_name="score") == []
        texts = failures(1, columns=None, categories="country")
        assert texts == [
            ("desktop", "country", "the value is undefined"),
            ("phone", "country", "the value is undefined"),
        ]
        assert [one[-1] for one in failures(1, where="clicks < 0")] == ["no rows at all"]
        with pytest.raises(sqlmetrics.BadParameter, match="distance must be 'psi' or"):
            failures(1, distance="far")


def told(current: Any, reference: Any, **given: Any) -> dict[str, Any]:
    """The one row of a column `x`."""
    sides = [pd.DataFrame({"x": one}) for one in (current, reference)]
    [row] = sqlmetrics.drift(sides[0], "x", against=sides[1], **given).to_dict("records")
    return row


def test_where_there_is_nothing_to_compare() -> None:
    numbers = np.array([1.0, 2.0, 3.0])
    none = np.array([], dtype=float)
    for current, reference, missing in [
        (none, numbers, [math.nan, 0]),
        (numbers, none, [0, math.nan]),
        (none, none, [math.nan, math.nan]),
        (numbers * math.nan, numbers, [1, 0]),
        (numbers, numbers * math.nan, [0, 1]),
    ]:
        row = told(current, reference)
        assert [row["n"], row["n_reference"]] == [len(current), len(reference)]
        assert [row["missing"], row["missing_reference"]] == pytest.approx(missing, nan_ok=True)
        assert [row[name] for name in DISTANCES] == pytest.approx([math.nan] * 4, nan_ok=True)
    for current, reference in [([None, None], ["a", "b"]), ([None, None], numbers), (["a", "b"], [None, None])]:
        row = told(current, reference)
        assert {row["missing"], row["missing_reference"]} == {0, 1}
        assert all(math.isnan(row[name]) for name in DISTANCES)
    frame = pd.DataFrame({"x": numbers, "w": 0.0})
    [row] = sqlmetrics.drift(frame, "x", against=frame, weight="w").to_dict("records")
    assert row["n"] == 3
    assert [row[name] for name in ("missing", *DISTANCES)] == pytest.approx([math.nan] * 5, nan_ok=True)
    assert len(sqlmetrics.drift(frame[:0], "x", against=frame[:0], by="w")) == 0


def test_one_value() -> None:
    same = told([7.0] * 3, [7.0] * 5)
    assert [same[name] for name in DISTANCES] == [0, 0, 0, 0]
    moved = told([9.0] * 3, [7.0] * 5)
    psi = 2 * (1 - 1e-4) * math.log(1 / 1e-4)
    assert [moved[name] for name in DISTANCES] == pytest.approx([psi, 1, 1, 2], rel=1e-12)
    texts = told(["a"] * 3, ["b"] * 5)
    assert [texts[name] for name in DISTANCES] == pytest.approx([psi, math.nan, 1, math.nan], rel=1e-12, nan_ok=True)


def test_infinite_values_are_the_last_ones() -> None:
    current, reference = [-math.inf, 0.0, 1.0, math.inf], [0.0, 1.0, 2.0, 3.0]
    row = told(current, reference, bins=2)
    finite = told([-1e6, 0.0, 1.0, 1e6], reference, bins=2)
    assert math.isnan(row["wasserstein"])
    assert [row[name] for name in DISTANCES[:3]] == [finite[name] for name in DISTANCES[:3]]
    assert finite["wasserstein"] == pytest.approx(stats.wasserstein_distance([-1e6, 0, 1, 1e6], reference), rel=1e-12)


@pytest.mark.parametrize("scale", [1e-200, 1e-3, 1.0, 1e200])
def test_a_distance_is_in_the_units_of_its_column(scale: float) -> None:
    """To a hair of the ends of what a double holds."""
    current, reference = AFTER["score"].dropna(), BEFORE["score"].dropna()
    plain = stats.wasserstein_distance(current, reference)
    assert told(current * scale, reference * scale)["wasserstein"] == pytest.approx(plain * scale, rel=1e-9)


def test_types_and_names() -> None:
    names = {"a = b": "x", "Größe": 1, 'say "so"': True, "it's, a": 2.5, "order": None}
    before = pd.DataFrame({name: pd.Series([one] * 3 + [None], dtype=object) for name, one in names.items()})
    columns = [sqlmetrics.column(name) for name in ("a = b", "Größe", 'say "so"', "it's, a")]
    found = sqlmetrics.drift(before, columns, against=before, by=sqlmetrics.column("order"))
    assert found["column"].tolist() == list(names)[:4]
    assert found["missing"].tolist() == [0.25] * 4
    assert found["psi"].tolist() == [0] * 4
    assert found["ks_distance"].isna().tolist() == [True, False, True, False]
    days = pd.DataFrame({"day": pd.to_datetime(["2026-03-01", "2026-03-02"]), "id": [2**60, 2**60 + 1]})
    other = days.assign(day=days["day"] + pd.Timedelta(days=1), id=days["id"] + 1)
    found = sqlmetrics.drift(days, categories=["day", "id"], against=other)
    half = float(distance.jensenshannon([0.5, 0.5, 0], [0, 0.5, 0.5], base=2))
    assert found["jensen_shannon"].tolist() == pytest.approx([half, half], rel=1e-12)
    named = pd.DataFrame({"x": pd.Categorical(["a", "b", "a", None])})
    found = sqlmetrics.drift(named, "x", against=pd.DataFrame({"x": ["a", "a", "b", "b"]}))
    apart = float(distance.jensenshannon([2 / 3, 1 / 3], [0.5, 0.5], base=2))
    assert found[["missing", "jensen_shannon"]].iloc[0].tolist() == pytest.approx([0.25, apart], rel=1e-12)
    whole = sqlmetrics.drift(pa.table({"x": [1, 2, None]}), "x", against=pa.table({"x": [1.0, 2.0, math.nan]}))
    assert whole[["missing", "missing_reference", "psi", "wasserstein"]].iloc[0].tolist() == [1 / 3, 1 / 3, 0, 0]


def test_rows_without_a_weight_are_left_out() -> None:
    rows = pd.DataFrame({"x": [1.0, 2.0, 3.0], "w": [1.0, None, 2.0]})
    with pytest.warns(sqlmetrics.DroppedRows, match="weight"):
        found = sqlmetrics.drift(rows, "x", against=rows, weight="w")
    assert found["n"].tolist() == [2]
    with pytest.raises(sqlmetrics.BadData, match=r"weight .*negative or infinite"):
        sqlmetrics.drift(rows.assign(w=-1.0), "x", against=rows.assign(w=1.0), weight="w")
    with pytest.raises(sqlmetrics.BadData, match=r"weight .*negative or infinite"):
        sqlmetrics.drift(rows.assign(w=1.0), "x", against=rows.assign(w=-1.0), weight="w")


def test_what_is_refused() -> None:
    numbers = pd.DataFrame({"x": [1.0, 2.0], "t": pd.to_datetime(["2026-03-01", "2026-03-02"])})
    texts = numbers.assign(x=["a", "b"])
    for kind, words, call in [
        ("BadParameter", "name the columns that are compared", lambda: sqlmetrics.drift(numbers, against=numbers)),
        ("BadParameter", "give against, or current and reference", lambda: sqlmetrics.drift(numbers, "x")),
        ("BadParameter", "give against, or current", lambda: sqlmetrics.drift(numbers, "x", current="x > 1")),
        ("MissingColumn", "there is no column 'y'", lambda: sqlmetrics.drift(numbers, "y", against=numbers)),
        ("MissingColumn", "there is no column 'x'", lambda: sqlmetrics.drift(numbers, "x", against=numbers[["t"]])),
        ("BadParameter", "two columns would be called 'X'",
         lambda: sqlmetrics.drift(numbers, ["x", "X = x + 1"], against=numbers)),
        ("BadParameter", "columns: 'x,t' is one column", lambda: sqlmetrics.drift(numbers, "x,t", against=numbers)),
        ("BadData", "'t' is TIMESTAMP", lambda: sqlmetrics.drift(numbers, "t", against=numbers)),
        ("BadData", "column 'x' is VARCHAR", lambda: sqlmetrics.drift(numbers, "x", against=texts)),
        ("BadData", "x.*VARCHAR in the data and DOUBLE", lambda: sqlmetrics.drift(texts, "x", against=numbers)),
        ("BadData", "no numbers of their own as doubles",
         lambda: sqlmetrics.drift(pa.table({"x": [2**53, 2**53 + 1]}), "x", against=numbers)),
        ("BadParameter", "bins must be a whole number >= 2", lambda: sqlmetrics.drift(numbers, "x", against=numbers,
                                                                                     bins=1)),
        ("BadParameter", "eps must be a number between", lambda: sqlmetrics.drift(numbers, "x", against=numbers,
                                                                                 eps=0)),
        ("BadParameter", "by: 'psi' is the name of", lambda: sqlmetrics.drift(numbers, "x", against=numbers,
                                                                             by="psi = t")),
        ("BadParameter", "current must be an SQL condition", lambda: sqlmetrics.drift(numbers, "x", against=numbers,
                                                                                     current=" ")),
        ("BadParameter", "columns must be a column name", lambda: sqlmetrics.drift(numbers, [["x"]], against=numbers)),
        ("QueryFailed", "cannot be told of one row", lambda: sqlmetrics.drift(numbers, "m = max(x)", against=numbers)),
        ("QueryFailed", "the query cannot be read", lambda: sqlmetrics.drift(numbers, "x", current="true); select (1",
                                                                        reference="true")),
        ("BadParameter", "relation must be a table", lambda: sqlmetrics.render_drift("x", relation=numbers)),
        ("BadParameter", "dialect must be one of",
         lambda: sqlmetrics.render_drift("x", relation="t", against="u", dialect="oracle")),
    ]:  # fmt: skip
        with pytest.raises(sqlmetrics.SqlMetricsError, match=words) as caught:
            call()
        assert type(caught.value).__name__ == kind
        assert "\n" not in str(caught.value)


def test_nothing_is_left_in_a_connection() -> None:
    with duckdb.connect() as con:
        con.register("later", AFTER)
        sqlmetrics.drift("later", COLUMNS, against=BEFORE, con=con)
        assert con.sql("select view_name from duckdb_views() where not internal").fetchall() == [("later",)]
        found = sqlmetrics.drift(con.sql("from later"), "score", current="w > 1", reference="w <= 1")
    parts = AFTER[AFTER["w"] > 1]["score"], AFTER[AFTER["w"] <= 1]["score"]
    assert found[DISTANCES].iloc[0].tolist() == pytest.approx(expected(*parts), rel=1e-9)


def test_the_shell(tmp_path: Path) -> None:
    paths = []
    for name, rows in [("after.csv", AFTER), ("before.csv", BEFORE)]:
        paths.append(str(tmp_path / name))
        rows.to_csv(paths[-1], index=False)
    command = ["drift", paths[0], "--against", paths[1], "--columns", "score,price", "--columns", "country"]
    done = CliRunner().invoke(main, [*command, "--by", "device", "--format", "json", "--assert", "psi <= 0.01"])
    assert done.exit_code == 1, done.output
    found = pd.DataFrame(json.loads(done.stdout))
    same = sqlmetrics.drift(AFTER, ["score", "price", "country"], against=BEFORE, by="device")
    assert found["column"].tolist() == ["score", "price", "country"] * 2
    assert found["psi"].tolist() == pytest.approx(same["psi"].tolist(), rel=1e-9)
    assert "assertion failed: " in done.stderr
    assert "device=desktop" in done.stderr
    assert "column=score" in done.stderr
    config = tmp_path / "drift.yml"
    config.write_text(f"data: {paths[0]}\ncolumns: [score]\ncurrent: w > 1\nreference: w <= 1\nbins: 4\n")
    done = CliRunner().invoke(main, ["drift", "-c", str(config), "--format", "csv"])
    parts = AFTER[AFTER["w"] > 1]["score"], AFTER[AFTER["w"] <= 1]["score"]
    assert done.exit_code == 0
    assert float(done.stdout.splitlines()[1].split(",")[5]) == pytest.approx(expected(*parts, bins=4)[0], rel=1e-9)
    text = ["--columns", "score", "--categories", "country", "--relation", "a", "--against", "b", "--grouping",
            "device", "--grouping", "overall", "--dialect", "spark", "--round", "4"]  # fmt: skip
    done = CliRunner().invoke(main, ["sql-drift", *text])
    assert done.output == sqlmetrics.render_drift(
        "score", categories="country", relation="a", against="b", by=[["device"], []], dialect="spark", round=4
    )
    done = CliRunner().invoke(main, ["drift", paths[0], "--against", paths[1]])
    assert (done.exit_code, done.output.count("\n")) == (2, 1)


@pytest.mark.slow
def test_many_values() -> None:
    """Two hundred thousand values of each side, sliced and not, in one statement."""
    rng = np.random.default_rng(3)
    after, before = (pd.DataFrame({"x": rng.standard_t(3, 200_000) + shift}) for shift in (0.05, 0.0))
    found = sqlmetrics.drift(after, "x", against=before)
    assert found[DISTANCES].iloc[0].tolist() == pytest.approx(expected(after["x"], before["x"]), rel=1e-9)


@pytest.mark.parametrize("moved", [-1.0, 0.5, 1.0])
@pytest.mark.parametrize("rest", [0, 5])
def test_a_value_that_fills_bins_is_seen_to_move(moved: float, rest: int) -> None:
    """Wherever to: below it, as above, there was once the bin that it is in itself."""
    reference = [0.0] * 95 + [-2.0 + 0.9 * place for place in range(rest)]
    current = [moved] * 95 + reference[95:]
    assert told(current, reference)["psi"] > 5
    assert told(reference, reference)["psi"] == 0
