"""Every metric against someone else's code, on data drawn to hurt: ties, one class, no rows, extreme values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import sqlmetrics
from sqlmetrics.catalogue import Metric, builtin_catalogue
from tests.compare import agree
from tests.data import (
    CLASS_SCORES,
    COLUMNS,
    JUDGED,
    KINDS,
    PROPENSITIES,
    SUBTOPICS,
    arrow,
    is_missing,
    one_place_of_items,
    relations_of,
    sample,
    slices_of,
)
from tests.oracles import (
    ORACLES,
    SKIP,
    Oracle,
    Within,
    expected_value,
)
from tests.oracles.binary import XGBOOST
from tests.oracles.ranking import Member, expected_in_places
from tests.tiers import by_weight
from tests.variants import (
    Call,
    MetricCall,
    Parameters,
    base_parameters_of,
    calls,
    can_ask,
    kinds_of,
    metric_call,
    roles_of,
    sample_values,
    variants,
)

METRICS = builtin_catalogue().metrics
NAN = float("nan")
CASES = [(metric, parameters) for metric in METRICS.values() for parameters in variants(metric)]


# Rows as an oracle wants them


def usable_rows(data: pd.DataFrame, one: MetricCall, call: Call) -> pd.DataFrame:
    """The rows that count for a metric, with the roles as columns."""
    metric = one.metric
    used = {role: column for role, column in call.roles.items() if role in metric.roles()}
    if metric.score == "threshold" and "prediction" in used:
        used.pop("score", None)
    if call.kind in JUDGED:  # the label is that of the judgments
        used.pop("label", None)
        used.pop("subtopic", None)
    needed = {column: column for role, column in used.items() if role != "tie_key"}
    rows = data
    if "p_price" in used:
        needed = {
            role: COLUMNS[role] for role in ("won", "p_price") if role != "won" or one.parameters["mode"] != "observed"
        }
        rows = data.assign(**{COLUMNS["p_price"]: _price_needed(data, one.parameters["mode"])})
    scores = one.parameters.get("scores") or one.parameters.get("quantiles") or {}
    needed |= {column: column for column in scores.values()}
    complete = rows[list(needed.values())].itertuples(index=False)
    kept = np.array([not any(map(is_missing, row)) for row in complete], dtype=bool)
    if one.metric.frames[-1] == "slates":  # a place that is missing leaves out the whole slate
        named = np.array([not is_missing(group) for group in rows[COLUMNS["group"]]], dtype=bool)
        if "rank" in used:
            named &= rows[COLUMNS["rank"]].notna().to_numpy()
        gaps = set(rows.loc[named & ~kept, COLUMNS["group"]])
        kept &= ~rows[COLUMNS["group"]].isin(gaps).to_numpy()
    columns = used | {column: column for column in scores.values()}
    rows = pd.DataFrame({role: data.loc[kept, column] for role, column in columns.items()}, index=data.index[kept])
    if "position" in rows:
        known = dict(PROPENSITIES.itertuples(index=False))
        rows["propensity"] = [known.get(place, math.nan) for place in rows.pop("position")]
        rows = rows[rows["propensity"].notna()]
    classes = metric.truth == "class" or (metric.truth == "binary or class" and "prediction" in used)
    for role in rows:
        if role not in ("group", "item", "subtopic", "field") and not (classes and role in ("label", "prediction")):
            rows[role] = rows[role].astype(float)
    for role in ("weight", "group_weight"):
        if role not in rows:
            rows[role] = 1.0
    rows["rows"] = rows.get("total", 1)
    if "rank" in rows:
        rows["score"] = -rows["rank"]
    if "tie_key" not in rows:  # a recommender's lists are ordered by item then, the rest does not ask
        rows["tie_key"] = math.nan
    if "positives" in rows:
        yes = rows.assign(label=1.0, weight=rows["positives"])
        no = rows.assign(label=0.0, weight=rows["total"] - rows["positives"], rows=0)
        rows = pd.concat([yes, no])
    return rows.reset_index(drop=True)


def _price_needed(data: pd.DataFrame, mode: str) -> list[Any]:
    """The probability that a mode reads of each row: a lost bid needs no price, or does not count at all."""
    read = []
    for won, price, survival in data[[COLUMNS[r] for r in ("won", "p_price", "p_survive")]].itertuples(index=False):
        lost = {"observed": price, "uncensored": 1.0, "censored": survival}[mode]
        read.append(price if won == 1 else lost)
    return read


#: Kinds of which every variant is asked, over all rows: there groups count of which nothing was returned.
WHOLE = ("judged", "judged subtopics")

# Comparing

Recorder = Callable[[Oracle, float], None]


@dataclass(frozen=True)
class Expectation:
    """What the oracles say of one metric in one slice."""

    one: MetricCall
    key: tuple[Any, ...]
    rows: pd.DataFrame
    answers: list[tuple[Oracle, Any]]


def expectations(data: pd.DataFrame, call: Call, by: list[str]) -> list[Expectation]:
    """Every metric of a call in every slice."""
    relations = {"judgments": None, "whole": not by, **canonical(relations_of(data, call.kind))}
    slices = list(slices_of(data, by))
    # Most metrics of a call count the same rows.
    known: dict[Any, pd.DataFrame] = {}
    found = []
    for one in call.asked:
        oracles = [oracle for oracle in ORACLES[one.metric.name] if oracle.takes(one.parameters)]
        assert oracles, f"no oracle for {one}"
        for key, members in slices:
            read = [str(one.parameters.get(name)) for name in ("mode", "scores", "quantiles")]
            alike = (key, one.metric.truth, one.metric.score, *one.metric.roles(), *read)
            rows = known[alike] if alike in known else known.setdefault(alike, usable_rows(members, one, call))
            said = [(oracle, expected_value(oracle, rows, {**one.parameters, **relations})) for oracle in oracles]
            found.append(
                Expectation(one, key, rows, [(by_whom, value) for by_whom, value in said if value is not SKIP])
            )
    return found


def compare(
    result: pd.DataFrame, expected: list[Expectation], call: Call, by: list[str], record: Recorder | None = None
) -> set[Oracle]:
    """Check every metric of a result in every slice; the oracles that had an answer."""
    answered: set[Oracle] = set()
    keys = [tuple(None if is_missing(v) else v for v in row) for row in result[by].itertuples(index=False)]
    # A hundred metrics have the same few slices.
    slices = {key: result[np.array([other == key for other in keys], dtype=bool)] for key in dict.fromkeys(keys)}
    for each in expected:
        ours = slices.get(each.key, result[:0]) if by else result
        # A slice all of whose rows were left out has no row of its own.
        if ours.empty and each.rows.empty:
            continue
        for oracle, theirs in each.answers:
            answered.add(oracle)
            differences = list(_differences(ours, theirs, each.one, call))
            problem = next((words for words, _ in differences if words), None)
            assert problem is None, f"{oracle}, {each.one}, slice {each.key}: {problem}\n{each.rows.to_string()}"
            if record is not None:
                record(oracle, max((size for _, size in differences), default=0.0))
    return answered


def canonical(relations: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The relations with roles as columns; a judgment without a grade is none."""
    roles = {COLUMNS[role]: role for role in ("group", "item", "subtopic", "label")}
    found = {name: relation.rename(columns=roles) for name, relation in relations.items()}
    if "judgments" in found:
        judged = found["judgments"]
        kept = np.array([not any(map(is_missing, row)) for row in judged.itertuples(index=False)], dtype=bool)
        found["judgments"] = judged[kept].astype({"label": float})
    return found


