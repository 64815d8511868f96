"""Worked examples of papers and guides, and numbers of packages that are not installed here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.inter_rater import fleiss_kappa

import sqlmetrics


def counts(tp: int, fn: int, fp: int, tn: int) -> dict[str, list[float]]:
    """A confusion matrix as pre-aggregated rows: the predicted positives, and the predicted negatives."""
    return {"clicks": [tp, fn], "views": [tp + fp, fn + tn], "pctr": [1.0, 0.0]}


def ranked(labels: list[int], scores: list[float]) -> dict[str, list[float]]:
    return {"click": labels, "pctr": scores}


AGGREGATED = {"positives": "clicks", "total": "views", "score": "pctr"}
ROWS = {"label": "click", "score": "pctr"}
LIST = {"click": [1, 0, 0, 1, 1, 1], "pctr": [6, 5, 4, 3, 2, 1], "query": [1] * 6}
#: 10,000 rows with score 0.2 and rate 0.4; 10,000 with score 0.8 and rate 0.6.
HALVES = {"clicks": [4000, 6000], "views": [10000, 10000], "pctr": [0.2, 0.8], "slot": ["low", "high"]}
#: Two rankings of the same items, "abcdefgh" and "bacdhgfe"; the values are those of the package rbo 0.1.3.
TWO_RANKINGS = {"query": ["q"] * 8, "old": [-1, -2, -3, -4, -5, -6, -7, -8], "new": [-2, -1, -3, -4, -8, -7, -6, -5]}


def printed(text: str) -> Any:
    """A number that was rounded to its last digit."""
    return pytest.approx(float(text), rel=0, abs=0.5 * 10 ** -len(text.partition(".")[2]))


EXAMPLES: list[tuple[dict[str, Any], dict[str, str], dict[str, Any]]] = [
    (counts(600, 100, 50, 250), AGGREGATED,
     {"accuracy": 0.85, "error_rate": 0.15, "precision": 600 / 650, "recall": 600 / 700}),
    (counts(90, 0, 10, 0), AGGREGATED, {"precision": 0.9, "recall": 1.0, "f1": printed("0.947")}),
    (counts(70, 20, 5, 5), AGGREGATED,
     {"precision": printed("0.933"), "recall": printed("0.778"), "f1": printed("0.848")}),
    (ranked([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), ROWS, {"auc": 0.75}),
    (ranked([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8]), ROWS, {"auc": 0.875}),
    (ranked([0, 1, 1, 0, 0, 1, 1], [0.3, 0.5, 0.5, 0.5, 0.5, 0.7, 0.8]), ROWS, {"auc": 10 / 12}),
    (LIST, {**ROWS, "group": "query"}, {"average_precision": printed("0.6917"), "map": printed("0.6917")}),
    (HALVES, {**AGGREGATED, "field": "slot"},
     {"pcoc": 1, "ece": 0.2, "cal_n": printed("0.745356"), "field_rce": printed("0.416667")}),
    (HALVES, {**AGGREGATED, "where": "slot = 'low'"}, {"pcoc": 0.5}),
    (HALVES, {**AGGREGATED, "where": "slot = 'high'"}, {"pcoc": printed("1.333")}),
    (TWO_RANKINGS, {"label": "old", "score": "new", "group": "query"},
     {"rbo(p=0.5)": 0.48742559523809526, "rbo(p=0.9)": 0.8596029857142857,
      "rbo(p=0.9, beyond='cut')": 0.4291357757142857, "rbo(p=0.9, beyond='cut', k=4)": 0.24389999999999998}),
]  # fmt: skip


@pytest.mark.parametrize(("data", "roles", "expected"), EXAMPLES, ids=[str(number) for number in range(len(EXAMPLES))])
def test_worked_examples(data: dict[str, Any], roles: dict[str, str], expected: dict[str, Any]) -> None:
    specs = [f"value_{number} = {spec}" for number, spec in enumerate(expected)]
    result = sqlmetrics.evaluate(pd.DataFrame(data), specs, **roles).iloc[0, 1:]
    for value, (spec, number) in zip(result, expected.items(), strict=True):
        assert value == (pytest.approx(number, rel=0, abs=1e-12) if isinstance(number, float | int) else number), spec


def test_tables_of_errors_match_worked_examples() -> None:
    """The numbers of scikit-learn's user guide (3.4.6); bins and residuals by hand."""
    data = pd.DataFrame({"y": [3, -0.5, 2, 7], "y_hat": [2.5, 0.0, 2, 8]})
    roles = {"label": "y", "score": "y_hat"}
    [whole] = sqlmetrics.error_table(data, **roles, bins=1).to_dict("records")
    assert (whole["mae"], whole["rmse"] ** 2) == (0.5, pytest.approx(0.375, abs=1e-15))
    halves = sqlmetrics.error_table(data, **roles, bins=2)
    assert halves[["lower", "upper", "mean_score", "mean_label", "mean_error", "mae"]].to_numpy().tolist() == [
        [0, 2, 1, 0.75, 0.25, 0.25], [2.5, 8, 5.25, 5, 0.25, 0.75],
    ]  # fmt: skip
    residuals = sqlmetrics.residual_histogram(data, **roles, bins=3)
    assert residuals[["lower", "upper", "rows", "share"]].to_numpy().tolist() == [
        [-0.5, 0, 1, 0.25], [0, 0.5, 1, 0.25], [0.5, 1, 2, 0.5],
    ]  # fmt: skip


