"""Compute the tests of `compare` with SciPy, from differences of clusters that the engine computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..engines.base import client_module
from ..planning.plan import Plan
from ..tables import as_pandas


def apply_paired_test(plan: Plan, rows: Any, differences: Any) -> pd.DataFrame:
    """Replace the p-values and verdicts of Student's test by those of the plan's test.

    `differences` has a row per cluster. If Student's test has no p-value, the other tests have none.
    """
    result, differences = as_pandas(rows, plan.slices), as_pandas(differences)
    comparison, intervals = plan.comparison, plan.interval_options
    assert comparison is not None
    assert intervals is not None
    tests = {
        key: paired_test(comparison["test"], group.to_numpy(dtype="float64"), intervals["sign_flips"])
        for key, group in differences.groupby(["slice_id", "metric_id"])["difference"]
    }
    keys = zip(result.pop("sqlmetrics_slice_id"), result.pop("sqlmetrics_metric_id"), strict=True)
    outcomes = pd.DataFrame([tests.get(key, (np.nan, 0)) for key in keys], result.index, ["p_value", "direction"])
    result["p_value"] = outcomes["p_value"].where(result["p_value"].notna())
    result["p_adjusted"] = adjusted_p_values(result["p_value"], comparison["adjust"])
    sign_of = {"higher": 1, "lower": -1}
    signs = {metric["as"]: sign_of.get(metric["direction"], 0) for metric in plan.metrics}
    change = (result["value"] - result["baseline_value"]).map(np.sign)
    gain = (change * result["metric"].map(signs)).where(outcomes["direction"] * change >= 0, 0)
    verdicts = pd.Series(np.select([gain > 0, gain < 0], ["better", "worse"], "different"), result.index)
    verdicts[result["p_adjusted"] >= 2 * intervals["tail"]] = "no difference seen"
    verdicts[result["p_adjusted"].isna()] = None
    result["verdict"] = verdicts.astype(result["verdict"].dtype)
    return result


def paired_test(test: str, differences: np.ndarray[Any, Any], sign_flips: dict[str, int]) -> tuple[float, float]:
    """Compute the p-value and the sign of most of the differences.

    Differences that agree to twelve digits of the largest one count as equal, because engines add in different orders.
    """
    largest = np.abs(differences).max()
    rounded = np.sort(np.round(differences / (largest or 1), 12))
    unequal = rounded[rounded != 0]
    if len(unequal) < 2:  # both signs of one difference are equally likely
        return 1.0, np.sign(unequal.sum())
    stats = client_module("scipy.stats", "scipy")
    if test == "wilcoxon":
        ranks = np.sign(unequal) * stats.rankdata(np.abs(unequal))
        # With ties, the normal approximation can give p-values below the smallest exact one.
        return max(stats.wilcoxon(unequal).pvalue, 2.0 ** (1 - len(unequal))), np.sign(ranks.sum())
    outcome = stats.permutation_test(
        (unequal,),
        lambda values, axis: np.abs(values.sum(axis=axis)),
        permutation_type="samples",
        alternative="greater",
        vectorized=True,
        n_resamples=sign_flips["replicates"],
        batch=max(1, 10_000_000 // len(unequal)),
        random_state=np.random.default_rng(sign_flips["seed"]),
    )
    return outcome.pvalue, np.sign(unequal.sum())


def adjusted_p_values(p_values: pd.Series[Any], adjust: str | None) -> pd.Series[Any]:
    """Holm (1979) multiplies the k-th p-value of m by m - k + 1, Benjamini and Hochberg (1995) by m / k."""
    if adjust is None:
        return p_values
    ordered = p_values.dropna().sort_values()
    rank = np.arange(1, len(ordered) + 1)
    if adjust == "holm":
        adjusted = (ordered * (len(ordered) + 1 - rank)).cummax()
    else:
        adjusted = (ordered * len(ordered) / rank)[::-1].cummin()
    return adjusted.clip(upper=1).reindex(p_values.index)