def _differences(ours: pd.DataFrame, theirs: Any, one: MetricCall, call: Call) -> Iterator[tuple[str | None, float]]:
    """Each value compared: what is wrong with it, in words, or None, and |a − b| / max(1, |b|)."""
    if isinstance(theirs, pd.DataFrame):
        if len(ours) != len(theirs):
            yield f"{len(ours)} rows, expected {len(theirs)}\n{ours}\n{theirs}", math.inf
            return
        pairs = [
            (call.roles["group"] if column == "group" else column, theirs[column])
            for column in theirs.columns
            if column in one.metric.columns
        ]
    else:
        if len(ours) != 1:
            yield f"{len(ours)} rows for one slice", math.inf
            return
        values = theirs if isinstance(theirs, dict) else {one.metric.columns[0]: theirs}
        pairs = [(one.columns[column], [value]) for column, value in values.items()]
    for column, expected in pairs:
        for a, b in zip(ours[column], expected, strict=True):
            if isinstance(b, Within):
                inside = not is_missing(a) and b.low <= a <= b.high
                yield None if inside else f"{column} is {a!r}, expected {b.low!r} to {b.high!r}", 0.0
            elif not agree(a, b, 1e-9):
                yield f"{column} is {a!r}, expected {b!r}", math.inf
            elif is_missing(a) or isinstance(a, str) or math.isinf(a):
                yield None, 0.0
            else:
                yield None, abs(float(a) - float(b)) / max(1.0, abs(float(b)))


