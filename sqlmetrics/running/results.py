"""Give results of an engine the requested names and the types that pandas users expect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from ..catalogue.registry import catalogue
from ..catalogue.vocabulary import DIAGNOSTICS, MEASURED_DIAGNOSTICS
from ..engines.traits import traits_of
from ..errors import BadMetricFile, BadParameter, shown
from ..planning.plan import Plan


def _tells_gaps(plan: Plan) -> bool:
    return bool(plan.template["comparison"] and plan.template["comparison"]["gaps"])


#: Columns of `gaps` that hold numbers, even if an engine types a column of NULLs differently.
_NUMBERS_OF_GAPS = ("highest", "lowest", "difference", "ratio", "difference_low", "difference_high", "standard_error",
                    "p_value")  # fmt: skip


def check_name_lengths(plan: Plan, dialect: str) -> None:
    """Reject names that the engine would truncate to the same name."""
    longest = traits_of(dialect).cuts_names_after
    by_bytes: dict[bytes, str] = {}
    for name in _names_of_the_result(plan) if longest is not None else ():
        other = by_bytes.setdefault(name.encode(errors="surrogatepass")[:longest].lower(), name)
        if other != name:
            raise BadParameter(
                f"{other!r} and {name!r} are one name to {dialect}, which cuts names after {longest} bytes"
            )


def _names_of_the_result(plan: Plan) -> list[str]:
    names = [*plan.slices, plan.template["group_name"]]
    for metric in plan.template["metrics"]:
        names += [*metric["interval"].values()]
        names += [column["as"] for column in metric["columns"]] + [
            column["shown"] for column in metric["group_columns"]
        ]
    return names


def lower_if_upper(name: str) -> str:
    """Lower a name that the engine returns in capitals."""
    return name.lower() if name.isupper() else name


def requested_name(plan: Plan) -> Callable[[str], str]:
    """Return a function that restores requested names from capitals or names truncated after 63 bytes."""
    requested = _names_of_the_result(plan)
    by_folded = {name.encode(errors="surrogatepass")[:63].decode(errors="ignore").lower(): name for name in requested}

    def requested_name(name: str) -> str:
        return name if name in requested else by_folded.get(name.lower(), lower_if_upper(name))

    return requested_name


def _numbers(metric: str, values: pd.Series[Any]) -> pd.Series[Any]:
    """Convert the values of a metric to numbers; a user's metric file may return others."""
    try:
        return values.astype("float64")
    except (TypeError, ValueError) as error:
        example = next((value for value in values.tolist() if value is not None), None)
        path = catalogue()[metric].path
        raise BadMetricFile(f"{path}: the value must be a number, not {shown(example)}") from error


def shape_result(plan: Plan, result: pd.DataFrame, min_rows: int | None) -> pd.DataFrame:
    """Convert counts to integers and undefined values to NaN, and drop slices with few rows."""
    # Tables and groups of per_group have other columns, so some of these may be missing.
    counts = (
        "n",
        *(("clusters",) if plan.template["comparison"] else ()),
        *(("shared_clusters",) if plan.template["against"] else ()),
        *(("slices", "shared_clusters") if _tells_gaps(plan) else ()),
        *(set(DIAGNOSTICS) - set(MEASURED_DIAGNOSTICS) if plan.template["diagnostics"] else ()),
    )
    for name in counts:
        if name in result.columns and name not in plan.slices and result[name].dtype != "int64":
            result[name] = result[name].fillna(0).astype("int64")
    for name in _NUMBERS_OF_GAPS if _tells_gaps(plan) else ():
        if name in result.columns and result[name].dtype != "float64":
            result[name] = result[name].astype("float64")
    for metric in plan.template["metrics"]:
        interval = dict(metric["interval"])
        clusters = interval.pop("clusters", None)
        if clusters is not None:
            result[clusters] = result[clusters].astype("int64")
        for name in [*(column["as"] for column in metric["columns"]), *interval.values()]:
            if name in result.columns and not plan.template["table"] and result[name].dtype != "float64":
                result[name] = _numbers(metric["name"], result[name])
    if min_rows is not None and "n" in result.columns:
        retained = result["n"] >= min_rows
        result = result[retained].reset_index(drop=True)
        result.attrs["slices_left_out"] = int((~retained).sum())
    return result
