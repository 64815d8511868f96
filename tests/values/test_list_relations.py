"""Relations of recommended lists: histories, categories, vectors, popularities, similarities and expected items."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.spatial.distance import pdist

import sqlmetrics
from sqlmetrics.cli.main import main

LISTS = pd.DataFrame({
    "user": ["u", "u", "u", "v", "v", "w"],
    "ad": [1, 2, 3, 1, 4, 1],
    "score": [3.0, 2.0, 1.0, 2.0, 1.0, 1.0],
    "clicked": [1, 0, 1, 1, 1, 0],
})  # fmt: skip
ROLES: dict[str, Any] = {"group": "user", "item": "ad", "score": "score"}
RELATIONS: dict[str, pd.DataFrame] = {
    "popularity": pd.DataFrame({"ad": [1, 2, 3], "count": [6, 3, 1]}),
    "history": pd.DataFrame({"user": ["u", "u", "v", "x"], "ad": [2, 3, 4, 1]}),
    "item_categories": pd.DataFrame({"ad": [1, 2, 2, 3], "category": ["a", "a", "b", "c"]}),
    "expected_items": pd.DataFrame({"ad": [1, 9]}),
    "embeddings": pd.DataFrame(
        {"ad": [1, 1, 2, 2, 3, 4], "dimension": [0, 1, 0, 1, 0, 1], "value": [1, 1, 3, 4, 2, 5]}
    ),
    "similarity": pd.DataFrame({"item_a": [1, 1], "item_b": [2, 3], "similarity": [0.5, -0.75]}),
}
#: The relations that each metric reads.
READS = {
    "popularity_lift": ["popularity", "history"],
    "category_miscalibration": ["history", "item_categories"],
    "serendipity": ["expected_items"],
    "intra_list_distance": ["embeddings"],
}


def arguments(name: str, **changed: Any) -> dict[str, Any]:
    label = {"label": "clicked"} if name == "serendipity" else {}
    return {**ROLES, **label, **{relation: RELATIONS[relation] for relation in READS[name]}, **changed}


def evaluate(name: str, data: Any = LISTS, spec: Any = None, **changed: Any) -> pd.DataFrame:
    return sqlmetrics.evaluate(data, spec or name, **arguments(name, **changed))


def value(name: str, **changed: Any) -> float:
    return float(evaluate(name, **changed).iloc[0, -1])


# Values, beside those of the oracles


def test_category_miscalibration_by_the_paper() -> None:
    """A list with the 70% romance and 30% action of the history diverges by 0; of romance alone, the share of action
    is determined by α (Steck, 2018)."""
    relations = {
        "history": pd.DataFrame({"user": "u", "ad": range(10)}),
        "item_categories": pd.DataFrame({"ad": range(20), "category": (["romance"] * 7 + ["action"] * 3) * 2}),
    }
    similar = LISTS.iloc[[0] * 10].assign(ad=range(10, 20), score=range(10))
    assert value("category_miscalibration", data=similar, **relations) == pytest.approx(0, abs=1e-12)
    for alpha in (0.01, 0.2):
        expected = 0.7 * math.log(0.7 / (1 - alpha + alpha * 0.7)) + 0.3 * math.log(0.3 / (alpha * 0.3))
        spec = f"kl = category_miscalibration(alpha={alpha})"
        result = value("category_miscalibration", data=similar.head(7), spec=spec, **relations)
        assert result == pytest.approx(expected, rel=1e-12)
    for alpha in (0, -1, 1.5):
        with pytest.raises(sqlmetrics.BadParameter, match="alpha"):
            evaluate("category_miscalibration", spec={"name": "category_miscalibration", "alpha": alpha})


def test_intra_list_distance_matches_scipy() -> None:
    embeddings = RELATIONS["embeddings"]
    expected = (pdist([[1, 1], [3, 4], [2, 0]], "cosine").mean() + pdist([[1, 1], [0, 5]], "cosine").mean()) / 2
    for scale in (1, 1e200, 1e-200):
        scaled = embeddings.assign(value=embeddings["value"] * scale)
        assert value("intra_list_distance", embeddings=scaled) == pytest.approx(expected, rel=1e-12)
    for second, distance in ((2.0, 0), (-3.0, 2)):
        pair = pd.DataFrame({"ad": [1, 1, 4, 4], "dimension": ["x", "y"] * 2, "value": [1, 1, second, second]})
        result = value("intra_list_distance", data=LISTS.iloc[3:5], embeddings=pair)
        assert result == pytest.approx(distance, abs=1e-12)


def test_diversity_takes_any_finite_similarity() -> None:
    """u has three pairs, of 1 and 2, 1 and 3, 2 and 3; v has one, of 1 and 4. No bound cuts the interval."""
    similarity = RELATIONS["similarity"]
    [row] = sqlmetrics.diversity(LISTS, **ROLES, similarity=similarity, confidence=0.9).to_dict("records")
    assert row["diversity"] == pytest.approx((1 - (0.5 - 0.75) / 3 + 1) / 2, rel=1e-12)
    assert (row["diversity_low"] + row["diversity_high"]) / 2 == pytest.approx(row["diversity"], rel=1e-12)
    for infinite in (math.inf, -math.inf):
        message = r"^similarity holds an infinite value; for example 1 \(1 in all\)$"
        with pytest.raises(sqlmetrics.BadData, match=message):
            sqlmetrics.diversity(LISTS, **ROLES, similarity=similarity.assign(similarity=[0.5, infinite]))


def test_states_add_up_lists_but_no_lift() -> None:
    days = LISTS.assign(day=(LISTS["user"] != "u").astype(int))
    for name in ("category_miscalibration", "serendipity", "intra_list_distance"):
        states = [sqlmetrics.state(rows, name, **arguments(name), by="day") for _, rows in days.groupby("day")]
        result = sqlmetrics.evaluate_states(pd.concat(states), name)
        assert result[name].item() == pytest.approx(value(name), rel=1e-12)
    without_history = evaluate("popularity_lift", history=pd.DataFrame({"user": ["y"], "ad": [1]}))
    assert without_history.iloc[0].tolist() == pytest.approx([6, math.nan], nan_ok=True)
    with pytest.raises(sqlmetrics.BadParameter, match="popularity_lift cannot be added up from parts: the popularity"):
        sqlmetrics.state(LISTS, "popularity_lift", **ROLES, history=RELATIONS["history"])


# Invalid relations


def test_metrics_require_their_relations_and_reject_others() -> None:
    for name, relations in READS.items():
        for needed in relations:
            with pytest.raises(sqlmetrics.BadParameter, match=rf"^{name} needs {needed}: relation of "):
                evaluate(name, **{needed: None})
            names = {relation: "other" for relation in relations if relation != needed}
            with pytest.raises(sqlmetrics.BadParameter, match=rf"^{name} needs {needed}: "):
                sqlmetrics.render(name, relation="log", **{**arguments(name), **names, needed: None})
    relations = {name: RELATIONS[name] for name in ("popularity", "history")}
    with pytest.raises(sqlmetrics.BadParameter, match="history has no meaning for novelty: leave it out"):
        sqlmetrics.evaluate(LISTS, "novelty", **ROLES, **relations)


@pytest.mark.parametrize("name", ["source", "valid_rows", "rows_with_slice_id", "all_judgments"])
def test_tables_may_be_called_like_steps(name: str) -> None:
    """A step that reads a further relation has a reserved prefix, and no step before it another relation's name."""
    judged = LISTS[["user", "ad"]].drop_duplicates().assign(clicked=1.0)
    roles: dict[str, Any] = {"group": "user", "item": "ad", "score": "score", "label": "clicked", "by": "user"}
    with duckdb.connect() as con:
        con.register("log", LISTS)
        con.register("other", judged)
        expected = sqlmetrics.ndcg("log", con=con, judgments="other", **roles)
        con.execute(f"create table {name} as from other")
        pd.testing.assert_frame_equal(sqlmetrics.ndcg("log", con=con, judgments=name, **roles), expected)
        con.execute(f"create or replace table {name} as from log")
        pd.testing.assert_frame_equal(sqlmetrics.ndcg(name, con=con, judgments="other", **roles), expected)
        # In the step of that name itself an engine may take the table for the step.
        where = f"ad in (select ad from {name.replace('source', 'main.source')})"
        pd.testing.assert_frame_equal(
            sqlmetrics.ndcg("log", con=con, judgments="other", where=where, **roles), expected
        )