# The register is complete


def test_every_metric_has_an_oracle() -> None:
    missing = [name for name in METRICS if name not in ORACLES]
    assert not missing, f"no oracle in tests/oracles for {missing}"
    strangers = [name for name in ORACLES if name not in METRICS]
    assert not strangers, f"an oracle for no metric: {strangers}"


@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
def test_every_value_of_every_parameter_has_an_oracle(metric: Metric) -> None:
    values = {parameter.name: sample_values(parameter) for parameter in metric.parameters.values()}
    combinations = [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]
    lonely = [c for c in combinations if not any(oracle.takes(c) for oracle in ORACLES.get(metric.name, []))]
    assert not lonely, f"{metric.name}: no oracle takes {lonely[:3]}, and {len(lonely)} in all"
    for parameter in metric.parameters.values():
        exercised = [metric_call(metric, case).parameters[parameter.name] for case in variants(metric)]
        assert all(choice in exercised for choice in parameter.choices), f"{metric.name}: {parameter.name}"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
def test_every_kind(metric: Metric) -> None:
    """On each kind of data that a metric takes; every oracle must have had an answer for some of it."""
    answered = check_variants(metric, kinds_of(metric))
    silent = [str(oracle) for oracle in ORACLES[metric.name] if oracle not in answered]
    assert silent == ([] if XGBOOST or metric.name != "pr_auc" else ["pr_auc by XGBoost (pr_auc_by_xgboost)"])


def check_variants(metric: Metric, kinds: Sequence[str], record: Recorder | None = None) -> set[Oracle]:
    answered: set[Oracle] = set()
    for number, kind in enumerate(kinds):
        plain = sample(kind).astype(object)
        # Scores that are never on the edge of a bin, where tools differ.
        shifted = [plain.assign(pctr=(2 * plain["pctr"] + 0.503) / 3)] if metric.score == "probability" else []
        # Every variant once, and where some of them mean something only then; the random data has the others.
        cases = variants(metric) if number == 0 or kind in WHOLE else [base_parameters_of(metric, kind)]
        askings = tuple(metric_call(metric, case) for case in cases if can_ask(case, kind))
        for data in [plain, *shifted] if number == 0 else [plain]:
            relations = relations_of(data, kind)
            by = [] if kind in WHOLE else ["country"]
            for asked in [(one,) for one in askings] if metric.table else [askings]:
                call = Call(kind, kind, asked, roles_of(metric, kind))
                result = call.evaluate(arrow(data), relations=relations, by=by or None)
                answered |= compare(result, expectations(data, call, by), call, by, record)
    return answered


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("weighted", "role"), by_weight(calls(), "weight", "group_weight", "total"))
def test_where_nothing_weighs(weighted: Call, role: str) -> None:
    """Rows of weight 0 are there and count for nothing: the undefined case, and no NULL where a sum is 0."""
    data = sample(weighted.kind)
    # A group has one weight, in whatever slices it is.
    weightless = (data["country"] == "at") | (role == "group_weight")
    for column in [COLUMNS[role], *[COLUMNS["positives"]] * (role == "total")]:
        data[column] = data[column].mask(weightless, 0.0)
    weighted = replace(weighted, roles={**weighted.roles, role: COLUMNS[role]})
    relations = relations_of(data, weighted.kind)
    by = [] if weighted.kind in JUDGED else ["country"]
    result = weighted.evaluate(arrow(data), relations=relations, by=by or None)
    compare(result, expectations(data, weighted, by), weighted, by)


