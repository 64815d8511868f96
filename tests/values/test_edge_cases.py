"""The ends of what scores, weights, counts and groups can be, against scikit-learn, scipy and exact arithmetic."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn import calibration
from sklearn import metrics as sk

import sqlmetrics
from tests.compare import agree
from tests.oracles.binary import area_of_many_digits
from tests.oracles.classes import krippendorff_alpha
from tests.oracles.regression import normalized_gini
from tests.parameters import pairwise
from tests.variants import quiet

ROLES: dict[str, Any] = {"label": "label", "score": "score"}
Numbers = np.ndarray[Any, Any]


def rows(label: Any, score: Any, **columns: Any) -> pa.Table:
    return pa.table({"label": np.asarray(label, dtype=float), "score": np.asarray(score), **columns})


def cases_table(cases: dict[str, tuple[Any, Any]], **columns: Any) -> pa.Table:
    """Labels and scores of all cases, which are the slices of one call."""
    return pa.concat_tables(
        rows(label, score, case=[name] * len(label), **columns) for name, (label, score) in cases.items()
    )


def by_case(cases: dict[str, tuple[Any, Any]], metrics: Any, **roles: Any) -> dict[str, dict[str, Any]]:
    result = sqlmetrics.evaluate(cases_table(cases), metrics, by="case", **ROLES, **roles)
    assert len(result) == len(cases)
    return {row["case"]: row for row in result.to_dict("records")}


def ranks(score: Any) -> Numbers:
    """The order of the scores, which is all that counts: scikit-learn takes no infinite ones."""
    return np.unique(np.asarray(score, dtype=float), return_inverse=True)[1]


def neighbours(start: float, count: int) -> list[float]:
    """A number and the doubles right above it."""
    numbers = [start]
    while len(numbers) < count:
        numbers.append(float(np.nextafter(numbers[-1], math.inf)))
    return numbers


RNG = np.random.default_rng(11)
LABELS = RNG.integers(0, 2, 24)
PROBABILITIES: dict[str, Any] = {
    "constant": [0.5] * 24, "all different": RNG.permutation(24) / 24, "perfect": LABELS.astype(float),
    "reversed": 1.0 - LABELS, "neighbours of 0.5": RNG.permutation(neighbours(0.5, 24)),
    "neighbours of 1": 1 - RNG.permutation(np.arange(24)) * 2.0**-53,
    "neighbours of 0": RNG.permutation(neighbours(0.0, 24)),
    "normal and subnormal": RNG.choice([5e-324, 1e-310, 2.2250738585072014e-308, 1e-300, 0.25], 24),
    "zero of both signs": RNG.choice([0.0, -0.0, 5e-324], 24), "in millionths": RNG.permutation(24) * 1e-6,
}  # fmt: skip
SINGLE: dict[str, Any] = {
    "32 bits": RNG.random(24).astype(np.float32),
    "32 bits next to 1": (1 - RNG.integers(0, 5, 24) * 2.0**-24).astype(np.float32),
    "16 bits": RNG.random(24).astype(np.float16).astype(np.float32),
}
UNBOUNDED: dict[str, Any] = {
    "infinite and finite": RNG.choice([-math.inf, -1.0, 0.0, 1.0, math.inf], 24),
    "only infinite": RNG.choice([-math.inf, math.inf], 24),
    "infinite and the largest": RNG.choice([1.7976931348623157e308, math.inf, -1.7976931348623157e308], 24),
    "very far apart": RNG.permutation(np.linspace(-1, 1, 24) * 1.5e308),
    "neighbours of 1e16": RNG.permutation(neighbours(1e16, 24)),
}
SCORES = {"double": PROBABILITIES | UNBOUNDED, "single": SINGLE, "integer": {"integers": RNG.integers(-5, 5, 24)}}

# Orders of scores


@pytest.mark.parametrize(("scores", "weighted"), [(scores, weighted) for scores in SCORES for weighted in (0, 1)])
def test_ranking_metrics_match_scikit_learn_for_extreme_scores(scores: str, weighted: bool) -> None:
    weight = np.resize([0.0, 0.5, 1.0, 3.0, 0.5], len(LABELS)) if weighted else np.ones(len(LABELS))
    data = cases_table({name: (LABELS, score) for name, score in SCORES[scores].items()}, weight=weight)
    roles = {**ROLES, "by": "case", **({"weight": "weight"} if weighted else {})}
    metrics = "auc, average_precision, ks, pr_auc(interpolation='trapezoid'), max_f1"
    result = sqlmetrics.evaluate(data, metrics, **roles).set_index("case")
    binned = sqlmetrics.evaluate(data, "auc(bins=1000)", **roles).set_index("case")
    used = weight > 0
    for name, score in SCORES[scores].items():
        order, w = (LABELS[used], ranks(score)[used]), {"sample_weight": weight[used]}
        false, true, _ = sk.roc_curve(*order, **w)
        precision, recall, _ = sk.precision_recall_curve(*order, **w)
        total = np.where(precision + recall > 0, precision + recall, 1)
        expected = {
            "auc": sk.roc_auc_score(*order, **w), "average_precision": sk.average_precision_score(*order, **w),
            "ks": max(true - false), "pr_auc": sk.auc(recall, precision), "max_f1": max(2 * precision * recall / total),
        }  # fmt: skip
        for metric, value in expected.items():
            assert agree(result.loc[name, metric], value), (name, metric)
        low, high = binned.loc[name, ["auc_lower", "auc_upper"]]
        assert low - 1e-12 <= expected["auc"] <= high + 1e-12


@pytest.mark.parametrize("scores", [PROBABILITIES, SINGLE], ids=["double", "single"])
def test_losses_match_scikit_learn_for_extreme_probabilities(scores: dict[str, Any]) -> None:
    """A probability of 32 bits is the number that it is: scikit-learn gets the same numbers with 64 bits."""
    cases = {name: (LABELS, np.abs(np.asarray(score))) for name, score in scores.items()}
    # scikit-learn clips probabilities of 32 bits by the precision of their type.
    eps = float(np.finfo(np.float32).eps)
    result = by_case(cases, f"log_loss, brier, mae, clipped = log_loss(eps={eps})")
    for name, (_, score) in cases.items():
        wide, values = score.astype(float), result[name]
        assert agree(values["log_loss"], sk.log_loss(LABELS, np.column_stack([1 - wide, wide]))), name
        assert agree(values["brier"], sk.brier_score_loss(LABELS, wide)), name
        assert agree(values["mae"], sk.mean_absolute_error(LABELS, wide)), name
        if scores is SINGLE:
            assert values["clipped"] == pytest.approx(sk.log_loss(LABELS, score), rel=1e-5)


def test_auc_of_a_perfect_order_is_exact() -> None:
    """Whatever the numbers of rows: assertions such as `auc <= 1` hold."""
    rng, cases = np.random.default_rng(8), {}
    for number in range(20):
        positives, negatives = rng.integers(2, 300, 2)
        score = np.concatenate([0.6 + rng.integers(0, 5, positives) / 20, 0.1 + rng.integers(0, 4, negatives) / 10])
        for name, sign in (("perfect", 1), ("reversed", -1)):
            cases[f"{name} {number}"] = ([1] * positives + [0] * negatives, sign * score)
    for name, row in by_case(cases, "auc, gini").items():
        assert (row["auc"], row["gini"]) == ((1, 1) if name.startswith("perfect") else (0, -1))


def test_mcc_of_large_counts_and_of_no_association() -> None:
    """The product of the four margins has 48 digits; scikit-learn gets the same shares in small numbers."""
    tp, fp, fn, tn = 7, 3, 2, 11
    expected = sk.matthews_corrcoef([1] * tp + [0] * fp + [1] * fn + [0] * tn, [1] * (tp + fp) + [0] * (fn + tn))
    for scale in (10**3, 10**9, 10**12):
        counts = {"positives": [tp * scale, fn * scale], "total": [(tp + fp) * scale, (fn + tn) * scale]}
        data = pa.table({**counts, "score": [1.0, 0.0]})
        assert agree(sqlmetrics.mcc(data, positives="positives", total="total", score="score")["mcc"][0], expected)
    data = rows([1, 1, 0, 0] * 9, [1.0, 0.0, 1.0, 0.0] * 9)
    assert sqlmetrics.evaluate(data, "mcc, auc, balanced_accuracy", **ROLES).iloc[0, 1:].tolist() == [0, 0.5, 0.5]


# Numbers


@pytest.mark.parametrize(("far", "spread"), [(0.0, 1.0), (1e9, 1e-3), (1e15, 3.0)])
def test_correlations_of_numbers_far_from_zero(far: float, spread: float) -> None:
    """Those of the differences from that number, which are exact; scipy has eight digits right without."""
    rng = np.random.default_rng(3)
    label = far + spread * rng.normal(size=2000)
    score = label + spread * (0.3 + 0.7 * rng.normal(size=2000))
    names = ["pearson_correlation", "concordance_correlation", "r2", "explained_variance"]
    [row] = sqlmetrics.evaluate(rows(label, score), names, **ROLES).to_dict("records")
    y, p = label - far, score - far
    covariances = np.cov(y, p, ddof=0)
    assert {name: row[name] for name in names} == pytest.approx({
        "pearson_correlation": np.corrcoef(y, p)[0, 1],
        "concordance_correlation": 2 * covariances[0, 1] / (covariances.trace() + (y.mean() - p.mean()) ** 2),
        "r2": sk.r2_score(y, p),
        "explained_variance": sk.explained_variance_score(y, p),
    }, rel=1e-12)  # fmt: skip


def test_krippendorff_alpha_of_ratings_far_from_zero() -> None:
    ratings = pd.DataFrame(np.random.default_rng(3).integers(0, (12, 5), (40, 2)), columns=["group", "label"])
    expected = krippendorff_alpha(ratings, SimpleNamespace(level="interval"))
    log = pd.concat([ratings.assign(label=far + ratings["label"], far=far) for far in (0, 1e9, -1e12, 1e15)])
    result = sqlmetrics.krippendorff_alpha(log, label="label", group="group", level="interval", by="far")
    assert result["krippendorff_alpha"].tolist() == pytest.approx([expected] * 4, rel=1e-12)


@pytest.mark.parametrize("spread", [1e-9, 1.0])
def test_rmsle_of_close_numbers(spread: float) -> None:
    """`log1p` of the relative difference has all digits, scikit-learn's difference of two logarithms loses some."""
    rng = np.random.default_rng(4)
    sizes = [1e-120, 1e-16, 1e-12, 1e-8, 1e-3, 1.0, 1e3, 1e12, 1e300]
    size = np.repeat(sizes, 50)
    label = size * rng.uniform(0.5, 2, len(size))
    score = label * (1 + spread * rng.uniform(-0.5, 0.5, len(size)))
    log = pd.DataFrame({"size": size, "label": label, "score": score})
    result = sqlmetrics.rmsle(log, by="size", **ROLES).set_index("size")["rmsle"]
    assert result.index.tolist() == sizes
    for size, members in log.groupby("size"):
        apart = np.log1p((members["label"] - members["score"]) / (1 + members["score"]))
        largest = apart.abs().max()  # whose square may be no double
        assert math.isclose(result[size], largest * np.sqrt(np.mean((apart / largest) ** 2)), rel_tol=1e-12)
        theirs = sk.root_mean_squared_log_error(members["label"], members["score"])
        assert math.isclose(result[size], theirs, rel_tol=1e-12, abs_tol=1e-12)


