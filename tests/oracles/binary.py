"""Binary metrics by scikit-learn, and by exact arithmetic over confusion counts."""

from __future__ import annotations

import itertools
import math
import sys
import warnings
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from sklearn import metrics

from .registry import SKIP, Values, oracle, positive_weights, weighted_oracle


def both_classes(rows: pd.DataFrame) -> bool:
    return rows["label"].nunique() == 2


def labels(rows: pd.DataFrame) -> np.ndarray[Any, Any]:
    return rows["label"].to_numpy(dtype=int)


def predictions(rows: pd.DataFrame, p: Any) -> np.ndarray[Any, Any]:
    """1 for each row that is predicted positive."""
    if "prediction" in rows:
        return rows["prediction"].to_numpy(dtype=int)
    return (rows["score"] >= p.threshold).to_numpy(dtype=int)


def by_ranks(function: Callable[..., Any], rows: pd.DataFrame, **options: Any) -> Any:
    """A function of labels and scores; ranks replace the scores, because tools support no infinite scores."""
    ranks = np.unique(rows["score"].to_numpy(), return_inverse=True)[1]
    return function(rows["label"], ranks, sample_weight=rows["weight"], **options)


# At a threshold


def at_threshold(metric: str, function: Callable[..., float], *parameters: str, **options: Any) -> None:
    """Register a function of scikit-learn that has `zero_division`; it receives `parameters`."""

    @oracle(metric, tool="scikit-learn")
    def value(rows: pd.DataFrame, p: Any) -> Any:
        used = positive_weights(rows)
        undefined = getattr(p, "zero_division", None)
        if used.empty:
            return undefined
        arguments = {name: getattr(p, name) for name in parameters}
        arguments |= {"zero_division": np.nan if undefined is None else undefined, "sample_weight": used["weight"]}
        # The false positive rate is the recall of the negative class with the opposite predictions.
        predicted = 1 - predictions(used, p) if metric == "fpr" else predictions(used, p)
        return float(function(labels(used), predicted, **arguments, **options))


at_threshold("precision", metrics.precision_score)
at_threshold("recall", metrics.recall_score)
at_threshold("f1", metrics.f1_score)
at_threshold("fbeta", metrics.fbeta_score, "beta")
at_threshold("specificity", metrics.recall_score, pos_label=0)
at_threshold("fpr", metrics.recall_score, pos_label=0)


weighted_oracle("selection_rate", tool="numpy")(
    lambda rows, p: float(np.average(predictions(rows, p), weights=rows["weight"]))
)


@weighted_oracle("accuracy", tool="scikit-learn")
def accuracy(rows: pd.DataFrame, p: Any) -> Any:
    predicted = rows["prediction"] if "prediction" in rows else predictions(rows, p)
    return metrics.accuracy_score(rows["label"], predicted, sample_weight=rows["weight"])


weighted_oracle("error_rate", tool="scikit-learn")(lambda rows, p: 1 - accuracy(rows, p))


def counts(rows: pd.DataFrame, predicted: np.ndarray[Any, Any]) -> dict[str, float]:
    if not rows["weight"].any():
        return dict.fromkeys(["tp", "fp", "fn", "tn"], 0.0)
    matrix = metrics.confusion_matrix(labels(rows), predicted, labels=[0, 1], sample_weight=rows["weight"])
    return dict(zip(("tn", "fp", "fn", "tp"), matrix.ravel(), strict=True))


oracle("confusion_matrix", tool="scikit-learn")(lambda rows, p: counts(rows, predictions(rows, p)))


def balanced(rows: pd.DataFrame, p: Any, adjusted: bool) -> float:
    with warnings.catch_warnings():  # for a class that is only predicted
        warnings.simplefilter("ignore", UserWarning)
        return metrics.balanced_accuracy_score(
            labels(rows), predictions(rows, p), sample_weight=rows["weight"], adjusted=adjusted
        )


