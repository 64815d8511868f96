"""Relations of recommended lists: histories, categories, vectors, popularities, similarities and expected items."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sqlmetrics
from tests.calls import shell

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


# Values in addition to those of the oracles


def test_states_support_lists_but_not_lift() -> None:
    days = LISTS.assign(day=(LISTS["user"] != "u").astype(int))
    for name in ("category_miscalibration", "serendipity", "intra_list_distance"):
        states = [sqlmetrics.state(rows, name, **arguments(name), by="day") for _, rows in days.groupby("day")]
        result = sqlmetrics.evaluate_states(pd.concat(states), name)
        assert result[name].item() == pytest.approx(value(name), rel=1e-12)
    without_history = evaluate("popularity_lift", history=pd.DataFrame({"user": ["y"], "ad": [1]}))
    assert without_history.iloc[0].tolist() == pytest.approx([6, math.nan], nan_ok=True)
    with pytest.raises(
        sqlmetrics.BadParameter,
        match="popularity_lift cannot be added up from parts: popularity is read with the state",
    ):
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
    with pytest.raises(sqlmetrics.BadParameter, match="history is not used by novelty; remove it"):
        sqlmetrics.evaluate(LISTS, "novelty", **ROLES, **relations)


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


def test_zero_and_infinite_numbers_are_rejected() -> None:
    embeddings, similarity = RELATIONS["embeddings"], RELATIONS["similarity"].assign(similarity=[0.5, -math.inf])
    for name, table, message in (
        ("embeddings", embeddings.assign(value=0), "holds a vector of zeros, which has no direction; for example 1 "),
        ("embeddings", embeddings.assign(value=math.inf), "holds an infinite value; for example 1 "),
        ("similarity", similarity, r"holds an infinite value; for example 1 \(1 in all\)$"),
    ):
        metric = "intra_list_distance" if name == "embeddings" else "diversity"
        with pytest.raises(sqlmetrics.BadData, match=f"^{name} {message}"):
            sqlmetrics.evaluate(LISTS, metric, **ROLES, **{name: table})


@pytest.mark.parametrize(("name", "relation", "column"), [
    ("novelty", "popularity", "count"), ("intra_list_distance", "embeddings", "value"),
    ("diversity", "similarity", "similarity"),
])  # fmt: skip
def test_numbers_of_relations_must_be_numeric(name: str, relation: str, column: str) -> None:
    """Any numeric type is valid; a string of digits is a string, in one row or several."""
    table = RELATIONS[relation].assign(**{column: RELATIONS[relation][column] * 4})  # values that every type has
    expected = sqlmetrics.evaluate(LISTS, name, **ROLES, **{relation: table})[name].item()
    decimals = table.assign(**{column: table[column].map(lambda number: Decimal(str(number)))})
    result = sqlmetrics.evaluate(LISTS, name, **ROLES, **{relation: decimals})
    assert result[name].item() == pytest.approx(expected, rel=1e-12)
    functions: list[Any] = [partial(sqlmetrics.evaluate, LISTS, name, **ROLES)]
    if relation == "popularity":
        functions.append(partial(sqlmetrics.evaluate_states, sqlmetrics.state(LISTS, name, **ROLES), name, item="ad"))
    else:
        functions.append(partial(sqlmetrics.state, LISTS, name, **ROLES))
    wrong: list[tuple[Any, int]] = [(str, 1), (lambda _: "much", 2), (bool, 2), (lambda number: np.array([number]), 1)]
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
    result = shell(*command)
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout)[0][name] == pytest.approx(value(name), rel=1e-12)
    result = shell(*command[:-2])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: {name} needs --{READS[name][-1].replace('_', '-')}: relation of ")
    assert result.stderr.count("\n") == 1
