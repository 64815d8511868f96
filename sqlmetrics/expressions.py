"""Types of arguments: columns, SQL expressions, presets and shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Column:
    """A column by its exact name, even if the name looks like an expression: `sqlmetrics.column('a = b')`."""

    name: str


@dataclass(frozen=True)
class Sql:
    """An SQL expression: `sqlmetrics.sql("rating >= 4")`, the same as the string `'= rating >= 4'`."""

    text: str


Expression = str | Column | Sql


def column(name: str) -> Column:
    """A column by its exact name, for names that would read as an expression.

    >>> column("a = b")
    Column(name='a = b')
    """
    return Column(name)


def sql(text: str) -> Sql:
    """An SQL expression over the columns of the data, for any role or slice.

    >>> sql("rating >= 4")
    Sql(text='rating >= 4')
    """
    return Sql(text)


Preset = Literal["sklearn", "trec_eval", "lightgbm", "spark"]
Shape = Literal["rows", "distinct", "two_level"]
Scores = Expression | Sequence[Expression]
By = Expression | Sequence[Expression] | Sequence[Sequence[Expression]]