@pytest.mark.parametrize("spread", [1e-12, 1e-7, 1e-3, 0.0099, 0.0101, 0.5])
def test_deviances_of_close_numbers(spread: float) -> None:
    """By decimals of forty digits: of 1e8 and 1e8 + 1 scikit-learn has a Poisson deviance of 0."""
    rng = np.random.default_rng(6)
    label = np.exp(rng.uniform(-5, 12, 40))
    score = label * (1 + spread * rng.uniform(-0.9, 0.9, 40))
    metrics = {1: "poisson_deviance", 2: "gamma_deviance"}
    metrics |= {p: f"tweedie_{number} = tweedie_deviance(power={p})" for number, p in enumerate((1.1, 1.5, 1.9))}
    result = sqlmetrics.evaluate(rows(label, score), list(metrics.values()), **ROLES).iloc[0, 1:].tolist()
    pairs = [(Decimal(y), Decimal(mean)) for y, mean in zip(label.tolist(), score.tolist(), strict=True)]
    with localcontext() as digits:
        digits.prec = 40
        for power, value in zip(metrics, result, strict=True):
            p = Decimal(str(power))
            if power == 1:
                terms = [2 * (y * (y / mean).ln() - y + mean) for y, mean in pairs]
            elif power == 2:
                terms = [2 * ((mean / y).ln() + y / mean - 1) for y, mean in pairs]
            else:
                a, b, c = 1 / ((1 - p) * (2 - p)), 1 / (1 - p), 1 / (2 - p)
                terms = [2 * (y ** (2 - p) * a - y * m ** (1 - p) * b + m ** (2 - p) * c) for y, m in pairs]
            assert math.isclose(value, float(sum(terms) / 40), rel_tol=1e-11)