weighted_oracle("balanced_accuracy", tool="scikit-learn")(
    lambda rows, p: None if p.one_class == "null" and not both_classes(rows) else balanced(rows, p, adjusted=False)
)


def exact_counts(rows: pd.DataFrame, p: Any) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """TP, FP, FN and TN without rounding."""
    cells = {(label, predicted): Fraction(0) for label in (0, 1) for predicted in (0, 1)}
    for label, predicted, weight in zip(labels(rows), predictions(rows, p), rows["weight"], strict=True):
        cells[label, predicted] += Fraction(weight)
    return cells[1, 1], cells[0, 1], cells[1, 0], cells[0, 0]


@oracle("mcc", tool="exact fractions")
def mcc(rows: pd.DataFrame, p: Any) -> Any:
    tp, fp, fn, tn = exact_counts(rows, p)
    margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    determinant = tp * tn - fp * fn
    return math.copysign(math.sqrt(determinant**2 / margins), determinant) if margins else p.zero_division


@oracle("g_mean", tool="exact fractions")
def g_mean(rows: pd.DataFrame, p: Any) -> Any:
    tp, fp, fn, tn = exact_counts(rows, p)
    if p.form == "rates":
        return math.sqrt(tp / (tp + fn) * (tn / (tn + fp))) if tp + fn and tn + fp else None
    return float(tp / (tp + fp) * (tn / (tn + fn))) if tp + fp and tn + fn else None


# Over all thresholds


def exact_auc(rows: pd.DataFrame) -> float | None:
    used = positive_weights(rows)
    return float(by_ranks(metrics.roc_auc_score, used)) if both_classes(used) else None


def value_of_single_class(rows: pd.DataFrame, p: Any) -> float | None:
    """The value that a parameter defines for a single class; undefined without rows."""
    if not len(rows):
        return None
    no_positives = not (positive_weights(rows)["label"] == 1).any()
    if no_positives and getattr(p, "no_positives", None) is not None:
        return float(p.no_positives)
    return getattr(p, "one_class", None)


def bins_of_equal_width(rows: pd.DataFrame, bins: int) -> pd.DataFrame:
    """Replace each score by the number of its bin between the lowest and the highest finite score."""
    scores = rows["score"].to_numpy(dtype=float)
    finite = scores[np.isfinite(scores)]
    if not len(finite):
        return rows.assign(score=0.0)
    low, high = finite.min(), finite.max()
    half = high / 2 - low / 2  # the difference of two doubles may be infinite
    per_unit = min(bins / 2 / half if half else 1.0, sys.float_info.max)
    with np.errstate(over="ignore"):
        numbers = np.floor((scores - low) * per_unit)
    # The highest score and infinite scores belong to the bins at the ends.
    return rows.assign(score=np.clip(np.nan_to_num(numbers, posinf=bins - 1, neginf=0), 0, bins - 1))


@oracle("auc", tool="scikit-learn")
def auc(rows: pd.DataFrame, p: Any) -> Any:
    """With `bins`, the AUC of the bin numbers; its bounds add and subtract half of the share of pairs within a bin."""
    binned = rows if p.bins is None else bins_of_equal_width(rows, p.bins)
    value = exact_auc(binned)
    if p.bins is None or value is None:
        value = value_of_single_class(rows, p) if value is None else value
        return value if p.bins is None else {"auc": value, "auc_lower": None, "auc_upper": None}
    pairs = binned.assign(pos=binned["label"] * binned["weight"], neg=(1 - binned["label"]) * binned["weight"])
    sums = pairs.groupby("score")[["pos", "neg"]].sum()
    half_width = (sums["pos"] * sums["neg"]).sum() / sums["pos"].sum() / sums["neg"].sum() / 2
    return {"auc": value, "auc_lower": value - half_width, "auc_upper": value + half_width}


def both_classes_oracle(metric: str, function: Callable[[pd.DataFrame, Any], Any]) -> None:
    """Register a function that is undefined where one class has no weight."""
    weighted_oracle(metric, tool="scikit-learn")(lambda rows, p: function(rows, p) if both_classes(rows) else None)


