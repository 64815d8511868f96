"""Spark, in this process or by Spark Connect."""

from __future__ import annotations

import re
import sys
from typing import Any

import pandas as pd

from ..errors import BadParameter, raised_at_caller
from .clients import client_module


class Spark:
    """A SparkSession, classic or Spark Connect: `Spark(SparkSession.builder.getOrCreate())`.

    Data is a table or view of the session, a query, or a small object in memory, which is a temporary view for the
    length of the call. Needs `pip install 'sqlmetrics[spark]'`.
    """

    dialect = "spark"

    @raised_at_caller
    def __init__(self, session: Any) -> None:
        self.session = session
        self.errors = errors_of_spark()

    def query(self, sql: str) -> Any:
        """The rows of one statement.

        One of many steps that Spark gives up to make sense of is tried once more with a greater
        `spark.sql.analyzer.maxIterations`, for the length of the statement.
        """
        try:
            return self._rows(sql)
        except self.errors as error:
            if not _GAVE_UP.search(str(error)):
                raise
        before = self.session.conf.get(_LOOKS)
        self.session.conf.set(_LOOKS, str(10 * int(before)))
        try:
            return self._rows(sql)
        finally:
            self.session.conf.set(_LOOKS, before)

    def _rows(self, sql: str) -> Any:
        try:
            rows = self.session.sql(sql)
            # Arrow keeps whole numbers whole beside a NULL; Spark 3 has only the other.
            return rows.toArrow() if hasattr(rows, "toArrow") else rows.toPandas()
        except OSError:
            raise
        except self.errors as error:
            reason = _root_cause(error)
            if reason is None:
                raise
            raise self.errors[0](reason) from error

    def columns(self, sql: str) -> dict[str, str]:
        """The columns of a query with their types."""
        return dict(self.session.sql(sql).dtypes)

    def tells_case(self) -> bool:
        """Whether names that differ in case only are two to the session."""
        return bool(self.session.conf.get("spark.sql.caseSensitive") == "true")

    def register(self, name: str, data: Any) -> None:
        """Show an object in memory as a temporary view."""
        if hasattr(data, "to_arrow"):  # polars
            data = data.to_arrow()
        if not isinstance(data, pd.DataFrame) and not hasattr(data, "to_pandas"):
            raise BadParameter(
                f"Spark takes a table, a query, or a pandas, polars or Arrow object, not {type(data).__name__}"
            )
        # Spark 4 takes Arrow as it is, where NULL and NaN are two things; Spark 3 takes pandas only.
        if self.session.version < "4":
            data = data if isinstance(data, pd.DataFrame) else data.to_pandas()
        elif isinstance(data, pd.DataFrame):
            data = client_module("pyarrow", "spark").Table.from_pandas(data, preserve_index=False)
        self.session.createDataFrame(data).createOrReplaceTempView(name)

    def unregister(self, name: str) -> None:
        """Drop the view."""
        self.session.catalog.dropTempView(name)


#: How often Spark looks at a statement to make sense of it, and what it says where that was not enough.
_LOOKS = "spark.sql.analyzer.maxIterations"
_GAVE_UP = re.compile(r"Max iterations \(\d+\) reached for batch")
_CAUSED_BY = re.compile(r"^Caused by: (\S+: .*?)(?=\n\tat |\nCaused by: |\Z)", re.MULTILINE | re.DOTALL)


def _root_cause(error: Exception) -> str | None:
    """What a task of Spark raised: it reaches Python wrapped, and says no more than that a stage or a call failed."""
    cause = getattr(error, "java_exception", None)
    if cause is not None:
        while cause.getCause() is not None:
            cause = cause.getCause()
        return str(cause.getMessage() or cause)
    # Spark Connect reports the causes in a trace of Java's, each as its class and its message.
    trace = error.getStackTrace() if hasattr(error, "getStackTrace") else None
    causes = _CAUSED_BY.findall(trace or "")
    return causes[-1].partition(": ")[2] if causes else None


def errors_of_spark() -> tuple[type[Exception], ...]:
    """Its own, OSError where the driver's Java process is gone, and what Spark has not made an error of its own."""
    found: tuple[type[Exception], ...] = (client_module("pyspark.errors", "spark").PySparkException, OSError)
    if "py4j.protocol" in sys.modules:
        found += (sys.modules["py4j.protocol"].Py4JError,)
    return found


def reason_of_java(error: Exception) -> str:
    """The line of the exception, which follows that of what was called."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return next((line.removeprefix(": ") for line in lines if line.startswith(": ")), lines[0])