def test_log_cosh_error_of_large_and_small_errors() -> None:
    exact = {1e300: 1e300, 800.0: 800 - math.log(2), 1e-9: 5e-19, 0.0: 0.0}
    cases = {error: (value, 1e-12) for error, value in exact.items()}
    cases |= {error: (math.log1p(math.cosh(error) - 1), 1e-9) for error in (0.0099, 0.0101, 0.5, 19.9, 20.1)}
    result = by_case({str(error): ([0.0], [error]) for error in cases}, "log_cosh_error")
    for error, (value, tolerance) in cases.items():
        assert result[str(error)]["log_cosh_error"] == pytest.approx(value, rel=tolerance, abs=0), error


def test_errors_match_scikit_learn_for_extreme_numbers() -> None:
    cases: dict[str, tuple[Any, Any]] = {
        "far from 0": ([1e8 + 1, 1e8 + 2, 1e8 + 3], [1e8 + 1, 1e8 + 2.5, 1e8 + 3]),
        "very small": ([1e-160, 2e-160, 3e-160], [1e-160, 1e-160, 5e-160]),
        "subnormal": ([5e-324, 1e-323, 0.0], [0.0, 5e-324, 5e-324]),
        "large": ([1e150, -1e150, 0.0], [0.0, 1e150, 1e149]),
        "of both signs": ([-1.0, 0.0, -0.0, 1.0], [1.0, -0.0, 0.0, -1.0]),
    }
    functions: dict[str, Any] = {
        "mae": sk.mean_absolute_error, "mse": sk.mean_squared_error, "medae": sk.median_absolute_error,
        "max_error": sk.max_error, "r2": sk.r2_score,
        **{f"pinball(alpha={alpha})": partial(sk.mean_pinball_loss, alpha=alpha) for alpha in (0, 0.25, 1)},
    }  # fmt: skip
    result = by_case(cases, [f"value_{number} = {spec}" for number, spec in enumerate(functions)])
    for case, (label, score) in cases.items():
        for number, (spec, function) in enumerate(functions.items()):
            if spec != "r2" or case not in ("very small", "subnormal"):  # squares of these are 0
                expected = pytest.approx(function(label, score), rel=1e-9, abs=0)
                assert result[case][f"value_{number}"] == expected, (case, spec)