both_classes_oracle("youden_j", lambda rows, p: balanced(rows, p, adjusted=True))
both_classes_oracle("gini", lambda rows, _: 2 * by_ranks(metrics.roc_auc_score, rows) - 1)
both_classes_oracle("partial_auc", lambda rows, p: by_ranks(metrics.roc_auc_score, rows, max_fpr=p.max_fpr))


def roc_oracle(metric: str, function: Callable[[Any, Any, Any], Any]) -> None:
    """Register a function of the false and true positive rates at every threshold."""
    both_classes_oracle(
        metric, lambda rows, p: function(*by_ranks(metrics.roc_curve, rows, drop_intermediate=False)[:2], p)
    )


roc_oracle("ks", lambda fpr, tpr, _: max(tpr - fpr))
roc_oracle("tpr_at_fpr", lambda fpr, tpr, p: max(tpr[fpr <= p.fpr + 1e-9]))
roc_oracle("fpr_at_tpr", lambda fpr, tpr, p: min(fpr[tpr >= p.tpr - 1e-9]))


@oracle("average_precision", tool="scikit-learn")
def average_precision(rows: pd.DataFrame, p: Any) -> Any:
    used = positive_weights(rows)
    if not both_classes(used) and value_of_single_class(rows, p) is not None:
        return value_of_single_class(rows, p)
    return by_ranks(metrics.average_precision_score, used) if (used["label"] == 1).any() else None


def precision_recall_oracle(metric: str, function: Callable[[Any, Any, Any], Any], **only: Values) -> None:
    """Register a function of the precisions and recalls at every threshold; undefined without positives."""

    @oracle(metric, tool="scikit-learn", **only)
    def value(rows: pd.DataFrame, p: Any) -> Any:
        used = positive_weights(rows)
        if not (used["label"] == 1).any():
            return value_of_single_class(rows, p)
        return function(*by_ranks(metrics.precision_recall_curve, used)[:2], p)


# The last point of the curve, recall 0 and precision 1, has no threshold.
precision_recall_oracle("precision_at_recall", lambda pre, rec, p: max(pre[:-1][rec[:-1] >= p.recall - 1e-9]))
precision_recall_oracle(
    "recall_at_precision", lambda pre, rec, p: max(rec[:-1][pre[:-1] >= p.precision - 1e-9], default=0.0)
)
precision_recall_oracle("pr_auc", lambda pre, rec, _: metrics.auc(rec, pre), interpolation=["trapezoid"])


def exact_steps(rows: pd.DataFrame) -> list[tuple[float, Fraction, Fraction]]:
    """Every distinct score in descending order, with exact TP and FP at or above it."""
    mass, label = rows["weight"].map(Fraction), rows["label"].map(Fraction)
    cells = pd.DataFrame({"score": rows["score"] + 0.0, "tp": mass * label, "fp": mass * (1 - label)})
    return list(cells.groupby("score").sum()[::-1].cumsum().itertuples(name=None))


@oracle("pr_auc", tool="exact fractions and logarithms of 200 digits", interpolation=["davis_goadrich", "spark"])
def pr_auc_of_fractions(rows: pd.DataFrame, p: Any) -> Any:
    steps = [(tp, fp) for _, tp, fp in exact_steps(positive_weights(rows))]
    if not steps or not steps[-1][0]:
        return value_of_single_class(rows, p)
    if p.interpolation == "davis_goadrich":
        return float(area_of_many_digits(steps))
    points = [(tp / steps[-1][0], tp / (tp + fp)) for tp, fp in steps]
    points.insert(0, (Fraction(0), points[0][1]))
    return float(sum((right - left) * (a + b) / 2 for (left, a), (right, b) in itertools.pairwise(points)))