def test_average_over_ties_is_the_mean_over_all_orders() -> None:
    """The shortcut that the oracles take for ties='average' is what the catalogue says it is."""
    blocks = [[0.0, 2.0, 1.0], [0.0, 3.0], [1.0]]
    members = [Member(label, -place) for place, block in enumerate(blocks) for label in block]
    orders = [list(itertools.chain(*order)) for order in itertools.product(*map(itertools.permutations, blocks))]
    assert expected_in_places(members, lambda label: label, "average") == pytest.approx(np.mean(orders, axis=0))


# What no random data asks for


def test_judgments_keep_the_rules_of_labels() -> None:
    rows = pa.table({"query": ["a", "a"], "ad": [1, 2], "score": [0.9, 0.1]})
    roles = {"label": "grade", "score": "score", "group": "query", "item": "ad"}

    def judged(*grades: float) -> pa.Table:
        items = list(range(1, len(grades) + 1))
        return pa.table({"query": ["a"] * len(grades), "ad": items, "grade": pa.array(grades, from_pandas=False)})

    [plain] = sqlmetrics.evaluate(rows, "ndcg", judgments=judged(0, 1), **roles)["ndcg"]
    with pytest.warns(sqlmetrics.DroppedRows, match="judgments in 1 row"):
        [beside_nan] = sqlmetrics.evaluate(rows, "ndcg", judgments=judged(0, 1, NAN), **roles)["ndcg"]
    assert beside_nan == plain == pytest.approx(1 / math.log2(3))
    with pytest.raises(sqlmetrics.BadData, match=r"(is|are) negative"):
        sqlmetrics.evaluate(rows, ["ndcg(negative='zero')", "mrr"], judgments=judged(0, -1), **roles)
    with pytest.raises(sqlmetrics.BadData, match="max_label=2"):
        sqlmetrics.evaluate(rows, "err(max_label=2)", judgments=judged(0, 3), **roles)


def test_a_judged_ranking_beside_a_metric_that_needs_no_item() -> None:
    """The rows without an item or a group take no part in it, whoever else uses them."""
    rows = pa.table(
        {"query": ["a", "a", "a", None], "ad": [1, 2, None, 3], "grade": [0, 1, 1, 0], "score": [0.9, 0.1, 1.0, 0.5]}
    )
    judgments = pa.table({"query": ["a", "a", "b"], "ad": [1, 2, 1], "grade": [0, 1, 1]})
    roles = {"label": "grade", "score": "score", "group": "query", "item": "ad", "judgments": judgments}
    with pytest.warns(sqlmetrics.DroppedRows):
        [both] = sqlmetrics.evaluate(rows, ["mrr", "auc"], **roles).to_dict("records")
    # The relevant item of a is second of two; of b nothing was returned. Score 1.0 and 0.1 against 0.9 and 0.5.
    assert (both["mrr"], both["auc"]) == (0.25, 0.5)


def test_the_last_step_of_a_curve_is_the_highest_score() -> None:
    """0.03 + (0.29 - 0.03) is more than 0.29 in doubles, and nothing would be called positive there."""
    rows = pa.table({"truth": [1, 0], "score": [0.29, 0.03]})
    curve = sqlmetrics.roc_curve(rows, label="truth", score="score", points=2)
    assert curve[["threshold", "tp", "fp"]].to_numpy().tolist() == [[math.inf, 0, 0], [0.29, 1, 0], [0.03, 1, 1]]


def test_a_class_without_a_column_is_an_error() -> None:
    rows = pa.table({"truth": ["cat", "it's"], "p_cat": [0.5, 0.5]})
    with pytest.raises(sqlmetrics.BadData, match="a class without a column"):
        sqlmetrics.evaluate(rows, [{"name": "multi_log_loss", "scores": {"cat": "p_cat"}}], label="truth")


def test_a_missing_value_that_not_every_metric_needs_is_no_bad_value() -> None:
    rows = pa.table({"truth": [1.0, 0.0, NAN], "user": ["a", "a", "a"], "ad": [1, 2, 3], "score": [0.9, 0.1, 0.5]})
    roles = {"label": "truth", "score": "score", "group": "user", "item": "ad"}
    with pytest.warns(sqlmetrics.DroppedRows):
        [found] = sqlmetrics.evaluate(
            rows, ["auc", "coverage"], catalog=pa.table({"ad": [1, 2, 3, 4]}), **roles
        ).to_dict("records")
    assert (found["auc"], found["coverage"]) == (1.0, 0.75)