# Subtopics, by ndeval (pyndeval 0.0.8)

SUBTOPIC_ROLES = {"label": "relevance", "score": "score", "group": "topic", "item": "docno", "subtopic": "iteration"}
#: Lists with an unjudged item and with missing relevant items, and the relevant items of each subtopic.
#: q3 has no returned items, and the last subtopic of q1 has no relevant item.
RUNS = {"q1": "axbec", "q2": "ba"}
JUDGED = {"q1": {"1": "bd", "2": "bcf", "3": "e", "4": ""}, "q2": {"1": "acd", "2": "de"}, "q3": {"1": "z"}}
JUDGED_BY_NDEVAL = {
    "err_ia(k=5, normalized_by='ideal')": [0.2460917801311145, 0.18154311649016644],
    "alpha_dcg@5": [0.3565199786216791, 0.20775074077285055], "alpha_ndcg@5": [0.5086478254819161, 0.23602623352337274],
    "alpha_ndcg@10": [0.5086478254819161, 0.2360262335233727], "subtopic_recall@5": [1.0, 0.5],
    "precision_ia@5": [0.26666666666666666, 0.1], "nrbp": [0.1640625, 0.1875],
    "map_ia": [0.22037037037037036, 0.08333333333333333],
}  # fmt: skip


def ideal(spec: str, subtopics: list[int]) -> Any:
    """ndeval divides α-DCG by that of items which are relevant for all subtopics."""
    k = int(spec.partition("@")[2]) if spec.startswith("alpha_dcg") else 0
    return np.array(subtopics) * sum(0.5 ** (i - 1) / np.log2(i + 1) for i in range(1, 1 + k)) if k else np.ones(2)


def test_judged_subtopic_metrics_match_ndeval(tmp_path: Path) -> None:
    """ndeval drops q3, which has no returned items."""
    runs = [(query, item, -rank) for query, items in RUNS.items() for rank, item in enumerate(items)]
    judged = [
        (query, subtopic, item, int(item in relevant))
        for query, subtopics in JUDGED.items()
        for subtopic, relevant in subtopics.items()
        for item in "abcdefz"
    ]
    data, judgments = tmp_path / "run.txt", tmp_path / "qrels.txt"
    data.write_text("".join(f"{query} Q0 {item} {-score} {score} me\n" for query, item, score in runs))
    judgments.write_text("".join(" ".join(map(str, row)) + "\n" for row in judged))
    roles = {**SUBTOPIC_ROLES, "judgments": judgments}
    table = sqlmetrics.per_group(data, list(JUDGED_BY_NDEVAL), **roles)
    assert table["topic"].tolist() == ["q1", "q2", "q3"]
    for (spec, values), name in zip(JUDGED_BY_NDEVAL.items(), table.columns[2:], strict=True):
        assert (table[name].iloc[:2] / ideal(spec, [3, 2])).tolist() == pytest.approx(values, rel=1e-14), spec
    assert table.iloc[2, 1:].tolist() == [0] * (1 + len(JUDGED_BY_NDEVAL))
    result = sqlmetrics.evaluate(data, list(JUDGED_BY_NDEVAL), preset="trec_eval", diagnostics=True, **roles).iloc[0]
    names = table.columns[2:]
    assert result[names].tolist() == pytest.approx(table[names].iloc[:2].mean().tolist(), rel=1e-14)
    assert result[["n", "groups", "rows_dropped"]].tolist() == [7, 2, 0]


