"""What the metrics of recommended lists look up beside the rows: the history of users, categories, vectors and expected
items of a list. What is wrong with them is refused or told; numbers are from papers, scipy, or worked out here."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.spatial.distance import pdist

import sqlmetrics
from sqlmetrics.cli import main

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
}
READS = {
    "popularity_lift": ["popularity", "history"],
    "category_miscalibration": ["history", "item_categories"],
    "serendipity": ["expected_items"],
    "intra_list_distance": ["embeddings"],
}


def ask(name: str, data: Any = LISTS, spec: Any = None, **changed: Any) -> pd.DataFrame:
    given = {one: RELATIONS[one] for one in READS[name]} | changed
    label = {"label": "clicked"} if name == "serendipity" else {}
    return sqlmetrics.evaluate(data, spec or name, **ROLES, **label, **given)


def value(name: str, **changed: Any) -> float:
    return float(ask(name, **changed)[name].iloc[0])


# By hand


def test_popularity_lift_is_that_of_the_means() -> None:
    """u: listed (6 + 3 + 1) / 3, held (3 + 1) / 2; v: listed 6 / 2, held 0; w has no history, x no list."""
    assert value("popularity_lift") == pytest.approx((10 / 3 + 3) / (2 + 0) - 1, rel=1e-12)
    found = ask("popularity_lift", spec="lift = popularity_lift(average='macro')")
    assert found["lift"].tolist() == pytest.approx([(10 / 3 - 2) / 2], rel=1e-12)


def test_categories_by_the_paper() -> None:
    """Of a history of 70% romance and 30% action a list of that mixture diverges by 0, one of romance alone by a lot:
    its share of action is told by α alone (Steck, 2018)."""
    history = pd.DataFrame({"user": "u", "ad": range(10)})
    categories = pd.DataFrame({"ad": range(20), "category": (["romance"] * 7 + ["action"] * 3) * 2})
    given = {"history": history, "item_categories": categories}
    alike = LISTS.iloc[[0] * 10].assign(ad=range(10, 20), score=range(10))
    assert value("category_miscalibration", data=alike, **given) == pytest.approx(0, abs=1e-12)
    romance = alike.head(7)
    for alpha in (0.01, 0.2):
        expected = 0.7 * math.log(0.7 / (1 - alpha + alpha * 0.7)) + 0.3 * math.log(0.3 / (alpha * 0.3))
        found = ask("category_miscalibration", romance, f"kl = category_miscalibration(alpha={alpha})", **given)
        assert found["kl"].tolist() == pytest.approx([expected], rel=1e-12)


def test_serendipity_is_what_is_relevant_and_not_expected() -> None:
    """u: item 3 of three; v: item 4 of two; w: nothing of one."""
    assert value("serendipity") == pytest.approx((1 / 3 + 1 / 2 + 0) / 3, rel=1e-12)
    nothing = pd.DataFrame({"ad": pd.Series([], dtype=int)})
    assert value("serendipity", expected_items=nothing) == pytest.approx((2 / 3 + 1 + 0) / 3, rel=1e-12)


@pytest.mark.parametrize("scale", [1, 1e200, 1e-200])
def test_vectors_of_any_length(scale: float) -> None:
    vectors = np.array([[1, 1], [3, 4], [2, 0]])
    embeddings = RELATIONS["embeddings"].assign(value=RELATIONS["embeddings"]["value"] * scale)
    of_u = pdist(vectors, "cosine").mean()
    of_v = pdist([[1, 1], [0, 5]], "cosine").mean()
    assert value("intra_list_distance", embeddings=embeddings) == pytest.approx((of_u + of_v) / 2, rel=1e-12)


def test_vectors_that_are_alike_and_opposite() -> None:
    of_two = LISTS.iloc[3:5]
    for second, expected in ((2.0, 0), (-3.0, 2)):
        embeddings = pd.DataFrame({"ad": [1, 1, 4, 4], "dimension": ["x", "y"] * 2, "value": [1, 1, second, second]})
        assert value("intra_list_distance", data=of_two, embeddings=embeddings) == pytest.approx(expected, abs=1e-12)


# What is not right


@pytest.mark.parametrize("name", READS)
def test_what_is_read_must_be_given(name: str) -> None:
    for needed in READS[name]:
        with pytest.raises(sqlmetrics.BadParameter, match=rf"^{name} needs {needed}: relation of "):
            ask(name, **{needed: None})
        others = {one: RELATIONS[one] for one in READS[name] if one != needed}
        label = {"label": "clicked"} if name == "serendipity" else {}
        with pytest.raises(sqlmetrics.BadParameter, match=rf"^{name} needs {needed}: "):
            sqlmetrics.render(name, relation="log", **ROLES, **label, **dict.fromkeys(others, "other"))


def test_a_relation_that_is_called_like_a_step() -> None:
    """It would be read in the place of another one."""
    steps = {"judgments": "all_judgments", "catalog": "all_items", "history": "all_histories"}
    for name, step in steps.items():
        metric = {"judgments": "ndcg", "catalog": "coverage", "history": "popularity_lift"}[name]
        roles = ROLES | ({"label": "clicked"} if name == "judgments" else {})
        given = {name: "other"} | ({"popularity": "counts"} if name == "history" else {})
        for relation in (step, f'"{step.upper()}"'):
            with pytest.raises(sqlmetrics.BadParameter, match=f"relation: '{step}' is what the statement calls {name}"):
                sqlmetrics.render(metric, relation=relation, **roles, **given)
        with pytest.raises(sqlmetrics.BadParameter, match=f"against: '{step}' is what the statement calls {name}"):
            sqlmetrics.render_compare(metric, relation="log", against=step, **roles, **given)
        assert f"from main.{step}\n" in sqlmetrics.render(metric, relation=f"main.{step}", **roles, **given)
        # Its own step is no other one.
        assert f"from {step}\n" in sqlmetrics.render(metric, relation="log", **roles, **{**given, name: step})
    with pytest.raises(sqlmetrics.BadParameter, match="history: 'all_counts' is what the statement calls popularity"):
        sqlmetrics.render("popularity_lift", relation="log", **ROLES, popularity="counts", history="all_counts")


CASES = [(name, one) for name, read in READS.items() for one in read if one != "popularity"]


@pytest.mark.parametrize(("name", "one"), CASES)
def test_rows_that_are_there_twice(name: str, one: str) -> None:
    twice = pd.concat([RELATIONS[one], RELATIONS[one].tail(1)])
    with pytest.raises(sqlmetrics.BadData, match=rf"^{one} holds one (item|category|dimension) .*twice.*\(2 in all\)$"):
        ask(name, **{one: twice})


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("name", "one"), CASES)
def test_rows_without_a_value(name: str, one: str) -> None:
    for column in RELATIONS[one]:
        missing = RELATIONS[one].astype(object).tail(1).assign(**{column: None})
        with pytest.warns(sqlmetrics.DroppedRows, match=f"{one} in 1 row"):
            found = ask(name, **{one: pd.concat([RELATIONS[one].astype(object), missing])})
        assert found[name].tolist() == ask(name)[name].tolist()


@pytest.mark.parametrize(("name", "one"), CASES)
def test_columns_that_are_not_there(name: str, one: str) -> None:
    for column in RELATIONS[one]:
        with pytest.raises(sqlmetrics.MissingColumn, match=rf"^{one}: there is no column '{column}'"):
            ask(name, **{one: RELATIONS[one].rename(columns={column: "other"})})


@pytest.mark.parametrize(("name", "one"), CASES)
def test_items_of_another_type(name: str, one: str) -> None:
    with pytest.raises(sqlmetrics.BadData, match=rf"^item: column 'ad' is BIGINT in the data and VARCHAR in {one}; "):
        ask(name, **{one: RELATIONS[one].astype({"ad": str})})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda value: value * 0, "embeddings holds a vector of zeros, which has no direction; for example 1 "),
        (lambda value: value / 0, "embeddings holds an infinite value; for example 1 "),
    ],
)
def test_vectors_without_a_direction(change: Callable[[Any], Any], words: str) -> None:
    one = RELATIONS["embeddings"]
    with pytest.raises(sqlmetrics.BadData, match=f"^{words}"):
        ask("intra_list_distance", embeddings=one.assign(value=change(one["value"])))


SIMILARITY = pd.DataFrame({"item_a": [1, 1], "item_b": [2, 3], "similarity": [0.5, -0.75]})
NUMBERS = {
    "novelty": ("popularity", RELATIONS["popularity"], "count"),
    "average_popularity": ("popularity", RELATIONS["popularity"], "count"),
    "popularity_lift": ("popularity", RELATIONS["popularity"], "count"),
    "intra_list_distance": ("embeddings", RELATIONS["embeddings"], "value"),
    "diversity": ("similarity", SIMILARITY, "similarity"),
}


@pytest.mark.parametrize(
    "made", [str, lambda _: "much", bool, lambda one: [one]], ids=["number", "word", "truth", "list"]
)
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_are_none(name: str, made: Callable[[Any], Any]) -> None:
    """Said in our own words, whatever the engine would make of it: a text of digits is a text."""
    one, table, column = NUMBERS[name]
    given = {"history": RELATIONS["history"]} if name == "popularity_lift" else {}
    for wrong in (table, table.head(1)):
        changed = {**given, one: wrong.assign(**{column: wrong[column].map(made)})}
        with pytest.raises(
            sqlmetrics.BadData, match=rf"^{one}: column '{column}' is [\w\[\]]+, and a number is needed; "
        ):
            sqlmetrics.evaluate(LISTS, name, **ROLES, **changed)
        if one == "popularity":
            continue
        with pytest.raises(sqlmetrics.BadData, match=rf"^{one}: column '{column}' is "):
            sqlmetrics.state(LISTS, name, **ROLES, **changed)
    if name in ("novelty", "average_popularity"):
        parts = sqlmetrics.state(LISTS, name, **ROLES)
        with pytest.raises(sqlmetrics.BadData, match=rf"^{one}: column '{column}' is "):
            sqlmetrics.evaluate_states(parts, name, item="ad", **changed)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["int8", "float32", "Int64", "decimal"])
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_other_types(name: str, kind: str) -> None:
    one, table, column = NUMBERS[name]
    table = table.assign(**{column: table[column] * 4})  # of which every type has the values
    given = {"history": RELATIONS["history"]} if name == "popularity_lift" else {}
    other = table[column].map(lambda one: Decimal(str(one))) if kind == "decimal" else table[column].astype(kind)
    found, expected = (
        sqlmetrics.evaluate(LISTS, name, **ROLES, **given, **{one: table.assign(**{column: values})})[name].item()
        for values in (other, table[column])
    )
    assert found == pytest.approx(expected, rel=1e-12)


def test_similarities_are_any_finite_numbers() -> None:
    """u has three pairs, of 1 and 2, 1 and 3, 2 and 3; v has one, of 1 and 4. The interval ends at no bound."""
    found = sqlmetrics.evaluate(LISTS, "diversity", **ROLES, similarity=SIMILARITY, confidence=0.9)
    assert found["diversity"].item() == pytest.approx((1 - (0.5 - 0.75) / 3 + 1) / 2, rel=1e-12)
    middle = (found["diversity_low"] + found["diversity_high"]) / 2
    assert middle.item() == pytest.approx(found["diversity"].item(), rel=1e-12)
    for infinite in (math.inf, -math.inf):
        with pytest.raises(
            sqlmetrics.BadData, match=r"^similarity holds an infinite value; for example 1 \(1 in all\)$"
        ):
            sqlmetrics.diversity(LISTS, **ROLES, similarity=SIMILARITY.assign(similarity=[0.5, infinite]))


@pytest.mark.parametrize("alpha", [0, -1, 1.5])
def test_alpha_mixes(alpha: float) -> None:
    with pytest.raises(sqlmetrics.BadParameter, match="alpha"):
        ask("category_miscalibration", spec={"name": "category_miscalibration", "alpha": alpha})


def test_a_relation_that_nobody_reads() -> None:
    with pytest.raises(sqlmetrics.BadParameter, match="history has no meaning for novelty: leave it out"):
        sqlmetrics.evaluate(LISTS, "novelty", **ROLES, popularity=RELATIONS["popularity"], history=RELATIONS["history"])


def test_nobody_with_a_history() -> None:
    """No list can be compared then; n tells the rows all the same."""
    stranger = pd.DataFrame({"user": ["y"], "ad": [1]})
    for name in ("popularity_lift", "category_miscalibration"):
        found = ask(name, history=stranger)
        assert found["n"].tolist() == [6]
        assert found[name].isna().all()


def test_a_state_keeps_all_but_the_lift() -> None:
    for name in ("category_miscalibration", "serendipity", "intra_list_distance"):
        given = {one: RELATIONS[one] for one in READS[name]}
        label = {"label": "clicked"} if name == "serendipity" else {}
        days = [LISTS[LISTS["user"] == "u"], LISTS[LISTS["user"] != "u"]]
        parts = [
            sqlmetrics.state(rows, name, **ROLES, **label, **given, by=f"day = {day} + 0")
            for day, rows in enumerate(days)
        ]
        found = sqlmetrics.evaluate_states(pd.concat(parts), name)
        assert found[name].tolist() == pytest.approx(ask(name)[name].tolist(), rel=1e-12)
    with pytest.raises(sqlmetrics.BadParameter, match="popularity_lift cannot be added up from parts: the popularity"):
        sqlmetrics.state(LISTS, "popularity_lift", **ROLES, history=RELATIONS["history"])


# The shell


def test_the_shell_reads_them_and_refuses(tmp_path: Path) -> None:
    LISTS.to_csv(tmp_path / "lists.csv", index=False)
    paths = {}
    for one, table in RELATIONS.items():
        paths[one] = tmp_path / f"{one}.csv"
        table.to_csv(paths[one], index=False)
    for name, read in READS.items():
        asked = ["eval", str(tmp_path / "lists.csv"), "-m", name, "--format", "json"]
        for role, column in {**ROLES, **({"label": "clicked"} if name == "serendipity" else {})}.items():
            asked += [f"--{role}", column]
        for one in read:
            asked += ["--" + one.replace("_", "-"), str(paths[one])]
        done = CliRunner().invoke(main, asked)
        assert (done.exit_code, done.stderr) == (0, "")
        assert json.loads(done.stdout)[0][name] == pytest.approx(value(name), rel=1e-12)
        refused = CliRunner().invoke(main, asked[:-2])
        assert refused.exit_code == 2
        assert refused.stderr.startswith(f"error: {name} needs --{read[-1].replace('_', '-')}: relation of ")
        assert refused.stderr.count("\n") == 1
