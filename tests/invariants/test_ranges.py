"""Values and interval bounds are within the range of the metric, and intervals contain their value."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sqlmetrics
from tests.data import JUDGED, SUBTOPICS, arrow, relations_of, sample
from tests.variants import Call, MetricCall, by_frame, calls, data_types_of

#: Metrics per statement: with the intervals of hundreds of metrics, planning would take longer than running.
_TOGETHER = 16
_TRIALS = 20


def ends_of(requested: MetricCall) -> tuple[float, float]:
    """The lowest and the highest value of a metric with these parameters, according to its file."""
    metric = requested.metric
    for name, value in metric.unbounded.items():
        assert value in metric.parameters[name].choices, metric.name
        if requested.parameters[name] == value:
            return -math.inf, math.inf
    return -math.inf if metric.lower is None else metric.lower, math.inf if metric.upper is None else metric.upper


@functools.cache
def extreme_rows(data_type: str) -> pd.DataFrame:
    """Small logs, one per trial: few rows reach the ends of most ranges, perfect and constant scores the others."""
    parts = []
    for trial in range(_TRIALS):
        rows = sample(data_type, rows=(5, 9, 16, 40)[trial % 4], seed=trial)
        if "pctr" in rows and data_type not in SUBTOPICS and data_type != "lists":
            order = np.argsort(np.argsort(rows["clicked"])) if "clicked" in rows else np.arange(len(rows))
            scores = np.sort(rows["pctr"])
            if trial % 5 == 1:
                rows["pctr"] = scores[order]
            elif trial % 5 == 2:
                rows["pctr"] = scores[::-1][order]
            elif trial % 5 == 3:
                rows["pctr"] = scores[0]
        if "clicked" in rows and trial % 7 == 3:
            rows["clicked"] = rows["clicked"].iloc[0]
        parts.append(rows.assign(trial=trial))
    return pd.concat(parts, ignore_index=True)


def _in_parts(call: Call) -> list[Call]:
    parts = [call.metrics[start : start + _TOGETHER] for start in range(0, len(call.metrics), _TOGETHER)]
    return [replace(call.of(part), name=f"{call.name} {number}") for number, part in enumerate(parts)]


def _of(call: Call, wanted: Callable[[MetricCall], Any]) -> list[Call]:
    """The call with the selected metrics, or an empty list; tables have no single value."""
    metrics = [requested for requested in call.metrics if wanted(requested) and not call.table]
    return [call.of(metrics)] if metrics else []


SURE = {"confidence": 0.9}
DRAWN = {**SURE, "method": "bootstrap", "replicates": 20}
VARIANTS = calls(every_variant=True)
#: Pre-aggregated rows and ranks have the values of other types of data.
CALLS = [call for call in calls() if call.data_type != "pre-aggregated" and "rank" not in call.roles]
#: Judgments support no resamples.
SAMPLED = by_frame([call for call in CALLS if not call.table and call.certain and call.data_type not in JUDGED])
CASES = [
    *((f"{part.name}-interval", part, SURE) for call in CALLS for part in _in_parts(call)),
    *((f"{part.name}-variants", part, {})
      for call in VARIANTS
      for part in _of(call, lambda each, own=call.data_type: data_types_of(each.metric)[0] == own)),
    *((f"{part.name}-ranges", part, SURE)
      for call in VARIANTS for part in _of(call, lambda each: each.metric.unbounded)),
    *((f"{call.name}-samples", call, DRAWN) for call in SAMPLED),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("call", "options"), [pytest.param(*case, id=name) for name, *case in CASES])
def test_values_stay_in_their_ranges_and_intervals(call: Call, options: dict[str, Any]) -> None:
    """For each value, its interval and both bounds."""
    data = extreme_rows(call.data_type)
    banded = not call.table or call.metrics[0].metric.bands
    if not (call.certain and banded):
        options = {}
    elif options:
        options = {**options, "cluster": call.roles.get("group", "user_id")}
    result = call.evaluate(arrow(data), by=["trial"], relations=relations_of(data, call.data_type), **options)
    for requested in [] if call.table else call.metrics:
        low, high = ends_of(requested)
        for end in ("", "_low", "_high"):
            column = result.get(f"{requested.name}{end}", pd.Series(dtype=float)).dropna()
            assert column.between(low - 1e-9, high + 1e-9).all(), (requested, end, column.min(), column.max())
    for name in [column for column in result if f"{column}_low" in result]:
        value, low, high = (result[f"{name}{end}"] for end in ("", "_low", "_high"))
        beside = result[(low > value + 1e-9) | (value > high + 1e-9)]
        assert beside.empty, (name, beside[["trial", name, f"{name}_low", f"{name}_high"]])


@pytest.mark.parametrize(("metric", "rows", "value"), [
    ("qini", {"y": [1] * 60 + [0] * 20, "t": [0] * 60 + [1] * 20, "s": range(80, 0, -1)}, 3.0),
    ("uplift_auc", {"y": [1, 1, 0, 1, 0, 0], "t": [0, 0, 0, 0, 1, 1], "s": [1, 3, 4, 0, 5, 2]}, 2.944444444444445),
])  # fmt: skip
def test_uplift_beyond_1(metric: str, rows: dict[str, list[int]], value: float) -> None:
    """The values of `qini_auc_score` and `uplift_auc_score` of scikit-uplift 0.5.1."""
    data = pd.DataFrame(rows)
    result = sqlmetrics.evaluate(data, metric, label="y", score="s", treatment="t", confidence=0.95).iloc[0]
    assert result[metric] == pytest.approx(value, rel=1e-12)
    assert not result[f"{metric}_low"] > value
    assert not result[f"{metric}_high"] < value