# Calibration, rows that do not count


@pytest.mark.parametrize(("label", "score", "bins"), [
    ([0, 1, 0, 1, 1], [0.0, 1.0, 0.0, 1.0, 1.0], 4), ([0, 1, 1], [0.3, 0.3, 0.3], 5), ([0, 1], [0.55, 0.55], 1),
    ([0, 0, 1, 1], [np.nextafter(0.5, 0), np.nextafter(0.5, 1), 1 - 2.0**-53, 5e-324], 2),
])  # fmt: skip
def test_calibration_curve_matches_scikit_learn_at_edges(label: list[int], score: list[float], bins: int) -> None:
    curve = sqlmetrics.calibration_curve(rows(label, score), bins=bins, binning="width", **ROLES)
    for column, values in zip(
        ["rate", "mean_score"], calibration.calibration_curve(label, score, n_bins=bins), strict=True
    ):
        assert curve[column].tolist() == pytest.approx(list(values), abs=1e-12)


@pytest.mark.parametrize(("score", "by", "count"), pairwise(["s", ["s", "t"]], [None, [[], ["d"]]], [0, 2]))
def test_counts_without_rows_are_zero_for_models_and_groupings(
    score: str | list[str], by: list[list[str]] | None, count: int
) -> None:
    data = pd.DataFrame({"y": [1.0, 0.0], "s": [None, None], "t": [0.7, 0.2], "d": ["x", "y"]}).astype({"s": float})
    metrics = ["confusion_matrix", "f1(zero_division=1)", "accuracy", "mcc(zero_division=0)"]
    result = quiet(lambda: sqlmetrics.evaluate(data.head(count), metrics, label="y", score=score, by=by))
    without = result[result["n"] == 0]
    assert len(without) >= 1
    columns = ["tp", "fp", "fn", "tn", "f1", "accuracy", "mcc"]
    np.testing.assert_array_equal(without[columns].to_numpy(), [[0, 0, 0, 0, 1, np.nan, 0]] * len(without))