@pytest.mark.parametrize(
    ("name", "relation"),
    [(name, relation) for name, reads in READS.items() for relation in reads if relation != "popularity"],
)
def test_relations_are_validated(name: str, relation: str) -> None:
    """Repeated rows, missing values, missing columns, items of another type."""
    table = RELATIONS[relation]
    message = rf"^{relation} holds one (item|category|dimension) .*twice.*\(2 in all\)$"
    with pytest.raises(sqlmetrics.BadData, match=message):
        evaluate(name, **{relation: pd.concat([table, table.tail(1)])})
    message = rf"^item: column 'ad' is BIGINT in the data and VARCHAR in {relation}; "
    with pytest.raises(sqlmetrics.BadData, match=message):
        evaluate(name, **{relation: table.astype({"ad": str})})
    for column in table:
        missing = table.astype(object).tail(1).assign(**{column: None})
        with pytest.warns(sqlmetrics.DroppedRows, match=f"{relation} in 1 row"):
            assert value(name, **{relation: pd.concat([table.astype(object), missing])}) == value(name)
        with pytest.raises(sqlmetrics.MissingColumn, match=rf"^{relation}: there is no column '{column}'"):
            evaluate(name, **{relation: table.rename(columns={column: "other"})})


def test_embeddings_reject_zero_and_infinite_vectors() -> None:
    table = RELATIONS["embeddings"]
    for values, message in (
        (table["value"] * 0, "embeddings holds a vector of zeros, which has no direction; for example 1 "),
        (table["value"] / 0, "embeddings holds an infinite value; for example 1 "),
    ):
        with pytest.raises(sqlmetrics.BadData, match=f"^{message}"):
            evaluate("intra_list_distance", embeddings=table.assign(value=values))


