"""A small log for the consumer project, and what scikit-learn, scipy and numpy say of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.stats import ks_2samp
from sklearn import metrics as sk

DEVICES = ["phone", "desktop", "tablet", None]


def make_log(rows: int = 600, seed: int = 11) -> pd.DataFrame:
    """Impressions with a click, a grade, a number and a class each; scores have ties, one device is NULL."""
    random = np.random.default_rng(seed)
    quality = random.normal(size=rows)
    noise = random.normal(size=rows)
    pctr = 1 / (1 + np.exp(-(quality - 0.5)))
    log = pd.DataFrame(
        {
            "day": [f"2026-01-0{1 + number % 5}" for number in range(rows)],
            "device": [DEVICES[number] for number in random.integers(0, 4, rows)],
            "user_id": [f"u{number}" for number in random.integers(0, 40, rows)],
            "clicked": (random.random(rows) < pctr).astype(int),
            "grade": np.clip(np.round(quality + noise), 0, 3).astype(int),
            "pctr": np.round(pctr, 2).clip(0.01, 0.99),
            "pctr_b": np.round(1 / (1 + np.exp(-(quality + noise - 0.5))), 2).clip(0.01, 0.99),
            "y": np.round(5 + quality, 3),
            "y_hat": np.round(5 + quality + noise / 2, 3),
            "class_name": random.choice(["cat", "dog", "bird"], rows),
        }
    )
    guesses = random.choice(["cat", "dog", "bird", "fish"], rows)
    log["said"] = np.where(random.random(rows) < 0.6, log["class_name"], guesses)
    return log


def expected_values(log: pd.DataFrame) -> pd.DataFrame:
    """Family, metric, slice, value: over everything, and by device."""
    rows = []
    for name, part in [("overall", log), *log.groupby(log["device"].fillna("none"))]:
        for family, values in (("binary", _binary), ("ranking", _ranking), ("regression", _regression)):
            rows += [(family, metric, name, value) for metric, value in values(part)]
        rows += [("classes", metric, name, value) for metric, value in _classes(part)]
    return pd.DataFrame(rows, columns=["family", "metric", "slice", "expected"])


def _binary(log: pd.DataFrame) -> Iterator[tuple[str, float]]:
    truth, score = log["clicked"].to_numpy(), log["pctr"].to_numpy()
    said = (score >= 0.5).astype(int)
    yield "auc", sk.roc_auc_score(truth, score)
    yield "average_precision", sk.average_precision_score(truth, score)
    yield "log_loss", sk.log_loss(truth, score, labels=[0, 1])
    yield "brier", sk.brier_score_loss(truth, score)
    yield "accuracy", sk.accuracy_score(truth, said)
    yield "precision", sk.precision_score(truth, said)
    yield "recall", sk.recall_score(truth, said)
    yield "f1", sk.f1_score(truth, said)
    yield "mcc", sk.matthews_corrcoef(truth, said)
    yield "balanced_accuracy", sk.balanced_accuracy_score(truth, said)
    yield "ks", ks_2samp(score[truth == 1], score[truth == 0], alternative="less").statistic
    yield "copc", truth.sum() / score.sum()
    groups = [group for _, group in log.groupby("user_id") if group["clicked"].nunique() == 2]
    areas = [sk.roc_auc_score(group["clicked"], group["pctr"]) for group in groups]
    yield "gauc", float(np.average(areas, weights=[len(group) for group in groups]))
    yield "threshold_03", sk.f1_score(truth, (score >= 0.3).astype(int))


def _ranking(log: pd.DataFrame) -> Iterator[tuple[str, float]]:
    # scikit-learn takes no list of one item; such a list is its own best order, 0 without any gain
    values = [
        sk.ndcg_score([group["grade"]], [group["pctr"]], k=5) if len(group) > 1 else float(group["grade"].iloc[0] > 0)
        for _, group in log.groupby("user_id")
    ]
    yield "ndcg_sklearn", float(np.mean(values))
    first = []
    for _, group in log.groupby("user_id"):
        if (group["grade"] >= 1).any():
            # among equal scores the least relevant comes first
            ranked = group.sort_values(["pctr", "grade"], ascending=[False, True])["grade"].to_numpy()
            first.append(1 / (1 + int(np.argmax(ranked >= 1))))
    yield "mrr", float(np.mean(first))


def _regression(log: pd.DataFrame) -> Iterator[tuple[str, float]]:
    truth, said = log["y"], log["y_hat"]
    yield "mae", sk.mean_absolute_error(truth, said)
    yield "mse", sk.mean_squared_error(truth, said)
    yield "rmse", sk.root_mean_squared_error(truth, said)
    yield "medae", sk.median_absolute_error(truth, said)
    yield "r2", sk.r2_score(truth, said)
    yield "mape", 100 * sk.mean_absolute_percentage_error(truth, said)
    yield "max_error", sk.max_error(truth, said)
    yield "mean_error", float((said - truth).mean())


def _classes(log: pd.DataFrame) -> Iterator[tuple[str, float]]:
    truth, said = log["class_name"], log["said"]
    yield "accuracy", sk.accuracy_score(truth, said)
    yield "macro_precision", sk.precision_score(truth, said, average="macro", zero_division=0)
    yield "macro_recall", sk.recall_score(truth, said, average="macro", zero_division=0)
    yield "macro_f1", sk.f1_score(truth, said, average="macro", zero_division=0)
    yield "micro_f1", sk.f1_score(truth, said, average="micro", zero_division=0)
    yield "weighted_f1", sk.f1_score(truth, said, average="weighted", zero_division=0)