# Random data

BINARY_LABELS = [[0.0, 1.0], [0.0], [1.0], [0.0] * 30 + [1.0]]
PROBABILITIES = [
    [i / 10 for i in range(11)],
    [0.25, 0.5, 0.75],
    [0.0, 5e-324, 1e-300, 1e-17, 0.29, 0.5, 1 - 1e-16, 1.0],
    [0.5],
    [0.0],
]
ANY_SCORES = [
    *PROBABILITIES,
    [-1e300, -2.5, -0.0, 0.0, 1e-300, 3.0, 1e300],
    [float("-inf"), 0.5, 1.0, float("inf")],
    [float("-inf"), -0.0, 0.0],
    [0.5, 0.5 + 1e-9, 0.5 - 1e-9, -0.5],  # one value less as 32-bit numbers
]
TRUE_NUMBERS = [[0.0], [0.1], [-2.0, 0.5, 0.0, 7.25], [1e-200, 1e6, 3.0, -1e9], [1e9, 1e9 + 0.5, 1e9 + 1, 1e9 + 7]]
NUMBERS = [[0.0], [-2.0, 0.5, 0.0, 7.25], [1e-300, 1e6, 3.0, -1e9], [0.1 * i for i in range(30)], [1e9, 1e9 + 0.25]]
COUNTS = [[0.0, 1.0, 2.0, 7.0], [0.0], [0.5, 3.0, 1e6]]
POSITIVE_NUMBERS = [[1.0, 2.5, 7.0], [0.1], [1e-3, 3.0, 1e6]]
AMOUNTS = [[0.0], [-0.5, 0.0, 1e-300, 1e-9, 1e12], [0.0, 1.0, 2.0, 7.0]]
GRADES = [[0.0, 1.0], [0.0], [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0], [1.0], [0.5, 1.5, 2.0]]
GRADES_OF_SUBTOPICS = [[0.0, 1.0], [0.0], [0.0, 0.0, 0.5, 1.0], [1.0]]
SIGNED_GRADES = [[-1.0, 0.0, 1.0, 3.0], [-2.0], [-0.5, 1.0]]
CLASSES = [["a", "b"], ["a"], ["a", "b", "c", "ü", ""]]
GROUPS = [["only"], ["a", "a", "a", "a", "b", "c", "it's"], [1, 2, 3, 4, 5, 6, 7, 8, 9], [7]]
#: The kinds of data whose labels are numbers.
NUMBERS_OF = ("numbers", "amounts", "counts", "positive numbers", "forecasts")
# The last ones are no sums of few powers of two: whoever adds them up in doubles rounds.
WEIGHTS = [[1.0], [0.0, 0.25, 1.0, 3.5], [0.0], [0.25, 1e6], [1e-5, 0.1, 1e6]]


@dataclass
class Log:
    """Drawn rows, and how they are to be asked."""

    data: pd.DataFrame
    scalars: Call | None
    table: Call | None
    by: list[str]

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(f"{self.scalars}, {self.table}, by {self.by}")


def _cells(draw: Any, pools: list[list[Any]], missing: bool, nan: bool = True) -> st.SearchStrategy[Any]:
    pool = draw(st.sampled_from(pools))
    if missing and draw(st.booleans()):
        pool = pool * 3 + ([None, NAN] if nan else [None])
    return st.sampled_from(pool)