@pytest.mark.parametrize(("name", "relation", "column"), [
    ("novelty", "popularity", "count"), ("intra_list_distance", "embeddings", "value"),
    ("diversity", "similarity", "similarity"),
])  # fmt: skip
def test_numbers_of_relations_must_be_numeric(name: str, relation: str, column: str) -> None:
    """Of any numeric type; a string of digits is a string, in one row or several."""
    table = RELATIONS[relation].assign(**{column: RELATIONS[relation][column] * 4})  # values that every type has
    expected = sqlmetrics.evaluate(LISTS, name, **ROLES, **{relation: table})[name].item()
    decimals = table[column].map(lambda number: Decimal(str(number)))
    for values in (table[column].astype("int8"), table[column].astype("Int64"), decimals):
        result = sqlmetrics.evaluate(LISTS, name, **ROLES, **{relation: table.assign(**{column: values})})
        assert result[name].item() == pytest.approx(expected, rel=1e-12), values.dtype
    functions: list[Any] = [partial(sqlmetrics.evaluate, LISTS, name, **ROLES)]
    if relation == "popularity":
        functions.append(partial(sqlmetrics.evaluate_states, sqlmetrics.state(LISTS, name, **ROLES), name, item="ad"))
    else:
        functions.append(partial(sqlmetrics.state, LISTS, name, **ROLES))
    wrong: list[tuple[Any, int]] = [(str, 1), (lambda _: "much", 2), (bool, 2), (lambda number: [number], 1)]
    for change, rows in wrong:
        changed = {relation: table.head(rows).assign(**{column: table[column].head(rows).map(change)})}
        for function in functions:
            with pytest.raises(
                sqlmetrics.BadData, match=rf"^{relation}: column '{column}' is [\w\[\]]+, and a number is"
            ):
                function(**changed)


# The shell


@pytest.mark.slow
@pytest.mark.parametrize("name", READS)
def test_cli_reads_relations_and_requires_them(name: str, tmp_path: Path) -> None:
    LISTS.to_csv(tmp_path / "lists.csv", index=False)
    command = ["eval", str(tmp_path / "lists.csv"), "-m", name, "--format", "json"]
    for role, column in {**ROLES, **({"label": "clicked"} if name == "serendipity" else {})}.items():
        command += [f"--{role}", column]
    for relation in READS[name]:
        RELATIONS[relation].to_csv(tmp_path / f"{relation}.csv", index=False)
        command += ["--" + relation.replace("_", "-"), str(tmp_path / f"{relation}.csv")]
    result = CliRunner().invoke(main, command)
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout)[0][name] == pytest.approx(value(name), rel=1e-12)
    result = CliRunner().invoke(main, command[:-2])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: {name} needs --{READS[name][-1].replace('_', '-')}: relation of ")
    assert result.stderr.count("\n") == 1
