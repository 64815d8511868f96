"""The protocol of engines, and the import of the packages that some of them need."""

from __future__ import annotations

import importlib
from typing import Any, Protocol, runtime_checkable

from ..errors import MissingClient


@runtime_checkable
class Engine(Protocol):
    """The protocol of `engine=`.

    >>> import duckdb, sqlmetrics
    >>> class Mine:
    ...     dialect = "duckdb"
    ...     def query(self, sql):
    ...         return duckdb.sql(sql).df()
    >>> log = "select * from (values (1, 0.9), (0, 0.2)) as log(clicked, pctr)"
    >>> sqlmetrics.auc(log, label="clicked", score="pctr", engine=Mine())
       n  auc
    0  2  1.0
    """

    dialect: str

    def query(self, sql: str) -> Any:
        """The rows of one statement, as a pandas DataFrame or an Arrow table."""


def client_module(module: str, extra: str) -> Any:
    """A client's module, imported when its engine is requested."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        raise MissingClient(package, extra) from error
