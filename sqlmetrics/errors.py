"""All errors, under one base class: catch `SqlMetricsError` to catch any of them."""

from __future__ import annotations

import difflib
import functools
import os
import re
import reprlib
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class SqlMetricsError(Exception):
    """Base class of all errors that sqlmetrics raises. The message is always one line.

    A traceback ends at the line that called the package. With SQLMETRICS_TRACEBACK=1 in the environment it also shows
    the frames of the package and the engine's error.
    """

    def __init__(self, message: str) -> None:
        #: The message with each argument marked, as in "give ⟨confidence⟩=0.95". Each host then writes its own syntax:
        #: Python `confidence=0.95`, the shell `--confidence 0.95`, a dbt test `confidence: 0.95`. The first word of a
        #: message needs no mark.
        self.marked = printable(message)
        super().__init__(re.sub(r"⟨(\w+)⟩", r"\1", self.marked))


class UnknownMetric(SqlMetricsError):
    """A metric name that is neither built in nor registered."""


class BadParameter(SqlMetricsError):
    """A missing, unknown or invalid argument, role or parameter of a metric."""


class BadMetricFile(SqlMetricsError):
    """A metric file that is invalid; `sqlmetrics new` writes a valid one."""


#: Text that looks like an expression, not a column name: a call, a comparison, a cast, an operator between blanks.
_EXPRESSION = re.compile(r"\w\s*\(.*\)|[<>=*]|::|\|\||\s([-+/%]|and|or|is|in|like|between)\s", re.IGNORECASE)
#: The most columns of the data that an error lists.
_SHOWN_NAMES = 50


class MissingColumn(SqlMetricsError):
    """A column that the data does not have; the message lists the columns of the data."""

    def __init__(self, column: str, role: str, available: Iterable[str]) -> None:
        self.column = column
        self.available = list(available)
        hint = did_you_mean(column, self.available)
        if _EXPRESSION.search(column):
            name = "x " if role in ("by", "columns", "categories") else ""
            hint = f' (an expression is written ⟨{role}⟩="{name}= {column}")'
        names = self.available[:_SHOWN_NAMES]
        more = f" and {len(self.available) - len(names):,} more" if len(self.available) > len(names) else ""
        super().__init__(f"{role}: there is no column {column!r}{hint}; the data has {', '.join(names)}{more}")


class BadData(SqlMetricsError):
    """Input that cannot be read, or values that a metric does not support."""


class QueryFailed(SqlMetricsError):
    """The engine failed to run a query; `sql` holds its text."""

    def __init__(self, message: str, sql: str) -> None:
        self.sql = sql
        super().__init__(message)


class MissingClient(SqlMetricsError):
    """A required package is not installed; the message names the extra that installs it."""

    def __init__(self, package: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{package} is not installed: pip install 'sqlmetrics[{extra}]'")


class DroppedRows(UserWarning):
    """Rows were dropped because a required value is NULL or NaN."""


def printable(text: str) -> str:
    """Escape every character that would break the line or control a terminal.

    >>> printable("a\\x1b]0;b\\n")
    'a\\\\x1b]0;b\\\\n'
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def shown(value: object) -> str:
    """A short text of a value for an error message, however large the value is.

    >>> shown(2.5), shown(10**5000), shown(list(range(50)))
    ('2.5', 'a number of 4,000 digits or more', '[0, 1, 2, 3, 4, 5, ...]')
    """
    if isinstance(value, int) and value.bit_length() > 13_000:  # Python refuses to print it
        return "a number of 4,000 digits or more"
    return reprlib.repr(value)


def did_you_mean(name: str, available: Iterable[str]) -> str:
    """The closest available name as a question, or "" if no name is close."""
    matches = difflib.get_close_matches(str(name).lower(), list(available), n=1, cutoff=0.6)
    return f" (did you mean {matches[0]!r}?)" if matches else ""


def raised_at_caller(call: Callable[P, T]) -> Callable[P, T]:
    """Make errors of a public function end at the caller's line, without the frames of the package.

    The engine's error stays available as `__context__`.
    """

    @functools.wraps(call)
    def run(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            return call(*arguments, **named)
        except SqlMetricsError as error:
            if os.environ.get("SQLMETRICS_TRACEBACK"):
                raise
            raise error.with_traceback(None) from None

    return run


def error_summary(error: BaseException) -> str:
    """The first line of an engine's error, with the lines that describe the problem and without advice."""
    lines = [line.strip() for line in str(error).strip().splitlines()]
    reported = ("Main file schema", "Current file", "Column with name", "Error when converting", "Invalid unicode")
    return ". ".join([first_line(error), *(line for line in lines[1:] if line.startswith(reported))])


def first_line(error: BaseException) -> str:
    """The first line of an engine's message; the others point at a position in the SQL."""
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
