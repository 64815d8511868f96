"""The ends of what scores, weights and groups can be, where scikit-learn and scipy have an answer too."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats
from sklearn import calibration
from sklearn import metrics as sk

import sqlmetrics
from tests.compare import agree

ROLES = {"label": "label", "score": "score"}
Numbers = np.ndarray[Any, Any]


def rows(label: Any, score: Any, **columns: Any) -> pa.Table:
    return pa.table({"label": np.asarray(label, dtype=float), "score": np.asarray(score), **columns})


def quietly(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """A package's answer, without its warnings; None where it is undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = function(*arguments, **options)
    return None if np.ndim(value) == 0 and math.isnan(value) else value


def places(score: Any) -> Numbers:
    """The order of the scores: scikit-learn takes no infinite ones, and the order is all that counts."""
    return np.unique(np.asarray(score, dtype=float), return_inverse=True)[1]


def neighbours(start: float, count: int) -> list[float]:
    """A number and the doubles right above it."""
    found = [start]
    while len(found) < count:
        found.append(float(np.nextafter(found[-1], math.inf)))
    return found


RNG = np.random.default_rng(11)
TRUTH = RNG.integers(0, 2, 24)
SCORES: dict[str, Any] = {
    "constant": [0.5] * 24,
    "all different": RNG.permutation(24) / 24,
    "perfect": TRUTH,
    "the wrong way round": 1 - TRUTH,
    "neighbours of 0.5": RNG.permutation(neighbours(0.5, 24)),
    "neighbours of 1": 1 - RNG.permutation(np.arange(24)) * 2.0**-53,
    "neighbours of 0": RNG.permutation(neighbours(0.0, 24)),
    "normal beside subnormal": RNG.choice([5e-324, 1e-310, 2.2250738585072014e-308, 1e-300, 0.25], 24),
    "zero of both signs": RNG.choice([0.0, -0.0, 5e-324], 24),
    "in millionths": RNG.permutation(24) * 1e-6,
    "32 bits": RNG.random(24).astype(np.float32),
    "32 bits next to 1": (1 - RNG.integers(0, 5, 24) * 2.0**-24).astype(np.float32),
    "16 bits": RNG.random(24).astype(np.float16).astype(np.float32),
}
UNBOUNDED: dict[str, Any] = {
    "infinite": RNG.choice([-math.inf, -1.0, 0.0, 1.0, math.inf], 24),
    "infinite alone": RNG.choice([-math.inf, math.inf], 24),
    "infinite beside the largest": RNG.choice([1.7976931348623157e308, math.inf, -1.7976931348623157e308], 24),
    "very far apart": RNG.permutation(np.linspace(-1, 1, 24) * 1.5e308),
    "whole numbers": RNG.integers(-5, 5, 24),
    "neighbours of 1e16": RNG.permutation(neighbours(1e16, 24)),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("weighted", [False, True], ids=["rows", "weights"])
@pytest.mark.parametrize("name", [*SCORES, *UNBOUNDED])
def test_orders_of_scores(name: str, weighted: bool) -> None:
    score = (SCORES | UNBOUNDED)[name]
    weight = np.resize([0.0, 0.5, 1.0, 3.0, 0.5], len(TRUTH)) if weighted else np.ones(len(TRUTH))
    data = rows(TRUTH, score, weight=weight)
    used = weight > 0
    given = (TRUTH[used], places(score)[used])
    w = {"sample_weight": weight[used]}
    false, true, _ = sk.roc_curve(*given, **w)
    precision, recall, _ = sk.precision_recall_curve(*given, **w)
    whole = np.where(precision + recall > 0, precision + recall, 1)
    expected = {
        "auc": sk.roc_auc_score(*given, **w),
        "average_precision": sk.average_precision_score(*given, **w),
        "ks": max(true - false),
        "pr_auc": sk.auc(recall, precision),
        "max_f1": max(2 * precision * recall / whole),
    }
    asked = "auc, average_precision, ks, pr_auc(interpolation='trapezoid'), max_f1"
    roles = {**ROLES, **({"weight": "weight"} if weighted else {})}
    [found] = sqlmetrics.evaluate(data, asked, **roles).to_dict("records")
    for metric, value in expected.items():
        assert agree(found[metric], value), metric
    [steps] = sqlmetrics.evaluate(data, "auc(bins=1000)", **roles).to_dict("records")
    assert steps["auc_lower"] - 1e-12 <= expected["auc"] <= steps["auc_upper"] + 1e-12


@pytest.mark.parametrize("name", SCORES)
def test_probabilities(name: str) -> None:
    """A probability of 32 bits is the number that it is: scikit-learn is given the same numbers with 64 bits."""
    score = np.abs(np.asarray(SCORES[name]))
    wide = score.astype(float)
    both = np.column_stack([1 - wide, wide])
    [found] = sqlmetrics.evaluate(rows(TRUTH, score), "log_loss, brier, ece(bins=1), mae, rmse", **ROLES).to_dict(
        "records"
    )
    assert agree(found["log_loss"], sk.log_loss(TRUTH, both))
    assert agree(found["brier"], sk.brier_score_loss(TRUTH, wide))
    assert agree(found["ece"], abs(np.mean(TRUTH) - np.mean(wide)))
    assert agree(found["mae"], sk.mean_absolute_error(TRUTH, wide))
    assert agree(found["rmse"], sk.root_mean_squared_error(TRUTH, wide))
    if score.dtype == np.float32:
        # There the type tells how near to 0 and 1 a probability may come.
        eps = float(np.finfo(np.float32).eps)
        [ours] = sqlmetrics.log_loss(rows(TRUTH, score), eps=eps, **ROLES)["log_loss"]
        assert ours == pytest.approx(sk.log_loss(TRUTH, score), rel=1e-5)


@pytest.mark.parametrize("truth", [0, 1])
def test_certain_and_wrong(truth: int) -> None:
    for score in (0.0, 1.0):
        data = rows([truth, truth], [score, score])
        [found] = sqlmetrics.evaluate(data, "log_loss, brier", **ROLES).to_dict("records")
        assert agree(found["log_loss"], sk.log_loss([truth] * 2, [score] * 2, labels=[0, 1]))
        assert agree(found["brier"], quietly(sk.brier_score_loss, [truth] * 2, [score] * 2, pos_label=1))


# Few rows, one class


@pytest.mark.parametrize("preset", [None, "sklearn"])
@pytest.mark.parametrize(
    ("label", "score"),
    [
        ([1], [0.75]),
        ([0], [0.75]),
        ([1], [0.25]),
        ([0, 0], [0.75, 0.25]),
        ([1, 1], [0.75, 0.25]),
        ([0, 1], [0.75, 0.25]),
    ],
)
def test_one_row_and_one_class(label: Any, score: Any, preset: Any) -> None:
    """What scikit-learn calls undefined is NULL, and what it puts in its place comes with its preset."""
    called = (np.array(score) >= 0.5).astype(int)
    undefined = 0 if preset else np.nan
    asked = "auc, precision, recall, f1, specificity, accuracy, mcc, confusion_matrix, average_precision"
    [found] = sqlmetrics.evaluate(rows(label, score), asked, preset=preset, **ROLES).to_dict("records")
    (tn, fp), (fn, tp) = sk.confusion_matrix(label, called, labels=[0, 1])
    expected = {
        "auc": quietly(sk.roc_auc_score, label, score),
        "precision": quietly(sk.precision_score, label, called, zero_division=undefined),
        "recall": quietly(sk.recall_score, label, called, zero_division=undefined),
        "f1": quietly(sk.f1_score, label, called, zero_division=undefined),
        "specificity": quietly(sk.recall_score, label, called, pos_label=0, zero_division=undefined),
        "accuracy": sk.accuracy_score(label, called),
        **{"tp": tp, "fp": fp, "fn": fn, "tn": tn},
    }
    if preset:
        expected["mcc"] = quietly(sk.matthews_corrcoef, label, called)
        expected["average_precision"] = quietly(sk.average_precision_score, label, score)
    for metric, value in expected.items():
        assert agree(found[metric], value), metric


# Weights of 0


WEIGHED = "auc, average_precision, ks, max_f1, log_loss, brier, copc, ece, cal_n, mcc, f1, accuracy, normalized_entropy"


def test_rows_of_no_weight_count_for_nothing() -> None:
    """Wherever their scores lie: above all, below all, between, and at those of others."""
    score = np.array([0.1, 0.4, 0.35, 0.8])
    label = np.array([0, 0, 1, 1])
    [plain] = sqlmetrics.evaluate(rows(label, score), WEIGHED, **ROLES).to_dict("records")
    more = [0.0, 1.0, 0.4, 0.35, 0.6, 0.8]
    data = rows([*label, 1, 0, 1, 0, 1, 0], [*score, *more], weight=np.array([1.0] * 4 + [0.0] * 6))
    [found] = sqlmetrics.evaluate(data, WEIGHED, weight="weight", **ROLES).to_dict("records")
    assert {**found, "n": 4} == pytest.approx(plain, abs=1e-12)


@pytest.mark.parametrize("of", ["all", "positives", "negatives"])
def test_a_class_of_no_weight_is_not_there(of: str) -> None:
    weight = {"all": [0.0] * 4, "positives": [1.0, 0, 1, 0], "negatives": [0.0, 1, 0, 1]}[of]
    data = rows([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8], weight=np.array(weight))
    [found] = sqlmetrics.evaluate(data, WEIGHED, weight="weight", **ROLES).to_dict("records")
    for metric in ("auc", "ks", "normalized_entropy", "mcc"):
        assert pd.isna(found[metric]), metric
    if of == "all":
        assert {name for name, value in found.items() if not pd.isna(value)} == {"n"}
    elif of == "negatives":
        assert found["average_precision"] == quietly(sk.average_precision_score, [1, 1], [0.4, 0.8]) == 1
    else:
        assert pd.isna(found["average_precision"])
        assert found["brier"] == pytest.approx((0.1**2 + 0.35**2) / 2, abs=1e-12)


# Many rows that are alike


def test_a_perfect_order_is_one_to_the_last_digit() -> None:
    """Whatever the numbers of rows: assertions such as `auc <= 1` hold."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        ones, zeros = rng.integers(2, 300, 2)
        score = np.concatenate([0.6 + rng.integers(0, 5, ones) / 20, 0.1 + rng.integers(0, 4, zeros) / 10])
        label = [1] * ones + [0] * zeros
        for direction, area in ((1, 1), (-1, 0)):
            [found] = sqlmetrics.evaluate(rows(label, direction * score), "auc, gini", **ROLES).to_dict("records")
            assert (found["auc"], found["gini"]) == (area, 2 * area - 1)


def test_two_scores_of_many_rows() -> None:
    rng = np.random.default_rng(12)
    label = rng.random(20_000) < 0.3
    score = np.where(rng.random(20_000) < 0.9, 0.25, 0.75)
    data = rows(label, score)
    for asked in ("auc, average_precision, ks", "auc, average_precision, ks, max_f1"):  # by ranks, and by scores
        [found] = sqlmetrics.evaluate(data, asked, **ROLES).to_dict("records")
        assert agree(found["auc"], sk.roc_auc_score(label, score))
        assert agree(found["average_precision"], sk.average_precision_score(label, score))
        false, true, _ = sk.roc_curve(label, score)
        assert agree(found["ks"], max(true - false))


@pytest.mark.parametrize("scale", [10**3, 10**9, 10**12])
def test_correlation_of_large_counts(scale: int) -> None:
    """The product of the four margins has 48 digits. scikit-learn is given the same shares in small numbers."""
    tp, fp, fn, tn = 7, 3, 2, 11
    data = pa.table(
        {"positives": [tp * scale, fn * scale], "total": [(tp + fp) * scale, (fn + tn) * scale], "score": [1.0, 0.0]}
    )
    [value] = sqlmetrics.mcc(data, positives="positives", total="total", score="score")["mcc"]
    truth = [1] * tp + [0] * fp + [1] * fn + [0] * tn
    assert agree(value, sk.matthews_corrcoef(truth, [1] * (tp + fp) + [0] * (fn + tn)))


def test_calls_that_tell_nothing() -> None:
    """As many right as wrong in either class: a correlation of 0, and not of rounding."""
    label, score = [1, 1, 0, 0] * 9, [1.0, 0.0, 1.0, 0.0] * 9
    [found] = sqlmetrics.evaluate(rows(label, score), "mcc, auc, balanced_accuracy", **ROLES).to_dict("records")
    assert (found["mcc"], found["auc"], found["balanced_accuracy"]) == (0, 0.5, 0.5)
    assert sk.matthews_corrcoef(label, np.array(score, dtype=int)) == 0


# Numbers


@pytest.mark.parametrize(("far", "spread"), [(0.0, 1.0), (1e9, 1e-3), (1e15, 3.0)])
def test_digits_of_numbers_far_from_zero(far: float, spread: float) -> None:
    """By fractions, as the mean of so many doubles is off by more than they differ by: scipy has eight digits right."""
    rng = np.random.default_rng(3)
    label = far + spread * rng.normal(size=2000)
    score = label + spread * (0.3 + 0.7 * rng.normal(size=2000))
    names = ["pearson_correlation", "concordance_correlation", "r2", "explained_variance"]
    [found] = sqlmetrics.evaluate(rows(label, score), names, **ROLES).to_dict("records")
    y, p = (np.array([Fraction(value) for value in column.tolist()]) for column in (label, score))

    def around_mean(one: Any, other: Any) -> Any:
        return ((one - one.mean()) * (other - other.mean())).sum()

    above, bias = around_mean(y, p), 2000 * (y.mean() - p.mean()) ** 2
    right = {
        "pearson_correlation": float(above) / math.sqrt(around_mean(y, y)) / math.sqrt(around_mean(p, p)),
        "concordance_correlation": float(2 * above / (around_mean(y, y) + around_mean(p, p) + bias)),
        "r2": float(1 - ((y - p) ** 2).sum() / around_mean(y, y)),
        "explained_variance": float(1 - around_mean(y - p, y - p) / around_mean(y, y)),
    }
    assert {name: found[name] for name in names} == pytest.approx(right, rel=1e-12)


def test_ratings_far_from_zero_are_as_far_apart() -> None:
    drawn = np.random.default_rng(3)
    items, ratings = drawn.integers(0, 12, 40), drawn.integers(0, 5, 40)
    pairs = [one for one in (ratings[items == item].tolist() for item in range(12)) if len(one) > 1]
    every = [Fraction(rating) for pair in pairs for rating in pair]
    seen = sum(Fraction(sum((one - other) ** 2 for one in pair for other in pair), len(pair) - 1) for pair in pairs)
    expected = sum((one - other) ** 2 for one in every for other in every) / (len(every) - 1)
    log = pd.concat(
        [pd.DataFrame({"item": items, "rating": far + ratings, "far": far}) for far in (0, 1e9, -1e12, 1e15)]
    )
    found = sqlmetrics.krippendorff_alpha(log, label="rating", group="item", level="interval", by="far")
    assert found["krippendorff_alpha"].tolist() == pytest.approx([float(1 - seen / expected)] * 4, rel=1e-12)


@pytest.mark.parametrize("spread", [1e-9, 1.0])
def test_logarithms_of_numbers_next_to_zero(spread: float) -> None:
    """scikit-learn takes the difference of two logarithms, which of close numbers has fewer digits than the numbers
    have: `log1p` of what the one is more than the other, in parts of it, has them all."""
    drawn = np.random.default_rng(4)
    sizes = [1e-120, 1e-16, 1e-12, 1e-8, 1e-3, 1.0, 1e3, 1e12, 1e300]
    size = np.repeat(sizes, 50)
    near = size * drawn.uniform(0.5, 2, len(size))
    log = pd.DataFrame(
        {"size": size, "label": near, "score": near * (1 + spread * drawn.uniform(-0.5, 0.5, len(size)))}
    )
    found = sqlmetrics.rmsle(log, by="size", **ROLES)
    assert found["size"].tolist() == sizes
    for one, value in zip(sizes, found["rmsle"], strict=True):
        label, score = (log.loc[log["size"] == one, role].to_numpy() for role in ("label", "score"))
        apart = np.log1p((label - score) / (1 + score))
        largest = np.abs(apart).max()  # whose square may be no double
        assert math.isclose(value, float(largest * np.sqrt(np.mean((apart / largest) ** 2))), rel_tol=1e-12)
        assert math.isclose(value, sk.root_mean_squared_log_error(label, score), rel_tol=1e-12, abs_tol=1e-12)


@pytest.mark.parametrize("spread", [1e-12, 1e-7, 1e-3, 0.0099, 0.0101, 0.5])
def test_deviances_of_numbers_next_to_each_other(spread: float) -> None:
    """By decimals of forty digits: of 1e8 and 1e8 + 1 scikit-learn has a Poisson deviance of 0."""
    drawn = np.random.default_rng(6)
    label = np.exp(drawn.uniform(-5, 12, 40))
    score = label * (1 + spread * drawn.uniform(-0.9, 0.9, 40))
    asked = {1: "poisson_deviance", 2: "gamma_deviance"}
    asked |= {p: f"tweedie_{place} = tweedie_deviance(power={p})" for place, p in enumerate((1.1, 1.5, 1.9))}
    found = sqlmetrics.evaluate(rows(label, score), list(asked.values()), **ROLES).iloc[0, 1:].tolist()
    both = [(Decimal(y), Decimal(mean)) for y, mean in zip(label.tolist(), score.tolist(), strict=True)]
    with localcontext() as digits:
        digits.prec = 40
        for power, value in zip(asked, found, strict=True):
            p = Decimal(str(power))
            if power == 1:
                apart = [2 * (y * (y / mean).ln() - y + mean) for y, mean in both]
            elif power == 2:
                apart = [2 * ((mean / y).ln() + y / mean - 1) for y, mean in both]
            else:
                own, shared, others = 1 / ((1 - p) * (2 - p)), 1 / (1 - p), 1 / (2 - p)
                apart = [2 * (y ** (2 - p) * own - y * mean ** (1 - p) * shared + mean ** (2 - p) * others)
                         for y, mean in both]  # fmt: skip
            assert math.isclose(value, float(sum(apart) / 40), rel_tol=1e-11)


def test_errors_that_no_cosh_holds_or_that_leave_it_at_1() -> None:
    for error, right in {1e300: 1e300, 800.0: 800 - math.log(2), 1e-9: 5e-19, 0.0: 0.0}.items():
        [found] = sqlmetrics.log_cosh_error(rows([0.0], [error]), **ROLES)["log_cosh_error"]
        assert found == pytest.approx(right, rel=1e-12, abs=0)
    for error in (0.0099, 0.0101, 0.5, 19.9, 20.1):
        [found] = sqlmetrics.log_cosh_error(rows([error], [0.0]), **ROLES)["log_cosh_error"]
        assert found == pytest.approx(math.log1p(math.cosh(error) - 1), rel=1e-9)


# Classes


def test_classes_that_were_never_predicted_or_never_true() -> None:
    truth, predicted = ["a", "a", "b", "", "ß"], ["b", "a", "c", "", "b"]
    data = pa.table({"label": truth, "prediction": predicted})
    report = sqlmetrics.class_report(data, label="label", prediction="prediction").set_index("class")
    theirs = sk.classification_report(truth, predicted, output_dict=True, zero_division=0)
    assert set(report.index) == {"a", "b", "c", "", "ß"}
    for kind, row in report.iterrows():
        for ours, name in [
            ("precision", "precision"),
            ("recall", "recall"),
            ("f1", "f1-score"),
            ("support", "support"),
        ]:
            assert agree(row[ours], theirs[kind][name]), (kind, ours)


# Rankings


@pytest.mark.one_in(2)
@pytest.mark.parametrize("k", [None, 1, 2, 3, 50])
@pytest.mark.parametrize(
    "score", [[1.0] * 6, [3.0, 2, 2, 2, 1, 0], [math.inf, 1, 1, 0, -math.inf, -math.inf], [0.0, -0.0, 0, 5e-324, 0, 1]]
)
@pytest.mark.parametrize("label", [[0] * 6, [1, 0, 0, 0, 0, 0], [0, 0, 3, 1, 2, 2], [5] * 6])
def test_gains_of_ties_and_of_nothing(label: Any, score: Any, k: int | None) -> None:
    cut = "" if k is None else f"@{k}"
    data = rows(label, score, group=["g"] * 6)
    result = sqlmetrics.evaluate(data, f"dcg{cut}, ndcg{cut}", preset="sklearn", group="group", **ROLES)
    assert agree(result.iloc[0, 1], sk.dcg_score([label], [places(score)], k=k))
    assert agree(result.iloc[0, 2], sk.ndcg_score([label], [places(score)], k=k))


KENDALL = [
    ([1, 2, 3, 4], [1, 2, 3, 4]),
    ([1, 2, 3, 4], [4, 3, 2, 1]),
    ([1, 1, 2, 2], [1, 2, 1, 2]),
    ([1, 1, 1, 1], [1, 2, 3, 4]),
    ([1, 2], [2, 1]),
    ([1], [1]),
    ([1, 2, 2, 3, 3, 3], [1, 1, 2, 2, 3, 3]),
    ([0, 1, 1, 0], [math.inf, 1, -math.inf, -math.inf]),
    ([0, 5e-324, 1e308, 7], [1, 2, 3, 4]),
    (RNG.integers(0, 3, 300), RNG.integers(0, 4, 300)),
    (np.arange(200), np.repeat(np.arange(2), 100)),
    ([1, 2, 3], [0.1, 0.1 + 2e-17, 0.1]),
    (np.arange(150), np.arange(150) // 7),
]


@pytest.mark.parametrize("variant", ["b", "c"])
@pytest.mark.parametrize(("label", "score"), KENDALL)
def test_kendall(label: Any, score: Any, variant: str) -> None:
    data = rows(label, np.asarray(score, dtype=float), group=["g"] * len(label))
    [value] = sqlmetrics.kendall_tau(data, variant=variant, group="group", **ROLES)["kendall_tau"]
    assert agree(value, quietly(lambda: stats.kendalltau(label, places(score), variant=variant).statistic))


# Calibration


def test_curve_of_certain_and_of_equal_probabilities() -> None:
    for label, score, bins in [
        ([0, 1, 0, 1, 1], [0.0, 1.0, 0.0, 1.0, 1.0], 4),
        ([0, 1, 1], [0.3, 0.3, 0.3], 5),
        ([0, 1], [0.55, 0.55], 1),
        ([0, 0, 1, 1], [np.nextafter(0.5, 0), np.nextafter(0.5, 1), 1 - 2.0**-53, 5e-324], 2),
    ]:
        rate, mean = calibration.calibration_curve(label, score, n_bins=bins)
        curve = sqlmetrics.calibration_curve(rows(label, score), bins=bins, binning="width", **ROLES)
        assert curve["rate"].tolist() == pytest.approx(list(rate), abs=1e-12)
        assert curve["mean_score"].tolist() == pytest.approx(list(mean), abs=1e-12)


# Numbers


def test_one_number() -> None:
    [found] = sqlmetrics.evaluate(rows([2.5], [1.0]), "mae, mse, medae, max_error, r2, mape", **ROLES).to_dict(
        "records"
    )
    assert (found["mae"], found["mse"], found["medae"], found["max_error"], found["mape"]) == (1.5, 2.25, 1.5, 1.5, 60)
    assert pd.isna(found["r2"])
    assert quietly(sk.r2_score, [2.5], [1.0]) is None


@pytest.mark.parametrize("alpha", [0, 0.25, 1])
def test_numbers_at_their_ends(alpha: float) -> None:
    cases = {
        "far from 0": ([1e8 + 1, 1e8 + 2, 1e8 + 3], [1e8 + 1, 1e8 + 2.5, 1e8 + 3]),
        "very small": ([1e-160, 2e-160, 3e-160], [1e-160, 1e-160, 5e-160]),
        "subnormal": ([5e-324, 1e-323, 0.0], [0.0, 5e-324, 5e-324]),
        "large": ([1e150, -1e150, 0.0], [0.0, 1e150, 1e149]),
        "of both signs": ([-1.0, 0.0, -0.0, 1.0], [1.0, -0.0, 0.0, -1.0]),
    }
    for name, (label, score) in cases.items():
        asked = f"mae, mse, medae, max_error, r2, pinball(alpha={alpha})"
        [found] = sqlmetrics.evaluate(rows(label, score), asked, **ROLES).to_dict("records")
        expected = {
            "mae": sk.mean_absolute_error(label, score),
            "mse": sk.mean_squared_error(label, score),
            "medae": sk.median_absolute_error(label, score),
            "max_error": sk.max_error(label, score),
            "pinball": sk.mean_pinball_loss(label, score, alpha=alpha),
        }
        if name not in ("very small", "subnormal"):  # squares of these are 0
            expected["r2"] = sk.r2_score(label, score)
        for metric, value in expected.items():
            assert found[metric] == pytest.approx(value, rel=1e-9, abs=0), (name, metric)


def test_a_slice_without_rows_of_a_frame_is_as_no_rows_at_all() -> None:
    """Its rows have no truth: only a metric that asks for none has a slice of them."""
    data = pd.DataFrame({"clicked": [1.0, 0.0, None], "score": [0.9, 0.2, 0.7], "device": ["a", "a", "b"]})
    asked: dict[str, Any] = {"label": "clicked", "score": "score"}
    metrics = [
        "confusion_matrix", {"name": "f1", "zero_division": 1}, {"name": "fpr", "as": "plain_fpr"}, "selection_rate",
    ]  # fmt: skip
    found = quietly(sqlmetrics.evaluate, data, metrics, by="device", **asked).set_index("device")
    nothing = quietly(sqlmetrics.evaluate, data[data["device"] == "none"], metrics[:3], **asked).iloc[0]
    assert found.loc["b", "selection_rate"] == 1
    pd.testing.assert_series_equal(found.loc["b", nothing.index[1:]], nothing[1:], check_names=False)
    assert found.loc["b", ["tp", "f1"]].tolist() == [0, 1]


@pytest.mark.parametrize("rows", [0, 2])
@pytest.mark.parametrize("by", [None, [[], ["d"]]])
@pytest.mark.parametrize("score", ["s", ["s", "t"]])
def test_what_no_rows_have_does_not_hang_on_models_and_groupings(
    score: str | list[str], by: list[list[str]] | None, rows: int
) -> None:
    """A count of nothing was NULL where several models or groupings were asked for, and 0 where not."""
    data = pd.DataFrame({"y": [1.0, 0.0], "s": [None, None], "t": [0.7, 0.2], "d": ["x", "y"]}).astype({"s": float})
    metrics = ["confusion_matrix", "f1(zero_division=1)", "accuracy", "mcc(zero_division=0)"]
    found = quietly(sqlmetrics.evaluate, data.head(rows), metrics, label="y", score=score, by=by)
    without = found[found["n"] == 0]
    assert len(without) >= 1
    columns = ["tp", "fp", "fn", "tn", "f1", "accuracy", "mcc"]
    np.testing.assert_array_equal(without[columns].to_numpy(), [[0, 0, 0, 0, 1, np.nan, 0]] * len(without))


def test_positives_beside_a_metric_without_labels() -> None:
    """A label that is NaN is missing, although `selection_rate` counts its row."""
    data = pd.DataFrame({"y": [1.0, np.nan, 0.0, 1.0], "called": [1, 1, 0, 1]})
    with pytest.warns(sqlmetrics.DroppedRows, match="in 1 row"):
        found = sqlmetrics.evaluate(
            data, ["selection_rate", "precision"], label="y", prediction="called", diagnostics=True
        )
    assert found[["positives", "selection_rate", "precision"]].iloc[0].tolist() == [2, 0.75, 1]