# Counts as large as those of logs and larger, next to small ones

COUNT_ROLES = {"positives": "positives", "total": "total", "score": "score"}


def test_pr_auc_of_two_steps_is_exact() -> None:
    """Each pair of steps is a slice: 1 positive below 10^15 negatives, 10^15 below one, and all between."""
    pairs = list(itertools.product((0, 1, 7, 10**8, 10**15), repeat=2))
    steps = [(a, b) for a, b in itertools.product(pairs, pairs) if sum(a) and a[0] + b[0]]
    rows = np.array([[(*a, 1.0, index), (*b, 0.5, index)] for index, (a, b) in enumerate(steps)]).reshape(-1, 4)
    data = pd.DataFrame(rows, columns=["positives", "negatives", "score", "pair"])
    data["total"] = data["positives"] + data["negatives"]
    result = sqlmetrics.pr_auc(data, by="pair", **COUNT_ROLES)["pr_auc"]
    assert len(result) == len(steps) > 500
    for value, ((tp, fp), (pos, neg)) in zip(result, steps, strict=True):
        exact = float(area_of_many_digits([(Fraction(tp), Fraction(fp)), (Fraction(tp + pos), Fraction(fp + neg))]))
        assert value == pytest.approx(exact, rel=1e-12, abs=0), ((tp, fp), (pos, neg))


@pytest.mark.parametrize(
    ("metric", "points"), [("threshold_table", "all"), ("roc_curve", 3), ("pr_curve", 3), ("pr_curve", "all")]
)
def test_curves_count_single_rows_next_to_very_many(metric: str, points: Any) -> None:
    """1e16 + 1 is 1e16 in doubles; predicted negatives are counted all the same."""
    rows = pd.DataFrame({"positives": [1e16, 1, 0, 2], "total": [1e16, 4, 1e16, 3], "score": [1.0, 0.75, 0.5, 0.0]})
    table = getattr(sqlmetrics, metric)(rows, **COUNT_ROLES, points=points)
    expected = [(math.inf, 0, 0, 1e16 + 3, 1e16 + 4), (1, 1e16, 0, 3, 1e16 + 4), (0.75, 1e16 + 1, 3, 2, 1e16 + 1)]
    expected += [(0.5, 1e16 + 1, 1e16 + 3, 2, 1), (0, 1e16 + 3, 1e16 + 4, 0, 0)]
    if points == 3:
        del expected[2]
    # Equal to the last digit where a sum has room for it.
    assert table[["threshold", "tp", "fp", "fn", "tn"]].to_numpy().tolist() == [
        [pytest.approx(value, rel=4e-16, abs=0) for value in row] for row in expected
    ]