def area_of_many_digits(steps: Sequence[tuple[Fraction, Fraction]]) -> Decimal:
    """The integral of (TP + t) / (TP + FP + (1 + h)·t), its logarithm with enough digits for any cancellation."""

    def decimal(value: Fraction) -> Decimal:
        return Decimal(value.numerator) / Decimal(value.denominator)

    with localcontext(prec=200):
        area = Decimal(0)
        for (tp_above, fp_above), (tp, fp) in itertools.pairwise([(Fraction(0), Fraction(0)), *steps]):
            above, pos = tp_above + fp_above, tp - tp_above
            if not pos:
                continue
            slope = 1 + (fp - fp_above) / pos
            # (TP + t) / (above + slope·t) = 1/slope + (TP − above/slope) / (above + slope·t)
            area += decimal(pos / slope)
            if above:
                area += decimal((tp_above - above / slope) / slope) * decimal((tp + fp) / above).ln()
        return area / decimal(steps[-1][0])


@oracle("max_f1", tool="exact fractions")
def max_f1(rows: pd.DataFrame, p: Any) -> Any:
    steps = exact_steps(rows)
    if not steps or not steps[-1][1]:
        return {"max_f1": None, "max_f1_threshold": None}
    f1 = {score: 2 * tp / (steps[-1][1] + tp + fp) for score, tp, fp in steps}
    best = max(f1.values())
    result = {"max_f1": float(best)}
    # Doubles do not define the first of two values that are equal up to rounding.
    if all(value == best or best - value > 1e-13 for value in f1.values()):
        result["max_f1_threshold"] = max(score for score, value in f1.items() if value == best)
    return result


# Tables


def thresholds_of(rows: pd.DataFrame, p: Any) -> list[float] | None:
    """Each distinct score in descending order, or scores at steps of rows; None as of bins."""
    scores = sorted(set(rows["score"] + 0.0), reverse=True)
    if p.points == "all" or not scores:
        return scores
    numbers = bins_by_mass(-rows["score"], rows["weight"], p.points) if rows["weight"].any() else None
    return numbers and sorted((rows["score"] + 0.0).groupby(numbers).min(), reverse=True)


def curve(rows: pd.DataFrame, p: Any) -> Any:
    """A confusion matrix for every threshold."""
    thresholds = thresholds_of(rows, p)
    if thresholds is None:
        return SKIP
    undefined = getattr(p, "zero_division", None)
    points: list[dict[str, Any]] = []
    for threshold in [np.inf, *thresholds] if len(rows) else []:
        # The first row has no positive prediction, not even for an infinite score.
        above = (rows["score"] >= threshold).to_numpy(dtype=int) if points else np.zeros(len(rows), dtype=int)
        point = {"threshold": threshold, **counts(rows, above)}
        positives, negatives, chosen = point["tp"] + point["fn"], point["fp"] + point["tn"], point["tp"] + point["fp"]
        tpr = point["tp"] / positives if positives else None
        recall = tpr if positives or undefined is None else undefined if chosen else 0
        rates = {"fpr": point["fp"] / negatives if negatives else None, "tpr": tpr, "recall": recall}
        points.append(point | rates | {"precision": point["tp"] / chosen if chosen else undefined})
    return pd.DataFrame(points)


for name in ("roc_curve", "pr_curve", "threshold_table"):
    oracle(name, tool="scikit-learn")(curve)


#: A share of the weights this close to a cut counts as at the cut; shares of whole numbers of rows never are.
NEAR = Fraction(1, 10**9)


def bins_by_mass(scores: pd.Series, weights: pd.Series, bins: int) -> list[int] | None:
    """floor(bins · weight of strictly smaller scores / weight), with the weights as decimal numbers.

    None where rounding decides: a billionth below a cut, to a thousandth of that.
    """
    exact = pd.Series([Fraction(repr(float(weight))) for weight in weights], dtype=object)
    sums = exact.groupby(scores.to_numpy()).sum()
    cuts = bins * ((sums.cumsum() - sums) / sums.sum() + NEAR)
    if any(abs(cut - round(cut)) < bins * NEAR / 1000 for cut in cuts):
        return None
    return list(scores.map(cuts.map(lambda cut: min(math.floor(cut), bins - 1))))


