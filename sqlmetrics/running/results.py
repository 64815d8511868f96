"""Give results of an engine the requested names and the types that pandas users expect."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from itertools import compress
from typing import Any

from ..catalogue.registry import catalogue
from ..catalogue.traits import traits_of
from ..catalogue.vocabulary import DIAGNOSTICS, MEASURED_DIAGNOSTICS
from ..errors import BadMetricFile, BadParameter, shown
from ..inputs.source import Executor, Source
from ..planning.plan import Plan
from ..tables import Result, Table, is_printable, typed_result, values_of
from .execute import lower_if_upper

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
    names = [*plan.slices, plan.group_name]
    for metric in plan.metrics:
        names += metric["interval"].values()
        names += [column["as"] for column in metric["columns"]]
        names += [column["shown"] for column in metric["group_columns"]]
    return names


def requested_name(plan: Plan) -> Callable[[str], str]:
    """Return a function that restores requested names from capitals or names truncated after 63 bytes."""
    requested = _names_of_the_result(plan)
    by_folded = {name.encode(errors="surrogatepass")[:63].decode(errors="ignore").lower(): name for name in requested}

    def requested_name(name: str) -> str:
        return name if name in requested else by_folded.get(name.lower(), lower_if_upper(name))

    return requested_name


def result_reader(execute: Executor, numbers: Collection[str], as_table: bool) -> Executor:
    """Execute a statement and return its rows for the shell, or as a DataFrame.

    Values of DuckDB that a table would write in another way than a DataFrame are read as a DataFrame by both.
    """

    def read(source: Source, sql: str) -> Any:
        if as_table and source.connection is not None:
            table: Table = execute(source, sql)
            if is_printable(table, numbers):
                return table
        return execute(source.framed, sql)

    return read


def shape_result(plan: Plan, result: Result, ids: Collection[str], min_rows: int | None) -> Any:
    """Convert counts to integers and undefined values to NaN, and drop slices with few rows; `ids` stay exact."""
    counts, numbers = numeric_columns(plan)
    try:
        typed: Result = typed_result(result, ids, counts - {*plan.slices}, numbers)
    except (TypeError, ValueError):
        for name, metric in numbers.items():
            _check_numbers(metric, values_of(result, name) if name in result.columns else [])
        raise
    if min_rows is None or "n" not in typed.columns:
        return typed
    retained = [n >= min_rows for n in values_of(typed, "n")]
    if isinstance(typed, Table):
        typed = replace(typed, rows=[*compress(typed.rows, retained)])
    else:
        typed = typed.loc[retained].reset_index(drop=True)
    return with_attrs(typed, {"slices_left_out": retained.count(False)})


def numeric_columns(plan: Plan) -> tuple[set[str], dict[str, str]]:
    """Return the columns of counts, and those of doubles with their metric."""
    # Tables and groups of per_group have other columns, so some of these may be missing.
    has_gaps = plan.comparison is not None and plan.comparison["gaps"]
    counts = {
        "n",
        *(("clusters",) if plan.comparison else ()),
        *(("shared_clusters",) if plan.against else ()),
        *(("slices", "shared_clusters") if has_gaps else ()),
        *(set(DIAGNOSTICS) - set(MEASURED_DIAGNOSTICS) if plan.diagnostics else ()),
    }
    numbers = dict.fromkeys(_NUMBERS_OF_GAPS if has_gaps else (), "")
    for metric in plan.metrics:
        interval = dict(metric["interval"])
        if "clusters" in interval:
            counts.add(interval.pop("clusters"))
        if not plan.is_table:
            names = [*(column["as"] for column in metric["columns"]), *interval.values()]
            numbers |= dict.fromkeys(names, metric["name"])
    return counts, numbers


def _check_numbers(metric: str, values: list[Any]) -> None:
    for value in values:
        try:
            float(value if value is not None else 0)
        except (TypeError, ValueError) as error:
            path = catalogue()[metric].path
            raise BadMetricFile(f"{path}: the value must be a number, not {shown(value)}") from error


def with_attrs(result: Result, attrs: Mapping[str, Any]) -> Any:
    """Return a result with more attributes."""
    if isinstance(result, Table):
        return replace(result, attrs={**result.attrs, **attrs})
    result.attrs.update(attrs)
    return result
