"""Binary metrics by scikit-learn, scipy and XGBoost, and by exact arithmetic over confusion counts."""

from __future__ import annotations

import importlib.util
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
from scipy.integrate import quad
from scipy.stats import ks_2samp
from sklearn import metrics

from .registry import SKIP, Within, is_given as given, is_none as not_given, oracle

XGBOOST = importlib.util.find_spec("xgboost") is not None


def weighty(rows: pd.DataFrame) -> pd.DataFrame:
    """Without the rows of weight 0, for which a tool may invent a class or a threshold."""
    return rows[rows["weight"] > 0]


def both_classes(rows: pd.DataFrame) -> bool:
    return rows["label"].nunique() == 2


def called(rows: pd.DataFrame, p: Any) -> np.ndarray[Any, Any]:
    """1 where a row is called positive."""
    if "prediction" in rows:
        return rows["prediction"].to_numpy(dtype=int)
    return (rows["score"] >= p.threshold).to_numpy(dtype=int)


def places(scores: pd.Series) -> np.ndarray[Any, Any]:
    """The scores' places in their order: tools refuse infinite scores, and only the order counts."""
    return np.unique(scores.to_numpy(), return_inverse=True)[1]


def at_threshold(function: Callable[..., float], rows: pd.DataFrame, p: Any, **options: Any) -> float | None:
    used = weighty(rows)
    undefined = getattr(p, "zero_division", None)
    if used.empty:
        return undefined
    value = function(
        used["label"].to_numpy(dtype=int),
        called(used, p),
        sample_weight=used["weight"],
        zero_division=np.nan if undefined is None else undefined,
        **options,
    )
    return float(value)


@oracle("precision", tool="scikit-learn")
def precision(rows: pd.DataFrame, p: Any) -> Any:
    return at_threshold(metrics.precision_score, rows, p)


@oracle("recall", tool="scikit-learn")
def recall(rows: pd.DataFrame, p: Any) -> Any:
    return at_threshold(metrics.recall_score, rows, p)