def exact_agreement(table: list[tuple[int, int, int]]) -> dict[str, float]:
    """Kappas and the correlation coefficient of classes by their definitions, in fractions."""
    classes = sorted({label for row in table for label in row[:2]})
    n = sum(Fraction(weight) for *_, weight in table)
    labels = {c: sum(Fraction(weight) for label, _, weight in table if label == c) / n for c in classes}
    predictions = {c: sum(Fraction(weight) for _, predicted, weight in table if predicted == c) / n for c in classes}
    observed = sum(Fraction(weight) for label, predicted, weight in table if label == predicted) / n
    expected = sum(labels[c] * predictions[c] for c in classes)
    values = {"cohens_kappa": float((observed - expected) / (1 - expected)), "multi_mcc": math.nan}
    spread = [1 - sum(share**2 for share in shares.values()) for shares in (labels, predictions)]
    if all(spread):
        values["multi_mcc"] = float(observed - expected) / math.sqrt(spread[0]) / math.sqrt(spread[1])
    for name, power in {"linear": 1, "quadratic": 2}.items():
        seen = sum(Fraction(weight) * abs(label - predicted) ** power for label, predicted, weight in table) / n
        chance = sum(labels[a] * predictions[b] * abs(a - b) ** power for a in classes for b in classes)
        values[name] = float(1 - seen / chance)
    return values


@pytest.mark.parametrize("table", [
    [(0, 0, 0), (0, 1, 3), (1, 1, 5), (1, 0, 2), (2, 2, 1)], [(0, 1, 0), (1, 0, 2), (2, 2, 1)], [(0, 1, 0), (1, 0, 2)],
    [(0, 0, 0), (0, 1, 3), (0, 2, 5)],
], ids=["agreeing class", "disagreeing class", "two classes", "single label"])  # fmt: skip
def test_agreement_where_a_cell_has_nearly_all_rows(table: list[tuple[int, int, int]]) -> None:
    """The rest next to two shares of nearly 1 is added up, not subtracted from 1."""
    tables = {large: [(*table[0][:2], large), *table[1:]] for large in (10**6, 10**9, 10**12, 10**15)}
    rows = [(large, *row) for large, cells in tables.items() for row in cells]
    data = pd.DataFrame(rows, columns=["large", "y", "p", "w"])
    metrics = ["cohens_kappa", "multi_mcc", "linear = weighted_kappa(weights='linear')", "quadratic = weighted_kappa"]
    result = sqlmetrics.evaluate(data, metrics, label="y", prediction="p", weight="w", by="large").set_index("large")
    for large, cells in tables.items():
        for name, exact in exact_agreement(cells).items():
            value = result.loc[large, name]
            assert value == pytest.approx(exact, rel=1e-12, abs=1e-15, nan_ok=True), (large, name)


@pytest.mark.parametrize("low", [-1e10, -1e15, -1e18])
def test_normalized_gini_ignores_the_label_of_a_row_without_weight(low: float) -> None:
    """The coefficient counts labels from the lowest."""
    data = pd.DataFrame(np.random.default_rng(1).gamma(1, 1, (60, 2)), columns=["label", "score"]).assign(weight=1.0)
    more = pd.concat([data, pd.DataFrame({"label": [low], "score": 0.0, "weight": 0.0})])
    [value] = sqlmetrics.normalized_gini(more, **ROLES, weight="weight")["normalized_gini"]
    assert value == pytest.approx(normalized_gini(data, None), rel=1e-12)
