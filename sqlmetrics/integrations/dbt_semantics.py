"""The semantic layer of dbt over a metric_state: measures that it adds up, and metrics made of them.

The formulas are those by which `metrics_of_state` reads the state. What that refuses, a layer that adds up by itself
cannot: there a value is NULL over parts that were made with different settings, that are there twice, or of which one
does not have the metric.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import yaml

from ..catalogue.registry import catalogue
from ..errors import BadParameter
from ..planning.metric_spec import MetricSpec, metric_specs
from ..rendering.macros import call_macro

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")


def semantics(
    metrics: Sequence[MetricSpec],
    model: str,
    time: str,
    grain: str,
    slices: Sequence[str],
    preset: str | None = None,
    dialect: str = "duckdb",
) -> str:
    """What stands in a property file.

    Raises:
        BadParameter: A metric that a metric_state does not keep; a name that the layer does not take.
    """
    for word, name in [("model", model), ("time", time), *(("by", one) for one in slices)]:
        if not _NAME.match(name):
            raise BadParameter(f"--{word}: the semantic layer takes names of small letters, digits and _, not {name!r}")
    prefix = f"{model}_"
    known = catalogue()
    found = call_macro(known, dialect, "metrics_over_sums", "dbt-semantics", metric_specs(metrics), preset, prefix)
    settings, parts, keys = f"{prefix}settings", f"{prefix}parts", f"{prefix}keys"
    measures: dict[str, dict[str, Any]] = {
        settings: {"name": settings, "agg": "count_distinct", "expr": "made_with"},
        parts: {"name": parts, "agg": "count", "expr": "state_key"},
        keys: {"name": keys, "agg": "count_distinct", "expr": "state_key"},
        f"{prefix}rows": {"name": f"{prefix}rows", "agg": "sum", "expr": "row_count"},
    }
    values: list[dict[str, Any]] = []
    for one in found:
        names = [prefix + column["name"] for column in one["sums"]]
        for column, name in zip(one["sums"], names, strict=True):
            measures[name] = {"name": name, "agg": column["aggregate"], "expr": column["name"]}
        having = prefix + one["has"]["name"]
        measures[having] = {"name": having, "agg": "sum", "expr": one["has"]["value"]}
        conditions = f"{settings} = 1 and {keys} = {parts} and {having} = {parts}"
        formula = f"case when {conditions} then {one['value']} end"
        values.append(
            {
                "name": one["name"],
                "label": one["name"],
                "description": f"{known[one['metric']].title}: {one['formula']}",
                "type": "derived",
                "type_params": {
                    "expr": formula,
                    "metrics": [{"name": name} for name in [settings, parts, keys, having, *names]],
                },
            }
        )
    # `day` is a word of the layer's own.
    times = {"name": prefix + time, "expr": time, "type": "time", "type_params": {"time_granularity": grain}}
    layer = {
        "semantic_models": [
            {
                "name": model,
                "model": f"ref('{model}')",
                "defaults": {"agg_time_dimension": prefix + time},
                "entities": [{"name": f"{prefix}part", "type": "primary", "expr": "state_key"}],
                "dimensions": [times, *({"name": name, "type": "categorical"} for name in slices)],
                "measures": list(measures.values()),
            }
        ],
        "metrics": [
            *({"name": name, "label": name, "type": "simple", "type_params": {"measure": name}} for name in measures),
            *values,
        ],
    }
    return str(yaml.safe_dump(layer, sort_keys=False, allow_unicode=True, width=120))