@oracle("selection_rate", tool="numpy")
def selection_rate(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    return float(np.average(called(used, p), weights=used["weight"])) if len(used) else None


@oracle("f1", tool="scikit-learn")
def f1(rows: pd.DataFrame, p: Any) -> Any:
    return at_threshold(metrics.f1_score, rows, p)


@oracle("fbeta", tool="scikit-learn")
def fbeta(rows: pd.DataFrame, p: Any) -> Any:
    return at_threshold(metrics.fbeta_score, rows, p, beta=p.beta)


@oracle("specificity", tool="scikit-learn")
def specificity(rows: pd.DataFrame, p: Any) -> Any:
    return at_threshold(metrics.recall_score, rows, p, pos_label=0)


@oracle("fpr", tool="scikit-learn")
def fpr(rows: pd.DataFrame, p: Any) -> Any:
    """The recall of the negative class under the opposite calls."""
    opposite = rows.assign(prediction=1 - called(rows, p)).astype({"label": float})
    return at_threshold(metrics.recall_score, opposite, p, pos_label=0)


@oracle("accuracy", tool="scikit-learn")
def accuracy(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if used.empty:
        return None
    if used["label"].dtype.kind in "OU" or pd.api.types.is_string_dtype(used["label"]):  # classes, in words
        return metrics.accuracy_score(used["label"], used["prediction"], sample_weight=used["weight"])
    return metrics.accuracy_score(used["label"].to_numpy(dtype=int), called(used, p), sample_weight=used["weight"])


@oracle("error_rate", tool="scikit-learn")
def error_rate(rows: pd.DataFrame, p: Any) -> Any:
    value = accuracy(rows, p)
    return None if value is None else 1 - value


def counts(rows: pd.DataFrame, predicted: np.ndarray[Any, Any]) -> dict[str, float]:
    if not rows["weight"].any():
        return dict.fromkeys(["tp", "fp", "fn", "tn"], 0.0)
    (tn, fp), (fn, tp) = metrics.confusion_matrix(
        rows["label"].to_numpy(dtype=int), predicted, labels=[0, 1], sample_weight=rows["weight"]
    )
    return {"tp": tp, "fp": fp, "fn": fn, "tn": tn}


@oracle("confusion_matrix", tool="scikit-learn")
def confusion_matrix(rows: pd.DataFrame, p: Any) -> Any:
    return counts(rows, called(rows, p))


def exact_counts(rows: pd.DataFrame, p: Any) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """TP, FP, FN and TN without rounding: a plain loop."""
    found = dict.fromkeys([(0, 0), (0, 1), (1, 0), (1, 1)], Fraction(0))
    for label, call, weight in zip(rows["label"], called(rows, p), rows["weight"], strict=True):
        found[int(label), int(call)] += Fraction(weight)
    return found[1, 1], found[0, 1], found[1, 0], found[0, 0]


@oracle("balanced_accuracy", tool="scikit-learn")
def balanced_accuracy(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if used.empty or (p.one_class == "null" and not both_classes(used)):
        return None
    with warnings.catch_warnings():  # of a class that is only called
        warnings.simplefilter("ignore", UserWarning)
        return metrics.balanced_accuracy_score(
            used["label"].to_numpy(dtype=int), called(used, p), sample_weight=used["weight"]
        )


@oracle("mcc", tool="scikit-learn")
def mcc(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if not both_classes(used) or len(set(called(used, p))) < 2:
        return p.zero_division
    if used["weight"].max() > 1e4 * used["weight"].min():  # its sums of products lose the digits of small counts
        return SKIP
    return metrics.matthews_corrcoef(used["label"].to_numpy(dtype=int), called(used, p), sample_weight=used["weight"])


@oracle("mcc", tool="by hand")
def mcc_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    tp, fp, fn, tn = exact_counts(rows, p)
    margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    if not margins:
        return p.zero_division
    determinant = tp * tn - fp * fn
    # One root at the end, of a fraction that is exact until then.
    return math.copysign(math.sqrt(determinant**2 / margins), determinant)


@oracle("g_mean", tool="by hand")
def g_mean(rows: pd.DataFrame, p: Any) -> Any:
    tp, fp, fn, tn = exact_counts(rows, p)
    if p.form == "rates":
        return math.sqrt(tp / (tp + fn) * (tn / (tn + fp))) if tp + fn and tn + fp else None
    return float(tp / (tp + fp) * (tn / (tn + fn))) if tp + fp and tn + fn else None


def exact_auc(rows: pd.DataFrame) -> float | None:
    used = weighty(rows)
    if not both_classes(used):
        return None
    return float(metrics.roc_auc_score(used["label"], places(used["score"]), sample_weight=used["weight"]))


def of_one_class(rows: pd.DataFrame, p: Any) -> float | None:
    """What a parameter puts in the place of an undefined value, where there are rows at all."""
    if not len(rows):
        return None
    no_positives = not (weighty(rows)["label"] == 1).any()
    if no_positives and getattr(p, "no_positives", None) is not None:
        return float(p.no_positives)
    return getattr(p, "one_class", None)


@oracle("auc", tool="scikit-learn", bins=not_given)
def auc(rows: pd.DataFrame, p: Any) -> Any:
    value = exact_auc(rows)
    return of_one_class(rows, p) if value is None else value


def in_steps(rows: pd.DataFrame, bins: int) -> pd.DataFrame:
    """Each score replaced by the number of its step between the lowest and the highest finite score."""
    scores = rows["score"].to_numpy(dtype=float)
    finite = scores[np.isfinite(scores)]
    steps = scores.copy()
    if len(finite):
        low, high = finite.min(), finite.max()
        half = high / 2 - low / 2  # the difference of two doubles may be infinite
        per_unit = min(bins / 2 / half if half else 1.0, sys.float_info.max)
        with np.errstate(over="ignore"):
            steps[np.isfinite(scores)] = np.floor((finite - low) * per_unit)
    # The highest score belongs to the last step, and so does what is infinite.
    steps = (
        np.clip(np.nan_to_num(steps, posinf=bins - 1, neginf=0), 0, bins - 1) if len(finite) else np.zeros(len(scores))
    )
    return rows.assign(score=steps)


@oracle("auc", tool="scikit-learn on the numbers of the bins", bins=given)
def auc_of_bins(rows: pd.DataFrame, p: Any) -> Any:
    """With the share of pairs that a bin holds: half of it on either side is all the bins can be wrong by."""
    binned = in_steps(rows, p.bins)
    value = exact_auc(binned)
    if value is None:
        return {"auc": of_one_class(rows, p), "auc_lower": None, "auc_upper": None}
    pairs = binned.assign(pos=binned["label"] * binned["weight"], neg=(1 - binned["label"]) * binned["weight"])
    tied = sum(cell["pos"].sum() * cell["neg"].sum() for _, cell in pairs.groupby("score"))
    doubt = tied / pairs["pos"].sum() / pairs["neg"].sum() / 2
    return {"auc": value, "auc_lower": value - doubt, "auc_upper": value + doubt}


@oracle("auc", tool="scikit-learn, enclosed by the bounds", bins=given)
def auc_within_bounds(rows: pd.DataFrame, p: Any) -> Any:
    value = exact_auc(rows)
    if value is None:
        return {"auc_lower": None, "auc_upper": None}
    rounding = 1e-12
    return {"auc_lower": Within(-rounding, value + rounding), "auc_upper": Within(value - rounding, 1 + rounding)}


@oracle("gini", tool="scikit-learn")
def gini(rows: pd.DataFrame, p: Any) -> Any:
    value = exact_auc(rows)
    return None if value is None else 2 * value - 1


@oracle("ks", tool="scipy")
def ks(rows: pd.DataFrame, p: Any) -> Any:
    """scipy knows no weights."""
    used = weighty(rows)
    if used["weight"].nunique() > 1:
        return SKIP
    if not both_classes(used):
        return None
    used = used.assign(score=places(used["score"]))
    positives, negatives = used[used["label"] == 1]["score"], used[used["label"] == 0]["score"]
    return ks_2samp(positives, negatives, alternative="less", method="asymp").statistic


@oracle("ks", tool="scikit-learn")
def ks_of_roc_curve(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if not both_classes(used):
        return None
    false, true, _ = metrics.roc_curve(used["label"], places(used["score"]), sample_weight=used["weight"])
    return max(true - false)


@oracle("average_precision", tool="scikit-learn")
def average_precision(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if not both_classes(used) and of_one_class(rows, p) is not None:
        return of_one_class(rows, p)
    if not (used["label"] == 1).any():
        return None
    return metrics.average_precision_score(used["label"], places(used["score"]), sample_weight=used["weight"])


def steps_down(rows: pd.DataFrame) -> list[tuple[float, float, float]]:
    """Every distinct score from the top with the TP and FP at it or above, as exact sums."""
    steps = []
    tp = fp = Fraction(0)
    scores = rows["score"] + 0.0
    for score in sorted(set(scores), reverse=True):
        for label, weight in rows[scores == score][["label", "weight"]].itertuples(index=False):
            tp += Fraction(weight) * Fraction(label)
            fp += Fraction(weight) * (1 - Fraction(label))
        steps.append((score, tp, fp))
    return steps


@oracle("pr_auc", tool="XGBoost", interpolation=["davis_goadrich"])
def pr_auc_by_xgboost(rows: pd.DataFrame, p: Any) -> Any:
    """XGBoost takes one class for an accident, and keeps weights as 32-bit numbers."""
    used = weighty(rows)
    if not XGBOOST or not both_classes(used) or (used["weight"] != used["weight"].astype("float32")).any():
        return SKIP
    import xgboost

    data = xgboost.DMatrix(
        np.zeros((len(used), 1)), label=used["label"], weight=used["weight"], base_margin=places(used["score"])
    )
    options = {"objective": "reg:squarederror", "base_score": 0.0, "eval_metric": "aucpr", "nthread": 1, "verbosity": 0}
    return float(xgboost.train(options, data, num_boost_round=0).eval(data).split(":")[1])


@oracle("pr_auc", tool="scipy's integral", interpolation=["davis_goadrich"])
def pr_auc_by_integral(rows: pd.DataFrame, p: Any) -> Any:
    """The area step by step, under precision with FP growing in proportion to TP."""
    steps = steps_down(weighty(rows))
    if not steps or not steps[-1][1]:
        return of_one_class(rows, p)
    whole, area = steps[-1][1], 0.0
    for (_, tp_above, fp_above), (_, tp, fp) in zip(
        [(math.inf, Fraction(0), Fraction(0)), *steps], steps, strict=False
    ):
        if tp == tp_above:
            continue
        true, false = float(tp_above / whole), float(fp_above / whole)
        slope = float((fp - fp_above) / (tp - tp_above))

        def precision(added: float, true: float = true, false: float = false, slope: float = slope) -> float:
            called = true + false + (1 + slope) * added
            return (true + added) / called if called else 1 / (1 + slope)

        area += quad(precision, 0.0, float((tp - tp_above) / whole), epsabs=1e-13, epsrel=1e-11, limit=200)[0]
    return area


@oracle("pr_auc", tool="by hand, with 200 digits", interpolation=["davis_goadrich"])
def pr_auc_by_many_digits(rows: pd.DataFrame, p: Any) -> Any:
    steps = [(tp, fp) for _, tp, fp in steps_down(weighty(rows))]
    return float(area_of_many_digits(steps)) if steps and steps[-1][0] else of_one_class(rows, p)


def area_of_many_digits(steps: Sequence[tuple[Fraction, Fraction]]) -> Decimal:
    """The integral of (TP + t) / (TP + FP + (1 + h)·t), its logarithm taken with more digits than can cancel."""

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
                rest = decimal((tp_above - above / slope) / slope)
                area += rest * decimal((tp + fp) / above).ln()
        return area / decimal(steps[-1][0])


@oracle("pr_auc", tool="scikit-learn", interpolation=["trapezoid"])
def pr_auc_of_straight_lines(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if not (used["label"] == 1).any():
        return of_one_class(rows, p)
    precision, recall, _ = metrics.precision_recall_curve(
        used["label"], places(used["score"]), sample_weight=used["weight"]
    )
    return metrics.auc(recall, precision)


@oracle("pr_auc", tool="by hand", interpolation=["trapezoid", "spark"])
def pr_auc_by_hand(rows: pd.DataFrame, p: Any) -> Any:
    steps = steps_down(weighty(rows))
    if not steps or not steps[-1][1]:
        return of_one_class(rows, p)
    points = [(tp / steps[-1][1], tp / (tp + fp)) for _, tp, fp in steps]
    points.insert(0, (Fraction(0), Fraction(1) if p.interpolation == "trapezoid" else points[0][1]))
    pairs = itertools.pairwise(points)
    return float(sum((right[0] - left[0]) * (left[1] + right[1]) / 2 for left, right in pairs))


@oracle("max_f1", tool="by hand")
def max_f1(rows: pd.DataFrame, p: Any) -> Any:
    steps = steps_down(rows)
    if not steps or not steps[-1][1]:
        return {"max_f1": None, "max_f1_threshold": None}
    f1 = {score: 2 * tp / (steps[-1][1] + tp + fp) for score, tp, fp in steps}
    best = max(f1.values())
    highest = max(score for score, value in f1.items() if value == best)
    # Where two are equal but for rounding, doubles do not tell which of them is first.
    clear = all(value == best or best - value > 1e-13 for value in f1.values())
    return {"max_f1": float(best)} | ({"max_f1_threshold": highest} if clear else {})


@oracle("max_f1", tool="scikit-learn")
def max_f1_of_curve(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if not (used["label"] == 1).any():
        return of_one_class(rows, p)
    precision, recall, _ = metrics.precision_recall_curve(
        used["label"], places(used["score"]), sample_weight=used["weight"]
    )
    whole = precision + recall
    return max(2 * precision * recall / np.where(whole > 0, whole, 1))


def curve(rows: pd.DataFrame, p: Any) -> Any:
    """A confusion matrix for every threshold: each distinct score, or steps of finite scores, or of rows."""
    scores = sorted(set(rows["score"] + 0.0), reverse=True)
    if p.points != "all" and p.spacing == "rows":
        numbers = bins_by_mass(-rows["score"], rows["weight"], p.points) if rows["weight"].any() else None
        if len(rows) and numbers is None:
            return SKIP
        scores = sorted((rows["score"] + 0.0).groupby(numbers).min(), reverse=True) if len(rows) else []
    elif p.points != "all":
        finite = [score for score in scores if math.isfinite(score)]
        low, high = (finite[-1], finite[0]) if finite else (0.0, 0.0)
        thresholds = {low + (high - low) * step / (p.points - 1) for step in range(1, p.points - 1)} | {low}
        # The last step is the highest score itself, whatever rounding makes of it.
        thresholds |= {high} if p.points > 1 else set()
        scores = sorted(thresholds if finite else set(), reverse=True)
    undefined = getattr(p, "zero_division", None)
    points = []
    for threshold in [np.inf, *scores] if len(rows) else []:
        # Nothing is called positive in the first row, not even an infinite score.
        above = (rows["score"] >= threshold).to_numpy(dtype=int) if points else np.zeros(len(rows), dtype=int)
        point = {"threshold": threshold, **counts(rows, above)}
        positives, negatives, chosen = point["tp"] + point["fn"], point["fp"] + point["tn"], point["tp"] + point["fp"]
        point["tpr"] = point["recall"] = point["tp"] / positives if positives else None
        if not positives and undefined is not None:
            point["recall"] = undefined if chosen else 0
        point["fpr"] = point["fp"] / negatives if negatives else None
        point["precision"] = point["tp"] / chosen if chosen else undefined
        points.append(point)
    return pd.DataFrame(points)


for name in ("roc_curve", "pr_curve", "threshold_table"):
    oracle(name, tool="scikit-learn")(curve)


#: A share of the weights that comes as near to a cut as this is at the cut; of whole numbers of rows none does.
NEAR = Fraction(1, 10**9)


def bins_by_mass(scores: pd.Series, weights: pd.Series, bins: int) -> list[int] | None:
    """floor(bins · weight of strictly smaller scores / weight) of the weights as they are written, in decimals.

    None where rounding would decide: a billionth short of a cut, to a thousandth of that.
    """
    exact = [Fraction(repr(float(weight))) for weight in weights]
    total = sum(exact, Fraction(0))
    found = {}
    for score in set(scores):
        below = sum((w for w, other in zip(exact, scores, strict=True) if other < score), Fraction(0))
        place = bins * (below / total + NEAR)
        if abs(place - round(place)) < bins * NEAR / 1000:
            return None
        found[score] = min(math.floor(place), bins - 1)
    return [found[score] for score in scores]


@oracle("lift_table", tool="by hand")
def lift_table(rows: pd.DataFrame, p: Any) -> Any:
    if rows.empty:
        return pd.DataFrame()
    if not rows["weight"].any():  # 0 of 0 is no bin
        return SKIP
    numbers = bins_by_mass(-rows["score"], rows["weight"], p.bins)
    if numbers is None:
        return SKIP
    weights = rows["weight"].map(Fraction)
    binned = rows.assign(bin=numbers, mass=weights, hits=weights * rows["label"].map(Fraction))
    total, positives = binned["mass"].sum(), binned["hits"].sum()
    reached = gained = Fraction(0)
    table = []
    for number, members in binned.groupby("bin"):
        weight, hits = members["mass"].sum(), members["hits"].sum()
        reached, gained = reached + weight, gained + hits
        table.append({
            "bin": number + 1,
            "rows": members["rows"].sum(),
            "positives": float(hits),
            "rate": float(hits / weight) if weight else None,
            "gain": float(gained / positives) if positives else None,
            "lift": float(hits / weight * total / positives) if weight and positives else None,
            "cumulative_lift": float(gained / reached * total / positives) if reached and positives else None,
        })  # fmt: skip
    return pd.DataFrame(table)


@oracle("score_histogram", tool="numpy")
def score_histogram(rows: pd.DataFrame, p: Any) -> Any:
    finite = rows["score"][np.isfinite(rows["score"])]
    if finite.empty:
        return SKIP if len(rows) else pd.DataFrame()
    low, high = finite.min(), finite.max()
    edges = np.array([low * ((p.bins - i) / p.bins) + high * (i / p.bins) for i in range(p.bins + 1)])
    if high > low and (np.diff(edges) <= 0).any():
        return SKIP  # no doubles are near enough for equal steps
    if high == low:
        edges[:] = high  # they differ by rounding only
    below = rows["score"] == -math.inf  # in the first bin, however narrow the bins are
    scores = rows["score"][~below].clip(low, high)
    members = [
        np.histogram(scores, edges, weights=weights[~below])[0] + (np.arange(p.bins) == 0) * weights[below].sum()
        for weights in (
            rows["rows"],
            rows["weight"] * rows["label"],
            rows["weight"] * (1 - rows["label"]),
            rows["rows"] * 0 + 1,
        )
    ]
    positives, negatives = members[1].sum(), members[2].sum()
    return pd.DataFrame([
        {
            "bin": number + 1,
            "lower": edges[number],
            "upper": edges[number + 1],
            "rows": count,
            "positives": hits,
            "negatives": misses,
            "share_of_positives": hits / positives if positives else None,
            "share_of_negatives": misses / negatives if negatives else None,
        }
        for number, (count, hits, misses, held) in enumerate(zip(*members, strict=True))
        if held  # a pre-aggregated row may stand for none
    ])  # fmt: skip


@oracle("gauc", tool="a loop of scikit-learn")
def gauc(rows: pd.DataFrame, p: Any) -> Any:
    table = group_auc(rows, p)
    table = table[table["auc"].notna()] if len(table) else table
    if table.empty:
        return None
    weights = {"rows": table["weight"], "positives": table["positives"], "uniform": np.ones(len(table))}[p.weights]
    return np.average(table["auc"].astype(float), weights=weights)


@oracle("group_auc", tool="a loop of scikit-learn")
def group_auc(rows: pd.DataFrame, p: Any) -> Any:
    groups = [
        {
            "group": name,
            "auc": exact_auc(members),
            "rows": members["rows"].sum(),
            "weight": members["weight"].sum(),
            "positives": (members["label"] * members["weight"]).sum(),
        }
        for name, members in rows.groupby("group", sort=True)
    ]
    return pd.DataFrame(groups)


@oracle("youden_j", tool="scikit-learn")
def youden_j(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if not both_classes(used):
        return None
    truth = used["label"].to_numpy(dtype=int)
    return metrics.balanced_accuracy_score(truth, called(used, p), sample_weight=used["weight"], adjusted=True)


def rates(rows: pd.DataFrame) -> tuple[Any, Any] | None:
    """False and true positive rates at every threshold, from where nothing is called positive."""
    used = weighty(rows)
    if not both_classes(used):
        return None
    false, true, _ = metrics.roc_curve(
        used["label"], places(used["score"]), sample_weight=used["weight"], drop_intermediate=False
    )
    return false, true


@oracle("tpr_at_fpr", tool="scikit-learn")
def tpr_at_fpr(rows: pd.DataFrame, p: Any) -> Any:
    curve = rates(rows)
    return None if curve is None else max(curve[1][curve[0] <= p.fpr + 1e-9])


@oracle("fpr_at_tpr", tool="scikit-learn")
def fpr_at_tpr(rows: pd.DataFrame, p: Any) -> Any:
    curve = rates(rows)
    return None if curve is None else min(curve[0][curve[1] >= p.tpr - 1e-9])


def precisions(rows: pd.DataFrame) -> tuple[Any, Any] | None:
    """Precision and recall at every threshold at which something is called positive."""
    used = weighty(rows)
    if not (used["label"] == 1).any():
        return None
    precision, recall, _ = metrics.precision_recall_curve(
        used["label"], places(used["score"]), sample_weight=used["weight"]
    )
    return precision[:-1], recall[:-1]


@oracle("precision_at_recall", tool="scikit-learn")
def precision_at_recall(rows: pd.DataFrame, p: Any) -> Any:
    curve = precisions(rows)
    return None if curve is None else max(curve[0][curve[1] >= p.recall - 1e-9])


@oracle("recall_at_precision", tool="scikit-learn")
def recall_at_precision(rows: pd.DataFrame, p: Any) -> Any:
    curve = precisions(rows)
    return None if curve is None else max(curve[1][curve[0] >= p.precision - 1e-9], default=0.0)


@oracle("partial_auc", tool="scikit-learn")
def partial_auc(rows: pd.DataFrame, p: Any) -> Any:
    used = weighty(rows)
    if not both_classes(used):
        return None
    return metrics.roc_auc_score(used["label"], places(used["score"]), sample_weight=used["weight"], max_fpr=p.max_fpr)