@st.composite
def logs(draw: Any, kind: str, any_score: bool) -> Log:
    missing = draw(st.booleans())
    scale = 2.0 ** draw(st.sampled_from([0, 0, -40, 30]))
    graded = kind in ("grades", "ranks", *JUDGED)
    truths = {
        "numbers": TRUE_NUMBERS,
        "amounts": AMOUNTS,
        "forecasts": TRUE_NUMBERS,
        "counts": COUNTS,
        "positive numbers": POSITIVE_NUMBERS,
        "signed grades": SIGNED_GRADES,
        "subtopics": GRADES_OF_SUBTOPICS,
        "ranked subtopics": GRADES_OF_SUBTOPICS,
        "classes": CLASSES,
        "rated classes": CLASSES,
        "ratings": [[1.0, 2.0, 5.0], [0.0, 1.0], [1e6, 1e6 + 1], [3.0]],
        "class scores": [list(CLASS_SCORES), ["cat"]],
    }
    labels = truths.get(kind, GRADES if graded else BINARY_LABELS)
    scores = {"numbers": NUMBERS, "amounts": AMOUNTS, "counts": POSITIVE_NUMBERS}.get(kind)
    scores = POSITIVE_NUMBERS if kind == "positive numbers" else scores
    if scores is None:
        scores = ANY_SCORES if any_score or graded or kind in ("signed grades", "subtopics", "lists") else PROBABILITIES
    groups = draw(st.sampled_from(GROUPS))
    words = kind in ("classes", "class scores", "rated classes")
    cells = {
        "clicked": _cells(draw, labels, missing, nan=not words),
        "pctr": _cells(draw, scores, missing),
        "called": _cells(draw, CLASSES if kind == "classes" else BINARY_LABELS, missing, nan=not words),
        "user_id": _cells(draw, [groups], missing, nan=False),
        "place": _cells(draw, [[1.0, 2.0, 3.0], [float(i) for i in range(1, 40)]], missing),
        "doc": _cells(draw, [list(range(40)), [1, 2]], missing, nan=False),
        "w": _cells(draw, WEIGHTS[:4] if kind in NUMBERS_OF else WEIGHTS, missing),
        "campaign": _cells(draw, [["x", "y"]], missing, nan=False),
        "device": _cells(draw, [["phone", "desktop"]], True, nan=False),
        "country": _cells(draw, [["de", "at", "ch"]], missing, nan=False),
        "hour": _cells(draw, [[1, 2]], missing, nan=False),
        "views": st.integers(0, 5),
        "clicks": st.integers(0, 5),
        "mass": _cells(draw, [PROBABILITIES[0], PROBABILITIES[2]], missing),
        "tail": _cells(draw, [PROBABILITIES[0], PROBABILITIES[2]], missing),
        "taken": _cells(draw, BINARY_LABELS, missing),
        "earned": _cells(draw, [[0.0, 1.0], [0.0], [-2.5, 0.0, 0.1, 1e6]], missing),
        "logged": _cells(draw, [[1 / 64, 0.1, 0.5, 1.0], [1.0], [1e-6, 0.3]], missing),
        "shown_at": _cells(draw, [[1.0, 2.0, 3.0], [5.0], [float(i) for i in range(-1, 9)]], missing),
        "chosen": _cells(draw, [PROBABILITIES[0], PROBABILITIES[2], [0.0]], missing),
        "hoped": _cells(draw, [PROBABILITIES[0], [-1.0, 0.0, 2.5]], missing),
        "hoped_of_all": _cells(draw, [PROBABILITIES[0], [-1.0, 0.0, 2.5]], missing),
        "treated": _cells(draw, BINARY_LABELS, missing),
        "lasted": _cells(draw, [[1.0, 2.0, 3.0], [float(i) for i in range(1, 40)], [0.0, -0.5, 1e12]], missing),
        "parts": _cells(draw, [[(0.5, 0.25, 0.25), (0.0, 1.0, 0.0)], [(0.0, 0.0, 0.0), (1e-300, 0.3, 0.9)]], False),
        "middle": _cells(draw, NUMBERS, missing),
        "width": _cells(draw, [[0.0], [0.0, 0.5, 3.0], [1e6]], missing),
        "grade": _cells(draw, GRADES_OF_SUBTOPICS if kind == "judged subtopics" else GRADES, True),
        "ghost": _cells(draw, [[*groups, "ghost" if isinstance(groups[0], str) else 99]], missing, nan=False),
        "other_grade": _cells(draw, GRADES_OF_SUBTOPICS if kind == "judged subtopics" else GRADES, missing),
    }
    rows = draw(st.lists(st.tuples(*cells.values()), max_size=draw(st.sampled_from([2, 12, 40]))))
    data = pd.DataFrame(rows, columns=list(cells), dtype=object)
    data["w"] = [w * scale if w is not None else None for w in data["w"]]
    data["clicks"] = [float(min(pair)) * scale for pair in zip(data["clicks"], data["views"], strict=True)]
    data["views"] = [float(views) * scale for views in data["views"]]
    importance = draw(st.sampled_from([[1.0], [0.5, 2.0], [0.0, 1.0]]))
    data["importance"] = [importance[len(str(user)) % len(importance)] for user in data["user_id"]]
    # An item may be listed once, so each row has its own; some have none.
    items = [None if missing and number % 7 == 5 else (number * 37) % 101 for number in range(len(data))]
    data["ad"] = pd.Series(items, dtype=object)
    if kind in SUBTOPICS:
        data["aspect"] = [
            None if missing and number % 11 == 7 else f"aspect {number % 3}" for number in range(len(data))
        ]
        data = one_place_of_items(data, np.arange(len(data)) // 3)
    data["missed"] = [number + 200 for number in range(len(data))]
    for place, column in enumerate(CLASS_SCORES.values()):
        data[column] = [parts[place] for parts in data["parts"]]
    for column, way in {"low": -1, "high": 1}.items():
        pairs = zip(data["middle"], data["width"], strict=True)
        data[column] = [None if width is None or middle is None else middle + way * width for middle, width in pairs]
    data = data.drop(columns=["parts", "width"]).astype(object)

    metrics = [metric for metric in METRICS.values() if kind in kinds_of(metric)]
    if kind == "pre-aggregated" and scale < 1:  # what counts rows takes no part of one
        metrics = [metric for metric in metrics if not metric.no_weight]
    if any_score:
        metrics = [metric for metric in metrics if metric.score != "probability"]
    tables = [metric for metric in metrics if metric.table]
    scalar_metrics = [metric for metric in metrics if not metric.table]
    # Where there are many, each once: an example would take a second.
    times = range(1 if len(scalar_metrics) > 12 else 2)
    askings = [_drawn(draw, metric, kind) for metric in scalar_metrics for _ in times]
    scalars = _call(draw, kind, list({one.name: one for one in askings}.values()))
    table = _call(draw, kind, [_drawn(draw, draw(st.sampled_from(tables)), kind)]) if tables else None
    by = draw(st.sampled_from([[], [], ["device"], ["device", "hour"], ["country", "device", "hour"]]))
    return Log(data, scalars, table, by)


def _drawn(draw: Any, metric: Metric, kind: str) -> MetricCall:
    """A metric with any value of each of its parameters."""
    parameters: Parameters = {}
    base = base_parameters_of(metric, kind)
    for parameter in metric.parameters.values():
        if parameter.name in base and parameter.name == "negative":
            continue
        values = [value for value in sample_values(parameter) if can_ask(base | {parameter.name: value}, kind)]
        value = draw(st.sampled_from(values))
        if value is not None:
            parameters[parameter.name] = value
    return metric_call(metric, {**base, **parameters})


def _call(draw: Any, kind: str, asked: list[MetricCall]) -> Call | None:
    if not asked:
        return None
    roles: dict[str, str] = {}
    for one in asked:
        roles |= roles_of(one.metric, kind)
    for role in ("weight", "group_weight"):
        if any(role in one.metric.roles() for one in asked) and kind != "pre-aggregated" and draw(st.booleans()):
            roles[role] = COLUMNS[role]
    call = Call(kind, kind, tuple(asked), roles)
    return call.weighable if "group_weight" in roles else call


RANDOM = [(kind, False) for kind in KINDS] + [("labels", True), ("pre-aggregated", True)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("kind", "any_score"), RANDOM, ids=[f"{k}{'-any-score' if s else ''}" for k, s in RANDOM])
def test_random_data(kind: str, any_score: bool) -> None:
    assert any(call.kind == kind for call in calls()), "some metric is asked of it"
    check_random_data(kind, any_score, examples=4)


def check_random_data(kind: str, any_score: bool, record: Recorder | None = None, examples: int = 16) -> None:
    @settings(
        derandomize=True,
        deadline=None,
        database=None,
        max_examples=examples,
        # The failing rows are printed. To make them fewer takes thousands of queries, so minutes.
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(logs(kind, any_score))
    def check(log: Log) -> None:
        table = typed(log.data)
        relations = relations_of(log.data, kind)
        for call in (log.scalars, log.table):
            if call is not None:
                result = call.evaluate(table, relations=relations, by=log.by or None)
                compare(result, expectations(log.data, call, log.by), call, log.by, record)

    check()


def typed(data: pd.DataFrame) -> Any:
    """As an Arrow table whose columns have a type even where no value tells it."""
    table = arrow(data)
    texts = ("device", "country", "campaign")
    for place, name in enumerate(table.column_names):
        if pa.types.is_null(table.schema.field(name).type):
            kind = pa.string() if name in texts else pa.float64()
            table = table.set_column(place, name, table[name].cast(kind))
    return table


# Which groups have a value: one rule for all that adds up grades

_GRADED = {
    "dcg": "dcg(gain='{gain}', {given})",
    "unbiased_dcg": "unbiased_dcg(gain='{gain}', {given})",
    "ndcg": "ndcg(gain='{gain}', {given})",
    "unbiased_ndcg": "unbiased_ndcg(gain='{gain}', {given})",
}


@pytest.mark.parametrize("gain", ["exp", "linear", "binary"])
@pytest.mark.parametrize("given", [
    "relevant_at=1", "relevant_at=2", "relevant_at=0.25, k=2", "relevant_at=0", "relevant_at=3, empty='one'",
    "relevant_at=2, empty='zero', ties='best'", "discount='classic', k=1, empty='zero'",
])  # fmt: skip
def test_unbiased_gains_are_the_plain_ones_where_all_was_seen(gain: str, given: str) -> None:
    rng = np.random.default_rng(5)
    rows = 400
    data = pd.DataFrame({
        "user": np.arange(rows) // 4, "grade": rng.choice([0, 0, 0, 0.25, 0.5, 1, 2, 3], rows),
        "score": rng.integers(0, 5, rows), "seen": 1.0,
    })  # fmt: skip
    given += "" if "empty" in given else ", empty='skip'"
    metrics = [f"{name} = {text.format(gain=gain, given=given)}" for name, text in _GRADED.items()]
    found = sqlmetrics.per_group(data, metrics, label="grade", score="score", group="user", propensity="seen")
    for unbiased, plain in (("unbiased_dcg", "dcg"), ("unbiased_ndcg", "ndcg")):
        assert found[unbiased].tolist() == pytest.approx(found[plain].tolist(), rel=1e-12, nan_ok=True)
    roles = {"label": "grade", "score": "score", "group": "user", "propensity": "seen"}
    means = sqlmetrics.evaluate(data, metrics, **roles).iloc[0]
    assert [means["unbiased_dcg"], means["unbiased_ndcg"]] == pytest.approx([means["dcg"], means["ndcg"]], rel=1e-12)


def test_a_group_with_gain_has_a_value_of_every_metric_of_grades() -> None:
    """Whatever is relevant: 0.6577 and 1 are scikit-learn's, of one item of 0.5 above one of 0.25."""
    metrics = [
        "dcg(gain='linear')", "unbiased_dcg(gain='linear', empty='skip')", "unbiased_ndcg(gain='linear')",
        "err(max_label=3)", "rbp(gain='linear', max_label=3)", "cg(gain='linear')",
    ]  # fmt: skip
    roles = {"label": "grade", "score": "score", "group": "user", "propensity": "seen"}
    data = pd.DataFrame({"user": [1, 1, 2, 2], "grade": [0.5, 0.25, 0, 0], "score": [2, 1, 2, 1], "seen": 1.0})
    found = sqlmetrics.per_group(data, metrics, **roles)
    first = 0.5 + 0.25 / np.log2(3)
    stops = (2 ** np.array([0.5, 0.25]) - 1) / 8
    worth = [first, first, 1.0, stops[0] + (1 - stops[0]) * stops[1] / 2, 0.2 * (0.5 + 0.8 * 0.25) / 3, 0.75]
    assert found.iloc[0, -6:].tolist() == pytest.approx(worth, rel=1e-12)
    assert found.iloc[1, -6:].isna().all()
    graded = pd.DataFrame({"user": [1, 1], "grade": [1, 1], "score": [2, 1], "seen": 1.0})
    found = sqlmetrics.evaluate(graded, "unbiased_dcg(gain='linear', relevant_at=2)", **roles)
    assert found.iloc[0, -1] == pytest.approx(1 + 1 / np.log2(3), rel=1e-12)