def test_item_without_subtopic_keeps_its_rank() -> None:
    """α-DCG of a first item for no subtopic and a second one for x: 1 / log2(3) (Clarke and others, 2008)."""
    data = pd.DataFrame({"topic": [1, 1], "docno": ["a", "b"], "score": [2.0, 1.0], "relevance": [0, 1]})
    metrics = ["alpha_dcg", "err_ia", "nrbp", "map_ia", "precision_ia@1", "subtopic_recall@1"]
    for first in (None, "y"):
        result = sqlmetrics.evaluate(data.assign(iteration=[first, "x"]), metrics, **SUBTOPIC_ROLES).iloc[0]
        assert result.tolist() == pytest.approx([2, 0.6309297535714575, 0.25, 0.375, 0.5, 0, 0], rel=1e-12)


# Uplift, by scikit-uplift 0.5.1

UPLIFT_ROLES = {"label": "y", "score": "s", "treatment": "t"}
TREATED = pd.DataFrame({
    "y": [1, 0, 1, 1, 0, 0, 1, 0],
    "s": [0.9, 0.8, 0.8, 0.6, 0.5, 0.4, 0.4, 0.1],
    "t": [1, 0, 1, 0, 0, 1, 1, 1],
})  # fmt: skip


def test_uplift_metrics_match_scikit_uplift() -> None:
    """`qini_auc_score`, `uplift_auc_score`, and `uplift_at_k` at shares of whole rows."""
    result = sqlmetrics.evaluate(TREATED, "qini, uplift_auc", **UPLIFT_ROLES).iloc[0, 1:]
    assert result.tolist() == pytest.approx([0.4, 0.6066326530612246], rel=1e-14)
    data = pd.DataFrame({"y": [1, 0, 1, 0, 1, 1, 0, 1, 0, 0], "t": [1, 0, 1, 1, 0, 0, 1, 0, 1, 0]})
    data["s"] = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0]
    for strategy, share, value in (
        ("overall", 0.4, 2 / 3), ("overall", 0.5, 1 / 6), ("by_group", 0.4, 0.5), ("by_group", 0.6, 0.0),
    ):  # fmt: skip
        result = sqlmetrics.uplift_at_k(data, **UPLIFT_ROLES, share=share, strategy=strategy)
        assert result["uplift_at_k"].item() == pytest.approx(value, abs=1e-14), (strategy, share)


@pytest.mark.parametrize(
    ("name", "gains"),
    [("qini_curve", [0, 1, 2, 1, 4 / 3, 5 / 3, 4 / 3]), ("uplift_curve", [0, 1, 3, 2, 10 / 3, 35 / 12, 32 / 15])],
)
def test_uplift_curves_match_scikit_uplift(name: str, gains: list[float]) -> None:
    table = getattr(sqlmetrics, name)(TREATED, **UPLIFT_ROLES)
    assert table["targeted"].tolist() == pytest.approx([0, 1, 3, 4, 5, 7, 8], rel=1e-14)
    assert table["incremental_gain"].tolist() == pytest.approx(gains, rel=1e-14)
    assert table["random_gain"].tolist() == pytest.approx((gains[-1] * table["targeted"] / 8).tolist(), rel=1e-14)


# Agreement, survival, forecasts