@oracle("lift_table", tool="exact fractions")
def lift_table(rows: pd.DataFrame, p: Any) -> Any:
    if rows.empty:
        return pd.DataFrame()
    numbers = bins_by_mass(-rows["score"], rows["weight"], p.bins) if rows["weight"].any() else None
    if numbers is None:
        return SKIP
    weights = rows["weight"].map(Fraction)
    sums = rows.assign(mass=weights, hits=weights * rows["label"].map(Fraction)).groupby(np.array(numbers))
    mass, hits = sums["mass"].sum(), sums["hits"].sum()
    total, positives = mass.sum(), hits.sum()

    def quotients(dividends: pd.Series, divisors: pd.Series) -> list[float | None]:
        return [float(a / b) if b else None for a, b in zip(dividends, divisors, strict=True)]

    return pd.DataFrame({
        "bin": mass.index + 1,
        "rows": sums["rows"].sum(),
        "positives": hits.map(float),
        "rate": quotients(hits, mass),
        "gain": quotients(hits.cumsum(), hits * 0 + positives),
        "lift": quotients(hits * total, mass * positives),
        "cumulative_lift": quotients(hits.cumsum() * total, mass.cumsum() * positives),
    })  # fmt: skip


def histogram(rows: pd.DataFrame, values: pd.Series, bins: int, sums: dict[str, pd.Series]) -> Any:
    """Sums in equal steps of the values by numpy.histogram; SKIP where equal steps are impossible in doubles."""
    finite = values[np.isfinite(values)]
    if finite.empty:
        return SKIP if len(rows) else pd.DataFrame()
    low, high = finite.min(), finite.max()
    edges = np.array([low * ((bins - i) / bins) + high * (i / bins) for i in range(bins + 1)])
    if high == low:
        edges[:] = high  # they differ by rounding only
    elif (np.diff(edges) <= 0).any():
        return SKIP
    below = values == -math.inf  # in the first bin, even if the bins have no width
    inside = values[~below].clip(low, high)

    def in_steps(weights: pd.Series) -> Any:
        return np.histogram(inside, edges, weights=weights[~below])[0] + (np.arange(bins) == 0) * weights[below].sum()

    table = pd.DataFrame({"bin": np.arange(bins) + 1, "lower": edges[:-1], "upper": edges[1:]})
    for name, weights in {"rows": rows["rows"], **sums}.items():
        table[name] = in_steps(weights)
    return table[in_steps(rows["rows"] * 0 + 1) > 0]  # a pre-aggregated row may count for no rows


def shares(column: pd.Series) -> Any:
    return column / column.sum() if column.any() else None


@oracle("score_histogram", tool="numpy")
def score_histogram(rows: pd.DataFrame, p: Any) -> Any:
    sums = {"positives": rows["weight"] * rows["label"], "negatives": rows["weight"] * (1 - rows["label"])}
    table = histogram(rows, rows["score"], p.bins, sums)
    if table is SKIP or table.empty:
        return table
    return table.assign(**{f"share_of_{name}": shares(table[name]) for name in sums})


@oracle("group_auc", tool="a loop of scikit-learn")
def group_auc(rows: pd.DataFrame, p: Any) -> Any:
    groups = rows.assign(positives=rows["label"] * rows["weight"]).groupby("group")
    table = groups[["rows", "weight", "positives"]].sum().reset_index()
    return table.assign(auc=[exact_auc(members) for _, members in groups])


@oracle("gauc", tool="a loop of scikit-learn")
def gauc(rows: pd.DataFrame, p: Any) -> Any:
    table = group_auc(rows, p).dropna(subset="auc")
    if table.empty:
        return None
    weights = {"rows": table["weight"], "positives": table["positives"], "uniform": np.ones(len(table))}[p.weights]
    return np.average(table["auc"].astype(float), weights=weights)
