"""The worked examples of the documents that this project was founded on, and what they say the answers are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sqlmetrics
from tests import optional


def counts(tp: int, fn: int, fp: int, tn: int) -> dict[str, list[float]]:
    """A confusion matrix as pre-aggregated rows: what was called positive, and what was not."""
    return {"clicks": [tp, fn], "views": [tp + fp, fn + tn], "pctr": [1.0, 0.0]}


def ranked(labels: list[int], scores: list[float]) -> dict[str, list[float]]:
    return {"click": labels, "pctr": scores}


AGGREGATED = {"positives": "clicks", "total": "views", "score": "pctr"}
ROWS = {"label": "click", "score": "pctr"}
LIST = {"click": [1, 0, 0, 1, 1, 1], "pctr": [6, 5, 4, 3, 2, 1], "query": [1] * 6}
#: 10,000 rows with score 0.2 and rate 0.4; 10,000 with score 0.8 and rate 0.6.
HALVES = {"clicks": [4000, 6000], "views": [10000, 10000], "pctr": [0.2, 0.8], "slot": ["low", "high"]}

EXAMPLES: list[tuple[str, dict[str, Any], dict[str, str], float, float]] = [
    ("accuracy", counts(600, 100, 50, 250), AGGREGATED, 0.85, 1e-9),
    ("error_rate", counts(600, 100, 50, 250), AGGREGATED, 0.15, 1e-9),
    ("precision", counts(600, 100, 50, 250), AGGREGATED, 600 / 650, 1e-9),
    ("recall", counts(600, 100, 50, 250), AGGREGATED, 600 / 700, 1e-9),
    ("precision", counts(90, 0, 10, 0), AGGREGATED, 0.9, 1e-9),
    ("recall", counts(90, 0, 10, 0), AGGREGATED, 1.0, 1e-9),
    ("f1", counts(90, 0, 10, 0), AGGREGATED, 0.947, 5e-4),
    ("precision", counts(70, 20, 5, 5), AGGREGATED, 0.933, 5e-4),
    ("recall", counts(70, 20, 5, 5), AGGREGATED, 0.778, 5e-4),
    ("f1", counts(70, 20, 5, 5), AGGREGATED, 0.848, 5e-4),
    ("auc", ranked([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), ROWS, 0.75, 1e-9),
    ("auc", ranked([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8]), ROWS, 0.875, 1e-9),
    ("auc", ranked([0, 1, 1, 0, 0, 1, 1], [0.3, 0.5, 0.5, 0.5, 0.5, 0.7, 0.8]), ROWS, 10 / 12, 1e-9),
    ("average_precision", LIST, ROWS, 0.6917, 5e-5),
    ("map", LIST, {**ROWS, "group": "query"}, 0.6917, 5e-5),
    ("pcoc", HALVES, AGGREGATED, 1.0, 1e-9),
    ("pcoc where slot = 'low'", HALVES, AGGREGATED, 0.5, 1e-9),
    ("pcoc where slot = 'high'", HALVES, AGGREGATED, 1.333, 5e-4),
    ("ece", HALVES, AGGREGATED, 0.2, 1e-9),
    ("cal_n", HALVES, AGGREGATED, 0.745356, 5e-7),
    ("field_rce", HALVES, {**AGGREGATED, "field": "slot"}, 0.416667, 5e-7),
]

#: Two rankings of the same items, by name "abcdefgh" and "bacdhgfe", and what the package rbo (0.1.3) says of them.
TWO_RANKINGS = {"query": ["q"] * 8, "old": [-1, -2, -3, -4, -5, -6, -7, -8], "new": [-2, -1, -3, -4, -8, -7, -6, -5]}
EXAMPLES += [
    (f"rbo({how})", TWO_RANKINGS, {"label": "old", "score": "new", "group": "query"}, expected, 1e-12)
    for how, expected in [
        ("p=0.5", 0.48742559523809526),
        ("p=0.9", 0.8596029857142857),
        ("p=0.9, beyond='cut'", 0.4291357757142857),
        ("p=0.9, beyond='cut', k=4", 0.24389999999999998),
    ]
]


@pytest.mark.parametrize(
    ("asked", "data", "roles", "expected", "tolerance"),
    EXAMPLES,
    ids=[f"{place}-{example[0]}" for place, example in enumerate(EXAMPLES)],
)
def test_example(asked: str, data: dict[str, Any], roles: dict[str, str], expected: float, tolerance: float) -> None:
    metric, _, condition = asked.partition(" where ")
    result = sqlmetrics.evaluate(pd.DataFrame(data), f"result = {metric}", **roles, where=condition or None)
    assert abs(result["result"][0] - expected) <= tolerance


def test_pcoc_by_slice() -> None:
    result = sqlmetrics.evaluate(pd.DataFrame(HALVES), "pcoc", **AGGREGATED, by="slot")
    assert dict(zip(result["slot"], result["pcoc"], strict=True)) == pytest.approx({"low": 0.5, "high": 4 / 3})


#: Two lists, and which items are relevant for each subtopic of theirs; one has a subtopic for which none is.
LISTS = {"q1": "abcdef", "q2": "bdeac"}
RELEVANT = {"q1": {"1": "bd", "2": "bcf", "3": "e", "4": ""}, "q2": {"1": "acd", "2": "de", "3": "b"}}


@pytest.mark.parametrize(
    ("spec", "values"),
    [
        ("err_ia(k=5, normalized_by='ideal')", [0.36106908724155323, 0.5668179525970751]),
        ("err_ia(k=10, normalized_by='ideal')", [0.368732526671289, 0.563118695623001]),
        ("alpha_dcg@5", [0.4640723464875474, 0.6198995438189784]),
        ("alpha_dcg@10", [0.4771648332092473, 0.611624326486367]),
        ("alpha_ndcg@5", [0.6620930216022057, 0.8844120214518094]),
        ("alpha_ndcg@10", [0.6899828807147887, 0.8844120214518095]),
        ("subtopic_recall@5", [1.0, 1.0]),
        ("precision_ia@5", [1 / 3, 0.4]),
        ("nrbp", [0.314453125, 0.55078125]),
        ("map_ia", [0.41851851851851846, 0.7055555555555556]),
    ],
)
def test_subtopics_by_ndeval(spec: str, values: list[float]) -> None:
    """What ndeval says of them (pyndeval 0.0.8), which divides α-DCG by that of items for all three subtopics."""
    rows = pd.DataFrame(
        [
            (query, item, subtopic, int(item in relevant), -place)
            for query, items in LISTS.items()
            for place, item in enumerate(items)
            for subtopic, relevant in RELEVANT[query].items()
        ],
        columns=["query", "doc", "aspect", "relevant", "score"],
    )
    roles = {"label": "relevant", "score": "score", "group": "query", "item": "doc", "subtopic": "aspect"}
    found = sqlmetrics.per_group(rows.sample(frac=1, random_state=1), spec, **roles).sort_values("query").iloc[:, -1]
    best = 1.0
    if spec.startswith("alpha_dcg"):
        best = 3 * sum(0.5 ** (i - 1) / np.log2(i + 1) for i in range(1, 1 + int(spec.partition("@")[2])))
    assert (found / best).tolist() == pytest.approx(values, rel=1e-14)


#: Other lists, with an item that nobody judged and without some that are relevant; of q3 nothing is returned.
RUNS = {"q1": "axbec", "q2": "ba"}
JUDGED = {"q1": {"1": "bd", "2": "bcf", "3": "e", "4": ""}, "q2": {"1": "acd", "2": "de"}, "q3": {"1": "z"}}


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("spec", "values"),
    [
        ("err_ia(k=5, normalized_by='ideal')", [0.2460917801311145, 0.18154311649016644]),
        ("alpha_dcg@5", [0.3565199786216791, 0.20775074077285055]),
        ("alpha_ndcg@5", [0.5086478254819161, 0.23602623352337274]),
        ("alpha_ndcg@10", [0.5086478254819161, 0.2360262335233727]),
        ("subtopic_recall@5", [1.0, 0.5]),
        ("precision_ia@5", [0.26666666666666666, 0.1]),
        ("nrbp", [0.1640625, 0.1875]),
        ("map_ia", [0.22037037037037036, 0.08333333333333333]),
    ],
)
@pytest.mark.parametrize("as_files", [False, True])
def test_judged_subtopics_by_ndeval(spec: str, values: list[float], as_files: bool, tmp_path: Path) -> None:
    """What ndeval says of a run and a qrels file (pyndeval 0.0.8); it leaves out q3, of which nothing was returned."""
    runs = [(query, item, -place) for query, items in RUNS.items() for place, item in enumerate(items)]
    judged = [
        (query, subtopic, item, int(item in relevant))
        for query, subtopics in JUDGED.items()
        for subtopic, relevant in subtopics.items()
        for item in "abcdefz"
    ]
    data: Any = pd.DataFrame(runs, columns=["topic", "docno", "score"])
    judgments: Any = pd.DataFrame(judged, columns=["topic", "iteration", "docno", "relevance"])
    if as_files:
        data, judgments = tmp_path / "run.txt", tmp_path / "qrels.txt"
        data.write_text("".join(f"{query} Q0 {item} {-score} {score} me\n" for query, item, score in runs))
        judgments.write_text("".join(" ".join(map(str, one)) + "\n" for one in judged))
    roles = {"label": "relevance", "score": "score", "group": "topic", "item": "docno", "subtopic": "iteration"}
    each = sqlmetrics.per_group(data, spec, judgments=judgments, **roles).sort_values("topic")
    best = np.ones(2)
    if spec.startswith("alpha_dcg"):
        best = np.array([3, 2]) * sum(0.5 ** (i - 1) / np.log2(i + 1) for i in range(1, 6))
    assert (each.iloc[:2, -1] / best).tolist() == pytest.approx(values, rel=1e-14)
    assert each["topic"].tolist() == ["q1", "q2", "q3"]
    assert each.iloc[2, 1:].tolist() == [0, 0]
    skipping = {"preset": "trec_eval", "diagnostics": True}
    [found] = sqlmetrics.evaluate(data, f"value = {spec}", judgments=judgments, **roles, **skipping).to_dict("records")
    assert found["value"] == pytest.approx((each.iloc[:2, -1]).mean(), rel=1e-14)
    assert (found["n"], found["groups"], found["rows_dropped"]) == (7, 2, 0)


@pytest.mark.parametrize(("name", "value"), [("qini", 0.4), ("uplift_auc", 0.6066326530612246)])
def test_uplift_by_scikit_uplift(name: str, value: float) -> None:
    """What `qini_auc_score` and `uplift_auc_score` of scikit-uplift 0.5.1 say of these rows."""
    assert sqlmetrics.evaluate(TREATED, name, label="y", score="s", treatment="t")[name].item() == pytest.approx(
        value, rel=1e-14
    )


@pytest.mark.parametrize(
    ("strategy", "share", "value"),
    [("overall", 0.4, 2 / 3), ("overall", 0.5, 1 / 6), ("by_group", 0.4, 0.5), ("by_group", 0.6, 0.0)],
)
def test_uplift_at_k_by_scikit_uplift(strategy: str, share: float, value: float) -> None:
    """What `uplift_at_k` of scikit-uplift 0.5.1 says of rows without equal scores, of which the share is whole rows."""
    rows = pd.DataFrame({
        "y": [1, 0, 1, 0, 1, 1, 0, 1, 0, 0],
        "s": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0],
        "t": [1, 0, 1, 1, 0, 0, 1, 0, 1, 0],
    })  # fmt: skip
    found = sqlmetrics.uplift_at_k(rows, label="y", score="s", treatment="t", share=share, strategy=strategy)
    assert found["uplift_at_k"].item() == pytest.approx(value, abs=1e-14)


@pytest.mark.parametrize(
    ("name", "gains"),
    [
        ("qini_curve", [0, 1, 2, 1, 4 / 3, 5 / 3, 4 / 3]),
        ("uplift_curve", [0, 1, 3, 2, 10 / 3, 35 / 12, 32 / 15]),
    ],
)
def test_curves_of_uplift_by_scikit_uplift(name: str, gains: list[float]) -> None:
    """The points that its functions of these names give."""
    found = getattr(sqlmetrics, name)(TREATED, label="y", score="s", treatment="t")
    assert found["targeted"].tolist() == pytest.approx([0, 1, 3, 4, 5, 7, 8], rel=1e-14)
    assert found["incremental_gain"].tolist() == pytest.approx(gains, rel=1e-14)
    # A straight line from nobody to all.
    assert found["random_gain"].tolist() == pytest.approx(
        [gains[-1] * rows / 8 for rows in found["targeted"]], rel=1e-14
    )


@pytest.mark.parametrize("name", ["qini_curve", "uplift_curve"])
def test_whole_rows_are_targeted(name: str) -> None:
    """Rows are counted, not made again from their share of all: seven of 49 are 7, and not more by the last bits."""
    rows = 49
    data = pd.DataFrame({"y": np.arange(rows) % 3 % 2, "s": np.arange(rows) / rows, "t": np.arange(rows) % 2})
    found = getattr(sqlmetrics, name)(data, label="y", score="s", treatment="t")
    assert found["targeted"].tolist() == list(range(rows + 1))


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_the_ratings_of_krippendorff(level: str, alpha: float) -> None:
    """Four observers of twelve units, not all of whom saw all: part C of his computing sheet of 2011."""
    observers = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    rows = pd.DataFrame(
        [(unit, int(rating)) for seen in observers for unit, rating in enumerate(seen) if rating != "."],
        columns=["unit", "rating"],
    )
    found = sqlmetrics.krippendorff_alpha(rows, label="rating", group="unit", level=level)["krippendorff_alpha"].item()
    assert found == pytest.approx(alpha, abs=5e-4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_ratings_by_statsmodels(seed: int) -> None:
    inter_rater = optional.package("statsmodels.stats.inter_rater")
    rng = np.random.default_rng(seed)
    items, raters = rng.integers(2, 30), rng.integers(2, 6)
    rows = pd.DataFrame({"item": np.repeat(np.arange(items), raters), "kind": rng.integers(0, 3, items * raters)})
    rows["kind"] = rows["kind"].where(rng.random(len(rows)) < 0.5, rows["item"] % 3)
    counts = pd.crosstab(rows["item"], rows["kind"]).to_numpy()
    found = sqlmetrics.fleiss_kappa(rows, label="kind", group="item")["fleiss_kappa"].item()
    assert found == pytest.approx(inter_rater.fleiss_kappa(counts), abs=1e-12)


def test_the_diagnoses_of_fleiss() -> None:
    """Fourteen raters of ten subjects in five categories, as in the example that statsmodels and others go by."""
    counts = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    rows = pd.DataFrame(
        [(subject, "abcde"[kind]) for subject, of_subject in enumerate(counts) for kind, count in enumerate(of_subject)
         for _ in range(count)],
        columns=["subject", "diagnosis"],
    )  # fmt: skip
    found = sqlmetrics.fleiss_kappa(rows, label="diagnosis", group="subject")["fleiss_kappa"].item()
    assert found == pytest.approx(0.20993, abs=5e-6)


def test_concordance_by_scikit_survival() -> None:
    """27 of 33 pairs in order and two of one score: `concordance_index_censored` of scikit-survival 0.28.0."""
    rows = pd.DataFrame({
        "died": [1, 0, 1, 1, 0, 1, 1, 0, 1, 1],
        "days": [2, 3, 4, 6, 6, 6, 1, 9, 4, 12],
        "risk": [0.9, 0.4, 0.4, 0.6, 0.6, 0.2, 0.9, 0.1, 0.7, 0.3],
    })  # fmt: skip
    found = sqlmetrics.concordance_index(rows, label="died", score="risk", duration="days")["concordance_index"].item()
    assert found == pytest.approx(0.8484848484848485, rel=1e-14)


def test_intervals_and_quantiles_by_scoringrules() -> None:
    """What `interval_score` and `crps_quantile` of scoringrules 0.11.0 say of these rows."""
    rows = pd.DataFrame({
        "y": [3.0, -0.5, 2.0, 7.0, 4.5],
        "low": [2.5, 0.0, 2.0, 6.0, 5.0],
        "middle": [3.5, 0.5, 2.0, 6.5, 5.25],
        "high": [4.0, 1.0, 2.0, 8.0, 5.5],
    })  # fmt: skip
    crps = "crps(quantiles={0.1: 'low', 0.5: 'middle', 0.9: 'high'})"
    asked = ["interval_score(alpha=0.2)", crps, "interval_coverage"]
    found = sqlmetrics.evaluate(rows, asked, label="y", lower_bound="low", upper_bound="high")
    assert found.iloc[0, 1:].tolist() == pytest.approx([3.0, 0.3833333333333333, 0.6], rel=1e-14)


TREATED = pd.DataFrame({
    "y": [1, 0, 1, 1, 0, 0, 1, 0],
    "s": [0.9, 0.8, 0.8, 0.6, 0.5, 0.4, 0.4, 0.1],
    "t": [1, 0, 1, 0, 0, 1, 1, 1],
})  # fmt: skip


def test_predictions_that_are_right_have_no_error() -> None:
    """Of zeros, too, where shares of the truth would be 0 / 0."""
    rows = pd.DataFrame({"y": [0.0, 2.0, 0.0], "s": [0.0, 2.0, 0.0]})
    names = ["mae", "mse", "rmse", "medae", "max_error", "mean_error", "rmsle", "smape", "wmape", "pinball"]
    assert sqlmetrics.evaluate(rows, names, label="y", score="s")[names].iloc[0].tolist() == [0.0] * len(names)


def test_debiased_calibration_error_by_uncertainty_calibration() -> None:
    """What `unbiased_l2_ce` in ten equal bins and `get_calibration_error` of its version 0.1.4 say of 60 rows, and what
    the rows say that stand for several."""
    rows = pd.DataFrame({"s": np.arange(1, 61) / 61, "y": (np.arange(60) * 7 % 11 < 4).astype(int)})
    asked = ["debiased_ece", "by_default = debiased_ece(bins=15, binning='mass')"]
    found = sqlmetrics.evaluate(rows, asked, label="y", score="s").iloc[0, 1:].tolist()
    assert found == pytest.approx([0.26381560642146556, 0.22870337678886574], rel=1e-14)
    counted = rows.assign(s=(rows["s"] * 7).round() / 7)
    pooled = counted.groupby("s", as_index=False).agg(clicks=("y", "sum"), views=("y", "size"))
    whole = sqlmetrics.debiased_ece(counted, label="y", score="s")["debiased_ece"].tolist()
    assert sqlmetrics.debiased_ece(pooled, positives="clicks", total="views", score="s")["debiased_ece"].tolist() == (
        pytest.approx(whole, rel=1e-14)
    )
    assert whole[0] < sqlmetrics.ece(counted, label="y", score="s", norm="l2")["ece"][0]


def test_a_debiased_calibration_error_takes_no_weight() -> None:
    """Not where another metric of the call does, either: its rows would be counted by their weights."""
    rows = pd.DataFrame({"s": [0.25, 0.75], "y": [0, 1], "w": [2, 3]})
    for metrics in ("debiased_ece", ["ece", "debiased_ece"]):
        with pytest.raises(sqlmetrics.BadParameter, match="debiased_ece takes no weight: the variance of the rate of"):
            sqlmetrics.evaluate(rows, metrics, label="y", score="s", weight="w")
        with pytest.raises(sqlmetrics.BadParameter, match="debiased_ece takes no weight: the variance of the rate of"):
            sqlmetrics.report(rows, metrics, label="y", score="s", weight="w")
    state = sqlmetrics.state(rows, label="y", score="s", weight="w", bins=10)
    with pytest.raises(sqlmetrics.BadParameter, match="not 'debiased_ece'"):
        sqlmetrics.evaluate_states(state, "debiased_ece")
    exact = sqlmetrics.state(rows.assign(w=rows["w"] / 7), label="y", score="s", weight="w")
    totals = {"positives": "positives", "total": "= positives + negatives", "score": "score_key"}
    with pytest.raises(sqlmetrics.BadData, match=r"is no whole number \(debiased_ece counts rows\)"):
        sqlmetrics.evaluate(exact, "debiased_ece", **totals)


def test_a_debiased_calibration_error_has_no_interval() -> None:
    """Nearly calibrated it is 0, whichever rows are left out, which would say that it is so for sure."""
    rows = pd.DataFrame({"s": np.tile([0.25, 0.75], 40), "y": np.tile([0, 1, 0, 1, 1, 1, 0, 0], 10)})
    for given in ({"confidence": 0.95}, {"confidence": 0.95, "method": "bootstrap"}):
        with pytest.raises(sqlmetrics.BadParameter, match="debiased_ece has no interval: of a model that is nearly"):
            sqlmetrics.evaluate(rows, "debiased_ece", label="y", score="s", **given)


def test_a_table_of_classes_has_its_order() -> None:
    rows = pd.DataFrame({"y": ["b", "a", "b", "a", "b"], "said": ["b", "c", "a", "a", "a"]})
    found = sqlmetrics.class_confusion(rows, label="y", prediction="said")
    assert found.to_numpy().tolist() == [["a", "a", 1], ["a", "c", 1], ["b", "a", 2], ["b", "b", 1]]


def test_an_item_without_a_subtopic_keeps_its_place() -> None:
    """α-DCG of a first item for no subtopic and a second one for x: 1 / log2(3) (Clarke and others, 2008)."""
    data = pd.DataFrame({
        "query": [1, 1], "doc": ["a", "b"], "score": [2.0, 1.0], "aspect": [None, "x"], "label": [0, 1],
    })  # fmt: skip
    roles = {"label": "label", "score": "score", "group": "query", "item": "doc", "subtopic": "aspect"}
    metrics = ["alpha_dcg", "err_ia", "nrbp", "map_ia", "precision_ia@1", "subtopic_recall@1"]
    found = sqlmetrics.evaluate(data, metrics, **roles).iloc[0]
    assert found.tolist() == pytest.approx([2, 0.6309297535714575, 0.25, 0.375, 0.5, 0, 0], rel=1e-12)
    named = sqlmetrics.evaluate(data.assign(aspect=["y", "x"]), metrics, **roles).iloc[0]
    assert found.tolist() == pytest.approx(named.tolist(), rel=1e-12)
