"""Propensities by a table of places: what a place has in it is what a column would say, wherever the rows are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner

import sqlmetrics
from sqlmetrics.catalogue import sql_root
from sqlmetrics.cli import main
from sqlmetrics.column_types import as_pandas
from tests.engines.servers import ENGINES
from tests.statistics.test_states import States
from tests.tiers import slow

METRICS = ["unbiased_dcg@3", "unbiased_ndcg@3", "unbiased_ndcg(normalized_by='weights')"]


def shown() -> pd.DataFrame:
    """Lists of eight, of which a new model has another order; some have no place, or no device."""
    rng = np.random.default_rng(11)
    rows = 320
    place = np.tile(np.arange(1, 9), rows // 8).astype(float)
    place[rng.choice(rows, 9, replace=False)] = np.nan
    return pd.DataFrame({
        "session": np.repeat(np.arange(rows // 8), 8), "place": place, "ad": np.arange(rows),
        "clicked": (rng.random(rows) < 0.3).astype(float), "score": rng.integers(0, 30, rows) / 30,
        "other": rng.integers(0, 30, rows) / 30, "device": rng.choice(["phone", "desktop", None], rows),
        # What the table's columns are called, and our own steps, meaning something else here.
        "position": "top", "propensity": -1.0, "given_rows": 3,
    })  # fmt: skip


LOG = shown()
#: The last place was never tried.
PLACES = pd.DataFrame({"position": range(1, 8), "propensity": 1 / np.arange(1, 8)})
ROLES: dict[str, Any] = {"label": "clicked", "score": "score", "group": "session"}
BY_PLACE: dict[str, Any] = {"position": "place", "propensities": PLACES}
BY_COLUMN: dict[str, Any] = {"propensity": "= case when place < 8 then 1.0 / place end"}


@pytest.fixture(scope="module", params=["duckdb", *slow("postgres", "clickhouse", "spark")])
def engine(request: pytest.FixtureRequest) -> Any:
    tables = {
        name: pa.Table.from_pandas(one, preserve_index=False) for name, one in {"log": LOG, "places": PLACES}.items()
    }
    with ENGINES[request.param](tables) as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sqlmetrics.DroppedRows")
def test_a_place_has_what_a_column_would_say(engine: Any) -> None:
    """In slices, groupings, models, groups, intervals and comparisons, of the log and of two logs."""
    judged = {"item": "ad", "judgments": LOG[["session", "ad", "clicked"]].iloc[::2]}
    further: list[tuple[str, dict[str, Any]]] = [
        ("evaluate", {"by": [[], ["device"]], "diagnostics": True}),
        ("evaluate", {"confidence": 0.9, "where": "place <> 2"}),
        ("evaluate", {"confidence": 0.9, "cluster": "= session % 13", "score": ["score", "other"]}),
        ("per_group", {}),
        ("compare", {"score": ["score", "other"]}),
        ("compare", {"against": LOG.head(160), "cluster": "session"}),
        ("gaps", {"by": "device"}),
        ("evaluate", judged),
    ]
    for name, given in further:
        one = METRICS[:2] if name == "compare" else METRICS
        call = getattr(sqlmetrics, name)
        asked = ROLES | given
        found = call(LOG, one, **asked, **BY_PLACE)
        pd.testing.assert_frame_equal(found, call(LOG, one, **asked, **BY_COLUMN), rtol=1e-12)
        if "judgments" not in given and name != "compare":
            there = {**asked, **BY_PLACE, "propensities": "places"}
            pd.testing.assert_frame_equal(call("log", one, **there, engine=engine), found, rtol=1e-9, check_dtype=False)


def test_by_hand() -> None:
    """Half of the users saw the second place and a quarter the third, whose clicks the new order turns round."""
    data = pd.DataFrame({"clicked": [0, 1, 1], "score": [0.1, 0.2, 0.3], "place": [1, 2, 3], "session": 1})
    places = pd.DataFrame({"position": [3, 2, 1], "propensity": [0.25, 0.5, 1]})
    found = sqlmetrics.unbiased_dcg(data, **ROLES, position="place", propensities=places)
    assert found["unbiased_dcg"].tolist() == pytest.approx([4 + 2 / np.log2(3)], rel=1e-15)


def test_what_a_place_may_be(tmp_path: Path) -> None:
    """A text, a number of any type, one with a zero in front, an expression; NaN and NULL are none."""
    whole = LOG[LOG["place"].notna()]
    expected = sqlmetrics.evaluate(whole[whole["place"] < 8], METRICS, **ROLES, **BY_COLUMN)

    def check(data: Any, places: Any, position: str = "place", rows: int = 39) -> None:
        with pytest.warns(
            sqlmetrics.DroppedRows,
            match=rf"propensity of position \(.*\), which propensities does not have, in {rows} rows",
        ):
            found = sqlmetrics.evaluate(data, METRICS, **ROLES, position=position, propensities=places)
        pd.testing.assert_frame_equal(found, expected, rtol=1e-12)

    eighth = int((whole["place"] == 8).sum())
    texts = whole.assign(place=whole["place"].map(lambda place: f"slot {place:.0f}"))
    named = PLACES.assign(position=[f"slot {place}" for place in PLACES["position"]])
    check(texts, named, rows=eighth)
    check(LOG, PLACES.astype({"position": "float32"}), rows=eighth + 9)
    check(
        LOG,
        pd.concat([PLACES.astype(float), pd.DataFrame({"position": [np.nan], "propensity": [0.5]})]),
        rows=eighth + 9,
    )
    check(whole.astype({"place": "int8"}), PLACES, rows=eighth)
    check(whole.assign(place=whole["place"] - 1), PLACES, position="= cast(place + 1 as bigint)", rows=eighth)
    padded, table = tmp_path / "log.csv", tmp_path / "places.csv"
    whole.assign(place=whole["place"].map(lambda place: f"{place:03.0f}")).to_csv(padded, index=False)
    PLACES.assign(position=[f"{place:03}" for place in PLACES["position"]]).to_csv(table, index=False)
    check(padded, table, rows=eighth)


@pytest.mark.slow
def test_a_place_made_of_texts_of_a_long_file(tmp_path: Path) -> None:
    """Where the end of the file alone shows that 007 is a place of its own, in either file."""
    given = {"1": 1.0, "7": 0.5, "007": 0.25}
    places = ["1", "7"] * 15_000 + ["007", "7", "1", "007"]
    log = pd.DataFrame({"place": places, "clicked": [n % 3 % 2 for n in range(len(places))]})
    log = log.assign(session=log.index // 4, score=log.index % 5)
    log.to_csv(tmp_path / "log.csv", index=False)
    known = pd.DataFrame({"position": [f"slot {place}" for place in given], "propensity": given.values()})
    expected = sqlmetrics.evaluate(log.assign(p=log["place"].map(given)), METRICS, **ROLES, propensity="p")
    found = sqlmetrics.evaluate(
        tmp_path / "log.csv", METRICS, **ROLES, position="= 'slot ' || place", propensities=known
    )
    pd.testing.assert_frame_equal(found, expected, rtol=1e-12)
    before = [pd.DataFrame({"position": range(100, 30_100), "propensity": 1.0})]
    long = pd.concat([*before, known.assign(position=list(given))])
    long.to_csv(tmp_path / "places.csv", index=False)
    found = sqlmetrics.evaluate(
        tmp_path / "log.csv", METRICS, **ROLES, position="= place || ''", propensities=tmp_path / "places.csv"
    )
    pd.testing.assert_frame_equal(found, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"propensities": None}, "BadParameter", "needs propensities with position"),
        ({"position": None}, "BadParameter", "needs position with propensities"),
        ({"propensity": "propensity"}, "BadParameter", "give propensity, or position and propensities, not both"),
        (
            {"position": None, "propensities": None},
            "BadParameter",
            r"needs propensity \(or position and propensities\)",
        ),
        (
            {"propensities": pd.concat([PLACES, PLACES.tail(1)])},
            "BadData",
            r"holds one position twice.* 7 \(2 in all\)",
        ),
        (
            {"propensities": PLACES.assign(propensity=0.0)},
            "BadData",
            r"propensity of position \(column 'place'\): .* not above 0",
        ),
        ({"propensities": PLACES.assign(propensity=1.5)}, "BadData", "are not above 0 and up to 1"),
        (
            {"propensities": PLACES.assign(propensity="x")},
            "BadData",
            "propensities: column 'propensity' is .* a number is needed",
        ),
        (
            {"propensities": PLACES.assign(position="1")},
            "BadData",
            "position: column 'place' is DOUBLE in the data and VARCHAR",
        ),
        ({"propensities": PLACES[["position"]]}, "MissingColumn", "propensities: there is no column 'propensity'"),
        ({"position": "nowhere"}, "MissingColumn", "position: there is no column 'nowhere'"),
    ],
)
def test_what_is_refused(changed: dict[str, Any], error: str, words: str) -> None:
    given = {name: one for name, one in {**BY_PLACE, **changed}.items() if one is not None}
    with pytest.raises(getattr(sqlmetrics, error), match=words):
        sqlmetrics.evaluate(LOG, "unbiased_dcg", **ROLES, **given)


def test_no_other_metric_reads_it() -> None:
    with pytest.raises(sqlmetrics.BadParameter, match="propensities has no meaning for ndcg: leave it out"):
        sqlmetrics.evaluate(LOG, "ndcg", **ROLES, **BY_PLACE)
    with pytest.warns(sqlmetrics.DroppedRows):
        beside = sqlmetrics.evaluate(LOG, ["ndcg", "unbiased_dcg"], **ROLES, **BY_PLACE)
    assert beside["n"].tolist() == [len(LOG)]
    pd.testing.assert_series_equal(beside["ndcg"], sqlmetrics.ndcg(LOG, **ROLES)["ndcg"])


@pytest.mark.filterwarnings("ignore::sqlmetrics.DroppedRows")
def test_states_and_the_shell(tmp_path: Path) -> None:
    expected = sqlmetrics.evaluate(LOG, METRICS, **ROLES, **BY_COLUMN, by="device")
    state = sqlmetrics.state(LOG, METRICS, **ROLES, **BY_PLACE, by="device")
    pd.testing.assert_frame_equal(sqlmetrics.evaluate_states(state, METRICS, by="device"), expected, rtol=1e-12)
    LOG.to_parquet(tmp_path / "log.parquet")
    PLACES.to_parquet(tmp_path / "places.parquet")
    options = ["--label", "clicked", "--score", "score", "--group", "session", "--position", "place", "--by", "device",
               "--propensities", str(tmp_path / "places.parquet"), "--format", "csv"]  # fmt: skip
    specs = [word for spec in METRICS for word in ("-m", spec)]
    result = CliRunner().invoke(main, ["eval", str(tmp_path / "log.parquet"), *specs, *options])
    assert result.exit_code == 0, result.output
    (tmp_path / "result.csv").write_text(result.stdout)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "result.csv"), expected, rtol=1e-12, check_dtype=False)


@pytest.mark.slow
def test_as_text_and_as_a_macro_of_dbt(engine: Any) -> None:
    """Nothing looks at the values there: a place that is not in the table leaves its rows out just so."""
    given = {**ROLES, "position": "place"}
    expected = sqlmetrics.evaluate(LOG[LOG["place"] < 8], "unbiased_ndcg@3", **ROLES, **BY_COLUMN)
    text = sqlmetrics.render("unbiased_ndcg@3", relation="log", dialect=engine.dialect, propensities="places", **given)
    macros = States(engine.dialect)
    macros._catalogue._add_macros(sql_root() / "macros" / "generated" / "metrics.sql")
    for statement in (text, macros.unbiased_ndcg(relation="log", k=3, propensities="places", **given)):
        assert as_pandas(engine.query(statement))["unbiased_ndcg_at_3"].tolist() == pytest.approx(
            expected["unbiased_ndcg_at_3"].tolist(), rel=1e-9
        )


@pytest.mark.parametrize("other", [LOG["place"] > 1, LOG["place"].map("{:.0f}".format), "top"], ids=str)
def test_places_of_two_logs_are_of_one_kind(other: Any) -> None:
    """Else the engine finds a truth value, or the text of a number, among the numbers."""
    with pytest.raises(sqlmetrics.BadData, match=r"position: column 'place' is DOUBLE in the data and .* in against"):
        sqlmetrics.compare(LOG, "unbiased_dcg", **ROLES, **BY_PLACE, against=LOG.assign(place=other))


def test_an_expression_that_reads_from_a_step() -> None:
    """It would find the places there, not the user's own table."""
    for given in (
        {"where": "ad in (select ad\n  FROM all_propensities)"},
        {"by": ["seen = exists (select 1 from x join all_propensities on true)"]},
        {"label": "= (select max(clicked) from all_propensities)"},
    ):
        with pytest.raises(sqlmetrics.BadParameter, match="an expression reads from 'all_propensities', which is what"):
            sqlmetrics.evaluate(LOG, "unbiased_dcg", **{**ROLES, **BY_PLACE, **given})
    where = {"where": "ad in (select ad from main.all_propensities)"}
    text = sqlmetrics.render("unbiased_dcg", relation="log", **ROLES, position="place", propensities="x", **where)
    assert "main.all_propensities" in text


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sqlmetrics.DroppedRows")
def test_a_page_of_text_files_and_of_tables_in_memory(tmp_path: Path) -> None:
    whole = LOG[LOG["place"].notna()].astype({"place": int})
    expected = sqlmetrics.unbiased_dcg(whole, **ROLES, **BY_PLACE)["unbiased_dcg"].item()
    whole.to_csv(tmp_path / "log.csv", index=False)
    PLACES.to_csv(tmp_path / "places.csv", index=False)
    for data, places in ((tmp_path / "log.csv", str(tmp_path / "places.csv")), (whole, PLACES)):
        page = sqlmetrics.report(data, "unbiased_dcg", **ROLES, position="place", propensities=places)
        assert f"{expected:.10g}" in page.html


def test_errors_name_the_position() -> None:
    with pytest.raises(sqlmetrics.SqlMetricsError, match=r"^position: there is no column 'nope'"):
        sqlmetrics.evaluate(LOG, "unbiased_dcg", **ROLES, **{**BY_PLACE, "position": "= nope + 1"})