def test_krippendorff_alpha_matches_published_example() -> None:
    """Four observers of twelve units with some missing ratings: part C of his computing sheet of 2011."""
    observers = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    rows = [(unit, int(rating)) for ratings in observers for unit, rating in enumerate(ratings) if rating != "."]
    data = pd.DataFrame(rows, columns=["unit", "rating"])
    levels = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}
    specs = [f"{level}_alpha = krippendorff_alpha(level='{level}')" for level in levels]
    result = sqlmetrics.evaluate(data, specs, label="rating", group="unit").iloc[0, 1:]
    assert result.tolist() == pytest.approx(list(levels.values()), abs=5e-4)


def test_fleiss_kappa_matches_statsmodels() -> None:
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"item": np.repeat(np.arange(20), 4), "label": rng.integers(0, 3, 80)})
    data["label"] = data["label"].where(rng.random(80) < 0.5, data["item"] % 3)
    expected = fleiss_kappa(pd.crosstab(data["item"], data["label"]).to_numpy())
    assert sqlmetrics.fleiss_kappa(data, label="label", group="item")["fleiss_kappa"][0] == pytest.approx(expected)


def test_concordance_index_matches_scikit_survival() -> None:
    """27 of 33 pairs in order and two of equal scores: `concordance_index_censored` of scikit-survival 0.28.0."""
    data = pd.DataFrame({
        "died": [1, 0, 1, 1, 0, 1, 1, 0, 1, 1],
        "days": [2, 3, 4, 6, 6, 6, 1, 9, 4, 12],
        "risk": [0.9, 0.4, 0.4, 0.6, 0.6, 0.2, 0.9, 0.1, 0.7, 0.3],
    })  # fmt: skip
    result = sqlmetrics.concordance_index(data, label="died", score="risk", duration="days")
    assert result["concordance_index"].item() == pytest.approx(0.8484848484848485, rel=1e-14)


def test_interval_and_quantile_scores_match_scoringrules() -> None:
    """`interval_score` and `crps_quantile` of scoringrules 0.11.0."""
    data = pd.DataFrame({
        "y": [3.0, -0.5, 2.0, 7.0, 4.5],
        "low": [2.5, 0.0, 2.0, 6.0, 5.0],
        "middle": [3.5, 0.5, 2.0, 6.5, 5.25],
        "high": [4.0, 1.0, 2.0, 8.0, 5.5],
    })  # fmt: skip
    crps = "crps(quantiles={0.1: 'low', 0.5: 'middle', 0.9: 'high'})"
    metrics = ["interval_score(alpha=0.2)", crps, "interval_coverage"]
    result = sqlmetrics.evaluate(data, metrics, label="y", lower_bound="low", upper_bound="high")
    assert result.iloc[0, 1:].tolist() == pytest.approx([3.0, 0.3833333333333333, 0.6], rel=1e-14)


# Debiased calibration error, by uncertainty-calibration 0.1.4


def test_debiased_ece_matches_uncertainty_calibration() -> None:
    """`unbiased_l2_ce` in ten equal bins, `get_calibration_error`, and pre-aggregated rows."""
    data = pd.DataFrame({"s": np.arange(1, 61) / 61, "y": (np.arange(60) * 7 % 11 < 4).astype(int)})
    metrics = ["debiased_ece", "by_default = debiased_ece(bins=15, binning='mass')"]
    result = sqlmetrics.evaluate(data, metrics, label="y", score="s").iloc[0, 1:].tolist()
    assert result == pytest.approx([0.26381560642146556, 0.22870337678886574], rel=1e-14)
    data["s"] = (data["s"] * 7).round() / 7
    pooled = data.groupby("s", as_index=False).agg(clicks=("y", "sum"), views=("y", "size"))
    expected = sqlmetrics.debiased_ece(data, label="y", score="s")["debiased_ece"].item()
    result = sqlmetrics.debiased_ece(pooled, positives="clicks", total="views", score="s")["debiased_ece"].item()
    assert result == pytest.approx(expected, rel=1e-14)
    assert expected < sqlmetrics.ece(data, label="y", score="s", norm="l2")["ece"][0]
