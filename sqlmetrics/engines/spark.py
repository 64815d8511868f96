"""Spark, in this process or by Spark Connect."""

# ruff: noqa: PLC0415 (pandas is imported where a DataFrame is made: the shell prints without it)

from __future__ import annotations

import re
import sys
from typing import Any

from ..errors import BadParameter, raised_at_caller
from .base import client_module


class Spark:
    """A SparkSession, classic or Spark Connect: `Spark(SparkSession.builder.getOrCreate())`.

    Data is a table or view of the session, a query, or a small object in memory, which becomes a temporary view for the
    length of the call. Needs `pip install 'sqlmetrics[spark]'`.
    """

    dialect = "spark"

    @raised_at_caller
    def __init__(self, session: Any) -> None:
        self.session = session
        self.errors = errors_of_spark()

    def query(self, sql: str) -> Any:
        """Return the rows of one statement.

        If Spark gives up the analysis of a long statement, it is retried with a greater
        `spark.sql.analyzer.maxIterations`, which is restored afterwards.
        """
        try:
            return self._rows(sql)
        except self.errors as error:
            if not _GAVE_UP.search(str(error)):
                raise
        before = self.session.conf.get(_MAX_ITERATIONS)
        self.session.conf.set(_MAX_ITERATIONS, str(10 * int(before)))
        try:
            return self._rows(sql)
        finally:
            self.session.conf.set(_MAX_ITERATIONS, before)

    def _rows(self, sql: str) -> Any:
        try:
            rows = self.session.sql(sql)
            # Arrow has exact integers in columns with NULL; Spark 3 has `toPandas` only.
            return rows.toArrow() if hasattr(rows, "toArrow") else rows.toPandas()
        except OSError:
            raise
        except self.errors as error:
            reason = _root_cause(error)
            if reason is None:
                raise
            raise self.errors[0](reason) from error

    def columns(self, sql: str) -> dict[str, str]:
        """Return the columns of a query with their types."""
        return dict(self.session.sql(sql).dtypes)

    def tells_case(self) -> bool:
        """Whether names are case-sensitive in the session."""
        return bool(self.session.conf.get("spark.sql.caseSensitive") == "true")

    def register(self, name: str, data: Any) -> None:
        """Register an object in memory as a temporary view."""
        import pandas as pd

        if hasattr(data, "to_arrow"):  # polars
            data = data.to_arrow()
        if not isinstance(data, pd.DataFrame) and not hasattr(data, "to_pandas"):
            raise BadParameter(
                f"Spark takes a table, a query, or a pandas, polars or Arrow object, not {type(data).__name__}"
            )
        # Spark 4 accepts Arrow, which distinguishes NULL from NaN; Spark 3 accepts pandas only.
        if self.session.version < "4":
            data = data if isinstance(data, pd.DataFrame) else data.to_pandas()
        elif isinstance(data, pd.DataFrame):
            data = client_module("pyarrow", "spark").Table.from_pandas(data, preserve_index=False)
        self.session.createDataFrame(data).createOrReplaceTempView(name)

    def unregister(self, name: str) -> None:
        """Drop the view."""
        self.session.catalog.dropTempView(name)


#: The setting that limits the analysis of a statement, and the error at the limit.
_MAX_ITERATIONS = "spark.sql.analyzer.maxIterations"
_GAVE_UP = re.compile(r"Max iterations \(\d+\) reached for batch")
_CAUSED_BY = re.compile(r"^Caused by: (\S+: .*?)(?=\n\tat |\nCaused by: |\Z)", re.MULTILINE | re.DOTALL)


def _root_cause(error: Exception) -> str | None:
    """Return the root cause of an error of Spark; the wrapping error reports only that a stage failed."""
    cause = getattr(error, "java_exception", None)
    if cause is not None:
        while cause.getCause() is not None:
            cause = cause.getCause()
        return str(cause.getMessage() or cause)
    # Spark Connect reports the causes in a Java trace, each as its class and message.
    trace = error.getStackTrace() if hasattr(error, "getStackTrace") else None
    causes = _CAUSED_BY.findall(trace or "")
    return causes[-1].partition(": ")[2] if causes else None


def errors_of_spark() -> tuple[type[Exception], ...]:
    """Return the errors of Spark: its own, OSError for a dead driver process, and Java errors that it does not wrap."""
    errors: tuple[type[Exception], ...] = (client_module("pyspark.errors", "spark").PySparkException, OSError)
    if "py4j.protocol" in sys.modules:
        errors += (sys.modules["py4j.protocol"].Py4JError,)
    return errors


def java_error_summary(error: Exception) -> str:
    """Return the line with the message of a Java exception."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return next((line.removeprefix(": ") for line in lines if line.startswith(": ")), lines[0])
