"""Differences between engines in the values and names that the runner reads; templates have their own table."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Traits:
    """The traits of an engine, by its dialect."""

    #: Whether a step of a statement can be stored, so that all its readers see the same rows.
    stores_steps: bool = True
    #: The number of bytes after which the engine truncates names of a result.
    cuts_names_after: int | None = None
    #: Whether it evaluates conditions on the statistics of files, which may ignore NaN.
    reads_statistics: bool = False
    #: Whether its error for text that is no number names the column.
    reports_texts: bool = False
    #: A cast that is NULL where the value does not fit.
    has_try_cast: bool = False
    #: Whether -0.0 is a group of its own, and pairs of items are matched by their bits.
    compares_bits: bool = False
    #: The name of its 64-bit integer, if no other engine uses that name.
    integer_name: str | None = None
    #: Types of numbers that may be NaN although they are exact.
    exact_or_nan: re.Pattern[str] | None = None
    #: Types of whole numbers and decimals that its client rounds to doubles.
    rounded: re.Pattern[str] | None = None
    #: Types whose values it cannot compare.
    incomparable: tuple[str, ...] = ()
    #: Whether expressions find a column in any case of its name.
    ignores_case: bool = True
    #: Whether a step of a statement hides a table of the same name, except inside that step.
    steps_hide_tables: bool = False
    #: SQL that converts a number to text.
    number_as_text: str = "cast({} as {})"


_TRAITS = {
    "duckdb": Traits(reads_statistics=True, reports_texts=True, has_try_cast=True),
    "postgres": Traits(
        cuts_names_after=63,
        ignores_case=False,
        integer_name="int8",
        exact_or_nan=re.compile(r"(numeric|decimal)\b(?!.*\[\])", re.IGNORECASE),
        incomparable=("json", "xml", "point", "line", "lseg", "box", "path", "polygon", "circle"),
    ),
    "redshift": Traits(cuts_names_after=127, integer_name="int8"),
    "spark": Traits(stores_steps=False),
    "databricks": Traits(stores_steps=False),
    "clickhouse": Traits(
        stores_steps=False,
        compares_bits=True,
        ignores_case=False,
        steps_hide_tables=True,
        rounded=re.compile(r"(?:Nullable\(|LowCardinality\()*(?:U?Int(?:128|256)|Decimal\((?:1[6-9]|[2-7]\d),)"),
        number_as_text="toString({})",  # a cast to a text takes no NULL there
    ),
}


def traits_of(dialect: str) -> Traits:
    """The traits of the engines that speak a dialect."""
    return _TRAITS.get(dialect, Traits())
